"""Humanoid: a robot with arms and legs that shall walk; Gymnasium's "Humanoid-v5".

Source: Tassa, Erez, Todorov, "Synthesis and stabilization of complex behaviors through online trajectory
optimization", 2012.
"""

from __future__ import annotations

import numpy as np

from tribo.gym.simulation import Simulation
from tribo.gym.task import Task
from tribo.gym.tasks.mujoco import ROBOT, control_cost, is_between, keep_healthy, position, spatial


def is_healthy(sim: Simulation) -> np.ndarray:
    """Return whose torso is 1 to 2 m high, (worlds,) of bool."""
    return is_between(position(sim)[:, 2], 1.0, 2.0)


def task() -> Task:
    """Return the task: at most 1000 control steps of 15 ms."""
    made, bodies = spatial("Humanoid", "humanoid.xml", ((2.0, -4.0, 1.6), (0.0, 0.0, 1.0)), 1e-2)

    def centre(sim: Simulation) -> np.ndarray:
        return np.asarray(sim.once("centre of mass", lambda: bodies.centre(sim)))

    def wrenches(sim: Simulation) -> np.ndarray:
        found = sim.once("contact wrenches", lambda: bodies.contact_wrenches(sim))
        return np.asarray(found.reshape(len(sim), -1))

    def actuators(sim: Simulation) -> np.ndarray:
        return np.array(sim.object(ROBOT).generalized_force[:, 6:])

    def forward(sim: Simulation) -> np.ndarray:
        return np.asarray((centre(sim)[:, 0] - sim.before["centre"][:, 0]) / sim.control_step)

    def contact_cost(sim: Simulation) -> np.ndarray:
        return np.asarray(np.minimum(5e-7 * (wrenches(sim) ** 2).sum(axis=1), 10.0))

    made.notes["centre"] = centre
    made.observations["inertias"] = bodies.inertias
    made.observations["velocities of bodies"] = bodies.velocities
    made.observations["actuators"] = actuators
    made.observations["contacts"] = wrenches
    made.rewards["forward"] = 1.25, forward
    keep_healthy(made, is_healthy, 5.0)
    made.rewards["ctrl"] = -0.1, control_cost
    made.rewards["contact"] = -1.0, contact_cost
    return made
