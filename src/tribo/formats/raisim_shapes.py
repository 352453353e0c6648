"""Read the bodies of a RaiSim world that are more than one primitive: meshes, compounds, height maps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

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
from tribo.formats import elements
from tribo.formats.nodes import Node, known_hint
from tribo.formats.pose import normalized
from tribo.formats.raisim_template import find_file

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


def read_size(node: Node) -> Vector:
    """Return the numbers of a primitive's <dim>."""
    dim = node.need("dim")
    names = DIMENSIONS[node.tag]
    dim.check_attributes(names)
    size = tuple(dim.number(name, at_least=0.0) for name in names)
    # A capsule whose cap centres coincide is a sphere; every other length must be there.
    lengths = size[:1] if node.tag == "capsule" else size
    if min(lengths) <= 0.0:
        raise dim.error(f"in {node.place}: {' '.join(names)} = {size} must be > 0")
    return size


def read_quaternion(state: Node, name: str = "quat") -> Vector:
    """Return a unit quaternion (w, x, y, z)."""
    quaternion = state.vector(name, 4, IDENTITY)
    norm = float(np.linalg.norm(quaternion))
    if abs(norm - 1.0) > 1e-3:
        raise state.error(
            f"{name}={state.attributes[name]!r} has length {norm:.6g}, must be 1; "
            "the order is w x y z"
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
        child.check(
            ("name", "material", "appearance", "mass", "pos", "quat"), ("dim", "state", "pose")
        )
        place = child.one("state") or child.one("pose") or child
        if place is not child:
            place.check_attributes(("pos", "quat"))
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


def read_mesh(
    node: Node, made: ObjectDescription, package_dirs: Sequence[Path], *, is_static: bool
) -> None:
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
            raise node.error(
                f"max_hulls={made.mesh.max_hulls} must be from 1 to {MAX_HULLS}, or left out"
            )


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
                raise node.error(
                    f"height holds {len(values)} numbers, x_sample × y_sample = {nx} × {ny}"
                )
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
