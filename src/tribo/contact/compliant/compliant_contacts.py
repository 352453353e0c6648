"""Stages `compliant_contacts.mark_compliant`, `.apply_forces`, `.has_changed`, `.store_displacements`.

Contacts of compliant pairs have a force law by depth and velocity instead of complementarity conditions.
Against a side that does not move such a contact needs no row: linearised at the velocity at the end of the
step, its force joins τ and M̂, as a stiff drive does. Between two moved bodies it is three rows with
compliance. `ground_law` is the law; this file has the part that every step runs, and calls it if a contact
needs it.
"""

from tribo.collision.broadphase import is_moved
from tribo.compiler.jit import kernel
from tribo.contact.compliant.ground_law import APPLY_FORCE, ITERATE, START_STEP, STORE_STATE
from tribo.contact.lazily_compiled import call_compliant
from tribo.contact.problem.contact_rows import BETWEEN_MOVED, ON_GROUND, materials_of
from tribo.model import Late, Pair, Status


@kernel
def mark_compliant(model, state, work):
    """Mark the contacts of compliant pairs: one side moves, or both.

    Writes: work.
    """
    work.soft_count[0] = work.soft_pass[0] = 0
    if work.status[0] & Status.CAPACITY:
        return
    count = numbers = 0
    for c in range(work.contact_count[0]):
        a, b = materials_of(model, work, c)
        work.contact_is_soft[c] = 0
        work.contact_state[c] = -1
        if model.pair_table[a, b, Pair.STIFFNESS] > 0.0:
            first = is_moved(model, work.contact_body[c, 0])
            second = is_moved(model, work.contact_body[c, 1])
            if first or second:
                work.contact_is_soft[c] = BETWEEN_MOVED if first and second else ON_GROUND
                count += 1
                for side in range(2):
                    numbers += 3 * model.body_chain_len[work.contact_body[c, side]]
    work.soft_count[0] = count
    if count + state.yield_count[0] > 0:
        request_functions(model, state, work, numbers)


@kernel
def request_functions(model, state, work, numbers):
    """Ask for the functions and the space that compliant contacts need; the step is then repeated.

    Writes: work.
    """
    wanted = work.soft_count[0] + state.yield_count[0]
    if model.lazy_address[Late.COMPLIANT] == 0:
        work.lazy_wanted[Late.COMPLIANT] = 1
    elif wanted > state.yield_key.shape[0]:
        work.contact_count[0] = wanted
    elif numbers > work.row.shape[0]:
        work.row_count[0] = numbers
    else:
        return
    work.status[0] |= Status.CAPACITY


@kernel
def apply_forces(model, state, settings, work):
    """Add the linearised forces of compliant contacts to the drive forces, and their slopes to M.

    Writes: work.
    """
    if work.soft_count[0] == 0:
        return
    address = model.lazy_address[Late.COMPLIANT]
    if work.soft_pass[0] == 0:
        call_compliant(address, model, state, settings, work, START_STEP)
    work.soft_pass[0] += 1
    call_compliant(address, model, state, settings, work, APPLY_FORCE)


@kernel
def has_changed(model, state, settings, work):
    """Compare the forces with their law at the new velocity; return 1 if the step must be solved again.

    Writes: work.
    """
    if work.soft_count[0] == 0:
        return 0
    return call_compliant(model.lazy_address[Late.COMPLIANT], model, state, settings, work, ITERATE)


@kernel
def store_displacements(model, state, settings, work):
    """Store the displacement of the ground at each contact; it decays where there is none.

    Writes: state, work.
    """
    if work.soft_count[0] + state.yield_count[0] > 0:
        call_compliant(model.lazy_address[Late.COMPLIANT], model, state, settings, work, STORE_STATE)
