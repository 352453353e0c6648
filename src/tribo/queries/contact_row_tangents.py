"""The rows of contacts that press in the system of `step_tangents`, and how they change with each dof."""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.whitened_products import shared_dofs
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
    moved_place,
    origin_of,
    pushed_ends,
    relative_change,
    surfaces_of,
)
from tribo.queries.tangents import (
    COLUMNS,
    ROWS,
    Obstacle,
    bend_columns,
    filled_up,
    object_to,
)

BORDER = int(Obstacle.BORDER)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)


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
def contact_direction(
    model, settings, work, tangents, place, at, j, moves, surfaces, motions, force
):
    """Write how the rows of a contact that presses change with coordinate and velocity j.

    place: its number among those that press; at: its first row; moves: whether j moves A, and B; motions: of
    both bodies at the point; force: on A.

    Writes: tangents.
    """
    c = tangents.contact[place]
    has_a, has_b = moves
    ha, hb = surfaces
    n_v = model.dof_body.shape[0]
    rows = tangents.counts[ROWS]
    at_q = filled_up(rows)
    at_mean, _ = bend_columns(tangents)
    still = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    axis = spatial.load(work.dof_axis, j)
    axes = vec.load_mat(work.contact_axes, c)
    n = (axes[6], axes[7], axes[8])
    one, other = work.contact_body[c, 0], work.contact_body[c, 1]
    turned, da, db, opened = moved_place(
        model, work, c, ha, hb, axis if has_a else still, axis if has_b else still
    )
    turn = vec.cross(n, turned)
    middle = vec.scale(0.5, vec.add(da, db))
    pa, pb = pushed_ends(work, c)
    if work.contact_len[c, 0] > 0 and work.contact_len[c, 1] > 0:
        da = db = middle
    changed = vec.cross(turn, force)
    if work.contact_len[c, 0] > 0:
        add_force_change(model, work, tangents, one, j, has_a, force, pa, changed, da, at_q + j)
    if work.contact_len[c, 1] > 0:
        add_force_change(
            model,
            work,
            tangents,
            other,
            j,
            has_b,
            vec.neg(force),
            pb,
            vec.neg(changed),
            db,
            at_q + j,
        )
    faster = relative_change(
        model, work, tangents.end_twist, c, j, has_a, has_b, turn, (pa, pb), (da, db)
    )
    bent = by_v = by_mean = ZERO
    beta = vec.load(work.contact_drift, c)
    if beta[0] != 0.0 or beta[1] != 0.0 or beta[2] != 0.0:
        p = vec.load(work.contact_pos, c)
        v = vec.load(work.contact_vel, c)
        gap = work.contact_gap[c]
        start = relative_change(
            model, work, tangents.start_twist, c, j, has_a, has_b, turn, (pa, pb), (da, db)
        )
        by_one = body_change_by_q(model, work, tangents, one, j, has_a, p, middle)
        by_other = body_change_by_q(model, work, tangents, other, j, has_b, p, middle)
        bent = bend_change(
            settings,
            axes,
            ha,
            hb,
            motions[0],
            motions[1],
            v,
            gap,
            turn,
            by_one,
            by_other,
            start,
            opened,
        )
        by_one = body_change_by_v(model, work, tangents, one, j, has_a, p)
        by_other = body_change_by_v(model, work, tangents, other, j, has_b, p)
        by_mean = bend_change(
            settings,
            axes,
            ha,
            hb,
            motions[0],
            motions[1],
            v,
            gap,
            ZERO,
            by_one,
            by_other,
            ZERO,
            0.0,
        )
        row = (
            tangents.system[at, j], tangents.system[at + 1, j], tangents.system[at + 2, j]
        )  # fmt: skip
        still4 = (ZERO, ZERO, ZERO, ZERO)
        by_v = bend_change(
            settings, axes, ha, hb, motions[0], motions[1], v, gap, ZERO, still4, still4, row, 0.0
        )
    for r in range(3):
        tangents.system[at + r, at_q + j] -= faster[r] + bent[r]
        tangents.system[at + r, at_q + n_v + j] -= by_v[r]
        tangents.system[at + r, at_mean + j] -= by_mean[r]
    sag = 0.0 if settings.integrator == SEMI_IMPLICIT else -0.25 * settings.dt
    tangents.gap_by_q[place, j] = opened + sag * bent[2]
    tangents.gap_by_v[place, j] = sag * by_v[2]
    tangents.gap_by_mean[place, j] = sag * by_mean[2]


@kernel
def take_contact(model, settings, work, tangents, place, at):
    """Write the rows of a contact that presses, and how they change.

    Writes: tangents.
    """
    c = tangents.contact[place]
    write_rows(model, work, tangents, at, c)
    axes = vec.load_mat(work.contact_axes, c)
    force = vec.mat_t_vec(axes, vec.load(work.contact_impulse, c))
    one, other = work.contact_body[c, 0], work.contact_body[c, 1]
    p = vec.load(work.contact_pos, c)
    motions = (
        body_motion_at(model, settings, work, tangents, one, p),
        body_motion_at(model, settings, work, tangents, other, p),
    )
    surfaces = surfaces_of(model, work, c)
    for j in range(model.dof_body.shape[0]):
        tangents.gap_by_q[place, j] = 0.0
        tangents.gap_by_v[place, j] = 0.0
        tangents.gap_by_mean[place, j] = 0.0
    shared = shared_dofs(model, one, other)
    chain = model.body_chain_start[one]
    for k in range(model.body_chain_len[one]):
        j = model.chain_dof[chain + k]
        contact_direction(
            model, settings, work, tangents, place, at, j, (True, k < shared), surfaces, motions, force
        )  # fmt: skip
    chain = model.body_chain_start[other]
    for k in range(shared, model.body_chain_len[other]):
        j = model.chain_dof[chain + k]
        contact_direction(
            model, settings, work, tangents, place, at, j, (False, True), surfaces, motions, force
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
            for k in range(tangents.counts[COLUMNS]):
                tangents.system[r, k] = 0.0
            tangents.system[r, r] = 1.0
        return
    u, v = slip_of(model, work, tangents, at, c)
    size = sqrt(u * u + v * v)
    if not size > 0.0:
        object_to(tangents, BORDER, c)
        return
    u /= size
    v /= size
    rate = work.contact_friction[c] * work.contact_impulse[c, 2] / size
    for k in range(tangents.counts[COLUMNS]):
        x, y = tangents.system[at, k], tangents.system[at + 1, k]
        across = v * x - u * y
        tangents.system[at, k] = rate * v * across
        tangents.system[at + 1, k] = -rate * u * across
    tangents.system[at, at] += 1.0
    tangents.system[at + 1, at + 1] += 1.0
    tangents.system[at, at + 2] += work.contact_friction[c] * u
    tangents.system[at + 1, at + 2] += work.contact_friction[c] * v
