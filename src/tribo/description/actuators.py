"""Actuators as files describe them: plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from tribo.enums import Dynamics

Vector = tuple[float, ...]
MUSCLE = "muscle"  # as a gain or a bias


@dataclass(slots=True)
class ActuatorLaw:
    """An actuator that is no drive of one joint: it is evaluated in every step.

    F = gain x + bias, for its control or activation x; gain and bias are a + b L + c L' with L = gear φ, or
    those of a muscle (`tribo.dynamics.muscle`). It acts along a coupling, or on a body.
    """

    coupling: str = ""  # `CouplingDescription.name`; empty: none
    body: str = ""  # on which it acts otherwise
    point: Vector = (0.0, 0.0, 0.0)  # [m] where, body frame
    wrench: Vector = (0.0,) * 6  # torque, force for F = 1, body frame
    adheres: bool = False  # it pulls the body onto what it touches
    gear: float = 1.0  # of its coupling; of what adheres
    dynamics: Dynamics = Dynamics.NONE
    time: Vector = (1.0, 0.0, 0.0)  # [s, s, –]
    gain_kind: str = ""  # `MUSCLE`, or empty: linear
    gain: Vector = (1.0, 0.0, 0.0)
    bias_kind: str = ""
    bias: Vector = (0.0, 0.0, 0.0)
    length_range: tuple[float, float] = (0.0, 0.0)  # of L, of a muscle
    state_range: tuple[float, float] = (-inf, inf)  # of its activation


@dataclass(slots=True)
class ActuatorDescription:
    """A motor or servo on a joint, as MJCF has them (`tribo.formats.mjcf.actuators`).

    force = gear (gain u + bias₀ + bias₁ gear q + bias₂ gear v) for a control u.
    """

    name: str
    joint: str  # on which it acts; with a `law` one of those, or empty
    gear: float = 1.0  # [–, m/rad …]
    gain: float = 1.0
    bias: Vector = (0.0, 0.0, 0.0)
    control_range: tuple[float, float] = (-inf, inf)
    force_range: tuple[float, float] = (-inf, inf)  # before the gear
    damping_ratio: float = 0.0  # [–] of critical damping, from which bias₂ followed; 0: bias₂ was given
    damper: float = 0.0  # [N s/m, N m s/rad] > 0: it damps instead, force = −damper u gear v
    index: int = -1  # of its control in the control vector of the file; −1: as they are listed
    law: ActuatorLaw | None = None  # instead of gear, gain, bias and damper

    @property
    def kp(self) -> float:
        """Stiffness that it gives its joint [N/m, N m/rad]."""
        return 0.0 if self.law is not None else -self.bias[1] * self.gear * self.gear

    @property
    def kd(self) -> float:
        """Damping that it gives its joint [N s/m, N m s/rad]."""
        return 0.0 if self.law is not None else -self.bias[2] * self.gear * self.gear


def with_laws(actuators: Sequence[ActuatorDescription]) -> list[ActuatorDescription]:
    """Return those that have a law of their own as the arrays of a world have them: activated ones first."""
    return sorted((one for one in actuators if one.law is not None), key=lambda a: not has_activation(a))


def names_of_activated(actuators: Sequence[ActuatorDescription]) -> tuple[str, ...]:
    """Return the names of the actuators that have an activation, as the arrays of a world have them."""
    return tuple(one.name for one in with_laws(actuators) if has_activation(one))


def has_activation(actuator: ActuatorDescription) -> bool:
    """Tell whether an actuator has an activation that follows its control."""
    return actuator.law is not None and actuator.law.dynamics != Dynamics.NONE
