"""Which bodies of a tree are computed side by side (`tribo.dynamics.abreast`)."""

from __future__ import annotations

from collections.abc import Sequence

from tribo.math.lane_rows import LANES
from tribo.model import Joint

SIMPLE = (Joint.REVOLUTE, Joint.PRISMATIC)
WORTH = 3  # bodies of a group, at least


def in_order(parents: Sequence[int], joints: Sequence[Joint]) -> list[list[int]]:
    """Return the bodies of a tree in groups, parents in earlier ones; −1 is the parent of the root.

    A group is of three or four bodies on joints of the same kind with one dof, or one body: two side by side
    are no faster than one after the other.
    """
    groups = fewest(parents, joints)
    if max(len(group) for group in groups) < WORTH:
        return [[i] for i in range(len(parents))]
    parts = [[group] if len(group) >= WORTH else [[i] for i in group] for group in groups]
    return [part for several in parts for part in several]


def fewest(parents: Sequence[int], joints: Sequence[Joint]) -> list[list[int]]:
    """Return groups of up to four bodies as they are in `in_order`, as few as can be.

    First come those with the longest chain behind them: where all joints are alike, no fewer groups would do
    (T. C. Hu 1961).
    """
    height = [0] * len(parents)
    for i in range(len(parents) - 1, 0, -1):
        height[parents[i]] = max(height[parents[i]], height[i] + 1)
    children: list[list[int]] = [[] for _ in parents]
    for i, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(i)
    ready = [i for i, parent in enumerate(parents) if parent < 0]
    groups = []
    while ready:
        ready.sort(key=lambda i: (-height[i], i))
        kind = joints[ready[0]]
        group = ready[:1]
        if kind in SIMPLE and parents[ready[0]] >= 0:
            group = [i for i in ready if joints[i] == kind][:LANES]
        groups.append(group)
        ready = [i for i in ready if i not in group]
        ready += [child for i in group for child in children[i]]
    return groups
