"""What a batch of quadrupeds costs besides its steps: scans, sensors, resets, edits of some worlds, readings.

    python benchmarks/batch_calls.py [--worlds 1024]

Processor time of one thread, least of several rounds, for a call and for each of the worlds that it concerns;
the robots stand, and a step of a world is the first row.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import tribo
from tribo.tools.demo import ASSETS

GRID = np.stack(np.meshgrid(np.linspace(-0.8, 0.8, 17), np.linspace(-0.5, 0.5, 11)), -1).reshape(
    -1, 2
)  # [m] 187 points around a robot
STANCE = np.array([0, 0, 0.505, 1, 0, 0, 0, *([0.0, 0.6, -1.2] * 2 + [0.0, -0.6, 1.2] * 2)])


def batch_of(worlds: int) -> tribo.Batch:
    """Return quadrupeds that stand on a height map, with sensors."""
    world = tribo.World(time_step=0.002)
    world.add_height_map(np.zeros((64, 64)), (16, 16), material="floor")
    dog = world.add_articulated_system(ASSETS / "quadruped.urdf", name="dog")
    dog.generalized_coordinate = dog.pd_target = STANCE
    dog.set_pd_gains(80.0, 2.0)
    world.set_material_pair("floor", "rubber", friction=0.8)
    world.add_imu(dog, "trunk", name="imu")
    world.add_contact_sensor(dog, "LF_FOOT", name="foot")
    made = tribo.Batch(world, worlds, threads=1)
    made.step(300)
    return made


def calls(batch: tribo.Batch) -> dict[str, tuple[int, Callable[[], object]]]:
    """Return what is measured by name: how many worlds it concerns, and the call."""
    n, dog, pool = len(batch), batch["dog"], batch.pool([0])
    rows = np.arange(0, n, 16)
    k = len(rows)
    draws = np.random.default_rng(0)
    imu, foot = batch.sensor("imu"), batch.sensor("foot")
    gravity = np.tile([0.0, 0.0, -9.81], (k, 1))
    gains = np.full((k, 12), 80.0)
    return {
        "a step": (n, lambda: batch.step(10)),
        "height scan, 187 rays a world": (n, lambda: batch.height_scan("dog", GRID)),
        "IMU": (n, imu.measure),
        "contact sensor": (n, foot.measure),
        "net contact forces": (n, lambda: dog.net_contact_force),
        "contacts as arrays": (n, lambda: batch.contacts.force),
        "digest": (n, batch.hash),
        "reset from a pool, a world of 16": (k, lambda: batch.reset(pool, rows, np.zeros(k, int))),
        "copies of worlds, a world of 16": (k, lambda: batch.copy_worlds(rows + 1, rows)),
        "masses, a world of 16": (k, lambda: dog.set_link("trunk", rows, mass=draws.uniform(5, 6, k))),
        "damping of a joint, a world of 16": (
            k, lambda: dog.set_joint("LF_KFE", rows, damping=draws.uniform(0, 0.1, k)),
        ),
        "gains, a world of 16": (k, lambda: dog.set_pd_gains(gains, 0.02 * gains, rows)),
        "friction of a pair, a world of 16": (
            k,
            lambda: batch.set_material_pair(
                "floor", "rubber", worlds=rows, friction=draws.uniform(0.5, 1, k)
            ),
        ),
        "gravity, a world of 16": (k, lambda: batch.set_settings(worlds=rows, gravity=gravity)),
        "radius of a foot, a world of 16": (
            k, lambda: batch.set_shape_size("dog", draws.uniform(0.029, 0.031, k), shape="LF_FOOT/0",
                                            worlds=rows),
        ),
    }  # fmt: skip


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    batch = batch_of(chosen.worlds)
    print("| call | worlds | ms | µs a world |\n| --- | --- | --- | --- |")
    for name, (count, call) in calls(batch).items():
        times = []
        for _ in range(chosen.rounds + 1):
            batch.step(10)  # what is read belongs to a step that was just made
            begun = time.process_time()
            call()
            times.append(time.process_time() - begun)
        least = min(times[1:])
        steps = 10 if name == "a step" else 1
        print(f"| {name} | {count} | {1e3 * least / steps:.3f} | {1e6 * least / count / steps:.2f} |")


if __name__ == "__main__":
    main()
