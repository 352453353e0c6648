"""Stage `energy_limiter.limit_energy`: bound of the energy that constraints add in a step.

Two light boxes pinned between heavy ones straighten within a fraction of a step, and pins that circle by 0.3
rad per step add energy. Tied bodies that touch only each other and fixed bodies are a constrained group: it
may end the step with its energy plus the work on it. If it would have more, its motion is scaled
(`velocity_scaling`) and the status is `TIME_STEP_TOO_LONG`; impulses and the residual stay those of the
solve. The status is set, too, if constraints (and contacts beside them) add or take more energy than
oscillation explains (`relative_constraint_work`), and for a free robot whose substeps had springs too stiff
for the time step.

Fast joints of a robot on a fixed base that meet their stops change velocity within the step, while
velocity-dependent forces are evaluated once: one hit would give a chain of spherical joints at 100 rad/s, in
steps of 1 ms, as much energy as it has. Stops, couplings, and constraints within a robot or to fixed bodies
only dissipate, so it is scaled likewise. That happens often, and is not reported.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import slow_speed, step_speed
from tribo.contact.problem.islands import contacts_in, find_representative, scalars_in, trees_in
from tribo.contact.problem.scalar_rows import GIVES_WAY, constraint_of_row, is_coupling_row
from tribo.contact.problem.whitened_products import add_row_response, add_scalar_row_response
from tribo.contact.solver.natural_residual import FLAGGED
from tribo.contact.stabilisation import energy_budget, velocity_scaling
from tribo.dynamics.constrained_groups import was_active
from tribo.dynamics.energy import tree_mass
from tribo.dynamics.integrate import has_impulse
from tribo.dynamics.mid_velocity import STIFF, max_spring_share
from tribo.dynamics.momentum import is_unchanged
from tribo.dynamics.whitening import twice_energy
from tribo.enums import Tuning
from tribo.math import vec
from tribo.model import Constraint, IntegrationMode, Integrator, Joint, Kind, Slot, Status

NO_ROWS, CONSTRAINTS, STOPS = 0, 1, 2  # kinds of rows that hold an island
FAST_JOINT = 0.02  # [rad] per step: slower joints gain no measurable energy
FAST_BASE = 0.1  # [rad] per step: floating bases with less rotation gain little energy
REMOVED_WORK = 0.01  # [–] of the energy: work of constraints above this share is removed
ADMISSIBLE_WORK = 1e-3  # [–] of the kinetic energy: bound for constraints, and for stops of slow joints


@kernel
def is_doubtful(model, settings, work, tree):
    """Tell whether the bias force of a tree did not converge, or stiff springs were constant in substeps."""
    mode = work.tree_mode[tree]
    if mode == IntegrationMode.SUBSTEPS_DONE:
        return max_spring_share(model, settings, work, tree) > STIFF
    return mode == IntegrationMode.NOT_SETTLED or mode == IntegrationMode.EXPLICIT_BIAS


@kernel
def joint_rotates_fast(model, state, settings, work, t, is_strict):
    """Tell whether a joint of tree t rotates by more than `FAST_JOINT` in this step, before or after solving.

    Not strict: the limit of a spherical joint shrinks with its cone, whose rim is then more curved.
    """
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        joint = model.joint_type[i]
        if joint != Joint.REVOLUTE and joint != Joint.SPHERICAL:
            continue
        most = FAST_JOINT / settings.dt
        if joint == Joint.SPHERICAL and not is_strict:
            most *= min(1.0, 0.5 * model.joint_upper[i])
        for k in range(model.joint_v[i], model.joint_v[i] + (3 if joint == Joint.SPHERICAL else 1)):
            if abs(state.v[k]) > most or abs(work.next_v[k]) > most:
                return True
    return False


@kernel
def tree_rotates_far(model, state, settings, work, tree):
    """Tell whether a tree rotates far in this step: its base, if it floats, or one of its joints."""
    if model.joint_type[model.tree_body[tree]] == Joint.FREE:
        most = FAST_BASE / settings.dt
        first = model.tree_v[tree] + 3
        before = vec.norm((state.v[first], state.v[first + 1], state.v[first + 2]))
        after = vec.norm((work.next_v[first], work.next_v[first + 1], work.next_v[first + 2]))
        if before > most or after > most:
            return True
    if model.tree_is_single[tree] == 1:
        return False
    return joint_rotates_fast(model, state, settings, work, tree, False)


@kernel
def is_any_doubtful(model, settings, work, t):
    """Tell whether a tree of island t is doubtful."""
    is_any = False
    for tree in trees_in(work, t):
        is_any = is_any or is_doubtful(model, settings, work, tree)
    return is_any


@kernel
def holds_rigidly(model, state, command, work, n):
    """Tell whether scalar row n is one of a hard constraint, has an impulse, and no end of it is driven."""
    c = constraint_of_row(model, work, n)
    if c < 0 or work.scalar_impulse[n] == 0.0 or work.scalar_reach[n] < 0.0:
        return False
    return not energy_budget.is_winding(model, state, command, c)


@kernel
def work_of_constraints(model, state, command, work, t):
    """Return the work of hard constraints on island t [J], ½ λ·J (v + v⁺), and Σ |λ| · curvature [J s].

    Constraints do no work except to close gaps. Their mid-step directions are exact to second order, so the
    energy oscillates: of a motion of frequency Ω, in a step by at most (Ω dt/8) F (dt² u²/L), u its speed
    across a constraint of length L.
    Source: Hairer, Lubich, Wanner 2006, section IX.3.
    """
    done = bent = 0.0
    for n in scalars_in(work, t):
        if not holds_rigidly(model, state, command, work, n):
            continue
        impulse, reach = work.scalar_impulse[n], work.scalar_reach[n]
        before = work.scalar_start[n] + work.scalar_target[n]
        after = add_scalar_row_response(model, work, n, work.response, before)
        done += 0.5 * impulse * (before + after)
        if reach > 0.0:
            bent += abs(impulse) * reach / command.constraint[constraint_of_row(model, work, n), Tuning.ERP]
    return done, bent


@kernel
def is_undisturbed(model, state, c):
    """Tell whether constraint c is a joint that the last step held, and its bodies are as it left them."""
    if model.constraint_kind[c] != Constraint.JOINT or not was_active(model, state, c):
        return False
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0 and not is_unchanged(model, state, model.body_tree[body]):
            return False
    return True


@kernel
def may_brake(model, state, command, work, t):
    """Tell whether hard constraints of island t may take energy.

    They may where a contact has an impulse, where wires tighten, and in the first step after they are closed
    or a user sets a velocity.
    """
    for c in contacts_in(work, t):
        if has_impulse(work, c):
            return True
    for n in scalars_in(work, t):
        if holds_rigidly(model, state, command, work, n):
            if not is_undisturbed(model, state, constraint_of_row(model, work, n)):
                return True
    return False


@kernel
def is_still(model, work, c):
    """Tell whether contact c adds no energy: neither body is kinematic, and no surface moves."""
    for side in range(2):
        if model.tree_kind[model.body_tree[work.contact_body[c, side]]] == Kind.KINEMATIC:
            return False
    surface = vec.load(work.contact_surface, c)
    return vec.dot(surface, surface) == 0.0


@kernel
def work_of_contacts(model, work, t):
    """Return the work of rigid contacts of island t with itself and with fixed bodies [J], if positive.

    By themselves they dissipate; if constraints press bodies together, each adds what the other removes.
    """
    done = 0.0
    for c in contacts_in(work, t):
        is_rigid = work.contact_compliance[c, 2] == 0.0 and work.contact_impulse[c, 2] > 0.0
        if is_rigid and is_still(model, work, c):
            before = vec.load(work.contact_vel, c)
            if work.impact_count[0] > 0:
                before = add_row_response(model, work, work.contact_row, c, work.impact_response, before)
            after = add_row_response(model, work, work.contact_row, c, work.response, before)
            done += 0.5 * vec.dot(vec.load(work.contact_impulse, c), vec.add(before, after))
    return max(0.0, done)


@kernel
def relative_constraint_work(model, state, command, settings, work, t):
    """Return the work of constraints and contacts on island t over its energy; 0 if oscillation explains it.

    The energy is that of motion, and of weight at the height of its size; of a loss, also that of the
    impulses: a preloaded linkage may come to rest. An oscillation by θ per step
    exchanges at most θ³/8 of it, θ up to `FAST_BASE`, and θ/8 of the curvature of constraints, up to
    `FAST_BASE`/2.
    """
    done, bent = work_of_constraints(model, state, command, work, t)
    if done == 0.0:
        return 0.0
    done += work_of_contacts(model, work, t)
    if done == 0.0:
        return 0.0
    energy = 0.0
    weight = step_speed(settings) / settings.dt
    slow = slow_speed(settings)
    for tree in trees_in(work, t):
        energy += 0.5 * twice_energy(model, work, tree, work.start_velocity)
        size = model.body_radius[model.tree_body[tree]]
        energy += tree_mass(model, tree) * (0.5 * slow * slow + weight * size)
        if done < 0.0:
            for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
                change = work.response[dof] - work.free_response[dof]
                energy += 0.5 * change * change
    swing = min(FAST_BASE / 16.0 * bent / settings.dt, FAST_BASE * FAST_BASE * FAST_BASE / 8.0 * energy)
    if abs(done) <= swing or (done < 0.0 and may_brake(model, state, command, work, t)):
        return 0.0
    return done / energy


@kernel
def island_rotates_fast(model, state, settings, work, t):
    """Tell whether a tree of island t rotates far and the island has rows, or a tree is doubtful."""
    has_rows = len(scalars_in(work, t)) > 0
    for tree in trees_in(work, t):
        if work.tree_is_resting[tree] == 1:
            continue
        if is_doubtful(model, settings, work, tree):
            return True
        if has_rows and tree_rotates_far(model, state, settings, work, tree):
            return True
    return False


@kernel
def is_apart(model, work, t):
    """Tell whether island t has no contacts; several trees may touch one another and fixed bodies, rigidly.

    A rigid motion of it does not change its own contacts, a slower one not those with fixed bodies.
    """
    for c in contacts_in(work, t):
        if len(trees_in(work, t)) == 1 or not is_still(model, work, c):
            return False
    if work.soft_count[0] == 0:
        return True
    for c in range(work.contact_count[0]):
        for side in range(2):
            tree = model.body_tree[work.contact_body[c, side]]
            is_moved = model.tree_kind[tree] == Kind.DYNAMIC
            if work.contact_is_soft[c] != 0 and is_moved and find_representative(work.tree_island, tree) == t:
                return False
    return True


@kernel
def holding_rows(model, work, t):
    """Return the kind of rows that hold island t: `NO_ROWS`, `CONSTRAINTS` or `STOPS`."""
    found = NO_ROWS
    for n in scalars_in(work, t):
        if work.scalar_impulse[n] == 0.0:
            continue
        if constraint_of_row(model, work, n) >= 0:
            found = max(found, CONSTRAINTS)
        elif is_coupling_row(model, work, n):
            if work.scalar_lower[n] == -inf and work.scalar_reach[n] != GIVES_WAY:
                found = max(found, CONSTRAINTS)
        elif work.scalar_slot[n] == model.joint_slot[work.scalar_body[n, 0]] + Slot.LIMIT:
            found = STOPS
    return found


@kernel
def limit_island(model, state, command, settings, work, t, is_strict):
    """Scale the motion of island t, without contacts, if its rows add energy; return whether to report it.

    is_strict: it may gain nothing. With `semi_implicit`, whose energy oscillates, this applies only to stops
    of a robot on a fixed base.

    Writes: work.
    """
    if not is_strict and not island_rotates_fast(model, state, settings, work, t):
        return False
    if not is_apart(model, work, t):
        return False
    held = holding_rows(model, work, t)
    if held == NO_ROWS and not is_any_doubtful(model, settings, work, t):
        return False
    is_robot = len(trees_in(work, t)) == 1 and model.joint_type[model.tree_body[t]] != Joint.FREE
    has_stops = is_robot and held == STOPS
    if settings.integrator == Integrator.SEMI_IMPLICIT and not is_strict and not has_stops:
        return False
    if has_stops and joint_rotates_fast(model, state, settings, work, t, True):
        is_strict = True
    error = 0.0 if is_strict else ADMISSIBLE_WORK
    most = energy_budget.energy_budget(model, state, command, settings, work, t, error)
    is_slowed = velocity_scaling.slow_island(model, state, settings, work, t, most)
    return is_slowed and (held == NO_ROWS or not is_robot)


@kernel
def limit_energy(model, state, command, settings, work):
    """Bound the energy of islands with stops, wires, pins or doubtful trajectories; report it in the status.

    The status is set, too, if constraints add energy and nothing is scaled, but not with `semi_implicit`,
    whose energy oscillates at first order.

    Writes: work.
    """
    is_asked = work.scalar_count[0] > 0
    for tree in range(work.tree_island.shape[0]):
        is_asked = is_asked or is_doubtful(model, settings, work, tree)
    if not is_asked:
        return
    for t in range(work.tree_island.shape[0]):
        if model.tree_nv[t] == 0 or len(trees_in(work, t)) == 0:
            continue
        error = relative_constraint_work(model, state, command, settings, work, t)
        is_slowed = limit_island(model, state, command, settings, work, t, error > REMOVED_WORK)
        keeps = settings.integrator != Integrator.SEMI_IMPLICIT  # its energy oscillates
        is_wrong = keeps and abs(error) > FLAGGED * FLAGGED
        if is_slowed or is_wrong:
            work.status[0] |= Status.TIME_STEP_TOO_LONG
        if is_slowed:
            for tree in trees_in(work, t):
                work.tree_mode[tree] = IntegrationMode.LIMITED
