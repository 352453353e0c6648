"""Reading contacts: who touches whom, where, and with which force."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Answering
from tribo.materials import ContactMaterial, PairProperties
from tribo.model import ContactState
from tribo.objects.contact_motion import ContactMotion
from tribo.objects.owner import Member

# What a step leaves in `Work` to be read: about the solve, and of each contact.
SAID = ("status", "sweeps", "residual")
PER_CONTACT = (
    "contact_shape", "contact_pos", "contact_axes", "contact_gap", "contact_impulse",
    "contact_impact", "contact_spin_impulse", "contact_state",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contact(Answering):
    """One contact point of the last step; vectors in world axes, forces on A (the opposite on B).

    A list read from an object shows that object as A, so forces act on it. In `World.contacts` the
    order is the engine's own; `force_on`, `normal_on` and `seen_from` do not depend on it.

    Attributes:
        position: (3,) [m], midway between the two surfaces.
        normal: (3,), unit, from B into A.
        frame: (3, 3), rows t₁, t₂, n: frame @ vector gives components in the contact's own frame.
        depth: [m], > 0 where the two overlap, where the step was evaluated.
        impulse: (3,) [N s] on A during the step.
        force: (3,) [N] on A, impulse / time step.
        torque_impulse: (3,) [N m s] of rolling and spinning friction, on A.
        object_a, object_b: The two objects.
        body_a, body_b: Names of the collision bodies that touch, "LINK/0".
        materials: Of A and of B.
        pair: The contact law of the two materials.
        state: Of a compliant pair: lifted, sticking or slipping; None: a rigid pair.
        is_a: False if this object is B in the engine's own order.

    Example:
        >>> import tribo
        >>> world = tribo.World()
        >>> ground = world.add_ground()
        >>> ball = world.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 0.1))
        >>> world.step()
        >>> contact = world.contacts[0]
        >>> contact.other(ball) is ground
        True
        >>> float(contact.force_on(ball)[2].round(6)), float(contact.force_on(ground)[2].round(6))
        (19.62, -19.62)
    """

    _called = "contact"
    position: np.ndarray
    normal: np.ndarray
    frame: np.ndarray
    depth: float
    impulse: np.ndarray
    force: np.ndarray
    torque_impulse: np.ndarray
    object_a: Member
    object_b: Member
    body_a: str
    body_b: str
    materials: tuple[str, str]
    pair: PairProperties | ContactMaterial
    state: ContactState | None = None
    is_a: bool = True

    def __post_init__(self) -> None:
        """Make the arrays read-only: a contact is a reading."""
        for array in (self.position, self.normal, self.frame, self.impulse, self.force):
            array.setflags(write=False)
        self.torque_impulse.setflags(write=False)

    def __repr__(self) -> str:
        """Return who touches whom, where and how hard."""
        place = ", ".join(f"{x:.6g}" for x in self.position)
        force = ", ".join(f"{x:.4g}" for x in self.force)
        sides = [
            f"{part.name!r} {body} ({material})"
            for part, body, material in (
                (self.object_a, self.body_a, self.materials[0]),
                (self.object_b, self.body_b, self.materials[1]),
            )
        ]
        state = "" if self.state is None else f", {self.state.name.lower()}"
        return (
            f"<Contact {' on '.join(sides)} at ({place}) m, depth {self.depth:.3g} m, "
            f"force on the first ({force}) N{state}>"
        )

    def other(self, part: Member) -> Member:
        """Return the object that touches a given one."""
        return self.seen_from(part).object_b

    def seen_from(self, part: Member) -> Contact:
        """Return the contact with an object as A (one of an object with itself: as it is).

        Raises:
            ValueError: The object is not one of the two.
        """
        if part is self.object_a:
            return self
        if part is self.object_b:
            return self.seen_from_b()
        raise ValueError(
            f"{getattr(part, 'name', part)!r} is not part of this contact between "
            f"{self.object_a.name!r} and {self.object_b.name!r}"
        )

    def normal_on(self, part: Member) -> np.ndarray:
        """Return the unit normal that points into an object, shape (3,), world."""
        return self.seen_from(part).normal

    def force_on(self, part: Member) -> np.ndarray:
        """Return the force on an object, shape (3,) [N], world."""
        return self.seen_from(part).force

    def impulse_on(self, part: Member) -> np.ndarray:
        """Return the impulse on an object during the step, shape (3,) [N s], world."""
        return self.seen_from(part).impulse

    def impulse_in(self, axes: Any) -> np.ndarray:
        """Return the impulse on A in other axes, shape (3,) [N s].

        Args:
            axes: (3, 3), its rows are the axes in the world: `frame` for the contact's own (t₁, t₂, n), or
                the transpose of a body's `rotation_matrix`.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> ball = world.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 0.1))
            >>> world.step()
            >>> contact = ball.contacts[0]
            >>> float(contact.impulse_in(contact.frame)[2].round(6))
            0.01962
        """
        rows = check.array(axes, "axes", "a (3, 3) array of axes")
        if rows.shape != (3, 3) or not np.allclose(rows @ rows.T, np.eye(3), atol=1e-6):
            raise ValueError(
                f"axes must be a (3, 3) array of orthogonal unit rows, got {check.shown(axes)}"
            )
        return frozen(rows @ self.impulse)

    def velocity_of(self, part: Member) -> np.ndarray:
        """Return how fast the point of an object's body that is at the contact moves now, (3,) [m/s], world.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> ball = world.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 0.1))
            >>> world.step()
            >>> ball.angular_velocity = (0, 30, 0)
            >>> (ball.contacts[0].velocity_of(ball).round(6) + 0.0).tolist()
            [-3.0, 0.0, 0.0]
        """
        side = self.seen_from(part)
        motion: ContactMotion = part._contact_motion(side.body_a, self.position)
        return motion.velocity

    @property
    def relative_velocity(self) -> np.ndarray:
        """Velocity of A's point less that of B's now, shape (3,) [m/s], world axes."""
        one = self.object_a._contact_motion(self.body_a, self.position)
        other = self.object_b._contact_motion(self.body_b, self.position)
        return frozen(one.velocity - other.velocity)

    @property
    def slip_velocity(self) -> np.ndarray:
        """Part of `relative_velocity` along the surfaces now, shape (3,) [m/s], world axes.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground()
            >>> ball = world.add_sphere(radius=0.1, mass=2.0, position=(0, 0, 0.1))
            >>> world.step()
            >>> ball.linear_velocity = (1, 0, -2)
            >>> (ball.contacts[0].slip_velocity + 0.0).tolist()
            [1.0, 0.0, 0.0]
        """
        along = self.relative_velocity
        return frozen(along - (along @ self.normal) * self.normal)

    @property
    def friction(self) -> float:
        """Coefficient of friction of the pair of materials [–]; the whole law is `pair`."""
        return float(self.pair.friction)

    @property
    def inverse_inertia(self) -> np.ndarray:
        """Apparent inverse inertia G = J M⁻¹ Jᵀ of the pair now, shape (3, 3) [1/kg], contact axes.

        An impulse λ alone changes the relative velocity at the contact by G λ. Drives are not part of it.
        """
        one = self.object_a._contact_motion(self.body_a, self.position)
        other = self.object_b._contact_motion(self.body_b, self.position)
        if self.object_a is self.object_b:
            both = one.jacobian - other.jacobian
            made = both @ one.inverse_mass @ both.T
        else:
            made = one.jacobian @ one.inverse_mass @ one.jacobian.T
            made = made + other.jacobian @ other.inverse_mass @ other.jacobian.T
        return frozen(self.frame @ made @ self.frame.T)

    def seen_from_b(self) -> Contact:
        """Return the same contact with the two objects exchanged."""
        return replace(
            self,
            normal=-self.normal,
            frame=np.stack([self.frame[0], -self.frame[1], -self.frame[2]]),
            impulse=-self.impulse,
            force=-self.force,
            torque_impulse=-self.torque_impulse,
            object_a=self.object_b,
            object_b=self.object_a,
            body_a=self.body_b,
            body_b=self.body_a,
            materials=(self.materials[1], self.materials[0]),
            is_a=not self.is_a,
        )
