"""Stage `contact_rows.write_contact_rows`: the whitened Jacobians of contacts.

A contact moves only the dofs of the two chains that end in its bodies. Per side, the rows t₁, t₂, n are
stored dof by dof: first J, then in place y = D^(−1/2) L⁻ᵀ Jᵀ, so that G = y yᵀ and Δv = L⁻¹ D^(−1/2) y λ.
Whitened rows keep the pattern of J; no n×n matrix is formed. A pair with rolling or spinning friction has
three more rows per side, for torques about the same axes.
"""

from tribo.collision.broadphase import is_moved
from tribo.compiler.jit import kernel
from tribo.contact.problem.surface_velocity import add_surface
from tribo.contact.problem.whitened_products import add_side_velocity, shared_dofs
from tribo.dynamics.inertia import form_missing_rows
from tribo.math import spatial, vec
from tribo.model import Pair, Status

ON_GROUND, BETWEEN_MOVED = 1, 2  # of `Work.contact_is_soft`: which sides of a compliant pair move


@kernel
def materials_of(model, work, c):
    """Return the materials of the two shapes of contact c."""
    return (model.shape_material[work.contact_shape[c, 0]], model.shape_material[work.contact_shape[c, 1]])


@kernel
def contact_point(model, work, c, side):
    """Return the point of one side of contact c at which its impulse acts, world [m].

    Two bodies that impulses move share the point in the middle of the gap, so that angular momentum is kept.
    At a contact of a later pose (`contact_travel`), and against a body that impulses do not move, it is the
    point on each body's own surface: the lever arm is then exact.
    """
    p = vec.load(work.contact_pos, c)
    way = vec.load(work.contact_travel, c)
    if vec.dot(way, way) > 0.0:
        return vec.axpy(0.5 if side == 0 else -0.5, way, p)
    if is_moved(model, work.contact_body[c, 1 - side]):
        return p
    n = vec.load_from(work.contact_axes, c, 6)
    half = 0.5 * work.contact_gap[c]
    return vec.axpy(half if side == 0 else -half, n, p)


@kernel
def write_force_rows(model, work, c, side, first):
    """Write the Jacobian, not yet whitened, of one side of a contact with a robot. J = [arm × t; t] · S

    Writes: work.
    """
    body = work.contact_body[c, side]
    tree = model.body_tree[body]
    origin = vec.load(work.body_pos, model.tree_body[tree])
    arm = vec.sub(contact_point(model, work, c, side), origin)
    s = 1.0 if side == 0 else -1.0
    chain = model.body_chain_start[body]
    t = vec.scale(s, vec.load_from(work.contact_axes, c, 0))
    u = vec.scale(s, vec.load_from(work.contact_axes, c, 3))
    n = vec.scale(s, vec.load_from(work.contact_axes, c, 6))
    x, y, z = (*vec.cross(arm, t), *t), (*vec.cross(arm, u), *u), (*vec.cross(arm, n), *n)
    row = work.row
    for p in range(model.body_chain_len[body]):
        axis, i = spatial.load(work.dof_axis, model.chain_dof[chain + p]), first + 3 * p
        row[i], row[i + 1], row[i + 2] = spatial.dot(axis, x), spatial.dot(axis, y), spatial.dot(axis, z)


@kernel
def free_body_row(work, arm, axis, dof, a, b, gives_way, speed):
    """Return the row of a force along an axis at an arm of a free body, and `speed` plus its velocity.

    The row is whitened if impulses move the body: as `write_force_rows`, `add_side_velocity` and
    `whiten_contact`, but unrolled. a, b: first numbers of the last two rows of its factor.
    """
    x, y, z = axis
    u, v, w = vec.cross(arm, axis)
    kick = work.start_velocity
    speed = speed + x * kick[dof] + y * kick[dof + 1] + z * kick[dof + 2]
    speed = speed + u * kick[dof + 3] + v * kick[dof + 4] + w * kick[dof + 5]
    if gives_way:
        factor, scale = work.mass_factor, work.dof_scale
        u -= factor[b + 3] * w
        v -= factor[b + 4] * w
        u -= factor[a + 3] * v
        x *= scale[dof]
        y *= scale[dof + 1]
        z *= scale[dof + 2]
        u *= scale[dof + 3]
        v *= scale[dof + 4]
        w *= scale[dof + 5]
    return (x, y, z, u, v, w), speed


@kernel
def write_free_body_rows(model, work, c, side, first, gives_way):
    """Write the rows of one side of a contact with a free body, and add its velocity to `contact_vel`.

    Writes: work.
    """
    body = work.contact_body[c, side]
    tree = model.body_tree[body]
    arm = vec.sub(contact_point(model, work, c, side), vec.load(work.body_pos, model.tree_body[tree]))
    if gives_way:
        form_missing_rows(model, work, tree)
    chain = model.body_chain_start[body]
    dof = model.chain_dof[chain]
    a, b = model.chain_row[chain + 4], model.chain_row[chain + 5]
    s = 1.0 if side == 0 else -1.0
    axes = work.contact_axes
    row = work.row
    for k in range(3):
        axis = (s * axes[c, 3 * k], s * axes[c, 3 * k + 1], s * axes[c, 3 * k + 2])
        six, speed = free_body_row(work, arm, axis, dof, a, b, gives_way, work.contact_vel[c, k])
        for p in range(6):
            row[first + 3 * p + k] = six[p]
        work.contact_vel[c, k] = speed


@kernel
def write_spin_rows(model, work, c, side, first):
    """Write the angular Jacobian, not yet whitened, of one side of a contact.

    Writes: work.
    """
    body = work.contact_body[c, side]
    chain = model.body_chain_start[body]
    is_single = model.tree_is_single[model.body_tree[body]] == 1
    axes = work.contact_axes
    row = work.row
    for k in range(3):
        t = vec.load_from(axes, c, 3 * k)
        t = vec.neg(t) if side == 1 else t
        i = first + k
        for p in range(model.body_chain_len[body]):
            if is_single:
                row[i + 3 * p] = 0.0 if p < 3 else t[p - 3]
            else:
                row[i + 3 * p] = vec.dot(vec.load(work.dof_axis, model.chain_dof[chain + p]), t)


@kernel
def whiten_contact(model, work, body, first):
    """Replace rows J of a body's chain by D^(−1/2) L⁻ᵀ Jᵀ.

    Writes: work.
    """
    form_missing_rows(model, work, model.body_tree[body])
    row = work.row
    factor = work.mass_factor
    chain = model.body_chain_start[body]
    lowest = 3 if model.tree_is_single[model.body_tree[body]] == 1 else 0
    for p in range(model.body_chain_len[body] - 1, -1, -1):
        start = model.chain_row[chain + p]
        here = first + 3 * p
        x, y, z = row[here], row[here + 1], row[here + 2]
        for r in range(lowest, p):
            a = factor[start + r]
            there = first + 3 * r
            row[there] -= a * x
            row[there + 1] -= a * y
            row[there + 2] -= a * z
        scale = work.dof_scale[model.chain_dof[chain + p]]
        row[here] = scale * x
        row[here + 1] = scale * y
        row[here + 2] = scale * z


@kernel
def diagonal_block(model, work, table, c, out):
    """Write the block G_cc of three rows as (xx, yy, zz, xy, xz, yz).

    Writes: out.
    """
    xx = yy = zz = xy = xz = yz = 0.0
    row = work.row
    shared = 0
    if work.contact_len[c, 0] > 0 and work.contact_len[c, 1] > 0:
        shared = shared_dofs(model, work.contact_body[c, 0], work.contact_body[c, 1])
    for side in range(2):
        i = table[c, side]
        j = table[c, 1]
        for p in range(work.contact_len[c, side]):
            x, y, z = row[i], row[i + 1], row[i + 2]
            i += 3
            if p < shared:  # the sum of both sides acts on a shared dof; count it once
                if side == 1:
                    continue
                x += row[j]
                y += row[j + 1]
                z += row[j + 2]
                j += 3
            xx += x * x
            yy += y * y
            zz += z * z
            xy += x * y
            xz += x * z
            yz += y * z
    spatial.store(out, c, (xx, yy, zz, xy, xz, yz))


@kernel
def write_diagonal_blocks(model, work, c):
    """Write the block G_cc of the forces of contact c, and the mean of its diagonal.

    Writes: work.
    """
    diagonal_block(model, work, work.contact_row, c, work.contact_delassus)
    g = work.contact_delassus
    work.diagonal_delassus[c] = (g[c, 0] + g[c, 1] + g[c, 2]) / 3.0


@kernel
def reserve_row(work, count):
    """Reserve `count` numbers of `work.row`; return the first, −1 if there is no room.

    Writes: work.
    """
    first = work.row_count[0]
    work.row_count[0] = first + count
    return first if first + count <= work.row.shape[0] else -1


@kernel
def write_side_rows(model, work, c, side, gives_way):
    """Write the rows of one side of contact c, whitened if `gives_way`, and add its velocities.

    Writes: work.
    """
    body = work.contact_body[c, side]
    count = model.body_chain_len[body]
    work.contact_len[c, side] = count if gives_way else 0
    first = reserve_row(work, 3 * count)
    if first >= 0:
        work.contact_row[c, side] = first
        if model.tree_is_single[model.body_tree[body]] == 1:
            write_free_body_rows(model, work, c, side, first, gives_way)
        else:
            write_force_rows(model, work, c, side, first)
            speed = vec.load(work.contact_vel, c)
            speed = add_side_velocity(model, work, body, count, first, work.start_velocity, speed)
            vec.store(work.contact_vel, c, speed)
            if gives_way:
                whiten_contact(model, work, body, first)
    if work.contact_is_spun[c] == 0:
        return
    first = reserve_row(work, 3 * count)
    if first >= 0:
        work.contact_spin_row[c, side] = first
        write_spin_rows(model, work, c, side, first)
        spin = vec.load(work.contact_spin_start, c)
        spin = add_side_velocity(model, work, body, count, first, work.start_velocity, spin)
        vec.store(work.contact_spin_start, c, spin)
        if gives_way:
            whiten_contact(model, work, body, first)


@kernel
def write_contact_rows(model, work):
    """Build the rows of every contact.

    Writes: work.
    Cost: O(contacts · depth²).
    """
    work.row_count[0] = 0
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] == ON_GROUND or work.contact_is_resting[c] == 1:
            continue
        a, b = materials_of(model, work, c)
        table = model.pair_table
        rolls = table[a, b, Pair.ROLLING_FRICTION] > 0.0 or table[a, b, Pair.ROLLING_LENGTH] > 0.0
        spins = table[a, b, Pair.SPINNING_FRICTION] > 0.0 or table[a, b, Pair.SPINNING_LENGTH] > 0.0
        work.contact_is_spun[c] = 1 if rolls or spins else 0
        vec.store(work.contact_vel, c, (0.0, 0.0, 0.0))
        vec.store(work.contact_spin_start, c, (0.0, 0.0, 0.0))
        for side in range(2):
            body = work.contact_body[c, side]
            work.contact_len[c, side] = 0
            if model.body_chain_len[body] > 0:
                write_side_rows(model, work, c, side, is_moved(model, body))
        add_surface(work, c)
        if work.row_count[0] <= work.row.shape[0]:
            write_diagonal_blocks(model, work, c)
            if work.contact_is_spun[c] == 1:
                diagonal_block(model, work, work.contact_spin_row, c, work.contact_spin_delassus)
    if work.row_count[0] > work.row.shape[0]:
        work.status[0] |= Status.CAPACITY
