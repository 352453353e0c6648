"""Read the joints of a URDF."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import inf

from tribo.checks.check import UNIT_TOLERANCE
from tribo.description.joints import STOP_DAMPING
from tribo.description.trees import JointDescription
from tribo.formats.elements import unit_axis
from tribo.formats.nodes import Node
from tribo.formats.urdf_geometry import read_origin
from tribo.model import Joint

TYPES = {
    "fixed": Joint.FIXED,
    "revolute": Joint.REVOLUTE,
    "continuous": Joint.REVOLUTE,
    "prismatic": Joint.PRISMATIC,
    "spherical": Joint.SPHERICAL,
}
OTHER_TYPES = {
    "floating": "a robot floats when its root link is not called 'world'; remove the link above",
    "planar": "use two prismatic joints and a revolute one",
}
CHILDREN = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
SILENT = ("safety_controller", "calibration", "hardwareInterface", "gazebo")
STOP = ("compliance", "spook_damping", "force", "force_lower")  # our own: of stops that give way
ATTRIBUTES = ("name", "type", "dont_collapse")
UNLIMITED = ("inf", "infinity")  # efforts and velocities


@dataclass(slots=True)
class UrdfJoint:
    """A joint, and the names of the links that it connects."""

    node: Node
    parent: str
    child: str
    description: JointDescription


def read_joint(node: Node) -> UrdfJoint:
    """Read a <joint>."""
    node.check(ATTRIBUTES, CHILDREN, SILENT)
    name = node.text("name")
    kind = _type(node)
    pose = read_origin(node)
    joint = JointDescription(name, kind, pose.position, pose.quaternion)
    if kind != Joint.FIXED:
        axis = node.one("axis")
        if axis is None and kind != Joint.SPHERICAL:  # whose cone is about z unless it says otherwise
            joint.axis = (1.0, 0.0, 0.0)  # the URDF standard's default
        elif axis is None:
            joint.axis = (0.0, 0.0, 1.0)
        else:
            axis.check_leaf(("xyz",))
            joint.axis = unit_axis(axis.vector("xyz", 3), axis)
        _read_limit(node, joint)
        _read_dynamics(node, joint)
        mimic = node.one("mimic")
        if mimic is not None:
            mimic.check_leaf(("joint", "multiplier", "offset"))
            ratio, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
            joint.mimic = (mimic.text("joint"), ratio, offset)
    return UrdfJoint(node, _link(node, "parent"), _link(node, "child"), joint)


def _type(node: Node) -> Joint:
    name = node.text("type")
    if name in OTHER_TYPES:
        raise node.refused(f"joint type {name!r}", OTHER_TYPES[name])
    return TYPES[node.choice("type", TYPES, "")]


def _link(node: Node, tag: str) -> str:
    link = node.need(tag)
    link.check_leaf(("link",))
    return link.text("link")


def _read_limit(node: Node, joint: JointDescription) -> None:
    """Read <limit>: stops of revolute and prismatic joints, effort and velocity of all."""
    limit = node.one("limit")
    is_endless = node.attributes["type"].strip() == "continuous"
    if limit is None:
        if not is_endless and joint.type != Joint.SPHERICAL:
            node.doubt("has no <limit>: it moves without stops", "joint without limit")
        return
    limit.check_leaf(("lower", "upper", "effort", "velocity", *STOP))
    joint.effort = _most(limit, "effort", node)
    joint.velocity = _most(limit, "velocity", node)
    if joint.type == Joint.SPHERICAL:
        _read_cone(node, limit, joint)
        return
    lower = limit.number("lower", 0.0)
    upper = limit.number("upper", 0.0)
    if lower > upper:
        limit.doubt(f"lower={lower!r} is above upper={upper!r} in {node.place}: it has no stops, as in "
                    "PyBullet; swap them if it has", "stops crossed")  # fmt: skip
        return
    is_held = any(key in limit.attributes for key in STOP)  # by stops that are said to be there
    if (lower == upper == 0.0 and not is_held) or is_endless:
        if not is_endless:
            node.note("both stops are 0 or missing: it has none", "stops 0")
        return
    joint.lower, joint.upper = lower, upper
    joint.stop_compliance = limit.number("compliance", 0.0, at_least=0.0)
    joint.stop_spook_damping = limit.number("spook_damping", STOP_DAMPING, at_least=0.0)
    joint.stop_force = limit.number("force", inf, at_least=0.0)
    least = limit.number("force_lower", -joint.stop_force)
    joint.stop_force_lower = least if least != -joint.stop_force else None


def _most(limit: Node, name: str, joint: Node) -> float:
    """Return a limit of effort or velocity; files in use have 0 and −1 where there is none."""
    if limit.word(name).lower().lstrip("+") in UNLIMITED:
        return inf
    most = limit.number(name, inf)
    if most > 0.0:
        return most
    said = limit.attributes[name].strip()[:40]
    joint.note(f"{name}={said!r} is taken as no limit", f"{name} 0")
    return inf


def _read_cone(node: Node, limit: Node, joint: JointDescription) -> None:
    """Read the angle of the cone of a spherical joint, which is `upper`; `lower` has no meaning there."""
    lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
    if upper != 0.0 and not 0.0 < upper < math.pi:
        raise limit.error(
            f"upper={upper!r} in {node.place} is the angle of its cone; it must be between 0 and π"
        )
    if lower != 0.0:
        held = f"its cone is upper={upper:g}" if upper else 'it has no cone; write upper="ANGLE"'
        limit.doubt(f"lower={lower:g} of the spherical {node.place} is not read: {held}", "cone lower")
    if upper != 0.0:
        joint.upper = upper


def _read_dynamics(node: Node, joint: JointDescription) -> None:
    dynamics = node.one("dynamics")
    if dynamics is None:
        return
    dynamics.check_leaf(("damping", "friction", "rotor_inertia", "stiffness", "spring_mount"))
    joint.damping = dynamics.number("damping", 0.0, at_least=0.0)
    joint.friction = dynamics.number("friction", 0.0, at_least=0.0)
    joint.armature = dynamics.number("rotor_inertia", 0.0, at_least=0.0)
    joint.stiffness = dynamics.number("stiffness", 0.0, at_least=0.0)
    if "spring_mount" in dynamics.attributes:
        joint.spring_reference = _spring_mount(dynamics, joint.type)


def _spring_mount(dynamics: Node, kind: Joint) -> tuple[float, ...]:
    """Read where a spring is at rest: a number, or a quaternion (w, x, y, z) of a spherical joint."""
    if kind != Joint.SPHERICAL:
        return (dynamics.number("spring_mount"),)
    numbers = dynamics.vector("spring_mount", 4)
    length = math.sqrt(sum(x * x for x in numbers))
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise dynamics.error(
            f"spring_mount must be a unit quaternion (w, x, y, z), its length is {length:.6g}"
        )
    return tuple(x / length for x in numbers)
