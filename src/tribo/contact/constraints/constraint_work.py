"""Constraints of robots that rotate far in a step do no work.

If a robot rotates far in a step, dt/2 κ (`attachments`) is too inaccurate: constraint impulses did work, and
a four-bar linkage with a crank at 100 rad/s lost 3.5 % of its energy in 2 s at 1 ms. The work of a constraint
is λ times J ∫ v dt over dt, with J of the middle of the step, for any trajectory of the joints, also in
substeps under held forces (`bias_iteration`). Let (v' + v⁺)/2 be the mean velocity of the trajectory (v' = v
if it is straight). A closed constraint then asks for

    J v⁺ = −J v' + γ J y,   y = (v − 2 v_before + v_before that)/4.

The shift at the end of the step closes its gap. The last term, with a small γ, damps oscillations ±a from
step to step, which are all of y; nothing else would. Each term is J times a vector, so redundant rows ask for
consistent velocities, to round-off. For the same reason either all constraints that robots share do so, or
none: if the ends of one separate, as after an impact, all use the target of `attachments`.
Source: Gonzalez 1999, "Mechanical systems subject to holonomic constraints: differential-algebraic
formulations and conservative integration" (forces that do no work over a step).
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.contact.problem.attachments import ZERO, body_frame
from tribo.dynamics.mid_velocity import rotates_far
from tribo.dynamics.momentum import move_body
from tribo.math import vec
from tribo.model import IntegrationMode, Integrator

DAMPED = 0.02  # [–] γ: part of an oscillation from step to step that is damped
ANGULAR = 3  # first angular direction in a mask, first angular slot


@kernel
def constrains_fast_robot(model, state, settings, work, c):
    """Tell whether a robot at an end of constraint c rotates far in this step."""
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        return False
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0:
            t = model.body_tree[body]
            if work.tree_mode[t] == IntegrationMode.SUBSTEPS_DONE or rotates_far(
                model, state, settings, work, t
            ):
                return True
    return False


@kernel
def move_ends(model, state, work, c):
    """Compute poses and velocities of the two bodies of constraint c at the step's start.

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
    """Return velocity at a point and ω of side `side` of constraint c, at the poses of `move_ends`."""
    body = model.constraint_body[c, side]
    if body < 0:
        return ZERO, ZERO
    omega = vec.load(work.relative_vel, body)
    arm = vec.sub(point, vec.load(work.relative_pos, body))
    return vec.add(vec.load_from(work.relative_vel, body, 3), vec.cross(omega, arm)), omega


@kernel
def separation_speed(model, work, c, first):
    """Return the norm of the gap rates of constraint c, over its locked directions first … first + 2.

    At the poses of `move_ends`.
    """
    own, axes = body_frame(model, work.relative_pos, work.relative_rot, c, 0)
    point, _ = body_frame(model, work.relative_pos, work.relative_rot, c, 1)
    va, wa = moved_end_motion(model, work, c, 0, own)
    vb, wb = moved_end_motion(model, work, c, 1, point)
    apart = vec.sub(wa, wb) if first == ANGULAR else vec.sub(va, vb)
    total = 0.0
    for k in range(3):
        if model.constraint_locked[c] & (1 << (first + k)) != 0:
            rate = vec.dot(vec.mat_col(axes, k), apart)
            total += rate * rate
    return sqrt(total)


@kernel
def end_speed(model, work, c, first):
    """Return the speed of the two bodies of constraint c, the scale of the round-off in its gap rates.

    Sum of angular speeds if `first` is ANGULAR; else of the speeds of origins plus angular speed times arm.
    """
    total = 0.0
    for side in range(2):
        body = model.constraint_body[c, side]
        if body < 0:
            continue
        turns = vec.norm(vec.load(work.relative_vel, body))
        if first == ANGULAR:
            total += turns
        else:
            arm = vec.norm(vec.load(model.constraint_point, 2 * c + side))
            total += vec.norm(vec.load_from(work.relative_vel, body, 3)) + turns * arm
    return total


@kernel
def trajectory_rate(model, state, settings, work, n):
    """Return J (v' − γ y) of row n, which is not closed yet."""
    trembles = 0.25 * DAMPED * settings.dt
    total = 0.0
    for side in range(2):
        body = work.scalar_body[n, side]
        start = work.scalar_row[n, side]
        chain = model.body_chain_start[body]
        is_flown = work.tree_mode[model.body_tree[body]] == IntegrationMode.SUBSTEPS_DONE
        for p in range(work.scalar_len[n, side]):
            dof = model.chain_dof[chain + p]
            v = work.substep_velocity[dof] if is_flown else work.start_velocity[dof]
            v -= trembles * (state.vdot[dof] - state.vdot_before[dof])
            total += work.row[start + p] * v
    return total
