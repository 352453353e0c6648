"""Stages `constraint_rows.write_constraint_rows`, `.begin_shifts`, `.close_loops`: constraints.

Constraints are scalar rows of the contact problem (`linkage`); gaps that are left after the step are closed
in the positions (`position_projection`). Both are compiled when a world first has a constraint. The change of
energy by the position shifts is corrected (`projection_energy`).
"""

from tribo.compiler.jit import kernel
from tribo.contact.constraints import position_projection, projection_energy
from tribo.contact.lazily_compiled import call_linkage, call_projection
from tribo.model import Late, Status


@kernel
def write_constraint_rows(model, state, command, settings, work):
    """Write the rows of all constraints between bodies; ask for the lazy kernels if they are not compiled.

    Writes: work.
    """
    if model.constraint_kind.shape[0] == 0:
        return
    if model.lazy_address[Late.LINKAGE] == 0 or model.lazy_address[Late.PROJECTION] == 0:
        work.lazy_wanted[Late.LINKAGE] = 1
        work.lazy_wanted[Late.PROJECTION] = 1
        work.status[0] |= Status.CAPACITY
        return
    call_linkage(model.lazy_address[Late.LINKAGE], model, state, command, settings, work)


@kernel
def begin_shifts(model, state, work):
    """Store the coordinates before the positions are corrected.

    Writes: work.
    """
    if model.constraint_kind.shape[0] > 0:
        position_projection.store_positions(model, state, work)


@kernel
def close_loops(model, state, command, settings, work):
    """Close the gaps that constraints have at the end of the step; store broken constraints and their memory.

    Writes: state, work.
    """
    if model.constraint_kind.shape[0] > 0:
        for c in range(model.constraint_kind.shape[0]):
            state.constraint_is_broken[c] = work.constraint_is_broken[c]
            for k in range(state.constraint_memory.shape[1]):
                state.constraint_memory[c, k] = work.constraint_memory[c, k]
        call_projection(model.lazy_address[Late.PROJECTION], model, state, command, settings, work)
        projection_energy.conserve_energy(model, state, settings, work)
