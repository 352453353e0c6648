"""Groups `integration.store_results` and `.integrate_state`: end of the step, data for the next one."""

from tribo.compiler.jit import kernel
from tribo.contact import position_pass, sleep
from tribo.contact.compliant import compliant_contacts
from tribo.contact.solver import island_solve
from tribo.contact.stabilisation import group_momentum, position_projection, projection_energy
from tribo.dynamics import actuation, actuators, integrate, momentum


@kernel
def store_results(model, state, command, settings, work):
    """Store the start of the next step: impulses, drives, activations, ground displacements, sleep timers.

    Writes: state, work.
    """
    island_solve.remember_impulses(model, state, work)
    actuation.store_modes(model, state, work)
    actuators.store_activations(model, state, command, settings)
    compliant_contacts.store_displacements(model, state, settings, work)
    sleep.fall_asleep(model, state, command, settings, work)


@kernel
def integrate_state(model, state, command, settings, work):
    """Set velocities and coordinates to those at the end of the step, and correct positions and momenta.

    Writes: state, work.
    """
    integrate.next_positions(model, state, settings, work)  # v = v⁺, q = q_m ⊕ dt/2 v⁺
    position_projection.begin_shifts(model, state, work)  # poses before the corrections
    position_pass.correct_positions(model, state, settings, work)  # overlaps, stops, open constraints
    projection_energy.close_loops(model, state, command, settings, work)  # gaps of constraints
    group_momentum.keep_group_momenta(model, state, work)  # isolated groups of bodies
    momentum.keep_momenta(model, state, work)  # floating trees
