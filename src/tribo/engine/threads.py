"""Threads that take shares of a batch: started once, woken in microseconds.

A pool of futures costs 60 µs a call, a fifth of what 64 quadrupeds need on two threads; two locks cost
a tenth of that. The threads belong to the process, not to a batch, so batches can come and go; a process that
is forked starts its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from functools import cache

from tribo.engine.interrupts import held


class _Worker(threading.Thread):
    """A thread that waits for a job, does it, says so, and waits again."""

    def __init__(self) -> None:
        super().__init__(daemon=True, name="tribo worker")
        self.job: Callable[[], None] = lambda: None
        self.error: BaseException | None = None
        self._go, self._done = threading.Lock(), threading.Lock()
        self._go.acquire()
        self._done.acquire()
        self.start()

    def begin(self, job: Callable[[], None]) -> None:
        """Start a job; `finish` must follow."""
        self.job = job
        self._go.release()

    def finish(self) -> BaseException | None:
        """Wait for the job; return what it raised."""
        self._done.acquire()
        error, self.error = self.error, None
        return error

    def run(self) -> None:
        """Work for ever; the process does not wait for it."""
        while True:
            self._go.acquire()
            try:
                self.job()
            except BaseException as error:
                self.error = error
            self._done.release()


class _Pool:
    """The threads of this process; one call at a time has them."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget the threads of the process that forked this one: they are not here."""
        self.in_use, self.workers = threading.Lock(), list[_Worker]()


_pool = _Pool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.begin_anew)


@cache
def shares(worlds: int, threads: int, most: int = 1 << 62) -> tuple[tuple[int, int], ...]:
    """Return the shares in which threads take worlds, first and stop of each: large ones first.

    A share is a part of what is left (guided self-scheduling: Polychronopoulos and Kuck 1987), so there are
    few of them, and the last ones are so small that the threads end together.

    Args:
        worlds: How many.
        threads: How many.
        most: No share has more worlds.

    Example:
        >>> shares(8, 2)
        ((0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8))
    """
    least = max(1, min(most, worlds // (64 * threads)))
    made, first = [], 0
    while first < worlds:
        stop = min(worlds, first + max(least, min(most, (worlds - first) // (2 * threads))))
        made.append((first, stop))
        first = stop
    return tuple(made)


def run_together(jobs: Sequence[Callable[[], None]]) -> None:
    """Run jobs at the same time, the first in the calling thread; return when all are done.

    If another thread is running jobs, these run one after another: the processors are taken. Signals wait
    until all are done. Of what jobs raise, the first in their order is raised, when all are done.
    """
    with held:
        _run(jobs)


def _run(jobs: Sequence[Callable[[], None]]) -> None:
    if len(jobs) == 1 or not _pool.in_use.acquire(blocking=False):
        for job in jobs:
            job()
        return
    try:
        while len(_pool.workers) < len(jobs) - 1:
            _pool.workers.append(_Worker())
        busy = _pool.workers[: len(jobs) - 1]
        for worker, job in zip(busy, jobs[1:], strict=True):
            worker.begin(job)
        errors: list[BaseException | None] = []
        try:
            jobs[0]()
        except BaseException as error:
            errors.append(error)
        errors += [worker.finish() for worker in busy]  # all of them: a worker rests, or is lost
        for raised in errors:
            if raised is not None:
                raise raised
    finally:
        _pool.in_use.release()
