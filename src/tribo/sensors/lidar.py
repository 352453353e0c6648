"""Spinning lidars."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.readout.rays import MAX_RAYS
from tribo.sensors.base import Errors, Mount, Sensor, disturbed
from tribo.sensors.noise import Noise
from tribo.sensors.senses import Senses


class LidarReading(NamedTuple):
    """A scan; beams are numbered by yaw, then by pitch."""

    time: float  # [s]
    yaw: np.ndarray  # (n,) [rad] of the columns, anticlockwise from x
    pitch: np.ndarray  # (m,) [rad] of the beams in a column, upwards
    ranges: np.ndarray  # (n, m) [m]; infinity: nothing within range; NaN: lost
    object_index: np.ndarray  # (n, m) which of `World.objects`; −1: nothing
    points: np.ndarray  # (k, 3) [m] where beams hit, sensor axes


class Lidar(Sensor):
    """A spinning lidar; see `World.add_lidar`."""

    _called = "lidar"
    _reads = LidarReading

    def __init__(self, mount: Mount, name: str, update_rate: float | None, noise: Noise | None,
                 seed: int, yaw_samples: int, pitch: Any, range_limits: Any, spin_rate: float,
                 clockwise: bool, sees_parent: bool) -> None:  # fmt: skip
        """Use `World.add_lidar`."""
        super().__init__(mount, name, update_rate, noise, seed)
        count = check.integer(yaw_samples, "yaw_samples", 1)
        angles = check.array(pitch, "pitch", "angles [rad]").ravel()
        if not angles.size or not (np.abs(angles) <= math.pi / 2).all():
            raise ValueError(f"pitch must be angles between −π/2 and π/2, got {check.shown(pitch)}")
        if count * angles.size > MAX_RAYS:
            raise MemoryError(
                f"lidar {name}: {count * angles.size} beams, at most {MAX_RAYS}; use fewer samples"
            )
        near, far = check.vector(range_limits, "range_limits", 2)
        if not 0.0 <= near < far:
            raise ValueError(f"range_limits must be 0 ≤ min < max, got {check.shown(range_limits)}")
        self._pitch, self._near, self._far = angles, float(near), float(far)
        self._samples, self._sees_parent = count, bool(sees_parent)
        self._spin = check.number(spin_rate, "spin_rate", minimum=0.0)
        self._sign = -1.0 if clockwise else 1.0

    @property
    def ray_count(self) -> int:
        """Return the number of beams of a whole turn."""
        return int(self._samples * self._pitch.size)

    def _columns(self, time: float) -> np.ndarray:
        """Return the numbers of the columns that a measurement covers."""
        if not self._spin or self._rate is None:
            return np.arange(self._samples)
        turns = self._spin / self._rate  # since the last measurement
        if turns >= 1.0 - 1e-9:
            return np.arange(self._samples)
        per_turn = self._samples * self._spin
        first = math.floor((time - 1.0 / self._rate) * per_turn + 1e-6)
        return np.arange(first, math.floor(time * per_turn + 1e-6))

    def readings(self, senses: Senses, rows: np.ndarray, errors: Errors) -> Any:
        """Return what it sees in some worlds, whole turns in a batch; the first axis is the world."""
        times = senses.time[rows]
        if senses.is_batch:
            columns = np.arange(self._samples)
        else:
            columns = self._columns(float(times[0]))
        yaw = self._sign * 2.0 * math.pi / self._samples * (columns % self._samples)
        across, up = np.cos(self._pitch), np.sin(self._pitch)
        beams = np.empty((len(yaw), len(across), 3))
        beams[:, :, 0] = np.cos(yaw)[:, None] * across
        beams[:, :, 1] = np.sin(yaw)[:, None] * across
        beams[:, :, 2] = up
        place, turn = senses.pose()
        toward = beams.reshape(-1, 3) @ turn.transpose(0, 2, 1)
        start = np.broadcast_to(place[:, None], toward.shape)
        reach = np.full(toward.shape[1], self._far)
        distance, objects = senses.look(start, toward, self._near, reach, not self._sees_parent)
        found = disturbed(distance[rows], errors[0], times, is_whole=False)
        points = np.where(np.isfinite(found), found, math.nan)[..., None] * beams.reshape(-1, 3)
        shape = -1, *beams.shape[:2]
        return LidarReading(
            times, yaw, self._pitch.copy(), found.reshape(shape), objects[rows].reshape(shape),
            points.reshape(*shape, 3),
        )  # fmt: skip

    def alone(self, readings: Any) -> Any:
        """Return the reading of a world alone: of the points only those that were hit."""
        ranges, points = readings.ranges[0], readings.points[0]
        return LidarReading(
            float(readings.time[0]), frozen(readings.yaw), frozen(readings.pitch),
            frozen(ranges.copy()), frozen(readings.object_index[0].copy()),
            frozen(points[np.isfinite(ranges)]),
        )  # fmt: skip
