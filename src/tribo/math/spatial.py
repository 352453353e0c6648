"""Spatial vectors as 6-tuples (angular, linear); inertias as (m, m c, I) about the same point.

All quantities of a tree are taken about one fixed point, its origin, in world axes. Then no
transforms are needed between bodies: inertias, velocities and forces simply add up.
Source: Featherstone 2008, chapter 2.
"""

from tribo.compiler.jit import kernel


@kernel
def load(array, i):
    """Return row i of an (n, 6) array."""
    return (array[i, 0], array[i, 1], array[i, 2], array[i, 3], array[i, 4], array[i, 5])


@kernel
def store(array, i, a):
    """Write a 6-tuple into row i of an (n, 6) array.

    Writes: array.
    """
    array[i, 0] = a[0]
    array[i, 1] = a[1]
    array[i, 2] = a[2]
    array[i, 3] = a[3]
    array[i, 4] = a[4]
    array[i, 5] = a[5]


@kernel
def accumulate(array, i, a):
    """Add a 6-tuple to row i of an (n, 6) array.

    Writes: array.
    """
    array[i, 0] += a[0]
    array[i, 1] += a[1]
    array[i, 2] += a[2]
    array[i, 3] += a[3]
    array[i, 4] += a[4]
    array[i, 5] += a[5]


@kernel
def dot(a, b):
    """Return the power of a force on a motion (or the plain scalar product)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def axpy(s, a, b):
    """Return s a + b."""
    return (
        s * a[0] + b[0],
        s * a[1] + b[1],
        s * a[2] + b[2],
        s * a[3] + b[3],
        s * a[4] + b[4],
        s * a[5] + b[5],
    )


@kernel
def cross_motion(v, m):
    """Return v × m, the rate of a motion vector carried along with velocity v."""
    return (
        v[1] * m[2] - v[2] * m[1],
        v[2] * m[0] - v[0] * m[2],
        v[0] * m[1] - v[1] * m[0],
        v[1] * m[5] - v[2] * m[4] + v[4] * m[2] - v[5] * m[1],
        v[2] * m[3] - v[0] * m[5] + v[5] * m[0] - v[3] * m[2],
        v[0] * m[4] - v[1] * m[3] + v[3] * m[1] - v[4] * m[0],
    )


@kernel
def cross_force(v, f):
    """Return v ×* f, the rate of a force vector carried along with velocity v."""
    return (
        v[1] * f[2] - v[2] * f[1] + v[4] * f[5] - v[5] * f[4],
        v[2] * f[0] - v[0] * f[2] + v[5] * f[3] - v[3] * f[5],
        v[0] * f[1] - v[1] * f[0] + v[3] * f[4] - v[4] * f[3],
        v[1] * f[5] - v[2] * f[4],
        v[2] * f[3] - v[0] * f[5],
        v[0] * f[4] - v[1] * f[3],
    )


@kernel
def times(inertia, m):
    """Return the momentum I m of an inertia (m, m c, I)."""
    mass, cx, cy, cz, xx, yy, zz, xy, xz, yz = inertia
    return (
        xx * m[0] + xy * m[1] + xz * m[2] + cy * m[5] - cz * m[4],
        xy * m[0] + yy * m[1] + yz * m[2] + cz * m[3] - cx * m[5],
        xz * m[0] + yz * m[1] + zz * m[2] + cx * m[4] - cy * m[3],
        mass * m[3] - cy * m[2] + cz * m[1],
        mass * m[4] - cz * m[0] + cx * m[2],
        mass * m[5] - cx * m[1] + cy * m[0],
    )


@kernel
def load_inertia(array, i):
    """Return row i of an (n, 10) array."""
    return (
        array[i, 0], array[i, 1], array[i, 2], array[i, 3], array[i, 4],
        array[i, 5], array[i, 6], array[i, 7], array[i, 8], array[i, 9],
    )  # fmt: skip


@kernel
def inertia_times(array, i, m):
    """Return the momentum I m of the inertia in row i of an (n, 10) array."""
    return times(load_inertia(array, i), m)
