"""Read and write RaiSim's XML world files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tribo.description.trees import Vector, WorldDescription
from tribo.formats import pair_attributes
from tribo.formats.nodes import Node
from tribo.formats.raisim_objects import read_classes, read_object
from tribo.formats.raisim_template import expand
from tribo.formats.raisim_wires import read_constraint, read_wire
from tribo.formats.raisim_write import write
from tribo.formats.report import Report, refuse
from tribo.formats.xml import is_text, wrong_root
from tribo.materials.table import Law, PairProperties, origins_of

NOT_YET = ("tendon", "tendon_coupling")
CHILDREN = (
    "material", "gravity", "time_step", "erp", "objects", "object_class", "camera", "wire", "constraint",
)  # fmt: skip
MAX_WIRES = 100_000
Pairs = dict[tuple[str, str], Law]
Origins = dict[tuple[str, str], dict[str, str]]  # of each pair: where its values come from

__all__ = ["read", "read_materials", "write"]


def read(
    source: str | Path,
    *,
    parameters: Mapping[str, object] | None = None,
    package_dirs: Sequence[Path] = (),
    strict: bool = False,
) -> WorldDescription:
    """Read a world; names may be spelled snake_case or camelCase.

    Args:
        source: Path of a file, or its text. Includes must stay in the folder of the file.
        parameters: Values for @@name in templates; a <params> in the file wins.
        package_dirs: Folders in which robots, meshes and heights are looked up, besides the file's own and
            the two above it.
        strict: Unknown tags and attributes are errors instead of notes.

    Raises:
        DescriptionError: Something is wrong or not supported yet; the message says where, what and
            the remedy.

    Example:
        >>> text = '<raisim><objects><ground name="floor" material="ice"/></objects></raisim>'
        >>> read(text).objects[0].material
        'ice'
    """
    root = expand(source, parameters)
    if root.tag != "raisim":
        raise wrong_root(root, "raisim")
    report = Report(strict=strict)
    report.begin(root)
    report.check_attributes(root, ("version",))
    report.check_children(root, CHILDREN, silent=("simulation", *NOT_YET))
    world = WorldDescription(source=None if is_text(source) else Path(source))
    classes: dict[str, Node] = {}
    for node in root.all("object_class"):
        read_classes(node, classes)
    names: dict[str, int] = {}
    for node in root.children:
        if node.tag in NOT_YET:
            raise refuse(node, f"<{node.tag}>", "remove it")
        if node.tag == "simulation":
            report.doubt(node, "solver settings of another engine are ignored")
        elif node.tag == "material":
            world.default_pair = _materials(
                node, world.default_pair, world.pairs, world.pair_origins, report
            )
        elif node.tag in {"wire", "constraint"}:
            if len(world.constraints) >= MAX_WIRES:
                raise node.error(f"more than {MAX_WIRES} wires and constraints; split the world")
            reader = read_wire if node.tag == "wire" else read_constraint
            world.constraints.append(reader(node, report))
        elif node.tag == "objects":
            for child in node.children:
                made = read_object(child, classes, report, package_dirs)
                if made.name and made.name in names:
                    text = f"{child.place}: line {names[made.name]} uses the same name"
                    report.note(text, f"name {made.name}")
                names.setdefault(made.name, child.line)
                world.objects.append(made)
        else:
            _setting(node, world, report)
    world.notes, world.doubts = report.notes, report.doubts
    return world


def read_materials(path: str | Path) -> tuple[Law, Pairs, Origins]:
    """Read the default pair and the pairs of a material file, or of a world file, and what says each value.

    Raises:
        DescriptionError: The message says where, what and the remedy.
    """
    root = expand(path)
    report = Report(strict=False)
    pairs: Pairs = {}
    origins: Origins = {}
    default: Law | None = None
    if root.tag in {"material", "materials"}:
        default = _materials(root, None, pairs, origins, report)
        return default or PairProperties(), pairs, origins
    found = [*root.all("material"), *root.all("materials")]
    if root.tag != "raisim" or not found:
        raise root.error("holds no materials; expected <material>, or <raisim> with one in it")
    for node in found:
        default = _materials(node, default, pairs, origins, report)
    return default or PairProperties(), pairs, origins


def _setting(node: Node, world: WorldDescription, report: Report) -> None:
    """Read a setting; the last one counts, so that a file overrides what it includes."""
    if node.tag == "time_step":
        report.check_attributes(node, ("value",))
        world.time_step = node.time_step("value")
    elif node.tag == "gravity":
        report.check_attributes(node, ("value",))
        gravity: Vector = node.vector("value", 3)
        world.gravity = gravity
    elif node.tag == "erp":
        report.check_attributes(node, ("erp", "erp2"))
        if "erp" in node.attributes:
            world.erp = node.number("erp", at_least=0.0)
        if "erp2" in node.attributes:
            world.erp2 = node.number("erp2", at_least=0.0)
    elif node.tag == "camera":
        world.camera = dict(node.attributes)


def _materials(
    node: Node, default: Law | None, pairs: Pairs, origins: Origins, report: Report
) -> Law | None:
    """Read a material block into `pairs` and `origins`; return the default pair."""
    report.check_children(node, ("default", "pair_prop"))
    for child in node.all("default"):
        default = pair_attributes.read(child, "the default pair", report)
    for child in node.all("pair_prop"):
        first, second = child.text("name1"), child.text("name2")
        if not first or not second:
            raise child.error("name1 and name2 must not be empty; name two materials")
        key = (first, second) if first <= second else (second, first)
        owner = f"pair {first!r}, {second!r}"
        made = pair_attributes.read(child, owner, report, "name1", "name2")
        if pairs.get(key, made) != made:
            report.doubt(child, f"pair {first!r}, {second!r} is set again, the last one counts")
        pairs[key] = made
        given = pair_attributes.given(child, made)
        origins[key] = origins_of(
            given, type(made), child.place, "standard value (not in the file)"
        )
    return default
