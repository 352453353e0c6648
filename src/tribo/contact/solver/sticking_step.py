"""The step of Newton's method where every closed contact sticks: then the natural map is linear.

Where contacts are more than needed G is singular, and what they ask for may contradict itself. The step is
then the shortest one to the nearest velocity there is: by the dofs if these are fewer than the rows.
"""

from tribo.compiler.jit import kernel
from tribo.contact.solver.dense_matrix import factor_cholesky, solve_cholesky

PROXIMAL = 1e-7  # [–] of mean diag G: keeps the Jacobian regular, shrinks the rest 1e7-fold a step
REDUNDANT = 1e3  # times as much where G is singular, and not solved by the dofs
REFINEMENTS = 3


@kernel
def shifted_factor(g, eps, index, count, factor):
    """Set the Cholesky factor of G + ε I on the closed rows; return whether ε is small next to every pivot.

    Writes: factor.
    """
    for a in range(count):
        for b in range(a + 1):
            factor[a, b] = g[index[a], index[b]]
        factor[a, a] += eps
    factor_cholesky(factor, count)
    is_regular = True
    for a in range(count):
        is_regular = is_regular and 10.0 * eps * factor[a, a] * factor[a, a] < 1.0
    return is_regular


@kernel
def redundant_step(y, dofs, w, eps, index, count, factor, step, rest):
    """Set the step of least length to the nearest velocity where there are more rows than dofs.   G = Y Yᵀ

    G (G + ε I)⁻² w = Y (Yᵀ Y + ε I)⁻² Yᵀ w, refined once: a system as large as the dofs. Yᵀ leaves nothing of
    what w contradicts, so ε may be as small as where G is regular.

    Writes: factor, step, rest.
    """
    for i in range(dofs):
        for j in range(i + 1):
            factor[i, j] = 0.0
        factor[i, i] = eps
        rest[i] = 0.0
    for a in range(count):
        step[a] = 0.0
        row = index[a]
        for i in range(dofs):
            s = y[row, i]
            rest[i] += s * w[row]
            for j in range(i + 1):
                factor[i, j] += s * y[row, j]
    factor_cholesky(factor, dofs)
    for k in range(2):
        solve_cholesky(factor, rest, dofs)
        solve_cholesky(factor, rest, dofs)
        for i in range(dofs):
            factor[dofs, i] = 0.0  # a row of scratch: what the step does to the dofs
        for a in range(count):
            row = index[a]
            for i in range(dofs):
                step[a] += y[row, i] * rest[i]
            for i in range(dofs if k == 0 else 0):
                factor[dofs, i] += y[row, i] * step[a]
        if k == 1:
            return
        for i in range(dofs):
            rest[i] = 0.0
        for a in range(count):
            row = index[a]
            s = w[row]
            for i in range(dofs):
                s -= y[row, i] * factor[dofs, i]
            for i in range(dofs):
                rest[i] += y[row, i] * s


@kernel
def is_spent(y, dofs, w, index, count, eps, limit):
    """Tell whether no impulse takes more of w: Yᵀ w of the closed rows is nothing next to the limit."""
    if not 0 < dofs < count:
        return False
    square = 0.0
    for i in range(dofs):
        s = 0.0
        for a in range(count):
            s += y[index[a], i] * w[index[a]]
        square += s * s
    return PROXIMAL * square <= eps * limit * limit


@kernel
def sticking_step(g, y, dofs, w, eps, index, count, factor, step, rest):
    """Set the Newton step of closed rows that all stick.   G step = w

    A refinement takes back what ε left. Where G is regular, the step is exact after one. Where it is
    singular, contacts are more than needed, and w may contradict itself: then the step is that of least
    length to the nearest velocity there is, G (G + ε I)⁻² w refined. With (G + ε I)⁻¹ w the contradiction,
    over ε, would become impulses against one another; they would add up until a corner carried all.

    Writes: factor, step, rest.
    """
    if 0 < dofs < count:
        redundant_step(y, dofs, w, eps, index, count, factor, step, rest)
        return
    is_regular = shifted_factor(g, eps, index, count, factor)
    if not is_regular:
        eps *= REDUNDANT
        shifted_factor(g, eps, index, count, factor)
    for a in range(count):
        step[a] = 0.0
    for k in range(2 if is_regular else 1 + REFINEMENTS):
        for a in range(count):
            s = w[index[a]]
            if k > 0:
                for b in range(count):
                    s -= g[index[a], index[b]] * step[b]
            rest[a] = s
        solve_cholesky(factor, rest, count)
        for a in range(count):
            step[a] += rest[a]
        if not is_regular:
            solve_cholesky(factor, rest, count)
            for a in range(count):
                step[a] -= eps * rest[a]
