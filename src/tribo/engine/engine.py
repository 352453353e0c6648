"""The records of one or many worlds, and the calls that advance them; without names and objects."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from tribo.batch_kernels.records import Course, Motors, Pilot
from tribo.compiler.jit import DISABLED, named_entry
from tribo.dynamics import inertia, kinematics
from tribo.engine import lazy_kernels, thread_scratch
from tribo.engine.builder import Capacity, allocate, collect_filters
from tribo.engine.interrupts import LONGEST, deferred_signals
from tribo.engine.plans import Plan
from tribo.engine.threads import run_together, shares
from tribo.model import MAX_DOFS, Command, Late, Model, Settings, State, Status, Work

logger = logging.getLogger("tribo")

run_at = named_entry("tribo.engine.run_at", "run_at")
_loaded: set[Late] = set()  # lazy functions that a world of this process has requested
WORK, COURSE, PILOT = 4, 6, 7  # their places among the addresses
_SLICE = 0.01  # [s] between two checks for signals, if steps do not become slower
_MAX_STEPS = 20_000  # between two checks
_MAX_CONTACTS = 4_000_000  # more are a modelling error


class Engine:
    """Records of worlds of one model; a `World` owns one with one world, a `Batch` one with many."""

    def __init__(
        self,
        model: Model,
        sizes: dict[str, int],
        capacity: Capacity,
        worlds: int = 1,
        settings: Settings | None = None,
    ) -> None:
        """Allocate all records for a model; `settings` may be shared with the caller."""
        capacity = capacity.grown(columns=min(MAX_DOFS, sizes["nv"]))
        sizes = {**sizes, **capacity.sizes}
        self.model, self.sizes, self.capacity, self.worlds = model, sizes, capacity, worlds
        self.state: State
        self.command: Command
        self.settings: Settings
        self.work: Work
        self.state, self.command, self.settings = allocate(sizes, worlds)
        self.work = thread_scratch.allocate(sizes, worlds)
        if settings is not None:
            self.settings = settings
        # Empty; a `Batch` sets motors, a policy, and a course during a rollout.
        none = dict.fromkeys(("nv", "nq", "ndelay", "ncontrol", "nhorizon"), 0)
        self.motors, self._no_course = Motors.allocate(none), Course.allocate(none)
        self.course = self._no_course
        self.pilot = no_pilot()
        self._observed: Work | None = None
        self._remaining = np.zeros(worlds, np.int64)
        self._said = np.zeros((worlds, 1), np.int64)  # in steps before tables were enlarged
        self._slice = 1  # steps between two checks for signals
        self._share = max(1, worlds // 64)  # worlds between two checks
        for family in _loaded:
            self.model.lazy_address[family] = lazy_kernels.address(family)
        self._connect()

    def __reduce__(self) -> Any:
        """Refuse pickling and deep copies: the records refer to one another by address."""
        raise TypeError(
            "a world cannot be pickled or copied; use world.snapshot() to go back, world.save(file) to "
            "keep it, tribo.Batch(world, n) for copies that run side by side"
        )

    def _connect(self) -> None:
        """Store the addresses of all tables; needed after any record was replaced."""
        self.addresses = np.array([record.address for record in self._records()], np.int64)
        self.status = self.work.arrays["status"]
        # Scratch of other threads, with addresses.
        self._others: list[tuple[Work, Pilot, np.ndarray]] = []

    def _records(self) -> tuple[Any, ...]:
        steps = (self.model, self.state, self.command, self.settings, self.work)
        return (*steps, self.motors, self.course, self.pilot)

    def take_motors(self, motors: Motors) -> None:
        """Use other motors from the next step on."""
        with deferred_signals:
            self.motors = motors
            self._connect()

    def take_pilot(self, pilot: Pilot) -> None:
        """Use another policy from the next step on."""
        with deferred_signals:
            self.pilot = pilot
            self._connect()

    def run(self, n: int) -> bool:
        """Advance world 0 by n steps; return whether `status` is set."""
        if n == 1 and not DISABLED:  # by far the most frequent call, and the shortest
            self._remaining[0] = 1
            return bool(run_at(self.addresses, self._remaining, 0, 1, 0)) and self._go_on()
        said = 0
        while n > 0 and not said & Status.INVALID:
            few, begin = min(n, self._slice), perf_counter()
            if self._run_slice(few):
                said |= int(self.status[0, 0])
            n -= few
            self._slice = self._next_slice(few, perf_counter() - begin, _SLICE)
        self.status[0, 0] |= said  # of all steps
        return bool(said)

    def _next_slice(self, few: int, took: float, time: float) -> int:
        """Return the number of steps of the next slice, so that it takes a given time [s]."""
        return max(1, min(int(few * time / max(took, 1e-9)), 4 * self._slice, _MAX_STEPS))

    def _run_slice(self, n: int) -> bool:
        self._remaining[0] = n
        if DISABLED:
            self._call(0, 1, 0)
        elif not run_at(self.addresses, self._remaining, 0, 1, 0):
            return False
        return self._go_on()

    def _go_on(self) -> bool:
        """Make the steps for which tables were too small; return whether `status` is set."""
        while self._remaining[0] and self.status[0, 0] & Status.CAPACITY:
            self._grow_and(lambda: self._call(0, 1, 0))
        return bool(self.status[0, 0])

    def _call(self, first: int, stop: int, part: int, thread: int = 0) -> None:
        """Run the driver on worlds first … stop − 1 with the scratch of a thread; `part` as in `run_at`."""
        scratch_of_thread, pilot_of_thread, addresses = (
            self._others[thread - 1] if thread else (self.work, self.pilot, self.addresses)
        )
        if not DISABLED:
            run_at(addresses, self._remaining, first, stop, part)
            return
        from tribo.batch_kernels.rollout import roll_out
        from tribo.step import advance, update

        for e in range(first, stop):
            work = scratch_of_thread.at(e)
            model, state, command, settings, _, motors, course, _ = (
                record.at(e) for record in self._records()
            )
            if part == 1:
                update(model, state, settings, work)
            elif part == 2:
                advance(model, state, command, settings, work)
            else:
                self._remaining[e] -= roll_out(
                    motors, course, pilot_of_thread.at(e), model, state, command, settings, work,
                    self._remaining[e], part == 3,
                )  # fmt: skip

    def run_all(self, n: int, threads: int, plan: Plan | None = None) -> np.ndarray:
        """Advance every world by n steps on some threads; return how many steps each has left undone.

        A world that becomes invalid stops; the others continue. With a plan, the worlds follow its controls
        and write their states into it. Signals are handled between slices of steps: if Ctrl-C ends the call,
        all worlds have made the same number of steps or, if one step of all worlds takes longer than
        `LONGEST`, one more or fewer.
        """
        undone, said, left = np.zeros(self.worlds, np.int64), np.zeros_like(self.status), n
        with deferred_signals:
            while left > 0 and not (undone > 0).all():
                few, begin = min(left, self._slice), perf_counter()
                if plan is not None:
                    few = plan.steps_of_slice(n - left, few)
                    self._take_course(plan.slice_of(n - left, few))
                self._remaining[:] = np.where(undone > 0, 0, few)
                try:
                    self._run_slice_of_all(threads, 0 if plan is None else 3, undone, left - few)
                    if left > few:
                        deferred_signals.let_through()
                except BaseException as error:
                    _say_steps(error, n - left + few - self._remaining[undone == 0])
                    raise
                finally:
                    if plan is not None:
                        self._take_course(self._no_course)
                said |= self.status
                left -= few
                took = max(perf_counter() - begin, 1e-9)
                self._slice = self._next_slice(few, took, LONGEST)
                most = int(self.worlds * _SLICE * few / (took * threads * self._slice))
                self._share = 1 << min(most, 1 << 30).bit_length()
        if plan is not None:
            plan.end(undone)
        if n > 0:
            self.status[...] = said  # of all steps
        return undone

    def _run_slice_of_all(self, threads: int, part: int, undone: np.ndarray, later: int) -> None:
        """Make the remaining steps of all worlds; store in `undone` how many each world leaves."""
        remaining = self._remaining
        self._call_parallel(threads, part)
        while remaining.any():
            invalid = self.status[:, 0] & (Status.INVALID | Status.CAPACITY) == Status.INVALID
            stopped = (remaining > 0) & invalid
            undone[stopped], remaining[stopped] = remaining[stopped] + later, 0
            if remaining.any():
                self._grow_and(lambda: self._call_parallel(threads, part))

    def _take_course(self, course: Course) -> None:
        self.course = course
        for addresses in (self.addresses, *(others[2] for others in self._others)):
            addresses[COURSE] = course.address

    def _grow_and(self, again: Callable[[], None]) -> None:
        """Enlarge tables and continue; the status of the steps before is kept."""
        said = self._said
        said[:] = self.status & ~Status.CAPACITY
        self.grow()
        again()
        self.status |= said

    def _call_parallel(self, threads: int, part: int) -> None:
        """Run all worlds on some threads; each takes the next few worlds when it is free."""
        while len(self._others) < threads - 1:
            work = thread_scratch.for_another_thread(self.work)
            pilot = thread_scratch.pilot_of_another_thread(self.pilot)
            addresses = self.addresses.copy()
            addresses[[WORK, PILOT]] = work.address, pilot.address
            self._others.append((work, pilot, addresses))
        left = iter(shares(self.worlds, threads, self._share))  # shared: each share is taken once

        def share(thread: int) -> None:
            for first, stop in left:
                self._call(first, stop, part, thread)
                if deferred_signals.is_late():
                    return

        while True:
            run_together([partial(share, thread) for thread in range(threads)])
            if not deferred_signals.is_late():
                return
            deferred_signals.let_through()

    def update(self) -> None:
        """Do the first half of a step in world 0."""
        self._call(0, 1, 1)
        while self.status[0, 0] & Status.CAPACITY:
            self.grow()
            self._call(0, 1, 1)

    def advance(self) -> None:
        """Do the second half of a step in world 0, after `update`."""
        self._call(0, 1, 2)
        while self.status[0, 0] & Status.CAPACITY:
            self.grow()
            self._call(0, 1, 1)
            self._call(0, 1, 2)

    def grow(self) -> None:
        """Enlarge the tables that the last step found too small; the state does not change."""
        with deferred_signals:
            self._grow()

    def _grow(self) -> None:
        work = self.work.arrays
        wanted = np.flatnonzero(work["lazy_wanted"].any(axis=0))
        if wanted.size:
            families = [Late(number) for number in wanted.tolist()]
            with deferred_signals.permitted():  # compiles what is not prebuilt
                addresses = [lazy_kernels.address(family) for family in families]
            _loaded.update(families)
            self.model.lazy_address[families] = addresses
            work["lazy_wanted"][:] = 0
            return
        names = ("candidate", "contact", "row", "column", "dense", "node", "value", "friction")
        counts = [int(work[f"{name}_count"].max()) for name in names]
        if counts[1] > _MAX_CONTACTS:
            raise MemoryError(f"{counts[1]} contacts in one step; the limit is {_MAX_CONTACTS}")
        self._enlarge(self.capacity.grown(*counts))

    def make_room(self, contacts: int) -> None:
        """Enlarge the tables for a number of contacts from elsewhere."""
        if contacts > self.capacity.contacts:
            with deferred_signals:
                self._enlarge(self.capacity.grown(contacts=contacts))

    def take_pairs(self, table: np.ndarray) -> None:
        """Replace the pair table; it may have more materials than before."""
        arrays = {**self.model.arrays, "pair_table": np.array(table[None])}
        with deferred_signals:
            self.model = Model.wrap(arrays)
            self.sizes = {**self.sizes, "nmaterial": len(table)}
            self._connect()

    def _enlarge(self, capacity: Capacity) -> None:
        """Replace the tables by larger ones with the same content."""
        rows = self.sizes["nscalar"] - self.capacity.frictions + capacity.frictions
        self.capacity = capacity
        logger.debug("enlarging to %s", self.capacity)
        self.sizes = {**self.sizes, **self.capacity.sizes, "nscalar": rows}
        self.state, self.work = self.state.resized(self.sizes), self.work.resized(self.sizes)
        self._observed = None
        self._connect()

    def filters_changed(self) -> None:
        """Update the model after changes of groups and masks of shapes."""
        collect_filters(self.model)
        self.work.arrays["sweep_is_listed"][...] = 0

    def own(self, *fields: str) -> None:
        """Give every world its own copy of some fields of the model, which all share at first."""
        shared = [name for name in fields if self.model.arrays[name].shape[0] < self.worlds]
        if not shared:
            return
        arrays = dict(self.model.arrays)
        for name in shared:
            arrays[name] = np.repeat(arrays[name], self.worlds, axis=0)
        with deferred_signals:
            self.model = Model.wrap(arrays)
            self._connect()

    def scratch(self) -> Work:
        """Return scratch for queries, which no step uses."""
        if self._observed is None:
            least = dict.fromkeys(self.capacity.sizes, 1)
            self._observed = Work.allocate(self.sizes | least)
        return self._observed

    def observe(self) -> Work:
        """Return scratch with poses, axes and inertias of world 0 at its present state."""
        observed = self.scratch()
        kinematics.compute_poses(self.model, self.state.q, observed)
        inertia.compute_mass_matrix(self.model, observed)
        return observed


def no_pilot() -> Pilot:
    """Return an empty policy."""
    sizes = ("nseen", "nlayer", "nweight", "naction", "ncommand", "nwide")
    return Pilot.allocate(dict.fromkeys(sizes, 0))


def _say_steps(error: BaseException, made: np.ndarray) -> None:
    """Add to an error how many steps the worlds of an interrupted batch have made."""
    if made.size:
        least, most = int(made.min()), int(made.max())
        text = str(least) if least == most else f"{least} to {most}"
        error.add_note(f"tribo: the worlds of the batch have made {text} steps of this call, and stand there")
