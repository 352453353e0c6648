"""Stages `island_solve.solve_islands` and `.remember_impulses`: the impulses of all islands, warm-started.

The effect of the impulses on the velocities is kept as the whitened response z = z_free + Σ yᵀ λ
(`work.response`; z_free is the effect of all other forces). So one visit to a contact costs O(depth of its
two chains), however large the pile. `method_choice` selects the solver of each island.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem import box_friction_rows, compliant_rows, joint_friction_rows
from tribo.contact.problem.contact_drift import common_turn
from tribo.contact.problem.contact_targets import speed_that_opens
from tribo.contact.problem.island_sums import sum_response
from tribo.contact.problem.islands import contacts_in, find_representative, island_rows
from tribo.contact.problem.scalar_rows import add_impulses_by_slot
from tribo.contact.problem.whitened_products import add_impulse_response, add_scalar_to, clamp_impulse
from tribo.contact.solver.block_matrix import find_nodes
from tribo.contact.solver.gauss_seidel_iteration import start_cold
from tribo.contact.solver.internal_impulses import remove_internal_impulse
from tribo.contact.solver.method_choice import (
    FEW_ROWS,
    SMALL_ROWS,
    is_pile,
    relax_heap_targets,
    solve_by_settings,
)
from tribo.contact.solver.natural_residual import (
    FLAGGED,
    GOOD,
    contact_violation,
    island_speed,
    island_violation,
)
from tribo.contact.solver.proximal_rows import Size
from tribo.dynamics.mid_velocity import rotates_far
from tribo.enums import Solver
from tribo.math import vec
from tribo.model import IntegrationMode, Integrator, Status

ROUNDING = 1.01  # [–] of a violation: growth that re-summing the same impulses may cause
BOUND_ROUNDS = 30  # solves in which the bounds of box friction follow the normal impulse


@kernel
def turn_vector(a, x):
    """Return x rotated by a small rotation vector a [rad]: x + a × x + ½ a × (a × x), exact to O(|a|³)."""
    if a[0] == 0.0 and a[1] == 0.0 and a[2] == 0.0:
        return x
    y = vec.cross(a, x)
    return vec.add(vec.add(x, y), vec.scale(0.5, vec.cross(a, y)))


@kernel
def last_impulse(model, state, settings, work, c, old):
    """Return force and torque impulse of contact c in the last step, stored at index `old`; else 0.

    If its two bodies rotate together (`contact_drift.common_turn`), the impulse is rotated with them.

    Writes: work.
    """
    if old == state.warm_count[0] or state.warm_key[old] != work.contact_key[c]:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    axes = vec.load_mat(work.contact_axes, c)
    force = vec.mat_vec(axes, vec.load(state.warm_impulse, old))
    torque = vec.mat_vec(axes, vec.load_from(state.warm_impulse, old, 3))
    if work.contact_is_resting[c] == 1:  # its impulse is known, both bodies sleep
        return force, torque
    if work.contact_drift_error[c] > 0.0:
        turn = common_turn(model, settings, work, c)
        force, torque = turn_vector(turn, force), turn_vector(turn, torque)
    return box_friction_rows.split_impulse(work, c, compliant_rows.to_solver_impulse(work, c, force)), torque


@kernel
def warm_start(model, state, settings, work):
    """Set the initial impulses of all contacts and rows, and the response that belongs to them.

    They are those of the last step, by key and slot, or if the step is solved again, of its last solve; box
    friction, whose rows have no slot of their own, then begins with none.

    Writes: work.
    """
    is_first = work.solves[0] == 0
    for dof in range(work.response.shape[0]):
        work.response[dof] = work.free_response[dof]
    old = 0
    for c in range(work.contact_count[0]):
        work.free_body_dof[c, 0] = -1  # not laid out for sweeps
        force, torque = vec.load(work.contact_impulse, c), vec.load(work.contact_spin_impulse, c)
        if is_first:
            while old < state.warm_count[0] and state.warm_key[old] < work.contact_key[c]:
                old += 1
            force, torque = last_impulse(model, state, settings, work, c, old)
        is_resting = work.contact_is_resting[c] == 1
        if not is_resting and (work.contact_target[c] == -inf or force[2] <= 0.0):
            force = (0.0, 0.0, 0.0)
        if not is_resting and (work.contact_is_spun[c] == 0 or force[2] == 0.0):
            torque = (0.0, 0.0, 0.0)
        vec.store(work.contact_impulse, c, force)
        vec.store(work.contact_spin_impulse, c, torque)
        if is_resting or force[2] == 0.0:
            continue
        add_impulse_response(model, work, work.contact_row, c, force, work.response)
        if work.contact_is_spun[c] == 1:
            add_impulse_response(model, work, work.contact_spin_row, c, torque, work.response)
    if is_first:
        for k in range(work.slot_impulse.shape[0]):
            work.slot_impulse[k] = state.scalar_impulse[k]
    for n in range(work.scalar_count[0]):
        if work.scalar_slot[n] >= 0:
            work.scalar_impulse[n] = work.slot_impulse[work.scalar_slot[n]]
        work.scalar_impulse[n] = clamp_impulse(work, n, work.scalar_impulse[n])
        add_scalar_to(model, work, n, work.scalar_impulse[n], work.response)


@kernel
def misses_opening(model, work, t, limit):
    """Tell whether a contact of island t that is to open an overlap misses its laws by more than `limit`."""
    is_any = False
    for c in contacts_in(work, t):
        is_any = is_any or (speed_that_opens(work, c) > 0.0 and contact_violation(model, work, c) > limit)
    return is_any


@kernel
def solve_island(model, settings, work, t, rows):
    """Solve island t to the tolerance of the settings.

    Where a contact that is to open by a velocity misses its laws, the shift of positions opens all instead,
    but not in piles, whose dead band leaves hardly any such velocity.
    Box friction has bounds that depend on the normal impulse: solve and rescale the bounds until they agree.

    Writes: work.
    """
    tolerance = settings.tolerance
    is_solved = solve_by_settings(model, settings, work, t, rows, tolerance)
    limit = GOOD * tolerance * work.removed_speed[0]
    is_final = settings.contact_solver == Solver.SWEEPS or is_pile(model, work, t)
    if not is_final and misses_opening(model, work, t, limit):
        for c in contacts_in(work, t):
            opening = speed_that_opens(work, c)
            work.contact_correction[c] += opening
            work.contact_target[c] -= opening
            work.contact_start[c, 2] += opening
        start_cold(model, work, t)
        is_solved = solve_by_settings(model, settings, work, t, rows, tolerance)
    for _ in range(BOUND_ROUNDS):
        if work.status[0] & Status.CAPACITY or not box_friction_rows.scale_bounds(model, work, t):
            break
        is_solved = solve_by_settings(model, settings, work, t, rows, tolerance)
    has_changed = False
    for c in contacts_in(work, t):
        has_changed = remove_internal_impulse(model, work, c, tolerance) or has_changed
    if has_changed:  # without the round-off of large impulses
        sum_response(model, work, t, find_nodes(model, work, t))
    work.island_miss[t] = 0.0
    if is_solved and rows < SMALL_ROWS:
        return
    speed = work.removed_speed[0]  # a large moving island is not solved to the tolerance
    if speed > 0.0:
        work.island_miss[t] = island_violation(model, work, t) / speed


@kernel
def is_as_good(model, settings, work, t):
    """Tell whether island t, of contacts only, violates its laws no more than after the step's last solve."""
    has_scalars = work.island_scalar_start[t + 1] > work.island_scalar_start[t]
    if work.solves[0] == 0 or has_scalars or work.island_miss[t] == inf:
        return False
    may_miss = max(GOOD * settings.tolerance, ROUNDING * work.island_miss[t])
    return island_violation(model, work, t) <= may_miss * island_speed(settings, work, t)


@kernel
def mark_turning_islands(model, state, settings, work):
    """Mark the islands of trees whose bias force may change with their contact impulses as stale.

    In the first round these get a draft, solved to the tolerance `FLAGGED`; `bias_iteration` updates h and
    solves them again.

    Writes: work.
    """
    for t in range(work.tree_island.shape[0]):
        work.island_is_stale[t] = 0
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        return
    for tree in range(work.tree_island.shape[0]):
        if work.tree_mode[tree] == IntegrationMode.SETTLED and rotates_far(
            model, state, settings, work, tree
        ):
            work.island_is_stale[find_representative(work.tree_island, tree)] = 1


@kernel
def solve_islands(model, state, settings, work):
    """Find the impulses of all contacts and scalar rows; of stale islands only a draft in the first round.

    Writes: work.
    """
    warm_start(model, state, settings, work)
    mark_turning_islands(model, state, settings, work)
    work.sweeps[0] = 0
    work.dense_size[Size.WRITTEN] = 0
    work.column_count[0] = 0
    work.dense_count[0] = 0
    work.node_count[0] = 0
    work.value_count[0] = 0
    for dof in range(work.column_of.shape[0]):
        work.column_of[dof] = 0
    for t in range(work.tree_island.shape[0]):
        rows = island_rows(work, t)
        if rows == 0:
            work.island_miss[t] = 0.0
            continue
        relax_heap_targets(model, settings, work, t, rows)
        if is_as_good(model, settings, work, t):
            continue
        has_contacts = work.island_contact_start[t + 1] > work.island_contact_start[t]
        is_draft = work.island_is_stale[t] == 1 and work.bias_rounds[2] == 0
        if has_contacts and rows > FEW_ROWS and is_draft:
            solve_by_settings(model, settings, work, t, rows, FLAGGED)
            work.island_miss[t] = inf
        else:
            solve_island(model, settings, work, t, rows)
    work.solves[0] += 1


@kernel
def remember_impulses(model, state, work):
    """Store the impulses as warm start of the next step.

    Contact impulses are stored as the bodies feel them (`compliant_rows.to_felt_impulse`), in world axes.
    Impulses of equality rows (no bounds) and of rows that slide on a cone are added to `free_response`.

    Writes: state, work.
    """
    n = 0
    for c in range(work.contact_count[0]):
        is_open = work.contact_impulse[c, 2] <= 0.0
        compliant_rows.to_felt_impulse(work, c)
        if is_open:
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
    for m in range(work.scalar_count[0]):
        is_equation = work.scalar_lower[m] == -inf and work.scalar_upper[m] == inf
        if is_equation or joint_friction_rows.slides_on_cone(model, state, work, m):
            add_scalar_to(model, work, m, work.scalar_impulse[m], work.free_response)
    for k in range(state.scalar_impulse.shape[0]):
        state.scalar_impulse[k] = 0.0
    add_impulses_by_slot(work, state.scalar_impulse)
