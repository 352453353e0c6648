"""How large one HTML page is that plays 30 s of ANYmal C on terrain, and how long it takes to make.

    python benchmarks/page_size.py [PAGE.html]

It needs the extras `robots`, `record` and `viewer`. The goal is 20 MB: what a mail takes.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import tribo
from tribo.tools import demo
from tribo.viewer.page import save_page
from tribo.viewer.replay import replay

SECONDS, RATE = 30.0, 30.0
PERIOD, LIFT = 0.6, 0.35  # [s], [rad] of a step on the spot
SIDE, CELLS = 8.0, 81  # [m] of the terrain, points along a side


def world_on_terrain() -> tuple[tribo.World, tribo.ArticulatedSystem]:
    """Return ANYmal above hills."""
    world = tribo.World()
    x, y = np.meshgrid(np.linspace(-SIDE / 2, SIDE / 2, CELLS), np.linspace(-SIDE / 2, SIDE / 2, CELLS))
    heights = 0.08 * np.sin(1.7 * x) * np.cos(1.3 * y) + 0.01 * np.sin(7.0 * x + 5.0 * y)
    world.add_height_map(heights, (SIDE, SIDE), name="hills", material="grass")
    robot = demo.add_robot(world, demo.anymal())
    robot.generalized_coordinate[2] += 0.1
    return world, robot


def main() -> None:
    """Step, record, write the page, print."""
    world, robot = world_on_terrain()
    stance = np.array(robot.pd_target)
    knees = [robot.coordinate_slice(name).start for name in robot.joint_names if name.endswith("KFE")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.zarr"
        with world.record(path, every=1.0 / RATE):
            while world.time < SECONDS - 1e-9:
                swing = LIFT * np.sin(2.0 * np.pi * world.time / PERIOD)
                target = stance.copy()
                for k, row in enumerate(knees):  # diagonal legs together
                    lift = max(0.0, swing if k in (0, 3) else -swing)
                    target[row] += np.copysign(lift, stance[row])
                robot.pd_target = target
                world.step(10)
        take = replay(tribo.Recording(path), world, RATE)
        page = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "run.html"
        start = time.perf_counter()
        size = save_page(take, page, "ANYmal on terrain")
        print(
            f"{len(take.time)} frames of {len(robot.body_names)} bodies, {len(take.scene.visual.items)} "
            f"meshes and shapes: {size / 1e6:.2f} MB in {time.perf_counter() - start:.1f} s"
        )
    assert size < 20e6


if __name__ == "__main__":
    main()
