"""Stage `constrained_drift.find_constrained_drift`: the common drift of free bodies on constraints.

A centre of mass drifts straight while its body rotates. On an arm r about a pin, at ω, the centre moves by
r φ in half a step, φ = dt/2 ω, so by the angle atan φ about the pin, while the body rotates by φ. A shift at
the end of the step would make the two agree, but the velocity would no longer be along the path: a body 0.2 m
off its hinge lost 10 % of its energy in 2 s at 180 rad/s and 1 ms.

So the difference is added to each half of the step, symmetrically: the translations δ and rotations ρ of
least kinetic energy for which all constraints stay closed,

    γ + δ_A + (ρ_A × r_A)/cos² φ of one side = the same of the other,   γ = ½ (γ(−dt/2) − γ(dt/2)) :

γ(∓dt/2) is the distance of the end of an arm, in mid step, from its tangent at the beginning and at the end
of the step. The part of γ along the mid-step path counts; it is corrected along the path at the outer end of
the half, where r is the arm, and φ is the angle between the two paths. The mean of the two γ is the mid-step
sag (`attachments.end_curvature`). A body on a pin, and a group that rotates like one rigid body, then satisfy
their constraints at both ends of the step with velocities along their paths, and the step is time-reversible,
as far as the velocity after the impulses is predicted. A rotated body keeps its angular momentum; the common
centre of mass of bodies that are only tied to one another stays.
Source: Hairer, Lubich, Wanner 2006, "Geometric Numerical Integration", V.4.1 (symmetric projection).
"""

from tribo.compiler.jit import kernel
from tribo.dynamics.bias import free_rotation, turned_spin
from tribo.dynamics.constrained_groups import constrained_tree, find_groups, is_in_loop, was_active
from tribo.math import linalg, quat, spatial, vec
from tribo.model import Constraint, Integrator

TRANSLATIONS = 7  # bits of the three translations in `constraint_locked`
ROTATIONS = TRANSLATIONS << 3  # bits of the three rotations
MIN_COSINE = 0.5  # [–] lower bound of the cosine of the rotation in half a step
SWEEPS = 6  # over the constraints of a group, in alternating order; one suffices for single constraints
SWEEP_TOLERANCE = 1e-3  # [–] of the first error: sweeps end below it
SMALL = 1e-4  # [rad] per step: below it (dt ω)³ is round-off
ZERO = (0.0, 0.0, 0.0)


@kernel
def is_joining(model, state, work, c):
    """Tell whether constraint c, in no loop, was active and locks all three translations."""
    if (
        model.constraint_kind[c] != Constraint.JOINT
        or model.constraint_locked[c] & TRANSLATIONS != TRANSLATIONS
    ):
        return False
    return was_active(model, state, c) and not is_in_loop(model, work, c)


@kernel
def spin_of(model, v, t):
    """Return the angular velocity of free body t in an array of velocities."""
    b = model.tree_v[t] + 3
    return (v[b], v[b + 1], v[b + 2])


@kernel
def pushed_spins(model, work, t):
    """Return the mid-step angular velocity of free body t before the impulses and, predicted, after them."""
    before = spin_of(model, work.start_velocity, t)
    return before, vec.axpy(-1.0, before, vec.scale(2.0, spin_of(model, work.mid_v, t)))


@kernel
def any_turning(model, settings, work):
    """Tell whether a free body at a constraint rotates by more than `SMALL` in this step."""
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        return False
    for end in range(model.constraint_point.shape[0]):
        t = constrained_tree(model, end)
        if t >= 0:
            before, after = pushed_spins(model, work, t)
            if settings.dt * max(vec.norm(before), vec.norm(after)) > SMALL:
                return True
    return False


@kernel
def arm_at(model, end, at):
    """Return the arm from the centre of mass to an end of a constraint at an attitude, world [m]."""
    return vec.mat_vec(quat.to_matrix(at), vec.load(model.constraint_point, end))


@kernel
def constrained_velocity(model, v, t, arm):
    """Return the velocity of a point of free body t at an arm from its centre of mass. v + ω × r"""
    b = model.tree_v[t]
    return vec.add((v[b], v[b + 1], v[b + 2]), vec.cross(spin_of(model, v, t), arm))


@kernel
def end_error(work, end, t):
    """Return the displacement that an end of body t still lacks after δ and ρ; 0 for t = −1."""
    if t < 0:
        return ZERO
    x = spatial.load(work.constrained_shift, t)
    turned = vec.cross((x[0], x[1], x[2]), vec.load(work.end_arm, end))
    moved = vec.axpy(work.end_lever[end], turned, (x[3], x[4], x[5]))
    return vec.sub(vec.load(work.end_position_error, end), moved)


@kernel
def mobility(model, work, end, t):
    """Return the displacement of an end of a constraint per impulse, as six numbers. 1/m − [r] I⁻¹ [r]"""
    if t < 0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    light = 1.0 / model.body_mass[model.tree_body[t]]
    f = work.end_lever[end]
    r = vec.load(work.end_arm, end)
    s = spatial.load(work.constrained_inverse, t)
    x = vec.cross(vec.sym_vec(s, vec.cross(r, (1.0, 0.0, 0.0))), r)
    y = vec.cross(vec.sym_vec(s, vec.cross(r, (0.0, 1.0, 0.0))), r)
    z = vec.cross(vec.sym_vec(s, vec.cross(r, (0.0, 0.0, 1.0))), r)
    return (light + f * x[0], light + f * y[1], light + f * z[2], f * x[1], f * x[2], f * y[2])


@kernel
def push_constrained_body(model, work, end, t, impulse):
    """Add the effect of an impulse at an end of a constraint to δ and ρ of body t.

    Writes: work.
    """
    if t < 0:
        return
    light = 1.0 / model.body_mass[model.tree_body[t]]
    torque = ZERO
    if work.end_lever[end] > 0.0:
        torque = vec.cross(vec.load(work.end_arm, end), impulse)
    turn = vec.sym_vec(spatial.load(work.constrained_inverse, t), torque)
    shift = vec.scale(light, impulse)
    spatial.accumulate(work.constrained_shift, t, (turn[0], turn[1], turn[2], shift[0], shift[1], shift[2]))


@kernel
def solve_constrained_drift(model, state, work):
    """Solve for δ and ρ of all bodies, constraint by constraint (Gauss–Seidel).

    Writes: work.
    """
    first = 0.0
    count = model.constraint_kind.shape[0]
    for sweep in range(SWEEPS):
        most = 0.0
        for k in range(count):
            c = k if sweep % 2 == 0 else count - 1 - k
            a = constrained_tree(model, 2 * c)
            b = constrained_tree(model, 2 * c + 1)
            if max(a, b) < 0 or not is_joining(model, state, work, c):
                continue
            apart = vec.sub(end_error(work, 2 * c, a), end_error(work, 2 * c + 1, b))
            one = mobility(model, work, 2 * c, a)
            both = spatial.axpy(1.0, one, mobility(model, work, 2 * c + 1, b))
            impulse = vec.sym_vec(linalg.sym_inverse(both), apart)
            push_constrained_body(model, work, 2 * c, a, impulse)
            push_constrained_body(model, work, 2 * c + 1, b, vec.neg(impulse))
            most = max(most, vec.norm(apart))
        if sweep == 0:
            first = most
        if not most > SWEEP_TOLERANCE * first:
            break


@kernel
def half_step_error(model, end, t, at, omega, h):
    """Return the distance of an end from its tangent after a torque-free time h, at the start of that time.

    Relative to the centre of mass; also the velocity and the attitude after h. at, omega: at the start.
    """
    spin, end_omega = free_rotation(model, t, at, omega, h)
    after = quat.mul(quat.cayley(vec.scale(h, spin)), at)
    arm = arm_at(model, end, after)
    speed = vec.cross(end_omega, arm)
    return vec.axpy(h, speed, vec.sub(arm_at(model, end, at), arm)), speed, after


@kernel
def write_end_error(model, settings, work, end, t, at, before, after, is_second):
    """Compute the displacement that an end of a constraint, of body t, lacks in one half of the step.

    at: attitude in mid step; before, after: angular velocity there, before and after the impulses.

    Writes: work.
    """
    h = 0.5 * settings.dt
    ahead, speed, outside = half_step_error(model, end, t, at, after, h)
    behind, back, begin = half_step_error(model, end, t, at, vec.neg(before), h)
    omega = after
    if not is_second:
        omega, speed, outside = before, vec.neg(back), begin
    vec.store(work.end_arm, end, arm_at(model, end, outside))
    vec.store(work.end_position_error, end, ZERO)
    work.end_lever[end] = 1.0
    middle = vec.cross(omega, arm_at(model, end, at))
    size = vec.norm(speed) * vec.norm(middle)
    if size > 0.0:
        cosine = max(MIN_COSINE, vec.dot(speed, middle) / size)
        off = 0.5 * vec.dot(vec.sub(behind, ahead), middle)
        vec.store(work.end_position_error, end, vec.scale(-off / (size * cosine), speed))
        # ρ rotates the tangent too: along the mid-step path, with dt/2 ω = tan φ, an end is moved by
        # ρ r (cos φ + sin φ tan φ) = ρ r/cos φ, which is ρ r/cos² φ along its path at the outer end.
        work.end_lever[end] = 1.0 / (cosine * cosine)
    is_anchored = constrained_tree(model, end + 1 - 2 * (end % 2)) < 0
    if is_anchored and model.constraint_locked[end // 2] & ROTATIONS == ROTATIONS:
        work.end_lever[end] = 0.0  # a weld to a body that is not free rotates nothing
    inverse = linalg.sym_inverse(spatial.load(model.body_inertia, model.tree_body[t]))
    spatial.store(work.constrained_inverse, t, vec.rotate_sym(quat.to_matrix(outside), inverse))


@kernel
def find_constrained_drift(model, state, settings, work, is_second):
    """Compute δ and ρ of all bodies in one half of the step.

    In the first half, the velocity after the impulses is predicted.

    Writes: work.
    """
    if model.constraint_kind.shape[0] == 0:
        return
    if not is_second:
        find_groups(model, state, work)
        work.constrained_turns[0] = 1 if any_turning(model, settings, work) else 0
    for t in range(model.tree_body.shape[0]):
        spatial.store(work.constrained_shift, t, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    if work.constrained_turns[0] == 0:
        return
    for end in range(model.constraint_point.shape[0]):
        t = constrained_tree(model, end)
        if t < 0 or not is_joining(model, state, work, end // 2):
            continue
        before, after = pushed_spins(model, work, t)
        at = quat.load(work.mid_q, model.joint_q[model.tree_body[t]] + 3)
        if is_second:
            after = spin_of(model, work.next_v, t)
        else:
            half = quat.cayley(vec.scale(0.5 * settings.dt, vec.load(work.single_spin, t)))
            at = quat.mul(half, quat.load(state.q, model.joint_q[model.tree_body[t]] + 3))
        write_end_error(model, settings, work, end, t, at, before, after, is_second)
    solve_constrained_drift(model, state, work)


@kernel
def move_constrained_body(model, work, t, q, v):
    """Move and rotate free body t by δ and ρ, at constant angular momentum.

    Writes: q, v.
    """
    x = spatial.load(work.constrained_shift, t)
    a = model.joint_q[model.tree_body[t]]
    for k in range(3):
        q[a + k] += x[3 + k]
    if x[0] == 0.0 and x[1] == 0.0 and x[2] == 0.0:
        return
    at = quat.load(q, a + 3)
    old = quat.to_matrix(at)
    at = quat.normalize(quat.mul(quat.exp((x[0], x[1], x[2])), at))
    quat.store(q, a + 3, at)
    omega = turned_spin(model, t, old, quat.to_matrix(at), spin_of(model, v, t))
    for k in range(3):
        v[model.tree_v[t] + 3 + k] = omega[k]
