"""One memory of the proximal problem: Newton's method for it, and the solve with a set that is known.

What lacks, z − z_free − Yᵀ λ(z), has no potential where contacts slide, so its size is no measure of
progress. Along a step d the root of its product with d is looked for instead, which costs the laws alone:
velocities are linear in z.
Source: Alart, Curnier 1991; Rockafellar 1976.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.solver.proximal_directions import gather_bounds, write_linear, write_linear_here
from tribo.contact.solver.proximal_law import (
    gather_impulses,
    measure,
    memory_error,
    obey,
    pairing,
    violation_here,
    write_trials,
)
from tribo.contact.solver.proximal_matrix import solve_step
from tribo.contact.solver.proximal_rows import FREE, LACK, REACHED, STEP, Z

LINE_STEPS = 8  # looks along a step
FLAT = 0.1  # [–] of the first slope: a point this flat is good enough
EXACT = 0.05  # [–] of the limit: Newton's method goes no farther


@kernel
def respond(work, t, count, z):
    """Set row z of `column_vector` to z_free + Yᵀ λ of the present impulses.

    Writes: work.
    """
    x = work.column_vector
    for k in range(count):
        x[z, k] = x[FREE, k]
    gather_impulses(work, t, z)


@kernel
def go_to(work, t, count):
    """Set row Z to the response of the present impulses, and measure its velocities.

    Writes: work.
    """
    respond(work, t, count, Z)
    measure(work, t, Z, 1.0, work.contact_motion, work.scalar_motion)


@kernel
def write_lack(work, t, count):
    """Write z − z_free − Yᵀ λ for the present impulses; return its square.

    Writes: work.
    """
    x = work.column_vector
    for k in range(count):
        x[LACK, k] = x[FREE, k]
    gather_impulses(work, t, LACK)
    square = 0.0
    for k in range(count):
        x[LACK, k] = x[Z, k] - x[LACK, k]
        square += x[LACK, k] * x[LACK, k]
    return square


@kernel
def newton_step(work, t, count):
    """Write the Newton step at the trials to row STEP; return whether there is one.

    Writes: work.
    """
    work.newton_steps[0] += 1
    x = work.column_vector
    for k in range(count):
        x[STEP, k] = -x[LACK, k]
    return solve_step(work, t, count, STEP, False)


@kernel
def look_along(work, t, count):
    """Return the part of the step after which what lacks is orthogonal to it; 0 if it leads nowhere."""
    x = work.column_vector
    first = along = square = 0.0
    for k in range(count):
        d = x[STEP, k]
        first += x[LACK, k] * d
        along += (x[Z, k] - x[FREE, k]) * d
        square += d * d
    if not first < 0.0:
        return 0.0
    part = 1.0
    low, low_value = 0.0, first
    high, high_value = -1.0, 0.0
    for k in range(LINE_STEPS):
        value = along + part * square - pairing(work, t, part)
        if abs(value) <= -FLAT * first or (value < 0.0 and part == 1.0) or k == LINE_STEPS - 1:
            break
        if value > 0.0:
            high, high_value = part, value
        else:
            low, low_value = part, value
        between = min(max(low_value / (low_value - high_value), 0.1), 0.9)
        part = low + between * (high - low)
    return part


@kernel
def follow(work, t, count, part):
    """Go a part of the Newton step, with all velocities.

    Writes: work.
    """
    x = work.column_vector
    for k in range(count):
        x[Z, k] += part * x[STEP, k]
    w, dw = work.contact_motion, work.contact_change
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        for a in range(6 if work.contact_is_spun[c] == 1 else 3):
            w[c, a] += part * dw[c, a]
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_motion[n] += part * work.scalar_change[n]


@kernel
def run_round(work, t, count, rho, limit, unit, last, steps, is_begun):
    """Follow Newton's method for one memory from row Z; return whether it arrived.

    unit: largest velocity that a whitened response of 1 is; last: `newton_steps` that end the solve;
    is_begun: a linear solve with the set has been made. The velocities of row Z are measured.

    Writes: work.
    """
    write_trials(work, t)
    obey(work, t)
    first = least = sqrt(write_lack(work, t, count))
    size = first
    for k in range(steps):
        if not size < inf:
            return False
        if k > 0 or is_begun:
            if size < least:
                least = size
            elif k > 3 and size > 0.5 * first:
                return False
            if size * unit <= max(EXACT * limit, memory_error(work, t, rho)):
                return True
        if work.newton_steps[0] >= last:
            return True
        if not newton_step(work, t, count):
            return False
        measure(work, t, STEP, 0.0, work.contact_change, work.scalar_change)
        part = look_along(work, t, count)
        if part == 0.0:
            return False
        follow(work, t, count, part)
        write_trials(work, t)
        obey(work, t)
        size = sqrt(write_lack(work, t, count))
    return True


@kernel
def solve_with_set(work, t, count):
    """Solve the problem that is linear around the trials, at whose row Z the velocities are; write them anew.

    The impulses stand in `contact_linear` and `scalar_linear` then.

    Writes: work.
    """
    work.newton_steps[0] += 1
    x = work.column_vector
    for k in range(count):
        x[STEP, k] = x[FREE, k] - x[Z, k]
    gather_bounds(work, t, STEP)
    if not solve_step(work, t, count, STEP, True):
        return False
    for k in range(count):
        x[Z, k] += x[STEP, k]
    measure(work, t, Z, 1.0, work.contact_motion, work.scalar_motion)
    if work.direction_count[0] <= count:
        write_linear(work, t, work.direction_count[0])
    else:
        write_linear_here(work, t)
    return True


@kernel
def judge(work, t, count):
    """Return how far the present impulses are from the hard law [m/s]; their response is in row REACHED.

    Writes: work.
    """
    respond(work, t, count, REACHED)
    measure(work, t, REACHED, 1.0, work.contact_motion, work.scalar_motion)
    return violation_here(work, t)


@kernel
def take_reached(work, count):
    """Go on from row REACHED.

    Writes: work.
    """
    x = work.column_vector
    for k in range(count):
        x[Z, k] = x[REACHED, k]
