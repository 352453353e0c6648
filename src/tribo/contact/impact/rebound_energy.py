"""Stage `rebound_energy.limit_rebounds`: no rebound adds energy.

Newton's restitution is a law of velocities. Where friction deflects the impulse of an impact, as at the tip
of a falling linkage, these velocities may have more energy than before (Kane's paradox). Then all rebounds of
the island are reduced by one factor, the largest that adds no energy: 1 is Newton's law, 0 the plastic
impact, which never adds any.
Source: Kane, Levinson 1985, "Dynamics: Theory and Applications", section 6.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import curved_rest_target, set_target
from tribo.contact.problem.islands import contacts_in, island_rows, scalars_in
from tribo.contact.problem.whitened_products import row_velocity, scalar_velocity
from tribo.contact.solver.method_choice import solve_by_settings
from tribo.contact.solver.natural_residual import GOOD, island_speed, island_violation
from tribo.math import vec
from tribo.model import Impact, Status

ROUND_OFF = 1e-9  # [–] of the energy exchanged: accuracy of the solve
TRIES = 10  # bisections of the factor


@kernel
def has_rebound(work, t):
    """Tell whether a contact of island t rebounds."""
    is_any = False
    for c in contacts_in(work, t):
        is_any = is_any or work.contact_bounce[c] > 0.0
    return is_any


@kernel
def energy_gained(model, work, t):
    """Return the energy that the impulses of island t add, and the energy exchanged [J].

    Sum of λ · (w + w⁺)/2 over the rows, w before all forces of the step. Bodies move with (v + v⁺)/2 while
    weight acts: the work of weight is that of their fall, and the rest is that of the impulses. With weight
    in w they might add λ dt g/2 unseen. The energy of overlap corrections and motors is intended and
    excluded; so is that of compliant rows, which is in their springs. Hard rows of constraints have a small
    compliance, too, so the energy that a wire takes when it becomes taut pays for no rebound.
    """
    total = turnover = 0.0
    for c in contacts_in(work, t):
        if work.contact_compliance[c, 2] > 0.0:
            continue
        impulse = vec.load(work.contact_impulse, c)
        before = vec.load(work.contact_start, c)  # relative to the target, like w
        w = row_velocity(model, work, work.contact_row, work.contact_start, c)
        part = 0.5 * vec.dot(impulse, vec.add(w, before))
        bend = vec.load(work.contact_drift, c)  # the drift is not part of this step's path
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
    for n in scalars_in(work, t):
        if work.scalar_compliance[n] > 0.0:
            continue
        w = scalar_velocity(model, work, n)
        total += 0.5 * work.scalar_impulse[n] * (w + work.scalar_start[n])
    return total, turnover


@kernel
def scale_rebounds(settings, work, t, part):
    """Set the rebounds of island t to a part of their restitution.

    Writes: work.
    """
    for c in contacts_in(work, t):
        if work.contact_bounce[c] > 0.0:
            bounce = part * work.contact_bounce[c] - work.contact_drift[c, 2]
            target = max(bounce, curved_rest_target(work, c, settings))
            set_target(work, c, target, work.contact_vel[c, 2])


@kernel
def limit_restitution(model, settings, work, t):
    """Solve island t with the largest part of its restitution that adds no energy, by bisection.

    A plastic impact adds none; a remainder is the error of the solve: `NOT_CONVERGED`.

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
        more, turnover = energy_gained(model, work, t)
        if more > ROUND_OFF * turnover:
            high = part
        else:
            low = part
    if low < part:  # the last try added energy
        scale_rebounds(settings, work, t, low)
        is_solved = solve_by_settings(model, settings, work, t, rows, settings.tolerance)
        more, turnover = energy_gained(model, work, t)
    if not is_solved or more > ROUND_OFF * turnover:
        work.status[0] |= Status.NOT_CONVERGED


@kernel
def limit_rebounds(model, settings, work):
    """Reduce the rebounds of islands that would add energy.

    An island that is not solved has its own status; its gain is the error of the solve.

    Writes: work.
    """
    if settings.impact != Impact.SIMULTANEOUS:  # `event_driven` limits its own impacts
        return
    for t in range(work.tree_island.shape[0]):
        if has_rebound(work, t):
            more, turnover = energy_gained(model, work, t)
            limit = GOOD * settings.tolerance * island_speed(settings, work, t)
            if more > ROUND_OFF * turnover and island_violation(model, work, t) <= limit:
                limit_restitution(model, settings, work, t)
