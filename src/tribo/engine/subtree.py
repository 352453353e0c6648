"""One tree of a world's model on its own, for queries about a robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.engine.engine import Engine
from tribo.engine.layout import Span
from tribo.model import Kind, Model, Settings, Work
from tribo.queries.scratch import Scratch

_SPANS = {"nbody": "body", "nq": "q", "nv": "v", "nshape": "shape", "ncoupling": "coupling"}


@dataclass(slots=True)
class TreeRecords:
    """Records of one tree: body, coordinate and dof 0 are its first."""

    world_model: Model  # of which `model` is a part
    model: Model
    settings: Settings
    work: Work
    scratch: Scratch


def tree_records(engine: Engine, span: Span) -> TreeRecords:
    """Return the records for queries about one object, for all worlds of an engine."""
    model = tree_model(engine.model, span)
    sizes = dict.fromkeys(engine.sizes, 1)
    sizes |= {
        "nbody": span.body.stop - span.body.start,
        "nq": span.q.stop - span.q.start,
        "nv": span.v.stop - span.v.start,
        "nelement": engine.sizes["nelement"],
        "nmatrix": int((model.dof_depth + 1).sum()),
    }
    work, scratch = Work.allocate(sizes), Scratch.allocate(sizes)
    return TreeRecords(engine.model, model, engine.settings, work, scratch)


def tree_model(model: Model, span: Span) -> Model:
    """Return the part of a model that is one tree.

    Numbers share memory with the world, so its edits are seen; indices are copies relative to the tree's
    first body, coordinate and dof. The tree is dynamic and not treated as a single free body.
    """
    arrays: dict[str, np.ndarray] = {}
    for name, declared in Model.fields.items():
        array = model.arrays[name]
        size = declared.shape[0] if declared.shape else ""
        if size in _SPANS:
            array = array[:, getattr(span, _SPANS[str(size)])]
        elif size == "ntree":
            array = array[:, span.tree : span.tree + 1]
        arrays[name] = array.copy() if array.dtype == np.int64 else array
    _renumber(arrays, span)
    return Model.wrap(arrays)


def _renumber(arrays: dict[str, Any], span: Span) -> None:
    """Make all indices relative to the first body, coordinate and dof of the tree."""
    body, dof = span.body.start, span.v.start
    parent = arrays["body_parent"]
    parent[parent >= 0] -= body
    for name in ("coupling_body", "element_body"):
        arrays[name][arrays[name] >= 0] -= body
    arrays["term_q"] -= span.q.start
    arrays["term_dof"] -= dof
    arrays["joint_q"] -= span.q.start
    arrays["joint_v"] -= dof
    arrays["dof_body"] -= body
    arrays["abreast_body"] -= body
    for name in ("body_tree", "tree_body", "tree_v", "tree_is_single"):
        arrays[name][...] = 0
    arrays["tree_kind"][...] = Kind.DYNAMIC
    start, length = arrays["body_chain_start"], arrays["body_chain_len"]
    first = int(start[0, 0]) if start.size else 0
    chain = slice(first, first + int(length.sum()))
    start -= first
    row = int(arrays["dof_row"][0, 0]) if arrays["dof_row"].size else 0
    arrays["dof_row"] -= row
    arrays["chain_dof"] = arrays["chain_dof"][:, chain] - dof
    arrays["chain_row"] = arrays["chain_row"][:, chain] - row
