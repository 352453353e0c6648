"""Stage *unsettled*: is the velocity that was solved for the one to which the path leads?

Where a tree turns far in a step, and drives, friction, stops or constraints act on it, its impulses belong
to the whole step and the path does not. So the tree goes its way in parts of fourth order under what was
solved for, drives and Jᵀλ/dt, held as constant joint forces; M (v_end − v)/dt then tells which h the
whole step has to have, and all is solved anew until both end at the same velocity. The impulses keep
their laws, the path keeps the energy, and what only resists only takes.
"""

from math import inf

from tribo.dynamics import rk4
from tribo.dynamics.articulated import dof_count
from tribo.dynamics.inertia import unwhiten_tree
from tribo.dynamics.middle import (
    ENOUGH,
    FLOWN,
    HELD,
    IN_PARTS,
    SETTLED,
    TOO_FAR,
    UNSETTLED,
    follow,
    judge_explicit,
    turns,
    turns_far,
)
from tribo.jit import kernel
from tribo.model import Integrator

SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
CLOSE = 0.03  # [–] of the velocity: a tree with contacts, which take more energy than this may give
NEAR = 1e-3  # [–] by which path and solve may differ there
LEFT = 1e-4  # [–] by which they may differ elsewhere, in the end
ROUNDS = 8


@kernel
def has_contact(model, work, t):
    """Tell whether a contact pushes a tree."""
    for c in range(work.contact_count[0]):
        if work.contact_impulse[c, 2] > 0.0 or work.contact_is_soft[c] == 1:
            for side in range(2):
                if model.body_tree[work.contact_body[c, side]] == t:
                    return True
    return False


@kernel
def difference(model, state, work, t):
    """Return by how much the velocity that was solved for and the end of the path differ, as `follow` does.

    Infinity if one is no number.

    Writes: work.
    """
    unwhiten_tree(model, work, t, work.response, work.change_v)
    apart = 0.0
    size = 0.0
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        first = model.joint_v[i]
        for k in range(dof_count(model.joint_type[i])):
            dof = first + k
            after = state.v[dof] + work.change_v[dof]
            if not abs(after - work.rk_v[dof]) < inf:
                return inf
            if turns(model.joint_type[i], k):
                apart = max(apart, abs(after - work.rk_v[dof]))
                size = max(size, abs(after), abs(state.v[dof]))
    return apart / size if size > 0.0 else 0.0


@kernel
def note(model, state, settings, work, t):
    """Note whether a tree that something touches, or might, turns too far; tell whether it is to go in parts.

    Writes: work.
    """
    code = work.tree_is_coarse[t]
    if code == FLOWN or code == TOO_FAR or (code == IN_PARTS and work.tree_is_free[t] == 0):
        work.tree_is_coarse[t] = HELD
    elif code == SETTLED and work.tree_is_free[t] == 0:
        if turns_far(model, state, settings, work, t):
            apart = follow(model, state, work, t, work.response, False)
            if not apart <= (CLOSE if has_contact(model, work, t) else ENOUGH):
                work.tree_is_coarse[t] = HELD
    return work.tree_is_coarse[t] == HELD


@kernel
def unsettled(model, state, command, settings, work):
    """Send trees that turn too far on their way in parts; tell whether one of them ends elsewhere.

    Blows that are handed on are left out: they come at times of their own.

    Writes: work.
    """
    trees = model.tree_body.shape[0]
    is_needed = False
    for t in range(trees):
        if settings.integrator != SEMI_IMPLICIT:
            is_needed = note(model, state, settings, work, t) or is_needed
        elif turns_far(model, state, settings, work, t):
            judge_explicit(model, state, settings, work, t)
    if not is_needed or not rk4.fly(model, state, command, settings, work):
        return 0
    again = 0
    for t in range(trees):
        if work.tree_is_coarse[t] != FLOWN and work.tree_is_coarse[t] != TOO_FAR:
            continue
        apart = difference(model, state, work, t)
        has_push = has_contact(model, work, t)
        # What is pushed ends where its contacts' gaps are closed, what is not where the way leads.
        work.tree_is_fourth[t] = 0 if has_push else 1
        if work.settle_rounds[0] < ROUNDS:
            again += 0 if apart <= (NEAR if has_push else ENOUGH) else 1
        elif not apart <= (NEAR if has_push else LEFT):
            work.tree_is_coarse[t] = UNSETTLED
        if not apart < inf:
            work.tree_is_fourth[t] = 0
    work.settle_rounds[0] += 1
    return again
