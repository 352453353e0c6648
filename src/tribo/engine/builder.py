"""From the descriptions of a world to its Model, and the sizes of State, Command and Work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from tribo.description.extents import body_bounds, box_of, rotation_matrix
from tribo.description.hulls import Heights, Hull, Surface
from tribo.description.trees import BodyDescription, TreeDescription
from tribo.engine import abreast, coupled
from tribo.engine.kept_runs import Kept, copy
from tribo.engine.layout import (
    COORDINATES,
    DOFS,
    SLOTS,
    Column,
    Layout,
    counts_of,
    joint_types,
    laid_out,
    reference_of,
)
from tribo.enums import CONSTRAINT_SLOTS
from tribo.materials.table import Find, MaterialTable
from tribo.model import FEW_CORNERS, Command, Constraint, Joint, Kind, Model, Pair, Settings, State

MOVABLE_GROUP = 1  # collision group of moving objects
STATIC_GROUP = -(1 << 63)  # bit 63
ALL_GROUPS = -1

POLYTOPE = 48  # points of an expanding polytope
TOUCHES = 32  # contacts of one pair before their reduction
PILE = 64  # contacts of a solid with terrain before their reduction
DEEP = 120.0  # mean of (depth + 1)² over the dofs, above which articulated bodies are faster than rows of M


@dataclass(slots=True)
class Part:
    """One object, as input of the builder."""

    description: TreeDescription
    pose: np.ndarray  # (7,) of the root, if that is fixed
    shape_ids: Sequence[int]
    group: int
    mask: int


@dataclass(slots=True)
class ConstraintInput:
    """A constraint, as input of the builder: bodies count from the first of the world, −1: the world."""

    kind: Constraint
    bodies: tuple[int, int]
    points: np.ndarray  # (2, 3) [m] in the bodies
    axes: np.ndarray  # (2, 9) axes of the constraint in the bodies
    locked: int = 0
    stretch: int = 0
    collide: bool = True  # whether the two bodies may touch
    path: Sequence[tuple[int, np.ndarray]] = ()  # of a wire: bodies, and points (3,) [m] in them


@dataclass(slots=True)
class Capacity:
    """Capacity for pairs, contacts, rows and the problem of an island; enlarged when a step needs more."""

    pairs: int = 256
    contacts: int = 32
    rows: int = 4096
    columns: int = 24
    dense: int = 256
    nodes: int = 1
    values: int = 1
    frictions: int = 0

    @property
    def lane_groups(self) -> int:
        """Largest number of groups: each has two contacts or more (`contact_lane_groups`)."""
        return (self.contacts + 1) // 2

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes of records that follow from the capacity."""
        return {
            "max_pair": self.pairs,
            "max_contact": self.contacts,
            "max_lane_group": self.lane_groups,
            "max_row": self.rows,
            "ncolumn": self.columns,
            "ndense": self.dense,
            "nnode": self.nodes,
            "nvalue": self.values,
        }

    def grown(
        self,
        pairs: int = 0,
        contacts: int = 0,
        rows: int = 0,
        columns: int = 0,
        dense: int = 0,
        nodes: int = 0,
        values: int = 0,
        frictions: int = 0,
    ) -> Capacity:
        """Return a capacity for these counts plus half; what grows is at least doubled.

        A step that finds a table too small is repeated, so this should be rare.
        """

        def room(have: int, count: int) -> int:
            return have if 3 * count <= 2 * have else max(2 * have, 3 * count // 2)

        return Capacity(
            room(self.pairs, pairs),
            room(self.contacts, contacts),
            room(self.rows, rows),
            max(self.columns, (columns + 3) // 4 * 4),  # lanes take four
            (room(self.dense, dense) + 3) // 4 * 4,
            room(self.nodes, nodes),
            room(self.values, values),
            room(self.frictions, frictions),
        )


def is_deep(depths: np.ndarray) -> bool:
    """Tell whether rows of M cost more than articulated bodies, by the depths of the dofs."""
    if len(depths) ** 2 <= DEEP:  # no chain is longer
        return False
    return bool(np.mean((depths + 1.0) ** 2) > DEEP)


def _symmetric(matrix: np.ndarray) -> list[float]:
    m = np.asarray(matrix, float)
    return [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]


def _sizes(
    layout: Layout, materials: MaterialTable, capacity: Capacity, constraints: Sequence[ConstraintInput]
) -> dict[str, int]:
    joined = len(constraints)
    count = dict(zip(Column, layout.starts[-1].tolist(), strict=False))
    general, large, terrain = (
        bool(layout.counts[:, column].any()) for column in (Column.GENERAL, Column.LARGE, Column.TERRAIN)
    )
    slots = count[Column.SLOT]
    return {
        "nbody": count[Column.BODY],
        "nconstraint": joined,
        "nend": 2 * joined,
        "npath": sum(len(item.path) for item in constraints),
        "nslot": slots + CONSTRAINT_SLOTS * joined,
        # Two stops of a joint share a slot.
        "nscalar": slots + slots // 3 + CONSTRAINT_SLOTS * joined + capacity.frictions,
        "ntree": count[Column.TREE],
        "ntree1": count[Column.TREE] + 1,
        "nq": count[Column.Q],
        "nv": count[Column.V],
        "nwide": max(capacity.columns, (count[Column.V] + 3) // 4 * 4),
        "nmatrix": count[Column.ROW],
        "nchain": count[Column.CHAIN],
        "nshape": count[Column.SHAPE],
        "nshape1": count[Column.SHAPE] + 1,
        "nmaterial": len(materials.names),
        "nvertex": count[Column.VERTEX],
        "nneighbour": count[Column.NEIGHBOUR],
        "nadjacent": count[Column.VERTEX] if large else 0,
        "ntriangle": count[Column.TRIANGLE],
        "nbox": count[Column.BOX],
        "nheight": count[Column.HEIGHT],
        "ncoupling": count[Column.COUPLING],
        "nterm": count[Column.TERM],
        "nactuator": count[Column.ACTUATOR],
        "nelement": count[Column.WAY],
        "nface": count[Column.FACE],
        "nface1": count[Column.FACE] + 1,
        "ncorner": count[Column.CORNER],
        "npolytope": POLYTOPE if general else 0,
        "npolytope2": 2 * POLYTOPE if general else 0,
        "noutline": max(6, int(layout.counts[:, Column.OUTLINE].max())) if general else 0,
        "ntouch": TOUCHES if general else 0,
        "npile": PILE if terrain else 0,
        **capacity.sizes,
    }


class _Filler:
    """Writes the objects of a world into a Model, one after another."""

    def __init__(self, model: Model, materials: MaterialTable, layout: Layout) -> None:
        self.model, self.materials, self.layout = model, materials, layout
        self.body = self.shape = self.q = self.v = self.row = self.slot = self.chain = 0
        self.vertex = self.face = self.corner = self.neighbour = self.triangle = self.box = 0
        self.height = self.coupling = self.term = self.actuator = self.way = 0
        self.chain_of: list[list[int]] = []  # of each body of the object

    def add(self, tree: int, part: Part) -> None:
        """Write one object."""
        (
            _, self.body, self.shape, self.q, self.v, self.slot, self.chain, self.row, self.vertex, self.face,
            self.corner, self.neighbour, self.triangle, self.box, self.height, self.coupling, self.term,
            self.actuator, self.way,
        ) = self.layout.starts[tree].tolist()  # fmt: skip
        self.chain_of = []
        first = (self.body, self.shape, self.v)
        m = self.model
        m.tree_body[tree] = self.body
        m.tree_body_count[tree] = len(part.description.bodies)
        m.tree_v[tree] = self.v
        m.tree_kind[tree] = part.description.kind
        types = joint_types(part.description)
        for body, joint in zip(part.description.bodies, types, strict=True):
            self._body(tree, part, first[0], body, joint)
            self._shapes(part, body, first[1])
        m.tree_nv[tree] = self.v - first[2]
        places = coupled.Places(first[0], self.slot, self.coupling, self.term, self.actuator, self.way)
        coupled.write(m, part.description, places)
        self._order(first[0], [body.parent for body in part.description.bodies], types)
        m.tree_is_deep[tree] = is_deep(m.dof_depth[first[2] : self.v])

    def _order(self, root: int, parents: list[int], types: Sequence[Joint]) -> None:
        """Write the order in which the bodies of a tree are computed, and their groups side by side."""
        at = root
        for group in abreast.in_order(parents, types):
            self.model.abreast_body[at : at + len(group)] = [root + i for i in group]
            self.model.abreast_size[at] = len(group)
            at += len(group)

    def _body(self, tree: int, part: Part, root: int, body: BodyDescription, joint: Joint) -> None:
        m, i = self.model, self.body
        parent = -1 if body.parent < 0 else root + body.parent
        m.body_parent[i] = parent
        m.body_tree[i] = tree
        m.body_mass[i] = body.mass
        m.body_com[i] = body.com
        m.body_inertia[i] = _symmetric(body.inertia)
        m.body_support[i] = body.gravity_compensation
        m.body_box[i], m.body_radius[i] = body_bounds(body)
        m.joint_type[i] = joint
        m.joint_q[i], m.joint_v[i] = self.q, self.v
        position: Sequence[float] = body.joint.position
        quaternion: Sequence[float] = body.joint.quaternion
        if parent < 0 and joint != Joint.FREE:
            position, quaternion = part.pose[:3].tolist(), part.pose[3:].tolist()
        m.joint_pos[i] = position
        m.joint_rot[i] = rotation_matrix(quaternion).ravel()
        m.joint_axis[i] = body.joint.axis
        m.joint_slot[i] = self.slot
        m.joint_is_cone[i] = body.joint.is_cone
        m.joint_collides[i] = body.joint.collision_enabled
        m.joint_lower[i], m.joint_upper[i] = body.joint.lower, body.joint.upper
        m.joint_stop_compliance[i] = body.joint.stop_compliance
        m.joint_stop_damping[i] = body.joint.stop_spook_damping
        m.joint_stop_force[i] = body.joint.stop_force_range
        m.spring_reference[self.q : self.q + COORDINATES[joint]] = reference_of(body.joint, joint)
        chain = list(self.chain_of[body.parent]) if parent >= 0 else []
        rows: list[int] = []
        dofs = slice(self.v, self.v + DOFS[joint])
        m.dof_body[dofs] = i
        m.dof_damping[dofs] = body.joint.damping
        if joint == Joint.FREE:
            m.dof_damping[self.v : self.v + 3] += body.drag[0]
            m.dof_damping[self.v + 3 : self.v + 6] += body.drag[1]
        m.dof_armature[dofs] = body.joint.armature
        m.dof_stiffness[dofs] = body.joint.stiffness
        m.dof_friction[dofs] = body.joint.friction
        m.dof_speed[dofs] = inf if joint == Joint.FREE else body.joint.velocity
        m.dof_effort_lower[dofs], m.dof_effort_upper[dofs] = body.joint.effort_range
        m.dof_effort_is_total[dofs] = body.joint.effort_is_total
        m.dof_is_moved[dofs] = part.description.kind == Kind.DYNAMIC
        for dof in range(dofs.start, dofs.stop):
            rows.append(self.row)
            chain.append(dof)
            self.row += len(chain)
        m.dof_row[dofs] = rows
        m.dof_depth[dofs] = range(len(chain) - len(rows), len(chain))
        self.chain_of.append(chain)
        m.body_chain_start[i], m.body_chain_len[i] = self.chain, len(chain)
        m.chain_dof[self.chain : self.chain + len(chain)] = chain
        self.chain += len(chain)
        self.q += COORDINATES[joint]
        self.v += DOFS[joint]
        self.slot += SLOTS[joint]
        self.body += 1

    def _shapes(self, part: Part, body: BodyDescription, first: int) -> None:
        m = self.model
        m.body_shape_start[self.body - 1] = self.shape
        m.body_shape_count[self.body - 1] = len(body.shapes)
        replaced = 2 if any(shape.is_point for shape in body.shapes) else 0
        for shape in body.shapes:
            s = self.shape
            m.shape_point[s] = 1 if shape.is_point else replaced
            m.shape_body[s] = self.body - 1
            m.shape_kind[s] = shape.kind
            m.shape_size[s] = (*shape.size, 0.0, 0.0, 0.0)[:3]
            m.shape_pos[s] = shape.position
            m.shape_rot[s] = rotation_matrix(shape.quaternion).ravel()
            m.shape_material[s] = self.materials.index(shape.material)
            m.shape_group[s] = part.group if shape.group is None else shape.group
            m.shape_mask[s] = part.mask if shape.mask is None else shape.mask
            m.shape_id[s] = part.shape_ids[s - first]
            if shape.geometry is not None:
                m.shape_box[s] = box_of(shape.geometry)
            if isinstance(shape.geometry, Hull):
                self._hull(s, shape.geometry)
            elif isinstance(shape.geometry, Surface):
                self._surface(s, shape.geometry)
            elif isinstance(shape.geometry, Heights):
                values = shape.geometry.values
                m.shape_data[s] = self.height, values.shape[1], values.shape[0], 0
                m.height[self.height : self.height + values.size] = values.ravel()
                self.height += values.size
            self.shape += 1

    def _hull(self, s: int, hull: Hull) -> None:
        """Write the corners and faces of a hull into the pools."""
        m, v = self.model, self.vertex
        m.shape_data[s] = v, len(hull.vertices), self.face, len(hull.faces)
        m.vertex[v : v + len(hull.vertices)] = hull.vertices
        if len(hull.vertices) > FEW_CORNERS:
            self._neighbours(hull)
        m.face_normal[self.face : self.face + len(hull.faces)] = hull.normals
        for face in hull.faces:
            m.face_vertex[self.corner : self.corner + len(face)] = face + v
            self.corner += len(face)
            self.face += 1
            m.face_start[self.face] = self.corner
        self.vertex += len(hull.vertices)

    def _neighbours(self, hull: Hull) -> None:
        """Write the neighbours of the corners of a hull into the pools."""
        m, v = self.model, self.vertex
        ends = np.stack((hull.vertices.argmin(axis=0), hull.vertices.argmax(axis=0)), axis=1)
        m.vertex_neighbour[self.neighbour : self.neighbour + 6] = ends.ravel() + v
        self.neighbour += 6
        for k, (corners, faces) in enumerate(hull.rings):
            first, last = self.neighbour + len(corners), self.neighbour + len(corners) + len(faces)
            m.neighbour_part[v + k] = self.neighbour, first, last
            m.vertex_neighbour[self.neighbour : first] = np.array(corners) + v
            m.vertex_neighbour[first:last] = np.array(faces) + self.face
            self.neighbour = last

    def _surface(self, s: int, surface: Surface) -> None:
        """Write the triangles and the tree of a surface into the pools."""
        m, v, t, k = self.model, self.vertex, self.triangle, self.box
        triangles, boxes = len(surface.triangles), len(surface.boxes)
        m.shape_data[s] = t, triangles, k, boxes
        m.vertex[v : v + len(surface.vertices)] = surface.vertices
        m.triangle[t : t + triangles] = surface.triangles + v
        m.triangle_dihedral[t : t + triangles] = surface.folds
        m.triangle_own[t : t + triangles] = surface.owns
        m.vertex_normal[v : v + len(surface.vertices)] = surface.normals
        m.box_bound[k : k + boxes] = surface.boxes
        m.box_skip[k : k + boxes] = surface.skips + k
        m.box_triangle[k : k + boxes] = np.where(surface.leaves < 0, -1, surface.leaves + t)
        self.vertex += len(surface.vertices)
        self.triangle += triangles
        self.box += boxes


def build_model(
    descriptions: Sequence[TreeDescription], part_of: Callable[[int], Part], materials: MaterialTable,
    capacity: Capacity, constraints: Sequence[ConstraintInput] = (), find: Find | None = None,
    kept: Kept | None = None,
) -> tuple[Model, Layout, dict[str, int]]:  # fmt: skip
    """Return the model of a world, the layout of its objects, and sizes.

    Args:
        descriptions: Of all objects.
        part_of: Returns an object by its number; only called for objects that are not kept.
        materials, capacity, constraints: Of the world.
        find: See `MaterialTable.array`.
        kept: Parts of the last build to be copied; their materials have the same numbers. None: none.
    """
    runs = list(kept.runs()) if kept is not None else []
    is_new = np.ones(len(descriptions), bool)
    counts = np.zeros((len(descriptions), len(Column)), np.int64)
    for run in runs:
        is_new[run.new : run.new + run.count] = False
        counts[run.new : run.new + run.count] = kept.layout.counts[run.old : run.old + run.count]  # type: ignore[union-attr]
    fresh = np.flatnonzero(is_new).tolist()
    for tree in fresh:
        counts[tree] = counts_of(descriptions[tree])
        for body in descriptions[tree].bodies:
            for shape in body.shapes:
                materials.index(shape.material)
    layout = laid_out(counts)
    sizes = _sizes(layout, materials, capacity, constraints)
    apart = [item.bodies for item in constraints if not item.collide and min(item.bodies) >= 0]
    for tree, description in enumerate(descriptions):
        if description.ignored:
            start = int(layout.starts[tree, Column.BODY])
            apart += [(start + a, start + b) for a, b in description.ignored]
    ignored = {min(pair) * sizes["nbody"] + max(pair) for pair in apart}
    sizes["nignored"] = len(ignored)
    model = Model.allocate(sizes, shared=True)
    model.ignored_pair[:] = sorted(ignored)
    model.pair_table[:] = materials.array(find)
    model.body_like[:] = -1
    for run in runs:
        copy(kept, run, model, layout)  # type: ignore[arg-type]
    filler = _Filler(model, materials, layout)
    for tree in fresh:
        filler.add(tree, part_of(tree))
    model.chain_row[:] = model.dof_row[model.chain_dof]
    laid = 0
    for c, constraint in enumerate(constraints):
        model.constraint_kind[c] = constraint.kind
        model.constraint_body[c] = constraint.bodies
        model.constraint_point[2 * c : 2 * c + 2] = constraint.points
        model.constraint_rot[2 * c : 2 * c + 2] = constraint.axes
        model.constraint_locked[c], model.constraint_stretch[c] = constraint.locked, constraint.stretch
        model.constraint_slot[c] = layout.starts[-1, Column.SLOT] + CONSTRAINT_SLOTS * c
        for at, point in constraint.path:
            model.path_body[laid], model.path_point[laid] = at, point
            laid += 1
        model.constraint_path[c] = laid - len(constraint.path), laid - 1
        ends = [end for end in constraint.bodies if end >= 0]
        model.tree_is_constrained[model.body_tree[ends]] = 1
    mark_by_materials(model)
    collect_filters(model)
    return model, layout, sizes


def meets_compliant(model: Model) -> np.ndarray:
    """Return whether a material of each tree is part of a compliant pair, (ntree,)."""
    compliant = (model.pair_table[:, :, Pair.STIFFNESS] > 0.0).any(axis=1)
    found = np.zeros(len(model.tree_body), bool)
    known = np.append(compliant, False)  # a material newer than the table has no pair yet
    material = np.minimum(model.shape_material, len(compliant))
    np.logical_or.at(found, model.body_tree[model.shape_body], known[material])
    return found


def adhesive_reach(model: Model, table: np.ndarray) -> np.ndarray:
    """Return half of the largest gap across which each body may adhere [m], (…, nbody), for (…, m, m) pairs.

    Adhesion F ends where it stretches the spring of its pair by F/k. By area k is E ℓ or more.
    """
    force, length = table[..., Pair.ADHESION_FORCE], table[..., Pair.ELASTIC_REST_LENGTH]
    stiffness = table[..., Pair.YOUNGS_MODULUS] * np.where(length > 0.0, length, 1.0)
    stretch = np.divide(force, stiffness, out=np.zeros_like(force), where=force > 0.0)
    reach = np.maximum(0.0, stretch - table[..., Pair.ADHESIVE_OVERLAP]).max(axis=-1)
    found = np.zeros((*reach.shape[:-1], len(model.body_tree)))
    known = np.append(reach, np.zeros((*reach.shape[:-1], 1)), axis=-1)  # a newer material has no pair yet
    material = np.minimum(model.shape_material, reach.shape[-1])
    np.maximum.at(found.T, model.shape_body, 0.5 * known[..., material].T)
    return found


def mark_by_materials(model: Model) -> None:
    """Mark what the materials decide: single bodies, and gaps across which bodies may adhere."""
    mark_singles(model)
    model.body_adhesive_reach[:] = adhesive_reach(model, model.pair_table)


def mark_singles(model: Model) -> None:
    """Mark the trees that are one free body with a mass matrix in two blocks.

    A compliant contact couples translation and rotation in M̂, so a body that may have one is treated like
    the base of a robot.
    """
    root = model.tree_body
    model.tree_is_single[:] = (
        (model.tree_body_count == 1)
        & (model.joint_type[root] == Joint.FREE)
        & (model.body_com[root] == 0.0).all(axis=1)
        & ~meets_compliant(model)
    )


def collect_filters(model: Model) -> None:
    """Combine the group and mask bits of each body from its shapes; mark bodies that can touch any other."""
    model.body_group[:] = 0
    model.body_mask[:] = 0
    np.bitwise_or.at(model.body_group, model.shape_body, model.shape_group)
    np.bitwise_or.at(model.body_mask, model.shape_body, model.shape_mask)
    groups = np.bitwise_or.reduce(model.body_group, initial=0)
    masks = np.bitwise_or.reduce(model.body_mask, initial=0)
    meets = (model.body_group & masks) | (model.body_mask & groups)
    model.body_is_solid[:] = (meets != 0) & (model.body_shape_count > 0)


def allocate(sizes: dict[str, int], worlds: int = 1) -> tuple[State, Command, Settings]:
    """Return zeroed records for a number of worlds."""
    return (State.allocate(sizes, worlds), Command.allocate(sizes, worlds), Settings.allocate(sizes, worlds))
