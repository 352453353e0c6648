"""How well parameters are known: covariance of the Jacobian, directions that the data lack, bootstrap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tribo.identification.problem import Problem

UNIFORM = 12.0  # a number that is anywhere within its bounds has the variance span²/12
SHARE = 0.3  # of a direction that a parameter must have to be named with it
DOUBT = 1e-3  # probability below which the misfit is not noise
ROUNDS = 6  # of Gauss–Newton steps of each set of the bootstrap


@dataclass(frozen=True)
class Estimate:
    """One number that was found."""

    name: str
    unit: str
    value: float
    standard_error: float  # inf: the data say nothing about it
    low: float  # of the interval of the Hessian
    high: float
    bootstrap: tuple[float, float] | None  # interval of the bootstrap; None: it was not asked for
    is_seen: bool  # whether the data say something about it
    is_at_bound: bool

    def __str__(self) -> str:
        """Return name, value, interval and unit in one line."""
        unit = "" if self.unit == "–" else f" {self.unit}"
        if not self.is_seen:
            return f"{self.name} = {self.value:.5g}{unit}, but the data say nothing about it"
        again = (
            "" if self.bootstrap is None else f", bootstrap {self.bootstrap[0]:.5g} … {self.bootstrap[1]:.5g}"
        )
        return f"{self.name} = {self.value:.5g}{unit} ({self.low:.5g} … {self.high:.5g}{again})"


@dataclass(frozen=True)
class Certainty:
    """How well the parameters of a fit are known, in spans of their bounds."""

    covariance: np.ndarray  # (k, k), inf where the data say nothing
    bounded: np.ndarray  # (k, k), where the data say nothing that of a number anywhere within its bounds
    spread: np.ndarray  # (k, k), with the bounds as what is known beforehand
    unseen: list[np.ndarray]  # directions (k,) that the data do not show
    quantile: float  # how many standard errors an interval goes to either side
    scale: float  # by which the covariance was multiplied
    chi_square: float
    freedom: int
    is_excessive: bool  # the misfit is more than the noise that was given


def explains(problem: Problem, square: float, least: float = DOUBT) -> bool:
    """Tell whether a sum of squares of residuals may be noise alone.

    Args:
        problem: The least-squares problem, with the noise that was given.
        square: χ² [–].
        least: Probability of so large a χ² below which it is not.
    """
    from scipy import stats

    return float(stats.chi2.sf(square, max(1, problem.rows - problem.size))) >= least


def certainty(
    problem: Problem, residuals: np.ndarray, jacobian: np.ndarray, confidence: float, *, given: bool
) -> Certainty:
    """Return how well parameters are known by the Gauss–Newton Hessian JᵀJ.

    With a noise that was given, χ² of the fit is tested; where it is too large (p < 0.001) the covariance is
    multiplied by χ²/ν (Birge's ratio) and `is_excessive` says so. Where the misfit says how large the noise
    is, by this ratio or because none was given, intervals are Student's.

    Args:
        problem: The least-squares problem.
        residuals, jacobian: At the solution, (rows,) and (rows, size).
        confidence: Of the intervals, 0 … 1.
        given: Whether the noise was given for all columns.
    """
    from scipy import stats

    count = problem.count
    square = float(residuals @ residuals)
    freedom = max(1, len(residuals) - problem.size)
    is_excessive = given and not explains(problem, square)
    is_estimated = is_excessive or not given  # the size of the noise, from the residuals
    scale = square / freedom if is_estimated else 1.0
    tail = 0.5 + 0.5 * confidence
    quantile = float(stats.t.ppf(tail, freedom) if is_estimated else stats.norm.ppf(tail))
    # Starts are eliminated: of the parameters' columns, what no start can mimic is left (QR of the starts).
    starts = jacobian[:, count:]
    own = jacobian[:, :count] / np.sqrt(max(scale, 1e-300))
    if starts.shape[1]:
        basis, size, _ = np.linalg.svd(starts, full_matrices=False)
        basis = basis[:, size > 1e-12 * size.max(initial=0.0)]
        own = own - basis @ (basis.T @ own)
    _, size, turns = np.linalg.svd(own, full_matrices=False)
    # A direction whose standard error is more than that of "anywhere within the bounds" is not shown.
    is_seen = size**2 > UNIFORM
    seen, hidden = turns[is_seen], turns[~is_seen]
    shown = (seen.T / size[is_seen] ** 2) @ seen
    anywhere = (hidden.T @ hidden) / UNIFORM
    lost = np.diag(anywhere) > np.maximum(np.diag(shown), 0.01 / UNIFORM)
    bounded = shown + anywhere
    covariance = np.where(np.diag(lost), np.inf, bounded)
    spread = np.linalg.inv(own.T @ own + UNIFORM * np.eye(count))
    return Certainty(
        covariance, bounded, spread, list(hidden), quantile, scale, square, freedom, is_excessive
    )


def bootstrap(
    problem: Problem, x: np.ndarray, residuals: np.ndarray, jacobian: np.ndarray, count: int, seed: int
) -> np.ndarray:
    """Return parameters (count, k), in spans, fitted to data made of the fit and of residuals drawn anew.

    Residuals of a channel are drawn with replacement (Efron, 1979). All sets are fitted at once by
    Gauss–Newton steps with the Jacobian of the solution.
    """
    generator = np.random.default_rng(seed)
    drawn = np.empty((count, len(residuals)))
    for rows in [*problem.rows_of.values(), *problem.defect_rows.values()]:
        own = residuals[rows]
        if len(own):
            centred = own - own.mean()
            drawn[:, rows] = centred[generator.integers(0, len(own), (count, len(own)))]
    inverse = np.linalg.pinv(jacobian, rcond=1e-10)
    least, most = problem.least, problem.most
    candidates = np.tile(x, (count, 1))
    best, lowest = candidates.copy(), np.full(count, np.inf)
    for turn in range(ROUNDS + 1):
        # data* = fit + drawn: residual of a candidate is r(candidate) − r(x) − drawn
        misfit = problem.residuals(candidates) - residuals - drawn
        cost = (misfit**2).sum(axis=1)
        better = cost < lowest
        best[better], lowest[better] = candidates[better], cost[better]
        if turn < ROUNDS:
            candidates = np.clip(candidates - misfit @ inverse.T, least, most)
    return best[:, : problem.count]
