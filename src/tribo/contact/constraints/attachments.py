"""Where constraints hold on to bodies, how these move there, and how fast a gap is to close.

A hard row closes its gap g at the *end* of the step. The mid-steps follow one another by dt v⁺ along a curve
that bends by κ = d²g/dt² without forces (constant joint velocities; a free body tumbles), so the target is

    w* = −erp (g − s)/dt − dt/2 κ,   s = dt²/8 κ (midpoint), 0 (semi-implicit)

where s is how far the curve sags between two ends of steps. What is left is of third order in dt;
`projection` takes it out of the positions at the end of the step.
Source: Ryckaert, Ciccotti, Berendsen 1977 (positions of the next step), with Moreau's midpoint rule.
"""

from tribo.compiler.jit import kernel
from tribo.dynamics import kinematics
from tribo.dynamics.bias import is_split
from tribo.math import linalg, spatial, vec
from tribo.model import Integrator

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
