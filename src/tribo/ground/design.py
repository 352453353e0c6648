"""Choosing K, D and steps: formulas for those who set up a compliant ground."""

from __future__ import annotations

import warnings

from tribo.checks import check
from tribo.checks.calls import answered_call

# Undamped impact of a point: t = 2.94323 δ/v, the time constant of δ'' = −K/m δ^1.5 (Hertz).
CONTACT_TIME = 2.9432751843247047  # 4/5 B(2/5, 1/2)
STEPS_PER_CONTACT = 20  # below, a fixed-step method misses the shape of a bounce


class GroundWarning(UserWarning):
    """Numbers of a ground do not suit the motion that is asked for."""


@answered_call
def stiffness_for(force: float, depth: float, points: int = 1) -> float:
    """Return K [N/m^1.5] of each point so that `points` together carry `force` [N] at `depth` [m].

    K = F/(n d^1.5). Points act like springs in parallel: n of them are n times as stiff as one.

    Source: Spatial_v2's page on its ground-contact model (2012).

    Example:
        >>> round(stiffness_for(force=1.0, depth=1e-4))
        1000000
        >>> round(stiffness_for(force=1.0, depth=1e-4, points=4))
        250000
    """
    force = check.number(force, "force", minimum=0.0, exclusive=True)
    depth = check.number(depth, "depth", minimum=0.0, exclusive=True)
    return float(force / (check.integer(points, "points", 1) * depth**1.5))


@answered_call
def rest_depth(force: float, K: float, points: int = 1) -> float:
    """Return the depth [m] at which `points` of stiffness K carry `force` [N]:   (F/(n K))^(2/3).

    Example:
        >>> round(rest_depth(1.0, 1e6), 9)
        0.0001
    """
    force = check.number(force, "force", minimum=0.0)
    K = check.number(K, "K", minimum=0.0, exclusive=True)
    return float((force / (check.integer(points, "points", 1) * K)) ** (2.0 / 3.0))


@answered_call
def recovery_time(K: float, D: float) -> float:
    """Return the time constant D/K [s] with which the unloaded ground recovers.

    Example:
        >>> recovery_time(1e6, 2000.0)
        0.002
    """
    K = check.number(K, "K", minimum=0.0, exclusive=True)
    return check.number(D, "D", minimum=0.0, exclusive=True) / K


@answered_call
def damping_for(K: float, time: float) -> float:
    """Return D [N s/m^1.5] of a ground of stiffness K that recovers with a time constant [s].

    Example:
        >>> damping_for(1e6, 0.002)
        2000.0
    """
    K = check.number(K, "K", minimum=0.0, exclusive=True)
    return K * check.number(time, "time", minimum=0.0, exclusive=True)


@answered_call
def parallel(K: float, points: int) -> float:
    """Return the stiffness of points that touch together:   n K.

    Example:
        >>> parallel(1e6, 4)
        4000000.0
    """
    return check.integer(points, "points", 1) * check.number(K, "K", minimum=0.0)


@answered_call
def impact_ratio(K: float, D: float, mass: float, speed: float) -> float:
    """Return the number β on which the bounce of a mass on one point depends, and nothing else.

    β = D v^(1/5) m^(−2/5) K^(−3/5); the restitution is 1 − 1.15344 β + 0.79826 β² − …: a faster impact
    bounces less, a heavier body more.

    Source: Schwager & Pöschel 1998, viscoelastic spheres.

    Example:
        >>> round(impact_ratio(1e4, 100.0, 1.0, 1.0), 4)
        0.3981
    """
    mass = check.number(mass, "mass", minimum=0.0, exclusive=True)
    K = check.number(K, "K", minimum=0.0, exclusive=True)
    D = check.number(D, "D", minimum=0.0)
    speed = check.number(speed, "speed", minimum=0.0)
    return float(D * speed**0.2 * mass**-0.4 * K**-0.6)


@answered_call
def impact_depth(K: float, mass: float, speed: float) -> float:
    """Return the largest depth [m] of an undamped impact:   (5 m v²/(4 K))^(2/5).

    Example:
        >>> round(impact_depth(1e6, 0.1, 1.0), 9)
        0.001732862
    """
    mass = check.number(mass, "mass", minimum=0.0, exclusive=True)
    K = check.number(K, "K", minimum=0.0, exclusive=True)
    speed = check.number(speed, "speed", minimum=0.0)
    return float((1.25 * mass * speed**2 / K) ** 0.4)


@answered_call
def contact_time(K: float, mass: float, speed: float) -> float:
    """Return how long an undamped impact lasts [s]:   2.94328 δ/v with δ of `impact_depth`.

    Source: Hertz 1882.
    """
    speed = check.number(speed, "speed", minimum=0.0, exclusive=True)
    return CONTACT_TIME * impact_depth(K, mass, speed) / speed


@answered_call
def check_step(step: float, K: float, D: float, mass: float, speed: float = 1.0, points: int = 1) -> float:
    """Return the longest fixed step [s] that suits a ground; warn if `step` is longer.

    It is the least of D/K, at which an explicit method would overshoot the recovery of the ground, and a
    twentieth of the time for which a body of `mass` [kg] on `points` touches at `speed` [m/s].

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     longest = check_step(0.01, K=1e6, D=2000.0, mass=0.2)
        >>> len(caught), longest < 2e-3
        (1, True)
    """
    step = check.number(step, "step", minimum=0.0, exclusive=True)
    recovery = recovery_time(K, D)
    longest = min(recovery, contact_time(parallel(K, points), mass, speed) / STEPS_PER_CONTACT)
    if step > longest:
        warnings.warn(
            f"a step of {step:g} s is too long for this ground: it recovers in D/K = {recovery:g} s, and "
            f"{mass:g} kg at {speed:g} m/s touch for {longest * STEPS_PER_CONTACT:g} s; take at most "
            f"{longest:.2g} s, a smaller K, or tribo.ground.simulate, which chooses its steps",
            GroundWarning,
            stacklevel=2,
        )
    return longest
