"""Stage *sweep*: contact after contact, each solved exactly given the others, until nothing changes.

What the impulses do to the velocities is carried along as the whitened vector z = Σ yᵀ λ
(`work.response`, which begins with what the forces do), so one contact costs O(depth) whatever the
pile. An island that sweeps would take long to solve is solved at once, by `exact` if it is small,
else by `pile`.
Source: Hwangbo, Lee, Hutter 2018 (per-contact iteration), with the local solve of `cone`.
"""

from math import inf, log, sqrt

from tribo.contact import cone, exact, pile
from tribo.contact.late import call_late
from tribo.contact.laws import step_speed
from tribo.contact.response import (
    add_response,
    add_scalar_response,
    add_scalar_to,
    scalar_velocity,
    velocity,
    within,
)
from tribo.contact.violation import violation
from tribo.jit import kernel
from tribo.math import spatial, vec
from tribo.model import Late, Solver, Status

CAPACITY = int(Status.CAPACITY)
PILE = int(Late.PILE)
NOT_CONVERGED = int(Status.NOT_CONVERGED)
SWEEPS = int(Solver.SWEEPS)
FEW_ROWS = 3  # a contact or some scalar rows alone
MAX_TRIES = 2  # at solving an island at once
MORE_SWEEPS = 12  # until the second
MIN_SWEEPS = 3  # two changes tell the rate
FAR = 0.01  # [–] of the speed that the solve removes: a violation that asks for another start
PATIENCE = 10.0  # sweeps that cost as much as the Newton steps they save
NEWTON_STEPS = 80  # of an attempt: a solution not found by then is rarely found later
MAX_FAILURES = 6  # that count: an island is then only swept for 2⁴ steps before it is tried again
PAUSE_ROWS = 300  # of an island that is worth a pause: a smaller one fails at little cost
PAUSE_SWEEPS = 24  # in such a step: enough to carry a pile that moves
MIN_DENSE_ROWS = 7  # two contacts and less are solved as fast by sweeps
MAX_DENSE_ROWS = 32  # ten contacts: up to here a dense matrix is faster than blocks


@kernel
def warm_start(model, state, work):
    """Begin with the impulses that the same contacts and rows had in the last step.

    Writes: work.
    """
    for dof in range(work.response.shape[0]):
        work.response[dof] = work.free_response[dof]
    old = 0
    zero = (0.0, 0.0, 0.0)
    warm = state.warm_impulse
    for c in range(work.contact_count[0]):
        vec.store(work.contact_impulse, c, zero)
        vec.store(work.contact_spin_impulse, c, zero)
        key = work.contact_key[c]
        while old < state.warm_count[0] and state.warm_key[old] < key:
            old += 1
        if old == state.warm_count[0] or state.warm_key[old] != key:
            continue
        axes = vec.load_mat(work.contact_axes, c)
        impulse = vec.mat_vec(axes, (warm[old, 0], warm[old, 1], warm[old, 2]))
        if work.contact_is_resting[c] == 1:  # what it carries is known and moves nothing
            vec.store(work.contact_impulse, c, impulse)
            impulse = vec.mat_vec(axes, (warm[old, 3], warm[old, 4], warm[old, 5]))
            vec.store(work.contact_spin_impulse, c, impulse)
            continue
        if work.contact_target[c] == -inf or impulse[2] <= 0.0:
            continue
        vec.store(work.contact_impulse, c, impulse)
        add_response(model, work, work.contact_row, c, impulse)
        if work.contact_is_spun[c] == 1:
            impulse = vec.mat_vec(axes, (warm[old, 3], warm[old, 4], warm[old, 5]))
            vec.store(work.contact_spin_impulse, c, impulse)
            add_response(model, work, work.contact_spin_row, c, impulse)
    for n in range(work.scalar_count[0]):
        work.scalar_impulse[n] = within(work, n, state.scalar_impulse[work.scalar_slot[n]])
        add_scalar_response(model, work, n, work.scalar_impulse[n])


@kernel
def sweep_scalar(model, work, n):
    """Solve one scalar row given all other rows; return the change of its velocity.

    Writes: work.
    """
    before = work.scalar_impulse[n]
    w = scalar_velocity(model, work, n)
    after = within(work, n, before - w / work.scalar_delassus[n])
    work.scalar_impulse[n] = after
    if after != before:
        add_scalar_response(model, work, n, after - before)
    return abs(after - before) * work.scalar_delassus[n]


@kernel
def scalar_speed(work, n, push):
    """Return the speed that scalar row n must remove, as far as its bounds let it; `push`: see caller."""
    g = work.scalar_delassus[n]
    start = work.scalar_start[n]
    up = work.scalar_upper[n] * g
    down = -work.scalar_lower[n] * g
    given = max(-up, -down)  # > 0 where the bounds leave out zero: an impulse that is given
    return max(min(-start, up), min(start, down), min(push * sqrt(g), max(up, down)), given)


@kernel
def sweep_contact(model, work, c):
    """Solve one contact given all other rows; return the change of its velocity.

    Writes: work.
    """
    g = spatial.load(work.contact_delassus, c)
    before = vec.load(work.contact_impulse, c)
    w = velocity(model, work, work.contact_row, work.contact_start, c)
    free = cone.affine(g, vec.neg(before), w)
    after = cone.solve_contact(g, free, work.contact_friction[c], before)
    step = vec.sub(after, before)
    change = 0.0
    if step[0] != 0.0 or step[1] != 0.0 or step[2] != 0.0:
        vec.store(work.contact_impulse, c, after)
        add_response(model, work, work.contact_row, c, step)
        d = cone.affine(g, step, (0.0, 0.0, 0.0))
        change = abs(d[0]) + abs(d[1]) + abs(d[2])
    if work.contact_is_spun[c] == 1:
        change += sweep_spin(model, work, c, after[2])
    return change


@kernel
def sweep_spin(model, work, c, normal):
    """Solve rolling and spinning friction of one contact; return the change of speed at its radius.

    Writes: work.
    """
    k = spatial.load(work.contact_spin_delassus, c)
    before = vec.load(work.contact_spin_impulse, c)
    omega = velocity(model, work, work.contact_spin_row, work.contact_spin_start, c)
    after = cone.solve_spin(
        k, omega, before, work.contact_rolling[c], work.contact_spinning[c], normal
    )
    step = vec.sub(after, before)
    if step[0] == 0.0 and step[1] == 0.0 and step[2] == 0.0:
        return 0.0
    vec.store(work.contact_spin_impulse, c, after)
    add_response(model, work, work.contact_spin_row, c, step)
    d = cone.affine(k, step, (0.0, 0.0, 0.0))
    return work.contact_radius[c] * (abs(d[0]) + abs(d[1]) + abs(d[2]))


@kernel
def island_speed(settings, work, t):
    """Return the speed relative to which island t is converged: the largest that it must remove."""
    scale = step_speed(settings)
    push = 0.0  # without weight: what the other forces do in a step, ‖z‖ = √(2 energy)
    if scale == 0.0:
        for dof in range(work.free_response.shape[0]):
            push += work.free_response[dof] * work.free_response[dof]
        push = sqrt(push)
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        scale = max(scale, -work.contact_start[c, 2], push * sqrt(work.contact_delassus[c, 2]))
    for k in range(work.island_scalar_start[t], work.island_scalar_start[t + 1]):
        scale = max(scale, scalar_speed(work, work.island_scalar[k], push))
    return scale


@kernel
def sweep_island(model, work, t):
    """Visit every contact and scalar row of island t once; return the largest change of a velocity.

    Writes: work.
    """
    change = 0.0
    for k in range(work.island_scalar_start[t], work.island_scalar_start[t + 1]):
        change = max(change, sweep_scalar(model, work, work.island_scalar[k]))
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        change = max(change, sweep_contact(model, work, work.island_contact[k]))
    return change


@kernel
def has_spin(work, t):
    """Tell whether a contact of island t has rolling or spinning friction."""
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        if work.contact_is_spun[work.island_contact[k]] == 1:
            return True
    return False


@kernel
def warm_contacts(work, t):
    """Return how many contacts of island t start with an impulse."""
    count = 0
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        if work.contact_impulse[work.island_contact[k], 2] > 0.0:
            count += 1
    return count


@kernel
def has_equation(work, t):
    """Tell whether island t has scalar rows that hold both ways: sweeps are slow to agree on them."""
    for k in range(work.island_scalar_start[t], work.island_scalar_start[t + 1]):
        n = work.island_scalar[k]
        if work.scalar_lower[n] == -inf and work.scalar_upper[n] == inf:
            return True
    return False


@kernel
def is_newton_case(work, t, rows):
    """Tell whether island t should be tried by Newton before any sweep.

    It is small, and either all of it was there in the last step, so that little has changed, or
    nothing was, so that Newton from zero finds the solution of least norm.
    """
    if rows >= MAX_DENSE_ROWS or (
        rows < MIN_DENSE_ROWS and not (rows > 1 and has_equation(work, t))
    ):
        return False
    count = warm_contacts(work, t)
    return count == 0 or count == work.island_contact_start[t + 1] - work.island_contact_start[t]


@kernel
def has_room(work, rows):
    """Tell whether a dense problem fits; if not, ask for larger tables: the step is then made again.

    Writes: work.
    """
    if rows <= work.dense.shape[0]:
        return True
    work.dense_count[0] = max(work.dense_count[0], rows)
    work.status[0] |= CAPACITY
    return False


@kernel
def sweeps_left(change, before, limit):
    """Return how many more sweeps it takes at the rate of the last two changes."""
    if not change < before:
        return inf
    if change == 0.0 or before == inf:  # done, or no rate to be seen yet
        return 0.0
    return log(limit / change) / log(change / before)


@kernel
def start_cold(model, work, t):
    """Take all impulses of island t away.

    Writes: work.
    """
    zero = (0.0, 0.0, 0.0)
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        impulse = vec.neg(vec.load(work.contact_impulse, c))
        add_response(model, work, work.contact_row, c, impulse)
        vec.store(work.contact_impulse, c, zero)
        if work.contact_is_spun[c] == 1:
            impulse = vec.neg(vec.load(work.contact_spin_impulse, c))
            add_response(model, work, work.contact_spin_row, c, impulse)
            vec.store(work.contact_spin_impulse, c, zero)
    for k in range(work.island_scalar_start[t], work.island_scalar_start[t + 1]):
        n = work.island_scalar[k]
        add_scalar_response(model, work, n, -work.scalar_impulse[n])
        work.scalar_impulse[n] = 0.0


@kernel
def solve_at_once(model, work, t, rows, is_dense, budget, limit):
    """Solve island t as one problem; return whether that is done (or has to wait for larger tables).

    budget: of Newton steps, if it is a large problem.

    Writes: work.
    """
    if is_dense:
        if not has_room(work, rows) or exact.solve_exactly(model, work, t, limit):
            return True
    if model.late_address[PILE] == 0:
        work.late_wanted[PILE] = 1
        work.status[0] |= CAPACITY
        return True
    is_solved = call_late(model.late_address[PILE], model, work, t, budget, limit)
    return is_solved != 0 or work.status[0] & CAPACITY != 0


@kernel
def approach(model, settings, work, t, rows, budget, limit):
    """Work on island t from its present impulses; return whether it is solved.

    Writes: work.
    """
    is_dense = rows < MAX_DENSE_ROWS and not has_spin(work, t)
    if is_dense and is_newton_case(work, t, rows):
        if not has_room(work, rows) or exact.solve_exactly(model, work, t, limit):
            return True
    next_try = 1 if is_dense and rows > FEW_ROWS else MIN_SWEEPS
    tries = 0
    before = 0.0
    for k in range(1, settings.max_sweeps + 1):
        work.sweeps[0] = max(work.sweeps[0], k)
        change = sweep_island(model, work, t)
        is_still = change <= limit  # done, or stuck: a contact that jams has no solution of its own
        if is_still and violation(model, work, t) <= pile.GOOD * limit:
            return True
        left = sweeps_left(change, before, limit)
        if tries == MAX_TRIES:
            if is_still or left > settings.max_sweeps - k:
                return False
        elif is_still or (k >= next_try and (is_dense or left > PATIENCE)):
            if solve_at_once(model, work, t, rows, is_dense, budget, limit):
                return True
            tries += 1
            next_try = k + MORE_SWEEPS
            change = inf
        before = change
    return False


@kernel
def sweep_only(model, work, t, sweeps, limit):
    """Sweep island t at most a number of times; return whether it is solved.

    Writes: work.
    """
    for k in range(1, sweeps + 1):
        work.sweeps[0] = max(work.sweeps[0], k)
        if sweep_island(model, work, t) <= limit:
            return violation(model, work, t) <= pile.GOOD * limit
    return False


@kernel
def attempt(model, settings, work, t, rows, failures):
    """Find the impulses of island t: sweeps, and Newton's method if they are slow; return success.

    A warm start may be the worst start, the step after a hard impact. So an island that is far from
    solved is begun again from zero, but only once in a row of failures.

    Writes: work.
    """
    speed = island_speed(settings, work, t)
    if speed == 0.0:  # nothing is to be removed: no impulse is a solution
        start_cold(model, work, t)
        return True
    limit = settings.tolerance * speed
    if approach(model, settings, work, t, rows, NEWTON_STEPS, limit):
        return True
    if failures > 0 or violation(model, work, t) <= FAR * speed:
        return False
    start_cold(model, work, t)
    return approach(model, settings, work, t, rows, NEWTON_STEPS, limit)


@kernel
def most(model, work, t, count):
    """Return the largest entry of an array over the trees of island t."""
    found = 0
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        for side in range(2):
            found = max(found, count[model.body_tree[work.contact_body[c, side]]])
    return found


@kernel
def note(model, work, t, count, value):
    """Write a number into an array for every tree of island t.

    Writes: count.
    """
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        for side in range(2):
            if work.contact_len[c, side] > 0:
                count[model.body_tree[work.contact_body[c, side]]] = value


@kernel
def solve_large(model, settings, work, t, rows, limit):
    """Solve a large island, or only sweep it for a while if that has failed again and again.

    A pile in motion may have no solution that is found in any sensible time: pauses become longer with
    each failure. What trees have learnt goes with them from island to island.

    Writes: work.
    """
    pause = most(model, work, t, work.tree_pause)
    if pause > 0:
        note(model, work, t, work.tree_pause, pause - 1)
        return sweep_only(model, work, t, min(PAUSE_SWEEPS, settings.max_sweeps), limit)
    failures = most(model, work, t, work.tree_failures)
    if attempt(model, settings, work, t, rows, failures):
        if failures > 0:
            note(model, work, t, work.tree_failures, 0)
        return True
    failures = min(failures + 1, MAX_FAILURES)
    note(model, work, t, work.tree_failures, failures)
    note(model, work, t, work.tree_pause, (1 << failures) >> 2)
    return False


@kernel
def solve_island(model, settings, work, t, rows):
    """Find the impulses of island t as well as the settings ask for.

    Writes: work.
    """
    limit = settings.tolerance * island_speed(settings, work, t)
    if settings.contact_solver == SWEEPS:
        is_solved = sweep_only(model, work, t, settings.max_sweeps, limit)
    elif rows < PAUSE_ROWS:
        is_solved = attempt(model, settings, work, t, rows, 0)
    else:
        is_solved = solve_large(model, settings, work, t, rows, limit)
    if not is_solved:
        work.status[0] |= NOT_CONVERGED


@kernel
def solve_again(model, settings, work, t, rows):
    """Find the impulses of island t for other targets from those at hand; return success.

    What failures teach about large islands is left to the first solve.

    Writes: work.
    """
    if settings.contact_solver == SWEEPS:
        limit = settings.tolerance * island_speed(settings, work, t)
        return sweep_only(model, work, t, settings.max_sweeps, limit)
    return attempt(model, settings, work, t, rows, 1)


@kernel
def solve(model, state, settings, work):
    """Find the impulses of all contacts and scalar rows.

    Writes: work.
    """
    warm_start(model, state, work)
    for t in range(work.tree_pause.shape[0]):
        work.tree_failures[t] = state.tree_failures[t]
        work.tree_pause[t] = state.tree_pause[t]
    work.sweeps[0] = 0
    work.dense_count[0] = 0
    work.node_count[0] = 0
    work.value_count[0] = 0
    work.newton_steps[0] = 0
    for t in range(work.tree_island.shape[0]):
        rows = exact.island_rows(work, t)
        if rows > 0:
            solve_island(model, settings, work, t, rows)


@kernel
def remember(model, state, work):
    """Keep the impulses for the next step's start; count those of equations among the steady forces.

    Writes: state, work.
    """
    for t in range(work.tree_pause.shape[0]):
        state.tree_failures[t] = work.tree_failures[t]
        state.tree_pause[t] = work.tree_pause[t]
    n = 0
    for c in range(work.contact_count[0]):
        if work.contact_impulse[c, 2] <= 0.0:
            continue
        axes = vec.load_mat(work.contact_axes, c)
        force = vec.mat_t_vec(axes, vec.load(work.contact_impulse, c))
        torque = vec.mat_t_vec(axes, vec.load(work.contact_spin_impulse, c))
        state.warm_key[n] = work.contact_key[c]
        for k in range(3):
            state.warm_impulse[n, k] = force[k]
            state.warm_impulse[n, 3 + k] = torque[k]
        n += 1
    state.warm_count[0] = n
    for k in range(state.scalar_impulse.shape[0]):
        state.scalar_impulse[k] = 0.0
    for m in range(work.scalar_count[0]):
        state.scalar_impulse[work.scalar_slot[m]] += work.scalar_impulse[m]
        if work.scalar_lower[m] == -inf and work.scalar_upper[m] == inf:
            add_scalar_to(model, work, m, work.scalar_impulse[m], work.free_response)
