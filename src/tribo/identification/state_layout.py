"""Coordinates and dofs of a world by name, and small changes of a state: tangent vectors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tribo.recording.fields import describe
from tribo.world.world import World

ROTATION_WIDTH = {"free": (7, 6), "spherical": (4, 3)}  # coordinates, dofs


class MovingObject(NamedTuple):
    """Where an object stands in a state."""

    name: str
    q: slice
    v: slice


class StateLayout:
    """Which number of a state belongs to which object, joint and rotation.

    A change of a state is a vector with an entry for each dof: a length, an angle, or a component of a
    rotation vector in the axes in which the quaternion maps to (q ← exp(δ/2) q).

    Args:
        world: The world whose states are laid out.
    """

    def __init__(self, world: World) -> None:
        model = describe(world)
        self.objects = [
            MovingObject(item["name"], slice(*item["q"]), slice(*item["v"]))
            for item in model["objects"]
            if item["v"][1] > item["v"][0]
        ]
        self.coordinates = {item["name"]: k for k, item in enumerate(model["coordinates"])}
        self.coordinate_units = [item["unit"] for item in model["coordinates"]]
        self.dofs = {item["name"]: k for k, item in enumerate(model["dofs"])}
        self.dof_units = [item["unit"] for item in model["dofs"]]
        self.bodies = {item["name"]: k for k, item in enumerate(model["bodies"])}
        self.body_range = {item["name"]: tuple(item["bodies"]) for item in model["objects"]}
        self.names_of_bodies = {row: name for name, row in self.bodies.items()}
        self.owners = {row: name for name, (a, b) in self.body_range.items() for row in range(a, b)}
        self.rotations: list[tuple[int, int]] = []  # first coordinate, first dof of each
        self.linear: list[tuple[int, int]] = []  # coordinate and dof that are one number
        q = v = 0
        for kind in (item["joint_type"] for item in model["bodies"]):
            if kind == "free":
                self.linear += [(q + k, v + k) for k in range(3)]
                self.rotations.append((q + 3, v + 3))
            elif kind == "spherical":
                self.rotations.append((q, v))
            elif kind != "fixed":
                self.linear.append((q, v))
            width, dof = ROTATION_WIDTH.get(kind, (0, 0) if kind == "fixed" else (1, 1))
            q, v = q + width, v + dof
        self.nq, self.nv = q, v
        self.dof_of = dict(self.linear)  # of a coordinate that is a length or an angle
        self.rotation_of = {first + k: (first, dof) for first, dof in self.rotations for k in range(4)}
        self.time_step = float(world.time_step)

    def joints_of(self, name: str) -> dict[str, int]:
        """Return the joints of an object that are one number, and their places among its coordinates."""
        first = next(q.start for own, q, _ in self.objects if own == name)
        names = {at: label for label, at in self.coordinates.items()}
        return {
            names[at].removeprefix(f"{name}/"): at - first
            for at, _ in self.linear
            if names[at].startswith(f"{name}/") and names[at] in self.dofs
        }

    def state_of(self, world: World) -> tuple[np.ndarray, np.ndarray]:
        """Return coordinates (nq,) and velocities (nv,) of a world, copies."""
        q, v = np.empty(self.nq), np.empty(self.nv)
        for name, at_q, at_v in self.objects:
            part = world[name]
            q[at_q] = part.generalized_coordinate
            v[at_v] = part.generalized_velocity
        return q, v

    def normalized(self, q: np.ndarray) -> np.ndarray:
        """Return coordinates (…, nq) whose quaternions have the length 1.

        Raises:
            ValueError: A quaternion is 0.
        """
        made = np.array(q, float)
        for first, _ in self.rotations:
            size = np.linalg.norm(made[..., first : first + 4], axis=-1, keepdims=True)
            if not (size > 0.0).all():
                raise ValueError(f"q has a quaternion of length 0 from number {first} on")
            made[..., first : first + 4] /= size
        return made

    def plus(self, q: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Return coordinates (n, nq) moved by changes (n, nv)."""
        made = np.array(np.broadcast_to(q, (len(change), self.nq)))
        for at, dof in self.linear:
            made[:, at] += change[:, dof]
        for first, dof in self.rotations:
            turn = of_rotation_vector(change[:, dof : dof + 3])
            made[:, first : first + 4] = product(turn, made[:, first : first + 4])
        return made

    def minus(self, end: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Return the change (n, nv) that leads from coordinates (n, nq) to others."""
        made = np.zeros((len(end), self.nv))
        for at, dof in self.linear:
            made[:, dof] = end[:, at] - start[:, at]
        for first, dof in self.rotations:
            rows = slice(first, first + 4)
            made[:, dof : dof + 3] = rotation_vector(end[:, rows], start[:, rows])
        return made


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return products a b of quaternions (…, 4), w first."""
    w, x, y, z = np.moveaxis(a, -1, 0)
    s, i, j, k = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            w * s - x * i - y * j - z * k,
            w * i + x * s + y * k - z * j,
            w * j - x * k + y * s + z * i,
            w * k + x * j - y * i + z * s,
        ],
        axis=-1,
    )


def of_rotation_vector(turn: np.ndarray) -> np.ndarray:
    """Return unit quaternions (…, 4) of rotation vectors (…, 3) [rad]."""
    half = 0.5 * np.linalg.norm(turn, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * turn], axis=-1)


def rotation_vector(end: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the rotation vectors (…, 3) [rad], at most π long, that lead from quaternions to others."""
    back = start * np.array([1.0, -1.0, -1.0, -1.0])
    turn = product(end, back)
    turn = np.where(turn[..., :1] < 0.0, -turn, turn)
    sine = np.linalg.norm(turn[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, turn[..., :1])
    return np.asarray(turn[..., 1:] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 2.0))
