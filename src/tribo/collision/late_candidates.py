"""Pairs that are searched again, because the solve made a body faster than its margin allows.

A hit may spin a body up from 3 to 62 rad/s within one step; it then reaches other shapes.
"""

from tribo.collision.advancement import TOUCH, thickness
from tribo.collision.broadphase import add_body_pair, add_plane_pair, boxes_are_near, plane_of
from tribo.collision.candidate_list import sort_candidates
from tribo.compiler.jit import kernel
from tribo.model import Shape, Status

DEEP = 5.0  # times the gap that counts as 0: a smaller excess waits for the next step


@kernel
def outruns_margin(model, work, i):
    """Tell whether body i moves noticeably farther than its margin."""
    more = work.body_excess[i]
    return more > 0.0 and more > DEEP * TOUCH * thickness(model, model.body_shape_start[i])


@kernel
def is_listed(work, n, a, b):
    """Tell whether the pair a < b is one of the first n candidates, which are sorted."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        first = work.candidate_sorted[middle, 0]
        if first < a or (first == a and work.candidate_sorted[middle, 1] < b):
            low = middle + 1
        else:
            high = middle
    return low < n and work.candidate_sorted[low, 0] == a and work.candidate_sorted[low, 1] == b


@kernel
def drop_listed(work, n, start):
    """Remove those of the candidates from `start` on that are among the first n.

    Writes: work.
    """
    last = start
    for k in range(start, work.candidate_count[0]):
        if k >= work.candidate.shape[0]:
            last += 1  # counted, not stored
            continue
        a, b = work.candidate[k, 0], work.candidate[k, 1]
        if not is_listed(work, n, a, b):
            work.candidate[last, 0], work.candidate[last, 1] = a, b
            last += 1
    work.candidate_count[0] = last


@kernel
def add_pairs_of(model, settings, work, i, n):
    """Append the pairs of body i by its larger reach that are not among the first n; of two fast bodies once.

    Writes: work.
    """
    bound = work.body_bound
    for m in range(work.sweep_count[0]):
        j = work.sweep_order[m]
        if j == i or (j < i and outruns_margin(model, work, j)):
            continue
        if not boxes_are_near(bound, i, bound, j, work.body_excess[i] + work.body_excess[j]):
            continue
        is_plain = model.body_shape_count[i] == 1 and model.body_shape_count[j] == 1
        if not (is_plain and boxes_are_near(bound, i, bound, j, 0.0)):  # else it is listed already
            start = work.candidate_count[0]
            add_body_pair(model, settings, work, i, j)
            drop_listed(work, n, start)


@kernel
def widen(work, sign):
    """Add sign times the excess of each body to its margin.

    Writes: work.
    """
    for i in range(work.body_margin.shape[0]):
        work.body_margin[i] += sign * work.body_excess[i]


@kernel
def extend(model, settings, work):
    """Append the pairs that bodies reach only by their `body_excess`.

    Writes: work.
    Cost: O(bodies) for each body that `outruns_margin`.
    """
    n = work.candidate_count[0]
    widen(work, 1.0)
    for s in range(model.body_parent.shape[0]):
        if model.body_is_solid[s] == 0 or model.shape_kind[model.body_shape_start[s]] != Shape.PLANE:
            continue
        normal, height = plane_of(model, work, model.body_shape_start[s])
        for i in range(model.body_parent.shape[0]):
            if outruns_margin(model, work, i):
                start = work.candidate_count[0]
                add_plane_pair(model, settings, work, model.body_shape_start[s], normal, height, i)
                drop_listed(work, n, start)
    if work.sweep_count[0] > 1:
        for i in range(model.body_parent.shape[0]):
            if outruns_margin(model, work, i):
                add_pairs_of(model, settings, work, i, n)
    widen(work, -1.0)
    if work.candidate_count[0] > work.candidate.shape[0]:
        work.status[0] |= Status.CAPACITY
    elif work.candidate_count[0] > n:
        sort_candidates(work)
