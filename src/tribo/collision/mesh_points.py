"""Moving meshes on half spaces, height maps and meshes: points of one, their distance from the other.

Two polyhedra are nearest at a corner of one over a face of the other, or where two edges cross. So the
distance from the other surface is evaluated at each corner of both, and at points along the edges of a mesh
with a resolution: the distance to the nearest triangle, negative inside. Between two points of an edge it is
minimised, so crossing edges meet where they cross, at any resolution.

1. A point is evaluated slightly inside its own solid, along its normal there (`SHIFT`). A point that has just
   entered thus has the normal of its entry, and crossing edges have that across both. The gap is that of the
   point itself, along this normal.
2. The point counts if its own surface faces the other there.
3. Beyond an edge of the nearest triangle without a neighbour there is no inside.
"""

from math import cos, sin

from tribo.collision import triangles
from tribo.collision.convex import keep_spread
from tribo.collision.gjk import triangle_weights
from tribo.collision.overlap import claim
from tribo.collision.place import shape_pose
from tribo.collision.point import COINCIDENT, first_row
from tribo.collision.terrain import ACCEPTED, pile
from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import Shape

SHIFT = 0.01  # [-] of the least half size of a moving mesh: depth at which its points are evaluated
DEEP = 0.5  # [-] of the same: largest penetration of a point
HALVINGS = 40  # bisections of a piece of an edge, down to round-off
LEVEL = 1e-3  # slope of the distance along an edge, up to which it is constant
FAR = 1e300  # [m] gap of a point that is not near
UP = (0.0, 0.0, 1.0)
HALF_TURN = 3.141592653589793


@kernel
def closest_of_triangle(p, q, r, x):
    """Return the point of a triangle that is nearest to x, and its region.

    0: the face; 1, 2, 3: the edge from p, q, r; 4, 5, 6: the corner p, q, r.
    """
    a, b, c = triangle_weights(vec.sub(p, x), vec.sub(q, x), vec.sub(r, x))
    place = vec.axpy(b, vec.sub(q, p), vec.axpy(c, vec.sub(r, p), p))
    if a > 0.0 and b > 0.0:
        return place, 0 if c > 0.0 else 1
    if c > 0.0 and a + b > 0.0:
        return place, 2 if b > 0.0 else 3
    return place, 4 if a > 0.0 else 5 if b > 0.0 else 6


@kernel
def ends_there(model, s, place, normal, region):
    """Tell whether the surface ends at the edge or corner `region` of the triangle at a place."""
    angles = triangles.dihedral_angles(model, s, place, normal)
    if region <= 3:
        return angles[region - 1] >= triangles.OPEN
    return angles[region - 4] >= triangles.OPEN or angles[(region - 2) % 3] >= triangles.OPEN


@kernel
def nearer(model, s, place, p, q, r, x, best):
    """Return the better of `best` and the nearest point of a triangle: distance, height, normal, gap, place.

    Of triangles that share the nearest point, the one from whose plane x is farthest determines the side; at
    a corner of a mesh its angle-weighted normal does (Bærentzen, Aanæs 2005).
    """
    c, region = closest_of_triangle(p, q, r, x)
    away = vec.sub(x, c)
    d = vec.norm(away)
    if d > best[0] + COINCIDENT:
        return best
    normal = triangles.normal_of(p, q, r)
    height = vec.dot(away, normal)
    if d >= best[0] - COINCIDENT and abs(height) <= abs(best[1]):
        return best
    if region == 0 or d - abs(height) <= COINCIDENT:
        return (d, height, normal, height, place[0])
    side = height
    if region >= 4 and model.shape_kind[s] == Shape.SURFACE:
        side = vec.dot(away, vec.load(model.vertex_normal, model.triangle[place[0], region - 4]))
    if side < 0.0:
        if ends_there(model, s, place, normal, region):
            return (d, height, normal, FAR, place[0])
        return (d, height, vec.scale(-1.0 / d, away), -d, place[0])
    return (d, height, vec.scale(1.0 / d, away), d, place[0])


@kernel
def nearer_triangle(model, s, t, x, best):
    """Return `nearer` for triangle t of a surface."""
    p, q, r = triangles.face_corners(model, t)
    return nearer(model, s, (t, 0, 0), p, q, r, x, best)


@kernel
def gap_of_surface(model, s, x, best):
    """Return `nearer` over all triangles of a surface; x is in its frame.

    The nearest triangle of the last point is tested first: most others are farther.
    """
    if best[4] >= 0:
        best = nearer_triangle(model, s, best[4], x, best)
    node = model.shape_data[s, 2]
    last = node + model.shape_data[s, 3]
    while node < last:
        out = 0.0
        for axis in range(3):
            low, high = model.box_bound[node, axis], model.box_bound[node, 3 + axis]
            beyond = max(0.0, low - x[axis], x[axis] - high)
            out += beyond * beyond
        if out > (best[0] + COINCIDENT) ** 2:
            node = model.box_skip[node]
            continue
        t = model.box_triangle[node]
        node += 1
        if t >= 0:
            best = nearer_triangle(model, s, t, x, best)
    return best


@kernel
def gap_of_map(model, s, x, best):
    """Return `nearer` over all triangles of a height map; x is in its frame."""
    reach = 0.0
    for _ in range(2):  # the cell below, then all that may be nearer
        cells = triangles.cells_near(model, s, x, x, reach)
        for j in range(cells[2], cells[3] + 1):
            for i in range(cells[0], cells[1] + 1):
                for half in range(2):
                    p, q, r = triangles.cell_corners(model, s, i, j, half)
                    best = nearer(model, s, (i, j, half), p, q, r, x, best)
        reach = best[0] + COINCIDENT
    return best


@kernel
def gap_at(model, s, x, reach, seed):
    """Return the distance of a point outside shape s, in whose frame it is [m], and the outward normal there.

    Beyond `reach`, on either side, it is `FAR`. Also returns the nearest triangle of a surface, the `seed` of
    the next call; −1: none.
    """
    if model.shape_kind[s] == Shape.PLANE:
        return x[2], UP, seed
    best = (reach, 0.0, UP, FAR, seed)
    if model.shape_kind[s] == Shape.HEIGHT_MAP:
        best = gap_of_map(model, s, x, best)
    else:
        best = gap_of_surface(model, s, x, best)
    return best[3], best[2], best[4]


@kernel
def half_size(model, s):
    """Return the least half size of the box around a shape [m]."""
    return min(model.shape_box[s, 3], model.shape_box[s, 4], model.shape_box[s, 5])


@kernel
def ask_point(model, b, x, outward, bounds, seed):
    """Return the gap of a mesh point from shape b, in whose frame it is, the normal of b, and a seed.

    bounds: margin, depth of the evaluation, reach [m].
    """
    x = vec.axpy(-bounds[1], outward, x)
    gap, normal, seed = gap_at(model, b, x, bounds[2], seed)
    return gap + bounds[1] * vec.dot(outward, normal), normal, seed


@kernel
def put_mesh_point(work, x, outward, gap, normal, frame, bounds, number, n):
    """Append a point to `work.pile` if it is near and its own surface faces the other; return their number.

    frame: position and rotation of shape b, +1 if the normal is to be that of b.

    Writes: work.
    """
    if not gap <= bounds[0] or vec.dot(outward, normal) >= 0.0:
        return n
    if n == work.pile.shape[0]:  # full: reduce the points so far
        n = keep_spread(work, work.pile, n, 1)
        for k in range(n):
            for m in range(8):
                work.pile[k, m] = work.manifold[k, m]
            work.pile[k, 8] = ACCEPTED
    p = vec.add(frame[0], vec.mat_vec(frame[1], vec.axpy(-0.5 * gap, normal, x)))
    normal = vec.scale(frame[2], vec.mat_vec(frame[1], normal))
    for axis in range(3):
        work.touch[0, axis] = p[axis]
        work.touch[0, 3 + axis] = normal[axis]
    work.touch[0, 6] = gap
    work.touch[0, 7] = 0.0
    return pile(work, n, 1, number, ACCEPTED)


@kernel
def put_edge(model, work, b, p, edge, outward, spacing, frame, bounds, number, n, seed):
    """Append points of an edge of a mesh; return the number of points, and a seed.

    The edge is cut into pieces of at most `spacing`. A piece has a point in its middle, or at the minimum of
    the distance if that falls and then rises.

    Writes: work.
    """
    length = vec.norm(edge)
    pieces = int(length / spacing) + 1
    if pieces < 2:
        return n, seed
    along = vec.scale(1.0 / length, edge)
    near = bounds[0] + length / pieces
    bounds = (bounds[0], bounds[1], max(bounds[2], near + bounds[1]))
    gap, normal, seed = ask_point(model, b, p, outward, bounds, seed)
    for piece in range(pieces):
        falls = gap <= near and vec.dot(normal, along) < -LEVEL
        is_near = gap <= near
        low, high = piece / pieces, (piece + 1.0) / pieces
        gap, normal, seed = ask_point(model, b, vec.axpy(high, edge, p), outward, bounds, seed)
        if not is_near and not gap <= near:
            continue
        share = 0.5 * (low + high)
        if falls and gap <= near and vec.dot(normal, along) > LEVEL:
            for _ in range(HALVINGS):
                share = 0.5 * (low + high)
                _, here, seed = ask_point(model, b, vec.axpy(share, edge, p), outward, bounds, seed)
                if vec.dot(here, along) < 0.0:
                    low = share
                else:
                    high = share
        x = vec.axpy(share, edge, p)
        least, there, seed = ask_point(model, b, x, outward, bounds, seed)
        n = put_mesh_point(work, x, outward, least, there, frame, bounds, number + 7.0 * piece, n)
    return n, seed


@kernel
def is_box_near(model, b, pos, rot, low, high, margin):
    """Tell whether a box of a mesh, at a pose in the frame of shape b, is near the box of b."""
    half = vec.scale(0.5, vec.sub(high, low))
    c = vec.add(pos, vec.mat_vec(rot, vec.scale(0.5, vec.add(low, high))))
    is_plane = model.shape_kind[b] == Shape.PLANE
    for axis in range(2 if is_plane else 0, 3):
        own = 0.0
        for k in range(3):
            own += abs(rot[3 * axis + k]) * half[k]
        if is_plane:
            return c[2] - own <= margin
        if abs(c[axis] - model.shape_box[b, axis]) > own + model.shape_box[b, 3 + axis] + margin:
            return False
    return True


@kernel
def put_mesh(model, work, a, b, pos, rot, frame, bounds, n):
    """Append the points of mesh a, at a pose in the frame of shape b; return their number.

    Writes: work.
    """
    node = model.shape_data[a, 2]
    last = node + model.shape_data[a, 3]
    spacing = model.shape_size[a, 1]
    seed = first_row() - 1
    first = 0.0 if frame[2] > 0.0 else 1.0
    while node < last:
        low = vec.load(model.box_bound, node)
        high = vec.load_from(model.box_bound, node, 3)
        if not is_box_near(model, b, pos, rot, low, high, bounds[0]):
            node = model.box_skip[node]
            continue
        t = model.box_triangle[node]
        node += 1
        if t < 0 or model.triangle_own[t] == 0:
            continue
        own = model.triangle_own[t]
        number = first + 12.0 * (t - model.shape_data[a, 0])
        p, q, r = triangles.face_corners(model, t)
        face = triangles.normal_of(p, q, r)
        for k in range(3):
            i = model.triangle[t, k]
            p = vec.load(model.vertex, i)
            at = vec.add(pos, vec.mat_vec(rot, p))
            if (own >> k) & 1 == 1:
                outward = vec.mat_vec(rot, vec.load(model.vertex_normal, i))
                gap, normal, seed = ask_point(model, b, at, outward, bounds, seed)
                n = put_mesh_point(work, at, outward, gap, normal, frame, bounds, number + 2.0 * k, n)
            if (own >> (3 + k)) & 1 == 1 and spacing > 0.0:
                edge = vec.sub(vec.load(model.vertex, model.triangle[t, (k + 1) % 3]), p)
                beside = vec.scale(1.0 / vec.norm(edge), vec.cross(edge, face))
                half = 0.5 * min(model.triangle_dihedral[t, k], HALF_TURN)
                outward = vec.axpy(cos(half), face, vec.scale(sin(half), beside))
                outward = vec.mat_vec(rot, outward)
                edge = vec.mat_vec(rot, edge)
                n, seed = put_edge(
                    model, work, b, at, edge, outward, spacing, frame, bounds, number + 6.0 + 2.0 * k, n,
                    seed,
                )  # fmt: skip
    return n


@kernel
def put_map(model, work, s, a, pos, rot, frame, bounds, n):
    """Append the samples of height map s that are near mesh a; return their number.

    pos, rot: pose of the map in the frame of the mesh.

    Writes: work.
    """
    box = model.shape_box
    c = vec.mat_t_vec(rot, vec.sub((box[a, 0], box[a, 1], box[a, 2]), pos))
    half = (box[a, 3], box[a, 4], box[a, 5])
    reach = vec.norm(half) + bounds[0]
    cells = triangles.cells_near(model, s, c, c, reach)
    seed = first_row() - 1
    for j in range(cells[2], cells[3] + 2):
        for i in range(cells[0], cells[1] + 2):
            p = triangles.height_at(model, s, i, j)
            if c[2] - reach > p[2]:
                continue
            du = vec.sub(triangles.height_at(model, s, i + 1, j), triangles.height_at(model, s, i - 1, j))
            dv = vec.sub(triangles.height_at(model, s, i, j + 1), triangles.height_at(model, s, i, j - 1))
            outward = vec.cross(du, dv)
            outward = vec.mat_vec(rot, vec.scale(1.0 / vec.norm(outward), outward))
            at = vec.add(pos, vec.mat_vec(rot, p))
            gap, normal, seed = ask_point(model, a, at, outward, bounds, seed)
            number = 1.0 + 2.0 * (j * model.shape_data[s, 1] + i)
            n = put_mesh_point(work, at, outward, gap, normal, frame, bounds, number, n)
    return n


@kernel
def mesh_pair(model, work, a, b, margin):
    """Write the contacts of mesh a with a plane, height map or mesh b into the manifold; return their number.

    Normals point from b into a.

    Writes: work.
    """
    pos_a, rot_a = shape_pose(model, work, a)
    pos_b, rot_b = shape_pose(model, work, b)
    pos = vec.mat_t_vec(rot_b, vec.sub(pos_a, pos_b))
    rot = vec.mat_t_mul(rot_b, rot_a)
    if not pos[0] + pos[1] + pos[2] < 1e300:  # a mesh at NaN has no contacts
        return 0
    size = FAR
    for s in (a, b):
        if model.shape_kind[s] == Shape.SURFACE and model.shape_size[s, 1] > 0.0:  # it moves
            size = min(size, half_size(model, s))
    bounds = (margin, SHIFT * size, max(margin + SHIFT * size, DEEP * size))
    n = put_mesh(model, work, a, b, pos, rot, (pos_b, rot_b, 1.0), bounds, first_row())
    if model.shape_kind[b] != Shape.PLANE:
        back = vec.mat_t_vec(rot, vec.neg(pos))
        turn = vec.mat_t_mul(rot, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
        frame = (pos_a, rot_a, -1.0)
        if model.shape_kind[b] == Shape.HEIGHT_MAP:
            n = put_map(model, work, b, a, back, turn, frame, bounds, n)
        else:
            n = put_mesh(model, work, b, a, back, turn, frame, bounds, n)
    n = keep_spread(work, work.pile, n, 1)
    for k in range(n):
        work.manifold[k, 7] = claim(work.manifold, k, work.manifold[k, 7])
    return n
