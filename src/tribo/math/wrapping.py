"""Shortest thread from one point to another around a sphere or a cylinder, or straight past it.

Without friction a thread lies on a geodesic. Seen along the axis of a cylinder, or in the plane through both
ends and the centre of a sphere, it is a tangent, an arc and a tangent. From a point p at a distance d > r the
tangents touch at

    t = (r²/d²) p ± (r √(d² − r²)/d²) p⊥

Where the side on which it lies is inside, the thread is drawn through the circle and touches it at the one
point t of least ‖p − t‖ + ‖q − t‖.
Source: Garner and Pandy 2000, "The obstacle-set method for representing muscle paths in musculoskeletal
models"; MuJoCo's documentation, "Spatial tendon" (on which side).
"""

from math import atan2, cos, pi, sin, sqrt

from tribo.compiler.jit import kernel
from tribo.math import vec

NONE = -1.0  # as a length: the thread passes
ROUNDING = 1e-9  # [rad] of an arc that ends where it begins
BISECTIONS = 60  # of an angle below π: to rounding
PARALLEL = 1e-12  # [–] sine below which both ends and the centre are on a line


@kernel
def tangent(x, y, radius, sign):
    """Return where the tangent from (x, y) touches the circle, on one of its two sides."""
    square = x * x + y * y
    along = radius * radius / square
    across = sign * radius * sqrt(square - radius * radius) / square
    return along * x - across * y, along * y + across * x


@kernel
def through(px, py, qx, qy, radius):
    """Return 0 and twice the point at which a thread through a circle touches it; `NONE`: it passes.

    With x the angle at the centre from p to t, G that to q: ∂/∂x (‖p − t‖ + ‖q − t‖) = 0, by bisection.
    """
    dp, dq = sqrt(px * px + py * py), sqrt(qx * qx + qy * qy)
    ends = (0.0, 0.0, 0.0, 0.0)
    if dp <= radius or dq <= radius:
        return NONE, ends
    x, y = nearest(px, py, qx, qy)
    if x * x + y * y <= radius * radius:
        return NONE, ends
    whole = atan2(px * qy - py * qx, px * qx + py * qy)
    low, high = 0.0, abs(whole)
    for _ in range(BISECTIONS):
        at = 0.5 * (low + high)
        back = abs(whole) - at
        first = sqrt(dp * dp + radius * radius - 2.0 * dp * radius * cos(at))
        last = sqrt(dq * dq + radius * radius - 2.0 * dq * radius * cos(back))
        if dp * sin(at) / first < dq * sin(back) / last:
            low = at
        else:
            high = at
    c, s = cos(0.5 * (low + high)), sin(0.5 * (low + high))
    if whole < 0.0:
        s = -s
    x, y = radius / dp * (c * px - s * py), radius / dp * (s * px + c * py)
    return 0.0, (x, y, x, y)


@kernel
def nearest(px, py, qx, qy):
    """Return the point of the segment from p to q that is nearest to the origin."""
    dx, dy = qx - px, qy - py
    square = dx * dx + dy * dy
    part = 0.0
    if square > 0.0:
        part = min(max(-(px * dx + py * dy) / square, 0.0), 1.0)
    return px + part * dx, py + part * dy


@kernel
def flat(px, py, qx, qy, radius, sx, sy):
    """Return the arc around a circle about the origin [m], `NONE` if there is none, and both its ends.

    It takes the shorter way round, and none if the straight way is free; the longer one if (sx, sy) lies
    between −p and −q.
    """
    ends = (0.0, 0.0, 0.0, 0.0)
    if px * px + py * py <= radius * radius or qx * qx + qy * qy <= radius * radius:
        return NONE, ends
    whole = px * qy - py * qx
    before, after = px * sy - py * sx, sx * qy - sy * qx
    is_far = whole * before < 0.0 and whole * after < 0.0
    x, y = nearest(px, py, qx, qy)
    if not is_far and x * x + y * y >= radius * radius:
        return NONE, ends
    sign = 1.0 if whole > 0.0 or (whole == 0.0 and before >= 0.0) else -1.0
    if is_far:
        sign = -sign
    ax, ay = tangent(px, py, radius, sign)
    bx, by = tangent(qx, qy, radius, -sign)
    turn = sign * atan2(ax * by - ay * bx, ax * bx + ay * by)
    if turn < -ROUNDING:
        turn += 2.0 * pi
    return radius * max(turn, 0.0), (ax, ay, bx, by)


@kernel
def across(a):
    """Return a unit vector at a right angle to a."""
    if abs(a[0]) <= min(abs(a[1]), abs(a[2])):
        other = (1.0, 0.0, 0.0)
    elif abs(a[1]) <= abs(a[2]):
        other = (0.0, 1.0, 0.0)
    else:
        other = (0.0, 0.0, 1.0)
    made = vec.cross(a, other)
    return vec.scale(1.0 / vec.norm(made), made)


@kernel
def around(p, q, axis, radius, side):
    """Return the length of the thread on the surface, `NONE` if it passes, and both its ends there.

    All places are relative to the centre. axis: a unit vector, of a sphere 0. side: a point that says on
    which side the thread lies; 0: on the nearer one; nearer than the radius: it runs through.
    """
    is_ball = vec.dot(axis, axis) == 0.0
    if is_ball:
        size = vec.norm(p)
        if size <= radius:
            return NONE, p, q
        e1 = vec.scale(1.0 / size, p)
        normal = vec.cross(p, q)
        width = vec.norm(normal)
        if width <= PARALLEL * size * vec.norm(q):
            normal = vec.cross(p, side)
            width = vec.norm(normal)
            if width <= PARALLEL * size * vec.norm(side):
                normal, width = across(e1), 1.0
        normal = vec.scale(1.0 / width, normal)
    else:
        normal = axis
        e1 = across(axis)
    e2 = vec.cross(normal, e1)
    px, py = vec.dot(p, e1), vec.dot(p, e2)
    qx, qy = vec.dot(q, e1), vec.dot(q, e2)
    sx, sy = vec.dot(side, e1), vec.dot(side, e2)
    if 0.0 < vec.dot(side, side) < radius * radius:
        arc, (ax, ay, bx, by) = through(px, py, qx, qy, radius)
    else:
        arc, (ax, ay, bx, by) = flat(px, py, qx, qy, radius, sx, sy)
    if arc < 0.0:
        return NONE, p, q
    first = vec.axpy(ax, e1, vec.scale(ay, e2))
    last = vec.axpy(bx, e1, vec.scale(by, e2))
    if is_ball:
        return arc, first, last
    start, rise = vec.dot(p, axis), vec.dot(vec.sub(q, p), axis)
    before = sqrt((px - ax) * (px - ax) + (py - ay) * (py - ay))
    after = sqrt((qx - bx) * (qx - bx) + (qy - by) * (qy - by))
    slope = rise / (before + arc + after)  # a helix, unrolled: a straight line
    first = vec.axpy(start + slope * before, axis, first)
    last = vec.axpy(start + slope * (before + arc), axis, last)
    return arc * sqrt(1.0 + slope * slope), first, last
