"""Motions of bodies in the step that begins at the present pose, at the velocity that was solved.

Joint velocities stay constant in the step. A link then moves on an arc about its joint, so its origin has an
acceleration a and its rotation α, with ω of its parent p and v, ω of the joint, r = x − x_p,

    α = α_p + ω_p × ω_J,   a = a_p + α_p × r + ω_p × (ω_p × r) + 2 ω_p × v_J + ω_J × v_J,

and the mean of its velocity over the step is v + dt/2 a, to second order. Poses one step later follow from
these means; rows know v.
Source: Featherstone 2008, section 2.11 (accelerations at constant joint velocities).
"""

from math import inf

from tribo.collision.margins import origin_motion
from tribo.compiler.jit import kernel
from tribo.dynamics.articulated import dof_count
from tribo.math import spatial, vec
from tribo.model import Joint

BEND = 7  # column of `Work.body_next_motion`: dt/2 a
TWIST = BEND + 3  # dt/2 α
ZERO = (0.0, 0.0, 0.0)


@kernel
def forget_motions(work):
    """Invalidate the motions of bodies after the step: there is a new solution.

    Writes: work.
    """
    for i in range(work.body_next_motion.shape[0]):
        work.body_next_motion[i, 0] = inf


@kernel
def find_motions(model, state, settings, work, t):
    """Write the mean motions of the bodies of tree t one step ahead, from the root outwards.

    Mean velocity of the origin [m/s], mean angular velocity [rad/s], a bound of the additional displacement
    of a point of the body in a step, relative to its present motion [m], and `BEND` and `TWIST`.

    Writes: work.
    """
    row, half = work.body_next_motion, 0.5 * settings.dt
    root = model.tree_body[t]
    origin = vec.load(work.body_pos, root)
    for i in range(root, root + model.tree_body_count[t]):
        velocity = turning = bend = twist = ZERO
        if model.tree_is_single[t] == 1:
            dof = model.joint_v[i]
            velocity = (work.next_v[dof], work.next_v[dof + 1], work.next_v[dof + 2])
            turning = (work.next_v[dof + 3], work.next_v[dof + 4], work.next_v[dof + 5])
        elif model.tree_nv[t] > 0:
            arm = vec.sub(vec.load(work.body_pos, i), origin)
            moved = turned = ZERO  # by its own joint
            for d in range(model.joint_v[i], model.joint_v[i] + dof_count(model.joint_type[i])):
                axis, along = vec.load(work.dof_axis, d), vec.load_from(work.dof_axis, d, 3)
                turned = vec.axpy(work.next_v[d], axis, turned)
                moved = vec.axpy(work.next_v[d], vec.add(along, vec.cross(axis, arm)), moved)
            velocity, turning = moved, turned
            if model.joint_type[i] != Joint.FREE:
                bend = vec.scale(half, vec.cross(turned, moved))
            parent = model.body_parent[i]
            if parent >= 0:
                twist = vec.load_from(row, parent, TWIST)
                start, around = row_motion(work, parent)
                arm = vec.sub(vec.load(work.body_pos, i), vec.load(work.body_pos, parent))
                swing = vec.cross(around, arm)
                velocity, turning = vec.add(start, vec.add(swing, moved)), vec.add(around, turned)
                pull = vec.axpy(half, vec.cross(around, vec.axpy(2.0, moved, swing)), vec.cross(twist, arm))
                bend = vec.add(bend, vec.add(vec.load_from(row, parent, BEND), pull))
                twist = vec.axpy(half, vec.cross(around, turned), twist)
        before, turning_before = origin_motion(model, state, work, i)
        velocity, turning = vec.add(velocity, bend), vec.add(turning, twist)
        change = vec.norm(vec.sub(turning, turning_before)) * model.body_radius[i]
        change += vec.norm(vec.sub(velocity, before))
        spatial.store(row, i, (*velocity, *turning))
        row[i, 6] = settings.dt * change
        for k in range(3):
            row[i, BEND + k], row[i, TWIST + k] = bend[k], twist[k]


@kernel
def motion_of(model, state, settings, work, i):
    """Return mean velocity [m/s] and angular velocity [rad/s] of body i one step ahead; cached.

    Writes: work.
    """
    if work.body_next_motion[i, 0] == inf:
        find_motions(model, state, settings, work, model.body_tree[i])
    return vec.load(work.body_next_motion, i), vec.load_from(work.body_next_motion, i, 3)


@kernel
def row_motion(work, i):
    """Return the solved velocity [m/s] and angular velocity [rad/s] of body i, as rows measure them.

    `motion_of` body i was asked before.
    """
    x = work.body_next_motion
    velocity = vec.sub(vec.load(x, i), vec.load_from(x, i, BEND))
    return velocity, vec.sub(vec.load_from(x, i, 3), vec.load_from(x, i, TWIST))
