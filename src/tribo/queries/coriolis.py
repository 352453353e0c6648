"""The Coriolis matrix C with h = C v + weight, for which Ṁ − 2 C is skew.

C_ij = s_iᵀ (I^c ṡ_j + B^c s_j), where I^c and B^c belong to the deeper of the two joints' bodies and
all that hangs on it, and   B = ½ (v ×* I − I v × + (I v) ×̄*),   (f ×̄*) m = m ×* f.
Source: Echeandia, Wensing 2021, "Numerical methods to compute the Coriolis matrix and Christoffel
symbols for rigid-body systems", algorithm 1, about a common point.
"""

from tribo.compiler.jit import entry, kernel
from tribo.compiler.record import world_of
from tribo.dynamics import inertia, kinematics
from tribo.math import spatial
from tribo.queries.inverse import body_motions
from tribo.queries.joints import axis_rates
from tribo.queries.momentum import composites


@kernel
def unit(k):
    """Return the k-th unit vector of six numbers."""
    return (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2), 1.0 * (k == 3), 1.0 * (k == 4), 1.0 * (k == 5))


@kernel
def body_rates(work, scratch):
    """Store B of every body.

    Writes: scratch.
    """
    for i in range(work.body_inertia.shape[0]):
        velocity = spatial.load(work.body_vel, i)
        momentum = spatial.inertia_times(work.body_inertia, i, velocity)
        for k in range(6):
            e = unit(k)
            carried = spatial.cross_force(velocity, spatial.inertia_times(work.body_inertia, i, e))
            turned = spatial.inertia_times(work.body_inertia, i, spatial.cross_motion(velocity, e))
            swept = spatial.cross_force(e, momentum)
            for r in range(6):
                scratch.body_rate[i, 6 * r + k] = 0.5 * (carried[r] - turned[r] + swept[r])


@kernel
def collect_rates(model, scratch):
    """Add B of every body up to those of its ancestors.

    Writes: scratch.
    """
    for i in range(model.body_parent.shape[0] - 1, 0, -1):
        parent = model.body_parent[i]
        for k in range(36):
            scratch.body_rate[parent, k] += scratch.body_rate[i, k]


@kernel
def rate_times(rate, i, s):
    """Return B s of the matrix in row i of an (n, 36) array."""
    return (
        spatial.dot((rate[i, 0], rate[i, 1], rate[i, 2], rate[i, 3], rate[i, 4], rate[i, 5]), s),
        spatial.dot((rate[i, 6], rate[i, 7], rate[i, 8], rate[i, 9], rate[i, 10], rate[i, 11]), s),
        spatial.dot((rate[i, 12], rate[i, 13], rate[i, 14], rate[i, 15], rate[i, 16], rate[i, 17]), s),
        spatial.dot((rate[i, 18], rate[i, 19], rate[i, 20], rate[i, 21], rate[i, 22], rate[i, 23]), s),
        spatial.dot((rate[i, 24], rate[i, 25], rate[i, 26], rate[i, 27], rate[i, 28], rate[i, 29]), s),
        spatial.dot((rate[i, 30], rate[i, 31], rate[i, 32], rate[i, 33], rate[i, 34], rate[i, 35]), s),
    )


@kernel
def column(work, scratch, body, dof):
    """Return I^c ṡ + B^c s of a dof, with I^c and B^c of a body."""
    inertial = spatial.inertia_times(work.body_composite, body, spatial.load(scratch.dof_rate, dof))
    swept = rate_times(scratch.body_rate, body, spatial.load(work.dof_axis, dof))
    return spatial.axpy(1.0, inertial, swept)


@entry
def coriolis_matrices(model, settings, work, scratch, q, v, out):
    """Write C for N states into zeros of shape (N, nv, nv).

    Writes: work, scratch, out.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        inertia.rotate_inertias(here, work, 0, here.body_parent.shape[0])
        body_motions(here, world_of(settings, e), v[e], scratch.still, 0.0, work)
        axis_rates(here, v[e], work, scratch)
        body_rates(work, scratch)
        collect_rates(here, scratch)
        composites(here, work)
        for dof in range(out.shape[1]):
            body = here.dof_body[dof]
            chain = here.body_chain_start[body]
            own = column(work, scratch, body, dof)
            axis = spatial.load(work.dof_axis, dof)
            for p in range(here.dof_depth[dof] + 1):
                other = here.chain_dof[chain + p]
                out[e, other, dof] = spatial.dot(spatial.load(work.dof_axis, other), own)
                out[e, dof, other] = spatial.dot(axis, column(work, scratch, body, other))
