"""The order of the bodies along the sweep axis, kept from step to step."""

from tribo.compiler.jit import kernel

FEW_MOVES = 16  # moves per body in an insertion sort, beyond which a heap sort is used


@kernel
def is_behind(work, i, j, axis):
    """Tell whether body i begins after body j on an axis; ties are broken by numbers."""
    first = work.body_bound[i, axis]
    second = work.body_bound[j, axis]
    return first > second or (first == second and i > j)


@kernel
def sink(work, root, end, axis):
    """Move a body down to its place in the heap of the first `end` bodies.

    Writes: work.
    """
    order = work.sweep_order
    i = order[root]
    child = 2 * root + 1
    while child < end:
        if child + 1 < end and is_behind(work, order[child + 1], order[child], axis):
            child += 1
        if not is_behind(work, order[child], i, axis):
            break
        order[root] = order[child]
        root = child
        child = 2 * root + 1
    order[root] = i


@kernel
def sort_heap(work, axis):
    """Sort the bodies by the start of their bounds on an axis (heap sort).

    Writes: work.
    Cost: O(n log n), nothing is allocated.
    """
    order = work.sweep_order
    n = work.sweep_count[0]
    for k in range(n // 2):
        sink(work, n // 2 - 1 - k, n, axis)
    for k in range(n - 1):
        last = n - 1 - k
        i = order[last]
        order[last] = order[0]
        order[0] = i
        sink(work, 0, last, axis)


@kernel
def sort_bodies(work, axis):
    """Sort the bodies by the start of their bounds on an axis (insertion sort, for nearly sorted lists).

    Writes: work.
    Cost: O(n) if few have changed places, else that of `sort_heap`.
    """
    order = work.sweep_order
    moves = FEW_MOVES * work.sweep_count[0]
    for k in range(1, work.sweep_count[0]):
        i = order[k]
        j = k - 1
        while j >= 0 and is_behind(work, order[j], i, axis):
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = i
        moves -= k - 1 - j
        if moves < 0:
            sort_heap(work, axis)
            return
