"""Six numbers side by side, four and two: a spatial vector, or six entries of a row, in two registers.

A row that was written a moment ago is read fast only in the pieces in which it was written
(`lane_rows`): six numbers are written and read here as four and two.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import filled, high, load2, load4, low, spread2, spread4, store2, store4, total


@kernel
def zero():
    """Return six zeros."""
    return spread4(0.0), spread2(0.0)


@kernel
def load_at(array, k):
    """Return the k-th number of a field, counted row by row, and the five after it."""
    return load4(array, k), load2(array, k + 4)


@kernel
def store_at(array, k, a):
    """Write the k-th number of a field, counted row by row, and the five after it.

    Writes: array.
    """
    store4(array, k, a[0])
    store2(array, k + 4, a[1])


@kernel
def load(array, i):
    """Return row i of an (n, 6) array."""
    return load_at(array, 6 * i)


@kernel
def store(array, i, a):
    """Write row i of an (n, 6) array.

    Writes: array.
    """
    store_at(array, 6 * i, a)


@kernel
def put(array, i, a):
    """Write six numbers of a tuple into row i of an (n, 6) array.

    Writes: array.
    """
    store4(array, 6 * i, filled(a[0], a[1], a[2], a[3]))
    store2(array, 6 * i + 4, low(filled(a[4], a[5], a[4], a[5])))


@kernel
def scale(s, a):
    """Return s a."""
    return s * a[0], s * a[1]


@kernel
def axpy(s, a, b):
    """Return s a + b."""
    return s * a[0] + b[0], s * a[1] + b[1]


@kernel
def add(a, b):
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1]


@kernel
def dot(a, b):
    """Return the sum of the products."""
    four = a[0] * b[0]
    return total((low(four) + high(four)) + a[1] * b[1])


@kernel
def add_row(array, to, i):
    """Add row i of an (n, 6) array to another one.

    Writes: array.
    """
    store(array, to, add(load(array, to), load(array, i)))
