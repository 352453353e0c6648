"""Stages `bias.predict_free_spins`, `.write_body_velocities` and `.compute_bias_force`: the bias force h.

h is the force at zero acceleration, in M v̇ + h = τ + Jᵀλ/dt.
"""

from math import tan

from tribo.compiler.jit import kernel
from tribo.dynamics.body_lanes import four_bodies, four_from, load_four
from tribo.math import lane_rows, linalg, quat, six, spatial, vec
from tribo.math.lane_rows import LANES
from tribo.model import Integrator, Joint, Kind

MAX_SPIN_SWEEPS = 100  # fixed-point iterations; 6 reach round-off at 50 rad/s and 1 ms
SPIN_LOST = 1e-9  # [–] change of the momentum in the last iteration that shows divergence
SPIN_TOLERANCE = 1e-15  # [–] relative change of the momentum at convergence


@kernel
def mean_free_spin(inertia, momentum, dt):
    """Return mean spin and final momentum of a torque-free rotation, in body axes.

    Implicit midpoint rule on the body's angular momentum Π: Π⁺ = Π + dt Π_m × I⁻¹Π_m, Π_m = (Π + Π⁺)/2. With
    the Cayley update of the attitude it conserves energy and momentum. If a body turns about once per step,
    the iteration may diverge: Π is then kept constant in the body, which conserves energy and ‖Π‖.

    Source: Austin, Krishnaprasad, Wang 1993; contact-free accuracy in docs/physics/integration.
    """
    inverse = linalg.sym_inverse(inertia)
    mean = momentum
    scale = abs(momentum[0]) + abs(momentum[1]) + abs(momentum[2])
    moved = 0.0
    for _ in range(MAX_SPIN_SWEEPS):
        turned = vec.cross(mean, vec.sym_vec(inverse, mean))
        following = vec.axpy(0.5 * dt, turned, momentum)
        change = vec.sub(following, mean)
        mean = following
        moved = abs(change[0]) + abs(change[1]) + abs(change[2])
        if moved <= SPIN_TOLERANCE * scale or moved > 10.0 * scale:
            break
    if not moved <= SPIN_LOST * scale:
        mean = momentum
    return vec.sym_vec(inverse, mean), vec.sub(vec.scale(2.0, mean), momentum)


@kernel
def rotate_free_body(inertia, r, omega, dt):
    """Return the mean spin of a torque-free rotation (world), and the final angular velocity (body axes).

    r and omega: attitude and angular velocity at the start.
    """
    momentum = vec.sym_vec(inertia, vec.mat_t_vec(r, omega))
    spin, momentum = mean_free_spin(inertia, momentum, dt)
    return vec.mat_vec(r, spin), vec.sym_vec(linalg.sym_inverse(inertia), momentum)


@kernel
def exact_turn(half_angle):
    """Return the factor on the angular velocity with which a Cayley rotation has the exact angle."""
    if half_angle < 1e-8 or half_angle > 1.5:  # round-off; or about half a turn per step, too fast
        return 1.0
    return tan(half_angle) / half_angle


@kernel
def has_equal_inertias(s):
    """Tell whether inertia s (xx, yy, zz, xy, xz, yz) is the same about every axis."""
    return s[0] == s[1] and s[1] == s[2] and s[3] == 0.0 and s[4] == 0.0 and s[5] == 0.0


@kernel
def is_constrained_single(model, t):
    """Tell whether tree t is a free body with a constraint; its step is split from its tumbling.

    It tumbles for half a step, gets the impulses, and tumbles for the other half. So impulses change the
    angular momentum in mid step, at the attitude there: second order in dt. With the spin of the start and
    the attitude of the middle, a gyroscope on a pin had first order.
    Source: Hairer, Lubich, Wanner 2006, "Geometric Numerical Integration", II.5 (Strang splitting).
    """
    is_free_body = model.tree_is_single[t] == 1 and model.tree_kind[t] == Kind.DYNAMIC
    return is_free_body and model.tree_is_constrained[t] == 1


@kernel
def free_time(model, settings, t):
    """Return the time for which free body t rotates without torque before impulses act on it [s]."""
    if not is_constrained_single(model, t):
        return settings.dt
    return 0.0 if settings.integrator == Integrator.SEMI_IMPLICIT else 0.5 * settings.dt


@kernel
def free_rotation(model, t, q, omega, dt):
    """Return mean spin and final angular velocity of free body t, world, after a torque-free time dt.

    q, omega: attitude and angular velocity at the start.
    """
    mean = vec.scale(exact_turn(0.5 * dt * vec.norm(omega)), omega)
    s = spatial.load(model.body_inertia, model.tree_body[t])
    is_turning = omega[0] != 0.0 or omega[1] != 0.0 or omega[2] != 0.0
    if model.tree_kind[t] != Kind.DYNAMIC or not is_turning or has_equal_inertias(s):
        return mean, omega
    mean, final = rotate_free_body(s, quat.to_matrix(q), omega, dt)
    whole = quat.cayley(vec.scale(dt, mean))
    return mean, vec.mat_vec(quat.to_matrix(quat.mul(whole, q)), final)


@kernel
def turned_spin(model, t, old, new, omega):
    """Return the angular velocity of free body t after a rotation at constant angular momentum.

    ω' = R' I⁻¹ R'ᵀ R I Rᵀ ω; old, new: its axes R before and R' after the rotation; omega: before it.
    """
    s = spatial.load(model.body_inertia, model.tree_body[t])
    l = vec.mat_vec(old, vec.sym_vec(s, vec.mat_t_vec(old, omega)))
    return vec.mat_vec(new, vec.sym_vec(linalg.sym_inverse(s), vec.mat_t_vec(new, l)))


@kernel
def predict_free_spins(model, state, settings, work):
    """Predict the torque-free rotation of every free body over the step, or to its middle.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_is_single[t] == 0:
            continue
        root = model.tree_body[t]
        b = model.joint_v[root] + 3
        omega = (state.v[b], state.v[b + 1], state.v[b + 2])
        q = quat.load(state.q, model.joint_q[root] + 3)
        mean, final = free_rotation(model, t, q, omega, free_time(model, settings, t))
        vec.store(work.single_spin, t, mean)
        vec.store(work.single_free_spin, t, final)


@kernel
def compute_single_bias(model, state, settings, work, t):
    """Write h of a free body: weight, and the torque that changes its spin as in `mean_free_spin`.

    A body whose step is split has no such torque: the tumbling is part of its mid-step velocity.

    Writes: work.
    """
    root = model.tree_body[t]
    b = model.joint_v[root]
    m = model.body_mass[root]
    work.bias_force[b] = -m * settings.gravity_x
    work.bias_force[b + 1] = -m * settings.gravity_y
    work.bias_force[b + 2] = -m * settings.gravity_z
    if is_constrained_single(model, t):
        for k in range(3):
            work.bias_force[b + 3 + k] = 0.0
        return
    omega = (state.v[b + 3], state.v[b + 4], state.v[b + 5])
    change = vec.sub(omega, vec.load(work.single_free_spin, t))
    s = vec.rotate_sym(vec.load_mat(work.body_rot, root), spatial.load(model.body_inertia, root))
    torque = vec.scale(1.0 / settings.dt, vec.sym_vec(s, change))
    for k in range(3):
        work.bias_force[b + 3 + k] = torque[k]


@kernel
def body_motion(model, v, work, i, velocity, acceleration):
    """Return velocity and velocity-product acceleration of body i from those of its parent."""
    joint = model.joint_type[i]
    dof = model.joint_v[i]
    if joint == Joint.FREE:
        linear = (v[dof], v[dof + 1], v[dof + 2])
        omega = (v[dof + 3], v[dof + 4], v[dof + 5])
        a = vec.cross(linear, omega)  # the tree origin is fixed while the body's origin moves
        return (
            (omega[0], omega[1], omega[2], linear[0], linear[1], linear[2]),
            spatial.axpy(1.0, acceleration, (0.0, 0.0, 0.0, a[0], a[1], a[2])),
        )
    count = 0
    if joint == Joint.SPHERICAL:
        count = 3
    elif joint != Joint.FIXED:
        count = 1
    parent_velocity = velocity
    for k in range(count):
        axis = spatial.load(work.dof_axis, dof + k)
        rate = spatial.cross_motion(parent_velocity, axis)
        velocity = spatial.axpy(v[dof + k], axis, velocity)
        acceleration = spatial.axpy(v[dof + k], rate, acceleration)
    return velocity, acceleration


@kernel
def lane_velocities(model, v, work, bodies):
    """Return velocities of the parents, joint axes, joint velocities and own velocities of four bodies.

    The bodies are abreast (`body_lanes`).
    """
    dofs = load_four(model.joint_v, bodies)
    parents = lane_rows.load6(work.body_vel, load_four(model.body_parent, bodies))
    axis = lane_rows.load6(work.dof_axis, dofs)
    rate = lane_rows.numbers(v, dofs)
    return parents, axis, rate, spatial.axpy(rate, axis, parents)


@kernel
def write_tree_velocities(model, v, work, t):
    """Write the spatial velocity of every body of tree t at joint velocities v.

    Writes: work.
    """
    zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    k = model.tree_body[t]
    last = k + model.tree_body_count[t]
    while k < last:
        size = model.abreast_size[k]
        if size == 1:
            i = model.abreast_body[k]
            parent = model.body_parent[i]
            carried = spatial.load(work.body_vel, parent) if parent >= 0 else zero
            velocity, _ = body_motion(model, v, work, i, carried, zero)
            six.put(work.body_vel, i, velocity)
        else:
            bodies = four_bodies(model, k, size)
            found = lane_velocities(model, v, work, bodies)
            lane_rows.store6(work.body_vel, bodies, found[3])
        k += size


@kernel
def write_body_velocities(model, state, work):
    """Write the present velocities of the bodies of robots; those of free bodies are in the state.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_nv[t] > 0 and model.tree_is_single[t] == 0:
            write_tree_velocities(model, state.v, work, t)


@kernel
def write_tree_motions(model, v, settings, work, t):
    """Write velocity and acceleration of every body of tree t, with v̇ = 0 and gravity as acceleration.

    Writes: work.
    """
    k = model.tree_body[t]
    last = k + model.tree_body_count[t]
    while k < last:
        size = model.abreast_size[k]
        if size == 1:
            i = model.abreast_body[k]
            parent = model.body_parent[i]
            velocity = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            acceleration = (
                0.0, 0.0, 0.0, -settings.gravity_x, -settings.gravity_y, -settings.gravity_z
            )  # fmt: skip
            if parent >= 0:
                velocity = spatial.load(work.body_vel, parent)
                acceleration = spatial.load(work.body_acc, parent)
            velocity, acceleration = body_motion(model, v, work, i, velocity, acceleration)
            six.put(work.body_vel, i, velocity)
            six.put(work.body_acc, i, acceleration)
        else:
            bodies = four_bodies(model, k, size)
            parents, axis, rate, found = lane_velocities(model, v, work, bodies)
            lane_rows.store6(work.body_vel, bodies, found)
            rates = lane_rows.load6(work.body_acc, load_four(model.body_parent, bodies))
            turned = spatial.axpy(rate, spatial.cross_motion(parents, axis), rates)
            lane_rows.store6(work.body_acc, bodies, turned)
        k += size


@kernel
def compute_tree_bias(model, v, settings, work, t):
    """Write h of a tree by recursive Newton–Euler with v̇ = 0 and gravity as acceleration.

    Writes: work.
    Source: Featherstone 2008, table 5.1, about a common point.
    """
    write_tree_motions(model, v, settings, work, t)
    root = model.tree_body[t]
    last = root + model.tree_body_count[t] - 1
    for i in range(root, last + 1, LANES):
        bodies = four_from(i, last)
        inertia = lane_rows.load10(work.body_inertia, bodies)
        velocity = lane_rows.load6(work.body_vel, bodies)
        inertial = spatial.times(inertia, lane_rows.load6(work.body_acc, bodies))
        gyric = spatial.cross_force(velocity, spatial.times(inertia, velocity))
        lane_rows.store6(work.body_force, bodies, spatial.axpy(1.0, inertial, gyric))
    project_forces(model, work, t, work.bias_force)


@kernel
def project_forces(model, work, t, out):
    """Sum body forces towards the root and project them on the joints. out_i = S_iᵀ f_i

    Writes: work, out.
    """
    root = model.tree_body[t]
    last = root + model.tree_body_count[t]
    for i in range(last - 1, root - 1, -1):
        force = spatial.load(work.body_force, i)
        dof = model.joint_v[i]
        count = 0
        joint = model.joint_type[i]
        if joint == Joint.FREE:  # its axes are those of the world
            for k in range(3):
                out[dof + k] = force[3 + k]
                out[dof + 3 + k] = force[k]
        elif joint == Joint.SPHERICAL:
            count = 3
        elif joint != Joint.FIXED:
            count = 1
        for k in range(count):
            out[dof + k] = spatial.dot(spatial.load(work.dof_axis, dof + k), force)
        if model.body_parent[i] >= 0:
            six.add_row(work.body_force, model.body_parent[i], i)


@kernel
def compute_bias_force(model, state, settings, work):
    """Compute h: weight, Coriolis and centrifugal forces.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_nv[t] == 0:
            continue
        if model.tree_is_single[t] == 1:
            compute_single_bias(model, state, settings, work, t)
        else:
            compute_tree_bias(model, work.mid_v, settings, work, t)
