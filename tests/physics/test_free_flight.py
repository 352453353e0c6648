"""Motion without contact: what the midpoint rule keeps exactly, and what to second order."""

import math
from itertools import pairwise

import numpy as np
import pytest
import reference
from scenes import GRAVITY, STANCE, base, empty_world, joint_body, pendulum, quadruped_description

from tribo import World
from tribo.description.trees import TreeDescription
from tribo.model import Joint


@pytest.mark.parametrize("dt", [1e-3, 2e-2])
def test_parabola(dt):
    """Both half drifts of constant acceleration make z₀ + v₀ t − g t²/2 exactly, at any step."""
    world = empty_world(dt)
    ball = world.add_sphere(0.1, 1.0, position=(1, 2, 3), linear_velocity=(1, -2, 5))
    for k in range(1, 1001):
        world.step()
        t = k * dt
        expected = np.array([1 + t, 2 - 2 * t, 3 + 5 * t - GRAVITY * t * t / 2])
        assert np.abs(ball.position - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())
        assert ball.linear_velocity[2] == pytest.approx(5 - GRAVITY * t, abs=1e-12 * max(1, t * 10))


def test_tumbling_body_keeps_energy_and_momentum():
    """I = (1, 2, 3), ω = (0.01, 5, 0): turns over every 5.2660551 s (half Jacobi's period), first after
    2.6330276 s. Implicit midpoint shifts that by about (ω dt)²/12; energy and momentum are exact."""
    world = empty_world(1e-3, (0, 0, 0))
    body = world.add_box((1, 1, 1), 1.0, inertia=(1, 2, 3), angular_velocity=(0.01, 5, 0))
    energy, momentum = world.kinetic_energy, world.angular_momentum
    flips, before = [], 5.0
    for k in range(1, 20_001):
        world.step()
        spin = body.rotation_matrix.T @ body.angular_velocity
        if spin[1] * before < 0.0:
            flips.append(k * 1e-3)
        before = spin[1]
        if k % 100 == 0:
            assert world.kinetic_energy == pytest.approx(energy, rel=1e-9)
            np.testing.assert_allclose(world.angular_momentum, momentum, atol=1e-9 * 10)
    np.testing.assert_allclose(flips, [2.6330276 + k * 5.2660551 for k in range(4)], atol=2e-3)


def test_symmetric_top():
    """I₁ = I₂ = 2, I₃ = 1: seen from the body ω turns about its axis at λ = (I₁ − I₃)/I₁ ω₃; the rule
    turns by 2 atan(λ dt/2) per step, exactly. Seen from space the axis goes round L at L/I₁, here with
    the same kind of error, (L/I₁ dt)²/12 < 1e-6 relative."""
    dt = 1e-3
    world = empty_world(dt, (0, 0, 0))
    omega = np.array([0.6, 0.0, 1.5])
    body = world.add_box((1, 1, 1), 1.0, inertia=(2, 2, 1), angular_velocity=omega)
    momentum = np.array([1.2, 0.0, 1.5])
    rate = np.linalg.norm(momentum) / 2.0
    unit = momentum / np.linalg.norm(momentum)
    step = 2 * math.atan(0.5 * dt * (2 - 1) / 2 * 1.5)
    for k in range(1, 10_001):
        world.step()
        if k % 500:
            continue
        spin = body.rotation_matrix.T @ body.angular_velocity
        turned = [0.6 * math.cos(k * step), -0.6 * math.sin(k * step), 1.5]
        np.testing.assert_allclose(spin, turned, atol=1e-10)
        axis = reference.axis_rotation(unit, rate * k * dt) @ [0, 0, 1]
        angle = rate * k * dt
        assert np.abs(body.rotation_matrix[:, 2] - axis).max() <= 1e-6 * angle
    np.testing.assert_allclose(world.angular_momentum, momentum, atol=1e-11)


def flying_quadruped(dt, gravity=(0, 0, -GRAVITY), speed=2.0):
    """Return a world with the package's own robot in free motion, no losses, no limits, no contact."""
    world = empty_world(dt, gravity)
    robot = world.add_articulated_system(
        quadruped_description(damping=False, limits=False), collision_group=0, collision_mask=0
    )
    rng = np.random.default_rng(5)
    robot.generalized_coordinate = np.concatenate([[0, 0, 2.0, 1, 0, 0, 0], STANCE])
    v = np.concatenate([[0.3, 0.1, 1.0], [0.5, -0.3, 0.4], speed * rng.normal(size=12)])
    robot.generalized_velocity = v
    return world, robot


def drift(dt, seconds=2.0, gravity=(0, 0, -GRAVITY)):
    """Return the largest energy error relative to the peak of the kinetic energy."""
    world, _ = flying_quadruped(dt, gravity)
    start, worst, peak = world.energy, 0.0, 0.0
    for _ in range(int(seconds / dt / 10)):
        world.step(10)
        worst = max(worst, abs(world.energy - start))
        peak = max(peak, world.kinetic_energy)
    return worst / peak


def test_energy_of_a_robot_in_free_flight():
    """Two seconds at 1 ms: the energy error stays below 1e-6 of the peak kinetic energy."""
    assert drift(1e-3) <= 1e-6


def test_energy_error_is_of_second_order():
    """Without weight to flatter the ratio: twice the step, four times the error; allowed 3 to 5.5."""
    coarse, fine = drift(2e-3, 1.0, (0, 0, 0)), drift(1e-3, 1.0, (0, 0, 0))
    assert 3.0 <= coarse / fine <= 5.5
    assert fine <= 1e-4


def test_momentum_of_a_robot_in_free_flight():
    """Without gravity both momenta are constant to second order: 1e-6 of their scale in 1 s at 1 ms."""
    world, robot = flying_quadruped(1e-3, (0, 0, 0))
    p, angular = world.linear_momentum, world.angular_momentum
    world.step(1000)
    scale = robot.mass * 1.0
    assert np.abs(world.linear_momentum - p).max() <= 1e-6 * scale
    assert np.abs(world.angular_momentum - angular).max() <= 1e-6 * scale * 2.0


def test_uniform_gravity_only_moves_the_centre_of_mass():
    """The linear momentum changes by m g t: to the accuracy of the momentum test."""
    world, robot = flying_quadruped(1e-3)
    p = world.linear_momentum
    world.step(1000)
    change = world.linear_momentum - p - robot.mass * world.gravity
    assert np.abs(change).max() <= 1e-5 * robot.mass


def test_gyroscope_on_a_spherical_joint():
    """Heavy top, m 1, l 0.1, I₁ 0.012 and I₃ 0.002 about the pivot, ω₃ = 200, θ = 30°: steady
    precession solves I₁ cos θ Ω² − I₃ ω₃ Ω + m g l = 0: Ω = 2.63255577. Started in it, the axis keeps
    its angle to 1e-4 rad and goes round at Ω. The error is of second order, measured 0.6 (ω₃ dt)² of
    the angle: 6e-5 at dt = 5e-5; allowed 1e-4."""
    dt, theta, rate, spin = 5e-5, math.radians(30), 2.63255577, 200.0
    world = empty_world(dt)
    top = joint_body("top", 0, Joint.SPHERICAL, 1.0, com=(0, 0, 0.1), inertia=np.diag([0.002, 0.002, 0.002]))
    robot = world.add_articulated_system(TreeDescription([base(), top]))
    tilt = np.array([math.cos(theta / 2), 0.0, math.sin(theta / 2), 0.0])
    axis = np.array([math.sin(theta), 0.0, math.cos(theta)])
    robot.generalized_coordinate = tilt
    # ω = Ω e_z + (ω₃ − Ω cos θ) axis: its part along the axis is ω₃.
    robot.generalized_velocity = rate * np.array([0, 0, 1.0]) + (spin - rate * math.cos(theta)) * axis
    for k in range(1, 6):
        world.step(2000)
        now = robot.body_poses()[1][1][:, 2]
        assert abs(math.acos(now[2]) - theta) <= 1e-4
        assert math.atan2(now[1], now[0]) == pytest.approx(rate * k * 0.1, rel=1e-4)


@pytest.mark.parametrize(("degrees", "period"), [(10, 2.00989263), (60, 2.15287467), (90, 2.36784195)])
def test_pendulum_period(degrees, period):
    """L = 1: T = 4 √(L/g) K(sin² θ₀/2). Midpoint at 1 ms is off by about (ω dt)²/24 = 4e-7 relative; the
    half period is found between two samples of 1 ms by interpolation, to 1e-6 of it."""
    world = empty_world(1e-3)
    robot = world.add_articulated_system(pendulum(1.0))
    robot.generalized_coordinate = [math.radians(degrees)]
    crossings, before = [], robot.generalized_coordinate[0]
    for k in range(1, 5000):
        world.step()
        now = robot.generalized_coordinate[0]
        if now * before < 0.0:
            crossings.append((k - now / (now - before)) * 1e-3)
        before = now
    # Inertia 1e-6 about the bob itself lengthens the period by 5e-7.
    assert crossings[2] - crossings[0] == pytest.approx(period, rel=5e-6)


def test_double_pendulum():
    """Two uniform rods, m 1, l 1, both level and at rest: absolute angles from down, from an integration of
    high order. Midpoint is off by its second-order error, here below 2e-6 at dt = 1e-4, and halving the
    step divides it by 3 to 5."""
    known = {0.5: (0.4481426259, 1.0419628873), 1.0: (-1.2077162382, -0.8143910231)}
    rod = {"com": (0, 0, -0.5), "inertia": np.diag([1 / 12, 1 / 12, 1e-6]), "axis": (0, 1, 0)}
    errors = []
    for dt in (2e-4, 1e-4):
        world = empty_world(dt)
        links = [
            base(),
            joint_body("upper", 0, Joint.REVOLUTE, 1.0, **rod),
            joint_body("lower", 1, Joint.REVOLUTE, 1.0, position=(0, 0, -1.0), **rod),
        ]
        robot = world.add_articulated_system(TreeDescription(links))
        robot.generalized_coordinate = [math.pi / 2, 0.0]
        error = 0.0
        for time, angles in known.items():
            world.step(round((time - world.time) / dt))
            found = np.cumsum(robot.generalized_coordinate)
            error = max(error, np.abs(found - angles).max())
        errors.append(error)
    assert errors[1] <= 2e-6
    assert 3.0 <= errors[0] / errors[1] <= 5.0


def test_the_attitude_of_a_body_that_tumbles_is_of_second_order_and_of_a_ball_exact():
    """Errors after 1 s at 4, 2 and 1 ms differ by 12 : 3 = 4; a ball turns by |ω| about its axis."""
    spin = np.array([1.0, 2.0, 5.0])
    ends = []
    for dt in (4e-3, 2e-3, 1e-3):
        world = World(time_step=dt, gravity=(0, 0, 0))
        box = world.add_box((0.1, 0.2, 0.35), 1.0, angular_velocity=spin)
        ball = world.add_sphere(0.1, 1.0, position=(9, 0, 0), angular_velocity=spin)
        world.step(round(1.0 / dt))
        ends.append(np.array(box.orientation))
        half = 0.5 * np.linalg.norm(spin)
        turn = np.array([math.cos(half), *(math.sin(half) * spin / (2.0 * half))])
        assert abs(turn @ ball.orientation) == pytest.approx(1.0, abs=1e-13)
    coarse, fine = (np.linalg.norm(b - a) for a, b in pairwise(ends))
    assert coarse > 1e-6
    assert coarse / fine == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize("speed", [100.0, 300.0, 500.0, 1000.0, 1e5])
def test_no_spin_creates_energy(speed):
    """Up to 200 turns a step, in which no direction has a meaning; the energy has one."""
    world = World(time_step=0.01, gravity=(0, 0, 0))
    spin = speed * np.array([1.0, 0.5, 0.3])
    world.add_capsule(0.04, 0.1, 1.0, angular_velocity=spin, collision_mask=0)
    world.add_box((0.1, 0.2, 0.4), 1.0, angular_velocity=-spin, collision_mask=0)
    energy = world.kinetic_energy
    world.step(300)
    assert world.kinetic_energy == pytest.approx(energy, rel=1e-6)
