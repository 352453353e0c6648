"""Stage `actuators.store_activations`: actuators with laws of their own.

    F = gain(L, L') x + bias(L, L'),   x the control u or the activation a,   L = gear φ

on a coupling of joints, a body, or a contact (adhesion). Gain and bias are linear in L and L', or those of a
muscle. If F decreases with L or L', it becomes an implicit spring and damper row
(`src/tribo/contact/problem/coupling_rows.py`), else a force. Activations are those in the middle of the step.
Source: MuJoCo's documentation, "Actuation model".
"""

from math import exp

from tribo.compiler.jit import kernel
from tribo.dynamics import couplings, muscle, tendon_paths
from tribo.enums import CouplingDrive, Dynamics, Muscle
from tribo.math import spatial, vec
from tribo.model import Kind


@kernel
def control_of(model, command, a):
    """Return the control of actuator a, clamped to its range."""
    low, high = model.actuator_control_range[a, 0], model.actuator_control_range[a, 1]
    return min(max(command.control[a], low), high)


@kernel
def activation_after(model, state, command, a, time):
    """Return the activation of actuator a after a time [s] of its present control."""
    kind = model.actuator_dynamics[a]
    now, u = state.activation[a], control_of(model, command, a)
    if kind == Dynamics.NONE:
        return now
    lag = max(muscle.SMALL, model.actuator_time[a, 0])
    if kind == Dynamics.INTEGRATOR:
        now += time * u
    elif kind == Dynamics.FILTER_EXACT:
        now += (u - now) * (1.0 - exp(-time / lag))
    elif kind == Dynamics.MUSCLE:
        now += time * muscle.activation_rate(model.actuator_time, a, u, now)
    else:
        now += time / lag * (u - now)
    return min(max(now, model.actuator_state_range[a, 0]), model.actuator_state_range[a, 1])


@kernel
def actuator_law(model, a, x, length, speed):
    """Return F of actuator a at L and L', and its stiffness −∂F/∂L and damping −∂F/∂L', both ≥ 0."""
    force = stiffness = damping = 0.0
    for part in range(2):
        table = model.actuator_gain if part == 0 else model.actuator_bias
        by = x if part == 0 else 1.0
        if model.actuator_is_muscle[a, part] == 0:
            force += by * (table[a, 0] + table[a, 1] * length + table[a, 2] * speed)
            stiffness -= by * table[a, 1]
            damping -= by * table[a, 2]
            continue
        at, rate, fastest = muscle.shape_of(table, model.actuator_length, a, length, speed)
        peak = table[a, Muscle.PEAK]
        if part == 0:
            f_v, slope = muscle.by_speed(table, a, rate)
            strong = by * peak * muscle.by_length(table, a, at)
            force -= strong * f_v
            damping += 0.5 * strong * slope / fastest  # at the mean speed of the step
        else:
            force -= peak * muscle.passive(table, a, at)
    return force, max(0.0, stiffness), max(0.0, damping)


@kernel
def push_body(model, work, b, by, wrench):
    """Add a multiple of a wrench about the tree origin to the actuator forces on the dofs of body b.

    Writes: work.
    """
    chain = model.body_chain_start[b]
    for p in range(model.body_chain_len[b]):
        push = by * tendon_paths.project_wrench(model, work, b, p, wrench)
        work.actuator_push[model.chain_dof[chain + p]] += push


@kernel
def push_along(model, work, c, slope, force):
    """Add a force along coupling c to its joints, and at the points of its path; slope: of its polynomial.

    Writes: work.
    """
    for k in range(model.coupling_term[c, 0], model.coupling_term[c, 1]):
        dof = model.term_dof[k]
        if model.dof_is_moved[dof] != 0:
            by = model.term_factor[k] * couplings.part_slope(model.term_part[k], slope)
            work.actuator_push[dof] += by * force
    for k in range(model.coupling_path[c, 0], model.coupling_path[c, 1]):
        if work.segment_next[k] < 0:
            continue
        by = force * couplings.part_slope(model.element_part[k], slope)
        for end in range(2):
            b, wrench = tendon_paths.segment_end(model, work, k, end)
            if b >= 0:
                push_body(model, work, b, by, wrench)


@kernel
def push_on_body(model, work, a, x):
    """Apply an actuator to its body: a wrench, or adhesion at its contacts.

    Writes: work.
    """
    force, _, _ = actuator_law(model, a, x, 0.0, 0.0)
    low, high = model.actuator_force_range[a, 0], model.actuator_force_range[a, 1]
    force = min(max(force, low), high)
    b = model.actuator_body[a]
    if model.tree_kind[model.body_tree[b]] != Kind.DYNAMIC:
        return
    if model.actuator_adheres[a] == 1:
        work.body_adhesion[b] += model.actuator_gear[a] * force
        return
    turn = vec.load_mat(work.body_rot, b)
    at = vec.add(vec.load(work.body_pos, b), vec.mat_vec(turn, vec.load(model.actuator_point, a)))
    w = model.actuator_wrench
    torque = vec.mat_vec(turn, (w[a, 0], w[a, 1], w[a, 2]))
    push = vec.mat_vec(turn, (w[a, 3], w[a, 4], w[a, 5]))
    free = (torque[0], torque[1], torque[2], 0.0, 0.0, 0.0)
    wrench = spatial.axpy(1.0, free, tendon_paths.wrench_at(model, work, b, at, push))
    push_body(model, work, b, force, wrench)


@kernel
def push_on_coupling(model, state, work, a, x):
    """Add an actuator to the law of its coupling, written with L and L' relative to 0, or push along it.

    Writes: work.
    """
    c = model.actuator_coupling[a]
    gear = model.actuator_gear[a]
    phi, slope = couplings.coupling_at(model, work, work.mid_q, c)
    length, speed = gear * phi, gear * couplings.coupling_speed(model, work, state.v, c, slope)
    force, stiffness, damping = actuator_law(model, a, x, length, speed)
    low, high = model.actuator_force_range[a, 0], model.actuator_force_range[a, 1]
    drive = work.coupling_drive
    if stiffness == 0.0 and damping == 0.0:
        push_along(model, work, c, slope, gear * min(max(force, low), high))
        return
    drive[c, CouplingDrive.FORCE] += gear * (force + stiffness * length + damping * speed)
    drive[c, CouplingDrive.STIFFNESS] += gear * gear * stiffness
    drive[c, CouplingDrive.DAMPING] += gear * gear * damping
    if gear != 0.0:
        drive[c, CouplingDrive.LEAST] += min(gear * low, gear * high)
        drive[c, CouplingDrive.MOST] += max(gear * low, gear * high)


@kernel
def apply_actuators(model, state, command, settings, work):
    """Compute the effect of all actuators in this step: forces on joints and bodies, laws of couplings.

    Writes: work.
    """
    for dof in range(work.actuator_push.shape[0]):
        work.actuator_push[dof] = 0.0
    for b in range(work.body_adhesion.shape[0]):
        work.body_adhesion[b] = 0.0
    for c in range(work.coupling_drive.shape[0]):
        for k in range(5):
            work.coupling_drive[c, k] = 0.0
    tendon_paths.route_tendons(model, work)
    for a in range(model.actuator_gear.shape[0]):
        x = control_of(model, command, a)
        if model.actuator_dynamics[a] != Dynamics.NONE:
            x = activation_after(model, state, command, a, 0.5 * settings.dt)
        if model.actuator_coupling[a] >= 0:
            push_on_coupling(model, state, work, a, x)
        else:
            push_on_body(model, work, a, x)


@kernel
def store_activations(model, state, command, settings):
    """Advance the activations of all actuators to the end of the step.

    Writes: state.
    """
    for a in range(model.actuator_gear.shape[0]):
        state.activation[a] = activation_after(model, state, command, a, settings.dt)
