"""One time step. Each line is a stage: a file of that name, and a heading of docs/physics/step.md."""

# M mass matrix, h bias force, M̂ = M + implicit drives, J contact Jacobian, G = J M̂⁻¹ Jᵀ, λ impulses.
from tribo.compiler.jit import kernel
from tribo.contact import detection, integration, predictions, rows, sleep
from tribo.contact.compliant import compliant_contacts
from tribo.contact.impact import impacts, rebound_energy
from tribo.contact.problem import surface_velocity
from tribo.contact.solver import island_solve, residual_report
from tribo.contact.stabilisation import bias_iteration, energy_limiter, group_momentum
from tribo.dynamics import actuation, bias, inertia, integrate, mid_velocity, midpoint, momentum, rk4
from tribo.model import Status

CAPACITY, INVALID, NOT_CONVERGED = map(int, (Status.CAPACITY, Status.INVALID, Status.NOT_CONVERGED))


@kernel
def update(model, state, settings, work):
    """Compute poses, contacts, M and h at `work.mid_q`: in mid step, or now (semi-implicit).

    Writes: work.
    """
    work.status[0] = 0
    midpoint.predict_midpoint(model, state, settings, work)  # poses and velocities in mid step
    detection.detect_contacts(model, state, settings, work)  # points, normals, gaps
    inertia.compute_mass_matrix(model, work)  # M
    bias.compute_bias_force(model, state, settings, work)  # h at the mid-step velocity


@kernel
def advance(model, state, command, settings, work):
    """Integrate one step; solve again while h, drive limits, soft forces or contacts are not as assumed.

    Writes: state, command, work.
    """
    actuation.prepare_drives(model, state, command, settings, work)  # errors, external wrenches
    again = 1
    while again > 0:
        work.status[0] &= ~NOT_CONVERGED  # only the last solve counts
        surface_velocity.set_surface_velocities(model, command, work)  # conveyors, tracks
        actuation.apply_drives(model, state, command, settings, work)  # τ, drive terms of M̂
        compliant_contacts.apply_forces(model, state, settings, work)  # linearised, into τ and M̂
        sleep.wake_trees(model, state, settings, work)  # sleeping trees that are disturbed
        inertia.factorize(model, work)  # M̂ = Lᵀ D L
        integrate.free_response(model, settings, work)  # dt (τ − h), whitened
        mid_velocity.iterate_free_bias(model, state, command, settings, work)  # h of unconstrained trees
        rows.assemble_rows(model, state, command, settings, work)  # J, targets, bounds, islands
        if work.status[0] & CAPACITY:
            return
        impacts.process_impacts(model, state, settings, work)  # rebounds before the solve
        island_solve.solve_islands(model, state, settings, work)  # λ: Signorini and Coulomb
        again = bias_iteration.iterate_bias(model, state, command, settings, work)  # h of others
        rebound_energy.limit_rebounds(model, settings, work)  # impacts add no energy
        integrate.next_velocity(model, state, work)  # v⁺ = v + M̂⁻¹ (dt (τ − h) + Jᵀ λ)
        again = again or compliant_contacts.has_changed(model, state, settings, work)
        again = again or actuation.saturate_drives(model, state, command, settings, work)
        again = again or predictions.add_predictions(model, state, settings, work)  # contacts, stops
    if work.status[0] & CAPACITY:  # no room for the predicted contacts
        return
    momentum.set_momentum_targets(model, state, settings, work)  # floating trees: p + impulse
    group_momentum.set_group_targets(model, state, settings, work)  # isolated groups of bodies
    energy_limiter.limit_energy(model, state, command, settings, work)  # of stops and constraints
    rk4.integrate_fourth_order(model, state, command, settings, work)  # rk4, fast unconstrained trees
    residual_report.report_residual(model, settings, work)  # how far λ misses its laws
    integrate.check_finite(work)
    if work.status[0] & (INVALID | CAPACITY) == 0:
        integration.store_results(model, state, command, settings, work)  # warm start, sleep timers
        integration.integrate_state(model, state, command, settings, work)  # v⁺, q = q_m ⊕ dt/2 v⁺
        actuation.clear_wrenches(command)  # external wrenches last one step


@kernel
def run(model, state, command, settings, work, n):
    """Advance one world by up to n steps; return how many were made (see `work.status`).

    Writes: state, command, work.
    """
    said = 0
    for k in range(n):
        update(model, state, settings, work)
        if work.status[0] & CAPACITY == 0:
            advance(model, state, command, settings, work)
        if work.status[0] & CAPACITY:  # this step was not made: what it said does not count
            work.status[0] = said | CAPACITY
            return k
        said |= work.status[0]
        if said & INVALID:
            work.status[0] = said
            return k
    work.status[0] |= said  # what one of many steps had to say is not lost
    return n
