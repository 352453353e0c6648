"""Stage `predictions.add_predictions`: contacts and stops that the solved motion meets, and that had no row.

A stop has a row where the velocity at the start of the step may reach it. A hit may spin a light joint up
within the step, from 0 to 100 rad/s, and carry it past a stop that was out of reach. The step is then solved
again, and the reach counts the solved velocity, too. So it is with contacts (`predicted_contacts`).
Source: constraints that are added where they are found violated, Stewart and Trinkle 1996, section 5.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.predicted_contacts import ROUNDS, add_predicted_contacts
from tribo.contact.problem import coupling_rows, joint_friction_rows, joint_limit_rows
from tribo.dynamics import couplings
from tribo.math import quat
from tribo.model import Joint, Kind, Status


@kernel
def passes_range(q, w, dt, lower, upper, far):
    """Tell whether a coordinate passes, by w dt, an end of its range that is farther than `far`."""
    later = q + dt * w
    return (later < lower and q - lower > far) or (later > upper and upper - q > far)


@kernel
def passes_joint_stop(model, state, settings, work, i):
    """Tell whether joint i passes a rigid stop that has no row."""
    joint, dof = model.joint_type[i], model.joint_v[i]
    lower, upper = model.joint_lower[i], model.joint_upper[i]
    if (lower == -inf and upper == inf) or model.joint_stop_compliance[i] > 0.0:
        return False
    if joint == Joint.SPHERICAL:
        if joint_friction_rows.is_near_cone(model, state, settings, work, i):
            return False
        turn = quat.load(work.mid_q, model.joint_q[i])
        angle, _ = joint_friction_rows.cone_angle(model, turn, i)
        w = (work.next_v[dof], work.next_v[dof + 1], work.next_v[dof + 2])
        return angle + joint_friction_rows.cone_opening(model, turn, angle, i, w, settings.dt) > upper
    if joint != Joint.REVOLUTE and joint != Joint.PRISMATIC:
        return False
    far = joint_limit_rows.stop_reach(model, state, settings, work, i)
    return passes_range(work.mid_q[model.joint_q[i]], work.next_v[dof], settings.dt, lower, upper, far)


@kernel
def passes_coupling_stop(model, state, settings, work, c):
    """Tell whether coupling c passes a stop that has no row."""
    lower, upper = model.coupling_range[c, 0], model.coupling_range[c, 1]
    if lower == upper or (lower == -inf and upper == inf):
        return False
    phi, _ = coupling_rows.coupling_value(model, work, c)
    far = coupling_rows.coupling_reach(model, state, settings, work, c)
    w = couplings.coupling_speed(model, work, work.mid_q, work.next_v, c)
    return passes_range(phi, w, settings.dt, lower, upper, far)


@kernel
def find_passed_stops(model, state, settings, work):
    """Return 1 if a stop without a row is passed: its reach then counts the solved velocity.

    Writes: work.
    """
    if work.prediction_rounds[0] >= ROUNDS:
        return 0
    is_any = False
    for i in range(model.joint_type.shape[0]):
        t = model.body_tree[i]
        if model.tree_kind[t] == Kind.DYNAMIC and work.tree_is_resting[t] == 0:
            if passes_joint_stop(model, state, settings, work, i):
                work.tree_is_free[t] = 0
                is_any = True
    for c in range(model.coupling_slot.shape[0]):
        t = model.body_tree[model.coupling_body[c, 0]]
        if model.tree_kind[t] == Kind.DYNAMIC and work.tree_is_resting[t] == 0:
            is_any = is_any or passes_coupling_stop(model, state, settings, work, c)
    if not is_any:
        return 0
    work.prediction_rounds[0] += 1
    return 1


@kernel
def add_predictions(model, state, settings, work):
    """Return 1 if the solved motion meets contacts or stops that had no row: the step is solved again.

    Writes: work.
    """
    if add_predicted_contacts(model, state, settings, work) == 1:
        return 1
    return 0 if work.status[0] & Status.CAPACITY else find_passed_stops(model, state, settings, work)
