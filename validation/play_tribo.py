"""Scenes in tribo."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from stage import CELLS, SQUARE, TRIANGLES, Body, Pair, Scene, Tie, Track, inertia_of, matrices, quaternion
from suite import TRIBO, Player

import tribo

SHAPES = {"sphere": "add_sphere", "box": "add_box", "capsule": "add_capsule",
          "cylinder": "add_cylinder", "ellipsoid": "add_ellipsoid", "cone": "add_cone",
          "hull": "add_convex"}  # fmt: skip

JOINTS = {"pin": "spherical", "hinge": "revolute", "weld": "fixed"}


def properties(pair: Pair) -> tribo.PairProperties:
    """Return the pair as tribo names it."""
    if pair.stiffness is not None:
        return tribo.PairProperties(friction=pair.friction, stiffness=pair.stiffness, damping=pair.damping)
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
    if scene.floor == "mesh":
        world.add_surface(SQUARE, TRIANGLES)
    elif scene.floor:
        world.add_height_map(np.zeros((CELLS + 1,) * 2), (0.1 * CELLS,) * 2)
    if scene.ties_are_joints:
        return world, _tree(world, scene), []
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
    if body.shape == "hull":
        size = (body.points,)  # type: ignore[assignment]
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


def _tree(world: tribo.World, scene: Scene) -> list[tribo.Frame]:
    """Add all bodies of a scene with one tie as a robot; return the frames of their centres of mass."""
    (tie,) = scene.ties
    root = tribo.LinkDescription("root")
    place, axes = np.zeros(3), np.eye(3)
    if tie.second:
        first = scene.bodies[scene.index(tie.first)]
        root.mass, root.inertia = first.mass, inertia_of(first)
        root.add_child(first.name, "fixed")
        place, axes = np.array(first.position), matrices(np.array(first.orientation))
    else:
        root.fix_to_world()
    body = scene.bodies[scene.index(tie.second or tie.first)]
    at = np.array(body.position if tie.kind == "weld" else tie.position)
    own = matrices(np.array(body.orientation))
    link = root.add_child(
        "link", JOINTS[tie.kind], position=tuple(axes.T @ (at - place)), axis=tuple(own.T @ tie.axis),
        quaternion=quaternion(axes.T @ own),
    )  # fmt: skip
    link.mass, link.inertia = body.mass, inertia_of(body)
    link.com = tuple(own.T @ (body.position - at))
    link.add_child(body.name, "fixed", position=link.com)
    robot = world.add_articulated_system(root, collision_mask=0)
    if tie.second:
        robot.generalized_coordinate = [*place, *first.orientation, *robot.generalized_coordinate[7:]]
    frames = [robot.frame(b.name) for b in scene.bodies]
    rows = np.vstack([part for f in frames for part in (f.jacobian(), f.rotational_jacobian())])
    wanted = np.concatenate([[*b.velocity, *b.spin] for b in scene.bodies])
    robot.generalized_velocity = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    return frames


def play(scene: Scene) -> Track:
    """Step the scene and write it down."""
    return follow(scene, *build(scene))


def follow(scene: Scene, world: tribo.World, bodies: list[Any], robots: list[Any]) -> Track:
    """Step a world that was built of a scene, and perhaps has more in it, and write it down."""
    rows = [_row(scene, world, bodies, robots)]
    steps = 0
    pushed = [(world[f.body], f, np.array(f.force, float)) for f in scene.forces]
    while steps < scene.steps:
        if scene.forces:
            for _ in range(scene.every):
                for body, f, force in pushed:
                    now = force + world.time * np.array(f.rate) if any(f.rate) else force
                    body.apply_force(now, body.position + f.offset)
                    if any(f.torque):
                        body.apply_torque(f.torque)
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
        _lawless(world, scene.pair.friction) if scene.wants_lawless else [],
    )


def _support(world: tribo.World) -> np.ndarray:
    """Return the force of everything static on everything that moves (3,)."""
    total = np.zeros(3)
    for contact in world.contacts:
        static = [o.body_type != tribo.DYNAMIC for o in (contact.object_a, contact.object_b)]
        if static[0] != static[1]:
            total += -contact.force if static[0] else contact.force
    return total


def _lawless(world: tribo.World, mu: float) -> tuple[float, float]:
    """Return the largest pull [N], and the largest |f_t| − μ f_n over μ f_n (1 N at least)."""
    pull = beyond = 0.0
    for contact in world.contacts:
        x, y, z = contact.frame @ contact.force
        most = mu * z
        pull, beyond = max(pull, -z), max(beyond, (np.hypot(x, y) - most) / max(1.0, most))
    return float(pull), float(beyond)


def player() -> Player:
    """Return tribo as a player."""
    return Player(TRIBO, play)
