"""What people pile up: time of a step and share of flagged steps, on the way to rest and once it should rest.

    python benchmarks/at_rest.py [wall toppling jenga stack pyramid pipes dominoes balls boxes]
                                 [--steps 0.001 0.004] [--way 2] [--seed 1] [--misses]

A wall of 105 bricks, another whose outermost bricks topple, a tower of 54 blocks, twenty boxes one upon
another, a pyramid on a square, pipes between two stops, forty dominoes of which the first is pushed, 200
balls that fall into a bin, 100 boxes of all sizes that fall into a heap. Friction 0.6; 2 s on the way, and
one second after it. `--seed` draws other balls and boxes, `--way` gives them another time [s]. `--misses`
prints another table: the share of steps on the way whose residual is beyond 1e-6, 1e-4, 1e-3 and 1e-2.
"""

from __future__ import annotations

import argparse
import logging
import time

import numpy as np
from measure import step_by_step

import tribo

ABOUT_X = (0.5**0.5, 0.5**0.5, 0.0, 0.0)


def wall(world: tribo.World) -> None:
    """Pile up bricks, each upon two, with halves at the ends."""
    for row in range(10):
        shift = row % 2
        for k in range(10 - shift):
            place = (0.201 * (k + 0.5 * shift), 0.0, 0.05 + 0.1 * row)
            world.add_box((0.2, 0.1, 0.1), 0.5, position=place)
        if shift:
            for x in (-0.05, 0.201 * 9 + 0.05):
                world.add_box((0.1, 0.1, 0.1), 0.25, position=(x, 0.0, 0.05 + 0.1 * row))


def toppling(world: tribo.World) -> None:
    """Pile up bricks, each upon two, but for the outermost ones: their middles stand over by 0.5 mm."""
    for row in range(10):
        for k in range(10):
            place = (0.201 * (k + 0.5 * (row % 2)), 0.0, 0.05 + 0.1 * row)
            world.add_box((0.2, 0.1, 0.1), 0.5, position=place)


def jenga(world: tribo.World) -> None:
    """Lay blocks in threes, crosswise."""
    for row in range(18):
        for k in range(3):
            shift, height = 0.0502 * (k - 1), 0.015 + 0.03 * row
            along = row % 2 == 0
            place = (shift, 0.0, height) if along else (0.0, shift, height)
            world.add_box((0.05, 0.15, 0.03) if along else (0.15, 0.05, 0.03), 0.1, position=place)


def stack(world: tribo.World) -> None:
    """Set twenty boxes one upon another."""
    for row in range(20):
        world.add_box((0.1, 0.1, 0.1), 0.5, position=(0.0, 0.0, 0.05 + 0.1 * row))


def pyramid(world: tribo.World) -> None:
    """Set boxes in squares, each upon four."""
    for row in range(5):
        for i in range(5 - row):
            for j in range(5 - row):
                place = (0.105 * (i + 0.5 * row), 0.105 * (j + 0.5 * row), 0.05 + 0.1 * row)
                world.add_box((0.1, 0.1, 0.1), 0.5, position=place)


def pipes(world: tribo.World) -> None:
    """Lay pipes between two stops, each upon two."""
    for row in range(6):
        for k in range(6 - row):
            place = (0.2 * (k - (6 - row) / 2), 0.0, 0.1 + 0.1732 * row)
            world.add_cylinder(0.1, 0.3, 1.0, position=place, orientation=ABOUT_X)
    for x in (-0.75, 0.55):
        world.add_box((0.1, 0.5, 0.3), 1.0, position=(x, 0.0, 0.15), body_type="static")


def dominoes(world: tribo.World) -> None:
    """Set up dominoes, and lean another one against the first."""
    for k in range(40):
        world.add_box((0.02, 0.1, 0.2), 0.1, position=(0.1 * k, 0.0, 0.1))
    lean = (0.98, 0.0, 0.199, 0.0)
    world.add_box((0.02, 0.1, 0.2), 0.1, position=(-0.1, 0.0, 0.12), orientation=lean)


def balls(world: tribo.World, seed: int = 0) -> None:
    """Let balls fall into a bin."""
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        size = (0.1 if x else 1.2, 0.1 if y else 1.2, 1.0)
        world.add_box(size, 1.0, position=(0.55 * x, 0.55 * y, 0.5), body_type="static")
    rng = np.random.default_rng(seed)
    for k in range(200):
        world.add_sphere(0.06, 0.2, position=(*rng.uniform(-0.4, 0.4, 2), 0.1 + 0.02 * k))


def boxes(world: tribo.World, seed: int = 1) -> None:
    """Let boxes fall into a heap."""
    rng = np.random.default_rng(seed)
    for k in range(100):
        place = (*rng.uniform(-0.6, 0.6, 2), 0.2 + 0.1 * k)
        world.add_box(tuple(rng.uniform(0.08, 0.2, 3)), 0.5, position=place)


DRAWN = (balls, boxes)
RESIDUALS = (1e-6, 1e-4, 1e-3, 1e-2)
SCENES = (wall, toppling, jenga, stack, pyramid, pipes, dominoes, balls, boxes)


def timed(world: tribo.World, seconds: float) -> str:
    """Step a world for a while; return mean time, 99th percentile and share of flagged steps."""
    steps = round(seconds / world.time_step)
    taken, flagged = step_by_step(world, steps, time.process_time)
    return f"{taken.mean():.0f} | {np.percentile(taken, 99):.0f} | {flagged / steps:.1%}"


def misses(world: tribo.World, seconds: float) -> str:
    """Step a world for a while; return mean time, and the shares of steps beyond each of `RESIDUALS`."""
    found, taken = [], 0.0
    for _ in range(round(seconds / world.time_step)):
        start = time.process_time()
        world.step()
        taken += time.process_time() - start
        found.append(max(world.residual))
    shares = [f"{np.mean(np.array(found) > least):.1%}" for least in RESIDUALS]
    return " | ".join([f"{1e6 * taken / len(found):.0f}", *shares])


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    known = {scene.__name__: scene for scene in SCENES}
    parser.add_argument("scenes", nargs="*", default=list(known), metavar="scene")
    parser.add_argument("--steps", nargs="*", type=float, default=[0.001, 0.004], help="[s]")
    parser.add_argument("--way", type=float, default=2.0, help="time on the way to rest [s]")
    parser.add_argument("--seed", type=int, help="of balls and boxes")
    parser.add_argument("--misses", action="store_true", help="shares of steps by residual")
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)
    head = ("scene", "step", f"first {chosen.way:g} s: mean µs", "99 %", "flagged", "then: mean µs", "99 %")
    columns = (*head, "flagged", "kinetic energy [J]")
    if chosen.misses:
        columns = ("scene", "step", "mean µs", *(f"beyond {least:g}" for least in RESIDUALS))
    print(f"| {' | '.join(columns)} |")
    print("|" + " --- |" * len(columns))
    for name in chosen.scenes:
        for dt in chosen.steps:
            world = tribo.World(time_step=dt)
            world.add_ground()
            world.set_material_pair("default", "default", friction=0.6)
            drawn = {"seed": chosen.seed} if known[name] in DRAWN and chosen.seed is not None else {}
            known[name](world, **drawn)
            if chosen.misses:
                print(f"| {name} | {1e3 * dt:g} ms | {misses(world, chosen.way)} |", flush=True)
                continue
            first, then = timed(world, chosen.way), timed(world, 1.0)
            energy = world.kinetic_energy
            print(f"| {name} | {1e3 * dt:g} ms | {first} | {then} | {energy:.0e} |", flush=True)


if __name__ == "__main__":
    main()
