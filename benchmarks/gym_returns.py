"""Returns of Gymnasium's robots in tribo's physics and in MuJoCo's: the same actions, the same policy.

It needs MuJoCo as Gymnasium has it, which is no part of the extra "bench":

    python -m venv peer && peer/bin/pip install '.[jit,gym]' 'gymnasium[mujoco]'
    peer/bin/python benchmarks/gym_returns.py [--policy runs/hopper/policy.npz]

Robots do nothing, or what a random generator says, the same numbers in both; with a policy of `tribo train`
the robot of its task does what that says, here and there. An episode ends as Gymnasium says, after 1000
actions at the latest.

`--finer 4`, `--masses 0.1` and `--lag 0.01` say on what such a policy relies: tribo alone plays it, with
a quarter of the time step, masses drawn ± 10 %, motors that lag by 10 ms.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np

import tribo
from tribo.gym import Task, VectorEnv, load, randomisation
from tribo.learn import Policy

NAMES = ("Ant", "HalfCheetah", "Hopper", "Walker2d", "Humanoid")
Law = Callable[[np.ndarray, int], np.ndarray]  # what was seen, (n, k), and the action's number → (n, m)


class Random:
    """Actions that a generator draws, each the same for every engine."""

    def __init__(self, low: np.ndarray, high: np.ndarray, episodes: int) -> None:
        self.low, self.high, self.shape = low, high, (episodes, len(low))

    def __call__(self, seen: np.ndarray, k: int) -> np.ndarray:
        """Return the k-th actions of all episodes."""
        return np.random.default_rng(k).uniform(self.low, self.high, self.shape)[: len(seen)]


def in_tribo(name: str, law: Law, episodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return returns and lengths of episodes, (n,) each."""
    return played(VectorEnv(load(name), episodes, autoreset_mode="Disabled"), law, episodes)


def altered(name: str, finer: int, masses: float, lag: float) -> Task:
    """Return a task with a smaller time step, masses that differ, or motors that lag [s]."""
    task = load(name)
    make_world = task.make_world
    world = make_world()
    robot = next(part for part in world.objects if hasattr(part, "joints"))

    def fine_world() -> tribo.World:
        made = make_world()
        made.time_step /= finer
        return made

    task.make_world = fine_world
    task.steps_per_action *= finer
    if masses:
        for link in (link for link in robot.links if link.mass > 0.0):
            change = randomisation.mass(robot.name, link.name, 1.0 - masses, 1.0 + masses)
            task.randomisations[link.name] = change
    if lag:
        task.randomisations["lag"] = randomisation.motors(robot.name, time_constant=(lag, lag))
    return task


def in_mujoco(name: str, law: Law, episodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the same of Gymnasium's own environments."""
    envs = gymnasium.make_vec(
        f"{name}-v5", episodes, vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode.DISABLED},
    )  # fmt: skip
    return played(envs, law, episodes)


def played(envs: gymnasium.vector.VectorEnv, law: Law, episodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Play one episode in each environment; what an ended one does after its end does not count."""
    seen, _ = envs.reset(seed=0)
    returns, lengths = np.zeros(episodes), np.zeros(episodes, int)
    goes_on = np.ones(episodes, bool)
    low, high = envs.single_action_space.low, envs.single_action_space.high
    k = 0
    while goes_on.any():
        seen, rewards, ended, cut, _ = envs.step(np.clip(law(seen, k), low, high))
        returns += np.where(goes_on, rewards, 0.0)
        lengths += goes_on
        goes_on &= ~(ended | cut)
        if (ended | cut).any():  # also what ended for the second time
            seen, _ = envs.reset(options={"reset_mask": ended | cut})
        k += 1
    envs.close()
    return returns, lengths


def shown(returns: np.ndarray, lengths: np.ndarray) -> str:
    """Return mean and standard deviation of the returns, and the mean length."""
    return f"{returns.mean():9.1f} ± {returns.std():7.1f} {lengths.mean():7.1f}"


def main() -> None:
    """Print returns and lengths in both engines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--policy", type=Path, help="of `tribo train`: its task alone is played")
    parser.add_argument("--finer", type=int, default=1, help="parts of a time step, with --policy")
    parser.add_argument("--masses", type=float, default=0.0, help="± part of them, with --policy")
    parser.add_argument("--lag", type=float, default=0.0, help="of the motors [s], with --policy")
    chosen = parser.parse_args()
    n = chosen.episodes
    if chosen.finer != 1 or chosen.masses or chosen.lag:
        if not chosen.policy:
            parser.error("--finer, --masses and --lag are for a policy: give --policy")
        policy = Policy.load(chosen.policy)
        task = altered(policy.task, chosen.finer, chosen.masses, chosen.lag)
        envs = VectorEnv(task, n, autoreset_mode="Disabled")
        print(f"{policy.task}, {n} episodes: {shown(*played(envs, lambda seen, k: policy(seen), n))}")
        return
    print(f"{n} episodes each: return ± standard deviation, length")
    print(f"{'':<26} {'tribo':>27} {'MuJoCo':>27}")
    if chosen.policy:
        policy = Policy.load(chosen.policy)
        laws: dict[str, dict[str, Law]] = {policy.task: {"policy": lambda seen, k: policy(seen)}}
    else:
        laws = {}
        for name in NAMES:
            with gymnasium.make(f"{name}-v5") as env:
                low, high = env.action_space.low, env.action_space.high
            still = np.zeros((n, len(low)))
            laws[name] = {"nothing": lambda seen, k, still=still: still, "random": Random(low, high, n)}
    for name, ways in laws.items():
        for way, law in ways.items():
            here, there = in_tribo(name, law, n), in_mujoco(name, law, n)
            print(f"{name + ', ' + way:<26} {shown(*here)} {shown(*there)}", flush=True)


if __name__ == "__main__":
    main()
