"""Unit quaternions as tuples (w, x, y, z); Hamilton product; q rotates body axes into world axes."""

from math import atan2, cos, sin, sqrt

from tribo.compiler.jit import kernel

# [rad] below this rotation angle sin(x/2)/x is replaced by its series (error < 1e-17).
SMALL_ANGLE = 1e-4
SERIES_ANGLE = 0.05  # [rad] up to here four terms of sine and cosine are exact to 1e-17


@kernel
def load(array, i):
    """Return four consecutive entries of a 1-D array starting at i."""
    return (array[i], array[i + 1], array[i + 2], array[i + 3])


@kernel
def store(array, i, q):
    """Write a quaternion into a 1-D array at i.

    Writes: array.
    """
    array[i] = q[0]
    array[i + 1] = q[1]
    array[i + 2] = q[2]
    array[i + 3] = q[3]


@kernel
def mul(a, b):
    """Return a ⊗ b."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def normalize(q):
    """Return q/‖q‖."""
    s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * s, q[1] * s, q[2] * s, q[3] * s)


@kernel
def exp(a):
    """Return the unit quaternion of the rotation vector a [rad].   (cos ‖a‖/2, sin(‖a‖/2) a/‖a‖)"""
    angle = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])
    if angle < SERIES_ANGLE:
        h = 0.25 * angle * angle
        s = 0.5 * (1.0 - h / 6.0 * (1.0 - h / 20.0 * (1.0 - h / 42.0)))
        c = 1.0 - h / 2.0 * (1.0 - h / 12.0 * (1.0 - h / 30.0))
        return (c, s * a[0], s * a[1], s * a[2])
    s = sin(0.5 * angle) / angle
    return (cos(0.5 * angle), s * a[0], s * a[1], s * a[2])


@kernel
def cayley(a):
    """Return the unit quaternion of the Cayley rotation of a [rad]: tan(angle/2) = ‖a‖/2."""
    return normalize((1.0, 0.5 * a[0], 0.5 * a[1], 0.5 * a[2]))


@kernel
def to_matrix(q):
    """Return the rotation matrix of a unit quaternion, row-major."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@kernel
def rotation_vector(m):
    """Return the rotation vector [rad] of a rotation matrix."""
    x = m[7] - m[5]
    y = m[2] - m[6]
    z = m[3] - m[1]
    s = sqrt(x * x + y * y + z * z)
    angle = atan2(s, m[0] + m[4] + m[8] - 1.0)
    k = angle / s if s > 1e-12 else 0.5
    return (k * x, k * y, k * z)
