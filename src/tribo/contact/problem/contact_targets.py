"""Stage `contact_targets.set_targets`: friction bounds and target velocities from material pairs.

The solver knows these numbers, never materials: docs/physics/materials.
"""

from math import inf, sqrt

from tribo.collision.advancement import CORE
from tribo.collision.narrowphase import FEATURES
from tribo.collision.place import shape_pose
from tribo.compiler.jit import kernel
from tribo.contact.problem.compliant_rows import add_row_compliance, set_spring_target
from tribo.contact.problem.contact_rows import BETWEEN_MOVED, ON_GROUND, materials_of
from tribo.contact.problem.whitened_products import add_row_response
from tribo.enums import Bounce, EffectiveRadius, Shape
from tribo.math import vec
from tribo.model import Impact, Kind, Pair

SLOW_IMPACT = 1e-3  # [m/s] a slower approach counts as rest
ON_SIDE = 0.1  # [–] sine of the angle between a cylinder's axis and the ground up to which it lies
NO_TARGET = -1e300  # [m/s] stands for −inf in `contact_start`: finite, so that 0 · NO_TARGET = 0
TARGET_DEAD_BAND = 0.1  # [–] of the speed that forces give in a step: dead band of the target of a contact
ROUND_OFF_BAND = 1e-7  # [–] of the speed that weight gives in a step: dead band of round-off in a gap


@kernel
def step_speed(settings):
    """Return the speed that weight gives in one step [m/s]."""
    g2 = settings.gravity_x**2 + settings.gravity_y**2 + settings.gravity_z**2
    return settings.dt * sqrt(g2)


@kernel
def slow_speed(settings):
    """Return the approach speed [m/s] below which a contact is at rest: weight of two steps, or round-off."""
    return max(2.0 * step_speed(settings), SLOW_IMPACT)


@kernel
def forced_speed(model, work, c):
    """Return an upper bound of the speed that the forces on the bodies of contact c give it in a step [m/s].

    ‖z‖ √G, z of the dofs of its two sides, G its own block along the normal.
    """
    square = 0.0
    for side in range(2):
        chain = model.body_chain_start[work.contact_body[c, side]]
        for p in range(work.contact_len[c, side]):
            z = work.free_response[model.chain_dof[chain + p]]
            square += z * z
    return sqrt(square * work.contact_delassus[c, 2])


@kernel
def free_fall_speed(model, settings, work, c):
    """Return the speed that forces give contact c in a step [m/s]: weight, or without weight all others.

    Forces on other bodies of the island do not count.
    """
    slow = step_speed(settings)
    return slow if slow > 0.0 else forced_speed(model, work, c)


@kernel
def effective_friction(friction, static, static_speed, speed):
    """Return μ_eff: `static` at rest, falling linearly to μ at the transition speed.

    Source: RaiSim material system, μ_s + (μ − μ_s) s/v_s.
    """
    if speed >= static_speed:
        return friction
    return static + (friction - static) * speed / static_speed


@kernel
def rest_target(gap, settings):
    """Return the target velocity of a contact that does not rebound [m/s]: it closes the gap in the step.

    A body on uneven ground cannot close different gaps and stick at the same time, so gaps at the level of
    round-off are zero: else a body at rest would slip for ever to close 1e-12 m. Larger gaps are reduced by
    the same amount, since a jump of the target would be felt by all sticking contacts.
    """
    return min(0.0, beyond_deadband(-gap / settings.dt, ROUND_OFF_BAND * step_speed(settings)))


@kernel
def gap_correction(settings, gap):
    """Return the speed that closes a share `erp` of an overlap in a step [m/s, rad/s]; 0 for a gap > 0."""
    return max(0.0, min(-gap * settings.erp / settings.dt, settings.max_push_out_speed))


@kernel
def beyond_deadband(asked, nothing):
    """Return a speed reduced in size by the dead band `nothing`; 0 within it."""
    return max(0.0, asked - nothing) if asked > 0.0 else min(0.0, asked + nothing)


@kernel
def is_of_core(work, c):
    """Tell whether contact c is of the core of a body: it stops it, and does not rebound."""
    return work.contact_key[c] % FEATURES >= CORE - 1.0


@kernel
def curved_rest_target(work, c, settings):
    """Return `rest_target` of contact c with the drift β of its path [m/s]."""
    return rest_target(work.contact_gap[c] + work.gap_allowance[c], settings) - work.contact_drift[c, 2]


@kernel
def rebound_velocity(approach, restitution, threshold, loss):
    """Return the speed at which a pair separates after an impact [m/s]; 0: no rebound.

    loss: part of the approach that does not count: the threshold (law `offset`) or 0 (`gate`).
    """
    return restitution * (approach - loss) if approach > threshold else 0.0


@kernel
def impact_speed(gap, speed, push, dt):
    """Return the speed [m/s] at which surfaces meet that approach at −`speed` over a gap.

    push: velocity f that the step's forces give [m/s]. Their work along the gap counts:

        u² = w² + f w − 2 f φ/dt

    with φ the gap at the evaluation of the step and w the velocity before it. Midpoint and semi-implicit
    steps both conserve the right side in free motion.
    """
    return sqrt(max(0.0, speed * speed + push * (speed - 2.0 * gap / dt)))


@kernel
def parting_speed(gap, bounce, push, dt):
    """Return the speed at the end of the step of surfaces that separate with `bounce` when they touch [m/s].

    They reverse at the evaluation of the step, at the gap φ ≥ 0, with the energy of the rebound there,
    v² − f v − 2 f φ/dt = b². If the rebound does not reach φ, they stop there.
    """
    square = max(bounce * bounce + 2.0 * push * gap / dt, -0.25 * push * push)
    root = sqrt(0.25 * push * push + square)
    return square / (root - 0.5 * push) if push < 0.0 else root + 0.5 * push


@kernel
def normal_target(gap, speed, bounce, push, settings):
    """Return the least normal velocity at the end of the step [m/s].

    speed: normal velocity before the step's forces; bounce: separation speed at touch. A pair that will
    rebound gets no target (−inf) before it touches, so that prediction takes none of its speed; an approach
    slower than `slow_speed` is a resting contact with round-off, which has one.
    """
    rest = rest_target(gap, settings)
    if gap > 0.0 and (bounce <= 0.0 or gap > -(speed + push) * settings.dt):
        return -inf if bounce > 0.0 and -speed > slow_speed(settings) else rest
    return max(parting_speed(max(gap, 0.0), bounce, push, settings.dt), rest) if bounce > 0.0 else rest


@kernel
def forced_velocity(model, work, c):
    """Return the normal velocity that the step's forces give contact c [m/s]."""
    return add_row_response(model, work, work.contact_row, c, work.free_response, (0.0, 0.0, 0.0))[2]


@kernel
def rolling_arm(model, work, arm, n, s):
    """Return the distance from a centre of mass to a contact of shape s [m]; of a lying cylinder its radius.

    Source: RaiSim material system: distance from contact point to centre of mass. A lying cylinder touches at
    the two ends of its line of contact.
    """
    kind = model.shape_kind[s]
    if kind == Shape.CYLINDER or kind == Shape.CAPSULE:
        _, rot = shape_pose(model, work, s)
        axis = vec.mat_col(rot, 2)
        if abs(vec.dot(axis, n)) < ON_SIDE:
            arm = vec.axpy(-vec.dot(axis, arm), axis, arm)
    return vec.norm(arm)


@kernel
def effective_radius(model, settings, work, c):
    """Return r_e, |(contact − centre of mass) · n| or the distance, the mean of the moving bodies [m]."""
    n = vec.load_from(work.contact_axes, c, 6)
    total, count = 0.0, 0
    for side in range(2):
        i = work.contact_body[c, side]
        if model.body_chain_len[i] > 0 and model.tree_kind[model.body_tree[i]] == Kind.DYNAMIC:
            com = vec.mat_vec(vec.load_mat(work.body_rot, i), vec.load(model.body_com, i))
            com = vec.add(com, vec.load(work.body_pos, i))
            half = 0.5 if side == 0 else -0.5
            p = vec.axpy(half, vec.load(work.contact_travel, c), vec.load(work.contact_pos, c))
            arm = vec.sub(p, com)
            if settings.effective_radius == EffectiveRadius.DISTANCE:
                total += rolling_arm(model, work, arm, n, work.contact_shape[c, side])
            else:
                total += abs(vec.dot(arm, n))
            count += 1
    return total / count if count > 0 else 0.0


@kernel
def set_target(work, c, target, speed):
    """Set the target normal velocity of contact c [m/s]; `speed`: its velocity without forces.

    Writes: work.
    """
    work.contact_target[c] = target
    work.contact_start[c, 2] = speed - max(target, NO_TARGET)


@kernel
def relax_target(work, c, nothing):
    """Reduce the target of contact c by a dead band `nothing` [m/s], its correction by the band's rest.

    Writes: work.
    """
    asked = work.contact_target[c] + work.contact_drift[c, 2]
    less = max(-nothing, min(asked, nothing))
    work.contact_target[c] -= less
    work.contact_start[c, 2] += less
    taken = min(max(0.0, asked), nothing)
    work.contact_correction[c] = max(0.0, work.contact_correction[c] - (nothing - taken))


@kernel
def speed_to_open(model, settings, work, c):
    """Return the most by which the velocity of contact c opens an overlap [m/s]: a tenth of what forces undo.

    It is 0, and the overlap is left to the shift of positions, where it is deep: forces do not undo it within
    the step.
    """
    undone = max(0.0, -forced_velocity(model, work, c))
    overlap = 0.0
    for side in range(2):
        if work.contact_len[c, side] > 0:
            overlap = max(overlap, work.tree_overlap[model.body_tree[work.contact_body[c, side]]])
    is_deep = settings.erp * (overlap - work.gap_allowance[c]) > settings.dt * undone
    return 0.0 if is_deep else TARGET_DEAD_BAND * undone


@kernel
def speed_that_opens(work, c):
    """Return the speed at which the target of contact c opens its overlap [m/s]; 0: a spring, a rebound."""
    if work.contact_compliance[c, 2] > 0.0 or work.contact_bounce[c] > 0.0:
        return 0.0
    return max(0.0, work.contact_target[c] + work.contact_drift[c, 2])


@kernel
def set_contact_target(model, settings, work, c):
    """Set friction, targets and correction of contact c, and its velocity relative to the targets.

    Writes: work.
    """
    table = model.pair_table
    a, b = materials_of(model, work, c)
    bend = vec.load(work.contact_drift, c)
    x, y, z = vec.sub(vec.load(work.contact_vel, c), bend)  # at the start of the step
    work.contact_friction[c] = effective_friction(
        table[a, b, Pair.FRICTION],
        table[a, b, Pair.STATIC_FRICTION],
        table[a, b, Pair.STATIC_FRICTION_VELOCITY],
        sqrt(x * x + y * y),
    )
    gap = work.contact_gap[c] + work.gap_allowance[c]
    e = 0.0 if is_of_core(work, c) else min(1.0, table[a, b, Pair.RESTITUTION] + settings.erp2)
    threshold = table[a, b, Pair.RESTITUTION_THRESHOLD]
    loss = 0.0 if settings.bounce == Bounce.GATE else threshold
    bounce = push = 0.0
    if e > 0.0 and z < 0.0:
        push = forced_velocity(model, work, c)
        bounce = rebound_velocity(impact_speed(max(gap, 0.0), z, push, settings.dt), e, threshold, loss)
        if 2.0 * bounce < -push:  # forces reverse it within the step: it rests
            bounce = 0.0
    target = normal_target(gap, z, bounce, push, settings)
    is_rigid = table[a, b, Pair.YOUNGS_MODULUS] <= 0.0
    if not is_rigid:
        work.contact_friction[c] = max(table[a, b, Pair.FRICTION], table[a, b, Pair.SECONDARY_FRICTION])
        meets = work.adhesion_impulse[c] == 0.0 or gap <= -settings.dt * z
        if -z > slow_speed(settings) and gap > settings.dt * z and meets:  # a hit: it was open one step ago
            add_row_compliance(work, c, 2, 0.0)
        else:
            bounce = e = 0.0
            target = set_spring_target(model, settings, work, c, z)
    work.contact_bounce[c] = target if bounce > 0.0 and target > 0.0 else 0.0
    work.contact_correction[c] = part = 0.0
    if is_rigid and bounce <= 0.0 and gap < 0.0:
        correction = beyond_deadband(gap_correction(settings, gap), ROUND_OFF_BAND * step_speed(settings))
        # Small overlaps, as the drift of a path leaves them: a velocity conserves energy.
        part = target = min(correction, speed_to_open(model, settings, work, c))
        work.contact_correction[c] = correction - part
    set_target(work, c, target - bend[2], work.contact_vel[c, 2])
    if settings.impact == Impact.PROPAGATE:
        work.contact_restitution[c] = e
        work.contact_threshold[c] = threshold
        work.contact_loss[c] = loss
        work.contact_rest[c] = part - bend[2] if part > 0.0 else curved_rest_target(work, c, settings)
    work.contact_start[c, 0] = work.contact_vel[c, 0] + bend[0]
    work.contact_start[c, 1] = work.contact_vel[c, 1] + bend[1]


@kernel
def use_linearised_law(settings, work, c, friction):
    """Set the rows of contact c, between two moving bodies of compliant ground, to its linearised law.

    f = F − b (w − w₀) is w + λ/(dt b) = w₀ + F/b. Without a force there is no target.

    Writes: work.
    """
    work.contact_friction[c] = friction
    work.contact_bounce[c] = work.contact_correction[c] = 0.0
    work.contact_restitution[c] = 0.0
    work.contact_threshold[c] = inf
    set_target(work, c, -inf, work.contact_vel[c, 2])
    for k in range(3):
        b = work.soft_slope[c, 0 if k < 2 else 1]
        target = 0.0
        if b > 0.0:
            add_row_compliance(work, c, k, 1.0 / (settings.dt * b))
            target = work.soft_vel[c, k] + work.soft_force[c, k] / b
        if k < 2:
            work.contact_start[c, k] = work.contact_vel[c, k] - target
        elif b > 0.0:
            set_target(work, c, target, work.contact_vel[c, 2])


@kernel
def set_targets(model, settings, work):
    """Set friction bounds and targets of every contact, and its velocity relative to them.

    Writes: work.
    """
    table = model.pair_table
    for c in range(work.contact_count[0]):
        if work.contact_is_soft[c] == ON_GROUND:  # its force is part of τ
            work.contact_target[c] = -inf
            continue
        a, b = materials_of(model, work, c)
        if work.contact_is_resting[c] == 1:
            work.contact_target[c] = -inf
            work.contact_friction[c] = max(table[a, b, Pair.FRICTION], table[a, b, Pair.STATIC_FRICTION])
            continue
        if work.contact_is_soft[c] == BETWEEN_MOVED:
            use_linearised_law(settings, work, c, table[a, b, Pair.FRICTION])
            continue
        if work.diagonal_delassus[c] == 0.0 and table[a, b, Pair.YOUNGS_MODULUS] <= 0.0:
            work.contact_target[c] = -inf  # no impulse moves it, as on the axis of a hinge
            work.contact_friction[c] = 0.0
            continue
        set_contact_target(model, settings, work, c)
        if work.contact_is_spun[c] == 1:
            r = effective_radius(model, settings, work, c)
            work.contact_radius[c] = r
            work.contact_rolling[c] = (
                table[a, b, Pair.ROLLING_FRICTION] * r + table[a, b, Pair.ROLLING_LENGTH]
            )
            work.contact_spinning[c] = (
                table[a, b, Pair.SPINNING_FRICTION] * r + table[a, b, Pair.SPINNING_LENGTH]
            )
