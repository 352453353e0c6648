"""One rigid body: of one shape or several."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo import check
from tribo.model import Kind
from tribo.objects.base import Object
from tribo.readonly import frozen


class SingleBody(Object):
    """A body with one free joint; its origin is its centre of mass."""

    def _looks(self) -> str:
        solids = [body for body in self.collision_bodies if not body.is_point]
        if len(solids) != 1:
            return f"{len(solids)} shapes of {self.material!r}"
        (body,) = solids
        size = ", ".join(f"{x:g}" for x in body.size)
        return f"{body.shape.name.lower()}({size}) of {body.material!r}"

    @property
    def linear_velocity(self) -> np.ndarray:
        """Velocity of the centre of mass, shape (3,) [m/s], world; zero if static."""
        return frozen(self._v[:3].copy() if len(self._v) else np.zeros(3))

    @linear_velocity.setter
    def linear_velocity(self, value: Any) -> None:
        self._check_moves("linear_velocity")
        self._v[:3] = check.vector(value, f"linear_velocity of {self.name}", 3)

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocity, shape (3,) [rad/s], world axes; zero if static."""
        return frozen(self._v[3:6].copy() if len(self._v) else np.zeros(3))

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        self._check_moves("angular_velocity")
        self._v[3:6] = check.vector(value, f"angular_velocity of {self.name}", 3)

    @property
    def com(self) -> np.ndarray:
        """Centre of mass, shape (3,) [m], in the frame in which the shapes were given.

        That frame is the one of a compound's parts, a mesh file or a hull's points. The body's own origin is
        its centre of mass, so a point p of that frame is at p − com in the body.
        """
        return frozen(-np.asarray(self.description.origin))

    def set_state(self, pose: np.ndarray, velocity: np.ndarray) -> None:
        """Set pose (7,) and velocity (6,) at once, without checks."""
        self._q[:] = self._target_q[:] = pose
        self._v[:] = velocity

    def _check_moves(self, what: str) -> None:
        self.check_editable(what)
        if self.description.kind == Kind.STATIC:
            raise ValueError(
                f"{self.name} is static; set body_type to kinematic or dynamic before {what}"
            )

    @property
    def inertia(self) -> np.ndarray:
        """Inertia about the centre of mass, shape (3, 3) [kg m²], body axes."""
        return frozen(self.description.bodies[0].inertia.copy())

    def apply_force(self, force: Any, point: Any = None, *, axes: str = "world") -> None:
        """Add an external force for the next step only.

        Args:
            force: (3,) [N].
            point: Where it acts, (3,) [m], world; None: at the centre of mass.
            axes: Of the force: "world" or "body".

        Raises:
            ValueError, TypeError: A vector has a wrong shape or is not finite, or axes is another word.
        """
        f = self._turned(force, f"force on {self.name}", axes)
        row = self._wrench_row(0)
        row[3:] += f
        if point is not None:
            row[:3] += np.cross(check.vector(point, "point", 3) - self.position, f)

    def apply_torque(self, torque: Any, *, axes: str = "world") -> None:
        """Add an external torque (3,) [N m], axes of the world or the "body", for the next step only.

        Raises:
            ValueError, TypeError: The torque has a wrong shape or is not finite, or axes is another word.
        """
        moment = self._turned(torque, f"torque on {self.name}", axes)
        self._wrench_row(0)[:3] += moment

    def _turned(self, value: Any, what: str, axes: str) -> np.ndarray:
        """Return a checked vector in world axes."""
        given = check.vector(value, what, 3)
        is_own = check.choice(axes, ("world", "body"), f"axes of the {what}") == "body"
        return self.rotation_matrix @ given if is_own else given

    @property
    def kinetic_energy(self) -> float:
        """½ m v² + ½ ωᵀ I ω [J]; zero if static."""
        r = self.rotation_matrix
        v, w = self.linear_velocity, self.angular_velocity
        return float(0.5 * self.mass * v @ v + 0.5 * w @ (r @ self.inertia @ r.T) @ w)
