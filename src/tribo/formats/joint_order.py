"""Robots whose joints stand in another order: coordinates, names, drives, all that counts bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tribo.checks.check import nearest, shown
from tribo.description.couplings import WayElement
from tribo.description.trees import DescriptionError, TreeDescription, Vector
from tribo.engine.layout import COORDINATES


def reordered(tree: TreeDescription, names: Sequence[str]) -> TreeDescription:
    """Return a robot whose joints stand in a given order; the root stays first.

    Args:
        tree: The robot.
        names: Its joints that move, each once, parents before children.

    Raises:
        DescriptionError: A name is unknown, missing, there twice, of a fixed joint, or stands before that of
            the joint on which its own hangs.
    """
    given: object = names
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    if not is_list or not all(isinstance(name, str) for name in names):
        raise DescriptionError(f"joint_order must be a sequence of names of joints, got {shown(names)}")
    found = {body.joint.name: k for k, body in enumerate(tree.bodies) if k > 0}
    fixed = {frame.name for frame in tree.frames} - set(found)
    order = [0]
    for name in names:
        if name in found:
            if found[name] in order:
                raise DescriptionError(f"joint_order names {name!r} twice; name every joint once")
            order.append(found[name])
        elif name == tree.bodies[0].joint.name:
            raise DescriptionError(
                f"joint_order names {name!r}, the root: its coordinates always come first; leave it out"
            )
        elif name in fixed:
            raise DescriptionError(
                f"joint_order names {name!r}, which is no joint that moves and has no coordinate; "
                "leave it out"
            )
        else:
            raise DescriptionError(
                f"joint_order names {name!r}, which is no joint{nearest(name, list(found))}"
            )
    missing = [name for name, k in found.items() if k not in order]
    if missing:
        raise DescriptionError(
            f"joint_order lacks {', '.join(map(repr, missing[:5]))}"
            f"{' …' if len(missing) > 5 else ''}; name every joint that moves"
        )
    place = {old: new for new, old in enumerate(order)}
    for k in order[1:]:
        parent = tree.bodies[k].parent
        if place[parent] > place[k]:
            child, above = (tree.bodies[i].joint.name for i in (k, parent))
            raise DescriptionError(
                f"joint_order: {child!r} stands before {above!r}, on which it hangs; parents come first"
            )
    return _in_order(tree, order, place)


def depth_first(tree: TreeDescription) -> TreeDescription:
    """Return a robot in the order in which its URDF is read: every body is followed by what hangs on it."""
    below: list[list[int]] = [[] for _ in tree.bodies]
    for k, body in enumerate(tree.bodies[1:], 1):
        below[body.parent].append(k)
    order: list[int] = []
    todo = [0]
    while todo:
        order.append(todo.pop())
        todo += reversed(below[order[-1]])
    return _in_order(tree, order, {old: new for new, old in enumerate(order)})


def _in_order(tree: TreeDescription, order: list[int], place: dict[int, int]) -> TreeDescription:
    """Return a robot whose bodies are taken in an order; `place`: where each then is."""
    if order == sorted(order):
        return tree
    places = tree.joint_slices(COORDINATES)

    def moved(q: Vector | None) -> Vector | None:
        return None if q is None else tuple(x for k in order for x in q[places[k]])

    def carried(way: tuple[WayElement, ...]) -> tuple[WayElement, ...]:
        return tuple(replace(one, body=place.get(one.body, -1)) for one in way)

    return replace(
        tree,
        couplings=[
            replace(one, way=carried(one.way), inner_way=carried(one.inner_way)) for one in tree.couplings
        ],
        bodies=[replace(tree.bodies[k], parent=place.get(tree.bodies[k].parent, -1)) for k in order],
        frames=[replace(frame, body=place[frame.body]) for frame in tree.frames],
        parts=[replace(part, body=place[part.body]) for part in tree.parts],
        ignored=_placed(tree.ignored, place),
        enabled=_placed(tree.enabled, place),
        overlapping=frozenset(_placed(tree.overlapping, place)),
        start=moved(tree.start),
        drawn=moved(tree.drawn),
        closed=moved(tree.closed),
        keyframes={name: moved(q) or () for name, q in tree.keyframes.items()},
        constraints=[
            replace(item, bodies=(place.get(item.bodies[0], -1), place.get(item.bodies[1], -1)))
            for item in tree.constraints
        ],
    )


def _placed(pairs: Iterable[tuple[int, int]], place: dict[int, int]) -> set[tuple[int, int]]:
    """Return pairs of bodies by where the bodies then are, the lower number first."""
    moved = ((place[a], place[b]) for a, b in pairs)
    return {(min(pair), max(pair)) for pair in moved}
