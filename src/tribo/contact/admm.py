"""ADMM for the dense contact problem: slow at the end, but it comes near from any start.

Source: Carpentier, Le Lidec, Montaut 2024, "From compliant to rigid contact simulation", algorithm 1.
"""

from math import sqrt

from tribo.contact.cone import project
from tribo.contact.dense import factor_cholesky, solve_cholesky
from tribo.jit import kernel


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
        for i in range(n):
            v[i] = w[i] / norm
    return value


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
        solve_cholesky(factor, s, n)
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
