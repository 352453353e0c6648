"""Read the objects of a RaiSim world: bodies, meshes, compounds, height maps, robots."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tribo.checks.check import LARGEST, violates_triangle
from tribo.description.collision_rule import STILL, CollisionRule
from tribo.description.colors import color_of
from tribo.description.heights import HeightField
from tribo.description.trees import (
    IDENTITY,
    ORIGIN,
    CompoundPart,
    DescriptionError,
    MeshFile,
    ObjectDescription,
    Vector,
)
from tribo.formats import elements, urdf_modules
from tribo.formats.mesh_solids import ROBOT_MODES
from tribo.formats.nodes import Node, known_hint
from tribo.formats.pose import normalized
from tribo.formats.raisim_template import find_file, snake
from tribo.formats.self_collision import MODES
from tribo.materials.table import DEFAULT_MATERIAL
from tribo.model import Kind

DIMENSIONS = {
    "sphere": ("radius",),
    "box": ("x", "y", "z"),
    "capsule": ("radius", "height"),
    "cylinder": ("radius", "height"),
    "cone": ("radius", "height"),
    "ellipsoid": ("a", "b", "c"),  # semi-axes along x, y, z
}
MAX_HULLS = 256  # of a decomposition that a file asks for
MESH_MODES = ("hull", "decomposition", "exact")
TERRAIN = ("z_scale", "fractal_octaves", "fractal_lacunarity", "fractal_gain", "step_size",
           "height_offset", "frequency", "seed")  # fmt: skip
MAP = ("x_sample", "y_sample", "x_size", "y_size", "center_x", "center_y", "height", "png", "text",
       "z_scale", "height_scale", "z_offset", "height_offset")  # fmt: skip
NOT_YET = ("deformable", "granular")
KNOWN = (*DIMENSIONS, "compound", "mesh", "heightmap", "ground", "articulated_system")
FILTER = ("collision_group", "collision_mask")
RUNNING = ("surface_velocity", "belt_velocity")  # of a collision body
SINGLE = ("name", "mass", "material", "appearance", "body_type", "com", *FILTER)
KINDS = {"dynamic": Kind.DYNAMIC, "kinematic": Kind.KINEMATIC, "static": Kind.STATIC}
DRIVE = ("kp", "kd", "target", "target_velocity", "force", "gravity_compensation")
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
        inertia.check_leaf(INERTIA_NAMES)
        made.inertia = _inertia(inertia)
    state = node.one("state")
    if state is not None:
        state.check_leaf(("pos", "quat", "lin_vel", "ang_vel", "com_pos"))
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
        state.check_leaf(("pos", "quat"))
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
        drive.check_leaf(DRIVE)
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
        module = urdf_modules.beside(made.urdf, name)
        if module is None:
            raise node.error(urdf_modules.missing(made.urdf, name))
        made.modules.append(module)
    if "res_dir" in node.attributes:
        node.note("res_dir is not used: meshes are found from where the URDF is")
    state = node.one("state")
    if state is not None:
        state.check_leaf(("qpos", "qvel"))
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
        child.check_leaf(("name", "material", *FILTER, *RUNNING))
        group, mask = _bits(child, "collision_group"), _bits(child, "collision_mask")
        if group is None or mask is None:
            raise child.error("has no collision_group or no collision_mask; give both")
        if not child.text("name") or not child.text("material"):
            raise child.error("name and material must not be empty")
        running = (child.vector(what, 3, STILL, largest=LARGEST) for what in RUNNING)
        made.rules[child.text("name")] = CollisionRule(child.text("material"), group, mask, *running)


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
        raise node.error(f"has eigenvalue {moments[0]:.6g} kg m², must be > 0; check signs and products")
    if violates_triangle(moments):
        raise node.error(
            f"has principal moments {', '.join(f'{m:.6g}' for m in moments)} kg m²; "
            "of a rigid body none is larger than the sum of the other two"
        )
    return inertia


def read_size(node: Node) -> Vector:
    """Return the numbers of a primitive's <dim>."""
    dim = node.need("dim")
    names = DIMENSIONS[node.tag]
    dim.check_leaf(names)
    size = tuple(dim.number(name, at_least=0.0) for name in names)
    # A capsule whose cap centres coincide is a sphere; every other length must be there.
    lengths = size[:1] if node.tag == "capsule" else size
    if min(lengths) <= 0.0:
        raise dim.error(f"in {node.place}: {' '.join(names)} = {size} must be > 0")
    return size


def read_quaternion(state: Node) -> Vector:
    """Return a unit quaternion (w, x, y, z)."""
    quaternion = state.vector("quat", 4, IDENTITY)
    norm = float(np.linalg.norm(quaternion))
    if abs(norm - 1.0) > 1e-3:
        raise state.error(
            f"quat={state.attributes['quat']!r} has length {norm:.6g}, must be 1; the order is w x y z"
        )
    return normalized(quaternion)


def read_parts(node: Node) -> list[CompoundPart]:
    """Read the <children> of a <compound>."""
    parts = []
    for child in node.need("children").children:
        if child.tag not in DIMENSIONS:
            raise child.error(
                f"a compound is made of {', '.join(DIMENSIONS)}{known_hint(child.tag, DIMENSIONS)}"
            )
        child.check(("name", "material", "appearance", "mass", "pos", "quat"), ("dim", "state", "pose"))
        place = child.one("state") or child.one("pose") or child
        if place is not child:
            place.check_leaf(("pos", "quat"))
        parts.append(
            CompoundPart(
                child.tag,
                read_size(child),
                position=place.vector("pos", 3, ORIGIN),
                orientation=read_quaternion(place),
                material=child.word("material"),
                color=color_of(child.word("appearance")),
            )
        )
    if not parts:
        raise node.error("has no children; a compound needs at least one")
    return parts


def read_mesh(node: Node, made: ObjectDescription, package_dirs: Sequence[Path], *, is_static: bool) -> None:
    """Read file, scale and mode of a <mesh>."""
    file, name = node, "file_name"
    if "file_name" not in node.attributes and node.one("file") is not None:
        file, name = node.need("file"), "name"
    path = find_file(file, name, package_dirs)
    scale = node.vector("scale", None, (1.0,)) if "scale" in node.attributes else (1.0,)
    child = node.one("scale")
    if child is not None and "scale" not in node.attributes:
        scale = tuple(child.number(axis, 1.0) for axis in "xyz")
    made.mesh = MeshFile(path, file.text(name), elements.factors(node, scale))
    default = "exact" if is_static else "hull"
    mode = node.choice("collision", MESH_MODES, default, fold=True)
    made.mesh_mode = mode
    if mode == "exact":
        made.mesh.resolution = node.number("resolution", 0.0, at_least=0.0)
    if mode == "decomposition":
        made.mesh.max_hulls = node.integer("max_hulls", 0)
        made.mesh.tolerance = node.number("tolerance", 0.0, at_least=0.0)
        if not 0 <= made.mesh.max_hulls <= MAX_HULLS:
            raise node.error(f"max_hulls={made.mesh.max_hulls} must be from 1 to {MAX_HULLS}, or left out")


def read_heights(node: Node, package_dirs: Sequence[Path]) -> tuple[HeightField, Vector]:
    """Return the heights of a <heightmap> and where its centre is.

    Raises:
        DescriptionError: No form or several, a file that is refused, wrong numbers.
    """
    node.check_attributes(("name", "material", "appearance", "collision_group",
                          "collision_mask", *MAP))  # fmt: skip
    node.check_children(("terrain_properties", "state"))
    centre = (node.number("center_x", 0.0), node.number("center_y", 0.0), 0.0)
    terrain = node.one("terrain_properties")
    forms = [name for name in ("height", "png", "text") if name in node.attributes]
    if len(forms) + (terrain is not None) != 1:
        raise node.error("must have one of height, png, text or <terrainProperties>")
    try:
        if terrain is not None:
            return _fractal(node, terrain), centre
        if forms == ["text"]:
            return HeightField.from_text(find_file(node, "text", package_dirs)), centre
        size = [node.number(name, above=0.0) for name in ("x_size", "y_size")]
        if forms == ["height"]:
            nx, ny = node.integer("x_sample"), node.integer("y_sample")
            values = node.vector("height", None)
            if nx < 2 or ny < 2 or len(values) != nx * ny:
                raise node.error(f"height holds {len(values)} numbers, x_sample × y_sample = {nx} × {ny}")
            return HeightField(np.reshape(values, (ny, nx)), size), centre
        scale, offset = ("height_scale", "height_offset")
        scale = scale if scale in node.attributes else "z_scale"
        offset = offset if offset in node.attributes else "z_offset"
        path = find_file(node, "png", package_dirs)
        made = HeightField.from_image(
            path, size, scale=node.number(scale, 1.0), offset=node.number(offset, 0.0)
        )
        return made, centre
    except DescriptionError:
        raise
    except (TypeError, ValueError) as error:
        raise node.error(str(error)) from None


def _fractal(node: Node, terrain: Node) -> HeightField:
    terrain.check_attributes((*TERRAIN, "x_size", "y_size", "x_sample", "y_sample",
                             "x_samples", "y_samples"))  # fmt: skip

    def number(name: str, default: float) -> float:
        owner = terrain if name in terrain.attributes else node
        return owner.number(name, default)

    samples = [int(number(f"{a}_samples", number(f"{a}_sample", 100))) for a in "xy"]
    return HeightField.fractal(
        size=(number("x_size", 10.0), number("y_size", 10.0)),
        samples=samples,
        frequency=terrain.number("frequency", 0.1),
        z_scale=terrain.number("z_scale", 2.0),
        octaves=terrain.integer("fractal_octaves", 5),
        lacunarity=terrain.number("fractal_lacunarity", 2.0),
        gain=terrain.number("fractal_gain", 0.5),
        step_size=terrain.number("step_size", 0.0),
        height_offset=terrain.number("height_offset", 0.0),
        seed=terrain.integer("seed", 0),
    )
