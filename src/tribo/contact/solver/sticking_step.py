"""The step of Newton's method where every closed contact sticks: then the natural map is linear.

Where contacts are more than needed G is singular, and what they ask for may contradict itself. The step is
then the shortest one to the nearest velocity there is: by the dofs if these are fewer than the rows.
"""

from tribo.compiler.jit import kernel
from tribo.contact.solver.dense_matrix import (
    along_rows,
    factor_cholesky,
    gather_rows,
    normal_matrix,
    solve_cholesky,
    wide,
)

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
def keep_closed(index, count, v):
    """Set the numbers of rows that are not on the list to zero.

    Writes: v.
    """
    if count == v.shape[0]:
        return
    k = 0
    for i in range(v.shape[0]):
        if k < count and index[k] == i:
            k += 1
        else:
            v[i] = 0.0


@kernel
def redundant_step(y, dofs, w, eps, index, count, factor, step, rest, z):
    """Set the step of least length to the nearest velocity where there are more rows than dofs.   G = Y Yᵀ

    G (G + ε I)⁻² w = Y K⁻² Yᵀ w, K = Yᵀ Y + ε I: a system as large as the dofs. Y (K⁻² + 2 ε K⁻³) Yᵀ w leaves
    3 (ε/σ)² of an eigenvalue σ of Yᵀ Y instead of 2 ε/σ. Yᵀ leaves nothing of what w contradicts, so ε may be
    as small as where G is regular. A row that is not closed has no step.

    Writes: factor, step, rest, z.
    """
    width = wide(dofs)
    normal_matrix(y, width, index, count, eps, factor)
    factor_cholesky(factor, dofs)
    for i in range(w.shape[0]):
        rest[i] = w[i]
    keep_closed(index, count, rest)
    gather_rows(y, width, rest, z)
    solve_cholesky(factor, z, dofs)
    solve_cholesky(factor, z, dofs)
    for i in range(dofs):
        rest[i] = z[i]
    solve_cholesky(factor, z, dofs)
    for i in range(dofs):
        z[i] = rest[i] + 2.0 * eps * z[i]
    along_rows(y, width, z, step)
    keep_closed(index, count, step)


@kernel
def is_spent(y, dofs, w, index, count, eps, limit, rest, z):
    """Tell whether no impulse takes more of w: Yᵀ w of the closed rows is nothing next to the limit.

    Writes: rest, z.
    """
    if not 0 < dofs < count:
        return False
    for i in range(w.shape[0]):
        rest[i] = w[i]
    keep_closed(index, count, rest)
    gather_rows(y, wide(dofs), rest, z)
    square = 0.0
    for i in range(dofs):
        square += z[i] * z[i]
    return PROXIMAL * square <= eps * limit * limit


@kernel
def sticking_step(g, y, dofs, w, eps, index, count, factor, step, rest, z):
    """Set the Newton step of closed rows that all stick.   G step = w

    A refinement takes back what ε left. Where G is regular, the step is exact after one. Where it is
    singular, contacts are more than needed, and w may contradict itself: then the step is that of least
    length to the nearest velocity there is, G (G + ε I)⁻² w refined. With (G + ε I)⁻¹ w the contradiction,
    over ε, would become impulses against one another; they would add up until a corner carried all.

    Writes: factor, step, rest, z.
    """
    if 0 < dofs < count:
        redundant_step(y, dofs, w, eps, index, count, factor, step, rest, z)
        for a in range(count):
            step[a] = step[index[a]]
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
