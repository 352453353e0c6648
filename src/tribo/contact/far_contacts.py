"""Stage `far_contacts.defer_far_contacts`: contacts that the step does not close get no rows.

Detection lists each point that a body could reach within the step. Most of them are not reached: a shin
passes a thigh, a finger passes a cube. Such a point has no impulse, but costs its Jacobian, a share of each
solve, and may join two islands. So a point is deferred if its gap is more than twice what its motion closes
in the step, to second order, plus the effect of weight and overlaps. Deferred contacts are stored at the end
of the same table, in order of their keys. `predicted_contacts` tests whether the solved motion closes the
gap, and then gives the contact a row. The solution is thus that with all rows, since a row that holds with
zero impulse changes nothing.

Points with an impulse in the last step stay, and those of pairs that rebound or are compliant.
"""

from tribo.collision.advancement import moving_point_velocity
from tribo.collision.margins import body_reach, origin_motion, weight_way
from tribo.collision.narrowphase import is_looked_after, move_contact
from tribo.compiler.jit import kernel
from tribo.contact.problem.compliant_rows import ADHERES
from tribo.math import vec
from tribo.model import Status


@kernel
def far_place(work, k):
    """Return the index in the table of deferred contact k."""
    return work.contact_key.shape[0] - 1 - k


@kernel
def is_at_later_pose(work, c):
    """Tell whether contact c belongs to a later pose within the step."""
    travel = vec.load(work.contact_travel, c)
    return vec.dot(travel, travel) > 0.0 or work.contact_travel[c, 3] > 0.0


@kernel
def gap_rate(work, c, motion_a, motion_b):
    """Return the rate of the gap of contact c [m/s] at given motions of its two bodies."""
    p = vec.load(work.contact_pos, c)
    arm_a = vec.sub(p, vec.load(work.body_pos, work.contact_body[c, 0]))
    arm_b = vec.sub(p, vec.load(work.body_pos, work.contact_body[c, 1]))
    a, b = moving_point_velocity(motion_a, arm_a), moving_point_velocity(motion_b, arm_b)
    return vec.dot(vec.load_from(work.contact_axes, c, 6), vec.sub(a, b))


@kernel
def point_way(settings, work, i, p, motion):
    """Return the way of point p of body i in a step of a mean motion to second order [m], and its error."""
    swing = vec.scale(settings.dt, vec.cross(motion[1], vec.sub(p, vec.load(work.body_pos, i))))
    bend = vec.scale(0.5 * settings.dt, vec.cross(motion[1], swing))
    error = settings.dt * vec.norm(motion[1]) * vec.norm(bend) / 3.0
    return vec.add(vec.axpy(settings.dt, motion[0], swing), bend), error


@kernel
def later_gap(model, settings, work, c, motion_a, motion_b):
    """Return a lower bound of the gap of contact c after a step at the mean motions of its two bodies [m].

    Of this point; the normal turns with B. As A turns relative to B, others come nearer, of round bodies at
    most by the square of this turn times the smaller reach, and the normal may turn with A instead. Of flat
    bodies `predicted_contacts` finds other points. Terms of third order are bounds.
    """
    p, n = vec.load(work.contact_pos, c), vec.load_from(work.contact_axes, c, 6)
    way_a, error_a = point_way(settings, work, work.contact_body[c, 0], p, motion_a)
    way_b, error_b = point_way(settings, work, work.contact_body[c, 1], p, motion_b)
    way = vec.sub(way_a, way_b)
    turn = settings.dt * vec.norm(vec.sub(motion_a[1], motion_b[1]))
    reach = min(body_reach(model, work.contact_shape[c, 0]), body_reach(model, work.contact_shape[c, 1]))
    bent = 0.5 * settings.dt * settings.dt * vec.dot(motion_b[1], motion_b[1])  # of the normal
    errors = error_a + error_b + turn * turn * reach + (turn + bent) * vec.norm(way)
    return work.contact_gap[c] + vec.dot(vec.axpy(settings.dt, vec.cross(motion_b[1], n), n), way) - errors


@kernel
def is_far(model, state, settings, work, c):
    """Tell whether the gap of contact c is more than twice what the motion of the last step closes.

    Effects of weight and overlaps of its bodies are added.
    """
    if not is_looked_after(model, work.contact_shape[c, 0], work.contact_shape[c, 1]):
        return False
    gap = work.contact_gap[c]
    if gap <= 0.0 or is_at_later_pose(work, c):
        return False
    i, j = work.contact_body[c, 0], work.contact_body[c, 1]
    motion_a = origin_motion(model, state, work, i)
    motion_b = origin_motion(model, state, work, j)
    way = weight_way(settings)
    way += work.tree_overlap[model.body_tree[i]] + work.tree_overlap[model.body_tree[j]]
    if model.actuator_gear.shape[0] > 0:
        way += ADHERES
    return gap > way + 2.0 * max(0.0, gap - later_gap(model, settings, work, c, motion_a, motion_b))


@kernel
def defer_far_contacts(model, state, settings, work):
    """Move the contacts that the step does not close to the end of the table; keep the others together.

    Writes: work.
    """
    work.far_count[0] = 0
    count = work.contact_count[0]
    size = work.contact_key.shape[0]
    if count > size:
        return
    for t in range(work.tree_overlap.shape[0]):
        work.tree_overlap[t] = 0.0  # deepest of the tree: most that `position_pass` may move it
    for c in range(count):
        for side in range(2):
            t = model.body_tree[work.contact_body[c, side]]
            work.tree_overlap[t] = max(work.tree_overlap[t], -work.contact_gap[c])
    near = far = old = 0
    for c in range(count):
        key = work.contact_key[c]
        while old < state.warm_count[0] and state.warm_key[old] < key:
            old += 1
        carries = old < state.warm_count[0] and state.warm_key[old] == key
        if carries or not is_far(model, state, settings, work, c):
            if near < c:
                move_contact(work, c, near)
            near += 1
            continue
        if count + far >= size:  # the table is full
            work.contact_count[0] = count + far + 1
            work.status[0] |= Status.CAPACITY
            return
        move_contact(work, c, far_place(work, far))
        far += 1
    work.contact_count[0] = near
    work.far_count[0] = far
