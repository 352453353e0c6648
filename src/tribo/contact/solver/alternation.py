"""An island in blocks, from any start: sweeps and steps of Newton's method in turns.

Sweeps find out quickly which contacts open, stick and slip, for that is decided near by; how a load goes
through a whole pile they find slowly. A step of Newton's method finds the load at once, but is far off where
it takes the wrong contacts for open or slipping. So each turn makes one such step and a few sweeps after it.
ε is what the step leaves undone of a closed contact (`newton_refinement`): large, the step is short and safe,
small, it is Newton's. As in Levenberg's and Marquardt's method it becomes smaller after each turn that brings
the island nearer to the law, and larger after one that does not; that turn is taken back.
Source: Silcowitz, Niebe, Erleben 2010 (sweeps and subspace minimisation in turns); Marquardt 1963.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import within
from tribo.contact.solver import coulomb_cone
from tribo.contact.solver.checkpoint import BEST, STEP, go_back, keep
from tribo.contact.solver.gauss_seidel_iteration import sweep_island
from tribo.contact.solver.natural_residual import spin_law, violations
from tribo.contact.solver.newton_refinement import PROXIMAL, make_step
from tribo.math import vec

SWEEPS = 20  # of a turn, at most
PATIENCE = 6  # turns, or steps, in a row that do not halve the least violation: there are no more
FIRST = 1e-3  # [–] ε of the first turn
SMALLER, LARGER = 0.1, 10.0  # times ε after a turn that is taken, and after one that is not
LARGEST = 10.0  # [–] ε


@kernel
def into_cones(model, work, t, count):
    """Pull impulses outside their bounds back onto them: what round-off, or a Newton step, left there.

    Writes: work.
    """
    for k in contacts_in(work, t):
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
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_impulse[n] = within(work, n, work.scalar_impulse[n])
    island_sums.sum_response(model, work, t, count)


@kernel
def sweep(model, work, t, limit):
    """Sweep island t a number of times, or until a sweep changes no velocity by more than a limit [m/s].

    Writes: work.
    """
    for _ in range(SWEEPS):
        if sweep_island(model, work, t) <= limit:
            break


@kernel
def take_turns(model, work, t, count, limit, best, turns):
    """Make turns from the present impulses; return the least violation so far [m/s], whose impulses are kept.

    Writes: work.
    """
    undone = FIRST
    idle = 0
    worst, square = violations(model, work, t)
    if worst > limit:
        sweep(model, work, t, limit)
        worst, square = violations(model, work, t)
    least = square
    for _ in range(turns):
        if worst < best:
            best = worst
            keep(work, t, BEST)
        if worst <= limit or idle == PATIENCE:
            break
        idle += 1
        keep(work, t, STEP)
        is_made = make_step(model, work, t, count, undone)
        if is_made:
            into_cones(model, work, t, count)
            sweep(model, work, t, limit)
            before = square
            worst, square = violations(model, work, t)
            is_made = square < before
        if is_made:
            undone = max(SMALLER * undone, PROXIMAL)
        else:
            undone = min(LARGER * undone, LARGEST)
            go_back(model, work, t, count, STEP, 1.0)
            sweep(model, work, t, limit)
            worst, square = violations(model, work, t)
        if square < 0.5 * least:
            least = square
            idle = 0
    if worst < best:
        best = worst
        keep(work, t, BEST)
    return best
