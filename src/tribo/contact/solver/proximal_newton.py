"""Newton's method in the dofs of an island of up to `MAX_DOFS` dofs, by proximal points (multipliers).

Unknown: the whitened response z. Given an estimate λ̂ of the impulses (the *memory*), regularised laws give
an impulse λ(z) for every velocity (`proximal_law`). Newton's method with a line search solves
z − z_free − Yᵀ λ(z) = 0 (`proximal_step`). Then λ̂ ← λ and the penalty ρ grows: one *round*. At λ = λ̂ the
unregularised laws hold. The first rounds use a small ρ, which converges from any start; each round reduces
the error of λ̂ by about a factor ρ.

Before the first round the active set of the initial impulses is tried, which takes one linear solve if it is
right. Every round starts with such a solve, too. The best impulses found are kept: they satisfy their bounds
and cones whenever the budget ends.
Source: Rockafellar 1976 (proximal points); Alart, Curnier 1991 (semismooth Newton); Hintermüller, Ito,
Kunisch 2002 (active sets).
"""

from tribo.compiler.jit import kernel
from tribo.contact.solver.active_set import SET_PENALTY, update_active_set, write_active_set
from tribo.contact.solver.natural_residual import ENOUGH, FLAGGED
from tribo.contact.solver.proximal_law import apply_laws, set_row_penalties, violation_here
from tribo.contact.solver.proximal_products import gather_response, measure_motion, write_response
from tribo.contact.solver.proximal_rows import Entry, Size, Vector, copy_vector, read_impulses, write_island
from tribo.contact.solver.proximal_step import (
    column_product,
    find_violation,
    refine_active_set,
    run_round,
    solve_active_set,
)

MAX_STEPS = 150  # Newton steps of a solve
ROUND_STEPS = 10  # Newton steps of a round
FIRST_PENALTY = 30.0  # [–] ρ of the first round, in units of the inverse of a row's own block of G
MIN_PENALTY = 1e-2
MAX_PENALTY = 1e9
REST_TOLERANCE = 0.2  # [–] of the limit: a larger violation costs one more solve; bodies at rest do not creep
SET_STEPS = 12  # linear solves with an active set
MAX_IDLE = 3  # solves, or rounds of a large ρ, in a row that may gain little before the method stops
ROUNDING = 1e-6  # [–] of the speed to remove: below it solves of little gain are few, and ρ begins large
GAIN = 0.7  # [–] of the best error: a round that leaves more has gained little
MAX_GROWTH = 8.0  # [–] of the violation before: a round with more is rejected
GOOD, VERY_GOOD = 0.5, 0.05  # [–] of the error: if less is left, ρ grows FASTER, MUCH_FASTER
FASTER, MUCH_FASTER, BIT_FASTER, SLOWER, BACK = 10.0, 30.0, 2.0, 0.3, 0.1
SOFT_PENALTY = 10.0  # ρ of the fallback round (`round_without_memory`)
SOFT_STEPS = 20


@kernel
def try_active_set(model, work, limit, best, last):
    """Solve with the active set of the present impulses and update the set while the violation falls.

    Returns the smallest violation [m/s], whose impulses are then the memory and BEST, their response row Z.

    Writes: work.
    """
    set_row_penalties(work, SET_PENALTY)
    write_active_set(work, True)
    fine = max(limit, ROUNDING * work.removed_speed[0])
    is_kept = False
    vain = 0
    for _ in range(SET_STEPS):
        if vain > (0 if best <= fine else MAX_IDLE) or work.newton_steps[0] >= last:
            break
        if not (is_kept and refine_active_set(work)) and not solve_active_set(model, work, True):
            break
        is_kept = update_active_set(work)
        now = find_violation(model, work)
        copy_vector(work, Entry.IMPULSE, Entry.MEMORY)
        if now <= GOOD * best:
            best = now
            copy_vector(work, Entry.IMPULSE, Entry.BEST)
            vain = 0
        else:
            vain += 1
        if best <= REST_TOLERANCE * limit:
            return best
    restore_impulses(model, work, Entry.BEST)
    return best


@kernel
def restore_impulses(model, work, kept):
    """Copy stored impulses to IMPULSE and MEMORY, and recompute response and velocities.

    Writes: work.
    """
    copy_vector(work, kept, Entry.IMPULSE)
    copy_vector(work, kept, Entry.MEMORY)
    find_violation(model, work)


@kernel
def largest_unit(work):
    """Return the largest UNIT of all rows: the most m/s that a whitened response of size 1 can be."""
    most = 0.0
    for i in range(work.dense_size[Size.ROWS]):
        most = max(most, work.dense_vector[Entry.UNIT, i])
    return most


@kernel
def make_rounds(model, work, limit, best, last):
    """Run rounds from the memory and row Z; return the smallest violation [m/s], of the impulses in BEST.

    A round is accepted if it converged without raising the violation by more than `MAX_GROWTH`. The penalty
    begins large where little is wrong, grows the faster, the more a round has gained, and falls after a round
    that is rejected or does not converge.

    Writes: work.
    """
    unit = largest_unit(work)
    fine = ROUNDING * work.removed_speed[0]
    rho = SET_PENALTY if best <= fine else FIRST_PENALTY
    before = best
    idle = 0
    has_set = False
    while best > limit and work.newton_steps[0] < last:
        if idle >= MAX_IDLE and rho >= SET_PENALTY:
            break
        begun = work.newton_steps[0]
        set_row_penalties(work, rho)
        is_begun = False
        if has_set:
            write_active_set(work, False)
            is_begun = solve_active_set(model, work, False)
        arrived = run_round(model, work, rho, limit, unit, last, ROUND_STEPS, is_begun)
        if not arrived and work.newton_steps[0] == begun:  # not finite, or singular
            break
        now = find_violation(model, work)
        idle = 0 if now < GAIN * best else idle + 1
        if now < best:
            best = now
            copy_vector(work, Entry.IMPULSE, Entry.BEST)
        if (arrived and now <= MAX_GROWTH * before) or rho <= MIN_PENALTY or now <= GOOD * before:
            copy_vector(work, Entry.IMPULSE, Entry.MEMORY)
            has_set = arrived
            if arrived and now <= VERY_GOOD * before:
                rho = min(rho * MUCH_FASTER, MAX_PENALTY)
            elif arrived and now <= GOOD * before:
                rho = min(rho * FASTER, MAX_PENALTY)
            elif work.newton_steps[0] - begun <= 2 and now <= before:
                rho = min(rho * BIT_FASTER, MAX_PENALTY)
            elif not arrived:
                rho = max(rho * SLOWER, MIN_PENALTY)
            before = now
        else:
            rho = max(rho * BACK, MIN_PENALTY)
            has_set = False
            restore_impulses(model, work, Entry.MEMORY)
    restore_impulses(model, work, Entry.BEST)
    return best


@kernel
def impulse_energy(model, work):
    """Return the energy that the present impulses add, ½ λᵀ G λ + λ · c [J]; lawful impulses add none.

    Writes: work.
    """
    x = work.column_vector
    for k in range(work.dense_size[Size.FIRST], work.dense_size[Size.COLUMNS]):
        x[Vector.STEP, k] = 0.0
    gather_response(model, work, Entry.IMPULSE, Vector.STEP)
    total = 0.5 * column_product(work, Vector.STEP, Vector.STEP)
    total += column_product(work, Vector.STEP, Vector.FREE)
    for i in range(work.dense_size[Size.ROWS]):
        total += work.dense_vector[Entry.IMPULSE, i] * work.dense_vector[Entry.START, i]
    return total


@kernel
def round_without_memory(model, work, limit):
    """Run one round with λ̂ = 0 and a small penalty; keep its impulses unless they add energy, else take BEST.

    Fallback of a problem for which no solution was found: regularised laws with λ̂ = 0 are dissipative.

    Writes: work.
    """
    for i in range(work.dense_size[Size.ROWS]):
        work.dense_vector[Entry.MEMORY, i] = 0.0
    apply_laws(work, Entry.MEMORY, Entry.MEMORY)
    restore_impulses(model, work, Entry.MEMORY)
    set_row_penalties(work, SOFT_PENALTY)
    last = work.newton_steps[0] + SOFT_STEPS
    run_round(model, work, SOFT_PENALTY, limit, largest_unit(work), last, SOFT_STEPS, False)
    if impulse_energy(model, work) > 0.0:
        copy_vector(work, Entry.BEST, Entry.IMPULSE)
    write_response(model, work, Vector.Z)


@kernel
def improve_impulses(model, work, limit, enough, last, tries_set):
    """Improve the impulses of the present problem; return the least violation [m/s], that of BEST.

    enough: violation that needs no rounds, which would be expensive; `limit` is asked of active sets only.
    last: value of `newton_steps` that ends the solve; tries_set: try the present active set first.

    Writes: work.
    """
    measure_motion(model, work, Vector.Z)
    best = violation_here(work)
    copy_vector(work, Entry.IMPULSE, Entry.MEMORY)
    copy_vector(work, Entry.IMPULSE, Entry.BEST)
    if tries_set and best > REST_TOLERANCE * limit:
        best = try_active_set(model, work, limit, best, last)
    if best > enough:
        best = make_rounds(model, work, enough, best, last)
    return best


@kernel
def solve_in_dofs(model, work, t, count, limit):
    """Solve island t, whose dofs are listed, from the present impulses; return success.

    Else the impulses are the best that were found or, if their violation is flagged and they add energy,
    those of `round_without_memory`.

    Writes: work.
    """
    write_island(model, work, t, count)
    best = improve_impulses(model, work, limit, limit, work.newton_steps[0] + MAX_STEPS, True)
    said = FLAGGED * work.removed_speed[0]
    if not best <= max(limit, said) and impulse_energy(model, work) > 0.0:
        round_without_memory(model, work, limit)
    read_impulses(work, t)
    return best <= max(limit, min(ENOUGH * limit, said))
