"""`World.reset`: back to what the building of the world left, bit for bit."""

import numpy as np
import pytest
from scenes import standing_quadruped

import tribo
from tribo.checks.errors import EditError


def test_a_run_after_a_reset_is_the_first_one():
    world = tribo.World()
    world.add_ground()
    robot = standing_quadruped(world, kp=50.0, kd=1.0)
    start = robot.q.copy()
    world.step(50)
    first = robot.q.copy()
    world.reset()
    assert world.time == 0.0
    assert np.array_equal(robot.q, start)
    world.step(50)
    assert np.array_equal(robot.q, first)


def test_objects_added_later_start_a_new_beginning():
    world = tribo.World()
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 5))
    world.step(10)
    fallen = ball.position[2]
    world.reset()
    assert ball.position[2] == 5.0
    world.step(10)
    assert ball.position[2] == fallen
    other = world.add_sphere(0.1, mass=1.0, position=(1, 0, 5))
    world.step(10)
    world.reset()
    assert ball.position[2] == fallen
    assert other.position[2] == 5.0


def test_before_a_step_nothing_happens_and_between_halves_it_is_refused():
    world = tribo.World()
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 5))
    world.reset()
    assert ball.position[2] == 5.0
    world.update()
    with pytest.raises(EditError, match="between update and advance"):
        world.reset()
    world.advance()
    world.reset()
    assert ball.position[2] == 5.0
