"""How much of an environment's step, and of an update of PPO, is in compiled code: quadrupeds that walk.

    pip install '.[jit,learn]' && python benchmarks/vector_env.py [--worlds 1024 4096] [--threads 1 2]

The clock runs around `VectorEnv.step` and, within it, around the calls to compiled code that step the batch;
the rest is the task's terms, checks and infos in NumPy. The policy, examples/quadruped_policy.npz, is not in
it. An update of PPO has the settings of the preset; the clock runs around its rollout, the steps of
environments within it and the compiled code within these.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tribo.gym import VectorEnv, load
from tribo.learn import Policy, preset
from tribo.learn.ppo import Learner

POLICY = Path(__file__).parents[1] / "examples" / "quadruped_policy.npz"


class Clock:
    """Seconds spent in calls."""

    def __init__(self) -> None:
        """Begin at 0."""
        self.seconds = 0.0

    def around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return the same call with the clock running."""

        def timed(*args: Any, **options: Any) -> Any:
            begun = time.perf_counter()
            try:
                return call(*args, **options)
            finally:
                self.seconds += time.perf_counter() - begun

        return timed


def environments(worlds: int, threads: int, controls: int) -> str:
    """Return a row of the table: environments that walk."""
    envs, policy = VectorEnv(load("Quadruped"), worlds, threads=threads), Policy.load(POLICY)
    inside, whole = Clock(), Clock()
    engine = envs.simulation.batch.engine
    engine.run_all = inside.around(engine.run_all)  # type: ignore[method-assign]
    step = whole.around(envs.step)
    seen, _ = envs.reset(seed=0)
    for k in range(controls + 20):
        if k == 20:  # they have found their gait, and all is compiled
            inside.seconds = whole.seconds = 0.0
        seen = step(policy(seen))[0]
    assert np.isfinite(seen).all()
    steps = worlds * controls * envs.task.steps_per_action
    return (
        f"| {worlds} | {threads} | {steps / whole.seconds:,.0f} | "
        f"{100 * inside.seconds / whole.seconds:.0f} % |"
    )


def update(threads: int, rounds: int) -> str:
    """Return a row of the table: updates of PPO, from the beginning of a training."""
    learner = Learner(load("Quadruped"), preset("Quadruped", threads=threads))
    inside, stepping, playing, whole = Clock(), Clock(), Clock(), Clock()
    envs = learner.player.envs  # type: ignore[attr-defined]
    engine = envs.simulation.batch.engine
    engine.run_all = inside.around(engine.run_all)
    envs.step = stepping.around(envs.step)
    learner.player.play = playing.around(learner.player.play)  # type: ignore[method-assign]
    for k in range(rounds + 3):
        if k == 3:
            for clock in (inside, stepping, playing, whole):
                clock.seconds = 0.0
        whole.around(learner.iterate)()
    parts = " | ".join(f"{100 * c.seconds / whole.seconds:.0f} %" for c in (playing, stepping, inside))
    return f"| {threads} | {whole.seconds / rounds:.2f} | {parts} |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--worlds", type=int, nargs="+", default=[1024, 4096])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--controls", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=8)
    chosen = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}")
    print("| worlds | threads | world-steps/s | in compiled code |\n| --- | --- | --- | --- |")
    for worlds in chosen.worlds:
        for threads in chosen.threads:
            print(environments(worlds, threads, chosen.controls))
    print("| threads | s an update | rollout | environments | compiled code |")
    print("| --- | --- | --- | --- | --- |")
    for threads in chosen.threads:
        print(update(threads, chosen.rounds))
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
