"""Removes the work of ties of robots that turn far in a step.

In a step that turns a robot far, dt/2 κ is not enough of how its ties bend (`attachments`): impulses of ties
then did work, and a four-bar linkage whose crank turns at 100 rad/s lost 3.5 % of its energy in 2 s at 1 ms.
But how much work a tie does is known: λ times J ∫ v dt over dt, with J of the middle of the step, whatever
trajectory of the joints, also in substeps under held forces (`bias_iteration`). With the velocity v' of
which the trajectory has (v' + v⁺)/2 as its mean, v if it goes straight, a closed tie asks for

    J v⁺ = −J v' + γ J y,   y = (v − 2 v_before + v_before that)/4.

The shift at the end of the step closes it. Without the last part nothing would damp what goes to and fro from
step to step, ±a, of which y is all and γ is taken. All is J times a vector: rows that ask for the same
thing twice ask for it alike, to round-off. So it holds for all ties that robots share or for none: where one
is open, or its ends part, as after an impact, all ask for what `attachments` says.
Source: Gonzalez 1999, "Mechanical systems subject to holonomic constraints: differential-algebraic
formulations and conservative integration" (forces that do no work over a step).
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.constraints.attachments import ZERO, body_frame
from tribo.dynamics.mid_velocity import rotates_far
from tribo.dynamics.momentum import move_body
from tribo.math import spatial, vec
from tribo.model import IntegrationMode, Integrator

SUBSTEPS_DONE = int(IntegrationMode.SUBSTEPS_DONE)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
DAMPED = 0.02  # [–] of what goes to and fro, in a step
ANGULAR = 3  # first of the angular directions in a mask, first of the angular slots


@kernel
def ties_fast_robot(model, state, settings, work, c):
    """Tell whether a robot at an end of constraint c turns far in this step."""
    if settings.integrator == SEMI_IMPLICIT:
        return False
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0:
            t = model.body_tree[body]
            if work.tree_mode[t] == SUBSTEPS_DONE or rotates_far(model, state, settings, work, t):
                return True
    return False


@kernel
def move_ends(model, state, work, c):
    """Compute poses and velocities of the two bodies of constraint c as the step begins.

    Writes: work.
    """
    for side in range(2):
        body = model.constraint_body[c, side]
        if body < 0:
            continue
        for i in range(model.tree_body[model.body_tree[body]], body + 1):
            move_body(model, state.q, state.v, work, i)


@kernel
def moved_end_motion(model, work, c, side, point):
    """Return velocity of a side of constraint c at a point, and ω, where `move_ends` has put it."""
    body = model.constraint_body[c, side]
    if body < 0:
        return ZERO, ZERO
    s = spatial.load(work.relative_vel, body)
    omega = (s[0], s[1], s[2])
    arm = vec.sub(point, vec.load(work.relative_pos, body))
    return vec.add((s[3], s[4], s[5]), vec.cross(omega, arm)), omega


@kernel
def gap_rate_at(model, work, c, k):
    """Return the rate of the gap of row k of constraint c where `move_ends` has put its bodies."""
    own, axes = body_frame(model, work.relative_pos, work.relative_rot, c, 0)
    point, _ = body_frame(model, work.relative_pos, work.relative_rot, c, 1)
    va, wa = moved_end_motion(model, work, c, 0, own)
    vb, wb = moved_end_motion(model, work, c, 1, point)
    if k < ANGULAR:
        return vec.dot(vec.mat_col(axes, k), vec.sub(va, vb))
    return vec.dot(vec.mat_col(axes, k - ANGULAR), vec.sub(wa, wb))


@kernel
def separation_speed(model, work, c, first):
    """Return how fast constraint c parts as the step begins, in those directions from `first` on it locks."""
    total = 0.0
    for k in range(first, first + 3):
        if model.constraint_locked[c] & (1 << k) != 0:
            rate = gap_rate_at(model, work, c, k)
            total += rate * rate
    return sqrt(total)


@kernel
def end_speed(model, work, c, first):
    """Return how fast the two bodies of constraint c go: what the rates of its gaps are differences of.

    How fast they turn, where `first` is ANGULAR, else how fast their origins go and the arms to their ends.
    """
    total = 0.0
    for side in range(2):
        body = model.constraint_body[c, side]
        if body < 0:
            continue
        s = spatial.load(work.relative_vel, body)
        turns = vec.norm((s[0], s[1], s[2]))
        if first == ANGULAR:
            total += turns
        else:
            arm = vec.norm(vec.load(model.constraint_point, 2 * c + side))
            total += vec.norm((s[3], s[4], s[5])) + turns * arm
    return total


@kernel
def mark_working(model, work, c):
    """Note that constraint c does work on the trees at its ends.

    Writes: work.
    """
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0:
            work.tree_tie_works[model.body_tree[body]] = 1


@kernel
def is_working(model, work, c):
    """Tell whether a constraint does work on a tree at an end of constraint c that impulses move."""
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0 and model.body_chain_len[body] > 0:
            if work.tree_tie_works[model.body_tree[body]] == 1:
                return True
    return False


@kernel
def spread_working(model, work):
    """Let constraints do work wherever one of those that are tied together does.

    Rows that ask for the same thing twice have to ask for it alike, to round-off.

    Writes: work.
    """
    is_new = True
    while is_new:
        is_new = False
        for c in range(model.constraint_kind.shape[0]):
            if work.tie_is_workless[c] == 1 and is_working(model, work, c):
                work.tie_is_workless[c] = 0
                mark_working(model, work, c)
                is_new = True


@kernel
def trajectory_rate(model, state, settings, work, n):
    """Return J v' of row n, which is not closed yet, without a part of what goes to and fro."""
    trembles = 0.25 * DAMPED * settings.dt
    total = 0.0
    for side in range(2):
        body = work.scalar_body[n, side]
        start = work.scalar_row[n, side]
        chain = model.body_chain_start[body]
        is_flown = work.tree_mode[model.body_tree[body]] == SUBSTEPS_DONE
        for p in range(work.scalar_len[n, side]):
            dof = model.chain_dof[chain + p]
            v = work.substep_velocity[dof] if is_flown else work.start_velocity[dof]
            v -= trembles * (state.vdot[dof] - state.vdot_before[dof])
            total += work.row[start + p] * v
    return total
