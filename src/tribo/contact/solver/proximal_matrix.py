"""The Newton step of the proximal problem, solved in the smaller number of unknowns: directions or dofs.

Impulses follow velocities along *directions*: a row l that feels the velocity, a row p along which the
impulse acts, and a slope d, δλ = −d p (l · δw). A sticking contact has three, one per row. A sliding one has
two: its normal velocity changes the normal impulse and the friction that follows it, and the velocity across
the slip rotates the friction; the velocity along the slip changes nothing. An open contact and a row at a
bound have none. Most directions are rows of Y; the others are written behind the rows.

The step z solves (I + Σ d p lᵀ) z = b. In the dofs this is a matrix whose zeros are skipped, with columns
from the leaves to the root. In the unknowns s = d (l · z) it is (1/d + L Pᵀ) s = L b, with z = b − Pᵀ s.
Source: Woodbury 1950.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load4, spread4, store4, transposed
from tribo.contact.solver.proximal_law import bounds_of
from tribo.contact.solver.proximal_rows import Entry, Law, LawKind, LawNumber, Size, Vector, wide
from tribo.math.lane_rows import sum4

VELOCITY_ROW, IMPULSE_ROW = 0, 1  # columns of `direction_row`: l, p
# Of `direction_number`: 1/d; its request (`target_change`); its impulse.
RESISTANCE, REQUEST, IMPULSE_PART = 0, 1, 2
OPPOSED_ITERATIONS = 3  # iterations of `remove_opposed_impulses`
MIN_PIVOT = 1e-13  # [–] a smaller pivot is singular; the diagonal is about one or more


@kernel
def combine_rows(work, new, i, a, j, b):
    """Set row `new` of Y to a · row i + b · row j.

    Writes: work.
    """
    y = work.dense_row
    n = y.shape[1]
    for k in range(0, work.dense_size[Size.COLUMNS], 4):
        store4(y, n * new + k, a * load4(y, n * i + k) + b * load4(y, n * j + k))


@kernel
def target_change(work, i):
    """Return the request a of row i: after a change of velocity δw its trial is r (a − δw)."""
    x = work.dense_vector
    return x[Entry.MEMORY, i] * (1.0 / x[Entry.PENALTY, i] - x[Entry.COMPLIANCE, i]) - x[Entry.MOTION, i]


@kernel
def add_direction(work, row, resistance, ask):
    """Append a direction with l = p = a row of Y; resistance: 1/d, ask: its `target_change`.

    Writes: work.
    """
    u = work.dense_size[Size.DIRECTIONS]
    work.dense_size[Size.DIRECTIONS] = u + 1
    work.direction_row[u, VELOCITY_ROW] = work.direction_row[u, IMPULSE_ROW] = row
    work.direction_number[u, RESISTANCE] = resistance
    work.direction_number[u, REQUEST] = ask


@kernel
def push_along_rows(work, n, i, a, j, b, extra):
    """Add a · row i + b · row j of Y to the row p of the direction of normal row n; return the next free row.

    Writes: work.
    """
    y, u = work.dense_row, work.row_direction[n]
    row = work.direction_row[u, IMPULSE_ROW]
    width = y.shape[1]
    if row == n:
        row = extra
        extra += 1
        work.direction_row[u, IMPULSE_ROW] = row
        combine_rows(work, row, n, 1.0, n, 0.0)
    for k in range(0, work.dense_size[Size.COLUMNS], 4):
        more = a * load4(y, width * i + k) + b * load4(y, width * j + k)
        store4(y, width * row + k, load4(y, width * row + k) + more)
    return extra


@kernel
def write_directions(work):
    """Write the directions at the trials, and the impulses of rows at bounds to LINEAR; tell whether L = P.

    Writes: work.
    """
    x, law = work.dense_vector, work.law_row
    work.dense_size[Size.DIRECTIONS] = 0
    extra = wide(work.dense_size[Size.ROWS])
    is_symmetric = True
    for b in range(work.dense_size[Size.LAWS]):
        i, kind, n = law[b, Law.ROW], law[b, Law.KIND], law[b, Law.NORMAL_ROW]
        x[Entry.LINEAR, i] = 0.0
        share = work.law_number[b, LawNumber.SHARE]
        if kind == LawKind.FRICTION or kind == LawKind.ROLLING:
            x[Entry.LINEAR, i + 1] = 0.0
            most = share * x[Entry.TRIAL, n]
            if not most > 0.0:
                continue
            s, t = x[Entry.TRIAL, i], x[Entry.TRIAL, i + 1]
            square = s * s + t * t
            give = 1.0 / x[Entry.PENALTY, i]
            if square <= most * most:
                add_direction(work, i, give, target_change(work, i))
                add_direction(work, i + 1, give, target_change(work, i + 1))
                continue
            size = sqrt(square)
            s /= size
            t /= size
            combine_rows(work, extra, i, -t, i + 1, s)
            ask = s * target_change(work, i + 1) - t * target_change(work, i)
            add_direction(work, extra, give * size / most, ask)
            extra = push_along_rows(work, n, i, share * s, i + 1, share * t, extra + 1)
            is_symmetric = False
            continue
        if kind == LawKind.SPINNING and not share * x[Entry.TRIAL, n] > 0.0:
            continue
        lower, upper = bounds_of(work, b, Entry.TRIAL)
        if kind == LawKind.SPINNING and not lower <= x[Entry.TRIAL, i] <= upper:
            side = share if x[Entry.TRIAL, i] > 0.0 else -share
            extra = push_along_rows(work, n, i, side, i, 0.0, extra)
            is_symmetric = False
        elif kind == LawKind.SPINNING or x[Entry.TRIAL, i] > 0.0:
            work.row_direction[i] = work.dense_size[Size.DIRECTIONS]
            add_direction(work, i, 1.0 / x[Entry.PENALTY, i], target_change(work, i))
    for i in range(work.dense_size[Size.SCALARS], work.dense_size[Size.ROWS]):
        own, lower, upper = x[Entry.TRIAL, i], x[Entry.LOWER, i], x[Entry.UPPER, i]
        x[Entry.LINEAR, i] = 0.0
        if lower < upper and lower <= own <= upper:
            add_direction(work, i, 1.0 / x[Entry.PENALTY, i], target_change(work, i))
        else:
            x[Entry.LINEAR, i] = min(max(own, lower), upper)
    return is_symmetric


@kernel
def dot_row(work, u, z):
    """Return l · z of direction u and row z of `column_vector`."""
    y, x = work.dense_row, work.column_vector
    at, i = x.shape[1] * z, y.shape[1] * work.direction_row[u, VELOCITY_ROW]
    total = spread4(0.0)
    for k in range(0, work.dense_size[Size.COLUMNS], 4):
        total = total + load4(x, at + k) * load4(y, i + k)
    return sum4(total)


@kernel
def write_products(work, is_symmetric):
    """Write the matrix 1/d + L Pᵀ; its upper triangle only if it is symmetric.

    Writes: work.
    """
    h, y, row = work.column_matrix, work.dense_row, work.direction_row
    size, columns, n = work.dense_size[Size.DIRECTIONS], work.dense_size[Size.COLUMNS], y.shape[1]
    for u in range(size, wide(size)):
        row[u, IMPULSE_ROW] = row[0, IMPULSE_ROW]
    for u in range(size):
        i = n * row[u, VELOCITY_ROW]
        for v in range((u if is_symmetric else 0) & ~3, size, 4):
            j, k = n * row[v, IMPULSE_ROW], n * row[v + 1, IMPULSE_ROW]
            m, p = n * row[v + 2, IMPULSE_ROW], n * row[v + 3, IMPULSE_ROW]
            a = b = c = d = spread4(0.0)
            for q in range(0, columns, 4):
                four = load4(y, i + q)
                a = a + four * load4(y, j + q)
                b = b + four * load4(y, k + q)
                c = c + four * load4(y, m + q)
                d = d + four * load4(y, p + q)
            a, b, c, d = transposed(a, b, c, d)
            store4(h, h.shape[1] * u + v, (a + b) + (c + d))
        h[u, u] += work.direction_number[u, RESISTANCE]


@kernel
def write_dofs(work, is_symmetric):
    """Write the matrix I + Σ d p lᵀ; its upper triangle only if it is symmetric.

    Writes: work.
    """
    h, y, row = work.column_matrix, work.dense_row, work.direction_row
    columns, n = work.dense_size[Size.COLUMNS], y.shape[1]
    for i in range(columns):
        for j in range(0, columns, 4):
            store4(h, h.shape[1] * i + j, spread4(0.0))
        h[i, i] = 1.0
    count = work.dense_size[Size.DIRECTIONS]
    for u in range(0, count, 2):
        v = min(u + 1, count - 1)  # an odd number: the last has no partner, slope 0
        slope = 1.0 / work.direction_number[u, RESISTANCE]
        other = 1.0 / work.direction_number[v, RESISTANCE] if v > u else 0.0
        push, beside = row[u, IMPULSE_ROW], row[v, IMPULSE_ROW]
        felt, next_felt = n * row[u, VELOCITY_ROW], n * row[v, VELOCITY_ROW]
        for i in range(columns):
            f, g = slope * y[push, i], other * y[beside, i]
            if f == 0.0 and g == 0.0:
                continue
            one, two = spread4(f), spread4(g)
            for j in range((i if is_symmetric else 0) & ~3, columns, 4):
                at = h.shape[1] * i + j
                more = load4(h, at) + one * load4(y, felt + j)
                store4(h, at, more + two * load4(y, next_felt + j))


@kernel
def push_parts(work, z):
    """Add Pᵀ times the impulses of the directions to row z of `column_vector`.

    Writes: work.
    """
    x, y, row = work.column_vector, work.dense_row, work.direction_row
    at, n = x.shape[1] * z, y.shape[1]
    for k in range(0, work.dense_size[Size.COLUMNS], 4):
        four = load4(x, at + k)
        for u in range(work.dense_size[Size.DIRECTIONS]):
            part = spread4(work.direction_number[u, IMPULSE_PART])
            four = four + part * load4(y, n * row[u, IMPULSE_ROW] + k)
        store4(x, at + k, four)


@kernel
def solve_by_directions(work, z, is_symmetric, asks):
    """Replace row z of `column_vector` by the step, with the directions as unknowns; return success.

    Writes: work.
    """
    number, part, size = work.direction_number, work.direction_part, work.dense_size[Size.DIRECTIONS]
    write_products(work, is_symmetric)
    for u in range(size):
        ask = number[u, REQUEST] if asks else 0.0
        part[u] = ask - dot_row(work, u, z)
    if not solve_in_place(work.column_matrix, size, is_symmetric, part):
        return False
    for u in range(size):
        number[u, IMPULSE_PART] = part[u]
    push_parts(work, z)
    return True


@kernel
def solve_by_dofs(work, z, is_symmetric, asks):
    """Replace row z of `column_vector` by the step, with the dofs as unknowns; return success.

    Writes: work.
    """
    number, size = work.direction_number, work.dense_size[Size.DIRECTIONS]
    write_dofs(work, is_symmetric)
    if asks:
        for u in range(size):
            number[u, IMPULSE_PART] = number[u, REQUEST] / number[u, RESISTANCE]
        push_parts(work, z)
    count = work.dense_size[Size.COLUMNS]
    if not solve_in_place(work.column_matrix, count, is_symmetric, work.column_vector[z]):
        return False
    if asks:
        for u in range(size):
            number[u, IMPULSE_PART] = (number[u, REQUEST] - dot_row(work, u, z)) / number[u, RESISTANCE]
    return True


@kernel
def solve_step(work, z, is_symmetric, asks):
    """Replace row z of `column_vector`, the right side, by the step; return False if the matrix is singular.

    asks: the directions add their requests to the right side, and LINEAR gets their impulses; without it the
    step is a Newton step.

    Writes: work.
    """
    if work.dense_size[Size.DIRECTIONS] <= work.dense_size[Size.COLUMNS]:
        if not solve_by_directions(work, z, is_symmetric, asks):
            return False
    elif not solve_by_dofs(work, z, is_symmetric, asks):
        return False
    if asks:
        for u in range(work.dense_size[Size.DIRECTIONS]):
            i = work.direction_row[u, VELOCITY_ROW]
            if i < work.dense_size[Size.ROWS]:
                work.dense_vector[Entry.LINEAR, i] = work.direction_number[u, IMPULSE_PART]
    return True


@kernel
def eliminate_row(h, count, k, i, begin, is_symmetric):
    """Clear H[i, k] by a multiple of row k, from column `begin` on; return the factor.

    Writes: h.
    """
    stride = h.shape[1]
    f = (h[k, i] if is_symmetric else h[i, k]) * (1.0 / h[k, k])
    four = spread4(f)
    for j in range(begin & ~3, count, 4):
        at = stride * i + j
        store4(h, at, load4(h, at) - four * load4(h, stride * k + j))
    return f


@kernel
def solve_in_place(h, count, is_symmetric, b):
    """Replace b by H⁻¹ b; return False at a vanishing pivot. Eliminates two rows at a time.

    Writes: h, b.
    """
    stride = h.shape[1]
    for k in range(0, count, 2):
        m = k + 1
        if not abs(h[k, k]) > MIN_PIVOT:
            return False
        if m == count:
            break
        b[m] -= eliminate_row(h, count, k, m, m, is_symmetric) * b[k]
        if not abs(h[m, m]) > MIN_PIVOT:
            return False
        first, second = 1.0 / h[k, k], 1.0 / h[m, m]
        for i in range(k + 2, count):
            f = (h[k, i] if is_symmetric else h[i, k]) * first
            g = (h[m, i] if is_symmetric else h[i, m] - f * h[k, m]) * second
            if f == 0.0 and g == 0.0:
                continue
            b[i] = (b[i] - f * b[k]) - g * b[m]
            one, two = spread4(f), spread4(g)
            for j in range((i if is_symmetric else k + 2) & ~3, count, 4):
                at = stride * i + j
                left = load4(h, at) - one * load4(h, stride * k + j)
                store4(h, at, left - two * load4(h, stride * m + j))
    back_substitute(h, count, b)
    return True


@kernel
def back_substitute(h, count, b):
    """Replace b by U⁻¹ b, with U the upper triangle of H.

    Writes: b.
    """
    for i in range(count - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, count):
            s -= h[i, j] * b[j]
        b[i] = s / h[i, i]


@kernel
def solve_factored(h, count, b):
    """Replace b by H⁻¹ b, with H symmetric and factored by `solve_in_place`.

    Writes: b.
    """
    for k in range(count):
        f = b[k] / h[k, k]
        for i in range(k + 1, count):
            b[i] -= f * h[k, i]
    back_substitute(h, count, b)


@kernel
def respond_to_targets(work):
    """Add to row STEP, which is 0, the response to the requests of the directions, by the factor in dofs.

    Writes: work.
    """
    number = work.direction_number
    for u in range(work.dense_size[Size.DIRECTIONS]):
        number[u, IMPULSE_PART] = number[u, REQUEST] / number[u, RESISTANCE]
    push_parts(work, Vector.STEP)
    solve_factored(work.column_matrix, work.dense_size[Size.COLUMNS], work.column_vector[Vector.STEP])


@kernel
def refine_set_solution(work):
    """Refine a symmetric solve once: make the remaining velocities w + R λ of its directions vanish.

    Uses the factored matrix. Needs the velocities of row Z in MOTION; changes Z, STEP and LINEAR.

    Writes: work.
    """
    number, part, x = work.direction_number, work.direction_part, work.dense_vector
    z, size, count = work.column_vector, work.dense_size[Size.DIRECTIONS], work.dense_size[Size.COLUMNS]
    for u in range(size):
        i = work.direction_row[u, VELOCITY_ROW]
        number[u, REQUEST] = -(x[Entry.MOTION, i] + x[Entry.COMPLIANCE, i] * x[Entry.LINEAR, i])
    for k in range(count):
        z[Vector.STEP, k] = 0.0
    if size <= count:
        for u in range(size):
            part[u] = number[u, REQUEST]
        solve_factored(work.column_matrix, size, part)
        for u in range(size):
            number[u, IMPULSE_PART] = part[u]
        push_parts(work, Vector.STEP)
    else:
        respond_to_targets(work)
        for u in range(size):
            lack = number[u, REQUEST] - dot_row(work, u, Vector.STEP)
            number[u, IMPULSE_PART] = lack / number[u, RESISTANCE]
    for k in range(count):
        z[Vector.Z, k] += z[Vector.STEP, k]
    for u in range(size):
        x[Entry.LINEAR, work.direction_row[u, VELOCITY_ROW]] += number[u, IMPULSE_PART]


@kernel
def remove_opposed_impulses(work):
    """Remove from the change of LINEAR the internal impulses: those that oppose one another and move nothing.

    With more directions than dofs, requests contradict one another by rounding, and their impulses would add
    up from step to step. Impulses that move something are Y u; each iteration with the factored matrix finds
    all but 1/(ρσ) of them, σ an eigenvalue of Yᵀ Y.

    Writes: work.
    """
    number, x = work.direction_number, work.dense_vector
    z, size, count = work.column_vector, work.dense_size[Size.DIRECTIONS], work.dense_size[Size.COLUMNS]
    for u in range(size):
        i = work.direction_row[u, VELOCITY_ROW]
        number[u, REQUEST] = x[Entry.LINEAR, i] - x[Entry.MEMORY, i]
        x[Entry.LINEAR, i] = x[Entry.MEMORY, i]
    for _ in range(OPPOSED_ITERATIONS):
        for k in range(count):
            z[Vector.STEP, k] = 0.0
        respond_to_targets(work)
        for u in range(size):
            own = dot_row(work, u, Vector.STEP)
            number[u, REQUEST] -= own
            x[Entry.LINEAR, work.direction_row[u, VELOCITY_ROW]] += own
