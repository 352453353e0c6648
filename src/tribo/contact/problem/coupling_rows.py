"""Stage `coupling_rows.write_coupling_rows`: tendons over joints and points, and mimic joints.

A coupling is one function φ(q) of joints (`dynamics.couplings`). It has up to six rows with J = ∂φ/∂q: an
equation φ = b or its stops, dry friction, spring, damping, and its actuators.
"""

from math import inf

from tribo.compiler.jit import kernel
from tribo.contact.problem import scalar_rows
from tribo.contact.problem.contact_targets import gap_correction
from tribo.contact.problem.joint_friction_rows import stop_target
from tribo.contact.problem.spring_rows import set_law, set_spring
from tribo.dynamics import couplings, tendon_paths
from tribo.enums import CouplingDrive, CouplingSlot
from tribo.model import Kind


@kernel
def add_segment_pull(model, work, n, k, end, side, by):
    """Add one end of the straight part after element k of a path to J of row n, times `by`.

    The body at this end is an ancestor of the body of `side`.

    Writes: work.
    """
    b, wrench = tendon_paths.segment_end(model, work, k, end)
    if b < 0:
        return
    first = work.scalar_row[n, side]
    for p in range(model.body_chain_len[b]):
        work.row[first + p] += by * tendon_paths.project_wrench(model, work, b, p, wrench)


@kernel
def add_coupling_row(model, work, c, kind, slope, target, lower, upper):
    """Append a row along coupling c with bounds of its impulse; return its number, −1 if there is none.

    slope: of its polynomial.

    Writes: work.
    """
    a, b = model.coupling_body[c, 0], model.coupling_body[c, 1]
    n = scalar_rows.open_row(model, work, model.coupling_slot[c] + kind, a, b)
    if n < 0:
        return n
    for k in range(model.coupling_term[c, 0], model.coupling_term[c, 1]):
        by = model.term_factor[k] * couplings.part_slope(model.term_part[k], slope)
        scalar_rows.add_dof(model, work, n, model.term_side[k], model.term_dof[k], by)
    for k in range(model.coupling_path[c, 0], model.coupling_path[c, 1]):
        if work.segment_next[k] < 0:
            continue
        by = couplings.part_slope(model.element_part[k], slope)
        add_segment_pull(model, work, n, k, 0, model.element_side[k], by)
        add_segment_pull(model, work, n, k, 1, model.element_side[work.segment_next[k]], by)
    scalar_rows.close_row(model, work, n, target, lower, upper, 0.0)
    return n if work.scalar_count[0] > n else -1


@kernel
def coupling_reach(model, state, settings, work, c, slope):
    """Return the distance from a stop of coupling c within which it has a row, as `stop_reach` of joints."""
    speed = abs(couplings.coupling_speed(model, work, state.v, c, slope))
    if work.prediction_rounds[0] > 0:
        speed = max(speed, abs(couplings.coupling_speed(model, work, work.next_v, c, slope)))
    width = model.coupling_range[c, 1] - model.coupling_range[c, 0]
    return 2.0 * settings.dt * speed + 0.02 * min(1.0, width)


@kernel
def add_coupling_stops(model, state, settings, work, c, phi, slope):
    """Append the stops of a coupling that this step can reach, as those of joints.

    Writes: work.
    """
    lower, upper = model.coupling_range[c, 0], model.coupling_range[c, 1]
    far = coupling_reach(model, state, settings, work, c, slope)
    for side in range(2):
        sign = 1.0 if side == 0 else -1.0
        gap = phi - lower if side == 0 else upper - phi
        if not gap <= far:
            continue
        target = sign * stop_target(settings, gap)
        least, most = (0.0, inf) if side == 0 else (-inf, 0.0)
        n = add_coupling_row(model, work, c, CouplingSlot.HOLD, slope, target, least, most)
        if n >= 0:
            work.scalar_shift[n] = sign * gap_correction(settings, gap)


@kernel
def add_coupling_spring(model, settings, work, c, phi, slope):
    """Append the spring, the damping and the armature of a coupling.

    Between two rest lengths the spring is slack: the nearer one counts, with a one-sided force.

    Writes: work.
    """
    k, d, m = model.coupling_stiffness[c], model.coupling_damping[c], model.coupling_inertia[c]
    low, high = model.coupling_rest[c, 0], model.coupling_rest[c, 1]
    if d > 0.0 or m > 0.0:
        n = add_coupling_row(model, work, c, CouplingSlot.DAMPER, slope, 0.0, -inf, inf)
        if n >= 0:
            set_law(settings, work, n, 0.0, 0.0, d, m)
    if k <= 0.0:
        return
    least, most, rest = -inf, inf, low
    if low < high:
        is_high = phi > 0.5 * (low + high)
        rest = high if is_high else low
        least, most = (-inf, 0.0) if is_high else (0.0, inf)
    n = add_coupling_row(model, work, c, CouplingSlot.SPRING, slope, 0.0, least, most)
    if n >= 0:
        set_spring(settings, work, n, phi - rest, k, 0.0)


@kernel
def write_coupling_rows(model, state, settings, work):
    """Write the rows of all couplings.

    Writes: work.
    """
    for c in range(model.coupling_slot.shape[0]):
        t = model.body_tree[model.coupling_body[c, 0]]
        if model.tree_kind[t] != Kind.DYNAMIC or work.tree_is_resting[t] == 1:
            continue
        tendon_paths.route_tendon(model, work, c)
        phi, slope = couplings.coupling_at(model, work, work.mid_q, c)
        if model.coupling_range[c, 0] == model.coupling_range[c, 1]:
            n = add_coupling_row(model, work, c, CouplingSlot.HOLD, slope, 0.0, -inf, inf)
            if n >= 0:
                gap, most = phi - model.coupling_range[c, 0], settings.max_push_out_speed
                work.scalar_shift[n] = min(max(-gap * settings.erp / settings.dt, -most), most)
        elif model.coupling_range[c, 0] > -inf or model.coupling_range[c, 1] < inf:
            add_coupling_stops(model, state, settings, work, c, phi, slope)
        friction = settings.dt * model.coupling_friction[c]
        if friction > 0.0:
            add_coupling_row(model, work, c, CouplingSlot.FRICTION, slope, 0.0, -friction, friction)
        add_coupling_spring(model, settings, work, c, phi, slope)
        k, d = work.coupling_drive[c, CouplingDrive.STIFFNESS], work.coupling_drive[c, CouplingDrive.DAMPING]
        if k != 0.0 or d != 0.0:  # actuators: F − k φ − d φ̇ within their bounds
            lower = settings.dt * min(work.coupling_drive[c, CouplingDrive.LEAST], 0.0)
            upper = settings.dt * max(work.coupling_drive[c, CouplingDrive.MOST], 0.0)
            n = add_coupling_row(model, work, c, CouplingSlot.DRIVE, slope, 0.0, lower, upper)
            if n >= 0:
                push = work.coupling_drive[c, CouplingDrive.FORCE] - k * phi
                set_law(settings, work, n, push, k, d, 0.0)
