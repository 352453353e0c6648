"""Pictures of a world as arrays: colours, depth and segmentation, without a display and without a GPU."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.checks.calls import said_by_class
from tribo.checks.sealed import Answering
from tribo.viewer import draw, scene
from tribo.viewer.raster import Camera, Fragments, rasterize
from tribo.viewer.session import OF_BATCHES
from tribo.viewer.views import camera_of, checked_camera
from tribo.world.checked import checked_world

if TYPE_CHECKING:
    from tribo.viewer.visuals import Visual
    from tribo.world.world import World

MAX_PIXELS = 1 << 24
FOV = 35.0  # [°] vertical, of a camera of nobody's choice
DIRECTION = (0.5, -1.0, 0.4)  # from which a camera of nobody's choice looks
NOTHING = -1


class Renderer(Answering):
    """Draws a world in NumPy: the same state, size and camera give the same bytes on one machine.

    Args:
        world: The world to draw; it may change between two pictures.
        width, height: Of the pictures [pixels].
        samples: Per pixel and direction, 1 to 4: more are smoother and slower. Depth and segmentation have
            one.

    Raises:
        ValueError, TypeError: Sizes that are no whole numbers above zero, or too many pixels; no world.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> ball = world.add_sphere(radius=0.5, mass=1.0, position=(0, 0, 0.5))
        >>> renderer = tribo.Renderer(world, 64, 48)
        >>> camera = tribo.viewer.Camera(eye=(0, -4, 0.5), target=(0, 0, 0.5))
        >>> renderer.rgb_array(camera).shape
        (48, 64, 3)
        >>> float(renderer.depth_array(camera)[24, 32].round(2))    # 4 m, less the radius
        3.5
        >>> int(renderer.segmentation_array(camera)[24, 32]) == world.objects.index(ball)
        True
    """

    _called = "renderer"

    @said_by_class
    def __init__(self, world: World, width: int = 640, height: int = 480, *, samples: int = 2) -> None:
        """Note what to draw and how large."""
        self._world = checked_world(world, OF_BATCHES)
        self._width = check.integer(width, "width", 1)
        self._height = check.integer(height, "height", 1)
        self._samples = check.integer(samples, "samples", 1)
        if self._samples > 4 or self._width * self._height * self._samples**2 > MAX_PIXELS:
            raise ValueError(
                f"{width} × {height} pixels of {samples}² samples are too many; at most {MAX_PIXELS} "
                "samples in all, and 4 per direction"
            )
        self._engine: Any = None
        self._scene: scene.Scene

    def rgb_array(
        self, camera: Camera | None = None, *, forces: bool = False, visuals: Iterable[Visual] = ()
    ) -> np.ndarray:
        """Return a shaded picture, (height, width, 3) of uint8.

        Args:
            camera: From where it is seen; None: one that sees everything.
            forces: Whether contact forces are drawn as arrows, the largest 30 cm long.
            visuals: Things that are only drawn: ``viewer.visuals``.
        """
        style = draw.Style(self._width, self._height, self._samples)
        found = None
        if forces:
            found = scene.read_forces(self._world)
            largest = float(np.linalg.norm(found.force, axis=1).max(initial=0.0))
            scale = 0.3 / largest if largest > 0.0 else 0.0
            style = draw.Style(self._width, self._height, self._samples, force_scale=scale)
        extra = [part for thing in visuals for part in thing.parts()]
        poses = scene.read_poses(self._world)
        return draw.picture(self._described(), poses, self._camera(camera), style, found, extra)

    def depth_array(self, camera: Camera | None = None) -> np.ndarray:
        """Return the distances along the optical axis, (height, width) of float32 [m]; NaN: nothing is seen.

        Visuals count, where a link has them, as in pictures; `World.add_depth_camera` sees collision shapes.
        Surfaces nearer than 5 cm are not seen.
        """
        seen, _, ground = self._fragments(self._camera(camera))
        depth = ground.ravel().copy()
        depth[seen.pixel] = np.minimum(depth[seen.pixel], seen.depth)
        depth[~np.isfinite(depth)] = np.nan
        return depth.reshape(self._height, self._width).astype(np.float32)

    def segmentation_array(self, camera: Camera | None = None) -> np.ndarray:
        """Return which object is seen, (height, width) of int: its place in `World.objects`.

        −1 is the sky, a wire, or the mark of a constraint.
        """
        chosen = self._camera(camera)
        seen, owner, ground = self._fragments(chosen)
        made = np.full(ground.size, NOTHING)
        planes = self._described().planes
        if len(planes.items):
            whose = self._plane_seen(chosen)
            numbers = np.array([self._number(item.owner) for item in planes.items])
            made = np.where(whose >= 0, numbers[whose], NOTHING)
        nearer = seen.depth <= ground.ravel()[seen.pixel]
        made[seen.pixel[nearer]] = owner[seen.triangle[nearer]]
        return made.reshape(self._height, self._width)

    def camera(self, direction: Any = DIRECTION) -> Camera:
        """Return a camera that sees all objects, grounds aside, from a direction, (3,)."""
        shown, poses = self._described(), scene.read_poses(self._world)
        return seeing(shown.visual.vertices(poses), direction, aspect=self._width / self._height)

    # -- inside ----------------------------------------------------------------------------------
    def _camera(self, camera: Camera | None) -> Camera:
        if camera is None:
            return self.camera()
        return checked_camera(camera)

    def _described(self) -> scene.Scene:
        if self._engine is not self._world.engine:
            self._scene = scene.describe(self._world)
            self._engine = self._world.engine
        return self._scene

    def _number(self, name: str) -> int:
        return [part.name for part in self._world.objects].index(name)

    def _fragments(self, camera: Camera) -> tuple[Fragments, np.ndarray, np.ndarray]:
        """Return what is seen of all solids, the object of each triangle, and how far grounds are."""
        shown, poses = self._described(), scene.read_poses(self._world)
        items = [item for item, *_ in shown.visual.placed(poses)]
        numbers = {part.name: k for k, part in enumerate(self._world.objects)}
        parts = draw.parts_of(shown.visual, poses)
        owners = [
            np.full(len(part[0].faces), NOTHING if item.constraint >= 0 else numbers[item.owner])
            for item, part in zip(items, parts, strict=True)
        ]
        wires = draw.wires(*shown.lines.place(poses))
        owners += [np.full(len(part[0].faces), NOTHING) for part in wires]
        heap = draw.heap_of([*parts, *wires])
        owner = np.concatenate([*owners, np.zeros(0, int)]).astype(int)
        ground = draw.ground_distance(shown, poses, camera, self._width, self._height)
        return rasterize(heap, camera, self._width, self._height), owner, ground.min(axis=0)

    def _plane_seen(self, camera: Camera) -> np.ndarray:
        """Return which ground plane is seen in each pixel, (height · width,); −1: none."""
        poses = scene.read_poses(self._world)
        far = draw.ground_distance(self._described(), poses, camera, self._width, self._height)
        nearest = far.reshape(len(far), -1).argmin(axis=0)
        is_seen = np.isfinite(far.min(axis=0)).ravel()
        return np.where(is_seen, nearest - 1, NOTHING)  # the first row is the sky


def seeing(
    places: np.ndarray, direction: Any = DIRECTION, margin: float = 0.0, aspect: float = 4.0 / 3.0
) -> Camera:
    """Return a camera that sees places (n, 3) [m] and all within a margin [m] of them from a direction, (3,).

    Args:
        places: Points to be seen; of none it is the origin.
        direction: From the middle to the camera.
        margin: How far what is to be seen reaches from the places [m].
        aspect: Width over height of the picture.
    """
    way = check.vector(direction, "direction of the camera", 3)
    if not np.any(way):
        raise ValueError("direction of the camera must not be zero")
    if not len(places):
        places = np.zeros((1, 3))
    low, high = places.min(axis=0), places.max(axis=0)
    radius = max(0.5 * float(np.linalg.norm(high - low)) + margin, 0.25) * 1.05
    half = np.radians(0.5 * FOV)
    half = min(half, np.arctan(aspect * np.tan(half)))
    centre = 0.5 * (low + high)
    return camera_of(centre + radius / np.sin(half) * way / np.linalg.norm(way), centre, FOV)
