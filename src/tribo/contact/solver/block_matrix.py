"""A block-sparse matrix, one block per pair of trees that touch: elimination order, LU factor, solution.

Nodes are the trees of one island. Block (a, b) couples their dofs; it exists where the two touch or where
elimination fills in. Nodes with the fewest neighbours are eliminated first (minimum degree).
Source: George, Liu 1989, "The evolution of the minimum degree ordering algorithm".
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import high, joined, load2, load4, low, pair_sums, spread2, spread4, store2, store4
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.solver.proximal_matrix import MIN_PIVOT
from tribo.model import Status

MANY = 12  # trees: a larger island is a pile; a robot of a hundred joints is one tree


@kernel
def add_nodes(model, work, bodies, lengths, k, count):
    """Make nodes of the trees that contact or row k moves; return the number of nodes.

    Writes: work.
    """
    for side in range(2):
        tree = model.body_tree[bodies[k, side]]
        if lengths[k, side] > 0 and work.tree_node[tree] < 0:
            work.tree_node[tree] = count
            work.node_tree[count] = tree
            count += 1
    return count


@kernel
def forget_nodes(model, work, t):
    """Clear the node numbers of all trees of island t.

    Writes: work.
    """
    for side in range(2):
        for c in contacts_in(work, t):
            work.tree_node[model.body_tree[work.contact_body[c, side]]] = -1
        for n in scalars_in(work, t):
            work.tree_node[model.body_tree[work.scalar_body[n, side]]] = -1


@kernel
def find_nodes(model, work, t):
    """Number the trees of island t that impulses move; return their number.

    Writes: work.
    """
    forget_nodes(model, work, t)
    count = 0
    for c in contacts_in(work, t):
        count = add_nodes(model, work, work.contact_body, work.contact_len, c, count)
    for n in scalars_in(work, t):
        count = add_nodes(model, work, work.scalar_body, work.scalar_len, n, count)
    return count


@kernel
def couple_nodes(model, work, bodies, lengths, k):
    """Mark the two blocks between the trees that contact or row k moves, and count the neighbours.

    Writes: work.
    """
    if lengths[k, 0] == 0 or lengths[k, 1] == 0:
        return
    at = work.block_at
    a = work.tree_node[model.body_tree[bodies[k, 0]]]
    b = work.tree_node[model.body_tree[bodies[k, 1]]]
    if a != b and at[a, b] < 0:
        at[a, b] = at[b, a] = 0
        work.node_degree[a] += 1
        work.node_degree[b] += 1


@kernel
def connect_nodes(model, work, t, count):
    """Mark the blocks of trees that touch, and count the neighbours of each node.

    Writes: work.
    """
    at = work.block_at
    for a in range(count):
        work.node_degree[a] = 0
        work.node_rank[a] = -1
        for b in range(count):
            at[a, b] = -1
    for c in contacts_in(work, t):
        couple_nodes(model, work, work.contact_body, work.contact_len, c)
    for n in scalars_in(work, t):
        couple_nodes(model, work, work.scalar_body, work.scalar_len, n)


@kernel
def order_elimination(work, count):
    """Choose the order of elimination, fewest neighbours first, and mark the blocks that fill in.

    Writes: work.
    """
    at = work.block_at
    degree = work.node_degree
    for place in range(count):
        j = -1
        for a in range(count):
            if work.node_rank[a] < 0 and (j < 0 or degree[a] < degree[j]):
                j = a
        work.node_order[place] = j
        work.node_rank[j] = place
        later = 0
        for a in range(count):
            if at[j, a] >= 0 and work.node_rank[a] < 0:
                work.node_later[j, later] = a
                later += 1
        work.node_later_count[j] = later
        for p in range(later):
            a = work.node_later[j, p]
            degree[a] -= 1
            for q in range(p):
                b = work.node_later[j, q]
                if at[a, b] < 0:
                    at[a, b] = at[b, a] = 0
                    degree[a] += 1
                    degree[b] += 1


@kernel
def node_size(model, work, a):
    """Return the number of dofs of a node."""
    return model.tree_nv[work.node_tree[a]]


@kernel
def place_blocks(model, work, count):
    """Assign every block its place in `block_value`; return their size and the multiplications of a factor.

    Writes: work.
    """
    at = work.block_at
    free = 0
    price = 0.0
    for j in range(count):
        n = node_size(model, work, j)
        at[j, j] = free
        free += n * n
        reach = n
        for p in range(work.node_later_count[j]):
            i = work.node_later[j, p]
            m = node_size(model, work, i)
            at[j, i] = free
            at[i, j] = free + n * m
            free += 2 * n * m
            reach += m
        price += 1.0 * n * reach * reach
    return free, price


@kernel
def prepare_matrix(model, work, t, count, most_work):
    """Set up the blocks of `count` nodes of island t; return the multiplications of a factor, 0: no room.

    most_work: most multiplications that a factor may take.

    Writes: work.
    """
    if count > work.node_order.shape[0]:
        work.node_count[0] = max(work.node_count[0], count)
        work.status[0] |= Status.CAPACITY
        return 0.0
    connect_nodes(model, work, t, count)
    order_elimination(work, count)
    values, price = place_blocks(model, work, count)
    if price > most_work:
        return 0.0
    work.value_count[0] = max(work.value_count[0], values)
    if values > work.block_value.shape[0]:
        work.status[0] |= Status.CAPACITY
        return 0.0
    return price


@kernel
def set_identity(model, work, count):
    """Set the matrix to the identity.

    Writes: work.
    """
    value = work.block_value
    at = work.block_at
    for j in range(count):
        n = node_size(model, work, j)
        size = n * n
        for p in range(work.node_later_count[j]):
            size += 2 * n * node_size(model, work, work.node_later[j, p])
        for k in range(at[j, j], at[j, j] + size):
            value[k] = 0.0
        for k in range(n):
            value[at[j, j] + k * n + k] = 1.0


@kernel
def invert_block(value, at, n):
    """Replace an n×n block by its inverse (Gauss–Jordan); return False if it is singular.

    Writes: value.
    """
    for k in range(n):
        row = at + k * n
        pivot = value[row + k]
        if not abs(pivot) > MIN_PIVOT:
            return False
        scale = 1.0 / pivot
        value[row + k] = 1.0
        for j in range(n):
            value[row + j] *= scale
        for i in range(n):
            if i != k:
                other = at + i * n
                f = value[other + k]
                value[other + k] = 0.0
                for j in range(n):
                    value[other + j] -= f * value[row + j]
    return True


@kernel
def factor_alone(value, at, n):
    """Factor an n×n block in place, from the last row to the first; return False if it is singular.

    Used for a matrix of one block, where no inverse is needed: a third of the multiplications. Its rows are
    the dofs of one tree: eliminated from the leaves to the root, a dof couples only its ancestors, and dofs
    that no contact moves cost nothing. U has ones on its diagonal.

    Writes: value.
    """
    for k in range(n - 1, -1, -1):
        row = at + k * n
        pivot = value[row + k]
        if not abs(pivot) > MIN_PIVOT:
            return False
        scale = 1.0 / pivot
        for i in range(k):
            other = at + i * n
            f = value[other + k]
            if f != 0.0:
                f *= scale
                value[other + k] = f
                for j in range(k):
                    value[other + j] -= f * value[row + j]
    return True


@kernel
def solve_block(value, at, n, x, first):
    """Replace a part of x, from `first` on, by the solution with a block that `factor_alone` factored.

    Writes: x.
    """
    for i in range(n - 2, -1, -1):
        s = x[first + i]
        for j in range(i + 1, n):
            s -= value[at + i * n + j] * x[first + j]
        x[first + i] = s
    for i in range(n):
        s = x[first + i]
        for j in range(i):
            s -= value[at + i * n + j] * x[first + j]
        x[first + i] = s / value[at + i * n + i]


@kernel
def add_product_6(value, c, a, b, keep, sign):
    """Set a 6×6 block to a part of itself, and add the product of two others.   C ← keep C + sign A B

    Writes: value.
    """
    b0, b1, b2 = load4(value, b), load4(value, b + 6), load4(value, b + 12)
    b3, b4, b5 = load4(value, b + 18), load4(value, b + 24), load4(value, b + 30)
    e0, e1, e2 = load2(value, b + 4), load2(value, b + 10), load2(value, b + 16)
    e3, e4, e5 = load2(value, b + 22), load2(value, b + 28), load2(value, b + 34)
    for i in range(6):
        x = c + 6 * i
        y = a + 6 * i
        f, g, h = sign * value[y], sign * value[y + 1], sign * value[y + 2]
        p, q, r = sign * value[y + 3], sign * value[y + 4], sign * value[y + 5]
        four = keep * load4(value, x) + spread4(f) * b0 + spread4(g) * b1 + spread4(h) * b2
        two = keep * load2(value, x + 4) + spread2(f) * e0 + spread2(g) * e1 + spread2(h) * e2
        store4(value, x, four + spread4(p) * b3 + spread4(q) * b4 + spread4(r) * b5)
        store2(value, x + 4, two + spread2(p) * e3 + spread2(q) * e4 + spread2(r) * e5)


@kernel
def subtract_product(value, c, a, b, m, k, n):
    """Subtract the product of two blocks.   C (m×n) ← C − A (m×k) B (k×n)

    Writes: value.
    """
    if m == 6 and k == 6 and n == 6:
        add_product_6(value, c, a, b, 1.0, -1.0)
        return
    for i in range(m):
        for p in range(k):
            f = value[a + i * k + p]
            for j in range(n):
                value[c + i * n + j] -= f * value[b + p * n + j]


@kernel
def scale_right(value, a, d, m, n, scratch):
    """Multiply a block from the right.   A (m×n) ← A D

    Writes: value, scratch.
    """
    if m == 6 and n == 6:
        add_product_6(value, a, a, d, 0.0, 1.0)
        return
    for i in range(m):
        row = a + i * n
        for j in range(n):
            scratch[j] = 0.0
        for k in range(n):
            f = value[row + k]
            for j in range(n):
                scratch[j] += f * value[d + k * n + j]
        for j in range(n):
            value[row + j] = scratch[j]


@kernel
def factor_matrix(model, work, count):
    """Factor the matrix in place, block by block; return False if it is singular.

    Diagonal blocks become their inverses D⁻¹, those below them L = A D⁻¹.

    Writes: work.
    """
    value = work.block_value
    at = work.block_at
    if count == 1:
        return factor_alone(value, at[0, 0], node_size(model, work, 0))
    for place in range(count):
        j = work.node_order[place]
        n = node_size(model, work, j)
        if not invert_block(value, at[j, j], n):
            return False
        later = work.node_later_count[j]
        for p in range(later):
            i = work.node_later[j, p]
            m = node_size(model, work, i)
            scale_right(value, at[i, j], at[j, j], m, n, work.block_scratch)
            for q in range(later):
                k = work.node_later[j, q]
                subtract_product(value, at[i, k], at[i, j], at[j, k], m, n, node_size(model, work, k))
    return True


@kernel
def line_6(value, at, four, two):
    """Return two numbers whose sum is the product of a row of six numbers with (four, two)."""
    product = load4(value, at) * four
    return low(product) + high(product) + load2(value, at + 4) * two


@kernel
def product_6(value, at, x, source):
    """Return the product of a 6×6 block and six numbers of x: its first four, and its last two."""
    four = load4(x, source)
    two = load2(x, source + 4)
    a = pair_sums(line_6(value, at, four, two), line_6(value, at + 6, four, two))
    b = pair_sums(line_6(value, at + 12, four, two), line_6(value, at + 18, four, two))
    c = pair_sums(line_6(value, at + 24, four, two), line_6(value, at + 30, four, two))
    return joined(a, b), c


@kernel
def subtract_vector(value, at, m, n, x, target, source):
    """Subtract a block times a part of x from another part.   x_target −= A (m×n) x_source

    Writes: x.
    """
    if m == 6 and n == 6:
        four, two = product_6(value, at, x, source)
        store4(x, target, load4(x, target) - four)
        store2(x, target + 4, load2(x, target + 4) - two)
        return
    for i in range(m):
        s = x[target + i]
        for j in range(n):
            s -= value[at + i * n + j] * x[source + j]
        x[target + i] = s


@kernel
def solve_blocks(model, work, count, x):
    """Replace the dofs of all nodes in x by the solution of the factored system.

    Writes: work, x.
    """
    value = work.block_value
    at = work.block_at
    scratch = work.block_scratch
    if count == 1:
        solve_block(value, at[0, 0], node_size(model, work, 0), x, model.tree_v[work.node_tree[0]])
        return
    for place in range(count):
        j = work.node_order[place]
        first = model.tree_v[work.node_tree[j]]
        n = node_size(model, work, j)
        for p in range(work.node_later_count[j]):
            i = work.node_later[j, p]
            m = node_size(model, work, i)
            subtract_vector(value, at[i, j], m, n, x, model.tree_v[work.node_tree[i]], first)
    for place in range(count - 1, -1, -1):
        j = work.node_order[place]
        first = model.tree_v[work.node_tree[j]]
        n = node_size(model, work, j)
        for p in range(work.node_later_count[j]):
            i = work.node_later[j, p]
            m = node_size(model, work, i)
            subtract_vector(value, at[j, i], n, m, x, first, model.tree_v[work.node_tree[i]])
        if n == 6:
            four, two = product_6(value, at[j, j], x, first)
            store4(x, first, four)
            store2(x, first + 4, two)
            continue
        for i in range(n):
            s = 0.0
            for k in range(n):
                s += value[at[j, j] + i * n + k] * x[first + k]
            scratch[i] = s
        for i in range(n):
            x[first + i] = scratch[i]
