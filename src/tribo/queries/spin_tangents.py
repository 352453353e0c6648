"""The rows of rolling and spinning friction in the system of `step_tangents`, and how they change.

With the relative angular velocity ω of a contact that presses, in its axes, and its torque impulse τ,

    ω_t = 0  or  τ_t + ρ λ_n ω_t/‖ω_t‖ = 0,    ω_n = 0  or  τ_n + σ λ_n sign ω_n = 0.

Axes of the contact turn with its normal; torques have no place.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.enums import EffectiveRadius
from tribo.math import spatial, vec
from tribo.model import Kind, Pair
from tribo.queries.active_rows import LAW_TOLERANCE, STICK_MARGIN
from tribo.queries.contact_row_tangents import moved_contact
from tribo.queries.contact_tangents import ZERO, is_moved_by, origin_of, speed_at, surfaces_of
from tribo.queries.tangents import Count, Obstacle, filled_up, object_to
from tribo.queries.tree_tangents import moves_axis, shifts_base

TORQUE_TOLERANCE = 1e-5  # [–] of the bound of a torque: admissible violation of its law


@kernel
def choose_spins(work, tangents):
    """List the contacts that press and have rolling or spinning friction, and whether they roll and spin.

    Writes: tangents.
    """
    count = 0
    for m in range(tangents.counts[Count.CONTACTS]):
        c = tangents.contact[m]
        if work.contact_is_spun[c] == 0:
            continue
        x, y, z = vec.load(work.contact_spin_impulse, c)
        roll = work.contact_rolling[c] * work.contact_impulse[c, 2]
        spin = work.contact_spinning[c] * work.contact_impulse[c, 2]
        tangents.spin[count] = m
        tangents.spin_slips[count, 0] = 1 if x * x + y * y >= roll * roll * (1.0 - STICK_MARGIN) else 0
        tangents.spin_slips[count, 1] = 1 if abs(z) >= spin * (1.0 - STICK_MARGIN) else 0
        count += 1
    tangents.counts[Count.SPINS] = count


@kernel
def turned_speed(model, work, tangents, c, j, moves, turn):
    """Return the change of the relative angular velocity of contact c, in its axes, by coordinate j."""
    apart = change = ZERO
    axis = spatial.load(work.dof_axis, j)
    for side in range(2):
        body = work.contact_body[c, side]
        if model.body_chain_len[body] == 0:
            continue
        sign = 1.0 if side == 0 else -1.0
        v = spatial.load(tangents.end_twist, body)
        apart = vec.axpy(sign, (v[0], v[1], v[2]), apart)
        if moves[side]:
            if not shifts_base(model, j):
                v = spatial.axpy(-1.0, spatial.load(tangents.end_twist, model.dof_body[j]), v)
            x = spatial.cross_motion(axis, v)
            change = vec.axpy(sign, (x[0], x[1], x[2]), change)
    axes = vec.load_mat(work.contact_axes, c)
    return vec.mat_vec(axes, vec.add(change, vec.cross(apart, turn)))


@kernel
def take_spin(model, work, tangents, k, at):
    """Write the three rows of number k of those that roll and spin, from `at` on, and how they change.

    Writes: tangents.
    """
    c = tangents.contact[tangents.spin[k]]
    axes = vec.load_mat(work.contact_axes, c)
    torque = vec.mat_t_vec(axes, vec.load(work.contact_spin_impulse, c))
    n = model.dof_body.shape[0]
    at_q = filled_up(tangents.counts[Count.ROWS])
    surfaces = surfaces_of(model, work, c)
    a, b = work.contact_body[c, 0], work.contact_body[c, 1]
    for dof in range(n):
        s = spatial.load(work.dof_axis, dof)
        for side in range(2):
            if not is_moved_by(model, work.contact_body[c, side], dof):
                continue
            sign = 1.0 if side == 0 else -1.0
            for r in range(3):
                x = axes[3 * r] * s[0] + axes[3 * r + 1] * s[1] + axes[3 * r + 2] * s[2]
                tangents.system[at + r, dof] += sign * x
                tangents.system[dof, at + r] -= sign * x
    for j in range(n):
        moves = (is_moved_by(model, a, j), is_moved_by(model, b, j))
        if not (moves[0] or moves[1]):
            continue
        turn, _, _, _, _ = moved_contact(model, work, c, j, moves, surfaces)
        faster = turned_speed(model, work, tangents, c, j, moves, turn)
        for r in range(3):
            tangents.system[at + r, at_q + j] -= faster[r]
        x = vec.cross(turn, torque)
        axis = spatial.load(work.dof_axis, j)
        for dof in range(n):
            s = spatial.load(work.dof_axis, dof)
            for side in range(2):
                if not is_moved_by(model, work.contact_body[c, side], dof):
                    continue
                more = s[0] * x[0] + s[1] * x[1] + s[2] * x[2]
                if moves[side] and moves_axis(model, j, dof):
                    y = spatial.cross_motion(axis, s)
                    more += y[0] * torque[0] + y[1] * torque[1] + y[2] * torque[2]
                tangents.system[dof, at_q + j] += more if side == 0 else -more


@kernel
def radius_change(model, work, c, j, moves, surfaces):
    """Return by how much the lever of rolling friction changes with coordinate j: `effective_radius`."""
    n = (work.contact_axes[c, 6], work.contact_axes[c, 7], work.contact_axes[c, 8])
    turn, _, _, middle, _ = moved_contact(model, work, c, j, moves, surfaces)
    total, count = 0.0, 0
    for side in range(2):
        i = work.contact_body[c, side]
        if model.body_chain_len[i] == 0 or model.tree_kind[model.body_tree[i]] != Kind.DYNAMIC:
            continue
        com = vec.mat_vec(vec.load_mat(work.body_rot, i), vec.load(model.body_com, i))
        com = vec.add(com, vec.load(work.body_pos, i))
        arm = vec.sub(vec.load(work.contact_pos, c), com)
        moved = middle
        if moves[side]:
            at = vec.sub(com, origin_of(model, work, i))
            moved = vec.sub(moved, speed_at(spatial.load(work.dof_axis, j), at))
        change = vec.dot(moved, n) + vec.dot(arm, vec.cross(turn, n))
        total += change if vec.dot(arm, n) > 0.0 else -change
        count += 1
    return total / count if count > 0 else 0.0


@kernel
def add_radius(model, work, tangents, c, at, roll, spin):
    """Add to the laws of torques from row `at` on how their bounds change with the lever, by its size.

    roll: (x, y) of the bound by the coefficient that it is of, of rolling; spin: that of spinning.

    Writes: tangents.
    """
    one = model.shape_material[work.contact_shape[c, 0]]
    other = model.shape_material[work.contact_shape[c, 1]]
    rolling, spinning = (
        model.pair_table[one, other, Pair.ROLLING_FRICTION],
        model.pair_table[one, other, Pair.SPINNING_FRICTION],
    )
    surfaces = surfaces_of(model, work, c)
    a, b = work.contact_body[c, 0], work.contact_body[c, 1]
    at_q = filled_up(tangents.counts[Count.ROWS])
    push = work.contact_impulse[c, 2]
    for j in range(model.dof_body.shape[0]):
        moves = (is_moved_by(model, a, j), is_moved_by(model, b, j))
        if moves[0] or moves[1]:
            change = push * radius_change(model, work, c, j, moves, surfaces)
            tangents.system[at, at_q + j] -= rolling * change * roll[0]
            tangents.system[at + 1, at_q + j] -= rolling * change * roll[1]
            tangents.system[at + 2, at_q + j] -= spinning * change * spin


@kernel
def bend_spin(model, settings, work, tangents, k, at):
    """Turn the rows of number k that roll or spin into their laws; note one that does not obey them.

    Writes: tangents.
    """
    m = tangents.spin[k]
    c = tangents.contact[m]
    normal = model.dof_body.shape[0] + 3 * m + 2
    push = work.contact_impulse[c, 2]
    x = y = z = size = 0.0
    for dof in range(model.dof_body.shape[0]):
        v = work.next_v[dof]
        x += tangents.system[at, dof] * v
        y += tangents.system[at + 1, dof] * v
        z += tangents.system[at + 2, dof] * v
        for r in range(3):
            size += abs(tangents.system[at + r, dof] * v)
    rate = sqrt(x * x + y * y)
    roll, spin = work.contact_rolling[c], work.contact_spinning[c]
    torque = vec.load(work.contact_spin_impulse, c)
    along, sign = (0.0, 0.0), 0.0
    if settings.effective_radius == EffectiveRadius.DISTANCE:
        object_to(tangents, Obstacle.ROLLING_LENGTH, c)
    if tangents.spin_slips[k, 0] == 0:
        if not rate <= LAW_TOLERANCE * (size + 1.0):
            object_to(tangents, Obstacle.MISMATCH, work.contact_body[c, 0])
    elif roll > 0.0:
        if not rate > LAW_TOLERANCE * size:
            object_to(tangents, Obstacle.BORDER, c)
            return
        x, y = x / rate, y / rate
        along = (x, y)
        off = max(abs(torque[0] + roll * push * x), abs(torque[1] + roll * push * y))
        if not off <= TORQUE_TOLERANCE * roll * push:
            object_to(tangents, Obstacle.MISMATCH, work.contact_body[c, 0])
        slope = roll * push / rate
        for column in range(tangents.counts[Count.COLUMNS]):
            across = y * tangents.system[at, column] - x * tangents.system[at + 1, column]
            tangents.system[at, column] = slope * y * across
            tangents.system[at + 1, column] = -slope * x * across
        tangents.system[at, normal] += roll * x
        tangents.system[at + 1, normal] += roll * y
        for r in range(2):
            tangents.system[at + r, at + r] += 1.0
    else:
        for r in range(2):
            set_torque(tangents, at + r)
    if tangents.spin_slips[k, 1] == 0:
        if not abs(z) <= LAW_TOLERANCE * (size + 1.0):
            object_to(tangents, Obstacle.MISMATCH, work.contact_body[c, 0])
    else:
        set_torque(tangents, at + 2)
        if spin > 0.0:
            sign = 1.0 if z > 0.0 else -1.0
            tangents.system[at + 2, normal] = spin * sign
            if not abs(z) > LAW_TOLERANCE * size:
                object_to(tangents, Obstacle.BORDER, c)
            if not abs(torque[2] + spin * push * sign) <= TORQUE_TOLERANCE * spin * push:
                object_to(tangents, Obstacle.MISMATCH, work.contact_body[c, 0])
    add_radius(model, work, tangents, c, at, along, sign)


@kernel
def set_torque(tangents, at):
    """Replace row `at` by one that says that its torque does not change.

    Writes: tangents.
    """
    for column in range(tangents.counts[Count.COLUMNS]):
        tangents.system[at, column] = 0.0
    tangents.system[at, at] = 1.0
