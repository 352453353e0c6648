"""Stage `kinematics.compute_poses`: the pose of every body, the motion axis of every degree of freedom."""

from math import cos, sin, sqrt

from tribo.compiler.jit import kernel
from tribo.compiler.lanes import filled
from tribo.dynamics.body_lanes import four_bodies, four_from, load_four
from tribo.math import lane_rows, quat, six, vec
from tribo.math.lane_rows import LANES
from tribo.math.sines import sines
from tribo.model import Joint


@kernel
def rotation(axis, c, s):
    """Return the matrix of a rotation about a unit axis by an angle of cosine c and sine s.

    Source: Rodrigues' formula.
    """
    x, y, z = axis
    d = 1.0 - c
    return (
        c + d * x * x, d * x * y - s * z, d * x * z + s * y,
        d * x * y + s * z, c + d * y * y, d * y * z - s * x,
        d * x * z - s * y, d * y * z + s * x, c + d * z * z,
    )  # fmt: skip


@kernel
def rotate_about(r, axis, c, s):
    """Return R times a rotation about a unit axis by an angle of cosine c and sine s.

    About a coordinate axis only two columns change.
    """
    if axis[1] == 0.0 and axis[2] == 0.0:
        s *= axis[0]
        return (
            r[0], c * r[1] + s * r[2], c * r[2] - s * r[1],
            r[3], c * r[4] + s * r[5], c * r[5] - s * r[4],
            r[6], c * r[7] + s * r[8], c * r[8] - s * r[7],
        )  # fmt: skip
    if axis[0] == 0.0 and axis[2] == 0.0:
        s *= axis[1]
        return (
            c * r[0] - s * r[2], r[1], c * r[2] + s * r[0],
            c * r[3] - s * r[5], r[4], c * r[5] + s * r[3],
            c * r[6] - s * r[8], r[7], c * r[8] + s * r[6],
        )  # fmt: skip
    if axis[0] == 0.0 and axis[1] == 0.0:
        s *= axis[2]
        return (
            c * r[0] + s * r[1], c * r[1] - s * r[0], r[2],
            c * r[3] + s * r[4], c * r[4] - s * r[3], r[5],
            c * r[6] + s * r[7], c * r[7] - s * r[6], r[8],
        )  # fmt: skip
    return vec.mat_mul(r, rotation(axis, c, s))


@kernel
def is_turned(model, i):
    """Tell whether the joint frame of body i is rotated in its parent."""
    r = model.joint_rot
    return not (r[i, 0] == 1.0 and r[i, 4] == 1.0 and r[i, 8] == 1.0)


@kernel
def angle_of(model, q, i):
    """Return the angle of the joint of body i; 0 if it has none."""
    return q[model.joint_q[i]] if model.joint_type[i] == Joint.REVOLUTE else 0.0


@kernel
def body_pose(model, q, pos, rot, i):
    """Return position and rotation of body i; its parent's pose must be in `pos` and `rot`.

    Sines are those of the C library; `compute_tree_poses` uses `math.sines`: they differ by round-off.
    """
    if model.joint_type[i] != Joint.REVOLUTE:
        return pose_of(model, q, pos, rot, i, 1.0, 0.0)
    angle = q[model.joint_q[i]]
    return pose_of(model, q, pos, rot, i, cos(angle), sin(angle))


@kernel
def pose_of(model, q, pos, rot, i, c, s):
    """Return position and rotation of body i for cosine c and sine s of a revolute joint's angle."""
    joint = model.joint_type[i]
    first = model.joint_q[i]
    if joint == Joint.FREE:
        r = quat.to_matrix(quat.load(q, first + 3))
        return (q[first], q[first + 1], q[first + 2]), r
    p = vec.load(model.joint_pos, i)
    r = vec.load_mat(model.joint_rot, i)
    parent = model.body_parent[i]
    if parent >= 0:
        parent_rot = vec.load_mat(rot, parent)
        p = vec.add(vec.load(pos, parent), vec.mat_vec(parent_rot, p))
        r = vec.mat_mul(parent_rot, r) if is_turned(model, i) else parent_rot
    if joint == Joint.REVOLUTE:
        r = rotate_about(r, vec.load(model.joint_axis, i), c, s)
    elif joint == Joint.PRISMATIC:
        p = vec.axpy(q[first], vec.mat_vec(r, vec.load(model.joint_axis, i)), p)
    elif joint == Joint.SPHERICAL:
        r = vec.mat_mul(r, quat.to_matrix(quat.load(q, first)))
    return p, r


@kernel
def set_turns(model, q, work, t):
    """Set cosine and sine of the angles of the joints of tree t, four at a time.

    Writes: work.
    """
    root = model.tree_body[t]
    last = root + model.tree_body_count[t] - 1
    first = root + 1 if model.joint_type[root] == Joint.FREE else root
    for i in range(first, last + 1, LANES):
        a, b, c, d = four_from(i, last)
        angles = filled(
            angle_of(model, q, a), angle_of(model, q, b), angle_of(model, q, c), angle_of(model, q, d)
        )
        sine, cosine = sines(angles)
        lane_rows.put_twos(work.joint_cos_sin, 2, 0, (a, b, c, d), cosine, sine)


@kernel
def abreast_poses(model, q, work, pos, rot, bodies):
    """Return positions and rotations of four bodies abreast; their parents' must be in `pos` and `rot`.

    `set_turns` must have been called.
    """
    parents = load_four(model.body_parent, bodies)
    r = lane_rows.load_mat(rot, parents)
    p = vec.mat_vec(r, lane_rows.load3(model.joint_pos, bodies))
    p = vec.add(lane_rows.load3(pos, parents), p)
    if (
        is_turned(model, bodies[0])
        or is_turned(model, bodies[1])
        or is_turned(model, bodies[2])
        or is_turned(model, bodies[3])
    ):
        r = vec.mat_mul(r, lane_rows.load_mat(model.joint_rot, bodies))
    axis = lane_rows.load3(model.joint_axis, bodies)
    if model.joint_type[bodies[0]] == Joint.REVOLUTE:
        c, s = lane_rows.twos(work.joint_cos_sin, 2, 0, bodies)
        return p, vec.mat_mul(r, rotation(axis, c, s))
    way = lane_rows.numbers(q, load_four(model.joint_q, bodies))
    return vec.axpy(way, vec.mat_vec(r, axis), p), r


@kernel
def set_axis(work, dof, angular, linear):
    """Store a motion axis.

    Writes: work.
    """
    six.put(work.dof_axis, dof, (*angular, *linear))


@kernel
def body_axes(model, work, i):
    """Store the motion axes of joint i about the tree origin.

    Writes: work.
    """
    joint = model.joint_type[i]
    dof = model.joint_v[i]
    zero = (0.0, 0.0, 0.0)
    if joint == Joint.FREE:  # a root: its origin is the tree origin
        for k in range(3):
            e = (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
            set_axis(work, dof + k, zero, e)
            set_axis(work, dof + 3 + k, e, zero)
        return
    if joint == Joint.FIXED:
        return
    origin = vec.load(work.body_pos, model.tree_body[model.body_tree[i]])
    arm = vec.sub(vec.load(work.body_pos, i), origin)
    if joint == Joint.SPHERICAL:
        frame = vec.load_mat(model.joint_rot, i)
        parent = model.body_parent[i]
        if parent >= 0:
            frame = vec.mat_mul(vec.load_mat(work.body_rot, parent), frame)
        for k in range(3):
            axis = vec.mat_col(frame, k)
            set_axis(work, dof + k, axis, vec.cross(arm, axis))
        return
    # The joint's own motion does not change its axis.
    axis = vec.mat_vec(vec.load_mat(work.body_rot, i), vec.load(model.joint_axis, i))
    if joint == Joint.REVOLUTE:
        set_axis(work, dof, axis, vec.cross(arm, axis))
    else:
        set_axis(work, dof, zero, axis)


@kernel
def abreast_axes(model, work, bodies, p, r):
    """Store the motion axes of the joints of four bodies abreast, given their poses.

    Writes: work.
    """
    origin = vec.load(work.body_pos, model.tree_body[model.body_tree[bodies[0]]])
    axis = vec.mat_vec(r, lane_rows.load3(model.joint_axis, bodies))
    dofs = load_four(model.joint_v, bodies)
    if model.joint_type[bodies[0]] == Joint.REVOLUTE:
        linear = vec.cross(vec.sub(p, origin), axis)
        lane_rows.store6(work.dof_axis, dofs, (*axis, *linear))
    else:
        none = lane_rows.spread3((0.0, 0.0, 0.0))
        lane_rows.store6(work.dof_axis, dofs, (*none, *axis))


@kernel
def compute_tree_poses(model, q, work, t, has_axes):
    """Compute the poses of the bodies of tree t at coordinates q, and motion axes if has_axes.

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
            p, r = pose_of(model, q, work.body_pos, work.body_rot, i, c, s)
            vec.store(work.body_pos, i, p)
            lane_rows.put_mat(work.body_rot, i, r)
            if has_axes:
                body_axes(model, work, i)
        else:
            bodies = four_bodies(model, k, size)
            p4, r4 = abreast_poses(model, q, work, work.body_pos, work.body_rot, bodies)
            lane_rows.store3(work.body_pos, bodies, p4)
            lane_rows.store_mat(work.body_rot, bodies, r4)
            if has_axes:
                abreast_axes(model, work, bodies, p4, r4)
        k += size


@kernel
def compute_poses(model, q, work):
    """Compute pose and motion axes of every body at coordinates q.

    Writes: work.
    Source: Featherstone 2008, table 4.1, about a common point.
    """
    for t in range(model.tree_body.shape[0]):
        compute_tree_poses(model, q, work, t, model.tree_is_single[t] == 0)


@kernel
def end_of_q(model, t):
    """Return one past the last coordinate of tree t: one per dof, one more per quaternion."""
    last = model.tree_body[t] + model.tree_body_count[t] - 1
    joint = model.joint_type[last]
    extra = 1 if joint == Joint.SPHERICAL or joint == Joint.FREE else 0
    return model.joint_q[last] + model.tree_v[t] + model.tree_nv[t] - model.joint_v[last] + extra


@kernel
def drift_joint(model, i, q, v, dt, out):
    """Move the coordinates of joint i for a time dt at velocity v.   out = q ⊕ dt v

    Writes: out.
    """
    joint = model.joint_type[i]
    a = model.joint_q[i]
    b = model.joint_v[i]
    if joint == Joint.REVOLUTE or joint == Joint.PRISMATIC:
        out[a] = q[a] + dt * v[b]
    elif joint == Joint.FREE:
        for k in range(3):
            out[a + k] = q[a + k] + dt * v[b + k]
        turn = quat.exp((dt * v[b + 3], dt * v[b + 4], dt * v[b + 5]))
        quat.store(out, a + 3, quat.normalize(quat.mul(turn, quat.load(q, a + 3))))
    elif joint == Joint.SPHERICAL:
        turn = quat.exp((dt * v[b], dt * v[b + 1], dt * v[b + 2]))
        quat.store(out, a, quat.normalize(quat.mul(turn, quat.load(q, a))))


@kernel
def drift_ball(model, i, q, v, vdot, dt, out):
    """Rotate a spherical joint through one half of a midpoint step.

    An angular velocity of changing direction rotates the joint by dt ω − dt³/12 ω × ω̇ in a step; without the
    second term a fast top precesses at a wrong rate.

    Writes: out.
    Source: Magnus series to fourth order, Iserles, Munthe-Kaas, Nørsett, Zanna 2000, "Lie-group methods".
    """
    a = model.joint_q[i]
    b = model.joint_v[i]
    omega = (v[b], v[b + 1], v[b + 2])
    rate = (vdot[b], vdot[b + 1], vdot[b + 2])
    half = vec.scale(0.5 * dt, omega)
    turn = vec.axpy(-dt * dt * dt / 24.0, vec.cross(omega, rate), half)
    quat.store(out, a, quat.normalize(quat.mul(quat.exp(turn), quat.load(q, a))))


@kernel
def half_turn(spin, dt):
    """Return half of the Cayley rotation of spin · dt, as a quaternion."""
    c = quat.cayley(vec.scale(dt, spin))
    s = 1.0 / sqrt(2.0 + 2.0 * c[0])
    return ((1.0 + c[0]) * s, c[1] * s, c[2] * s, c[3] * s)


@kernel
def drift_single(model, t, q, v, dt, spin, out):
    """Move a free body by half a step whose rotation is half the Cayley rotation of `spin`.

    Writes: out.
    """
    root = model.tree_body[t]
    a = model.joint_q[root]
    b = model.joint_v[root]
    for k in range(3):
        out[a + k] = q[a + k] + 0.5 * dt * v[b + k]
    turn = half_turn(spin, dt)
    quat.store(out, a + 3, quat.normalize(quat.mul(turn, quat.load(q, a + 3))))
