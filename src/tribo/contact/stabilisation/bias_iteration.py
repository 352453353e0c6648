"""Stage `bias_iteration.iterate_bias`: solve again until the bias force belongs to the solved velocity.

Where a tree rotates far in a step, and drives, friction, stops or constraints act on it, impulses apply to
the whole step, but the bias force h changes within it. So the tree is integrated in substeps of fourth order
under the solved joint forces, drives and Jᵀλ/dt, held constant; M (v_end − v)/dt then gives the mean h of the
step, and all is solved again until both end at the same velocity. The impulses satisfy their laws, and the
trajectory conserves energy. Trees that contacts push only evaluate h again at the new mean velocity v̄.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import contacts_in, find_representative, is_side, island_rows
from tribo.contact.problem.scalar_rows import constraint_of_row
from tribo.contact.solver.island_solve import solve_island
from tribo.dynamics import bias, couplings, rk4
from tribo.dynamics.mid_velocity import (
    CONVERGED,
    compare_mid_velocity,
    far_turn,
    judge_explicit,
    largest_turn,
    mid_velocity_tolerance,
    reached_round_limit,
    rotates_far,
    update_mid_velocity,
    velocity_difference,
)
from tribo.dynamics.whitening import twice_energy, unwhiten_tree, whiten_tree
from tribo.model import IntegrationMode, Integrator, Joint, Slot, Status

ERROR_PUSHED = 2e-4  # [–] of the velocity: admissible error of h(v̄) with contacts; also of the energy
DIVERGED = 0.5  # [–] the same, from which on the iteration diverges
APART = 0.1  # [–] of the velocity: admissible error of v̄ with contacts at the end
CLOSE = 0.03  # [–] of the velocity: admissible error of substeps after the last round but one
FINAL_TOLERANCE = 1e-4  # [–] of substeps and solve at the end
ROUNDS = 8
STALE, SOLVED_AGAIN = 1, 2  # entries of `Work.island_is_stale`


@kernel
def has_contact(model, work, t):
    """Tell whether a contact pushes tree t."""
    island = find_representative(work.tree_island, t)
    for c in contacts_in(work, island):
        acts = work.contact_impulse[c, 2] > 0.0 or work.adhesion_impulse[c] > 0.0
        if acts and is_side(model, work, c, t):
            return True
    if work.soft_count[0] > 0:
        for c in range(work.contact_count[0]):
            if work.contact_is_soft[c] == 1 and is_side(model, work, c, t):
                return True
    return False


@kernel
def restore_bias(model, work, t):
    """Restore the bias force of tree t that the solve used.

    Writes: work.
    """
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.bias_force[dof] = work.bias_before[dof]


@kernel
def whiten_bias_change(model, settings, work, t):
    """Write −D^(−1/2) L⁻ᵀ dt (h − h_before), a response change of tree t, to `change_v`; return its square.

    Writes: work.
    """
    first = model.tree_v[t]
    last = first + model.tree_nv[t]
    for dof in range(first, last):
        work.change_v[dof] = settings.dt * (work.bias_before[dof] - work.bias_force[dof])
    whiten_tree(model, work, t, work.change_v)
    square = 0.0
    for dof in range(first, last):
        square += work.change_v[dof] * work.change_v[dof]
    return square


@kernel
def move_response(model, settings, work, t):
    """Add the effect of a change of h to the responses of tree t, and mark its island to be solved again.

    Writes: work.
    """
    whiten_bias_change(model, settings, work, t)
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.free_response[dof] += work.change_v[dof]
        work.response[dof] += work.change_v[dof]
    work.island_is_stale[find_representative(work.tree_island, t)] = STALE


@kernel
def use_explicit_bias(model, state, settings, work, t):
    """Evaluate h of tree t once for the whole step, at the velocity at its start.

    Writes: work.
    """
    work.tree_mode[t] = IntegrationMode.EXPLICIT_BIAS
    work.tree_is_fourth[t] = 0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.mid_v[dof] = state.v[dof]
    bias.compute_tree_bias(model, work.mid_v, settings, work, t)


@kernel
def update_pushed_bias(model, state, settings, work, t, turn):
    """Evaluate h of tree t, which contacts push, at the new mean velocity if it errs; return whether it did.

    The error of h(v̄) is at most the rotation of the step times the error of v̄. If that is too much, h is
    evaluated, and restored if its change moves the tree by less: |δv| ≤ `ERROR_PUSHED` |v|, measured by the
    kinetic energy. Held forces are not used here: contact impulses within a step, as those that part an
    overlap, are no constant forces.

    Writes: work.
    """
    if work.tree_mode[t] == IntegrationMode.EXPLICIT_BIAS:
        return False
    apart = compare_mid_velocity(model, state, work, t, work.response, False)
    error = apart * turn
    is_near = error <= ERROR_PUSHED
    work.tree_is_fourth[t] = 0
    if not error <= DIVERGED:
        if work.island_miss[find_representative(work.tree_island, t)] == inf:
            return False  # a draft is too inaccurate to decide
        use_explicit_bias(model, state, settings, work, t)
        return True
    work.tree_mode[t] = IntegrationMode.SETTLED if is_near or apart <= APART else IntegrationMode.NOT_SETTLED
    if is_near or work.bias_rounds[0] >= ROUNDS:
        return False
    first, last = model.tree_v[t], model.tree_v[t] + model.tree_nv[t]
    for dof in range(first, last):
        work.rk_v[dof] = work.mid_v[dof]
    update_mid_velocity(model, state, work, t)
    bias.compute_tree_bias(model, work.mid_v, settings, work, t)
    most = ERROR_PUSHED * ERROR_PUSHED * twice_energy(model, work, t, work.start_velocity)
    if not whiten_bias_change(model, settings, work, t) <= most:
        return True
    restore_bias(model, work, t)
    for dof in range(first, last):
        work.mid_v[dof] = work.rk_v[dof]
    work.tree_mode[t] = IntegrationMode.SETTLED
    return False


@kernel
def update_tree_bias(model, state, command, settings, work, t, is_first):
    """Update h of tree t if it errs, or request substeps for it; return whether h changed.

    With contacts, or dampers that dissipate more, h may have a small error. A solve changes v̄; h of substeps
    then errs by the rotation times that. Moved like h(v̄), it errs by this times the rotation or change of v.

    Writes: work.
    """
    code = work.tree_mode[t]
    if work.tree_is_free[t] == 1 and (code == IntegrationMode.SETTLED or code == IntegrationMode.SUBSTEPPED):
        return False
    if not is_first and work.island_is_stale[find_representative(work.tree_island, t)] == 0:
        return False  # unchanged since the last comparison
    if code == IntegrationMode.SETTLED:
        turn = far_turn(model, state, settings, work, t, work.response)
        if turn == 0.0:
            return False
    else:
        turn = largest_turn(model, settings, work, t)
    if reached_round_limit(work, work.bias_rounds[0]):
        return False
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.bias_before[dof] = work.bias_force[dof]
    if has_contact(model, work, t):
        return update_pushed_bias(model, state, settings, work, t, turn)
    if code == IntegrationMode.EXPLICIT_BIAS:
        return False
    if code == IntegrationMode.SETTLED:
        enough, rounds = mid_velocity_tolerance(model, command, settings, work, t, turn)
        if compare_mid_velocity(model, state, work, t, work.response, False) <= enough:
            return False
        if work.bias_rounds[0] < rounds:
            update_mid_velocity(model, state, work, t)
            bias.compute_tree_bias(model, work.mid_v, settings, work, t)
            return True
    if code == IntegrationMode.SUBSTEPS_DONE and model.tree_is_constrained[t] == 0:
        apart = compare_mid_velocity(model, state, work, t, work.response, False)
        error = apart * turn
        if error <= CONVERGED:
            mark_ruled_joints(model, work, t)
            return False
        jump = velocity_difference(model, state, work, t, 1.0, state.v)
        if max(error * jump, error * error / apart) <= CONVERGED and work.bias_rounds[0] < ROUNDS - 1:
            move_substep_bias(model, state, settings, work, t)
            return True
    work.tree_mode[t] = IntegrationMode.SUBSTEPS_PENDING
    work.tree_is_fourth[t] = 0
    return False


@kernel
def move_substep_bias(model, state, settings, work, t):
    """Move the mean h of the substeps of tree t by the change of h(v̄) in mid step, v̄ by `change_v`.

    Writes: work.
    """
    bias.compute_tree_bias(model, work.mid_v, settings, work, t)
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.rk_acc[dof] = work.bias_before[dof] - work.bias_force[dof]
    update_mid_velocity(model, state, work, t)
    bias.compute_tree_bias(model, work.mid_v, settings, work, t)
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.bias_force[dof] += work.rk_acc[dof]


@kernel
def mark_ruled_joints(model, work, t):
    """Mark the joints of tree t whose end position rows determine: at a stop with an impulse, or coupled.

    Writes: work.
    """
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        work.joint_is_ruled[i] = 0
    couplings.note_coupled(model, work, t)
    for n in range(work.scalar_count[0]):
        i = work.scalar_body[n, 0]
        if i < 0 or model.body_tree[i] != t or work.scalar_impulse[n] == 0.0:
            continue
        if work.scalar_slot[n] == model.joint_slot[i] + Slot.LIMIT:
            work.joint_is_ruled[i] = 1


@kernel
def check_substeps(model, state, settings, work, t):
    """Tell whether tree t needs its substeps again; mark the joints that rows determine.

    Substeps that still end far from the solve in the last round but one are discarded: held forces would
    accelerate light links too far.

    Writes: work.
    """
    unwhiten_tree(model, work, t, work.response, work.change_v)
    apart = velocity_difference(model, state, work, t, 1.0, work.rk_v)
    if work.bias_rounds[0] == ROUNDS - 1 and not apart <= CLOSE:
        use_explicit_bias(model, state, settings, work, t)
        return True
    work.tree_is_fourth[t] = 1 if apart < inf else 0
    mark_ruled_joints(model, work, t)
    if work.bias_rounds[0] >= ROUNDS and not apart <= FINAL_TOLERANCE:
        work.tree_mode[t] = IntegrationMode.NOT_SETTLED
    return work.bias_rounds[0] < ROUNDS and not apart <= CONVERGED


@kernel
def compare_bias(model, state, command, settings, work, is_first):
    """Compare h of all trees that rotate far with the solved velocity; return whether one changed.

    Responses follow the changes of h.

    Writes: work.
    """
    is_new = is_held = False
    for t in range(model.tree_body.shape[0]):
        if update_tree_bias(model, state, command, settings, work, t, is_first):
            move_response(model, settings, work, t)
            is_new = True
        is_held = is_held or work.tree_mode[t] == IntegrationMode.SUBSTEPS_PENDING
    if is_held and not rk4.integrate_held_trees(model, state, command, settings, work):
        return False
    for t in range(model.tree_body.shape[0]):
        is_lost = work.tree_mode[t] == IntegrationMode.SUBSTEPS_FAILED
        if is_lost:
            work.tree_mode[t] = IntegrationMode.EXPLICIT_BIAS
        elif work.tree_mode[t] != IntegrationMode.SUBSTEPS_DONE or work.tree_is_fourth[t] == 1:
            continue
        if is_lost or check_substeps(model, state, settings, work, t):
            move_response(model, settings, work, t)
            is_new = True
        else:
            restore_bias(model, work, t)
    return is_new


@kernel
def has_new_rows(model, work):
    """Tell whether a tree with a new h has rows that depend on its mid-step motion, too.

    These are constraints, and stops of spherical joints, along which a joint moves.
    """
    for n in range(work.scalar_count[0]):
        for side in range(2):
            if work.scalar_len[n, side] == 0:
                continue
            i = work.scalar_body[n, side]
            tree = model.body_tree[i]
            if work.island_is_stale[find_representative(work.tree_island, tree)] != STALE:
                continue
            is_stop = work.scalar_slot[n] == model.joint_slot[i] + Slot.LIMIT
            if constraint_of_row(model, work, n) >= 0 or (is_stop and model.joint_type[i] == Joint.SPHERICAL):
                return True
    return False


@kernel
def solve_stale(model, settings, work):
    """Solve islands with a new h again, and drafts to the end; return whether there were any.

    Writes: work.
    """
    is_any = False
    for t in range(work.island_is_stale.shape[0]):
        is_stale = work.island_is_stale[t] == STALE or work.island_miss[t] == inf
        work.island_is_stale[t] = SOLVED_AGAIN if is_stale else 0
        is_any = is_any or is_stale
        if is_stale and island_rows(work, t) > 0:
            solve_island(model, settings, work, t, island_rows(work, t))
    return is_any


@kernel
def iterate_bias(model, state, command, settings, work):
    """Iterate h and the solve until h agrees with the solved velocity; return 1 if the rows must be rebuilt.

    Only the islands of trees with a new h are solved again, from their present impulses.

    Writes: work.
    """
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        for t in range(model.tree_body.shape[0]):
            if rotates_far(model, state, settings, work, t):
                judge_explicit(model, state, settings, work, t)
        return 0
    for t in range(work.island_is_stale.shape[0]):
        work.island_is_stale[t] = 0
    for k in range(ROUNDS + 2):  # a draft takes one, too
        if compare_bias(model, state, command, settings, work, k == 0):
            work.bias_rounds[0] += 1
            if has_new_rows(model, work):
                return 1
        if work.status[0] & Status.CAPACITY or not solve_stale(model, settings, work):
            break
    return 0
