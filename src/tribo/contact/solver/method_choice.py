"""Choice of the solver of an island: cheap ones first."""

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import LOOSE, free_fall_speed, relax_target
from tribo.contact.problem.islands import contacts_in, island_rows, spun_rows
from tribo.contact.solver import block_matrix
from tribo.contact.solver.contact_packets import leave_packets
from tribo.contact.solver.gauss_seidel_iteration import start_cold, sweep_only
from tribo.contact.solver.loose_contacts import lay_out_loose
from tribo.contact.solver.natural_residual import island_speed, island_violation, largest_component
from tribo.contact.solver.pile import solve_pile
from tribo.contact.solver.proximal_newton import NEARER, solve_in_dofs
from tribo.contact.solver.proximal_rows import find_columns, leave_columns, wide
from tribo.enums import Solver
from tribo.math import vec
from tribo.model import MAX_DOFS, Status

CAPACITY = int(Status.CAPACITY)
SWEEPS_ONLY = int(Solver.SWEEPS)
FEW_ROWS = 3  # one contact, or some scalar rows: a few visits solve it
PAIR = 2  # trees: a robot and what it holds; a sweep over more is cheap next to a solve
SMALL_ROWS = 32  # up to here an island is no heap
MOVING_SHARE = 0.01  # [–] of the contacts: from here on an island moves


@kernel
def has_room(work, t, columns):
    """Tell whether island t, of so many columns, fits; if not, ask for larger tables: the step is made again.

    Writes: work.
    """
    rows = 2 * wide(island_rows(work, t) + spun_rows(work, t)) + 4  # and those of directions
    if columns <= work.column_matrix.shape[0] and rows <= work.dense_row.shape[0]:
        return True
    work.column_count[0] = max(work.column_count[0], columns)
    work.dense_count[0] = max(work.dense_count[0], rows)
    work.status[0] |= CAPACITY
    return False


@kernel
def is_moving(model, settings, work, t):
    """Tell whether more than a few contacts of island t move faster than forces make them in a step."""
    count = 0
    first = work.island_contact_start[t]
    stop = work.island_contact_start[t + 1]
    for k in range(first, stop):
        c = work.island_contact[k]
        if largest_component(vec.load(work.contact_vel, c)) > free_fall_speed(model, settings, work, c):
            count += 1
    return count > MOVING_SHARE * (stop - first)


@kernel
def is_tied(work, t):
    """Tell whether island t has more rows of joints and constraints than contacts.

    Sweeps carry little along a chain: such an island is solved as one that rests, however it moves.
    """
    contacts = work.island_contact_start[t + 1] - work.island_contact_start[t]
    return work.island_scalar_start[t + 1] - work.island_scalar_start[t] > contacts


@kernel
def relax_heap_targets(model, settings, work, t, rows):
    """Let the rigid contacts of island t, if it has many trees, ask for nothing less than `LOOSE`.

    A heap has contacts that ask for what cannot be at the same time: gaps of 1e-7 m, here and there,
    between bodies that others hold. No impulse closes them all, and those that try never end. A rebound
    has its full speed. A solve by sweeps alone needs all: sweeps end after a number of them.

    Writes: work.
    """
    if settings.contact_solver == SWEEPS_ONLY or rows < SMALL_ROWS:
        return
    if block_matrix.find_nodes(model, work, t) <= block_matrix.MANY:
        return
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if work.contact_compliance[c, 2] == 0.0 and work.contact_bounce[c] == 0.0:
            relax_target(work, c, LOOSE * free_fall_speed(model, settings, work, c))


@kernel
def solve_listed(model, settings, work, t, count, limit):
    """Find the impulses of those contacts of island t that stand in its list; return success.

    count: its trees.

    Writes: work.
    """
    if count > PAIR:
        lay_out_loose(model, work, t)
        if sweep_only(model, work, t, 1, limit):  # what rests needs no more
            return True
    if count <= block_matrix.MANY:
        is_solved, columns = True, find_columns(model, work, t, MAX_DOFS + 1)
        if columns <= MAX_DOFS and has_room(work, t, columns):
            is_solved = solve_in_dofs(model, work, t, columns, limit)
        leave_columns(work, columns)
        if columns <= MAX_DOFS:
            return is_solved
    moves = not is_tied(work, t) and is_moving(model, settings, work, t)
    return solve_pile(model, work, t, limit, moves)


@kernel
def solve_to_tolerance(model, settings, work, t, rows, tolerance):
    """Find the impulses of island t from those at hand; return success.

    tolerance: [–] of the speed that the island must remove.

    Writes: work.
    """
    speed = island_speed(settings, work, t)
    if speed == 0.0:  # nothing is to be removed: no impulse is a solution
        start_cold(model, work, t)
        return True
    work.removed_speed[0] = speed
    limit = tolerance * speed
    if rows <= FEW_ROWS and sweep_only(model, work, t, settings.max_sweeps, limit):
        return True
    if island_violation(model, work, t) <= NEARER * limit:
        return True
    return solve_listed(model, settings, work, t, block_matrix.find_nodes(model, work, t), limit)


@kernel
def solve_by_settings(model, settings, work, t, rows, tolerance):
    """Find the impulses of island t from those at hand, in the way that the settings ask for; return success.

    tolerance: [–] of the speed that the island must remove.

    Writes: work.
    """
    if settings.contact_solver == SWEEPS_ONLY:
        limit = tolerance * island_speed(settings, work, t)
        lay_out_loose(model, work, t)
        is_solved = sweep_only(model, work, t, settings.max_sweeps, limit)
    else:
        is_solved = solve_to_tolerance(model, settings, work, t, rows, tolerance)
    leave_packets(work)
    return is_solved
