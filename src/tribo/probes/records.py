"""Scratch of a query about the shapes of a world: their poses, and a tree of boxes around them."""

from tribo.compiler.record import Record, field
from tribo.model import INT


class Scene(Record):
    """The shapes of a query at the present state."""

    is_seen = field("nshape", dtype=INT)  # 1: part of the query; set by the caller
    shape_pos = field("nshape", 3)  # [m] origin, world
    shape_rot = field("nshape", 9)  # [–] rotation matrix, shape to world
    box = field("nshape", 6)  # [m] min, max of each bounded shape, world
    order = field("nshape1", dtype=INT)  # shapes by leaf
    node_count = field(1, dtype=INT)  # number of nodes of the hierarchy
    bound = field("nnode", 6)  # [m] min, max; bounding volume hierarchy, depth first
    skip = field("nnode", dtype=INT)  # node to continue with after a miss
    leaf = field("nnode", dtype=INT)  # shape of a leaf; −1: inner node, its children follow
    waiting = field(64, 3, dtype=INT)  # nodes to split: node, first index in `order`, count
