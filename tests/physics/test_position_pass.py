"""Overlaps and joints beyond their stops are corrected in the positions: no speed is left."""

import numpy as np
import pytest
from scenes import empty_world

import tribo
from tribo.contact.problem.contact_targets import TARGET_DEAD_BAND
from tribo.model import Status


@pytest.mark.parametrize("depth", [1e-4, 1e-3, 1e-2, 4e-2])
def test_a_box_in_the_ground_rises_and_stops(depth):
    """It never rises faster than weight stops in the same step, and never above the ground."""
    world = tribo.World(time_step=1e-3)
    world.add_ground()
    box = world.add_box((1, 1, 1), 1.0, position=(0, 0, 0.5 - depth))
    for _ in range(600):
        world.step()
        assert world.status == 0
        assert abs(box.linear_velocity[2]) <= TARGET_DEAD_BAND * 9.81e-3 + 1e-12
        assert box.position[2] <= 0.5 + 1e-12
        assert len(world.contacts) == 4
    assert box.position[2] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("depth", [1e-3, 4e-2])
def test_two_free_bodies_part_without_speed(depth):
    """They end side by side, at rest, and their centre of mass has not moved."""
    world = empty_world(1e-3, gravity=(0, 0, 0))
    light = world.add_box((0.2, 0.2, 0.2), 1.0)
    heavy = world.add_box((0.2, 0.2, 0.2), 3.0, position=(0.03, 0.02, 0.2 - depth))
    middle = 0.25 * light.position + 0.75 * heavy.position
    world.step(1500)
    assert max((c.depth for c in world.contacts), default=0.0) < 1e-6
    for box in (light, heavy):
        assert not box.linear_velocity.any()
        assert not box.angular_velocity.any()
    np.testing.assert_allclose(0.25 * light.position + 0.75 * heavy.position, middle, atol=1e-14)


def test_friction_between_bodies_that_overlap_keeps_the_angular_momentum():
    """Both are pushed at one point: about the centre of mass L is kept to round-off of Σ m |x| |v|."""
    world = empty_world(1e-3, gravity=(0, 0, 0))
    world.erp = 0.0  # no shift
    world.default_pair = tribo.PairProperties(friction=0.8)
    light = world.add_box((0.2, 0.2, 0.2), 1.0)
    heavy = world.add_box((0.2, 0.2, 0.2), 3.0, position=(0.03, 0.02, 0.19))
    heavy.linear_velocity = (1.0, 0.5, -0.5)

    def spin():
        total = np.zeros(3)
        for box in (light, heavy):
            r, v = box.position, box.mass * box.linear_velocity
            turn = box.rotation_matrix
            total += np.cross(r, v) + turn @ box.inertia @ turn.T @ box.angular_velocity
        return total

    before = spin()
    for _ in range(50):
        world.step()
        assert world.contacts
        np.testing.assert_allclose(spin(), before, atol=1e-13)


@pytest.mark.parametrize("speed", [1e-150, 1e-170, 1e-300])
def test_a_speed_whose_square_is_no_number_is_solved(speed):
    """Without weight the residual is relative to this speed, and to an energy that rounds to 0."""
    world = empty_world(1e-3, gravity=(0, 0, 0))
    world.add_box((1, 1, 1), 1.0, body_type="static", position=(0, 0, -0.5))
    world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.1), linear_velocity=(0, 0, -speed))
    world.step()
    assert world.status == 0


def test_a_joint_beyond_its_stop_comes_back_without_speed():
    """The rest after n steps is (1 − erp)ⁿ of it, but for the compliance of 1e-6."""
    world = empty_world(1e-3, gravity=(0, 0, 0))
    root = tribo.LinkDescription("base")
    root.mass, root.inertia = 1.0, np.eye(3)
    arm = root.add_child("arm", "revolute", axis=(0, 0, 1), lower=-0.5, upper=0.5)
    arm.mass, arm.inertia = 1.0, np.eye(3)
    robot = world.add_articulated_system(root, fixed_base=True)
    robot.generalized_coordinate = [0.501]
    for k in range(1, 20):
        world.step()
        assert robot.generalized_velocity[0] == 0.0
        rest = robot.generalized_coordinate[0] - 0.5
        assert rest == pytest.approx(1e-3 * (1.0 - world.erp) ** k, rel=1e-4)


def test_a_ball_that_two_walls_hold_stays_and_says_so():
    """No shift frees it from both: the two share, and the status tells that the overlap stays."""
    world = empty_world(1e-3, gravity=(0, 0, 0))
    for side in (-1, 1):
        world.add_box((1, 1, 1), 1.0, body_type="static", position=(0.545 * side, 0, 0))
    ball = world.add_sphere(0.05, 1.0)
    world.step(100)
    assert world.status == Status.CORRECTION_LIMITED
    np.testing.assert_allclose(ball.position, 0.0, atol=1e-12)
    assert not ball.linear_velocity.any()


def test_a_floating_robot_is_shifted_as_a_whole_and_keeps_its_momentum():
    """Its two links overlap a loose ball in free flight. (The goal of its centre of mass moves along.)"""
    world = empty_world(1e-3, gravity=(0, 0, 0))
    root = tribo.LinkDescription("body")
    root.add_shape("box", (0.2, 0.2, 0.2), mass=2.0)
    leg = root.add_child("leg", "revolute", axis=(0, 1, 0), position=(0.3, 0, 0))
    leg.add_shape("box", (0.1, 0.1, 0.1), mass=1.0)
    robot = world.add_articulated_system(root)
    ball = world.add_sphere(0.1, 1.0, position=(0, 0.01, 0.195))
    velocity = robot.generalized_velocity
    velocity[0] = 1.0
    robot.generalized_velocity = velocity
    ball.linear_velocity = (1.0, 0, 0)
    middle = (3.0 * robot.com_position + ball.position) / 4.0
    for _ in range(200):
        world.step()
    momentum = robot.linear_momentum + ball.mass * ball.linear_velocity
    np.testing.assert_allclose(momentum, (4.0, 0, 0), atol=1e-11)
    now = (3.0 * robot.com_position + ball.position) / 4.0
    np.testing.assert_allclose(now - middle, (0.2, 0, 0), atol=1e-9)
    assert max((c.depth for c in world.contacts), default=0.0) < 1e-6
