"""A robot as a file has to say it: with the constraints that its world holds between its bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tribo.description.constraints import ConstraintDescription
from tribo.description.trees import TreeDescription, Vector
from tribo.formats.loops import poses_at
from tribo.formats.urdf_constraints import elements, opening
from tribo.model import Joint
from tribo.objects.base import Object
from tribo.objects.constraint import Constraint

SHUT = 1e-6  # [m] a loop that is open farther does not hold in a configuration
EXACT = 1e-12  # [m]


def with_loops(robot: Object) -> tuple[TreeDescription, list[str]]:
    """Return the description of a robot with its constraints as they are now, and what is left out.

    Loops hold in the configuration of the robot's file if all do, else in the present one.
    """
    tree, notes = robot.description, []
    made: list[ConstraintDescription] = []
    for tie in robot._world.constraints:
        if robot not in tie.objects:
            continue
        item = _own(tie, robot)
        if item is None or not elements(item):
            notes.append(
                f"constraint {tie.name!r} is not written: only what pins, welds or hinges two bodies of "
                "the robot has an element"
            )
            continue
        if not tie.is_on or tie.is_broken:
            notes.append(f"constraint {tie.name!r} is not written: it is off or broken")
            continue
        if tie.is_changed:
            notes.append(f"erp and break_force of constraint {tie.name!r} are not written")
        made.append(item)
    closed = _configuration(robot, made)
    poses = poses_at(tree, closed)
    open_by = {item.name: opening(item, poses) for item in made}
    for name, gap in open_by.items():
        if gap > SHUT:
            notes.append(
                f"constraint {name!r} is not written: it is open by {gap:.3g} m in the present state"
            )
    made = [item for item in made if open_by[item.name] <= SHUT]
    apart = tree.ignored | _apart(robot)
    return replace(tree, constraints=made, closed=closed if made else None, ignored=apart), notes


def _apart(robot: Object) -> set[tuple[int, int]]:
    """Return pairs of bodies that pass through each other because a constraint says so."""
    ends = [tie.ends for tie in robot._world.constraints if not tie.collide]
    pairs = [(a.body, b.body) for a, b in ends if a.part is robot and b.part is robot]
    return {(min(pair), max(pair)) for pair in pairs}


def _configuration(robot: Object, made: list[ConstraintDescription]) -> Vector:
    """Return coordinates in which constraints hold; the base where the robot starts."""
    tree = robot.description
    q = np.array(robot.generalized_coordinate)
    if tree.closed is not None:
        poses = poses_at(tree, tree.closed)
        if all(opening(item, poses) <= EXACT for item in made):
            return tree.closed
    if tree.bodies[0].joint.type == Joint.FREE:
        start = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0) if tree.start is None else tree.start
        q[:7] = start[:7]
    return tuple(q.tolist())


def _own(tie: Constraint, robot: Object) -> ConstraintDescription | None:
    """Return a constraint between two bodies of a robot, whose fixed base counts as the world; else None."""
    item = tie.describe()
    short = item.name.removeprefix(f"{robot.name}/")
    if all(short != other.name for other in robot._world.constraints):
        item.name = short  # as the robot's file has it
    for side, part in enumerate(tie.objects):
        if part is robot:
            continue
        if part is not None or robot.description.bodies[0].joint.type != Joint.FIXED:
            return None
        turn = np.array(robot.rotation_matrix)
        item.points[side] = turn.T @ (item.points[side] - robot.position)
        item.axes[side] = turn.T @ item.axes[side]
        item.bodies = (0, item.bodies[1]) if side == 0 else (item.bodies[0], 0)
    return None if item.bodies[0] == item.bodies[1] else item
