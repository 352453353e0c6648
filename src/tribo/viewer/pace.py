"""When the next picture is due: often enough for the eye, rarely enough for the loop that steps the world."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tribo.world.world import World

FRAME = 1.0 / 60.0  # [s] shortest time between two pictures
SLOWEST_FRAME = 0.5  # [s] longest, however much a picture costs
GLANCE = 2e-3  # [s] between two looks at the clock
MAX_SKIPPED = 256  # calls of `update` between them
SHARE = 0.01  # [–] part of the time that pictures may take from a simulation


class Pace:
    """Watches what pictures cost, all threads together, and spreads them out."""

    def __init__(self) -> None:
        """Begin with a picture that is due."""
        self.share = SHARE
        self.next = 0.0  # [s] of the clock, when the next picture is due
        self.cost = 0.0  # [s] of a picture
        self._looked = 0.0
        self._skipped = 1  # calls from one look at the clock to the next
        self._others = other_threads()

    def counted(self, look: Callable[[], None]) -> Callable[[], None]:
        """Return a function that calls `look` now and then, and otherwise nothing.

        The calls in between are counted in C, by an iterator over nothing: that takes a third of the time
        that a method with a counter takes. An error in `look` ends that call alone.
        """

        def turns() -> Iterator[Iterable[None]]:
            while True:
                yield itertools.starmap(look, ((),))
                yield itertools.repeat(None, self._skipped - 1)

        return itertools.chain.from_iterable(turns()).__next__

    def is_due(self, *, is_each: bool) -> bool:
        """Look at the clock; tell whether a picture is due.

        Args:
            is_each: Whether the very next call has to look again; otherwise after as many as fill `GLANCE`.
        """
        now = time.perf_counter()
        rate = self._skipped / max(now - self._looked, 1e-9)
        self._looked = now
        self._skipped = 1 if is_each else max(1, min(int(rate * GLANCE), MAX_SKIPPED))
        return now >= self.next

    def drawn(self, start: float, end: float) -> None:
        """Take note of a picture that was drawn from `start` to `end` [s]; decide when the next is due."""
        others = other_threads()
        spent = end - start + max(0.0, others - self._others)
        self._others = others
        self.cost += 0.2 * (spent - self.cost)
        self.next = end + min(max(FRAME, self.cost / self.share), SLOWEST_FRAME)


def other_threads() -> float:
    """Return the processor time of all threads but this one [s]."""
    return time.process_time() - time.thread_time()


NEWEST = 0.1  # weight of the latest step in the mean


class StageTimes:
    """Mean times of `World.update` and `World.advance`.

    Compiled code does not read the clock, so finer parts of a step are not known here.
    """

    def __init__(self) -> None:
        """Begin without times."""
        self._first = self._second = 0.0  # [s]
        self._is_known = False

    def step(self, world: World) -> None:
        """Make one step, by the clock; its bits are those of `World.step`.

        Raises:
            SimulationError, EditError: As of `World.step`.
        """
        start = time.perf_counter()
        world.update()
        middle = time.perf_counter()
        world.advance()
        first, second = middle - start, time.perf_counter() - middle
        share = NEWEST if self._is_known else 1.0
        self._first += share * (first - self._first)
        self._second += share * (second - self._second)
        self._is_known = True

    def text(self) -> str:
        """Return what is known (Markdown): nothing before the first step."""
        if not self._is_known:
            return ""
        return (
            f"poses, collisions, inertia **{1e3 * self._first:.3g} ms** · "
            f"contact solve, motion **{1e3 * self._second:.3g} ms**"
        )
