"""When an island is swept, when it is solved at once, and when that is not worth another try."""

from math import inf, log, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.lazily_compiled import call_late
from tribo.contact.problem.contact_targets import step_speed
from tribo.contact.solver import dense_island
from tribo.contact.solver.gauss_seidel_visits import start_cold, sweep_island
from tribo.contact.solver.natural_residual import GOOD, island_speed, largest, violation
from tribo.math import vec
from tribo.model import Late, Status

CAPACITY = int(Status.CAPACITY)
PILE = int(Late.PILE)
FEW_ROWS = 3  # a contact or some scalar rows alone
MAX_TRIES = 2  # at solving an island at once
MORE_SWEEPS = 12  # until the second
MIN_SWEEPS = 3  # two changes tell the rate
FAR = 0.01  # [–] of the speed that the solve removes: a violation that asks for another start
PATIENCE = 10.0  # sweeps that cost as much as the Newton steps they save
MIN_DENSE_ROWS = 7  # two contacts and less are solved as fast by sweeps
MAX_DENSE_ROWS = 32  # ten contacts: up to here a dense matrix is faster than blocks
NEWTON_STEPS = 80  # of a try: a solution not found by then is rarely found later
PAUSE_ROWS = 60  # of an island that is worth a pause; a smaller one is not (but see `recovery`)
MAX_FAILURES = 8  # that count: an island is then only swept for 2⁶ steps before it is tried again
MOVING = 0.01  # [–] of the contacts: from here on an island moves
MOVING_STEPS = 20  # of Newton, instead of NEWTON_STEPS: it is rarely solved at all
MOVING_SWEEPS = 10  # of a pause: enough to carry it
QUIET_PAUSE = 16  # steps at most where hardly anything moves: what is carried badly would sink
QUIET_SWEEPS = 24


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
def solve_at_once(model, work, t, rows, is_dense, budget, limit):
    """Solve island t as one problem; return whether that is done (or has to wait for larger tables).

    budget: of Newton steps, if it is a large problem.

    Writes: work.
    """
    if is_dense:
        if not has_room(work, rows) or dense_island.solve_exactly(model, work, t, limit):
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
        if not has_room(work, rows) or dense_island.solve_exactly(model, work, t, limit):
            return True
    next_try = 1 if is_dense and rows > FEW_ROWS else MIN_SWEEPS
    tries = 0
    before = 0.0
    for k in range(1, settings.max_sweeps + 1):
        work.sweeps[0] = max(work.sweeps[0], k)
        change = sweep_island(model, work, t)
        is_still = change <= limit  # done, or stuck: a contact that jams has no solution of its own
        if is_still and violation(model, work, t) <= GOOD * limit:
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
            return violation(model, work, t) <= GOOD * limit
    return False


@kernel
def attempt(model, settings, work, t, rows, failures, budget):
    """Find the impulses of island t: sweeps, and Newton's method if they are slow; return success.

    A warm start may be the worst start, the step after a hard impact. So an island that is far from
    solved is begun again from zero, but only once in a row of failures. budget: see `solve_at_once`.

    Writes: work.
    """
    speed = island_speed(settings, work, t)
    if speed == 0.0:  # nothing is to be removed: no impulse is a solution
        start_cold(model, work, t)
        return True
    limit = settings.tolerance * speed
    if approach(model, settings, work, t, rows, budget, limit):
        return True
    if failures > 0 or violation(model, work, t) <= FAR * speed:
        return False
    start_cold(model, work, t)
    return approach(model, settings, work, t, rows, budget, limit)


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
def forced_speed(model, work, c):
    """Return the largest speed that the forces on the bodies of contact c could give it in a step.

    ‖z‖ √G, z of the dofs of its two sides, G its own block along the normal.
    """
    push = 0.0
    for side in range(2):
        chain = model.body_chain_start[work.contact_body[c, side]]
        for p in range(work.contact_len[c, side]):
            z = work.free_response[model.chain_dof[chain + p]]
            push += z * z
    return sqrt(push * work.contact_delassus[c, 2])


@kernel
def is_moving(model, settings, work, t):
    """Tell whether more than a few contacts of island t move faster than forces make them in a step.

    Those forces are weight, or all others where there is no weight.
    """
    slow = step_speed(settings)
    count = 0
    first = work.island_contact_start[t]
    stop = work.island_contact_start[t + 1]
    for k in range(first, stop):
        c = work.island_contact[k]
        usual = slow if slow > 0.0 else forced_speed(model, work, c)
        if largest(vec.load(work.contact_start, c)) > usual:
            count += 1
    return count > MOVING * (stop - first)


@kernel
def solve_large(model, settings, work, t, rows, limit):
    """Solve a large island, or only sweep it for a while if that has failed again and again.

    A pile in motion may have no solution that is found in any sensible time: pauses become longer with
    each failure. One at rest has, and would sink. What trees have learnt goes with them from island to
    island.

    Writes: work.
    """
    pause = most(model, work, t, work.tree_pause)
    moves = is_moving(model, settings, work, t)
    if not moves:
        pause = min(pause, QUIET_PAUSE)
    if pause > 0:
        note(model, work, t, work.tree_pause, pause - 1)
        sweeps = MOVING_SWEEPS if moves else QUIET_SWEEPS
        return sweep_only(model, work, t, min(sweeps, settings.max_sweeps), limit)
    failures = most(model, work, t, work.tree_failures)
    budget = MOVING_STEPS if moves else NEWTON_STEPS
    if attempt(model, settings, work, t, rows, failures, budget):
        if failures > 0:
            note(model, work, t, work.tree_failures, 0)
        return True
    failures = min(failures + 1, MAX_FAILURES)
    note(model, work, t, work.tree_failures, failures)
    pause = (1 << failures) >> 2
    note(model, work, t, work.tree_pause, pause if moves else min(pause, QUIET_PAUSE))
    return False
