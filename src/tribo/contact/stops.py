"""Stage *stops*: no stop of a joint throws.

Where joints that turn fast meet their stops, the velocity changes within the step, but forces that depend on
it are taken at one velocity, and all is evaluated at one configuration. One hit would give a chain of ball
joints at 100 rad/s, in steps of 1 ms, as much energy as it has. Stops only take. So a robot that would leave
them with more energy than it had and its drives gave is slowed by one factor: gaps that the solve kept open
are so at a part of the velocity too; those of joints beyond their stops close the slower.
It is done for robots on a fixed base that touch nothing. Impulses, torques and the residual stay those of
the solve.
"""

from math import inf

from tribo.dynamics.kinematics import body_pose, drift_joint
from tribo.dynamics.momentum import body_twist
from tribo.jit import kernel
from tribo.math import spatial, vec
from tribo.model import Integrator, Joint, Kind, Slot

FIXED = int(Joint.FIXED)
REVOLUTE = int(Joint.REVOLUTE)
SPHERICAL = int(Joint.SPHERICAL)
FREE = int(Joint.FREE)
DYNAMIC = int(Kind.DYNAMIC)
LIMIT = int(Slot.LIMIT)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)

SPEED = (-2, 2)  # modes of a drive at its speed limit
SWIFT = 0.02  # [rad] in a step; slower joints gain nothing that could be measured
HALVINGS = 40  # of the factor: to round-off


@kernel
def is_swift(model, state, settings, work, t):
    """Tell whether a joint of a tree turns far in this step, by its velocity before or after."""
    most = SWIFT / settings.dt
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        joint = model.joint_type[i]
        if joint != REVOLUTE and joint != SPHERICAL:
            continue
        for k in range(model.joint_v[i], model.joint_v[i] + (3 if joint == SPHERICAL else 1)):
            if abs(state.v[k]) > most or abs(work.next_v[k]) > most:
                return True
    return False


@kernel
def presses(model, work, t):
    """Tell whether a joint of a tree presses against a stop."""
    for n in range(work.scalar_count[0]):
        i = work.scalar_body[n, 0]
        if model.body_tree[i] == t and work.scalar_slot[n] == model.joint_slot[i] + LIMIT:
            if work.scalar_impulse[n] != 0.0:
                return True
    return False


@kernel
def is_alone(model, work, t):
    """Tell whether a tree on a fixed base touches nothing and is tied to nothing."""
    if model.tree_kind[t] != DYNAMIC or model.tree_nv[t] == 0 or model.tree_is_tied[t] == 1:
        return False
    if model.joint_type[model.tree_body[t]] == FREE or work.tree_is_resting[t] == 1:
        return False
    for c in range(work.contact_count[0]):
        if work.contact_target[c] > -inf or work.contact_is_soft[c] == 1:
            for side in range(2):
                if model.body_tree[work.contact_body[c, side]] == t:
                    return False
    return True


@kernel
def energy(model, q, v, settings, work, t):
    """Return kinetic and potential energy of a tree on a fixed base [J].

    Writes: work.
    """
    total = 0.0
    root = model.tree_body[t]
    for i in range(root, root + model.tree_body_count[t]):
        p, r = body_pose(model, q, work.swing_pos, work.swing_rot, i)
        vec.store(work.swing_pos, i, p)
        vec.store_mat(work.swing_rot, i, r)
        omega = (0.0, 0.0, 0.0)
        velocity = (0.0, 0.0, 0.0)
        if model.joint_type[i] != FIXED:
            omega, velocity = body_twist(model, v, work, i, p, r)
        spatial.store(work.swing_vel, i, (*omega, *velocity))
        arm = vec.mat_vec(r, vec.load(model.body_com, i))
        velocity = vec.add(velocity, vec.cross(omega, arm))
        c = vec.add(p, arm)
        own = vec.rotate_sym(r, spatial.load(model.body_inertia, i))
        weight = vec.dot(c, (settings.gravity_x, settings.gravity_y, settings.gravity_z))
        total += model.body_mass[i] * (0.5 * vec.dot(velocity, velocity) - weight)
        total += 0.5 * vec.dot(omega, vec.sym_vec(own, omega))
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        total += 0.5 * model.dof_armature[dof] * v[dof] * v[dof]
    return total


@kernel
def end_energy(model, settings, work, t, part):
    """Return the energy [J] with which a tree ends the step at a part of its new velocity.

    Writes: work.
    """
    dt = settings.dt if settings.integrator == SEMI_IMPLICIT else 0.5 * settings.dt
    first = model.tree_v[t]
    is_fourth = work.tree_is_fourth[t] == 1
    for dof in range(first, first + model.tree_nv[t]):
        begun = work.rk_v[dof] if is_fourth else 0.0
        work.change_v[dof] = part * work.next_v[dof] - begun
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        if is_fourth and work.joint_is_ruled[i] == 0:
            drift_joint(model, i, work.rk_q, work.change_v, dt, work.end_q)
    for dof in range(first, first + model.tree_nv[t]):
        work.change_v[dof] = part * work.next_v[dof]
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        if not is_fourth or work.joint_is_ruled[i] == 1:
            drift_joint(model, i, work.mid_q, work.change_v, dt, work.end_q)
    return energy(model, work.end_q, work.change_v, settings, work, t)


@kernel
def given(model, state, settings, work, t):
    """Return what drives, springs and hands give to a tree in this step [J], if that is positive."""
    total = 0.0
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        force = work.drive_force[dof]
        force -= work.drive_inertia[dof] * (work.next_v[dof] - state.v[dof]) / settings.dt
        impulse = settings.dt * force
        if work.drive_mode[dof] in SPEED and work.drive_row[dof] >= 0:  # held at its speed by a row
            impulse += work.scalar_impulse[work.drive_row[dof]]
        total += 0.5 * impulse * (state.v[dof] + work.next_v[dof])
    return max(0.0, total)


@kernel
def calm(model, state, settings, work):
    """Slow the robots that would leave stops with more energy than they had and were given.

    Writes: work.
    """
    if work.scalar_count[0] == 0:
        return
    for t in range(model.tree_body.shape[0]):
        if model.tree_is_single[t] == 1 or not is_swift(model, state, settings, work, t):
            continue
        if not presses(model, work, t) or not is_alone(model, work, t):
            continue
        most = energy(model, state.q, state.v, settings, work, t)
        most += given(model, state, settings, work, t)
        # At rest where the step is evaluated it may hold more: then its weight does it, not a stop.
        if end_energy(model, settings, work, t, 1.0) <= most:
            continue
        if end_energy(model, settings, work, t, 0.0) > most:
            continue
        low = 0.0
        high = 1.0
        for _ in range(HALVINGS):
            part = 0.5 * (low + high)
            if end_energy(model, settings, work, t, part) > most:
                high = part
            else:
                low = part
        for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            work.next_v[dof] *= low
