"""Objects that did not change since the last build: their part of the model is copied.

A run is a range of objects that are consecutive before and after. Copying it costs no more than copying
memory; indices in its arrays are shifted with the rows to which they refer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tribo.engine.layout import Column, Layout
from tribo.model import Model, Shape

# Sizes of arrays of a model, and the columns that count their rows.
ROWS = {
    "ntree": Column.TREE,
    "nbody": Column.BODY,
    "nshape": Column.SHAPE,
    "nq": Column.Q,
    "nv": Column.V,
    "nchain": Column.CHAIN,
    "nvertex": Column.VERTEX,
    "nadjacent": Column.VERTEX,
    "nface": Column.FACE,
    "ncorner": Column.CORNER,
    "nneighbour": Column.NEIGHBOUR,
    "ntriangle": Column.TRIANGLE,
    "nbox": Column.BOX,
    "nheight": Column.HEIGHT,
    "ncoupling": Column.COUPLING,
    "nterm": Column.TERM,
    "nactuator": Column.ACTUATOR,
    "nelement": Column.WAY,
}
# Fields that are indices, and the columns that count them. −1 is none.
REFERS = {
    "tree_body": Column.BODY,
    "tree_v": Column.V,
    "body_parent": Column.BODY,
    "body_tree": Column.TREE,
    "body_shape_start": Column.SHAPE,
    "body_chain_start": Column.CHAIN,
    "abreast_body": Column.BODY,
    "chain_dof": Column.V,
    "joint_q": Column.Q,
    "joint_v": Column.V,
    "joint_slot": Column.SLOT,
    "tree_coupling_slot": Column.SLOT,
    "coupling_body": Column.BODY,
    "coupling_slot": Column.SLOT,
    "coupling_term": Column.TERM,
    "coupling_path": Column.WAY,
    "element_body": Column.BODY,
    "term_dof": Column.V,
    "term_q": Column.Q,
    "actuator_coupling": Column.COUPLING,
    "actuator_body": Column.BODY,
    "dof_body": Column.BODY,
    "dof_row": Column.ROW,
    "shape_body": Column.BODY,
    "face_vertex": Column.VERTEX,
    "triangle": Column.VERTEX,
    "box_skip": Column.BOX,
    "box_triangle": Column.TRIANGLE,
}
# Columns of the first and third index of `shape_data`, by kind.
POOLS = {
    Shape.HULL: (Column.VERTEX, Column.FACE),
    Shape.SURFACE: (Column.TRIANGLE, Column.BOX),
    Shape.HEIGHT_MAP: (Column.HEIGHT, None),
}
# Computed for the whole world: constraints, reference bodies, collision filters.
FOUND_ANEW = frozenset(
    (
        "tree_is_constrained", "tree_is_single", "body_like", "body_group", "body_mask", "body_is_solid",
        "chain_row",
    )
)  # fmt: skip


@dataclass(slots=True)
class Run:
    """Objects `old` … `old + count` of the last build, which are `new` … now."""

    old: int
    new: int
    count: int


@dataclass(slots=True)
class Kept:
    """Parts of the last build to be copied."""

    model: Model
    layout: Layout
    places: np.ndarray  # of each object: its number in the last build, −1: new or changed

    def runs(self) -> Iterator[Run]:
        """Iterate over the runs."""
        is_kept = self.places >= 0
        follows = np.zeros(len(is_kept), bool)
        follows[1:] = is_kept[:-1] & (self.places[1:] == self.places[:-1] + 1)
        begins = np.flatnonzero(is_kept & ~follows)
        ends = np.flatnonzero(is_kept & ~np.append(follows[1:], False)) + 1
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            yield Run(int(self.places[begin]), begin, end - begin)


def copy(kept: Kept, run: Run, model: Model, layout: Layout) -> None:
    """Copy a run into the model of the present build."""
    first, last = kept.layout.starts[[run.old, run.old + run.count]]
    to = layout.starts[run.new]
    shift = to - first
    for name, declared in Model.fields.items():
        column = ROWS.get(str(declared.shape[0])) if declared.shape else None
        source, target = getattr(kept.model, name), getattr(model, name)
        if column is None or name in FOUND_ANEW or not len(source) or not len(target):
            continue
        rows = source[first[column] : last[column]]
        if name in REFERS:
            rows = _moved(rows, shift[REFERS[name]])
        target[to[column] : to[column] + len(rows)] = rows
    _move_pools(kept.model, model, first, last, to)


def _moved(rows: np.ndarray, shift: int) -> np.ndarray:
    """Return indices after a shift of the rows; −1 stays."""
    return np.asarray(np.where(rows >= 0, rows + shift, rows) if shift else rows)


def _move_pools(old: Model, new: Model, first: np.ndarray, last: np.ndarray, to: np.ndarray) -> None:
    """Write the indices into the pools of hulls and meshes."""
    shift = to - first
    a, b = first[Column.FACE], last[Column.FACE]
    if b > a:
        at = to[Column.FACE]
        new.face_start[at + 1 : at + 1 + b - a] = old.face_start[a + 1 : b + 1] + shift[Column.CORNER]
    _move_neighbours(old, new, first, last, to)
    if not shift.any():
        return
    shapes = slice(to[Column.SHAPE], to[Column.SHAPE] + last[Column.SHAPE] - first[Column.SHAPE])
    for kind, columns in POOLS.items():
        mine = np.flatnonzero(new.shape_kind[shapes] == kind) + shapes.start
        for place, column in zip((0, 2), columns, strict=True):
            if column is not None:
                new.shape_data[mine, place] += shift[column]


def _move_neighbours(old: Model, new: Model, first: np.ndarray, last: np.ndarray, to: np.ndarray) -> None:
    """Write the neighbours of the corners of large hulls: of vertices, then of faces."""
    shift = to - first
    a, b = first[Column.NEIGHBOUR], last[Column.NEIGHBOUR]
    if a == b or not shift.any():
        return
    vertices = slice(first[Column.VERTEX], last[Column.VERTEX])
    part = old.neighbour_part[vertices]
    marks = np.zeros(b - a + 1, np.int64)
    np.add.at(marks, part[part[:, 0] > 0, 1] - a, 1)
    np.add.at(marks, part[part[:, 0] > 0, 2] - a, -1)
    is_face = np.cumsum(marks[:-1]) > 0
    neighbour = slice(to[Column.NEIGHBOUR], to[Column.NEIGHBOUR] + b - a)
    new.vertex_neighbour[neighbour] += np.where(is_face, shift[Column.FACE], shift[Column.VERTEX])
    moved = slice(to[Column.VERTEX], to[Column.VERTEX] + vertices.stop - vertices.start)
    new.neighbour_part[moved] += np.where(part[:, :1] > 0, shift[Column.NEIGHBOUR], 0)
