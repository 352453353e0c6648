"""Derivatives of the momentum that a floating robot keeps in a midpoint step (`dynamics.momentum`).

The step sets velocity and place of the base so that the robot has p⁺ = p + dt m g, its angular momentum l
about its centre of mass, and c⁺ = c + dt (p + p⁺)/2m, all counted from the state before the step. With the
rows of M v of the base, p and k about its origin, l = k − r × p, and since M v changes with coordinates as
inverse dynamics from rest does (`shift_tangents.add_momentum_tangents`),

    δp = M_p δv + ∂(M v)_p/∂q δq,   m δc = M_p δq,

so that six of δv⁺ and three of δq⁺ follow from those of the joints. Forces and contacts with other trees push
on the base with X = M (v⁺ − v) + dt h, of the velocity that was solved for.
"""

from tribo.compiler.jit import kernel
from tribo.contact.stabilisation.group_momentum import momentum_group
from tribo.dynamics import kinematics
from tribo.dynamics.momentum import load_motion
from tribo.enums import Momentum
from tribo.math import vec
from tribo.queries.shift_tangents import add_momentum_tangents, has_shift, move_from_rest
from tribo.queries.single_tangents import inverse_matrix, multiple, plus, single_axes, skew
from tribo.queries.tangents import Count, Obstacle, filled_up, object_to
from tribo.queries.tree_tangents import inertia_of_trees

ZERO = (0.0, 0.0, 0.0)
AGREES = 1e-9  # [–] by which a momentum or a place may miss what it has to be


@kernel
def kept_with(work, t):
    """Return the first of the trees whose momentum is kept with that of tree t, −1: it is not kept."""
    if work.tree_is_kept[t] == Momentum.KEPT:
        return t
    return momentum_group(work, t)


@kernel
def check_kept(model, work, tangents):
    """Note floating trees whose momentum is kept otherwise: of several together, or as positions are shifted.

    Writes: tangents.
    """
    for t in range(model.tree_body.shape[0]):
        first = kept_with(work, t)
        if first < 0:
            continue
        is_known = True
        for dof in range(model.tree_v[t], model.tree_v[t] + 6):
            is_known = is_known and work.drive_inertia[dof] + model.dof_armature[dof] == 0.0
        is_alone = work.tree_is_kept[first] == Momentum.KEPT
        for m in range(tangents.counts[Count.CONTACTS]):
            c = tangents.contact[m]
            a = model.body_tree[work.contact_body[c, 0]]
            b = model.body_tree[work.contact_body[c, 1]]
            is_alone = is_alone and (a == b or (a != t and b != t))
        if not (is_known and (is_alone or not has_shift(model, work, tangents))):
            object_to(tangents, Obstacle.FLOATS, model.tree_body[t])


@kernel
def momentum_at(model, settings, work, tangents, q, v):
    """Write M and −∂(M v)/∂q at (q, v) into `lack`.

    Writes: work, tangents.
    """
    n = model.dof_body.shape[0]
    at_q = filled_up(tangents.counts[Count.ROWS])
    kinematics.compute_poses(model, q, work)
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
def note_pushes_on_bases(model, work, tangents, columns):
    """Keep the equation of motion as it is before forces and rows are added: what pushes on bases follows.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    at_v = filled_up(tangents.counts[Count.ROWS]) + n
    for r in range(tangents.counts[Count.ROWS]):
        for k in range(columns):
            tangents.pushes[r, k] = tangents.system[r, k]
        for j in range(n):
            tangents.pushes[r, at_v + j] += tangents.system[r, j]


@kernel
def is_any_kept(model, work):
    """Tell whether a floating tree keeps its momentum, alone or with others."""
    is_any = False
    for t in range(model.tree_body.shape[0]):
        is_any = is_any or work.tree_is_kept[t] != Momentum.LEFT_ALONE
    return is_any


@kernel
def begin_momentum_tangents(model, state, settings, work, tangents):
    """Write M and −∂(M v)/∂q at the beginning of the step, and at its end; keep δv⁺ as it was solved for.

    Writes: work, tangents.
    """
    n = model.dof_body.shape[0]
    at_q = filled_up(tangents.counts[Count.ROWS])
    for r in range(n):
        for k in range(tangents.solved_by.shape[1]):
            tangents.solved_by[r, k] = tangents.grown[n + r, k]
            if tangents.counts[Count.SIDES] > 0:
                both = tangents.grown[n + r, k] + tangents.fallen[n + r, k]
                tangents.solved_by[r, k] = 0.5 * both
    momentum_at(model, settings, work, tangents, tangents.start_q, tangents.start_v)
    for r in range(n):
        for k in range(n):
            tangents.start_mass[r, k] = tangents.lack[r, k]
            tangents.start_bend[r, k] = -tangents.lack[r, at_q + k]
    momentum_at(model, settings, work, tangents, state.q, state.v)


@kernel
def keep_momentum_tangents(model, state, settings, work, tangents, out):
    """Set the rows of floating bases so that momentum and centre of mass change as they have to.

    Writes: tangents, out.
    """
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_kept[t] != Momentum.LEFT_ALONE and kept_with(work, t) == t:
            keep_group_tangents(model, state, settings, work, tangents, t, out)


@kernel
def push_on_base(tangents, out, a, last, column):
    """Return the change of the impulse of all forces but weight on a base, linear and about its origin.

    M (δv⁺ − δv) + dt δh, of the velocity that was solved for; tree: dofs a … last − 1.
    """
    n = tangents.start_v.shape[0]
    x = vec.neg(three(tangents.pushed_by, a, column))
    y = vec.neg(three(tangents.pushed_by, a + 3, column))
    for d in range(a, last):
        x = vec.axpy(out[n + d, column], three(tangents.pushes, a, d), x)
        y = vec.axpy(out[n + d, column], three(tangents.pushes, a + 3, d), y)
    return x, y


@kernel
def base_at(model, q, t, origin):
    """Return where the base of tree t is, from an origin."""
    k = model.joint_q[model.tree_body[t]]
    return vec.sub((q[k], q[k + 1], q[k + 2]), origin)


@kernel
def sum_up(model, table, q, v, t, origin, work):
    """Return m, c and p of the trees that are kept with tree t, from the rows of M at (q, v)."""
    m, moment, p = 0.0, ZERO, ZERO
    for u in range(model.tree_body.shape[0]):
        if kept_with(work, u) != t:
            continue
        a = model.tree_v[u]
        own = table[a, a]
        m += own
        c = vec.add(base_at(model, q, u, origin), arm_of(table, a, own))
        moment = vec.axpy(own, c, moment)
        p = vec.add(p, times_v(model, table, u, a, v))
    return m, vec.scale(1.0 / m, moment), p


@kernel
def whole_inertia(model, state, work, table, t, origin, c):
    """Return the inertia of the trees that are kept with tree t about their common centre of mass."""
    total = multiple(0.0)
    for u in range(model.tree_body.shape[0]):
        if kept_with(work, u) != t:
            continue
        a = model.tree_v[u]
        m = table[a, a]
        r = arm_of(table, a, m)
        d = vec.sub(vec.add(base_at(model, state.q, u, origin), r), c)
        own = (
            table[a + 3, a + 3], table[a + 3, a + 4], table[a + 3, a + 5],
            table[a + 4, a + 3], table[a + 4, a + 4], table[a + 4, a + 5],
            table[a + 5, a + 3], table[a + 5, a + 4], table[a + 5, a + 5],
        )  # fmt: skip
        own = plus(own, m, vec.mat_mul(skew(r), skew(r)))
        total = plus(total, 1.0, plus(own, -m, vec.mat_mul(skew(d), skew(d))))
    return total


@kernel
def keep_group_tangents(model, state, settings, work, tangents, t, out):
    """Set the rows of the bases of all trees kept with tree t; note it if they do not have what they have to.

    The step adds to each base v + Ω × (b − c) and a shift, so that p, L about c, and c are right.

    Writes: tangents, out.
    """
    n = model.dof_body.shape[0]
    dt = settings.dt
    before, after = tangents.start_mass, tangents.lack
    origin = base_at(model, tangents.start_q, t, ZERO)
    m, c0, p0 = sum_up(model, before, tangents.start_q, tangents.start_v, t, origin, work)
    _, c1, p1 = sum_up(model, after, state.q, state.v, t, origin, work)
    _, place, wanted, _ = load_motion(work.tree_target, t)
    is_touching = work.tree_is_kept[t] == Momentum.TOUCHING
    off = vec.sub(p1, wanted)
    missed = vec.sub(vec.add(origin, c1), place)
    if not vec.norm(off) <= AGREES * m + AGREES * vec.norm(wanted):
        object_to(tangents, Obstacle.FLOATS, model.tree_body[t])
    if not is_touching and not vec.norm(missed) <= AGREES + AGREES * vec.norm(place):
        object_to(tangents, Obstacle.FLOATS, model.tree_body[t])
    middle = vec.axpy(0.5 * dt / m, p0, c0)
    lighter = inverse_matrix(whole_inertia(model, state, work, after, t, origin, c1))
    b = model.tree_v[t] + 3
    turned = vec.sub(
        (state.v[b], state.v[b + 1], state.v[b + 2]), (work.next_v[b], work.next_v[b + 1], work.next_v[b + 2])
    )
    for column in range(out.shape[1]):
        dp, dl, dc = wanted_changes(model, settings, work, tangents, out, t, column, origin, m, c0, middle)
        shift = dc
        for u in range(model.tree_body.shape[0]):
            if kept_with(work, u) == t:
                shift = vec.sub(shift, centre_change(model, after, out, u, column, m))
        moved = vec.sub(dc, shift)
        for u in range(model.tree_body.shape[0]):
            if kept_with(work, u) != t:
                continue
            a = model.tree_v[u]
            arm = vec.sub(base_at(model, state.q, u, origin), c1)
            bent = vec.sub(three(out, a, column), moved)
            swung = vec.cross(turned, bent)
            out[n + a, column] += swung[0]
            out[n + a + 1, column] += swung[1]
            out[n + a + 2, column] += swung[2]
            p, k = momentum_change(model, tangents, out, u, column)
            own = times_v(model, after, u, a, state.v)
            dp = vec.sub(dp, p)
            dl = vec.sub(dl, vec.add(k, vec.add(vec.cross(bent, own), vec.cross(arm, p))))
        omega = vec.mat_vec(lighter, dl)
        speed = vec.scale(0.0 if is_touching else 1.0 / m, dp)
        for u in range(model.tree_body.shape[0]):
            if kept_with(work, u) != t:
                continue
            a = model.tree_v[u]
            arm = vec.sub(base_at(model, state.q, u, origin), c1)
            v = vec.add(speed, vec.cross(omega, arm))
            for r in range(3):
                x = shift[0] if r == 0 else (shift[1] if r == 1 else shift[2])
                out[a + r, column] += 0.0 if is_touching else x
                out[n + a + r, column] += v[0] if r == 0 else (v[1] if r == 1 else v[2])
                y = omega[0] if r == 0 else (omega[1] if r == 1 else omega[2])
                out[n + a + 3 + r, column] += y


@kernel
def centre_change(model, table, out, u, column, m):
    """Return by how much tree u moves the common centre of mass of all with the mass m."""
    c = ZERO
    for d in range(model.tree_v[u], model.tree_v[u] + model.tree_nv[u]):
        c = vec.axpy(out[d, column] / m, three(table, model.tree_v[u], d), c)
    return c


@kernel
def momentum_change(model, tangents, out, u, column):
    """Return the changes of p and k, about its base, of tree u at the end of the step."""
    n = model.dof_body.shape[0]
    at_q = filled_up(tangents.counts[Count.ROWS])
    a = model.tree_v[u]
    p = k = ZERO
    for d in range(a, a + model.tree_nv[u]):
        p = vec.axpy(out[n + d, column], three(tangents.lack, a, d), p)
        k = vec.axpy(out[n + d, column], three(tangents.lack, a + 3, d), k)
        p = vec.axpy(-out[d, column], three(tangents.lack, a, at_q + d), p)
        k = vec.axpy(-out[d, column], three(tangents.lack, a + 3, at_q + d), k)
    return p, k


@kernel
def wanted_changes(model, settings, work, tangents, out, t, column, origin, m, c0, middle):
    """Return the changes of p, of L about c, and of c, that trees kept with tree t have to have at last."""
    n = model.dof_body.shape[0]
    dt = settings.dt
    kind, j = column // n, column % n
    before = tangents.start_mass
    p, c = ZERO, ZERO
    u = model.body_tree[model.dof_body[j]]
    is_own = kind < 2 and kept_with(work, u) == t
    k = own = at = carried = ZERO
    if is_own:
        a = model.tree_v[u]
        table = tangents.start_bend if kind == 0 else before
        p, k = three(table, a, j), three(table, a + 3, j)
        own = (1.0 * (j == a), 1.0 * (j == a + 1), 1.0 * (j == a + 2))
        at = vec.sub(base_at(model, tangents.start_q, u, origin), c0)
        carried = vec.scale(1.0 if kind == 0 else 0.5 * dt, own)
        if kind == 0:
            c = vec.scale(1.0 / m, three(before, a, j))
        else:
            own = ZERO
    l = vec.add(k, vec.cross(at, p))
    goes = vec.axpy(0.5 * dt / m, p, c)
    more = ZERO
    for w in range(model.tree_body.shape[0]):
        if kept_with(work, w) != t:
            continue
        a = model.tree_v[w]
        start = times_v(model, before, w, a, tangents.start_v)
        l = vec.sub(l, vec.cross(vec.sub(c, own if is_own and w == u else ZERO), start))
        x, y = push_on_base(tangents, out, a, a + model.tree_nv[w], column)
        arm = vec.sub(base_at(model, work.mid_q, w, origin), middle)
        bent = vec.sub(carried if is_own and w == u else ZERO, goes)
        l = vec.add(l, vec.add(y, vec.cross(arm, x)))
        l = vec.add(l, vec.cross(bent, push_at(model, settings, work, tangents, w)))
        more = vec.add(more, x)
    c = vec.axpy(0.5 * dt / m, more, vec.axpy(dt / m, p, c))
    return vec.add(p, more), l, c


@kernel
def push_at(model, settings, work, tangents, t):
    """Return the linear impulse of all forces but weight on the base of tree t.   M (v⁺ − v) + dt h"""
    a = model.tree_v[t]
    x = (
        settings.dt * work.bias_force[a],
        settings.dt * work.bias_force[a + 1],
        settings.dt * work.bias_force[a + 2],
    )
    for d in range(a, a + model.tree_nv[t]):
        x = vec.axpy(work.next_v[d] - tangents.start_v[d], three(tangents.pushes, a, d), x)
    return x
