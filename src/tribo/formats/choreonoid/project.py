"""Read a project file: which bodies stand where, which materials they have, gravity and time step.

A project is a tree of items with their plugins' data. Read are the world, its bodies, its tables of materials
and its simulator; views, controllers and all else that is a program's are left out, and said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tribo.description.trees import IDENTITY, Vector
from tribo.formats.choreonoid.keys import Angles, check_keys, list_of, truth, value, word
from tribo.formats.choreonoid.links import Placement
from tribo.formats.mesh_files import MeshFinder
from tribo.formats.other_kinds import is_project
from tribo.formats.pose import Pose, quaternion_of
from tribo.formats.report import Report
from tribo.formats.yaml_nodes import YamlNode, parse

GRAVITY = (0.0, 0.0, -9.80665)  # [m/s²] of a simulator item that says nothing
TIME_STEP = 1e-3  # [s]
SHARE, PROJECT = "${SHARE}", "${PROJECT_DIR}"
MAX_ITEMS, MAX_NESTED = 5000, 60
SKEWED = 1e-4  # [–] by which a 3 × 3 attitude may differ from a rotation: nine digits are written
ITEM = ("id", "name", "plugin", "class", "data", "children", "is_checked", "is_selected", "is_sub_item",
        "is_temporary", "checks", "attributes", "is_expanded")  # fmt: skip
BODY = (
    "file", "model_file", "format", "current_base_link", "root_position", "root_attitude",
    "root_translation", "root_rotation", "initial_root_position", "initial_root_attitude",
    "initial_root_translation", "initial_root_rotation", "joint_displacements", "joint_positions",
    "initial_joint_displacements", "initial_joint_positions", "fix_root", "static_model",
    "collision_detection", "self_collision_detection", "zmp", "is_editable", "location_editable",
    "lock_location", "scene_sensitive", "enable_joint_limits", "transparency", "parent_body_linkage",
    "local_translation", "local_rotation", "enable_attachment", "parent_link", "link_kinematics",
    "visible_link_selection_mode", "is_scene_body_draggable",
)  # fmt: skip
LINKED = ("parent_body_linkage", "enable_attachment", "parent_link")
REDUCTION = {
    "ContactReduction": 1.0,
    "ContactReductionBinResolution": 3.0,
    "ContactReductionThreshhold": 12.0,
}


@dataclass(slots=True)
class BodyItem:
    """A body of a project: its file, and how the project puts it into the world."""

    name: str
    place: str  # in the project file
    path: Path
    placement: Placement
    collides: bool = True


@dataclass(slots=True)
class ProjectFile:
    """Contents of a project."""

    name: str
    time_step: float = TIME_STEP
    gravity: Vector = GRAVITY
    tables: list[Path] = field(default_factory=list)  # of materials, each put over those before
    bodies: list[BodyItem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


def read(source: str | Path, *, package_dirs: Sequence[Path] = (), strict: bool = False) -> ProjectFile:
    r"""Read a project file of Choreonoid; the files that it names are found, not read.

    Args:
        source: Path of a project, or its text.
        package_dirs: Folders that may stand for ``${SHARE}``, and in which files are looked up besides those
            around the project.
        strict: Unknown elements and omissions are errors instead of notes.

    Raises:
        DescriptionError: It is no project, or names what is not there; the message says where.

    Example:
        >>> text = "items:\n  class: RootItem\n  children:\n"
        >>> text += "    - { class: WorldItem, name: W, children: [ { class: AGXSimulatorItem,\n"
        >>> text += "        name: S, data: { timestep: 0.005, Gravity: [ 0, 0, -1.62 ] } } ] }\n"
        >>> found = read(text)
        >>> found.time_step, found.gravity
        (0.005, (0.0, 0.0, -1.62))
    """
    report = Report(strict=strict)
    root = parse(source, "project file", report).need("mapping", "a project file")
    top = root.get("items")
    if top is None:
        raise root.error("is no project of Choreonoid: it has no items")
    path = Path(source) if is_project(source) and "\n" not in str(source) else None
    made = ProjectFile(path.stem if path is not None else "project")
    files = MeshFinder(path, package_dirs)
    worlds = [item for item in _items([top.need("mapping", "items")]) if _kind(item) == "WorldItem"]
    if not worlds:
        raise top.error("has no WorldItem: there is nothing to simulate")
    for other in worlds[1:]:
        other.doubt("a second WorldItem is left out; make a project of its own")
    world = worlds[0]
    _table(_data(world), ("default_material_table_file", "material_table_file"), files, made)
    simulators = []
    for item in _items(list_of(world, "children")):
        check_keys(item, ITEM, "an item", is_open=True)
        kind = _kind(item)
        if kind == "BodyItem":
            made.bodies.append(_body(item, files))
        elif kind == "MaterialTableItem":
            _table(_data(item), ("file",), files, made)
        elif kind.endswith("SimulatorItem"):
            simulators.append(item)
        else:
            item.note(f"{kind[:60]} is left out", f"item {kind[:60]}")
    _simulator(world, simulators, made)
    made.notes, made.doubts = report.notes, report.doubts
    return made


def _find(node: YamlNode, finder: MeshFinder) -> tuple[Path | None, str]:
    """Return (path, "") of what a project names, around itself or in the user's folders; (None, why not)."""
    reference = node.word().replace("\\", "/")
    for variable in (SHARE, PROJECT):
        reference = reference.removeprefix(variable + "/")
    if "${" in reference:
        return None, f"only {SHARE} and {PROJECT} are known, at the beginning"
    found, reason = finder.look_up(reference)
    if found is None and node.word().startswith(SHARE):
        reason += f"; {SHARE} is Choreonoid's folder share: give it in package_dirs"
    return found, reason


def _items(nodes: Sequence[YamlNode]) -> Iterator[YamlNode]:
    """Go through items and all below them, those of a world included."""
    todo = [(node, 0) for node in reversed(nodes)]
    count = 0
    while todo:
        node, depth = todo.pop()
        node.need("mapping", "an item")
        count += 1
        if count > MAX_ITEMS or depth > MAX_NESTED:
            raise node.error(f"more than {MAX_ITEMS} items, or {MAX_NESTED} within one another")
        yield node
        todo += [(child, depth + 1) for child in reversed(list_of(node, "children"))]


def _kind(node: YamlNode) -> str:
    return word(node, "class").rpartition("::")[2]


def _data(node: YamlNode) -> YamlNode:
    """Return the data of an item; an empty mapping where it has none."""
    found = node.get("data")
    if found is None:
        return YamlNode("mapping", node.file, node.line, node.column, node.report)
    return found.need("mapping", "data of an item")


def _table(data: YamlNode, keys: tuple[str, ...], files: MeshFinder, made: ProjectFile) -> None:
    for key in keys:
        node = value(data, key)
        if node is None:
            continue
        found, reason = _find(node, files)
        if found is None:
            node.doubt(f"the material table {node.shown()} is left out: {reason}")
        else:
            made.tables.append(found)
        return


def _body(item: YamlNode, files: MeshFinder) -> BodyItem:
    data = _data(item)
    name = word(item, "name")
    check_keys(data, BODY, "a BodyItem", is_open=True)
    node = value(data, "file") or value(data, "model_file")
    if node is None:
        raise item.error(f"BodyItem {name!r} names no file")
    found, reason = _find(node, files)
    if found is None:
        raise node.error(f"BodyItem {name!r}: {node.shown()}: {reason}")
    for key in LINKED:
        at = value(data, key)
        if at is not None and (at.text, at.as_bool()) != ("unlinked", None) and at.as_bool() is not False:
            at.doubt(f"{key} of {name!r} is left out: it stands by itself")
    limits = truth(data, "enable_joint_limits")
    if limits is False:
        data.doubt(f"enable_joint_limits of {name!r} is left out: its joints keep their ranges")
    fixed = truth(data, "fix_root")
    if fixed is None and truth(data, "static_model"):
        fixed = True
    placement = Placement(_pose(data), _joints(data), fixed, truth(data, "self_collision_detection"))
    collides = truth(data, "collision_detection")
    return BodyItem(name, item.place, found, placement, collides is not False)


def _pose(data: YamlNode) -> Pose | None:
    """Return where the root starts, None where the file says; what it was at first wins."""
    place = turn = None
    for key in ("root_position", "root_translation", "initial_root_position", "initial_root_translation"):
        node = value(data, key)
        place = place if node is None else node.numbers(3)
    for key in ("root_attitude", "initial_root_attitude"):
        node = value(data, key)
        turn = turn if node is None else _attitude(node)
    for key in ("root_rotation", "initial_root_rotation"):
        node = value(data, key)
        turn = turn if node is None else Angles(degrees=True).turn(node)
    if place is None and turn is None:
        return None
    return Pose(place or (0.0, 0.0, 0.0), turn or IDENTITY)


def _attitude(node: YamlNode) -> Vector:
    """Return the quaternion of a rotation matrix, written row by row."""
    matrix = np.array(node.numbers(9)).reshape(3, 3)
    error = float(np.abs(matrix @ matrix.T - np.eye(3)).max())
    if error > SKEWED or np.linalg.det(matrix) < 0.0:
        raise node.error(f"must be a rotation matrix, row by row; R Rᵀ is off by {error:.2g}")
    return quaternion_of(matrix)


def _joints(data: YamlNode) -> tuple[float, ...]:
    """Return the displacements of joints at the start in the order of their ids [rad, m].

    Newer files write degrees, of sliding joints, too: Choreonoid turns all its numbers alike.
    """
    made: list[float] = []
    for key, unit in (
        ("joint_positions", 1.0), ("initial_joint_positions", 1.0),
        ("joint_displacements", math.pi / 180.0), ("initial_joint_displacements", math.pi / 180.0),
    ):  # fmt: skip
        node = value(data, key)
        if node is None:
            continue
        if key == "joint_displacements":
            made = []
        items = node.need("list", key).items
        made[: len(items)] = [unit * item.number() for item in items]
    return tuple(made)


def _simulator(world: YamlNode, found: Sequence[YamlNode], made: ProjectFile) -> None:
    """Take gravity and time step from a simulator item: the first of AGX Dynamics, else the first."""
    if not found:
        world.doubt(f"has no simulator item: gravity is {GRAVITY} m/s², the time step {TIME_STEP} s")
        return
    chosen = next((item for item in found if _kind(item) == "AGXSimulatorItem"), found[0])
    for other in found:
        if other is not chosen:
            other.note(f"{_kind(other)[:60]} is left out, {_kind(chosen)[:60]} counts")
    data = _data(chosen)
    gravity = data.get("gravity", "Gravity")
    if gravity is not None:
        made.gravity = gravity.numbers(3)
    step = data.get("time_step", "timeStep", "timestep")
    if step is not None:
        made.time_step = step.number()
        if not 1e-9 <= made.time_step <= 10.0:
            raise step.error(f"the time step must be from 1e-9 to 10 s, got {made.time_step:g}")
    for key, usual in REDUCTION.items():
        node = data.get(key)
        if node is None:
            continue
        truth = node.as_bool()
        given = float(truth) if truth is not None else node.number()
        if given != usual:
            node.doubt(
                f"{key} is left out; set contact_reduction_mode, contact_reduction_bin_resolution of the "
                "pairs of materials"
            )
