"""An island of many dofs as one sparse problem: Newton's method, and turns of its steps and sweeps.

The best impulses so far are kept, so that a failed attempt costs time only, and a bounded one. If none
leads to a solution, there is an answer all the same: impulses in their cones that bring no energy.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.islands import contacts_in
from tribo.contact.solver import block_matrix
from tribo.contact.solver.alternation import into_cones, take_turns
from tribo.contact.solver.block_matrix import (
    MANY,
    MAX_NODES,
    MAX_WORK,
    MOVING_NODES,
    MOVING_WORK,
)
from tribo.contact.solver.checkpoint import BEST, go_back, keep
from tribo.contact.solver.conjugate_sweeps import sweep_far
from tribo.contact.solver.gauss_seidel_iteration import start_cold
from tribo.contact.solver.natural_residual import ENOUGH, FLAGGED, violation
from tribo.contact.solver.newton_refinement import IDLE, refine
from tribo.enums import Answer, Origin, Trees

UNSOLVED, SOLVED, TOO_LARGE = int(Answer.UNSOLVED), int(Answer.SOLVED), int(Answer.TOO_LARGE)
MOVING = int(Trees.MOVING)
LAST_ROUND, NOTHING = int(Origin.LAST_ROUND), int(Origin.NOTHING)

LONG = 30  # Newton steps from the last step's impulses, and from where turns have come
SHORT = 10  # from where far sweeps, or a round, have come
TURNS = 8  # of sweeps and Newton steps in turns
FEW_TURNS = 4  # of an island that moves and whose factor is dear
ENOUGH_SAID = 0.5  # [–] of what has to be said: nearer, the turns of an island that moves end
AGAIN = 5  # times that turns begin anew
FAR_SWEEPS = 60  # before the first of these
FAR_VISITS = 1e6  # to contacts, of far sweeps in a row at most: about 20 ms
SPUN = 10  # visits that one to a contact with rolling friction costs
LARGE = 2e5  # multiplications of a factor: about 0.15 ms
HOPELESS = 0.1  # [–] of the speed that the island removes: a violation there beyond it stays


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
def improve(model, work, t, count, limit, best, steps, patience):
    """Follow Newton's method from the present impulses; return the least violation so far [m/s].

    Its impulses are at hand then.

    Writes: work.
    """
    worst, best = take_better(model, work, t, count, best)
    refine(model, work, t, count, limit, worst, steps, patience)
    worst, best = take_better(model, work, t, count, best)
    go_back(model, work, t, count, BEST, 1.0)
    return best


@kernel
def turn(model, work, t, count, limit, best, turns, k):
    """Make turns from the present impulses; return the least violation so far [m/s], whose impulses are kept.

    From the second time on, k = 1, 2, …, from elsewhere: sweeps of conjugate gradients lead there, twice as
    many each time, and half as many turns follow.

    Writes: work.
    """
    if k > 0:
        sweep_far(model, work, t, count, FAR_SWEEPS << (k - 1), limit)
        turns //= 2
    return take_turns(model, work, t, count, limit, best, turns)


@kernel
def near_enough(work, limit):
    """Return the violation [m/s] from which on steps go on only as long as they take something away.

    Never more than what has to be said, unless the user asks for no more.
    """
    return max(limit, min(ENOUGH * limit, FLAGGED * work.removed_speed[0]))


@kernel
def visits(work, t):
    """Return what a sweep over island t costs, in visits to contacts without rolling friction (20 ns)."""
    count = 0
    for k in contacts_in(work, t):
        count += SPUN if work.contact_is_spun[work.island_contact[k]] == 1 else 1
    return count


@kernel
def solve_moving(model, work, t, count, limit):
    """Solve island t, of many trees, that moves; return whether that is near enough.

    It is another problem in the next step: half of what would be said is near. Turns begin anew, from where
    sweeps lead that are twice as far each time, until that is reached.

    Writes: work.
    """
    speed = work.removed_speed[0]
    said = max(limit, FLAGGED * speed)
    near = max(limit, ENOUGH_SAID * said)
    turns = TURNS if work.factor_work[0] <= LARGE else FEW_TURNS
    if work.island_origin[t] == LAST_ROUND:  # a good start
        turns //= 2
    best = inf
    most = FAR_VISITS / visits(work, t)
    for k in range(1 + AGAIN):
        best = turn(model, work, t, count, near, best, turns, k)
        if best <= said or (k > 0 and best > HOPELESS * speed) or FAR_SWEEPS << k > most:
            break
    go_back(model, work, t, count, BEST, 1.0)
    return best <= said


@kernel
def solve_resting(model, work, t, count, limit):
    """Solve island t, of few trees or of many that rest or are tied to one another; return success.

    Writes: work.
    """
    near = near_enough(work, limit)
    best = inf
    if work.factor_work[0] <= LARGE or count <= MANY:
        best = improve(model, work, t, count, limit, best, LONG, SHORT)
    if best > near:
        best = turn(model, work, t, count, limit, best, TURNS, 0)
        go_back(model, work, t, count, BEST, 1.0)
    if near < best <= FLAGGED * work.removed_speed[0]:
        best = improve(model, work, t, count, limit, best, SHORT, IDLE)
    return best <= near


@kernel
def solve_pile(model, work, t, trees, limit):
    """Solve island t from the present impulses to about `limit` [m/s]; return an `Answer`.

    trees: what holds them together (`Trees`). If that fails, the impulses are the best that were found; if
    they bring energy they are left: the island is swept then, as if it were too large.

    Writes: work.
    """
    if trees == MOVING:
        count = block_matrix.prepare(model, work, t, MOVING_NODES, MOVING_WORK)
    else:
        count = block_matrix.prepare(model, work, t, MAX_NODES, MAX_WORK)
    if count == 0:
        return TOO_LARGE
    if trees == MOVING and count > MANY:
        is_solved = solve_moving(model, work, t, count, limit)
    else:
        is_solved = solve_resting(model, work, t, count, limit)
    if is_solved:
        return SOLVED
    if island_sums.brings_energy(model, work, t, count):
        start_cold(model, work, t)
        work.island_origin[t] = NOTHING
        return TOO_LARGE
    return UNSOLVED
