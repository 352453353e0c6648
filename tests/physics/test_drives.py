"""Drives and joint limits: implicit PD, effort limits, stops."""

import math
from pathlib import Path

import numpy as np
import pytest
from scenes import (
    GRAVITY,
    QUADRUPED,
    base,
    empty_world,
    ground_world,
    joint_body,
    pendulum,
    quadruped_description,
    random_state,
    random_tree,
    slider,
)

import tribo
from tribo.description.trees import TreeDescription
from tribo.model import Joint

TWO_WHEELER = Path(__file__).parents[1] / "data" / "two_wheeler.urdf"

NONE = (0.0, 0.0, 0.0)


@pytest.mark.parametrize("stiffness", [0.1, 1.0, 5.0, 50.0, 1e3])
@pytest.mark.parametrize("damping", [0.0, 0.1, 1.0, 5.0])
def test_pd_is_implicit_euler_from_midpoint_to_midpoint(stiffness, damping):
    """One joint, ω dt and ζ from soft to absurd: v⁺ = (v − dt kp/m (x_m − x_d))/(1 + dt kd/m + dt² kp/m),
    x_m⁺ = x_m + dt v⁺, read half a step later. 1000 steps to 1e-10 (round-off of a stable map)."""
    dt, m, target = 1e-3, 2.0, 0.3
    omega = stiffness / dt
    kp, kd = m * omega**2, 2 * damping * omega * m
    world = empty_world(dt, NONE)
    robot = world.add_articulated_system(slider(m))
    robot.set_pd_gains(kp, kd)
    robot.pd_target = [target]
    robot.generalized_coordinate = [-0.2]
    robot.generalized_velocity = [0.5]
    x, v = -0.2, 0.5
    for _ in range(1000):
        mid = x + dt / 2 * v
        v = (v - dt * kp / m * (mid - target)) / (1 + dt * kd / m + dt * dt * kp / m)
        x = mid + dt / 2 * v
        world.step()
        assert abs(robot.generalized_coordinate[0] - x) <= 1e-10
        assert abs(robot.generalized_velocity[0] - v) <= 1e-10 * max(1.0, omega * 1e-3)


def test_velocity_target_and_feed_forward():
    """kp = 0, kd with a target speed, and a force: v⁺ = (v + dt (τ + kd v_d)/m)/(1 + dt kd/m)."""
    dt, m = 1e-3, 2.0
    world = empty_world(dt, NONE)
    robot = world.add_articulated_system(slider(m))
    robot.set_pd_gains(0.0, 40.0)
    robot.pd_velocity_target = [0.7]
    robot.generalized_force = [3.0]
    v = 0.0
    for _ in range(300):
        v = (v + dt * (3.0 + 40.0 * 0.7) / m) / (1 + dt * 40.0 / m)
        world.step()
        assert robot.generalized_velocity[0] == pytest.approx(v, abs=1e-12)


def test_joint_damping_is_implicit():
    """v⁺ = v/(1 + dt d/m), whatever dt d/m."""
    for d in (1.0, 1e6):
        world = empty_world(1e-3, NONE)
        robot = world.add_articulated_system(slider(2.0, damping=d))
        robot.generalized_velocity = [1.0]
        world.step(3)
        assert robot.generalized_velocity[0] == pytest.approx((1 + 1e-3 * d / 2) ** -3, rel=1e-12)


def test_arm_at_rest_under_gravity():
    """Two links hold against gravity with a sag of τ_g/kp, and the drives carry exactly τ_g."""
    world = empty_world()
    arm = {"com": (0.2, 0, 0), "axis": (0, 1, 0)}
    links = [
        base(),
        joint_body("upper", 0, Joint.REVOLUTE, 1.5, **arm),
        joint_body("lower", 1, Joint.REVOLUTE, 1.5, position=(0.4, 0, 0), **arm),
    ]
    robot = world.add_articulated_system(TreeDescription(links))
    robot.set_pd_gains(500.0, 30.0)
    robot.pd_target = [0.2, -0.5]
    world.step(6000)
    a, b = robot.generalized_coordinate
    second = -1.5 * GRAVITY * 0.2 * math.cos(a + b)
    first = second - 1.5 * GRAVITY * (0.2 + 0.4) * math.cos(a)
    np.testing.assert_allclose(robot.applied_torque, [first, second], rtol=1e-6)
    np.testing.assert_allclose([0.2 - a, -0.5 - b], np.array([first, second]) / 500.0, rtol=1e-6)


def test_effort_limit_holds_exactly():
    """A drive that asks for more than its effort gives exactly the effort; below, what it asks for."""
    world = empty_world(1e-3, NONE)
    robot = world.add_articulated_system(slider(2.0, effort=5.0))
    robot.set_pd_gains(100.0, 100.0)
    robot.pd_target = [1.0]
    saturated = 0
    for _ in range(20_000):
        before = robot.generalized_velocity[0]
        world.step()
        torque = robot.applied_torque[0]
        assert abs(torque) <= 5.0
        saturated += abs(torque) == 5.0  # the sign of a limit, not of rounding
        # m Δv = τ dt: what is reported is what acted.
        change = 2.0 * (robot.generalized_velocity[0] - before)
        assert change == pytest.approx(torque * 1e-3, abs=1e-13)
    assert saturated > 100
    assert robot.generalized_coordinate[0] == pytest.approx(1.0, abs=1e-6)


def test_feed_forward_is_limited_too():
    """A constant force beyond the effort accelerates with the effort."""
    world = empty_world(1e-3, NONE)
    robot = world.add_articulated_system(slider(2.0, effort=5.0))
    robot.generalized_force = [-80.0]
    world.step(100)
    assert robot.applied_torque[0] == -5.0
    assert robot.generalized_velocity[0] == pytest.approx(-0.25, rel=1e-12)


def test_applied_torque_balances_the_momentum_of_a_tree():
    """M (v⁺ − v)/dt + h + d v⁺ = τ, for every dof of a random tree with limits in force; M and h are
    those at mid-step."""
    rng = np.random.default_rng(3)
    description = random_tree(rng, 7, floating=True)
    for body in description.bodies[1:]:
        body.joint.effort = 3.0
        body.joint.damping = 0.2
    world = empty_world(1e-3)
    robot = world.add_articulated_system(description)
    random_state(rng, robot)
    robot.set_pd_gains(50.0, 1.0)
    before = robot.generalized_velocity.copy()
    world.step()
    robot_torque = robot.applied_torque
    work, model = world.engine.work, world.engine.model
    after = work.next_v.copy()  # as solved: the base's is then made to agree with the momentum
    nv = robot.dof
    m = np.zeros((nv, nv))
    for dof in range(nv):
        start, row = model.body_chain_start[model.dof_body[dof]], model.dof_row[dof]
        chain = model.chain_dof[start : start + model.dof_depth[dof] + 1]
        m[dof, chain] = m[chain, dof] = work.mass_matrix[row : row + len(chain)]
    balance = m @ (after - before) / 1e-3 + work.bias_force + model.dof_damping * after
    np.testing.assert_allclose(balance, robot_torque, atol=1e-9 * np.abs(balance).max() + 1e-9)
    limits = robot.effort_limits[1]
    assert (np.abs(robot_torque) <= limits).all()
    assert (np.abs(robot_torque) == limits).any()
    assert (robot_torque[:6] == 0.0).all()


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_pendulum_comes_to_rest_on_its_stop(dt):
    """The stop is a contact with e = 0: next mid-step is on the stop, never beyond, so the joint ends
    there with zero velocity, and the stop's impulse is the weight's moment times dt."""
    world = empty_world(dt)
    robot = world.add_articulated_system(pendulum(1.0, lower=-0.3, upper=0.4))
    robot.generalized_coordinate = [0.1]
    robot.generalized_velocity = [2.0]
    for _ in range(int(6 / dt)):
        world.step()
        q, v = robot.generalized_coordinate[0], robot.generalized_velocity[0]
        # At the end of a step: half a step of the last speed beyond the mid-step's limit at most.
        assert -0.3 - 1e-9 <= q - dt / 2 * v <= 0.4 + 1e-9
    # Without losses it would swing for ever: gravity tilts it against the stop instead.
    world.gravity = (-GRAVITY, 0, 0)
    world.step(int(20 / dt))
    q = robot.generalized_coordinate[0]
    assert q == pytest.approx(0.4, abs=1e-9)
    assert abs(robot.generalized_velocity[0]) <= 1e-10
    impulse = -world.engine.state.scalar_impulse[world.engine.model.joint_slot[1]]
    assert impulse == pytest.approx(GRAVITY * math.cos(0.4) * dt, rel=1e-8)


def test_slider_hits_its_stop_without_rebound():
    """It is at the limit at the mid-step after it could have passed it, and stays."""
    world = empty_world(1e-3, NONE)
    robot = world.add_articulated_system(slider(1.0, lower=-0.5, upper=0.1))
    robot.generalized_velocity = [3.0]
    world.step(200)
    assert robot.generalized_coordinate[0] == pytest.approx(0.1, abs=1e-12)
    assert robot.generalized_velocity[0] == pytest.approx(0.0, abs=1e-12)


def test_joint_placed_beyond_its_stop_returns():
    """At no more than `max_push_out_speed`, without overshoot beyond what that speed carries."""
    world = empty_world(1e-3, NONE)
    robot = world.add_articulated_system(slider(1.0, lower=-0.5, upper=0.1, damping=20.0))
    robot.generalized_coordinate = [0.2]
    for _ in range(3000):
        world.step()
        assert abs(robot.generalized_velocity[0]) <= 0.3 + 1e-9
    assert robot.generalized_coordinate[0] <= 0.1 + 1e-6


def test_stop_and_drive_at_once():
    """A drive presses against the stop: the joint stays, and the drive's torque is kp times what is
    missing, held by the stop."""
    world = empty_world(1e-3, NONE)
    robot = world.add_articulated_system(slider(1.0, lower=-1.0, upper=0.25))
    robot.set_pd_gains(200.0, 20.0)
    robot.pd_target = [1.0]
    world.step(3000)
    assert robot.generalized_coordinate[0] == pytest.approx(0.25, abs=1e-10)
    assert robot.applied_torque[0] == pytest.approx(200.0 * 0.75, rel=1e-8)


def test_spherical_joint_drive_reaches_its_target():
    """The rotation error's vector drives a ball joint to its target, from far away and along the
    shorter way."""
    world = empty_world(1e-3, NONE)
    ball = joint_body("b", 0, Joint.SPHERICAL, 1.0, inertia=np.diag([0.1, 0.2, 0.15]))
    robot = world.add_articulated_system(TreeDescription([base(), ball]))
    robot.set_pd_gains(20.0, 3.0)
    for target in ([0.5, 0.5, 0.5, 0.5], [-0.9, 0.1, 0.2, math.sqrt(1 - 0.86)]):
        robot.pd_target = target
        world.step(6000)
        assert abs(robot.generalized_coordinate @ robot.pd_target) == pytest.approx(1.0, abs=1e-9)
        assert np.abs(robot.generalized_velocity).max() <= 1e-6


def test_unstoppable_gains_stay_stable_in_a_robot():
    """kp = 1e6 on all joints of the quadruped in the air at 5 ms: implicit drives do not diverge."""
    world = empty_world(5e-3)
    robot = world.add_articulated_system(quadruped_description(), collision_group=0, collision_mask=0)
    robot.generalized_coordinate = [0, 0, 1, 1, 0, 0, 0, *([0.0, 0.5, -1.0] * 2), *([0, -0.5, 1.0] * 2)]
    robot.pd_target = robot.generalized_coordinate
    robot.set_pd_gains(1e6, 10.0)
    rng = np.random.default_rng(0)
    robot.generalized_velocity = [0] * 6 + list(rng.normal(size=12))
    world.step(400)
    assert np.abs(robot.generalized_velocity[6:]).max() <= 1.0


@pytest.mark.parametrize("which", ["robot", "batch"])
def test_gains_of_a_floating_base_are_refused_unless_meant(which):
    """Eighteen numbers for twelve joints would hold the base, too."""
    world = tribo.World()
    robot = world.add_articulated_system(QUADRUPED, position=(0, 0, 1), name="dog")
    driven = robot if which == "robot" else tribo.Batch(world, 2, threads=1)["dog"]
    driven.set_pd_gains(np.r_[np.zeros(6), np.full(12, 50.0)], 1.0)
    for call in (
        lambda: driven.set_pd_gains(np.full(18, 60.0), 1.0),
        lambda: driven.set_pd_gains(60.0, np.full(18, 1.0)),
        lambda: setattr(driven, "kp", np.full(18, 60.0)),
    ):
        with pytest.raises(ValueError, match=r"give 12 numbers.*hold_base=True"):
            call()
    assert np.unique(driven.kp).tolist() == [0.0, 50.0]
    driven.set_pd_gains(np.full(18, 60.0), 1.0, hold_base=True)
    assert (driven.kp == 60.0).all()
    driven.kp = driven.kp.copy()  # as it is
    driven.set_pd_gains(70.0, 1.0)
    assert not driven.kp[..., :6].any()


def test_a_drive_with_a_constant_torque_stays_at_its_speed_limit_within_a_step():
    """A two-wheeler whose wheels turn against each other falls. (Before, up to 19 solves in a step.)

    At its limit a drive gives anything up to its torque, which is also what it gives off it: two drives
    take three solves, or some more where h is iterated. Where the contacts have several solutions, leaving
    the limit led to another one, in which it was beyond it.
    """
    world = ground_world(5e-3, friction=0.8)
    robot = world.add_articulated_system(TWO_WHEELER, position=(0, 0, 0.12))
    world.step(100)
    for _ in range(600):
        robot.generalized_force = (0, 0, 0, 0, 0, 0, 1, -1)
        world.step()
        assert world.engine.work.solves[0] <= 8


def test_drives_beyond_their_effort_limits_take_one_solve():
    """Drives whose torque is beyond their effort limits begin there, in the first step, too."""
    world = tribo.World(1e-3)
    robot = world.add_articulated_system(QUADRUPED, position=(0, 0, 1))
    robot.set_pd_gains(1e4, 10.0)
    robot.pd_target[7:] = np.tile([1.0, 2.0, -2.0], 4)  # far off: all of them at their limits
    for _ in range(3):
        world.step()
        assert world.engine.work.solves[0] == 1
        np.testing.assert_allclose(np.abs(robot.applied_torque[6:]), 30.0, rtol=1e-12)


def test_a_step_begins_with_the_limits_of_the_last_one():
    """Drives that are held back at their speed limits are so again: one solve a step.

    The limits are part of the state: what is restored goes on with the same bits and as many solves. Without
    them the step is solved twice.
    """
    world = tribo.World(1e-3)
    robot = world.add_articulated_system(QUADRUPED, position=(0, 0, 1))
    robot.set_pd_gains(100.0, 1.0)
    robot.velocity_limit = 1.0
    robot.pd_target[7:] = np.tile([1.0, 2.0, -2.0], 4)
    world.step(100)
    kept, ends = world.snapshot(), []
    for _ in range(2):
        world.restore(kept)
        for _ in range(2):
            world.step()
            assert world.engine.work.solves[0] == 1
        ends.append(world.hash())
    assert ends[0] == ends[1]
    world.restore(kept)
    world.engine.state.drive_mode[:] = 0
    world.step()
    assert world.engine.work.solves[0] == 2
