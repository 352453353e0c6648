"""Impulses of an island that are kept to come back to."""

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.islands import contacts_in, scalars_in

BEST, STEP = 0, 1  # the best, those before a Newton step
SWEPT, WAY = 2, 3  # those before a sweep, and the way on which sweeps go on


@kernel
def keep(work, t, slot):
    """Remember the present impulses.

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
def between(old, new, part):
    """Return a number a part of the way back from new to old; 1: old itself, though new be no number."""
    return old if part == 1.0 else (1.0 - part) * new + part * old


@kernel
def go_back(model, work, t, count, slot, part):
    """Go a part of the way back to impulses that were kept; 1: all of it.

    Writes: work.
    """
    impulse = work.contact_impulse
    torque = work.contact_spin_impulse
    kept = work.contact_kept
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        for a in range(3):
            impulse[c, a] = between(kept[slot, c, a], impulse[c, a], part)
            torque[c, a] = between(kept[slot, c, 3 + a], torque[c, a], part)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_impulse[n] = between(work.scalar_kept[slot, n], work.scalar_impulse[n], part)
    island_sums.sum_response(model, work, t, count)
