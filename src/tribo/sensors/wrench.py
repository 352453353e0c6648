"""Forces: through a joint, and by contact on a body."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.objects import ArticulatedSystem
from tribo.objects.parts import part_of, reactions, through_fixed_joint
from tribo.objects.states import States
from tribo.sensors.base import Mount, Sensor
from tribo.sensors.loads import Loads, contact_wrenches
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


class ContactSensor(Sensor):
    """Force and torque of all contacts on a body in the last step; see `World.add_contact_sensor`."""

    def _measured(self, time: float) -> Any:
        mount = self._mount
        if mount.part is None:
            raise TypeError("a contact sensor needs an object")
        mount.part.check_present("a measurement")
        mount.sensors.mean_acceleration(self)  # a step was made
        engine, span = mount.world.engine, mount.part.span
        assert span is not None
        is_own = engine.model.shape_body == span.body.start + mount.body
        total, count = contact_wrenches(engine, np.where(is_own, 0, -1), 1)
        place, turn = mount.pose()
        force, about = total[0, :3], total[0, 3:] - np.cross(place, total[0, :3])
        read = self._noise.applied(np.concatenate([turn.T @ force, turn.T @ about]), time)
        return ContactReading(
            time, bool(count[0]), frozen(read[:3].copy()), frozen(read[3:].copy()), int(count[0])
        )


class ForceTorqueSensor(Sensor):
    """What a link receives through its joint, a fixed one too; see `World.add_force_torque_sensor`.

    Newton–Euler over the last step: mean accelerations, contacts, constraints and external forces of the
    step, at the configuration where it was evaluated (Featherstone 2008, table 5.1).
    """

    def __init__(self, mount: Mount, name: str, update_rate: float | None,
                 noise: Noise | None, seed: int) -> None:  # fmt: skip
        """Use `World.add_force_torque_sensor`."""
        super().__init__(mount, name, update_rate, noise, seed)
        if not isinstance(mount.part, ArticulatedSystem):
            raise TypeError(f"a force–torque sensor needs a robot, got {check.shown(mount.part)}")

    def _measured(self, time: float) -> Any:
        mount, world = self._mount, self._mount.world
        records, engine, robot = mount.records(), world.engine, mount.part
        assert isinstance(robot, ArticulatedSystem)
        span = robot.span
        assert span is not None
        vdot = np.ascontiguousarray(mount.sensors.mean_acceleration(self)[span.v][None])
        q = np.array(engine.work.mid_q[span.q])[None]
        v = np.array(engine.state.v[span.v])[None] - 0.5 * engine.settings.dt * vdot
        states = States(robot.name, records, q, v, vdot, True)
        part = part_of(robot.description, mount.body, mount.link)
        loads = Loads(mount.sensors, self, robot, part)
        outside = loads.outside[None]
        if part is None:
            found = reactions(states, vdot, outside)[0, mount.body]
        else:
            found = through_fixed_joint(states, part, vdot, outside, loads.on_part[None])[0]
        torque, force = found[:3], found[3:]
        own = loads.turns[mount.body]
        torque = torque - np.cross(own @ mount.offset, force)
        axes = own @ mount.turn
        read = self._noise.applied(np.concatenate([axes.T @ force, axes.T @ torque]), time)
        return WrenchReading(time, frozen(read[:3].copy()), frozen(read[3:].copy()))
