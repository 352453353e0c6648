"""Many worlds of one model, each with its own state, stepped in parallel."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from tribo.batch.collisions import CollisionWatch
from tribo.batch.constraints import BatchConstraints
from tribo.batch.contacts import BatchContacts
from tribo.batch.materials import BatchMaterials
from tribo.batch.objects import ObjectBatch
from tribo.batch.part import Part
from tribo.batch.pool import KEPT, forget
from tribo.batch.rays import BatchRays
from tribo.batch.rollout import BatchRollout, Controls, Rollout
from tribo.batch.settings import BatchSettings
from tribo.batch.single_bodies import SingleBodyBatch
from tribo.batch.warnings import BatchComplaints
from tribo.batch_kernels.records import Course
from tribo.checks import check
from tribo.checks.errors import EditError
from tribo.checks.readonly import frozen
from tribo.engine import warm_up
from tribo.engine.engine import Engine
from tribo.engine.subtree import TreeRecords, tree_records
from tribo.engine.thread_scratch import OF_WORLDS
from tribo.model import Kind, Status
from tribo.world.world import World

HELD = 2  # `Command.has_wrench`: until the call ends
MAX_THREADS = 1024  # each is one of the system, with a stack of its own


class Batch(
    BatchMaterials, BatchConstraints, BatchSettings, BatchRollout, BatchRays, CollisionWatch
):
    """Copies of a world that share its model and go their own ways.

    Each world gives bitwise the same numbers as it would alone, with any number of threads.

    Args:
        world: What every world starts as; it is copied, not used.
        worlds: How many, ≥ 1.
        threads: Worker threads, at most 1024: each is one of the system's, and more than processors gain
            nothing; None: one for each processor.

    Raises:
        MemoryError: So many worlds do not fit into memory; the message says how much they need.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> ball = world.add_sphere(radius=0.1, mass=1.0, name="ball", position=(0, 0, 1))
        >>> batch = tribo.Batch(world, 4, threads=1)
        >>> batch["ball"].generalized_coordinate[:, 2] = 1, 2, 3, 4
        >>> bool(batch.step(100).all())
        True
        >>> batch["ball"].generalized_coordinate.shape
        (4, 7)
    """

    engine: Engine

    def __init__(self, world: World, worlds: int, *, threads: int | None = None) -> None:
        """Copy a world's present state `worlds` times."""
        if not isinstance(world, World):
            raise TypeError(f"world must be a tribo.World, got {check.shown(world)}")
        world.check_editable("a world", "copied into a batch")
        count = check.integer(worlds, "worlds", 1)
        world.write_materials()
        source = world.engine
        if threads is not None:
            _thread_count(threads)
        try:
            self.engine = Engine(_copied_model(source), source.sizes, source.capacity, count)
        except (MemoryError, ValueError) as error:  # NumPy: "array is too big"
            each = _bytes_of_world(source)
            raise MemoryError(
                f"{count} worlds of {each} bytes each need {count * each / 2**30:.3g} GiB, more than "
                "there is; take fewer"
            ) from error
        for name in KEPT:
            for field, array in getattr(source, name).arrays.items():
                getattr(self.engine, name).arrays[field][...] = array
        self._parts = {part.name: Part.of(part) for part in world.objects}
        self._note_constraints(world.constraints)
        self._materials = world.material_names
        self._records: dict[str, TreeRecords] = {}
        self._complaints = BatchComplaints()
        self._sights = []
        self._idle = [True]  # empty while some thread steps the batch
        self.threads = threads

    def __repr__(self) -> str:
        """Return worlds, objects, threads and how many worlds are still valid."""
        t = self.time
        times = f"t = {t.min():g} s" if t.min() == t.max() else f"t = {t.min():g} … {t.max():g} s"
        return (
            f"<Batch of {len(self)} worlds at {times}: {len(self._parts)} objects each, "
            f"{self.threads} threads, {int(self.is_valid.sum())} valid>"
        )

    def __reduce__(self) -> Any:
        """Refuse copies and pickling: two batches would share one state."""
        raise TypeError(
            "a batch cannot be copied or pickled; use batch.snapshot() to keep its states"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the objects that have a state, for ``batch[name]``."""
        return tuple(name for name, part in self._parts.items() if part.kind != Kind.STATIC)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is an object of this name."""
        return isinstance(name, str) and name in self._parts

    @property
    def threads(self) -> int:
        """Worker threads that `step` uses."""
        return self._threads

    @threads.setter
    def threads(self, value: int | None) -> None:
        available = (
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        )
        self._threads = (available or 1) if value is None else _thread_count(value)

    def __len__(self) -> int:
        """Return the number of worlds."""
        return self.engine.worlds

    def __getitem__(self, name: str) -> ObjectBatch:
        """Return an object in all worlds, by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        part = self._parts[check.known(name, self._parts, "object")]
        if part.kind == Kind.STATIC:
            raise ValueError(f"{name} is static: it has no state of its own in a batch")
        return SingleBodyBatch(self, part) if part.is_single else ObjectBatch(self, part)

    def poses_of(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (worlds, bodies, 3) [m] and rotations of the bodies of an object, by name."""
        return self[name].body_poses()

    def records_of(self, name: str) -> TreeRecords:
        """Return the records with which queries about an object compute; for `ObjectBatch`."""
        found = self._records.get(name)
        if found is None or found.world_model is not self.engine.model:
            span = self._parts[name].span
            found = self._records[name] = tree_records(self.engine, span)
        return found

    def chosen_worlds(self, worlds: Any) -> np.ndarray:
        """Return the numbers of the worlds of an index, slice or mask, (n,) [–]; for `ObjectBatch`.

        Raises:
            ValueError: There is no such world.
        """
        try:
            if isinstance(worlds, (bool, np.bool_)):
                raise TypeError("a truth value is no index")
            return np.asarray(np.arange(len(self))[worlds])
        except (IndexError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"worlds must be an index, a slice or a mask of {len(self)} worlds, "
                f"got {check.shown(worlds)}: {error}"
            ) from None

    def check_idle(self, what: str) -> None:
        """Refuse an edit of the model while another thread steps the batch.

        Raises:
            EditError: A step is under way.
        """
        if not self._idle:
            raise EditError(f"{what} must wait: another thread steps this batch")

    def step(self, n: int = 1, *, hold_forces: bool = False) -> np.ndarray:
        """Advance every world by n steps; return which worlds made it, (worlds,) of bool [–].

        A world whose velocity stops being finite stays at its last valid state and is reported here
        and in `status`; the others are not affected. What a status means is logged once per batch.

        Args:
            n: How many, ≥ 0.
            hold_forces: Let forces and torques of `apply_force` and its kin act in all n steps, force
                and torque at the centre of mass staying as they are in world axes; otherwise they act in the
                first step alone. Afterwards there are none.

        Example:
            >>> import tribo
            >>> world = tribo.World(time_step=0.01, gravity=(0, 0, 0))
            >>> ball = world.add_sphere(0.1, mass=2.0, name="ball")
            >>> batch = tribo.Batch(world, 2, threads=1)
            >>> batch["ball"].apply_force((1.0, 0.0, 0.0))
            >>> _ = batch.step(100, hold_forces=True)
            >>> batch["ball"].linear_velocity[:, 0].round(9).tolist()
            [0.5, 0.5]
        """
        check.integer(n, "number of steps", 0)
        check.boolean(hold_forces, "hold_forces")
        return self._go(n, None, hold_forces)

    def _go(self, n: int, course: Course | None, hold_forces: bool = False) -> np.ndarray:
        """Advance every world, under the controls of a course if there is one."""
        warm_up.warm_up()
        try:
            self._idle.pop()
        except IndexError:
            raise EditError(
                "step was called while another thread steps this batch; call it from one thread"
            ) from None
        command = self.engine.command.arrays
        if hold_forces:
            command["has_wrench"][command["has_wrench"] != 0] = HELD
        try:
            threads = min(self._threads, len(self))
            if self._is_watching and course is None:
                left = self._run_watched(n, threads)
            else:
                left = self.engine.run_all(n, threads, course)
            self._complaints.say(self, self.engine.status[:, 0])
        finally:
            if hold_forces:
                command["wrench"][...] = 0.0
                command["has_wrench"][...] = 0
            self._idle.append(True)
        return np.asarray(left == 0)

    @property
    def time(self) -> np.ndarray:
        """World times, (worlds,) [s]."""
        return frozen(self.engine.state.arrays["time"][:, 0].copy())

    @property
    def status(self) -> np.ndarray:
        """Bits of `Status` of every world after its last step, (worlds,) [–]."""
        return frozen(self.engine.status[:, 0].copy())

    @property
    def is_valid(self) -> np.ndarray:
        """Which worlds are still going, (worlds,) of bool [–]."""
        return frozen(self.engine.status[:, 0] & Status.INVALID == 0)

    @property
    def residual(self) -> np.ndarray:
        """Residuals of the last contact solves, (worlds, 3) [–], as `World.residual`."""
        return frozen(self.engine.work.arrays["residual"].copy())

    @property
    def contacts(self) -> BatchContacts:
        """The points that touched in the last step, of all worlds, as arrays: `BatchContacts`."""
        return self._contacts_now()

    def snapshot(self) -> dict[str, dict[str, np.ndarray]]:
        """Return a copy of states, commands and settings of all worlds; properties of links are not in it.

        Raises:
            EditError: Another thread steps the batch.
        """
        self.check_idle("snapshot")
        return {
            name: {field: array.copy() for field, array in fields.items()}
            for name, fields in self.kept_arrays().items()
        }

    def restore(self, saved: dict[str, dict[str, np.ndarray]], worlds: Any = slice(None)) -> None:
        """Go back to a snapshot, in all worlds or in those of an index, slice or mask.

        Args:
            saved: What `snapshot` returned.
            worlds: Index, slice or mask of worlds.

        Raises:
            TypeError, ValueError: The snapshot is not of a batch like this one, or there is no such
                world, or it holds what is no number; nothing is changed.
            EditError: Another thread steps the batch.
        """
        self.check_idle("restore")
        self._check_snapshot(saved)
        chosen = self.chosen_worlds(worlds)
        self.engine.make_room(saved["state"]["warm_key"].shape[1])
        for name, arrays in self.kept_arrays().items():
            if name == "motors" and not saved.get(name):  # it was taken before there were motors
                forget(self.engine, chosen)
                continue
            for field, array in arrays.items():
                old = saved[name][field]
                region: Any = (chosen, *(slice(0, n) for n in old.shape[1:]))
                array[region] = old[chosen]

    def _check_snapshot(self, saved: Any) -> None:
        """Refuse what `snapshot` of a batch like this one did not return."""
        for name, arrays in self.kept_arrays().items():
            given = saved.get(name, {}) if isinstance(saved, dict) else {}
            if name == "motors" and not given:
                continue
            if set(given) != set(arrays):
                raise TypeError(
                    f"restore takes what batch.snapshot() returned, got {check.shown(saved)}"
                )
            for field, array in arrays.items():
                if not isinstance(given[field], np.ndarray) or given[field].dtype != array.dtype:
                    raise TypeError(f"{field} of the snapshot is no array of {array.dtype}")
                if name == "state" and not np.isfinite(given[field]).all():
                    raise ValueError(f"{field} of the snapshot holds numbers that are not finite")
                shape = given[field].shape
                grows = field.startswith(("warm_", "yield_", "sent"))
                if shape[0] != len(array) or (shape != array.shape and not grows):
                    raise ValueError(
                        f"the snapshot is of another batch: {field} {shape}, here {array.shape}"
                    )


def _thread_count(value: Any) -> int:
    """Return a number of threads that a system can start."""
    count = check.integer(value, "threads", 1)
    if count > MAX_THREADS:
        raise ValueError(
            f"threads must be ≤ {MAX_THREADS}, got {count}; None takes one for each processor"
        )
    return count


def _bytes_of_world(source: Engine) -> int:
    """Return the memory [bytes] that each world of a batch needs for itself."""
    records = (source.state.arrays, source.command.arrays, source.settings.arrays)
    kept = {name: source.work.arrays[name] for name in OF_WORLDS}
    return sum(array[:1].nbytes for arrays in (*records, kept) for array in arrays.values())


def _copied_model(source: Engine) -> Any:
    arrays = {name: array.copy() for name, array in source.model.arrays.items()}
    return type(source.model).wrap(arrays)


def rollout(
    world: World, *, forces: Controls | None = None, targets: Controls | None = None,
    velocity_targets: Controls | None = None, steps_per_control: int = 1,
    threads: int | None = None,
) -> Rollout:  # fmt: skip
    """Return where plans lead that all begin in the present state of a world, which stays as it is.

    It makes a batch for the time of the call. Who plans again and again makes one `Batch` and calls its
    `rollout` with ``start=world``.

    Args:
        world: Where the plans begin.
        forces, targets, velocity_targets, steps_per_control: As `Batch.rollout` has them; arrays have the
            candidate as first axis.
        threads: As `Batch` has them.

    Raises:
        KeyError, TypeError, ValueError: As `Batch.rollout`.

    Example:
        >>> import numpy as np, tribo
        >>> world = tribo.World(gravity=(0, 0, 0))
        >>> ball = world.add_sphere(0.1, mass=1.0, name="ball")
        >>> ways = tribo.rollout(world, forces={"ball": np.ones((5, 20, 6))}, threads=1)
        >>> ways.coordinate("ball").shape
        (5, 20, 7)
    """
    counts = {1}
    for given in (forces, targets, velocity_targets):
        for plan in (given or {}).values():
            axes, plans = (2, plan.values()) if isinstance(plan, Mapping) else (3, [plan])
            counts |= {len(one) for one in plans if np.ndim(one) == axes}
    batch = Batch(world, max(1, *counts), threads=threads)
    return batch.rollout(
        forces=forces, targets=targets, velocity_targets=velocity_targets,
        steps_per_control=steps_per_control,
    )  # fmt: skip
