"""A box on a slope holds while tan θ < μ and slides with a = g (sin θ − μ cos θ) beyond.

The slope is made twice: by tilting gravity over a level ground, and by tilting the ground.
"""

import math

import numpy as np
import pytest
from scenes import GRAVITY, empty_world, ground_world, inclined_gravity

SIZE = (0.4, 0.4, 0.1)
FRICTIONS = (0.1, 0.3, 0.5, 0.8, 1.2)


def on_tilted_gravity(friction, angle):
    """Return world, box and the downhill direction; the ground is level."""
    world = ground_world(gravity=inclined_gravity(angle), friction=friction)
    box = world.add_box(SIZE, 1.0, position=(0, 0, SIZE[2] / 2))
    return world, box, np.array([1.0, 0.0, 0.0])


def on_tilted_ground(friction, angle):
    """Return world, box and the downhill direction; the ground falls towards +x."""
    world = empty_world(friction=friction)
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    world.add_ground(normal=normal)
    box = world.add_box(
        SIZE, 1.0, position=normal * SIZE[2] / 2,
        orientation=(math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0),
    )  # fmt: skip
    return world, box, np.array([math.cos(angle), 0.0, -math.sin(angle)])


SLOPES = pytest.mark.parametrize("slope", [on_tilted_gravity, on_tilted_ground])


@SLOPES
def test_holds_for_ten_seconds_just_below_the_limit(slope):
    """tan θ = 0.999 μ: drift of at most 1e-9 m in 10 s."""
    world, box, _ = slope(0.5, math.atan(0.999 * 0.5))
    start = box.position
    world.step(10_000)
    assert np.abs(box.position - start).max() <= 1e-9
    assert np.abs(box.linear_velocity).max() <= 1e-10
    assert world.status == 0


@SLOPES
@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("factor", [0.5, 0.9, 0.99, 0.999])
def test_holds_below_the_limit(slope, friction, factor):
    """tan θ < μ: no drift (1e-9 m in 1 s)."""
    world, box, _ = slope(friction, math.atan(factor * friction))
    start = box.position
    world.step(1000)
    assert np.abs(box.position - start).max() <= 1e-9
    assert np.abs(box.linear_velocity).max() <= 1e-10


@SLOPES
@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("factor", [1.001, 1.01, 1.5, 3.0])
def test_slides_above_the_limit(slope, friction, factor):
    """tan θ > μ: every step adds g (sin θ − μ cos θ) dt, so v = a t to 1e-6 after 0.5 s; no tilt.

    The front edge of this box lifts when μ h/2 exceeds half its length: never here (μ < 4).
    """
    angle = math.atan(factor * friction)
    world, box, downhill = slope(friction, angle)
    upright = box.orientation
    world.step(500)
    a = GRAVITY * (math.sin(angle) - friction * math.cos(angle))
    assert box.linear_velocity @ downhill == pytest.approx(a * 0.5, rel=1e-6)
    assert np.abs(box.orientation - upright).max() <= 1e-6
    across = np.cross(downhill, [0.0, 1.0, 0.0])
    assert abs(box.linear_velocity[1]) <= 1e-9
    assert abs(box.linear_velocity @ across) <= 1e-9


def test_support_forces_on_a_slope():
    """At rest the contact forces sum up to the weight, and their moment about the centre vanishes:
    so does the sum of x_i × f_i that tells how the load moves to the lower edge."""
    angle = math.radians(20)
    world, box, _ = on_tilted_gravity(1.0, angle)
    world.step(200)
    force, moment = np.zeros(3), np.zeros(3)
    for contact in box.contacts:
        force += contact.force
        moment += np.cross(contact.position - box.position, contact.force)
    np.testing.assert_allclose(force, -world.gravity, atol=1e-8)
    np.testing.assert_allclose(moment, 0.0, atol=1e-8)
