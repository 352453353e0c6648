"""Every robot of example-robot-data that loads, in random states, against Pinocchio's own reading of it.

Two programs that sum the same products in another order differ by round-off. Relative to the largest entry
that is 1e-10 at most, except where M⁻¹ enlarges it: forward dynamics and M⁻¹ are compared to
1e-10 or 100 ε κ(M), whichever is larger.
"""

import importlib.metadata
import logging

import numpy as np
import pytest
import reference

import tribo
from tribo.description import DescriptionError
from tribo.formats import urdf
from tribo.jit import DISABLED
from tribo.model import Joint

pin = pytest.importorskip("pinocchio", reason="the peer, Pinocchio, is not installed")
try:
    importlib.metadata.distribution("example-robot-data")
except importlib.metadata.PackageNotFoundError:
    pytest.skip("the robots, example-robot-data, are not installed", allow_module_level=True)

from pinocchio_peer import Peer, random_states, robot_folder  # noqa: E402 - needs both

STATES = 2 if DISABLED else 100
GRAVITY = (0.3, -0.2, -9.81)
RTOL = 1e-10
WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
FILES = sorted(robot_folder().rglob("*.urdf"))
FRAME_TYPES = (pin.FrameType.JOINT, pin.FrameType.FIXED_JOINT, pin.FrameType.BODY)


def close(found, expected, what, tolerance=RTOL, least=1e-9):
    """Compare relative to the largest entry; `least`: below it an expected array counts as zero."""
    found, expected = np.asarray(found), np.asarray(expected)
    scale = max(float(np.abs(expected).max(initial=0.0)), least)
    error = float(np.abs(found - expected).max(initial=0.0)) / scale
    assert error <= tolerance, f"{what}: relative difference {error:.2g}"


@pytest.fixture(
    scope="module", params=FILES, ids=lambda f: f.relative_to(robot_folder()).as_posix()
)
def case(request):
    """Return robot, states and peer."""
    logging.getLogger("tribo").setLevel(logging.ERROR)
    try:
        tree = urdf.read(request.param)
    except DescriptionError as error:
        pytest.skip(f"does not load: {error}")
    robot = tribo.World(gravity=GRAVITY).add_articulated_system(tree)
    peer = Peer(request.param, robot.description, GRAVITY)
    rng = np.random.default_rng(len(request.param.name))
    states = random_states(robot.description, rng, STATES)
    return robot, peer, states, rng


def each(case):
    """Yield for every state: number, Pinocchio's q, v, v̇, and T, Ṫ."""
    _, peer, (q, v, vdot), _ = case
    for k in range(len(q)):
        t, rate = peer.turn(q[k]), peer.turn_rate(q[k], v[k])
        yield k, peer.coordinates(q[k]), t @ v[k], t @ vdot[k] + rate @ v[k], t, rate


def test_forces_and_accelerations(case):
    """M, M⁻¹, h, weight, C, inverse dynamics, and forward dynamics by both ways."""
    robot, peer, (q, v, vdot), _ = case
    model, data = peer.model, peer.data
    if model.nv == 0:
        pytest.skip("nothing moves")
    at = robot.at(q, v)
    m, inverse, h, g = at.mass_matrix, at.inverse_mass_matrix, at.bias_force, at.gravity_force
    c, tau = at.coriolis_matrix, at.inverse_dynamics(vdot)
    forward, solved = at.forward_dynamics(tau), at.solve_mass_matrix(tau - h)
    for k, p, pv, pa, t, rate in each(case):
        expected = pin.crba(model, data, p)
        expected = np.triu(expected) + np.triu(expected, 1).T
        close(m[k], t.T @ expected @ t, "M")
        eigenvalues = np.linalg.eigvalsh(m[k])
        loose = max(RTOL, 100 * 2.2e-16 * eigenvalues[-1] / eigenvalues[0])
        close(pin.rnea(model, data, p, pv, rate @ v[k]), t @ h[k], "h")
        close(t @ g[k], pin.computeGeneralizedGravity(model, data, p), "weight")
        close(t @ tau[k], pin.rnea(model, data, p, pv, pa), "inverse dynamics")
        cp = pin.computeCoriolisMatrix(model, data, p, pv)
        close(c[k], t.T @ cp @ t + t.T @ expected @ rate, "C")
        theirs = t.T @ (pin.aba(model, data, p, pv, t @ tau[k]) - rate @ v[k])
        close(forward[k], theirs, "forward dynamics", loose)
        close(solved[k], theirs, "forward dynamics via M", loose)
        inv = pin.computeMinverse(model, data, p)
        inv = np.triu(inv) + np.triu(inv, 1).T
        close(inverse[k], t.T @ inv @ t, "M⁻¹", loose)


def test_energies_and_momenta(case):
    """Without the base of a fixed robot, which Pinocchio leaves out."""
    robot, peer, (q, v, _), _ = case
    model, data = peer.model, peer.data
    at = robot.at(q, v)
    kinetic, potential, p, mass = (
        at.kinetic_energy, at.potential_energy, at.linear_momentum, at.total_mass
    )  # fmt: skip
    centre, inertia, matrix = (
        at.center_of_mass, at.composite_inertia, at.centroidal_momentum_matrix
    )  # fmt: skip
    base = robot.description.bodies[0]
    m0 = base.mass if base.joint.type == Joint.FIXED else 0.0
    c0 = np.array(base.com)
    for k, pq, pv, _, t, _ in each(case):
        pin.computeAllTerms(model, data, pq, pv)
        close(kinetic[k], pin.computeKineticEnergy(model, data, pq, pv), "kinetic energy")
        moving = mass[k] - m0
        close(moving, pin.computeTotalMass(model), "mass", least=m0)
        if moving <= 1e-9 * mass[k]:
            continue
        expected = pin.computePotentialEnergy(model, data, pq)
        close(potential[k] + m0 * c0 @ GRAVITY, expected, "potential energy", least=10 * mass[k])
        com = pin.centerOfMass(model, data, pq)
        close(mass[k] * centre[k] - m0 * c0, moving * com, "centre", least=mass[k])
        hg = pin.computeCentroidalMomentum(model, data, pq, pv)
        size = np.abs(hg.np).max() + moving * np.abs(com).max()
        close(p[k], hg.linear, "linear momentum", least=size)
        about = robot.at(q[k], v[k]).angular_momentum_about(com)
        close(about, hg.angular, "angular momentum", least=size)
        pin.ccrba(model, data, pq, pv)
        ag = data.Ag.copy() @ t
        ag[3:] -= reference.skew(centre[k] - com) @ ag[:3]  # to the centre of all masses
        close(matrix[k], ag, "centroidal momentum matrix", least=mass[k])
        if m0 == 0.0:
            close(inertia[k], data.Ig.inertia, "composite inertia")


def test_frames(case):
    """Pose, velocity, acceleration, Jacobian and its derivative of every frame, at a random point."""
    robot, peer, (q, v, vdot), rng = case
    model, data = peer.model, peer.data
    count = min(STATES, 5)
    names = {frame.name for frame in model.frames}
    frames = [robot.frame(name) for name in robot.frame_names if name in names]
    assert len(frames) > 0.5 * len(model.frames) - 2
    if len(frames) > 30:
        frames = [frames[k] for k in rng.choice(len(frames), 30, replace=False)]
    found_of = {}
    for frame in frames:
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
                close(one[k], other, name, least=1.0)


def test_joint_reactions(case):
    """Force and torque between parent and child, about the child's origin."""
    robot, peer, (q, v, vdot), _ = case
    model, data = peer.model, peer.data
    if model.nv == 0:
        pytest.skip("nothing moves")
    reaction = robot.at(q, v, vdot).joint_reactions()
    for k, p, pv, pa, _, _ in each(case):
        pin.rnea(model, data, p, pv, pa)
        pin.forwardKinematics(model, data, p)
        for body, number in enumerate(peer.joint):
            if number == 0:
                continue
            r = data.oMi[number].rotation
            expected = [*(r @ data.f[number].angular), *(r @ data.f[number].linear)]
            close(reaction[k, body], expected, f"reaction of body {body}", least=1e-3)
