"""Bodies of a tree that are computed side by side, up to four at a time.

The four legs of a quadruped do not wait for one another: what is computed for a thigh is computed for all
thighs at once, each in a lane of the processor's registers (`math/lane_rows.py`). `Model.abreast_body` lists
the bodies of a tree in an order in which parents come first, `abreast_size` how many from here on are
abreast, three or four: they have joints of the same kind, with one dof, and no one of them moves another.
A body without equals is alone, as all links of a chain are.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import filled


@kernel
def four_bodies(model, k, size):
    """Return the four bodies that are abreast from place k on; one that is missing is the last one again."""
    last = k + size - 1
    body = model.abreast_body
    return (body[k], body[min(k + 1, last)], body[min(k + 2, last)], body[last])


@kernel
def four_from(i, last):
    """Return four bodies from body i on, up to the last one of a tree, which stands for those beyond."""
    return (i, min(i + 1, last), min(i + 2, last), min(i + 3, last))


@kernel
def load_four(table, rows):
    """Return whole numbers of four rows of an (n,) array."""
    return (table[rows[0]], table[rows[1]], table[rows[2]], table[rows[3]])


@kernel
def lane_weights(i, last):
    """Return 1 in the lanes of `four_from` that stand for a body of their own, 0 in the others."""
    return filled(1.0, 1.0 * (i + 1 <= last), 1.0 * (i + 2 <= last), 1.0 * (i + 3 <= last))
