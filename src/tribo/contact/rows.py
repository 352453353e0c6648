"""Stage *rows*: the Jacobians of contacts and limits in whitened coordinates.

A contact moves only the dofs of the two chains that end in its bodies. Per side the rows t₁, t₂, n
(and the angular ones where a pair has rolling or spinning friction) are stored dof by dof:
J, then y = D^(−1/2) L⁻ᵀ Jᵀ in place, so that G = y yᵀ and Δv = L⁻¹ D^(−1/2) y λ. The
whitened rows keep the pattern of J; no n×n matrix is formed.
"""

from tribo.jit import kernel
from tribo.math import spatial, vec
from tribo.model import Kind, Pair, Status

DYNAMIC = int(Kind.DYNAMIC)
CAPACITY = int(Status.CAPACITY)
ROLLING = int(Pair.ROLLING_FRICTION)
SPINNING = int(Pair.SPINNING_FRICTION)


@kernel
def pair_of(model, work, c):
    """Return the two material numbers of contact c."""
    return (
        model.shape_material[work.contact_shape[c, 0]],
        model.shape_material[work.contact_shape[c, 1]],
    )


@kernel
def wrench_of(axis, arm):
    """Return the spatial force of a unit force along an axis at an arm from the tree origin."""
    m = vec.cross(arm, axis)
    return (m[0], m[1], m[2], axis[0], axis[1], axis[2])


@kernel
def write_rows(model, work, c, side, first, width):
    """Write the (not yet whitened) Jacobian of one side of a contact.

    Writes: work.
    """
    body = work.contact_body[c, side]
    tree = model.body_tree[body]
    origin = vec.load(work.body_pos, model.tree_body[tree])
    arm = vec.sub(vec.load(work.contact_pos, c), origin)
    sign = 1.0 if side == 0 else -1.0
    chain = model.body_chain_start[body]
    is_single = model.tree_is_single[tree] == 1
    axes = work.contact_axes
    for k in range(3):
        t = (sign * axes[c, 3 * k], sign * axes[c, 3 * k + 1], sign * axes[c, 3 * k + 2])
        w = wrench_of(t, arm)
        if is_single:
            for p in range(3):
                work.row[first + p * width + k] = w[3 + p]
                work.row[first + (3 + p) * width + k] = w[p]
            if width == 6:
                for p in range(3):
                    work.row[first + p * width + 3 + k] = 0.0
                    work.row[first + (3 + p) * width + 3 + k] = t[p]
            continue
        for p in range(model.body_chain_len[body]):
            s = spatial.load(work.dof_axis, model.chain_dof[chain + p])
            work.row[first + p * width + k] = spatial.dot(s, w)
            if width == 6:
                work.row[first + p * width + 3 + k] = s[0] * t[0] + s[1] * t[1] + s[2] * t[2]


@kernel
def whiten(model, work, body, first, width):
    """Replace rows J of a body's chain by D^(−1/2) L⁻ᵀ Jᵀ.

    Writes: work.
    """
    row = work.row
    factor = work.mass_factor
    chain = model.body_chain_start[body]
    lowest = 3 if model.tree_is_single[model.body_tree[body]] == 1 else 0
    for p in range(model.body_chain_len[body] - 1, -1, -1):
        dof = model.chain_dof[chain + p]
        start = model.dof_row[dof]
        here = first + p * width
        for r in range(lowest, p):
            a = factor[start + r]
            there = first + r * width
            for k in range(width):
                row[there + k] -= a * row[here + k]
        scale = work.dof_scale[dof]
        for k in range(width):
            row[here + k] *= scale


@kernel
def add_velocities(model, state, work, c, body, first, width):
    """Add J v (start of the step) and J v_free of one side to the contact's velocities.

    Writes: work.
    """
    chain = model.body_chain_start[body]
    for p in range(model.body_chain_len[body]):
        dof = model.chain_dof[chain + p]
        for k in range(width):
            j = work.row[first + p * width + k]
            if k < 3:
                work.contact_vel[c, k] += j * state.v[dof]
            work.contact_free[c, k] += j * work.free_v[dof]


@kernel
def shared_dofs(model, a, b):
    """Return how many dofs the chains of two bodies have in common (root first)."""
    n = min(model.body_chain_len[a], model.body_chain_len[b])
    p = 0
    while p < n:
        x = model.chain_dof[model.body_chain_start[a] + p]
        if x != model.chain_dof[model.body_chain_start[b] + p]:
            break
        p += 1
    return p


@kernel
def own_block(model, work, c, shift, out):
    """Write the block G_cc of three rows (shift 0: forces, 3: torques) as (xx, yy, zz, xy, xz, yz).

    Writes: out.
    """
    width = 6 if work.contact_is_spun[c] == 1 else 3
    xx = yy = zz = xy = xz = yz = 0.0
    shared = 0
    a = work.contact_body[c, 0]
    b = work.contact_body[c, 1]
    if model.body_tree[a] == model.body_tree[b]:
        shared = shared_dofs(model, a, b)
    row = work.row
    for side in range(2):
        first = work.contact_row[c, side] + shift
        for p in range(work.contact_len[c, side]):
            i = first + p * width
            x, y, z = row[i], row[i + 1], row[i + 2]
            if p < shared:  # the sum of both sides acts on a shared dof; count it once
                if side == 1:
                    continue
                j = work.contact_row[c, 1] + shift + p * width
                x += row[j]
                y += row[j + 1]
                z += row[j + 2]
            xx += x * x
            yy += y * y
            zz += z * z
            xy += x * y
            xz += x * z
            yz += y * z
    spatial.store(out, c, (xx, yy, zz, xy, xz, yz))


@kernel
def contact_rows(model, state, work):
    """Build the rows of every contact.

    Writes: work.
    Cost: O(contacts · depth²).
    """
    work.row_count[0] = 0
    for c in range(work.contact_count[0]):
        m, n = pair_of(model, work, c)
        spun = model.pair_table[m, n, ROLLING] > 0.0 or model.pair_table[m, n, SPINNING] > 0.0
        work.contact_is_spun[c] = 1 if spun else 0
        width = 6 if spun else 3
        for k in range(6):
            work.contact_free[c, k] = 0.0
        for k in range(3):
            work.contact_vel[c, k] = 0.0
        for side in range(2):
            body = work.contact_body[c, side]
            count = model.body_chain_len[body]
            first = work.row_count[0]
            work.contact_row[c, side] = first
            work.contact_len[c, side] = 0
            if count == 0:
                continue
            work.row_count[0] = first + count * width
            if work.row_count[0] > work.row.shape[0]:
                continue
            write_rows(model, work, c, side, first, width)
            add_velocities(model, state, work, c, body, first, width)
            if model.tree_kind[model.body_tree[body]] == DYNAMIC:
                work.contact_len[c, side] = count
                whiten(model, work, body, first, width)
        if work.row_count[0] <= work.row.shape[0]:
            own_block(model, work, c, 0, work.contact_delassus)
            if spun:
                own_block(model, work, c, 3, work.contact_spin_delassus)
    if work.row_count[0] > work.row.shape[0]:
        work.status[0] |= CAPACITY
