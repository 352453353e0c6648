"""Refuse joints that no robot can have: wrong numbers, followers of what cannot lead."""

from __future__ import annotations

import math

from tribo.checks.check import LARGEST
from tribo.description.joints import check_joint_numbers, too_large
from tribo.description.trees import DescriptionError, TreeDescription
from tribo.model import Joint

LARGEST_RATIO = 1e6  # [–] of a mimic joint: its square still leaves the leader's inertia some digits


def check_joints(tree: TreeDescription) -> None:
    """Refuse joints with wrong numbers, or that follow what they cannot follow.

    Raises:
        DescriptionError: The message says which joint, what and the remedy.
    """
    for body in tree.bodies:
        check_joint_numbers(body.joint)
    check_mimics(tree)


def check_mimics(tree: TreeDescription) -> None:
    """Refuse joints that follow what they cannot follow.

    Raises:
        DescriptionError: A leader does not exist or does not move by one dof, a joint follows itself by a
            round-about way, or a number is not finite or too large.
    """
    joints = {body.joint.name: body.joint for body in tree.bodies}
    single = (Joint.REVOLUTE, Joint.PRISMATIC)
    for joint in joints.values():
        if joint.mimic is None:
            continue
        leader, ratio, offset = joint.mimic
        what = f"joint {joint.name!r} follows {leader!r} (mimic)"
        if leader not in joints:
            known = ", ".join(repr(name) for name in list(joints)[:12])
            raise DescriptionError(f"{what}, which is no joint that moves; known: {known}")
        for name in (joint.name, leader):
            if joints[name].type not in single:
                kind = joints[name].type.name.lower()
                raise DescriptionError(f"{what}: joint {name!r} is {kind}; only joints of one dof do that")
        if not all(math.isfinite(x) for x in (ratio, offset)):
            raise DescriptionError(f"{what}: ratio {ratio!r} and offset {offset!r} must be finite")
        if abs(ratio) > LARGEST_RATIO:
            raise DescriptionError(
                f"{what}: its ratio (multiplier) must be at most {LARGEST_RATIO:g} in size, got {ratio!r}; "
                "let the faster joint lead, with the inverse ratio, or check the units"
            )
        if abs(offset) > LARGEST:
            raise DescriptionError(too_large(f"{what}: its offset", offset))
        way, here = [joint.name], leader
        while here not in way:
            way.append(here)
            following = joints[here].mimic if here in joints else None
            if following is None:
                break
            here = following[0]
        else:
            round_trip = " → ".join([*way, here])
            raise DescriptionError(f"{what} in a circle, {round_trip}; let one of them lead, without mimic")
