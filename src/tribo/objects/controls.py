"""Controls of actuators as commands of a robot's drives, or of its copies in a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.description.actuators import with_laws
from tribo.description.trees import ActuatorDescription, TreeDescription
from tribo.engine.layout import COORDINATES, DOFS

COMMANDS = ("_target_q", "_target_v", "_tau", "_kd", "_control")  # arrays of a robot that controls change


class Controls:
    """The actuators of a robot as a map from controls u to what its drives are told.

    The force of an actuator at coordinate and speed 0 is gear (gain u + bias₀). Of a joint with stiffness it
    is a target, q_d = F/kp; else of one with damping a target speed, v_d = F/kd; else a force.
    """

    def __init__(self, description: TreeDescription) -> None:
        """Collect the numbers of all actuators; those whose sum makes one command stand side by side."""
        self.description = description
        actuators = description.actuators
        self.count = max(description.control_count, len(actuators))
        self._numbers = {item.name: k if item.index < 0 else item.index for k, item in enumerate(actuators)}
        self._laws = np.array([self._numbers[item.name] for item in with_laws(actuators)], int)
        places, gains = _places(description), _gains(actuators)
        told: dict[tuple[str, int], list[ActuatorDescription]] = {}
        for item in (one for one in actuators if one.law is None):
            name = _command(item, *gains[item.joint])
            told.setdefault((name, places[item.joint][name != "_target_q"]), []).append(item)
        drives = [item for some in told.values() for item in some]
        self._drives = np.array([self._numbers[item.name] for item in drives], int)
        self._range = np.array([item.control_range for item in drives]).T
        self._slope = np.array([item.damper * item.gear if item.damper else item.gain for item in drives])
        self._bias = np.array([0.0 if item.damper else item.bias[0] for item in drives])
        self._limit = np.array([_force_range(item) for item in drives]).T
        self._gear = np.array([item.gear for item in drives])
        self._first = np.cumsum([0, *(len(some) for some in told.values())])[:-1]
        ends = [(name, *gains[some[0].joint]) for (name, _), some in told.items()]
        # The force for which one unit of a command stands, and what it is without control.
        self._unit = np.array([{"_target_q": kp, "_target_v": kd}.get(name, 1.0) for name, kp, kd in ends])
        self._least = np.array([kd if name == "_kd" else 0.0 for name, _, kd in ends])
        self._outputs: dict[str, tuple[list[int], list[int]]] = {}  # places of a command, columns of sums
        for k, (name, place) in enumerate(told):
            placed, columns = self._outputs.setdefault(name, ([], []))
            placed.append(place)
            columns.append(k)

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

    def tell(self, controls: np.ndarray, drives: Mapping[str, np.ndarray]) -> None:
        """Write what (…, nu) controls ask for into the commands of the drives (…, dof or nq), by name."""
        if self._laws.size:
            drives["_control"][..., : len(self._laws)] = controls[..., self._laws]
        if not self._drives.size:
            return
        made = self._slope * controls[..., self._drives].clip(*self._range) + self._bias
        forces = np.add.reduceat(self._gear * made.clip(*self._limit), self._first, axis=-1)
        told = forces / self._unit + self._least
        for name, (placed, columns) in self._outputs.items():
            drives[name][..., placed] = told[..., columns]


def _places(description: TreeDescription) -> dict[str, tuple[int, int]]:
    """Return of each joint the places of its first coordinate and of its first dof."""
    q = v = 0
    places = {}
    for body in description.bodies:
        kind = body.joint.type
        places[body.joint.name] = q, v
        q, v = q + COORDINATES[kind], v + DOFS[kind]
    return places


def _gains(actuators: Sequence[ActuatorDescription]) -> dict[str, tuple[float, float]]:
    """Return stiffness and damping that its drives give each joint."""
    gains: dict[str, tuple[float, float]] = {}
    for item in (one for one in actuators if one.law is None):
        kp, kd = gains.get(item.joint, (0.0, 0.0))
        gains[item.joint] = kp + item.kp, kd + item.kd
    return gains


def _command(item: ActuatorDescription, kp: float, kd: float) -> str:
    """Return the name of the command that a drive adds to, at a joint of given stiffness and damping."""
    if item.damper:
        return "_kd"
    return "_target_q" if kp > 0.0 else "_target_v" if kd > 0.0 else "_tau"


def _force_range(item: ActuatorDescription) -> tuple[float, float]:
    """Return the least and largest force before the gear; only a motor keeps its limits itself."""
    is_motor = not (any(item.bias[1:]) or item.damper)
    return item.force_range if is_motor else (-inf, inf)
