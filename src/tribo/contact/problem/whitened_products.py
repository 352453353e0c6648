"""Effect of impulses on velocities, in whitened coordinates z: Δz = yᵀ λ and w = J v + y z.

A row table holds, per contact and side, the first number of the whitened Jacobian in `work.row`: three
numbers per dof of the chain; `contact_row` for forces and `contact_spin_row` for torques.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.free_body_rows import add_free_body_response, free_body_velocity
from tribo.math import vec


@kernel
def dot6(row, i, x, d):
    """Return the dot product of six numbers of a row, three apart, and six of x; three independent sums."""
    low = row[i] * x[d] + row[i + 3] * x[d + 1]
    middle = row[i + 6] * x[d + 2] + row[i + 9] * x[d + 3]
    high = row[i + 12] * x[d + 4] + row[i + 15] * x[d + 5]
    return low + middle + high


@kernel
def add_impulse_response(model, work, table, c, impulse, out):
    """Add the response to an impulse of contact c on the rows of a table to an array of dofs.

    Writes: out.
    """
    row = work.row
    dofs = model.chain_dof
    x, y, z = impulse
    for side in range(2):
        i = table[c, side]
        chain = model.body_chain_start[work.contact_body[c, side]]
        for p in range(work.contact_len[c, side]):
            out[dofs[chain + p]] += row[i] * x + row[i + 1] * y + row[i + 2] * z
            i += 3


@kernel
def add_row_response(model, work, table, c, response, start):
    """Return `start` plus the velocity of contact c, on the rows of a table, by a response."""
    row = work.row
    dofs = model.chain_dof
    for side in range(2):
        i, count, body = table[c, side], work.contact_len[c, side], work.contact_body[c, side]
        chain = model.body_chain_start[body]
        if count == 6 and dofs[chain + 5] == dofs[chain] + 5:  # a free body
            d = dofs[chain]
            six = (dot6(row, i, response, d), dot6(row, i + 1, response, d), dot6(row, i + 2, response, d))
            start = vec.add(start, six)
        else:
            start = add_side_velocity(model, work, body, count, i, response, start)
    return start


@kernel
def add_side_velocity(model, work, body, count, i, v, start):
    """Return `start` plus three rows, from number i on, of `count` dofs of a body, times velocities v."""
    x, y, z = start
    row = work.row
    chain = model.body_chain_start[body]
    for p in range(count):
        s = v[model.chain_dof[chain + p]]
        x += row[i] * s
        y += row[i + 1] * s
        z += row[i + 2] * s
        i += 3
    return (x, y, z)


@kernel
def row_velocity(model, work, table, start, c):
    """Return the velocity of contact c on the rows of a table; start: the velocities without forces."""
    return add_row_response(model, work, table, c, work.response, vec.load(start, c))


@kernel
def contact_velocity(model, work, c):
    """Return the velocity of contact c relative to its target, including that of its compliance.

    w = J v⁺ − target + R λ
    """
    x, y, z = vec.load(work.contact_start, c)
    r = work.contact_compliance
    impulse = work.contact_impulse
    given = (x + r[c, 0] * impulse[c, 0], y + r[c, 1] * impulse[c, 1], z + r[c, 2] * impulse[c, 2])
    return add_force_response(model, work, c, work.response, given)


@kernel
def add_force_response(model, work, c, response, start):
    """Return `start` plus the velocity of contact c by a response, from its layout for sweeps if laid out."""
    if work.free_body_dof[c, 0] >= 0:
        return free_body_velocity(work, c, response, start)
    return add_row_response(model, work, work.contact_row, c, response, start)


@kernel
def add_contact_response(model, work, c, impulse, out):
    """Add the response to an impulse of contact c to an array of dofs, by its layout for sweeps if laid out.

    Writes: out.
    """
    if work.free_body_dof[c, 0] >= 0:
        add_free_body_response(work, c, impulse, out)
    else:
        add_impulse_response(model, work, work.contact_row, c, impulse, out)


@kernel
def normal_velocity(model, work, c):
    """Return the normal component of `contact_velocity`."""
    row = work.row
    dofs = model.chain_dof
    z = work.contact_start[c, 2] + work.contact_compliance[c, 2] * work.contact_impulse[c, 2]
    for side in range(2):
        i = work.contact_row[c, side] + 2
        chain = model.body_chain_start[work.contact_body[c, side]]
        for p in range(work.contact_len[c, side]):
            z += row[i + 3 * p] * work.response[dofs[chain + p]]
    return z


@kernel
def add_scalar_to(model, work, n, impulse, out):
    """Add the response to an impulse of scalar row n to an array of dofs.

    Writes: out.
    """
    for side in range(2):
        first = work.scalar_row[n, side]
        chain = model.body_chain_start[work.scalar_body[n, side]]
        for p in range(work.scalar_len[n, side]):
            out[model.chain_dof[chain + p]] += work.row[first + p] * impulse


@kernel
def add_scalar_row_response(model, work, n, response, start):
    """Return `start` plus the velocity of scalar row n by a response."""
    for side in range(2):
        first = work.scalar_row[n, side]
        chain = model.body_chain_start[work.scalar_body[n, side]]
        for p in range(work.scalar_len[n, side]):
            start += work.row[first + p] * response[model.chain_dof[chain + p]]
    return start


@kernel
def scalar_velocity(model, work, n):
    """Return the velocity of scalar row n relative to its target, including that of its compliance.

    w = J v⁺ − target + R λ
    """
    given = work.scalar_start[n] + work.scalar_compliance[n] * work.scalar_impulse[n]
    return add_scalar_row_response(model, work, n, work.response, given)


@kernel
def clamp_impulse(work, n, impulse):
    """Return an impulse clamped to the bounds of scalar row n."""
    return min(max(impulse, work.scalar_lower[n]), work.scalar_upper[n])


@kernel
def shared_dofs(model, a, b):
    """Return the number of dofs that the chains of two bodies share (root first)."""
    n = min(model.body_chain_len[a], model.body_chain_len[b])
    if a == b or model.body_tree[a] != model.body_tree[b]:
        return n if a == b else 0
    p = 0
    i = model.body_chain_start[a]
    j = model.body_chain_start[b]
    while p < n and model.chain_dof[i + p] == model.chain_dof[j + p]:
        p += 1
    return p
