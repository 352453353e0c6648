"""How a free body tumbles in a step, and how that changes with its attitude and its angular velocity.

Without torque a free body turns from q by the half turn θ to the middle, and has ω_f at the end (`bias`).
Both turn with attitude and angular velocity together, so changes with the attitude follow from those with ω,

    ∂θ/∂q = −[θ]× + ∂θ/∂ω [ω]×,   ∂ω_f/∂q = −[ω_f]× + ∂ω_f/∂ω [ω]×.

With the angular momentum Π = I ω and Π_m = Π + dt/2 Π_m × I⁻¹ Π_m of the implicit midpoint rule,

    A δΠ_m = δΠ,   A = 1 + dt/2 ([s]× − [Π_m]× I⁻¹),   s = I⁻¹ Π_m,   θ = s atan(‖s‖ dt/2)/‖s‖.

Forces act in the middle, where I_m (ω⁺ − ω_f) = dt τ + Jᵀ λ, and q⁺ = exp(dt/2 (ω⁺ − ω_f)) exp(θ) q_m. The
attitude in the middle is the input of `step_tangents`, so δq = N (δq_m − ∂q_m/∂ω δω) with N = (∂q_m/∂q)⁻¹.
Source: Austin, Krishnaprasad, Wang 1993, as in `bias.mean_free_spin`; Solà et al. 2018, "A micro Lie theory".
"""

from math import atan

from tribo.compiler.jit import kernel
from tribo.dynamics import kinematics
from tribo.dynamics.bias import has_equal_inertias
from tribo.math import linalg, quat, spatial, vec
from tribo.model import Integrator, Kind
from tribo.queries.tangents import Obstacle, object_to
from tribo.queries.tree_tangents import SMALL_TURN, left_jacobian

UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
MOST = 1.5  # [rad] of half a turn, from which on `bias.exact_turn` is another function
MOMENTUM_TOLERANCE = 1e-12  # [–] of the angular momentum: admissible residual of the equation of Π_m


@kernel
def skew(a):
    """Return [a]×, row-major."""
    return (0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0)


@kernel
def plus(a, s, b):
    """Return A + s B."""
    return (
        a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2],
        a[3] + s * b[3], a[4] + s * b[4], a[5] + s * b[5],
        a[6] + s * b[6], a[7] + s * b[7], a[8] + s * b[8],
    )  # fmt: skip


@kernel
def multiple(x):
    """Return x times the unit matrix."""
    return (x, 0.0, 0.0, 0.0, x, 0.0, 0.0, 0.0, x)


@kernel
def inverse_matrix(m):
    """Return the inverse of a matrix, by its cofactors."""
    x, y, z = (m[0], m[1], m[2]), (m[3], m[4], m[5]), (m[6], m[7], m[8])
    a, b, c = vec.cross(y, z), vec.cross(z, x), vec.cross(x, y)
    d = 1.0 / vec.dot(x, a)
    return (
        d * a[0], d * b[0], d * c[0], d * a[1], d * b[1], d * c[1], d * a[2], d * b[2], d * c[2]
    )  # fmt: skip


@kernel
def whole_matrix(s):
    """Return a symmetric matrix (xx, yy, zz, xy, xz, yz), row-major."""
    return (s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2])


@kernel
def by_attitude(x, by_rate, omega):
    """Return how x changes with the attitude if it turns with attitude and ω together."""
    return plus(vec.mat_mul(by_rate, skew(omega)), -1.0, skew(x))


@kernel
def free_turn(model, settings, work, tangents, t):
    """Return θ, ∂θ/∂ω, ∂ω_f/∂ω of free body t, world axes; note where they are not known.

    Writes: tangents.
    """
    dt = settings.dt
    root = model.tree_body[t]
    b = model.tree_v[t] + 3
    omega = (tangents.start_v[b], tangents.start_v[b + 1], tangents.start_v[b + 2])
    s = spatial.load(model.body_inertia, root)
    if model.tree_kind[t] != Kind.DYNAMIC or has_equal_inertias(s):
        if 0.5 * dt * vec.norm(omega) > MOST:
            object_to(tangents, Obstacle.FAST_ROTATION, root)
        half = 0.5 * dt
        return vec.scale(half, omega), multiple(half), UNIT
    r = quat.to_matrix(quat.load(tangents.start_q, model.joint_q[root] + 3))
    s = vec.rotate_sym(r, s)
    inertia, light = whole_matrix(s), whole_matrix(linalg.sym_inverse(s))
    spin = vec.load(work.single_spin, t)
    momentum, middle = vec.mat_vec(inertia, omega), vec.mat_vec(inertia, spin)
    off = vec.sub(vec.sub(middle, momentum), vec.scale(0.5 * dt, vec.cross(middle, spin)))
    if not vec.norm(off) <= MOMENTUM_TOLERANCE * vec.norm(momentum):
        object_to(tangents, Obstacle.FAST_ROTATION, root)
    a = plus(plus(UNIT, 0.5 * dt, skew(spin)), -0.5 * dt, vec.mat_mul(skew(middle), light))
    a = inverse_matrix(a)
    by_spin = vec.mat_mul(light, vec.mat_mul(a, inertia))
    size = vec.norm(spin)
    x = 0.5 * dt * size
    if x < SMALL_TURN:
        part = 0.5 * dt * (1.0 - x * x / 3.0)
        bend = 0.125 * dt * dt * dt * (0.8 * x * x - 2.0 / 3.0)
    else:
        part = atan(x) / size
        bend = (0.5 * dt / (1.0 + x * x) - part) / (size * size)
    theta = vec.scale(part, spin)
    along = (
        spin[0] * spin[0], spin[0] * spin[1], spin[0] * spin[2], spin[1] * spin[0], spin[1] * spin[1],
        spin[1] * spin[2], spin[2] * spin[0], spin[2] * spin[1], spin[2] * spin[2],
    )  # fmt: skip
    turn = plus(multiple(part), bend, along)
    by_turn = vec.mat_mul(turn, by_spin)
    whole = vec.scale(2.0, theta)
    after = plus(vec.mat_mul(light, vec.mat_mul(plus(a, 1.0, a), inertia)), -1.0, UNIT)
    by_free = vec.mat_mul(quat.to_matrix(quat.exp(whole)), after)
    free = vec.load(work.single_free_spin, t)
    turned = vec.mat_mul(skew(free), vec.mat_mul(left_jacobian(whole), by_turn))
    return theta, by_turn, plus(by_free, -2.0, turned)


@kernel
def middle_of(settings, theta, theta_by_q, theta_by_v):
    """Return how the attitude in the middle changes with that of the start and with ω."""
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        return UNIT, multiple(0.0)
    j = left_jacobian(theta)
    return (
        plus(quat.to_matrix(quat.exp(theta)), 1.0, vec.mat_mul(j, theta_by_q)),
        vec.mat_mul(j, theta_by_v),
    )


@kernel
def by_middle(by_q, by_v, middle_by_q, middle_by_v):
    """Return changes with the attitude in the middle and with ω from those with that of the start and ω."""
    there = vec.mat_mul(by_q, inverse_matrix(middle_by_q))
    return there, plus(by_v, -1.0, vec.mat_mul(there, middle_by_v))


@kernel
def put(out, row, column, m):
    """Write a matrix into a table.

    Writes: out.
    """
    for r in range(3):
        out[row + r, column] = m[3 * r]
        out[row + r, column + 1] = m[3 * r + 1]
        out[row + r, column + 2] = m[3 * r + 2]


@kernel
def single_tangents(model, settings, work, tangents, t, at_q, at_v):
    """Write M of free body t, how its tumbling changes, and its way: the blocks of `drift_tangents`.

    `force_tangents.take_masses` adds M̂ for the velocity before the step; that part is taken off here.

    Writes: tangents.
    """
    root = model.tree_body[t]
    a = model.tree_v[t]
    b = a + 3
    omega = (tangents.start_v[b], tangents.start_v[b + 1], tangents.start_v[b + 2])
    theta, theta_by_v, free_by_v = free_turn(model, settings, work, tangents, t)
    free = vec.load(work.single_free_spin, t)
    theta_by_q = by_attitude(theta, theta_by_v, omega)
    free_by_q = by_attitude(free, free_by_v, omega)
    middle_by_q, middle_by_v = middle_of(settings, theta, theta_by_q, theta_by_v)
    free_by_q, free_by_v = by_middle(free_by_q, free_by_v, middle_by_q, middle_by_v)
    theta_by_q, theta_by_v = by_middle(theta_by_q, theta_by_v, middle_by_q, middle_by_v)
    next_v = (work.next_v[b], work.next_v[b + 1], work.next_v[b + 2])
    pushed = vec.sub(next_v, free)
    if model.tree_kind[t] == Kind.DYNAMIC:
        mass = model.body_mass[root]
        put(tangents.system, a, a, multiple(mass))
        s = vec.rotate_sym(vec.load_mat(work.body_rot, root), spatial.load(model.body_inertia, root))
        inertia = whole_matrix(s)
        put(tangents.system, b, b, inertia)
        turned = plus(vec.mat_mul(inertia, skew(pushed)), -1.0, skew(vec.mat_vec(inertia, pushed)))
        put(tangents.system, b, at_q + b, plus(vec.mat_mul(inertia, free_by_q), -1.0, turned))
        put(tangents.system, b, at_v + b, vec.mat_mul(inertia, plus(free_by_v, -1.0, UNIT)))
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        return
    h = 0.5 * settings.dt
    phi = vec.scale(h, pushed)
    turn, j = quat.to_matrix(quat.exp(phi)), left_jacobian(phi)
    half = left_jacobian(theta)
    put(tangents.middle_by_q, b, b, middle_by_q)
    put(tangents.middle_by_v, b, b, middle_by_v)
    way = plus(quat.to_matrix(quat.exp(theta)), 1.0, vec.mat_mul(half, theta_by_q))
    put(
        tangents.end_by_middle, b, b,
        plus(vec.mat_mul(turn, way), -h, vec.mat_mul(j, free_by_q)),
    )  # fmt: skip
    put(tangents.end_by_v, b, b, vec.mat_mul(multiple(h), j))
    way = vec.mat_mul(turn, vec.mat_mul(half, theta_by_v))
    put(tangents.end_by_start, b, b, plus(way, -h, vec.mat_mul(j, free_by_v)))


@kernel
def take_singles(model, settings, work, tangents, at_q, at_v):
    """Write what `single_tangents` does of all free bodies.

    Writes: tangents.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_is_single[t] == 1 and model.tree_nv[t] > 0:
            single_tangents(model, settings, work, tangents, t, at_q, at_v)


@kernel
def single_axes(model, work):
    """Write the motion axes of free bodies, which a step has no use for.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_is_single[t] == 1:
            kinematics.body_axes(model, work, model.tree_body[t])
