"""Attachments of constraints on bodies: points, velocities, and the target that closes a gap.

A hard row closes its gap g at the *end* of the step. The mid-steps follow one another by dt v⁺ along a curve
with κ = d²g/dt² without forces (constant joint velocities; a free body tumbles), so the target is

    w* = −erp (g − s)/dt − dt/2 κ,   s = dt²/8 κ (midpoint), 0 (semi-implicit)

where s, the *sag*, is the mid-step gap of a constraint that is closed at the ends of steps. The remainder is
of third order in dt. For a free body on constraints (`constrained_drift`) it is smaller: dt/2 κ and s are
replaced by its rotation from the beginning of the step to its end (`end_curvature`). Constraints of robots
that rotate far do no work instead (`constraint_work`). `position_projection` removes the rest from the
positions.
Source: Ryckaert, Ciccotti, Berendsen 1977 (positions of the next step), with Moreau's midpoint rule.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import step_speed
from tribo.contact.problem.scalar_rows import open_row
from tribo.contact.problem.whitened_products import add_scalar_row_response
from tribo.dynamics import kinematics
from tribo.dynamics.bias import free_rotation, is_constrained_single
from tribo.dynamics.constrained_drift import arm_at, constrained_velocity, pushed_spins, spin_of
from tribo.dynamics.constrained_groups import constrained_tree, is_in_loop
from tribo.math import linalg, quat, spatial, vec
from tribo.model import Integrator, Kind

ZERO = (0.0, 0.0, 0.0)


@kernel
def open_constraint_row(model, work, c, k):
    """Begin row k of constraint c with J = 0; return its number, −1 without room.

    Writes: work.
    """
    a, b = model.constraint_body[c, 0], model.constraint_body[c, 1]
    return open_row(model, work, model.constraint_slot[c] + k, a, b)


@kernel
def body_frame(model, pos, rot, c, side):
    """Return point [m] and axes of one side of constraint c, world, at given poses of the bodies."""
    body = model.constraint_body[c, side]
    point = vec.load(model.constraint_point, 2 * c + side)
    axes = vec.load_mat(model.constraint_rot, 2 * c + side)
    if body < 0:
        return point, axes
    r = vec.load_mat(rot, body)
    return vec.add(vec.load(pos, body), vec.mat_vec(r, point)), vec.mat_mul(r, axes)


@kernel
def free_acceleration(model, work, tree, omega):
    """Return the angular acceleration of a free body without torque.   α = −I⁻¹ (ω × I ω)"""
    root = model.tree_body[tree]
    s = spatial.load(model.body_inertia, root)
    r = vec.load_mat(work.body_rot, root)
    own = vec.mat_t_vec(r, omega)
    torque = vec.cross(vec.sym_vec(s, own), own)
    return vec.mat_vec(r, vec.sym_vec(linalg.sym_inverse(s), torque))


@kernel
def curvature_at(model, work, tree, omega, arm):
    """Return the acceleration of a point of a torque-free body relative to its centre of mass [m/s²]."""
    alpha = free_acceleration(model, work, tree, omega)
    return vec.add(vec.cross(alpha, arm), vec.cross(omega, vec.cross(omega, arm)))


@kernel
def attached_motion(model, settings, work, body, point):
    """Return the free motion of a body (−1: the world) at a point: v, ω, a, α.

    a and α are at constant joint velocities; a free body on constraints tumbles. Gravity is not part of a.
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
        alpha = free_acceleration(model, work, tree, omega) if is_constrained_single(model, tree) else ZERO
        return velocity, omega, vec.add(vec.cross(alpha, arm), vec.cross(omega, turning)), alpha
    omega, alpha = vec.load(work.body_vel, body), vec.load(work.body_acc, body)
    # `body_acc` includes gravity as an acceleration of the world.
    velocity = vec.add(vec.load_from(work.body_vel, body, 3), vec.cross(omega, arm))
    gravity = (settings.gravity_x, settings.gravity_y, settings.gravity_z)
    linear = vec.add(vec.load_from(work.body_acc, body, 3), gravity)
    linear = vec.add(linear, vec.add(vec.cross(alpha, arm), vec.cross(omega, velocity)))
    return velocity, omega, linear, alpha


@kernel
def midstep_sag(settings, bend):
    """Return the mid-step gap of a constraint that is closed at the ends of steps, for a curvature κ."""
    if settings.integrator == Integrator.SEMI_IMPLICIT:  # `rk4` uses midpoint steps here
        return 0.0
    return 0.125 * settings.dt * settings.dt * bend


@kernel
def perpendicular_part(path, x):
    """Return the component of x perpendicular to `path`."""
    square = vec.dot(path, path)
    return vec.axpy(-vec.dot(path, x) / square, path, x) if square > 0.0 else x


@kernel
def end_curvature(model, state, settings, work, end, point, acceleration, is_exact):
    """Return the change of velocity of an end of a constraint until the end of the step, and its sag.

    point: position of side B's end, where the forces act; acceleration: of the body there
    (`attached_motion`), which gives dt/2 a and dt²/8 a. For a free body on constraints both follow from its
    exact rotation: the change is ω₁ × r₁ − ω × r; the sag is the deviation of the end from its tangent at the
    start of the step. The impulse of the step changes ω from `before` to `after`; along the path its work
    counts at the mean of both.
    """
    h = 0.5 * settings.dt
    drift = vec.scale(h, acceleration)
    sag = vec.scale(midstep_sag(settings, 1.0), acceleration)
    tree = constrained_tree(model, end)
    if tree < 0 or not is_exact:
        return drift, sag
    before, after = pushed_spins(model, work, tree)
    a = model.joint_q[model.tree_body[tree]]
    middle = vec.load(work.body_pos, model.tree_body[tree])
    arm = vec.sub(point, middle)
    path = vec.cross(spin_of(model, work.mid_v, tree), arm)

    at = quat.load(work.mid_q, a + 3)
    spin, end_omega = free_rotation(model, tree, at, after, h)
    x = spatial.load(work.constrained_shift, tree)
    turn = quat.mul(quat.exp((x[0], x[1], x[2])), quat.cayley(vec.scale(h, spin)))
    end_speed = vec.cross(end_omega, arm_at(model, end, quat.mul(turn, at)))
    drift = vec.sub(end_speed, vec.cross(after, arm))
    more = vec.sub(curvature_at(model, work, tree, after, arm), curvature_at(model, work, tree, before, arm))
    more = vec.scale(0.5 * h, perpendicular_part(path, more))
    drift = vec.sub(drift, more)

    first_arm = arm_at(model, end, quat.load(state.q, a + 3))
    first = vec.add((state.q[a], state.q[a + 1], state.q[a + 2]), first_arm)
    speed = constrained_velocity(model, state.v, tree, first_arm)
    sag = vec.axpy(-h, speed, vec.sub(vec.add(middle, arm_at(model, end, at)), first))
    early = vec.sub(acceleration, curvature_at(model, work, tree, before, arm))
    return drift, vec.axpy(0.5 * h * h, perpendicular_part(path, early), sag)


@kernel
def is_free(model, c):
    """Tell whether each end of constraint c is a free body that impulses move, or fixed."""
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0 and constrained_tree(model, 2 * c + side) < 0:
            if model.body_chain_len[body] > 0:
                return False
            if model.tree_kind[model.body_tree[body]] == Kind.KINEMATIC:
                return False
    return True


@kernel
def free_end_speed(model, settings, work, c, n, bend):
    """Return the excess [m/s] of the separation speed of constraint c's free ends over that by curvature.

    n: its row, not closed yet; bend: curvature of the gap of the whole constraint without forces [m/s²]. It
    is positive if bodies start with velocities that disagree. It is 0 for ends of robots, and in loops, whose
    rows must agree.
    """
    if settings.integrator == Integrator.SEMI_IMPLICIT or not is_free(model, c) or is_in_loop(model, work, c):
        return 0.0
    speed = add_scalar_row_response(model, work, n, work.start_velocity, 0.0)
    return max(0.0, abs(speed) - settings.dt * bend)


@kernel
def hard_target(settings, erp, gap, drift, sag, opens, parts, is_stop):
    """Return target velocity of a hard row, its part that closes the gap, and the speed of the shift.

    gap, sag: mid-step gap and its sag [m]. drift: increase of the gap's rate until the end of the step,
    without impulses [m/s]. opens: most that the step itself opens, by curvature or a change of length [m].
    parts: `free_end_speed`.

    A stop may approach by its whole gap in one step. An overlap of it, or the gap of an equation, closes by a
    part erp, at most at the push-out speed of the world plus half of `parts`. Velocities close only what the
    step itself opens, by weight and curvature; positions close the rest.
    """
    dt = settings.dt
    rest = gap - sag
    if is_stop and rest > 0.0:
        return -rest / dt - drift, 0.0, 0.0
    fastest = settings.max_push_out_speed + 0.5 * parts
    speed = min(max(-erp * rest / dt, -fastest), fastest)
    own = step_speed(settings) + opens / dt
    near = min(max(speed, -own), own)
    if is_stop and near != speed:  # a stop would keep this velocity
        near = 0.0
    return near - drift, near, speed - near


@kernel
def place_ends(model, q, work, c):
    """Compute the poses of the two bodies of constraint c, and of their ancestors, at coordinates q.

    Writes: work.
    """
    for side in range(2):
        body = model.constraint_body[c, side]
        if body < 0:
            continue
        for i in range(model.tree_body[model.body_tree[body]], body + 1):
            p, r = kinematics.body_pose(model, q, work.relative_pos, work.relative_rot, i)
            vec.store(work.relative_pos, i, p)
            vec.store_mat(work.relative_rot, i, r)
