"""Fast pairs: where on their way through the step do two shapes meet? By conservative advancement.

Both bodies go on as they move now, unseen for as long as the gap lets them: the gap over a bound of the
speed at which it can close. What does not meet within the step has no contacts but those that slow bodies
would have. What meets gets its contacts there, with normals and lever arms of that place; the gap of a
contact is what its surfaces travel towards one another until then.

A body that is hit at a corner turns around it, and its other corners come after within the same step. So the
core of a body (`core`) that comes down on the same face is a contact too, as if it were a ball of its own:
wherever the corners are, its centre of mass does not come nearer than that. Where a pair rebounds it has
none: the rebound of the core would be that of a body that does not turn.
Source: Mirtich 1996, Impulse-based dynamic simulation of rigid body systems, chapter 2.
"""

from tribo.collision.broadphase import body_motion, is_moved
from tribo.collision.core import core_radius
from tribo.collision.meeting import meet
from tribo.collision.point import deepest
from tribo.collision.solid import extent, load_solid
from tribo.compiler.jit import kernel
from tribo.math import quat, vec
from tribo.model import Pair, Shape

RESTITUTION = int(Pair.RESTITUTION)
PLANE = int(Shape.PLANE)
SURFACE = int(Shape.SURFACE)
ROUNDS = 64  # of an advancement; a pair that still goes on is taken to meet where it is
TOUCH = 1e-3  # [-] of the smaller solid: a gap that counts as none
CORE = 2047.0  # feature of the core of A, that of B is one less; no others are as large
SAME_PLANE = 1.0 - 1e-9  # cosine of two normals
NO_CORE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1e300)


@kernel
def thickness(model, s):
    """Return a length of the order of the least half size of a shape; of what has no end, a large one."""
    kind = model.shape_kind[s]
    if kind == PLANE or kind >= SURFACE:
        return 1e300
    return extent(load_solid(model, s))


@kernel
def put_pose(work, i, pos, rot, motion, time):
    """Write the pose of body i after some time.

    Writes: work.
    """
    vec.store(work.body_pos, i, vec.axpy(time, motion[0], pos))
    turn = quat.to_matrix(quat.exp(vec.scale(time, motion[1])))
    vec.store_mat(work.body_rot, i, vec.mat_mul(turn, rot))


@kernel
def core_contact(model, settings, work, a, b, margin):
    """Return the contact of the core of shape a with shape b: a point, the normal into a, the gap.

    Writes: work.
    """
    e = model.pair_table[model.shape_material[a], model.shape_material[b], RESTITUTION]
    if e + settings.erp2 > 0.0 or not is_moved(model, model.shape_body[a]):
        return NO_CORE
    if not core_radius(model, a) > 0.0:
        return NO_CORE
    n = meet(model, work, -1 - a, b, margin)
    if n <= 0:
        return NO_CORE
    row = work.manifold
    k = deepest(row, n)
    return (row[k, 0], row[k, 1], row[k, 2], row[k, 3], row[k, 4], row[k, 5], row[k, 6])


@kernel
def add_core(work, n, contact, sign, feature):
    """Append the contact of a core to the manifold of n points; return the next row.

    Only along a normal that is there already: on a flat face the core is held up by the same plane.

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
def time_of_impact(model, settings, work, a, b, margin, motion_a, motion_b):
    """Return contacts in the manifold and the time at which two shapes meet; < 0: not within the step.

    Writes: work.
    """
    i = model.shape_body[a]
    j = model.shape_body[b]
    pos_a = vec.load(work.body_pos, i)
    rot_a = vec.load_mat(work.body_rot, i)
    pos_b = vec.load(work.body_pos, j)
    rot_b = vec.load_mat(work.body_rot, j)
    relative = vec.sub(motion_a[0], motion_b[0])
    spin = (
        vec.norm(motion_a[1]) * model.body_radius[i] + vec.norm(motion_b[1]) * model.body_radius[j]
    )
    touch = TOUCH * min(thickness(model, a), thickness(model, b))
    is_convex = model.shape_kind[a] < SURFACE and model.shape_kind[b] < SURFACE
    time = 0.0
    n = 0
    for _ in range(ROUNDS):
        n = meet(model, work, a, b, margin * (1.0 - time / settings.dt))
        if n <= 0:
            break
        row = work.manifold
        k = deepest(row, n)
        gap = row[k, 6]
        if gap <= touch:
            break
        closing = vec.norm(relative)
        if is_convex:
            normal = (row[k, 3], row[k, 4], row[k, 5])
            closing = -vec.dot(normal, relative)
        closing += spin
        if closing * (settings.dt - time) <= gap:
            n = 0
            break
        time += gap / closing
        put_pose(work, i, pos_a, rot_a, motion_a, time)
        put_pose(work, j, pos_b, rot_b, motion_b, time)
    if n > 0:
        left = margin * (1.0 - time / settings.dt)
        core_a = core_contact(model, settings, work, a, b, left)
        core_b = core_contact(model, settings, work, b, a, left)
        n = meet(model, work, a, b, left)
        n = add_core(work, n, core_b, -1.0, CORE - 1.0)
        n = add_core(work, n, core_a, 1.0, CORE)
    vec.store(work.body_pos, i, pos_a)
    vec.store_mat(work.body_rot, i, rot_a)
    vec.store(work.body_pos, j, pos_b)
    vec.store_mat(work.body_rot, j, rot_b)
    return n, time if n > 0 else -1.0


@kernel
def velocity_at(motion, arm):
    """Return the velocity of a point of a body."""
    return vec.add(motion[0], vec.cross(motion[1], arm))


@kernel
def bring_back(work, i, j, k, time, motion_a, motion_b):
    """Turn point k of the manifold, where two bodies meet after some time, into one of where they are now.

    The middle between the two places of it, the gap that closes meanwhile; the way from B's place to A's
    goes into `work.travel`.

    Writes: work.
    """
    row = work.manifold
    p = vec.load(row, k)
    n = (row[k, 3], row[k, 4], row[k, 5])
    arm_a = vec.sub(p, vec.axpy(time, motion_a[0], vec.load(work.body_pos, i)))
    arm_b = vec.sub(p, vec.axpy(time, motion_b[0], vec.load(work.body_pos, j)))
    approach = -vec.dot(n, vec.sub(velocity_at(motion_a, arm_a), velocity_at(motion_b, arm_b)))
    way = vec.scale(time, vec.sub(motion_b[0], motion_a[0]))
    vec.store(work.travel, k, vec.axpy(row[k, 6], n, way))
    vec.store(row, k, vec.axpy(-0.5 * time, vec.add(motion_a[0], motion_b[0]), p))
    row[k, 6] += time * max(approach, 0.0)


@kernel
def meet_on_the_way(model, state, settings, work, a, b, margin):
    """Write the contacts of two shapes that may be fast into the manifold; return their number, or −1.

    Writes: work.
    """
    for k in range(work.travel.shape[0]):
        vec.store(work.travel, k, (0.0, 0.0, 0.0))
    slow = min(thickness(model, a), thickness(model, b))
    if margin <= slow:
        return meet(model, work, a, b, margin)
    i = model.shape_body[a]
    j = model.shape_body[b]
    motion_a = body_motion(model, state, work, i)
    motion_b = body_motion(model, state, work, j)
    n, time = time_of_impact(model, settings, work, a, b, margin, motion_a, motion_b)
    if n < 0:
        return n
    if time < 0.0:
        return meet(model, work, a, b, slow)
    if time > 0.0:
        for k in range(n):
            bring_back(work, i, j, k, time, motion_a, motion_b)
    return n
