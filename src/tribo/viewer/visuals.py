"""Things that are only drawn: handles to move, paint and remove them while the world goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tribo.checks import check
from tribo.checks.made import Made
from tribo.checks.orientation import orientation as as_quaternion
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Answering
from tribo.description.extents import rotation_matrix
from tribo.model import Shape
from tribo.viewer.surface import Part, Surface, arrow, of_shape, stretched

T = TypeVar("T")
Color = tuple[float, ...]
LENGTHS = {"sphere": 1, "box": 3, "cylinder": 2, "capsule": 2, "arrow": 2}  # how many a shape has
MAX_POINTS = 10_000_000
BLUE: Color = (0.27, 0.50, 0.74)


def color_of(value: Any, what: str) -> Color:
    """Return red, green, blue and perhaps opacity, each 0…1.

    Raises:
        ValueError, TypeError: It is something else.
    """
    made = check.array(value, what, "3 or 4 numbers from 0 to 1")
    check.shaped(made, what, (3,), (4,))
    if not ((made >= 0.0) & (made <= 1.0)).all():
        raise ValueError(f"{what} must be numbers from 0 to 1, got {made.tolist()}")
    return tuple(float(x) for x in made)


def rgb(color: Color) -> tuple[int, int, int]:
    """Return a colour as bytes."""
    red, green, blue = (round(255.0 * x) for x in color[:3])
    return red, green, blue


def linear(colors: np.ndarray) -> np.ndarray:
    """Return bytes of colours as instances take them: light, not the screen's values."""
    return np.asarray(255.0 * (colors / 255.0) ** 2.2 + 0.5, np.uint8)


def opacity_of(color: Color) -> float | None:
    """Return the fourth number of a colour; None if there is none or it is 1."""
    return float(color[3]) if len(color) == 4 and color[3] < 1.0 else None


def points_of(value: Any, what: str, least: int = 0) -> np.ndarray:
    """Return finite points as float32 of shape (n, 3), n from `least` to ten million.

    Raises:
        ValueError, TypeError: It is something else.
    """
    made = check.array(value, what, "points of shape (n, 3)")
    if made.size == 0:
        made = made.reshape(0, 3)
    if made.ndim != 2 or made.shape[1] != 3:
        raise ValueError(f"{what} must have shape (n, 3), got {made.shape}")
    if not least <= len(made) <= MAX_POINTS:
        raise ValueError(f"{what} must be {least} to {MAX_POINTS} points, got {len(made)}")
    return check.within_range(made, what).astype(np.float32)


def colors_of(value: Any, count: int, what: str) -> np.ndarray:
    """Return one colour for all, or one each, as bytes of shape (count, 3)."""
    made = check.array(value, what, "colours: 3 numbers from 0 to 1, or (n, 3)")
    check.shaped(made, what, (3,), (count, 3))
    if not ((made >= 0.0) & (made <= 1.0)).all():
        raise ValueError(f"{what} must be numbers from 0 to 1")
    return np.broadcast_to(np.asarray(255.0 * made + 0.5, np.uint8), (count, 3)).copy()


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a thing that is only drawn will be."""

    api: Any  # the server's scene
    path: str  # of its node
    name: str  # for users
    pose: dict[str, Any]  # as nodes take it
    forget: Callable[[str], None]  # what to tell of its removal


class Removable(Answering):
    """A part of a viewer that has a name, and that is taken away by itself."""

    def __init__(self, name: str, node: Any, forget: Callable[[str], None]) -> None:
        """Take the node that the browser shows, and who is to be told of the removal."""
        self._name, self._node, self._forget = name, node, forget
        self._is_removed = False

    def remove(self) -> None:
        """Take it away for good; a second time does nothing."""
        if not self._is_removed:
            self._is_removed = True
            self._forget(self._name)
            self._node.remove()

    def _check(self) -> None:
        if self._is_removed:
            raise ValueError(f"{self._called} {self._name!r} was removed from the viewer; add a new one")


def of_node(
    name: str, attribute: str, read: Callable[[Any], T], checked: Callable[[Any, str], Any], doc: str
) -> Made[T]:
    """Return a property of a visual that is an attribute of its node; what is assigned is drawn at once."""

    def get(self: Any) -> T:
        return read(getattr(self._node, attribute))

    def put(self: Any, value: Any) -> None:
        self._check()
        setattr(self._node, attribute, checked(value, f"{name} of {self._name}"))

    return Made(get, put, doc)


def _numbers(value: Any) -> np.ndarray:
    return frozen(np.array(value, float))


def _place(value: Any, what: str) -> np.ndarray:
    return check.vector(value, what, 3)


class Visual(Removable):
    """A thing that is only drawn: it has a name and a pose, and nothing collides with it.

    Use the `add_visual_…` methods of `Viewer`. Assigned values are drawn at once.
    """

    _called = "visual"

    def __init__(self, spot: Spot, node: Any) -> None:
        """Take the node that the browser shows."""
        super().__init__(spot.name, node, spot.forget)

    def __repr__(self) -> str:
        """Return class and name."""
        removed = ", removed" if self._is_removed else ""
        return f"<{type(self).__name__} {self._name!r}{removed}>"

    @property
    def name(self) -> str:
        """Name under which `Viewer.visual` finds it."""
        return self._name

    @property
    def is_removed(self) -> bool:
        """Whether it was removed: it cannot be changed any more."""
        return self._is_removed

    position = of_node("position", "position", _numbers, _place,
                       "Position of its origin, shape (3,) [m], world; assign to move it.")  # fmt: skip
    orientation = of_node("orientation", "wxyz", _numbers, as_quaternion,
                          "Unit quaternion (w, x, y, z), own axes to world; assign to turn it.")  # fmt: skip
    is_shown = of_node("is_shown", "visible", bool, check.boolean,
                       "Whether it is drawn; assign to hide it for a while.")  # fmt: skip

    def parts(self) -> list[Part]:
        """Return what a picture without a browser shows of it, as triangles in world axes."""
        return []

    def _placed(self, surfaces: list[Part]) -> list[Part]:
        """Return parts in own axes as parts in world axes; none while hidden."""
        if not self.is_shown:
            return []
        turn, place = rotation_matrix(self.orientation), self.position
        return [(s, place + turn @ p, turn @ m, c) for s, p, m, c in surfaces]


class VisualSolid(Visual):
    """A sphere, box, cylinder, capsule, arrow or mesh that is only drawn."""

    def __init__(self, spot: Spot, surface: Surface, color: Any) -> None:
        """Draw triangles in a colour."""
        self._surface, self._color = surface, color_of(color, f"color of {spot.name}")
        node = spot.api.add_mesh_simple(
            spot.path, np.asarray(surface.vertices, np.float32), np.asarray(surface.faces, np.uint32),
            color=rgb(self._color), opacity=opacity_of(self._color),
            side="front" if surface.is_closed else "double", **spot.pose,
        )  # fmt: skip
        super().__init__(spot, node)

    @property
    def color(self) -> Color:
        """Red, green, blue and perhaps opacity, each 0…1; assign to paint it."""
        return self._color

    @color.setter
    def color(self, value: Any) -> None:
        self._check()
        self._color = color_of(value, f"color of {self._name}")
        self._node.color = rgb(self._color)
        self._node.opacity = opacity_of(self._color)

    def parts(self) -> list[Part]:
        """Return its triangles."""
        colors = np.broadcast_to(self._color[:3], self._surface.vertices.shape)
        return self._placed([(self._surface, np.zeros(3), np.eye(3), colors)])

    def _show(self, surface: Surface) -> None:
        self._surface = surface
        self._node.vertices = np.asarray(surface.vertices, np.float32)
        self._node.faces = np.asarray(surface.faces, np.uint32)


class VisualShape(VisualSolid):
    """A sphere, box, cylinder, capsule or arrow that is only drawn."""

    def __init__(self, spot: Spot, kind: str, size: Any, color: Any) -> None:
        """Draw a shape of lengths [m] in a colour."""
        self._kind, self._size = kind, size_of(kind, size, f"size of {spot.name}")
        super().__init__(spot, shape_surface(kind, self._size), color)

    @property
    def size(self) -> tuple[float, ...]:
        """Lengths [m] as given when it was added: radius; three edges; radius and height."""
        return self._size

    @size.setter
    def size(self, value: Any) -> None:
        self._check()
        size = size_of(self._kind, value, f"size of {self._name}")
        self._show(shape_surface(self._kind, size))
        self._size = size


class VisualMesh(VisualSolid):
    """A mesh or a height map that is only drawn; its vertices may move."""

    def update(self, vertices: Any) -> None:
        """Move the vertices, (n, 3) [m] in own axes, as many as before.

        Raises:
            ValueError, TypeError: Another number of them, or not finite; the mesh stays as it was.
        """
        self._check()
        moved = points_of(vertices, f"vertices of {self._name}")
        if moved.shape != self._surface.vertices.shape:
            raise ValueError(
                f"vertices of {self._name} must have shape {self._surface.vertices.shape}, "
                f"got {moved.shape}; add another mesh for other triangles"
            )
        self._show(mesh_surface(moved, self._surface.faces))


class VisualHeightMap(VisualMesh):
    """A height map that is only drawn."""

    def __init__(self, spot: Spot, surface: Surface, color: Any, shape: tuple[int, ...]) -> None:
        """Draw triangles in a colour, of heights of a shape."""
        super().__init__(spot, surface, color)
        self._shape = shape

    def update_heights(self, heights: Any) -> None:
        """Replace all heights, (ny, nx) [m], by as many others.

        Raises:
            ValueError, TypeError: Another shape, or not finite; the map stays as it was.
        """
        what = f"heights of {self._name}"
        made = check.shaped(check.array(heights, what, "heights of shape (ny, nx)"), what, self._shape)
        moved = np.array(self._surface.vertices, float)
        moved[:, 2] = check.within_range(made, what).ravel()
        self.update(moved)


def size_of(kind: str, value: Any, what: str) -> tuple[float, ...]:
    """Return the lengths [m] of a shape, all above zero (a capsule may have no height).

    Raises:
        ValueError, TypeError: Another number of them, or not above zero.
    """
    count = LENGTHS[kind]
    if count == 1 and check.is_scalar(value):
        value = (value,)
    size = check.vector(value, what, count)
    for k, length in enumerate(size):
        if length < 0.0 or (length == 0.0 and not (kind == "capsule" and k == 1)):
            raise ValueError(f"{what} must be > 0, entry {k} is {float(length)!r}")
    return tuple(float(x) for x in size)


def shape_surface(kind: str, size: tuple[float, ...]) -> Surface:
    """Return the triangles of a shape of lengths as in `VisualShape.size`."""
    if kind == "sphere":
        return of_shape(Shape.SPHERE, size)
    if kind == "box":
        return of_shape(Shape.BOX, tuple(0.5 * x for x in size))
    if kind == "arrow":
        radius, height = size
        return stretched(arrow(), np.array([radius / 0.06, radius / 0.06, height]))
    shape = Shape.CYLINDER if kind == "cylinder" else Shape.CAPSULE
    return of_shape(shape, (size[0], 0.5 * size[1]))


def mesh_surface(vertices: np.ndarray, faces: np.ndarray) -> Surface:
    """Return triangles with normals that are the mean of those around each vertex."""
    points = np.asarray(vertices, float)
    a, b, c = (points[faces[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    normals = np.zeros_like(points)
    for k in range(3):
        np.add.at(normals, faces[:, k], flat)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 0.0, normals / np.maximum(length, 1e-300), (0.0, 0.0, 1.0))
    return Surface(points, normals, np.asarray(faces), is_closed=False)
