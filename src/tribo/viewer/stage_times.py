"""How long the two halves of a step take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tribo.world.world import World

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
