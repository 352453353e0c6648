"""Derivatives of inverse dynamics of trees by coordinates and velocities, and of the way of a step.

A change of coordinate j carries all behind it along its motion axis s_j. With the velocity v_o and the
acceleration a_o of the body of dof j, what stays of the changes of velocity and acceleration of a body behind
it, besides s_j × v and s_j × a, is

    ψ̇ = v_o × s_j,   ψ̈ = a_o × s_j + v_o × ψ̇,

and the force that the bodies from k on need changes, seen by dof k,

    ∂τ_k/∂q_j = s_kᵀ (I^c ψ̈ + B^c ψ̇)  + s_kᵀ (s_j ×* f^c_j)  where k is not behind j,
    ∂τ_k/∂v_j = s_kᵀ (B^c s_j + I^c (v_o × s_j + ∂a_o/∂v_j)),

I^c, B^c and f^c of the deeper one of the two bodies and all behind it, B x = I (x × v) + x ×* I v + v ×* I x.
Axes of ball joints and of a floating base do not turn with their own coordinates, so v_o is that of the
body itself; of a hinge or slide its own part drops out. A translation of the base changes nothing.
Source: Carpentier, Mansard 2018, "Analytical derivatives of rigid body dynamics algorithms", here about a
common point and with B, which Echeandia, Wensing 2021 use for the Coriolis matrix.
"""

from math import cos, sin, sqrt, tan

from tribo.compiler.jit import kernel
from tribo.dynamics import inertia
from tribo.dynamics.articulated import dof_count
from tribo.dynamics.bias import body_motion
from tribo.math import spatial, vec
from tribo.model import Integrator, Joint
from tribo.queries.coriolis import rate_times, unit

ZERO = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
SMALL_TURN = 1e-4  # [rad] below which series serve: what they leave out is its fourth power over 720


@kernel
def shifts_base(model, j):
    """Tell whether dof j is a translation of a floating base."""
    body = model.dof_body[j]
    return model.joint_type[body] == Joint.FREE and j < model.joint_v[body] + 3


@kernel
def moves_axis(model, j, k):
    """Tell whether the motion axis of dof k, of the chain of dof j or behind it, moves with coordinate j."""
    if model.dof_body[j] == model.dof_body[k]:
        return shifts_base(model, j) and not shifts_base(model, k)
    return model.dof_depth[k] > model.dof_depth[j]


@kernel
def move_bodies(model, settings, work, tangents, mean):
    """Write the motions of all bodies at v̄, at v and at v⁺, and the forces that they need.

    Writes: tangents.
    """
    weight = (0.0, 0.0, 0.0, -settings.gravity_x, -settings.gravity_y, -settings.gravity_z)
    for i in range(model.body_parent.shape[0]):
        parent = model.body_parent[i]
        v = start = end = ZERO
        rate = full = weight
        if parent >= 0:
            v = spatial.load(tangents.twist, parent)
            start = spatial.load(tangents.start_twist, parent)
            end = spatial.load(tangents.end_twist, parent)
            rate = spatial.load(tangents.rate, parent)
            full = spatial.load(tangents.full, parent)
        start, _ = body_motion(model, tangents.start_v, work, i, start, ZERO)
        end, _ = body_motion(model, work.next_v, work, i, end, ZERO)
        _, full = body_motion(model, mean, work, i, v, full)
        v, rate = body_motion(model, mean, work, i, v, rate)
        first = model.joint_v[i]
        for dof in range(first, first + dof_count(model.joint_type[i])):
            full = spatial.axpy(tangents.vdot[dof], spatial.load(work.dof_axis, dof), full)
        spatial.store(tangents.twist, i, v)
        spatial.store(tangents.start_twist, i, start)
        spatial.store(tangents.end_twist, i, end)
        spatial.store(tangents.rate, i, rate)
        spatial.store(tangents.full, i, full)


@kernel
def collect_bodies(model, work, tangents):
    """Write what bodies and all behind them need: forces, inertias, B.

    Writes: tangents.
    """
    count = model.body_parent.shape[0]
    for i in range(count):
        inertia = spatial.load_inertia(work.body_inertia, i)
        v = spatial.load(tangents.twist, i)
        momentum = spatial.times(inertia, v)
        needed = spatial.times(inertia, spatial.load(tangents.full, i))
        spatial.store(tangents.force, i, spatial.axpy(1.0, spatial.cross_force(v, momentum), needed))
        for k in range(10):
            tangents.composite[i, k] = inertia[k]
        for k in range(6):
            e = unit(k)
            x = spatial.times(inertia, spatial.cross_motion(e, v))
            x = spatial.axpy(1.0, spatial.cross_force(e, momentum), x)
            x = spatial.axpy(1.0, spatial.cross_force(v, spatial.times(inertia, e)), x)
            for r in range(6):
                tangents.swept[i, 6 * r + k] = x[r]
    for i in range(count - 1, -1, -1):
        parent = model.body_parent[i]
        if parent < 0:
            continue
        spatial.accumulate(tangents.force, parent, spatial.load(tangents.force, i))
        for k in range(10):
            tangents.composite[parent, k] += tangents.composite[i, k]
        for k in range(36):
            tangents.swept[parent, k] += tangents.swept[i, k]


@kernel
def transposed_times(rate, i, s):
    """Return Bᵀ s of the matrix in row i of an (n, 36) array."""
    out = ZERO
    for r in range(6):
        row = (
            rate[i, 6 * r], rate[i, 6 * r + 1], rate[i, 6 * r + 2],
            rate[i, 6 * r + 3], rate[i, 6 * r + 4], rate[i, 6 * r + 5],
        )  # fmt: skip
        out = spatial.axpy(s[r], row, out)
    return out


@kernel
def own_rate_of(model, work, tangents, v, j):
    """Return by what the acceleration of the body of dof j changes as v_j does, at v̇ = 0."""
    body = model.dof_body[j]
    axis = spatial.load(work.dof_axis, j)
    if model.joint_type[body] == Joint.FREE:
        first = model.joint_v[body]
        if j < first + 3:
            omega = (v[first + 3], v[first + 4], v[first + 5])
            a = vec.cross((axis[3], axis[4], axis[5]), omega)
        else:
            linear = (v[first], v[first + 1], v[first + 2])
            a = vec.cross(linear, (axis[0], axis[1], axis[2]))
        return (0.0, 0.0, 0.0, a[0], a[1], a[2])
    parent = model.body_parent[body]
    if parent < 0:
        return ZERO
    return spatial.cross_motion(spatial.load(tangents.twist, parent), axis)


@kernel
def differentiate_dofs(model, work, tangents, mean):
    """Write what each dof needs at v̄: ψ̇, ψ̈, ∂a_o/∂v, I^c s and B^cᵀ s.

    Writes: tangents.
    """
    for j in range(model.dof_body.shape[0]):
        body = model.dof_body[j]
        axis = spatial.load(work.dof_axis, j)
        psi = psi2 = ZERO
        if not shifts_base(model, j):
            v = spatial.load(tangents.twist, body)
            psi = spatial.cross_motion(v, axis)
            psi2 = spatial.cross_motion(spatial.load(tangents.full, body), axis)
            psi2 = spatial.axpy(1.0, spatial.cross_motion(v, psi), psi2)
        spatial.store(tangents.turning, j, psi)
        spatial.store(tangents.turning_rate, j, psi2)
        spatial.store(tangents.own_rate, j, own_rate_of(model, work, tangents, mean, j))
        inertial = spatial.inertia_times(tangents.composite, body, axis)
        spatial.store(tangents.inertia_axis, j, inertial)
        spatial.store(tangents.swept_axis, j, transposed_times(tangents.swept, body, axis))


@kernel
def acceleration_by_rate(tangents, work, j, v):
    """Return v_o × s_j + ∂a_o/∂v_j, v_o the velocity v of the body of dof j."""
    axis = spatial.load(work.dof_axis, j)
    return spatial.axpy(1.0, spatial.cross_motion(v, axis), spatial.load(tangents.own_rate, j))


@kernel
def inverse_dynamics_tangents(model, settings, work, tangents, out, at_q, at_mean):
    """Write M among the unknowns, and −dt ∂ID/∂q, −dt ∂ID/∂v̄ into columns from `at_q`, `at_mean` on.

    Writes: out.
    """
    dt = settings.dt
    for j in range(model.dof_body.shape[0]):
        body = model.dof_body[j]
        if model.tree_is_single[model.body_tree[body]] == 1:
            continue
        axis = spatial.load(work.dof_axis, j)
        v = spatial.load(tangents.twist, body)
        by_q = rate_times(tangents.swept, body, spatial.load(tangents.turning, j))
        by_q = spatial.axpy(
            1.0, spatial.inertia_times(tangents.composite, body, spatial.load(tangents.turning_rate, j)), by_q
        )
        carried = spatial.cross_force(axis, spatial.load(tangents.force, body))
        by_v = rate_times(tangents.swept, body, axis)
        by_v = spatial.axpy(
            1.0,
            spatial.inertia_times(tangents.composite, body, acceleration_by_rate(tangents, work, j, v)),
            by_v,
        )
        inertial = spatial.load(tangents.inertia_axis, j)
        swept = spatial.load(tangents.swept_axis, j)
        chain = model.body_chain_start[body]
        for p in range(model.body_chain_len[body]):
            k = model.chain_dof[chain + p]
            other = spatial.load(work.dof_axis, k)
            mass = spatial.dot(other, inertial)
            out[k, j] = out[j, k] = mass
            x = spatial.dot(other, by_q)
            if not moves_axis(model, j, k):
                x += spatial.dot(other, carried)
            out[k, at_q + j] = -dt * x
            out[k, at_mean + j] = -dt * spatial.dot(other, by_v)
            if model.dof_body[k] == body:
                continue
            # Dof j is behind dof k here.
            x = spatial.dot(inertial, spatial.load(tangents.turning_rate, k))
            x += spatial.dot(swept, spatial.load(tangents.turning, k))
            out[j, at_q + k] = -dt * x
            there = spatial.load(tangents.twist, model.dof_body[k])
            x = spatial.dot(swept, other)
            x += spatial.dot(inertial, acceleration_by_rate(tangents, work, k, there))
            out[j, at_mean + k] = -dt * x


@kernel
def rotation_block(out, first, turn):
    """Write the rotation by a rotation vector into a block of 3 × 3.

    Writes: out.
    """
    square = vec.dot(turn, turn)
    theta = sqrt(square)
    if theta < SMALL_TURN:
        a, b = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        a, b = sin(theta) / theta, (1.0 - cos(theta)) / square
    for k in range(3):
        e = (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
        once = vec.cross(turn, e)
        x = vec.axpy(b, vec.cross(turn, once), vec.axpy(a, once, e))
        for r in range(3):
            out[first + r, first + k] = x[r]


@kernel
def inverse_turn(turn, x):
    """Return the inverse of the left Jacobian of a rotation vector times x.

    1 − ½ [t] + (1 − θ/2 cot θ/2)/θ² [t]².   Source: Solà et al. 2018, (146).
    """
    square = vec.dot(turn, turn)
    theta = sqrt(square)
    c = 1.0 / 12.0 + square / 720.0
    if theta > SMALL_TURN:
        c = (1.0 - 0.5 * theta / tan(0.5 * theta)) / square
    once = vec.cross(turn, x)
    return vec.axpy(c, vec.cross(turn, once), vec.axpy(-0.5, once, x))


@kernel
def clear_block(out, n):
    """Write zeros.

    Writes: out.
    """
    for r in range(n):
        for k in range(n):
            out[r, k] = 0.0


@kernel
def drift_tangents(model, state, settings, work, tangents):
    """Write how coordinates in mid step and at its end change with those before, and with velocities.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    clear_block(tangents.middle_by_q, n)
    clear_block(tangents.middle_by_v, n)
    clear_block(tangents.middle_by_rate, n)
    clear_block(tangents.end_by_middle, n)
    clear_block(tangents.end_by_v, n)
    clear_block(tangents.end_by_start, n)
    clear_block(tangents.end_by_rate, n)
    dt = settings.dt
    is_explicit = settings.integrator == Integrator.SEMI_IMPLICIT
    before = 0.0 if is_explicit else 0.5 * dt
    after = dt - before
    for i in range(model.body_parent.shape[0]):
        joint = model.joint_type[i]
        count = dof_count(joint)
        first = model.joint_v[i]
        straight = count
        if joint == Joint.SPHERICAL:
            straight = 0
        elif joint == Joint.FREE:
            straight = 3
        for k in range(first, first + straight):
            tangents.middle_by_q[k, k] = tangents.end_by_middle[k, k] = 1.0
            tangents.middle_by_v[k, k] = before
            tangents.end_by_v[k, k] = after
        if straight < count:
            b = first + straight
            turn_tangents(state, settings, work, tangents, b, before, after, joint == Joint.SPHERICAL)


@kernel
def turn_tangents(state, settings, work, tangents, b, before, after, is_ball):
    """Write the same for three dofs that turn, from b on.

    A ball joint of a midpoint step turns by h ω − dt³/24 ω × ω̇ in each half: `kinematics.drift_ball`.

    Writes: tangents.
    """
    dt = settings.dt
    v, next_v = tangents.start_v, work.next_v
    one = (before * v[b], before * v[b + 1], before * v[b + 2])
    two = (after * next_v[b], after * next_v[b + 1], after * next_v[b + 2])
    bends = is_ball and settings.integrator != Integrator.SEMI_IMPLICIT
    c = -dt * dt * dt / 24.0
    was = (tangents.start_vdot[b], tangents.start_vdot[b + 1], tangents.start_vdot[b + 2])
    now = (state.vdot[b], state.vdot[b + 1], state.vdot[b + 2])
    if bends:
        one = vec.axpy(c, vec.cross((v[b], v[b + 1], v[b + 2]), was), one)
        two = vec.axpy(c, vec.cross((next_v[b], next_v[b + 1], next_v[b + 2]), now), two)
    rotation_block(tangents.middle_by_q, b, one)
    rotation_block(tangents.end_by_middle, b, two)
    for k in range(3):
        e = (1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
        x = vec.scale(before, e)
        y = vec.scale(after, e)
        z = (0.0, 0.0, 0.0)
        if bends:
            x = vec.axpy(c, vec.cross(e, was), x)
            y = vec.axpy(c, vec.cross(e, now), y)
            turned = vec.cross((next_v[b], next_v[b + 1], next_v[b + 2]), e)
            if tangents.is_hit[b] or tangents.is_hit[b + 1] or tangents.is_hit[b + 2]:
                store_turned(tangents.end_by_rate, b, k, two, vec.scale(c, turned))
            else:
                y = vec.axpy(c / dt, turned, y)  # ω̇⁺ = (v⁺ − v)/dt
                z = vec.scale(-c / dt, turned)
            w = vec.scale(c, vec.cross((v[b], v[b + 1], v[b + 2]), e))
            store_turned(tangents.middle_by_rate, b, k, one, w)
        store_turned(tangents.middle_by_v, b, k, one, x)
        store_turned(tangents.end_by_v, b, k, two, y)
        store_turned(tangents.end_by_start, b, k, two, z)


@kernel
def left_jacobian(turn):
    """Return the left Jacobian of a rotation vector, row-major.

    J = 1 + (1 − cos θ)/θ² [t] + (θ − sin θ)/θ³ [t]².   Source: Solà et al. 2018, "A micro Lie theory", (145).
    """
    square = vec.dot(turn, turn)
    theta = sqrt(square)
    if theta < SMALL_TURN:
        a, c = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        a, c = (1.0 - cos(theta)) / square, (theta - sin(theta)) / (square * theta)
    x, y, z = turn
    own = 1.0 - c * square
    return (
        own + c * x * x, c * x * y - a * z, c * x * z + a * y,
        c * x * y + a * z, own + c * y * y, c * y * z - a * x,
        c * x * z - a * y, c * y * z + a * x, own + c * z * z,
    )  # fmt: skip


@kernel
def store_turned(out, b, k, turn, x):
    """Write the left Jacobian of a rotation vector times x into column k of the block at b.

    Writes: out.
    """
    y = vec.mat_vec(left_jacobian(turn), x)
    for r in range(3):
        out[b + r, b + k] = y[r]


@kernel
def inertia_of_trees(model, work):
    """Write the inertias of all bodies in world axes.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        inertia.rotate_inertias(model, work, model.tree_body[t], model.tree_body_count[t])
