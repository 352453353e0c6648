"""Closed loops in URDF: RaiSim's <constraints> with <pin> and <equality>, read and written.

A constraint that holds more than a pin does is written as a pin and equations of points beside it: a
hinge keeps a point of its axis, a weld two points. Read again these are rows that lock the same directions.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from lxml import etree

from tribo.checks.check import LARGEST, with_article
from tribo.description.constraints import LOCKED, ConstraintDescription
from tribo.description.trees import TreeDescription, Vector
from tribo.engine.layout import COORDINATES
from tribo.formats.loops import CLOSING, across, drawn, holding, place_of, poses_at
from tribo.formats.nodes import Node, known_hint
from tribo.formats.pose import Pose, matrix, normalized
from tribo.formats.urdf_joints import UrdfJoint
from tribo.formats.written_xml import add
from tribo.model import Joint

MAX_CONSTRAINTS = 10_000
PARALLEL = 1e-12  # [–] sine of the least angle between two axes
SHUT = 1e-3  # [m] by which a loop may be open as drawn
ARM = 0.1  # [m] from the pin of a hinge or weld to the points that keep it from turning


def read_constraints(robot: Node, tree: TreeDescription) -> None:
    """Add the loops of a robot to its description; it then starts where they are closed."""
    for block in robot.all("constraints"):
        block.check(("nominal_config",), ("pin", "equality"))
        if not block.children:
            block.doubt("holds no loop")
            continue
        if tree.closed is not None:
            raise block.error("is the second of its kind; put all loops into one")
        if len(block.children) > MAX_CONSTRAINTS:
            raise block.error(f"has more than {MAX_CONSTRAINTS} elements")
        tree.closed = tree.start = _nominal(block, tree)
        poses = poses_at(tree, tree.closed)
        lines: dict[str, int] = {}
        for node in block.children:
            if node.tag not in {"pin", "equality"}:
                continue
            made = _read(node, tree, poses)
            if made.name in lines:
                raise node.error(
                    f"a constraint named {made.name!r} stands in line {lines[made.name]}; rename one"
                )
            if made.name:
                lines[made.name] = node.line
            tree.constraints.append(made)


def _nominal(block: Node, tree: TreeDescription) -> Vector:
    """Return the coordinates in which the loops are closed, quaternions of unit length."""
    count = sum(COORDINATES[body.joint.type] for body in tree.bodies)
    given = block.vector("nominal_config", count, largest=LARGEST)
    made: list[float] = []
    for body in tree.bodies:
        own = given[len(made) : len(made) + COORDINATES[body.joint.type]]
        if body.joint.type in (Joint.FREE, Joint.SPHERICAL):
            if not any(own[-4:]):
                raise block.error(f"nominal_config: the quaternion of {body.joint.name!r} is zero")
            own = (*own[:-4], *normalized(own[-4:]))
        made += own
    return tuple(made)


def _read(node: Node, tree: TreeDescription, poses: list[Pose]) -> ConstraintDescription:
    node.check(("name", "body1", "body2", "anchor"), ("axis",) if node.tag == "equality" else ())
    places = []
    for key in ("body1", "body2"):
        found = place_of(tree, node.text(key))
        if found is None:
            names = [frame.name for frame in tree.frames] + [body.name for body in tree.bodies]
            raise node.error(f"{key}={node.text(key)!r} is not a link{known_hint(node.text(key), names)}")
        places.append(found)
    (first, inner, link), (second, _, other) = places
    if first == second:
        raise node.error("body1 and body2 are one body: no joint is between them; name two links")
    axes = _axes(node) if node.tag == "equality" else np.eye(3)
    anchor = inner.point(node.vector("anchor", 3, largest=LARGEST))
    axes = matrix(inner.quaternion) @ axes
    name = node.word("name")
    made = holding(node.tag, (first, second), (poses[first], poses[second]), anchor, axes, name)
    made.links = link, other
    if node.tag == "equality":
        made.locked = (1 << len(list(node.all("axis")))) - 1
    return made


def close_loop(joint: UrdfJoint, tree: TreeDescription) -> None:
    """Add what a joint is whose child hangs on another joint already: it closes a loop.

    A URDF is a tree; exporters of CAD programs write closed chains in this way all the same.
    """
    node, made, kind = joint.node, joint.description, CLOSING.get(joint.description.type)
    if kind is None:
        raise node.error(
            f"link {joint.child!r} is the child of another joint already, so this one closes a loop, which a "
            f"{made.type.name.lower()} joint cannot; a fixed, revolute, continuous or spherical one can"
        )
    places = [place_of(tree, name) for name in (joint.parent, joint.child)]
    assert places[0] is not None
    assert places[1] is not None
    (first, inner, link), (second, own, other) = places[0], places[1]
    if first == second:
        raise node.error("ties two links that are one body; take it out")
    if tree.closed is None:
        tree.closed = tree.start = drawn(tree)
    ends = [inner @ Pose(made.position, made.quaternion), own]
    turn = across(made.axis)
    item = ConstraintDescription(
        kind, (first, second), np.array([end.position for end in ends]),
        np.array([matrix(end.quaternion) @ turn for end in ends]), LOCKED.get(kind, 0), made.name,
    )  # fmt: skip
    item.links = link, other
    tree.constraints.append(item)
    gap = opening(item, poses_at(tree, tree.closed))
    open_by = f"; it is open by {gap:.3g} m where the file draws the robot" if gap > SHUT else ""
    text = f"is the second joint above link {joint.child!r}: it closes a loop, as a {kind}{open_by}"
    if open_by:
        node.doubt(text)
    else:
        node.note(f"{text}")


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
        return np.roll(across(made[0].tolist()), 1, axis=1)
    return np.column_stack([*made, np.cross(made[0], made[1])])


def elements(item: ConstraintDescription) -> list[ConstraintDescription]:
    """Return pins and equalities that lock what a pin, weld, hinge or equality does; none for others."""
    beside: tuple[tuple[int, tuple[int, int, int], int], ...]  # offset along, axes, how many
    if item.type in {"pin", "equality"}:
        return [item]
    if item.type == "hinge":
        beside = ((2, (0, 1, 2), 2),)
    elif item.type == "weld":
        beside = ((0, (1, 2, 0), 2), (1, (2, 0, 1), 1))
    else:
        return []
    made = [replace(item, type="pin", locked=LOCKED["pin"])]
    for along, axes, count in beside:
        name = f"{item.name}/{len(made)}" if item.name else ""
        offset = ARM * item.axes[:, :, along]
        turned = item.axes[:, :, list(axes)]
        made.append(
            replace(item, type="equality", name=name, points=item.points + offset, axes=turned,
                    locked=(1 << count) - 1)
        )  # fmt: skip
    return made


def opening(item: ConstraintDescription, poses: list[Pose]) -> float:
    """Return by how much a constraint of a robot is violated at poses of its bodies [m]."""
    most = 0.0
    for part in elements(item):
        ends = [np.array(poses[part.bodies[k]].point(tuple(part.points[k]))) for k in range(2)]
        turn = matrix(poses[part.bodies[0]].quaternion) @ part.axes[0]
        gap = turn.T @ (ends[1] - ends[0])
        most = max([most, *(abs(gap[k]) for k in range(3) if part.locked >> k & 1)])
    return float(most)


def write_constraints(robot: etree._Element, tree: TreeDescription, notes: list[str]) -> None:
    """Add <constraints> to a robot; what has no element there goes into the notes."""
    block = None
    for item in tree.constraints:
        what = f"constraint {item.name!r}" if item.name else with_article(item.type)
        parts = elements(item) if min(item.bodies) >= 0 and tree.closed is not None else []
        if not parts:
            notes.append(f"{what} is not written: only what pins, welds or hinges two bodies has an element")
            continue
        assert tree.closed is not None
        if block is None:
            block = add(robot, "constraints", nominal_config=tree.closed)
        names = [tree.bodies[k].name for k in item.bodies]
        for part in parts:
            node = add(
                block, part.type, body1=names[0], body2=names[1], anchor=part.points[0],
                name=part.name or None,
            )  # fmt: skip
            if part.type == "equality":
                for k in range(3):
                    if part.locked >> k & 1:
                        add(node, "axis", xyz=part.axes[0][:, k])
