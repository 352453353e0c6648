"""Group `rows.write`: writes contacts, stops and constraints as rows of one problem."""

from tribo.compiler.jit import kernel
from tribo.contact import position_pass
from tribo.contact.constraints import constraint_rows
from tribo.contact.problem import (
    box_friction_rows,
    compliant_rows,
    contact_drift,
    contact_rows,
    contact_targets,
    coupling_rows,
    islands,
    joint_limit_rows,
)
from tribo.model import Status

CAPACITY = int(Status.CAPACITY)


@kernel
def write(model, state, command, settings, work):
    """Write the rows of all contacts, stops and constraints, and the islands that they make of the trees.

    Writes: work.
    """
    contact_rows.contact_rows(model, state, work)  # J, whitened
    if work.status[0] & CAPACITY:  # more numbers than there is room for
        return
    contact_drift.drift(model, state, settings, work)  # how does the way of a contact bend?
    compliant_rows.compliance(model, state, settings, work)  # who gives way, who sticks?
    contact_targets.targets(model, settings, work)  # friction, bounce and correction of each pair
    joint_limit_rows.limit_rows(model, state, command, settings, work)  # stops, drives at limits
    coupling_rows.coupling_rows(model, state, settings, work)  # tendons, joints that follow others
    constraint_rows.constraint_rows(model, state, command, settings, work)  # pins, welds, wires
    box_friction_rows.rows(model, state, settings, work)  # friction along two directions
    if work.status[0] & CAPACITY == 0:
        islands.islands(model, work)  # who has to do with whom?
        position_pass.make_room(model, settings, work)  # for the shift at the end of the step
