"""A pile as a problem in the dofs of its trees: products with its rows, and its Newton step.

Rows stay in `Work.row`; those of free bodies are laid out for lanes (`free_body_rows`). A product with all
rows costs as much as a sweep. With D, the derivative of the laws at the trials, block-diagonal by contact, a
Newton step solves (I + Yᵀ D Y) δz = b, a sparse matrix with one block per pair of trees that touch
(`block_matrix`).

`run_pile_operation` is compiled when an island is first too large for the dense problem.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.islands import contacts_in, scalars_in
from tribo.contact.problem.whitened_products import (
    add_contact_response,
    add_force_response,
    add_impulse_response,
    add_row_response,
    add_scalar_row_response,
    add_scalar_to,
)
from tribo.contact.solver import block_matrix
from tribo.contact.solver.active_set import REDUNDANT_PENALTY, SET_PENALTY
from tribo.contact.solver.proximal_law import set_row_penalties, trial_at
from tribo.contact.solver.proximal_matrix import target_change
from tribo.contact.solver.proximal_rows import Entry, Law, LawKind, LawNumber, Size, Vector, spin_size
from tribo.math import vec

PREPARE, MEASURE, GATHER, NEWTON, SET = range(5)  # operations of `run_pile_operation`
REFINEMENTS = 2  # of a solution with a given active set
ZERO = (0.0, 0.0, 0.0)


@kernel
def store_velocities(work, out, i, f, w):
    """Write f · w to three rows from i on; for MOTION add START, the velocities at zero response.

    Writes: work.
    """
    x = work.dense_vector
    part = 1.0 if out == Entry.MOTION else 0.0
    for a in range(3):
        x[out, i + a] = f * w[a] + part * x[Entry.START, i + a]


@kernel
def measure_pile(model, work, t, z):
    """Write the velocities Y z + START of row Z to MOTION; of another row, a change, Y z to CHANGE.

    Writes: work.
    """
    x, response = work.dense_vector, work.column_vector[z]
    out = Entry.MOTION if z == Vector.Z else Entry.CHANGE
    i = 0
    for c in contacts_in(work, t):
        if not work.diagonal_delassus[c] > 0.0:
            continue
        w = add_force_response(model, work, c, response, ZERO)
        store_velocities(work, out, i, 1.0 / sqrt(work.diagonal_delassus[c]), w)
        i += 3
        if work.contact_is_spun[c] == 1:
            w = add_row_response(model, work, work.contact_spin_row, c, response, ZERO)
            store_velocities(work, out, i, spin_size(work, c), w)
            i += 3
    for n in scalars_in(work, t):
        w = add_scalar_row_response(model, work, n, response, 0.0) / sqrt(work.scalar_delassus[n])
        x[out, i] = w + x[Entry.START, i] if out == Entry.MOTION else w
        i += 1


@kernel
def gather_pile(model, work, t, v, z):
    """Add Yᵀ of row v of `dense_vector` to row z of `column_vector`.

    Writes: work.
    """
    x, response = work.dense_vector, work.column_vector[z]
    i = 0
    for c in contacts_in(work, t):
        if not work.diagonal_delassus[c] > 0.0:
            continue
        impulse = vec.scale(1.0 / sqrt(work.diagonal_delassus[c]), vec.load_from(x, v, i))
        if impulse != ZERO:
            add_contact_response(model, work, c, impulse, response)
        i += 3
        if work.contact_is_spun[c] == 1:
            torque = vec.scale(spin_size(work, c), vec.load_from(x, v, i))
            add_impulse_response(model, work, work.contact_spin_row, c, torque, response)
            i += 3
    for n in scalars_in(work, t):
        add_scalar_to(model, work, n, x[v, i] / sqrt(work.scalar_delassus[n]), response)
        i += 1


@kernel
def disc_block(work, i, share, n):
    """Return D of two rows from i on, bounded by a share of row n's impulse: xx, xy, yy; x, y by row n."""
    x = work.dense_vector
    most = share * x[Entry.TRIAL, n]
    if not most > 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    s, t = x[Entry.TRIAL, i], x[Entry.TRIAL, i + 1]
    square = s * s + t * t
    if square <= most * most:
        return x[Entry.PENALTY, i], 0.0, x[Entry.PENALTY, i + 1], 0.0, 0.0
    size = sqrt(square)
    s /= size
    t /= size
    d, push = x[Entry.PENALTY, i] * most / size, share * x[Entry.PENALTY, n]
    return d * t * t, -d * s * t, d * s * s, push * s, push * t


@kernel
def line_block(work, i, share, n):
    """Return D of row i, bounded by a share of the impulse of row n: by its own velocity, by that of n."""
    x = work.dense_vector
    most = share * x[Entry.TRIAL, n]
    if not most > 0.0:
        return 0.0, 0.0
    if abs(x[Entry.TRIAL, i]) <= most:
        return x[Entry.PENALTY, i], 0.0
    return 0.0, share * x[Entry.PENALTY, n] if x[Entry.TRIAL, i] > 0.0 else -share * x[Entry.PENALTY, n]


@kernel
def force_block(work, b, i, f):
    """Return f times D of the force of a contact with rows from i on, row by row; b: its law of friction."""
    xx, xy, yy, x, y = disc_block(work, i, work.law_number[b, LawNumber.SHARE], i + 2)
    zz = work.dense_vector[Entry.PENALTY, i + 2]
    return (f * xx, f * xy, f * x, f * xy, f * yy, f * y, 0.0, 0.0, f * zz)


@kernel
def spin_blocks(work, b, i):
    """Return D of the torque rows from i on, by angular velocity and by normal velocity; b: its first law."""
    n = work.law_row[b, Law.NORMAL_ROW]
    xx, xy, yy, u, v = disc_block(work, i, work.law_number[b, LawNumber.SHARE], n)
    zz, w = line_block(work, i + 2, work.law_number[b + 1, LawNumber.SHARE], n)
    return (xx, xy, 0.0, xy, yy, 0.0, 0.0, 0.0, zz), (0.0, 0.0, u, 0.0, 0.0, v, 0.0, 0.0, w)


@kernel
def is_inside_bound(work, i):
    """Tell whether the trial of scalar row i is within its bounds, and these differ."""
    x = work.dense_vector
    lower, upper = x[Entry.LOWER, i], x[Entry.UPPER, i]
    return lower < upper and lower <= x[Entry.TRIAL, i] <= upper


@kernel
def assemble_blocks(model, work, t):
    """Write the matrix I + Yᵀ D Y at the trials.

    Writes: work.
    """
    block_matrix.set_identity(model, work, work.dense_size[Size.NODES])
    spins, table = work.contact_spin_row, work.contact_row
    i = b = 0
    for c in contacts_in(work, t):
        own = work.diagonal_delassus[c]
        if not own > 0.0:
            continue
        is_open = not work.dense_vector[Entry.TRIAL, i + 2] > 0.0
        if not is_open:
            island_sums.add_force_block(model, work, c, force_block(work, b + 1, i, 1.0 / own))
        i += 3
        b += 2
        if work.contact_is_spun[c] == 0:
            continue
        if not is_open:
            turning, pressing = spin_blocks(work, b, i)
            f = spin_size(work, c)
            island_sums.add_block(model, work, spins, spins, c, f * f, turning)
            island_sums.add_block(model, work, spins, table, c, f / sqrt(own), pressing)
        i += 3
        b += 2
    for n in scalars_in(work, t):
        if is_inside_bound(work, i):
            give = work.dense_vector[Entry.PENALTY, i] / work.scalar_delassus[n]
            island_sums.add_scalar_block(model, work, n, give)
        i += 1


@kernel
def push_solution(work, v):
    """Set SCRATCH to D times row v of `dense_vector`.

    Writes: work.
    """
    x, law = work.dense_vector, work.law_row
    for b in range(work.dense_size[Size.LAWS]):
        i, kind, n = law[b, Law.ROW], law[b, Law.KIND], law[b, Law.NORMAL_ROW]
        if kind == LawKind.NORMAL:
            x[Entry.SCRATCH, i] = x[Entry.PENALTY, i] * x[v, i] if x[Entry.TRIAL, i] > 0.0 else 0.0
        elif kind == LawKind.SPINNING:
            own, pressed = line_block(work, i, work.law_number[b, LawNumber.SHARE], n)
            x[Entry.SCRATCH, i] = own * x[v, i] + pressed * x[v, n]
        else:
            xx, xy, yy, f, g = disc_block(work, i, work.law_number[b, LawNumber.SHARE], n)
            p, q, w = x[v, i], x[v, i + 1], x[v, n]
            x[Entry.SCRATCH, i], x[Entry.SCRATCH, i + 1] = xx * p + xy * q + f * w, xy * p + yy * q + g * w
    for i in range(work.dense_size[Size.SCALARS], work.dense_size[Size.ROWS]):
        x[Entry.SCRATCH, i] = x[Entry.PENALTY, i] * x[v, i] if is_inside_bound(work, i) else 0.0


@kernel
def slide_direction(work):
    """Tell whether a row is at a bound that follows the normal impulse: D is then not symmetric."""
    x, law = work.dense_vector, work.law_row
    for b in range(work.dense_size[Size.LAWS]):
        i, kind, n = law[b, Law.ROW], law[b, Law.KIND], law[b, Law.NORMAL_ROW]
        if kind == LawKind.NORMAL:
            continue
        most = work.law_number[b, LawNumber.SHARE] * x[Entry.TRIAL, n]
        s, t = x[Entry.TRIAL, i], x[Entry.TRIAL, i + 1] if kind != LawKind.SPINNING else 0.0
        if most > 0.0 and s * s + t * t > most * most:
            return True
    return False


@kernel
def add_solution(model, work):
    """Add H⁻¹ of row STEP to row Z, H the factored matrix.

    Writes: work.
    """
    x = work.column_vector
    block_matrix.solve_blocks(model, work, work.dense_size[Size.NODES], x[Vector.STEP])
    for k in range(work.dense_size[Size.FIRST], work.dense_size[Size.COLUMNS]):
        x[Vector.Z, k] += x[Vector.STEP, k]


@kernel
def refine_set(model, work, t):
    """Refine a solution with a sticking active set: make the remaining velocities w + R λ vanish.

    Writes: work.
    """
    x, z = work.dense_vector, work.column_vector
    for i in range(work.dense_size[Size.ROWS]):
        x[Entry.CHANGE, i] = -(x[Entry.MOTION, i] + x[Entry.COMPLIANCE, i] * x[Entry.LINEAR, i])
    push_solution(work, Entry.CHANGE)
    for k in range(work.dense_size[Size.FIRST], work.dense_size[Size.COLUMNS]):
        z[Vector.STEP, k] = 0.0
    gather_pile(model, work, t, Entry.SCRATCH, Vector.STEP)
    for i in range(work.dense_size[Size.ROWS]):
        x[Entry.LINEAR, i] += x[Entry.SCRATCH, i]
    add_solution(model, work)
    measure_pile(model, work, t, Vector.STEP)
    push_solution(work, Entry.CHANGE)
    for i in range(work.dense_size[Size.ROWS]):
        x[Entry.LINEAR, i] -= x[Entry.SCRATCH, i]


@kernel
def solve_set(model, work, t, is_exact):
    """Solve the problem that is linear at the trials, with the active set fixed; return success.

    As `proximal_step.solve_active_set`; a pile always has more sticking rows than dofs.

    Writes: work.
    """
    x, z = work.dense_vector, work.column_vector
    refinements = 0 if slide_direction(work) or not is_exact else REFINEMENTS
    if is_exact:
        set_row_penalties(work, REDUNDANT_PENALTY if refinements > 0 else SET_PENALTY)
    assemble_blocks(model, work, t)
    if not block_matrix.factor_matrix(model, work, work.dense_size[Size.NODES]):
        return False
    for i in range(work.dense_size[Size.ROWS]):
        x[Entry.CHANGE, i] = target_change(work, i)
    push_solution(work, Entry.CHANGE)
    for i in range(work.dense_size[Size.SCALARS], work.dense_size[Size.ROWS]):
        if not is_inside_bound(work, i):
            x[Entry.SCRATCH, i] = min(max(x[Entry.TRIAL, i], x[Entry.LOWER, i]), x[Entry.UPPER, i])
    for k in range(work.dense_size[Size.FIRST], work.dense_size[Size.COLUMNS]):
        z[Vector.STEP, k] = z[Vector.FREE, k] - z[Vector.Z, k]
    gather_pile(model, work, t, Entry.SCRATCH, Vector.STEP)
    add_solution(model, work)
    measure_pile(model, work, t, Vector.Z)
    for i in range(work.dense_size[Size.ROWS]):
        x[Entry.LINEAR, i] = trial_at(work, i, x[Entry.MOTION, i])
    for k in range(refinements):
        if k > 0:
            measure_pile(model, work, t, Vector.Z)
        refine_set(model, work, t)
    return True


@kernel
def run_pile_operation(model, work, what, z, number):
    """Run one operation of the solve of a pile, whose island `dense_size` holds; return 0 without success.

    PREPARE: set up the blocks of z nodes; return the multiplications of a factor, at most `number`.
    MEASURE: velocities of row z. GATHER: add the response to the impulses in row `number` to row z. NEWTON:
    replace row STEP, the right side, by the Newton step at the trials. SET: linear solve with the active set,
    refined if z is 1.

    Writes: work.
    """
    t = work.dense_size[Size.PILE] - 1
    if what == PREPARE:
        return int(block_matrix.prepare_matrix(model, work, t, z, number))
    if what == NEWTON:
        assemble_blocks(model, work, t)
        if not block_matrix.factor_matrix(model, work, work.dense_size[Size.NODES]):
            return 0
        block_matrix.solve_blocks(model, work, work.dense_size[Size.NODES], work.column_vector[Vector.STEP])
        return 1
    if what == SET:
        return 1 if solve_set(model, work, t, z == 1) else 0
    if what == MEASURE:
        measure_pile(model, work, t, z)
    else:
        gather_pile(model, work, t, int(number), z)
    return 1
