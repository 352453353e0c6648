"""Bodies that the user moves: they keep their velocity, push what is in their way and carry."""

import numpy as np
import pytest
from scenes import GRAVITY, empty_world, ground_world

import tribo

DT = 1e-3


def conveyor(friction, speed):
    """Return a world, a moving belt and a box that was put on it at rest."""
    world = empty_world(DT, friction=friction)
    belt = world.add_box(
        (20, 1, 0.2), 1.0, position=(0, 0, -0.1), body_type="kinematic", linear_velocity=(speed, 0, 0)
    )
    box = world.add_box((0.2, 0.2, 0.1), 1.0, position=(0, 0, 0.05))
    return world, belt, box


def test_conveyor():
    """V = N μ g dt: the box reaches V after N steps; belt and box shift by V²/2μg to each other."""
    friction, steps = 0.5, 200
    speed = steps * friction * GRAVITY * DT
    world, belt, box = conveyor(friction, speed)
    world.step(steps)
    assert box.linear_velocity[0] == pytest.approx(speed, abs=1e-10)
    slip = speed**2 / (2 * friction * GRAVITY)
    assert box.position[0] == pytest.approx(slip, abs=1e-9)
    assert belt.position[0] - box.position[0] == pytest.approx(slip, abs=1e-9)
    world.step(300)
    assert belt.position[0] - box.position[0] == pytest.approx(slip, abs=1e-9)
    assert np.abs(box.orientation[1:]).max() <= 1e-9
    assert box.position[2] == pytest.approx(0.05, abs=1e-9)


def test_kinematic_body_keeps_its_velocity():
    """Whatever it meets: a kinematic box moves v t through gravity, a static wall and a dynamic box,
    which it pushes at its own speed with μ m g (its own face is smooth)."""
    world = ground_world(DT, friction=0.3)
    world.set_material_pair("smooth", "default", friction=0.0)
    pusher = world.add_box(
        (0.2, 1, 0.2), 1.0, "smooth", position=(0, 0, 0.12), body_type="kinematic",
        linear_velocity=(0.5, 0, 0),
    )  # fmt: skip
    box = world.add_box((0.2, 0.2, 0.2), 50.0, position=(0.3, 0, 0.1))
    world.add_box((0.05, 9, 1), 1.0, position=(0.2, 0, 0.8), body_type="static")
    world.add_box((0.2, 9, 1), 1.0, position=(2.0, 0, 0.5), body_type="static")
    world.step(1000)
    np.testing.assert_allclose(pusher.position, [0.5, 0, 0.12], atol=1e-12)
    np.testing.assert_array_equal(pusher.linear_velocity, [0.5, 0, 0])
    assert box.position[0] == pytest.approx(pusher.position[0] + 0.2, abs=1e-6)
    assert box.linear_velocity[0] == pytest.approx(0.5, abs=1e-9)
    push = sum(c.force[0] for c in box.contacts if c.object_b is pusher)
    assert push == pytest.approx(0.3 * 50 * GRAVITY, rel=1e-6)


def test_turntable_carries_a_box_until_friction_is_too_weak():
    """A box at radius ρ on a disc that turns at ω holds while ω² ρ < μ g; beyond the limit it flies off.
    (The box is small: its corners' radii differ by 2 %. How exactly it holds: test_held.)"""
    rho, steps = 0.5, 1000
    for factor in (0.95, 1.05):
        omega = np.sqrt(factor * 0.5 * GRAVITY / rho)
        world = empty_world(DT, friction=0.5)
        world.add_box(
            (4, 4, 0.2), 1.0, position=(0, 0, -0.1), body_type="kinematic", angular_velocity=(0, 0, omega)
        )
        box = world.add_box(
            (0.02, 0.02, 0.004), 1.0, position=(rho, 0, 0.002),
            linear_velocity=(0, omega * rho, 0), angular_velocity=(0, 0, omega),
        )  # fmt: skip
        world.step(steps)
        radius = np.hypot(*box.position[:2])
        if factor < 1:
            assert radius == pytest.approx(rho, rel=1e-7)
        else:
            assert radius > 1.1 * rho


def test_energy_counts_dynamic_bodies_only():
    """A kinematic body's energy is nobody's business."""
    world = empty_world(DT)
    world.add_sphere(0.1, 5.0, position=(0, 0, 1), linear_velocity=(3, 0, 0), body_type="kinematic")
    ball = world.add_sphere(0.1, 2.0, position=(0, 3, 1), linear_velocity=(0, 0, 1))
    assert world.kinetic_energy == pytest.approx(1.0, rel=1e-14)
    assert world.potential_energy == pytest.approx(2 * GRAVITY, rel=1e-14)
    np.testing.assert_allclose(world.linear_momentum, 2 * ball.linear_velocity, atol=1e-14)


def test_a_kinematic_body_turns_as_told():
    """50 rad/s for one second is 50 rad, not the Cayley rotation's 0.01 rad less."""
    world = tribo.World()
    box = world.add_box((1, 1, 1), 1.0, body_type="kinematic", angular_velocity=(0, 0, 50.0))
    world.step(1000)
    angle = 2.0 * np.arctan2(box.orientation[3], box.orientation[0])
    error = (angle - 50.0 + np.pi) % (2 * np.pi) - np.pi
    assert abs(error) < 1e-10
