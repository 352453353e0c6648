"""Remarks on the base of a robot: an arm whose file lets it float falls over."""

from __future__ import annotations

from tribo.description.trees import TreeDescription
from tribo.model import Joint

FEWEST = 4  # turning joints one behind the other that make an arm
LIGHT = 0.5  # [–] share of the mass in the root above which it is a body with something on it


def floating_remarks(robot: TreeDescription) -> list[str]:
    """Return what is likely not meant about a floating base: an arm that stands on nothing, no shapes.

    An arm is a robot of which one link alone moves against the root, which is light, and that turns about
    four joints or more in series; legs and wheels make several links move against the root.
    """
    root = robot.bodies[0]
    if root.joint.type != Joint.FREE:
        return []
    found = []
    if not any(body.shapes for body in robot.bodies):
        found.append(
            "its base floats and it has no collision shapes: it falls through every ground"
        )
    mass = sum(body.mass for body in robot.bodies)
    if (
        len(_moving_children(robot, 0)) == 1
        and _series(robot) >= FEWEST
        and root.mass < LIGHT * mass
    ):
        found.append(
            "it looks like an arm and its base floats: nothing holds it, it will fall over. Fix the base: "
            "tribo view --fixed-base FILE, in Python add_articulated_system(file, fixed_base=True), or call "
            "the root link of the URDF 'world'"
        )
    return found


def _moving_children(robot: TreeDescription, body: int) -> list[int]:
    """Return the bodies that move against a body or what is fixed to it."""
    found = []
    for k, other in enumerate(robot.bodies):
        if k and other.parent == body:
            found += _moving_children(robot, k) if other.joint.type == Joint.FIXED else [k]
    return found


def _series(robot: TreeDescription) -> int:
    """Return how many turning joints follow the root before the tree branches or ends."""
    body, count = 0, 0
    while len(children := _moving_children(robot, body)) == 1:
        body = children[0]
        count += robot.bodies[body].joint.type == Joint.REVOLUTE
    return count
