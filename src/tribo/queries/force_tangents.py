"""How drives, springs, dampers and external wrenches change with coordinates and velocities."""

from tribo.compiler.jit import kernel
from tribo.dynamics.actuation import form_weights
from tribo.dynamics.articulated import dof_count
from tribo.enums import DriveForm
from tribo.math import spatial, vec
from tribo.model import Joint, Kind
from tribo.queries.contact_tangents import ZERO, add_force_change, origin_of
from tribo.queries.tangents import Count
from tribo.queries.tree_tangents import inverse_turn

AT_LIMIT = 1e-12  # [–] of a force, by which it may miss its limit: rounding


@kernel
def obeys(model, command, work, dof):
    """Tell whether a drive gives what its law says: no row holds it, and no bound cuts a constant torque."""
    lower, upper = model.dof_effort_lower[dof], model.dof_effort_upper[dof]
    if work.drive_mode[dof] != 0 or lower == upper:
        return False
    is_constant = command.kp[dof] == 0.0 and command.kd[dof] == 0.0
    return not is_constant or lower <= work.feed_forward[dof] <= upper


@kernel
def side_of_limit(model, command, work, dof, otherwise):
    """Return 2 where the constant force of a drive is exactly at its upper limit, 3 at its lower one."""
    force = work.feed_forward[dof]
    near = AT_LIMIT * abs(force)
    lower, upper = model.dof_effort_lower[dof], model.dof_effort_upper[dof]
    if command.kp[dof] != 0.0 or command.kd[dof] != 0.0 or lower == upper:
        return otherwise
    if abs(force - upper) <= near:
        return 2
    return 3 if abs(force - lower) <= near else otherwise


@kernel
def take_forces(model, command, settings, work, tangents, at_q, at_v, at_tau):
    """Add to the system what drives, springs and dampers do, and forces on dofs; note drives within limits.

    Writes: tangents.
    """
    dt = settings.dt
    a, b, _ = form_weights(DriveForm.TRAPEZOID, settings.integrator)
    for i in range(model.body_parent.shape[0]):
        first = model.joint_v[i]
        count = dof_count(model.joint_type[i])
        straight = count
        if model.joint_type[i] == Joint.SPHERICAL:
            straight = 0
        elif model.joint_type[i] == Joint.FREE:
            straight = 3
        for dof in range(first, first + count):
            if model.dof_is_moved[dof] == 0:
                tangents.system[dof, dof] = 1.0  # it goes its own way
                continue
            tangents.system[dof, dof] += model.dof_armature[dof] + work.drive_inertia[dof]
            follows = obeys(model, command, work, dof)
            kp = command.kp[dof] if follows else 0.0
            kd = command.kd[dof] if follows else 0.0
            k = model.dof_stiffness[dof]
            da, db, _ = form_weights(command.drive_form[dof], settings.integrator)
            loss = model.dof_damping[dof] + kd + dt * (k * (a + b) + kp * (da + db))
            tangents.system[dof, at_v + dof] -= dt * loss
            tangents.follows[dof] = side_of_limit(model, command, work, dof, 1 if follows else 0)
            if tangents.follows[dof] > 1:
                tangents.counts[Count.LIMITS] += 1
            tangents.system[dof, at_tau + dof] = dt
            if dof < first + straight:
                tangents.system[dof, at_q + dof] -= dt * (k + kp)
        if straight < count:
            turn_forces(model, command, settings, work, tangents, first + straight, at_q)


@kernel
def turn_forces(model, command, settings, work, tangents, first, at_q):
    """Add to the system what springs and drives of three dofs that turn do with their rotation.

    Writes: tangents.
    """
    dt = settings.dt
    wanted = vec3(work.drive_error, first)
    rest = vec3(work.spring_error, first)
    for j in range(3):
        e = (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2))
        x = inverse_turn(wanted, e)
        y = inverse_turn(rest, e)
        for r in range(3):
            dof = first + r
            if model.dof_is_moved[dof] == 0:
                continue
            kp = command.kp[dof] if obeys(model, command, work, dof) else 0.0
            change = kp * x[r] + model.dof_stiffness[dof] * y[r]
            tangents.system[dof, at_q + first + j] -= dt * change


@kernel
def vec3(array, k):
    """Return three numbers of a line of them."""
    return (array[k], array[k + 1], array[k + 2])


@kernel
def take_masses(model, tangents, at_v):
    """Copy M̂ into the columns of the velocity before the step.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    for k in range(n):
        for j in range(n):
            tangents.system[k, at_v + j] += tangents.system[k, j]


@kernel
def take_wrenches(model, settings, work, tangents, at_q):
    """Add to the system what external wrenches do as bodies move, and write Jacobians of the centres of mass.

    Writes: tangents.
    """
    for i in range(model.body_parent.shape[0]):
        t = model.body_tree[i]
        if model.tree_kind[t] != Kind.DYNAMIC:
            continue
        com = vec.mat_vec(vec.load_mat(work.body_rot, i), vec.load(model.body_com, i))
        place = vec.add(vec.load(work.body_pos, i), com)
        arm = vec.sub(place, origin_of(model, work, i))
        chain = model.body_chain_start[i]
        torque = (tangents.wrench[i, 0], tangents.wrench[i, 1], tangents.wrench[i, 2])
        force = (tangents.wrench[i, 3], tangents.wrench[i, 4], tangents.wrench[i, 5])
        acts = vec.dot(torque, torque) + vec.dot(force, force) > 0.0
        for p in range(model.body_chain_len[i]):
            j = model.chain_dof[chain + p]
            s = spatial.load(work.dof_axis, j)
            moved = vec.add((s[3], s[4], s[5]), vec.cross((s[0], s[1], s[2]), arm))
            for r in range(3):
                tangents.com_rows[i, r, j] = s[r]
                tangents.com_rows[i, 3 + r, j] = moved[r]
            if acts:
                push = vec.scale(settings.dt, force)
                add_force_change(model, work, tangents, i, j, True, push, place, ZERO, moved, at_q + j)
                add_torque_change(model, work, tangents, i, j, vec.scale(settings.dt, torque), at_q + j)


@kernel
def add_torque_change(model, work, tangents, body, j, torque, column):
    """Add to a column what the dofs of a body feel of a torque otherwise as coordinate j moves their axes.

    Writes: tangents.
    """
    axis = spatial.load(work.dof_axis, j)
    chain = model.body_chain_start[body]
    wrench = (torque[0], torque[1], torque[2], 0.0, 0.0, 0.0)
    for p in range(model.body_chain_len[body]):
        k = model.chain_dof[chain + p]
        if model.dof_depth[k] > model.dof_depth[j] and model.dof_body[k] != model.dof_body[j]:
            s = spatial.load(work.dof_axis, k)
            tangents.system[k, column] += spatial.dot(spatial.cross_motion(axis, s), wrench)
