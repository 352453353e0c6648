"""Stage *unsettled*: is the velocity that was solved for the one to which the path leads?

Where a tree turns far in a step, and drives, friction, stops or constraints act on it, its impulses belong
to the whole step and the path does not. So the tree goes its way in parts of fourth order under what was
solved for, drives and Jᵀλ/dt, held as constant joint forces; M (v_end − v)/dt then tells which h the
whole step has to have, and all is solved anew until both end at the same velocity. The impulses keep
their laws, the path keeps the energy; of trees that contacts push only v̄ is taken anew (`repeat`).
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import find
from tribo.dynamics import bias, rk4
from tribo.dynamics.inertia import unwhiten_tree
from tribo.dynamics.middle import ENOUGH, difference, follow, judge_explicit, turns_far
from tribo.model import Course, Integrator, Slot

SETTLED = int(Course.SETTLED)
IN_PARTS = int(Course.IN_PARTS)
HELD = int(Course.HELD)
FLOWN = int(Course.FLOWN)
UNSETTLED = int(Course.UNSETTLED)
LOST = int(Course.LOST)
ONE_H = int(Course.ONE_H)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
LIMIT = int(Slot.LIMIT)
CLOSE = 0.03  # [–] of the velocity by which v̄ may be off where contacts push, which take more than it gives
APART = 0.1  # [–] the same in the end
LEFT = 1e-4  # [–] by which way and solve may differ in the end
ROUNDS = 8


@kernel
def is_side(model, work, c, t):
    """Tell whether tree t is a side of contact c."""
    a, b = work.contact_body[c, 0], work.contact_body[c, 1]
    return model.body_tree[a] == t or model.body_tree[b] == t


@kernel
def has_contact(model, work, t):
    """Tell whether a contact pushes a tree."""
    island = find(work.tree_island, t)
    for k in range(work.island_contact_start[island], work.island_contact_start[island + 1]):
        c = work.island_contact[k]
        acts = work.contact_impulse[c, 2] > 0.0 or work.contact_pull[c] > 0.0
        if acts and is_side(model, work, c, t):
            return True
    if work.soft_count[0] > 0:
        for c in range(work.contact_count[0]):
            if work.contact_is_soft[c] == 1 and is_side(model, work, c, t):
                return True
    return False


@kernel
def repeat(model, state, settings, work, t):
    """Take h of a tree with contacts anew if its velocity ends elsewhere; tell whether it does.

    Not under held forces: what contacts do within a step, to part what overlaps for one, is no force to hold.

    Writes: work.
    """
    apart = follow(model, state, work, t, work.response, False)
    work.tree_is_fourth[t] = 0
    work.tree_course[t] = SETTLED if apart <= APART else UNSETTLED
    if work.settle_rounds[0] >= ROUNDS or apart <= CLOSE:
        return 0
    follow(model, state, work, t, work.response, True)
    bias.tree_bias(model, work.mid_v, settings, work, t)
    return 1


@kernel
def note(model, state, settings, work, t):
    """Note whether a tree that something touches, or might, turns too far for one h; tell whether to go on.

    Writes: work.
    """
    code = work.tree_course[t]
    if work.tree_is_free[t] == 1 and (code == SETTLED or code == IN_PARTS):
        return 0
    if code == SETTLED and not turns_far(model, state, settings, work, t):
        return 0
    if has_contact(model, work, t):
        return repeat(model, state, settings, work, t)
    if code == ONE_H:
        return 0
    if code != SETTLED or not follow(model, state, work, t, work.response, False) <= ENOUGH:
        work.tree_course[t] = HELD
    return 0


@kernel
def give_up(model, state, settings, work, t):
    """Go back to one h for the whole step, at the velocity with which it begins, for a tree.

    Writes: work.
    """
    work.tree_course[t] = ONE_H
    work.tree_is_fourth[t] = 0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.mid_v[dof] = state.v[dof]
    bias.tree_bias(model, work.mid_v, settings, work, t)


@kernel
def judge(model, state, settings, work, t):
    """Tell whether a tree that went its way has to go it again; note which joints end as their rows have it.

    A stop that presses and a mimic joint rule where a joint is, not only how fast it is. A way that still
    ends elsewhere by much is no way: what is light would be whipped round by forces that are held.

    Writes: work.
    """
    unwhiten_tree(model, work, t, work.response, work.change_v)
    apart = difference(model, state, work, t, 1.0, work.rk_v)
    if work.settle_rounds[0] == ROUNDS - 1 and not apart <= CLOSE:
        give_up(model, state, settings, work, t)
        return True
    work.tree_is_fourth[t] = 1 if apart < inf else 0
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        work.joint_is_ruled[i] = 0
    for i in range(root, root + model.tree_body_count[t]):
        if model.joint_leader[i] >= 0:
            work.joint_is_ruled[i] = work.joint_is_ruled[model.joint_leader[i]] = 1
    for n in range(work.scalar_count[0]):
        i = work.scalar_body[n, 0]
        if i < 0 or model.body_tree[i] != t or work.scalar_impulse[n] == 0.0:
            continue
        if work.scalar_slot[n] == model.joint_slot[i] + LIMIT:
            work.joint_is_ruled[i] = 1
    if work.settle_rounds[0] >= ROUNDS and not apart <= LEFT:
        work.tree_course[t] = UNSETTLED
    return work.settle_rounds[0] < ROUNDS and not apart <= ENOUGH


@kernel
def needed(model, state, command, settings, work):
    """Send trees that turn too far on their way in parts; tell whether one of them ends elsewhere.

    Blows that are handed on are left out: they come at times of their own.

    Writes: work.
    """
    again = 0
    is_needed = False
    for t in range(model.tree_body.shape[0]):
        if settings.integrator != SEMI_IMPLICIT:
            again += note(model, state, settings, work, t)
            is_needed = is_needed or work.tree_course[t] == HELD
        elif turns_far(model, state, settings, work, t):
            judge_explicit(model, state, settings, work, t)
    if is_needed and not rk4.fly(model, state, command, settings, work):
        return 0
    for t in range(model.tree_body.shape[0]):
        if work.tree_course[t] == FLOWN:
            again += 1 if judge(model, state, settings, work, t) else 0
        elif work.tree_course[t] == LOST:
            work.tree_course[t] = ONE_H
            again += 1
    work.settle_rounds[0] += 1
    return again
