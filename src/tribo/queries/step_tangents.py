"""Derivatives of one step by coordinates, velocities and joint forces, from what the step has left in `Work`.

The step has found v⁺ and λ with

    M̂ (v⁺ − v) + dt (h(q_m, v̄) − τ) − Jᵀ λ = 0   and the laws of the rows that act,

so the implicit function theorem gives δv⁺ and δλ: one linear system, with a column for each input. A point
that sticks has J_t v⁺ + β = 0, one that slips λ_t + μ λ_n w/‖w‖ = 0, each that presses J_n v⁺ = its target.
Anything that acts besides is an obstacle: then there is no answer. Equation of motion, rows and the way
are evaluated at the step's own numbers, so that a stage that is not thought of here is an obstacle, too.
Source: implicit function theorem on the active set, Robinson 1980, "Strongly regular generalized equations".
"""

from tribo.compiler.jit import entry, kernel
from tribo.dynamics import kinematics
from tribo.dynamics.bias import body_motion
from tribo.dynamics.whitening import unwhiten
from tribo.math import spatial, vec
from tribo.model import Integrator
from tribo.queries.active_rows import check_contact, check_open, choose_contacts, choose_scalars, take_scalar
from tribo.queries.contact_row_tangents import bend_slip, compose_target, take_contact
from tribo.queries.elimination import check_shares, divide_laws, eliminate
from tribo.queries.force_tangents import take_forces, take_masses, take_wrenches
from tribo.queries.momentum_tangents import (
    begin_momentum_tangents,
    check_kept,
    is_any_kept,
    keep_momentum_tangents,
    note_pushes_on_bases,
)
from tribo.queries.shift_tangents import add_shift, check_pushes, has_shift, note_pushes, shift_system
from tribo.queries.single_tangents import single_axes, take_singles
from tribo.queries.spin_tangents import bend_spin, choose_spins, take_spin
from tribo.queries.step_checks import check_motion, check_trees, check_way
from tribo.queries.tangents import (
    Count,
    Obstacle,
    add_by_inputs,
    bend_columns,
    clear_system,
    filled_up,
    first_of_block,
    object_to,
)
from tribo.queries.tree_tangents import (
    collect_bodies,
    differentiate_dofs,
    drift_tangents,
    inertia_of_trees,
    inverse_dynamics_tangents,
    move_bodies,
)

STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@entry
def step_tangents(model, state, command, settings, work, tangents):
    """Write derivatives of the step that was made last; `Tangents.counts` says where there are none, and why.

    Writes: work, tangents.
    """
    n = model.dof_body.shape[0]
    for k in range(tangents.counts.shape[0]):
        tangents.counts[k] = 0
    for dof in range(n):
        tangents.is_hit[dof] = 0
        tangents.block[dof, 0], tangents.block[dof, 1] = first_of_block(model, dof)
    check_trees(model, state, command, settings, work, tangents)
    if work.contact_count[0] + work.scalar_count[0] > tangents.contact.shape[0]:
        object_to(tangents, Obstacle.ROOM, 0)
        tangents.counts[Count.ROWS] = n + 3 * work.contact_count[0] + work.scalar_count[0]
        return
    if tangents.counts[Count.OBSTACLE] == Obstacle.ROUNDS:
        return
    kinematics.compute_poses(model, work.mid_q, work)
    single_axes(model, work)
    inertia_of_trees(model, work)
    if tangents.stage[1] != 0:
        check_way(model, state, settings, work, tangents)
    is_free = tangents.stage[3] != 0
    if is_free:
        respond_freely(model, work, tangents)
    else:
        choose_contacts(model, settings, work, tangents)
        choose_scalars(model, settings, work, tangents)
        choose_spins(work, tangents)
    if tangents.stage[1] != 0:
        check_kept(model, work, tangents)
    contacts, scalars = tangents.counts[Count.CONTACTS], tangents.counts[Count.SCALARS]
    at_spin = n + 3 * contacts + scalars
    rows = at_spin + 3 * tangents.counts[Count.SPINS]
    tangents.counts[Count.ROWS] = rows
    at_q = filled_up(rows)
    _, at_gap = bend_columns(tangents)
    columns = filled_up(at_gap + contacts + scalars)
    tangents.counts[Count.COLUMNS] = columns
    if rows > tangents.system.shape[0] or columns > tangents.system.shape[1]:
        tangents.counts[Count.OBSTACLE] = Obstacle.ROOM
        return
    if tangents.counts[Count.OBSTACLE] != 0:
        return
    clear_system(tangents, rows, columns)
    for k in range(n):
        tangents.vdot[k] = (work.next_v[k] - tangents.start_v[k]) / settings.dt
    move_bodies(model, settings, work, tangents, work.mid_v)
    collect_bodies(model, work, tangents)
    differentiate_dofs(model, work, tangents, work.mid_v)
    drift_tangents(model, state, settings, work, tangents)
    inverse_dynamics_tangents(model, settings, work, tangents, tangents.system, at_q, at_q + 2 * n)
    take_singles(model, settings, work, tangents, at_q, at_q + n)
    if tangents.stage[1] != 0 and is_any_kept(model, work):
        note_pushes_on_bases(model, work, tangents, columns)
    take_forces(model, command, settings, work, tangents, at_q, at_q + n, at_q + 3 * n)
    take_masses(model, tangents, at_q + n)
    take_wrenches(model, settings, work, tangents, at_q)
    if tangents.stage[0] > 0:  # rows of contacts stay those of the first round
        move_bodies(model, settings, work, tangents, tangents.first_mean)
        differentiate_dofs(model, work, tangents, tangents.first_mean)
    if tangents.stage[4] != 0:
        move_freely(model, work, tangents)
    for m in range(contacts):
        impulse = vec.load(work.contact_impulse, tangents.contact[m])
        take_contact(model, settings, work, tangents, m, n + 3 * m, impulse, False)
        check_contact(model, settings, work, tangents, m, n + 3 * m)
        tangents.system[n + 3 * m + 2, at_gap + m] = 1.0
    for m in range(scalars):
        take_scalar(model, work, tangents, m, n + 3 * contacts + m, at_q + n, at_gap)
    for k in range(tangents.counts[Count.SPINS]):
        take_spin(model, work, tangents, k, at_spin + 3 * k)
    check_motion(model, settings, work, tangents)
    if not is_free:
        check_open(model, work, tangents)
        take_targets(model, settings, work, tangents)
    is_shifted = tangents.stage[1] != 0 and has_shift(model, work, tangents)
    if is_shifted:
        note_pushes(model, settings, work, tangents)
    for m in range(contacts):
        if tangents.slips[m] == 1:
            bend_slip(model, work, tangents, m, n + 3 * m)
    for k in range(tangents.counts[Count.SPINS]):
        bend_spin(model, settings, work, tangents, k, at_spin + 3 * k)
    if tangents.counts[Count.OBSTACLE] != 0:
        return
    divide_laws(tangents, columns)
    eliminate(tangents, rows, columns)
    if tangents.counts[Count.REDUNDANT] > 0:
        check_shares(work, tangents, rows)
    tangents.counts[Count.SIDES] = tangents.stage[2]
    for k in range(contacts + scalars):
        if tangents.gap_slope[k, 0] != tangents.gap_slope[k, 1]:
            tangents.counts[Count.SIDES] = 1
        if is_shifted and tangents.shift_slope[k, 0] != tangents.shift_slope[k, 1]:
            tangents.counts[Count.SIDES] = 1
    compose(model, settings, work, tangents, tangents.grown, tangents.mean_by_grown, 1.0)
    if tangents.counts[Count.SIDES] > 0:
        compose(model, settings, work, tangents, tangents.fallen, tangents.mean_by_fallen, -1.0)
    redundant = tangents.counts[Count.REDUNDANT]
    if redundant > 0:
        add_rows(
            model, settings, work, tangents, tangents.lack, tangents.left, 0, tangents.mean_by_grown, 1.0,
            False,
        )  # fmt: skip
        if tangents.counts[Count.SIDES] > 0:
            add_rows(
                model, settings, work, tangents, tangents.lack, tangents.left_fallen, 0,
                tangents.mean_by_fallen, -1.0, False,
            )  # fmt: skip
    if is_shifted:
        tangents.counts[Count.SHIFTED] = 1
        shift_system(model, settings, work, tangents)
        eliminate(tangents, rows, columns)
        compose_shift(model, settings, work, tangents, tangents.grown, 1.0)
        if tangents.counts[Count.SIDES] > 0:
            compose_shift(model, settings, work, tangents, tangents.fallen, -1.0)
        tangents.counts[Count.REDUNDANT] = redundant
    if tangents.stage[1] != 0 and is_any_kept(model, work):
        begin_momentum_tangents(model, state, settings, work, tangents)
        keep_all_momenta(model, state, settings, work, tangents, tangents.grown, 1.0)
        if tangents.counts[Count.SIDES] > 0:
            keep_all_momenta(model, state, settings, work, tangents, tangents.fallen, -1.0)


@entry
def motion_of_step(model, settings, work, tangents):
    """Write how all bodies move in the step that was differentiated last, and what they and all dofs need.

    Writes: work, tangents.
    """
    kinematics.compute_poses(model, work.mid_q, work)
    single_axes(model, work)
    inertia_of_trees(model, work)
    move_bodies(model, settings, work, tangents, work.mid_v)
    collect_bodies(model, work, tangents)
    differentiate_dofs(model, work, tangents, work.mid_v)


@kernel
def respond_freely(model, work, tangents):
    """Let the step end as forces alone have it: `free_v` and the velocity at the end.

    Writes: work, tangents.
    """
    unwhiten(model, work, work.free_response, tangents.free_v)
    for dof in range(model.dof_body.shape[0]):
        if model.dof_is_moved[dof] != 0:
            work.next_v[dof] = tangents.start_v[dof] + tangents.free_v[dof]


@kernel
def move_freely(model, work, tangents):
    """Write the motions of all bodies at what forces alone add to velocities.

    Writes: tangents.
    """
    for i in range(model.body_parent.shape[0]):
        parent = model.body_parent[i]
        v = spatial.load(tangents.free_twist, parent) if parent >= 0 else STILL
        v, _ = body_motion(model, tangents.free_v, work, i, v, STILL)
        spatial.store(tangents.free_twist, i, v)


@kernel
def take_targets(model, settings, work, tangents):
    """Write how what contacts ask for changes with their motion and with forces, in the first round.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    is_first = tangents.stage[0] == 0
    if is_first:
        for c in range(work.contact_count[0]):
            tangents.has_target[c] = 0
    for m in range(tangents.counts[Count.CONTACTS]):
        by_speed, by_push, _ = vec.load(tangents.law_slope, m)
        if by_speed == 0.0 and by_push == 0.0:
            continue
        c = tangents.contact[m]
        if is_first:
            if tangents.stage[4] == 0:
                object_to(tangents, Obstacle.LASTING, c)
            tangents.has_target[c] = 1
            compose_target(tangents, m, n + 3 * m, results(tangents, settings), tangents.target_by)
        elif tangents.has_target[c] == 0:
            object_to(tangents, Obstacle.MISMATCH, c)


@kernel
def results(tangents, settings):
    """Return how many columns results have: accelerations, if wanted, move steps of the midpoint rule."""
    n = tangents.start_v.shape[0]
    is_wide = tangents.stage[5] != 0 and settings.integrator != Integrator.SEMI_IMPLICIT
    return 5 * n if is_wide else 3 * n


@kernel
def results_and_sizes(tangents, settings):
    """Return how many columns results have with those of the sizes of gaps, where these are wanted."""
    columns = results(tangents, settings)
    return columns + (tangents.counts[Count.CONTACTS] + tangents.counts[Count.SCALARS]) * (
        tangents.stage[6] != 0
    )


@kernel
def ask_gaps(settings, work, tangents, columns, sign, is_shift):
    """Write by how much what each gap asks for changes with the inputs.

    A gap has one slope s₊ where it opens and another s₋ where it closes: ½ (s₊ + s₋) δ + ½ (s₊ − s₋) |δ|.

    Writes: tangents.
    """
    n = tangents.start_v.shape[0]
    contacts = tangents.counts[Count.CONTACTS]
    last = results_and_sizes(tangents, settings)
    for k in range(contacts + tangents.counts[Count.SCALARS]):
        for place in range(last):
            tangents.asked[k, place] = 0.0
        for j in range(n):
            add_by_inputs(
                tangents, tangents.asked, k, j, columns, tangents.gap_by_q[k, j],
                tangents.gap_by_v[k, j], tangents.gap_by_mean[k, j],
            )  # fmt: skip
        c = tangents.contact[k] if k < contacts else 0
        law = 1.0 if k < contacts and tangents.has_target[c] == 1 else 0.0
        if is_shift and law > 0.0:
            law = -1.0 if work.contact_correction[c] > 0.0 else 0.0
        if last > columns:
            slope = tangents.shift_slope if is_shift else tangents.gap_slope
            half = 0.5 * (slope[k, 0] - slope[k, 1])
            tangents.asked[k, columns + k] = settings.dt * half if is_shift else half
        for place in range(columns):
            x = tangents.asked[k, place]
            tangents.gap_by[k, place] = x
            x *= slope_of(tangents, k, sign * x, is_shift)
            if law != 0.0:
                x += law * tangents.target_by[c, place]
            tangents.asked[k, place] = settings.dt * x if is_shift else x


@kernel
def add_rows(model, settings, work, tangents, source, out, first, mean_by, sign, is_shift):
    """Put together δv⁺ and δλ, from row `first` on, as the inputs grow (sign 1) or fall (−1).

    is_shift: those of the shift at the end of the step.

    Writes: tangents, out.
    """
    n = model.dof_body.shape[0]
    at_q = filled_up(tangents.counts[Count.ROWS])
    at_bend, at_gap = bend_columns(tangents)
    columns, last = results(tangents, settings), results_and_sizes(tangents, settings)
    ask_gaps(settings, work, tangents, columns, sign, is_shift)
    for r in range(tangents.counts[Count.ROWS]):
        i = first + r
        for j in range(n):
            by_q = by_v = by_rate = 0.0
            for m in range(tangents.block[j, 0], tangents.block[j, 0] + tangents.block[j, 1]):
                x = source[r, at_q + m]
                by_q += x * tangents.middle_by_q[m, j]
                by_v += x * tangents.middle_by_v[m, j]
                by_rate += x * tangents.middle_by_rate[m, j]
            bend = source[r, at_bend + j]
            out[i, j] = by_q
            out[i, n + j] = by_v + source[r, at_q + n + j] + bend
            out[i, 2 * n + j] = source[r, at_q + 3 * n + j]
            if columns > 3 * n:
                out[i, 3 * n + j] = by_rate + bend * tangents.first_mean_by[j, 0]
                out[i, 4 * n + j] = bend * tangents.first_mean_by[j, 1]
        for place in range(columns, last):
            out[i, place] = 0.0
        if tangents.stage[0] > 0:
            for k in range(n):
                add_line(out, i, source[r, at_q + 2 * n + k], mean_by, k, columns)
        for k in range(tangents.counts[Count.CONTACTS] + tangents.counts[Count.SCALARS]):
            add_line(out, i, source[r, at_gap + k], tangents.asked, k, last)


@kernel
def add_line(out, i, factor, table, k, columns):
    """Add a multiple of row k of a table to row i of another.

    Writes: out.
    """
    if factor != 0.0:
        for place in range(columns):
            out[i, place] += factor * table[k, place]


@kernel
def slope_of(tangents, k, change, is_shift):
    """Return the slope of what is asked for by gap k, as that changes; 0: it does not."""
    if is_shift:
        return tangents.shift_slope[k, 0 if change > 0.0 else 1]
    if change == 0.0:
        return 0.5 * (tangents.gap_slope[k, 0] + tangents.gap_slope[k, 1])
    return tangents.gap_slope[k, 0 if change > 0.0 else 1]


@kernel
def keep_all_momenta(model, state, settings, work, tangents, out, sign):
    """Set the rows of floating bases, as the inputs grow (sign 1) or fall (−1).

    Writes: tangents, out.
    """
    mean_by = tangents.mean_by_grown if sign > 0.0 else tangents.mean_by_fallen
    add_rows(
        model, settings, work, tangents, tangents.pushes, tangents.pushed_by, 0, mean_by, sign, False
    )  # fmt: skip
    keep_momentum_tangents(model, state, settings, work, tangents, out)


@kernel
def compose_shift(model, settings, work, tangents, out, sign):
    """Add the change of the shift to that of the coordinates, as the inputs grow (sign 1) or fall (−1).

    Writes: tangents, out.
    """
    shift_by = tangents.shift_by if sign > 0.0 else tangents.shift_fallen
    add_rows(
        model, settings, work, tangents, tangents.answer, shift_by, 0, tangents.mean_by_grown, sign, True
    )  # fmt: skip
    check_pushes(model, work, tangents, shift_by, results(tangents, settings), sign)
    add_shift(model, work, shift_by, out)


@kernel
def compose(model, settings, work, tangents, out, mean_by, sign):
    """Put together δq⁺, δv⁺ and δλ by the inputs, as these grow (sign 1) or fall (−1).

    Writes: out.
    """
    n = model.dof_body.shape[0]
    add_rows(model, settings, work, tangents, tangents.answer, out, n, mean_by, sign, False)
    columns, last = results(tangents, settings), results_and_sizes(tangents, settings)
    for k in range(n):
        first, size = tangents.block[k, 0], tangents.block[k, 1]
        for place in range(last):
            out[k, place] = 0.0
        for m in range(first, first + size):
            add_line(out, k, tangents.end_by_v[k, m], out, n + m, last)
            if tangents.is_hit[m] == 1:  # δω̇ = (δv_free − δv)/dt
                add_line(out, k, tangents.end_by_rate[k, m] / settings.dt, tangents.free_by, m, columns)
        for j in range(first, first + size):
            out[k, n + j] += tangents.end_by_start[k, j]
            for m in range(first, first + size):
                x = tangents.end_by_middle[k, m]
                out[k, j] += x * tangents.middle_by_q[m, j]
                out[k, n + j] += x * tangents.middle_by_v[m, j]
                if columns > 3 * n:
                    out[k, 3 * n + j] += x * tangents.middle_by_rate[m, j]
