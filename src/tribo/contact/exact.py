"""A small island as one dense problem."""

from tribo.contact import newton
from tribo.contact.cone import into_cone
from tribo.contact.response import (
    add_limit_response,
    add_response,
    limit_velocity,
    shared_dofs,
    velocity,
)
from tribo.jit import kernel


@kernel
def island_rows(work, t):
    """Return the number of rows of an island's dense problem."""
    contacts = work.island_contact_start[t + 1] - work.island_contact_start[t]
    return 3 * contacts + work.island_limit_start[t + 1] - work.island_limit_start[t]


@kernel
def contact_block(model, work, a, b, g, i, j):
    """Write the 3×3 block of G of contacts a and b at row i, column j, and its transpose.

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
    g[i + 1, j + 1] = g[j + 1, i + 1] = yy
    g[i + 1, j + 2] = g[j + 2, i + 1] = yz
    g[i + 2, j + 2] = g[j + 2, i + 2] = zz
    if i != j:
        g[i + 1, j] = g[j, i + 1] = yx
        g[i + 2, j] = g[j, i + 2] = zx
        g[i + 2, j + 1] = g[j + 1, i + 2] = zy


@kernel
def limit_block(model, work, n, c, g, i, j):
    """Write the 1×3 block of G of limit n and contact c, and its transpose.

    Writes: g.
    """
    x = y = z = 0.0
    row = work.row
    for side in range(2):
        if work.contact_len[c, side] > 0:
            m = work.contact_row[c, side]
            k = work.limit_row[n]
            for _ in range(shared_dofs(model, work.limit_body[n], work.contact_body[c, side])):
                x += row[k] * row[m]
                y += row[k] * row[m + 1]
                z += row[k] * row[m + 2]
                k += 1
                m += 3
    g[i, j] = g[j, i] = x
    g[i, j + 1] = g[j + 1, i] = y
    g[i, j + 2] = g[j + 2, i] = z


@kernel
def limit_pair(model, work, n, m):
    """Return the entry of G of two limits."""
    s = 0.0
    for p in range(shared_dofs(model, work.limit_body[n], work.limit_body[m])):
        s += work.row[work.limit_row[n] + p] * work.row[work.limit_row[m] + p]
    return s


@kernel
def assemble(model, work, t, contacts, size, g, c, x, mu):
    """Write G, c and the present impulses of an island as dense arrays.

    Writes: g, c, x, mu.
    """
    start = work.island_contact_start[t]
    for k in range(contacts):
        n = work.island_contact[start + k]
        for m in range(k + 1):
            contact_block(model, work, n, work.island_contact[start + m], g, 3 * k, 3 * m)
        mu[k] = work.contact_friction[n]
        w = velocity(model, work, work.contact_row, work.contact_start, n)
        for a in range(3):
            c[3 * k + a] = w[a]
            x[3 * k + a] = work.contact_impulse[n, a]
    first = work.island_limit_start[t] - 3 * contacts
    for i in range(3 * contacts, size):
        n = work.island_limit[first + i]
        for k in range(contacts):
            limit_block(model, work, n, work.island_contact[start + k], g, i, 3 * k)
        for j in range(3 * contacts, i + 1):
            g[i, j] = g[j, i] = limit_pair(model, work, n, work.island_limit[first + j])
        c[i] = limit_velocity(model, work, n)
        x[i] = work.limit_impulse[n]
    for i in range(size):  # the velocities contain what the present impulses do
        for j in range(size):
            c[i] -= g[i, j] * x[j]


@kernel
def cone_ready(x, mu):
    """Pull impulses that round-off left outside their cone back onto it.

    Writes: x.
    """
    for k in range(mu.shape[0]):
        i = 3 * k
        x[i], x[i + 1], x[i + 2] = into_cone(mu[k], (x[i], x[i + 1], x[i + 2]))
    for i in range(3 * mu.shape[0], x.shape[0]):
        x[i] = max(0.0, x[i])


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
        n = work.island_limit[work.island_limit_start[t] + i - 3 * contacts]
        add_limit_response(model, work, n, x[i] - work.limit_impulse[n])
        work.limit_impulse[n] = x[i]


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
    assemble(model, work, t, contacts, size, g, c, x, mu)
    worst = newton.newton(
        g, c, x, mu, limit, work.dense_jacobian, work.dense_index, work.dense_scratch
    )
    if not worst <= limit:
        return False
    cone_ready(x, mu)
    accept(model, work, t, x, contacts)
    return True
