"""The Newton step of the proximal problem, in the unknowns of which there are fewer: directions, or dofs.

With the directions l, p and slopes d of the laws the step z solves (I + Σ d p lᵀ) z = b. In the dofs that is
a matrix; zeros are skipped, and columns come leaves first, so that a robot fills in little. In the directions
s = d l · z it is (1/d + L Pᵀ) s = L b and z = b − Pᵀ s: what is open or at a bound costs nothing then.
Source: Woodbury 1950.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import high, load4, low, spread4, store4, total
from tribo.contact.solver.proximal_directions import count_directions, write_directions
from tribo.contact.solver.proximal_rows import SHARE

MIN_PIVOT = 1e-13  # [–] of a matrix with a diagonal of about one or more


@kernel
def clear(work, count):
    """Begin with the identity.

    Writes: work.
    """
    h = work.column_matrix
    none = spread4(0.0)
    for i in range(count):
        for j in range(0, count, 4):
            store4(h, h.shape[1] * i + j, none)
        h[i, i] = 1.0


@kernel
def dot_rows(a, i, b, j, count):
    """Return the product of row i of a table and row j of another."""
    x = spread4(0.0)
    p, q = a.shape[1] * i, b.shape[1] * j
    for k in range(0, count, 4):
        x = x + load4(a, p + k) * load4(b, q + k)
    return total(low(x) + high(x))


@kernel
def write_products(work, count, size):
    """Write 1/d + L Pᵀ of the directions that are written as rows.

    Writes: work.
    """
    h, felt, push, is_even = (
        work.column_matrix,
        work.direction_felt,
        work.direction_push,
        work.direction_is_even,
    )
    for i in range(size):
        for j in range(i + 1):
            if is_even[i] == 1:
                x = dot_rows(felt, j, felt, i, count)
                h[j, i] = x
                h[i, j] = x if is_even[j] == 1 else dot_rows(felt, i, push, j, count)
            else:
                h[j, i] = dot_rows(felt, j, push, i, count)
                if j < i:
                    other = felt if is_even[j] == 1 else push
                    h[i, j] = dot_rows(felt, i, other, j, count)
        h[i, i] += work.direction_give[i]
        for j in range(size, (size + 3) & ~3):
            h[i, j] = 0.0


@kernel
def solve_by_directions(work, t, count, size, x, is_symmetric, asks):
    """Replace row x of `column_vector` by the step that it asks for; return False if there is none.

    Writes: work.
    """
    b, felt = work.column_vector, work.direction_felt
    write_directions(work, t, count, True, is_symmetric, x, asks)
    write_products(work, count, size)
    for i in range(size):
        b[SHARE, i] = work.direction_ask[i] - dot_rows(felt, i, b, x, count)
    if not eliminate(work, size, SHARE, is_symmetric):
        return False
    for i in range(size):
        push = felt if work.direction_is_even[i] == 1 else work.direction_push
        four = spread4(b[SHARE, i])
        for j in range(0, count, 4):
            at = b.shape[1] * x + j
            store4(b, at, load4(b, at) + four * load4(push, push.shape[1] * i + j))
    return True


@kernel
def solve_by_dofs(work, t, count, x, is_symmetric, asks):
    """Do the same with a matrix of the dofs, however many directions there are.

    Writes: work.
    """
    clear(work, count)
    write_directions(work, t, count, False, is_symmetric, x, asks)
    return eliminate(work, count, x, is_symmetric)


@kernel
def solve_step(work, t, count, x, asks):
    """Replace row x of `column_vector` by the step that it asks for; return False if there is none.

    asks: to what linear laws give, else as the velocities change; then `write_linear` has the impulses.

    Writes: work.
    """
    for k in range(count, (count + 3) & ~3):
        work.column_vector[x, k] = 0.0
    size, is_symmetric = count_directions(work, t)
    work.direction_count[0] = size
    if size <= count:
        return solve_by_directions(work, t, count, size, x, is_symmetric, asks)
    return solve_by_dofs(work, t, count, x, is_symmetric, asks)


@kernel
def list_fours(work, k, count):
    """List the fours of columns behind k in which row k has a number that is not zero; return how many.

    Writes: work.
    """
    h = work.column_matrix
    found = 0
    for first in range((k + 1) & ~3, count, 4):
        is_filled = False
        for j in range(max(first, k + 1), min(first + 4, count)):
            is_filled = is_filled or h[k, j] != 0.0
        if is_filled:
            work.column_four[found] = first
            found += 1
    return found


@kernel
def eliminate(work, count, x, is_symmetric):
    """Replace row x of `column_vector` by the solution; return False if there is none.

    Writes: work.
    """
    h, b = work.column_matrix, work.column_vector
    stride = h.shape[1]
    for k in range(count):
        if not abs(h[k, k]) > MIN_PIVOT:
            return False
        inverse = 1.0 / h[k, k]
        fours = list_fours(work, k, count)
        first = 0
        for i in range(k + 1, count):
            f = h[k, i] if is_symmetric else h[i, k]
            if f == 0.0:
                continue
            f *= inverse
            b[x, i] -= f * b[x, k]
            four = spread4(f)
            while is_symmetric and work.column_four[first] + 4 <= i:
                first += 1
            for m in range(first, fours):
                j = work.column_four[m]
                at = stride * i + j
                store4(h, at, load4(h, at) - four * load4(h, stride * k + j))
    for k in range(count, (count + 3) & ~3):
        b[x, k] = 0.0
    for i in range(count - 1, -1, -1):
        s = b[x, i]
        after = (i + 4) & ~3
        for j in range(i + 1, min(after, count)):
            s -= h[i, j] * b[x, j]
        four = spread4(0.0)
        for j in range(after, count, 4):
            four = four + load4(h, stride * i + j) * load4(b, stride * x + j)
        b[x, i] = (s - total(low(four) + high(four))) / h[i, i]
    return True
