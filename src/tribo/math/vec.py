"""3-vectors and 3×3 matrices as tuples of floats.

A 3-vector is ``(x, y, z)``; a matrix is a 9-tuple in row-major order. Tuples live in registers:
one cross product costs 2 ns where a returned array costs 66 ns.
"""

from math import sqrt

from tribo.compiler.jit import kernel


@kernel
def load(array, i):
    """Return row i of an (n, 3) array as a tuple."""
    return (array[i, 0], array[i, 1], array[i, 2])


@kernel
def load_from(array, i, k):
    """Return three numbers of row i of an array, from the k-th on, as a tuple."""
    return (array[i, k], array[i, k + 1], array[i, k + 2])


@kernel
def store(array, i, a):
    """Write a 3-tuple into row i of an (n, 3) array.

    Writes: array.
    """
    array[i, 0] = a[0]
    array[i, 1] = a[1]
    array[i, 2] = a[2]


@kernel
def add(a, b):
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a, b):
    """Return a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(s, a):
    """Return s a."""
    return (s * a[0], s * a[1], s * a[2])


@kernel
def axpy(s, a, b):
    """Return s a + b."""
    return (s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2])


@kernel
def neg(a):
    """Return −a."""
    return (-a[0], -a[1], -a[2])


@kernel
def dot(a, b):
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """Return a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def norm(a):
    """Return ‖a‖."""
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def load_mat(array, i):
    """Return row i of an (n, 9) array as a row-major matrix."""
    return (
        array[i, 0], array[i, 1], array[i, 2],
        array[i, 3], array[i, 4], array[i, 5],
        array[i, 6], array[i, 7], array[i, 8],
    )  # fmt: skip


@kernel
def store_mat(array, i, m):
    """Write a row-major matrix into row i of an (n, 9) array.

    Writes: array.
    """
    array[i, 0] = m[0]
    array[i, 1] = m[1]
    array[i, 2] = m[2]
    array[i, 3] = m[3]
    array[i, 4] = m[4]
    array[i, 5] = m[5]
    array[i, 6] = m[6]
    array[i, 7] = m[7]
    array[i, 8] = m[8]


@kernel
def mat_vec(m, a):
    """Return M a."""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
        m[6] * a[0] + m[7] * a[1] + m[8] * a[2],
    )


@kernel
def mat_t_vec(m, a):
    """Return Mᵀ a."""
    return (
        m[0] * a[0] + m[3] * a[1] + m[6] * a[2],
        m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
        m[2] * a[0] + m[5] * a[1] + m[8] * a[2],
    )


@kernel
def mat_mul(m, n):
    """Return M N."""
    return (
        m[0] * n[0] + m[1] * n[3] + m[2] * n[6],
        m[0] * n[1] + m[1] * n[4] + m[2] * n[7],
        m[0] * n[2] + m[1] * n[5] + m[2] * n[8],
        m[3] * n[0] + m[4] * n[3] + m[5] * n[6],
        m[3] * n[1] + m[4] * n[4] + m[5] * n[7],
        m[3] * n[2] + m[4] * n[5] + m[5] * n[8],
        m[6] * n[0] + m[7] * n[3] + m[8] * n[6],
        m[6] * n[1] + m[7] * n[4] + m[8] * n[7],
        m[6] * n[2] + m[7] * n[5] + m[8] * n[8],
    )


@kernel
def mat_t_mul(m, n):
    """Return Mᵀ N."""
    return mat_mul((m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]), n)


@kernel
def transpose(m):
    """Return Mᵀ."""
    return (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])


@kernel
def mat_col(m, k):
    """Return column k of M."""
    if k == 0:
        return (m[0], m[3], m[6])
    if k == 1:
        return (m[1], m[4], m[7])
    return (m[2], m[5], m[8])


@kernel
def axes_from_normal(n):
    """Return unit t₁, t₂ so that (t₁, t₂, n) is right-handed and varies smoothly with n.

    Source: Duff et al. 2017, branchless basis with the sign of n_z.
    """
    s = 1.0 if n[2] >= 0.0 else -1.0
    a = -1.0 / (s + n[2])
    b = n[0] * n[1] * a
    return (1.0 + s * n[0] * n[0] * a, s * b, -s * n[0]), (b, s + n[1] * n[1] * a, -n[1])


@kernel
def rotate_sym(r, s):
    """Return R S Rᵀ for a symmetric S given as (xx, yy, zz, xy, xz, yz), in the same form."""
    a = (
        r[0] * s[0] + r[1] * s[3] + r[2] * s[4],
        r[0] * s[3] + r[1] * s[1] + r[2] * s[5],
        r[0] * s[4] + r[1] * s[5] + r[2] * s[2],
    )
    b = (
        r[3] * s[0] + r[4] * s[3] + r[5] * s[4],
        r[3] * s[3] + r[4] * s[1] + r[5] * s[5],
        r[3] * s[4] + r[4] * s[5] + r[5] * s[2],
    )
    c = (
        r[6] * s[0] + r[7] * s[3] + r[8] * s[4],
        r[6] * s[3] + r[7] * s[1] + r[8] * s[5],
        r[6] * s[4] + r[7] * s[5] + r[8] * s[2],
    )
    return (
        a[0] * r[0] + a[1] * r[1] + a[2] * r[2],
        b[0] * r[3] + b[1] * r[4] + b[2] * r[5],
        c[0] * r[6] + c[1] * r[7] + c[2] * r[8],
        a[0] * r[3] + a[1] * r[4] + a[2] * r[5],
        a[0] * r[6] + a[1] * r[7] + a[2] * r[8],
        b[0] * r[6] + b[1] * r[7] + b[2] * r[8],
    )


@kernel
def sym_vec(s, a):
    """Return S a for a symmetric S given as (xx, yy, zz, xy, xz, yz)."""
    return (
        s[0] * a[0] + s[3] * a[1] + s[4] * a[2],
        s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
        s[4] * a[0] + s[5] * a[1] + s[2] * a[2],
    )
