"""Worlds and robots that several tests look at."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import tribo
from tribo.description.trees import BodyDescription, JointDescription, ShapeDescription, TreeDescription
from tribo.formats import urdf
from tribo.model import Joint, Shape

GRAVITY = 9.81
QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
FEET = ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")
STANCE = np.array([0.0, 0.5, -1.0, 0.0, 0.5, -1.0, 0.0, -0.5, 1.0, 0.0, -0.5, 1.0])
# Feet under the hips: twice the leg's half at 0.5 rad, and the radius of a foot.
STANCE_HEIGHT = 2 * 0.24 * math.cos(0.5) + 0.025


def empty_world(dt: float = 1e-3, gravity: Any = (0.0, 0.0, -GRAVITY), **pair: Any) -> tribo.World:
    """Return a world whose default pair has the given properties (friction 0 unless given)."""
    world = tribo.World(time_step=dt, gravity=gravity)
    world.default_pair = tribo.PairProperties(**{"friction": 0.0, **pair})
    return world


def ground_world(dt: float = 1e-3, gravity: Any = (0.0, 0.0, -GRAVITY), **pair: Any) -> tribo.World:
    """Return such a world with a ground at height 0."""
    world = empty_world(dt, gravity, **pair)
    world.add_ground()
    return world


def inclined_gravity(angle: float) -> tuple[float, float, float]:
    """Return the gravity that a level ground must have to act like a slope that falls along +x."""
    return (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))


def three_spheres(dt: float = 1e-3) -> tuple[tribo.World, dict[str, tribo.SingleBody]]:
    """Return the founding scene: steel, rubber and copper balls dropped on steel."""
    world = tribo.World(time_step=dt)
    world.add_ground(material="steel")
    balls = {}
    for x, (name, restitution) in zip(
        (-2.0, 0.0, 2.0), (("steel", 0.95), ("rubber", 0.15), ("copper", 0.65)), strict=True
    ):
        world.set_material_pair(
            "steel", name, friction=0.8, restitution=restitution, restitution_threshold=0.001
        )
        balls[name] = world.add_sphere(0.5, 1.0, name, name=name, position=(x, 0.0, 5.0))
    return world, balls


def quadruped_description(*, damping: bool = True, limits: bool = True) -> TreeDescription:
    """Return the package's own robot, on demand without joint damping or joint limits."""
    description = urdf.read(QUADRUPED)
    for body in description.bodies[1:]:
        if not damping:
            body.joint.damping = 0.0
        if not limits:
            body.joint.lower, body.joint.upper = -math.inf, math.inf
    return description


def standing_quadruped(
    world: tribo.World, kp: float = 100.0, kd: float = 2.0, **options: Any
) -> tribo.ArticulatedSystem:
    """Add the package's own robot in its stance, feet just on the ground, drives on."""
    robot = world.add_articulated_system(QUADRUPED, **options)
    q = np.concatenate([[0.0, 0.0, STANCE_HEIGHT, 1.0, 0.0, 0.0, 0.0], STANCE])
    robot.generalized_coordinate = q
    robot.pd_target = q
    robot.set_pd_gains(kp, kd)
    return robot


def joint_body(
    name: str, parent: int, joint: Joint, mass: float = 1.0, *, com: Any = (0.0, 0.0, 0.0),
    inertia: Any = None, **options: Any,
) -> BodyDescription:  # fmt: skip
    """Return a body on a joint; options are those of the joint."""
    made = np.diag([0.1, 0.1, 0.1]) if inertia is None else np.asarray(inertia, float)
    return BodyDescription(
        name, parent, JointDescription(f"{name}_joint", joint, **options), mass, tuple(com), made
    )


def base() -> BodyDescription:
    """Return a root that is part of the world."""
    return BodyDescription("base", -1, JointDescription("root", Joint.FIXED), 1.0, inertia=np.eye(3))


def slider(mass: float = 1.0, axis: Any = (1.0, 0.0, 0.0), **options: Any) -> TreeDescription:
    """Return a mass on a straight rail."""
    return TreeDescription(
        [base(), joint_body("cart", 0, Joint.PRISMATIC, mass, axis=tuple(axis), **options)]
    )


def pendulum(length: float = 1.0, mass: float = 1.0, **options: Any) -> TreeDescription:
    """Return a point-like mass on a rod that turns about y; angle 0 hangs down."""
    bob = joint_body(
        "bob", 0, Joint.REVOLUTE, mass, com=(0.0, 0.0, -length), inertia=1e-6 * np.eye(3),
        axis=(0.0, 1.0, 0.0), **options,
    )  # fmt: skip
    return TreeDescription([base(), bob])


def two_links() -> tribo.LinkDescription:
    """Return an arm of two links that turn about different axes: `shoulder`, `elbow`."""
    root = tribo.LinkDescription("root")
    root.fix_to_world()
    upper = root.add_child("upper", "revolute", axis=(0, 1, 0), joint_name="shoulder")
    upper.add_shape("box", (0.1, 0.1, 0.4), mass=1.0, position=(0, 0, -0.2), collides=False)
    lower = upper.add_child("lower", "revolute", axis=(1, 0.2, 0), position=(0, 0, -0.4), joint_name="elbow")
    lower.add_shape("box", (0.05, 0.1, 0.3), mass=0.5, position=(0.02, 0, -0.15), collides=False)
    return root


def random_unit(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return a random unit vector of n numbers."""
    x = rng.normal(size=n)
    return np.asarray(x / np.linalg.norm(x))


def random_inertia(rng: np.random.Generator, mass: float) -> np.ndarray:
    """Return the inertia of a random cloud of point masses: physical by construction."""
    points = rng.normal(size=(5, 3)) * 0.2
    points -= points.mean(axis=0)
    weights = mass * np.full(5, 0.2)
    squares = np.einsum("k,ki,kj->ij", weights, points, points)
    return np.trace(squares) * np.eye(3) - squares + 1e-3 * mass * np.eye(3)


def random_tree(
    rng: np.random.Generator, bodies: int, *, floating: bool, shapes: bool = False
) -> TreeDescription:
    """Return a random tree of all kinds of joints with random frames, masses and branches."""
    root = Joint.FREE if floating else Joint.FIXED
    made = []
    for k in range(bodies):
        kind = root if k == 0 else Joint(rng.choice([1, 1, 2, 3]))
        mass = float(rng.uniform(0.2, 3.0))
        body = joint_body(
            f"b{k}", -1 if k == 0 else int(rng.integers(max(0, k - 3), k)), kind, mass,
            com=tuple(rng.normal(size=3) * 0.2), inertia=random_inertia(rng, mass),
            position=(0.0, 0.0, 0.0) if k == 0 else tuple(rng.normal(size=3) * 0.3),
            quaternion=(1.0, 0.0, 0.0, 0.0) if k == 0 else tuple(random_unit(rng, 4)),
            axis=tuple(random_unit(rng, 3)),
        )  # fmt: skip
        if k > 0:
            body.joint.armature = float(rng.choice([0.0, 0.05]))
        if shapes:
            body.shapes.append(ShapeDescription(Shape.SPHERE, (0.05,), name=f"b{k}/0"))
        made.append(body)
    return TreeDescription(made)


def random_state(rng: np.random.Generator, robot: tribo.ArticulatedSystem, speed: float = 1.0) -> None:
    """Give a robot random coordinates and velocities."""
    q = []
    for body in robot.description.bodies:
        if body.joint.type == Joint.FREE:
            q += [*rng.normal(size=3), *random_unit(rng, 4)]
        elif body.joint.type == Joint.SPHERICAL:
            q += [*random_unit(rng, 4)]
        elif body.joint.type != Joint.FIXED:
            q += [rng.uniform(-1.5, 1.5)]
    robot.generalized_coordinate = q
    robot.generalized_velocity = speed * rng.normal(size=robot.dof)


QUIET = 0.05  # [s] after which `sleepy_world` lets things sleep


def sleepy_world(**options: Any) -> tribo.World:
    """Return a world with a ground, in which things fall asleep soon."""
    world = ground_world(**{"friction": 0.6, **options})
    world.sleeping = True
    world.sleep_time = QUIET
    return world


def robot_in(world, rng, name, joints, position, speed=3.0, collides=False):
    """Add a floating robot with some ball joints in a random pose and motion; return its last link."""
    root = link = tribo.LinkDescription(name)
    root.add_shape("box", (0.1, 0.2, 0.3), mass=1.0, collides=collides)
    for k in range(joints):
        link = link.add_child(f"{name}{k}", "spherical", position=(0, 0, 0.25))
        axes = (0.05, 0.06, 0.15)
        link.add_shape("ellipsoid", axes, mass=0.2, position=(0, 0, 0.125), collides=collides)
    robot = world.add_articulated_system(root, name=name, position=position)
    for joint in robot.joints:
        turn = rng.normal(size=4)
        joint.coordinate = turn / np.linalg.norm(turn)
    robot.generalized_velocity = speed * rng.normal(size=robot.dof)
    return robot.link(robot.body_names[-1])


def step_with_wrench(world, robot, force, torque, tree):
    """Make a step with a wrench on a robot's base; return that body's centre of mass where it acts."""
    name = robot.body_names[0]
    robot.apply_force(name, force)
    robot.apply_torque(name, torque)
    world.update()  # where the step is evaluated, there the force acts
    model, work = world.engine.model, world.engine.work
    body = model.tree_body[tree]
    at = work.body_pos[body] + work.body_rot[body].reshape(3, 3) @ model.body_com[body]
    world.advance()
    return at


def couple(kind, speed, seed):
    """Return two floating robots of two and one ball joints, tied at their last links, without weight."""
    rng = np.random.default_rng(seed)
    world = tribo.World(gravity=(0, 0, 0), time_step=2e-3)
    last = [
        robot_in(world, rng, name, joints, (0.6 * k, 0, 0), speed)
        for k, (name, joints) in enumerate((("a", 2), ("b", 1)))
    ]
    if kind == "pin":
        world.add_pin(*last, position=last[0].position)
    else:
        getattr(world, f"add_{kind}")(*last)
    world.step(3)  # the blow that ties them
    return world
