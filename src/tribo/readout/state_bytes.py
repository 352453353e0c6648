"""The state of a world as one block of bytes: for another process, for later, for comparing.

Layout: magic, version, length of the header; the header (JSON: a digest of every field of the model, how
many properties a pair of materials has, what follows, how many contacts); the arrays one after the other,
little-endian; the sensors (JSON); a checksum. Nothing is executed and nothing is allocated that the world or
the length of the file does not account for: all sizes but the number of contacts and those of readings are
those of the world that reads.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.check import shown
from tribo.checks.files import NotPlainError, plain, to_read, to_write
from tribo.checks.replacing import write_whole
from tribo.engine.engine import Engine
from tribo.model import Integrator
from tribo.objects.contact import PER_CONTACT, SAID
from tribo.objects.world_view import WorldView

MAGIC = b"tribo state\n"
VERSION, FORMER = 6, 5  # the former has no sensors
_HEAD = struct.Struct("<12sII")  # magic, version, length of the header
_SUM = 32  # bytes of the checksum
_MAX_HEADER = 1 << 20
# Tables of the state with room for more than they hold, and which count says how many rows are in use.
COUNTS = {
    "warm_key": "warm_count", "warm_impulse": "warm_count",
    "yield_key": "yield_count", "yield_displacement": "yield_count", "yield_rate": "yield_count",
}  # fmt: skip
_OF = COUNTS | dict.fromkeys(PER_CONTACT, "contact_count")
_NAMES = ("warm_count", "yield_count", "contact_count")
_ROWS = {table: _NAMES.index(count) for table, count in _OF.items()}
_NOT_COMPARED = ("lazy_address",)  # belongs to this process


def _digest(array: np.ndarray, size: int = 8) -> str:
    return hashlib.blake2b(np.ascontiguousarray(array).tobytes(), digest_size=size).hexdigest()


def fingerprint(engine: Engine) -> dict[str, str]:
    """Return a digest of every field of the model: where two differ, the models do."""
    return {name: _digest(array) for name, array in engine.model.arrays.items() if name not in _NOT_COMPARED}


def _pair_properties(engine: Engine) -> int:
    """Return how many numbers the law of a pair of materials is: versions of tribo differ in it."""
    return int(engine.model.arrays["pair_table"].shape[-1])


def _counts(engine: Engine) -> tuple[int, int, int]:
    """Return how many contacts are remembered, how many displace compliant ground, how many touched."""
    state, work = engine.state, engine.work
    return int(state.warm_count[0]), int(state.yield_count[0]), int(work.contact_count[0])


def _parts(engine: Engine, counts: Sequence[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield name and view of everything that is kept; of tables with room to spare, rows up to a count."""
    work = engine.work.arrays
    kept = [
        (f"{record}.{name}", array)
        for record in ("state", "command", "settings")
        for name, array in getattr(engine, record).arrays.items()
    ]
    names = (*SAID, "contact_count", "applied_torque", *PER_CONTACT)
    for name, array in (*kept, *((f"work.{name}", work[name]) for name in names)):
        field = name.split(".")[1]
        yield name, array[:, : counts[_ROWS[field]]] if field in _ROWS else array


def state_digest(engine: Engine, e: int = 0) -> hashlib.blake2b:
    """Return the digest of all that the future of world e depends on, given its commands and model."""
    key, state = hashlib.blake2b(digest_size=8), engine.state.arrays
    for field, array in state.items():
        count = int(state[COUNTS[field]][e, 0]) if field in COUNTS else None
        row = array[e : e + 1] if count is None else array[e : e + 1, :count]
        key.update(field.encode())
        key.update(np.ascontiguousarray(row).tobytes())
    return key


def _listing(engine: Engine, counts: Sequence[int]) -> list[list[object]]:
    """Return name, type and shape of all parts; of tables with room to spare, as many rows as are used."""
    listed: list[list[object]] = []
    for name, array in _parts(engine, counts):
        shape = list(array.shape)
        field = name.split(".")[1]
        if field in _ROWS:
            shape[1] = counts[_ROWS[field]]
        listed.append([name, array.dtype.newbyteorder("<").str, shape])
    return listed


def dump(engine: Engine, sensors: bytes = b"[]") -> bytes:
    """Return the state, commands, settings and last results of world 0, and its `sensors` as they come."""
    counts = _counts(engine)
    header = json.dumps({
        "contacts": counts, "model": fingerprint(engine), "pair_properties": _pair_properties(engine),
        "arrays": _listing(engine, counts), "sensors": len(sensors),
    }).encode()  # fmt: skip
    parts = [_HEAD.pack(MAGIC, VERSION, len(header)), header]
    for _, array in _parts(engine, counts):
        parts.append(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    body = b"".join([*parts, sensors])
    return body + hashlib.blake2b(body, digest_size=_SUM).digest()


def _header(engine: Engine, blob: bytes) -> tuple[int, list[int], list[list[object]], int | None]:
    """Return where the arrays begin, numbers of contacts, the listing, bytes of sensors; all checked."""
    if len(blob) < _HEAD.size + _SUM or not blob.startswith(MAGIC):
        raise ValueError("this is no state of a tribo world (its first bytes are others)")
    _, version, length = _HEAD.unpack_from(blob)
    if version not in (VERSION, FORMER):
        raise ValueError(f"the state has format {version}, this version of tribo reads format {VERSION}")
    if length > _MAX_HEADER or len(blob) < _HEAD.size + length + _SUM:
        raise ValueError("the state is incomplete: its header does not fit into it")
    if hashlib.blake2b(blob[:-_SUM], digest_size=_SUM).digest() != blob[-_SUM:]:
        raise ValueError("the state is damaged: its checksum does not match")
    begin = _HEAD.size + length
    try:
        header = json.loads(blob[_HEAD.size : begin])
        warm, yielded, touching = counts = header["contacts"]
        model, listed = header["model"], header["arrays"]
        columns = header.get("pair_properties")
        sensors = None if version == FORMER else header["sensors"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError("the state is damaged: its header cannot be read") from error
    if any(type(n) is not int or n < 0 for n in (warm, yielded, touching, sensors or 0)):
        raise ValueError("the state is damaged: its number of contacts is none")
    own = fingerprint(engine)
    here = _pair_properties(engine)
    if columns is not None and columns != here:
        raise ValueError(
            "the state was written by another version of tribo: its pairs of materials have "
            f"{shown(columns)} properties, those of this version have {here}; write it anew with this version"
        )
    if model != own:
        known = model if isinstance(model, dict) else {}
        differ = [name for name in own if known.get(name) != own[name]]
        raise ValueError(
            f"the state belongs to a world with another model ({', '.join(differ[:5]) or 'its fields'} "
            f"{'differ' if len(differ) > 1 else 'differs'}, see tribo.model.Model); build the world as it "
            "was, or write the state anew if another version of tribo has written it"
        )
    if listed != _listing(engine, counts):
        raise ValueError("the state belongs to a world with other numbers of coordinates or commands")
    return begin, counts, listed, sensors


def load(engine: Engine, blob: bytes, unpacked: Callable[[bytes], Any] = bytes) -> Any:
    """Write a state into world 0, return that of sensors, `unpacked`, or None; refused, nothing has changed.

    Raises:
        ValueError: It is no state, damaged, of another format or of another model.
    """
    begin, counts, listed, length = _header(engine, blob)
    sizes = [int(np.prod(shape)) * np.dtype(kind).itemsize for _, kind, shape in listed]  # type: ignore[call-overload]
    if begin + sum(sizes) + (length or 0) + _SUM != len(blob):
        raise ValueError("the state is incomplete: it has not the length that its header says")
    found = {}
    for (name, kind, shape), size in zip(listed, sizes, strict=True):
        found[name] = np.frombuffer(blob, kind, int(np.prod(shape)), begin).reshape(shape)  # type: ignore[call-overload]
        begin += size
    _check(engine, found, counts)
    sensors = None if length is None else unpacked(blob[begin:-_SUM])
    engine.make_room(max(counts))
    for name, _ in list(_parts(engine, (0, 0, 0))):
        record, field = str(name).split(".")
        array = getattr(engine, record).arrays[field]
        saved = found[name]
        if field in _ROWS:
            array[...] = 0
            array[:, : saved.shape[1]] = saved
        else:
            array[...] = saved
    engine.work.arrays["row_count"][...] = 0  # what stands in the rows belongs to another step
    engine.filters_changed()
    return sensors


def _check(engine: Engine, found: dict[object, np.ndarray], counts: Sequence[int]) -> None:
    """Refuse numbers that no world leaves behind."""
    for name, array in found.items():
        record = str(name).split(".", maxsplit=1)[0]
        if record in ("state", "settings") and not np.isfinite(array).all():
            raise ValueError(f"the state is damaged: {name} is not finite")
    shape = found["work.contact_shape"]
    right = (
        int(found["state.warm_count"][0, 0]) == counts[0]
        and int(found["state.yield_count"][0, 0]) == counts[1]
        and int(found["work.contact_count"][0, 0]) == counts[2]
        and (shape >= 0).all()
        and (shape < engine.model.shape_kind.shape[0]).all()
        and float(found["settings.dt"].flat[0]) > 0.0
        and int(found["settings.integrator"].flat[0]) in set(Integrator)
        and int(found["settings.max_sweeps"].flat[0]) >= 1
    )
    if not right:
        raise ValueError("the state is damaged: some of its numbers are outside their range")


class StateFiles:
    """The part of a world that keeps its state outside the process."""

    def __init__(self, world: WorldView, sensors: Any) -> None:
        self._world, self._sensors = world, sensors

    def hash(self) -> str:
        """Return a digest of the state, 16 hexadecimal digits: equal bits, equal digest, in any process.

        It covers all that the future depends on but commands, settings and the model: positions, velocities,
        time, the memory of the last step. Compare it to find the first step in which two runs differ.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
            >>> before = world.hash()
            >>> world.step()
            >>> len(before), world.hash() == before
            (16, False)
        """
        return state_digest(self._world.engine).hexdigest()

    def dump_state(self) -> bytes:
        """Return state, commands, settings, sensors and the last step's results as bytes, for `load_state`.

        They carry a format number and a checksum, and fit a world that was built in the same way. From them
        the world and its sensors go on bit for bit, in another process as well.
        """
        self._world.check_editable("the state", "dumped")
        self._world.write_materials()
        return dump(self._world.engine, self._sensors.packed())

    def save_state(self, path: str | Path) -> None:
        """Write `dump_state` into a file; a file of that name is replaced as a whole or not at all."""
        target = to_write(check.path(path, "path"))
        write_whole(target, self.dump_state())

    def load_state(self, saved: bytes | str | Path) -> None:
        """Go on from a state that `dump_state` returned or `save_state` wrote.

        Args:
            saved: The bytes, or the file.

        Raises:
            ValueError: It is no state, incomplete, damaged, of another format, another model or other
                sensors; the message says which. The world stays as it was.
            OSError: The file cannot be read.

        Example:
            >>> import tribo
            >>> def build():
            ...     world = tribo.World()
            ...     world.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
            ...     return world
            >>> first, second = build(), build()
            >>> first.step(100)
            >>> second.load_state(first.dump_state())
            >>> second.hash() == first.hash()
            True
        """
        self._world.check_editable("the state")
        if isinstance(saved, str | Path):
            saved = self._read(to_read(saved, "a state"))
        check.instance(saved, bytes, "load_state takes bytes or the path of a file")
        self._world.write_materials()
        self._sensors.forget_last_step(load(self._world.engine, saved, self._sensors.unpacked))

    def _read(self, path: Path) -> bytes:
        """Read a file that can be a state of this world, and no more of it."""
        engine = self._world.engine
        fixed = sum(array.nbytes for _, array in _parts(engine, (0, 0, 0)))
        try:
            plain(path)
        except NotPlainError as error:
            raise ValueError(f"{path}: {error}") from None
        with path.open("rb") as file:
            head = file.read(_HEAD.size + _MAX_HEADER)
            if not head.startswith(MAGIC):
                raise ValueError(f"{path} is no state of a tribo world (its first bytes are others)")
            rest = os.fstat(file.fileno()).st_size - len(head)
            per_contact = 4096  # more than any row of a contact
            contacts = 4_000_000
            if rest > fixed + contacts * per_contact:
                raise ValueError(f"{path} is larger than any state of this world")
            return head + file.read(max(0, rest))
