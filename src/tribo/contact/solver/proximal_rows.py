"""An island in the dofs that its rows move: every row in columns, and the products with them.

A row of the island is zero but for the dofs of two chains. Each dof that some row moves has a column; those
that fewer rows move come first, so that a robot is eliminated from its leaves to its root. A contact then is
a list of columns with three numbers each, and three more if it has rolling friction; a scalar row has one.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import shared_dofs

FORCE, SPIN, COLUMN, LENGTH = 0, 1, 2, 3  # of `contact_packed`; `scalar_packed` has no SPIN
Z, FREE, LACK, STEP, REACHED, KEPT, SHARE = 0, 1, 2, 3, 4, 5, 6  # rows of `column_vector`


@kernel
def count_chain(model, work, body, length):
    """Count a row for each dof of a chain.

    Writes: work.
    """
    chain = model.body_chain_start[body]
    for p in range(length):
        work.column_of[model.chain_dof[chain + p]] += 1


@kernel
def clear_chain(model, work, body, length):
    """Let no row move the dofs of a chain.

    Writes: work.
    """
    chain = model.body_chain_start[body]
    for p in range(length):
        work.column_of[model.chain_dof[chain + p]] = 0


@kernel
def list_chain(model, work, body, length, count, most):
    """List those dofs of a chain that are not listed; return how many are listed then.

    A dof that is listed has the number of its rows less one million.

    Writes: work.
    """
    chain = model.body_chain_start[body]
    for p in range(length):
        dof = model.chain_dof[chain + p]
        if work.column_of[dof] >= 0:
            if count < most:
                work.column_dof[count] = dof
            work.column_of[dof] -= 1_000_000
            count += 1
    return count


@kernel
def find_columns(model, work, t, most):
    """Give the dofs that rows of island t move columns; return how many there are.

    Where there are more than `most` no dof has one.

    Writes: work.
    """
    for is_counted in (False, True):
        for k in contacts_in(work, t):
            c = work.island_contact[k]
            for side in range(2):
                body, length = work.contact_body[c, side], work.contact_len[c, side]
                if is_counted:
                    count_chain(model, work, body, length)
                else:
                    clear_chain(model, work, body, length)
        for k in scalars_in(work, t):
            n = work.island_scalar[k]
            for side in range(2):
                body, length = work.scalar_body[n, side], work.scalar_len[n, side]
                if is_counted:
                    count_chain(model, work, body, length)
                else:
                    clear_chain(model, work, body, length)
    count = 0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        for side in range(2):
            body, length = work.contact_body[c, side], work.contact_len[c, side]
            count = list_chain(model, work, body, length, count, most)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        for side in range(2):
            body, length = work.scalar_body[n, side], work.scalar_len[n, side]
            count = list_chain(model, work, body, length, count, most)
    if count <= most:
        sort_columns(work, count)
    return count


@kernel
def sort_columns(work, count):
    """Sort the dofs that are listed by the number of their rows, the last dof of equals first.

    Writes: work.
    """
    for k in range(1, count):
        dof = work.column_dof[k]
        rows = work.column_of[dof]
        j = k
        while j > 0:
            other = work.column_dof[j - 1]
            if work.column_of[other] < rows or (work.column_of[other] == rows and other > dof):
                break
            work.column_dof[j] = other
            j -= 1
        work.column_dof[j] = dof
    for k in range(count):
        work.column_of[work.column_dof[k]] = k


@kernel
def pack_side(model, work, body, length, skip, place):
    """Write the columns of a chain without its first dofs; return the place behind them.

    Writes: work.
    """
    chain = model.body_chain_start[body]
    for p in range(skip, length):
        work.packed_column[place] = work.column_of[model.chain_dof[chain + p]]
        place += 1
    return place


@kernel
def pack_numbers(work, first, length, width, shared, at):
    """Write the rows of two sides, `width` numbers a dof; those of dofs that both have are added up.

    Writes: work.
    """
    row, packed = work.row, work.packed_row
    i = first[0]
    for k in range(width * length[0]):
        packed[at + k] = row[i + k]
    i = first[1]
    for k in range(width * shared):
        packed[at + k] += row[i + k]
    at += width * (length[0] - shared)
    for k in range(width * shared, width * length[1]):
        packed[at + k] = row[i + k]
    return at + width * length[1]


@kernel
def pack(model, work, t):
    """Write the rows of island t in columns.

    Writes: work.
    """
    at = place = 0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        a, b = work.contact_body[c, 0], work.contact_body[c, 1]
        length = (work.contact_len[c, 0], work.contact_len[c, 1])
        shared = shared_dofs(model, a, b) if length[0] > 0 and length[1] > 0 else 0
        end = pack_side(model, work, a, length[0], 0, place)
        end = pack_side(model, work, b, length[1], shared, end)
        packed = work.contact_packed
        packed[c, COLUMN], packed[c, LENGTH], packed[c, FORCE] = place, end - place, at
        place = end
        first = (work.contact_row[c, 0], work.contact_row[c, 1])
        at = pack_numbers(work, first, length, 3, shared, at)
        packed[c, SPIN] = at
        if work.contact_is_spun[c] == 1:
            first = (work.contact_spin_row[c, 0], work.contact_spin_row[c, 1])
            at = pack_numbers(work, first, length, 3, shared, at)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        a, b = work.scalar_body[n, 0], work.scalar_body[n, 1]
        length = (work.scalar_len[n, 0], work.scalar_len[n, 1])
        shared = shared_dofs(model, a, b) if length[0] > 0 and length[1] > 0 else 0
        end = pack_side(model, work, a, length[0], 0, place)
        end = pack_side(model, work, b, length[1], shared, end)
        packed = work.scalar_packed
        packed[n, 0], packed[n, 1], packed[n, 2] = at, place, end - place
        place = end
        first = (work.scalar_row[n, 0], work.scalar_row[n, 1])
        at = pack_numbers(work, first, length, 1, shared, at)


@kernel
def along(work, z, i, c, start):
    """Return `start` + Y z of contact c; i: its first number, z: a row of `column_vector`."""
    row, x = work.packed_row, work.column_vector
    a, b, d = start
    place = work.contact_packed[c, COLUMN]
    for p in range(place, place + work.contact_packed[c, LENGTH]):
        s = x[z, work.packed_column[p]]
        a += row[i] * s
        b += row[i + 1] * s
        d += row[i + 2] * s
        i += 3
    return (a, b, d)


@kernel
def gather(work, z, i, c, impulse):
    """Add Yᵀ of an impulse of contact c to a row of `column_vector`; i: its first number.

    Writes: work.
    """
    row, x = work.packed_row, work.column_vector
    a, b, d = impulse
    place = work.contact_packed[c, COLUMN]
    for p in range(place, place + work.contact_packed[c, LENGTH]):
        x[z, work.packed_column[p]] += row[i] * a + row[i + 1] * b + row[i + 2] * d
        i += 3


@kernel
def scalar_along(work, z, n, start):
    """Return `start` + y z of scalar row n."""
    i, place = work.scalar_packed[n, 0], work.scalar_packed[n, 1]
    for p in range(work.scalar_packed[n, 2]):
        start += work.packed_row[i + p] * work.column_vector[z, work.packed_column[place + p]]
    return start


@kernel
def scalar_gather(work, z, n, impulse):
    """Add yᵀ of an impulse of scalar row n to a row of `column_vector`.

    Writes: work.
    """
    i, place = work.scalar_packed[n, 0], work.scalar_packed[n, 1]
    for p in range(work.scalar_packed[n, 2]):
        work.column_vector[z, work.packed_column[place + p]] += work.packed_row[i + p] * impulse
