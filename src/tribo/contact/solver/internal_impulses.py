"""Removal of internal impulses: parts of a contact impulse that move nothing.

Two links with one or two joints between them, or a robot of so few joints and the world, cannot move along
all three directions of a contact. Its own block G then has a null space: with λ, each λ + n, G n = 0, moves
the same and satisfies the same law while it sticks. A small one of these within the friction cone is taken:
the projection on the range of G, or the first point in the cone on a line from it: to λ, or along the part of
the normal that moves nothing.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.whitened_products import contact_velocity
from tribo.contact.solver.coulomb_cone import SLIDES
from tribo.contact.solver.natural_residual import violation_at
from tribo.math import spatial, vec
from tribo.math.linalg import ROUND_OFF, range_part

NORMAL = (0.0, 0.0, 1.0)  # in the axes of a contact


@kernel
def length_to_cone(mu, y, u):
    """Return the least t ≥ 0 at which y + t u is in the cone of friction μ; inf if it never is."""
    c = mu * mu * y[2] * y[2] - y[0] * y[0] - y[1] * y[1]  # > 0 inside
    if c >= 0.0 and y[2] >= 0.0:
        return 0.0
    b = mu * mu * y[2] * u[2] - y[0] * u[0] - y[1] * u[1]
    a = mu * mu * u[2] * u[2] - u[0] * u[0] - u[1] * u[1]
    root = sqrt(max(0.0, b * b - a * c))  # of a t² + 2 b t + c
    if b > 0.0:
        return -c / (b + root)
    return (root - b) / a if a > 0.0 else inf


@kernel
def least_in_cone(g, mu, x):
    """Return the impulse nearest to the range of G among those in the cone that differ from x by n, G n = 0.

    The part n may be a million times what remains: the line begins at what remains.
    """
    rest = range_part(g, x)
    more = vec.sub(x, rest)
    size = vec.norm(more)
    if not size > 0.0:
        return x
    way = vec.scale(1.0 / size, more)
    length = min(size, length_to_cone(mu, rest, way) / SLIDES)
    up = vec.sub(NORMAL, range_part(g, NORMAL))  # does not depend on what n there is
    if vec.norm(up) > ROUND_OFF:
        up = vec.scale(1.0 / vec.norm(up), up)
        raised = length_to_cone(mu, rest, up) / SLIDES
        if raised <= length:
            return vec.axpy(raised, up, rest)
    return vec.axpy(length, way, rest)


@kernel
def remove_internal_impulse(model, work, c, tolerance):
    """Subtract from the impulse of contact c what moves nothing; return whether it changed.

    On the edge of the cone only if the law still holds, which it does not if the contact slips.
    tolerance: [–] of the speed that the island must remove.

    Writes: work.
    """
    x = vec.load(work.contact_impulse, c)
    if not x[2] > 0.0:
        return False
    bound = SLIDES * work.contact_friction[c] * x[2]
    least = least_in_cone(spatial.load(work.contact_delassus, c), work.contact_friction[c], x)
    if least == x:
        return False
    vec.store(work.contact_impulse, c, least)
    if x[0] * x[0] + x[1] * x[1] < bound * bound:
        return True
    if violation_at(model, work, c, contact_velocity(model, work, c)) <= tolerance * work.removed_speed[0]:
        return True
    vec.store(work.contact_impulse, c, x)
    return False
