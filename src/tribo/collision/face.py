"""The face manifold of two boxes: the incident face clipped to the outline of the reference face.

Corners of a face, in its coordinates (u, v) along the next two axes: 0 (+,+), 1 (−,+), 2 (−,−), 3 (+,−); side
c joins corner c to the next. A vertex of the clipped polygon is named by the two lines that meet in it (0…3
sides of the incident face, 4…7 of the reference face), hence by two sides of one box (its corner) or by a
side of each (a crossing).
"""

from tribo.collision.point import first_row, put_point
from tribo.compiler.jit import kernel
from tribo.math import vec

# Outlines are widened by this share of the face before cutting, and points moved back after it:
# equal boxes in a stack keep their corners instead of trading them for crossings.
WIDENING = 1e-4
TWIN = 1e-6  # [-] of the face: vertices nearer than this are one
CROSSING = 16
FALLBACK = 320
SCRATCH = 8  # first row of `out` that holds no contact


@kernel
def cut(out, count, source, su, sv, limit, line):
    """Clip a polygon to su u + sv v ≤ limit; return the new number of vertices, at most 8.

    A vertex is u, v and the line that leaves it, in columns source… of the scratch rows; the clipped polygon
    goes to columns 4…6 or 0…2, whichever `source` leaves free.

    Writes: out.
    """
    kept = 0
    target = 4 - source
    for i in range(count):
        row = SCRATCH + i
        after = SCRATCH + (i + 1 if i + 1 < count else 0)
        d0 = su * out[row, source] + sv * out[row, source + 1] - limit
        d1 = su * out[after, source] + sv * out[after, source + 1] - limit
        if d0 <= 0.0 and kept < 8:
            for k in range(3):
                out[SCRATCH + kept, target + k] = out[row, source + k]
            kept += 1
        if (d0 <= 0.0) != (d1 <= 0.0) and kept < 8:
            t = d0 / (d0 - d1)
            for k in range(2):
                x = out[row, source + k]
                out[SCRATCH + kept, target + k] = x + t * (out[after, source + k] - x)
            out[SCRATCH + kept, target + 2] = line if d0 <= 0.0 else out[row, source + 2]
            kept += 1
    return kept


@kernel
def corner_of(side, after):
    """Return the corner between two neighbouring sides of a face."""
    return after if after == (side + 1) % 4 else side


@kernel
def box_corner(axis, sign, corner):
    """Return the number of a face's corner in its box: bit k is set on the positive side of axis k."""
    bits = int(sign > 0.0) << axis
    bits += int(corner == 0 or corner == 3) << ((axis + 1) % 3)
    return bits + (int(corner < 2) << ((axis + 2) % 3))


@kernel
def box_edge(axis, sign, side):
    """Return the id of a face's side in its box (see `box_box.support_edge`)."""
    up = int(sign > 0.0)
    if side % 2 == 0:
        return 4 * ((axis + 1) % 3) + int(side == 0) + 2 * up
    return 4 * ((axis + 2) % 3) + up + 2 * int(side == 3)


@kernel
def vertex_feature(line, after, ref_axis, ref_sign, inc_axis, inc_sign, side):
    """Return the feature of the vertex between two lines; `side` is +1 if A has the reference."""
    is_a = side > 0.0
    if line < 4 and after < 4:
        return box_corner(inc_axis, inc_sign, corner_of(line, after)) + (8 if is_a else 0)
    if line >= 4 and after >= 4:
        return box_corner(ref_axis, ref_sign, corner_of(line - 4, after - 4)) + (0 if is_a else 8)
    inc_edge = box_edge(inc_axis, inc_sign, min(line, after))
    ref_edge = box_edge(ref_axis, ref_sign, max(line, after) - 4)
    return CROSSING + (12 * ref_edge + inc_edge if is_a else 12 * inc_edge + ref_edge)


@kernel
def incident_face(rot, outward):
    """Return axis and sign of the face of a box that is most opposed to a direction."""
    axis = 0
    sign = 1.0
    most = -1.0
    for k in range(3):
        along = vec.dot(outward, vec.mat_col(rot, k))
        if abs(along) > most:
            most = abs(along)
            axis = k
            sign = -1.0 if along > 0.0 else 1.0
    return axis, sign


@kernel
def load_incident_face(out, u, v, centre, edge_1, edge_2):
    """Write the corners of the incident face, in (u, v), into the scratch rows.

    Writes: out.
    """
    for k in range(4):
        s1 = 1.0 if k == 0 or k == 3 else -1.0
        s2 = 1.0 if k < 2 else -1.0
        p = vec.axpy(s1, edge_1, vec.axpy(s2, edge_2, centre))
        out[SCRATCH + k, 0] = vec.dot(p, u)
        out[SCRATCH + k, 1] = vec.dot(p, v)
        out[SCRATCH + k, 2] = k


@kernel
def face_manifold(ref_pos, ref_rot, ref_half, axis, inc_pos, inc_rot, inc_half, side, best, margin, out):
    """Write the contacts of a reference face and the face of the other box opposed to it.

    `side` is +1 if the reference box is A, −1 if B; `best` is the least gap a point may have.

    Writes: out.
    """
    k1 = (axis + 1) % 3
    k2 = (axis + 2) % 3
    outward = vec.mat_col(ref_rot, axis)
    sign = 1.0 if vec.dot(outward, vec.sub(inc_pos, ref_pos)) >= 0.0 else -1.0
    outward = vec.scale(sign, outward)
    u = vec.mat_col(ref_rot, k1)
    v = vec.mat_col(ref_rot, k2)
    hu = ref_half[k1]
    hv = ref_half[k2]
    origin = vec.axpy(ref_half[axis], outward, ref_pos)
    inc_axis, inc_sign = incident_face(inc_rot, outward)
    i1 = (inc_axis + 1) % 3
    i2 = (inc_axis + 2) % 3
    facing = vec.scale(inc_sign, vec.mat_col(inc_rot, inc_axis))
    centre = vec.sub(vec.axpy(inc_half[inc_axis], facing, inc_pos), origin)
    edge_1 = vec.scale(inc_half[i1], vec.mat_col(inc_rot, i1))
    edge_2 = vec.scale(inc_half[i2], vec.mat_col(inc_rot, i2))
    load_incident_face(out, u, v, centre, edge_1, edge_2)
    wide_u = hu * (1.0 + WIDENING)
    wide_v = hv * (1.0 + WIDENING)
    count = first_row() + 4
    for k in range(4):
        sign_u = (k - 2.0) * (k % 2)
        sign_v = (1.0 - k) * ((k + 1) % 2)
        limit = wide_u if k % 2 == 1 else wide_v
        count = cut(out, count, 4 * (k % 2), sign_u, sign_v, limit, k + 4.0)
    # The incident face as a height over (u, v): its slope is at most √2, since it is the most opposed.
    steep = vec.dot(facing, outward)
    slope_u = -vec.dot(facing, u) / steep
    slope_v = -vec.dot(facing, v) / steep
    centre_u = vec.dot(centre, u)
    centre_v = vec.dot(centre, v)
    centre_h = vec.dot(centre, outward)
    normal = vec.scale(-side, outward)
    twin = TWIN * (hu + hv)
    n = first_row()
    for i in range(count + 1):
        if i < count:
            x = out[SCRATCH + i, 0]
            y = out[SCRATCH + i, 1]
            before = SCRATCH + (i - 1 if i > 0 else count - 1)
            line = int(out[before, 2])
            after = int(out[SCRATCH + i, 2])
            feature = vertex_feature(line, after, axis, sign, inc_axis, inc_sign, side)
        elif n == 0 and best <= 0.0:  # overlapping boxes touch, in spite of round-off
            x = centre_u
            y = centre_v
            feature = FALLBACK
        else:
            continue
        x = max(-hu, min(hu, x))
        y = max(-hv, min(hv, y))
        if i > 0 and i < count and is_twin(out, i, x, y, hu, hv, twin):
            continue
        gap = centre_h + slope_u * (x - centre_u) + slope_v * (y - centre_v)
        gap = best if i == count else max(gap, best)
        if gap <= margin:
            point = vec.axpy(x, u, vec.axpy(y, v, vec.axpy(0.5 * gap, outward, origin)))
            n = put_point(out, n, point, normal, gap, float(feature))
    return n


@kernel
def is_twin(out, i, x, y, hu, hv, twin):
    """Tell whether an earlier vertex of the polygon coincides with vertex i."""
    for k in range(i):
        du = x - max(-hu, min(hu, out[SCRATCH + k, 0]))
        dv = y - max(-hv, min(hv, out[SCRATCH + k, 1]))
        if abs(du) + abs(dv) < twin:
            return True
    return False
