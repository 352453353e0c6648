"""How much correction of overlaps is asked of an island: no absurd energy, not again and again in vain."""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.contact_targets import set_target, step_speed
from tribo.contact.problem.islands import contacts_in, find
from tribo.contact.problem.whitened_products import moved_by
from tribo.contact.solver.gauss_seidel_iteration import start_cold
from tribo.contact.solver.natural_residual import island_speed, violation
from tribo.contact.solver.strategy import solve_as_set
from tribo.math import vec
from tribo.model import Status

SLOWED = int(Status.SLOWED)
FAR = 0.01  # [–] of the speed that a solve removes: a violation beyond it says that links jam
MAX_FAILURES = 8  # that count: links that jam are then left alone for 2⁶ steps
REACH = 2.0  # [–] of the speed of correction: how fast it may make what overlaps
WEDGE = 30.0  # [–] of the energy of that: what brings more is not asked for at all, else for a part
WORTH = 0.01  # [–] of the largest push-out speed: slower correction brings too little to look at
ROTOR = 0.2  # [m] lever at which a rotor counts as mass: a link of a robot is about as long
IN_VAIN = 30.0  # [–] of the same energy: the most work of recoveries, whatever it moves


@kernel
def asked_of(work, c):
    """Return the speed at which contact c is asked to part, at the end of the step [m/s]."""
    return work.contact_target[c] + work.contact_drift[c, 2]


@kernel
def is_correction(work, c):
    """Tell whether contact c is asked to part bodies that overlap; one that gives way presses."""
    if work.contact_compliance[c, 2] > 0.0:
        return False
    return asked_of(work, c) > 0.0 and work.contact_bounce[c] == 0.0


@kernel
def correction(model, work, t):
    """Return the fastest correction of an overlap in island t [m/s], twice the work of all and their energy.

    The energy that an impulse brings is half of it times the velocities before and after; what stops an
    approach is no work of correction.
    """
    fastest = done = gain = 0.0
    rows = work.contact_row
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if is_correction(work, c):
            target = asked_of(work, c)
            impulse = vec.load(work.contact_impulse, c)
            fastest = max(fastest, target)
            vel = vec.load(work.contact_vel, c)
            free = moved_by(model, work, rows, c, work.free_response, vel)
            after = moved_by(model, work, rows, c, work.response, vel)
            done += 2.0 * impulse[2] * max(0.0, target - max(0.0, -free[2]))
            gain += vec.dot(impulse, vec.add(free, after))
    return fastest, done, gain


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
        if find(work.tree_island, tree) == t:
            mass += tree_mass(model, tree)
    return mass


@kernel
def inner_tree(model, work, c):
    """Return the tree both of whose sides meet at contact c, −1 if they are two."""
    a = model.body_tree[work.contact_body[c, 0]]
    return a if a == model.body_tree[work.contact_body[c, 1]] else -1


@kernel
def lower(work, c, part):
    """Ask contact c for a part of its correction.

    Writes: work.
    """
    target = part * asked_of(work, c) - work.contact_drift[c, 2]
    set_target(work, c, target, work.contact_vel[c, 2])


@kernel
def ask_less(model, settings, work, t, rows, part, only_inner):
    """Solve island t from zero again, with a part of the targets of its overlaps.

    Writes: work.
    """
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if is_correction(work, c) and (not only_inner or inner_tree(model, work, c) >= 0):
            lower(work, c, part)
    start_cold(model, work, t)
    solve_as_set(model, settings, work, t, rows)


@kernel
def leave(model, work, t):
    """Ask links of one robot that overlap, and could not be parted lately, for nothing; return how many.

    Writes: work.
    """
    count = 0
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        tree = inner_tree(model, work, c)
        if tree >= 0 and is_correction(work, c) and work.tree_vain_pause[tree] > 0:
            lower(work, c, 0.0)
            count += 1
    if count > 0:
        work.status[0] |= SLOWED
    return count


@kernel
def has_inner(model, work, t):
    """Tell whether links of one robot overlap in island t."""
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        if is_correction(work, c) and inner_tree(model, work, c) >= 0:
            return True
    return False


@kernel
def learn(model, work, t, is_jammed):
    """Note for robots of island t with links that overlap whether these jam, and for how long to leave them.

    Writes: work.
    """
    before = -1
    for k in contacts_in(work, t):
        c = work.island_contact[k]
        tree = inner_tree(model, work, c)
        if tree < 0 or tree == before or work.contact_gap[c] >= 0.0:
            continue
        before = tree
        failures = min(work.tree_vain[tree] + 1, MAX_FAILURES) if is_jammed else 0
        work.tree_vain[tree] = failures
        pause = 1 + ((1 << failures) >> 2)  # this step counts
        work.tree_vain_pause[tree] = pause if is_jammed else 0


@kernel
def is_far_off(model, settings, work, t, is_solved, fastest):
    """Tell whether a solve left an island far from its laws, where overlaps matter."""
    if is_solved or fastest <= step_speed(settings):
        return False
    return violation(model, work, t) > FAR * island_speed(settings, work, t)


@kernel
def bound_correction(model, settings, work, t, rows, is_solved, is_whole):
    """Ask island t for less correction of overlaps if it brings absurd energy; return whether it does not.

    What overlaps may make its bodies leave one another at the speed of correction, a little faster where
    levers are long. A body that two others push from both sides moves nowhere: impulses against such
    overlaps grow from step to step, and if friction allows a solution, it has any energy. Those that only
    keep contacts from approaching do not. is_whole: all was asked of it: then links of robots that jam are
    left alone first, and for a while.

    Writes: work.
    """
    fastest, done, gain = correction(model, work, t)
    speed = max(step_speed(settings), WORTH * settings.max_push_out_speed)
    if fastest == 0.0 or (is_solved and fastest <= speed):
        if is_whole:
            learn(model, work, t, False)
        return True
    is_inner = is_whole and has_inner(model, work, t)
    jams = is_inner and is_far_off(model, settings, work, t, is_solved, fastest)
    speed = REACH * max(fastest, speed)
    allowed = speed * speed * mass_of(model, work, t)
    if not jams and gain <= allowed and done <= IN_VAIN * allowed:
        if is_whole:
            learn(model, work, t, False)
        return True
    if not jams and gain <= WEDGE * allowed and done <= IN_VAIN * allowed:
        ask_less(model, settings, work, t, rows, 0.5 * sqrt(allowed / gain), False)
        _, done, gain = correction(model, work, t)
        if gain <= allowed and done <= IN_VAIN * allowed:
            return False
    if is_inner:
        learn(model, work, t, True)
        ask_less(model, settings, work, t, rows, 0.0, True)
        _, done, gain = correction(model, work, t)
        if gain <= allowed and done <= IN_VAIN * allowed:
            return False
    ask_less(model, settings, work, t, rows, 0.0, False)
    return False
