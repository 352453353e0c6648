"""Stages `momentum.note_set_trees`, `.set_momentum_targets`, `.keep_momenta`: momenta of floating trees.

The velocity at the end of a step belongs to the configuration in its middle, half a drift away, so motion of
the joints in that half step would change the momentum. Instead the momentum is tracked, unless the user has
set the tree since the last step: only the impulses of the step change it, and base velocity and position at
the end of the step are set to agree with it, six and three numbers. The motion of the joints does not change.
"""

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import spread4
from tribo.dynamics.bias import turned_spin
from tribo.dynamics.body_lanes import four_bodies, four_from, lane_weights, load_four
from tribo.dynamics.integrate import end_of
from tribo.dynamics.kinematics import abreast_poses, body_pose, end_of_q, pose_of, set_turns
from tribo.enums import Momentum
from tribo.math import lane_rows, linalg, quat, six, spatial, vec
from tribo.math.lane_rows import LANES, whole, whole3
from tribo.model import Integrator, Joint, Kind


@kernel
def load_motion(array, t):
    """Return m, c, p and L of tree t from an (n, 10) array."""
    return (
        array[t, 0],
        (array[t, 1], array[t, 2], array[t, 3]),
        (array[t, 4], array[t, 5], array[t, 6]),
        (array[t, 7], array[t, 8], array[t, 9]),
    )


@kernel
def store_motion(array, t, m, c, p, l):
    """Write m, c, p and L of tree t into an (n, 10) array.

    Writes: array.
    """
    array[t, 0] = m
    for k in range(3):
        array[t, 1 + k] = c[k]
        array[t, 4 + k] = p[k]
        array[t, 7 + k] = l[k]


@kernel
def body_twist(model, v, work, i, p, r):
    """Return angular velocity and origin velocity of body i, given its pose and its parent's motion."""
    dof = model.joint_v[i]
    joint = model.joint_type[i]
    if joint == Joint.FREE:
        return (v[dof + 3], v[dof + 4], v[dof + 5]), (v[dof], v[dof + 1], v[dof + 2])
    parent = model.body_parent[i]
    s = spatial.load(work.relative_vel, parent)
    omega = (s[0], s[1], s[2])
    lever = vec.sub(p, vec.load(work.relative_pos, parent))
    if joint == Joint.PRISMATIC:
        lever_rate = vec.axpy(v[dof], vec.mat_vec(r, vec.load(model.joint_axis, i)), (s[3], s[4], s[5]))
        return omega, vec.add(lever_rate, vec.cross(omega, lever))
    velocity = vec.add((s[3], s[4], s[5]), vec.cross(omega, lever))
    if joint == Joint.REVOLUTE:
        omega = vec.axpy(v[dof], vec.mat_vec(r, vec.load(model.joint_axis, i)), omega)
    elif joint == Joint.SPHERICAL:
        turn = vec.mat_vec(vec.load_mat(model.joint_rot, i), (v[dof], v[dof + 1], v[dof + 2]))
        omega = vec.add(omega, vec.mat_vec(vec.load_mat(work.relative_rot, parent), turn))
    return omega, velocity


@kernel
def move_body(model, q, v, work, i):
    """Compute pose and twist of body i at (q, v), given those of its parent; return p, R, ω and ṗ.

    Writes: work.
    """
    p, r = body_pose(model, q, work.relative_pos, work.relative_rot, i)
    omega = velocity = (0.0, 0.0, 0.0)
    if model.joint_type[i] != Joint.FIXED:  # a root is fixed or free
        omega, velocity = body_twist(model, v, work, i, p, r)
    vec.store(work.relative_pos, i, p)
    vec.store_mat(work.relative_rot, i, r)
    spatial.store(work.relative_vel, i, (*omega, *velocity))
    return p, r, omega, velocity


@kernel
def lane_twists(model, v, work, bodies, p, r):
    """Return angular velocities and velocities of the origins of four bodies abreast, given their poses."""
    parents = load_four(model.body_parent, bodies)
    s = lane_rows.load6(work.relative_vel, parents)
    omega, velocity = (s[0], s[1], s[2]), (s[3], s[4], s[5])
    lever = vec.sub(p, lane_rows.load3(work.relative_pos, parents))
    velocity = vec.add(velocity, vec.cross(omega, lever))
    rate = lane_rows.numbers(v, load_four(model.joint_v, bodies))
    axis = vec.mat_vec(r, lane_rows.load3(model.joint_axis, bodies))
    if model.joint_type[bodies[0]] == Joint.REVOLUTE:
        return vec.axpy(rate, axis, omega), velocity
    return omega, vec.axpy(rate, axis, velocity)


@kernel
def write_relative_motion(model, q, v, work, t):
    """Compute poses and twists of floating tree t at (q, v), relative to the base's origin.

    Writes: work.
    """
    k = model.tree_body[t]
    last = k + model.tree_body_count[t]
    set_turns(model, q, work, t)
    while k < last:
        size = model.abreast_size[k]
        if size == 1:
            i = model.abreast_body[k]
            c, s = work.joint_cos_sin[i, 0], work.joint_cos_sin[i, 1]
            place, r = pose_of(model, q, work.relative_pos, work.relative_rot, i, c, s)
            if model.body_parent[i] < 0:
                place = (0.0, 0.0, 0.0)
            omega, velocity = body_twist(model, v, work, i, place, r)
            vec.store(work.relative_pos, i, place)
            lane_rows.put_mat(work.relative_rot, i, r)
            six.put(work.relative_vel, i, (*omega, *velocity))
        else:
            bodies = four_bodies(model, k, size)
            p4, r4 = abreast_poses(model, q, work, work.relative_pos, work.relative_rot, bodies)
            omega4, velocity4 = lane_twists(model, v, work, bodies, p4, r4)
            lane_rows.store3(work.relative_pos, bodies, p4)
            lane_rows.store_mat(work.relative_rot, bodies, r4)
            lane_rows.store6(work.relative_vel, bodies, (*omega4, *velocity4))
        k += size


@kernel
def tree_motion(model, q, v, work, t):
    """Return m, c, p, L about c and the inertia about c of floating tree t at (q, v).

    c is relative to the base's origin, to avoid round-off far from the world's origin.

    Writes: work.
    """
    write_relative_motion(model, q, v, work, t)
    root = model.tree_body[t]
    last = root + model.tree_body_count[t] - 1
    none = spread4(0.0)
    m4 = none
    moment4 = p4 = l4 = (none, none, none)
    s4 = (none, none, none, none, none, none)
    for i in range(root, last + 1, LANES):
        bodies = four_from(i, last)
        share = lane_weights(i, last)
        r = lane_rows.load_mat(work.relative_rot, bodies)
        twist = lane_rows.load6(work.relative_vel, bodies)
        omega = (twist[0], twist[1], twist[2])
        mass = share * lane_rows.numbers(model.body_mass, bodies)
        arm = vec.mat_vec(r, lane_rows.load3(model.body_com, bodies))
        at = vec.add(lane_rows.load3(work.relative_pos, bodies), arm)
        own = vec.rotate_sym(r, lane_rows.load6(model.body_inertia, bodies))
        push = vec.add((twist[3], twist[4], twist[5]), vec.cross(omega, arm))
        push = vec.scale(mass, push)
        m4 = m4 + mass
        moment4 = vec.axpy(mass, at, moment4)
        p4 = vec.add(p4, push)
        spin = vec.scale(share, vec.sym_vec(own, omega))
        l4 = vec.add(l4, vec.add(spin, vec.cross(at, push)))
        s4 = spatial.axpy(share, own, spatial.axpy(mass, point_inertia(at), s4))
    m = whole(m4)
    c = vec.scale(1.0 / m, whole3(moment4))
    p = whole3(p4)
    l = vec.sub(whole3(l4), vec.cross(c, p))
    s = (*whole3((s4[0], s4[1], s4[2])), *whole3((s4[3], s4[4], s4[5])))
    return m, c, p, l, spatial.axpy(-m, point_inertia(c), s)


@kernel
def point_inertia(c):
    """Return the inertia of a unit point mass at c about the origin (xx, yy, zz, xy, xz, yz)."""
    return (
        c[1] * c[1] + c[2] * c[2], c[0] * c[0] + c[2] * c[2], c[0] * c[0] + c[1] * c[1],
        -c[0] * c[1], -c[0] * c[2], -c[1] * c[2],
    )  # fmt: skip


@kernel
def keep_spin(model, t, before, after, v):
    """Set the angular velocity of a free body after a rotation so that its angular momentum does not change.

    before, after: all coordinates before and after the rotation.

    Writes: v.
    """
    a = model.joint_q[model.tree_body[t]] + 3
    b = model.tree_v[t] + 3
    old, new = quat.load(before, a), quat.load(after, a)
    if old == new:
        return
    omega = (v[b], v[b + 1], v[b + 2])
    omega = turned_spin(model, t, quat.to_matrix(old), quat.to_matrix(new), omega)
    for k in range(3):
        v[b + k] = omega[k]


@kernel
def choose_kept_trees(model, settings, work):
    """Mark the floating trees whose momentum is conserved in this step; return their number.

    A tree in contact with a fixed body exchanges momentum with the world, and its contacts must end with the
    solved velocities. So must constraints between trees (`group_momentum` conserves their sum); those within
    a tree do not depend on the motion of its base.

    Writes: work.
    """
    count = 0
    for t in range(model.tree_body.shape[0]):
        is_floating = model.joint_type[model.tree_body[t]] == Joint.FREE and model.tree_is_single[t] == 0
        is_kept = is_floating and model.tree_kind[t] == Kind.DYNAMIC and work.tree_is_resting[t] == 0
        if settings.integrator == Integrator.SEMI_IMPLICIT:
            is_kept = False
        elif settings.integrator == Integrator.RK4 and work.tree_is_free[t] == 1:
            is_kept = False  # more accurate than a midpoint step
        work.tree_is_kept[t] = Momentum.KEPT if is_kept else Momentum.LEFT_ALONE
        count += work.tree_is_kept[t]
    if count == 0:
        return 0
    for c in range(work.contact_count[0]):
        a = model.body_tree[work.contact_body[c, 0]]
        b = model.body_tree[work.contact_body[c, 1]]
        if work.adhesion_impulse[c] > 0.0:  # adhesion is part of the forces, but of no drive
            work.tree_is_kept[a] = work.tree_is_kept[b] = Momentum.LEFT_ALONE
        if work.contact_impulse[c, 2] <= 0.0 and work.contact_is_soft[c] == 0:
            continue
        if model.tree_kind[a] != Kind.DYNAMIC or model.tree_nv[a] == 0:
            work.tree_is_kept[b] = Momentum.LEFT_ALONE
        if model.tree_kind[b] != Kind.DYNAMIC or model.tree_nv[b] == 0:
            work.tree_is_kept[a] = Momentum.LEFT_ALONE
    for c in range(model.coupling_path.shape[0]):
        for k in range(model.coupling_path[c, 0], model.coupling_path[c, 1]):
            if model.element_body[k] < 0:  # a tendon runs over a fixed point
                work.tree_is_kept[model.body_tree[model.coupling_body[c, 0]]] = Momentum.LEFT_ALONE
    if model.constraint_kind.shape[0] > 0:
        for n in range(work.scalar_count[0]):
            if work.scalar_slot[n] >= model.constraint_slot[0] and work.scalar_impulse[n] != 0.0:
                a, b = end_of(model, work, n, 0), end_of(model, work, n, 1)
                for t in (a, b):
                    if a != b and t >= 0:
                        work.tree_is_kept[t] = Momentum.LEFT_ALONE
    return count


@kernel
def is_unchanged(model, state, t):
    """Tell whether tree t is still where the last step left it."""
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        if state.v[dof] != state.left_v[dof]:
            return False
    return not was_put_elsewhere(model, state, t)


@kernel
def was_put_elsewhere(model, state, t):
    """Tell whether the coordinates of tree t were set since the last step."""
    for k in range(model.joint_q[model.tree_body[t]], end_of_q(model, t)):
        if state.q[k] != state.left_q[k]:
            return True
    return False


@kernel
def note_set_trees(model, state, work):
    """Note which trees were set since the last step.

    Writes: work.
    """
    for t in range(work.tree_was_set.shape[0]):
        work.tree_was_set[t] = 0 if is_unchanged(model, state, t) else 1


@kernel
def external_impulse(model, settings, work, t, centre):
    """Return linear impulse on tree t in this step without weight, and angular impulse about `centre`.

    That of `base_impulse`, plus the change by the solve: (Jᵀ λ)_base = (Lᵀ D^(1/2) Δz)_base.

    Writes: work.
    """
    z = work.change_v
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        z[dof] = work.response[dof] - work.free_response[dof]
    x = whitened_base_impulse(model, work, t, z)
    drive, twist = base_impulse(model, settings, work, t)
    push = (x[0] + drive[0], x[1] + drive[1], x[2] + drive[2])
    turn = (x[3] + twist[0], x[4] + twist[1], x[5] + twist[2])
    if push[0] == 0.0 and push[1] == 0.0 and push[2] == 0.0:
        return push, turn
    arm = vec.sub(centre, vec.load(work.body_pos, model.tree_body[t]))
    return push, vec.sub(turn, vec.cross(arm, push))


@kernel
def shift_momentum_targets(model, work, shift):
    """Move the target positions of floating trees by a position shift; shift: whitened [m √kg, …].

    The centre of mass moves by the impulse for which the shift is the velocity, over the mass.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_kept[t] != Momentum.KEPT:
            continue
        x = whitened_base_impulse(model, work, t, shift)
        m, c, p, l = load_motion(work.tree_target, t)
        store_motion(work.tree_target, t, m, vec.axpy(1.0 / m, (x[0], x[1], x[2]), c), p, l)


@kernel
def whitened_base_impulse(model, work, t, z):
    """Return the impulses (6) on the base of floating tree t for a whitened z. (Lᵀ D^(1/2) z)_base"""
    x = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    first = model.tree_v[t]
    factor = work.mass_factor
    for dof in range(first, first + model.tree_nv[t]):
        if z[dof] == 0.0:
            continue
        change = z[dof] / work.dof_scale[dof]
        row = model.dof_row[dof]
        base = dof - first
        x = (
            x[0] + (factor[row] * change if base > 0 else change if base == 0 else 0.0),
            x[1] + (factor[row + 1] * change if base > 1 else change if base == 1 else 0.0),
            x[2] + (factor[row + 2] * change if base > 2 else change if base == 2 else 0.0),
            x[3] + (factor[row + 3] * change if base > 3 else change if base == 3 else 0.0),
            x[4] + (factor[row + 4] * change if base > 4 else change if base == 4 else 0.0),
            x[5] + (factor[row + 5] * change if base > 5 else change if base == 5 else 0.0),
        )
    return x


@kernel
def base_drive_impulse(model, settings, work, dof):
    """Return the impulse of drives, damping and external wrenches on a dof of the base."""
    change = work.next_v[dof] - work.start_velocity[dof]
    extra = work.drive_inertia[dof] + model.dof_armature[dof]
    return settings.dt * work.drive_force[dof] - extra * change


@kernel
def base_impulse(model, settings, work, t):
    """Return linear and angular impulse, about the base, on a base: of drives, wrenches and `propagate`."""
    first = model.tree_v[t]
    x = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if work.impact_count[0] > 0:
        x = whitened_base_impulse(model, work, t, work.impact_response)
    return (
        x[0] + base_drive_impulse(model, settings, work, first),
        x[1] + base_drive_impulse(model, settings, work, first + 1),
        x[2] + base_drive_impulse(model, settings, work, first + 2),
    ), (
        x[3] + base_drive_impulse(model, settings, work, first + 3),
        x[4] + base_drive_impulse(model, settings, work, first + 4),
        x[5] + base_drive_impulse(model, settings, work, first + 5),
    )


@kernel
def set_momentum_targets(model, state, settings, work):
    """Set the centre of mass and momentum that every floating tree has to have after the step.

    Writes: work.
    """
    if choose_kept_trees(model, settings, work) == 0:
        return
    dt = settings.dt
    for t in range(model.tree_body.shape[0]):
        if work.tree_is_kept[t] != Momentum.KEPT:
            continue
        at = model.joint_q[model.tree_body[t]]
        m, c, p, l = load_motion(state.tree_motion, t)
        if m == 0.0 or not is_unchanged(model, state, t):
            m, c, p, l, _ = tree_motion(model, state.q, state.v, work, t)
            c = vec.add(c, (state.q[at], state.q[at + 1], state.q[at + 2]))
        middle = vec.axpy(0.5 * dt / m, p, c)
        push, turn = external_impulse(model, settings, work, t, middle)
        weight = (m * settings.gravity_x, m * settings.gravity_y, m * settings.gravity_z)
        after = vec.add(p, vec.axpy(dt, weight, push))
        store_motion(work.tree_target, t, m, vec.axpy(0.5 * dt / m, after, middle), after, vec.add(l, turn))


@kernel
def momentum_target(work, t):
    """Return p, and L about the centre of mass, that floating tree t has to have after the step."""
    _, _, push, spin = load_motion(work.tree_target, t)
    return push, spin


@kernel
def set_tree_momentum(model, q, v, work, t):
    """Correct base velocity and position of floating tree t at (q, v) to its target; return m, c, p, L.

    Writes: q, v, work.
    """
    at = model.joint_q[model.tree_body[t]]
    dof = model.tree_v[t]
    m, c, p, l, s = tree_motion(model, q, v, work, t)
    _, place, push, spin = load_motion(work.tree_target, t)
    omega = vec.sym_vec(linalg.sym_inverse(s), vec.sub(spin, l))
    velocity = vec.axpy(1.0 / m, vec.sub(push, p), vec.cross(c, omega))
    for k in range(3):
        v[dof + k] += velocity[k]
        v[dof + 3 + k] += omega[k]
    if work.impact_count[0] > 0:  # impacts at their own times: the position is already exact
        place = vec.add((q[at], q[at + 1], q[at + 2]), c)
    for k in range(3):
        q[at + k] = place[k] - c[k]
    return m, place, push, spin


@kernel
def keep_momenta(model, state, work):
    """Correct base velocity and position of every floating tree to its target momentum; store how all end.

    Writes: state, work.
    """
    for t in range(model.tree_body.shape[0]):
        state.tree_motion[t, 0] = 0.0  # not known
        if work.tree_is_kept[t] == Momentum.KEPT and state.tree_is_asleep[t] == 0:
            m, c, p, l = set_tree_momentum(model, state.q, state.v, work, t)
            store_motion(state.tree_motion, t, m, c, p, l)
        for k in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
            state.left_v[k] = state.v[k]
        for k in range(model.joint_q[model.tree_body[t]], end_of_q(model, t)):
            state.left_q[k] = state.q[k]
