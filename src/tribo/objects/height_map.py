"""Terrain as heights on a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.description.extents import body_bounds, box_of
from tribo.description.hulls import Heights
from tribo.objects.single_body import SingleBody


class HeightMap(SingleBody):
    """A static height map; x and y below are in its own frame."""

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
        """Return the height of the surface at x, y [m].

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

    def update(self, heights: Any) -> None:
        """Replace all heights [m] by others of the same shape; the world goes on from where it is.

        The numbers are written into the built world: that costs a copy of them, whatever else is in it.

        Raises:
            ValueError, TypeError: Another shape, or not finite; the map stays as it was.
            EditError: It was removed, or the world is between `update` and `advance`.
        """
        self.check_editable("the heights")
        m = self._map
        values = check.array(heights, f"heights of {self.name}", "rows of numbers of one length")
        if values.shape != m.values.shape:
            raise ValueError(
                f"heights of {self.name} must have shape {m.values.shape}, got {values.shape}"
            )
        check.within_range(values, f"heights of {self.name}")
        shape = self.description.bodies[0].shapes[0]
        shape.geometry = Heights(frozen(values), m.dx, m.dy)
        if self.world.is_built and self.span is not None:
            model, s, body = self.world.engine.model, self.span.shape.start, self.span.body.start
            first = model.shape_data[s, 0]
            model.height[first : first + values.size] = values.ravel()
            model.shape_box[s] = box_of(shape.geometry)
            model.body_box[body], model.body_radius[body] = body_bounds(self.description.bodies[0])

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
