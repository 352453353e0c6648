"""A convex solid on terrain: a surface of triangles, or a height map that is solid below.

Each triangle near the solid is treated as a convex solid without thickness. The result is then corrected as
part of the surface: over an edge that is flat or concave the surface has no normals but those of its faces,
over a convex edge only those between its two faces. So there are no bumps where triangles join, a ridge is
round, and a valley has two contacts.

1. A normal that the surface has: the points are used as they are.
2. Another one, or from below: the best directions that it has there. Its own face, if the solid's deepest
   point is over it; an edge, if that point is over the edge along a normal between the two faces. A height
   map pushes back at any depth; a triangle of a surface, while the centre of mass is on its outer side, and
   beyond that down to half the least half size of the solid, since it may belong to a thin wall.
3. Such a contact is dropped if the normal of a shallower one also frees the solid from its triangle: it
   belongs to the far side of an edge.
4. A contact with a surface is dropped, too, if it is below a face in the plane of another one, on which the
   solid rests: closed pieces side by side have faces between them that nothing reaches.

All coordinates are in the frame of the terrain, with the solid at the origin.
"""

from math import cos, sin

from tribo.collision import triangles
from tribo.collision.convex import EDGE_SLOP, REALISED, face_points, keep_spread, solid_points
from tribo.collision.overlap import claim
from tribo.collision.plane import FLAT_COSINE, ROLLED_OVER, TILTED
from tribo.collision.point import first_row
from tribo.collision.solid import (
    TRIANGLE,
    extent,
    is_arc,
    is_ball,
    radius,
    separation,
    support_at,
    support_difference,
)
from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import Shape

EVEN = 1e-6  # [rad] tolerance of the range of a normal
UPRIGHT = 1.0 - 1e-9  # cosine of a normal that is that of the face up to round-off
SAME_PLACE = 1e-6  # [m] nearer points with the same normal coincide
SAME_NORMAL = 1.0 - 1e-9
HALVINGS = 45  # bisections of the range of an edge's normals, down to round-off
ACCEPTED = -1.0  # last column of the pile: normal of the triangle; ≥ 0: number of the triangle
DROPPED = -2.0  # last column of the pile: the point is not used
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def has_normal(model, work, s, place, normal, toward):
    """Tell whether terrain s has normal `toward` at the point `work.nearest` of its triangle at a place.

    The normal of the face beyond an edge is left to that face.
    """
    angles = triangles.dihedral_angles(model, s, place, normal)
    for k in range(3):
        p = vec.load(work.triangle, k)
        q = vec.load(work.triangle, (k + 1) % 3)
        r = vec.load(work.triangle, (k + 2) % 3)
        lean = triangles.dihedral_angle(vec.sub(q, p), normal, toward)
        if lean > EVEN and lean > angles[k] - EVEN:
            if triangles.weight_opposite(p, q, r, vec.load(work.nearest, 0)) < triangles.ON_EDGE:
                return False
    return True


@kernel
def find_foot(work, k):
    """Return the point of the triangle that belongs to point k of `work.touch`: outlines are widened."""
    normal = vec.load_from(work.touch, k, 3)
    foot = vec.axpy(-0.5 * work.touch[k, 6], normal, vec.load(work.touch, k))
    face = triangles.normal_of(
        vec.load(work.triangle, 0), vec.load(work.triangle, 1), vec.load(work.triangle, 2)
    )
    for side in range(3):
        p = vec.load(work.triangle, side)
        outward = vec.cross(vec.sub(vec.load(work.triangle, (side + 1) % 3), p), face)
        beyond = vec.dot(vec.sub(foot, p), outward) / vec.dot(outward, outward)
        foot = vec.axpy(min(0.0, -beyond), outward, foot)
    return foot


@kernel
def pile(work, n, count, first, second_best):
    """Append the points of `work.touch` to `work.pile` unless they are there; return their number.

    second_best: `ACCEPTED` or the triangle's number.

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
                if second_best == ACCEPTED:
                    table[m, 8] = ACCEPTED
        if row == table.shape[0]:  # full: replace the shallowest
            row = 0
            for m in range(1, n):
                if table[m, 6] > table[row, 6]:
                    row = m
            if table[row, 6] <= touch[k, 6]:
                row = -1
        if row >= 0:
            for m in range(7):
                table[row, m] = touch[k, m]
            table[row, 7] = 1.0 + (first * 37.0 + touch[k, 7]) % 2045.0
            table[row, 8] = second_best
            table[row, 9], table[row, 10], table[row, 11] = find_foot(work, k)
            n = max(n, row + 1)
    return n


@kernel
def keep_nearest(work):
    """Replace the points in `work.touch` by the nearest points.

    Writes: work.
    """
    for axis in range(3):
        work.touch[0, 3 + axis] = work.nearest[0, 3 + axis]
        half = 0.5 * work.nearest[0, 6] * work.nearest[0, 3 + axis]
        work.touch[0, axis] = work.nearest[0, axis] + half
    work.touch[0, 6] = work.nearest[0, 6]
    work.touch[0, 7] = 0.0


@kernel
def put_nearest(work, point, normal, gap):
    """Write a contact, given by its point on the terrain, to `work.touch` and as the nearest points.

    Writes: work.
    """
    for axis in range(3):
        work.nearest[0, axis] = point[axis]
        work.nearest[0, 3 + axis] = normal[axis]
    work.nearest[0, 6] = gap
    keep_nearest(work)


@kernel
def on_edges(model, work, s, place, pair, normal, depth, number, n):
    """Append the contacts of a solid with the convex edges of a triangle that it overlaps.

    Over an edge d(φ) = cos φ n + sin φ n' rotates from the triangle's normal n outward (n') to the
    neighbour's. The gap is stationary where the solid's deepest point x along d is over the edge,
    d' · (x − edge) = 0.

    Writes: work.
    """
    angles = triangles.dihedral_angles(model, s, place, normal)
    for k in range(3):
        if not EVEN < angles[k] < triangles.OPEN:
            continue
        p = vec.load(work.triangle, k)
        edge = vec.sub(vec.load(work.triangle, (k + 1) % 3), p)
        outward = vec.scale(1.0 / vec.norm(edge), vec.cross(edge, normal))
        low = 0.0
        high = angles[k]
        beyond = offset(model, work, pair, p, normal, outward, low)
        behind = offset(model, work, pair, p, normal, outward, high)
        if not (beyond[0] > 0.0 and behind[0] < 0.0):
            continue
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            here = offset(model, work, pair, p, normal, outward, middle)
            if here[0] > 0.0:
                low = middle
                beyond = here
            else:
                high = middle
                behind = here
        d = vec.axpy(cos(low), normal, vec.scale(sin(low), outward))
        share = beyond[0] / (beyond[0] - behind[0])
        x = vec.axpy(share, vec.sub(behind[1], beyond[1]), beyond[1])
        along = vec.dot(vec.sub(x, p), edge) / vec.dot(edge, edge)
        gap = vec.dot(vec.sub(x, p), d) - radius(pair[0])
        if 0.0 <= along <= 1.0 and -depth <= gap <= 0.0:
            put_nearest(work, vec.axpy(along, edge, p), d, gap)
            n = pile(work, n, 1, number, number)
    return n


@kernel
def offset(model, work, pair, p, normal, outward, angle):
    """Return the distance of the deepest point along a normal of an edge beyond the edge, and that point."""
    d = vec.axpy(cos(angle), normal, vec.scale(sin(angle), outward))
    x = support_at(model, work, pair[0], (0.0, 0.0, 0.0), pair[1], vec.neg(d))
    side = vec.axpy(cos(angle), outward, vec.scale(-sin(angle), normal))
    return vec.dot(vec.sub(x, p), side), x


@kernel
def on_triangle(model, work, s, place, solid, com, pos, rot, ground, margin, n):
    """Append the contacts of a solid at `pos` with the triangle in `work.triangle`, terrain s at a place.

    The corners of the triangle and `com`, the centre of mass of the solid's body, are relative to `pos`. A
    place is (i, j, 0 below or 1 above the diagonal) of a height map, (triangle, 0, 0) of a surface.

    Writes: work.
    """
    pair = (solid, rot, ground, (0.0, 0.0, 0.0), IDENTITY)
    corners = (vec.load(work.triangle, 0), vec.load(work.triangle, 1), vec.load(work.triangle, 2))
    normal = triangles.normal_of(corners[0], corners[1], corners[2])
    w, lowest = support_difference(model, work, pair, vec.neg(normal))
    height = vec.dot(w, normal) - radius(solid)
    if not height <= margin:
        return n
    is_map = model.shape_kind[s] == Shape.HEIGHT_MAP
    depth = 0.5 * extent(solid)
    if is_map or vec.dot(normal, vec.sub(com, corners[0])) > 0.0:
        depth = 1e300
    if is_map:
        number = float(2 * (place[1] * model.shape_data[s, 1] + place[0]) + place[2])
    else:
        number = float(place[0] - model.shape_data[s, 0])
    count = solid_points(model, work, pair, margin, -1)
    if count > 0:
        toward = (work.touch[0, 3], work.touch[0, 4], work.touch[0, 5])
        cosine = vec.dot(toward, normal)
        if cosine >= UPRIGHT:
            distance = work.nearest[0, 6]  # the least gap, apart from the widening of outlines
            least = distance if distance > 0.0 else height
            count = face_points(model, work, pair, 1, 0, normal, least, margin)
            n = pile(work, n, count, number, ACCEPTED)
            for k in range(count):
                if work.touch[k, 6] <= work.nearest[0, 6] + REALISED * extent(solid):
                    return n
        elif cosine > 0.0 and has_normal(model, work, s, place, normal, toward):
            return pile(work, n, count, number, ACCEPTED)
        exact = (work.nearest[0, 3], work.nearest[0, 4], work.nearest[0, 5])
        is_upright = vec.dot(exact, normal) >= UPRIGHT
        if is_upright or (
            vec.dot(exact, toward) < UPRIGHT  # a nearly equal face was preferred
            and vec.dot(exact, normal) > 0.0
            and has_normal(model, work, s, place, normal, exact)
        ):
            keep_nearest(work)
            return pile(work, n, 1, number, ACCEPTED)
        if cosine >= UPRIGHT:
            return n
        if work.nearest[0, 6] < 0.0:
            n = on_edges(model, work, s, place, pair, normal, depth, number, n)
    elif not (is_map and triangles.is_under(model, s, vec.add(pos, lowest))):
        return n
    if height < -depth or not triangles.is_over(corners[0], corners[1], corners[2], lowest):
        return n
    count = face_points(model, work, pair, 1, 0, normal, height, margin)
    n = pile(work, n, count, number, number)
    for k in range(count):
        if work.touch[k, 6] <= height + REALISED * extent(solid):
            return n
    down = vec.axpy(-radius(solid) - height, normal, lowest)  # on the triangle
    put_nearest(work, down, normal, height)
    return pile(work, n, 1, number, number)


@kernel
def drop_far_sides(model, work, s, solid, pos, rot, ground, n):
    """Drop contacts of a second-best normal if that of a shallower one frees the solid, too; return the rest.

    Writes: work.
    """
    pair = (solid, rot, ground, (0.0, 0.0, 0.0), IDENTITY)
    slop = EDGE_SLOP * extent(solid)
    table = work.pile
    while True:  # the shallowest not yet tested
        c = -1
        for m in range(n):
            if table[m, 8] >= 0.0 and (c < 0 or table[m, 6] > table[c, 6]):
                c = m
        if c < 0:
            break
        triangles.load_triangle(model, work, s, int(table[c, 8]), pos)
        table[c, 8] = ACCEPTED
        for d in range(n):
            if table[d, 8] == ACCEPTED and table[d, 6] > table[c, 6] + slop:
                normal = (table[d, 3], table[d, 4], table[d, 5])
                if separation(model, work, pair, normal) - radius(solid) >= table[d, 6] - slop:
                    table[c, 8] = DROPPED
                    break
    return without_void(work, n)


@kernel
def may_be_inner(solid, table, c, d, slop):
    """Tell whether contact c may be with a face that the faces in the plane of contact d cover.

    No: if c is above the plane of d, or d not above that of c, a ridge; nor if c is in the plane of d, has a
    gap and leans little: a turn about d may bring the solid to it, unless it is round in between.
    """
    normal_c = (table[c, 3], table[c, 4], table[c, 5])
    normal_d = (table[d, 3], table[d, 4], table[d, 5])
    away = vec.sub(vec.load(table, c), vec.load(table, d))
    half = vec.axpy(0.5 * table[c, 6], normal_c, vec.scale(-0.5 * table[d, 6], normal_d))
    foot = vec.sub(vec.load_from(table, c, 9), vec.load_from(table, d, 9))
    off = vec.sub(normal_c, normal_d)
    below = vec.dot(foot, normal_d)
    if vec.dot(off, off) < triangles.SAME_FACE * triangles.SAME_FACE or below > slop:
        return False
    if not vec.dot(foot, normal_c) < (0.0 if is_ball(solid[0]) else -slop):
        return False
    if below < -slop or table[c, 6] <= 0.0 or vec.dot(normal_c, normal_d) < triangles.STEEP:
        return True
    return is_arc(solid[0], normal_c, normal_d, vec.add(away, half))


@kernel
def drop_inner_faces(model, work, s, solid, pos, rot, n):
    """Drop contacts of faces that lie between the pieces of a surface; return the number left.

    A solid that is all above the plane of contact d, and meets it there, does not reach a face that is all
    below if another one in the plane covers it.

    Writes: work.
    """
    table = work.pile
    slop = triangles.FLUSH * extent(solid)
    for d in range(n):
        normal = (table[d, 3], table[d, 4], table[d, 5])
        height = vec.dot(vec.load(table, d), normal) - 0.5 * table[d, 6]
        top = height + vec.dot(pos, normal) + slop
        is_rest = False
        for c in range(n):
            if table[c, 8] == DROPPED or table[d, 8] == DROPPED or not may_be_inner(solid, table, c, d, slop):
                continue
            if not is_rest:
                lowest = support_at(model, work, solid, (0.0, 0.0, 0.0), rot, vec.neg(normal))
                if vec.dot(lowest, normal) - radius(solid) < height + table[d, 6] - slop:
                    break
                is_rest = True
            foot = vec.load_from(table, c, 9)
            over = vec.axpy(height - vec.dot(foot, normal), normal, foot)
            reach = triangles.terrain_reach(model, s, vec.add(pos, foot), normal, slop)
            if max(reach, triangles.terrain_reach(model, s, vec.add(pos, over), normal, slop)) <= top:
                table[c, 8] = DROPPED
    return without_void(work, n)


@kernel
def without_void(work, n):
    """Remove dropped contacts from the pile; return the number left.

    Writes: work.
    """
    table = work.pile
    kept = 0
    for m in range(n):
        if table[m, 8] != DROPPED:
            for k in range(12):
                table[kept, k] = table[m, k]
            kept += 1
    return kept


@kernel
def leave_to_lowest(model, work, solid, rot, n):
    """Drop rim crossings near the lowest point of a tilted disc; return the number left.

    As on a plane (`plane_cylinder`): each would be another impact where the rim just rolls on.

    Writes: work.
    """
    if solid[0] != Shape.CYLINDER and solid[0] != Shape.CONE:
        return n
    table = work.pile
    axis = vec.mat_col(rot, 2)
    near = ROLLED_OVER * solid[1] * solid[1]
    for c in range(n):
        normal = (table[c, 3], table[c, 4], table[c, 5])
        cosine = vec.dot(axis, normal)  # the base of a cone is at −z
        is_face_down = cosine > FLAT_COSINE or (solid[0] == Shape.CYLINDER and cosine < -FLAT_COSINE)
        if table[c, 8] == DROPPED or not is_face_down or vec.norm(vec.cross(axis, normal)) < TILTED:
            continue
        lowest = support_at(model, work, solid, (0.0, 0.0, 0.0), rot, vec.neg(normal))
        lowest = vec.axpy(-0.5 * table[c, 6], normal, lowest)
        away = vec.sub(vec.load(table, c), lowest)
        if not vec.dot(away, away) < SAME_PLACE * SAME_PLACE:
            continue
        for m in range(n):
            along = vec.dot(normal, (table[m, 3], table[m, 4], table[m, 5]))
            away = vec.sub(vec.load(table, m), lowest)
            if m != c and along > SAME_NORMAL and vec.dot(away, away) < near:
                table[m, 8] = DROPPED
    return without_void(work, n)


@kernel
def on_height_map(model, work, s, solid, com, pos, rot, box, margin):
    """Write the contacts of a solid and a height map into `work.pile`; return their number.

    pos: of the solid; box: its bounds (min, max); both in the map's frame.

    Writes: work.
    """
    ground = (TRIANGLE, 0.5 * min(model.shape_size[s, 0], model.shape_size[s, 1]), 0.0, 0.0, 0, 0, 0, 0)
    cells = triangles.cells_near(model, s, (box[0], box[1]), (box[3], box[4]), margin)
    n = first_row()
    for j in range(cells[2], cells[3] + 1):
        for i in range(cells[0], cells[1] + 1):
            p = triangles.height_at(model, s, i, j)
            q = triangles.height_at(model, s, i + 1, j)
            r = triangles.height_at(model, s, i + 1, j + 1)
            o = triangles.height_at(model, s, i, j + 1)
            if box[2] - margin > max(p[2], q[2], r[2], o[2]):
                continue
            for half in range(2):
                vec.store(work.triangle, 0, vec.sub(p, pos))
                vec.store(work.triangle, 1, vec.sub(q if half == 0 else r, pos))
                vec.store(work.triangle, 2, vec.sub(r if half == 0 else o, pos))
                n = on_triangle(model, work, s, (i, j, half), solid, com, pos, rot, ground, margin, n)
    return drop_far_sides(model, work, s, solid, pos, rot, ground, n)


@kernel
def on_surface(model, work, s, solid, com, pos, rot, box, margin):
    """Write the contacts of a solid and a surface of triangles into `work.pile`; return their number.

    pos: of the solid; box: its bounds (min, max); both in the surface's frame. The tree of boxes is walked in
    the order of its nodes; each stores the node to continue with if it is missed.

    Writes: work.
    """
    ground = (TRIANGLE, model.shape_size[s, 0], 0.0, 0.0, 0, 0, 0, 0)
    node = model.shape_data[s, 2]
    last = node + model.shape_data[s, 3]
    n = first_row()
    while node < last:
        if triangles.misses(model, node, (box[0], box[1], box[2]), (box[3], box[4], box[5]), margin):
            node = model.box_skip[node]
            continue
        t = model.box_triangle[node]
        node += 1
        if t < 0:
            continue
        triangles.load_triangle(model, work, s, t - model.shape_data[s, 0], pos)
        n = on_triangle(model, work, s, (t, 0, 0), solid, com, pos, rot, ground, margin, n)
    return drop_far_sides(model, work, s, solid, pos, rot, ground, n)


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
def terrain_pair(model, work, s, solid, com, pos, rot, ground_pos, ground_rot, margin):
    """Write the contacts of a convex solid and terrain s into the manifold; return the count, at most 8.

    Normals point from the terrain into the solid. com: centre of mass of its body in its own frame.

    Writes: work.
    """
    pos = vec.mat_t_vec(ground_rot, vec.sub(pos, ground_pos))
    rot = vec.mat_t_mul(ground_rot, rot)
    if not pos[0] + pos[1] + pos[2] < 1e300:  # a solid at NaN has no contacts
        return 0
    box = solid_box(model, work, solid, pos, rot)
    com = vec.mat_vec(rot, com)
    if model.shape_kind[s] == Shape.HEIGHT_MAP:
        n = on_height_map(model, work, s, solid, com, pos, rot, box, margin)
    else:
        n = on_surface(model, work, s, solid, com, pos, rot, box, margin)
        n = drop_inner_faces(model, work, s, solid, pos, rot, n)
    n = leave_to_lowest(model, work, solid, rot, n)
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
