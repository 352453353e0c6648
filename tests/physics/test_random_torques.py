"""Robots of Gymnasium's files, driven at random: they fall and thrash, and what is solved is not flagged."""

import numpy as np
import pytest
from scenes import base, joint_body

import tribo
from tribo import Status
from tribo.description.trees import TreeDescription
from tribo.gym.tasks.mujoco import ROBOT, builder
from tribo.model import Joint


@pytest.mark.parametrize(("file", "dt", "torque"), [("ant.xml", 0.01, 100.0), ("humanoid.xml", 0.003, 60.0)])
def test_few_steps_of_a_robot_that_thrashes_are_flagged(file, dt, torque):
    """(Before, 7 % of Ant's steps, solved to 1e-13: friction impulses next to nothing had no direction.)"""
    world = builder(file)()
    world.time_step = dt
    robot = world[ROBOT]
    rng = np.random.default_rng(0)
    flagged, steps = 0, 400
    for k in range(steps):
        if k % 10 == 0:
            tau = torque * rng.uniform(-1.0, 1.0, robot.dof)
            tau[:6] = 0.0
        robot.generalized_force = tau
        world.step()
        flagged += bool(world.status & Status.NOT_CONVERGED)
    assert world.status & Status.INVALID == 0
    assert flagged <= 0.01 * steps


def test_a_damped_robot_is_not_solved_again_for_its_bias_force():
    """An arm with dampers thrown at 20 rad/s onto the ground: h errs by less than dampers and contacts take.

    (Before, nearly each step was solved twice, most of them in parts.)
    """
    links = [
        joint_body(f"l{k}", k, Joint.REVOLUTE, 1.0, com=(0, 0, -0.1), inertia=1e-2 * np.eye(3),
                   axis=(0, 1, 0), position=(0, 0, -0.2 * (k > 0)), damping=1.0)
        for k in range(3)
    ]  # fmt: skip
    world = tribo.World(time_step=2e-3)
    robot = world.add_articulated_system(TreeDescription([base(), *links]), collision_mask=0)
    robot.generalized_velocity = [20.0, -20.0, 20.0]
    rounds = 0
    for _ in range(100):
        world.step()
        assert world.status == 0
        assert not world.engine.work.tree_is_fourth.any()
        rounds += int(world.engine.work.bias_rounds[0])
    assert rounds <= 10


def test_a_torque_beyond_its_limit_is_cut_before_the_first_solve():
    """Without gains it is known what a drive gives. (Before, the step was solved once more.)"""
    link = joint_body("l0", 0, Joint.REVOLUTE, 1.0, com=(0, 0, -0.1), inertia=1e-2 * np.eye(3))
    world = tribo.World()
    robot = world.add_articulated_system(TreeDescription([base(), link]), collision_mask=0)
    robot.joints[0].effort_limits = 2.0
    robot.generalized_force = [5.0]
    world.step()
    assert robot.applied_torque == pytest.approx([2.0], abs=0)
    assert world.engine.work.solves[0] == 1
