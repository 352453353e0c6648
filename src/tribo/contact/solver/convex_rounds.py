"""An island in blocks, from any start: rounds of a convex problem in the velocities of its trees.

An impulse follows from a velocity by a law with a memory λ̂ and a stiffness r: λ(w) = P_K(λ̂ − r (w + Γ n)),
P_K the projection on the friction cone, Γ = μ‖w_t‖ of the round before. Then the whitened response z obeys
z − z_free − Yᵀ λ(s + Y z) = 0, which is the gradient of a convex function: Newton's method with a look
along the line always arrives. Its matrix I + Yᵀ D Y has the sparsity of the contacts between trees and is
regular however redundant the contacts are. After each round λ̂ ← λ; where λ = λ̂ the hard law holds
exactly. Rounds begin soft, for any start will do then, and become stiffer, for the violation shrinks by
about 1/r in each.
Source: Rockafellar 1976 (proximal points); Acary, Cadoux, Lemaréchal, Malick 2011 (Γ of the round before).
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import (
    contact_velocity,
    scalar_moved_by,
    velocity,
    within,
)
from tribo.contact.solver import block_matrix
from tribo.contact.solver.coulomb_cone import NO_FRICTION
from tribo.contact.solver.gauss_seidel_iteration import start_cold
from tribo.contact.solver.natural_residual import largest_block, project, spin_law, stiffness
from tribo.math import spatial, vec

NEWTON_STEPS = 15  # of a round
LINE_STEPS = 8
FLAT = 0.3  # [–] of the first slope: a point this flat is good enough
SOFT = 10.0  # [–] stiffness in units of the inverse of a contact's own G
STIFF = 1e3
ROUGH = 1e-6  # [–] of the first square: a round need not be solved better, the next one differs
COARSE = 1e-3  # [–] of the speed that is removed: a round should be solved at least as well
FINE = 0.1  # [–] of the limit: nor better than that


@kernel
def cone_gradient(mu, x):
    """Return the derivative of the projection on the friction cone as (xx, yy, zz, xy, xz, yz)."""
    s = sqrt(x[0] * x[0] + x[1] * x[1])
    if s <= mu * x[2]:
        return (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    if mu * s <= -x[2]:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    a = x[0] / s
    b = x[1] / s
    h = 1.0 / (1.0 + mu * mu)
    across = mu * (mu * s + x[2]) * h / s
    along = mu * mu * h
    return (
        along * a * a + across * b * b,
        along * b * b + across * a * a,
        h,
        (along - across) * a * b,
        mu * h * a,
        mu * h * b,
    )


@kernel
def gradient(mu, x):
    """Return the derivative of `project`."""
    if mu <= NO_FRICTION:
        return (0.0, 0.0, 1.0 if x[2] > 0.0 else 0.0, 0.0, 0.0, 0.0)
    return cone_gradient(mu, x)


@kernel
def spin_gradient(roll, spin, x):
    """Return the derivative of `spin_law` as (xx, yy, zz, xy, xz, yz)."""
    z = 1.0 if abs(x[2]) <= spin else 0.0
    s = sqrt(x[0] * x[0] + x[1] * x[1])
    if s <= roll:
        return (1.0, 1.0, z, 0.0, 0.0, 0.0)
    f = roll / s
    a = x[0] / s
    b = x[1] / s
    return (f * b * b, f * a * a, z, -f * a * b, 0.0, 0.0)


@kernel
def stiffness_of(work, c, rho):
    """Return r and q of contact c: how its tangential rows and its normal one answer to a velocity.

    What a row gives way, R, adds to 1/r: the tangential ones have one r, the normal one q² r. In the normal
    impulse over q the law is a projection as before, on a cone of the coefficient μ q.
    """
    give = work.contact_compliance
    x, y, z = give[c, 0], give[c, 1], give[c, 2]
    soft = work.contact_own[c] / rho
    if soft <= 0.0:
        return 0.0, 1.0
    if x == 0.0 and y == 0.0 and z == 0.0:
        return 1.0 / soft, 1.0
    tangential = soft + max(x, y)
    return 1.0 / tangential, sqrt(tangential / (soft + z))


@kernel
def force_trial(model, work, c, r, q):
    """Return λ̂ − r (w + R λ + Γ n) of contact c at the present response, solved for λ; the last over q."""
    w = velocity(model, work, work.contact_row, work.contact_start, c)
    guess = work.contact_guess
    give = work.contact_compliance
    s = q * r
    return (
        guess[c, 0] * (1.0 - r * give[c, 0]) - r * w[0],
        guess[c, 1] * (1.0 - r * give[c, 1]) - r * w[1],
        guess[c, 2] * (1.0 - q * s * give[c, 2]) / q - s * (w[2] + work.contact_shift[c]),
    )


@kernel
def spin_trial(model, work, c, r):
    """Return τ̂ − r ω of contact c at the present response."""
    w = velocity(model, work, work.contact_spin_row, work.contact_spin_start, c)
    g = work.contact_spin_guess
    return (g[c, 0] - r * w[0], g[c, 1] - r * w[1], g[c, 2] - r * w[2])


@kernel
def spin_bounds(work, c):
    """Return the bounds of rolling and spinning torque [N m s], from the memory's normal impulse."""
    n = work.contact_guess[c, 2]
    return work.contact_rolling[c] * n, work.contact_spinning[c] * n


@kernel
def scalar_trial(model, work, n, rho):
    """Return λ̂ − r (w + R λ), solved for λ, of scalar row n, and how it falls with the velocity w."""
    r = rho / work.scalar_delassus[n]
    w = scalar_moved_by(model, work, n, work.response, work.scalar_start[n])
    give = 1.0 / (1.0 + r * work.scalar_compliance[n])
    return give * (work.scalar_guess[n] - r * w), give * r


@kernel
def evaluate(model, work, t, count, rho):
    """Set the impulses that follow from the response, and what the response then lacks; return its square.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        r, q = stiffness_of(work, c, rho)
        x, y, z = project(q * work.contact_friction[c], force_trial(model, work, c, r, q))
        vec.store(work.contact_impulse, c, (x, y, q * z))
        if work.contact_is_spun[c] == 1:
            r = rho * stiffness(spatial.load(work.contact_spin_delassus, c))
            roll, spin = spin_bounds(work, c)
            torque = spin_law(roll, spin, spin_trial(model, work, c, r))
            vec.store(work.contact_spin_impulse, c, torque)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_impulse[n] = within(work, n, scalar_trial(model, work, n, rho)[0])
    lack = work.pile_lack
    island_sums.begin(model, work, count, lack)
    island_sums.subtract_impulses(model, work, t, lack)
    return island_sums.product(model, work, count, lack, lack)


@kernel
def add_contact(model, work, c, rho):
    """Add what contact c does to the Jacobian of a round.

    Writes: work.
    """
    r, q = stiffness_of(work, c, rho)
    d = gradient(q * work.contact_friction[c], force_trial(model, work, c, r, q))
    if r > 0.0 and d[2] > 0.0:
        d = (d[0], d[1], q * q * d[2], d[3], q * d[4], q * d[5])
        island_sums.add_block(
            model, work, work.contact_row, work.contact_row, c, r, island_sums.full(d)
        )
    if work.contact_is_spun[c] == 1:
        r = rho * stiffness(spatial.load(work.contact_spin_delassus, c))
        roll, spin = spin_bounds(work, c)
        d = spin_gradient(roll, spin, spin_trial(model, work, c, r))
        island_sums.add_block(
            model, work, work.contact_spin_row, work.contact_spin_row, c, r, island_sums.full(d)
        )


@kernel
def jacobian(model, work, t, count, rho):
    """Write I + Yᵀ D Y at the present response.

    Writes: work.
    """
    block_matrix.clear(model, work, count)
    for k in contacts_in(work, t):
        add_contact(model, work, work.island_contact[k], rho)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        trial, r = scalar_trial(model, work, n, rho)
        if trial == within(work, n, trial):
            island_sums.add_scalar_block(model, work, n, r)


@kernel
def move(model, work, count, factor):
    """Set the response a part of the Newton step away from where the step begins.

    Writes: work.
    """
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            work.response[dof] = work.newton_start[dof] + factor * work.pile_step[dof]


@kernel
def descend(model, work, t, count, rho):
    """Go along Newton's direction to where the slope is a fraction of its first value.

    Return the new square of the gradient, −1 if there is no direction. The function is convex, its
    gradient is `pile_lack`, so the slope grows along the way and one bracket holds the least value.

    Writes: work.
    """
    work.newton_steps[0] += 1
    jacobian(model, work, t, count, rho)
    if not block_matrix.factor(model, work, count):
        return -1.0
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            work.newton_start[dof] = work.response[dof]
            work.pile_step[dof] = -work.pile_lack[dof]
    block_matrix.solve(model, work, count, work.pile_step)
    first = island_sums.product(model, work, count, work.pile_lack, work.pile_step)
    low = 0.0
    low_slope = first
    high = -1.0
    high_slope = 0.0
    factor = 1.0
    square = -1.0
    for _ in range(LINE_STEPS):
        move(model, work, count, factor)
        square = evaluate(model, work, t, count, rho)
        slope = island_sums.product(model, work, count, work.pile_lack, work.pile_step)
        if abs(slope) <= FLAT * abs(first) or (slope < 0.0 and factor == 1.0):
            break
        if slope > 0.0:
            high = factor
            high_slope = slope
        else:
            low = factor
            low_slope = slope
        part = low_slope / (low_slope - high_slope)
        factor = low + min(max(part, 0.1), 0.9) * (high - low)
    return square


@kernel
def lift(model, work, t, part):
    """Set Γ = μ‖w_t‖ of every contact at the present response, or a part of it.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        w = contact_velocity(model, work, c)
        work.contact_shift[c] = part * work.contact_friction[c] * sqrt(w[0] * w[0] + w[1] * w[1])


@kernel
def memorise(work, t):
    """Take the present impulses as the memory of the next round.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        for a in range(3):
            work.contact_guess[c, a] = work.contact_impulse[c, a]
            work.contact_spin_guess[c, a] = work.contact_spin_impulse[c, a]
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_guess[n] = work.scalar_impulse[n]


@kernel
def minimise(model, work, t, count, rho, limit):
    """Solve the convex problem of the present memory λ̂ and Γ; return the square left, −1 on failure.

    limit [m/s]: a velocity that need not be told from zero.

    Writes: work.
    """
    unit = 1.0 / largest_block(work, t)
    lack = evaluate(model, work, t, count, rho)
    close = min(ROUGH * lack, COARSE * COARSE * work.removed_speed[0] ** 2 * unit)
    close = max(close, FINE * FINE * limit * limit * unit)
    for _ in range(NEWTON_STEPS):
        if lack <= close:
            break
        lack = descend(model, work, t, count, rho)
        if lack < 0.0:
            break
    return lack


@kernel
def convex_round(model, work, t, count, rho, limit):
    """Solve the convex problem with the present impulses as memory; return the square left, −1 on failure.

    Writes: work.
    """
    memorise(work, t)
    lift(model, work, t, 1.0)
    return minimise(model, work, t, count, rho, limit)


@kernel
def forgetful_rounds(model, work, t, count, limit):
    """Solve the convex problem without a memory, first soft and without Γ, then stiff.

    λ = P_K(−r (w + Γ n)) has λ · w ≤ 0 however Γ was chosen: what is not solved exactly may be solved by
    this without bringing energy, and no impulse is larger than r times a velocity.

    Writes: work.
    """
    start_cold(model, work, t)
    memorise(work, t)  # nothing, for both rounds
    lift(model, work, t, 0.0)
    minimise(model, work, t, count, SOFT, limit)
    lift(model, work, t, 1.0)
    minimise(model, work, t, count, STIFF, limit)
