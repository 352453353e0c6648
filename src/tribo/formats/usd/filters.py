"""Which bodies of USD pass through each other: filtered pairs, and collision groups as bits.

Shapes that belong to the same groups and filtered prims are one class; each class that may not meet another
has a bit of its own.
"""

from __future__ import annotations

from tribo.description.trees import WorldDescription
from tribo.formats.loops import place_of
from tribo.formats.self_collision import part_by_bits, set_pair
from tribo.formats.usd.bodies import Body, BodyReader
from tribo.formats.usd.stage import Stage

MAX_CLASSES = 40
GROUP, NAMED = "PhysicsCollisionGroup", "physics:filteredPairs"


def keep_apart(stage: Stage, known: BodyReader, robot_of: dict[int, int]) -> list[tuple[Body, Body]]:
    """Apply the collision groups and filtered pairs of a stage.

    Args:
        stage, known: The file and its bodies, whose shapes get bits.
        robot_of: Number of the robot by the id of a body.

    Returns:
        Pairs of links of one robot that may not meet, which `part_links` lets pass.
    """
    links: list[tuple[Body, Body]] = []
    members: dict[str, list[str]] = {}  # paths by group, or by the prim itself
    apart: set[frozenset[str]] = set()
    for prim in stage.prims.values():
        if prim.type == GROUP:
            if prim.is_set("physics:invertFilteredGroups", default=False):
                prim.doubt("invertFilteredGroups is not read: the group is left out", "invert")
                continue
            members[prim.path] = prim.targets.get("collection:colliders:includes", [])
            apart |= {frozenset((prim.path, o)) for o in prim.targets.get("physics:filteredGroups", ())}
        for other in prim.targets.get(NAMED, ()):
            first, second = known.carrier(prim.path), known.carrier(other)
            if first is not None and second is not None and robot_of[id(first)] == robot_of[id(second)]:
                links.append((first, second))
            else:
                members |= {path: [path] for path in (prim.path, other)}
                apart.add(frozenset((prim.path, other)))
    named = {name for pair in apart for name in pair}
    held = [(name, f"{path}/") for name in named & members.keys() for path in members[name]]
    solids = [item for one in (known.ground, *known.bodies.values()) for item in one.solids]
    owners = [
        (shape, {name for name, path in held if f"{prim.path}/".startswith(path)})
        for prim, solid in solids
        for shape in solid.shapes
    ]
    count = part_by_bits(owners, apart, MAX_CLASSES)
    if count > MAX_CLASSES:
        somewhere = next(prim for prim in stage.prims.values() if prim.path in named)
        somewhere.doubt(f"{count} kinds of shapes shall not meet others, more than {MAX_CLASSES}: all "
                        "meet; use collision_group and collision_mask")  # fmt: skip
    return links


def part_links(pairs: list[tuple[Body, Body]], scene: WorldDescription) -> None:
    """Let links of one robot pass through each other."""
    for first, second in pairs:
        for item in scene.objects:
            if item.tree is None:
                continue
            found = [place_of(item.tree, body.name) for body in (first, second)]
            if found[0] is not None and found[1] is not None and found[0][0] != found[1][0]:
                set_pair(item.tree, found[0][0], found[1][0], touching=False)
