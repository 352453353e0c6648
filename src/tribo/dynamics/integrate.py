"""Stages `integrate.drift_to_middle`, `.free_response`, `.next_velocity`, `.check_finite`, `.next_positions`.

Midpoint rule (Moreau): drift half a step, evaluate all forces there, change the velocity, drift the other
half. From midpoint to midpoint this is q_m⁺ = q_m + dt v⁺, v⁺ = v + dt M⁻¹(…)(q_m): the semi-implicit step,
staggered. So all that must be implicit for stability (contact gaps, joint limits, PD drives) uses
q_m + dt v⁺, with either integrator.
"""

from tribo.compiler.jit import kernel
from tribo.dynamics import constrained_drift, kinematics
from tribo.dynamics.bias import free_rotation, is_constrained_single, rotate_free_body
from tribo.dynamics.whitening import unwhiten, unwhiten_tree, whiten_tree
from tribo.math import quat, spatial, vec
from tribo.model import IntegrationMode, Integrator, Joint, Kind, Status

STRUCK, ROLLING = 1, 2  # entries of `Work.tree_is_hit`
MAX_SPEED = 1e15  # [m/s, rad/s] as in `tribo.checks.check`; angles overflow far beyond it


@kernel
def drift_to_middle(model, state, settings, work):
    """Set the coordinates of all trees at which the step is evaluated.

    Writes: work.
    """
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        for k in range(state.q.shape[0]):
            work.mid_q[k] = state.q[k]
        return
    for t in range(model.tree_body.shape[0]):
        move_tree_to_middle(model, state, settings, work, t)


@kernel
def move_tree_to_middle(model, state, settings, work, t):
    """Set the coordinates of tree t in the middle of the step.

    Writes: work.
    """
    dt = settings.dt
    if is_constrained_single(model, t):
        drift_split(model, t, state.q, state.v, vec.load(work.single_spin, t), 0.5 * dt, work.mid_q)
        spin = constrained_drift.spin_of(model, work.start_velocity, t)
        constrained_drift.move_constrained_body(model, work, t, work.mid_q, work.start_velocity)
        change = vec.sub(constrained_drift.spin_of(model, work.start_velocity, t), spin)
        for k in range(3):
            work.mid_v[model.tree_v[t] + 3 + k] += change[k]
        return
    if model.tree_is_single[t] == 1:
        spin = vec.load(work.single_spin, t)
        kinematics.drift_single(model, t, state.q, state.v, dt, spin, work.mid_q)
        return
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        if model.joint_type[i] == Joint.SPHERICAL:
            kinematics.drift_ball(model, i, state.q, state.v, state.vdot, dt, work.mid_q)
        else:
            kinematics.drift_joint(model, i, state.q, state.v, 0.5 * dt, work.mid_q)


@kernel
def drift_split(model, t, q, v, spin, dt, out):
    """Move a free body for a time dt, rotating by the Cayley rotation of a mean spin.

    Writes: out.
    """
    a = model.joint_q[model.tree_body[t]]
    b = model.tree_v[t]
    for k in range(3):
        out[a + k] = q[a + k] + dt * v[b + k]
    turn = quat.cayley(vec.scale(dt, spin))
    quat.store(out, a + 3, quat.normalize(quat.mul(turn, quat.load(q, a + 3))))


@kernel
def free_response(model, settings, work):
    """Compute the response to all forces but those of contacts. z = D^(−1/2) L⁻ᵀ dt (τ − h)

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_resting[t] == 1:  # in equilibrium with its contacts
            for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
                work.free_response[dof] = 0.0
        else:
            compute_tree_response(model, settings, work, t)


@kernel
def compute_tree_response(model, settings, work, t):
    """Compute the free response of one tree.

    Writes: work.
    """
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        work.free_response[dof] = settings.dt * (work.drive_force[dof] - work.bias_force[dof])
    whiten_tree(model, work, t, work.free_response)


@kernel
def end_of(model, work, n, side):
    """Return the tree on a side of row n; −1 if its impulse moves none."""
    return model.body_tree[work.scalar_body[n, side]] if work.scalar_len[n, side] > 0 else -1


@kernel
def has_impulse(work, c):
    """Tell whether an impulse acts at contact c in this step, of the solve or of an impact before it."""
    is_hit = work.impact_count[0] > 0 and vec.load(work.contact_impact, c) != (0.0, 0.0, 0.0)
    return is_hit or vec.load(work.contact_impulse, c) != (0.0, 0.0, 0.0)


@kernel
def restore_missed_bodies(model, work):
    """Restore the free rotation of bodies that were expected to be hit but got no impulse.

    Writes: work.
    """
    is_any = False
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_hit[t] > 0 and work.impact_count[0] == 0:
            work.tree_is_hit[t] = -work.tree_is_hit[t]
            is_any = True
    if not is_any:
        return
    for c in range(work.contact_count[0]):
        if has_impulse(work, c):
            for side in range(2):
                tree = model.body_tree[work.contact_body[c, side]]
                work.tree_is_hit[tree] = abs(work.tree_is_hit[tree])
    for n in range(work.scalar_count[0]):  # rows of joints and constraints count, too
        if work.scalar_impulse[n] != 0.0:
            for side in range(2):
                tree = end_of(model, work, n, side)
                if tree >= 0:
                    work.tree_is_hit[tree] = abs(work.tree_is_hit[tree])
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_hit[t] < 0:
            work.tree_is_hit[t] = 0
            b = model.tree_v[t] + 3
            for k in range(3):
                work.hit_response[b + k] = 0.0
                free = work.single_free_spin[t, k] - work.start_velocity[b + k]
                work.next_v[b + k] += free  # `compute_single_bias`; `impact_split` removed it


@kernel
def next_velocity(model, state, work):
    """Compute the new velocity. v⁺ = v + L⁻¹ D^(−1/2) z; of kinematic bodies v

    Writes: work.
    """
    unwhiten(model, work, work.response, work.next_v)
    for dof in range(work.next_v.shape[0]):
        work.next_v[dof] += work.start_velocity[dof]
    restore_missed_bodies(model, work)
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] == Kind.KINEMATIC:
            for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
                work.next_v[dof] = state.v[dof]
        if work.tree_is_hit[t] > 0:
            for k in range(3):
                work.next_v[model.tree_v[t] + 3 + k] += work.hit_rotation[t, k]
    if work.impact_count[0] > 0:
        unwhiten(model, work, work.impact_response, work.change_v)
        for dof in range(work.next_v.shape[0]):
            work.next_v[dof] += work.change_v[dof]


@kernel
def check_finite(work):
    """Set `INVALID` if a new velocity is not finite or larger than `MAX_SPEED`.

    Writes: work.
    """
    for dof in range(work.next_v.shape[0]):
        if not abs(work.next_v[dof]) <= MAX_SPEED:
            work.status[0] |= Status.INVALID


@kernel
def is_free_acceleration(model, work, t):
    """Tell whether the free response of tree t is smaller, in kinetic energy ½‖z‖², than its whole response.

    Neither an impact nor weight on a supporting floor is a lasting acceleration: the smaller of the two
    changes of velocity is the one that lasts. Forces of pins and welds are part of the free response here.
    """
    total = free = 0.0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        z = work.response[dof]
        if work.impact_count[0] > 0:
            z += work.impact_response[dof]
        total += z * z
        free += work.free_response[dof] * work.free_response[dof]
    return total > free


@kernel
def store_acceleration(model, state, settings, work):
    """Store the lasting acceleration of each tree, which predicts the next mid-step velocity.

    Writes: state, work.
    """
    rate = 1.0 / settings.dt
    needs_singles = model.constraint_kind.shape[0] > 0  # else unused
    for t in range(model.tree_body.shape[0]):
        first = model.tree_v[t]
        last = first + model.tree_nv[t]
        if model.tree_kind[t] == Kind.KINEMATIC:
            for dof in range(first, last):  # `mid_velocity.extrapolate_carriers`
                state.vdot[dof] = rate * (state.v[dof] - state.left_v[dof])
                state.left_v[dof] = state.v[dof]
            continue
        is_held_back = work.tree_mode[t] == IntegrationMode.LIMITED
        if is_held_back or state.tree_is_asleep[t] > 0:  # or about to be
            for dof in range(first, last):
                state.vdot[dof] = state.vdot_before[dof] = 0.0
            continue
        if model.tree_is_single[t] == 1 and not needs_singles:
            continue
        is_free = work.tree_is_free[t] == 0 and is_free_acceleration(model, work, t)
        if is_free:
            unwhiten_tree(model, work, t, work.free_response, work.change_v)
        for dof in range(first, last):
            change = work.change_v[dof] if is_free else work.next_v[dof] - work.start_velocity[dof]
            state.vdot_before[dof] = state.vdot[dof]
            state.vdot[dof] = rate * change


@kernel
def finish_single_body(model, t, v, settings, work, q):
    """Drift a free body through the second half of its step, at whose end it has the velocity v.

    Writes: q.
    """
    root = model.tree_body[t]
    a = model.joint_q[root] + 3
    b = model.joint_v[root] + 3
    kinematics.drift_single(model, t, work.mid_q, v, settings.dt, vec.load(work.single_spin, t), q)
    free = vec.load(work.single_free_spin, t)
    h = 0.5 * settings.dt
    turn = (h * (v[b] - free[0]), h * (v[b + 1] - free[1]), h * (v[b + 2] - free[2]))
    if turn[0] != 0.0 or turn[1] != 0.0 or turn[2] != 0.0:
        turned = quat.mul(quat.exp(turn), quat.load(q, a))
        quat.store(q, a, quat.normalize(turned))


@kernel
def finish_constrained_body(model, t, v, settings, work, q):
    """Let a free body on a constraint tumble through the second half of the step; v becomes the final one.

    Its angular momentum after the impulses is conserved exactly.

    Writes: v, q.
    """
    dt = settings.dt if settings.integrator == Integrator.SEMI_IMPLICIT else 0.5 * settings.dt
    b = model.tree_v[t] + 3
    at = quat.load(work.mid_q, model.joint_q[model.tree_body[t]] + 3)
    spin, omega = free_rotation(model, t, at, (v[b], v[b + 1], v[b + 2]), dt)
    drift_split(model, t, work.mid_q, v, spin, dt, q)
    for k in range(3):
        v[b + k] = omega[k]
    constrained_drift.move_constrained_body(model, work, t, q, v)


@kernel
def finish_hit_body(model, t, state, settings, work):
    """Let a hit free body tumble from the impact to the end of the step, at constant energy.

    Writes: state, work.
    """
    root = model.tree_body[t]
    a = model.joint_q[root]
    b = model.joint_v[root]
    is_midpoint = settings.integrator != Integrator.SEMI_IMPLICIT
    h = 0.5 * settings.dt if is_midpoint else settings.dt
    for k in range(3):
        state.q[a + k] = work.mid_q[a + k] + h * work.next_v[b + k]
    q = quat.load(work.mid_q, a + 3)
    omega = (work.next_v[b + 3], work.next_v[b + 4], work.next_v[b + 5])
    spin, omega = rotate_free_body(spatial.load(model.body_inertia, root), quat.to_matrix(q), omega, h)
    q = quat.normalize(quat.mul(quat.cayley(vec.scale(h, spin)), q))
    quat.store(state.q, a + 3, q)
    if work.tree_is_hit[t] == ROLLING and is_midpoint:  # continue with the path of a free body
        turned = vec.mat_vec(quat.to_matrix(q), omega)
        for k in range(3):
            work.next_v[b + 3 + k] = turned[k]
        finish_single_body(model, t, work.next_v, settings, work, state.q)
        q = quat.load(state.q, a + 3)
    omega = vec.mat_vec(quat.to_matrix(q), omega)
    for k in range(3):
        work.next_v[b + 3 + k] = omega[k]


@kernel
def add_impact_shift(model, state, work):
    """Add the displacement of impacts at their own times, beyond that of impacts in the middle of the drift.

    Writes: state, work.
    """
    unwhiten(model, work, work.impact_shift, work.change_v)
    for i in range(model.body_tree.shape[0]):
        kinematics.drift_joint(model, i, state.q, work.change_v, 1.0, state.q)
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_hit[t] > 0 or is_constrained_single(model, t):  # spin in body axes and energy stay
            b = model.tree_v[t] + 3
            turn = quat.exp((work.change_v[b], work.change_v[b + 1], work.change_v[b + 2]))
            omega = (work.next_v[b], work.next_v[b + 1], work.next_v[b + 2])
            omega = vec.mat_vec(quat.to_matrix(turn), omega)
            for k in range(3):
                work.next_v[b + k] = omega[k]


@kernel
def finish_tree(model, t, v, vdot, settings, work, q):
    """Drift tree t from the middle of the step to its end, where it has the velocity v.

    For a body whose step is split, v is the velocity after the impulses, and becomes the final one.

    Writes: work, v, q.
    """
    is_midpoint = settings.integrator != Integrator.SEMI_IMPLICIT
    is_fourth = work.tree_is_fourth[t] == 1
    if is_constrained_single(model, t) and not is_fourth:
        finish_constrained_body(model, t, v, settings, work, q)
        return
    if is_midpoint and not is_fourth and model.tree_is_single[t] == 1:
        finish_single_body(model, t, v, settings, work, q)
        return
    if is_fourth:
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            work.rk_rate[dof] = v[dof] - work.rk_v[dof]  # change of velocity beyond the substeps
    dt = 0.5 * settings.dt if is_midpoint else settings.dt
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        if is_fourth and work.joint_is_ruled[i] == 0:
            kinematics.drift_joint(model, i, work.rk_q, work.rk_rate, dt, q)
        elif is_midpoint and not is_fourth and model.joint_type[i] == Joint.SPHERICAL:
            kinematics.drift_ball(model, i, work.mid_q, v, vdot, settings.dt, q)
        else:
            kinematics.drift_joint(model, i, work.mid_q, v, dt, q)


@kernel
def next_positions(model, state, settings, work):
    """Set the new velocity and drift to the end of the step.

    Writes: state, work.
    """
    store_acceleration(model, state, settings, work)
    constrained_drift.find_constrained_drift(model, state, settings, work, True)
    for t in range(model.tree_body.shape[0]):
        if model.tree_nv[t] == 0 or work.tree_is_resting[t] == 1:
            continue
        if work.tree_is_hit[t] > 0 and work.tree_is_fourth[t] == 0:
            finish_hit_body(model, t, state, settings, work)
        else:
            finish_tree(model, t, work.next_v, state.vdot, settings, work, state.q)
    if work.impact_count[0] > 0:
        add_impact_shift(model, state, work)
    for dof in range(state.v.shape[0]):
        state.v[dof] = work.next_v[dof]
    # Compensated sum (Kahan 1965): a million steps of 1 ms are 1000 s.
    before, added = state.time[0], settings.dt + state.time[1]
    state.time[0] = before + added
    state.time[1] = added - (state.time[0] - before)
