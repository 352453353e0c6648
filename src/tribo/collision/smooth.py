"""The best direction between curved features, exactly.

The rounds of `closest` approach the direction n in which two solids are farthest apart, or overlap least, but
on curved surfaces only as near as GJK's bound allows. The points at which GJK ended determine the features
that meet. A corner, a rim or an ellipsoid has one support point for each n; a straight edge, or the side of a
cylinder or cone, has a whole segment, for n on a circle of the unit sphere: n · axis = tilt. Two circles meet
in a point; on one circle, or on the whole sphere, Newton's method finds where the gap n · w(n) is stationary:
w is the point of A − B with the least n · w.

A solution is proved before it is used: the features have a supporting plane (`separation` gives the same
gap), and a point of each is on the line along n. A flat face under an ellipsoid has one normal: it is the
best direction if the ellipsoid's deepest point is over the face.
"""

from math import sqrt

from tribo.collision.feature import DISC, face_towards, load_face
from tribo.collision.solid import extent, farthest_of_ellipsoid, separation, support_difference
from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import Shape

CORNER = 0  # one fixed point
EDGE = 1  # a fixed segment
RIM = 2  # a circle
SIDE = 3  # a segment for each direction around the axis
SMOOTH = 4  # the surface of an ellipsoid
NONE = 5  # anything else, such as a face
ITERATIONS = 12
ANGLE_TOLERANCE = 1e-12  # [rad] last step of Newton's method, and
MAX_STEP = 0.5  # [rad] bound of its step
SAME = 1e-6  # [-] of the solid: points that are nearer coincide
PLANE = 1e-12  # [-] of the coordinates: tolerance of `separation`
OUTSIDE = 1e-9  # [-] of a segment: tolerance of a point beyond its ends
TOWARDS = 0.5  # cosine of a face's normal and a direction near the best
PARALLEL = 1e-6  # [-] sin² of two axes
THIN = 1e-9  # [-] distance from the axis, below which a direction has no point on the rim
ZERO = (0.0, 0.0, 0.0)


@kernel
def feature(work, solid, pos, rot, is_b, shift):
    """Return the feature by which a solid touches the other: kind, point, segment, axis, tilt of its circle.

    shift: displacement of B in GJK. The tilt is that of the outward normal.
    """
    kind = solid[0]
    if kind == Shape.ELLIPSOID:
        return SMOOTH, pos, ZERO, ZERO, 0.0
    first = ZERO
    second = ZERO
    found = 0
    apex = bottom = top = False
    for k in range(4):
        if not work.simplex[k, 6] > 0.0:
            continue
        p = (work.simplex[k, 3], work.simplex[k, 4], work.simplex[k, 5])
        if is_b:
            p = vec.sub(vec.sub(p, vec.load(work.simplex, k)), shift)
        if kind == Shape.CYLINDER or kind == Shape.CONE:
            z = vec.dot(vec.mat_col(rot, 2), vec.sub(p, pos))
            top = top or z > 0.0
            bottom = bottom or z <= 0.0
            first = p
            found = 1
            continue
        is_new = True
        same = SAME * extent(solid)
        if found > 0:
            away = vec.sub(p, first)
            is_new = vec.dot(away, away) > same * same
        if found > 1 and is_new:
            away = vec.sub(p, second)
            is_new = vec.dot(away, away) > same * same
        if is_new:
            if found == 0:
                first = p
            else:
                second = p
            found += 1
    apex = kind == Shape.CONE and top
    up = vec.mat_col(rot, 2)
    if kind == Shape.CYLINDER or kind == Shape.CONE:
        if top and bottom:
            tilt = 0.0
            if kind == Shape.CONE:
                tilt = solid[1] / sqrt(solid[1] * solid[1] + 4.0 * solid[2] * solid[2])
            return SIDE, vec.axpy(-solid[2], up, pos), ZERO, up, tilt
        if apex:
            return CORNER, vec.axpy(solid[2], up, pos), ZERO, up, 0.0
        return RIM, vec.axpy(solid[2] if top else -solid[2], up, pos), ZERO, up, 0.0
    if found == 1:
        return CORNER, first, ZERO, up, 0.0
    if found == 2:
        along = vec.sub(second, first)
        return EDGE, first, along, vec.scale(1.0 / vec.norm(along), along), 0.0
    return NONE, first, ZERO, up, 0.0


@kernel
def on_feature(solid, rot, own, outward):
    """Return a point of a feature farthest in a direction, its segment, and the motion of the point.

    The point moves by `radius` × Σ tangent × (tangent · change of the direction) over two tangents; radius
    −1: unknown. Of an ellipsoid with D = diag(semi-axes) the point is D m, m = D n / ‖D n‖, and a change of
    the direction moves it by D (1 − m mᵀ) D / ‖D n‖.
    """
    if own[0] < RIM:
        return own[1], own[2], 0.0, ZERO, ZERO
    local = vec.mat_t_vec(rot, outward)
    if own[0] == SMOOTH:
        p = farthest_of_ellipsoid(solid, local)
        u, v = vec.axes_from_normal((p[0] / solid[1], p[1] / solid[2], p[2] / solid[3]))
        u = vec.mat_vec(rot, (solid[1] * u[0], solid[2] * u[1], solid[3] * u[2]))
        v = vec.mat_vec(rot, (solid[1] * v[0], solid[2] * v[1], solid[3] * v[2]))
        rate = 1.0 / vec.dot(p, local)
        return vec.add(own[1], vec.mat_vec(rot, p)), ZERO, rate, u, v
    around = sqrt(local[0] * local[0] + local[1] * local[1])
    if around < THIN:
        return own[1], ZERO, -1.0, ZERO, ZERO
    radial = vec.mat_vec(rot, (local[0] / around, local[1] / around, 0.0))
    tangent = vec.mat_vec(rot, (-local[1] / around, local[0] / around, 0.0))
    along = ZERO
    if own[0] == SIDE:
        along = vec.scale(2.0 * solid[2], own[3])
        if solid[0] == Shape.CONE:
            along = vec.axpy(-solid[1], radial, along)
    return vec.axpy(solid[1], radial, own[1]), along, solid[1] / around, tangent, ZERO


@kernel
def at_direction(pair, one, other, n):
    """Return whether it is known, and `on_feature` of A and B, for a direction n from B into A."""
    at_a = on_feature(pair[0], pair[1], one, vec.neg(n))
    at_b = on_feature(pair[2], pair[4], other, n)
    return at_a[2] >= 0.0 and at_b[2] >= 0.0, at_a, at_b


@kernel
def curvature(at, d, e):
    """Return the motion of a support point along e per change of the direction along d."""
    return at[2] * vec.dot(at[3], d) * vec.dot(at[3], e) + at[2] * vec.dot(at[4], d) * vec.dot(at[4], e)


@kernel
def on_circle(pair, one, other, axis, tilt, start):
    """Return whether, and which, direction on the circle n · axis = tilt near `start` has the largest gap."""
    u = vec.axpy(-vec.dot(start, axis), axis, start)
    length = vec.norm(u)
    if length < THIN:
        return False, start
    u = vec.scale(1.0 / length, u)
    radius = sqrt(max(0.0, 1.0 - tilt * tilt))
    n = start
    step = 1.0
    for _ in range(ITERATIONS):
        v = vec.cross(axis, u)
        n = vec.axpy(tilt, axis, vec.scale(radius, u))
        is_known, at_a, at_b = at_direction(pair, one, other, n)
        if not is_known:
            return False, n
        w = vec.sub(at_a[0], at_b[0])
        turn_a = radius * vec.dot(at_a[3], v)
        turn_b = radius * vec.dot(at_b[3], v)
        bend = radius * vec.dot(u, w) + at_a[2] * turn_a * turn_a + at_b[2] * turn_b * turn_b
        turn_a = radius * vec.dot(at_a[4], v)
        turn_b = radius * vec.dot(at_b[4], v)
        bend += at_a[2] * turn_a * turn_a + at_b[2] * turn_b * turn_b
        if not bend > 0.0:  # not a maximum
            return False, n
        step = radius * vec.dot(v, w) / bend
        if not abs(step) < MAX_STEP:
            return False, n
        if abs(step) < ANGLE_TOLERANCE:
            return True, n
        u = vec.axpy(step, v, u)
        u = vec.scale(1.0 / vec.norm(u), u)
    return abs(step) < 1e3 * ANGLE_TOLERANCE, n


@kernel
def on_sphere(pair, one, other, start):
    """Return whether, and which, direction near `start` has the largest gap."""
    n = start
    size = 1.0
    for _ in range(ITERATIONS):
        is_known, at_a, at_b = at_direction(pair, one, other, n)
        if not is_known:
            return False, n
        w = vec.sub(at_a[0], at_b[0])
        u, v = vec.axes_from_normal(n)
        gap = vec.dot(n, w)
        uu = gap + curvature(at_a, u, u) + curvature(at_b, u, u)
        uv = curvature(at_a, u, v) + curvature(at_b, u, v)
        vv = gap + curvature(at_a, v, v) + curvature(at_b, v, v)
        area = uu * vv - uv * uv
        if not (area > 0.0 and uu > 0.0):  # not a maximum
            return False, n
        slope_u = vec.dot(u, w)
        slope_v = vec.dot(v, w)
        step_u = (vv * slope_u - uv * slope_v) / area
        step_v = (uu * slope_v - uv * slope_u) / area
        size = sqrt(step_u * step_u + step_v * step_v)
        if not size < MAX_STEP:
            return False, n
        if size < ANGLE_TOLERANCE:
            return True, n
        n = vec.axpy(step_u, u, vec.axpy(step_v, v, n))
        n = vec.scale(1.0 / vec.norm(n), n)
    return size < 1e3 * ANGLE_TOLERANCE, n


@kernel
def on_two_circles(one, other, tilt_a, tilt_b, start):
    """Return whether, and where, two circles of the unit sphere meet near `start`."""
    k = vec.dot(one[3], other[3])
    square = 1.0 - k * k
    if square < PARALLEL:
        return False, start
    x = (tilt_a - k * tilt_b) / square
    y = (tilt_b - k * tilt_a) / square
    rest = (1.0 - x * tilt_a - y * tilt_b) / square
    if not rest > 0.0:
        return False, start
    across = vec.cross(one[3], other[3])
    z = sqrt(rest) if vec.dot(across, start) > 0.0 else -sqrt(rest)
    n = vec.axpy(x, one[3], vec.axpy(y, other[3], vec.scale(z, across)))
    return True, vec.scale(1.0 / vec.norm(n), n)


@kernel
def shares(n, w, along_a, along_b):
    """Return the positions on the segments of A and B where w + x along A − y along B is along n."""
    u, v = vec.axes_from_normal(n)
    w_u = vec.dot(w, u)
    w_v = vec.dot(w, v)
    a_u = vec.dot(along_a, u)
    a_v = vec.dot(along_a, v)
    b_u = -vec.dot(along_b, u)
    b_v = -vec.dot(along_b, v)
    aa = a_u * a_u + a_v * a_v
    bb = b_u * b_u + b_v * b_v
    if aa == 0.0 and bb == 0.0:
        return 0.0, 0.0
    if bb == 0.0:
        return -(w_u * a_u + w_v * a_v) / aa, 0.0
    if aa == 0.0:
        return 0.0, -(w_u * b_u + w_v * b_v) / bb
    area = a_u * b_v - a_v * b_u
    if area * area <= PARALLEL * aa * bb:
        return -1.0, -1.0
    return (w_v * b_u - w_u * b_v) / area, (w_u * a_v - w_v * a_u) / area


@kernel
def is_curved(pair):
    """Tell whether GJK's bound, not round-off, limits the accuracy of the rounds."""
    a = pair[0][0]
    b = pair[2][0]
    return a == Shape.CYLINDER or a == Shape.CONE or b == Shape.CYLINDER or b == Shape.CONE or is_smooth(pair)


@kernel
def is_smooth(pair):
    """Tell whether one of two solids is an ellipsoid."""
    return pair[0][0] == Shape.ELLIPSOID or pair[2][0] == Shape.ELLIPSOID


@kernel
def is_on_face(work, side, kind, count, centre, radius, normal, p):
    """Tell whether a point of the plane of a face, written into `work.outline`, lies on the face."""
    if kind == DISC:
        arm = vec.sub(p, centre)
        return vec.dot(arm, arm) <= radius * radius
    for k in range(count):
        corner = vec.load(work.outline[side], k)
        edge = vec.sub(vec.load(work.outline[side], k + 1 if k + 1 < count else 0), corner)
        if vec.dot(normal, vec.cross(edge, vec.sub(p, corner))) < 0.0:
            return False
    return True


@kernel
def on_face(model, work, pair, start):
    """Return whether an ellipsoid lies over a face that faces `start`; n, the gap, points of A and B.

    Writes: work.
    """
    nowhere = (False, start, 0.0, ZERO, ZERO)
    is_a = pair[2][0] == Shape.ELLIPSOID  # whether the face is one of A
    solid = pair[0] if is_a else pair[2]
    pos = ZERO if is_a else pair[3]
    rot = pair[1] if is_a else pair[4]
    outward = vec.neg(start) if is_a else start
    face, normal, cosine = face_towards(model, work, solid, vec.mat_t_vec(rot, outward))
    if not cosine > TOWARDS:
        return nowhere
    side = 0 if is_a else 1
    kind, count, centre = load_face(model, work, side, solid, face, pos, rot)
    normal = vec.mat_vec(rot, normal)
    n = vec.neg(normal) if is_a else normal
    w, a = support_difference(model, work, pair, vec.neg(n))
    gap = vec.dot(w, n)
    b = vec.axpy(-gap, n, a)
    if is_a:
        b = vec.sub(a, w)
        a = vec.axpy(gap, n, b)
    if not is_on_face(work, side, kind, count, centre, solid[1], normal, a if is_a else b):
        return nowhere
    return True, n, gap, a, b


@kernel
def newton_point(model, work, pair, start, shift):
    """Return whether the best direction near `start` is found and proved; it, its gap, points of A and B.

    To be called after GJK with solids of which B was moved by `shift`.

    Writes: work.
    """
    nowhere = (False, start, 0.0, ZERO, ZERO)
    if is_smooth(pair):
        answer = on_face(model, work, pair, start)
        if answer[0]:
            return answer
    one = feature(work, pair[0], ZERO, pair[1], False, ZERO)
    other = feature(work, pair[2], pair[3], pair[4], True, shift)
    if one[0] == NONE or other[0] == NONE:
        return nowhere
    is_circle_a = one[0] == EDGE or one[0] == SIDE
    is_circle_b = other[0] == EDGE or other[0] == SIDE
    if is_circle_a and is_circle_b:
        is_found, n = on_two_circles(one, other, -one[4], other[4], start)
    elif is_circle_a:
        is_found, n = on_circle(pair, one, other, one[3], -one[4], start)
    elif is_circle_b:
        is_found, n = on_circle(pair, one, other, other[3], other[4], start)
    else:
        is_found, n = on_sphere(pair, one, other, start)
    if not is_found:
        return nowhere
    is_known, at_a, at_b = at_direction(pair, one, other, n)
    if not is_known:
        return nowhere
    w = vec.sub(at_a[0], at_b[0])
    gap = vec.dot(n, w)
    x, y = shares(n, w, at_a[1], at_b[1])
    if not (min(x, y) >= -OUTSIDE and max(x, y) <= 1.0 + OUTSIDE):
        return nowhere
    a = vec.axpy(x, at_a[1], at_a[0])
    b = vec.axpy(y, at_b[1], at_b[0])
    reach = PLANE * (vec.norm(a) + vec.norm(b) + extent(pair[0]) + extent(pair[2]))
    aside = vec.axpy(-gap, n, vec.sub(a, b))
    if not (
        abs(separation(model, work, pair, n) - gap) <= reach and vec.dot(aside, aside) <= 1e4 * reach * reach
    ):
        return nowhere
    return True, n, gap, a, b
