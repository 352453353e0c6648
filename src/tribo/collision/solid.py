"""Convex solids in the general path: support points, faces and edges.

A solid is the tuple (kind, size x, size y, size z, first vertex, vertices, first face, faces); the last four
are ranges of the model's pools and belong to hulls. Balls and capsules are points and segments here, inflated
by `radius`. A triangle has its corners in `work.triangle`; its frame is that of the terrain.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import FEW_CORNERS, Shape

TRIANGLE = 100  # one face of a mesh or a height map


@kernel
def load_solid(model, s):
    """Return shape s as a solid."""
    size = model.shape_size
    data = model.shape_data
    return (
        model.shape_kind[s],
        size[s, 0],
        size[s, 1],
        size[s, 2],
        data[s, 0],
        data[s, 1],
        data[s, 2],
        data[s, 3],
    )


@kernel
def radius(solid):
    """Return the distance of the surface outside of what `support` describes [m]."""
    return solid[1] if solid[0] == Shape.SPHERE or solid[0] == Shape.CAPSULE else 0.0


@kernel
def extent(solid):
    """Return a length of the order of the solid's least half size."""
    kind = solid[0]
    if kind == Shape.BOX or kind == Shape.ELLIPSOID:
        return min(solid[1], solid[2], solid[3])
    if kind == Shape.CYLINDER or kind == Shape.CONE:
        return min(solid[1], solid[2])
    return solid[1]  # ball and capsule: radius; hull and triangle: half their least width


@kernel
def is_convex(kind):
    """Tell whether a shape has support points."""
    return kind != Shape.PLANE and kind != Shape.MESH and kind < Shape.SURFACE


@kernel
def is_ball(kind):
    """Tell whether a solid is round everywhere."""
    return kind == Shape.SPHERE or kind == Shape.ELLIPSOID


@kernel
def is_arc(kind, normal_c, normal_d, arm):
    """Tell whether a solid is round from its point at normal d to that at normal c, away by `arm`.

    Both heights are equal on an arc; on a straight line d's point lies in the tangent plane at c.
    """
    if is_ball(kind):
        return True
    return (
        kind != Shape.BOX and kind != Shape.HULL and -2.0 * vec.dot(normal_c, arm) >= vec.dot(normal_d, arm)
    )


@kernel
def farthest_corner(model, solid, d, near):
    """Return the corner of a hull that is farthest in a direction, an index of `model.vertex`.

    Hulls of many corners: hill climbing over neighbours, which ends in the global maximum.

    near: a corner to start from, the farthest one in nearly that direction; −1: none is known.
    """
    vertex = model.vertex
    first = solid[4]
    if solid[5] <= FEW_CORNERS:
        best = -1e300
        k = first
        for i in range(first, first + solid[5]):
            along = d[0] * vertex[i, 0] + d[1] * vertex[i, 1] + d[2] * vertex[i, 2]
            if along > best:
                best = along
                k = i
        return k
    k = near
    if near < 0:
        axis = 2
        if abs(d[0]) >= abs(d[1]) and abs(d[0]) >= abs(d[2]):
            axis = 0
        elif abs(d[1]) >= abs(d[2]):
            axis = 1
        k = model.vertex_neighbour[
            model.neighbour_part[first, 0] - 6 + 2 * axis + (1 if d[axis] > 0.0 else 0)
        ]
    best = vec.dot(d, vec.load(vertex, k))
    is_higher = True
    while is_higher:
        is_higher = False
        here = k
        for m in range(model.neighbour_part[here, 0], model.neighbour_part[here, 1]):
            i = model.vertex_neighbour[m]
            along = d[0] * vertex[i, 0] + d[1] * vertex[i, 1] + d[2] * vertex[i, 2]
            if along > best:
                best = along
                k = i
                is_higher = True
    return k


@kernel
def farthest_of_ellipsoid(solid, d):
    """Return the point of an ellipsoid farthest in a direction.   D² d / ‖D d‖, D = diag(semi-axes)"""
    x, y, z = solid[1] * d[0], solid[2] * d[1], solid[3] * d[2]
    length = sqrt(x * x + y * y + z * z)
    s = 1.0 / length if length > 1e-150 else 0.0
    return (s * x * solid[1], s * y * solid[2], s * z * solid[3])


@kernel
def support(model, work, solid, d):
    """Return the point of a solid that is farthest in a direction, in its own axes.

    Of a plane its origin, which is correct along its normal.
    """
    kind = solid[0]
    if kind == Shape.BOX:
        x = solid[1] if d[0] >= 0.0 else -solid[1]
        y = solid[2] if d[1] >= 0.0 else -solid[2]
        z = solid[3] if d[2] >= 0.0 else -solid[3]
        return (x, y, z)
    if kind == Shape.HULL:
        return vec.load(model.vertex, farthest_corner(model, solid, d, -1))
    if kind == TRIANGLE:
        best = -1e300
        k = 0
        for i in range(3):
            along = vec.dot(d, vec.load(work.triangle, i))
            if along > best:
                best = along
                k = i
        return vec.load(work.triangle, k)
    if kind == Shape.SPHERE or kind == Shape.PLANE:
        return (0.0, 0.0, 0.0)
    if kind == Shape.ELLIPSOID:
        return farthest_of_ellipsoid(solid, d)
    high = solid[2] if d[2] >= 0.0 else -solid[2]
    if kind == Shape.CAPSULE:
        return (0.0, 0.0, high)
    # Cylinder and cone: the rim of a disc.
    across = sqrt(d[0] * d[0] + d[1] * d[1])
    s = solid[1] / across if across > 1e-150 else 0.0
    if kind == Shape.CONE:
        if 2.0 * solid[2] * d[2] > solid[1] * across:
            return (0.0, 0.0, solid[2])
        high = -solid[2]
    return (s * d[0], s * d[1], high)


@kernel
def support_at(model, work, solid, pos, rot, d):
    """Return the point of a placed solid that is farthest in a direction."""
    p = support(model, work, solid, vec.mat_t_vec(rot, d))
    return vec.add(pos, vec.mat_vec(rot, p))


@kernel
def support_from(model, work, solid, pos, rot, d, near):
    """Return the farthest point of a placed solid in a direction, and its corner if it is a hull.

    near: corner of a nearby direction; −1: none is known.
    """
    if solid[0] != Shape.HULL:
        return support_at(model, work, solid, pos, rot, d), near
    k = farthest_corner(model, solid, vec.mat_t_vec(rot, d), near)
    return vec.add(pos, vec.mat_vec(rot, vec.load(model.vertex, k))), k


@kernel
def support_difference(model, work, pair, d):
    """Return the point of A − B that is farthest in a direction, and A's part of it.

    A pair is (solid A, rotation A, solid B, position B, rotation B); A stands at the origin.
    """
    a = support_at(model, work, pair[0], (0.0, 0.0, 0.0), pair[1], d)
    b = support_at(model, work, pair[2], pair[3], pair[4], vec.neg(d))
    return vec.sub(a, b), a


@kernel
def separation(model, work, pair, n):
    """Return the gap of the cores along a unit normal from B into A (negative: overlap).

    It is at most the true distance; the greatest over all directions gives the least push that separates
    overlapping solids.
    """
    w, _ = support_difference(model, work, pair, vec.neg(n))
    return vec.dot(w, n)
