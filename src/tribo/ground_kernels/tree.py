"""Motion of a tree of joints by the articulated-body algorithm, all vectors about the fixed origin.

In one set of axes, about one point, nothing needs to be transformed from body to body: inertias and
forces of children simply add to those of their parents.

Source: Featherstone 2008, section 7.3 and 9.4.
"""

from math import sqrt

from tribo.compiler.jit import kernel
from tribo.math import quat, spatial, vec


@kernel
def place_bodies(tree, work, y):
    """Compute poses, velocities, motion axes and inertias of all bodies.

    Writes: work.
    """
    floats = tree.is_floating
    joints = len(tree.tau)
    first = 13 * floats
    for i in range(len(tree.body_parent)):
        if i == 0 and floats == 1:
            _place_base(work, y)
        else:
            j = i - floats
            _place_joint(tree, work, i, y[first + j], y[first + joints + j])
        _load_inertia(tree, work, i)


@kernel
def _place_base(work, y):
    """Read the pose and velocity of a floating base.

    Writes: work.
    """
    q = quat.normalize((y[0], y[1], y[2], y[3]))
    vec.store_mat(work.body_rot, 0, quat.to_matrix(q))
    vec.store(work.body_pos, 0, (y[4], y[5], y[6]))
    spatial.store(work.body_vel, 0, (y[7], y[8], y[9], y[10], y[11], y[12]))


@kernel
def _place_joint(tree, work, i, q, qd):
    """Place a body on its joint.   v = v_parent + s qd,  c = v × s qd

    Writes: work.
    """
    p = tree.body_parent[i]
    rot = vec.load_mat(tree.joint_rot, i)
    pos = vec.load(tree.joint_pos, i)
    vel = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if p >= 0:
        turned = vec.load_mat(work.body_rot, p)
        rot = vec.mat_mul(turned, rot)
        pos = vec.add(vec.load(work.body_pos, p), vec.mat_vec(turned, pos))
        vel = spatial.load(work.body_vel, p)
    local = vec.load(tree.joint_axis, i)
    turn, slide = tree.joint_turn[i], tree.joint_slide[i]
    axis = vec.mat_vec(rot, local)
    pos = vec.axpy(slide * q, axis, pos)
    if turn != 0.0:
        rot = vec.mat_mul(rot, quat.to_matrix(quat.exp(vec.scale(turn * q, local))))
    spin = vec.scale(turn, axis)
    shift = vec.axpy(slide, axis, vec.cross(pos, spin))
    s = (spin[0], spin[1], spin[2], shift[0], shift[1], shift[2])
    vel = spatial.axpy(qd, s, vel)
    vec.store_mat(work.body_rot, i, rot)
    vec.store(work.body_pos, i, pos)
    spatial.store(work.body_vel, i, vel)
    spatial.store(work.axis, i, s)
    c = spatial.cross_motion(vel, s)
    spatial.store(work.drift, i, spatial.axpy(qd, c, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)))


@kernel
def _load_inertia(tree, work, i):
    """Write the inertia of a body about the origin, and its bias force v ×* I v.

    Writes: work.
    """
    m = tree.body_mass[i]
    rot = vec.load_mat(work.body_rot, i)
    c = vec.add(vec.load(work.body_pos, i), vec.mat_vec(rot, vec.load(tree.body_com, i)))
    own = spatial.load(tree.body_inertia, i)
    a = vec.rotate_sym(rot, own)
    xx, yy, zz = m * c[0] * c[0], m * c[1] * c[1], m * c[2] * c[2]
    mom = work.body_mom
    mom[i, 0] = m
    mom[i, 1], mom[i, 2], mom[i, 3] = m * c[0], m * c[1], m * c[2]
    mom[i, 4], mom[i, 5], mom[i, 6] = a[0] + yy + zz, a[1] + xx + zz, a[2] + xx + yy
    mom[i, 7] = a[3] - m * c[0] * c[1]
    mom[i, 8] = a[4] - m * c[0] * c[2]
    mom[i, 9] = a[5] - m * c[1] * c[2]
    vel = spatial.load(work.body_vel, i)
    spatial.store(work.bias, i, spatial.cross_force(vel, spatial.inertia_times(mom, i, vel)))
    for k in range(6):
        column = spatial.inertia_times(mom, i, _unit(k))
        for j in range(6):
            work.inertia[i, j, k] = column[j]


@kernel
def _unit(k):
    """Return the k-th unit vector of six."""
    return (
        1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0,
        1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0,
    )  # fmt: skip


@kernel
def accelerate(tree, work, y, out):
    """Write the rates of the numbers of bodies and joints into `out`.

    Writes: work, out.
    """
    floats = tree.is_floating
    joints = len(tree.tau)
    g = (tree.gravity[0], tree.gravity[1], tree.gravity[2])
    for i in range(len(tree.body_parent) - 1, floats - 1, -1):
        _fold(tree, work, i, tree.tau[i - floats])
    if floats == 1:
        _accelerate_base(work, g, y, out)
    first = 13 * floats
    for j in range(joints):
        i = j + floats
        p = tree.body_parent[i]
        a = (0.0, 0.0, 0.0, -g[0], -g[1], -g[2])
        if p >= 0:
            a = spatial.load(work.acc, p)
        a = spatial.axpy(1.0, spatial.load(work.drift, i), a)
        push = spatial.load(work.push, i)
        qdd = (work.axis_force[i] - spatial.dot(push, a)) / work.axis_inertia[i]
        spatial.store(work.acc, i, spatial.axpy(qdd, spatial.load(work.axis, i), a))
        out[first + j] = y[first + joints + j]
        out[first + joints + j] = qdd


@kernel
def _fold(tree, work, i, tau):
    """Add inertia and bias force of a body, free along its joint, to its parent.

    Writes: work.
    """
    s = spatial.load(work.axis, i)
    c = spatial.load(work.drift, i)
    inertia, push = work.inertia, work.push
    for j in range(6):
        push[i, j] = (
            inertia[i, j, 0] * s[0] + inertia[i, j, 1] * s[1] + inertia[i, j, 2] * s[2]
            + inertia[i, j, 3] * s[3] + inertia[i, j, 4] * s[4] + inertia[i, j, 5] * s[5]
        )  # fmt: skip
    d = spatial.dot(s, spatial.load(push, i))
    force = tau - spatial.dot(s, spatial.load(work.bias, i))
    work.axis_inertia[i] = d
    work.axis_force[i] = force
    p = tree.body_parent[i]
    if p < 0:
        return
    for j in range(6):
        total = work.bias[i, j] + push[i, j] * (force / d)
        for k in range(6):
            entry = inertia[i, j, k] - push[i, j] * push[i, k] / d
            inertia[p, j, k] += entry
            total += entry * c[k]
        work.bias[p, j] += total


@kernel
def _accelerate_base(work, g, y, out):
    """Write the rates of a floating base.   I a = −p,  a + gravity is the acceleration

    Writes: work, out.
    """
    _solve_base(work)
    a = spatial.load(work.acc, 0)
    w = (y[7], y[8], y[9])
    length = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3])
    # What keeps the quaternion at unit length, see `tribo.spatial.rqd`.
    gain = 0.1 * vec.norm(w) * (1.0 - length)
    rate = quat.mul((gain, w[0], w[1], w[2]), (y[0], y[1], y[2], y[3]))
    for k in range(4):
        out[k] = 0.5 * rate[k]
    carried = vec.cross(w, (y[4], y[5], y[6]))
    for k in range(3):
        out[4 + k] = y[10 + k] + carried[k]
        out[7 + k] = a[k]
        out[10 + k] = a[3 + k] + g[k]


@kernel
def _solve_base(work):
    """Compute the acceleration of a floating base by Cholesky's factors.   a = −I⁻¹ p

    Writes: work.
    """
    inertia, lower, acc = work.inertia, work.solve, work.acc
    for j in range(6):
        for i in range(j, 6):
            total = inertia[0, i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            lower[i, j] = sqrt(total) if i == j else total / lower[j, j]
    for i in range(6):
        total = -work.bias[0, i]
        for k in range(i):
            total -= lower[i, k] * acc[0, k]
        acc[0, i] = total / lower[i, i]
    for i in range(5, -1, -1):
        total = acc[0, i]
        for k in range(i + 1, 6):
            total -= lower[k, i] * acc[0, k]
        acc[0, i] = total / lower[i, i]
