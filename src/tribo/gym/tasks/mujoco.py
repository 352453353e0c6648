"""The common part of tasks from Gymnasium's MJCF files: files, actuators, positions, velocities.

Observations, rewards, ends and starts are those of Gymnasium's environments "v5" (documented at
https://gymnasium.farama.org/environments/mujoco/), but the physics is tribo's: contacts and stops are hard.
Control steps are as long as there; a file's time step is taken as it is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tribo
from tribo.gym.rotations import turned, turned_back
from tribo.gym.simulation import Simulation
from tribo.gym.task import Actions, Change, Task, Term
from tribo.gym.tasks.mujoco_bodies import Bodies

ROBOT = "torso"
logger = logging.getLogger("tribo")


def asset(file: str) -> Path:
    """Return the path of a file that comes with Gymnasium.

    Raises:
        ImportError: This Gymnasium has no such file.
    """
    import gymnasium

    path = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / file
    if not path.is_file():
        raise ImportError(
            f"{path} is missing: this task reads it from Gymnasium; pip install 'gymnasium[mujoco]>=1.1'"
        )
    return path


def builder(file: str) -> Callable[[], tribo.World]:
    """Return a function that builds the world of a file."""

    def world() -> tribo.World:
        made = tribo.World()
        level = logger.level
        logger.setLevel(logging.ERROR)  # what has no effect is in docs/howto/gym
        try:
            made.load_mjcf(asset(file))
        finally:
            logger.setLevel(level)
        return made

    return world


def motors(make_world: Callable[[], tribo.World]) -> Actions:
    """Return actions that are the file's motors, in its order: torque = gear · control."""
    robot: Any = make_world()[ROBOT]
    actuators = robot.description.actuators
    first = 6 * robot.is_floating
    places = [first + robot.joint_names.index(item.joint) for item in actuators]
    gears = np.array([item.gear for item in actuators])

    def apply(sim: Simulation, actions: np.ndarray) -> None:
        sim.object(ROBOT).generalized_force[:, places] = gears * actions

    low, high = np.transpose([item.control_range for item in actuators])
    return Actions(low, high, apply)


def velocity(sim: Simulation) -> np.ndarray:
    """Return MuJoCo's qvel, (worlds, dof): the angular velocity of a floating base is in axes of the body."""
    robot = sim.object(ROBOT)
    v = np.array(robot.generalized_velocity)
    if robot.is_floating:
        v[:, 3:6] = turned_back(robot.generalized_coordinate[:, 3:7], v[:, 3:6])
    return v


def position(sim: Simulation) -> np.ndarray:
    """Return MuJoCo's qpos, (worlds, nq), live."""
    return sim.object(ROBOT).generalized_coordinate


def forward(sim: Simulation) -> np.ndarray:
    """Return the mean forward speed in the control step, (worlds,) [m/s]."""
    return np.asarray((position(sim)[:, 0] - sim.before["x"][:, 0]) / sim.control_step)


def control_cost(sim: Simulation) -> np.ndarray:
    """Return the sum of the squared actions, (worlds,) [–]."""
    return np.asarray((sim.action**2).sum(axis=1))


def start(span: float, speed: float, *, normal: bool = False) -> Change:
    """Return the reset of these tasks: the file's posture and noise.

    Args:
        span: Largest deviation of the coordinates [m, rad].
        speed: Largest deviation of the velocities [m/s, rad/s], or the standard one.
        normal: Velocities are normally distributed, not equally.
    """

    def change(sim: Simulation, rows: np.ndarray) -> None:
        robot = sim.object(ROBOT)
        q, v = robot.generalized_coordinate[rows], robot.generalized_velocity[rows]
        q = q + sim.draws.uniform(rows, -span, span, q.shape[1])
        noise = (
            sim.draws.normal(rows, speed, v.shape[1])
            if normal
            else sim.draws.uniform(rows, -speed, speed, v.shape[1])
        )
        v = v + noise
        if robot.is_floating:
            q[:, 3:7] /= np.sqrt((q[:, 3:7] ** 2).sum(axis=1))[:, None]
            v[:, 3:6] = turned(q[:, 3:7], v[:, 3:6])
        robot.set_state(q, v, rows)

    return change


def planar(name: str, file: str, steps: int, noise: float, speed: float, *, normal: bool = False) -> Task:
    """Return a task of a robot in the plane, without what is its own: forward speed less control cost.

    Args:
        name, file: Of the task and its MJCF file.
        steps: Of the file's time step in a control step.
        noise, speed, normal: As `start` has them.
    """
    world = builder(file)
    task = Task(
        name, world, motors(world), steps_per_action=steps, follows=ROBOT,
        camera=((0.0, -5.0, 1.2), (0.0, 0.0, 0.7)),
    )  # fmt: skip
    task.notes["x"] = lambda sim: position(sim)[:, :1]
    task.observations["position"] = lambda sim: position(sim)[:, 1:]
    task.rewards["forward"] = 1.0, forward
    task.infos["x_position"] = lambda sim: np.array(position(sim)[:, 0])
    task.resets["start"] = start(noise, speed, normal=normal)
    return task


def spatial(
    name: str, file: str, camera: tuple[Any, Any], noise: float, *, normal: bool = False
) -> tuple[Task, Bodies]:
    """Return a task of a robot that floats, without rewards and ends, and MuJoCo's bodies of it.

    Args:
        name, file: Of the task and its MJCF file.
        camera: As `Task` has it.
        noise, normal: As `start` has them, of coordinates and velocities alike.
    """
    world = builder(file)
    robot: Any = world()[ROBOT]
    task = Task(name, world, motors(world), steps_per_action=5, follows=ROBOT, camera=camera)
    task.observations["position"] = lambda sim: position(sim)[:, 2:]
    task.observations["velocity"] = velocity
    task.infos["x_position"] = lambda sim: np.array(position(sim)[:, 0])
    task.infos["y_position"] = lambda sim: np.array(position(sim)[:, 1])
    task.resets["start"] = start(noise, noise, normal=normal)
    return task, Bodies(robot.description, ROBOT)


def is_between(value: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return where low < value < high, (n,) of bool."""
    return np.asarray((value > low) & (value < high))


def keep_healthy(task: Task, is_healthy: Term, reward: float) -> None:
    """Add the reward for being healthy, and end the episode of who is not."""
    task.rewards["survive"] = reward, lambda sim: is_healthy(sim).astype(float)
    task.terminations["unhealthy"] = lambda sim: ~is_healthy(sim)


def upright(name: str, file: str, is_healthy: Term) -> Task:
    """Return a task of a robot in the plane that must not fall: at most 1000 control steps of 8 ms."""
    task = planar(name, file, 4, 5e-3, 5e-3)
    task.observations["velocity"] = lambda sim: np.clip(velocity(sim), -10.0, 10.0)
    keep_healthy(task, is_healthy, 1.0)
    task.rewards["ctrl"] = -1e-3, control_cost
    return task
