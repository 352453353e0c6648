"""The linear system of the derivatives of a step: how it is solved, and where it has several solutions."""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load4, store4
from tribo.queries.tangents import Count, Obstacle, filled_up, object_to

SAME_MOTION = 1e-7  # [–] of the response to a unit impulse: less is rounding
REDUNDANT_PIVOT = 1e-10  # [kg, –] largest number left of a row that says nothing new


@kernel
def divide_laws(tangents, columns):
    """Divide the rows of what slips or rolls by their largest factor: friction over a low speed is large.

    Otherwise rounding of such a factor counts as a pivot of a row that says nothing new.

    Writes: tangents.
    """
    n, contacts = tangents.start_v.shape[0], tangents.counts[Count.CONTACTS]
    for m in range(contacts):
        if tangents.slips[m] == 1:
            divide_row(tangents, n + 3 * m, columns)
            divide_row(tangents, n + 3 * m + 1, columns)
    for r in range(n + 3 * contacts + tangents.counts[Count.SCALARS], tangents.counts[Count.ROWS]):
        divide_row(tangents, r, columns)


@kernel
def divide_row(tangents, r, columns):
    """Divide a row by its largest factor, if that is above 1.

    Writes: tangents.
    """
    most = 1.0
    for k in range(tangents.counts[Count.ROWS]):
        most = max(most, abs(tangents.system[r, k]))
    if most > 1.0:
        for k in range(columns):
            tangents.system[r, k] /= most


@kernel
def check_shares(work, tangents, rows):
    """Note a load that contacts may share in several ways with which the step would end at other velocities.

    Where points slip along different directions how they share a load turns its friction. Each row that says
    nothing new leaves one way of sharing: y with y_p = 1 for its own impulse, that of the others before it.

    Writes: tangents.
    """
    n, contacts = tangents.start_v.shape[0], tangents.counts[Count.CONTACTS]
    a, y = tangents.system, tangents.way
    size = 0.0
    for m in range(contacts):
        size = max(size, work.diagonal_delassus[tangents.contact[m]])
    for m in range(tangents.counts[Count.SCALARS]):
        size = max(size, work.scalar_delassus[tangents.scalar[m]])
    for p in range(n, rows):
        if tangents.pivot[p] >= 0:
            continue
        for k in range(rows):
            y[k] = 0.0
        y[p] = 1.0
        for q in range(p - 1, -1, -1):
            row = tangents.pivot[q]
            if row < 0:
                continue
            for k in range(q + 1, p + 1):
                y[q] -= a[row, k] * y[k]
            y[q] /= a[row, q]
        for k in range(n):
            if abs(y[k]) > SAME_MOTION * size:
                object_to(tangents, Obstacle.SHARES, 0)
                return


@kernel
def eliminate(tangents, rows, columns):
    """Solve the system in place, by elimination with the largest pivot of a column.

    A column without a pivot is that of an impulse which others can take over: it does not change. Of as many
    rows nothing is left: they say nothing new, and what they ask for besides stays in `lack`.

    Writes: tangents.
    """
    a = tangents.system
    width = a.shape[1]
    inputs = filled_up(rows)
    for r in range(rows):
        tangents.order[r] = r
    rank = 0
    for p in range(rows):
        best, at = 0.0, rank
        for r in range(rank, rows):
            x = abs(a[tangents.order[r], p])
            if x > best:
                best, at = x, r
        tangents.pivot[p] = -1
        if not best > REDUNDANT_PIVOT:
            continue
        row = tangents.order[at]
        tangents.order[at] = tangents.order[rank]
        tangents.order[rank] = tangents.pivot[p] = row
        rank += 1
        inverse = 1.0 / a[row, p]
        first = 4 * (p // 4)
        for r in range(rank, rows):
            there = tangents.order[r]
            x = a[there, p] * inverse
            if x == 0.0:
                continue
            i, j = row * width, there * width
            for k in range(first, columns, 4):
                store4(a, j + k, load4(a, j + k) - load4(a, i + k) * x)
    tangents.counts[Count.REDUNDANT] = rows - rank
    for p in range(rows - 1, -1, -1):
        row = tangents.pivot[p]
        if row < 0:
            continue
        inverse = 1.0 / a[row, p]
        i = row * width
        for k in range(inputs, columns, 4):
            store4(a, i + k, load4(a, i + k) * inverse)
        for q in range(p):
            there = tangents.pivot[q]
            if there < 0:
                continue
            x = a[there, p]
            if x == 0.0:
                continue
            j = there * width
            for k in range(inputs, columns, 4):
                store4(a, j + k, load4(a, j + k) - load4(a, i + k) * x)
    for p in range(rows):
        if tangents.pivot[p] >= 0:
            i, j = tangents.pivot[p] * width, p * width
            for k in range(inputs, columns, 4):
                store4(tangents.answer, j + k, load4(a, i + k))
            continue
        for k in range(inputs, columns):
            tangents.answer[p, k] = 0.0
            tangents.lack[p, k] = a[tangents.order[rank], k]
        rank += 1
