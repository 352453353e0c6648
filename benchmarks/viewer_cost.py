"""What a viewer takes from a simulation that runs as fast as it can, and how often it shows many bodies.

    python benchmarks/viewer_cost.py [--clients 1 20] [--rounds 9] [--scenes ball robot]

*Cost* is the processor time of all that the viewer does, over that of the steps: its pictures, its server's
threads, and the calls of `update` that only count, which have a column of their own. The pace of pictures
goes by the clock: where other work takes half of the processor, their part of the cost doubles. *Ratio* is
the same from outside: rounds without and with `update` after every step take turns, and the median of the
ratios of their processor times is shown; on a busy machine it scatters by several percent. The browsers are
connections of another process that reads everything it is sent. The last column are pictures per second of
`run`, where the viewer steps the world in real time (wall time: an idle machine, please).
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import viser
from rich.console import Console
from rich.table import Table

import tribo
from tribo.tools import demo
from tribo.viewer import Viewer

SECONDS = 2.0  # of each round
READER = """
import asyncio, sys
from websockets.asyncio.client import connect
async def read():
    async with connect(sys.argv[1], subprotocols=[sys.argv[2]], max_size=None, compression=None) as page:
        await page.recv()
        print("here", flush=True)
        async for _ in page:
            pass
async def main():
    await asyncio.gather(*(read() for _ in range(int(sys.argv[3]))))
asyncio.run(main())
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


def thousand() -> tribo.World:
    """1000 balls that have come to lie on the ground, and roll on it."""
    world = tribo.World()
    world.add_ground()
    for k in range(1000):
        world.add_sphere(0.1, 1.0, position=(k % 32 * 0.4, k // 32 * 0.4, 0.1), linear_velocity=(0.5, 0, 0))
    return world


@contextlib.contextmanager
def watched(viewer: Viewer, clients: int) -> Iterator[None]:
    """Let another process be so many browsers."""
    address = viewer.address.replace("http", "ws")
    command = [sys.executable, "-c", READER, address, f"viser-v{viser.__version__}", str(clients)]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert reader.stdout is not None
    try:
        for _ in range(clients):  # they say when they are connected
            if not reader.stdout.readline():
                raise RuntimeError("the browsers did not connect")
        yield
    finally:
        reader.terminate()
        reader.wait()


def watch_pictures(viewer: Viewer) -> list[float]:
    """Return a list with the processor time of the viewer's pictures, which grows [s]."""
    push, spent = viewer._push, [0.0]

    def timed() -> None:
        start = time.thread_time()
        push()
        spent[0] += time.thread_time() - start

    viewer._push = timed  # type: ignore[method-assign]
    return spent


def counting_cost(viewer: Viewer) -> float:
    """Return the processor time of a call of `update` that sends nothing, without the loop around it [s]."""
    update, turns = viewer.update, range(200_000)
    due, viewer._pace.next = viewer._pace.next, float("inf")
    begin = time.thread_time()
    for _ in turns:
        update()
    called = time.thread_time()
    for _ in turns:
        pass
    end = time.thread_time()
    viewer._pace.next = due
    return ((called - begin) - (end - called)) / len(turns)


def row(build: Callable[[], tribo.World], clients: int, rounds: int) -> tuple[str, ...]:
    """Measure a scene; return a row of the table."""
    world = build()
    world.step(300)
    with Viewer(world, port=8400) as viewer, watched(viewer, clients):
        steps = max(20, int(SECONDS / seconds_per_step(world, viewer.update, 200)))
        counting, pictures = counting_cost(viewer), watch_pictures(viewer)
        alone: list[float] = []
        shown: list[float] = []
        viewers: list[float] = []
        before = viewer.pictures
        for _ in range(rounds):
            alone.append(seconds_per_step(world, None, steps))
            drawn, others = pictures[0], time.process_time() - time.thread_time()
            shown.append(seconds_per_step(world, viewer.update, steps))
            others = time.process_time() - time.thread_time() - others
            viewers.append((pictures[0] - drawn + others) / steps + counting)
        rate = (viewer.pictures - before) / (sum(shown) * steps)
        before, start = viewer.pictures, time.perf_counter()
        viewer.run(5.0)
        live = (viewer.pictures - before) / (time.perf_counter() - start)
    ratio = statistics.median(b / a for a, b in zip(alone, shown, strict=True))
    cost = sum(viewers) / (sum(shown) - sum(viewers))
    return (
        build.__name__, str(clients), f"{1e6 * statistics.median(alone):.2f}", f"{1e9 * counting:.0f}",
        f"{100 * cost:.1f} %",
        f"{100 * (ratio - 1):+.1f} %", f"{rate:.0f}", f"{live:.0f}",
    )  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 20])
    parser.add_argument("--rounds", type=int, default=9)
    scenes = {build.__name__: build for build in (ball, robot, balls, thousand)}
    parser.add_argument("--scenes", nargs="+", choices=scenes, default=list(scenes))
    chosen = parser.parse_args()
    table = Table(
        "scene", "clients", "µs per step", "ns per update", "cost", "ratio", "pictures/s",
        "pictures/s of run",
    )  # fmt: skip
    for build in (scenes[name] for name in chosen.scenes):
        for clients in chosen.clients:
            table.add_row(*row(build, clients, chosen.rounds))
    Console().print(table)


if __name__ == "__main__":
    main()
