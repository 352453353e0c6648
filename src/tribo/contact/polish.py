"""An island in blocks, from a good start: Newton's method on Signorini's and Coulomb's law themselves.

The natural map F(λ, w) of every contact is linearised in impulse *and* velocity, A δλ + B δw = −F, and the
impulse is eliminated contact by contact, δλ = −f − D δw; the trees' responses are what is left:
(I + Yᵀ D Y) δz = −Yᵀ f. A closed contact has A = 0: a small ε in its place makes the step that of a very
stiff spring, and, being taken relative to the present impulse, costs no accuracy at the end. So a step has
the cost of the sparse factor and the speed of Newton's method on the dense problem.
Source: Alart, Curnier 1991.
"""

from math import sqrt

from tribo.contact import assembly, blocks
from tribo.contact.response import limit_velocity, velocity
from tribo.contact.violation import stiffness, violation
from tribo.jit import kernel
from tribo.math import spatial, vec

STEPS = 10
PROXIMAL = 1e-7  # [–] ε: what a step leaves undone of a closed contact
SLOWEST_SLIP = (
    1e-11  # [–] of bound/r: slower slip still turns into the direction of friction at once
)
HALVINGS = 4  # of a step after which the violation is larger
WORSE = 1e3  # [–] growth of the violation after which a good end is not to be expected


@kernel
def along(model, work, table, c, x):
    """Return the velocity that a change x of the response gives contact c.   Y x"""
    row = work.row
    a = b = d = 0.0
    for side in range(2):
        i = table[c, side]
        chain = model.body_chain_start[work.contact_body[c, side]]
        for p in range(work.contact_len[c, side]):
            s = x[model.chain_dof[chain + p]]
            a += row[i] * s
            b += row[i + 1] * s
            d += row[i + 2] * s
            i += 3
    return (a, b, d)


@kernel
def disc_step(slope, bound, r, x, y, u, v, p, q):
    """Linearise p = projection of (x, y) on a disc whose radius grows by `slope` with the normal impulse.

    (x, y) = (p, q) − r (u, v). Return D (xx, xy, yy), f and the direction with its slope: what the normal
    part adds is slope · direction · (its own f or D), 0 inside the disc.
    """
    s = sqrt(x * x + y * y)
    if s < bound:
        k = r / PROXIMAL
        return k, 0.0, k, k * u, k * v, 0.0, 0.0
    if s == 0.0:
        return 0.0, 0.0, 0.0, p, q, 0.0, 0.0
    a = x / s
    b = y / s
    h = bound / s
    across = 1.0 / (1.0 - h + SLOWEST_SLIP)
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
def force_step(model, work, c):
    """Return D (nine numbers) and f of the force of contact c at the present state."""
    r = stiffness(spatial.load(work.contact_delassus, c))
    impulse = vec.load(work.contact_impulse, c)
    w = velocity(model, work, work.contact_row, work.contact_start, c)
    n = impulse[2] - r * w[2]
    if n <= 0.0 or r == 0.0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), impulse, n
    k = r / PROXIMAL
    g = k * w[2]
    mu = work.contact_friction[c]
    xx, xy, yy, fx, fy, ax, ay = disc_step(
        mu,
        mu * n,
        r,
        impulse[0] - r * w[0],
        impulse[1] - r * w[1],
        w[0],
        w[1],
        impulse[0],
        impulse[1],
    )
    return (xx, xy, ax * k, xy, yy, ay * k, 0.0, 0.0, k), (fx + ax * g, fy + ay * g, g), n


@kernel
def spin_step(model, work, c, n):
    """Return D by angular velocity, D by normal velocity and f of the torque of contact c.

    n: trial normal impulse, to which the bounds belong.
    """
    torque = vec.load(work.contact_spin_impulse, c)
    zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    r = stiffness(spatial.load(work.contact_spin_delassus, c))
    if n <= 0.0 or r == 0.0:
        return zero, zero, torque
    force_r = stiffness(spatial.load(work.contact_delassus, c))
    normal_velocity = velocity(model, work, work.contact_row, work.contact_start, c)[2]
    k = force_r / PROXIMAL
    g = k * normal_velocity
    w = velocity(model, work, work.contact_spin_row, work.contact_spin_start, c)
    rolling = work.contact_rolling[c]
    spinning = work.contact_spinning[c]
    xx, xy, yy, fx, fy, ax, ay = disc_step(
        rolling,
        rolling * n,
        r,
        torque[0] - r * w[0],
        torque[1] - r * w[1],
        w[0],
        w[1],
        torque[0],
        torque[1],
    )
    z = torque[2] - r * w[2]
    if abs(z) < spinning * n:
        zz = r / PROXIMAL
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
def minus(d, w, f):
    """Return −f − D w, D row by row."""
    return (
        -f[0] - d[0] * w[0] - d[1] * w[1] - d[2] * w[2],
        -f[1] - d[3] * w[0] - d[4] * w[1] - d[5] * w[2],
        -f[2] - d[6] * w[0] - d[7] * w[1] - d[8] * w[2],
    )


@kernel
def assemble(model, work, t, count):
    """Write I + Yᵀ D Y, and −Yᵀ f into `pile_step`.

    Writes: work.
    """
    blocks.clear(model, work, count)
    step = work.pile_step
    for a in range(count):
        tree = work.node_tree[a]
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            step[dof] = 0.0
    table = work.contact_row
    spins = work.contact_spin_row
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        d, f, n = force_step(model, work, c)
        assembly.subtract_impulse(model, work, table, c, f, step)
        if n > 0.0:
            assembly.add_block(model, work, table, table, c, 1.0, d)
        if work.contact_is_spun[c] == 1:
            own, normal, f = spin_step(model, work, c, n)
            assembly.subtract_impulse(model, work, spins, c, f, step)
            if n > 0.0:
                assembly.add_block(model, work, spins, spins, c, 1.0, own)
                assembly.add_block(model, work, spins, table, c, 1.0, normal)
    for k in range(work.island_limit_start[t], work.island_limit_start[t + 1]):
        n = work.island_limit[k]
        r = 1.0 / work.limit_delassus[n]
        w = limit_velocity(model, work, n)
        if work.limit_impulse[n] - r * w > 0.0:
            assembly.add_limit_block(model, work, n, r / PROXIMAL)
            assembly.subtract_limit(model, work, n, r / PROXIMAL * w, step)
        else:
            assembly.subtract_limit(model, work, n, work.limit_impulse[n], step)


@kernel
def change_impulses(model, work, t):
    """Change every impulse by what the step of the response asks for.   λ += −f − D Y δz

    Writes: work.
    """
    step = work.pile_step
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        d, f, n = force_step(model, work, c)
        w = along(model, work, work.contact_row, c, step)
        if work.contact_is_spun[c] == 1:
            own, normal, spin_f = spin_step(model, work, c, n)
            turn = along(model, work, work.contact_spin_row, c, step)
            change = vec.add(minus(own, turn, spin_f), minus(normal, w, (0.0, 0.0, 0.0)))
            torque = vec.add(vec.load(work.contact_spin_impulse, c), change)
            vec.store(work.contact_spin_impulse, c, torque)
        impulse = vec.add(vec.load(work.contact_impulse, c), minus(d, w, f))
        vec.store(work.contact_impulse, c, impulse)
    for k in range(work.island_limit_start[t], work.island_limit_start[t + 1]):
        n = work.island_limit[k]
        w = limit_velocity(model, work, n)
        r = 1.0 / work.limit_delassus[n]
        if work.limit_impulse[n] - r * w <= 0.0:
            work.limit_impulse[n] = 0.0
            continue
        body = work.limit_body[n]
        chain = model.body_chain_start[body]
        for p in range(model.body_chain_len[body]):
            w += work.row[work.limit_row[n] + p] * step[model.chain_dof[chain + p]]
        work.limit_impulse[n] -= r / PROXIMAL * w


@kernel
def halve(model, work, t, count):
    """Go half the way back to the impulses before the step.

    Writes: work.
    """
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        for a in range(3):
            work.contact_impulse[c, a] = 0.5 * (
                work.contact_impulse[c, a] + work.contact_guess[c, a]
            )
            work.contact_spin_impulse[c, a] = 0.5 * (
                work.contact_spin_impulse[c, a] + work.contact_spin_guess[c, a]
            )
    for k in range(work.island_limit_start[t], work.island_limit_start[t + 1]):
        n = work.island_limit[k]
        work.limit_impulse[n] = 0.5 * (work.limit_impulse[n] + work.limit_guess[n])
    assembly.settle(model, work, t, count)


@kernel
def polish(model, work, t, count, limit):
    """Follow Newton's method from the present impulses; return the violation at its end [m/s].

    Writes: work.
    """
    worst = violation(model, work, t)
    for _ in range(STEPS):
        if worst <= limit:
            break
        work.newton_steps[0] += 1
        assemble(model, work, t, count)
        if not blocks.factor(model, work, count):
            break
        blocks.solve(model, work, count, work.pile_step)
        assembly.begin_round(model, work, t)
        change_impulses(model, work, t)
        assembly.settle(model, work, t, count)
        before = worst
        worst = violation(model, work, t)
        for _ in range(HALVINGS):
            if worst < before:
                break
            halve(model, work, t, count)
            worst = violation(model, work, t)
        if not worst < WORSE * before:
            break
    return worst
