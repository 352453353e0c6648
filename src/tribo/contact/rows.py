"""Group `rows.assemble_rows`: contacts, joint limits and constraints as rows of one problem."""

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


@kernel
def assemble_rows(model, state, command, settings, work):
    """Write the rows of contacts, joint limits and constraints; join trees that share rows in islands.

    Writes: work.
    """
    contact_rows.write_contact_rows(model, work)  # J, whitened
    if work.status[0] & Status.CAPACITY:  # the arrays of rows are full
        return
    contact_drift.compute_drift(model, state, settings, work)  # J̇v
    compliant_rows.set_compliance(model, state, settings, work)  # R, adhesion
    contact_targets.set_targets(model, settings, work)  # friction, restitution, gap
    joint_limit_rows.write_joint_limits(model, state, command, settings, work)  # and drive limits
    coupling_rows.write_coupling_rows(model, state, settings, work)  # tendons, mimic joints
    constraint_rows.write_constraint_rows(model, state, command, settings, work)  # pins, welds, wires
    box_friction_rows.write_box_friction_rows(model, settings, work)  # orthotropic friction
    if work.status[0] & Status.CAPACITY == 0:
        islands.find_islands(model, work)  # trees that share rows
        position_pass.reserve_tables(model, settings, work)  # room for the position pass
