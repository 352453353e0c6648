"""A sweep: one visit to every contact and row of an island, each solved exactly with all others fixed.

Source: Hwangbo, Lee, Hutter 2018 (per-contact iteration), with the local solve of `coulomb_cone`.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import is_yes, some, spread4, top
from tribo.contact.problem.free_body_rows import inverse_of
from tribo.contact.problem.island_sums import sum_response
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import (
    add_contact_response,
    add_impulse_response,
    add_scalar_to,
    clamp_impulse,
    contact_velocity,
    row_velocity,
    scalar_velocity,
)
from tribo.contact.solver import coulomb_cone
from tribo.contact.solver.block_matrix import find_nodes
from tribo.contact.solver.contact_lane_groups import has_lane_groups
from tribo.contact.solver.coulomb_cone import NO_FRICTION
from tribo.contact.solver.coulomb_cone_lanes import sum_of_sizes
from tribo.contact.solver.lane_group_visit import larger_lanes, visit_lane_group
from tribo.contact.solver.natural_residual import GOOD, island_violation
from tribo.math import spatial, vec
from tribo.math.lane_rows import LANES

ZERO = (0.0, 0.0, 0.0)


@kernel
def sweep_scalar(model, work, n):
    """Solve scalar row n with all other rows fixed; return the change of its velocity.

    Writes: work.
    """
    before = work.scalar_impulse[n]
    w = scalar_velocity(model, work, n)
    after = clamp_impulse(work, n, before - w / work.scalar_delassus[n])
    work.scalar_impulse[n] = after
    if after != before:
        add_scalar_to(model, work, n, after - before, work.response)
    return abs(after - before) * work.scalar_delassus[n]


@kernel
def sweep_contact(model, work, c):
    """Solve contact c with all other rows fixed; return the change of its velocity.

    Writes: work.
    """
    g = spatial.load(work.contact_delassus, c)
    before = vec.load(work.contact_impulse, c)
    w = contact_velocity(model, work, c)
    free = vec.add(vec.sym_vec(g, vec.neg(before)), w)
    mu = work.contact_friction[c]
    if work.free_body_dof[c, 0] < 0 or mu <= NO_FRICTION or free[2] > 0.0:
        after = coulomb_cone.solve_contact(g, free, mu, before)
    else:  # laid out, with its inverse
        after = coulomb_cone.solve_rough(g, inverse_of(work, c), free, mu, before)
    step = vec.sub(after, before)
    change = 0.0
    if step != ZERO:
        vec.store(work.contact_impulse, c, after)
        add_contact_response(model, work, c, step, work.response)
        change = sum_of_sizes(vec.sym_vec(g, step))
    if work.contact_is_spun[c] == 1:
        change += sweep_spin(model, work, c, after[2])
    return change


@kernel
def sweep_spin(model, work, c, normal):
    """Solve rolling and spinning friction of contact c; return the change of velocity at its radius.

    Writes: work.
    """
    k = spatial.load(work.contact_spin_delassus, c)
    before = vec.load(work.contact_spin_impulse, c)
    omega = row_velocity(model, work, work.contact_spin_row, work.contact_spin_start, c)
    after = coulomb_cone.solve_spin(
        k, omega, before, work.contact_rolling[c], work.contact_spinning[c], normal
    )
    step = vec.sub(after, before)
    if step == ZERO:
        return 0.0
    vec.store(work.contact_spin_impulse, c, after)
    add_impulse_response(model, work, work.contact_spin_row, c, step, work.response)
    return work.contact_radius[c] * sum_of_sizes(vec.sym_vec(k, step))


@kernel
def sweep_lane_groups(model, work):
    """Visit all groups, then the contacts that are in none; return the largest change of a velocity.

    Writes: work.
    """
    change = 0.0
    changes = spread4(0.0)
    for p in range(work.lane_group_count[0]):
        own, is_hard = visit_lane_group(work, p)
        changes = larger_lanes(changes, own)
        if some(is_hard):
            for lane in range(LANES):
                if is_yes(is_hard, lane):
                    change = max(change, sweep_contact(model, work, work.lane_group_contact[p, lane]))
    for k in range(work.ungrouped_count[0]):
        change = max(change, sweep_contact(model, work, work.ungrouped_contact[k]))
    return max(change, top(changes))


@kernel
def sweep_island(model, work, t):
    """Visit every contact and scalar row of island t once; return the largest change of a velocity.

    Writes: work.
    """
    change = 0.0
    for n in scalars_in(work, t):
        change = max(change, sweep_scalar(model, work, n))
    if has_lane_groups(work, t):
        return max(change, sweep_lane_groups(model, work))
    for c in contacts_in(work, t):
        change = max(change, sweep_contact(model, work, c))
    return change


@kernel
def sweep_only(model, work, t, sweeps, limit):
    """Sweep island t at most `sweeps` times; return whether it is solved.

    A sweep that changes no velocity by more than `limit` ends it; the violation then decides.

    Writes: work.
    """
    for k in range(1, sweeps + 1):
        work.sweeps[0] = max(work.sweeps[0], k)
        if sweep_island(model, work, t) <= limit:
            return island_violation(model, work, t) <= GOOD * limit
    return False


@kernel
def start_cold(model, work, t):
    """Set all impulses of island t to zero, and remove their response.

    Writes: work.
    """
    for c in contacts_in(work, t):
        vec.store(work.contact_impulse, c, ZERO)
        vec.store(work.contact_spin_impulse, c, ZERO)
    for n in scalars_in(work, t):
        work.scalar_impulse[n] = 0.0
    sum_response(model, work, t, find_nodes(model, work, t))
