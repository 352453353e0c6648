"""The frictional contact problem of one island, dense and exact.

Unknowns x = (λ of n contacts in threes, then m rows between bounds), w = G x + c. The natural map F(x) is
zero at a solution; semismooth Newton follows it and, from a good start, arrives at round-off in a few
steps. Where contacts are redundant G is singular: a small multiple of the identity, taken relative to
the present x, picks the solution nearest to where the iteration starts.
Source: Alart, Curnier 1991.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load4, spread4, store4
from tribo.contact.solver.coulomb_cone import NO_FRICTION
from tribo.contact.solver.dense_matrix import along_rows, gather_rows, solve_dense, wide
from tribo.contact.solver.sticking_step import (
    PROXIMAL,
    is_spent,
    redundant_step,
    sticking_step,
)

NEWTON_STEPS = 8
HALVINGS = 4


@kernel
def multiply(g, x, c, w):
    """Set w = G x + c.

    Writes: w.
    """
    n = x.shape[0]
    fours = n & ~3
    stride = g.shape[1]
    for i in range(0, fours, 4):  # G is symmetric
        four = load4(c, i)
        for j in range(n):
            four = four + load4(g, stride * j + i) * spread4(x[j])
        store4(w, i, four)
    for i in range(fours, n):
        s = c[i]
        for j in range(n):
            s += g[i, j] * x[j]
        w[i] = s


@kernel
def natural_map(g, c, x, mu, lower, upper, r_of, w, f):
    """Set w = G x + c and the natural map F; return the largest violation as a velocity.

    Writes: w, f.
    """
    multiply(g, x, c, w)
    return natural_map_at(x, mu, lower, upper, r_of, w, f)


@kernel
def natural_map_at(x, mu, lower, upper, r_of, w, f):
    """Set the natural map F of impulses x and velocities w; return the largest violation as a velocity.

    Writes: f.
    """
    n = mu.shape[0]
    worst = 0.0
    for k in range(n):
        i = 3 * k
        r = r_of[i]
        xn = x[i + 2] - r * w[i + 2]
        bound = mu[k] * max(0.0, xn)
        xt = x[i] - r * w[i]
        yt = x[i + 1] - r * w[i + 1]
        s = sqrt(xt * xt + yt * yt)
        f[i + 2] = x[i + 2] - max(0.0, xn)
        if xn > 0.0:
            f[i + 2] = r * w[i + 2]
        if s <= bound and xn > 0.0:
            f[i] = r * w[i]
            f[i + 1] = r * w[i + 1]
        elif bound > 0.0:
            f[i] = x[i] - bound * xt / s
            f[i + 1] = x[i + 1] - bound * yt / s
        else:
            f[i] = x[i]
            f[i + 1] = x[i + 1]
        if r > 0.0:  # 0: nothing can move this contact
            worst = max(worst, max(abs(f[i]), abs(f[i + 1]), abs(f[i + 2])) / r)
    for m in range(lower.shape[0]):
        i = 3 * n + m
        r = r_of[i]
        y = x[i] - r * w[i]
        f[i] = r * w[i]
        if y <= lower[m]:
            f[i] = x[i] - lower[m]
        elif y >= upper[m]:
            f[i] = x[i] - upper[m]
        worst = max(worst, abs(f[i]) / r)
    return worst


@kernel
def close_open(x, mu, lower, upper, w, r_of, index):
    """List the rows that take part; set impulses of rows that open to their bound. Return count, changes.

    Writes: x, index.
    """
    count = 0
    changed = False
    n = mu.shape[0]
    for k in range(n):
        i = 3 * k
        if x[i + 2] - r_of[i] * w[i + 2] > 0.0:
            index[count] = i
            index[count + 1] = i + 1
            index[count + 2] = i + 2
            count += 3
        elif x[i] != 0.0 or x[i + 1] != 0.0 or x[i + 2] != 0.0:
            x[i] = x[i + 1] = x[i + 2] = 0.0
            changed = True
    for m in range(lower.shape[0]):
        i = 3 * n + m
        y = x[i] - r_of[i] * w[i]
        if lower[m] < y < upper[m]:
            index[count] = i
            count += 1
            continue
        bound = lower[m] if y <= lower[m] else upper[m]
        if x[i] != bound:
            x[i] = bound
            changed = True
    return count, changed


@kernel
def sticks(x, mu, w, r, i):
    """Tell whether closed contact i (first row) sticks."""
    xt = x[i] - r * w[i]
    yt = x[i + 1] - r * w[i + 1]
    bound = mu[i // 3] * (x[i + 2] - r * w[i + 2])
    return xt * xt + yt * yt <= bound * bound


@kernel
def all_stick(x, mu, w, r_of, index, count):
    """Tell whether every closed contact sticks: then the natural map is linear in x."""
    limits = 3 * mu.shape[0]
    a = 0
    while a < count and index[a] < limits:
        i = index[a]
        if not sticks(x, mu, w, r_of[i], i):
            return False
        a += 3
    return True


@kernel
def closed_row(g, i, eps, index, count, jac, a):
    """Write row i of G + ε I, the a-th of the closed ones, with the columns of these into the Jacobian.

    Writes: jac.
    """
    if index[count - 1] == count - 1:  # the first ones, without a gap
        for b in range(0, count, 4):
            store4(jac, jac.shape[1] * a + b, load4(g, g.shape[1] * i + b))
    else:
        for b in range(count):
            jac[a, b] = g[i, index[b]]
        for b in range(count, wide(count)):
            jac[a, b] = 0.0
    jac[a, a] += eps


@kernel
def scale_row(jac, a, count, r):
    """Multiply a row of the Jacobian.

    Writes: jac.
    """
    four = spread4(r)
    for at in range(jac.shape[1] * a, jac.shape[1] * a + count, 4):
        store4(jac, at, four * load4(jac, at))


@kernel
def slip_rows(jac, x, w, mu, r, i, count, a):
    """Make the two tangential rows of slipping contact i of the three rows of G at a.

    Writes: jac.
    """
    xn = x[i + 2] - r * w[i + 2]
    xt = x[i] - r * w[i]
    yt = x[i + 1] - r * w[i + 1]
    s = sqrt(xt * xt + yt * yt)
    u = xt / s
    v = yt / s
    k = mu * xn / s
    uu = k * (1.0 - u * u)
    uv = -k * u * v
    vv = k * (1.0 - v * v)
    nu = mu * u
    nv = mu * v
    stride = jac.shape[1]
    for at in range(stride * a, stride * a + count, 4):
        p = load4(jac, at)
        q = load4(jac, at + stride)
        n = load4(jac, at + 2 * stride)
        one = spread4(uu * r) * p + spread4(uv * r) * q + spread4(nu * r) * n
        other = spread4(uv * r) * p + spread4(vv * r) * q + spread4(nv * r) * n
        store4(jac, at, one)
        store4(jac, at + stride, other)
    jac[a, a] += 1.0 - uu
    jac[a, a + 1] -= uv
    jac[a, a + 2] -= nu
    jac[a + 1, a] -= uv
    jac[a + 1, a + 1] += 1.0 - vv
    jac[a + 1, a + 2] -= nv


@kernel
def unit_row(jac, a, count):
    """Write a row of the identity.

    Writes: jac.
    """
    for b in range(count):
        jac[a, b] = 0.0
    jac[a, a] = 1.0


@kernel
def jacobian(g, x, mu, w, r_of, eps, index, count, jac):
    """Write the generalised Jacobian of the natural map on the closed rows.

    Writes: jac.
    """
    a = 0
    limits = 3 * mu.shape[0]
    while a < count:
        i = index[a]
        r = r_of[i]
        if i >= limits:
            closed_row(g, i, eps, index, count, jac, a)
            scale_row(jac, a, count, r)
            a += 1
            continue
        for k in range(3):
            closed_row(g, i + k, eps, index, count, jac, a + k)
        if sticks(x, mu, w, r, i):
            scale_row(jac, a, count, r)
            scale_row(jac, a + 1, count, r)
        elif mu[i // 3] > NO_FRICTION:
            slip_rows(jac, x, w, mu[i // 3], r, i, count, a)
        else:
            unit_row(jac, a, count)
            unit_row(jac, a + 1, count)
        scale_row(jac, a + 2, count, r)
        a += 3


@kernel
def merit(f):
    """Return ‖F‖²."""
    s = 0.0
    for i in range(f.shape[0]):
        s += f[i] * f[i]
    return s


@kernel
def set_step_lengths(g, contacts, r_of):
    """Set r of every row: the inverse of the mean apparent inverse mass of its contact.

    Writes: r_of.
    """
    for k in range(contacts):
        i = 3 * k
        trace = g[i, i] + g[i + 1, i + 1] + g[i + 2, i + 2]
        r_of[i] = r_of[i + 1] = r_of[i + 2] = 3.0 / trace if trace > 0.0 else 0.0
    for i in range(3 * contacts, r_of.shape[0]):
        r_of[i] = 1.0 / g[i, i]


@kernel
def search(g, c, x, mu, lower, upper, r_of, index, count, step, w, f, trial):
    """Go along −step as far as the natural map shrinks; return the violation, −1 if nowhere.

    Writes: x, w, f, trial.
    """
    before = merit(f)
    alpha = 1.0
    for _ in range(HALVINGS):
        for i in range(x.shape[0]):
            trial[i] = x[i]
        for a in range(count):
            trial[index[a]] -= alpha * step[a]
        worst = natural_map(g, c, trial, mu, lower, upper, r_of, w, f)
        if merit(f) < before:
            for i in range(x.shape[0]):
                x[i] = trial[i]
            return worst
        alpha *= 0.5
    return -1.0


@kernel
def has_stuck(x, mu):
    """Tell whether no contact has an impulse on its cone: then all will probably stick again."""
    for k in range(mu.shape[0]):
        i = 3 * k
        bound = 0.999 * mu[k] * x[i + 2]
        if x[i + 2] > 0.0 and x[i] * x[i] + x[i + 1] * x[i + 1] >= bound * bound:
            return False
    return True


@kernel
def stick(g, y, dofs, c, x, mu, lower, upper, r_of, eps, limit, slack, jac, index, w, step, f, z):
    """Let every contact that closes at x stick; return the violation, at most `limit` if that is lawful.

    What more contacts than needed ask for may contradict itself by as much as the asking is inexact; the
    velocities nearest to all of it are the answer then, if none is missed by more than `slack` [m/s].
    (To obey some exactly, the others would have to slip or open, and what they hold would turn about one.)
    w is G x + c.

    Writes: x, jac, index, w, step, f, z.
    """
    count, changed = close_open(x, mu, lower, upper, w, r_of, index)
    if changed:
        multiply(g, x, c, w)
    before = inf
    for _ in range(NEWTON_STEPS):
        sticking_step(g, y, dofs, w, eps, index, count, jac, step, f, z)
        for a in range(count):
            x[index[a]] -= step[a]
        reached = natural_map(g, c, x, mu, lower, upper, r_of, w, f)
        if reached <= limit or not reached <= slack:
            return reached
        if reached > 0.5 * before or is_spent(y, dofs, w, index, count, eps, limit, f, z):
            return limit if all_stick(x, mu, w, r_of, index, count) else reached
        before = reached
    return before


@kernel
def take_away(y, width, step, w, change, z):
    """Take what impulses do to the velocities off them.   w −= Y Yᵀ step

    Writes: w, change, z.
    """
    gather_rows(y, width, step, z)
    along_rows(y, width, z, change)
    for i in range(w.shape[0]):
        w[i] -= change[i]


@kernel
def stick_by_dofs(
    y, dofs, x, mu, lower, upper, r_of, eps, limit, slack, factor, index, w, step, f, z
):  # fmt: skip
    """Do what `stick` does where fewer dofs than rows are closed, without G; w goes with x.

    Return −1 where there are not fewer: then it is G that has the smaller system.

    Writes: x, factor, index, w, step, f, z.
    """
    size = x.shape[0]
    width = wide(dofs)
    for i in range(size):
        step[i] = x[i]
    count, changed = close_open(x, mu, lower, upper, w, r_of, index)
    if changed:
        for i in range(size):
            step[i] -= x[i]
        take_away(y, width, step, w, f, z)
    if count <= dofs:
        return -1.0
    before = inf
    for _ in range(NEWTON_STEPS):
        redundant_step(y, dofs, w, eps, index, count, factor, step, f, z)
        for i in range(size):
            x[i] -= step[i]
        take_away(y, width, step, w, f, z)
        reached = natural_map_at(x, mu, lower, upper, r_of, w, f)
        if reached <= limit or not reached <= slack:
            return reached
        if reached > 0.5 * before or is_spent(y, dofs, w, index, count, eps, limit, f, z):
            return limit if all_stick(x, mu, w, r_of, index, count) else reached
        before = reached
    return before


@kernel
def descend(
    g, y, dofs, c, x, mu, lower, upper, r_of, eps, limit, enough, worst, jac, index, w, step, f, trial, z
):  # fmt: skip
    """Follow Newton's method on the natural map from x; return the violation reached.

    Writes: x, jac, index, w, step, f, trial, z.
    """
    for _ in range(NEWTON_STEPS):
        if worst <= limit:
            break
        count, changed = close_open(x, mu, lower, upper, w, r_of, index)
        if changed:
            worst = natural_map(g, c, x, mu, lower, upper, r_of, w, f)
            count, changed = close_open(x, mu, lower, upper, w, r_of, index)
            if changed:
                continue
        if all_stick(x, mu, w, r_of, index, count):
            sticking_step(g, y, dofs, w, eps, index, count, jac, step, trial, z)
        else:
            jacobian(g, x, mu, w, r_of, eps, index, count, jac)
            for a in range(count):
                step[a] = f[index[a]]
            if not solve_dense(jac, step, count):
                break
        reached = search(g, c, x, mu, lower, upper, r_of, index, count, step, w, f, trial)
        if reached < 0.0:
            worst = natural_map(g, c, x, mu, lower, upper, r_of, w, f)
            return limit if worst <= enough else worst
        worst = reached
    return worst


@kernel
def newton(g, y, dofs, c, x, mu, lower, upper, limit, enough, slack, jac, index, work, guess):
    """Improve x until every violation is below `limit` [m/s]; return the violation reached.

    Where no step is better any more, `enough` will do, and counts as `limit`.

    If nothing slipped before, the first guess is that all closed contacts stick: one linear solve. It is the
    last one, too, from zero: impulses that stand against one another may have taken all room in the cones.
    `y` is Y of G = Y Yᵀ, if there are fewer dofs than rows; else `dofs` is 0. `work` has six rows of scratch
    as long as x, `jac` is a matrix, `index` a list of that size. `guess` is not set where the first guess was
    tried already, by the dofs.

    Writes: x, jac, index, work.
    """
    size = x.shape[0]
    r_of = work[0, :size]
    w = work[1, :size]
    f = work[2, :size]
    trial = work[3, :size]
    step = work[4, :size]
    z = work[5]
    set_step_lengths(g, mu.shape[0], r_of)
    eps = 0.0
    for i in range(size):
        eps += g[i, i]
    eps *= PROXIMAL / size
    worst = natural_map(g, c, x, mu, lower, upper, r_of, w, f)
    if worst <= limit:
        return worst
    if guess and has_stuck(x, mu):
        for i in range(size):
            trial[i] = x[i]
        reached = stick(
            g,
            y,
            dofs,
            c,
            trial,
            mu,
            lower,
            upper,
            r_of,
            eps,
            limit,
            slack,
            jac,
            index,
            w,
            step,
            f,
            z,
        )
        if reached <= limit:
            for i in range(size):
                x[i] = trial[i]
            return reached
        worst = natural_map(g, c, x, mu, lower, upper, r_of, w, f)
    worst = descend(
        g, y, dofs, c, x, mu, lower, upper, r_of, eps, limit, enough, worst, jac, index, w, step, f, trial, z
    )  # fmt: skip
    if worst <= limit:
        return worst
    for i in range(size):
        trial[i] = 0.0
        w[i] = c[i]
    reached = stick(
        g, y, dofs, c, trial, mu, lower, upper, r_of, eps, limit, slack, jac, index, w, step, f, z
    )
    if reached <= limit:
        for i in range(size):
            x[i] = trial[i]
        return reached
    return worst
