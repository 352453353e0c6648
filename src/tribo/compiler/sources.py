"""Which sources compiled code is made of, and where it is kept."""

from __future__ import annotations

import hashlib
import os
import pathlib
import sys
from collections.abc import Iterable

# Compiled layers, lowest first. Siblings may stand in any order.
LAYERS = (
    "compiler",
    "math",
    "enums",
    "ground_kernels",
    "work",
    "model",
    "dynamics",
    "collision",
    "contact",
    "step",
    "batch_kernels",
    "engine.run_at",
)
# A layer beside the step, and the highest layer that it rests on: an edit in it leaves the step alone.
BESIDE = {"queries": "dynamics", "probes": "collision"}
# What else shapes a prebuilt library: which functions are in it, with which arguments.
PREBUILT = (*LAYERS, *BESIDE, "engine.prebuilt_entries")

PACKAGE = pathlib.Path(__file__).parents[1]


def module_process(module: str) -> tuple[list[str], dict[str, str]]:
    """Return the command that runs a module of tribo, and its environment: it imports what this process can.

    Nothing else: the folder in which the program runs may hold files of others.
    """
    path = [str(PACKAGE.parent), *(os.path.abspath(place) for place in sys.path if place)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    return [sys.executable, "-P", "-m", module], environment


def cache_root() -> pathlib.Path:
    """Return the folder under which compiled kernels are kept (``NUMBA_CACHE_DIR`` wins)."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return pathlib.Path(chosen)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache") / "tribo"


def _home() -> pathlib.Path:
    """Return the user's folder; who has none, as in a container, has one that cannot be made."""
    try:
        return pathlib.Path.home()
    except RuntimeError:
        return pathlib.Path("/nonexistent")


def files_of(layer: str) -> list[pathlib.Path]:
    """Return the source files of a layer: a folder, a file of the root, or one named by itself."""
    place = PACKAGE / layer.replace(".", "/")
    if not place.is_dir():
        return [place.with_suffix(".py")]
    return [
        pathlib.Path(folder, name)
        for folder, _, names in os.walk(place)
        for name in names
        if name.endswith((".py", ".c")) and not name.startswith(".")  # an editor's mark may lead nowhere
    ]


def digest(layers: Iterable[str], facts: object = None) -> str:
    """Return a hash, 64 hexadecimal digits, over paths and contents of the sources of some layers.

    Raises:
        ImportError: The package has no source files, or they are in a zip file.
    """
    key = hashlib.sha256(repr(facts).encode())
    for layer in layers:
        for path in sorted(files_of(layer)):
            try:
                content = path.read_bytes().replace(b"\r\n", b"\n")
            except OSError as error:
                raise ImportError(
                    f"{path} cannot be read ({error.strerror}): tribo tells by its sources what machine code "
                    "fits; install it as files, not as a zip file, with its .py files"
                ) from None
            key.update(f"{path.relative_to(PACKAGE).as_posix()} {len(content)}\n".encode())
            key.update(content)
    return key.hexdigest()
