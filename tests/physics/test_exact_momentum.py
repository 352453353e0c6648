"""Exact derivatives of midpoint steps that keep momenta: of floating robots, and of bodies that touch."""

import sys
from pathlib import Path

import numpy as np
import pytest

import tribo

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from linearize import TOLERANCE, extrapolated

CLOSE = 1e-6  # [–] of the largest number of a column, or of 1: above it the extrapolation says too little


def chain(generator):
    """A base with a hinge and a ball joint."""
    link = root = tribo.LinkDescription("base")
    root.add_shape("sphere", (0.1,), mass=1.0)
    for k, kind in enumerate(("revolute", "spherical")):
        axis = generator.normal(size=3)
        link = link.add_child(f"link{k}", kind, axis=axis, position=(0.2, 0, 0))
        link.add_shape("sphere", (0.1,), mass=0.7, position=(0.1, 0.05, 0))
    return root


def add_robot(world, name, x, speed, generator):
    robot = world.add_articulated_system(chain(generator), name=name, position=(x, 0.02 * x, 1))
    rest = 0.3 * generator.normal(size=robot.dof - 3)
    robot.generalized_velocity = np.concatenate([(speed, 0, 0), rest])
    return robot


def add_ball(world, name, x, speed, generator):
    ball = world.add_sphere(0.1, 1.5, name=name, position=(x, 0.03, 1.02))
    ball.linear_velocity, ball.angular_velocity = (speed, 0, 0), generator.normal(size=3)


def agrees(world, left=None, **given):
    """Tell whether derivatives are exact and have the extrapolation to its bound, which says something."""
    found = tribo.linearize(world, method="exact", **given)
    expected, bound = extrapolated(world, left=left, **given)
    assert (bound.max(axis=0) <= CLOSE * np.maximum(np.abs(expected).max(axis=0), 1.0)).all()
    return (np.abs(found.central - expected) <= bound).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_floating_robot_that_forces_push_and_turn(seed):
    """On its base and on its last link: momentum changes by what they do, and by nothing else."""
    world = tribo.World(time_step=0.002)
    world.tolerance = TOLERANCE
    robot = add_robot(world, "robot", 0.0, 0.5, np.random.default_rng(seed))
    world.step(2)
    robot.apply_force("base", (3.0, -1.0, 20.0))
    robot.apply_force("link1", (1.0, 2.0, -3.0))
    robot.apply_torque("link1", (0.3, 0.1, -0.2))
    assert agrees(world, left=0.0, controls=("wrench", "force"))


@pytest.mark.parametrize("pair", ["robots", "robot and ball", "balls"])
@pytest.mark.parametrize("seed", range(2))
def test_bodies_that_touch_only_one_another_keep_their_momentum(pair, seed):
    generator = np.random.default_rng(seed)
    world = tribo.World(time_step=0.002)
    world.tolerance = TOLERANCE
    if pair == "balls":
        add_ball(world, "one", -0.15, 1.0, generator)
    else:
        add_robot(world, "one", -0.45, 1.0, generator)
    other = add_robot if pair == "robots" else add_ball
    other(world, "two", 0.15 if pair == "balls" else 0.35, -1.0, generator)
    for _ in range(400):
        state = world.snapshot()
        world.step()
        if any(np.linalg.norm(one.impulse) > 0.0 for one in world.contacts):
            world.restore(state)
            break
    else:
        raise AssertionError("nothing touched")
    assert agrees(world)


def test_a_rollout_of_robots_that_touch_has_exact_steps():
    generator = np.random.default_rng(0)
    world = tribo.World(time_step=0.002)
    world.tolerance = TOLERANCE
    robot = add_robot(world, "one", -0.45, 0.4, generator)
    add_robot(world, "two", 0.35, -0.4, generator)
    steps = 80
    plan = {"one": np.zeros((steps, robot.dof))}
    ways = tribo.rollout(world, forces=plan, derivatives=True, threads=1)
    push = np.zeros((steps, robot.dof))
    push[:, 6] = 1.0
    _, faster = ways.jvp(commands=push)
    assert not ways.obstacles
    assert faster[0, -1, robot.dof :].any()  # the other one was pushed
    ends = []
    for sign in (-1.0, 1.0):
        made = tribo.rollout(world, forces={"one": sign * 1e-5 * push}, threads=1)
        ends.append(made.v[0])
    expected = (ends[1] - ends[0]) / 2e-5
    assert np.abs(faster[0] - expected).max() < 1e-6 * np.abs(expected).max()
