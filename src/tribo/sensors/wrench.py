"""Forces: through a joint, and by contact on a body."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tribo import check
from tribo.objects import ArticulatedSystem
from tribo.objects.base import frozen
from tribo.queries import inverse
from tribo.queries import point as queries
from tribo.sensors.base import Mount, Sensor
from tribo.sensors.noise import Noise


class WrenchReading(NamedTuple):
    """What a force–torque sensor says; in sensor axes, torque about the sensor's origin."""

    time: float  # [s]
    force: np.ndarray  # (3,) [N]
    torque: np.ndarray  # (3,) [N m]


class ContactReading(NamedTuple):
    """What a contact sensor says; in sensor axes, torque about the sensor's origin."""

    time: float  # [s]
    is_touching: bool
    force: np.ndarray  # (3,) [N] of all contacts of the last step, on the body
    torque: np.ndarray  # (3,) [N m]
    points: int  # of contact


def contact_wrenches(engine: Any, bodies: slice) -> tuple[np.ndarray, np.ndarray]:
    """Return force and torque about the world's origin of the last step's contacts on bodies, and counts.

    (n, 6): force, torque [N, N m]; (n,).
    """
    work, count = engine.work, int(engine.work.contact_count[0])
    total = np.zeros((bodies.stop - bodies.start, 6))
    points = np.zeros(len(total), np.int64)
    axes = work.contact_axes[:count].reshape(-1, 3, 3)
    rate = 1.0 / engine.settings.dt
    force = rate * np.einsum("cki,ck->ci", axes, work.contact_impulse[:count])
    spin = rate * np.einsum("cki,ck->ci", axes, work.contact_spin_impulse[:count])
    torque = np.cross(work.contact_pos[:count], force) + spin
    wrench = np.concatenate([force, torque], axis=1)
    touches = (work.contact_impulse[:count, 2] > 0.0) | (work.contact_gap[:count] <= 0.0)
    for side, sign in ((0, 1.0), (1, -1.0)):
        body = work.contact_body[:count, side] - bodies.start
        own = (body >= 0) & (body < len(total))
        np.add.at(total, body[own], sign * wrench[own])
        np.add.at(points, body[own & touches], 1)
    return total, points


class ContactSensor(Sensor):
    """Force and torque of all contacts on a body in the last step; see `World.add_contact_sensor`."""

    def _measured(self, time: float) -> Any:
        mount = self._mount
        if mount.part is None:
            raise TypeError("a contact sensor needs an object")
        mount.part.check_present("a measurement")
        mount.world.mean_acceleration(self)  # a step was made
        engine, span = mount.world.engine, mount.part.span
        assert span is not None
        body = span.body.start + mount.body
        total, count = contact_wrenches(engine, slice(body, body + 1))
        place, turn = mount.pose()
        force, about = total[0, :3], total[0, 3:] - np.cross(place, total[0, :3])
        read = self._noise.applied(np.concatenate([turn.T @ force, turn.T @ about]), time)
        return ContactReading(
            time, bool(count[0]), frozen(read[:3].copy()), frozen(read[3:].copy()), int(count[0])
        )


class ForceTorqueSensor(Sensor):
    """What a link receives from its parent through its joint; see `World.add_force_torque_sensor`.

    Newton–Euler over the last step: mean accelerations, contacts and external forces of the step, at the
    configuration where it was evaluated (Featherstone 2008, table 5.1).
    """

    def __init__(self, mount: Mount, name: str, update_rate: float | None,
                 noise: Noise | None, seed: int) -> None:  # fmt: skip
        """Use `World.add_force_torque_sensor`."""
        super().__init__(mount, name, update_rate, noise, seed)
        if not isinstance(mount.part, ArticulatedSystem):
            raise TypeError(f"a force–torque sensor needs a robot, got {check.shown(mount.part)}")

    def _measured(self, time: float) -> Any:
        mount, world = self._mount, self._mount.world
        records, engine = mount.records(), world.engine
        assert mount.part is not None
        span = mount.part.span
        assert span is not None
        vdot = np.ascontiguousarray(world.mean_acceleration(self)[span.v][None])
        q = np.array(engine.work.mid_q[span.q])[None]
        v = np.array(engine.state.v[span.v])[None] - 0.5 * engine.settings.dt * vdot
        bodies = span.body.stop - span.body.start
        at, turns = np.zeros((1, bodies, 3)), np.zeros((1, bodies, 9))
        queries.poses(records.model, records.work, q, at, turns)
        total, _ = contact_wrenches(engine, span.body)
        turn = turns.reshape(bodies, 3, 3)
        com = at[0] + np.einsum("bij,bj->bi", turn, records.model.body_com)
        outside = world.last_wrench(self)[span.body].copy()
        outside[:, 3:] += total[:, :3]
        outside[:, :3] += total[:, 3:] - np.cross(com, total[:, :3])
        tau, out = np.zeros_like(v), np.zeros((1, bodies, 6))
        inverse.joint_reactions(
            records.model, records.settings, records.work, q, v, vdot, outside[None], tau, out
        )
        torque, force = out[0, mount.body, :3], out[0, mount.body, 3:]
        own = turn[mount.body]
        torque = torque - np.cross(own @ mount.offset, force)
        axes = own @ mount.turn
        read = self._noise.applied(np.concatenate([axes.T @ force, axes.T @ torque]), time)
        return WrenchReading(time, frozen(read[:3].copy()), frozen(read[3:].copy()))
