"""The part of a line inside a convex shape: entry and exit with the outward normals there.

An interval is the tuple (t in, t out, normal in, normal out); it is empty if t in > t out. The line is
o + t d in the axes of the shape, d a unit vector, o near the shape (`tribo.probes.cast` moves it there, so
that a ray from far away loses no digits).
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import Shape

ENDLESS = 1e300  # [m]
NONE = (0.0, 0.0, 1.0)
EMPTY = (ENDLESS, -ENDLESS, NONE, NONE)
WHOLE = (-ENDLESS, ENDLESS, NONE, NONE)


@kernel
def intersect_intervals(a, b):
    """Return the intersection of two intervals."""
    t_in = a[0]
    n_in = a[2]
    if b[0] > t_in:
        t_in = b[0]
        n_in = b[2]
    t_out = a[1]
    n_out = a[3]
    if b[1] < t_out:
        t_out = b[1]
        n_out = b[3]
    return (t_in, t_out, n_in, n_out)


@kernel
def below(height, rate, normal):
    """Return the interval below a plane of a line that starts at a height and rises at a rate."""
    if rate > 0.0:
        return (-ENDLESS, -height / rate, normal, normal)
    if rate < 0.0:
        return (-height / rate, ENDLESS, normal, normal)
    if height > 0.0:
        return EMPTY
    return WHOLE


@kernel
def slab(x, rate, half, axis):
    """Return the interval in which a coordinate lies between −half and half."""
    n = (1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2))
    return intersect_intervals(below(x - half, rate, n), below(-x - half, -rate, vec.neg(n)))


@kernel
def ball(o, d, centre, radius):
    """Return the interval in a ball."""
    arm = vec.sub(o, centre)
    along = vec.dot(arm, d)
    side = vec.axpy(-along, d, arm)
    square = radius * radius - vec.dot(side, side)
    if not square >= 0.0:
        return EMPTY
    half = sqrt(square)
    n_in = vec.scale(1.0 / radius, vec.axpy(-half, d, side))
    n_out = vec.scale(1.0 / radius, vec.axpy(half, d, side))
    return (-along - half, -along + half, n_in, n_out)


@kernel
def ellipsoid(o, d, size):
    """Return the interval in an ellipsoid: a ball of radius 1 in coordinates divided by its semi-axes."""
    p = (o[0] / size[0], o[1] / size[1], o[2] / size[2])
    e = (d[0] / size[0], d[1] / size[1], d[2] / size[2])
    rate = vec.dot(e, e)
    middle = -vec.dot(p, e) / rate
    side = vec.axpy(middle, e, p)
    square = 1.0 - vec.dot(side, side)
    if not square >= 0.0:
        return EMPTY
    half = sqrt(square / rate)
    n_in = ellipsoid_normal(vec.axpy(-half, e, side), size)
    n_out = ellipsoid_normal(vec.axpy(half, e, side), size)
    return (middle - half, middle + half, n_in, n_out)


@kernel
def ellipsoid_normal(p, size):
    """Return the outward normal of an ellipsoid at a point divided by its semi-axes."""
    n = (p[0] / size[0], p[1] / size[1], p[2] / size[2])
    return vec.scale(1.0 / vec.norm(n), n)


@kernel
def endless_cylinder(o, d, radius):
    """Return the interval in an infinite cylinder along z."""
    a = d[0] * d[0] + d[1] * d[1]
    if a < 1e-200:
        return WHOLE if o[0] * o[0] + o[1] * o[1] <= radius * radius else EMPTY
    along = (o[0] * d[0] + o[1] * d[1]) / a
    x = o[0] - along * d[0]
    y = o[1] - along * d[1]
    square = radius * radius - x * x - y * y
    if not square >= 0.0:
        return EMPTY
    half = sqrt(square / a)
    n_in = ((x - half * d[0]) / radius, (y - half * d[1]) / radius, 0.0)
    n_out = ((x + half * d[0]) / radius, (y + half * d[1]) / radius, 0.0)
    return (-along - half, -along + half, n_in, n_out)


@kernel
def roots(a, b, c):
    """Return the roots of a t² + 2 b t + c, the lower first, for a ≠ 0, b² ≥ a c."""
    root = sqrt(max(0.0, b * b - a * c))
    q = -b - root if b >= 0.0 else root - b
    one = q / a
    other = c / q if q != 0.0 else one
    return min(one, other), max(one, other)


@kernel
def endless_cone(o, d, radius, half):
    """Return the interval in an infinite cone below its apex at z = half, with `radius` at z = −half.

    x² + y² ≤ k² (half − z)². A line steeper than the cone leaves one nappe and enters the other.
    """
    k = 0.5 * radius / half
    w = half - o[2]
    a = d[0] * d[0] + d[1] * d[1] - k * k * d[2] * d[2]
    b = o[0] * d[0] + o[1] * d[1] + k * k * w * d[2]
    c = o[0] * o[0] + o[1] * o[1] - k * k * w * w
    if a > 0.0 and b * b < a * c:
        return EMPTY
    t_in = -ENDLESS
    t_out = ENDLESS
    if a == 0.0:
        if b > 0.0:
            t_out = -0.5 * c / b
        elif b < 0.0:
            t_in = -0.5 * c / b
        elif c > 0.0:
            return EMPTY
    else:
        low, high = roots(a, b, c)
        if a > 0.0:
            t_in = low
            t_out = high
        elif d[2] > 0.0:
            t_out = low
        else:
            t_in = high
    return (t_in, t_out, cone_normal(o, d, t_in, k, half), cone_normal(o, d, t_out, k, half))


@kernel
def cone_normal(o, d, t, k, half):
    """Return the outward normal of a cone at a point of the line."""
    if abs(t) >= ENDLESS:
        return NONE
    p = vec.axpy(t, d, o)
    n = (p[0], p[1], k * k * (half - p[2]))
    length = vec.norm(n)
    return vec.scale(1.0 / length, n) if 1e-150 < length < 1e150 else NONE


@kernel
def capsule(o, d, radius, half):
    """Return the interval in a capsule: from the first entry to the last exit of its three parts."""
    best = ball(o, d, (0.0, 0.0, half), radius)
    for k in range(2):
        if k == 0:
            part = ball(o, d, (0.0, 0.0, -half), radius)
        else:
            part = intersect_intervals(endless_cylinder(o, d, radius), slab(o[2], d[2], half, 2))
        if part[0] <= part[1]:
            t_in = best[0]
            n_in = best[2]
            if part[0] < t_in:
                t_in = part[0]
                n_in = part[2]
            t_out = best[1]
            n_out = best[3]
            if part[1] > t_out:
                t_out = part[1]
                n_out = part[3]
            best = (t_in, t_out, n_in, n_out)
    return best


@kernel
def hull_interval(model, s, o, d):
    """Return the interval in a convex hull."""
    found = WHOLE
    first = model.shape_data[s, 2]
    for f in range(first, first + model.shape_data[s, 3]):
        n = vec.load(model.face_normal, f)
        corner = vec.load(model.vertex, model.face_vertex[model.face_start[f]])
        found = intersect_intervals(found, below(vec.dot(n, vec.sub(o, corner)), vec.dot(n, d), n))
        if found[0] > found[1]:
            return found
    return found


@kernel
def interval(model, s, o, d):
    """Return the interval of a line inside convex shape s."""
    kind = model.shape_kind[s]
    a, b, c = vec.load(model.shape_size, s)
    if kind == Shape.SPHERE:
        return ball(o, d, (0.0, 0.0, 0.0), a)
    if kind == Shape.BOX:
        found = intersect_intervals(slab(o[0], d[0], a, 0), slab(o[1], d[1], b, 1))
        return intersect_intervals(found, slab(o[2], d[2], c, 2))
    if kind == Shape.CAPSULE:
        return capsule(o, d, a, b)
    if kind == Shape.CYLINDER:
        return intersect_intervals(endless_cylinder(o, d, a), slab(o[2], d[2], b, 2))
    if kind == Shape.CONE:
        return intersect_intervals(endless_cone(o, d, a, b), slab(o[2], d[2], b, 2))
    if kind == Shape.ELLIPSOID:
        return ellipsoid(o, d, (a, b, c))
    if kind == Shape.PLANE:
        return below(o[2], d[2], NONE)
    return hull_interval(model, s, o, d)
