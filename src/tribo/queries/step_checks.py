"""Which trees go through more in a step than one solve at one bias force: obstacles of `step_tangents`."""

from tribo.compiler.jit import kernel
from tribo.contact.stabilisation.group_momentum import momentum_group
from tribo.dynamics import integrate, kinematics
from tribo.dynamics.articulated import dof_count
from tribo.enums import Momentum
from tribo.math import spatial
from tribo.model import IntegrationMode, Integrator, Joint, Kind
from tribo.queries.tangents import Count, Obstacle, differs, object_to

EXTRAPOLATION = 0.75  # [–] of the difference of two accelerations, in `mid_velocity.predict_mid_velocity`
MEAN_TOLERANCE = 1e-10  # [–] of the largest velocity: admissible difference of v̄ between two rounds
SAME = 1e-6  # [–] of an acceleration: admissible difference of the stored one
AGREES = 1e-7  # [–] of the forces in the step: admissible residual of the equation of motion
ROUNDING = 1e-12  # [–] of the forces of all dofs: additional residual by round-off


@kernel
def is_kept(work, t):
    """Tell whether the momentum of tree t is kept, alone or with others."""
    return work.tree_is_kept[t] == Momentum.KEPT or momentum_group(work, t) >= 0


@kernel
def check_actuators(model, tangents):
    """Note ways of tendons, and actuators whose force depends on the state and is no row.

    Writes: tangents.
    """
    for c in range(model.coupling_path.shape[0]):
        if model.coupling_path[c, 0] < model.coupling_path[c, 1]:
            object_to(tangents, Obstacle.ACTUATOR, model.coupling_body[c, 0])
    for a in range(model.actuator_gear.shape[0]):
        c = model.actuator_coupling[a]
        is_known = c >= 0
        for part in range(2):
            is_known = is_known and model.actuator_is_muscle[a, part] == 0
            for k in range(1, 3):
                is_known = is_known and model.actuator_gain[a, k] == 0.0
                is_known = is_known and model.actuator_bias[a, k] <= 0.0
        if not is_known:
            b = model.coupling_body[c, 0] if c >= 0 else model.actuator_body[a]
            object_to(tangents, Obstacle.ACTUATOR, b)


@kernel
def check_mean(model, work, tangents, half):
    """Note trees whose h belongs to another v̄ than the prediction, or than the round before leads to.

    In a first round write how v̄ changes with the accelerations of the last steps.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    is_first = tangents.stage[0] == 0
    most = 0.0
    for dof in range(n):
        most = max(most, abs(work.mid_v[dof]))
    for dof in range(n):
        vdot = tangents.start_vdot[dof]
        more = half * (vdot + EXTRAPOLATION * (vdot - tangents.start_vdot_before[dof]))
        if is_first:
            tangents.first_mean[dof] = work.mid_v[dof]
            tangents.first_mean_by[dof, 0] = tangents.first_mean_by[dof, 1] = 0.0
        if model.dof_is_moved[dof] == 0:
            continue
        if not is_first:
            if not abs(work.mid_v[dof] - tangents.mean[dof]) <= MEAN_TOLERANCE * most:
                object_to(tangents, Obstacle.FAST_ROTATION, model.dof_body[dof])
            continue
        if differs(work.mid_v[dof], tangents.start_v[dof] + more, abs(more)):
            object_to(tangents, Obstacle.ROUNDS, model.dof_body[dof])
        if model.tree_is_single[model.body_tree[model.dof_body[dof]]] == 0:
            tangents.first_mean_by[dof, 0] = half * (1.0 + EXTRAPOLATION)
            tangents.first_mean_by[dof, 1] = -half * EXTRAPOLATION


@kernel
def check_trees(model, state, command, settings, work, tangents):
    """Note trees whose step is more than one solve at one h.

    Writes: tangents.
    """
    half = 0.0 if settings.integrator == Integrator.SEMI_IMPLICIT else 0.5 * settings.dt
    is_last = tangents.stage[1] != 0
    if model.constraint_kind.shape[0] > 0:
        object_to(tangents, Obstacle.CONSTRAINT, 0)
    check_mean(model, work, tangents, half)
    if settings.integrator == Integrator.RK4 or work.impact_count[0] > 0:
        is_fourth = settings.integrator == Integrator.RK4
        object_to(tangents, Obstacle.FAST_ROTATION if is_fourth else Obstacle.REBOUND, 0)
    for t in range(model.tree_body.shape[0]):
        root = model.tree_body[t]
        if model.tree_kind[t] != Kind.DYNAMIC or model.tree_nv[t] == 0:
            continue
        mode = work.tree_mode[t]
        is_settled = mode == IntegrationMode.SETTLED or mode == IntegrationMode.NOT_SETTLED
        if not is_settled or work.tree_is_fourth[t] != 0:
            object_to(tangents, Obstacle.FAST_ROTATION, root)
        if work.tree_is_hit[t] > 0:
            object_to(tangents, Obstacle.REBOUND, root)
        if state.tree_is_asleep[t] > 0 or work.tree_is_resting[t] > 0:
            object_to(tangents, Obstacle.RESTS, root)
        for i in range(root, root + model.tree_body_count[t]):
            if model.body_support[i] != 0.0:
                object_to(tangents, Obstacle.BORNE, i)
    check_actuators(model, tangents)
    for dof in range(model.dof_body.shape[0]):
        if model.dof_is_moved[dof] == 0:
            continue
        if command.carries[dof] != 0:
            object_to(tangents, Obstacle.BORNE, model.dof_body[dof])
        t = model.body_tree[model.dof_body[dof]]
        is_base = is_kept(work, t) and dof < model.tree_v[t] + 6
        if is_last and not is_base and state.v[dof] != work.next_v[dof]:
            object_to(tangents, Obstacle.MISMATCH, model.dof_body[dof])


@kernel
def check_way(model, state, settings, work, tangents):
    """Note joints that the step moved otherwise than by its velocities, or whose last term is another one.

    Writes: tangents.
    """
    is_explicit = settings.integrator == Integrator.SEMI_IMPLICIT
    after = settings.dt if is_explicit else 0.5 * settings.dt
    out = tangents.end_q
    for i in range(model.body_parent.shape[0]):
        t = model.body_tree[i]
        joint = model.joint_type[i]
        if model.tree_kind[t] != Kind.DYNAMIC or dof_count(joint) == 0:
            continue
        if model.tree_is_single[t] == 1 and not is_explicit:
            integrate.finish_single_body(model, t, work.next_v, settings, work, out)
        elif joint == Joint.SPHERICAL and not is_explicit:
            kinematics.drift_ball(model, i, work.mid_q, work.next_v, state.vdot, settings.dt, out)
            for dof in range(model.joint_v[i], model.joint_v[i] + 3):
                last = (work.next_v[dof] - tangents.start_v[dof]) / settings.dt
                tangents.is_hit[dof] = 1 if differs(state.vdot[dof], last, SAME * abs(last)) else 0
                if tangents.is_hit[dof] == 0:
                    continue
                if tangents.stage[4] == 0:
                    object_to(tangents, Obstacle.LASTING, i)
                elif differs(state.vdot[dof], tangents.free_v[dof] / settings.dt, SAME * abs(last)):
                    object_to(tangents, Obstacle.HIT, i)
        else:
            kinematics.drift_joint(model, i, work.mid_q, work.next_v, after, out)
        kinematics.drift_joint(model, i, out, work.shift_v, 1.0, out)
        first = model.joint_q[i]
        count = dof_count(joint) + (1 if joint == Joint.SPHERICAL or joint == Joint.FREE else 0)
        if is_kept(work, t) and joint == Joint.FREE:
            first, count = first + 3, 4  # its place is set besides
        for k in range(first, first + count):
            if differs(out[k], state.q[k], 1.0):
                object_to(tangents, Obstacle.OVERLAP, i)


@kernel
def check_motion(model, settings, work, tangents):
    """Note a dof whose equation of motion does not hold at the velocity and the impulses that were found.

    Writes: tangents.
    """
    n = model.dof_body.shape[0]
    contacts = tangents.counts[Count.CONTACTS]
    dt = settings.dt
    most = 0.0
    for k in range(n):
        most += dt * (abs(work.bias_force[k]) + abs(work.drive_force[k]))
    for k in range(n):
        if model.dof_is_moved[k] == 0:
            continue
        extra = model.dof_armature[k] + work.drive_inertia[k]
        if model.tree_is_single[model.body_tree[model.dof_body[k]]] == 1:
            needed = work.bias_force[k] - extra * tangents.vdot[k]
            for j in range(model.tree_v[model.body_tree[model.dof_body[k]]], n):
                if model.dof_body[j] == model.dof_body[k]:
                    needed += tangents.system[k, j] * tangents.vdot[j]
        else:
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
        first = n + 3 * contacts + tangents.counts[Count.SCALARS]
        for m in range(tangents.counts[Count.SPINS]):
            for r in range(3):
                push = (
                    tangents.system[k, first + 3 * m + r]
                    * work.contact_spin_impulse[tangents.contact[tangents.spin[m]], r]
                )
                x += push
                size += abs(push)
        for m in range(0 if tangents.stage[3] else work.scalar_count[0]):
            push = tangents.row_by[m, k] * work.scalar_impulse[m]
            x -= push
            size += abs(push)
        if not abs(x) <= AGREES * size + ROUNDING * most:
            object_to(tangents, Obstacle.MISMATCH, model.dof_body[k])
