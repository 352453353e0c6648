"""Stage *exact*: an island whose sweeps do not converge quickly is solved as one dense problem."""

from math import sqrt

from tribo.contact import newton
from tribo.jit import kernel

RUNGS = 3  # ADMM steps before each Newton attempt: 20, 60, 180
FIRST_RUNG = 20


@kernel
def island_rows(work, t):
    """Return the number of rows of an island's dense problem."""
    contacts = work.island_contact_start[t + 1] - work.island_contact_start[t]
    return 3 * contacts + work.island_limit_start[t + 1] - work.island_limit_start[t]


@kernel
def scatter(model, work, body, first, width, k, count, z, s):
    """Add s times row k of a chain to z.

    Writes: z.
    """
    chain = model.body_chain_start[body]
    for p in range(count):
        z[model.chain_dof[chain + p]] += s * work.row[first + p * width + k]


@kernel
def gather(model, work, body, first, width, k, count, z):
    """Return the product of row k of a chain with z."""
    chain = model.body_chain_start[body]
    s = 0.0
    for p in range(count):
        s += z[model.chain_dof[chain + p]] * work.row[first + p * width + k]
    return s


@kernel
def scatter_row(model, work, t, i, z, s):
    """Add s times row i of island t to z.

    Writes: z.
    """
    start = work.island_contact_start[t]
    contacts = work.island_contact_start[t + 1] - start
    if i < 3 * contacts:
        c = work.island_contact[start + i // 3]
        width = 6 if work.contact_is_spun[c] == 1 else 3
        for side in range(2):
            scatter(
                model, work, work.contact_body[c, side], work.contact_row[c, side], width, i % 3,
                work.contact_len[c, side], z, s,
            )  # fmt: skip
    else:
        n = work.island_limit[work.island_limit_start[t] + i - 3 * contacts]
        body = work.limit_body[n]
        scatter(model, work, body, work.limit_row[n], 1, 0, model.body_chain_len[body], z, s)


@kernel
def gather_row(model, work, t, i, z):
    """Return the product of row i of island t with z."""
    start = work.island_contact_start[t]
    contacts = work.island_contact_start[t + 1] - start
    total = 0.0
    if i < 3 * contacts:
        c = work.island_contact[start + i // 3]
        width = 6 if work.contact_is_spun[c] == 1 else 3
        for side in range(2):
            total += gather(
                model, work, work.contact_body[c, side], work.contact_row[c, side], width, i % 3,
                work.contact_len[c, side], z,
            )  # fmt: skip
        return total
    n = work.island_limit[work.island_limit_start[t] + i - 3 * contacts]
    body = work.limit_body[n]
    return gather(model, work, body, work.limit_row[n], 1, 0, model.body_chain_len[body], z)


@kernel
def assemble(model, work, t, size, g, c, x, mu):
    """Write G, c and the present impulses of an island as dense arrays.

    Writes: work, g, c, x, mu.
    """
    z = work.dense_response
    start = work.island_contact_start[t]
    for i in range(size):
        scatter_row(model, work, t, i, z, 1.0)
        for j in range(i + 1):
            g[i, j] = gather_row(model, work, t, j, z)
            g[j, i] = g[i, j]
        clear_row(model, work, t, i, z)
    contacts = mu.shape[0]
    for k in range(contacts):
        n = work.island_contact[start + k]
        mu[k] = work.contact_friction[n]
        for a in range(3):
            c[3 * k + a] = work.contact_free[n, a]
            x[3 * k + a] = work.contact_impulse[n, a]
    for i in range(3 * contacts, size):
        n = work.island_limit[work.island_limit_start[t] + i - 3 * contacts]
        c[i] = work.limit_free[n]
        x[i] = work.limit_impulse[n]


@kernel
def clear_row(model, work, t, i, z):
    """Set z to zero on the dofs of row i again.

    Writes: z.
    """
    start = work.island_contact_start[t]
    contacts = work.island_contact_start[t + 1] - start
    if i < 3 * contacts:
        c = work.island_contact[start + i // 3]
        for side in range(2):
            chain = model.body_chain_start[work.contact_body[c, side]]
            for p in range(work.contact_len[c, side]):
                z[model.chain_dof[chain + p]] = 0.0
        return
    body = work.limit_body[work.island_limit[work.island_limit_start[t] + i - 3 * contacts]]
    chain = model.body_chain_start[body]
    for p in range(model.body_chain_len[body]):
        z[model.chain_dof[chain + p]] = 0.0


@kernel
def cone_ready(x, mu):
    """Pull impulses that round-off left outside their cone back onto it.

    Writes: x.
    """
    for k in range(mu.shape[0]):
        i = 3 * k
        n = max(0.0, x[i + 2])
        x[i + 2] = n
        s = sqrt(x[i] * x[i] + x[i + 1] * x[i + 1])
        if s > mu[k] * n:
            f = mu[k] * n / s
            x[i] *= f
            x[i + 1] *= f
    for i in range(3 * mu.shape[0], x.shape[0]):
        x[i] = max(0.0, x[i])


@kernel
def accept(model, work, t, x, contacts):
    """Take the dense solution over and add what it changes to the response.

    Writes: work.
    """
    start = work.island_contact_start[t]
    for k in range(contacts):
        n = work.island_contact[start + k]
        for a in range(3):
            change = x[3 * k + a] - work.contact_impulse[n, a]
            scatter_row(model, work, t, 3 * k + a, work.response, change)
            work.contact_impulse[n, a] = x[3 * k + a]
    for i in range(3 * contacts, x.shape[0]):
        n = work.island_limit[work.island_limit_start[t] + i - 3 * contacts]
        scatter_row(model, work, t, i, work.response, x[i] - work.limit_impulse[n])
        work.limit_impulse[n] = x[i]


@kernel
def solve_exactly(model, work, t, limit):
    """Solve island t as a dense problem; return False (and change nothing) if that fails.

    Newton starts from the sweeps' impulses; if it does not arrive, from more and more ADMM steps.

    Writes: work.
    """
    size = island_rows(work, t)
    contacts = work.island_contact_start[t + 1] - work.island_contact_start[t]
    g = work.dense[0, :size, :size]
    jac = work.dense[1, :size, :size]
    c = work.dense_vector[0, :size]
    x = work.dense_vector[1, :size]
    w = work.dense_vector[2, :size]
    f = work.dense_vector[3, :size]
    trial = work.dense_vector[4, :size]
    y = work.dense_vector[5, :size]
    z = work.dense_vector[6, :size]
    mu = work.dense_vector[7, :contacts]
    assemble(model, work, t, size, g, c, x, mu)
    for i in range(size):
        y[i] = x[i]
        z[i] = 0.0
    worst = newton.newton(g, c, x, mu, limit, jac, w, f, trial)
    steps = FIRST_RUNG
    for _ in range(RUNGS):
        if worst <= limit:
            break
        newton.admm(g, c, y, mu, steps, z, jac, w, f)
        for i in range(size):
            x[i] = y[i]
        worst = newton.newton(g, c, x, mu, limit, jac, w, f, trial)
        steps *= 3
    if not worst <= limit:
        return False
    cone_ready(x, mu)
    accept(model, work, t, x, contacts)
    return True
