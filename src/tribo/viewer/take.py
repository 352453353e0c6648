"""A finished motion as something to look at: what there is, and where it is over time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.model import Shape
from tribo.viewer import draw
from tribo.viewer import surface as meshes
from tribo.viewer.film import save_film
from tribo.viewer.raster import Camera
from tribo.viewer.scene import PALETTE, Color, Drawable, Forces, Group, Poses, Scene
from tribo.viewer.surface import turn_to
from tribo.viewer.views import camera_of_box

if TYPE_CHECKING:
    from tribo.ground import Motion

COMFORTABLE = 0.6  # [m] smaller things are drawn enlarged: cameras do not come nearer than 5 cm
ARROW = 0.4  # [m] of the largest force
THIN = 0.01  # [m] radius of drawn lines
# Planar models lie in x-y; they are drawn standing on x, y up.
UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """Frames of a motion at equal times.

    Example:
        >>> from tribo.ground import Ground, simulate
        >>> from tribo.spatial import rollingdisc
        >>> disc = [1, 0, 0, 0, 0, 0, 0.06, 0, 0, 0, 0, 0, 0]
        >>> motion = simulate(rollingdisc(16), Ground(1e6, 2e3), 0.1, xfb=disc)
        >>> len(Take.of(motion, rate=50).time)
        6
    """

    scene: Scene
    time: np.ndarray  # (n,) [s]
    position: np.ndarray  # (n, bodies, 3) [m] drawn; the first body is the ground
    rotation: np.ndarray  # (n, bodies, 3, 3)
    point: np.ndarray  # (n, points, 3) [m] drawn
    force: np.ndarray  # (n, points, 3) [N]
    arrow: float  # [m/N] drawn
    scale: float  # drawn metres per metre
    energy: np.ndarray | None = field(default=None, kw_only=True)  # (n, 2) [J] kinetic, potential

    @classmethod
    def of(cls, motion: Motion, rate: float = 60.0, scale: float | None = None) -> Take:
        """Return the frames of a motion on the compliant ground.

        Args:
            motion: From `tribo.ground.simulate`; its model's `appearance` is drawn.
            rate: Frames per second of the motion's own time.
            scale: Drawn metres per metre; None: small models are enlarged.
        """
        model, span = motion.model, motion.time[-1] - motion.time[0]
        count = max(2, round(span * rate) + 1)
        at = motion.at(np.linspace(motion.time[0], motion.time[-1], count))
        place, axes = motion.system.poses(at.y)
        if scale is None:
            reach = float(np.ptp(model.gc.point, axis=1).max()) + 1e-9
            reach = max(reach, float(np.ptp(place[0], axis=0).max()))
            scale = 1.0 if reach > COMFORTABLE / 3.0 else COMFORTABLE / reach
        lift = UPRIGHT if model.is_planar else np.eye(3)
        position = np.zeros((count, place.shape[1] + 1, 3))
        rotation = np.tile(np.eye(3), (count, place.shape[1] + 1, 1, 1))
        position[:, 1:] = scale * place @ lift.T
        rotation[:, 1:] = lift @ axes
        point, force = (_spread(a, lift) for a in (at.position, at.force))
        largest = float(np.linalg.norm(force, axis=2).max(initial=0.0))
        return cls(
            _scene(model, position.shape[1] - 1, scale), at.time, position, rotation, scale * point, force,
            ARROW / largest if largest > 0.0 else 0.0, scale, energy=np.asarray(at.energy),
        )  # fmt: skip

    def poses(self, k: int) -> Poses:
        """Return where everything is in a frame."""
        return Poses(float(self.time[k]), self.position[k], self.rotation[k])

    def forces(self, k: int) -> Forces:
        """Return the contact forces of a frame."""
        touches = np.any(self.force[k] != 0.0, axis=1)
        return Forces(self.point[k][touches], self.force[k][touches])

    def camera(self, direction: Sequence[float] = (0.5, -1.0, 0.35)) -> Camera:
        """Return a camera that sees the whole motion from a direction."""
        places = self.position[:, 1:]
        return camera_of_box(places.min(axis=(0, 1)), places.max(axis=(0, 1)), direction)

    def pictures(self, camera: Camera | None = None, style: draw.Style | None = None) -> Iterator[np.ndarray]:
        """Draw one frame after another, (h, w, 3) uint8, with arrows for the contact forces."""
        camera = camera or self.camera()
        style = style or draw.Style(force_scale=self.arrow)
        for k in range(len(self.time)):
            yield draw.picture(self.scene, self.poses(k), camera, style, self.forces(k))

    def save(self, path: Any, rate: int = 30, camera: Camera | None = None) -> None:
        """Write the frames as an mp4 film of `rate` pictures per second.

        Raises:
            ImportError: The encoder is missing; the message says how to get it.
        """
        save_film(self.pictures(camera), path, rate)


def _spread(array: np.ndarray, lift: np.ndarray) -> np.ndarray:
    """Return (n, dimension, points) as (n, points, 3) in drawn axes."""
    whole = np.zeros((array.shape[0], array.shape[2], 3))
    whole[..., : array.shape[1]] = np.swapaxes(array, 1, 2)
    return np.asarray(whole @ lift.T)


def _scene(model: Any, bodies: int, scale: float) -> Scene:
    """Return the drawables of a model; body 0 is the ground."""
    plane = Drawable("ground", "ground", 0, Shape.PLANE, (), np.zeros(3), np.eye(3), (0.7, 0.7, 0.7))
    looks = model.appearance.body if model.appearance is not None else []
    first = model.NB - bodies  # a floating base leaves out its massless bodies
    items: list[Drawable] = []
    for k in range(bodies):
        given = looks[first + k] if first + k < len(looks) else []
        items += _drawn(given, k + 1, scale, PALETTE[k % len(PALETTE)], None)[0]
    return Scene(Group(items), Group([]), Group([plane]), {model.name or "model": 1})


def _drawn(
    items: list[Any], body: int, scale: float, color: Color, vertices: np.ndarray | None
) -> tuple[list[Drawable], Color]:
    """Return the drawables of drawing instructions; scopes keep their colours and vertices."""
    made: list[Drawable] = []
    for item in items:
        word = item[0]
        if not isinstance(word, str):
            made += _drawn(item, body, scale, color, vertices)[0]
        elif word == "colour":
            red, green, blue = np.asarray(item[1], float).reshape(-1, 3)[0]
            color = (float(red), float(green), float(blue))
        elif word == "vertices":
            vertices = scale * np.asarray(item[1], float)
        elif word == "triangles" and vertices is not None:
            made.append(_mesh(vertices, item[1], body, color))
        elif word == "line":
            made += _line(item[1], vertices, body, scale, color)
        elif word in ("sphere", "box", "cyl"):
            made.append(_solid(word, item[1:], body, scale, color))
    return made, color


def _solid(word: str, numbers: list[Any], body: int, scale: float, color: Color) -> Drawable:
    """Return a ball, a box or a cylinder."""
    first = scale * np.asarray(numbers[0], float)
    if word == "sphere":
        return _item(body, Shape.SPHERE, (scale * float(numbers[1]),), first, np.eye(3), color)
    if word == "box":
        half = 0.5 * np.abs(first[1] - first[0])
        return _item(body, Shape.BOX, tuple(map(float, half)), first.mean(axis=0), np.eye(3), color)
    return _rod(first[0], first[1], scale * float(numbers[1]), body, color)


def _rod(start: np.ndarray, end: np.ndarray, radius: float, body: int, color: Color) -> Drawable:
    axis = end - start
    length = float(np.linalg.norm(axis))
    turn = turn_to(axis / length) if length > 0.0 else np.eye(3)
    size = (radius, 0.5 * length)
    return _item(body, Shape.CYLINDER, size, 0.5 * (start + end), turn, color)


def _line(given: Any, vertices: np.ndarray | None, body: int, scale: float, color: Color) -> list[Drawable]:
    """Return a line through points, or through numbered vertices, as thin rods."""
    points = np.asarray(given, float)
    if vertices is not None and (points.ndim == 1 or points.shape[-1] != 3):
        points = vertices[points.ravel().astype(int)]
    else:
        points = scale * points
    return [_rod(a, b, THIN, body, color) for a, b in itertools.pairwise(points)]


def _mesh(vertices: np.ndarray, faces: Any, body: int, color: Color) -> Drawable:
    mesh = meshes.of_triangles(vertices, np.asarray(faces, int).reshape(-1, 3))
    return Drawable("model", "model", body, Shape.MESH, (), np.zeros(3), np.eye(3), color, mesh, True)


def _item(
    body: int, kind: Shape, size: tuple[float, ...], at: np.ndarray, turn: np.ndarray, color: Color
) -> Drawable:
    return Drawable("model", "model", body, kind, size, at, turn, color)
