"""What adding, building, adding one more and removing one cost in worlds of many boxes.

python benchmarks/building.py [--bodies 10000]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter, process_time

import tribo


def timed(what: str, run: Callable[[], object]) -> None:
    """Run something and print how long it took."""
    begin, worked = perf_counter(), process_time()
    run()
    spent, took = process_time() - worked, perf_counter() - begin
    print(f"{what:24} {1e3 * took:9.1f} ms, {1e3 * spent:9.1f} ms of a processor")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=10_000)
    count = parser.parse_args().bodies
    world = tribo.World()
    world.add_ground()

    def add_all() -> None:
        for k in range(count):
            world.add_box((0.1, 0.1, 0.1), mass=1.0, position=(0.3 * (k % 100), 0.3 * (k // 100), 0.05))

    def add_one() -> None:
        world.add_sphere(0.1, mass=1.0, position=(0, 0, 5))
        world.step(0)

    def remove_one() -> None:
        world.remove(world.objects[count // 2])
        world.step(0)

    timed(f"add {count}", add_all)
    timed("build", lambda: world.step(0))
    timed("one more", add_one)
    timed("one less", remove_one)


if __name__ == "__main__":
    main()
