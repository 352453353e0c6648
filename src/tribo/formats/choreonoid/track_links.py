"""Links of the type ContinuousTrack: one pad, repeated, each hinged to the one before, the last to the first.

The chain is a thing of its own. A plane that is fixed to the parent keeps it from running off sideways: its
joints are exact, so that it is enough to keep the first pad there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tribo.checks.check import SMALLEST
from tribo.description.constraints import ConstraintDescription
from tribo.description.trees import TreeDescription
from tribo.formats.choreonoid.collision_rules import Rules
from tribo.formats.choreonoid.elements import Contents
from tribo.formats.choreonoid.joint_compliance import SOFT, STANDARD
from tribo.formats.choreonoid.joint_devices import soften
from tribo.formats.choreonoid.keys import Angles, count, direction, find, softness, value, word
from tribo.formats.choreonoid.links import BodyLink, LinkReader
from tribo.formats.loops import across, drawn, holding, poses_at
from tribo.formats.pose import Pose, inverse, matrix
from tribo.formats.yaml_nodes import YamlNode

KIND = "ContinuousTrack"
KEYS = ("num_joints", "joint_offset", "initial_joint_angles")
MAX_PADS = 1000
ALONG = 0b000011  # two points meet on the axis: what a chain of hinges needs to close
IN_PLANE = 0b011100  # a plane: nothing moves along the axis or turns about what is across it
OPEN = 1e-3  # [m] from which on it is said that a chain does not close


@dataclass(slots=True)
class Chain:
    """The pads of a track by name, and how far apart they are."""

    node: YamlNode
    name: str
    pads: list[str]
    offset: tuple[float, ...]  # [m] from pad to pad
    axis: tuple[float, ...]  # of its hinges, frame of a pad


def read(node: YamlNode, reader: LinkReader, angles: Angles) -> tuple[list[BodyLink], Chain]:
    """Return the pads of a track: the first is free, each other hangs on the one before.

    Raises:
        DescriptionError: A value is missing or wrong.
    """
    for key in ("name", "parent", *KEYS[:2]):
        if value(node, key) is None:
            raise node.error(f"a {KIND} needs {key}")
    pads = count(node, "num_joints", 0.0, 3, MAX_PADS)
    offset = (value(node, "joint_offset") or node).numbers(3)
    if max(abs(x) for x in offset) < SMALLEST:
        raise node.error("jointOffset must not be zero: it is the way from one pad to the next")
    name = word(node, "name")
    made = Chain(
        node, name, [f"{name}{k}" for k in range(pads)],
        offset, direction(node, "joint_axis", (0.0, 0.0, 1.0)),
    )  # fmt: skip
    starts = _starts(node, pads - 1, angles)
    first = reader.read(node, is_root=False, kind="free", name=made.pads[0], also=KEYS)
    pad = reader.read(node, is_root=False, kind="revolute", name=made.pads[1], also=KEYS)
    pad.pose = Pose(made.offset)
    links = [first]
    for k, start in enumerate(starts, 1):
        joint = replace(pad.joint, name=made.pads[k], position=made.offset, quaternion=pad.pose.quaternion)
        links.append(
            replace(
                pad, name=made.pads[k], parent=made.pads[k - 1], joint=joint, start=start,
                material=first.material, is_private=False, contents=_copied(pad.contents),
            )
        )  # fmt: skip
    return links, made


def _starts(node: YamlNode, count: int, angles: Angles) -> list[float]:
    """Return the angles [rad] of the hinges at the start; those that are not given are 0."""
    listed = value(node, "initial_joint_angles")
    items = [] if listed is None else listed.need("list", "initialJointAngles").items
    if len(items) > count:
        (listed or node).doubt(f"{len(items)} initialJointAngles: the track has {count} hinges but the last")
    given = [angles.angle(item.number()) for item in items[:count]]
    return given + [0.0] * (count - len(given))


def _copied(contents: Contents) -> Contents:
    """Return the shapes of a pad for another one; devices are those of the first."""
    return Contents(
        [replace(shape) for shape in contents.shapes], [replace(one) for one in contents.visuals],
        list(contents.bodies),
    )  # fmt: skip


def part(chains: Sequence[Chain], rules: Rules) -> None:
    """Let the pads of a track pass through each other; wheels and hull they touch."""
    for chain in chains:
        for k, name in enumerate(chain.pads):
            for other in chain.pads[:k]:
                rules.part(other, name)


def close(
    chains: Sequence[Chain], links: dict[str, BodyLink], trees: Sequence[TreeDescription]
) -> list[ConstraintDescription]:
    """Close each chain in its tree; return the planes in which they run; `objects`: two trees."""
    made = []
    for chain in chains:
        k = next(i for i, tree in enumerate(trees) if tree.bodies[0].name == chain.pads[0])
        tree, last = trees[k], len(chain.pads) - 1
        poses = poses_at(tree, tree.start or ())
        ends = poses[0], poses[last]
        axes = across(chain.axis)
        loop = holding("equality", (0, last), ends, (0.0, 0.0, 0.0), axes, "loop")
        loop.locked = ALONG
        opening = float(np.linalg.norm(np.array(ends[1].point(chain.offset)) - np.array(ends[0].position)))
        if opening > OPEN:
            chain.node.doubt(
                f"the track {chain.name!r} is {opening:.3g} m open at the start: its last pad is hinged "
                "to where the first one begins; correct initialJointAngles"
            )
        tree.closed = tree.start
        tree.constraints.append(loop)
        plane = _plane(chain, links[chain.pads[0]].parent, k, trees, ends[0])
        for tie in (loop, plane):
            soften(tie, softness(chain.node, SOFT, STANDARD))
        made.append(plane)
    return made


def _plane(
    chain: Chain, parent: str, k: int, trees: Sequence[TreeDescription], pad: Pose
) -> ConstraintDescription:
    """Return what keeps the first pad of track k in a plane of the link on which the track hangs."""
    found = find(parent, trees)
    if found is None or found[0] == k:
        raise chain.node.error(f"the track {chain.name!r} hangs on {parent!r}, which is a pad of its own")
    i, body, _, carrier = found
    hull = poses_at(trees[i], trees[i].start or drawn(trees[i]))[body]
    seen = inverse(hull) @ pad
    axes = matrix(seen.quaternion) @ across(chain.axis)
    made = holding("equality", (body, 0), (hull, pad), seen.position, axes, f"{chain.name}/plane")
    made.locked, made.objects, made.links = IN_PLANE, (i, k), (carrier, "")
    return made
