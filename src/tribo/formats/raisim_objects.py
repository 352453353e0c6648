"""Read the objects of a RaiSim world."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tribo.checks.check import LARGEST, violates_triangle
from tribo.description.collision_rule import STILL, CollisionRule
from tribo.description.trees import ORIGIN, DescriptionError, ObjectDescription
from tribo.formats import elements, urdf_modules
from tribo.formats.mesh_solids import ROBOT_MODES
from tribo.formats.nodes import Node, known_hint
from tribo.formats.raisim_shapes import (
    DIMENSIONS,
    read_heights,
    read_mesh,
    read_parts,
    read_quaternion,
    read_size,
)
from tribo.formats.raisim_template import find_file, snake
from tribo.formats.self_collision import MODES
from tribo.materials.table import DEFAULT_MATERIAL
from tribo.model import Kind

NOT_YET = ("deformable", "granular")
KNOWN = (*DIMENSIONS, "compound", "mesh", "heightmap", "ground", "articulated_system")
FILTER = ("collision_group", "collision_mask")
RUNNING = ("surface_velocity", "belt_velocity")  # of a collision body
SINGLE = ("name", "mass", "material", "appearance", "body_type", "com", *FILTER)
KINDS = {"dynamic": Kind.DYNAMIC, "kinematic": Kind.KINEMATIC, "static": Kind.STATIC}
DRIVE = ("kp", "kd", "target", "target_velocity", "force")
INERTIA_NAMES = ("xx", "xy", "xz", "yy", "yz", "zz")
# Children by which newer files carry what the engine keeps elsewhere.
NOT_YET_CHILDREN = ("tuning", "sensors", "actuators")

_BITS = re.compile(r"collision\[(-?\d+(?:\|\d+)*)\]", re.ASCII)


def read_object(
    node: Node, classes: Mapping[str, Node], package_dirs: Sequence[Path] = ()
) -> ObjectDescription:
    """Read a child of <objects>; `classes` are the templates of <object_class>."""
    if node.tag in classes:
        node = _instance(node, classes[node.tag])
    if node.tag in NOT_YET:
        raise node.refused(f"object type {node.tag!r}", f"remove it; known: {', '.join(KNOWN)}")
    for child in node.children:
        if child.tag in NOT_YET_CHILDREN:
            raise child.refused(f"<{child.tag}> in {node.place}", "remove it")
    if node.tag in DIMENSIONS or node.tag in {"compound", "mesh"}:
        return _single(node, package_dirs)
    if node.tag in {"heightmap", "height_map"}:
        return _height_map(node, package_dirs)
    if node.tag == "ground":
        return _ground(node)
    if node.tag == "articulated_system":
        return _articulated(node, package_dirs)
    hint = known_hint(node.tag, (*KNOWN, *classes))
    raise node.error(f"unknown object type; known: {', '.join((*KNOWN, *classes))}{hint}")


def read_classes(node: Node, classes: dict[str, Node]) -> None:
    """Add the templates of an <object_class>."""
    for child in node.children:
        if child.tag in KNOWN or child.tag in NOT_YET:
            raise child.error("a class must not be called like an object type; rename it")
        if child.tag in classes:
            raise child.error(f"this class stands in line {classes[child.tag].line}; rename one")
        child.text("type")
        classes[child.tag] = child


def _instance(node: Node, template: Node) -> Node:
    """Return an object as if it were written out: what it says itself wins over its class."""
    made = node.made(snake(template.text("type")))
    made.attributes = {k: v for k, v in template.attributes.items() if k != "type"}
    made.attributes.update(node.attributes)
    if "urdf_path" in template.attributes and "urdf_path" not in node.attributes:
        made.file, made.line = template.file, template.line  # where its path starts from
    own = {child.tag for child in node.children}
    for child in template.children:
        tag = "dim" if child.tag == "dimension" else child.tag
        if tag not in own:
            made.children.append(child.made(tag, child.attributes, child.children))
    made.children += node.children
    return made


def _single(node: Node, package_dirs: Sequence[Path]) -> ObjectDescription:
    own = {"compound": ("children",), "mesh": ("file", "scale")}.get(node.tag, ("dim",))
    is_mesh = node.tag == "mesh"
    node.check_attributes(
        (*SINGLE, "file_name", "scale", "collision", "max_hulls", "tolerance", "resolution")
        if is_mesh
        else SINGLE
    )
    node.check_children((*own, "inertia", "state", "collision_body"))
    made = _common(node)
    _rules(node, made)
    made.kind = KINDS[node.choice("body_type", KINDS, "dynamic", fold=True)]
    if made.kind == Kind.DYNAMIC:
        made.mass = node.number("mass", above=0.0)
    else:
        made.mass = node.number("mass", 1.0, at_least=0.0)
    if node.tag == "compound":
        made.parts = read_parts(node)
    elif is_mesh:
        read_mesh(node, made, package_dirs, is_static=made.kind == Kind.STATIC)
    else:
        made.size = read_size(node)
    if "com" in node.attributes:
        made.com = node.vector("com", 3)
    inertia = node.one("inertia")
    if inertia is not None:
        inertia.check_attributes(INERTIA_NAMES)
        made.inertia = _inertia(inertia)
    state = node.one("state")
    if state is not None:
        state.check_attributes(("pos", "quat", "lin_vel", "ang_vel", "com_pos"))
        if "com_pos" in state.attributes:
            made.com_position = state.vector("com_pos", 3)
        made.position = state.vector("pos", 3, ORIGIN)
        made.quaternion = read_quaternion(state)
        made.linear_velocity = state.vector("lin_vel", 3, ORIGIN)
        made.angular_velocity = state.vector("ang_vel", 3, ORIGIN)
    return made


def _height_map(node: Node, package_dirs: Sequence[Path]) -> ObjectDescription:
    made = _common(node)
    made.type, made.kind = "heightmap", Kind.STATIC
    made.heights, made.position = read_heights(node, package_dirs)
    state = node.one("state")
    if state is not None:
        state.check_attributes(("pos", "quat"))
        made.position = state.vector("pos", 3, made.position)
        made.quaternion = read_quaternion(state)
    return made


def _ground(node: Node) -> ObjectDescription:
    node.check(("name", "material", "appearance", "height", *FILTER))
    made = _common(node)
    made.kind = Kind.STATIC
    made.size = (node.number("height", 0.0),)
    return made


def _articulated(node: Node, package_dirs: Sequence[Path]) -> ObjectDescription:
    known = ("name", "urdf_path", "res_dir", "convexify_meshes", "modules", "joint_order",
             "collide_parent", "self_collision", "collision_meshes", "appearance", *FILTER)  # fmt: skip
    node.check(known, ("state", "drive", "collision_body"))
    made = _common(node)
    _rules(node, made)
    drive = node.one("drive")
    if drive is not None:
        drive.check_attributes(DRIVE)
        made.drive = {name: drive.vector(name, None) for name in DRIVE if name in drive.attributes}
    made.joint_order = tuple(node.attributes.get("joint_order", "").split())
    made.urdf_reference = node.text("urdf_path")
    made.urdf = find_file(node, "urdf_path", package_dirs)
    made.collision_meshes = _meshes(node)
    made.collide_parent = _is_set(node, "collide_parent")
    made.self_collision = node.choice("self_collision", (*MODES, ""), "", fold=True) or None
    modules = node.attributes.get("modules", "").split()
    urdf_modules.check_count(node, len(modules))
    for name in modules:
        try:
            made.modules.append(urdf_modules.beside(made.urdf, name))
        except DescriptionError as error:
            raise node.error(str(error)) from None
    if "res_dir" in node.attributes:
        node.note("res_dir is not used: meshes are found from where the URDF is")
    state = node.one("state")
    if state is not None:
        state.check_attributes(("qpos", "qvel"))
        if "qpos" in state.attributes:
            made.generalized_coordinate = state.vector("qpos", None)
        if "qvel" in state.attributes:
            made.generalized_velocity = state.vector("qvel", None)
    return made


def _meshes(node: Node) -> str:
    """Return what the meshes of a robot collide as: RaiSim's switch, or our word for all there is."""
    if "collision_meshes" not in node.attributes:
        return "decomposition" if _is_set(node, "convexify_meshes") else "auto"
    if "convexify_meshes" in node.attributes:
        raise node.error("has convexify_meshes and collision_meshes; keep one")
    return node.choice("collision_meshes", ROBOT_MODES, "")


def _rules(node: Node, made: ObjectDescription) -> None:
    """Read what of collision bodies differs from their object."""
    for child in node.all("collision_body"):
        child.check_attributes(("name", "material", *FILTER, *RUNNING))
        group, mask = _bits(child, "collision_group"), _bits(child, "collision_mask")
        if group is None or mask is None:
            raise child.error("has no collision_group or no collision_mask; give both")
        if not child.text("name") or not child.text("material"):
            raise child.error("name and material must not be empty")
        running = (child.vector(what, 3, STILL, largest=LARGEST) for what in RUNNING)
        made.rules[child.text("name")] = CollisionRule(
            child.text("material"), group, mask, *running
        )


def _is_set(node: Node, name: str) -> bool:
    return node.word(name).lower() in {"1", "true"}


def _common(node: Node) -> ObjectDescription:
    made = ObjectDescription(node.tag, node.word("name"))
    made.material = node.word("material") or DEFAULT_MATERIAL
    made.appearance = node.word("appearance")
    made.group = _bits(node, "collision_group")
    made.mask = _bits(node, "collision_mask")
    return made


def _bits(node: Node, name: str) -> int | None:
    """Read a bit set: an integer, or collision[1|4|6]; returned as a signed 64-bit number."""
    if name not in node.attributes:
        return None
    text = node.text(name).replace(" ", "")
    found = _BITS.fullmatch(text)
    if found is None:
        value = node.integer(name)
        if not -(2**63) <= value < 2**64:
            raise node.error(f"{name}={text!r} does not fit into 64 bits")
    elif found.group(1).startswith("-"):
        if found.group(1) != "-1":
            raise node.error(f"{name}={text!r}: use bits 0…63, or -1 for all")
        value = -1
    else:
        places = [int(word) for word in found.group(1).split("|")]
        if max(places) > 63:
            raise node.error(f"{name}={text!r}: bit {max(places)} does not exist, use 0…63")
        value = 0
        for place in places:
            value |= 1 << place
    return value - 2**64 if value >= 2**63 else value


def _inertia(node: Node) -> np.ndarray:
    inertia = elements.inertia(node, INERTIA_NAMES)
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] <= 0.0:
        raise node.error(
            f"has eigenvalue {moments[0]:.6g} kg m², must be > 0; check signs and products"
        )
    if violates_triangle(moments):
        raise node.error(
            f"has principal moments {', '.join(f'{m:.6g}' for m in moments)} kg m²; "
            "of a rigid body none is larger than the sum of the other two"
        )
    return inertia
