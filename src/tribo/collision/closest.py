"""Signed distance of two convex solids: gap, normal and nearest points.

Separate solids: GJK. Overlapping or touching ones: a direction from EPA (or GJK, if they are hardly apart),
refined by moving B away along it by s and measuring again. If h(n) is the overlap along n, the moved solids
are apart by max_n (s n·n₀ − h(n)), and the best direction is a fixed point of n₀ → n: reached at once where h
has a kink (faces), with rate s / (s + curvature) otherwise. Where that rate is near 1, every third round
extrapolates the sequence (Aitken).

Most pairs stay apart, along nearly the same direction, so a pair keeps the direction that separated it
(`work.separation`). That spares the search where it still proves the pair far; results do not depend on it.
"""

from tribo.collision.epa import push_direction
from tribo.collision.gjk import (  # fmt: skip
    EXACT,
    FAR,
    OVERLAPPING,
    ROUGH,
    SEPARATE,
    distance,
    triangle_weights,
    weighted,
)
from tribo.collision.smooth import is_curved, is_smooth, newton_point
from tribo.collision.solid import extent, radius, separation, support_from
from tribo.compiler.jit import kernel
from tribo.math import vec

ROUNDS = 40
NORMAL_TOLERANCE = 1e-9  # [rad] change of the normal in the last round
FLAT = 1e-12  # [-] of the coordinates: tolerance of a point beyond a flat part of A − B
MIN_WEIGHT = 1e-9  # [-] a corner of a triangle with a smaller weight does not count
SHIFT = 0.01  # [-] of the smaller solid
CLEAR = 1e-3  # [-] of the smaller solid: solids this far apart have a good normal at once
MAX_RATE = 0.999  # largest convergence rate that is extrapolated
ALIGNED = 0.5  # cosine of two steps in the same direction
PROOF_SLOP = 1e-9  # [-] of the shift, or of the smaller solid: admissible round-off of a proof
SPREAD = 31  # shapes a, b have row a · SPREAD + b, modulo the rows; the last pair of a row keeps it
FIRST_TOLERANCE = 1e-4  # [-] of the depth: tolerance of EPA's direction


@kernel
def refined(model, work, pair, normal, shift):
    """Return the best direction near a given one, its gap, and the nearest points of A and B along it.

    Writes: work.
    """
    best = normal
    gap = separation(model, work, pair, normal)
    at_a = (0.0, 0.0, 0.0)
    at_b = pair[3]
    last = (0.0, 0.0, 0.0)
    curved = is_curved(pair)
    for turn in range(ROUNDS):
        moved = vec.axpy(-shift, normal, pair[3])
        apart = (pair[0], pair[1], pair[2], moved, pair[4])
        status, v, a = distance(model, work, apart, normal, 1e300, EXACT)
        if status == OVERLAPPING:
            break
        better = vec.scale(1.0 / vec.norm(v), v)
        if curved:
            answer = newton_point(model, work, pair, better, vec.scale(-shift, normal))
            if answer[0] and answer[2] >= gap - PROOF_SLOP * abs(shift):
                return answer[1], answer[2], answer[3], answer[4]
        own = separation(model, work, pair, better)
        if own >= gap or turn == 0:
            gap = own
            best = better
            at_a = a
            at_b = vec.axpy(shift, normal, vec.sub(a, v))
        step = vec.sub(better, normal)
        change = vec.norm(step)
        normal = better
        if change < NORMAL_TOLERANCE:
            break
        before = vec.norm(last)
        if turn % 3 == 2 and vec.dot(step, last) > ALIGNED * change * before:
            factor = min(change / before, MAX_RATE)
            leap = vec.axpy(factor / (1.0 - factor), step, normal)
            normal = vec.scale(1.0 / vec.norm(leap), leap)
        last = step
    return best, gap, at_a, at_b


@kernel
def foot(model, work, pair, normal):
    """Return whether EPA's last face is a flat part of A − B that contains the point nearest to the origin.

    Also its normal, the gap, and the nearest points of A and B. To be called after EPA.

    Writes: work.
    """
    simplex = work.simplex
    p = vec.load(simplex, 0)
    a = b = (0.0, 0.0, 0.0)
    if simplex[2, 6] == 0.0:
        return False, normal, 0.0, a, b
    shares = triangle_weights(p, vec.load(simplex, 1), vec.load(simplex, 2))
    gap = vec.dot(normal, p)
    own = separation(model, work, pair, normal)
    if not (own >= gap - FLAT * vec.norm(p) and min(shares[0], shares[1], shares[2]) > MIN_WEIGHT):
        return False, normal, 0.0, a, b
    for k in range(3):
        simplex[k, 6] = shares[k]
    a = weighted(simplex, 3, 3)
    return True, normal, gap, a, vec.axpy(-gap, normal, a)


@kernel
def pair_row(work, a, b):
    """Return the row of `separation` of shapes a and b, cleared if it belonged to others; −1: one is a core.

    Writes: work.
    """
    if min(a, b) < 0:
        return -1
    rows = work.separation.shape[0]
    row = (a * SPREAD + b) % rows
    if work.separation[row, 0] != a or work.separation[row, 1] != b:
        work.separation[row, 0], work.separation[row, 1] = a, b
        for k in range(2, 5):
            work.separation[row, k] = 0.0
    return row


@kernel
def keep_separation(work, row, rot, v):
    """Keep a direction that separates the solids of a row, in the axes of A, whose rotation is given.

    Writes: work.
    """
    d = vec.mat_t_vec(rot, vec.scale(1.0 / vec.norm(v), v))
    for k in range(3):
        work.separation[row, 2 + k] = d[k]
    work.separation[row, 5] = work.separation[row, 6] = -1.0


@kernel
def kept_corner(solid, corner):
    """Return a corner that was kept if it is one of a hull, else −1."""
    return int(corner) if solid[4] <= corner < solid[4] + solid[5] else -1


@kernel
def is_still_apart(model, work, pair, limit, row):
    """Tell whether the kept direction of a row proves that the cores are farther apart than a limit.

    Writes: work.
    """
    kept = work.separation
    own = (kept[row, 2], kept[row, 3], kept[row, 4])
    if own == (0.0, 0.0, 0.0):
        return False
    d = vec.mat_vec(pair[1], own)
    near_a, near_b = kept_corner(pair[0], kept[row, 5]), kept_corner(pair[2], kept[row, 6])
    a, near_a = support_from(model, work, pair[0], (0.0, 0.0, 0.0), pair[1], vec.neg(d), near_a)
    b, near_b = support_from(model, work, pair[2], pair[3], pair[4], d, near_b)
    kept[row, 5], kept[row, 6] = near_a, near_b
    return vec.dot(d, vec.sub(a, b)) > limit


@kernel
def find_closest(model, work, pair, limit, row):
    """Return whether the gap is within a limit, the gap, the unit normal from B into A, and both points.

    The points are the nearest of the two surfaces, or the deepest.

    row: of the pair in `separation`, −1: none.

    Writes: work.
    """
    radius_a = radius(pair[0])
    radius_b = radius(pair[2])
    rounding = radius_a + radius_b
    size = min(extent(pair[0]), extent(pair[2]))
    curved = is_curved(pair)
    far = limit + rounding
    zero = (0.0, 0.0, 0.0)
    if row >= 0 and is_still_apart(model, work, pair, far + PROOF_SLOP * size, row):
        return False, 0.0, zero, zero, zero
    status, v, a = distance(model, work, pair, vec.neg(pair[3]), far, ROUGH if curved else EXACT)
    if status == FAR:
        if row >= 0:
            keep_separation(work, row, pair[1], v)
        return False, 0.0, zero, zero, zero
    if status == OVERLAPPING:
        normal = push_direction(model, work, pair, FIRST_TOLERANCE)
    else:
        normal = vec.scale(1.0 / vec.norm(v), v)
    is_proved = False
    better = normal
    gap = 0.0
    b = a
    if status == OVERLAPPING:
        is_proved, better, gap, a, b = foot(model, work, pair, normal)
    if curved and not is_proved:
        is_proved, better, gap, a, b = newton_point(model, work, pair, normal, zero)
        if not is_proved and status == SEPARATE:
            status, v, a = distance(model, work, pair, v, far, EXACT)
            if status != OVERLAPPING:
                normal = vec.scale(1.0 / vec.norm(v), v)
                if is_smooth(pair):  # the features are now the right ones
                    answer = newton_point(model, work, pair, normal, zero)
                    if answer[0]:
                        is_proved, better, gap, a, b = answer
    if is_proved:
        normal = better
    else:
        gap = vec.norm(v)
        b = vec.sub(a, v)
        if status != SEPARATE or gap <= CLEAR * size:
            gap = separation(model, work, pair, normal)
            shift = SHIFT * size + 1.5 * max(-gap, 0.0)
            better, best, a, b = refined(model, work, pair, normal, shift)
            if best >= gap:
                gap = best
                normal = better
    if not gap - rounding <= limit:
        if row >= 0:
            keep_separation(work, row, pair[1], normal)
        return False, 0.0, zero, zero, zero
    a = vec.axpy(-radius_a, normal, a)
    return True, gap - rounding, normal, a, vec.axpy(radius_b, normal, b)
