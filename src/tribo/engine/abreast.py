"""Groups of bodies of a tree that are computed side by side (`tribo.dynamics.body_lanes`)."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from tribo.math.lane_rows import LANES
from tribo.model import Joint

SIMPLE = (Joint.REVOLUTE, Joint.PRISMATIC)
MIN_GROUP = 3  # fewest bodies that are processed in lanes


def in_order(parents: Sequence[int], joints: Sequence[Joint]) -> list[list[int]]:
    """Return the bodies of a tree in groups, parents in earlier ones; −1 is the parent of the root.

    A group has three or four bodies on joints of the same kind with one dof, or one body: two side by side
    are no faster than one after the other.
    """
    groups = fewest(parents, joints)
    if max(len(group) for group in groups) < MIN_GROUP:
        return [[i] for i in range(len(parents))]
    parts = [[group] if len(group) >= MIN_GROUP else [[i] for i in group] for group in groups]
    return [part for several in parts for part in several]


def fewest(parents: Sequence[int], joints: Sequence[Joint]) -> list[list[int]]:
    """Return the fewest groups of up to four bodies, as in `in_order`.

    Bodies with the longest chain behind them come first, which is optimal if all joints are alike (T. C. Hu
    1961).
    """
    height = [0] * len(parents)
    for i in range(len(parents) - 1, 0, -1):
        height[parents[i]] = max(height[parents[i]], height[i] + 1)
    children: list[list[int]] = [[] for _ in parents]
    for i, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(i)
    ready: dict[Joint, list[tuple[int, int]]] = {}  # heaps, by kind of joint
    groups = [[i] for i, parent in enumerate(parents) if parent < 0]
    done = 0
    while done < len(groups):
        for i in groups[done]:
            for child in children[i]:
                heappush(ready.setdefault(joints[child], []), (-height[child], child))
        done += 1
        waiting = [kind for kind, heap in ready.items() if heap]
        if waiting and done == len(groups):
            kind = min(waiting, key=lambda kind: ready[kind][0])
            most = LANES if kind in SIMPLE else 1
            taken = min(most, len(ready[kind]))
            groups.append([heappop(ready[kind])[1] for _ in range(taken)])
    return groups
