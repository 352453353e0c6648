"""Descriptions of single bodies, and the options that they share."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo import check, solids
from tribo.builder import ALL_GROUPS
from tribo.collision.pairs import SUPPORTED
from tribo.description import (
    IDENTITY,
    ORIGIN,
    BodyDescription,
    JointDescription,
    ShapeDescription,
    TreeDescription,
)
from tribo.model import Joint, Kind, Shape
from tribo.objects.base import as_kind

logger = logging.getLogger("tribo")


@dataclass(slots=True)
class Placed:
    """Checked options of a single body."""

    name: str
    pose: np.ndarray  # (7,)
    velocity: np.ndarray  # (6,)
    collision_group: int | None
    collision_mask: int


_OPTIONS = (
    "name", "position", "orientation", "linear_velocity", "angular_velocity",
    "inertia", "body_type", "collision_group", "collision_mask",
)  # fmt: skip


def placed(description: TreeDescription, options: dict[str, Any]) -> Placed:
    """Check the options of a single body; write body type and inertia into its description."""
    for key in options:
        if key not in _OPTIONS:
            raise TypeError(f"unknown option {key!r}{check.nearest(key, _OPTIONS)}")
    options = {key: value for key, value in options.items() if value is not None}
    body = description.bodies[0]
    if "body_type" in options:
        description.kind = as_kind(options["body_type"])
    if "inertia" in options:
        body.inertia = check.inertia(options["inertia"], "inertia")
    pose = np.concatenate(
        [
            check.vector(options.get("position", ORIGIN), "position", 3),
            check.quaternion(options.get("orientation", IDENTITY), "orientation"),
        ]
    )
    velocity = np.concatenate(
        [
            check.vector(options.get("linear_velocity", ORIGIN), "linear_velocity", 3),
            check.vector(options.get("angular_velocity", ORIGIN), "angular_velocity", 3),
        ]
    )
    if description.kind == Kind.STATIC and velocity.any():
        raise ValueError('a static body has no velocity; use body_type="kinematic"')
    return Placed(
        options.get("name", ""),
        pose,
        velocity,
        options.get("collision_group"),
        options.get("collision_mask", ALL_GROUPS),
    )


def _single(
    kind: Shape, size: tuple[float, ...], mass: float, inertia: np.ndarray, material: str
) -> TreeDescription:
    check.name(material, "material")
    shape = ShapeDescription(kind, size, material=material, name=f"{kind.name.lower()}/0")
    joint = JointDescription("root", Joint.FREE)
    body = BodyDescription(kind.name.lower(), -1, joint, mass, inertia=inertia, shapes=[shape])
    return TreeDescription([body])


def _positive(value: Any, what: str) -> float:
    return check.positive(value, what)


def sphere(radius: float, mass: float, material: str) -> TreeDescription:
    """Describe a solid ball."""
    r, m = _positive(radius, "radius"), _positive(mass, "mass")
    return _single(Shape.SPHERE, (r,), m, solids.sphere(m, r), material)


def box(size: Any, mass: float, material: str) -> TreeDescription:
    """Describe a solid box of full edge lengths."""
    x, y, z = (_positive(edge, "size") for edge in check.vector(size, "size", 3))
    m = _positive(mass, "mass")
    return _single(Shape.BOX, (x / 2, y / 2, z / 2), m, solids.box(m, (x, y, z)), material)


def capsule(radius: float, height: float, mass: float, material: str) -> TreeDescription:
    """Describe a solid capsule; height between the cap centres."""
    r, h, m = _positive(radius, "radius"), _positive(height, "height"), _positive(mass, "mass")
    return _single(Shape.CAPSULE, (r, h / 2), m, solids.capsule(m, r, h), material)


def cylinder(radius: float, height: float, mass: float, material: str) -> TreeDescription:
    """Describe a solid cylinder."""
    r, h, m = _positive(radius, "radius"), _positive(height, "height"), _positive(mass, "mass")
    return _single(Shape.CYLINDER, (r, h / 2), m, solids.cylinder(m, r, h), material)


def ground(height: float, material: str, normal: Any) -> tuple[TreeDescription, np.ndarray]:
    """Describe a half space and the pose (7,) that puts it there."""
    n = check.vector(normal, "normal", 3)
    length = float(np.linalg.norm(n))
    if length < check.SMALLEST:
        raise ValueError(f"normal must not be zero, got {n.tolist()}; up is (0, 0, 1)")
    n /= length
    description = _single(Shape.PLANE, (), 1.0, np.eye(3), material)
    description.kind = Kind.STATIC
    half = np.array([1.0 + n[2], -n[1], n[0], 0.0])  # turns z into n: 1 + n·z, z × n
    if n[2] < -1.0 + 1e-12:
        half = np.array([0.0, 1.0, 0.0, 0.0])
    quaternion = half / np.linalg.norm(half)
    return description, np.concatenate([check.number(height, "height") * n, quaternion])


def warn_about_pairs(description: TreeDescription) -> None:
    """Say once per robot which of its shapes cannot meet which others yet."""
    kinds = {shape.kind for body in description.bodies for shape in body.shapes}
    everything = (Shape.PLANE, Shape.SPHERE, Shape.BOX, Shape.CAPSULE, Shape.CYLINDER)
    lacking = [
        f"{kind.name.lower()} with " + ", ".join(o.name.lower() for o in others)
        for kind in sorted(kinds)
        if (others := [o for o in everything if (kind, o) not in SUPPORTED])
    ]
    if lacking:
        logger.warning(
            "%s: these pairs of shapes do not collide yet: %s",
            description.source or "robot",
            "; ".join(lacking),
        )
