"""Joints of a tree that give way across what they move, by springs in the place of constraint rows.

A joint with `jointCompliance` becomes several: along and about each axis across its own a coordinate with a
spring 1/ε and a damper τ/ε, on links without mass, and behind them the joint itself. Springs are implicit, so
that this is the row that AGX has, for any ε, and at rest each gives way by ε times its force. With
`jointForceRange` a spring is a row with bounds instead: stops in one place that give way, and bear no more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from tribo.checks.check import LARGEST, SMALLEST
from tribo.description.trees import IDENTITY, ORIGIN, JointDescription, LinkDescription
from tribo.formats.choreonoid.keys import forces, softness, value
from tribo.formats.loops import across
from tribo.formats.yaml_nodes import YamlNode
from tribo.model import Joint

SOFT = ("joint_compliance", "joint_spook_damping")
STANDARD = 1e-8, 0.0333  # [m/N, rad/(N m)], [s]: what the manual says
WAYS = {  # of a joint: the axes along and about which it moves by itself
    Joint.REVOLUTE: (Joint.REVOLUTE, 2),
    Joint.PRISMATIC: (Joint.PRISMATIC, 2),
    Joint.FIXED: None,
}


@dataclass(frozen=True, slots=True)
class Give:
    """How a joint gives way across what it moves."""

    compliance: float  # [m/N, rad/(N m)]; 0: not at all, within its forces
    damping: float  # [s]
    forces: tuple[float, float]  # [N, N m] along and about each axis, on the child

    def joint(self, name: str, kind: Joint, joint: JointDescription) -> JointDescription:
        """Return the joint of one coordinate that gives way; `joint`: where, and along what."""
        made = JointDescription(name, kind, joint.position, joint.quaternion, joint.axis)
        low, high = self.forces
        if -low == high == math.inf:
            made.stiffness = 1.0 / self.compliance
            made.damping = min(self.damping / self.compliance, LARGEST)
            return made
        made.lower = made.upper = 0.0
        made.stop_compliance, made.stop_spook_damping = self.compliance, self.damping
        made.stop_force = high
        made.stop_force_lower = low if low != -high else None
        return made


def read(node: YamlNode) -> Give | None:
    """Return how a link's joint gives way; None: it is exact.

    Raises:
        DescriptionError: A value is wrong.
    """
    bounds = forces(node, "joint_force_range") or (-math.inf, math.inf)
    has_bounds = not -bounds[0] == bounds[1] == math.inf
    if value(node, "joint_compliance") is None and not has_bounds:
        return None
    compliance, damping = softness(node, SOFT, STANDARD)
    if 0.0 < compliance < SMALLEST:
        raise node.error(
            f"jointCompliance must be 0, which is exact, or ≥ {SMALLEST:g}, got {compliance:g}"
        )
    return Give(compliance, damping, bounds) if compliance > 0.0 or has_bounds else None


def attach(
    parent: LinkDescription, child: LinkDescription, joint: JointDescription, soft: Give | None
) -> None:  # fmt: skip
    """Hang a link on another one, by springs and its joint if it gives way."""
    if soft is None or joint.type not in WAYS:
        parent.attach(child, joint)
        return
    own = WAYS[joint.type]
    axes = across(joint.axis) if own is not None else np.eye(3)
    place, turn, above = joint.position, joint.quaternion, parent
    for kind in (Joint.PRISMATIC, Joint.REVOLUTE):
        for k in range(3):
            if own == (kind, k):
                continue
            name = f"{child.name}/give_{'along' if kind == Joint.PRISMATIC else 'about'}_{'xyz'[k]}"
            at = replace(joint, position=place, quaternion=turn, axis=tuple(axes[:, k].tolist()))
            spring = soft.joint(name, kind, at)
            link = LinkDescription(name)
            above.attach(link, spring)
            above, place, turn = link, ORIGIN, IDENTITY
    above.attach(child, replace(joint, position=ORIGIN, quaternion=IDENTITY))
