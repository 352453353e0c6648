"""First part of stage *teams*: no stop of a joint throws, no wire and no mimic joint.

Where joints that turn fast meet their stops, the velocity changes within the step, but forces that depend on
it are taken at one velocity, and all is evaluated at one configuration. One hit would give a chain of ball
joints at 100 rad/s, in steps of 1 ms, as much energy as it has. Stops only take, and so do mimic joints and
what ties a robot to itself or to what stands still. So a robot that would leave them with more energy than
it had and its drives gave is slowed by one factor: gaps that the solve kept open are so at a part of the
velocity too; those of joints beyond their stops close the slower.
It is done for robots on a fixed base that touch nothing. Impulses, torques and the residual stay those of
the solve.
"""

from math import inf

from tribo.contact import closing
from tribo.contact.linkage import SLOTS
from tribo.contact.recovery import tree_mass
from tribo.contact.scalar import GIVES_WAY
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
STATIC = int(Kind.STATIC)
LIMIT = int(Slot.LIMIT)
MIMIC = int(Slot.MIMIC)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)

SPEED = (-2, 2)  # modes of a drive at its speed limit
SWIFT = 0.02  # [rad] in a step; slower joints gain nothing that could be measured
ERROR = 1e-3  # [–] of the kinetic energy, that ties, and stops of slow joints, may give in a step
NOTHING, TIES, STOPS, PUSHES = 0, 1, 2, 3  # what holds a tree; the last may give energy
HALVINGS = 40  # of the factor: to round-off


@kernel
def is_swift(model, state, settings, work, t, is_strict):
    """Tell whether a joint of a tree turns far in this step, by its velocity before or after.

    Not strictly: far for the curve of its stop, which bends the more the narrower it is.
    """
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        joint = model.joint_type[i]
        if joint != REVOLUTE and joint != SPHERICAL:
            continue
        most = SWIFT / settings.dt
        if joint == SPHERICAL and not is_strict:
            most *= min(1.0, 0.5 * model.joint_upper[i])
        for k in range(model.joint_v[i], model.joint_v[i] + (3 if joint == SPHERICAL else 1)):
            if abs(state.v[k]) > most or abs(work.next_v[k]) > most:
                return True
    return False


@kernel
def is_alone(model, work, t):
    """Tell whether a tree on a fixed base touches nothing."""
    if model.tree_kind[t] != DYNAMIC or model.tree_nv[t] == 0:
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
def is_of(model, work, n, t):
    """Tell whether scalar row n moves a tree."""
    for side in range(2):
        if work.scalar_len[n, side] > 0 and model.body_tree[work.scalar_body[n, side]] == t:
            return True
    return False


@kernel
def may_push(model, work, n, t):
    """Tell whether row n, of a constraint, may give energy to a tree, or ties it to what moves by itself."""
    c = (work.scalar_slot[n] - model.constraint_slot[0]) // SLOTS
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0 and model.body_tree[body] != t:
            if model.tree_kind[model.body_tree[body]] != STATIC:
                return True
    return work.scalar_reach[n] == GIVES_WAY


@kernel
def grip(model, work, t):
    """Return what holds a tree, `NOTHING` … `PUSHES`, and the energy that closing what is open may take."""
    found = NOTHING
    energy = 0.0
    mass = tree_mass(model, t)
    for n in range(work.scalar_count[0]):
        if work.scalar_impulse[n] == 0.0 or not is_of(model, work, n, t):
            continue
        energy += closing.energy(work, n, mass)
        if closing.is_tie(model, work, n):
            if may_push(model, work, n, t):
                return PUSHES, energy
            found = max(found, TIES)
            continue
        kind = work.scalar_slot[n] - model.joint_slot[work.scalar_body[n, 0]]
        if kind == MIMIC:
            found = max(found, TIES)
        elif kind == LIMIT:
            found = STOPS
    return found, energy


@kernel
def energy(model, q, v, settings, work, t):
    """Return kinetic and potential energy of a tree [J].

    Writes: work.
    """
    kinetic = potential = 0.0
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
        potential -= model.body_mass[i] * weight
        kinetic += 0.5 * model.body_mass[i] * vec.dot(velocity, velocity)
        kinetic += 0.5 * vec.dot(omega, vec.sym_vec(own, omega))
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        kinetic += 0.5 * model.dof_armature[dof] * v[dof] * v[dof]
    return kinetic, potential


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
    kinetic, potential = energy(model, work.end_q, work.change_v, settings, work, t)
    return kinetic + potential


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
def allowed(model, state, settings, work, t, is_strict, closing_energy):
    """Return the energy [J] with which a tree that is held may end the step: what it has and is given.

    If it is not strict, a little more, as an error of the step; at least what closing gaps may take.

    Writes: work.
    """
    kinetic, potential = energy(model, state.q, state.v, settings, work, t)
    most = kinetic + given(model, state, settings, work, t)
    if not is_strict:
        most += ERROR * kinetic
    return potential + max(most, closing_energy)


@kernel
def calm(model, state, settings, work):
    """Slow the robots that would leave stops or ties with more energy than they had and were given.

    Writes: work.
    """
    if work.scalar_count[0] == 0:
        return
    for t in range(model.tree_body.shape[0]):
        if model.tree_is_single[t] == 1 or not is_swift(model, state, settings, work, t, False):
            continue
        held, closing_energy = grip(model, work, t)
        if held == NOTHING or held == PUSHES or not is_alone(model, work, t):
            continue
        if held == TIES and settings.integrator == SEMI_IMPLICIT:  # its energy goes to and fro
            continue
        is_strict = held == STOPS and is_swift(model, state, settings, work, t, True)
        most = allowed(model, state, settings, work, t, is_strict, closing_energy)
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
