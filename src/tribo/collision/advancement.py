"""Contacts of moving shapes: the planes that the motion of this step reaches, by conservative advancement.

The separating plane of two convex shapes holds for their present poses. The free space around a convex shape
is not convex: a body that passes a corner crosses that plane and touches nothing. So a plane is used as it is
only if the motion of the step does not cross it with the points of the contact; bodies of two trees that move
more than they are thick may not cross it with any part of their surfaces. On terrain only slower bodies use
it, since terrain may rise ahead, above the planes of its nearest points. Otherwise both bodies advance at
their present velocities, each time by a step after which surfaces overlap by at most `touch` (`time_apart`):

* no impact within the step: the planes at its end are used;
* an impact along nearly the same normal: the present planes are used;
* an impact along another normal, or of bodies that move more than they are thick: the planes then are used.

Planes of a later pose are brought back to the present: the gap is the motion that closes it until then.

A fast body that is hit at a corner rotates about it, and other corners follow within the same step. So the
core of a body (`core`) that approaches the same face is a contact, too, like a ball of its own: the centre of
mass does not come nearer than that. Only free bodies have a core, since joints and constraints curve the path
of others. The core of a pair that rebounds only stops (`contact_targets`); with `propagate` it has none.
Source: Mirtich 1996, Impulse-based dynamic simulation of rigid body systems, chapter 2.
"""

import math

from tribo.collision.broadphase import is_moved
from tribo.collision.core import core_radius
from tribo.collision.margins import origin_motion
from tribo.collision.meeting import find_meeting
from tribo.collision.mesh_points import half_size
from tribo.collision.place import shape_pose
from tribo.collision.point import deepest
from tribo.collision.solid import extent, load_solid, radius, support_at
from tribo.compiler.jit import kernel
from tribo.math import quat, vec
from tribo.model import Impact, Integrator, Pair, Shape

HORIZONS = 3  # of a bound of motion, each nearer than the one before
ROUNDS = 64  # of an advancement; a pair that still advances then counts as an impact
TOUCH = 1e-3  # [-] of the smaller solid: depth of an impact; of that depth: a gap that counts as 0
DEEPEST = 0.1  # [-] of the smaller solid: largest depth of an impact on terrain
SIMILAR = 0.9  # cosine of two normals, above which the present planes serve for the impact
CORE = 2047.0  # feature of the core of A, that of B is one less; all others are smaller
SAME_PLANE = 1.0 - 1e-9  # cosine of two normals
ZERO = (0.0, 0.0, 0.0)
NO_CORE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1e300)


@kernel
def thickness(model, s):
    """Return a length of the order of the least half size of a shape; 1e300 for planes and terrain."""
    kind = model.shape_kind[s]
    if kind == Shape.SURFACE and is_moved(model, model.shape_body[s]):
        return half_size(model, s)
    if kind == Shape.PLANE or kind >= Shape.SURFACE:
        return 1e300
    return extent(load_solid(model, s))


@kernel
def least_thickness(model, a, b):
    """Return the smaller `thickness` of two shapes."""
    return min(thickness(model, a), thickness(model, b))


@kernel
def impact_depth(model, a, b, way):
    """Return the depth at which two shapes that approach by a way count as hit [m]: on terrain more."""
    thin = least_thickness(model, a, b)
    if max(model.shape_kind[a], model.shape_kind[b]) < Shape.SURFACE:
        return TOUCH * thin
    return max(TOUCH * thin, min(DEEPEST * thin, way / ROUNDS))


@kernel
def put_pose(work, i, pos, rot, motion, time):
    """Write the pose of body i after a time at a constant motion.

    Writes: work.
    """
    vec.store(work.body_pos, i, vec.axpy(time, motion[0], pos))
    if motion[1] == ZERO:
        vec.store_mat(work.body_rot, i, rot)
        return
    turn = quat.to_matrix(quat.exp(vec.scale(time, motion[1])))
    vec.store_mat(work.body_rot, i, vec.mat_mul(turn, rot))


@kernel
def has_own_times(model, settings, a, b):
    """Tell whether two shapes of finite depth rebound when they meet (`impact = "propagate"`)."""
    e = model.pair_table[model.shape_material[a], model.shape_material[b], Pair.RESTITUTION]
    rebounds = settings.impact == Impact.PROPAGATE and e + settings.erp2 > 0.0
    return rebounds and model.shape_kind[a] != Shape.PLANE and model.shape_kind[b] != Shape.PLANE


@kernel
def core_contact(model, settings, work, a, b, margin):
    """Return the contact of the core of shape a with shape b: a point, the normal into a, the gap.

    Writes: work.
    """
    if has_own_times(model, settings, a, b) or not is_moved(model, model.shape_body[a]):
        return NO_CORE
    t = model.body_tree[model.shape_body[a]]
    if model.tree_is_single[t] == 0 or model.tree_is_constrained[t] == 1:
        # Joints and constraints curve its path.
        return NO_CORE
    if not core_radius(model, a) > 0.0:
        return NO_CORE
    n = find_meeting(model, work, -1 - a, b, margin)
    if n <= 0:
        return NO_CORE
    row = work.manifold
    k = deepest(row, n)
    return (row[k, 0], row[k, 1], row[k, 2], row[k, 3], row[k, 4], row[k, 5], row[k, 6])


@kernel
def add_core(work, n, contact, sign, feature):
    """Append the contact of a core to the manifold of n points; return the next row.

    Only along a normal that is already there: on a flat face the same plane supports the core.

    Writes: work.
    """
    if not contact[6] < 1e300:
        return n
    row = work.manifold
    is_known = False
    for k in range(n):
        along = row[k, 3] * contact[3] + row[k, 4] * contact[4] + row[k, 5] * contact[5]
        is_known = is_known or sign * along > SAME_PLANE
    if not is_known:
        return n
    row[n, 0] = contact[0]
    row[n, 1] = contact[1]
    row[n, 2] = contact[2]
    row[n, 3] = sign * contact[3]
    row[n, 4] = sign * contact[4]
    row[n, 5] = sign * contact[5]
    row[n, 6] = contact[6]
    row[n, 7] = feature
    return n + 1


@kernel
def surface_spin(model, work, s, spin):
    """Return the part of a body's angular velocity that moves the surface of shape s [rad/s].

    Rotation of a shape of revolution about its own axis does not move its surface.
    """
    kind = model.shape_kind[s]
    place = vec.load(model.shape_pos, s)
    if kind == Shape.SPHERE:
        return spin if vec.dot(place, place) > 0.0 else ZERO
    if kind != Shape.CAPSULE and kind != Shape.CYLINDER and kind != Shape.CONE:
        return spin
    rot = vec.load_mat(model.shape_rot, s)
    axis = (rot[2], rot[5], rot[8])
    off = vec.cross(axis, place)
    if vec.dot(off, off) > 0.0:
        return spin
    axis = vec.mat_vec(vec.load_mat(work.body_rot, model.shape_body[s]), axis)
    return vec.axpy(-vec.dot(axis, spin), axis, spin)


@kernel
def farthest_along(model, work, s, d):
    """Return max d · p over the points p of a convex shape, from its body's origin."""
    pos, rot = shape_pose(model, work, s)
    solid = load_solid(model, s)
    arm = vec.sub(support_at(model, work, solid, pos, rot, d), vec.load(work.body_pos, model.shape_body[s]))
    return vec.dot(d, arm) + radius(solid) * vec.norm(d)


@kernel
def time_apart(model, work, a, b, normal, gap, left, motion_a, motion_b):
    """Return for how much of the remaining time the surfaces of two shapes close no more than a gap [s].

    Convex shapes stay apart while they are separated along a normal n. A point p of A, from its body's
    origin, is at n · (p + t (v + ω_s × p)) along n, up to ‖ω_s‖ (‖ω_s‖ + ‖ω − ω_s‖) ‖p‖ t²/2; ω_s is the part
    of ω that moves the surface. The least over A and the most over B are at supports along n + t n × ω_s.
    Together these close a convex function of t that begins with 0: until a time T, its horizon, it lies below
    its chord. With the slope c of the chord the bound is

        c t + bend t²/2 ≤ gap,

    and nearer horizons have flatter chords. Terrain has many normals; it closes by at most
    t (‖v‖ + Σ ‖ω_s‖ r).
    """
    r_a, r_b = model.body_radius[model.shape_body[a]], model.body_radius[model.shape_body[b]]
    spin_a, spin_b = surface_spin(model, work, a, motion_a[1]), surface_spin(model, work, b, motion_b[1])
    relative = vec.sub(motion_a[0], motion_b[0])
    fast_a, fast_b = vec.norm(spin_a), vec.norm(spin_b)
    if model.shape_kind[a] >= Shape.SURFACE or model.shape_kind[b] >= Shape.SURFACE:
        closing = vec.norm(relative) + fast_a * r_a + fast_b * r_b
        return gap / closing if closing * left > gap else left
    bend = fast_a * (fast_a + vec.norm(vec.sub(motion_a[1], spin_a))) * r_a
    bend += fast_b * (fast_b + vec.norm(vec.sub(motion_b[1], spin_b))) * r_b
    turn_a, turn_b = vec.cross(spin_a, normal), vec.cross(normal, spin_b)
    here = farthest_along(model, work, a, vec.neg(normal)) + farthest_along(model, work, b, normal)
    apart = 0.0
    horizon = left
    for _ in range(HORIZONS):
        later = farthest_along(model, work, a, vec.axpy(horizon, turn_a, vec.neg(normal)))
        later += farthest_along(model, work, b, vec.axpy(horizon, turn_b, normal))
        chord = (later - here) / horizon - vec.dot(normal, relative)
        if horizon * (chord + 0.5 * horizon * bend) <= gap:
            return horizon
        root = math.sqrt(chord * chord + 2.0 * bend * gap)
        apart = max(apart, 2.0 * gap / (root + chord) if chord > 0.0 else (root - chord) / bend)
        horizon = math.sqrt(apart * horizon)
    return apart


@kernel
def advance_to_impact(model, work, a, b, n, margin, motion_a, motion_b, touch, end):
    """Advance two bodies until their shapes overlap by about `touch`/2; return the time [s] and the points.

    Starts with their manifold of n points, all apart; leaves the bodies at the poses of impact, and the
    points there in the manifold. No points: there is no impact until `end`, where the bodies are then.
    Between two rounds no overlap exceeds `touch`.

    Writes: work.
    """
    i = model.shape_body[a]
    j = model.shape_body[b]
    pos_a, rot_a = vec.load(work.body_pos, i), vec.load_mat(work.body_rot, i)
    pos_b, rot_b = vec.load(work.body_pos, j), vec.load_mat(work.body_rot, j)
    row = work.manifold
    time = 0.0
    for _ in range(ROUNDS):
        k = deepest(row, n)
        gap = row[k, 6]
        if gap <= -0.5 * touch:
            return time, n
        normal = (row[k, 3], row[k, 4], row[k, 5])
        left = end - time
        apart = time_apart(model, work, a, b, normal, gap + touch, left, motion_a, motion_b)
        if apart >= left:
            n = 0
            break
        time += apart
        put_pose(work, i, pos_a, rot_a, motion_a, time)
        put_pose(work, j, pos_b, rot_b, motion_b, time)
        n = find_meeting(model, work, a, b, margin * (1.0 - time / end))
        if n == 0:
            break
    if n > 0:  # still closing: counts as an impact
        return time, n
    put_pose(work, i, pos_a, rot_a, motion_a, end)
    put_pose(work, j, pos_b, rot_b, motion_b, end)
    return end, n


@kernel
def put_back(work, i, j, pos_a, rot_a, pos_b, rot_b):
    """Restore the poses of two bodies.

    Writes: work.
    """
    vec.store(work.body_pos, i, pos_a)
    vec.store_mat(work.body_rot, i, rot_a)
    vec.store(work.body_pos, j, pos_b)
    vec.store_mat(work.body_rot, j, rot_b)


@kernel
def moving_point_velocity(motion, arm):
    """Return the velocity of a point of a moving body at an arm from its origin."""
    return vec.add(motion[0], vec.cross(motion[1], arm))


@kernel
def bring_back(work, i, j, k, time, motion_a, motion_b, shares):
    """Convert point k of the manifold, of a pose after some time (< 0: before), to one of the present pose.

    The point is the midpoint of its two positions on the bodies, the gap the motion that closes it. Each body
    has a point of its own, A's is B's plus `work.travel`, unless they share the midpoint.

    Writes: work.
    """
    row = work.manifold
    p = vec.load(row, k)
    n = (row[k, 3], row[k, 4], row[k, 5])
    pos_a, pos_b = vec.load(work.body_pos, i), vec.load(work.body_pos, j)
    arm_a = vec.sub(p, vec.axpy(time, motion_a[0], pos_a))
    arm_b = vec.sub(p, vec.axpy(time, motion_b[0], pos_b))
    way = vec.axpy(row[k, 6], n, vec.scale(time, vec.sub(motion_b[0], motion_a[0])))
    middle = vec.axpy(-0.5 * time, vec.add(motion_a[0], motion_b[0]), p)
    if shares:
        arm_a, arm_b, way = vec.sub(middle, pos_a), vec.sub(middle, pos_b), ZERO
    approach = -vec.dot(
        n, vec.sub(moving_point_velocity(motion_a, arm_a), moving_point_velocity(motion_b, arm_b))
    )
    vec.store(work.travel, k, way)
    work.travel[k, 3] = time
    vec.store(row, k, middle)
    row[k, 6] = max(row[k, 6] + time * approach, min(row[k, 6], 0.0) if time > 0.0 else -math.inf)


@kernel
def crosses_plane(model, work, a, b, n, motion_a, motion_b, time, depth):
    """Tell whether n points move beyond their planes by more than `depth` in a time at constant motion."""
    row = work.manifold
    pos_i = vec.load(work.body_pos, model.shape_body[a])
    pos_j = vec.load(work.body_pos, model.shape_body[b])
    for k in range(n):
        p = vec.load(row, k)
        normal = (row[k, 3], row[k, 4], row[k, 5])
        at_a = moving_point_velocity(motion_a, vec.sub(p, pos_i))
        at_b = moving_point_velocity(motion_b, vec.sub(p, pos_j))
        if max(row[k, 6], 0.0) + time * vec.dot(normal, vec.sub(at_a, at_b)) < -depth:
            return True
    return False


@kernel
def meet_before_middle(model, state, settings, work, a, b, margin):
    """Write the contacts of two shapes that pass one another before the middle; return their number.

    The step before keeps bodies apart until then, unless position or velocity were set or they rebound at
    their own times. They pass if they move beyond a plane of their impact, or of where they touched, by more
    than the least half width of both. Their paths are taken as straight.

    Writes: work.
    """
    i, j = model.shape_body[a], model.shape_body[b]
    is_set = work.tree_was_set[model.body_tree[i]] + work.tree_was_set[model.body_tree[j]] > 0
    has_own = has_own_times(model, settings, a, b)
    thin = least_thickness(model, a, b)
    if not ((is_set or has_own) and margin > thin) or settings.integrator == Integrator.SEMI_IMPLICIT:
        return 0
    motion_a, motion_b = origin_motion(model, state, work, i), origin_motion(model, state, work, j)
    pos_a, rot_a = vec.load(work.body_pos, i), vec.load_mat(work.body_rot, i)
    pos_b, rot_b = vec.load(work.body_pos, j), vec.load_mat(work.body_rot, j)
    end, touch = 0.5 * settings.dt, TOUCH * thin
    put_pose(work, i, pos_a, rot_a, motion_a, -end)
    put_pose(work, j, pos_b, rot_b, motion_b, -end)
    time, n = 0.0, find_meeting(model, work, a, b, margin)
    if n > 0:
        time, n = advance_to_impact(model, work, a, b, n, margin, motion_a, motion_b, touch, end)
    n = n if crosses_plane(model, work, a, b, n, motion_a, motion_b, end - time, thin) else 0
    put_back(work, i, j, pos_a, rot_a, pos_b, rot_b)
    for k in range(n if has_own else 0):
        bring_back(work, i, j, k, time - end, motion_a, motion_b, False)
    return n


@kernel
def meet_moving(model, state, settings, work, a, b, margin, beyond):
    """Write the contacts of two shapes that the step may close; return their number, or −1 (`find_meeting`).

    beyond: gap beyond the margin at which they have contacts, too [m].

    Writes: work.
    """
    n = find_meeting(model, work, a, b, margin + beyond)
    if n <= 0 or model.shape_kind[a] == Shape.PLANE or model.shape_kind[b] == Shape.PLANE:
        return n
    row = work.manifold
    thin = least_thickness(model, a, b)
    touch = TOUCH * thin
    k = deepest(row, n)
    touches = row[k, 6] <= TOUCH * touch
    is_fast = margin > thin
    is_of_meshes = min(model.shape_kind[a], model.shape_kind[b]) >= Shape.SURFACE  # many planes
    if (touches or is_of_meshes) and not is_fast:
        return n
    dt = settings.dt
    i, j = model.shape_body[a], model.shape_body[b]
    motion_a = origin_motion(model, state, work, i)
    motion_b = origin_motion(model, state, work, j)
    is_on_terrain = max(model.shape_kind[a], model.shape_kind[b]) >= Shape.SURFACE
    is_one_tree = model.body_tree[i] == model.body_tree[j]
    normal = (row[k, 3], row[k, 4], row[k, 5])
    if not touches and not (is_fast and is_on_terrain):
        stays = not crosses_plane(model, work, a, b, n, motion_a, motion_b, dt, TOUCH * touch)
        if stays and is_fast and not is_one_tree:  # other points may come down as a body turns
            gap = row[k, 6] + touch
            stays = time_apart(model, work, a, b, normal, gap, dt, motion_a, motion_b) >= dt
        if stays:
            return n
    pos_a, rot_a = vec.load(work.body_pos, i), vec.load_mat(work.body_rot, i)
    pos_b, rot_b = vec.load(work.body_pos, j), vec.load_mat(work.body_rot, j)
    time = 0.0
    if not touches:
        touch = impact_depth(model, a, b, margin)
        time, n = advance_to_impact(model, work, a, b, n, margin, motion_a, motion_b, touch, dt)
    left = margin
    core_a = core_b = NO_CORE
    if n > 0:  # an impact
        k = deepest(row, n)
        along = vec.dot(normal, (row[k, 3], row[k, 4], row[k, 5]))
        if not is_fast and along > SIMILAR:
            put_back(work, i, j, pos_a, rot_a, pos_b, rot_b)
            return find_meeting(model, work, a, b, margin + beyond)
        left *= 1.0 - time / dt
        if is_fast:
            core_a = core_contact(model, settings, work, a, b, left)
            core_b = core_contact(model, settings, work, b, a, left)
    n = find_meeting(model, work, a, b, left + beyond)
    n = add_core(work, n, core_b, -1.0, CORE - 1.0)
    n = add_core(work, n, core_a, 1.0, CORE)
    put_back(work, i, j, pos_a, rot_a, pos_b, rot_b)
    if touches:  # the poses did not change
        return n
    # A shared point conserves angular momentum; fast bodies have the lever arms of the impact.
    shares = (is_one_tree or not is_fast) and is_moved(model, i) and is_moved(model, j)
    for k in range(n):
        bring_back(work, i, j, k, time, motion_a, motion_b, shares)
    return n
