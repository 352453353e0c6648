"""Which links of a robot overlap in the pose in which its file draws it.

Convex hulls of meshes are larger than the meshes: hulls of links two or three joints apart often stand in one
another in every pose. Such contacts never open.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tribo.engine.builder import Capacity, build_model
from tribo.engine.engine import Engine
from tribo.materials import MaterialTable
from tribo.objects import Object
from tribo.readout.filters import ShapeFilter

SHOWN = 20  # pairs that the note names
GAP = 1e-3  # [m] links that are nearer than this as drawn count as overlapping


def leave_out(robot: Object, q: np.ndarray) -> None:
    """Let the links of a robot that overlap at coordinates q pass through each other, and note it."""
    tree = robot.description
    tree.overlapping = frozenset(overlapping(robot, q))
    tree.ignored |= tree.overlapping
    if tree.overlapping:
        pairs = [f"{tree.bodies[a].name} and {tree.bodies[b].name}" for a, b in sorted(tree.overlapping)]
        rest = f" and {len(pairs) - SHOWN} more" if len(pairs) > SHOWN else ""
        tree.notes.append(
            f"{len(pairs)} pair{'s' * (len(pairs) > 1)} of links overlap as drawn and do not collide: "
            f"{', '.join(pairs[:SHOWN])}{rest} (self_collision='as in file' lets them)"
        )


def overlapping(robot: Object, q: np.ndarray, gap: float = GAP) -> set[tuple[int, int]]:
    """Return the pairs of bodies that may touch by the rules and overlap, the lower number first.

    Neighbours are not asked for: they may touch only where someone said so. Nor are pairs that a file
    lets touch explicitly. The robot's world is not built for it.

    Args:
        robot: Its description is asked, its shapes may have groups and masks.
        q: (nq,) [m, rad, –] coordinates as the file draws it.
        gap: [m] up to which links count as overlapping.
    """
    tree = robot.description
    known = tree.ignored | tree.enabled
    pairs = [
        (a, b)
        for a, b in combinations((k for k, body in enumerate(tree.bodies) if body.shapes), 2)
        if tree.bodies[b].parent != a and (a, b) not in known
    ]
    if not pairs:
        return set()
    from tribo.probes import near

    capacity = Capacity()
    model, _, sizes = build_model([tree], lambda _: robot.part(), MaterialTable(), capacity)
    engine = Engine(model, sizes, capacity)
    engine.state.q[:] = q
    scratch = ShapeFilter(engine)
    ends = np.cumsum([0, *(len(body.shapes) for body in tree.bodies)])
    group, mask = np.array(model.shape_group), np.array(model.shape_mask)
    out, pair, found = np.zeros(10), np.zeros(2, np.int64), set()
    for a, b in pairs:
        one, other = slice(ends[a], ends[a + 1]), slice(ends[b], ends[b + 1])
        meets = group[one, None] & mask[other] | mask[one, None] & group[other]
        seen = scratch.scene.is_seen
        seen[:] = 0
        seen[one], seen[other] = meets.any(axis=1), meets.any(axis=0)
        spans = np.array([one.start, one.stop, other.start, other.stop], np.int64)
        records = model, engine.state, scratch.work, scratch.scene
        if meets.any() and near.nearest(*records, spans, gap, out, pair) > 0:
            found.add((a, b))
    return found
