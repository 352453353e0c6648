"""Bodies of a tree that are computed side by side, up to four at a time.

The four legs of a quadruped are independent: the four thighs are computed at once, each in a lane of a
register (`math/lane_rows.py`), then the four shanks. `Model.abreast_body` lists the bodies of a tree with
parents first, `abreast_size` how many from here on are *abreast*, three or four: they have one-dof joints of
the same kind, and none is an ancestor of another. Other bodies, as all links of a chain, are computed alone.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import filled


@kernel
def four_bodies(model, k, size):
    """Return the four bodies that are abreast from index k on; a missing one repeats the last."""
    last = k + size - 1
    body = model.abreast_body
    return (body[k], body[min(k + 1, last)], body[min(k + 2, last)], body[last])


@kernel
def four_from(i, last):
    """Return four bodies from body i on; those beyond `last` repeat it."""
    return (i, min(i + 1, last), min(i + 2, last), min(i + 3, last))


@kernel
def load_four(table, rows):
    """Return four entries of an integer array (n,)."""
    return (table[rows[0]], table[rows[1]], table[rows[2]], table[rows[3]])


@kernel
def lane_weights(i, last):
    """Return 1 in the lanes of `four_from` with a body of their own, 0 in repeated ones."""
    return filled(1.0, 1.0 * (i + 1 <= last), 1.0 * (i + 2 <= last), 1.0 * (i + 3 <= last))
