"""Depth and segmentation cameras."""

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


class DepthReading(NamedTuple):
    """An image; row 0 is the top, column 0 the left."""

    time: float  # [s]
    depth: np.ndarray  # (height, width) [m] along the optical axis; NaN: nothing between near and far
    segmentation: np.ndarray  # (height, width) which of `World.objects`; −1: nothing


class DepthCamera(Sensor):
    """A pinhole camera that looks along its x axis; see `World.add_depth_camera`.

    Pixel (row i, column j) looks through u = j + ½, v = i + ½ of the image plane. In the optical frame (x
    right, y down, z forward) the direction is ((u − c_x)/f, (v − c_y)/f, 1).
    """

    _called = "camera"
    _reads = DepthReading

    def __init__(self, mount: Mount, name: str, update_rate: float | None, noise: Noise | None,
                 seed: int, width: int, height: int, horizontal_fov: float, clip: Any,
                 sees_parent: bool) -> None:  # fmt: skip
        """Use `World.add_depth_camera`."""
        super().__init__(mount, name, update_rate, noise, seed)
        self._width = check.integer(width, "width", 1)
        self._height = check.integer(height, "height", 1)
        if self._width * self._height > MAX_RAYS:
            raise MemoryError(
                f"camera {name}: {self._width} × {self._height} pixels, at most {MAX_RAYS} in all; use fewer"
            )
        angle = check.positive(horizontal_fov, "horizontal_fov")
        if angle >= math.pi:
            raise ValueError(f"horizontal_fov must be below π rad, got {angle:g}")
        self._focal = 0.5 * self._width / math.tan(0.5 * angle)
        near, far = check.vector(clip, "clip", 2)
        if not 0.0 <= near < far:
            raise ValueError(f"clip must be 0 ≤ near < far, got {check.shown(clip)}")
        self._near, self._far, self._sees_parent = float(near), float(far), bool(sees_parent)
        across = (np.arange(self._width) + 0.5 - 0.5 * self._width) / self._focal
        down = (np.arange(self._height) + 0.5 - 0.5 * self._height) / self._focal
        rays = np.empty((self._height, self._width, 3))  # in sensor axes, 1 along x
        rays[..., 0] = 1.0
        rays[..., 1] = -across
        rays[..., 2] = -down[:, None]
        self._rays = rays.reshape(-1, 3)
        self._lengths = np.linalg.norm(self._rays, axis=1)

    @property
    def ray_count(self) -> int:
        """Return the number of pixels."""
        return self._width * self._height

    @property
    def intrinsics(self) -> np.ndarray:
        """Matrix K, (3, 3) [pixels]: (u, v, 1) ~ K (x, y, z) for a point of the optical frame."""
        f = self._focal
        return frozen(np.array([[f, 0.0, 0.5 * self._width], [0.0, f, 0.5 * self._height], [0, 0, 1.0]]))

    @property
    def optical_rotation(self) -> np.ndarray:
        """Rotation, (3, 3), optical axes (x right, y down, z forward) to sensor axes."""
        return frozen(np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]]))

    @property
    def hidden_body(self) -> int | None:
        """Row, of all bodies of the world, of the one that carries it and is not seen; None: all are."""
        part = self._mount.part
        if self._sees_parent or part is None:
            return None
        _ = self._mount.world.engine  # numbers the bodies, if that is due
        assert part.span is not None
        return int(part.span.body.start) + self._mount.body

    def points(self, depth: Any = None) -> np.ndarray:
        """Return the points that an image shows, (height, width, 3) [m], sensor axes; NaN: none.

        Args:
            depth: (height, width) [m]; None: that of the last reading.
        """
        if depth is None:
            if self._reading is None:
                raise ValueError(f"camera {self._name} has not measured yet; call measure() first")
            depth = self._reading.depth
        image = check.shaped(np.asarray(depth, np.float64), "depth", (self._height, self._width))
        return frozen(image[..., None] * self._rays.reshape(self._height, self._width, 3))

    def readings(self, senses: Senses, rows: np.ndarray, errors: Errors) -> Any:
        """Return what it sees in some worlds, arrays whose first axis is the world."""
        place, turn = senses.pose()
        # Rays begin at the near plane: what is before it is not seen.
        rays = self._rays @ turn.transpose(0, 2, 1)
        distance, objects = senses.look(
            place[:, None] + self._near * rays, rays, 0.0, (self._far - self._near) * self._lengths,
            not self._sees_parent,
        )  # fmt: skip
        depth = np.where(np.isfinite(distance), self._near + distance / self._lengths, math.nan)
        times = senses.time[rows]
        depth = disturbed(depth[rows], errors[0], times, is_whole=False)
        shape = -1, self._height, self._width
        return DepthReading(times, depth.reshape(shape), objects[rows].reshape(shape))
