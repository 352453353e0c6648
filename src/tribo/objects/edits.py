"""Changing numbers of an object's model at run time, and of the description that it is built from."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks.orientation import of_matrices as quaternions
from tribo.description.trees import ShapeDescription, TreeDescription, VisualDescription
from tribo.engine.layout import COORDINATES, DOFS, reference_of

# Numbers of the model that stand in the description as they are: field and attribute.
_OF_BODY = {"body_mass": "mass", "body_com": "com", "body_support": "gravity_compensation"}
_OF_JOINT = {
    "joint_pos": "position",
    "joint_axis": "axis",
    "joint_lower": "lower",
    "joint_upper": "upper",
    "dof_armature": "armature",
    "dof_damping": "damping",
    "dof_stiffness": "stiffness",
    "dof_friction": "friction",
    "dof_speed": "velocity",
    "dof_effort_lower": "effort_lower",
}


def describe(description: TreeDescription, field: str, row: int, value: np.ndarray) -> None:
    """Write a number of the model into the description, so that a rebuild keeps it.

    Args:
        description: Of the object.
        field: Name in `Model`.
        row: Body, or dof for fields of dofs, or coordinate for references; counted from the object's first.
        value: As in the model.
    """
    if field == "spring_reference":
        _describe_reference(description, row, float(value))
        return
    if field.startswith("dof_"):
        row = next(k for k, dofs in enumerate(description.joint_slices(DOFS)) if row < dofs.stop)
    body = description.bodies[row]
    numbers: Any = tuple(value.tolist()) if value.ndim else float(value)
    if field in _OF_BODY:
        setattr(body, _OF_BODY[field], numbers)
    elif field in _OF_JOINT:
        setattr(body.joint, _OF_JOINT[field], numbers)
    elif field == "body_inertia":
        body.inertia = value[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]
    elif field == "joint_rot":
        body.joint.quaternion = tuple(quaternions(value.reshape(1, 3, 3))[0].tolist())
    elif field == "dof_effort_upper":
        body.joint.effort_lower, body.joint.effort = body.joint.effort_range[0], numbers
    else:
        raise KeyError(field)


def _describe_reference(description: TreeDescription, coordinate: int, value: float) -> None:
    for body, where in zip(description.bodies, description.joint_slices(COORDINATES), strict=True):
        if where.start <= coordinate < where.stop:
            numbers = list(reference_of(body.joint, body.joint.type))
            numbers[coordinate - where.start] = value
            body.joint.spring_reference = tuple(numbers)


def move_origin(description: TreeDescription, com: np.ndarray) -> None:
    """Make a point of the frame in which the shapes were given the centre of mass and origin."""
    body, shift = description.bodies[0], com + description.origin
    items: list[ShapeDescription | VisualDescription] = [*body.shapes, *body.visuals]
    for item in items:
        item.position = tuple(np.subtract(item.position, shift).tolist())
    description.origin = tuple((-com).tolist())
