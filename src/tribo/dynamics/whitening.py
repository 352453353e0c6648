"""Conversion to and from whitened coordinates z = D^(1/2) L v, in which the kinetic energy is ½‖z‖²."""

from tribo.compiler.jit import kernel
from tribo.dynamics import articulated
from tribo.math import six
from tribo.model import Joint, Kind


@kernel
def whiten(model, work, x):
    """Convert generalized impulses to whitened coordinates (0 for dofs that forces do not move).

    x ← D^(−1/2) L⁻ᵀ x; `unwhiten` of it is M̂⁻¹ x.

    Writes: work, x.
    """
    for t in range(model.tree_body.shape[0]):
        whiten_tree(model, work, t, x)


@kernel
def whiten_dof(model, factor, dof, lowest, x):
    """Eliminate a dof from the dofs before it, from `lowest` of its row on; return its own number.

    Writes: x.
    """
    row = model.dof_row[dof]
    chain = model.body_chain_start[model.dof_body[dof]]
    s = x[dof]
    for p in range(lowest, model.dof_depth[dof]):
        x[model.chain_dof[chain + p]] -= factor[row + p] * s
    return s


@kernel
def whiten_tree(model, work, t, x):
    """Convert generalized impulses on one tree to whitened coordinates, as `whiten`.

    Writes: work, x.
    """
    factor = work.mass_factor
    first = model.tree_v[t]
    last = first + model.tree_nv[t]
    if model.tree_kind[t] != Kind.DYNAMIC:
        for dof in range(first, last):
            x[dof] = 0.0
        return
    if work.tree_is_rowless[t] == 1:
        articulated.whiten_articulated(model, work, t, x)
        return
    lowest = 3 if model.tree_is_single[t] == 1 else 0
    if model.joint_type[model.tree_body[t]] == Joint.FREE and last > first + 6:
        base = six.load_at(x, first)
        for dof in range(last - 1, first + 5, -1):
            row = model.dof_row[dof]
            s = whiten_dof(model, factor, dof, 6, x)
            base = six.axpy(-s, six.load_at(factor, row), base)
            x[dof] = s * work.dof_scale[dof]
        six.store_at(x, first, base)
        last = first + 6
    for dof in range(last - 1, first - 1, -1):
        s = whiten_dof(model, factor, dof, lowest, x)
        x[dof] = s * work.dof_scale[dof]


@kernel
def unwhiten(model, work, z, out):
    """Convert whitened coordinates to velocities. out = L⁻¹ D^(−1/2) z

    Writes: work, out.
    """
    for t in range(model.tree_body.shape[0]):
        unwhiten_tree(model, work, t, z, out)


@kernel
def unwhitened(model, work, dof, lowest, z, out):
    """Return the velocity of a dof without the contributions of dofs before `lowest` of its row."""
    row = model.dof_row[dof]
    chain = model.body_chain_start[model.dof_body[dof]]
    x = z[dof] * work.dof_scale[dof]
    for p in range(lowest, model.dof_depth[dof]):
        x -= work.mass_factor[row + p] * out[model.chain_dof[chain + p]]
    return x


@kernel
def unwhiten_tree(model, work, t, z, out):
    """Convert whitened coordinates of one tree to velocities, as `unwhiten`.

    Writes: work, out.
    """
    factor = work.mass_factor
    first = model.tree_v[t]
    last = first + model.tree_nv[t]
    if model.tree_kind[t] != Kind.DYNAMIC:
        for dof in range(first, last):
            out[dof] = 0.0
        return
    if work.tree_is_rowless[t] == 1:
        articulated.unwhiten_articulated(model, work, t, z, out)
        return
    lowest = 3 if model.tree_is_single[t] == 1 else 0
    for dof in range(first, min(last, first + 6)):
        out[dof] = unwhitened(model, work, dof, lowest, z, out)
    if last <= first + 6:
        return
    if model.joint_type[model.tree_body[t]] != Joint.FREE:
        for dof in range(first + 6, last):
            out[dof] = unwhitened(model, work, dof, 0, z, out)
        return
    base = six.load_at(out, first)
    for dof in range(first + 6, last):
        carried = six.dot(six.load_at(factor, model.dof_row[dof]), base)
        out[dof] = unwhitened(model, work, dof, 6, z, out) - carried


@kernel
def whitened_rate(model, work, dof, lowest, v):
    """Return the whitened coordinate of a dof for velocities v; 0 if forces do not move it.

    z = D^(1/2) L v; entries before `lowest` of the row of L are 0.
    """
    if work.dof_scale[dof] == 0.0:
        return 0.0
    row = model.dof_row[dof]
    chain = model.body_chain_start[model.dof_body[dof]]
    rate = v[dof]
    for p in range(lowest, model.dof_depth[dof]):
        rate += work.mass_factor[row + p] * v[model.chain_dof[chain + p]]
    return rate / work.dof_scale[dof]


@kernel
def whiten_velocity(model, work, t, v, out):
    """Write the whitened coordinates of the velocity of a tree with rows. z = D^(1/2) L v

    Writes: out.
    """
    lowest = 3 if model.tree_is_single[t] == 1 else 0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        out[dof] = whitened_rate(model, work, dof, lowest, v)


@kernel
def twice_energy(model, work, t, v):
    """Return v·M̂ v of a tree with rows [J]; dofs that forces do not move count as at rest."""
    total = 0.0
    lowest = 3 if model.tree_is_single[t] == 1 else 0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        rate = whitened_rate(model, work, dof, lowest, v)
        total += rate * rate
    return total
