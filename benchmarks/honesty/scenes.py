"""Random scenes in which engines go wrong: piles, ties, wires, robots, terrain, compliant pairs."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np

import tribo
from tribo.tools.demo import ASSETS

KINDS = ("pile", "ties", "robots", "wires", "terrain", "compliant")
NO_GRAVITY = (0.0, 0.0, 0.0)


def make(number: int) -> tuple[str, tribo.World]:
    """Return the kind of a scene, and its world."""
    rng = random.Random(number)
    kind = KINDS[number % len(KINDS)]
    floats = kind in {"ties", "wires"} and rng.random() < 0.5
    world = tribo.World(
        time_step=rng.choice((5e-4, 1e-3, 2e-3, 4e-3)), gravity=NO_GRAVITY if floats else (0, 0, -9.81)
    )
    _MAKERS[kind](rng, world)
    return kind, world


def drive(number: int, step: int, world: tribo.World) -> None:
    """Let the robots of a scene want something else now and then."""
    rng = random.Random(1_000_003 * number + step)
    for thing in world.objects:
        if isinstance(thing, tribo.ArticulatedSystem) and step % 40 == 0:
            base = 7 if thing.is_floating else 0
            thing.pd_target[base:] = [rng.uniform(-2.0, 2.0) for _ in thing.pd_target[base:]]


def _turn(rng: random.Random) -> np.ndarray:
    turn = np.array([rng.gauss(0.0, 1.0) for _ in range(4)])
    return np.asarray(turn / np.linalg.norm(turn))


def _body(rng: random.Random, world: tribo.World, place: Any, speed: float = 1.0) -> Any:
    size = [rng.uniform(0.05, 0.15) for _ in range(3)]
    mass = 10.0 ** rng.uniform(-1.5, 1.0)
    options = {"position": place, "orientation": _turn(rng), "material": rng.choice("abc")}
    body = rng.choice(
        (
            lambda: world.add_sphere(size[0], mass, **options),
            lambda: world.add_box(np.multiply(size, 2), mass, **options),
            lambda: world.add_capsule(size[0], size[1], mass, **options),
            lambda: world.add_cylinder(size[0], size[1] * 2, mass, **options),
            lambda: world.add_cone(size[0], size[1] * 2, mass, **options),
            lambda: world.add_ellipsoid(size, mass, **options),
            lambda: world.add_convex(_corners(rng), mass, **options),
        )
    )()
    body.linear_velocity = [rng.gauss(0.0, speed) for _ in range(3)]
    body.angular_velocity = [rng.gauss(0.0, 3.0 * speed) for _ in range(3)]
    return body


def _corners(rng: random.Random) -> np.ndarray:
    return np.array([[rng.uniform(-0.12, 0.12) for _ in range(3)] for _ in range(12)])


def _laws(rng: random.Random, world: tribo.World) -> None:
    for first in "abc":
        for second in "abc":
            world.set_material_pair(
                first, second, friction=rng.choice((0.0, 0.3, 0.8, 1.5)),
                restitution=rng.choice((0.0, 0.0, 0.3, 0.8)),
            )  # fmt: skip


def _heap(rng: random.Random, world: tribo.World, count: int, height: float = 0.3) -> list[Any]:
    return [
        _body(rng, world, (rng.uniform(-0.15, 0.15), rng.uniform(-0.15, 0.15), height + 0.35 * k))
        for k in range(count)
    ]


def _pile(rng: random.Random, world: tribo.World) -> None:
    world.add_ground(material="a")
    _laws(rng, world)
    _heap(rng, world, rng.randrange(2, 12))


def _ties(rng: random.Random, world: tribo.World) -> None:
    """A chain or a loop of tied bodies, spun."""
    if rng.random() < 0.5 and np.any(world.gravity):
        world.add_ground(material="a")
    _laws(rng, world)
    bodies = [
        _body(rng, world, (0.3 * k, 0.0, 2.0), rng.choice((0.3, 1.0, 5.0)))
        for k in range(rng.randrange(2, 7))
    ]
    pairs = list(pairwise(bodies))
    if len(bodies) > 2 and rng.random() < 0.3:
        pairs.append((bodies[-1], bodies[0]))
    for one, other in pairs:
        tie = rng.choice((world.add_pin, world.add_weld, world.add_hinge))(one, other)
        tie.collide = rng.random() < 0.3


def _robots(rng: random.Random, world: tribo.World) -> None:
    """Robots of files, driven hard, into themselves, the ground and what lies there."""
    world.add_ground(material="a")
    _laws(rng, world)
    for k in range(rng.choice((1, 1, 2))):
        robot = world.add_articulated_system(
            ASSETS / "quadruped.urdf", position=(0.7 * k, 0.0, rng.uniform(0.4, 1.0)), name=f"robot{k}"
        )
        stiff = 10.0 ** rng.uniform(1.0, 3.0)
        joints = robot.dof - 6
        robot.set_pd_gains(np.r_[np.zeros(6), np.full(joints, stiff)],
                           np.r_[np.zeros(6), np.full(joints, stiff * rng.uniform(0.0, 0.1))])  # fmt: skip
    _heap(rng, world, rng.randrange(3), 1.4)


def _wires(rng: random.Random, world: tribo.World) -> None:
    """Bodies on wires and rods, from one another and from above."""
    _laws(rng, world)
    bodies = _heap(rng, world, rng.randrange(2, 6), 0.5)
    for one, other in pairwise(bodies):
        rng.choice((world.add_wire, world.add_rod))(one, other)
    if np.any(world.gravity):
        anchor = bodies[-1].position + np.array([0.0, 0.3, 0.5])
        world.add_wire(bodies[-1], None, second_point=anchor)


def _terrain(rng: random.Random, world: tribo.World) -> None:
    heights = np.array([[rng.uniform(0.0, 0.25) for _ in range(13)] for _ in range(13)])
    world.add_height_map(heights, size=(3.0, 3.0), material="a")
    _laws(rng, world)
    _heap(rng, world, rng.randrange(2, 8), 0.6)


def _compliant(rng: random.Random, world: tribo.World) -> None:
    world.add_ground(material="a")
    _laws(rng, world)
    for first, second in ("aa", "ab", "bc"):
        world.set_material_pair(first, second, tribo.ContactMaterial(
            youngs_modulus=10.0 ** rng.uniform(5.0, 9.0), friction=rng.choice((0.0, 0.4, 1.0)),
            restitution=rng.choice((0.0, 0.5)),
        ))  # fmt: skip
    _heap(rng, world, rng.randrange(2, 8))


_MAKERS = {
    "pile": _pile, "ties": _ties, "robots": _robots, "wires": _wires, "terrain": _terrain,
    "compliant": _compliant,
}  # fmt: skip
