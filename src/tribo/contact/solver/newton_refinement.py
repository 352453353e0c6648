"""An island in blocks, from a good start: Newton's method on Signorini's and Coulomb's law themselves.

The natural map F(λ, w) of every contact is linearised in impulse *and* velocity, A δλ + B δw = −F, and the
impulse is eliminated contact by contact, δλ = −f − D δw; the trees' responses are what is left:
(I + Yᵀ D Y) δz = −Yᵀ f. A closed contact has A = 0: a small ε in its place makes the step that of a very
stiff spring, and, being taken relative to the present impulse, costs no accuracy at the end. So a step has
the cost of the sparse factor and the speed of Newton's method on the dense problem.
Source: Alart, Curnier 1991.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import (
    add_contact_response,
    add_scalar_to,
    add_to,
    contact_velocity,
    moved_by,
    moved_by_force,
    scalar_moved_by,
    scalar_velocity,
    velocity,
    within,
)
from tribo.contact.solver import block_matrix
from tribo.contact.solver.checkpoint import STEP, go_back, keep
from tribo.contact.solver.natural_residual import ENOUGH, stiffness, violation
from tribo.math import spatial, vec

HALVINGS = 2
PROXIMAL = 1e-7  # [–] ε: what a step leaves undone of a closed contact
IDLE = 3  # steps that do not halve the violation: near the limit, no more of them are made
SLOWEST_SLIP = 1e-11  # [–] of bound/r: slower slip turns into the direction of friction at once
ZERO = (0.0, 0.0, 0.0)
NO_BLOCK = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def disc_step(slope, bound, r, left, give, impulse, w):
    """Linearise the tangential part of λ = P(λ − r w), P on a disc whose radius grows with the normal part.

    slope, bound: of the radius; left: ε/r; give: R of the two rows. Return D (xx, xy, yy), f and the
    direction times the slope: what the normal part's own f or D adds is this times them, 0 inside the disc.
    """
    p, q, _ = impulse
    u, v, _ = w
    x = p - r * u
    y = q - r * v
    s = sqrt(x * x + y * y)
    if s < bound:
        k = 1.0 / (left + give[0])
        m = 1.0 / (left + give[1])
        return k, 0.0, m, k * u, m * v, 0.0, 0.0
    if s == 0.0:
        return 0.0, 0.0, 0.0, p, q, 0.0, 0.0
    a = x / s
    b = y / s
    h = bound / s
    soft = r * h * (give[0] * b * b + give[1] * a * a)
    across = 1.0 / (1.0 - h + soft + SLOWEST_SLIP)
    lack_x = p - bound * a
    lack_y = q - bound * b
    forward = lack_x * a + lack_y * b
    k = r * h * across
    return (
        k * b * b, -k * a * b, k * a * a,
        forward * a + (lack_x - forward * a) * across,
        forward * b + (lack_y - forward * b) * across,
        slope * a, slope * b,
    )  # fmt: skip


@kernel
def force_step(model, work, c, undone):
    """Return D (nine numbers) and f of the force of contact c at the present state.

    undone: ε; r of it is that without what its rows give way.
    """
    r = stiffness(spatial.load(work.contact_delassus, c))
    give = vec.load(work.contact_compliance, c)
    left = undone * work.contact_own[c]
    impulse = vec.load(work.contact_impulse, c)
    w = contact_velocity(model, work, c)
    n = impulse[2] - r * w[2]
    if n <= 0.0 or r == 0.0:
        return NO_BLOCK, impulse, n
    k = 1.0 / (left + give[2])
    g = k * w[2]
    mu = work.contact_friction[c]
    xx, xy, yy, fx, fy, ax, ay = disc_step(mu, mu * n, r, left, give, impulse, w)
    return (xx, xy, ax * k, xy, yy, ay * k, 0.0, 0.0, k), (fx + ax * g, fy + ay * g, g), n


@kernel
def spin_step(model, work, c, n, undone):
    """Return D by angular velocity, D by normal velocity and f of the torque of contact c.

    n: trial normal impulse, to which the bounds belong; undone: ε.
    """
    torque = vec.load(work.contact_spin_impulse, c)
    r = stiffness(spatial.load(work.contact_spin_delassus, c))
    if n <= 0.0 or r == 0.0:
        return NO_BLOCK, NO_BLOCK, torque
    normal_velocity = contact_velocity(model, work, c)[2]
    k = 1.0 / (undone * work.contact_own[c] + work.contact_compliance[c, 2])
    g = k * normal_velocity
    w = velocity(model, work, work.contact_spin_row, work.contact_spin_start, c)
    rolling = work.contact_rolling[c]
    spinning = work.contact_spinning[c]
    xx, xy, yy, fx, fy, ax, ay = disc_step(
        rolling, rolling * n, r, undone / r, (0.0, 0.0), torque, w
    )
    z = torque[2] - r * w[2]
    if abs(z) < spinning * n:
        zz = r / undone
        fz = zz * w[2]
        az = 0.0
    else:
        az = spinning if z > 0.0 else -spinning
        zz = 0.0
        fz = torque[2] - az * n + az * g
    own = (xx, xy, 0.0, xy, yy, 0.0, 0.0, 0.0, zz)
    normal = (0.0, 0.0, ax * k, 0.0, 0.0, ay * k, 0.0, 0.0, az * k)
    return own, normal, (fx + ax * g, fy + ay * g, fz)


@kernel
def scalar_step(model, work, n, undone):
    """Return f and D of scalar row n at the present state; D is 0 where the row goes to a bound."""
    impulse = work.scalar_impulse[n]
    w = scalar_velocity(model, work, n)
    trial = impulse - w / work.scalar_delassus[n]
    bounded = within(work, n, trial)
    if bounded != trial:
        return impulse - bounded, 0.0
    own = work.scalar_delassus[n] - work.scalar_compliance[n]
    d = 1.0 / (undone * own + work.scalar_compliance[n])
    return d * w, d


@kernel
def minus(d, w, f):
    """Return −f − D w, D row by row."""
    return (
        -f[0] - d[0] * w[0] - d[1] * w[1] - d[2] * w[2],
        -f[1] - d[3] * w[0] - d[4] * w[1] - d[5] * w[2],
        -f[2] - d[6] * w[0] - d[7] * w[1] - d[8] * w[2],
    )


@kernel
def assemble(model, work, t, count, undone):
    """Write I + Yᵀ D Y, and −Yᵀ f into `pile_step`; undone: ε.

    Writes: work.
    """
    block_matrix.clear(model, work, count)
    step = work.pile_step
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            step[dof] = 0.0
    table = work.contact_row
    spins = work.contact_spin_row
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        d, f, n = force_step(model, work, c, undone)
        add_contact_response(model, work, c, vec.neg(f), step)
        if n > 0.0:
            island_sums.add_force_block(model, work, c, d)
        if work.contact_is_spun[c] == 1:
            own, normal, f = spin_step(model, work, c, n, undone)
            add_to(model, work, spins, c, vec.neg(f), step)
            if n > 0.0:
                island_sums.add_block(model, work, spins, spins, c, 1.0, own)
                island_sums.add_block(model, work, spins, table, c, 1.0, normal)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        f, d = scalar_step(model, work, n, undone)
        add_scalar_to(model, work, n, -f, step)
        if d > 0.0:
            island_sums.add_scalar_block(model, work, n, d)


@kernel
def change_impulses(model, work, t, undone):
    """Change every impulse by what the step of the response asks for.   λ += −f − D Y δz; undone: ε.

    Writes: work.
    """
    step = work.pile_step
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        d, f, n = force_step(model, work, c, undone)
        w = moved_by_force(model, work, c, step, ZERO)
        if work.contact_is_spun[c] == 1:
            own, normal, spin_f = spin_step(model, work, c, n, undone)
            turn = moved_by(model, work, work.contact_spin_row, c, step, ZERO)
            change = vec.add(minus(own, turn, spin_f), minus(normal, w, ZERO))
            torque = vec.add(vec.load(work.contact_spin_impulse, c), change)
            vec.store(work.contact_spin_impulse, c, torque)
        impulse = vec.add(vec.load(work.contact_impulse, c), minus(d, w, f))
        vec.store(work.contact_impulse, c, impulse)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        f, d = scalar_step(model, work, n, undone)
        work.scalar_impulse[n] -= f + d * scalar_moved_by(model, work, n, step, 0.0)


@kernel
def make_step(model, work, t, count, undone):
    """Change the impulses by one step of Newton's method; return False, and change none, if there is none.

    undone: ε, what the step leaves undone of a closed contact, in parts of what is asked for.

    Writes: work.
    """
    work.newton_steps[0] += 1
    assemble(model, work, t, count, undone)
    if not block_matrix.factor(model, work, count):
        return False
    block_matrix.solve_blocks(model, work, count, work.pile_step)
    change_impulses(model, work, t, undone)
    island_sums.sum_response(model, work, t, count)
    return True


@kernel
def refine(model, work, t, count, limit, worst, steps, patience):
    """Follow Newton's method from the present impulses, whose violation is `worst` [m/s].

    A step after which the violation is larger is halved, twice at most, and taken: the way to a solution
    often leads over points that are worse than the first, and methods that allow none stop halfway. It ends
    where `patience` steps have not halved the least violation, and, near the limit, where three have not:
    what is left then is rounding, or contradiction.

    Writes: work.
    """
    least = worst
    idle = 0
    for _ in range(steps):
        if worst <= limit or idle >= (IDLE if least <= ENOUGH * limit else patience):
            break
        keep(work, t, STEP)
        if not make_step(model, work, t, count, PROXIMAL):
            break
        before = worst
        worst = violation(model, work, t)
        for _ in range(HALVINGS):
            if worst < before:
                break
            go_back(model, work, t, count, STEP, 0.5)
            worst = violation(model, work, t)
        if not worst < inf:
            break
        idle += 1
        if worst < 0.5 * least:
            least = worst
            idle = 0
