"""Kinematic bodies whose velocity changes carry their load along: to second order in the time step."""

import sys
from pathlib import Path

import numpy as np
import pytest

import tribo

sys.path.insert(0, str(Path(__file__).parents[2] / "validation"))
from carriers import bucket, tray, truck, turntable


@pytest.mark.parametrize("scene", [tray, turntable, truck, bucket])
def test_a_load_does_not_slip(scene):
    """Half the time step, a quarter of what is left; 50 µm is a hundredth of what one order less leaves."""
    coarse, fine = scene(1e-3), scene(5e-4)
    assert coarse < 5e-5
    assert fine < 0.35 * coarse + 1e-7


def test_a_pendulum_follows_its_pivot():
    """Its pivot is shaken far above its own frequency: θ of the linear equation, driven by the pivot."""
    length, dt, rate, shake = 0.5, 1e-3, 2 * np.pi * 3.0, 0.01
    world = tribo.World(dt)
    pivot = world.add_sphere(0.02, 1.0, body_type="kinematic", position=(0, 0, 1))
    bob = world.add_sphere(0.02, 1.0, position=(0, 0, 1 - length))
    world.add_pin(pivot, bob, position=(0, 0, 1))
    worst = 0.0
    for _ in range(1000):
        pivot.linear_velocity = (shake * rate * np.cos(rate * (world.time + dt / 2)), 0, 0)
        world.step()
        gap = np.linalg.norm(bob.position - pivot.position) - length
        worst = max(worst, abs(gap))
    assert world.status == 0
    assert worst < 1e-5


def test_a_platform_that_starts_at_once_is_followed():
    """A jump of the velocity is not extrapolated: the load has it one step later and keeps it."""
    world = tribo.World(1e-3)
    platform = world.add_box((1, 1, 0.1), 1.0, position=(0, 0, -0.05), body_type="kinematic")
    box = world.add_box((0.1, 0.1, 0.1), 1.0, position=(0, 0, 0.05))
    world.step(100)
    platform.linear_velocity = (0, 0, 0)
    world.step()
    platform.linear_velocity = (0.005, 0, 0)  # less than μ g dt
    speeds = []
    for _ in range(20):
        world.step()
        speeds.append(box.linear_velocity[0])
    assert max(speeds) <= 0.005 + 1e-9
    assert speeds[-1] == pytest.approx(0.005, abs=1e-9)


def test_what_a_carrier_did_last_is_part_of_the_state():
    """A snapshot in the middle of a swing, restored, goes on with the same bits."""
    world = tribo.World(1e-3)
    disc = world.add_cylinder(2.0, 0.2, 1.0, position=(0, 0, -0.1), body_type="kinematic")
    world.add_box((0.1, 0.1, 0.1), 1.0, position=(0.5, 0, 0.05))

    def swing(steps):
        for _ in range(steps):
            disc.angular_velocity = (0, 0, np.sin(3.0 * world.time))
            world.step()
        return world.hash()

    swing(50)
    kept = world.snapshot()
    first = swing(50)
    world.restore(kept)
    assert swing(50) == first
