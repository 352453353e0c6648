"""Read and write RaiSim's XML world files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tribo.description.trees import WorldDescription
from tribo.formats import pair_attributes
from tribo.formats.nodes import Node
from tribo.formats.raisim_objects import read_classes, read_object
from tribo.formats.raisim_template import expand
from tribo.formats.raisim_wires import read_constraint, read_wire
from tribo.formats.raisim_write import write
from tribo.formats.report import Report
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
    report = Report(strict=strict)
    root = expand(source, report, parameters)
    if root.tag != "raisim":
        raise wrong_root(root, "raisim")
    root.check(("version",), CHILDREN, ("simulation", *NOT_YET))
    world = WorldDescription(source=None if is_text(source) else Path(source))
    classes: dict[str, Node] = {}
    for node in root.all("object_class"):
        read_classes(node, classes)
    names: dict[str, int] = {}
    for node in root.children:
        if node.tag in NOT_YET:
            raise node.refused(f"<{node.tag}>", "remove it")
        if node.tag == "simulation":
            node.doubt("solver settings of another engine are ignored")
        elif node.tag == "material":
            world.default_pair = _materials(node, world.default_pair, world.pairs, world.pair_origins)
        elif node.tag in {"wire", "constraint"}:
            if len(world.constraints) >= MAX_WIRES:
                raise node.error(f"more than {MAX_WIRES} wires and constraints; split the world")
            reader = read_wire if node.tag == "wire" else read_constraint
            world.constraints.append(reader(node))
        elif node.tag == "objects":
            for child in node.children:
                made = read_object(child, classes, package_dirs)
                if made.name and made.name in names:
                    child.note(f"line {names[made.name]} uses the same name", f"name {made.name}")
                names.setdefault(made.name, child.line)
                world.objects.append(made)
        else:
            _setting(node, world)
    world.notes, world.doubts = report.notes, report.doubts
    return world


def read_materials(path: str | Path) -> tuple[Law, Pairs, Origins]:
    """Read the default pair and the pairs of a material file, or of a world file, and what says each value.

    Raises:
        DescriptionError: The message says where, what and the remedy.
    """
    root = expand(path, Report(strict=False))
    pairs: Pairs = {}
    origins: Origins = {}
    default: Law | None = None
    found = [*root.all("material"), *root.all("materials")]
    if root.tag in {"material", "materials"}:
        found = [root]
    elif root.tag != "raisim" or not found:
        raise root.error("holds no materials; expected <material>, or <raisim> with one in it")
    for node in found:
        default = _materials(node, default, pairs, origins)
    return default or PairProperties(), pairs, origins


def _setting(node: Node, world: WorldDescription) -> None:
    """Read a setting; the last one counts, so that a file overrides what it includes."""
    if node.tag == "time_step":
        node.check_leaf(("value",))
        world.time_step = node.time_step("value")
    elif node.tag == "gravity":
        node.check_leaf(("value",))
        world.gravity = node.vector("value", 3)
    elif node.tag == "erp":
        node.check_leaf(("erp", "erp2"))
        for name, number in node.numbers(("erp", "erp2"), at_least=0.0).items():
            setattr(world, name, number)
    elif node.tag == "camera":
        world.camera = dict(node.attributes)


def _materials(node: Node, default: Law | None, pairs: Pairs, origins: Origins) -> Law | None:
    """Read a material block into `pairs` and `origins`; return the default pair."""
    node.check_children(("default", "pair_prop"))
    for child in node.all("default"):
        default = pair_attributes.read(child, "the default pair")
    for child in node.all("pair_prop"):
        first, second = child.text("name1"), child.text("name2")
        if not first or not second:
            raise child.error("name1 and name2 must not be empty; name two materials")
        key = (first, second) if first <= second else (second, first)
        owner = f"pair {first!r}, {second!r}"
        made = pair_attributes.read(child, owner, "name1", "name2")
        if pairs.get(key, made) != made:
            child.doubt(f"pair {first!r}, {second!r} is set again, the last one counts")
        pairs[key] = made
        given = pair_attributes.given(child, made)
        origins[key] = origins_of(given, type(made), child.place, "standard value (not in the file)")
    return default
