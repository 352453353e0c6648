"""Stage `predicted_contacts.begin_prediction`: contacts that the solved motion meets later in the step.

The gap of a contact holds along its normal, which is exact for convex shapes that do not rotate. A corner
that is hit stops, and its body rotates about it: another corner, or another face at the same one, penetrates
by as much as the rotation of one step. So pairs that rotate past one another, or end faster than their
margins allow, are tested again at the poses to which the solved velocity leads (`solved_motions`); pairs that
only a faster body reaches are first searched among all bodies (`late_candidates`). A point that overlaps
there by more than now becomes a contact of this step: with the normal of that pose, the gap that its motion
closes, and lever arms rotated back with their bodies. Its island is then solved again. If a contact presses
at the point already, only the overlap that its row does not know of counts. Bodies that pass one another
within the step are tested at the pose of their impact.

Terrain is tested as a whole, so that its inner edges stay flat. Pairs that rebound or yield are free until
they touch; where they would pass one another, the step is too long: the contact stops those that rebound.
Source: constraints that are added where they are found violated, Stewart and Trinkle 1996, section 5.
"""

from math import cos, inf

from tribo.collision import advancement, late_candidates
from tribo.collision.advancement import TOUCH, least_thickness, moving_point_velocity, put_back, put_pose
from tribo.collision.broadphase import boxes_are_near, is_moved
from tribo.collision.late_candidates import DEEP
from tribo.collision.margins import SLACK, pair_margin, relative_motion, relative_speed, weight_way
from tribo.collision.meeting import find_meeting
from tribo.collision.narrowphase import (
    FEATURES,
    first_key,
    is_looked_after,
    is_of_other_points,
    move_contact,
    write_contact,
)  # fmt: skip
from tribo.collision.point import deepest
from tribo.collision.sorted_keys import first_from
from tribo.compiler.jit import kernel
from tribo.contact.compliant import compliant_contacts
from tribo.contact.far_contacts import far_place, gap_rate, is_at_later_pose, later_gap
from tribo.contact.problem.contact_drift import FAR
from tribo.contact.problem.contact_targets import slow_speed
from tribo.contact.problem.islands import find_representative
from tribo.contact.solved_motions import forget_motions, motion_of, row_motion
from tribo.contact.solver.natural_residual import FLAGGED
from tribo.dynamics.integrate import has_impulse
from tribo.math import quat, vec
from tribo.model import Shape, Status

ROUNDS = 3  # of prediction and solve per step
HAS_ROW = -1.0  # `Work.contact_share` of a deferred contact that has received a row in this step
ZERO = (0.0, 0.0, 0.0)


@kernel
def begin_prediction(work):
    """Begin a step: no contact was predicted, and nothing solved.

    Writes: work.
    """
    work.prediction_rounds[0] = 0
    work.solves[0] = 0
    work.newton_steps[0] = 0


@kernel
def any_hit(settings, work):
    """Tell whether a contact is hit in this step: only that makes a body much faster within it."""
    slow = slow_speed(settings)
    is_any = False
    for c in range(work.contact_count[0]):
        is_any = is_any or (work.contact_vel[c, 2] < -slow and has_impulse(work, c))
    return is_any


@kernel
def find_excess(model, state, settings, work):
    """Write the motion of the surface of each body in a step beyond its margin [m]; tell whether any has one.

    Writes: work.
    """
    is_any = False
    for i in range(work.body_excess.shape[0]):
        work.body_excess[i] = 0.0
    for t in range(model.tree_nv.shape[0]):
        change = 0.0
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            change += abs(work.next_v[dof] - state.v[dof])
        if settings.dt * change <= SLACK:
            continue
        root = model.tree_body[t]
        for i in range(root, root + model.tree_body_count[t]):
            if model.body_is_solid[i] == 1:
                velocity, spin = motion_of(model, state, settings, work, i)
                way = settings.dt * (vec.norm(velocity) + vec.norm(spin) * model.body_radius[i])
                work.body_excess[i] = max(0.0, way - work.body_margin[i])
                is_any = is_any or work.body_excess[i] > 0.0
    return is_any


@kernel
def has_no_edges(kind):
    """Tell whether a shape is the same in all directions of a rotation, or flat without an end."""
    return kind == Shape.PLANE or kind == Shape.SPHERE


@kernel
def find_key(work, key):
    """Return the first stored contact whose key is not below `key`."""
    return first_from(work.contact_key, min(work.contact_count[0], work.contact_key.shape[0]), key)


@kernel
def free_key(work, key, feature):
    """Return the key of a feature of the pair with first key `key`, or the next free one; −1: none."""
    wanted = key + feature
    for c in range(find_key(work, wanted), find_key(work, key + FEATURES)):
        if work.contact_key[c] != wanted:
            break
        wanted += 1
    return wanted if wanted < key + FEATURES else -1


@kernel
def insert_contact(model, work, a, b, key, point, n, gap, travel):
    """Insert a contact of two shapes in the order of keys; if the table is full, only count it.

    The others keep their impulses, from which the next solve continues. Where the pair rebounds or yields,
    which the contact does not do in mid step, the step is too long.

    Writes: work.
    """
    work.status[0] |= Status.TIME_STEP_TOO_LONG if not is_looked_after(model, a, b) else 0
    at = find_key(work, key)
    last = work.contact_count[0]
    work.contact_count[0] = last + 1
    if last > far_place(work, work.far_count[0]):
        work.contact_count[0] += work.far_count[0]
        work.status[0] |= Status.CAPACITY
        return
    for c in range(last, at, -1):
        move_contact(work, c - 1, c)
        vec.store(work.contact_impulse, c, vec.load(work.contact_impulse, c - 1))
        vec.store(work.contact_spin_impulse, c, vec.load(work.contact_spin_impulse, c - 1))
    vec.store(work.contact_impulse, at, ZERO)
    vec.store(work.contact_spin_impulse, at, ZERO)
    write_contact(model, work, at, a, b, key, point, n, gap, travel)
    work.contact_share[at] = 1.0


@kernel
def add_far_contact(model, work, c):
    """Give a row to the deferred contact at index c; tell whether a key was free.

    Writes: work.
    """
    a, b = work.contact_shape[c, 0], work.contact_shape[c, 1]
    n = vec.load_from(work.contact_axes, c, 6)
    point, share = vec.load(work.contact_pos, c), work.contact_share[c]
    first = first_key(model, a, b)
    key = free_key(work, first, work.contact_key[c] - first)  # a predicted point may have it
    work.contact_share[c] = HAS_ROW
    if key < 0:
        return False
    insert_contact(model, work, a, b, key, point, n, work.contact_gap[c], ZERO)
    if work.status[0] & Status.CAPACITY == 0:
        work.contact_share[find_key(work, key)] = share
    return True


@kernel
def is_reached(model, state, settings, work, c):
    """Tell whether the solved motion closes the gap of the deferred contact c.

    Writes: work.
    """
    motion_a = motion_of(model, state, settings, work, work.contact_body[c, 0])
    motion_b = motion_of(model, state, settings, work, work.contact_body[c, 1])
    return later_gap(model, settings, work, c, motion_a, motion_b) < 0.0


@kernel
def add_reached(model, state, settings, work):
    """Give rows to the deferred contacts that the solved motion reaches; tell whether there are any.

    If that happens a second time in a step, all deferred contacts get rows: then none is left to test.

    Writes: work.
    """
    is_second = is_any = False
    for k in range(work.far_count[0]):
        c = far_place(work, k)
        if work.contact_share[c] == HAS_ROW:
            is_second = True
        elif not is_any:
            is_any = is_reached(model, state, settings, work, c)
    if not is_any:
        return False
    is_new = False
    for k in range(work.far_count[0]):
        c = far_place(work, k)
        is_taken = work.contact_share[c] == HAS_ROW
        if not is_taken and (is_second or is_reached(model, state, settings, work, c)):
            is_new = add_far_contact(model, work, c) or is_new
            if work.status[0] & Status.CAPACITY:
                return False
    return is_new


@kernel
def place_before_motion(work, i, p, motion, time):
    """Return the present position of the point of body i that is at p after a time of a motion."""
    now = vec.load(work.body_pos, i)
    later = vec.axpy(time, motion[0], now)
    back = quat.to_matrix(quat.exp(vec.scale(-time, motion[1])))
    return vec.add(now, vec.mat_vec(back, vec.sub(p, later)))


@kernel
def add_predicted_point(model, work, a, b, k, motion_a, motion_b, time):
    """Add point k of the manifold of two shapes at a time of this step to its contacts.

    Its points on both bodies move back with these; two moved bodies share the midpoint, which conserves
    angular momentum. The gap is what the solved motion closes, plus the (negative) gap of the manifold: if
    just that is closed, the shapes touch. Returns False if no key of the pair is free: nothing is added then.

    Writes: work.
    """
    key = free_key(work, first_key(model, a, b), int(work.manifold[k, 7]))
    if key < 0:
        return False
    i, j = model.shape_body[a], model.shape_body[b]
    p, n = vec.load(work.manifold, k), vec.load_from(work.manifold, k, 3)
    half = 0.5 * work.manifold[k, 6]
    place_a = place_before_motion(work, i, vec.axpy(half, n, p), motion_a, time)
    place_b = place_before_motion(work, j, vec.axpy(-half, n, p), motion_b, time)
    point = vec.scale(0.5, vec.add(place_a, place_b))
    if is_moved(model, i) and is_moved(model, j):
        place_a = place_b = point
    arm_a = vec.sub(place_a, vec.load(work.body_pos, i))
    arm_b = vec.sub(place_b, vec.load(work.body_pos, j))
    speed_a = moving_point_velocity(row_motion(work, i), arm_a)  # as the row measures it
    apart = vec.dot(n, vec.sub(speed_a, moving_point_velocity(row_motion(work, j), arm_b)))
    gap = work.manifold[k, 6] - time * min(apart, 0.0)
    insert_contact(model, work, a, b, key, point, n, gap, vec.sub(place_a, place_b))
    return True


@kernel
def collide_in_passing(model, settings, work, a, b, motion_a, motion_b):
    """Write the points at which two shapes that pass one another meet; return their number, and when [s].

    They pass if they are apart now, and move in the step beyond a plane of their impact by more than they are
    thick. The bodies are then at the poses of the impact.

    Writes: work.
    """
    thin = least_thickness(model, a, b)
    way = settings.dt * relative_speed(model, work, a, b, motion_a, motion_b)
    if not way > thin or model.shape_kind[a] == Shape.PLANE or model.shape_kind[b] == Shape.PLANE:
        return 0, settings.dt
    n = find_meeting(model, work, a, b, way)
    if n <= 0 or work.manifold[deepest(work.manifold, n), 6] <= 0.0:
        return min(n, 0), settings.dt
    touch = advancement.impact_depth(model, a, b, way)
    time, n = advancement.advance_to_impact(model, work, a, b, n, way, motion_a, motion_b, touch, settings.dt)
    left = settings.dt - time
    return (n if advancement.crosses_plane(model, work, a, b, n, motion_a, motion_b, left, thin) else 0), time


@kernel
def collide_later(model, settings, work, a, b, motion_a, motion_b):
    """Write the points at which two shapes meet later in the step; return their number, or −1, and when [s].

    Shapes that pass one another: at their impact; others: where they overlap at the end.

    Writes: work.
    """
    i, j = model.shape_body[a], model.shape_body[b]
    pos_a, rot_a = vec.load(work.body_pos, i), vec.load_mat(work.body_rot, i)
    pos_b, rot_b = vec.load(work.body_pos, j), vec.load_mat(work.body_rot, j)
    n, time = collide_in_passing(model, settings, work, a, b, motion_a, motion_b)
    if n == 0:
        time = settings.dt
        put_pose(work, i, pos_a, rot_a, motion_a, time)
        put_pose(work, j, pos_b, rot_b, motion_b, time)
        n = find_meeting(model, work, a, b, 0.0)
    put_back(work, i, j, pos_a, rot_a, pos_b, rot_b)
    return n, time


@kernel
def nearest_contact(work, key, near, far):
    """Return the contact of a pair with the least gap (−1: none), and the updated indices near and far.

    key: first key of the pair; near, far: where to start in the contacts and in the deferred ones, which are
    both sorted by key.
    """
    keys, gap = work.contact_key, work.contact_gap
    nearest = -1
    while near < work.contact_count[0] and keys[near] < key:
        near += 1
    c = near
    while c < work.contact_count[0] and keys[c] < key + FEATURES:
        nearest = c if nearest < 0 or gap[c] < gap[nearest] else nearest
        c += 1
    while far < work.far_count[0] and keys[far_place(work, far)] < key:
        far += 1
    k = far
    while k < work.far_count[0] and keys[far_place(work, k)] < key + FEATURES:
        c = far_place(work, k)
        nearest = c if nearest < 0 or gap[c] < gap[nearest] else nearest
        k += 1
    return nearest, near, far


@kernel
def may_touch_elsewhere(model, state, settings, work, a, b, nearest, least):
    """Tell whether two shapes may touch at points, or along normals, without a contact.

    The gap along the normal is exact without rotation. Between convex shapes it bounds the distance of all
    points from the separating plane: if rotations do not use it up, nothing touches. A pair without a contact
    within reach may reach farther if it closes faster now.

    nearest: the contact with the least gap, −1: none; least: smallest relevant displacement by rotation [m].

    Writes: work.
    """
    i, j = model.shape_body[a], model.shape_body[b]
    motion_a = motion_of(model, state, settings, work, i)
    motion_b = motion_of(model, state, settings, work, j)
    if nearest < 0:
        if work.body_next_motion[i, 6] + work.body_next_motion[j, 6] <= weight_way(settings):
            return False
        way = settings.dt * relative_speed(model, work, a, b, motion_a, motion_b)
        if way - pair_margin(model, state, settings, work, a, b) <= least:
            return False
        has_plane = model.shape_kind[a] == Shape.PLANE or model.shape_kind[b] == Shape.PLANE
        return has_plane or boxes_are_near(work.shape_bound, a, work.shape_bound, b, way)
    along, turning = relative_motion(model, work, a, b, motion_a, motion_b)
    turned = settings.dt * turning
    if turned <= least:
        return False
    if max(model.shape_kind[a], model.shape_kind[b]) >= Shape.SURFACE or is_at_later_pose(work, nearest):
        return True
    n = vec.load_from(work.contact_axes, nearest, 6)
    turn = settings.dt * (vec.norm(motion_a[1]) + vec.norm(motion_b[1]))
    bent = turn * (turned + settings.dt * vec.norm(along))  # second order
    return work.contact_gap[nearest] + settings.dt * vec.dot(n, along) - turned - bent < 0.0


@kernel
def is_unsolved(work, tree):
    """Tell whether the solve of a tree's island failed: its motion is none to look ahead with."""
    return FLAGGED < work.island_miss[find_representative(work.tree_island, tree)] < inf


@kernel
def known_gap(model, settings, work, a, b, k):
    """Return the later gap that point k of the manifold has by a row, at most 0 [m]; 0 without such a row.

    The row of a contact that presses at the point, along nearly the same normal, leaves the overlap at which
    its curved path is closed at the ends of steps (`gap_allowance`).
    """
    key = first_key(model, a, b) + int(work.manifold[k, 7])
    c = find_key(work, key)
    if c == work.contact_count[0] or work.contact_key[c] != key or not work.contact_impulse[c, 2] > 0.0:
        return 0.0
    n = vec.load_from(work.manifold, k, 3)
    if is_at_later_pose(work, c) or vec.dot(n, vec.load_from(work.contact_axes, c, 6)) < cos(FAR):
        return 0.0
    motion_a, motion_b = row_motion(work, work.contact_body[c, 0]), row_motion(work, work.contact_body[c, 1])
    rate = gap_rate(work, c, motion_a, motion_b) + work.contact_drift[c, 2]
    return min(0.0, work.contact_gap[c] + settings.dt * rate)


@kernel
def predict_pair(model, state, settings, work, a, b, nearest):
    """Add the points at which a pair overlaps later in the step, more than now; tell whether there are any.

    nearest: the contact of the pair with the least gap, −1: none.

    Writes: work.
    """
    i, j = model.shape_body[a], model.shape_body[b]
    touch = TOUCH * least_thickness(model, a, b)
    if not may_touch_elsewhere(model, state, settings, work, a, b, nearest, DEEP * touch):
        return False
    if is_unsolved(work, model.body_tree[i]) or is_unsolved(work, model.body_tree[j]):
        return False
    motion_a = motion_of(model, state, settings, work, i)
    motion_b = motion_of(model, state, settings, work, j)
    n, time = collide_later(model, settings, work, a, b, motion_a, motion_b)
    passes = n > 0 and time < settings.dt
    if not passes and not is_looked_after(model, a, b):
        return False
    now = min(0.0, work.contact_gap[nearest]) if nearest >= 0 else 0.0
    is_new = False
    for k in range(n):
        least = now - touch
        if not passes:
            least = min(least, known_gap(model, settings, work, a, b, k) - DEEP * touch)
        if passes or work.manifold[k, 6] < least:
            is_new = add_predicted_point(model, work, a, b, k, motion_a, motion_b, time) or is_new
    return is_new


@kernel
def predict_pairs(model, state, settings, work):
    """Test all pairs that may touch at points without a contact; tell whether contacts were added.

    Writes: work.
    """
    is_new = False
    near = far = 0
    for k in range(work.candidate_count[0]):
        a, b = work.candidate_sorted[k, 0], work.candidate_sorted[k, 1]
        nearest, near, far = nearest_contact(work, first_key(model, a, b), near, far)
        if not is_looked_after(model, a, b) and (nearest >= 0 or is_of_other_points(model, a, b)):
            continue
        if nearest >= 0 and has_no_edges(model.shape_kind[a]) and has_no_edges(model.shape_kind[b]):
            continue
        is_new = predict_pair(model, state, settings, work, a, b, nearest) or is_new
        if work.status[0] & Status.CAPACITY:
            return False
    return is_new


@kernel
def add_predicted_contacts(model, state, settings, work):
    """Test the poses to which the solved velocity leads; return 1 if contacts were added.

    Writes: work.
    """
    if work.contact_count[0] + work.far_count[0] == 0:
        return 0
    forget_motions(work)
    is_new = add_reached(model, state, settings, work)
    if not is_new and work.prediction_rounds[0] < ROUNDS:
        if any_hit(settings, work) and find_excess(model, state, settings, work):
            late_candidates.extend(model, settings, work)
        if work.status[0] & Status.CAPACITY == 0:
            is_new = predict_pairs(model, state, settings, work)
        work.prediction_rounds[0] += int(is_new)
    if work.status[0] & Status.CAPACITY or not is_new:
        return 0
    compliant_contacts.mark_compliant(model, state, work)  # the indices of contacts have changed
    return 1
