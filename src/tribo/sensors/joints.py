"""Joint encoders."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tribo.checks import check
from tribo.engine.layout import COORDINATES
from tribo.objects import ArticulatedSystem
from tribo.sensors.base import Errors, Mount, Sensor, disturbed
from tribo.sensors.noise import Noise, NoiseState
from tribo.sensors.senses import Senses


class EncoderReading(NamedTuple):
    """Reading of a joint encoder."""

    time: float  # [s]
    position: float  # [rad, m]
    velocity: float  # [rad/s, m/s]


class JointEncoder(Sensor):
    """Position and velocity of a joint with one degree of freedom; see `World.add_joint_encoder`."""

    _reads, _bias_shape = EncoderReading, (1,)

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

    def readings(self, senses: Senses, rows: np.ndarray, errors: Errors) -> Any:
        """Return what it reads in some worlds, arrays whose first axis is the world."""
        span, state, times = senses.place.span, senses.engine.state.arrays, senses.time[rows]
        assert span is not None
        found = [
            disturbed(state[name][rows, part.start + k, None], streams, times)[:, 0]
            for name, part, k, streams in zip(("q", "v"), (span.q, span.v), self._where, errors, strict=True)
        ]
        return EncoderReading(times, *found)  # type: ignore[arg-type]  # of many worlds: arrays

    def error_streams(self) -> list[NoiseState]:
        """Return the streams of errors: of the position, of the velocity."""
        return [self._noise, self._speed]
