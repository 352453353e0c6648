"""The directions along which laws follow velocities: D of the Newton step is a sum over them.

A contact that sticks has three: each velocity takes its own impulse away. Of one that slides the normal
velocity takes normal impulse and the friction that goes with it, the velocity across the slip turns the
friction, and the velocity along it does nothing. What is open, or at a bound, has none. So a direction is
what it feels (a row l), what it pushes (a row p), and a slope d: impulses change by −d p (l · dw).
Rolling and spinning friction follow the normal impulse of their contact, and have directions of their own.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load4, spread4, store4
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import within
from tribo.contact.solver.natural_residual import stiffness
from tribo.contact.solver.proximal_law import (
    NORMAL,
    TANGENT,
    TORQUE,
    ZERO,
    force_trial,
    scalar_trial,
    torque_trial,
)
from tribo.contact.solver.proximal_rows import (
    COLUMN,
    FORCE,
    LENGTH,
    SHARE,
    SPIN,
    scalar_gather,
)
from tribo.math import spatial, vec

FIRST, SECOND, THIRD = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@kernel
def trial_of(work, c):
    """Return the trial of contact c."""
    x = work.contact_trial
    return (x[c, 0], x[c, 1], x[c, 2])


@kernel
def torque_trial_of(work, c):
    """Return the trial of rolling and spinning friction of contact c."""
    x = work.contact_trial
    return (x[c, 3], x[c, 4], x[c, 5])


@kernel
def disc_directions(bound, x, rate):
    """Return how many directions a disc of trial x has, and whether it slides."""
    if rate == 0.0:
        return 0, False
    s = x[0] * x[0] + x[1] * x[1]
    if bound > 0.0:
        return (2, False) if s <= bound * bound else (1, True)
    return 0, False


@kernel
def count_directions(work, t):
    """Return how many directions island t has, and whether each pushes what it feels."""
    total = 0
    is_symmetric = True
    rate = work.contact_rate
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        x = trial_of(work, c)
        if not (x[2] > 0.0 and rate[c, NORMAL] > 0.0):
            continue
        count, slides = disc_directions(work.contact_friction[c] * x[2], x, rate[c, TANGENT])
        total += 1 + count
        is_symmetric = is_symmetric and not slides
        if work.contact_is_spun[c] == 1:
            own = torque_trial_of(work, c)
            count, slides = disc_directions(work.contact_rolling[c] * x[2], own, rate[c, TORQUE])
            total += count
            is_symmetric = is_symmetric and not slides
            bound = work.contact_spinning[c] * x[2]
            if bound > 0.0 and rate[c, TORQUE] > 0.0:
                if abs(own[2]) <= bound:
                    total += 1
                else:
                    is_symmetric = False
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if is_inside(work, n):
            total += 1
    return total, is_symmetric


@kernel
def is_inside(work, n):
    """Tell whether the trial of scalar row n is between its bounds."""
    if work.scalar_rate[n] == 0.0:
        return False
    return work.scalar_lower[n] <= work.scalar_trial[n] <= work.scalar_upper[n]


@kernel
def clear_row(table, u, count):
    """Let row u of a table be zero.

    Writes: table.
    """
    none = spread4(0.0)
    for j in range(0, count, 4):
        store4(table, table.shape[1] * u + j, none)


@kernel
def write_row(work, table, u, count, c, scale, force, torque):
    """Write Yᵀ of a force and a torque of contact c, times a number, to row u of a table.

    Writes: table.
    """
    clear_row(table, u, count)
    row, packed, column = work.packed_row, work.contact_packed, work.packed_column
    place, length = packed[c, COLUMN], packed[c, LENGTH]
    i = packed[c, FORCE]
    a, b, d = vec.scale(scale, force)
    for p in range(place, place + length):
        table[u, column[p]] = row[i] * a + row[i + 1] * b + row[i + 2] * d
        i += 3
    if work.contact_is_spun[c] == 1:
        i = packed[c, SPIN]
        a, b, d = vec.scale(scale, torque)
        for p in range(place, place + length):
            table[u, column[p]] += row[i] * a + row[i + 1] * b + row[i + 2] * d
            i += 3


@kernel
def add_outer(work, count, is_symmetric):
    """Add the direction in the first place to the matrix of the dofs; its upper part if that is enough.

    Writes: work.
    """
    h, felt = work.column_matrix, work.direction_felt
    push = felt if is_symmetric else work.direction_push
    slope = 1.0 / work.direction_give[0]
    for i in range(count):
        f = slope * push[0, i]
        if f == 0.0:
            continue
        four = spread4(f)
        for j in range((i if is_symmetric else 0) & ~3, count, 4):
            at = h.shape[1] * i + j
            store4(h, at, load4(h, at) + four * load4(felt, j))


@kernel
def settle(work, u, count, owner, scale, give, ask, force, torque, by_rows, is_symmetric, x):
    """Take the direction that is written in place u; return the next place.

    owner: its contact, or −1 less its scalar row; give: 1/d of it; ask: what it is to lead to, with the sizes
    of its rows; force, torque: what it pushes; by_rows: directions are unknowns; if not, x: row of the dofs.

    Writes: work.
    """
    work.direction_owner[u] = owner
    work.direction_give[u] = give
    work.direction_ask[u] = ask
    for k in range(3):
        work.direction_impulse[u, k] = scale * force[k]
        work.direction_impulse[u, 3 + k] = scale * torque[k]
    if by_rows:
        return u + 1
    add_outer(work, count, is_symmetric)
    push = work.direction_felt if is_symmetric else work.direction_push
    for j in range(count):
        work.column_vector[x, j] += push[u, j] * (ask / give)
    return u


@kernel
def follow_row(work, u, count, is_symmetric):
    """Let direction u push what it feels; where all do, one table has both.

    Writes: work.
    """
    if is_symmetric:
        return
    felt, push = work.direction_felt, work.direction_push
    for j in range(0, count, 4):
        store4(push, push.shape[1] * u + j, load4(felt, felt.shape[1] * u + j))


@kernel
def write_way(work, u, count, c, slot, way, own, give, by_rows, is_symmetric, x, asks):
    """Write one direction of contact c that pushes what it feels; return the next place.

    slot: of its rate; own: the mean of its block of G, by which its rows are scaled.

    Writes: work.
    """
    scale = 1.0 / sqrt(own)
    w, rate = work.contact_motion, work.contact_rate[c, slot]
    force, torque = (way, ZERO) if slot != TORQUE else (ZERO, way)
    write_row(work, work.direction_felt, u, count, c, scale, force, torque)
    ask = 0.0
    if asks:
        if slot != TORQUE:
            begin = force_trial(work, c, ZERO)
            now = (w[c, 0], w[c, 1], w[c, 2])
        else:
            begin = torque_trial(work, c, ZERO)
            now = (w[c, 3], w[c, 4], w[c, 5])
        ask = scale * (vec.dot(way, begin) / rate - vec.dot(way, now))
    follow_row(work, u, count, is_symmetric)
    return settle(work, u, count, c, scale, give, ask, force, torque, by_rows, is_symmetric, x)


@kernel
def write_disc(work, u, count, c, slot, bound, trial, own, by_rows, is_symmetric, x, asks):
    """Write the directions of the tangential part of a force or torque; return the next place.

    Writes: work.
    """
    rate = work.contact_rate[c, slot]
    found, slides = disc_directions(bound, trial, rate)
    for k in range(found):
        give = 1.0 / (rate * own)
        way = FIRST if k == 0 else SECOND
        if slides:
            s = sqrt(trial[0] * trial[0] + trial[1] * trial[1])
            way = (-trial[1] / s, trial[0] / s, 0.0)
            give *= s / bound
        u = write_way(work, u, count, c, slot, way, own, give, by_rows, is_symmetric, x, asks)
    return u


@kernel
def along_slip(bound, slope, x, rate):
    """Return by what the tangential part of a law changes with the normal impulse."""
    s = sqrt(x[0] * x[0] + x[1] * x[1])
    if rate == 0.0 or s == 0.0 or (s <= bound and bound > 0.0):
        return 0.0, 0.0
    return slope * x[0] / s, slope * x[1] / s


@kernel
def write_contact(work, u, count, c, by_rows, is_symmetric, x, asks):
    """Write the directions of contact c from place u on; return the next place.

    Writes: work.
    """
    trial, rate = trial_of(work, c), work.contact_rate
    if not (trial[2] > 0.0 and rate[c, NORMAL] > 0.0):
        return u
    mu, own = work.contact_friction[c], work.contact_own[c]
    bound = mu * trial[2]
    u = write_disc(work, u, count, c, TANGENT, bound, trial, own, by_rows, is_symmetric, x, asks)
    k, m = along_slip(bound, mu, trial, rate[c, TANGENT])
    turn = ZERO
    if work.contact_is_spun[c] == 1 and rate[c, TORQUE] > 0.0:
        r = rate[c, TORQUE]
        y = torque_trial_of(work, c)
        roll, spin = work.contact_rolling[c], work.contact_spinning[c]
        block = 1.0 / stiffness(spatial.load(work.contact_spin_delassus, c))
        bound = roll * trial[2]
        u = write_disc(work, u, count, c, TORQUE, bound, y, block, by_rows, is_symmetric, x, asks)
        p, q = along_slip(bound, roll, y, r)
        turn = (p, q, 0.0)
        bound = spin * trial[2]
        if bound > 0.0 and abs(y[2]) <= bound:
            give = 1.0 / (r * block)
            u = write_way(
                work, u, count, c, TORQUE, THIRD, block, give, by_rows, is_symmetric, x, asks
            )
        elif bound > 0.0:
            turn = (p, q, spin if y[2] > 0.0 else -spin)
    give = 1.0 / (rate[c, NORMAL] * own)
    if k == 0.0 and m == 0.0 and turn[0] == 0.0 and turn[1] == 0.0 and turn[2] == 0.0:
        return write_way(
            work, u, count, c, NORMAL, THIRD, own, give, by_rows, is_symmetric, x, asks
        )
    scale = 1.0 / sqrt(own)
    push = (k, m, 1.0)
    write_row(work, work.direction_felt, u, count, c, scale, THIRD, ZERO)
    write_row(work, work.direction_push, u, count, c, scale, push, turn)
    ask = 0.0
    if asks:
        begin = force_trial(work, c, ZERO)[2]
        ask = scale * (begin / rate[c, NORMAL] - work.contact_motion[c, 2])
    return settle(work, u, count, c, scale, give, ask, push, turn, by_rows, is_symmetric, x)


@kernel
def write_directions(work, t, count, by_rows, is_symmetric, x, asks):
    """Write all directions of island t: as rows, or into the matrix of its dofs and row x of `column_vector`.

    asks: they lead to what the linear laws give, else they only resist.

    Writes: work.
    """
    u = 0
    for k in contacts_in(work, t):
        u = write_contact(work, u, count, work.island_contact[k], by_rows, is_symmetric, x, asks)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if not is_inside(work, n):
            continue
        felt, row, column = work.direction_felt, work.packed_row, work.packed_column
        clear_row(felt, u, count)
        own, rate = work.scalar_delassus[n], work.scalar_rate[n]
        scale = 1.0 / sqrt(own)
        i, first = work.scalar_packed[n, 0], work.scalar_packed[n, 1]
        for p in range(work.scalar_packed[n, 2]):
            felt[u, column[first + p]] = scale * row[i + p]
        give = 1.0 / (rate * own)
        ask = 0.0
        if asks:
            ask = scale * (scalar_trial(work, n, 0.0) / rate - work.scalar_motion[n])
        follow_row(work, u, count, is_symmetric)
        u = settle(work, u, count, -1 - n, scale, give, ask, FIRST, ZERO, by_rows, is_symmetric, x)


@kernel
def gather_bounds(work, t, z):
    """Add yᵀ of the bounds of the scalar rows of island t that have no direction to row z.

    Writes: work.
    """
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if is_inside(work, n):
            continue
        bound = within(work, n, work.scalar_trial[n])
        if bound != 0.0:
            scalar_gather(work, z, n, bound)


@kernel
def write_linear_here(work, t):
    """Write the impulses that laws linear around the trials give at the measured velocities.

    Of what slides the tangential part is another one.

    Writes: work.
    """
    w, out = work.contact_motion, work.contact_linear
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        out[c, 0], out[c, 1], out[c, 2] = force_trial(work, c, (w[c, 0], w[c, 1], w[c, 2]))
        if work.contact_is_spun[c] == 1:
            x = torque_trial(work, c, (w[c, 3], w[c, 4], w[c, 5]))
            out[c, 3], out[c, 4], out[c, 5] = x
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        work.scalar_linear[n] = scalar_trial(work, n, work.scalar_motion[n])


@kernel
def write_linear(work, t, size):
    """Write the impulses that the solution in row SHARE, of so many directions, consists of.

    Writes: work.
    """
    out = work.contact_linear
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        for a in range(6):
            out[c, a] = 0.0
    for u in range(size):
        owner = work.direction_owner[u]
        part = work.column_vector[SHARE, u]
        if owner < 0:
            work.scalar_linear[-1 - owner] = part * work.direction_impulse[u, 0]
            continue
        for a in range(6):
            out[owner, a] += part * work.direction_impulse[u, a]
