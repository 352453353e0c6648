"""<hfield> assets: heights from a picture, a file of MuJoCo's own, or the numbers of `elevation`.

Source: MuJoCo's XML reference, asset/hfield: the samples are shifted and scaled to 0 … 1, then multiplied by
the third number of `size`; the first row of a picture, and of `elevation`, is at the greatest y; of a
picture 8 bits of the first channel count. Compared with MuJoCo 4 in tests/compare.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tribo.checks.files import plain
from tribo.description.heights import MAX_SAMPLES, HeightField
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.mjcf.compiler import Compiler
from tribo.formats.mjcf.source import Source
from tribo.formats.nodes import Node

USED = frozenset({"name", "file", "content_type", "nrow", "ncol", "size", "elevation"})
MAX_BYTES = 4 * MAX_SAMPLES + 8


class HeightFields:
    """All height fields among the assets; files are opened when a geom needs one."""

    def __init__(self, source: Source, package_dirs: Sequence[Path]) -> None:
        """Find their files."""
        self._nodes: dict[str, tuple[Node, Path | None]] = {}
        self._read: dict[str, HeightField] = {}
        self._samples = 0  # of all geoms together
        for section in source.sections("asset"):
            rules = source.rules_of(section)
            finder = MeshFinder(rules.path, package_dirs)
            for node in section.all("hfield"):
                node.check_attributes(USED)
                self._add(node, finder, rules.compiler)

    def _add(self, node: Node, finder: MeshFinder, compiler: Compiler) -> None:
        path, name = None, node.word("name")
        if "file" in node.attributes:
            written = Path(node.text("file").replace("\\", "/"))
            name = name or written.stem
            plain_name = written.name if compiler.strippath else str(written)
            path, reason = finder.look_up(str(Path(compiler.meshdir) / plain_name))
            if path is None:
                raise node.error(f"file={node.attributes['file']!r}: {reason}")
        if not name or name in self._nodes:
            raise node.error("needs a name of its own")
        self._nodes[name] = node, path

    def __getitem__(self, user: Node) -> HeightField:
        """Return the heights that an element names.

        Raises:
            DescriptionError: There are none of that name, or the file cannot be read.
        """
        name, found = user.text("hfield"), user.named("hfield", self._nodes, "among the assets")
        if name not in self._read:
            self._read[name] = self._made(*found)
        self._samples += self._read[name].heights.size
        if self._samples > 2 * MAX_SAMPLES:
            raise user.error(f"the height fields of a file have more than {2 * MAX_SAMPLES} samples")
        return self._read[name]

    @staticmethod
    def _made(node: Node, path: Path | None) -> HeightField:
        x, y, top, _ = node.vector("size", 4)
        if not min(x, y, top) > 0.0:
            raise node.error(f"size={node.attributes['size']!r}: all numbers must be > 0")
        try:
            values = _written(node) if path is None else _read(path)
            low, high = float(values.min()), float(values.max())
            scale = top / (high - low) if high > low else top
            return HeightField((values - low) * scale, (2.0 * x, 2.0 * y))
        except (ValueError, OSError) as error:
            raise node.error(str(error)) from None


def _written(node: Node) -> np.ndarray:
    """Return the samples of `elevation`, or a plain field."""
    rows, columns = node.integer("nrow"), node.integer("ncol")
    if not (min(rows, columns) >= 2 and rows * columns <= MAX_SAMPLES):
        raise ValueError(f"nrow={rows}, ncol={columns} must be 2 or more, {MAX_SAMPLES} together")
    given = np.array(node.vector("elevation", None, ()))
    if not given.size:
        return np.zeros((rows, columns))
    if given.size != rows * columns:
        raise ValueError(f"elevation has {given.size} numbers, must have {rows} × {columns}")
    return given.reshape(rows, columns)[::-1]


def _read(path: Path) -> np.ndarray:
    """Return the samples of a picture or of a binary file."""
    if plain(path).st_size > MAX_BYTES:
        raise ValueError(f"{path}: larger than {MAX_BYTES} bytes, which is the most that is read")
    data = path.read_bytes()
    if path.suffix.lower() == ".png":
        return _picture(path, data)
    rows, columns = np.frombuffer(data, "<i4", 2).tolist() if len(data) >= 8 else (0, 0)
    if min(rows, columns) < 2 or len(data) != 8 + 4 * rows * columns:
        raise ValueError(f"{path}: {rows} × {columns} samples do not make {len(data)} bytes")
    return np.frombuffer(data, "<f4", rows * columns, 8).reshape(rows, columns).astype(np.float64)


def _picture(path: Path, data: bytes) -> np.ndarray:
    """Return the first channel of a picture, as 8 bits."""
    try:
        from PIL import Image
    except ImportError:
        raise ValueError('pictures need Pillow: pip install "tribo[mesh]"') from None
    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as picture:
            if picture.width * picture.height > MAX_SAMPLES:
                raise ValueError(f"{picture.width} × {picture.height} samples are too many")
            if picture.mode.startswith("I"):
                return (np.asarray(picture, np.int64) >> 8)[::-1].astype(np.float64)
            wide = picture if picture.mode in {"L", "LA", "RGB", "RGBA"} else picture.convert("RGB")
            pixels = np.asarray(wide, np.float64)
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"{path}: not a PNG picture of heights: {error}") from None
    return (pixels if pixels.ndim == 2 else pixels[:, :, 0])[::-1]
