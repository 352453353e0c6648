"""The violation of the contact laws as a velocity: the convergence test of every solver.

The natural map of De Saxcé's form is λ − P_K(λ − r (w + Γ(w) n)), Γ = μ‖w_t‖, P_K the projection on the
friction cone. Divided by r it is the velocity by which Signorini's condition or Coulomb's law is violated.
Source: De Saxcé, Feng 1998.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import number
from tribo.contact.problem.contact_targets import step_speed
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import (
    clamp_impulse,
    contact_velocity,
    normal_velocity,
    row_velocity,
    scalar_velocity,
)
from tribo.contact.solver import coulomb_cone
from tribo.contact.solver.contact_lane_groups import has_lane_groups
from tribo.contact.solver.coulomb_cone import NO_FRICTION
from tribo.contact.solver.lane_group_visit import lane_group_violations
from tribo.math import spatial, vec
from tribo.math.lane_rows import LANES

GOOD = 5.0  # [–] of a limit: accepted; other measures of the same error are up to twice this one
FLAGGED = 1e-3  # [–] of the speed that a solve removes: a larger violation sets `NOT_CONVERGED`
ENOUGH = 1e4  # [–] of a limit: success where contradictory rows or rounding stop, or a pile goes on at rest
ROUNDED = 1e-6  # [–] of a speed, or of a position per step: round-off over the smallest sensible tolerance


@kernel
def inverse_mean_diagonal(block):
    """Return 3/tr of a contact's own block of G; 0 if it is 0."""
    trace = block[0] + block[1] + block[2]
    return 3.0 / trace if trace > 0.0 else 0.0


@kernel
def project_on_cone(mu, x):
    """Return the impulse in the friction cone nearest to x; without friction, in its axis."""
    if mu <= NO_FRICTION:
        return (0.0, 0.0, max(0.0, x[2]))
    return coulomb_cone.nearest_in_cone(mu, x)


@kernel
def spin_law(roll, spin, x):
    """Return the torque impulse nearest to x within the bounds of rolling and spinning friction."""
    s = sqrt(x[0] * x[0] + x[1] * x[1])
    f = roll / s if s > roll else 1.0
    return (f * x[0], f * x[1], min(max(x[2], -spin), spin))


@kernel
def largest_component(a):
    """Return the largest absolute value of three numbers."""
    return max(abs(a[0]), abs(a[1]), abs(a[2]))


@kernel
def torque_violation(model, work, c):
    """Return the violation of rolling and spinning friction of contact c, as a speed at its radius [m/s]."""
    r = inverse_mean_diagonal(spatial.load(work.contact_spin_delassus, c))
    if r == 0.0:
        return 0.0
    torque = vec.load(work.contact_spin_impulse, c)
    omega = row_velocity(model, work, work.contact_spin_row, work.contact_spin_start, c)
    n = work.contact_impulse[c, 2]
    roll = work.contact_rolling[c] * n
    spin = work.contact_spinning[c] * n
    lawful = spin_law(roll, spin, vec.axpy(-r, omega, torque))
    return work.contact_radius[c] * largest_component(vec.sub(torque, lawful)) / r


@kernel
def scalar_violation(model, work, n):
    """Return the violation of scalar row n [m/s, rad/s]; of a hard row between its bounds that is |w|."""
    w = scalar_velocity(model, work, n)
    g = work.scalar_delassus[n]
    impulse = work.scalar_impulse[n]
    off = abs(impulse - clamp_impulse(work, n, impulse - w / g))
    return off * (g - work.scalar_compliance[n])


@kernel
def is_open(work, c):
    """Tell whether contact c has no impulse and no rolling or spinning friction."""
    return vec.load(work.contact_impulse, c) == (0.0, 0.0, 0.0) and work.contact_is_spun[c] == 0


@kernel
def contact_violation(model, work, c):
    """Return the violation of contact c as a velocity [m/s]."""
    if is_open(work, c) and normal_velocity(model, work, c) >= 0.0:  # open and separating: lawful
        return 0.0
    return violation_at(model, work, c, contact_velocity(model, work, c))


@kernel
def violation_at(model, work, c, w):
    """Return the violation of contact c [m/s] for a velocity w of its point."""
    mu = work.contact_friction[c]
    r = inverse_mean_diagonal(spatial.load(work.contact_delassus, c))
    worst = 0.0
    if r != 0.0 and not (w[2] >= 0.0 and is_open(work, c)):
        x = vec.load(work.contact_impulse, c)
        lift = mu * sqrt(w[0] * w[0] + w[1] * w[1])
        after = project_on_cone(mu, (x[0] - r * w[0], x[1] - r * w[1], x[2] - r * (w[2] + lift)))
        worst = largest_component(vec.sub(x, after)) / r
    if work.contact_is_spun[c] == 1:
        worst = max(worst, torque_violation(model, work, c))
    return worst


@kernel
def larger_violation(a, b):
    """Return the larger of two violations; NaN counts as the largest."""
    return a if b <= a or not a >= 0.0 else b


@kernel
def island_violation(model, work, t):
    """Return the largest violation of island t as a velocity [m/s]."""
    worst = 0.0
    if has_lane_groups(work, t):
        for p in range(work.lane_group_count[0]):
            own = lane_group_violations(work, p)
            for lane in range(LANES):
                worst = larger_violation(worst, number(own, lane))
        for k in range(work.ungrouped_count[0]):
            worst = larger_violation(worst, contact_violation(model, work, work.ungrouped_contact[k]))
    else:
        for c in contacts_in(work, t):
            worst = larger_violation(worst, contact_violation(model, work, c))
    for n in scalars_in(work, t):
        worst = larger_violation(worst, scalar_violation(model, work, n))
    return worst


@kernel
def scalar_speed(work, n, push):
    """Return the speed that row n must remove within its bounds; push: √(2 energy) of the step's forces."""
    g = work.scalar_delassus[n]
    own = g - work.scalar_compliance[n]
    if not own > 0.0:  # compliance only: its impulse moves nothing
        return 0.0
    start = work.scalar_start[n] * own / g  # of a spring: the change of velocity by its force
    up = work.scalar_upper[n] * own
    down = -work.scalar_lower[n] * own
    given = max(-up, -down)  # > 0 where the bounds exclude 0: an impulse that is imposed
    return max(min(-start, up), min(start, down), min(push * sqrt(g), max(up, down)), given)


@kernel
def island_speed(settings, work, t):
    """Return the reference speed of convergence of island t [m/s]: the largest that its rows must remove."""
    scale = step_speed(settings)
    push = 0.0  # without weight: effect of all other forces in a step, ‖z‖ = √(2 energy)
    is_weightless = scale == 0.0
    if is_weightless:
        for dof in range(work.free_response.shape[0]):
            push += work.free_response[dof] * work.free_response[dof]
        push = sqrt(push)
    for c in contacts_in(work, t):
        own, give = work.diagonal_delassus[c], work.contact_compliance[c, 2]
        asked = -work.contact_start[c, 2]
        if give > 0.0 and own > 0.0:  # a spring: the change of velocity by its force
            asked *= own / (own + give)
        scale = max(scale, asked, push * sqrt(work.contact_delassus[c, 2]))
        if is_weightless:
            scale = max(scale, ROUNDED * vec.norm(vec.load(work.contact_vel, c)))
    for n in scalars_in(work, t):
        size = 1.0  # [m, rad], of which round-off is a speed
        for side in range(2):
            if work.scalar_len[n, side] > 0:
                size = max(size, largest_component(vec.load(work.body_pos, work.scalar_body[n, side])))
        scale = max(scale, scalar_speed(work, n, push), ROUNDED * size / settings.dt)
    return scale
