"""Penetration of two overlapping solids: a direction near that of the least depth (EPA).

A polytope inside A − B grows towards its surface where that is nearest to the origin. Distances of faces are
signed, so the origin need not be inside: the polytope may start anywhere.

Rows of `work.polytope`: a point, its part on A. Rows of `work.polytope_face`: three points, outward unit
normal, distance of its plane from the origin; a distance of 1e300 marks a free row.

Source: van den Bergh, Collision Detection in Interactive 3D Environments, 4.3.8.
"""

from tribo.collision.gjk import INSIDE
from tribo.collision.solid import support_difference
from tribo.compiler.jit import kernel
from tribo.math import vec

FREE = 1e300
VISIBLE = 1e-9  # [-] of the size of A − B: a face is visible from a point this far above it
FLAT = 1e-10  # [-] volume of a tetrahedron over its cubed size, below which it is flat


@kernel
def put_vertex(work, k, point, on_a):
    """Write a point of the polytope.

    Writes: work.
    """
    vec.store(work.polytope, k, point)
    for axis in range(3):
        work.polytope[k, 3 + axis] = on_a[axis]


@kernel
def turn_outwards(work):
    """Orient the first three points away from the fourth; return the size of the tetrahedron, 0: flat.

    Writes: work.
    """
    point = work.polytope
    first = vec.load(point, 0)
    second = vec.sub(vec.load(point, 1), first)
    third = vec.sub(vec.load(point, 2), first)
    fourth = vec.sub(vec.load(point, 3), first)
    up = vec.dot(vec.cross(second, third), fourth)
    if up > 0.0:
        for m in range(6):
            kept = point[1, m]
            point[1, m] = point[2, m]
            point[2, m] = kept
    reach = max(vec.norm(second), vec.norm(third), vec.norm(fourth))
    return reach if abs(up) > FLAT * reach * reach * reach else 0.0


@kernel
def start_polytope(model, work, pair):
    """Write the four points of a tetrahedron inside A − B; return its size, 0: flat.

    GJK's tetrahedron around the origin is used if there is one.

    Writes: work.
    """
    if work.simplex[0, 6] == INSIDE:
        for k in range(4):
            for m in range(6):
                work.polytope[k, m] = work.simplex[k, m]
        reach = turn_outwards(work)
        if reach > 0.0:
            return reach
    first, on_a = support_difference(model, work, pair, (0.0, 0.0, 1.0))
    put_vertex(work, 0, first, on_a)
    second, on_a = support_difference(model, work, pair, (0.0, 0.0, -1.0))
    put_vertex(work, 1, second, on_a)
    edge = vec.sub(second, first)
    length = vec.norm(edge)
    across = vec.cross(edge, (1.0, 0.0, 0.0))
    if abs(edge[0]) > 0.7 * length:
        across = vec.cross(edge, (0.0, 1.0, 0.0))
    third, on_a = support_difference(model, work, pair, across)
    if abs(vec.dot(across, vec.sub(third, first))) < FLAT * length * vec.norm(across):
        third, on_a = support_difference(model, work, pair, vec.neg(across))
    put_vertex(work, 2, third, on_a)
    normal = vec.cross(edge, vec.sub(third, first))
    fourth, on_a = support_difference(model, work, pair, normal)
    other, on_other = support_difference(model, work, pair, vec.neg(normal))
    up = vec.dot(normal, vec.sub(fourth, first))
    if abs(vec.dot(normal, vec.sub(other, first))) > abs(up):
        put_vertex(work, 3, other, on_other)
    else:
        put_vertex(work, 3, fourth, on_a)
    return turn_outwards(work)


@kernel
def start_normal(work):
    """Return a unit normal of the first three points of the polytope."""
    first = vec.load(work.polytope, 0)
    edge = vec.sub(vec.load(work.polytope, 1), first)
    normal = vec.cross(edge, vec.sub(vec.load(work.polytope, 2), first))
    length = vec.norm(normal)
    return vec.scale(1.0 / length, normal) if length > 0.0 else (0.0, 0.0, 1.0)


@kernel
def add_face(work, row, i, j, k):
    """Write the face through three points into a row.

    Writes: work.
    """
    face = work.polytope_face
    p = vec.load(work.polytope, i)
    edge = vec.sub(vec.load(work.polytope, j), p)
    normal = vec.cross(edge, vec.sub(vec.load(work.polytope, k), p))
    length = vec.norm(normal)
    face[row, 0] = i
    face[row, 1] = j
    face[row, 2] = k
    if length > 0.0:
        normal = vec.scale(1.0 / length, normal)
        face[row, 6] = vec.dot(normal, p)
    else:  # a degenerate triangle is never the nearest
        face[row, 6] = 0.5 * FREE
    face[row, 3] = normal[0]
    face[row, 4] = normal[1]
    face[row, 5] = normal[2]


@kernel
def toggle(work, count, i, j):
    """Add an edge to the outline of the visible faces, or remove its reverse; return the number of edges.

    Writes: work.
    """
    edge = work.polytope_edge
    for k in range(count):
        if edge[k, 0] == j and edge[k, 1] == i:
            edge[k, 0] = edge[count - 1, 0]
            edge[k, 1] = edge[count - 1, 1]
            return count - 1
    if count < edge.shape[0]:
        edge[count, 0] = i
        edge[count, 1] = j
        count += 1
    return count


@kernel
def grow(work, faces, new, tolerance):
    """Replace the faces that a new point sees by a cone; return the number of rows, −1: no room.

    Writes: work.
    """
    face = work.polytope_face
    p = vec.load(work.polytope, new)
    outline = 0
    for k in range(faces):
        if face[k, 6] >= 0.5 * FREE:
            continue
        if vec.dot((face[k, 3], face[k, 4], face[k, 5]), p) > face[k, 6] + tolerance:
            for side in range(3):
                outline = toggle(work, outline, int(face[k, side]), int(face[k, (side + 1) % 3]))
            face[k, 6] = FREE
    row = 0
    for m in range(outline):
        while row < faces and face[row, 6] != FREE:
            row += 1
        if row == faces:
            if faces == face.shape[0]:
                return -1
            faces += 1
        add_face(work, row, work.polytope_edge[m, 0], work.polytope_edge[m, 1], new)
        row += 1
    return faces if outline >= 3 else -1


@kernel
def push_direction(model, work, pair, tolerance):
    """Return the unit normal from B into A along which the cores overlap least.

    It is the best up to a share `tolerance` of the depth, for curved surfaces as far as the tables are large
    enough. If A − B is flat, it is the normal of A − B. The points of the face that it comes from are left in
    `work.simplex`.

    Writes: work.
    """
    best = FREE
    normal = (0.0, 0.0, 1.0)
    reach = start_polytope(model, work, pair)
    for k in range(4):
        work.simplex[k, 6] = 0.0
    if reach == 0.0:
        return start_normal(work)
    add_face(work, 0, 0, 1, 2)
    add_face(work, 1, 0, 3, 1)
    add_face(work, 2, 1, 3, 2)
    add_face(work, 3, 2, 3, 0)
    faces = 4
    for new in range(4, work.polytope.shape[0]):
        nearest = 0
        for k in range(1, faces):
            if work.polytope_face[k, 6] < work.polytope_face[nearest, 6]:
                nearest = k
        low = work.polytope_face[nearest, 6]
        d = (work.polytope_face[nearest, 3], work.polytope_face[nearest, 4], work.polytope_face[nearest, 5])
        w, on_a = support_difference(model, work, pair, d)
        high = vec.dot(w, d)
        if high < best:
            best = high
            normal = d
            for k in range(3):
                corner = int(work.polytope_face[nearest, k])
                for m in range(6):
                    work.simplex[k, m] = work.polytope[corner, m]
                work.simplex[k, 6] = 1.0
        if best - low <= tolerance * abs(best) + 1e-12 * reach:
            break
        put_vertex(work, new, w, on_a)
        faces = grow(work, faces, new, VISIBLE * reach)
        if faces < 0:
            break
    return vec.neg(normal)
