"""A scene here and in MuJoCo, read by both from the same MJCF, quantity by quantity.

MuJoCo's angular velocities of free and ball joints are in the axes of the body, ours in those of the
world and of the parent: v_mj = T(q) v, τ = Tᵀ τ_mj, and Ṫ v = 0 since ω × ω = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
import reference

import tribo

RTOL = 1e-9
OFF = (
    mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    | mujoco.mjtDisableBit.mjDSBL_SPRING | mujoco.mjtDisableBit.mjDSBL_DAMPER
)  # fmt: skip
FRAME_STATES = 10


class Difference(NamedTuple):
    """Something found by both; `least`: below it the largest entry counts as zero."""

    found: Any
    expected: Any
    what: str
    allowed: float = RTOL
    least: float = 1e-9

    @property
    def relative(self) -> float:
        """Difference relative to the largest entry."""
        return reference.relative_difference(self.found, self.expected, self.least)


@dataclass
class Twin:
    """A robot, and where its joints and bodies are in MuJoCo's model."""

    robot: tribo.ArticulatedSystem
    joints: list[int]
    root: int

    def slices(self, model: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the entries of its coordinates and dofs in MuJoCo's."""
        nq, nv = {0: 7, 1: 4, 2: 1, 3: 1}, {0: 6, 1: 3, 2: 1, 3: 1}
        q = [model.jnt_qposadr[j] + np.arange(nq[model.jnt_type[j]]) for j in self.joints]
        v = [model.jnt_dofadr[j] + np.arange(nv[model.jnt_type[j]]) for j in self.joints]
        return np.concatenate(q), np.concatenate(v)

    def turn(self, model: Any, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return T and Ṫ of v_mj = T v."""
        size = sum({0: 6, 1: 3}.get(int(model.jnt_type[j]), 1) for j in self.joints)
        turn, rate, at = np.eye(size), np.zeros((size, size)), 0
        for j in self.joints:
            kind, a, d = int(model.jnt_type[j]), model.jnt_qposadr[j], model.jnt_dofadr[j]
            if kind in (0, 1):
                skip = 3 if kind == 0 else 0
                r = reference.rotation_of(qpos[a + skip : a + skip + 4])
                own = slice(at + skip, at + skip + 3)
                turn[own, own] = r.T
                rate[own, own] = -reference.skew(qvel[d + skip : d + skip + 3]) @ r.T
            at += {0: 6, 1: 3}.get(kind, 1)
        return turn, rate


class Scene:
    """A file in both engines, constraints, actuators and passive forces of MuJoCo switched off."""

    def __init__(self, source: str | Path) -> None:
        """Read it."""
        text = isinstance(source, str) and source.lstrip().startswith("<")
        make = mujoco.MjModel.from_xml_string if text else mujoco.MjModel.from_xml_path
        self.world = tribo.World()
        objects = self.world.load_mjcf(source)
        self.model = make(str(source))
        self.model.opt.disableflags |= int(OFF)
        self.reads_springs = "springdamper" not in (source if text else Path(source).read_text())
        self.data = mujoco.MjData(self.model)
        joints: dict[int, list[int]] = {}
        for j in range(self.model.njnt):
            joints.setdefault(int(self.model.body_rootid[self.model.jnt_bodyid[j]]), []).append(j)
        robots = [item for item in objects if isinstance(item, tribo.ArticulatedSystem)]
        robots = [robot for robot in robots if robot.body_type == tribo.DYNAMIC]
        assert len(robots) == len(joints)
        self.twins = [Twin(r, own, root) for r, (root, own) in zip(robots, joints.items(), strict=True)]

    def states(self, count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return random qpos, qvel and qacc of MuJoCo."""
        rng = np.random.default_rng(seed)
        q = rng.uniform(-2.0, 2.0, (count, self.model.nq))
        for j in range(self.model.njnt):
            kind, a = int(self.model.jnt_type[j]), int(self.model.jnt_qposadr[j])
            if kind in (0, 1):
                a += 3 if kind == 0 else 0
                q[:, a : a + 4] = rng.normal(size=(count, 4))
                q[:, a : a + 4] /= np.linalg.norm(q[:, a : a + 4], axis=1)[:, None]
        return q, rng.normal(size=(count, self.model.nv)), rng.normal(size=(count, self.model.nv))

    def differences(self, count: int) -> Iterator[Difference]:
        """Compare all robots in random states."""
        qpos, qvel, qacc = self.states(count)
        for twin in self.twins:
            yield from self._robot(twin, qpos, qvel, qacc)

    def _robot(
        self, twin: Twin, qpos: np.ndarray, qvel: np.ndarray, qacc: np.ndarray
    ) -> Iterator[Difference]:
        m, d, robot = self.model, self.data, twin.robot
        iq, iv = twin.slices(m)
        turns = [twin.turn(m, p, w) for p, w in zip(qpos, qvel, strict=True)]
        v = np.array([np.linalg.solve(t, w[iv]) for (t, _), w in zip(turns, qvel, strict=True)])
        a = np.array([np.linalg.solve(t, x[iv]) for (t, _), x in zip(turns, qacc, strict=True)])
        at = robot.at(qpos[:, iq], v)
        mass, h, tau = at.mass_matrix, at.bias_force, at.inverse_dynamics(a)
        forward, kinetic, potential = (at.forward_dynamics(tau), at.kinetic_energy, at.potential_energy)
        total, centre = at.mass, at.com_position
        frames = _frames(robot, m, twin.root)
        count = min(len(qpos), FRAME_STATES)
        near = robot.at(qpos[:count, iq], v[:count], a[:count])
        for k, (t, _) in enumerate(turns):
            d.qpos, d.qvel, d.qacc = qpos[k], qvel[k], qacc[k]
            mujoco.mj_forward(m, d)
            full = np.zeros((m.nv, m.nv))
            for dof in range(m.nv):  # mj_fullM has other arguments in MuJoCo 3
                mujoco.mj_mulM(m, d, full[dof], np.eye(m.nv)[dof])
            own = full[np.ix_(iv, iv)]
            yield Difference(mass[k], t.T @ own @ t, "M")
            yield Difference(h[k], t.T @ d.qfrc_bias[iv], "h")
            d.qacc = qacc[k]
            mujoco.mj_inverse(m, d)
            expected = d.qfrc_inverse[iv].copy()
            yield Difference(tau[k], t.T @ expected, "inverse dynamics")
            d.qfrc_applied[iv] = expected
            mujoco.mj_forward(m, d)
            loose = max(RTOL, 4 * 2.0**-53 * np.linalg.cond(own))
            yield Difference(forward[k], np.linalg.solve(t, d.qacc[iv]), "forward dynamics", loose)
            kin = 0.5 * qvel[k][iv] @ own @ qvel[k][iv]
            yield Difference(kinetic[k], kin, "kinetic energy", least=1e-6)
            weight = float(m.body_subtreemass[twin.root])
            com = d.subtree_com[twin.root]
            yield Difference(total[k], weight, "mass")
            yield Difference(centre[k], com, "centre of mass", least=1.0)
            lift = -weight * (self.world.gravity @ com) + self._springs(twin, qpos[k])
            if self.reads_springs:
                yield Difference(potential[k], lift, "potential energy", least=weight)
        for name, kind, number in frames:
            frame = near.frame(name)
            found = (
                frame.position, frame.rotation_matrix, frame.linear_velocity, frame.angular_velocity,
                frame.jacobian(), frame.rotational_jacobian(),
                frame.jacobian_rate(), frame.rotational_jacobian_rate(),
            )  # fmt: skip
            for k in range(count):
                d.qpos, d.qvel = qpos[k], qvel[k]
                mujoco.mj_forward(m, d)
                for one, other in zip(found, self._frame(twin, turns[k], kind, number), strict=True):
                    yield Difference(one[k], other, "frames", least=1.0)
            passed = frame.reaction()
            for k in range(count):
                d.qpos, d.qvel, d.qacc = qpos[k], qvel[k], qacc[k]
                mujoco.mj_inverse(m, d)
                mujoco.mj_rnePostConstraint(m, d)
                yield Difference(passed[k], self._reaction(kind, number), "reactions", least=1.0)

    def _springs(self, twin: Twin, qpos: np.ndarray) -> float:
        """Return the energy of the springs of hinges, slides and balls.   ½ k ‖q ⊖ q₀‖²"""
        m, energy = self.model, 0.0
        for j in twin.joints:
            a, kind = int(m.jnt_qposadr[j]), int(m.jnt_type[j])
            if kind == 0:
                continue
            away = np.zeros(3)
            if kind == 1:
                back = m.qpos_spring[a : a + 4] * (1, -1, -1, -1)
                turned = np.zeros(4)
                mujoco.mju_mulQuat(turned, back, qpos[a : a + 4])
                mujoco.mju_quat2Vel(away, turned, 1.0)
            else:
                away[0] = qpos[a] - m.qpos_spring[a]
            energy += 0.5 * m.jnt_stiffness[j] * float(away @ away)
        return energy

    def _frame(self, twin: Twin, turn: Any, kind: str, number: int) -> tuple[np.ndarray, ...]:
        """Return pose, velocity, Jacobian and its rate of a body or a site."""
        m, d = self.model, self.data
        t, rate = turn
        _, iv = twin.slices(m)
        position, rotation = (
            (d.xpos[number], d.xmat[number]) if kind == "body" else (d.site_xpos[number], d.site_xmat[number])
        )  # fmt: skip
        body = number if kind == "body" else int(m.site_bodyid[number])
        jp, jr, dp, dr = (np.zeros((3, m.nv)) for _ in range(4))
        mujoco.mj_jac(m, d, jp, jr, position, body)
        mujoco.mj_jacDot(m, d, dp, dr, position, body)
        v = d.qvel[iv]
        return (
            position.copy(), rotation.reshape(3, 3).copy(), jp[:, iv] @ v, jr[:, iv] @ v,
            jp[:, iv] @ t, jr[:, iv] @ t, dp[:, iv] @ t + jp[:, iv] @ rate,
            dr[:, iv] @ t + jr[:, iv] @ rate,
        )  # fmt: skip

    def _reaction(self, kind: str, number: int) -> np.ndarray:
        """Return torque about a body's or site's origin and force that its body receives from its parent."""
        m, d = self.model, self.data
        body = number if kind == "body" else int(m.site_bodyid[number])
        place = d.xpos[number] if kind == "body" else d.site_xpos[number]
        torque, force = d.cfrc_int[body, :3], d.cfrc_int[body, 3:]
        about = d.subtree_com[m.body_rootid[body]]
        return np.concatenate([torque + np.cross(about - place, force), force])


def _frames(robot: Any, m: Any, root: int) -> list[tuple[str, str, int]]:
    """Return the frames that both have: bodies and sites of the tree with names."""
    found = []
    for kind, count, where in (
        ("body", m.nbody, lambda k: k), ("site", m.nsite, lambda k: int(m.site_bodyid[k])),
    ):  # fmt: skip
        for k in range(count):
            name = getattr(m, kind)(k).name
            if name and name != "world" and m.body_rootid[where(k)] == root:
                named = f"{name} ({kind})"
                named = named if named in robot.frame_names else name
                assert named in robot.frame_names, name
                found.append((named, kind, k))
    return found
