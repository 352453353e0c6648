"""Bodies slide over two pieces of one mesh: faces between the pieces may not stop them.

`python validation/slanted_faces.py [--bodies 400]` counts those that lose more than 0.1 m/s, or change their
velocity by 1e-7 m/s. The faces between the pieces are at 15° to 165° to the floor, speeds 0.5 to 4 m/s, time
steps 1, 2 and 5 ms; there is no friction.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from pieces import add_bevel

import tribo

BODIES = {  # method that adds it, sizes [m], height of its centre [m]
    "box": ("add_box", ((0.3, 0.2, 0.1),), 0.05),
    "disc": ("add_cylinder", (0.1, 0.1), 0.05),
    "ball": ("add_sphere", (0.05,), 0.05),
    "capsule": ("add_capsule", (0.05, 0.2), 0.05),
}
BEFORE = 0.25  # [m] of way up to the seam


def slide(kind: str, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return what a body loses of its velocity [m/s], the angle of the faces [°] and the time step [s]."""
    angle, speed = rng.uniform(15, 165), rng.choice([-1, 1]) * rng.uniform(0.5, 4)
    dt, turn = float(rng.choice([1e-3, 2e-3, 5e-3])), rng.uniform(-0.5, 0.5)
    world = tribo.World(time_step=dt)
    world.default_pair = tribo.PairProperties(friction=0.0, restitution=0.0)
    add_bevel(world, np.deg2rad(angle))
    method, sizes, height = BODIES[kind]
    about_z = np.array([np.cos(turn), 0, 0, np.sin(turn)])
    w, _, _, z = about_z
    lying = np.array([w, -w, -z, z]) * np.sqrt(0.5)  # about z after a quarter turn about x
    velocity = np.array([speed, rng.uniform(-1, 1), 0])
    body = getattr(world, method)(
        *sizes, 1.0, position=(-BEFORE * np.sign(speed), 0.1, height),
        orientation=lying if kind == "capsule" else about_z, linear_velocity=velocity,
    )  # fmt: skip
    lost = 0.0
    for _ in range(int(2 * BEFORE / abs(speed) / dt)):
        world.step()
        lost = max(lost, float(np.abs(body.linear_velocity - velocity).max()))
    return lost, angle, dt


def main() -> None:
    """Print a row for each body."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bodies", type=int, default=400)
    chosen = parser.parse_args()
    rng = np.random.default_rng(0)
    found = {kind: [slide(kind, rng) for _ in range(chosen.bodies // len(BODIES))] for kind in BODIES}
    print("| body | runs | disturbed | stopped | angles and time steps of those |\n|" + " --- |" * 5)
    for kind, runs in found.items():
        stopped = [(angle, dt) for lost, angle, dt in runs if lost > 0.1]
        disturbed = sum(lost > 1e-7 for lost, _, _ in runs)
        places = ", ".join(f"{angle:.0f}° at {1e3 * dt:g} ms" for angle, dt in stopped)
        print(f"| {kind} | {len(runs)} | {disturbed} | {len(stopped)} | {places} |")


if __name__ == "__main__":
    main()
