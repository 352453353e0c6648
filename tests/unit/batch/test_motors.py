"""Motors: delay, lag and torque-speed line against the same law in Python, and against closed forms."""

import math

import numpy as np
import pytest
from scenes import empty_world, ground_world, standing_quadruped

import tribo

DT = 0.002


def wheel_world():
    """Return a wheel on a fixed axis without friction: τ = I α."""
    world = empty_world(dt=DT, gravity=(0, 0, 0))
    post = tribo.LinkDescription("post")
    wheel = post.add_child("wheel", "revolute", axis=(0, 0, 1))
    wheel.add_shape("sphere", (0.5,), mass=1.0, collides=False)
    world.add_articulated_system(post, name="wheel", fixed_base=True, position=(0, 0, 0))
    return world


def wheels(worlds=1):
    """Return a batch of wheels and the wheel in it."""
    batch = tribo.Batch(wheel_world(), worlds, threads=1)
    return batch, batch["wheel"]


def inertia_of(wheel):
    """Return the inertia about the axis, from what a known torque does in a step [kg m²]."""
    return float(wheel.mass_matrix[0, 0, 0])


def test_a_lag_is_an_exponential():
    """A constant command: τ_k = τ_c (1 − e^(−k dt/T)), to rounding of k products."""
    batch, wheel = wheels()
    wheel.set_motors(time_constant=0.03)
    wheel.generalized_force[:, 0] = 2.0
    for k in range(1, 40):
        batch.step()
        expected = 2.0 * (1.0 - math.exp(-k * DT / 0.03))
        assert wheel.motors["torque"][0, 0] == pytest.approx(expected, rel=1e-13)
        assert wheel.applied_torque[0, 0] == wheel.motors["torque"][0, 0]


def test_a_delay_is_so_many_steps():
    """A command that is set before step k acts from step k + n on; before, the oldest one is held."""
    batch, wheel = wheels(3)
    wheel.set_motors(delay=[[0.0], [2 * DT], [5 * DT]])
    torques = []
    for k in range(12):
        wheel.generalized_force[:, 0] = float(k + 1)
        batch.step()
        torques.append(wheel.applied_torque[:, 0].copy())
    torques = np.array(torques)
    for world, n in enumerate((0, 2, 5)):
        np.testing.assert_array_equal(torques[:, world], np.maximum(np.arange(12) - n, 0) + 1.0)


def test_the_line_bounds_torque_and_speed():
    """At full command τ = τ_s (1 − v/v_0): v = v_0 (1 − (1 − h)^k), h = dt τ_s/(I v_0), step by step."""
    batch, wheel = wheels()
    stall, no_load = 3.0, 20.0
    wheel.set_motors(stall_torque=stall, no_load_speed=no_load)
    wheel.generalized_force[:, 0] = 1e3
    h = DT * stall / (inertia_of(wheel) * no_load)
    batch.step(500)
    expected = no_load * (1.0 - (1.0 - h) ** 500)
    assert wheel.generalized_velocity[0, 0] == pytest.approx(expected, rel=1e-11)
    assert wheel.motors["torque"][0, 0] < stall
    wheel.generalized_velocity[:, 0] = 2.0 * no_load  # faster than the motor: it does not push …
    batch.step()
    assert wheel.applied_torque[0, 0] == 0.0
    wheel.generalized_force[:, 0] = -1e3  # … but may brake, and with more than at rest
    batch.step()
    assert wheel.applied_torque[0, 0] == pytest.approx(-stall * 3.0, rel=1e-12)


def test_effort_limits_hold_as_well():
    """The line is cut off at the effort limit."""
    batch, wheel = wheels()
    wheel.set_motors(stall_torque=3.0, no_load_speed=20.0)
    wheel.joint("wheel_joint").effort_limits = 1.0
    wheel.generalized_force[:, 0] = 1e3
    batch.step()
    assert wheel.applied_torque[0, 0] == 1.0


def python_law(target, kp, kd, feed, history, delay, lag, before, stall, no_load, q, v):
    """Return the torque as docs/howto/rollout has it, and the history with this command."""
    history = [(target, feed), *history]
    target, feed = history[min(delay, len(history) - 1)]
    torque = feed + kp * (target - q) + kd * (0.0 - v)
    if lag > 0.0:
        torque = before + (1.0 - math.exp(-DT / lag)) * (torque - before)
    upper = max(0.0, stall * (1.0 - v / no_load))
    lower = min(0.0, stall * (-1.0 - v / no_load))
    return min(max(torque, lower), upper), history


def test_all_together_are_the_law_in_python():
    """Commands that move, delay, lag and line: a wheel under motors, and one whose torque Python computes.

    The torques are computed in the same order: equal to the bit, and so are the states.
    """
    batch, wheel = wheels()
    wheel.set_pd_gains(8.0, 0.3)
    wheel.set_motors(delay=3 * DT, time_constant=0.01, stall_torque=4.0, no_load_speed=15.0)
    alone = wheel_world()
    free = alone["wheel"]
    history, torque = [], 0.0
    for k in range(300):
        target = math.sin(0.05 * k)
        feed = 0.5 * math.cos(0.11 * k)
        wheel.pd_target[:, 0], wheel.generalized_force[:, 0] = target, feed
        q, v = float(free.generalized_coordinate[0]), float(free.generalized_velocity[0])
        torque, history = python_law(target, 8.0, 0.3, feed, history, 3, 0.01, torque, 4.0, 15.0, q, v)
        free.generalized_force = [torque]
        batch.step()
        alone.step()
        assert wheel.applied_torque[0, 0] == torque, k
        assert wheel.generalized_coordinate[0, 0] == free.generalized_coordinate[0], k
    np.testing.assert_array_equal(wheel.kp, 8.0)  # the user's commands are where they were
    assert wheel.generalized_force[0, 0] == feed


def dogs(worlds, threads=1):
    """Return robots with motors whose numbers differ from world to world."""
    world = ground_world(dt=DT, friction=0.7)
    standing_quadruped(world, kp=40.0, kd=1.0, name="dog")
    batch = tribo.Batch(world, worlds, threads=threads)
    late = DT * np.arange(worlds)[:, None] * np.ones(12)
    batch["dog"].set_motors(delay=late, time_constant=0.004, stall_torque=30.0, no_load_speed=25.0)
    return batch


def test_a_batch_has_the_bits_of_single_worlds():
    """Each world alone, with its own delay, and any number of threads and steps in a call."""
    many, other = dogs(4, threads=2), dogs(4)
    many.step(20)
    many["dog"].pd_target[:, 7:] += 0.2
    many.step(40)
    for k in range(60):
        if k == 20:
            other["dog"].pd_target[:, 7:] += 0.2
        other.step()
    assert many.hash() == other.hash()
    for k in range(4):
        one = dogs(4)
        one["dog"].generalized_coordinate[np.arange(4) != k, 2] += 3.0  # the others do something else
        one.step(20)
        one["dog"].pd_target[k, 7:] += 0.2
        one.step(40)
        assert one.hash(k) == many.hash(k)
    assert len(set(many.hash())) == 4


def test_pools_and_snapshots_hold_what_motors_remember():
    """Delayed commands and lagging torques are state: going back gives the same bits again."""
    batch = dogs(3)
    dog = batch["dog"]
    batch.step(20)
    dog.pd_target[:, 7:] += 0.1
    batch.step(1)  # the new target is under way
    pool, saved, before = batch.pool(), batch.snapshot(), batch.hash()
    batch.step(30)
    after = batch.hash()
    assert after != before
    batch.reset(pool, [0, 1, 2], entries=[0, 1, 2])
    assert batch.hash() == before
    batch.step(30)
    assert batch.hash() == after
    batch.restore(saved)
    batch.step(30)
    assert batch.hash() == after


@pytest.mark.parametrize("count", [-1, 1_000_000])
def test_counts_of_commands_under_way_that_cannot_be_are_refused(count):
    """Compiled code would read beside the table."""
    batch = dogs(2)
    batch.step(5)
    saved = batch.snapshot()
    saved["motors"]["sent_count"][...] = count
    with pytest.raises(ValueError, match="sent_count of the snapshot"):
        batch.restore(saved)


def test_numbers_are_set_for_some_worlds_and_joints():
    """What is not named stays."""
    batch = dogs(3)
    dog = batch["dog"]
    before = dog.motors
    dog.set_motors(["RF_KFE", "LF_HAA"], worlds=[False, True, True], time_constant=[[0.1, 0.2], [0.3, 0.4]])
    after = dog.motors
    columns = [dog.joint(name).velocity_slice.start for name in ("RF_KFE", "LF_HAA")]
    np.testing.assert_array_equal(after["time_constant"][1:, columns], [[0.1, 0.2], [0.3, 0.4]])
    changed = np.nan_to_num(after["time_constant"]) != np.nan_to_num(before["time_constant"])
    assert changed.sum() == 4
    for name in ("delay", "stall_torque", "no_load_speed"):
        np.testing.assert_array_equal(after[name], before[name])
    assert np.isnan(after["delay"][:, :6]).all()
    dog.clear_motors(["LF_HAA"])
    assert np.isnan(dog.motors["delay"][:, columns[1]]).all()
    dog.clear_motors()
    plain = tribo.Batch(batch_world(), 3, threads=1)
    batch.step(10)
    plain.step(10)
    np.testing.assert_array_equal(batch["dog"].generalized_coordinate, plain["dog"].generalized_coordinate)


def batch_world():
    """Return the world of `dogs`, without motors."""
    world = ground_world(dt=DT, friction=0.7)
    standing_quadruped(world, kp=40.0, kd=1.0, name="dog")
    return world


@pytest.mark.parametrize(
    ("joints", "values", "error", "message"),
    [
        (None, {"delay": -0.1}, ValueError, "delay of motors of dog must be ≥ 0"),
        (None, {"delay": 100.0}, ValueError, "at most 1000 steps"),
        (None, {"time_constant": np.inf}, ValueError, "time_constant"),
        (None, {"stall_torque": 0.0}, ValueError, "must be > 0"),
        (None, {"no_load_speed": np.nan}, ValueError, "no_load_speed"),
        (None, {"lag": 0.1}, KeyError, "time_constant"),
        (None, {"delay": [0.1, 0.2]}, ValueError, r"\(12,\) or \(2, 12\)"),
        (["LF_KNEE"], {}, KeyError, "LF_KFE"),
        ("LF_KFE", {}, TypeError, "list of names"),
    ],
)
def test_what_is_no_motor_is_refused(joints, values, error, message):
    """And nothing is changed."""
    batch = tribo.Batch(batch_world(), 2, threads=1)
    with pytest.raises(error, match=message):
        batch["dog"].set_motors(joints, **values)
    assert np.isnan(batch["dog"].motors["delay"]).all()


def test_motors_of_some_worlds_leave_the_others():
    """A world without motors has the bits that it has in a batch without any."""
    some, plain = (tribo.Batch(batch_world(), 3, threads=1) for _ in range(2))
    some["dog"].set_motors(worlds=[1], delay=0.01)
    some.step(40)
    plain.step(40)
    q, expected = (batch["dog"].generalized_coordinate for batch in (some, plain))
    np.testing.assert_array_equal(q[[0, 2]], expected[[0, 2]])
    assert (q[1] != expected[1]).any()


def test_states_from_before_there_were_motors_let_them_begin_anew():
    """A pool, a snapshot and a world that know no motors: nothing is under way, no torque is remembered."""
    world = batch_world()
    batch = tribo.Batch(world, 2, threads=1)
    pool, saved = batch.pool(), batch.snapshot()
    batch["dog"].set_motors(delay=0.006, time_constant=0.01)
    fresh = batch.hash()
    ways = (lambda: batch.reset(pool, [0, 1], [0, 1]), lambda: batch.restore(saved),
            lambda: batch.set_from_world(world))  # fmt: skip
    for back in ways:
        batch.step(10)
        assert batch.hash() != fresh
        back()
        assert batch.hash() == fresh
    batch.step(5)
    older, now = batch.pool(), batch.hash()
    batch["dog"].set_motors(delay=0.03)  # more room for commands under way
    batch["dog"].set_motors(delay=0.006)
    batch.step(5)
    batch.reset(older, [0, 1], [0, 1])
    batch.step(7)
    same = tribo.Batch(world, 2, threads=1)
    same["dog"].set_motors(delay=0.006, time_constant=0.01)
    same.step(12)
    np.testing.assert_array_equal(batch["dog"].generalized_coordinate, same["dog"].generalized_coordinate)
    assert now != fresh
