"""Scenes in tribo."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from stage import Body, Pair, Scene, Tie, Track, inertia_of
from suite import TRIBO, Player

import tribo

SHAPES = {"sphere": "add_sphere", "box": "add_box", "capsule": "add_capsule",
          "cylinder": "add_cylinder", "ellipsoid": "add_ellipsoid"}  # fmt: skip


def properties(pair: Pair) -> tribo.PairProperties:
    """Return the pair as tribo names it."""
    return tribo.PairProperties(
        friction=pair.friction,
        restitution=pair.restitution,
        restitution_threshold=pair.threshold,
        static_friction=pair.static_friction,
        static_friction_velocity=pair.static_speed,
        rolling_friction=pair.rolling,
        spinning_friction=pair.spinning,
    )


def build(scene: Scene) -> tuple[tribo.World, list[Any], list[Any]]:
    """Return world, bodies and robots."""
    logging.getLogger("tribo").setLevel(logging.ERROR)
    world = tribo.World(time_step=scene.dt, gravity=scene.gravity)
    world.integrator = scene.integrator
    world.impact = scene.impact
    world.default_pair = properties(scene.pair)
    for names, pair in scene.pairs.items():
        first, second = names.split("|")
        world.set_material_pair(first, second, properties(pair))
    for plane in scene.planes:
        world.add_ground(plane.height, plane.material, normal=plane.normal)
    bodies = [_add(world, body) for body in scene.bodies]
    for tie in scene.ties:
        _tie(world, tie)
    robots = []
    for robot in scene.robots:
        made = world.add_articulated_system(robot.urdf, name=robot.name)
        made.generalized_coordinate = robot.q
        made.generalized_velocity = robot.v
        if robot.force:
            made.generalized_force = robot.force
        robots.append(made)
    return world, bodies, robots


def _add(world: tribo.World, body: Body) -> Any:
    size = (body.size,) if body.shape in {"box", "ellipsoid"} else body.size
    options: dict[str, Any] = {
        "name": body.name, "position": body.position, "orientation": body.orientation,
        "body_type": body.kind, "inertia": None if body.inertia is None else inertia_of(body),
    }  # fmt: skip
    if body.kind != "static":
        options |= {"linear_velocity": body.velocity, "angular_velocity": body.spin}
    return getattr(world, SHAPES[body.shape])(*size, body.mass, body.material, **options)


def _tie(world: tribo.World, tie: Tie) -> None:
    ends = world[tie.first], world[tie.second] if tie.second else None
    if tie.kind == "weld":
        world.add_weld(*ends)
    elif tie.kind == "hinge":
        world.add_hinge(*ends, position=tie.position, axis=tie.axis)
    else:
        world.add_pin(*ends, position=tie.position)


def play(scene: Scene) -> Track:
    """Step the scene and write it down."""
    return follow(scene, *build(scene))


def follow(scene: Scene, world: tribo.World, bodies: list[Any], robots: list[Any]) -> Track:
    """Step a world that was built of a scene, and perhaps has more in it, and write it down."""
    rows = [_row(scene, world, bodies, robots)]
    steps = 0
    while steps < scene.steps:
        if scene.forces:
            for _ in range(scene.every):
                for f in scene.forces:
                    body = world[f.body]
                    force = np.array(f.force) + world.time * np.array(f.rate)
                    body.apply_force(force, body.position + np.array(f.offset))
                world.step()
        else:
            world.step(scene.every)
        steps += scene.every
        rows.append(_row(scene, world, bodies, robots))
    return Track.of(rows)


def _row(scene: Scene, world: tribo.World, bodies: list[Any], robots: list[Any]) -> tuple[Any, ...]:
    return (
        world.time,
        [b.position for b in bodies],
        [b.orientation for b in bodies],
        [b.linear_velocity for b in bodies],
        [b.angular_velocity for b in bodies],
        np.concatenate([np.zeros(0), *(r.generalized_coordinate for r in robots)]),
        np.concatenate([np.zeros(0), *(r.generalized_velocity for r in robots)]),
        _support(world) if scene.wants_support else [],
    )


def _support(world: tribo.World) -> np.ndarray:
    """Return the force of everything static on everything that moves (3,)."""
    total = np.zeros(3)
    for contact in world.contacts:
        static = [o.body_type != tribo.DYNAMIC for o in (contact.object_a, contact.object_b)]
        if static[0] != static[1]:
            total += -contact.force if static[0] else contact.force
    return total


def player() -> Player:
    """Return tribo as a player."""
    return Player(TRIBO, play)
