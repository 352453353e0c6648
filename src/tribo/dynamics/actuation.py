"""Stages `actuation.prepare_drives`, `.apply_drives`, `.saturate_drives`, `.store_modes`, `.clear_wrenches`.

Forces of drives, springs, damping and external wrenches on each dof. A drive is implicit: its torque uses
position and velocity at the end of the step,

    τ = τ_ff − K_p (e + dt (a v + b v⁺)) − K_d ((1 − c) v + c v⁺ − v_d)

The factor of v⁺ joins the mass matrix, M̂ = M + dt c K_d + dt² b K_p, which contacts use as well. The four
forms differ in a, b, c. Source: docs/physics/drives.

A drive that reaches a limit at the solved v⁺ becomes a row of the contact problem for the rest of the step:
its impulse follows the same law within its bounds (`joint_friction_rows.add_drive`). Rows are only added, so
a step takes few passes. The next step starts with the rows whose bounds were active.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.dynamics import actuators
from tribo.dynamics.bias import project_forces
from tribo.dynamics.springs import set_errors
from tribo.enums import CouplingDrive, DriveForm, DriveLimit
from tribo.math import vec
from tribo.model import Integrator, Joint, Kind


@kernel
def form_weights(form, integrator):
    """Return a, b, c: weights of dt v and dt v⁺ in the position, and of v⁺ in the velocity.

    The mean over a midpoint step is e_m + dt/4 (v⁺ − v); over a semi-implicit one, which moves by dt v⁺, it
    is e + dt/2 v⁺.
    """
    if form == DriveForm.IMPLICIT:
        return 0.0, 1.0, 1.0
    if form == DriveForm.STABLE:
        return 1.0, 0.0, 1.0
    if form == DriveForm.AVERAGED or integrator == Integrator.SEMI_IMPLICIT:
        return 0.0, 0.5, 0.5
    return -0.25, 0.25, 0.5


@kernel
def pd_torque(feed_forward, kp, error, kd, rate_error):
    """Return the torque of a drive's law.   τ = τ_ff − K_p (q − q_d) − K_d (v − v_d)"""
    return feed_forward - kp * error - kd * rate_error


@kernel
def within_effort(model, dof, torque):
    """Return a torque clamped to the effort limits of the drive of a dof; NaN stays NaN."""
    if torque < model.dof_effort_lower[dof]:
        return model.dof_effort_lower[dof]
    return model.dof_effort_upper[dof] if torque > model.dof_effort_upper[dof] else torque


@kernel
def spring_torque(model, settings, work, dof, v, next_v):
    """Return the mean torque of a joint spring over the step (trapezoid). k (e + dt (a v + b v⁺))"""
    a, b, _ = form_weights(DriveForm.TRAPEZOID, settings.integrator)
    return model.dof_stiffness[dof] * (work.spring_error[dof] + settings.dt * (a * v + b * next_v))


@kernel
def drive_gain(model, command, settings, dof):
    """Return minus the derivative of the torque of a drive by v⁺ [N s/m, N m s/rad]. c K_d + dt b K_p

    0 if its two effort limits are equal.
    """
    if command.kp[dof] == 0.0 and command.kd[dof] == 0.0:
        return 0.0
    if model.dof_effort_lower[dof] == model.dof_effort_upper[dof]:
        return 0.0
    _, b, c = form_weights(command.drive_form[dof], settings.integrator)
    return c * command.kd[dof] + settings.dt * b * command.kp[dof]


@kernel
def drive_torque(command, settings, work, dof, v, next_v):
    """Return the torque of a drive without limits, including feed-forward [N, N m]."""
    if command.kp[dof] == 0.0 and command.kd[dof] == 0.0:
        return work.feed_forward[dof]
    a, b, c = form_weights(command.drive_form[dof], settings.integrator)
    reach = work.drive_error[dof] + settings.dt * (a * v + b * next_v)
    rate = v + c * (next_v - v) - command.target_v[dof]
    return pd_torque(work.feed_forward[dof], command.kp[dof], reach, command.kd[dof], rate)


@kernel
def set_drive(model, state, command, settings, work, dof):
    """Set force and added inertia of one dof.

    Writes: work.
    """
    dt = settings.dt
    v, damping = state.v[dof], model.dof_damping[dof]
    inertia = dt * damping
    force = work.outside_force[dof] - damping * v
    force += (1 - model.dof_effort_is_total[dof]) * work.actuator_push[dof]
    k = model.dof_stiffness[dof]
    if k != 0.0:
        _, b, _ = form_weights(DriveForm.TRAPEZOID, settings.integrator)
        inertia += dt * dt * b * k
        force -= spring_torque(model, settings, work, dof, v, v)
    if work.drive_mode[dof] & DriveLimit.EFFORT == 0:
        gain = drive_gain(model, command, settings, dof)
        torque = drive_torque(command, settings, work, dof, v, v)
        inertia += dt * gain
        force += within_effort(model, dof, torque) if gain == 0.0 else torque
    work.drive_inertia[dof] = inertia
    work.drive_force[dof] = force


@kernel
def collect_forces(model, command, settings, work, t):
    """Compute errors, feed-forward and external forces of tree t at `mid_q` and the present poses.

    Writes: work.
    """
    carries = False
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        carries = carries or command.carries[dof] != 0
    root = model.tree_body[t]
    supported = command.has_wrench[0] != 0
    for i in range(root, root + model.tree_body_count[t]):
        supported = supported or model.body_support[i] != 0.0
        if model.joint_type[i] != Joint.FIXED:
            set_errors(model, command.kp, work.mid_q, command.target_q, i, work.drive_error)
            set_errors(
                model, model.dof_stiffness, work.mid_q, model.spring_reference, i, work.spring_error
            )  # fmt: skip
    if carries and model.tree_is_single[t] == 0:
        carry_weight(model, command, settings, work, t)
    if supported:
        add_external_forces(model, command, settings, work, t)


@kernel
def prepare_drives(model, state, command, settings, work):
    """Compute the forces that stay constant while the step is solved: errors, external forces, actuators.

    A drive starts with the rows of limits that were active in the last step, or that its torque passes now.

    Writes: work.
    """
    actuators.apply_actuators(model, state, command, settings, work)
    for dof in range(state.v.shape[0]):
        work.feed_forward[dof] = bounded_force(model, command, work, dof)
        work.outside_force[dof] = 0.0
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] == Kind.DYNAMIC and model.tree_nv[t] > 0:
            collect_forces(model, command, settings, work, t)
    for dof in range(state.v.shape[0]):
        v, mode = state.v[dof], abs(state.drive_mode[dof])
        torque = drive_torque(command, settings, work, dof, v, v)
        if mode & DriveLimit.EFFORT or within_effort(model, dof, torque) != torque:
            has_row = model.dof_is_moved[dof] != 0 and has_effort_row(model, command, settings, work, dof, v)
            mode = mode | DriveLimit.EFFORT if has_row else mode & ~DriveLimit.EFFORT
        work.drive_mode[dof] = mode
    for c in range(model.coupling_term.shape[0]):
        bound_servos(model, work, c)


@kernel
def bounded_force(model, command, work, dof):
    """Return the given force that effort limits of a dof bound: feed-forward, and actuators if of a total."""
    return command.tau[dof] + model.dof_effort_is_total[dof] * work.actuator_push[dof]


@kernel
def bound_servos(model, work, c):
    """Keep servos that are a row of one joint, with the given forces F there, within limits of the total.

    clamp(F + S) = E + clamp(F − E + S) for E = clamp(F), the latter within the limits less E, around 0.

    Writes: work.
    """
    k = model.coupling_term[c, 0]
    is_joint = model.coupling_term[c, 1] == k + 1 and model.coupling_path[c, 0] == model.coupling_path[c, 1]
    if not is_joint or model.term_factor[k] != 1.0 or model.dof_effort_is_total[model.term_dof[k]] == 0:
        return
    dof, drive = model.term_dof[k], work.coupling_drive
    given = within_effort(model, dof, work.feed_forward[dof])
    more = work.feed_forward[dof] - given
    low, high = model.dof_effort_lower[dof] - given, model.dof_effort_upper[dof] - given
    drive[c, CouplingDrive.FORCE] += more
    drive[c, CouplingDrive.LEAST] = min(max(drive[c, CouplingDrive.LEAST] + more, low), high)
    drive[c, CouplingDrive.MOST] = min(max(drive[c, CouplingDrive.MOST] + more, low), high)


@kernel
def has_effort_row(model, command, settings, work, dof, v):
    """Tell whether the effort limit of a drive becomes a row when it is reached.

    A constant torque needs none, nor do unconstrained trees under `rk4`, whose stages clamp the torque. A
    command that is not finite passes on to the velocity, where it is detected.
    """
    if settings.integrator == Integrator.RK4 and work.tree_is_free[model.body_tree[model.dof_body[dof]]] == 1:
        return False
    if not abs(drive_torque(command, settings, work, dof, v, v)) < inf:
        return False
    return drive_gain(model, command, settings, dof) > 0.0


@kernel
def speed_cap(model, command, settings, work, dof, v):
    """Return the signed speed limit towards which a drive pushes, and its torque there.

    The torque is 0 if it pushes to neither limit.
    """
    most = model.dof_speed[dof]
    if most == inf:
        return most, 0.0
    cap = within_effort(model, dof, drive_torque(command, settings, work, dof, v, most))
    if cap > 0.0:
        return most, cap
    cap = within_effort(model, dof, drive_torque(command, settings, work, dof, v, -most))
    return -most, min(cap, 0.0)


@kernel
def apply_drives(model, state, command, settings, work):
    """Set force and added inertia of every dof: feed-forward, PD, springs, damping, wrenches.

    Writes: work.
    """
    for dof in range(state.v.shape[0]):
        work.effort_row[dof] = work.speed_row[dof] = -1
        if model.dof_is_moved[dof] != 0:
            set_drive(model, state, command, settings, work, dof)


@kernel
def carry_weight(model, command, settings, work, t):
    """Set the feed-forward of drives that compensate the weight of tree t: commanded torque plus weight.

    Writes: work.
    """
    gravity = (settings.gravity_x, settings.gravity_y, settings.gravity_z)
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        share = model.body_support[i] - 1.0  # minus the part that is supported externally
        own = work.body_inertia
        moment = vec.scale(share, vec.cross((own[i, 1], own[i, 2], own[i, 3]), gravity))
        weight = share * own[i, 0]
        for k in range(3):
            work.body_force[i, k] = moment[k]
            work.body_force[i, 3 + k] = weight * gravity[k]
    project_forces(model, work, t, work.next_v)
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        if command.carries[dof] != 0:
            work.feed_forward[dof] = bounded_force(model, command, work, dof) + work.next_v[dof]


@kernel
def outside_wrench(model, command, settings, i):
    """Return torque and force at the centre of mass of body i: commanded wrench, and weight support."""
    lift = -model.body_support[i] * model.body_mass[i]
    return (command.wrench[i, 0], command.wrench[i, 1], command.wrench[i, 2]), (
        command.wrench[i, 3] + lift * settings.gravity_x,
        command.wrench[i, 4] + lift * settings.gravity_y,
        command.wrench[i, 5] + lift * settings.gravity_z,
    )


@kernel
def add_external_forces(model, command, settings, work, t):
    """Set the joint forces of external wrenches on the bodies of tree t.

    Writes: work.
    """
    root = model.tree_body[t]
    first = model.tree_v[t]
    if model.tree_is_single[t] == 1:
        torque, force = outside_wrench(model, command, settings, root)
        for k in range(3):
            work.outside_force[first + k] = force[k]
            work.outside_force[first + 3 + k] = torque[k]
        return
    origin = vec.load(work.body_pos, root)
    for i in range(root, root + model.tree_body_count[t]):
        com = vec.mat_vec(vec.load_mat(work.body_rot, i), vec.load(model.body_com, i))
        arm = vec.sub(vec.add(vec.load(work.body_pos, i), com), origin)
        torque, force = outside_wrench(model, command, settings, i)
        moment = vec.cross(arm, force)
        for k in range(3):
            work.body_force[i, k] = torque[k] + moment[k]
            work.body_force[i, 3 + k] = force[k]
    project_forces(model, work, t, work.outside_force)


@kernel
def row_torque(settings, work, row):
    """Return the torque of scalar row `row`; 0 for −1."""
    return work.scalar_impulse[row] / settings.dt if row >= 0 else 0.0


@kernel
def saturate_drives(model, state, command, settings, work):
    """Compute the applied torques; return the number of limits that need a row in another pass.

    Writes: work.
    """
    changed = 0
    for dof in range(state.v.shape[0]):
        work.applied_torque[dof] = 0.0
        if model.dof_is_moved[dof] == 0:
            continue
        v, next_v = state.v[dof], work.next_v[dof]
        mode = work.drive_mode[dof]
        wanted = drive_torque(command, settings, work, dof, v, next_v)
        torque = within_effort(model, dof, wanted)
        if mode & DriveLimit.EFFORT != 0 and work.effort_row[dof] >= 0:
            torque = within_effort(model, dof, row_torque(settings, work, work.effort_row[dof]))
        elif torque != wanted and has_effort_row(model, command, settings, work, dof, v):
            work.drive_mode[dof] |= DriveLimit.EFFORT
        if mode & DriveLimit.SPEED != 0:
            torque += row_torque(settings, work, work.speed_row[dof])
        else:
            speed, cap = speed_cap(model, command, settings, work, dof, v)
            if cap != 0.0 and (next_v - speed) * cap > 0.0:
                work.drive_mode[dof] |= DriveLimit.SPEED
        if work.drive_mode[dof] != mode:
            changed += 1
        work.applied_torque[dof] = torque
    return changed


@kernel
def store_modes(model, state, work):
    """Store which drives were at limits, with the sign of the limit: the next step starts with these rows.

    Writes: state.
    """
    for dof in range(state.drive_mode.shape[0]):
        mode, sign = 0, 1
        torque = work.applied_torque[dof]
        n = work.effort_row[dof]
        if n >= 0:
            torque = work.scalar_impulse[n]
            if torque <= work.scalar_lower[n] or torque >= work.scalar_upper[n]:
                mode |= DriveLimit.EFFORT
        elif torque != 0.0 and torque in (model.dof_effort_lower[dof], model.dof_effort_upper[dof]):
            mode |= DriveLimit.EFFORT
        if torque < 0.0:
            sign = -1
        n = work.speed_row[dof]
        if n >= 0 and work.scalar_impulse[n] != 0.0:
            mode |= DriveLimit.SPEED
            sign = 1 if work.scalar_impulse[n] < 0.0 else -1
        state.drive_mode[dof] = sign * mode


@kernel
def clear_wrenches(command):
    """Clear the external wrenches, which last one step unless they are held for a whole call.

    Writes: command.
    """
    if command.has_wrench[0] != 1:
        return
    command.has_wrench[0] = 0
    for i in range(command.wrench.shape[0]):
        for k in range(6):
            command.wrench[i, k] = 0.0
