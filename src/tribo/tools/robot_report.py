"""Report on a robot, scene or world file, with doubts: the text of `tribo check`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tribo import world_xml
from tribo.description import placeholders
from tribo.description.constraints import ConstraintDescription
from tribo.description.hulls import Hull
from tribo.description.trees import (
    ActuatorDescription,
    BodyDescription,
    JointDescription,
    ShapeDescription,
    TreeDescription,
    Vector,
    WorldDescription,
)
from tribo.engine.layout import DOFS
from tribo.formats import choreonoid, mjcf, sdf, urdf, usd
from tribo.formats.fixed_base import based
from tribo.materials import MaterialLibrary
from tribo.model import Joint, Kind, Shape
from tribo.tools import material_report
from tribo.world.warnings import misnamed
from tribo.world.world import World

SMALLEST = 1e-3  # [m] radius of gyration of what robots are made of
LIGHTEST = 1e-4  # [kg]
MISMATCH = 1e5  # [–] ratio of masses in one robot


TABLES = {  # of a report: their headings, in order
    "moving": ("object", "mass [kg]", "bodies", "dof", "base"),
    "joints": ("joint", "type", "limits", "effort [N, N m]", "damping"),
    "collision": ("collision body", "shape", "size [m]", "material"),
    "actuators": ("actuator", "joint", "gear", "kp", "kd", "force [N, N m]"),
    "constraints": ("constraint", "type", "first", "second"),
    "laid": ("laid", "what", "of"),  # wires, tracks and belts
}
SCENES: dict[str, Any] = {"mujoco": mjcf.read, "sdf": sdf.read, "usd": usd.read}  # by what a file is
Rows = list[tuple[str, ...]]
Trees = tuple[TreeDescription | None, TreeDescription | None]


@dataclass(slots=True)
class Report:
    """Contents of a file, in numbers and words; rows of `TABLES` as text."""

    headline: str = ""
    moving: Rows = field(default_factory=list)
    joints: Rows = field(default_factory=list)
    collision: Rows = field(default_factory=list)
    actuators: Rows = field(default_factory=list)
    constraints: Rows = field(default_factory=list)
    laid: Rows = field(default_factory=list)
    keyframes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add_tree(self, tree: TreeDescription) -> None:
        """Add shapes, joints and doubts of one object."""
        for body in tree.bodies:
            self.collision += [_shape(shape) for shape in body.shapes]
        self.add_doubts(tree)

    def add_doubts(self, tree: TreeDescription) -> None:
        """Add joints and doubts of one object."""
        for body in tree.bodies:
            if body.joint.type not in {Joint.FIXED, Joint.FREE}:
                self.joints.append(_joint(body.joint))
            self.warnings += _inertia_warnings(body)
        self.warnings += _mass_warnings(tree) + placeholders.remarks(tree)

    def add_ties(self, ties: list[ConstraintDescription], trees: Trees) -> None:
        """Add constraints between two objects, None for the world."""
        for tie in ties:
            ends = [
                "world" if body < 0 or tree is None else tree.bodies[body].name
                for body, tree in zip(tie.bodies, trees, strict=True)
            ]
            self.constraints.append((tie.name or "–", tie.type, ends[0], ends[1]))

    def say_scene(self, name: str, standing: int, time_step: float, gravity: Vector) -> None:
        """Write the headline of a scene: how much moves and stands, time step [s], gravity [m/s²]."""
        shown = ", ".join(f"{x:g}" for x in gravity)
        self.headline = (
            f"{name}: {len(self.moving)} objects move, {standing} stand; "
            f"time step {time_step:g} s, gravity ({shown}) m/s²"
        )


def examine(
    path: Path, kind: str, *, package_dirs: tuple[Path, ...] = (), strict: bool = False,
    fixed_base: bool = False, materials: MaterialLibrary | None = None, time_step: float | None = None,
) -> list[Report]:  # fmt: skip
    """Read a file and say what is in it, and what of it is left out.

    Args:
        path: The file.
        kind: As `load_file.kind_of_file` has it.
        package_dirs: Folders in which files that it names are looked up.
        strict: Unknown elements are errors.
        fixed_base: Of a robot: its base is fixed.
        materials: Of a body file: the pairs that its shapes make are judged, too …
        time_step: … for a time step [s] if there is one.

    Returns:
        One report; of a body file one for each of its things that no joint connects.

    Raises:
        DescriptionError: It cannot be simulated; the message says where, what and the remedy.
    """
    options: dict[str, Any] = {"package_dirs": package_dirs, "strict": strict}
    if kind == "robot":
        robot = urdf.read(path, **options)
        return [_of_tree(path.name, based(robot, is_fixed=True) if fixed_base else robot)]
    if kind == "body":
        body = choreonoid.read(path, materials=materials, **options)
        return _of_body(path.name, body, materials, time_step)
    if kind in SCENES:
        read = SCENES[kind](path, **options)
        return [_of_scene(path.name, read if kind == "mujoco" else read[0])]
    world = World()
    found: Any = world_xml.read_into(world, path, **options) if kind != "project" else (
        world.load_project(path, **options)
    )  # fmt: skip
    return [_of_world(path.name, world, list(found.notes))]


def _of_body(
    name: str, body: choreonoid.BodyFile, materials: MaterialLibrary | None, time_step: float | None
) -> list[Report]:
    """Return what is in each thing of a body file, of the last one what is between them, too."""
    several = len(body.trees) > 1
    reports = [_of_tree(f"{name}, {tree.bodies[0].name}" if several else name, tree) for tree in body.trees]
    last = reports[-1]
    for tie in body.ties:
        last.add_ties([tie], (body.trees[tie.objects[0]], body.trees[tie.objects[1]]))
    last.laid += [
        (wire.name, "wire" if wire.winch is None else "wire, winch",
         f"radius {wire.radius:g} m, {len(wire.nodes)} nodes of {wire.material.name}")
        for wire in body.wires
    ]  # fmt: skip
    last.laid += [
        (track.name, "track", f"{track.pads} pads, {len(track.wheels)} wheels") for track in body.tracks
    ]
    last.laid += [
        (belt.link, "belt", "about " + ", ".join(f"{x:.3g}" for x in belt.axis)) for belt in body.belts
    ]
    if materials is not None:
        last.warnings += material_report.of_trees(body.trees, materials, time_step)
    return reports


def _of_tree(name: str, robot: TreeDescription) -> Report:
    """Return what is in a robot."""
    base = "floating" if robot.bodies[0].joint.type == Joint.FREE else "fixed"
    report = Report(
        f"{name}: mass {sum(body.mass for body in robot.bodies):.6g} kg, {len(robot.bodies)} bodies, "
        f"{sum(DOFS[body.joint.type] for body in robot.bodies)} dof, {base} base"
    )
    report.add_tree(robot)
    report.add_ties(robot.constraints, (robot, robot))
    report.warnings += _mesh_warnings(robot) + floating_remarks(robot)
    report.notes = list(robot.notes)
    return report


def _of_scene(name: str, scene: WorldDescription) -> Report:
    """Return what is in a scene; what no world can hold is an error."""
    report = Report(notes=list(scene.notes))
    trees = [item.tree for item in scene.objects]
    for item in scene.objects:
        if item.tree is None:
            report.collision += [] if item.shape is None else [_shape(item.shape)]
            continue
        report.moving.append(_moving(item.name, item.tree))
        report.add_tree(item.tree)
        report.actuators += [_actuator(one) for one in item.tree.actuators]
        report.add_ties(item.tree.constraints, (item.tree, item.tree))
        report.keyframes = report.keyframes or list(item.tree.keyframes)
    for tie in scene.constraints:
        report.add_ties([tie], (trees[tie.objects[0]], trees[tie.objects[1]]))
    world = World()
    world.take_scene(scene)
    report.warnings += misnamed(world.materials, world.objects)
    report.say_scene(name, trees.count(None), scene.time_step, scene.gravity)
    return report


def _of_world(name: str, world: World, notes: list[str]) -> Report:
    """Return what is in a world."""
    report, standing = Report(notes=notes), 0
    for part in world.objects:
        tree = part.description
        if part.body_type == Kind.STATIC:
            standing += 1
        else:
            report.moving.append(_moving(part.name, tree))
            report.add_doubts(tree)
        for shape in (shape for body in tree.bodies for shape in body.shapes):
            report.collision.append((f"{part.name}: {shape.name}", *_shape(shape)[1:]))
        report.warnings += _mesh_warnings(tree)
        report.notes += [f"{part.name}: {note}" for note in tree.notes]
    report.warnings += misnamed(world.materials, world.objects)
    trees = {part.name: part.description for part in world.objects}
    for tie in world.constraints:
        item = tie.describe()
        first, second = (None if name is None else trees[name] for name in item.objects)
        report.add_ties([item], (first, second))
    report.say_scene(name, standing, world.time_step, tuple(world.gravity.tolist()))
    return report


def _moving(name: str, tree: TreeDescription) -> tuple[str, ...]:
    base = "floating" if tree.bodies[0].joint.type == Joint.FREE else "fixed"
    return (
        name, f"{sum(body.mass for body in tree.bodies):.6g}", str(len(tree.bodies)),
        str(sum(DOFS[body.joint.type] for body in tree.bodies)),
        "kinematic" if tree.kind == Kind.KINEMATIC else base,
    )  # fmt: skip


def _shape(shape: ShapeDescription) -> tuple[str, ...]:
    return shape.name, shape.kind.name.lower(), _size(shape), shape.material


def _actuator(one: ActuatorDescription) -> tuple[str, ...]:
    force = _span(*one.force_range)
    return one.name, one.joint, f"{one.gear:g}", f"{one.kp + 0.0:g}", f"{one.kd + 0.0:g}", force


def _joint(joint: JointDescription) -> tuple[str, ...]:
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
    found = [f"{n}: mass {m:.3g} kg is very small; units?" for n, m in masses.items() if m < LIGHTEST]
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
        found.append("its base floats and it has no collision shapes: it falls through every ground")
    mass = sum(body.mass for body in robot.bodies)
    if len(_moving_children(robot, 0)) == 1 and _series(robot) >= FEWEST and root.mass < LIGHT * mass:
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
