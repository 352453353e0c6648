"""Selection of the solver of an island.

One contact, or some scalar rows: Gauss–Seidel visits. Up to `MANY` trees and `MAX_DOFS` dofs: Newton's method
(`proximal_newton`). Larger islands: sweeps and Newton's method on pieces (`pile`).
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import TARGET_DEAD_BAND, free_fall_speed, relax_target
from tribo.contact.problem.islands import contacts_in, island_rows, scalars_in, spun_rows
from tribo.contact.solver import block_matrix
from tribo.contact.solver.contact_lane_groups import lay_out_free_bodies
from tribo.contact.solver.gauss_seidel_iteration import start_cold, sweep_only
from tribo.contact.solver.natural_residual import island_speed, island_violation, largest_component
from tribo.contact.solver.pile import solve_pile
from tribo.contact.solver.proximal_newton import REST_TOLERANCE, solve_in_dofs
from tribo.contact.solver.proximal_rows import find_columns, leave_columns, wide
from tribo.enums import Solver
from tribo.math import vec
from tribo.model import MAX_DOFS, Status

FEW_ROWS = 3  # rows of one contact, or some scalar rows: a few visits solve them
PAIR = 2  # trees, as a robot and what it holds: with more, one sweep is cheap beside a solve
SMALL_ROWS = 32  # rows: fewer are no heap
MOVING_SHARE = 0.01  # [–] of the contacts: an island in which more move counts as moving


@kernel
def has_room(work, t, columns):
    """Tell whether island t, of `columns` dofs, fits; if not, ask for larger tables: the step is repeated.

    Writes: work.
    """
    rows = 2 * wide(island_rows(work, t) + spun_rows(work, t)) + 4  # and those of directions
    if columns <= work.column_matrix.shape[0] and rows <= work.dense_row.shape[0]:
        return True
    work.column_count[0] = max(work.column_count[0], columns)
    work.dense_count[0] = max(work.dense_count[0], rows)
    work.status[0] |= Status.CAPACITY
    return False


@kernel
def is_moving(model, settings, work, t):
    """Tell whether more than `MOVING_SHARE` of the contacts of island t move.

    That is, faster than `TARGET_DEAD_BAND` · `free_fall_speed`.
    """
    count = 0
    for c in contacts_in(work, t):
        slow = TARGET_DEAD_BAND * free_fall_speed(model, settings, work, c)
        if largest_component(vec.load(work.contact_vel, c)) > slow:
            count += 1
    return count > MOVING_SHARE * len(contacts_in(work, t))


@kernel
def relax_heap_targets(model, settings, work, t, rows):
    """Relax rigid contacts of island t, if it has many trees, by `TARGET_DEAD_BAND` · `free_fall_speed`.

    Contacts of a heap ask for contradictory velocities: gaps of 1e-7 m between bodies that others hold, which
    no impulses close, so a solver would never end. Rebounds are exempt. With sweeps alone the band is not
    needed: sweeps end after a fixed number.

    Writes: work.
    """
    if settings.contact_solver == Solver.SWEEPS or rows < SMALL_ROWS:
        return
    if block_matrix.find_nodes(model, work, t) <= block_matrix.MANY:
        return
    for c in contacts_in(work, t):
        if work.contact_compliance[c, 2] == 0.0 and work.contact_bounce[c] == 0.0:
            relax_target(work, c, TARGET_DEAD_BAND * free_fall_speed(model, settings, work, c))


@kernel
def is_pile(model, work, t):
    """Tell whether island t has more than `MANY` trees, or more dofs than a dense matrix admits.

    Writes: work (and restores it).
    """
    if block_matrix.find_nodes(model, work, t) > block_matrix.MANY:
        return True
    columns = find_columns(model, work, t, MAX_DOFS + 1)
    leave_columns(work, columns)
    return columns > MAX_DOFS


@kernel
def solve_listed(model, settings, work, t, count, limit, start):
    """Solve the contacts in the list of island t, which has `count` trees; return success.

    start: violation of the present impulses [m/s].

    Writes: work.
    """
    if count > PAIR:
        lay_out_free_bodies(model, work, t)
        if sweep_only(model, work, t, 1, limit):  # enough for islands at rest
            return True
    if count <= block_matrix.MANY:
        is_solved, columns = True, find_columns(model, work, t, MAX_DOFS + 1)
        if columns <= MAX_DOFS and has_room(work, t, columns):
            is_solved = solve_in_dofs(model, work, t, columns, limit)
        leave_columns(work, columns)
        if columns <= MAX_DOFS:
            return is_solved
    has_few_scalars = len(scalars_in(work, t)) <= len(contacts_in(work, t))
    # Sweeps converge slowly along chains: an island of more scalar rows is solved as one at rest.
    moves = has_few_scalars and is_moving(model, settings, work, t)
    return solve_pile(model, work, t, limit, moves, start)


@kernel
def solve_to_tolerance(model, settings, work, t, rows, tolerance):
    """Solve island t from its present impulses; return success. Needs `removed_speed`.

    tolerance: [–] of the speed that the island must remove.

    Writes: work.
    """
    speed = work.removed_speed[0]
    if speed == 0.0:  # zero impulses are a solution
        start_cold(model, work, t)
        return True
    limit = tolerance * speed
    if rows <= FEW_ROWS and sweep_only(model, work, t, settings.max_sweeps, limit):
        return True
    start = island_violation(model, work, t)
    if start <= REST_TOLERANCE * limit:
        return True
    return solve_listed(model, settings, work, t, block_matrix.find_nodes(model, work, t), limit, start)


@kernel
def solve_by_settings(model, settings, work, t, rows, tolerance):
    """Solve island t to a tolerance (`solve_to_tolerance`) by the method of the settings; return success.

    Writes: work.
    """
    work.removed_speed[0] = island_speed(settings, work, t)
    if settings.contact_solver == Solver.SWEEPS:
        lay_out_free_bodies(model, work, t)
        is_solved = sweep_only(model, work, t, settings.max_sweeps, tolerance * work.removed_speed[0])
    else:
        is_solved = solve_to_tolerance(model, settings, work, t, rows, tolerance)
    work.lane_group_island[0] = 0  # these groups are not valid any more
    return is_solved
