"""What a URDF file says, and what in it looks wrong: the text of `tribo check`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tribo.builder import DOFS
from tribo.description import (
    BodyDescription,
    JointDescription,
    ShapeDescription,
    TreeDescription,
)
from tribo.formats import urdf
from tribo.model import Joint, Shape

SMALLEST, LARGEST = 1e-3, 3.0  # [m] radii of gyration of what robots are made of
LIGHTEST = 1e-4  # [kg]
MISMATCH = 1e5  # [–] ratio of masses in one robot


@dataclass(slots=True)
class RobotReport:
    """A robot in numbers and words."""

    name: str
    mass: float  # [kg]
    bodies: int
    dof: int
    is_floating: bool
    joints: list[tuple[str, str, str, str, str]] = field(default_factory=list)  # as text
    collision: list[tuple[str, str, str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def examine(
    path: Path | str, *, package_dirs: tuple[Path, ...] = (), strict: bool = False
) -> RobotReport:
    """Read a robot and say what is in it.

    Raises:
        DescriptionError: It cannot be simulated; the message says where, what and the remedy.
    """
    robot = urdf.read(path, package_dirs=package_dirs, strict=strict)
    root = robot.bodies[0]
    report = RobotReport(
        Path(path).name,
        sum(body.mass for body in robot.bodies),
        len(robot.bodies),
        sum(DOFS[body.joint.type] for body in robot.bodies),
        root.joint.type == Joint.FREE,
    )
    for body in robot.bodies:
        joint = body.joint
        if joint.type not in {Joint.FIXED, Joint.FREE}:
            report.joints.append(_joint(joint))
        for shape in body.shapes:
            report.collision.append(
                (shape.name, shape.kind.name.lower(), _size(shape), shape.material)
            )
        report.warnings += _inertia_warnings(body)
    report.warnings += _mass_warnings(robot) + _mesh_warnings(robot)
    report.notes = list(robot.notes)
    return report


def _joint(joint: JointDescription) -> tuple[str, str, str, str, str]:
    unit = 180.0 / math.pi if joint.type == Joint.REVOLUTE else 1.0
    sign = "°" if joint.type == Joint.REVOLUTE else " m"
    limits = "none"
    if math.isfinite(joint.lower) or math.isfinite(joint.upper):
        limits = f"{joint.lower * unit:.4g}{sign} … {joint.upper * unit:.4g}{sign}"
    effort = f"{joint.effort:g}" if math.isfinite(joint.effort) else "no limit"
    return joint.name, joint.type.name.lower(), limits, effort, f"{joint.damping:g}"


def _inertia_warnings(body: BodyDescription) -> list[str]:
    """Find inertias that no robot's part has."""
    if body.mass <= 0.0:
        return []
    low, middle, high = np.linalg.eigvalsh(np.asarray(body.inertia))
    found = []
    if low + middle < high * (1.0 - 1e-6):
        found.append(
            f"{body.name}: principal moments {low:.3g}, {middle:.3g}, {high:.3g} kg m² violate the "
            "triangle inequality; no rigid body has them"
        )
    small, large = math.sqrt(max(low, 0.0) / body.mass), math.sqrt(high / body.mass)
    if small < SMALLEST:
        found.append(
            f"{body.name}: inertia {low:.3g} kg m² is very small for {body.mass:.3g} kg "
            f"(radius of gyration {1e3 * small:.2g} mm); units?"
        )
    if large > LARGEST:
        found.append(
            f"{body.name}: inertia {high:.3g} kg m² is very large for {body.mass:.3g} kg "
            f"(radius of gyration {large:.2g} m); units?"
        )
    return found


def _mass_warnings(robot: TreeDescription) -> list[str]:
    masses = {body.name: body.mass for body in robot.bodies if body.mass > 0.0}
    found = [
        f"{n}: mass {m:.3g} kg is very small; units?" for n, m in masses.items() if m < LIGHTEST
    ]
    if masses and max(masses.values()) > MISMATCH * min(masses.values()):
        light, heavy = min(masses, key=masses.__getitem__), max(masses, key=masses.__getitem__)
        found.append(
            f"masses differ by a factor of {masses[heavy] / masses[light]:.1g}: "
            f"{heavy} {masses[heavy]:.3g} kg, {light} {masses[light]:.3g} kg"
        )
    return found


def _size(shape: ShapeDescription) -> str:
    """Return the dimensions as a person would give them."""
    if shape.kind == Shape.BOX:
        return " × ".join(f"{2.0 * x:g}" for x in shape.size)
    if shape.kind == Shape.SPHERE:
        return f"radius {shape.size[0]:g}"
    if shape.kind in {Shape.CAPSULE, Shape.CYLINDER}:
        return f"radius {shape.size[0]:g}, height {2.0 * shape.size[1]:g}"
    return shape.mesh.reference if shape.mesh is not None else "–"


def _mesh_warnings(robot: TreeDescription) -> list[str]:
    meshes = [shape.mesh for body in robot.bodies for shape in body.shapes]
    meshes += [visual.mesh for body in robot.bodies for visual in body.visuals]
    missing = {mesh.reference for mesh in meshes if mesh is not None and mesh.path is None}
    if not missing:
        return []
    some = ", ".join(sorted(missing)[:3]) + (" …" if len(missing) > 3 else "")
    return [f"{len(missing)} meshes were not found: {some}; give their folder with --package-dir"]
