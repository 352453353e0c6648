"""`world.diagnose_contact`: known cases of stick, slip, lift-off and bounce."""

import numpy as np
import pytest
from scenes import inclined_gravity

import tribo

G = 9.81


def slope(angle, friction=0.5):
    world = tribo.World(gravity=inclined_gravity(angle))
    world.default_pair = tribo.PairProperties(friction=friction)
    ground = world.add_ground()
    box = world.add_box((0.2, 0.2, 0.1), 2.0, position=(0, 0, 0.05))
    world.step(50)
    return world, ground, box


def test_a_box_that_sticks():
    world, ground, box = slope(0.2)
    found = world.diagnose_contact(box, ground)
    assert found.count("stick") == len(found.points) == 4
    assert found.normal_force == pytest.approx(2.0 * G * np.cos(0.2), rel=1e-8)
    assert found.is_converged
    assert all(p.slip_speed < 1e-9 and p.friction == 0.5 for p in found.points)
    assert all(0.0 < p.load < 1.0 for p in found.points)
    # the solve's tolerance, relative to the speed that weight gains in a step
    assert all(p.residual <= 1e-9 * G * world.time_step for p in found.points)
    text = repr(found)
    assert "4 stick" in text
    assert "F_t/μN" in text


def test_a_box_that_slides():
    world, ground, box = slope(0.8)
    found = world.diagnose_contact(ground, box)
    loaded = [p for p in found.points if p.normal_force > 0.0]
    assert loaded
    assert all(p.state == "slip" and p.load == pytest.approx(1.0, abs=1e-6) for p in loaded)
    speed = np.linalg.norm(box.linear_velocity)
    assert all(p.slip_speed == pytest.approx(speed, rel=1e-6) for p in loaded)


def test_a_ball_that_arrives():
    world = tribo.World(gravity=(0, 0, 0))
    world.default_pair = tribo.PairProperties(restitution=0.5)
    ground = world.add_ground()
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.1005), linear_velocity=(0, 0, -1.0))
    assert "no point" in repr(world.diagnose_contact(ball, ground))
    world.step()
    (point,) = world.diagnose_contact(ball, ground).points
    assert point.approach_speed == pytest.approx(1.0)
    assert point.restitution == 0.5
    assert ball.linear_velocity[2] == pytest.approx(0.5)


def test_numbers_that_are_gone_are_not_invented():
    world, ground, box = slope(0.2)
    saved = world.snapshot()
    world.add_sphere(0.1, 1.0, position=(5, 0, 1))
    with pytest.raises(ValueError, match="step first"):
        world.diagnose_contact(box, ground)
    world.step()
    assert len(world.diagnose_contact(box, ground).points) == 4
    other, ground, box = slope(0.2)
    other.restore(other.snapshot())
    with pytest.raises(ValueError, match="step first"):
        other.diagnose_contact(box, ground)
    assert saved.time > 0.0
