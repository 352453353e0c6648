"""Stage *constraints*: pins, welds, hinges, motors and wires as scalar rows of the contact problem.

What builds them, `linkage`, is compiled when a world first has a constraint.
"""

from tribo.contact.late import call_linkage
from tribo.jit import kernel
from tribo.model import Late, Status

CAPACITY = int(Status.CAPACITY)
LINKAGE = int(Late.LINKAGE)


@kernel
def constraint_rows(model, state, command, settings, work):
    """Build the rows of all constraints between bodies.

    Writes: state, work.
    """
    if model.constraint_kind.shape[0] == 0:
        return
    if model.late_address[LINKAGE] == 0:
        work.late_wanted[LINKAGE] = 1
        work.status[0] |= CAPACITY
        return
    call_linkage(model.late_address[LINKAGE], model, state, command, settings, work)
