"""Motors and locks of AGX Dynamics in the links of a body file, as drives of their joints.

A lock is a spring of stiffness 1/ε with the damping τ/ε towards the displacement at the start, a motor a
damper 1/ε towards the speed 0; both with bounds of force. Drives are implicit, so that this is the row that
AGX has, for any ε.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tribo.checks.check import LARGEST, SMALLEST
from tribo.description.trees import ActuatorDescription, JointDescription
from tribo.formats.choreonoid.keys import forces, number, value, word
from tribo.formats.material_keys import camel
from tribo.formats.report import Report
from tribo.formats.yaml_nodes import YamlNode
from tribo.model import Joint

COMPLIANCE, SPOOK_DAMPING = 1e-8, 0.0333  # [m/N, rad/(N m)], [s]: what the manual says
LOCKS = ("jointDisplacement", "joint_displacement", "jointAngle", "joint_angle")
MOTORS = ("jointVelocity", "joint_velocity")
LOCK_KEYS = ("joint_lock_compliance", "joint_lock_spook_damping", "joint_lock_force_range")
MOTOR_KEYS = ("joint_motor_compliance", "joint_motor_spook_damping", "joint_motor_force_range")


@dataclass(frozen=True, slots=True)
class JointDrive:
    """A drive as a link describes it."""

    stiffness: float  # [N/m, N m/rad]
    damping: float  # [N s/m, N m s/rad]

    def actuator(self, joint: str) -> ActuatorDescription:
        """Return the drive of a joint; its control is the displacement, or the speed, that it wants."""
        gain = self.stiffness if self.stiffness > 0.0 else self.damping
        return ActuatorDescription(
            joint, joint, gain=gain, bias=(0.0, -self.stiffness, -self.damping)
        )


def read(node: YamlNode, joint: JointDescription, report: Report) -> JointDrive | None:
    """Return the drive of a link that gives a motor or lock parameters; narrow the efforts of its joint.

    A lock counts with ``actuationMode: jointDisplacement``, a motor with ``jointVelocity``.

    Raises:
        DescriptionError: A compliance, damping or range is wrong.
    """
    mode = word(node, "actuation_mode")
    used = LOCK_KEYS if mode in LOCKS else MOTOR_KEYS
    moves = joint.type in {Joint.REVOLUTE, Joint.PRISMATIC}
    is_driven = moves and (mode in LOCKS or mode in MOTORS)
    for key in (*LOCK_KEYS, *MOTOR_KEYS):
        found = value(node, key)
        if found is not None and not (is_driven and key in used):
            wanted = LOCKS[0] if key in LOCK_KEYS else MOTORS[0]
            report.doubt(
                found,
                f"{key} is left out: it counts with actuationMode: {wanted} of a joint that moves",
                f"left out {key}",
            )
    if not is_driven or all(value(node, key) is None for key in used):
        return None
    compliance = number(node, used[0], COMPLIANCE)
    damping = number(node, used[1], SPOOK_DAMPING)
    if not (SMALLEST <= compliance < math.inf and 0.0 <= damping / compliance <= LARGEST):
        raise node.error(
            f"{camel(used[0])} must be ≥ {SMALLEST:g}, and {camel(used[1])} from 0 to {LARGEST:g} times it, "
            f"got {compliance:g} and {damping:g}"
        )
    bounds = forces(node, used[2])
    if bounds is not None:
        low, high = bounds
        lower = -joint.effort if joint.effort_lower is None else joint.effort_lower
        joint.effort_lower = max(lower, low)
        joint.effort = min(joint.effort, high)
    if used is LOCK_KEYS:
        return JointDrive(1.0 / compliance, damping / compliance)
    return JointDrive(0.0, 1.0 / compliance)
