"""Wires and other constraints of RaiSim world files, read and written.

RaiSim has <wire>. Constraints that have no element of it (<constraint>: pins, welds, hinges, motors,
locks, magnets;
winches; damping, tension, compliance, break force, collide; an end in the world, places to run over) is
written as an addition to it and read back.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from lxml import etree

from tribo.description.constraints import LOCKED, ConstraintDescription
from tribo.formats.nodes import Node
from tribo.formats.written_xml import add, put

TYPES = ("stiff", "compliant", "custom", "winch")  # the last one is not RaiSim's
STRETCH = {
    "stretch_resistant_only": "stretch", "compression_resistant_only": "compression",
    "stretch": "stretch", "compression": "compression", "both": "both",
}  # fmt: skip
WIRE = ("name", "type", "length", "stiffness", "stretch_type")
OWN = ("damping", "tension", "is_rod", "friction")  # not RaiSim's
WINCH = ("speed", "max_force", "brake_force", "least_length", "most_length")
KINDS = ("pin", "weld", "hinge", "motor", "lock", "magnet", "equality")
CATCH = ("catch_distance", "catch_angle")
SOFT = (
    "compliance", "angular_compliance", "spook_damping", "angular_spook_damping", "break_time",
    "break_impulse", "break_offset",
)  # fmt: skip
OF_ROBOT = "of_robot"  # one that comes with a robot's file: its settings, no ends
SHARED = ("erp", "break_force", "is_on", "collide", *SOFT, "break_direction")
CONSTRAINT = (
    "name", "type", "speed", "position", "max_force", "force_range", "locked", *CATCH, *SHARED,
)  # fmt: skip
FLAGS = ("is_on", "collide")
END = ("name", "local_index", "pos", "frame")
MAX_BODY = 1_000_000


def read_wire(node: Node) -> ConstraintDescription:
    """Read a <wire>."""
    node.check_attributes((*WIRE, *OWN, *WINCH, *SHARED))
    kind = node.word("type", "stiff").lower()
    if kind not in TYPES:
        raise node.error(f"type={kind!r} is not known; known: {', '.join(TYPES)}")
    made = ConstraintDescription("wire", name=node.word("name"))
    numbers = _shared(node)
    if "length" in node.attributes:
        numbers["length"] = node.number("length", above=0.0)
    elif kind == "custom":
        numbers["length"] = 1.0
    made.resists = STRETCH[node.choice("stretch_type", STRETCH, "stretch", fold=True)]
    if _flag(node, "is_rod", default=False):
        if (kind, made.resists) != ("stiff", "both"):
            raise node.error("is_rod=1 needs type='stiff' and stretch_type='both'")
        made.type = "rod"
    if kind == "compliant":
        numbers["stiffness"] = node.number("stiffness", at_least=0.0)
        numbers["damping"] = node.number("damping", 0.0, at_least=0.0)
    elif kind == "custom":
        made.resists = "nothing"
        numbers["tension"] = node.number("tension", 0.0)
    elif kind == "winch":
        made.type = "winch"
        numbers |= node.numbers(WINCH)
        numbers.setdefault("max_force", inf)  # what is not written has no bound
        numbers.setdefault("brake_force", inf)
    made.numbers = numbers
    _ends(node, made, (), over=True)
    numbers |= node.numbers(("friction",), at_least=0.0)
    return made


def read_constraint(node: Node) -> ConstraintDescription:
    """Read a <constraint>: a pin, weld, hinge or motor, or settings of one that a robot brings along."""
    node.check_attributes(CONSTRAINT)
    kind = node.text("type")
    if kind == OF_ROBOT:
        node.check_children(())
        return ConstraintDescription(OF_ROBOT, name=node.text("name"), numbers=_shared(node))
    if kind not in KINDS:
        raise node.error(f"type={kind!r} is not known; known: {', '.join((*KINDS, OF_ROBOT))}")
    made = ConstraintDescription(kind, name=node.word("name"))
    made.locked = node.integer("locked", LOCKED.get(kind))
    if not 0 < made.locked < 64:
        raise node.error(f"locked={made.locked} must hold some of the bits 0 to 5")
    made.numbers = _shared(node)
    if kind == "motor":
        if made.locked not in {4, 32}:
            raise node.error(f"locked={made.locked} of a motor must be 32 (turns) or 4 (pushes)")
        made.numbers["speed"] = node.number("speed", 0.0)
        made.numbers["max_force"] = node.number("max_force", at_least=0.0)
    if kind == "lock":
        made.numbers["position"] = node.number("position", 0.0)
        made.numbers["max_force"] = (
            node.number("max_force", at_least=0.0) if "max_force" in node.attributes else inf
        )
    if "force_range" in node.attributes:
        made.numbers["force_range"] = tuple(node.vector("force_range", 2))
    if kind == "magnet":
        made.numbers |= {name: node.number(name, at_least=0.0) for name in CATCH}
    _ends(node, made, ("axes",))
    return made


def _shared(node: Node) -> dict[str, Any]:
    """Return the numbers that all of them have."""
    made: dict[str, Any] = node.numbers(("erp", "break_force", *SOFT), at_least=0.0)
    if made.get("erp", 0.0) > 1.0:
        raise node.error(f"erp={made['erp']:g} must be from 0 to 1")
    if "break_direction" in node.attributes:
        made["break_direction"] = tuple(node.vector("break_direction", 3))
    for name in FLAGS:
        if name in node.attributes:
            made[name] = _flag(node, name, default=True)
    return made


def _flag(node: Node, name: str, *, default: bool) -> bool:
    """Return an attribute that is 0 or 1."""
    written = node.word(name, "1" if default else "0")
    if written not in {"0", "1"}:
        raise node.error(f"{name}={written!r} must be 0 or 1")
    return written == "1"


def _ends(node: Node, made: ConstraintDescription, more: tuple[str, ...], *, over: bool = False) -> None:
    """Read <object1> and <object2>, and of a wire <over>: where it runs over."""
    node.check_children(("object1", "object2", "over") if over else ("object1", "object2"))
    for child in node.all("over") if over else ():
        child.check_leaf(("name", "local_index", "pos"))
        body = _body(child)
        name = child.word("name")
        made.over.append((name or None, body, child.vector("pos", 3, (0.0, 0.0, 0.0))))
    objects: list[str | None] = []
    bodies, frames = [], []
    for side, tag in enumerate(("object1", "object2")):
        child = node.need(tag)
        child.check_leaf((*END, *more))
        name = child.word("name")
        objects.append(name or None)
        body = _body(child)
        bodies.append(body if name else -1)
        frames.append(child.word("frame"))
        if frames[-1] and not name:
            raise child.error("a frame needs the name of its object")
        made.points[side] = child.vector("pos", 3, (0.0, 0.0, 0.0))
        if "axes" in child.attributes and "axes" in more:
            axes = np.array(child.vector("axes", 9)).reshape(3, 3)
            if not np.allclose(axes.T @ axes, np.eye(3), atol=1e-6) or np.linalg.det(axes) < 0.0:
                raise child.error("axes must be a rotation matrix, row by row")
            made.axes[side] = axes
    if None in objects and not made.numbers.get("collide", True):
        raise node.error("collide=0 needs two objects: the world has no shapes; name what stands there")
    if not any(objects) and all(name is None for name, _, _ in made.over):
        raise node.error("both ends are in the world; name an object in one of them")
    made.objects, made.bodies = (objects[0], objects[1]), (bodies[0], bodies[1])
    made.frames = (frames[0], frames[1])


def _body(end: Node) -> int:
    """Return the number of a body of an object."""
    body = end.integer("local_index", 0)
    if not 0 <= body <= MAX_BODY:
        raise end.error(f"local_index={body} must be from 0 to {MAX_BODY}")
    return body


def write_constraint(root: etree._Element, item: ConstraintDescription, text: Callable[[str], str]) -> None:
    """Add a <wire> or <constraint> to a world."""
    values = {"name": text(item.name)}
    given = {
        key: str(int(value)) if key in FLAGS else value for key, value in item.numbers.items() if value != inf
    }
    if item.type == OF_ROBOT:
        add(root, "constraint", **values, type=OF_ROBOT, **given)
        return
    if item.type in {"wire", "rod", "winch"}:
        kind = "custom" if item.resists == "nothing" else "stiff"
        if "stiffness" in given:
            kind = "compliant"
        if item.type == "winch":
            kind = "winch"
        stretch = {"stretch": "stretch_resistant_only", "compression": "compression_resistant_only"}
        values |= {"type": kind}
        if kind != "custom":
            values["stretch_type"] = stretch.get(item.resists, "both")
        if item.type == "rod":
            values["is_rod"] = "1"
        node = add(root, "wire", **values, **given)
    else:
        values |= {"type": item.type, "locked": str(int(item.locked))}
        node = add(root, "constraint", **values, **given)
    ends = zip(("object1", "object2"), item.objects, item.bodies, item.points, strict=True)
    for tag, name, body, point in [*ends, *(("over", *place) for place in item.over)]:
        place = add(node, tag)
        if name is not None:
            put(place, name=text(name), local_index=str(body))
        put(place, pos=point)
    if node.tag == "constraint":
        for end, axes in zip(node, item.axes, strict=True):
            put(end, axes=axes)
