"""Groups `ending.remember` and `.move`: integrates to the end of the step, stores the next start."""

from tribo.compiler.jit import kernel
from tribo.contact import position_pass, sleep
from tribo.contact.compliant import compliant_contacts
from tribo.contact.constraints import constraint_rows
from tribo.contact.solver import island_solve
from tribo.contact.stabilisation import group_momentum
from tribo.dynamics import actuation, actuators, integrate, momentum


@kernel
def remember(model, state, command, settings, work):
    """Keep for the next step what this one found: impulses, limits of drives, ground, who has been at rest.

    Writes: state, work.
    """
    island_solve.remember_impulses(model, state, work)
    actuation.remember_limits(model, state, work)
    actuators.remember_activations(model, state, command, settings)
    compliant_contacts.remember_displacements(model, state, settings, work)
    sleep.fall_asleep(model, state, command, settings, work)  # who has been at rest?


@kernel
def move(model, state, command, settings, work):
    """Bring velocities and coordinates to the end of the step: v = v⁺, and all that it implies.

    Writes: state, work.
    """
    integrate.integrate(model, state, settings, work)  # v, q = q_m ⊕ dt/2 v⁺
    constraint_rows.begin_shifts(model, state, work)  # where is what constraints hold?
    position_pass.correct(model, state, settings, work)  # overlaps, stops, open constraints
    constraint_rows.close_loops(model, state, command, settings, work)  # gaps of pins
    group_momentum.keep_group_momenta(model, state, work)  # of those that act on one another
    momentum.keep_momenta(model, state, work)  # base velocities that agree
