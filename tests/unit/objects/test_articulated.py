"""The acceleration of a robot in the last step."""

import numpy as np
import pytest
from scenes import standing_quadruped

import tribo


def test_the_acceleration_of_a_step_is_the_change_of_velocity():
    """A robot that turns at 10 rad/s in all its joints: to 1e-5, what keeping its momentum adds."""
    world = tribo.World(time_step=1e-3)
    world.gravity = (0, 0, 0)
    robot = standing_quadruped(world)
    robot.set_pd_gains(0.0, 0.0)
    robot.position = (0, 0, 5)
    robot.generalized_velocity = np.r_[np.zeros(3), 10.0 * np.sin(np.arange(15))]
    world.step(5)
    before = robot.generalized_velocity.copy()
    world.step()
    mean = (robot.generalized_velocity - before) / 1e-3
    assert np.abs(mean).max() > 100.0
    assert robot.generalized_acceleration == pytest.approx(mean, abs=1e-5 * np.abs(mean).max())


def test_a_hit_does_not_last():
    """Where a falling robot lands its velocity changes by more than 100 m/s²; what lasts is g."""
    world = tribo.World(time_step=1e-3)
    world.add_ground()
    robot = standing_quadruped(world)
    robot.position = robot.position + np.array([0, 0, 0.2])
    robot.pd_target = robot.generalized_coordinate
    changes, said = [], []
    for _ in range(400):
        before = robot.generalized_velocity.copy()
        world.step()
        changes.append((robot.generalized_velocity - before) / 1e-3)
        said.append(robot.generalized_acceleration)
    landing = int(np.argmax(np.abs(np.array(changes)).max(axis=1)))
    assert changes[landing][2] > 100.0
    assert said[landing][2] == pytest.approx(-9.81, abs=0.5)
    assert said[-1] == pytest.approx(changes[-1], abs=1e-6)
