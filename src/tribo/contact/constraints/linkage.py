"""Rows of pins, welds, hinges, motors and wires between two bodies, or a body and the world.

A hard row closes its gap g at the *end* of the step. The mid-steps follow one another by dt v⁺ along a curve
that bends by κ = d²g/dt² without forces (constant joint velocities; a free body tumbles), so the target is

    w* = −erp (g − s)/dt − dt/2 κ,   s = dt²/8 κ (midpoint), 0 (semi-implicit)

where s is how far the curve sags between two ends of steps. What is left is of third order in dt; `closure`
takes it out of the positions at the end of the step.
Source: Ryckaert, Ciccotti, Berendsen 1977 (positions of the next step), with Moreau's midpoint rule.
"""

from math import atan2, inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem import scalar_rows
from tribo.dynamics import kinematics
from tribo.dynamics.bias import is_split
from tribo.math import linalg, spatial, vec
from tribo.model import Constraint, Integrator, Status, Tuning

SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
CAPACITY = int(Status.CAPACITY)
COARSE = int(Status.COARSE)
JOINT = int(Constraint.JOINT)
LENGTH = int(Constraint.LENGTH)
ERP = int(Tuning.ERP)
REST = int(Tuning.LENGTH)
STIFFNESS = int(Tuning.STIFFNESS)
DAMPING = int(Tuning.DAMPING)
SPEED = int(Tuning.SPEED)
FORCE = int(Tuning.FORCE)
BREAK = int(Tuning.BREAK_FORCE)
IS_ON = int(Tuning.IS_ON)
ANGULAR = 3  # first of the angular directions in a mask, first of the angular slots

ROUNDING = 1e-7  # [–] R of a hard row over G: what is redundant or singular gets a finite impulse
WHIRL = 0.2  # [rad] in a step: a pin that goes round faster gains or loses energy
ZERO = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def body_frame(model, pos, rot, c, side):
    """Return attachment point and axes of one side of constraint c, world, for given poses of bodies."""
    body = model.constraint_body[c, side]
    point = vec.load(model.constraint_point, 2 * c + side)
    axes = vec.load_mat(model.constraint_rot, 2 * c + side)
    if body < 0:
        return point, axes
    r = vec.load_mat(rot, body)
    return vec.add(vec.load(pos, body), vec.mat_vec(r, point)), vec.mat_mul(r, axes)


@kernel
def tumbling(model, work, tree, omega):
    """Return the angular acceleration of a free body without torque.   α = −I⁻¹ (ω × I ω)"""
    root = model.tree_body[tree]
    s = spatial.load(model.body_inertia, root)
    r = vec.load_mat(work.body_rot, root)
    own = vec.mat_t_vec(r, omega)
    torque = vec.cross(vec.sym_vec(s, own), own)
    return vec.mat_vec(r, vec.sym_vec(linalg.sym_inverse(s), torque))


@kernel
def motion(model, state, settings, work, body, point):
    """Return how a body (−1: the world) moves at a point if nothing pushes it.

    Velocity, angular velocity, acceleration and angular acceleration at constant joint velocities; a free
    body whose step is split tumbles.
    """
    if body < 0 or model.body_chain_len[body] == 0:
        return ZERO, ZERO, ZERO, ZERO
    tree = model.body_tree[body]
    origin = vec.load(work.body_pos, model.tree_body[tree])
    arm = vec.sub(point, origin)
    if model.tree_is_single[tree] == 1:
        b = model.joint_v[body]
        v = work.mid_v
        omega = (v[b + 3], v[b + 4], v[b + 5])
        turning = vec.cross(omega, arm)
        velocity = vec.add((v[b], v[b + 1], v[b + 2]), turning)
        alpha = tumbling(model, work, tree, omega) if is_split(model, tree) else ZERO
        return velocity, omega, vec.add(vec.cross(alpha, arm), vec.cross(omega, turning)), alpha
    twist = spatial.load(work.body_vel, body)
    a = spatial.load(work.body_acc, body)  # weight is in it as an acceleration of the world
    omega = (twist[0], twist[1], twist[2])
    alpha = (a[0], a[1], a[2])
    velocity = vec.add((twist[3], twist[4], twist[5]), vec.cross(omega, arm))
    linear = (a[3] + settings.gravity_x, a[4] + settings.gravity_y, a[5] + settings.gravity_z)
    linear = vec.add(linear, vec.add(vec.cross(alpha, arm), vec.cross(omega, velocity)))
    return velocity, omega, linear, alpha


@kernel
def hard_target(settings, erp, gap, bend, is_stop):
    """Return the target velocity of a hard row, and the part that takes back what should not be open.

    It has gap g and bend κ.

    A stop may come closer by the whole gap in one step; what is beyond it, or a gap of an equation, is
    taken back by a part erp of it, not faster than the world's push-out speed.
    """
    dt = settings.dt
    rest = gap
    if settings.integrator != SEMI_IMPLICIT:  # `rk4` takes midpoint steps here
        rest -= 0.125 * dt * dt * bend
    speed = -erp * rest / dt
    fastest = settings.max_push_out_speed
    speed = min(max(speed, -fastest), fastest)
    if is_stop and rest > 0.0:
        return -rest / dt - 0.5 * dt * bend, 0.0
    return speed - 0.5 * dt * bend, speed


@kernel
def open_force(model, work, slot, a, b, point, direction):
    """Begin a row that pushes body a along a direction, and body b back, at a point; −1: no room.

    Writes: work.
    """
    n = scalar_rows.open_row(model, work, slot, a, b)
    if n >= 0:
        scalar_rows.add_force(model, work, n, 0, point, direction)
        scalar_rows.add_force(model, work, n, 1, point, vec.neg(direction))
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
def rotation_vector(m):
    """Return the rotation vector [rad] of a rotation matrix."""
    x = m[7] - m[5]
    y = m[2] - m[6]
    z = m[3] - m[1]
    s = sqrt(x * x + y * y + z * z)
    angle = atan2(s, m[0] + m[4] + m[8] - 1.0)
    k = angle / s if s > 1e-12 else 0.5
    return (k * x, k * y, k * z)


@kernel
def hold(model, state, command, settings, work, c, first, point, axes, gap, curve):
    """Build the rows of those of three directions that constraint c locks: along its axes, or about them.

    first: 0 or ANGULAR. gap, curve: how far A is off and how that bends, world.

    Writes: work.
    """
    a = model.constraint_body[c, 0]
    b = model.constraint_body[c, 1]
    erp = command.constraint[c, ERP]
    reach = erp * settings.dt * settings.dt * vec.norm(curve)
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
        target, recovery = hard_target(settings, erp, vec.dot(u, gap), vec.dot(u, curve), False)
        scalar_rows.close_row(model, state, work, n, target, -inf, inf, 0.0)
        work.scalar_reach[n] = reach
        work.scalar_gap[n] = vec.dot(u, gap)
        work.scalar_recovery[n] = recovery


@kernel
def whirls(model, settings, body, acceleration, arm):
    """Tell whether a loose body turns the arm on which a constraint holds it too far in a step.

    dt² ω² r is more than a part of r; a wheel on its axle has no arm.
    """
    if body < 0 or model.tree_is_single[model.body_tree[body]] == 0:
        return False
    bend = settings.dt * settings.dt * vec.norm(acceleration)
    return bend > WHIRL * WHIRL * vec.norm(arm)


@kernel
def joint_rows(model, state, command, settings, work, c):
    """Build the rows of the directions in which constraint c holds its bodies together.

    Writes: work.
    """
    a = model.constraint_body[c, 0]
    b = model.constraint_body[c, 1]
    own, axes = body_frame(model, work.body_pos, work.body_rot, c, 0)
    point, other_axes = body_frame(model, work.body_pos, work.body_rot, c, 1)
    va, wa, aa, alpha_a = motion(model, state, settings, work, a, point)
    vb, wb, ab, alpha_b = motion(model, state, settings, work, b, point)
    arm_a = ZERO if a < 0 else vec.sub(point, vec.load(work.body_pos, a))
    arm_b = ZERO if b < 0 else vec.sub(point, vec.load(work.body_pos, b))
    if whirls(model, settings, a, aa, arm_a) or whirls(model, settings, b, ab, arm_b):
        work.status[0] |= COARSE
    curve = vec.axpy(2.0, vec.cross(wa, vec.sub(vb, va)), vec.sub(aa, ab))
    apart = vec.sub(own, point)
    hold(model, state, command, settings, work, c, 0, point, axes, apart, curve)
    error = turned(model.constraint_locked[c], axes, other_axes)
    curve = vec.add(vec.sub(alpha_a, alpha_b), vec.cross(vec.sub(wa, wb), wa))
    hold(model, state, command, settings, work, c, ANGULAR, point, axes, error, curve)


@kernel
def turned(locked, axes, other_axes):
    """Return how side A is turned against side B [rad], of which the locked directions count."""
    if locked >> ANGULAR == 7:
        return rotation_vector(vec.mat_mul(axes, transposed(other_axes)))
    return vec.cross(vec.mat_col(other_axes, 2), vec.mat_col(axes, 2))


@kernel
def transposed(m):
    """Return the transpose of a 3×3 matrix."""
    return (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])


@kernel
def length_row(model, state, command, settings, work, c):
    """Build the row of a wire or rod; its impulse is the tension's.   φ = L − ‖p_B − p_A‖

    Writes: work.
    """
    tuning = command.constraint
    a = model.constraint_body[c, 0]
    b = model.constraint_body[c, 1]
    pa, _ = body_frame(model, work.body_pos, work.body_rot, c, 0)
    pb, _ = body_frame(model, work.body_pos, work.body_rot, c, 1)
    d = vec.sub(pb, pa)
    length = vec.norm(d)
    if length > 0.0:
        u = vec.scale(1.0 / length, d)
    elif model.constraint_stretch[c] & 2:
        u = (0.0, 0.0, 1.0)  # pushes apart what has no direction yet
    else:
        return
    n = scalar_rows.open_row(model, work, model.constraint_slot[c], a, b)
    if n < 0:
        return
    scalar_rows.add_force(model, work, n, 0, pa, u)
    scalar_rows.add_force(model, work, n, 1, pb, vec.neg(u))
    dt = settings.dt
    gap = tuning[c, REST] - length
    lower = -inf if model.constraint_stretch[c] & 2 else 0.0
    upper = inf if model.constraint_stretch[c] & 1 else 0.0
    stiffness = tuning[c, STIFFNESS]
    if lower == 0.0 and upper == 0.0:  # the tension is given
        pull = dt * tuning[c, FORCE]
        scalar_rows.close_row(model, state, work, n, 0.0, pull, pull, 0.0)
        work.scalar_reach[n] = scalar_rows.GIVES_WAY
        return
    if stiffness < inf:
        k = dt * stiffness + tuning[c, DAMPING]
        if k > 0.0:
            target = -stiffness * gap / k
            scalar_rows.close_row(model, state, work, n, target, lower, upper, 1.0 / (dt * k))
            work.scalar_reach[n] = scalar_rows.GIVES_WAY
        else:
            work.scalar_count[0] = n
        return
    va, _, aa, _ = motion(model, state, settings, work, a, pa)
    vb, _, ab, _ = motion(model, state, settings, work, b, pb)
    v = vec.sub(vb, va)
    along = vec.dot(v, u)
    curve = vec.sub(aa, ab)
    bend = vec.dot(u, curve)
    around = 0.0
    if length > 0.0:
        around = max(0.0, vec.dot(v, v) - along * along) / length
    bend -= around
    is_stop = upper == 0.0 or lower == 0.0
    if lower == -inf and upper == 0.0:  # may not shrink: φ ≤ 0 is free
        target, recovery = hard_target(settings, tuning[c, ERP], -gap, -bend, is_stop)
        target, recovery = -target, -recovery
    else:
        target, recovery = hard_target(settings, tuning[c, ERP], gap, bend, is_stop)
    scalar_rows.close_row(model, state, work, n, target, lower, upper, 0.0)
    reach = dt * dt * (vec.norm(curve) + around)
    work.scalar_reach[n] = tuning[c, ERP] * reach
    work.scalar_gap[n] = gap
    work.scalar_recovery[n] = recovery


@kernel
def motor_row(model, state, command, settings, work, c):
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
        speed = command.constraint[c, SPEED]
        scalar_rows.close_row(model, state, work, n, speed, -most, most, 0.0)
        work.scalar_reach[n] = scalar_rows.GIVES_WAY


@kernel
def soften(work, first):
    """Give hard rows from the first on a compliance at the level of rounding.

    Of two rows that ask for the same, each then takes its share; of two that contradict one another, each
    gives way (see `residual.gives_way`).

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
def breaks(model, state, command, settings, c):
    """Tell whether the last step's force on constraint c was more than it bears."""
    slot = model.constraint_slot[c]
    square = 0.0
    for k in range(3):
        square += state.scalar_impulse[slot + k] * state.scalar_impulse[slot + k]
    return sqrt(square) > settings.dt * command.constraint[c, BREAK]


@kernel
def place_ends(model, q, work, c):
    """Compute the poses of the two bodies of constraint c at given coordinates.

    Writes: work.
    """
    for side in range(2):
        body = model.constraint_body[c, side]
        if body < 0:
            continue
        for i in range(model.tree_body[model.body_tree[body]], body + 1):
            p, r = kinematics.body_pose(model, q, work.swing_pos, work.swing_rot, i)
            vec.store(work.swing_pos, i, p)
            vec.store_mat(work.swing_rot, i, r)


@kernel
def gap_of(model, command, work, c, k):
    """Return the gap [m, rad] of row k of constraint c where `place_ends` has put its bodies."""
    own, axes = body_frame(model, work.swing_pos, work.swing_rot, c, 0)
    point, other = body_frame(model, work.swing_pos, work.swing_rot, c, 1)
    if model.constraint_kind[c] != JOINT:
        return command.constraint[c, REST] - vec.norm(vec.sub(point, own))
    if k < ANGULAR:
        return vec.dot(vec.mat_col(axes, k), vec.sub(own, point))
    error = turned(model.constraint_locked[c], axes, other)
    return vec.dot(vec.mat_col(axes, k - ANGULAR), error)


@kernel
def note_gaps(model, state, command, settings, work, c, first):
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
            work.scalar_gap_before[n] = gap_of(model, command, work, c, k)


@kernel
def linkage(model, state, command, settings, work):
    """Build the rows of all constraints that are on and whole; note which of them break, and where all is.

    Writes: work.
    """
    for k in range(state.q.shape[0]):
        work.begin_q[k] = state.q[k]
    for c in range(model.constraint_kind.shape[0]):
        work.constraint_is_broken[c] = state.constraint_is_broken[c]
        if command.constraint[c, IS_ON] == 0.0 or state.constraint_is_broken[c] == 1:
            continue
        if breaks(model, state, command, settings, c):
            work.constraint_is_broken[c] = 1
            continue
        first = work.scalar_count[0]
        kind = model.constraint_kind[c]
        if kind == JOINT:
            joint_rows(model, state, command, settings, work, c)
        elif kind == LENGTH:
            length_row(model, state, command, settings, work, c)
        else:
            motor_row(model, state, command, settings, work, c)
        if work.status[0] & CAPACITY:
            return
        soften(work, first)
        note_gaps(model, state, command, settings, work, c, first)
