"""Pairs of shapes whose functions are compiled when the first such pair comes near.

A convex shape s may be replaced by its core, −1 − s (`core`).

The machine code of the step contains the pairs of primitives with closed forms. The general paths would take
a large part of its compile time, and most worlds need none of them; so each family is a function of its own,
called by address.
"""

from tribo.collision.closest import pair_row
from tribo.collision.convex import convex_pair
from tribo.collision.core import core_kind, own_centre, placed
from tribo.collision.mesh_points import mesh_pair
from tribo.collision.terrain import terrain_pair
from tribo.compiler import signature as types
from tribo.compiler.jit import DISABLED, kernel, late
from tribo.compiler.record import call_at, from_address
from tribo.model import Late, Model, Shape, Work

MODEL, WORK = Model._numba_type_, Work._numba_type_
SIGNATURE = types.int64(*[types.int64] * 4, types.float64)


@kernel
def family_of(kind_a, kind_b):
    """Return the family of a pair; −1: closed form, or no contacts."""
    low = min(kind_a, kind_b)
    high = max(kind_a, kind_b)
    if high >= Shape.SURFACE:
        is_met = (
            low != Shape.MESH and low != Shape.HEIGHT_MAP and (low != Shape.PLANE or high == Shape.SURFACE)
        )
        return 1 if is_met else -1
    if high == Shape.CYLINDER and low >= Shape.BOX:
        return 0
    if high >= Shape.CONE and low != Shape.MESH:  # cone, ellipsoid, hull
        return 0
    return -1


@kernel
def convex(model, work, a, b, margin):
    """Write the contacts of two convex shapes into the manifold; return their number.

    Writes: work.
    """
    is_swapped = core_kind(model, a) < core_kind(model, b)
    if is_swapped:
        a, b = b, a
    pos_a, rot_a, solid_a = placed(model, work, a)
    pos_b, rot_b, solid_b = placed(model, work, b)
    row = -1 if solid_b[0] == Shape.PLANE else pair_row(work, a, b)
    n = convex_pair(model, work, solid_a, pos_a, rot_a, solid_b, pos_b, rot_b, margin, row)
    if is_swapped:
        turn_normals(work, n)
    return n


@kernel
def terrain(model, work, a, b, margin):
    """Write the contacts of terrain or a mesh with another shape into the manifold; return their number.

    Writes: work.
    """
    first, second = core_kind(model, a), core_kind(model, b)
    if min(first, second) == Shape.PLANE or min(first, second) >= Shape.SURFACE:
        is_swapped = first != Shape.SURFACE
        n = mesh_pair(model, work, b if is_swapped else a, a if is_swapped else b, margin)
        if is_swapped:
            turn_normals(work, n)
        return n
    is_swapped = first >= Shape.SURFACE
    if is_swapped:
        a, b = b, a
    pos_a, rot_a, solid = placed(model, work, a)
    pos_b, rot_b, _ = placed(model, work, b)
    com = own_centre(model, a)
    n = terrain_pair(model, work, b, solid, com, pos_a, rot_a, pos_b, rot_b, margin)
    if is_swapped:
        turn_normals(work, n)
    return n


@kernel
def turn_normals(work, n):
    """Negate the normals of the first n points of the manifold.

    Writes: work.
    """
    for k in range(n):
        for axis in range(3, 6):
            work.manifold[k, axis] = -work.manifold[k, axis]


def _convex_at(model_at, work_at, a, b, margin):
    model = from_address(MODEL, model_at)
    work = from_address(WORK, work_at)
    return convex(model, work, a, b, margin)


def _terrain_at(model_at, work_at, a, b, margin):
    model = from_address(MODEL, model_at)
    work = from_address(WORK, work_at)
    return terrain(model, work, a, b, margin)


_KERNELS = {Late.CONVEX: convex, Late.TERRAIN: terrain}
ADDRESS = {Late.CONVEX: late(_convex_at, SIGNATURE), Late.TERRAIN: late(_terrain_at, SIGNATURE)}


def _call_python(address, model, work, a, b, margin):
    return _KERNELS[Late(address - 1)](model, work, a, b, margin)


call_late = _call_python if DISABLED else call_at
