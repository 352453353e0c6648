"""An arm of three joints that shall bring its hand to a point and hold it there."""

from __future__ import annotations

from typing import Any

import numpy as np

import tribo
from tribo.gym import randomisation
from tribo.gym.simulation import Simulation
from tribo.gym.task import Actions, Task

ARM, TARGET = "arm", "target"
UPPER, FORE, HEIGHT = 0.4, 0.4, 0.3  # [m]
STEP = 0.1  # [rad] by which an action moves the targets of the drives
NEAR = 0.05  # [m]
DARK, ORANGE = (0.2, 0.22, 0.25, 1), (0.85, 0.35, 0.15, 1)


def world() -> tribo.World:
    """Return an arm that turns about z, y and y, and a ball that marks the point."""
    made = tribo.World(time_step=0.005)
    base = tribo.LinkDescription("base")
    base.add_shape("cylinder", (0.08, HEIGHT - 0.05), mass=5.0, position=(0, 0, HEIGHT / 2), color=DARK)
    motor: dict[str, Any] = {"effort": 60.0, "armature": 0.02, "damping": 0.1}
    turret = base.add_child(
        "turret", "revolute", position=(0, 0, HEIGHT), axis=(0, 0, 1), lower=-3.0, upper=3.0, **motor
    )
    turret.add_shape("sphere", (0.07,), mass=1.0, color=DARK, collides=False)
    upper = turret.add_child("upper", "revolute", axis=(0, 1, 0), lower=-1.8, upper=1.8, **motor)
    upper.add_shape("capsule", (0.035, UPPER), mass=1.5, position=(0, 0, UPPER / 2), color=ORANGE,
                    collides=False)  # fmt: skip
    fore = upper.add_child("fore", "revolute", position=(0, 0, UPPER), axis=(0, 1, 0), lower=-2.6,
                           upper=2.6, **motor)  # fmt: skip
    fore.add_shape("capsule", (0.025, FORE), mass=0.8, position=(0, 0, FORE / 2), color=DARK,
                   collides=False)  # fmt: skip
    fore.add_child("hand", "fixed", position=(0, 0, FORE))
    arm = made.add_articulated_system(base, name=ARM, fixed_base=True, position=(0, 0, 0))
    arm.set_pd_gains([60.0, 200.0, 80.0], [6.0, 20.0, 8.0])
    made.add_sphere(0.03, mass=1.0, name=TARGET, position=(0.4, 0, 0.5), body_type="kinematic",
                    collision_group=0, collision_mask=0)  # fmt: skip
    return made


def move(sim: Simulation, actions: np.ndarray) -> None:
    """Move the targets of the drives from where the joints are."""
    arm = sim.object(ARM)
    arm.pd_target[:] = arm.generalized_coordinate + STEP * actions


def hand(sim: Simulation) -> np.ndarray:
    """Return where the hand is, (worlds, 3) [m], world axes; from the angles, as in a textbook."""
    turn, shoulder, elbow = np.array(sim.object(ARM).generalized_coordinate).T
    out = UPPER * np.sin(shoulder) + FORE * np.sin(shoulder + elbow)
    up = HEIGHT + UPPER * np.cos(shoulder) + FORE * np.cos(shoulder + elbow)
    return np.stack([out * np.cos(turn), out * np.sin(turn), up], axis=1)


def gap(sim: Simulation) -> np.ndarray:
    """Return the way from the hand to the target, (worlds, 3) [m], world axes."""
    return np.asarray(sim.object(TARGET).generalized_coordinate[:, :3] - hand(sim))


def distance(sim: Simulation) -> np.ndarray:
    """Return the distance from hand to target, (worlds,) [m]."""
    return np.asarray(np.sqrt((gap(sim) ** 2).sum(axis=1)))


def place_target(sim: Simulation, rows: np.ndarray) -> None:
    """Put the target anywhere in reach: 0.3 to 0.7 m from the shoulder, in front, not below it."""
    turn, tilt, far = sim.draws.uniform(rows, (-1.5, 0.2, 0.3), (1.5, 1.5, 0.7), 3).T
    place = np.zeros((len(rows), 7))
    place[:, 0] = far * np.sin(tilt) * np.cos(turn)
    place[:, 1] = far * np.sin(tilt) * np.sin(turn)
    place[:, 2] = HEIGHT + far * np.cos(tilt)
    place[:, 3] = 1.0
    sim.object(TARGET).set_state(place, np.zeros(6), rows)


def task() -> Task:
    """Return the task: 200 control steps of 20 ms; a new target in each episode."""
    made = Task(
        "Reach", world, Actions([-1.0] * 3, [1.0] * 3, move), steps_per_action=4, episode_steps=200,
        camera=((1.6, -1.8, 1.2), (0.1, 0.0, 0.5)),
    )  # fmt: skip
    made.observations["joints"] = lambda sim: sim.object(ARM).generalized_coordinate
    made.observations["speeds"] = lambda sim: 0.1 * sim.object(ARM).generalized_velocity
    made.observations["hand"] = hand
    made.observations["gap"] = gap
    made.rewards["distance"] = -1.0, distance
    made.rewards["near"] = 1.0, lambda sim: (distance(sim) < NEAR).astype(float)
    made.rewards["effort"] = -0.01, lambda sim: (sim.action**2).sum(axis=1)
    made.infos["distance"] = distance
    made.resets["start"] = randomisation.start(ARM, 0.5, 0.0)
    made.resets["target"] = place_target
    return made
