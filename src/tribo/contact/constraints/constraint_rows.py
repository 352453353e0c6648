"""Stages *constraints* and *close loops*: pins, welds, hinges, motors, locks, wires and winches.

Before the solve they are scalar rows of the contact problem (`linkage`); after it what is still open is
closed (`closure`). Both are compiled when a world first has a constraint. What the shifts of `closure` change
of the energy is put right (`shifted`).
"""

from tribo.compiler.jit import kernel
from tribo.contact.constraints import projection_energy
from tribo.contact.lazily_compiled import call_closure, call_linkage
from tribo.contact.stabilisation import group_momentum
from tribo.model import Late, Status

CAPACITY = int(Status.CAPACITY)
LINKAGE = int(Late.LINKAGE)
CLOSURE = int(Late.CLOSURE)


@kernel
def constraint_rows(model, state, command, settings, work):
    """Build the rows of all constraints between bodies.

    Writes: work.
    """
    if model.constraint_kind.shape[0] == 0:
        return
    if model.late_address[LINKAGE] == 0 or model.late_address[CLOSURE] == 0:
        work.late_wanted[LINKAGE] = 1
        work.late_wanted[CLOSURE] = 1
        work.status[0] |= CAPACITY
        return
    call_linkage(model.late_address[LINKAGE], model, state, command, settings, work)


@kernel
def close_loops(model, state, command, settings, work):
    """Take what constraints leave open at the end of the step out of the positions; keep which have broken.

    Writes: state, work.
    """
    if model.constraint_kind.shape[0] > 0:
        for c in range(model.constraint_kind.shape[0]):
            state.constraint_is_broken[c] = work.constraint_is_broken[c]
            for k in range(state.constraint_memory.shape[1]):
                state.constraint_memory[c, k] = work.constraint_memory[c, k]
        call_closure(model.late_address[CLOSURE], model, state, command, settings, work)
        projection_energy.keep_energy(model, state, settings, work)
        group_momentum.keep_momenta(model, state, work)
