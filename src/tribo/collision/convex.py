"""Any two convex solids, or one on a plane: the general path of the narrow phase.

1. Signed distance `best`, normal and nearest points (`closest`).
2. If a flat face is the best direction, or nearly, the points of its overlap with what faces it (`overlap`).
3. Else, if two straight edges are nearly parallel, the ends of their common stretch.
4. If none of these points has the gap `best`, the nearest points themselves.

At most eight points: the deepest, and the farthest along eight directions of the contact plane.
Features: 0 the nearest points, the rest see `overlap`.
"""

from math import cos, pi, sin

from tribo.collision.closest import find_closest
from tribo.collision.feature import DISC, SEGMENT, face_towards, load_edge, load_face
from tribo.collision.overlap import (  # fmt: skip
    CORNER_A,
    CORNER_B,
    WIDENING,
    offer,
    overlap,
    put_disc,
    to_frame,
)
from tribo.collision.plane import ROLLED_OVER, TILTED
from tribo.collision.point import first_row
from tribo.collision.solid import TRIANGLE, extent, radius, separation, support_difference
from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import Shape

EDGE_SHARE = 0.01  # [-] of the depth, and
EDGE_SLOP = 1e-3  # [-] of the smaller solid: advantage that an edge needs
FACE_SLOP = 1e-5  # [-] of the smaller solid: advantage that a face of A needs
REALISED = 1e-5  # [-] of the smaller solid: a point this near to `best` has that gap
FLAT = 0.5  # least cosine of a face; a steeper one counts as an edge
FLAT_DISC = 0.7
LEVEL = 1e-9  # [-] tilt below which the deepest point of a rim is rounding noise
SHARP = 0.005  # [-] of its length: the radius of a sharp edge
SAME_END = 1e-6  # [-] of its length: an end this near to that of A is numbered after A
MAX_POINTS = 8
FIRST_TURN = 0.2  # [rad] no multiple of 45°, so that a side of a box has one farthest end
WIDER = 1e-4  # [-] of the spread of all points, that another point has to add
LOWER = 1e-7  # [-] of the spread: a point has to be deeper than the others predict there by this
IN_LINE = 1e-12  # [-] squared height over side of a triangle, below which it is degenerate
OTHER_NORMAL = 0.99  # cosine


@kernel
def passed(work, side, lowest, near):
    """Return which of the four rim points of a disc its lowest point replaces (`plane_cylinder`); 4: none."""
    for k in range(4):
        away = vec.sub(vec.load(work.outline[side], k), lowest)
        if vec.dot(away, away) < near:
            return k
    return 4


@kernel
def incident_feature(model, work, side, solid, pos, rot, d, frame, spoke):
    """Write the face or edge that faces a unit direction; return it as `overlap` expects it.

    Writes: work.
    """
    own = vec.mat_t_vec(rot, d)
    face, normal, cosine = face_towards(model, work, solid, own)
    normal = vec.mat_vec(rot, normal)
    local = (vec.dot(normal, frame[1]), vec.dot(normal, frame[2]), vec.dot(normal, frame[3]))
    if cosine > FLAT:
        kind, count, centre = load_face(model, work, side, solid, face, pos, rot)
        if kind != DISC or cosine > FLAT_DISC:
            size = 0.0
            if kind == DISC:
                size = solid[1]
                put_disc(work, side, centre, size, normal, spoke)
                count = 4
                down = vec.axpy(-cosine, normal, d)
                tilt = vec.norm(down)
                if tilt > LEVEL:
                    lowest = vec.axpy(size / tilt, down, centre)
                    row = passed(work, side, lowest, ROLLED_OVER * size * size) if tilt > TILTED else 4
                    vec.store(work.outline[side], row, lowest)
                    work.outline[side, row, 3] = 4
                    count = max(count, row + 1)
            to_frame(work, side, count, frame, 1.0)
            centre = vec.sub(centre, frame[0])
            middle = (vec.dot(centre, frame[1]), vec.dot(centre, frame[2]), vec.dot(centre, frame[3]))
            return side, kind, count, size, middle, local
    count, _ = load_edge(model, work, side, solid, own, pos, rot)
    to_frame(work, side, count, frame, 1.0)
    return side, SEGMENT, count, 0.0, frame[0], local


@kernel
def face_points(model, work, pair, side, face, outward, best, margin):
    """Write the points of a reference face of A (side 0) or B (side 1); return their number.

    Writes: work.
    """
    origin = (0.0, 0.0, 0.0)
    solid = pair[0] if side == 0 else pair[2]
    pos = origin if side == 0 else pair[3]
    rot = pair[1] if side == 0 else pair[4]
    other = pair[2] if side == 0 else pair[0]
    other_pos = pair[3] if side == 0 else origin
    other_rot = pair[4] if side == 0 else pair[1]
    kind, count, centre = load_face(model, work, side, solid, face, pos, rot)
    spoke_rot = pair[1] if kind == DISC else rot
    spoke = vec.mat_col(spoke_rot, 0)
    if abs(vec.dot(spoke, outward)) > 0.8:
        spoke = vec.mat_col(spoke_rot, 1)
    size = 0.0
    if kind == DISC:
        size = solid[1]
        put_disc(work, side, centre, size, outward, spoke)
        count = 4
    axis_u, axis_v = vec.axes_from_normal(outward)
    frame = (centre, axis_u, axis_v, outward, 1.0 if side == 0 else -1.0)
    to_frame(work, side, count, frame, 1.0 + WIDENING)
    reference = (side, kind, count, size, centre, outward)
    incident = incident_feature(
        model, work, 1 - side, other, other_pos, other_rot, vec.neg(outward), frame, spoke
    )
    round_off = radius(other)
    n = overlap(work, frame, reference, incident, best + round_off, margin + round_off)
    for k in range(n):
        work.touch[k, 6] -= round_off
        for axis in range(3):
            work.touch[k, axis] -= 0.5 * round_off * outward[axis]
    return n


@kernel
def edge_points(model, work, pair, normal, best, margin):
    """Write the ends of the common stretch of two edges; return their number.

    Beside a round edge the gap grows with the square of the distance across.

    Writes: work.
    """
    away = vec.neg(normal)
    origin = (0.0, 0.0, 0.0)
    count_a, round_a = load_edge(model, work, 0, pair[0], vec.mat_t_vec(pair[1], away), origin, pair[1])
    count_b, round_b = load_edge(model, work, 1, pair[2], vec.mat_t_vec(pair[4], normal), pair[3], pair[4])
    if count_a < 2 or count_b < 2:
        return 0
    a = vec.load(work.outline[0], 0)
    b = vec.load(work.outline[1], 0)
    along_a = vec.sub(vec.load(work.outline[0], 1), a)
    along_b = vec.sub(vec.load(work.outline[1], 1), b)
    u = vec.axpy(-vec.dot(along_a, normal), normal, along_a)
    length = vec.norm(u)
    u = vec.scale(1.0 / max(length, 1e-300), u)
    reach = vec.dot(along_b, u)
    start = vec.dot(vec.sub(b, a), u)
    if length < 0.5 * vec.norm(along_a) or abs(reach) < 0.5 * vec.norm(along_b):
        return 0
    low = max(0.0, min(start, start + reach))
    high = min(length, max(start, start + reach))
    if not low < high:
        return 0
    roundness = round_a + round_b + SHARP * min(length, abs(reach))
    rounding = radius(pair[0]) + radius(pair[2])
    n = 0
    for end in range(2):
        x = high if end == 1 else low
        p = vec.axpy(x / length, along_a, a)
        q = vec.axpy((x - start) / reach, along_b, b)
        arm = vec.sub(p, q)
        height = vec.dot(arm, normal)
        across = vec.axpy(-height, normal, arm)
        gap = height - rounding + 0.5 * vec.dot(across, across) / roundness
        middle = vec.scale(0.5, vec.add(p, q))
        middle = vec.axpy(0.5 * (radius(pair[2]) - radius(pair[0])), normal, middle)
        is_of_a = abs(x - (length if end == 1 else 0.0)) <= SAME_END * length
        feature = float((CORNER_A if is_of_a else CORNER_B) + 390 + end)
        frame = (vec.axpy(-0.5 * max(gap, best), away, middle), u, u, away, 1.0)
        n = offer(work, n, frame, 0.0, 0.0, gap, best, margin, 0.0, feature)
    return n


@kernel
def keep_point(work, table, n, row):
    """Copy a point of a table into the manifold; return the next row.

    Writes: work.
    """
    if n == MAX_POINTS:
        return n
    for m in range(8):
        work.manifold[n, m] = table[row, m]
    return n + 1


@kernel
def is_point_kept(work, table, n, row, near):
    """Tell whether one of the first n points of the manifold is equivalent to a row of a table."""
    for m in range(n):
        away = vec.sub(vec.load(table, row), vec.load(work.manifold, m))
        along = 0.0
        for axis in range(3, 6):
            along += work.manifold[m, axis] * table[row, axis]
        if vec.dot(away, away) <= near * near and along > OTHER_NORMAL:
            return True
    return False


@kernel
def level(work, n, u, v, p):
    """Return the gap that n points of the manifold predict at a point p: the lower side of their convex hull.

    The hull is over the contact plane u, v; outside it, the value at the nearest point of an edge counts.
    """
    lowest = nearest = beside = 1e300
    for a in range(n):
        from_a = vec.sub(p, vec.load(work.manifold, a))
        xa, ya = vec.dot(u, from_a), vec.dot(v, from_a)
        gap_a = work.manifold[a, 6]
        if xa * xa + ya * ya < nearest:
            nearest = xa * xa + ya * ya
            beside = gap_a
        for b in range(a + 1, n):
            from_b = vec.sub(p, vec.load(work.manifold, b))
            xb, yb = vec.dot(u, from_b), vec.dot(v, from_b)
            gap_b = work.manifold[b, 6]
            along_x, along_y = xa - xb, ya - yb
            length = along_x * along_x + along_y * along_y
            share = (along_x * xa + along_y * ya) / max(length, 1e-300)
            if 0.0 < share < 1.0:
                off_x, off_y = xa - share * along_x, ya - share * along_y
                if off_x * off_x + off_y * off_y < nearest:
                    nearest = off_x * off_x + off_y * off_y
                    beside = gap_a + share * (gap_b - gap_a)
            across = xa * yb - ya * xb
            for c in range(b + 1, n):
                from_c = vec.sub(p, vec.load(work.manifold, c))
                xc, yc = vec.dot(u, from_c), vec.dot(v, from_c)
                weight_a, weight_b = xb * yc - yb * xc, xc * ya - yc * xa
                area = across + weight_a + weight_b
                if area * area <= IN_LINE * length * length:
                    continue
                if min(across * area, weight_a * area, weight_b * area) >= 0.0:
                    gap = weight_a * gap_a + weight_b * gap_b + across * work.manifold[c, 6]
                    lowest = min(lowest, gap / area)
    return lowest if lowest < 1e300 else beside


@kernel
def keep_below(work, table, count, n, u, v, spread):
    """Add points with a gap below that which the n in the manifold predict there; return the number.

    The kept points can bear the load of all others. Two flat faces have no such points; a bump under the
    middle of a face is one.

    Writes: work.
    """
    while n < MAX_POINTS:
        lowest = -LOWER * spread
        best = -1
        for k in range(count):
            if not is_point_kept(work, table, n, k, WIDER * spread):
                below = table[k, 6] - level(work, n, u, v, vec.load(table, k))
                if below < lowest:
                    lowest = below
                    best = k
        if best < 0:
            return n
        n = keep_point(work, table, n, best)
    return n


@kernel
def keep_spread(work, table, count, few):
    """Copy at most eight of the points of a table into the manifold; return their number.

    Up to `few` points: all. Else in this order: the farthest along eight directions of the contact plane, if
    they widen the set; one of each normal; the deepest; points that stand out between them. Together they
    bear the load of all points.

    Writes: work.
    """
    n = first_row()
    deepest = first_row()
    spread = 0.0
    for k in range(count):
        if count <= few:
            n = keep_point(work, table, n, k)
        if table[k, 6] < table[deepest, 6]:
            deepest = k
        for axis in range(3):
            spread = max(spread, abs(table[k, axis] - table[0, axis]))
    if count <= few:
        return n
    u, v = vec.axes_from_normal((table[deepest, 3], table[deepest, 4], table[deepest, 5]))
    for turn in range(8):
        angle = FIRST_TURN + 0.25 * pi * turn
        d = vec.axpy(cos(angle), u, vec.scale(sin(angle), v))
        farthest = first_row()
        for k in range(1, count):
            if vec.dot(d, vec.load(table, k)) > vec.dot(d, vec.load(table, farthest)):
                farthest = k
        reach = vec.dot(d, vec.load(table, farthest)) - WIDER * spread
        is_wider = True
        for m in range(n):
            is_wider = is_wider and vec.dot(d, vec.load(work.manifold, m)) < reach
        if is_wider and n < MAX_POINTS - 2:
            n = keep_point(work, table, n, farthest)
    for k in range(count):
        is_new = True
        lowest = 1e300
        for m in range(n):
            along = 0.0
            for axis in range(3, 6):
                along += work.manifold[m, axis] * table[k, axis]
            is_new = is_new and along < OTHER_NORMAL
            lowest = min(lowest, work.manifold[m, 6])
        if is_new or (k == deepest and table[k, 6] < lowest - LOWER * spread):
            if n == MAX_POINTS and k == deepest:
                n -= 1
            n = keep_point(work, table, n, k)
    return keep_below(work, table, count, n, u, v, spread)


@kernel
def solid_points(model, work, pair, margin, row):
    """Write the contacts of two convex solids, A at the origin, into `work.touch`; return their number.

    row: of the pair in `separation`, −1: none (`find_closest`).

    Writes: work.
    """
    rounding = radius(pair[0]) + radius(pair[2])
    size = extent(pair[0])
    if pair[2][0] == Shape.PLANE:
        normal = vec.mat_col(pair[4], 2)
        w, a = support_difference(model, work, pair, vec.neg(normal))
        best = vec.dot(w, normal) - rounding
        if not best <= margin:
            return 0
        a = vec.axpy(-rounding, normal, a)
        b = vec.axpy(-best, normal, a)
        n = face_points(model, work, pair, 1, 0, normal, best, margin)
    else:
        is_near, best, normal, a, b = find_closest(model, work, pair, margin, row)
        if not is_near:
            return 0
        for axis in range(3):
            work.nearest[0, axis] = b[axis]
            work.nearest[0, 3 + axis] = normal[axis]
        work.nearest[0, 6] = best
        size = min(size, extent(pair[2]))
        face_a, outward_a, cosine_a = face_towards(
            model, work, pair[0], vec.mat_t_vec(pair[1], vec.neg(normal))
        )
        face_b, outward_b, cosine_b = face_towards(model, work, pair[2], vec.mat_t_vec(pair[4], normal))
        gap_a = gap_b = -1e300
        slop = FACE_SLOP * size
        if pair[2][0] == TRIANGLE:  # on terrain the terrain's normal is preferred
            slop = EDGE_SLOP * size - EDGE_SHARE * min(best, 0.0)
        if cosine_a > FLAT:
            outward_a = vec.mat_vec(pair[1], outward_a)
            gap_a = separation(model, work, pair, vec.neg(outward_a)) - rounding
        if cosine_b > FLAT:
            outward_b = vec.mat_vec(pair[4], outward_b)
            gap_b = separation(model, work, pair, outward_b) - rounding
        enough = best - EDGE_SLOP * size + EDGE_SHARE * min(best, 0.0)
        n = first_row()
        if gap_b >= enough and gap_b >= gap_a - slop:
            n = face_points(model, work, pair, 1, face_b, outward_b, best, margin)
        elif gap_a >= enough:
            n = face_points(model, work, pair, 0, face_a, outward_a, best, margin)
        if n == 0:  # an edge, or a face that the other solid misses
            n = edge_points(model, work, pair, normal, best, margin)
    for k in range(n):
        if work.touch[k, 6] <= best + REALISED * size:
            return n
    n = min(n, work.touch.shape[0] - 1)
    middle = vec.scale(0.5, vec.add(a, b))
    frame = (vec.axpy(0.5 * best, normal, middle), normal, normal, vec.neg(normal), 1.0)
    return offer(work, n, frame, 0.0, 0.0, best, best, margin, 0.0, 0.0)


@kernel
def convex_pair(model, work, solid_a, pos_a, rot_a, solid_b, pos_b, rot_b, margin, row):
    """Write the contacts of two convex solids into `work.manifold`; return the count, at most 8.

    row: see `solid_points`.

    Writes: work.
    """
    pair = (solid_a, rot_a, solid_b, vec.sub(pos_b, pos_a), rot_b)
    n = solid_points(model, work, pair, margin, row)
    for k in range(n):
        for axis in range(3):
            work.touch[k, axis] += pos_a[axis]
    return keep_spread(work, work.touch, n, MAX_POINTS)
