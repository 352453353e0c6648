"""Threads that step shares of a batch: started once, woken in microseconds.

A pool of futures costs 60 µs a call, a fifth of the time of 64 quadrupeds on two threads; two locks cost a
tenth of that. The threads belong to the process, not to a batch, so batches can come and go; a forked process
starts its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from functools import cache

from tribo.engine.interrupts import deferred_signals


class _Worker(threading.Thread):
    """A thread that waits for a job, runs it, signals its end, and waits again."""

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
        """Wait for the job; return its exception."""
        self._done.acquire()
        error, self.error = self.error, None
        return error

    def run(self) -> None:
        """Run jobs for ever (daemon thread)."""
        while True:
            self._go.acquire()
            try:
                self.job()
            except BaseException as error:
                self.error = error
            self._done.release()


class _Pool:
    """The threads of this process; one call at a time uses them."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget the threads after a fork: they do not exist in the child."""
        self.in_use, self.workers = threading.Lock(), list[_Worker]()


_pool = _Pool()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.begin_anew)


@cache
def shares(worlds: int, threads: int, most: int = 1 << 62) -> tuple[tuple[int, int], ...]:
    """Return the shares (first, stop) in which threads take worlds, large ones first.

    A share is a part of the rest (guided self-scheduling: Polychronopoulos and Kuck 1987), so there are few
    of them, and the last ones are so small that the threads end together.

    Args:
        worlds: Number of worlds.
        threads: Number of threads.
        most: Largest share.

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

    If another thread is running jobs, these run one after another. Signals wait until all are done. Of
    several exceptions the first in the order of the jobs is raised, when all are done.
    """
    with deferred_signals:
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
        errors += [worker.finish() for worker in busy]  # wait for all: a worker must be idle again
        for raised in errors:
            if raised is not None:
                raise raised
    finally:
        _pool.in_use.release()
