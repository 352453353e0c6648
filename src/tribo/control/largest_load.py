"""`largest_load`: how much of a wrench contacts and drives bear before something moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.calls import answered_call
from tribo.checks.readonly import frozen
from tribo.control.contact_dynamics import NEEDS, Motion
from tribo.control.contact_points import REACH, ContactPoints, jacobian_of
from tribo.identification.state_layout import StateLayout
from tribo.world.checked import checked_world
from tribo.world.world import World

FIRST_RAYS = 64  # of each cone: 0.1 % inside of it
ROUNDS = 60  # of rays that are added
TIGHT = 1e-7  # [–] by which the price of a ray may still be above zero: what multipliers err by


@dataclass(frozen=True, repr=False, eq=False)
class Load:
    """The largest load of a world at rest; n points, vectors in world axes.

    Attributes:
        factor: How many times the wrench can be borne besides the weight; inf: any, NaN: not even none.
        force: (n, 3) [N] on A of each point, at that load.
        objects: Names of A and B of each point.
        torque: By name of an object what its drives give, (dof,) [N m, N].
    """

    factor: float
    force: np.ndarray
    objects: tuple[tuple[str, str], ...]
    torque: dict[str, np.ndarray]

    def __repr__(self) -> str:
        """Return the factor."""
        return f"<Load: {self.factor:g} times the wrench>"


@answered_call
def largest_load(
    world: World, name: str, wrench: Any, *, link: str | None = None, undriven: Sequence[str] = (),
    reach: float = REACH,
) -> Load:  # fmt: skip
    """Return how many times a wrench on a body can be borne by contacts and drives, all at rest.

    The largest s for which forces in the friction cones and torques within the effort limits of the drives
    balance the weight and s times the wrench. No forces give more; but which forces there are is the choice
    of the contacts, so a stack that could bear a load may still fall for want of what presses it together.
    The smallest factor over directions of the wrench is the margin of a grasp.

    A linear programme over rays of the cones, to which the ray of the best price is added for each point
    until there is none (`scipy.optimize.linprog`): then the answer is that of the cones themselves. A world
    that needs more than 99.8 % of its friction to rest unloaded counts as one that does not rest.

    Args:
        world: At rest, without constraints between bodies.
        name: Of the object that is loaded.
        wrench: (6,) torque [N m] and force [N] at the centre of mass of the body, world axes.
        link: Of a robot, that is loaded.
        undriven: As of `contact_inverse_dynamics`.
        reach: [m] gap up to which a point can push.

    Raises:
        ImportError: SciPy is missing; the message names the extra.
        KeyError: There is no such object, link or joint; the message proposes the nearest.
        TypeError, ValueError: The wrench has a wrong shape, is not finite or 0, or there are constraints.

    Source: Boyd, Wegbreit 2007, "Fast computation of optimal contact forces"; Dantzig, Wolfe 1960,
    "Decomposition principle for linear programs" (columns that are added by their price).

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> box = world.add_box((0.4, 0.4, 0.2), 2.0, name="box", position=(0, 0, 0.1))
        >>> world.set_material_pair("default", "default", friction=0.5)
        >>> load = tribo.largest_load(world, "box", (0, 0, 0, 1, 0, 0))
        >>> round(load.factor, 6)
        9.81
    """
    with check.needed(NEEDS):
        import scipy.optimize  # noqa: F401
    checked_world(world)
    given = check.vector(wrench, "wrench", 6)
    if not given.any():
        raise ValueError("wrench must not be 0: any multiple of it is borne")
    layout = StateLayout(world)
    motion = Motion(world, layout, {}, list(undriven))
    points = ContactPoints(world, layout, np.zeros(layout.nv))
    near = points.gap <= check.number(reach, "reach", minimum=0.0, maximum=check.LARGEST)
    pulls = _pulls(world, layout, name, link, given)
    return _solved(world, layout, motion, points, near, pulls)


def _pulls(world: World, layout: StateLayout, name: str, link: str | None, wrench: np.ndarray) -> np.ndarray:
    """Return the generalized force of a wrench on a body, (nv,)."""
    columns = {one.name: one.v for one in layout.objects}
    at = columns[check.known(name, columns, "object that moves")]
    part: Any = world[name]
    made = np.zeros(layout.nv)
    if link is None and hasattr(part, "frame"):
        raise ValueError(f"{name} has links: say which of them is loaded, link={part.body_names[0]!r}")
    body = part if link is None else part.link(link)
    where = part.position if link is None else body.com_position
    made[at] = jacobian_of(part, link or "", np.asarray(where)).T @ wrench
    return made


def _solved(
    world: World, layout: StateLayout, motion: Motion, points: ContactPoints, near: np.ndarray,
    pulls: np.ndarray,
) -> Load:  # fmt: skip
    """Return the answer of the linear programme, rays being added until it is that of the cones."""
    from scipy.optimize import linprog

    rows = motion.is_dynamic
    limits = world.engine.model.arrays
    low, high = (limits[f"dof_effort_{side}"][0][motion.has_drive] for side in ("lower", "upper"))
    drives = np.eye(layout.nv)[:, motion.has_drive][rows]
    spread = points.jacobian[near].reshape(-1, layout.nv).T[rows]  # of forces in contact axes
    friction, count = points.friction[near], int(near.sum())
    rays = _first_rays(friction)
    bounds_of_drives = [(a if np.isfinite(a) else None, b if np.isfinite(b) else None)
                        for a, b in zip(low, high, strict=True)]  # fmt: skip
    added = rays[:, :0]
    for _ in range(ROUNDS):
        rays = np.concatenate([rays, added], axis=1)
        columns = [spread @ rays, drives, pulls[rows, None]]
        cost = np.zeros(rays.shape[1] + drives.shape[1] + 1)
        cost[-1] = -1.0
        bounds = [(0.0, None)] * rays.shape[1] + bounds_of_drives + [(0.0, None)]
        found = linprog(
            cost, A_eq=np.concatenate(columns, axis=1), b_eq=motion.force[rows], bounds=bounds,
            method="highs",
        )  # fmt: skip
        if found.status != 0:
            break
        # A ray r pays if the multipliers y of the equations have yᵀ Jᵀ r > 0.
        price = (spread.T @ found.eqlin.marginals).reshape(count, 3)
        across = np.linalg.norm(price[:, :2], axis=1)
        scale = max(float(np.abs(price).max(initial=0.0)), 1e-300)
        pays = np.flatnonzero(price[:, 2] + friction * across > TIGHT * scale)
        if not pays.size:
            break
        added = np.zeros((3 * count, pays.size))
        for axis in range(2):
            turn = price[pays, axis] / np.maximum(across[pays], 1e-300)
            added[3 * pays + axis, np.arange(pays.size)] = friction[pays] * turn
        added[3 * pays + 2, np.arange(pays.size)] = 1.0
    force, torque = np.zeros((count, 3)), np.zeros(layout.nv)
    factor = {0: 0.0, 3: np.inf}.get(int(found.status), np.nan)
    if found.status == 0:
        factor = float(found.x[-1])
        force = (rays @ found.x[: rays.shape[1]]).reshape(count, 3)
        torque[motion.has_drive] = found.x[rays.shape[1] : -1]
    return Load(
        factor=factor,
        force=frozen(np.einsum("nij,ni->nj", points.axes[near], force)),
        objects=tuple(pair for pair, is_one in zip(points.objects, near, strict=True) if is_one),
        torque={one.name: frozen(torque[one.v]) for one in layout.objects},
    )


def _first_rays(friction: np.ndarray) -> np.ndarray:
    """Return rays on the edge of each cone, (3n, k), a polygon about it from within."""
    angles = 2.0 * np.pi * np.arange(FIRST_RAYS) / FIRST_RAYS
    made = np.zeros((3 * len(friction), FIRST_RAYS * len(friction)))
    for k, bound in enumerate(friction):
        own = slice(FIRST_RAYS * k, FIRST_RAYS * (k + 1))
        made[3 * k, own], made[3 * k + 1, own] = bound * np.cos(angles), bound * np.sin(angles)
        made[3 * k + 2, own] = 1.0
    return made
