"""Closed loops in URDF: RaiSim's <constraints> with <pin> and <equality>, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from lxml import etree

from tribo.builder import COORDINATES
from tribo.constraint_description import ConstraintDescription
from tribo.description import TreeDescription, Vector
from tribo.formats.loops import holding, place_of, poses_at
from tribo.formats.pose import Pose, matrix, normalized
from tribo.formats.report import Report, known_hint
from tribo.formats.xml import Node
from tribo.model import Joint

MAX_CONSTRAINTS = 10_000
PARALLEL = 1e-12  # [–] sine of the least angle between two axes


def read_constraints(robot: Node, tree: TreeDescription, report: Report) -> None:
    """Add the loops of a robot to its description; it then starts where they are closed."""
    for block in robot.all("constraints"):
        report.check_attributes(block, ("nominal_config",))
        report.check_children(block, ("pin", "equality"))
        if not block.children:
            continue
        if tree.closed is not None:
            raise block.error("is the second of its kind; put all loops into one")
        if len(block.children) > MAX_CONSTRAINTS:
            raise block.error(f"has more than {MAX_CONSTRAINTS} elements")
        tree.closed = tree.start = _nominal(block, tree)
        poses = poses_at(tree, tree.closed)
        for node in block.children:
            if node.tag in {"pin", "equality"}:
                tree.constraints.append(_read(node, tree, poses, report))


def _nominal(block: Node, tree: TreeDescription) -> Vector:
    """Return the coordinates in which the loops are closed, quaternions of unit length."""
    count = sum(COORDINATES[body.joint.type] for body in tree.bodies)
    given = block.vector("nominal_config", count)
    made: list[float] = []
    for body in tree.bodies:
        own = given[len(made) : len(made) + COORDINATES[body.joint.type]]
        if body.joint.type in (Joint.FREE, Joint.SPHERICAL):
            if not any(own[-4:]):
                raise block.error(f"nominal_config: the quaternion of {body.joint.name!r} is zero")
            own = (*own[:-4], *normalized(own[-4:]))
        made += own
    return tuple(made)


def _read(
    node: Node, tree: TreeDescription, poses: list[Pose], report: Report
) -> ConstraintDescription:
    report.check_attributes(node, ("name", "body1", "body2", "anchor"))
    report.check_children(node, ("axis",) if node.tag == "equality" else ())
    places = []
    for key in ("body1", "body2"):
        found = place_of(tree, node.text(key))
        if found is None:
            names = [frame.name for frame in tree.frames] + [body.name for body in tree.bodies]
            raise node.error(
                f"{key}={node.text(key)!r} is not a link{known_hint(node.text(key), names)}"
            )
        places.append(found)
    (first, inner), (second, _) = places
    if first == second:
        raise node.error("body1 and body2 are one body: no joint is between them; name two links")
    axes = _axes(node) if node.tag == "equality" else np.eye(3)
    anchor = inner.point(node.vector("anchor", 3))
    axes = matrix(inner.quaternion) @ axes
    name = node.attributes.get("name", "").strip()
    made = holding(node.tag, (first, second), (poses[first], poses[second]), anchor, axes, name)
    if node.tag == "equality":
        made.locked = (1 << len(list(node.all("axis")))) - 1
    return made


def _axes(node: Node) -> np.ndarray:
    """Return three axes, columns, of which the first one or two span the locked directions."""
    given = [np.array(child.vector("xyz", 3)) for child in node.all("axis")]
    if len(given) not in {1, 2}:
        raise node.error(f"has {len(given)} <axis>, must have one or two; three are a <pin>")
    made: list[np.ndarray] = []
    for axis, child in zip(given, node.all("axis"), strict=True):
        length = float(np.linalg.norm(axis))
        rest = axis / length if length > 0.0 else axis
        for other in made:
            rest = rest - other * (other @ rest)
        size = float(np.linalg.norm(rest))
        if not size > PARALLEL:
            raise child.error("is zero or parallel to the other one; give another direction")
        made.append(rest / size)
    if len(made) == 1:
        made.append(np.cross(made[0], np.eye(3)[int(np.argmin(np.abs(made[0])))]))
        made[1] /= np.linalg.norm(made[1])
    return np.column_stack([*made, np.cross(made[0], made[1])])


def write_constraints(
    robot: etree._Element, tree: TreeDescription, notes: list[str],
    numbers: Callable[[Iterable[float]], str],
) -> None:  # fmt: skip
    """Add <constraints> to a robot; what has no element there goes into the notes."""
    block = None
    for item in tree.constraints:
        what = f"constraint {item.name!r}" if item.name else f"a {item.type}"
        if item.type not in {"pin", "equality"} or min(item.bodies) < 0 or tree.closed is None:
            notes.append(f"{what} is not written: only loops of pins have an element")
            continue
        if block is None:
            block = etree.SubElement(robot, "constraints", nominal_config=numbers(tree.closed))
        names = [tree.bodies[k].name for k in item.bodies]
        node = etree.SubElement(
            block, item.type, body1=names[0], body2=names[1], anchor=numbers(item.points[0])
        )
        if item.name:
            node.set("name", item.name)
        if item.type == "equality":
            for k in range(3):
                if item.locked >> k & 1:
                    etree.SubElement(node, "axis", xyz=numbers(item.axes[0][:, k]))
