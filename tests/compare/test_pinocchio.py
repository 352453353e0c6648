"""Stage by stage against Pinocchio (skipped where it is not installed)."""

import numpy as np
import pytest
import reference
from scenes import QUADRUPED, empty_world, quadruped_description, random_state, random_tree

from tribo.model import Joint

pin = pytest.importorskip("pinocchio")

GRAVITY = np.array([0.3, -0.2, -9.81])


WIDTH = {Joint.FIXED: 0, Joint.REVOLUTE: 1, Joint.PRISMATIC: 1, Joint.SPHERICAL: 3, Joint.FREE: 6}
COORDINATES = {**WIDTH, Joint.SPHERICAL: 4, Joint.FREE: 7}


def depth_first(bodies):
    """Return the numbers of the bodies, each followed by all that hangs on it: Pinocchio's order."""
    order = []

    def visit(k):
        order.append(k)
        for child, body in enumerate(bodies):
            if body.parent == k:
                visit(child)

    visit(0)
    return order


def pinocchio_model(bodies):
    """Build the same tree in Pinocchio; return it and the number of each body's joint there."""
    model = pin.Model()
    model.gravity.linear = GRAVITY
    numbers = {-1: 0}
    for k in depth_first(bodies):
        body, joint = bodies[k], bodies[k].joint
        place = pin.SE3(reference.rotation_of(joint.quaternion), np.array(joint.position, float))
        kind = {
            Joint.REVOLUTE: lambda axis: pin.JointModelRevoluteUnaligned(np.array(axis)),
            Joint.PRISMATIC: lambda axis: pin.JointModelPrismaticUnaligned(np.array(axis)),
            Joint.SPHERICAL: lambda _: pin.JointModelSpherical(),
            Joint.FREE: lambda _: pin.JointModelFreeFlyer(),
        }
        if joint.type == Joint.FIXED:
            numbers[k] = 0
            continue
        made = kind[joint.type](joint.axis)
        numbers[k] = model.addJoint(numbers[body.parent], made, place, body.name)
        inertia = pin.Inertia(body.mass, np.array(body.com, float), np.array(body.inertia, float))
        model.appendBodyToJoint(numbers[k], inertia, pin.SE3.Identity())
    return model, numbers


def converted(bodies, q):
    """Return Pinocchio's q, and T with v_pin = T v: other order, base and ball joints in body axes."""
    first_q = np.cumsum([0, *(COORDINATES[b.joint.type] for b in bodies)])
    first_v = np.cumsum([0, *(WIDTH[b.joint.type] for b in bodies)])
    out, t, row = [], np.zeros((first_v[-1], first_v[-1])), 0
    for k in depth_first(bodies):
        part = list(q[first_q[k] : first_q[k + 1]])
        blocks = [np.eye(1)] * WIDTH[bodies[k].joint.type]
        if len(part) >= 4:
            w, *xyz = part[-4:]
            blocks = [reference.rotation_of(part[-4:]).T] * (len(blocks) // 3)
            part[-4:] = [*xyz, w]
        out += part
        column = first_v[k]
        for block in blocks:
            n = len(block)
            t[row : row + n, column : column + n] = block
            row, column = row + n, column + n
    return np.array(out), t


@pytest.mark.parametrize(
    ("seed", "bodies", "floating"), [(1, 4, True), (2, 8, False), (3, 20, True), (4, 40, False)]
)
def test_random_trees(seed, bodies, floating):
    """M, h and poses of all bodies, in Pinocchio's own order of joints and axes of velocity."""
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
    bodies = robot.description.bodies
    q, v = robot.generalized_coordinate.copy(), robot.generalized_velocity.copy()
    model, numbers = pinocchio_model(bodies)
    data = model.createData()
    p, t = converted(bodies, q)
    m = pin.crba(model, data, p)
    m = np.triu(m) + np.triu(m, 1).T
    found = robot.mass_matrix
    np.testing.assert_allclose(found, t.T @ m @ t, atol=1e-10 * np.abs(found).max())
    pin.forwardKinematics(model, data, p, t @ v)
    positions, rotations = robot.body_poses()
    for k, number in numbers.items():
        if number > 0:
            np.testing.assert_allclose(positions[k], data.oMi[number].translation, atol=1e-11)
            np.testing.assert_allclose(rotations[k], data.oMi[number].rotation, atol=1e-11)
    # At v̇ = 0 Pinocchio's acceleration is Ṫ v: nothing for a constant spin in body axes (ω × ω = 0),
    # −ω × v for a base's constant linear velocity.
    rate = np.zeros(len(v))
    if bodies[0].joint.type == Joint.FREE:
        rate[:3] = -np.cross((t @ v)[3:6], (t @ v)[:3])
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
