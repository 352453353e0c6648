"""Changing numbers of a robot's model at run time, and of the description that it is built from."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.builder import DOFS
from tribo.description import TreeDescription
from tribo.model import Model
from tribo.objects.frames import quaternions


def describe(description: TreeDescription, field: str, row: int, value: np.ndarray) -> None:
    """Write a number of the model into the description, so that a rebuild keeps it.

    Args:
        description: Of the robot.
        field: Name in `Model`.
        row: Body, or dof for fields of dofs; counted from the robot's first.
        value: As in the model.
    """
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
    else:
        raise KeyError(field)


def _body_of_dof(description: TreeDescription, dof: int) -> int:
    for k, body in enumerate(description.bodies):
        dof -= DOFS[body.joint.type]
        if dof < 0:
            return k
    raise IndexError("dof")


def write(model: Model, field: str, row: int, value: np.ndarray) -> None:
    """Write a number into a model, one per world or one for all."""
    model.arrays[field][:, row] = value
