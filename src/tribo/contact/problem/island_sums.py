"""Sums over the rows of an island: Yᵀ λ over its dofs, Yᵀ D Y in blocks, the energy of its impulses."""

from tribo.compiler.jit import kernel
from tribo.contact.problem.free_body_rows import add_free_body_blocks
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import (
    add_contact_response,
    add_impulse_response,
    add_scalar_to,
    contact_velocity,
    row_velocity,
    scalar_velocity,
)
from tribo.math import vec


@kernel
def write_response_change(model, work, count, before, out):
    """Set `out` to z − `before` at the dofs of all nodes, with z the present response.

    Writes: out.
    """
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            out[dof] = work.response[dof] - before[dof]


@kernel
def dof_product(model, work, count, x, y):
    """Return the scalar product of two arrays over the dofs of all nodes."""
    total = 0.0
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            total += x[dof] * y[dof]
    return total


@kernel
def add_block(model, work, out_table, in_table, c, r, d):
    """Add the coupling by contact c to the matrix. matrix += r Y_outᵀ D Y_in, D row by row

    Writes: work.
    """
    value = work.block_value
    row = work.row
    dofs = model.chain_dof
    for side in range(2):
        body = work.contact_body[c, side]
        tree = model.body_tree[body]
        chain = model.body_chain_start[body]
        for other in range(2):
            if work.contact_len[c, side] == 0 or work.contact_len[c, other] == 0:
                continue
            other_body = work.contact_body[c, other]
            other_tree = model.body_tree[other_body]
            other_chain = model.body_chain_start[other_body]
            width = model.tree_nv[other_tree]
            at = work.block_at[work.tree_node[tree], work.tree_node[other_tree]]
            i = out_table[c, side]
            for p in range(work.contact_len[c, side]):
                x = r * row[i]
                y = r * row[i + 1]
                z = r * row[i + 2]
                i += 3
                u = x * d[0] + y * d[3] + z * d[6]
                v = x * d[1] + y * d[4] + z * d[7]
                w = x * d[2] + y * d[5] + z * d[8]
                line = at + (dofs[chain + p] - model.tree_v[tree]) * width - model.tree_v[other_tree]
                j = in_table[c, other]
                for q in range(work.contact_len[c, other]):
                    value[line + dofs[other_chain + q]] += u * row[j] + v * row[j + 1] + w * row[j + 2]
                    j += 3


@kernel
def add_force_block(model, work, c, d):
    """Add the coupling by the force of contact c to the matrix. matrix += Yᵀ D Y, D row by row

    Writes: work.
    """
    if work.free_body_dof[c, 0] < 0:
        add_block(model, work, work.contact_row, work.contact_row, c, 1.0, d)
        return
    first = 0 if work.contact_len[c, 0] > 0 else 1
    second = 1 if work.contact_len[c, 1] > 0 else 0
    a = work.tree_node[model.body_tree[work.contact_body[c, first]]]
    b = work.tree_node[model.body_tree[work.contact_body[c, second]]]
    at = work.block_at
    add_free_body_blocks(work, c, d, at[a, a], at[a, b], at[b, a], at[b, b])


@kernel
def add_scalar_block(model, work, n, r):
    """Add the coupling by scalar row n to the matrix. matrix += r yᵀ y

    Writes: work.
    """
    value = work.block_value
    row = work.row
    dofs = model.chain_dof
    for side in range(2):
        if work.scalar_len[n, side] == 0:
            continue
        body = work.scalar_body[n, side]
        tree = model.body_tree[body]
        chain = model.body_chain_start[body]
        first = work.scalar_row[n, side]
        for other in range(2):
            if work.scalar_len[n, other] == 0:
                continue
            other_body = work.scalar_body[n, other]
            other_tree = model.body_tree[other_body]
            other_chain = model.body_chain_start[other_body]
            other_first = work.scalar_row[n, other]
            width = model.tree_nv[other_tree]
            at = work.block_at[work.tree_node[tree], work.tree_node[other_tree]]
            for p in range(work.scalar_len[n, side]):
                x = r * row[first + p]
                line = at + (dofs[chain + p] - model.tree_v[tree]) * width - model.tree_v[other_tree]
                for q in range(work.scalar_len[n, other]):
                    value[line + dofs[other_chain + q]] += x * row[other_first + q]


@kernel
def sum_response(model, work, t, count):
    """Recompute the response of island t, of `count` nodes, from its impulses. z = z_free + Yᵀ λ

    Writes: work.
    """
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            work.response[dof] = work.free_response[dof]
    for c in contacts_in(work, t):
        add_contact_response(model, work, c, vec.load(work.contact_impulse, c), work.response)
        if work.contact_is_spun[c] == 1:
            torque = vec.load(work.contact_spin_impulse, c)
            add_impulse_response(model, work, work.contact_spin_row, c, torque, work.response)
    for n in scalars_in(work, t):
        add_scalar_to(model, work, n, work.scalar_impulse[n], work.response)


@kernel
def adds_energy(model, work, t, count):
    """Tell whether the impulses of island t add energy beyond that of their targets.

    They change it by λ·(w₀ + w)/2 = λ·w − ½ λ·Gλ; w₀, w: before and after, relative to the targets.

    Writes: work.
    """
    gain = 0.0
    for c in contacts_in(work, t):
        gain += vec.dot(vec.load(work.contact_impulse, c), contact_velocity(model, work, c))
        if work.contact_is_spun[c] == 1:
            w = row_velocity(model, work, work.contact_spin_row, work.contact_spin_start, c)
            gain += vec.dot(vec.load(work.contact_spin_impulse, c), w)
    for n in scalars_in(work, t):
        gain += work.scalar_impulse[n] * scalar_velocity(model, work, n)
    change = work.pile_residual
    write_response_change(model, work, count, work.free_response, change)
    return gain > 0.5 * dof_product(model, work, count, change, change)
