"""States of the last half minute of a run: a time line to go back on, and single steps back."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tribo.readout.snapshot import Snapshot
    from tribo.world.world import World

SPAN = 30.0  # [s] of world time that are kept
STRIDE = 20  # steps between two states that are kept; those between are made again
MOST = 1 << 27  # bytes of all states
SHARE = 0.05  # [–] of the wall time that keeping them may take


class History:
    """Keeps states of a world, and puts it back to any moment between the first and the last of them.

    A moment between two kept states is reached by stepping from the earlier one: the same bits, unless a
    program or a hand pushed in between.

    Args:
        world: Whose states they are.
    """

    def __init__(self, world: World) -> None:
        """Keep the present state."""
        self._world = world
        self._kept: deque[Snapshot] = deque()
        self._latest = world.time  # [s] how far it had come
        self._due = 0.0  # [s] of wall time, before which none is kept
        self.clear()

    def clear(self) -> None:
        """Forget all but the present state: objects or sensors came or went, and no older state fits."""
        self._kept.clear()
        if not self._world.is_midway:
            self._kept.append(self._world.snapshot())
        self._latest = self._world.time

    def note(self) -> None:
        """Keep the present state if its turn has come; moments later than it are gone."""
        world, kept = self._world, self._kept
        now, step = world.time, world.time_step
        while kept and kept[-1].time > now + 0.5 * step:
            kept.pop()
        self._latest = now
        start = time.perf_counter()
        is_early = kept and (start < self._due or now - kept[-1].time < (STRIDE - 0.5) * step)
        if world.is_midway or is_early:
            return
        kept.append(world.snapshot())
        end = time.perf_counter()
        self._due = end + (end - start) / SHARE
        most = max(2, MOST // max(1, _size(kept[-1])))
        while len(kept) > most or kept[0].time < now - SPAN:
            kept.popleft()

    @property
    def span(self) -> tuple[float, float]:
        """First and last moment [s]."""
        return (self._kept[0].time if self._kept else self._latest), self._latest

    def go_to(self, moment: float) -> None:
        """Put the world to a moment [s], to the nearest step within the time that is kept."""
        first, last = self.span
        moment = min(max(moment, first), last)
        before = [saved for saved in self._kept if saved.time <= moment + 1e-9]
        if before:
            world = self._world
            world.restore(before[-1])
            world.step(max(0, round((moment - world.time) / world.time_step)))

    def step_back(self, steps: int) -> None:
        """Put the world back by some steps."""
        self.go_to(self._world.time - steps * self._world.time_step)


def _size(saved: Snapshot) -> int:
    """Return about how many bytes a state takes."""
    numbers = sum(array.nbytes for group in saved.arrays.values() for array in group.values())
    return numbers + sum(array.nbytes for array in saved.readings.values())
