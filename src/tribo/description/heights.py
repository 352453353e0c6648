"""Heights on a grid: from arrays, text files, pictures, or a fractal."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tribo.checks import check
from tribo.checks.calls import frozen_record
from tribo.checks.files import NotPlainError, plain, to_read
from tribo.checks.sealed import Answering
from tribo.description import geotiff
from tribo.description.hulls import Heights

MAX_BYTES = 512 << 20  # of a file
LONGEST_WORD = 1000  # letters of a number in a text
ROUNDING = 1e-9  # [–] of a sample that lies on the edge of a step or stone
PICTURES = ("PNG", "JPEG", "TIFF")


@frozen_record
@dataclass(frozen=True, slots=True, eq=False)
class HeightField(Answering):
    """Heights over a rectangle centred on the origin.

    Attributes:
        heights: (ny, nx) [m], x along a row, both at least 2.
        size: Lengths along x and y [m].

    Example:
        >>> import tribo
        >>> ramp = tribo.HeightField([[0.0, 0.1, 0.2], [0.0, 0.1, 0.2]], size=(2.0, 1.0))
        >>> ramp.heights.shape
        (2, 3)
    """

    _called: ClassVar[str] = "field"

    heights: Any
    size: Any

    def __post_init__(self) -> None:
        """Check and copy.

        Raises:
            ValueError: Ragged rows, fewer than 2 × 2 or too many samples, not finite, or no size.
        """
        if isinstance(self.heights, (str, os.PathLike)):
            raise TypeError(
                f"heights must be rows of numbers, got the path {check.shown(str(self.heights))}; files are "
                "read by HeightField.from_image(path, size, …) and HeightField.from_text(path)"
            )
        try:
            values = check.array(self.heights, "heights", "rows of numbers")
        except TypeError:
            raise ValueError(
                "heights must be rows of numbers of one length; some row is longer or holds no numbers"
            ) from None
        if values.ndim != 2 or min(values.shape) < 2:
            raise ValueError(f"heights must have shape (ny ≥ 2, nx ≥ 2), got {values.shape}")
        if values.size > MAX_SAMPLES:
            raise ValueError(f"{values.size} heights are more than the {MAX_SAMPLES} allowed")
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            j, i = bad[0]
            raise ValueError(f"heights must be finite, row {j} column {i} is {values[j, i]}")
        check.within_range(values, "heights")
        size = check.vector(self.size, "size", 2)
        if size.min() <= 0.0:
            raise ValueError(f"size must be > 0, got {size.tolist()}")
        values.setflags(write=False)  # maps that are made of it share it
        object.__setattr__(self, "heights", values)
        object.__setattr__(self, "size", (float(size[0]), float(size[1])))

    @classmethod
    def from_text(cls, path: str | Path) -> HeightField:
        """Read RaiSim's text form: samples and lengths along x and y, then the heights, x fastest.

        Raises:
            ValueError: Not numbers, or not as many as the first two say.
            FileNotFoundError: There is no such file.
        """
        path = to_read(path, "a height file")
        _check_size(path)
        try:
            numbers = _numbers(path)
        except ValueError as error:
            raise ValueError(f"{path}: {error}; a height file holds numbers only") from None
        if len(numbers) < 4:
            raise ValueError(f"{path}: {len(numbers)} numbers; it begins with samples and lengths along x, y")
        nx, ny = numbers[:2]
        if not (min(nx, ny) >= 2 and max(nx, ny) <= MAX_SAMPLES and nx % 1 == ny % 1 == 0):
            raise ValueError(f"{path}: {nx:g} × {ny:g} samples; both must be whole numbers 2 … {MAX_SAMPLES}")
        if len(numbers) - 4 != int(nx) * int(ny):
            raise ValueError(f"{path}: {len(numbers) - 4} heights, {int(nx)} × {int(ny)} were announced")
        return cls(numbers[4:].reshape(int(ny), int(nx)), numbers[2:4])

    @classmethod
    def from_image(
        cls, path: str | Path, size: Any = None, *, scale: float | None = None, offset: float = 0.0,
        height: float | None = None,
    ) -> HeightField:  # fmt: skip
        """Read a picture of heights: PNG, JPEG or TIFF, GeoTIFF among them.

        The height of a sample is pixel · `scale` + `offset`, with the number that the file holds (0 … 255
        with 8 bits, 0 … 65 535 with 16), as in RaiSim. With `height` instead of `scale`, black is `offset`
        and white `offset` + `height`. Samples that are floating-point numbers, as those of elevation
        models, are taken as they are, `scale` = 1 unless given. Colours are made grey first. The first row
        of the picture is at the greatest y.

        Args:
            path: The picture.
            size: Lengths along x and y [m], from the first sample to the last. A GeoTIFF in metres has them
                in its tags; where it lies on the earth is not used.
            scale: [m] per unit of the pixel.
            offset: [m], height of pixel 0.
            height: [m] from black to white.

        Raises:
            ValueError: Not a picture, or too large; samples without a height (GDAL's nodata); a GeoTIFF
                whose tags have no lengths in metres.
            TypeError: Not one of `scale` and `height`; no size.
            FileNotFoundError: There is no such file.
            ImportError: Pillow is missing.

        Source: RaiSim's manual, HeightMap.

        Example:
            >>> hills = tribo.HeightField.from_image("hills.png", (20, 20), height=2.5)  # doctest: +SKIP
        """
        with check.needed('pictures need Pillow: pip install "tribo[mesh]"'):
            from PIL import Image
        path = to_read(path, "a picture of heights")
        _check_size(path)
        try:
            # A picture in memory: of one on disk, as much is reserved as it announces, up to 4 GB.
            with (
                warnings.catch_warnings(action="ignore"),
                Image.open(io.BytesIO(path.read_bytes()), formats=PICTURES) as picture,
            ):
                if picture.width * picture.height > MAX_SAMPLES:
                    raise ValueError(f"{picture.width} × {picture.height} samples are too many")
                white = _white(picture.mode, picture.format)
                grey = np.asarray(picture.convert("L") if white == 255.0 else picture, np.float64)
                tags = geotiff.tags_of(picture)
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            raise ValueError(f"{path}: not a PNG, JPEG or TIFF picture of heights: {error}") from None
        geotiff.check_samples(path, grey, tags)
        if size is None:
            size = geotiff.lengths(path, grey.shape, tags)
        factor = _factor(path, scale, height, white)
        return cls(grey[::-1] * factor + check.number(offset, "offset"), size)

    @classmethod
    def fractal(
        cls, *, size: Any = (10.0, 10.0), samples: Any = (100, 100), frequency: float = 0.1,
        z_scale: float = 2.0, octaves: int = 5, lacunarity: float = 2.0, gain: float = 0.5,
        step_size: float = 0.0, height_offset: float = 0.0, seed: int = 0,
    ) -> HeightField:  # fmt: skip
        """Return terrain as a sum of octaves of gradient noise; names as in RaiSim's TerrainProperties.

        Args:
            size: Lengths along x and y [m].
            samples: Along x and y.
            frequency: Bumps per metre of the first octave.
            z_scale: [m] height of noise 1; the sum of octaves stays within ±1.
            octaves: How many, each `lacunarity` times as fine and `gain` times as high as the last.
            lacunarity, gain: See `octaves`.
            step_size: [m] heights are rounded down to multiples of it: stairs; 0: not.
            height_offset: [m] added to all.
            seed: Same seed, same terrain.

        Source: Perlin 2002 (noise with a quintic fade).
        """
        if not isinstance(samples, (tuple, list, np.ndarray)) or len(samples) != 2:
            raise TypeError(f"samples must be two integers, along x and y, got {check.shown(samples)}")
        nx, ny = (check.integer(n, "samples", 2) for n in samples)
        seed = check.integer(seed, "seed", 0)
        if nx * ny > MAX_SAMPLES:
            raise ValueError(f"{nx} × {ny} samples are more than the {MAX_SAMPLES} allowed")
        lengths = check.vector(size, "size", 2)
        layers, most = [], 0.0  # (height, scale, seed) of each octave
        height, scale = 1.0, check.number(frequency, "frequency")
        for octave in range(check.integer(octaves, "octaves", 1)):
            layers.append((height, scale, (seed, octave)))
            most += height
            height *= check.number(gain, "gain", minimum=0.0)
            scale *= check.number(lacunarity, "lacunarity", minimum=0.0, exclusive=True)
        highest, lift = (check.number(z_scale, "z_scale"), check.number(height_offset, "height_offset"))
        step = check.number(step_size, "step_size", minimum=0.0)

        def values(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            total = np.zeros_like(x)
            for height, scale, seeds in layers:
                total += height * noise(x * scale, y * scale, seeds)
            made = highest * total / most
            return (np.floor(made / step) * step if step > 0.0 else made) + lift

        x_axis, y_axis = (np.linspace(0.0, s, n) for s, n in zip(lengths, (nx, ny), strict=True))
        return cls(filled(x_axis, y_axis, values), lengths)

    @classmethod
    def stairs(
        cls, *, rise: float = 0.1, tread: float = 0.3, flat: float = 0.5, size: Any = (6.0, 6.0),
        cell: float = 0.05,
    ) -> HeightField:  # fmt: skip
        """Return a pyramid of stairs up to a flat middle; a negative `rise` leads down to it.

        A step between two levels is as wide as a cell: it is a steep slope, not a wall.

        Args:
            rise: [m] height of a step.
            tread: [m] > 0 depth of a step.
            flat: [m] half width of the middle.
            size: Lengths along x and y [m].
            cell: [m] > 0 between two heights.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> stairs = world.add_height_map(tribo.HeightField.stairs(rise=0.1, tread=0.5, flat=1.0))
            >>> round(stairs.height(0.0, 0.0), 6), stairs.height(2.95, 0.0)
            (0.4, 0.0)
        """
        depth, up = check.positive(tread, "tread"), check.number(rise, "rise")
        return _pyramid(size, cell, flat, lambda d: up * np.maximum(np.floor(d / depth + ROUNDING), 0.0))

    @classmethod
    def slope(
        cls, *, incline: float = 0.2, flat: float = 0.5, size: Any = (6.0, 6.0), cell: float = 0.05
    ) -> HeightField:
        """Return a pyramid of slopes up to a flat middle; a negative `incline` leads down to it.

        Args:
            incline: [–] height over length, the tangent of the angle.
            flat: [m] half width of the middle.
            size: Lengths along x and y [m].
            cell: [m] > 0 between two heights.

        Example:
            >>> import tribo
            >>> hill = tribo.HeightField.slope(incline=0.1, flat=1.0)
            >>> round(float(hill.heights.max()), 6)
            0.2
        """
        tangent = check.number(incline, "incline")
        return _pyramid(size, cell, flat, lambda d: tangent * np.maximum(d, 0.0))

    @classmethod
    def stepping_stones(
        cls, *, stone: float = 0.4, gap: float = 0.15, depth: float = 1.0, unevenness: float = 0.0,
        flat: float = 0.5, size: Any = (6.0, 6.0), cell: float = 0.05, seed: int = 0,
    ) -> HeightField:  # fmt: skip
        """Return square stones, their tops at 0, between gaps; the middle is flat.

        Args:
            stone, gap: [m] > 0 width of a stone and of the gaps.
            depth: [m] > 0 of the gaps.
            unevenness: [m] ≥ 0: tops are this much above or below 0 at most, evenly distributed.
            flat: [m] half width of the middle.
            size: Lengths along x and y [m].
            cell: [m] > 0 between two heights; walls of stones are as wide.
            seed: Same seed, same stones.

        Example:
            >>> import tribo
            >>> stones = tribo.HeightField.stepping_stones(depth=0.5)
            >>> sorted(set(stones.heights.ravel().tolist()))
            [-0.5, 0.0]
        """
        sides, lengths = axes(size, cell)
        period = check.positive(stone, "stone") + check.positive(gap, "gap")
        (first, columns), (lowest, rows) = (
            (int(stones[0]), int(stones[-1] - stones[0]) + 1)
            for stones in (np.floor(axis / period + ROUNDING) for axis in sides)
        )
        rng = np.random.default_rng(check.integer(seed, "seed", 0))
        most = check.number(unevenness, "unevenness", minimum=0.0)
        tops = rng.uniform(-most, most, (rows, columns))
        bottom, half = -check.positive(depth, "depth"), check.number(flat, "flat", minimum=0.0)

        def values(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            i, j = (np.floor(a / period + ROUNDING).astype(int) for a in (x, y))
            within = np.maximum(x - i * period, y - j * period)
            is_stone = within <= stone * (1.0 + ROUNDING)
            made = np.where(is_stone, tops[j - lowest, i - first], bottom)
            return np.where(np.maximum(np.abs(x), np.abs(y)) <= half, 0.0, made)

        return cls(filled(*sides, values), lengths)

    @property
    def geometry(self) -> Heights:
        """The same as the builder takes it."""
        ny, nx = self.heights.shape
        return Heights(self.heights, self.size[0] / (nx - 1), self.size[1] / (ny - 1))


def _pyramid(size: Any, cell: Any, flat: Any, height: Callable[[np.ndarray], np.ndarray]) -> HeightField:
    """Return a map of square contours: heights by the distance from its edge, constant in the middle."""
    sides, lengths = axes(size, cell)
    inner, half = check.number(flat, "flat", minimum=0.0), 0.5 * float(lengths.min())

    def values(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return height(half - np.maximum(np.maximum(np.abs(x), np.abs(y)), inner))

    return HeightField(filled(*sides, values), lengths)


def _numbers(path: Path) -> np.ndarray:
    """Return the numbers of a text file. Ctrl-C is heard between two pieces.

    Raises:
        ValueError: It is no text, or holds something else.
    """
    found, cut = [np.zeros(0)], ""  # the last word of a piece may go on in the next
    with path.open(encoding="utf-8") as text:
        while piece := text.read(PIECE):
            words = (cut + piece.replace(",", " ")).split()
            cut = words.pop() if words and not piece[-1].isspace() and piece[-1] != "," else ""
            if len(cut) > LONGEST_WORD:
                raise ValueError(f"{check.shown(cut)} is no number")
            found.append(np.array(words, np.float64))
    return np.concatenate([*found, np.array([cut] if cut else [], np.float64)])


def _white(mode: str, kind: str | None) -> float:
    """Return the pixel of white, 0 if the samples have none: 32 bits and floating-point numbers."""
    if mode == "F" or (mode == "I" and kind == "TIFF"):
        return 0.0
    return 65535.0 if mode.startswith("I") else 255.0


def _factor(path: Path, scale: Any, height: Any, white: float) -> float:
    """Return the height of one unit of a pixel [m]."""
    if scale is not None and height is not None:
        raise TypeError("give scale= (metres per unit of the pixel) or height= (black to white)")
    if height is not None:
        if not white:
            raise ValueError(
                f"{path}: its samples have more than 16 bits and no white that height= could refer to; "
                "give scale=, metres per unit of the sample"
            )
        return check.number(height, "height") / white
    if scale is None and white:
        raise TypeError(
            f"{path}: say how high it is: height= from black to white [m], or scale= [m] per unit of the "
            f"pixel (0 … {white:.0f})"
        )
    return 1.0 if scale is None else check.number(scale, "scale")


def _check_size(path: Path) -> None:
    try:
        size = plain(path).st_size
    except NotPlainError as error:
        raise ValueError(f"{path}: {error}") from None
    if size > MAX_BYTES:
        raise ValueError(f"{path}: {size >> 20} MiB are more than {MAX_BYTES >> 20} MiB")


MAX_SAMPLES = 16_000_000  # of one map
PIECE = 1 << 17  # samples that are found at once, letters that are read at once: about 0.02 s


def axes(size: Any, cell: Any) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Return x (nx,) and y (ny,) of samples [m], and the lengths (2,) of a map [m]."""
    lengths, between = check.vector(size, "size", 2), check.positive(cell, "cell")
    if (lengths <= 0.0).any():
        raise ValueError(f"size must be > 0, got {lengths.tolist()}")
    if (lengths / between).prod() > MAX_SAMPLES:
        raise ValueError(f"cells of {between:g} m are more than the {MAX_SAMPLES} samples allowed")
    counts = [max(2, round(float(length / between)) + 1) for length in lengths]
    x, y = (np.linspace(-0.5 * s, 0.5 * s, n) for s, n in zip(lengths, counts, strict=True))
    return (x, y), lengths


def filled(
    x: np.ndarray, y: np.ndarray, height: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return height(x, y) at all pairs of two axes, (ny, nx). Ctrl-C is heard between two pieces."""
    made = np.empty(len(y) * len(x))
    for first in range(0, len(made), PIECE):
        j, i = np.divmod(np.arange(first, min(first + PIECE, len(made))), len(x))
        made[first : first + PIECE] = height(x[i], y[j])
    return made.reshape(len(y), len(x))


def noise(x: np.ndarray, y: np.ndarray, seed: tuple[int, int]) -> np.ndarray:
    """Return gradient noise in −1 … 1."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(256)
    angle = rng.uniform(0.0, 2.0 * np.pi, 256)
    i, j = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    u, v = x - i, y - j
    fade_u, fade_v = (t * t * t * (t * (6.0 * t - 15.0) + 10.0) for t in (u, v))

    def corner(di: int, dj: int) -> np.ndarray:
        a = angle[order[(order[(i + di) % 256] + j + dj) % 256]]
        return np.asarray(np.cos(a) * (u - di) + np.sin(a) * (v - dj))

    low = corner(0, 0) + fade_u * (corner(1, 0) - corner(0, 0))
    high = corner(0, 1) + fade_u * (corner(1, 1) - corner(0, 1))
    return np.asarray(np.sqrt(2.0) * (low + fade_v * (high - low)))
