"""Forward dynamics: how does a tree accelerate under given forces?

Articulated bodies about the tree origin, one degree of freedom after another: a joint of several is
a chain of massless bodies. The accelerations that velocities and gravity cause go into the bodies'
forces first, so that the recursion itself is linear.
Source: Featherstone 2008, table 7.1, about a common point; cost O(number of dofs).
"""

from tribo.compiler.jit import entry, kernel
from tribo.compiler.record import world_of
from tribo.dynamics import kinematics
from tribo.dynamics.articulated import add_inertia, dof_count, release_dof, start_inertias, times_axis
from tribo.math import six, spatial
from tribo.queries.inverse import body_forces


@kernel
def eliminate_to_root(model, tau, work, scratch):
    """From the leaves to the root: what does each dof see of the bodies behind it?

    Writes: work, scratch.
    """
    for i in range(model.body_parent.shape[0] - 1, -1, -1):
        force = six.load(work.body_force, i)
        first = model.joint_v[i]
        for dof in range(first + dof_count(model.joint_type[i]) - 1, first - 1, -1):
            axis = six.load(work.dof_axis, dof)
            column = times_axis(scratch.articulated, i, work.dof_axis, dof)
            six.store(scratch.dof_force, dof, column)
            pivot = 1.0 / (six.dot(axis, column) + model.dof_armature[dof])
            rest = tau[dof] - six.dot(axis, force)
            scratch.dof_pivot[dof] = pivot
            scratch.dof_rest[dof] = rest
            release_dof(scratch.articulated, i, pivot, column, scratch.dof_force, dof)
            force = six.axpy(pivot * rest, column, force)
        parent = model.body_parent[i]
        if parent >= 0:
            add_inertia(scratch.articulated, parent, i)
            six.store(work.body_force, parent, six.add(force, six.load(work.body_force, parent)))


@kernel
def find_accelerations(model, work, scratch, vdot):
    """From the root to the leaves: the accelerations, given those of the parents.

    Writes: work, vdot.
    """
    for i in range(model.body_parent.shape[0]):
        parent = model.body_parent[i]
        acceleration = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        if parent >= 0:
            acceleration = spatial.load(work.body_acc, parent)
        first = model.joint_v[i]
        for dof in range(first, first + dof_count(model.joint_type[i])):
            missing = scratch.dof_rest[dof] - spatial.dot(spatial.load(scratch.dof_force, dof), acceleration)
            vdot[dof] = missing * scratch.dof_pivot[dof]
            axis = spatial.load(work.dof_axis, dof)
            acceleration = spatial.axpy(vdot[dof], axis, acceleration)
        spatial.store(work.body_acc, i, acceleration)


@entry
def forward_dynamics(model, settings, work, scratch, q, v, tau, vdot):
    """Write v̇ = M⁻¹ (τ − h) for N states.

    Writes: work, scratch, vdot.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        body_forces(here, world_of(settings, e), v[e], scratch.still, 1.0, work)
        start_inertias(work.body_inertia, scratch.articulated, 0, here.body_parent.shape[0])
        eliminate_to_root(here, tau[e], work, scratch)
        find_accelerations(here, work, scratch, vdot[e])
