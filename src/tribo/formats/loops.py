"""Where the bodies of a tree are at given coordinates, and the constraints that hold there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tribo.description.constraints import LOCKED, ConstraintDescription
from tribo.description.trees import IDENTITY, ORIGIN, JointDescription, TreeDescription, Vector
from tribo.engine.layout import COORDINATES
from tribo.formats.pose import NO_POSE, Pose, inverse, matrix, normalized, turn
from tribo.model import Joint

CLOSING = {Joint.FIXED: "weld", Joint.REVOLUTE: "hinge", Joint.SPHERICAL: "pin"}  # joints that close loops


def poses_at(tree: TreeDescription, q: Sequence[float]) -> list[Pose]:
    """Return the pose of each body in the world at coordinates q, unnormalized quaternions allowed."""
    made: list[Pose] = []
    for body, where in zip(tree.bodies, tree.joint_slices(COORDINATES), strict=True):
        joint, own = body.joint, tuple(q[where])
        if joint.type == Joint.FREE:
            made.append(Pose(own[:3], normalized(own[3:])))
            continue
        pose = made[body.parent] if body.parent >= 0 else NO_POSE
        made.append(pose @ Pose(joint.position, joint.quaternion) @ motion(joint, own))
    return made


def motion(joint: JointDescription, q: Sequence[float]) -> Pose:
    """Return how far coordinates move a joint: a slide, a turn, a ball's quaternion; others stay."""
    if joint.type == Joint.PRISMATIC:
        return Pose(tuple(q[0] * x for x in joint.axis))
    if joint.type == Joint.REVOLUTE:
        return Pose(quaternion=turn(joint.axis, q[0]))
    return Pose(quaternion=normalized(tuple(q))) if joint.type == Joint.SPHERICAL else NO_POSE


def place_of(tree: TreeDescription, name: str) -> tuple[int, Pose, str] | None:
    """Return body, pose in it and carrying link of a link or frame, None if there is none."""
    for frame in tree.frames:
        if frame.name == name:
            return frame.body, Pose(frame.position, frame.quaternion), frame.link
    for k, body in enumerate(tree.bodies):
        if body.name == name:
            return k, NO_POSE, ""
    return None


def across(axis: Sequence[float]) -> np.ndarray:
    """Return orthonormal axes as columns, the last one along a direction."""
    last = np.array(axis)
    first = np.cross(last, np.eye(3)[int(np.argmin(np.abs(last)))])
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(last, first), last])


def drawn(tree: TreeDescription, base: Vector = (*ORIGIN, *IDENTITY)) -> Vector:
    """Return coordinates zero, quaternions of no turn; `base`: of a root that floats."""
    turned = {Joint.FREE: base, Joint.SPHERICAL: IDENTITY}
    q: Vector = ()
    for body in tree.bodies:
        q += turned.get(body.joint.type, (0.0,) * COORDINATES[body.joint.type])
    return q


def holding(
    kind: str, bodies: tuple[int, int], poses: tuple[Pose, Pose], anchor: Vector, axes: np.ndarray,
    name: str = "",
) -> ConstraintDescription:  # fmt: skip
    """Return a constraint that holds at given poses of its bodies.

    Args:
        kind: "pin", "weld" …
        bodies: As in `ConstraintDescription`.
        poses: Of the two bodies.
        anchor: (3,) [m] in the first body.
        axes: (3, 3), columns, in the first body.
        name: Of the constraint.
    """
    seen = inverse(poses[1]) @ poses[0]
    points = np.array([anchor, seen.point(anchor)])
    turned = np.array([axes, matrix(seen.quaternion) @ axes])
    return ConstraintDescription(kind, bodies, points, turned, LOCKED.get(kind, 0), name)
