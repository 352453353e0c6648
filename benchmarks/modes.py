"""Prebuilt against compiled kernels: the same scenes in both modes, in processes that take turns.

    python benchmarks/modes.py [scene …] [--rounds 7] [--steps 300]

Both modes have to be there: `make kernels`, and `TRIBO_KERNELS=compiled tribo warmup --all`. Processor time
per step; the least of all rounds is what the machine can do, the median what it did.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from scenes import scenes

MODES = ("compiled", "prebuilt")
PLAY = """
import json, logging, sys, time
from scenes import scenes, tribo_world
logging.getLogger("tribo").setLevel(logging.ERROR)
names, steps = json.loads(sys.argv[1])
found = {}
for name in names:
    world, _ = tribo_world(scenes()[name])
    world.step(steps)
    times = []
    for _ in range(5):
        begin = time.process_time()
        world.step(steps // 5)
        times.append((time.process_time() - begin) / (steps // 5))
    found[name] = times
print(json.dumps(found))
"""


def play(names: list[str], steps: int, mode: str) -> dict[str, list[float]]:
    """Return processor times per step [s] of scenes, of five parts each."""
    paths = [str(Path(__file__).parent), *filter(None, sys.path)]
    done = subprocess.run(
        [sys.executable, "-c", PLAY, json.dumps([names, steps])],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TRIBO_KERNELS": mode},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Print a row for each scene."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", default=list(scenes()))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=300)
    chosen = parser.parse_args()
    ratios: dict[str, list[float]] = {name: [] for name in chosen.scenes}
    least: dict[str, dict[str, float]] = {name: {} for name in chosen.scenes}
    for _ in range(chosen.rounds):
        found = {mode: play(chosen.scenes, chosen.steps, mode) for mode in MODES}
        for name in chosen.scenes:
            now = {mode: min(found[mode][name]) for mode in MODES}
            ratios[name].append(now["prebuilt"] / now["compiled"])
            for mode, time in now.items():
                least[name][mode] = min(least[name].get(mode, time), time)
    for name, row in least.items():
        print(
            f"{name:24} compiled {row['compiled'] * 1e6:9.2f} µs, prebuilt {row['prebuilt'] * 1e6:9.2f} µs, "
            f"ratio of the least {row['prebuilt'] / row['compiled']:.3f}, "
            f"median ratio {statistics.median(ratios[name]):.3f}"
        )


if __name__ == "__main__":
    main()
