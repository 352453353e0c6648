"""Colour images of the cameras of a world."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tribo.checks.calls import answered_call
from tribo.sensors.camera import DepthCamera
from tribo.viewer import draw
from tribo.viewer.raster import Camera
from tribo.viewer.scene import Scene, describe, group_of, read_poses


def sensor_camera(sensor: DepthCamera) -> Camera:
    """Return the camera of pictures that stands where a sensor is and sees as wide."""
    turn = np.asarray(sensor.rotation_matrix)
    eye = np.asarray(sensor.position)
    half = sensor.intrinsics[1, 2] / sensor.intrinsics[1, 1]  # tangent of half the vertical angle
    return Camera(
        _three(eye),
        _three(eye + turn[:, 0]),
        2.0 * math.degrees(math.atan(half)),
        _three(turn[:, 2]),
    )


@answered_call
def sensor_picture(
    sensor: DepthCamera, scene: Scene | None = None, most_pixels: int | None = None
) -> np.ndarray:
    """Return what a depth camera would see in colours now, (height, width, 3) of uint8.

    Its pixels are those of the sensor's depth, but it shows what things look like, their visuals, and has
    neither noise nor a rate: it is drawn when it is asked for. Surfaces nearer than 5 cm are not seen, nor
    the body that carries the sensor, unless it `sees_parent`.

    Args:
        sensor: From `World.add_depth_camera`.
        scene: Of its world, if it is known already (`tribo.viewer.scene.describe`).
        most_pixels: A larger picture is drawn smaller, with the same angles; None: as large as the sensor's.

    Example:
        >>> import tribo
        >>> from tribo.viewer import sensor_picture
        >>> world = tribo.World()
        >>> wall = world.add_box((1, 9, 9), mass=1.0, position=(2.5, 0, 0))
        >>> wall.color = (1, 0, 0)
        >>> red, green, blue = sensor_picture(world.add_depth_camera(None, width=4, height=3))[1, 2]
        >>> bool(red > 2 * green)
        True
    """
    shown = describe(sensor.world) if scene is None else scene
    hidden = sensor.hidden_body
    if hidden is not None:
        kept = [item for item in shown.visual.items if item.body != hidden]
        shown = replace(shown, visual=group_of(kept))
    width, height = (round(2.0 * x) for x in sensor.intrinsics[:2, 2])
    if most_pixels is not None and width * height > most_pixels:
        less = math.sqrt(most_pixels / (width * height))
        width, height = max(1, int(less * width)), max(1, int(less * height))
    poses = read_poses(sensor.world)
    return draw.picture(shown, poses, sensor_camera(sensor), draw.Style(width, height, 1))


def _three(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
