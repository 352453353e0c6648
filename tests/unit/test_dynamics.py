"""M, h, factors, energy and momentum of random trees against the slow textbook versions."""

import numpy as np
import pytest
import reference
from scenes import empty_world, random_state, random_tree

from tribo.model import Joint

GRAVITY = (0.7, -1.1, -9.81)
CASES = [
    (seed, bodies, floating) for seed, bodies in enumerate([2, 3, 5, 9, 16]) for floating in (False, True)
]
TREES = pytest.mark.parametrize(("seed", "bodies", "floating"), CASES)
RTOL = 1e-10  # round-off of some hundred operations with cancellation


def make(seed, bodies, floating, integrator="semi_implicit"):
    """Return world and robot in a random state; semi-implicit: what `update` finds holds at the state."""
    rng = np.random.default_rng(100 * seed + bodies + floating)
    world = empty_world(1e-3, GRAVITY)
    world.integrator = integrator
    robot = world.add_articulated_system(random_tree(rng, bodies, floating=floating))
    random_state(rng, robot)
    return world, robot, rng


def packed_matrix(world, name, robot):
    """Return a packed matrix of `work` as a full symmetric one."""
    work, model, nv = world.engine.work, world.engine.model, robot.dof
    full = np.zeros((nv, nv))
    for dof in range(nv):
        start, row = model.body_chain_start[model.dof_body[dof]], model.dof_row[dof]
        chain = model.chain_dof[start : start + model.dof_depth[dof] + 1]
        full[dof, chain] = full[chain, dof] = getattr(work, name)[row : row + len(chain)]
    return full


@TREES
def test_mass_matrix(seed, bodies, floating):
    """Composite bodies = Σ m J_vᵀ J_v + J_ωᵀ I J_ω; symmetric and positive definite."""
    _, robot, _ = make(seed, bodies, floating)
    expected = reference.mass_matrix(robot.description.bodies, robot.generalized_coordinate)
    found = robot.mass_matrix
    np.testing.assert_allclose(found, expected, rtol=RTOL, atol=RTOL * np.abs(expected).max())
    np.testing.assert_array_equal(found, found.T)
    assert np.linalg.eigvalsh(found)[0] > 0.0


@TREES
def test_bias_force(seed, bodies, floating):
    """Recursive Newton–Euler in spatial vectors = Newton and Euler per body in 3-vectors."""
    world, robot, _ = make(seed, bodies, floating)
    world.update()
    found = world.engine.work.bias_force
    expected = reference.bias_force(
        robot.description.bodies, robot.generalized_coordinate, robot.generalized_velocity, GRAVITY
    )
    np.testing.assert_allclose(found, expected, rtol=RTOL, atol=RTOL * np.abs(expected).max())


@TREES
def test_midpoint_evaluates_half_a_step_ahead(seed, bodies, floating):
    """Under the default rule M and h belong to q ⊕ dt/2 v; without a last acceleration v_m = v."""
    world, robot, _ = make(seed, bodies, floating, "midpoint")
    world.engine.model.tree_is_deep[:] = 0  # so that M is formed
    q, v = robot.generalized_coordinate.copy(), robot.generalized_velocity.copy()
    world.update()
    middle = reference.moved(robot.description.bodies, q, v, 0.5e-3)
    np.testing.assert_allclose(world.engine.work.mid_q, middle, atol=1e-14)
    expected = reference.mass_matrix(robot.description.bodies, middle)
    np.testing.assert_allclose(
        packed_matrix(world, "mass_matrix", robot), expected, atol=RTOL * np.abs(expected).max()
    )
    h = reference.bias_force(robot.description.bodies, middle, v, GRAVITY)
    np.testing.assert_allclose(world.engine.work.bias_force, h, atol=RTOL * np.abs(h).max())


@TREES
def test_free_velocity_solves_the_equation_of_motion(seed, bodies, floating):
    """v⁺ = v + dt M̂⁻¹ (τ − h − kp (e + dt v) − kd v), M̂ = M + dt kd + dt² kp: sparse factor = dense solve."""
    world, robot, rng = make(seed, bodies, floating)
    kp, kd = rng.uniform(0, 50, robot.dof), rng.uniform(0, 5, robot.dof)
    robot.set_pd_gains(kp, kd, hold_base=True)
    robot.pd_target = robot.generalized_coordinate
    tau = rng.normal(size=robot.dof)
    robot.generalized_force = tau
    q, v = robot.generalized_coordinate.copy(), robot.generalized_velocity.copy()
    dt = world.time_step
    m = reference.mass_matrix(robot.description.bodies, q)
    h = reference.bias_force(robot.description.bodies, q, v, GRAVITY)
    m_hat = m + np.diag(dt * kd + dt * dt * kp)
    expected = v + np.linalg.solve(m_hat, dt * (tau - h - dt * kp * v - kd * v))
    world.step()
    np.testing.assert_allclose(
        robot.generalized_velocity, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max()
    )
    after = reference.moved(robot.description.bodies, q, expected, dt)
    np.testing.assert_allclose(robot.generalized_coordinate, after, atol=1e-9)


@TREES
def test_factor_reproduces_the_matrix(seed, bodies, floating):
    """Lᵀ D L = M̂ with the pattern of M."""
    world, robot, _ = make(seed, bodies, floating)
    robot.set_pd_gains(20.0, 1.0)
    world.engine.model.tree_is_deep[:] = 0  # so that M is formed
    world.step()
    lower = np.tril(packed_matrix(world, "mass_factor", robot), -1) + np.eye(robot.dof)
    scale = world.engine.work.dof_scale
    m_hat = packed_matrix(world, "mass_matrix", robot) + np.diag(world.engine.work.drive_inertia)
    np.testing.assert_allclose(lower.T @ np.diag(scale**-2) @ lower, m_hat, atol=RTOL * np.abs(m_hat).max())


@TREES
def test_kinetic_energy_and_momentum(seed, bodies, floating):
    """½ vᵀ M v = Σ of the bodies; p = Σ m v_c and L = Σ c × m v_c + I ω from velocities of bodies alone."""
    world, robot, _ = make(seed, bodies, floating)
    q, v = robot.generalized_coordinate.copy(), robot.generalized_velocity.copy()
    assert world.kinetic_energy == pytest.approx(0.5 * v @ robot.mass_matrix @ v, rel=1e-12)
    p, angular, potential = np.zeros(3), np.zeros(3), 0.0
    for body, x in zip(
        robot.description.bodies, reference.forward(robot.description.bodies, q, v), strict=True
    ):
        centre = x.p + x.r @ np.array(body.com)
        velocity = reference.com_jacobian(x, body) @ v
        p += body.mass * velocity
        spin = x.r @ body.inertia @ x.r.T @ (x.jac_w @ v)
        angular += np.cross(centre, body.mass * velocity) + spin
        potential -= body.mass * centre @ np.array(GRAVITY)
    np.testing.assert_allclose(world.linear_momentum, p, atol=1e-11 * (1 + np.abs(p).max()))
    np.testing.assert_allclose(world.angular_momentum, angular, atol=1e-11 * (1 + np.abs(angular).max()))
    assert world.potential_energy == pytest.approx(potential, rel=1e-12, abs=1e-11)


@TREES
def test_jacobian_is_the_derivative_of_position(seed, bodies, floating):
    """J v = dx/dt along q ⊕ t v, for origin and axes of every body: central difference, error 1e-9."""
    _, robot, _ = make(seed, bodies, floating)
    q, v = robot.generalized_coordinate.copy(), robot.generalized_velocity.copy()
    described = robot.description.bodies
    now = reference.forward(described, q, v)
    poses = []
    for t in (1e-5, -1e-5):
        robot.generalized_coordinate = reference.moved(described, q, v, t)
        poses.append(robot.body_poses())
    (p1, r1), (p0, r0) = poses
    speed = 1 + np.abs(v).sum() ** 3
    for k, x in enumerate(now):
        np.testing.assert_allclose((p1[k] - p0[k]) / 2e-5, x.jac_v @ v, atol=1e-9 * speed)
        rate = (r1[k] - r0[k]) / 2e-5
        np.testing.assert_allclose(rate, reference.skew(x.jac_w @ v) @ x.r, atol=1e-9 * speed)


@TREES
def test_velocity_forces_do_the_work_of_a_changing_inertia(seed, bodies, floating):
    """vᵀ c(q, v) = ½ vᵀ Ṁ v (Ṁ − 2C is skew), c = h(v) − h(0): central difference of M along the motion."""
    world, robot, _ = make(seed, bodies, floating)
    q, v = robot.generalized_coordinate.copy(), robot.generalized_velocity.copy()
    described = robot.description.bodies
    world.update()
    h = world.engine.work.bias_force.copy()
    world.advance()
    rest = reference.bias_force(described, q, 0 * v, GRAVITY)
    eps, m = 1e-5, []
    for t in (eps, -eps):
        robot.generalized_coordinate = reference.moved(described, q, v, t)
        m.append(robot.mass_matrix)
    power = 0.5 * v @ (m[0] - m[1]) @ v / (2 * eps)
    assert v @ (h - rest) == pytest.approx(power, rel=1e-6, abs=1e-6 * (1 + abs(power)))


@TREES
def test_power_balance(seed, bodies, floating):
    """E⁺ − E = dt τ·v_m to third order in dt, τ constant, after 16 ms of motion (the prediction of the mid
    velocity looks back): halving the step divides the error of one step by 8; allowed 5 to 12."""
    errors = []
    for dt in (1e-3, 5e-4):
        world, robot, rng = make(seed, bodies, floating, "midpoint")
        world.time_step = dt
        tau = rng.normal(size=robot.dof)
        robot.generalized_force = tau
        world.step(round(0.016 / dt))
        error = 0.0
        for _ in range(round(0.004 / dt)):
            before, v = world.energy, robot.generalized_velocity.copy()
            world.step()
            work = dt * tau @ (v + robot.generalized_velocity) / 2
            error = max(error, abs(world.energy - before - work))
        errors.append(error)
    scale = 1e-12 * (1 + abs(world.energy))
    assert errors[1] <= 10 * scale or 5.0 <= errors[0] / errors[1] <= 12.0
    assert errors[0] <= 1e-3


@TREES
def test_moving_the_frame_changes_nothing(seed, bodies, floating):
    """A world turned as a whole, gravity included, moves the same way: joint coordinates after 50 steps."""
    results = []
    turn = np.array([0.5, 0.5, -0.5, 0.5])
    for turned in (False, True):
        world, robot, _ = make(seed, bodies, floating, "midpoint")
        if turned:
            r = reference.rotation_of(turn)
            world.gravity = r @ world.gravity
            if floating:
                v = robot.generalized_velocity
                v[:3], v[3:6] = r @ v[:3], r @ v[3:6]
                robot.generalized_velocity = v
                robot.position = r @ robot.position
                robot.orientation = reference.quaternion_product(turn, robot.orientation)
            else:
                robot.orientation = turn
        world.step(50)
        first = 7 if floating else 0
        results.append(robot.generalized_coordinate[first:])
    np.testing.assert_allclose(results[0], results[1], atol=1e-8)


def test_single_body_is_a_tree_with_one_joint():
    """The fast path of a free body and the general one give the same M, energy and fall."""
    rng = np.random.default_rng(3)
    description = random_tree(rng, 1, floating=True)
    description.bodies[0].com = (0.0, 0.0, 0.0)
    states = []
    for general in (False, True):
        world = empty_world(1e-4, GRAVITY)
        world.integrator = "semi_implicit"
        made = random_tree(np.random.default_rng(3), 1, floating=True)
        made.bodies[0].com = (1e-15 if general else 0.0, 0.0, 0.0)
        robot = world.add_articulated_system(made)
        random_state(np.random.default_rng(4), robot)
        assert bool(world.engine.model.tree_is_single[0]) is not general
        states.append((robot.mass_matrix, world.energy))
    np.testing.assert_allclose(states[0][0], states[1][0], atol=1e-12)
    assert states[0][1] == pytest.approx(states[1][1], rel=1e-12)


def test_external_forces_are_projected_on_the_joints():
    """A force at a point and a torque on a link add J_vᵀ f and J_ωᵀ t to the joint forces."""
    for seed, bodies, floating in CASES[2:8]:
        world, robot, rng = make(seed, bodies, floating)
        q, v = robot.generalized_coordinate.copy(), robot.generalized_velocity.copy()
        dt = world.time_step
        described = robot.description.bodies
        k = bodies - 1
        x = reference.forward(described, q, v)[k]
        force, torque, point = rng.normal(size=(3, 3))
        name = described[k].name
        robot.apply_force(name, force, point)
        robot.apply_torque(name, torque)
        world.step()
        jac = x.jac_v - reference.skew(x.r @ point) @ x.jac_w
        tau = jac.T @ force + x.jac_w.T @ torque
        m = reference.mass_matrix(described, q)
        h = reference.bias_force(described, q, v, GRAVITY)
        expected = v + np.linalg.solve(m, dt * (tau - h))
        np.testing.assert_allclose(robot.generalized_velocity, expected, atol=1e-9)


def test_contact_blocks_against_dense_algebra():
    """Own block of G = J M̂⁻¹ Jᵀ, J from the textbook Jacobian of the body that touches. Against the
    ground the impulse acts on the body's own surface, half a gap from the contact's position."""
    rng = np.random.default_rng(12)
    description = random_tree(rng, 6, floating=True, shapes=True)
    world = empty_world(1e-3, GRAVITY, friction=0.5)
    world.add_ground(-3.0)
    robot = world.add_articulated_system(description)
    random_state(rng, robot, 0.1)
    robot.set_pd_gains(30.0, 1.0)
    lowest = robot.body_poses()[0][:, 2].min()
    robot.position = robot.position - [0, 0, lowest + 3.0 - 0.04]
    world.step()
    work = world.engine.work
    assert work.contact_count[0] >= 1
    m_hat = packed_matrix(world, "mass_matrix", robot) + np.diag(work.drive_inertia)
    poses = reference.forward(description.bodies, work.mid_q, np.zeros(robot.dof))
    for c in range(work.contact_count[0]):
        a, b = (int(i) - 1 for i in work.contact_body[c])  # body 0 is the ground
        jac = np.zeros((3, robot.dof))
        frame = work.contact_axes[c].reshape(3, 3)
        for body, other, sign in ((a, b, 1.0), (b, a, -1.0)):
            if body >= 0:
                x = poses[body]
                shift = 0.5 * work.contact_gap[c] * frame[2] if other < 0 else 0.0
                arm = work.contact_pos[c] + sign * shift - x.p
                jac += sign * (x.jac_v - reference.skew(arm) @ x.jac_w)
        jac = frame @ jac
        g = jac @ np.linalg.solve(m_hat, jac.T)
        found = work.contact_delassus[c]
        np.testing.assert_allclose(
            found, [g[0, 0], g[1, 1], g[2, 2], g[0, 1], g[0, 2], g[1, 2]], atol=1e-10 * np.abs(g).max()
        )


def test_joint_types_of_the_cases_cover_all():
    """The random trees contain every kind of joint."""
    kinds = {body.joint.type for case in CASES for body in make(*case)[1].description.bodies}
    assert kinds == set(Joint)
