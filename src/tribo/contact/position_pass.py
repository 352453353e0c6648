"""Stages `position_pass.reserve_tables` and `.correct_positions`: overlaps, stops and gaps, in the positions.

A velocity that closes an overlap would remain after it. So the solve of the step only asks that no gap closes
within it; at the end of the step the island is shifted by dt z. In whitened dofs, z is the minimum of

    f(z) = ½ ‖z‖² + ½ Σ eᵢ²/Rᵢ,   eᵢ = bᵢ − yᵢ z,   Rᵢ = ε Gᵢ,

over the rows that hold: normals of contacts, stops and wires where eᵢ > 0; equations, and tangents of
sticking contacts, in both directions. bᵢ is the correction that a row asks for (a share `erp` of its error
per step, at most `max_push_out_speed`), less its velocity beyond its target: an open gap may close. f is
convex with one minimum, also where rows contradict one another: these share the shift, and ‖z‖² ≤ Σ bᵢ²/Rᵢ.
Gᵢ is the own G of a row, of a contact the mean of its three, of a pin the largest, so gaps that hardly
anything moves stay. f is a round of `proximal_step` with penalties 1/Rᵢ and no memory: Newton's method finds
its minimum. Islands with more dofs use sweeps. Tangents that lock an overlap are then released, if there are
any, and the minimum is found once more. Velocities and impulses do not change.
Source: split of velocity and position, Cline and Pai 2003; Rockafellar 1976.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.constraints.constraint_work import ANGULAR
from tribo.contact.problem.compliant_rows import MIN_SHARE
from tribo.contact.problem.contact_targets import ROUND_OFF_BAND, speed_that_opens, step_speed
from tribo.contact.problem.islands import contacts_in, scalars_in, trees_in
from tribo.contact.problem.scalar_rows import GIVES_WAY, constraint_of_row
from tribo.contact.problem.whitened_products import (
    add_impulse_response,
    add_row_response,
    add_scalar_row_response,
    add_scalar_to,
)
from tribo.contact.solver.method_choice import has_room
from tribo.contact.solver.natural_residual import inverse_mean_diagonal
from tribo.contact.solver.proximal_newton import largest_unit
from tribo.contact.solver.proximal_products import measure_motion
from tribo.contact.solver.proximal_rows import Entry, Size, Vector, find_columns, leave_columns, write_island
from tribo.contact.solver.proximal_step import run_round
from tribo.contact.stabilisation.position_projection import measure_shift, shift_coordinates
from tribo.dynamics.energy import tree_mass
from tribo.dynamics.momentum import shift_momentum_targets
from tribo.enums import Hold
from tribo.math import spatial, vec
from tribo.model import MAX_DOFS, Status

CONTACT_COMPLIANCE = 1e-2  # [–] ε = R/G of the rows of contacts
REPORTED_SHARE = 0.01  # [–] of `max_push_out_speed`: failed corrections below this speed set no status
MAX_MEAN_MOTION = 10.0  # [–] of the largest request: bound of the mass-weighted mean correction of an island
ROW_COMPLIANCE = 1e-6  # [–] ε of all other rows: where both contradict, links overlap and stops hold
MAX_STEPS = 30  # Newton steps of an island; sweeps of one with more dofs than Newton's method admits
CONTRADICTORY = 0.9  # [–] of the request: rows contradict one another if more remains
ZERO = (0.0, 0.0, 0.0)


@kernel
def row_hold(work, n):
    """Return when scalar row n holds: NEVER for springs, drives and rows at a bound of their force."""
    lower, upper = work.scalar_lower[n], work.scalar_upper[n]
    impulse = work.scalar_impulse[n]
    gives = work.scalar_compliance[n] > ROW_COMPLIANCE * work.scalar_delassus[n]
    if gives or work.scalar_reach[n] == GIVES_WAY:
        return Hold.NEVER
    if lower == -inf and upper == inf:
        return Hold.ALWAYS
    if lower == 0.0:
        return Hold.POSITIVE if impulse < upper else Hold.NEVER
    if upper == 0.0:
        return Hold.NEGATIVE if impulse > lower else Hold.NEVER
    is_held = work.scalar_shift[n] != 0.0 and lower < impulse < upper
    return Hold.ALWAYS if is_held else Hold.NEVER


@kernel
def is_sticking(work, c):
    """Tell whether contact c sticks, that is, its impulse is inside its cone: its tangents then hold."""
    x, y, z = vec.load(work.contact_impulse, c)
    bound = work.contact_friction[c] * z
    return x * x + y * y < bound * bound * (1.0 - ROUND_OFF_BAND)


@kernel
def is_correcting(work, t, nothing, or_opening):
    """Tell whether a row of island t may ask for a shift of more than `nothing` [m/s].

    or_opening: or for a velocity, which the solve may leave to the shift.
    """
    is_any = False
    for c in contacts_in(work, t):
        if work.contact_correction[c] > nothing or (or_opening and speed_that_opens(work, c) > 0.0):
            return True
    for n in scalars_in(work, t):
        is_any = is_any or abs(work.scalar_shift[n]) > nothing
    return is_any


@kernel
def write_corrections(model, work, t, nothing):
    """Write the request b of each row of island t, multipliers 0; return whether one exceeds `nothing` [m/s].

    Writes: work.
    """
    if not is_correcting(work, t, nothing, False):
        return False
    is_asked = False
    for c in contacts_in(work, t):
        start = vec.load(work.contact_start, c)
        _, _, w = add_row_response(model, work, work.contact_row, c, work.response, start)
        work.shift_has_tangents[c] = 1 if is_sticking(work, c) else 0
        want = work.contact_correction[c] - w
        work.shift_target[c] = want
        vec.store(work.shift_error, c, (0.0, 0.0, want))
        vec.store(work.shift_impulse, c, ZERO)
        if work.contact_compliance[c, 2] > MIN_SHARE * work.diagonal_delassus[c]:  # a spring
            work.shift_has_tangents[c] = -1
        elif want > nothing:
            is_asked = True
    for n in scalars_in(work, t):
        hold = row_hold(work, n)
        work.shift_hold[n], work.shift_scalar_impulse[n] = hold, 0.0
        if hold == Hold.NEVER:
            continue
        w = add_scalar_row_response(model, work, n, work.response, work.scalar_start[n])
        want = work.scalar_shift[n] - (w if hold != Hold.ALWAYS else 0.0)
        work.shift_scalar_target[n] = work.shift_scalar_error[n] = want
        is_asked = is_asked or (abs(want) > nothing and is_acting(hold, want))
    return is_asked


@kernel
def own_diagonal(model, work, n):
    """Return the own G of scalar row n; of a constraint the largest of its rows of the same kind."""
    own = work.scalar_delassus[n]
    if constraint_of_row(model, work, n) < 0:
        return own
    group = (work.scalar_slot[n] - model.constraint_slot[0]) // ANGULAR
    for other in range(max(0, n - 2), min(n + 3, work.scalar_count[0])):
        if (work.scalar_slot[other] - model.constraint_slot[0]) // ANGULAR == group:
            own = max(own, work.scalar_delassus[other])
    return own


@kernel
def is_acting(hold, error):
    """Tell whether a scalar row acts at an error."""
    return (
        hold == Hold.ALWAYS
        or (hold == Hold.POSITIVE and error > 0.0)
        or (hold == Hold.NEGATIVE and error < 0.0)
    )


@kernel
def remaining_error(model, work, t):
    """Return Σ e²/G over the rows of island t with a request, and the largest e [m/s, rad/s]."""
    total = most = 0.0
    for c in contacts_in(work, t):
        if work.contact_correction[c] > 0.0 and work.shift_has_tangents[c] >= 0:
            error = max(0.0, work.shift_error[c, 2])
            total += error * error / work.diagonal_delassus[c]
            most = max(most, error)
    for n in scalars_in(work, t):
        error = work.shift_scalar_error[n]
        if work.scalar_shift[n] != 0.0 and is_acting(work.shift_hold[n], error):
            total += error * error / own_diagonal(model, work, n)
            most = max(most, abs(error))
    return total, most


@kernel
def reported_speed(settings):
    """Return the speed [m/s] from which on a failed correction is reported."""
    return max(step_speed(settings), REPORTED_SHARE * settings.max_push_out_speed)


@kernel
def bound_shift(model, settings, work, t, fastest):
    """Shorten the shift of island t, which has constraints, if small gaps move much mass.

    Its mean over the mass is at most `MAX_MEAN_MOTION` times the largest request: near a pose in which hardly
    any motion changes a gap, closing it would rotate the island far. Sets `CORRECTION_LIMITED`, but not for
    gaps of round-off.

    Writes: work.
    """
    z = work.pile_step
    size = mass = 0.0
    for tree in trees_in(work, t):
        mass += tree_mass(model, tree)
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            size += z[dof] * z[dof]
    most = MAX_MEAN_MOTION * MAX_MEAN_MOTION * fastest * fastest * mass
    if size <= most:
        return
    if fastest > reported_speed(settings):
        work.status[0] |= Status.CORRECTION_LIMITED
    part = sqrt(most / size)
    for tree in trees_in(work, t):
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            z[dof] *= part


@kernel
def has_constraint(model, work, t):
    """Tell whether island t has a row of a constraint between bodies."""
    is_found = False
    for n in scalars_in(work, t):
        is_found = is_found or constraint_of_row(model, work, n) >= 0
    return is_found


@kernel
def is_constraint_open(model, work, t, fastest):
    """Tell whether the largest error in island t, `fastest`, is that of a constraint between bodies."""
    for n in scalars_in(work, t):
        error = work.shift_scalar_error[n]
        if constraint_of_row(model, work, n) >= 0 and is_acting(work.shift_hold[n], error):
            if work.scalar_shift[n] != 0.0 and abs(error) >= fastest:
                return True
    return False


@kernel
def add_shift_law(work, i, hold, error, size, give):
    """Write the law of row i of the dense problem: bounds by its hold, compliance and error.

    Writes: work.
    """
    x = work.dense_vector
    x[Entry.START, i], x[Entry.COMPLIANCE, i] = -error / size, give
    x[Entry.PENALTY, i], x[Entry.MEMORY, i] = 1.0 / give, 0.0
    x[Entry.LOWER, i] = -inf if hold == Hold.ALWAYS or hold == Hold.NEGATIVE else 0.0
    x[Entry.UPPER, i] = inf if hold == Hold.ALWAYS or hold == Hold.POSITIVE else 0.0


@kernel
def write_shift_laws(model, work, t):
    """Replace the laws of the dense problem of island t by those of its shift: scalar rows with bounds.

    Writes: work.
    """
    work.dense_size[Size.LAWS] = work.dense_size[Size.SCALARS] = 0
    i = 0
    for c in contacts_in(work, t):
        if not work.diagonal_delassus[c] > 0.0:
            continue
        size = sqrt(work.diagonal_delassus[c])
        tangent = Hold.ALWAYS if work.shift_has_tangents[c] == 1 else Hold.NEVER
        add_shift_law(work, i, tangent, 0.0, size, CONTACT_COMPLIANCE)
        add_shift_law(work, i + 1, tangent, 0.0, size, CONTACT_COMPLIANCE)
        normal = Hold.POSITIVE if work.shift_has_tangents[c] >= 0 else Hold.NEVER
        add_shift_law(work, i + 2, normal, work.shift_target[c], size, CONTACT_COMPLIANCE)
        i += 3
        if work.contact_is_spun[c] == 1:
            for row in range(i, i + 3):
                add_shift_law(work, row, Hold.NEVER, 0.0, 1.0, CONTACT_COMPLIANCE)
            i += 3
    for n in scalars_in(work, t):
        size = sqrt(work.scalar_delassus[n])
        give = ROW_COMPLIANCE * own_diagonal(model, work, n) / work.scalar_delassus[n]
        add_shift_law(work, i, work.shift_hold[n], work.shift_scalar_target[n], size, give)
        i += 1


@kernel
def read_shift(work, t, count):
    """Copy the shift of the dense problem of island t to `pile_step`, and its remaining errors to the rows.

    Writes: work.
    """
    x = work.dense_vector
    for k in range(count):
        work.pile_step[work.column_dof[count - 1 - k]] = work.column_vector[Vector.Z, k]
    i = 0
    for c in contacts_in(work, t):
        if work.diagonal_delassus[c] > 0.0:
            size = sqrt(work.diagonal_delassus[c])
            error = (x[Entry.MOTION, i] * size, x[Entry.MOTION, i + 1] * size, x[Entry.MOTION, i + 2] * size)
            vec.store(work.shift_error, c, vec.neg(error))
            push = vec.scale(-1.0 / (CONTACT_COMPLIANCE * work.diagonal_delassus[c]), error)
            vec.store(work.shift_impulse, c, push)
            i += 6 if work.contact_is_spun[c] == 1 else 3
    for n in scalars_in(work, t):
        work.shift_scalar_error[n] = -x[Entry.MOTION, i] * sqrt(work.scalar_delassus[n])
        i += 1


@kernel
def find_shift(model, work, t, count, nothing):
    """Find the shift of island t, whose `count` dofs are listed, by Newton's method.

    Writes: work.
    """
    write_island(model, work, t, count)
    write_shift_laws(model, work, t)
    x = work.column_vector
    for k in range(count):
        x[Vector.Z, k] = x[Vector.FREE, k] = 0.0
    measure_motion(model, work, Vector.Z)
    made = work.newton_steps[0]
    run_round(model, work, inf, nothing, largest_unit(work), made + MAX_STEPS, MAX_STEPS, False)
    work.newton_steps[0] = made  # these do not count as steps of the solve
    read_shift(work, t, count)


@kernel
def visited_impulse(hold, before, error, own, give):
    """Return the impulse of a row after a visit, with its own G and R: (error − R λ)/(G + R) is added."""
    after = before + (error - give * before) / (own + give)
    return after if is_acting(hold, after) else 0.0


@kernel
def sweep_shift(model, work, t):
    """Visit all rows of island t once; each removes its own remaining error.

    Writes: work.
    """
    z = work.pile_step
    for c in contacts_in(work, t):
        near = inverse_mean_diagonal(spatial.load(work.contact_delassus, c))
        if work.shift_has_tangents[c] < 0 or near == 0.0:
            continue
        own = 3.0 / near  # tr G ≥ its largest eigenvalue, so a visit never overshoots
        x, y, w = add_row_response(model, work, work.contact_row, c, z, ZERO)
        want = work.shift_target[c]
        vec.store(work.shift_error, c, (-x, -y, want - w))
        hold, give = Hold.ALWAYS if work.shift_has_tangents[c] == 1 else Hold.NEVER, CONTACT_COMPLIANCE * own
        before = vec.load(work.shift_impulse, c)
        after = (
            visited_impulse(hold, before[0], -x, own, give),
            visited_impulse(hold, before[1], -y, own, give),
            visited_impulse(Hold.POSITIVE, before[2], want - w, own, give),
        )
        vec.store(work.shift_impulse, c, after)
        add_impulse_response(model, work, work.contact_row, c, vec.sub(after, before), z)
    for n in scalars_in(work, t):
        hold = work.shift_hold[n]
        if hold == Hold.NEVER:
            continue
        error = work.shift_scalar_target[n] - add_scalar_row_response(model, work, n, z, 0.0)
        own, before = work.scalar_delassus[n], work.shift_scalar_impulse[n]
        after = visited_impulse(hold, before, error, own, ROW_COMPLIANCE * own_diagonal(model, work, n))
        work.shift_scalar_impulse[n], work.shift_scalar_error[n] = after, error
        add_scalar_to(model, work, n, after - before, z)


@kernel
def find_minimum(model, work, t, count, nothing):
    """Find the shift of island t with `count` dofs: by Newton's method, or by sweeps if these are too many.

    Writes: work.
    """
    if count <= MAX_DOFS:
        find_shift(model, work, t, count, nothing)
    else:
        for _ in range(MAX_STEPS):
            sweep_shift(model, work, t)


@kernel
def release_tangents(work, t, most):
    """Release tangents of island t that are pushed by more than `most` [√kg m/s]; tell whether one is.

    They lock an overlap, as of a body wedged between others: the contact slips in the shift.

    Writes: work.
    """
    is_any = False
    for c in contacts_in(work, t):
        x, y, _ = vec.load(work.shift_impulse, c)
        if work.shift_has_tangents[c] == 1 and (x * x + y * y) * work.diagonal_delassus[c] > most * most:
            work.shift_has_tangents[c] = 0
            is_any = True
    return is_any


@kernel
def reserve_tables(model, settings, work):
    """Ask for tables in which the shifts of the step fit; the step is then repeated with these.

    Writes: work.
    """
    nothing = ROUND_OFF_BAND * step_speed(settings)
    for t in range(work.tree_island.shape[0]):
        if is_correcting(work, t, nothing, True):
            columns = find_columns(model, work, t, MAX_DOFS + 1)
            leave_columns(work, columns)
            if columns <= MAX_DOFS:
                has_room(work, t, columns)


@kernel
def correct_positions(model, state, settings, work):
    """Shift the positions at the end of the step by the corrections of overlaps, stops and gaps.

    If less than a tenth of a request is reached, links or bodies jam: `CORRECTION_LIMITED` or, if gaps of
    constraints stay in an island that Newton's method solved, `INFEASIBLE`.

    Writes: state, work.
    """
    nothing = ROUND_OFF_BAND * step_speed(settings)
    is_any = False
    for t in range(work.tree_island.shape[0]):
        if not write_corrections(model, work, t, nothing):
            continue
        if not is_any:
            is_any = True
            for dof in range(work.pile_step.shape[0]):
                work.pile_step[dof] = 0.0
        before, asked = remaining_error(model, work, t)
        count = find_columns(model, work, t, MAX_DOFS + 1)
        find_minimum(model, work, t, count, nothing)
        if before > 0.0 and release_tangents(work, t, sqrt(before)):
            find_minimum(model, work, t, count, nothing)
        leave_columns(work, count)
        if asked > 0.0 and has_constraint(model, work, t):
            bound_shift(model, settings, work, t, asked)
        after, fastest = remaining_error(model, work, t)
        if after > CONTRADICTORY * CONTRADICTORY * before and fastest > reported_speed(settings):
            is_told = count <= MAX_DOFS and is_constraint_open(model, work, t, fastest)
            work.status[0] |= Status.INFEASIBLE if is_told else Status.CORRECTION_LIMITED
    if is_any:
        for dof in range(work.pile_step.shape[0]):
            work.pile_step[dof] *= settings.dt
        shift_momentum_targets(model, work, work.pile_step)
        if model.constraint_kind.shape[0] > 0:
            measure_shift(model, settings, work, work.pile_step)
        shift_coordinates(model, state, work, work.pile_step)
