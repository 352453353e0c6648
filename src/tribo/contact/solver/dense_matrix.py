"""Dense linear algebra of one island: elimination with pivots, Cholesky; in place, without allocation."""

from math import sqrt

from tribo.compiler.jit import kernel

MIN_PIVOT = 1e-14  # [–] of the largest entry: below, a matrix counts as singular


@kernel
def solve_dense(a, b, n):
    """Replace b by A⁻¹ b, by elimination with row pivots; return False if A is singular.

    Writes: a, b.
    """
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
            for j in range(k, n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
            b[k], b[pivot] = b[pivot], b[k]
        inverse = 1.0 / a[k, k]
        for i in range(k + 1, n):
            factor = a[i, k] * inverse
            if factor != 0.0:
                for j in range(k + 1, n):
                    a[i, j] -= factor * a[k, j]
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
