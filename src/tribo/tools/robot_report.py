"""Report on a robot, scene or world file, with doubts: the text of `tribo check`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tribo import world_xml
from tribo.description.constraints import ConstraintDescription
from tribo.description.hulls import Hull
from tribo.description.trees import (
    ActuatorDescription,
    BodyDescription,
    JointDescription,
    ShapeDescription,
    TreeDescription,
    Vector,
)
from tribo.engine.layout import DOFS
from tribo.formats import choreonoid, mjcf, placeholders, sdf, urdf, usd
from tribo.formats.fixed_base import based
from tribo.formats.other_kinds import is_usd
from tribo.formats.xml import outermost
from tribo.materials import MaterialLibrary
from tribo.model import Joint, Kind, Shape
from tribo.tools import material_report
from tribo.tools.bases import floating_remarks
from tribo.world.warnings import misnamed
from tribo.world.world import World

SMALLEST = 1e-3  # [m] radius of gyration of what robots are made of
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
    constraints: list[tuple[str, str, str, str]] = field(default_factory=list)
    laid: list[tuple[str, str, str]] = field(
        default_factory=list
    )  # wires, tracks and belts of its scene
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class SceneReport:
    """A scene in numbers and words; all rows as text."""

    name: str
    time_step: float  # [s]
    gravity: Vector  # [m/s²]
    standing: int = 0
    moving: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    joints: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    collision: list[tuple[str, str, str, str]] = field(default_factory=list)
    actuators: list[tuple[str, str, str, str, str, str]] = field(default_factory=list)
    constraints: list[tuple[str, str, str, str]] = field(default_factory=list)
    keyframes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def examine(
    path: Path | str, *, package_dirs: tuple[Path, ...] = (), strict: bool = False,
    fixed_base: bool = False,
) -> RobotReport:  # fmt: skip
    """Read a robot, with its base fixed if asked for, and say what is in it.

    Raises:
        DescriptionError: It cannot be simulated; the message says where, what and the remedy.
    """
    robot = urdf.read(path, package_dirs=package_dirs, strict=strict)
    if fixed_base:
        robot = based(robot, is_fixed=True)
    return _of_tree(Path(path).name, robot)


def examine_body(
    path: Path | str, *, package_dirs: tuple[Path, ...] = (), strict: bool = False,
    materials: MaterialLibrary | None = None, time_step: float | None = None,
) -> list[RobotReport]:  # fmt: skip
    """Read a body file of Choreonoid and say what is in each of its things that no joint connects.

    With materials, the pairs that its shapes make are judged, too, for a time step [s] if there is one.

    Raises:
        DescriptionError: It cannot be simulated; the message says where, what and the remedy.
    """
    body = choreonoid.read(path, package_dirs=package_dirs, strict=strict, materials=materials)
    file = Path(path).name
    reports = [_of_tree(f"{file}, {tree.bodies[0].name}", tree) for tree in body.trees]
    if len(reports) == 1:
        reports[0].name = file
    last = reports[-1]
    last.constraints += [
        _constraint(tie, (body.trees[tie.objects[0]], body.trees[tie.objects[1]]))
        for tie in body.ties
    ]
    last.laid = _laid(body)
    if materials is not None:
        last.warnings += material_report.of_trees(body.trees, materials, time_step)
    return reports


def _laid(body: choreonoid.BodyFile) -> list[tuple[str, str, str]]:
    """Return what of a body file `World.load_body` lays round and between its things."""
    made = [
        (wire.name, "wire" if wire.winch is None else "wire, winch",
         f"radius {wire.radius:g} m, {len(wire.nodes)} nodes of {wire.material.name}")
        for wire in body.wires
    ]  # fmt: skip
    made += [
        (track.name, "track", f"{track.pads} pads, {len(track.wheels)} wheels")
        for track in body.tracks
    ]
    return made + [
        (belt.link, "belt", "about " + ", ".join(f"{x:.3g}" for x in belt.axis))
        for belt in body.belts
    ]


def _of_tree(name: str, robot: TreeDescription) -> RobotReport:
    """Return what is in a robot."""
    report = RobotReport(
        name,
        sum(body.mass for body in robot.bodies),
        len(robot.bodies),
        sum(DOFS[body.joint.type] for body in robot.bodies),
        robot.bodies[0].joint.type == Joint.FREE,
    )
    _add_tree(report, robot)
    report.constraints = [_constraint(tie, (robot, robot)) for tie in robot.constraints]
    report.warnings += _mesh_warnings(robot) + floating_remarks(robot)
    report.notes = list(robot.notes)
    return report


def examine_scene(
    path: Path | str, *, package_dirs: tuple[Path, ...] = (), strict: bool = False
) -> SceneReport:
    """Read an MJCF, SDF or USD file and say what is in it, and what of it is left out.

    Raises:
        DescriptionError: It cannot be simulated; the message says where, what and the remedy.
    """
    if is_usd(path):
        scene, _ = usd.read(path, package_dirs=package_dirs, strict=strict)
    elif outermost(path, "SDF") == "sdf":
        scene, _ = sdf.read(path, package_dirs=package_dirs, strict=strict)
    else:
        scene = mjcf.read(path, package_dirs=package_dirs, strict=strict)
    report = SceneReport(Path(path).name, scene.time_step, scene.gravity, notes=list(scene.notes))
    trees: list[TreeDescription | None] = []
    for item in scene.objects:
        trees.append(item.tree)
        if item.tree is None:
            report.standing += 1
            report.collision += [] if item.shape is None else [_shape(item.shape)]
            continue
        report.moving.append(_moving(item.name, item.tree))
        _add_tree(report, item.tree)
        report.actuators += [_actuator(one) for one in item.tree.actuators]
        report.constraints += [
            _constraint(tie, (item.tree, item.tree)) for tie in item.tree.constraints
        ]
        report.keyframes = report.keyframes or list(item.tree.keyframes)
    report.constraints += [
        _constraint(tie, (trees[tie.objects[0]], trees[tie.objects[1]]))
        for tie in scene.constraints
    ]
    world = World()
    world.take_scene(scene)  # what no world can hold is an error here, too
    report.warnings += misnamed(world.materials, world.objects)
    return report


def examine_world(
    path: Path | str, *, package_dirs: tuple[Path, ...] = (), strict: bool = False
) -> SceneReport:
    """Read a RaiSim world file and say what is in it, and what of it is left out.

    Raises:
        DescriptionError: It cannot be simulated; the message says where, what and the remedy.
    """
    world = World()
    found = world_xml.read_into(world, path, package_dirs=package_dirs, strict=strict)
    report = SceneReport(Path(path).name, found.time_step, found.gravity, notes=list(found.notes))
    _add_world(report, world)
    return report


def examine_project(
    path: Path | str, *, package_dirs: tuple[Path, ...] = (), strict: bool = False
) -> SceneReport:
    """Read a project of Choreonoid and say what is in it, and what of it is left out.

    Raises:
        DescriptionError: It cannot be simulated; the message says where, what and the remedy.
    """
    world = World()
    parts = world.load_project(path, package_dirs=package_dirs, strict=strict)
    gravity = tuple(world.gravity.tolist())
    report = SceneReport(Path(path).name, world.time_step, gravity, notes=list(parts.notes))
    _add_world(report, world)
    return report


def _add_world(report: SceneReport, world: World) -> None:
    """Add all objects and constraints of a world."""
    for part in world.objects:
        tree = part.description
        if part.body_type == Kind.STATIC:
            report.standing += 1
        else:
            report.moving.append(_moving(part.name, tree))
            _add_doubts(report, tree)
        for shape in (shape for body in tree.bodies for shape in body.shapes):
            report.collision.append((f"{part.name}: {shape.name}", *_shape(shape)[1:]))
        report.warnings += _mesh_warnings(tree)
        report.notes += [f"{part.name}: {note}" for note in tree.notes]
    report.warnings += misnamed(world.materials, world.objects)
    trees = {part.name: part.description for part in world.objects}
    for tie in world.constraints:
        item = tie.describe()
        first, second = (None if name is None else trees[name] for name in item.objects)
        report.constraints.append(_constraint(item, (first, second)))


def _add_tree(report: RobotReport | SceneReport, tree: TreeDescription) -> None:
    """Add joints, shapes and doubts of one object."""
    for body in tree.bodies:
        report.collision += [_shape(shape) for shape in body.shapes]
    _add_doubts(report, tree)


def _add_doubts(report: RobotReport | SceneReport, tree: TreeDescription) -> None:
    """Add joints and doubts of one object."""
    for body in tree.bodies:
        if body.joint.type not in {Joint.FIXED, Joint.FREE}:
            report.joints.append(_joint(body.joint))
        report.warnings += _inertia_warnings(body)
    report.warnings += _mass_warnings(tree) + placeholders.remarks(tree)


def _moving(name: str, tree: TreeDescription) -> tuple[str, str, str, str, str]:
    base = "floating" if tree.bodies[0].joint.type == Joint.FREE else "fixed"
    return (
        name,
        f"{sum(body.mass for body in tree.bodies):.6g}",
        str(len(tree.bodies)),
        str(sum(DOFS[body.joint.type] for body in tree.bodies)),
        "kinematic" if tree.kind == Kind.KINEMATIC else base,
    )


def _shape(shape: ShapeDescription) -> tuple[str, str, str, str]:
    return shape.name, shape.kind.name.lower(), _size(shape), shape.material


def _actuator(one: ActuatorDescription) -> tuple[str, str, str, str, str, str]:
    force = _span(*one.force_range)
    return one.name, one.joint, f"{one.gear:g}", f"{one.kp + 0.0:g}", f"{one.kd + 0.0:g}", force


def _constraint(
    tie: ConstraintDescription, trees: tuple[TreeDescription | None, TreeDescription | None]
) -> tuple[str, str, str, str]:
    ends = [
        "world" if body < 0 or tree is None else tree.bodies[body].name
        for body, tree in zip(tie.bodies, trees, strict=True)
    ]
    return tie.name or "–", tie.type, ends[0], ends[1]


def _joint(joint: JointDescription) -> tuple[str, str, str, str, str]:
    is_angle = joint.type in {Joint.REVOLUTE, Joint.SPHERICAL}
    unit, sign = (180.0 / math.pi, "°") if is_angle else (1.0, " m")
    limits = "none"
    if math.isfinite(joint.lower) or math.isfinite(joint.upper):
        limits = f"{joint.lower * unit:.4g}{sign} … {joint.upper * unit:.4g}{sign}"
    if joint.type == Joint.SPHERICAL and math.isfinite(joint.upper):
        limits = f"up to {joint.upper * unit:.4g}{sign}"
    effort = _span(*joint.effort_range)
    return joint.name, joint.type.name.lower(), limits, effort, f"{joint.damping:g}"


def _span(lower: float, upper: float) -> str:
    """Return a range of forces in words."""
    if lower == -math.inf and upper == math.inf:
        return "no limit"
    return f"{upper:g}" if lower == -upper else f"{lower:g} … {upper:g}"


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
    small = math.sqrt(max(low, 0.0) / body.mass)
    if small < SMALLEST:
        found.append(
            f"{body.name}: inertia {low:.3g} kg m² is very small for {body.mass:.3g} kg "
            f"(radius of gyration {1e3 * small:.2g} mm); units?"
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
    if shape.kind in {Shape.CAPSULE, Shape.CYLINDER, Shape.CONE}:
        return f"radius {shape.size[0]:g}, height {2.0 * shape.size[1]:g}"
    if shape.kind == Shape.ELLIPSOID:
        return "semi-axes " + " × ".join(f"{x:g}" for x in shape.size)
    if isinstance(shape.geometry, Hull):
        return f"{len(shape.geometry.vertices)} corners"
    return shape.mesh.reference if shape.mesh is not None else "–"


def _mesh_warnings(robot: TreeDescription) -> list[str]:
    meshes = [shape.mesh for body in robot.bodies for shape in body.shapes]
    meshes += [visual.mesh for body in robot.bodies for visual in body.visuals]
    missing = {mesh.reference for mesh in meshes if mesh is not None and mesh.path is None}
    if not missing:
        return []
    some = ", ".join(sorted(missing)[:3]) + (" …" if len(missing) > 3 else "")
    return [f"{len(missing)} meshes were not found: {some}; give their folder with --package-dir"]
