"""Stage `islands.find_islands`: islands, sets of trees that rows connect, are solved independently."""

from math import inf

from tribo.compiler.jit import kernel
from tribo.model import Kind


@kernel
def contacts_in(work, t):
    """Return the contacts of island t, a part of `Work.island_contact`."""
    return work.island_contact[work.island_contact_start[t] : work.island_contact_start[t + 1]]


@kernel
def scalars_in(work, t):
    """Return the scalar rows of island t, a part of `Work.island_scalar`."""
    return work.island_scalar[work.island_scalar_start[t] : work.island_scalar_start[t + 1]]


@kernel
def trees_in(work, t):
    """Return the trees of island t that impulses move, ascending, a part of `Work.island_tree`."""
    return work.island_tree[work.island_tree_start[t] : work.island_tree_start[t + 1]]


@kernel
def island_rows(work, t):
    """Return the number of rows of island t, three of each contact."""
    return 3 * len(contacts_in(work, t)) + len(scalars_in(work, t))


@kernel
def spun_rows(work, t):
    """Return the number of rows of rolling and spinning friction of island t."""
    rows = 0
    for c in contacts_in(work, t):
        rows += 3 * work.contact_is_spun[c]
    return rows


@kernel
def find_representative(parent, t):
    """Return the representative of a tree's island (union–find with path halving).

    Writes: parent.
    """
    while parent[t] != t:
        parent[t] = parent[parent[t]]
        t = parent[t]
    return t


@kernel
def join_islands(parent, a, b):
    """Join the islands of two trees (−1: none).

    Writes: parent.
    """
    if a >= 0 and b >= 0 and a != b:
        a = find_representative(parent, a)
        b = find_representative(parent, b)
        parent[max(a, b)] = min(a, b)


@kernel
def moved_tree(model, body):
    """Return the tree of a body if impulses move it, else −1."""
    tree = model.body_tree[body]
    if model.tree_kind[tree] == Kind.DYNAMIC and model.body_chain_len[body] > 0:
        return tree
    return -1


@kernel
def is_side(model, work, c, t):
    """Tell whether tree t is a side of contact c."""
    a, b = work.contact_body[c, 0], work.contact_body[c, 1]
    return model.body_tree[a] == t or model.body_tree[b] == t


@kernel
def is_same_pair(work, a, b):
    """Tell whether two contacts belong to the same two shapes."""
    return (
        work.contact_shape[a, 0] == work.contact_shape[b, 0]
        and work.contact_shape[a, 1] == work.contact_shape[b, 1]
    )


@kernel
def contact_island(model, work, c):
    """Return the island of contact c, −1 if it is not part of the problem."""
    if work.contact_target[c] == -inf:
        return -1
    tree = moved_tree(model, work.contact_body[c, 0])
    if tree < 0:
        tree = moved_tree(model, work.contact_body[c, 1])
    return find_representative(work.tree_island, tree) if tree >= 0 else -1


@kernel
def scalar_island(model, work, n):
    """Return the island of scalar row n, which moves at least one of its sides."""
    side = 0 if work.scalar_len[n, 0] > 0 else 1
    return find_representative(work.tree_island, model.body_tree[work.scalar_body[n, side]])


@kernel
def find_islands(model, work):
    """Sort trees, contacts and scalar rows by island; an island is named by its lowest tree.

    Writes: work.
    Cost: almost O(contacts).
    """
    parent, tree_start = work.tree_island, work.island_tree_start
    start, scalar_start = work.island_contact_start, work.island_scalar_start
    for t in range(parent.shape[0]):
        parent[t] = t
    for t in range(start.shape[0]):
        start[t] = scalar_start[t] = tree_start[t] = 0
    for c in range(work.contact_count[0]):
        if work.contact_target[c] != -inf:
            a, b = work.contact_body[c, 0], work.contact_body[c, 1]
            join_islands(parent, moved_tree(model, a), moved_tree(model, b))
    for n in range(work.scalar_count[0]):
        if work.scalar_len[n, 0] > 0 and work.scalar_len[n, 1] > 0:
            a = model.body_tree[work.scalar_body[n, 0]]
            join_islands(parent, a, model.body_tree[work.scalar_body[n, 1]])
    for tree in range(parent.shape[0]):
        if model.tree_kind[tree] == Kind.DYNAMIC:
            tree_start[find_representative(parent, tree)] += 1
    for c in range(work.contact_count[0]):
        t = contact_island(model, work, c)
        if t >= 0:
            start[t] += 1
    for n in range(work.scalar_count[0]):
        scalar_start[scalar_island(model, work, n)] += 1
    for t in range(1, start.shape[0]):  # where islands end; filled from there, where they begin
        start[t] += start[t - 1]
        scalar_start[t] += scalar_start[t - 1]
        tree_start[t] += tree_start[t - 1]
    for tree in range(parent.shape[0] - 1, -1, -1):
        if model.tree_kind[tree] == Kind.DYNAMIC:
            t = find_representative(parent, tree)
            tree_start[t] -= 1
            work.island_tree[tree_start[t]] = tree
    for c in range(work.contact_count[0] - 1, -1, -1):
        t = contact_island(model, work, c)
        if t >= 0:
            start[t] -= 1
            work.island_contact[start[t]] = c
    for n in range(work.scalar_count[0] - 1, -1, -1):
        t = scalar_island(model, work, n)
        scalar_start[t] -= 1
        work.island_scalar[scalar_start[t]] = n
