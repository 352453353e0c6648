"""A USD file as plain prims: OpenUSD reads it in a process of its own, `worker`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks.check import LARGEST
from tribo.checks.files import NotPlainError, plain
from tribo.description.trees import DescriptionError
from tribo.formats.nodes import Written
from tribo.formats.report import Report
from tribo.formats.usd import worker

PATIENCE = 600.0  # [s] by the clock: the process itself counts the seconds that it works
LARGEST_ANSWER = 1 << 30  # [byte]
TURN_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # y up to z up
SIDEWAYS = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # x up to z up
UP = {"Z": np.eye(3), "Y": TURN_UP, "X": SIDEWAYS}
DIED = "OpenUSD could not read it: its process ended with code {}; the file is damaged, or too large"


@dataclass(slots=True)
class Prim(Written):
    """Contents of a prim of a stage."""

    path: str  # "/World/arm"
    type: str  # "Cube", "PhysicsRevoluteJoint" …
    applied: frozenset[str]  # names of its applied schemas
    world: np.ndarray | None  # (4, 4) from its axes and units to the world, z up, in metres; None: no place
    report: Report  # takes remarks on it
    values: dict[str, Any]  # attributes that speak of physics
    targets: dict[str, list[str]]  # paths that its relations name
    shape: dict[str, Any] = field(default_factory=dict)  # of a geometry: its numbers, colour and material

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"<{self.path}>"

    def number(self, name: str, default: float) -> float:
        """Return an attribute; infinite numbers are what it can be unless they are none.

        Raises:
            DescriptionError: It is no number, or too large to calculate with.
        """
        value = self.values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or np.isnan(value):
            raise self.error(f"{name} must be a number, got {str(value)[:100]!r}")
        if np.isfinite(value) and abs(value) > LARGEST:
            return float(np.copysign(np.inf, value))
        return float(value)

    def vector(self, name: str, count: int, default: Sequence[float]) -> np.ndarray:
        """Return an attribute of several numbers.

        Raises:
            DescriptionError: They are not `count`, not finite or too large.
        """
        value = self.values.get(name, list(default))
        are_numbers = isinstance(value, list) and all(isinstance(x, (int, float)) for x in value)
        made = np.array(value, np.float64) if are_numbers else np.zeros(0)
        if made.shape != (count,) or not np.abs(made).max() <= LARGEST:
            raise self.error(f"{name} must be {count} numbers of at most {LARGEST:g}, got {str(value)[:100]}")
        return made

    def is_set(self, name: str, *, default: bool) -> bool:
        """Return an attribute that is true or false."""
        return bool(self.values.get(name, default))


@dataclass(slots=True)
class Stage:
    """A USD file: its prims, lengths in metres, z up."""

    path: Path | None  # None: text
    metres: float  # of one unit of the file
    kilograms: float
    up: np.ndarray  # (3, 3) from its axes to those of tribo
    prims: dict[str, Prim]  # by path, in the order of the stage
    notes: list[str]  # omissions
    report: Report  # takes remarks
    _data: bytes = b""

    def array(self, prim: Prim, name: str) -> np.ndarray:
        """Return an array of a mesh: "points" (n, 3) in its own units, counts or indices."""
        first, length = prim.shape[name]
        data = self._data[first : first + length]
        return np.frombuffer(data, np.float64 if name == "points" else np.int32)


def open_stage(source: str | Path, package_dirs: Sequence[Path], report: Report) -> Stage:
    """Read a USD file (.usd, .usda, .usdc, .usdz), or text that begins with "#usda".

    Layers that it names are read if they lie in its folder, below it, or in `package_dirs`.

    Raises:
        DescriptionError: It is no USD, broken, or too large.
        ImportError: OpenUSD is missing.
    """
    found = find_spec("pxr")
    if found is None or not found.submodule_search_locations:
        raise ImportError('USD files need OpenUSD: pip install "tribo[usd]"')
    packages = str(Path(next(iter(found.submodule_search_locations))).parent)
    if isinstance(source, str) and source.lstrip().startswith("#usda"):
        with tempfile.TemporaryDirectory(prefix="tribo-") as folder:
            path = Path(folder) / "text.usda"
            path.write_text(source.lstrip(), "utf-8")
            return _stage(None, "USD text", path, package_dirs, packages, report)
    path = Path(source)
    try:
        plain(path)
    except NotPlainError as error:
        raise DescriptionError(f"{path}: {error}") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise DescriptionError(f"{str(path)[:200]}: cannot be read ({why})") from None
    return _stage(path, str(path), path.resolve(), package_dirs, packages, report)


def _stage(
    source: Path | None, what: str, path: Path, package_dirs: Sequence[Path], packages: str, report: Report
) -> Stage:  # fmt: skip
    """Let the worker read a file and return what it found."""
    roots = [str(path.resolve().parent), *(str(Path(folder).resolve()) for folder in package_dirs)]
    wanted = {"path": str(path.resolve()), "roots": roots, "packages": packages}
    answer = _work(json.dumps(wanted).encode(), what)
    try:
        length = int(answer[: worker.HEAD])
        found = json.loads(answer[worker.HEAD : worker.HEAD + length])
    except ValueError:
        raise DescriptionError(f"{what}: {DIED.format('0, without a word')}") from None
    if "refused" in found:
        raise DescriptionError(f"{what}: {found['refused']}")
    metres, kilograms = float(found["metres"]), float(found["kilograms"])
    for value, name in ((metres, "metersPerUnit"), (kilograms, "kilogramsPerUnit")):
        if not 1e-9 <= value <= 1e9:
            raise DescriptionError(f"{what}: {name} must be from 1e-9 to 1e9, got {value:g}")
    up = UP.get(found["up"], UP["Z"])
    whole = np.eye(4)
    whole[:3, :3] = metres * up
    prims = {}
    for item in found["prims"]:
        world = None
        if "world" in item:
            world = whole @ np.array(item["world"], np.float64).reshape(4, 4).T
            if not np.abs(world).max() <= LARGEST:
                raise DescriptionError(
                    f"{what}: <{item['path']}>: its place must be finite and at most {LARGEST:g} m"
                )
        shape = {k: v for k, v in item.items() if k not in _COMMON}
        prims[item["path"]] = Prim(
            item["path"], item["type"], frozenset(item["applied"]), world, report, item["values"],
            item["targets"], shape,
        )  # fmt: skip
    data = answer[worker.HEAD + length :]
    return Stage(source, metres, kilograms, up, prims, found["notes"], report, data)


_COMMON = ("path", "type", "applied", "world", "values", "targets")


def _work(wanted: bytes, what: str) -> bytes:
    """Return the answer of the worker.

    Raises:
        DescriptionError: It died, or said too much.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PXR_", "USD"))}
    with tempfile.TemporaryFile() as answer:
        process = subprocess.Popen(
            [sys.executable, "-I", worker.__file__], env=kept, stdin=subprocess.PIPE, stdout=answer,
            stderr=subprocess.DEVNULL, start_new_session=True,  # Ctrl-C is for who started it
        )  # fmt: skip
        try:
            process.communicate(wanted, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise DescriptionError(f"{what}: OpenUSD needs more than {PATIENCE:g} s for it") from None
        finally:
            process.kill()
            process.wait()
        if process.returncode:
            raise DescriptionError(f"{what}: {DIED.format(process.returncode)}")
        if answer.seek(0, os.SEEK_END) > LARGEST_ANSWER:
            raise DescriptionError(f"{what}: holds more than {LARGEST_ANSWER >> 20} MiB of geometry")
        answer.seek(0)
        return answer.read()
