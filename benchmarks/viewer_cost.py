"""What `Viewer.update` takes from a simulation that runs as fast as it can, browser connected.

    python benchmarks/viewer_cost.py

Rounds without and with `update` after every step take turns; the ratio of their processor times, all
threads of the simulation's process together, counts: other work on the machine does not disturb it.
The browser is a process of its own that reads everything it is sent.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import viser
from rich.console import Console
from rich.table import Table

import tribo
from tribo.tools import demo
from tribo.viewer import Viewer

ROUNDS = 9
SECONDS = 2.0  # of each round
READER = """
import sys
from websockets.sync.client import connect
with connect(sys.argv[1], subprotocols=[sys.argv[2]], max_size=None) as socket:
    for _ in socket:
        pass
"""


def ball() -> tribo.World:
    """One ball on the ground: the shortest step there is."""
    world = tribo.World()
    world.add_ground()
    world.add_sphere(0.1, 1.0, position=(0.0, 0.0, 0.1))
    return world


def robot() -> tribo.World:
    """The package's quadruped, standing."""
    world = tribo.World()
    world.add_ground(material="steel")
    demo.add_robot(world, demo.own_robot())
    return world


def balls() -> tribo.World:
    """216 balls that fall onto one another."""
    world = tribo.World()
    world.add_ground()
    for k in range(216):
        place = (k % 6 * 0.25, k // 6 % 6 * 0.25, 0.2 + k // 36 * 0.25)
        world.add_sphere(0.1, 1.0, position=place)
    return world


def seconds_per_step(world: tribo.World, after: Callable[[], None] | None, steps: int) -> float:
    """Return the processor time of a step."""
    start = time.process_time()
    if after is None:
        for _ in range(steps):
            world.step()
    else:
        for _ in range(steps):
            world.step()
            after()
    return (time.process_time() - start) / steps


def main() -> None:
    """Measure and print."""
    table = Table("scene", "µs per step", "with viewer", "cost", "pictures/s")
    for build in (ball, robot, balls):
        world = build()
        world.step(300)
        with Viewer(world, port=8400) as viewer:
            address = viewer.address.replace("http", "ws")
            arguments = [sys.executable, "-c", READER, address, f"viser-v{viser.__version__}"]
            reader = subprocess.Popen(arguments)
            steps = int(SECONDS / seconds_per_step(world, viewer.update, 3000))
            alone: list[float] = []
            shown: list[float] = []
            before = viewer.pictures
            for _ in range(ROUNDS):
                alone.append(seconds_per_step(world, None, steps))
                shown.append(seconds_per_step(world, viewer.update, steps))
            rate = (viewer.pictures - before) / (sum(shown) * steps)
            reader.terminate()
            reader.wait()
        ratio = statistics.median(b / a for a, b in zip(alone, shown, strict=True))
        table.add_row(
            build.__name__, f"{1e6 * statistics.median(alone):.2f}",
            f"{1e6 * statistics.median(shown):.2f}", f"{100 * (ratio - 1):+.1f} %", f"{rate:.0f}",
        )  # fmt: skip
    Console().print(table)


if __name__ == "__main__":
    main()
