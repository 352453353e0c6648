"""Muscles, filters and integrators: their curves, and activations as a part of the state."""

import math

import numpy as np
import pytest

import tribo
from tribo.dynamics import muscle

NUMBERS = np.array([[0.75, 1.05, 100.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2]])
ARM = '<body><joint name="j" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="2 2 2"/></body>'


def arm(actuators, keys=""):
    world = tribo.World(gravity=(0, 0, 0))
    text = f"<mujoco><worldbody>{ARM}</worldbody><actuator>{actuators}</actuator>{keys}</mujoco>"
    (robot,) = world.load_mjcf(text, take_options=False, keyframe=0 if keys else None)
    return world, robot


def test_curves_of_a_muscle():
    """f_l is 0 at both ends, ½ half way to the top and 1 at it; f_v is 0 at the fastest, 1 at rest."""
    by_length = [muscle.by_length(NUMBERS, 0, x) for x in (0.4, 0.5, 0.75, 1.0, 1.3, 1.6, 2.0)]
    np.testing.assert_allclose(by_length, [0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0], atol=1e-15)
    by_speed = [muscle.by_speed(NUMBERS, 0, x)[0] for x in (-2.0, -1.0, -0.5, 0.0, 0.2, 1.0)]
    np.testing.assert_allclose(by_speed, [0.0, 0.0, 0.25, 1.0, 1.2, 1.2], atol=1e-15)
    passive = [muscle.passive(NUMBERS, 0, x) for x in (0.9, 1.0, 1.3, 1.6)]
    np.testing.assert_allclose(passive, [0.0, 0.0, 0.65, 1.95], atol=1e-15)


@pytest.mark.parametrize("x", [-0.7, -0.2, 0.1, 0.15])
def test_the_slope_by_speed_is_the_derivative(x):
    low, high = (muscle.by_speed(NUMBERS, 0, x + h)[0] for h in (-1e-6, 1e-6))
    assert muscle.by_speed(NUMBERS, 0, x)[1] == pytest.approx((high - low) / 2e-6, rel=1e-6)


def test_an_activation_rises_and_falls_at_its_own_rates():
    """ȧ = (u − a)/T: T = 0.01 (½ + 3/2 a) up, 0.04/(½ + 3/2 a) down."""
    times = np.array([[0.01, 0.04, 0.0]])
    assert muscle.activation_rate(times, 0, 1.0, 0.2) == pytest.approx(0.8 / (0.01 * 0.8))
    assert muscle.activation_rate(times, 0, 0.0, 0.2) == pytest.approx(-0.2 / (0.04 / 0.8))
    smooth = np.array([[0.01, 0.04, 0.2]])
    assert muscle.activation_rate(smooth, 0, 0.5, 0.5) == 0.0
    assert muscle.activation_rate(smooth, 0, 0.9, 0.2) == muscle.activation_rate(times, 0, 0.9, 0.2)


def test_a_muscle_pulls_with_its_force_at_its_best_length():
    """At L = 1 and rest the torque is −gear F₀ a: α = −10/2 in a short step."""
    world, robot = arm('<muscle joint="j" force="10" range="0.5 1.5" lengthrange="-1 1"/>')
    assert robot.activated == ("actuator_0",)
    robot.activation = [1.0]
    robot.set_controls([1.0])
    world.time_step = 1e-6
    world.step(1)
    assert robot.generalized_velocity[0] == pytest.approx(-5e-6, rel=1e-4)


def test_snapshots_and_state_files_keep_activations(tmp_path):
    world, robot = arm('<general joint="j" dyntype="filter" dynprm="0.1"/>')
    robot.set_controls([1.0])
    world.step(30)
    kept, mark = world.snapshot(), robot.activation[0]
    assert 0.0 < mark < 1.0
    before = world.hash()
    world.step(30)
    end = world.hash()
    assert end != before
    world.restore(kept)
    assert (robot.activation[0], world.hash()) == (mark, before)
    world.step(30)
    assert world.hash() == end
    world.save_state(tmp_path / "state")
    world.step(1)
    world.load_state(tmp_path / "state")
    assert world.hash() == end


def test_a_batch_has_activations_of_its_own_worlds():
    world, robot = arm('<muscle joint="j" force="10" range="0.5 1.5" lengthrange="-1 1"/>')
    batch = tribo.Batch(world, 3, threads=1)
    many = batch[robot.name]
    assert many.activated == robot.activated
    many.set_controls([[0.0], [0.5], [1.0]])
    pool = batch.pool()
    batch.step(25)
    assert many.activation[0, 0] == 0.0
    assert 0.0 < many.activation[1, 0] < many.activation[2, 0]
    for k, u in enumerate((0.0, 0.5, 1.0)):
        alone, one = arm('<muscle joint="j" force="10" range="0.5 1.5" lengthrange="-1 1"/>')
        one.set_controls([u])
        alone.step(25)
        np.testing.assert_array_equal(one.activation, many.activation[k])
        np.testing.assert_array_equal(one.generalized_velocity, many.generalized_velocity[k])
    batch.reset(pool, entries=[0, 1, 2])
    assert (many.activation == 0.0).all()


def test_an_integrator_stops_at_its_range_and_starts_at_the_key():
    """a = a₀ + u t ≤ 0.3."""
    servo = '<intvelocity name="i" joint="j" kp="30" kv="15" actrange="-1 0.3"/>'
    world, robot = arm(servo, '<keyframe><key qpos="0" act="0.1"/></keyframe>')
    assert robot.activation[0] == 0.1
    robot.set_controls([2.0])
    world.step(50)
    assert robot.activation[0] == pytest.approx(0.1 + 2.0 * 50 * world.time_step)
    world.step(2000)
    assert robot.activation[0] == 0.3
    assert robot.generalized_coordinate[0] == pytest.approx(0.3, abs=1e-3)


def test_thrust_at_a_site_pushes_a_free_body_along_its_axes():
    """The site is turned by 90° about y: its z is the x of the body, which flies on. ẍ = F/m."""
    body = '<body><freejoint/><geom size="0.1" mass="2"/><site name="s" euler="0 90 0"/></body>'
    world = tribo.World(gravity=(0, 0, 0))
    (robot,) = world.load_mjcf(
        f'<mujoco><worldbody>{body}</worldbody><actuator><motor site="s" gear="0 0 3"/></actuator></mujoco>',
        take_options=False,
    )
    robot.set_controls([2.0])
    world.step(100)
    expected = [100 * world.time_step * 6.0 / 2.0, 0.0, 0.0]
    np.testing.assert_allclose(robot.linear_velocity, expected, atol=1e-12)
    assert math.isclose(robot.position[0], 0.5 * 3.0 * (100 * world.time_step) ** 2, rel_tol=1e-9)


@pytest.mark.parametrize(
    ("actuator", "words"),
    [
        ('<muscle joint="j"/>', "needs lengthrange"),
        ('<intvelocity joint="x"/>', "is not a joint"),
        ('<adhesion body="x" ctrlrange="0 1"/>', "is not a body"),
        ('<general joint="j" dyntype="filter" dynprm="a"/>', "dynprm"),
    ],
)
def test_actuators_that_cannot_be_are_refused(actuator, words):
    with pytest.raises(tribo.DescriptionError, match=words):
        arm(actuator)
