"""Forces within friction cones that come nearest to what is asked: a small cone programme."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ROUNDS = 60  # of rays that are added
FIRST_RAYS = 8  # of a cone, besides its normal
TURNS = 8  # in which equations that must hold are pulled to their values
TIGHT = 1e-12  # [–] of what is asked, by which equations and optimality may miss
PULL = 10.0  # [–] weight of equations that must hold over those that should


class Cones(NamedTuple):
    """The sets within which n forces are; components along t₁, t₂ and the normal."""

    friction: np.ndarray  # (n,) [–]
    slip: np.ndarray  # (n, 2) unit direction in which a point slips, 0 where it sticks


def nearest_forces(
    must: np.ndarray, wanted: np.ndarray, should: np.ndarray, hoped: np.ndarray, small: float,
    cones: Cones,
) -> np.ndarray:  # fmt: skip
    """Return forces f (n, 3) that make ‖must f − wanted‖ least, then ‖should f − hoped‖² + small² ‖f‖².

    A force that sticks is a sum of rays n + μ t of its cone, with factors ≥ 0 (`scipy.optimize.nnls`). After
    each solve the ray along which the sum of squares falls most is added for each point, until there is none:
    then the optimality conditions of the cone programme itself hold. A point that slips has one ray, n − μ s.
    The residual of the first equations is added to their right side until it vanishes (multipliers).

    Source: Lawson, Hanson 1974, "Solving least squares problems", ch. 23 (NNLS); Boyd, Vandenberghe 2004,
    "Convex optimization", sections 2.6.1 (dual cone) and 5.5.3 (optimality); Nocedal, Wright 2006, "Numerical
    optimization", section 17.3 (multipliers).

    Args:
        must: (k, 3n), equations that come first.
        wanted: (k,).
        should: (m, 3n), equations that come second.
        hoped: (m,).
        small: Weight of the forces themselves.
        cones: Of the forces.
    """
    count = len(cones.friction)
    if count == 0:
        return np.zeros((0, 3))
    rows = np.concatenate([PULL * must, should, small * np.eye(3 * count)])
    size = max(float(np.abs(np.concatenate([wanted, hoped])).max(initial=0.0)), 1e-300)
    rays, force = _first_rays(cones), np.zeros(3 * count)
    pulled = wanted.copy()
    for _ in range(TURNS):
        right = np.concatenate([PULL * pulled, hoped, np.zeros(3 * count)])
        rays, force = _within(rows, right, rays, cones, TIGHT * PULL**2 * size)
        lacking = wanted - must @ force
        if np.abs(lacking).max(initial=0.0) <= TIGHT * size:
            break
        pulled += lacking
    return force.reshape(count, 3)


def _within(
    rows: np.ndarray, right: np.ndarray, rays: np.ndarray, cones: Cones, allowed: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return rays (3n, k) and forces f (3n,), sums of them, that make ‖rows f − right‖ least within cones."""
    from scipy.optimize import nnls

    sticks = ~cones.slip.any(axis=1)
    force = np.zeros(len(rays))
    for _ in range(ROUNDS):
        share, _ = nnls(rows @ rays, right, maxiter=100 * rays.shape[1])
        force = rays @ share
        slope = (rows.T @ (rows @ force - right)).reshape(-1, 3)
        steepest = np.linalg.norm(slope[:, :2], axis=1)
        falls = np.flatnonzero(sticks & (slope[:, 2] - cones.friction * steepest < -allowed))
        if not falls.size:
            break
        new = np.zeros((len(rays), falls.size))
        turn = -slope[falls, :2] / np.maximum(steepest[falls], 1e-300)[:, None]
        for axis in range(2):
            new[3 * falls + axis, np.arange(falls.size)] = cones.friction[falls] * turn[:, axis]
        new[3 * falls + 2, np.arange(falls.size)] = 1.0
        rays = np.concatenate([rays, new], axis=1)
    return rays, force


def _first_rays(cones: Cones) -> np.ndarray:
    """Return the rays (3n, k) with which the search begins."""
    made = []
    angles = 2.0 * np.pi * np.arange(FIRST_RAYS) / FIRST_RAYS
    for k, (friction, slip) in enumerate(zip(cones.friction, cones.slip, strict=True)):
        if slip.any():
            own = [-friction * slip]
        else:
            own = [np.zeros(2), *(friction * np.array([np.cos(a), np.sin(a)]) for a in angles)]
        for across in own:
            ray = np.zeros(3 * len(cones.friction))
            ray[3 * k : 3 * k + 2], ray[3 * k + 2] = across, 1.0
            made.append(ray)
    return np.array(made).T
