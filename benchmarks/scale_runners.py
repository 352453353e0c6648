"""What runners on other processes cost: samples per second of rollouts, and bytes between learner and runner.

    pip install '.[jit,ray]' && python benchmarks/scale_runners.py

Local and remote play in turns with the same networks. Bytes are those of the pickled messages.
"""

from __future__ import annotations

import argparse
import pickle
import time
from functools import partial

import numpy as np

from tribo.gym import load
from tribo.learn import preset
from tribo.learn.ppo import Learner
from tribo.scale.players import RemotePlayers, Runner
from tribo.scale.ray_extra import connected


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--task", default="Quadruped")
    parser.add_argument("--worlds", type=int, default=512)
    parser.add_argument("--runners", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    settings = preset(chosen.task, worlds=chosen.worlds, threads=1)
    local = Learner(load(chosen.task), settings)
    part = preset(chosen.task, worlds=chosen.worlds // chosen.runners, threads=1)
    result = Runner(chosen.task, part.as_dict(), 0).play(local.networks.state(), np.array([0.0, 1.0, 1e-4]))
    state = result.pop("state")
    sizes = {
        "networks to a runner": len(pickle.dumps(local.networks.state())),
        "rollout from a runner": len(pickle.dumps(result, 5)),
        "state from a runner": len(pickle.dumps(state, 5)),
    }
    for what, count in sizes.items():
        print(f"{what}: {count} bytes, {count / part.samples:.1f} for each of its {part.samples} samples")
    with connected(None, chosen.runners):
        make = partial(RemotePlayers, name=chosen.task, runners=chosen.runners)
        remote = Learner(load(chosen.task), settings, make)
        spent: dict[str, list[float]] = {"one process, one thread": [], "runners": []}
        for k in range(chosen.rounds + 1):
            for name, learner in zip(spent, (local, remote), strict=True):
                begun = time.perf_counter()
                learner.player.play()
                if k:
                    spent[name].append(time.perf_counter() - begun)
    for name, seconds in spent.items():
        rate = settings.samples / np.median(seconds)
        best = settings.samples / min(seconds)
        print(f"{name}: {rate:.0f} samples/s, best round {best:.0f}")


if __name__ == "__main__":
    main()
