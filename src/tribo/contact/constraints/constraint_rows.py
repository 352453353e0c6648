"""Stage `constraint_rows.write_constraint_rows`: constraints between bodies.

Constraints are scalar rows of the contact problem (`linkage`); gaps that are left after the step are closed
in the positions (`position_projection`). Both are compiled when a world first has a constraint.
"""

from tribo.compiler.jit import kernel
from tribo.contact.lazily_compiled import call_linkage
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
