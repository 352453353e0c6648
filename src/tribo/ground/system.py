"""A model on a ground as one system of ordinary differential equations: y, its rate, its events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.ground.law import Ground
from tribo.ground_kernels import flow
from tribo.ground_kernels.records import Scratch, Tree
from tribo.spatial.embed import Body, embedded, gravity
from tribo.spatial.floating import BASE, check_floating
from tribo.spatial.model import GroundContact, Model, check_points

Torque = Callable[[float, "Coordinates"], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """Where a model is and how it moves, as a torque function sees it."""

    xfb: np.ndarray  # (13,) floating base, see `tribo.spatial.FDfb`; empty with a fixed base
    q: np.ndarray  # (n,) joint variables; without those of a floating base
    qd: np.ndarray  # (n,)


class System:
    """A model on a ground, as an integrator sees it.

    y holds, one after another: the 13 numbers of a floating base, q, qd, u (one point after another) and
    the work that the ground has taken up [J].
    """

    def __init__(self, model: Model, ground: Ground, *, floats: bool, tau: Any = None) -> None:
        """Copy a model and a ground into arrays; later changes of either are not seen."""
        gc = check_points(model)
        if floats:
            check_floating(model, "simulate with xfb")
        self.model, self.ground, self.floats = model, ground, floats
        parts = embedded(model, floats=floats)
        self.points = len(gc.body)
        self.joints = len(parts) - floats
        self.tangents = model.dimension - 1
        sizes = {"body": len(parts), "joint": self.joints, "point": self.points}
        self.tree, self.work = Tree.allocate(sizes), Scratch.allocate(sizes)
        self._fill(parts, gc)
        self.first_u = 13 * floats + 2 * self.joints
        self.size = self.first_u + self.points * self.tangents + 1
        self._torque: Torque | None = tau if callable(tau) else None
        if tau is not None and not callable(tau):
            self.tree.tau[:] = check.vector(np.ravel(np.asarray(tau, float)), "tau", self.joints)

    def _fill(self, parts: list[Body], gc: GroundContact) -> None:
        tree, model = self.tree, self.model
        first = BASE if self.floats else 0
        tree.is_floating, tree.up = int(self.floats), self.tangents
        tree.gravity[:] = gravity(model)
        for i, part in enumerate(parts):
            tree.body_parent[i], tree.body_mass[i] = part.parent, part.mass
            tree.body_com[i] = part.com
            inertia = part.inertia
            tree.body_inertia[i] = [*inertia.diagonal(), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
            tree.joint_pos[i], tree.joint_rot[i] = part.position, part.rotation.ravel()
            tree.joint_axis[i] = part.axis
            tree.joint_turn[i], tree.joint_slide[i] = part.turn, part.slide
        owners = np.array(gc.body) - first
        if (owners < 0).any():
            k = int(np.argmin(owners))
            raise ValueError(
                f"gc.body[{k}] = {gc.body[k]} is a massless body below the floating base; use {BASE} or more"
            )
        tree.point_body[:] = owners
        tree.point_pos[:, : model.dimension] = gc.point.T
        tree.point_K[:], tree.point_D[:], tree.point_mu[:] = self.ground.numbers(self.points)

    # -- between the user's arrays and y -----------------------------------------------------------
    def pack(self, xfb: Any, q: Any, qd: Any, u: Any) -> np.ndarray:
        """Return y; what is None is zero.

        Raises:
            ValueError: A part has the wrong length or is not finite, or a joint of the base is missing.
        """
        n = self.joints
        parts = [
            np.zeros(n) if a is None else check.vector(np.ravel(np.asarray(a, float)), name, n)
            for a, name in ((q, "q"), (qd, "qd"))
        ]
        if self.floats:
            base = check.vector(np.ravel(np.asarray(xfb, float)), "xfb", 13)
            base[:4] = check.quaternion(base[:4], "the quaternion of xfb")
            parts.insert(0, base)
        shape = (self.tangents, self.points)
        u = np.zeros(shape) if u is None else np.asarray(u, float)
        if u.size != self.tangents * self.points or not np.isfinite(u).all():
            raise ValueError(f"u must be {shape} finite numbers, got shape {u.shape}")
        return np.concatenate([*parts, u.reshape(shape).T.ravel(), [0.0]])

    def coordinates(self, y: np.ndarray) -> Coordinates:
        """Return y in parts; a view."""
        a, n = 13 * self.floats, self.joints
        return Coordinates(y[:a], y[a : a + n], y[a + n : a + 2 * n])

    # -- for the integrator ------------------------------------------------------------------------
    def rate(self, time: float, y: np.ndarray) -> np.ndarray:
        """Return dy/dt with every point in its state."""
        if self._torque is not None:
            tau = np.asarray(self._torque(time, self.coordinates(y)), float)
            if tau.shape != (self.joints,):
                raise ValueError(f"tau(t, state) must return shape ({self.joints},), got {tau.shape}")
            self.tree.tau[:] = tau
        out = np.empty(self.size)
        flow.rate(self.tree, self.work, np.ascontiguousarray(y), out)
        return out

    @property
    def states(self) -> np.ndarray:
        """States in which the points are continued, (n,) integers of `ContactState`; a copy."""
        return np.array(self.tree.point_state)

    def enter(self, states: np.ndarray) -> None:
        """Continue the points in other states."""
        self.tree.point_state[:] = states

    def classify(self, y: np.ndarray) -> np.ndarray:
        """Return the states in which the law puts the points."""
        states = np.zeros(self.points, np.int64)
        flow.classify(self.tree, self.work, y, states)
        return states

    def margins(self, samples: np.ndarray) -> np.ndarray:
        """Return how far the points are from leaving their states, (k, n), for rows y (k, size)."""
        out = np.empty((len(samples), self.points))
        flow.state_margins(self.tree, self.work, np.ascontiguousarray(samples), out)
        return out

    # -- for those who read results ----------------------------------------------------------------
    def observe(self, samples: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return positions, velocities and forces, (k, dimension, n) each, for rows y and states."""
        arrays = [np.empty((len(samples), self.points, 3)) for _ in range(3)]
        flow.observe(self.tree, self.work, np.ascontiguousarray(samples), states, *arrays)
        n = self.model.dimension
        return tuple(np.swapaxes(a[..., :n], 1, 2) for a in arrays)  # type: ignore[return-value]

    def energies(self, samples: np.ndarray) -> np.ndarray:
        """Return kinetic and potential energy (k, 2) [J] for rows y."""
        out = np.empty((len(samples), 2))
        flow.energies(self.tree, self.work, np.ascontiguousarray(samples), out)
        return out

    def poses(self, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (k, bodies, 3) and axes (k, bodies, 3, 3) of all bodies for rows y.

        With a floating base, bodies count from it; planar models lie in the plane z = 0.
        """
        count = len(self.tree.body_parent)
        positions, rotations = (np.empty((len(samples), count, 3)), np.empty((len(samples), count, 3, 3)))
        flow.write_poses(self.tree, self.work, np.ascontiguousarray(samples), positions, rotations)
        return positions, rotations
