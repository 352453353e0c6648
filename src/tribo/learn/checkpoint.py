"""Checkpoints of a training, and the folder that it keeps to itself."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks.array_files import checked_archive, read_limited
from tribo.checks.files import to_read
from tribo.checks.replacing import write_whole
from tribo.learn.torch_extra import torch

LARGEST = 1 << 32  # [bytes] of a checkpoint


@contextmanager
def held(folder: str | Path) -> Iterator[None]:
    """Keep a folder to this process while a block runs; a process that dies, of whatever, lets go of it.

    On systems without `fcntl` nothing is kept.

    Args:
        folder: Which; it is made.

    Raises:
        BlockingIOError: Another process keeps it.
        NotADirectoryError: There is a file of that name.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, held(folder):
        ...     sorted(path.name for path in Path(folder).iterdir())
        ['.lock']
    """
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise NotADirectoryError(f"{place}: is a file; a training is kept in a folder of its own")
    place.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (place / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BlockingIOError(
                f"{place}: another process trains in this folder; end it first, or take another folder"
            ) from None
        yield


def save(path: str | Path, state: dict[str, Any]) -> None:
    """Write a checkpoint: dictionaries and lists of numbers, texts, arrays and tensors."""
    stream = io.BytesIO()
    torch().save(_packed(state), stream)
    write_whole(path, stream.getvalue())


def load(path: str | Path) -> dict[str, Any]:
    """Read a checkpoint; nothing in it is executed.

    Raises:
        OSError: There is no such file.
        ValueError: It is no checkpoint, or was damaged.
    """
    import pickle

    try:
        data = read_limited(to_read(path, "a checkpoint"), LARGEST)
    except ValueError as error:
        raise ValueError(f"{path}: is no checkpoint of 'tribo train': {error}") from None
    try:
        with checked_archive(data, LARGEST) as archive:
            damaged = archive.testzip()  # PyTorch does not look at the check sums
    except (
        zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, LookupError,
        struct.error, OverflowError,
    ) as error:  # fmt: skip  # a flipped bit of the table is any of these
        raise ValueError(f"{path}: is no checkpoint of 'tribo train': {error}") from None
    if damaged is not None:
        raise ValueError(f"{path}: was damaged: the check sum of {damaged} is wrong")
    try:
        state: dict[str, Any] = _unpacked(torch().load(io.BytesIO(data), weights_only=True))
    except pickle.UnpicklingError:  # PyTorch's words would advise to execute it
        raise ValueError(
            f"{path}: is no checkpoint of 'tribo train': it holds more than numbers, texts and arrays; "
            "nothing of it was executed"
        ) from None
    except Exception as error:  # of a reader that expects files of its own
        raise ValueError(f"{path}: is no checkpoint of 'tribo train': {error}") from None
    return state


def _packed(value: Any) -> Any:
    """Return a value with arrays as tensors under a mark: what may be read without executing anything."""
    if isinstance(value, dict):
        return {name: _packed(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_packed(item) for item in value]
    if isinstance(value, np.ndarray):
        return {
            "__array__": torch().from_numpy(np.ascontiguousarray(value).copy()),
            "shape": list(value.shape),
        }
    return value


def _unpacked(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {"__array__", "shape"}:
            return value["__array__"].numpy().reshape(value["shape"])
        return {name: _unpacked(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_unpacked(item) for item in value]
    return value
