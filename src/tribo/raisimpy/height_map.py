"""Terrain as heights on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import tribo
from tribo.checks import check
from tribo.raisimpy.arguments import instance, picked
from tribo.raisimpy.enums import ObjectType
from tribo.raisimpy.objects import SingleBodyObject
from tribo.raisimpy.spelling import Dialects, data, means


@dataclass
class TerrainProperties(Dialects):
    """A fractal landscape: what ``tribo.HeightField.fractal`` takes."""

    frequency: float = 0.1
    xSize: float = 10.0
    ySize: float = 10.0
    zScale: float = 2.0
    xSamples: int = 100
    ySamples: int = 100
    fractalOctaves: int = 5
    fractalLacunarity: float = 2.0
    fractalGain: float = 0.5
    stepSize: float = 0.0
    heightOffset: float = 0.0
    seed: int = 0

    def field(self) -> tribo.HeightField:
        """Return the landscape."""
        return tribo.HeightField.fractal(
            size=(self.xSize, self.ySize), samples=(self.xSamples, self.ySamples),
            frequency=self.frequency, z_scale=self.zScale, octaves=self.fractalOctaves,
            lacunarity=self.fractalLacunarity, gain=self.fractalGain, step_size=self.stepSize,
            height_offset=self.heightOffset, seed=self.seed,
        )  # fmt: skip


data(TerrainProperties)


class HeightMap(SingleBodyObject):
    """A height map; x and y are those of the world."""

    def __init__(self, world: Any, it: Any, kind: ObjectType = ObjectType.HEIGHTMAP) -> None:
        """Wrap a height map of tribo."""
        super().__init__(world, it, kind)
        self._updated = False
        self._colors: list[Any] = []

    def getHeight(self, x: float, y: float) -> float:
        """``height(x - position[0], y - position[1]) + position[2]``"""
        it = self._it
        cx, cy, cz = it.position
        return float(it.height(check.number(x, "x") - cx, check.number(y, "y") - cy) + cz)

    def getNormal(self, x: float, y: float) -> Any:
        """``normal(x - position[0], y - position[1])``"""
        cx, cy, _ = self._it.position
        return self._it.normal(check.number(x, "x") - cx, check.number(y, "y") - cy)

    getHeightVector = means("``heights.ravel()``", lambda self: self._it.heights.ravel())

    getHeightMap = getHeightVector
    getContactHeightVector = getHeightVector

    getXSamples = means("``heights.shape[1]``", lambda self: int(self._it.heights.shape[1]))
    getYSamples = means("``heights.shape[0]``", lambda self: int(self._it.heights.shape[0]))
    getXSize = means("``size[0]``", lambda self: float(self._it.size[0]))
    getYSize = means("``size[1]``", lambda self: float(self._it.size[1]))
    getCenterX = means("``position[0]``", lambda self: float(self._it.position[0]))
    getCenterY = means("``position[1]``", lambda self: float(self._it.position[1]))

    def update(self, centerX: float, centerY: float, *values: Any) -> None:
        """``update(heights, size)``, ``position = …``"""
        it = self._it
        place = check.vector((centerX, centerY, it.position[2]), f"centre of {it.name}", 3)
        if len(values) == 1:
            it.update(instance(values[0], TerrainProperties, "the third argument").field())
        elif len(values) == 3:
            x, y, heights = values
            it.update(grid(heights, it.heights.shape, f"heights of {it.name}"), (x, y))
        else:
            raise TypeError(
                "update takes centerX, centerY and a TerrainProperties, or centerX, centerY, xSize, ySize and "
                f"heights, got {2 + len(values)} arguments"
            )
        it.position = place
        self._updated = True

    init = update

    isUpdated = means("nothing: the viewer draws new heights by itself", lambda self: self._updated)

    def setUpdatedFalse(self) -> None:
        """nothing: the viewer draws new heights by itself"""
        self._updated = False

    def setColor(self, colors: Any) -> None:
        """``color = …``: one colour, the mean of those given"""
        given = check.listed(colors, "colors", "a list of colours")
        made = [channels(color) for color in given]
        if not made:
            raise ValueError("colors must be a list of colours, got none")
        self._it.color = [sum(color[k] for color in made) / len(made) for k in range(3)]
        self._colors = made

    getColorMap = means("``color``", lambda self: self._colors)

    def getColor(self, x: float, y: float) -> Any:
        """``color``"""
        if not self._colors:
            return self._it.color
        ny, nx = self._it.heights.shape
        cx, cy, _ = self._it.position
        sx, sy = self._it.size
        i = round((check.number(x, "x") - cx) / sx * (nx - 1) + 0.5 * (nx - 1))
        j = round((check.number(y, "y") - cy) / sy * (ny - 1) + 0.5 * (ny - 1))
        return picked(self._colors, min(max(j, 0), ny - 1) * nx + min(max(i, 0), nx - 1), "colour")


def channels(color: Any) -> tuple[float, ...]:
    """Return the numbers of a `ColorRGB`, of a `ColorRGBA` or of a sequence, 0 … 1."""
    given = color
    if hasattr(color, "r"):
        given = [getattr(color, name) for name in "rgba" if hasattr(color, name)]
    due = "3 or 4 numbers, 0 … 1 or 0 … 255"
    made = [check.number(x, "a number of a color") for x in check.listed(given, "color", due)]
    if len(made) not in {3, 4} or min(made) < 0.0 or max(made) > 255.0:
        raise ValueError(f"color must be {due}, got {check.shown(given)}")
    return tuple(x / 255.0 for x in made) if max(made) > 1.0 else tuple(made)


def grid(values: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Return heights, (n,) or (ny, nx), as (ny, nx)."""
    made = check.array(values, what, f"{shape[0] * shape[1]} numbers")
    if made.size != shape[0] * shape[1]:
        raise ValueError(f"{what} must be {shape[0] * shape[1]} numbers, got {made.size}")
    return made.reshape(shape)
