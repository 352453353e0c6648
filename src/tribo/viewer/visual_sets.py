"""Many things that are only drawn as one: lines, clouds of points, instances of a shape, text, ghosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tribo.checks import check
from tribo.checks.made import Made
from tribo.checks.readonly import frozen
from tribo.description.extents import rotation_matrix
from tribo.model import Shape
from tribo.viewer.scene import describe, read_poses
from tribo.viewer.stage import Growing, layer
from tribo.viewer.surface import Part, of_shape, painted, rod
from tribo.viewer.visuals import (
    Color,
    Spot,
    Visual,
    color_of,
    colors_of,
    linear,
    of_node,
    opacity_of,
    points_of,
    rgb,
    shape_surface,
    size_of,
)

if TYPE_CHECKING:
    from tribo.objects import ArticulatedSystem
    from tribo.world.world import World

LONGEST_TEXT = 1000
DRAWN_POINTS = 2000  # of a cloud, in a picture without a browser


class VisualPolyline(Visual):
    """A line through points that is only drawn."""

    def __init__(self, spot: Spot, points: Any, color: Any, width: float) -> None:
        """Draw a line of a width [m] through points (n, 3) [m]."""
        self._points = points_of(points, f"points of {spot.name}")
        self._color = color_of(color, f"color of {spot.name}")
        self._width = check.positive(width, f"width of {spot.name}")

        def make(segments: np.ndarray) -> Any:
            return spot.api.add_line_segments(
                spot.path, segments, np.array(rgb(self._color), np.uint8), thickness=self._width, **spot.pose
            )

        self._line = Growing(make, "points", is_lasting=True)
        self._line.show(_segments(self._points))
        super().__init__(spot, self._line.node)

    @property
    def points(self) -> np.ndarray:
        """Points, (n, 3) [m] in own axes; assign to draw others."""
        return frozen(self._points.astype(float))

    @points.setter
    def points(self, value: Any) -> None:
        self._check()
        self._points = points_of(value, f"points of {self._name}")
        self._line.show(_segments(self._points))
        self._node = self._line.node

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

    def __init__(self, spot: Spot, points: Any, colors: Any, size: float) -> None:
        """Draw points (n, 3) [m] of a diameter [m]."""
        self._points = points_of(points, f"points of {spot.name}")
        self._colors = colors_of(colors, len(self._points), f"colors of {spot.name}")
        node = spot.api.add_point_cloud(
            spot.path, self._points, self._colors, point_shape="circle", precision="float32",
            point_size=check.positive(size, f"point_size of {spot.name}"), **spot.pose,
        )  # fmt: skip
        super().__init__(spot, node)

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

    point_size = of_node("point_size", "point_size", float, check.positive,
                         "Diameter of a point [m]; assign to change it.")  # fmt: skip

    def parts(self) -> list[Part]:
        """Return small octahedra, of at most two thousand points evenly chosen."""
        step = max(1, -(-len(self._points) // DRAWN_POINTS))
        ball = of_shape(Shape.SPHERE, (1.0,), 6)
        size = 0.5 * self.point_size * np.eye(3)
        chosen = zip(self._points[::step].astype(float), self._colors[::step] / 255.0, strict=True)
        return self._placed([(ball, p, size, painted(ball, c)) for p, c in chosen])


class VisualInstances(Visual):
    """Many copies of one shape that are only drawn: poses, scales and colours are arrays."""

    def __init__(self, spot: Spot, kind: str, size: Any, color: Any) -> None:
        """Draw no copy yet of a shape of lengths [m]."""
        lengths = size_of(kind, size, f"size of {spot.name}")
        self._surface, self._color = shape_surface(kind, lengths), color_of(color, f"color of {spot.name}")

        def make(places: np.ndarray, turns: np.ndarray, scales: np.ndarray, colors: np.ndarray) -> Any:
            return spot.api.add_batched_meshes_simple(
                spot.path, self._surface.vertices, self._surface.faces, turns, places, batched_scales=scales,
                batched_colors=colors, lod="off", opacity=opacity_of(self._color), **spot.pose,
            )  # fmt: skip

        fields = ("batched_positions", "batched_wxyzs", "batched_scales", "batched_colors")
        self._copies = Growing(make, *fields, is_lasting=True)
        self._set(np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)), np.zeros((0, 3), np.uint8))
        super().__init__(spot, self._copies.node)

    def _set(self, places: np.ndarray, turns: np.ndarray, scales: np.ndarray, colors: np.ndarray) -> None:
        self._arrays = (*(a.astype(np.float32) for a in (places, turns, scales)), colors)
        self._copies.show(*self._arrays[:3], linear(colors))

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
        check.shaped(turns, f"orientations of {self._name}", (4,), (n, 4))
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
        self._set(places, np.broadcast_to(turns, (n, 4)), grown, shades)
        self._node = self._copies.node

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


def text_of(value: Any, what: str) -> str:
    """Return a text of bearable length.

    Raises:
        TypeError, ValueError: No text, or a longer one.
    """
    text = check.text(value, what)
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"{what} must be at most {LONGEST_TEXT} characters, got {len(text)}")
    return text


class VisualText(Visual):
    """Text in the scene; it faces the camera. Pictures without a browser leave it out."""

    def __init__(self, spot: Spot, text: str, height: float | None) -> None:
        """Write a text of a height [m]; None: of one size on the screen."""
        size: dict[str, Any] = {}
        if height is not None:
            size = {"font_size_mode": "scene", "font_scene_height": check.positive(height, "height")}
        said = text_of(text, f"text of {spot.name}")
        super().__init__(
            spot, spot.api.add_label(spot.path, said, anchor="bottom-center", **size, **spot.pose)
        )

    text = of_node(
        "text", "text", str, text_of, "Its text, up to a thousand characters; assign to change it."
    )


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

    def __init__(self, spot: Spot, world: World, robot: ArticulatedSystem, color: Any) -> None:
        """Draw a robot of a world in which nothing else is, in one colour; None: in its own."""
        self._world, self._robot, self._scene = world, robot, describe(world)
        shade = None if color is None else color_of(color, f"color of {spot.name}")
        self._color, opacity = shade, None if shade is None else opacity_of(shade)
        paint = None if shade is None else (shade[0], shade[1], shade[2])
        self._layer = layer(spot.api, spot.path, self._scene.visual, paint=paint, opacity=opacity)
        super().__init__(spot, self._layer)
        self._layer.move(read_poses(world))

    position = _of_robot("position", "Position of the base, shape (3,) [m], world; assign to move it.")
    orientation = _of_robot("orientation", "Unit quaternion (w, x, y, z) of the base; assign to turn it.")
    generalized_coordinate = _of_robot(
        "generalized_coordinate",
        "Coordinates as `ArticulatedSystem.generalized_coordinate`, a copy; assign to pose it.",
    )

    def parts(self) -> list[Part]:
        """Return the triangles of its links."""
        from tribo.viewer.draw import parts_of

        return parts_of(self._scene.visual, read_poses(self._world), self._color) if self.is_shown else []


def _segments(points: np.ndarray) -> np.ndarray:
    """Return the segments between consecutive points, (n − 1, 2, 3)."""
    return np.stack([points[:-1], points[1:]], axis=1)
