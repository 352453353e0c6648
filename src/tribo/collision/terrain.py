"""A convex solid on terrain: a surface of triangles, or a height map that is solid below.

Each triangle near the solid is met by itself, as a convex solid without thickness. What it answers is
then judged as part of the surface: over an edge that is flat or concave the surface has no normals but
those of its faces, over a convex edge only those between its two faces. So there are no bumps where
triangles join, a ridge is round, and a valley has two contacts.

1. A normal that the surface has: the points are taken as they are.
2. Another one, or from below: the triangle's own face, if the solid's deepest point is over it. A
   surface of triangles is met so only down to half the least size of the solid, a height map at any depth.

Everything is in the frame of the terrain, the solid in its origin.
"""

from math import atan2

from tribo.collision.convex import REALISED, face_points, keep_spread, solid_points
from tribo.collision.overlap import claim
from tribo.collision.point import first_row
from tribo.collision.solid import HEIGHT_MAP, TRIANGLE, difference, extent, radius, support_at
from tribo.jit import kernel
from tribo.math import vec

EVEN = 1e-6  # [rad] by which a normal may leave its range
ON_EDGE = 1e-6  # [-] a point with less weight on the opposite corner lies on the edge
UPRIGHT = 1.0 - 1e-9  # cosine of a normal that is the face's but for rounding
SAME_PLACE = 1e-6  # [m] points nearer than this, with one normal, are one
SAME_NORMAL = 1.0 - 1e-9
OPEN = 4.0  # [rad] no neighbour: any normal will do
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def normal_of(p, q, r):
    """Return the unit normal of a triangle."""
    normal = vec.cross(vec.sub(q, p), vec.sub(r, p))
    return vec.scale(1.0 / vec.norm(normal), normal)


@kernel
def fold(edge, normal, other):
    """Return by how much a surface bends down over a directed edge of a face; < 0: it rises."""
    outward = vec.cross(edge, normal)
    return atan2(vec.dot(other, outward) / vec.norm(edge), vec.dot(other, normal))


@kernel
def weight_opposite(p, q, r, x):
    """Return the barycentric weight of r in a point x of the triangle p, q, r."""
    normal = vec.cross(vec.sub(q, p), vec.sub(r, p))
    return vec.dot(normal, vec.cross(vec.sub(q, p), vec.sub(x, p))) / vec.dot(normal, normal)


@kernel
def has_normal(model, work, s, place, normal, toward):
    """Tell whether terrain s has a normal where its triangle at a place is touched, at `work.nearest`."""
    angles = folds(model, s, place, normal)
    for k in range(3):
        p = vec.load(work.triangle, k)
        q = vec.load(work.triangle, (k + 1) % 3)
        r = vec.load(work.triangle, (k + 2) % 3)
        lean = fold(vec.sub(q, p), normal, toward)
        if lean > EVEN and lean > angles[k] + EVEN:
            if weight_opposite(p, q, r, vec.load(work.nearest, 0)) < ON_EDGE:
                return False
    return True


@kernel
def is_over(work, x):
    """Tell whether a point lies over the triangle, along its normal."""
    for k in range(3):
        p = vec.load(work.triangle, k)
        q = vec.load(work.triangle, (k + 1) % 3)
        r = vec.load(work.triangle, (k + 2) % 3)
        if weight_opposite(p, q, r, x) < -ON_EDGE:
            return False
    return True


@kernel
def pile(work, n, count, first):
    """Append the points of `work.touch` to `work.pile` but those it has; return their number.

    Writes: work.
    """
    table = work.pile
    touch = work.touch
    for k in range(count):
        row = n
        for m in range(n):
            away = vec.sub(vec.load(table, m), vec.load(touch, k))
            along = 0.0
            for axis in range(3, 6):
                along += table[m, axis] * touch[k, axis]
            if vec.dot(away, away) < SAME_PLACE * SAME_PLACE and along > SAME_NORMAL:
                row = -1
        if row == table.shape[0]:  # full: the shallowest goes
            row = 0
            for m in range(1, n):
                if table[m, 6] > table[row, 6]:
                    row = m
            if table[row, 6] <= touch[k, 6]:
                row = -1
        if row >= 0:
            for m in range(7):
                table[row, m] = touch[k, m]
            table[row, 7] = 1.0 + (first * 37.0 + touch[k, 7]) % 2047.0
            n = max(n, row + 1)
    return n


@kernel
def keep_nearest(work):
    """Leave of the points in `work.touch` the nearest points alone.

    Writes: work.
    """
    for axis in range(3):
        work.touch[0, 3 + axis] = work.nearest[0, 3 + axis]
        half = 0.5 * work.nearest[0, 6] * work.nearest[0, 3 + axis]
        work.touch[0, axis] = work.nearest[0, axis] + half
    work.touch[0, 6] = work.nearest[0, 6]
    work.touch[0, 7] = 0.0


@kernel
def on_triangle(model, work, s, place, solid, rot, ground, margin, n):
    """Append the contacts of a solid at the origin and the triangle in `work.triangle`, terrain s at a place.

    A place is (i, j, 0 below or 1 above the diagonal) of a height map, (triangle, 0, 0) of a surface.

    Writes: work.
    """
    pair = (solid, rot, ground, (0.0, 0.0, 0.0), IDENTITY)
    normal = normal_of(
        vec.load(work.triangle, 0), vec.load(work.triangle, 1), vec.load(work.triangle, 2)
    )
    w, lowest = difference(model, work, pair, vec.neg(normal))
    height = vec.dot(w, normal) - radius(solid)
    if not height <= margin:
        return n
    if model.shape_kind[s] == HEIGHT_MAP:
        depth = 1e300
        number = float(2 * (place[1] * model.shape_data[s, 1] + place[0]) + place[2])
    else:
        depth = 0.5 * extent(solid)
        number = float(place[0] - model.shape_data[s, 0])
    count = solid_points(model, work, pair, margin)
    if count > 0:
        toward = (work.touch[0, 3], work.touch[0, 4], work.touch[0, 5])
        cosine = vec.dot(toward, normal)
        if cosine >= UPRIGHT:
            count = face_points(model, work, pair, 1, 0, normal, height, margin)
            n = pile(work, n, count, number)
            for k in range(count):
                if work.touch[k, 6] <= work.nearest[0, 6] + REALISED * extent(solid):
                    return n
        elif cosine > 0.0 and has_normal(model, work, s, place, normal, toward):
            return pile(work, n, count, number)
        exact = (work.nearest[0, 3], work.nearest[0, 4], work.nearest[0, 5])
        is_upright = vec.dot(exact, normal) >= UPRIGHT
        if is_upright or (
            vec.dot(exact, toward) < UPRIGHT  # a face hardly worse was preferred
            and vec.dot(exact, normal) > 0.0
            and has_normal(model, work, s, place, normal, exact)
        ):
            keep_nearest(work)
            return pile(work, n, 1, number)
        if cosine >= UPRIGHT:
            return n
    elif height > -depth:
        return n
    if height < -depth or not is_over(work, lowest):
        return n
    count = face_points(model, work, pair, 1, 0, normal, height, margin)
    n = pile(work, n, count, number)
    for k in range(count):
        if work.touch[k, 6] <= height + REALISED * extent(solid):
            return n
    down = vec.axpy(-radius(solid) - height, normal, lowest)  # on the triangle
    for axis in range(3):
        work.nearest[0, axis] = down[axis]
        work.nearest[0, 3 + axis] = normal[axis]
    work.nearest[0, 6] = height
    keep_nearest(work)
    return pile(work, n, 1, number)


@kernel
def height_at(model, s, i, j):
    """Return the corner (i, j) of a height map, clamped to its border."""
    nx = model.shape_data[s, 1]
    ny = model.shape_data[s, 2]
    i = max(0, min(nx - 1, i))
    j = max(0, min(ny - 1, j))
    dx = model.shape_size[s, 0]
    dy = model.shape_size[s, 1]
    z = model.height[model.shape_data[s, 0] + j * nx + i]
    return ((i - 0.5 * (nx - 1)) * dx, (j - 0.5 * (ny - 1)) * dy, z)


@kernel
def cell_normal(model, s, i, j, half):
    """Return the normal of triangle `half` (0 below, 1 above the diagonal) of a cell."""
    p = height_at(model, s, i, j)
    r = height_at(model, s, i + 1, j + 1)
    if half == 0:
        return normal_of(p, height_at(model, s, i + 1, j), r)
    return normal_of(p, r, height_at(model, s, i, j + 1))


@kernel
def cell_angle(model, s, i, j, half, edge, normal):
    """Return the fold of a height map over a directed edge towards a cell's triangle."""
    if i < 0 or j < 0 or i >= model.shape_data[s, 1] - 1 or j >= model.shape_data[s, 2] - 1:
        return OPEN
    return fold(edge, normal, cell_normal(model, s, i, j, half))


@kernel
def folds(model, s, place, normal):
    """Return by how much terrain s bends down over the edges of its triangle at a place."""
    i, j, half = place
    if model.shape_kind[s] != HEIGHT_MAP:
        return vec.load(model.triangle_fold, i)
    p = height_at(model, s, i, j)
    r = height_at(model, s, i + 1, j + 1)
    if half == 0:
        q = height_at(model, s, i + 1, j)
        return (
            cell_angle(model, s, i, j - 1, 1, vec.sub(q, p), normal),
            cell_angle(model, s, i + 1, j, 1, vec.sub(r, q), normal),
            cell_angle(model, s, i, j, 1, vec.sub(p, r), normal),
        )
    o = height_at(model, s, i, j + 1)
    return (
        cell_angle(model, s, i, j, 0, vec.sub(r, p), normal),
        cell_angle(model, s, i, j + 1, 0, vec.sub(o, r), normal),
        cell_angle(model, s, i - 1, j, 0, vec.sub(p, o), normal),
    )


@kernel
def on_height_map(model, work, s, solid, pos, rot, box, margin):
    """Write the contacts of a solid and a height map into `work.pile`; return their number.

    `pos` is the solid's, `box` holds its bounds (min, max), both in the map's frame.

    Writes: work.
    """
    nx = model.shape_data[s, 1]
    ny = model.shape_data[s, 2]
    dx = model.shape_size[s, 0]
    dy = model.shape_size[s, 1]
    ground = (TRIANGLE, 0.5 * min(dx, dy), 0.0, 0.0, 0, 0, 0, 0)
    i0 = int(max(0.0, (box[0] - margin) / dx + 0.5 * (nx - 1)))
    i1 = int(min(nx - 2.0, (box[3] + margin) / dx + 0.5 * (nx - 1)))
    j0 = int(max(0.0, (box[1] - margin) / dy + 0.5 * (ny - 1)))
    j1 = int(min(ny - 2.0, (box[4] + margin) / dy + 0.5 * (ny - 1)))
    n = first_row()
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            p = height_at(model, s, i, j)
            q = height_at(model, s, i + 1, j)
            r = height_at(model, s, i + 1, j + 1)
            o = height_at(model, s, i, j + 1)
            if box[2] - margin > max(p[2], q[2], r[2], o[2]):
                continue
            for half in range(2):
                vec.store(work.triangle, 0, vec.sub(p, pos))
                vec.store(work.triangle, 1, vec.sub(q if half == 0 else r, pos))
                vec.store(work.triangle, 2, vec.sub(r if half == 0 else o, pos))
                place = (i, j, half)
                n = on_triangle(model, work, s, place, solid, rot, ground, margin, n)
    return n


@kernel
def on_surface(model, work, s, solid, pos, rot, box, margin):
    """Write the contacts of a solid and a surface of triangles into `work.pile`; return their number.

    `pos` is the solid's, `box` holds its bounds (min, max), both in the surface's frame. The tree of boxes
    is walked in the order of its nodes; each knows the one to go on with if it is missed.

    Writes: work.
    """
    ground = (TRIANGLE, model.shape_size[s, 0], 0.0, 0.0, 0, 0, 0, 0)
    node = model.shape_data[s, 2]
    last = node + model.shape_data[s, 3]
    n = first_row()
    while node < last:
        is_near = True
        for axis in range(3):
            if box[axis] - margin > model.box_bound[node, 3 + axis]:
                is_near = False
            if box[3 + axis] + margin < model.box_bound[node, axis]:
                is_near = False
        if not is_near:
            node = model.box_skip[node]
            continue
        t = model.box_triangle[node]
        node += 1
        if t < 0:
            continue
        for k in range(3):
            corner = vec.load(model.vertex, model.triangle[t, k])
            vec.store(work.triangle, k, vec.sub(corner, pos))
        n = on_triangle(model, work, s, (t, 0, 0), solid, rot, ground, margin, n)
    return n


@kernel
def solid_box(model, work, solid, pos, rot):
    """Return the bounds (min, max) of a solid."""
    r = radius(solid)
    return (
        support_at(model, work, solid, pos, rot, (-1.0, 0.0, 0.0))[0] - r,
        support_at(model, work, solid, pos, rot, (0.0, -1.0, 0.0))[1] - r,
        support_at(model, work, solid, pos, rot, (0.0, 0.0, -1.0))[2] - r,
        support_at(model, work, solid, pos, rot, (1.0, 0.0, 0.0))[0] + r,
        support_at(model, work, solid, pos, rot, (0.0, 1.0, 0.0))[1] + r,
        support_at(model, work, solid, pos, rot, (0.0, 0.0, 1.0))[2] + r,
    )


@kernel
def terrain_pair(model, work, s, solid, pos, rot, ground_pos, ground_rot, margin):
    """Write the contacts of a convex solid and terrain s into the manifold; return the count, at most 8.

    Normals point from the terrain into the solid.

    Writes: work.
    """
    pos = vec.mat_t_vec(ground_rot, vec.sub(pos, ground_pos))
    rot = vec.mat_t_mul(ground_rot, rot)
    if not pos[0] + pos[1] + pos[2] < 1e300:  # a lost solid (NaN) is nowhere
        return 0
    box = solid_box(model, work, solid, pos, rot)
    if model.shape_kind[s] == HEIGHT_MAP:
        n = on_height_map(model, work, s, solid, pos, rot, box, margin)
    else:
        n = on_surface(model, work, s, solid, pos, rot, box, margin)
    table = work.pile
    for k in range(n):
        p = vec.mat_vec(ground_rot, vec.add(pos, vec.load(table, k)))
        vec.store(table, k, vec.add(ground_pos, p))
        normal = vec.mat_vec(ground_rot, (table[k, 3], table[k, 4], table[k, 5]))
        for axis in range(3):
            table[k, 3 + axis] = normal[axis]
    n = keep_spread(work, table, n, 1)
    for k in range(n):
        work.manifold[k, 7] = claim(work.manifold, k, work.manifold[k, 7])
    return n
