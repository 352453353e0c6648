"""Capsule against capsule and capsule against box.

A capsule is a ball swept along a segment, so a ball at any position of the segment is an exact contact with
its own gap and normal. Two of them support a lying capsule: the ends of the stretch beside the other shape.
If the nearest position is a third one, it is added. Beside an edge of a box the stretch is that beside the
edge.

Features: 0 and 1 for the ends of the stretch (towards −z and +z of A), 2 for the nearest position, 3 and 4
for the ends beside an edge.

Approximation: a capsule whose *axis* enters a box is pushed out along the least of 15 directions (box faces,
box edges × axis), which is the exact depth; the position along the axis is the middle of the nearest points
of the two lines.
"""

from math import sqrt

from tribo.collision.point import COINCIDENT, first_row, put_ball, put_balls
from tribo.collision.sphere import point_box
from tribo.compiler.jit import kernel
from tribo.math import vec

PARALLEL_SINE_SQUARED = 0.01  # axes within 6° are side by side
EXTRA = 1e-7  # [m] the nearest position is added if it is nearer than the ends by this
EDGE_ADVANTAGE = 0.01  # [-] of the depth: advantage of an edge direction over the best face


@kernel
def _clamp(x, limit):
    """Return x clamped to ±limit."""
    return max(-limit, min(limit, x))


@kernel
def segments_nearest(arm, axis_a, half_a, axis_b, half_b):
    """Return the positions s, t on two segments that are nearest, and sin² of the angle between them.

    arm: centre of A minus centre of B; the axes are unit vectors.

    Source: Ericson, Real-Time Collision Detection, 5.1.9.
    """
    cosine = vec.dot(axis_a, axis_b)
    normal = vec.cross(axis_a, axis_b)
    sine_squared = vec.dot(normal, normal)
    a = vec.dot(arm, axis_a)
    b = vec.dot(arm, axis_b)
    s = 0.0
    if sine_squared > 1e-14:  # else any position serves; the clamping below finds a nearest one
        s = _clamp((cosine * b - a) / sine_squared, half_a)
    t = _clamp(b + s * cosine, half_b)
    s = _clamp(t * cosine - a, half_a)
    return s, _clamp(b + s * cosine, half_b), sine_squared


@kernel
def capsule_capsule(pos_a, rot_a, size_a, pos_b, rot_b, size_b, margin, out):
    """Write the contacts of two capsules; return the count: 1, side by side 2 or 3.

    Writes: out.
    """
    axis_a = vec.mat_col(rot_a, 2)
    axis_b = vec.mat_col(rot_b, 2)
    half_a = size_a[1]
    half_b = size_b[1]
    arm = vec.sub(pos_a, pos_b)
    s, t, sine_squared = segments_nearest(arm, axis_a, half_a, axis_b, half_b)
    across = vec.cross(axis_a, axis_b)
    if sine_squared > 1e-14:
        across = vec.scale(1.0 / sqrt(sine_squared), across)
    else:
        across = vec.mat_col(rot_a, 0)
    n = first_row()
    lowest = margin + EXTRA
    if sine_squared < PARALLEL_SINE_SQUARED:
        cosine = vec.dot(axis_a, axis_b)
        middle = -vec.dot(arm, axis_a)  # of B, along A
        reach = half_b * abs(cosine)
        if middle - reach < half_a and middle + reach > -half_a:
            for end in range(2):
                sign = 2.0 * end - 1.0
                s_end = sign * half_a
                t_end = _clamp(vec.dot(arm, axis_b) + s_end * cosine, half_b)
                if sign * middle + reach < half_a:  # B ends first
                    t_end = half_b if sign * cosine > 0.0 else -half_b
                    s_end = _clamp(t_end * cosine + middle, half_a)
                a = vec.axpy(s_end, axis_a, pos_a)
                b = vec.axpy(t_end, axis_b, pos_b)
                before = n
                n = put_balls(out, n, margin, a, size_a[0], b, size_b[0], across, float(end))
                if n > before:
                    lowest = min(lowest, out[before, 6])
    a = vec.axpy(s, axis_a, pos_a)
    b = vec.axpy(t, axis_b, pos_b)
    gap = vec.norm(vec.sub(a, b)) - size_a[0] - size_b[0]
    if gap < lowest - EXTRA or n == 0:
        n = put_balls(out, n, margin, a, size_a[0], b, size_b[0], across, 2.0)
    return n


@kernel
def _pull(centre, axis, half, t):
    """Return half the derivative of the squared distance from a box along a line, at t."""
    total = 0.0
    for k in range(3):
        p = centre[k] + t * axis[k]
        total += axis[k] * (p - _clamp(p, half[k]))
    return total


@kernel
def segment_box_nearest(centre, axis, reach, half):
    """Return the position t on a segment that is nearest to a box, in box axes.

    The derivative of the squared distance is piecewise linear and increasing, with kinks at the six planes of
    the faces; these bracket its root.
    """
    low = -reach
    high = reach
    pull_low = _pull(centre, axis, half, low)
    pull_high = _pull(centre, axis, half, high)
    if pull_low >= 0.0:
        return low
    if pull_high <= 0.0:
        return high
    for k in range(6):
        side = half[k // 2] if k % 2 == 0 else -half[k // 2]
        if axis[k // 2] != 0.0:
            t = (side - centre[k // 2]) / axis[k // 2]
            if low < t < high:
                pull = _pull(centre, axis, half, t)
                if pull < 0.0:
                    low = t
                    pull_low = pull
                else:
                    high = t
                    pull_high = pull
    return low + (high - low) * pull_low / (pull_low - pull_high)


@kernel
def _beside(centre, axis, reach, half, face):
    """Return the stretch of a segment within the sides of a box face (empty if low > high)."""
    low = -reach
    high = reach
    for k in range(3):
        if k == face:
            continue
        if abs(axis[k]) < 1e-12:
            if abs(centre[k]) > half[k]:
                return 1.0, -1.0
            continue
        t_a = (-half[k] - centre[k]) / axis[k]
        t_b = (half[k] - centre[k]) / axis[k]
        low = max(low, min(t_a, t_b))
        high = min(high, max(t_a, t_b))
    return low, high


@kernel
def _beside_edges(centre, axis, reach, half):
    """Return the stretch of a segment beside the box edges along it (empty if low > high)."""
    k = 2
    if abs(axis[0]) >= abs(axis[1]) and abs(axis[0]) >= abs(axis[2]):
        k = 0
    elif abs(axis[1]) >= abs(axis[2]):
        k = 1
    if not 1.0 - axis[k] * axis[k] < PARALLEL_SINE_SQUARED:
        return 1.0, -1.0
    t_a = (-half[k] - centre[k]) / axis[k]
    t_b = (half[k] - centre[k]) / axis[k]
    return max(-reach, min(t_a, t_b)), min(reach, max(t_a, t_b))


@kernel
def _deep_direction(centre, axis, reach, half):
    """Return the push of a segment out of a box: depth (negative), outward normal, face or −1 − axis."""
    best = -1e300
    face = 2
    for k in range(3):
        gap = abs(centre[k]) - reach * abs(axis[k]) - half[k]
        if gap > best:
            best = gap
            face = k
    sign = 1.0 if centre[face] >= 0.0 else -1.0
    outward = (sign if face == 0 else 0.0, sign if face == 1 else 0.0, sign if face == 2 else 0.0)
    limit = best + EDGE_ADVANTAGE * abs(best)
    for k in range(3):
        unit = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        normal = vec.cross(axis, unit)
        length = vec.norm(normal)
        if length < 1e-6:
            continue
        normal = vec.scale(1.0 / length, normal)
        along = vec.dot(normal, centre)
        gap = abs(along) - half[0] * abs(normal[0]) - half[1] * abs(normal[1])
        gap -= half[2] * abs(normal[2])
        if gap > limit:
            limit = gap
            best = gap
            face = -1 - k
            outward = normal if along >= 0.0 else vec.neg(normal)
    return best, outward, face


@kernel
def _deep_edge_place(centre, axis, reach, half, outward, edge):
    """Return the position on a segment that is nearest to the box edge along axis `edge` that it crosses."""
    corner = (
        0.0 if edge == 0 else (half[0] if outward[0] >= 0.0 else -half[0]),
        0.0 if edge == 1 else (half[1] if outward[1] >= 0.0 else -half[1]),
        0.0 if edge == 2 else (half[2] if outward[2] >= 0.0 else -half[2]),
    )
    unit = (1.0 if edge == 0 else 0.0, 1.0 if edge == 1 else 0.0, 1.0 if edge == 2 else 0.0)
    s, _, _ = segments_nearest(vec.sub(centre, corner), axis, reach, unit, half[edge])
    return s


@kernel
def capsule_box(pos_a, rot_a, size, pos_b, rot_b, half, margin, out):
    """Write the contacts of a capsule (A) and a box (B); return the count, 1 to 5.

    Writes: out.
    """
    radius = size[0]
    reach = size[1]
    centre = vec.mat_t_vec(rot_b, vec.sub(pos_a, pos_b))
    axis = vec.mat_t_vec(rot_b, vec.mat_col(rot_a, 2))
    nearest = segment_box_nearest(centre, axis, reach, half)
    distance, outward = point_box(vec.axpy(nearest, axis, centre), half)
    if not distance - radius <= margin:
        return 0
    is_deep = distance <= COINCIDENT
    if is_deep:
        distance, outward, face = _deep_direction(centre, axis, reach, half)
        if face < 0:
            nearest = _deep_edge_place(centre, axis, reach, half, outward, -1 - face)
    else:
        face = 2
        if abs(outward[0]) >= abs(outward[1]) and abs(outward[0]) >= abs(outward[2]):
            face = 0
        elif abs(outward[1]) >= abs(outward[2]):
            face = 1
    n = first_row()
    lowest = margin + EXTRA
    low, high = 1.0, -1.0
    if face >= 0:
        low, high = _beside(centre, axis, reach, half, face)
        if low <= high:
            for end in range(2):
                p = vec.axpy(high if end == 1 else low, axis, centre)
                sign = 1.0 if outward[face] >= 0.0 else -1.0
                height = sign * p[face] - half[face]
                normal = vec.scale(sign, vec.mat_col(rot_b, face))
                before = n
                world = vec.add(pos_b, vec.mat_vec(rot_b, p))
                n = put_ball(out, n, margin, 1.0, world, radius, height, normal, float(end))
                if n > before:
                    lowest = min(lowest, out[before, 6])
    if not is_deep:
        first, last = _beside_edges(centre, axis, reach, half)
        for end in range(2):
            t = last if end == 1 else first
            if first < last and not low <= t <= high:  # else it is already added
                p = vec.axpy(t, axis, centre)
                height, across = point_box(p, half)
                normal = vec.mat_vec(rot_b, across)
                before = n
                world = vec.add(pos_b, vec.mat_vec(rot_b, p))
                n = put_ball(out, n, margin, 1.0, world, radius, height, normal, float(3 + end))
                if n > before:
                    lowest = min(lowest, out[before, 6])
    if distance - radius < lowest - EXTRA or n == 0:
        world = vec.add(pos_b, vec.mat_vec(rot_b, vec.axpy(nearest, axis, centre)))
        normal = vec.mat_vec(rot_b, outward)
        n = put_ball(out, n, margin, 1.0, world, radius, distance, normal, 2.0)
    return n
