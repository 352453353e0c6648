"""What acted on the bodies of a robot from outside in the last step, and on a part of one of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks.errors import EditError
from tribo.engine.engine import Engine
from tribo.engine.subtree import tree_records
from tribo.objects import ArticulatedSystem, Object
from tribo.objects.constraint import Constraint
from tribo.objects.end import End
from tribo.objects.parts import Part
from tribo.queries import point as queries
from tribo.readout.contacts_and_energies import contact_impulses
from tribo.sensors.base import Sensor, SensorHost

UNKNOWN = (-1, "")  # key of what acts on nobody knows which link


def contact_wrenches(
    engine: Engine, place: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return force and torque about the world's origin of contacts in the last step, and counts.

    place: (shapes of the world,) into which sum the contacts of a shape go, −1: into none; count: of sums.
    (count, 6): force, torque [N, N m]; (count,).
    """
    work, found = engine.work, int(engine.work.contact_count[0])
    total, points = np.zeros((count, 6)), np.zeros(count, np.int64)
    axes = work.contact_axes[:found].reshape(-1, 3, 3)
    rate = 1.0 / engine.settings.dt
    impulses = contact_impulses(engine)
    force = rate * np.einsum("cki,ck->ci", axes, impulses)
    spin = rate * np.einsum("cki,ck->ci", axes, work.contact_spin_impulse[:found])
    torque = np.cross(work.contact_pos[:found], force) + spin
    wrench = np.concatenate([force, torque], axis=1)
    touches = (impulses[:, 2] > 0.0) | (work.contact_gap[:found] <= 0.0)
    for side, sign in ((0, 1.0), (1, -1.0)):
        to = place[work.contact_shape[:found, side]]
        own = to >= 0
        np.add.at(total, to[own], sign * wrench[own])
        np.add.at(points, to[own & touches], 1)
    return total, points


class Loads:
    """Contacts, constraints, external forces and borne weight of the last step on the bodies of a robot.

    All at the configuration where the step was evaluated, at the centres of mass, world axes.

    Attributes:
        outside: (bodies, 6) torque [N m] and force [N] on each body.
        on_part: (6,) what of it acts on a part of a body, at the centre of mass of the whole body.
        turns: (bodies, 3, 3) rotations of the bodies.
    """

    def __init__(self, sensors: SensorHost, sensor: Sensor, robot: ArticulatedSystem,
                 part: Part | None) -> None:  # fmt: skip
        """Add up all that acted; part None: nothing is asked about a part."""
        self._world, self._robot, self._part = sensors.world, robot, part
        self._before = sensors.last_wrench(sensor)
        self._poses: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        engine, span = self._world.engine, robot.span
        assert span is not None
        self._span = span
        places, self.turns = self._pose(robot)
        model = engine.model
        self._com = places + np.einsum("bij,bj->bi", self.turns, model.body_com[span.body])
        self.outside = self._before.wrench[span.body].copy()
        self.on_part = np.zeros(6)
        self._add_support()
        self._add_contacts()
        for tie in self._world.constraints:
            for side, end in enumerate(tie.ends):
                if end.part is robot:
                    self._add_constraint(tie, side)
        if part is not None:
            self._add_pushes(part)

    def _pose(self, part: Object) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (bodies, 3) and rotations (bodies, 3, 3) where the step was evaluated."""
        if part.id not in self._poses:
            engine, span = self._world.engine, part.span
            assert span is not None
            count = span.body.stop - span.body.start
            at, turns = np.zeros((1, count, 3)), np.zeros((1, count, 9))
            records = tree_records(engine, span)
            q = np.array(engine.work.mid_q[span.q])[None]
            queries.poses(records.model, records.work, q, at, turns)
            self._poses[part.id] = at[0], turns.reshape(count, 3, 3)
        return self._poses[part.id]

    def _add(self, body: int, force: np.ndarray, torque: np.ndarray, point: Any) -> np.ndarray:
        """Add a force at a point, and a torque, to a body; return both at its centre of mass."""
        about = torque + np.cross(np.asarray(point) - self._com[body], force)
        wrench = np.concatenate([about, force])
        self.outside[body] += wrench
        return wrench

    def _add_support(self) -> None:
        """Add what bears the bodies (`Link.gravity_compensation`): each of their links by the same share."""
        model, gravity = self._world.engine.model, np.array(self._world.gravity)
        lift = -model.body_support[self._span.body] * model.body_mass[self._span.body]
        self.outside[:, 3:] += lift[:, None] * gravity
        if self._part is not None:
            body, own = self._part.body, self._part.own
            share = float(model.body_support[self._span.body.start + body])
            force = -share * own.mass * gravity
            arm = self.turns[body] @ (own.com - model.body_com[self._span.body.start + body])
            self.on_part += np.concatenate([np.cross(arm, force), force])

    def _add_contacts(self) -> None:
        """Add the contacts, each to the body and the part whose shape it is on."""
        engine, span = self._world.engine, self._span
        bodies = span.body.stop - span.body.start
        body = engine.model.shape_body - span.body.start
        place = np.where((body >= 0) & (body < bodies), body, -1)
        total, _ = contact_wrenches(engine, place, bodies)
        self.outside[:, 3:] += total[:, :3]
        self.outside[:, :3] += total[:, 3:] - np.cross(self._com, total[:, :3])
        if self._part is None:
            return
        place = np.full(len(body), -1)
        shapes = [s.link for b in self._robot.description.bodies for s in b.shapes]
        is_own = [link in self._part.links for link in shapes]
        own = np.flatnonzero(is_own) + span.shape.start
        place[own[body[own] == self._part.body]] = 0
        found = contact_wrenches(engine, place, 1)[0][0]
        about = found[3:] - np.cross(self._com[self._part.body], found[:3])
        self.on_part += np.concatenate([about, found[:3]])

    def _end(self, end: End) -> tuple[np.ndarray, np.ndarray]:
        """Return point and axes of the end of a constraint where the step was evaluated."""
        if end.part is None:
            return end.point, end.axes
        places, turns = self._pose(end.part)
        return places[end.body] + turns[end.body] @ end.point, turns[end.body] @ end.axes

    def _add_constraint(self, tie: Constraint, side: int) -> None:
        """Add what a constraint does at one of its ends."""
        points, force, torque = tie.loads([self._end(end) for end in tie.ends])
        sign, end = (1.0, -1.0)[side], tie.ends[side]
        wrench = self._add(end.body, sign * force, sign * torque, points[side])
        if self._part is None or end.body != self._part.body:
            return
        if end.link is None and wrench.any():
            raise EditError(
                f"constraint {tie.name!r} holds {self._robot.name} by body {end.body} without saying by "
                f"which of its links, so it is not known whether {self._part.name!r} feels it; name the link "
                f"or its frame: robot.frame({self._part.name!r}), or frame= in a file"
            )
        if end.link in self._part.links:
            self.on_part += wrench

    def _add_pushes(self, part: Part) -> None:
        """Add the external forces that were applied to frames of the part."""
        if not self._before.wrench[self._span.body.start + part.body].any():
            return
        if UNKNOWN in self._before.pushes:
            raise EditError(
                f"an external force on {self._robot.name} comes from a state that does not say on which link "
                f"it acts, so it is not known whether {part.name!r} feels it; step once more"
            )
        for (number, link), wrench in self._before.pushes.items():
            if number == self._robot.id and link in part.links:
                self.on_part += wrench
