"""Write robots as URDF in RaiSim's dialect, so that `urdf.read` finds the same bodies and frames."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
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
from tribo.formats.urdf_mass import INERTIA_NAMES
from tribo.formats.written_xml import Value, add, numbers
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
    robot = etree.Element("robot", name=name)
    writer = _Writer(robot, folder, is_exact=exact)
    notes = writer.notes
    given = [body.joint.name for body in tree.bodies[1:]]
    tree = joint_order.depth_first(tree)
    if given != [body.joint.name for body in tree.bodies[1:]]:
        notes.append(ORDER)
    root = tree.bodies[0]
    links = [body.name for body in tree.bodies]
    if root.joint.type == Joint.FIXED and root.name.casefold() != WORLD:
        add(robot, "link", name=WORLD)
        writer.joint(root.joint, WORLD, root.name).set("dont_collapse", "true")
    for body in tree.bodies:
        writer.link(body)
    for body in tree.bodies[1:]:
        writer.joint(body.joint, links[body.parent], body.name)
    for frame in _extra_frames(tree):
        add(robot, "link", name=frame.name)
        fixed = JointDescription(frame.name, Joint.FIXED, frame.position, frame.quaternion)
        writer.joint(fixed, links[frame.body], frame.name)
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


class _Writer:
    """Adds links and joints to a robot, see `to_text`; `notes`: what is left out."""

    def __init__(self, robot: etree._Element, folder: Path | None, *, is_exact: bool) -> None:
        self._robot, self._folder, self._is_exact = robot, folder, is_exact
        self.notes: list[str] = []

    def link(self, body: BodyDescription) -> None:
        """Add a body."""
        node = add(self._robot, "link", name=body.name)
        if body.mass != 0.0 or body.inertia.any():
            inertial = add(node, "inertial")
            add(inertial, "origin", xyz=body.com, rpy="0 0 0")
            add(inertial, "mass", value=body.mass)
            add(
                inertial, "inertia", **dict(zip(INERTIA_NAMES, body.inertia[np.triu_indices(3)], strict=True))
            )
        for k, visual in enumerate(body.visuals):
            made = self._geometry(node, "visual", visual)
            if visual.color is not None:
                material = add(made, "material", name=f"{body.name}_color_{k}")
                add(material, "color", rgba=visual.color)
        written: set[int] = set()  # meshes that several convex parts stand for
        for shape in body.shapes:
            if shape.is_point:
                self.notes.append(f"ground point {shape.name} is not written")
                continue
            if shape.mesh is not None and id(shape.mesh) in written:
                continue
            written.add(id(shape.mesh))
            made = self._geometry(node, "collision", shape)
            if shape.name and shape.name != f"{body.name}/{len(node.findall('collision')) - 1}":
                made.set("name", shape.name)  # of a link that was merged
            if shape.material != DEFAULT_MATERIAL:
                add(add(made, "material"), "contact", name=shape.material)
            if shape.group is not None or shape.mask is not None:
                self.notes.append(f"collision group and mask of {shape.name} are not written")

    def _geometry(
        self, link: etree._Element, tag: str, item: ShapeDescription | VisualDescription
    ) -> etree._Element:
        node = add(link, tag)
        self._origin(node, item.position, item.quaternion)
        geometry, size = add(node, "geometry"), item.size
        if item.kind == Shape.BOX:
            add(geometry, "box", size=[2.0 * x for x in size])
        elif item.kind == Shape.SPHERE:
            add(geometry, "sphere", radius=size[0])
        elif item.kind == Shape.CYLINDER:
            add(geometry, "cylinder", radius=size[0], length=2.0 * size[1])
        elif item.kind == Shape.CAPSULE:
            add(geometry, "capsule", radius=size[0], height=2.0 * size[1])
        elif item.kind == Shape.ELLIPSOID:
            add(geometry, "ellipsoid", radii=size)
        elif item.mesh is not None:
            name = self._mesh_name(item.mesh)
            made = add(geometry, "mesh", filename=name, scale=item.mesh.scale)
            if tag == "collision" and item.mesh.collision:
                made.set("collision", item.mesh.collision)
        else:
            raise DescriptionError(
                f"link {link.get('name')!r}: {with_article(item.kind.name)} has no URDF element"
            )
        return node

    def _mesh_name(self, mesh: MeshFile) -> str:
        by_package = "://" in mesh.reference and not self._is_exact
        if mesh.path is None or self._folder is None or by_package:
            return mesh.reference
        try:
            return Path(os.path.relpath(mesh.path.resolve(), self._folder)).as_posix()
        except ValueError:  # another drive
            return mesh.path.resolve().as_posix()

    def joint(self, joint: JointDescription, parent: str, child: str) -> etree._Element:
        """Add a joint between two links."""
        is_endless = joint.lower == -math.inf and joint.upper == math.inf
        kind = joint.type.name.lower()
        if joint.type == Joint.REVOLUTE and is_endless:
            kind = "continuous"
        node = add(self._robot, "joint", name=joint.name, type=kind)
        self._origin(node, joint.position, joint.quaternion)
        add(node, "parent", link=parent)
        add(node, "child", link=child)
        if joint.type == Joint.FIXED:
            return node
        add(node, "axis", xyz=joint.axis)
        self._limit(node, joint)
        if joint.mimic is not None:
            leader, ratio, offset = joint.mimic
            add(node, "mimic", joint=leader, multiplier=ratio, offset=offset)
        extra = {
            "damping": joint.damping, "friction": joint.friction, "rotor_inertia": joint.armature,
            "stiffness": joint.stiffness,
        }  # fmt: skip
        values: dict[str, Value] = {key: x for key, x in extra.items() if x != 0.0}
        if joint.spring_reference is not None:
            values["spring_mount"] = joint.spring_reference
        if values:
            add(node, "dynamics", **values)
        if joint.effort_range[0] != -joint.effort:
            self.notes.append(
                f"joint {joint.name!r}: its least effort {joint.effort_range[0]!r} is not written"
            )
        return node

    def _limit(self, node: etree._Element, joint: JointDescription) -> None:
        """Write stops, effort and velocity as far as there are any."""
        values = {}
        lower, upper = joint.lower, joint.upper
        if joint.type == Joint.SPHERICAL:
            if upper != math.inf:
                values = {"upper": upper}
                if not joint.is_cone:
                    self.notes.append(f"joint {joint.name!r}: its largest turn is written as a cone")
        elif lower != -math.inf or upper != math.inf:
            if lower == -math.inf or upper == math.inf:
                self.notes.append(f"joint {joint.name!r}: its missing stop is written as {FAR:g}")
            values = {
                "lower": lower if math.isfinite(lower) else -FAR,
                "upper": upper if math.isfinite(upper) else FAR,
            }
        for key in ("effort", "velocity"):
            if getattr(joint, key) != math.inf:
                values[key] = getattr(joint, key)
                if getattr(joint, key) == 0.0:
                    self.notes.append(f"joint {joint.name!r}: {key} 0 reads as no limit")
        if "lower" in values:
            values |= (held := self._stop(joint))
            if lower == upper == 0.0 and not held:
                self.notes.append(f"joint {joint.name!r}: stops that are both 0 read as none")
        if values:
            add(node, "limit", **values)

    def _stop(self, joint: JointDescription) -> dict[str, float]:
        """Return what says that stops give way: attributes of our own."""
        values = {}
        if joint.stop_compliance > 0.0:
            values["compliance"] = joint.stop_compliance
            values["spook_damping"] = joint.stop_spook_damping
        least, most = joint.stop_force_range
        if most != math.inf:
            values["force"] = most
        if math.isfinite(least) and least != -most:
            values["force_lower"] = least
        elif least != -most:
            self.notes.append(f"joint {joint.name!r}: its upper stop gets the largest force of the lower one")
        return values

    def _origin(self, node: etree._Element, position: Vector, quaternion: Vector) -> None:
        angles = tuple(float(x) for x in _roll_pitch_yaw(quaternion))
        made = add(node, "origin", xyz=position, rpy=angles)
        if self._is_exact and numbers(from_roll_pitch_yaw(angles)) != numbers(quaternion):
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
