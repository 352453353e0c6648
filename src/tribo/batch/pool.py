"""States of single worlds, kept to be put into worlds of a batch: resets, copies, digests."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.batch.owner import BatchOwner
from tribo.batch_kernels.copies import copy_worlds
from tribo.checks import check
from tribo.compiler.jit import DISABLED
from tribo.engine.engine import Engine
from tribo.enums import Bounce, EffectiveRadius, Impact, Integrator, Solver
from tribo.readout.state_bytes import COUNTS, state_digest
from tribo.world.checked import checked_world
from tribo.world.world import World

Arrays = dict[str, dict[str, np.ndarray]]  # by record and field
KEPT = ("state", "command", "settings")  # records that an entry holds
# Of motors and policies: what the next step depends on.
MEMORY = {"motors": ("torque", "sent", "sent_count"), "pilot": ("command", "phase", "action", "left", "seen")}
COMMANDS = ("command", "phase")  # of these, what the user sets


class StatePool:
    """States to begin with, checked once: `Batch.reset` puts them into worlds in microseconds.

    Each entry holds what one world of `Batch.snapshot` does: state, commands, settings, and what motors
    and the policy remember. Made by `Batch.pool`; it fits that batch alone.

    Example:
        >>> import numpy as np, tribo
        >>> world = tribo.World(gravity=(0, 0, 0))
        >>> ball = world.add_sphere(0.1, mass=1.0, name="ball")
        >>> batch = tribo.Batch(world, 4, threads=1)
        >>> batch["ball"].generalized_coordinate[:, 2] = 1, 2, 3, 4
        >>> starts = batch.pool()
        >>> _ = batch.step(10)
        >>> batch.reset(starts, worlds=np.array([True, False, False, True]), entries=[1, 2])
        >>> batch["ball"].position[:, 2].tolist()
        [2.0, 2.0, 3.0, 3.0]
    """

    def __init__(self, owner: BatchOwner, arrays: Arrays) -> None:
        """Use `Batch.pool`."""
        self.owner, self.arrays = owner, arrays
        self._tables = {name: _table(fields) for name, fields in arrays.items()}

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.arrays["state"]["time"])

    def __repr__(self) -> str:
        """Return how many states it holds."""
        return f"<StatePool of {len(self)} states>"

    def put(self, engine: Engine, rows: np.ndarray, entries: np.ndarray) -> None:
        """Write entries over worlds of an engine, (n,) each, all in range."""
        for name, fields in self.arrays.items():
            record = getattr(engine, name)
            if name in MEMORY and not _is_of_these(fields, record.arrays, name):
                forget(engine, name, rows)  # it was made before there were such: they begin anew
                continue
            if DISABLED:
                for field, source in fields.items():
                    region = (rows, *(slice(0, n) for n in source.shape[1:]))
                    record.arrays[field][region] = source[entries]
                continue
            chosen = [k for k, field in enumerate(record.fields) if field in fields]
            target = record.places[chosen]
            copy_worlds(np.hstack([target, self._tables[name]]), rows, entries)


def forget(engine: Engine, name: str, rows: np.ndarray) -> None:
    """Let the motors or the policy of some worlds begin anew, if there are any."""
    for field, array in memory_of(engine, name).items():
        if field not in COMMANDS:
            array[rows] = 0


def memory_of(engine: Engine, name: str) -> dict[str, np.ndarray]:
    """Return what motors or the policy remember, by field; nothing if there are none."""
    arrays = getattr(engine, name).arrays
    is_there = arrays["torque"].size if name == "motors" else arrays["every"][0, 0]
    return {field: arrays[field] for field in MEMORY[name]} if is_there else {}


def _is_of_these(fields: dict[str, np.ndarray], here: dict[str, np.ndarray], name: str) -> bool:
    """Tell whether what was kept is of the motors, or of a policy as wide as that, which there are now."""
    is_wide = all(array.shape[1:] == here[field].shape[1:] for field, array in fields.items())
    return bool(fields) and (name == "motors" or is_wide)


def _table(fields: dict[str, np.ndarray]) -> np.ndarray:
    """Return address, bytes from entry to entry, and words of 8 bytes of each field, (fields, 3)."""
    return np.array(
        [(a.ctypes.data, a.strides[0], a[:1].nbytes // 8) for a in fields.values()], np.int64
    ).reshape(-1, 3)


def _is_like(fields: dict[str, np.ndarray], here: dict[str, np.ndarray]) -> bool:
    """Tell whether fields are as wide as those of a record, or shorter where these are tables that grow."""
    return all(
        here[name].shape[2:] == array.shape[2:]
        and (here[name].shape[1:2] == array.shape[1:2] or name in COUNTS)
        for name, array in fields.items()
    )


class BatchStates:
    """The part of a batch that copies states between worlds, and compares them."""

    def __init__(self, batch: BatchOwner) -> None:
        self._batch = batch

    def pool(self, worlds: Any = slice(None)) -> StatePool:
        """Return the present states of worlds, an entry for each, for `reset`.

        Args:
            worlds: Index, slice or mask of worlds; a list of numbers may name one twice.

        Raises:
            ValueError: There is no such world, or a state there is not finite.
            EditError: Another thread steps the batch.
        """
        self._batch.check_idle("pool")
        chosen = self._batch.chosen_worlds(worlds).ravel()
        arrays = self._taken(chosen)
        for field, array in arrays["state"].items():
            bad = ~np.isfinite(array).all(axis=tuple(range(1, array.ndim)))
            if bad.any():
                raise ValueError(f"{field} of world {chosen[bad][0]} is not finite")
        return StatePool(self._batch, arrays)

    def reset(self, pool: StatePool, worlds: Any = slice(None), entries: Any = 0) -> None:
        """Put states of a pool into worlds; the others go on, and keep their bits.

        One call to compiled code, whatever the number of worlds. Afterwards a world does, bit for bit, what
        the world did that the entry was taken of (as `restore`, it leaves masses, materials and motors).

        Args:
            pool: A result of `pool` of this batch.
            worlds: Index, slice or mask of worlds.
            entries: Entry of the pool for all these worlds, or for each of them, (n,).

        Raises:
            TypeError, ValueError: The pool is of another batch, or there is no such world or entry; nothing
                is changed.
            EditError: Another thread steps the batch.
        """
        self._batch.check_idle("reset")
        check.instance(pool, StatePool, "reset takes what batch.pool() returned")
        if pool.owner is not self._batch:
            raise ValueError("the pool is of another batch")
        rows = np.ascontiguousarray(self._batch.chosen_worlds(worlds).ravel(), np.int64)
        which = _entries(entries, len(rows), len(pool))
        pool.put(self._batch.engine, rows, which)
        self._batch.forget_last_step(rows)

    def copy_worlds(self, sources: Any, targets: Any) -> None:
        """Copy states of worlds over other worlds of this batch: what resampling and branching need.

        Args:
            sources: Number of the world that is copied, one for all targets or one for each, (n,).
            targets: Index, slice or mask of the worlds that are overwritten.

        Raises:
            ValueError: There is no such world; nothing is changed.
            EditError: Another thread steps the batch.

        Example:
            >>> import tribo
            >>> world = tribo.World(gravity=(0, 0, 0))
            >>> ball = world.add_sphere(0.1, mass=1.0, name="ball")
            >>> batch = tribo.Batch(world, 4, threads=1)
            >>> batch["ball"].generalized_coordinate[:, 2] = 1, 2, 3, 4
            >>> batch.copy_worlds([3, 0], targets=[0, 1])
            >>> batch["ball"].position[:, 2].tolist()
            [4.0, 1.0, 3.0, 4.0]
        """
        self._batch.check_idle("copy_worlds")
        rows = np.ascontiguousarray(self._batch.chosen_worlds(targets).ravel(), np.int64)
        which = _entries(sources, len(rows), len(self._batch), "world")
        found, places = np.unique(which, return_inverse=True)
        kept = StatePool(self._batch, self._taken(found))  # a copy first: a source may be a target, too
        kept.put(self._batch.engine, rows, places.astype(np.int64))
        self._batch.forget_last_step(rows)

    def snapshot(self) -> dict[str, dict[str, np.ndarray]]:
        """Return a copy of states, commands and settings of all worlds; properties of links are not in it.

        Raises:
            EditError: Another thread steps the batch.
        """
        self._batch.check_idle("snapshot")
        return {
            name: {field: array.copy() for field, array in fields.items()}
            for name, fields in self.kept_arrays().items()
        }

    def restore(self, saved: dict[str, dict[str, np.ndarray]], worlds: Any = slice(None)) -> None:
        """Go back to a snapshot, in all worlds or in those of an index, slice or mask.

        Args:
            saved: The result of `snapshot`.
            worlds: Index, slice or mask of worlds.

        Raises:
            TypeError, ValueError: The snapshot is not of a batch like this one, or there is no such
                world, or it holds what is no number; nothing is changed.
            EditError: Another thread steps the batch.
        """
        self._batch.check_idle("restore")
        self._check_snapshot(saved)
        chosen = self._batch.chosen_worlds(worlds)
        self._batch.engine.make_room(max(saved["state"][table].shape[1] for table in COUNTS))
        for name, arrays in self.kept_arrays().items():
            if name in MEMORY and not saved.get(name):  # it was taken before there were any
                forget(self._batch.engine, name, chosen)
                continue
            for field, array in arrays.items():
                old = saved[name][field]
                region: Any = (chosen, *(slice(0, n) for n in old.shape[1:]))
                array[region] = old[chosen]
        self._batch.forget_last_step(chosen)

    def _check_snapshot(self, saved: Any) -> None:
        """Refuse what `snapshot` of a batch like this one did not return."""
        for name, arrays in self.kept_arrays().items():
            given = saved.get(name, {}) if isinstance(saved, dict) else {}
            if name in MEMORY and (not given or (name == "pilot" and not arrays)):
                continue
            if set(given) != set(arrays):
                raise TypeError(f"restore takes what batch.snapshot() returned, got {check.shown(saved)}")
            for field, array in arrays.items():
                if not isinstance(given[field], np.ndarray) or given[field].dtype != array.dtype:
                    raise TypeError(f"{field} of the snapshot is no array of {array.dtype}")
                if name == "state" and not np.isfinite(given[field]).all():
                    raise ValueError(f"{field} of the snapshot holds numbers that are not finite")
                shape = given[field].shape
                grows = field in COUNTS or field == "sent"  # tables; their counts do not
                is_like = shape[:1] + shape[2:] == array.shape[:1] + array.shape[2:]
                too_long = field == "sent" and shape[1:2] > array.shape[1:2]
                if shape != array.shape and (
                    not grows or len(shape) != array.ndim or not is_like or too_long
                ):
                    raise ValueError(f"the snapshot is of another batch: {field} {shape}, here {array.shape}")
            check_ranges(name, given)

    def _taken(self, chosen: np.ndarray) -> Arrays:
        """Return copies of the states of some worlds."""
        return {
            name: {field: np.ascontiguousarray(array[chosen]) for field, array in fields.items()}
            for name, fields in self.kept_arrays().items()
        }

    def kept_arrays(self) -> Arrays:
        """Return the arrays of all worlds that snapshots and pools hold, by record and field."""
        kept = {name: getattr(self._batch.engine, name).arrays for name in KEPT}
        return kept | {name: memory_of(self._batch.engine, name) for name in MEMORY}

    def set_from_world(self, world: World, worlds: Any = slice(None)) -> None:
        """Put the present state of a world into worlds of the batch, its commands and settings as well.

        Args:
            world: One that is built as the copied one was.
            worlds: Index, slice or mask of worlds.

        Raises:
            TypeError, ValueError: It is no world, or not built like those of the batch; nothing is changed.
            EditError: Another thread steps the batch, or the world is between `update` and `advance`.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(0.1, mass=1.0, name="ball", position=(0, 0, 5))
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> world.step(100)
            >>> batch.set_from_world(world, worlds=1)
            >>> bool(batch["ball"].position[1, 2] == ball.position[2])
            True
        """
        self._batch.check_idle("set_from_world")
        checked_world(world)
        world.check_editable("a world", "copied into a batch")
        source = world.engine
        taken = {name: dict(getattr(source, name).arrays) for name in KEPT}
        for name, given in taken.items():
            if not _is_like(given, getattr(self._batch.engine, name).arrays):
                raise ValueError(f"the world is not built like those of the batch: its {name} differs")
        self._batch.engine.make_room(source.state.arrays["warm_key"].shape[1])
        rows = np.ascontiguousarray(self._batch.chosen_worlds(worlds).ravel(), np.int64)
        StatePool(self._batch, taken).put(self._batch.engine, rows, np.zeros(len(rows), np.int64))
        for name in MEMORY:  # a world alone has none
            forget(self._batch.engine, name, rows)
        self._batch.forget_last_step(rows)

    def hash(self, worlds: Any = slice(None)) -> list[str]:
        """Return a digest of the state of each world, 16 hexadecimal digits, as `World.hash` does.

        Args:
            worlds: Index, slice or mask of worlds.

        Returns:
            One digest for each of these worlds. Equal to `World.hash` of a world in that state; what motors
            and the policy remember, which a world alone does not have, goes in where there are any.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(0.1, mass=1.0, name="ball")
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> batch["ball"].generalized_velocity[2, 0] = 1.0
            >>> first, second, third = batch.hash()
            >>> first == second == world.hash(), first == third
            (True, False)
        """
        chosen = self._batch.chosen_worlds(worlds).ravel()
        return [self._hash_of(int(e)) for e in chosen]

    def _hash_of(self, e: int) -> str:
        key = state_digest(self._batch.engine, e)
        for name in MEMORY:
            for array in memory_of(self._batch.engine, name).values():
                key.update(np.ascontiguousarray(array[e]).tobytes())
        return key.hexdigest()


def check_ranges(record: str, given: dict[str, np.ndarray]) -> None:
    """Refuse numbers that no step leaves behind, counts first: compiled code runs through tables by them.

    Args:
        record: Name of the record.
        given: Its arrays by field.

    Raises:
        ValueError: A number is out of its range; the message names the field.

    Example:
        >>> check_ranges("motors", {"sent_count": np.array([[0, 1]]), "sent": np.zeros((1, 1, 2, 3))})
    """
    least = dict.fromkeys(COUNTS.values(), 0) | {"sent_count": 0, "left": 0}
    most: dict[str, int] = {}
    for table, count in (*COUNTS.items(), ("sent", "sent_count")):
        if table in given:
            rows = given[table].shape[1]
            most[count] = min(most.get(count, rows), rows)
    if record == "settings":
        least |= {"max_sweeps": 1}
        for field, kind in (("integrator", Integrator), ("contact_solver", Solver),
                            ("impact", Impact), ("bounce", Bounce),
                            ("effective_radius", EffectiveRadius)):  # fmt: skip
            least[field], most[field] = int(min(kind)), int(max(kind))
    for field, array in given.items():
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise ValueError(f"{field} of the snapshot holds what is no number")
        below = array < least[field] if field in least else np.zeros(array.shape, bool)
        above = array > most[field] if field in most else np.zeros(array.shape, bool)
        if field == "dt":
            below, above = array <= 0.0, np.isinf(array)
        if (below | above).any():
            value = array[below | above][0]
            raise ValueError(f"{field} of the snapshot is out of its range: {value}")


def _entries(given: Any, count: int, room: int, what: str = "entry of the pool") -> np.ndarray:
    """Return checked numbers of entries, (count,)."""
    made = check.array(given, what, "whole numbers")
    if made.shape not in ((), (count,)):
        raise ValueError(f"{what} must be one number or have shape ({count},), got {made.shape}")
    whole = made.astype(np.int64)
    bad = (whole != made) | (whole < 0) | (whole >= room)
    if bad.any():
        raise ValueError(
            f"{what} must be a whole number 0 … {room - 1}, got {np.ravel(made)[np.ravel(bad)][0]:g}"
        )
    return np.ascontiguousarray(np.broadcast_to(whole, count))
