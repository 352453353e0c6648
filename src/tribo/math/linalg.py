"""Tiny dense solves, on tuples and on small arrays."""

from tribo.compiler.jit import kernel
from tribo.math import vec

# A sum of n products errs by n ε of the largest, ε = 2.2e-16: what is smaller is round-off.
ROUND_OFF = 1e-12  # [–] n ε, n = 4500 products; [m, m/s] beside positions and speeds near one
ALIKE = 1e-6  # [–] √ROUND_OFF, of lengths: the square of a shorter one is round-off
SINGULAR = 1e-9  # [–] of the largest diagonal entry: a smaller pivot is 0
TINY = 1e-300  # keeps a division by 0 finite


@kernel
def sym_inverse(s):
    """Return the inverse of a symmetric 3×3 matrix; both as (xx, yy, zz, xy, xz, yz)."""
    a = s[1] * s[2] - s[5] * s[5]
    b = s[4] * s[5] - s[3] * s[2]
    c = s[3] * s[5] - s[4] * s[1]
    inv = 1.0 / (s[0] * a + s[3] * b + s[4] * c)
    d = s[0] * s[2] - s[4] * s[4]
    e = s[0] * s[1] - s[3] * s[3]
    f = s[3] * s[4] - s[0] * s[5]
    return (a * inv, d * inv, e * inv, b * inv, c * inv, f * inv)


@kernel
def solve_equations(a, n):
    """Solve n symmetric equations, the right side in the last column of a; return whether it is possible.

    Writes: a (the solution: its last column).
    """
    last = a.shape[1] - 1
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(a[i, i]))
    for k in range(n):  # symmetric and positive semidefinite: no pivoting
        if a[k, k] <= SINGULAR * largest:  # a zero row needs a zero right side
            if abs(a[k, last]) > SINGULAR * largest:
                return False
            a[k, k] = 1.0
            a[k, last] = 0.0
            continue
        for i in range(n):
            if i != k:
                factor = a[i, k] / a[k, k]
                for j in range(k, n):
                    a[i, j] -= factor * a[k, j]
                a[i, last] -= factor * a[k, last]
    for k in range(n):
        a[k, last] /= a[k, k]
    return True


@kernel
def range_part(g, x):
    """Return the part of x in the range of a symmetric g (xx, yy, zz, xy, xz, yz); x if g is regular."""
    xx, yy, zz, xy, xz, yz = g
    least = ROUND_OFF * (xx + yy + zz)
    a = (yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy)  # the adjugate of g
    b = (xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz)
    minors = a[0] + a[1] + a[2]  # Σ λᵢ λⱼ
    if not xx + yy + zz > 0.0:
        return x
    if minors <= least * (xx + yy + zz):  # one direction: g = λ u uᵀ
        return vec.scale(1.0 / (xx + yy + zz), vec.sym_vec(g, x))
    if xx * a[0] + xy * b[0] + xz * b[1] <= least * minors:  # two: the adjugate is λ₁ λ₂ n nᵀ
        return vec.axpy(-1.0 / minors, vec.sym_vec((*a, *b), x), x)
    return x
