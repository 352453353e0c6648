"""The overlap of two flat features that face one another: the points that span it.

Coordinates (u, v, h) belong to the reference face: origin in its middle, h along its outward normal. The
overlap of two convex outlines is spanned by the corners of each inside the other and the crossings of their
edges. A disc has four corners at directions fixed in the other solid and the deepest point of its rim, so
they neither rotate with its spin nor jump with a vanishing tilt.

The reference outline is widened by a small share, so equal faces keep their corners instead of crossings. A
tilted disc is clipped exactly by straight edges; by another disc as if it were not tilted.
"""

from math import sqrt

from tribo.collision.feature import DISC, POLYGON, SEGMENT, UNBOUNDED
from tribo.compiler.jit import kernel
from tribo.math import vec

WIDENING = 1e-4
TWIN = 2e-4  # [-] of the reference: points nearer than this are one
CORNER_A = 1
CORNER_B = 401
CROSSING = 801
FEATURES = 2048


@kernel
def claim(touch, n, feature):
    """Return a feature number that none of the first n points has, `feature` if possible."""
    k = 0
    while k < n:
        if touch[k, 7] == feature:
            feature = feature + 1.0 if feature < FEATURES - 1 else 1.0
            k = -1
        k += 1
    return feature


@kernel
def offer(work, n, frame, u, v, gap, best, margin, twin, feature):
    """Append a point with its gap to `work.touch` unless it is there already; return the next row.

    frame: (origin, axis u, axis v, outward normal, +1 if A has the reference).

    Writes: work.
    """
    touch = work.touch
    if not gap <= margin or n >= touch.shape[0]:
        return n
    gap = max(gap, best)
    outward = frame[3]
    p = vec.axpy(u, frame[1], vec.axpy(v, frame[2], vec.axpy(0.5 * gap, outward, frame[0])))
    for k in range(n):
        away = vec.sub(vec.load(touch, k), p)
        if vec.dot(away, away) < twin * twin:
            return n
    touch[n, 0] = p[0]
    touch[n, 1] = p[1]
    touch[n, 2] = p[2]
    touch[n, 3] = -frame[4] * outward[0]
    touch[n, 4] = -frame[4] * outward[1]
    touch[n, 5] = -frame[4] * outward[2]
    touch[n, 6] = gap
    touch[n, 7] = claim(touch, n, feature)
    return n + 1


@kernel
def is_inside(outline, count, turn, u, v):
    """Tell whether a point lies in a convex polygon; turn: +1 if that is anticlockwise."""
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        du = outline[after, 0] - outline[k, 0]
        dv = outline[after, 1] - outline[k, 1]
        if turn * (du * (v - outline[k, 1]) - dv * (u - outline[k, 0])) < 0.0:
            return False
    return True


@kernel
def circle_cuts(p, d, radius):
    """Return the parameters t at which p + t d is `radius` away from the origin; 2, 2 if nowhere."""
    a = vec.dot(d, d)
    b = vec.dot(p, d)
    square = b * b - a * (vec.dot(p, p) - radius * radius)
    if square <= 0.0 or a == 0.0:
        return 2.0, 2.0
    root = sqrt(square)
    return (-b - root) / a, (-b + root) / a


@kernel
def to_frame(work, side, count, frame, share):
    """Convert the points of an outline to (u, v, h), scaled by `share`.

    Writes: work.
    """
    outline = work.outline[side]
    for k in range(count):
        p = vec.sub(vec.load(outline, k), frame[0])
        outline[k, 0] = share * vec.dot(p, frame[1])
        outline[k, 1] = share * vec.dot(p, frame[2])
        outline[k, 2] = vec.dot(p, frame[3])


@kernel
def put_disc(work, side, centre, radius, normal, spoke):
    """Write the four corners of a disc, in the frame of its arguments.

    Writes: work.
    """
    along = vec.axpy(-vec.dot(normal, spoke), normal, spoke)
    along = vec.scale(radius / vec.norm(along), along)
    across = vec.cross(normal, along)
    outline = work.outline[side]
    for k in range(4):
        p = vec.add(centre, vec.scale(1.0 - 2.0 * (k // 2), along if k % 2 == 0 else across))
        vec.store(outline, k, p)
        outline[k, 3] = k


@kernel
def height_of(incident, u, v):
    """Return the height of the plane of a flat incident feature over a point of the reference face."""
    centre = incident[4]
    normal = incident[5]
    slope_u = -normal[0] / normal[2]
    slope_v = -normal[1] / normal[2]
    return centre[2] + slope_u * (u - centre[0]) + slope_v * (v - centre[1])


@kernel
def incident_corners(work, frame, reference, incident, best, margin, twin):
    """Offer the corners of the incident feature that lie over the reference face; return the next row.

    Writes: work.
    """
    ref = work.outline[reference[0]]
    inc = work.outline[incident[0]]
    radius = reference[3] * (1.0 + WIDENING)
    first = CORNER_B if frame[4] > 0.0 else CORNER_A
    n = 0
    for k in range(incident[2]):
        u = inc[k, 0]
        v = inc[k, 1]
        is_over = reference[1] == UNBOUNDED
        if reference[1] == DISC:
            is_over = u * u + v * v <= radius * radius
        elif reference[1] == POLYGON:
            is_over = is_inside(ref, reference[2], 1.0, u, v)
        if is_over:
            feature = first + inc[k, 3] % 400
            n = offer(work, n, frame, u, v, inc[k, 2], best, margin, twin, feature)
    return n


@kernel
def reference_corners(work, frame, reference, incident, best, margin, twin, n):
    """Offer the corners of the reference face that lie over a flat incident feature; return the next row.

    Writes: work.
    """
    ref = work.outline[reference[0]]
    inc = work.outline[incident[0]]
    first = CORNER_A if frame[4] > 0.0 else CORNER_B
    for k in range(reference[2]):
        u = ref[k, 0]
        v = ref[k, 1]
        h = height_of(incident, u, v)
        if incident[1] == DISC:
            arm = vec.sub((u, v, h), incident[4])
            is_over = vec.dot(arm, arm) <= incident[3] * incident[3]
        else:
            is_over = is_inside(inc, incident[2], -1.0, u, v)
        if is_over:
            u /= 1.0 + WIDENING
            v /= 1.0 + WIDENING
            n = offer(work, n, frame, u, v, h, best, margin, twin, first + ref[k, 3] % 400)
    return n


@kernel
def circle_crossings(work, frame, reference, incident, best, margin, twin, n):
    """Offer the points where the rims of two discs cross, seen along the normal; return the next row.

    Writes: work.
    """
    radius = reference[3] * (1.0 + WIDENING)
    centre = incident[4]
    away = sqrt(centre[0] * centre[0] + centre[1] * centre[1])
    if abs(radius - incident[3]) < away < radius + incident[3]:
        along = 0.5 * (away + (radius - incident[3]) * (radius + incident[3]) / away)
        across = sqrt(max(0.0, radius * radius - along * along))
        for k in range(2):
            s = (2.0 * k - 1.0) * across / away
            u = along * centre[0] / away - s * centre[1]
            v = along * centre[1] / away + s * centre[0]
            h = height_of(incident, u, v)
            n = offer(work, n, frame, u, v, h, best, margin, twin, float(CROSSING + k))
    return n


@kernel
def side_crossings(work, frame, reference, incident, best, margin, twin, n):
    """Offer the points where sides of the reference face cross the rim of a disc; return the next row.

    Writes: work.
    """
    ref = work.outline[reference[0]]
    centre = incident[4]
    normal = incident[5]
    slope_u = -normal[0] / normal[2]
    slope_v = -normal[1] / normal[2]
    for k in range(reference[2]):
        after = k + 1 if k + 1 < reference[2] else 0
        du = ref[after, 0] - ref[k, 0]
        dv = ref[after, 1] - ref[k, 1]
        u = ref[k, 0] - centre[0]
        v = ref[k, 1] - centre[1]
        start = (u, v, slope_u * u + slope_v * v)
        cuts = circle_cuts(start, (du, dv, slope_u * du + slope_v * dv), incident[3])
        for m in range(2):
            if 0.0 <= cuts[m] <= 1.0:
                h = centre[2] + start[2] + cuts[m] * (slope_u * du + slope_v * dv)
                u = ref[k, 0] + cuts[m] * du
                v = ref[k, 1] + cuts[m] * dv
                feature = float(CROSSING + 2 * (ref[k, 3] % 400) + m)
                n = offer(work, n, frame, u, v, h, best, margin, twin, feature)
    return n


@kernel
def rim_crossings(work, frame, reference, incident, best, margin, twin, n):
    """Offer the points where straight sides of the incident feature cross the rim of a reference disc.

    Returns the next row.

    Writes: work.
    """
    inc = work.outline[incident[0]]
    radius = reference[3] * (1.0 + WIDENING)
    for i in range(incident[2] if incident[1] == POLYGON else 1):
        last = i + 1 if i + 1 < incident[2] else 0
        u = inc[i, 0]
        v = inc[i, 1]
        du = inc[last, 0] - u
        dv = inc[last, 1] - v
        dh = inc[last, 2] - inc[i, 2]
        cuts = circle_cuts((u, v, 0.0), (du, dv, 0.0), radius)
        for m in range(2):
            t = cuts[m]
            if 0.0 <= t <= 1.0:
                feature = float(CROSSING + 2 * (inc[i, 3] % 400) + m)
                x = u + t * du
                y = v + t * dv
                h = inc[i, 2] + t * dh
                n = offer(work, n, frame, x, y, h, best, margin, twin, feature)
    return n


@kernel
def line_crossings(work, frame, reference, incident, best, margin, twin, n):
    """Offer the points where straight sides of the incident feature cross those of the reference face.

    Returns the next row.

    Writes: work.
    """
    ref = work.outline[reference[0]]
    inc = work.outline[incident[0]]
    for i in range(incident[2] if incident[1] == POLYGON else 1):
        last = i + 1 if i + 1 < incident[2] else 0
        u = inc[i, 0]
        v = inc[i, 1]
        du = inc[last, 0] - u
        dv = inc[last, 1] - v
        dh = inc[last, 2] - inc[i, 2]
        for k in range(reference[2]):
            after = k + 1 if k + 1 < reference[2] else 0
            ru = ref[after, 0] - ref[k, 0]
            rv = ref[after, 1] - ref[k, 1]
            before = ru * (v - ref[k, 1]) - rv * (u - ref[k, 0])
            behind = before + ru * dv - rv * du
            if (before >= 0.0) == (behind >= 0.0):
                continue
            t = before / (before - behind)
            x = u + t * du
            y = v + t * dv
            place = (x - ref[k, 0]) * ru + (y - ref[k, 1]) * rv
            if 0.0 <= place <= ru * ru + rv * rv:
                feature = float(CROSSING + (31 * inc[i, 3] + ref[k, 3]) % (FEATURES - CROSSING))
                h = inc[i, 2] + t * dh
                n = offer(work, n, frame, x, y, h, best, margin, twin, feature)
    return n


@kernel
def overlap(work, frame, reference, incident, best, margin):
    """Write the points of a face and the feature that faces it into `work.touch`; return their number.

    Reference and incident: (side, kind, points, radius of a disc, centre, normal), of the incident in the
    reference's frame. Discs have four points. Gaps below `best` are raised to it.

    Writes: work.
    """
    size = reference[3] * (1.0 + WIDENING)
    ref = work.outline[reference[0]]
    for k in range(reference[2]):
        size = max(size, abs(ref[k, 0]), abs(ref[k, 1]))
    twin = TWIN * size
    n = incident_corners(work, frame, reference, incident, best, margin, twin)
    if reference[1] == UNBOUNDED:
        return n
    if incident[1] != SEGMENT:
        n = reference_corners(work, frame, reference, incident, best, margin, twin, n)
    if incident[1] == DISC:
        if reference[1] == DISC:
            return circle_crossings(work, frame, reference, incident, best, margin, twin, n)
        return side_crossings(work, frame, reference, incident, best, margin, twin, n)
    if reference[1] == DISC:
        return rim_crossings(work, frame, reference, incident, best, margin, twin, n)
    return line_crossings(work, frame, reference, incident, best, margin, twin, n)
