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
        laws = [self._numbers[item.name] for item in with_laws(actuators)]
        self._laws = _places_in_a_row(laws)
        self._law_count = len(laws)
        places, gains = _places(description), _gains(actuators)
        told: dict[tuple[str, int], list[ActuatorDescription]] = {}
        for item in (one for one in actuators if one.law is None):
            name = _command(item, *gains[item.joint])
            told.setdefault((name, places[item.joint][name != "_target_q"]), []).append(item)
        drives = [item for some in told.values() for item in some]
        self._drives = _places_in_a_row([self._numbers[item.name] for item in drives])
        self._range = np.array([item.control_range for item in drives]).reshape(-1, 2).T
        self._slope = np.array([item.damper * item.gear if item.damper else item.gain for item in drives])
        self._bias = np.array([0.0 if item.damper else item.bias[0] for item in drives])
        limit = np.array([_force_range(item) for item in drives]).reshape(-1, 2).T
        self._limit = limit if np.isfinite(limit).any() else None
        self._gear = np.array([item.gear for item in drives])
        self._first = np.cumsum([0, *(len(some) for some in told.values())])[:-1]
        ends = [(name, *gains[some[0].joint]) for (name, _), some in told.items()]
        # The force for which one unit of a command stands, and what it is without control.
        self._unit = np.array([{"_target_q": kp, "_target_v": kd}.get(name, 1.0) for name, kp, kd in ends])
        self._least = np.array([kd if name == "_kd" else 0.0 for name, _, kd in ends])
        # By command: its places, and their columns of the sums.
        self._outputs = {
            name: (
                _places_in_a_row([place for it, place in told if it == name]),
                _places_in_a_row([k for k, (it, _) in enumerate(told) if it == name]),
            )
            for name in dict.fromkeys(name for name, _ in told)
        }
        self.commands = (*self._outputs, *(("_control",) if laws else ()))  # arrays that `tell` writes

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
        """Write what (…, nu) controls ask for into `commands` of the drives (…, dof or nq), by name."""
        if self._law_count:
            drives["_control"][..., : self._law_count] = controls[..., self._laws]
        if not self._outputs:
            return
        made = self._slope * _clipped(controls[..., self._drives], self._range) + self._bias
        forces = self._gear * (made if self._limit is None else _clipped(made, self._limit))
        if len(self._first) < len(self._gear):
            forces = np.add.reduceat(forces, self._first, axis=-1)
        told = forces / self._unit + self._least
        for name, (placed, columns) in self._outputs.items():
            drives[name][..., placed] = told[..., columns]


def _clipped(values: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Return numbers between bounds (2, n); `clip` of NumPy takes five times as long on few numbers."""
    found: np.ndarray = np.minimum(np.maximum(values, bounds[0]), bounds[1])
    return found


def _places_in_a_row(places: list[int]) -> slice | np.ndarray:
    """Return places as a slice, which NumPy reads faster, if each follows the one before."""
    first = places[0] if places else 0
    is_slice = places == list(range(first, first + len(places)))
    return slice(first, first + len(places)) if is_slice else np.array(places, int)


def _places(description: TreeDescription) -> dict[str, tuple[int, int]]:
    """Return of each joint the places of its first coordinate and of its first dof."""
    q, v = description.joint_slices(COORDINATES), description.joint_slices(DOFS)
    return {body.joint.name: (q[k].start, v[k].start) for k, body in enumerate(description.bodies)}


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
