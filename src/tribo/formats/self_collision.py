"""Which links of one robot may touch each other, as SRDF says it, also inside a URDF.

    <disable_collisions link1="a" link2="b" reason="Never"/>
    <enable_collisions link1="a" link2="c"/>
    <disable_default_collisions link="d"/>

Without a rule all pairs may touch but a link and its parent, and those that are drawn in one another
(`tribo.readout.drawn_overlaps`). Links that fixed joints merged share the rules of their body.
Source: http://wiki.ros.org/srdf and MoveIt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import combinations
from pathlib import Path

from tribo.checks import check
from tribo.description.trees import DescriptionError, ShapeDescription, TreeDescription
from tribo.engine.builder import ALL_GROUPS
from tribo.formats.nodes import Node, known_hint
from tribo.formats.report import Report

RULES = ("disable_default_collisions", "disable_collisions", "enable_collisions")
LAST_BIT = 62  # of shapes that pass through each other: the first class has it, others those below
MAX_PAIRS = 1_000_000  # of links that `disable_default_collisions` names
DEFAULT = "not overlapping"
MODES = (DEFAULT, "all", "none", "as in file")
SILENT = (
    "group", "group_state", "end_effector", "virtual_joint", "passive_joint", "joint_property",
    "link_sphere_approximation", "chain", "rotor_params", "gripper",
)  # fmt: skip


def set_pair(tree: TreeDescription, first: int, second: int, *, touching: bool) -> None:
    """Let two bodies of a robot touch each other, or pass through each other."""
    low, high = sorted((first, second))
    if tree.bodies[high].parent == low:
        tree.bodies[high].joint.collision_enabled = touching
    elif touching:
        tree.enabled.add((low, high))
    else:
        tree.ignored.add((low, high))
        tree.enabled.discard((low, high))
    if touching:
        tree.ignored.discard((low, high))


def part_by_bits(
    shapes: Iterable[tuple[ShapeDescription, Collection[str]]], apart: Collection[frozenset[str]], most: int
) -> int:
    """Let shapes of different robots pass through each other: each class of them has a bit of its own.

    Args:
        shapes: Each with the names under which pairs speak of it; without any it stays as it is.
        apart: Pairs of names whose shapes shall not meet, of one name those with each other.
        most: Classes that get bits.

    Returns:
        The classes that there are; if they are more than `most`, no shape was changed.
    """
    classes: dict[frozenset[str], list[ShapeDescription]] = {}
    for shape, names in shapes:
        if names:
            classes.setdefault(frozenset(names), []).append(shape)
    if len(classes) > most:
        return len(classes)
    bits = {names: 1 << (LAST_BIT - k) for k, names in enumerate(sorted(classes, key=sorted))}
    for names, alike in classes.items():
        mask = ALL_GROUPS
        for others, bit in bits.items():
            if any(frozenset((a, b)) in apart for a in names for b in others):
                mask &= ~bit
        for shape in alike:
            shape.group, shape.mask = bits[names], mask
    return len(classes)


def ignored_pairs(tree: TreeDescription) -> list[tuple[int, int]]:
    """Return all pairs of bodies that pass through each other, the lower number first, sorted."""
    neighbours = {
        (body.parent, k)
        for k, body in enumerate(tree.bodies)
        if body.parent >= 0 and not body.joint.collision_enabled
    }
    return sorted(neighbours | tree.ignored)


def choose(tree: TreeDescription, mode: str | None) -> None:
    """Let all or no links touch if the mode says so; None: the mode that the description has.

    Overlaps as drawn are found later, where shapes have their places (`tribo.readout.drawn_overlaps`).

    Raises:
        ValueError: There is no such mode.
    """
    if mode is not None:
        tree.self_collision = check.choice(mode, MODES, "self_collision")
    if tree.self_collision == "all":
        tree.ignored.clear()
    elif tree.self_collision == "none":
        count = len(tree.bodies)
        if count * count > 2 * MAX_PAIRS:
            raise ValueError(
                f"self_collision='none' for {count} links are too many pairs; use collision_mask"
            )
        for a, b in combinations(range(count), 2):
            set_pair(tree, a, b, touching=False)


def read_beside(tree: TreeDescription, path: Path, report: Report) -> None:
    """Apply the rules of the SRDF that comes with a URDF: of the same name, beside it or in ../srdf."""
    for place in (path.with_suffix(".srdf"), path.parent.parent / "srdf" / f"{path.stem}.srdf"):
        if not place.is_file():
            continue
        try:
            read_srdf(tree, place, strict=report.strict)
        except DescriptionError as error:
            if report.strict:
                raise
            text = f"the SRDF that comes with it cannot be used: {error}"
            report.note(text, is_doubt=True)
        else:
            report.note(f"its rules of self-collision are those of {place}")
        return


def read_srdf(tree: TreeDescription, source: str | Path, *, strict: bool) -> None:
    """Apply the collision rules of an SRDF file, or its text, to a robot; the rest of it is not read.

    Raises:
        DescriptionError: It cannot be read; with `strict` also what the robot does not have.
    """
    from tribo.formats.xml import parse

    report = Report(strict=strict)
    root = parse(source, "SRDF", report)
    if root.tag != "robot":
        raise root.error("is not an SRDF; the outermost element must be <robot>")
    root.check_children(RULES, SILENT)
    apply(tree, root)
    tree.notes += report.notes
    tree.doubts += report.doubts


def apply(tree: TreeDescription, root: Node) -> None:
    """Apply the rules among the children of an element, all `disable` before all `enable`."""
    bodies = {frame.name: frame.body for frame in tree.frames}
    bodies |= {body.name: k for k, body in enumerate(tree.bodies)}
    alone: set[int] = set()
    for node in root.all("disable_default_collisions"):
        node.check_leaf(("link",))
        here = _body(node, "link", bodies)
        if here is None or here in alone:
            continue
        alone.add(here)
        if len(alone) * len(tree.bodies) > MAX_PAIRS:
            raise node.error(
                f"disables more than {MAX_PAIRS} pairs of links with those before it; use groups and masks"
            )
        for k in range(len(tree.bodies)):
            if k != here:
                set_pair(tree, here, k, touching=False)
    for tag, touching in (("disable_collisions", False), ("enable_collisions", True)):
        for node in root.all(tag):
            node.check_leaf(("link1", "link2", "reason"))
            first = _body(node, "link1", bodies)
            second = _body(node, "link2", bodies)
            if first is not None and second is not None and first != second:
                set_pair(tree, first, second, touching=touching)


def _body(node: Node, key: str, bodies: dict[str, int]) -> int | None:
    """Return the body of a link, None if there is none."""
    name = node.text(key)
    if name not in bodies:
        hint = known_hint(name, bodies)
        node.doubt(f"names link {name!r}, which does not exist{hint}", f"rule for {name}")
        return None
    return bodies[name]
