"""Humanoid: a robot with arms and legs that shall walk; Gymnasium's "Humanoid-v5".

Source: Tassa, Erez, Todorov, "Synthesis and stabilization of complex behaviors through online trajectory
optimization", 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.gym.simulation import Simulation
from tribo.gym.task import Task
from tribo.gym.tasks.mujoco import (
    ROBOT,
    builder,
    control_cost,
    is_between,
    keep_healthy,
    motors,
    position,
    start,
    velocity,
)
from tribo.gym.tasks.mujoco_bodies import Bodies


def is_healthy(sim: Simulation) -> np.ndarray:
    """Return whose torso is 1 to 2 m high, (worlds,) of bool."""
    return is_between(position(sim)[:, 2], 1.0, 2.0)


def task() -> Task:
    """Return the task: at most 1000 control steps of 15 ms."""
    world = builder("humanoid.xml")
    robot: Any = world()[ROBOT]
    bodies = Bodies(robot.description, ROBOT)

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

    made = Task(
        "Humanoid", world, motors(world), steps_per_action=5, follows=ROBOT,
        camera=((2.0, -4.0, 1.6), (0.0, 0.0, 1.0)),
    )  # fmt: skip
    made.notes["centre"] = centre
    made.observations["position"] = lambda sim: position(sim)[:, 2:]
    made.observations["velocity"] = velocity
    made.observations["inertias"] = bodies.inertias
    made.observations["velocities of bodies"] = bodies.velocities
    made.observations["actuators"] = actuators
    made.observations["contacts"] = wrenches
    made.rewards["forward"] = 1.25, forward
    keep_healthy(made, is_healthy, 5.0)
    made.rewards["ctrl"] = -0.1, control_cost
    made.rewards["contact"] = -1.0, contact_cost
    made.infos["x_position"] = lambda sim: np.array(position(sim)[:, 0])
    made.infos["y_position"] = lambda sim: np.array(position(sim)[:, 1])
    made.resets["start"] = start(1e-2, 1e-2)
    return made
