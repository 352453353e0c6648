"""`Identification`: what `identify` found, how well it is known, and what to do with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.formats.raisim_write import write_materials
from tribo.identification import plots
from tribo.identification.problem import Problem
from tribo.identification.statistics import SHARE, UNIFORM, Certainty, Estimate
from tribo.identification.trajectory import Trajectory
from tribo.identification.unknowns import Unknown
from tribo.world.world import World

AT_BOUND = 1e-4  # in spans of the bounds
DRAWS = 256  # of parameters over their bounds, for the spread of a derived quantity
TRIES = 30  # draws until a sample is within the bounds
DIFFERENCE = 1e-6  # in spans
ROUGH = 0.5  # of the change over a standard error: a bend of this size is no parabola's


@dataclass(frozen=True)
class Residual:
    """How far measured numbers of a column are from those of the fit."""

    column: str
    unit: str
    rms: float  # root of the mean square of simulated − measured
    noise: float  # standard deviation that was given, or found
    count: int


class Identification(Sealed):
    """Parameters that were found, by name: ``found["table/ball/restitution"].value``.

    Made by `tribo.identify`. The estimates are normally distributed, with a covariance from the Hessian
    of the least-squares problem; those of positive numbers whose bounds are far apart are so in their
    logarithm.
    """

    def __init__(
        self, world: World, unknowns: Sequence[Unknown], problem: Problem, x: np.ndarray, known: Certainty,
        estimates: Mapping[str, Estimate], derived: Mapping[str, Estimate], residuals: Sequence[Residual],
        remarks: Sequence[str], confidence: float, samples: np.ndarray | None, fitted: list[dict[str,
            np.ndarray]],
        films: Sequence[Trajectory],
    ) -> None:  # fmt: skip
        self._materials = world.materials.copy()
        self._unknowns, self._problem, self._x = list(unknowns), problem, x
        self._known, self._estimates, self._derived = known, dict(estimates), dict(derived)
        self._residuals, self._remarks = tuple(residuals), tuple(remarks)
        self._confidence, self._samples, self._fitted = confidence, samples, fitted
        self._films = list(films)

    def __repr__(self) -> str:
        """Return how many parameters there are, and the remarks."""
        return (
            f"<Identification of {len(self._estimates)} parameters from {len(self._films)} recordings, "
            f"{len(self._remarks)} remarks>"
        )

    def __str__(self) -> str:
        """Return a line for each estimate, residual and remark."""
        lines = [str(one) for one in self._estimates.values()]
        lines += [str(one) for one in self._derived.values()]
        lines += [
            f"{one.column}: residual {one.rms:.3g} {one.unit}, noise {one.noise:.3g} {one.unit}, "
            f"{one.count} numbers"
            for one in self._residuals
        ]
        return "\n".join([*lines, *(f"remark: {remark}" for remark in self._remarks)])

    # -- estimates -----------------------------------------------------------------------------
    def __getitem__(self, name: str) -> Estimate:
        """Return an estimate by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        both = self._estimates | self._derived
        return both[check.known(name, both, "estimate")]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters, in the order in which they were named."""
        return tuple(self._estimates)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Estimates of the parameters."""
        return tuple(self._estimates.values())

    @property
    def derived(self) -> tuple[Estimate, ...]:
        """Estimates of quantities that parameters stand for: mass, com and inertia of `inertial`."""
        return tuple(self._derived.values())

    @property
    def values(self) -> dict[str, float]:
        """Values of the parameters by name."""
        return {name: one.value for name, one in self._estimates.items()}

    @property
    def correlation(self) -> np.ndarray:
        """Correlations of the parameters, (k, k) [–]."""
        deviation = np.sqrt(np.diag(self._known.spread))
        return frozen(self._known.spread / np.outer(deviation, deviation))

    @property
    def residuals(self) -> tuple[Residual, ...]:
        """How far the fit is from the measured numbers, by column of each recording."""
        return self._residuals

    @property
    def reduced_chi_square(self) -> float:
        """χ²/ν [–]: 1 where the misfit is the noise, more where the world cannot do what was measured."""
        return self._known.chi_square / self._known.freedom

    @property
    def remarks(self) -> tuple[str, ...]:
        """Doubts in words: parameters that are not shown or are at a bound, a misfit beyond the noise."""
        return self._remarks

    @property
    def confidence(self) -> float:
        """Probability that an interval holds the true value [–]."""
        return self._confidence

    # -- use -----------------------------------------------------------------------------------
    def apply(self, world: World) -> None:
        """Set the parameters in a world. Those that the data do not show are set, too; motors are left.

        Raises:
            KeyError: The world has no such object or joint.
            TypeError: The law of a pair is another one there.
        """
        values = np.array([one.value for one in self._estimates.values()])
        for unknown, own in self._parts(values[None]):
            unknown.set_in_world(world, own[0])

    def draw(self, count: int, generator: np.random.Generator | None = None) -> np.ndarray:
        """Return parameters as they may be by what is known, (count, k) [their units], in order of `names`.

        They are normally distributed with the estimates' covariance, within the bounds; a parameter that
        the data do not show is spread over its bounds.

        Args:
            count: How many, ≥ 0.
            generator: Of random numbers; None: one from the system.
        """
        made = check.integer(count, "count", 0)
        source = np.random.default_rng() if generator is None else generator
        return self.of_normal(source.standard_normal((made, len(self._estimates))), source)

    def of_normal(self, normal: np.ndarray, generator: np.random.Generator | None = None) -> np.ndarray:
        """Return parameters (n, k) [their units] that independent standard normal numbers (n, k) stand for.

        Args:
            normal: The numbers.
            generator: Draws those anew that are outside of the bounds; None: they are set to the bound.
        """
        turns = np.linalg.cholesky(self._known.spread)
        centre = self._x[: self._problem.count]
        places = centre + normal @ turns.T
        for _ in range(TRIES if generator is not None else 0):
            outside = ((places < 0.0) | (places > 1.0)).any(axis=1)
            if not outside.any():
                break
            assert generator is not None
            again = generator.standard_normal((int(outside.sum()), len(centre)))
            places[outside] = centre + again @ turns.T
        return self._problem.values(np.clip(places, 0.0, 1.0))

    def set_in_batch(self, batch: Batch, values: np.ndarray, worlds: np.ndarray) -> None:
        """Set parameters (n, k) [units as in `names`] in worlds (n,) of a batch; `Batch.randomize` calls it.

        Raises:
            KeyError: The batch has no such object, joint or material.
        """
        for unknown, own in self._parts(values):
            unknown.set_in_batch(batch, own, worlds)

    def _parts(self, values: np.ndarray) -> list[tuple[Unknown, np.ndarray]]:
        """Return the unknowns, each with its columns of values (n, k)."""
        ends = np.cumsum([0, *(len(one.bounds) for one in self._unknowns)])
        return [(one, values[:, a:b]) for one, a, b in zip(self._unknowns, ends, ends[1:], strict=False)]

    def save_materials(self, path: str | Path) -> None:
        """Write all pairs of materials, with what was found, as a file that `World.load_materials` reads.

        Args:
            path: Of the file, .xml; it is replaced.

        Raises:
            OSError: It cannot be written.
            ValueError: No pair was sought, or the ending is another one.
        """
        file = check.path(path, "path")
        if file.suffix.lower() != ".xml":
            raise ValueError(f"{file}: the ending must be .xml, got {file.suffix!r}")
        if all(unknown.set_in_table is None for unknown in self._unknowns):
            raise ValueError("no pair of materials was sought; there is nothing to write")
        table = self._materials.copy()
        values = np.array([one.value for one in self._estimates.values()])
        for unknown, own in self._parts(values[None]):
            if unknown.set_in_table is not None:
                unknown.set_in_table(table, own[0])
        write_materials(table, file)

    # -- to look at ----------------------------------------------------------------------------
    def plot(self, path: str | Path | None = None) -> Any:
        """Draw, for each parameter, Δχ² along its values with its interval, and return the Matplotlib figure.

        The other parameters and the starts go along as the Hessian says. A parabola is an interval to
        rely on; a rough or lopsided curve is not.

        Args:
            path: File to write besides; its ending is the format.

        Raises:
            ImportError: Matplotlib is missing; the message names the extra.
            OSError: The file cannot be written.
        """
        return plots.draw_parameters(self._problem, self._x, self._known, self.estimates, self._samples, path)

    def plot_fit(self, path: str | Path | None = None) -> Any:
        """Draw measured and simulated numbers over time, one column below the other; as `plot` does."""
        return plots.draw_fit(self._films, self._problem, self._fitted, path)


def report(
    world: World, films: Sequence[Trajectory], unknowns: Sequence[Unknown], problem: Problem, x: np.ndarray,
    residuals: np.ndarray, known: Certainty, samples: np.ndarray | None, confidence: float, has_ended: bool,
) -> Identification:  # fmt: skip
    """Return what was found, with intervals and remarks."""
    u = x[: problem.count]
    estimates: dict[str, Estimate] = {}
    tail = 0.5 - 0.5 * confidence
    values, slopes = problem.values(u), problem.slopes(u)
    deviations = np.sqrt(np.diag(known.covariance) + problem.grains**2 / UNIFORM)
    for k, bound in enumerate(problem.bounds):
        reach = max(known.quantile * deviations[k], 0.5 * problem.grains[k])
        ends = np.array([[max(u[k] - reach, 0.0)], [min(u[k] + reach, 1.0)]])
        low, high = (problem.values(np.where(np.arange(len(u)) == k, end, u))[k] for end in ends)
        again = None
        if samples is not None:
            places = np.quantile(samples[:, k], [tail, 1.0 - tail])
            both = [problem.values(np.where(np.arange(len(u)) == k, end, u))[k] for end in places]
            again = (float(both[0]), float(both[1]))
        is_seen = bool(np.isfinite(deviations[k]))
        at_bound = bool(u[k] < AT_BOUND or u[k] > 1.0 - AT_BOUND)
        estimates[bound.name] = Estimate(
            bound.name, bound.unit, float(values[k]), float(deviations[k] * slopes[k]), float(low),
            float(high), again, is_seen, at_bound,
        )  # fmt: skip
    seen, _, _ = problem.simulator.run(problem.runs_of(x))
    fitted, rows = _fit(films, problem, seen, residuals)
    remarks = _remarks(problem, known, estimates, problem.roughness(x), has_ended)
    derived = _derived(unknowns, problem, u, known)
    return Identification(
        world, unknowns, problem, x, known, estimates, derived, rows, remarks, confidence, samples, fitted,
        films,
    )  # fmt: skip


def _fit(
    films: Sequence[Trajectory], problem: Problem, seen: np.ndarray, residuals: np.ndarray
) -> tuple[list[dict[str, np.ndarray]], list[Residual]]:
    """Return the simulated numbers by column of each recording, and how far they are from the measured."""
    fitted: list[dict[str, np.ndarray]] = [{} for _ in films]
    found: dict[tuple[int, int], list[np.ndarray]] = {}
    for g, segment in enumerate(problem.simulator.segments):
        for c, channel in enumerate(problem.channels[segment.recording]):
            rows = problem.simulated(g, c, seen[g : g + 1])[0]
            own = fitted[segment.recording].setdefault(channel.label, np.empty((0, rows.shape[1])))
            fitted[segment.recording][channel.label] = np.concatenate([own, rows])
            found.setdefault((segment.recording, c), []).append(residuals[problem.rows_of[g, c]])
    made = []
    for (k, c), parts in found.items():
        channel, noise = problem.channels[k][c], problem.noise[k][problem.channels[k][c].label]
        numbers = np.concatenate(parts)
        rms = float(np.sqrt(np.mean(numbers**2))) * noise if len(numbers) else 0.0
        label = channel.label if len(films) == 1 else f"{films[k].name}: {channel.label}"
        made.append(Residual(label, channel.unit, rms, noise, len(numbers)))
    return fitted, made


def _remarks(
    problem: Problem, known: Certainty, estimates: Mapping[str, Estimate], roughness: np.ndarray,
    has_ended: bool,
) -> list[str]:  # fmt: skip
    """Return doubts about a fit, in words."""
    made = []
    names = [one.name for one in problem.bounds]
    for direction in known.unseen:
        involved = [n for n, share in zip(names, direction, strict=True) if abs(share) > SHARE]
        if len(involved) == 1:
            made.append(
                f"the data say nothing about {involved[0]}: measure a motion that depends on it, or do not "
                "seek it"
            )
        else:
            made.append(
                f"the data do not show {', '.join(involved)} apart, only a combination of them: fix one "
                "of them"
            )
    made += [
        f"{one.name} is at its bound, {one.value:.5g}: widen its bounds, or the world lacks something"
        for one in estimates.values()
        if one.is_at_bound and one.is_seen
    ]
    if known.is_excessive:
        made.append(
            f"the misfit is {np.sqrt(known.chi_square / known.freedom):.3g} times the noise that was given: "
            "the world cannot do what was measured, or the noise is larger; intervals are widened by it"
        )
    rough = [n for n, size in zip(names, roughness, strict=True) if size > ROUGH and estimates[n].is_seen]
    if rough:
        made.append(
            f"the simulated motion is rough over the interval of {', '.join(rough)}: take a smaller time "
            "step or world.impact = 'propagate', or search='cma'; the interval is not to be relied on"
        )
    if not has_ended:
        made.append("the fit did not end after 60 evaluations: take search='cma' or more segments")
    return made


def _derived(
    unknowns: Sequence[Unknown], problem: Problem, u: np.ndarray, known: Certainty
) -> dict[str, Estimate]:
    """Return estimates of physical quantities, with standard errors to first order."""
    made: dict[str, Estimate] = {}
    first = 0
    generator = np.random.default_rng(0)
    for unknown in unknowns:
        own = slice(first, first + len(unknown.bounds))
        first = own.stop
        if unknown.derived is None:
            continue
        width = len(unknown.bounds)
        points = np.tile(u, (2 * width + 1 + DRAWS, 1))
        for k in range(width):
            points[2 * k, own.start + k] += DIFFERENCE
            points[2 * k + 1, own.start + k] -= DIFFERENCE
        points[2 * width + 1 :, own] = generator.random((DRAWS, width))
        lost = ~np.isfinite(np.diag(known.covariance))[own]
        for name, (unit, numbers) in unknown.derived(problem.values(points)[:, own]).items():
            slope = (numbers[0 : 2 * width : 2] - numbers[1 : 2 * width : 2]) / (2.0 * DIFFERENCE)
            value, anywhere = float(numbers[2 * width]), float(numbers[2 * width + 1 :].std())
            hidden = np.array([direction[own] for direction in known.unseen]).reshape(-1, width)
            unseen = float(np.abs(hidden @ slope).max(initial=0.0)) > 0.1 * anywhere
            is_seen = not (unseen or (slope[lost] ** 2).sum() > (0.1 * anywhere) ** 2)
            error = float(np.sqrt(slope @ known.bounded[own, own] @ slope)) if is_seen else np.inf
            low, high = value - known.quantile * error, value + known.quantile * error
            made[name] = Estimate(name, unit, value, error, low, high, None, is_seen, False)
    return made
