"""Rows of pins, welds, hinges, motors, locks and wires between two bodies, or a body and the world.

A hard row takes back what a step opens (`attachments`); all else is closed in the positions at the end of the
step (`position_pass`, `position_projection`). A row with a compliance ε > 0 is a spring with the stiffness
1/ε and the damping τ/ε, τ its spook damping, taken implicitly (`src/tribo/contact/problem/spook.py`).
"""

from math import atan2, floor, inf, pi, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.constraints import breaking, constraint_work, lengths
from tribo.contact.constraints.attachments import (
    ZERO,
    attached_motion,
    body_frame,
    end_curvature,
    free_end_speed,
    hard_target,
    midstep_sag,
    place_ends,
)
from tribo.contact.constraints.constraint_work import ANGULAR
from tribo.contact.problem import scalar_rows
from tribo.contact.problem.spook import close_soft_row
from tribo.dynamics.tied_drift import PLACE
from tribo.dynamics.tied_groups import is_in_loop, tied_tree
from tribo.enums import Memory, Tuning
from tribo.math import quat, vec
from tribo.model import Constraint, Status

CAPACITY = int(Status.CAPACITY)
TIME_STEP_TOO_LONG = int(Status.TIME_STEP_TOO_LONG)
JOINT = int(Constraint.JOINT)
LENGTH = int(Constraint.LENGTH)
MOTOR = int(Constraint.MOTOR)
WINCH = int(Constraint.WINCH)
IS_CAUGHT, IS_IDLE = int(Memory.IS_CAUGHT), int(Memory.IS_IDLE)
ERP = int(Tuning.ERP)
SPEED = int(Tuning.SPEED)
POSITION = int(Tuning.POSITION)
FORCE = int(Tuning.FORCE)
BACK_FORCE = int(Tuning.BACK_FORCE)
COMPLIANCE = int(Tuning.COMPLIANCE)
ANGULAR_COMPLIANCE = int(Tuning.ANGULAR_COMPLIANCE)
SPOOK_DAMPING = int(Tuning.SPOOK_DAMPING)
ANGULAR_SPOOK_DAMPING = int(Tuning.ANGULAR_SPOOK_DAMPING)
IS_ON = int(Tuning.IS_ON)

ROUNDING = 1e-7  # [–] R of a hard row over G: what is redundant or singular gets a finite impulse
WEAK = 1e-6  # [–] of the largest G of like rows: one whose own is that asks for half of what closes its gap
SMALL = 1e-4  # [–] sine of an angle between axes that is the angle, to 1e-9 of it
CLOSED = 0.1  # [–] of the bend of a curve in a step: a tie that is wider open is to close
PARTING = 0.5  # [–] of the velocity by which it bends in a step: ends that part faster are to meet
ROUNDED = 1e-6  # [–] of the velocity of its bodies: a bend of less is as good as none
WHIRL = 0.2  # [rad] in a step: a pin that goes round faster gains or loses energy
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def open_force(model, work, slot, a, b, point, direction):
    """Begin a row that pushes body a along a direction, and body b back, at a point; −1: no room.

    Writes: work.
    """
    n = scalar_rows.open_row(model, work, slot, a, b)
    if n >= 0:
        scalar_rows.add_force_along(model, work, n, 0, point, direction)
        scalar_rows.add_force_along(model, work, n, 1, point, vec.neg(direction))
    return n


@kernel
def open_torque(model, work, slot, a, b, direction):
    """Begin a row that turns body a about a direction, and body b back; −1: no room.

    Writes: work.
    """
    n = scalar_rows.open_row(model, work, slot, a, b)
    if n >= 0:
        scalar_rows.add_torque(model, work, n, 0, direction)
        scalar_rows.add_torque(model, work, n, 1, vec.neg(direction))
    return n


@kernel
def relax_singular_rows(work, first):
    """Let rows from the first on that hardly anything moves, next to the others, close less of their gaps.

    Any speed takes an impulse without bound there: they ask for the part G/(G + `WEAK` · largest G) of it.

    Writes: work.
    """
    largest = 0.0
    for n in range(first, work.scalar_count[0]):
        largest = max(largest, work.scalar_delassus[n])
    for n in range(first, work.scalar_count[0]):
        less = WEAK * largest / (work.scalar_delassus[n] + WEAK * largest)
        less *= work.scalar_correction[n]
        speed = work.scalar_start[n] + work.scalar_target[n]
        scalar_rows.set_row_target(work, n, work.scalar_target[n] - less, speed)
        work.scalar_correction[n] -= less


@kernel
def add_locked_rows(model, state, command, settings, work, c, first, point, axes, gap, curve, drift, sag):
    """Build the rows of those of three directions that constraint c locks: along its axes, or about them.

    first: 0 or ANGULAR. gap, curve: how far A is off and how that bends, world; drift, sag: `hard_target`.

    Writes: work.
    """
    a = model.constraint_body[c, 0]
    b = model.constraint_body[c, 1]
    erp = command.constraint[c, ERP]
    reach = erp * settings.dt * settings.dt * vec.norm(curve)
    compliance = command.constraint[c, ANGULAR_COMPLIANCE if first == ANGULAR else COMPLIANCE]
    damping = command.constraint[c, ANGULAR_SPOOK_DAMPING if first == ANGULAR else SPOOK_DAMPING]
    start = work.scalar_count[0]
    for k in range(3):
        if model.constraint_locked[c] & (1 << (first + k)) == 0:
            continue
        slot = model.constraint_slot[c] + first + k
        u = vec.mat_col(axes, k)
        if first == ANGULAR:
            n = open_torque(model, work, slot, a, b, u)
        else:
            n = open_force(model, work, slot, a, b, point, u)
        if n < 0:
            return
        if compliance > 0.0:
            close_soft_row(model, state, settings, work, n, vec.dot(u, gap), compliance, damping, -inf, inf)
            continue
        faster, lower = vec.dot(u, drift), vec.dot(u, sag)
        parts = free_end_speed(model, settings, work, c, n, vec.norm(curve))
        if work.tie_is_workless[c] == 1:
            faster = constraint_work.trajectory_rate(model, state, settings, work, n)
            lower = vec.dot(u, gap)
        target, correction, shift = hard_target(
            settings, erp, vec.dot(u, gap), faster, lower, reach, parts, False
        )
        scalar_rows.close_row(model, state, work, n, target, -inf, inf, 0.0)
        work.scalar_reach[n] = reach
        work.scalar_gap[n] = vec.dot(u, gap)
        work.scalar_correction[n], work.scalar_shift[n] = correction, shift
    relax_singular_rows(work, start)


@kernel
def is_whirling(model, settings, body, acceleration, arm):
    """Tell whether a loose body turns the arm on which a constraint holds it too far in a step.

    dt² ω² r is more than a part of r; a wheel on its axle has no arm.
    """
    if body < 0 or model.tree_is_single[model.body_tree[body]] == 0:
        return False
    bend = settings.dt * settings.dt * vec.norm(acceleration)
    return bend > WHIRL * WHIRL * vec.norm(arm)


@kernel
def follows_ends(model, work, c):
    """Tell whether the rows of constraint c follow its two ends to where these are at the same place.

    They do if it locks all three directions, one of its bodies turns, and its ties form no loop.
    """
    if model.constraint_locked[c] & PLACE != PLACE or work.tied_turns[0] == 0:
        return False
    is_tied = max(tied_tree(model, 2 * c), tied_tree(model, 2 * c + 1)) >= 0
    return is_tied and not is_in_loop(model, work, c)


@kernel
def constraint_curvature(model, state, settings, work, c):
    """Return how the gaps of constraint c, of its place and of its attitude, bend if nothing pushes."""
    a = model.constraint_body[c, 0]
    b = model.constraint_body[c, 1]
    point, _ = body_frame(model, work.body_pos, work.body_rot, c, 1)
    va, wa, aa, alpha_a = attached_motion(model, state, settings, work, a, point)
    vb, wb, ab, alpha_b = attached_motion(model, state, settings, work, b, point)
    turn = vec.scale(2.0, vec.cross(wa, vec.sub(vb, va)))
    turning = vec.add(vec.sub(alpha_a, alpha_b), vec.cross(vec.sub(wa, wb), wa))
    return vec.add(turn, vec.sub(aa, ab)), turning


@kernel
def is_closed(model, state, command, settings, work, c):
    """Tell whether constraint c is closed as the step begins, and its ends hardly part.

    Hinges and welds of links that turn about one axis do not bend: what is computed as the bend of their
    attitude is rounding, and so are gap and rate. Hence the part of the velocity of the bodies. Springs, as
    directions with a compliance are, may be open.

    Writes: work.
    """
    curve, turning = constraint_curvature(model, state, settings, work, c)
    constraint_work.move_ends(model, state, work, c)
    for first in range(0, 6, 3):
        if command.constraint[c, ANGULAR_COMPLIANCE if first == ANGULAR else COMPLIANCE] > 0.0:
            continue
        size = settings.dt * vec.norm(curve if first == 0 else turning)
        size += ROUNDED * constraint_work.end_speed(model, work, c, first)
        gap = 0.0
        for k in range(first, first + 3):
            if model.constraint_locked[c] & (1 << k) != 0:
                apart = constraint_gap(model, command, work, c, k)
                gap += apart * apart
        if sqrt(gap) > CLOSED * settings.dt * size:
            return False
        if constraint_work.separation_speed(model, work, c, first) > PARTING * size:
            return False
    return True


@kernel
def mark_workless(model, state, command, settings, work):
    """Note which constraints ask that their impulses do no work: all of those that robots share, or none.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        work.tree_tie_works[t] = 0
    is_any = False
    for c in range(model.constraint_kind.shape[0]):
        work.tie_is_workless[c] = 0
        if model.constraint_kind[c] != JOINT or command.constraint[c, IS_ON] == 0.0:
            continue
        if state.constraint_is_broken[c] == 1 or breaking.is_waiting_magnet(state, command, c):
            continue
        if constraint_work.ties_fast_robot(model, state, settings, work, c):
            work.tie_is_workless[c] = 1
            is_any = True
            if not is_closed(model, state, command, settings, work, c):
                constraint_work.mark_working(model, work, c)
    if is_any:
        constraint_work.spread_working(model, work)


@kernel
def write_linkage_rows(model, state, command, settings, work, c):
    """Build the rows of the directions in which constraint c holds its bodies together.

    Writes: work.
    """
    a = model.constraint_body[c, 0]
    b = model.constraint_body[c, 1]
    own, axes = body_frame(model, work.body_pos, work.body_rot, c, 0)
    point, other_axes = body_frame(model, work.body_pos, work.body_rot, c, 1)
    apart = vec.sub(own, point)
    error = relative_turn(model.constraint_locked[c], axes, other_axes)
    if not breaking.is_attached(command, work, c, vec.norm(apart), vec.norm(error)):
        return
    va, wa, aa, alpha_a = attached_motion(model, state, settings, work, a, point)
    vb, wb, ab, alpha_b = attached_motion(model, state, settings, work, b, point)
    arm_a = ZERO if a < 0 else vec.sub(point, vec.load(work.body_pos, a))
    arm_b = ZERO if b < 0 else vec.sub(point, vec.load(work.body_pos, b))
    if is_whirling(model, settings, a, aa, arm_a) or is_whirling(model, settings, b, ab, arm_b):
        work.status[0] |= TIME_STEP_TOO_LONG
    if command.constraint[c, COMPLIANCE] == 0.0:
        work.constraint_memory[c, IS_IDLE] = 0.0
    # As the ends are apart in velocity, and the axes turn.
    turn = vec.scale(2.0, vec.cross(wa, vec.sub(vb, va)))
    curve = vec.add(turn, vec.sub(aa, ab))
    is_exact = follows_ends(model, work, c)
    drift_a, sag_a = end_curvature(model, state, settings, work, 2 * c, point, aa, is_exact)
    drift_b, sag_b = end_curvature(model, state, settings, work, 2 * c + 1, point, ab, is_exact)
    drift, sag = vec.sub(drift_a, drift_b), vec.sub(sag_a, sag_b)
    if not is_exact:
        drift = vec.axpy(0.5 * settings.dt, turn, drift)
        sag = vec.axpy(midstep_sag(settings, 1.0), turn, sag)
    add_locked_rows(model, state, command, settings, work, c, 0, point, axes, apart, curve, drift, sag)
    curve = vec.add(vec.sub(alpha_a, alpha_b), vec.cross(vec.sub(wa, wb), wa))
    drift = vec.scale(0.5 * settings.dt, curve)
    sag = vec.scale(midstep_sag(settings, 1.0), curve)
    add_locked_rows(model, state, command, settings, work, c, ANGULAR, point, axes, error, curve, drift, sag)


@kernel
def relative_turn(locked, axes, other_axes):
    """Return how side A is turned against side B [rad], of which the locked directions count."""
    if locked >> ANGULAR == 7:
        return quat.rotation_vector(vec.mat_mul(axes, transposed(other_axes)))
    z = vec.mat_col(axes, 2)
    other = vec.mat_col(other_axes, 2)
    error = vec.cross(other, z)
    s = vec.norm(error)
    if s < SMALL:  # the angle is its sine, or the axes are opposite and it has no direction
        return error
    return vec.scale(atan2(s, vec.dot(other, z)) / s, error)


@kernel
def transposed(m):
    """Return the transpose of a 3×3 matrix."""
    return (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])


@kernel
def write_motor_row(model, state, command, settings, work, c):
    """Build the row of a motor: speed of body B relative to A, about or along the third axis of A.

    Writes: work.
    """
    a = model.constraint_body[c, 0]
    b = model.constraint_body[c, 1]
    slot = model.constraint_slot[c]
    _, axes = body_frame(model, work.body_pos, work.body_rot, c, 0)
    point, _ = body_frame(model, work.body_pos, work.body_rot, c, 1)
    axis = vec.neg(vec.mat_col(axes, 2))
    if model.constraint_locked[c] & (1 << (ANGULAR + 2)):
        n = open_torque(model, work, slot, a, b, axis)
    else:
        n = open_force(model, work, slot, a, b, point, axis)
    if n >= 0:
        most = settings.dt * command.constraint[c, FORCE]
        back = settings.dt * command.constraint[c, BACK_FORCE]
        speed = command.constraint[c, SPEED]
        slip = command.constraint[c, COMPLIANCE] / settings.dt
        scalar_rows.close_row(model, state, work, n, speed, -back, most, slip)
        work.scalar_reach[n] = scalar_rows.GIVES_WAY


@kernel
def write_lock_row(model, state, command, settings, work, c):
    """Build the row of a lock: angle of body B relative to A about the third axis of A, or place along it.

    Writes: work.
    """
    a = model.constraint_body[c, 0]
    b = model.constraint_body[c, 1]
    slot = model.constraint_slot[c]
    tuning = command.constraint
    own, axes = body_frame(model, work.body_pos, work.body_rot, c, 0)
    point, other = body_frame(model, work.body_pos, work.body_rot, c, 1)
    z = vec.mat_col(axes, 2)
    if model.constraint_locked[c] & (1 << (ANGULAR + 2)):
        x = vec.mat_col(axes, 0)
        along = vec.mat_col(other, 0)
        angle = atan2(vec.dot(vec.cross(x, along), z), vec.dot(x, along))
        gap = angle - tuning[c, POSITION]
        gap -= 2.0 * pi * floor(gap / (2.0 * pi) + 0.5)  # the short way round
        n = open_torque(model, work, slot, a, b, vec.neg(z))
    else:
        gap = vec.dot(vec.sub(point, own), z) - tuning[c, POSITION]
        n = open_force(model, work, slot, a, b, point, vec.neg(z))
    if n < 0:
        return
    most = settings.dt * tuning[c, FORCE]
    back = settings.dt * tuning[c, BACK_FORCE]
    if tuning[c, COMPLIANCE] > 0.0:
        damping = tuning[c, SPOOK_DAMPING]
        close_soft_row(model, state, settings, work, n, gap, tuning[c, COMPLIANCE], damping, -back, most)
    else:
        # A lock is a motor, with a largest force: it closes by a velocity.
        target, correction, _ = hard_target(settings, tuning[c, ERP], gap, 0.0, 0.0, inf, 0.0, False)
        scalar_rows.close_row(model, state, work, n, target, -back, most, 0.0)
        work.scalar_correction[n] = correction
        work.scalar_reach[n] = scalar_rows.GIVES_WAY


@kernel
def regularise_rows(work, first):
    """Give hard rows from the first on a compliance at the level of rounding.

    Of two rows that ask for the same, each then takes its share; of two that contradict one another, each
    gives way (see `residual_report.is_infeasible_row`).

    Writes: work.
    """
    largest = 0.0
    for n in range(first, work.scalar_count[0]):
        largest = max(largest, work.scalar_delassus[n])
    for n in range(first, work.scalar_count[0]):
        if work.scalar_compliance[n] > 0.0:
            continue
        r = ROUNDING * max(work.scalar_delassus[n], ROUNDING * largest)
        work.scalar_compliance[n] = r
        work.scalar_delassus[n] += r


@kernel
def constraint_gap(model, command, work, c, k):
    """Return the gap [m, rad] of row k of constraint c where `place_ends` has put its bodies."""
    kind = model.constraint_kind[c]
    if kind == LENGTH or kind == WINCH:
        rest = lengths.rest_length(model, command, work, c)
        return rest - lengths.end_length(model, work, c)
    own, axes = body_frame(model, work.relative_pos, work.relative_rot, c, 0)
    point, other = body_frame(model, work.relative_pos, work.relative_rot, c, 1)
    if k < ANGULAR:
        return vec.dot(vec.mat_col(axes, k), vec.sub(own, point))
    error = relative_turn(model.constraint_locked[c], axes, other)
    return vec.dot(vec.mat_col(axes, k - ANGULAR), error)


@kernel
def store_gaps(model, state, command, settings, work, c, first):
    """Note how wide open constraint c, whose rows begin at `first`, was when the step began.

    Where it is wide in mid step, by more than what a step closes; elsewhere how wide it is there.

    Writes: work.
    """
    width, turn = 0.0, 0.0  # metres and radians apart
    for n in range(first, work.scalar_count[0]):
        if work.scalar_reach[n] > 0.0:
            square = work.scalar_gap[n] * work.scalar_gap[n]
            if work.scalar_slot[n] - model.constraint_slot[c] < ANGULAR:
                width += square
            else:
                turn += square
            work.scalar_gap_before[n] = work.scalar_gap[n]
    closes = settings.dt * settings.max_push_out_speed
    if sqrt(max(width, turn)) <= closes:
        return
    place_ends(model, state.q, work, c)
    for n in range(first, work.scalar_count[0]):
        k = work.scalar_slot[n] - model.constraint_slot[c]
        if work.scalar_reach[n] > 0.0 and sqrt(width if k < ANGULAR else turn) > closes:
            work.scalar_gap_before[n] = constraint_gap(model, command, work, c, k)


@kernel
def write_linkages(model, state, command, settings, work):
    """Build the rows of all constraints that are on and whole; note which of them break, and where all is.

    Writes: work.
    """
    for k in range(state.q.shape[0]):
        work.begin_q[k] = state.q[k]
    mark_workless(model, state, command, settings, work)
    for c in range(model.constraint_kind.shape[0]):
        work.constraint_is_broken[c] = state.constraint_is_broken[c]
        for k in range(state.constraint_memory.shape[1]):
            work.constraint_memory[c, k] = state.constraint_memory[c, k]
        work.constraint_memory[c, IS_IDLE] = 1.0  # until it holds
        if command.constraint[c, IS_ON] == 0.0 or state.constraint_is_broken[c] == 1:
            continue
        if breaking.is_breaking(model, state, command, settings, work, c):
            work.constraint_is_broken[c] = 1
            work.constraint_memory[c, IS_CAUGHT] = 0.0  # a magnet that is mended catches anew
            continue
        first = work.scalar_count[0]
        kind = model.constraint_kind[c]
        if kind == JOINT:
            write_linkage_rows(model, state, command, settings, work, c)
        elif kind == LENGTH:
            lengths.write_length_row(model, state, command, settings, work, c)
            lengths.write_wire_friction(model, state, command, work, c)
        elif kind == WINCH:
            lengths.write_winch_row(model, state, command, settings, work, c)
            lengths.write_wire_friction(model, state, command, work, c)
        elif kind == MOTOR:
            write_motor_row(model, state, command, settings, work, c)
        else:
            write_lock_row(model, state, command, settings, work, c)
        if work.status[0] & CAPACITY:
            return
        regularise_rows(work, first)
        store_gaps(model, state, command, settings, work, c, first)
