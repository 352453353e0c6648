"""Attachments of constraints on bodies: points, velocities, and the target of closing a gap.

A hard row closes its gap g at the *end* of the step. The mid-steps follow one another by dt v⁺ along a curve
that bends by κ = d²g/dt² without forces (constant joint velocities; a free body tumbles), so the target is

    w* = −erp (g − s)/dt − dt/2 κ,   s = dt²/8 κ (midpoint), 0 (semi-implicit)

where s is how far the curve sags between two ends of steps. The remainder is of third order in dt. Of a free
body on constraints (`tied_drift`) less is left: instead of dt/2 κ and s, what it really turns counts, from
the beginning of the step to its end (`end_curvature`). Ties of robots that turn far do no work instead
(`constraint_work`). `project_positions` takes the rest out of the positions there.
Source: Ryckaert, Ciccotti, Berendsen 1977 (positions of the next step), with Moreau's midpoint rule.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import step_speed
from tribo.contact.problem.scalar_rows import row_speed
from tribo.dynamics import kinematics
from tribo.dynamics.bias import free_rotation, is_constrained_single
from tribo.dynamics.tied_drift import arm_at, pushed_spins, spin_of, tied_velocity
from tribo.dynamics.tied_groups import is_in_loop, tied_tree
from tribo.math import linalg, quat, spatial, vec
from tribo.model import Integrator, Kind

KINEMATIC = int(Kind.KINEMATIC)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
ZERO = (0.0, 0.0, 0.0)


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
    """Return the acceleration of a point of a free body without forces, as seen from its centre of mass."""
    alpha = free_acceleration(model, work, tree, omega)
    return vec.add(vec.cross(alpha, arm), vec.cross(omega, vec.cross(omega, arm)))


@kernel
def attached_motion(model, state, settings, work, body, point):
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
        alpha = free_acceleration(model, work, tree, omega) if is_constrained_single(model, tree) else ZERO
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
def midstep_sag(settings, bend):
    """Return how far a gap that bends by κ sags between two ends of steps."""
    if settings.integrator == SEMI_IMPLICIT:  # `rk4` takes midpoint steps here
        return 0.0
    return 0.125 * settings.dt * settings.dt * bend


@kernel
def perpendicular_part(path, x):
    """Return the part of a vector across a direction."""
    square = vec.dot(path, path)
    return vec.axpy(-vec.dot(path, x) / square, path, x) if square > 0.0 else x


@kernel
def end_curvature(model, state, settings, work, end, point, acceleration, is_exact):
    """Return by how much faster an end of a constraint moves at the end of the step, and how far it sags now.

    point: where the forces act, the place of side B's end; acceleration: of the body there, see
    `attached_motion`: dt/2 a and dt²/8 a. A free body on constraints turns by whatever it turns: ω₁ × r₁ − ω
    × r, and what the end has left of its tangent since the step began, at the velocities after the push and
    before it. Across its path the bend at the mean of both counts: the push is across and does no work.
    """
    h = 0.5 * settings.dt
    drift = vec.scale(h, acceleration)
    sag = vec.scale(midstep_sag(settings, 1.0), acceleration)
    tree = tied_tree(model, end)
    if tree < 0 or not is_exact:
        return drift, sag
    before, after = pushed_spins(model, work, tree)
    a = model.joint_q[model.tree_body[tree]]
    middle = vec.load(work.body_pos, model.tree_body[tree])
    arm = vec.sub(point, middle)
    path = vec.cross(spin_of(model, work.mid_v, tree), arm)

    at = quat.load(work.mid_q, a + 3)
    spin, end_omega = free_rotation(model, tree, at, after, h)
    x = spatial.load(work.tied_shift, tree)
    turn = quat.mul(quat.exp((x[0], x[1], x[2])), quat.cayley(vec.scale(h, spin)))
    end_speed = vec.cross(end_omega, arm_at(model, end, quat.mul(turn, at)))
    drift = vec.sub(end_speed, vec.cross(after, arm))
    more = vec.sub(curvature_at(model, work, tree, after, arm), curvature_at(model, work, tree, before, arm))
    more = vec.scale(0.5 * h, perpendicular_part(path, more))
    drift = vec.sub(drift, more)

    first_arm = arm_at(model, end, quat.load(state.q, a + 3))
    first = vec.add((state.q[a], state.q[a + 1], state.q[a + 2]), first_arm)
    speed = tied_velocity(model, state.v, tree, first_arm)
    sag = vec.axpy(-h, speed, vec.sub(vec.add(middle, arm_at(model, end, at)), first))
    early = vec.sub(acceleration, curvature_at(model, work, tree, before, arm))
    return drift, vec.axpy(0.5 * h * h, perpendicular_part(path, early), sag)


@kernel
def is_free(model, c):
    """Tell whether each end of constraint c is a free body that impulses move, or stands."""
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0 and tied_tree(model, 2 * c + side) < 0:
            if model.body_chain_len[body] > 0:
                return False
            if model.tree_kind[model.body_tree[body]] == KINEMATIC:
                return False
    return True


@kernel
def free_end_speed(model, settings, work, c, n, bend):
    """Return by how much faster [m/s] the free ends of constraint c part than by their bend, in its row n.

    n: not closed yet; bend: how the gap of the whole constraint bends without forces [m/s²]. It is more than
    zero where bodies began with velocities that do not agree. Ends of robots have none, nor do loops, whose
    rows must ask alike.
    """
    if settings.integrator == SEMI_IMPLICIT or not is_free(model, c) or is_in_loop(model, work, c):
        return 0.0
    return max(0.0, abs(row_speed(model, work, n, work.start_velocity)) - settings.dt * bend)


@kernel
def hard_target(settings, erp, gap, drift, sag, opens, parts, is_stop):
    """Return target velocity of a hard row, how much of it closes the gap, and at which speed positions do.

    gap, sag: how far it is open in mid step, and how much of that is the sag of its curve [m]. drift: by how
    much faster it opens at the end of the step than in the middle [m/s], if nothing pushes. opens: how far a
    step may open it by its bend, or by a change of its length [m]. parts: `free_end_speed`.

    A stop may come closer by the whole gap in one step; what is beyond it, or a gap of an equation, is taken
    back by a part erp of it, not faster than the world's push-out speed and than the half step before opened
    it, where bodies began with velocities that do not agree. Velocities take back what a step itself opens,
    by weight and by bending. All other gaps are closed in the positions.
    """
    dt = settings.dt
    rest = gap - sag
    if is_stop and rest > 0.0:
        return -rest / dt - drift, 0.0, 0.0
    fastest = settings.max_push_out_speed + 0.5 * parts
    speed = min(max(-erp * rest / dt, -fastest), fastest)
    own = step_speed(settings) + opens / dt
    near = min(max(speed, -own), own)
    if is_stop and near != speed:  # a velocity would last
        near = 0.0
    return near - drift, near, speed - near


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
            p, r = kinematics.body_pose(model, q, work.relative_pos, work.relative_rot, i)
            vec.store(work.relative_pos, i, p)
            vec.store_mat(work.relative_rot, i, r)
