"""Which links of one robot may touch each other, as SRDF says it, also inside a URDF.

    <disable_collisions link1="a" link2="b" reason="Never"/>
    <enable_collisions link1="a" link2="c"/>
    <disable_default_collisions link="d"/>

Without a rule all pairs may touch but a link and its parent. Links that fixed joints merged share the rules
of their body. Source: http://wiki.ros.org/srdf and MoveIt.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tribo.description.trees import TreeDescription
from tribo.formats.report import Report, known_hint

if TYPE_CHECKING:
    from tribo.formats.xml import Node

RULES = ("disable_default_collisions", "disable_collisions", "enable_collisions")
MAX_PAIRS = 1_000_000  # of links that `disable_default_collisions` names
SILENT = (
    "group", "group_state", "end_effector", "virtual_joint", "passive_joint", "joint_property",
    "link_sphere_approximation", "chain", "rotor_params", "gripper",
)  # fmt: skip


def set_pair(tree: TreeDescription, first: int, second: int, *, touching: bool) -> None:
    """Let two bodies of a robot touch each other, or pass through each other."""
    low, high = sorted((first, second))
    if tree.bodies[high].parent == low:
        tree.bodies[high].joint.collision_enabled = touching
    elif not touching:
        tree.ignored.add((low, high))
    if touching:
        tree.ignored.discard((low, high))


def ignored_pairs(tree: TreeDescription) -> list[tuple[int, int]]:
    """Return all pairs of bodies that pass through each other, the lower number first, sorted."""
    neighbours = {
        (body.parent, k)
        for k, body in enumerate(tree.bodies)
        if body.parent >= 0 and not body.joint.collision_enabled
    }
    return sorted(neighbours | tree.ignored)


def read_srdf(tree: TreeDescription, source: str | Path, *, strict: bool) -> None:
    """Apply the collision rules of an SRDF file, or its text, to a robot; the rest of it is not read.

    Raises:
        DescriptionError: It cannot be read; with `strict` also what the robot does not have.
    """
    from tribo.formats.xml import parse

    root = parse(source, "SRDF")
    if root.tag != "robot":
        raise root.error("is not an SRDF; the outermost element must be <robot>")
    report = Report(strict=strict)
    report.check_children(root, RULES, SILENT)
    apply(tree, root, report)
    tree.notes += report.notes
    tree.doubts += report.doubts


def apply(tree: TreeDescription, root: Node, report: Report) -> None:
    """Apply the rules among the children of an element, all `disable` before all `enable`."""
    bodies = {frame.name: frame.body for frame in tree.frames}
    bodies |= {body.name: k for k, body in enumerate(tree.bodies)}
    alone: set[int] = set()
    for node in root.all("disable_default_collisions"):
        report.check_attributes(node, ("link",))
        here = _body(node, "link", bodies, report)
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
            report.check_attributes(node, ("link1", "link2", "reason"))
            first = _body(node, "link1", bodies, report)
            second = _body(node, "link2", bodies, report)
            if first is not None and second is not None and first != second:
                set_pair(tree, first, second, touching=touching)


def _body(node: Node, key: str, bodies: dict[str, int], report: Report) -> int | None:
    """Return the body of a link, None if there is none."""
    name = node.text(key)
    if name not in bodies:
        hint = known_hint(name, bodies)
        report.doubt(node, f"names link {name!r}, which does not exist{hint}", f"rule for {name}")
        return None
    return bodies[name]
