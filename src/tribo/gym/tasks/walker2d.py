"""Walker2d: two legs in the plane that shall walk; Gymnasium's "Walker2d-v5".

Source: Erez, Tassa, Todorov, "Infinite-horizon model predictive control for periodic tasks with
contacts", 2011.
"""

from __future__ import annotations

import numpy as np

from tribo.gym.simulation import Simulation
from tribo.gym.task import Task
from tribo.gym.tasks.mujoco import is_between, position, upright


def is_healthy(sim: Simulation) -> np.ndarray:
    """Return who stands: torso between 0.8 and 2 m and within 1 rad, (worlds,) of bool."""
    q = position(sim)
    return np.asarray(is_between(q[:, 1], 0.8, 2.0) & is_between(q[:, 2], -1.0, 1.0))


def task() -> Task:
    """Return the task: at most 1000 control steps of 8 ms."""
    return upright("Walker2d", "walker2d_v5.xml", is_healthy)
