"""Joints that close loops: `extraJoints` of a body file, as constraints of its trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tribo.description.constraints import LOCKED, ConstraintDescription
from tribo.description.trees import TreeDescription
from tribo.formats.choreonoid.keys import axis, check_keys, link_of, value, vector, word
from tribo.formats.loops import across, drawn, poses_at
from tribo.formats.pose import Pose, matrix
from tribo.formats.yaml_nodes import YamlNode

KEYS = (
    "link1_name", "link2_name", "joint_type", "joint_axis", "link1_local_pos", "link2_local_pos", "name",
)  # fmt: skip
TYPES = ("ball", "piston")
OPEN = 1e-3  # [m] gap at the start from which on it is said
Place = tuple[int, int, Pose, str]  # tree, body, the link in the body, the link that carries it


def read(root: YamlNode, trees: Sequence[TreeDescription]) -> None:
    """Add the constraints of a file to its trees: balls as pins, pistons as points that meet on an axis."""
    listed = value(root, "extra_joints")
    for node in [] if listed is None else listed.elements():
        check_keys(node.need("mapping", "an extra joint"), KEYS, "an extra joint")
        kind = word(node, "joint_type")
        if kind not in TYPES:
            node.doubt(
                f"the extra joint of type {kind[:60]!r} is left out: known are ball and piston"
            )
            continue
        first, second = (link_of(node, key, trees) for key in ("link1_name", "link2_name"))
        if first[:2] == second[:2]:
            raise node.error(
                "joins a link to itself, or to one that is fixed to it; name two that move"
            )
        if first[0] != second[0]:
            node.doubt("an extra joint between things that no joint connects is left out")
            continue
        tree = trees[first[0]]
        made = _constraint(node, kind, first, second, tree)
        tree.constraints.append(made)


def _constraint(
    node: YamlNode, kind: str, first: Place, second: Place, tree: TreeDescription
) -> ConstraintDescription:
    """Return the constraint between two bodies of a tree; doubt one that is open at the start."""
    points = []
    for key, place in (("link1_local_pos", first), ("link2_local_pos", second)):
        points.append(place[2].point(vector(node, key)))
    axes = np.eye(3)
    if kind == "piston":
        along = value(node, "joint_axis")
        if along is None:
            raise node.error("a piston needs a jointAxis")
        axes = matrix(first[2].quaternion) @ across(axis(along))
    tree.closed = start = tree.start or drawn(tree)
    poses = poses_at(tree, start)
    turns = [matrix(poses[place[1]].quaternion) for place in (first, second)]
    made = ConstraintDescription(
        "pin" if kind == "ball" else "equality", (first[1], second[1]), np.array(points),
        np.array([axes, turns[1].T @ turns[0] @ axes]), LOCKED["pin"] if kind == "ball" else 0b000011,
        word(node, "name"),
    )  # fmt: skip
    made.links = first[3], second[3]
    ends = [
        np.array(poses[place[1]].point(p)) for place, p in zip((first, second), points, strict=True)
    ]
    gap = (turns[0] @ axes).T @ (ends[1] - ends[0])
    opening = float(np.abs(gap if kind == "ball" else gap[:2]).max())
    if opening > OPEN:
        node.doubt(f"the extra joint is {opening:.3g} m open at the start; steps will close it")
    return made
