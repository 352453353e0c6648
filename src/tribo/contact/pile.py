"""An island of any size as one sparse problem: a polish from where it stands, else rounds from soft to hard.

What is best so far is kept, so that a way that leads nowhere costs time only.
"""

from math import inf, sqrt

from tribo.contact import assembly, blocks
from tribo.contact.polish import polish
from tribo.contact.proximal import convex_round
from tribo.contact.violation import largest_block, spin_law, violation
from tribo.jit import kernel
from tribo.math import vec

ROUNDS = 10
FIRST_STIFFNESS = 10.0  # [–] of a round, in units of the inverse of a contact's own G
STIFFER = 10.0
MAX_STIFFNESS = 1e5
POLISH_FROM = 1e3  # [–] stiffness whose result is a good start for the polish


@kernel
def keep(model, work, t, count):
    """Remember the present impulses.

    Writes: work.
    """
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        for a in range(3):
            work.contact_kept[c, a] = work.contact_impulse[c, a]
            work.contact_kept[c, 3 + a] = work.contact_spin_impulse[c, a]
    for k in range(work.island_limit_start[t], work.island_limit_start[t + 1]):
        work.limit_kept[work.island_limit[k]] = work.limit_impulse[work.island_limit[k]]


@kernel
def go_back(model, work, t, count):
    """Return to the impulses that were kept.

    Writes: work.
    """
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        for a in range(3):
            work.contact_impulse[c, a] = work.contact_kept[c, a]
            work.contact_spin_impulse[c, a] = work.contact_kept[c, 3 + a]
    for k in range(work.island_limit_start[t], work.island_limit_start[t + 1]):
        work.limit_impulse[work.island_limit[k]] = work.limit_kept[work.island_limit[k]]
    assembly.settle(model, work, t, count)


@kernel
def into_cones(model, work, t, count):
    """Pull impulses that round-off left outside their bounds back onto them.

    Writes: work.
    """
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        mu = work.contact_friction[c]
        x = vec.load(work.contact_impulse, c)
        n = max(0.0, x[2])
        s = sqrt(x[0] * x[0] + x[1] * x[1])
        f = mu * n / s if s > mu * n else 1.0
        vec.store(work.contact_impulse, c, (f * x[0], f * x[1], n))
        if work.contact_is_spun[c] == 1:
            torque = vec.load(work.contact_spin_impulse, c)
            roll = work.contact_rolling[c] * n
            spin = work.contact_spinning[c] * n
            vec.store(work.contact_spin_impulse, c, spin_law(roll, spin, torque))
    for k in range(work.island_limit_start[t], work.island_limit_start[t + 1]):
        n = work.island_limit[k]
        work.limit_impulse[n] = max(0.0, work.limit_impulse[n])
    assembly.settle(model, work, t, count)


@kernel
def try_polish(model, work, t, count, limit, kept):
    """Polish from the kept impulses; return the violation of what is kept afterwards.

    Writes: work.
    """
    worst = polish(model, work, t, count, limit)
    if worst <= limit:
        into_cones(model, work, t, count)
        worst = violation(model, work, t)
    if worst < kept:
        into_cones(model, work, t, count)
        keep(model, work, t, count)
        return worst
    go_back(model, work, t, count)
    return kept


@kernel
def solve_pile(model, work, t, limit):
    """Solve island t from the present impulses; return whether it is solved to `limit` [m/s].

    If not, the impulses are the best that were found.

    Writes: work.
    """
    count = blocks.prepare(model, work, t)
    if count == 0:
        return False
    keep(model, work, t, count)
    kept = try_polish(model, work, t, count, limit, violation(model, work, t))
    if kept <= limit:
        return True
    enough = 0.01 * limit * limit / largest_block(work, t)
    rho = FIRST_STIFFNESS
    for _ in range(ROUNDS):
        if convex_round(model, work, t, count, rho, enough) < 0.0:
            break
        if rho >= POLISH_FROM:
            keep(model, work, t, count)
            assembly.settle(model, work, t, count)
            kept = try_polish(model, work, t, count, limit, inf)
            if kept <= limit:
                return True
        rho = min(STIFFER * rho, MAX_STIFFNESS)
    return False
