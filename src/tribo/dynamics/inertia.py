"""Stages `inertia.mass_matrix` and `.factorize`: the mass matrix M and its sparse factor M̂ = Lᵀ D L.

Row i of a packed matrix holds the columns of the chain of dof i only, root first: a dof is coupled
with its ancestors and descendants and with nothing else, and the factor has the same pattern.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import high, load2, load4, low, store2, store4, total
from tribo.dynamics import articulated
from tribo.dynamics.abreast import four_from
from tribo.math import lane_rows, spatial, vec
from tribo.math.lane_rows import LANES, add_ten, copy_ten
from tribo.model import Joint, Kind

DYNAMIC = int(Kind.DYNAMIC)
FREE = int(Joint.FREE)


@kernel
def body_inertias(model, work, first, count):
    """Turn the inertias of some bodies into world axes about their tree origin.

    Writes: work.
    """
    origin = lane_rows.spread3(vec.load(work.body_pos, first))
    last = first + count - 1
    for i in range(first, last + 1, LANES):
        bodies = four_from(i, last)
        r = lane_rows.load_mat(work.body_rot, bodies)
        m = lane_rows.numbers(model.body_mass, bodies)
        arm = vec.mat_vec(r, lane_rows.load3(model.body_com, bodies))
        c = vec.sub(vec.add(lane_rows.load3(work.body_pos, bodies), arm), origin)
        s = vec.rotate_sym(r, lane_rows.load6(model.body_inertia, bodies))
        x, y, z = vec.scale(m, c)
        about = (
            m, x, y, z,
            s[0] + (y * c[1] + z * c[2]), s[1] + (x * c[0] + z * c[2]), s[2] + (x * c[0] + y * c[1]),
            s[3] - x * c[1], s[4] - x * c[2], s[5] - y * c[2],
        )  # fmt: skip
        lane_rows.store10(work.body_inertia, bodies, about)


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
    """Write the first six columns of the row of a joint that a floating base carries, along the world's axes.

    Writes: matrix.
    """
    matrix[row] = force[3]
    matrix[row + 1] = force[4]
    matrix[row + 2] = force[5]
    matrix[row + 3] = force[0]
    matrix[row + 4] = force[1]
    matrix[row + 5] = force[2]


@kernel
def base_block(model, work, root):
    """Write the rows of a floating base: the inertia of all that it carries, about its own origin.

    Writes: work.
    """
    m, x, y, z, xx, yy, zz, xy, xz, yz = spatial.load_inertia(work.body_composite, root)
    matrix = work.mass_matrix
    at = model.dof_row[model.joint_v[root]]
    rows = (
        m,
        0.0, m,
        0.0, 0.0, m,
        0.0, -z, y, xx,
        z, 0.0, -x, xy, yy,
        -y, x, 0.0, xz, yz, zz,
    )  # fmt: skip
    for k in range(21):
        matrix[at + k] = rows[k]
    for k in range(6):
        dof = model.joint_v[root] + k
        matrix[model.dof_row[dof] + k] += model.dof_armature[dof]


@kernel
def composite_mass(model, work, t):
    """Write M of a tree whose bodies' inertias are known.   M_ij = S_jᵀ I^c_i S_i

    Writes: work.
    """
    composite = work.body_composite
    root = model.tree_body[t]
    count = model.tree_body_count[t]
    for i in range(root, root + count):
        copy_ten(composite, work.body_inertia, i)
    for i in range(root + count - 1, root, -1):
        add_ten(composite, model.body_parent[i], i)
    is_floating = model.joint_type[root] == FREE
    if is_floating:
        base_block(model, work, root)
    known = 6 if is_floating else 0
    for dof in range(model.tree_v[t] + known, model.tree_v[t] + model.tree_nv[t]):
        body = model.dof_body[dof]
        force = spatial.inertia_times(composite, body, spatial.load(work.dof_axis, dof))
        row = model.dof_row[dof]
        chain = model.body_chain_start[body]
        depth = model.dof_depth[dof]
        if known > 0:
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
    store4(factor, at, load4(factor, at) - a * load4(factor, row))
    store2(factor, at + 4, load2(factor, at + 4) - a * load2(factor, row + 4))


@kernel
def eliminate_from_base(factor, at, row, inverse):
    """Take a row's share off the block of a floating base, and divide the row's first six entries.

    Writes: factor.
    """
    early = load4(factor, row)
    late = load2(factor, row + 4)
    f = (factor[row], factor[row + 1], factor[row + 2], factor[row + 3], factor[row + 4], factor[row + 5])
    factor[at] -= inverse * f[0] * f[0]
    store2(factor, at + 1, load2(factor, at + 1) - inverse * f[1] * low(early))
    store2(factor, at + 3, load2(factor, at + 3) - inverse * f[2] * low(early))
    factor[at + 5] -= inverse * f[2] * f[2]
    store4(factor, at + 6, load4(factor, at + 6) - inverse * f[3] * early)
    store4(factor, at + 10, load4(factor, at + 10) - inverse * f[4] * early)
    factor[at + 14] -= inverse * f[4] * f[4]
    store4(factor, at + 15, load4(factor, at + 15) - inverse * f[5] * early)
    store2(factor, at + 19, load2(factor, at + 19) - inverse * f[5] * late)
    store4(factor, row, inverse * early)
    store2(factor, row + 4, inverse * late)


@kernel
def copy_base(factor, matrix, at):
    """Copy the block of a floating base, in the pieces in which `eliminate_from_base` reads it.

    Writes: factor.
    """
    for k in (0, 5, 14):
        factor[at + k] = matrix[at + k]
    for k in (1, 3, 19):
        store2(factor, at + k, load2(matrix, at + k))
    for k in (6, 10, 15):
        store4(factor, at + k, load4(matrix, at + k))


@kernel
def copy_row(factor, matrix, row, depth, is_floating):
    """Copy a row, its first six entries in the pieces in which `subtract_base` reads those of a base.

    Writes: factor.
    """
    known = 0
    if is_floating:
        known = 6
        store4(factor, row, load4(matrix, row))
        store2(factor, row + 4, load2(matrix, row + 4))
    for k in range(row + known, row + depth + 1):
        factor[k] = matrix[k]


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
    if is_floating:
        copy_base(factor, work.mass_matrix, rows[first])
    for dof in range(first + 6 if is_floating else first, last):
        copy_row(factor, work.mass_matrix, rows[dof], model.dof_depth[dof], is_floating)
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
    has_base = model.joint_type[model.tree_body[t]] == FREE
    for dof in range(last - 1, first - 1, -1):
        row = model.dof_row[dof]
        chain = model.body_chain_start[model.dof_body[dof]]
        depth = model.dof_depth[dof]
        s = x[dof]
        known = lowest
        if has_base and depth >= 6:
            known = 6
            store4(x, first, load4(x, first) - s * load4(factor, row))
            store2(x, first + 4, load2(x, first + 4) - s * load2(factor, row + 4))
        for p in range(known, depth):
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
    has_base = model.joint_type[model.tree_body[t]] == FREE
    for dof in range(first, last):
        row = model.dof_row[dof]
        chain = model.body_chain_start[model.dof_body[dof]]
        depth = model.dof_depth[dof]
        x = z[dof] * work.dof_scale[dof]
        known = lowest
        if has_base and depth >= 6:
            known = 6
            early = load4(factor, row) * load4(out, first)
            late = low(early) + high(early) + load2(factor, row + 4) * load2(out, first + 4)
            x -= total(late)
        for p in range(known, depth):
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
