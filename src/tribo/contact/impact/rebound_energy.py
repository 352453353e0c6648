"""Stage `rebound_energy.limit_rebounds`: no rebound creates energy.

Newton's restitution is a statement about velocities. Where friction turns the impulse of an impact, as at the
tip of a falling linkage, the velocities that it asks for may hold more energy than there was (Kane's
paradox). Then all rebounds of the island are made weaker by one factor, the largest that adds no
energy: Newton's law lies at 1, the plastic impact, which never creates any, at 0.
Source: Kane, Levinson 1985, "Dynamics: Theory and Applications", section 6; contact-science §1.10.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import curved_rest_target, set_target
from tribo.contact.problem.islands import contacts_in, island_rows, scalars_in
from tribo.contact.problem.whitened_products import row_velocity, scalar_velocity
from tribo.contact.solver.method_choice import solve_by_settings
from tribo.contact.solver.natural_residual import GOOD, island_speed, island_violation
from tribo.math import vec
from tribo.model import Impact, Status

SIMULTANEOUS = int(Impact.SIMULTANEOUS)
NOT_CONVERGED = int(Status.NOT_CONVERGED)
ROUND_OFF = 1e-9  # [–] of the energy that changes hands; the solve is not more exact
TRIES = 10  # at the factor; the way is halved each time


@kernel
def has_rebound(work, t):
    """Tell whether a contact of island t rebounds."""
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.contact_bounce[c] > 0.0:
            return True
    return False


@kernel
def energy_gained(model, settings, work, t):
    """Return the energy that the impulses of island t add [J], and that which changes hands.

    λ · (w + w⁺)/2 of each row, w before all forces of the step. Bodies move with (v + v⁺)/2 while weight
    acts: its work is what they fall, and what is left is that of the impulses. With weight in w already, they
    might add λ dt g/2 unseen. The energy that a correction of overlap or a motor adds is wanted; the
    energy that a row with compliance takes is in its spring. Hard rows of constraints have a little of it
    too, so what a wire takes that tightens pays for no rebound either.
    """
    total = 0.0
    turnover = 0.0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.contact_compliance[c, 2] > 0.0:
            continue
        impulse = vec.load(work.contact_impulse, c)
        before = vec.load(work.contact_start, c)  # relative to the target, like w
        w = row_velocity(model, work, work.contact_row, work.contact_start, c)
        part = 0.5 * vec.dot(impulse, vec.add(w, before))
        bend = vec.load(work.contact_drift, c)  # no path of this step
        part -= impulse[0] * bend[0] + impulse[1] * bend[1]
        asked = work.contact_target[c] + bend[2]
        if asked < 0.0 or work.contact_bounce[c] > 0.0:
            part += impulse[2] * work.contact_target[c]
        else:
            part -= impulse[2] * bend[2]
        if work.contact_is_spun[c] == 1:
            torque = vec.load(work.contact_spin_impulse, c)
            spin = row_velocity(model, work, work.contact_spin_row, work.contact_spin_start, c)
            part += 0.5 * vec.dot(torque, vec.add(spin, vec.load(work.contact_spin_start, c)))
        total += part
        turnover += abs(impulse[2] * (w[2] - before[2]))
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if work.scalar_compliance[n] > 0.0:
            continue
        w = scalar_velocity(model, work, n)
        total += 0.5 * work.scalar_impulse[n] * (w + work.scalar_start[n])
    return total, turnover


@kernel
def scale_rebounds(settings, work, t, part):
    """Ask island t for a part of its restitution.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.contact_bounce[c] > 0.0:
            bounce = part * work.contact_bounce[c] - work.contact_drift[c, 2]
            target = max(bounce, curved_rest_target(work, c, settings))
            set_target(work, c, target, work.contact_vel[c, 2])


@kernel
def limit_restitution(model, settings, work, t):
    """Solve island t again with the largest part of its restitution that adds no energy.

    A plastic impact adds none, so the search ends. If what is left still adds some, that is the solve's
    error and is said.

    Writes: work.
    """
    rows = island_rows(work, t)
    is_solved = True
    low = part = more = turnover = 0.0
    high = 1.0
    for _ in range(TRIES):
        part = 0.5 * (low + high)
        scale_rebounds(settings, work, t, part)
        is_solved = solve_by_settings(model, settings, work, t, rows, settings.tolerance)
        more, turnover = energy_gained(model, settings, work, t)
        if more > ROUND_OFF * turnover:
            high = part
        else:
            low = part
    if low < part:  # the last try was too much
        scale_rebounds(settings, work, t, low)
        is_solved = solve_by_settings(model, settings, work, t, rows, settings.tolerance)
        more, turnover = energy_gained(model, settings, work, t)
    if not is_solved or more > ROUND_OFF * turnover:
        work.status[0] |= NOT_CONVERGED


@kernel
def limit_rebounds(model, settings, work):
    """Weaken the rebounds of islands that would end with more energy than they had.

    An island that is not solved says so; what it gains or loses is the solve's error.

    Writes: work.
    """
    if settings.impact != SIMULTANEOUS:  # impacts that are handed on look after themselves
        return
    for t in range(work.tree_island.shape[0]):
        if work.island_contact_start[t + 1] > work.island_contact_start[t] and has_rebound(work, t):
            more, turnover = energy_gained(model, settings, work, t)
            limit = GOOD * settings.tolerance * island_speed(settings, work, t)
            if more > ROUND_OFF * turnover and island_violation(model, work, t) <= limit:
                limit_restitution(model, settings, work, t)
