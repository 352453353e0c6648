"""The inside of a batch: the records of all worlds, and the parts of which it is put together."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tribo.batch.collisions import CollisionWatch
from tribo.batch.constraints import BatchConstraints
from tribo.batch.materials import BatchMaterials
from tribo.batch.objects import ObjectBatch, SingleBodyBatch
from tribo.batch.owner import BatchOwner
from tribo.batch.part import Part
from tribo.batch.policy import BatchPolicies
from tribo.batch.pool import KEPT, BatchStates
from tribo.batch.rays import BatchRays
from tribo.batch.rollout import BatchRollout
from tribo.batch.sensors import BatchSensors
from tribo.batch.shapes import BatchShapes
from tribo.batch.warnings import BatchWarningLog
from tribo.checks import check
from tribo.checks.errors import EditError
from tribo.engine import warm_up
from tribo.engine.engine import Engine
from tribo.engine.interrupts import deferred_signals
from tribo.engine.plans import Plan
from tribo.engine.thread_scratch import OF_WORLDS
from tribo.model import Kind
from tribo.world.checked import checked_world
from tribo.world.world import World

HELD = 2  # `Command.has_wrench`: until the call ends
MAX_THREADS = 1024  # each is one of the system, with a stack of its own


class BatchInterior(BatchOwner):
    """The inside of a `Batch`: records, objects and parts, which know it by `BatchOwner` only."""

    def __init__(self, world: World, worlds: int, threads: int | None) -> None:
        """Copy a world's present state `worlds` times."""
        checked_world(world)
        world.check_editable("a world", "copied into a batch")
        adapting = [cable.name for cable in world.cables if cable.is_adapting]
        if adapting:
            raise ValueError(
                f"cable {adapting[0]!r} adapts by itself, and the worlds of a batch share one model, in "
                "which no segments come or go: let it have the segments that it needs (cable.adapt), call "
                "cable.stop_adapting() and make the batch then, or step worlds instead of a batch"
            )
        count = check.integer(worlds, "worlds", 1)
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
        self.parts = {part.name: Part.of(part) for part in world.objects}
        self.material_names = world.material_names
        super().__init__()
        self._warnings = BatchWarningLog()
        self.set_threads(threads)
        self.materials = BatchMaterials(self)
        self.ties = BatchConstraints(self, world.constraints)
        self.states = BatchStates(self)
        self.policies = BatchPolicies(self)
        self.plans = BatchRollout(self, self.states)
        self.rays = BatchRays(self)
        self.watch = CollisionWatch(self)
        self.shapes = BatchShapes(self)
        self.sensors = BatchSensors(self, self.rays, self.ties, world.sensors)
        self.note_push_on, self.forget_last_step = self.sensors.note_push, self.sensors.forget_last_step

    def set_threads(self, value: int | None) -> None:
        """Use as many worker threads; None: one for each processor."""
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        self.threads = (available or 1) if value is None else _thread_count(value)

    def __getitem__(self, name: Any) -> ObjectBatch:
        """Return an object in all worlds, by name.

        Raises:
            KeyError: There is none; the message proposes the nearest name.
        """
        if type(name) is not str:
            raise KeyError(
                "objects of a batch are found by name, in all worlds at once: batch[name], got "
                f"{check.shown(name)}"
            )
        part = self.parts[check.known(name, self.parts, "object")]
        if part.kind == Kind.STATIC:
            raise ValueError(f"{name} is static: it has no state of its own in a batch")
        return SingleBodyBatch(self, part) if part.is_single else ObjectBatch(self, part)

    def poses_of(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (worlds, bodies, 3) [m] and rotations of the bodies of an object, by name."""
        return self[name].body_poses()

    def go(self, n: int, plan: Plan | None, hold_forces: bool = False) -> np.ndarray:
        """Advance every world, under the controls of a plan if there is one.

        Signals are let through between steps: what was done stands, what was told of the last step does not.
        """
        warm_up.warm_up()
        with deferred_signals:
            return self._go(n, plan, hold_forces)

    def _go(self, n: int, plan: Plan | None, hold_forces: bool) -> np.ndarray:
        try:
            self.idle.pop()
        except IndexError:
            raise EditError(
                "step was called while another thread steps this batch; call it from one thread"
            ) from None
        command = self.engine.command.arrays
        if hold_forces:
            command["has_wrench"][command["has_wrench"] != 0] = HELD
        try:
            threads = min(self.threads, len(self))
            if plan is not None:
                left = self.engine.run_all(n, threads, plan)
                self.sensors.forget_pushes()
                self.sensors.forget_last_step()
            else:
                left = self._steps(n, threads, hold_forces)
            self._warnings.say(self, self.engine.status[:, 0])
        except BaseException:
            self.sensors.forget_pushes()
            self.sensors.forget_last_step()
            raise
        finally:
            if hold_forces:
                command["wrench"][...] = 0.0
                command["has_wrench"][...] = 0
            self.idle.append(True)
        return np.asarray(left == 0)

    def _steps(self, n: int, threads: int, hold_forces: bool) -> np.ndarray:
        """Make n steps of all worlds; return how many each has left undone."""
        engine, sensors = self.engine, self.sensors

        def before_last() -> None:
            if n > 1 and not hold_forces:
                sensors.forget_pushes()  # they acted in the first step
            sensors.note_before()

        if self.watch.watch_collisions:
            left = self.watch.run_watched(n, threads, before_last if sensors.are_used else None)
        elif not sensors.are_used or n == 0:
            left = engine.run_all(n, threads)
        else:
            said, left = np.zeros_like(engine.status), np.zeros(len(self), np.int64)
            if n > 1:
                left += engine.run_all(n - 1, threads)
                said |= engine.status
            before_last()
            left += engine.run_all(1, threads)
            engine.status |= said  # what one of many steps had to say is not lost
        if sensors.are_used and n > 0:
            sensors.note_after(left)
        if n > 0:
            sensors.forget_pushes()
        return left


def _thread_count(value: Any) -> int:
    """Return a number of threads that a system can start."""
    count = check.integer(value, "threads", 1)
    if count > MAX_THREADS:
        raise ValueError(f"threads must be ≤ {MAX_THREADS}, got {count}; None takes one for each processor")
    return count


def _bytes_of_world(source: Engine) -> int:
    """Return the memory [bytes] that each world of a batch needs for itself."""
    records = (source.state.arrays, source.command.arrays, source.settings.arrays)
    kept = {name: source.work.arrays[name] for name in OF_WORLDS}
    return sum(array[:1].nbytes for arrays in (*records, kept) for array in arrays.values())


def _copied_model(source: Engine) -> Any:
    arrays = {name: array.copy() for name, array in source.model.arrays.items()}
    return type(source.model).wrap(arrays)
