"""Stage `bias_iteration.iterate_bias`: repeats the solve until the bias force belongs to the solved velocity.

Where a tree turns far in a step, and drives, friction, stops or constraints act on it, its impulses belong
to the whole step and the path does not. So the tree is integrated in substeps of fourth order under what was
solved for, drives and Jᵀλ/dt, held as constant joint forces; M (v_end − v)/dt then tells which h the
whole step has to have, and all is solved anew until both end at the same velocity. The impulses keep
their laws, the path keeps the energy; trees that contacts push take v̄ anew alone (`update_pushed_bias`).
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import contacts_in, find_representative, island_rows
from tribo.contact.problem.scalar_rows import tie_of
from tribo.contact.solver.island_solve import solve_island
from tribo.dynamics import bias, couplings, rk4
from tribo.dynamics.mid_velocity import (
    ENOUGH,
    compare_mid_velocity,
    judge_explicit,
    largest_turn,
    mid_velocity_tolerance,
    reached_round_limit,
    rotates_far,
    update_mid_velocity,
    velocity_difference,
)
from tribo.dynamics.whitening import unwhiten_tree, whiten_tree
from tribo.model import IntegrationMode, Integrator, Joint, Slot, Status

SETTLED = int(IntegrationMode.SETTLED)
SUBSTEPPED = int(IntegrationMode.SUBSTEPPED)
SUBSTEPS_PENDING = int(IntegrationMode.SUBSTEPS_PENDING)
SUBSTEPS_DONE = int(IntegrationMode.SUBSTEPS_DONE)
NOT_SETTLED = int(IntegrationMode.NOT_SETTLED)
SUBSTEPS_FAILED = int(IntegrationMode.SUBSTEPS_FAILED)
EXPLICIT_BIAS = int(IntegrationMode.EXPLICIT_BIAS)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
SPHERICAL = int(Joint.SPHERICAL)
LIMIT = int(Slot.LIMIT)
CAPACITY = int(Status.CAPACITY)
ERROR_PUSHED = 5e-3  # [–] of the velocity: how much h(v̄) may err where contacts push, and take more
LOST_TRACK = 0.5  # [–] the same where taking h anew leads farther and farther away
APART = 0.1  # [–] of the velocity, by which v̄ may be off there in the end
CLOSE = 0.03  # [–] the same however far the tree turns; substeps and solve after the last but one round
LEFT = 1e-4  # [–] the same in the end
ROUNDS = 8
STALE, SOLVED_AGAIN = 1, 2  # entries of `Work.island_is_stale`


@kernel
def is_side(model, work, c, t):
    """Tell whether tree t is a side of contact c."""
    a, b = work.contact_body[c, 0], work.contact_body[c, 1]
    return model.body_tree[a] == t or model.body_tree[b] == t


@kernel
def has_contact(model, work, t):
    """Tell whether a contact pushes a tree."""
    island = find_representative(work.tree_island, t)
    for k in contacts_in(work, island):
        c = work.island_contact[k]
        acts = work.contact_impulse[c, 2] > 0.0 or work.adhesion_impulse[c] > 0.0
        if acts and is_side(model, work, c, t):
            return True
    if work.soft_count[0] > 0:
        for c in range(work.contact_count[0]):
            if work.contact_is_soft[c] == 1 and is_side(model, work, c, t):
                return True
    return False


@kernel
def save_bias(model, work, t):
    """Remember the bias force of a tree.

    Writes: work.
    """
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.bias_before[dof] = work.bias_force[dof]


@kernel
def restore_bias(model, work, t):
    """Take back the bias force of a tree that was remembered: the one that the solve had.

    Writes: work.
    """
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.bias_force[dof] = work.bias_before[dof]


@kernel
def move_response(model, settings, work, t):
    """Add to the responses of a tree what its h changed by; its island has to be solved on from there.

    z ← z − D^(−1/2) L⁻ᵀ dt (h − h_before)

    Writes: work.
    """
    first = model.tree_v[t]
    last = first + model.tree_nv[t]
    for dof in range(first, last):
        work.change_v[dof] = settings.dt * (work.bias_before[dof] - work.bias_force[dof])
    whiten_tree(model, work, t, work.change_v)
    for dof in range(first, last):
        work.free_response[dof] += work.change_v[dof]
        work.response[dof] += work.change_v[dof]
    work.island_is_stale[find_representative(work.tree_island, t)] = STALE


@kernel
def use_explicit_bias(model, state, settings, work, t):
    """Go back to one h for the whole step, at the velocity with which it begins, for a tree.

    Writes: work.
    """
    work.tree_mode[t] = EXPLICIT_BIAS
    work.tree_is_fourth[t] = 0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.mid_v[dof] = state.v[dof]
    bias.compute_tree_bias(model, work.mid_v, settings, work, t)


@kernel
def update_pushed_bias(model, state, settings, work, t):
    """Take h of a tree that contacts push anew at the velocity to which it leads, if it errs by much.

    Tell whether it was. h(v̄) errs by the turn of the step times the error of v̄. Not under held forces: what
    contacts do within a step, to part what overlaps for one, is no force to hold.

    Writes: work.
    """
    if work.tree_mode[t] == EXPLICIT_BIAS:
        return False
    apart = compare_mid_velocity(model, state, work, t, work.response, False)
    error = apart * largest_turn(model, settings, work, t)
    is_near = apart <= CLOSE or error <= ERROR_PUSHED
    work.tree_is_fourth[t] = 0
    if not error <= LOST_TRACK:
        if work.island_miss[find_representative(work.tree_island, t)] == inf:
            return False  # a draft says too little for that
        use_explicit_bias(model, state, settings, work, t)
        return True
    work.tree_mode[t] = SETTLED if is_near or apart <= APART else NOT_SETTLED
    if is_near or work.bias_rounds[0] >= ROUNDS:
        return False
    update_mid_velocity(model, state, work, t)
    bias.compute_tree_bias(model, work.mid_v, settings, work, t)
    return True


@kernel
def update_tree_bias(model, state, command, settings, work, t, is_first):
    """Take h of a tree that something touches, or might, anew where it errs; note whether it needs parts.

    Return whether h is another one. Where contacts push, or dampers take more from each joint, h may err by a
    little.

    Writes: work.
    """
    code = work.tree_mode[t]
    if work.tree_is_free[t] == 1 and (code == SETTLED or code == SUBSTEPPED):
        return False
    if not is_first and work.island_is_stale[find_representative(work.tree_island, t)] == 0:
        return False  # nothing changed since it was looked at
    if code == SETTLED and not rotates_far(model, state, settings, work, t):
        return False
    if reached_round_limit(work, work.bias_rounds[0]):
        return False
    save_bias(model, work, t)
    if has_contact(model, work, t):
        return update_pushed_bias(model, state, settings, work, t)
    if code == EXPLICIT_BIAS:
        return False
    if code == SETTLED:
        enough, rounds = mid_velocity_tolerance(model, command, settings, work, t)
        if compare_mid_velocity(model, state, work, t, work.response, False) <= enough:
            return False
        if work.bias_rounds[0] < rounds:
            update_mid_velocity(model, state, work, t)
            bias.compute_tree_bias(model, work.mid_v, settings, work, t)
            return True
    work.tree_mode[t] = SUBSTEPS_PENDING
    work.tree_is_fourth[t] = 0
    return False


@kernel
def mark_ruled_joints(model, work, t):
    """Note which joints of a tree end where their rows have them: at a stop that presses, in an equation.

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
        if work.scalar_slot[n] == model.joint_slot[i] + LIMIT:
            work.joint_is_ruled[i] = 1


@kernel
def check_substeps(model, state, settings, work, t):
    """Tell whether a tree needs its substeps again; note which joints end as their rows have it.

    Substeps that still end elsewhere by much are discarded: held
    forces would accelerate light links too far.

    Writes: work.
    """
    unwhiten_tree(model, work, t, work.response, work.change_v)
    apart = velocity_difference(model, state, work, t, 1.0, work.rk_v)
    if work.bias_rounds[0] == ROUNDS - 1 and not apart <= CLOSE:
        use_explicit_bias(model, state, settings, work, t)
        return True
    work.tree_is_fourth[t] = 1 if apart < inf else 0
    mark_ruled_joints(model, work, t)
    if work.bias_rounds[0] >= ROUNDS and not apart <= LEFT:
        work.tree_mode[t] = NOT_SETTLED
    return work.bias_rounds[0] < ROUNDS and not apart <= ENOUGH


@kernel
def compare_bias(model, state, command, settings, work, is_first):
    """Compare the h of all trees that turn far with where they end; tell whether one is new.

    Responses are moved by what a new h changes.

    Writes: work.
    """
    is_new = is_held = False
    for t in range(model.tree_body.shape[0]):
        if update_tree_bias(model, state, command, settings, work, t, is_first):
            move_response(model, settings, work, t)
            is_new = True
        is_held = is_held or work.tree_mode[t] == SUBSTEPS_PENDING
    if is_held and not rk4.integrate_held_trees(model, state, command, settings, work):
        return False
    for t in range(model.tree_body.shape[0]):
        is_lost = work.tree_mode[t] == SUBSTEPS_FAILED
        if is_lost:
            work.tree_mode[t] = EXPLICIT_BIAS
        elif work.tree_mode[t] != SUBSTEPS_DONE or work.tree_is_fourth[t] == 1:
            continue
        if is_lost or check_substeps(model, state, settings, work, t):
            move_response(model, settings, work, t)
            is_new = True
        else:
            restore_bias(model, work, t)
    return is_new


@kernel
def has_new_rows(model, work):
    """Tell whether a tree with a new h has rows that follow from its motion in mid step as well.

    So have constraints, and stops of ball joints, along which a joint goes round.
    """
    for n in range(work.scalar_count[0]):
        for side in range(2):
            if work.scalar_len[n, side] == 0:
                continue
            i = work.scalar_body[n, side]
            tree = model.body_tree[i]
            if work.island_is_stale[find_representative(work.tree_island, tree)] != STALE:
                continue
            is_stop = work.scalar_slot[n] == model.joint_slot[i] + LIMIT
            if tie_of(model, work, n) >= 0 or (is_stop and model.joint_type[i] == SPHERICAL):
                return True
    return False


@kernel
def solve_stale(model, settings, work):
    """Solve islands with a new h again, and drafts to the end; tell whether there are any.

    Writes: work.
    """
    is_any = False
    for t in range(work.island_is_stale.shape[0]):
        is_stale = work.island_is_stale[t] == STALE or work.island_miss[t] == inf
        work.island_is_stale[t] = SOLVED_AGAIN if is_stale else 0
        is_any = is_any or is_stale
        rows = island_rows(work, t) if is_stale else 0
        if rows > 0:
            solve_island(model, settings, work, t, rows)
    return is_any


@kernel
def iterate_bias(model, state, command, settings, work):
    """Make h agree with the velocity to which it leads, in trees that something touches, or that take parts.

    Only the islands of trees with a new h are solved again, from the impulses at hand; return 1 if all is to
    be solved anew: rows have to change with it. Impacts one after the other are left
    out: they come at times of their own.

    Writes: work.
    """
    if settings.integrator == SEMI_IMPLICIT:
        for t in range(model.tree_body.shape[0]):
            if rotates_far(model, state, settings, work, t):
                judge_explicit(model, state, settings, work, t)
        return 0
    for t in range(work.island_is_stale.shape[0]):
        work.island_is_stale[t] = 0
    for k in range(ROUNDS + 2):  # the end of a draft is one
        if compare_bias(model, state, command, settings, work, k == 0):
            work.bias_rounds[0] += 1
            if has_new_rows(model, work):
                return 1
        if work.status[0] & CAPACITY or not solve_stale(model, settings, work):
            break
    return 0
