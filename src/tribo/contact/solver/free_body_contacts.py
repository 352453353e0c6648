"""Layout of the contacts of free bodies for sweeps over one island (`free_body_rows`)."""

from tribo.compiler.jit import kernel
from tribo.contact.problem.free_body_rows import AXIS, ENDS, INVERSE, SECOND
from tribo.contact.problem.islands import contacts_in
from tribo.contact.solver import coulomb_cone
from tribo.contact.solver.contact_lane_groups import make_lane_groups
from tribo.math import spatial


@kernel
def free_body_dof(model, work, c, side):
    """Return the first dof of a free body; −1 for a body that impulses do not move; −2 for any other.

    The base of a robot also has six dofs, but is no free body: its blocks are as large as the robot.
    """
    n = work.contact_len[c, side]
    if n == 0:
        return -1
    tree = model.body_tree[work.contact_body[c, side]]
    return model.tree_v[tree] if n == 6 and model.tree_nv[tree] == 6 else -2


@kernel
def lay_out_rows(work, c, side, place):
    """Copy the rows of one side of contact c to the place of the first (0) or second (1) body.

    Writes: work.
    """
    row = work.row
    out = work.free_body_row
    i = work.contact_row[c, side]
    for axis in range(3):
        to = AXIS * axis
        for p in range(4):
            out[c, to + SECOND * place + p] = row[i + 3 * p + axis]
        for p in range(2):
            out[c, to + ENDS + 2 * place + p] = row[i + 12 + 3 * p + axis]


@kernel
def lay_out_free_bodies(model, work, t):
    """Lay out those contacts of island t whose bodies are free, mark the others, and form groups.

    Writes: work.
    """
    out = work.free_body_row
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        a = free_body_dof(model, work, c, 0)
        b = free_body_dof(model, work, c, 1)
        if a == -2 or b == -2:
            work.free_body_dof[c, 0] = -1
            continue
        if a < 0 or b < 0:
            for j in range(INVERSE):
                out[c, j] = 0.0
        if a >= 0:
            lay_out_rows(work, c, 0, 0)
        if b >= 0:
            lay_out_rows(work, c, 1, 1 if a >= 0 else 0)
        work.free_body_dof[c, 0] = max(a, b) if a < 0 else a
        work.free_body_dof[c, 1] = max(a, b) if b < 0 else b
        inverse = coulomb_cone.lifted_inverse(spatial.load(work.contact_delassus, c))
        for j in range(6):
            out[c, INVERSE + j] = inverse[j]
    make_lane_groups(model, work, t)
