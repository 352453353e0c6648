"""A point fixed to a body: where it is, how it moves, its Jacobian and the rate of that."""

from tribo.compiler.jit import entry, kernel
from tribo.compiler.record import world_of
from tribo.dynamics import kinematics
from tribo.math import spatial, vec
from tribo.queries.inverse import body_motions
from tribo.queries.joints import axis_rates


@kernel
def point_place(work, body, local):
    """Return where a point of a body is [m], world."""
    p = vec.load(work.body_pos, body)
    return vec.add(p, vec.mat_vec(vec.load_mat(work.body_rot, body), local))


@kernel
def velocity_at(motion, arm):
    """Return the linear part of a spatial motion at another point.   v + ω × arm"""
    turn = vec.cross((motion[0], motion[1], motion[2]), arm)
    return (motion[3] + turn[0], motion[4] + turn[1], motion[5] + turn[2])


@entry
def motions(model, settings, work, q, v, vdot, body, point, out):
    """Write the motion of a point (N, 3), body frame, for N states, (N, 24).

    position (3) [m]; rotation of the body (9); velocity, angular velocity, acceleration and angular
    acceleration (3 each), world axes.

    Writes: work, out.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        body_motions(here, world_of(settings, e), v[e], vdot[e], 0.0, work)
        p = point_place(work, body, vec.load(point, e))
        arm = vec.sub(p, vec.load(work.body_pos, 0))
        motion = spatial.load(work.body_vel, body)
        change = spatial.load(work.body_acc, body)
        velocity = velocity_at(motion, arm)
        turn = vec.cross((motion[0], motion[1], motion[2]), velocity)
        acceleration = vec.add(velocity_at(change, arm), turn)
        for k in range(9):
            out[e, 3 + k] = work.body_rot[body, k]
        for k in range(3):
            out[e, k] = p[k]
            out[e, 12 + k] = velocity[k]
            out[e, 15 + k] = motion[k]
            out[e, 18 + k] = acceleration[k]
            out[e, 21 + k] = change[k]


@entry
def poses(model, work, q, position, rotation):
    """Write positions (N, nbody, 3) [m] and rotations (N, nbody, 9) of all bodies for N states.

    Writes: work, position, rotation.
    """
    for e in range(q.shape[0]):
        kinematics.compute_poses(world_of(model, e), q[e], work)
        for i in range(position.shape[1]):
            vec.store(position[e], i, vec.load(work.body_pos, i))
            vec.store_mat(rotation[e], i, vec.load_mat(work.body_rot, i))


@entry
def velocities(model, settings, work, q, v, vdot, linear, angular):
    """Write velocities (N, nbody, 3) [m/s] of all bodies' origins and angular ones [rad/s] for N states.

    Writes: work, linear, angular.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        body_motions(here, world_of(settings, e), v[e], vdot[e], 0.0, work)
        origin = vec.load(work.body_pos, 0)
        for i in range(linear.shape[1]):
            motion = spatial.load(work.body_vel, i)
            arm = vec.sub(vec.load(work.body_pos, i), origin)
            vec.store(linear[e], i, velocity_at(motion, arm))
            vec.store(angular[e], i, (motion[0], motion[1], motion[2]))


@entry
def jacobians(model, work, q, body, point, out):
    """Write the Jacobian of a point (N, 3), body frame, for N states into zeros (N, 6, nv).

    Rows: velocity of the point, then angular velocity of its body, world axes.   J v = (ṗ, ω)

    Writes: work, out.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        arm = vec.sub(point_place(work, body, vec.load(point, e)), vec.load(work.body_pos, 0))
        first = here.body_chain_start[body]
        for c in range(first, first + here.body_chain_len[body]):
            dof = here.chain_dof[c]
            axis = spatial.load(work.dof_axis, dof)
            linear = velocity_at(axis, arm)
            for k in range(3):
                out[e, k, dof] = linear[k]
                out[e, 3 + k, dof] = axis[k]


@entry
def jacobian_rates(model, settings, work, scratch, q, v, body, point, out):
    """Write the time derivative of what `jacobians` writes, at velocities v.

    Writes: work, scratch, out.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        body_motions(here, world_of(settings, e), v[e], scratch.still, 0.0, work)
        axis_rates(here, v[e], work, scratch)
        arm = vec.sub(point_place(work, body, vec.load(point, e)), vec.load(work.body_pos, 0))
        velocity = velocity_at(spatial.load(work.body_vel, body), arm)
        first = here.body_chain_start[body]
        for c in range(first, first + here.body_chain_len[body]):
            dof = here.chain_dof[c]
            axis = spatial.load(work.dof_axis, dof)
            rate = spatial.load(scratch.dof_rate, dof)
            linear = vec.add(velocity_at(rate, arm), vec.cross((axis[0], axis[1], axis[2]), velocity))
            for k in range(3):
                out[e, k, dof] = linear[k]
                out[e, 3 + k, dof] = rate[k]
