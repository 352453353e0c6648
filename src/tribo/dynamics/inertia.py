"""Stages `inertia.mass_matrix` and `.factorize`: the mass matrix M and its sparse factor M̂ = Lᵀ D L.

Row i of a packed matrix holds the columns of the chain of dof i only, root first: a dof is coupled
with its ancestors and descendants and with nothing else, and the factor has the same pattern.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.dynamics import articulated
from tribo.math import spatial, vec
from tribo.model import Joint, Kind

DYNAMIC = int(Kind.DYNAMIC)
FREE = int(Joint.FREE)


@kernel
def body_inertias(model, work, first, count):
    """Turn the inertias of some bodies into world axes about their tree origin.

    Writes: work.
    """
    origin = vec.load(work.body_pos, first)
    inertia = work.body_inertia
    for i in range(first, first + count):
        r = vec.load_mat(work.body_rot, i)
        m = model.body_mass[i]
        c = vec.sub(
            vec.add(vec.load(work.body_pos, i), vec.mat_vec(r, vec.load(model.body_com, i))), origin
        )
        s = vec.rotate_sym(r, spatial.load(model.body_inertia, i))
        inertia[i, 0] = m
        inertia[i, 1] = m * c[0]
        inertia[i, 2] = m * c[1]
        inertia[i, 3] = m * c[2]
        inertia[i, 4] = s[0] + m * (c[1] * c[1] + c[2] * c[2])
        inertia[i, 5] = s[1] + m * (c[0] * c[0] + c[2] * c[2])
        inertia[i, 6] = s[2] + m * (c[0] * c[0] + c[1] * c[1])
        inertia[i, 7] = s[3] - m * c[0] * c[1]
        inertia[i, 8] = s[4] - m * c[0] * c[2]
        inertia[i, 9] = s[5] - m * c[1] * c[2]


@kernel
def single_mass(model, work, root):
    """Write M of a free body: mass and world inertia.

    Writes: work.
    """
    dof = model.joint_v[root]
    m = model.body_mass[root]
    matrix = work.mass_matrix
    for k in range(3):
        matrix[model.dof_row[dof + k] + k] = m + model.dof_armature[dof + k]
    s = vec.rotate_sym(vec.load_mat(work.body_rot, root), spatial.load(model.body_inertia, root))
    row = model.dof_row[dof + 3] + 3
    matrix[row] = s[0] + model.dof_armature[dof + 3]
    row = model.dof_row[dof + 4] + 3
    matrix[row] = s[3]
    matrix[row + 1] = s[1] + model.dof_armature[dof + 4]
    row = model.dof_row[dof + 5] + 3
    matrix[row] = s[4]
    matrix[row + 1] = s[5]
    matrix[row + 2] = s[2] + model.dof_armature[dof + 5]


@kernel
def base_columns(matrix, row, force):
    """Write the first six columns of a row: a floating base moves along the axes of the world.

    Writes: matrix.
    """
    matrix[row] = force[3]
    matrix[row + 1] = force[4]
    matrix[row + 2] = force[5]
    matrix[row + 3] = force[0]
    matrix[row + 4] = force[1]
    matrix[row + 5] = force[2]


@kernel
def composite_mass(model, work, t):
    """Write M of a tree whose bodies' inertias are known.   M_ij = S_jᵀ I^c_i S_i

    Writes: work.
    """
    composite = work.body_composite
    root = model.tree_body[t]
    count = model.tree_body_count[t]
    for i in range(root, root + count):
        for k in range(10):
            composite[i, k] = work.body_inertia[i, k]
    for i in range(root + count - 1, root, -1):
        parent = model.body_parent[i]
        for k in range(10):
            composite[parent, k] += composite[i, k]
    known = 6 if model.joint_type[root] == FREE else 0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        body = model.dof_body[dof]
        force = spatial.inertia_times(composite, body, spatial.load(work.dof_axis, dof))
        row = model.dof_row[dof]
        chain = model.body_chain_start[body]
        depth = model.dof_depth[dof]
        if known > 0:  # the rows of the base are shorter: what is too much, later rows write over
            base_columns(work.mass_matrix, row, force)
        for p in range(known, depth + 1):
            axis = spatial.load(work.dof_axis, model.chain_dof[chain + p])
            work.mass_matrix[row + p] = spatial.dot(axis, force)
        work.mass_matrix[row + depth] += model.dof_armature[dof]


@kernel
def mass_matrix(model, work):
    """Compute M by the composite-rigid-body method; of a tree that nothing touches only what it is made of.

    Writes: work.
    Cost: O(Σ depth of dofs).
    Source: Featherstone 2008, table 6.2, about a common point.
    """
    for t in range(model.tree_body.shape[0]):
        root = model.tree_body[t]
        if model.tree_nv[t] == 0:
            continue
        if model.tree_is_single[t] == 1:
            single_mass(model, work, root)
            continue
        body_inertias(model, work, root, model.tree_body_count[t])
        if work.tree_is_rowless[t] == 0:
            composite_mass(model, work, t)


@kernel
def factorize_single(model, work, first):
    """Factor M̂ of a free body: three masses, and a 3×3 block that they do not couple with.

    Writes: work.
    """
    factor = work.mass_factor
    matrix = work.mass_matrix
    scale = work.dof_scale
    extra = work.drive_inertia
    for k in range(3):
        at = model.dof_row[first + k] + k
        scale[first + k] = 1.0 / sqrt(matrix[at] + extra[first + k])
    x = model.dof_row[first + 3] + 3
    y = model.dof_row[first + 4] + 3
    z = model.dof_row[first + 5] + 3
    inverse = 1.0 / (matrix[z + 2] + extra[first + 5])
    a = matrix[z] * inverse
    b = matrix[z + 1] * inverse
    xy = matrix[y] - a * matrix[z + 1]
    yy = matrix[y + 1] + extra[first + 4] - b * matrix[z + 1]
    xx = matrix[x] + extra[first + 3] - a * matrix[z]
    factor[z] = a
    factor[z + 1] = b
    scale[first + 5] = sqrt(inverse)
    inverse = 1.0 / yy
    factor[y] = xy * inverse
    scale[first + 4] = sqrt(inverse)
    scale[first + 3] = 1.0 / sqrt(xx - factor[y] * xy)


@kernel
def subtract_base(factor, at, row, a):
    """Take a times the first six entries of a row of a matrix from six others.

    Writes: factor.
    """
    for k in range(6):
        factor[at + k] -= a * factor[row + k]


@kernel
def eliminate_from_base(factor, at, row, inverse):
    """Take a row's share off the block of a floating base, and divide the row's first six entries.

    Writes: factor.
    """
    f = (
        factor[row],
        factor[row + 1],
        factor[row + 2],
        factor[row + 3],
        factor[row + 4],
        factor[row + 5],
    )
    a = (
        f[0] * inverse,
        f[1] * inverse,
        f[2] * inverse,
        f[3] * inverse,
        f[4] * inverse,
        f[5] * inverse,
    )
    factor[at] -= a[0] * f[0]
    factor[at + 1] -= a[1] * f[0]
    factor[at + 2] -= a[1] * f[1]
    for k in range(3):
        factor[at + 3 + k] -= a[2] * f[k]
    for k in range(4):
        factor[at + 6 + k] -= a[3] * f[k]
    for k in range(5):
        factor[at + 10 + k] -= a[4] * f[k]
    for k in range(6):
        factor[at + 15 + k] -= a[5] * f[k]
    for k in range(6):
        factor[row + k] = a[k]


@kernel
def factorize_tree(model, work, t):
    """Factor M̂ of a tree into Lᵀ D L, in the pattern of M.

    Writes: work.
    Cost: O(Σ depth²).
    Source: Featherstone 2005, "Efficient factorization of the joint-space inertia matrix".
    """
    factor = work.mass_factor
    rows = model.dof_row
    first = model.tree_v[t]
    last = first + model.tree_nv[t]
    is_floating = model.joint_type[model.tree_body[t]] == FREE
    for i in range(rows[first], rows[last - 1] + model.dof_depth[last - 1] + 1):
        factor[i] = work.mass_matrix[i]
    for dof in range(last - 1, first - 1, -1):
        row = rows[dof]
        depth = model.dof_depth[dof]
        chain = model.body_chain_start[model.dof_body[dof]]
        inverse = 1.0 / (factor[row + depth] + work.drive_inertia[dof])
        work.dof_scale[dof] = sqrt(inverse)
        known = 6 if is_floating and depth >= 6 else 0
        for p in range(depth - 1, known - 1, -1):
            a = factor[row + p] * inverse
            other = model.chain_row[chain + p]
            if known > 0:
                subtract_base(factor, other, row, a)
            for k in range(known, p + 1):
                factor[other + k] -= a * factor[row + k]
            factor[row + p] = a
        if known > 0:
            eliminate_from_base(factor, rows[first], row, inverse)


@kernel
def factorize_moved(model, work, t):
    """Do what `factorize` does, for one tree that forces move.

    Writes: work.
    """
    if model.tree_is_single[t] == 1:
        factorize_single(model, work, model.tree_v[t])
    elif work.tree_is_rowless[t] == 1:
        articulated.factorize(model, work, t)
    else:
        factorize_tree(model, work, t)


@kernel
def factorize(model, work):
    """Factor M̂ = M + drives' share of the diagonal, or do what amounts to it without rows.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] != DYNAMIC or model.tree_nv[t] == 0:
            continue
        if work.tree_is_resting[t] == 1:
            continue
        factorize_moved(model, work, t)


@kernel
def need_rows(model, work, t):
    """Form M and its factor of a tree if that was thought not to be needed. z stays what it is.

    Writes: work.
    """
    work.tree_is_free[t] = 0
    if work.tree_is_rowless[t] == 1:
        work.tree_is_rowless[t] = 0
        composite_mass(model, work, t)
        factorize_tree(model, work, t)


@kernel
def whiten(model, work, x):
    """Turn generalized impulses into whitened coordinates (0 where forces do not move a dof).

    x ← D^(−1/2) L⁻ᵀ x; `unwhiten` of it is M̂⁻¹ x.

    Writes: work, x.
    """
    for t in range(model.tree_body.shape[0]):
        whiten_tree(model, work, t, x)


@kernel
def whiten_tree(model, work, t, x):
    """Do what `whiten` does, for one tree.

    Writes: work, x.
    """
    factor = work.mass_factor
    first = model.tree_v[t]
    last = first + model.tree_nv[t]
    if model.tree_kind[t] != DYNAMIC:
        for dof in range(first, last):
            x[dof] = 0.0
        return
    if work.tree_is_rowless[t] == 1:
        articulated.whiten(model, work, t, x)
        return
    lowest = 3 if model.tree_is_single[t] == 1 else 0
    for dof in range(last - 1, first - 1, -1):
        row = model.dof_row[dof]
        chain = model.body_chain_start[model.dof_body[dof]]
        s = x[dof]
        for p in range(lowest, model.dof_depth[dof]):
            x[model.chain_dof[chain + p]] -= factor[row + p] * s
        x[dof] = s * work.dof_scale[dof]


@kernel
def unwhiten(model, work, z, out):
    """Turn whitened coordinates into velocities.   out = L⁻¹ D^(−1/2) z

    Writes: work, out.
    """
    for t in range(model.tree_body.shape[0]):
        unwhiten_tree(model, work, t, z, out)


@kernel
def unwhiten_tree(model, work, t, z, out):
    """Do what `unwhiten` does, for one tree.

    Writes: work, out.
    """
    factor = work.mass_factor
    first = model.tree_v[t]
    last = first + model.tree_nv[t]
    if model.tree_kind[t] != DYNAMIC:
        for dof in range(first, last):
            out[dof] = 0.0
        return
    if work.tree_is_rowless[t] == 1:
        articulated.unwhiten(model, work, t, z, out)
        return
    lowest = 3 if model.tree_is_single[t] == 1 else 0
    for dof in range(first, last):
        row = model.dof_row[dof]
        chain = model.body_chain_start[model.dof_body[dof]]
        x = z[dof] * work.dof_scale[dof]
        for p in range(lowest, model.dof_depth[dof]):
            x -= factor[row + p] * out[model.chain_dof[chain + p]]
        out[dof] = x


@kernel
def whitened_rate(model, work, dof, lowest, v):
    """Return the whitened coordinate of a velocity that belongs to a dof; 0 if forces do not move it.

    z = D^(1/2) L v; numbers before `lowest` of the row of L are 0.
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
    """Write the whitened coordinates of the velocity of a tree that has rows.   z = D^(1/2) L v

    Writes: out.
    """
    lowest = 3 if model.tree_is_single[t] == 1 else 0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        out[dof] = whitened_rate(model, work, dof, lowest, v)


@kernel
def twice_energy(model, work, t, v):
    """Return v·M̂ v of a tree that has rows [J]; dofs that forces do not move count as at rest."""
    total = 0.0
    lowest = 3 if model.tree_is_single[t] == 1 else 0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        rate = whitened_rate(model, work, dof, lowest, v)
        total += rate * rate
    return total
