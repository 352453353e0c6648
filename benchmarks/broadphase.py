"""The broad phase alone: how its cost grows with the number of moving bodies.

    PYTHONPATH=benchmarks python benchmarks/broadphase.py [--counts 100 1000 10000] [--rounds 9]

Three scenes of N mixed bodies with velocities of 1 m/s, neighbours about one size apart: a *cloud* in
a cube, a *heap* on a floor, some layers high, *terrain*: one layer over a height map of 1000 × 1000
samples. Timed is the stage `candidates`: margins, boxes, sort, sweep and the sorted list. Between two
calls all bodies move on by 1 ms.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

from tribo import HeightField, World
from tribo.collision import broadphase
from tribo.compiler.jit import script

COUNTS = (100, 300, 1000, 3000, 10_000)


@script
def listed(model, state, settings, work, repeats):
    """List the candidates of moving bodies so many times; return their number. Writes: work."""
    n = 0
    for _ in range(repeats):
        for i in range(work.body_pos.shape[0]):
            b = model.joint_v[model.tree_body[model.body_tree[i]]]
            if model.tree_nv[model.body_tree[i]] > 0:
                for k in range(3):
                    work.body_pos[i, k] += settings.dt * state.v[b + k]
        broadphase.find_candidates(model, state, settings, work)
        n = work.candidate_count[0]
    return n


def scene(name: str, count: int) -> World:
    """Return a world of one of the scenes."""
    rng = np.random.default_rng(count)
    world = World()
    layers = {"cloud": round(count ** (1 / 3)), "heap": max(1, round((count / 100) ** (1 / 3)))}
    high = layers.get(name, 1)
    side = int(np.ceil((count / high) ** 0.5))
    if name == "terrain":
        world.add_height_map(HeightField(np.zeros((1000, 1000)), (0.4 * side + 1, 0.4 * side + 1)))
    elif name == "heap":
        world.add_ground()
    for k in range(count):
        layer, rest = divmod(k, side * side)
        place = np.array([rest % side - 0.5 * side, rest // side - 0.5 * side, layer + 0.5]) * 0.4
        turn = rng.normal(size=4)
        options = {
            "position": place + rng.uniform(-0.1, 0.1, 3),
            "orientation": turn / np.linalg.norm(turn),
            "linear_velocity": rng.normal(size=3) / 3**0.5,
        }
        a, b, c = rng.uniform(0.08, 0.14, 3)
        if k % 3 == 0:
            world.add_sphere(a, 1.0, **options)
        elif k % 3 == 1:
            world.add_box((2 * a, 2 * b, 2 * c), 1.0, **options)
        else:
            world.add_capsule(a, b, 1.0, **options)
    return world


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="*", default=COUNTS)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print("| scene | bodies | candidates | µs | ns per body |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in ("cloud", "heap", "terrain"):
        for count in options.counts:
            world = scene(name, count)
            world.step(1)  # the tables have grown
            world.update()
            engine = world.engine
            records = engine.model, engine.state, engine.settings, engine.work
            repeats = max(1, 20_000 // count)
            found = listed(*records, 1)
            if found > len(engine.work.candidate):
                raise RuntimeError("the table of candidates is too small for this scene")
            times = []
            for _ in range(options.rounds):
                start = time.process_time()
                listed(*records, repeats)
                times.append((time.process_time() - start) / repeats)
            least = statistics.median(times)
            print(f"| {name} | {count} | {found} | {1e6 * least:.0f} | {1e9 * least / count:.0f} |",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
