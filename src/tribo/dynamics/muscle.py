"""Muscles: force by length and speed, and the dynamics of activation.

    F = −F₀ (a f_l(L) f_v(V) + f_p(L))

L is the length relative to that of largest force, V its rate relative to the fastest rate of shortening. All
curves are quadratic splines. Source: MuJoCo's documentation, "Muscles"; Millard et al. 2013, "Flexing
computational muscle", for the activation.
"""

from tribo.compiler.jit import kernel
from tribo.enums import Muscle

SMALL = 1e-15  # smallest divisor, and [s] shortest time constant


@kernel
def shape_of(table, span, a, length, speed):
    """Return L, V of muscle a, and the fastest rate of shortening, the unit of V."""
    unit = (span[a, 1] - span[a, 0]) / max(SMALL, table[a, Muscle.LAST] - table[a, Muscle.FIRST])
    unit = max(SMALL, unit)
    fastest = max(SMALL, unit * table[a, Muscle.FASTEST])
    return table[a, Muscle.FIRST] + (length - span[a, 0]) / unit, speed / fastest, fastest


@kernel
def by_length(table, a, x):
    """Return f_l: 1 at L = 1, 0 outside the range of lengths."""
    low, high = table[a, Muscle.LEAST], table[a, Muscle.MOST]
    if x <= low or x >= high:
        return 0.0
    half = 0.5 * (low + 1.0) if x <= 1.0 else 0.5 * (1.0 + high)
    end = low if x <= 1.0 else high
    from_end = (x - end) / (half - end)
    if from_end <= 1.0:
        return 0.5 * from_end * from_end
    from_top = (1.0 - x) / (1.0 - half)
    return 1.0 - 0.5 * from_top * from_top


@kernel
def by_speed(table, a, x):
    """Return f_v and df_v/dV: 0 at the fastest shortening, above 1 when stretched."""
    most = table[a, Muscle.STRETCHED]
    rise = most - 1.0
    if x <= -1.0:
        return 0.0, 0.0
    if x <= 0.0:
        return (x + 1.0) * (x + 1.0), 2.0 * (x + 1.0)
    if x < rise:
        return most - (rise - x) * (rise - x) / rise, 2.0 * (rise - x) / rise
    return most, 0.0


@kernel
def passive(table, a, x):
    """Return f_p, the passive force of a muscle stretched beyond L = 1."""
    bend = 0.5 * (1.0 + table[a, Muscle.MOST])
    if x <= 1.0:
        return 0.0
    beyond = (x - 1.0) / max(SMALL, bend - 1.0)
    if x <= bend:
        return 0.5 * table[a, Muscle.PASSIVE] * beyond * beyond
    return table[a, Muscle.PASSIVE] * (beyond - 0.5)


@kernel
def activation_rate(times, a, u, x):
    """Return ȧ of muscle a.   (u − a)/T, T = T_rise (½ + 3/2 a) or T_fall/(½ + 3/2 a)"""
    u = min(max(u, 0.0), 1.0)
    bounded = min(max(x, 0.0), 1.0)
    stiffer = 0.5 + 1.5 * bounded
    rise, fall, width = times[a, 0] * stiffer, times[a, 1] / stiffer, times[a, 2]
    gap = u - x
    share = 1.0 if gap > 0.0 else 0.0
    if width >= SMALL:
        s = min(max(gap / width + 0.5, 0.0), 1.0)
        share = s * s * s * (10.0 + s * (6.0 * s - 15.0))
    return gap / max(SMALL, fall + share * (rise - fall))
