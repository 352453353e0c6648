"""Coulomb friction of a sliding box: it stops where the closed form says.

At every step the slip changes by exactly μ g dt, and both half drifts make the path exact for
constant acceleration: from v₀ = N μ g dt the box stops after v₀²/2μg, not v₀ dt/2 earlier.
"""

import math

import numpy as np
import pytest
from scenes import GRAVITY, ground_world

DT = 1e-3
SIZE = (0.4, 0.3, 0.1)


def sliding_box(friction, velocity, dt=DT, **pair):
    """Return a world and a box that lies on the ground and slides."""
    world = ground_world(dt, friction=friction, **pair)
    box = world.add_box(SIZE, 2.0, position=(0, 0, SIZE[2] / 2), linear_velocity=velocity)
    return world, box


@pytest.mark.parametrize("friction", [0.1, 0.3, 0.8])
def test_stop_distance(friction):
    """v₀ = N μ g dt: d = v₀²/2μg after N steps; then at rest to solver tolerance."""
    steps = 700
    v0 = steps * friction * GRAVITY * DT
    world, box = sliding_box(friction, (v0, 0, 0))
    world.step(steps)
    assert box.position[0] == pytest.approx(v0**2 / (2 * friction * GRAVITY), abs=1e-9)
    assert np.abs(box.linear_velocity).max() <= 1e-10
    there = box.position
    world.step(1000)
    assert np.abs(box.position - there).max() <= 1e-9
    assert np.abs(box.linear_velocity).max() <= 1e-12


@pytest.mark.parametrize("v0", [2.0, 1.2345, 0.777])
@pytest.mark.parametrize("dt", [1e-3, 4e-3])
def test_stop_distance_of_any_speed(v0, dt):
    """The last step begins with r < μ g dt and covers r dt/2 instead of r²/2μg: at most μ g dt²/8 too far."""
    friction = 0.3
    world, box = sliding_box(friction, (v0, 0, 0), dt)
    world.step(int(v0 / (friction * GRAVITY * dt)) + 10)
    excess = box.position[0] - v0**2 / (2 * friction * GRAVITY)
    assert -1e-9 <= excess <= friction * GRAVITY * dt**2 / 8 + 1e-9


def test_a_sliding_box_neither_lifts_nor_tilts_nor_drifts():
    """A box that slides along x at 0.1 m half length and 0.05 m centre height: height, lateral
    position and rotation stay what they are (solver tolerance 1e-12 m/s times 0.7 s)."""
    world, box = sliding_box(0.3, (2.0, 0, 0))
    for _ in range(1000):
        world.step()
        assert abs(box.position[2] - SIZE[2] / 2) <= 1e-12
        assert abs(box.position[1]) <= 1e-12
        assert np.abs(box.orientation[1:]).max() <= 1e-12
        assert np.abs(box.angular_velocity).max() <= 1e-10


@pytest.mark.parametrize("angle", np.linspace(0.0, 2 * math.pi, 9)[:-1])
def test_friction_is_the_same_in_every_direction(angle):
    """A cone, not a pyramid: path and stop distance do not depend on the direction of slip."""
    friction, steps = 0.5, 300
    v0 = steps * friction * GRAVITY * DT
    world, box = sliding_box(friction, (v0 * math.cos(angle), v0 * math.sin(angle), 0))
    world.step(steps)
    d = v0**2 / (2 * friction * GRAVITY)
    np.testing.assert_allclose(box.position[:2], [d * math.cos(angle), d * math.sin(angle)], atol=1e-9)


@pytest.mark.parametrize("angle", np.deg2rad([0, 5, 45, 100, 225, 355]))
def test_push_at_the_limit(angle):
    """A force of 0.999 μ m g at the height of the ground holds for 1 s; 1.001 μ m g moves the box
    along the force with a = 0.001 μ g."""
    friction, mass = 0.4, 2.0
    direction = np.array([math.cos(angle), math.sin(angle), 0.0])
    for factor in (0.999, 1.001):
        world, box = sliding_box(friction, (0, 0, 0))
        for _ in range(1000):
            force = factor * friction * mass * GRAVITY * direction
            box.apply_force(force, point=[*box.position[:2], 0.0])
            world.step()
        if factor < 1.0:
            assert np.abs(box.position - [0, 0, SIZE[2] / 2]).max() <= 1e-9
        else:
            speed = np.linalg.norm(box.linear_velocity)
            assert speed == pytest.approx(0.001 * friction * GRAVITY, rel=1e-6)
            assert np.linalg.norm(box.linear_velocity / speed - direction) <= 1e-6


def test_top_block_slips_only_when_pulled_hard_enough():
    """m₁ = 1 on m₂ = 2, pulled below: they move together up to F = (m₁ + m₂)(μ₁₂ + μ_g) g, then the
    top block keeps μ₁₂ g. With the pull in line with the ground friction's resultant nothing tips."""
    limit = 3.0 * (0.3 + 0.2) * GRAVITY
    for factor in (0.999, 1.001):
        world = ground_world(friction=0.3)
        ground = world.objects[0]
        ground.material = "floor"
        world.set_material_pair("floor", "default", friction=0.2)
        lower = world.add_box((1.0, 0.5, 0.1), 2.0, position=(0, 0, 0.05))
        upper = world.add_box((0.2, 0.2, 0.1), 1.0, position=(0, 0, 0.15))
        for _ in range(500):
            lower.apply_force((factor * limit, 0, 0))
            world.step()
        t = world.time
        slip = lower.linear_velocity[0] - upper.linear_velocity[0]
        if factor < 1.0:
            together = (factor * limit - 0.2 * 3 * GRAVITY) / 3
            assert abs(slip) <= 1e-9
            assert upper.linear_velocity[0] == pytest.approx(together * t, rel=1e-8)
        else:
            below = (factor * limit - 0.2 * 3 * GRAVITY - 0.3 * GRAVITY) / 2
            assert upper.linear_velocity[0] == pytest.approx(0.3 * GRAVITY * t, rel=1e-8)
            assert lower.linear_velocity[0] == pytest.approx(below * t, rel=1e-8)


@pytest.mark.parametrize("shape", ["cylinder", "box"])
def test_what_slides_and_turns_fast_is_as_lawful_as_it_is_solved(shape):
    """What nobody knows of a velocity bent its direction: λ · d was 3e-3 of what the step removes."""
    world = ground_world(5e-3, friction=0.8)
    if shape == "cylinder":
        body = world.add_cylinder(0.08, 0.03, 1.0, position=(0, 0, 0.08))
        body.orientation = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)
        body.angular_velocity = (20, 40, 15)
    else:
        body = world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.1))
        body.angular_velocity = (0, 0, 30)
    body.linear_velocity = (1, -2, 0)
    for _ in range(20):
        world.step()
        assert np.max(world.residual) <= 1e-9
