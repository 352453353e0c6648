"""Stages `inertia.compute_mass_matrix` and `.factorize`: the mass matrix M and its sparse factor M̂ = Lᵀ D L.

Row i of a packed matrix holds the columns of the chain of dof i, root first: a dof couples only with its
ancestors and descendants, and the factor (`mass_factor`) has the same pattern.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import scattered
from tribo.dynamics import articulated
from tribo.dynamics.body_lanes import four_bodies, four_from, load_four
from tribo.dynamics.mass_factor import factorize_single, factorize_tree
from tribo.math import lane_rows, spatial, vec
from tribo.math.lane_rows import LANES, add_ten, copy_ten
from tribo.model import Joint, Kind


@kernel
def rotate_inertias(model, work, first, count):
    """Express the inertias of bodies in world axes about their tree origin.

    Writes: work.
    """
    origin = vec.load(work.body_pos, first)
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
def write_single_mass(model, work, root):
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
def write_base_columns(matrix, row, force):
    """Write the first six columns, of a floating base, of the row of a joint; world axes.

    Writes: matrix.
    """
    matrix[row] = force[3]
    matrix[row + 1] = force[4]
    matrix[row + 2] = force[5]
    matrix[row + 3] = force[0]
    matrix[row + 4] = force[1]
    matrix[row + 5] = force[2]


@kernel
def write_base_block(model, work, root):
    """Write the rows of a floating base: the composite inertia of the tree about the base's origin.

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
def write_mass_row(model, work, dof, known):
    """Write the row of a dof: momentum of the bodies it moves per unit velocity, along the axes of its chain.

    known: number of dofs of a floating base, which come first.

    Writes: work.
    """
    body = model.dof_body[dof]
    force = spatial.inertia_times(work.body_composite, body, spatial.load(work.dof_axis, dof))
    row = model.dof_row[dof]
    chain = model.body_chain_start[body]
    depth = model.dof_depth[dof]
    if known > 0:
        write_base_columns(work.mass_matrix, row, force)
    for p in range(known, depth + 1):
        axis = spatial.load(work.dof_axis, model.chain_dof[chain + p])
        work.mass_matrix[row + p] = spatial.dot(axis, force)
    work.mass_matrix[row + depth] += model.dof_armature[dof]


@kernel
def write_mass_rows(model, work, bodies, known):
    """Write the rows of four bodies abreast; shallower ones repeat their last entry.

    Writes: work.
    """
    matrix = work.mass_matrix
    dofs = load_four(model.joint_v, bodies)
    own = lane_rows.load6(work.dof_axis, dofs)
    force = spatial.times(lane_rows.load10(work.body_composite, bodies), own)
    i, j, k, m = load_four(model.dof_row, dofs)
    if known > 0:
        # as in `write_base_columns`
        lane_rows.put_fours(matrix, 1, 0, (i, j, k, m), force[3], force[4], force[5], force[0])
        lane_rows.put_twos(matrix, 1, 4, (i, j, k, m), force[1], force[2])
    a, b, c, d = load_four(model.dof_depth, dofs)
    at, bt, ct, dt = load_four(model.body_chain_start, bodies)
    chain = model.chain_dof
    for p in range(known, max(a, b, c, d)):
        e, f, g, h = min(p, a), min(p, b), min(p, c), min(p, d)
        above = (chain[at + e], chain[bt + f], chain[ct + g], chain[dt + h])
        entry = spatial.dot(lane_rows.load6(work.dof_axis, above), force)
        scattered(matrix, i + e, j + f, k + g, m + h, entry)
    entry = spatial.dot(own, force) + lane_rows.numbers(model.dof_armature, dofs)
    scattered(matrix, i + a, j + b, k + c, m + d, entry)


@kernel
def write_composite_mass(model, work, t):
    """Write M of a tree from the inertias of its bodies. M_ij = S_jᵀ I^c_i S_i

    Writes: work.
    """
    composite = work.body_composite
    root = model.tree_body[t]
    count = model.tree_body_count[t]
    for i in range(root, root + count):
        copy_ten(composite, work.body_inertia, i)
    for i in range(root + count - 1, root, -1):
        add_ten(composite, model.body_parent[i], i)
    is_floating = model.joint_type[root] == Joint.FREE
    if is_floating:
        write_base_block(model, work, root)
    known = 6 if is_floating else 0
    k = root + 1 if is_floating else root
    while k < root + count:
        size = model.abreast_size[k]
        if size > 1:
            write_mass_rows(model, work, four_bodies(model, k, size), known)
        else:
            body = model.abreast_body[k]
            first = model.joint_v[body]
            for dof in range(first, first + articulated.dof_count(model.joint_type[body])):
                write_mass_row(model, work, dof, known)
        k += size


@kernel
def compute_mass_matrix(model, work):
    """Compute M by the composite-rigid-body method; of rowless trees only the inertias of the bodies.

    Writes: work.
    Cost: O(Σ depth of dofs).
    Source: Featherstone 2008, table 6.2, about a common point.
    """
    for t in range(model.tree_body.shape[0]):
        root = model.tree_body[t]
        if model.tree_nv[t] == 0:
            continue
        if model.tree_is_single[t] == 1:
            write_single_mass(model, work, root)
            continue
        rotate_inertias(model, work, root, model.tree_body_count[t])
        if work.tree_is_rowless[t] == 0:
            write_composite_mass(model, work, t)


@kernel
def factorize_one_tree(model, work, t):
    """Factor M̂ of one dynamic tree.

    Writes: work.
    """
    if model.tree_is_single[t] == 1:
        factorize_single(model, work, model.tree_v[t])
    elif work.tree_is_rowless[t] == 1:
        articulated.factorize_articulated(model, work, t)
    else:
        factorize_tree(model, work, t)


@kernel
def factorize(model, work):
    """Factor M̂ = M + diagonal of the drives; of rowless trees by articulated bodies.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] != Kind.DYNAMIC or model.tree_nv[t] == 0:
            continue
        if work.tree_is_resting[t] == 1:
            continue
        factorize_one_tree(model, work, t)


@kernel
def form_missing_rows(model, work, t):
    """Form M and its factor of a rowless tree that now needs rows; z does not change.

    Writes: work.
    """
    work.tree_is_free[t] = 0
    if work.tree_is_rowless[t] == 1:
        work.tree_is_rowless[t] = 0
        write_composite_mass(model, work, t)
        factorize_tree(model, work, t)
