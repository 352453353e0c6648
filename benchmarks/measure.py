"""Timing: engines alternating, so that a change of the machine's load meets all of them alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

import tribo


@dataclass
class Timing:
    """Durations of one step in every round [µs]."""

    cpu: list[float] = field(default_factory=list)  # of this process, whatever else runs
    wall: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Median processor time of a step [µs]."""
        return statistics.median(self.cpu)

    @property
    def least(self) -> float:
        """Least processor time of a step [µs]."""
        return min(self.cpu)

    @property
    def rate(self) -> float:
        """Steps per second of processor time."""
        return 1e6 / self.median


@dataclass(frozen=True)
class Job:
    """Something to time: `prepare` is not counted."""

    prepare: Callable[[], None]
    run: Callable[[int], None]


def in_turns(jobs: Mapping[str, Job], steps: int, rounds: int) -> dict[str, Timing]:
    """Time all jobs round by round."""
    timings = {name: Timing() for name in jobs}
    for job in jobs.values():
        job.prepare()
        job.run(max(1, steps // 8))
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, job in jobs.items():
                job.prepare()
                cpu, wall = time.process_time(), time.perf_counter()
                job.run(steps)
                timings[name].cpu.append((time.process_time() - cpu) / steps * 1e6)
                timings[name].wall.append((time.perf_counter() - wall) / steps * 1e6)
    finally:
        gc.enable()
    return timings


def percentiles(times: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the median of each, by its name, and its 99th percentile, by "NAME, 99 %"."""
    found = {}
    for name, taken in times.items():
        found[name], found[f"{name}, 99 %"] = map(float, np.percentile(taken, [50, 99]))
    return found


def step_by_step(
    world: tribo.World, steps: int, clock: Callable[[], float], push: Callable[[], None] | None = None
) -> tuple[np.ndarray, int]:
    """Return how long each step of a world takes [µs], and how many are `NOT_CONVERGED`.

    push: called before each step, not counted.
    """
    taken, flagged = np.empty(steps), 0
    for k in range(steps):
        if push is not None:
            push()
        start = clock()
        world.step()
        taken[k] = 1e6 * (clock() - start)
        flagged += bool(world.status & tribo.Status.NOT_CONVERGED)
    return taken, flagged


def ratio(ours: list[float], theirs: list[float]) -> tuple[float, float, float]:
    """Return median, least and largest of their time over ours, round by round."""
    ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
    return statistics.median(ratios), min(ratios), max(ratios)
