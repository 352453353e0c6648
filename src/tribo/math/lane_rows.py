"""Four rows of a table side by side: each number of four vectors or matrices in the lanes of one register.

A vector of four bodies is a tuple as in `vec`, whose numbers are lanes (`compiler/lanes.py`): the kernels of
`vec` and `spatial` take either. Rows are named by a tuple of four; one that is missing is the last one
again, and is written with the same numbers.

A value written a moment ago is read fast only in the pieces in which it was written, or in parts of them: a
row of 6 is written and read here as 4 and 2 numbers, one of 9 as 4, 4 and 1, one of 10 as 4, 4 and 2; so are
single rows (`put_mat`, `six.put`) that are read four at a time soon after.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import (
    chosen,
    filled,
    gathered,
    high,
    load2,
    load4,
    low,
    number,
    paired,
    scattered,
    spread4,
    store2,
    store4,
    total,
    transposed,
    transposed2,
)

LANES = 4


@kernel
def numbers(array, rows):
    """Return one number of each row of an (n,) array."""
    return gathered(array, rows[0], rows[1], rows[2], rows[3])


@kernel
def numbers_at(array, width, column, rows):
    """Return the numbers in a column of four rows of an (n, width) array."""
    return gathered(
        array,
        width * rows[0] + column,
        width * rows[1] + column,
        width * rows[2] + column,
        width * rows[3] + column,
    )


@kernel
def put_numbers_at(array, width, column, rows, x):
    """Write the numbers in a column of four rows of an (n, width) array.

    Writes: array.
    """
    scattered(
        array,
        width * rows[0] + column,
        width * rows[1] + column,
        width * rows[2] + column,
        width * rows[3] + column,
        x,
    )


@kernel
def fours(array, width, column, rows):
    """Return the numbers in four columns of four rows of an (n, width) array."""
    return transposed(
        load4(array, width * rows[0] + column),
        load4(array, width * rows[1] + column),
        load4(array, width * rows[2] + column),
        load4(array, width * rows[3] + column),
    )


@kernel
def put_fours(array, width, column, rows, a, b, c, d):
    """Write the numbers in four columns of four rows of an (n, width) array, the last row first.

    Writes: array.
    """
    x = transposed(a, b, c, d)
    store4(array, width * rows[3] + column, x[3])
    store4(array, width * rows[2] + column, x[2])
    store4(array, width * rows[1] + column, x[1])
    store4(array, width * rows[0] + column, x[0])


@kernel
def twos(array, width, column, rows):
    """Return the numbers in two columns of four rows of an (n, width) array."""
    return transposed2(
        load2(array, width * rows[0] + column),
        load2(array, width * rows[1] + column),
        load2(array, width * rows[2] + column),
        load2(array, width * rows[3] + column),
    )


@kernel
def put_twos(array, width, column, rows, a, b):
    """Write the numbers in two columns of four rows of an (n, width) array, the last row first.

    Writes: array.
    """
    x = paired(a, b)
    store2(array, width * rows[3] + column, x[3])
    store2(array, width * rows[2] + column, x[2])
    store2(array, width * rows[1] + column, x[1])
    store2(array, width * rows[0] + column, x[0])


@kernel
def spread3(a):
    """Return the same vector in all lanes."""
    return (spread4(a[0]), spread4(a[1]), spread4(a[2]))


@kernel
def whole(x):
    """Return the sum of four lanes."""
    return total(low(x) + high(x))


@kernel
def whole3(a):
    """Return the sum of four vectors."""
    return (whole(a[0]), whole(a[1]), whole(a[2]))


@kernel
def load3(array, rows):
    """Return four rows of an (n, 3) array."""
    return (numbers_at(array, 3, 0, rows), numbers_at(array, 3, 1, rows), numbers_at(array, 3, 2, rows))


@kernel
def store3(array, rows, a):
    """Write four rows of an (n, 3) array.

    Writes: array.
    """
    put_numbers_at(array, 3, 0, rows, a[0])
    put_numbers_at(array, 3, 1, rows, a[1])
    put_numbers_at(array, 3, 2, rows, a[2])


@kernel
def load6(array, rows):
    """Return four rows of an (n, 6) array."""
    a = fours(array, 6, 0, rows)
    b = twos(array, 6, 4, rows)
    return (a[0], a[1], a[2], a[3], b[0], b[1])


@kernel
def store6(array, rows, a):
    """Write four rows of an (n, 6) array.

    Writes: array.
    """
    put_fours(array, 6, 0, rows, a[0], a[1], a[2], a[3])
    put_twos(array, 6, 4, rows, a[4], a[5])


@kernel
def load_mat(array, rows):
    """Return four rows of an (n, 9) array as row-major matrices."""
    a = fours(array, 9, 0, rows)
    b = fours(array, 9, 4, rows)
    return (a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], numbers_at(array, 9, 8, rows))


@kernel
def store_mat(array, rows, m):
    """Write row-major matrices into four rows of an (n, 9) array.

    Writes: array.
    """
    put_fours(array, 9, 0, rows, m[0], m[1], m[2], m[3])
    put_fours(array, 9, 4, rows, m[4], m[5], m[6], m[7])
    put_numbers_at(array, 9, 8, rows, m[8])


@kernel
def load10(array, rows):
    """Return four rows of an (n, 10) array."""
    a = fours(array, 10, 0, rows)
    b = fours(array, 10, 4, rows)
    c = twos(array, 10, 8, rows)
    return (a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], c[1])


@kernel
def store10(array, rows, a):
    """Write four rows of an (n, 10) array.

    Writes: array.
    """
    put_fours(array, 10, 0, rows, a[0], a[1], a[2], a[3])
    put_fours(array, 10, 4, rows, a[4], a[5], a[6], a[7])
    put_twos(array, 10, 8, rows, a[8], a[9])


@kernel
def put_mat(array, i, m):
    """Write a row-major matrix into row i of an (n, 9) array.

    Writes: array.
    """
    store4(array, 9 * i, filled(m[0], m[1], m[2], m[3]))
    store4(array, 9 * i + 4, filled(m[4], m[5], m[6], m[7]))
    array[i, 8] = m[8]


@kernel
def copy_ten(copy, array, i):
    """Copy row i of an (n, 10) array into that of another one.

    Writes: copy.
    """
    store4(copy, 10 * i, load4(array, 10 * i))
    store4(copy, 10 * i + 4, load4(array, 10 * i + 4))
    store2(copy, 10 * i + 8, load2(array, 10 * i + 8))


@kernel
def add_ten(array, to, i):
    """Add a row of an (n, 10) array to another one.

    Writes: array.
    """
    store4(array, 10 * to, load4(array, 10 * to) + load4(array, 10 * i))
    store4(array, 10 * to + 4, load4(array, 10 * to + 4) + load4(array, 10 * i + 4))
    store2(array, 10 * to + 8, load2(array, 10 * to + 8) + load2(array, 10 * i + 8))


@kernel
def sum4(four):
    """Return the sum of four lanes."""
    return (number(four, 0) + number(four, 1)) + (number(four, 2) + number(four, 3))


@kernel
def clamp4(own, lower, upper):
    """Clamp four numbers between bounds, lane by lane."""
    own = chosen(own < lower, lower, own)
    return chosen(upper < own, upper, own)
