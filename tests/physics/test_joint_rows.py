"""Dry friction, mimic joints, cones of spherical joints and speed limits of drives: closed forms."""

import math

import numpy as np
import pytest
from scenes import GRAVITY, QUADRUPED, base, empty_world, joint_body, pendulum, slider

import tribo
from tribo.description.trees import DescriptionError, TreeDescription
from tribo.model import Joint

LOCKED = """<robot name="r"><link name="world"/>{}</robot>"""
LINK = """<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
iyz="0"/></inertial></link><joint name="j{k}" type="revolute"><parent link="{p}"/><child link="l{k}"/>
<origin xyz="1 0 0"/><axis xyz="0 1 0"/><limit lower="-1e-4" upper="1e-4" effort="0" velocity="0"/></joint>"""

NONE = (0.0, 0.0, 0.0)
EPS = np.finfo(float).eps


def two_sliders(**options):
    """Return two carts on rails of their own; options belong to the second."""
    first = joint_body("first", 0, Joint.PRISMATIC, 2.0, axis=(1.0, 0.0, 0.0))
    second = joint_body("second", 0, Joint.PRISMATIC, 3.0, axis=(1.0, 0.0, 0.0), **options)
    first.joint.name, second.joint.name = "first", "second"
    return TreeDescription([base(), first, second])


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_a_joint_under_load_below_its_friction_does_not_creep(integrator):
    """10 s at 99.9 % of τ_f: velocity and coordinate stay at 0 but for the round-off of one step's kick,
    dt F/m · ε a step."""
    dt, m, friction = 1e-3, 2.0, 5.0
    world = empty_world(dt, NONE)
    world.integrator = integrator
    robot = world.add_articulated_system(slider(m, friction=friction))
    robot.generalized_force = [0.999 * friction]
    world.step(10_000)
    assert abs(robot.generalized_velocity[0]) <= dt * friction / m * 4 * EPS
    assert abs(robot.generalized_coordinate[0]) <= 10.0 * dt * friction / m * 4 * EPS
    assert robot.joints[0].friction_force == pytest.approx(-0.999 * friction, rel=1e-12)


def test_beyond_its_friction_a_joint_accelerates_and_it_stops_in_time():
    """x'' = (F − τ_f)/m; without F it stops after m v/τ_f at m v²/(2 τ_f) and stays there."""
    dt, m, friction = 1e-3, 2.0, 5.0
    world = empty_world(dt, NONE)
    robot = world.add_articulated_system(slider(m, friction=friction))
    robot.generalized_force = [6.0]
    world.step(1000)
    assert robot.generalized_velocity[0] == pytest.approx(0.5, rel=1e-12)
    assert robot.generalized_coordinate[0] == pytest.approx(0.25, rel=1e-12)
    robot.generalized_force = [0.0]
    world.step(200)
    assert robot.generalized_coordinate[0] == pytest.approx(0.3, rel=1e-10)
    world.step(1000)
    assert robot.generalized_coordinate[0] == pytest.approx(0.3, rel=1e-10)
    assert abs(robot.generalized_velocity[0]) <= 1e-15


def test_a_pendulum_with_friction_hangs_where_its_weight_no_longer_moves_it():
    """m g l sin θ < τ_f: it rests off the vertical, for ever; just beyond it does not."""
    weight = GRAVITY
    for share, rests in ((0.999, True), (1.01, False)):
        angle = 0.3
        world = empty_world(1e-3)
        robot = world.add_articulated_system(pendulum(friction=weight * math.sin(angle) / share))
        robot.generalized_coordinate = [angle]
        world.step(3000)
        moved = abs(robot.generalized_coordinate[0] - angle)
        assert (moved < 1e-13) == rests


def test_spherical_friction_stops_a_spin_along_each_axis():
    """I ω' = −τ_f on every dof of its own: from (3, −2, 1) each stops after I |ω|/τ_f."""
    world = empty_world(1e-3, NONE)
    body = joint_body("ball", 0, Joint.SPHERICAL, inertia=0.02 * np.eye(3), friction=0.1)
    robot = world.add_articulated_system(TreeDescription([base(), body]))
    robot.generalized_velocity = [3.0, -2.0, 1.0]
    world.step(300)
    np.testing.assert_allclose(robot.generalized_velocity, [1.5, -0.5, 0.0], atol=1e-12)
    world.step(400)
    np.testing.assert_allclose(robot.generalized_velocity, 0.0, atol=1e-15)
    assert robot.joints[0].friction_force.shape == (3,)


def test_a_mimic_joint_follows_to_round_off():
    """q_f = m q_l + c; the pair moves as one mass m₁ + ratio² m₂ under F (lever rule)."""
    ratio, offset, force = -2.5, 0.3, 4.0
    world = empty_world(1e-3, NONE)
    robot = world.add_articulated_system(two_sliders(mimic=("first", ratio, offset)))
    first, second = robot.joints
    assert second.coordinate == offset
    first.generalized_force = force
    world.step(2000)
    mass = 2.0 + ratio**2 * 3.0
    assert first.coordinate == pytest.approx(0.5 * force / mass * 4.0, rel=1e-10)
    assert second.coordinate == pytest.approx(ratio * first.coordinate + offset, abs=1e-12)
    assert second.mimic_force == pytest.approx(3.0 * ratio * force / mass, rel=1e-9)
    assert second.mimic == ("first", ratio, offset)


def test_mimic_chain_along_one_branch_with_weight_and_drives():
    """A finger of three hinges, each as far as the one before it: 1e-9 under load for 5 s."""
    bodies = [base()]
    for k in range(3):
        mimic = (f"joint_l{k - 1}", 1.0, 0.0) if k else None
        bodies.append(
            joint_body(f"l{k}", k, Joint.REVOLUTE, 0.2, com=(0.05, 0, 0), inertia=1e-4 * np.eye(3),
                       axis=(0, 1, 0), position=(0.1 if k else 0.0, 0, 0), mimic=mimic)
        )  # fmt: skip
    for k, body in enumerate(bodies[1:]):
        body.joint.name = f"joint_l{k}"
    world = empty_world()
    robot = world.add_articulated_system(TreeDescription(bodies))
    robot.set_pd_gains({"joint_l0": 5.0}, {"joint_l0": 1.0})
    robot.pd_target = {"joint_l0": 0.6}
    worst = 0.0
    for _ in range(500):
        world.step(10)
        q = robot.generalized_coordinate
        worst = max(worst, abs(q[1] - q[0]), abs(q[2] - q[0]))
    assert worst <= 1e-9
    assert abs(robot.generalized_velocity).max() < 1e-6


def test_the_stop_of_a_follower_stops_its_leader():
    world = empty_world(1e-3, NONE)
    options = {"mimic": ("first", 2.0, 0.0), "upper": 0.1, "lower": -1.0}
    robot = world.add_articulated_system(two_sliders(**options))
    robot.joint("first").generalized_force = 7.0
    world.step(2000)
    assert robot.generalized_coordinate == pytest.approx([0.05, 0.1], abs=1e-9)
    assert robot.active_limits == {"second": pytest.approx(-3.5, rel=1e-8)}
    assert robot.joint("second").mimic_force == pytest.approx(3.5, rel=1e-8)


def test_both_stops_and_the_equation_at_once():
    """Leader and follower reach their stops together: redundant rows, finite forces, no motion."""
    world = empty_world(1e-3, NONE)
    description = two_sliders(mimic=("first", 1.0, 0.0), upper=0.1, lower=-1.0)
    description.bodies[1].joint.upper = 0.1
    robot = world.add_articulated_system(description)
    robot.joint("first").generalized_force = 7.0
    world.step(2000)
    assert robot.generalized_coordinate == pytest.approx([0.1, 0.1], abs=1e-9)
    assert sum(robot.active_limits.values()) == pytest.approx(-7.0, rel=1e-6)


MIMICS = {
    "itself": {"second": ("second", 1.0, 0.0)},
    "circle": {"first": ("second", 1.0, 0.0), "second": ("first", 1.0, 0.0)},
    "unknown": {"second": ("third", 1.0, 0.0)},
    "nan": {"second": ("first", math.nan, 0.0)},
}


@pytest.mark.parametrize("name", MIMICS)
def test_what_a_joint_cannot_follow(name):
    description = two_sliders()
    for body in description.bodies[1:]:
        body.joint.mimic = MIMICS[name].get(body.joint.name)
    world = empty_world()
    with pytest.raises(DescriptionError, match="mimic"):
        world.add_articulated_system(description)
    assert not world.objects


WRONG = {
    "crossed stops": {"lower": 1.0, "upper": -1.0},
    "no stop": {"lower": math.nan},
    "friction": {"friction": math.nan},
    "speed": {"velocity": -1.0},
    "effort": {"effort_lower": 1.0},
    "spring": {"stiffness": -1.0},
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_numbers_of_a_described_joint(name):
    with pytest.raises(DescriptionError, match="cart_joint"):
        empty_world().add_articulated_system(slider(**WRONG[name]))


def test_arrays_for_all_dofs_of_a_floating_robot():
    robot = empty_world().add_articulated_system(QUADRUPED)
    robot.velocity_limit, robot.dry_friction = robot.velocity_limit, robot.dry_friction
    with pytest.raises(ValueError, match="floating base"):
        robot.dry_friction = np.ones(18)
    assert not robot.dry_friction.any()


def test_a_joint_cannot_follow_a_spherical_one():
    ball = joint_body("ball", 0, Joint.SPHERICAL)
    cart = joint_body("cart", 0, Joint.PRISMATIC, axis=(1.0, 0.0, 0.0), mimic=("ball_joint", 1.0, 0.0))
    with pytest.raises(DescriptionError, match="spherical"):
        empty_world().add_articulated_system(TreeDescription([base(), ball, cart]))


@pytest.mark.parametrize("is_cone", [True, False])
def test_the_cone_of_a_spherical_joint(is_cone):
    """A rod pushed sideways comes to rest at the angle, with the stop's torque equal to the load's."""
    upper = 0.4
    rod = joint_body("rod", 0, Joint.SPHERICAL, 1.0, com=(0, 0, -0.5), inertia=0.02 * np.eye(3),
                     upper=upper, is_cone=is_cone, damping=0.5)  # fmt: skip
    world = empty_world()
    robot = world.add_articulated_system(TreeDescription([base(), rod]))
    push = 40.0
    for _ in range(4000):
        robot.apply_force("rod", (push, 0, 0), (0, 0, -0.5))
        world.step()
    w, x, y, z = robot.generalized_coordinate
    assert 2 * math.atan2(math.hypot(x, y, z), w) == pytest.approx(upper, abs=1e-8)
    load = 0.5 * (push * math.cos(upper) - GRAVITY * math.sin(upper))
    assert robot.active_limits == {robot.joint_names[0]: pytest.approx(load, rel=1e-6)}


def test_a_cone_lets_the_joint_twist_a_whole_turn_does_not():
    for is_cone in (True, False):
        body = joint_body("ball", 0, Joint.SPHERICAL, inertia=0.02 * np.eye(3), upper=0.3,
                          is_cone=is_cone)  # fmt: skip
        world = empty_world(1e-3, NONE)
        robot = world.add_articulated_system(TreeDescription([base(), body]))
        robot.generalized_velocity = [0.0, 0.0, 1.0]
        world.step(1000)
        w, _, _, z = robot.generalized_coordinate
        assert 2 * math.atan2(z, w) == pytest.approx(1.0 if is_cone else 0.3, abs=1e-9)


def tilted(upper, is_cone, speed):
    """Return a rod that stands at its cone, turned about y, and is thrown along it without weight."""
    rod = joint_body("rod", 0, Joint.SPHERICAL, 1.0, com=(0, 0, -0.5), inertia=0.01 * np.eye(3),
                     upper=upper, is_cone=is_cone)  # fmt: skip
    world = empty_world(1e-3, NONE)
    robot = world.add_articulated_system(TreeDescription([base(), rod]), collision_mask=0)
    robot.generalized_coordinate = [math.cos(upper / 2), 0, math.sin(upper / 2), 0]
    # About the horizontal line across the rod's plane, and the axis: the bob moves along y.
    robot.generalized_velocity = [speed * math.cos(upper), 0.0, speed * math.sin(upper)]
    return world, robot


def opening(robot, is_cone):
    """Return the angle that a cone bounds."""
    w, x, y, z = robot.generalized_coordinate
    if is_cone:
        return 2 * math.asin(math.hypot(x, y))
    return 2 * math.atan2(math.hypot(x, y, z), abs(w))


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit", "rk4"])
@pytest.mark.parametrize("is_cone", [True, False])
def test_a_rod_that_runs_around_its_cone_stays_on_it(is_cone, integrator):
    """20 rad/s: the tangent of one step is 6e-4 rad off the cone. It keeps its speed and goes round."""
    world, robot = tilted(0.3, is_cone, 20.0)
    world.integrator = integrator
    start = world.energy
    widest = 0.0
    for _ in range(500):
        world.step()
        widest = max(widest, opening(robot, is_cone) - 0.3)
    exact = 3e-4 if integrator == "semi_implicit" else 1e-4
    assert widest <= exact
    assert opening(robot, is_cone) == pytest.approx(0.3, abs=exact)
    if integrator != "semi_implicit":  # which is of first order in energy
        assert world.energy == pytest.approx(start, rel=5e-3)


def whip(dt, count, speed):
    """Return a hanging chain of ball joints with cones of 0.3 rad, thrown about."""
    links = [
        joint_body(f"b{k}", k, Joint.SPHERICAL, 0.2, com=(0, 0, -0.1), inertia=1e-3 * np.eye(3),
                   position=(0, 0, -0.2 * (k > 0)), upper=0.3)
        for k in range(count)
    ]  # fmt: skip
    world = empty_world(dt)
    robot = world.add_articulated_system(TreeDescription([base(), *links]), collision_mask=0)
    robot.generalized_velocity = speed * np.random.default_rng(3).normal(size=3 * count)
    return world, robot


def test_a_whip_of_cones_does_not_feed_itself():
    """Its joints reach 150 rad/s, 0.3 rad in a step. The world became invalid after 0.11 s."""
    world, _ = whip(2e-3, 8, 3.0)
    start = world.energy
    for _ in range(150):
        world.step()
        assert world.energy <= start + 0.02


def test_a_cone_that_is_hit_at_speed_is_left_by_the_square_of_a_step():
    """A whip of two links that hit their cones at 50 rad/s: a step's curve is 4e-3 rad off its tangent."""
    over = []
    for dt in (1e-3, 5e-4):
        world, robot = whip(dt, 2, 8.0)
        widest = 0.0
        for _ in range(round(0.1 / dt)):
            world.step()
            q = robot.generalized_coordinate.reshape(2, 4)
            widest = max(widest, float(2 * np.arcsin(np.hypot(q[:, 1], q[:, 2])).max()) - 0.3)
        over.append(widest)
    assert over[0] <= 2.5e-3
    assert over[1] <= 0.4 * over[0]


@pytest.mark.parametrize("seed", [3, 6])
@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_stops_that_are_hit_at_speed_give_nothing(integrator, seed):
    """Five links thrown at 20 rad/s a joint: hits took the sum from 132 J to 156 J, one step gave 45 J.

    A step that presses against stops ends with no more energy than it had: to round-off with
    `semi_implicit`. With `midpoint` the energy is bounded before the drift of ball joints gets its term of
    third order, −dt³/24 ω × ω̇ = dt²/24 ω⁺ × ω [rad] of each. At the same joint velocities K changes by at
    most 2 K a radian, of which the weight's share is small at these speeds.
    A step between hits has the integrator's own error.
    """
    dt = 1e-3
    links = [
        joint_body(f"b{k}", k, Joint.SPHERICAL, 0.5, com=(0, 0, -0.1), inertia=2e-3 * np.eye(3),
                   position=(0, 0, -0.2 * (k > 0)), upper=math.pi / 4, is_cone=False)
        for k in range(5)
    ]  # fmt: skip
    world = empty_world(dt)
    world.integrator = integrator
    robot = world.add_articulated_system(TreeDescription([base(), *links]), collision_mask=0)
    throw = np.random.default_rng(seed).normal(size=(5, 3))
    throw *= 20.0 / np.linalg.norm(throw, axis=1, keepdims=True)
    robot.generalized_velocity = throw.ravel()
    before = world.energy
    hits = 0
    for _ in range(300):
        old = robot.generalized_velocity.reshape(5, 3).copy()
        world.step()
        if robot.active_limits and np.abs(robot.generalized_velocity).max() > 20.0:
            hits += 1
            new = robot.generalized_velocity.reshape(5, 3)
            turned = dt * dt / 24.0 * np.linalg.norm(np.cross(old, new), axis=1).sum()
            share = 2.0 * turned if integrator == "midpoint" else 0.0
            assert world.energy <= before + (share + 1e-12) * robot.kinetic_energy
        before = world.energy
    assert hits > 50
    assert world.status == (tribo.Status.TIME_STEP_TOO_LONG if integrator == "semi_implicit" else 0)


def test_runge_and_kutta_stop_at_a_cone():
    """A ball joint that nothing else touches falls against its cone."""
    rod = joint_body("rod", 0, Joint.SPHERICAL, 1.0, com=(0, 0, -0.5), upper=0.4)
    world = empty_world()
    world.integrator = "rk4"
    robot = world.add_articulated_system(TreeDescription([base(), rod]), collision_mask=0)
    robot.generalized_velocity = [3.0, 0.0, 0.0]
    widest = 0.0
    for _ in range(400):
        world.step()
        widest = max(widest, opening(robot, True))
    assert widest == pytest.approx(0.4, abs=1e-6)


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit"])
def test_a_drive_accelerates_to_its_speed_limit_and_no_further(integrator):
    """F on m: v = F t/m up to the limit, then v = limit to 1e-9 and torque = the load d v, exactly held."""
    m, force, limit, drag = 2.0, 4.0, 0.6, 1.5
    world = empty_world(1e-3, NONE)
    world.integrator = integrator
    robot = world.add_articulated_system(slider(m, velocity=limit, damping=drag))
    robot.generalized_force = [force]
    top = 0.0
    for _ in range(1000):
        world.step()
        top = max(top, robot.generalized_velocity[0])
    assert top <= limit * (1 + 1e-9)
    assert robot.generalized_velocity[0] == pytest.approx(limit, rel=1e-9)
    assert robot.applied_torque[0] == pytest.approx(drag * limit, rel=1e-9)


def test_a_drive_beyond_its_speed_limit_gives_nothing_but_may_brake():
    m, limit = 2.0, 0.5
    world = empty_world(1e-3, NONE)
    robot = world.add_articulated_system(slider(m, velocity=limit))
    robot.generalized_velocity = [2.0]
    robot.generalized_force = [4.0]
    world.step(100)
    assert robot.generalized_velocity[0] == pytest.approx(2.0, rel=1e-14)
    assert robot.applied_torque[0] == 0.0
    robot.generalized_force = [-4.0]
    world.step(100)
    assert robot.applied_torque[0] == -4.0
    assert robot.generalized_velocity[0] == pytest.approx(1.8, rel=1e-12)


def test_a_stiff_drive_moves_at_its_speed_limit_to_its_target():
    """PD with large gains: v = limit for most of the way, and it arrives; the effort limit holds too."""
    world = empty_world(1e-3)
    robot = world.add_articulated_system(pendulum(velocity=1.5, effort=30.0))
    robot.set_pd_gains(4000.0, 100.0)
    robot.pd_target = [2.0]
    speeds = []
    for _ in range(3000):
        world.step()
        speeds.append(abs(robot.generalized_velocity[0]))
        assert abs(robot.applied_torque[0]) <= 30.0
    assert max(speeds) <= 1.5 * (1 + 1e-9)
    assert sum(s > 1.5 * (1 - 1e-9) for s in speeds) > 1000
    assert robot.generalized_coordinate[0] == pytest.approx(2.0 - GRAVITY * math.sin(2.0) / 4000.0, rel=1e-4)


def test_speed_friction_and_stops_in_a_robot_with_contacts():
    """The package's robot with all of them at once stays finite and inside its limits."""
    world = empty_world(2e-3, friction=0.8)
    world.add_ground()
    robot = world.add_articulated_system(QUADRUPED, name="dog", position=(0, 0, 0.6))
    robot.dry_friction, robot.velocity_limit, robot.drive_form = 0.3, 2.0, "averaged"
    robot.set_pd_gains(300.0, 5.0)
    rng = np.random.default_rng(0)
    for _ in range(20):
        robot.pd_target = rng.uniform(-2, 2, 12)
        world.step(25)
    assert np.isfinite(robot.generalized_coordinate).all()
    for joint in robot.joints:
        lower, upper = joint.limits
        assert lower - 1e-2 <= joint.coordinate <= upper + 1e-2
    assert world.status & tribo.Status.NOT_CONVERGED == 0


def test_rows_of_joints_come_back_with_a_snapshot_and_in_a_batch():
    world = empty_world(1e-3, NONE)
    robot = world.add_articulated_system(two_sliders(mimic=("first", 2.0, 0.0)), name="carts")
    robot.dry_friction = {"first": 1.0}
    robot.joint("first").generalized_force = 3.0
    world.step(50)
    saved = world.snapshot()
    batch = tribo.Batch(world, 2, threads=1)
    batch.step(50)
    world.step(50)
    first = robot.generalized_coordinate.copy()
    assert np.array_equal(batch["carts"].generalized_coordinate, [first, first])
    robot.dry_friction, robot.velocity_limit = 9.0, 0.01
    world.restore(saved)
    assert robot.dry_friction.tolist() == [1.0, 0.0]
    world.step(50)
    assert np.array_equal(robot.generalized_coordinate, first)


def test_both_limits_of_every_joint_may_be_active():
    """Twelve joints with a range that one step crosses need two rows each: the tables held one."""
    links = "".join(LINK.format(k=k, p=f"l{k - 1}" if k else "world") for k in range(12))
    world = tribo.World()
    robot = world.add_articulated_system(LOCKED.format(links))
    robot.generalized_velocity = np.full(12, 5.0)
    world.step(200)
    assert np.abs(robot.generalized_coordinate).max() < 2e-4


def test_a_robot_of_fixed_joints_only():
    """A tree without a degree of freedom has no row to factor."""
    world = tribo.World()
    body = '<link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link>'
    joint = '<joint name="j" type="fixed"><parent link="world"/><child link="a"/></joint>'
    world.add_articulated_system(LOCKED.format(body + joint))
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 1.5))
    world.step(1000)
    assert ball.position[2] == pytest.approx(1.1, abs=1e-9)


def test_more_rows_than_the_table_has():
    """A table of rows that is too small is enlarged before anything reads beyond it."""
    links = "".join(LINK.format(k=k, p=f"l{k - 1}" if k else "world") for k in range(100))
    world = tribo.World()
    robot = world.add_articulated_system(LOCKED.format(links))
    robot.generalized_velocity = np.full(100, 1.0)
    room = world.engine.capacity.rows
    world.step(3)
    assert world.engine.capacity.rows > room
    assert np.isfinite(robot.generalized_velocity).all()
