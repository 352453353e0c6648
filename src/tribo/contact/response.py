"""What impulses do to velocities, in whitened coordinates z: Δz = yᵀ λ and w = J v + y z.

A row table holds per contact and side where the whitened Jacobian begins in `work.row`: three
numbers per dof of the chain, `contact_row` for forces and `contact_spin_row` for torques.
"""

from tribo.jit import kernel


@kernel
def add_response(model, work, table, c, impulse):
    """Add the response to an impulse of contact c on the rows of a table.

    Writes: work.
    """
    row = work.row
    response = work.response
    dofs = model.chain_dof
    x, y, z = impulse
    for side in range(2):
        i = table[c, side]
        chain = model.body_chain_start[work.contact_body[c, side]]
        for p in range(work.contact_len[c, side]):
            response[dofs[chain + p]] += row[i] * x + row[i + 1] * y + row[i + 2] * z
            i += 3


@kernel
def velocity(model, work, table, start, c):
    """Return the velocity of contact c on the rows of a table; `start` is its part without forces."""
    row = work.row
    response = work.response
    dofs = model.chain_dof
    x = start[c, 0]
    y = start[c, 1]
    z = start[c, 2]
    for side in range(2):
        i = table[c, side]
        chain = model.body_chain_start[work.contact_body[c, side]]
        for p in range(work.contact_len[c, side]):
            s = response[dofs[chain + p]]
            x += row[i] * s
            y += row[i + 1] * s
            z += row[i + 2] * s
            i += 3
    return (x, y, z)


@kernel
def add_limit_response(model, work, n, impulse):
    """Add the response to an impulse of limit n.

    Writes: work.
    """
    i = work.limit_body[n]
    first = work.limit_row[n]
    chain = model.body_chain_start[i]
    for p in range(model.body_chain_len[i]):
        work.response[model.chain_dof[chain + p]] += work.row[first + p] * impulse


@kernel
def limit_velocity(model, work, n):
    """Return the velocity of limit n minus its target."""
    i = work.limit_body[n]
    first = work.limit_row[n]
    chain = model.body_chain_start[i]
    w = work.limit_start[n]
    for p in range(model.body_chain_len[i]):
        w += work.row[first + p] * work.response[model.chain_dof[chain + p]]
    return w


@kernel
def shared_dofs(model, a, b):
    """Return how many dofs the chains of two bodies have in common (root first)."""
    n = min(model.body_chain_len[a], model.body_chain_len[b])
    if a == b or model.body_tree[a] != model.body_tree[b]:
        return n if a == b else 0
    p = 0
    i = model.body_chain_start[a]
    j = model.body_chain_start[b]
    while p < n and model.chain_dof[i + p] == model.chain_dof[j + p]:
        p += 1
    return p
