"""Stage `residual_report.report_residual`: the residual of the contact problem, and the status of the step.

With d = w + μ‖w_t‖ n (De Saxcé) an exact solution has λ in the friction cone K, d in its dual K* and
λ · d = 0. The three violations are reported relative to the impulse m̄ s, the speed s and the energy m̄ s² of
the step, s = the largest speed that the solve removes, m̄ = 1/mean(diag G). Errors of a velocity within the
truncation error of β (`contact_drift`) do not count. Rolling and spinning friction enter the dual violation
as a speed at the contact's radius.
Source: De Saxcé, Feng 1998.
"""

from math import inf, sqrt

from tribo.collision.advancement import TOUCH
from tribo.collision.broadphase import is_moved
from tribo.collision.late_candidates import DEEP
from tribo.collision.narrowphase import is_looked_after
from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import beyond_deadband, is_of_core, step_speed
from tribo.contact.problem.islands import scalars_in
from tribo.contact.problem.scalar_rows import GIVES_WAY
from tribo.contact.problem.whitened_products import clamp_impulse, contact_velocity, scalar_velocity
from tribo.contact.solver.coulomb_cone import NO_FRICTION, nearest_in_cone
from tribo.contact.solver.natural_residual import (
    FLAGGED,
    GOOD,
    island_speed,
    largest_component,
    torque_violation,
    violation_at,
)
from tribo.enums import Impact
from tribo.math import vec
from tribo.math.linalg import TINY
from tribo.model import Status

OPEN = 0.2  # [–] of the speed to remove: a hard row that yields more contradicts another row


@kernel
def beyond_cone(mu, impulse, w):
    """Return the distance of d (of velocity w) from the dual cone [m/s], and |λ · d| [J]."""
    d = (w[0], w[1], w[2] + mu * sqrt(w[0] * w[0] + w[1] * w[1]))
    return largest_component(vec.sub(d, nearest_in_cone(1.0 / mu, d))), abs(vec.dot(impulse, d))


@kernel
def contact_residual(work, c, w):
    """Return the primal [N s], dual [m/s] and complementarity [J] violation of contact c at velocity w."""
    impulse = vec.load(work.contact_impulse, c)
    mu = work.contact_friction[c]
    if mu <= NO_FRICTION:
        primal = max(0.0, -impulse[2])
        return primal, max(0.0, -w[2]), abs(impulse[2] * w[2])
    primal = largest_component(vec.sub(impulse, nearest_in_cone(mu, impulse)))
    dual, energy = beyond_cone(mu, impulse, w)
    slack = GOOD * work.contact_drift_error[c]  # velocities within the error of β are equivalent
    if slack > 0.0:  # one lawful velocity among them is enough
        w = (beyond_deadband(w[0], slack), beyond_deadband(w[1], slack), beyond_deadband(w[2], slack))
        nearer, less = beyond_cone(mu, impulse, w)
        dual, energy = min(dual, nearer), min(energy, less)
    return primal, dual, energy


@kernel
def scalar_residual(model, work, n, speed):
    """Return the primal and dual violation of scalar row n; speed: the largest that is removed, > 0.

    A velocity is lawful where the impulse is at the bound that permits it. Short of the bound, |w| is
    weighted by the distance to it, relative to the impulse that removes the largest speed; the weight is at
    most 1.
    """
    w = scalar_velocity(model, work, n)
    impulse = work.scalar_impulse[n]
    primal = abs(impulse - clamp_impulse(work, n, impulse))
    room = impulse - work.scalar_lower[n] if w > 0.0 else work.scalar_upper[n] - impulse
    return primal, min(1.0, room * work.scalar_delassus[n] / speed) * abs(w)


@kernel
def noticed_length(model, work, c):
    """Return the least length that is noticeable for the smaller moved body of contact c [m]."""
    size = inf
    for side in range(2):
        body = work.contact_body[c, side]
        if is_moved(model, body):
            size = min(size, model.body_radius[body])
    return DEEP * TOUCH * size


@kernel
def is_too_long(model, settings, work, c, leaving):
    """Tell whether the step is too long for contact c: its error is a `noticed_length`.

    Two bodies that meet later in the step, at points apart now, get a moment from their impulses.
    `predicted_contacts` skips pairs that rebound: a hit rotates a body, and another corner may penetrate in
    the same step, or all but its core, which is stopped. With `propagate` a pair that leaves, at `leaving`
    [m/s], has rebounded at its own time.
    """
    presses = work.contact_impulse[c, 2] > 0.0
    way = vec.load(work.contact_travel, c)
    if presses and vec.dot(way, way) > 0.0:
        a, b = work.contact_body[c, 0], work.contact_body[c, 1]
        moment = vec.norm(vec.cross(way, vec.load_from(work.contact_axes, c, 6)))
        if is_moved(model, a) and is_moved(model, b) and moment > noticed_length(model, work, c):
            return True
    if is_looked_after(model, work.contact_shape[c, 0], work.contact_shape[c, 1]):
        return False
    if presses and is_of_core(work, c):
        return True
    gap, speed = work.contact_gap[c], work.contact_vel[c, 2]
    if gap >= 0.0 or speed >= 0.0 or work.contact_is_soft[c] != 0:
        return False
    back = settings.dt * leaving if settings.impact == Impact.PROPAGATE else 0.0
    return min(-gap, -settings.dt * speed) > noticed_length(model, work, c) >= back


@kernel
def report_residual(model, settings, work):
    """Record the three residuals of the step, and set its status: infeasible, not converged, step too long.

    Writes: work.
    """
    primal = dual = complementarity = diagonal = 0.0
    miss = 0.0  # [m/s] violation of a contact, in impulse or velocity, whichever is smaller
    count = 0
    speed = step_speed(settings)
    for t in range(work.tree_island.shape[0]):
        own = island_speed(settings, work, t)
        speed = max(speed, own)
        for n in scalars_in(work, t):
            # Contradictory hard rows yield: their compliance at the level of round-off makes R λ large.
            yields = abs(work.scalar_impulse[n]) * work.scalar_compliance[n] > OPEN * own
            if yields and work.scalar_reach[n] != GIVES_WAY:
                work.status[0] |= Status.INFEASIBLE
        if not work.island_miss[t] <= FLAGGED:
            work.status[0] |= Status.NOT_CONVERGED
    for c in range(work.contact_count[0]):
        if work.contact_target[c] == -inf:
            continue
        w = contact_velocity(model, work, c)
        if is_too_long(model, settings, work, c, w[2]):
            work.status[0] |= Status.TIME_STEP_TOO_LONG
        p, d, e = contact_residual(work, c, w)
        primal = max(primal, p)
        dual = max(dual, d)
        complementarity = max(complementarity, e)
        error = GOOD * work.contact_drift_error[c]
        miss = max(miss, beyond_deadband(violation_at(model, work, c, w), error))
        if work.contact_is_spun[c] == 1:
            dual = max(dual, torque_violation(model, work, c))
        diagonal += 3.0 * work.diagonal_delassus[c]
        count += 3
    for n in range(work.scalar_count[0]):
        p, d = scalar_residual(model, work, n, max(speed, TINY))
        primal = max(primal, p)
        dual = max(dual, d)
        diagonal += max(work.scalar_delassus[n] - work.scalar_compliance[n], 0.0)
        count += 1
    if count == 0 or speed * speed == 0.0 or diagonal == 0.0:  # or rounded to 0
        primal = dual = complementarity = miss = 0.0
    else:
        mass = count / diagonal
        primal /= mass * speed
        dual /= speed
        complementarity /= mass * speed * speed
        miss /= speed
    if not max(primal, max(dual, miss)) <= FLAGGED or not primal + dual + complementarity < inf:
        work.status[0] |= Status.NOT_CONVERGED
    work.residual[0], work.residual[1], work.residual[2] = primal, dual, complementarity
