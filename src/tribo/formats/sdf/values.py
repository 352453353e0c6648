"""Values of SDF: texts of elements, poses."""

from __future__ import annotations

import math

from tribo.checks.check import LARGEST
from tribo.description.trees import Vector
from tribo.formats.nodes import Node
from tribo.formats.pose import NO_POSE, Pose, from_roll_pitch_yaw, normalized

ENDLESS = 1e15  # [rad, m, N …] SDF writes 1e16 or inf for no limit
TRUE = frozenset({"1", "true"})


def child(node: Node, tag: str) -> Node | None:
    """Return the first child with a tag, None if there is none."""
    return next(node.all(tag), None)


def word(node: Node, tag: str, default: str = "") -> str:
    """Return the text of a child."""
    found = child(node, tag)
    return default if found is None else found.content


def truth(node: Node, tag: str, *, default: bool = False) -> bool:
    """Return a child that is true or false."""
    text = word(node, tag).lower()
    return default if not text else text in TRUE


def vector(node: Node, count: int | None) -> Vector:
    """Return the numbers that are the text of an element."""
    node.attributes["value"] = node.content
    return node.vector("value", count, largest=LARGEST)


def number(node: Node, tag: str, default: float) -> float:
    """Return the number in a child; "inf" and what is as large is infinity."""
    found = child(node, tag)
    if found is None or not found.content:
        return default
    text = found.content.lower().lstrip("+")
    if text.lstrip("-") in {"inf", "infinity"}:
        return -math.inf if text.startswith("-") else math.inf
    found.attributes["value"] = found.content
    value = found.number("value")
    return math.copysign(math.inf, value) if abs(value) >= ENDLESS else value


def pose_of(node: Node) -> tuple[Pose, str]:
    """Return the pose of an element, and the frame in which it is given; empty: the usual one."""
    found = child(node, "pose")
    if found is None:
        return NO_POSE, ""
    relative = found.attributes.get("relative_to", found.attributes.get("frame", "")).strip()
    if not found.content:
        return NO_POSE, relative
    if found.word("rotation_format") == "quat_xyzw":
        numbers = vector(found, 7)
        turn = (numbers[6], *numbers[3:6])
        if not any(turn):
            raise found.error("its quaternion is zero")
        return Pose(numbers[:3], normalized(turn)), relative
    numbers = vector(found, 6)
    unit = math.radians(1.0) if found.word("degrees") in TRUE else 1.0
    return Pose(numbers[:3], from_roll_pitch_yaw(tuple(unit * x for x in numbers[3:]))), relative
