"""MuJoCo's bodies and what its `cinert`, `cvel` and `cfrc_ext` say of them, for observations.

A body of the file without joints is a part of its parent here, and one with several joints a chain of bodies
without mass that ends in it. All vectors are in world axes; moments and velocities are about the centre of
mass of the robot (https://mujoco.readthedocs.io/en/stable/APIreference/APItypes.html, mjData).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.description.trees import TreeDescription
from tribo.gym.simulation import Simulation
from tribo.model import Joint
from tribo.objects.states import SIX


class Bodies:
    """MuJoCo's bodies of a robot, in the order of the file.

    Args:
        description: Of the robot, which floats; its other joints are hinges.
        robot: Its name.
    """

    def __init__(self, description: TreeDescription, robot: str) -> None:
        self.robot = robot
        names, of, masses, coms, inertias = [], [], [], [], []
        for number, body in enumerate(description.bodies):
            own = [part for part in description.parts if part.body == number]
            parts: list[Any] = [*own] or ([body] if body.mass else [])
            for part in parts:
                link = getattr(part, "link", "")
                names.append(link or body.name)
                of.append(number)
                masses.append(part.mass)
                coms.append(part.com)
                inertias.append(part.inertia)
        self.names = names
        self.body = np.array(of)
        self.mass, self.com = np.array(masses), np.array(coms)
        self.inertia = np.array(inertias)
        self.parents = [body.parent for body in description.bodies]
        joints = [body.joint for body in description.bodies[1:]]
        assert all(joint.type == Joint.REVOLUTE for joint in joints)
        self.axes = np.array([joint.axis for joint in joints])
        at = {name: k for k, name in enumerate(names)}
        self.shape_body = np.array(
            [at[shape.link or body.name] for body in description.bodies for shape in body.shapes]
        )

    def poses(self, sim: Simulation) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (worlds, n, 3) [m] and rotations (worlds, n, 3, 3) of the links of the robot."""
        found: tuple[np.ndarray, np.ndarray] = sim.once(
            f"poses of {self.robot}", sim.object(self.robot).body_poses
        )
        return found

    def centres(self, sim: Simulation) -> np.ndarray:
        """Return the centres of mass of the bodies, (worlds, n, 3) [m]."""
        place, turn = self.poses(sim)
        return np.asarray(place[:, self.body] + _turn(turn[:, self.body], self.com))

    def centre(self, sim: Simulation) -> np.ndarray:
        """Return the centre of mass of the robot, (worlds, 3) [m]."""
        return _mean(self.mass, self.centres(sim))

    def inertias(self, sim: Simulation) -> np.ndarray:
        """Return `cinert`, (worlds, n · 10): moments [kg m²], mass · offset [kg m], mass [kg]."""
        turn = self.poses(sim)[1][:, self.body]
        offset = self.centres(sim) - self.centre(sim)[:, None]
        # R I Rᵀ, entry by entry: products of matrices by BLAS depend on how many there are
        half = sum(turn[..., :, k, None] * self.inertia[:, None, k, :] for k in range(3))
        whole: Any = sum(half[..., :, k, None] * turn[..., None, :, k] for k in range(3))
        square = (offset**2).sum(axis=2)
        far = square[..., None, None] * np.eye(3) - offset[..., :, None] * offset[..., None, :]
        moments = whole + self.mass[:, None, None] * far
        mass = np.broadcast_to(self.mass[:, None], (*offset.shape[:2], 1))
        parts = [moments[..., SIX[0], SIX[1]], mass * offset, mass]
        return np.concatenate(parts, axis=2).reshape(len(sim), -1)

    def velocities(self, sim: Simulation) -> np.ndarray:
        """Return `cvel`, (worlds, n · 6): angular velocity [rad/s], velocity at the robot's centre [m/s]."""
        place, turn = self.poses(sim)
        v = sim.object(self.robot).generalized_velocity
        spin, speed = [v[:, 3:6]], [v[:, :3]]
        for k, parent in enumerate(self.parents[1:], 1):
            axis = _turn(turn[:, k : k + 1], self.axes[k - 1 : k])[:, 0]
            spin.append(spin[parent] + axis * v[:, 5 + k, None])
            speed.append(speed[parent] + np.cross(spin[parent], place[:, k] - place[:, parent]))
        angular = np.stack(spin, axis=1)[:, self.body]
        arm = self.centre(sim)[:, None] - place[:, self.body]
        linear = np.stack(speed, axis=1)[:, self.body] + np.cross(angular, arm)
        return np.concatenate([angular, linear], axis=2).reshape(len(sim), -1)

    def contact_wrenches(self, sim: Simulation) -> np.ndarray:
        """Return `cfrc_ext` of contacts, (worlds, n, 6) [N m, N]; 0 before the first step of an episode."""
        of_shapes = sim.object(self.robot).contact_wrenches(self.centre(sim))
        made = np.zeros((len(sim), len(self.names), 6))
        for shape, body in enumerate(self.shape_body):
            made[:, body] += of_shapes[:, shape]
        made[sim.is_new] = 0.0
        return made


def _turn(turn: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return R v for rotations (worlds, n, 3, 3) and vectors (n, 3)."""
    return np.asarray((turn * vectors[:, None, :]).sum(axis=3))


def _mean(mass: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the mean of places (worlds, n, 3) weighted by masses (n,), added in order."""
    total = np.zeros((len(places), 3))
    for k, weight in enumerate(mass):
        total += weight * places[:, k]
    return np.asarray(total / mass.sum())
