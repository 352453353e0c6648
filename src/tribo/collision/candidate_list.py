"""Sorting of the candidate pairs into an order that does not depend on the search."""

from tribo.compiler.jit import kernel

FEW = 16  # candidates, up to which insertion sort is cheaper


@kernel
def count_candidates(work, n):
    """Sort the candidates by first shape (counting sort).

    Writes: work.
    """
    slot = work.shape_slot
    for s in range(slot.shape[0]):
        slot[s] = 0
    for k in range(n):
        slot[work.candidate[k, 0] + 1] += 1
    for s in range(slot.shape[0] - 1):
        slot[s + 1] += slot[s]
    for k in range(n):
        a = work.candidate[k, 0]
        work.candidate_sorted[slot[a], 0] = a
        work.candidate_sorted[slot[a], 1] = work.candidate[k, 1]
        slot[a] += 1


@kernel
def sort_candidates(work):
    """Sort the candidates by first, then second shape.

    Writes: work.
    """
    n = work.candidate_count[0]
    ranked = work.candidate_sorted
    if n > FEW:
        count_candidates(work, n)
    else:
        for k in range(n):
            ranked[k, 0] = work.candidate[k, 0]
            ranked[k, 1] = work.candidate[k, 1]
    for k in range(1, n):
        a = ranked[k, 0]
        b = ranked[k, 1]
        place = k
        while place > 0 and (
            ranked[place - 1, 0] > a or (ranked[place - 1, 0] == a and ranked[place - 1, 1] > b)
        ):
            ranked[place, 0] = ranked[place - 1, 0]
            ranked[place, 1] = ranked[place - 1, 1]
            place -= 1
        ranked[place, 0] = a
        ranked[place, 1] = b
