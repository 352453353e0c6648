"""Constraints of a body file beside its joints: devices of AGX Dynamics that break or catch, `extraJoints`.

Devices may join links of things that no joint connects, so they belong to the scene.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tribo.description.constraints import LOCKED, ConstraintDescription
from tribo.description.trees import TreeDescription
from tribo.formats.choreonoid import keys
from tribo.formats.loops import across, drawn, holding, poses_at
from tribo.formats.pose import Pose, matrix
from tribo.formats.yaml_nodes import YamlNode

KINDS = ("AGXBreakableJointDevice", "AGXMagneticJointDevice")
SOFT = ("joint_compliance", "joint_spook_damping")
COMMON = ("type", "name", "id", "link1_name", "link2_name", *SOFT)
BREAKABLE = (
    *COMMON, "joint_type", "joint_axis", "joint_range", "position", "break_type", "break_limit_force",
    "period", "break_limit_impulse", "offset_force", "valid_axis", "signed_axis",
)  # fmt: skip
MAGNETIC = (
    *COMMON, "position1", "position2", "connect_axis1", "connect_axis2", "valid_distance", "valid_angle",
)  # fmt: skip
JOINTS = {"revolute": ("hinge", LOCKED["hinge"]), "prismatic": ("equality", 0b111011), "fixed": ("weld", 63)}
STANDARD = 1e-8, 0.33  # [m/N, rad/(N m)], [s]: what the manual says
UPWARD = (0.0, 0.0, 1.0)


@dataclass(slots=True)
class Place:
    """A link that a device names: its tree, its body, where it is in that body, where the body starts."""

    tree: int
    body: int
    link: Pose
    start: Pose
    carrier: str


def read(
    devices: Iterable[tuple[str, YamlNode]], trees: Sequence[TreeDescription]
) -> list[ConstraintDescription]:
    """Return the constraints of devices, by kind; `objects` of each are the numbers of its two trees."""
    made = []
    for k, (kind, node) in enumerate(devices):
        is_magnet = kind == KINDS[1]
        keys.check_keys(node, MAGNETIC if is_magnet else BREAKABLE, kind)
        first, second = (_place(node, key, trees) for key in ("link1_name", "link2_name"))
        if (first.tree, first.body) == (second.tree, second.body):
            raise node.error("joins a link to itself, or to one that is fixed to it; name two that move")
        tie = _magnet(node, first, second) if is_magnet else _breakable(node, first, second)
        tie.name = keys.word(node, "name") or f"{'magnet' if is_magnet else 'breakable'}_{k}"
        tie.objects, tie.links = (first.tree, second.tree), (first.carrier, second.carrier)
        soften(tie, keys.softness(node, SOFT, STANDARD))
        made.append(tie)
    return made


def soften(tie: ConstraintDescription, soft: tuple[float, float]) -> None:
    """Let a constraint give way along and about all axes."""
    for name, number in zip(("compliance", "spook_damping"), soft, strict=True):
        tie.numbers |= {name: number, f"angular_{name}": number}


def _place(node: YamlNode, key: str, trees: Sequence[TreeDescription]) -> Place:
    k, body, link, carrier = keys.link_of(node, key, trees)
    start = poses_at(trees[k], trees[k].start or drawn(trees[k]))[body]
    return Place(k, body, link, start, carrier)


def _breakable(node: YamlNode, first: Place, second: Place) -> ConstraintDescription:
    """Return a hinge, slider or weld that holds as things stand at the start."""
    if keys.value(node, "joint_range") is not None:
        node.doubt("the jointRange of a breakable joint is left out: it moves freely")
    type_, locked = JOINTS[keys.choice(node, "joint_type", JOINTS, "revolute")]
    anchor = first.link.point(keys.vector(node, "position"))
    axes = matrix(first.link.quaternion) @ across(keys.direction(node, "joint_axis", UPWARD))
    made = holding(type_, (first.body, second.body), (first.start, second.start), anchor, axes)
    made.locked = locked
    if keys.choice(node, "break_type", ("force", "impulse"), "force") == "force":
        made.numbers["break_force"] = keys.at_least(node, "break_limit_force", math.inf)
        made.numbers["break_time"] = keys.at_least(node, "period", 0.0)
    else:
        made.numbers["break_impulse"] = keys.at_least(node, "break_limit_impulse", math.inf)
    made.numbers["break_offset"] = keys.at_least(node, "offset_force", 0.0)
    counted = _direction(node)
    if counted is not None:
        turned = matrix(first.link.quaternion) @ np.array(counted)
        made.numbers["break_direction"] = tuple(turned.tolist())
    return made


def _direction(node: YamlNode) -> tuple[float, ...] | None:
    """Return the direction of the force that counts, frame of link 1; None: all of it."""
    valid = keys.vector(node, "valid_axis", (1.0, 1.0, 1.0))
    signed = keys.vector(node, "signed_axis")
    counted = [k for k in range(3) if valid[k] != 0.0]
    if len(counted) == 1 and signed[counted[0]] != 0.0:
        return tuple(math.copysign(float(k == counted[0]), signed[k]) for k in range(3))
    if len(counted) < 3 or any(signed):
        node.doubt("validAxis, signedAxis: known is one axis with one sign; here the whole force counts")
    return None


def _magnet(node: YamlNode, first: Place, second: Place) -> ConstraintDescription:
    """Return a hinge that catches: points and axes meet, and it may turn about the axis."""
    points, axes = [], []
    for place, k in ((first, 1), (second, 2)):
        points.append(place.link.point(keys.vector(node, f"position{k}")))
        along = keys.direction(node, f"connect_axis{k}", UPWARD)
        axes.append(matrix(place.link.quaternion) @ across(along))
    distance = keys.at_least(node, "valid_distance", 0.0)
    if distance == 0.0:
        raise node.error("a magnetic joint needs validDistance > 0 m; at 0 it never holds")
    made = ConstraintDescription(
        "magnet", (first.body, second.body), np.array(points), np.array(axes), LOCKED["hinge"]
    )
    made.numbers = {
        "catch_distance": distance, "catch_angle": math.radians(keys.at_least(node, "valid_angle", 0.0)),
        "erp": 0.2, "collide": False,
    }  # fmt: skip
    return made


EXTRA = (
    "link1_name", "link2_name", "joint_type", "joint_axis", "link1_local_pos", "link2_local_pos", "name",
)  # fmt: skip
EXTRA_TYPES = ("ball", "piston")
OPEN = 1e-3  # [m] gap at the start from which on it is said
Found = tuple[int, int, Pose, str]  # tree, body, the link in the body, the link that carries it


def read_extra(root: YamlNode, trees: Sequence[TreeDescription]) -> None:
    """Add the constraints of a file to its trees: balls as pins, pistons as points that meet on an axis."""
    listed = keys.value(root, "extra_joints")
    for node in [] if listed is None else listed.elements():
        keys.check_keys(node.need("mapping", "an extra joint"), EXTRA, "an extra joint")
        kind = keys.word(node, "joint_type")
        if kind not in EXTRA_TYPES:
            node.doubt(f"the extra joint of type {kind[:60]!r} is left out: known are ball and piston")
            continue
        first, second = (keys.link_of(node, key, trees) for key in ("link1_name", "link2_name"))
        if first[:2] == second[:2]:
            raise node.error("joins a link to itself, or to one that is fixed to it; name two that move")
        if first[0] != second[0]:
            node.doubt("an extra joint between things that no joint connects is left out")
            continue
        tree = trees[first[0]]
        made = _constraint(node, kind, first, second, tree)
        tree.constraints.append(made)


def _constraint(
    node: YamlNode, kind: str, first: Found, second: Found, tree: TreeDescription
) -> ConstraintDescription:
    """Return the constraint between two bodies of a tree; doubt one that is open at the start."""
    points = []
    for key, place in (("link1_local_pos", first), ("link2_local_pos", second)):
        points.append(place[2].point(keys.vector(node, key)))
    axes = np.eye(3)
    if kind == "piston":
        along = keys.value(node, "joint_axis")
        if along is None:
            raise node.error("a piston needs a jointAxis")
        axes = matrix(first[2].quaternion) @ across(keys.axis(along))
    tree.closed = start = tree.start or drawn(tree)
    poses = poses_at(tree, start)
    turns = [matrix(poses[place[1]].quaternion) for place in (first, second)]
    made = ConstraintDescription(
        "pin" if kind == "ball" else "equality", (first[1], second[1]), np.array(points),
        np.array([axes, turns[1].T @ turns[0] @ axes]), LOCKED["pin"] if kind == "ball" else 0b000011,
        keys.word(node, "name"),
    )  # fmt: skip
    made.links = first[3], second[3]
    ends = [np.array(poses[place[1]].point(p)) for place, p in zip((first, second), points, strict=True)]
    gap = (turns[0] @ axes).T @ (ends[1] - ends[0])
    opening = float(np.abs(gap if kind == "ball" else gap[:2]).max())
    if opening > OPEN:
        node.doubt(f"the extra joint is {opening:.3g} m open at the start; steps will close it")
    return made
