"""The mass matrix as a full matrix, its inverse, and solves with it."""

from tribo.compiler.jit import entry
from tribo.compiler.record import world_of
from tribo.dynamics import inertia, kinematics, whitening


@entry
def mass_matrices(model, work, q, out):
    """Write M for N states into zeros of shape (N, nv, nv).

    Writes: work, out.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        inertia.compute_mass_matrix(here, work)
        for dof in range(out.shape[1]):
            row = here.dof_row[dof]
            chain = here.body_chain_start[here.dof_body[dof]]
            for p in range(here.dof_depth[dof] + 1):
                other = here.chain_dof[chain + p]
                value = work.mass_matrix[row + p]
                out[e, dof, other] = value
                out[e, other, dof] = value


@entry
def solves(model, work, q, right, out):
    """Write M⁻¹ times each row of `right` (N, k, nv), for N states; k unit vectors give M⁻¹.

    Writes: work, out.
    """
    for e in range(q.shape[0]):
        here = world_of(model, e)
        kinematics.compute_poses(here, q[e], work)
        inertia.compute_mass_matrix(here, work)
        inertia.factorize(here, work)
        for k in range(right.shape[1]):
            for dof in range(out.shape[2]):
                work.response[dof] = right[e, k, dof]
            whitening.whiten(here, work, work.response)
            whitening.unwhiten(here, work, work.response, out[e, k])
