"""Robots on legs that shall walk as they are told: what is seen and wanted, whatever the number of legs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

import tribo
from tribo.checks import check
from tribo.gym.rotations import turned_back
from tribo.gym.simulation import Simulation
from tribo.gym.task import Actions, Task, TaskOptions

DOWN = np.array([0.0, 0.0, -1.0])
RESTING = 0.1  # [–] part of the commands that is: stand still


@dataclass(frozen=True, eq=False)
class Walker:
    """A robot with a floating base and driven legs; its methods are the terms of its task.

    Example:
        >>> from tribo.gym.tasks.quadruped import WALKER
        >>> WALKER.task("Quadruped", lambda: None).actions.size
        12
    """

    name: str  # of the object
    stance: np.ndarray  # (joints,) [rad] in which it stands
    height: float  # [m] of the base in the stance
    scale: float  # [rad] by which an action of 1 moves the target of a drive
    feet: tuple[str, ...]  # links that may touch the ground; one that is fixed counts with its body
    late: np.ndarray  # (feet,) [–] part of a stride by which each is late
    strides: float  # [1/s]
    standing: float  # [–] part of a stride in which a foot stands
    lowest: float  # [m] base below it: fallen
    commands: np.ndarray  # (2, 3) least and greatest: forward, left [m/s], turn left [rad/s]

    def __post_init__(self) -> None:
        """Refuse numbers that do not belong together.

        Raises:
            TypeError, ValueError: The shapes of stance, late or commands are wrong, or a number is out of its
                range.
        """
        for what, shape in (("late", (len(self.feet),)), ("commands", (2, 3))):
            found = np.shape(getattr(self, what))
            if found != shape:
                raise ValueError(f"{what} of the walker {self.name} must have shape {shape}, got {found}")
        if np.ndim(self.stance) != 1:
            raise ValueError(
                f"stance of the walker {self.name} must be an angle for each joint, (joints,), got shape "
                f"{np.shape(self.stance)}"
            )
        for what in ("stance", "late", "commands"):
            named = f"{what} of the walker {self.name}"
            check.within_range(check.array(getattr(self, what), named, "numbers"), named)
        for what in ("height", "lowest"):
            check.number(getattr(self, what), f"{what} of the walker {self.name}")
        check.positive(self.scale, f"scale of the walker {self.name}")
        check.number(self.strides, f"strides of the walker {self.name}", minimum=0.0)
        check.number(self.standing, f"standing of the walker {self.name}", minimum=0.0, maximum=1.0)
        if (np.asarray(self.commands[0]) > np.asarray(self.commands[1])).any():
            raise ValueError(
                f"commands of the walker {self.name} must be least and greatest, got "
                f"{np.asarray(self.commands).tolist()}"
            )

    def start(self) -> np.ndarray:
        """Return the coordinates of the stance, (nq,)."""
        return np.concatenate([[0.0, 0.0, self.height, 1.0, 0.0, 0.0, 0.0], self.stance])

    def drive(self, sim: Simulation, actions: np.ndarray) -> None:
        """Give the drives their targets: the stance and what the policy adds."""
        sim.object(self.name).pd_target[:, 7:] = self.stance + self.scale * actions

    def within_batch(self) -> dict[str, Any]:
        """Return what this walker's policy sees and commands, for `Batch.set_policy`.

        Its command is that of `command`, its phase that of `clock`.

        Raises:
            ValueError: The drives do more than follow the policy.

        Example:
            >>> from tribo.gym.tasks.quadruped import WALKER
            >>> [seen.what for seen in WALKER.within_batch()["seen"]][:4]
            ['linear_velocity', 'angular_velocity', 'down', 'command']
        """
        if type(self).drive is not Walker.drive:
            raise ValueError(
                f"the drives of the walker {self.name} do more than follow the policy: play it as a task"
            )
        seen = [
            tribo.Seen("linear_velocity"), tribo.Seen("angular_velocity", scale=0.25),
            tribo.Seen("down"), tribo.Seen("command", width=3),
            tribo.Seen("clock", frequency=self.strides),
            tribo.Seen("joint_coordinates", shift=self.stance),
            tribo.Seen("joint_velocities", scale=0.05), tribo.Seen("action"),
        ]  # fmt: skip
        return {"seen": seen, "commanded": tribo.Commanded(self.name, shift=self.stance, scale=self.scale)}

    # -- what is seen --------------------------------------------------------------------------
    def command(self, sim: Simulation) -> np.ndarray:
        """Return what is wanted, (worlds, 3): speeds forward and left [m/s], and of turning [rad/s]."""
        return sim.remember("command", 3)

    def velocity(self, sim: Simulation) -> np.ndarray:
        """Return the velocity of the base, (worlds, 3) [m/s], its own axes."""
        robot = sim.object(self.name)
        return turned_back(robot.generalized_coordinate[:, 3:7], robot.generalized_velocity[:, :3])

    def spin(self, sim: Simulation) -> np.ndarray:
        """Return the angular velocity of the base, (worlds, 3) [rad/s], its own axes."""
        robot = sim.object(self.name)
        return turned_back(robot.generalized_coordinate[:, 3:7], robot.generalized_velocity[:, 3:6])

    def down(self, sim: Simulation) -> np.ndarray:
        """Return the direction of gravity, (worlds, 3) [–], axes of the base."""
        q = sim.object(self.name).generalized_coordinate[:, 3:7]
        return turned_back(q, np.broadcast_to(DOWN, (len(sim), 3)))

    def phase(self, sim: Simulation) -> np.ndarray:
        """Return where in the stride the robot is, (worlds,) 0…1 [–]."""
        begun = sim.remember("phase", 1)[:, 0]
        return np.asarray((self.strides * sim.control_step * sim.steps + begun) % 1.0)

    def clock(self, sim: Simulation) -> np.ndarray:
        """Return sine and cosine of the stride, (worlds, 2) [–]."""
        angle = 2.0 * np.pi * self.phase(sim)
        return np.stack([np.sin(angle), np.cos(angle)], axis=1)

    def joints(self, sim: Simulation) -> np.ndarray:
        """Return the joint angles less the stance, (worlds, joints) [rad]."""
        robot = sim.object(self.name)
        angles = robot.generalized_coordinate[:, 7:]
        if angles.shape[1] != len(self.stance):
            raise ValueError(
                f"stance of the walker {self.name} has {len(self.stance)} angles, its joints are "
                f"{angles.shape[1]}: {', '.join(robot.joint_names)}"
            )
        return np.asarray(angles - self.stance)

    # -- what is wanted ------------------------------------------------------------------------
    def error_of_speed(self, sim: Simulation) -> np.ndarray:
        """Return how far the horizontal velocity is from the wanted one, (worlds,) [m/s]."""
        error = self.velocity(sim)[:, :2] - self.command(sim)[:, :2]
        return np.asarray(np.sqrt((error**2).sum(axis=1)))

    def error_of_turn(self, sim: Simulation) -> np.ndarray:
        """Return how far the turning speed is from the wanted one, (worlds,) [rad/s]."""
        return np.asarray(np.abs(self.spin(sim)[:, 2] - self.command(sim)[:, 2]))

    def follows_speed(self, sim: Simulation) -> np.ndarray:
        """Return how well the horizontal velocity is the wanted one, (worlds,) 0…1 [–]."""
        return np.asarray(np.exp(-(self.error_of_speed(sim) ** 2) / 0.25))

    def follows_turn(self, sim: Simulation) -> np.ndarray:
        """Return how well the turning speed is the wanted one, (worlds,) 0…1 [–]."""
        return np.asarray(np.exp(-(self.error_of_turn(sim) ** 2) / 0.25))

    def keeps_step(self, sim: Simulation) -> np.ndarray:
        """Return the share of the feet that stand or swing as the stride wants it, (worlds,) 0…1 [–]."""
        robot = sim.object(self.name)
        rows = [robot.frame(name).body_index for name in self.feet]
        stands = sim.contact_force(self.name)[:, rows, 2] > 1.0
        wanted = (self.phase(sim)[:, None] + self.late) % 1.0 < self.standing
        return np.asarray((stands == wanted).sum(axis=1) / len(rows))

    def effort(self, sim: Simulation) -> np.ndarray:
        """Return the sum of the squared torques of the last step, (worlds,) [N² m²]."""
        torque = sim.object(self.name).applied_torque[:, 6:]
        return np.where(sim.is_new, 0.0, (torque**2).sum(axis=1))

    def is_fallen(self, sim: Simulation) -> np.ndarray:
        """Return whose base is low or tilted by more than 60°, (worlds,) of bool."""
        low = sim.object(self.name).generalized_coordinate[:, 2] < self.lowest
        return np.asarray(low | (self.down(sim)[:, 2] > -0.5))

    # -- how episodes begin --------------------------------------------------------------------
    def stand(self, sim: Simulation, rows: np.ndarray) -> None:
        """Put the robot near its stance, somewhere in the stride."""
        robot = sim.object(self.name)
        q, v = robot.generalized_coordinate[rows], robot.generalized_velocity[rows]
        q[:, 2] += 0.02
        q[:, 7:] += sim.draws.uniform(rows, -0.1, 0.1, len(self.stance))
        v[:, :6] += sim.draws.uniform(rows, -0.2, 0.2, 6)
        robot.set_state(q, v, rows)
        sim.remember("phase", 1)[rows] = sim.draws.uniform(rows, 0.0, 1.0, 1)

    def choose_command(self, sim: Simulation, rows: np.ndarray) -> None:
        """Draw what is wanted; some shall stand still."""
        wanted = sim.draws.uniform(rows, self.commands[0], self.commands[1], 3)
        rests = sim.draws.uniform(rows, 0.0, 1.0, 1) < RESTING
        self.command(sim)[rows] = np.where(rests, 0.0, wanted)

    def task(self, name: str, make_world: Callable[[], tribo.World], **options: Unpack[TaskOptions]) -> Task:
        """Return the task: at most 1000 control steps of 20 ms, a new command every 5 s.

        Args:
            name: Of the task.
            make_world: Returns a new world with the robot in its stance, its drives on, 5 ms.
            options: Of `Task`.
        """
        count, height = len(self.stance), self.height
        chosen: TaskOptions = {
            "steps_per_action": 4,
            "camera": ((3.0 * height, -4.5 * height, 2.2 * height), (0.0, 0.0, 0.75 * height)),
            "follows": self.name,
        }
        actions = Actions([-1.0] * count, [1.0] * count, self.drive)
        made = Task(name, make_world, actions, **(chosen | options))
        made.observations["velocity"] = self.velocity
        made.observations["spin"] = lambda sim: 0.25 * self.spin(sim)
        made.observations["down"] = self.down
        made.observations["command"] = self.command
        made.observations["clock"] = self.clock
        made.observations["joints"] = self.joints
        made.observations["speeds"] = lambda sim: 0.05 * sim.object(self.name).generalized_velocity[:, 6:]
        made.observations["last action"] = lambda sim: sim.action
        made.rewards["speed"] = 2.0, self.follows_speed
        made.rewards["turn"] = 1.0, self.follows_turn
        made.rewards["speed error"] = -1.0, self.error_of_speed  # leads where the bell is flat
        made.rewards["turn error"] = -0.4, self.error_of_turn
        made.rewards["trot"] = 1.0, self.keeps_step
        made.rewards["level"] = -2.0, lambda sim: (self.down(sim)[:, :2] ** 2).sum(axis=1)
        made.rewards["bounce"] = -0.5, lambda sim: self.velocity(sim)[:, 2] ** 2
        made.rewards["sway"] = -0.02, lambda sim: (self.spin(sim)[:, :2] ** 2).sum(axis=1)
        made.rewards["effort"] = -1e-4, self.effort
        made.rewards["jerk"] = (-0.01, lambda sim: ((sim.action - sim.previous_action) ** 2).sum(axis=1))
        made.rewards["fallen"] = -10.0, lambda sim: self.is_fallen(sim).astype(float)
        made.terminations["fallen"] = self.is_fallen
        made.resets["stand"] = self.stand
        made.resets["command"] = self.choose_command
        made.events["command"] = 5.0, self.choose_command
        return made
