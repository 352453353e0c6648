"""The frictional contact problem of one island, dense and exact.

Unknowns x = (λ of n contacts in threes, then m one-sided rows), w = G x + c. The natural map F(x) is
zero at a solution; semismooth Newton follows it and, from a good start, arrives at round-off in a few
steps. Where contacts are redundant G is singular: a small multiple of the identity, taken relative to
the present x, picks the solution nearest to where the iteration starts.
Source: Alart, Curnier 1991; start by ADMM after Carpentier, Le Lidec, Montaut 2024.
"""

from math import sqrt

from tribo.contact.cone import NO_FRICTION, project
from tribo.jit import kernel

NEWTON_STEPS = 8
HALVINGS = 4
PROXIMAL = 1e-7  # [–] of mean diag G: keeps the Jacobian regular, shrinks the rest 1e7-fold a step
MIN_PIVOT = 1e-14  # [–] of the largest entry: below, the Jacobian counts as singular


@kernel
def multiply(g, x, c, w):
    """Set w = G x + c.

    Writes: w.
    """
    for i in range(x.shape[0]):
        s = c[i]
        for j in range(x.shape[0]):
            s += g[i, j] * x[j]
        w[i] = s


@kernel
def step_length(g, i):
    """Return r of contact i: the inverse of its mean apparent inverse mass."""
    return 3.0 / (g[i, i] + g[i + 1, i + 1] + g[i + 2, i + 2])


@kernel
def natural_map(g, c, x, mu, w, f):
    """Set w = G x + c and the natural map F; return the largest violation as a velocity.

    Writes: w, f.
    """
    multiply(g, x, c, w)
    n = mu.shape[0]
    worst = 0.0
    for k in range(n):
        i = 3 * k
        r = step_length(g, i)
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
        worst = max(worst, max(abs(f[i]), abs(f[i + 1]), abs(f[i + 2])) / r)
    for i in range(3 * n, x.shape[0]):
        r = 1.0 / g[i, i]
        y = x[i] - r * w[i]
        f[i] = r * w[i] if y > 0.0 else x[i]
        worst = max(worst, abs(f[i]) / r)
    return worst


@kernel
def scaled_row(g, jac, size, i, target, s, r, eps):
    """Add s r (G + ε I) row i to a row of the Jacobian.

    Writes: jac.
    """
    for j in range(size):
        jac[target, j] += s * r * g[i, j]
    jac[target, i] += s * r * eps


@kernel
def slip_rows(g, jac, x, w, mu, i, eps):
    """Write the two tangential rows of a slipping contact.

    Writes: jac.
    """
    r = step_length(g, i)
    xn = x[i + 2] - r * w[i + 2]
    xt = x[i] - r * w[i]
    yt = x[i + 1] - r * w[i + 1]
    s = sqrt(xt * xt + yt * yt)
    u = (xt / s, yt / s)
    size = x.shape[0]
    k = mu * xn / s
    for a in range(2):
        jac[i + a, i + a] += 1.0
        jac[i + a, i + 2] -= mu * u[a]
        scaled_row(g, jac, size, i + 2, i + a, mu * u[a], r, eps)
        for b in range(2):
            p = k * ((1.0 if a == b else 0.0) - u[a] * u[b])
            jac[i + a, i + b] -= p
            scaled_row(g, jac, size, i + b, i + a, p, r, eps)


@kernel
def jacobian(g, x, mu, w, eps, jac):
    """Write the generalised Jacobian of the natural map.

    Writes: jac.
    """
    size = x.shape[0]
    n = mu.shape[0]
    for i in range(size):
        for j in range(size):
            jac[i, j] = 0.0
    for k in range(n):
        i = 3 * k
        r = step_length(g, i)
        xn = x[i + 2] - r * w[i + 2]
        if xn <= 0.0:
            for a in range(3):
                jac[i + a, i + a] = 1.0
            continue
        scaled_row(g, jac, size, i + 2, i + 2, 1.0, r, eps)
        xt = x[i] - r * w[i]
        yt = x[i + 1] - r * w[i + 1]
        if sqrt(xt * xt + yt * yt) <= mu[k] * xn:
            scaled_row(g, jac, size, i, i, 1.0, r, eps)
            scaled_row(g, jac, size, i + 1, i + 1, 1.0, r, eps)
        elif mu[k] > NO_FRICTION:
            slip_rows(g, jac, x, w, mu[k], i, eps)
        else:
            jac[i, i] = 1.0
            jac[i + 1, i + 1] = 1.0
    for i in range(3 * n, size):
        r = 1.0 / g[i, i]
        if x[i] - r * w[i] > 0.0:
            scaled_row(g, jac, size, i, i, 1.0, r, eps)
        else:
            jac[i, i] = 1.0


@kernel
def solve_dense(a, b):
    """Replace b by A⁻¹ b, by elimination with row pivots; return False if A is singular.

    Writes: a, b.
    """
    n = b.shape[0]
    scale = 0.0
    for i in range(n):
        for j in range(n):
            scale = max(scale, abs(a[i, j]))
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if not abs(a[pivot, k]) > MIN_PIVOT * scale:
            return False
        if pivot != k:
            for j in range(k, n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
            b[k], b[pivot] = b[pivot], b[k]
        inverse = 1.0 / a[k, k]
        for i in range(k + 1, n):
            factor = a[i, k] * inverse
            if factor != 0.0:
                for j in range(k + 1, n):
                    a[i, j] -= factor * a[k, j]
                b[i] -= factor * b[k]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= a[i, j] * b[j]
        b[i] = s / a[i, i]
    return True


@kernel
def merit(f):
    """Return ‖F‖²."""
    s = 0.0
    for i in range(f.shape[0]):
        s += f[i] * f[i]
    return s


@kernel
def all_stick(g, x, mu, w):
    """Tell whether every contact sticks and every limit pushes: then F is linear in x."""
    n = mu.shape[0]
    for k in range(n):
        i = 3 * k
        r = step_length(g, i)
        xn = x[i + 2] - r * w[i + 2]
        xt = x[i] - r * w[i]
        yt = x[i + 1] - r * w[i + 1]
        bound = mu[k] * xn
        if xn <= 0.0 or xt * xt + yt * yt > bound * bound:
            return False
    for i in range(3 * n, x.shape[0]):
        if x[i] * g[i, i] <= w[i]:
            return False
    return True


@kernel
def sticking_step(g, w, eps, factor, step):
    """Set the Newton step of a problem that sticks everywhere.   step = (G + ε I)⁻¹ w

    Writes: factor, step.
    """
    n = w.shape[0]
    for i in range(n):
        for j in range(i + 1):
            factor[i, j] = g[i, j]
        factor[i, i] += eps
        step[i] = w[i]
    factor_cholesky(factor, n)
    solve_cholesky(factor, step)


@kernel
def newton(g, c, x, mu, limit, jac, w, f, trial):
    """Improve x until every violation is below `limit` [m/s]; return the violation reached.

    Writes: x, jac, w, f, trial.
    """
    size = x.shape[0]
    eps = 0.0
    for i in range(size):
        eps += g[i, i]
    eps *= PROXIMAL / size
    worst = natural_map(g, c, x, mu, w, f)
    for _ in range(NEWTON_STEPS):
        if worst <= limit:
            break
        before = merit(f)
        if all_stick(g, x, mu, w):
            sticking_step(g, w, eps, jac, f)
        else:
            jacobian(g, x, mu, w, eps, jac)
            if not solve_dense(jac, f):
                break
        alpha = 1.0
        improved = False
        # jac is spent; its first row keeps the direction
        for i in range(size):
            jac[0, i] = f[i]
        for _ in range(HALVINGS):
            for i in range(size):
                trial[i] = x[i] - alpha * jac[0, i]
            after = natural_map(g, c, trial, mu, w, f)
            if merit(f) < before:
                worst = after
                for i in range(size):
                    x[i] = trial[i]
                improved = True
                break
            alpha *= 0.5
        if not improved:
            worst = natural_map(g, c, x, mu, w, f)
            break
    return worst


@kernel
def factor_cholesky(a, n):
    """Replace the lower triangle of a symmetric matrix by its Cholesky factor.

    Writes: a.
    """
    for j in range(n):
        s = a[j, j]
        for k in range(j):
            s -= a[j, k] * a[j, k]
        a[j, j] = sqrt(s)
        inverse = 1.0 / a[j, j]
        for i in range(j + 1, n):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k]
            a[i, j] = s * inverse


@kernel
def solve_cholesky(a, b):
    """Replace b by (L Lᵀ)⁻¹ b.

    Writes: b.
    """
    n = b.shape[0]
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= a[i, k] * b[k]
        b[i] = s / a[i, i]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for k in range(i + 1, n):
            s -= a[k, i] * b[k]
        b[i] = s / a[i, i]


@kernel
def largest_eigenvalue(g, v, w):
    """Return an estimate of the largest eigenvalue of G by power iteration.

    Writes: v, w.
    """
    n = v.shape[0]
    for i in range(n):
        v[i] = 1.0 + 0.1 * (i % 7)
    value = 1.0
    for _ in range(20):
        norm = 0.0
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += g[i, j] * v[j]
            w[i] = s
            norm += s * s
        norm = sqrt(norm)
        if norm == 0.0:
            return 1.0
        value = norm
        length = 0.0
        for i in range(n):
            v[i] = w[i] / norm
            length += v[i] * v[i]
    return value


@kernel
def admm(g, c, y, mu, steps, z, factor, x, s):
    """Improve y by `steps` iterations of ADMM on the De Saxcé form; z is its dual, kept for more.

    Writes: y, z, factor, x, s.
    Source: Carpentier, Le Lidec, Montaut 2024, algorithm 1; parameters of contact-science §1.4.
    """
    n = y.shape[0]
    top = largest_eigenvalue(g, x, s)
    prox = 1e-6
    kappa = top / prox
    rho = sqrt(top * prox) * kappa**0.2
    fresh = False
    for i in range(n):
        x[i] = y[i]
    for _ in range(steps):
        if not fresh:
            for i in range(n):
                for j in range(i + 1):
                    factor[i, j] = g[i, j]
                factor[i, i] += prox + 0.5 * rho
            factor_cholesky(factor, n)
            fresh = True
        for i in range(n):
            s[i] = -(c[i] - 0.5 * rho * y[i] - prox * x[i] - z[i])
        for k in range(mu.shape[0]):
            i = 3 * k
            s[i + 2] -= mu[k] * sqrt(z[i] * z[i] + z[i + 1] * z[i + 1])
        solve_cholesky(factor, s)
        primal = 0.0
        dual = 0.0
        for i in range(n):
            dual = max(dual, prox * abs(s[i] - x[i]))
            x[i] = s[i]
            s[i] = x[i] - z[i] / (0.5 * rho)
        change = move(mu, s, y)
        dual = max(dual, 0.5 * rho * change)
        for i in range(n):
            z[i] -= 0.5 * rho * (x[i] - y[i])
            primal = max(primal, abs(x[i] - y[i]))
        if primal * top > 10.0 * dual:
            rho *= kappa**0.05
            fresh = False
        elif dual > 10.0 * primal * top:
            rho /= kappa**0.05
            fresh = False


@kernel
def move(mu, target, y):
    """Set y to the projection of `target` on the cones; return the largest change.

    Writes: y.
    """
    change = 0.0
    for k in range(mu.shape[0]):
        i = 3 * k
        a, b, d = project(mu[k], (target[i], target[i + 1], target[i + 2]))
        change = max(change, max(abs(a - y[i]), abs(b - y[i + 1]), abs(d - y[i + 2])))
        y[i] = a
        y[i + 1] = b
        y[i + 2] = d
    for i in range(3 * mu.shape[0], y.shape[0]):
        a = max(0.0, target[i])
        change = max(change, abs(a - y[i]))
        y[i] = a
    return change
