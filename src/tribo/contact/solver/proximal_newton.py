"""An island of up to `MAX_DOFS` dofs: Newton's method in its dofs, with a memory of the impulses.

The unknown is the whitened response z. With a memory λ̂ the laws give an impulse for every velocity
(`proximal_law`), and z − z_free − Yᵀ λ(z) = 0 is solved by Newton's method, with a look along each step for
the root of the left side times the step. Then λ̂ ← λ, and the rate grows: a *round*. Rounds begin soft,
for any start will do then; each shrinks the error of the memory by about its rate. The hard law holds where
λ = λ̂.
Before the first round the set of the last step is tried: a linear solve, as each round begins with one too.
The best impulses are kept; they are in their cones whenever the budget ends.
Source: Rockafellar 1976 (proximal points); Alart, Curnier 1991; Hintermüller, Ito, Kunisch 2002 (sets).
"""

from tribo.compiler.jit import kernel
from tribo.contact.solver.active_set import SET_RATE, update_active_set, write_active_set
from tribo.contact.solver.natural_residual import ENOUGH, FLAGGED
from tribo.contact.solver.proximal_law import apply_laws, set_row_rates, violation_here
from tribo.contact.solver.proximal_products import gather_response, measure_motion, write_response
from tribo.contact.solver.proximal_rows import (
    BEST,
    COLUMNS,
    FIRST,
    FREE,
    IMPULSE,
    MEMORY,
    ROWS,
    START,
    STEP,
    UNIT,
    Z,
    copy_vector,
    read_impulses,
    write_island,
)
from tribo.contact.solver.proximal_step import column_product, find_violation, run_round, solve_active_set

MAX_STEPS = 150  # Newton steps of a solve
ROUND_STEPS = 10  # Newton steps of a round
FIRST_RATE = 30.0  # [–] in units of the inverse of a row's own block of G
LEAST_RATE = 1e-2
LAST_RATE = 1e9
NEARER = 0.2  # [–] of the limit, for one solve more: what rests is to lie still
SET_STEPS = 12  # solves with sets
VAIN = 3  # of these in a row that did not halve the error, and end the trial
ROUNDING = 1e-6  # [–] of the speed to remove: nearer than that, `VAIN` rounds that gain little end it
GAIN = 0.7  # [–] of the error: a round that leaves more has taken away little
WORSE = 8.0  # times the error: a round that ends there is not taken
GOOD, VERY_GOOD = 0.5, 0.05  # [–] of the error: rounds that leave less, and how the rate grows
FASTER, MUCH_FASTER, BIT_FASTER, SLOWER, BACK = 10.0, 30.0, 2.0, 0.3, 0.1
SOFT_RATE = 10.0  # of the last round, where nothing else helped
SOFT_STEPS = 20


@kernel
def try_active_set(model, work, limit, best, last):
    """Solve with the set of the present impulses, and correct it, as long as that helps.

    Returns the least violation [m/s]. Its impulses are the memory and BEST then, and their response in row Z.

    Writes: work.
    """
    set_row_rates(work, SET_RATE)
    write_active_set(work, True)
    vain = 0
    for _ in range(SET_STEPS):
        if vain > (0 if best <= limit else VAIN) or work.newton_steps[0] >= last:
            break
        if not solve_active_set(model, work, True):
            break
        update_active_set(work)
        now = find_violation(model, work)
        copy_vector(work, IMPULSE, MEMORY)
        if now <= GOOD * best:
            best = now
            copy_vector(work, IMPULSE, BEST)
            vain = 0
        else:
            vain += 1
        if best <= NEARER * limit:
            return best
    restore_impulses(model, work, BEST)
    return best


@kernel
def restore_impulses(model, work, kept):
    """Make impulses that are kept the present ones and the memory.

    Writes: work.
    """
    copy_vector(work, kept, IMPULSE)
    copy_vector(work, kept, MEMORY)
    find_violation(model, work)


@kernel
def largest_unit(work):
    """Return the largest velocity that a whitened response of 1 is."""
    most = 0.0
    for i in range(work.dense_size[ROWS]):
        most = max(most, work.dense_vector[UNIT, i])
    return most


@kernel
def make_rounds(model, work, limit, best, last):
    """Make rounds from the memory and row Z; return the least violation [m/s], whose impulses are BEST.

    Writes: work.
    """
    unit = largest_unit(work)
    rho = FIRST_RATE
    before = best
    idle = 0
    has_set = False
    fine = ROUNDING * work.removed_speed[0]
    while best > limit and work.newton_steps[0] < last:
        if idle >= VAIN and best <= fine and rho >= SET_RATE:
            break
        begun = work.newton_steps[0]
        set_row_rates(work, rho)
        is_begun = False
        if has_set:
            write_active_set(work, False)
            is_begun = solve_active_set(model, work, False)
        arrived = run_round(model, work, rho, limit, unit, last, ROUND_STEPS, is_begun)
        if not arrived and work.newton_steps[0] == begun:  # no numbers
            break
        now = find_violation(model, work)
        idle = 0 if now < GAIN * best else idle + 1
        if now < best:
            best = now
            copy_vector(work, IMPULSE, BEST)
        if (arrived and now <= WORSE * before) or rho <= LEAST_RATE or now <= GOOD * before:
            copy_vector(work, IMPULSE, MEMORY)
            has_set = arrived
            if arrived and now <= VERY_GOOD * before:
                rho = min(rho * MUCH_FASTER, LAST_RATE)
            elif arrived and now <= GOOD * before:
                rho = min(rho * FASTER, LAST_RATE)
            elif work.newton_steps[0] - begun <= 2 and now <= before:
                rho = min(rho * BIT_FASTER, LAST_RATE)
            elif not arrived:
                rho = max(rho * SLOWER, LEAST_RATE)
            before = now
        else:
            rho = max(rho * BACK, LEAST_RATE)
            has_set = False
            restore_impulses(model, work, MEMORY)
    restore_impulses(model, work, BEST)
    return best


@kernel
def impulse_energy(model, work):
    """Return what the present impulses bring, ½ λᵀ G λ + λ · c [J]: none that obey their laws bring any.

    Writes: work.
    """
    x = work.column_vector
    for k in range(work.dense_size[FIRST], work.dense_size[COLUMNS]):
        x[STEP, k] = 0.0
    gather_response(model, work, IMPULSE, STEP)
    total = 0.5 * column_product(work, STEP, STEP) + column_product(work, STEP, FREE)
    for i in range(work.dense_size[ROWS]):
        total += work.dense_vector[IMPULSE, i] * work.dense_vector[START, i]
    return total


@kernel
def round_without_memory(model, work, limit):
    """Make one soft round without a memory, whose impulses bring no energy, and take them if they do not.

    Writes: work.
    """
    for i in range(work.dense_size[ROWS]):
        work.dense_vector[MEMORY, i] = 0.0
    apply_laws(work, MEMORY, MEMORY)
    restore_impulses(model, work, MEMORY)
    set_row_rates(work, SOFT_RATE)
    last = work.newton_steps[0] + SOFT_STEPS
    run_round(model, work, SOFT_RATE, limit, largest_unit(work), last, SOFT_STEPS, False)
    if impulse_energy(model, work) > 0.0:
        copy_vector(work, BEST, IMPULSE)
    write_response(model, work, Z)


@kernel
def improve_impulses(model, work, limit, last, tries_set):
    """Improve the impulses of the problem at hand; return the least violation [m/s], whose impulses are BEST.

    last: `newton_steps` that end it; tries_set: with the set of the present impulses first.

    Writes: work.
    """
    measure_motion(model, work, Z)
    best = violation_here(work)
    copy_vector(work, IMPULSE, MEMORY)
    copy_vector(work, IMPULSE, BEST)
    if tries_set and best > NEARER * limit:
        best = try_active_set(model, work, limit, best, last)
    if best > limit:
        best = make_rounds(model, work, limit, best, last)
    return best


@kernel
def solve_in_dofs(model, work, t, count, limit):
    """Solve island t, whose dofs are listed, from the present impulses; return success.

    If that fails the impulses are the best that were found, or, if these are far from the law and bring
    energy, some that bring none.

    Writes: work.
    """
    write_island(model, work, t, count)
    best = improve_impulses(model, work, limit, work.newton_steps[0] + MAX_STEPS, True)
    said = FLAGGED * work.removed_speed[0]
    if not best <= max(limit, said) and impulse_energy(model, work) > 0.0:
        round_without_memory(model, work, limit)
    read_impulses(work, t)
    return best <= max(limit, min(ENOUGH * limit, said))
