"""Terrain as heights on a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.description.extents import body_bounds, box_of
from tribo.description.heights import HeightField
from tribo.description.hulls import Heights
from tribo.objects.single_body import SingleBody


class HeightMap(SingleBody):
    """A static height map; x and y below are in its own frame."""

    _called = "hills"

    @property
    def heights(self) -> np.ndarray:
        """Heights of the samples, shape (ny, nx) [m]; `update` replaces them."""
        return frozen(self._map.values.copy())

    @property
    def _map(self) -> Heights:
        geometry = self.description.bodies[0].shapes[0].geometry
        assert isinstance(geometry, Heights)
        return geometry

    def height(self, x: float, y: float) -> float:
        """Return the height [m] of the surface, in the frame of the map, at x, y [m] from its middle.

        Of a map at (cx, cy, cz) that is not turned, the world's height at x, y is
        ``height(x - cx, y - cy) + cz``.

        Raises:
            ValueError: Outside of the map.
        """
        a, slope_x, slope_y, u, v = self._triangle(x, y)
        return float(a + slope_x * u + slope_y * v)

    def normal(self, x: float, y: float) -> np.ndarray:
        """Return the unit normal of the surface at x, y, shape (3,).

        Raises:
            ValueError: Outside of the map.
        """
        m = self._map
        _, slope_x, slope_y, _, _ = self._triangle(x, y)
        n = np.array([-slope_x / m.dx, -slope_y / m.dy, 1.0])
        return frozen(np.asarray(n / np.linalg.norm(n)))

    def update(self, heights: Any, size: Any = None) -> None:
        """Replace the heights, and the size if one is given; the world goes on from where it is.

        As many heights as before are written into the built world: that costs a copy of them, whatever else
        is in it. With another number the world is built anew before its next step. To move the map, assign
        `position` or `orientation`: x and y of the heights are in its frame, centred on its position.

        Args:
            heights: (ny, nx) [m], or a `HeightField`, which brings its size.
            size: Lengths along x and y [m]; None: as before.

        Raises:
            ValueError, TypeError: Not rows of finite numbers, fewer than 2 × 2, or a size ≤ 0; the map stays
                as it was.
            EditError: It was removed, or the world is between `update` and `advance`.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> hills = world.add_height_map([[0, 0], [0, 0]], size=(1, 1))
            >>> hills.update([[0, 1, 2], [0, 1, 2]], size=(4, 2))
            >>> hills.position = 10, 0, 0
            >>> hills.height(2.0, 0.0), hills.size.tolist()
            (2.0, [4.0, 2.0])
        """
        self.check_editable("the heights")
        made = heights
        if not isinstance(heights, HeightField):
            made = HeightField(heights, self.size if size is None else size)
        elif size is not None:
            raise TypeError("size is that of the HeightField; leave it out")
        geometry, shape = made.geometry, self.description.bodies[0].shapes[0]
        is_resized = geometry.values.shape != self._map.values.shape
        shape.geometry, shape.size = geometry, (geometry.dx, geometry.dy)
        if is_resized:
            self.detach()
            self._world.rebuild()
        elif self._world.is_built and self.span is not None:
            model, s, body = self._world.engine.model, self.span.shape.start, self.span.body.start
            first = model.shape_data[s, 0]
            model.height[first : first + geometry.values.size] = geometry.values.ravel()
            model.shape_size[s, :2] = shape.size
            model.shape_box[s] = box_of(geometry)
            model.body_box[body], model.body_radius[body] = body_bounds(self.description.bodies[0])

    @property
    def size(self) -> np.ndarray:
        """Lengths along x and y, shape (2,) [m]; `update` replaces them."""
        ny, nx = self._map.values.shape
        return frozen(np.array([self._map.dx * (nx - 1), self._map.dy * (ny - 1)]))

    def _triangle(self, x: float, y: float) -> tuple[float, float, float, float, float]:
        """Return the height at the cell's corner, the rise along its two sides, the place in the cell."""
        m = self._map
        ny, nx = m.values.shape
        u = check.number(x, "x") / m.dx + 0.5 * (nx - 1)
        v = check.number(y, "y") / m.dy + 0.5 * (ny - 1)
        if not (0.0 <= u <= nx - 1 and 0.0 <= v <= ny - 1):
            raise ValueError(f"({x!r}, {y!r}) is outside of {self.name}")
        i, j = min(int(u), nx - 2), min(int(v), ny - 2)
        u, v = u - i, v - j
        p, q = m.values[j, i], m.values[j, i + 1]
        o, r = m.values[j + 1, i], m.values[j + 1, i + 1]
        return (p, q - p, r - q, u, v) if u >= v else (p, r - o, o - p, u, v)
