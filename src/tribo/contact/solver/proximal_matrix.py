"""The Newton step of the proximal problem, in the unknowns of which there are fewer: directions, or dofs.

With the directions l, p and slopes d of the laws the step z solves (I + Σ d p lᵀ) z = b. In the dofs that is
a matrix; zeros are skipped, and columns come leaves first, so that a robot fills in little. In the directions
s = d l · z it is (1/d + L Pᵀ) s = L b and z = b − Pᵀ s: what is open or at a bound costs nothing then.
Source: Woodbury 1950.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import high, load4, low, spread4, store4, total, transposed
from tribo.contact.solver.proximal_directions import clear_row, count_directions, write_directions
from tribo.contact.solver.proximal_rows import SHARE

MIN_PIVOT = 1e-13  # [–] of a matrix with a diagonal of about one or more


@kernel
def clear(work, count):
    """Begin with the identity.

    Writes: work.
    """
    h = work.column_matrix
    for i in range(count):
        clear_row(h, i, count)
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
def dot_four(a, i, b, j, count):
    """Return the products of row i of a table and four rows of another from j on."""
    w = x = y = z = spread4(0.0)
    p, q, stride = a.shape[1] * i, b.shape[1] * j, b.shape[1]
    for k in range(0, count, 4):
        four = load4(a, p + k)
        w = w + four * load4(b, q + k)
        x = x + four * load4(b, q + stride + k)
        y = y + four * load4(b, q + 2 * stride + k)
        z = z + four * load4(b, q + 3 * stride + k)
    w, x, y, z = transposed(w, x, y, z)
    return (w + x) + (y + z)


@kernel
def write_products(work, count, size, is_symmetric):
    """Write 1/d + L Pᵀ of the directions that are written as rows; its upper part if that is enough.

    Writes: work.
    """
    h, felt = work.column_matrix, work.direction_felt
    push = felt if is_symmetric else work.direction_push
    for j in range(size, (size + 3) & ~3):
        clear_row(push, j, count)
    for i in range(size):
        for j in range((i if is_symmetric else 0) & ~3, size, 4):
            store4(h, h.shape[1] * i + j, dot_four(felt, i, push, j, count))
        h[i, i] += work.direction_give[i]


@kernel
def solve_by_directions(work, t, count, size, x, is_symmetric, asks):
    """Replace row x of `column_vector` by the step that it asks for; return False if there is none.

    Writes: work.
    """
    b, felt = work.column_vector, work.direction_felt
    write_directions(work, t, count, True, is_symmetric, x, asks)
    write_products(work, count, size, is_symmetric)
    for i in range(size):
        b[SHARE, i] = work.direction_ask[i] - dot_rows(felt, i, b, x, count)
    if not eliminate(work, size, SHARE, is_symmetric):
        return False
    push = felt if is_symmetric else work.direction_push
    for i in range(size):
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
        for i in range(k + 1, count):
            f = h[k, i] if is_symmetric else h[i, k]
            if f == 0.0:
                continue
            f *= inverse
            b[x, i] -= f * b[x, k]
            four = spread4(f)
            for j in range((i if is_symmetric else k + 1) & ~3, count, 4):
                at = stride * i + j
                store4(h, at, load4(h, at) - four * load4(h, stride * k + j))
    for i in range(count - 1, -1, -1):
        s = b[x, i]
        for j in range(i + 1, count):
            s -= h[i, j] * b[x, j]
        b[x, i] = s / h[i, i]
    return True
