"""The same robot in Pinocchio, read from the same URDF by Pinocchio's own reader, and states for both.

Pinocchio's base velocities are in body axes, and its joints stand in an order of their own:
v_pin = T(q) v, τ = Tᵀ τ_pin, v̇_pin = T v̇ − (Rᵀ (ω × v), 0, …).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import reference

from tribo.description.trees import TreeDescription
from tribo.model import Joint

DOFS = {Joint.FIXED: 0, Joint.REVOLUTE: 1, Joint.PRISMATIC: 1, Joint.SPHERICAL: 3, Joint.FREE: 6}
COORDINATES = {**DOFS, Joint.SPHERICAL: 4, Joint.FREE: 7}


def random_states(
    tree: TreeDescription, rng: np.random.Generator, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return random q, v, v̇ of a robot, (count, ·)."""
    columns = []
    for body in tree.bodies:
        kind = body.joint.type
        if kind == Joint.FREE:
            columns.append(rng.normal(size=(count, 3)))
        if kind in (Joint.FREE, Joint.SPHERICAL):
            x = rng.normal(size=(count, 4))
            columns.append(x / np.linalg.norm(x, axis=1)[:, None])
        elif kind != Joint.FIXED:
            columns.append(rng.uniform(-2.0, 2.0, (count, 1)))
    q = np.concatenate(columns, axis=1)
    nv = sum(DOFS[body.joint.type] for body in tree.bodies)
    return q, rng.normal(size=(count, nv)), rng.normal(size=(count, nv))


def without_idle_joints(model: Any, names: set[str]) -> Any:
    """Return a model without the joints that are not named: tribo holds those that move no mass."""
    idle = [k for k, name in enumerate(model.names) if name not in names]
    for k in idle:
        assert all(model.inertias[i].mass == 0.0 for i in model.subtrees[k]), model.names[k]
    return pin.buildReducedModel(model, idle, pin.neutral(model)) if idle else model


class Peer:
    """A robot in Pinocchio."""

    def __init__(self, file: Path, tree: TreeDescription, gravity: Any) -> None:
        """Read a URDF; `tree` says how the same robot looks here."""
        self.is_floating = tree.bodies[0].joint.type == Joint.FREE
        root = (pin.JointModelFreeFlyer(),) if self.is_floating else ()
        names = {"universe", "root_joint", *(body.joint.name for body in tree.bodies)}
        self.model = without_idle_joints(pin.buildModelFromUrdf(str(file), *root), names)
        self.model.gravity.linear = np.asarray(gravity, float)
        self.data = self.model.createData()
        self.joint = []  # Pinocchio's number of every body's joint
        for k, body in enumerate(tree.bodies):
            name = body.joint.name if k > 0 else "root_joint" if self.is_floating else "universe"
            number = self.model.getJointId(name)
            assert number < self.model.njoints, name
            self.joint.append(number)
            dofs = DOFS[body.joint.type]
            assert self.model.joints[number].nv == dofs or number == 0, name
            for dof in range(dofs):
                self.model.armature[self.model.joints[number].idx_v + dof] = body.joint.armature
        self.widths = [(COORDINATES[b.joint.type], DOFS[b.joint.type]) for b in tree.bodies]
        self.order = np.concatenate(
            [
                self.model.joints[number].idx_v + np.arange(dofs)
                for number, (_, dofs) in zip(self.joint, self.widths, strict=True)
            ]
        ).astype(int)  # Pinocchio's number of every dof
        assert len(self.order) == self.model.nv

    @property
    def is_physical(self) -> bool:
        """Whether bodies exist that have the inertias of the file; tribo takes others instead of those."""
        return all(np.linalg.eigvalsh(body.inertia)[0] >= 0.0 for body in self.model.inertias)

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """Return Pinocchio's coordinates of a state."""
        out, first = np.zeros(self.model.nq), 0
        for number, (width, _) in zip(self.joint, self.widths, strict=True):
            own = q[first : first + width]
            first += width
            if width == 0:
                continue
            joint = self.model.joints[number]
            if width == 7:
                own = np.array([*own[:3], *own[4:], own[3]])
            elif joint.nq == 2:
                own = np.array([np.cos(own[0]), np.sin(own[0])])
            out[joint.idx_q : joint.idx_q + joint.nq] = own
        return out

    def turn(self, q: np.ndarray) -> np.ndarray:
        """Return T of v_pin = T v."""
        t = np.zeros((self.model.nv, self.model.nv))
        t[self.order, np.arange(self.model.nv)] = 1.0
        if self.is_floating:
            r = reference.rotation_of(q[3:7])
            t[self.order[:6]] = 0.0
            t[self.order[:3], :3] = r.T
            t[self.order[3:6], 3:6] = r.T
        return t

    def turn_rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return Ṫ: the base's body axes turn with it."""
        rate = np.zeros((self.model.nv, self.model.nv))
        if self.is_floating:
            r = reference.rotation_of(q[3:7])
            rate[self.order[:3], :3] = -r.T @ reference.skew(v[3:6])
            rate[self.order[3:6], 3:6] = -r.T @ reference.skew(v[3:6])
        return rate
