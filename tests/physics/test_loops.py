"""Closed loops at speed: gaps of pins at the end of every step, a Stewart platform, energy, contacts."""

import math

import numpy as np
import pytest
from scenes import GRAVITY, empty_world
from stewart import Platform

from tribo.model import Status

NONE = (0.0, 0.0, 0.0)


def bar(world, start, end, mass):
    """Add a bar between two points of the x–z plane."""
    d = np.subtract(end, start)
    angle = math.atan2(-d[2], d[0])
    turn = (math.cos(angle / 2), 0, math.sin(angle / 2), 0)
    size = (float(np.linalg.norm(d)), 0.04, 0.04)
    middle = np.add(start, end) / 2
    return world.add_box(size, mass, position=middle, orientation=turn, collision_mask=0)


def parallelogram(dt, speed, gravity=NONE):
    """Return the pins of a parallelogram of four loose bars whose cranks turn at a speed [rad/s]."""
    world = empty_world(dt, gravity)
    corners = [np.array(p, float) for p in ((0, 0, 0), (0, 0, 0.5), (1, 0, 0.5), (1, 0, 0))]
    a, b, c = (bar(world, corners[k], corners[k + 1], 1.0) for k in range(3))
    y = (0, 1, 0)
    ties = [
        world.add_hinge(None, a, corners[0], y), world.add_pin(a, b, corners[1]),
        world.add_pin(b, c, corners[2]), world.add_hinge(None, c, corners[3], y),
    ]  # fmt: skip
    for crank in (a, c):
        crank.angular_velocity = 0, speed, 0
        crank.linear_velocity = 0.25 * speed, 0, 0
    b.linear_velocity = 0.5 * speed, 0, 0
    return world, ties


def widest(world, ties, seconds):
    """Run; return the largest gap of some constraints."""
    gap = 0.0
    for _ in range(round(seconds / world.time_step)):
        world.step()
        gap = max(gap, *(float(np.abs(tie.gap).max()) for tie in ties))
    return gap


@pytest.mark.parametrize("dt", [2e-3, 1e-3, 5e-4])
@pytest.mark.parametrize("speed", [3.0, 10.0, 30.0, 50.0])
def test_a_parallelogram_is_closed_at_any_speed(dt, speed):
    """Gaps ≤ 1e-8 m up to 50 rad/s and 2 ms, where the curve of one step is 2.5e-3 m off its tangent.

    Over 75°, then it is flat: there the loop is singular and has two ways to go on.
    """
    world, ties = parallelogram(dt, speed)
    assert widest(world, ties, math.radians(75) / speed) <= 1e-8
    assert not world.status


def test_a_parallelogram_passes_its_flat_pose():
    """Where the loop is singular no shift closes it; it stays small and is gone afterwards."""
    world, ties = parallelogram(2e-3, 3.0, (0, 0, -GRAVITY))
    assert widest(world, ties, 0.4) <= 1e-5
    assert widest(world, ties, 0.1) <= 1e-8
    assert not world.status


def test_energy_of_a_fast_loop_is_of_second_order_or_better():
    """Halving the time step divides the change of energy by four at least."""
    changes = []
    for dt in (2e-3, 1e-3):
        world, _ = parallelogram(dt, 10.0)
        start, change = world.energy, 0.0
        for _ in range(round(0.12 / dt)):
            world.step()
            change = max(change, abs(world.energy - start))
        changes.append(change)
    assert changes[0] / changes[1] >= 3.5
    assert changes[1] <= 1e-3 * start


@pytest.mark.parametrize("integrator", ["midpoint", "semi_implicit", "rk4"])
def test_a_ball_on_a_fast_wire_stays_on_its_circle(integrator):
    """20 rad/s: the curve of one step is 2e-4 m deep."""
    world = empty_world(1e-3, NONE)
    world.integrator = integrator
    ball = world.add_sphere(0.05, mass=1.0, position=(1, 0, 0), linear_velocity=(0, 20, 0))
    wire = world.add_wire(None, ball)
    for _ in range(500):
        world.step()
        assert abs(wire.stretch) <= 1e-9
    assert wire.tension == pytest.approx(400.0, rel=1e-3)
    assert np.linalg.norm(ball.linear_velocity) == pytest.approx(20.0, rel=1e-3)


def test_a_gap_of_the_users_is_closed_by_velocities():
    """A pin of a fast bar that is 1 mm apart at the start is not closed by a jump."""
    world = empty_world(1e-3, NONE)
    crank = bar(world, NONE, (1, 0, 0), 1.0)
    pin = world.add_pin(None, crank, NONE)
    crank.angular_velocity, crank.linear_velocity = (0, 5, 0), (0, 0, -2.5)
    crank.position = np.add(crank.position, (0, 0, 1e-3))
    world.max_push_out_speed = 0.1
    world.step()
    assert np.linalg.norm(pin.gap) == pytest.approx(1e-3 - 0.5 * 0.1e-3, rel=0.1)
    world.step(50)
    assert np.abs(pin.gap).max() <= 1e-9


def test_a_loop_that_slides_on_a_floor_stays_on_it():
    """What closes a loop moves no contact: a welded pair of spinning boxes stays above the plane."""
    world = empty_world(1e-3)
    world.add_ground()
    a = world.add_box((0.4, 0.4, 0.1), mass=1.0, position=(0, 0, 0.05))
    b = world.add_box((0.4, 0.4, 0.1), mass=1.0, position=(0.5, 0, 0.05))
    world.default_pair = world.default_pair.__class__(friction=0.0)
    pin = world.add_pin(a, b, (0.25, 0, 0.05))
    for part, x in ((a, 0.0), (b, 0.5)):
        part.angular_velocity = 0, 0, 15
        part.linear_velocity = 0, 15 * (x - 0.25), 0
    for _ in range(300):
        world.step()
        assert np.abs(pin.gap).max() <= 1e-8
    assert abs(a.position[2] - 0.05) <= 1e-6
    assert abs(b.position[2] - 0.05) <= 1e-6


@pytest.mark.parametrize("speed", [2.0, 10.0])
def test_a_stewart_platform_keeps_its_twelve_pins(speed):
    """Six telescopic legs between ground and platform, driven along lengths that a pose needs."""
    stewart = Platform(1e-3)
    gap, error = stewart.play(1.0, speed)
    assert gap <= 1e-8
    assert error <= 2e-3  # [m] of the platform's centre behind its path
    assert not stewart.world.status & (Status.NOT_CONVERGED | Status.INFEASIBLE)


def test_legs_of_a_stewart_platform_bear_its_weight():
    """At rest the six leg forces f solve W f = (0, 0, m g, 0, 0, 0), W the legs' lines."""
    stewart = Platform(1e-3, leg_mass=1e-3)
    stewart.world.step(500)
    np.testing.assert_allclose(stewart.forces(), stewart.statics(), rtol=1e-3)
    assert stewart.forces().sum() > stewart.mass * GRAVITY


@pytest.mark.parametrize("dt", [2e-4, 1e-3, 4e-3])
@pytest.mark.parametrize("force", [5.0, 100.0, 3000.0])
def test_a_toggle_that_is_pressed_stays_put(dt, force):
    """Crank and rod in one line between two pivots: no motor turns it; it went to infinity."""
    world = empty_world(dt)
    crank = bar(world, NONE, (0.2, 0, 0), 1.0)
    slider = world.add_sphere(0.1, mass=1.0, position=(1, 0, 0), collision_mask=0)
    world.add_hinge(crank, None, NONE, (0, 1, 0))
    rod = world.add_rod(crank, slider, (0.1, 0, 0))
    world.add_weld(slider)
    world.add_motor(None, crank, (0, 1, 0), speed=-0.5, max_force=force)
    fastest = 0.0
    for _ in range(100):
        world.step()
        fastest = max(fastest, float(np.abs(crank.generalized_velocity).max()))
    assert fastest <= 2.0
    assert np.abs(crank.generalized_velocity).max() <= 0.1
    assert np.abs(rod.gap).max() <= 2e-5
