"""An island as a problem in the dofs that its rows move: rows, laws, responses.

Rows are divided by the root of their own block of G: Y Yᵀ has a diagonal near one, and impulses and
velocities of rows are in the same unit, the root of an energy. Each contact has a law for its normal impulse
and one for its friction, and two more where it resists rolling and spinning. Scalar rows, the last ones, have
bounds; laws take them four at a time.

A *dense* problem has a column for each dof that a row moves, and a matrix Y; a robot's leaves come before its
root, so that elimination fills in little. In a *pile*, of many trees, dofs have the places that they have in
the world, and rows stay where they are (`pile_problem`); its responses are all that the island's other rows
leave to it.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load4, spread4, store4
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.solver.natural_residual import inverse_mean_diagonal
from tribo.math import spatial, vec

# Of `dense_size`; the first scalar row, the first column in use; of a pile: 1 + the island, nodes.
ROWS, LAWS, COLUMNS, DIRECTIONS, SCALARS, FIRST, PILE, NODES = range(8)
Z, FREE, LACK, STEP, REACHED = 0, 1, 2, 3, 4  # rows of `column_vector`
(
    START, GIVE, SOFT, UNIT, RATE, MOTION, CHANGE, TRIAL, WAS, IMPULSE, MEMORY, BEST, LINEAR, LOOK,
    LOWER, UPPER,
) = range(16)  # fmt: skip
ROW, KIND, PRESS = 0, 1, 2  # of `law_row`
SHARE, REACH = 0, 1  # of `law_number`
NORMAL, FRICTION, ROLLING, SPINNING = 0, 1, 2, 3  # kinds of laws; 1 and 2 are of two rows


@kernel
def wide(count):
    """Return how many numbers there is room for: the next multiple of four."""
    return (count + 3) & ~3


@kernel
def list_chain(model, work, body, length, count, most):
    """List those dofs of a chain that have no place yet; return how many are listed then.

    Writes: work.
    """
    chain = model.body_chain_start[body]
    for p in range(length):
        dof = model.chain_dof[chain + p]
        if work.column_of[dof] == 0 and count < most:
            work.column_dof[count] = dof
            count += 1
            work.column_of[dof] = count
    return count


@kernel
def find_columns(model, work, t, most):
    """List the dofs that rows of island t move, parents first; return how many there are, at most `most`.

    Writes: work.
    """
    count = 0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        for side in range(2):
            count = list_chain(
                model, work, work.contact_body[c, side], work.contact_len[c, side], count, most
            )
        if count == most:
            return count
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        for side in range(2):
            count = list_chain(model, work, work.scalar_body[n, side], work.scalar_len[n, side], count, most)
    return count


@kernel
def leave_columns(work, count):
    """Take the columns of the dofs on the list away.

    Writes: work.
    """
    for k in range(count):
        work.column_of[work.column_dof[k]] = 0


@kernel
def write_side(model, work, body, length, first, i, scale, height):
    """Add the numbers of one side, `height` a dof, times a scale, to rows from i on.

    Writes: work.
    """
    y, row = work.dense_row, work.row
    chain = model.body_chain_start[body]
    count = work.dense_size[COLUMNS]
    for p in range(length):
        k = count - work.column_of[model.chain_dof[chain + p]]
        for a in range(height):
            y[i + a, k] += scale * row[first]
            first += 1


@kernel
def clear_rows(work, i, stop, width):
    """Let rows of Y be zero.

    Writes: work.
    """
    y = work.dense_row
    for k in range(i, stop):
        for j in range(0, width, 4):
            store4(y, y.shape[1] * k + j, spread4(0.0))


@kernel
def add_law(work, row, kind, press, share, reach):
    """Add a law; press: row of the normal impulse that bounds it, by its share; reach: r of the natural map.

    Writes: work.
    """
    b = work.dense_size[LAWS]
    work.dense_size[LAWS] = b + 1
    work.law_row[b, ROW], work.law_row[b, KIND], work.law_row[b, PRESS] = row, kind, press
    work.law_number[b, SHARE], work.law_number[b, REACH] = share, reach


@kernel
def write_number(work, i, start, give, soft, unit, impulse):
    """Write the numbers of row i.

    Writes: work.
    """
    x = work.dense_vector
    x[START, i], x[GIVE, i], x[SOFT, i], x[UNIT, i], x[IMPULSE, i] = (start, give, soft, unit, impulse)


@kernel
def spin_size(work, c):
    """Return the root of the own block of the torques of contact c, by which they are divided; 0: none."""
    return sqrt(inverse_mean_diagonal(spatial.load(work.contact_spin_delassus, c)))


@kernel
def write_contact_problem(model, work, c, i, width):
    """Write contact c from row i on; width: of Y, 0 of a pile. Return the next row.

    Writes: work.
    """
    own = work.diagonal_delassus[c]
    if not own > 0.0:  # nothing moves it
        return i
    size = sqrt(own)
    is_spun = work.contact_is_spun[c] == 1
    if width > 0:
        clear_rows(work, i, i + (6 if is_spun else 3), width)
        write_sides(model, work, work.contact_row, c, i, 1.0 / size)
    reach = own * inverse_mean_diagonal(spatial.load(work.contact_delassus, c))
    r = work.contact_compliance
    for a in range(3):
        soft = r[c, 2] if a == 2 else max(r[c, 0], r[c, 1])
        write_number(
            work, i + a, work.contact_start[c, a] / size, r[c, a] / own, soft / own, size / reach,
            work.contact_impulse[c, a] * size,
        )  # fmt: skip
    add_law(work, i + 2, NORMAL, -1, 0.0, 1.0)
    add_law(work, i, FRICTION, i + 2, work.contact_friction[c], reach)
    if not is_spun:
        return i + 3
    unturn = spin_size(work, c)
    turn = 1.0 / unturn if unturn > 0.0 else 0.0
    if width > 0:
        write_sides(model, work, work.contact_spin_row, c, i + 3, unturn)
    for a in range(3):
        write_number(
            work, i + 3 + a, work.contact_spin_start[c, a] * unturn, 0.0, 0.0,
            work.contact_radius[c] * turn, work.contact_spin_impulse[c, a] * turn,
        )  # fmt: skip
    share = turn / size
    add_law(work, i + 3, ROLLING, i + 2, work.contact_rolling[c] * share, 1.0)
    add_law(work, i + 5, SPINNING, i + 2, work.contact_spinning[c] * share, 1.0)
    return i + 6


@kernel
def write_sides(model, work, table, c, i, scale):
    """Write the rows of a table for both sides of contact c, times a scale, as rows of Y from i on.

    Writes: work.
    """
    for side in range(2):
        body, length = work.contact_body[c, side], work.contact_len[c, side]
        write_side(model, work, body, length, table[c, side], i, scale, 3)


@kernel
def write_scalar(model, work, n, i, width):
    """Write scalar row n as row i; width: of Y, 0 of a pile. Return the next row.

    Writes: work.
    """
    own = work.scalar_delassus[n]
    if not own > 0.0:
        return i
    size = sqrt(own)
    if width > 0:
        clear_rows(work, i, i + 1, width)
        for side in range(2):
            body, length = work.scalar_body[n, side], work.scalar_len[n, side]
            write_side(model, work, body, length, work.scalar_row[n, side], i, 1.0 / size, 1)
    give = work.scalar_compliance[n] / own
    impulse = min(max(work.scalar_impulse[n], work.scalar_lower[n]), work.scalar_upper[n])
    unit = (own - work.scalar_compliance[n]) / size
    write_number(work, i, work.scalar_start[n] / size, give, give, unit, impulse * size)
    x = work.dense_vector
    x[LOWER, i], x[UPPER, i] = work.scalar_lower[n] * size, work.scalar_upper[n] * size
    return i + 1


@kernel
def write_problem_rows(model, work, t, width):
    """Write rows and laws of island t with the present impulses; width: of Y, 0 of a pile.

    Writes: work.
    """
    size = work.dense_size
    size[LAWS] = 0
    i = 0
    for k in contacts_in(work, t):
        i = write_contact_problem(model, work, work.island_contact[k], i, width)
    size[SCALARS] = i
    for k in scalars_in(work, t):
        i = write_scalar(model, work, work.island_scalar[k], i, width)
    size[ROWS] = i
    x = work.dense_vector
    for row in range(x.shape[0]):  # scalar rows are taken four at a time, from any row on
        store4(x, x.shape[1] * row + i, spread4(0.0))
        store4(x, x.shape[1] * row + i + 4, spread4(0.0))


@kernel
def write_island(model, work, t, count):
    """Write island t, whose dofs are listed, as a dense problem, with the present impulses and response.

    Writes: work.
    """
    size = work.dense_size
    size[COLUMNS], size[FIRST], size[PILE] = count, 0, 0
    width = wide(count)
    write_problem_rows(model, work, t, width)
    clear_rows(work, size[ROWS], wide(size[ROWS]), width)
    x = work.column_vector
    for k in range(width):
        x[STEP, k] = x[LACK, k] = x[Z, k] = x[FREE, k] = x[REACHED, k] = 0.0
    for k in range(count):
        dof = work.column_dof[count - 1 - k]
        x[Z, k], x[FREE, k] = work.response[dof], work.free_response[dof]


@kernel
def write_pile(model, work, t, count):
    """Write island t, or what stands in its lists, as a pile of so many nodes.

    z_free, of its rows, is still to be found: the response less that to their impulses.

    Writes: work.
    """
    size = work.dense_size
    first, last = work.response.shape[0], 0
    for a in range(count):
        tree = work.node_tree[a]
        first = min(first, model.tree_v[tree])
        last = max(last, model.tree_v[tree] + model.tree_nv[tree])
    size[COLUMNS], size[FIRST], size[PILE], size[NODES] = last, first & ~3, t + 1, count
    write_problem_rows(model, work, t, 0)
    x = work.column_vector
    for k in range(size[FIRST], wide(last)):
        x[Z, k] = work.response[k] if k < work.response.shape[0] else 0.0
        x[STEP, k] = x[LACK, k] = x[FREE, k] = x[REACHED, k] = 0.0


@kernel
def unscaled(work, n, impulse):
    """Return the impulse of scalar row n from a scaled one; at a bound it is the bound, to the last bit."""
    size = sqrt(work.scalar_delassus[n])
    lower, upper = work.scalar_lower[n], work.scalar_upper[n]
    if impulse >= upper * size:
        return upper
    return lower if impulse <= lower * size else impulse / size


@kernel
def read_impulses(work, t):
    """Take the impulses of the problem of island t and the response in row Z over.

    Writes: work.
    """
    x = work.dense_vector
    i = 0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if not work.diagonal_delassus[c] > 0.0:
            continue
        f = 1.0 / sqrt(work.diagonal_delassus[c])
        vec.store(
            work.contact_impulse, c,
            (f * x[IMPULSE, i], f * x[IMPULSE, i + 1], f * x[IMPULSE, i + 2]),
        )  # fmt: skip
        i += 3
        if work.contact_is_spun[c] == 1:
            f = spin_size(work, c)
            vec.store(
                work.contact_spin_impulse, c,
                (f * x[IMPULSE, i], f * x[IMPULSE, i + 1], f * x[IMPULSE, i + 2]),
            )  # fmt: skip
            i += 3
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if work.scalar_delassus[n] > 0.0:
            work.scalar_impulse[n] = unscaled(work, n, x[IMPULSE, i])
            i += 1
    count = work.dense_size[COLUMNS]
    if work.dense_size[PILE] > 0:
        for k in range(work.dense_size[FIRST], count):
            work.response[k] = work.column_vector[Z, k]
        return
    for k in range(count):
        work.response[work.column_dof[count - 1 - k]] = work.column_vector[Z, k]


@kernel
def copy_vector(work, old, new):
    """Copy a row of `dense_vector`.

    Writes: work.
    """
    x = work.dense_vector
    for k in range(0, work.dense_size[ROWS], 4):
        store4(x, x.shape[1] * new + k, load4(x, x.shape[1] * old + k))
