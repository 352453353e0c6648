"""Joints of a tree that give way across what they move, by springs in the place of constraint rows.

A joint with `jointCompliance` becomes several: along and about each axis across its own a coordinate with a
spring 1/ε and a damper τ/ε, on links without mass, and behind them the joint itself. Springs are implicit, so
that this is the row that AGX has, for any ε, and at rest each gives way by ε times its force.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tribo.checks.check import LARGEST, SMALLEST
from tribo.description.trees import IDENTITY, ORIGIN, JointDescription, LinkDescription
from tribo.formats.choreonoid.joint_devices import beside
from tribo.formats.choreonoid.keys import number, value
from tribo.formats.yaml_nodes import YamlNode
from tribo.model import Joint

SPOOK_DAMPING = 0.0333  # [s] what the manual says
WAYS = {  # of a joint: the axes along and about which it moves by itself
    Joint.REVOLUTE: (Joint.REVOLUTE, 2),
    Joint.PRISMATIC: (Joint.PRISMATIC, 2),
    Joint.FIXED: None,
}


def read(node: YamlNode) -> tuple[float, float] | None:
    """Return compliance [m/N, rad/(N m)] and spook damping [s] of a link's joint; None: it is exact.

    Raises:
        DescriptionError: A value is wrong.
    """
    if value(node, "joint_compliance") is None:
        return None
    compliance = number(node, "joint_compliance", 0.0)
    damping = number(node, "joint_spook_damping", SPOOK_DAMPING)
    if not 0.0 <= compliance <= LARGEST or not 0.0 <= damping <= LARGEST:
        raise node.error(
            f"jointCompliance and jointSpookDamping must be ≥ 0, got {compliance:g} and {damping:g}"
        )
    if 0.0 < compliance < SMALLEST:
        raise node.error(
            f"jointCompliance must be 0, which is exact, or ≥ {SMALLEST:g}, got {compliance:g}"
        )
    return (compliance, damping) if compliance > 0.0 else None


def attach(
    parent: LinkDescription, child: LinkDescription, joint: JointDescription, soft: tuple[float, float] | None
) -> None:  # fmt: skip
    """Hang a link on another one, by springs and its joint if it gives way."""
    if soft is None or joint.type not in WAYS:
        parent.attach(child, joint)
        return
    compliance, damping = soft
    own = WAYS[joint.type]
    axes = beside(joint.axis) if own is not None else np.eye(3)
    place, turn, above = joint.position, joint.quaternion, parent
    for kind in (Joint.PRISMATIC, Joint.REVOLUTE):
        for k in range(3):
            if own == (kind, k):
                continue
            name = f"{child.name}/give_{'along' if kind == Joint.PRISMATIC else 'about'}_{'xyz'[k]}"
            spring = JointDescription(
                name, kind, place, turn, tuple(axes[:, k].tolist()), stiffness=1.0 / compliance,
                damping=min(damping / compliance, LARGEST),
            )  # fmt: skip
            link = LinkDescription(name)
            above.attach(link, spring)
            above, place, turn = link, ORIGIN, IDENTITY
    above.attach(child, replace(joint, position=ORIGIN, quaternion=IDENTITY))
