"""Arrays in .npz files and JSON of others: sizes are checked before memory is taken, nothing is evaluated.

NumPy's own reader evaluates each header as Python and allocates what it claims. Here a header must have the
one form in which NumPy writes it, of a kind of numbers or text, and the length that it claims must be that
of the bytes which follow.
"""

from __future__ import annotations

import io
import json
import math
import re
import struct
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks.files import plain, to_read

MAX_ARRAYS = 4096
_HEADER = re.compile(
    rb"\{'descr': '([<>|](?:b1|[iuf][1248]|U[0-9]{1,6}))', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,15},? ?)*)\), \}[ ]*\n"
)
_HEADS = {b"\x01\x00": struct.Struct("<H"), b"\x02\x00": struct.Struct("<I")}  # by version
_MAGIC = b"\x93NUMPY"
_DAMAGED = (  # what Python's reader of archives raises
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError, LookupError,
    OverflowError,
)  # fmt: skip


def read_arrays(path: str | Path, largest: int) -> dict[str, np.ndarray]:
    """Read all arrays of an .npz file.

    Args:
        path: Of the file.
        largest: [bytes] Most that the file may have, and most that its arrays may have together.

    Raises:
        OSError: There is no such file, or it cannot be read.
        ValueError: It is no .npz file of numbers and texts, damaged, or too large; the message does not
            name it.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     np.savez(Path(folder) / "a.npz", x=np.arange(3.0))
        ...     read_arrays(Path(folder) / "a.npz", 1 << 20)
        {'x': array([0., 1., 2.])}
    """
    file = to_read(path, "arrays")
    content = read_limited(file, largest)
    try:
        with checked_archive(content, largest) as archive:
            return {item.filename.removesuffix(".npy"): _array(archive, item) for item in archive.infolist()}
    except _DAMAGED as error:
        raise ValueError(str(error) or type(error).__name__) from None


def read_limited(path: Path, largest: int) -> bytes:
    """Read a plain file that has at most so many bytes.

    Raises:
        OSError: It cannot be read.
        ValueError: It is a pipe or device, or larger.
    """
    size = plain(path).st_size
    if size > largest:
        raise ValueError(f"it has {size} bytes, at most {largest} are read")
    with path.open("rb") as stream:
        return stream.read(size)  # memory is taken for what is asked, before a byte is read


def checked_archive(content: bytes, largest: int) -> zipfile.ZipFile:
    """Open an archive whose parts have together at most so many bytes.

    Raises:
        ValueError: It has more of them, or more than 4096 parts, or parts packed in unusual ways.
        Exception: Of `zipfile`: it is none, or damaged.
    """
    archive = zipfile.ZipFile(io.BytesIO(content))
    items = archive.infolist()
    if len(items) > MAX_ARRAYS:
        raise ValueError(f"it has {len(items)} parts, at most {MAX_ARRAYS} are read")
    size = sum(item.file_size for item in items)
    if size > largest:
        raise ValueError(f"it has {size} bytes of arrays, at most {largest} are read")
    if any(item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for item in items):
        raise ValueError("its parts are packed in a way that is not read")
    return archive


def _array(archive: zipfile.ZipFile, item: zipfile.ZipInfo) -> np.ndarray:
    """Read one array; at most as many bytes as the archive's table says, which are checked already."""
    with archive.open(item) as stream:
        data = stream.read(item.file_size)
        if stream.read(1):
            raise ValueError(f"{item.filename!r} is longer than the archive says")
    head = _HEADS.get(data[6:8])
    if not data.startswith(_MAGIC) or head is None:
        raise ValueError(f"{item.filename!r} is no array")
    begin = 8 + head.size
    (length,) = head.unpack_from(data, 8)
    said = _HEADER.fullmatch(data[begin : begin + length])
    if said is None:
        raise ValueError(f"{item.filename!r} is no array of numbers or text")
    kind = np.dtype(said[1].decode())
    shape = tuple(int(n) for n in re.findall(rb"[0-9]+", said[3]))
    if math.prod(shape) * kind.itemsize != len(data) - begin - length:
        raise ValueError(f"{item.filename!r} has not the size that it claims, {shape} of {kind}")
    if kind.itemsize == 0:
        return np.zeros(shape, kind)
    flat = np.frombuffer(data, kind, offset=begin + length)
    letters = flat.view(f"{kind.byteorder}u4") if kind.kind == "U" else np.zeros(0)
    if letters.size and int(letters.max()) > sys.maxunicode:
        raise ValueError(f"{item.filename!r} holds what is no text")
    made = flat.reshape(shape, order="F" if said[2] == b"True" else "C")
    return np.array(made, kind.newbyteorder("="))


def to_json(value: Any) -> bytes:
    """Return numbers, text and arrays in lists and tuples as JSON: bit for bit.

    Example:
        >>> to_json([1, np.zeros(1)])
        b'[1, {"array": "<f8", "shape": [1], "bytes": "0000000000000000"}]'
    """
    return json.dumps(value, default=_words).encode()


def of_json(text: bytes) -> Any:
    """Return what `to_json` wrote, lists for tuples; arrays can only be read.

    Raises:
        ValueError: It is damaged.

    Example:
        >>> of_json(to_json([1, np.arange(2.0)]))
        [1, array([0., 1.])]
    """
    try:
        return json.loads(text, object_hook=_of_words)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("it cannot be read") from error


def _words(array: np.ndarray) -> dict[str, Any]:
    made = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return {"array": made.dtype.str, "shape": array.shape, "bytes": made.tobytes().hex()}


def _of_words(said: dict[str, Any]) -> np.ndarray:
    shape = said.get("shape", ())
    if said.keys() != {"array", "shape", "bytes"} or said["array"] not in ("<f8", "<i8", "<i4"):
        raise ValueError("this is no array")
    if any(type(size) is not int or size < 0 for size in shape):
        raise ValueError("this is no shape")
    return np.frombuffer(bytes.fromhex(said["bytes"]), said["array"]).reshape(shape)
