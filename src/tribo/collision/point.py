"""One row of a manifold: the format of a contact point, and contacts of balls.

A row of `out` is x, y, z, normal x, y, z, gap, feature. The point is midway between the two surfaces, the
normal is a unit vector from shape B into shape A, a negative gap is an overlap. Features are passed as floats
for the reason given in `first_row`.
"""

import numpy as np

from tribo.compiler.jit import kernel
from tribo.math import vec

COINCIDENT = 1e-12  # [m] distance below which a direction is round-off
UP = (0.0, 0.0, 1.0)


@kernel
def first_row():
    """Return 0 as a plain integer: a literal 0 would compile every callee once more."""
    return np.int64(0)


@kernel
def deepest(out, n):
    """Return the index of the least gap among the first n rows."""
    k = first_row()
    for m in range(1, n):
        if out[m, 6] < out[k, 6]:
            k = m
    return k


@kernel
def put_point(out, n, point, normal, gap, feature):
    """Write a contact into row n and return the next free row.

    Writes: out.
    """
    out[n, 0] = point[0]
    out[n, 1] = point[1]
    out[n, 2] = point[2]
    out[n, 3] = normal[0]
    out[n, 4] = normal[1]
    out[n, 5] = normal[2]
    out[n, 6] = gap
    out[n, 7] = feature
    return n + 1


@kernel
def put_balls(out, n, margin, centre_a, radius_a, centre_b, radius_b, fallback, feature):
    """Write the contact of two balls if it is within the margin; return the next free row.

    `fallback` is the normal of coincident centres.

    Writes: out.
    """
    arm = vec.sub(centre_a, centre_b)
    distance = vec.norm(arm)
    gap = distance - radius_a - radius_b
    if not gap <= margin:
        return n
    normal = vec.scale(1.0 / distance, arm) if distance > COINCIDENT else fallback
    point = vec.axpy(radius_b + 0.5 * gap, normal, centre_b)
    return put_point(out, n, point, normal, gap, feature)


@kernel
def put_ball(out, n, margin, side, centre, radius, distance, outward, feature):
    """Write the contact of a ball with a solid if it is within the margin; return the next row.

    The ball's centre is `distance` (negative inside) from the solid's surface, whose unit normal
    there is `outward`. `side` is +1 if the ball is part of shape A, −1 if of shape B.

    Writes: out.
    """
    gap = distance - radius
    if not gap <= margin:
        return n
    point = vec.axpy(-0.5 * (distance + radius), outward, centre)
    return put_point(out, n, point, vec.scale(side, outward), gap, feature)


@kernel
def put_height(out, n, margin, point, normal, gap, feature):
    """Write a surface point of A at height `gap` over a plane if within the margin; return the row.

    Writes: out.
    """
    if not gap <= margin:
        return n
    return put_point(out, n, vec.axpy(-0.5 * gap, normal, point), normal, gap, feature)
