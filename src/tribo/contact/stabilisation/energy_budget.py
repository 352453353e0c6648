"""Part of stage `energy_limiter.limit_energy`: the energy with which an island may end a step.

That is its present energy of motion, weight and joint springs, plus the work of drives, motors and external
forces. With `semi_implicit`, whose energy oscillates, springs count as forces.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.constraints import lengths
from tribo.contact.problem.islands import scalars_in, trees_in
from tribo.contact.problem.scalar_rows import GIVES_WAY, constraint_of_row
from tribo.contact.problem.whitened_products import add_scalar_row_response
from tribo.dynamics.actuation import spring_torque
from tribo.dynamics.energy import energy_at
from tribo.dynamics.springs import spring_energy
from tribo.dynamics.whitening import whiten_velocity
from tribo.enums import Tuning
from tribo.math.linalg import ROUND_OFF
from tribo.model import Constraint, Integrator, Kind


@kernel
def drive_work(model, state, settings, work, tree):
    """Return the work of unsaturated drives and external forces on a tree in this step [J], if positive.

    The force of springs (at `spring_error`) is excluded: their energy counts in `spring_energy_kept`.
    """
    total = 0.0
    for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
        force = work.drive_force[dof]
        force -= work.drive_inertia[dof] * (work.next_v[dof] - work.start_velocity[dof]) / settings.dt
        if model.dof_stiffness[dof] != 0.0 and settings.integrator != Integrator.SEMI_IMPLICIT:
            force += spring_torque(model, settings, work, dof, state.v[dof], work.next_v[dof])
        impulse = settings.dt * force
        total += 0.5 * impulse * (work.start_velocity[dof] + work.next_v[dof])
    return max(0.0, total)


@kernel
def is_kinematic_row(model, work, n):
    """Tell whether row n acts against a kinematic body that moves."""
    for side in range(2):
        tree = model.body_tree[work.scalar_body[n, side]]
        if work.scalar_len[n, side] == 0 and model.tree_kind[tree] == Kind.KINEMATIC:
            for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
                if work.start_velocity[dof] != 0.0:
                    return True
    return False


@kernel
def is_winding(model, state, command, c):
    """Tell whether the length of constraint c changes in this step, which is work of the user or a motor."""
    kind = model.constraint_kind[c]
    changes = command.constraint[c, Tuning.LENGTH] != lengths.last_length(state, command, c)
    return kind == Constraint.WINCH or (kind == Constraint.LENGTH and changes)


@kernel
def motor_work(model, state, command, work, t):
    """Return the work [J] of motors, limited drives, springs and kinematic bodies on island t, if positive.

    λ·J (v + v⁺)/2 of the trees that move, at the mid-step poses. Of a row against a kinematic body it is −λ
    times the velocity of that end; opening or closing of the row itself does no work.

    Writes: work.
    """
    z = work.change_v
    for tree in trees_in(work, t):
        whiten_velocity(model, work, tree, work.start_velocity, z)
    total = 0.0
    for n in scalars_in(work, t):
        c = constraint_of_row(model, work, n)
        less, more = -work.scalar_lower[n], work.scalar_upper[n]
        may_act = max(less, more) < inf and min(less, more) == 0.0  # as a motor, or a given tension
        acts = c >= 0 and (may_act or is_winding(model, state, command, c))
        if work.scalar_reach[n] == GIVES_WAY or acts:
            before = add_scalar_row_response(model, work, n, z, 0.0)
            after = add_scalar_row_response(model, work, n, work.response, before)
            total += work.scalar_impulse[n] * 0.5 * (before + after)
        elif c >= 0 and is_kinematic_row(model, work, n):
            both = work.scalar_start[n] + work.scalar_target[n]
            own = add_scalar_row_response(model, work, n, z, 0.0)
            total -= work.scalar_impulse[n] * (both - own)
    return max(0.0, total)


@kernel
def spring_energy_kept(model, q, settings, work, tree):
    """Return the energy of the joint springs of a tree [J] that a step conserves; 0 with `semi_implicit`.

    Writes: work.
    """
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        return 0.0
    return spring_energy(model, q, work, tree)


@kernel
def stop_energy(model, work, t):
    """Return the energy [J] that stops of spherical joints of island t may add to close overlaps, ½ r²/G.

    r is the speed at which a stop closes its overlap; other stops do so by position shifts.
    """
    total = 0.0
    for n in scalars_in(work, t):
        if work.scalar_impulse[n] != 0.0 and constraint_of_row(model, work, n) < 0:
            total += 0.5 * work.scalar_correction[n] ** 2 / work.scalar_delassus[n]
    return total


@kernel
def energy_budget(model, state, command, settings, work, t, error):
    """Return the energy [J] with which island t may end the step: its present energy and the work on it.

    A part `error` of its kinetic and spring energy is added; its stops may always add `stop_energy`.

    Writes: work.
    """
    lively = potential = 0.0
    brought = motor_work(model, state, command, work, t)
    for tree in trees_in(work, t):
        # First the work: `spring_energy_kept` overwrites `spring_error`.
        brought += drive_work(model, state, settings, work, tree)
        moving, lying = energy_at(model, state.q, state.v, settings, work, tree)
        lively += moving + spring_energy_kept(model, state.q, settings, work, tree)
        potential += lying
    most = (1.0 + error) * lively + (1.0 + ROUND_OFF) * brought
    return potential + max(most, stop_energy(model, work, t))
