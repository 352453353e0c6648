"""Dense linear algebra of one island: elimination with pivots, Cholesky; in place, without allocation.

Products with whitened rows Y go four numbers at a time. Y is as wide as `wide` of its dofs, the columns
beyond them hold zeros, and so do those of a vector of dofs; the table that holds Y, and those of results,
have room for that, and for an even number of rows.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load4, spread4, store4, sums

MIN_PIVOT = 1e-14  # [–] of the largest entry: below, a matrix counts as singular


@kernel
def swap_rows(a, i, k, start, width):
    """Swap two rows from a column on, a multiple of four.

    Writes: a.
    """
    stride = a.shape[1]
    for j in range(start, width, 4):
        four = load4(a, stride * i + j)
        store4(a, stride * i + j, load4(a, stride * k + j))
        store4(a, stride * k + j, four)


@kernel
def solve_dense(a, b, n):
    """Replace b by A⁻¹ b, by elimination with row pivots; return False if A is singular.

    A row has room for `wide(n)` numbers; those beyond n are of no consequence.

    Writes: a, b.
    """
    stride = a.shape[1]
    scale = 0.0
    for i in range(n):
        for j in range(n):
            scale = max(scale, abs(a[i, j]))
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if not abs(a[pivot, k]) > MIN_PIVOT * scale:
            return False
        if pivot != k:
            swap_rows(a, k, pivot, k & ~3, n)
            b[k], b[pivot] = b[pivot], b[k]
        inverse = 1.0 / a[k, k]
        for i in range(k + 1, n):
            factor = a[i, k] * inverse
            if factor != 0.0:
                four = spread4(factor)
                for j in range((k + 1) & ~3, n, 4):
                    at = stride * i + j
                    store4(a, at, load4(a, at) - four * load4(a, stride * k + j))
                b[i] -= factor * b[k]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= a[i, j] * b[j]
        b[i] = s / a[i, i]
    return True


@kernel
def factor_cholesky(a, n):
    """Replace the lower triangle of a symmetric matrix by its Cholesky factor, 1/L_jj on the diagonal.

    Writes: a.
    """
    for j in range(n):
        s = a[j, j]
        for k in range(j):
            s -= a[j, k] * a[j, k]
        inverse = 1.0 / sqrt(s)
        a[j, j] = inverse
        for i in range(j + 1, n):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k]
            a[i, j] = s * inverse


@kernel
def solve_cholesky(a, b, n):
    """Replace the first n entries of b by (L Lᵀ)⁻¹ b, with the factor that `factor_cholesky` leaves.

    Column by column, so that no sum waits for the one before.

    Writes: b.
    """
    for k in range(n):
        s = b[k] * a[k, k]
        b[k] = s
        for i in range(k + 1, n):
            b[i] -= a[i, k] * s
    for k in range(n - 1, -1, -1):
        s = b[k] * a[k, k]
        b[k] = s
        for i in range(k):
            b[i] -= a[k, i] * s


@kernel
def wide(dofs):
    """Return how many columns of Y are used: the next multiple of four."""
    return (dofs + 3) & ~3


@kernel
def gather_rows(y, width, v, z):
    """Set z = Yᵀ v.

    Writes: z.
    """
    stride = y.shape[1]
    for j in range(0, width, 4):
        even = spread4(0.0)
        odd = spread4(0.0)
        n = v.shape[0]
        for i in range(0, n - 1, 2):
            even = even + load4(y, stride * i + j) * spread4(v[i])
            odd = odd + load4(y, stride * i + stride + j) * spread4(v[i + 1])
        if n & 1:
            even = even + load4(y, stride * (n - 1) + j) * spread4(v[n - 1])
        store4(z, j, even + odd)


@kernel
def along_rows(y, width, z, v):
    """Set v = Y z.

    Writes: v.
    """
    stride = y.shape[1]
    zero = spread4(0.0)
    n = v.shape[0]
    for i in range(0, n, 2):
        at = stride * i
        one = load4(y, at) * load4(z, 0)
        other = load4(y, at + stride) * load4(z, 0)
        for j in range(4, width, 4):
            one = one + load4(y, at + j) * load4(z, j)
            other = other + load4(y, at + stride + j) * load4(z, j)
        first, second = sums(one, other, zero)
        v[i] = first
        if i + 1 < n:
            v[i + 1] = second


@kernel
def normal_matrix(y, width, index, count, eps, a):
    """Set the lower triangle of A = Yᵀ Y + ε I, of the rows that a list names.

    Writes: a.
    """
    stride = y.shape[1]
    out = a.shape[1]
    for i in range(0, width, 4):
        for j in range(0, i + 4, 4):
            first = spread4(0.0)
            second = spread4(0.0)
            third = spread4(0.0)
            fourth = spread4(0.0)
            for k in range(count):
                row = index[k]
                four = load4(y, stride * row + j)
                first = first + spread4(y[row, i]) * four
                second = second + spread4(y[row, i + 1]) * four
                third = third + spread4(y[row, i + 2]) * four
                fourth = fourth + spread4(y[row, i + 3]) * four
            store4(a, out * i + j, first)
            store4(a, out * (i + 1) + j, second)
            store4(a, out * (i + 2) + j, third)
            store4(a, out * (i + 3) + j, fourth)
        for k in range(4):
            a[i + k, i + k] += eps
