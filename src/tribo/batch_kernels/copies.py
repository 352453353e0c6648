"""Copies of worlds over worlds: one call for all fields and all worlds."""

from tribo.compiler.jit import entry
from tribo.compiler.record import copy_words


@entry
def copy_worlds(table, rows, entries):
    """Copy an entry of each source over a world of each target.

    Args:
        table: By field: address and bytes from world to world of the target, the same of the source, and how
            many words of 8 bytes a source has for each world, (fields, 5).
        rows: Worlds of the targets, (n,).
        entries: Which entry of the sources goes there, (n,).
    """
    for k in range(rows.shape[0]):
        for f in range(table.shape[0]):
            copy_words(
                table[f, 0] + rows[k] * table[f, 1], table[f, 2] + entries[k] * table[f, 3], table[f, 4]
            )
