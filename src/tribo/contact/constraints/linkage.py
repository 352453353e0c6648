"""Rows of pins, welds, hinges, motors, locks and wires between two bodies, or a body and the world.

A hard row reverses what the step itself opens (`attachments`); the positions close the rest at the end of the
step (`position_pass`, `position_projection`). A row with a compliance ε > 0 is an implicit spring with
stiffness 1/ε and damping τ/ε, τ its SPOOK damping time (`src/tribo/contact/problem/spook.py`).
"""

from math import atan2, floor, inf, pi, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.constraints import breaking, constraint_work, lengths
from tribo.contact.constraints.constraint_work import ANGULAR
from tribo.contact.problem import scalar_rows
from tribo.contact.problem.attachments import (
    ZERO,
    attached_motion,
    body_frame,
    end_curvature,
    free_end_speed,
    hard_target,
    is_free,
    midstep_sag,
    open_constraint_row,
    place_ends,
)
from tribo.contact.problem.spook import close_soft_row
from tribo.dynamics import constrained_groups
from tribo.dynamics.constrained_drift import TRANSLATIONS
from tribo.dynamics.constrained_groups import constrained_tree, is_in_loop
from tribo.enums import ConstraintWork, Memory, Tuning
from tribo.math import quat, vec
from tribo.model import Constraint, Status

ROUNDING = 1e-7  # [–] R/G of a hard row: redundant and singular rows get finite impulses
WEAK_ROW = 1e-6  # [–] of the largest G of a group of rows: a row with this G closes half of its gap
SMALL_SINE = 1e-4  # [–] sine that equals its angle to 1e-9 of it
SEPARATING = 0.5  # [–] of the change of velocity by curvature: slower ends stay together
SPEED_ROUND_OFF = 1e-6  # [–] of the speed of the bodies: a smaller change of velocity is round-off
FAST_PIN_ROTATION = 0.2  # [rad] per step about a pin, above which the energy error exceeds tolerance
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def open_unit_row(model, work, c, k, is_angular, point, direction):
    """Begin row k of constraint c, a unit force at a point or torque on A, and its reaction on B.

    Returns its number, −1 without room.

    Writes: work.
    """
    n = open_constraint_row(model, work, c, k)
    if n < 0:
        return n
    for side in range(2):
        own = direction if side == 0 else vec.neg(direction)
        if is_angular:
            scalar_rows.add_wrench(model, work, n, side, own, (0.0, 0.0, 0.0))  # J += ownᵀ ∂ω/∂v
        else:
            scalar_rows.add_force_along(model, work, n, side, point, own)
    return n


@kernel
def relax_singular_rows(work, first):
    """Reduce the velocity that closes the gap of rows, from `first` on, that hardly any impulse moves.

    Such a velocity would take an unbounded impulse. A row keeps the part G/(G + `WEAK_ROW` · largest G).

    Writes: work.
    """
    largest = 0.0
    for n in range(first, work.scalar_count[0]):
        largest = max(largest, work.scalar_delassus[n])
    for n in range(first, work.scalar_count[0]):
        less = WEAK_ROW * largest / (work.scalar_delassus[n] + WEAK_ROW * largest)
        less *= work.scalar_correction[n]
        speed = work.scalar_start[n] + work.scalar_target[n]
        scalar_rows.set_row_target(work, n, work.scalar_target[n] - less, speed)
        work.scalar_correction[n] -= less


@kernel
def add_locked_rows(model, state, command, settings, work, c, first, point, axes, gap, curve, drift, sag):
    """Write the rows of those directions first … first + 2 that constraint c locks, along or about its axes.

    first: 0 or ANGULAR. gap, curve: gap of A and its curvature, world; drift, sag: see `hard_target`.

    Writes: work.
    """
    erp = command.constraint[c, Tuning.ERP]
    reach = erp * settings.dt * settings.dt * vec.norm(curve)
    is_angular, tuning = first == ANGULAR, command.constraint
    compliance = tuning[c, Tuning.ANGULAR_COMPLIANCE if is_angular else Tuning.COMPLIANCE]
    damping = tuning[c, Tuning.ANGULAR_SPOOK_DAMPING if is_angular else Tuning.SPOOK_DAMPING]
    start = work.scalar_count[0]
    for k in range(3):
        if model.constraint_locked[c] & (1 << (first + k)) == 0:
            continue
        u = vec.mat_col(axes, k)
        n = open_unit_row(model, work, c, first + k, is_angular, point, u)
        if n < 0:
            return
        if compliance > 0.0:
            close_soft_row(model, settings, work, n, vec.dot(u, gap), compliance, damping, -inf, inf)
            continue
        faster, lower = vec.dot(u, drift), vec.dot(u, sag)
        parts = free_end_speed(model, settings, work, c, n, vec.norm(curve))
        if work.constraint_work[c] == ConstraintWork.NONE:
            faster = constraint_work.trajectory_rate(model, state, settings, work, n)
            lower = vec.dot(u, gap)
        target, correction, shift = hard_target(
            settings, erp, vec.dot(u, gap), faster, lower, reach, parts, False
        )
        scalar_rows.close_row(model, work, n, target, -inf, inf, 0.0)
        work.scalar_reach[n], work.scalar_gap[n] = reach, vec.dot(u, gap)
        work.scalar_correction[n], work.scalar_shift[n] = correction, shift
    relax_singular_rows(work, start)


@kernel
def is_whirling(model, settings, body, acceleration, arm):
    """Tell whether a free body rotates the arm of its constraint by more than `FAST_PIN_ROTATION` in a step.

    dt² ω² r > `FAST_PIN_ROTATION`² r; a wheel on its axle has no arm.
    """
    if body < 0 or model.tree_is_single[model.body_tree[body]] == 0:
        return False
    bend = settings.dt * settings.dt * vec.norm(acceleration)
    return bend > FAST_PIN_ROTATION * FAST_PIN_ROTATION * vec.norm(arm)


@kernel
def follows_ends(model, work, c):
    """Tell whether the rows of constraint c use the exact rotation of its ends (`end_curvature`).

    They do if it locks all three translations, one of its bodies rotates far, and its ties form no loop.
    """
    if model.constraint_locked[c] & TRANSLATIONS != TRANSLATIONS or work.constrained_turns[0] == 0:
        return False
    has_constrained_tree = max(constrained_tree(model, 2 * c), constrained_tree(model, 2 * c + 1)) >= 0
    return has_constrained_tree and not is_in_loop(model, work, c)


@kernel
def gap_curvature(motion_a, motion_b):
    """Return the curvature of the gaps of a constraint without forces, in axes that rotate with A (world).

    motion_a, motion_b: `attached_motion` of its ends. Its linear part by that rotation, all of its linear
    part, its angular part.
    """
    va, wa, aa, alpha_a = motion_a
    vb, wb, ab, alpha_b = motion_b
    turn = vec.scale(2.0, vec.cross(wa, vec.sub(vb, va)))
    turning = vec.add(vec.sub(alpha_a, alpha_b), vec.cross(vec.sub(wa, wb), wa))
    return turn, vec.add(turn, vec.sub(aa, ab)), turning


@kernel
def is_separating(model, state, command, settings, work, c):
    """Tell whether the ends of constraint c separate at the step's start, as after an impact.

    Hinges and welds of links that rotate about one axis have no angular curvature: its computed value and the
    rate of the gap are round-off, hence the term of the velocity of the bodies. Compliant directions may
    separate.

    Writes: work.
    """
    point, _ = body_frame(model, work.body_pos, work.body_rot, c, 1)
    motion_a = attached_motion(model, settings, work, model.constraint_body[c, 0], point)
    motion_b = attached_motion(model, settings, work, model.constraint_body[c, 1], point)
    _, curve, turning = gap_curvature(motion_a, motion_b)
    constraint_work.move_ends(model, state, work, c)
    for first in range(0, 6, 3):
        if command.constraint[c, Tuning.ANGULAR_COMPLIANCE if first == ANGULAR else Tuning.COMPLIANCE] > 0.0:
            continue
        size = settings.dt * vec.norm(curve if first == 0 else turning)
        size += SPEED_ROUND_OFF * constraint_work.end_speed(model, work, c, first)
        if constraint_work.separation_speed(model, work, c, first) > SEPARATING * size:
            return True
    return False


@kernel
def is_holding(model, state, command, c):
    """Tell whether constraint c is a pin, hinge or weld that is on, whole and caught."""
    if model.constraint_kind[c] != Constraint.JOINT or command.constraint[c, Tuning.IS_ON] == 0.0:
        return False
    is_magnet = command.constraint[c, Tuning.CATCH_DISTANCE] > 0.0
    is_caught = not is_magnet or state.constraint_memory[c, Memory.IS_CAUGHT] != 0.0
    return state.constraint_is_broken[c] == 0 and is_caught


@kernel
def spread_mark(model, state, command, work, mark):
    """Give constraints that share a body with marked ones their mark, too: their rows act together.

    NONE goes to all that hold robots, ALLOWED back to those that have NONE.

    Writes: work.
    """
    is_new = True
    while is_new:
        is_new = False
        for c in range(model.constraint_kind.shape[0]):
            takes = work.constraint_work[c] == ConstraintWork.NONE
            if mark == ConstraintWork.NONE:
                takes = not takes and is_holding(model, state, command, c) and not is_free(model, c)
            if takes and constrained_groups.has_marked_end(model, work, c, mark):
                work.constraint_work[c] = mark
                constrained_groups.mark_ends(model, work, c, mark)
                is_new = True


@kernel
def mark_workless(model, state, command, settings, work):
    """Mark the constraints that are to do no work, all that robots share or none.

    Writes: work.
    """
    for t in range(work.tree_mark.shape[0]):
        work.tree_mark[t] = ConstraintWork.UNKNOWN
    is_any = False
    for c in range(model.constraint_kind.shape[0]):
        work.constraint_work[c] = ConstraintWork.ALLOWED
        if is_holding(model, state, command, c):
            if constraint_work.constrains_fast_robot(model, state, settings, work, c):
                work.constraint_work[c] = ConstraintWork.NONE
                constrained_groups.mark_ends(model, work, c, ConstraintWork.NONE)
                is_any = True
    if not is_any:
        return
    spread_mark(model, state, command, work, ConstraintWork.NONE)
    for c in range(model.constraint_kind.shape[0]):
        if work.constraint_work[c] == ConstraintWork.NONE:
            if is_separating(model, state, command, settings, work, c):
                constrained_groups.mark_ends(model, work, c, ConstraintWork.ALLOWED)
    spread_mark(model, state, command, work, ConstraintWork.ALLOWED)


@kernel
def write_linkage_rows(model, state, command, settings, work, c):
    """Write the rows of the directions that constraint c locks.

    Writes: work.
    """
    a, b = model.constraint_body[c, 0], model.constraint_body[c, 1]
    own, axes = body_frame(model, work.body_pos, work.body_rot, c, 0)
    point, other_axes = body_frame(model, work.body_pos, work.body_rot, c, 1)
    apart = vec.sub(own, point)
    error = relative_turn(model.constraint_locked[c], axes, other_axes)
    if not breaking.is_attached(command, work, c, vec.norm(apart), vec.norm(error)):
        return
    motion_a = attached_motion(model, settings, work, a, point)
    motion_b = attached_motion(model, settings, work, b, point)
    aa, ab = motion_a[2], motion_b[2]
    arm_a = ZERO if a < 0 else vec.sub(point, vec.load(work.body_pos, a))
    arm_b = ZERO if b < 0 else vec.sub(point, vec.load(work.body_pos, b))
    if is_whirling(model, settings, a, aa, arm_a) or is_whirling(model, settings, b, ab, arm_b):
        work.status[0] |= Status.TIME_STEP_TOO_LONG
    if command.constraint[c, Tuning.COMPLIANCE] == 0.0:
        work.constraint_memory[c, Memory.IS_IDLE] = 0.0
    turn, curve, turning = gap_curvature(motion_a, motion_b)
    is_exact = follows_ends(model, work, c)
    drift_a, sag_a = end_curvature(model, state, settings, work, 2 * c, point, aa, is_exact)
    drift_b, sag_b = end_curvature(model, state, settings, work, 2 * c + 1, point, ab, is_exact)
    drift, sag = vec.sub(drift_a, drift_b), vec.sub(sag_a, sag_b)
    if not is_exact:
        drift = vec.axpy(0.5 * settings.dt, turn, drift)
        sag = vec.axpy(midstep_sag(settings, 1.0), turn, sag)
    add_locked_rows(model, state, command, settings, work, c, 0, point, axes, apart, curve, drift, sag)
    drift = vec.scale(0.5 * settings.dt, turning)
    sag = vec.scale(midstep_sag(settings, 1.0), turning)
    add_locked_rows(
        model, state, command, settings, work, c, ANGULAR, point, axes, error, turning, drift, sag
    )


@kernel
def relative_turn(locked, axes, other_axes):
    """Return the rotation of side A relative to side B [rad], in the directions that are locked."""
    if locked >> ANGULAR == 7:
        return quat.rotation_vector(vec.mat_mul(axes, vec.transpose(other_axes)))
    z = vec.mat_col(axes, 2)
    other = vec.mat_col(other_axes, 2)
    error = vec.cross(other, z)
    s = vec.norm(error)
    if s < SMALL_SINE:  # the angle equals its sine; or the axes are opposite, without a direction
        return error
    return vec.scale(atan2(s, vec.dot(other, z)) / s, error)


@kernel
def write_axis_row(model, command, settings, work, c):
    """Write the row of a motor or lock: B relative to A, about or along the third axis of A.

    A motor gives it a speed, a lock an angle or a position.

    Writes: work.
    """
    tuning = command.constraint
    own, axes = body_frame(model, work.body_pos, work.body_rot, c, 0)
    point, other = body_frame(model, work.body_pos, work.body_rot, c, 1)
    z = vec.mat_col(axes, 2)
    is_angular = model.constraint_locked[c] & (1 << (ANGULAR + 2)) != 0
    n = open_unit_row(model, work, c, 0, is_angular, point, vec.neg(z))
    if n < 0:
        return
    most = settings.dt * tuning[c, Tuning.FORCE]
    back = settings.dt * tuning[c, Tuning.BACK_FORCE]
    if model.constraint_kind[c] == Constraint.MOTOR:
        slip = tuning[c, Tuning.COMPLIANCE] / settings.dt
        scalar_rows.close_row(model, work, n, tuning[c, Tuning.SPEED], -back, most, slip)
        work.scalar_reach[n] = scalar_rows.GIVES_WAY
        return
    if is_angular:
        x = vec.mat_col(axes, 0)
        along = vec.mat_col(other, 0)
        angle = atan2(vec.dot(vec.cross(x, along), z), vec.dot(x, along))
        gap = angle - tuning[c, Tuning.POSITION]
        gap -= 2.0 * pi * floor(gap / (2.0 * pi) + 0.5)  # to (−π, π]
    else:
        gap = vec.dot(vec.sub(point, own), z) - tuning[c, Tuning.POSITION]
    if tuning[c, Tuning.COMPLIANCE] > 0.0:
        damping = tuning[c, Tuning.SPOOK_DAMPING]
        close_soft_row(model, settings, work, n, gap, tuning[c, Tuning.COMPLIANCE], damping, -back, most)
    else:
        # A lock has a bounded force, like a motor: it closes its gap by a velocity.
        target, correction, _ = hard_target(settings, tuning[c, Tuning.ERP], gap, 0.0, 0.0, inf, 0.0, False)
        scalar_rows.close_row(model, work, n, target, -back, most, 0.0)
        work.scalar_correction[n] = correction
        work.scalar_reach[n] = scalar_rows.GIVES_WAY


@kernel
def regularise_rows(work, first):
    """Give hard rows from `first` on a compliance at the level of round-off.

    Redundant rows then share the impulse; contradictory rows yield (`residual_report`).

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
    """Return the gap [m, rad] of row k of constraint c at the poses of `place_ends`."""
    kind = model.constraint_kind[c]
    if kind == Constraint.LENGTH or kind == Constraint.WINCH:
        is_winch, tuning = kind == Constraint.WINCH, command.constraint
        rest = work.constraint_memory[c, Memory.LENGTH] if is_winch else tuning[c, Tuning.LENGTH]
        return rest - lengths.end_length(model, work, c)
    own, axes = body_frame(model, work.relative_pos, work.relative_rot, c, 0)
    point, other = body_frame(model, work.relative_pos, work.relative_rot, c, 1)
    if k < ANGULAR:
        return vec.dot(vec.mat_col(axes, k), vec.sub(own, point))
    error = relative_turn(model.constraint_locked[c], axes, other)
    return vec.dot(vec.mat_col(axes, k - ANGULAR), error)


@kernel
def store_gaps(model, state, command, settings, work, c, first):
    """Store the gaps of constraint c at the step's start; its rows begin at `first`.

    They are computed where the mid-step gap is wider than a step closes; else the mid-step gaps are stored.

    Writes: work.
    """
    width, turn = 0.0, 0.0  # [m²], [rad²]
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
    """Write the rows of all constraints that are on and whole; mark those that break; store q.

    Writes: work.
    """
    for k in range(state.q.shape[0]):
        work.begin_q[k] = state.q[k]
    mark_workless(model, state, command, settings, work)
    for c in range(model.constraint_kind.shape[0]):
        work.constraint_is_broken[c] = state.constraint_is_broken[c]
        for k in range(state.constraint_memory.shape[1]):
            work.constraint_memory[c, k] = state.constraint_memory[c, k]
        work.constraint_memory[c, Memory.IS_IDLE] = 1.0  # until it holds
        if command.constraint[c, Tuning.IS_ON] == 0.0 or state.constraint_is_broken[c] == 1:
            continue
        if breaking.is_breaking(model, state, command, settings, work, c):
            work.constraint_is_broken[c] = 1
            work.constraint_memory[c, Memory.IS_CAUGHT] = 0.0  # a repaired magnet must catch again
            continue
        first = work.scalar_count[0]
        kind = model.constraint_kind[c]
        if kind == Constraint.JOINT:
            write_linkage_rows(model, state, command, settings, work, c)
        elif kind == Constraint.LENGTH:
            lengths.write_length_row(model, state, command, settings, work, c)
            lengths.write_wire_friction(model, state, command, work, c)
        elif kind == Constraint.WINCH:
            lengths.write_winch_row(model, state, command, settings, work, c)
            lengths.write_wire_friction(model, state, command, work, c)
        else:
            write_axis_row(model, command, settings, work, c)
        if work.status[0] & Status.CAPACITY:
            return
        regularise_rows(work, first)
        store_gaps(model, state, command, settings, work, c, first)
