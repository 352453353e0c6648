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

BEST, ROUND = 0, 1  # what impulses are kept for
ROUNDS = 10
FIRST_STIFFNESS = 10.0  # [–] of a round, in units of the inverse of a contact's own G
STIFFER = 10.0
MAX_STIFFNESS = 1e5
GOOD = 10.0  # [–] of the limit: where rounds end
POLISH_FROM = 1e3  # [–] stiffness whose result is a good start for the polish


@kernel
def keep(work, t, slot):
    """Remember the present impulses.

    Writes: work.
    """
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        for a in range(3):
            work.contact_kept[slot, c, a] = work.contact_impulse[c, a]
            work.contact_kept[slot, c, 3 + a] = work.contact_spin_impulse[c, a]
    for k in range(work.island_limit_start[t], work.island_limit_start[t + 1]):
        n = work.island_limit[k]
        work.limit_kept[slot, n] = work.limit_impulse[n]


@kernel
def go_back(model, work, t, count, slot):
    """Return to impulses that were kept.

    Writes: work.
    """
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        for a in range(3):
            work.contact_impulse[c, a] = work.contact_kept[slot, c, a]
            work.contact_spin_impulse[c, a] = work.contact_kept[slot, c, 3 + a]
    for k in range(work.island_limit_start[t], work.island_limit_start[t + 1]):
        n = work.island_limit[k]
        work.limit_impulse[n] = work.limit_kept[slot, n]
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
def take_better(model, work, t, count, best):
    """Keep the present impulses if they are better than the best so far; return the least violation.

    Writes: work.
    """
    into_cones(model, work, t, count)
    worst = violation(model, work, t)
    if not worst < best:
        return best
    keep(work, t, BEST)
    return worst


@kernel
def solve_pile(model, work, t, limit):
    """Solve island t from the present impulses; return whether it is solved to about `limit` [m/s].

    If not, the impulses are the best that were found.

    Writes: work.
    """
    count = blocks.prepare(model, work, t)
    if count == 0:
        return False
    best = take_better(model, work, t, count, inf)
    polish(model, work, t, count, limit)
    best = take_better(model, work, t, count, best)
    if best <= limit:
        return True
    go_back(model, work, t, count, BEST)
    enough = 0.01 * limit * limit / largest_block(work, t)
    rho = FIRST_STIFFNESS
    for _ in range(ROUNDS):
        if convex_round(model, work, t, count, rho, enough) < 0.0:
            break
        if rho >= POLISH_FROM:
            keep(work, t, ROUND)
            assembly.settle(model, work, t, count)
            best = take_better(model, work, t, count, best)
            polish(model, work, t, count, limit)
            best = take_better(model, work, t, count, best)
            if best <= GOOD * limit:
                break
            go_back(model, work, t, count, ROUND)
        rho = min(STIFFER * rho, MAX_STIFFNESS)
    go_back(model, work, t, count, BEST)
    return best <= GOOD * limit
