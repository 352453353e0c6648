"""One rigid body: of one shape or several."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen, part_of, reading
from tribo.model import Kind
from tribo.objects import edits
from tribo.objects.base import Object
from tribo.objects.body_types import TERRAIN
from tribo.objects.collision_body import looks
from tribo.objects.contact import ContactMotion
from tribo.objects.states import SIX


class SingleBody(Object):
    """A body with one free joint; its origin is its centre of mass."""

    _called = "body"
    _is_single_body = True

    def _looks(self) -> str:
        solids = [body for body in self.collision_bodies if not body.is_point]
        if len(solids) != 1:
            return f"{len(solids)} shapes of {self.material!r}"
        (body,) = solids
        return looks(body)

    @property
    def linear_velocity(self) -> np.ndarray:
        """Velocity of the centre of mass, shape (3,) [m/s], world; zero if static."""
        return part_of(self._v, 0, 3, "linear_velocity")

    @linear_velocity.setter
    def linear_velocity(self, value: Any) -> None:
        self._check_moves("linear_velocity")
        self._v[:3] = check.vector(value, f"linear_velocity of {self.name}", 3)

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocity, shape (3,) [rad/s], world axes; zero if static."""
        return part_of(self._v, 3, 3, "angular_velocity")

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        self._check_moves("angular_velocity")
        self._v[3:6] = check.vector(value, f"angular_velocity of {self.name}", 3)

    def to_world(self, point: Any) -> np.ndarray:
        """Return where a `point` (3,) [m] of the body is in the world; its origin is the centre of mass.

        Raises:
            ValueError, TypeError: The point has a wrong shape or is not finite.
        """
        given = check.vector(point, f"point of {self.name}", 3)
        return frozen(self.position + self.rotation_matrix @ given)

    def to_local(self, point: Any) -> np.ndarray:
        """Return a `point` (3,) [m] of the world in the body's frame; errors as `to_world`."""
        given = check.vector(point, "point", 3)
        return frozen(self.rotation_matrix.T @ (given - self.position))

    def velocity_of(self, point: Any) -> np.ndarray:
        """Return the velocity (3,) [m/s], world, of a `point` (3,) [m] of the body; errors as `to_world`.

        Example:
            >>> import tribo
            >>> ball = tribo.World().add_sphere(radius=0.5, mass=1.0, angular_velocity=(0, 0, 2))
            >>> ball.velocity_of((0.5, 0, 0)).tolist()
            [0.0, 1.0, 0.0]
        """
        arm = self.to_world(point) - self.position
        return frozen(self.linear_velocity + np.cross(self.angular_velocity, arm))

    def _contact_motion(self, _collision_body: str, point: np.ndarray) -> ContactMotion:
        """Return how the body moves, and yields, at a point (3,) [m] of the world."""
        x, y, z = arm = point - self.position
        velocity = self.linear_velocity + np.cross(self.angular_velocity, arm)
        if self.body_type != Kind.DYNAMIC:
            return ContactMotion(frozen(velocity), np.zeros((3, 0)), np.zeros((0, 0)))
        turning = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # ω × r = −r × ω
        turn = self.rotation_matrix
        inverse = np.zeros((6, 6))
        inverse[:3, :3] = np.eye(3) / self.mass
        inverse[3:, 3:] = turn @ np.linalg.inv(self.inertia) @ turn.T
        return ContactMotion(frozen(velocity), np.hstack([np.eye(3), turning]), inverse)

    def take_state(self, pose: np.ndarray, velocity: np.ndarray) -> None:
        """Take the pose (7,) and velocity (6,) with which it begins, without checks."""
        self._q[:] = self._target_q[:] = pose
        self._v[:] = velocity

    def _check_moves(self, what: str) -> None:
        self.check_editable(what)
        if self.description.kind == Kind.STATIC:
            raise ValueError(f"{self.name} is static; set body_type to kinematic or dynamic before {what}")

    # -- mass ----------------------------------------------------------------------------------
    @property
    def mass(self) -> float:
        """Mass [kg] > 0, of terrain 0; assign to change it. The inertia stays: assign that as well.

        Example:
            >>> import tribo
            >>> ball = tribo.World().add_sphere(radius=0.1, mass=1.0)
            >>> ball.mass, ball.inertia = 1.2 * ball.mass, 1.2 * ball.inertia
            >>> ball.mass
            1.2
        """
        return 0.0 if self._is_terrain() else super().mass

    @mass.setter
    def mass(self, value: Any) -> None:
        self._check_has_mass("mass")
        mass = check.positive(value, f"mass of {self.name}")
        self._write_mass("body_mass", np.array(mass))

    @property
    def inertia(self) -> np.ndarray:
        """Inertia about the centre of mass, shape (3, 3) [kg m²], body axes; assign to change it.

        It must be symmetric and positive definite; three numbers stand for a diagonal.
        """
        own = self.description.bodies[0].inertia
        return reading(np.zeros_like(own) if self._is_terrain() else own.copy(), "inertia")

    @inertia.setter
    def inertia(self, value: Any) -> None:
        self._check_has_mass("inertia")
        made = check.inertia(value, f"inertia of {self.name}")
        self._write_mass("body_inertia", made[SIX])

    @property
    def com(self) -> np.ndarray:
        """Centre of mass, shape (3,) [m], in the frame in which the shapes were given; assign to move it.

        That frame is the one of a compound's parts, a mesh file or a hull's points. The body's own origin is
        its centre of mass, so a point p of that frame is at p − com in the body. Where the centre of mass is
        set anew, shapes, constraints and sensors stay where they are: `position` and `linear_velocity` become
        those of the new one. The inertia stays, now about the new centre of mass: assign it as well. In a
        world file the body's own frame becomes that of the shapes, and `com` zero.

        Example:
            >>> import tribo
            >>> box = tribo.World().add_box(size=(1, 1, 1), mass=1.0, position=(0, 0, 2))
            >>> box.com = 0.0, 0.0, -0.3
            >>> box.position.tolist(), box.collision_bodies[0].position_in_body.tolist()
            ([0.0, 0.0, 1.7], [0.0, 0.0, 0.3])
        """
        return reading(-np.asarray(self.description.origin), "com")

    @com.setter
    def com(self, value: Any) -> None:
        self._check_has_mass("com")
        com = check.vector(value, f"com of {self.name}", 3)
        way = self.rotation_matrix @ (com + self.description.origin)
        place = check.within_range(self.position + way, f"position of {self.name} with this com")
        velocity = self.linear_velocity + np.cross(self.angular_velocity, way)
        check.within_range(velocity, f"linear_velocity of {self.name} with this com")
        self.detach()
        self.wake()
        edits.move_origin(self.description, com)
        self._root_pose()[:3] = place
        self._v[:3] = velocity[: len(self._v)]
        self._wrench[0, :3] -= np.cross(way, self._wrench[0, 3:])  # forces stay where they act
        self._left_q[:] = 0.0  # the next step begins from the state alone
        self._world.rebuild()

    # -- drag ----------------------------------------------------------------------------------
    @property
    def linear_damping(self) -> float:
        """Drag [N s/m] ≥ 0: a force −linear_damping · v at the centre of mass, implicit; assign to change it.

        Example:
            >>> import tribo
            >>> world = tribo.World()
            >>> ball = world.add_sphere(radius=0.1, mass=1.0)
            >>> ball.linear_damping = 2.0
            >>> world.step(5000)
            >>> round(float(ball.linear_velocity[2]), 3)  # m g / d
            -4.905
        """
        return self.description.bodies[0].drag[0]

    @linear_damping.setter
    def linear_damping(self, value: Any) -> None:
        self._set_drag("linear_damping", value)

    @property
    def angular_damping(self) -> float:
        """Drag [N m s/rad] ≥ 0: a torque −angular_damping · ω, implicit; assign to change it."""
        return self.description.bodies[0].drag[1]

    @angular_damping.setter
    def angular_damping(self, value: Any) -> None:
        self._set_drag("angular_damping", value)

    def _set_drag(self, what: str, value: Any) -> None:
        self._check_has_mass(what)
        number = check.number(value, f"{what} of {self.name}", minimum=0.0)
        body, is_turn = self.description.bodies[0], what == "angular_damping"
        body.drag = (body.drag[0], number) if is_turn else (number, body.drag[1])
        self.wake()
        if self._world.is_built and self.span is not None and self._is_free:
            first = self.span.v.start + 3 * is_turn
            self._world.engine.model.arrays["dof_damping"][:, first : first + 3] = number

    def _is_terrain(self) -> bool:
        return self.description.bodies[0].shapes[0].is_terrain

    def _check_has_mass(self, what: str) -> None:
        self.check_editable(what)
        if self._is_terrain():
            kind = check.with_article(TERRAIN[self.collision_bodies[0].shape])
            raise ValueError(f"{what} of {self.name}: {kind} has none")

    def _write_mass(self, field: str, value: np.ndarray) -> None:
        """Write a number into the description and, if the world is built, into its model."""
        self.wake()
        edits.describe(self.description, field, 0, value)
        self._tree_motion[:, 0] = 0.0  # its momentum is another now
        if self._world.is_built and self.span is not None:
            self._world.engine.model.arrays[field][:, self.span.body.start] = value

    def apply_force(self, force: Any, point: Any = None, *, axes: str = "world") -> None:
        """Add an external force for the next step only.

        Args:
            force: (3,) [N].
            point: Where it acts, (3,) [m], world; None: at the centre of mass.
            axes: Of the force: "world", or "body" for those of the body at the call, for the whole step.

        Raises:
            ValueError, TypeError: A vector has a wrong shape or is not finite, or axes is another word.
        """
        f = self._turned(force, f"force on {self.name}", axes)
        arm = None if point is None else check.vector(point, "point", 3) - self.position
        row = self._wrench_row(0)
        row[3:] += f
        if arm is not None:
            row[:3] += np.cross(arm, f)

    def apply_torque(self, torque: Any, *, axes: str = "world") -> None:
        """Add an external torque (3,) [N m], axes of the world or the "body" at the call, for the next step.

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

    # -- energy and momentum -------------------------------------------------------------------
    @property
    def kinetic_energy(self) -> float:
        """½ m v² + ½ ωᵀ I ω [J]; zero if static."""
        w = self.angular_velocity
        return float(0.5 * self.mass * (self.linear_velocity**2).sum() + 0.5 * w @ self._spin())

    @property
    def potential_energy(self) -> float:
        """−m g · x [J], zero at the world's origin; of terrain 0."""
        return float(-self.mass * (self._world.gravity @ self.position))

    @property
    def energy(self) -> float:
        """Kinetic and potential energy [J].

        Example:
            >>> import tribo
            >>> ball = tribo.World().add_sphere(
            ...     radius=0.1, mass=2.0, position=(0, 0, 1), linear_velocity=(3, 0, 0)
            ... )
            >>> round(ball.energy, 9)  # m v²/2 + m g z
            28.62
        """
        return self.kinetic_energy + self.potential_energy

    @property
    def linear_momentum(self) -> np.ndarray:
        """Linear momentum m v, shape (3,) [kg m/s], world axes."""
        return frozen(self.mass * self.linear_velocity)

    @property
    def angular_momentum(self) -> np.ndarray:
        """Angular momentum about the world's origin, shape (3,) [kg m²/s], world axes."""
        return self.angular_momentum_about((0.0, 0.0, 0.0))

    def angular_momentum_about(self, point: Any) -> np.ndarray:
        """Return the angular momentum about a `point` (3,) [m], world; shape (3,) [kg m²/s], world axes.

        Raises:
            ValueError, TypeError: The point has a wrong shape or is not finite.
        """
        arm = self.position - check.vector(point, "point", 3)
        return frozen(np.cross(arm, self.linear_momentum) + self._spin())

    def _spin(self) -> np.ndarray:
        """Return the angular momentum about the centre of mass, (3,) [kg m²/s]."""
        r = self.rotation_matrix
        return np.asarray(r @ (self.inertia @ (r.T @ self.angular_velocity)))
