"""Sleep: what rests is left at rest, bit for bit, and the slightest cause wakes it in the next step."""

import math

import numpy as np
import pytest
from scenes import GRAVITY, QUIET, inclined_gravity, sleepy_world, standing_quadruped

import tribo
from tribo.checks.errors import EditError


def stack(world, count=3, x=0.0):
    """Return boxes of 1 m and 1 kg on each other."""
    return [world.add_box((1, 1, 1), 1.0, position=(x, 0, 0.5 + k)) for k in range(count)]


@pytest.fixture
def sleepers():
    """Return a world in which two stacks, one beside the other, sleep."""
    world = sleepy_world()
    near, far = stack(world), stack(world, x=5.0)
    world.step(80)
    assert all(box.is_asleep for box in near + far)
    return world, near, far


def test_a_stack_sleeps_and_stays_as_it_is(sleepers):
    world, near, _ = sleepers
    before = [(box.position.copy(), box.orientation.copy()) for box in near]
    energy = world.energy
    world.step(500)
    for box, (position, orientation) in zip(near, before, strict=True):
        assert np.array_equal(box.position, position)
        assert np.array_equal(box.orientation, orientation)
        assert not box.generalized_velocity.any()
    assert world.energy == energy
    assert world.status == 0


def test_contacts_of_sleepers_go_on_bearing_them(sleepers):
    world, near, _ = sleepers
    world.step(7)
    weight = sum(c.force[2] for c in near[0].contacts if c.other(near[0]) is not near[1])
    # The stack's solution is as good as the tolerance of the solve.
    assert weight == pytest.approx(3 * GRAVITY, rel=1e-8)
    found = world.diagnose_contact(near[0], near[1])
    assert found.count("stick") == 4
    assert found.normal_force == pytest.approx(2 * GRAVITY, rel=1e-8)


def test_only_after_the_quiet_time():
    world = sleepy_world()
    box = stack(world, 1)[0]
    world.step(round(QUIET / world.time_step))
    assert not box.is_asleep
    world.step(2)
    assert box.is_asleep


def push(world, near):
    near[1].apply_force((1e-3, 0, 0))


def lift_gravity(world, near):
    world.gravity = (0, 0, -GRAVITY - 1e-9)


def move(world, near):
    near[2].linear_velocity = (0, 0, 1e-6)


def grease(world, near):
    world.default_pair = tribo.PairProperties(friction=0.59)


def remove(world, near):
    world.remove(near.pop(0))


def lengthen_the_step(world, near):
    world.time_step = 2e-3


def call(world, near):
    near[0].wake()


@pytest.mark.parametrize("cause", [push, lift_gravity, move, grease, remove, lengthen_the_step, call])
def test_everything_wakes_in_the_next_step(sleepers, cause):
    world, near, far = sleepers
    cause(world, near)
    world.step()
    if cause is call:  # the one that was called; those that touch it follow
        world.step()
    assert not any(box.is_asleep for box in near)
    touches_all = cause in (lift_gravity, grease, lengthen_the_step)
    assert all(box.is_asleep != touches_all for box in far)


def test_without_support_they_fall(sleepers):
    world, near, _ = sleepers
    world.remove(near.pop(0))
    world.step()
    assert near[0].linear_velocity[2] == pytest.approx(-GRAVITY * world.time_step, rel=1e-12)


def test_a_body_that_arrives_wakes_the_pile(sleepers):
    world, near, far = sleepers
    ball = world.add_sphere(0.1, 1.0, position=(0.2, 0, 3.3))
    world.step(300)
    assert ball.position[2] < 3.3
    assert all(box.is_asleep for box in far)
    awake = sleepy_world()
    boxes = stack(awake)
    awake.sleeping = False
    awake.step(80)
    other = awake.add_sphere(0.1, 1.0, position=(0.2, 0, 3.3))
    awake.step(300)
    # Impulses at rest differ in the least digits; the ball feels them once, through the blow.
    assert ball.position == pytest.approx(other.position, abs=1e-9)
    assert near[2].position == pytest.approx(boxes[2].position, abs=1e-9)


def test_a_platform_that_starts_wakes_what_lies_on_it():
    world = sleepy_world()
    belt = world.add_box((4, 4, 0.2), 1.0, position=(0, 0, 1.0), body_type="kinematic")
    box = world.add_box((0.4, 0.4, 0.4), 1.0, position=(0, 0, 1.3))
    world.step(80)
    assert box.is_asleep
    belt.linear_velocity = (0.1, 0, 0)
    world.step(200)
    assert box.linear_velocity[0] == pytest.approx(0.1, abs=1e-9)
    assert not box.is_asleep


def test_what_turns_back_does_not_sleep():
    """A ball that rolls up a slope is slow for longer than the quiet time, and not at rest."""
    slope = math.radians(0.1)
    world = sleepy_world(gravity=inclined_gravity(slope))
    world.sleep_angular_speed = 0.2
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.1))
    a = 5 / 7 * GRAVITY * math.sin(slope)
    assert 2 * world.sleep_speed / a > 2 * QUIET
    start = -5 * world.sleep_speed
    ball.linear_velocity, ball.angular_velocity = (start, 0, 0), (0, start / 0.1, 0)
    steps = round(-2 * start / a / world.time_step)
    slept = 0
    for _ in range(steps):
        world.step()
        slept += ball.is_asleep
    assert slept == 0
    # Each trial takes a speed of at most `sleep_speed` and gives a step's acceleration back.
    assert ball.linear_velocity[0] > 0.0


@pytest.mark.parametrize("moved", ["box", "table"])
def test_contacts_elsewhere_wake(moved):
    """A box whose centre of mass comes to lie beyond the edge of a table is awake, though no gap changes."""
    for start in np.linspace(-0.4, 0.4, 9):
        for place in np.linspace(0.55, 0.95, 9):
            world = sleepy_world()
            table = world.add_box((1, 1, 1), 1.0, position=(0, 0, 0.5), body_type="static")
            box = world.add_box((1, 1, 1), 1.0, position=(start, 0, 1.5))
            world.step(120)
            assert box.is_asleep
            if moved == "box":
                box.position = (place, 0, box.position[2])
            else:
                table.position = (-place, 0, 0.5)
            world.step()
            assert not box.is_asleep


@pytest.mark.parametrize(("name", "value"), [("erp", 0.5), ("max_push_out_speed", 0.1)])
def test_recovery_from_overlap_wakes(name, value):
    """A box that rests in the ground rises when it is allowed to."""
    world = sleepy_world()
    setattr(world, name, 0.0)
    box = world.add_box((1, 1, 1), 1.0, position=(0, 0, 0.49))
    world.step(120)
    assert box.is_asleep
    setattr(world, name, value)
    world.step(300)
    assert box.position[2] == pytest.approx(0.5, abs=1e-4)


def test_robots_stay_awake_unless_asked():
    world = sleepy_world(friction=1.0)
    robot = standing_quadruped(world)
    box = world.add_box((0.2, 0.2, 0.2), 1.0, position=(2, 0, 0.1))
    world.step(3000)
    assert box.is_asleep
    assert not robot.is_asleep
    assert not robot.can_sleep
    robot.can_sleep = True
    world.step(80)
    assert robot.is_asleep
    q = robot.generalized_coordinate.copy()
    torque = robot.applied_torque.copy()
    world.step(50)
    assert np.array_equal(robot.generalized_coordinate, q)
    assert np.array_equal(robot.applied_torque, torque)
    robot.pd_target = robot.pd_target + np.eye(19)[8] * 1e-6
    world.step()
    assert not robot.is_asleep


def test_sleep_is_state(tmp_path):
    """A world that is restored, or read from its bytes, goes on with the same bits."""
    world = sleepy_world()
    boxes = stack(world)
    world.step(52)
    saved = world.snapshot()
    world.save_state(tmp_path / "state")

    def future():
        world.step(20)
        boxes[1].apply_force((0.1, 0, 0))
        world.step(40)
        return world.hash()

    first = future()
    world.restore(saved)
    second = future()
    world.load_state(tmp_path / "state")
    assert first == second == future()


def test_the_numbers_of_a_batch_are_those_of_a_world():
    world = sleepy_world()
    stack(world)
    batch = tribo.Batch(world, 3)
    batch.step(100)
    world.step(100)
    q = world.engine.state.arrays["q"]
    assert world.engine.state.tree_is_asleep.any()
    assert all(np.array_equal(row, q[0]) for row in batch.engine.state.arrays["q"])


def test_an_object_that_comes_elsewhere_leaves_them_asleep(sleepers):
    world, near, far = sleepers
    world.add_sphere(0.1, 1.0, position=(20, 0, 5))
    world.remove(far.pop(0))
    world.step()
    assert all(box.is_asleep for box in near)
    assert not any(box.is_asleep for box in far)


def test_nothing_sleeps_where_it_is_off():
    world = sleepy_world()
    boxes = stack(world)
    world.sleeping = False
    world.step(200)
    assert not any(box.is_asleep for box in boxes)
    world.sleeping = True
    world.step(80)
    assert all(box.is_asleep for box in boxes)
    world.sleeping = False
    world.step()
    assert not any(box.is_asleep for box in boxes)


def test_who_may_not_sleep_keeps_its_island_awake(sleepers):
    world, near, far = sleepers
    near[1].can_sleep = False
    world.step(200)
    assert not any(box.is_asleep for box in near)
    assert all(box.is_asleep for box in far)


def test_bad_values(sleepers):
    world, near, _ = sleepers
    with pytest.raises(TypeError, match="can_sleep of"):
        near[0].can_sleep = 1
    with pytest.raises(TypeError, match="sleeping"):
        world.sleeping = "yes"
    with pytest.raises(ValueError, match="sleep_time"):
        world.sleep_time = 0.0
    with pytest.raises(ValueError, match="sleep_speed"):
        world.sleep_speed = -1.0
    world.update()
    with pytest.raises(EditError):
        near[0].wake()


@pytest.mark.parametrize("phase", [0, 1, 2, 3])
def test_switched_off_nothing_is_left_of_it(phase):
    """Around the step in which a box falls asleep; then it is thrown, or lifted out of its contacts."""
    world = sleepy_world()
    (box,) = stack(world, 1)
    world.step(round(QUIET / world.time_step) + phase)
    box.position = (0, 0, 0.51)
    world.step()
    world.sleeping = False
    box.linear_velocity = (0, 0, 2.0)
    start = box.position[2]
    world.step(50)
    fallen = 2.0 * 0.05 - 0.5 * GRAVITY * 0.05**2
    assert box.position[2] - start == pytest.approx(fallen, abs=GRAVITY * 0.05 * world.time_step)
    box.position, box.linear_velocity = (0, 0, 0.5), (0, 0, 0)
    world.step(100)
    assert box.position[2] == pytest.approx(0.5, abs=1e-9)


def test_switched_off_a_robot_moves_as_one_that_never_slept():
    """Floating, without weight: energy as exact as the integrator, momentum to round-off."""
    found = []
    for slept in (True, False):
        world = sleepy_world(friction=1.0)
        robot = standing_quadruped(world)
        robot.can_sleep = slept
        world.step(3000)
        world.sleeping = False
        world.gravity = (0, 0, 0)
        robot.set_pd_gains(0.0, 0.0)
        robot.generalized_velocity = np.linspace(-0.3, 0.4, robot.dof) + np.eye(robot.dof)[2]
        before = world.energy
        world.step(100)
        found.append(world.energy / before - 1)
    assert abs(found[0] - found[1]) < 1e-6


def test_a_wire_wakes_what_it_is_tied_to(sleepers):
    world, near, far = sleepers
    world.add_wire(far[2], None, second_point=(5, 0, 9), tension=30.0)
    world.step()
    assert not any(box.is_asleep for box in far)
    assert far[2].linear_velocity[2] > 0.0
    assert all(box.is_asleep for box in near)


@pytest.mark.parametrize(
    "law", [{"rolling_friction": 0.19}, {"spinning_friction": 0.1}, {"rolling_length": 1e-3},
            {"static_friction": 0.7, "static_friction_velocity": 0.01}]
)  # fmt: skip
def test_every_friction_counts(law):
    world = sleepy_world(friction=0.6, rolling_friction=0.2)
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.1))
    world.step(80)
    assert ball.is_asleep
    world.default_pair = tribo.PairProperties(**{"friction": 0.6, "rolling_friction": 0.2, **law})
    world.step()
    assert not ball.is_asleep


def test_gaps_that_change_against_one_another_wake():
    """A platform that is turned about the middle of the box: the sum of the four gaps stays."""
    world = sleepy_world()
    floor = world.add_box((4, 4, 0.2), 1.0, position=(0, 0, 1.0), body_type="kinematic")
    box = world.add_box((0.4, 0.4, 0.4), 1.0, position=(0, 0, 1.3))
    world.step(80)
    assert box.is_asleep
    floor.orientation = (math.cos(5e-7), math.sin(5e-7), 0, 0)
    world.step()
    assert not box.is_asleep


def test_a_robot_on_a_loose_box_falls_asleep():
    """What floats keeps its momentum, but not that of a step whose velocities sleep took away."""
    world = sleepy_world(friction=1.0)
    box = world.add_box((2.0, 2.0, 0.5), 100.0, position=(0, 0, 0.25))
    robot = standing_quadruped(world)
    q = robot.generalized_coordinate.copy()
    q[2] += 0.5
    robot.generalized_coordinate = q
    robot.can_sleep = box.can_sleep = True
    world.step(3000)
    assert robot.is_asleep
    assert not robot.generalized_velocity.any()


def test_a_limit_that_comes_within_reach_wakes_a_robot():
    world = sleepy_world(friction=1.0)
    robot = standing_quadruped(world)
    robot.can_sleep = True
    world.step(3000)
    assert robot.is_asleep
    joint = robot.joints[1]
    at = float(joint.coordinate[0]) if np.ndim(joint.coordinate) else float(joint.coordinate)
    joint.limits = (at - 1e-4, at + 1.0)
    world.step()
    assert not robot.is_asleep
