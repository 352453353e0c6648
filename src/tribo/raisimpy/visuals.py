"""Visuals of a server: shapes, meshes, lines, clouds, instances, charts.

Each keeps its numbers and hands them to tribo's viewer while there is one, so that programs run without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from tribo.checks import check
from tribo.checks.orientation import orientation as as_quaternion
from tribo.raisimpy.arguments import count, picked
from tribo.raisimpy.enums import ChartType
from tribo.raisimpy.height_map import TerrainProperties, channels, grid
from tribo.raisimpy.spelling import Dialects, data, filled, means, vector
from tribo.viewer.visuals import LENGTHS, size_of

# Columns of the table of instances, and a new row of it: its colour lies between two.
PLACE, TURN, SCALE, WEIGHT, OWN_COLOR = slice(0, 3), slice(3, 7), slice(7, 10), 10, slice(11, 14)
NEW = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, *[np.nan] * 3])


class Drawn(Dialects):
    """Something that is drawn under a name."""

    def __init__(self, name: str, add: str, *arguments: Any, **named: Any) -> None:
        """Keep what `add_…` of a viewer takes."""
        self.name, self._add = check.name(name, "name of a visual"), add
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
    color = property(lambda self: self._named["color"], doc="``color``")
    obj = property(lambda self: self._thing, doc="``viewer.visual(name)``")

    def setColor(self, *values: Any) -> None:
        """``color = …``"""
        self._set("color", channels(vector(values)))


class _Placed(_Colored):
    def setPosition(self, *values: Any) -> None:
        """``position = …``"""
        self._set("position", check.vector(vector(values), f"position of {self.name}", 3))

    def setOrientation(self, *values: Any) -> None:
        """``orientation = …``"""
        self._set("orientation", as_quaternion(vector(values), f"orientation of {self.name}"))

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
        self.type, self._size = kind, size_of(kind, size, f"size of {name}")
        arguments = (self._size,) if kind == "box" else self._size
        super().__init__(name, f"add_visual_{kind}", *arguments, color=color)
        self.material, self.glow, self.shadow = filled(look, ("", False, False))

    size = property(lambda self: self._size, doc="``size``")

    def setBoxSize(self, *size: Any) -> None:
        """``size = …``"""
        self._size = size_of(self.type, vector(size), f"size of {self.name}")
        self._arguments = (self._size,) if self.type == "box" else self._size
        if self._thing is not None:
            self._thing.size = self._size

    setCylinderSize = setBoxSize
    setCapsuleSize = setBoxSize
    setSphereSize = setBoxSize


class VisualMesh(_Placed):
    """A mesh of a file or of arrays."""

    def updateMesh(self, vertices: Any, *_: Any) -> None:
        """``update(vertices)``"""
        points = rows(vertices, "vertices")
        before = self._named.get("vertices")
        if before is not None and len(points) != len(before):
            raise ValueError(f"vertices must be {len(before)} points, got {len(points)}")
        self._named["vertices"] = points
        if self._thing is not None:
            self._thing.update(points)

    isUpdated = means("nothing: new vertices are drawn at once", lambda self: False)


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
        self.points.append(check.vector(point, f"point of {self.name}", 3))

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
        made = check.array(coordinate, "coordinate", "numbers")
        self._coordinate = check.within_range(made, "coordinate")
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
        if not values:
            raise TypeError("update takes heights or a TerrainProperties as its last argument")
        heights, size = self._arguments
        if isinstance(values[-1], TerrainProperties):
            made = values[-1].field().heights
        else:
            made = grid(values[-1], np.shape(heights), f"heights of {self.name}")
        self._arguments = made, size
        if self._thing is not None:
            self._thing.update_heights(made)


def _position(value: Any) -> np.ndarray:
    return check.vector(value, "position", 3)


def _turn(value: Any) -> np.ndarray:
    return as_quaternion(value, "orientation")


def _of_instance(columns: slice, word: str, checked: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Return the methods that read and set a row of an instance."""

    def write(self: Any, index: int, *values: Any) -> None:
        self._row(index)[columns] = checked(vector(values))

    write.__doc__ = f"``update(…, {word})``"
    said = f"the {word} given to ``update``"
    return means(said, lambda self, index: self._row(index)[columns]), write


class InstancedVisuals(Drawn):
    """Many copies of one shape; a copy's colour lies between two, by its weight."""

    def __init__(self, name: str, kind: str, size: Any, color1: Any, color2: Any) -> None:
        """Start without a copy."""
        check.choice(kind, LENGTHS, "shape of instanced visuals")
        made = size_of(kind, np.atleast_1d(size)[: LENGTHS[kind]], f"size of {name}")
        super().__init__(name, "add_instanced_visuals", kind, made[0] if kind == "sphere" else made)
        self._ends = np.array(channels(color1)[:3]), np.array(channels(color2)[:3])
        self.resize(0)

    def _row(self, index: Any) -> Any:
        return picked(self._rows, index, f"instance of {self.name}")

    count = means("the number of positions given to ``update``", lambda self: len(self._rows))
    clearInstances = means("``clear()``", lambda self: self.resize(0))

    def resize(self, size: int) -> None:
        """``update(positions, …)``"""
        count(size, "size")
        self._rows: Any = np.tile(NEW, (size, 1))
        self.push()

    def addInstance(self, position: Any, orientation: Any = (1.0, 0.0, 0.0, 0.0),
                    scale: Any = (1.0, 1.0, 1.0), colorWeight: float = 0.0) -> None:  # fmt: skip
        """``update(positions, orientations, scales, colors)``"""
        place, turn = (check.vector(position, "position", 3), as_quaternion(orientation, "orientation"))
        size, weight = _scale(scale), check.number(colorWeight, "colorWeight")
        row = np.concatenate([place, turn, size, [weight], NEW[OWN_COLOR]])
        self._rows = np.vstack([self._rows, row])

    def removeInstance(self, index: int) -> None:
        """``update(positions, …)``"""
        self._row(index)  # refuses one that is not there
        self._rows = np.delete(self._rows, index, axis=0)

    getPosition, setPosition = _of_instance(PLACE, "positions", _position)
    getOrientation, setOrientation = _of_instance(TURN, "orientations", _turn)
    getScale, setScale = _of_instance(SCALE, "scales", lambda value: _scale(value))

    def setColorWeight(self, index: int, weight: float) -> None:
        """``update(…, colors)``"""
        self._row(index)[WEIGHT] = check.number(weight, "weight")

    def setColor(self, index: int, *values: Any) -> None:
        """``update(…, colors)``"""
        self._row(index)[OWN_COLOR] = channels(vector(values))[:3]

    def getColorWeight(self, index: int) -> float:
        """the colours given to ``update``"""
        return float(self._row(index)[WEIGHT])

    def colors(self) -> Any:
        """Return the colour of each copy, (n, 3)."""
        first, second = self._ends
        mixed = first + np.clip(self._rows[:, WEIGHT], 0.0, 1.0)[:, None] * (second - first)
        own = self._rows[:, OWN_COLOR]
        return np.where(np.isnan(own), mixed, own)

    def push(self) -> None:
        """Hand the present copies to the viewer."""
        if self._thing is not None:
            rows = self._rows
            self._thing.update(rows[:, PLACE], rows[:, TURN], rows[:, SCALE], self.colors())


class PointCloud(Drawn):
    """Points: `position` and `color` are lists or arrays that a program fills."""

    def __init__(self, name: str) -> None:
        """Start without points."""
        super().__init__(name, "add_visual_point_cloud")
        self.pointSize = 0.02
        self.resize(0)

    def resize(self, size: int) -> None:
        """``update(points, colors)``"""
        count(size, "size")
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

    getType = means("the class of the chart", lambda self: self._kind)

    def _values_of(self, values: Any) -> np.ndarray:
        """Return one number for each name; numbers that are not finite are gaps."""
        what = f"values of {self.name}"
        return check.shaped(check.array(values, what, "numbers"), what, (len(self._arguments[0]),))


class TimeSeriesGraph(Chart):
    """Curves over time."""

    _kind = ChartType.TIME_SERIES

    def __init__(self, title: str, names: Any, xAxis: str, yAxis: str) -> None:
        """Keep title and names."""
        super().__init__(
            title, "add_time_series_graph", curves(names), check.text(xAxis, "xAxis"), check.text(yAxis, "yAxis")
        )  # fmt: skip
        self._kept: list[Any] = []

    def addDataPoints(self, time: float, values: Any) -> None:
        """``add_data_points(time, values)``"""
        at, made = check.number(time, "time"), self._values_of(values)
        if self._thing is None:
            self._kept.append((at, made))
        else:
            self._thing.add_data_points(at, made)

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
        super().__init__(title, "add_bar_chart", curves(names))
        self._values: Any = None

    def setData(self, values: Any) -> None:
        """``set_data(values)``"""
        self._values = self._values_of(values)
        self.push()

    def push(self) -> None:
        """Hand the present values to the viewer."""
        if self._thing is not None and self._values is not None:
            self._thing.set_data(self._values)


def rows(values: Any, what: str) -> np.ndarray:
    """Return points or triangles as (n, 3), of an array (n, 3) or (3n,)."""
    made = check.within_range(check.array(values, what, "(n, 3) numbers"), what)
    if made.size % 3:
        raise ValueError(f"{what} must be (n, 3) numbers, got shape {made.shape}")
    return made.reshape(-1, 3)


def curves(names: Any) -> list[str]:
    """Return the names of curves or bars."""
    given = check.listed(names, "names", "a list of names")
    return [check.name(name, "a name of names") for name in given]


def _scale(scale: Any) -> np.ndarray:
    made = check.within_range(check.array(scale, "scale", "a number or three"), "scale")
    if made.shape not in {(), (1,), (3,)}:
        raise ValueError(f"scale must be a number or three, got {check.shown(scale)}")
    return np.broadcast_to(made, 3)


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
