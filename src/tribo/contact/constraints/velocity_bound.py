"""Bound on the velocity at which constraints close gaps, by the energy that it takes.

Rows of pins and wires ask for the speed that takes back what a step opens. Where hardly anything moves a
robot that way, as an arm that is stretched along its wire, any speed takes an impulse without bound.
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.contact.constraints.way_work import ANGULAR
from tribo.contact.problem.contact_targets import step_speed
from tribo.contact.problem.islands import contacts_in, find_representative, is_member, scalars_in
from tribo.contact.problem.scalar_rows import GIVES_WAY, set_row_target, tie_of
from tribo.contact.problem.whitened_products import moved_by, scalar_moved_by
from tribo.contact.solver.gauss_seidel_iteration import start_cold
from tribo.contact.solver.strategy import solve_as_set
from tribo.dynamics.whitening import twice_energy
from tribo.math import vec
from tribo.model import Status

SLOWED = int(Status.SLOWED)
ROTOR = 0.2  # [m] lever at which a rotor counts as mass: a link of a robot is about as long
WORTH = 0.01  # [–] of the largest push-out speed: slower gaps bring too little to look at
LEVER = 10.0  # [–] of the speed at which it closes: how fast that may make all of the island
WHILE = 0.1  # [s] in which that much may be brought again, into what moves already
ALWAYS = 1e-3  # [–] of the energy that moves: so much may gaps bring that close within a step
SHARE = 0.1  # [–] of the speed that a row takes away anyway: the same
GUILTY = 0.1  # [–] of the energy: rows that bring less go on closing


@kernel
def tree_mass(model, t):
    """Return the mass of all bodies of a tree [kg], and that of its rotors at a lever of `ROTOR`."""
    mass = 0.0
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        mass += model.body_mass[i]
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        mass += model.dof_armature[dof] / (ROTOR * ROTOR)
    return mass


@kernel
def mass_of(model, work, t):
    """Return the mass of all bodies of island t [kg], rotors included."""
    mass = 0.0
    for tree in range(work.tree_island.shape[0]):
        if find_representative(work.tree_island, tree) == t:
            mass += tree_mass(model, tree)
    return mass


@kernel
def may_act(work, n):
    """Tell whether row n may give energy: a motor, given tension, spring, or drive at its speed limit."""
    if work.scalar_reach[n] == GIVES_WAY:
        return True
    lower, upper = work.scalar_lower[n], work.scalar_upper[n]
    return max(-lower, upper) < inf and min(-lower, upper) == 0.0


@kernel
def row_gain(model, work, n):
    """Return twice the energy that the impulse of row n brings [J]."""
    vel = work.scalar_start[n] + work.scalar_target[n]
    free = scalar_moved_by(model, work, n, work.free_response, vel)
    after = scalar_moved_by(model, work, n, work.response, vel)
    return work.scalar_impulse[n] * (free + after)


@kernel
def gain(model, work, t):
    """Return twice the energy that all impulses of island t bring [J], but for what acts of its own."""
    total = 0.0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        vel = vec.load(work.contact_vel, c)
        free = moved_by(model, work, work.contact_row, c, work.free_response, vel)
        after = moved_by(model, work, work.contact_row, c, work.response, vel)
        total += vec.dot(vec.load(work.contact_impulse, c), vec.add(free, after))
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if not may_act(work, n):
            total += row_gain(model, work, n)
    return total


@kernel
def fastest(model, settings, work, t):
    """Return the fastest speed at which a gap of a constraint of island t is to close [m/s].

    Velocities that are small next to those that the row removes anyway do not count.
    """
    speed = 0.0
    least = WORTH * settings.max_push_out_speed
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        target = abs(work.scalar_correction[n])
        c = tie_of(model, work, n)
        if target <= max(least, speed) or c < 0:
            continue
        if work.scalar_slot[n] - model.constraint_slot[c] >= ANGULAR:
            continue
        vel = work.scalar_start[n] + work.scalar_target[n]
        free = scalar_moved_by(model, work, n, work.free_response, vel)
        if target > SHARE * abs(free):
            speed = target
    return speed


@kernel
def moving(model, work, t):
    """Return twice the kinetic energy of island t in mid step [J], and what drives add as inertia."""
    total = 0.0
    for tree in range(work.tree_island.shape[0]):
        if is_member(model, work, tree, t):
            total += twice_energy(model, work, tree, work.mid_v)
    return total


@kernel
def allowed_energy(model, settings, work, n, mass):
    """Return the energy [J] that row n may take for closing: as much as alone, if `mass` allows it.

    That is ½ r²/G for the speed r, and half a step's lift at r against the weight that opens it.
    """
    speed = work.scalar_correction[n]
    alone = speed * speed / work.scalar_delassus[n]
    opening = -scalar_moved_by(model, work, n, work.free_response, 0.0) * speed
    lift = max(0.0, opening) / work.scalar_delassus[n]
    lift = min(lift, LEVER * abs(speed) * step_speed(settings) * mass)
    return 0.5 * (min(alone, LEVER * LEVER * speed * speed * mass) + lift)


@kernel
def ask_less(model, settings, work, t, rows, part, most):
    """Solve island t from zero again, with a part of the correction of rows that bring more than `most` [J].

    Return whether it is solved.

    Writes: work.
    """
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        if work.scalar_correction[n] == 0.0 or tie_of(model, work, n) < 0:
            continue
        if row_gain(model, work, n) > most:
            less = (1.0 - part) * work.scalar_correction[n]
            speed = work.scalar_start[n] + work.scalar_target[n]
            set_row_target(work, n, work.scalar_target[n] - less, speed)
            work.scalar_correction[n] -= less
    start_cold(model, work, t)
    return solve_as_set(model, settings, work, t, rows, settings.tolerance)


@kernel
def bound_closing(model, settings, work, t, rows, is_solved):
    """Ask constraints of island t to close more slowly if that brings absurd energy; return if it is solved.

    From rest it may bring as much energy as the island has at `LEVER` times the speed at which gaps close,
    since constraints work through levers. Of an island that moves, LEVER² times its energy is taken off that.
    The remainder is never less than the part of it that a step is of `WHILE`, nor, where gaps close within a
    step, than `ALWAYS` of the energy that moves. Rows that contradict bring none: they give way.

    Writes: work.
    """
    speed = fastest(model, settings, work, t)
    if speed == 0.0:
        return is_solved
    is_wide = speed >= settings.max_push_out_speed
    speed = LEVER * max(speed, step_speed(settings))
    most = speed * speed * mass_of(model, work, t)
    again = min(1.0, settings.dt / WHILE) * most
    brought = gain(model, work, t)
    if brought <= again:
        return is_solved
    before = moving(model, work, t)
    most = max(most - LEVER * LEVER * before, again, 0.0 if is_wide else ALWAYS * before)
    if brought <= most:
        return is_solved
    work.status[0] |= SLOWED
    part = 0.5 * sqrt(most / brought) if brought < inf else 0.0
    is_solved = ask_less(model, settings, work, t, rows, part, GUILTY * most)
    if gain(model, work, t) <= most:
        return is_solved
    return ask_less(model, settings, work, t, rows, 0.0, GUILTY * most)
