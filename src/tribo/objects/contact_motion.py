"""How the body of an object moves at a contact, and how it yields there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tribo.checks.readonly import frozen
from tribo.model import Kind
from tribo.objects.evaluation import Evaluable
from tribo.objects.frames import Frame
from tribo.objects.owner import Member


@dataclass(frozen=True, slots=True)
class ContactMotion:
    """Of the point of a body that is at a point of the world."""

    velocity: np.ndarray  # (3,) [m/s] world
    jacobian: np.ndarray  # (3, dof) world axes; no columns where impulses move nothing
    inverse_mass: np.ndarray  # (dof, dof) M⁻¹


def of_single_body(
    part: Member, linear: np.ndarray, angular: np.ndarray, inertia: np.ndarray, point: np.ndarray
) -> ContactMotion:
    """Return the motion of a single body, of given velocities and inertia, at a point (3,) [m], world."""
    x, y, z = arm = point - part.position
    velocity = linear + np.cross(angular, arm)
    if part.body_type != Kind.DYNAMIC:
        return ContactMotion(frozen(velocity), np.zeros((3, 0)), np.zeros((0, 0)))
    turning = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # ω × r = −r × ω
    turn = part.rotation_matrix
    inverse = np.zeros((6, 6))
    inverse[:3, :3] = np.eye(3) / part.mass
    inverse[3:, 3:] = turn @ np.linalg.inv(inertia) @ turn.T
    return ContactMotion(frozen(velocity), np.hstack([np.eye(3), turning]), inverse)


def of_robot(
    part: Evaluable, body_type: Kind, collision_body: str, point: np.ndarray
) -> ContactMotion:
    """Return the motion of the link that a collision body is on, at a point (3,) [m] of the world."""
    body = next(
        k
        for k, body in enumerate(part.description.bodies)
        if any(shape.name == collision_body for shape in body.shapes)
    )
    frame = Frame(part, part.description.bodies[body].name, body)
    local = frame.to_local(point)
    velocity = frozen(frame.velocity_of(local))
    if body_type != Kind.DYNAMIC:
        return ContactMotion(velocity, np.zeros((3, 0)), np.zeros((0, 0)))
    return ContactMotion(velocity, frame.jacobian(local), part.inverse_mass_matrix)
