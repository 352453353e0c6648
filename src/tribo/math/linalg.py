"""Tiny dense solves on tuples."""

from tribo.compiler.jit import kernel


@kernel
def sym_inverse(s):
    """Return the inverse of a symmetric 3×3 matrix; both as (xx, yy, zz, xy, xz, yz)."""
    a = s[1] * s[2] - s[5] * s[5]
    b = s[4] * s[5] - s[3] * s[2]
    c = s[3] * s[5] - s[4] * s[1]
    inv = 1.0 / (s[0] * a + s[3] * b + s[4] * c)
    return (
        a * inv,
        (s[0] * s[2] - s[4] * s[4]) * inv,
        (s[0] * s[1] - s[3] * s[3]) * inv,
        b * inv,
        c * inv,
        (s[3] * s[4] - s[0] * s[5]) * inv,
    )
