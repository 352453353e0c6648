"""Stage `predictions.add_predictions`: contacts and stops that the solved motion meets, and that had no row.

A stop has a row where the velocity at the start of the step may reach it. A hit may spin a light joint up
within the step, from 0 to 100 rad/s, and carry it past a stop that was out of reach. The step is then solved
again, and the reach counts the solved velocity, too. So it is with contacts (`predicted_contacts`).
Source: constraints that are added where they are found violated, Stewart and Trinkle 1996, section 5.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.predicted_contacts import ROUNDS, add_predicted_contacts
from tribo.contact.problem import joint_friction_rows
from tribo.dynamics import couplings
from tribo.enums import CouplingSlot
from tribo.math import quat
from tribo.model import Joint, Kind, Slot, Status


@kernel
def has_stop(work, slot, bound):
    """Tell whether a stop has a row: one of its slot, which both stops share, with 0 as this bound."""
    found = False
    for n in range(work.scalar_count[0]):
        found = found or (work.scalar_slot[n] == slot and bound[n] == 0.0)
    return found


@kernel
def passes_range(work, slot, later, lower, upper):
    """Tell whether a coordinate is later beyond an end of its range that has no row."""
    if later < lower:
        return not has_stop(work, slot, work.scalar_lower)
    return later > upper and not has_stop(work, slot, work.scalar_upper)


@kernel
def passes_joint_stop(model, settings, work, i):
    """Tell whether joint i passes a rigid stop that has no row."""
    dof = model.joint_v[i]
    lower, upper = model.joint_lower[i], model.joint_upper[i]
    if (lower == -inf and upper == inf) or model.joint_stop_compliance[i] > 0.0:
        return False
    slot = model.joint_slot[i] + Slot.LIMIT
    if model.joint_type[i] == Joint.SPHERICAL:
        turn = quat.load(work.mid_q, model.joint_q[i])
        w = (work.next_v[dof], work.next_v[dof + 1], work.next_v[dof + 2])
        opened = joint_friction_rows.cone_opening(model, turn, 0.0, i, w, settings.dt)
        return opened > upper and not has_stop(work, slot, work.scalar_lower)
    later = work.mid_q[model.joint_q[i]] + settings.dt * work.next_v[dof]
    return passes_range(work, slot, later, lower, upper)


@kernel
def passes_coupling_stop(model, settings, work, c):
    """Tell whether coupling c passes a stop that has no row."""
    lower, upper = model.coupling_range[c, 0], model.coupling_range[c, 1]
    if lower == upper or (lower == -inf and upper == inf):
        return False
    phi, slope = couplings.coupling_at(model, work, work.mid_q, c)
    later = phi + settings.dt * couplings.coupling_speed(model, work, work.next_v, c, slope)
    return passes_range(work, model.coupling_slot[c] + CouplingSlot.HOLD, later, lower, upper)


@kernel
def find_passed_stops(model, settings, work):
    """Return 1 if a stop without a row is passed: its reach then counts the solved velocity.

    Writes: work.
    """
    is_any = False
    for i in range(model.joint_type.shape[0]):
        t = model.body_tree[i]
        if model.tree_kind[t] == Kind.DYNAMIC and work.tree_is_resting[t] == 0:
            if passes_joint_stop(model, settings, work, i):
                work.tree_is_free[t] = 0
                is_any = True
    for c in range(model.coupling_slot.shape[0]):
        t = model.body_tree[model.coupling_body[c, 0]]
        if model.tree_kind[t] == Kind.DYNAMIC and work.tree_is_resting[t] == 0:
            is_any = is_any or passes_coupling_stop(model, settings, work, c)
    work.prediction_rounds[0] += int(is_any)
    return int(is_any)


@kernel
def add_predictions(model, state, settings, work):
    """Return 1 if the solved motion meets contacts or stops that had no row: the step is solved again.

    Writes: work.
    """
    if add_predicted_contacts(model, state, settings, work) == 1:
        return 1
    is_last = work.status[0] & Status.CAPACITY != 0 or work.prediction_rounds[0] >= ROUNDS
    return 0 if is_last else find_passed_stops(model, settings, work)
