"""Tumbling bodies in contact: the impulse acts on the velocity in the middle of the drift.

A contact that stays is solved for the velocity at the end of the step, the mean from this evaluation to the
next. For a tumbling body this velocity does not belong to the attitude at which J and M are taken: it tumbles
on in between. The impulse of an impact, and its energy, would have an error of first order in the rotation of
a step. So an impact is split from tumbling (Strang): the body tumbles for half a step, is hit there, and
tumbles on for the rest (`integrate.finish_hit_body`). Each part conserves energy exactly, if the impact does.

A body with a persistent contact on a curved path (`contact_drift`) is split alike, with two differences: the
contact holds at the end of the step, after the tumbling; and attitude and angular velocity end as those of a
free body, so that two halves of its path compose to one. Bodies with three equal moments of inertia do not
tumble. Bodies on constraints are always split (`bias.is_constrained_single`).
Source: Hairer, Lubich, Wanner 2006, "Geometric Numerical Integration", II.5 (splitting).
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.box_friction_rows import aim_friction_rows
from tribo.contact.problem.contact_targets import NO_TARGET, set_contact_target, set_target, slow_speed
from tribo.contact.problem.islands import contacts_in
from tribo.contact.problem.whitened_products import add_row_response
from tribo.dynamics.bias import has_equal_inertias, rotate_free_body
from tribo.dynamics.integrate import ROLLING, STRUCK
from tribo.dynamics.whitening import whiten_tree, whiten_velocity
from tribo.math import quat, spatial, vec
from tribo.model import Integrator, Kind

ZERO = (0.0, 0.0, 0.0)
ROLLING_SPEED = 16.0  # [–] of sag/dt: approach of the points of a rolling curve, 2 dt φ̈; sag = dt²/8 φ̈


@kernel
def impact_kind(model, settings, work, c):
    """Return `STRUCK` if c rebounds or closes faster than by weight, `ROLLING` if it has drift, else 0."""
    if work.contact_is_soft[c] != 0:
        return 0
    if work.contact_bounce[c] > 0.0:
        return STRUCK
    before = vec.load(work.contact_vel, c)
    bend = vec.load(work.contact_drift, c)
    approach = bend[2] - before[2]  # at the start of the step
    pushed = bend[2] - add_row_response(model, work, work.contact_row, c, work.free_response, before)[2]
    closing = max(approach, pushed)
    if closing <= 0.0 or work.contact_gap[c] > closing * settings.dt:
        return 0
    slow = slow_speed(settings) + ROLLING_SPEED * work.gap_allowance[c] / settings.dt
    if approach > slow:
        return STRUCK
    return ROLLING if bend != ZERO else 0


@kernel
def find_impacts(model, settings, work, t):
    """Return the kind of island t, `STRUCK` before `ROLLING`; struck contacts lose their drift.

    Writes: work.
    """
    found = 0
    for c in contacts_in(work, t):
        what = impact_kind(model, settings, work, c)
        bend = vec.load(work.contact_drift, c)
        if what == STRUCK and bend != ZERO:
            vec.store(work.contact_drift, c, ZERO)
            work.gap_allowance[c] = 0.0
            set_contact_target(model, settings, work, c)
            aim_friction_rows(model, settings, work, c)
        if what == STRUCK or found == 0:
            found = what
    return found


@kernel
def may_tumble(model, work, tree):
    """Tell whether a tree is a free body whose angular velocity need not stay constant without forces.

    A body without angular velocity counts: it tumbles on after the hit.
    """
    if model.tree_is_single[tree] == 0 or model.tree_kind[tree] != Kind.DYNAMIC:
        return False
    if model.tree_is_constrained[tree] == 1 or work.tree_is_resting[tree] == 1:
        return False
    return not has_equal_inertias(spatial.load(model.body_inertia, model.tree_body[tree]))


@kernel
def start_at_middle(model, state, settings, work, tree):
    """Set the start of a body to its velocity in the middle of the step; remove the tumbling from its forces.

    Writes: work.
    """
    root = model.tree_body[tree]
    b = model.joint_v[root] + 3
    turn = ZERO
    if settings.integrator != Integrator.SEMI_IMPLICIT:
        s = spatial.load(model.body_inertia, root)
        r = quat.to_matrix(quat.load(state.q, model.joint_q[root] + 3))
        omega = (state.v[b], state.v[b + 1], state.v[b + 2])
        _, after = rotate_free_body(s, r, omega, 0.5 * settings.dt)
        turn = vec.sub(vec.mat_vec(vec.load_mat(work.body_rot, root), after), omega)
    vec.store(work.hit_rotation, tree, turn)
    x = work.change_v
    for k in range(3):
        x[b + k - 3], x[b + k] = 0.0, turn[k]
    whiten_velocity(model, work, tree, x, work.hit_response)
    for k in range(3):
        x[b + k] = settings.dt * (work.drive_force[b + k] - work.bias_force[b + k])
    whiten_tree(model, work, tree, x)
    for k in range(3):  # adhesion stays, which is no part of τ − h
        work.free_response[b + k] -= x[b + k]
        x[b + k] = settings.dt * work.drive_force[b + k]
    whiten_tree(model, work, tree, x)
    for k in range(3):
        work.free_response[b + k] += x[b + k]


@kernel
def split_tumbling(model, state, settings, work, t):
    """Split the tumbling of the bodies of island t from its impacts, if it has any.

    Writes: work.
    """
    found = find_impacts(model, settings, work, t)
    rolls = found == ROLLING
    if found == 0 or (rolls and settings.integrator == Integrator.SEMI_IMPLICIT):
        return
    is_any = False
    for c in contacts_in(work, t):
        for side in range(2):
            tree = model.body_tree[work.contact_body[c, side]]
            if work.tree_is_hit[tree] == 0 and may_tumble(model, work, tree):
                start_at_middle(model, state, settings, work, tree)
                work.tree_is_hit[tree] = found
            is_any = is_any or work.tree_is_hit[tree] > 0
    if not is_any:
        return
    for c in contacts_in(work, t):
        before = vec.load(work.contact_vel, c)
        response = work.hit_response
        after = add_row_response(model, work, work.contact_row, c, response, before)
        if rolls:  # the contact holds at the end of the step, after the tumbling
            bend = vec.add(vec.load(work.contact_drift, c), vec.sub(after, before))
            vec.store(work.contact_drift, c, bend)
        vec.store(work.contact_vel, c, after)
        if work.contact_is_spun[c] == 1:
            start = vec.load(work.contact_spin_start, c)
            start = add_row_response(model, work, work.contact_spin_row, c, response, start)
            if rolls:
                start = add_row_response(model, work, work.contact_spin_row, c, response, start)
            vec.store(work.contact_spin_start, c, start)
        set_contact_target(model, settings, work, c)
        aim_friction_rows(model, settings, work, c)
        set_target(work, c, max(work.contact_target[c], NO_TARGET), work.contact_vel[c, 2])
