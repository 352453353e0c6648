"""Columns for a sweep over many bodies: pairs that overlap on the swept axis and are near on the others.

A column of cells stands on each square of the two axes that are not swept. When the sweep reaches a body, it
compares it with earlier ones in the columns that its box touches, and lists it there. Entries that the sweep
has passed are removed when they are met. A pair that shares several columns counts in the one where its
overlap begins. Bodies too wide for the columns are compared with all others.
"""

from math import floor

from tribo.compiler.jit import kernel

SPAN = 4  # most columns that a box may touch along one axis
SLOTS = SPAN * SPAN  # most columns that a body may touch
COLUMN_WIDTH = 2.0  # [-] side of a column over the mean size of a box
CLIP = 8.0  # [-] of the mean, at which sizes are clipped
FAR = 1e9  # columns from the origin, beyond which a body counts as too wide


@kernel
def column_side(work, y, z):
    """Return the side of a column, a multiple of the mean size, in which a few large bodies hardly count."""
    bound = work.body_bound
    n = work.sweep_count[0]
    most = 1e300
    side = 0.0
    for _ in range(4):
        total = 0.0
        for k in range(n):
            i = work.sweep_order[k]
            size = max(bound[i, 3 + y] - bound[i, y], bound[i, 3 + z] - bound[i, z])
            if size <= most:
                total += size
            elif size > most:
                total += most
        side = COLUMN_WIDTH * total / n
        most = CLIP * total / n
    return side


@kernel
def first_column(work, i, axis, side):
    """Return the first column of body i along an axis and the number it touches (0: too many)."""
    low = work.body_bound[i, axis] / side
    high = work.body_bound[i, 3 + axis] / side
    if not (abs(low) < FAR and abs(high) < FAR):
        return 0, 0
    first = floor(low)
    count = floor(high) - first + 1
    return first, count if count <= SPAN else 0


@kernel
def bucket(work, column_y, column_z):
    """Return the list of a column (a hash); distant columns may share a list."""
    return (column_y * 73856093 + column_z * 19349663) % work.sweep_head.shape[0]
