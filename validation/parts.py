"""Pieces of trees that several cases build."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.description.trees import BodyDescription, JointDescription
from tribo.model import Joint


def fixed_base() -> BodyDescription:
    """Return a root that is part of the world."""
    return BodyDescription("base", -1, JointDescription("root", Joint.FIXED), 1.0, inertia=np.eye(3))


def link(
    name: str, parent: int, joint: Joint, mass: float, *, com: Any = (0.0, 0.0, 0.0),
    inertia: Any = (0.1, 0.1, 0.1), **options: Any,
) -> BodyDescription:  # fmt: skip
    """Return a body on a joint; options are those of the joint."""
    made = JointDescription(f"{name}_joint", joint, **options)
    return BodyDescription(name, parent, made, mass, tuple(com), np.diag(inertia))


def rods(count: int, length: float, mass: float, density: float = 1.0) -> str:
    """Return a URDF of a chain of uniform thin rods on hinges about y that hangs down."""
    parts = ['<robot name="chain"><link name="world"/>']
    for k in range(count):
        inertia = mass * length * length / 12
        parent = "world" if k == 0 else f"rod{k - 1}"
        at = 0.0 if k == 0 else -length
        parts.append(
            f'<link name="rod{k}"><inertial><origin xyz="0 0 {-length / 2!r}"/><mass value="{mass!r}"/>'
            f'<inertia ixx="{inertia!r}" iyy="{inertia!r}" izz="{1e-9 * density!r}" ixy="0" ixz="0" iyz="0"/>'
            f'</inertial></link><joint name="hinge{k}" type="continuous"><parent link="{parent}"/>'
            f'<child link="rod{k}"/><origin xyz="0 0 {at!r}"/><axis xyz="0 1 0"/></joint>'
        )
    return "".join([*parts, "</robot>"])
