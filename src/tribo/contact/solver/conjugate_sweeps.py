"""Sweeps accelerated by nonlinear conjugate gradients.

The change Δλ of a sweep takes the place of the gradient; the search direction is p = Δλ + β p, with β the
square of this change over that of the last (Fletcher, Reeves 1964). A sweep carries a load from a body to the
next one; conjugate sweeps carry it many times as far. Squares are those of the responses, ‖Δz‖² = Δλᵀ G Δλ.
If a change is larger than the last, the direction is reset. The last sweep is not extrapolated, so its
impulses satisfy their bounds.
Source: Silcowitz, Niebe, Erleben 2010, "A nonsmooth nonlinear conjugate gradient method for interactive
contact force problems".
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.solver.gauss_seidel_iteration import sweep_island

BEST, SWEPT, DIRECTION = range(3)  # copies of impulses: the best; before a sweep; the search direction


@kernel
def save_impulses(work, t, slot):
    """Copy the present impulses of island t to a slot.

    Writes: work.
    """
    for c in contacts_in(work, t):
        for a in range(3):
            work.contact_kept[slot, c, a] = work.contact_impulse[c, a]
            work.contact_kept[slot, c, 3 + a] = work.contact_spin_impulse[c, a]
    for n in scalars_in(work, t):
        work.scalar_kept[slot, n] = work.scalar_impulse[n]


@kernel
def load_impulses(model, work, t, count, slot):
    """Restore the impulses of island t from a slot, and recompute the response of its `count` nodes.

    Writes: work.
    """
    kept = work.contact_kept
    for c in contacts_in(work, t):
        for a in range(3):
            work.contact_impulse[c, a] = kept[slot, c, a]
            work.contact_spin_impulse[c, a] = kept[slot, c, 3 + a]
    for n in scalars_in(work, t):
        work.scalar_impulse[n] = work.scalar_kept[slot, n]
    island_sums.sum_response(model, work, t, count)


@kernel
def mark_sweep_start(model, work, t, count):
    """Save response and impulses as the start of a sweep, and clear the direction.

    Writes: work.
    """
    save_impulses(work, t, SWEPT)
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            work.newton_start[dof] = work.response[dof]
            work.pile_step[dof] = 0.0
    for c in contacts_in(work, t):
        for a in range(6):
            work.contact_kept[DIRECTION, c, a] = 0.0
    for n in scalars_in(work, t):
        work.scalar_kept[DIRECTION, n] = 0.0


@kernel
def continue_along(model, work, t, count, beta):
    """Add β times the last direction to the change of a sweep; store the sum as next direction and new start.

    Writes: work.
    """
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            z = work.newton_start[dof]
            direction = (work.response[dof] - z) + beta * work.pile_step[dof]
            work.pile_step[dof] = direction
            work.newton_start[dof] = work.response[dof] = z + direction
    kept = work.contact_kept
    for c in contacts_in(work, t):
        for a in range(6 if work.contact_is_spun[c] == 1 else 3):
            impulse, axis = work.contact_impulse if a < 3 else work.contact_spin_impulse, a % 3
            before = kept[SWEPT, c, a]
            direction = (impulse[c, axis] - before) + beta * kept[DIRECTION, c, a]
            kept[DIRECTION, c, a] = direction
            kept[SWEPT, c, a] = impulse[c, axis] = before + direction
    for n in scalars_in(work, t):
        before = work.scalar_kept[SWEPT, n]
        direction = (work.scalar_impulse[n] - before) + beta * work.scalar_kept[DIRECTION, n]
        work.scalar_kept[DIRECTION, n] = direction
        work.scalar_kept[SWEPT, n] = work.scalar_impulse[n] = before + direction


@kernel
def sweep_conjugate(model, work, t, count, sweeps, limit):
    """Run conjugate sweeps on island t; return how many were made, at most `sweeps`.

    Ends earlier if a sweep changes no velocity by more than `limit` [m/s]. count: nodes of the island.

    Writes: work.
    """
    mark_sweep_start(model, work, t, count)
    change = work.pile_residual
    last = 0.0
    made = 0
    while made < sweeps:
        made += 1
        if sweep_island(model, work, t) <= limit or made == sweeps:
            break
        island_sums.write_response_change(model, work, count, work.newton_start, change)
        square = island_sums.dof_product(model, work, count, change, change)
        continue_along(model, work, t, count, square / last if square < last else 0.0)
        last = square
    island_sums.sum_response(model, work, t, count)
    return made
