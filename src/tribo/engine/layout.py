"""Sizes of an object in each array of its world, and where its part begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tribo.description.hulls import Heights, Hull, Surface
from tribo.description.trees import BodyDescription, JointDescription, TreeDescription
from tribo.enums import COUPLING_SLOTS
from tribo.model import FEW_CORNERS, Joint, Kind, Shape

COORDINATES = {Joint.FIXED: 0, Joint.REVOLUTE: 1, Joint.PRISMATIC: 1, Joint.SPHERICAL: 4, Joint.FREE: 7}
SLOTS = {Joint.FIXED: 0, Joint.REVOLUTE: 3, Joint.PRISMATIC: 3, Joint.SPHERICAL: 7, Joint.FREE: 0}
DOFS = {Joint.FIXED: 0, Joint.REVOLUTE: 1, Joint.PRISMATIC: 1, Joint.SPHERICAL: 3, Joint.FREE: 6}

CLOSED_FORM = (Shape.PLANE, Shape.SPHERE, Shape.BOX, Shape.CAPSULE, Shape.MESH)


class Column(IntEnum):
    """Columns of `Layout.counts`; the first `SUMMED` have a range in the arrays of the world."""

    TREE = 0
    BODY = 1
    SHAPE = 2
    Q = 3
    V = 4
    SLOT = 5  # of impulses of scalar rows
    CHAIN = 6  # dofs that move each body
    ROW = 7  # entries of the packed mass matrix
    VERTEX = 8
    FACE = 9
    CORNER = 10  # of faces
    NEIGHBOUR = 11  # neighbours of the corners of large hulls
    TRIANGLE = 12
    BOX = 13  # of trees around triangles
    HEIGHT = 14
    COUPLING = 15
    TERM = 16  # joints of couplings
    ACTUATOR = 17  # with a law of their own
    WAY = 18  # elements of paths of couplings
    GENERAL = 19  # shapes without a closed form
    OUTLINE = 20  # corners of the largest face
    LARGE = 21  # hulls of more than `FEW_CORNERS`
    TERRAIN = 22  # surfaces and height maps


SUMMED = 19  # columns
_SPANNED = (
    Column.BODY, Column.SHAPE, Column.Q, Column.V, Column.SLOT, Column.COUPLING, Column.ACTUATOR,
    Column.TREE,
)  # fmt: skip


@dataclass(slots=True)
class Span:
    """The index ranges of an object, for each kind."""

    body: slice
    shape: slice
    q: slice
    v: slice
    slot: slice  # of impulses of scalar rows
    coupling: slice
    actuator: slice
    trees: slice

    @property
    def tree(self) -> int:
        """Number of its tree; of several objects that of the first."""
        return int(self.trees.start)


@dataclass(slots=True)
class Layout:
    """Sizes of each object of a world, (n, columns), and its offsets, (n + 1, SUMMED)."""

    counts: np.ndarray
    starts: np.ndarray

    def span(self, first: int, last: int | None = None) -> Span:
        """Return the ranges of an object, or of consecutive ones first … last − 1."""
        begin = self.starts[first].tolist()
        end = self.starts[first + 1 if last is None else last].tolist()
        return Span(*(slice(begin[k], end[k]) for k in _SPANNED))


def joint_types(description: TreeDescription) -> list[Joint]:
    """Return the joint type of each body; the root of a static object is fixed."""
    types = [body.joint.type for body in description.bodies]
    if description.kind == Kind.STATIC:
        types[0] = Joint.FIXED
    return types


def coordinate_counts(description: TreeDescription) -> tuple[int, int]:
    """Return the numbers of coordinates and dofs of a tree in a world."""
    types = joint_types(description)
    return sum(COORDINATES[joint] for joint in types), sum(DOFS[joint] for joint in types)


def reference_of(joint: JointDescription, kind: Joint) -> tuple[float, ...]:
    """Return the coordinates at which the spring of a joint is at rest."""
    if joint.spring_reference is not None:
        return joint.spring_reference
    identity = (1.0, 0.0, 0.0, 0.0)
    return {Joint.FIXED: (), Joint.SPHERICAL: identity, Joint.FREE: (0.0, 0.0, 0.0, *identity)}.get(
        kind, (0.0,)
    )


def leader_of(bodies: Sequence[BodyDescription], name: str) -> int:
    """Return the body whose joint has a name."""
    return [body.joint.name for body in bodies].index(name)


def follow(description: TreeDescription, q: np.ndarray) -> None:
    """Set the coordinates of mimic joints. q = ratio · q_leader + offset"""
    starts, first = [], 0
    for joint in joint_types(description):
        starts.append(first)
        first += COORDINATES[joint]
    followers = [k for k, body in enumerate(description.bodies) if body.joint.mimic is not None]
    for _ in followers:  # a chain of mimic joints is at most as long as their number
        for k in followers:
            leader, ratio, offset = description.bodies[k].joint.mimic or ("", 1.0, 0.0)
            q[starts[k]] = ratio * q[starts[leader_of(description.bodies, leader)]] + offset


def slot_count(description: TreeDescription) -> int:
    """Return the number of slots for impulses of scalar rows of a tree."""
    own = sum(SLOTS[joint] for joint in joint_types(description))
    return own + COUPLING_SLOTS * len(description.all_couplings)


def actuator_count(description: TreeDescription) -> int:
    """Return the number of actuators of a tree with a law of their own."""
    return sum(actuator.law is not None for actuator in description.actuators)


def counts_of(description: TreeDescription) -> tuple[int, ...]:
    """Return the size of an object in each column."""
    n = [0] * len(Column)
    n[Column.TREE] = 1
    depths: list[int] = []
    for body, joint in zip(description.bodies, joint_types(description), strict=True):
        above = depths[body.parent] if body.parent >= 0 else 0
        depths.append(above + DOFS[joint])
        n[Column.BODY] += 1
        n[Column.SHAPE] += len(body.shapes)
        n[Column.Q] += COORDINATES[joint]
        n[Column.V] += DOFS[joint]
        n[Column.SLOT] += SLOTS[joint]
        n[Column.CHAIN] += depths[-1]
        n[Column.ROW] += sum(range(above + 1, depths[-1] + 1))
        for shape in body.shapes:
            n[Column.GENERAL] += shape.kind not in CLOSED_FORM
            if shape.geometry is not None:
                _count(shape.geometry, n)
    couplings = description.all_couplings
    n[Column.COUPLING] = len(couplings)
    n[Column.TERM] = sum(len(one.terms) + len(one.inner) for one in couplings)
    n[Column.WAY] = sum(len(one.way) + len(one.inner_way) for one in couplings)
    n[Column.SLOT] += COUPLING_SLOTS * len(couplings)
    n[Column.ACTUATOR] = actuator_count(description)
    return tuple(n)


def _count(geometry: Hull | Surface | Heights, n: list[int]) -> None:
    """Add the sizes of a geometry in the pools."""
    if isinstance(geometry, Heights):
        n[Column.HEIGHT] += geometry.values.size
        n[Column.TERRAIN] += 1
        return
    n[Column.VERTEX] += len(geometry.vertices)
    if isinstance(geometry, Surface):
        n[Column.TRIANGLE] += len(geometry.triangles)
        n[Column.BOX] += len(geometry.boxes)
        n[Column.TERRAIN] += 1
        return
    n[Column.FACE] += len(geometry.faces)
    n[Column.CORNER] += sum(len(face) for face in geometry.faces)
    n[Column.OUTLINE] = max([n[Column.OUTLINE], *(len(face) for face in geometry.faces)])
    if len(geometry.vertices) > FEW_CORNERS:
        n[Column.LARGE] += 1
        n[Column.NEIGHBOUR] += 6 + sum(map(len, sum(geometry.rings, ())))


def laid_out(counts: np.ndarray) -> Layout:
    """Return the layout of consecutive objects with these sizes."""
    starts = np.zeros((len(counts) + 1, SUMMED), np.int64)
    np.cumsum(counts[:, :SUMMED], axis=0, out=starts[1:])
    return Layout(counts, starts)
