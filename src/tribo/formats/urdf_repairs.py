"""Surplus parts of a URDF: elements that repeat, numbers beyond the third of a vector."""

from __future__ import annotations

from tribo.formats.nodes import Node

SINGLE = {  # elements that may stand once, by the one that holds them
    "link": ("inertial",),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry"),
}
VECTORS = {"origin": ("xyz", "rpy"), "axis": ("xyz",), "mesh": ("scale",)}


def drop_surplus(robot: Node) -> None:
    """Drop repeated elements and surplus numbers, as readers of the first one do, and doubt them."""
    for part in robot.children:
        if part.tag in {"link", "joint"}:
            _drop(part)


def _drop(node: Node) -> None:
    surplus = [other for tag in SINGLE.get(node.tag, ()) for other in [*node.all(tag)][1:]]
    for other in surplus:
        other.doubt(
            f"stands again in {node.place}: the first one is read; keep one", f"second {other.tag}"
        )
    gone = set(map(id, surplus))
    node.children = [child for child in node.children if id(child) not in gone]
    for name in VECTORS.get(node.tag, ()):
        words = node.attributes.get(name, "").replace(",", " ").split()
        if len(words) > 3 and all(_is_number(word) for word in words):
            node.doubt(
                f"{name} has {len(words)} numbers, must have 3: the first three are read",
                f"{name} of {len(words)}",
            )
            node.attributes[name] = " ".join(words[:3])
    for child in node.children:
        _drop(child)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
