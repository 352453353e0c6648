"""An island in blocks, from any start: the alternating direction method of multipliers (ADMM).

The problem is split in two that are easy, a linear one without cones and a projection onto each cone alone:

    x ← argmin ½ xᵀ (G + R) x + (c + Γ n)ᵀ x + ρ/2 ‖x − z + y/ρ‖²_d
    z ← P_K(x + y/(ρ d))
    y ← y + ρ d (x − z)

with d the apparent inverse mass of each contact. At a fixed point x = z are the impulses and −y is w + Γ n.
Γ = μ‖w_t‖ is De Saxcé's shift, and follows y from step to step: Signorini's condition and Coulomb's law then
hold exactly. The linear problem is solved in the responses of the trees, with I + Yᵀ E Y, E = 1/(ρ d + R):
sparse, regular however redundant the contacts are, and factored anew only where ρ changes. A step then costs
as much as two sweeps. It comes near to a solution from anywhere, slowly; Newton's method does the rest.

Source: Boyd, Parikh, Chu, Peleato, Eckstein 2011, §3; Carpentier, Le Lidec, Montaut 2024; Tasora, Mangoni,
Benatti, Garziera 2021.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import (
    add_scalar_to,
    add_to,
    contact_velocity,
    moved_by,
    scalar_moved_by,
    scalar_velocity,
    velocity,
    within,
)
from tribo.contact.solver import block_matrix
from tribo.contact.solver.natural_residual import project, spin_law
from tribo.math import vec

ALIKE = 5.0  # [–] ratio of what both halves lack up to which ρ stays
LARGEST_CHANGE = 10.0  # [–] of ρ at a time
EVERY = 10  # steps after which ρ is looked at
SOFTEST, STIFFEST = 1e-7, 1e3  # [–] of ρ
TINY = 1e-300
OPEN = 1e100  # [m/s]
LEAST = 1e-12  # [–] of a scalar row's G that does not give way: below is rounding


@kernel
def own_delassus(work, c):
    """Return d of contact c: the mean of its own block of G, without what its rows give way; 0 if it is open.

    What is to stay open in any case has a velocity out of all measure (`contact_targets`).
    """
    if work.contact_start[c, 2] > OPEN:
        return 0.0
    return work.contact_own[c]


@kernel
def own_scalar(work, n):
    """Return d of scalar row n: its own G, without what it gives way, or next to nothing of both."""
    g = work.scalar_delassus[n]
    return max(g - work.scalar_compliance[n], LEAST * g)


@kernel
def own_spin_delassus(work, c):
    """Return d of the torque of contact c: the mean of its own block."""
    g = work.contact_spin_delassus
    return (g[c, 0] + g[c, 1] + g[c, 2]) / 3.0


@kernel
def start_duals(model, work, t):
    """Set y = −(w + Γ n) of every row at the present impulses; those of contacts that stay open are none.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if own_delassus(work, c) <= 0.0:
            vec.store(work.contact_impulse, c, (0.0, 0.0, 0.0))
        x, y, z = contact_velocity(model, work, c)
        shift = work.contact_friction[c] * sqrt(x * x + y * y)
        vec.store(work.contact_guess, c, (-x, -y, -z - shift))
        if work.contact_is_spun[c] == 1:
            w = velocity(model, work, work.contact_spin_row, work.contact_spin_start, c)
            vec.store(work.contact_spin_guess, c, vec.neg(w))
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_guess[n] = -scalar_velocity(model, work, n)


@kernel
def assemble(model, work, t, count, rho):
    """Factor I + Yᵀ E Y; return success.

    Writes: work.
    """
    block_matrix.clear(model, work, count)
    table = work.contact_row
    spins = work.contact_spin_row
    give = work.contact_compliance
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        d = rho * own_delassus(work, c)
        if d > 0.0:
            e = (1.0 / (d + give[c, 0]), 1.0 / (d + give[c, 1]), 1.0 / (d + give[c, 2]))
            block = (e[0], 0.0, 0.0, 0.0, e[1], 0.0, 0.0, 0.0, e[2])
            island_sums.add_block(model, work, table, table, c, 1.0, block)
        if work.contact_is_spun[c] == 1 and own_spin_delassus(work, c) > 0.0:
            e = 1.0 / (rho * own_spin_delassus(work, c))
            block = (e, 0.0, 0.0, 0.0, e, 0.0, 0.0, 0.0, e)
            island_sums.add_block(model, work, spins, spins, c, 1.0, block)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        own = own_scalar(work, n)
        island_sums.add_scalar_block(model, work, n, 1.0 / (rho * own + work.scalar_compliance[n]))
    return block_matrix.factor(model, work, count)


@kernel
def without_cones(model, work, c, rho, response):
    """Return x of contact c, the impulse of the linear problem, if the trees have a response."""
    d = rho * own_delassus(work, c)
    if d <= 0.0:
        return (0.0, 0.0, 0.0)
    z = work.contact_impulse
    y = work.contact_guess
    give = work.contact_compliance
    shift = work.contact_friction[c] * sqrt(y[c, 0] * y[c, 0] + y[c, 1] * y[c, 1])
    start = vec.load(work.contact_start, c)
    w = moved_by(model, work, work.contact_row, c, response, start)
    return (
        (d * z[c, 0] - y[c, 0] - w[0]) / (d + give[c, 0]),
        (d * z[c, 1] - y[c, 1] - w[1]) / (d + give[c, 1]),
        (d * z[c, 2] - y[c, 2] - w[2] - shift) / (d + give[c, 2]),
    )


@kernel
def torque_without_cones(model, work, c, rho, response):
    """Return x of the torque of contact c, if the trees have a response."""
    d = rho * own_spin_delassus(work, c)
    if d <= 0.0:
        return (0.0, 0.0, 0.0)
    start = vec.load(work.contact_spin_start, c)
    w = moved_by(model, work, work.contact_spin_row, c, response, start)
    push = vec.add(w, vec.load(work.contact_spin_guess, c))
    return vec.axpy(-1.0 / d, push, vec.load(work.contact_spin_impulse, c))


@kernel
def scalar_without_bounds(model, work, n, rho, response):
    """Return x of scalar row n, if the trees have a response."""
    d = rho * own_scalar(work, n)
    w = scalar_moved_by(model, work, n, response, work.scalar_start[n])
    push = d * work.scalar_impulse[n] - work.scalar_guess[n] - w
    return push / (d + work.scalar_compliance[n])


@kernel
def solve_linear(model, work, t, count, rho):
    """Set the response to what the linear problem's impulses do.   (I + Yᵀ E Y) ζ = Yᵀ x(z_free)

    Writes: work.
    """
    free = work.free_response
    step = work.pile_step
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            step[dof] = 0.0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        x = without_cones(model, work, c, rho, free)
        add_to(model, work, work.contact_row, c, x, step)
        if work.contact_is_spun[c] == 1:
            x = torque_without_cones(model, work, c, rho, free)
            add_to(model, work, work.contact_spin_row, c, x, step)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        add_scalar_to(model, work, n, scalar_without_bounds(model, work, n, rho, free), step)
    block_matrix.solve(model, work, count, step)
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            work.response[dof] = free[dof] + step[dof]


@kernel
def take(impulses, duals, c, d, x, trial, z):
    """Take z and y = d (trial − z) for row c of two tables; return the squares of x − z and of z's change.

    Writes: impulses, duals.
    """
    apart = vec.sub(x, z)
    change = vec.sub(vec.load(impulses, c), z)
    vec.store(impulses, c, z)
    vec.store(duals, c, vec.scale(d, vec.sub(trial, z)))
    return d * vec.dot(apart, apart), d * vec.dot(change, change)


@kernel
def split_contact(model, work, c, rho):
    """Project what the linear problem gives contact c onto its cone; return what x − z and z's change lack.

    Writes: work.
    """
    d = rho * own_delassus(work, c)
    if d <= 0.0:
        return 0.0, 0.0
    x = without_cones(model, work, c, rho, work.response)
    trial = vec.axpy(1.0 / d, vec.load(work.contact_guess, c), x)
    z = project(work.contact_friction[c], trial)
    return take(work.contact_impulse, work.contact_guess, c, d, x, trial, z)


@kernel
def split_torque(model, work, c, rho):
    """Project what the linear problem gives the torque of contact c onto its bounds; return as for forces.

    Writes: work.
    """
    d = rho * own_spin_delassus(work, c)
    if d <= 0.0:
        return 0.0, 0.0
    x = torque_without_cones(model, work, c, rho, work.response)
    trial = vec.axpy(1.0 / d, vec.load(work.contact_spin_guess, c), x)
    n = work.contact_impulse[c, 2]
    z = spin_law(work.contact_rolling[c] * n, work.contact_spinning[c] * n, trial)
    return take(work.contact_spin_impulse, work.contact_spin_guess, c, d, x, trial, z)


@kernel
def split_scalar(model, work, n, rho):
    """Put what the linear problem gives scalar row n within its bounds; return as for contacts.

    Writes: work.
    """
    d = rho * own_scalar(work, n)
    x = scalar_without_bounds(model, work, n, rho, work.response)
    before = work.scalar_impulse[n]
    trial = x + work.scalar_guess[n] / d
    z = within(work, n, trial)
    work.scalar_impulse[n] = z
    work.scalar_guess[n] = d * (trial - z)
    return d * (x - z) * (x - z), d * (before - z) * (before - z)


@kernel
def step(model, work, t, count, rho):
    """Make one step of ADMM; return the squares of x − z and of the change of z.

    Writes: work.
    """
    solve_linear(model, work, t, count, rho)
    apart = change = 0.0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        a, b = split_contact(model, work, c, rho)
        apart += a
        change += b
        if work.contact_is_spun[c] == 1:
            a, b = split_torque(model, work, c, rho)
            apart += a
            change += b
    for k in scalars_in(work, t):
        a, b = split_scalar(model, work, work.island_scalar[k], rho)
        apart += a
        change += b
    return apart, change


@kernel
def follow(model, work, t, count, rho, steps):
    """Make a number of steps; return the ρ with which to go on, −1 if there is no factor.

    ρ grows where x and z differ by more than z changes, and falls where it is the other way round.

    Writes: work.
    """
    if not assemble(model, work, t, count, rho):
        return -1.0
    for k in range(1, steps + 1):
        apart, change = step(model, work, t, count, rho)
        if k % EVERY > 0:
            continue
        ratio = sqrt((apart + TINY) / (change + TINY)) / rho
        if (ratio > ALIKE and rho < STIFFEST) or (ratio < 1.0 / ALIKE and rho > SOFTEST):
            rho *= min(max(sqrt(ratio), 1.0 / LARGEST_CHANGE), LARGEST_CHANGE)
            if not assemble(model, work, t, count, rho):
                return -1.0
    return rho
