"""Passive forces: what do joints feel of springs, damping and borne weight?"""

from tribo.compiler.jit import entry
from tribo.compiler.record import world_of
from tribo.dynamics import kinematics, springs
from tribo.dynamics.bias import project_forces
from tribo.math import vec
from tribo.model import Joint


@entry
def passive_forces(model, settings, work, q, v, tau):
    """Write the generalized force of springs, damping and borne weight for N states, (N, dof).

    −k (q − q₀) − d v + Jᵀ (−share m g) at the centres of mass.

    Writes: work, tau.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        its = world_of(settings, e)
        kinematics.compute_poses(here, q[e], work)
        origin = vec.load(work.body_pos, 0)
        for i in range(here.body_parent.shape[0]):
            com = vec.mat_vec(vec.load_mat(work.body_rot, i), vec.load(here.body_com, i))
            arm = vec.sub(vec.add(vec.load(work.body_pos, i), com), origin)
            lift = -here.body_support[i] * here.body_mass[i]
            force = (lift * its.gravity_x, lift * its.gravity_y, lift * its.gravity_z)
            moment = vec.cross(arm, force)
            for k in range(3):
                work.body_force[i, k] = moment[k]
                work.body_force[i, 3 + k] = force[k]
            if here.joint_type[i] != Joint.FIXED:
                springs.set_errors(
                    here, here.dof_stiffness, q[e], here.spring_reference, i, work.spring_error
                )
        project_forces(here, work, 0, tau[e])
        for dof in range(v.shape[1]):
            tau[e, dof] -= here.dof_stiffness[dof] * work.spring_error[dof]
            tau[e, dof] -= here.dof_damping[dof] * v[e, dof]
