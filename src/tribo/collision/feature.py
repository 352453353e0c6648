"""Faces and edges of convex solids: the flat or straight part that faces a direction.

A feature is written into `work.outline[side]` as points (x, y, z, number). Kinds: a polygon, points
anticlockwise seen from outside; a disc, only its centre; a segment; a point.
"""

from math import sqrt

from tribo.collision.solid import TRIANGLE, extent, farthest_corner, farthest_of_ellipsoid
from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import FEW_CORNERS, Shape

SEGMENT = 2
POLYGON = 3
DISC = 4
UNBOUNDED = 5
NO_FACE = -2.0  # cosine of a solid without flat faces


@kernel
def face_towards(model, work, solid, d):
    """Return the flat face that faces a unit direction: number, normal, cosine. Own axes."""
    kind = solid[0]
    if kind == Shape.PLANE:
        return 0, (0.0, 0.0, 1.0), d[2]
    if kind == Shape.CYLINDER:
        return (1, (0.0, 0.0, 1.0), d[2]) if d[2] >= 0.0 else (0, (0.0, 0.0, -1.0), -d[2])
    if kind == Shape.CONE:
        return 0, (0.0, 0.0, -1.0), -d[2]
    if kind == Shape.BOX:
        axis = 2
        if abs(d[0]) >= abs(d[1]) and abs(d[0]) >= abs(d[2]):
            axis = 0
        elif abs(d[1]) >= abs(d[2]):
            axis = 1
        s = 1.0 if d[axis] >= 0.0 else -1.0
        normal = (s if axis == 0 else 0.0, s if axis == 1 else 0.0, s if axis == 2 else 0.0)
        return 2 * axis + int(s > 0.0), normal, abs(d[axis])
    if kind == Shape.HULL:
        best = solid[6]
        most = NO_FACE
        if solid[5] > FEW_CORNERS:  # only the faces around the farthest corner
            k = farthest_corner(model, solid, d, -1)
            for m in range(model.neighbour_part[k, 1], model.neighbour_part[k, 2]):
                f = model.vertex_neighbour[m]
                cosine = vec.dot(d, vec.load(model.face_normal, f))
                if cosine > most:
                    most = cosine
                    best = f
            return best, vec.load(model.face_normal, best), most
        for f in range(solid[6], solid[6] + solid[7]):
            cosine = vec.dot(d, vec.load(model.face_normal, f))
            if cosine > most:
                most = cosine
                best = f
        return best, vec.load(model.face_normal, best), most
    if kind == TRIANGLE:
        first = vec.load(work.triangle, 0)
        edge = vec.sub(vec.load(work.triangle, 1), first)
        normal = vec.cross(edge, vec.sub(vec.load(work.triangle, 2), first))
        normal = vec.scale(1.0 / vec.norm(normal), normal)
        return 0, normal, vec.dot(d, normal)
    return 0, d, NO_FACE


@kernel
def put_corner(work, side, k, p, pos, rot, number):
    """Write corner k of a feature, given in the solid's axes.

    Writes: work.
    """
    world = vec.add(pos, vec.mat_vec(rot, p))
    work.outline[side, k, 0] = world[0]
    work.outline[side, k, 1] = world[1]
    work.outline[side, k, 2] = world[2]
    work.outline[side, k, 3] = number


@kernel
def load_face(model, work, side, solid, face, pos, rot):
    """Write a face; return its kind, number of points and centre.

    Writes: work.
    """
    kind = solid[0]
    if kind == Shape.PLANE:
        return UNBOUNDED, 0, pos
    if kind == Shape.CYLINDER or kind == Shape.CONE:
        z = solid[2] if face == 1 else -solid[2]
        return DISC, 0, vec.add(pos, vec.mat_vec(rot, (0.0, 0.0, z)))
    count = 4
    if kind == Shape.BOX:
        axis = face // 2
        s = 1.0 if face % 2 == 1 else -1.0
        for k in range(4):
            along = 1.0 if k == 0 or k == 3 else -1.0
            across = s if k < 2 else -s  # the order depends on the side: anticlockwise
            # Along the next axis and the one after it.
            corner = (along, across, s)
            if axis == 0:
                corner = (s, along, across)
            elif axis == 1:
                corner = (across, s, along)
            number = int(corner[0] > 0.0) + 2 * int(corner[1] > 0.0) + 4 * int(corner[2] > 0.0)
            p = (corner[0] * solid[1], corner[1] * solid[2], corner[2] * solid[3])
            put_corner(work, side, k, p, pos, rot, number)
    elif kind == Shape.HULL:
        first = model.face_start[face]
        count = model.face_start[face + 1] - first
        for k in range(count):
            i = model.face_vertex[first + k]
            put_corner(work, side, k, vec.load(model.vertex, i), pos, rot, i - solid[4])
    else:
        count = 3
        for k in range(3):
            put_corner(work, side, k, vec.load(work.triangle, k), pos, rot, k)
    x = y = z = 0.0
    for k in range(count):
        x += work.outline[side, k, 0]
        y += work.outline[side, k, 1]
        z += work.outline[side, k, 2]
    return POLYGON, count, (x / count, y / count, z / count)


@kernel
def load_edge(model, work, side, solid, d, pos, rot):
    """Write the straight part that faces a unit direction (own axes); return its points and roundness.

    The roundness is the radius of the surface across the edge; of an ellipsoid its size.

    Writes: work.
    """
    kind = solid[0]
    if kind == Shape.SPHERE:
        put_corner(work, side, 0, (0.0, 0.0, 0.0), pos, rot, 0)
        return 1, solid[1]
    if kind == Shape.ELLIPSOID:
        put_corner(work, side, 0, farthest_of_ellipsoid(solid, d), pos, rot, 0)
        return 1, extent(solid)
    if kind == Shape.CAPSULE or kind == Shape.CYLINDER or kind == Shape.CONE:
        s = 0.0
        if kind != Shape.CAPSULE:
            across = sqrt(d[0] * d[0] + d[1] * d[1])
            s = solid[1] / across if across > 1e-12 else 0.0
        top = 0.0 if kind == Shape.CONE else s
        put_corner(work, side, 0, (s * d[0], s * d[1], -solid[2]), pos, rot, 0)
        put_corner(work, side, 1, (top * d[0], top * d[1], solid[2]), pos, rot, 1)
        return 2, solid[1] if kind != Shape.CONE else 0.5 * solid[1]
    face, _, _ = face_towards(model, work, solid, d)
    _, count, _ = load_face(model, work, side, solid, face, pos, rot)
    d = vec.mat_vec(rot, d)
    outline = work.outline[side]
    best = 0
    most = -1e300
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        height = vec.dot(d, vec.load(outline, k)) + vec.dot(d, vec.load(outline, after))
        if height > most:
            most = height
            best = k
    after = best + 1 if best + 1 < count else 0
    for m in range(4):
        first = outline[best, m]
        second = outline[after, m]
        outline[0, m] = first
        outline[1, m] = second
    return 2, 0.0
