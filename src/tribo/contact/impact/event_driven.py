"""Part of stage `impacts.process_impacts`: impacts in order of time, each solved on its own.

Between two impacts the bodies move under the forces of the step. A contact that rebounds meets at the time τ
at which its gap closes, and gets Newton's restitution and Coulomb's friction at the velocity of that time. An
impact causes others: so a row of balls transmits a speed. Bodies that then still touch are at rest, which is
left to the solve. An impulse at τ, not at the middle m of the step, moves the bodies by (m − τ) Δv more than
the drift does; `impact_shift` accumulates that. Points of one pair of shapes that meet at the same time are
one impact: a box that lands flat does not tumble. A contact that stays is placed on the surface.
Source: Moreau 1999 (event-driven and time-stepping views of one law).
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import NO_TARGET, SLOW_IMPACT, rebound_velocity, set_target
from tribo.contact.problem.islands import contacts_in, is_same_pair, scalars_in
from tribo.contact.problem.whitened_products import (
    add_impulse_response,
    add_row_response,
    add_scalar_row_response,
)
from tribo.contact.solver import coulomb_cone
from tribo.math import spatial, vec
from tribo.math.linalg import ROUND_OFF

MAX_IMPACTS = 100  # per contact of an island
SIMULTANEOUS = 1e-9  # [–] of the step: gaps that close within this time are one impact
SWEEPS = 100  # over the points of one impact
SWEEP_TOLERANCE = 1e-14  # [–] of the speed of an impact: sweeps end below this change
HALVINGS = 20  # of a restitution that would add energy
ZERO = (0.0, 0.0, 0.0)


@kernel
def impact_velocity(model, work, c, time, dt, is_midpoint):
    """Return the velocity of contact c at a time of the step, after the impacts so far [m/s]."""
    w = add_row_response(
        model, work, work.contact_row, c, work.impact_response, vec.load(work.contact_vel, c)
    )
    f = vec.load(work.contact_push, c)
    return vec.axpy(time / dt if is_midpoint else 1.0, f, w)


@kernel
def impact_opening(model, work, c):
    """Return the opening of contact c by the displacement of the impacts so far [m]."""
    return add_row_response(model, work, work.contact_row, c, work.impact_shift, ZERO)[2]


@kernel
def closing_time(model, work, c, now, dt, is_midpoint):
    """Return the time at which the gap of contact c closes, from `now` on [s]; inf: not within the step.

    The gap is that of the evaluation at the middle m of the drift: φ(τ) = φ + n·s + w (τ − m) + ½ f τ²/dt, f
    the velocity that the forces of the step give; semi-implicit: m = 0 and φ + n·s + (w + f) τ.
    """
    table = work.contact_row
    w = add_row_response(model, work, table, c, work.impact_response, vec.load(work.contact_vel, c))[2]
    f = work.contact_push[c, 2]
    gap = work.contact_gap[c] + impact_opening(model, work, c)
    a = f / dt if is_midpoint else 0.0
    if is_midpoint:
        gap -= 0.5 * dt * w
    else:
        w += f
    gap += now * (w + 0.5 * a * now)
    w += a * now
    if gap <= SIMULTANEOUS * dt * abs(w):  # it touches: now, or when it returns here
        wait = 0.0 if w < 0.0 else (-2.0 * w / a if a < 0.0 else inf)
    else:  # the first root of φ + w t + ½ a t², without cancellation
        root = w * w - 2.0 * a * gap
        rate = sqrt(root) - w if root > 0.0 else 0.0
        wait = 2.0 * gap / rate if rate > 0.0 else inf
    return now + wait if now + wait <= dt else inf


@kernel
def rebound_speed(work, c, approach):
    """Return the speed at which contact c separates after an impact [m/s]; 0: it does not."""
    restitution = work.contact_restitution[c]
    return rebound_velocity(approach, restitution, work.contact_threshold[c], work.contact_loss[c])


@kernel
def speed_after_impact(model, work, c, time, dt, is_midpoint):
    """Return the speed at which contact c separates after an impact at a time [m/s]; −1: no impact.

    It is 0 if the forces of the step would reverse it within the step: so bouncing ends.
    """
    approach = -impact_velocity(model, work, c, time, dt, is_midpoint)[2]
    if approach <= SLOW_IMPACT:
        return -1.0
    bounce = rebound_speed(work, c, approach)
    pull = -work.contact_push[c, 2]
    return bounce if bounce > 0.0 and 2.0 * bounce >= pull * (1.0 - time / dt) else 0.0


@kernel
def next_impact(model, work, t, now, dt, is_midpoint):
    """Return the next impact in island t: index of the contact in the island (−1: none), and time."""
    first = -1
    earliest = inf
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        if work.contact_restitution[c] == 0.0:
            continue
        time = closing_time(model, work, c, now, dt, is_midpoint)
        if time < earliest and speed_after_impact(model, work, c, time, dt, is_midpoint) >= 0.0:
            first = k
            earliest = time
    return first, earliest


@kernel
def gather_impact(model, work, t, k, now, time, dt, is_midpoint):
    """Find the contacts of the pair at index k that meet at the same time; return their range of indices.

    Sets `contact_shift` to the speed after the impact (−1: not part of it), `contact_spin_guess` to the
    velocity before it, and `contact_estimate` to zero impulse.

    Writes: work.
    """
    c = work.island_contact[k]
    low = k
    while low > work.island_contact_start[t] and is_same_pair(work, c, work.island_contact[low - 1]):
        low -= 1
    high = k + 1
    while high < work.island_contact_start[t + 1] and is_same_pair(work, c, work.island_contact[high]):
        high += 1
    for place in range(low, high):
        j = work.island_contact[place]
        work.contact_shift[j] = -1.0
        vec.store(work.contact_estimate, j, ZERO)
        if work.contact_compliance[j, 2] > 0.0:  # compliant: no impact
            continue
        if closing_time(model, work, j, now, dt, is_midpoint) <= time + SIMULTANEOUS * dt:
            work.contact_shift[j] = speed_after_impact(model, work, j, time, dt, is_midpoint)
        vec.store(work.contact_spin_guess, j, impact_velocity(model, work, j, time, dt, is_midpoint))
    return low, high


@kernel
def solve_impact(model, work, low, high, part, still, time, dt, is_midpoint):
    """Find the impulses of one impact with a part of its restitution; return the energy that they add [J].

    still: change of a velocity at which the sweeps end [m/s].

    Writes: work.
    """
    for _ in range(SWEEPS):
        change = 0.0
        for place in range(low, high):
            c = work.island_contact[place]
            if work.contact_shift[c] < 0.0:
                continue
            g = spatial.load(work.contact_delassus, c)
            before = vec.load(work.contact_estimate, c)
            w = impact_velocity(model, work, c, time, dt, is_midpoint)
            x, y, z = vec.add(vec.sym_vec(g, vec.neg(before)), w)
            free = (x, y, z - part * work.contact_shift[c])
            after = coulomb_cone.solve_contact(g, free, work.contact_friction[c], before)
            step = vec.sub(after, before)
            add_impulse_response(model, work, work.contact_row, c, step, work.impact_response)
            vec.store(work.contact_estimate, c, after)
            change = max(change, abs(step[2]) * g[2])
        if change <= still:
            break
    gained = 0.0
    for place in range(low, high):
        c = work.island_contact[place]
        after = impact_velocity(model, work, c, time, dt, is_midpoint)
        mean = vec.scale(0.5, vec.add(vec.load(work.contact_spin_guess, c), after))
        gained += vec.dot(vec.load(work.contact_estimate, c), mean)
    return gained


@kernel
def resolve_impact(model, work, t, k, now, time, dt, is_midpoint):
    """Solve the impact of the contact at index k and of those that meet at the same time.

    Friction and restitution of coupled bodies may add energy (Kane 1984): the restitution is then halved
    until they do not; without restitution they never do.

    Writes: work.
    """
    low, high = gather_impact(model, work, t, k, now, time, dt, is_midpoint)
    c = work.island_contact[k]
    speed = work.contact_spin_guess[c, 2]
    still = SWEEP_TOLERANCE * abs(speed)
    small = ROUND_OFF * speed * speed / work.contact_delassus[c, 2]
    part = 1.0
    for n in range(HALVINGS + 1):
        if solve_impact(model, work, low, high, part, still, time, dt, is_midpoint) <= small:
            break
        if n < HALVINGS:
            part = 0.5 * part if n < HALVINGS - 1 else 0.0
            for place in range(low, high):  # without its impulses
                c = work.island_contact[place]
                impulse = vec.neg(vec.load(work.contact_estimate, c))
                add_impulse_response(model, work, work.contact_row, c, impulse, work.impact_response)
                vec.store(work.contact_estimate, c, ZERO)
    middle = 0.5 * dt if is_midpoint else 0.0
    for place in range(low, high):
        c = work.island_contact[place]
        impulse = vec.load(work.contact_estimate, c)
        lead = middle - time
        if work.contact_shift[c] == 0.0:  # it stays: place it on the surface
            above = work.contact_gap[c] + impact_opening(model, work, c)
            lead = min(max(above / work.contact_spin_guess[c, 2], -dt), dt)
        add_impulse_response(model, work, work.contact_row, c, vec.scale(lead, impulse), work.impact_shift)
        vec.store(work.contact_impact, c, vec.add(vec.load(work.contact_impact, c), impulse))


@kernel
def resting_target(work, c, shift, dt):
    """Return the target of contact c if it rests, after its impacts have opened it by `shift` [m]."""
    before = work.contact_gap[c] + work.gap_allowance[c]
    gap = before + shift
    bend = work.contact_drift[c, 2]
    if shift == 0.0:
        return work.contact_rest[c]
    if gap >= 0.0:
        return -gap / dt - bend
    asked = work.contact_rest[c] + bend
    return (asked * min(gap / before, 1.0) if before < 0.0 else 0.0) - bend


@kernel
def reset_targets(model, work, t, dt):
    """Set velocities and targets of island t to those after its impacts.

    Writes: work.
    """
    table = work.contact_row
    for c in contacts_in(work, t):
        w = add_row_response(model, work, table, c, work.impact_response, vec.load(work.contact_vel, c))
        target = work.contact_target[c]
        bend = vec.load(work.contact_drift, c)
        if work.contact_compliance[c, 2] == 0.0:
            target = resting_target(work, c, impact_opening(model, work, c), dt)
            bounce = rebound_speed(work, c, bend[2] - w[2])
            if bounce > 0.0 and -w[2] > SLOW_IMPACT:
                target = NO_TARGET
        work.contact_start[c, 0] = w[0] + bend[0]
        work.contact_start[c, 1] = w[1] + bend[1]
        set_target(work, c, target, w[2])
        if work.contact_is_spun[c] == 1:
            start = vec.load(work.contact_spin_start, c)
            turned = add_row_response(model, work, work.contact_spin_row, c, work.impact_response, start)
            vec.store(work.contact_spin_start, c, turned)
    for n in scalars_in(work, t):
        start = work.scalar_start[n]
        work.scalar_start[n] = add_scalar_row_response(model, work, n, work.impact_response, start)


@kernel
def propagate_impacts(model, work, t, is_midpoint, dt):
    """Process the impacts of island t in order of time; return False if they do not end.

    Writes: work.
    """
    most = MAX_IMPACTS * len(contacts_in(work, t))
    for c in contacts_in(work, t):
        push = add_row_response(model, work, work.contact_row, c, work.free_response, ZERO)
        vec.store(work.contact_push, c, push)
    now = 0.0
    k = 0
    for _ in range(most):
        k, time = next_impact(model, work, t, now, dt, is_midpoint)
        if k < 0:
            break
        resolve_impact(model, work, t, k, now, time, dt, is_midpoint)
        now = time
        work.impact_count[0] += 1
    reset_targets(model, work, t, dt)
    return k < 0
