"""One step. Read this file first: each line is a stage, a file, a heading of docs/physics/step.md."""

# M mass matrix, h bias force, M̂ = M + implicit drives, J contact Jacobian, G = J M̂⁻¹ Jᵀ, λ impulses.
from tribo.compiler.jit import kernel
from tribo.contact import detection, ending, look_ahead, rows, sleep
from tribo.contact.compliant import compliant_contacts
from tribo.contact.impact import impacts, rebound_energy
from tribo.contact.problem import surface_velocity
from tribo.contact.solver import island_solve, residual_report
from tribo.contact.stabilisation import bias_iteration, energy_limiter, group_momentum
from tribo.dynamics import actuation, bias, inertia, integrate, middle, midpoint, momentum, rk4
from tribo.model import Status

CAPACITY, INVALID, NOT_CONVERGED = map(int, (Status.CAPACITY, Status.INVALID, Status.NOT_CONVERGED))


@kernel
def update(model, state, settings, work):
    """Compute poses, M, h, contacts at `work.mid_q`: half a step ahead, or now (semi-implicit).

    Writes: work.
    """
    work.status[0] = 0
    midpoint.reach(model, state, settings, work)  # q_m: where is every body, how fast is it?
    detection.find(model, state, settings, work)  # who touches whom, where?
    inertia.mass_matrix(model, work)  # M
    bias.bias_force(model, state, settings, work)  # h(v̄)


@kernel
def advance(model, state, command, settings, work):
    """Move on by one time step under a command, given an up-to-date `work`.

    Writes: state, command, work.
    """
    actuation.begin(model, state, command, settings, work)  # what drives and hands are to do
    again = 1
    while again > 0:  # once more if h, a limit, a soft force or a contact was not as assumed
        work.status[0] &= ~NOT_CONVERGED  # the last round is the one that counts
        surface_velocity.surface_velocity(model, command, work)  # conveyors and tracks
        actuation.drives(model, state, command, settings, work)  # τ, and M̂ − M
        compliant_contacts.forces(model, state, settings, work)  # compliant contacts: τ and M̂ − M
        sleep.wake(model, state, settings, work)  # who sleeps, and does anything disturb them?
        inertia.factorize(model, work)  # M̂ = Lᵀ D L
        integrate.free_response(model, settings, work)  # dt (τ − h), whitened
        middle.iterate_bias(model, state, command, settings, work)  # v̄ = (v + v⁺)/2
        rows.write(model, state, command, settings, work)  # J, targets, bounds, islands
        if work.status[0] & CAPACITY:
            return
        impacts.impacts(model, state, settings, work)  # who is hit, who hands it on?
        island_solve.solve(model, state, settings, work)  # λ: cone, complementarity
        again = bias_iteration.iterate(model, state, command, settings, work)  # does h lead to v⁺?
        rebound_energy.bound(model, settings, work)  # no rebound creates energy
        integrate.next_velocity(model, state, work)  # v⁺ = v + M̂⁻¹ (dt (τ − h) + Jᵀ λ)
        again = again or compliant_contacts.changed(model, state, settings, work)
        again = again or actuation.saturate(model, state, command, settings, work)
        again = again or look_ahead.look(model, state, settings, work)  # into what do turns lead?
    if work.status[0] & CAPACITY:  # more points ahead than there is room for
        return
    momentum.momenta(model, state, settings, work)  # of floating trees: p + impulse
    group_momentum.goals(model, state, settings, work)  # of those that act on one another only
    energy_limiter.limit(model, state, command, settings, work)  # joints and ties add no energy
    rk4.fourth_order(model, state, command, settings, work)  # by rk4, and fast trees in parts
    residual_report.report(model, settings, work)  # how exact is it?
    integrate.check(work)  # numbers only?
    if work.status[0] & (INVALID | CAPACITY) == 0:
        ending.remember(model, state, command, settings, work)  # impulses, ground, sleep
        ending.move(model, state, command, settings, work)  # v, q = q_m ⊕ dt/2 v⁺
        actuation.release(command)  # external wrenches last one step


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
