"""Distance of two convex solids: the point of A − B that is nearest to the origin (GJK).

Rows of `work.simplex`: a point of A − B, its part on A, its weight; 0: a row not in use.

Source: Gilbert, Johnson, Keerthi 1988; nearest point of a triangle: Ericson 2005, 5.1.5.
"""

from tribo.collision.solid import support_from
from tribo.compiler.jit import kernel
from tribo.math import vec

ITERATIONS = 100
EXACT = 1e-13  # [-] of the squared distance: tolerance of the bound
ROUGH = 1e-2  # the same, if the direction is refined afterwards
INSIDE = 2.0  # in place of a weight: the four points enclose the origin
ROUNDING = 4e-16  # [-] of the coordinates
TOUCHING = 1e-9  # [-] of the coordinates: a smaller distance counts as overlap
FLAT = 1e-18  # [-] sin² of an edge over a face, below which its side is round-off
SEPARATE = 0
OVERLAPPING = 1
FAR = 2
STALLED = 3


@kernel
def segment_weights(p, q):
    """Return the weights of two points in the point of their segment nearest to the origin."""
    edge = vec.sub(q, p)
    length = vec.dot(edge, edge)
    t = -vec.dot(p, edge)
    if t <= 0.0 or length == 0.0:
        return 1.0, 0.0
    if t >= length:
        return 0.0, 1.0
    return 1.0 - t / length, t / length


@kernel
def triangle_weights(p, q, r):
    """Return the weights of three points in the point of their triangle nearest to the origin."""
    pq = vec.sub(q, p)
    pr = vec.sub(r, p)
    d1 = -vec.dot(pq, p)
    d2 = -vec.dot(pr, p)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    d3 = -vec.dot(pq, q)
    d4 = -vec.dot(pr, q)
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    d5 = -vec.dot(pq, r)
    d6 = -vec.dot(pr, r)
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    at_r = d1 * d4 - d3 * d2
    if at_r <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        a, b = segment_weights(p, q)
        return a, b, 0.0
    at_q = d5 * d2 - d1 * d6
    if at_q <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        a, b = segment_weights(p, r)
        return a, 0.0, b
    at_p = d3 * d6 - d5 * d4
    if at_p <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        a, b = segment_weights(q, r)
        return 0.0, a, b
    total = at_p + at_q + at_r
    return at_p / total, at_q / total, at_r / total


@kernel
def nearest_of_tetrahedron(simplex):
    """Weigh the points of a tetrahedron by its face nearest to the origin; return False if it encloses that.

    Writes: simplex.
    """
    best = 1e300
    weights = (0.0, 0.0, 0.0, 0.0)
    is_outside = False
    for out in range(4):
        i = (out + 1) % 4
        j = (out + 2) % 4
        k = (out + 3) % 4
        p = vec.load(simplex, i)
        q = vec.load(simplex, j)
        r = vec.load(simplex, k)
        normal = vec.cross(vec.sub(q, p), vec.sub(r, p))
        edge = vec.sub(vec.load(simplex, out), p)
        height = vec.dot(normal, edge)
        origin = -vec.dot(normal, p)
        is_flat = height * height <= FLAT * vec.dot(normal, normal) * vec.dot(edge, edge)
        if height * origin > 0.0 and not is_flat:  # the origin is on the tetrahedron's side
            continue
        is_outside = True
        a, b, c = triangle_weights(p, q, r)
        v = vec.axpy(a, p, vec.axpy(b, q, vec.scale(c, r)))
        if vec.dot(v, v) < best:
            best = vec.dot(v, v)
            weights = (
                0.0 if out == 0 else (a if i == 0 else (b if j == 0 else c)),
                0.0 if out == 1 else (a if i == 1 else (b if j == 1 else c)),
                0.0 if out == 2 else (a if i == 2 else (b if j == 2 else c)),
                0.0 if out == 3 else (a if i == 3 else (b if j == 3 else c)),
            )
    simplex[0, 6] = weights[0]
    simplex[1, 6] = weights[1]
    simplex[2, 6] = weights[2]
    simplex[3, 6] = weights[3]
    return is_outside


@kernel
def nearest_of_simplex(simplex, n):
    """Weigh the points of a simplex, drop those without weight; return the number left (4: encloses 0).

    Writes: simplex.
    """
    if n == 1:
        simplex[0, 6] = 1.0
    elif n == 2:
        a, b = segment_weights(vec.load(simplex, 0), vec.load(simplex, 1))
        simplex[0, 6] = a
        simplex[1, 6] = b
    elif n == 3:
        a, b, c = triangle_weights(vec.load(simplex, 0), vec.load(simplex, 1), vec.load(simplex, 2))
        simplex[0, 6] = a
        simplex[1, 6] = b
        simplex[2, 6] = c
    elif not nearest_of_tetrahedron(simplex):
        return n
    kept = 0
    for k in range(n):
        if simplex[k, 6] > 0.0:
            if kept < k:
                for m in range(7):
                    simplex[kept, m] = simplex[k, m]
            kept += 1
    for k in range(kept, 4):
        simplex[k, 6] = 0.0
    return kept


@kernel
def weighted(simplex, n, first):
    """Return the weighted mean of columns first … first + 2."""
    x = y = z = 0.0
    for k in range(n):
        s = simplex[k, 6]
        x += s * simplex[k, first]
        y += s * simplex[k, first + 1]
        z += s * simplex[k, first + 2]
    return (x, y, z)


@kernel
def distance(model, work, pair, start, limit, exact):
    """Return the status of two cores, the nearest point of A − B and A's part of it.

    start: any direction, best from B to A. FAR: the distance exceeds `limit`, and nothing else is known.
    OVERLAPPING: the distance is zero or too small to have a direction. STALLED: separate, but round-off or
    the limit of iterations came before the bound. SEPARATE: the squared distance is accurate to the share
    `exact`.

    Writes: work.
    """
    simplex = work.simplex
    v = start
    v2 = vec.dot(start, start)
    n = 0
    coordinates = 0.0
    origin = (0.0, 0.0, 0.0)
    corner_a = corner_b = -1
    for _ in range(ITERATIONS):
        a, corner_a = support_from(model, work, pair[0], origin, pair[1], vec.neg(v), corner_a)
        b, corner_b = support_from(model, work, pair[2], pair[3], pair[4], v, corner_b)
        w = vec.sub(a, b)
        along = vec.dot(v, w)
        if along > 0.0 and along * along > limit * limit * v2:
            return FAR, v, a
        if n > 0:
            if v2 - along <= exact * v2 + ROUNDING * coordinates * v2**0.5:
                return SEPARATE, v, weighted(simplex, n, 3)
        coordinates = max(coordinates, abs(w[0]), abs(w[1]), abs(w[2]), abs(a[0]), abs(a[1]), abs(a[2]))
        vec.store(simplex, n, w)
        for k in range(3):
            simplex[n, 3 + k] = a[k]
        before = n
        n = nearest_of_simplex(simplex, n + 1)
        if n == 4:
            simplex[0, 6] = INSIDE
            return OVERLAPPING, v, a
        nearer = weighted(simplex, n, 0)
        square = vec.dot(nearer, nearer)
        if not square < v2 and before > 0:  # limited by round-off
            break
        v = nearer
        v2 = square
        if v2 <= (TOUCHING * coordinates) ** 2:
            return OVERLAPPING, v, a
    return STALLED, v, weighted(simplex, n, 3)
