"""A torque with which a person turns a body or a joint: how large it is, and how it is damped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tribo.objects import ArticulatedSystem
from tribo.viewer.spring import GRAVITY, MOST_DAMPED, Grip

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
        damping = min(weight / FREE_SPEED, MOST_DAMPED / (self._inverse_inertia() * time_step))
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
