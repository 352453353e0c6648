"""Scratch of a query about the shapes of a world: their poses, and a tree of boxes around them."""

from tribo.compiler.record import Record, field
from tribo.model import INT


class Scene(Record):
    """The shapes of a query at the present state."""

    is_seen = field("nshape", dtype=INT)  # 1: part of the query; set by the caller
    shape_pos = field("nshape", 3)  # [m] world
    shape_rot = field("nshape", 9)
    box = field("nshape", 6)  # [m] min, max of each bounded shape, world
    order = field("nshape1", dtype=INT)  # shapes in the order of the leaves
    node_count = field(1, dtype=INT)
    bound = field("nnode", 6)  # [m] min, max; a tree of boxes, depth first
    skip = field("nnode", dtype=INT)  # the node to continue with if this one is missed
    leaf = field("nnode", dtype=INT)  # the shape in a node, −1: its children follow
    waiting = field(64, 3, dtype=INT)  # nodes to be split: node, first of `order`, count
