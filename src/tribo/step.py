"""One step. Read this file first: each line is a stage, a file, a heading of docs/physics/step.md."""

# M mass matrix, h bias force, M̂ = M + implicit drives, J contact Jacobian, G = J M̂⁻¹ Jᵀ, λ impulses.
from tribo.collision import broadphase, inner_edges, narrowphase
from tribo.contact import (
    blows,
    constraints,
    curvature,
    free_trees,
    guard,
    held,
    islands,
    laws,
    limits,
    residual,
    rows,
    sleep,
    soft,
    sweep,
    teams,
)
from tribo.dynamics import actuation, bias, inertia, integrate, kinematics, middle, momentum, rk4
from tribo.jit import entry, kernel
from tribo.model import Command, Model, Settings, State, Status, Work
from tribo.record import from_address, world_of

CAPACITY, INVALID = int(Status.CAPACITY), int(Status.INVALID)


@kernel
def update(model, state, settings, work):
    """Compute poses, M, h, contacts at `work.mid_q`: half a step ahead, or now (semi-implicit).

    Writes: work.
    """
    work.status[0] = 0
    bias.single_spins(model, state, settings, work)  # how does a free body tumble?
    integrate.drift_to_middle(model, state, settings, work)  # q_m = q ⊕ dt/2 v
    kinematics.forward(model, work.mid_q, work)  # where is every body?
    bias.body_velocities(model, state, work)  # how fast does it move?
    broadphase.candidates(model, state, settings, work)  # who might touch whom?
    narrowphase.contacts(model, state, settings, work)  # points, normals, gaps
    inner_edges.pass_over(model, state, work)  # which edges lie flush with a neighbour?
    soft.find(model, state, work)  # which contacts give way like springs?
    free_trees.find(model, state, settings, work)  # whom does nothing touch?
    inertia.mass_matrix(model, work)  # M
    middle.predict(model, state, settings, work)  # v̄, the velocity in mid step
    bias.bias_force(model, state, settings, work)  # h(v̄)


@kernel
def advance(model, state, command, settings, work):
    """Move on by one time step under a command, given an up-to-date `work`.

    Writes: state, command, work.
    """
    actuation.begin(model, state, command, settings, work)  # what drives and hands are to do
    again = 1
    while again > 0:  # again, if a limit, a soft force or a path is not as it was solved for
        actuation.drives(model, state, command, settings, work)  # τ, and M̂ − M
        soft.forces(model, state, settings, work)  # compliant contacts: τ and M̂ − M
        sleep.wake(model, state, settings, work)  # who sleeps, and does anything disturb them?
        inertia.factorize(model, work)  # M̂ = Lᵀ D L
        integrate.free_response(model, settings, work)  # dt (τ − h), whitened
        middle.settle(model, state, command, settings, work)  # v̄ = (v + v⁺)/2 where bodies turn far
        rows.contact_rows(model, state, work)  # J, whitened
        curvature.curvature(model, state, settings, work)  # how does the way of a contact bend?
        laws.laws(model, settings, work)  # friction, bounce and recovery of each pair
        limits.limit_rows(model, state, settings, work)  # joints at their stops join the contacts
        constraints.constraint_rows(model, state, command, settings, work)  # pins, welds, wires …
        if work.status[0] & CAPACITY:
            return
        islands.islands(model, work)  # who has to do with whom?
        blows.blows(model, state, settings, work)  # who is hit, who hands it on?
        sweep.solve(model, state, settings, work)  # λ: cone, complementarity
        guard.guard(model, settings, work)  # no rebound creates energy
        integrate.next_velocity(model, state, work)  # v⁺ = v + M̂⁻¹ (dt (τ − h) + Jᵀ λ)
        again = soft.unsettled(model, state, settings, work)
        again = again or actuation.saturate(model, state, command, settings, work)
        again = again or held.unsettled(model, state, command, settings, work)
    momentum.momenta(model, state, settings, work)  # of floating trees: p + impulse
    teams.calm(model, state, settings, work)  # nothing that holds throws
    rk4.fourth_order(model, state, command, settings, work)  # rk4 instead?
    residual.residual(model, settings, work)  # how exact is it?
    integrate.check(work)  # numbers only?
    if work.status[0] & (INVALID | CAPACITY) == 0:
        sweep.remember(model, state, work)
        soft.remember(model, state, settings, work)
        sleep.settle(model, state, command, settings, work)  # who has been at rest for long enough?
        integrate.integrate(model, state, settings, work)  # v, q = q_m ⊕ dt/2 v⁺
        constraints.close_loops(model, state, command, settings, work)  # pins at their new places
        momentum.keep_momenta(model, state, work)  # base velocities that agree
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
        said |= work.status[0]
        if said & (INVALID | CAPACITY):
            return k
    work.status[0] |= said  # what one of many steps had to say is not lost
    return n


TYPES = [record._numba_type_ for record in (Model, State, Command, Settings, Work)]
MODEL, STATE, COMMAND, SETTINGS, WORK = TYPES


@entry
def run_at(addresses, remaining, first, stop, half):
    """Advance worlds first … stop − 1 of the records at five addresses, each by its remaining steps.

    Return how many have something to say in `work.status`. half: 0 whole steps, 1 `update`, 2 `advance`.
    Writes: remaining.
    """
    troubled = 0
    for e in range(first, stop):
        model = world_of(from_address(MODEL, addresses[0]), e)
        state = world_of(from_address(STATE, addresses[1]), e)
        command = world_of(from_address(COMMAND, addresses[2]), e)
        settings = world_of(from_address(SETTINGS, addresses[3]), e)
        work = world_of(from_address(WORK, addresses[4]), e)
        if half == 0:
            remaining[e] -= run(model, state, command, settings, work, remaining[e])
        elif half == 1:
            update(model, state, settings, work)
        else:
            advance(model, state, command, settings, work)
        troubled += 1 if work.status[0] != 0 else 0
    return troubled
