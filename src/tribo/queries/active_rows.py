"""Which contacts and scalar rows act in a step, and whether their laws are those of `step_tangents`."""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import (
    ROUND_OFF_BAND,
    TARGET_DEAD_BAND,
    beyond_deadband,
    forced_velocity,
    gap_correction,
    impact_speed,
    parting_speed,
    rest_target,
    speed_to_open,
    step_speed,
)
from tribo.contact.problem.islands import is_same_pair
from tribo.contact.problem.scalar_rows import constraint_of_row, is_coupling_row
from tribo.dynamics.actuation import within_effort
from tribo.dynamics.articulated import dof_count
from tribo.dynamics.couplings import part_slope
from tribo.enums import Bounce, CouplingDrive, CouplingSlot, SurfaceKind
from tribo.math import vec
from tribo.model import Integrator, Pair, Slot
from tribo.queries.contact_tangents import (
    force_row,
    is_known,
    is_moved_by,
    origin_of,
    pushed_ends,
    surfaces_of,
)
from tribo.queries.tangents import Count, Obstacle, differs, object_to

COUPLING_SLOTS = len(CouplingSlot)

TOUCHES = 1e-9  # [m, rad] gap within which a contact touches: its target has a corner at 0
NO_MOTION = 1e-12  # [–, m] norm of a contact row below which no dof moves along it
STICK_MARGIN = 1e-9  # [–] of its bound: margin of the impulse of a sticking contact
LAW_TOLERANCE = 1e-7  # [–] of the speeds in a row: admissible violation of its law


@kernel
def choose_contacts(model, settings, work, tangents):
    """List the contacts that press; note those whose rows are not known here.

    Writes: tangents.
    """
    count = 0
    for c in range(work.contact_count[0]):
        a = work.contact_body[c, 0]
        if work.contact_is_soft[c] != 0:
            object_to(tangents, Obstacle.COMPLIANT, c)
        if work.contact_is_resting[c] == 1:
            object_to(tangents, Obstacle.RESTS, a)
        if work.contact_impulse[c, 2] <= 0.0:
            continue
        for k in range(3):
            if work.contact_compliance[c, k] != 0.0:
                object_to(tangents, Obstacle.COMPLIANT, c)
        if work.adhesion_impulse[c] > 0.0:
            object_to(tangents, Obstacle.COMPLIANT, c)
        if work.contact_travel[c, 0] != 0.0 or work.contact_travel[c, 1] != 0.0:
            object_to(tangents, Obstacle.AHEAD, c)
        if work.contact_travel[c, 2] != 0.0 or work.contact_travel[c, 3] != 0.0:
            object_to(tangents, Obstacle.AHEAD, c)
        for side in range(2):
            body = work.contact_body[c, side]
            if model.body_chain_len[body] > 0 and work.contact_len[c, side] == 0:
                object_to(tangents, Obstacle.CARRIER, body)
        if not fit(work, c, surfaces_of(model, work, c)):
            object_to(tangents, Obstacle.SURFACES, c)
        x, y, z = vec.load(work.contact_impulse, c)
        bound = work.contact_friction[c] * z
        tangents.contact[count] = c
        tangents.slips[count] = 0
        if x * x + y * y >= bound * bound * (1.0 - STICK_MARGIN):
            tangents.slips[count] = 1
            table = model.pair_table
            one = model.shape_material[work.contact_shape[c, 0]]
            other = model.shape_material[work.contact_shape[c, 1]]
            if table[one, other, Pair.STATIC_FRICTION] != table[one, other, Pair.FRICTION]:
                object_to(tangents, Obstacle.STATIC_FRICTION, c)
        gap_slopes(model, settings, work, tangents, count)
        find_sag(model, settings, work, tangents, count)
        count += 1
    if work.friction_count[0] > 0:
        object_to(tangents, Obstacle.BOX_FRICTION, 0)
    tangents.counts[Count.CONTACTS] = count


@kernel
def fit(work, c, surfaces):
    """Tell whether it is known how contact c goes over its two surfaces: not both flat, nor both corners."""
    ha, hb = surfaces
    if not (is_known(ha) and is_known(hb)):
        return False
    if ha[0] == SurfaceKind.FLAT or hb[0] == SurfaceKind.FLAT:
        return ha[0] != hb[0]
    return ha[1] + hb[1] + work.contact_gap[c] > TOUCHES


@kernel
def find_sag(model, settings, work, tangents, k):
    """Note the contact of its pair as far as which contact number k sags: itself, or the deepest.

    Writes: tangents.
    """
    c = tangents.contact[k]
    tangents.sag_of[k] = c
    own = -0.25 * settings.dt * work.contact_drift[c, 2]
    if settings.integrator == Integrator.SEMI_IMPLICIT or not differs(own, work.gap_allowance[c], 0.0):
        return
    tangents.sag_of[k] = -1
    for d in range(work.contact_count[0]):
        own = -0.25 * settings.dt * work.contact_drift[d, 2]
        if is_same_pair(work, c, d) and not differs(own, work.gap_allowance[c], 0.0):
            tangents.sag_of[k] = d
    d = tangents.sag_of[k]
    if d < 0 or not fit(work, d, surfaces_of(model, work, d)):
        object_to(tangents, Obstacle.SAG, c)


@kernel
def asked_of(settings, work, c):
    """Return the least velocity w* of contact c, which does not rebound, before β [m/s].

    See `contact_targets.set_contact_target`.
    """
    gap = work.contact_gap[c] + work.gap_allowance[c]
    if not gap < 0.0:
        return rest_target(gap, settings)
    asked = beyond_deadband(gap_correction(settings, gap), ROUND_OFF_BAND * step_speed(settings))
    return asked - work.contact_correction[c]


@kernel
def gap_slopes(model, settings, work, tangents, k):
    """Write how what contact number k asks for changes with its gap, where that grows and where it falls.

    An open gap may close, g + dt w ≥ 0; what overlaps opens by a part `erp` of it: by a velocity of at most a
    tenth of what forces undo, and by a shift. One that rebounds has the slopes of its law.

    Writes: tangents.
    """
    c = tangents.contact[k]
    gap = work.contact_gap[c] + work.gap_allowance[c]
    tangents.bounce_slope[k, 0] = tangents.bounce_slope[k, 1] = 0.0
    opens = -1.0 / settings.dt
    closes = -settings.erp / settings.dt
    if gap_correction(settings, gap) >= settings.max_push_out_speed:
        closes = 0.0
    for m in range(3):
        tangents.law_slope[k, m] = 0.0
    tangents.shift_slope[k, 0] = tangents.shift_slope[k, 1] = 0.0
    grows = falls = opens
    if work.contact_bounce[c] > 0.0:
        grows = falls = 0.0
        _, slopes, by_pair = rebound_slopes(model, settings, work, c)
        vec.store(tangents.law_slope, k, (slopes[1], slopes[2], slopes[0]))
        tangents.bounce_slope[k, 0], tangents.bounce_slope[k, 1] = by_pair
    elif gap < -TOUCHES:
        grows = falls = closes if work.contact_target[c] > -inf else 0.0
        if work.contact_correction[c] > 0.0:
            tangents.shift_slope[k, 0] = tangents.shift_slope[k, 1] = grows
            grows = falls = 0.0
            if asked_of(settings, work, c) > 0.0:
                tangents.law_slope[k, 1] = -TARGET_DEAD_BAND
    elif gap <= TOUCHES and speed_to_open(model, settings, work, c) == 0.0:
        falls, tangents.shift_slope[k, 1] = 0.0, closes
    elif gap <= TOUCHES:
        falls = closes
    tangents.gap_slope[k, 0] = grows
    tangents.gap_slope[k, 1] = falls


@kernel
def rebound_slopes(model, settings, work, c):
    """Return w* of contact c, which rebounds, by gap, speed before forces and push, by e and its threshold.

    `contact_targets.impact_speed`, `.rebound_velocity` and `.parting_speed`; push: the speed that forces add.
    """
    table = model.pair_table
    one = model.shape_material[work.contact_shape[c, 0]]
    other = model.shape_material[work.contact_shape[c, 1]]
    e = min(1.0, table[one, other, Pair.RESTITUTION] + settings.erp2)
    loss = 0.0 if settings.bounce == Bounce.GATE else table[one, other, Pair.RESTITUTION_THRESHOLD]
    gap = max(0.0, work.contact_gap[c] + work.gap_allowance[c])
    is_open = 1.0 if gap > 0.0 else 0.0
    dt = settings.dt
    z = work.contact_vel[c, 2] - work.contact_drift[c, 2]
    push = forced_velocity(model, work, c)
    u = impact_speed(gap, z, push, dt)
    bounce = e * (u - loss)
    w = parting_speed(gap, bounce, push, dt)
    root = w - 0.5 * push
    if not (u > 0.0 and root > 0.0):
        return w, (0.0, 0.0, inf), (0.0, 0.0)
    by_bounce = bounce / root
    by_u = 0.5 * e * by_bounce / u
    slopes = (
        is_open * push / dt * (1.0 / root - 2.0 * by_u),
        by_u * (2.0 * z + push),
        0.5 + (0.25 * push + gap / dt) / root + by_u * (z - 2.0 * gap / dt),
    )
    by_loss = 0.0 if settings.bounce == Bounce.GATE else -e * by_bounce
    return w, slopes, ((u - loss) * by_bounce, by_loss)


@kernel
def choose_scalars(model, settings, work, tangents):
    """List the scalar rows that act: stops that press, dry friction that holds; note all others.

    Writes: tangents.
    """
    count = 0
    for n in range(work.scalar_count[0]):
        impulse = work.scalar_impulse[n]
        lower, upper = work.scalar_lower[n], work.scalar_upper[n]
        i = work.scalar_body[n, 0]
        for k in range(model.dof_body.shape[0]):
            tangents.row_by[n, k] = 0.0
        if constraint_of_row(model, work, n) >= 0:
            object_to(tangents, Obstacle.CONSTRAINT, n)
            continue
        if is_coupling_row(model, work, n):
            count += choose_coupling(model, settings, work, tangents, n, count)
            continue
        place = work.scalar_slot[n] - model.joint_slot[i]
        dof = model.joint_v[i]
        turns = dof_count(model.joint_type[i])
        is_stop = place == Slot.LIMIT and turns == 1
        is_dry = Slot.FRICTION <= place < Slot.FRICTION + turns
        if is_dry:
            dof += place - Slot.FRICTION
        driven = dof + ((place - Slot.FRICTION) % turns if place >= Slot.FRICTION + turns else 0)
        tangents.row_by[n, driven] = 1.0
        if place >= Slot.FRICTION + turns:  # a drive at a limit: a constant force, if its bound acts
            if not (impulse <= lower or impulse >= upper) or work.scalar_compliance[n] == 0.0:
                object_to(tangents, Obstacle.JOINT_ROW, i)
            continue
        if impulse == 0.0 and not is_dry:  # a stop that is not reached
            w = work.next_v[dof] - work.scalar_target[n]
            if lower < 0.0:
                w = -w
            if not is_stop or not w > LAW_TOLERANCE * (abs(work.next_v[dof]) + abs(work.scalar_target[n])):
                object_to(tangents, Obstacle.AT_STOP if is_stop else Obstacle.JOINT_ROW, i)
            continue
        if not (is_stop or is_dry) or work.scalar_compliance[n] > 0.0:
            object_to(tangents, Obstacle.JOINT_ROW, i)
            continue
        at_lower = lower < 0.0 and impulse <= lower * (1.0 - STICK_MARGIN)
        at_upper = upper > 0.0 and impulse >= upper * (1.0 - STICK_MARGIN)
        if at_lower or at_upper:
            if is_stop:
                object_to(tangents, Obstacle.JOINT_ROW, i)
            continue  # it slips: a constant force
        list_scalar(tangents, n, count)
        if is_stop:
            tangents.scalar_side[count] = side = 1.0 if impulse > 0.0 else -1.0
            q = work.mid_q[model.joint_q[i]]
            stop_slopes(
                settings, tangents, count,
                q - model.joint_lower[i] if side > 0.0 else model.joint_upper[i] - q,
            )  # fmt: skip
        count += 1
    tangents.counts[Count.SCALARS] = count


@kernel
def list_scalar(tangents, n, count):
    """Note scalar row n as number `count` of those that act; what it asks for does not change.

    Writes: tangents.
    """
    place = tangents.counts[Count.CONTACTS] + count
    for k in range(2):
        tangents.gap_slope[place, k] = tangents.shift_slope[place, k] = 0.0
    tangents.scalar[count] = n
    tangents.scalar_side[count] = tangents.scalar_by_speed[count] = 0.0
    tangents.scalar_is_held[count] = 0


@kernel
def closing_slope(settings, gap):
    """Return how the correction of a gap changes with it [1/s]."""
    is_most = gap_correction(settings, -abs(gap)) >= settings.max_push_out_speed
    return 0.0 if is_most else -settings.erp / settings.dt


@kernel
def stop_slopes(settings, tangents, count, gap):
    """Write how what a stop asks for changes with its gap, where that grows and where it falls.

    An open stop may be reached, one that is passed is left in the positions alone.

    Writes: tangents.
    """
    place = tangents.counts[Count.CONTACTS] + count
    opens, closes = -1.0 / settings.dt, closing_slope(settings, gap)
    tangents.gap_slope[place, 0] = opens if gap >= -TOUCHES else 0.0
    tangents.gap_slope[place, 1] = opens if gap > TOUCHES else 0.0
    tangents.shift_slope[place, 0] = closes if gap < -TOUCHES else 0.0
    tangents.shift_slope[place, 1] = closes if gap <= TOUCHES else 0.0


@kernel
def choose_coupling(model, settings, work, tangents, n, count):
    """List scalar row n, of a coupling that is linear in the joints; return 1 if it acts, 0 otherwise.

    An impulse at a bound is a constant force. Its spring, damper and drive are rows with a compliance, whose
    target changes with φ and with J v (`spring_rows.set_law`).

    Writes: tangents.
    """
    slot, i = work.scalar_slot[n], work.scalar_body[n, 0]
    c = 0
    while not 0 <= slot - model.coupling_slot[c] < COUPLING_SLOTS:
        c += 1
    kind = slot - model.coupling_slot[c]
    curve = model.coupling_curve
    is_bent = curve[c, 2] != 0.0 or curve[c, 3] != 0.0 or curve[c, 4] != 0.0
    if is_bent or model.coupling_path[c, 0] < model.coupling_path[c, 1]:
        object_to(tangents, Obstacle.CONSTRAINT, n)
        return 0
    phi = -curve[c, 0]
    for k in range(model.coupling_term[c, 0], model.coupling_term[c, 1]):
        by = model.term_factor[k] * part_slope(model.term_part[k], curve[c, 1])
        tangents.row_by[n, model.term_dof[k]] += by
        phi += by * work.mid_q[model.term_q[k]]
    lower, upper, impulse = work.scalar_lower[n], work.scalar_upper[n], work.scalar_impulse[n]
    w = -work.scalar_target[n]
    size = abs(w)
    for k in range(model.dof_body.shape[0]):
        w += tangents.row_by[n, k] * work.next_v[k]
        size += abs(tangents.row_by[n, k] * work.next_v[k])
    dof = model.term_dof[model.coupling_term[c, 0]]
    is_bound = impulse <= lower * (1.0 - STICK_MARGIN) or impulse >= upper * (1.0 - STICK_MARGIN)
    if kind == CouplingSlot.DRIVE and model.dof_effort_is_total[dof] != 0:  # bounds go with other forces
        if is_bound or within_effort(model, dof, work.feed_forward[dof]) != work.feed_forward[dof]:
            object_to(tangents, Obstacle.ACTUATOR, i)
            return 0
    if lower == upper or is_bound:
        is_open = (w > 0.0) if impulse <= lower else (w < 0.0)
        if lower < upper and not (is_open and abs(w) > LAW_TOLERANCE * size):
            object_to(tangents, Obstacle.AT_STOP, i)
        return 0
    if not abs(w + work.scalar_compliance[n] * impulse) <= LAW_TOLERANCE * size:
        object_to(tangents, Obstacle.MISMATCH, i)
    list_scalar(tangents, n, count)
    place = tangents.counts[Count.CONTACTS] + count
    by_gap = by_speed = 0.0
    is_midpoint = 1.0 if settings.integrator != Integrator.SEMI_IMPLICIT else 0.0
    end = settings.dt * (1.0 - 0.5 * is_midpoint)
    if kind == CouplingSlot.HOLD:
        low, high = model.coupling_range[c, 0], model.coupling_range[c, 1]
        tangents.scalar_side[count] = side = 1.0 if low == high or impulse > 0.0 else -1.0
        if low == high:
            tangents.scalar_is_held[count] = 1
            closes = closing_slope(settings, phi - low)
            tangents.shift_slope[place, 0] = tangents.shift_slope[place, 1] = closes
        else:
            stop_slopes(settings, tangents, count, phi - low if side > 0.0 else high - phi)
    elif kind == CouplingSlot.SPRING:
        if lower == 0.0 or upper == 0.0:
            object_to(tangents, Obstacle.CONSTRAINT, n)  # it may be slack at the beginning of the step
        by_gap, by_speed = -2.0 / end, is_midpoint * 0.5 * settings.dt / end
    elif kind == CouplingSlot.DAMPER:
        heavy = model.coupling_inertia[c] / settings.dt
        by_speed = heavy / (model.coupling_damping[c] + heavy)
    elif kind == CouplingSlot.DRIVE:
        k = work.coupling_drive[c, CouplingDrive.STIFFNESS]
        by_gap = -k / (k * end + work.coupling_drive[c, CouplingDrive.DAMPING])
    if kind != CouplingSlot.HOLD:
        tangents.gap_slope[place, 0] = tangents.gap_slope[place, 1] = by_gap
        tangents.scalar_by_speed[count] = by_speed
    return 1


@kernel
def take_scalar(model, work, tangents, place, at, at_v, at_gap):
    """Write the row of a stop that presses, of dry friction that holds, or of a coupling.

    Writes: tangents.
    """
    n = tangents.scalar[place]
    side = tangents.scalar_side[place] if tangents.scalar_side[place] != 0.0 else 1.0
    gap = tangents.counts[Count.CONTACTS] + place
    for j in range(model.dof_body.shape[0]):
        by = tangents.row_by[n, j]
        tangents.gap_by_q[gap, j] = side * by
        tangents.gap_by_v[gap, j] = tangents.gap_by_mean[gap, j] = 0.0
        tangents.system[at, j] = by
        tangents.system[j, at] = -by
        tangents.system[at, at_v + j] = tangents.scalar_by_speed[place] * by
    tangents.system[at, at] = work.scalar_compliance[n]
    tangents.system[at, at_gap + gap] = side


@kernel
def slip_of(model, work, tangents, at, c):
    """Return the velocity with which contact c ends the step along its tangents."""
    u, v = work.contact_drift[c, 0], work.contact_drift[c, 1]
    for k in range(model.dof_body.shape[0]):
        u += tangents.system[at, k] * work.next_v[k]
        v += tangents.system[at + 1, k] * work.next_v[k]
    return u, v


@kernel
def check_contact(model, settings, work, tangents, place, at):
    """Note a contact whose rows do not end the step as its law says, or which may end to do so.

    Writes: tangents.
    """
    c = tangents.contact[place]
    u, v = slip_of(model, work, tangents, at, c)
    wanted = asked_of(settings, work, c)
    if work.contact_bounce[c] > 0.0:
        wanted, slopes, _ = rebound_slopes(model, settings, work, c)
        if slopes[2] == inf:
            object_to(tangents, Obstacle.BORDER, c)
        if tangents.stage[0] > 0:  # forces have been taken anew, what it asks for has not
            wanted = work.contact_target[c] + work.contact_drift[c, 2]
    wanted -= work.contact_drift[c, 2]
    if differs(wanted, work.contact_target[c], abs(work.contact_vel[c, 2])):
        object_to(tangents, Obstacle.MISMATCH, c)
    normal = 0.0
    size = step_speed(settings) + abs(work.contact_target[c])
    for k in range(model.dof_body.shape[0]):
        x = tangents.system[at + 2, k] * work.next_v[k]
        normal += x
        size += abs(x)
    if not abs(normal - work.contact_target[c]) <= LAW_TOLERANCE * size:
        object_to(tangents, Obstacle.MISMATCH, c)
    if tangents.slips[place] == 0:
        if not sqrt(u * u + v * v) <= LAW_TOLERANCE * size:
            object_to(tangents, Obstacle.MISMATCH, c)
    elif work.contact_friction[c] > 0.0 and not sqrt(u * u + v * v) > LAW_TOLERANCE * size:
        object_to(tangents, Obstacle.BORDER, c)


@kernel
def check_open(model, work, tangents):
    """Note a contact without an impulse that is about to press: the step ends with it on its way to close.

    One along which nothing moves, as under a slide that is parallel to the floor, stays as it is.

    Writes: tangents.
    """
    for c in range(work.contact_count[0]):
        if work.contact_impulse[c, 2] > 0.0 or work.contact_is_soft[c] != 0:
            continue
        pa, pb = pushed_ends(work, c)
        n = (work.contact_axes[c, 6], work.contact_axes[c, 7], work.contact_axes[c, 8])
        speed = size = 0.0
        for dof in range(model.dof_body.shape[0]):
            by = 0.0
            for side in range(2):
                body = work.contact_body[c, side]
                if is_moved_by(model, body, dof):
                    arm = vec.sub(pa if side == 0 else pb, origin_of(model, work, body))
                    by += force_row(work, dof, n if side == 0 else vec.neg(n), arm)
            speed += by * work.next_v[dof]
            size += abs(by)
        if size <= NO_MOTION:
            continue
        target = work.contact_target[c]
        if not speed - target > LAW_TOLERANCE * (abs(speed) + abs(target)):
            object_to(tangents, Obstacle.BORDER, c)
