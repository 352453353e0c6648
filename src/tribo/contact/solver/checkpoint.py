"""Copies of the impulses of an island, to return to."""

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.islands import contacts_in, scalars_in

BEST, SWEPT, DIRECTION = range(3)  # slots: the best; before a sweep; direction of conjugate sweeps


@kernel
def save_impulses(work, t, slot):
    """Copy the present impulses of island t to a slot.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        for a in range(3):
            work.contact_kept[slot, c, a] = work.contact_impulse[c, a]
            work.contact_kept[slot, c, 3 + a] = work.contact_spin_impulse[c, a]
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_kept[slot, n] = work.scalar_impulse[n]


@kernel
def load_impulses(model, work, t, count, slot):
    """Restore the impulses of island t from a slot, and recompute the response of its `count` nodes.

    Writes: work.
    """
    kept = work.contact_kept
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        for a in range(3):
            work.contact_impulse[c, a] = kept[slot, c, a]
            work.contact_spin_impulse[c, a] = kept[slot, c, 3 + a]
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_impulse[n] = work.scalar_kept[slot, n]
    island_sums.sum_response(model, work, t, count)
