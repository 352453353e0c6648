"""A spring or a torque with which a person pulls or turns a body: how large it is, and how it is damped."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tribo.model import Kind
from tribo.objects import ArticulatedSystem, Object

SOFTNESS = 0.1  # [m] stretch at which the spring bears the object's weight, for strength 1
GRAVITY = 9.81  # [m/s²]
# A spring that is evaluated once a step stays stable for k w dt² and c w dt well below 1 (w: inverse
# apparent mass of the point); a quarter of it leaves room for contacts and drives.
STIFFEST, MAX_DAMPED = 0.25, 0.5


@dataclass(slots=True, kw_only=True)
class Grip:
    """A force or torque with which a person moves a body: the mouse says where to."""

    part: Object
    body: int  # of the object
    target: np.ndarray  # (3,) [m] where the mouse is, world
    strength: float = 1.0

    unit: ClassVar[str]

    def lead(self, target: np.ndarray, strength: float) -> None:
        """Pull somewhere else, or turn by another way of the mouse, from now on."""
        self.target, self.strength = target, strength

    def _frame(self) -> Any:
        """Return what turns points of the body into places and velocities."""
        return self.part.links[self.body] if isinstance(self.part, ArticulatedSystem) else self.part

    def _yielding(self, jacobian: np.ndarray) -> float:
        """Return the largest eigenvalue of J M⁻¹ Jᵀ of a robot: how easily it gives way."""
        assert isinstance(self.part, ArticulatedSystem)
        response = np.array([self.part.solve_mass_matrix(row) for row in jacobian])
        return max(float(np.linalg.eigvalsh(jacobian @ response.T)[-1]), 1e-9)


@dataclass(slots=True, kw_only=True)
class Spring(Grip):
    """A damped spring between a point of a body and a point that the mouse moves.

    The force at the held point x with velocity v is F = k (target − x) − c v. At strength 1, k bears the
    weight of the whole object at a stretch of 10 cm; c = 2 √(k m), with the object's mass m, is critical for
    it. Both are bounded so that a force which is constant over a step does not swing up.
    """

    point: np.ndarray  # (3,) [m] held point, body frame
    # [1/kg] Inverse apparent mass of the held point when it was last looked at.
    yielding: float = 0.0

    unit: ClassVar[str] = "N"

    def __post_init__(self) -> None:
        """Find out how easily the point gives way."""
        self.yielding = self._inverse_mass()

    def lead(self, target: np.ndarray, strength: float) -> None:
        """Pull somewhere else from now on."""
        Grip.lead(self, target, strength)
        self.yielding = self._inverse_mass()

    def held_point(self) -> np.ndarray:
        """Return where the held point is, (3,) [m], world."""
        return np.asarray(self._frame().to_world(self.point))

    def force(self, time_step: float) -> np.ndarray:
        """Return the force (3,) [N] that it exerts on the body at the present state."""
        frame = self._frame()
        mass = float(self.part.mass)
        stiffness = self.strength * mass * GRAVITY / SOFTNESS
        stiffness = min(stiffness, STIFFEST / (self.yielding * time_step**2))
        damping = min(2.0 * math.sqrt(stiffness * mass), MAX_DAMPED / (self.yielding * time_step))
        stretch = self.target - frame.to_world(self.point)
        return np.asarray(stiffness * stretch - damping * frame.velocity_of(self.point))

    def pull(self, time_step: float) -> np.ndarray:
        """Let the force act in the next step; return it, (3,) [N]."""
        force = self.force(time_step)
        if isinstance(self.part, ArticulatedSystem):
            self.part.apply_force(self.part.body_names[self.body], force, self.point)
        else:
            self.part.apply_force(force, self.held_point())  # type: ignore[attr-defined]
        return force

    def ends(self) -> np.ndarray:
        """Return the arrow that shows it, (2, 3) [m], world."""
        return np.stack([self.held_point(), self.target])

    def _inverse_mass(self) -> float:
        """Return the largest inverse apparent mass of the held point over all directions [1/kg]."""
        if isinstance(self.part, ArticulatedSystem):
            return self._yielding(self.part.links[self.body].jacobian(self.point))
        x, y, z = self.point  # the body's origin is its centre of mass
        arm = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        spin = np.linalg.inv(self.part.inertia)  # type: ignore[attr-defined]
        return float(np.linalg.eigvalsh(np.eye(3) / self.part.mass - arm @ spin @ arm)[-1])


def can_be_pulled(part: Object) -> bool:
    """Return whether forces move an object."""
    return part.body_type == Kind.DYNAMIC


FREE_SPEED = 100.0  # [rad/s] per metre of the mouse's way, at which the damping takes up all torque


@dataclass(slots=True, kw_only=True)
class Twist(Grip):
    """A damped torque on a body, as if the mouse rolled the side of it that the viewer sees.

    The mouse went from `start` by d in the plane of the picture; with the unit vector e towards the viewer
    and the object's mass m, the torque on a body with angular velocity ω is τ = s m g (e × d − ω/k): at
    strength s = 1 the object's weight at a lever as long as the mouse's way. k = 100 rad/s per metre is the
    speed at which a body turns that nothing holds. The damping is bounded so that a torque which is constant
    over a step does not swing up.
    """

    start: np.ndarray  # (3,) [m] where the mouse began, world
    toward: np.ndarray  # (3,) unit vector from the body to the viewer

    unit: ClassVar[str] = "N m"

    def torque(self, time_step: float) -> np.ndarray:
        """Return the torque (3,) [N m], world, that it exerts on the body at the present state."""
        weight = self.strength * float(self.part.mass) * GRAVITY
        damping = min(weight / FREE_SPEED, MAX_DAMPED / (self._inverse_inertia() * time_step))
        speed = np.asarray(self._frame().angular_velocity)
        return np.asarray(weight * self._way() - damping * speed)

    def pull(self, time_step: float) -> np.ndarray:
        """Let the torque act in the next step; return it, (3,) [N m]."""
        torque = self.torque(time_step)
        if isinstance(self.part, ArticulatedSystem):
            self.part.apply_torque(self.part.body_names[self.body], torque)
        else:
            self.part.apply_torque(torque)  # type: ignore[attr-defined]
        return torque

    def ends(self) -> np.ndarray:
        """Return the arrow that shows it, (2, 3) [m], world: along the axis that it turns about."""
        origin = np.asarray(self._frame().position)
        return np.stack([origin, origin + self._way()])

    def _way(self) -> np.ndarray:
        return np.cross(self.toward, self.target - self.start)

    def _inverse_inertia(self) -> float:
        """Return the largest inverse apparent inertia of the body over all axes [1/(kg m²)]."""
        if isinstance(self.part, ArticulatedSystem):
            return self._yielding(self.part.links[self.body].rotational_jacobian())
        return 1.0 / float(np.linalg.eigvalsh(self.part.inertia)[0])  # type: ignore[attr-defined]
