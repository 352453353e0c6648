"""What recording takes from a simulation: time per step without it, and with a frame each 10th or each step.

    python benchmarks/recording_cost.py

Rounds take turns, so that other work on the machine meets all alike; the least time of a kind counts. Wall
time to the closed file is measured, the writing thread included. Files are written to a temporary folder.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from rich.console import Console
from rich.table import Table
from viewer_cost import ball, robot

import tribo

ROUNDS = 3
STEPS = 500
KINDS = {"none": 0, "each 10th step": 10, "each step": 1}


def pile() -> tribo.World:
    """A hundred balls side by side on the ground."""
    world = tribo.World()
    world.add_ground()
    for k in range(100):
        world.add_sphere(0.1, 1.0, position=(0.3 * (k % 10), 0.3 * (k // 10), 0.1))
    return world


SCENES: dict[str, Callable[[], tribo.World]] = {"1 ball": ball, "quadruped": robot, "100 balls": pile}


def measure(make: Callable[[], tribo.World], stride: int, steps: int, folder: Path) -> tuple[float, float]:
    """Return seconds per step and bytes per frame."""
    world = make()
    world.step(10)
    path = folder / "run.zarr"
    every = stride * world.time_step
    start = time.perf_counter()
    with world.record(path, every=every, overwrite=True) if stride else nullcontext() as recorder:
        world.step(steps)
    taken = (time.perf_counter() - start) / steps
    if recorder is None:
        return taken, 0.0
    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return taken, size / recorder.frames


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = parser.parse_args()
    table = Table("scene", "recorded", "µs per step", "more, µs per frame", "bytes per frame")
    tribo.warm_up()
    with tempfile.TemporaryDirectory() as name:
        for scene, make in SCENES.items():
            best = dict.fromkeys(KINDS, float("inf"))
            sizes = dict.fromkeys(KINDS, 0.0)
            for _ in range(chosen.rounds):
                for kind, stride in KINDS.items():
                    taken, sizes[kind] = measure(make, stride, chosen.steps, Path(name))
                    best[kind] = min(best[kind], taken)
            for kind, stride in KINDS.items():
                more = f"{1e6 * stride * (best[kind] - best['none']):.0f}" if stride else ""
                size = f"{sizes[kind]:.0f}" if stride else ""
                table.add_row(scene, kind, f"{1e6 * best[kind]:.1f}", more, size)
    Console().print(table)


if __name__ == "__main__":
    main()
