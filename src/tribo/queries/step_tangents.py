"""Derivatives of one step by coordinates, velocities and joint forces, from what the step has left in `Work`.

The step has found v⁺ and λ with

    M̂ (v⁺ − v) + dt (h(q_m, v̄) − τ) − Jᵀ λ = 0   and the laws of the rows that act,

so the implicit function theorem gives δv⁺ and δλ: one linear system, with a column for each input. A point that
sticks has J_t v⁺ + β = 0, one that slips λ_t + μ λ_n w/‖w‖ = 0, each that presses J_n v⁺ = its target.
Whatever acts in a step besides is an obstacle: then there is no answer. Equation of motion, rows and the way are
evaluated at the step's own numbers, so that a stage that is not thought of here is an obstacle, too.
Source: implicit function theorem on the active set, Robinson 1980, "Strongly regular generalized equations".
"""

from enum import IntEnum
from math import inf, sqrt

from tribo.compiler.jit import entry, kernel
from tribo.compiler.lanes import load4, store4
from tribo.contact.problem.contact_targets import (
    NOTHING,
    gap_correction,
    rest_target,
    step_speed,
    without,
)
from tribo.contact.problem.scalar_rows import tie_of
from tribo.contact.problem.whitened_products import shared_dofs
from tribo.dynamics import inertia, kinematics
from tribo.dynamics.actuation import form_weights
from tribo.dynamics.articulated import dof_count
from tribo.enums import DriveForm
from tribo.math import quat, vec
from tribo.model import Course, Integrator, Joint, Kind, Pair, Slot
from tribo.queries.contact_tangents import (
    ZERO,
    add_force_change,
    bend_change,
    body_change_by_q,
    body_change_by_v,
    body_motion_at,
    ends,
    force_row,
    is_known,
    moved_place,
    origin_of,
    pushed_ends,
    relative_change,
    surfaces_of,
)
from tribo.queries.tree_tangents import (
    collect_bodies,
    differentiate_dofs,
    drift_tangents,
    inverse_dynamics_tangents,
    inverse_turn,
    move_bodies,
)
from tribo.math import spatial


class Obstacle(IntEnum):
    """What keeps a step from having derivatives here; the place is a body, contact, dof or row."""

    NONE = 0
    ROOM = 1  # tables are too small: `Tangents.counts` says how large they have to be
    FREE_BODY = 2
    CONSTRAINT = 3
    TURNS_FAR = 4
    FLOATS = 5
    RESTS = 6
    COMPLIANT = 7
    AHEAD = 8
    REBOUND = 9
    ROLLING = 10
    STATIC_FRICTION = 11
    SURFACES = 12
    CARRIER = 13
    BOX_FRICTION = 14
    OVERLAP = 15
    JOINT_ROW = 16
    AT_STOP = 17
    BORNE = 18
    MISMATCH = 19
    BORDER = 20
    SAG = 21


(ROOM, FREE_BODY, CONSTRAINT, TURNS_FAR, FLOATS, RESTS, COMPLIANT, AHEAD, REBOUND, ROLLING, STATIC_FRICTION,
 SURFACES, CARRIER, BOX_FRICTION, OVERLAP, JOINT_ROW, AT_STOP, BORNE, MISMATCH, BORDER, SAG) = range(1, 22)  # fmt: skip
CONTACTS, SCALARS, ROWS, COLUMNS, REDUNDANT, OBSTACLE, PLACE = range(7)  # entries of `Tangents.counts`

SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
RK4 = int(Integrator.RK4)
DYNAMIC = int(Kind.DYNAMIC)
SPHERICAL = int(Joint.SPHERICAL)
FREE = int(Joint.FREE)
SETTLED = int(Course.SETTLED)
TRAPEZOID = int(DriveForm.TRAPEZOID)
LIMIT, FRICTION = int(Slot.LIMIT), int(Slot.FRICTION)
PAIR_FRICTION, STATIC = int(Pair.FRICTION), int(Pair.STATIC_FRICTION)

TOUCHES = 1e-9  # [m, rad] gap within which a contact touches: its target has a corner at 0
FREELY = 1e-9  # [–] of its bound by which an impulse must be inside it to stick
AGREES = 1e-7  # [–] of the forces in the step by which its equations may be missed
REDUNDANT_PIVOT = 1e-10  # [–] of the largest number of a row that is left of it: it says nothing new


@kernel
def object_to(tangents, obstacle, place):
    """Note an obstacle, the first one.

    Writes: tangents.
    """
    if tangents.counts[OBSTACLE] == 0:
        tangents.counts[OBSTACLE] = obstacle
        tangents.counts[PLACE] = place


@kernel
def differs(a, b, size):
    """Tell whether two numbers differ by more than rounding of numbers of a size."""
    return not abs(a - b) <= 1e-12 * (size + abs(a) + abs(b))


@kernel
def check_trees(model, state, command, settings, work, tangents):
    """Note trees whose step is more than one solve at one h.

    Writes: tangents.
    """
    half = 0.0 if settings.integrator == SEMI_IMPLICIT else 0.5 * settings.dt
    if model.constraint_kind.shape[0] > 0:
        object_to(tangents, CONSTRAINT, 0)
    if settings.integrator == RK4 or work.impact_count[0] > 0:
        object_to(tangents, TURNS_FAR if settings.integrator == RK4 else REBOUND, 0)
    for t in range(model.tree_body.shape[0]):
        root = model.tree_body[t]
        if model.tree_kind[t] != DYNAMIC or model.tree_nv[t] == 0:
            continue
        if model.tree_is_single[t] == 1:
            object_to(tangents, FREE_BODY, root)
        if work.tree_course[t] != SETTLED or work.tree_is_fourth[t] != 0 or work.bias_rounds[0] > 0:
            object_to(tangents, TURNS_FAR, root)
        if work.tree_is_struck[t] > 0:
            object_to(tangents, REBOUND, root)
        if work.tree_is_kept[t] != 0 and half > 0.0:
            object_to(tangents, FLOATS, root)
        if state.tree_is_asleep[t] > 0 or work.tree_is_resting[t] > 0:
            object_to(tangents, RESTS, root)
        for i in range(root, root + model.tree_body_count[t]):
            if model.body_support[i] != 0.0:
                object_to(tangents, BORNE, i)
    for dof in range(model.dof_body.shape[0]):
        if model.dof_is_moved[dof] == 0:
            continue
        vdot = tangents.start_vdot[dof]
        more = half * (vdot + 0.75 * (vdot - tangents.start_vdot_before[dof]))
        if differs(work.mid_v[dof], tangents.start_v[dof] + more, abs(more)):
            object_to(tangents, TURNS_FAR, model.dof_body[dof])
        if command.carries[dof] != 0:
            object_to(tangents, BORNE, model.dof_body[dof])
        if state.v[dof] != work.next_v[dof]:
            object_to(tangents, MISMATCH, model.dof_body[dof])


@kernel
def check_way(model, state, settings, work, tangents):
    """Note joints that the step moved otherwise than by its velocities, or whose last term is another one.

    Writes: tangents.
    """
    is_explicit = settings.integrator == SEMI_IMPLICIT
    after = settings.dt if is_explicit else 0.5 * settings.dt
    out = tangents.end_q
    for i in range(model.body_parent.shape[0]):
        t = model.body_tree[i]
        joint = model.joint_type[i]
        if model.tree_kind[t] != DYNAMIC or model.tree_is_single[t] == 1 or dof_count(joint) == 0:
            continue
        if joint == SPHERICAL and not is_explicit:
            kinematics.drift_ball(model, i, work.mid_q, work.next_v, state.vdot, settings.dt, out)
            for dof in range(model.joint_v[i], model.joint_v[i] + 3):
                last = (work.next_v[dof] - tangents.start_v[dof]) / settings.dt
                if differs(state.vdot[dof], last, 1e-6 * abs(last)):
                    object_to(tangents, TURNS_FAR, i)
        else:
            kinematics.drift_joint(model, i, work.mid_q, work.next_v, after, out)
        first = model.joint_q[i]
        count = dof_count(joint) + (1 if joint == SPHERICAL or joint == FREE else 0)
        for k in range(first, first + count):
            if differs(out[k], state.q[k], 1.0):
                object_to(tangents, OVERLAP, i)


@kernel
def choose_contacts(model, settings, work, tangents):
    """List the contacts that press; note those whose rows are not known here, and those that may begin to press.

    Writes: tangents.
    """
    count = 0
    least = step_speed(settings)
    for c in range(work.contact_count[0]):
        a, b = work.contact_body[c, 0], work.contact_body[c, 1]
        if work.contact_is_soft[c] != 0:
            object_to(tangents, COMPLIANT, c)
        if work.contact_is_resting[c] == 1:
            object_to(tangents, RESTS, a)
        if work.contact_correction[c] > NOTHING * least:
            object_to(tangents, OVERLAP, a)
        if work.contact_impulse[c, 2] <= 0.0:
            continue
        for k in range(3):
            if work.contact_compliance[c, k] != 0.0:
                object_to(tangents, COMPLIANT, c)
        if work.contact_bounce[c] > 0.0:
            object_to(tangents, REBOUND, c)
        if work.contact_is_spun[c] == 1:
            object_to(tangents, ROLLING, c)
        if work.contact_pull[c] > 0.0:
            object_to(tangents, COMPLIANT, c)
        if work.contact_travel[c, 0] != 0.0 or work.contact_travel[c, 1] != 0.0:
            object_to(tangents, AHEAD, c)
        if work.contact_travel[c, 2] != 0.0 or work.contact_travel[c, 3] != 0.0:
            object_to(tangents, AHEAD, c)
        for side in range(2):
            body = work.contact_body[c, side]
            if model.body_chain_len[body] > 0 and work.contact_len[c, side] == 0:
                object_to(tangents, CARRIER, body)
        ha, hb = surfaces_of(model, work, c)
        if not (is_known(ha) and is_known(hb)) or (ha[0] == 1 and hb[0] == 1):
            object_to(tangents, SURFACES, c)
        elif ha[0] != 1 and hb[0] != 1 and not ha[1] + hb[1] + work.contact_gap[c] > 1e-9:
            object_to(tangents, SURFACES, c)
        x, y, z = vec.load(work.contact_impulse, c)
        bound = work.contact_friction[c] * z
        tangents.contact[count] = c
        tangents.slips[count] = 0
        if x * x + y * y >= bound * bound * (1.0 - FREELY):
            tangents.slips[count] = 1
            table = model.pair_table
            one = model.shape_material[work.contact_shape[c, 0]]
            other = model.shape_material[work.contact_shape[c, 1]]
            if table[one, other, STATIC] != table[one, other, PAIR_FRICTION]:
                object_to(tangents, STATIC_FRICTION, c)
        gap_slopes(settings, work, tangents, count, work.contact_gap[c] + work.contact_sag[c])
        if work.contact_sag[c] != 0.0:
            check_sag(settings, work, tangents, c)
        count += 1
    if work.friction_count[0] > 0:
        object_to(tangents, BOX_FRICTION, 0)
    tangents.counts[CONTACTS] = count


@kernel
def check_sag(settings, work, tangents, c):
    """Note a contact that sags as far as another one of its pair.

    Writes: tangents.
    """
    own = -0.25 * settings.dt * work.contact_drift[c, 2]
    if differs(own, work.contact_sag[c], 0.0):
        object_to(tangents, SAG, c)


@kernel
def gap_slopes(settings, work, tangents, k, gap):
    """Write how the target velocity of a contact falls with its gap, where that grows and where it falls.

    An open gap may close, g + dt w ≥ 0; what overlaps opens by a part `erp` of it.

    Writes: tangents.
    """
    opens = -1.0 / settings.dt
    closes = -settings.erp / settings.dt
    grows = falls = opens
    if gap < -TOUCHES:
        grows = falls = closes if work.contact_target[tangents.contact[k]] > -inf else 0.0
    elif gap <= TOUCHES:
        falls = closes
    tangents.gap_slope[k, 0] = grows
    tangents.gap_slope[k, 1] = falls


@kernel
def choose_scalars(model, settings, work, tangents):
    """List the scalar rows that act: stops that press, dry friction that holds; note all others.

    Writes: tangents.
    """
    count = 0
    for n in range(work.scalar_count[0]):
        impulse = work.scalar_impulse[n]
        lower, upper = work.scalar_lower[n], work.scalar_upper[n]
        i = work.scalar_body[n, 0]
        if tie_of(model, work, n) >= 0 or work.scalar_len[n, 1] > 0:
            object_to(tangents, CONSTRAINT, n)
            continue
        place = work.scalar_slot[n] - model.joint_slot[i]
        dof = model.joint_v[i]
        turns = dof_count(model.joint_type[i])
        is_stop = place == LIMIT and turns == 1
        is_dry = FRICTION <= place < FRICTION + turns
        if is_dry:
            dof += place - FRICTION
        if work.scalar_shift[n] != 0.0:
            object_to(tangents, OVERLAP, i)
        if impulse == 0.0 and not is_dry:
            continue  # a stop that is not reached
        if not (is_stop or is_dry) or work.scalar_compliance[n] > 0.0:
            object_to(tangents, JOINT_ROW, i)
            continue
        if impulse <= lower * (1.0 - FREELY) and lower < 0.0 or impulse >= upper * (1.0 - FREELY) and upper > 0.0:
            if is_stop:
                object_to(tangents, JOINT_ROW, i)
            continue  # it slips: a constant force
        slope = 0.0
        if is_stop:
            q = work.mid_q[model.joint_q[i]]
            gap = q - model.joint_lower[i] if impulse > 0.0 else model.joint_upper[i] - q
            if abs(gap) <= TOUCHES:
                object_to(tangents, AT_STOP, i)
            if gap > 0.0:
                slope = -1.0 / settings.dt
        tangents.scalar[count] = n
        tangents.scalar_dof[count] = dof
        tangents.scalar_slope[count] = slope
        count += 1
    tangents.counts[SCALARS] = count


@kernel
def take_forces(model, command, settings, work, tangents, at_q, at_v, at_tau):
    """Add to the system what drives, springs and dampers do.

    Writes: tangents.
    """
    dt = settings.dt
    a, b, _ = form_weights(TRAPEZOID, settings.integrator)
    for i in range(model.body_parent.shape[0]):
        first = model.joint_v[i]
        count = dof_count(model.joint_type[i])
        straight = count
        if model.joint_type[i] == SPHERICAL:
            straight = 0
        elif model.joint_type[i] == FREE:
            straight = 3
        for dof in range(first, first + count):
            if model.dof_is_moved[dof] == 0:
                tangents.system[dof, dof] = 1.0  # it goes its own way
                continue
            tangents.system[dof, dof] += model.dof_armature[dof] + work.drive_inertia[dof]
            follows = work.drive_mode[dof] == 0
            kp = command.kp[dof] if follows else 0.0
            kd = command.kd[dof] if follows else 0.0
            k = model.dof_stiffness[dof]
            da, db, _ = form_weights(command.drive_form[dof], settings.integrator)
            loss = model.dof_damping[dof] + kd + dt * (k * (a + b) + kp * (da + db))
            tangents.system[dof, at_v + dof] -= dt * loss
            if follows:
                tangents.system[dof, at_tau + dof] = dt
            if work.drive_mode[dof] == 2 or work.drive_mode[dof] == -2:
                object_to(tangents, JOINT_ROW, i)
            if dof < first + straight:
                tangents.system[dof, at_q + dof] -= dt * (k + kp)
        if straight < count:
            turn_forces(model, command, settings, work, tangents, first + straight, at_q)


@kernel
def turn_forces(model, command, settings, work, tangents, first, at_q):
    """Add to the system what springs and drives of three dofs that turn do with their rotation.

    Writes: tangents.
    """
    dt = settings.dt
    wanted = vec3(work.drive_error, first)
    rest = vec3(work.spring_error, first)
    for j in range(3):
        e = (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2))
        x = inverse_turn(wanted, e)
        y = inverse_turn(rest, e)
        for r in range(3):
            dof = first + r
            if model.dof_is_moved[dof] == 0:
                continue
            kp = command.kp[dof] if work.drive_mode[dof] == 0 else 0.0
            change = kp * x[r] + model.dof_stiffness[dof] * y[r]
            tangents.system[dof, at_q + first + j] -= dt * change


@kernel
def vec3(array, k):
    """Return three numbers of a line of them."""
    return (array[k], array[k + 1], array[k + 2])


@kernel
def take_masses(model, tangents, at_v):
    """Copy M̂ into the columns of the velocity before the step.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    for k in range(n):
        for j in range(n):
            tangents.system[k, at_v + j] += tangents.system[k, j]


@kernel
def take_wrenches(model, settings, work, tangents, at_q):
    """Add to the system what external wrenches do as bodies move, and write Jacobians of the centres of mass.

    Writes: tangents.
    """
    for i in range(model.body_parent.shape[0]):
        t = model.body_tree[i]
        if model.tree_kind[t] != DYNAMIC or model.tree_is_single[t] == 1:
            continue
        com = vec.mat_vec(vec.load_mat(work.body_rot, i), vec.load(model.body_com, i))
        place = vec.add(vec.load(work.body_pos, i), com)
        arm = vec.sub(place, origin_of(model, work, i))
        chain = model.body_chain_start[i]
        torque = (tangents.wrench[i, 0], tangents.wrench[i, 1], tangents.wrench[i, 2])
        force = (tangents.wrench[i, 3], tangents.wrench[i, 4], tangents.wrench[i, 5])
        acts = vec.dot(torque, torque) + vec.dot(force, force) > 0.0
        for p in range(model.body_chain_len[i]):
            j = model.chain_dof[chain + p]
            s = spatial.load(work.dof_axis, j)
            moved = vec.add((s[3], s[4], s[5]), vec.cross((s[0], s[1], s[2]), arm))
            for r in range(3):
                tangents.com_rows[i, r, j] = s[r]
                tangents.com_rows[i, 3 + r, j] = moved[r]
            if acts:
                push = vec.scale(settings.dt, force)
                add_force_change(
                    model, work, tangents, i, j, True, push, place, ZERO, moved, at_q + j
                )
                add_torque_change(model, work, tangents, i, j, vec.scale(settings.dt, torque), at_q + j)


@kernel
def add_torque_change(model, work, tangents, body, j, torque, column):
    """Add to a column what the dofs of a body feel of a torque otherwise as coordinate j moves their axes.

    Writes: tangents.
    """
    axis = spatial.load(work.dof_axis, j)
    chain = model.body_chain_start[body]
    wrench = (torque[0], torque[1], torque[2], 0.0, 0.0, 0.0)
    for p in range(model.body_chain_len[body]):
        k = model.chain_dof[chain + p]
        if model.dof_depth[k] > model.dof_depth[j] and model.dof_body[k] != model.dof_body[j]:
            s = spatial.load(work.dof_axis, k)
            tangents.system[k, column] += spatial.dot(spatial.cross_motion(axis, s), wrench)


@kernel
def write_rows(model, work, tangents, at, c):
    """Write J of contact c into three rows from `at` on, and −Jᵀ into the columns of its impulse.

    Writes: tangents.
    """
    axes = vec.load_mat(work.contact_axes, c)
    pa, pb = pushed_ends(work, c)
    for side in range(2):
        body = work.contact_body[c, side]
        arm = vec.sub(pa if side == 0 else pb, origin_of(model, work, body))
        sign = 1.0 if side == 0 else -1.0
        chain = model.body_chain_start[body]
        for p in range(model.body_chain_len[body]):
            k = model.chain_dof[chain + p]
            for r in range(3):
                axis = (sign * axes[3 * r], sign * axes[3 * r + 1], sign * axes[3 * r + 2])
                x = force_row(work, k, axis, arm)
                tangents.system[at + r, k] += x
                tangents.system[k, at + r] -= x


@kernel
def contact_direction(model, settings, work, tangents, place, at, c, j, has_a, has_b, surfaces, motions, force):
    """Write how the rows of contact c change with coordinate and velocity j.

    place: its number among those that press, at: its first row; motions: of both bodies at the point; force:
    on A.

    Writes: tangents.
    """
    ha, hb = surfaces
    n_v = model.dof_body.shape[0]
    rows = tangents.counts[ROWS]
    at_q = filled_up(rows)
    still = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    axis = spatial.load(work.dof_axis, j)
    axes = vec.load_mat(work.contact_axes, c)
    n = (axes[6], axes[7], axes[8])
    one, other = work.contact_body[c, 0], work.contact_body[c, 1]
    turned, da, db, opened = moved_place(
        model, work, c, ha, hb, axis if has_a else still, axis if has_b else still
    )
    turn = vec.cross(n, turned)
    middle = vec.scale(0.5, vec.add(da, db))
    pa, pb = pushed_ends(work, c)
    if work.contact_len[c, 0] > 0 and work.contact_len[c, 1] > 0:
        da = db = middle
    changed = vec.cross(turn, force)
    if work.contact_len[c, 0] > 0:
        add_force_change(model, work, tangents, one, j, has_a, force, pa, changed, da, at_q + j)
    if work.contact_len[c, 1] > 0:
        add_force_change(
            model, work, tangents, other, j, has_b, vec.neg(force), pb, vec.neg(changed), db, at_q + j
        )
    faster = relative_change(
        model, work, tangents.end_twist, c, j, has_a, has_b, turn, (pa, pb), (da, db)
    )
    bent = by_v = by_mean = ZERO
    beta = vec.load(work.contact_drift, c)
    if beta[0] != 0.0 or beta[1] != 0.0 or beta[2] != 0.0:
        p = vec.load(work.contact_pos, c)
        v = vec.load(work.contact_vel, c)
        gap = work.contact_gap[c]
        start = relative_change(
            model, work, tangents.start_twist, c, j, has_a, has_b, turn, (pa, pb), (da, db)
        )
        by_one = body_change_by_q(model, work, tangents, one, j, has_a, p, middle)
        by_other = body_change_by_q(model, work, tangents, other, j, has_b, p, middle)
        bent = bend_change(
            settings, axes, ha, hb, motions[0], motions[1], v, gap, turn, by_one, by_other, start, opened
        )
        by_one = body_change_by_v(model, work, tangents, one, j, has_a, p)
        by_other = body_change_by_v(model, work, tangents, other, j, has_b, p)
        by_mean = bend_change(
            settings, axes, ha, hb, motions[0], motions[1], v, gap, ZERO, by_one, by_other, ZERO, 0.0
        )
        row = (
            tangents.system[at, j], tangents.system[at + 1, j], tangents.system[at + 2, j]
        )  # fmt: skip
        still4 = (ZERO, ZERO, ZERO, ZERO)
        by_v = bend_change(
            settings, axes, ha, hb, motions[0], motions[1], v, gap, ZERO, still4, still4, row, 0.0
        )
    for r in range(3):
        tangents.system[at + r, at_q + j] -= faster[r] + bent[r]
        tangents.system[at + r, at_q + n_v + j] -= by_v[r]
        tangents.system[at + r, at_q + 2 * n_v + j] -= by_mean[r]
    sag = 0.0 if settings.integrator == SEMI_IMPLICIT else -0.25 * settings.dt
    tangents.gap_by_q[place, j] = opened + sag * bent[2]
    tangents.gap_by_v[place, j] = sag * by_v[2]
    tangents.gap_by_mean[place, j] = sag * by_mean[2]


@kernel
def take_contact(model, settings, work, tangents, place, at):
    """Write the rows of a contact that presses, and how they change.

    Writes: tangents.
    """
    c = tangents.contact[place]
    write_rows(model, work, tangents, at, c)
    axes = vec.load_mat(work.contact_axes, c)
    force = vec.mat_t_vec(axes, vec.load(work.contact_impulse, c))
    one, other = work.contact_body[c, 0], work.contact_body[c, 1]
    p = vec.load(work.contact_pos, c)
    motions = (
        body_motion_at(model, settings, work, tangents, one, p),
        body_motion_at(model, settings, work, tangents, other, p),
    )
    surfaces = surfaces_of(model, work, c)
    for j in range(model.dof_body.shape[0]):
        tangents.gap_by_q[place, j] = 0.0
        tangents.gap_by_v[place, j] = 0.0
        tangents.gap_by_mean[place, j] = 0.0
    shared = shared_dofs(model, one, other)
    chain = model.body_chain_start[one]
    for k in range(model.body_chain_len[one]):
        j = model.chain_dof[chain + k]
        contact_direction(
            model, settings, work, tangents, place, at, c, j, True, k < shared, surfaces, motions, force
        )
    chain = model.body_chain_start[other]
    for k in range(shared, model.body_chain_len[other]):
        j = model.chain_dof[chain + k]
        contact_direction(
            model, settings, work, tangents, place, at, c, j, False, True, surfaces, motions, force
        )


@kernel
def bend_slip(model, work, tangents, place, at):
    """Turn the tangential rows of a contact that slips into λ_t + μ λ_n w/‖w‖ = 0, linearised.

    Writes: tangents.
    """
    c = tangents.contact[place]
    u, v = slip_of(model, work, tangents, at, c)
    size = sqrt(u * u + v * v)
    if not size > 0.0:
        object_to(tangents, BORDER, c)
        return
    u /= size
    v /= size
    rate = work.contact_friction[c] * work.contact_impulse[c, 2] / size
    for k in range(tangents.counts[COLUMNS]):
        x, y = tangents.system[at, k], tangents.system[at + 1, k]
        across = v * x - u * y
        tangents.system[at, k] = rate * v * across
        tangents.system[at + 1, k] = -rate * u * across
    tangents.system[at, at] += 1.0
    tangents.system[at + 1, at + 1] += 1.0
    tangents.system[at, at + 2] += work.contact_friction[c] * u
    tangents.system[at + 1, at + 2] += work.contact_friction[c] * v


@kernel
def slip_of(model, work, tangents, at, c):
    """Return the velocity with which contact c ends the step along its tangents."""
    u, v = work.contact_drift[c, 0], work.contact_drift[c, 1]
    for k in range(model.dof_body.shape[0]):
        u += tangents.system[at, k] * work.next_v[k]
        v += tangents.system[at + 1, k] * work.next_v[k]
    return u, v


@kernel
def check_contact(model, settings, work, tangents, place, at):
    """Note a contact whose rows do not end the step as its law says, or which may end to do so.

    Writes: tangents.
    """
    c = tangents.contact[place]
    u, v = slip_of(model, work, tangents, at, c)
    gap = work.contact_gap[c] + work.contact_sag[c]
    wanted = rest_target(gap, settings)
    if gap < 0.0:
        wanted = without(gap_correction(settings, gap), NOTHING * step_speed(settings))
    wanted -= work.contact_drift[c, 2]
    if differs(wanted, work.contact_target[c], abs(work.contact_vel[c, 2])):
        object_to(tangents, MISMATCH, c)
    normal = 0.0
    size = step_speed(settings) + abs(work.contact_target[c])
    for k in range(model.dof_body.shape[0]):
        x = tangents.system[at + 2, k] * work.next_v[k]
        normal += x
        size += abs(x)
    if not abs(normal - work.contact_target[c]) <= AGREES * size:
        object_to(tangents, MISMATCH, c)
    if tangents.slips[place] == 0:
        if not sqrt(u * u + v * v) <= AGREES * size:
            object_to(tangents, MISMATCH, c)
    elif not sqrt(u * u + v * v) > AGREES * size:
        object_to(tangents, BORDER, c)


@kernel
def check_motion(model, settings, work, tangents):
    """Note a dof whose equation of motion does not hold at the velocity and the impulses that were found.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    contacts, scalars = tangents.counts[CONTACTS], tangents.counts[SCALARS]
    dt = settings.dt
    for k in range(n):
        if model.dof_is_moved[k] == 0 or model.tree_is_single[model.body_tree[model.dof_body[k]]] == 1:
            continue
        extra = model.dof_armature[k] + work.drive_inertia[k]
        s = spatial.load(work.dof_axis, k)
        needed = spatial.dot(s, spatial.load(tangents.force, model.dof_body[k]))
        x = dt * (needed - work.drive_force[k]) + extra * dt * tangents.vdot[k]
        size = dt * (abs(needed) + abs(work.drive_force[k]) + abs(work.bias_force[k]))
        for j in range(n):
            size += abs(tangents.system[k, j] * work.next_v[j])
        for m in range(contacts):
            for r in range(3):
                push = tangents.system[k, n + 3 * m + r] * work.contact_impulse[tangents.contact[m], r]
                x += push
                size += abs(push)
        for m in range(work.scalar_count[0]):
            i = work.scalar_body[m, 0]
            place = work.scalar_slot[m] - model.joint_slot[i]
            dof = model.joint_v[i] + (place - FRICTION if place >= FRICTION else 0)
            if dof == k:
                x -= work.scalar_impulse[m]
                size += abs(work.scalar_impulse[m])
        if not abs(x) <= AGREES * size:
            object_to(tangents, MISMATCH, model.dof_body[k])
    if scalars < 0:
        object_to(tangents, MISMATCH, 0)


@kernel
def take_scalar(model, tangents, place, at, at_q):
    """Write the row of a stop that presses, or of dry friction that holds.

    Writes: tangents.
    """
    dof = tangents.scalar_dof[place]
    tangents.system[at, dof] = 1.0
    tangents.system[dof, at] = -1.0
    tangents.system[at, at_q + dof] = tangents.scalar_slope[place]


@kernel
def filled_up(count):
    """Return the next multiple of four."""
    return 4 * ((count + 3) // 4)


@kernel
def eliminate(tangents, rows, columns):
    """Solve the system in place, by elimination with the largest pivot of a column.

    A row of which nothing is left says nothing new: its impulse does not change, and what it asks for besides
    stays in `lack`.

    Writes: tangents.
    """
    a = tangents.system
    width = a.shape[1]
    inputs = filled_up(rows)
    tangents.counts[REDUNDANT] = 0
    for r in range(rows):
        tangents.order[r] = r
    for p in range(rows):
        best, at = 0.0, p
        for r in range(p, rows):
            x = abs(a[tangents.order[r], p])
            if x > best:
                best, at = x, r
        row = tangents.order[at]
        tangents.order[at] = tangents.order[p]
        tangents.order[p] = row
        if not best > REDUNDANT_PIVOT:
            tangents.counts[REDUNDANT] += 1
            for k in range(inputs, columns):
                tangents.lack[p, k] = a[row, k]
            for k in range(columns):
                a[row, k] = 0.0
            a[row, p] = 1.0
            continue
        inverse = 1.0 / a[row, p]
        first = 4 * (p // 4)
        for r in range(p + 1, rows):
            there = tangents.order[r]
            x = a[there, p] * inverse
            if x == 0.0:
                continue
            i, j = row * width, there * width
            for k in range(first, columns, 4):
                store4(a, j + k, load4(a, j + k) - load4(a, i + k) * x)
    for p in range(rows - 1, -1, -1):
        row = tangents.order[p]
        inverse = 1.0 / a[row, p]
        i = row * width
        for k in range(inputs, columns, 4):
            store4(a, i + k, load4(a, i + k) * inverse)
        for r in range(p):
            there = tangents.order[r]
            x = a[there, p]
            if x == 0.0:
                continue
            j = there * width
            for k in range(inputs, columns, 4):
                store4(a, j + k, load4(a, j + k) - load4(a, i + k) * x)
    for p in range(rows):
        i, j = tangents.order[p] * width, p * width
        for k in range(inputs, columns, 4):
            store4(tangents.answer, j + k, load4(a, i + k))


@kernel
def clear(tangents, rows, columns):
    """Write zeros into the system.

    Writes: tangents.
    """
    for r in range(rows):
        for k in range(columns):
            tangents.system[r, k] = 0.0
            tangents.lack[r, k] = 0.0


@entry
def step_tangents(model, state, command, settings, work, tangents):
    """Write derivatives of the step that was made last; `Tangents.counts` says where there are none, and why.

    Writes: work, tangents.
    """
    n = model.dof_body.shape[0]
    for k in range(tangents.counts.shape[0]):
        tangents.counts[k] = 0
    check_trees(model, state, command, settings, work, tangents)
    if work.contact_count[0] + work.scalar_count[0] > tangents.contact.shape[0]:
        object_to(tangents, ROOM, 0)
        tangents.counts[ROWS] = n + 3 * work.contact_count[0] + work.scalar_count[0]
        return
    kinematics.forward(model, work.mid_q, work)
    inertia_of_trees(model, work)
    check_way(model, state, settings, work, tangents)
    choose_contacts(model, settings, work, tangents)
    choose_scalars(model, settings, work, tangents)
    contacts, scalars = tangents.counts[CONTACTS], tangents.counts[SCALARS]
    rows = n + 3 * contacts + scalars
    at_q = filled_up(rows)
    columns = filled_up(at_q + 4 * n + contacts)
    tangents.counts[ROWS] = rows
    tangents.counts[COLUMNS] = columns
    if rows > tangents.system.shape[0] or columns > tangents.system.shape[1]:
        tangents.counts[OBSTACLE] = ROOM
        return
    if tangents.counts[OBSTACLE] != 0:
        return
    clear(tangents, rows, columns)
    for k in range(n):
        tangents.vdot[k] = (work.next_v[k] - tangents.start_v[k]) / settings.dt
    move_bodies(model, settings, work, tangents)
    collect_bodies(model, work, tangents)
    differentiate_dofs(model, work, tangents)
    inverse_dynamics_tangents(model, settings, work, tangents, at_q, at_q + 2 * n)
    take_forces(model, command, settings, work, tangents, at_q, at_q + n, at_q + 3 * n)
    take_masses(model, tangents, at_q + n)
    take_wrenches(model, settings, work, tangents, at_q)
    for m in range(contacts):
        take_contact(model, settings, work, tangents, m, n + 3 * m)
        check_contact(model, settings, work, tangents, m, n + 3 * m)
        tangents.system[n + 3 * m + 2, at_q + 4 * n + m] = 1.0
    for m in range(scalars):
        take_scalar(model, tangents, m, n + 3 * contacts + m, at_q)
    check_motion(model, settings, work, tangents)
    for m in range(contacts):
        if tangents.slips[m] == 1:
            bend_slip(model, work, tangents, m, n + 3 * m)
    if tangents.counts[OBSTACLE] != 0:
        return
    drift_tangents(model, state, settings, work, tangents)
    eliminate(tangents, rows, columns)


@kernel
def inertia_of_trees(model, work):
    """Write the inertias of all bodies of robots in world axes.

    Writes: work.
    """
    for t in range(model.tree_body.shape[0]):
        if model.tree_is_single[t] == 0:
            inertia.body_inertias(model, work, model.tree_body[t], model.tree_body_count[t])
