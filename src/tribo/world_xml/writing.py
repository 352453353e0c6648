"""From the objects of a world to a world file."""

from __future__ import annotations

import logging
import math
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.files import to_write
from tribo.description.actuators import with_laws
from tribo.description.collision_rule import CollisionRule
from tribo.description.constraints import ConstraintDescription
from tribo.description.heights import HeightField
from tribo.description.hulls import Heights
from tribo.description.trees import (
    ORIGIN,
    BodyDescription,
    CompoundPart,
    DescriptionError,
    ObjectDescription,
    ShapeDescription,
    TreeDescription,
    Vector,
    WorldDescription,
)
from tribo.engine.builder import ALL_GROUPS, MOVABLE_GROUP, STATIC_GROUP
from tribo.engine.settings import WorldSettings
from tribo.formats import joint_order, raisim_xml, self_collision, urdf
from tribo.formats.mesh_solids import solidify
from tribo.formats.raisim_template import is_near
from tribo.formats.raisim_wires import OF_ROBOT
from tribo.formats.report import SHOWN
from tribo.formats.urdf_write import driven_parts, lost_parts
from tribo.formats.xml import outermost
from tribo.model import Joint, Kind, Shape
from tribo.objects import ArticulatedSystem, Object, SingleBody, primitives
from tribo.objects.constraint import Constraint
from tribo.world_xml.filled_world import FilledWorld
from tribo.world_xml.made_robots import meshes_of, rule_of, rules_of, tree_of

logger = logging.getLogger("tribo")

SHAPES = {
    Shape.SPHERE: "sphere",
    Shape.BOX: "box",
    Shape.CAPSULE: "capsule",
    Shape.CYLINDER: "cylinder",
    Shape.CONE: "cone",
    Shape.ELLIPSOID: "ellipsoid",
}
# Settings that change the motion and that a file has no place for.
NOT_IN_FILE = ("max_push_out_speed", "tolerance", "max_sweeps", "integrator", "collision_filter",
               "contact_solver", "impact", "bounce", "effective_radius", "sleeping", "sleep_speed",
               "sleep_angular_speed", "sleep_time")  # fmt: skip

_RECORDED = "tribo.Recording(…).export(path) writes a motion as USD"
_MATERIALS = "tribo.write_materials writes material files"
_STATE = "world.save_state(path) keeps a state"
# The remedy for what the format cannot hold.
REBUILT = (
    "keep the state by world.save_state(path), and load it into a world that is built by the same calls "
    "(such as load_mjcf)"
)
OTHER_FORMATS = {
    ".urdf": "robot.export_urdf(path) writes one robot", ".sdf": "SDF is only read",
    ".mjcf": "MJCF is only read", ".usd": _RECORDED, ".usda": _RECORDED, ".usdc": _RECORDED,
    ".usdz": _RECORDED, ".yaml": _MATERIALS, ".yml": _MATERIALS, ".npz": _STATE, ".npy": _STATE,
    ".pkl": _STATE, ".json": _STATE, ".bin": _STATE,
}  # endings, and what writes such a file  # fmt: skip


def save(world: FilledWorld, path: str | Path) -> None:
    """Write a world so that what is read from the file begins with bitwise the same state.

    The clock and solver settings have no place in the format: what is left out is named in one warning.
    A robot that was added as URDF text, or that is of no URDF, gets a file beside the world's, and so do
    triangles that are in no file. Files that `load` will open only if it is told their folders are named in
    another.

    Files of which the world is made are not replaced: those beside the world's take other names then.

    Raises:
        DescriptionError: An object has no place in the format, or a file of which the world is made is no
            longer there, or is to be replaced; the message says which.
        ValueError: The ending of the path is that of another format.
        OSError: The file cannot be written.
    """
    to_write(Path(path))
    other = OTHER_FORMATS.get(Path(path).suffix.lower())
    if other is not None:
        raise ValueError(
            f"save writes a world as RaiSim XML, and {check.shown(str(path))} has the ending of another "
            f"format: let it end in .xml; {other}"
        )
    description = describe(world)
    home = Path(path).resolve().parent
    named = [item.urdf for item in description.objects]
    named += [item.mesh.path for item in description.objects if item.mesh is not None]
    named += [f for item in description.objects if item.tree for f in meshes_of(item.tree)]
    files = [file for file in named if file is not None]
    for file in files:
        if not file.exists():
            raise DescriptionError(
                f"{file} is no longer there, and what is read from the world file would lack it: put it "
                "back, or remove the object that is made of it"
            )
    within = [part.description for part in world.objects if isinstance(part, ArticulatedSystem)]
    meshes = [file for tree in within for file in meshes_of(tree) if file is not None]
    raisim_xml.write(description, path, spared=[*files, *meshes])
    far = {f.resolve() for f in files if not is_near(f.resolve(), home)}
    if far:
        folders = sorted({str(f.parent) for f in far})
        logger.warning("to load %s, give package_dirs=%s", path, folders)
    lost = _left_out(world)
    if lost:
        logger.warning("%s does not hold %s; use world.snapshot() to go on", path, "; ".join(lost))


def describe(world: FilledWorld) -> WorldDescription:
    """Return a world as it would be written.

    Raises:
        DescriptionError: An object has no place in the format.
    """
    return WorldDescription(
        time_step=world.time_step,
        gravity=tuple(world.gravity.tolist()),
        erp=world.erp,
        erp2=world.erp2,
        default_pair=world.default_pair,
        pairs={(first, second): pair for first, second, pair in world.materials},
        objects=[_describe(part) for part in world.objects],
        constraints=[
            _settings_of(tie) if tie.is_from_file else tie.describe()
            for tie in world.constraints
            if not tie.is_from_file or tie.is_changed or not tie.collide
        ],
    )


def _describe(part: Object) -> ObjectDescription:
    made = _describe_robot(part) if isinstance(part, ArticulatedSystem) else _describe_body(part)
    if part.color is not None:
        made.appearance = " ".join(repr(x) for x in part.color)
    return made


def _describe_body(part: Object) -> ObjectDescription:
    assert isinstance(part, SingleBody)
    _refuse_points(part)
    body = part.description.bodies[0]
    shape = part.collision_bodies[0]
    made = ObjectDescription("", part.name, shape.material, part.mass, kind=part.body_type)
    _set_groups(made, part, shape.collision_group, shape.collision_mask)
    rules = (shape.collision_group, shape.collision_mask)
    made.rules = {
        b.name: rule_of(b)
        for b in part.collision_bodies
        if (b.collision_group, b.collision_mask) != rules or b.runs
    }
    if shape.shape == Shape.PLANE:
        if part.rotation_matrix[2, 2] != 1.0:
            raise DescriptionError(
                f"object {part.name!r}: a ground that is not level has no place in the format"
            )
        made.type, made.size = "ground", (float(part.position[2]),)
        return made
    made.position, made.quaternion = _tuple(part.position), _tuple(part.orientation)
    made.linear_velocity = _tuple(part.linear_velocity)
    made.angular_velocity = _tuple(part.angular_velocity)
    geometry = body.shapes[0].geometry
    if body.shapes[0].mesh is not None:
        _describe_mesh(made, part, body)
    elif isinstance(geometry, Heights):
        ny, nx = geometry.values.shape
        size = (_length(geometry.dx, nx - 1), _length(geometry.dy, ny - 1))
        made.type, made.heights = "heightmap", HeightField(geometry.values, size)
    elif any(s.kind not in SHAPES for s in body.shapes):
        raise DescriptionError(
            f"object {part.name!r}: corners and triangles have no place in the format; write them to a mesh "
            "file and add that, use world.snapshot() to go on, or remove it"
        )
    else:
        _describe_shapes(made, part, body)
    return made


def _describe_mesh(made: ObjectDescription, part: SingleBody, body: BodyDescription) -> None:
    """Refer to the file of a mesh."""
    made.type, made.mesh = "mesh", body.shapes[0].mesh
    if len({shape.material for shape in body.shapes}) > 1:
        raise DescriptionError(
            f"object {part.name!r}: a mesh of several materials has no place in the format"
        )
    if body.shapes[0].kind == Shape.SURFACE:
        made.mesh_mode = "exact"
        if body.shapes[0].is_terrain:
            return
    else:
        made.mesh_mode = "hull" if len(body.shapes) == 1 else "decomposition"
    made.com, made.inertia = _tuple(part.com), part.inertia
    made.com_position = made.position
    made.position = _tuple(part.position - part.rotation_matrix @ part.com)


def _describe_shapes(made: ObjectDescription, part: SingleBody, body: BodyDescription) -> None:
    """Describe a primitive; one that is not about its centre of mass, or several, as a compound."""
    sizes = [_full_size(shape) for shape in body.shapes]
    shape = body.shapes[0]
    kind = SHAPES[shape.kind]
    if len(body.shapes) == 1:
        standard = getattr(primitives, kind)
        numbers = (sizes[0],) if kind in {"box", "ellipsoid"} else sizes[0]
        usual = standard(*numbers, part.mass, shape.material).bodies[0]
        if (shape.position, shape.quaternion) == (
            usual.shapes[0].position, usual.shapes[0].quaternion,
        ):  # fmt: skip
            made.type, made.size = kind, sizes[0]
            if not np.array_equal(part.inertia, usual.inertia):
                made.inertia = part.inertia
            return
    made.type, made.com, made.inertia = "compound", ORIGIN, part.inertia
    has_looks = len(body.visuals) == len(body.shapes)
    made.parts = [
        CompoundPart(
            SHAPES[s.kind], size, None, s.position, s.quaternion, s.material,
            body.visuals[k].color if has_looks else None,
        )
        for k, (s, size) in enumerate(zip(body.shapes, sizes, strict=True))
    ]  # fmt: skip


def _length(spacing: float, cells: int) -> float:
    """Return the length that gives back a spacing bit for bit when it is divided by the cells."""
    length = spacing * cells
    near = (length, math.nextafter(length, 0.0), math.nextafter(length, math.inf))
    return next((x for x in near if x / cells == spacing), length)


def _full_size(shape: ShapeDescription) -> Vector:
    """Return the numbers of a primitive as users give them."""
    if shape.kind == Shape.BOX:
        return tuple(2.0 * x for x in shape.size)
    if shape.kind == Shape.ELLIPSOID:
        return shape.size
    return (shape.size[0], *(2.0 * x for x in shape.size[1:]))


def _describe_robot(robot: ArticulatedSystem) -> ObjectDescription:
    _refuse_points(robot)
    source = robot.description.source or robot.description.text
    place = f"object {robot.name!r}"
    if robot.body_type != Kind.DYNAMIC:
        raise DescriptionError(f"{place}: a kinematic robot has no place in the format; {REBUILT}")
    driven = driven_parts(replace(robot.description, actuators=with_laws(robot.description.actuators)))
    if driven:
        more = f" and {len(driven) - SHOWN} more" if len(driven) > SHOWN else ""
        raise DescriptionError(
            f"{place}: {', '.join(driven[:SHOWN])}{more}: these have no place in the format; {REBUILT}"
        )
    if source is None:
        made = ObjectDescription("articulated_system", robot.name)
        made.tree = tree_of(robot)
        made.self_collision = "as in file"  # its URDF will have all rules
        made.collision_meshes = robot.description.collision_meshes
        made.joint_order = _order_of(robot, joint_order.depth_first(robot.description))
        _set_groups(made, robot, robot.collision_group, robot.collision_mask)
        made.rules = rules_of(robot)
        return _with_state(made, robot)
    if outermost(source, "URDF") == "mujoco":
        raise DescriptionError(
            f"{place}: it was read from MJCF, which the format cannot refer to; write it by export_urdf and "
            "add the robot from there"
        )
    original = urdf.read(source)
    order = _order_of(robot, original)
    if order:
        original = joint_order.reordered(original, order)
    meshes = robot.description.collision_meshes
    has_meshes = any(s.kind == Shape.MESH for b in original.bodies for s in b.shapes)
    solidify(original, meshes)
    self_collision.choose(original, robot.description.self_collision)
    original.ignored |= robot.description.overlapping
    collide = [body.joint.collision_enabled for body in robot.description.bodies[1:]]
    collide_parent = bool(collide) and all(collide)
    if collide_parent:
        for body in original.bodies[1:]:
            body.joint.collision_enabled = True
    if collide != [body.joint.collision_enabled for body in original.bodies[1:]]:
        raise DescriptionError(
            f"{place}: collision rules of single links have no place in the format; write them to a URDF "
            "by export_urdf and add the robot from there"
        )
    if not robot.is_floating and not np.array_equal(robot.fixed_pose, _root(original)):
        raise DescriptionError(
            f"{place}: the pose of a fixed base has no place in the format; put it into the URDF"
        )
    if _numbers_of(original) != _numbers_of(robot.description):
        raise DescriptionError(
            f"{place}: masses, joints or shapes that differ from its URDF have no place in the format "
            f"({_first_difference(original, robot.description)}); write them to a URDF by "
            "export_urdf and add the robot from there"
        )
    made = ObjectDescription("articulated_system", robot.name, urdf=robot.description.source)
    made.urdf_text, made.joint_order = robot.description.text, order
    made.collide_parent = collide_parent
    if robot.description.self_collision != self_collision.DEFAULT:
        made.self_collision = robot.description.self_collision
    if has_meshes:
        made.collision_meshes = meshes
    _set_groups(made, robot, robot.collision_group, robot.collision_mask)
    made.rules = _rules_of(robot, original)
    if robot.description.ignored != original.ignored:
        raise DescriptionError(
            f"{place}: collision rules of single links have no place in the format; those of whole links "
            "have one in a URDF, see export_urdf"
        )
    return _with_state(made, robot)


def _order_of(robot: ArticulatedSystem, original: TreeDescription) -> tuple[str, ...]:
    """Return the order of the joints of a robot, empty if it is that in which its URDF is read.

    Reading merges links on fixed joints with their parents; such joints have no place in an order.
    """
    own, usual = (
        tuple(body.joint.name for body in tree.bodies[1:] if body.joint.type != Joint.FIXED)
        for tree in (robot.description, original)
    )
    return () if own == usual else own


def _rules_of(robot: ArticulatedSystem, original: TreeDescription) -> dict[str, CollisionRule]:
    """Return the rules of the collision bodies that differ from what the URDF gives."""
    shapes = [shape for body in original.bodies for shape in body.shapes]
    found = {}
    for body, shape in zip(robot.collision_bodies, shapes, strict=True):
        usual = (
            shape.material,
            robot.collision_group if shape.group is None else shape.group,
            robot.collision_mask if shape.mask is None else shape.mask,
        )
        own = rule_of(body)
        if own[:3] != usual or body.runs:
            found[body.name] = own
    return found


def _with_state(made: ObjectDescription, robot: ArticulatedSystem) -> ObjectDescription:
    made.generalized_coordinate = _tuple(robot.generalized_coordinate)
    made.generalized_velocity = _tuple(robot.generalized_velocity)
    drive = {"kp": robot.kp, "kd": robot.kd, "force": robot.generalized_force}
    bears = np.zeros(robot.dof)
    for joint in robot.joints:
        bears[joint.velocity_slice] = joint.gravity_compensation
    if bears.any():
        drive["gravity_compensation"] = bears
    if any(numbers.any() for numbers in drive.values()):
        drive |= {"target": robot.pd_target, "target_velocity": robot.pd_velocity_target}
        made.drive = {name: _tuple(numbers) for name, numbers in drive.items()}
    return made


def _refuse_points(part: Object) -> None:
    if any(shape.is_point for body in part.description.bodies for shape in body.shapes):
        raise DescriptionError(
            f"object {part.name!r}: ground points chosen by hand have no place in the format; use "
            "world.snapshot() to go on"
        )


def _numbers_of(description: TreeDescription) -> list[Any]:
    """Return what users can change on links, joints and shapes."""
    return [
        (b.mass, b.com, b.inertia.tolist(), b.joint, b.gravity_compensation,
         [(s.size, s.position, s.quaternion) for s in b.shapes])
        for b in description.bodies
    ]  # fmt: skip


def _first_difference(original: TreeDescription, now: TreeDescription) -> str:
    """Return where a robot differs from its file first, as users call it."""
    pairs = zip(original.bodies, now.bodies, _numbers_of(original), _numbers_of(now), strict=False)
    for before, after, was, is_now in pairs:
        if before.joint != after.joint:
            names = [field.name for field in fields(after.joint)]
            found = [n for n in names if getattr(before.joint, n) != getattr(after.joint, n)]
            return f"joint {after.joint.name!r}: {', '.join(found)}"
        if was != is_now:
            return f"link {after.name!r}"
    return "its links"


def _root(description: TreeDescription) -> np.ndarray:
    joint = description.bodies[0].joint
    return np.array([*joint.position, *joint.quaternion])


def _set_groups(made: ObjectDescription, part: Object, group: int, mask: int) -> None:
    default = STATIC_GROUP if part.body_type == Kind.STATIC else MOVABLE_GROUP
    made.group = None if group == default else group
    made.mask = None if mask == ALL_GROUPS else mask


def _settings_of(tie: Constraint) -> ConstraintDescription:
    """Return what is set of a constraint that comes with a robot."""
    return ConstraintDescription(OF_ROBOT, name=tie.name, numbers=tie.describe().numbers)


def _has_file(robot: ArticulatedSystem) -> bool:
    """Tell whether a robot was read from a file or a text, which is then written as it stands."""
    return (robot.description.source or robot.description.text) is not None


def _forms_of(robot: ArticulatedSystem) -> list[str]:
    """Return what is set of the drives of a robot besides their gains."""
    found = ["drive form"] if any(j.drive_form != "implicit" for j in robot.joints) else []
    return found + ["actuators (robot.set_controls)"] * bool(robot.description.actuators)


def _left_out(world: FilledWorld) -> list[str]:
    """Return what matters for the motion and is not in the file."""
    lost: list[str] = []
    for part in world.objects:
        if isinstance(part, ArticulatedSystem) and not _has_file(part):
            lost += [f"parts of {part.name!r}: {note}" for note in lost_parts(part.description)]
    lost += [
        f"the {what} of {part.name!r}"
        for part in world.objects
        if isinstance(part, ArticulatedSystem)
        for what in _forms_of(part)
    ]
    lost += [
        f"the damping of {part.name!r}" for part in world.objects if any(part.description.bodies[0].drag)
    ]
    lost += [
        f"that the surface of {body.name!r} of {part.name!r} runs"
        for part in world.objects
        for body in part.collision_bodies
        if body.runs and body.shape in {Shape.PLANE, Shape.HEIGHT_MAP}
    ]
    lost += [f"that cable {one.name!r} adapts by itself" for one in world.cables if one.is_adapting]
    lost += [f"that {tie.name!r} is broken" for tie in world.constraints if tie.is_broken]
    standard = WorldSettings()
    lost += [name for name in NOT_IN_FILE if getattr(world, name) != getattr(standard, name)]
    if world.engine.state.vdot.any() or world.engine.state.warm_count[0]:
        lost.append("the memory of the last step (warm start)")
    return lost


def _tuple(values: np.ndarray) -> Vector:
    return tuple(float(x) for x in values)
