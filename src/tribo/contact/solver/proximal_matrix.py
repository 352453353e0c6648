"""The Newton step of the proximal problem: I + Yᵀ D Y over the columns of an island, and its elimination.

D is the derivative of the laws at the trials. What sticks and what a row holds makes it symmetric; where a
contact slides, friction follows the normal impulse, and that part is not. Zeros are skipped: columns come
leaves first, so that a robot fills in nothing.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import high, load4, low, spread4, store4, total
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import within
from tribo.contact.solver.proximal_law import (
    NORMAL,
    TANGENT,
    TORQUE,
    disc_slope,
    force_law,
    force_trial,
    scalar_trial,
    torque_law,
    torque_trial,
)
from tribo.contact.solver.proximal_rows import COLUMN, FORCE, LENGTH, SPIN, gather, scalar_gather
from tribo.math import vec

MIN_PIVOT = 1e-8  # [–] of an identity to which something is added


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
def force_slopes(work, c):
    """Return how the force of contact c follows its velocity: xx, yy, zz, xy; friction the normal part."""
    x = trial_of(work, c)
    mu = work.contact_friction[c]
    r, q = work.contact_rate[c, TANGENT], work.contact_rate[c, NORMAL]
    xx, yy, xy, k, m = disc_slope(mu * x[2], mu, x)
    return r * xx, r * yy, q, r * xy, q * k, q * m


@kernel
def disc_slopes(work, c, x, n):
    """Return how the torque law follows its trial x: xx, yy, zz, xy; and the normal impulse n, by part."""
    roll, spin = work.contact_rolling[c], work.contact_spinning[c]
    xx, yy, xy, k, m = disc_slope(roll * n, roll, x)
    bound = spin * n
    if bound > 0.0 and abs(x[2]) <= bound:
        return xx, yy, 1.0, xy, k, m, 0.0
    return xx, yy, 0.0, xy, k, m, spin if x[2] > 0.0 else -spin


@kernel
def torque_slopes(work, c):
    """Return how the torque follows the angular velocity: xx, yy, zz, xy; and the normal one, by part."""
    n = work.contact_trial[c, 2]
    r, q = work.contact_rate[c, TORQUE], work.contact_rate[c, NORMAL]
    xx, yy, zz, xy, k, m, p = disc_slopes(work, c, torque_trial_of(work, c), n)
    return r * xx, r * yy, r * zz, r * xy, q * k, q * m, q * p


@kernel
def add_symmetric(work, c, i, xx, yy, zz, xy):
    """Add Yᵀ D Y of contact c to the upper triangle; i: its first number.

    Writes: work.
    """
    h, row, column = work.column_matrix, work.packed_row, work.packed_column
    first = work.contact_packed[c, COLUMN]
    for p in range(work.contact_packed[c, LENGTH]):
        a, b = row[i + 3 * p], row[i + 3 * p + 1]
        u = xx * a + xy * b
        v = xy * a + yy * b
        w = zz * row[i + 3 * p + 2]
        own = column[first + p]
        j = i
        for m in range(first, first + p + 1):
            other = column[m]
            h[min(own, other), max(own, other)] += u * row[j] + v * row[j + 1] + w * row[j + 2]
            j += 3


@kernel
def add_skew(work, c, i, k):
    """Add Yᵀ k nᵀ of contact c to the matrix; i: the first number of the rows of k.

    Writes: work.
    """
    h, row, column = work.column_matrix, work.packed_row, work.packed_column
    first, length = work.contact_packed[c, COLUMN], work.contact_packed[c, LENGTH]
    force = work.contact_packed[c, FORCE]
    for p in range(length):
        own = column[first + p]
        u = k[0] * row[i] + k[1] * row[i + 1] + k[2] * row[i + 2]
        i += 3
        for m in range(length):
            h[own, column[first + m]] += u * row[force + 3 * m + 2]


@kernel
def clear(work, count):
    """Begin with the identity.

    Writes: work.
    """
    h = work.column_matrix
    none = spread4(0.0)
    for i in range(count):
        for j in range(i & ~3, count, 4):
            store4(h, h.shape[1] * i + j, none)
        h[i, i] = 1.0


@kernel
def assemble(work, t, count):
    """Write the matrix at the trials; return whether it is symmetric, and only its upper triangle written.

    Writes: work.
    """
    clear(work, count)
    h = work.column_matrix
    packed = work.contact_packed
    is_symmetric = True
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if not work.contact_trial[c, 2] > 0.0:
            continue
        xx, yy, zz, xy, k0, k1 = force_slopes(work, c)
        add_symmetric(work, c, packed[c, FORCE], xx, yy, zz, xy)
        is_symmetric = is_symmetric and k0 == 0.0 and k1 == 0.0
        if work.contact_is_spun[c] == 1:
            xx, yy, zz, xy, k0, k1, k2 = torque_slopes(work, c)
            add_symmetric(work, c, packed[c, SPIN], xx, yy, zz, xy)
            is_symmetric = is_symmetric and k0 == 0.0 and k1 == 0.0 and k2 == 0.0
    row, column = work.packed_row, work.packed_column
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if not work.scalar_lower[n] <= work.scalar_trial[n] <= work.scalar_upper[n]:
            continue
        r = work.scalar_rate[n]
        i, first = work.scalar_packed[n, 0], work.scalar_packed[n, 1]
        for p in range(work.scalar_packed[n, 2]):
            u = r * row[i + p]
            own = column[first + p]
            for m in range(p + 1):
                other = column[first + m]
                h[min(own, other), max(own, other)] += u * row[i + m]
    if is_symmetric:
        return True
    for i in range(count):
        for j in range(i):
            h[i, j] = h[j, i]
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if not work.contact_trial[c, 2] > 0.0:
            continue
        _, _, _, _, k0, k1 = force_slopes(work, c)
        if k0 != 0.0 or k1 != 0.0:
            add_skew(work, c, packed[c, FORCE], (k0, k1, 0.0))
        if work.contact_is_spun[c] == 1:
            _, _, _, _, k0, k1, k2 = torque_slopes(work, c)
            if k0 != 0.0 or k1 != 0.0 or k2 != 0.0:
                add_skew(work, c, packed[c, SPIN], (k0, k1, k2))
    return False


@kernel
def list_fours(work, k, count):
    """List the fours of columns behind k in which row k has a number that is not zero; return how many.

    Writes: work.
    """
    h = work.column_matrix
    found = 0
    for first in range((k + 1) & ~3, count, 4):
        is_filled = False
        for j in range(max(first, k + 1), min(first + 4, count)):
            is_filled = is_filled or h[k, j] != 0.0
        if is_filled:
            work.column_four[found] = first
            found += 1
    return found


@kernel
def eliminate(work, count, x, is_symmetric):
    """Replace row x of `column_vector` by the solution; return False if there is none.

    Writes: work.
    """
    h, b = work.column_matrix, work.column_vector
    stride = h.shape[1]
    for k in range(count):
        if not abs(h[k, k]) > MIN_PIVOT:
            return False
        inverse = 1.0 / h[k, k]
        fours = list_fours(work, k, count)
        first = 0
        for i in range(k + 1, count):
            f = h[k, i] if is_symmetric else h[i, k]
            if f == 0.0:
                continue
            f *= inverse
            b[x, i] -= f * b[x, k]
            four = spread4(f)
            while is_symmetric and work.column_four[first] + 4 <= i:
                first += 1
            for m in range(first, fours):
                j = work.column_four[m]
                at = stride * i + j
                store4(h, at, load4(h, at) - four * load4(h, stride * k + j))
    for k in range(count, (count + 3) & ~3):
        b[x, k] = 0.0
    for i in range(count - 1, -1, -1):
        s = b[x, i]
        after = (i + 4) & ~3
        for j in range(i + 1, min(after, count)):
            s -= h[i, j] * b[x, j]
        four = spread4(0.0)
        for j in range(after, count, 4):
            four = four + load4(h, stride * i + j) * load4(b, stride * x + j)
        b[x, i] = (s - total(low(four) + high(four))) / h[i, i]
    return True


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
    xx, yy, zz, xy, k, m, p = disc_slopes(work, c, x, n)
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
