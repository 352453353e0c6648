"""Family F: a crowd of all convex shapes dropped on rough ground."""

from __future__ import annotations

from typing import Any

import numpy as np
from suite import Check, Player, case

import tribo

COUNT = 1000
SIZE = 12.0  # [m] of the ground
UNTIL = 12.0  # [s]
STEP = 0.0025  # [s]


def ground(world: tribo.World) -> Any:
    """Add a fractal height map with a rim that rises four to one."""
    field = tribo.HeightField.fractal(
        size=(SIZE, SIZE), samples=(121, 121), frequency=0.15, z_scale=1.5, octaves=4, seed=2
    )
    x = np.abs(np.linspace(-0.5 * SIZE, 0.5 * SIZE, 121))
    rim = 4.0 * np.clip(np.maximum(x[:, None], x) - 5.4, 0.0, None)
    return world.add_height_map(tribo.HeightField(field.heights + rim, (SIZE, SIZE)))


def crowd(world: tribo.World, terrain: Any, count: int = COUNT) -> list[Any]:
    """Add balls, boxes, capsules, cylinders, cones and hulls, their lowest points 1 m up or more."""
    rng = np.random.default_rng(4)
    side = int(np.ceil(count**0.5))
    bodies = []
    for k in range(count):
        x, y = ((np.array([k % side, k // side]) + 0.5) / side - 0.5) * 11.0
        turn = rng.normal(size=4)
        size = rng.uniform(0.04, 0.12, 3)
        reach = np.linalg.norm(size) if k % 6 in {1, 5} else size[0] + size[1]
        options = {
            "position": (x, y, terrain.height(x, y) + 1.0 + reach),
            "orientation": turn / np.linalg.norm(turn),
        }
        points = rng.normal(size=(14, 3))
        points *= size / np.linalg.norm(points, axis=1)[:, None]
        add = (
            lambda s=size, o=options: world.add_sphere(s[0], 1.0, **o),
            lambda s=size, o=options: world.add_box(2 * s, 1.0, **o),
            lambda s=size, o=options: world.add_capsule(s[0], 2 * s[1], 1.0, **o),
            lambda s=size, o=options: world.add_cylinder(s[0], 2 * s[1], 1.0, **o),
            lambda s=size, o=options: world.add_cone(s[0], 2 * s[1], 1.0, **o),
            lambda p=points, o=options: world.add_convex(p, 1.0, **o),
        )
        bodies.append(add[k % 6]())
    return bodies


def dropped() -> tuple[tribo.World, Any, list[Any]]:
    """Return world, ground and bodies before the fall."""
    world = tribo.World()
    world.time_step = STEP
    world.default_pair = tribo.PairProperties(friction=0.8, rolling_friction=0.05, spinning_friction=0.02)
    world.contact_solver, world.max_sweeps = "sweeps", 30
    world.sleeping = True
    terrain = ground(world)
    return world, terrain, crowd(world, terrain)


@case(
    "F26",
    "1000 balls, boxes, capsules, cylinders, cones and hulls dropped 1 m on a fractal height map, 12 s",
    "none lost, none below the ground at any tenth of a second, all at rest or asleep in the end",
    fast=False,
    note="steps of 2.5 ms, at most 30 sweeps, rolling and spinning friction, sleep; a body has tunnelled if "
    "its origin is below the ground",
)
def rain(player: Player) -> list[Check]:
    """Shares lost and below, speed and depth at the end."""
    world, terrain, bodies = dropped()
    lost = below = 0
    for _ in range(round(10 * UNTIL)):
        world.step(round(0.1 / STEP))
        places = np.array([body.position for body in bodies])
        out = ~(np.abs(places[:, :2]).max(axis=1) < 0.5 * SIZE)
        under = [z < terrain.height(x, y) for x, y, z in places[~out]]
        lost, below = max(lost, int(out.sum())), max(below, sum(under))
    speed = max(float(np.linalg.norm(body.linear_velocity)) for body in bodies)
    spin = max(float(np.linalg.norm(body.angular_velocity)) for body in bodies)
    depth = max(contact.depth for contact in world.contacts)
    return [
        Check("lost, share", lost / COUNT, 0.0),
        Check("below the ground, share", below / COUNT, 0.0),
        Check("speed at the end [m/s]", speed, 1e-3),
        Check("spin at the end [rad/s]", spin, 1e-2),
        Check("depth at the end [m]", depth, 1e-3),
    ]
