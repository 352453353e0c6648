"""Robots that no file describes, built in Python or from templates: they get a URDF of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from tribo.description.collision_rule import CollisionRule
from tribo.description.trees import BodyDescription, DescriptionError, TreeDescription
from tribo.formats import joint_order
from tribo.model import Joint
from tribo.objects import ArticulatedSystem, CollisionBody

WORLD = "world"  # the link that a URDF calls so is the world itself


def tree_of(robot: ArticulatedSystem) -> TreeDescription:
    """Return a robot that stands where it stands, in the order of a URDF, without what a world file holds.

    Motors and servos on joints are left out: the file holds their gains, targets and forces.

    Raises:
        DescriptionError: It cannot stand there; the message says why.
    """
    # The world file holds the order of joints, and groups and masks.
    tree = _without_rules(_placed(robot, f"object {robot.name!r}"))
    return joint_order.depth_first(replace(tree, actuators=[]))


def meshes_of(tree: TreeDescription) -> list[Path | None]:
    """Return the files of the meshes of a robot, None for those that were not found."""
    meshes = [shape.mesh for body in tree.bodies for shape in body.shapes]
    meshes += [visual.mesh for body in tree.bodies for visual in body.visuals]
    return [mesh.path for mesh in meshes if mesh is not None]


def rule_of(body: CollisionBody) -> CollisionRule:
    """Return all that a world file holds of a collision body itself."""
    return CollisionRule(
        body.material, body.collision_group, body.collision_mask,
        tuple(body.surface_velocity.tolist()), tuple(body.belt_velocity.tolist()),
    )  # fmt: skip


def rules_of(robot: ArticulatedSystem) -> dict[str, CollisionRule]:
    """Return the rules of the collision bodies that have some of their own."""
    shapes = [shape for body in robot.description.bodies for shape in body.shapes]
    return {
        body.name: rule_of(body)
        for body, shape in zip(robot.collision_bodies, shapes, strict=True)
        if shape.group is not None or shape.mask is not None or body.runs
    }


def _without_rules(tree: TreeDescription) -> TreeDescription:
    """Return a description whose shapes have no collision groups and masks of their own."""
    bodies = [
        replace(body, shapes=[replace(shape, group=None, mask=None) for shape in body.shapes])
        for body in tree.bodies
    ]
    return replace(tree, bodies=bodies)


def _placed(robot: ArticulatedSystem, place: str) -> TreeDescription:
    """Return the description with a fixed base where it is now."""
    tree = robot.description
    if robot.is_floating:
        return tree
    root: BodyDescription = tree.bodies[0]
    pose = tuple(robot.fixed_pose[:3].tolist()), tuple(robot.fixed_pose[3:].tolist())
    if root.name.casefold() == WORLD:
        if not np.array_equal(robot.fixed_pose, [0, 0, 0, 1, 0, 0, 0]):
            raise DescriptionError(
                f"{place}: its root is called {root.name!r} and cannot be moved in a URDF; rename it"
            )
        return tree
    joint = replace(root.joint, type=Joint.FIXED, position=pose[0], quaternion=pose[1])
    return replace(tree, bodies=[replace(root, joint=joint), *tree.bodies[1:]])
