"""Stage `unconstrained_trees.note_unconstrained_trees`: trees that need no rows of M."""

from tribo.compiler.jit import kernel
from tribo.contact.problem import joint_limit_rows
from tribo.model import Kind


@kernel
def note_unconstrained_trees(model, state, settings, work):
    """Mark the trees without contacts, constraints, dry friction, couplings, or joint limits within reach.

    Writes: work.
    """
    trees = model.tree_body.shape[0]
    for t in range(trees):
        work.tree_is_free[t] = 1 if model.tree_kind[t] == Kind.DYNAMIC and model.tree_nv[t] > 0 else 0
    # If the table is too small, the count goes on; the step is then repeated.
    for c in range(min(work.contact_count[0], work.contact_body.shape[0])):
        work.tree_is_free[model.body_tree[work.contact_body[c, 0]]] = 0
        work.tree_is_free[model.body_tree[work.contact_body[c, 1]]] = 0
    for c in range(model.constraint_kind.shape[0]):
        for side in range(2):
            if model.constraint_body[c, side] >= 0:
                work.tree_is_free[model.body_tree[model.constraint_body[c, side]]] = 0
    for t in range(trees):
        if work.tree_is_free[t] == 1 and joint_limit_rows.has_joint_row(model, state, settings, work, t):
            work.tree_is_free[t] = 0
        work.tree_is_rowless[t] = work.tree_is_free[t] * model.tree_is_deep[t]
