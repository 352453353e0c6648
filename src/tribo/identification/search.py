"""Where the least-squares fit begins: points over the bounds, CMA-ES or differential evolution."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.identification.problem import Problem

SEARCHES = ("scan", "cma", "differential_evolution", "none")
POINTS = 64  # of a scan, besides the first values
BEST = 3  # of the scan from which fits begin
SPREAD = 0.25  # of the first generation of CMA-ES, in spans of the bounds
MAX_GENERATIONS = 100
NEAR = 48  # candidates that are drawn about a solution
REACHES = (1.0, 3.0, 10.0)  # in standard deviations
GAIN = 0.1  # [–] less of χ² does not move an estimate by a third of its standard error
SMALL = 1e-3  # in spans: where the search ends and the fit goes on


def first_points(problem: Problem, x: np.ndarray, kind: str, seed: int) -> list[np.ndarray]:
    """Return candidates from which fits begin, by one of `SEARCHES`, the best first.

    x: first candidate, (size,); starts of segments are its.

    Raises:
        ImportError: CMA-ES needs the package cma; the message names the extra.
    """
    count = problem.count

    def costs(places: np.ndarray) -> np.ndarray:
        """Return half the sums of squares of parameters' places, (n,)."""
        candidates = np.tile(x, (len(places), 1))
        candidates[:, :count] = places
        return np.asarray(0.5 * (problem.residuals(candidates) ** 2).sum(axis=1))

    def with_places(places: np.ndarray) -> np.ndarray:
        made = x.copy()
        made[:count] = np.clip(places, 0.0, 1.0)
        return made

    if kind == "none":
        return [x]
    finders = {"cma": _cma, "differential_evolution": _evolution}
    if kind in finders:
        return [with_places(finders[kind](costs, x[:count], seed))]
    from scipy.stats import qmc

    points = qmc.LatinHypercube(count, rng=np.random.default_rng(seed)).random(POINTS)
    points = np.concatenate([x[None, :count], points])
    order = np.argsort(costs(points), kind="stable")[:BEST]
    return [with_places(points[k]) for k in order]


def better_point(problem: Problem, x: np.ndarray, jacobian: np.ndarray, seed: int) -> np.ndarray | None:
    """Return a candidate near a solution whose sum of squares is less, None if none is drawn.

    Where motion is rough, steps end in one of many small dips. Candidates are drawn from the normal
    distribution of the estimate, with 1, 3 and 10 times its deviations, all in one run.
    x, jacobian: of the solution, (size,) and (rows, size).
    """
    generator = np.random.default_rng(seed)
    _, size, turns = np.linalg.svd(jacobian, full_matrices=False)
    deviations = 1.0 / np.maximum(size, size.max(initial=0.0) * 1e-9 + 1e-300)
    normal = generator.standard_normal((NEAR, len(size))) * np.minimum(deviations, 1.0)
    reach = np.resize(REACHES, NEAR)[:, None]
    points = np.clip(x + reach * (normal @ turns), problem.least, problem.most)
    costs = (problem.residuals(np.concatenate([x[None], points])) ** 2).sum(axis=1)
    best = int(costs.argmin())
    return points[best - 1] if best > 0 and costs[best] < costs[0] - GAIN else None


def _cma(costs: Any, first: np.ndarray, seed: int) -> np.ndarray:
    """Return the best places by CMA-ES (Hansen, 2001), each generation as one batch."""
    said = 'CMA-ES needs the package cma: pip install "tribo[identification]"'
    with check.needed(said), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about packages that it would like
        import cma
    start = np.clip(first, 0.05, 0.95)
    lone = len(start) == 1  # CMA-ES has no covariance in one dimension
    start = np.append(start, 0.5) if lone else start
    options = {"bounds": [0.0, 1.0], "seed": seed + 1, "verbose": -9, "tolx": SMALL,
               "maxiter": MAX_GENERATIONS}  # fmt: skip
    strategy = cma.CMAEvolutionStrategy(start, SPREAD, options)
    while not strategy.stop():
        asked = strategy.ask()
        told = costs(np.array(asked)[:, : len(first)])
        strategy.tell(asked, told.tolist())
    return np.asarray(strategy.result.xbest)[: len(first)]


def _evolution(costs: Any, first: np.ndarray, seed: int) -> np.ndarray:
    """Return the best places by differential evolution (Storn, Price, 1997), each generation as one batch."""
    from scipy.optimize import differential_evolution

    found = differential_evolution(
        lambda places: costs(places.reshape(len(first), -1).T), [(0.0, 1.0)] * len(first), x0=first,
        rng=np.random.default_rng(seed), vectorized=True, updating="deferred", polish=False,
        maxiter=MAX_GENERATIONS, tol=SMALL, popsize=8,
    )  # fmt: skip
    return np.asarray(found.x)
