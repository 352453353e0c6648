"""Write robots as URDF in RaiSim's dialect, so that `urdf.read` finds the same bodies and frames."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from tribo.checks.check import with_article
from tribo.checks.files import to_write
from tribo.checks.replacing import write_whole
from tribo.description.couplings import CouplingDescription
from tribo.description.trees import (
    BodyDescription,
    DescriptionError,
    FrameDescription,
    JointDescription,
    MeshFile,
    ShapeDescription,
    TreeDescription,
    Vector,
    VisualDescription,
)
from tribo.formats import joint_order
from tribo.formats.pose import from_roll_pitch_yaw, matrix
from tribo.formats.urdf_constraints import write_constraints
from tribo.formats.written_xml import add, number, numbers
from tribo.materials.table import DEFAULT_MATERIAL
from tribo.model import Joint, Shape

FAR = 1e9  # [rad, m] stands for the missing stop of a joint that has only one
WORLD = "world"
ORDER = "the order of the joints is not written: a URDF is read branch by branch; add it with joint_order"


def write(tree: TreeDescription, path: str | Path, *, name: str = "robot") -> list[str]:
    """Write a robot as a URDF file; an existing one is replaced.

    Args:
        tree: The robot. Bodies become links; every other frame becomes an empty link on a fixed joint.
        path: File to write. Meshes are referenced as in the source, or relative to this file.
        name: Of the robot.

    Returns:
        Parts that have no place in a URDF and were left out.

    Raises:
        DescriptionError: The robot cannot be written; the message says what and the remedy.
        OSError: The file cannot be written.
    """
    file = to_write(Path(path))
    text, notes = to_text(tree, name=name, folder=file.resolve().parent)
    write_whole(file, text.encode())
    return notes + lost_parts(tree)


def lost_parts(tree: TreeDescription) -> list[str]:
    """Return notes about links that fixed joints made parts of bodies: as such they are not written."""
    notes = []
    for k, body in enumerate(tree.bodies):
        parts = [part.link for part in tree.parts if part.body == k and part.mass > 0.0]
        heavy = ", ".join(map(repr, filter(None, parts)))
        if heavy:
            notes.append(
                f"{heavy}: mass and shapes are written as those of link {body.name!r}, of which they are "
                "parts; a sensor on their fixed joints will not feel them"
            )
    return notes


def driven_parts(tree: TreeDescription) -> list[str]:
    """Return the names of tendons, equalities of joints and actuators: a URDF has no place for them."""
    found = [
        f"tendon or equality {one.name!r}"
        for one in tree.couplings
        if one != CouplingDescription(one.name, one.terms, way=one.way)  # else only actuators use it
    ]
    return found + [f"actuator {one.name!r}" for one in tree.actuators]


@dataclass(frozen=True, slots=True)
class _Manner:
    """How a robot is written, see `to_text`."""

    folder: Path | None
    exact: bool


def to_text(
    tree: TreeDescription, *, name: str = "robot", folder: Path | None = None, exact: bool = False
) -> tuple[str, list[str]]:
    """Return a robot as URDF text, and what was left out.

    Args:
        tree: The robot.
        name: Its name.
        folder: Where it will stand: meshes are referenced from there. None: as in the source.
        exact: Turns read back bit for bit, by an attribute of ours where three angles do not give them, and
            meshes are referenced from the folder even if the source names a package.
    """
    _check_names(tree)
    notes: list[str] = []
    manner = _Manner(folder, exact)
    given = [body.joint.name for body in tree.bodies[1:]]
    tree = joint_order.depth_first(tree)
    if given != [body.joint.name for body in tree.bodies[1:]]:
        notes.append(ORDER)
    robot = etree.Element("robot", name=name)
    root = tree.bodies[0]
    links = [body.name for body in tree.bodies]
    if root.joint.type == Joint.FIXED and root.name.casefold() != WORLD:
        add(robot, "link", name=WORLD)
        _joint(robot, root.joint, WORLD, root.name, manner, notes).set("dont_collapse", "true")
    for body in tree.bodies:
        _link(robot, body, manner, notes)
    for body in tree.bodies[1:]:
        _joint(robot, body.joint, links[body.parent], body.name, manner, notes)
    for frame in _extra_frames(tree):
        add(robot, "link", name=frame.name)
        fixed = JointDescription(frame.name, Joint.FIXED, frame.position, frame.quaternion)
        _joint(robot, fixed, links[frame.body], frame.name, manner, notes)
    for a, b in sorted(tree.ignored):
        if tree.bodies[b].parent != a:  # those do without being told
            add(robot, "disable_collisions", link1=links[a], link2=links[b])
    for body in tree.bodies[1:]:
        if body.joint.collision_enabled and (body.parent, links.index(body.name)) not in tree.ignored:
            add(robot, "enable_collisions", link1=links[body.parent], link2=body.name)
    write_constraints(robot, tree, notes)
    unwritten = [*driven_parts(tree), *(f"sensor {sensor.name!r}" for sensor in tree.sensors)]
    notes += [f"{part} is not written" for part in unwritten]
    for body in tree.bodies:
        if body.gravity_compensation != 0.0:
            notes.append(f"gravity_compensation of link {body.name!r} is not written")
    text = etree.tostring(robot, encoding="unicode", pretty_print=True)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}', notes


def _check_names(tree: TreeDescription) -> None:
    names = [body.name for body in tree.bodies]
    for k, name in enumerate(names):
        is_fixed_root = k == 0 and tree.bodies[0].joint.type == Joint.FIXED
        if name.casefold() == WORLD and not is_fixed_root:
            raise DescriptionError(f"link {name!r}: in a URDF this is the world itself; rename it")
    for kind, used in (("link", names), ("joint", [b.joint.name for b in tree.bodies[1:]])):
        twice = {name for name in used if used.count(name) > 1}
        if twice:
            raise DescriptionError(f"{kind} {twice.pop()!r} appears twice; rename one")


def _extra_frames(tree: TreeDescription) -> list[FrameDescription]:
    """Return the frames that no link or moving joint brings along."""
    own = {(body.name, k) for k, body in enumerate(tree.bodies)}
    own |= {(body.joint.name, k) for k, body in enumerate(tree.bodies)}
    links = {body.name for body in tree.bodies} | {WORLD}
    extra = []
    for frame in tree.frames:
        if (frame.name, frame.body) in own and not any(frame.position):
            continue
        if frame.name in links:
            continue  # the world of a fixed root, or a link that shares its name with a joint
        extra.append(frame)
    return extra


def _link(robot: etree._Element, body: BodyDescription, manner: _Manner, notes: list[str]) -> None:
    node = add(robot, "link", name=body.name)
    if body.mass != 0.0 or body.inertia.any():
        inertial = add(node, "inertial")
        add(inertial, "origin", xyz=numbers(body.com), rpy="0 0 0")
        add(inertial, "mass", value=number(body.mass))
        i = body.inertia
        add(
            inertial, "inertia", ixx=number(i[0, 0]), ixy=number(i[0, 1]), ixz=number(i[0, 2]),
            iyy=number(i[1, 1]), iyz=number(i[1, 2]), izz=number(i[2, 2]),
        )  # fmt: skip
    for k, visual in enumerate(body.visuals):
        made = _geometry(node, "visual", visual, manner)
        if visual.color is not None:
            material = add(made, "material", name=f"{body.name}_color_{k}")
            add(material, "color", rgba=numbers(visual.color))
    written: set[int] = set()  # meshes that several convex parts stand for
    for shape in body.shapes:
        if shape.is_point:
            notes.append(f"ground point {shape.name} is not written")
            continue
        if shape.mesh is not None and id(shape.mesh) in written:
            continue
        written.add(id(shape.mesh))
        made = _geometry(node, "collision", shape, manner)
        if shape.name and shape.name != f"{body.name}/{len(node.findall('collision')) - 1}":
            made.set("name", shape.name)  # of a link that was merged
        if shape.material != DEFAULT_MATERIAL:
            add(add(made, "material"), "contact", name=shape.material)
        if shape.group is not None or shape.mask is not None:
            notes.append(f"collision group and mask of {shape.name} are not written")


def _geometry(
    link: etree._Element, tag: str, item: ShapeDescription | VisualDescription, manner: _Manner
) -> etree._Element:
    node = add(link, tag)
    _origin(node, item.position, item.quaternion, manner)
    geometry, size = add(node, "geometry"), item.size
    if item.kind == Shape.BOX:
        add(geometry, "box", size=numbers(2.0 * x for x in size))
    elif item.kind == Shape.SPHERE:
        add(geometry, "sphere", radius=number(size[0]))
    elif item.kind == Shape.CYLINDER:
        add(geometry, "cylinder", radius=number(size[0]), length=number(2.0 * size[1]))
    elif item.kind == Shape.CAPSULE:
        add(geometry, "capsule", radius=number(size[0]), height=number(2.0 * size[1]))
    elif item.kind == Shape.ELLIPSOID:
        add(geometry, "ellipsoid", radii=numbers(size))
    elif item.mesh is not None:
        name = _mesh_name(item.mesh, manner)
        made = add(geometry, "mesh", filename=name, scale=numbers(item.mesh.scale))
        if tag == "collision" and item.mesh.collision:
            made.set("collision", item.mesh.collision)
    else:
        raise DescriptionError(
            f"link {link.get('name')!r}: {with_article(item.kind.name)} has no URDF element"
        )
    return node


def _mesh_name(mesh: MeshFile, manner: _Manner) -> str:
    by_package = "://" in mesh.reference and not manner.exact
    if mesh.path is None or manner.folder is None or by_package:
        return mesh.reference
    try:
        return Path(os.path.relpath(mesh.path.resolve(), manner.folder)).as_posix()
    except ValueError:  # another drive
        return mesh.path.resolve().as_posix()


def _joint(
    robot: etree._Element, joint: JointDescription, parent: str, child: str, manner: _Manner,
    notes: list[str],
) -> etree._Element:  # fmt: skip
    is_endless = joint.lower == -math.inf and joint.upper == math.inf
    kind = joint.type.name.lower()
    if joint.type == Joint.REVOLUTE and is_endless:
        kind = "continuous"
    node = add(robot, "joint", name=joint.name, type=kind)
    _origin(node, joint.position, joint.quaternion, manner)
    add(node, "parent", link=parent)
    add(node, "child", link=child)
    if joint.type == Joint.FIXED:
        return node
    add(node, "axis", xyz=numbers(joint.axis))
    _limit(node, joint, notes)
    if joint.mimic is not None:
        leader, ratio, offset = joint.mimic
        add(node, "mimic", joint=leader, multiplier=number(ratio), offset=number(offset))
    extra = {
        "damping": joint.damping, "friction": joint.friction, "rotor_inertia": joint.armature,
        "stiffness": joint.stiffness,
    }  # fmt: skip
    values = {key: number(x) for key, x in extra.items() if x != 0.0}
    if joint.spring_reference is not None:
        values["spring_mount"] = numbers(joint.spring_reference)
    if values:
        add(node, "dynamics", **values)
    if joint.effort_range[0] != -joint.effort:
        notes.append(f"joint {joint.name!r}: its least effort {joint.effort_range[0]!r} is not written")
    return node


def _limit(node: etree._Element, joint: JointDescription, notes: list[str]) -> None:
    """Write stops, effort and velocity as far as there are any."""
    values = {}
    lower, upper = joint.lower, joint.upper
    if joint.type == Joint.SPHERICAL:
        if upper != math.inf:
            values = {"upper": number(upper)}
            if not joint.is_cone:
                notes.append(f"joint {joint.name!r}: its largest turn is written as a cone")
    elif lower != -math.inf or upper != math.inf:
        if lower == -math.inf or upper == math.inf:
            notes.append(f"joint {joint.name!r}: its missing stop is written as {FAR:g}")
        values = {
            "lower": number(lower if math.isfinite(lower) else -FAR),
            "upper": number(upper if math.isfinite(upper) else FAR),
        }
    for key in ("effort", "velocity"):
        if getattr(joint, key) != math.inf:
            values[key] = number(getattr(joint, key))
            if getattr(joint, key) == 0.0:
                notes.append(f"joint {joint.name!r}: {key} 0 reads as no limit")
    if "lower" in values:
        values |= (held := _stop(joint, notes))
        if lower == upper == 0.0 and not held:
            notes.append(f"joint {joint.name!r}: stops that are both 0 read as none")
    if values:
        add(node, "limit", **values)


def _stop(joint: JointDescription, notes: list[str]) -> dict[str, str]:
    """Return what says that stops give way: attributes of our own."""
    values = {}
    if joint.stop_compliance > 0.0:
        values["compliance"] = number(joint.stop_compliance)
        values["spook_damping"] = number(joint.stop_spook_damping)
    least, most = joint.stop_force_range
    if most != math.inf:
        values["force"] = number(most)
    if math.isfinite(least) and least != -most:
        values["force_lower"] = number(least)
    elif least != -most:
        notes.append(f"joint {joint.name!r}: its upper stop gets the largest force of the lower one")
    return values


def _origin(node: etree._Element, position: Vector, quaternion: Vector, manner: _Manner) -> None:
    angles = tuple(float(x) for x in _roll_pitch_yaw(quaternion))
    made = add(node, "origin", xyz=numbers(position), rpy=numbers(angles))
    if manner.exact and numbers(from_roll_pitch_yaw(angles)) != numbers(quaternion):
        made.set("quaternion", numbers(quaternion))


def _roll_pitch_yaw(quaternion: Vector) -> Vector:
    """Return turns about fixed x, then y, then z [rad].   R = Rz Ry Rx

    Near pitch ±90° yaw is uncertain, so the others are taken from what remains after it: Rzᵀ R = Ry Rx.
    """
    r = matrix(quaternion)
    yaw = math.atan2(r[1, 0], r[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(s * r[0, 2] - c * r[1, 2], c * r[1, 1] - s * r[0, 1])
    return roll, math.atan2(-r[2, 0], c * r[0, 0] + s * r[1, 0]), yaw
