"""Rows of wires, rods and winches: the length of a path through points. φ = L − Σ ‖p_{k+1} − p_k‖

The path begins and ends at the two ends of the wire and runs over the points between; without friction its
tension is uniform. All points are on two moving bodies, or fixed.

With friction, each inner point has a row ½(Σ_{after} − Σ_{before}) of the segments' lengths, along which the
wire slides over it. Half of its force f is added to the tension after the point, half subtracted before it,
T = λ ± f/2. T₂ ≤ T₁ e^{μβ} in both directions, β the angle of the wire there, is equivalent to
|f| ≤ (T₁ + T₂) tanh(μβ/2); the tensions are those of the last step.

A winch changes L by the speed of its drum. Where that would need more than its largest tension the drum
slips, and L becomes the length of the path at the end of the step.
"""

from math import atan2, inf, tanh

from tribo.compiler.jit import kernel
from tribo.contact.constraints.path_curvature import end_point, path_curvature, side_of, wire_point
from tribo.contact.problem import scalar_rows
from tribo.contact.problem.attachments import free_end_speed, hard_target, open_constraint_row, place_ends
from tribo.contact.problem.spring_rows import set_spring
from tribo.enums import Memory, Tuning
from tribo.math import vec
from tribo.model import Constraint, Integrator

# A bounded row may add energy, an unbounded one only holds: a motor without a limit gets this one.
STRONGEST = 1e15  # [N]
SLIPS = 1.0 - 1e-9  # [–] of the largest impulse of a winch, from which on its drum slips


@kernel
def end_length(model, work, c):
    """Return the length of the path of constraint c [m] at the poses of `place_ends`."""
    total = 0.0
    for k in range(model.constraint_path[c, 0], model.constraint_path[c, 1]):
        total += vec.norm(vec.sub(end_point(model, work, c, k + 1), end_point(model, work, c, k)))
    return total


@kernel
def last_length(state, command, c):
    """Return the rest length of wire or rod c [m] in the last step; the present one if it did not hold.

    The difference is closed by a velocity: a length that is changed from step to step pulls.
    """
    if state.constraint_memory[c, Memory.IS_IDLE] == 0.0 and state.constraint_memory[c, Memory.LENGTH] > 0.0:
        return state.constraint_memory[c, Memory.LENGTH]
    return command.constraint[c, Tuning.LENGTH]


@kernel
def segment_direction(model, work, k):
    """Return direction and length of the segment from point k to the next."""
    p = wire_point(model, work.body_pos, work.body_rot, k)
    d = vec.sub(wire_point(model, work.body_pos, work.body_rot, k + 1), p)
    length = vec.norm(d)
    return (vec.scale(1.0 / length, d) if length > 0.0 else d), length


@kernel
def push_segment(model, work, n, c, k, force):
    """Add a force at point k of a path, and its reaction at the next, to row n of constraint c.

    A fixed point has no side.

    Writes: work.
    """
    for end in range(2):
        side = side_of(model, c, model.path_body[k + end])
        if side >= 0:
            point = wire_point(model, work.body_pos, work.body_rot, k + end)
            push = force if end == 0 else vec.neg(force)
            scalar_rows.add_force_along(model, work, n, side, point, push)


@kernel
def open_path_row(model, work, c):
    """Begin the row of the path of constraint c; return its number and the length. Its impulse is a tension.

    −1: no row, or no room. Segments of length 0 have no direction; that of a rod of length 0 is upward.

    Writes: work.
    """
    first, last = model.constraint_path[c, 0], model.constraint_path[c, 1]
    total = 0.0
    for k in range(first, last):
        total += segment_direction(model, work, k)[1]
    if total == 0.0 and model.constraint_stretch[c] & 2 == 0:
        return -1, 0.0
    n = open_constraint_row(model, work, c, 0)
    if n < 0:
        return -1, 0.0
    for k in range(first, last):
        u, length = segment_direction(model, work, k)
        if total == 0.0:
            u = (0.0, 0.0, 1.0)  # a rod of length 0 pushes its ends apart
        if length > 0.0 or total == 0.0:
            push_segment(model, work, n, c, k, u)
    return n, total


@kernel
def last_tension(model, state, c, part):
    """Return the impulse of segment 0, 1 … of the path of constraint c in the last step [N s]."""
    slot = model.constraint_slot[c]
    pull = state.scalar_impulse[slot]
    for j in range(1, model.constraint_path[c, 1] - model.constraint_path[c, 0]):
        pull += (0.5 if part >= j else -0.5) * state.scalar_impulse[slot + j]
    return pull


@kernel
def write_wire_friction(model, state, command, work, c):
    """Write the friction rows of wire or winch c on its path. |f| ≤ (T₁ + T₂) tanh(μβ/2)

    Source: Euler 1769, Eytelwein 1808 (capstan).

    Writes: work.
    """
    mu = command.constraint[c, Tuning.FRICTION]
    first, last = model.constraint_path[c, 0], model.constraint_path[c, 1]
    if mu <= 0.0 or last - first < 2:
        return
    for j in range(1, last - first):
        before, a = segment_direction(model, work, first + j - 1)
        after, b = segment_direction(model, work, first + j)
        turn = atan2(vec.norm(vec.cross(before, after)), vec.dot(before, after))
        pull = last_tension(model, state, c, j - 1) + last_tension(model, state, c, j)
        most = tanh(0.5 * mu * turn) * max(0.0, pull)
        if a == 0.0 or b == 0.0 or most <= 0.0:
            continue
        n = open_constraint_row(model, work, c, j)
        if n < 0:
            return
        for k in range(first, last):
            u, length = segment_direction(model, work, k)
            if length > 0.0:
                push_segment(model, work, n, c, k, vec.scale(0.5 if k - first >= j else -0.5, u))
        scalar_rows.close_row(model, work, n, 0.0, -most, most, 0.0)
        if work.scalar_count[0] > n:
            work.scalar_reach[n] = scalar_rows.GIVES_WAY


@kernel
def write_length_row(model, state, command, settings, work, c):
    """Write the row of a wire or rod.

    Writes: work.
    """
    tuning = command.constraint
    n, length = open_path_row(model, work, c)
    if n < 0:
        return
    dt = settings.dt
    gap = tuning[c, Tuning.LENGTH] - length
    lower = -inf if model.constraint_stretch[c] & 2 else 0.0
    upper = inf if model.constraint_stretch[c] & 1 else 0.0
    stiffness = tuning[c, Tuning.STIFFNESS]
    if lower == 0.0 and upper == 0.0:  # a constant tension
        pull = dt * tuning[c, Tuning.FORCE]
        scalar_rows.close_row(model, work, n, 0.0, pull, pull, 0.0)
        work.scalar_reach[n] = scalar_rows.GIVES_WAY
        return
    if stiffness < inf:
        if stiffness > 0.0 or tuning[c, Tuning.DAMPING] > 0.0:
            scalar_rows.close_row(model, work, n, 0.0, lower, upper, 0.0)
            if work.scalar_count[0] > n:
                set_spring(settings, work, n, gap, stiffness, tuning[c, Tuning.DAMPING])
        else:
            work.scalar_count[0] = n
        return
    work.constraint_memory[c, Memory.IS_IDLE] = 0.0
    drift, sag, size = path_curvature(model, state, settings, work, c)
    reach = tuning[c, Tuning.ERP] * dt * dt * size
    opens = reach + abs(tuning[c, Tuning.LENGTH] - last_length(state, command, c))
    work.constraint_memory[c, Memory.LENGTH] = tuning[c, Tuning.LENGTH]
    is_stop = upper == 0.0 or lower == 0.0
    parts = free_end_speed(model, settings, work, c, n, size)
    sign = -1.0 if lower == -inf and upper == 0.0 else 1.0  # −1: may not shrink, φ ≤ 0 is admissible
    target, correction, shift = hard_target(
        settings, tuning[c, Tuning.ERP], sign * gap, sign * drift, sign * sag, opens, parts, is_stop
    )
    scalar_rows.close_row(model, work, n, sign * target, lower, upper, 0.0)
    work.scalar_reach[n], work.scalar_gap[n] = reach, gap
    work.scalar_correction[n], work.scalar_shift[n] = sign * correction, sign * shift


@kernel
def write_winch_row(model, state, command, settings, work, c):
    """Write the row of a winch: a wire that its drum reels in. φ' = −u − ℓ' ≥ …, 0 ≤ λ ≤ dt F

    F: force of the motor while it reels in, else of the brake; an empty drum holds any force.

    Writes: work.
    """
    tuning = command.constraint
    dt = settings.dt
    out = state.constraint_memory[c, Memory.LENGTH]
    rate = min(-tuning[c, Tuning.SPEED], max(0.0, tuning[c, Tuning.MAX_LENGTH] - out) / dt)
    rate = max(rate, min(0.0, tuning[c, Tuning.MIN_LENGTH] - out) / dt)
    work.constraint_memory[c, Memory.LENGTH] = out + dt * rate
    n, length = open_path_row(model, work, c)
    if n < 0:
        return
    pull = min(tuning[c, Tuning.FORCE], STRONGEST)
    upper = dt * (pull if tuning[c, Tuning.SPEED] > 0.0 else tuning[c, Tuning.BACK_FORCE])
    if tuning[c, Tuning.FRICTION] > 0.0:  # the drum pulls with the tension of the first segment
        mean = state.scalar_impulse[model.constraint_slot[c]]
        upper = max(0.0, upper + mean - last_tension(model, state, c, 0))
    if out >= tuning[c, Tuning.MAX_LENGTH] and tuning[c, Tuning.SPEED] <= 0.0:
        upper = inf
    gap = out - length
    if settings.integrator != Integrator.SEMI_IMPLICIT:
        gap += 0.5 * dt * rate
    work.constraint_memory[c, Memory.IS_IDLE] = 0.0
    drift, sag, size = path_curvature(model, state, settings, work, c)
    reach = tuning[c, Tuning.ERP] * dt * dt * size
    parts = free_end_speed(model, settings, work, c, n, size)
    target, correction, shift = hard_target(
        settings, tuning[c, Tuning.ERP], gap, drift, sag, reach, parts, True
    )
    scalar_rows.close_row(model, work, n, target - rate, 0.0, upper, 0.0)
    work.scalar_reach[n], work.scalar_gap[n] = reach, gap
    work.scalar_correction[n], work.scalar_shift[n] = correction, shift


@kernel
def slip_winches(model, state, command, work):
    """Make the drums of overloaded winches slip: their length becomes that of the path.

    Writes: state, work.
    """
    for n in range(work.scalar_count[0]):
        c = scalar_rows.constraint_of_row(model, work, n)
        if c < 0 or model.constraint_kind[c] != Constraint.WINCH:
            continue
        is_at_limit = work.scalar_impulse[n] >= SLIPS * work.scalar_upper[n]
        if is_at_limit and work.scalar_slot[n] == model.constraint_slot[c]:
            place_ends(model, state.q, work, c)
            path = min(end_length(model, work, c), command.constraint[c, Tuning.MAX_LENGTH])
            state.constraint_memory[c, Memory.LENGTH] = max(state.constraint_memory[c, Memory.LENGTH], path)
