"""Inverse dynamics: which forces make a tree move with given accelerations?

Recursive Newton–Euler about the tree origin: bodies' velocities and accelerations down the tree,
the forces that they need up the tree.
Source: Featherstone 2008, table 5.1, about a common point.
"""

from tribo.compiler.jit import entry, kernel
from tribo.compiler.record import world_of
from tribo.dynamics import inertia, kinematics
from tribo.dynamics.articulated import dof_count
from tribo.dynamics.bias import body_motion, project_forces
from tribo.math import spatial, vec


@kernel
def body_motions(model, settings, v, vdot, weight, work):
    """Store velocity and acceleration of every body; weight 1: gravity as acceleration upwards.

    Writes: work.
    """
    zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    start = (
        0.0, 0.0, 0.0,
        -weight * settings.gravity_x, -weight * settings.gravity_y, -weight * settings.gravity_z,
    )  # fmt: skip
    for i in range(model.body_parent.shape[0]):
        parent = model.body_parent[i]
        velocity = zero
        acceleration = start
        if parent >= 0:
            velocity = spatial.load(work.body_vel, parent)
            acceleration = spatial.load(work.body_acc, parent)
        velocity, acceleration = body_motion(model, v, work, i, velocity, acceleration)
        dof = model.joint_v[i]
        for k in range(dof, dof + dof_count(model.joint_type[i])):
            acceleration = spatial.axpy(vdot[k], spatial.load(work.dof_axis, k), acceleration)
        spatial.store(work.body_vel, i, velocity)
        spatial.store(work.body_acc, i, acceleration)


@kernel
def body_forces(model, settings, v, vdot, weight, work):
    """Store the force that every body needs for its motion.   f = I a + v ×* I v

    Writes: work.
    """
    inertia.rotate_inertias(model, work, 0, model.body_parent.shape[0])
    body_motions(model, settings, v, vdot, weight, work)
    for i in range(model.body_parent.shape[0]):
        velocity = spatial.load(work.body_vel, i)
        momentum = spatial.inertia_times(work.body_inertia, i, velocity)
        needed = spatial.inertia_times(work.body_inertia, i, spatial.load(work.body_acc, i))
        force = spatial.axpy(1.0, needed, spatial.cross_force(velocity, momentum))
        spatial.store(work.body_force, i, force)


@kernel
def subtract_wrench(model, wrench, work):
    """Take off the body forces what acts from outside: torque and force at the centres of mass.

    Writes: work.
    """
    origin = vec.load(work.body_pos, 0)
    for i in range(model.body_parent.shape[0]):
        com = vec.mat_vec(vec.load_mat(work.body_rot, i), vec.load(model.body_com, i))
        arm = vec.sub(vec.add(vec.load(work.body_pos, i), com), origin)
        force = (wrench[i, 3], wrench[i, 4], wrench[i, 5])
        moment = vec.cross(arm, force)
        for k in range(3):
            work.body_force[i, k] -= wrench[i, k] + moment[k]
            work.body_force[i, 3 + k] -= force[k]


@entry
def inverse_dynamics(model, settings, work, q, v, vdot, weight, tau):
    """Write τ = M v̇ + h for N states; weight 0 leaves gravity out.

    Writes: work, tau.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        body_forces(here, world_of(settings, e), v[e], vdot[e], weight, work)
        project_forces(here, work, 0, tau[e])
        for dof in range(v.shape[1]):
            tau[e, dof] += here.dof_armature[dof] * vdot[e, dof]


@entry
def joint_reactions(model, settings, work, q, v, vdot, wrench, tau, reaction):
    """Write the wrench that each body receives from its parent, and τ, for N states.

    reaction (N, nbody, 6): torque about the body's origin and force, world axes; wrench (N, nbody, 6):
    torque and force that act on the bodies' centres of mass from outside.

    Writes: work, tau, reaction.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        body_forces(here, world_of(settings, e), v[e], vdot[e], 1.0, work)
        subtract_wrench(here, wrench[e], work)
        project_forces(here, work, 0, tau[e])
        for dof in range(v.shape[1]):
            tau[e, dof] += here.dof_armature[dof] * vdot[e, dof]
        origin = vec.load(work.body_pos, 0)
        for i in range(here.body_parent.shape[0]):
            arm = vec.sub(vec.load(work.body_pos, i), origin)
            force = (work.body_force[i, 3], work.body_force[i, 4], work.body_force[i, 5])
            moment = vec.cross(arm, force)
            for k in range(3):
                reaction[e, i, k] = work.body_force[i, k] - moment[k]
                reaction[e, i, 3 + k] = force[k]
