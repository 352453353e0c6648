"""What a server only draws: shapes, meshes, lines, clouds, instances, charts.

Each keeps its numbers and hands them to tribo's viewer while there is one, so that programs run without.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tribo.raisimpy.enums import ChartType
from tribo.raisimpy.height_map import channels
from tribo.raisimpy.spelling import Dialects, data, filled, vector

SIZES = {"sphere": 1, "box": 3, "cylinder": 2, "capsule": 2, "arrow": 2}


class Drawn(Dialects):
    """Something that is drawn under a name."""

    def __init__(self, name: str, add: str, *arguments: Any, **named: Any) -> None:
        """Keep what `add_…` of a viewer takes."""
        self.name, self._add = name, add
        self._arguments, self._named = arguments, named
        self._thing: Any = None

    def show(self, viewer: Any) -> None:
        """Draw it in a viewer."""
        self._thing = getattr(viewer, self._add)(self.name, *self._arguments, **self._named)
        self.push()

    def push(self) -> None:
        """Hand the present numbers to the viewer."""

    def _set(self, attribute: str, value: Any) -> None:
        self._named[attribute] = value
        if self._thing is not None:
            setattr(self._thing, attribute, value)


class _Colored(Drawn):
    @property
    def color(self) -> Any:
        """``color``"""
        return self._named["color"]

    @property
    def obj(self) -> Any:
        """``viewer.visual(name)``"""
        return self._thing

    def setColor(self, *values: Any) -> None:
        """``color = …``"""
        self._set("color", tuple(np.clip(channels(vector(values)), 0.0, 1.0)))


class _Placed(_Colored):
    def setPosition(self, *values: Any) -> None:
        """``position = …``"""
        self._set("position", np.asarray(vector(values), float))

    def setOrientation(self, *values: Any) -> None:
        """``orientation = …``"""
        self._set("orientation", np.asarray(vector(values), float))

    def getPosition(self) -> Any:
        """``position``"""
        return np.asarray(self._named.get("position", np.zeros(3)))

    def getOrientation(self) -> Any:
        """``orientation``"""
        return np.asarray(self._named.get("orientation", (1.0, 0.0, 0.0, 0.0)))


class Visuals(_Placed):
    """A shape."""

    def __init__(self, name: str, kind: str, size: Any, color: Any, look: tuple[Any, ...]) -> None:
        """Keep kind, lengths and colour."""
        self.type, self._size = kind, tuple(float(x) for x in size)
        arguments = (self._size,) if kind == "box" else self._size
        super().__init__(name, f"add_visual_{kind}", *arguments, color=color)
        self.material, self.glow, self.shadow = filled(look, ("", False, False))

    @property
    def size(self) -> tuple[float, ...]:
        """``size``"""
        return self._size

    def _set_size(self, *size: Any) -> None:
        self._size = tuple(float(x) for x in np.ravel(vector(size)))
        self._arguments = (self._size,) if self.type == "box" else self._size
        if self._thing is not None:
            self._thing.size = self._size

    def setBoxSize(self, *size: Any) -> None:
        """``size = …``"""
        self._set_size(*size)

    setCylinderSize = setBoxSize
    setCapsuleSize = setBoxSize
    setSphereSize = setBoxSize


class VisualMesh(_Placed):
    """A mesh of a file or of arrays."""

    def updateMesh(self, vertices: Any, *_: Any) -> None:
        """``update(vertices)``"""
        points = np.reshape(np.asarray(vertices, float), (-1, 3))
        self._named["vertices"] = points
        if self._thing is not None:
            self._thing.update(points)

    def isUpdated(self) -> bool:
        """nothing: new vertices are drawn at once"""
        return False


class PolyLine(Drawn):
    """A line through points."""

    def __init__(self, name: str) -> None:
        """Start without points."""
        super().__init__(name, "add_visual_polyline")
        self.points: list[Any] = []
        self.color: Any = (0.12, 0.13, 0.16, 1.0)
        self.width = 0.01

    def setColor(self, *values: Any) -> None:
        """``color = …``"""
        self.color = channels(vector(values))

    def clearPoints(self) -> None:
        """``clear_points()``"""
        self.points = []

    def addPoint(self, point: Any) -> None:
        """``add_point(point)``"""
        self.points.append(np.asarray(point, float))

    def show(self, viewer: Any) -> None:
        """Draw it in a viewer."""
        self._named = {"color": self.color[:3], "width": self.width or 0.01}
        super().show(viewer)

    def push(self) -> None:
        """Hand the present points to the viewer."""
        self._thing.points = np.reshape(self.points, (-1, 3))
        self._thing.color = self.color[:3]


class ArticulatedSystemVisual(_Colored):
    """A ghost of a robot."""

    def __init__(self, name: str, urdf: str, color: Any) -> None:
        """Keep file and colour."""
        super().__init__(name, "add_visual_articulated_system", urdf, color=color)
        self._coordinate: Any = None

    def setColor(self, *values: Any) -> None:
        """``color=`` of ``viewer.add_visual_articulated_system``"""
        self._named["color"] = channels(vector(values))

    def setGeneralizedCoordinate(self, coordinate: Any) -> None:
        """``generalized_coordinate = …``"""
        self._coordinate = np.array(coordinate, float)
        if self._thing is not None:
            self.push()

    def push(self) -> None:
        """Hand the present coordinates to the viewer."""
        if self._coordinate is not None:
            self._thing.generalized_coordinate = self._coordinate


class HeightMapVisual(_Colored):
    """A height map that nothing touches."""

    def __init__(self, name: str, field: Any, place: Any, color: Any) -> None:
        """Keep heights, size and place."""
        super().__init__(
            name, "add_visual_height_map", field.heights, field.size, color=color, position=place
        )

    def update(self, *values: Any) -> None:
        """``update_heights(heights)``"""
        field = values[-1].field() if hasattr(values[-1], "field") else None
        heights, size = self._arguments
        made = field.heights if field else np.asarray(values[-1], float).reshape(np.shape(heights))
        self._arguments = made, size
        if self._thing is not None:
            self._thing.update_heights(made)


class InstancedVisuals(Drawn):
    """Many copies of one shape; a copy's colour lies between two, by its weight."""

    def __init__(self, name: str, kind: str, size: Any, color1: Any, color2: Any) -> None:
        """Start without a copy."""
        lengths = tuple(float(x) for x in np.ravel(size)[: SIZES[kind]])
        super().__init__(
            name, "add_instanced_visuals", kind, lengths[0] if kind == "sphere" else lengths
        )
        self._ends = np.array(channels(color1)[:3]), np.array(channels(color2)[:3])
        self.resize(0)

    def count(self) -> int:
        """the number of positions given to ``update``"""
        return len(self._weights)

    def clearInstances(self) -> None:
        """``clear()``"""
        self.resize(0)

    def resize(self, size: int) -> None:
        """``update(positions, …)``"""
        self._positions, self._turns = np.zeros((size, 3)), np.tile([1.0, 0, 0, 0], (size, 1))
        self._scales, self._weights = np.ones((size, 3)), np.zeros(size)
        self._colors: dict[int, Any] = {}
        self.push()

    def addInstance(self, position: Any, orientation: Any = (1.0, 0.0, 0.0, 0.0),
                    scale: Any = (1.0, 1.0, 1.0), colorWeight: float = 0.0) -> None:  # fmt: skip
        """``update(positions, orientations, scales, colors)``"""
        self._positions = np.vstack([self._positions, position])
        self._turns = np.vstack([self._turns, orientation])
        self._scales = np.vstack([self._scales, np.broadcast_to(scale, 3)])
        self._weights = np.append(self._weights, colorWeight)

    def removeInstance(self, index: int) -> None:
        """``update(positions, …)``"""
        for name in ("_positions", "_turns", "_scales", "_weights"):
            setattr(self, name, np.delete(getattr(self, name), index, axis=0))
        kept = {k: c for k, c in self._colors.items() if k != index}
        self._colors = {k - (k > index): color for k, color in kept.items()}

    def setPosition(self, index: int, *values: Any) -> None:
        """``update(positions, …)``"""
        self._positions[index] = vector(values)

    def setOrientation(self, index: int, *values: Any) -> None:
        """``update(…, orientations)``"""
        self._turns[index] = vector(values)

    def setScale(self, index: int, *values: Any) -> None:
        """``update(…, scales)``"""
        self._scales[index] = vector(values)

    def setColorWeight(self, index: int, weight: float) -> None:
        """``update(…, colors)``"""
        self._weights[index] = weight

    def setColor(self, index: int, *values: Any) -> None:
        """``update(…, colors)``"""
        self._colors[index] = channels(vector(values))[:3]

    def getPosition(self, index: int) -> Any:
        """the positions given to ``update``"""
        return self._positions[index]

    def getOrientation(self, index: int) -> Any:
        """the orientations given to ``update``"""
        return self._turns[index]

    def getScale(self, index: int) -> Any:
        """the scales given to ``update``"""
        return self._scales[index]

    def getColorWeight(self, index: int) -> float:
        """the colours given to ``update``"""
        return float(self._weights[index])

    def colors(self) -> Any:
        """Return the colour of each copy, (n, 3)."""
        first, second = self._ends
        made = first + np.clip(self._weights, 0.0, 1.0)[:, None] * (second - first)
        for k, color in self._colors.items():
            made[k] = color
        return made

    def push(self) -> None:
        """Hand the present copies to the viewer."""
        if self._thing is not None:
            self._thing.update(self._positions, self._turns, self._scales, self.colors())


class PointCloud(Drawn):
    """Points: `position` and `color` are lists or arrays that a program fills."""

    def __init__(self, name: str) -> None:
        """Start without points."""
        super().__init__(name, "add_visual_point_cloud")
        self.pointSize = 0.02
        self.resize(0)

    def resize(self, size: int) -> None:
        """``update(points, colors)``"""
        self.position: Any = np.zeros((size, 3))
        self.color: Any = np.tile([0.27, 0.5, 0.74], (size, 1))

    def push(self) -> None:
        """Hand the present points to the viewer."""
        colors = np.reshape([channels(color)[:3] for color in self.color], (-1, 3))
        self._thing.update(np.reshape(np.asarray(self.position, float), (-1, 3)), colors)
        self._thing.point_size = self.pointSize


data(PointCloud, "pointSize")


class Chart(Drawn):
    """A chart."""

    _kind: ClassVar[ChartType]

    def getType(self) -> ChartType:
        """the class of the chart"""
        return self._kind


class TimeSeriesGraph(Chart):
    """Curves over time."""

    _kind = ChartType.TIME_SERIES

    def __init__(self, title: str, names: Any, xAxis: str, yAxis: str) -> None:
        """Keep title and names."""
        super().__init__(title, "add_time_series_graph", list(names), xAxis, yAxis)
        self._kept: list[Any] = []

    def addDataPoints(self, time: float, values: Any) -> None:
        """``add_data_points(time, values)``"""
        if self._thing is None:
            self._kept.append((time, np.array(values, float)))
        else:
            self._thing.add_data_points(time, values)

    def push(self) -> None:
        """Hand the points that were given before there was a viewer to it."""
        for time, values in self._kept:
            self._thing.add_data_points(time, values)
        self._kept = []


class BarChart(Chart):
    """Bars."""

    _kind = ChartType.BAR_CHART

    def __init__(self, title: str, names: Any) -> None:
        """Keep title and names."""
        super().__init__(title, "add_bar_chart", list(names))
        self._values: Any = None

    def setData(self, values: Any) -> None:
        """``set_data(values)``"""
        self._values = np.array(values, float)
        self.push()

    def push(self) -> None:
        """Hand the present values to the viewer."""
        if self._thing is not None and self._values is not None:
            self._thing.set_data(self._values)


class ColorRGB:
    """A colour, 0 … 1 or 0 … 255 each."""

    def __init__(self, r: float = 0.0, g: float = 0.0, b: float = 0.0) -> None:
        """Keep its numbers."""
        self.r, self.g, self.b = r, g, b


class ColorRGBA(ColorRGB):
    """A colour with an opacity."""

    def __init__(self, r: float = 0.0, g: float = 0.0, b: float = 0.0, a: float = 1.0) -> None:
        """Keep its numbers."""
        super().__init__(r, g, b)
        self.a = a
