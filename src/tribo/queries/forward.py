"""Forward dynamics: how does a tree accelerate under given forces?

Articulated bodies about the tree origin, one degree of freedom after another: a joint of several is
a chain of massless bodies. The accelerations that velocities and gravity cause go into the bodies'
forces first, so that the recursion itself is linear.
Source: Featherstone 2008, table 7.1, about a common point; cost O(number of dofs).
"""

from tribo.dynamics import kinematics
from tribo.jit import entry, kernel
from tribo.math import spatial
from tribo.queries.inverse import body_forces
from tribo.queries.joints import dof_count
from tribo.record import world_of


@kernel
def load_inertia(array, i):
    """Return row i of an (n, 21) array: a symmetric 6×6 matrix, upper triangle row by row."""
    return (
        array[i, 0], array[i, 1], array[i, 2], array[i, 3], array[i, 4], array[i, 5],
        array[i, 6], array[i, 7], array[i, 8], array[i, 9], array[i, 10],
        array[i, 11], array[i, 12], array[i, 13], array[i, 14],
        array[i, 15], array[i, 16], array[i, 17],
        array[i, 18], array[i, 19],
        array[i, 20],
    )  # fmt: skip


@kernel
def times(a, s):
    """Return A s of a symmetric 6×6 matrix in 21 numbers."""
    return (
        a[0] * s[0] + a[1] * s[1] + a[2] * s[2] + a[3] * s[3] + a[4] * s[4] + a[5] * s[5],
        a[1] * s[0] + a[6] * s[1] + a[7] * s[2] + a[8] * s[3] + a[9] * s[4] + a[10] * s[5],
        a[2] * s[0] + a[7] * s[1] + a[11] * s[2] + a[12] * s[3] + a[13] * s[4] + a[14] * s[5],
        a[3] * s[0] + a[8] * s[1] + a[12] * s[2] + a[15] * s[3] + a[16] * s[4] + a[17] * s[5],
        a[4] * s[0] + a[9] * s[1] + a[13] * s[2] + a[16] * s[3] + a[18] * s[4] + a[19] * s[5],
        a[5] * s[0] + a[10] * s[1] + a[14] * s[2] + a[17] * s[3] + a[19] * s[4] + a[20] * s[5],
    )


@kernel
def without(a, g, u):
    """Return A − g u uᵀ: what is left of an inertia that gives way in one direction."""
    x, y, z, r, s, t = g * u[0], g * u[1], g * u[2], g * u[3], g * u[4], g * u[5]
    return (
        a[0] - x * u[0], a[1] - x * u[1], a[2] - x * u[2],
        a[3] - x * u[3], a[4] - x * u[4], a[5] - x * u[5],
        a[6] - y * u[1], a[7] - y * u[2], a[8] - y * u[3], a[9] - y * u[4], a[10] - y * u[5],
        a[11] - z * u[2], a[12] - z * u[3], a[13] - z * u[4], a[14] - z * u[5],
        a[15] - r * u[3], a[16] - r * u[4], a[17] - r * u[5],
        a[18] - s * u[4], a[19] - s * u[5],
        a[20] - t * u[5],
    )  # fmt: skip


@kernel
def start_inertias(work, articulated):
    """Start every articulated inertia with that of its body.

    Writes: articulated.
    """
    rigid = work.body_inertia
    for i in range(articulated.shape[0]):
        m, x, y, z = rigid[i, 0], rigid[i, 1], rigid[i, 2], rigid[i, 3]
        full = (
            rigid[i, 4], rigid[i, 7], rigid[i, 8], 0.0, -z, y,
            rigid[i, 5], rigid[i, 9], z, 0.0, -x,
            rigid[i, 6], -y, x, 0.0,
            m, 0.0, 0.0,
            m, 0.0,
            m,
        )  # fmt: skip
        for k in range(21):
            articulated[i, k] = full[k]


@kernel
def eliminate(model, tau, work, scratch):
    """From the leaves to the root: what does each dof see of the bodies behind it?

    Writes: work, scratch.
    """
    for i in range(model.body_parent.shape[0] - 1, -1, -1):
        articulated = load_inertia(scratch.articulated, i)
        force = spatial.load(work.body_force, i)
        first = model.joint_v[i]
        for dof in range(first + dof_count(model.joint_type[i]) - 1, first - 1, -1):
            axis = spatial.load(work.dof_axis, dof)
            column = times(articulated, axis)
            pivot = 1.0 / (spatial.dot(axis, column) + model.dof_armature[dof])
            rest = tau[dof] - spatial.dot(axis, force)
            spatial.store(scratch.dof_force, dof, column)
            scratch.dof_pivot[dof] = pivot
            scratch.dof_rest[dof] = rest
            articulated = without(articulated, pivot, column)
            force = spatial.axpy(pivot * rest, column, force)
        parent = model.body_parent[i]
        if parent >= 0:
            for k in range(21):
                scratch.articulated[parent, k] += articulated[k]
            spatial.accumulate(work.body_force, parent, force)


@kernel
def accelerate(model, work, scratch, vdot):
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
            missing = scratch.dof_rest[dof] - spatial.dot(
                spatial.load(scratch.dof_force, dof), acceleration
            )
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
        kinematics.forward(here, q[e], work)
        body_forces(here, world_of(settings, e), v[e], scratch.still, 1.0, work)
        start_inertias(work, scratch.articulated)
        eliminate(here, tau[e], work, scratch)
        accelerate(here, work, scratch, vdot[e])
