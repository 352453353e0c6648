"""Files of compiled code that are found by what they were made of.

A file is named after a hash over all that its content depends on, so nothing in it can be out of date: after
an edit another name is asked for. Each begins with a hash over the rest; what does not agree with it counts
as not there, and that is said. Files are written beside their place and moved there whole, so any number of
processes may read and write at once. Files unused for a month are removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pathlib
import time

from tribo.compiler.sources import cache_root

logger = logging.getLogger("tribo")

_DIGEST = 32  # bytes of SHA-256
_UNUSED = 30 * 24 * 3600.0  # [s] after which a file is removed
_DAY = 24 * 3600.0  # [s] how often files are looked through, and how fresh a mark of use must be


def place() -> pathlib.Path:
    """Return the folder of the files."""
    return cache_root() / "kernels"


def key(*facts: object) -> str:
    """Return the name of what depends on these facts and nothing else."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _path(name: str) -> pathlib.Path:
    return place() / name[:2] / name


def read(name: str) -> bytes | None:
    """Return what is kept under a name, None if there is nothing, or nothing that is whole."""
    path = _path(name)
    try:
        content = path.read_bytes()
        if time.time() - path.stat().st_mtime > _DAY:
            with contextlib.suppress(OSError):
                os.utime(path)
    except OSError:
        return None
    if hashlib.sha256(content[_DIGEST:]).digest() != content[:_DIGEST]:
        logger.warning("%s is damaged: compiled again", path)
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    return content[_DIGEST:]


said: set[str] = set()  # reasons for which kernels are not kept, in this process


def is_there(name: str) -> bool:
    """Tell whether something is kept under a name."""
    return _path(name).exists()


def write(name: str, content: bytes) -> bool:
    """Keep something under a name; where that fails, say so once, return False and go on.

    Another process may have kept the same meanwhile: either of the two is right.
    """
    path = _path(name)
    beside = path.with_name(f"{name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(hashlib.sha256(content).digest() + content)
        beside.replace(path)
        return True
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        not_kept(str(place()), error)
        return False


def not_kept(folder: str, error: Exception) -> None:
    """Say once per reason that kernels are not kept: each of them would meet it again."""
    reason = str(error.strerror) if isinstance(error, OSError) else type(error).__name__
    if reason in said:
        return
    said.add(reason)
    logger.warning(
        "compiled kernels cannot be kept in %s (%s): every process compiles them again; make room or "
        "the folder writable, or set NUMBA_CACHE_DIR to another one",
        folder, error,
    )  # fmt: skip


def tidy() -> None:
    """Remove what nobody used for a month; looks at most once a day."""
    mark, now = place() / "looked", time.time()
    with contextlib.suppress(OSError):
        if mark.exists() and now - mark.stat().st_mtime < _DAY:
            return
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
        for path in place().glob("??/*"):
            with contextlib.suppress(OSError):
                if now - path.stat().st_mtime > _UNUSED:
                    path.unlink()
