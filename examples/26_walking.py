"""The quadruped walks as it is told, by a policy that was learnt: forward, backward, sideways, turning.

The policy, quadruped_policy.npz, was made by `make train`; docs/howto/train says in what time. Another one,
of Quadruped, Anymal or Biped, can be named: python examples/26_walking.py examples/anymal_policy.npz. To
watch it: tribo play examples/quadruped_policy.npz --view
"""

import sys
from pathlib import Path

import numpy as np

from tribo.gym import VectorEnv, load
from tribo.gym.tasks import anymal, biped, quadruped
from tribo.learn import Policy

COMMANDS = {  # forward [m/s], to the left [m/s], turning left [rad/s]
    "stand": (0.0, 0.0, 0.0),
    "forward": (0.7, 0.0, 0.0),
    "fast": (1.0, 0.0, 0.0),
    "backward": (-0.4, 0.0, 0.0),
    "left": (0.0, 0.3, 0.0),
    "turn": (0.0, 0.0, 0.7),
    "curve": (0.6, 0.0, 0.5),
}
SETTLING, TIME = 2.0, 8.0  # [s] until it counts, and in all

OWN = Path(__file__).parent / "quadruped_policy.npz"
policy = Policy.load(sys.argv[1] if len(sys.argv) > 1 else OWN)
walker = {"Quadruped": quadruped, "Anymal": anymal, "Biped": biped}[policy.task].WALKER
wanted = np.array(list(COMMANDS.values()))


def command(sim, rows):
    """Tell world k the k-th command."""
    walker.command(sim)[rows] = wanted[rows]


task = load(policy.task)
task.resets["command"] = command
task.events.clear()
envs = VectorEnv(task, len(COMMANDS))
seen, _ = envs.reset(seed=0)
speeds, fell = [], np.zeros(len(COMMANDS), bool)
for k in range(round(TIME / envs.simulation.control_step)):
    seen, _, ended, _, _ = envs.step(policy(seen))
    fell |= ended
    if k * envs.simulation.control_step >= SETTLING:
        sim = envs.simulation
        measured = walker.velocity(sim)[:, :2], walker.spin(sim)[:, 2:]
        speeds.append(np.concatenate(measured, axis=1))
mean = np.mean(speeds, axis=0)
for name, want, got in zip(COMMANDS, wanted, mean, strict=True):
    print(f"{name:<9} wanted", *(f"{x:5.2f}" for x in want), " got", *(f"{x:5.2f}" for x in got))
assert not fell.any()
assert mean[1, 0] > 0.5
assert np.abs(mean - wanted).max() < 0.25
