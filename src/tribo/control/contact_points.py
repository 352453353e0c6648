"""Points where bodies of a world touch, how they move with the dofs, and motions that keep them closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.batch.batch import Batch
from tribo.identification.state_layout import StateLayout
from tribo.model import Integrator, Pair
from tribo.world.world import World

REACH = 1e-5  # [m] gap up to which a point can push
SLIP_SPEED = 1e-4  # [m/s] from which on a point slips
SMALL = 1e-9  # [–] singular values below this part of the largest count as zero


class ContactPoints:
    """Points where bodies touch at the present coordinates, their Jacobians (n, 3, nv) in contact axes."""

    def __init__(self, world: World, layout: StateLayout, velocity_after: np.ndarray) -> None:
        batch = Batch(world, 1, threads=1)
        batch.engine.settings.arrays["integrator"][...] = Integrator.SEMI_IMPLICIT  # at the state itself
        batch.engine.update()
        work, model = batch.engine.work.arrays, batch.engine.model.arrays
        n = int(work["contact_count"][0, 0])
        self.position = work["contact_pos"][0, :n].copy()
        self.axes = work["contact_axes"][0, :n].reshape(n, 3, 3).copy()
        self.gap = work["contact_gap"][0, :n].copy()
        shape = work["contact_shape"][0, :n]
        body = model["shape_body"][0][shape]
        material = model["shape_material"][0][shape]
        self.friction = model["pair_table"][0][material[:, 0], material[:, 1], Pair.FRICTION].copy()
        owners, labels = layout.owners, layout.names_of_bodies
        self.objects = tuple((owners[int(a)], owners[int(b)]) for a, b in body)
        columns = {name: v for name, _, v in layout.objects}
        self.jacobian = np.zeros((n, 3, layout.nv))
        for k in range(n):
            for side, sign in ((0, 1.0), (1, -1.0)):
                row = int(body[k, side])
                name = owners[row]
                if name in columns:
                    own = jacobian_of(world[name], labels[row], self.position[k])[3:]
                    self.jacobian[k, :, columns[name]] += sign * self.axes[k] @ own
        self.velocity = self.jacobian @ velocity_after
        self._time_step = layout.time_step

    def near(self, reach: float) -> np.ndarray:
        """Return which points can push (n,): near enough, and the motion does not open them."""
        opens = self.gap + self._time_step * self.velocity[:, 2] > reach
        return np.asarray(~opens & (self.gap <= reach))


def directions_on_contacts(world: World, layout: StateLayout, dofs: np.ndarray) -> np.ndarray:
    """Return directions N (n, m) of dofs, orthonormal, in which points that touch neither part nor slip.

    Those that slip now may slip on.
    """
    _, velocity = layout.state_of(world)
    points = ContactPoints(world, layout, velocity)
    near = points.near(REACH)
    sticks = np.linalg.norm(points.velocity[near, :2], axis=1) <= SLIP_SPEED
    rows = points.jacobian[near][:, :, dofs]
    fixed = np.concatenate([rows[:, 2], rows[sticks, 0], rows[sticks, 1]])
    _, sizes, ways = np.linalg.svd(fixed, full_matrices=True)
    rank = int((sizes > SMALL * max(float(sizes.max(initial=0.0)), 1e-300)).sum())
    return np.asarray(ways[rank:].T)


def jacobian_of(part: Any, link: str, point: np.ndarray) -> np.ndarray:
    """Return J (6, dof) of the angular velocity of a body and the velocity of its point (3,), world axes."""
    if hasattr(part, "frame"):
        frame = part.frame(link.rpartition("/")[2])
        linear = frame.jacobian(frame.to_local(point))
        return np.concatenate([frame.rotational_jacobian(), linear])
    x, y, z = point - part.position
    arm = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # ω × r = arm ω
    return np.block([[np.zeros((3, 3)), np.eye(3)], [np.eye(3), arm]])
