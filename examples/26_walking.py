"""The quadruped walks as it is told, by a policy that was learnt: forward, backward, sideways, turning.

The policy, quadruped_policy.npz, was made by `make train`; docs/howto/train says in what time. To watch it:
tribo play examples/quadruped_policy.npz --view
"""

from pathlib import Path

import numpy as np

from tribo.gym import VectorEnv, load
from tribo.gym.tasks import quadruped
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

policy = Policy.load(Path(__file__).parent / "quadruped_policy.npz")
wanted = np.array(list(COMMANDS.values()))


def command(sim, rows):
    """Tell world k the k-th command."""
    quadruped.WALKER.command(sim)[rows] = wanted[rows]


task = load("Quadruped")
task.resets["command"] = command
task.events.clear()
envs = VectorEnv(task, len(COMMANDS))
seen, _ = envs.reset(seed=0)
speeds, fell = [], np.zeros(len(COMMANDS), bool)
for k in range(round(TIME / envs.simulation.control_step)):
    seen, _, ended, _, _ = envs.step(policy(seen))
    fell |= ended
    if k * envs.simulation.control_step >= SETTLING:
        along, turning = (
            quadruped.WALKER.velocity(envs.simulation),
            quadruped.WALKER.spin(envs.simulation),
        )
        speeds.append(np.concatenate([along[:, :2], turning[:, 2:]], axis=1))
mean = np.mean(speeds, axis=0)
for name, want, got in zip(COMMANDS, wanted, mean, strict=True):
    print(f"{name:<9} wanted", *(f"{x:5.2f}" for x in want), " got", *(f"{x:5.2f}" for x in got))
assert not fell.any()
assert mean[1, 0] > 0.5
assert np.abs(mean - wanted).max() < 0.25
