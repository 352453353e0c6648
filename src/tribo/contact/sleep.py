"""Stages `sleep.wake_trees` and `.fall_asleep`: bodies at rest are skipped, if the world allows it.

A sleeping tree has no velocity and keeps its pose, and its contacts keep their impulses. They are still
detected in every step, so sensors read them. As long as the force on the tree, τ − h, and its contacts are
the same, bit for bit, the solution of the last step is that of this one; any difference wakes all sleeping
trees that it touches.

All trees of an island must be slow for `sleep_time` to fall asleep. Then their velocities are set to zero and
one more step is solved from rest; they sleep only if that leaves them at rest. A pendulum at its turning
point is slow, but does not pass.
"""

from math import log

from tribo.compiler.jit import kernel
from tribo.contact.problem import joint_limit_rows
from tribo.contact.problem.contact_rows import materials_of
from tribo.contact.problem.islands import find_representative, join_islands, moved_tree
from tribo.enums import Readiness, Sleep
from tribo.math import vec
from tribo.model import Joint, Kind, Pair

MIN_ACCELERATION_TIME = 10.0  # [s] bound of the time in which a candidate reaches the sleep speed


@kernel
def has_velocity(model, state, t):
    """Tell whether any velocity of a tree is not zero."""
    fastest = 0.0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        fastest = max(fastest, abs(state.v[dof]))
    return fastest > 0.0


@kernel
def may_disturb(model, state, body):
    """Tell whether a body may move one that sleeps on it: it is awake, or kinematic and moving."""
    if moved_tree(model, body) >= 0:
        return state.tree_is_asleep[model.body_tree[body]] == Sleep.AWAKE
    fastest = 0.0  # of a kinematic body; a fixed base has no dofs
    start = model.body_chain_start[body]
    for p in range(start, start + model.body_chain_len[body]):
        fastest = max(fastest, abs(state.v[model.chain_dof[p]]))
    return fastest > 0.0


@kernel
def disturb_constrained(model, work):
    """Mark the trees at the ends of constraints.

    Writes: work.
    """
    for c in range(model.constraint_kind.shape[0]):
        for side in range(2):
            if model.constraint_body[c, side] >= 0:
                work.tree_is_disturbed[model.body_tree[model.constraint_body[c, side]]] = 1


@kernel
def contact_fingerprint(model, work, c):
    """Return a number that changes with contact c and its law, weighted so that changes do not cancel."""
    a, b = materials_of(model, work, c)
    pair = model.pair_table[a, b]
    law = (
        1.1 * pair[Pair.FRICTION]
        + 1.3 * pair[Pair.STATIC_FRICTION]
        + 1.7 * pair[Pair.ROLLING_FRICTION]
        + 1.9 * pair[Pair.SPINNING_FRICTION]
        + 2.3 * pair[Pair.ROLLING_LENGTH]
        + 2.9 * pair[Pair.SPINNING_LENGTH]
    )
    law += (
        3.1 * log(1.0 + pair[Pair.STIFFNESS])
        + 3.7 * log(1.0 + pair[Pair.DAMPING])
        + 4.1 * log(1.0 + pair[Pair.YOUNGS_MODULUS])
        + 4.3 * log(1.0 + pair[Pair.SPOOK_DAMPING])
        + 4.7 * log(1.0 + pair[Pair.ADHESION_FORCE])
    )
    normal = vec.dot((0.3, 0.5, 0.7), vec.load_from(work.contact_axes, c, 6))
    place = vec.dot((0.3, 0.5, 0.7), vec.load(work.contact_pos, c))
    law += vec.dot((3.1, 3.7, 4.1), vec.load(work.contact_surface, c))
    weight = 1.0 + (work.contact_key[c] % 65521 * 40503 % 65536) / 65536.0
    return weight * (work.contact_gap[c] + place + normal + law)


@kernel
def fingerprint_contacts(model, state, settings, work):
    """Compute the fingerprint of the contacts of each sleeping tree; join sleeping trees that touch.

    Trees with constraints do not sleep.

    Writes: work.
    """
    for t in range(work.tree_island.shape[0]):
        work.tree_island[t] = t
        work.tree_keys[t] = 0
        # dt scales impulses; the other two say how an overlap is closed.
        work.tree_marks[t] = settings.dt + 1.1 * settings.erp + 1.3 * settings.max_push_out_speed
        work.tree_is_disturbed[t] = 0
    for c in range(work.contact_count[0]):
        for side in range(2):
            t = moved_tree(model, work.contact_body[c, side])
            other = work.contact_body[c, 1 - side]
            if t < 0 or state.tree_is_asleep[t] == Sleep.AWAKE:
                continue
            if side == 1 and moved_tree(model, other) == t:  # within one tree: already counted
                continue
            work.tree_keys[t] ^= work.contact_key[c]
            work.tree_marks[t] += contact_fingerprint(model, work, c)
            if may_disturb(model, state, other):
                work.tree_is_disturbed[t] = 1
            else:
                join_islands(work.tree_island, t, moved_tree(model, other))
    disturb_constrained(model, work)


@kernel
def is_changed(model, state, settings, work, t):
    """Tell whether the contacts, rows or forces of a sleeping tree differ from those at rest."""
    if work.tree_is_disturbed[t] == 1 or work.tree_keys[t] != state.rest_keys[t]:
        return True
    if work.tree_marks[t] != state.rest_marks[t] or has_velocity(model, state, t):
        return True
    if joint_limit_rows.has_joint_row(model, state, settings, work, t):
        return True
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        force = work.drive_force[dof] - work.bias_force[dof]
        if force != state.rest_force[dof]:
            return True
    return False


@kernel
def wake_trees(model, state, settings, work):
    """Decide which trees sleep in this step; their contacts are not part of its problem.

    Writes: work.
    """
    if settings.sleeping == 0:
        work.resting_count[0] = 0
        for t in range(work.tree_is_resting.shape[0]):
            work.tree_is_resting[t] = 0
        for c in range(work.contact_count[0]):
            work.contact_is_resting[c] = 0
        return
    fingerprint_contacts(model, state, settings, work)
    trees = work.tree_island.shape[0]
    for t in range(trees):
        if state.tree_is_asleep[t] == Sleep.ASLEEP and is_changed(model, state, settings, work, t):
            work.tree_is_disturbed[find_representative(work.tree_island, t)] = 1
    count = 0
    for t in range(trees):
        sleeps = state.tree_is_asleep[t] == Sleep.ASLEEP
        is_disturbed = work.tree_is_disturbed[find_representative(work.tree_island, t)] == 1
        work.tree_is_resting[t] = 1 if sleeps and not is_disturbed else 0
        count += work.tree_is_resting[t]
    work.resting_count[0] = count
    for c in range(work.contact_count[0]):
        work.contact_is_resting[c] = 0
        for side in range(2):
            t = moved_tree(model, work.contact_body[c, side])
            if t >= 0 and work.tree_is_resting[t] == 1:
                work.contact_is_resting[c] = 1
                work.contact_len[c, 0] = work.contact_len[c, 1] = 0
                vec.store(work.contact_vel, c, (0.0, 0.0, 0.0))


@kernel
def is_faster(model, work, t, linear, angular):
    """Tell whether a joint of tree t ends the step faster than given limits [m/s, rad/s]."""
    v = work.next_v
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        joint = model.joint_type[i]
        dof = model.joint_v[i]
        if joint == Joint.FREE:
            if vec.norm((v[dof], v[dof + 1], v[dof + 2])) > linear:
                return True
            dof += 3
        if joint == Joint.FREE or joint == Joint.SPHERICAL:
            if vec.norm((v[dof], v[dof + 1], v[dof + 2])) > angular:
                return True
        elif joint == Joint.REVOLUTE or joint == Joint.PRISMATIC:
            if abs(v[dof]) > (angular if joint == Joint.REVOLUTE else linear):
                return True
    return False


@kernel
def mark_sides(model, work, c, value):
    """Mark the moved trees of contact c as disturbed (1) or not (0).

    Writes: work.
    """
    for side in range(2):
        t = moved_tree(model, work.contact_body[c, side])
        if t >= 0:
            work.tree_is_disturbed[t] = value


@kernel
def mark_unsupported(model, work):
    """Mark the trees that no contact bears, and those that rows or soft contacts hold, as disturbed.

    Writes: work.
    """
    for t in range(work.tree_is_disturbed.shape[0]):
        work.tree_is_disturbed[t] = 1
    for c in range(work.contact_count[0]):
        if work.contact_impulse[c, 2] != 0.0:  # adhesion counts, too
            mark_sides(model, work, c, 0)
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] != 0:
            mark_sides(model, work, c, 1)
    for n in range(work.scalar_count[0]):
        for side in range(2):
            if work.scalar_len[n, side] > 0:
                work.tree_is_disturbed[model.body_tree[work.scalar_body[n, side]]] = 1
    disturb_constrained(model, work)


@kernel
def sleep_readiness(model, state, command, settings, work, t):
    """Return the readiness of tree t: READY, WAITING or MOVING."""
    was = state.tree_is_asleep[t]
    if was == Sleep.ASLEEP or command.can_sleep[t] == 0:  # woken in this step, or not allowed to sleep
        return Readiness.MOVING
    if work.tree_is_disturbed[t] == 1:
        return Readiness.MOVING
    share = 1.0
    if was == Sleep.CANDIDATE:
        share = min(1.0, settings.dt / MIN_ACCELERATION_TIME)
        if has_velocity(model, state, t):
            return Readiness.MOVING
    if is_faster(model, work, t, share * settings.sleep_speed, share * settings.sleep_angular_speed):
        return Readiness.MOVING
    is_long = state.quiet_time[t] + settings.dt >= settings.sleep_time
    return Readiness.READY if was == Sleep.CANDIDATE or is_long else Readiness.WAITING


@kernel
def put_to_sleep(model, state, work, t):
    """Set the velocity of tree t to zero; if it was a candidate, put it to sleep and store its fingerprint.

    Writes: state, work.
    """
    first = model.tree_v[t]
    is_asleep = state.tree_is_asleep[t] == Sleep.CANDIDATE
    state.tree_is_asleep[t] = Sleep.ASLEEP if is_asleep else Sleep.CANDIDATE
    if is_asleep:
        state.rest_keys[t] = work.tree_keys[t]
        state.rest_marks[t] = work.tree_marks[t]
    for dof in range(first, first + model.tree_nv[t]):
        work.next_v[dof] = 0.0
        if is_asleep:
            state.rest_force[dof] = work.drive_force[dof] - work.bias_force[dof]
    if is_asleep:
        work.tree_is_resting[t] = 1
        work.resting_count[0] += 1


@kernel
def fall_asleep(model, state, command, settings, work):
    """Put islands to sleep that have been quiet long enough.

    Writes: state, work.
    """
    trees = work.tree_island.shape[0]
    if settings.sleeping == 0:
        for t in range(trees):
            state.tree_is_asleep[t] = Sleep.AWAKE
            state.quiet_time[t] = 0.0
        return
    mark_unsupported(model, work)
    for t in range(trees):
        work.island_readiness[t] = Readiness.READY
    for t in range(trees):
        if model.tree_kind[t] == Kind.DYNAMIC and work.tree_is_resting[t] == 0:
            island = find_representative(work.tree_island, t)
            mood = sleep_readiness(model, state, command, settings, work, t)
            work.island_readiness[island] = max(work.island_readiness[island], mood)
    for t in range(trees):
        if model.tree_kind[t] != Kind.DYNAMIC or work.tree_is_resting[t] == 1:
            continue
        mood = work.island_readiness[find_representative(work.tree_island, t)]
        state.quiet_time[t] = 0.0 if mood == Readiness.MOVING else state.quiet_time[t] + settings.dt
        if mood == Readiness.READY:
            put_to_sleep(model, state, work, t)
        else:
            state.tree_is_asleep[t] = Sleep.AWAKE
