"""A ball that rolls on a plate, and must be kept in its middle by tilting the plate."""

from __future__ import annotations

from typing import Any

import numpy as np

import tribo
from tribo.gym.simulation import Simulation
from tribo.gym.task import Actions, Task

PLATE, BALL = "plate", "ball"
EDGE, RADIUS, HEIGHT = 0.5, 0.05, 0.5  # [m] of the plate, of the ball, of the plate's joint
TILT = 0.25  # [rad] largest target
TOP = HEIGHT + 0.01 + RADIUS  # [m] of the ball's centre on the level plate


def world() -> tribo.World:
    """Return a plate on a stand, on two hinges with drives, and a ball on it."""
    made = tribo.World(time_step=0.005)
    made.set_material_pair("wood", "rubber", friction=0.8, rolling_friction=0.001)
    stand = tribo.LinkDescription("stand")
    stand.add_shape("cylinder", (0.04, HEIGHT - 0.05), mass=5.0, position=(0, 0, HEIGHT / 2), collides=False)
    motor: dict[str, Any] = {"effort": 50.0, "armature": 0.01, "damping": 0.1}
    ring = stand.add_child("ring", "revolute", position=(0, 0, HEIGHT), axis=(1, 0, 0), lower=-0.5,
                           upper=0.5, **motor)  # fmt: skip
    ring.add_shape("sphere", (0.03,), mass=0.2, collides=False)
    plate = ring.add_child("plate", "revolute", axis=(0, 1, 0), lower=-0.5, upper=0.5, **motor)
    plate.add_shape("box", (2 * EDGE, 2 * EDGE, 0.02), mass=1.0, material="wood",
                    color=(0.2, 0.22, 0.25, 1))  # fmt: skip
    made.add_articulated_system(stand, name=PLATE, fixed_base=True, position=(0, 0, 0)).set_pd_gains(
        60.0, 4.0
    )
    made.add_sphere(RADIUS, 0.2, "rubber", name=BALL, position=(0, 0, TOP))
    return made


def tilt(sim: Simulation, actions: np.ndarray) -> None:
    """Give the drives their targets."""
    sim.object(PLATE).pd_target[:] = TILT * actions


def place(sim: Simulation) -> np.ndarray:
    """Return where the ball is, (worlds, 3) [m], world axes, live."""
    return sim.object(BALL).generalized_coordinate[:, :3]


def near(sim: Simulation) -> np.ndarray:
    """Return 1 where the ball is in the middle, less with its distance from there, (worlds,) [–]."""
    return np.asarray(np.exp(-((place(sim)[:, :2] / 0.15) ** 2).sum(axis=1)))


def is_lost(sim: Simulation) -> np.ndarray:
    """Return where the ball left the plate, (worlds,) of bool."""
    x, y, z = np.array(place(sim)).T
    return np.asarray((np.abs(x) > EDGE) | (np.abs(y) > EDGE) | (z < HEIGHT - EDGE * np.sin(0.5)))


def drop_ball(sim: Simulation, rows: np.ndarray) -> None:
    """Put the ball somewhere on the level plate, moving."""
    ball = sim.object(BALL)
    q, v = ball.generalized_coordinate[rows], ball.generalized_velocity[rows]
    q[:, :2] = sim.draws.uniform(rows, -0.3, 0.3, 2)
    v[:, :2] = sim.draws.uniform(rows, -0.2, 0.2, 2)
    v[:, 3], v[:, 4] = -v[:, 1] / RADIUS, v[:, 0] / RADIUS  # it rolls
    ball.set_state(q, v, rows)


def task() -> Task:
    """Return the task: at most 500 control steps of 20 ms."""
    made = Task(
        "BallBalance", world, Actions([-1.0] * 2, [1.0] * 2, tilt), steps_per_action=4,
        episode_steps=500, camera=((1.5, -1.8, 1.5), (0.0, 0.0, 0.45)),
    )  # fmt: skip
    made.observations["plate"] = lambda sim: sim.object(PLATE).generalized_coordinate
    made.observations["plate speed"] = lambda sim: 0.1 * sim.object(PLATE).generalized_velocity
    made.observations["ball"] = lambda sim: place(sim)[:, :2]
    made.observations["ball speed"] = lambda sim: sim.object(BALL).generalized_velocity[:, :2]
    made.rewards["near"] = 1.0, near
    made.rewards["effort"] = -0.05, lambda sim: (sim.action**2).sum(axis=1)
    made.terminations["lost"] = is_lost
    made.resets["ball"] = drop_ball
    return made
