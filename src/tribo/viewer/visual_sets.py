"""Many things that are only drawn as one: lines, clouds of points, instances of a shape, text, ghosts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.checks.made import Made
from tribo.checks.readonly import frozen
from tribo.description.extents import rotation_matrix
from tribo.model import Shape
from tribo.viewer.scene import Scene, read_poses
from tribo.viewer.surface import Part, of_shape, painted, rod
from tribo.viewer.visuals import Color, Visual, color_of, colors_of, linear, points_of, rgb, shape_surface

if TYPE_CHECKING:
    from tribo.objects import ArticulatedSystem
    from tribo.viewer.stage import Layer
    from tribo.world.world import World

LONGEST_TEXT = 1000
DRAWN_POINTS = 2000  # of a cloud, in a picture without a browser


class VisualPolyline(Visual):
    """A line through points that is only drawn."""

    def __init__(
        self, name: str, make: Callable[[np.ndarray, Color], Any], forget: Callable[[str], None],
        points: np.ndarray, color: Color, width: float,
    ) -> None:  # fmt: skip
        """Take a function that makes the node of segments (n, 2, 3) in a colour."""
        self._make, self._points, self._color, self._width = make, points, color, width
        super().__init__(name, make(_segments(points), color), forget)

    @property
    def points(self) -> np.ndarray:
        """Points, (n, 3) [m] in own axes; assign to draw others."""
        return frozen(self._points.astype(float))

    @points.setter
    def points(self, value: Any) -> None:
        self._check()
        points = points_of(value, f"points of {self._name}")
        before = max(0, len(self._points) - 1)
        self._points = points
        segments = _segments(points)
        if len(segments) == before:
            self._node.points = segments
            return
        place, turn, is_shown = self._node.position, self._node.wxyz, self._node.visible
        self._node.remove()
        self._node = self._make(segments, self._color)
        self._node.position, self._node.wxyz, self._node.visible = place, turn, is_shown

    def add_point(self, point: Any) -> None:
        """Go on to a further point, (3,) [m]."""
        new = check.vector(point, f"point of {self._name}", 3).astype(np.float32)
        self.points = np.concatenate([self._points, new[None]])

    def clear_points(self) -> None:
        """Begin anew without points."""
        self.points = np.zeros((0, 3))

    @property
    def color(self) -> Color:
        """Red, green, blue, each 0…1; assign to paint it."""
        return self._color

    @color.setter
    def color(self, value: Any) -> None:
        self._check()
        self._color = color_of(value, f"color of {self._name}")
        count = max(0, len(self._points) - 1)
        self._node.colors = np.tile(np.array(rgb(self._color), np.uint8), (count, 2, 1))

    def parts(self) -> list[Part]:
        """Return a thin rod for each segment."""
        segments = _segments(self._points).astype(float)
        rods = [rod(a, b, 0.5 * self._width, self._color) for a, b in segments]
        return self._placed([one for one in rods if one is not None])


class VisualPointCloud(Visual):
    """Points that are only drawn; their number may change with each assignment."""

    def __init__(
        self, name: str, node: Any, forget: Callable[[str], None], points: np.ndarray,
        colors: np.ndarray,
    ) -> None:  # fmt: skip
        """Take the node, points and colours."""
        super().__init__(name, node, forget)
        self._points, self._colors = points, colors

    @property
    def points(self) -> np.ndarray:
        """Points, (n, 3) [m] in own axes."""
        return frozen(self._points.astype(float))

    def update(self, points: Any, colors: Any = None) -> None:
        """Draw other points.

        Args:
            points: (n, 3) [m], any number of them.
            colors: (3,) or (n, 3), each 0…1; None: as before, of the first point if their number changes.

        Raises:
            ValueError, TypeError: Another shape, or not finite; the cloud stays as it was.
        """
        self._check()
        points = points_of(points, f"points of {self._name}")
        if colors is not None:
            shades = colors_of(colors, len(points), f"colors of {self._name}")
        elif len(points) == len(self._points):
            shades = self._colors
        else:
            first = self._colors[:1] if len(self._colors) else np.full((1, 3), 90, np.uint8)
            shades = np.repeat(first, len(points), axis=0)
        self._points, self._colors = points, shades
        # One colour fits any number of points: lengths that differ for a moment would not.
        self._node.colors = np.array((90, 90, 90), np.uint8)
        self._node.points = points
        self._node.colors = shades

    @property
    def point_size(self) -> float:
        """Diameter of a point [m]; assign to change it."""
        return float(self._node.point_size)

    @point_size.setter
    def point_size(self, value: float) -> None:
        self._check()
        self._node.point_size = check.positive(value, f"point_size of {self._name}")

    def parts(self) -> list[Part]:
        """Return small octahedra, of at most two thousand points evenly chosen."""
        step = max(1, -(-len(self._points) // DRAWN_POINTS))
        ball = of_shape(Shape.SPHERE, (1.0,), 6)
        size = 0.5 * self.point_size * np.eye(3)
        chosen = zip(self._points[::step].astype(float), self._colors[::step] / 255.0, strict=True)
        return self._placed([(ball, p, size, painted(ball, c)) for p, c in chosen])


class VisualInstances(Visual):
    """Many copies of one shape that are only drawn: poses, scales and colours are arrays."""

    def __init__(
        self, name: str, make: Callable[..., Any], forget: Callable[[str], None], kind: str,
        size: tuple[float, ...], color: Color,
    ) -> None:  # fmt: skip
        """Take a function that makes the node of arrays."""
        self._make, self._surface, self._color = make, shape_surface(kind, size), color
        self._set(np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)), np.zeros((0, 3), np.uint8))
        super().__init__(name, make(*self._arrays), forget)

    def _set(self, places: np.ndarray, turns: np.ndarray, scales: np.ndarray, colors: np.ndarray) -> None:
        self._arrays = (
            places.astype(np.float32), turns.astype(np.float32), scales.astype(np.float32), colors
        )  # fmt: skip

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._arrays[0])

    def update(
        self, positions: Any, orientations: Any = None, scales: Any = None, colors: Any = None
    ) -> None:
        """Draw a copy at each of the positions.

        Args:
            positions: (n, 3) [m], any number of them.
            orientations: (n, 4) unit quaternions (w, x, y, z), or (4,) for all; None: not turned.
            scales: (n,) or (n, 3) factors, or one number for all; None: 1.
            colors: (n, 3) or (3,), each 0…1; None: the colour with which they were added.

        Raises:
            ValueError, TypeError: Shapes that do not fit, or not finite; the instances stay as they were.
        """
        self._check()
        places = points_of(positions, f"positions of {self._name}")
        n = len(places)
        turns = check.array(
            (1, 0, 0, 0) if orientations is None else orientations,
            f"orientations of {self._name}", "quaternions of shape (n, 4)",
        )  # fmt: skip
        if turns.shape not in {(4,), (n, 4)}:
            raise ValueError(
                f"orientations of {self._name} must have shape (4,) or ({n}, 4), got {turns.shape}"
            )
        if not (np.abs(np.linalg.norm(turns, axis=-1) - 1.0) < 1e-3).all():
            raise ValueError(f"orientations of {self._name} must be unit quaternions (w, x, y, z)")
        grown = check.array(1.0 if scales is None else scales, f"scales of {self._name}", "factors")
        if grown.shape not in {(), (n,), (n, 3)} or not (grown > 0.0).all():
            raise ValueError(
                f"scales of {self._name} must be > 0 and of shape (), ({n},) or ({n}, 3), got {grown.shape}"
            )
        check.within_range(grown, f"scales of {self._name}")
        grown = np.broadcast_to(grown[:, None] if grown.ndim == 1 else grown, (n, 3))
        shades = colors_of(self._color[:3] if colors is None else colors, n, f"colors of {self._name}")
        before = len(self)
        self._set(places, np.broadcast_to(turns, (n, 4)), grown, shades)
        if n != before:
            place, turn, is_shown = self._node.position, self._node.wxyz, self._node.visible
            self._node.remove()
            self._node = self._make(*self._arrays)
            self._node.position, self._node.wxyz, self._node.visible = place, turn, is_shown
            return
        node = self._node
        node.batched_positions, node.batched_wxyzs, node.batched_scales = self._arrays[:3]
        node.batched_colors = linear(shades)

    def clear(self) -> None:
        """Draw none."""
        self.update(np.zeros((0, 3)))

    def parts(self) -> list[Part]:
        """Return the triangles of each."""
        places, turns, scales, colors = (a.astype(float) for a in self._arrays)
        made = self._surface
        return self._placed([
            (made, p, rotation_matrix(q / np.linalg.norm(q)) * s, painted(made, c / 255.0))
            for p, q, s, c in zip(places, turns, scales, colors, strict=True)
        ])  # fmt: skip


class VisualText(Visual):
    """Text in the scene; it faces the camera. Pictures without a browser leave it out."""

    @property
    def text(self) -> str:
        """Its text, up to a thousand characters; assign to change it."""
        return str(self._node.text)

    @text.setter
    def text(self, value: str) -> None:
        self._check()
        self._node.text = text_of(value, f"text of {self._name}")


def _of_robot(name: str, doc: str) -> Made[np.ndarray]:
    """Return the property of a ghost that is one of its robot; what is assigned is drawn."""

    def read(self: Any) -> np.ndarray:
        return frozen(np.array(getattr(self._robot, name)))

    def write(self: Any, value: Any) -> None:
        self._check()
        setattr(self._robot, name, value)
        self._layer.move(read_poses(self._world))

    return Made(read, write, doc)


class VisualArticulatedSystem(Visual):
    """A robot that is only drawn, a ghost: it has joint coordinates, and nothing moves or meets it."""

    def __init__(
        self, name: str, layer: Layer, forget: Callable[[str], None], world: World, scene: Scene,
        robot: ArticulatedSystem, color: Color | None,
    ) -> None:  # fmt: skip
        """Take the nodes of the links and a world in which only the robot is."""
        super().__init__(name, layer, forget)
        self._world, self._robot, self._scene, self._color = world, robot, scene, color
        self._layer = layer
        self._layer.move(read_poses(world))

    position = _of_robot("position", "Position of the base, shape (3,) [m], world; assign to move it.")
    orientation = _of_robot("orientation", "Unit quaternion (w, x, y, z) of the base; assign to turn it.")
    generalized_coordinate = _of_robot(
        "generalized_coordinate",
        "Coordinates as `ArticulatedSystem.generalized_coordinate`, a copy; assign to pose it.",
    )

    @property
    def is_shown(self) -> bool:
        """Whether it is drawn; assign to hide it for a while."""
        return self._layer.is_seen

    @is_shown.setter
    def is_shown(self, value: bool) -> None:
        self._check()
        self._layer.show(is_seen=check.boolean(value, f"is_shown of {self._name}"))
        self._layer.move(read_poses(self._world))

    def parts(self) -> list[Part]:
        """Return the triangles of its links."""
        from tribo.viewer.draw import parts_of

        return parts_of(self._scene.visual, read_poses(self._world), self._color) if self.is_shown else []


def _segments(points: np.ndarray) -> np.ndarray:
    """Return the segments between consecutive points, (n − 1, 2, 3)."""
    return np.stack([points[:-1], points[1:]], axis=1)


def text_of(value: Any, what: str) -> str:
    """Return a text of bearable length.

    Raises:
        TypeError, ValueError: No text, or a longer one.
    """
    text = check.text(value, what)
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"{what} must be at most {LONGEST_TEXT} characters, got {len(text)}")
    return text
