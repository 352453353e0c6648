"""A robot here and in Pinocchio, quantity by quantity: what a test asserts and a table shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
import reference
from pinocchio_peer import Peer, random_states

import tribo
from tribo.description.trees import DescriptionError
from tribo.formats import urdf
from tribo.model import Joint

GRAVITY = (0.3, -0.2, -9.81)
RTOL = 1e-10
FRAME_STATES, FRAMES = 5, 30  # of each robot at most; frames are many and alike
WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
FRAME_TYPES = (pin.FrameType.JOINT, pin.FrameType.FIXED_JOINT, pin.FrameType.BODY)


class Case(NamedTuple):
    """A robot, its peer, states (q, v, v̇) and random numbers."""

    robot: tribo.ArticulatedSystem
    peer: Peer
    states: tuple[np.ndarray, np.ndarray, np.ndarray]
    rng: np.random.Generator


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


def each(case: Case) -> Iterator[tuple[Any, ...]]:
    """Yield for every state: number, Pinocchio's q, v, v̇, and T, Ṫ."""
    _, peer, (q, v, vdot), _ = case
    for k in range(len(q)):
        t, rate = peer.turn(q[k]), peer.turn_rate(q[k], v[k])
        yield k, peer.coordinates(q[k]), t @ v[k], t @ vdot[k] + rate @ v[k], t, rate


def forces_and_accelerations(case: Case) -> Iterator[Difference]:
    """M, M⁻¹, h, weight, C, inverse dynamics, and forward dynamics by both ways."""
    robot, peer, (q, v, vdot), _ = case
    model, data = peer.model, peer.data
    if model.nv == 0:
        return
    at = robot.at(q, v)
    m, inverse, h, g = at.mass_matrix, at.inverse_mass_matrix, at.bias_force, at.gravity_force
    c, tau = at.coriolis_matrix, at.inverse_dynamics(vdot)
    forward, solved = at.forward_dynamics(tau), at.solve_mass_matrix(tau - h)
    back = at.inverse_dynamics(forward)
    for k, p, pv, pa, t, rate in each(case):
        expected = pin.crba(model, data, p)
        expected = np.triu(expected) + np.triu(expected, 1).T
        yield Difference(m[k], t.T @ expected @ t, "M")
        eigenvalues = np.linalg.eigvalsh(m[k])
        loose = max(RTOL, 4 * 2.0**-53 * eigenvalues[-1] / eigenvalues[0])
        yield Difference(pin.rnea(model, data, p, pv, rate @ v[k]), t @ h[k], "h")
        yield Difference(t @ g[k], pin.computeGeneralizedGravity(model, data, p), "weight")
        yield Difference(t @ tau[k], pin.rnea(model, data, p, pv, pa), "inverse dynamics")
        cp = pin.computeCoriolisMatrix(model, data, p, pv)
        yield Difference(c[k], t.T @ cp @ t + t.T @ expected @ rate, "C")
        theirs = t.T @ (pin.aba(model, data, p, pv, t @ tau[k]) - rate @ v[k])
        yield Difference(forward[k], theirs, "forward dynamics", loose)
        yield Difference(back[k], tau[k], "inverse of forward dynamics")
        yield Difference(solved[k], theirs, "forward dynamics via M", loose)
        inv = pin.computeMinverse(model, data, p)
        inv = np.triu(inv) + np.triu(inv, 1).T
        yield Difference(inverse[k], t.T @ inv @ t, "M⁻¹", loose)


def energies_and_momenta(case: Case) -> Iterator[Difference]:
    """Without the base of a fixed robot, which Pinocchio leaves out."""
    robot, peer, (q, v, _), _ = case
    model, data = peer.model, peer.data
    at = robot.at(q, v)
    kinetic, potential, p, mass = (
        at.kinetic_energy, at.potential_energy, at.linear_momentum, at.mass
    )  # fmt: skip
    centre, inertia, matrix = (
        at.com_position, at.composite_inertia, at.centroidal_momentum_matrix
    )  # fmt: skip
    base = robot.description.bodies[0]
    m0 = base.mass if base.joint.type == Joint.FIXED else 0.0
    c0 = np.array(base.com)
    for k, pq, pv, _, t, _ in each(case):
        pin.computeAllTerms(model, data, pq, pv)
        yield Difference(kinetic[k], pin.computeKineticEnergy(model, data, pq, pv), "kinetic energy")
        moving = mass[k] - m0
        yield Difference(moving, pin.computeTotalMass(model), "mass", least=m0)
        if moving <= 1e-9 * mass[k]:
            continue
        expected = pin.computePotentialEnergy(model, data, pq)
        yield Difference(potential[k] + m0 * c0 @ GRAVITY, expected, "potential energy", least=10 * mass[k])
        com = pin.centerOfMass(model, data, pq)
        yield Difference(mass[k] * centre[k] - m0 * c0, moving * com, "centre", least=mass[k])
        hg = pin.computeCentroidalMomentum(model, data, pq, pv)
        size = np.abs(hg.np).max() + moving * np.abs(com).max()
        yield Difference(p[k], hg.linear, "linear momentum", least=size)
        about = robot.at(q[k], v[k]).angular_momentum_about(com)
        yield Difference(about, hg.angular, "angular momentum", least=size)
        pin.ccrba(model, data, pq, pv)
        ag = data.Ag.copy() @ t
        ag[3:] -= reference.skew(centre[k] - com) @ ag[:3]  # to the centre of all masses
        yield Difference(matrix[k], ag, "centroidal momentum matrix", least=mass[k])
        if m0 == 0.0:
            yield Difference(inertia[k], data.Ig.inertia, "composite inertia")


def frames(case: Case) -> Iterator[Difference]:
    """Pose, velocity, acceleration, Jacobian and its derivative of every frame, at a random point."""
    robot, peer, (q, v, vdot), rng = case
    model, data = peer.model, peer.data
    count = min(len(q), FRAME_STATES)
    names = {frame.name for frame in model.frames}
    named = [robot.frame(name) for name in robot.frame_names if name in names]
    assert len(named) > 0.5 * len(model.frames) - 2
    if len(named) > FRAMES:
        named = [named[k] for k in rng.choice(len(named), FRAMES, replace=False)]
    found_of = {}
    for frame in named:
        at = robot.at(q[:count], v[:count], vdot[:count]).frame(frame.name)
        found_of[frame.name] = (
            at.position, at.rotation_matrix, at.linear_velocity, at.angular_velocity,
            at.linear_acceleration, at.angular_acceleration, at.jacobian(),
            at.rotational_jacobian(), at.jacobian_rate(), at.rotational_jacobian_rate(),
        )  # fmt: skip
    for k, p, pv, pa, t, rate in each(case):
        if k == count:
            break
        pin.forwardKinematics(model, data, p, pv, pa)
        pin.updateFramePlacements(model, data)
        pin.computeJointJacobiansTimeVariation(model, data, p, pv)
        for name, found in found_of.items():
            number = next(
                model.getFrameId(name, kind) for kind in FRAME_TYPES if model.existFrame(name, kind)
            )
            place = data.oMf[number]
            velocity = pin.getFrameVelocity(model, data, number, WORLD)
            acceleration = pin.getFrameClassicalAcceleration(model, data, number, WORLD)
            j = pin.getFrameJacobian(model, data, number, WORLD)
            jdot = pin.getFrameJacobianTimeVariation(model, data, number, WORLD)
            jdot = jdot @ t + j @ rate
            j = j @ t
            expected = (
                place.translation, place.rotation, velocity.linear, velocity.angular,
                acceleration.linear, acceleration.angular, j[:3], j[3:], jdot[:3], jdot[3:],
            )  # fmt: skip
            for one, other in zip(found, expected, strict=True):
                yield Difference(one[k], other, "frames", least=1.0)


def joint_reactions(case: Case) -> Iterator[Difference]:
    """Force and torque between parent and child, about the child's origin."""
    robot, peer, (q, v, vdot), _ = case
    model, data = peer.model, peer.data
    if model.nv == 0:
        return
    reaction = robot.at(q, v, vdot).joint_reactions()
    for k, p, pv, pa, _, _ in each(case):
        pin.rnea(model, data, p, pv, pa)
        pin.forwardKinematics(model, data, p)
        for body, number in enumerate(peer.joint):
            if number == 0:
                continue
            r = data.oMi[number].rotation
            expected = [*(r @ data.f[number].angular), *(r @ data.f[number].linear)]
            yield Difference(reaction[k, body], expected, "joint reactions", least=1e-3)


ALL = (forces_and_accelerations, energies_and_momenta, frames, joint_reactions)


def compare(file: Path, states: int) -> Iterator[Difference]:
    """Yield all quantities of a robot in random states.

    Nothing for a file that does not load, or has an inertia below zero, which tribo replaces with a word.
    """
    try:
        tree = urdf.read(file)
    except DescriptionError:
        return
    robot = tribo.World(gravity=GRAVITY).add_articulated_system(tree, collision_meshes="none")
    rng = np.random.default_rng(len(file.name))
    peer = Peer(file, tree, GRAVITY)
    if not peer.is_physical:
        return
    case = Case(robot, peer, random_states(tree, rng, states), rng)
    for quantities in ALL:
        yield from quantities(case)
