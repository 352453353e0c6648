"""Rows of joints besides the stops of one dof: dry friction, cones, limits of drives.

Dry friction is v⁺ = 0 with −dt τ_f ≤ λ ≤ dt τ_f. A drive at a limit is a spring and damper whose impulse has
bounds. A cone is the stop of a spherical joint. Rotation along the cone leads over its rim, as a tangent
leaves a circle, so the row reduces the speed by that much.
"""

from math import acos, asin, inf

from tribo.compiler.jit import kernel
from tribo.contact.problem import scalar_rows
from tribo.contact.problem.contact_targets import gap_correction
from tribo.dynamics.actuation import drive_gain, drive_torque, speed_cap
from tribo.dynamics.articulated import dof_count
from tribo.dynamics.springs import rotation_error
from tribo.enums import DriveLimit
from tribo.math import quat, vec
from tribo.model import Integrator, Joint, Slot

STEADY = 0.8  # [–] smaller over larger impulse of two steps, above which a force is steady
MAX_INWARD_TURN = 0.1  # [–] of the velocity along a cone: bound of the inward rotation of the cone
STRAIGHT = 1e-9  # [–] sine of an angle whose axis is round-off


@kernel
def stop_target(settings, gap):
    """Return the target velocity away from a stop: a gap closes within the step, an overlap does not grow."""
    return min(0.0, -gap / settings.dt)


@kernel
def add_dof_row(model, work, slot, i, dof, target, lower, upper, compliance):
    """Append a row on one dof of joint i; return its number, −1 if there is none.

    Writes: work.
    """
    n = scalar_rows.open_row(model, work, slot, i, -1)
    if n < 0:
        return n
    scalar_rows.add_dof(model, work, n, 0, dof, 1.0)
    scalar_rows.close_row(model, work, n, target, lower, upper, compliance)
    return n if work.scalar_count[0] > n else -1


@kernel
def add_drive(model, state, command, settings, work, slot, i, dof):
    """Append the rows of the limits that the drive of a dof reaches.

    Within its effort limits a drive obeys τ = τ(v) − K (v⁺ − v), that is v⁺ + λ/(dt K) = v + τ(v)/K. At its
    speed limit another row removes at most the impulse that the drive gives there.

    Writes: work.
    """
    dt, v = settings.dt, state.v[dof]
    if work.drive_mode[dof] & DriveLimit.EFFORT != 0:
        gain = drive_gain(model, command, settings, dof)
        target = v + drive_torque(command, settings, work, dof, v, v) / gain
        lower, upper = dt * model.dof_effort_lower[dof], dt * model.dof_effort_upper[dof]
        n = add_dof_row(model, work, slot, i, dof, target, lower, upper, 1.0 / (dt * gain))
        work.effort_row[dof] = n
        if n >= 0:
            work.scalar_reach[n] = scalar_rows.GIVES_WAY
    if work.drive_mode[dof] & DriveLimit.SPEED != 0:
        speed, cap = speed_cap(model, command, settings, work, dof, v)
        lower, upper = min(-dt * cap, 0.0), max(-dt * cap, 0.0)
        n = add_dof_row(model, work, slot, i, dof, speed, lower, upper, 0.0)
        work.speed_row[dof] = n
        if n >= 0:
            work.scalar_reach[n] = scalar_rows.GIVES_WAY


@kernel
def write_joint_rows(model, state, command, settings, work, i):
    """Append the rows of joint i besides its stops: dry friction, and its drive if that is at a limit.

    Writes: work.
    """
    count = dof_count(model.joint_type[i])
    slot = model.joint_slot[i] + Slot.FRICTION
    for k in range(count):
        dof = model.joint_v[i] + k
        friction = settings.dt * model.dof_friction[dof]
        if friction > 0.0:
            add_dof_row(model, work, slot + k, i, dof, 0.0, -friction, friction, 0.0)
        if work.drive_mode[dof] != 0:
            add_drive(model, state, command, settings, work, slot + count + k, i, dof)


@kernel
def cone_angle(model, turn, i):
    """Return the angle and rotation axis (parent frame) of quaternion `turn` of spherical joint i.

    Of a cone: the angle between the joint's axis and its image; else the angle of the whole rotation.
    """
    if model.joint_is_cone[i] == 0:
        e = rotation_error(turn, (1.0, 0.0, 0.0, 0.0))
        angle = vec.norm(e)
        if angle < STRAIGHT:
            return 0.0, e
        return angle, vec.scale(1.0 / angle, e)
    axis = vec.load(model.joint_axis, i)
    now = vec.mat_vec(quat.to_matrix(turn), axis)
    across = vec.cross(axis, now)
    sine = vec.norm(across)
    cosine = vec.dot(axis, now)
    if sine < STRAIGHT:
        return (0.0 if cosine > 0.0 else acos(-1.0)), across
    angle = acos(min(1.0, max(-1.0, cosine)))
    if sine < 0.5:  # the arc cosine is inaccurate there
        angle = asin(sine) if cosine > 0.0 else acos(-1.0) - asin(sine)
    return angle, vec.scale(1.0 / sine, across)


@kernel
def is_near_cone(model, state, settings, work, i):
    """Tell whether spherical joint i can reach its cone within the step."""
    dof = model.joint_v[i]
    speed = vec.norm((state.v[dof], state.v[dof + 1], state.v[dof + 2]))
    if work.prediction_rounds[0] > 0:  # see `joint_limit_rows.stop_reach`
        speed = max(speed, vec.norm((work.next_v[dof], work.next_v[dof + 1], work.next_v[dof + 2])))
    upper = model.joint_upper[i]
    angle, _ = cone_angle(model, quat.load(work.mid_q, model.joint_q[i]), i)
    return upper - angle <= 2.0 * settings.dt * speed + 0.02 * min(1.0, upper)


@kernel
def cone_opening(model, turn, angle, i, w, dt):
    """Return the increase of the angle of joint i [rad] by angular velocity w over a time dt."""
    opened, _ = cone_angle(model, quat.mul(quat.exp(vec.scale(dt, w)), turn), i)
    return opened - angle


@kernel
def add_cone(model, settings, work, i):
    """Append the stop of a spherical joint. n·ω ≤ (gap + s − b)/dt

    b is the increase of the angle in a step by the motion across n, s the same in half a step: that far
    outside is the middle of a step whose ends are on the cone. b/dt is at most `MAX_INWARD_TURN` of the
    velocity across, so that a stop adds no energy. An overlap is closed by the velocity, since a position
    shift of a joint with three axes does not conserve energy. Once the step was solved, n is the axis of the
    pose to which the solved velocity leads: in the middle of its cone a joint has none.

    Writes: work.
    """
    dt = settings.dt
    dof = model.joint_v[i]
    turn = quat.load(work.mid_q, model.joint_q[i])
    angle, axis = cone_angle(model, turn, i)
    gap = model.joint_upper[i] - angle
    if work.prediction_rounds[0] > 0:
        solved = (work.next_v[dof], work.next_v[dof + 1], work.next_v[dof + 2])
        later, axis = cone_angle(model, quat.mul(quat.exp(vec.scale(dt, solved)), turn), i)
        gap = model.joint_upper[i] - later + dt * vec.dot(axis, solved)
    w = (work.mid_v[dof], work.mid_v[dof + 1], work.mid_v[dof + 2])
    across = vec.axpy(-vec.dot(w, axis), axis, w)
    if settings.integrator != Integrator.SEMI_IMPLICIT:  # `rk4` uses midpoint steps here
        gap += cone_opening(model, turn, angle, i, across, 0.5 * dt)
    n = scalar_rows.open_row(model, work, model.joint_slot[i] + Slot.LIMIT, i, -1)
    if n < 0:
        return
    for k in range(3):
        scalar_rows.add_dof(model, work, n, 0, dof + k, -axis[k])
    most = MAX_INWARD_TURN * vec.norm(across)
    bend = min(cone_opening(model, turn, angle, i, across, dt) / dt, most)
    target = stop_target(settings, gap) + gap_correction(settings, gap)
    scalar_rows.close_row(model, work, n, target + bend, 0.0, inf, 0.0)
    work.scalar_correction[n] = max(0.0, target)


@kernel
def slides_on_cone(model, state, work, n):
    """Tell whether row n is a cone on which a joint slides: its impulse is about that of the last step.

    Unlike an impact it curves the path for longer, so the next step includes it in the free response.
    """
    i = work.scalar_body[n, 0]
    slot = work.scalar_slot[n]
    if i < 0 or model.joint_type[i] != Joint.SPHERICAL or slot != model.joint_slot[i] + Slot.LIMIT:
        return False
    now = work.scalar_impulse[n]
    before = state.scalar_impulse[slot]
    return now > STEADY * before and before > STEADY * now


@kernel
def needs_rows(model, work, i):
    """Tell whether joint i needs rows besides its stops: dry friction, a drive at a limit."""
    first = model.joint_v[i]
    for dof in range(first, first + dof_count(model.joint_type[i])):
        if model.dof_friction[dof] > 0.0 or work.drive_mode[dof] != 0:
            return True
    return False
