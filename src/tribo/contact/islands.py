"""Stage *islands*: groups of trees that touch one another are solved apart from all others."""

from math import inf

from tribo.jit import kernel
from tribo.model import Kind

DYNAMIC = int(Kind.DYNAMIC)


@kernel
def find(parent, t):
    """Return the representative of a tree's island, shortening the way to it.

    Writes: parent.
    """
    while parent[t] != t:
        parent[t] = parent[parent[t]]
        t = parent[t]
    return t


@kernel
def moved_tree(model, body):
    """Return the tree of a body if impulses move it, else −1."""
    tree = model.body_tree[body]
    if model.tree_kind[tree] == DYNAMIC and model.body_chain_len[body] > 0:
        return tree
    return -1


@kernel
def contact_island(model, work, c):
    """Return the island of an active contact, −1 for one that takes no part."""
    if work.contact_target[c] == -inf:
        return -1
    tree = moved_tree(model, work.contact_body[c, 0])
    if tree < 0:
        tree = moved_tree(model, work.contact_body[c, 1])
    return find(work.tree_island, tree) if tree >= 0 else -1


@kernel
def islands(model, work):
    """Sort contacts and limits by island; the lowest tree of an island names it.

    Writes: work.
    Cost: O(contacts), almost.
    """
    parent = work.tree_island
    start = work.island_contact_start
    limit_start = work.island_limit_start
    for t in range(parent.shape[0]):
        parent[t] = t
    for t in range(start.shape[0]):
        start[t] = 0
        limit_start[t] = 0
    for c in range(work.contact_count[0]):
        if work.contact_target[c] == -inf:
            continue
        a = moved_tree(model, work.contact_body[c, 0])
        b = moved_tree(model, work.contact_body[c, 1])
        if a >= 0 and b >= 0 and a != b:
            a = find(parent, a)
            b = find(parent, b)
            parent[max(a, b)] = min(a, b)
    for c in range(work.contact_count[0]):
        t = contact_island(model, work, c)
        if t >= 0:
            start[t + 1] += 1
    for n in range(work.limit_count[0]):
        limit_start[find(parent, model.body_tree[work.limit_body[n]]) + 1] += 1
    for t in range(start.shape[0] - 1):
        start[t + 1] += start[t]
        limit_start[t + 1] += limit_start[t]
    place(model, work)


@kernel
def place(model, work):
    """Write the sorted lists; afterwards start[t] is the *end* of island t − 1 again.

    Writes: work.
    """
    start = work.island_contact_start
    limit_start = work.island_limit_start
    for c in range(work.contact_count[0]):
        t = contact_island(model, work, c)
        if t >= 0:
            work.island_contact[start[t]] = c
            start[t] += 1
    for n in range(work.limit_count[0]):
        t = find(work.tree_island, model.body_tree[work.limit_body[n]])
        work.island_limit[limit_start[t]] = n
        limit_start[t] += 1
    for t in range(start.shape[0] - 1, 0, -1):
        start[t] = start[t - 1]
        limit_start[t] = limit_start[t - 1]
    start[0] = 0
    limit_start[0] = 0
