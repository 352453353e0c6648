"""Stage `energy_limiter.limit`: limits the energy that constraints may add in a step.

Two light boxes on pins between heavy ones straighten within a fraction of a step, and pins that go round by
0.3 rad in a step bring energy that there never was. Bodies that are held together, move by themselves
and touch nothing are a constrained group: it may end the step with the energy that it had and was given. If
it would have more, it is slowed (`velocity_scaling`). The step is `COARSE` then; impulses and the residual
stay those of the solve. A robot on a fixed base that its stops hold (`fixed_base`) is slowed likewise; that
happens often, and is not said. So is a robot that nothing holds, if its trajectory was integrated with
springs too stiff for the time step; that is said.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import find_representative, is_member, scalars_in
from tribo.contact.problem.scalar_rows import tie_of
from tribo.contact.stabilisation import fixed_base, velocity_scaling
from tribo.dynamics.middle import STIFF, max_spring_share
from tribo.dynamics.whitening import twice_energy
from tribo.math import vec
from tribo.model import Course, Integrator, Joint, Kind, Status

FREE = int(Joint.FREE)
DYNAMIC = int(Kind.DYNAMIC)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
COARSE = int(Status.COARSE)
HELD_BACK = int(Course.HELD_BACK)
FLOWN = int(Course.FLOWN)
UNSETTLED = int(Course.UNSETTLED)
ONE_H = int(Course.ONE_H)
LOOSE = 0.1  # [rad] in a step; loose bodies that turn less gain little
JERK = 0.01  # [–] of the energy that moves: what constraints change by more
ERROR = 1e-3  # [–] of the kinetic energy, that ties, and stops of slow joints, may give in a step


@kernel
def is_lost(work, tree):
    """Tell whether a tree turns too far in this step, and nothing could be done."""
    return work.tree_course[tree] == UNSETTLED or work.tree_course[tree] == ONE_H


@kernel
def is_doubtful(model, settings, work, tree):
    """Tell whether a tree's way is known to be wrong, or went under stiff springs, held constant."""
    if work.tree_course[tree] == FLOWN and max_spring_share(model, settings, work, tree) > STIFF:
        return True
    return is_lost(work, tree)


@kernel
def tree_rotates_far(model, state, settings, work, tree):
    """Tell whether a tree turns far in this step: its base, if that is loose, or one of its joints."""
    if model.joint_type[model.tree_body[tree]] == FREE:
        most = LOOSE / settings.dt
        first = model.tree_v[tree] + 3
        before = vec.norm((state.v[first], state.v[first + 1], state.v[first + 2]))
        after = vec.norm((work.next_v[first], work.next_v[first + 1], work.next_v[first + 2]))
        if before > most or after > most:
            return True
    if model.tree_is_single[tree] == 1:
        return False
    return fixed_base.joint_rotates_fast(model, state, settings, work, tree, False)


@kernel
def note_last(model, work):
    """Note the last tree of every island.

    Writes: work.
    """
    for tree in range(work.tree_island.shape[0]):
        if model.tree_kind[tree] == DYNAMIC:
            work.island_last_tree[find_representative(work.tree_island, tree)] = tree


@kernel
def is_held(model, settings, work, t):
    """Tell whether a row acts on island t, or the way of one of its trees is doubtful."""
    for k in scalars_in(work, t):
        if work.scalar_impulse[work.island_scalar[k]] != 0.0:
            return True
    for tree in range(t, work.island_last_tree[t] + 1):
        if is_doubtful(model, settings, work, tree) and is_member(model, work, tree, t):
            return True
    return False


@kernel
def is_jerked(model, state, work, t):
    """Tell whether constraints turn the motion of island t round within this step.

    Their impulses then change far more than weight and drives do, and a good part of what moves. So they do
    near a pose in which they leave no way at all, like an arm that is pinned at full stretch.
    """
    is_tied = False
    for k in scalars_in(work, t):
        n = work.island_scalar[k]
        is_tied = is_tied or (work.scalar_impulse[n] != 0.0 and tie_of(model, work, n) >= 0)
    if not is_tied:
        return False
    change = free = moving = 0.0
    for tree in range(t, work.island_last_tree[t] + 1):
        if is_member(model, work, tree, t):
            for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
                by_rows = work.response[dof] - work.free_response[dof]
                change += by_rows * by_rows
                free += work.free_response[dof] * work.free_response[dof]
            moving += twice_energy(model, work, tree, work.kick_v)
    return change > JERK * moving + 4.0 * free


@kernel
def island_rotates_fast(model, state, settings, work, t):
    """Tell whether a tree of island t turns far and rows act on the island, or the tree's way is doubtful."""
    has_rows = work.island_scalar_start[t + 1] > work.island_scalar_start[t]
    for tree in range(t, work.island_last_tree[t] + 1):
        if not is_member(model, work, tree, t) or work.tree_is_resting[tree] == 1:
            continue
        if is_doubtful(model, settings, work, tree):
            return True
        if has_rows and tree_rotates_far(model, state, settings, work, tree):
            return True
    return False


@kernel
def is_apart(model, work, t):
    """Tell whether island t touches nothing."""
    if work.island_contact_start[t + 1] > work.island_contact_start[t]:
        return False
    if work.soft_count[0] > 0:
        for c in range(work.contact_count[0]):
            for side in range(2):
                tree = model.body_tree[work.contact_body[c, side]]
                if work.contact_is_soft[c] != 0 and is_member(model, work, tree, t):
                    return False
    return True


@kernel
def say(model, work, t):
    """Say that island t was slowed.

    Writes: work.
    """
    work.status[0] |= COARSE
    for tree in range(t, work.island_last_tree[t] + 1):
        if is_member(model, work, tree, t):
            work.tree_course[tree] = HELD_BACK


@kernel
def limit_robot(model, state, settings, work, t, is_strict):
    """Slow the robot that is island t if its stops or ties would throw it. Strictly: it may gain nothing.

    Writes: work.
    """
    held = fixed_base.grip(model, work, t)
    if held == fixed_base.NOTHING and not is_doubtful(model, settings, work, t):
        return
    if held != fixed_base.STOPS and settings.integrator == SEMI_IMPLICIT and not is_strict:
        return  # its energy goes to and fro
    if held == fixed_base.STOPS and fixed_base.joint_rotates_fast(
        model, state, settings, work, t, True
    ):
        is_strict = True
    most = velocity_scaling.allowed(model, state, settings, work, t, 0.0 if is_strict else ERROR)
    if velocity_scaling.slow(model, state, settings, work, t, most) and held == fixed_base.NOTHING:
        say(model, work, t)


@kernel
def limit_group(model, state, settings, work, t, is_strict):
    """Slow island t if what holds it together would throw it, and say so. Strictly: it may gain nothing.

    Writes: work.
    """
    if settings.integrator == SEMI_IMPLICIT and not is_strict:
        return
    if not is_held(model, settings, work, t):
        return
    most = velocity_scaling.allowed(model, state, settings, work, t, 0.0 if is_strict else ERROR)
    if velocity_scaling.slow(model, state, settings, work, t, most):
        say(model, work, t)


@kernel
def limit(model, state, settings, work):
    """Slow what would leave stops, wires, pins with more energy than it had and was given.

    Writes: work.
    """
    is_asked = work.scalar_count[0] > 0
    for tree in range(work.tree_island.shape[0]):
        is_asked = is_asked or is_doubtful(model, settings, work, tree)
    if not is_asked:
        return
    note_last(model, work)
    for t in range(work.tree_island.shape[0]):
        if model.tree_nv[t] == 0 or not is_member(model, work, t, t):
            continue
        is_strict = is_jerked(model, state, work, t)
        if not is_strict and not island_rotates_fast(model, state, settings, work, t):
            continue
        if not is_apart(model, work, t):
            continue
        if work.island_last_tree[t] == t and model.joint_type[model.tree_body[t]] != FREE:
            limit_robot(model, state, settings, work, t, is_strict)
        else:
            limit_group(model, state, settings, work, t, is_strict)
