"""Write a world as RaiSim's XML; every number reads back bitwise the same."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from lxml import etree

from tribo.checks.replacing import write_all_whole, write_whole
from tribo.description import colors
from tribo.description.hulls import Hull, Surface
from tribo.description.trees import (
    DescriptionError,
    MeshFile,
    ObjectDescription,
    TreeDescription,
    WorldDescription,
)
from tribo.formats import pair_attributes, urdf_write
from tribo.formats.raisim_objects import DIMENSIONS, INERTIA_NAMES
from tribo.formats.raisim_wires import write_constraint
from tribo.formats.written_xml import Value, add, put
from tribo.materials.table import Law, MaterialTable
from tribo.model import Kind

VERSION = "2.3.0"

Names = tuple[str, str]


class _Beside:
    """Files to write beside a world's, of robots and their meshes; no two take one name."""

    def __init__(self, path: Path, spared: Iterable[Path]) -> None:
        self._path = path
        home, self._spared = path.resolve().parent, {file.resolve() for file in spared}
        self._taken = {file.name.casefold() for file in self._spared if file.parent == home}
        self.files: dict[Path, str] = {}

    def take(self, name: str, ending: str) -> Path:
        """Return a file for a robot: its name, in letters that every disk can hold, or that with a number."""
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", name) or "robot"
        made, k = f"{self._path.stem}.{plain}.{ending}", 1
        while (
            made.casefold() in self._taken
            or self._path.with_name(made).resolve() in self._spared  # a link to it
        ):
            k += 1
            made = f"{self._path.stem}.{plain}_{k}.{ending}"
        self._taken.add(made.casefold())
        return self._path.with_name(made)


def write(world: WorldDescription, path: str | Path, spared: Iterable[Path] = ()) -> None:
    """Write a world file that `read` turns into an equal description.

    Args:
        world: The description to write. Robots are referenced by their URDF's path, relative to the file if
            that is possible. A robot that was given as text, or has no file, gets one of its own beside the
            world's: ``world.xml`` and ``world.NAME.urdf``; meshes of it that no file holds get files
            ``world.NAME.obj``.
        path: File to write; an existing one is replaced, as are those of robots.
        spared: Files of which the world is made: none of them is replaced.

    Raises:
        DescriptionError: Something has no place in the format; the message names it.
        OSError: The file cannot be written.
    """
    path, spared = Path(path), list(spared)
    if path.resolve() in {file.resolve() for file in spared}:
        raise DescriptionError(f"{path}: the world is made of this file; choose another name")
    root = etree.Element("raisim", version=VERSION)
    add(root, "timeStep", value=world.time_step)
    add(root, "gravity", value=world.gravity)
    if world.erp is not None or world.erp2 is not None:
        add(root, "erp", erp=world.erp, erp2=world.erp2)
    if world.default_pair is not None or world.pairs:
        _material(add(root, "material"), world.default_pair, world.pairs)
    objects = add(root, "objects")
    beside = _Beside(path, spared)
    for item in world.objects:
        if item.type in DIMENSIONS or item.type in {"compound", "mesh"}:
            _single(objects, item, path)
        elif item.type == "heightmap":
            _height_map(objects, item)
        elif item.type == "ground":
            height = item.size[0] if item.size else 0.0
            add(objects, "ground", **_common(item), height=height)
        elif item.type == "articulated_system":
            _articulated(objects, item, path, beside)
        else:
            raise DescriptionError(f"object {item.name!r}: type {item.type!r} cannot be written")
    for tie in world.constraints:
        write_constraint(root, tie, _text)
    if world.camera:
        add(root, "camera", **{key: _text(value) for key, value in world.camera.items()})
    text = etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)
    robots = {file: content.encode() for file, content in beside.files.items()}
    write_all_whole({**robots, path: text})


def _single(parent: etree._Element, item: ObjectDescription, path: Path) -> None:
    kind = None if item.kind == Kind.DYNAMIC else item.kind.name.lower()
    node = add(parent, item.type, **_common(item), mass=item.mass, body_type=kind, com=item.com)
    if item.type == "compound":
        children = add(node, "children")
        for part in item.parts:
            look = None if part.color is None else colors.given(part.color, "color")
            child = add(children, part.kind, material=_text(part.material) or None, appearance=look)
            _dim(child, part.kind, part.size, item.name)
            add(child, "state", pos=part.position, quat=part.orientation)
    elif item.mesh is not None and item.mesh.path is not None:
        put(
            node, file_name=_text(_reference(item.mesh.path, path)), scale=item.mesh.scale,
            collision=item.mesh_mode, max_hulls=str(item.mesh.max_hulls) if item.mesh.max_hulls else None,
            tolerance=item.mesh.tolerance or None, resolution=item.mesh.resolution or None,
        )  # fmt: skip
    elif item.type == "mesh":
        raise DescriptionError(f"object {item.name!r}: a 'mesh' without a file cannot be written")
    else:
        _dim(node, item.type, item.size, item.name)
    if item.inertia is not None:
        numbers = np.asarray(item.inertia)[np.triu_indices(3)]
        add(node, "inertia", **dict(zip(INERTIA_NAMES, numbers, strict=True)))
    add(
        node, "state", pos=item.position, quat=item.quaternion, lin_vel=item.linear_velocity,
        ang_vel=item.angular_velocity, com_pos=item.com_position,
    )  # fmt: skip
    _rules(node, item)


def _dim(node: etree._Element, kind: str, size: Sequence[float], owner: str) -> None:
    names = DIMENSIONS[kind]
    if len(size) != len(names):
        raise DescriptionError(f"object {owner!r}: size {size} must hold {' '.join(names)}")
    add(node, "dim", **dict(zip(names, size, strict=True)))


def _height_map(parent: etree._Element, item: ObjectDescription) -> None:
    assert item.heights is not None
    values = item.heights.heights
    x, y, _ = item.position
    node = add(
        parent, "heightmap", **_common(item), x_sample=str(values.shape[1]), y_sample=str(values.shape[0]),
        x_size=item.heights.size[0], y_size=item.heights.size[1], center_x=x, center_y=y, height=values,
    )  # fmt: skip
    if (*item.position, *item.quaternion) != (x, y, 0.0, 1.0, 0.0, 0.0, 0.0):
        add(node, "state", pos=item.position, quat=item.quaternion)


def _articulated(parent: etree._Element, item: ObjectDescription, path: Path, beside: _Beside) -> None:
    urdf = item.urdf
    if urdf is None:
        urdf = beside.take(item.name, "urdf")
        if item.tree is not None:
            beside.files[urdf] = _own_urdf(item, item.tree, path, beside)
        elif item.urdf_text is not None:
            beside.files[urdf] = item.urdf_text
        else:
            raise DescriptionError(f"object {item.name!r}: a robot without a URDF cannot be written")
    values = _common(item)
    values["urdf_path"] = _text(_reference(urdf, path))
    values["convexify_meshes"] = "1" if item.collision_meshes == "decomposition" else None
    if item.collision_meshes in {"hull", "none"}:
        values["collision_meshes"] = item.collision_meshes
    values["self_collision"] = item.self_collision
    values["collide_parent"] = "1" if item.collide_parent else None
    if any(len(name.split()) != 1 for name in item.joint_order):
        raise DescriptionError(
            f"object {item.name!r}: names of joints with blanks have no place in joint_order; rename them"
        )
    values["joint_order"] = _text(" ".join(item.joint_order)) or None
    node = add(parent, "articulatedSystem", **values)
    coordinate, velocity = item.generalized_coordinate, item.generalized_velocity
    if coordinate is not None or velocity is not None:
        add(node, "state", qpos=coordinate, qvel=velocity)
    if item.drive:
        add(node, "drive", **item.drive)
    _rules(node, item)


def _own_urdf(item: ObjectDescription, tree: TreeDescription, path: Path, beside: _Beside) -> str:
    """Return the URDF of a robot that no file describes; solids in memory become files beside the world's."""
    bodies = []
    for body in tree.bodies:
        shapes = []
        for shape in body.shapes:
            solid = shape.geometry
            if shape.mesh is None and isinstance(solid, (Hull, Surface)):
                file = beside.take(item.name, "obj")
                beside.files[file] = obj(solid.vertices, solid.triangles)
                mode = "exact" if isinstance(solid, Surface) else "hull"
                shapes.append(replace(shape, mesh=MeshFile(file, file.name, collision=mode)))
            else:
                shapes.append(shape)
        bodies.append(replace(body, shapes=shapes))
    whole = replace(tree, bodies=bodies)
    text, notes = urdf_write.to_text(whole, name=item.name, folder=path.resolve().parent, exact=True)
    if notes:
        raise DescriptionError(f"object {item.name!r}: {notes[0]}; use world.snapshot() to go on")
    return text


def _rules(node: etree._Element, item: ObjectDescription) -> None:
    """Add what of collision bodies differs from their object."""
    for name, rule in item.rules.items():
        running = {"surface_velocity": rule.surface_velocity, "belt_velocity": rule.belt_velocity}
        add(
            node, "collision_body", name=_text(name), material=_text(rule.material),
            collision_group=str(int(rule.group)), collision_mask=str(int(rule.mask)),
            **{what: value for what, value in running.items() if any(value)},
        )  # fmt: skip


def _reference(urdf: Path, path: Path) -> str:
    """Return a path relative to the world file; absolute when there is none (another drive)."""
    try:
        relative = os.path.relpath(urdf.resolve(), path.resolve().parent)
    except ValueError:
        return urdf.resolve().as_posix()
    return "[THIS_DIR]/" + Path(relative).as_posix()


def _common(item: ObjectDescription) -> dict[str, Value]:
    return {
        "name": _text(item.name),
        "material": _text(item.material) if item.type != "articulated_system" else None,
        "appearance": _text(item.appearance) or None,
        "collision_group": None if item.group is None else str(int(item.group)),
        "collision_mask": None if item.mask is None else str(int(item.mask)),
    }


def write_materials(table: MaterialTable, path: str | Path) -> None:
    """Write the default pair and all pairs of a table as a file that `World.load_materials` reads.

    Raises:
        DescriptionError: A pair has no place in the format; the message names it.
        OSError: The file cannot be written.
    """
    root = etree.Element("material")
    _material(root, table.default, {(first, second): pair for first, second, pair in table})
    text = etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)
    write_whole(path, text)


def _material(node: etree._Element, default: Law | None, pairs: Mapping[Names, Law]) -> None:
    """Append the default pair and pairs to an element."""
    if default is not None:
        add(node, "default", **_law(default))
    for (first, second), pair in sorted(pairs.items()):
        add(node, "pair_prop", name1=_text(first), name2=_text(second), **_law(pair))


def _law(law: Law) -> dict[str, str]:
    return {name: _text(value) for name, value in pair_attributes.written(law).items()}


def _text(value: str) -> str:
    """Refuse what would read back as a template, or not at all."""
    if any(word in value for word in ("@@", "{", "}")) or value != value.strip():
        raise DescriptionError(f"{value!r} cannot be written: it holds @@, a brace or outer blanks")
    if any(unicodedata.category(letter) in {"Cc", "Cn", "Cs"} for letter in value):
        raise DescriptionError(f"{value!r} cannot be written: it holds a control character")
    return value


def obj(vertices: np.ndarray, triangles: np.ndarray) -> str:
    """Return triangles as an OBJ file whose numbers read back bit for bit.

    Args:
        vertices: (n, 3) [m].
        triangles: (m, 3) entries of `vertices`.

    Example:
        >>> import numpy as np
        >>> print(obj(np.array([[0.1, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])), end="")
        v 0.1 0.0 0.0
        v 1.0 0.0 0.0
        v 0.0 1.0 0.0
        f 1 2 3
    """
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, float).tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (np.asarray(triangles) + 1).tolist()]
    return "\n".join([*lines, ""])
