"""Stage by stage against Pinocchio (skipped where it is not installed)."""

import numpy as np
import pytest
import reference
from scenes import QUADRUPED, empty_world, quadruped_description, random_state, random_tree

from tribo.model import Joint

pin = pytest.importorskip("pinocchio")

GRAVITY = np.array([0.3, -0.2, -9.81])


def pinocchio_model(description):
    """Build the same tree in Pinocchio, body by body."""
    model = pin.Model()
    model.gravity.linear = GRAVITY
    ids = []
    for body in description.bodies:
        joint = body.joint
        place = pin.SE3(reference.rotation_of(joint.quaternion), np.array(joint.position, float))
        kind = {
            Joint.REVOLUTE: lambda: pin.JointModelRevoluteUnaligned(np.array(joint.axis)),
            Joint.PRISMATIC: lambda: pin.JointModelPrismaticUnaligned(np.array(joint.axis)),
            Joint.SPHERICAL: pin.JointModelSpherical,
            Joint.FREE: pin.JointModelFreeFlyer,
        }
        if joint.type == Joint.FIXED:
            ids.append(0)
            continue
        parent = 0 if body.parent < 0 else ids[body.parent]
        number = model.addJoint(parent, kind[joint.type](), place, body.name)
        inertia = pin.Inertia(body.mass, np.array(body.com, float), np.array(body.inertia, float))
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
        ids.append(number)
    return model


def converted(description, q, v):
    """Return Pinocchio's q, and T with v_pin = T v: its base and ball joints speak in body axes."""
    out, blocks, a, d = [], [], 0, 0
    for body in description.bodies:
        kind = body.joint.type
        if kind == Joint.FREE:
            w, x, y, z = q[a + 3 : a + 7]
            out += [*q[a : a + 3], x, y, z, w]
            r = reference.rotation_of(q[a + 3 : a + 7]).T
            blocks += [r, r]
            a, d = a + 7, d + 6
        elif kind == Joint.SPHERICAL:
            w, x, y, z = q[a : a + 4]
            out += [x, y, z, w]
            blocks.append(reference.rotation_of(q[a : a + 4]).T)
            a, d = a + 4, d + 3
        elif kind != Joint.FIXED:
            out.append(q[a])
            blocks.append(np.eye(1))
            a, d = a + 1, d + 1
    t = np.zeros((d, d))
    first = 0
    for block in blocks:
        last = first + len(block)
        t[first:last, first:last] = block
        first = last
    return np.array(out), t


@pytest.mark.parametrize(("seed", "bodies", "floating"), [(1, 4, True), (2, 8, False), (3, 20, True), (4, 40, False)])
def test_random_trees(seed, bodies, floating):
    """M, h and positions of all bodies to 1e-10. Where a joint's velocity is in other axes, h also
    differs by M Ṫ v, taken from T at two nearby times."""
    rng = np.random.default_rng(seed)
    description = random_tree(rng, bodies, floating=floating)
    for body in description.bodies:
        body.joint.armature = 0.0
    world = empty_world(1e-3, GRAVITY)
    world.integrator = "semi_implicit"
    robot = world.add_articulated_system(description)
    random_state(rng, robot)
    check(world, robot)


def test_quadruped():
    """The package's own robot, built from its description."""
    description = quadruped_description()
    for body in description.bodies:
        body.joint.armature = 0.0
    world = empty_world(1e-3, GRAVITY)
    world.integrator = "semi_implicit"
    robot = world.add_articulated_system(description, collision_group=0, collision_mask=0)
    random_state(np.random.default_rng(5), robot)
    check(world, robot)


def check(world, robot):
    """Compare poses, M and h at the present state."""
    description = robot.description
    q, v = robot.generalized_coordinate, robot.generalized_velocity
    model = pinocchio_model(description)
    data = model.createData()
    p, t = converted(description, q, v)
    m = pin.crba(model, data, p)
    m = np.triu(m) + np.triu(m, 1).T
    found = robot.mass_matrix
    scale = np.abs(found).max()
    np.testing.assert_allclose(found, t.T @ m @ t, atol=1e-10 * scale)
    pin.forwardKinematics(model, data, p, t @ v)
    positions, rotations = robot.body_poses()
    number = 0
    for k, body in enumerate(description.bodies):
        if body.joint.type == Joint.FIXED:
            continue
        number += 1
        np.testing.assert_allclose(positions[k], data.oMi[number].translation, atol=1e-11)
        np.testing.assert_allclose(rotations[k], data.oMi[number].rotation, atol=1e-11)
    # v_pin = T v, so at v̇ = 0 Pinocchio's acceleration is Ṫ v. A body-axes velocity R ᵀω of constant ω
    # has no rate of its own (ω × ω = 0), a linear one has −ω_body × v_body.
    rate = np.zeros(len(v))
    if description.bodies[0].joint.type == Joint.FREE:
        rate[:3] = -np.cross((t @ v)[3:6], (t @ v)[:3])
    d = 0
    for body in description.bodies:
        width = {Joint.FIXED: 0, Joint.SPHERICAL: 3, Joint.FREE: 6}.get(body.joint.type, 1)
        d += width
    h = pin.rnea(model, data, p, t @ v, rate)
    world.update()
    bias = world.engine.work.bias_force
    np.testing.assert_allclose(bias, t.T @ h, atol=1e-9 * (1 + np.abs(bias).max()))


def test_quadruped_file():
    """Both readers see the same robot: total mass and number of dofs."""
    model = pin.buildModelFromUrdf(str(QUADRUPED), pin.JointModelFreeFlyer())
    description = quadruped_description()
    assert model.nv == 18
    assert pin.computeTotalMass(model) == pytest.approx(sum(b.mass for b in description.bodies), rel=1e-12)
