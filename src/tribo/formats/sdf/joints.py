"""Joints of SDF."""

from __future__ import annotations

from math import inf

from tribo.description.trees import JointDescription
from tribo.formats.nodes import Node
from tribo.formats.pose import Pose
from tribo.formats.sdf.models import Part
from tribo.formats.sdf.values import child, number, word
from tribo.model import Joint

TYPES = {
    "revolute": Joint.REVOLUTE, "continuous": Joint.REVOLUTE, "prismatic": Joint.PRISMATIC,
    "ball": Joint.SPHERICAL, "fixed": Joint.FIXED, "universal": Joint.REVOLUTE, "revolute2": Joint.REVOLUTE,
}  # fmt: skip
PAIRS = ("universal", "revolute2")  # two hinges one after another
OTHER = {"screw": "a prismatic or a revolute joint", "gearbox": "<mimic> of a revolute joint"}


def second_of(name: str) -> str:
    """Return the name of the second of the two hinges of a joint."""
    return f"{name}/2"


def read_joints(part: Part, placed: Pose) -> list[JointDescription]:
    """Return the joint, or the two, that a <joint> is; `placed`: in the frame of the body above."""
    node = part.node
    kind = node.text("type")
    if kind in OTHER:
        raise node.refused(f"joint type {kind!r}", f"use {OTHER[kind]}")
    node.choice("type", TYPES, "")
    first = JointDescription(part.name, TYPES[kind], placed.position, placed.quaternion)
    made = [first]
    if kind in PAIRS:
        made.append(JointDescription(second_of(part.name), TYPES[kind]))
    if TYPES[kind] in (Joint.FIXED, Joint.SPHERICAL):
        return made
    for joint, axis, tag in zip(
        made, (*part.axes, (0.0, 0.0, 1.0)), ("axis", "axis2"), strict=False
    ):
        joint.axis = axis
        given = child(node, tag)
        if given is not None:
            _read_axis(given, joint, kind)
    return made


def _read_axis(node: Node, joint: JointDescription, kind: str) -> None:
    """Read limits, dynamics and <mimic> of an axis."""
    limit, dynamics, mimic = (child(node, tag) for tag in ("limit", "dynamics", "mimic"))
    if limit is not None:
        lower, upper = number(limit, "lower", -inf), number(limit, "upper", inf)
        if lower > upper:
            raise limit.error(f"lower {lower:g} is above upper {upper:g}; swap them")
        if kind != "continuous":
            joint.lower, joint.upper = lower, upper
        effort, velocity = number(limit, "effort", inf), number(limit, "velocity", inf)
        joint.effort = effort if effort > 0.0 else inf  # −1: none
        joint.velocity = velocity if velocity > 0.0 else inf
    if dynamics is not None:
        joint.damping = max(number(dynamics, "damping", 0.0), 0.0)
        joint.friction = max(number(dynamics, "friction", 0.0), 0.0)
        joint.stiffness = max(number(dynamics, "spring_stiffness", 0.0), 0.0)
        if joint.stiffness > 0.0:
            joint.spring_reference = (number(dynamics, "spring_reference", 0.0),)
    if mimic is not None:
        ratio = number(mimic, "multiplier", 1.0)
        offset = number(mimic, "offset", 0.0) - ratio * number(mimic, "reference", 0.0)
        leader = mimic.attributes.get("joint", word(mimic, "joint"))
        if mimic.choice("axis", ("axis", "axis2"), "axis") == "axis2":
            leader = second_of(leader)
        joint.mimic = (leader, ratio, offset)
