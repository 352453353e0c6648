"""`<exclude>` between bodies of different trees, or with what stands: by bits of group and mask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tribo.formats.mjcf.bodies import WORLD, Body
from tribo.formats.mjcf.geoms import Geom
from tribo.formats.nodes import Node

LAST_BIT = 62  # bit 63 is that of static objects


def meet(a: Geom, b: Geom) -> bool:
    """Tell whether two geoms of different bodies meet, by contype and conaffinity."""
    return bool((a.contype & b.conaffinity) | (b.contype & a.conaffinity))


def tops(bodies: Sequence[Body]) -> list[int]:
    """Return for each body the body of the world that it hangs on."""
    top = [WORLD]
    for k, body in enumerate(bodies[1:], start=1):
        top.append(k if body.parent == WORLD else top[body.parent])
    return top


def are_of_one_tree(bodies: Sequence[Body], first: int, second: int) -> bool:
    """Tell whether two bodies are links of one robot, which lists them by itself, or never meet at all."""
    top = tops(bodies)
    moving = {top[k] for k, body in enumerate(bodies) if body.joints or body.is_mocap}
    stand = [top[k] not in moving for k in (first, second)]
    return all(stand) or (top[first] == top[second] and not any(stand))


def keep_apart(excluded: Sequence[tuple[Node, str, str]], bodies: Sequence[Body], bit: int) -> None:
    """Let the geoms of two bodies of different trees pass through each other, and meet all else as before.

    The geoms of one of the two leave their bits and get new ones, one for all that were alike; what they met
    before, and still meet, takes those bits into its mask.

    Args:
        excluded: Elements, and the names of their two bodies.
        bodies: All bodies.
        bit: The first bit that nobody uses.
    """
    number = {body.name: k for k, body in enumerate(bodies)}
    waiting = [
        (node, number[first], number[second])
        for node, first, second in excluded
        if not are_of_one_tree(bodies, number[first], number[second])
    ]
    while waiting:
        counts = Counter(k for _, *pair in waiting for k in pair if k != WORLD)
        one = max(counts, key=counts.__getitem__)
        mine = [item for item in waiting if one in item[1:]]
        waiting = [item for item in waiting if one not in item[1:]]
        others = {b if a == one else a for _, a, b in mine}
        kinds: dict[tuple[int, int], list[Geom]] = {}
        for geom in bodies[one].geoms:
            kinds.setdefault((geom.contype, geom.conaffinity), []).append(geom)
        for alike in kinds.values():
            met = [
                geom
                for k, body in enumerate(bodies)
                for geom in body.geoms
                if k != one and meet(geom, alike[0])
            ]
            if bit > LAST_BIT:
                for node, *_ in mine:
                    node.doubt("no bits are left for it, so these bodies go on meeting; use contype and "
                               "conaffinity", "exclude")  # fmt: skip
                return
            apart = {id(geom) for k in others for geom in bodies[k].geoms}
            for geom in alike:
                geom.contype, geom.conaffinity = 1 << bit, 0
            for geom in met:
                if id(geom) not in apart:
                    geom.conaffinity |= 1 << bit
            bit += 1
