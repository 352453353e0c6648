"""Ant: a ball on four legs that shall run; Gymnasium's "Ant-v5".

Source: Schulman, Moritz, Levine, Jordan, Abbeel, "High-dimensional continuous control using generalized
advantage estimation", 2015.
"""

from __future__ import annotations

import numpy as np

from tribo.gym.simulation import Simulation
from tribo.gym.task import Task
from tribo.gym.tasks.mujoco import control_cost, forward, keep_healthy, position, spatial, velocity


def is_healthy(sim: Simulation) -> np.ndarray:
    """Return whose torso is 0.2 to 1 m high and whose state is finite, (worlds,) of bool."""
    q, v = position(sim), velocity(sim)
    finite = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
    return np.asarray(finite & (q[:, 2] >= 0.2) & (q[:, 2] <= 1.0))


def task() -> Task:
    """Return the task: at most 1000 control steps of 50 ms."""
    made, bodies = spatial("Ant", "ant.xml", ((2.0, -4.0, 2.0), (0.0, 0.0, 0.4)), 0.1, normal=True)

    def contacts(sim: Simulation) -> np.ndarray:
        wrenches = sim.once("contact wrenches", lambda: bodies.contact_wrenches(sim))
        return np.asarray(np.clip(wrenches.reshape(len(sim), -1), -1.0, 1.0))

    made.notes["x"] = lambda sim: position(sim)[:, :1]
    made.observations["contacts"] = contacts
    made.rewards["forward"] = 1.0, forward
    keep_healthy(made, is_healthy, 1.0)
    made.rewards["ctrl"] = -0.5, control_cost
    made.rewards["contact"] = -5e-4, lambda sim: (contacts(sim) ** 2).sum(axis=1)
    return made
