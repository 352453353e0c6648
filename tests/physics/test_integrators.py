"""Orders of convergence of the three integrators, and what rk4 does where something touches."""

import numpy as np
import pytest
from scenes import base, joint_body, quadruped_description, random_state, random_tree

import tribo
from tribo.description.trees import TreeDescription
from tribo.model import Joint, Status

T = 0.128


def end(integrator, dt, kind):
    """Return the state at time T of a scene without contact and without stiff drives."""
    world = tribo.World(time_step=dt, gravity=(0, 0, -9.81))
    world.integrator = integrator
    if kind == "box":
        part = world.add_box((0.1, 0.2, 0.4), 1.0, position=(0, 0, 5), angular_velocity=(3, 4, 5))
    else:
        rng = np.random.default_rng(3)
        part = world.add_articulated_system(
            random_tree(rng, 8, floating=kind == "floating"), collision_group=0, collision_mask=0
        )
        random_state(rng, part)
        for joint in part.joints:
            joint.damping = 0.0
    world.step(round(T / dt))
    return np.concatenate([part.generalized_coordinate, part.generalized_velocity])


@pytest.mark.parametrize("kind", ["floating", "fixed", "box"])
@pytest.mark.parametrize(
    ("integrator", "order", "dt"), [("semi_implicit", 1, 1e-3), ("midpoint", 2, 1e-3), ("rk4", 4, 4e-3)]
)
def test_order(kind, integrator, order, dt):
    known = end("rk4", 2.5e-4, kind)
    coarse, fine = (np.abs(end(integrator, h, kind) - known).max() for h in (2 * dt, dt))
    assert fine > 1e-12  # an error, not round-off
    # The next term of the error is one order higher: it changes the ratio by a share of about dt · rate.
    assert abs(np.log2(coarse / fine) - order) < 0.35


def test_rk4_leaves_what_touches_to_midpoint_and_says_so():
    world = tribo.World()
    world.integrator = "rk4"
    ground = world.add_ground()
    world.add_articulated_system(
        quadruped_description(limits=False), position=(0, 0, 2.0), collision_mask=ground.collision_group
    )
    ball = world.add_sphere(0.1, 1.0, position=(3, 0, 0.1))
    world.step()
    assert world.status & Status.FELL_BACK_TO_MIDPOINT  # the ball lies
    assert ball.position[2] == pytest.approx(0.1, abs=1e-9)
    world.remove(ball)
    world.step()
    assert not world.status


def test_rk4_drives_push_within_their_effort():
    world = tribo.World(gravity=(0, 0, 0))
    world.integrator = "rk4"
    robot = world.add_articulated_system(
        quadruped_description(damping=False, limits=False), position=(0, 0, 2.0), collision_mask=0
    )
    robot.set_pd_gains(np.full(robot.dof, 5.0), np.zeros(robot.dof), hold_base=True)
    target = robot.generalized_coordinate.copy()
    target[7:] += 0.01
    robot.pd_target = target
    world.step()
    assert np.all(robot.applied_torque[6:] == pytest.approx(0.05, rel=0.2))


def test_snapshot_of_an_rk4_world_continues_bitwise():
    world = tribo.World()
    world.integrator = "rk4"
    robot = world.add_articulated_system(
        random_tree(np.random.default_rng(1), 9, floating=True), collision_mask=0, collision_group=0
    )
    random_state(np.random.default_rng(2), robot)
    world.step(5)
    saved = world.snapshot()
    world.step(20)
    known = robot.generalized_coordinate.copy()
    world.restore(saved)
    world.step(20)
    assert robot.generalized_coordinate.tobytes() == known.tobytes()


@pytest.mark.parametrize("speed", [50.0, 200.0, 500.0, 1000.0, 3000.0, 1e5])
def test_rk4_of_a_body_that_turns_far_in_a_step(speed):
    """A step that is too long is said, and its midpoint step keeps the energy; one that is not changes it
    by less than 1e-5, ten times what an oscillation loses at the limit. (Before, 1 rad a step blew up without
    a word.)"""
    world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
    world.integrator = "rk4"
    spin = speed * np.array([1.0, 0.5, 0.3])
    world.add_box((0.1, 0.2, 0.4), 1.0, angular_velocity=spin)
    energy = world.kinetic_energy
    said = 0
    for _ in range(300):
        world.step()
        assert world.status in (0, Status.TIME_STEP_TOO_LONG | Status.FELL_BACK_TO_MIDPOINT)
        said += world.status != 0
    assert (said > 0) == (speed > 200.0)
    assert said == 300 or speed < 1000.0
    assert world.kinetic_energy == pytest.approx(energy, rel=1e-5 * (300 - said) + 1e-6)


def test_rk4_says_nothing_of_a_slow_or_a_round_turn():
    """A turn of 0.02 rad a step is resolved, and a spin about a principal axis is exact at any speed."""
    world = tribo.World(time_step=1e-3, gravity=(0, 0, -9.81))
    world.integrator = "rk4"
    world.add_box((0.1, 0.2, 0.4), 1.0, angular_velocity=(10, 10, 10))
    world.add_box((0.1, 0.2, 0.4), 1.0, position=(5, 0, 0), angular_velocity=(0, 0, 2500))
    world.add_sphere(0.1, 1.0, position=(10, 0, 0), angular_velocity=(2500, 0, 700))
    energy = world.energy
    for _ in range(100):
        world.step()
        assert world.status == 0
    assert world.energy == pytest.approx(energy, rel=1e-9)


def swung(speed, integrator="rk4"):
    """Return the worst relative error of the energy in 500 steps, and how many were said to be too long."""
    world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
    world.integrator = integrator
    description = random_tree(np.random.default_rng(3), 5, floating=False)
    tree = world.add_articulated_system(description, collision_group=0, collision_mask=0)
    for joint in tree.joints:
        joint.damping = 0.0
    tree.generalized_velocity = speed * np.cos(np.arange(tree.dof))
    before = world.kinetic_energy
    worst = 0.0
    said = 0
    for _ in range(500):
        try:
            world.step()
        except tribo.SimulationError:
            return np.inf, said
        said += world.status & Status.TIME_STEP_TOO_LONG != 0
        worst = max(worst, abs(world.kinetic_energy / before - 1))
    return worst, said


@pytest.mark.parametrize("speed", [20.0, 100.0, 300.0, 1000.0, 3000.0])
def test_a_linkage_that_turns_far_takes_its_steps_of_fourth_order_in_parts(speed):
    """Up to 64 parts, each of which changes the energy by 1e-6 at most. (Before, 300 rad/s was said to be too
    much, and beyond it the energy was lost.)"""
    worst, said = swung(speed)
    assert said == 0
    assert worst <= 500 * 64 * 1e-6 * min(1.0, speed / 1000.0)


def test_a_linkage_that_turns_too_far_for_any_parts_says_so():
    """16 turns a step."""
    _, said = swung(1e5)
    assert said > 0


@pytest.mark.parametrize("speed", [5.0, 20.0, 50.0, 100.0, 300.0, 1000.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_whip_keeps_its_energy_under_the_midpoint_rule(speed, seed):
    """Six links on ball joints. They became invalid after 0.2 s at 50 rad/s, without a word."""
    links = [
        joint_body(f"l{k}", k, Joint.SPHERICAL, 0.3, com=(0, 0, -0.1), inertia=1e-3 * np.eye(3),
                   position=(0, 0, -0.2 * (k > 0)))
        for k in range(6)
    ]  # fmt: skip
    world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(TreeDescription([base(), *links]), collision_mask=0)
    v = np.random.default_rng(seed).normal(size=robot.dof)
    robot.generalized_velocity = speed * v / np.abs(v).max()
    energy = world.kinetic_energy
    for _ in range(300):
        world.step()
        assert world.kinetic_energy == pytest.approx(energy, rel=0.01)


def test_a_free_tree_of_two_that_turns_a_radian_a_step_keeps_its_energy():
    """Under the midpoint rule it gained a factor of 4e20 in 8 steps, without a word."""
    world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(
        random_tree(np.random.default_rng(4), 1, floating=True), collision_mask=0, collision_group=0
    )
    for joint in robot.joints:
        joint.damping = 0.0
    v = np.cos(np.arange(robot.dof))
    v[:3] = 0.0
    robot.generalized_velocity = 1000.0 * v
    energy = world.kinetic_energy
    world.step(100)
    assert world.status == 0
    assert world.kinetic_energy == pytest.approx(energy, rel=0.01)


@pytest.mark.parametrize(("speed", "is_said"), [(5.0, False), (200.0, True)])
def test_semi_implicit_says_that_a_tree_turns_too_far(speed, is_said):
    """It takes velocity-dependent forces at the start of a step, and nothing makes up for it."""
    _, said = swung(speed, "semi_implicit")
    assert (said > 0) == is_said


def test_semi_implicit_says_nothing_of_a_wheel_that_is_driven():
    """However fast it turns and however hard it is pushed: nothing depends on its velocity."""
    world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
    world.integrator = "semi_implicit"
    wheel = joint_body("wheel", 0, Joint.REVOLUTE, 1.0, axis=(0, 0, 1), inertia=0.01 * np.eye(3))
    robot = world.add_articulated_system(TreeDescription([base(), wheel]), collision_mask=0)
    robot.generalized_velocity = [20.0]
    robot.generalized_force = [100.0]  # 10 rad/s in a step
    world.step(10)
    assert world.status == 0
    assert robot.generalized_velocity[0] == pytest.approx(120.0)


def swinging_pair(speed, **options):
    """Return a world without weight and two rods on ball joints in it, thrown in different directions."""
    rods = [
        joint_body(f"l{k}", k, Joint.SPHERICAL, 0.3, com=(0, 0, -0.1), inertia=1e-3 * np.eye(3),
                   position=(0, 0, -0.2 * k), **options)
        for k in range(2)
    ]  # fmt: skip
    world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(TreeDescription([base(), *rods]), collision_mask=0)
    robot.generalized_velocity = speed * np.array([1.0, 0.3, 0.2, -0.5, 0.8, 0.1])
    return world, robot


@pytest.mark.parametrize("integrator", ["midpoint", "rk4"])
def test_drives_that_bear_the_weight_bear_it_once_in_each_stage(integrator):
    """A thrown arm whose weight is borne moves as one without weight. (Each stage added it once more.)"""
    ends = []
    for gravity in (0.0, -9.81):
        world, robot = swinging_pair(60.0)
        world.integrator = integrator
        world.gravity = (0, 0, gravity)
        robot.gravity_compensation = gravity != 0.0
        world.step(50)
        assert world.engine.work.tree_is_fourth.any()
        ends.append(robot.generalized_velocity.copy())
    # What is borne and the weight differ by round-off, which 50 steps spread by less than 1e5.
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-9, atol=1e-9 * 60.0)


def test_steps_in_parts_continue_bitwise_from_a_snapshot_and_in_a_batch():
    world, robot = swinging_pair(100.0)
    world.step(5)
    saved = world.snapshot()
    world.step(20)
    assert world.engine.work.tree_is_fourth.any()
    known = robot.generalized_coordinate.tobytes()
    world.restore(saved)
    world.step(20)
    assert robot.generalized_coordinate.tobytes() == known
    alone, _ = swinging_pair(100.0)
    many = tribo.Batch(alone, 3)
    many.step(25)
    for k in range(3):
        assert many[robot.name].generalized_coordinate[k].tobytes() == known


def test_a_push_on_a_tree_that_turns_far_is_the_same_in_each_frame_of_reference():
    """Velocities as seen from a base that flies by at 100 m/s are those of one that does not."""
    ends = []
    for speed in (0.0, 100.0):
        world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
        robot = world.add_articulated_system(
            random_tree(np.random.default_rng(4), 2, floating=True), collision_mask=0, collision_group=0
        )
        for joint in robot.joints:
            joint.damping = 0.0
        v = 150.0 * np.cos(np.arange(robot.dof))
        v[:3] = (speed, 0.0, 0.0)
        robot.generalized_velocity = v
        for _ in range(10):
            robot.apply_force(robot.body_names[0], (0.0, 100.0, 0.0))
            world.step()
            assert world.engine.work.tree_is_fourth.any()
        ends.append(robot.generalized_velocity - (speed, 0.0, 0.0, *np.zeros(robot.dof - 3)))
    # 100 m/s times a lever of 1 m round to 1e-14 of 100, in each of 10 steps; forces spread it by 1e3.
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-8 * 150.0)


@pytest.mark.parametrize("speed", [30.0, 100.0, 300.0])
def test_a_flying_tree_keeps_its_momentum_however_far_it_turns(speed):
    """In parts as well. (Those alone lost 1e-3 of it.)"""
    world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(
        random_tree(np.random.default_rng(4), 2, floating=True), collision_mask=0, collision_group=0
    )
    for joint in robot.joints:
        joint.damping = 0.0
    v = speed * np.cos(np.arange(robot.dof))
    v[:3] = 0.0
    robot.generalized_velocity = v
    p, l = robot.linear_momentum.copy(), robot.angular_momentum_about(robot.com_position)
    energy, parts = world.kinetic_energy, 0
    for _ in range(200):
        world.step()
        parts += int(world.engine.work.tree_is_fourth.any())
    assert parts > 100 or speed < 100.0
    np.testing.assert_allclose(robot.linear_momentum, p, atol=1e-11 * np.linalg.norm(p))
    now = robot.angular_momentum_about(robot.com_position)
    np.testing.assert_allclose(now, l, atol=1e-11 * np.linalg.norm(l))
    assert world.kinetic_energy == pytest.approx(energy, rel=0.01)


def test_a_tree_with_drives_keeps_their_law_however_far_it_turns():
    """It goes in parts, but the drive belongs to the whole step: τ = −k_d v⁺.

    The damper is weak: what takes more lets h be repeated instead.
    """
    world, robot = swinging_pair(100.0)
    robot.set_pd_gains(np.zeros(6), np.full(6, 1e-5))
    for _ in range(20):
        world.step()
        assert world.engine.work.tree_is_fourth.any()
        np.testing.assert_allclose(
            robot.applied_torque, -1e-5 * robot.generalized_velocity, rtol=1e-9, atol=1e-14
        )


@pytest.mark.parametrize("speed", [20.0, 40.0])
def test_a_rod_that_runs_around_its_stop_gains_nothing(speed):
    """The force that bends its path goes on from step to step, and h is taken where it leads.

    h may be taken 3 % beside the velocity to which it leads: dt ω times that of the energy. The stop itself
    is exact to second order, and loses.
    """
    rod = joint_body("rod", 0, Joint.SPHERICAL, 1.0, com=(0, 0, -0.5), inertia=0.01 * np.eye(3),
                     upper=0.3, is_cone=False)  # fmt: skip
    world = tribo.World(time_step=1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(TreeDescription([base(), rod]), collision_mask=0)
    robot.generalized_coordinate = [np.cos(0.15), 0, np.sin(0.15), 0]
    robot.generalized_velocity = [speed * np.cos(0.3), 0.0, speed * np.sin(0.3)]
    energy = world.kinetic_energy
    for _ in range(500):
        world.step()
        assert world.kinetic_energy <= energy * (1 + 0.03 * 1e-3 * speed)
    assert world.kinetic_energy >= energy * (1 - 500 * (1e-3 * speed) ** 2)
