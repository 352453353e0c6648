"""How the body of an object moves at a contact, and how it yields there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tribo.checks.readonly import frozen
from tribo.model import Kind
from tribo.objects.frames import Frame

if TYPE_CHECKING:
    from tribo.objects.articulated import ArticulatedSystem
    from tribo.objects.contact import Contact
    from tribo.objects.single_body import SingleBody


@dataclass(frozen=True, slots=True)
class ContactMotion:
    """Of the point of a body that is at a point of the world."""

    velocity: np.ndarray  # (3,) [m/s] world
    jacobian: np.ndarray  # (3, dof) world axes; no columns where impulses move nothing
    inverse_mass: np.ndarray  # (dof, dof) M⁻¹


def of_single_body(part: SingleBody, point: np.ndarray) -> ContactMotion:
    """Return the motion of a single body at a point (3,) [m] of the world."""
    x, y, z = arm = point - part.position
    velocity = part.linear_velocity + np.cross(part.angular_velocity, arm)
    if part.body_type != Kind.DYNAMIC:
        return ContactMotion(frozen(velocity), np.zeros((3, 0)), np.zeros((0, 0)))
    turning = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # ω × r = −r × ω
    turn = part.rotation_matrix
    inverse = np.zeros((6, 6))
    inverse[:3, :3] = np.eye(3) / part.mass
    inverse[3:, 3:] = turn @ np.linalg.inv(part.inertia) @ turn.T
    return ContactMotion(frozen(velocity), np.hstack([np.eye(3), turning]), inverse)


def of_robot(part: ArticulatedSystem, collision_body: str, point: np.ndarray) -> ContactMotion:
    """Return the motion of the link that a collision body is on, at a point (3,) [m] of the world."""
    body = next(
        k
        for k, body in enumerate(part.description.bodies)
        if any(shape.name == collision_body for shape in body.shapes)
    )
    frame = Frame(part, part.description.bodies[body].name, body)
    local = frame.to_local(point)
    velocity = frozen(frame.velocity_of(local))
    if part.body_type != Kind.DYNAMIC:
        return ContactMotion(velocity, np.zeros((3, 0)), np.zeros((0, 0)))
    return ContactMotion(velocity, frame.jacobian(local), part.inverse_mass_matrix)


def inverse_inertia(contact: Contact) -> np.ndarray:
    """Return G = J M⁻¹ Jᵀ, (3, 3) [1/kg], contact axes; J is that of A's point minus that of B's."""
    one = contact.object_a._contact_motion(contact.body_a, contact.position)
    other = contact.object_b._contact_motion(contact.body_b, contact.position)
    if contact.object_a is contact.object_b:
        both = one.jacobian - other.jacobian
        made = both @ one.inverse_mass @ both.T
    else:
        made = one.jacobian @ one.inverse_mass @ one.jacobian.T
        made = made + other.jacobian @ other.inverse_mass @ other.jacobian.T
    return frozen(contact.frame @ made @ contact.frame.T)
