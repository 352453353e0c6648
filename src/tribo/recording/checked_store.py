"""Reading the files of a recording without trusting them.

Everything that decides about memory is compared with what the writer would have written before Zarr sees
it: sizes, chunk shapes, codecs, and the lengths in the header of each chunk. Nothing outside of the
recording's own folder is opened, and nothing in it can be code.
"""

from __future__ import annotations

import json
import os
import stat
import struct
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.recording import fields
from tribo.recording.fields import Field

ATTRIBUTE_BYTES = 1 << 16  # most of the text that describes an array
READ_BYTES = 1 << 32  # most that one array may take in memory
COUNT = 1 << 40  # frames, contacts
SIZE = 1 << 22  # coordinates, bodies
BLOSC_HEADER = struct.Struct("<4B3I")  # versions, flags, type size; bytes, block, compressed bytes
CHECKSUM = 4  # [bytes] behind the compressed ones


class RecordingError(ValueError):
    """A file is no recording, or a damaged one; the message says what is wrong and where."""


class CheckedStore:
    """The files of a recording.

    Args:
        path: The recording's folder.

    Raises:
        FileNotFoundError: There is nothing.
        RecordingError: It is no recording of tribo, or damaged.
    """

    def __init__(self, path: Path) -> None:
        """Read what describes the recording; arrays are read when they are asked for."""
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such recording")
        if not path.is_dir():
            raise RecordingError(f"{path}: is no recording of tribo, which is a folder (of Zarr)")
        self.path = path
        self._root = os.path.realpath(path)
        said = self._attributes("zarr.json", ATTRIBUTE_BYTES)
        if said.get("format") != fields.FORMAT:
            raise RecordingError(
                f"{path}: is no recording of tribo (its format is {_brief(said.get('format'))})"
            )
        version = said.get("version")
        if type(version) is not int or not 1 <= version <= fields.VERSION:
            raise RecordingError(
                f"{path}: version {_brief(version)} of the format is not 1 to {fields.VERSION}; read it "
                "with the version of tribo that wrote it"
            )
        self.version: int = version
        self.frames = self._count(said, "frames", COUNT)
        self.contacts = self._count(said, "contacts", COUNT)
        self.is_complete = said.get("complete") is True
        said.setdefault("stretches", 1)
        self.stretches = self._count(said, "stretches", fields.STRETCHES)
        self.model = self._attributes("model/zarr.json", fields.MODEL_BYTES)
        sizes = self.model.get("sizes")
        if not isinstance(sizes, dict):
            raise self.damaged("model/zarr.json", "has no sizes")
        self.sizes = {key: self._count(sizes, key, SIZE) for key in ("nq", "nv", "nbody")}
        self._chunk = self._count(said, "chunk", fields.FRAMES_AT_MOST)
        if self._chunk < 1:
            raise self.damaged("zarr.json", "chunk must be ≥ 1")
        self._check_model()

    def stretch(self, number: int) -> CheckedStore:
        """Return the files of another stretch of frames, in a folder of this recording.

        Raises:
            RecordingError: It is missing, damaged, or a link.
        """
        path = fields.folder_of_stretch(self.path, number)
        if os.path.realpath(path) != os.path.join(self._root, path.name) or not path.is_dir():
            raise self.damaged(path.name, "is no folder of the recording's own")
        return CheckedStore(path)

    def damaged(self, where: str, what: str) -> RecordingError:
        """Return the error that a file of the recording is not as it was written."""
        return RecordingError(f"{self.path}: damaged recording: {where} {what}")

    def _count(self, said: dict[str, Any], key: str, most: int) -> int:
        value = said.get(key)
        if type(value) is not int or not 0 <= value <= most:
            raise self.damaged("zarr.json", f"says {key} = {_brief(value)}, not a number from 0 to {most}")
        return value

    def _check_model(self) -> None:
        """Refuse a model whose lists do not fit one another."""
        model, sizes, file = self.model, self.sizes, "model/zarr.json"
        try:
            for key, count in (("coordinates", "nq"), ("dofs", "nv"), ("bodies", "nbody")):
                names = [item["name"] for item in model[key]]
                if len(names) != sizes[count] or not all(isinstance(name, str) for name in names):
                    raise self.damaged(file, f"does not name {sizes[count]} {key}")
            if not all(
                isinstance(item["unit"], str) for key in ("coordinates", "dofs") for item in model[key]
            ):
                raise self.damaged(file, "has a unit that is no text")
            for item in model["objects"]:
                for key, count in (("q", "nq"), ("v", "nv"), ("bodies", "nbody")):
                    first, stop = item[key]
                    if (
                        not isinstance(item["name"], str)
                        or type(first) is not int
                        or type(stop) is not int
                        or not 0 <= first <= stop <= sizes[count]
                    ):
                        raise self.damaged(file, f"has an object whose {key} are out of range")
        except (LookupError, TypeError, ValueError) as error:
            if isinstance(error, RecordingError):
                raise
            raise self.damaged(file, f"does not describe a model ({error!r})") from None

    # -- files ---------------------------------------------------------------------------------
    def _open(self, name: str, most: int) -> tuple[str, int]:
        """Return path and size of a plain file inside of the recording."""
        path = os.path.join(self._root, *name.split("/"))
        try:
            about = os.lstat(path)
        except OSError:
            raise self.damaged(name, "is missing") from None
        if not stat.S_ISREG(about.st_mode) or os.path.realpath(path) != path:
            raise self.damaged(name, "is no plain file of the recording's own folder")
        if about.st_size > most:
            raise self.damaged(name, f"has {about.st_size} bytes, at most {most} belong there")
        return path, about.st_size

    def _json(self, name: str, most: int) -> dict[str, Any]:
        path, _ = self._open(name, most)
        try:
            said = json.loads(Path(path).read_bytes())
        except (ValueError, RecursionError) as error:
            raise self.damaged(name, f"is no JSON ({_brief(error)})") from None
        if not isinstance(said, dict):
            raise self.damaged(name, "describes nothing")
        return said

    def _attributes(self, name: str, most: int) -> dict[str, Any]:
        said = self._json(name, most)
        found = said.get("attributes")
        if said.get("zarr_format") != 3 or said.get("node_type") != "group" or not isinstance(found, dict):
            raise self.damaged(name, "describes no group of Zarr, format 3, with attributes")
        return found

    # -- arrays --------------------------------------------------------------------------------
    def read(self, field: Field, first: int, stop: int) -> np.ndarray:
        """Return rows of an array, (stop − first, …).

        Raises:
            ImportError: Zarr is missing; the message names the extra.
            MemoryError: They are too many to be read at once.
            RecordingError: The array is damaged.
        """
        inner = fields.shape_of(field, self.sizes)
        shape = (stop - first, *inner)
        count = int(np.prod(shape, dtype=object))
        if count * 8 > READ_BYTES:
            raise MemoryError(
                f"{field.name} of {self.path} has {count} numbers, more than are read at once "
                f"({READ_BYTES // 8}); take a part of the time: recording.between(start, stop)"
            )
        if count == 0:
            return np.zeros(shape, field.dtype)
        if self.version < fields.SINCE.get(field.name, 1):
            return np.full(shape, np.nan)
        chunk = fields.chunk_of(field, self.sizes, self._chunk)
        self._check_array(field, chunk, inner, stop)
        for k in range(first // chunk[0], (stop - 1) // chunk[0] + 1):
            self._check_chunk(field, chunk, k)
        with check.needed(fields.NEEDS):
            import zarr
        try:
            array = zarr.open_array(os.path.join(self._root, field.name), mode="r", zarr_format=3)
            return np.asarray(array[first:stop])
        except Exception as error:  # a broken file raises whatever its reader stumbles over
            raise self.damaged(field.name, f"cannot be read ({_brief(error)})") from None

    def _check_array(self, field: Field, chunk: tuple[int, ...], inner: tuple[int, ...], rows: int) -> None:
        """Refuse an array that is described otherwise than the writer does."""
        file = f"{field.name}/zarr.json"
        said = self._json(file, ATTRIBUTE_BYTES)
        grid = {"name": "regular", "configuration": {"chunk_shape": list(chunk)}}
        keys = {"name": "default", "configuration": {"separator": "/"}}
        wanted = {
            "zarr_format": 3, "node_type": "array", "data_type": field.dtype, "chunk_grid": grid,
            "chunk_key_encoding": keys, "codecs": fields.CODECS,
        }  # fmt: skip
        for key, value in wanted.items():
            if said.get(key) != value:
                raise self.damaged(file, f"says {key} = {_brief(said.get(key))}, not {_brief(value)}")
        if said.get("storage_transformers") not in ([], None):
            raise self.damaged(file, "asks for storage transformers, which recordings have not")
        shape = said.get("shape")
        counts = shape if isinstance(shape, list) and all(type(n) is int for n in shape) else [-1]
        if counts[1:] != list(inner) or not rows <= counts[0] <= 2 * COUNT:
            raise self.damaged(
                file, f"says shape = {_brief(shape)}, not {rows} or more rows of {list(inner)}"
            )

    def _check_chunk(self, field: Field, chunk: tuple[int, ...], k: int) -> None:
        """Refuse a chunk whose header speaks of more or less than its array's chunks hold."""
        name = "/".join([field.name, "c", str(k), *("0" for _ in chunk[1:])])
        size = 8 * int(np.prod(chunk))
        path, length = self._open(name, 2 * size + BLOSC_HEADER.size + CHECKSUM)
        with Path(path).open("rb") as stream:
            header = stream.read(BLOSC_HEADER.size)
        if len(header) < BLOSC_HEADER.size:
            raise self.damaged(name, "is cut short")
        *_, unpacked, block, packed = BLOSC_HEADER.unpack(header)
        if unpacked != size or block > max(size, 1) or packed != length - CHECKSUM:
            raise self.damaged(
                name, f"holds {packed} bytes for {unpacked}, not {length - CHECKSUM} for {size}"
            )


def _brief(value: Any) -> str:
    """Return a value as text of a length that suits a message."""
    text = str(value) if isinstance(value, Exception) else repr(value)
    return text if len(text) <= 120 else f"{text[:117]}…"
