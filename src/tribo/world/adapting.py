"""Cables that adapt by themselves: when they are due, and how a snapshot brings back the nodes they had."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from tribo.objects import Object
from tribo.objects.cable import Cable, CableParts
from tribo.objects.constraint import Constraint
from tribo.objects.world_view import WorldView
from tribo.world.add_cables import WorldCables
from tribo.world.add_constraints import WorldConstraints
from tribo.world.object_list import WorldList

logger = logging.getLogger("tribo")


@dataclass(frozen=True, slots=True)
class Laid:
    """Cables in a snapshot: their parts, and the lists in which these are."""

    objects: tuple[Object, ...]
    ties: tuple[Constraint, ...]
    cables: tuple[tuple[Cable, CableParts], ...]


class WorldAdapting:
    """The part of a world that lets cables adapt between its steps."""

    def __init__(
        self, world: WorldView, cables: WorldCables, members: WorldList, ties: WorldConstraints
    ) -> None:
        self._world, self._cables, self._members, self._ties = world, cables, members, ties

    def stretches(self, n: int) -> Iterator[int]:
        """Let cables that are due adapt, and say how many steps may be made until the next is; n in all.

        When one is due follows from the time alone, so that a world that is set back does the same again.
        """
        while n > 0:
            n -= (count := min(n, self.adapt_due()))
            yield count

    def adapt_due(self) -> int:
        """Let cables that are due adapt; return the number of steps until the next one is."""
        number = round(self._world.time / self._world.time_step)
        left = 1 << 30
        for cable in tuple(self._cables.adapting):
            rule = cable.rule
            if rule is None:
                continue
            if any(part.is_removed for part in cable.segments):
                logger.warning(
                    "cable %s does not adapt any more: one of its segments was removed", cable.name
                )
                cable.stop_adapting()
                continue
            if number > 0 and number % rule.every == 0:
                cable.adapt(rule.shortest, rule.longest, rule.bend)
            left = min(left, rule.every - number % rule.every)
        return left

    # -- snapshots -----------------------------------------------------------------------------
    def laid(self) -> Laid | None:
        """Return what a snapshot must keep; None: there is no cable."""
        cables = [cable for cable in self._cables.laid if cable.is_whole]
        if not cables:
            return None
        kept = tuple((cable, cable.parts()) for cable in cables)
        return Laid(tuple(self._members.items), tuple(self._ties.items), kept)

    def put_back(self, then: Laid | None) -> Laid | None:
        """Give cables the segments and joints that they had; return what undoes it.

        Nothing is done, so that the snapshot is refused, where other objects have come or gone.
        """
        now = self.laid()
        if then is None or now is None:
            return None
        changed = [(c, was) for c, was in then.cables if c.parts().segments != was.segments]
        if not changed or not all(cable.is_whole for cable, _ in changed):
            return None
        own: set[object] = set()
        for cable, was in changed:
            is_now = cable.parts()
            own |= {*is_now.segments, *was.segments, *is_now.joints, *was.joints}
        same = [
            [item for item in items if item not in own] == [item for item in before if item not in own]
            for items, before in ((now.objects, then.objects), (now.ties, then.ties))
        ]
        names = {part.name for part in then.objects}
        if not all(same) or len(names) < len(then.objects):
            return None
        self._swap(then, [cable for cable, _ in changed])
        return now

    def undo(self, now: Laid, then: Laid | None) -> None:
        """Take back what `put_back` did."""
        self._swap(now, [cable for cable, _ in then.cables] if then is not None else [])

    def _swap(self, laid: Laid, cables: list[Cable]) -> None:
        """Put the objects and constraints of a list in the place of those that are."""
        for part in self._members.items:
            if part not in laid.objects:
                part.detach()
                part.is_removed = True
        for tie in self._ties.items:
            if tie not in laid.ties:
                tie.detach()
                tie.is_removed = True
        for part in laid.objects:
            part.is_removed = False
        for tie in laid.ties:
            tie.is_removed = False
        self._members.items[:] = laid.objects
        self._members.by_name.clear()
        self._members.by_name.update({part.name: part for part in laid.objects})
        self._ties.items[:] = laid.ties
        for cable, parts in laid.cables:
            if cable in cables:
                cable.become(parts)
        self._world.rebuild()
