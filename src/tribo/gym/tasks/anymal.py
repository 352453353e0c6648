"""ANYmal C, which shall walk on flat ground as it is told; its file is in the package example-robot-data."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import tribo
from tribo.formats.mesh_files import robot_package
from tribo.gym import randomisation
from tribo.gym.task import Task
from tribo.gym.tasks.walking import Walker

ROBOT = "anymal"
FILE = "robots/anymal_c_simple_description/urdf/anymal.urdf"
WALKER = Walker(
    name=ROBOT,
    stance=np.array([0.0, 0.4, -0.8] * 2 + [0.0, -0.4, 0.8] * 2),  # HAA, HFE, KFE: LF, RF, LH, RH
    height=0.57,
    scale=0.5,
    feet=("LF_SHANK", "RF_SHANK", "LH_SHANK", "RH_SHANK"),
    late=np.array([0.0, 0.5, 0.5, 0.0]),  # a trot
    strides=1.6,
    standing=0.55,
    lowest=0.3,
    commands=np.array([[-0.6, -0.4, -0.8], [1.2, 0.4, 0.8]]),
)


def urdf() -> Path:
    """Return the path of the robot's file.

    Raises:
        ImportError: The package is not installed.
    """
    folder = robot_package()
    if folder is None:
        raise ImportError(
            'ANYmal C is in the package example-robot-data: pip install "tribo[robots]", or take the '
            "package's own robot, task Quadruped"
        )
    return folder / FILE


def world() -> tribo.World:
    """Return the robot in its stance on the ground, its drives on."""
    made = tribo.World(time_step=0.005)
    made.add_ground(material="floor")
    made.set_material_pair("floor", "default", friction=0.8)
    robot = made.add_articulated_system(urdf(), name=ROBOT)
    robot.generalized_coordinate = WALKER.start()
    robot.pd_target = WALKER.start()
    robot.set_pd_gains(150.0, 4.0)
    return made


def task() -> Task:
    """Return the task: at most 1000 control steps of 20 ms, a new command every 5 s."""
    made = WALKER.task("Anymal", world)
    made.rewards["effort"] = -1e-5, WALKER.effort  # it is four times as heavy as the own quadruped
    made.rewards["spread"] = -0.2, lambda sim: (WALKER.joints(sim)[:, ::3] ** 2).sum(axis=1)
    made.randomisations["friction"] = randomisation.friction("floor", "default", 0.5, 1.0)
    made.randomisations["load"] = randomisation.mass(ROBOT, "base", 0.85, 1.15)
    return made
