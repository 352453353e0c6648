"""The regularised laws of contacts and scalar rows: impulses as functions of a velocity.

With an estimate λ̂ of the impulse (memory) and a penalty r, the *trial* of a row is x = λ̂ − r (w + R λ̂). Its
impulse is the projection of the trial on the admissible set: λ_n ≥ 0, the disc of friction, bounded by the
normal impulse of the same trial, or the bounds of a scalar row. At λ = λ̂ this is the unregularised law. A
trial also says in which part of its law a row is: open, sticking, sliding; between its bounds or at one.
Compliance is part of r: r = 1/(R + 1/ρ) (`set_row_penalties`).
Source: Alart, Curnier 1991.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import chosen, load4, number, spread4, store4, top
from tribo.contact.solver.natural_residual import larger_violation, largest_component, project_on_cone
from tribo.contact.solver.proximal_rows import Entry, Law, LawKind, LawNumber, Size
from tribo.math import vec
from tribo.math.lane_rows import clamp4, sum4


@kernel
def set_row_penalties(work, rho):
    """Set the penalty of every row to 1/(SOFT + 1/ρ); SOFT is its scaled compliance.

    Writes: work.
    """
    x = work.dense_vector
    n = x.shape[1]
    for i in range(0, work.dense_size[Size.ROWS], 4):
        store4(x, n * Entry.PENALTY + i, spread4(1.0) / (load4(x, n * Entry.SOFT + i) + 1.0 / rho))


@kernel
def write_trials(work):
    """Write the trials of all rows at the velocities in MOTION.

    Writes: work.
    """
    x = work.dense_vector
    n = x.shape[1]
    for i in range(0, work.dense_size[Size.ROWS], 4):
        r, memory = load4(x, n * Entry.PENALTY + i), load4(x, n * Entry.MEMORY + i)
        w = load4(x, n * Entry.MOTION + i) + memory * load4(x, n * Entry.COMPLIANCE + i)
        store4(x, n * Entry.TRIAL + i, memory - r * w)


@kernel
def trial_at(work, i, w):
    """Return the trial of row i at velocity w."""
    x = work.dense_vector
    return x[Entry.MEMORY, i] - x[Entry.PENALTY, i] * (w + x[Entry.COMPLIANCE, i] * x[Entry.MEMORY, i])


@kernel
def bounds_of(work, b, out):
    """Return the bounds of the one-row law b for the normal impulses in row `out` of `dense_vector`."""
    n = work.law_row[b, Law.NORMAL_ROW]
    if n < 0:
        return 0.0, inf
    most = work.law_number[b, LawNumber.SHARE] * work.dense_vector[out, n]
    return -most, most


@kernel
def apply_laws(work, trial, out):
    """Project row `trial` of `dense_vector` on the laws; write the impulses to row `out` (may be the same).

    Writes: work.
    """
    x, law = work.dense_vector, work.law_row
    for b in range(work.dense_size[Size.LAWS]):
        i, kind = law[b, Law.ROW], law[b, Law.KIND]
        if kind == LawKind.FRICTION or kind == LawKind.ROLLING:
            u, v = x[trial, i], x[trial, i + 1]
            most = work.law_number[b, LawNumber.SHARE] * x[out, law[b, Law.NORMAL_ROW]]
            square = u * u + v * v
            f = most / sqrt(square) if square > most * most else 1.0
            x[out, i], x[out, i + 1] = f * u, f * v
        else:
            lower, upper = bounds_of(work, b, out)
            x[out, i] = min(max(x[trial, i], lower), upper)
    n = x.shape[1]
    for i in range(work.dense_size[Size.SCALARS], work.dense_size[Size.ROWS], 4):
        lower, upper = load4(x, n * Entry.LOWER + i), load4(x, n * Entry.UPPER + i)
        store4(x, n * out + i, clamp4(load4(x, n * trial + i), lower, upper))


@kernel
def impulse_product(work, part):
    """Return λ(z + part · STEP) · Y STEP, a term of the line search.

    Writes: work.
    """
    x = work.dense_vector
    n = x.shape[1]
    for i in range(0, work.dense_size[Size.ROWS], 4):
        way = load4(x, n * Entry.PENALTY + i) * load4(x, n * Entry.CHANGE + i)
        store4(x, n * Entry.SCRATCH + i, load4(x, n * Entry.TRIAL + i) - part * way)
    apply_laws(work, Entry.SCRATCH, Entry.SCRATCH)
    total = spread4(0.0)
    for i in range(0, work.dense_size[Size.ROWS], 4):
        total = total + load4(x, n * Entry.SCRATCH + i) * load4(x, n * Entry.CHANGE + i)
    return sum4(total)


@kernel
def own_velocity(work, i):
    """Return the velocity of row i including that of its compliance, w + R λ."""
    x = work.dense_vector
    return x[Entry.MOTION, i] + x[Entry.COMPLIANCE, i] * x[Entry.IMPULSE, i]


@kernel
def violation_of_scalars(work):
    """Return how far the impulses of scalar rows are from their laws [m/s]; not a number counts as worst."""
    x = work.dense_vector
    n = x.shape[1]
    worst = zero = spread4(0.0)
    for i in range(work.dense_size[Size.SCALARS], work.dense_size[Size.ROWS], 4):
        own = load4(x, n * Entry.IMPULSE + i)
        w = load4(x, n * Entry.MOTION + i) + load4(x, n * Entry.COMPLIANCE + i) * own
        after = clamp4(own - w, load4(x, n * Entry.LOWER + i), load4(x, n * Entry.UPPER + i))
        v = abs(own - after) * load4(x, n * Entry.UNIT + i)
        worst = chosen((v <= worst) | ~(zero <= worst), worst, v)  # NaN is the worst
    most = 0.0
    for k in range(4):
        most = larger_violation(most, number(worst, k))
    return most


@kernel
def violation_here(work):
    """Return how far the impulses are from the unregularised laws [m/s] at the velocities in MOTION.

    The natural map of `natural_residual`, in scaled rows; UNIT converts to m/s.
    """
    worst = 0.0
    x, law, numbers = work.dense_vector, work.law_row, work.law_number
    for b in range(work.dense_size[Size.LAWS]):
        i, kind = law[b, Law.ROW], law[b, Law.KIND]
        if kind == LawKind.FRICTION:
            mu, r = numbers[b, LawNumber.SHARE], numbers[b, LawNumber.NATURAL_STEP]
            own = vec.load_from(x, Entry.IMPULSE, i)
            w = (own_velocity(work, i), own_velocity(work, i + 1), own_velocity(work, i + 2))
            if own == (0.0, 0.0, 0.0) and w[2] >= 0.0:
                continue
            lift = mu * sqrt(w[0] * w[0] + w[1] * w[1])
            after = project_on_cone(mu, vec.axpy(-r, (w[0], w[1], w[2] + lift), own))
            v = largest_component(vec.sub(own, after))
        elif kind == LawKind.ROLLING:
            most = numbers[b, LawNumber.SHARE] * x[Entry.IMPULSE, law[b, Law.NORMAL_ROW]]
            u, v = x[Entry.IMPULSE, i] - x[Entry.MOTION, i], x[Entry.IMPULSE, i + 1] - x[Entry.MOTION, i + 1]
            s = sqrt(u * u + v * v)
            f = most / s if s > most else 1.0
            v = max(abs(x[Entry.IMPULSE, i] - f * u), abs(x[Entry.IMPULSE, i + 1] - f * v))
        elif kind == LawKind.SPINNING:
            lower, upper = bounds_of(work, b, Entry.IMPULSE)
            after = min(max(x[Entry.IMPULSE, i] - own_velocity(work, i), lower), upper)
            v = abs(x[Entry.IMPULSE, i] - after)
        else:
            continue
        v *= x[Entry.UNIT, i]
        worst = larger_violation(worst, v)
    return larger_violation(worst, violation_of_scalars(work))


@kernel
def memory_error(work, rho):
    """Return the largest error of the memory as a velocity [m/s]: |λ − λ̂|/ρ."""
    x = work.dense_vector
    n = x.shape[1]
    worst = spread4(0.0)
    for i in range(0, work.dense_size[Size.ROWS], 4):
        error = abs(load4(x, n * Entry.IMPULSE + i) - load4(x, n * Entry.MEMORY + i))
        error = error * load4(x, n * Entry.UNIT + i)
        worst = chosen(worst < error, error, worst)
    return top(worst) / rho
