"""Contacts: who touches whom, where, with which force, and how the two bodies move and yield there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.checks.sealed import Sealed
from tribo.materials import ContactMaterial, PairProperties
from tribo.model import ContactState
from tribo.objects.contact_rows import ContactRows
from tribo.objects.owner import Member


@dataclass(frozen=True, slots=True)
class ContactMotion:
    """Of the point of a body that is at a point of the world."""

    velocity: np.ndarray  # (3,) [m/s] world
    jacobian: np.ndarray  # (3, dof) world axes; no columns where impulses move nothing
    inverse_mass: np.ndarray  # (dof, dof) M⁻¹


# What a step leaves in `Work` to be read: about the solve, and of each contact.
SAID = ("status", "sweeps", "residual")
PER_CONTACT = (
    "contact_shape", "contact_pos", "contact_axes", "contact_gap", "contact_impulse",
    "contact_impact", "contact_spin_impulse", "contact_state",
)  # fmt: skip


class Contact(Sealed):
    """One contact point of the last step; vectors in world axes, forces on A (the opposite on B).

    A list read from an object shows that object as A, so forces act on it. In `World.contacts` the
    order is the engine's own; `force_on`, `normal_on` and `seen_from` do not depend on it.

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

    __slots__ = ("_seen",)
    _called = "contact"
    _seen: tuple[ContactRows, int, bool]  # which place of which rows, from its A or from its B

    def _on_a(self, vectors: np.ndarray) -> np.ndarray:
        """Return this contact's of some vectors on A of the engine, as they are on A of this view."""
        _, place, is_a = self._seen
        found: np.ndarray = vectors[place]
        return found if is_a else frozen(-found)

    def _owner(self, side: int) -> tuple[Member, str]:
        rows, place, is_a = self._seen
        return rows.owner(place, side if is_a else 1 - side)

    @property
    def position(self) -> np.ndarray:
        """Midway between the two surfaces, shape (3,) [m], world."""
        rows, place, _ = self._seen
        found: np.ndarray = rows.position[place]
        return found

    @property
    def normal(self) -> np.ndarray:
        """Unit vector from B into A, shape (3,), world."""
        return self._on_a(self._seen[0].axes[:, 2])

    @property
    def frame(self) -> np.ndarray:
        """Axes of the contact, rows t₁, t₂, n, shape (3, 3): frame @ vector gives components in them."""
        rows, place, is_a = self._seen
        found: np.ndarray = rows.axes[place]
        return found if is_a else frozen(np.stack([found[0], -found[1], -found[2]]))

    @property
    def depth(self) -> float:
        """Overlap [m], > 0 where the two overlap, where the step was evaluated."""
        rows, place, _ = self._seen
        return -rows.gap[place]

    @property
    def impulse(self) -> np.ndarray:
        """Impulse on A during the step, shape (3,) [N s], world."""
        return self._on_a(self._seen[0].impulse)

    @property
    def force(self) -> np.ndarray:
        """Force on A, impulse / time step, shape (3,) [N], world."""
        return self._on_a(self._seen[0].force)

    @property
    def torque_impulse(self) -> np.ndarray:
        """Angular impulse of rolling and spinning friction on A, shape (3,) [N m s], world."""
        return self._on_a(self._seen[0].torque_impulse)

    @property
    def object_a(self) -> Member:
        """The object A, on which the forces act."""
        return self._owner(0)[0]

    @property
    def object_b(self) -> Member:
        """The object B, on which the opposite forces act."""
        return self._owner(1)[0]

    @property
    def body_a(self) -> str:
        """Name of the collision body of A that touches, "LINK/0"."""
        return self._owner(0)[1]

    @property
    def body_b(self) -> str:
        """Name of the collision body of B that touches, "LINK/0"."""
        return self._owner(1)[1]

    @property
    def materials(self) -> tuple[str, str]:
        """Materials of A and of B."""
        rows, place, is_a = self._seen
        first, second = rows.law(place)[0]
        return (first, second) if is_a else (second, first)

    @property
    def pair(self) -> PairProperties | ContactMaterial:
        """The contact law of the two materials, as it was when the contact was read."""
        rows, place, _ = self._seen
        return rows.law(place)[1]

    @property
    def state(self) -> ContactState | None:
        """Of a compliant pair: lifted, sticking or slipping; None: a rigid pair."""
        rows, place, _ = self._seen
        state = rows.states[place]
        return None if state < 0 else ContactState(state)

    @property
    def is_a(self) -> bool:
        """False if A of this contact is B in the engine's own order."""
        return self._seen[2]

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
            raise ValueError(f"axes must be a (3, 3) array of orthogonal unit rows, got {check.shown(axes)}")
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
        rows, place, is_a = self._seen
        return views(rows, [place], not is_a)[0]


_put = Contact._seen.__set__  # type: ignore[attr-defined]  # faster than an assignment that looks for typos


def views(rows: ContactRows, places: Iterable[int], is_a: bool = True) -> list[Contact]:
    """Return contacts at places of rows, seen from their A or from their B."""
    new, put, found = object.__new__, _put, []
    for place in places:
        made = new(Contact)
        put(made, (rows, place, is_a))
        found.append(made)
    return found
