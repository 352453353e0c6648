"""What robots answer about their dynamics, by identities and against the textbook versions.

RTOL: round-off of some hundred operations with cancellation. Central differences with step EPS: their own
error is EPS² times the third derivative, and round-off 2⁻⁵³/EPS; both stay below DIFF of the largest entry.
"""

import numpy as np
import pytest
import reference
from scenes import empty_world, pendulum, random_state, random_tree

GRAVITY = (0.7, -1.1, -9.81)
CASES = [(seed, n, floating) for seed, n in enumerate([1, 2, 5, 12]) for floating in (False, True)]
CASES.remove((0, 1, False))  # nothing moves
TREES = pytest.mark.parametrize(("seed", "bodies", "floating"), CASES)
RTOL = 1e-10
EPS, DIFF = 1e-5, 1e-6


def make(seed, bodies, floating):
    """Return a robot in a random state, behind another object; and random numbers."""
    rng = np.random.default_rng(200 * seed + bodies + floating)
    world = empty_world(1e-3, GRAVITY)
    world.add_articulated_system(random_tree(rng, 3, floating=True), name="other")
    robot = world.add_articulated_system(random_tree(rng, bodies, floating=floating))
    random_state(rng, robot)
    return robot, rng


def close(found, expected, tolerance=RTOL):
    """Compare relative to the largest entry."""
    expected = np.asarray(expected)
    scale = float(np.abs(expected).max(initial=1e-3))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def rate(robot, what):
    """Return the rate of change of something along the present velocity: central difference."""
    q, v = robot.generalized_coordinate, robot.generalized_velocity
    bodies = robot.description.bodies
    ahead, behind = (what(robot.at(reference.moved(bodies, q, v, step), v)) for step in (EPS, -EPS))
    return (ahead - behind) / (2 * EPS)


@TREES
def test_mass_matrix_and_bias_are_those_of_the_textbook(seed, bodies, floating):
    """Here for a tree that is not the world's first: all indices are shifted."""
    robot, _ = make(seed, bodies, floating)
    q, v, described = (
        robot.generalized_coordinate, robot.generalized_velocity, robot.description.bodies
    )  # fmt: skip
    close(robot.mass_matrix, reference.mass_matrix(described, q))
    close(robot.bias_force, reference.bias_force(described, q, v, GRAVITY))
    close(robot.gravity_force, reference.bias_force(described, q, 0 * v, GRAVITY))
    close(robot.coriolis_force, reference.bias_force(described, q, v, (0, 0, 0)))


@TREES
def test_inverse_and_forward_dynamics_undo_each_other(seed, bodies, floating):
    """ID(v̇) = M v̇ + h; FD(ID(v̇)) = v̇; FD by articulated bodies = by M⁻¹."""
    robot, rng = make(seed, bodies, floating)
    vdot = rng.normal(size=robot.dof)
    tau = robot.inverse_dynamics(vdot)
    close(tau, robot.mass_matrix @ vdot + robot.bias_force)
    condition = np.linalg.cond(robot.mass_matrix)
    loose = max(RTOL, 100 * 2.0**-53 * condition)
    close(robot.forward_dynamics(tau), vdot, loose)
    close(robot.solve_mass_matrix(tau - robot.bias_force), vdot, loose)
    close(robot.inverse_mass_matrix @ robot.mass_matrix, np.eye(robot.dof), loose)
    close(robot.inverse_dynamics(robot.forward_dynamics(vdot)), vdot, loose)


@TREES
def test_coriolis_matrix(seed, bodies, floating):
    """C v = h − g, and Ṁ − 2 C is skew-symmetric."""
    robot, _ = make(seed, bodies, floating)
    c = robot.coriolis_matrix
    close(c @ robot.generalized_velocity, robot.coriolis_force)
    close(c + c.T, rate(robot, lambda at: at.mass_matrix), DIFF)


@TREES
def test_weight_is_the_slope_of_the_potential(seed, bodies, floating):
    """g · v = dU/dt; and dT/dt = ½ vᵀ Ṁ v at constant v."""
    robot, _ = make(seed, bodies, floating)
    v = robot.generalized_velocity
    close(robot.gravity_force @ v, rate(robot, lambda at: at.potential_energy), DIFF)
    close(robot.kinetic_energy, 0.5 * v @ robot.mass_matrix @ v)
    close(robot.energy, robot.kinetic_energy + robot.potential_energy)


@TREES
def test_momenta(seed, bodies, floating):
    """M v; p = m ċ; (p, L_c) = A v; locked inertia and L from sums over bodies."""
    robot, rng = make(seed, bodies, floating)
    v, described = robot.generalized_velocity, robot.description.bodies
    close(robot.generalized_momentum, robot.mass_matrix @ v)
    centre = robot.com_position
    close(robot.linear_momentum, robot.mass * rate(robot, lambda at: at.com_position), DIFF)
    together = robot.centroidal_momentum_matrix @ v
    close(together[:3], robot.linear_momentum)
    close(together[3:], robot.angular_momentum_about(centre))
    point, angular, inertia = rng.normal(size=3), np.zeros(3), np.zeros((3, 3))
    for body, x in zip(described, reference.forward(described, robot.generalized_coordinate, v), strict=True):
        own = x.r @ body.inertia @ x.r.T
        arm = x.p + x.r @ np.array(body.com) - point
        angular += np.cross(arm, body.mass * reference.com_jacobian(x, body) @ v)
        angular += own @ x.jac_w @ v
        arm = arm + point - centre
        inertia += own + body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    close(robot.angular_momentum_about(point), angular)
    close(robot.composite_inertia, inertia)
    assert robot.at(robot.q).mass == pytest.approx(robot.mass, rel=1e-14)


@TREES
def test_frames_and_jacobians(seed, bodies, floating):
    """Against the textbook's J and J̇ v for every body; a point at random; differences for J̇."""
    robot, rng = make(seed, bodies, floating)
    q, v, described = (
        robot.generalized_coordinate, robot.generalized_velocity, robot.description.bodies
    )  # fmt: skip
    vdot, point = rng.normal(size=robot.dof), rng.normal(size=3)
    at = robot.at(q, v, vdot)
    for name, x in zip(robot.body_names, reference.forward(described, q, v), strict=True):
        frame, arm = at.frame(name), x.r @ point
        close(frame.position, x.p)
        close(frame.rotation_matrix, x.r)
        close(reference.rotation_of(frame.orientation), x.r)
        close(frame.to_world(point), x.p + arm)
        close(frame.to_local(x.p + arm), point)
        j = x.jac_v - reference.skew(arm) @ x.jac_w
        close(frame.jacobian(point), j)
        close(frame.rotational_jacobian(), x.jac_w)
        close(frame.velocity_of(point), j @ v)
        close(frame.angular_velocity, x.jac_w @ v)
        w = x.jac_w @ v
        curved = x.acc + np.cross(x.alpha, arm) + np.cross(w, np.cross(w, arm))
        close(frame.jacobian_rate(point) @ v, curved)
        close(frame.rotational_jacobian_rate() @ v, x.alpha)
        close(frame.acceleration_of(point), j @ vdot + curved)
        close(frame.angular_acceleration, x.jac_w @ vdot + x.alpha)
        expected = rate(robot, lambda at, name=name: at.frame(name).jacobian(point))
        close(frame.jacobian_rate(point), expected, DIFF)
        expected = rate(robot, lambda at, name=name: at.frame(name).rotational_jacobian())
        close(frame.rotational_jacobian_rate(), expected, DIFF)
        dofs, columns = frame.sparse_jacobian(point)
        assert np.flatnonzero(np.abs(j).max(axis=0) + np.abs(x.jac_w).max(axis=0)).tolist() == [*dofs]
        np.testing.assert_array_equal(columns, frame.jacobian(point)[:, dofs])


@TREES
def test_joint_reactions_balance_every_body(seed, bodies, floating):
    """Reaction − reactions of children + weight + outside = ṗ; projected on the axes they are τ."""
    robot, rng = make(seed, bodies, floating)
    v, described = robot.generalized_velocity, robot.description.bodies
    vdot, outside = rng.normal(size=robot.dof), rng.normal(size=(bodies, 6))
    at = robot.at(None, v, vdot)
    reaction = at.joint_reactions(wrench=outside)
    left = reaction[:, 3:] + outside[:, 3:]
    for k, body in enumerate(described):
        left[k] += body.mass * np.array(GRAVITY)
        if body.parent >= 0:
            left[body.parent] -= reaction[k, 3:]
    for k, body in enumerate(described):
        close(left[k], body.mass * at.frame(body.name).acceleration_of(body.com))
    pushed = sum(
        at.frame(b.name).jacobian(b.com).T @ outside[k, 3:]
        + at.frame(b.name).rotational_jacobian().T @ outside[k, :3]
        for k, b in enumerate(described)
    )
    tau = robot.inverse_dynamics(vdot) - pushed
    first = 0
    for k, body in enumerate(described):
        frame = at.frame(body.name)
        dofs = [
            d for d in frame.dofs if body.parent < 0 or d not in at.frame(described[body.parent].name).dofs
        ]
        for d in dofs:
            own = (
                reaction[k, 3:] @ frame.jacobian()[:, d] + reaction[k, :3] @ frame.rotational_jacobian()[:, d]
            )
            close(own + body.joint.armature * vdot[d], tau[d], 1e-9)
        first += len(dofs)
    assert first == robot.dof


def test_reaction_of_a_hanging_pendulum():
    """At rest the hinge carries the weight, and held out sideways the moment m g l about y."""
    robot = empty_world().add_articulated_system(pendulum(0.7, 2.0))
    hinge = robot.joint_reactions()[1]
    np.testing.assert_allclose(hinge, [0, 0, 0, 0, 0, 2.0 * 9.81], atol=1e-14)
    out = robot.at([np.pi / 2]).joint_reactions()[1]  # the bob at −x
    np.testing.assert_allclose(out, [0, 2.0 * 9.81 * 0.7, 0, 0, 0, 2.0 * 9.81], atol=1e-13)


def answers(at, tau):
    """Return everything that can be asked, by name."""
    frame = at.frame("b1")
    return {
        **{name: getattr(at, name) for name in (
            "mass_matrix", "inverse_mass_matrix", "bias_force", "gravity_force", "coriolis_force",
            "coriolis_matrix", "generalized_momentum", "kinetic_energy", "potential_energy", "energy",
            "linear_momentum", "angular_momentum", "com_position", "composite_inertia",
            "centroidal_momentum_matrix", "mass",
        )},
        **{name: getattr(frame, name) for name in (
            "position", "rotation_matrix", "orientation", "linear_velocity", "angular_velocity",
            "linear_acceleration", "angular_acceleration",
        )},
        "inverse": at.inverse_dynamics(tau), "forward": at.forward_dynamics(tau),
        "solved": at.solve_mass_matrix(tau), "reactions": at.joint_reactions(),
        "jacobian": frame.jacobian(), "jacobian_rate": frame.jacobian_rate((0.1, 0.2, 0.3)),
        "rotational": frame.rotational_jacobian(), "about": at.angular_momentum_about((1, 2, 3)),
        "rotational_rate": frame.rotational_jacobian_rate(), "local": frame.to_local((1, 2, 3)),
        "poses": at.body_poses()[0], "rotations": at.body_poses()[1],
        "sparse": frame.sparse_jacobian()[1], "world": frame.to_world((1, 2, 3)),
    }  # fmt: skip


def test_many_states_are_each_alone():
    """N states in one call give, bit for bit, what each gives alone, with a first axis of length N."""
    robot, rng = make(3, 8, True)
    q = np.tile(robot.generalized_coordinate, (5, 1))
    q[:, 7] = rng.normal(size=5)
    v, vdot, tau = rng.normal(size=(3, 5, robot.dof))
    together = answers(robot.at(q, v, vdot), tau)
    for k in range(5):
        for name, value in answers(robot.at(q[k], v[k], vdot[k]), tau[k]).items():
            assert np.shape(value) == np.shape(together[name])[1:], name
            np.testing.assert_array_equal(value, together[name][k], err_msg=name)


def test_questions_disturb_nothing():
    """A world that was asked everything, also half way through a step, goes on bit for bit the same."""
    states = []
    for asked in (False, True):
        robot, rng = make(3, 8, True)
        world, tau = robot.world, rng.normal(size=robot.dof)
        world.step(3)
        for _ in range(3):
            if asked:
                answers(robot, tau)
            world.update()
            if asked:
                answers(robot, tau)
                answers(robot.at(robot.generalized_coordinate, tau), tau)
            world.advance()
        states.append((robot.generalized_coordinate.copy(), robot.generalized_velocity.copy()))
    np.testing.assert_array_equal(states[0][0], states[1][0])
    np.testing.assert_array_equal(states[0][1], states[1][1])


def test_the_present_state_is_followed():
    """State, gravity, base and rebuilds show at once."""
    robot, rng = make(2, 5, False)
    q, v = rng.uniform(-1, 1, len(robot.generalized_coordinate)), rng.normal(size=robot.dof)
    for body in robot.description.bodies:
        if body.joint.type == 3:
            k = robot.coordinate_slice(body.joint.name)
            q[k] /= np.linalg.norm(q[k])
    expected = robot.at(q, v).bias_force
    robot.generalized_coordinate, robot.generalized_velocity = q, v
    np.testing.assert_array_equal(robot.bias_force, expected)
    robot.world.remove("other")
    np.testing.assert_array_equal(robot.bias_force, expected)
    robot.world.gravity = (0, 0, 0)
    np.testing.assert_array_equal(robot.bias_force, robot.coriolis_force)
    centre = robot.com_position
    robot.position = (1, 2, 3)
    np.testing.assert_allclose(robot.com_position - centre, [1, 2, 3], atol=1e-14)


def test_acceleration_of_the_last_step():
    """A frame of the robot itself accelerates as in its last step: free fall."""
    world = empty_world()
    robot = world.add_articulated_system(random_tree(np.random.default_rng(0), 1, floating=True))
    world.step(2)
    np.testing.assert_allclose(robot.frame("b0").linear_acceleration, [0, 0, -9.81], atol=1e-12)
    np.testing.assert_allclose(robot.generalized_acceleration[:3], [0, 0, -9.81], atol=1e-12)


@pytest.mark.parametrize(
    ("q", "v", "says"),
    [
        (np.zeros(3), None, r"coordinates of .* must have shape"),
        (np.zeros((2, 2, 2)), None, "must have shape"),
        (None, np.zeros(5), r"velocities of .* must have shape \(6,\)"),
        (None, [np.nan] * 6, "must be finite, entry"),
        (np.zeros(7), None, "unit quaternion"),
        ("abc", None, "coordinates of .* must be numbers"),
    ],
)
def test_bad_states_are_refused(q, v, says):
    robot = empty_world().add_articulated_system(random_tree(np.random.default_rng(0), 1, floating=True))
    before = robot.generalized_coordinate.copy()
    with pytest.raises((ValueError, TypeError), match=says):
        robot.at(q, v)
    with pytest.raises(ValueError, match="acceleration of"):
        robot.inverse_dynamics(np.zeros(7))
    np.testing.assert_array_equal(robot.generalized_coordinate, before)


def test_an_unknown_frame_is_named():
    robot, _ = make(1, 2, True)
    with pytest.raises(KeyError, match="did you mean 'b1'"):
        robot.frame("b1x")
