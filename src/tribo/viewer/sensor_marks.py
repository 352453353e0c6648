"""Sensors in pictures: points of lidars, images of depth cameras in depth and colours."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks.calls import answered_call
from tribo.checks.orientation import of_matrices as quaternions
from tribo.sensors.camera import DepthCamera
from tribo.sensors.lidar import Lidar
from tribo.viewer import draw
from tribo.viewer.raster import Camera
from tribo.viewer.scene import Group, Scene, describe, read_poses
from tribo.viewer.views import camera_of

if TYPE_CHECKING:
    from tribo.sensors.base import Sensor
    from tribo.world.world import World

POINTS = (200, 40, 120)
FRUSTUM = (60, 90, 160)
SCALE = 0.25  # [m] of a drawn camera
MAX_POINTS = 200_000  # of a lidar
MAX_PIXELS = 19_200  # of a picture in colours, which the processor draws
# Colours of an image from near to far; what is out of range is grey.
RAMP = np.array([(255, 245, 190), (250, 170, 70), (205, 65, 95), (100, 30, 130), (20, 15, 60)], float)
NOTHING = (205, 208, 214)


class SensorMarks:
    """Nodes of what lidars and depth cameras said last.

    The viewer never measures: that would move a sensor's noise on, and so change a simulation by looking at
    it. A sensor without an update rate shows what `measure` gave last.
    """

    def __init__(self, server: Any, folder: Any, world: World) -> None:
        """Make no nodes yet; images also go into a folder of the panel."""
        self._server, self._folder, self._world = server, folder, world
        self._nodes: dict[str, Any] = {}
        self._images: dict[str, Any] = {}
        self._colors: dict[str, Any] = {}  # pictures in colours, in the panel
        self._seen: dict[str, Any] = {}  # readings that were sent

    def show(self, *, is_on: bool) -> None:
        """Send what is new, or take all away."""
        if not is_on:
            if self._nodes:
                self.remove()
            return
        sensors = {sensor.name: sensor for sensor in self._world.sensors}
        for name in set(self._nodes) - set(sensors):
            self._drop(name)
        for name, sensor in sensors.items():
            reading = sensor.reading
            if reading is None or self._seen.get(name) is reading:
                continue
            if isinstance(sensor, Lidar):
                self._show_points(name, sensor, reading)
            elif isinstance(sensor, DepthCamera):
                self._show_image(name, sensor, reading)
            self._seen[name] = reading
        self._show_folder()

    def show_colors(self, scene: Scene, *, is_on: bool) -> None:
        """Draw anew what depth cameras see in colours, or take those pictures away."""
        seen = {s.name: s for s in self._world.sensors if is_on and isinstance(s, DepthCamera)}
        for name in set(self._colors) - set(seen):
            self._colors.pop(name).remove()
        for name, sensor in seen.items():
            picture = sensor_picture(sensor, scene, MAX_PIXELS)
            if name in self._colors:
                self._colors[name].image = picture
                continue
            with self._folder:
                label = f"{name[:70]}, colours"
                self._colors[name] = self._server.gui.add_image(picture, label=label)
        self._show_folder()

    def _show_folder(self) -> None:
        self._folder.visible = bool(self._images or self._colors)

    def remove(self) -> None:
        """Take all nodes away."""
        for name in list(self._nodes):
            self._drop(name)
        self._show_folder()

    def _drop(self, name: str) -> None:
        self._nodes.pop(name).remove()
        self._seen.pop(name, None)
        if name in self._images:
            self._images.pop(name).remove()

    def _path(self, name: str) -> str:
        return f"/sensors/{list(self._world.sensors).index(self._world.sensor(name))}"

    def _show_points(self, name: str, sensor: Lidar, reading: Any) -> None:
        points = scan_points(sensor, reading).astype(np.float32)
        node = self._nodes.get(name)
        if node is not None:
            node.points = points
            return
        self._nodes[name] = self._server.scene.add_point_cloud(
            self._path(name), points, POINTS, point_size=0.02, point_shape="circle", precision="float32"
        )

    def _show_image(self, name: str, sensor: DepthCamera, reading: Any) -> None:
        image = depth_picture(reading.depth)
        turn = quaternions((sensor.rotation_matrix @ sensor.optical_rotation)[None])[0]
        node = self._nodes.get(name)
        if node is not None:
            node.image, node.position, node.wxyz = image, sensor.position, turn
            self._images[name].image = image
            return
        height, width = reading.depth.shape
        self._nodes[name] = self._server.scene.add_camera_frustum(
            self._path(name), fov=2.0 * np.arctan(0.5 * height / sensor.intrinsics[1, 1]),
            aspect=width / height, scale=SCALE, color=FRUSTUM, image=image, wxyz=turn,
            position=sensor.position,
        )  # fmt: skip
        with self._folder:
            self._images[name] = self._server.gui.add_image(image, label=name[:80])


def scan_points(sensor: Sensor, reading: Any) -> np.ndarray:
    """Return where the beams of a scan hit, (n, 3) [m], world, as if the sensor had not moved since."""
    points = reading.points[:MAX_POINTS]
    return np.asarray(points @ sensor.rotation_matrix.T + sensor.position)


def depth_picture(depth: np.ndarray) -> np.ndarray:
    """Return an image of depths (height, width) [m] in colours, uint8: near is light, NaN is grey.

    Example:
        >>> import numpy as np
        >>> depth_picture(np.array([[1.0, 2.0, np.nan]])).tolist()
        [[[255, 245, 190], [20, 15, 60], [205, 208, 214]]]
    """
    is_seen = np.isfinite(depth)
    picture = np.empty((*depth.shape, 3), np.uint8)
    picture[:] = NOTHING
    if is_seen.any():
        near, far = float(depth[is_seen].min()), float(depth[is_seen].max())
        share = (depth[is_seen] - near) / max(far - near, 1e-9) * (len(RAMP) - 1)
        steps = np.arange(len(RAMP))
        mixed = [np.interp(share, steps, RAMP[:, k]) for k in range(3)]
        picture[is_seen] = np.stack(mixed, axis=-1) + 0.5
    return picture


def sensor_camera(sensor: DepthCamera) -> Camera:
    """Return the camera of pictures that stands where a sensor is and sees as wide."""
    turn, eye = sensor.rotation_matrix, sensor.position
    half = sensor.intrinsics[1, 2] / sensor.intrinsics[1, 1]  # tangent of half the vertical angle
    return camera_of(eye, eye + turn[:, 0], 2.0 * math.degrees(math.atan(half)), turn[:, 2])


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
        shown = replace(shown, visual=Group(kept))
    width, height = (round(2.0 * x) for x in sensor.intrinsics[:2, 2])
    if most_pixels is not None and width * height > most_pixels:
        less = math.sqrt(most_pixels / (width * height))
        width, height = max(1, int(less * width)), max(1, int(less * height))
    poses = read_poses(sensor.world)
    return draw.picture(shown, poses, sensor_camera(sensor), draw.Style(width, height, 1))
