"""Newton's method for one memory of the proximal problem, and the linear solve with a given active set.

The residual z − z_free − Yᵀ λ(z) has no potential where contacts slide, so its norm is no merit function. The
line search along a step d finds instead a root of d · residual. It costs evaluations of the laws only, since
velocities are linear in z.
Source: Alart, Curnier 1991; Rockafellar 1976.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import load4, spread4, store4
from tribo.contact.solver.active_set import REDUNDANT_PENALTY, SET_PENALTY
from tribo.contact.solver.pile_problem import NEWTON, SET
from tribo.contact.solver.proximal_law import (
    apply_laws,
    impulse_product,
    memory_error,
    set_row_penalties,
    violation_here,
    write_trials,
)
from tribo.contact.solver.proximal_matrix import (
    refine_set_solution,
    remove_opposed_impulses,
    solve_step,
    write_directions,
)
from tribo.contact.solver.proximal_products import (
    call_pile_operation,
    gather_response,
    measure_motion,
    write_response,
)
from tribo.contact.solver.proximal_rows import Entry, Size, Vector
from tribo.math.lane_rows import sum4

LINE_STEPS = 8  # evaluations of a line search
FLAT = 0.1  # [–] of the slope at the start: the line search ends at a smaller one
EXACT = 0.05  # [–] of the limit: residual at which Newton's method ends


@kernel
def write_difference(work, a, b, out):
    """Set row `out` of `column_vector` to row a less row b; return its square.

    Writes: work.
    """
    x = work.column_vector
    n = x.shape[1]
    total = spread4(0.0)
    for k in range(work.dense_size[Size.FIRST], work.dense_size[Size.COLUMNS], 4):
        four = load4(x, n * a + k) - load4(x, n * b + k)
        total = total + four * four
        store4(x, n * out + k, four)
    return sum4(total)


@kernel
def column_product(work, a, b):
    """Return the dot product of rows a and b of `column_vector`."""
    x = work.column_vector
    n = x.shape[1]
    total = spread4(0.0)
    for k in range(work.dense_size[Size.FIRST], work.dense_size[Size.COLUMNS], 4):
        total = total + load4(x, n * a + k) * load4(x, n * b + k)
    return sum4(total)


@kernel
def add_scaled_row(table, first, count, out, part, step):
    """Add `part` times row `step` of a table to row `out`, from column `first` on.

    Writes: table.
    """
    n = table.shape[1]
    for k in range(first, count, 4):
        store4(table, n * out + k, load4(table, n * out + k) + part * load4(table, n * step + k))


@kernel
def add_to_response(work, part):
    """Add `part` times row STEP to row Z.

    Writes: work.
    """
    size = work.dense_size
    add_scaled_row(work.column_vector, size[Size.FIRST], size[Size.COLUMNS], Vector.Z, part, Vector.STEP)


@kernel
def write_residual(model, work):
    """Write the impulses at the trials, and the residual z − z_free − Yᵀ λ to RESIDUAL; return its norm.

    Writes: work.
    """
    apply_laws(work, Entry.TRIAL, Entry.IMPULSE)
    write_response(model, work, Vector.RESPONSE)
    return sqrt(write_difference(work, Vector.Z, Vector.RESPONSE, Vector.RESIDUAL))


@kernel
def newton_step(model, work):
    """Write the Newton step at the trials to row STEP; return whether the matrix is regular.

    Writes: work.
    """
    work.newton_steps[0] += 1
    write_difference(work, Vector.RESPONSE, Vector.Z, Vector.STEP)
    if work.dense_size[Size.PILE] > 0:
        return call_pile_operation(model, work, NEWTON, Vector.STEP, 0.0) == 1
    return solve_step(work, Vector.STEP, write_directions(work), False)


@kernel
def line_search(work):
    """Return, by regula falsi, the fraction of STEP at which the residual is orthogonal to it; 0: no descent.

    Writes: work.
    """
    first = column_product(work, Vector.RESIDUAL, Vector.STEP)
    square = column_product(work, Vector.STEP, Vector.STEP)
    if not first < 0.0:
        return 0.0
    along = column_product(work, Vector.Z, Vector.STEP) - column_product(work, Vector.FREE, Vector.STEP)
    part = 1.0
    low, low_value = 0.0, first
    high, high_value = -1.0, 0.0
    for k in range(LINE_STEPS):
        value = along + part * square - impulse_product(work, part)
        if abs(value) <= -FLAT * first or (value < 0.0 and part == 1.0) or k == LINE_STEPS - 1:
            break
        if value > 0.0:
            high, high_value = part, value
        else:
            low, low_value = part, value
        between = min(max(low_value / (low_value - high_value), 0.1), 0.9)
        part = low + between * (high - low)
    return part


@kernel
def run_round(model, work, rho, limit, unit, last, steps, is_begun):
    """Run Newton's method for one memory from row Z; return whether it converged.

    unit: `largest_unit`; last: value of `newton_steps` that ends the solve; is_begun: the linear solve with
    the active set has been made. Needs the velocities of row Z in MOTION.

    Writes: work.
    """
    write_trials(work)
    first = least = size = write_residual(model, work)
    for k in range(steps):
        if not size < inf:
            return False
        if k > 0 or is_begun:
            if size < least:
                least = size
            elif k > 3 and size > 0.5 * first:
                return False
            if size * unit <= max(EXACT * limit, memory_error(work, rho)):
                return True
        if work.newton_steps[0] >= last:
            return True
        if not newton_step(model, work):
            return False
        measure_motion(model, work, Vector.STEP)
        part = line_search(work)
        if part == 0.0:
            return False
        add_to_response(work, part)
        add_scaled_row(work.dense_vector, 0, work.dense_size[Size.ROWS], Entry.MOTION, part, Entry.CHANGE)
        write_trials(work)
        size = write_residual(model, work)
    return True


@kernel
def refine_active_set(work):
    """Refine a solve with an active set by its factor; return whether that is possible.

    It is not in a pile, where something slides, or with more directions than dofs. Needs the velocities of
    row Z in MOTION and its impulses in LINEAR; changes rows Z, STEP and LINEAR.

    Writes: work.
    """
    size = work.dense_size
    if size[Size.PILE] > 0 or size[Size.SYMMETRIC] == 0 or size[Size.DIRECTIONS] > size[Size.COLUMNS]:
        return False
    refine_set_solution(work)
    return True


@kernel
def solve_active_set(model, work, is_exact):
    """Solve the problem that is linear at the trials, with the active set fixed; return success.

    is_exact: with a large penalty; else the rows keep that of their round. With more sticking directions than
    dofs, their requests contradict one another by rounding, which a large penalty amplifies:
    `REDUNDANT_PENALTY` is used, and two refinements make up for it.
    Row Z is the solution, LINEAR its impulses, MOTION its velocities.

    Writes: work.
    """
    work.newton_steps[0] += 1
    size = work.dense_size
    if size[Size.PILE] > 0:
        return call_pile_operation(model, work, SET, 1 if is_exact else 0, 0.0) == 1
    if is_exact:
        set_row_penalties(work, SET_PENALTY)
    is_symmetric = write_directions(work)
    size[Size.SYMMETRIC] = 1 if is_symmetric else 0
    is_redundant = is_exact and is_symmetric and size[Size.DIRECTIONS] > size[Size.COLUMNS]
    if is_redundant:
        set_row_penalties(work, REDUNDANT_PENALTY)
        write_directions(work)
    write_difference(work, Vector.FREE, Vector.Z, Vector.STEP)
    gather_response(model, work, Entry.LINEAR, Vector.STEP)
    if not solve_step(work, Vector.STEP, is_symmetric, True):
        return False
    add_to_response(work, 1.0)
    measure_motion(model, work, Vector.Z)
    if is_redundant:
        refine_set_solution(work)
        measure_motion(model, work, Vector.Z)
        refine_set_solution(work)
        remove_opposed_impulses(work)
    return True


@kernel
def find_violation(model, work):
    """Recompute row Z and the velocities from the impulses; return how far these are from their laws [m/s].

    Writes: work.
    """
    write_response(model, work, Vector.Z)
    measure_motion(model, work, Vector.Z)
    return violation_here(work)
