"""Fast pairs: where on their way through the step do two shapes meet? By conservative advancement.

Both bodies go on as they move now, unseen for as long as the gap lets them: the gap over a bound of the
speed at which it can close. What does not meet within the step has no contacts but those that slow bodies
would have. What meets gets its contacts there, with normals and lever arms of that place; the gap of a
contact is what its surfaces travel towards one another until then.
Source: Mirtich 1996, Impulse-based dynamic simulation of rigid body systems, chapter 2.
"""

from tribo.collision.broadphase import body_motion
from tribo.collision.meeting import meet
from tribo.collision.solid import extent, load_solid
from tribo.jit import kernel
from tribo.math import quat, vec
from tribo.model import Shape

PLANE = int(Shape.PLANE)
SURFACE = int(Shape.SURFACE)
ROUNDS = 64  # of an advancement; a pair that still goes on is taken to meet where it is
TOUCH = 1e-3  # [-] of the smaller solid: a gap that counts as none


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
        deepest = 0
        for k in range(1, n):
            if work.manifold[k, 6] < work.manifold[deepest, 6]:
                deepest = k
        gap = work.manifold[deepest, 6]
        if gap <= touch:
            break
        closing = vec.norm(relative)
        if is_convex:
            row = work.manifold
            normal = (row[deepest, 3], row[deepest, 4], row[deepest, 5])
            closing = -vec.dot(normal, relative)
        closing += spin
        if closing * (settings.dt - time) <= gap:
            n = 0
            break
        time += gap / closing
        put_pose(work, i, pos_a, rot_a, motion_a, time)
        put_pose(work, j, pos_b, rot_b, motion_b, time)
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
