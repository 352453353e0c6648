"""Time of a step with 200 boxes at rest, awake and asleep.

python benchmarks/sleeping.py
"""

from __future__ import annotations

import logging
import time

import numpy as np
from rich.console import Console
from rich.table import Table

import tribo

SIZE = 0.2  # [m]
BOXES = 200
SETTLE = 500  # steps


def towers() -> tribo.World:
    """Return 40 towers of five boxes."""
    world = floor()
    for k in range(BOXES):
        x, y, z = (k // 5) % 10, k // 50, k % 5
        place = (0.5 * x, 0.5 * y, SIZE * (z + 0.5))
        world.add_box((SIZE, SIZE, SIZE), 1.0, position=place)
    return world


def block() -> tribo.World:
    """Return a block of columns, six by six, that have fallen onto one another."""
    world = floor()
    rng = np.random.default_rng(0)
    for k in range(BOXES):
        x, y, z = k % 6, (k // 6) % 6, k // 36
        dx, dy = rng.uniform(0.0, 0.02, 2)
        world.add_box((SIZE, SIZE, SIZE), 1.0, position=(0.25 * x + dx, 0.25 * y + dy, 0.12 + 0.25 * z))
    return world


def floor() -> tribo.World:
    """Return a world in which things sleep."""
    world = tribo.World()
    world.default_pair = tribo.PairProperties(friction=0.6)
    world.add_ground()
    world.sleeping = True
    return world


def step_time(world: tribo.World, steps: int, rounds: int = 5) -> float:
    """Return the least processor time of a step [s]."""
    best = np.inf
    for _ in range(rounds):
        begin = time.process_time()
        world.step(steps)
        best = min(best, (time.process_time() - begin) / steps)
    return float(best)


def main() -> None:
    """Print the table."""
    logging.getLogger("tribo").setLevel(logging.ERROR)
    tribo.warm_up(everything=True, quiet=True)
    table = Table("scene", "awake µs", "asleep µs", "ratio", title=f"{BOXES} boxes at rest")
    for make in (towers, block):
        world = make()
        world.step(SETTLE)
        asleep = sum(part.is_asleep for part in world.objects)
        assert asleep == BOXES, f"{asleep} of {BOXES} boxes sleep"
        rest = step_time(world, 100)
        world.sleeping = False
        world.step(5)
        awake = step_time(world, 20)
        table.add_row(make.__name__, f"{awake * 1e6:.0f}", f"{rest * 1e6:.0f}", f"{awake / rest:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
