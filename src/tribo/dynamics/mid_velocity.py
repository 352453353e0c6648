"""Stages `mid_velocity.predict_mid_velocity` and `.iterate_free_bias`: the velocity at which h is evaluated.

It is the mean velocity of the step, v̄ = (v + v⁺)/2, which depends on h(v̄). v̄ is predicted from the
accelerations of two steps, which is accurate enough while bodies rotate little in a step. If one rotates far,
at this v̄ or at the resulting one, h is evaluated again at the latter: the step is then time-reversible, and
such a step neither gains nor loses energy in the long run. If one repetition is not enough, the tree takes
substeps (`runge_kutta`, `bias_iteration`).
Source: Hairer, Lubich, Wanner 2006, "Geometric Numerical Integration", V.1 (symmetric methods).
"""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.dynamics import bias, integrate
from tribo.dynamics.articulated import dof_count
from tribo.dynamics.whitening import unwhiten_tree
from tribo.math import vec
from tribo.model import IntegrationMode, Integrator, Joint, Kind

SMALL_ROTATION = 0.01  # [rad] per step, below which the prediction suffices; 10 rad/s at 1 ms
CONVERGED = 5e-6  # [–] of the velocity: tolerance of v̄; (dt ω)³/8 after one round at dt ω = 0.034
STIFF = 0.1  # [–] largest part of damping, or of springs, in the inertia of a joint
STIFFEST = 0.97  # [–] the same of springs that substeps resolve; dt ω = 11
DAMPED = 1e-3  # [–] loss of velocity per step; a larger one permits no larger error of h
ERROR_DAMPED = 0.2  # [–] of the loss by dampers: admissible error of h(v̄)
ITERATED_ROTATION = 27.0  # [rad³] over that loss: (rotation)³ up to which h is iterated; at most 0.3 rad
ITERATIONS = 4  # most iterations of h with damping
ACCELERATION_RATIO = 4.0  # [–] between two steps of a free body, above which its motion is not smooth
EXPLICIT = 1e-4  # [–] change of velocity by h(v̄) instead of h(v), `semi_implicit`; dt ω = 0.02


@kernel
def is_discontinuous(now, before, most):
    """Tell whether an acceleration changed its sign in a step, or its size more than `most` times.

    A smooth one that passes through zero counts as discontinuous for one or two steps, in which it is small.
    """
    return now * before < 0.0 or abs(now) > most * abs(before) or abs(before) > most * abs(now)


@kernel
def predict_mid_velocity(model, state, settings, work):
    """Predict the velocity in the middle of the step from the last two accelerations.

    The mean acceleration from now to mid step belongs to dt/4; the last two belong to −dt/2 and −3dt/2, so a
    straight line through them gives v̇ + ¾ (v̇ − v̇_before).

    Where constraints make the acceleration jump, alternately as in a toggle under pressure, or once as by an
    impact on a free body, extrapolation is wrong: the velocity is then used as it is.

    A free body whose step is split gets its impulses in mid step, at the velocity there.

    Writes: work.
    """
    work.bias_rounds[0] = 0
    for t in range(model.tree_body.shape[0]):
        work.tree_mode[t] = IntegrationMode.SETTLED
        work.tree_is_fourth[t] = work.tree_is_coarse[t] = 0
    half = 0.0 if settings.integrator == Integrator.SEMI_IMPLICIT else 0.5 * settings.dt
    for dof in range(state.v.shape[0]):
        vdot = state.vdot[dof]
        before = state.vdot_before[dof]
        work.start_velocity[dof] = state.v[dof]
        work.mid_v[dof] = half * (vdot + 0.75 * (vdot - before))
    for t in range(model.tree_body.shape[0]):
        if model.tree_is_constrained[t] == 1:
            most = inf
            if bias.is_constrained_single(model, t):
                most = ACCELERATION_RATIO
                for k in range(3):
                    work.start_velocity[model.tree_v[t] + 3 + k] = work.single_free_spin[t, k]
            for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
                if is_discontinuous(state.vdot[dof], state.vdot_before[dof], most):
                    work.mid_v[dof] = 0.0
    for dof in range(state.v.shape[0]):
        work.mid_v[dof] += work.start_velocity[dof]
    extrapolate_carriers(model, state, settings, work)


@kernel
def extrapolate_carriers(model, state, settings, work):
    """Write the velocities of kinematic bodies at the end of the step, which contacts and constraints use.

    A kinematic body moves by dt V, so V is its mean velocity in the step, while v⁺ of its load belongs to the
    end of the step: the mean of V and of the next V, foreseen on a straight line through the last two changes
    of V. The change that is foreseen is at most twice the smaller of the two, and has their sign: a smooth
    motion is followed, a jump of V is not overshot.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] != Kind.KINEMATIC:
            continue
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            v = state.v[dof]
            change, before = v - state.left_v[dof], settings.dt * state.vdot[dof]
            work.start_velocity[dof] = work.mid_v[dof] = v
            if change * before > 0.0 and settings.integrator != Integrator.SEMI_IMPLICIT:
                least = change if abs(change) < abs(before) else before
                foreseen = max(0.0, min(2.0, (2.0 * change - before) / least)) * least
                work.start_velocity[dof] += 0.5 * foreseen


@kernel
def max_spring_share(model, settings, work, t):
    """Return the largest x of the joint springs of tree t, x = k dt²/(4 M̂): their part in the inertia."""
    most = 0.0
    quarter = 0.25 * settings.dt * settings.dt
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        if model.dof_stiffness[dof] != 0.0:
            share = quarter * model.dof_stiffness[dof] * work.dof_scale[dof] * work.dof_scale[dof]
            most = max(most, share)
    return most


@kernel
def largest_turn(model, settings, work, t):
    """Return the largest rotation of a body of tree t in this step [rad]; inf if not finite."""
    most = 0.0
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        omega = (work.body_vel[i, 0], work.body_vel[i, 1], work.body_vel[i, 2])
        square = vec.dot(omega, omega)
        most = max(most, square if square < inf else inf)
    return settings.dt * sqrt(most)


@kernel
def is_far_turn(model, state, settings, work, t, turn):
    """Tell whether a rotation [rad] in this step is far for tree t, and it is dynamic and awake."""
    if model.tree_is_single[t] == 1 or model.tree_kind[t] != Kind.DYNAMIC or model.tree_nv[t] == 0:
        return False
    if state.tree_is_asleep[t] > 0:
        return False
    most = SMALL_ROTATION
    if max_spring_share(model, settings, work, t) > STIFF:
        most *= 0.1  # it oscillates from step to step, and prediction fails
    return not turn <= most


@kernel
def rotates_far(model, state, settings, work, t):
    """Tell whether a body of tree t rotates far in this step, by the predicted v̄."""
    return model.tree_is_single[t] == 0 and is_far_turn(
        model, state, settings, work, t, largest_turn(model, settings, work, t)
    )


@kernel
def missed_turn(model, state, settings, work, t):
    """Return by how much at most a body of tree t rotates more at v + ½ `change_v` than at v̄ [rad].

    The largest sum over the joints from the root to a body. 0 for trees on constraints: accelerations jump
    there in many steps, and v̄ is then v.
    """
    most = 0.0
    if model.tree_is_constrained[t] == 1:
        return most
    root = model.tree_body[t]
    for body in range(root, root + model.tree_body_count[t]):
        missed, i = 0.0, body
        while i >= 0:
            joint, first = model.joint_type[i], model.joint_v[i]
            last = first if joint == Joint.PRISMATIC else first + dof_count(joint)
            for dof in range(first + 3 if joint == Joint.FREE else first, last):
                missed += abs(state.v[dof] + 0.5 * work.change_v[dof] - work.mid_v[dof])
            i = model.body_parent[i]
        most = max(most, missed)
    return settings.dt * most


@kernel
def far_turn(model, state, settings, work, t, z):
    """Return the largest rotation of a body of tree t in this step [rad] if it is far, else 0.

    By the predicted v̄ or, if that is small, by that of the whitened response z. A prediction is wrong where
    the acceleration jumps: as a light link whips round, or a drive gets a new target. Sets `change_v`.

    Writes: work.
    """
    if model.tree_is_single[t] == 1 or work.tree_is_resting[t] == 1:
        return 0.0
    turn = largest_turn(model, settings, work, t)
    if not is_far_turn(model, state, settings, work, t, turn):
        unwhiten_tree(model, work, t, z, work.change_v)
        turn += missed_turn(model, state, settings, work, t)
        if not is_far_turn(model, state, settings, work, t, turn):
            return 0.0
    return turn


@kernel
def velocity_difference(model, state, work, t, share, other):
    """Return the largest difference of v + share · `change_v` from other velocities, over rotational dofs.

    Relative to the largest velocity of one; inf if one is not finite.
    """
    apart = size = 0.0
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        for k in range(dof_count(model.joint_type[i])):
            dof = model.joint_v[i] + k
            v = state.v[dof] + share * work.change_v[dof]
            if not abs(v - other[dof]) < inf:
                return inf
            joint = model.joint_type[i]  # translations hardly change h
            if joint != Joint.PRISMATIC and (joint != Joint.FREE or k >= 3):
                apart = max(apart, abs(v - other[dof]))
                size = max(size, abs(v), abs(state.v[dof]))
    return apart / size if size > 0.0 else 0.0


@kernel
def update_mid_velocity(model, state, work, t):
    """Set v̄ of tree t to v + ½ `change_v`.

    Writes: work.
    """
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.mid_v[dof] = state.v[dof] + 0.5 * work.change_v[dof]


@kernel
def compare_mid_velocity(model, state, work, t, z, moves):
    """Return the difference of v̄ from that of the whitened response z; set v̄ to the latter if `moves`.

    Writes: work.
    """
    unwhiten_tree(model, work, t, z, work.change_v)
    apart = velocity_difference(model, state, work, t, 0.5, work.mid_v)
    if moves:
        update_mid_velocity(model, state, work, t)
    return apart


@kernel
def reached_round_limit(work, rounds):
    """Tell whether the limit of rounds is reached, which derivatives of a step set."""
    return 0 < work.bias_rounds[1] <= rounds + 1


@kernel
def iterate_free_bias(model, state, command, settings, work):
    """Iterate h and v̄ of unconstrained trees that rotate far.

    Writes: work.
    """
    if settings.integrator == Integrator.SEMI_IMPLICIT or settings.integrator == Integrator.RK4:
        return
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_free[t] == 0 or work.tree_mode[t] != IntegrationMode.SETTLED:
            continue
        turn = far_turn(model, state, settings, work, t, work.free_response)
        if turn > 0.0:
            iterate_tree_bias(model, state, command, settings, work, t, turn)


@kernel
def is_conservative(model, command, settings, work, t):
    """Tell whether tree t has no drives, no stiff dampers, and no springs too stiff for substeps.

    A drive of a floating base counts, too: the momentum uses impulses of the whole step.
    """
    if model.joint_type[model.tree_body[t]] == Joint.FREE:
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
    """Return the smallest relative loss of velocity of a joint of tree t in a step by its damper.

    Joints up to the first body with mass are excluded: they move the tree as a whole.
    """
    base = model.tree_body[t]
    last = base + model.tree_body_count[t] - 1
    while base < last and model.body_mass[base] == 0.0:
        base += 1
    first = model.joint_v[base] + dof_count(model.joint_type[base])
    least = inf
    for dof in range(first, model.tree_v[t] + model.tree_nv[t]):
        damping = model.dof_damping[dof]
        if work.effort_row[dof] < 0:  # the drive is not saturated
            damping += command.kd[dof]
        least = min(least, settings.dt * damping * work.dof_scale[dof] * work.dof_scale[dof])
    return least


@kernel
def mid_velocity_tolerance(model, command, settings, work, t, turn):
    """Return the admissible relative error of v̄ of tree t, and how often h may be iterated for it.

    h(v̄) may err by a fifth of the loss by dampers in each joint, so v̄ by that over the rotation of the
    step. However often h is iterated, the error of third order of the step remains, (dt ω)³/24 of the
    velocity; it would accumulate if it exceeded the loss by dampers.
    """
    if model.tree_is_constrained[t] == 1:
        return CONVERGED, 0
    loss = min(DAMPED, least_damping(model, command, settings, work, t))
    if not turn**3 <= ITERATED_ROTATION * loss:
        return CONVERGED, 0
    return max(CONVERGED, ERROR_DAMPED * loss / max(turn, SMALL_ROTATION)), ITERATIONS


@kernel
def iterate_tree_bias(model, state, command, settings, work, t, turn):
    """Iterate h of tree t and its v̄; request substeps if that does not converge.

    Writes: work.
    """
    enough, rounds = mid_velocity_tolerance(model, command, settings, work, t, turn)
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
    work.tree_mode[t] = IntegrationMode.SUBSTEPPED if is_alone else IntegrationMode.SUBSTEPS_PENDING


@kernel
def judge_explicit(model, state, settings, work, t):
    """Set `NOT_SETTLED` if h(v̄) instead of h(v) would change the velocity of tree t by much; nothing else.

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
    # Whitened, so unwhitening gives the change by h(v̄); v̄ is v again.
    if not compare_mid_velocity(model, state, work, t, work.change_v, False) <= EXPLICIT:
        work.tree_mode[t] = IntegrationMode.NOT_SETTLED
