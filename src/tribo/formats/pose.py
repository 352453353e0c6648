"""Poses as plain tuples of floats: what merging links needs, without compiled kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tribo.description.trees import IDENTITY, ORIGIN, Vector


@dataclass(frozen=True, slots=True)
class Pose:
    """Position and unit quaternion of a frame in its parent."""

    position: Vector = ORIGIN
    quaternion: Vector = IDENTITY

    def __matmul__(self, other: Pose) -> Pose:
        """Compose: `other` is given in this frame, the result in the parent.

        A factor without rotation or translation leaves the other's numbers bitwise as they are.
        """
        if other == NO_POSE:
            return self
        if self == NO_POSE:
            return other
        return Pose(self.point(other.position), multiply(self.quaternion, other.quaternion))

    def point(self, local: Vector) -> Vector:
        """Map a point of this frame to the parent."""
        if self == NO_POSE:
            return local
        turned = rotate(self.quaternion, local)
        return tuple(p + x for p, x in zip(self.position, turned, strict=True))


NO_POSE = Pose()


def multiply(a: Vector, b: Vector) -> Vector:
    """Return the quaternion product a b."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def rotate(q: Vector, v: Vector) -> Vector:
    """Return v turned by a unit quaternion.   v + 2 u × (u × v + w v)"""
    w, x, y, z = q
    vx, vy, vz = v
    cx = y * vz - z * vy + w * vx
    cy = z * vx - x * vz + w * vy
    cz = x * vy - y * vx + w * vz
    return (vx + 2.0 * (y * cz - z * cy), vy + 2.0 * (z * cx - x * cz), vz + 2.0 * (x * cy - y * cx))


def inverse(pose: Pose) -> Pose:
    """Return the pose of the parent in the frame that a pose gives."""
    if pose == NO_POSE:
        return pose
    w, x, y, z = pose.quaternion
    back = (w, -x, -y, -z)
    return Pose(tuple(-value for value in rotate(back, pose.position)), back)


def matrix(q: Vector) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion."""
    columns = [rotate(q, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    return np.array(columns).T


def from_roll_pitch_yaw(angles: Vector) -> Vector:
    """Return the quaternion of turns about fixed x, then y, then z [rad].   R = Rz Ry Rx"""
    if angles == ORIGIN:
        return IDENTITY
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a / 2), math.sin(a / 2)) for a in angles)
    return normalized(
        (
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        )
    )


def turn(axis: Vector, angle: float) -> Vector:
    """Return the quaternion of a turn about a unit axis [rad]."""
    if angle == 0.0:
        return IDENTITY
    s = math.sin(0.5 * angle)
    return normalized((math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]))


def turn_z_to(direction: Vector) -> Vector:
    """Return the shortest turn that takes z to a unit vector; half a turn is about x."""
    x, y, z = direction
    s = math.hypot(x, y)
    axis = (-y / s, x / s, 0.0) if s >= 1e-10 else (1.0, 0.0, 0.0)
    return turn(axis, math.atan2(s, z))


def normalized(v: Vector) -> Vector:
    """Return v / ‖v‖; a vector that is already of unit length stays bitwise as it is."""
    square = math.fsum(x * x for x in v)
    if abs(square - 1.0) <= 1e-14:
        return v
    norm = math.hypot(*v)
    return tuple(x / norm for x in v)


def quaternion_of(turn: np.ndarray) -> Vector:
    """Return the unit quaternion of a rotation matrix; its largest part is > 0."""
    # The columns of 4 q qᵀ, of which the largest is the best.
    (a, b, c), (d, e, f), (g, h, i) = turn.tolist()
    outer = np.array(
        [
            [1 + a + e + i, h - f, c - g, d - b],
            [h - f, 1 + a - e - i, b + d, c + g],
            [c - g, b + d, 1 - a + e - i, f + h],
            [d - b, c + g, f + h, 1 - a - e + i],
        ]
    )
    column = outer[:, int(np.argmax(np.diag(outer)))]
    made = tuple((column / np.linalg.norm(column)).tolist())
    return IDENTITY if max(abs(x) for x in made[1:]) < 1e-15 and made[0] > 0.0 else made
