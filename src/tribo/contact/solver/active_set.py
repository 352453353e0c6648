"""Trials that keep the active set of the present impulses: open, sticking, sliding, at a bound or not.

A Newton step of the proximal problem is linearised at trials. Trials of the present velocities times a large
penalty lose the active set of the impulses; the trials written here represent it exactly. A linear solve with
the right set ends in the solution, whatever the penalty.
Source: Hintermüller, Ito, Kunisch 2002 (primal-dual active sets).
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import chosen, load4, spread4, store4, top
from tribo.contact.solver.coulomb_cone import SLIDES
from tribo.contact.solver.proximal_law import bounds_of, own_velocity, trial_at
from tribo.contact.solver.proximal_rows import Entry, Law, LawKind, LawNumber, Size, copy_vector
from tribo.math.lane_rows import clamp4
from tribo.math.linalg import ROUND_OFF, TINY

SET_PENALTY = 1e7  # [–] penalty of a solve with a given active set
REDUNDANT_PENALTY = 1e4  # [–] the same with more sticking rows than dofs
SLIDING_EXCESS = 1e-6  # [–] of the bound: excess of the trial of a row that begins to slide


@kernel
def set_disc(work, i, a, b, bound, more):
    """Set the impulses of rows i, i + 1 to length `bound` along (a, b), their trials to length bound + more.

    Writes: work.
    """
    x = work.dense_vector
    s = sqrt(a * a + b * b)
    if s > 0.0:
        a /= s
        b /= s
    else:
        a = 1.0
    x[Entry.IMPULSE, i], x[Entry.IMPULSE, i + 1] = bound * a, bound * b
    x[Entry.TRIAL, i], x[Entry.TRIAL, i + 1] = (bound + more) * a, (bound + more) * b


@kernel
def stopping_impulse(work, i, press):
    """Return the impulse that stops row i of an open contact, computed with its own block alone."""
    return -work.dense_vector[Entry.MOTION, i] / (1.0 + work.dense_vector[Entry.SOFT, press])


@kernel
def trial_excess(work, i):
    """Return by how much the trial of row i, at its bound, exceeds it at the present velocity."""
    x = work.dense_vector
    return x[Entry.PENALTY, i] * (abs(x[Entry.MOTION, i]) + ROUND_OFF)


@kernel
def write_active_set(work, is_first):
    """Write trials that keep the active set of the present impulses, at the velocities in MOTION.

    is_first: open contacts that approach become closed.

    Writes: work.
    """
    x, law = work.dense_vector, work.law_row
    for b in range(work.dense_size[Size.LAWS]):
        i, kind, n = law[b, Law.ROW], law[b, Law.KIND], law[b, Law.NORMAL_ROW]
        if kind == LawKind.NORMAL:
            x[Entry.TRIAL, i] = x[Entry.IMPULSE, i]
            if not x[Entry.IMPULSE, i] > 0.0:
                close = is_first and x[Entry.MOTION, i] < 0.0
                x[Entry.TRIAL, i] = stopping_impulse(work, i, i) if close else -TINY  # open
        elif n >= 0 and not x[Entry.IMPULSE, n] > 0.0:
            x[Entry.TRIAL, i] = stopping_impulse(work, i, n) if kind == LawKind.FRICTION else 0.0
            if kind != LawKind.SPINNING:
                x[Entry.TRIAL, i + 1] = stopping_impulse(work, i + 1, n) if kind == LawKind.FRICTION else 0.0
        elif kind == LawKind.FRICTION or kind == LawKind.ROLLING:
            bound = work.law_number[b, LawNumber.SHARE] * x[Entry.IMPULSE, n]
            p, q = x[Entry.IMPULSE, i], x[Entry.IMPULSE, i + 1]
            if p * p + q * q < SLIDES * SLIDES * bound * bound:
                x[Entry.TRIAL, i], x[Entry.TRIAL, i + 1] = p, q
            else:
                r, u, v = x[Entry.PENALTY, i], x[Entry.MOTION, i], x[Entry.MOTION, i + 1]
                more = r * sqrt(u * u + v * v) + ROUND_OFF * (bound + r)
                set_disc(work, i, p, q, bound, more)
        else:
            own = x[Entry.IMPULSE, i]  # between the bounds, or beyond the one where it is
            lower, upper = bounds_of(work, b, Entry.IMPULSE)
            x[Entry.TRIAL, i] = own
            if lower < upper and own >= SLIDES * upper:
                x[Entry.TRIAL, i] = upper + trial_excess(work, i)
            elif lower < upper and own <= SLIDES * lower:
                x[Entry.TRIAL, i] = lower - trial_excess(work, i)
    write_active_scalars(work)


@kernel
def excess4(work, i):
    """Return `trial_excess` of four rows from i on."""
    x = work.dense_vector
    n = x.shape[1]
    return load4(x, n * Entry.PENALTY + i) * (abs(load4(x, n * Entry.MOTION + i)) + spread4(ROUND_OFF))


@kernel
def write_active_scalars(work):
    """Write trials of scalar rows: the impulse between the bounds, beyond a bound where it is at one.

    Writes: work.
    """
    x = work.dense_vector
    n = x.shape[1]
    for i in range(work.dense_size[Size.SCALARS], work.dense_size[Size.ROWS], 4):
        own = load4(x, n * Entry.IMPULSE + i)
        lower, upper = load4(x, n * Entry.LOWER + i), load4(x, n * Entry.UPPER + i)
        more = excess4(work, i)
        is_open = lower < upper
        trial = chosen(is_open & (own <= lower), lower - more, own)
        store4(x, n * Entry.TRIAL + i, chosen(is_open & (upper <= own), upper + more, trial))


@kernel
def update_active_disc(work, b, i, n):
    """Set impulses and trials of rows i, i + 1 of law b after a linear solve; n: row of their normal impulse.

    Returns whether they stick or slide as before; a change of row n counts at its own law.

    Writes: work.
    """
    x, share, kind = work.dense_vector, work.law_number[b, LawNumber.SHARE], work.law_row[b, Law.KIND]
    bound, old = share * x[Entry.IMPULSE, n], share * x[Entry.PREVIOUS, n]
    u, v = x[Entry.MOTION, i], x[Entry.MOTION, i + 1]
    if not bound > 0.0:
        set_disc(work, i, x[Entry.TRIAL, i], x[Entry.TRIAL, i + 1], 0.0, trial_excess(work, i))
        return True
    p, q = x[Entry.LINEAR, i], x[Entry.LINEAR, i + 1]
    a, b = x[Entry.PREVIOUS, i], x[Entry.PREVIOUS, i + 1]
    slid = a * a + b * b > old * old
    if not x[Entry.PREVIOUS, n] > 0.0:  # the contact has just closed
        if kind == LawKind.ROLLING:
            set_disc(work, i, 0.0, 0.0, 0.0, 0.0)
            return True
        p, q = stopping_impulse(work, i, n), stopping_impulse(work, i + 1, n)
    elif slid:
        p, q = x[Entry.MEMORY, i], x[Entry.MEMORY, i + 1]
        if p * u + q * v < 0.0:
            p, q = trial_at(work, i, u), trial_at(work, i + 1, v)
            more = x[Entry.PENALTY, i] * sqrt(u * u + v * v) + ROUND_OFF * bound
            set_disc(work, i, p, q, bound, more)
            return True
        s = sqrt(p * p + q * q)  # it would slide along its friction: it sticks
        f = SLIDES * bound / s if s > bound else 1.0
        p *= f
        q *= f
    if p * p + q * q <= bound * bound:
        x[Entry.IMPULSE, i], x[Entry.IMPULSE, i + 1] = p, q
        x[Entry.TRIAL, i], x[Entry.TRIAL, i + 1] = p, q
        return not slid
    set_disc(work, i, p, q, bound, SLIDING_EXCESS * bound)
    return False


@kernel
def update_active_spinning(work, b, i):
    """Set impulse and trial of spinning row i of law b after a linear solve; return whether it is as before.

    Writes: work.
    """
    x = work.dense_vector
    lower, upper = bounds_of(work, b, Entry.PREVIOUS)
    side = 1.0 if x[Entry.PREVIOUS, i] > upper else -1.0 if x[Entry.PREVIOUS, i] < lower else 0.0
    lower, upper = bounds_of(work, b, Entry.IMPULSE)
    own = x[Entry.LINEAR, i] if side == 0.0 else upper if side > 0.0 else lower
    x[Entry.IMPULSE, i] = min(max(own, lower), upper)
    x[Entry.TRIAL, i] = x[Entry.IMPULSE, i]
    if side == 0.0:
        if own > upper:
            x[Entry.TRIAL, i] += SLIDING_EXCESS * upper
        elif own < lower:
            x[Entry.TRIAL, i] -= SLIDING_EXCESS * upper
        return lower <= own <= upper
    stays = side * own_velocity(work, i) <= 0.0
    if stays:
        x[Entry.TRIAL, i] += side * trial_excess(work, i)
    return stays


@kernel
def update_active_scalars(work):
    """Set impulses and trials of scalar rows after a linear solve; return whether none changes.

    A row beyond a bound is set to it, and stays there while its velocity points beyond it.

    Writes: work.
    """
    x = work.dense_vector
    n = x.shape[1]
    zero = change = spread4(0.0)
    for i in range(work.dense_size[Size.SCALARS], work.dense_size[Size.ROWS], 4):
        was, linear = load4(x, n * Entry.PREVIOUS + i), load4(x, n * Entry.LINEAR + i)
        lower, upper = load4(x, n * Entry.LOWER + i), load4(x, n * Entry.UPPER + i)
        was_low, was_high = was < lower, upper < was
        own = chosen(was_low, lower, chosen(was_high, upper, clamp4(linear, lower, upper)))
        store4(x, n * Entry.IMPULSE + i, own)
        w = load4(x, n * Entry.MOTION + i) + load4(x, n * Entry.COMPLIANCE + i) * own
        is_new = ~(was_low | was_high)
        little = load4(x, n * Entry.PENALTY + i) * spread4(ROUND_OFF)
        more = chosen(is_new, little, excess4(work, i))
        goes_high = (is_new & (upper < linear)) | (was_high & (w <= zero))
        goes_low = (is_new & (linear < lower)) | (was_low & (zero <= w))
        store4(x, n * Entry.TRIAL + i, chosen(goes_high, own + more, chosen(goes_low, own - more, own)))
        is_same = (was_low & goes_low) | (was_high & goes_high) | ~(was_low | was_high | goes_low | goes_high)
        change = chosen(is_same, change, spread4(1.0))
    return top(change) == 0.0


@kernel
def update_active_set(work):
    """Update the active set after a linear solve, with its impulses and trials; return whether it is kept.

    A contact that pulls opens, an open one that approaches closes; a sticking one beyond its bound slides, a
    sliding one whose velocity points along its friction sticks. The impulses obey their bounds and cones.

    Writes: work.
    """
    x, law = work.dense_vector, work.law_row
    copy_vector(work, Entry.TRIAL, Entry.PREVIOUS)
    same = True
    for b in range(work.dense_size[Size.LAWS]):
        i, kind, n = law[b, Law.ROW], law[b, Law.KIND], law[b, Law.NORMAL_ROW]
        was = x[Entry.PREVIOUS, i]
        if kind == LawKind.NORMAL:
            own = x[Entry.LINEAR, i] if was > 0.0 else stopping_impulse(work, i, i)
            x[Entry.IMPULSE, i] = max(own, 0.0)
            x[Entry.TRIAL, i] = own if own > 0.0 else -TINY  # open
            same = same and (own > 0.0) == (was > 0.0)
        elif kind == LawKind.FRICTION or kind == LawKind.ROLLING:
            same = update_active_disc(work, b, i, n) and same
        elif kind == LawKind.SPINNING and not x[Entry.PREVIOUS, n] > 0.0:
            x[Entry.IMPULSE, i] = x[Entry.TRIAL, i] = 0.0
        else:
            same = update_active_spinning(work, b, i) and same
    return update_active_scalars(work) and same
