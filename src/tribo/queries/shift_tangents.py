"""Derivatives of the shift that closes overlaps at the end of a step (`position_pass`).

With the rows that hold, the shift σ and its pushes ρ obey, at the same M̂ and J as the step,

    M̂ σ − Jᵀ ρ = 0,   J σ + R ρ = dt b,   R = ε G

with b what a row asks for. That is the system of `step_tangents` once more, of a motion σ from rest without
forces. Of stops, whose ε is 1e-6, the change of G is left out; of contacts, ε = 0.01, G is the mean of
J M̂⁻¹ Jᵀ over three directions, and with u = M̂⁻¹ Jᵀ along one of them

    δ(J M̂⁻¹ Jᵀ) = 2 δJ u − uᵀ δM̂ u.
"""

from tribo.compiler.jit import kernel
from tribo.contact.position_pass import CONTACT_COMPLIANCE, ROW_COMPLIANCE
from tribo.contact.problem.whitened_products import add_impulse_response
from tribo.dynamics.whitening import unwhiten
from tribo.math import quat, spatial, vec
from tribo.model import Kind
from tribo.queries.active_rows import take_scalar
from tribo.queries.contact_row_tangents import moved_contact, take_contact
from tribo.queries.contact_tangents import is_moved_by, pushed_ends, relative_change, surfaces_of
from tribo.queries.single_tangents import multiple, plus, put, skew, whole_matrix
from tribo.queries.tangents import (
    Count,
    Obstacle,
    bend_columns,
    clear_system,
    filled_up,
    first_of_block,
    object_to,
)
from tribo.queries.tree_tangents import (
    collect_bodies,
    differentiate_dofs,
    inverse_dynamics_tangents,
    left_jacobian,
)

ZERO = (0.0, 0.0, 0.0)
STILL = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
MIN_SHIFT = 1e-18  # [kg m, kg m²] momentum of a shift of round-off
MIN_PUSH = 1e-9  # [–] of the largest multiplier of a shift: smaller ones are round-off
AGREES = 1e-7  # [–] of the momenta in the shift by which its equation may be missed


@kernel
def has_shift(model, work, tangents):
    """Tell whether positions are shifted, or may be as an input falls."""
    for dof in range(model.dof_body.shape[0]):
        if work.shift_v[dof] != 0.0:
            return True
    for k in range(tangents.counts[Count.CONTACTS] + tangents.counts[Count.SCALARS]):
        if tangents.shift_slope[k, 1] != 0.0:
            return True
    return False


@kernel
def moves_body(model, work, body):
    """Tell whether the shift moves a body."""
    chain = model.body_chain_start[body]
    is_moved = False
    for p in range(model.body_chain_len[body]):
        is_moved = is_moved or work.shift_v[model.chain_dof[chain + p]] != 0.0
    return is_moved


@kernel
def is_shifted(model, work, c):
    """Tell whether the shift moves a body of contact c."""
    a, b = work.contact_body[c, 0], work.contact_body[c, 1]
    return moves_body(model, work, a) or moves_body(model, work, b)


@kernel
def slips_in_shift(model, work, tangents, m):
    """Tell whether the tangents of contact number m do not hold: it slips, or the shift released them."""
    c = tangents.contact[m]
    return tangents.slips[m] == 1 or (work.shift_has_tangents[c] != 1 and is_shifted(model, work, c))


@kernel
def move_from_rest(model, settings, work, tangents, u):
    """Write the motions of all bodies as they go from rest to velocities u within a step, without weight.

    Writes: tangents.
    """
    for i in range(model.body_parent.shape[0]):
        parent = model.body_parent[i]
        end = spatial.load(tangents.end_twist, parent) if parent >= 0 else STILL
        if model.tree_kind[model.body_tree[i]] == Kind.DYNAMIC:
            chain = model.body_chain_start[i]
            for p in range(model.body_chain_len[i]):
                dof = model.chain_dof[chain + p]
                if model.dof_body[dof] == i:
                    end = spatial.axpy(u[dof], spatial.load(work.dof_axis, dof), end)
        spatial.store(tangents.end_twist, i, end)
        spatial.store(tangents.twist, i, STILL)
        spatial.store(tangents.rate, i, STILL)
        spatial.store(tangents.full, i, spatial.axpy(1.0 / settings.dt, end, STILL))
    collect_bodies(model, work, tangents)
    differentiate_dofs(model, work, tangents, u)


@kernel
def add_momentum_tangents(model, settings, work, tangents, out, at_q, u):
    """Write M, and −∂(M u)/∂q into columns from `at_q` on; bodies move by `move_from_rest`.

    Writes: out.
    """
    n = model.dof_body.shape[0]
    inverse_dynamics_tangents(model, settings, work, tangents, out, at_q, at_q + n)
    for t in range(model.tree_body.shape[0]):
        if model.tree_is_single[t] == 0 or model.tree_kind[t] != Kind.DYNAMIC:
            continue
        root = model.tree_body[t]
        a = model.tree_v[t]
        s = vec.rotate_sym(vec.load_mat(work.body_rot, root), spatial.load(model.body_inertia, root))
        inertia, turn = whole_matrix(s), (u[a + 3], u[a + 4], u[a + 5])
        turned = plus(vec.mat_mul(inertia, skew(turn)), -1.0, skew(vec.mat_vec(inertia, turn)))
        put(out, a, a, multiple(model.body_mass[root]))
        put(out, a + 3, a + 3, inertia)
        put(out, a + 3, at_q + a + 3, vec.mat_mul(multiple(-1.0), turned))


@kernel
def add_own_tangents(model, settings, work, tangents, place, at, push, at_q):
    """Add −ε ρ δG of contact number `place` to its three rows from `at` on; push: ρ.

    Writes: work, tangents.
    """
    c = tangents.contact[place]
    n = model.dof_body.shape[0]
    surfaces = surfaces_of(model, work, c)
    a, b = work.contact_body[c, 0], work.contact_body[c, 1]
    for k in range(3):
        for dof in range(n):
            work.change_v[dof] = 0.0
        unit = (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
        add_impulse_response(model, work, work.contact_row, c, unit, work.change_v)
        unwhiten(model, work, work.change_v, tangents.shift)
        move_from_rest(model, settings, work, tangents, tangents.shift)
        for r in range(n):
            for j in range(2 * n):
                tangents.lack[r, at_q + j] = 0.0
        add_momentum_tangents(model, settings, work, tangents, tangents.lack, at_q, tangents.shift)
        for j in range(n):
            change = 0.0
            for r in range(n):
                change += tangents.shift[r] * tangents.lack[r, at_q + j]
            moves = (is_moved_by(model, a, j), is_moved_by(model, b, j))
            if moves[0] or moves[1]:
                turn, da, db, _, _ = moved_contact(model, work, c, j, moves, surfaces)
                more = relative_change(
                    model, work, tangents.end_twist, c, j, moves[0], moves[1], turn,
                    pushed_ends(work, c), (da, db),
                )  # fmt: skip
                change += 2.0 * (more[0] if k == 0 else (more[1] if k == 1 else more[2]))
            for r in range(3):
                tangents.system[at + r, at_q + j] -= CONTACT_COMPLIANCE / 3.0 * push[r] * change


@kernel
def holds(model, work, tangents, k):
    """Tell whether row k of those with gaps, whose island is shifted or could be, holds its gap."""
    contacts = tangents.counts[Count.CONTACTS]
    if k < contacts:
        c = tangents.contact[k]
        if is_shifted(model, work, c):
            return tangents.shift_push[k, 2] > 0.0
        return True
    n = tangents.scalar[k - contacts]
    return tangents.shift_push[k, 0] != 0.0 or not moves_body(model, work, work.scalar_body[n, 0])


@kernel
def check_pushes(model, work, tangents, shift_by, columns, sign):
    """Note a row that would pull in the shift as an input grows (sign 1) or falls (−1): it lets go instead.

    Of a tree that is not shifted rows count as held; which of them hold depends on what the others open.

    Writes: tangents.
    """
    n, contacts = model.dof_body.shape[0], tangents.counts[Count.CONTACTS]
    most = 0.0
    for r in range(n, n + 3 * contacts + tangents.counts[Count.SCALARS]):
        for place in range(columns):
            most = max(most, abs(shift_by[r, place]))
    for k in range(contacts + tangents.counts[Count.SCALARS]):
        r, side = n + 3 * k + 2, 1.0
        if k >= contacts:
            m = k - contacts
            r, side = n + 3 * contacts + m, tangents.scalar_side[m]
            if tangents.scalar_is_held[m] == 1:
                continue
        push = tangents.shift_push[k, 2 if k < contacts else 0]
        if push != 0.0 or not holds(model, work, tangents, k):
            continue
        for place in range(columns):
            if sign * side * shift_by[r, place] < -MIN_PUSH * most:
                row = tangents.contact[k] if k < contacts else tangents.scalar[k - contacts]
                object_to(tangents, Obstacle.BORDER, row)
                return


@kernel
def let_go(tangents, at):
    """Replace row `at` by ρ = 0.

    Writes: tangents.
    """
    for k in range(tangents.counts[Count.COLUMNS]):
        tangents.system[at, k] = 0.0
    tangents.system[at, at] = 1.0


@kernel
def watch(model, tangents, at):
    """Let the unknown of row `at`, which does not push, be dt e: what it would have to close.

    Writes: tangents.
    """
    for k in range(model.dof_body.shape[0]):
        tangents.system[k, at] = 0.0
    tangents.system[at, at] = 1.0
    tangents.is_watched[at] = 1


@kernel
def note_pushes(model, settings, work, tangents):
    """Write what contacts and stops push in the shift, dt e/R.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    for m in range(tangents.counts[Count.CONTACTS]):
        c = tangents.contact[m]
        push = ZERO
        if is_shifted(model, work, c):
            x = y = 0.0
            for k in range(n):
                x -= tangents.system[n + 3 * m, k] * work.shift_v[k]
                y -= tangents.system[n + 3 * m + 1, k] * work.shift_v[k]
            if slips_in_shift(model, work, tangents, m):
                x = y = 0.0
            z = max(0.0, work.shift_error[c, 2]) * settings.dt
            push = vec.scale(1.0 / (CONTACT_COMPLIANCE * work.diagonal_delassus[c]), (x, y, z))
        vec.store(tangents.shift_push, m, push)
    for m in range(tangents.counts[Count.SCALARS]):
        push = 0.0
        row = tangents.scalar[m]
        side = tangents.scalar_side[m]
        is_still = not moves_body(model, work, work.scalar_body[row, 0])
        if tangents.scalar_is_held[m] == 1 and is_still and tangents.counts[Count.CONTACTS] > 0:
            object_to(tangents, Obstacle.BORDER, row)  # which contacts push depends on where it opens
        if side != 0.0 and moves_body(model, work, work.scalar_body[row, 0]):
            e = settings.dt * work.shift_scalar_error[row]
            e = e if tangents.scalar_is_held[m] == 1 else side * max(0.0, side * e)
            push = e / (ROW_COMPLIANCE * work.scalar_delassus[row])
        tangents.shift_push[tangents.counts[Count.CONTACTS] + m, 0] = push


@kernel
def shift_system(model, settings, work, tangents):
    """Write the system of the shift in the place of that of the step; note where its equation does not hold.

    Writes: work, tangents.
    """
    n = model.dof_body.shape[0]
    contacts, scalars = tangents.counts[Count.CONTACTS], tangents.counts[Count.SCALARS]
    rows = tangents.counts[Count.ROWS]
    at_q = filled_up(rows)
    _, at_gap = bend_columns(tangents)
    clear_system(tangents, rows, tangents.counts[Count.COLUMNS])
    for r in range(rows):
        tangents.is_watched[r] = 0
    for m in range(contacts):
        push = vec.load(tangents.shift_push, m)
        if push[0] != 0.0 or push[1] != 0.0 or push[2] != 0.0:
            add_own_tangents(model, settings, work, tangents, m, n + 3 * m, push, at_q)
    move_from_rest(model, settings, work, tangents, work.shift_v)
    add_momentum_tangents(model, settings, work, tangents, tangents.system, at_q, work.shift_v)
    for k in range(n):
        tangents.system[k, k] += model.dof_armature[k] + work.drive_inertia[k]
        if model.dof_is_moved[k] == 0:
            tangents.system[k, k] = 1.0
        for j in range(n):
            tangents.system[k, at_q + n + j] = 0.0  # velocities move nothing of it
    for m in range(contacts):
        push = vec.load(tangents.shift_push, m)
        take_contact(model, settings, work, tangents, m, n + 3 * m, push, True)
    for m in range(scalars):
        take_scalar(model, work, tangents, m, n + 3 * contacts + m, at_q + n, at_gap)
    check_shift(model, work, tangents)
    for r in range(n + 3 * contacts + scalars, rows):
        tangents.system[r, r] = 1.0  # torques of rolling friction do not shift
    for m in range(contacts):
        at = n + 3 * m
        for r in range(at, at + 3):
            tangents.system[r, r] += CONTACT_COMPLIANCE * work.diagonal_delassus[tangents.contact[m]]
        tangents.system[at + 2, at_gap + m] = 1.0
        if slips_in_shift(model, work, tangents, m):
            let_go(tangents, at)
            let_go(tangents, at + 1)
        if not holds(model, work, tangents, m):
            watch(model, tangents, at + 2)
    for m in range(scalars):
        at = n + 3 * contacts + m
        for j in range(n):
            tangents.system[at, at_q + n + j] = 0.0
        tangents.system[at, at] = ROW_COMPLIANCE * work.scalar_delassus[tangents.scalar[m]]
        if tangents.scalar_side[m] == 0.0:
            let_go(tangents, at)
        elif not holds(model, work, tangents, contacts + m):
            watch(model, tangents, at)


@kernel
def check_shift(model, work, tangents):
    """Note a dof whose equation M̂ σ = Jᵀ ρ does not hold: something else pushes as well.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    contacts = tangents.counts[Count.CONTACTS]
    for k in range(n):
        if model.dof_is_moved[k] == 0:
            continue
        x = size = 0.0
        for j in range(n):
            x += tangents.system[k, j] * work.shift_v[j]
            size += abs(tangents.system[k, j] * work.shift_v[j])
        for r in range(n, n + 3 * contacts + tangents.counts[Count.SCALARS]):
            m = (r - n) // 3
            push = tangents.shift_push[m, (r - n) % 3] if m < contacts else 0.0
            if m >= contacts:
                push = tangents.shift_push[r - n - 2 * contacts, 0]
            x += tangents.system[k, r] * push
            size += abs(tangents.system[k, r] * push)
        if not abs(x) <= AGREES * size + MIN_SHIFT:
            object_to(tangents, Obstacle.OVERLAP, model.dof_body[k])


@kernel
def add_shift(model, work, shift_by, out):
    """Add the change of the shift to that of the coordinates at the end of the step.

    Writes: out.
    """
    for k in range(model.dof_body.shape[0]):
        first, size = first_of_block(model, k)
        if k > first:
            continue
        sigma = ZERO
        if size == 3:
            sigma = (work.shift_v[k], work.shift_v[k + 1], work.shift_v[k + 2])
        turn, jacobian = quat.to_matrix(quat.exp(sigma)), left_jacobian(sigma)
        for place in range(out.shape[1]):
            if size == 1:
                out[k, place] += shift_by[k, place]
                continue
            x = (out[k, place], out[k + 1, place], out[k + 2, place])
            y = (shift_by[k, place], shift_by[k + 1, place], shift_by[k + 2, place])
            x = vec.add(vec.mat_vec(turn, x), vec.mat_vec(jacobian, y))
            out[k, place], out[k + 1, place], out[k + 2, place] = x
