"""Joint encoders."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tribo.checks import check
from tribo.engine.layout import COORDINATES
from tribo.objects import ArticulatedSystem
from tribo.sensors.base import Mount, Sensor
from tribo.sensors.noise import Noise, NoiseState


class EncoderReading(NamedTuple):
    """What a joint encoder says."""

    time: float  # [s]
    position: float  # [rad, m]
    velocity: float  # [rad/s, m/s]


class JointEncoder(Sensor):
    """Position and velocity of a joint with one degree of freedom; see `World.add_joint_encoder`."""

    def __init__(self, mount: Mount, name: str, joint: str, update_rate: float | None,
                 noise: Noise | None, velocity_noise: Noise | None, seed: int) -> None:  # fmt: skip
        """Use `World.add_joint_encoder`."""
        super().__init__(mount, name, update_rate, noise, seed)
        robot = mount.part
        if not isinstance(robot, ArticulatedSystem):
            raise TypeError(f"a joint encoder needs a robot, got {check.shown(robot)}")
        handle = robot.joint(joint)
        if COORDINATES[handle.type] != 1:
            raise ValueError(
                f"joint {joint!r} is {handle.type.name.lower()}; an encoder needs a revolute or prismatic one"
            )
        self._where = handle.coordinate_slice.start, handle.velocity_slice.start
        self._speed = self._stream(velocity_noise, "velocity")

    def _measured(self, time: float) -> Any:
        robot = self._mount.part
        assert robot is not None
        robot.check_present("a measurement")
        position, velocity = self._where
        q = robot.generalized_coordinate[position : position + 1].copy()
        v = robot.generalized_velocity[velocity : velocity + 1].copy()
        read = self._noise.applied(q, time), self._speed.applied(v, time)
        return EncoderReading(time, *(float(np.asarray(x)[0]) for x in read))

    def _streams(self) -> list[NoiseState]:
        return [self._noise, self._speed]
