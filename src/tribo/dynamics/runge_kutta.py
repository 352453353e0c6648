"""The classical Runge–Kutta method of fourth order, for unconstrained trees or trees with held forces.

Quaternions are advanced by the exponential of a rotation vector σ, and the stages average the rate of σ, not
the angular velocity: dσ/dt = ω − ½ σ×ω + σ×(σ×ω)/12, whose next term is of fourth order in dt. Drives,
springs and damping are explicit forces of each stage. A tree that is `SUBSTEPS_PENDING` has constant joint
forces instead.

Step size control: the two middle stages are at the same time, and their changes of velocity differ by
(dt ω)³/4 of it in an oscillation of frequency ω. If that exceeds two per mille (dt ω > 0.2, or 0.09 at a
turning point; a step then changes the energy by (dt ω)⁶/72 = 9e-7), a tree of joints uses twice as many
substeps, up to `MAX_SUBSTEPS`; if these are too few, the status says so. A relaxed spring has the same force
in both, so the first two stages are compared, too; and a base or spherical joint rotates by at most 0.2 rad
in a substep. A free body uses its midpoint step instead, which conserves energy at any rotation.
Source: Munthe-Kaas 1999, "High order Runge-Kutta methods on manifolds".
"""

from tribo.compiler.jit import kernel
from tribo.dynamics import actuation, articulated, bias, inertia, kinematics, whitening
from tribo.dynamics.integrate import MAX_SPEED, move_tree_to_middle
from tribo.math import spatial, vec
from tribo.model import IntegrationMode, Integrator, Joint, Kind, Status

STAGE_TOLERANCE = 0.002  # [–] of a velocity: admissible difference of the middle stages
FIRST_STAGE_TOLERANCE = 0.05  # [–] the same of the first two stages, (dt ω)²/2 in an oscillation
MAX_SUBSTEPS = 64  # per step


@kernel
def write_tree_forces(model, command, settings, work, t, weight):
    """Write the forces on tree t at `mid_q` and `mid_v`; add its drives' torques with a weight.

    Writes: work.
    """
    actuation.collect_forces(model, command, settings, work, t)
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        v = work.mid_v[dof]
        kp, kd, rate = command.kp[dof], command.kd[dof], v - command.target_v[dof]
        torque = actuation.pd_torque(work.feed_forward[dof], kp, work.drive_error[dof], kd, rate)
        torque = actuation.within_effort(model, dof, torque)
        force = work.outside_force[dof] + torque - model.dof_damping[dof] * v
        force += (1 - model.dof_effort_is_total[dof]) * work.actuator_push[dof]
        work.rk_torque[dof] += weight * torque
        work.rk_acc[dof] = force - model.dof_stiffness[dof] * work.spring_error[dof] - work.bias_force[dof]
        work.drive_inertia[dof] = 0.0


@kernel
def evaluate_stage(model, command, settings, work, t, weight):
    """Write the acceleration of tree t at `mid_q` and `mid_v`; add its drives' torques with a weight.

    Returns ‖z‖² of the whitened forces and ‖z − z_before‖², z_before those of the stage before [J/s²].

    Writes: work.
    """
    root = model.tree_body[t]
    kinematics.compute_tree_poses(model, work.mid_q, work, t, True)
    inertia.rotate_inertias(model, work, root, model.tree_body_count[t])
    bias.compute_tree_bias(model, work.mid_v, settings, work, t)
    if work.tree_mode[t] == IntegrationMode.SUBSTEPS_PENDING:
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            work.rk_acc[dof] = work.held_force[dof] - work.bias_force[dof]
            work.drive_inertia[dof] = 0.0
    else:
        write_tree_forces(model, command, settings, work, t, weight)
    articulated.factorize_articulated(model, work, t)
    articulated.whiten_articulated(model, work, t, work.rk_acc)
    size = 0.0
    apart = 0.0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        z = work.rk_acc[dof]
        size += z * z
        apart += (z - work.rk_force[dof]) * (z - work.rk_force[dof])
        work.rk_force[dof] = z
    articulated.unwhiten_articulated(model, work, t, work.rk_acc, work.rk_acc)
    return size, apart


@kernel
def add_stage(model, work, t, weight, dt):
    """Add a stage of a substep of length dt to the sums, with its weight.

    Writes: work.
    """
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.rk_rate_sum[dof] += weight * work.rk_rate[dof]
        work.rk_acc_sum[dof] += weight * work.rk_acc[dof]
    if model.tree_is_constrained[t] == 1:
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            work.substep_displacement[dof] += dt * weight * work.mid_v[dof]


@kernel
def turn_rate(sigma, omega):
    """Return the rate of a rotation vector σ at angular velocity ω, exact to third order in σ."""
    first = vec.cross(sigma, omega)
    second = vec.cross(sigma, first)
    return vec.axpy(1.0 / 12.0, second, vec.axpy(-0.5, first, omega))


@kernel
def set_next_stage(model, work, t, dt):
    """Set the next stage of tree t: from `rk_q` and `rk_v`, a time dt at the rates of this stage.

    Writes: work.
    """
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        kinematics.drift_joint(model, i, work.rk_q, work.rk_rate, dt, work.mid_q)
        first = model.joint_v[i]
        joint = model.joint_type[i]
        for dof in range(first, first + articulated.dof_count(joint)):
            work.mid_v[dof] = work.rk_v[dof] + dt * work.rk_acc[dof]
        if joint == Joint.FREE or joint == Joint.SPHERICAL:
            r = first + 3 if joint == Joint.FREE else first
            sigma = (dt * work.rk_rate[r], dt * work.rk_rate[r + 1], dt * work.rk_rate[r + 2])
            omega = (work.mid_v[r], work.mid_v[r + 1], work.mid_v[r + 2])
            rate = turn_rate(sigma, omega)
            for k in range(first, r):
                work.rk_rate[k] = work.mid_v[k]
            for k in range(3):
                work.rk_rate[r + k] = rate[k]
        else:
            for dof in range(first, first + articulated.dof_count(joint)):
                work.rk_rate[dof] = work.mid_v[dof]


@kernel
def twice_kinetic_energy(model, work, t):
    """Return v·M v of tree t at the last evaluated stage [J]."""
    total = 0.0
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        velocity = spatial.load(work.body_vel, i)
        momentum = spatial.inertia_times(work.body_inertia, i, velocity)
        total += spatial.dot(velocity, momentum)
    return total


@kernel
def spins_far(model, work, t, dt):
    """Tell whether a base or spherical joint of tree t rotates too far in a substep: (dt ω)³/4 as for stages.

    A body that spins about its axis has nearly all of its energy there: the stages tell nothing about how it
    nods.
    """
    if model.tree_is_single[t] == 1:
        return False
    most = 0.0
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        if model.joint_type[i] == Joint.FREE or model.joint_type[i] == Joint.SPHERICAL:
            last = model.joint_v[i] + articulated.dof_count(model.joint_type[i])
            most = max(most, vec.norm((work.rk_v[last - 3], work.rk_v[last - 2], work.rk_v[last - 1])))
    return not (dt * most) ** 3 <= 4.0 * STAGE_TOLERANCE


@kernel
def advance_part(model, command, settings, work, t, parts):
    """Advance `rk_q` and `rk_v` of tree t by one of `parts` substeps; return whether it is too long.

    It is if the stages differ too much, measured by the kinetic energy of their changes of velocity.

    Writes: work.
    """
    dt = settings.dt / parts
    share = 1.0 / (6.0 * parts)
    is_coarse = spins_far(model, work, t, dt)
    if is_coarse and parts < MAX_SUBSTEPS:
        return True
    for k in range(model.joint_q[model.tree_body[t]], kinematics.end_of_q(model, t)):
        work.mid_q[k] = work.rk_q[k]
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.mid_v[dof] = work.rk_rate[dof] = work.rk_v[dof]
        work.rk_rate_sum[dof] = work.rk_acc_sum[dof] = 0.0
    size, _ = evaluate_stage(model, command, settings, work, t, share)
    scale = twice_kinetic_energy(model, work, t) + dt * dt * size
    add_stage(model, work, t, 1.0 / 6.0, dt)
    for k in range(3):
        set_next_stage(model, work, t, dt if k == 2 else 0.5 * dt)
        _, apart = evaluate_stage(model, command, settings, work, t, share if k == 2 else 2.0 * share)
        most = FIRST_STAGE_TOLERANCE if k == 0 else STAGE_TOLERANCE
        if k < 2 and not dt * dt * apart <= most * most * scale:
            is_coarse = True
            if parts < MAX_SUBSTEPS:
                return True
        add_stage(model, work, t, 1.0 / 6.0 if k == 2 else 1.0 / 3.0, dt)
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        kinematics.drift_joint(model, i, work.rk_q, work.rk_rate_sum, dt, work.rk_q)
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.rk_v[dof] += dt * work.rk_acc_sum[dof]
    return is_coarse


@kernel
def advance_parts(model, state, command, settings, work, t, parts):
    """Advance tree t by one step in `parts` substeps; return whether these are too long.

    Writes: work.
    """
    for k in range(model.joint_q[model.tree_body[t]], kinematics.end_of_q(model, t)):
        work.rk_q[k] = state.q[k]
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.rk_v[dof] = state.v[dof]
        work.rk_torque[dof] = work.substep_displacement[dof] = 0.0
    is_coarse = False
    for _ in range(parts):
        is_coarse = advance_part(model, command, settings, work, t, parts) or is_coarse
        if is_coarse and parts < MAX_SUBSTEPS:
            return True
    return is_coarse


@kernel
def integrate_tree(model, state, command, settings, work, t):
    """Advance `rk_q` and `rk_v` of tree t by one step, in as many substeps as needed; return failure.

    True if `MAX_SUBSTEPS` substeps are too few, or one for a free body.

    Writes: work.
    """
    parts = 1
    is_coarse = advance_parts(model, state, command, settings, work, t, parts)
    while is_coarse and parts < MAX_SUBSTEPS and model.tree_is_single[t] == 0:
        parts *= 2
        is_coarse = advance_parts(model, state, command, settings, work, t, parts)
    return is_coarse


@kernel
def restore_middle(model, state, settings, work, t):
    """Restore the mid-step coordinates, poses and inertias of tree t.

    Writes: work.
    """
    move_tree_to_middle(model, state, settings, work, t)
    kinematics.compute_tree_poses(model, work.mid_q, work, t, model.tree_is_single[t] == 0)
    inertia.rotate_inertias(model, work, model.tree_body[t], model.tree_body_count[t])


@kernel
def add_momentum(model, work, t, v, rate, out):
    """Add rate · M v to joint forces, at the present poses of the bodies.

    Writes: work, out.
    """
    bias.write_tree_velocities(model, v, work, t)
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        velocity = spatial.load(work.body_vel, i)
        spatial.store(work.body_force, i, spatial.inertia_times(work.body_inertia, i, velocity))
    bias.project_forces(model, work, t, work.rk_acc)
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        out[dof] += rate * (work.rk_acc[dof] + model.dof_armature[dof] * v[dof])


@kernel
def integrate_held_tree(model, state, command, settings, work, t):
    """Integrate tree t in substeps under the solved forces; set h to its mean over the step.

    The held force is f = h + M (v⁺ − v)/dt, so h⁺ = f − M (v_end − v)/dt. All else is left as by a step with
    the mean velocity (v + v_end)/2. If the substeps fail, h is h(v).

    Writes: work.
    """
    rate = 1.0 / settings.dt
    first = model.tree_v[t]
    last = first + model.tree_nv[t]
    whitening.unwhiten_tree(model, work, t, work.response, work.change_v)
    for dof in range(first, last):
        work.held_force[dof] = work.bias_force[dof]
        work.rk_inertia[dof] = work.drive_inertia[dof]
    add_momentum(model, work, t, work.change_v, rate, work.held_force)
    if integrate_tree(model, state, command, settings, work, t):
        work.status[0] |= Status.TIME_STEP_TOO_LONG
        work.tree_is_coarse[t] = 1
    restore_middle(model, state, settings, work, t)
    arrives = True
    for dof in range(first, last):
        arrives = arrives and abs(work.rk_v[dof]) <= MAX_SPEED
    work.tree_mode[t] = IntegrationMode.SUBSTEPS_DONE if arrives else IntegrationMode.SUBSTEPS_FAILED
    for dof in range(first, last):
        work.drive_inertia[dof] = work.rk_inertia[dof]
        work.change_v[dof] = work.rk_v[dof] - state.v[dof] if arrives else 0.0
        work.mid_v[dof] = state.v[dof] + 0.5 * work.change_v[dof]
        work.substep_velocity[dof] = 2.0 * rate * work.substep_displacement[dof] - work.rk_v[dof]
    inertia.factorize_one_tree(model, work, t)
    if not arrives:
        work.tree_is_fourth[t] = 0
        bias.compute_tree_bias(model, work.mid_v, settings, work, t)
        return
    add_momentum(model, work, t, work.change_v, -rate, work.held_force)
    bias.compute_tree_bias(model, work.mid_v, settings, work, t)
    for dof in range(first, last):
        work.bias_force[dof] = work.held_force[dof]


@kernel
def advance_free_tree(model, state, command, settings, work, t):
    """Replace the midpoint step of an unconstrained tree; bodies stay at mid step, for read-outs of forces.

    A free body that rotates too far keeps its midpoint step.

    Writes: work.
    """
    if integrate_tree(model, state, command, settings, work, t):
        work.status[0] |= Status.TIME_STEP_TOO_LONG
        work.tree_is_coarse[t] = 1
        if model.tree_is_single[t] == 1:
            work.tree_is_free[t] = 0
    if work.tree_is_free[t] == 1:
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            work.next_v[dof] = work.rk_v[dof]
            work.applied_torque[dof] = work.rk_torque[dof]
        work.tree_is_fourth[t] = 1
        for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
            work.joint_is_ruled[i] = 0
    restore_middle(model, state, settings, work, t)


@kernel
def advance_free_trees(model, state, command, settings, work):
    """Replace the midpoint step of unconstrained trees, if `rk4` is set or they rotate too far.

    With `rk4` all others set `FELL_BACK_TO_MIDPOINT`.

    Writes: work.
    """
    is_asked_for = settings.integrator == Integrator.RK4
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] != Kind.DYNAMIC or model.tree_nv[t] == 0:
            continue
        if not is_asked_for and work.tree_mode[t] != IntegrationMode.SUBSTEPPED:
            continue
        if work.tree_is_free[t] == 1:
            advance_free_tree(model, state, command, settings, work, t)
        if is_asked_for and work.tree_is_free[t] == 0:
            work.status[0] |= Status.FELL_BACK_TO_MIDPOINT


@kernel
def run_substep_part(model, state, command, settings, work):
    """Integrate pending trees under held forces or, if there are none, advance unconstrained trees.

    Writes: work.
    """
    is_held = False
    for t in range(model.tree_body.shape[0]):
        if work.tree_mode[t] == IntegrationMode.SUBSTEPS_PENDING:
            integrate_held_tree(model, state, command, settings, work, t)
            is_held = True
    if not is_held:
        advance_free_trees(model, state, command, settings, work)
