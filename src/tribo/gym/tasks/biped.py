"""A biped with five drives in each leg, which shall walk on flat ground as it is told."""

from __future__ import annotations

from typing import Any

import numpy as np

import tribo
from tribo.gym import randomisation
from tribo.gym.simulation import Simulation
from tribo.gym.task import Task
from tribo.gym.tasks.walking import Walker

ROBOT = "biped"
LEG, HIP, ANKLE = (0.35, 0.1, 0.06)  # [m] thigh and shank; from the middle to a hip; height of an ankle
BEND = 0.35  # [rad] of hip and ankle in the stance, half that of the knee
LIFT = 0.25  # [rad] by which they bend more where a foot is highest: 8 cm
DARK, ORANGE = (0.2, 0.22, 0.25, 1), (0.85, 0.35, 0.15, 1)


class Stepper(Walker):
    """A walker whose drives step in place by themselves; what the policy adds makes it walk and not fall."""

    def drive(self, sim: Simulation, actions: np.ndarray) -> None:
        """Give the drives their targets: stance, a step in place, and what the policy adds."""
        late = (self.phase(sim)[:, None] + self.late) % 1.0
        swing = np.clip((late - self.standing) / (1.0 - self.standing), 0.0, 1.0)
        bend = LIFT * np.sin(np.pi * swing)  # (worlds, feet)
        step = np.zeros((len(sim), len(self.feet), len(self.stance) // len(self.feet)))
        step[:, :, 2:] = bend[:, :, None] * np.array([-1.0, 2.0, -1.0])  # pitch, knee, ankle
        targets = self.stance + step.reshape(len(sim), -1) + self.scale * actions
        sim.object(self.name).pd_target[:, 7:] = targets


WALKER = Stepper(
    name=ROBOT,
    stance=np.array([0.0, 0.0, -BEND, 2 * BEND, -BEND] * 2),  # yaw, roll, pitch, knee, ankle
    height=2 * LEG * float(np.cos(BEND)) + ANKLE,
    scale=0.5,
    feet=("left_foot", "right_foot"),
    late=np.array([0.0, 0.5]),
    strides=1.5,
    standing=0.6,
    lowest=0.45,
    commands=np.array([[-0.3, -0.2, -0.5], [0.8, 0.2, 0.5]]),
)


def _add_leg(trunk: tribo.LinkDescription, side: str, y: float) -> None:
    """Hang a leg below the trunk."""
    motor: dict[str, Any] = {"effort": 80.0, "armature": 0.02, "damping": 0.1}
    dark: dict[str, Any] = {"color": DARK, "collides": False}
    yaw = trunk.add_child(f"{side}_yaw", "revolute", position=(0, y, 0), axis=(0, 0, 1),
                          lower=-0.6, upper=0.6, **motor)  # fmt: skip
    yaw.add_shape("sphere", (0.05,), mass=0.8, **dark)
    roll = yaw.add_child(f"{side}_roll", "revolute", axis=(1, 0, 0), lower=-0.5, upper=0.5, **motor)
    roll.add_shape("sphere", (0.05,), mass=0.8, **dark)
    thigh = roll.add_child(f"{side}_thigh", "revolute", axis=(0, 1, 0), lower=-1.8, upper=1.0, **motor)
    thigh.add_shape("capsule", (0.05, LEG), mass=2.0, position=(0, 0, -LEG / 2), color=ORANGE,
                    collides=False)  # fmt: skip
    shank = thigh.add_child(f"{side}_shank", "revolute", position=(0, 0, -LEG), axis=(0, 1, 0),
                            lower=0.0, upper=2.2, **motor)  # fmt: skip
    shank.add_shape("capsule", (0.04, LEG), mass=1.2, position=(0, 0, -LEG / 2), **dark)
    foot = shank.add_child(f"{side}_foot", "revolute", position=(0, 0, -LEG), axis=(0, 1, 0),
                           lower=-1.0, upper=1.0, **motor)  # fmt: skip
    foot.add_shape("box", (0.2, 0.09, 0.03), mass=0.6, position=(0.03, 0, 0.015 - ANKLE),
                   material="rubber", color=ORANGE)  # fmt: skip


def robot() -> tribo.LinkDescription:
    """Return trunk and legs; only trunk and feet collide."""
    trunk = tribo.LinkDescription("trunk")
    trunk.add_shape("box", (0.16, 0.26, 0.36), mass=12.0, position=(0, 0, 0.24), color=DARK)
    _add_leg(trunk, "left", HIP)
    _add_leg(trunk, "right", -HIP)
    return trunk


def world() -> tribo.World:
    """Return the robot in its stance on the ground, its drives on."""
    made = tribo.World(time_step=0.005)
    made.add_ground(material="floor")
    made.set_material_pair("floor", "rubber", friction=0.8)
    biped = made.add_articulated_system(robot(), name=ROBOT, position=(0, 0, 1))
    biped.generalized_coordinate = WALKER.start()
    biped.pd_target = WALKER.start()
    biped.set_pd_gains([60.0, 120.0, 120.0, 120.0, 40.0] * 2, [2.0, 4.0, 4.0, 4.0, 1.5] * 2)
    return made


def task() -> Task:
    """Return the task: at most 1000 control steps of 20 ms, a new command every 5 s."""
    made = WALKER.task("Biped", world)
    made.rewards["effort"] = -2e-5, WALKER.effort
    made.rewards["alive"] = 1.0, lambda sim: np.ones(len(sim))
    made.rewards["spread"] = (-0.5, lambda sim: (WALKER.joints(sim)[:, [0, 1, 5, 6]] ** 2).sum(axis=1))
    made.randomisations["friction"] = randomisation.friction("floor", "rubber", 0.6, 1.0)
    made.randomisations["load"] = randomisation.mass(ROBOT, "trunk", 0.9, 1.1)
    return made
