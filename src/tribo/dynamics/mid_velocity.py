"""Stages `mid_velocity.predict_mid_velocity` and `.iterate_free_bias`: the velocity at which h is taken.

It is that of the middle of the step, v̄ = (v + v⁺)/2, which depends on h(v̄). So v̄ is
predicted from the accelerations of two steps, which is good enough while bodies turn by little in a step.
Where one turns far, h is taken anew at the velocity to which it leads: then the step is the same backwards
in time, and what is the same backwards neither gains nor loses energy for long. Where once more is not
enough the tree turns too far for the step, and takes it in parts (`runge_kutta`, `bias_iteration`).
Source: Hairer, Lubich, Wanner 2006, "Geometric Numerical Integration", V.1 (symmetric methods).
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.dynamics import bias, integrate
from tribo.dynamics.articulated import dof_count
from tribo.dynamics.whitening import unwhiten_tree
from tribo.math import vec
from tribo.model import IntegrationMode, Integrator, Joint, Kind

FREE = int(Joint.FREE)
PRISMATIC = int(Joint.PRISMATIC)
DYNAMIC = int(Kind.DYNAMIC)
KINEMATIC = int(Kind.KINEMATIC)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
RK4 = int(Integrator.RK4)

SETTLED = int(IntegrationMode.SETTLED)
SUBSTEPPED = int(IntegrationMode.SUBSTEPPED)
SUBSTEPS_PENDING = int(IntegrationMode.SUBSTEPS_PENDING)
NOT_SETTLED = int(IntegrationMode.NOT_SETTLED)

FAR = 0.01  # [rad] in a step, below which the prediction serves; 10 rad/s at 1 ms
ENOUGH = 5e-6  # [–] of the velocity: v̄ is what it leads to; (dt ω)³/8 after one round, dt ω = 0.034
STIFF = 0.1  # [–] of what a joint moves, damping and springs included, that these may make up
STIFFEST = 0.97  # [–] the same of a spring that parts can follow; dt ω = 11
DAMPED = 1e-3  # [–] of its velocity that a joint loses in a step; more allows no larger error of h
ERROR_DAMPED = 0.2  # [–] of what dampers take, by which h(v̄) may be off
FOLLOWED = 27.0  # [rad³] times what they take: (a turn)³ up to which h is repeated; 0.3 rad at most
REPEATS = 4  # of h there
JUMP = 4.0  # [–] ratio of accelerations of a loose body, a step apart, that no smooth motion has
SUDDEN = 0.5  # [–] of a loose body's velocity that half a step may change
EXPLICIT = 1e-4  # [–] that v̄ instead of v adds to the velocity under `semi_implicit`; dt ω = 0.02


@kernel
def is_discontinuous(now, before, most):
    """Tell whether an acceleration changed its sign in a step, or its size more than `most` times.

    One that passes through zero steadily is taken for a jump in one or two steps, in which it is small.
    """
    return now * before < 0.0 or abs(now) > most * abs(before) or abs(before) > most * abs(now)


@kernel
def ignore_impact(work, first):
    """Take three velocities as they are where half a step would change them by half of themselves.

    Two impacts in a row look like an acceleration that lasts. A tree that starts from rest has no
    velocity on which a force depends; one that turns by so much in a step is too fast for it
    (`linkage.WHIRL`).

    Writes: work.
    """
    change = (work.mid_v[first], work.mid_v[first + 1], work.mid_v[first + 2])
    speed = (work.start_velocity[first], work.start_velocity[first + 1], work.start_velocity[first + 2])
    if vec.dot(change, change) > SUDDEN * SUDDEN * vec.dot(speed, speed):
        for k in range(first, first + 3):
            work.mid_v[k] = 0.0


@kernel
def predict_mid_velocity(model, state, settings, work):
    """Predict the velocity in the middle of the step from the last two accelerations.

    The mean acceleration from now to mid step belongs to dt/4; the last two belong to −dt/2 and
    −3dt/2, so that a straight line through them gives v̇ + ¾ (v̇ − v̇_before).

    Where constraints make it jump, to and fro as in a toggle that is pressed, or once as in a loose body that
    was hit, the line leads nowhere: the velocity is then taken as it is.

    A free body whose step is split is pushed in the middle of it, at the velocity that it has by then.

    Writes: work.
    """
    work.bias_rounds[0] = 0
    for t in range(model.tree_body.shape[0]):
        work.tree_mode[t] = SETTLED
        work.tree_is_fourth[t] = 0
        work.tree_is_coarse[t] = 0
    half = 0.0 if settings.integrator == SEMI_IMPLICIT else 0.5 * settings.dt
    for dof in range(state.v.shape[0]):
        vdot = state.vdot[dof]
        before = state.vdot_before[dof]
        work.start_velocity[dof] = state.v[dof]
        work.mid_v[dof] = half * (vdot + 0.75 * (vdot - before))
    for t in range(model.tree_body.shape[0]):
        if model.tree_is_tied[t] == 1:
            most = inf
            if bias.is_constrained_single(model, t):
                most = JUMP
                for k in range(3):
                    work.start_velocity[model.tree_v[t] + 3 + k] = work.single_free_spin[t, k]
            for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
                if is_discontinuous(state.vdot[dof], state.vdot_before[dof], most):
                    work.mid_v[dof] = 0.0
            if most == JUMP:
                ignore_impact(work, model.tree_v[t])
                ignore_impact(work, model.tree_v[t] + 3)
    for dof in range(state.v.shape[0]):
        work.mid_v[dof] += work.start_velocity[dof]
    extrapolate_carriers(model, state, settings, work)


@kernel
def extrapolate_carriers(model, state, settings, work):
    """Write the velocities of kinematic bodies at the end of the step, to which contacts and ties refer.

    A kinematic body moves by dt V, so V is its mean velocity in the step, and v⁺ of a body that it carries
    belongs to the end of the step: V + ½ m, m the lesser of the last two changes of V (minmod). A smooth
    motion is followed to second order, a jump of V is not overshot.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] != KINEMATIC:
            continue
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            v = state.v[dof]
            change, before = v - state.left_v[dof], settings.dt * state.vdot[dof]
            work.start_velocity[dof] = work.mid_v[dof] = v
            if change * before > 0.0 and settings.integrator != SEMI_IMPLICIT:
                work.start_velocity[dof] += 0.5 * (change if abs(change) < abs(before) else before)


@kernel
def max_spring_share(model, settings, work, t):
    """Return the largest x/(1 + x) of the springs of a tree, x = (dt ω/2)²: a part of what joints move."""
    most = 0.0
    quarter = 0.25 * settings.dt * settings.dt
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        if model.dof_stiffness[dof] != 0.0:
            share = quarter * model.dof_stiffness[dof] * work.dof_scale[dof] * work.dof_scale[dof]
            most = max(most, share)
    return most


@kernel
def largest_turn(model, settings, work, t):
    """Return how far the body of a tree that turns most does so in this step [rad]; inf for no number."""
    most = 0.0
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        omega = (work.body_vel[i, 0], work.body_vel[i, 1], work.body_vel[i, 2])
        square = vec.dot(omega, omega)
        most = max(most, square if square < inf else inf)
    return settings.dt * sqrt(most)


@kernel
def rotates_far(model, state, settings, work, t):
    """Tell whether a tree of joints moves on its own, and one of its bodies turns far in this step."""
    if model.tree_is_single[t] == 1 or model.tree_kind[t] != DYNAMIC or model.tree_nv[t] == 0:
        return False
    if state.tree_is_asleep[t] > 0:
        return False
    most = FAR
    if max_spring_share(model, settings, work, t) > STIFF:
        most *= 0.1  # it trembles from step to step, and no prediction serves
    return not largest_turn(model, settings, work, t) <= most


@kernel
def is_rotational(joint, k):
    """Tell whether coordinate k of a joint turns something; others change h by little."""
    return joint != PRISMATIC and (joint != FREE or k >= 3)


@kernel
def velocity_difference(model, state, work, t, share, other):
    """Return by how much v and a share of `change_v` differ from other velocities.

    The largest difference of a joint that turns, in parts of the largest velocity of one; infinity if one is
    no number.
    """
    apart = 0.0
    size = 0.0
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        first = model.joint_v[i]
        for k in range(dof_count(model.joint_type[i])):
            dof = first + k
            v = state.v[dof] + share * work.change_v[dof]
            if not abs(v - other[dof]) < inf:
                return inf
            if is_rotational(model.joint_type[i], k):
                apart = max(apart, abs(v - other[dof]))
                size = max(size, abs(v), abs(state.v[dof]))
    return apart / size if size > 0.0 else 0.0


@kernel
def update_mid_velocity(model, state, work, t):
    """Put v̄ of a tree where the change of velocity leads that was followed last.

    Writes: work.
    """
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.mid_v[dof] = state.v[dof] + 0.5 * work.change_v[dof]


@kernel
def compare_mid_velocity(model, state, work, t, z, moves):
    """Return by how much v̄ differs from where z, whitened, leads; go there if wanted.

    Writes: work.
    """
    unwhiten_tree(model, work, t, z, work.change_v)
    apart = velocity_difference(model, state, work, t, 0.5, work.mid_v)
    if moves:
        update_mid_velocity(model, state, work, t)
    return apart


@kernel
def reached_round_limit(work, rounds):
    """Tell whether no more rounds are wanted: derivatives of a step take them one by one."""
    return 0 < work.bias_rounds[1] <= rounds + 1


@kernel
def iterate_free_bias(model, state, command, settings, work):
    """Make h agree with the velocity to which it leads, in trees that nothing touches.

    Writes: work.
    """
    if settings.integrator == SEMI_IMPLICIT or settings.integrator == RK4:
        return
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_free[t] == 0 or work.tree_mode[t] != SETTLED:
            continue
        if rotates_far(model, state, settings, work, t):
            iterate_tree_bias(model, state, command, settings, work, t)


@kernel
def is_conservative(model, command, settings, work, t):
    """Tell whether no law of the whole step acts on a tree: no drive, no stiff damper, no spring too stiff.

    Nor one at a floating base: its momentum is kept by impulses of the whole step.
    """
    if model.joint_type[model.tree_body[t]] == FREE:
        for dof in range(model.tree_v[t], model.tree_v[t] + 6):
            if work.drive_inertia[dof] != 0.0:
                return False
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        if command.kp[dof] != 0.0 or command.kd[dof] != 0.0:
            return False
        damping = settings.dt * model.dof_damping[dof]
        if damping * work.dof_scale[dof] * work.dof_scale[dof] > STIFF:
            return False
    return max_spring_share(model, settings, work, t) <= STIFFEST


@kernel
def least_damping(model, command, settings, work, t):
    """Return which part of its velocity each joint of a tree loses in a step to its damper, at least.

    But for those that lead to the first body with a mass: they move the tree as a whole.
    """
    base = model.tree_body[t]
    last = base + model.tree_body_count[t] - 1
    while base < last and model.body_mass[base] == 0.0:
        base += 1
    first = model.joint_v[base] + dof_count(model.joint_type[base])
    least = inf
    for dof in range(first, model.tree_v[t] + model.tree_nv[t]):
        damping = model.dof_damping[dof]
        if work.effort_row[dof] < 0:  # within its limits
            damping += command.kd[dof]
        least = min(least, settings.dt * damping * work.dof_scale[dof] * work.dof_scale[dof])
    return least


@kernel
def mid_velocity_tolerance(model, command, settings, work, t):
    """Return by how much v̄ of a tree may be off, in parts of it, and how often h may be taken anew for that.

    h(v̄) may err by a fifth of what dampers take from each joint: v̄ by that over the turn of the step.
    However often h is taken anew, the step's own error of third order stays, (dt ω)³/24 of the
    velocity; beyond what dampers take it would add up.
    """
    if model.tree_is_tied[t] == 1:
        return ENOUGH, 0
    loss = min(DAMPED, least_damping(model, command, settings, work, t))
    angle = largest_turn(model, settings, work, t)
    if not angle**3 <= FOLLOWED * loss:
        return ENOUGH, 0
    return max(ENOUGH, ERROR_DAMPED * loss / max(angle, FAR)), REPEATS


@kernel
def iterate_tree_bias(model, state, command, settings, work, t):
    """Repeat the bias force of a tree at the velocity to which it leads; note where that is not enough.

    Writes: work.
    """
    enough, rounds = mid_velocity_tolerance(model, command, settings, work, t)
    for k in range(max(1, rounds) + 1):
        if compare_mid_velocity(model, state, work, t, work.free_response, False) <= enough:
            return
        if reached_round_limit(work, k):
            return
        update_mid_velocity(model, state, work, t)
        if k < max(1, rounds):
            bias.compute_tree_bias(model, work.mid_v, settings, work, t)
            integrate.compute_tree_response(model, settings, work, t)
    is_alone = is_conservative(model, command, settings, work, t)
    work.tree_mode[t] = SUBSTEPPED if is_alone else SUBSTEPS_PENDING


@kernel
def judge_explicit(model, state, settings, work, t):
    """Note whether h(v̄) instead of h(v) would change the velocity of a tree by much; leave all else as it is.

    Writes: work.
    """
    compare_mid_velocity(model, state, work, t, work.response, True)
    bias.compute_tree_bias(model, work.mid_v, settings, work, t)
    integrate.compute_tree_response(model, settings, work, t)
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.change_v[dof] = work.free_response[dof]
        work.mid_v[dof] = state.v[dof]
    bias.compute_tree_bias(model, work.mid_v, settings, work, t)
    integrate.compute_tree_response(model, settings, work, t)
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.change_v[dof] -= work.free_response[dof]
    # Whitened, so that unwhitening in place gives what h(v̄) adds; v̄ is v again.
    if not compare_mid_velocity(model, state, work, t, work.change_v, False) <= EXPLICIT:
        work.tree_mode[t] = NOT_SETTLED
