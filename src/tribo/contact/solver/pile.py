"""An island of many bodies: conjugate sweeps, then Newton's method on the bodies that violate their laws.

Sweeps decide quickly which contacts open, stick or slip, for that is local; a load travels slowly through a
pile. After some sweeps few contacts violate their laws. These, the bodies that they touch and their
neighbours form a *piece*: a smaller problem, with the impulses of all other contacts fixed, solved by
Newton's method (`proximal_newton`). More sweeps spread the change, and the next piece is found. A pile at
rest is one piece, since its load goes through all of it.
Source: Silcowitz, Niebe, Erleben 2010 (sweeps alternating with subspace minimisation).
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem import island_sums
from tribo.contact.problem.contact_targets import TARGET_DEAD_BAND
from tribo.contact.problem.islands import contacts_in, island_rows, scalars_in, spun_rows
from tribo.contact.solver.block_matrix import add_nodes, find_nodes, forget_nodes
from tribo.contact.solver.conjugate_sweeps import BEST, load_impulses, save_impulses, sweep_conjugate
from tribo.contact.solver.gauss_seidel_iteration import start_cold, sweep_only
from tribo.contact.solver.natural_residual import (
    ENOUGH,
    FLAGGED,
    contact_violation,
    island_violation,
    scalar_violation,
)
from tribo.contact.solver.pile_problem import PREPARE
from tribo.contact.solver.proximal_newton import SET_STEPS, improve_impulses
from tribo.contact.solver.proximal_products import call_pile_operation, gather_response
from tribo.contact.solver.proximal_rows import Entry, Size, Vector, read_impulses, wide, write_pile
from tribo.model import Late, Status

MAX_NODES = 1500  # trees of a piece: the table of blocks has MAX_NODES² entries
MAX_WORK = 3e7  # multiplications of Newton's method on a pile at rest beyond `SET_STEPS`: about 20 ms
PIECE_WORK = 3e5  # the same of a piece of it
MOVING_SWEEPS, RESTING_SWEEPS = 40, 10  # conjugate sweeps before the first piece
PIECES = 8  # at most
FIRST_SWEEPS, MAX_SWEEPS = 20, 320  # conjugate sweeps after a piece, doubled each time
PIECE_STEPS, ALL_STEPS = 40, 120  # Newton steps of a piece, of all pieces
NEAR = 0.5  # [–] of `FLAGGED`: limit of a moving pile; of that limit: limit of its pieces


@kernel
def list_violating(model, work, t, most):
    """Make nodes of the trees of island t with a violation above `most` [m/s] and of trees pressed on them.

    Writes: work.
    """
    forget_nodes(model, work, t)
    count = 0
    for c in contacts_in(work, t):
        if contact_violation(model, work, c) > most:
            count = add_nodes(model, work, work.contact_body, work.contact_len, c, count)
    for n in scalars_in(work, t):
        if scalar_violation(model, work, n) > most:
            count = add_nodes(model, work, work.scalar_body, work.scalar_len, n, count)
    bad = count
    for c in contacts_in(work, t):
        if work.contact_impulse[c, 2] > 0.0 and touches_nodes(model, work, c, bad):
            count = add_nodes(model, work, work.contact_body, work.contact_len, c, count)
    return count


@kernel
def touches_nodes(model, work, c, bad):
    """Tell whether contact c touches one of the first `bad` nodes."""
    for side in range(2):
        if work.contact_len[c, side] > 0:
            if 0 <= work.tree_node[model.body_tree[work.contact_body[c, side]]] < bad:
                return True
    return False


@kernel
def bring_forward(model, work, members, first, stop, bodies, lengths):
    """Move those members of a list forward whose moved sides are all nodes; return the end of this part.

    Writes: members.
    """
    end = first
    for k in range(first, stop):
        n = members[k]
        is_inside = True
        for side in range(2):
            if lengths[n, side] > 0 and work.tree_node[model.body_tree[bodies[n, side]]] < 0:
                is_inside = False
        if is_inside:
            members[k], members[end] = members[end], n
            end += 1
    return end


@kernel
def restrict_lists(model, work, t, most):
    """Restrict the lists of island t to the contacts and rows of a piece; return its number of nodes.

    The members are moved to the front of the lists, whose ends are set behind them. most: violation [m/s]
    above which bodies belong to the piece.

    Writes: work.
    """
    count = list_violating(model, work, t, most)
    start = work.island_contact_start
    bodies, lengths = work.contact_body, work.contact_len
    start[t + 1] = bring_forward(model, work, work.island_contact, start[t], start[t + 1], bodies, lengths)
    start = work.island_scalar_start
    bodies, lengths = work.scalar_body, work.scalar_len
    start[t + 1] = bring_forward(model, work, work.island_scalar, start[t], start[t + 1], bodies, lengths)
    return count


@kernel
def pile_has_room(model, work, t):
    """Tell whether the rows of island t fit and the lazy kernel is compiled; if not, the step is repeated.

    Writes: work.
    """
    rows = wide(island_rows(work, t) + spun_rows(work, t)) + 8  # `write_problem_rows`
    if model.lazy_address[Late.PILE] == 0:
        work.lazy_wanted[Late.PILE] = 1
    elif rows > work.dense_row.shape[0]:
        work.dense_count[0] = max(work.dense_count[0], rows)
    else:
        return True
    work.status[0] |= Status.CAPACITY
    return False


@kernel
def improve_piece(model, work, t, count, limit, enough, last, most_work, is_whole):
    """Improve the impulses in the lists of island t, of `count` nodes, by Newton's method, if there is room.

    most_work: multiplications that one factor may take; is_whole: these lists are the whole island: its
    active set is tried first, and beyond `SET_STEPS` all steps together may take no more.

    Writes: work.
    """
    if count > MAX_NODES or not pile_has_room(model, work, t):
        return
    write_pile(model, work, t, count)
    price = call_pile_operation(model, work, PREPARE, count, most_work)
    if price == 0:
        return
    if is_whole:
        last = min(last, work.newton_steps[0] + SET_STEPS + int(most_work / price))
    gather_response(model, work, Entry.IMPULSE, Vector.FREE)
    x = work.column_vector
    for k in range(work.dense_size[Size.FIRST], wide(work.dense_size[Size.COLUMNS])):
        x[Vector.FREE, k] = x[Vector.Z, k] - x[Vector.FREE, k]
    improve_impulses(model, work, limit, enough, last, is_whole)
    read_impulses(work, t)


@kernel
def sweep_pile(model, work, t, sweeps, limit):
    """Run conjugate sweeps on island t.

    Writes: work.
    """
    count = find_nodes(model, work, t)
    made = sweep_conjugate(model, work, t, count, sweeps, limit)
    work.sweeps[0] = max(work.sweeps[0], made)


@kernel
def keep_best(model, work, t, best):
    """Save the present impulses if they are the best so far; return their violation, and the least [m/s].

    Writes: work.
    """
    worst = island_violation(model, work, t)
    if not worst < best:
        return worst, best
    save_impulses(work, t, BEST)
    return worst, worst


@kernel
def solve_pile(model, work, t, limit, moves, start):
    """Solve island t, of many dofs or trees, from its present impulses; return success.

    moves: the pile moves; half of the flagged violation is enough, since the next step is another problem.
    At rest the whole island is tried first: its active set is asked for the limit, and Newton's rounds for
    what is enough for a moving pile or, in a new situation, for the limit. start: violation of the present
    impulses [m/s]; with more than the dead band of targets, the situation is new.
    Without success the impulses are the best that were found or, if these add energy, those of some sweeps.

    Writes: work.
    """
    said = max(limit, FLAGGED * work.removed_speed[0])
    enough = max(limit, NEAR * said)
    is_new = start > TARGET_DEAD_BAND * work.removed_speed[0]
    near = enough if moves else limit if is_new else min(ENOUGH * limit, said)
    sweeps = MOVING_SWEEPS if moves else RESTING_SWEEPS
    if work.solves[0] > 0:  # it goes on from the last solve
        sweeps //= 2
    sweep_pile(model, work, t, sweeps, near)
    last = work.newton_steps[0] + ALL_STEPS
    ends = work.island_contact_start[t + 1], work.island_scalar_start[t + 1]
    save_impulses(work, t, BEST)
    worst, best = keep_best(model, work, t, inf)
    for k in range(PIECES):
        is_enough = best <= (said if k > 0 else near)
        if is_enough or work.newton_steps[0] >= last or work.status[0] & Status.CAPACITY:
            break
        stop = min(last, work.newton_steps[0] + PIECE_STEPS)
        if k == 0 and not moves:
            asked = limit if is_new else enough
            improve_piece(model, work, t, find_nodes(model, work, t), limit, asked, stop, MAX_WORK, True)
            near = enough
        else:
            count = restrict_lists(model, work, t, near)
            improve_piece(model, work, t, count, NEAR * near, NEAR * near, stop, PIECE_WORK, False)
            work.island_contact_start[t + 1], work.island_scalar_start[t + 1] = ends
        worst, best = keep_best(model, work, t, best)
        if worst > near:
            sweep_pile(model, work, t, min(FIRST_SWEEPS << k, MAX_SWEEPS), near)
            worst, best = keep_best(model, work, t, best)
    if not worst <= best:
        load_impulses(model, work, t, find_nodes(model, work, t), BEST)
    if best > said and island_sums.adds_energy(model, work, t, find_nodes(model, work, t)):
        start_cold(model, work, t)
        sweep_only(model, work, t, MOVING_SWEEPS, limit)
    return best <= said
