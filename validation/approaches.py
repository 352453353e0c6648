"""Bodies of all pairs of convex shapes that meet at random: how deep do they overlap, and is it said?

`python validation/approaches.py [--approaches 200] [--steps 0.001 0.004]` prints a table, summed up in
docs/physics/collision.md: in zero gravity one body flies towards another at 1 to 5 m/s, past its centre by up
to 0.1 m, both turning at 0 to 30 rad/s; no rebound, the friction of the default material.
"""

from __future__ import annotations

import argparse
import itertools
import logging
from collections.abc import Callable, Iterator

import numpy as np
from stage import Body, Pair, Scene, matrices, quaternion
from suite import Player

import tribo

Adder = Callable[[tribo.World, np.ndarray, np.random.Generator], tribo.SingleBody]
PER_WORLD = 20  # approaches of the same two bodies


def hull(world: tribo.World, size: np.ndarray, rng: np.random.Generator) -> tribo.SingleBody:
    """Add the hull of 16 random points of an ellipsoid."""
    points = rng.normal(size=(16, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return world.add_convex(points * size, 1.0)


SHAPES: dict[str, Adder] = {
    "box": lambda world, size, _: world.add_box(2.0 * size, 1.0),
    "sphere": lambda world, size, _: world.add_sphere(size[0], 1.0),
    "cylinder": lambda world, size, _: world.add_cylinder(size[0], 2.0 * size[1], 1.0),
    "capsule": lambda world, size, _: world.add_capsule(size[0], 2.0 * size[1], 1.0),
    "cone": lambda world, size, _: world.add_cone(size[0], 2.0 * size[1], 1.0),
    "ellipsoid": lambda world, size, _: world.add_ellipsoid(size, 1.0),
    "hull": hull,
}


def direction(rng: np.random.Generator, size: int = 3) -> np.ndarray:
    """Return a random unit vector."""
    x = rng.normal(size=size)
    unit: np.ndarray = x / np.linalg.norm(x)
    return unit


def send(one: tribo.SingleBody, other: tribo.SingleBody, rng: np.random.Generator) -> float:
    """Place two bodies 0.55 m apart and send the second one towards the first; return the speed [m/s]."""
    way = direction(rng)
    aside = np.cross(way, direction(rng))
    speed = rng.uniform(1.0, 5.0)
    one.position, one.orientation = np.zeros(3), direction(rng, 4)
    one.linear_velocity = np.zeros(3)
    other.position = 0.55 * way + rng.uniform(0.0, 0.1) * aside / np.linalg.norm(aside)
    other.orientation, other.linear_velocity = direction(rng, 4), -speed * way
    for body in (one, other):
        body.angular_velocity = rng.normal(size=3) * rng.choice([0.0, 3.0, 10.0])
    return float(speed)


def approaches(
    kinds: tuple[str, str], time_step: float, count: int, rng: np.random.Generator
) -> Iterator[tuple[float, int]]:
    """Let two bodies meet `count` times; yield the deepest overlap of each meeting [m] and its status."""
    for k in range(count):
        if k % PER_WORLD == 0:
            world = tribo.World(time_step, gravity=(0, 0, 0))
            one, other = (SHAPES[kind](world, rng.uniform(0.05, 0.15, 3), rng) for kind in kinds)
        speed = send(one, other, rng)
        deepest, said = 0.0, 0
        for _ in range(round(0.9 / speed / time_step)):
            world.step()
            said |= int(world.status)
            deepest = max([deepest, *(contact.depth for contact in world.contacts)])
            if world.contacts:
                deepest = max(deepest, -world.distance(one, other).distance)
        yield deepest, said


def body_of(kind: str, made: tribo.SingleBody) -> tuple[Body, np.ndarray]:
    """Return a body of tribo as every engine reads it, in its principal axes; and those axes (3, 3)."""
    shape = made.description.bodies[0].shapes[0]
    axes, points = np.eye(3), np.zeros((0, 3))
    if kind == "hull":
        axes = np.linalg.eigh(made.inertia)[1]
        axes[:, 2] *= np.linalg.det(axes)
        points = (shape.geometry.vertices + shape.position) @ axes
    size = tuple(made.collision_bodies[0].size)  # half edges, half heights
    if kind == "box":
        size = tuple(2.0 * s for s in size)
    elif kind in {"cylinder", "capsule", "cone"}:
        size = (size[0], 2.0 * size[1])
    return Body(
        kind, () if kind == "hull" else size, made.mass, tuple(made.position),
        quaternion(made.rotation_matrix @ axes), tuple(made.linear_velocity), tuple(made.angular_velocity),
        tuple(np.diag(axes.T @ made.inertia @ axes)), points=tuple(map(tuple, points)),
    ), axes  # fmt: skip


def staged(
    kinds: tuple[str, str], time_step: float, count: int, rng: np.random.Generator
) -> Iterator[tuple[Scene, list[tribo.SingleBody], list[np.ndarray]]]:
    """Yield the scenes of `approaches` for any engine, the bodies in tribo, and their principal axes."""
    for k in range(count):
        if k % PER_WORLD == 0:
            world = tribo.World(time_step, gravity=(0, 0, 0))
            pair = [SHAPES[kind](world, rng.uniform(0.05, 0.15, 3), rng) for kind in kinds]
        speed = send(*pair, rng)
        (one, first), (other, second) = (body_of(*item) for item in zip(kinds, pair, strict=True))
        friction = Pair(world.default_pair.friction)
        scene = Scene([one, other], round(0.9 / speed / time_step), friction, planes=[],
                      gravity=(0.0, 0.0, 0.0), dt=time_step)  # fmt: skip
        yield scene, pair, [first, second]


def deepest(player: Player, scene: Scene, pair: list[tribo.SingleBody], axes: list[np.ndarray]) -> float:
    """Return the deepest overlap of a meeting in some engine, by tribo's distance of the two shapes [m]."""
    track = player.play(scene)
    depth = 0.0
    for k in range(len(track.time)):
        if np.linalg.norm(track.position[k, 0] - track.position[k, 1]) > 0.55:
            continue
        for body, place, turned, own in zip(pair, track.position[k], track.orientation[k], axes, strict=True):
            body.position, body.orientation = place, quaternion(matrices(turned) @ own.T)
        depth = max(depth, -pair[0].world.distance(*pair).distance)
    return depth


def main() -> None:
    """Print, for each time step and pair, how many meetings were deeper than 2 mm and the deepest."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--approaches", type=int, default=200, help="of each pair")
    parser.add_argument("--steps", type=float, nargs="+", default=[1e-3, 4e-3])
    chosen = parser.parse_args()
    logging.getLogger("tribo").setLevel(logging.ERROR)
    for time_step in chosen.steps:
        total = deep = 0
        worst = 0.0
        for number, kinds in enumerate(itertools.combinations_with_replacement(SHAPES, 2)):
            rng = np.random.default_rng([number, round(1e6 * time_step)])
            found = list(approaches(kinds, time_step, chosen.approaches, rng))
            depths = np.array([depth for depth, _ in found])
            total, deep = total + len(found), deep + int((depths > 2e-3).sum())
            worst = max(worst, depths.max())
            if (depths > 2e-3).any():
                print(f"{1e3 * time_step:g} ms, {' and '.join(kinds)}: {(depths > 2e-3).sum()} of "
                      f"{len(depths)} deeper than 2 mm, {1e3 * depths.max():.1f} mm at the most")  # fmt: skip
        print(f"{1e3 * time_step:g} ms: {deep} of {total} deeper than 2 mm, {1e3 * worst:.2f} mm at the most",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
