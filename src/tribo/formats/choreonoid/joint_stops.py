"""Compliance, damping and force range of a joint's range in the links of a body file."""

from __future__ import annotations

import math

from tribo.description.joints import STOP_DAMPING
from tribo.description.trees import JointDescription
from tribo.formats.choreonoid.keys import forces, softness, value
from tribo.formats.report import Report
from tribo.formats.yaml_nodes import YamlNode
from tribo.model import Joint

COMPLIANCE = 1e-8  # [rad/(N m), m/N] what the manual says
KEYS = ("joint_range_compliance", "joint_range_spook_damping", "joint_range_force_range")


def read(node: YamlNode, joint: JointDescription, report: Report) -> None:
    """Let the stops of a joint give way as a link says; without a word of it they are hard.

    Raises:
        DescriptionError: A compliance, damping or range is wrong.
    """
    given = [key for key in KEYS if value(node, key) is not None]
    if not given:
        return
    moves = joint.type in {Joint.REVOLUTE, Joint.PRISMATIC}
    if not moves or (joint.lower == -math.inf and joint.upper == math.inf):
        for key in given:
            report.doubt(
                value(node, key) or node,
                f"{key} is left out: it counts for a joint with a jointRange",
                f"left out {key}",
            )
        return
    joint.stop_compliance, joint.stop_spook_damping = softness(
        node, KEYS[:2], (COMPLIANCE, STOP_DAMPING)
    )
    bounds = forces(node, KEYS[2])
    if bounds is not None:
        low, high = bounds
        joint.stop_force = high
        joint.stop_force_lower = low if low != -high else None
