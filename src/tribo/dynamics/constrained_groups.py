"""Groups of free bodies that constraints connect, and whether their constraints form loops.

Without a loop, also over fixed bodies, robots and kinematic bodies, each row may have its own target. In a
loop rows may be redundant, as those of the two hinges of a door: their targets must then agree to round-off,
or their forces work against one another.
"""

from tribo.compiler.jit import kernel
from tribo.dynamics.bias import is_constrained_single
from tribo.enums import Memory
from tribo.model import Constraint


@kernel
def constrained_tree(model, end):
    """Return the tree at an end of a constraint if it is a free body that impulses move, else −1."""
    body = model.constraint_body[end // 2, end % 2]
    if body < 0 or not is_constrained_single(model, model.body_tree[body]):
        return -1
    return model.body_tree[body]


@kernel
def was_active(model, state, c):
    """Tell whether constraint c held its bodies in the last step."""
    kind = model.constraint_kind[c]
    if kind != Constraint.JOINT and kind != Constraint.LENGTH and kind != Constraint.WINCH:
        return False
    return state.constraint_is_broken[c] == 0 and state.constraint_memory[c, Memory.IS_IDLE] == 0.0


@kernel
def group_root(work, t):
    """Return the representative tree of the group of free body t."""
    while work.constrained_group[t] != t:
        t = work.constrained_group[t]
    return t


@kernel
def find_groups(model, state, work):
    """Find the groups, and those with loops.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        work.constrained_group[t] = t
        work.constrained_is_anchored[t] = 0
        work.constrained_is_loop[t] = 0
    for c in range(model.constraint_kind.shape[0]):
        a = constrained_tree(model, 2 * c)
        b = constrained_tree(model, 2 * c + 1)
        if max(a, b) < 0 or not was_active(model, state, c):
            continue
        if min(a, b) < 0:
            t = group_root(work, max(a, b))
            work.constrained_is_loop[t] |= work.constrained_is_anchored[t]
            work.constrained_is_anchored[t] = 1
            continue
        a = group_root(work, a)
        b = group_root(work, b)
        if a == b:
            work.constrained_is_loop[a] = 1
        else:
            work.constrained_group[b] = a
            both = work.constrained_is_anchored[a] & work.constrained_is_anchored[b]
            work.constrained_is_loop[a] |= work.constrained_is_loop[b] | both
            work.constrained_is_anchored[a] |= work.constrained_is_anchored[b]


@kernel
def is_in_loop(model, work, c):
    """Tell whether constraint c belongs to a group of free bodies with a loop."""
    t = max(constrained_tree(model, 2 * c), constrained_tree(model, 2 * c + 1))
    return t >= 0 and work.constrained_is_loop[group_root(work, t)] != 0


@kernel
def mark_ends(model, work, c, mark):
    """Mark the trees at the ends of constraint c.

    Writes: work.
    """
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0:
            work.tree_mark[model.body_tree[body]] = mark


@kernel
def has_marked_end(model, work, c, mark):
    """Tell whether a tree at an end of constraint c that impulses move has a mark."""
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0 and model.body_chain_len[body] > 0:
            if work.tree_mark[model.body_tree[body]] == mark:
                return True
    return False
