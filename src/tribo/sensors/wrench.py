"""Forces: through a joint, and by contact on a body."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tribo.checks import check
from tribo.objects import ArticulatedSystem
from tribo.objects.parts import part_of, reactions, through_fixed_joint
from tribo.objects.states import States, turned, turned_back
from tribo.sensors.base import Errors, Mount, Sensor, disturbed
from tribo.sensors.loads import Loads, contact_wrenches
from tribo.sensors.noise import Noise
from tribo.sensors.senses import Senses


class WrenchReading(NamedTuple):
    """Reading of a force–torque sensor; in sensor axes, torque about the sensor's origin."""

    time: float  # [s]
    force: np.ndarray  # (3,) [N]
    torque: np.ndarray  # (3,) [N m]


class ContactReading(NamedTuple):
    """Reading of a contact sensor; in sensor axes, torque about the sensor's origin."""

    time: float  # [s]
    is_touching: bool
    force: np.ndarray  # (3,) [N] of all contacts of the last step, on the body
    torque: np.ndarray  # (3,) [N m]
    points: int  # of contact


class ContactSensor(Sensor):
    """Force and torque of all contacts on a body in the last step; see `World.add_contact_sensor`."""

    _reads, _bias_shape = ContactReading, (6,)

    def readings(self, senses: Senses, rows: np.ndarray, errors: Errors) -> Any:
        """Return what it feels in some worlds, arrays whose first axis is the world."""
        made = np.isfinite(senses.mean_acceleration()).all(axis=1)[rows]  # a step
        span, engine, times = senses.place.span, senses.engine, senses.time[rows]
        if span is None:
            raise TypeError("a contact sensor needs an object")
        is_own = engine.model.arrays["shape_body"][0] == span.body.start + senses.place.body
        total, count = contact_wrenches(engine, np.where(is_own, 0, -1), 1)
        points = np.where(made, count[rows, 0], 0)
        place, turn = (part[rows] for part in senses.pose())
        force = np.where(made[:, None], total[rows, 0, :3], math.nan)
        about = total[rows, 0, 3:] - np.cross(place, force)
        felt = np.concatenate([turned_back(turn, force), turned_back(turn, about)], axis=1)
        read = disturbed(felt, errors[0], times)
        return ContactReading(times, points > 0, read[:, :3], read[:, 3:], points)  # type: ignore[arg-type]


class ForceTorqueSensor(Sensor):
    """Wrench on a link through its joint, a fixed one too; see `World.add_force_torque_sensor`.

    Newton–Euler over the last step: mean accelerations, contacts, constraints and external forces of the
    step, at the configuration where it was evaluated (Featherstone 2008, table 5.1).
    """

    _reads, _bias_shape = WrenchReading, (6,)

    def __init__(self, mount: Mount, name: str, update_rate: float | None,
                 noise: Noise | None, seed: int) -> None:  # fmt: skip
        """Use `World.add_force_torque_sensor`."""
        super().__init__(mount, name, update_rate, noise, seed)
        check.instance(mount.part, ArticulatedSystem, "a force–torque sensor needs a robot")

    def readings(self, senses: Senses, rows: np.ndarray, errors: Errors) -> Any:
        """Return what it feels in some worlds, arrays whose first axis is the world."""
        records, place, engine = senses.records(), senses.place, senses.engine
        span, description = place.span, place.description
        assert span is not None
        assert description is not None
        vdot = np.ascontiguousarray(senses.mean_acceleration()[:, span.v])
        q = np.ascontiguousarray(engine.work.arrays["mid_q"][:, span.q])
        v = engine.state.arrays["v"][:, span.v] - 0.5 * senses.dt * vdot
        states = States(place.name, records, q, np.ascontiguousarray(v), vdot, False)
        part = part_of(description, place.body, place.link)
        loads = Loads(senses, part)
        if part is None:
            found = reactions(states, loads.outside)[:, place.body]
        else:
            found = through_fixed_joint(states, part, loads.outside, loads.on_part)
        torque, force, own = found[:, :3], found[:, 3:], loads.turns[:, place.body]
        torque = torque - np.cross(turned(own, place.offset), force)
        axes = own @ place.turn
        felt = np.concatenate([turned_back(axes, force), turned_back(axes, torque)], axis=1)[rows]
        times = senses.time[rows]
        read = disturbed(felt, errors[0], times)
        return WrenchReading(times, read[:, :3], read[:, 3:])
