"""M̂⁻¹ of a tree in O(dofs) by articulated bodies, for unconstrained trees.

It uses the whitened coordinates of `whitening`: elimination of the dofs from the leaves to the root is the
factorization M̂ = Lᵀ D L, but the rows of L are not formed; the articulated inertia behind a dof contains
their effect. A tree with contacts or limits needs the rows.
Source: Featherstone 2008, table 7.1, about a common point; Rodriguez, Jain, Kreutz-Delgado 1992 for the
factorization.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.math import six, spatial
from tribo.model import Joint


@kernel
def dof_count(joint):
    """Return the number of degrees of freedom of a joint type."""
    if joint == Joint.FREE:
        return 6
    if joint == Joint.SPHERICAL:
        return 3
    return 0 if joint == Joint.FIXED else 1


@kernel
def start_inertias(rigid, articulated, first, count):
    """Initialise the articulated inertias of bodies with their rigid inertias.

    Writes: articulated.
    """
    for i in range(first, first + count):
        m, x, y, z, xx, yy, zz, xy, xz, yz = spatial.load_inertia(rigid, i)
        six.put(articulated, 6 * i, (xx, xy, xz, 0.0, -z, y))
        six.put(articulated, 6 * i + 1, (xy, yy, yz, z, 0.0, -x))
        six.put(articulated, 6 * i + 2, (xz, yz, zz, -y, x, 0.0))
        six.put(articulated, 6 * i + 3, (0.0, z, -y, m, 0.0, 0.0))
        six.put(articulated, 6 * i + 4, (-z, 0.0, x, 0.0, m, 0.0))
        six.put(articulated, 6 * i + 5, (y, -x, 0.0, 0.0, 0.0, m))


@kernel
def axis_share(articulated, at, axes, dof, k):
    """Return the part of two components of a motion axis, k and k + 1, in the product of `times_axis`.

    In pairs, so that no sum depends on more than three others.
    """
    first = six.scale(axes[dof, k], six.load(articulated, at + k))
    return six.axpy(axes[dof, k + 1], six.load(articulated, at + k + 1), first)


@kernel
def times_axis(articulated, i, axes, dof):
    """Return the articulated inertia of body i times the motion axis of a dof."""
    a = axis_share(articulated, 6 * i, axes, dof, 0)
    b = axis_share(articulated, 6 * i, axes, dof, 2)
    c = axis_share(articulated, 6 * i, axes, dof, 4)
    return six.add(six.add(a, b), c)


@kernel
def release_dof(articulated, i, inverse, column, columns, dof):
    """Project the articulated inertia of body i along a dof. A ← A − u uᵀ / d, d = 1/inverse

    column: u = A s, also stored in row `dof` of `columns`.

    Writes: articulated.
    """
    for k in range(6):
        row = six.load(articulated, 6 * i + k)
        product = six.scale(columns[dof, k], column)  # independent of the division
        six.store(articulated, 6 * i + k, six.axpy(-inverse, product, row))


@kernel
def add_inertia(articulated, to, i):
    """Add the articulated inertia of body i to that of body `to`.

    Writes: articulated.
    """
    for k in range(6):
        six.add_row(articulated, 6 * to + k, 6 * i + k)


@kernel
def factorize_articulated(model, work, t):
    """Compute the articulated columns of every dof of tree t, and D^(−1/2) as in `mass_factor`.

    Writes: work.
    """
    root = model.tree_body[t]
    count = model.tree_body_count[t]
    start_inertias(work.body_inertia, work.articulated, root, count)
    for i in range(root + count - 1, root - 1, -1):
        first = model.joint_v[i]
        for dof in range(first + dof_count(model.joint_type[i]) - 1, first - 1, -1):
            column = times_axis(work.articulated, i, work.dof_axis, dof)
            six.store(work.dof_column, dof, column)
            extra = model.dof_armature[dof] + work.drive_inertia[dof]
            inverse = 1.0 / (six.dot(six.load(work.dof_axis, dof), column) + extra)
            work.dof_scale[dof] = sqrt(inverse)
            release_dof(work.articulated, i, inverse, column, work.dof_column, dof)
        if model.body_parent[i] >= 0:
            add_inertia(work.articulated, model.body_parent[i], i)


@kernel
def whiten_articulated(model, work, t, x):
    """Convert generalized impulses on tree t to whitened coordinates, as `whitening` does.

    Writes: work, x.
    """
    root = model.tree_body[t]
    last = root + model.tree_body_count[t]
    zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(root, last):
        six.put(work.body_force, i, zero)
    for i in range(last - 1, root - 1, -1):
        force = six.load(work.body_force, i)
        first = model.joint_v[i]
        for dof in range(first + dof_count(model.joint_type[i]) - 1, first - 1, -1):
            scale = work.dof_scale[dof]
            rest = scale * (x[dof] - six.dot(six.load(work.dof_axis, dof), force))
            force = six.axpy(scale * rest, six.load(work.dof_column, dof), force)
            x[dof] = rest
        parent = model.body_parent[i]
        if parent >= 0:
            force = six.add(force, six.load(work.body_force, parent))
            six.store(work.body_force, parent, force)


@kernel
def unwhiten_articulated(model, work, t, z, out):
    """Convert whitened coordinates of tree t to velocities, as `whitening` does.

    Writes: work, out.
    """
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        parent = model.body_parent[i]
        motion = six.zero()
        if parent >= 0:
            motion = six.load(work.body_acc, parent)
        first = model.joint_v[i]
        for dof in range(first, first + dof_count(model.joint_type[i])):
            scale = work.dof_scale[dof]
            x = scale * (z[dof] - scale * six.dot(six.load(work.dof_column, dof), motion))
            out[dof] = x
            motion = six.axpy(x, six.load(work.dof_axis, dof), motion)
        six.store(work.body_acc, i, motion)
