"""Contacts of loose bodies, laid out for many sweeps over one island (`loose_rows`)."""

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.loose_rows import (
    AXIS,
    BLOCK,
    ENDS,
    INVERSE,
    SECOND,
    add_loose,
    moved_loose,
)
from tribo.contact.solver import coulomb_cone
from tribo.contact.solver.coulomb_cone import NO_FRICTION
from tribo.contact.solver.gauss_seidel_iteration import sweep_contact, sweep_scalar, sweep_spin
from tribo.math import vec


@kernel
def loose_dof(model, work, c, side):
    """Return the first dof of a loose body, −1 of one that does not give way, −2 of any other.

    The base of a robot has six dofs, too, but its blocks are as large as the robot.
    """
    n = work.contact_len[c, side]
    if n == 0:
        return -1
    tree = model.body_tree[work.contact_body[c, side]]
    return model.tree_v[tree] if n == 6 and model.tree_nv[tree] == 6 else -2


@kernel
def lay_out_rows(work, c, side, place):
    """Copy the rows of one side of contact c to the place of a first (0) or second (1) body.

    Writes: work.
    """
    row = work.row
    out = work.loose_row
    i = work.contact_row[c, side]
    for axis in range(3):
        to = AXIS * axis
        for p in range(4):
            out[c, to + SECOND * place + p] = row[i + 3 * p + axis]
        for p in range(2):
            out[c, to + ENDS + 2 * place + p] = row[i + 12 + 3 * p + axis]


@kernel
def lay_out(model, work, t):
    """Lay out the contacts of island t that are of loose bodies, and say which are not.

    Writes: work.
    """
    out = work.loose_row
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        a = loose_dof(model, work, c, 0)
        b = loose_dof(model, work, c, 1)
        if a == -2 or b == -2:
            work.loose_dof[c, 0] = -1
            continue
        if a < 0 or b < 0:
            for j in range(INVERSE):
                out[c, j] = 0.0
        if a >= 0:
            lay_out_rows(work, c, 0, 0)
        if b >= 0:
            lay_out_rows(work, c, 1, 1 if a >= 0 else 0)
        work.loose_dof[c, 0] = max(a, b) if a < 0 else a
        work.loose_dof[c, 1] = max(a, b) if b < 0 else b
        g = work.contact_delassus
        inverse = coulomb_cone.lifted_inverse(
            (g[c, 0], g[c, 1], g[c, 2], g[c, 3], g[c, 4], g[c, 5])
        )
        for j in range(6):
            out[c, INVERSE + j] = inverse[j]
            out[c, BLOCK + j] = g[c, j]


@kernel
def six(table, c, at):
    """Return six numbers of a row of a table."""
    return (
        table[c, at], table[c, at + 1], table[c, at + 2],
        table[c, at + 3], table[c, at + 4], table[c, at + 5],
    )  # fmt: skip


@kernel
def sweep_loose(model, work, c):
    """Solve one contact of loose bodies given all other rows, as `sweep_contact` does any.

    Writes: work.
    """
    row = work.loose_row
    r = work.contact_compliance
    mu = work.contact_friction[c]
    before = vec.load(work.contact_impulse, c)
    start = vec.load(work.contact_start, c)
    g = six(row, c, BLOCK)
    given = (
        start[0] + r[c, 0] * before[0],
        start[1] + r[c, 1] * before[1],
        start[2] + r[c, 2] * before[2],
    )
    w = moved_loose(work, c, work.response, given)
    free = coulomb_cone.affine(g, vec.neg(before), w)
    if mu <= NO_FRICTION or free[2] > 0.0:
        after = coulomb_cone.solve_contact(g, free, mu, before)
    else:
        after = coulomb_cone.solve_rough(g, six(row, c, INVERSE), free, mu, before)
    step = vec.sub(after, before)
    change = 0.0
    if step[0] != 0.0 or step[1] != 0.0 or step[2] != 0.0:
        vec.store(work.contact_impulse, c, after)
        add_loose(work, c, step, work.response)
        d = coulomb_cone.affine(g, step, (0.0, 0.0, 0.0))
        change = abs(d[0]) + abs(d[1]) + abs(d[2])
    if work.contact_is_spun[c] == 1:
        change += sweep_spin(model, work, c, after[2])
    return change


@kernel
def sweep_laid_out(model, work, t):
    """Visit every contact and scalar row of island t, which is laid out; return as `sweep_island` does.

    Writes: work.
    """
    change = 0.0
    for k in scalars_in(work, t):
        change = max(change, sweep_scalar(model, work, work.island_scalar[k]))
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.loose_dof[c, 0] >= 0:
            change = max(change, sweep_loose(model, work, c))
        else:
            change = max(change, sweep_contact(model, work, c))
    return change
