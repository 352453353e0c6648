"""An island as a problem in the dofs that its rows move: rows, laws, responses.

Each row is divided by the root of the mean diagonal of its own block of G. So Y Yᵀ has a diagonal near 1, and
impulses and velocities of all rows have one unit, the root of an energy. Each contact has a law for its
normal impulse and one for friction, and two more if it has rolling and spinning friction. Scalar rows follow
behind all contacts; they have bounds, and are computed four at a time.

A *dense* problem has one column of Y for each dof that a row moves. The leaves of a robot come before its
root, so that elimination fills in little. A *pile* (many trees) keeps dofs at their places in the world and
rows where they stand (`pile_problem`); impulses of rows outside the problem are part of its z_free.
"""

from enum import IntEnum
from math import sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load4, spread4, store4
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.solver.natural_residual import inverse_mean_diagonal
from tribo.math import spatial, vec

# Entries of `dense_size`; SCALARS: first scalar row, FIRST: first column, PILE: 1 + island, 0 if dense,
# WRITTEN: 1 + island whose rows Y holds, SYMMETRIC: 1: the last solve with a set had a symmetric matrix.
Size = IntEnum("Size", "ROWS LAWS COLUMNS DIRECTIONS SCALARS FIRST PILE NODES WRITTEN SYMMETRIC", start=0)
Vector = IntEnum("Vector", "Z FREE RESIDUAL STEP RESPONSE", start=0)  # rows of `column_vector`
Entry = IntEnum(  # rows of `dense_vector`
    "Entry",
    "START COMPLIANCE SOFT UNIT PENALTY MOTION CHANGE TRIAL PREVIOUS IMPULSE MEMORY BEST LINEAR "
    "SCRATCH LOWER UPPER",
    start=0,
)
Law = IntEnum("Law", "ROW KIND NORMAL_ROW", start=0)  # columns of `law_row`
LawNumber = IntEnum("LawNumber", "SHARE NATURAL_STEP", start=0)  # columns of `law_number`
LawKind = IntEnum("LawKind", "NORMAL FRICTION ROLLING SPINNING", start=0)  # FRICTION, ROLLING: of two rows


@kernel
def wide(count):
    """Return a count rounded up to a multiple of four."""
    return (count + 3) & ~3


@kernel
def list_chain(model, work, body, length, count, most):
    """Append the dofs of a chain that are not yet listed to `column_dof`; return the length of the list.

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
    """List the dofs that rows of island t move, parents first; return their number, at most `most`.

    Writes: work.
    """
    count = 0
    for c in contacts_in(work, t):
        for side in range(2):
            body, length = work.contact_body[c, side], work.contact_len[c, side]
            count = list_chain(model, work, body, length, count, most)
        if count == most:
            return count
    for n in scalars_in(work, t):
        for side in range(2):
            count = list_chain(model, work, work.scalar_body[n, side], work.scalar_len[n, side], count, most)
    return count


@kernel
def leave_columns(work, count):
    """Clear `column_of` for the listed dofs.

    Writes: work.
    """
    for k in range(count):
        work.column_of[work.column_dof[k]] = 0


@kernel
def write_side(model, work, body, length, first, i, scale, height):
    """Add one side of a row block, `height` numbers per dof, times a scale, to the rows of Y from i on.

    Writes: work.
    """
    y, row = work.dense_row, work.row
    chain = model.body_chain_start[body]
    count = work.dense_size[Size.COLUMNS]
    for p in range(length):
        k = count - work.column_of[model.chain_dof[chain + p]]
        for a in range(height):
            y[i + a, k] += scale * row[first]
            first += 1


@kernel
def clear_rows(work, i, stop, width):
    """Set rows i … stop − 1 of Y to zero.

    Writes: work.
    """
    y = work.dense_row
    for k in range(i, stop):
        for j in range(0, width, 4):
            store4(y, y.shape[1] * k + j, spread4(0.0))


@kernel
def add_law(work, row, kind, press, share, reach):
    """Append a law.

    press: row of the normal impulse that, times `share`, bounds it (−1: none); reach: r of the natural map.

    Writes: work.
    """
    b = work.dense_size[Size.LAWS]
    work.dense_size[Size.LAWS] = b + 1
    work.law_row[b, Law.ROW], work.law_row[b, Law.KIND], work.law_row[b, Law.NORMAL_ROW] = row, kind, press
    work.law_number[b, LawNumber.SHARE], work.law_number[b, LawNumber.NATURAL_STEP] = share, reach


@kernel
def write_number(work, i, start, give, soft, unit, impulse):
    """Write the scalars of row i: START, COMPLIANCE, SOFT, UNIT, IMPULSE.

    Writes: work.
    """
    x = work.dense_vector
    x[Entry.START, i], x[Entry.COMPLIANCE, i], x[Entry.SOFT, i] = start, give, soft
    x[Entry.UNIT, i], x[Entry.IMPULSE, i] = unit, impulse


@kernel
def spin_size(work, c):
    """Return the factor that normalises the torque rows of contact c, √(3/tr G_spin); 0 if G_spin is 0."""
    return sqrt(inverse_mean_diagonal(spatial.load(work.contact_spin_delassus, c)))


@kernel
def write_contact_problem(model, work, c, i, width):
    """Write the rows, scalars and laws of contact c from row i on; return the next row.

    width: columns of Y to clear, 0 of a pile, whose rows are not copied.

    Writes: work.
    """
    own = work.diagonal_delassus[c]
    if not own > 0.0:  # no impulse moves it
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
    add_law(work, i + 2, LawKind.NORMAL, -1, 0.0, 1.0)
    add_law(work, i, LawKind.FRICTION, i + 2, work.contact_friction[c], reach)
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
    add_law(work, i + 3, LawKind.ROLLING, i + 2, work.contact_rolling[c] * share, 1.0)
    add_law(work, i + 5, LawKind.SPINNING, i + 2, work.contact_spinning[c] * share, 1.0)
    return i + 6


@kernel
def write_sides(model, work, table, c, i, scale):
    """Write the three rows of contact c in a table, both sides, times a scale, to the rows of Y from i on.

    Writes: work.
    """
    for side in range(2):
        body, length = work.contact_body[c, side], work.contact_len[c, side]
        write_side(model, work, body, length, table[c, side], i, scale, 3)


@kernel
def write_scalar(model, work, n, i, width):
    """Write scalar row n as row i; return the next row. width: as in `write_contact_problem`.

    Writes: work.
    """
    own = work.scalar_delassus[n]
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
    x[Entry.LOWER, i], x[Entry.UPPER, i] = work.scalar_lower[n] * size, work.scalar_upper[n] * size
    return i + 1


@kernel
def write_problem_rows(model, work, t, width):
    """Write all rows and laws of island t with the present impulses. width: as in `write_contact_problem`.

    Writes: work.
    """
    size = work.dense_size
    size[Size.LAWS] = 0
    i = 0
    for c in contacts_in(work, t):
        i = write_contact_problem(model, work, c, i, width)
    size[Size.SCALARS] = i
    for n in scalars_in(work, t):
        i = write_scalar(model, work, n, i, width)
    size[Size.ROWS] = i
    x = work.dense_vector
    for row in range(x.shape[0]):  # padding: scalar rows are read four at a time from any row on
        store4(x, x.shape[1] * row + i, spread4(0.0))
        store4(x, x.shape[1] * row + i + 4, spread4(0.0))


@kernel
def write_island(model, work, t, count):
    """Write island t as a dense problem of `count` listed dofs, with the present impulses and responses.

    Rows of Y that stand from a solve before, since `assemble_rows`, are kept.

    Writes: work.
    """
    size = work.dense_size
    size[Size.COLUMNS], size[Size.FIRST], size[Size.PILE] = count, 0, 0
    width = wide(count)
    is_written = size[Size.WRITTEN] == t + 1
    write_problem_rows(model, work, t, 0 if is_written else width)
    if not is_written:
        clear_rows(work, size[Size.ROWS], wide(size[Size.ROWS]), width)
        size[Size.WRITTEN] = t + 1
    x = work.column_vector
    for k in range(width):
        x[Vector.STEP, k] = x[Vector.RESIDUAL, k] = x[Vector.RESPONSE, k] = 0.0
        x[Vector.Z, k] = x[Vector.FREE, k] = 0.0
    for k in range(count):
        dof = work.column_dof[count - 1 - k]
        x[Vector.Z, k], x[Vector.FREE, k] = work.response[dof], work.free_response[dof]


@kernel
def write_pile(model, work, t, count):
    """Write the rows in the lists of island t as a pile of `count` nodes.

    Leaves z_free zero; `pile.improve_piece` sets it to the response less that to the impulses of these rows.

    Writes: work.
    """
    size = work.dense_size
    first, last = work.response.shape[0], 0
    for a in range(count):
        tree = work.node_tree[a]
        first = min(first, model.tree_v[tree])
        last = max(last, model.tree_v[tree] + model.tree_nv[tree])
    size[Size.COLUMNS], size[Size.FIRST], size[Size.PILE], size[Size.NODES] = last, first & ~3, t + 1, count
    size[Size.WRITTEN] = 0
    write_problem_rows(model, work, t, 0)
    x = work.column_vector
    for k in range(size[Size.FIRST], wide(last)):
        x[Vector.Z, k] = work.response[k] if k < work.response.shape[0] else 0.0
        x[Vector.STEP, k] = x[Vector.RESIDUAL, k] = x[Vector.FREE, k] = x[Vector.RESPONSE, k] = 0.0


@kernel
def unscaled(work, n, impulse):
    """Return the impulse of scalar row n from its scaled one; exactly the bound where it is at a bound."""
    size = sqrt(work.scalar_delassus[n])
    lower, upper = work.scalar_lower[n], work.scalar_upper[n]
    if impulse >= upper * size:
        return upper
    return lower if impulse <= lower * size else impulse / size


@kernel
def read_impulses(work, t):
    """Copy the impulses of the problem and the response in row Z back to the contacts and rows of island t.

    Writes: work.
    """
    x = work.dense_vector
    i = 0
    for c in contacts_in(work, t):
        if not work.diagonal_delassus[c] > 0.0:
            continue
        f = 1.0 / sqrt(work.diagonal_delassus[c])
        vec.store(work.contact_impulse, c, vec.scale(f, vec.load_from(x, Entry.IMPULSE, i)))
        i += 3
        if work.contact_is_spun[c] == 1:
            torque = vec.scale(spin_size(work, c), vec.load_from(x, Entry.IMPULSE, i))
            vec.store(work.contact_spin_impulse, c, torque)
            i += 3
    for n in scalars_in(work, t):
        work.scalar_impulse[n] = unscaled(work, n, x[Entry.IMPULSE, i])
        i += 1
    count = work.dense_size[Size.COLUMNS]
    if work.dense_size[Size.PILE] > 0:
        for k in range(work.dense_size[Size.FIRST], count):
            work.response[k] = work.column_vector[Vector.Z, k]
        return
    for k in range(count):
        work.response[work.column_dof[count - 1 - k]] = work.column_vector[Vector.Z, k]


@kernel
def copy_vector(work, old, new):
    """Copy row `old` of `dense_vector` to row `new`.

    Writes: work.
    """
    x = work.dense_vector
    for k in range(0, work.dense_size[Size.ROWS], 4):
        store4(x, x.shape[1] * new + k, load4(x, x.shape[1] * old + k))
