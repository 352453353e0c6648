"""Random shots at thin plates: none may go through.

    python validation/shots.py --shots 100000

Bodies of seven shapes fly at 5 to 100 m/s, with spins of up to 500 rad/s, at plates of 1 mm: a box that
stands, a box that is free and 1000 times as heavy, a mesh of two triangles, and a height map. Time steps are
0.5 to 5 ms. A shot went through if its centre of mass is behind the plate afterwards.
"""

import argparse
import sys
from typing import Any

import numpy as np
from passes import FLYERS, add

import tribo

PLATES = ["box", "free box", "mesh", "map"]
THICK = 1e-3  # [m] of a box
WIDE = 20.0  # [m] of a plate
SIZE = 0.05  # [m] of a body
BEHIND = 0.05  # [m] a plate that is hit may give way by so much
TIME_STEPS = (5e-4, 1e-3, 2e-3, 5e-3)  # [s]


def add_plate(world: tribo.World, kind: str) -> Any:
    """Add a plate of a kind, its upper side at z = 0."""
    if kind == "mesh":
        corners = 0.5 * WIDE * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
        return world.add_surface(corners, [(0, 1, 2), (0, 2, 3)], name="plate")
    if kind == "map":
        return world.add_height_map(tribo.HeightField(np.zeros((9, 9)), (WIDE, WIDE)), name="plate")
    options = {"body_type": "static"} if kind == "box" else {}
    return world.add_box((WIDE, WIDE, THICK), 1000.0, position=(0, 0, -0.5 * THICK), name="plate", **options)


def shoot(flyer: str, plate: str, time_step: float, worlds: int, rng: np.random.Generator) -> int:
    """Return how many of some shots go through."""
    world = tribo.World(time_step=time_step, gravity=(0.0, 0.0, 0.0))
    world.default_pair = tribo.PairProperties(friction=float(rng.uniform(0.0, 1.0)))
    target = add_plate(world, plate)
    body = add(world, flyer, SIZE, name="flyer", position=(0, 0, 1))
    batch = tribo.Batch(world, worlds)
    one = batch[body.name]
    turn = rng.normal(size=(worlds, 4))
    turn /= np.linalg.norm(turn, axis=1)[:, None]
    way = rng.normal(size=(worlds, 3))
    way[:, 2] = -np.abs(way[:, 2]) - 0.5 * np.linalg.norm(way[:, :2], axis=1)
    speed = 5.0 * 10.0 ** rng.uniform(0.0, 1.0) * rng.uniform(1.0, 2.0, worlds)
    velocity = speed[:, None] * way / np.linalg.norm(way, axis=1)[:, None]
    # Contacts are looked for from the middle of the first step on.
    height = rng.uniform(0.1, 0.4, worlds) - 0.5 * time_step * velocity[:, 2]
    one.generalized_coordinate = np.column_stack([np.zeros((worlds, 2)), height, turn])
    spin = rng.normal(size=(worlds, 3))
    spin *= rng.uniform(0.0, 500.0, (worlds, 1)) / np.linalg.norm(spin, axis=1)[:, None]
    one.generalized_velocity = np.column_stack([velocity, spin])
    batch.step(int(1.0 / np.abs(velocity[:, 2]).min() / time_step) + 3)
    after = one.generalized_coordinate[:, 2]
    level = batch[target.name].generalized_coordinate[:, 2] if plate == "free box" else 0.0
    return int(np.count_nonzero(after < level - BEHIND))


def main() -> None:
    """Print how many shots at each kind of plate go through."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--shots", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    rng = np.random.default_rng(chosen.seed)
    kinds = [(flyer, plate, dt) for plate in PLATES for flyer in FLYERS for dt in TIME_STEPS]
    worlds = -(-chosen.shots // len(kinds))
    through = dict.fromkeys(PLATES, 0)
    for flyer, plate, time_step in kinds:
        gone = shoot(flyer, plate, time_step, worlds, rng)
        through[plate] += gone
        if gone:
            print(f"{gone} of {worlds}: {flyer} at {plate}, {1e3 * time_step:g} ms", flush=True)
    for plate in PLATES:
        print(f"{plate:10} {through[plate]:5} of {worlds * len(kinds) // len(PLATES)} through")
    sys.exit(int(sum(through.values()) > 0))


if __name__ == "__main__":
    main()
