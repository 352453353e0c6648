"""Tiny dense solves on tuples."""

from tribo.compiler.jit import kernel

# A sum of n products errs by n ε of the largest, ε = 2.2e-16: what is smaller is round-off.
ROUND_OFF = 1e-12  # [–] n ε, n = 4500 products; [m, m/s] beside positions and speeds near one
ALIKE = 1e-6  # [–] √ROUND_OFF, of lengths: the square of a shorter one is round-off
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
