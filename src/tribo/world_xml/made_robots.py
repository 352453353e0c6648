"""Robots that no file describes, built in Python or from templates: they get a URDF of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tribo.description.collision_rule import CollisionRule
from tribo.description.trees import BodyDescription, DescriptionError, TreeDescription
from tribo.formats import joint_order, urdf_write
from tribo.model import Joint
from tribo.objects import ArticulatedSystem, CollisionBody

WORLD = "world"  # the link that a URDF calls so is the world itself


def urdf_of(robot: ArticulatedSystem) -> str:
    """Return a robot as URDF text that stands where the robot stands.

    Raises:
        DescriptionError: Something of it has no place there; the message says what.
    """
    place = f"object {robot.name!r}"
    if any(
        s.mesh is not None or s.geometry is not None
        for b in robot.description.bodies
        for s in b.shapes
    ):
        raise DescriptionError(
            f"{place}: it has meshes and was not read from one URDF as it stands; write one by "
            "export_urdf, which refers to them, and add the robot from there"
        )
    # The world file holds the order of joints, and groups and masks.
    tree = joint_order.depth_first(_without_rules(_placed(robot, place)))
    text, notes = urdf_write.to_text(tree, name=robot.name)
    if notes:
        raise DescriptionError(f"{place}: {notes[0]}; use world.snapshot() to go on")
    return text


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
