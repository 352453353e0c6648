"""Stage `broadphase.find_candidates`: pairs of shapes that might touch before the next evaluation.

Sweep and prune along the axis of largest spread, with boxes that contain all that a body can reach in one
step. Half spaces are tested against every body. The result is sorted by shape numbers, so it does not depend
on the order of the sweep.
"""

from math import sqrt

import numpy as np

from tribo.collision.candidate_list import sort_candidates
from tribo.collision.cells import SLOTS, SPAN, bucket, column_side, first_column
from tribo.collision.margins import contact_way, margins
from tribo.collision.sorted_keys import first_from
from tribo.collision.sweep_order import sort_bodies
from tribo.compiler.jit import kernel
from tribo.math import spatial, vec
from tribo.model import Kind, Shape, Status

MANY = 400  # bodies, from which on columns pay (`cells`)
NO_COLUMN = -(1 << 40)


@kernel
def shape_bound(model, work, s):
    """Return the box (min, max) of a shape in the world, without margin."""
    i = model.shape_body[s]
    rot = vec.load_mat(work.body_rot, i)
    c = vec.add(vec.load(work.body_pos, i), vec.mat_vec(rot, vec.load(model.shape_pos, s)))
    kind = model.shape_kind[s]
    a, b, d = vec.load(model.shape_size, s)
    if kind == Shape.SPHERE:
        return (c[0] - a, c[1] - a, c[2] - a, c[0] + a, c[1] + a, c[2] + a)
    r = vec.mat_mul(rot, vec.load_mat(model.shape_rot, s))
    if kind == Shape.BOX:
        h = (
            abs(r[0]) * a + abs(r[1]) * b + abs(r[2]) * d,
            abs(r[3]) * a + abs(r[4]) * b + abs(r[5]) * d,
            abs(r[6]) * a + abs(r[7]) * b + abs(r[8]) * d,
        )
    elif kind == Shape.CAPSULE:
        h = (abs(r[2]) * b + a, abs(r[5]) * b + a, abs(r[8]) * b + a)
    elif kind == Shape.CYLINDER or kind == Shape.CONE:
        h = (
            abs(r[2]) * b + a * sqrt(max(0.0, 1.0 - r[2] * r[2])),
            abs(r[5]) * b + a * sqrt(max(0.0, 1.0 - r[5] * r[5])),
            abs(r[8]) * b + a * sqrt(max(0.0, 1.0 - r[8] * r[8])),
        )
    elif kind == Shape.ELLIPSOID:
        h = (
            vec.norm((r[0] * a, r[1] * b, r[2] * d)),
            vec.norm((r[3] * a, r[4] * b, r[5] * d)),
            vec.norm((r[6] * a, r[7] * b, r[8] * d)),
        )
    elif kind >= Shape.HULL:
        box = model.shape_box
        c = vec.add(c, vec.mat_vec(r, (box[s, 0], box[s, 1], box[s, 2])))
        h = (
            abs(r[0]) * box[s, 3] + abs(r[1]) * box[s, 4] + abs(r[2]) * box[s, 5],
            abs(r[3]) * box[s, 3] + abs(r[4]) * box[s, 4] + abs(r[5]) * box[s, 5],
            abs(r[6]) * box[s, 3] + abs(r[7]) * box[s, 4] + abs(r[8]) * box[s, 5],
        )
    else:  # a visual mesh
        h = (-1.0, -1.0, -1.0)
    return (c[0] - h[0], c[1] - h[1], c[2] - h[2], c[0] + h[0], c[1] + h[1], c[2] + h[2])


@kernel
def bound_shapes(model, work):
    """Write the box of each shape that a test may use; half spaces have none.

    Writes: work.
    """
    for s in range(model.shape_kind.shape[0]):
        i = model.shape_body[s]
        is_asked = work.sweep_count[0] > 1 or model.body_shape_count[i] > 1
        if is_asked and model.shape_kind[s] != Shape.PLANE and model.body_is_solid[i] == 1:
            spatial.store(work.shape_bound, s, shape_bound(model, work, s))


@kernel
def boxes_are_near(x, i, y, j, margin):
    """Tell whether box i of a table and box j of another are at most a margin [m] apart."""
    return (
        x[i, 0] - margin <= y[j, 3]
        and x[i, 3] + margin >= y[j, 0]
        and x[i, 1] - margin <= y[j, 4]
        and x[i, 4] + margin >= y[j, 1]
        and x[i, 2] - margin <= y[j, 5]
        and x[i, 5] + margin >= y[j, 2]
    )


@kernel
def compute_bounds(model, work):
    """Write the box of each swept body, which contains all that it can reach in this step.

    Writes: work.
    """
    for order in range(work.sweep_count[0]):
        i = work.sweep_order[order]
        margin = contact_way(model, work, i)
        if model.body_shape_count[i] == 1:
            b = spatial.load(work.shape_bound, model.body_shape_start[i])
            for k in range(3):
                work.body_bound[i, k] = b[k] - margin
                work.body_bound[i, 3 + k] = b[3 + k] + margin
            continue
        r = vec.load_mat(work.body_rot, i)
        box = model.body_box
        c = vec.mat_vec(r, (box[i, 0], box[i, 1], box[i, 2]))
        for k in range(3):
            half = (
                abs(r[3 * k]) * box[i, 3]
                + abs(r[3 * k + 1]) * box[i, 4]
                + abs(r[3 * k + 2]) * box[i, 5]
                + margin
            )
            work.body_bound[i, k] = work.body_pos[i, k] + c[k] - half
            work.body_bound[i, 3 + k] = work.body_pos[i, k] + c[k] + half


@kernel
def is_moved(model, i):
    """Tell whether forces move body i."""
    return model.body_chain_len[i] > 0 and model.tree_kind[model.body_tree[i]] == Kind.DYNAMIC


@kernel
def bodies_may_touch(model, a, b):
    """Tell whether filters allow contacts between two bodies."""
    forward = model.body_group[a] & model.body_mask[b]
    if (forward | (model.body_group[b] & model.body_mask[a])) == 0:
        return False
    if not (is_moved(model, a) or is_moved(model, b)):
        return False
    if model.body_parent[a] == b and model.joint_collides[a] == 0:
        return False
    if model.body_parent[b] == a and model.joint_collides[b] == 0:
        return False
    count = model.ignored_pair.shape[0]  # by the user or the description
    key = min(a, b) * model.body_parent.shape[0] + max(a, b)
    k = first_from(model.ignored_pair, count, key) if count > 0 else 0
    return k == count or model.ignored_pair[k] != key


@kernel
def shapes_may_touch(model, settings, a, b):
    """Tell whether groups and masks allow contacts between two shapes."""
    forward = (model.shape_group[a] & model.shape_mask[b]) != 0
    backward = (model.shape_group[b] & model.shape_mask[a]) != 0
    if settings.filter_both != 0:
        return forward and backward
    return forward or backward


@kernel
def add_candidate(work, a, b):
    """Append a pair of shapes; if the table is full, only count it.

    Writes: work.
    """
    n = work.candidate_count[0]
    if n < work.candidate.shape[0]:
        work.candidate[n, 0] = min(a, b)
        work.candidate[n, 1] = max(a, b)
    work.candidate_count[0] = n + 1


@kernel
def add_body_pair(model, settings, work, i, j):
    """Append the shape pairs of two bodies whose bounds overlap.

    Writes: work.
    """
    if not bodies_may_touch(model, i, j):
        return
    if model.body_shape_count[i] > model.body_shape_count[j]:
        i, j = j, i
    is_plain = model.body_shape_count[j] == 1
    margin = contact_way(model, work, i) + contact_way(model, work, j)
    for a in range(model.body_shape_start[i], model.body_shape_start[i] + model.body_shape_count[i]):
        if is_plain:
            b = model.body_shape_start[j]
            if shapes_may_touch(model, settings, a, b):
                add_candidate(work, a, b)
            continue
        if not boxes_are_near(work.shape_bound, a, work.body_bound, j, contact_way(model, work, i)):
            continue
        last = model.body_shape_start[j] + model.body_shape_count[j]
        for b in range(model.body_shape_start[j], last):
            if shapes_may_touch(model, settings, a, b) and boxes_are_near(
                work.shape_bound, a, work.shape_bound, b, margin
            ):
                add_candidate(work, a, b)


@kernel
def plane_of(model, work, s):
    """Return the normal of half space s and its height along the normal [m]."""
    i = model.shape_body[s]
    rot = vec.load_mat(work.body_rot, i)
    n = vec.mat_vec(rot, vec.mat_col(vec.load_mat(model.shape_rot, s), 2))
    p = vec.add(vec.load(work.body_pos, i), vec.mat_vec(rot, vec.load(model.shape_pos, s)))
    return n, vec.dot(n, p)


@kernel
def add_plane_pair(model, settings, work, s, n, height, j):
    """Append the pairs of half space s with the shapes of body j that can reach below its surface.

    Writes: work.
    """
    i = model.shape_body[s]
    if j == i or model.body_is_solid[j] == 0:
        return
    first = model.body_shape_start[j]
    if model.shape_kind[first] == Shape.PLANE:
        return
    offset = height + contact_way(model, work, i) + contact_way(model, work, j)
    low = vec.dot(n, vec.load(work.body_pos, j)) - model.body_radius[j]
    if low > offset or not bodies_may_touch(model, i, j):
        return
    for b in range(first, first + model.body_shape_count[j]):
        if not shapes_may_touch(model, settings, s, b):
            continue
        if model.body_shape_count[j] > 1:
            box = spatial.load(work.shape_bound, b)
            low = 0.0
            for k in range(3):
                low += n[k] * (box[k] if n[k] > 0.0 else box[3 + k])
            if low > offset:
                continue
        add_candidate(work, s, b)


@kernel
def add_plane_pairs(model, settings, work, s):
    """Append the pairs of half space s with all shapes that can reach below it.

    Writes: work.
    """
    n, height = plane_of(model, work, s)
    for j in range(model.body_parent.shape[0]):
        add_plane_pair(model, settings, work, s, n, height, j)


@kernel
def sweep_axis(work):
    """Return the axis along which the positions of the bodies have the largest variance."""
    mean = (0.0, 0.0, 0.0)
    square = (0.0, 0.0, 0.0)
    n = work.sweep_count[0]
    for k in range(n):
        p = vec.load(work.body_pos, work.sweep_order[k])
        mean = vec.add(mean, p)
        square = vec.add(square, (p[0] * p[0], p[1] * p[1], p[2] * p[2]))
    x = square[0] - mean[0] * mean[0] / n
    y = square[1] - mean[1] * mean[1] / n
    z = square[2] - mean[2] * mean[2] / n
    if x >= y and x >= z:
        return 0
    return 1 if y >= z else 2


@kernel
def list_bodies(model, work):
    """List the bodies to sweep: those that may touch a body other than a half space.

    Writes: work.
    """
    groups = 0
    masks = 0
    for i in range(model.body_parent.shape[0]):
        if model.body_is_solid[i] == 1 and model.shape_kind[model.body_shape_start[i]] != Shape.PLANE:
            groups |= model.body_group[i]
            masks |= model.body_mask[i]
    n = 0
    for i in range(model.body_parent.shape[0]):
        if model.body_is_solid[i] == 1 and model.shape_kind[model.body_shape_start[i]] != Shape.PLANE:
            if ((model.body_group[i] & masks) | (model.body_mask[i] & groups)) != 0:
                work.sweep_order[n] = i
                n += 1
    work.sweep_count[0] = n
    work.sweep_is_listed[0] = 1


@kernel
def overlap_on(work, i, j, axis):
    """Tell whether the boxes of two bodies overlap on an axis."""
    bound = work.body_bound
    return bound[i, axis] <= bound[j, 3 + axis] and bound[j, axis] <= bound[i, 3 + axis]


@kernel
def pair_with_all(model, settings, work, rank):
    """Append the pairs of a body too wide for columns; pairs of two such bodies once.

    Writes: work.
    """
    i = work.sweep_order[rank]
    for m in range(work.sweep_count[0]):
        j = work.sweep_order[m]
        if work.sweep_column[j, 0] == NO_COLUMN and m <= rank:
            continue
        if overlap_on(work, i, j, 0) and overlap_on(work, i, j, 1) and overlap_on(work, i, j, 2):
            add_body_pair(model, settings, work, i, j)


@kernel
def sweep_columns(model, settings, work, axis):
    """Append the shape pairs of all bodies whose bounds overlap, by columns (`cells`).

    Writes: work.
    """
    y = (axis + 1) % 3
    z = (axis + 2) % 3
    head = work.sweep_head
    before = work.sweep_next
    column = work.sweep_column
    for b in range(head.shape[0]):
        head[b] = -1
    side = column_side(work, y, z)
    for k in range(work.sweep_count[0]):
        i = work.sweep_order[k]
        first_y, count_y = first_column(work, i, y, side)
        first_z, count_z = first_column(work, i, z, side)
        column[i, 0] = first_y if count_y * count_z > 0 else NO_COLUMN
        column[i, 1] = first_z
        for s in range(count_y * count_z):
            here_y = first_y + s // count_z
            here_z = first_z + s % count_z
            b = bucket(work, here_y, here_z)
            last = np.int64(-1)
            entry = head[b]
            while entry >= 0:
                j = entry // SLOTS
                slot = entry % SLOTS
                further = before[j, slot]
                if work.body_bound[j, 3 + axis] < work.body_bound[i, axis]:  # passed
                    if last < 0:
                        head[b] = further
                    else:
                        before[last // SLOTS, last % SLOTS] = further
                    entry = further
                    continue
                is_here = column[j, 0] + slot // SPAN == here_y and column[j, 1] + slot % SPAN == here_z
                is_first = max(first_y, column[j, 0]) == here_y and max(first_z, column[j, 1]) == here_z
                if is_here and is_first and overlap_on(work, i, j, y) and overlap_on(work, i, j, z):
                    add_body_pair(model, settings, work, i, j)
                last = entry
                entry = further
            slot = SPAN * (here_y - first_y) + here_z - first_z
            before[i, slot] = head[b]
            head[b] = SLOTS * i + slot
    for k in range(work.sweep_count[0]):
        if column[work.sweep_order[k], 0] == NO_COLUMN:
            pair_with_all(model, settings, work, k)


@kernel
def sweep_bodies(model, settings, work):
    """Append the shape pairs of all bodies whose bounds overlap.

    Writes: work.
    Cost: O(n) to sort a nearly sorted list, then O(overlaps on one axis); O(n) with columns.
    """
    axis = sweep_axis(work)
    sort_bodies(work, axis)
    order = work.sweep_order
    bound = work.body_bound
    y = (axis + 1) % 3
    z = (axis + 2) % 3
    n = work.sweep_count[0]
    if n > MANY:
        sweep_columns(model, settings, work, axis)
        return
    for k in range(n):
        i = order[k]
        end = bound[i, 3 + axis]
        for m in range(k + 1, n):
            j = order[m]
            if bound[j, axis] > end:
                break
            if (
                bound[i, y] <= bound[j, 3 + y]
                and bound[j, y] <= bound[i, 3 + y]
                and bound[i, z] <= bound[j, 3 + z]
                and bound[j, z] <= bound[i, 3 + z]
            ):
                add_body_pair(model, settings, work, i, j)


@kernel
def find_candidates(model, state, settings, work):
    """List the pairs of shapes that might touch in this step.

    Writes: work.
    """
    work.candidate_count[0] = 0
    margins(model, state, settings, work)
    if work.sweep_is_listed[0] == 0:
        list_bodies(model, work)
    bound_shapes(model, work)
    for i in range(model.body_parent.shape[0]):
        if model.body_is_solid[i] == 1 and model.shape_kind[model.body_shape_start[i]] == Shape.PLANE:
            add_plane_pairs(model, settings, work, model.body_shape_start[i])
    if work.sweep_count[0] > 1:
        compute_bounds(model, work)
        sweep_bodies(model, settings, work)
    if work.candidate_count[0] > work.candidate.shape[0]:
        work.status[0] |= Status.CAPACITY
        return
    sort_candidates(work)
