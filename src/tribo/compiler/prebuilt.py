"""The library of prebuilt machine code: which one fits, if any, and what is in it.

`tribo.tools.prebuild` writes two shared libraries, for processors of the level x86-64-v3 (AVX2, FMA) and for
all x86-64, and a list of contents beside them. They are looked for in the package (a wheel has them there)
and in the cache folder (for clones, shared by all environments of a machine). A library is used if the hash
over all sources that shape it is that of the sources here. Sources that were edited are compiled instead,
without a word; files that are damaged are said.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import logging
import pathlib
import platform
import sys
from collections.abc import Callable
from typing import Any

from tribo.compiler.sources import PACKAGE, PREBUILT, cache_root, digest
from tribo.compiler.switches import DISABLED, INSPECTED, KERNELS

logger = logging.getLogger("tribo")

MODULE = "tribo_kernels"  # what the libraries call themselves
CONTENTS = "kernels.json"  # the list beside them
LEVELS = ("x86-64-v3", "x86-64")  # processors for which libraries are built, the fastest first
REMEDY = "install tribo again, or `make kernels` in a clone"


class DamagedError(Exception):
    """A library, or the list of contents beside it, is not as it was written."""


@functools.cache
def sources() -> str:
    """Return the hash over all sources that shape a library."""
    return digest(PREBUILT)


def machine() -> str:
    """Return system and processor of this machine, as lists of contents name them.

    A Python without its lock has objects of another layout: the stable ABI is not for it.
    """
    lock = "-free-threaded" if "t" in getattr(sys, "abiflags", "") else ""
    return f"{sys.platform}-{platform.machine().lower()}{lock}"


def cache_place() -> pathlib.Path:
    """Return the folder of the cache where a library for these sources is, or would be."""
    return cache_root() / "prebuilt" / sources()[:16]


def places() -> tuple[pathlib.Path, ...]:
    """Return where libraries are looked for, first choice first."""
    return PACKAGE / "_prebuilt", cache_place()


def read_contents(folder: pathlib.Path) -> dict[str, Any] | None:
    """Return the list of contents of a folder, None if there is none.

    Raises:
        DamagedError: It cannot be read, or lacks something.
    """
    try:
        found = json.loads((folder / CONTENTS).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise DamagedError(f"{folder / CONTENTS} cannot be read ({error})") from error
    try:
        texts = [found["sources"], found["machine"]]
        for row in found["libraries"].values():
            texts += [row["file"], row["sha256"]]
    except (KeyError, TypeError, AttributeError):
        texts = [None]
    if not all(isinstance(text, str) for text in texts):
        raise DamagedError(f"{folder / CONTENTS} is no list of contents")
    return dict(found)


def load(folder: pathlib.Path, said: dict[str, Any]) -> Any:
    """Return the first library of a list of contents that this processor can run, None if there is none.

    A damaged one is gone round, which is said, where there is one for more processors.

    Raises:
        DamagedError: A file is missing or is not what the list says, and no other one is there in its place;
            nothing of it has run.
    """
    damages = []
    for level in LEVELS:
        if level not in said["libraries"]:
            continue
        try:
            library = _open(folder / said["libraries"][level]["file"], level, said)
        except DamagedError as error:
            damages.append(str(error))
            continue
        if library.is_supported:
            for damage in damages:
                logger.warning("%s: %s is used, which is slower; %s", damage, library.__file__, REMEDY)
            return library
    if damages:
        raise DamagedError("; ".join(damages))
    return None


def _open(path: pathlib.Path, level: str, said: dict[str, Any]) -> Any:
    """Return a library.

    Raises:
        DamagedError: It is missing or is not what the list says; nothing of it has run.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DamagedError(f"{path} cannot be read ({error})") from error
    if hashlib.sha256(content).hexdigest() != said["libraries"][level]["sha256"]:
        raise DamagedError(f"{path} is not as it was written")
    loader = importlib.machinery.ExtensionFileLoader(MODULE, str(path))
    spec = importlib.util.spec_from_file_location(MODULE, path, loader=loader)
    assert spec is not None
    try:
        library = importlib.util.module_from_spec(spec)
        loader.exec_module(library)
    except ImportError as error:
        raise DamagedError(f"{path} cannot be loaded ({error})") from error
    if library.sources != said["sources"]:
        raise DamagedError(f"{path} was made of other sources than {CONTENTS} says")
    return library


_reasons: list[str] = []


def reason() -> str:
    """Return why the prebuilt library is not used, or not enough."""
    if LIBRARY is not None:
        return "something is wanted that the prebuilt library does not have"
    return "; ".join(_reasons) or "no prebuilt library fits these sources and this machine"


def _find() -> Any:
    """Return the library to use, None: there is none that fits, or none is wanted."""
    if DISABLED:
        return None
    if KERNELS == "compiled" or INSPECTED:
        _reasons.append(f"{INSPECTED[0] if INSPECTED else 'TRIBO_KERNELS=compiled'} is set")
        return None
    damages = []
    library = None
    for folder in places():
        try:
            said = read_contents(folder)
            if said is None or said["machine"] != machine():
                continue
            if said["sources"] != sources():
                _reasons.append("the sources were edited since the library was built")
                continue
            library = load(folder, said)
        except DamagedError as error:
            _reasons.append(f"{error}; {REMEDY}")
            damages.append(error)
            continue
        if library is not None:
            break
        _reasons.append("no prebuilt library is for this processor")
    if library is not None or _can_compile():  # else there will be an error, which says it
        for damage in damages:
            logger.warning("%s: not used; %s", damage, REMEDY)
    return library


def _can_compile() -> bool:
    """Tell whether kernels may be compiled, and there is what compiles them."""
    return KERNELS != "prebuilt" and importlib.util.find_spec("numba") is not None


NO_COMPILER = "tribo must compile its kernels: {}. For that it needs Numba: pip install 'tribo[jit]'"
LIBRARY: Any = _find()
if LIBRARY is None and KERNELS == "prebuilt" and not DISABLED:
    raise ImportError(f"TRIBO_KERNELS=prebuilt, but {reason()}")
if LIBRARY is None and not DISABLED and not _can_compile():
    raise ImportError(NO_COMPILER.format(reason()))


def entry(name: str) -> Callable[..., Any] | None:
    """Return the machine code of a function that Python calls, None: it is not in the library."""
    found: Callable[..., Any] | None = None if LIBRARY is None else LIBRARY.entries.get(name)
    return found


def address(name: str) -> int | None:
    """Return the address of a function that a step calls by address, None: it is not in the library."""
    found: int | None = None if LIBRARY is None else LIBRARY.late.get(name)
    return found
