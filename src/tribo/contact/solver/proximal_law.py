"""The laws of contacts and scalar rows as functions of a velocity, with a memory.

With a memory λ̂ and a rate r, the *trial* of a row is x = λ̂ − r (w + R λ), solved for λ. The impulse is the
lawful one nearest to it, friction bounded by the normal impulse of the same trial. Where λ = λ̂ the hard law
holds. So a trial also says in which part of its law a row is: open, sticking, sliding along a direction;
between its bounds or at one.
Source: Alart, Curnier 1991.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import within
from tribo.contact.solver.natural_residual import (
    force_violation_at,
    largest,
    spin_law,
    stiffness,
    torque_violation_at,
)
from tribo.contact.solver.proximal_rows import (
    FORCE,
    SPIN,
    along,
    gather,
    scalar_along,
    scalar_gather,
)
from tribo.math import spatial, vec

ZERO = (0.0, 0.0, 0.0)
NORMAL, TANGENT, TORQUE = 0, 1, 2  # of `contact_rate`


@kernel
def rate(soft, give):
    """Return r of a row that gives way; soft: 1/r of the same row if it did not."""
    return 1.0 / (soft + give) if soft > 0.0 else 0.0


@kernel
def set_rates(work, t, rho):
    """Set the rate of every row of island t; rho: r times the row's own block of G.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        soft = work.contact_own[c] / rho
        give = work.contact_compliance
        work.contact_rate[c, NORMAL] = rate(soft, give[c, 2])
        work.contact_rate[c, TANGENT] = rate(soft, max(give[c, 0], give[c, 1]))
        if work.contact_is_spun[c] == 1:
            own = stiffness(spatial.load(work.contact_spin_delassus, c))
            work.contact_rate[c, TORQUE] = rho * own
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_rate[n] = rate(work.scalar_delassus[n] / rho, work.scalar_compliance[n])


@kernel
def force_trial(work, c, w):
    """Return the trial of contact c at velocity w."""
    give, guess = work.contact_compliance, work.contact_guess
    r, q = work.contact_rate[c, TANGENT], work.contact_rate[c, NORMAL]
    return (
        guess[c, 0] * (1.0 - r * give[c, 0]) - r * w[0],
        guess[c, 1] * (1.0 - r * give[c, 1]) - r * w[1],
        guess[c, 2] * (1.0 - q * give[c, 2]) - q * w[2],
    )


@kernel
def torque_trial(work, c, omega):
    """Return the trial of rolling and spinning friction of contact c at angular velocity omega."""
    return vec.axpy(-work.contact_rate[c, TORQUE], omega, vec.load(work.contact_spin_guess, c))


@kernel
def scalar_trial(work, n, w):
    """Return the trial of scalar row n at velocity w."""
    r = work.scalar_rate[n]
    return work.scalar_guess[n] * (1.0 - r * work.scalar_compliance[n]) - r * w


@kernel
def force_law(mu, x):
    """Return the lawful impulse of a trial."""
    if not x[2] > 0.0:
        return ZERO
    s = sqrt(x[0] * x[0] + x[1] * x[1])
    most = mu * x[2]
    f = most / s if s > most else 1.0
    return (f * x[0], f * x[1], x[2])


@kernel
def torque_law(work, c, x, n):
    """Return the lawful torque of a trial of contact c that pushes with impulse n."""
    return spin_law(work.contact_rolling[c] * n, work.contact_spinning[c] * n, x)


@kernel
def write_trials(work, t):
    """Write the trials of island t at the present velocities.

    Writes: work.
    """
    motion, trial = work.contact_motion, work.contact_trial
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        x = force_trial(work, c, (motion[c, 0], motion[c, 1], motion[c, 2]))
        trial[c, 0], trial[c, 1], trial[c, 2] = x
        if work.contact_is_spun[c] == 1:
            x = torque_trial(work, c, (motion[c, 3], motion[c, 4], motion[c, 5]))
            trial[c, 3], trial[c, 4], trial[c, 5] = x
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_trial[n] = scalar_trial(work, n, work.scalar_motion[n])


@kernel
def obey(work, t):
    """Set the impulses of island t to what the laws make of the trials.

    Writes: work.
    """
    trial = work.contact_trial
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        x = force_law(work.contact_friction[c], (trial[c, 0], trial[c, 1], trial[c, 2]))
        vec.store(work.contact_impulse, c, x)
        if work.contact_is_spun[c] == 1:
            own = torque_law(work, c, (trial[c, 3], trial[c, 4], trial[c, 5]), x[2])
            vec.store(work.contact_spin_impulse, c, own)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_impulse[n] = within(work, n, work.scalar_trial[n])


@kernel
def pairing(work, t, part):
    """Return the impulses a part of a step on, times the change of velocity of the whole step."""
    total = 0.0
    w, dw = work.contact_motion, work.contact_change
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        d = (dw[c, 0], dw[c, 1], dw[c, 2])
        x = force_trial(work, c, vec.axpy(part, d, (w[c, 0], w[c, 1], w[c, 2])))
        if not x[2] > 0.0:
            continue
        total += vec.dot(force_law(work.contact_friction[c], x), d)
        if work.contact_is_spun[c] == 1:
            d = (dw[c, 3], dw[c, 4], dw[c, 5])
            own = torque_trial(work, c, vec.axpy(part, d, (w[c, 3], w[c, 4], w[c, 5])))
            total += vec.dot(torque_law(work, c, own, x[2]), d)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        change = work.scalar_change[n]
        x = scalar_trial(work, n, work.scalar_motion[n] + part * change)
        total += within(work, n, x) * change
    return total


@kernel
def gather_impulses(work, t, z):
    """Add Yᵀ of the impulses of island t to row z of `column_vector`.

    Writes: work.
    """
    packed = work.contact_packed
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.contact_impulse[c, 2] == 0.0 and work.contact_is_spun[c] == 0:
            continue
        gather(work, z, packed[c, FORCE], c, vec.load(work.contact_impulse, c))
        if work.contact_is_spun[c] == 1:
            gather(work, z, packed[c, SPIN], c, vec.load(work.contact_spin_impulse, c))
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if work.scalar_impulse[n] != 0.0:
            scalar_gather(work, z, n, work.scalar_impulse[n])


@kernel
def measure(work, t, z, start, out, scalar_out):
    """Write the velocities that row z of `column_vector` gives.

    start: 1 with the velocities that the rows have without impulses and forces, 0 without.

    Writes: out, scalar_out.
    """
    packed = work.contact_packed
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        begin = vec.scale(start, vec.load(work.contact_start, c))
        w = along(work, z, packed[c, FORCE], c, begin)
        out[c, 0], out[c, 1], out[c, 2] = w
        if work.contact_is_spun[c] == 1:
            begin = vec.scale(start, vec.load(work.contact_spin_start, c))
            w = along(work, z, packed[c, SPIN], c, begin)
            out[c, 3], out[c, 4], out[c, 5] = w
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        scalar_out[n] = scalar_along(work, z, n, start * work.scalar_start[n])


@kernel
def violation_here(work, t):
    """Return how far island t is from the hard law [m/s] at the velocities that are measured."""
    worst = 0.0
    w, give = work.contact_motion, work.contact_compliance
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        x = vec.load(work.contact_impulse, c)
        own = (
            w[c, 0] + give[c, 0] * x[0],
            w[c, 1] + give[c, 1] * x[1],
            w[c, 2] + give[c, 2] * x[2],
        )
        v = force_violation_at(work, c, own)
        if work.contact_is_spun[c] == 1:
            v = max(v, torque_violation_at(work, c, (w[c, 3], w[c, 4], w[c, 5])))
        worst = v if not v <= worst else worst
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        g = work.scalar_delassus[n]
        x = work.scalar_impulse[n]
        own = work.scalar_motion[n] + work.scalar_compliance[n] * x
        v = abs(x - within(work, n, x - own / g)) * g
        worst = v if not v <= worst else worst
    return worst


@kernel
def memory_error(work, t, rho):
    """Return the velocity [m/s] by which the memory of island t still errs: |λ − λ̂| over the rate."""
    worst = 0.0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        change = vec.sub(vec.load(work.contact_impulse, c), vec.load(work.contact_guess, c))
        worst = max(worst, largest(change) * work.contact_own[c])
        if work.contact_is_spun[c] == 1:
            change = vec.sub(
                vec.load(work.contact_spin_impulse, c), vec.load(work.contact_spin_guess, c)
            )
            own = stiffness(spatial.load(work.contact_spin_delassus, c))
            if own > 0.0:
                worst = max(worst, largest(change) * work.contact_radius[c] / own)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        change = abs(work.scalar_impulse[n] - work.scalar_guess[n])
        worst = max(worst, change * work.scalar_delassus[n])
    return worst / rho


@kernel
def remember(work, t):
    """Make the present impulses of island t the memory.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        vec.store(work.contact_guess, c, vec.load(work.contact_impulse, c))
        if work.contact_is_spun[c] == 1:
            vec.store(work.contact_spin_guess, c, vec.load(work.contact_spin_impulse, c))
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_guess[n] = work.scalar_impulse[n]


@kernel
def recall(work, t):
    """Make the memory of island t the present impulses.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        vec.store(work.contact_impulse, c, vec.load(work.contact_guess, c))
        if work.contact_is_spun[c] == 1:
            vec.store(work.contact_spin_impulse, c, vec.load(work.contact_spin_guess, c))
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_impulse[n] = work.scalar_guess[n]


@kernel
def forget(work, t):
    """Let the memory of island t be no impulse, or the lawful one nearest to none.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        vec.store(work.contact_guess, c, ZERO)
        vec.store(work.contact_spin_guess, c, ZERO)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_guess[n] = within(work, n, 0.0)
