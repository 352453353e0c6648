"""Robots as URDF text that every engine reads alike: fixed joints merged, no meshes, no limits."""

from __future__ import annotations

import math

import numpy as np

from tribo.description.trees import BodyDescription, ShapeDescription, TreeDescription, Vector
from tribo.model import Joint, Shape


def flat(tree: TreeDescription, name: str) -> str:
    """Return the URDF of a description in which links behind fixed joints are merged already.

    Joints get neither limits nor damping, friction or rotor inertia, as SimBenchmark has it.
    """
    parts = [f'<robot name="{name}">']
    for body in tree.bodies:
        shapes = "\n".join(_shape(s) for s in body.shapes if s.kind != Shape.MESH)
        parts.append(f'<link name="{body.name}">{_inertial(body)}\n{shapes}</link>')
    for body in tree.bodies[1:]:
        joint = body.joint
        if joint.type != Joint.REVOLUTE:
            raise ValueError(f"joint {joint.name} of {name}: {joint.type!r}, only hinges are written")
        parts.append(
            f'<joint name="{joint.name}" type="continuous"><parent link="{tree.bodies[body.parent].name}"/>'
            f'<child link="{body.name}"/>{_origin(joint.position, joint.quaternion)}'
            f'<axis xyz="{_row(joint.axis)}"/></joint>'
        )
    return "\n".join([*parts, "</robot>"])  # PyBullet breaks lines of more than 1024 characters


def mass(tree: TreeDescription) -> float:
    """Return the total mass [kg]."""
    return float(sum(body.mass for body in tree.bodies))


def _row(values: Vector) -> str:
    return " ".join(repr(float(x)) for x in values)


def _origin(position: Vector, quaternion: Vector) -> str:
    return f'<origin xyz="{_row(position)}" rpy="{_row(_roll_pitch_yaw(quaternion))}"/>'


def _roll_pitch_yaw(quaternion: Vector) -> Vector:
    w, x, y, z = quaternion
    pitch = math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x))))
    if abs(pitch) > math.pi / 2 - 1e-6:  # only the sum of roll and yaw is defined there
        return 2.0 * math.atan2(x, w), pitch, 0.0
    return (math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)), pitch,
            math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))  # fmt: skip


def _inertial(body: BodyDescription) -> str:
    i = np.asarray(body.inertia)
    names = (("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2))
    entries = " ".join(f'{key}="{float(i[a, b])!r}"' for key, a, b in names)
    return (
        f'<inertial><origin xyz="{_row(body.com)}"/><mass value="{body.mass!r}"/>'
        f"<inertia {entries}/></inertial>"
    )


def _shape(shape: ShapeDescription) -> str:
    size = shape.size
    if shape.kind == Shape.BOX:
        inner = f'<box size="{_row(tuple(2.0 * x for x in size[:3]))}"/>'
    elif shape.kind in {Shape.CYLINDER, Shape.CAPSULE}:
        inner = f'<{shape.kind.name.lower()} radius="{size[0]!r}" length="{2.0 * size[1]!r}"/>'
    elif shape.kind == Shape.SPHERE:
        inner = f'<sphere radius="{size[0]!r}"/>'
    else:
        raise ValueError(f"shape {shape.name}: {shape.kind!r} cannot be written")
    at = _origin(shape.position, shape.quaternion)
    return f"<collision>{at}<geometry>{inner}</geometry></collision>"
