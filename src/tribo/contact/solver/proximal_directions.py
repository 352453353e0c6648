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
    disc_slope,
    force_law,
    force_trial,
    scalar_trial,
    torque_law,
    torque_trial,
)
from tribo.contact.solver.proximal_rows import COLUMN, FORCE, LENGTH, SPIN, gather, scalar_gather
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
def write_row(work, table, u, count, c, scale, force, torque):
    """Write Yᵀ of a force and a torque of contact c, times a number, to row u of a table.

    Writes: table.
    """
    none = spread4(0.0)
    for j in range(0, count, 4):
        store4(table, table.shape[1] * u + j, none)
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
    push = felt if work.direction_is_even[0] == 1 else work.direction_push
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
def settle(work, u, count, give, is_even, by_rows, is_symmetric):
    """Take the direction that is written in place u; return the next place.

    give: 1/d of it; is_even: it pushes what it feels; by_rows: directions are unknowns, else dofs are.

    Writes: work.
    """
    work.direction_give[u] = give
    work.direction_is_even[u] = is_even
    if by_rows:
        return u + 1
    add_outer(work, count, is_symmetric)
    return u


@kernel
def write_disc(work, u, count, c, slot, bound, x, own, by_rows, is_symmetric):
    """Write the directions of the tangential part of a force or torque; return the next place.

    slot: of its rate; x: its trial; own: the mean of its block of G, by which its rows are scaled.

    Writes: work.
    """
    rate = work.contact_rate[c, slot]
    found, slides = disc_directions(bound, x, rate)
    scale = 1.0 / sqrt(own) if found > 0 else 0.0
    for k in range(found):
        give = 1.0 / (rate * own)
        way = FIRST if k == 0 else SECOND
        if slides:
            s = sqrt(x[0] * x[0] + x[1] * x[1])
            way = (-x[1] / s, x[0] / s, 0.0)
            give *= s / bound
        if slot == TANGENT:
            write_row(work, work.direction_felt, u, count, c, scale, way, ZERO)
        else:
            write_row(work, work.direction_felt, u, count, c, scale, ZERO, way)
        u = settle(work, u, count, give, 1, by_rows, is_symmetric)
    return u


@kernel
def along_slip(bound, slope, x, rate):
    """Return by what the tangential part of a law changes with the normal impulse."""
    s = sqrt(x[0] * x[0] + x[1] * x[1])
    if rate == 0.0 or s == 0.0 or (s <= bound and bound > 0.0):
        return 0.0, 0.0
    return slope * x[0] / s, slope * x[1] / s


@kernel
def write_contact(work, u, count, c, by_rows, is_symmetric):
    """Write the directions of contact c from place u on; return the next place.

    Writes: work.
    """
    x, rate = trial_of(work, c), work.contact_rate
    if not (x[2] > 0.0 and rate[c, NORMAL] > 0.0):
        return u
    mu, own = work.contact_friction[c], work.contact_own[c]
    turn = ZERO
    u = write_disc(work, u, count, c, TANGENT, mu * x[2], x, own, by_rows, is_symmetric)
    k, m = along_slip(mu * x[2], mu, x, rate[c, TANGENT])
    if work.contact_is_spun[c] == 1 and rate[c, TORQUE] > 0.0:
        r = rate[c, TORQUE]
        y = torque_trial_of(work, c)
        roll, spin = work.contact_rolling[c], work.contact_spinning[c]
        block = 1.0 / stiffness(spatial.load(work.contact_spin_delassus, c))
        u = write_disc(work, u, count, c, TORQUE, roll * x[2], y, block, by_rows, is_symmetric)
        p, q = along_slip(roll * x[2], roll, y, r)
        turn = (p, q, 0.0)
        bound = spin * x[2]
        if bound > 0.0 and abs(y[2]) <= bound:
            write_row(work, work.direction_felt, u, count, c, 1.0 / sqrt(block), ZERO, THIRD)
            u = settle(work, u, count, 1.0 / (r * block), 1, by_rows, is_symmetric)
        elif bound > 0.0:
            turn = (p, q, spin if y[2] > 0.0 else -spin)
    scale = 1.0 / sqrt(own)
    is_even = 1
    write_row(work, work.direction_felt, u, count, c, scale, THIRD, ZERO)
    if k != 0.0 or m != 0.0 or turn[0] != 0.0 or turn[1] != 0.0 or turn[2] != 0.0:
        is_even = 0
        write_row(work, work.direction_push, u, count, c, scale, (k, m, 1.0), turn)
    give = 1.0 / (rate[c, NORMAL] * own)
    return settle(work, u, count, give, is_even, by_rows, is_symmetric)


@kernel
def write_directions(work, t, count, by_rows, is_symmetric):
    """Write all directions of island t: as rows, or into the matrix of its dofs.

    Writes: work.
    """
    u = 0
    for k in contacts_in(work, t):
        u = write_contact(work, u, count, work.island_contact[k], by_rows, is_symmetric)
    none = spread4(0.0)
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if not is_inside(work, n):
            continue
        felt, row, column = work.direction_felt, work.packed_row, work.packed_column
        for j in range(0, count, 4):
            store4(felt, felt.shape[1] * u + j, none)
        own = work.scalar_delassus[n]
        scale = 1.0 / sqrt(own)
        i, first = work.scalar_packed[n, 0], work.scalar_packed[n, 1]
        for p in range(work.scalar_packed[n, 2]):
            felt[u, column[first + p]] = scale * row[i + p]
        give = 1.0 / (work.scalar_rate[n] * own)
        u = settle(work, u, count, give, 1, by_rows, is_symmetric)


@kernel
def torque_slopes(work, c, x, n):
    """Return how the torque law follows its trial x: xx, yy, zz, xy; and the normal impulse n, by part."""
    roll, spin = work.contact_rolling[c], work.contact_spinning[c]
    xx, yy, xy, k, m = disc_slope(roll * n, roll, x)
    bound = spin * n
    if bound > 0.0 and abs(x[2]) <= bound:
        return xx, yy, 1.0, xy, k, m, 0.0
    return xx, yy, 0.0, xy, k, m, spin if x[2] > 0.0 else -spin


@kernel
def linear_force(work, c):
    """Return the force that the laws, linear around the trial of contact c, give at the present velocity."""
    x, w = trial_of(work, c), work.contact_motion
    d = vec.sub(force_trial(work, c, (w[c, 0], w[c, 1], w[c, 2])), x)
    mu = work.contact_friction[c]
    xx, yy, xy, k, m = disc_slope(mu * x[2], mu, x)
    change = (xx * d[0] + xy * d[1] + k * d[2], xy * d[0] + yy * d[1] + m * d[2], d[2])
    return vec.add(force_law(mu, x), change), d[2]


@kernel
def linear_torque(work, c, change):
    """Return the same of the torque; change: of the normal impulse, of which `linear_force` speaks."""
    x, w = torque_trial_of(work, c), work.contact_motion
    n = work.contact_trial[c, 2]
    d = vec.sub(torque_trial(work, c, (w[c, 3], w[c, 4], w[c, 5])), x)
    xx, yy, zz, xy, k, m, p = torque_slopes(work, c, x, n)
    own = (
        xx * d[0] + xy * d[1] + k * change,
        xy * d[0] + yy * d[1] + m * change,
        zz * d[2] + p * change,
    )
    return vec.add(torque_law(work, c, x, n), own)


@kernel
def gather_linear(work, t, z):
    """Add Yᵀ λ to row z of `column_vector`, with laws that are linear around the trials of island t.

    Writes: work.
    """
    packed = work.contact_packed
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if not work.contact_trial[c, 2] > 0.0:
            continue
        force, change = linear_force(work, c)
        gather(work, z, packed[c, FORCE], c, force)
        if work.contact_is_spun[c] == 1:
            gather(work, z, packed[c, SPIN], c, linear_torque(work, c, change))
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        x = work.scalar_trial[n]
        if work.scalar_lower[n] <= x <= work.scalar_upper[n]:
            x = scalar_trial(work, n, work.scalar_motion[n])
        else:
            x = within(work, n, x)
        if x != 0.0:
            scalar_gather(work, z, n, x)
