"""Hopper: one leg in the plane that shall hop forward; Gymnasium's "Hopper-v5".

Source: Erez, Tassa, Todorov, "Infinite-horizon model predictive control for periodic tasks with
contacts", 2011.
"""

from __future__ import annotations

import numpy as np

from tribo.gym.simulation import Simulation
from tribo.gym.task import Task
from tribo.gym.tasks.mujoco import is_between, position, upright, velocity


def is_healthy(sim: Simulation) -> np.ndarray:
    """Return who stands: torso above 0.7 m and within 0.2 rad, nothing beyond ±100, (worlds,) of bool."""
    q, v = position(sim), velocity(sim)
    tame = (np.abs(q[:, 2:]) < 100.0).all(axis=1) & (np.abs(v) < 100.0).all(axis=1)
    return np.asarray(tame & (q[:, 1] > 0.7) & is_between(q[:, 2], -0.2, 0.2))


def task() -> Task:
    """Return the task: at most 1000 control steps of 8 ms."""
    return upright("Hopper", "hopper.xml", is_healthy)
