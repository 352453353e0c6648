"""The sparse factor M̂ = Lᵀ D L of the mass matrix, in the pattern of M (`inertia`).

With a floating base the first six entries of every row belong to the base: they are processed side by side,
and the block of the base stays in registers until all rows are eliminated from it.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load2, load4, low, store2, store4
from tribo.math import six
from tribo.model import Joint


@kernel
def factorize_single(model, work, first):
    """Factor M̂ of a free body: three masses, and a decoupled 3×3 block.

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
    """Subtract a times the first six entries of a row of a matrix from six others.

    Writes: factor.
    """
    six.store_at(factor, at, six.axpy(-a, six.load_at(factor, row), six.load_at(factor, at)))


@kernel
def load_block(matrix, at):
    """Return the lower triangle of a floating base, row by row, in vectors of at most four numbers."""
    return (
        matrix[at], load2(matrix, at + 1), load2(matrix, at + 3), matrix[at + 5], load4(matrix, at + 6),
        load4(matrix, at + 10), matrix[at + 14], load4(matrix, at + 15), load2(matrix, at + 19),
    )  # fmt: skip


@kernel
def store_block(factor, at, block):
    """Write the lower triangle of a floating base.

    Writes: factor.
    """
    factor[at] = block[0]
    store2(factor, at + 1, block[1])
    store2(factor, at + 3, block[2])
    factor[at + 5] = block[3]
    store4(factor, at + 6, block[4])
    store4(factor, at + 10, block[5])
    factor[at + 14] = block[6]
    store4(factor, at + 15, block[7])
    store2(factor, at + 19, block[8])


@kernel
def eliminate_from_base(block, factor, row, inverse):
    """Divide a row's first six entries; return the block of a floating base after elimination of the row.

    Writes: factor.
    """
    early, late = six.load_at(factor, row)
    a, b, c, d = factor[row], factor[row + 1], factor[row + 2], factor[row + 3]
    e, f = factor[row + 4], factor[row + 5]
    six.store_at(factor, row, (inverse * early, inverse * late))
    return (
        block[0] - inverse * a * a,
        block[1] - inverse * b * low(early),
        block[2] - inverse * c * low(early),
        block[3] - inverse * c * c,
        block[4] - inverse * d * early,
        block[5] - inverse * e * early,
        block[6] - inverse * e * e,
        block[7] - inverse * f * early,
        block[8] - inverse * f * late,
    )


@kernel
def factorize_floating(model, work, t):
    """Factor M̂ of a floating tree: the rows of its joints, then the block of its base.

    Writes: work.
    """
    factor = work.mass_factor
    rows = model.dof_row
    base = model.tree_v[t]
    last = base + model.tree_nv[t]
    for dof in range(base + 6, last):
        row, matrix = rows[dof], work.mass_matrix
        six.store_at(factor, row, six.load_at(matrix, row))  # in the vectors in which `subtract_base` reads
        for k in range(row + 6, row + model.dof_depth[dof] + 1):
            factor[k] = matrix[k]
    block = load_block(work.mass_matrix, rows[base])
    for dof in range(last - 1, base + 5, -1):
        row = rows[dof]
        depth = model.dof_depth[dof]
        chain = model.body_chain_start[model.dof_body[dof]]
        inverse = 1.0 / (factor[row + depth] + work.drive_inertia[dof])
        work.dof_scale[dof] = sqrt(inverse)
        for p in range(depth - 1, 5, -1):
            a = factor[row + p] * inverse
            other = model.chain_row[chain + p]
            subtract_base(factor, other, row, a)
            for k in range(6, p + 1):
                factor[other + k] -= a * factor[row + k]
            factor[row + p] = a
        block = eliminate_from_base(block, factor, row, inverse)
    store_block(factor, rows[base], block)
    factorize_rows(model, work, base, base + 6)


@kernel
def factorize_rows(model, work, first, last):
    """Eliminate dofs first … last − 1, whose rows stand in the factor, from the last to the first.

    Writes: work.
    """
    factor = work.mass_factor
    for dof in range(last - 1, first - 1, -1):
        row = model.dof_row[dof]
        depth = model.dof_depth[dof]
        chain = model.body_chain_start[model.dof_body[dof]]
        inverse = 1.0 / (factor[row + depth] + work.drive_inertia[dof])
        work.dof_scale[dof] = sqrt(inverse)
        for p in range(depth - 1, -1, -1):
            a = factor[row + p] * inverse
            other = model.chain_row[chain + p]
            for k in range(p + 1):
                factor[other + k] -= a * factor[row + k]
            factor[row + p] = a


@kernel
def factorize_tree(model, work, t):
    """Factor M̂ of a tree into Lᵀ D L, in the pattern of M.

    Writes: work.
    Cost: O(Σ depth²).
    Source: Featherstone 2005, "Efficient factorization of the joint-space inertia matrix".
    """
    if model.joint_type[model.tree_body[t]] == Joint.FREE:
        factorize_floating(model, work, t)
        return
    first = model.tree_v[t]
    last = first + model.tree_nv[t]
    for i in range(model.dof_row[first], model.dof_row[last - 1] + model.dof_depth[last - 1] + 1):
        work.mass_factor[i] = work.mass_matrix[i]
    factorize_rows(model, work, first, last)
