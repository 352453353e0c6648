"""The package's own quadruped, which shall walk on flat ground as it is told: forward, sideways, and turn."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import tribo
from tribo.gym import randomisation
from tribo.gym.rotations import turned_back
from tribo.gym.simulation import Simulation
from tribo.gym.task import Actions, Task

DOG = "dog"
URDF = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
STANCE = np.array(
    [0.0, 0.7, -1.4] * 2 + [0.0, -0.7, 1.4] * 2
)  # [rad] HAA, HFE, KFE of LF, RF, LH, RH
HEIGHT = 2 * 0.24 * float(np.cos(0.7)) + 0.025  # [m] of the trunk in this stance
SCALE = 0.6  # [rad] by which an action of 1 moves the target of a drive
COMMANDS = np.array(
    [[-0.5, -0.3, -0.8], [1.0, 0.3, 0.8]]
)  # [m/s, m/s, rad/s] forward, left, turn left
STRIDES = 2.0  # [1/s] of the trot: two feet that are diagonal swing together
SHANKS = ("LF_SHANK", "RF_SHANK", "LH_SHANK", "RH_SHANK")
PAIR = np.array([0.0, 0.5, 0.5, 0.0])  # [–] part of a stride by which a foot is late
DOWN = np.array([0.0, 0.0, -1.0])


def world() -> tribo.World:
    """Return the robot in its stance on the ground, its drives on."""
    made = tribo.World(time_step=0.005)
    made.add_ground(material="floor")
    made.set_material_pair("floor", "rubber", friction=0.8)
    dog = made.add_articulated_system(URDF, name=DOG)
    stance = np.concatenate([[0.0, 0.0, HEIGHT, 1.0, 0.0, 0.0, 0.0], STANCE])
    dog.generalized_coordinate = stance
    dog.pd_target = stance
    dog.set_pd_gains(40.0, 1.0)
    return made


def drive(sim: Simulation, actions: np.ndarray) -> None:
    """Give the drives their targets: the stance and what the policy adds."""
    sim.object(DOG).pd_target[:, 7:] = STANCE + SCALE * actions


# -- what is seen ----------------------------------------------------------------------------------
def command(sim: Simulation) -> np.ndarray:
    """Return what is wanted, (worlds, 3): speeds forward and to the left [m/s], and of turning [rad/s]."""
    return sim.remember("command", 3)


def velocity(sim: Simulation) -> np.ndarray:
    """Return the velocity of the trunk, (worlds, 3) [m/s], its own axes."""
    dog = sim.object(DOG)
    return turned_back(dog.generalized_coordinate[:, 3:7], dog.generalized_velocity[:, :3])


def spin(sim: Simulation) -> np.ndarray:
    """Return the angular velocity of the trunk, (worlds, 3) [rad/s], its own axes."""
    dog = sim.object(DOG)
    return turned_back(dog.generalized_coordinate[:, 3:7], dog.generalized_velocity[:, 3:6])


def down(sim: Simulation) -> np.ndarray:
    """Return the direction of gravity, (worlds, 3) [–], axes of the trunk."""
    q = sim.object(DOG).generalized_coordinate[:, 3:7]
    return turned_back(q, np.broadcast_to(DOWN, (len(sim), 3)))


def phase(sim: Simulation) -> np.ndarray:
    """Return where in the stride the robot is, (worlds,) 0…1 [–]."""
    return np.asarray(
        (STRIDES * sim.control_step * sim.steps + sim.remember("phase", 1)[:, 0]) % 1.0
    )


def clock(sim: Simulation) -> np.ndarray:
    """Return sine and cosine of the stride, (worlds, 2) [–]."""
    angle = 2.0 * np.pi * phase(sim)
    return np.stack([np.sin(angle), np.cos(angle)], axis=1)


def joints(sim: Simulation) -> np.ndarray:
    """Return the joint angles less the stance, (worlds, 12) [rad]."""
    return np.asarray(sim.object(DOG).generalized_coordinate[:, 7:] - STANCE)


# -- what is wanted --------------------------------------------------------------------------------
def error_of_speed(sim: Simulation) -> np.ndarray:
    """Return how far the horizontal velocity is from the wanted one, (worlds,) [m/s]."""
    error = velocity(sim)[:, :2] - command(sim)[:, :2]
    return np.asarray(np.sqrt((error**2).sum(axis=1)))


def error_of_turn(sim: Simulation) -> np.ndarray:
    """Return how far the angular velocity about the vertical is from the wanted one, (worlds,) [rad/s]."""
    return np.asarray(np.abs(spin(sim)[:, 2] - command(sim)[:, 2]))


def follows_speed(sim: Simulation) -> np.ndarray:
    """Return how well the horizontal velocity is the wanted one, (worlds,) 0…1 [–]."""
    return np.asarray(np.exp(-(error_of_speed(sim) ** 2) / 0.25))


def follows_turn(sim: Simulation) -> np.ndarray:
    """Return how well the angular velocity is the wanted one, (worlds,) 0…1 [–]."""
    return np.asarray(np.exp(-(error_of_turn(sim) ** 2) / 0.25))


def trots(sim: Simulation) -> np.ndarray:
    """Return the share of the feet that stand or swing as the trot wants it, (worlds,) 0…1 [–]."""
    dog = sim.object(DOG)
    rows = [dog.body_names.index(name) for name in SHANKS]
    stands = sim.contact_force(DOG)[:, rows, 2] > 1.0
    wanted = (phase(sim)[:, None] + PAIR) % 1.0 < 0.55
    return np.asarray((stands == wanted).sum(axis=1) / 4.0)


def effort(sim: Simulation) -> np.ndarray:
    """Return the sum of the squared torques of the last step, (worlds,) [N² m²]."""
    return np.where(sim.is_new, 0.0, (sim.object(DOG).applied_torque[:, 6:] ** 2).sum(axis=1))


def is_fallen(sim: Simulation) -> np.ndarray:
    """Return whose trunk is low or tilted by more than 60°, (worlds,) of bool."""
    low = sim.object(DOG).generalized_coordinate[:, 2] < 0.2
    return np.asarray(low | (down(sim)[:, 2] > -0.5))


# -- how episodes begin ------------------------------------------------------------------------------
def stand(sim: Simulation, rows: np.ndarray) -> None:
    """Put the robot near its stance, somewhere in the stride."""
    dog = sim.object(DOG)
    q, v = dog.generalized_coordinate[rows], dog.generalized_velocity[rows]
    q[:, 2] += 0.02
    q[:, 7:] += sim.draws.uniform(rows, -0.1, 0.1, 12)
    v[:, :6] += sim.draws.uniform(rows, -0.2, 0.2, 6)
    dog.set_state(q, v, rows)
    sim.remember("phase", 1)[rows] = sim.draws.uniform(rows, 0.0, 1.0, 1)


def choose_command(sim: Simulation, rows: np.ndarray) -> None:
    """Draw what is wanted; one in ten shall stand still."""
    wanted = sim.draws.uniform(rows, COMMANDS[0], COMMANDS[1], 3)
    rests = sim.draws.uniform(rows, 0.0, 1.0, 1) < 0.1
    command(sim)[rows] = np.where(rests, 0.0, wanted)


def task() -> Task:
    """Return the task: at most 1000 control steps of 20 ms, a new command every 5 s."""
    made = Task(
        "Quadruped", world, Actions([-1.0] * 12, [1.0] * 12, drive), steps_per_action=4,
        camera=((1.2, -1.8, 0.9), (0.0, 0.0, 0.3)), follows=DOG,
    )  # fmt: skip
    made.observations["velocity"] = velocity
    made.observations["spin"] = lambda sim: 0.25 * spin(sim)
    made.observations["down"] = down
    made.observations["command"] = command
    made.observations["clock"] = clock
    made.observations["joints"] = joints
    made.observations["speeds"] = lambda sim: 0.05 * sim.object(DOG).generalized_velocity[:, 6:]
    made.observations["last action"] = lambda sim: sim.action
    made.rewards["speed"] = 2.0, follows_speed
    made.rewards["turn"] = 1.0, follows_turn
    made.rewards["speed error"] = -1.0, error_of_speed  # leads there where the bell is flat
    made.rewards["turn error"] = -0.4, error_of_turn
    made.rewards["trot"] = 1.0, trots
    made.rewards["level"] = -2.0, lambda sim: (down(sim)[:, :2] ** 2).sum(axis=1)
    made.rewards["bounce"] = -0.5, lambda sim: velocity(sim)[:, 2] ** 2
    made.rewards["sway"] = -0.02, lambda sim: (spin(sim)[:, :2] ** 2).sum(axis=1)
    made.rewards["effort"] = -1e-4, effort
    made.rewards["jerk"] = -0.01, lambda sim: ((sim.action - sim.previous_action) ** 2).sum(axis=1)
    made.rewards["spread"] = -0.2, lambda sim: (joints(sim)[:, ::3] ** 2).sum(axis=1)
    made.rewards["fallen"] = -10.0, lambda sim: is_fallen(sim).astype(float)
    made.terminations["fallen"] = is_fallen
    made.resets["stand"] = stand
    made.resets["command"] = choose_command
    made.events["command"] = 5.0, choose_command
    made.randomisations["friction"] = randomisation.friction("floor", "rubber", 0.5, 1.0)
    made.randomisations["load"] = randomisation.mass(DOG, "trunk", 0.85, 1.15)
    return made
