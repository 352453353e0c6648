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

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import within
from tribo.contact.solver.checkpoint import BEST, keep
from tribo.contact.solver.kept_set import correct_set, keep_set
from tribo.contact.solver.natural_residual import ENOUGH, FLAGGED
from tribo.contact.solver.proximal_directions import count_directions
from tribo.contact.solver.proximal_law import (
    forget,
    gather_impulses,
    recall,
    remember,
    set_rates,
)
from tribo.contact.solver.proximal_rows import FREE, KEPT, REACHED, Z, pack
from tribo.contact.solver.proximal_step import (
    go_to,
    judge,
    respond,
    run_round,
    solve_with_set,
    take_reached,
)
from tribo.math import vec

MAX_DOFS = 96  # columns: of more an island is solved in blocks
MAX_STEPS = 150  # Newton steps of a solve
ROUND_STEPS = 10  # Newton steps of a round
FIRST_RATE = 30.0  # [–] in units of the inverse of a row's own block of G
LEAST_RATE = 1e-2
LAST_RATE = 1e9
SET_RATE = 1e6  # of a solve with the set of the last step
SMALLER, LEAST_SET_RATE = (
    0.05,
    1e3,
)  # after each that left but few of the error: a large rate rounds
FEW = 0.01
NEARER = 0.2  # [–] of the limit, for one solve more: what rests is to lie still
SET_STEPS = 12  # solves with sets
VAIN = 3  # of these in a row that did not halve the error, and end the trial
PATIENCE = 30  # rounds that take away less than a third, and end the solve
ROUNDING = 1e-6  # [–] of the speed to remove: nearer than that a third of those rounds end it
GAIN = 0.7  # [–] of the error: a round that leaves more has taken away little
WORSE = 8.0  # times the error: a round that ends there is not taken
GOOD, VERY_GOOD = 0.5, 0.05  # [–] of the error: rounds that leave less, and how the rate grows
FASTER, MUCH_FASTER, BIT_FASTER, SLOWER, BACK = 10.0, 30.0, 2.0, 0.3, 0.1
SOFT_RATE = 10.0  # of the last round, where nothing else helped
SOFT_STEPS = 20


@kernel
def try_set(work, t, count, limit, best, last):
    """Solve with the set of the present impulses, and correct it, as long as that helps.

    Returns the least violation [m/s]. Its impulses are the memory then, and their response is in row Z.

    Writes: work.
    """
    rho = SET_RATE
    set_rates(work, t, rho)
    keep_set(work, t, True)
    vain = 0
    for _ in range(SET_STEPS):
        if vain > (0 if best <= limit else VAIN) or work.newton_steps[0] >= last:
            break
        is_small = count_directions(work, t)[0] <= count
        set_rates(work, t, SET_RATE if is_small else rho)
        if not solve_with_set(work, t, count):
            break
        correct_set(work, t)
        now = judge(work, t, count)
        take_reached(work, count)
        remember(work, t)
        if now <= GOOD * best:
            if now <= FEW * best and rho > LEAST_SET_RATE and not is_small:
                rho *= SMALLER
            best = now
            keep(work, t, BEST)
            vain = 0
        else:
            vain += 1
        if best <= NEARER * limit:
            break
    restore(work, t)
    remember(work, t)
    go_to(work, t, count)
    return best


@kernel
def restore(work, t):
    """Take the best impulses again.

    Writes: work.
    """
    kept = work.contact_kept
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        for a in range(3):
            work.contact_impulse[c, a] = kept[BEST, c, a]
            work.contact_spin_impulse[c, a] = kept[BEST, c, 3 + a]
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_impulse[n] = work.scalar_kept[BEST, n]


@kernel
def energy(work, t, count):
    """Return what the present impulses bring, ½ λᵀ G λ + λ · c [J]: none that obey their laws bring any.

    Writes: work.
    """
    x = work.column_vector
    for k in range(count):
        x[KEPT, k] = 0.0
    gather_impulses(work, t, KEPT)
    total = 0.0
    for k in range(count):
        total += x[KEPT, k] * (0.5 * x[KEPT, k] + x[FREE, k])
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        total += vec.dot(vec.load(work.contact_impulse, c), vec.load(work.contact_start, c))
        if work.contact_is_spun[c] == 1:
            start = vec.load(work.contact_spin_start, c)
            total += vec.dot(vec.load(work.contact_spin_impulse, c), start)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        total += work.scalar_impulse[n] * work.scalar_start[n]
    return total


@kernel
def largest_own(work, t):
    """Return the largest own block of G of the rows of island t."""
    most = 0.0
    for k in contacts_in(work, t):
        most = max(most, work.contact_own[work.island_contact[k]])
    for k in scalars_in(work, t):
        most = max(most, work.scalar_delassus[work.island_scalar[k]])
    return most


@kernel
def make_rounds(work, t, count, limit, best, last):
    """Make rounds from the memory and row Z; return the least violation [m/s], whose impulses are kept.

    Writes: work.
    """
    unit = sqrt(largest_own(work, t))
    rho = FIRST_RATE
    before = best
    idle = 0
    has_set = False
    fine = ROUNDING * work.removed_speed[0]
    while best > limit and work.newton_steps[0] < last:
        if idle >= (VAIN if best <= fine and rho >= SET_RATE else PATIENCE):
            break
        begun = work.newton_steps[0]
        set_rates(work, t, rho)
        is_begun = False
        if has_set:
            keep_set(work, t, False)
            is_begun = solve_with_set(work, t, count)
        arrived = run_round(work, t, count, rho, limit, unit, last, ROUND_STEPS, is_begun)
        now = judge(work, t, count)
        idle = 0 if now < GAIN * best else idle + 1
        if now < best:
            best = now
            keep(work, t, BEST)
        if (arrived and now <= WORSE * before) or rho <= LEAST_RATE or now <= GOOD * before:
            remember(work, t)
            take_reached(work, count)
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
            recall(work, t)
            go_to(work, t, count)
    return best


@kernel
def round_without_memory(work, t, count, limit):
    """Make one soft round without a memory, whose impulses bring no energy, and take them if they do not.

    Writes: work.
    """
    forget(work, t)
    recall(work, t)
    go_to(work, t, count)
    set_rates(work, t, SOFT_RATE)
    unit = sqrt(largest_own(work, t))
    last = work.newton_steps[0] + SOFT_STEPS
    run_round(work, t, count, SOFT_RATE, limit, unit, last, SOFT_STEPS, False)
    if energy(work, t, count) > 0.0:
        restore(work, t)


@kernel
def into_bounds(work, t):
    """Pull scalar impulses that rounding left outside their bounds back onto them.

    Writes: work.
    """
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_impulse[n] = within(work, n, work.scalar_impulse[n])


@kernel
def solve_in_dofs(model, work, t, count, limit):
    """Solve island t, whose dofs have columns, from the present impulses; return success.

    If that fails the impulses are the best that were found, or, if these are far from the law and bring
    energy, some that bring none.

    Writes: work.
    """
    x = work.column_vector
    pack(model, work, t)
    for k in range(count):
        x[Z, k] = work.response[work.column_dof[k]]
        x[FREE, k] = work.free_response[work.column_dof[k]]
    last = work.newton_steps[0] + MAX_STEPS
    into_bounds(work, t)
    best = judge(work, t, count)
    take_reached(work, count)
    remember(work, t)
    keep(work, t, BEST)
    if best > limit:
        best = try_set(work, t, count, limit, best, last)
    if best > limit:
        best = make_rounds(work, t, count, limit, best, last)
    restore(work, t)
    said = FLAGGED * work.removed_speed[0]
    if not best <= max(limit, said) and energy(work, t, count) > 0.0:
        round_without_memory(work, t, count, limit)
    respond(work, t, count, REACHED)
    for k in range(count):
        work.response[work.column_dof[k]] = x[REACHED, k]
    return best <= max(limit, min(ENOUGH * limit, said))
