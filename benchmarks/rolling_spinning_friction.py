"""Many balls and lying cylinders with a high initial spin: they grip, roll, slow down and rest.

    python benchmarks/rolling_spinning_friction.py [--count 200] [--seconds 12] [--film out/rolling.mp4]

The scene of the founding text. Bodies meet the ground only (two cylinders have no contact yet). Every body
must end at rest and stay on the plane to 1e-9 m, or no speed is printed. The same scene without the
two coefficients, which needs no extra rows, runs next to it.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tribo
from tribo.viewer.film import save_film

SPACING = 0.7  # [m]
SPIN = 60.0  # [rad/s] largest
RATE = 25  # pictures per second
CHUNK = 40  # steps between two readings, one picture


@dataclass
class Result:
    """What a run gave."""

    cpu: float  # [s]
    rest: float  # [s] world time after which nothing moves, inf: something still does
    height: float  # [m] largest deviation from the plane
    unsolved: int  # readings whose step had not converged
    residual: float  # largest of all readings


def build(count: int, rolling: float, spinning: float) -> tribo.World:
    """Return balls and cylinders on a grid, each with a spin of its own."""
    rng = np.random.default_rng(1)
    world = tribo.World()
    world.add_ground(material="ground")
    world.set_material_pair(
        "ground", "body", friction=1.0, rolling_friction=rolling, spinning_friction=spinning
    )
    side = int(np.ceil(np.sqrt(count)))
    for k in range(count):
        radius = float(rng.uniform(0.08, 0.15))
        x, y = SPACING * (k % side - side / 2), SPACING * (k // side - side / 2)
        yaw, speed = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.3, 1.0) * SPIN)
        across = np.array([np.cos(yaw), np.sin(yaw), 0.0])
        place = {"position": (x, y, radius), "collision_mask": 0}
        if k % 2:
            half = np.pi / 4  # lies along `across`: a quarter turn about the horizontal at right angles
            lying = (np.cos(half), -np.sin(half) * np.sin(yaw), np.sin(half) * np.cos(yaw), 0.0)
            world.add_cylinder(radius, 2.5 * radius, 1.0, "body", orientation=lying,
                               angular_velocity=speed * across, **place)  # fmt: skip
        else:
            spin = speed * across + [0.0, 0.0, float(rng.uniform(-SPIN, SPIN))]
            world.add_sphere(radius, 1.0, "body", angular_velocity=spin, **place)
    return world


def run(world: tribo.World, seconds: float, film: Path | None) -> Result:
    """Step the world; draw it if asked to. Drawing and reading are not counted."""
    bodies = world.objects[1:]
    start = np.array([b.position[2] for b in bodies])
    renderer = tribo.Renderer(world, 800, 500) if film else None
    pictures: list[np.ndarray] = []
    camera = tribo.viewer.Camera(eye=(10.0, -13.0, 10.0), target=(0.0, 0.0, 0.0))
    cpu = height = residual = 0.0
    rest, unsolved = np.inf, 0
    world.step(0)
    while world.time < seconds - 1e-9:
        before = time.process_time()
        world.step(CHUNK)
        cpu += time.process_time() - before
        height = max(height, float(np.abs([b.position[2] for b in bodies] - start).max()))
        residual = max(residual, float(world.residual.max()))
        unsolved += world.status != 0
        v = world.engine.state.v
        rest = np.inf if np.abs(v).max() > 1e-9 else min(rest, world.time)
        if renderer:
            pictures.append(renderer.rgb_array(camera))
    if film:
        film.parent.mkdir(parents=True, exist_ok=True)
        save_film(pictures, film, RATE)
        print(f"film: {film}")
    return Result(cpu, rest, height, unsolved, residual)


def main() -> int:
    """Run, check, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=200, help="bodies")
    parser.add_argument("--seconds", type=float, default=12.0, help="of world time")
    parser.add_argument("--film", type=Path, help="mp4 to write")
    chosen = parser.parse_args()
    logging.getLogger("tribo").setLevel(logging.ERROR)
    made = run(build(chosen.count, 0.05, 0.05), chosen.seconds, chosen.film)
    plain = run(build(chosen.count, 0.0, 0.0), chosen.seconds, None)
    steps = round(chosen.seconds / 1e-3)
    print(
        f"{chosen.count} bodies, {steps} steps: at rest after {made.rest:.2f} s, height "
        f"{made.height:.1e} m, residual {made.residual:.1e}, readings not converged {made.unsolved}"
    )
    if made.rest == np.inf or made.height > 1e-9 or made.unsolved:
        print("guard failed: no speed", file=sys.stderr)
        return 1
    for name, result in (("with both coefficients", made), ("without", plain)):
        print(f"{name}: {steps / result.cpu:.0f} steps/s, "
              f"{1e6 * result.cpu / steps / chosen.count:.2f} µs per body and step")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
