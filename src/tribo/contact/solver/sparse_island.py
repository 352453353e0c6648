"""An island of any size as one sparse problem: a polish from where it stands, else rounds from soft to hard.

What is best so far is kept, so that a way that leads nowhere costs time only.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.whitened_products import within
from tribo.contact.solver import block_matrix, coulomb_cone
from tribo.contact.solver.checkpoint import BEST, ROUND, go_back, keep
from tribo.contact.solver.convex_rounds import convex_round
from tribo.contact.solver.natural_residual import (
    ENOUGH,
    GOOD,
    largest_block,
    spin_law,
    violation,
)
from tribo.contact.solver.newton_refinement import polish
from tribo.math import vec

ROUNDS = 10
FIRST_STIFFNESS = 10.0  # [–] of a round, in units of the inverse of a contact's own G
STIFFER = 10.0
MAX_STIFFNESS = 1e5
MAX_WORK = 1e8  # multiplications of the Newton steps after which no round begins: about 60 ms
POLISH_FROM = 1e3  # [–] stiffness whose result is a good start for the polish


@kernel
def into_cones(model, work, t, count):
    """Pull impulses that round-off left outside their bounds back onto them.

    Writes: work.
    """
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        impulse = coulomb_cone.into_cone(
            work.contact_friction[c], vec.load(work.contact_impulse, c)
        )
        vec.store(work.contact_impulse, c, impulse)
        if work.contact_is_spun[c] == 1:
            torque = vec.load(work.contact_spin_impulse, c)
            roll = work.contact_rolling[c] * impulse[2]
            spin = work.contact_spinning[c] * impulse[2]
            vec.store(work.contact_spin_impulse, c, spin_law(roll, spin, torque))
    for k in range(work.island_scalar_start[t], work.island_scalar_start[t + 1]):
        n = work.island_scalar[k]
        work.scalar_impulse[n] = within(work, n, work.scalar_impulse[n])
    island_sums.settle(model, work, t, count)


@kernel
def take_better(model, work, t, count, best):
    """Keep the present impulses if they are the best so far; return their violation and the least [m/s].

    Writes: work.
    """
    into_cones(model, work, t, count)
    worst = violation(model, work, t)
    if not worst < best:
        return worst, best
    keep(work, t, BEST)
    return worst, worst


@kernel
def solve_pile(model, work, t, budget, limit):
    """Solve island t from the present impulses; return whether it is solved to about `limit` [m/s].

    If not, the impulses are the best that were found. A round begins only while less than `budget`
    Newton steps have been made, fewer if each is long.

    Writes: work.
    """
    count = block_matrix.prepare(model, work, t)
    if count == 0:
        return False
    first = work.newton_steps[0]
    worst, best = take_better(model, work, t, count, inf)
    polish(model, work, t, count, limit, worst)
    worst, best = take_better(model, work, t, count, best)
    if best <= limit:
        return True
    go_back(model, work, t, count, BEST, 1.0)
    enough = 0.01 * limit * limit / largest_block(work, t)
    rho = FIRST_STIFFNESS
    is_all = False
    for _ in range(ROUNDS):
        steps = work.newton_steps[0] - first
        if steps >= budget or steps * work.factor_work[0] > MAX_WORK:
            break
        if convex_round(model, work, t, count, rho, enough) < 0.0:
            break
        if rho >= POLISH_FROM:
            before = best
            keep(work, t, ROUND)
            island_sums.settle(model, work, t, count)
            worst, best = take_better(model, work, t, count, best)
            polish(model, work, t, count, limit, worst)
            worst, best = take_better(model, work, t, count, best)
            is_all = (
                best <= ENOUGH * limit and best > 0.5 * before
            )  # no round takes away what is left
            if is_all or best <= GOOD * limit:
                break
            go_back(model, work, t, count, ROUND, 1.0)
        rho = min(STIFFER * rho, MAX_STIFFNESS)
    go_back(model, work, t, count, BEST, 1.0)
    return is_all or best <= GOOD * limit
