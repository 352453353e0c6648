"""Sixteen quadrupeds walk by a policy that compiled code evaluates within `batch.step`: no Python in between.

The same walk once more with a loop in NumPy, as a deployment or a learner has it: the commands are the same
to rounding, and the times of both are printed.
"""

from pathlib import Path
from time import process_time

import numpy as np

import tribo
from tribo.gym.rotations import turned_back
from tribo.gym.tasks import quadruped
from tribo.learn import Policy

WORLDS, STEPS, CONTROLS = 16, 4, 200  # steps of 5 ms for each action, 4 s
walker = quadruped.WALKER
policy = Policy.load(Path(__file__).parent / "quadruped_policy.npz")
network = policy.network()
wanted = np.zeros((WORLDS, 3))
wanted[:, 0] = np.linspace(-0.4, 0.9, WORLDS)  # [m/s] forward
phase = np.linspace(0.0, 1.0, WORLDS, endpoint=False)[:, None]


def within():
    """Walk by the policy in the call; return the batch and the seconds of processor time."""
    batch = tribo.Batch(quadruped.world(), WORLDS, threads=1)
    law = batch.set_policy(network, **walker.within_batch(), steps_per_action=STEPS)
    law.command, law.phase = wanted, phase
    begin = process_time()
    batch.step(CONTROLS * STEPS)
    return batch, process_time() - begin


def with_numpy():
    """Do the same with a loop in Python."""
    batch = tribo.Batch(quadruped.world(), WORLDS, threads=1)
    dog, action = batch["dog"], np.zeros((WORLDS, 12))
    down = np.broadcast_to([0.0, 0.0, -1.0], (WORLDS, 3))
    begin = process_time()
    for _ in range(CONTROLS):
        q, v = dog.generalized_coordinate, dog.generalized_velocity
        angle = 2 * np.pi * ((walker.strides * batch.time[:, None] + phase) % 1.0)
        seen = (
            turned_back(q[:, 3:7], v[:, :3]), 0.25 * turned_back(q[:, 3:7], v[:, 3:6]),
            turned_back(q[:, 3:7], down), wanted, np.sin(angle), np.cos(angle),
            q[:, 7:] - walker.stance, 0.05 * v[:, 6:], action,
        )  # fmt: skip
        action = network(np.concatenate(seen, axis=1))
        dog.pd_target[:, 7:] = walker.stance + walker.scale * action
        batch.step(STEPS)
    return batch, process_time() - begin


within()  # the first time kernels are loaded, or compiled
batch, took = within()
slow, loop = with_numpy()
law, distance = batch.policy, np.abs(batch["dog"].position - slow["dog"].position).max()
speeds = batch["dog"].position[:, 0] / (0.005 * CONTROLS * STEPS)
print("mean speed", *(f"{x:.2f}" for x in speeds), "m/s")
print("wanted    ", *(f"{x:.2f}" for x in wanted[:, 0]), "m/s")
print(f"within the call {1e3 * took:.0f} ms, with the loop in NumPy {1e3 * loop:.0f} ms")
assert np.abs(law.action - network(law.seen)).max() < 1e-12
assert distance < 1e-3
assert np.abs(speeds - wanted[:, 0]).max() < 0.25
