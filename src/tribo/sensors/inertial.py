"""Inertial measurement units."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import of_matrices as quaternions
from tribo.objects.states import turned_back
from tribo.sensors.base import Errors, Mount, Sensor, disturbed
from tribo.sensors.noise import Noise, NoiseState
from tribo.sensors.senses import Senses


class ImuReading(NamedTuple):
    """Reading of an IMU; vectors in sensor axes."""

    time: float  # [s]
    linear_acceleration: np.ndarray  # (3,) [m/s²] specific force: at rest +g, upwards; 0 in free fall
    angular_velocity: np.ndarray  # (3,) [rad/s]
    orientation: np.ndarray  # (4,) quaternion (w, x, y, z), sensor axes to world, without noise


class Imu(Sensor):
    """Accelerometer and gyroscope; see `World.add_imu`.

    The acceleration is that of the last step, impacts included: (v⁺ − v)/Δt of the generalized velocity, at
    the sensor's place. It measures the specific force Rᵀ (a − g), as an accelerometer does.
    """

    _called = "imu"
    _reads, _bias_shape = ImuReading, (3,)

    def __init__(self, mount: Mount, name: str, update_rate: float | None, noise: Noise | None,
                 gyro_noise: Noise | None, seed: int, max_acceleration: float,
                 max_angular_velocity: float) -> None:  # fmt: skip
        """Use `World.add_imu`."""
        super().__init__(mount, name, update_rate, noise, seed)
        check.instance(gyro_noise, Noise | None, "gyro_noise must be a Noise or None")
        self._gyro = self._stream(gyro_noise, "gyro")
        self._limits = [
            _largest(value, what)
            for value, what in ((max_acceleration, "max_acceleration"),
                                (max_angular_velocity, "max_angular_velocity"))
        ]  # fmt: skip

    def readings(self, senses: Senses, rows: np.ndarray, errors: Errors) -> Any:
        """Return what it reads in some worlds, arrays whose first axis is the world."""
        motion = senses.motion(senses.mean_acceleration())[rows]
        turn = motion[:, 3:12].reshape(-1, 3, 3) @ senses.place.turn
        force = turned_back(turn, motion[:, 18:21] - senses.gravity[rows])
        spin = turned_back(turn, motion[:, 15:18])
        times = senses.time[rows]
        force, spin = disturbed(force, errors[0], times), disturbed(spin, errors[1], times)
        most, fastest = self._limits
        return ImuReading(
            times, np.clip(force, -most, most), np.clip(spin, -fastest, fastest), quaternions(turn)
        )

    def error_streams(self) -> list[NoiseState]:
        """Return the streams of errors: of the acceleration, of the angular velocity."""
        return [self._noise, self._gyro]


def _largest(value: Any, what: str) -> float:
    """Return the end of a range, which may be infinity."""
    return math.inf if isinstance(value, float) and value == math.inf else check.positive(value, what)
