"""Random passes of two bodies at a small clearance: none may be disturbed.

    python validation/passes.py --passes 2000

A flyer of any convex shape passes a target (any shape, fixed or loose; meshes and height maps) on a
straight line. A plane between them, parallel to the way, has the clearance on both sides: nothing touches.
"""

import argparse
import sys
from typing import Any, NamedTuple

import numpy as np
from stage import quaternion

import tribo

CORNERS = np.random.default_rng(12).normal(size=(12, 3))
CORNERS /= np.linalg.norm(CORNERS, axis=1)[:, None]
CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
         (0, 6, 4), (1, 5, 7), (1, 7, 3)]  # fmt: skip
WAVES = 0.1 * np.sin(np.linspace(0, 9, 12))[:, None] * np.cos(np.linspace(0, 7, 12))[None, :]
FLYERS = ["box", "sphere", "capsule", "cylinder", "cone", "ellipsoid", "hull"]
TARGETS = [*FLYERS, "mesh", "map"]
SPAN = 0.5  # [m] of the way before and behind the target


class Pass(NamedTuple):
    """What a pass did to the flyer."""

    change: float  # [–] of velocity and of spin times size, over the speed
    clearance: float  # [m]
    speed: float  # [m/s]
    time_step: float  # [s]
    status: int


def add(world: tribo.World, kind: str, size: float, **options: Any) -> Any:
    """Add a body of a kind, about `size` large [m], to a world."""
    if kind == "mesh":
        options.pop("body_type", None)
        return world.add_surface(size * CUBE * (1.0, 0.5, 0.4), FACES, **options)
    if kind == "map":
        position = options["position"]
        return world.add_height_map(tribo.HeightField(WAVES, (2.0, 2.0)), position=position)
    made = {
        "box": lambda: world.add_box((2 * size, size, 0.6 * size), 1.0, **options),
        "sphere": lambda: world.add_sphere(0.6 * size, 1.0, **options),
        "capsule": lambda: world.add_capsule(0.3 * size, size, 1.0, **options),
        "cylinder": lambda: world.add_cylinder(0.6 * size, size, 1.0, **options),
        "cone": lambda: world.add_cone(0.6 * size, size, 1.0, **options),
        "ellipsoid": lambda: world.add_ellipsoid((0.9 * size, 0.6 * size, 0.4 * size), 1.0, **options),
        "hull": lambda: world.add_convex(size * CORNERS, 1.0, **options),
    }
    return made[kind]()


def turned(rng: np.random.Generator) -> np.ndarray:
    """Return a random orientation (w, x, y, z)."""
    q: np.ndarray = rng.normal(size=4)
    return q / np.linalg.norm(q)


def farthest(kind: str, size: float, orientation: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the point of a body of a kind at the origin that is farthest along a unit vector [m]."""
    if kind == "map":
        x, y = np.meshgrid(np.linspace(-1, 1, 12), np.linspace(-1, 1, 12))
        points = np.stack([x, y, WAVES], axis=-1).reshape(-1, 3)
        return points[np.argmax(points @ n)]
    world = tribo.World(gravity=(0, 0, 0))
    body = add(world, kind, size, orientation=orientation, position=(0, 0, 0))
    if kind == "mesh":
        points = size * CUBE * (1.0, 0.5, 0.4) @ body.rotation_matrix.T
        return points[np.argmax(points @ n)]
    plane = world.add_ground(height=-10.0, normal=-n)
    return np.array(world.distance(body, plane).point_a)


def fly_past(flyer: str, target: str, rng: np.random.Generator) -> Pass:
    """Send a flyer past a target at a random clearance, speed and time step.

    Their farthest points along the normal pass one another; in half of the passes the axes of both bodies
    are those of the way.
    """
    speed = np.exp(rng.uniform(np.log(0.5), np.log(20.0)))
    clearance = np.exp(rng.uniform(np.log(2e-4), np.log(5e-3)))
    time_step = float(rng.choice([5e-4, 1e-3, 2e-3, 5e-3]))
    small, large = 0.1, 0.5
    n, way = rng.normal(size=(2, 3))
    if target == "map":
        n[2] = 3.0 + abs(n[2])
    n /= np.linalg.norm(n)
    way -= way @ n * n
    way /= np.linalg.norm(way)
    side = np.cross(n, way)
    turns = [turned(rng), turned(rng)]
    if rng.random() < 0.5:
        turns = [quaternion(np.column_stack([way, side, n]))] * 2
    if target == "map":
        turns[1] = np.array([1.0, 0.0, 0.0, 0.0])
    there = farthest(target, large, turns[1], n)
    here = farthest(flyer, small, turns[0], -n)
    above = (there - here) @ n + clearance
    aside = side * ((there - here) @ side + rng.uniform(-0.02, 0.02))
    span = SPAN + (0.5 if target == "map" else 0.0)
    world = tribo.World(time_step=time_step, gravity=(0, 0, 0))
    kind = "static" if rng.random() < 0.7 or target in ("mesh", "map") else "dynamic"
    fixed = add(world, target, large, body_type=kind, position=(0, 0, 0), orientation=turns[1])
    spin = (0.0, 0.0, 0.0)
    body = add(world, flyer, small, position=above * n + aside - span * way, orientation=turns[0])
    body.linear_velocity = speed * way
    if flyer in ("sphere", "capsule", "cylinder", "cone"):  # turns into itself
        spin = rng.uniform(-100.0, 100.0) * body.rotation_matrix[:, 2]
        body.angular_velocity = spin
    status = 0
    for _ in range(int(2 * span / speed / time_step) + 1):
        world.step()
        status |= int(world.status)
    change = np.linalg.norm(body.linear_velocity - speed * way)
    change = max(change, small * np.linalg.norm(body.angular_velocity - spin))
    if kind == "dynamic":
        change = max(change, np.linalg.norm(fixed.linear_velocity))
    return Pass(float(change) / speed, clearance, speed, time_step, status)


def main() -> None:
    """Print the disturbed passes of each target, and the worst of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--passes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    rng = np.random.default_rng(chosen.seed)
    disturbed = dict.fromkeys(TARGETS, 0)
    count = dict.fromkeys(TARGETS, 0)
    worst = 0.0
    for _ in range(chosen.passes):
        flyer, target = str(rng.choice(FLYERS)), str(rng.choice(TARGETS))
        made = fly_past(flyer, target, rng)
        count[target] += 1
        disturbed[target] += made.change > 1e-9
        worst = max(worst, made.change)
        if made.change > 1e-9:
            print(flyer, target, made, flush=True)
    for target in TARGETS:
        print(f"{target:10} {disturbed[target]:4} of {count[target]:4} disturbed")
    print(f"all        {sum(disturbed.values()):4} of {chosen.passes:4}, worst {worst:.1e} of the speed")
    sys.exit(int(sum(disturbed.values()) > 0))


if __name__ == "__main__":
    main()
