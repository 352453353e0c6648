"""Controls of actuators as commands of a robot's drives, or of its copies in a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.description.actuators import with_laws
from tribo.description.trees import ActuatorDescription, TreeDescription
from tribo.engine.layout import COORDINATES, DOFS


@dataclass(slots=True)
class Commands:
    """The commands of a robot's drives, each (…, dof), the first (…, nq)."""

    target: np.ndarray
    speed: np.ndarray
    force: np.ndarray
    damping: np.ndarray
    control: np.ndarray


class Controls:
    """The actuators of a robot as a map from controls u to what its drives are told.

    The force of an actuator at coordinate and speed 0 is gear (gain u + bias₀). Of a joint with stiffness it
    is a target, q_d = F/kp; else of one with damping a target speed, v_d = F/kd; else a force.
    """

    def __init__(self, description: TreeDescription) -> None:
        """Find the place of every actuator."""
        self._actuators = description.actuators
        self.count = max(description.control_count, len(self._actuators))
        self._numbers = {
            item.name: k if item.index < 0 else item.index for k, item in enumerate(self._actuators)
        }
        joints = {body.joint.name: body.joint.type for body in description.bodies}
        q, v = 0, 0
        self._places: dict[str, tuple[int, int]] = {}
        for name, kind in joints.items():
            self._places[name] = q, v
            q, v = q + COORDINATES[kind], v + DOFS[kind]
        self._gains: dict[str, tuple[float, float]] = {}
        self._drives = [item for item in self._actuators if item.law is None]
        for item in self._drives:
            kp, kd = self._gains.get(item.joint, (0.0, 0.0))
            self._gains[item.joint] = kp + item.kp, kd + item.kd

    def checked(self, controls: Any, owner: str, worlds: int | None = None) -> np.ndarray:
        """Return controls as (nu,), or (worlds, nu).

        Raises:
            ValueError: A shape is wrong, or a number is not finite.
        """
        what = f"controls of {owner}"
        made = check.within_range(check.array(controls, what, "numbers"), what)
        shapes = [(self.count,)] if worlds is None else [(self.count,), (worlds, self.count)]
        if made.shape not in shapes:
            wanted = " or ".join(map(str, shapes))
            raise ValueError(
                f"{what} must have shape {wanted}, one number for each actuator of its file, got {made.shape}"
            )
        return made

    def named(self, controls: dict[str, float]) -> np.ndarray:
        """Return a control vector; actuators that are not named get 0."""
        made = np.zeros(self.count)
        for name, value in controls.items():
            made[self._numbers[name]] = value
        return made

    def tell(self, controls: np.ndarray, drives: Commands) -> None:
        """Write what (…, nu) controls ask for into the drives."""
        forces: dict[str, Any] = {}
        dampers: dict[str, Any] = {}
        for k, item in enumerate(with_laws(self._actuators)):
            drives.control[..., k] = controls[..., self._numbers[item.name]]
        for item in self._drives:
            u = np.clip(controls[..., self._numbers[item.name]], *item.control_range)
            if item.damper:
                dampers[item.joint] = dampers.get(item.joint, 0.0) + item.gear**2 * item.damper * u
                continue
            pull = _pull(item, u)
            forces[item.joint] = forces.get(item.joint, 0.0) + item.gear * pull
        for joint, force in forces.items():
            q, v = self._places[joint]
            kp, kd = self._gains.get(joint, (0.0, 0.0))
            if kp > 0.0:
                drives.target[..., q] = force / kp
            elif kd > 0.0:
                drives.speed[..., v] = force / kd
            else:
                drives.force[..., v] = force
        for joint, damping in dampers.items():
            drives.damping[..., self._places[joint][1]] = self._gains[joint][1] + damping


def _pull(item: ActuatorDescription, control: np.ndarray) -> np.ndarray:
    """Return the force before the gear at coordinate and speed 0; a motor keeps its limits itself."""
    made = item.gain * control + item.bias[0]
    is_motor = not any(item.bias[1:])
    return np.clip(made, *item.force_range) if is_motor else made
