"""A small island as one dense problem."""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import spread4, store4
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import (
    add_response,
    add_scalar_response,
    contact_velocity,
    scalar_velocity,
    shared_dofs,
)
from tribo.contact.solver import newton
from tribo.contact.solver.coulomb_cone import into_cone
from tribo.contact.solver.dense_matrix import along_rows, gather_rows, wide
from tribo.contact.solver.natural_residual import ENOUGH, asked_within
from tribo.math import spatial, vec


@kernel
def island_rows(work, t):
    """Return the number of rows of an island's dense problem."""
    contacts = work.island_contact_start[t + 1] - work.island_contact_start[t]
    return 3 * contacts + work.island_scalar_start[t + 1] - work.island_scalar_start[t]


@kernel
def contact_block(model, work, a, b, g, i, j):
    """Write the 3×3 block of G of two contacts a and b at row i, column j, and its transpose.

    Writes: g.
    """
    row = work.row
    xx = xy = xz = yx = yy = yz = zx = zy = zz = 0.0
    for side in range(2):
        for other in range(2):
            if work.contact_len[a, side] == 0 or work.contact_len[b, other] == 0:
                continue
            k = work.contact_row[a, side]
            m = work.contact_row[b, other]
            for _ in range(
                shared_dofs(model, work.contact_body[a, side], work.contact_body[b, other])
            ):
                x, y, z = row[k], row[k + 1], row[k + 2]
                u, v, w = row[m], row[m + 1], row[m + 2]
                xx += x * u
                xy += x * v
                xz += x * w
                yx += y * u
                yy += y * v
                yz += y * w
                zx += z * u
                zy += z * v
                zz += z * w
                k += 3
                m += 3
    g[i, j] = g[j, i] = xx
    g[i, j + 1] = g[j + 1, i] = xy
    g[i, j + 2] = g[j + 2, i] = xz
    g[i + 1, j] = g[j, i + 1] = yx
    g[i + 1, j + 1] = g[j + 1, i + 1] = yy
    g[i + 1, j + 2] = g[j + 2, i + 1] = yz
    g[i + 2, j] = g[j, i + 2] = zx
    g[i + 2, j + 1] = g[j + 1, i + 2] = zy
    g[i + 2, j + 2] = g[j + 2, i + 2] = zz


@kernel
def copy_own_block(work, c, g, i):
    """Write the 3×3 block of contact c with itself, which has its compliance in it, at row i.

    Writes: g.
    """
    xx, yy, zz, xy, xz, yz = spatial.load(work.contact_delassus, c)
    g[i, i] = xx
    g[i + 1, i + 1] = yy
    g[i + 2, i + 2] = zz
    g[i, i + 1] = g[i + 1, i] = xy
    g[i, i + 2] = g[i + 2, i] = xz
    g[i + 1, i + 2] = g[i + 2, i + 1] = yz


@kernel
def scalar_block(model, work, n, c, g, i, j):
    """Write the 1×3 block of G of scalar row n and contact c, and its transpose.

    Writes: g.
    """
    x = y = z = 0.0
    row = work.row
    for own in range(2):
        for side in range(2):
            if work.scalar_len[n, own] == 0 or work.contact_len[c, side] == 0:
                continue
            k = work.scalar_row[n, own]
            m = work.contact_row[c, side]
            for _ in range(
                shared_dofs(model, work.scalar_body[n, own], work.contact_body[c, side])
            ):
                x += row[k] * row[m]
                y += row[k] * row[m + 1]
                z += row[k] * row[m + 2]
                k += 1
                m += 3
    g[i, j] = g[j, i] = x
    g[i, j + 1] = g[j + 1, i] = y
    g[i, j + 2] = g[j + 2, i] = z


@kernel
def scalar_pair(model, work, n, m):
    """Return the entry of G of two scalar rows."""
    s = 0.0
    for own in range(2):
        for side in range(2):
            if work.scalar_len[n, own] == 0 or work.scalar_len[m, side] == 0:
                continue
            k = work.scalar_row[n, own]
            j = work.scalar_row[m, side]
            for p in range(shared_dofs(model, work.scalar_body[n, own], work.scalar_body[m, side])):
                s += work.row[k + p] * work.row[j + p]
    return s


@kernel
def write_bounds(work, t, contacts, size, x, mu, lower, upper):
    """Write the present impulses and the bounds of an island as dense arrays.

    Writes: x, mu, lower, upper.
    """
    start = work.island_contact_start[t]
    for k in range(contacts):
        n = work.island_contact[start + k]
        mu[k] = work.contact_friction[n]
        for a in range(3):
            x[3 * k + a] = work.contact_impulse[n, a]
    first = work.island_scalar_start[t] - 3 * contacts
    for i in range(3 * contacts, size):
        n = work.island_scalar[first + i]
        x[i] = work.scalar_impulse[n]
        lower[i - 3 * contacts] = work.scalar_lower[n]
        upper[i - 3 * contacts] = work.scalar_upper[n]


@kernel
def assemble(model, work, t, contacts, size, g, c, x, mu, lower, upper):
    """Write G, c, the present impulses and the bounds of an island as dense arrays.

    Writes: g, c, x, mu, lower, upper.
    """
    write_bounds(work, t, contacts, size, x, mu, lower, upper)
    start = work.island_contact_start[t]
    for k in range(contacts):
        n = work.island_contact[start + k]
        for m in range(k):
            contact_block(model, work, n, work.island_contact[start + m], g, 3 * k, 3 * m)
        copy_own_block(work, n, g, 3 * k)
        w = contact_velocity(model, work, n)
        for a in range(3):
            c[3 * k + a] = w[a]
    first = work.island_scalar_start[t] - 3 * contacts
    for i in range(3 * contacts, size):
        n = work.island_scalar[first + i]
        for k in range(contacts):
            scalar_block(model, work, n, work.island_contact[start + k], g, i, 3 * k)
        for j in range(3 * contacts, i):
            g[i, j] = g[j, i] = scalar_pair(model, work, n, work.island_scalar[first + j])
        g[i, i] = work.scalar_delassus[n]
        c[i] = scalar_velocity(model, work, n)
    for i in range(size):  # the velocities contain what the present impulses do
        for j in range(size):
            c[i] -= g[i, j] * x[j]


@kernel
def has_compliance(work, t):
    """Tell whether a row of island t has a compliance."""
    for k in contacts_in(work, t):
        x, y, z = vec.load(work.contact_compliance, work.island_contact[k])
        if x != 0.0 or y != 0.0 or z != 0.0:
            return True
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if work.scalar_compliance[n] != 0.0:
            return True
    return False


@kernel
def number_dofs(model, work, t, most):
    """Give the dofs of island t columns; return how many there are, 0 if not fewer than `most`.

    Writes: work.
    """
    count = 0
    for is_known in (False, True):  # first nobody has columns
        for k in contacts_in(work, t):
            c = work.island_contact[k]
            for side in range(2):
                if work.contact_len[c, side] > 0:
                    tree = model.body_tree[work.contact_body[c, side]]
                    count = number_tree(model, work, tree, count, is_known)
        for k in scalars_in(work, t):
            n = work.island_scalar[k]
            for side in range(2):
                if work.scalar_len[n, side] > 0:
                    tree = model.body_tree[work.scalar_body[n, side]]
                    count = number_tree(model, work, tree, count, is_known)
    return count if count < most else 0


@kernel
def number_tree(model, work, tree, count, is_known):
    """Give the dofs of a tree the next columns if they have none; return how many have one now.

    If nothing is known yet it only loses those of another problem.

    Writes: work.
    """
    if not is_known:
        work.tree_column[tree] = -1
    elif work.tree_column[tree] < 0:
        work.tree_column[tree] = count
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            if count < work.dense_dof.shape[0]:
                work.dense_dof[count] = dof
            count += 1
    return count


@kernel
def write_whitened(model, work, t, contacts, size, dofs, y):
    """Write the whitened rows of an island as a dense matrix Y, G = Y Yᵀ, as wide as `dense_matrix` has it.

    Writes: y.
    """
    for i in range(size):
        for j in range(0, wide(dofs), 4):
            store4(y, y.shape[1] * i + j, spread4(0.0))
    row = work.row
    for k in range(contacts):
        c = work.island_contact[work.island_contact_start[t] + k]
        for side in range(2):
            body = work.contact_body[c, side]
            tree = model.body_tree[body]
            first = work.tree_column[tree] - model.tree_v[tree]
            i = work.contact_row[c, side]
            for p in range(work.contact_len[c, side]):
                j = first + model.chain_dof[model.body_chain_start[body] + p]
                for a in range(3):
                    y[3 * k + a, j] += row[i + a]
                i += 3
    for k in range(3 * contacts, size):
        n = work.island_scalar[work.island_scalar_start[t] + k - 3 * contacts]
        for side in range(2):
            body = work.scalar_body[n, side]
            for p in range(work.scalar_len[n, side]):
                tree = model.body_tree[body]
                dof = model.chain_dof[model.body_chain_start[body] + p]
                y[k, work.tree_column[tree] + dof - model.tree_v[tree]] += row[
                    work.scalar_row[n, side] + p
                ]


@kernel
def into_bounds(x, mu, lower, upper):
    """Pull impulses that round-off left outside their cone or bounds back onto them.

    Writes: x.
    """
    for k in range(mu.shape[0]):
        i = 3 * k
        x[i], x[i + 1], x[i + 2] = into_cone(mu[k], (x[i], x[i + 1], x[i + 2]))
    first = 3 * mu.shape[0]
    for m in range(lower.shape[0]):
        x[first + m] = min(max(x[first + m], lower[m]), upper[m])


@kernel
def accept(model, work, t, x, contacts):
    """Take the dense solution over and add what it changes to the response.

    Writes: work.
    """
    start = work.island_contact_start[t]
    old = work.contact_impulse
    for k in range(contacts):
        n = work.island_contact[start + k]
        i = 3 * k
        change = (x[i] - old[n, 0], x[i + 1] - old[n, 1], x[i + 2] - old[n, 2])
        add_response(model, work, work.contact_row, n, change)
        for a in range(3):
            old[n, a] = x[i + a]
    for i in range(3 * contacts, x.shape[0]):
        n = work.island_scalar[work.island_scalar_start[t] + i - 3 * contacts]
        add_scalar_response(model, work, n, x[i] - work.scalar_impulse[n])
        work.scalar_impulse[n] = x[i]


@kernel
def write_start(work, t, contacts, size, r_of, w):
    """Write r of every row and its velocity without forces; return the mean of G's diagonal.

    Writes: r_of, w.
    """
    total = 0.0
    start = work.island_contact_start[t]
    for k in range(contacts):
        n = work.island_contact[start + k]
        g = work.contact_delassus
        trace = g[n, 0] + g[n, 1] + g[n, 2]
        total += trace
        r = 3.0 / trace if trace > 0.0 else 0.0
        for a in range(3):
            r_of[3 * k + a] = r
            w[3 * k + a] = work.contact_start[n, a]
    first = work.island_scalar_start[t] - 3 * contacts
    for i in range(3 * contacts, size):
        n = work.island_scalar[first + i]
        total += work.scalar_delassus[n]
        r_of[i] = 1.0 / work.scalar_delassus[n]
        w[i] = work.scalar_start[n]
    return total / size


@kernel
def accept_by_dofs(work, t, x, contacts, dofs, change, z):
    """Take the dense solution over and add what it changes to the response, dof by dof.

    Writes: work, change, z.
    """
    start = work.island_contact_start[t]
    for k in range(contacts):
        n = work.island_contact[start + k]
        for a in range(3):
            change[3 * k + a] = x[3 * k + a] - work.contact_impulse[n, a]
            work.contact_impulse[n, a] = x[3 * k + a]
    for i in range(3 * contacts, x.shape[0]):
        n = work.island_scalar[work.island_scalar_start[t] + i - 3 * contacts]
        change[i] = x[i] - work.scalar_impulse[n]
        work.scalar_impulse[n] = x[i]
    gather_rows(work.dense_row, wide(dofs), change, z)
    for i in range(dofs):
        work.response[work.dense_dof[i]] += z[i]


@kernel
def solve_by_dofs(work, t, contacts, size, dofs, x, mu, lower, upper, limit):
    """Solve island t, with fewer dofs than rows, if all that closes sticks; return success, and if it tried.

    Y of the island is in `dense_row`. G is not needed.

    Writes: work, x, mu, lower, upper.
    """
    write_bounds(work, t, contacts, size, x, mu, lower, upper)
    if not newton.has_stuck(x, mu):
        return False, False
    r_of = work.dense_scratch[0, :size]
    w = work.dense_scratch[1, :size]
    f = work.dense_scratch[2, :size]
    step = work.dense_scratch[4, :size]
    z = work.dense_scratch[5]
    eps = newton.PROXIMAL * write_start(work, t, contacts, size, r_of, w)
    for i in range(dofs):
        z[i] = work.response[work.dense_dof[i]]
    for i in range(dofs, wide(dofs)):
        z[i] = 0.0
    along_rows(work.dense_row, wide(dofs), z, f)
    for i in range(size):
        w[i] += f[i]
    reached = newton.stick_by_dofs(
        work.dense_row, dofs, x, mu, lower, upper, r_of, eps, limit, asked_within(work, t),
        work.dense_jacobian, work.dense_index, w, step, f, z,
    )  # fmt: skip
    if not 0.0 <= reached <= limit:
        return False, reached != -1.0
    into_bounds(x, mu, lower, upper)
    accept_by_dofs(work, t, x, contacts, dofs, step, z)
    return True, True


@kernel
def solve_exactly(model, work, t, limit):
    """Solve island t as a dense problem; return False (and change no impulse) if that fails.

    Writes: work.
    """
    size = island_rows(work, t)
    contacts = work.island_contact_start[t + 1] - work.island_contact_start[t]
    g = work.dense
    c = work.dense_vector[0, :size]
    x = work.dense_vector[1, :size]
    mu = work.dense_vector[2, :contacts]
    lower = work.dense_vector[3, : size - 3 * contacts]
    upper = work.dense_vector[4, : size - 3 * contacts]
    dofs = 0 if has_compliance(work, t) else number_dofs(model, work, t, size)
    was_tried = False
    if dofs > 0:
        write_whitened(model, work, t, contacts, size, dofs, work.dense_row)
        is_solved, was_tried = solve_by_dofs(
            work, t, contacts, size, dofs, x, mu, lower, upper, limit
        )
        if is_solved:
            return True
    assemble(model, work, t, contacts, size, g, c, x, mu, lower, upper)
    slack = asked_within(work, t)
    worst = newton.newton(
        g, work.dense_row, dofs, c, x, mu, lower, upper, limit, ENOUGH * limit, slack,
        work.dense_jacobian, work.dense_index, work.dense_scratch, not was_tried,
    )  # fmt: skip
    if not worst <= limit:
        return False
    into_bounds(x, mu, lower, upper)
    accept(model, work, t, x, contacts)
    return True
