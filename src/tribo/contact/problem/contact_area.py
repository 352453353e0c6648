"""The area of a patch of contact points, for a layer of thickness ℓ with stiffness k = E A/ℓ.

A patch is the points of two bodies between the same two materials with normals within 15° that touch, or that
adhesion reaches; any other point is a patch of its own. Its area is that of the convex hull of its points,
seen along the normal, where a patch narrower than ℓ counts as ℓ wide:

    A = max(A_hull, s ℓ, ℓ²),   s the longest distance of two of its points

It is shared by the points in proportion to their shares (`contact_shares`). So neither the number of points
nor contact reduction changes the stiffness.

Source: docs/physics/compliant-materials, *Stiffness by area*.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_reduction import SAME_NORMAL
from tribo.contact.problem.contact_rows import materials_of
from tribo.contact.problem.contact_shares import patch_place
from tribo.math import vec
from tribo.math.linalg import ALIKE, ROUND_OFF
from tribo.model import Pair

MEMBER = -1.0  # `Work.contact_area` of the points of the patch in progress


@kernel
def gather_area_points(model, work, first, reach):
    """Mark the points of the patch of contact `first`; return one past the last, and the sum of their shares.

    reach: largest gap of a point with others in its patch. The contacts of one body A are adjacent.

    Writes: work.
    """
    body = work.contact_body
    n = vec.load_from(work.contact_axes, first, 6)
    gap = work.contact_gap[first] + work.gap_allowance[first]
    end = first
    shares = 0.0
    for c in range(first, work.contact_count[0]):
        if body[c, 0] != body[first, 0]:
            break
        if body[c, 1] != body[first, 1] or work.contact_area[c] != 0.0:
            continue
        if materials_of(model, work, c) != materials_of(model, work, first):
            continue
        if c > first and max(gap, work.contact_gap[c] + work.gap_allowance[c]) > reach:
            continue
        if vec.dot(n, vec.load_from(work.contact_axes, c, 6)) >= SAME_NORMAL:
            work.contact_area[c] = MEMBER
            shares += work.contact_share[c]
            end = c + 1
    return end, shares


@kernel
def hull_area(work, first, end):
    """Return the area of the hull of a patch [m²], and the longest distance of two of its points [m].

    Gift wrapping: the next corner is the one with all others on its left; of collinear ones the farthest.
    """
    x = y = size = 0.0
    for c in range(first, end):
        if work.contact_area[c] == MEMBER:
            u, v = patch_place(work, c, first, first)
            size = max(size, abs(u), abs(v))
    tiny = ALIKE * size
    for c in range(first, end):
        if work.contact_area[c] == MEMBER:
            u, v = patch_place(work, c, first, first)
            if u < x - tiny or (u <= x + tiny and v < y - tiny):
                x, y = u, v
    hx, hy = x, y
    twice = longest = 0.0
    for _ in range(end - first):
        after = -1
        ax = ay = 0.0
        for c in range(first, end):
            if work.contact_area[c] != MEMBER:
                continue
            u, v = patch_place(work, c, first, first)
            u, v = u - hx, v - hy
            square = u * u + v * v
            longest = max(longest, square)
            if square <= tiny * tiny:
                continue
            turn = ax * v - ay * u
            is_farther = square > ax * ax + ay * ay
            if after < 0 or turn < -tiny * size or (turn <= tiny * size and is_farther):
                after, ax, ay = c, u, v
        if after < 0:
            break
        twice += (hx - x) * (hy + ay - y) - (hy - y) * (hx + ax - x)
        hx += ax
        hy += ay
        if (hx - x) ** 2 + (hy - y) ** 2 <= tiny * tiny:
            break
    return 0.5 * abs(twice), sqrt(longest)


@kernel
def share_area(model, work, first, length):
    """Share the area of the patch of contact `first` among its points; length: ℓ of its pair [m].

    Writes: work.
    Cost: for n points of which h are corners, n h.
    """
    a, b = materials_of(model, work, first)
    table = model.pair_table
    stretch = table[a, b, Pair.ADHESION_FORCE] / (table[a, b, Pair.YOUNGS_MODULUS] * length)  # of an area ℓ²
    reach = max(ROUND_OFF, stretch - table[a, b, Pair.ADHESIVE_OVERLAP])
    end, shares = gather_area_points(model, work, first, reach)
    area, longest = hull_area(work, first, end)
    area = max(area, longest * length, length * length)
    for c in range(first, end):
        if work.contact_area[c] == MEMBER:
            work.contact_area[c] = area * work.contact_share[c] / shares
