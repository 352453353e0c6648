"""Derivatives of the momentum that a floating robot keeps in a midpoint step (`dynamics.momentum`).

The step sets velocity and place of the base so that the robot has p⁺ = p + dt m g, its angular momentum l
about its centre of mass, and c⁺ = c + dt (p + p⁺)/2m, all counted from the state before the step. With the
rows of M v of the base, p and k about its origin, l = k − r × p, and since M v changes with coordinates as
inverse dynamics from rest does (`shift_tangents.add_momentum_tangents`),

    δp = M_p δv + ∂(M v)_p/∂q δq,   m δc = M_p δq,

so that six of δv⁺ and three of δq⁺ follow from those of the joints.
"""

from tribo.compiler.jit import kernel
from tribo.dynamics import kinematics
from tribo.dynamics.momentum import KEPT, load_motion
from tribo.math import vec
from tribo.queries.shift_tangents import add_momentum_tangents, move_from_rest
from tribo.queries.single_tangents import inverse_matrix, plus, single_axes, skew
from tribo.queries.tangents import CONTACTS, ROWS, SIDES, Obstacle, filled_up, object_to
from tribo.queries.tree_tangents import inertia_of_trees

FLOATS = int(Obstacle.FLOATS)
ZERO = (0.0, 0.0, 0.0)
AGREES = 1e-9  # [–] by which a momentum or a place may miss what it has to be


@kernel
def check_kept(model, work, tangents):
    """Note floating trees that exchange momentum with other trees, or whose base is driven.

    Writes: tangents.
    """
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_kept[t] == 0:
            continue
        root = model.tree_body[t]
        is_known = work.tree_is_kept[t] == KEPT
        for dof in range(model.tree_v[t], model.tree_v[t] + 6):
            extra = work.drive_inertia[dof] + model.dof_armature[dof]
            is_known = is_known and work.drive_force[dof] == 0.0 and extra == 0.0
        for m in range(tangents.counts[CONTACTS]):
            c = tangents.contact[m]
            a = model.body_tree[work.contact_body[c, 0]]
            b = model.body_tree[work.contact_body[c, 1]]
            is_known = is_known and (a == b or (a != t and b != t))
        if not is_known:
            object_to(tangents, FLOATS, root)


@kernel
def momentum_at(model, settings, work, tangents, q, v):
    """Write M and −∂(M v)/∂q at (q, v) into `lack`.

    Writes: work, tangents.
    """
    n = model.dof_body.shape[0]
    at_q = filled_up(tangents.counts[ROWS])
    kinematics.forward(model, q, work)
    single_axes(model, work)
    inertia_of_trees(model, work)
    move_from_rest(model, settings, work, tangents, v)
    for r in range(n):
        for k in range(n):
            tangents.lack[r, k] = tangents.lack[r, at_q + k] = 0.0
    add_momentum_tangents(model, settings, work, tangents, tangents.lack, at_q, v)


@kernel
def three(table, row, column):
    """Return three numbers of a column."""
    return (table[row, column], table[row + 1, column], table[row + 2, column])


@kernel
def arm_of(table, a, mass):
    """Return the centre of mass of a tree from the origin of its base, from the rows of M of that."""
    return (table[a + 1, a + 5] / mass, table[a + 2, a + 3] / mass, table[a, a + 4] / mass)


@kernel
def times_v(model, table, t, row, v):
    """Return three rows of M times velocities of tree t."""
    x = ZERO
    for k in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        x = vec.axpy(v[k], three(table, row, k), x)
    return x


@kernel
def keep_momentum_tangents(model, state, settings, work, tangents):
    """Set the rows of floating bases so that momentum and centre of mass change as they have to.

    Writes: work, tangents.
    """
    n = model.dof_body.shape[0]
    at_q = filled_up(tangents.counts[ROWS])
    is_any = False
    for t in range(model.tree_body.shape[0]):
        is_any = is_any or work.tree_is_kept[t] == KEPT
    if not is_any:
        return
    for r in range(n):
        for k in range(tangents.solved_by.shape[1]):
            tangents.solved_by[r, k] = tangents.grown[n + r, k]
    momentum_at(model, settings, work, tangents, tangents.start_q, tangents.start_v)
    for r in range(n):
        for k in range(n):
            tangents.start_mass[r, k] = tangents.lack[r, k]
            tangents.start_bend[r, k] = -tangents.lack[r, at_q + k]
    momentum_at(model, settings, work, tangents, state.q, state.v)
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_kept[t] == KEPT:
            keep_tree_tangents(model, state, settings, work, tangents, t, at_q, tangents.grown)
            if tangents.counts[SIDES] > 0:
                keep_tree_tangents(model, state, settings, work, tangents, t, at_q, tangents.fallen)


@kernel
def keep_tree_tangents(model, state, settings, work, tangents, t, at_q, out):
    """Set the rows of the base of tree t; note it if it does not have what it has to.

    Writes: tangents, out.
    """
    n = model.dof_body.shape[0]
    a = model.tree_v[t]
    first, last = a + 6, a + model.tree_nv[t]
    dt = settings.dt
    before, after = tangents.start_mass, tangents.lack
    m, place, wanted, _ = load_motion(work.tree_goal, t)
    p0 = times_v(model, before, t, a, tangents.start_v)
    p1 = times_v(model, after, t, a, state.v)
    r0, r1 = arm_of(before, a, m), arm_of(after, a, m)
    q = model.joint_q[model.tree_body[t]]
    base = (tangents.start_q[q], tangents.start_q[q + 1], tangents.start_q[q + 2])
    end = (state.q[q], state.q[q + 1], state.q[q + 2])
    off = vec.sub(p1, wanted)
    missed = vec.sub(vec.add(end, r1), place)
    if not vec.norm(off) <= AGREES * m + AGREES * vec.norm(wanted):
        object_to(tangents, FLOATS, model.tree_body[t])
    if not vec.norm(missed) <= AGREES + AGREES * vec.norm(place):
        object_to(tangents, FLOATS, model.tree_body[t])
    middle = vec.axpy(0.5 * dt / m, p0, vec.add(base, r0))
    arm = vec.sub(middle, (work.mid_q[q], work.mid_q[q + 1], work.mid_q[q + 2]))
    inertia = (
        after[a + 3, a + 3], after[a + 3, a + 4], after[a + 3, a + 5],
        after[a + 4, a + 3], after[a + 4, a + 4], after[a + 4, a + 5],
        after[a + 5, a + 3], after[a + 5, a + 4], after[a + 5, a + 5],
    )  # fmt: skip
    lighter = inverse_matrix(plus(inertia, m, vec.mat_mul(skew(r1), skew(r1))))
    for column in range(out.shape[1]):
        kind, j = column // n, column % n
        p = l = c = pushed = ZERO
        if j >= a and j < last and kind < 2:
            table = tangents.start_bend if kind == 0 else before
            p, k = three(table, a, j), three(table, a + 3, j)
            shift = ZERO
            if kind == 0:
                c = vec.scale(1.0 / m, three(before, a, j))
                shift = vec.sub(c, (1.0 * (j == a), 1.0 * (j == a + 1), 1.0 * (j == a + 2)))
            l = vec.sub(vec.sub(k, vec.cross(shift, p0)), vec.cross(r0, p))
        if j >= a and j < first and kind == 2:
            x = (dt * (j == a), dt * (j == a + 1), dt * (j == a + 2))
            y = (dt * (j == a + 3), dt * (j == a + 4), dt * (j == a + 5))
            pushed, l = x, vec.sub(y, vec.cross(arm, x))
        c = vec.axpy(0.5 * dt / m, pushed, vec.axpy(dt / m, p, c))
        p = vec.add(p, pushed)
        shift = vec.neg(three(out, a, column))
        k = l
        for d in range(a, last):
            shift = vec.axpy(out[d, column] / m, three(after, a, d), shift)
        k = vec.add(k, vec.add(vec.cross(shift, p1), vec.cross(r1, p)))
        for d in range(a, last):
            p = vec.axpy(out[d, column], three(after, a, at_q + d), p)
            k = vec.axpy(out[d, column], three(after, a + 3, at_q + d), k)
            if d >= first:
                p = vec.axpy(-out[n + d, column], three(after, a, d), p)
                k = vec.axpy(-out[n + d, column], three(after, a + 3, d), k)
        omega = vec.mat_vec(lighter, vec.sub(k, vec.cross(r1, p)))
        v = vec.axpy(1.0 / m, p, vec.cross(r1, omega))
        c = vec.sub(c, shift)
        out[a, column], out[a + 1, column], out[a + 2, column] = c
        out[n + a, column], out[n + a + 1, column], out[n + a + 2, column] = v
        out[n + a + 3, column], out[n + a + 4, column], out[n + a + 5, column] = omega
