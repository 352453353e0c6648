"""A whole training by one process, by runners, and by runners of which one is killed: returns and time.

    pip install '.[jit,ray]' && python benchmarks/scale_training.py

Processor time is that of the learner and of all runners, which a busy machine does not change much; time on
the clock is what such a machine makes of it. The one that dies is the last runner, by SIGKILL, halfway.
"""

from __future__ import annotations

import argparse
import os
import signal
import time
from functools import partial
from typing import Any

import numpy as np

from tribo.gym import load
from tribo.learn import Settings, preset
from tribo.learn.ppo import Learner
from tribo.scale.players import RemotePlayers
from tribo.scale.ray_extra import connected, ray


def processor_time(learner: Learner) -> float:
    """Return the processor time of the learner and its runners so far [s]."""
    runners = [
        process.__ray_call__.remote(lambda _: time.process_time())
        for process in getattr(learner.player, "processes", [])
    ]
    return time.process_time() + sum(ray().get(runners) if runners else [])


def trained(task: str, settings: Settings, runners: int, dies_at: int) -> dict[str, Any]:
    """Train; return the weights and what it took.

    runners: 0: no other processes; dies_at: update before which the last runner is killed, −1: never.
    """
    make = partial(RemotePlayers, name=task, runners=runners)
    learner = Learner(load(task), settings, make) if runners else Learner(load(task), settings)
    clock, spent, lost = time.perf_counter(), processor_time(learner), 0.0
    line: dict[str, float] = {}
    for k in range(settings.iterations):
        if k == dies_at:
            process = learner.player.processes[-1]  # type: ignore[attr-defined]
            ask = process.__ray_call__.remote(lambda _: (os.getpid(), time.process_time()))
            number, lost = ray().get(ask)
            os.kill(number, signal.SIGKILL)
            spent -= lost
        line = learner.iterate()
    weights = np.concatenate([p.detach().numpy().ravel() for p in learner.networks.parameters()])
    return {
        "return": line["return"], "clock": time.perf_counter() - clock,
        "processor": processor_time(learner) - spent, "weights": weights,
        "replaced": getattr(learner.player, "replaced", 0),
    }  # fmt: skip


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--task", default="CartPole")
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--runners", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    settings = preset(chosen.task, iterations=chosen.iterations, seed=chosen.seed, threads=1)
    half = chosen.iterations // 2
    found: dict[str, dict[str, Any]] = {}
    with connected(None, chosen.runners):
        for name, runners, dies_at in (
            ("one process", 0, -1),
            (f"{chosen.runners} runners", chosen.runners, -1),
            (f"{chosen.runners} runners, one killed", chosen.runners, half),
        ):
            made = found[name] = trained(chosen.task, settings, runners, dies_at)
            samples = settings.samples * chosen.iterations
            print(
                f"{name}: return {made['return']:.1f}, {samples / made['clock']:.0f} samples/s on the clock "
                f"({made['clock']:.1f} s), {made['processor']:.1f} s of processors, "
                f"{made['replaced']} replaced",
                flush=True,
            )
    whole, broken = list(found.values())[1:]
    is_same = np.array_equal(whole["weights"], broken["weights"])
    print("weights with and without the death:", "the same bits" if is_same else "DIFFERENT")


if __name__ == "__main__":
    main()
