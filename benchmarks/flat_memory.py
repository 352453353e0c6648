"""Memory that stays flat: `python benchmarks/flat_memory.py [steps] [resets] [connects] [--times 0.1]`.

A quadruped that stands makes 10⁶ steps, another is brought back to its start 10⁵ times with five steps
between, and 10⁴ pages connect to a viewer and leave. After a tenth of each, memory must not grow by more than
`ROOM` bytes: what is filled once (caches, pools of threads) is filled by then.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import logging
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import tribo

ROOM = 4 << 20  # [byte] that an allocator may take for its own order
STEPS, RESETS, CONNECTS = 1_000_000, 100_000, 10_000


def resident() -> int:
    """Return the memory of this process [byte], less what its allocator holds in reserve for its threads."""
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):  # glibc
        trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def quadruped() -> tribo.World:
    """Return a quadruped that stands."""
    world = tribo.World()
    world.add_ground()
    file = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
    robot = world.add_articulated_system(file, position=(0, 0, 0.5))
    robot.set_pd_gains(100.0, 2.0)
    return world


def steps() -> Callable[[int], None]:
    """Return what makes so many steps, one by one, with read-outs."""
    world = quadruped()

    def run(count: int) -> None:
        for _ in range(count):
            world.step()
            _ = world.contacts, world.energy

    return run


def resets() -> Callable[[int], None]:
    """Return what brings a robot back so often."""
    world = quadruped()
    saved = world.snapshot()

    def run(count: int) -> None:
        for _ in range(count):
            world.restore(saved)
            world.step(5)
            world.load_state(world.dump_state())

    return run


def connects() -> Callable[[int], None]:
    """Return what connects so many pages to a viewer, one after the other."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from contracts.viewer_pages import opened

    from tribo.viewer import Viewer

    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    world = quadruped()
    viewer = Viewer(world, port=8920)

    def run(count: int) -> None:
        for k in range(count):
            with opened(viewer) as page:
                page.recv(timeout=60.0)
            if k % 50 == 0:
                world.step()

    return run


KINDS = {"steps": (steps, STEPS), "resets": (resets, RESETS), "connects": (connects, CONNECTS)}


def grown(kind: str, count: int) -> int:
    """Return by how many bytes memory has grown between a tenth and all of so many."""
    run = KINDS[kind][0]()
    run(count // 10)
    before = resident()
    run(count - count // 10)
    return resident() - before


def main() -> int:
    """Measure; return 1 if memory grew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kinds", nargs="*", choices=[[], *KINDS], help="which; default: all")
    parser.add_argument("--times", type=float, default=1.0, help="of the numbers above")
    options = parser.parse_args()
    failed = 0
    for kind in options.kinds or KINDS:
        count, start = round(KINDS[kind][1] * options.times), time.monotonic()
        more = grown(kind, count)
        failed |= more > ROOM
        spent = time.monotonic() - start
        print(f"{kind:9}{count:9} in {spent:6.0f} s: {more / 1024:+9.0f} KiB", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
