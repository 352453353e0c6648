"""Trials that keep the set of the present impulses: which contacts are open, stick or slide, which rows hold.

A Newton step of the proximal problem is linearised at trials. Those of the present velocities, times a large
rate, say little about the set that the impulses had; these here say that set exactly. A linear solve with
the right set ends in the solution, whatever the rate.
Source: Hintermüller, Ito, Kunisch 2002 (primal-dual active sets).
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.solver.proximal_directions import torque_trial_of, trial_of
from tribo.contact.solver.proximal_law import (
    TANGENT,
    TORQUE,
    ZERO,
    force_trial,
    torque_trial,
)
from tribo.math import vec

SLIDES = 1.0 - 1e-9  # [–] of a bound: from here on an impulse slides
BARELY = 1e-6  # [–] of an impulse: by so much the trial of what begins to slide is beyond its bound
LEAST = 1e-12  # the same of what slides already
OPEN = -1e-300  # [N s] trial of what does not push


@kernel
def length(x):
    """Return the length of the tangential part of three numbers."""
    return sqrt(x[0] * x[0] + x[1] * x[1])


@kernel
def beyond(x, bound, more):
    """Return the tangential part of x, as long as `bound` and longer by `more`."""
    s = length(x)
    if s == 0.0:
        return (bound + more, 0.0)
    f = (bound + more) / s
    return (f * x[0], f * x[1])


@kernel
def keep_disc(bound, x, rate, w):
    """Return a tangential trial that keeps the set of x: within its bound, or sliding at the speed of w."""
    if bound > 0.0 and length(x) < SLIDES * bound:
        return (x[0], x[1])
    return beyond(x, bound, rate * length(w) + LEAST * (bound + rate))


@kernel
def keep_bound(x, lower, upper, more):
    """Return the trial of a number that keeps it between two bounds, or beyond the one at which it is."""
    if x >= upper > lower:
        return x + more
    return x - more if x <= lower < upper else x


@kernel
def closing(work, c, w):
    """Return the impulse that stops an open contact of velocity w, by its own block of G alone."""
    soft = work.contact_own[c] + work.contact_compliance[c, 2]
    if not soft > 0.0:
        return (0.0, 0.0, OPEN)
    return (-w[0] / soft, -w[1] / soft, -w[2] / soft)


@kernel
def keep_set(work, t, is_first):
    """Write trials of island t that keep the set of its present impulses, at the measured velocities.

    is_first: an open contact that approaches closes, and the memory is that of the last step.

    Writes: work.
    """
    motion, trial = work.contact_motion, work.contact_trial
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        x = vec.load(work.contact_impulse, c)
        w = (motion[c, 0], motion[c, 1], motion[c, 2])
        mu = work.contact_friction[c]
        if not x[2] > 0.0:
            trial[c, 2] = OPEN
            if is_first and w[2] < 0.0:
                trial[c, 0], trial[c, 1], trial[c, 2] = closing(work, c, w)
                for a in range(3, 6):
                    trial[c, a] = 0.0
            continue
        trial[c, 0], trial[c, 1] = keep_disc(mu * x[2], x, work.contact_rate[c, TANGENT], w)
        trial[c, 2] = x[2]
        if work.contact_is_spun[c] == 1:
            own = vec.load(work.contact_spin_impulse, c)
            w = (motion[c, 3], motion[c, 4], motion[c, 5])
            r = work.contact_rate[c, TORQUE]
            bound = work.contact_rolling[c] * x[2]
            trial[c, 3], trial[c, 4] = keep_disc(bound, own, r, w)
            bound = work.contact_spinning[c] * x[2]
            more = r * abs(w[2]) + LEAST * (bound + r)
            trial[c, 5] = keep_bound(own[2], -SLIDES * bound, SLIDES * bound, more)
            if bound == 0.0:
                trial[c, 5] = more
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        more = work.scalar_rate[n] * (abs(work.scalar_motion[n]) + LEAST)
        x = work.scalar_impulse[n]
        work.scalar_trial[n] = keep_bound(x, work.scalar_lower[n], work.scalar_upper[n], more)


@kernel
def next_disc(bound, old, was, x, memory, rate, w):
    """Return the impulse and the trial of a disc after a step with a set: the set is corrected.

    bound: of its size; old: the bound of the trial `was`; x: the trial that the step gives; w: its velocity.
    """
    if bound <= 0.0:
        more = beyond(x, 0.0, rate * (length(w) + LEAST))
        return (0.0, 0.0), more
    slid = length(was) > old
    if (
        slid and memory[0] * w[0] + memory[1] * w[1] >= 0.0
    ):  # it slides along its friction: it sticks
        s = length(memory)
        f = bound / s if s > bound else 1.0
        own = (f * memory[0], f * memory[1])
        return own, own
    if not slid and length(x) <= bound:
        return (x[0], x[1]), (x[0], x[1])
    more = rate * length(w) + LEAST * bound if slid else BARELY * bound
    return beyond(x, bound, 0.0), beyond(x, bound, more)


@kernel
def next_bound(lower, upper, was, x, memory, w, more, little):
    """Return the impulse and the trial of a row after a step with a set: the set is corrected.

    was: its trial before, x: the one that the step gives; w: its velocity with the impulse of its bound.
    """
    if lower <= was <= upper:
        if x < lower:
            return lower, lower - little
        return (upper, upper + little) if x > upper else (x, x)
    side = 1.0 if was > upper else -1.0
    bound = upper if was > upper else lower
    if side * w > 0.0:  # it would move on over its bound
        return bound, bound
    return bound, bound + side * more


@kernel
def next_torque(work, c, old, n, w):
    """Correct the set of rolling and spinning friction of contact c; old, n: normal impulses before and now.

    Writes: work.
    """
    trial = work.contact_trial
    memory = vec.load(work.contact_spin_guess, c)
    was = torque_trial_of(work, c)
    roll, spin = work.contact_rolling[c], work.contact_spinning[c]
    linear = work.contact_linear
    x = (linear[c, 3], linear[c, 4], linear[c, 5])
    if length(was) > roll * old:
        x = torque_trial(work, c, w)
    r = work.contact_rate[c, TORQUE]
    own, more = next_disc(roll * n, roll * old, was, x, memory, r, w)
    trial[c, 3], trial[c, 4] = more
    bound = spin * n
    if bound <= 0.0:
        third = 0.0
        trial[c, 5] = r * (abs(w[2]) + LEAST)
    else:
        beyond_it = r * abs(w[2]) + LEAST * bound
        kept = was[2]
        if abs(kept) <= spin * old:  # within: the same relative to the new bound
            kept = 0.0
        else:
            kept = 2.0 * bound if kept > 0.0 else -2.0 * bound
        third, trial[c, 5] = next_bound(
            -bound, bound, kept, x[2], memory[2], w[2], beyond_it, BARELY * bound
        )
    vec.store(work.contact_spin_impulse, c, (own[0], own[1], third))


@kernel
def correct_set(work, t):
    """Set impulses and trials of island t after a linear solve with the set of the trials.

    What pulled opens, what approaches closes, what is out of its bound slides, what slides along its friction
    sticks. The impulses are in their cones.

    Writes: work.
    """
    motion, trial, linear = work.contact_motion, work.contact_trial, work.contact_linear
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        w = (motion[c, 0], motion[c, 1], motion[c, 2])
        is_spun = work.contact_is_spun[c] == 1
        mu = work.contact_friction[c]
        was = trial_of(work, c)
        r = work.contact_rate[c, TANGENT]
        if not was[2] > 0.0:
            x = closing(work, c, w) if w[2] < 0.0 else (0.0, 0.0, OPEN)
            own = ZERO
            if x[2] > 0.0:
                side, more = next_disc(mu * x[2], 1.0, ZERO, x, ZERO, r, w)
                own = (side[0], side[1], x[2])
                x = (more[0], more[1], x[2])
            vec.store(work.contact_impulse, c, own)
            trial[c, 0], trial[c, 1], trial[c, 2] = x
            if is_spun:
                vec.store(work.contact_spin_impulse, c, ZERO)
                for a in range(3, 6):
                    trial[c, a] = 0.0
            continue
        x = (linear[c, 0], linear[c, 1], linear[c, 2])
        if length(was) > mu * was[2]:  # it slides: along its velocity
            side = force_trial(work, c, w)
            x = (side[0], side[1], x[2])
        if not x[2] > 0.0:
            vec.store(work.contact_impulse, c, ZERO)
            trial[c, 2] = OPEN
            if is_spun:
                vec.store(work.contact_spin_impulse, c, ZERO)
            continue
        memory = vec.load(work.contact_guess, c)
        side, more = next_disc(mu * x[2], mu * was[2], was, x, memory, r, w)
        if is_spun:
            next_torque(work, c, was[2], x[2], (motion[c, 3], motion[c, 4], motion[c, 5]))
        vec.store(work.contact_impulse, c, (side[0], side[1], x[2]))
        trial[c, 0], trial[c, 1], trial[c, 2] = more[0], more[1], x[2]
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        lower, upper = work.scalar_lower[n], work.scalar_upper[n]
        was, w = work.scalar_trial[n], work.scalar_motion[n]
        x = work.scalar_linear[n]
        bound = upper if was > upper else lower
        given = w + work.scalar_compliance[n] * bound if not lower <= was <= upper else w
        r = work.scalar_rate[n]
        more = r * (abs(w) + LEAST)
        work.scalar_impulse[n], work.scalar_trial[n] = next_bound(
            lower, upper, was, x, work.scalar_guess[n], given, more, r * LEAST
        )
