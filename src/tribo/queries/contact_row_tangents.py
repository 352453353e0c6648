"""The rows of contacts that press in the system of `step_tangents`, and how they change with each dof."""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.math import spatial, vec
from tribo.model import Integrator
from tribo.queries.active_rows import slip_of
from tribo.queries.contact_tangents import (
    ZERO,
    add_force_change,
    bend_change,
    body_change_by_q,
    body_change_by_v,
    body_motion_at,
    force_row,
    is_moved_by,
    moved_place,
    origin_of,
    pushed_ends,
    relative_change,
    surfaces_of,
)
from tribo.queries.tangents import Count, Obstacle, add_by_inputs, bend_columns, filled_up, object_to


@kernel
def write_rows(model, work, tangents, at, c):
    """Write J of contact c into three rows from `at` on, and −Jᵀ into the columns of its impulse.

    Writes: tangents.
    """
    axes = vec.load_mat(work.contact_axes, c)
    pa, pb = pushed_ends(work, c)
    for side in range(2):
        body = work.contact_body[c, side]
        arm = vec.sub(pa if side == 0 else pb, origin_of(model, work, body))
        sign = 1.0 if side == 0 else -1.0
        chain = model.body_chain_start[body]
        for p in range(model.body_chain_len[body]):
            k = model.chain_dof[chain + p]
            for r in range(3):
                axis = (sign * axes[3 * r], sign * axes[3 * r + 1], sign * axes[3 * r + 2])
                x = force_row(work, k, axis, arm)
                tangents.system[at + r, k] += x
                tangents.system[k, at + r] -= x


@kernel
def moved_contact(model, work, c, j, moves, surfaces):
    """Return by what contact c turns and its places move with coordinate j: on A, on B, in the mean; δφ."""
    still = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    axis = spatial.load(work.dof_axis, j)
    n = (work.contact_axes[c, 6], work.contact_axes[c, 7], work.contact_axes[c, 8])
    turned, da, db, opened = moved_place(
        model, work, c, surfaces[0], surfaces[1], axis if moves[0] else still, axis if moves[1] else still
    )  # fmt: skip
    middle = vec.scale(0.5, vec.add(da, db))
    if work.contact_len[c, 0] > 0 and work.contact_len[c, 1] > 0:
        da = db = middle
    return vec.cross(n, turned), da, db, middle, opened


@kernel
def contact_row_of(model, work, c, j):
    """Return by how much the velocity of contact c in its axes changes with that of dof j."""
    axes = vec.load_mat(work.contact_axes, c)
    pa, pb = pushed_ends(work, c)
    row = ZERO
    for side in range(2):
        body = work.contact_body[c, side]
        if not is_moved_by(model, body, j):
            continue
        arm = vec.sub(pa if side == 0 else pb, origin_of(model, work, body))
        sign = 1.0 if side == 0 else -1.0
        more = (
            force_row(work, j, (axes[0], axes[1], axes[2]), arm),
            force_row(work, j, (axes[3], axes[4], axes[5]), arm),
            force_row(work, j, (axes[6], axes[7], axes[8]), arm),
        )
        row = vec.axpy(sign, more, row)
    return row


@kernel
def bends_by(model, settings, work, tangents, c, j, moves, surfaces, motions):
    """Return by how much β of contact c changes with coordinate j, with velocity j, and with its v̄."""
    beta = vec.load(work.contact_drift, c)
    if beta[0] == 0.0 and beta[1] == 0.0 and beta[2] == 0.0:
        return ZERO, ZERO, ZERO
    ha, hb = surfaces
    has_a, has_b = moves
    axes = vec.load_mat(work.contact_axes, c)
    one, other = work.contact_body[c, 0], work.contact_body[c, 1]
    turn, da, db, middle, opened = moved_contact(model, work, c, j, moves, surfaces)
    p, v, gap = vec.load(work.contact_pos, c), vec.load(work.contact_vel, c), work.contact_gap[c]
    start = relative_change(
        model, work, tangents.start_twist, c, j, has_a, has_b, turn, pushed_ends(work, c), (da, db)
    )
    by_one = body_change_by_q(model, work, tangents, one, j, has_a, p, middle)
    by_other = body_change_by_q(model, work, tangents, other, j, has_b, p, middle)
    bent = bend_change(
        settings, axes, ha, hb, motions[0], motions[1], v, gap, turn, by_one, by_other, start, opened
    )  # fmt: skip
    by_one = body_change_by_v(model, work, tangents, one, j, has_a, p)
    by_other = body_change_by_v(model, work, tangents, other, j, has_b, p)
    by_mean = bend_change(
        settings, axes, ha, hb, motions[0], motions[1], v, gap, ZERO, by_one, by_other, ZERO, 0.0
    )  # fmt: skip
    still4 = (ZERO, ZERO, ZERO, ZERO)
    row = contact_row_of(model, work, c, j)
    by_v = bend_change(settings, axes, ha, hb, motions[0], motions[1], v, gap, ZERO, still4, still4, row, 0.0)
    return bent, by_v, by_mean


@kernel
def motions_at(model, settings, work, tangents, c):
    """Return the motions of both bodies at contact c."""
    p = vec.load(work.contact_pos, c)
    return (
        body_motion_at(model, settings, work, tangents, work.contact_body[c, 0], p),
        body_motion_at(model, settings, work, tangents, work.contact_body[c, 1], p),
    )


@kernel
def sags_by(model, settings, work, tangents, c, j, moves):
    """Return the normal parts of `bends_by` of contact c."""
    bent, by_v, by_mean = bends_by(
        model, settings, work, tangents, c, j, moves, surfaces_of(model, work, c),
        motions_at(model, settings, work, tangents, c),
    )  # fmt: skip
    return (bent[2], by_v[2], by_mean[2])


@kernel
def contact_direction(
    model, settings, work, tangents, place, at, j, moves, surfaces, motions, force, is_shift
):
    """Write how the rows of a contact that presses change with coordinate and velocity j.

    place: its number among those that press; at: its first row; moves: whether j moves A, and B; motions: of
    both bodies at the point; force: on A; is_shift: rows of the shift at the end of the step.

    Writes: tangents.
    """
    c = tangents.contact[place]
    has_a, has_b = moves
    n_v = model.dof_body.shape[0]
    rows = tangents.counts[Count.ROWS]
    at_q = filled_up(rows)
    at_mean, _ = bend_columns(tangents)
    one, other = work.contact_body[c, 0], work.contact_body[c, 1]
    turn, da, db, _, opened = moved_contact(model, work, c, j, moves, surfaces)
    pa, pb = pushed_ends(work, c)
    changed = vec.cross(turn, force)
    if work.contact_len[c, 0] > 0:
        add_force_change(model, work, tangents, one, j, has_a, force, pa, changed, da, at_q + j)
    if work.contact_len[c, 1] > 0:
        add_force_change(
            model, work, tangents, other, j, has_b, vec.neg(force), pb, vec.neg(changed), db, at_q + j
        )
    faster = relative_change(model, work, tangents.end_twist, c, j, has_a, has_b, turn, (pa, pb), (da, db))
    if is_shift:
        for r in range(3):
            tangents.system[at + r, at_q + j] -= faster[r]
        return
    by_speed, by_push, by_gap = vec.load(tangents.law_slope, place)
    start = ZERO
    if by_speed != 0.0:
        start = relative_change(
            model, work, tangents.start_twist, c, j, has_a, has_b, turn, (pa, pb), (da, db)
        )
    bent, by_v, by_mean = bends_by(model, settings, work, tangents, c, j, moves, surfaces, motions)
    sags = (bent[2], by_v[2], by_mean[2])
    if tangents.sag_of[place] != c:
        sags = sags_by(model, settings, work, tangents, tangents.sag_of[place], j, moves)
    for r in range(3):
        tangents.system[at + r, at_q + j] -= faster[r] + bent[r]
        tangents.system[at + r, at_q + n_v + j] -= by_v[r]
        tangents.system[at + r, at_mean + j] -= by_mean[r]
    sag = 0.0 if settings.integrator == Integrator.SEMI_IMPLICIT else -0.25 * settings.dt
    tangents.gap_by_q[place, j] = opened + sag * sags[0]
    tangents.gap_by_v[place, j] = sag * sags[1]
    tangents.gap_by_mean[place, j] = sag * sags[2]
    if by_speed == 0.0 and by_push == 0.0:
        return
    own = tangents.system[at + 2, j]
    pushed = relative_change(model, work, tangents.free_twist, c, j, has_a, has_b, turn, (pa, pb), (da, db))
    tangents.target_by_q[place, j] = (
        by_speed * (start[2] - bent[2]) + by_push * pushed[2] + by_gap * tangents.gap_by_q[place, j]
    )
    tangents.target_by_v[place, j] = by_speed * (own - by_v[2]) + by_gap * tangents.gap_by_v[place, j]
    tangents.target_by_mean[place, j] = by_gap * tangents.gap_by_mean[place, j] - by_speed * by_mean[2]


@kernel
def take_contact(model, settings, work, tangents, place, at, impulse, is_shift):
    """Write the rows of a contact that presses, and how they change; impulse: (x, y, z) in its axes.

    Writes: tangents.
    """
    c = tangents.contact[place]
    write_rows(model, work, tangents, at, c)
    axes = vec.load_mat(work.contact_axes, c)
    force = vec.mat_t_vec(axes, impulse)
    one, other = work.contact_body[c, 0], work.contact_body[c, 1]
    motions = motions_at(model, settings, work, tangents, c)
    surfaces = surfaces_of(model, work, c)
    for j in range(model.dof_body.shape[0]):
        if not is_shift:
            tangents.gap_by_q[place, j] = tangents.target_by_q[place, j] = 0.0
            tangents.gap_by_v[place, j] = tangents.target_by_v[place, j] = 0.0
            tangents.gap_by_mean[place, j] = tangents.target_by_mean[place, j] = 0.0
    for j in range(model.dof_body.shape[0]):
        moves = (is_moved_by(model, one, j), is_moved_by(model, other, j))
        if moves[0] or moves[1]:
            contact_direction(
                model, settings, work, tangents, place, at, j, moves, surfaces, motions, force, is_shift
            )  # fmt: skip


@kernel
def bend_slip(model, work, tangents, place, at):
    """Turn the tangential rows of a contact that slips into λ_t + μ λ_n w/‖w‖ = 0, linearised.

    Without friction these are λ_t = 0, however it slips.

    Writes: tangents.
    """
    c = tangents.contact[place]
    if work.contact_friction[c] == 0.0:
        for r in range(at, at + 2):
            for k in range(tangents.counts[Count.COLUMNS]):
                tangents.system[r, k] = 0.0
            tangents.system[r, r] = 1.0
        return
    u, v = slip_of(model, work, tangents, at, c)
    size = sqrt(u * u + v * v)
    if not size > 0.0:
        object_to(tangents, Obstacle.BORDER, c)
        return
    u /= size
    v /= size
    rate = work.contact_friction[c] * work.contact_impulse[c, 2] / size
    for k in range(tangents.counts[Count.COLUMNS]):
        x, y = tangents.system[at, k], tangents.system[at + 1, k]
        across = v * x - u * y
        tangents.system[at, k] = rate * v * across
        tangents.system[at + 1, k] = -rate * u * across
    tangents.system[at, at] += 1.0
    tangents.system[at + 1, at + 1] += 1.0
    tangents.system[at, at + 2] += work.contact_friction[c] * u
    tangents.system[at + 1, at + 2] += work.contact_friction[c] * v


@kernel
def compose_target(tangents, place, at, columns, out):
    """Put together how the target of contact number `place` changes with the inputs through its law.

    `target_by_q`, `_v` and `_mean` are of its own way; what forces add changes besides.

    Writes: out.
    """
    c = tangents.contact[place]
    n = tangents.start_v.shape[0]
    by_push = tangents.law_slope[place, 1]
    for column in range(columns):
        out[c, column] = 0.0
    for k in range(n):
        push = by_push * tangents.system[at + 2, k]
        for column in range(columns):
            out[c, column] += push * tangents.free_by[k, column]
        add_by_inputs(
            tangents, out, c, k, columns, tangents.target_by_q[place, k],
            tangents.target_by_v[place, k], tangents.target_by_mean[place, k],
        )  # fmt: skip
