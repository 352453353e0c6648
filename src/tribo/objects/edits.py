"""Changing numbers of a robot's model at run time, and of the description that it is built from."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.builder import COORDINATES, DOFS, reference_of
from tribo.description import TreeDescription
from tribo.model import Model
from tribo.objects.frames import quaternions


def describe(description: TreeDescription, field: str, row: int, value: np.ndarray) -> None:
    """Write a number of the model into the description, so that a rebuild keeps it.

    Args:
        description: Of the robot.
        field: Name in `Model`.
        row: Body, or dof for fields of dofs, or coordinate for references; counted from the robot's first.
        value: As in the model.
    """
    if field == "spring_reference":
        _describe_reference(description, row, float(value))
        return
    body = description.bodies[_body_of_dof(description, row) if field.startswith("dof_") else row]
    numbers: Any = tuple(value.tolist()) if value.ndim else float(value)
    if field == "body_mass":
        body.mass = numbers
    elif field == "body_com":
        body.com = numbers
    elif field == "body_inertia":
        body.inertia = value[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]
    elif field == "joint_pos":
        body.joint.position = numbers
    elif field == "joint_rot":
        body.joint.quaternion = tuple(quaternions(value.reshape(1, 3, 3))[0].tolist())
    elif field == "joint_axis":
        body.joint.axis = numbers
    elif field == "dof_armature":
        body.joint.armature = numbers
    elif field == "dof_damping":
        body.joint.damping = numbers
    elif field == "dof_stiffness":
        body.joint.stiffness = numbers
    elif field == "dof_friction":
        body.joint.friction = numbers
    elif field == "dof_speed":
        body.joint.velocity = numbers
    elif field == "joint_lower":
        body.joint.lower = numbers
    elif field == "joint_upper":
        body.joint.upper = numbers
    elif field == "dof_effort_lower":
        body.joint.effort_lower = numbers
    elif field == "dof_effort_upper":
        body.joint.effort_lower, body.joint.effort = body.joint.effort_range[0], numbers
    elif field == "body_support":
        body.gravity_compensation = numbers
    else:
        raise KeyError(field)


def _describe_reference(description: TreeDescription, coordinate: int, value: float) -> None:
    for body in description.bodies:
        width = COORDINATES[body.joint.type]
        if coordinate < width:
            numbers = list(reference_of(body.joint, body.joint.type))
            numbers[coordinate] = value
            body.joint.spring_reference = tuple(numbers)
            return
        coordinate -= width
    raise IndexError("coordinate")


def _body_of_dof(description: TreeDescription, dof: int) -> int:
    for k, body in enumerate(description.bodies):
        dof -= DOFS[body.joint.type]
        if dof < 0:
            return k
    raise IndexError("dof")


def write(model: Model, field: str, row: int, value: np.ndarray) -> None:
    """Write a number into a model, one per world or one for all."""
    model.arrays[field][:, row] = value
