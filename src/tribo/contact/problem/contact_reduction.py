"""Stage `contact_reduction.reduce_contacts`: fewer contact points for a patch of many.

A body of many shapes touches another in many points; contact materials say how many are kept. A *patch* is
the points of two bodies between the same two materials (by geometry), or all points with the same law (all),
those that touch and open ones apart. A patch of more than `ENOUGH` points keeps

1. the corners of the convex hull of the points that share a normal: other forces are sums of theirs,
2. the deepest point,
3. while a point is farther than 1/bins from all kept ones, the farthest such point.

The distance of two points is the largest difference of six numbers: position relative to the size of the
patch, and half the normal. Each removed point is thus within a bin of a kept one, and more bins keep more
points. Removed points count in the shares of kept ones (`contact_shares`). Pairs with adhesion keep all
points, since adhesion acts per pair of shapes.

Source: docs/physics/compliant-materials, *Contact reduction*.
"""

from math import inf

from tribo.collision.inner_edges import remove_marked
from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_rows import materials_of
from tribo.contact.problem.contact_shares import distribute_shares, is_in_face, patch_distance, patch_place
from tribo.enums import Pair, Reduction
from tribo.math import vec
from tribo.math.linalg import ALIKE, ROUND_OFF

ENOUGH = 12  # points: a smaller patch is not reduced
SAME_NORMAL = 0.966  # [–] cosine of 15°, within which normals share a hull
FLAT = 1e-9  # [–] of the size of a patch: depths that differ by less are equal


@kernel
def reduction_mode(model, work, c):
    """Return the `Reduction` of the pair of contact c; `NONE` for rigid and adhesive pairs."""
    a, b = materials_of(model, work, c)
    is_compliant = model.pair_table[a, b, Pair.YOUNGS_MODULUS] > 0.0
    if not is_compliant or model.pair_table[a, b, Pair.ADHESION_FORCE] > 0.0:
        return Reduction.NONE
    return int(model.pair_table[a, b, Pair.REDUCTION])


@kernel
def is_of_patch(model, work, c, first, mode):
    """Tell whether contact c belongs to the patch of contact `first` in a mode of reduction."""
    if work.contact_patch[c, 0] >= 0 or reduction_mode(model, work, c) != mode:
        return False
    body = work.contact_body
    if body[c, 0] != body[first, 0] or body[c, 1] != body[first, 1]:
        return False
    if (work.contact_gap[c] > ROUND_OFF) != (work.contact_gap[first] > ROUND_OFF):
        return False
    a, b = materials_of(model, work, c)
    own_a, own_b = materials_of(model, work, first)
    if a == own_a and b == own_b:
        return True
    if mode != Reduction.ALL:
        return False
    for k in range(model.pair_table.shape[2]):
        if model.pair_table[a, b, k] != model.pair_table[own_a, own_b, k]:
            return False
    return True


@kernel
def gather_patch(model, work, first, n):
    """Mark the contacts of the patch that begins with `first`; return their number, and one past the last.

    The contacts of one body A are adjacent in the list.

    Writes: work.
    """
    mode = reduction_mode(model, work, first)
    count = 0
    end = first
    for c in range(first, n):
        if work.contact_body[c, 0] != work.contact_body[first, 0]:
            break
        if is_of_patch(model, work, c, first, mode):
            work.contact_patch[c, 0] = first
            work.kept_distance[c] = inf
            count += 1
            end = c + 1
    return count, end


@kernel
def patch_size(work, first, end):
    """Return the longest side of the box around a patch [m]."""
    size = 0.0
    for axis in range(3):
        low, high = inf, -inf
        for c in range(first, end):
            if work.contact_patch[c, 0] == first:
                low = min(low, work.contact_pos[c, axis])
                high = max(high, work.contact_pos[c, axis])
        size = max(size, high - low)
    return max(size, 1e-150)


@kernel
def keep_patch_point(work, c, first, end, size):
    """Keep point c of a patch, and update the distances of the others to the nearest kept point.

    Writes: work.
    """
    for d in range(first, end):
        if work.contact_patch[d, 0] == first:
            work.kept_distance[d] = min(work.kept_distance[d], patch_distance(work, c, d, size))
    work.kept_distance[c] = -1.0


@kernel
def keep_hull(work, first, end, leader, size):
    """Keep the corners of the hull of the points with the normal of `leader`, seen along it.

    Gift wrapping: the next corner is the one with all others on its left; of collinear ones the farthest.

    Writes: work.
    """
    tiny = ALIKE * size
    start = leader
    for c in range(first, end):
        if is_in_face(work, c, first, leader):
            u, v = patch_place(work, c, start, leader)
            if u < -tiny or (u <= tiny and v < -tiny):
                start = c
    here = start
    for _ in range(end - first):
        keep_patch_point(work, here, first, end, size)
        after = -1
        x = y = 0.0
        for c in range(first, end):
            if not is_in_face(work, c, first, leader):
                continue
            u, v = patch_place(work, c, here, leader)
            if u * u + v * v <= tiny * tiny:
                continue
            turn = x * v - y * u
            reach = u * u + v * v - x * x - y * y
            if after < 0 or turn < -tiny * size or (turn <= tiny * size and reach > tiny * size):
                after, x, y = c, u, v
        if after < 0 or work.kept_distance[after] <= ALIKE:
            return
        here = after


@kernel
def keep_hulls(work, first, end, size):
    """Keep the hulls of a patch, one for each normal.

    Writes: work.
    """
    for c in range(first, end):
        work.contact_patch[c, 1] = -1
    for c in range(first, end):
        if work.contact_patch[c, 0] != first or work.contact_patch[c, 1] >= 0:
            continue
        n = vec.load_from(work.contact_axes, c, 6)
        for d in range(c, end):
            if work.contact_patch[d, 0] == first and work.contact_patch[d, 1] < 0:
                if vec.dot(n, vec.load_from(work.contact_axes, d, 6)) >= SAME_NORMAL:
                    work.contact_patch[d, 1] = c
        work.contact_patch[c, 1] = c
        keep_hull(work, first, end, c, size)


@kernel
def keep_deepest(work, first, end, size):
    """Keep the deepest point of a patch unless a kept one is as deep.

    Writes: work.
    """
    deepest = -1
    kept = inf
    for c in range(first, end):
        if work.contact_patch[c, 0] != first:
            continue
        if work.kept_distance[c] < 0.0:
            kept = min(kept, work.contact_gap[c])
        elif deepest < 0 or work.contact_gap[c] < work.contact_gap[deepest] - FLAT * size:
            deepest = c
    if deepest >= 0 and work.contact_gap[deepest] < kept - FLAT * size:
        keep_patch_point(work, deepest, first, end, size)


@kernel
def keep_farthest(work, first, end, size, bin_size):
    """Keep the farthest points until every point has a kept one within a bin.

    Writes: work.
    """
    for _ in range(end - first):
        farthest = -1
        reach = bin_size
        for c in range(first, end):
            if work.contact_patch[c, 0] == first and work.kept_distance[c] > reach + ALIKE:
                farthest = c
                reach = work.kept_distance[c]
        if farthest < 0:
            return
        keep_patch_point(work, farthest, first, end, size)


@kernel
def mark_removed_points(model, work, first, end):
    """Mark the contacts of a patch to remove, and set the shares of the others.

    Writes: work.
    """
    size = patch_size(work, first, end)
    keep_hulls(work, first, end, size)
    keep_deepest(work, first, end, size)
    a, b = materials_of(model, work, first)
    bins = max(1.0, model.pair_table[a, b, Pair.REDUCTION_BINS])
    keep_farthest(work, first, end, size, 1.0 / bins)
    distribute_shares(work, first, end, size)
    for c in range(first, end):
        if work.contact_patch[c, 0] == first and work.kept_distance[c] >= 0.0:
            work.contact_key[c] = -1


@kernel
def reduce_contacts(model, work):
    """Remove contacts of patches with more than `ENOUGH` points.

    Writes: work.
    Cost: one pass over the contacts; for a patch of n points of which m are kept, n m.
    """
    n = work.contact_count[0]
    if n > work.contact_key.shape[0]:
        return
    for c in range(n):
        work.contact_share[c] = 1.0
        work.contact_patch[c, 0] = -1
    if n <= ENOUGH:
        return
    is_less = False
    for c in range(n):
        a, b = work.contact_body[c, 0], work.contact_body[c, 1]
        if work.contact_patch[c, 0] >= 0 or max(model.body_shape_count[a], model.body_shape_count[b]) == 1:
            continue
        if reduction_mode(model, work, c) != Reduction.NONE:
            count, end = gather_patch(model, work, c, n)
            if count > ENOUGH:
                mark_removed_points(model, work, c, end)
                is_less = True
    if is_less:
        remove_marked(work, n)
