"""Writing a recording while a world steps."""

from __future__ import annotations

import json
import math
import os
import shutil
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from tribo.checks import check
from tribo.checks.errors import EditError
from tribo.checks.orientation import of_matrices as quaternions
from tribo.engine.engine import Engine
from tribo.engine.interrupts import deferred_signals
from tribo.model import Pair
from tribo.objects.world_view import WorldView
from tribo.readout.contacts_and_energies import contact_impulses, tree_energies
from tribo.recording import fields
from tribo.sensors.base import EARLY

Columns = dict[str, np.ndarray]
NOT_MEASURED = (math.nan, math.nan)


class Recorder:
    """Writes frames of a world as it steps; made by `World.record`.

    Frames are collected and written in chunks by a thread of its own, in an order that leaves the file
    whole at every moment: first the numbers, each chunk as a new file that takes its name when it is
    complete, last the count of frames. A process that is killed loses the frames of the chunk it was
    collecting, nothing else.

    Where the segments of a cable change (`Cable.keep_adapting`, `Cable.adapt`, a snapshot that is
    restored), the next frame begins another stretch: a recording of the same form in a folder of its own,
    with the bodies that there are then.

    Args:
        world: The world to record; its objects must stay the same ones, but for segments of cables.
        path: Of the recording, a folder that Zarr makes; `.zarr` is its usual ending.
        every: World time between frames [s]; None: each step.
        chunk: Frames that are written at a time; None: 256, or as many as 32 MiB of an array hold.
        overwrite: Whether an older recording of this name is removed. Nothing else ever is.

    Raises:
        ImportError: Zarr is missing; the message says how to get it.
        FileExistsError: There is something at `path`.
        OSError: It cannot be written.

    Example:
        >>> import tempfile, pathlib, tribo
        >>> world = tribo.World()
        >>> ball = world.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 1))
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "fall.zarr"
        >>> with world.record(path, every=0.01) as recorder:
        ...     world.step(100)
        >>> recorder.frames
        11
    """

    def __init__(self, world: WorldView, path: str | Path, every: float | None = None,
                 chunk: int | None = None, overwrite: bool = False) -> None:  # fmt: skip
        """Make the file and note the present state as the first frame."""
        self.path = fields.folder(path)
        self.frames = 0  # noted so far; those of the last chunk may not be written yet
        self._frames_written = 0
        self.every = 0.0 if every is None else check.positive(every, "every")
        asked = None if chunk is None else check.integer(chunk, "chunk", 1)
        world.check_editable("what is recorded")
        self._world = world
        self._asked = asked
        self._root: Any = None  # the group of the first stretch
        self._stretches = 0
        self._clear(check.boolean(overwrite, "overwrite"))
        self._begin_stretch()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="tribo-recorder")
        self._pending: Future[None] | None = None
        self._is_open, self._process = True, os.getpid()
        self._due = float(world.time)
        self._last = -math.inf
        self.stage_time = NOT_MEASURED  # [s] of the halves of the last step
        self.note()

    @property
    def is_open(self) -> bool:
        """Whether it still records; in a process that was forked meanwhile it does not."""
        return self._is_open and os.getpid() == self._process

    def _clear(self, overwrite: bool) -> None:
        """Make sure that the recording can be written where it is to be; remove an older one if told so."""
        _zarr()
        if not self.path.absolute().parent.is_dir():
            raise FileNotFoundError(f"{self.path}: its folder does not exist; make it first")
        try:
            is_taken = self.path.exists() or self.path.is_symlink()
        except OSError as error:
            raise ValueError(f"{check.shown(str(self.path))}: {error.strerror}") from None
        if is_taken:
            if not overwrite:
                raise FileExistsError(
                    f"{self.path}: exists; choose another name, or pass overwrite=True for an older recording"
                )
            if not is_recording(self.path):
                raise FileExistsError(f"{self.path}: is no recording, so it is not overwritten")
            shutil.rmtree(self.path)

    def _begin_stretch(self) -> None:
        """Make the file of frames with the objects that the world has now."""
        self._objects, self._has_changed = tuple(self._world.objects), False
        self._model = fields.describe(self._world)
        self._sizes: dict[str, int] = self._model["sizes"]
        self._chunk = fields.frames_of_chunk(self._sizes, self._asked)
        self._group, self._arrays = self._create(fields.folder_of_stretch(self.path, self._stretches))
        self._stretches += 1
        if self._root is None:
            self._root = self._group
        else:  # last: a writer that is killed leaves no stretch that is not whole
            self._root.update_attributes({"stretches": self._stretches})
        self._frames_before = self.frames
        self._contact_rows = 0
        self._begin_chunk()

    def _create(self, path: Path) -> tuple[Any, dict[str, Any]]:
        zarr, codecs = _zarr()
        store = zarr.storage.LocalStore(path)
        group = zarr.create_group(store, zarr_format=3, attributes={
            "format": fields.FORMAT, "version": fields.VERSION, "frames": 0, "contacts": 0,
            "chunk": self._chunk, "complete": False,
        })  # fmt: skip
        group.create_group("model", attributes=self._model)
        arrays = {}
        for field in fields.FIELDS:
            shape = fields.shape_of(field, self._sizes)
            configuration = fields.CODECS[1]["configuration"]
            arrays[field.name] = group.create_array(
                field.name, shape=(0, *shape), dtype=field.dtype,
                chunks=fields.chunk_of(field, self._sizes, self._chunk),
                compressors=[codecs.BloscCodec(**configuration), codecs.Crc32cCodec()],
                fill_value=np.nan if field.dtype == "float64" else 0,
                config={"write_empty_chunks": True},
                attributes={"unit": field.unit, "description": field.text},
            )  # fmt: skip
        return group, arrays

    # -- collecting ----------------------------------------------------------------------------
    def take_over(self, cables: tuple[str, ...]) -> None:
        """Note that cables have other segments now: objects whose names begin with theirs may differ."""
        kept = {*self._objects} & {*self._world.objects}
        others = [part for part in (*self._objects, *self._world.objects) if part not in kept]
        if others and all(part.name.startswith(cables) for part in others):
            self._objects, self._has_changed = tuple(self._world.objects), True

    def check_same(self) -> None:
        """Refuse to go on if the list of objects has changed.

        Raises:
            EditError: Objects were added or removed since the recording began.
        """
        if tuple(self._world.objects) != self._objects:
            raise EditError(
                "objects were added or removed while the world is recorded: close the recording first "
                "and begin a new one"
            )

    def steps_to_next(self) -> int:
        """Return after how many steps the next frame is due, at least 1."""
        now = self._world.time
        if now < self._last:  # the clock was set back
            return 1
        left = (self._due - now) / self._world.time_step
        return max(1, math.ceil(left - EARLY))

    def note_if_due(self) -> None:
        """Take a frame if its time has come, or if the clock was set back."""
        now, dt = self._world.time, self._world.time_step
        if now < self._last or now >= self._due - EARLY * dt:
            self.note()

    def note(self) -> None:
        """Take a frame now.

        Raises:
            EditError: Objects were added or removed since the recording began.
            ValueError: The recording is closed.
            OSError: An earlier chunk could not be written.
        """
        if not self.is_open:
            raise ValueError(f"the recording {self.path} is closed")
        self.check_same()
        with deferred_signals:  # a frame is in all columns, a chunk is handed over before the next begins
            self._note()

    def _note(self) -> None:
        if self._has_changed:
            self._hand_over()
            with deferred_signals.permitted():
                self._wait()
            before = self._group
            self._begin_stretch()
            before.update_attributes({"complete": True})  # once it is known that others follow
        if self._row == self._chunk:  # its hand-over was interrupted
            self._hand_over()
        k, world, columns = self._row, self._world, self._columns
        engine, now = world.engine, float(world.time)
        for name, (record, source) in _COPIES.items():
            columns[name][k] = getattr(getattr(engine, record), source)
        energies, observed = tree_energies(engine).sum(axis=0), engine.observe()
        columns["time"][k] = now
        columns["body_position"][k] = observed.body_pos
        columns["body_orientation"][k] = quaternions(observed.body_rot.reshape(-1, 3, 3))
        columns["kinetic_energy"][k], columns["potential_energy"][k] = energies[:2]
        columns["linear_momentum"][k], columns["angular_momentum"][k] = energies[2:5], energies[5:]
        columns["status"][k], columns["sweeps"][k] = engine.work.status[0], engine.work.sweeps[0]
        found = _contacts(engine)
        self._contact_rows += len(found["contact_depth"])
        columns["stage_time"][k], self.stage_time = self.stage_time, NOT_MEASURED
        columns["contact_end"][k] = self._contact_rows
        for name, rows in found.items():
            self._contacts[name].append(rows)
        self._row += 1
        self.frames += 1
        regular = self._due + self.every
        self._due = regular if now < regular <= now + self.every else now + self.every
        self._last = now
        if self._row == self._chunk:
            self._hand_over()

    def _begin_chunk(self) -> None:
        self._row = 0
        self._columns = {
            f.name: np.empty((self._chunk, *fields.shape_of(f, self._sizes)), f.dtype)
            for f in fields.FIELDS if f.per == "frame"
        }  # fmt: skip
        self._contacts: dict[str, list[np.ndarray]] = {
            f.name: [] for f in fields.FIELDS if f.per == "contact"
        }

    # -- writing -------------------------------------------------------------------------------
    def flush(self) -> None:
        """Write all frames noted so far and wait until they are in the file.

        Raises:
            OSError: They cannot be written.
        """
        with deferred_signals:
            self._hand_over(keep=True)
        self._wait()

    def _hand_over(self, keep: bool = False) -> None:
        """Give the collected frames to the writing thread; with `keep` go on collecting the chunk."""
        with deferred_signals.permitted():  # the disk may be slow
            self._wait()
        rows = self._row
        frames = {name: array[:rows] for name, array in self._columns.items()}
        contacts = {name: np.concatenate(few) for name, few in self._contacts.items() if few}
        frames_now = self.frames - self._frames_before
        first = frames_now - rows
        first_contact = self._contact_rows - (len(contacts["contact_depth"]) if contacts else 0)
        if keep:
            frames = {name: array.copy() for name, array in frames.items()}
        else:
            self._begin_chunk()
        self._pending = self._writer.submit(
            self._write, frames, contacts, (first, first_contact), (frames_now, self._contact_rows)
        )

    def _write(
        self, frames: Columns, contacts: Columns, start: tuple[int, int], stop: tuple[int, int]
    ) -> None:
        """Write rows of frames and of contacts, and then how many there are."""
        for rows, first, last in ((frames, start[0], stop[0]), (contacts, start[1], stop[1])):
            if first == last:
                continue
            for name, values in rows.items():
                array = self._arrays[name]
                array.resize((last, *array.shape[1:]))
                array[first:last] = values
        self._group.update_attributes({"frames": stop[0], "contacts": stop[1]})
        self._frames_written = self._frames_before + stop[0]

    def _wait(self) -> None:
        """Wait until what was handed over is written; raise what went wrong."""
        if self._pending is None:
            return
        try:
            self._pending.result()
        except Exception as error:
            self._pending = None
            self._is_open = False  # later frames would stand behind a gap
            self._writer.shutdown()
            number = error.errno if isinstance(error, OSError) else None
            said = (
                f"{error}; the recording ended with frame {self._frames_written}, up to which it can be read"
            )
            raise (OSError(said) if number is None else OSError(number, said)) from error
        self._pending = None

    def close(self) -> None:
        """Write what is left and end the recording; a second call does nothing.

        Raises:
            OSError: It cannot be written; the frames written before stay readable.
        """
        if not self.is_open:
            return
        self._is_open = False
        try:
            self.flush()
            self._group.update_attributes({"complete": True})
        finally:
            self._writer.shutdown()

    def __enter__(self) -> Self:
        """Return the recorder."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what is left, also after an error."""
        self.close()


_COPIES = {  # fields that are copies of arrays: record and array
    "q": ("state", "q"), "v": ("state", "v"), "feedforward": ("command", "tau"),
    "target_q": ("command", "target_q"), "target_v": ("command", "target_v"),
    "kp": ("command", "kp"), "kd": ("command", "kd"), "applied_force": ("work", "applied_torque"),
    "residual": ("work", "residual"),
}  # fmt: skip


def _zarr() -> tuple[Any, Any]:
    """Return Zarr and its codecs.

    Raises:
        ImportError: It is missing; the message says how to get it.
    """
    with check.needed(fields.NEEDS):
        import zarr
        from zarr import codecs
    return zarr, codecs


def _contacts(engine: Engine) -> Columns:
    """Return the points that touched in the last step, as `World.contacts` has them."""
    work, model = engine.work, engine.model
    impulse = contact_impulses(engine)
    n = len(impulse)
    at = np.flatnonzero((impulse[:, 2] != 0.0) | ~(work.contact_gap[:n] > 0.0))
    axes = work.contact_axes[:n].reshape(-1, 3, 3)[at]
    shape = work.contact_shape[:n][at]
    material = model.shape_material[shape]
    return {
        "contact_body": model.shape_body[shape],
        "contact_position": work.contact_pos[:n][at],
        "contact_normal": axes[:, 2],
        "contact_depth": -work.contact_gap[:n][at],
        "contact_force": np.einsum("nij,ni->nj", axes, impulse[at]) / float(engine.settings.dt),
        "contact_friction": model.pair_table[material[:, 0], material[:, 1], Pair.FRICTION],
    }


def is_recording(path: Path) -> bool:
    """Tell whether a folder is a recording, judged by its first file; a link never is."""
    try:
        if path.is_symlink() or (path / "zarr.json").stat().st_size > fields.MODEL_BYTES:
            return False
        said = json.loads((path / "zarr.json").read_bytes())
        return bool(said["attributes"]["format"] == fields.FORMAT)
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return False
