"""Stages `look_ahead.begin_look_ahead` and `.look`: add contacts that the solved motion would penetrate.

The gap of a contact holds along its normal: right for every way of convex shapes but turns. A corner that is
hit stops, and its body turns about it: another corner, or the same one on another face, comes in by as much
as the turn of one step. So pairs that turn past one another, or end faster than their margins were made for,
are looked at once more where the solved velocity has them a step later; what only a faster body reaches is
looked for among all bodies first (`late_candidates`). A pair that overlaps there, and more than it does
now, becomes a contact of this step: with the normal of then, the gap that closes on the way, and lever
arms that have turned back with their bodies. Its island is then solved again.

Terrain is asked as a whole, so that its inner edges stay flat. Pairs that rebound are left out: they are free
until they touch.
Source: constraints that are added where they are found violated, Stewart and Trinkle 1996, section 5.
"""

from math import inf

from tribo.collision import late_candidates
from tribo.collision.advancement import TOUCH, moving_point_velocity, put_pose, thickness
from tribo.collision.broadphase import is_moved
from tribo.collision.late_candidates import DEEP
from tribo.collision.margins import SLACK, body_reach, pair_margin, relative_speed
from tribo.collision.meeting import find_meeting
from tribo.collision.narrowphase import (
    FEATURES,
    first_key,
    is_looked_after,
    move_contact,
    write_contact,
)
from tribo.collision.sorted_keys import first_from
from tribo.compiler.jit import kernel
from tribo.contact.compliant import compliant_contacts
from tribo.contact.problem.contact_targets import slow_speed
from tribo.math import quat, spatial, vec
from tribo.model import Shape, Status

CAPACITY = int(Status.CAPACITY)
PLANE, SPHERE, ELLIPSOID = int(Shape.PLANE), int(Shape.SPHERE), int(Shape.ELLIPSOID)
ROUNDS = 3  # of looking and solving in one step
NEW_WAY = 10.0  # times the gap that counts as none: a turn of surfaces that is looked after


@kernel
def begin_look_ahead(work):
    """Begin a step: no contacts were added to it, and none of its islands was solved.

    Writes: work.
    """
    work.ahead_rounds[0] = 0
    for t in range(work.tree_met_ahead.shape[0]):
        work.tree_met_ahead[t] = 0
        work.island_miss[t] = 0.0


@kernel
def next_motion(model, work, i):
    """Return the velocity of the origin of body i [m/s] and its angular velocity [rad/s] after the step."""
    t = model.body_tree[i]
    if model.tree_nv[t] == 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    root = model.tree_body[t]
    v = work.next_v
    if model.tree_is_single[t] == 1:
        b = model.joint_v[root]
        return (v[b], v[b + 1], v[b + 2]), (v[b + 3], v[b + 4], v[b + 5])
    motion = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chain = model.body_chain_start[i]
    for p in range(model.body_chain_len[i]):
        dof = model.chain_dof[chain + p]
        motion = spatial.axpy(v[dof], spatial.load(work.dof_axis, dof), motion)
    turning = (motion[0], motion[1], motion[2])
    arm = vec.sub(vec.load(work.body_pos, i), vec.load(work.body_pos, root))
    return vec.add((motion[3], motion[4], motion[5]), vec.cross(turning, arm)), turning


@kernel
def forget_motions(work):
    """Forget how bodies move after a step: there is another solution.

    Writes: work.
    """
    for i in range(work.body_next_motion.shape[0]):
        work.body_next_motion[i, 0] = inf


@kernel
def motion_of(model, work, i):
    """Return how body i moves after the step, found once: velocity [m/s] and angular velocity [rad/s].

    Writes: work.
    """
    if work.body_next_motion[i, 0] == inf:
        velocity, spin = next_motion(model, work, i)
        spatial.store(work.body_next_motion, i, (*velocity, *spin))
    x = spatial.load(work.body_next_motion, i)
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])


@kernel
def changes(model, state, settings, work, t):
    """Tell whether the solve changed how tree t moves by more than its margins hold anyway."""
    change = 0.0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        change += abs(work.next_v[dof] - state.v[dof])
    return settings.dt * change > SLACK


@kernel
def any_hit(settings, work):
    """Tell whether anything is hit in this step: only that makes a body much faster within one."""
    slow = slow_speed(settings)
    for c in range(work.contact_count[0]):
        if work.contact_vel[c, 2] < -slow and work.contact_impulse[c, 2] > 0.0:
            return True
    return False


@kernel
def excess(model, settings, work, i):
    """Return by how much farther than thought the surface of body i moves in a step [m].

    Writes: work.
    """
    velocity, spin = motion_of(model, work, i)
    way = settings.dt * (vec.norm(velocity) + vec.norm(spin) * model.body_radius[i])
    return max(0.0, way - work.body_margin[i])


@kernel
def find_excess(model, state, settings, work):
    """Write by how much farther than thought the surface of each body moves in a step; tell whether any does.

    Writes: work.
    """
    is_any = False
    for i in range(work.body_excess.shape[0]):
        work.body_excess[i] = 0.0
    for t in range(model.tree_nv.shape[0]):
        if not changes(model, state, settings, work, t):
            continue
        root = model.tree_body[t]
        for i in range(root, root + model.tree_body_count[t]):
            if model.body_is_solid[i] == 0:
                continue
            work.body_excess[i] = excess(model, settings, work, i)
            is_any = is_any or work.body_excess[i] > 0.0
    return is_any


@kernel
def turned_way(model, settings, work, a, b):
    """Return by how much the bodies of two shapes turn past one another in a step [m].

    Writes: work.
    """
    i, j = model.shape_body[a], model.shape_body[b]
    turn = vec.sub(motion_of(model, work, i)[1], motion_of(model, work, j)[1])
    return settings.dt * vec.norm(turn) * min(body_reach(model, a), body_reach(model, b))


@kernel
def has_no_edges(kind):
    """Tell whether a shape has neither edges nor corners: its normal changes slowly, or not at all."""
    return kind == PLANE or kind == SPHERE or kind == ELLIPSOID


@kernel
def new_faces_may_come(kind, other):
    """Tell whether two shapes that turn past one another may meet along a normal, or at an end, that is new.

    Not where neither has edges. A plane has one normal only, but corners come down to it that were too far.
    """
    return not (has_no_edges(kind) and has_no_edges(other))


@kernel
def find_key(work, key):
    """Return the first contact whose key is not below the given one, of those that fitted."""
    return first_from(work.contact_key, min(work.contact_count[0], work.contact_key.shape[0]), key)


@kernel
def deepest_now(work, first, stop):
    """Return the least gap of the contacts from `first` to `stop` − 1 [m], 0 if none overlaps."""
    gap = 0.0
    for c in range(first, stop):
        gap = min(gap, work.contact_gap[c])
    return gap


@kernel
def free_key(work, key, feature):
    """Return the key of a feature of the pair whose first key is given, or the next free one; −1: none is."""
    wanted = key + feature
    for c in range(find_key(work, wanted), find_key(work, key + FEATURES)):
        if work.contact_key[c] != wanted:
            break
        wanted += 1
    return wanted if wanted < key + FEATURES else -1


@kernel
def insert(model, work, a, b, key, point, n, gap, travel):
    """Insert a contact of two shapes where its key belongs; count on without storing when full.

    The others keep the impulses that they have: the next solve goes on from these.

    Writes: work.
    """
    at = find_key(work, key)
    last = work.contact_count[0]
    work.contact_count[0] = last + 1
    if last >= work.contact_key.shape[0]:
        work.status[0] |= CAPACITY
        return
    for c in range(last, at, -1):
        move_contact(work, c - 1, c)
        vec.store(work.contact_impulse, c, vec.load(work.contact_impulse, c - 1))
        vec.store(work.contact_spin_impulse, c, vec.load(work.contact_spin_impulse, c - 1))
    vec.store(work.contact_impulse, at, (0.0, 0.0, 0.0))
    vec.store(work.contact_spin_impulse, at, (0.0, 0.0, 0.0))
    work.tree_met_ahead[model.body_tree[model.shape_body[a]]] = 1
    work.tree_met_ahead[model.body_tree[model.shape_body[b]]] = 1
    write_contact(model, work, at, a, b, key, point, n, gap, travel)
    work.contact_share[at] = 1.0


@kernel
def place_now(settings, work, i, p, motion):
    """Return where the point of body i is now that is at p one step later."""
    now = vec.load(work.body_pos, i)
    later = vec.axpy(settings.dt, motion[0], now)
    back = quat.to_matrix(quat.exp(vec.scale(-settings.dt, motion[1])))
    return vec.add(now, vec.mat_vec(back, vec.sub(p, later)))


@kernel
def add_point_ahead(model, settings, work, a, b, k, motion_a, motion_b):
    """Add point k of the manifold, of two shapes one step later, to the contacts of this step.

    Its places on both bodies go back with them; two moved bodies share the point between, which keeps angular
    momentum. The gap is what the way that was solved for closes, less what it overlaps: one that ends with
    that gap closed just touches. Return False if all keys of the pair are taken: then nothing is added.

    Writes: work.
    """
    key = free_key(work, first_key(model, a, b), int(work.manifold[k, 7]))
    if key < 0:
        return False
    i, j = model.shape_body[a], model.shape_body[b]
    row = work.manifold
    n = (row[k, 3], row[k, 4], row[k, 5])
    half = 0.5 * row[k, 6]
    p = (row[k, 0], row[k, 1], row[k, 2])
    place_a = place_now(settings, work, i, vec.axpy(half, n, p), motion_a)
    place_b = place_now(settings, work, j, vec.axpy(-half, n, p), motion_b)
    point = vec.scale(0.5, vec.add(place_a, place_b))
    if is_moved(model, i) and is_moved(model, j):
        place_a = place_b = point
    arm_a = vec.sub(place_a, vec.load(work.body_pos, i))
    arm_b = vec.sub(place_b, vec.load(work.body_pos, j))
    apart = vec.dot(
        n, vec.sub(moving_point_velocity(motion_a, arm_a), moving_point_velocity(motion_b, arm_b))
    )
    gap = row[k, 6] - settings.dt * min(apart, 0.0)
    insert(model, work, a, b, key, point, n, gap, vec.sub(place_a, place_b))
    return True


@kernel
def meet_later(model, settings, work, a, b, motion_a, motion_b):
    """Write where two shapes overlap one step later into the manifold; return how many points, or −1.

    Writes: work.
    """
    i = model.shape_body[a]
    j = model.shape_body[b]
    pos_a, rot_a = vec.load(work.body_pos, i), vec.load_mat(work.body_rot, i)
    pos_b, rot_b = vec.load(work.body_pos, j), vec.load_mat(work.body_rot, j)
    put_pose(work, i, pos_a, rot_a, motion_a, settings.dt)
    put_pose(work, j, pos_b, rot_b, motion_b, settings.dt)
    n = find_meeting(model, work, a, b, 0.0)
    vec.store(work.body_pos, i, pos_a)
    vec.store_mat(work.body_rot, i, rot_a)
    vec.store(work.body_pos, j, pos_b)
    vec.store_mat(work.body_rot, j, rot_b)
    return n


@kernel
def may_meet_anew(model, state, settings, work, a, b, has_contacts, least):
    """Tell whether two shapes may meet at points, or along normals, that no contact stands for.

    A gap along the normal of a contact holds for all ways but turns. Where there was no contact within reach,
    a pair that closes faster now may reach farther.

    Writes: work.
    """
    if has_contacts:
        return turned_way(model, settings, work, a, b) > least
    motion_a = motion_of(model, work, model.shape_body[a])
    motion_b = motion_of(model, work, model.shape_body[b])
    way = settings.dt * relative_speed(model, work, a, b, motion_a, motion_b)
    return way - pair_margin(model, state, settings, work, a, b) > least


@kernel
def look_at(model, state, settings, work, a, b, first, stop):
    """Add the points in which a pair of shapes overlaps one step later, and more than now; tell whether any.

    Its contacts are those from `first` to `stop` − 1.

    Writes: work.
    """
    i = model.shape_body[a]
    j = model.shape_body[b]
    touch = TOUCH * min(thickness(model, a), thickness(model, b))
    if not may_meet_anew(model, state, settings, work, a, b, first < stop, NEW_WAY * touch):
        return False
    motion_a = motion_of(model, work, i)
    motion_b = motion_of(model, work, j)
    n = meet_later(model, settings, work, a, b, motion_a, motion_b)
    deep = min(deepest_now(work, first, stop) - touch, -DEEP * touch)
    is_new = False
    for k in range(n):
        if work.manifold[k, 6] < deep:
            is_new = add_point_ahead(model, settings, work, a, b, k, motion_a, motion_b) or is_new
    return is_new


@kernel
def look(model, state, settings, work):
    """Look where the solved velocity leads shapes that may touch; return 1 if there are more contacts.

    How a body moves then is found when a pair asks for it: what stands on a plane does not.

    Writes: work.
    """
    if work.contact_count[0] == 0 or work.ahead_rounds[0] >= ROUNDS:
        return 0
    is_asked = is_new = False
    if any_hit(settings, work):
        forget_motions(work)
        is_asked = True
        if find_excess(model, state, settings, work):
            late_candidates.extend(model, settings, work)
            if work.status[0] & CAPACITY:
                return 0
    for k in range(work.candidate_count[0]):
        a = work.candidate_sorted[k, 0]
        b = work.candidate_sorted[k, 1]
        if not is_looked_after(model, a, b):
            continue
        key = first_key(model, a, b)
        first = find_key(work, key)
        stop = find_key(work, key + FEATURES)
        if first < stop and not new_faces_may_come(model.shape_kind[a], model.shape_kind[b]):
            continue
        if not is_asked:
            forget_motions(work)
            is_asked = True
        is_new = look_at(model, state, settings, work, a, b, first, stop) or is_new
        if work.status[0] & CAPACITY:
            return 0
    if not is_new:
        return 0
    work.ahead_rounds[0] += 1
    compliant_contacts.mark_compliant_contacts(
        model, state, work
    )  # contacts have other numbers now
    return 1
