"""Stage *actuation*: what drives, damping and external wrenches do to each degree of freedom.

A drive is implicit: its torque belongs to the position and velocity at the end of the step,
τ = τ_ff − K_p (e + dt v⁺) − K_d (v⁺ − v_d). What multiplies v⁺ joins the mass matrix,
M̂ = M + dt (K_d + damping) + dt² K_p, so stiff gains are stable at any time step, and the same
M̂ is used for contacts. Source: contact-science §1.13, implicit Euler.
"""

from math import atan2, sqrt

from tribo.dynamics.bias import project_forces
from tribo.jit import kernel
from tribo.math import quat, vec
from tribo.model import Joint, Kind

FIXED = int(Joint.FIXED)
SPHERICAL = int(Joint.SPHERICAL)
FREE = int(Joint.FREE)
DYNAMIC = int(Kind.DYNAMIC)


@kernel
def rotation_error(q, target):
    """Return the rotation vector that turns `target` into q, axes of the parent side [rad]."""
    e = quat.mul(q, (target[0], -target[1], -target[2], -target[3]))
    s = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    if s < quat.SMALL_ANGLE:
        k = 2.0 if e[0] > 0.0 else -2.0
    else:
        k = 2.0 * atan2(s, e[0]) / s if e[0] > 0.0 else -2.0 * atan2(s, -e[0]) / s
    return (k * e[1], k * e[2], k * e[3])


@kernel
def drive_dof(model, state, command, settings, work, dof, error):
    """Set force and added inertia of one dof from its position error.

    Writes: work.
    """
    dt = settings.dt
    v = state.v[dof]
    damping = model.dof_damping[dof]
    work.drive_error[dof] = error
    if work.drive_is_saturated[dof] != 0:
        work.drive_inertia[dof] = dt * damping
        work.drive_force[dof] = work.drive_is_saturated[dof] * model.dof_effort[dof] - damping * v
        return
    kp = command.kp[dof]
    kd = command.kd[dof]
    work.drive_inertia[dof] = dt * (kd + damping) + dt * dt * kp
    work.drive_force[dof] = (
        command.tau[dof] - kp * (error + dt * v) - kd * (v - command.target_v[dof]) - damping * v
    )


@kernel
def drive_joint(model, state, command, settings, work, i):
    """Set force and added inertia of the dofs of joint i.

    Writes: work.
    """
    joint = model.joint_type[i]
    a = model.joint_q[i]
    b = model.joint_v[i]
    q = work.mid_q
    target = command.target_q
    if joint == SPHERICAL or joint == FREE:
        shift = 3 if joint == FREE else 0
        for k in range(shift):
            drive_dof(model, state, command, settings, work, b + k, q[a + k] - target[a + k])
        e = (0.0, 0.0, 0.0)
        b3 = b + shift
        if command.kp[b3] != 0.0 or command.kp[b3 + 1] != 0.0 or command.kp[b3 + 2] != 0.0:
            e = rotation_error(quat.load(q, a + shift), quat.load(target, a + shift))
        for k in range(3):
            drive_dof(model, state, command, settings, work, b + shift + k, e[k])
    elif joint != FIXED:
        drive_dof(model, state, command, settings, work, b, q[a] - target[a])


@kernel
def drives(model, state, command, settings, work):
    """Set force and added inertia of every dof: feed-forward, PD, damping, external wrenches.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] != DYNAMIC:
            continue
        root = model.tree_body[t]
        for i in range(root, root + model.tree_body_count[t]):
            drive_joint(model, state, command, settings, work, i)
    if command.has_wrench[0] != 0:
        external(model, command, work)


@kernel
def external(model, command, work):
    """Add the joint forces of the wrenches that act on bodies.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] != DYNAMIC or model.tree_nv[t] == 0:
            continue
        root = model.tree_body[t]
        first = model.tree_v[t]
        if model.tree_is_single[t] == 1:
            for k in range(3):
                work.drive_force[first + k] += command.wrench[root, 3 + k]
                work.drive_force[first + 3 + k] += command.wrench[root, k]
            continue
        origin = vec.load(work.body_pos, root)
        for i in range(root, root + model.tree_body_count[t]):
            com = vec.mat_vec(vec.load_mat(work.body_rot, i), vec.load(model.body_com, i))
            arm = vec.sub(vec.add(vec.load(work.body_pos, i), com), origin)
            force = (command.wrench[i, 3], command.wrench[i, 4], command.wrench[i, 5])
            moment = vec.cross(arm, force)
            for k in range(3):
                work.body_force[i, k] = command.wrench[i, k] + moment[k]
                work.body_force[i, 3 + k] = force[k]
        project_forces(model, work, t, work.next_v)
        for dof in range(first, first + model.tree_nv[t]):
            work.drive_force[dof] += work.next_v[dof]


@kernel
def reset_saturation(work):
    """Start the step with no drive at its effort limit.

    Writes: work.
    """
    for dof in range(work.drive_is_saturated.shape[0]):
        work.drive_is_saturated[dof] = 0


@kernel
def saturate(model, state, command, settings, work):
    """Compute the applied torques; hold those beyond their limit at it. Return how many are new.

    Writes: work.
    """
    found = 0
    for dof in range(state.v.shape[0]):
        if model.dof_is_moved[dof] == 0:
            work.applied_torque[dof] = 0.0
            continue
        limit = model.dof_effort[dof]
        if work.drive_is_saturated[dof] != 0:
            work.applied_torque[dof] = work.drive_is_saturated[dof] * limit
            continue
        v = work.next_v[dof]
        error = work.drive_error[dof]
        torque = (
            command.tau[dof]
            - command.kp[dof] * (error + settings.dt * v)
            - command.kd[dof] * (v - command.target_v[dof])
        )
        work.applied_torque[dof] = torque
        if abs(torque) > limit:
            work.drive_is_saturated[dof] = 1 if torque > 0.0 else -1
            found += 1
    return found


@kernel
def release(command):
    """Clear the external wrenches: they last one step.

    Writes: command.
    """
    if command.has_wrench[0] == 0:
        return
    command.has_wrench[0] = 0
    for i in range(command.wrench.shape[0]):
        for k in range(6):
            command.wrench[i, k] = 0.0
