"""External wrenches of the last step on the bodies of a robot, and on a part of one of them."""

from __future__ import annotations

import numpy as np

from tribo.checks.errors import EditError
from tribo.engine.engine import Engine
from tribo.objects.contact_reader import all_contacts
from tribo.objects.parts import Part
from tribo.objects.states import turned, turned_back
from tribo.sensors.senses import Senses, midway_poses


def contact_wrenches(engine: Engine, place: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return force and torque about the world's origin of contacts in the last step, and counts.

    place: (shapes of a world,) into which sum the contacts of a shape go, −1: into none; count: of sums.
    (worlds, count, 6): force, torque [N, N m]; (worlds, count).
    """
    work, worlds = engine.work.arrays, engine.worlds
    at, world, impulses = all_contacts(engine)
    total, points = np.zeros((worlds, count, 6)), np.zeros((worlds, count), np.int64)
    axes = work["contact_axes"].reshape(-1, 3, 3)[at]
    rate = 1.0 / engine.settings.arrays["dt"].reshape(-1)[world, None]
    force = rate * turned_back(axes, impulses)
    spin = rate * turned_back(axes, work["contact_spin_impulse"].reshape(-1, 3)[at])
    torque = np.cross(work["contact_pos"].reshape(-1, 3)[at], force) + spin
    wrench = np.concatenate([force, torque], axis=1)
    touches = (impulses[:, 2] != 0.0) | (work["contact_gap"].reshape(-1)[at] <= 0.0)
    shapes = work["contact_shape"].reshape(-1, 2)[at]
    for side, sign in ((0, 1.0), (1, -1.0)):
        to = place[shapes[:, side]]
        own = to >= 0
        np.add.at(total, (world[own], to[own]), sign * wrench[own])
        np.add.at(points, (world[own & touches], to[own & touches]), 1)
    return total, points


class Loads:
    """Contacts, constraints, external forces and borne weight of the last step on the bodies of a robot.

    All at the configuration where the step was evaluated, at the centres of mass, world axes, in N worlds.

    Attributes:
        outside: (N, bodies, 6) torque [N m] and force [N] on each body.
        on_part: (N, 6) what of it acts on a part of a body, at the centre of mass of the whole body.
        turns: (N, bodies, 3, 3) rotations of the bodies.
    """

    def __init__(self, senses: Senses, part: Part | None) -> None:
        """Add up all that acted; part None: nothing is asked about a part."""
        self._senses, self._part = senses, part
        span, engine = senses.place.span, senses.engine
        assert span is not None
        self._span = span
        self.outside = senses.last_wrench()[:, span.body].copy()
        places, self.turns = midway_poses(engine, span, senses.records())
        self._com = places + turned(self.turns, engine.model.arrays["body_com"][:, span.body])
        self.on_part = np.zeros((engine.worlds, 6))
        self._add_support()
        self._add_contacts()
        for grip in senses.grips():
            self._add_grip(grip.name, grip.body, grip.link, grip.force, grip.torque, grip.point)
        if part is not None and self._is_pushed(part.body):
            self.on_part += senses.pushes(part)

    def _is_pushed(self, body: int) -> bool:
        """Tell whether an external force acted on a body in some world."""
        pushed = self._senses.last_wrench()[:, self._span.body.start + body]
        return bool(pushed.any())

    def _add_support(self) -> None:
        """Add what bears the bodies (`Link.gravity_compensation`): each of their links by the same share."""
        model, gravity = self._senses.engine.model.arrays, self._senses.gravity
        support = model["body_support"][:, self._span.body]
        lift = -support * model["body_mass"][:, self._span.body]
        self.outside[..., 3:] += lift[..., None] * gravity[:, None]
        if self._part is not None:
            body, own = self._part.body, self._part.own
            force = -support[:, body, None] * own.mass * gravity
            com = model["body_com"][:, self._span.body.start + body]
            arm = turned(self.turns[:, body], own.com - com)
            self.on_part += np.concatenate([np.cross(arm, force), force], axis=1)

    def _add_contacts(self) -> None:
        """Add the contacts, each to the body and the part whose shape it is on."""
        engine, span = self._senses.engine, self._span
        bodies = span.body.stop - span.body.start
        body = engine.model.arrays["shape_body"][0] - span.body.start
        place = np.where((body >= 0) & (body < bodies), body, -1)
        total, _ = contact_wrenches(engine, place, bodies)
        self.outside[..., 3:] += total[..., :3]
        self.outside[..., :3] += total[..., 3:] - np.cross(self._com, total[..., :3])
        if self._part is None:
            return
        description = self._senses.place.description
        assert description is not None
        shapes = [s.link for b in description.bodies for s in b.shapes]
        is_own = [link in self._part.links for link in shapes]
        own = np.flatnonzero(is_own) + span.shape.start
        place = np.full(len(body), -1)
        place[own[body[own] == self._part.body]] = 0
        found = contact_wrenches(engine, place, 1)[0][:, 0]
        about = found[:, 3:] - np.cross(self._com[:, self._part.body], found[:, :3])
        self.on_part += np.concatenate([about, found[:, :3]], axis=1)

    def _add_grip(
        self, name: str, body: int, link: str | None, force: np.ndarray, torque: np.ndarray,
        point: np.ndarray,
    ) -> None:  # fmt: skip
        """Add what a constraint does to a body: a force at a point, and a torque."""
        about = torque + np.cross(point - self._com[:, body], force)
        wrench = np.concatenate([about, force], axis=1)
        self.outside[:, body] += wrench
        if self._part is None or body != self._part.body:
            return
        if link is None and wrench.any():
            robot = self._senses.place.name
            raise EditError(
                f"constraint {name!r} holds {robot} by body {body} without saying by "
                f"which of its links, so it is not known whether {self._part.name!r} feels it; name the link "
                f"or its frame: robot.frame({self._part.name!r}), or frame= in a file"
            )
        if link in self._part.links:
            self.on_part += wrench
