"""A pole on a cart: a force on the cart shall keep the pole upright.

Sizes, limits and the reward are those of Barto, Sutton, Anderson, "Neuronlike adaptive elements that can
solve difficult learning control problems", IEEE Trans. SMC 13, 1983, with a force that may take any value.
"""

from __future__ import annotations

import numpy as np

import tribo
from tribo.gym import randomisation
from tribo.gym.simulation import Simulation
from tribo.gym.task import Actions, Task

CART, POLE, HALF = 1.0, 0.1, 0.5  # [kg, kg, m]
FORCE = 10.0  # [N]
TRACK, TILT = 2.4, np.radians(12.0)  # [m, rad] beyond which the episode ends


def world() -> tribo.World:
    """Return a cart on a track along x with a pole that turns about y."""
    made = tribo.World(time_step=0.01)
    rail = tribo.LinkDescription("rail")
    rail.add_shape("box", (2 * TRACK, 0.04, 0.02), mass=1.0, position=(0, 0, 0.4), collides=False)
    cart = rail.add_child("cart", "prismatic", position=(0, 0, 0.5), axis=(1, 0, 0))
    cart.add_shape("box", (0.4, 0.25, 0.2), mass=CART, color=(0.2, 0.22, 0.25, 1), collides=False)
    pole = cart.add_child("pole", "revolute", axis=(0, 1, 0))
    pole.add_shape(
        "capsule", (0.025, 2 * HALF), mass=POLE, position=(0, 0, HALF),
        color=(0.85, 0.35, 0.15, 1), collides=False,
    )  # fmt: skip
    made.add_articulated_system(rail, name="cart_pole", fixed_base=True, position=(0, 0, 0))
    return made


def push(sim: Simulation, actions: np.ndarray) -> None:
    """Push the cart."""
    sim.object("cart_pole").generalized_force[:, 0] = FORCE * actions[:, 0]


def state(sim: Simulation) -> np.ndarray:
    """Return position of the cart, angle of the pole, and their speeds, (worlds, 4) [m, rad, m/s, rad/s]."""
    robot = sim.object("cart_pole")
    return np.concatenate([robot.generalized_coordinate, robot.generalized_velocity], axis=1)


def is_lost(sim: Simulation) -> np.ndarray:
    """Return where the cart left its track or the pole fell, (worlds,) of bool."""
    q = sim.object("cart_pole").generalized_coordinate
    return np.asarray((np.abs(q[:, 0]) > TRACK) | (np.abs(q[:, 1]) > TILT))


def task() -> Task:
    """Return the task: 500 control steps of 20 ms, reward 1 for each that the pole stays up."""
    made = Task(
        "CartPole", world, Actions([-1.0], [1.0], push), steps_per_action=2, episode_steps=500,
        camera=((0.0, -4.0, 1.4), (0.0, 0.0, 0.8)),
    )  # fmt: skip
    made.observations["state"] = state
    made.rewards["upright"] = 1.0, lambda sim: np.ones(len(sim))
    made.terminations["lost"] = is_lost
    made.resets["start"] = randomisation.start("cart_pole", 0.05, 0.05)
    return made
