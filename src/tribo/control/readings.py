"""`Reading`: numbers that a state alone determines, such as the place of a frame, with exact derivatives.

A reading y(q, v) of the end of the steps has δy = ∂y/∂q δq⁺ + ∂y/∂v δv⁺. Positions and orientations have the
Jacobian J of the frame, velocities J v have J and ∂(J v)/∂q_k = J̇(q; e_k) v, the rate of J along coordinate
k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.batch.batch import Batch
from tribo.checks import check
from tribo.description.extents import rotation_matrix
from tribo.identification.state_layout import StateLayout, rotation_vector
from tribo.world.world import World

QUANTITIES = {
    "position": "m", "orientation": "rad", "velocity": "m/s", "angular_velocity": "rad/s", "gyro": "rad/s",
    "coordinate": "", "rate": "",
}  # fmt: skip
XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Reading:
    """Something that `tribo.linearize` reads at the end of its steps: C and D of it are exact.

    Args:
        object: Name of a body or robot.
        quantity: Of a frame of a robot, or of a body: "position" [m], "orientation" (its change as a
            rotation vector [rad]), "velocity" [m/s], "angular_velocity" [rad/s], in world axes; "gyro", the
            angular velocity in axes of the frame, as a gyroscope there measures it. Of all dofs: "coordinate"
            (changes of a quaternion as a rotation vector), "rate".
        frame: Name of the frame of a robot (`ArticulatedSystem.frame`); of a body and of dofs None.

    Raises:
        ValueError: There is no such quantity.

    Example:
        >>> import tribo
        >>> from tribo.tools.demo import ASSETS
        >>> world = tribo.World()
        >>> dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog", position=(0, 0, 1))
        >>> foot = tribo.control.Reading("dog", "velocity", "LF_FOOT")
        >>> found = tribo.linearize(world, outputs=foot)
        >>> found.method, found.C.shape, found.output_names[0]
        ('exact', (3, 36), 'velocity/dog/LF_FOOT/x')
    """

    object: str
    quantity: str
    frame: str | None = None

    def __post_init__(self) -> None:
        """Check the words."""
        check.text(self.object, "object")
        check.choice(self.quantity, tuple(QUANTITIES), "quantity")
        if self.frame is not None:
            check.text(self.frame, "frame")


class Readings:
    """Readings of the objects of a world.

    Args:
        readings: All that is read.
        world: Where.
        layout: Of its states.
        dofs: Numbers of the dofs that are states.

    Raises:
        KeyError: There is no such object or frame; the message proposes the nearest name.
        ValueError: A frame is missing, or is given where there is none; the object is none of the states.
    """

    def __init__(
        self, readings: Sequence[Reading], world: World, layout: StateLayout, dofs: np.ndarray
    ) -> None:
        self._readings, self._world, self._layout = list(readings), world, layout
        self._places = {name: (q, v) for name, q, v in layout.objects}
        names, units = list(layout.dofs), layout.dof_units
        labels: list[str] = []
        kinds: list[str] = []
        for one in self._readings:
            check.known(one.object, self._places, "object that moves")
            at = self._places[one.object][1]
            if at.start not in dofs:
                raise ValueError(f"{one.object} is read, and is none of the objects whose states are x")
            is_of_dofs = one.quantity in {"coordinate", "rate"}
            is_robot = hasattr(world[one.object], "frame")
            if is_of_dofs or not is_robot:
                if one.frame is not None:
                    raise ValueError(f"{one.quantity} of {one.object} is of no frame, got {one.frame!r}")
            elif one.frame is None:
                raise ValueError(f"{one.object} is a robot: name the frame whose {one.quantity} is read")
            else:
                world[one.object].frame(one.frame)  # type: ignore[attr-defined]  # a robot
            if is_of_dofs:
                labels += [f"{one.quantity}/{name}" for name in names[at]]
                rates = units[at]
                kinds += rates if one.quantity == "rate" else [unit.removesuffix("/s") for unit in rates]
                continue
            stem = "/".join([one.quantity, one.object, *([] if one.frame is None else [one.frame])])
            labels += [f"{stem}/{axis}" for axis in XYZ]
            kinds += [QUANTITIES[one.quantity]] * 3
        self.names, self.units = tuple(labels), tuple(kinds)

    def derivatives(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return derivatives (readings, 2 nv) by δq and δv at a state (nq,), (nv,)."""
        nv = self._layout.nv
        rows = []
        for one in self._readings:
            at_q, at_v = self._places[one.object]
            by_q, by_v = self._own(one, q[at_q], v[at_v])
            made = np.zeros((len(by_q), 2 * nv))
            made[:, at_v] = by_q
            made[:, nv + at_v.start : nv + at_v.stop] = by_v
            rows.append(made)
        return np.concatenate(rows)

    def _own(self, one: Reading, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return derivatives of a reading by δq and δv of its object."""
        n = len(v)
        if one.quantity in {"coordinate", "rate"}:
            own, none = np.eye(n), np.zeros((n, n))
            return (own, none) if one.quantity == "coordinate" else (none, own)
        is_turn = one.quantity in {"orientation", "angular_velocity", "gyro"}
        if one.frame is None:
            jacobian = np.eye(6)[3:] if is_turn else np.eye(6)[:3]
            bend, turn, turned = np.zeros((3, 6)), rotation_matrix(q[3:7]), np.eye(6)[3:]
        else:
            robot: Any = self._world[one.object]
            frame = robot.at(q).frame(one.frame)
            jacobian = frame.rotational_jacobian() if is_turn else frame.jacobian()
            along = robot.at(np.tile(q, (n, 1)), np.eye(n)).frame(one.frame)
            rate = along.rotational_jacobian_rate() if is_turn else along.jacobian_rate()
            bend = np.einsum("kij,j->ik", rate, v)  # ∂(J v)/∂q
            turn, turned = frame.rotation_matrix, jacobian
        if one.quantity in {"position", "orientation"}:
            return jacobian, np.zeros((3, n))
        if one.quantity == "gyro":  # Rᵀ ω; as R turns by δθ it changes by Rᵀ (δω + ω × δθ)
            spin = jacobian @ v
            return turn.T @ (bend + np.cross(spin, turned.T).T), turn.T @ jacobian
        return bend, jacobian

    def values(self, batch: Batch) -> np.ndarray:
        """Return the readings of all worlds of a batch, (worlds, readings); turns are those from world 0."""
        return np.concatenate([self._of_worlds(one, batch) for one in self._readings], axis=1)

    def _of_worlds(self, one: Reading, batch: Batch) -> np.ndarray:
        state = batch.engine.state.arrays
        at_q, at_v = self._places[one.object]
        if one.quantity == "coordinate":
            start = np.broadcast_to(state["q"][0], state["q"].shape)
            return self._layout.minus(state["q"], start)[:, at_v]
        if one.quantity == "rate":
            return np.array(state["v"][:, at_v])
        if one.frame is None:
            q, v = state["q"][:, at_q], state["v"][:, at_v]
            position, quaternion, velocity, spin = q[:, :3], q[:, 3:7], v[:, :3], v[:, 3:]
        else:
            part: Any = batch[one.object]
            frame = part.frame(one.frame)
            position, quaternion = frame.position, frame.orientation
            velocity, spin = frame.linear_velocity, frame.angular_velocity
        if one.quantity == "orientation":
            return np.asarray(rotation_vector(quaternion, np.broadcast_to(quaternion[0], quaternion.shape)))
        if one.quantity == "gyro":
            turns = np.array([rotation_matrix(x) for x in quaternion])
            return np.asarray(np.einsum("nij,ni->nj", turns, spin))
        made = {"position": position, "velocity": velocity, "angular_velocity": spin}
        return np.array(made[one.quantity])
