"""The package's own quadruped, which shall walk on flat ground as it is told: forward, sideways, and turn."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import tribo
from tribo.gym import randomisation
from tribo.gym.task import Task
from tribo.gym.tasks.walking import Walker

DOG = "dog"
URDF = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
WALKER = Walker(
    name=DOG,
    stance=np.array([0.0, 0.7, -1.4] * 2 + [0.0, -0.7, 1.4] * 2),  # HAA, HFE, KFE: LF, RF, LH, RH
    height=2 * 0.24 * float(np.cos(0.7)) + 0.025,
    scale=0.6,
    feet=("LF_SHANK", "RF_SHANK", "LH_SHANK", "RH_SHANK"),
    late=np.array([0.0, 0.5, 0.5, 0.0]),  # a trot: two feet that are diagonal swing together
    strides=2.0,
    standing=0.55,
    lowest=0.2,
    commands=np.array([[-0.5, -0.3, -0.8], [1.0, 0.3, 0.8]]),
)


def world() -> tribo.World:
    """Return the robot in its stance on the ground, its drives on."""
    made = tribo.World(time_step=0.005)
    made.add_ground(material="floor")
    made.set_material_pair("floor", "rubber", friction=0.8)
    dog = made.add_articulated_system(URDF, name=DOG)
    dog.generalized_coordinate = WALKER.start()
    dog.pd_target = WALKER.start()
    dog.set_pd_gains(40.0, 1.0)
    return made


def task() -> Task:
    """Return the task: at most 1000 control steps of 20 ms, a new command every 5 s."""
    made = WALKER.task("Quadruped", world, camera=((1.2, -1.8, 0.9), (0.0, 0.0, 0.3)))
    made.rewards["spread"] = -0.2, lambda sim: (WALKER.joints(sim)[:, ::3] ** 2).sum(axis=1)
    made.randomisations["friction"] = randomisation.friction("floor", "rubber", 0.5, 1.0)
    made.randomisations["load"] = randomisation.mass(DOG, "trunk", 0.85, 1.15)
    return made
