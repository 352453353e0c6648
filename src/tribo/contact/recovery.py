"""How much recovery from overlap is asked of an island: no absurd energy, and not again and again in vain."""

from math import sqrt

from tribo.contact.islands import find
from tribo.contact.laws import step_speed
from tribo.contact.response import moved_by
from tribo.contact.strategy import (
    FAR,
    MAX_FAILURES,
    MOVING_STEPS,
    NEWTON_STEPS,
    PAUSE_ROWS,
    QUIET_SWEEPS,
    attempt,
    most,
    note,
    sweep_only,
)
from tribo.contact.violation import island_speed, violation
from tribo.contact.visits import start_cold
from tribo.jit import kernel
from tribo.math import vec
from tribo.model import Solver

SWEEPS = int(Solver.SWEEPS)
REACH = 2.0  # [–] of the speed of recovery: how fast it may make what overlaps
WEDGE = 30.0  # [–] of the energy of that: what brings more is not asked for at all, else for a part
IN_VAIN = 30.0  # [–] of the same energy: the most work of recoveries, whatever it moves


@kernel
def least(model, work, t, count):
    """Return the smallest entry of an array over the trees of island t, 0 if all are positive."""
    found = 0
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        for side in range(2):
            found = min(found, count[model.body_tree[work.contact_body[c, side]]])
    return found


@kernel
def recovery(model, work, t):
    """Return the fastest recovery from overlap in island t [m/s], twice the work of all, twice their energy.

    The energy that an impulse brings is half of it times the velocities before and after; what stops an
    approach is no work of recovery.
    """
    fastest = done = gain = 0.0
    rows = work.contact_row
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        target = work.contact_target[c]
        impulse = vec.load(work.contact_impulse, c)
        if target > 0.0 and work.contact_bounce[c] == 0.0:
            fastest = max(fastest, target)
            vel = vec.load(work.contact_vel, c)
            free = moved_by(model, work, rows, c, work.free_response, vel)
            after = moved_by(model, work, rows, c, work.response, vel)
            done += 2.0 * impulse[2] * max(0.0, target - max(0.0, -free[2]))
            gain += vec.dot(impulse, vec.add(free, after))
    return fastest, done, gain


@kernel
def mass_of(model, work, t):
    """Return the mass of all bodies of island t [kg]."""
    mass = 0.0
    for tree in range(work.tree_island.shape[0]):
        if find(work.tree_island, tree) == t:
            first = model.tree_body[tree]
            for i in range(first, first + model.tree_body_count[tree]):
                mass += model.body_mass[i]
    return mass


@kernel
def lower_targets(work, t, part):
    """Ask for a part of the recoveries from overlap in island t; return how many there are.

    Writes: work.
    """
    count = 0
    for k in range(work.island_contact_start[t], work.island_contact_start[t + 1]):
        c = work.island_contact[k]
        if work.contact_target[c] > 0.0 and work.contact_bounce[c] == 0.0:
            work.contact_target[c] *= part
            work.contact_start[c, 2] = work.contact_vel[c, 2] - work.contact_target[c]
            count += 1
    return count


@kernel
def ask_less(model, settings, work, t, rows, part):
    """Solve island t from zero again, with a part of the targets of its overlaps; sweep it, if it is large.

    Writes: work.
    """
    lower_targets(work, t, part)
    start_cold(model, work, t)
    if rows < PAUSE_ROWS and settings.contact_solver != SWEEPS:
        attempt(model, settings, work, t, rows, 1, MOVING_STEPS)
    else:
        limit = settings.tolerance * island_speed(settings, work, t)
        sweep_only(model, work, t, min(QUIET_SWEEPS, settings.max_sweeps), limit)


@kernel
def solve_small(model, settings, work, t, rows):
    """Solve a small island; return success. What it was asked in vain lately it is not asked for a while.

    The steps that are left of that stand in `tree_pause`, negative. It is swept then: what jams has no
    unique solution, and what else there is begins with the impulses of the last step.

    Writes: work.
    """
    vain = -least(model, work, t, work.tree_pause)
    if vain > 0:
        note(model, work, t, work.tree_pause, 1 - vain)
        if lower_targets(work, t, 0.0) > 0:
            limit = settings.tolerance * island_speed(settings, work, t)
            sweep_only(model, work, t, min(QUIET_SWEEPS, settings.max_sweeps), limit)
            return False
    failures = most(model, work, t, work.tree_failures)
    budget = MOVING_STEPS if failures > 0 else NEWTON_STEPS
    return attempt(model, settings, work, t, rows, failures, budget)


@kernel
def learn(model, work, t, rows, is_solved, is_in_vain):
    """Note whether recoveries from overlap in a small island were in vain, and for how long to leave them.

    Writes: work.
    """
    if rows >= PAUSE_ROWS:
        return
    failures = most(model, work, t, work.tree_failures)
    if is_in_vain:
        failures = min(failures + 1, MAX_FAILURES)
        note(model, work, t, work.tree_failures, failures)
        note(model, work, t, work.tree_pause, -((1 << failures) >> 2))
    elif is_solved and failures > 0:
        note(model, work, t, work.tree_failures, 0)


@kernel
def is_in_vain(model, settings, work, t, rows, is_solved, done, allowed):
    """Tell whether recoveries in island t work against what does not give way, or against nothing at all.

    done: twice their work, allowed: twice the energy that they may bring. In a small island what a solve
    leaves far from its law is a recovery, too.
    """
    if done > IN_VAIN * allowed:
        return True
    if is_solved or rows >= PAUSE_ROWS or settings.contact_solver == SWEEPS:
        return False
    return violation(model, work, t) > FAR * island_speed(settings, work, t)


@kernel
def bound_recovery(model, settings, work, t, rows, is_solved):
    """Ask island t for less recovery from overlap if it brings absurd energy; return whether it does not.

    What overlaps may make its bodies leave one another at the speed of recovery, a little faster where
    levers are long. A body that two others push from both sides moves nowhere: impulses against such
    overlaps grow from sweep to sweep and from step to step, and if friction allows a solution, it has any
    energy. Those that only keep contacts from approaching do not.

    Writes: work.
    """
    fastest, done, gain = recovery(model, work, t)
    speed = step_speed(settings)
    if fastest == 0.0 or (is_solved and fastest <= speed):
        learn(model, work, t, rows, is_solved, False)
        return True
    speed = REACH * max(fastest, speed)
    allowed = speed * speed * mass_of(model, work, t)
    if not is_in_vain(model, settings, work, t, rows, is_solved, done, allowed):
        if gain <= allowed:
            learn(model, work, t, rows, is_solved, False)
            return True
        if gain <= WEDGE * allowed:
            ask_less(model, settings, work, t, rows, 0.5 * sqrt(allowed / gain))
            _, done, gain = recovery(model, work, t)
            if gain <= allowed and done <= IN_VAIN * allowed:
                return False
    ask_less(model, settings, work, t, rows, 0.0)
    learn(model, work, t, rows, False, True)
    return False
