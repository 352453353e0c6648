"""Box against box: separating axes, then a face manifold, an edge contact or a corner contact.

1. Signed distances along 15 axes; the greatest, `best`, is the exact depth of overlapping boxes and a lower
   bound of the distance of separate ones.
2. If a face is the best axis, or nearly, the most opposed face of the other box is clipped to its outline:
   one point per remaining vertex, with the gap along the face normal (`face`).
3. If no such point has the gap `best`, the *witness* is added: the nearest points of two edges or, for
   separate boxes, of a corner and the other box, whose gap is exact.
4. If two edges of separate boxes are nearly parallel, the ends of their common stretch replace the witness,
   if one of them has its gap.

Features: 0…7 a corner of A, 8…15 of B, 16…159 edge of A × edge of B, 160…175 a corner as witness, 176…319 two
edges as witness, 320 the fallback, 321…608 the ends of a stretch. A point of the face manifold is named after
the box features that meet in it, so the name does not depend on which box has the reference face.

Approximations: a face is preferred to an edge until the edge is better by 1 % of the depth plus 0.1 % of the
smallest half size, and a face of A to one of B by 0.001 %; gaps of points that are then deeper than `best`
are raised to `best`. Crossings are accurate to 0.01 % of the reference face (see `face.WIDENING`).
"""

from math import sqrt

from tribo.collision.face import face_manifold
from tribo.collision.point import first_row, put_point
from tribo.collision.sphere import point_box
from tribo.compiler.jit import kernel
from tribo.math import vec

NO_AXIS = -1e300  # [m] separation along an axis that does not exist
PARALLEL = 1e-14  # [-] sin² of two edges without a common perpendicular
EDGE_SHARE = 0.01  # [-] of the depth, and
EDGE_SLOP = 1e-3  # [-] of the smallest half size: advantage that an edge axis needs
FACE_SLOP = 1e-5  # [-] of the smallest half size: advantage that a face of B needs
REALISED = 1e-7  # [-] of the smallest half size: a point this near to `best` has that gap
SHARP = 0.005  # [-] of its length: the radius of a sharp edge
ALONG = 0.995  # cosine of nearly parallel edges; beyond 0.1 rad the ends of a stretch are far apart
CORNER_WITNESS = 160
EDGE_WITNESS = 176
STRETCH = 321


@kernel
def best_face(r, arm_a, arm_b, half_a, half_b):
    """Return the greatest separation along the faces of A and its axis, and the same for B.

    r: axes of B in those of A; the arms are from A to B in the axes of A and of B.
    """
    best_a = NO_AXIS
    best_b = NO_AXIS
    axis_a = 0
    axis_b = 0
    for k in range(3):
        reach = abs(r[3 * k]) * half_b[0] + abs(r[3 * k + 1]) * half_b[1]
        gap = abs(arm_a[k]) - half_a[k] - reach - abs(r[3 * k + 2]) * half_b[2]
        if gap > best_a:
            best_a = gap
            axis_a = k
        reach = abs(r[k]) * half_a[0] + abs(r[3 + k]) * half_a[1]
        gap = abs(arm_b[k]) - half_b[k] - reach - abs(r[6 + k]) * half_a[2]
        if gap > best_b:
            best_b = gap
            axis_b = k
    return best_a, axis_a, best_b, axis_b


@kernel
def best_edge(r, arm, half_a, half_b):
    """Return the greatest separation along a_i × b_j and 3 i + j."""
    best = NO_AXIS
    code = 0
    for i in range(3):
        i1 = (i + 1) % 3
        i2 = (i + 2) % 3
        for j in range(3):
            r1 = r[3 * i1 + j]
            r2 = r[3 * i2 + j]
            sine_squared = r1 * r1 + r2 * r2
            if sine_squared < PARALLEL:
                continue
            j1 = (j + 1) % 3
            j2 = (j + 2) % 3
            gap = abs(arm[i2] * r1 - arm[i1] * r2)
            gap -= half_a[i1] * abs(r2) + half_a[i2] * abs(r1)
            gap -= half_b[j1] * abs(r[3 * i + j2]) + half_b[j2] * abs(r[3 * i + j1])
            gap /= sqrt(sine_squared)
            if gap > best:
                best = gap
                code = 3 * i + j
    return best, code


@kernel
def support_edge(pos, rot, half, axis, direction):
    """Return the middle of the box edge along an axis that is farthest in a direction, and its id.

    Edge id: 4 × axis, + 1 on the positive side of the next axis, + 2 of the one after.
    """
    k1 = (axis + 1) % 3
    k2 = (axis + 2) % 3
    e1 = vec.mat_col(rot, k1)
    e2 = vec.mat_col(rot, k2)
    up1 = vec.dot(direction, e1) >= 0.0
    up2 = vec.dot(direction, e2) >= 0.0
    middle = vec.axpy(half[k1] if up1 else -half[k1], e1, pos)
    middle = vec.axpy(half[k2] if up2 else -half[k2], e2, middle)
    return middle, 4 * axis + int(up1) + 2 * int(up2)


@kernel
def edge_witness(pos_a, rot_a, half_a, pos_b, rot_b, half_b, code, gap, n, out):
    """Write the contact of the two edges that face each other; return the next row.

    Separate boxes: only if the nearest points of the two lines lie on the edges, else return n.

    Writes: out.
    """
    axis_a = code // 3
    axis_b = code % 3
    a = vec.mat_col(rot_a, axis_a)
    b = vec.mat_col(rot_b, axis_b)
    normal = vec.cross(a, b)
    length = vec.norm(normal)
    if vec.dot(normal, vec.sub(pos_a, pos_b)) < 0.0:
        length = -length
    normal = vec.scale(1.0 / length, normal)
    middle_a, edge_a = support_edge(pos_a, rot_a, half_a, axis_a, vec.neg(normal))
    middle_b, edge_b = support_edge(pos_b, rot_b, half_b, axis_b, normal)
    arm = vec.sub(middle_a, middle_b)
    cosine = vec.dot(a, b)
    along_a = vec.dot(arm, a)
    along_b = vec.dot(arm, b)
    s = (cosine * along_b - along_a) / (length * length)
    t = (along_b - cosine * along_a) / (length * length)
    reach_a = half_a[axis_a]
    reach_b = half_b[axis_b]
    if gap > 0.0 and (abs(s) > reach_a or abs(t) > reach_b):
        return n
    p = vec.axpy(max(-reach_a, min(reach_a, s)), a, middle_a)
    q = vec.axpy(max(-reach_b, min(reach_b, t)), b, middle_b)
    point = vec.scale(0.5, vec.add(p, q))
    return put_point(out, n, point, normal, gap, float(EDGE_WITNESS + 12 * edge_a + edge_b))


@kernel
def edge_beside(pos, rot, half, direction):
    """Return the middle of the edge of a box that faces a direction, half of the edge, and its id."""
    axis = 2
    tilt = (
        abs(vec.dot(direction, vec.mat_col(rot, 0))),
        abs(vec.dot(direction, vec.mat_col(rot, 1))),
        abs(vec.dot(direction, vec.mat_col(rot, 2))),
    )
    if tilt[0] <= tilt[1] and tilt[0] <= tilt[2]:
        axis = 0
    elif tilt[1] <= tilt[2]:
        axis = 1
    middle, edge = support_edge(pos, rot, half, axis, direction)
    return middle, vec.scale(half[axis], vec.mat_col(rot, axis)), edge


@kernel
def stretch_ends(pos_a, rot_a, half_a, pos_b, rot_b, half_b, margin, enough, n, out):
    """Add the ends of the common stretch of two edges to the witness in row 0; return the next row.

    The gap grows with the square of the distance across, as in `convex.edge_points`. If that of an end is at
    most `enough`, the ends replace the witness.

    Writes: out.
    """
    normal = (out[0, 3], out[0, 4], out[0, 5])
    best = out[0, 6]
    a, along_a, edge_a = edge_beside(pos_a, rot_a, half_a, vec.neg(normal))
    b, along_b, edge_b = edge_beside(pos_b, rot_b, half_b, normal)
    u = vec.axpy(-vec.dot(along_a, normal), normal, along_a)
    length = vec.norm(u)
    u = vec.scale(1.0 / max(length, 1e-300), u)
    reach = vec.dot(along_b, u)
    if length < 0.5 * vec.norm(along_a) or abs(reach) < 0.5 * vec.norm(along_b):
        return n
    start = vec.dot(vec.sub(b, a), u)
    low = max(-length, start - abs(reach))
    high = min(length, start + abs(reach))
    if not low < high:
        return n
    roundness = 4.0 * SHARP * min(length, abs(reach))  # of half lengths
    for end in range(2):
        x = high if end == 1 else low
        p = vec.axpy(x / length, along_a, a)
        q = vec.axpy((x - start) / reach, along_b, b)
        arm = vec.sub(p, q)
        height = vec.dot(arm, normal)
        across = vec.axpy(-height, normal, arm)
        gap = max(best, height + vec.dot(across, across) / roundness)
        if gap <= margin:
            middle = vec.scale(0.5, vec.add(p, q))
            feature = float(STRETCH + 2 * (12 * edge_a + edge_b) + end)
            n = put_point(out, n, middle, normal, gap, feature)
    if n > 1 and min(out[1, 6], out[n - 1, 6]) <= enough:
        n -= 1
        for k in range(n):
            for m in range(8):
                out[k, m] = out[k + 1, m]
    return n


@kernel
def nearest_corner(pos_a, rot_a, half_a, pos_b, rot_b, half_b):
    """Return distance, number, position (in B's axes) and normal of the corner of A nearest to B."""
    r = vec.mat_t_mul(rot_b, rot_a)
    centre = vec.mat_t_vec(rot_b, vec.sub(pos_a, pos_b))
    best = 1e300
    number = 0
    place = centre
    outward = centre
    for corner in range(8):
        x = half_a[0] if corner & 1 else -half_a[0]
        y = half_a[1] if corner & 2 else -half_a[1]
        z = half_a[2] if corner & 4 else -half_a[2]
        p = vec.add(centre, vec.mat_vec(r, (x, y, z)))
        distance, normal = point_box(p, half_b)
        if distance < best:
            best = distance
            number = corner
            place = p
            outward = normal
    return best, number, place, outward


@kernel
def corner_witness(pos_a, rot_a, half_a, pos_b, rot_b, half_b, margin, n, out):
    """Write the nearest corner of separate boxes if within the margin; return the next row.

    Writes: out.
    """
    gap, number, place, outward = nearest_corner(pos_a, rot_a, half_a, pos_b, rot_b, half_b)
    other, number_b, place_b, outward_b = nearest_corner(pos_b, rot_b, half_b, pos_a, rot_a, half_a)
    if min(gap, other) > margin:
        return n
    if gap <= other:
        place = vec.axpy(-0.5 * gap, outward, place)
        point = vec.add(pos_b, vec.mat_vec(rot_b, place))
        return put_point(out, n, point, vec.mat_vec(rot_b, outward), gap, float(CORNER_WITNESS + number))
    place_b = vec.axpy(-0.5 * other, outward_b, place_b)
    point = vec.add(pos_a, vec.mat_vec(rot_a, place_b))
    normal = vec.neg(vec.mat_vec(rot_a, outward_b))
    return put_point(out, n, point, normal, other, float(CORNER_WITNESS + 8 + number_b))


@kernel
def box_box(pos_a, rot_a, half_a, pos_b, rot_b, half_b, margin, out):
    """Write the contacts of two boxes; return the count, at most 8.

    Writes: out.
    Source: Gottschalk et al. 1996 (axes); Sutherland and Hodgman 1974 (clipping).
    """
    arm = vec.sub(pos_b, pos_a)
    arm_a = vec.mat_t_vec(rot_a, arm)
    arm_b = vec.mat_t_vec(rot_b, arm)
    r = vec.mat_t_mul(rot_a, rot_b)
    gap_a, axis_a, gap_b, axis_b = best_face(r, arm_a, arm_b, half_a, half_b)
    if not NO_AXIS < max(gap_a, gap_b) <= margin:  # a box at NaN has no axis
        return 0
    gap_edge, code = best_edge(r, arm_a, half_a, half_b)
    best = max(gap_a, gap_b, gap_edge)
    if not best <= margin:
        return 0
    size = min(min(half_a[0], half_a[1], half_a[2]), min(half_b[0], half_b[1], half_b[2]))
    n = first_row()
    if max(gap_a, gap_b) >= best - EDGE_SLOP * size + EDGE_SHARE * min(best, 0.0):
        if gap_b > gap_a + FACE_SLOP * size:
            n = face_manifold(pos_b, rot_b, half_b, axis_b, pos_a, rot_a, half_a, -1.0, best, margin, out)
        else:
            n = face_manifold(pos_a, rot_a, half_a, axis_a, pos_b, rot_b, half_b, 1.0, best, margin, out)
    for k in range(n):
        if out[k, 6] <= best + REALISED * size:
            return n
    n = min(n, 7)
    before = n
    if gap_edge >= max(gap_a, gap_b):
        n = edge_witness(pos_a, rot_a, half_a, pos_b, rot_b, half_b, code, best, n, out)
    if n == before and best > 0.0:
        n = corner_witness(pos_a, rot_a, half_a, pos_b, rot_b, half_b, margin, n, out)
    if n != 1 or before != 0 or best <= 0.0:
        return n
    most = max(abs(r[0]), abs(r[1]), abs(r[2]), abs(r[3]), abs(r[4]))
    if max(most, abs(r[5]), abs(r[6]), abs(r[7]), abs(r[8])) > ALONG:  # edges nearly parallel
        enough = out[0, 6] + REALISED * size
        n = stretch_ends(pos_a, rot_a, half_a, pos_b, rot_b, half_b, margin, enough, n, out)
    return n
