"""Springs, drives and stops that the links of a body file give their joints.

A joint with `jointCompliance` becomes several: along and about each axis across its own a coordinate with a
spring 1/ε and a damper τ/ε, on links without mass, and behind them the joint itself. Springs are implicit, so
that this is the row that AGX has, for any ε, and at rest each gives way by ε times its force. With
`jointForceRange` a spring is a row with bounds instead: stops in one place that give way, and bear no more.

A lock is a spring of stiffness 1/ε with the damping τ/ε towards the displacement at the start, a motor a
damper 1/ε towards the speed 0; both with bounds of force. Both are drives, implicit too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from tribo.checks.check import LARGEST, SMALLEST
from tribo.description.joints import STOP_DAMPING
from tribo.description.trees import IDENTITY, ORIGIN, ActuatorDescription, JointDescription, LinkDescription
from tribo.formats.choreonoid.keys import forces, number, softness, value, word
from tribo.formats.loops import across
from tribo.formats.material_keys import camel
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


def read_give(node: YamlNode) -> Give | None:
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
        raise node.error(f"jointCompliance must be 0, which is exact, or ≥ {SMALLEST:g}, got {compliance:g}")
    return Give(compliance, damping, bounds) if compliance > 0.0 or has_bounds else None


def attach(
    parent: LinkDescription, child: LinkDescription, joint: JointDescription, soft: Give | None
) -> None:
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


LOCKS = ("jointDisplacement", "joint_displacement", "jointAngle", "joint_angle")
MOTORS = ("jointVelocity", "joint_velocity")
LOCK_KEYS = ("joint_lock_compliance", "joint_lock_spook_damping", "joint_lock_force_range")
MOTOR_KEYS = ("joint_motor_compliance", "joint_motor_spook_damping", "joint_motor_force_range")


def read_drive(node: YamlNode, joint: JointDescription) -> ActuatorDescription | None:
    """Return the drive of a link that gives a motor or lock parameters; narrow the efforts of its joint.

    Its control is the displacement, or the speed, that it wants. A lock counts with
    ``actuationMode: jointDisplacement``, a motor with ``jointVelocity``.

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
            found.doubt(
                f"{key} is left out: it counts with actuationMode: {wanted} of a joint that moves",
                f"left out {key}",
            )
    if not is_driven or all(value(node, key) is None for key in used):
        return None
    compliance = number(node, used[0], STANDARD[0])
    damping = number(node, used[1], STANDARD[1])
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
    gain = 1.0 / compliance
    stiffness, damper = (gain, damping / compliance) if used is LOCK_KEYS else (0.0, gain)
    return ActuatorDescription(joint.name, joint.name, gain=gain, bias=(0.0, -stiffness, -damper))


STOP_KEYS = ("joint_range_compliance", "joint_range_spook_damping", "joint_range_force_range")


def read_stops(node: YamlNode, joint: JointDescription) -> None:
    """Let the stops of a joint give way as a link says; without a word of it they are hard.

    Raises:
        DescriptionError: A compliance, damping or range is wrong.
    """
    given = [key for key in STOP_KEYS if value(node, key) is not None]
    if not given:
        return
    moves = joint.type in {Joint.REVOLUTE, Joint.PRISMATIC}
    if not moves or (joint.lower == -math.inf and joint.upper == math.inf):
        for key in given:
            (value(node, key) or node).doubt(
                f"{key} is left out: it counts for a joint with a jointRange", f"left out {key}"
            )
        return
    joint.stop_compliance, joint.stop_spook_damping = softness(
        node, STOP_KEYS[:2], (STANDARD[0], STOP_DAMPING)
    )
    bounds = forces(node, STOP_KEYS[2])
    if bounds is not None:
        low, high = bounds
        joint.stop_force = high
        joint.stop_force_lower = low if low != -high else None
