"""Stage `joint_limit_rows.write_joint_limits`: rows of joints.

A joint limit is a contact of a joint with its stop: gap g ≥ 0, restitution 0, g + dt w ≥ 0. A stop with a
compliance is a damped spring from there on (`src/tribo/contact/problem/spook.py`). If both stops coincide and
are compliant, one spring holds the joint there, in both directions, within its forces.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem import joint_friction_rows, scalar_rows
from tribo.contact.problem.contact_targets import gap_correction
from tribo.contact.problem.spook import close_soft_row
from tribo.model import Joint, Kind, Slot


@kernel
def add_limit(model, settings, work, i, sign, gap):
    """Append a limit of joint i: the lower (sign +1) or the upper (−1). sign v⁺ ≥ −gap/dt

    Beyond the stop the position pass closes the overlap. The row is along the joint itself for both stops, so
    they share a slot. A compliant stop acts beyond its position only; two that coincide (sign 0) are one
    spring with bounds.

    Writes: work.
    """
    compliance = model.joint_stop_compliance[i]
    if compliance > 0.0 and gap > 0.0 and sign != 0.0:
        return
    n = scalar_rows.open_row(model, work, model.joint_slot[i] + Slot.LIMIT, i, -1)
    if n < 0:
        return
    scalar_rows.add_dof(model, work, n, 0, model.joint_v[i], 1.0)
    lower = 0.0 if sign > 0.0 else settings.dt * model.joint_stop_force[i, 0]
    upper = 0.0 if sign < 0.0 else settings.dt * model.joint_stop_force[i, 1]
    if compliance > 0.0:
        along, damping = -gap if sign < 0.0 else gap, model.joint_stop_damping[i]
        close_soft_row(model, settings, work, n, along, compliance, damping, lower, upper)
        return
    target = joint_friction_rows.stop_target(settings, gap)
    scalar_rows.close_row(model, work, n, sign * target, lower, upper, 0.0)
    work.scalar_shift[n] = sign * gap_correction(settings, gap)


@kernel
def stop_reach(model, state, settings, work, i):
    """Return the distance from a stop of joint i within which it has a row [m, rad].

    Twice the motion of the step, and more: impulses of other rows may push towards the stop. If the step is
    solved again because of what its motion meets (`predictions`), the solved velocity counts, too.
    """
    share = 0.02 * min(1.0, model.joint_upper[i] - model.joint_lower[i])
    speed = abs(state.v[model.joint_v[i]])
    if work.prediction_rounds[0] > 0:
        speed = max(speed, abs(work.next_v[model.joint_v[i]]))
    return 2.0 * settings.dt * speed + share


@kernel
def is_near(model, state, settings, work, i):
    """Tell whether joint i is near one of its stops."""
    joint = model.joint_type[i]
    if joint == Joint.SPHERICAL:
        is_limited = model.joint_upper[i] != inf
        return is_limited and joint_friction_rows.is_near_cone(model, state, settings, work, i)
    if joint != Joint.REVOLUTE and joint != Joint.PRISMATIC:
        return False
    q = work.mid_q[model.joint_q[i]]
    far = stop_reach(model, state, settings, work, i)
    return q - model.joint_lower[i] <= far or model.joint_upper[i] - q <= far


@kernel
def has_joint_row(model, state, settings, work, t):
    """Tell whether a tree may have a row of a joint: a stop within reach, dry friction, a coupling."""
    if model.tree_coupling_count[t] > 0:
        return True
    for dof in range(model.tree_v[t], model.tree_v[t] + model.tree_nv[t]):
        if model.dof_friction[dof] > 0.0:
            return True
    for i in range(model.tree_body[t], model.tree_body[t] + model.tree_body_count[t]):
        if is_near(model, state, settings, work, i):
            return True
    return False


@kernel
def add_joint_stops(model, state, settings, work, i):
    """Append the stops of joint i that this step can reach.

    Writes: work.
    """
    joint = model.joint_type[i]
    lower, upper = model.joint_lower[i], model.joint_upper[i]
    if joint == Joint.SPHERICAL and is_near(model, state, settings, work, i):
        joint_friction_rows.add_cone(model, settings, work, i)
    if (lower == -inf and upper == inf) or (joint != Joint.REVOLUTE and joint != Joint.PRISMATIC):
        return
    q = work.mid_q[model.joint_q[i]]
    if lower == upper and model.joint_stop_compliance[i] > 0.0:
        add_limit(model, settings, work, i, 0.0, q - lower)
        return
    far = stop_reach(model, state, settings, work, i)
    if q - lower <= far:
        add_limit(model, settings, work, i, 1.0, q - lower)
    if upper - q <= far:
        add_limit(model, settings, work, i, -1.0, upper - q)


@kernel
def write_joint_limits(model, state, command, settings, work):
    """Write the rows of all joints: stops that this step can reach, dry friction, drives at limits.

    Writes: work.
    """
    scalar_rows.keep_impulses_by_slot(work)
    work.scalar_count[0] = 0
    for t in range(model.tree_body.shape[0]):
        if model.tree_kind[t] != Kind.DYNAMIC or work.tree_is_resting[t] == 1 or model.tree_is_single[t] == 1:
            continue
        root = model.tree_body[t]
        for i in range(root, root + model.tree_body_count[t]):
            joint = model.joint_type[i]
            if joint == Joint.FREE or joint == Joint.FIXED:
                continue
            if joint_friction_rows.needs_rows(model, work, i):
                joint_friction_rows.write_joint_rows(model, state, command, settings, work, i)
            if work.tree_is_free[t] == 0:  # else `unconstrained_trees` found none near
                add_joint_stops(model, state, settings, work, i)
