"""M̂⁻¹ of a tree in O(dofs), by articulated bodies: for trees that nothing touches.

The same whitened coordinates as in `inertia`: eliminating the dofs from the leaves to the root is
the factorization M̂ = Lᵀ D L, only that the rows of L are not formed. What a dof needs of them is in
the articulated inertia behind it. A tree with contacts or limits needs the rows.
Source: Featherstone 2008, table 7.1, about a common point; Rodriguez, Jain, Kreutz-Delgado 1992 for
the factorization.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.math import spatial
from tribo.model import Joint

FIXED = int(Joint.FIXED)
SPHERICAL = int(Joint.SPHERICAL)
FREE = int(Joint.FREE)


@kernel
def dof_count(joint):
    """Return how many degrees of freedom a type of joint has."""
    if joint == FREE:
        return 6
    if joint == SPHERICAL:
        return 3
    return 0 if joint == FIXED else 1


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
def start_inertias(rigid, articulated, first, count):
    """Start the articulated inertias of some bodies with those of the bodies alone.

    Writes: articulated.
    """
    for i in range(first, first + count):
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
def factorize(model, work, t):
    """Compute what every dof of a tree sees of the bodies behind it; its D^(−1/2) as `inertia` has it.

    Writes: work.
    """
    root = model.tree_body[t]
    count = model.tree_body_count[t]
    start_inertias(work.body_inertia, work.articulated, root, count)
    for i in range(root + count - 1, root - 1, -1):
        articulated = load_inertia(work.articulated, i)
        first = model.joint_v[i]
        for dof in range(first + dof_count(model.joint_type[i]) - 1, first - 1, -1):
            axis = spatial.load(work.dof_axis, dof)
            column = times(articulated, axis)
            own = spatial.dot(axis, column) + model.dof_armature[dof] + work.drive_inertia[dof]
            inverse = 1.0 / own
            spatial.store(work.dof_column, dof, column)
            work.dof_scale[dof] = sqrt(inverse)
            articulated = without(articulated, inverse, column)
        parent = model.body_parent[i]
        if parent >= 0:
            for k in range(21):
                work.articulated[parent, k] += articulated[k]


@kernel
def whiten(model, work, t, x):
    """Turn generalized impulses on a tree into whitened coordinates, as `whitening` does.

    Writes: work, x.
    """
    root = model.tree_body[t]
    last = root + model.tree_body_count[t]
    zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(root, last):
        spatial.store(work.body_force, i, zero)
    for i in range(last - 1, root - 1, -1):
        force = spatial.load(work.body_force, i)
        first = model.joint_v[i]
        for dof in range(first + dof_count(model.joint_type[i]) - 1, first - 1, -1):
            scale = work.dof_scale[dof]
            rest = scale * (x[dof] - spatial.dot(spatial.load(work.dof_axis, dof), force))
            force = spatial.axpy(scale * rest, spatial.load(work.dof_column, dof), force)
            x[dof] = rest
        parent = model.body_parent[i]
        if parent >= 0:
            spatial.accumulate(work.body_force, parent, force)


@kernel
def unwhiten(model, work, t, z, out):
    """Turn whitened coordinates of a tree into velocities, as `whitening` does.

    Writes: work, out.
    """
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        parent = model.body_parent[i]
        motion = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        if parent >= 0:
            motion = spatial.load(work.body_acc, parent)
        first = model.joint_v[i]
        for dof in range(first, first + dof_count(model.joint_type[i])):
            scale = work.dof_scale[dof]
            x = scale * (z[dof] - scale * spatial.dot(spatial.load(work.dof_column, dof), motion))
            out[dof] = x
            motion = spatial.axpy(x, spatial.load(work.dof_axis, dof), motion)
        spatial.store(work.body_acc, i, motion)
