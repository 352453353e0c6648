"""The share of a kept contact: the number of points of its patch for which it stands.

Each removed point first counts at the nearest kept one of its normal. Then the shares w of the points of one
normal are corrected so that the patch keeps its stiffness, also against tilting:

    Σ_kept w φ(x) = Σ_all φ(x),   φ = (1, u, v, u², u v, v²)

with u, v the positions across the normal. Of all solutions the nearest to the first shares s is taken,
w = s (1 + yᵀ φ). If there is none, as for four corners alone, or if a point would get less than `LEAST` of
its share, φ = (1, u, v) is used: force and line of action stay; failing that, the first shares.

Source: docs/physics/compliant-materials, *Contact reduction*.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.math.linalg import ALIKE, solve_equations

MOMENTS = 6  # numbers of φ; the first three are force and line of action
LEAST = 0.05  # [–] of its first share: lower bound of a share


@kernel
def patch_distance(work, c, d, size):
    """Return the distance of two points of a patch in position and normal [–]."""
    most = 0.0
    for k in range(3):
        place = abs(work.contact_pos[c, k] - work.contact_pos[d, k]) / size
        turn = 0.5 * abs(work.contact_axes[c, 6 + k] - work.contact_axes[d, 6 + k])
        most = max(most, place, turn)
    return most


@kernel
def patch_place(work, c, origin, leader):
    """Return the position of point c relative to point `origin` in the tangent plane of `leader` (2,) [m]."""
    axes = work.contact_axes
    away = vec.sub(vec.load(work.contact_pos, c), vec.load(work.contact_pos, origin))
    return vec.dot(away, vec.load(axes, leader)), vec.dot(away, vec.load_from(axes, leader, 3))


@kernel
def is_in_face(work, c, first, leader):
    """Tell whether point c of a patch has the normal of its point `leader`."""
    return work.contact_patch[c, 0] == first and work.contact_patch[c, 1] == leader


@kernel
def is_share_kept(work, c, first, leader):
    """Tell whether point c of a patch has the normal of its point `leader` and is kept."""
    return is_in_face(work, c, first, leader) and work.kept_distance[c] < 0.0


@kernel
def share_removed_point(work, c, first, end, size):
    """Add the removed point c to the shares of the nearest kept points of its normal, in equal parts.

    Writes: work.
    """
    leader = work.contact_patch[c, 1]
    least = inf
    for d in range(first, end):
        if is_share_kept(work, d, first, leader):
            least = min(least, patch_distance(work, c, d, size))
    near = 0
    for d in range(first, end):
        if is_share_kept(work, d, first, leader) and patch_distance(work, c, d, size) <= least + ALIKE:
            near += 1
    for d in range(first, end):
        if is_share_kept(work, d, first, leader) and patch_distance(work, c, d, size) <= least + ALIKE:
            work.contact_share[d] += 1.0 / near


@kernel
def share_moments(work, c, leader, size):
    """Return φ of point c, with positions relative to `leader` and the size of the patch."""
    u, v = patch_place(work, c, leader, leader)
    u, v = u / size, v / size
    return (1.0, u, v, u * u, u * v, v * v)


@kernel
def share_correction(work, c, leader, size, n):
    """Return the relative change of the first share of point c: yᵀ φ."""
    phi = share_moments(work, c, leader, size)
    change = 0.0
    for k in range(n):
        change += work.share_system[k, MOMENTS] * phi[k]
    return change


@kernel
def correct_shares(work, first, end, leader, size, n):
    """Correct the shares of the points of one normal by n moments; return whether that was possible.

    Writes: work.
    """
    a = work.share_system
    for i in range(n):
        for j in range(MOMENTS + 1):
            a[i, j] = 0.0
    for c in range(first, end):
        if not is_in_face(work, c, first, leader):
            continue
        phi = share_moments(work, c, leader, size)
        share = work.contact_share[c] if work.kept_distance[c] < 0.0 else 0.0
        for i in range(n):
            for j in range(n):
                a[i, j] += share * phi[i] * phi[j]
            a[i, MOMENTS] += (1.0 - share) * phi[i]
    if not solve_equations(a, n):
        return False
    for c in range(first, end):
        if is_share_kept(work, c, first, leader) and 1.0 + share_correction(work, c, leader, size, n) < LEAST:
            return False
    for c in range(first, end):
        if is_share_kept(work, c, first, leader):
            work.contact_share[c] *= 1.0 + share_correction(work, c, leader, size, n)
    return True


@kernel
def distribute_shares(work, first, end, size):
    """Set the shares of the kept points of a patch.

    Writes: work.
    """
    for c in range(first, end):
        if work.contact_patch[c, 0] == first and work.kept_distance[c] >= 0.0:
            share_removed_point(work, c, first, end, size)
    for leader in range(first, end):
        if is_in_face(work, leader, first, leader):
            if not correct_shares(work, first, end, leader, size, MOMENTS):
                correct_shares(work, first, end, leader, size, 3)
