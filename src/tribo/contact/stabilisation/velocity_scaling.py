"""Energy of trees at the end of a step, and scaling of their motion to a bound.

The motion of a floating group is scaled towards that of one rigid body of the same momentum; the motion of
one that the world holds, towards rest. Constraints stay satisfied. A free body on a slack wire belongs to the
island but flies as it did. `energy_limiter` decides when, `energy_budget` how much energy there may be.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.islands import contacts_in, is_side, scalars_in, trees_in
from tribo.contact.problem.scalar_rows import constraint_of_row
from tribo.contact.stabilisation import group_momentum
from tribo.contact.stabilisation.energy_budget import spring_energy_kept
from tribo.contact.stabilisation.group_momentum import base_place, is_contact_active
from tribo.dynamics import integrate
from tribo.dynamics.energy import energy_at
from tribo.dynamics.kinematics import end_of_q
from tribo.dynamics.mid_velocity import max_spring_share
from tribo.dynamics.momentum import (
    base_impulse,
    momentum_target,
    point_inertia,
    set_tree_momentum,
    tree_motion,
)
from tribo.enums import Momentum
from tribo.math import linalg, quat, spatial, vec
from tribo.math.linalg import ROUND_OFF
from tribo.model import IntegrationMode, Integrator, Joint, Status

TRIES = 40  # of the scale factor: more than round-off needs
ZERO = (0.0, 0.0, 0.0)


@kernel
def island_energy(model, settings, work, t, v):
    """Return the energy of island t [J] at `end_q` and velocities v, with the springs that a step conserves.

    Writes: work.
    """
    total = 0.0
    for tree in trees_in(work, t):
        kinetic, potential = energy_at(model, work.end_q, v, settings, work, tree)
        total += kinetic + potential + spring_energy_kept(model, work.end_q, settings, work, tree)
    return total


@kernel
def end_energy(model, settings, work, t, rigid, part):
    """Return the final energy [J] of island t with a part of its motion beyond the rigid one.

    Writes: work.
    """
    write_island_end(model, settings, work, t, rigid, part)
    return island_energy(model, settings, work, t, work.change_v)


@kernel
def is_anchored(model, work, t):
    """Tell whether the world holds island t, or it presses on a fixed body."""
    for tree in trees_in(work, t):
        if model.joint_type[model.tree_body[tree]] != Joint.FREE:
            return True
    for n in scalars_in(work, t):
        if work.scalar_impulse[n] != 0.0 and constraint_of_row(model, work, n) >= 0:
            if min(work.scalar_len[n, 0], work.scalar_len[n, 1]) == 0:
                return True
    for c in contacts_in(work, t):
        if work.contact_impulse[c, 2] > 0.0 and min(work.contact_len[c, 0], work.contact_len[c, 1]) == 0:
            return True
    return False


@kernel
def write_island_end(model, settings, work, t, rigid, part):
    """Set `end_q` and `change_v` to the end of the step of island t, with a part of its non-rigid motion.

    A floating base gets the velocity that conserves the momentum. The second-order motion of a spherical
    joint by the change of its axis is omitted, since it is not yet known.

    Writes: work.
    """
    v, still = work.change_v, work.rk_acc
    for tree in trees_in(work, t):
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            v[dof], still[dof] = rigid[dof] + part * (work.next_v[dof] - rigid[dof]), 0.0
        integrate.finish_tree(model, tree, v, still, settings, work, work.end_q)
        if work.tree_is_kept[tree] == Momentum.KEPT:
            set_tree_momentum(model, work.end_q, v, work, tree)
    group_momentum.set_group_momenta(model, work.end_q, v, work, trees_in(work, t))


@kernel
def is_in_flight(model, work, tree, t):
    """Tell whether a tree of island t is a free body on which no row acts in this step."""
    if model.tree_is_single[tree] == 0:
        return False
    for n in scalars_in(work, t):
        is_end = integrate.end_of(model, work, n, 0) == tree or integrate.end_of(model, work, n, 1) == tree
        if is_end and work.scalar_impulse[n] != 0.0:
            return False
    for c in contacts_in(work, t):
        if is_side(model, work, c, tree) and is_contact_active(work, c):
            return False
    return True


@kernel
def island_motion(model, q, v, work, t, origin):
    """Return m, c, p, L about c and the inertia about c of floating island t at (q, v).

    Bodies in flight are left out. c is relative to a given origin near it, to avoid round-off far from the
    world's origin.

    Writes: work.
    """
    m = 0.0
    p = moment = l = ZERO
    s = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for tree in trees_in(work, t):
        if not is_in_flight(model, work, tree, t):
            mass, arm, push, spin, own = tree_motion(model, q, v, work, tree)
            c = vec.add(arm, vec.sub(base_place(model, q, tree), origin))
            m += mass
            moment = vec.axpy(mass, c, moment)
            p = vec.add(p, push)
            l = vec.add(l, vec.add(spin, vec.cross(c, push)))
            s = spatial.axpy(1.0, own, spatial.axpy(mass, point_inertia(c), s))
    c = vec.scale(1.0 / m, moment)
    return m, c, p, vec.sub(l, vec.cross(c, p)), spatial.axpy(-m, point_inertia(c), s)


@kernel
def scaling_goal(model, work, t, v, out):
    """Set `out` to the motion that island t is scaled towards: rest if the world holds it, else rigid motion.

    That has the momenta at `end_q` and `change_v`. Bodies in flight keep their velocities v.

    Writes: work, out.
    """
    is_any = False
    for tree in trees_in(work, t):
        flies = is_in_flight(model, work, tree, t)
        is_any = is_any or not flies
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            out[dof] = v[dof] if flies else 0.0
    if not is_any or is_anchored(model, work, t):
        return
    origin = base_place(model, work.mid_q, t)
    m, c, p, l, s = island_motion(model, work.end_q, work.change_v, work, t, origin)
    omega = vec.sym_vec(linalg.sym_inverse(s), l)
    for tree in trees_in(work, t):
        if not is_in_flight(model, work, tree, t):
            arm = vec.sub(vec.sub(base_place(model, work.end_q, tree), origin), c)
            move_base(model, tree, vec.axpy(1.0 / m, p, vec.cross(omega, arm)), omega, out)


@kernel
def move_base(model, tree, velocity, omega, out):
    """Set the base velocity of a floating tree in an array of dofs.

    Writes: out.
    """
    first = model.tree_v[tree]
    for k in range(3):
        out[first + k] = velocity[k]
        out[first + 3 + k] = omega[k]


@kernel
def freeze_tree(model, state, work, tree):
    """Set the result of the step of a tree to its coordinates at the step's start.

    Writes: work.
    """
    for k in range(model.joint_q[model.tree_body[tree]], end_of_q(model, tree)):
        work.rk_q[k] = state.q[k]
    for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
        work.rk_v[dof] = 0.0
    for i in range(model.tree_body[tree], model.tree_body[tree] + model.tree_body_count[tree]):
        work.joint_is_ruled[i] = 0
    work.tree_is_fourth[tree] = 1


@kernel
def freeze_floating(model, state, settings, work, tree, rigid):
    """Set `rigid` to the motion of a floating tree with its momentum and its joints at their positions.

    Joints and attitude at the step's end are those at its start: of all motions with that momentum this has
    the least energy, and not more than before. It is stored like the result of substeps that end at rest.

    Writes: work, rigid.
    """
    freeze_tree(model, state, work, tree)
    at = model.joint_q[model.tree_body[tree]]
    for k in range(3):
        work.rk_q[at + k] = work.mid_q[at + k]
    m, c, _, _, s = tree_motion(model, state.q, state.v, work, tree)
    push, spin = momentum_target(work, tree)
    omega = vec.sym_vec(linalg.sym_inverse(s), spin)
    move_base(model, tree, vec.axpy(1.0 / m, push, vec.cross(c, omega)), omega, rigid)
    back = quat.exp(vec.scale(-0.5 * settings.dt, omega))
    quat.store(work.rk_q, at + 3, quat.normalize(quat.mul(back, quat.load(state.q, at + 3))))


@kernel
def freeze_together(model, state, settings, work, t, rigid):
    """Set `rigid` to the motion of several floating trees that conserve their momentum and their poses.

    All move with their centre of mass and end the step as one rigid body, in their poses at the step's start:
    constraints are open no wider than before.

    Writes: work, rigid.
    """
    dt = settings.dt
    # Time that is left after the drift.
    h = dt if settings.integrator == Integrator.SEMI_IMPLICIT else 0.5 * dt
    origin = base_place(model, state.q, t)
    m, c, p, l, s = island_motion(model, state.q, state.v, work, t, origin)
    after = vec.axpy(dt * m, (settings.gravity_x, settings.gravity_y, settings.gravity_z), p)
    for tree in trees_in(work, t):
        if not is_in_flight(model, work, tree, t):
            push, turn = base_impulse(model, settings, work, tree)
            arm = vec.sub(vec.sub(base_place(model, work.mid_q, tree), origin), c)
            after = vec.add(after, push)
            l = vec.add(l, vec.add(turn, vec.cross(arm, push)))
    displacement = vec.scale(0.5 * dt / m, vec.add(p, after))
    omega = vec.sym_vec(linalg.sym_inverse(s), l)
    back = quat.exp(vec.scale(-h, omega))
    if not group_momentum.is_group(work, t):  # the trees have no momenta of their own any more
        for tree in trees_in(work, t):
            work.tree_is_kept[tree] = Momentum.LEFT_ALONE
    for tree in trees_in(work, t):
        if not is_in_flight(model, work, tree, t):
            freeze_tree(model, state, work, tree)
            place = base_place(model, state.q, tree)
            arm = vec.sub(vec.sub(place, origin), c)
            velocity = vec.axpy(1.0 / m, after, vec.cross(omega, arm))
            move_base(model, tree, velocity, omega, rigid)
            at = model.joint_q[model.tree_body[tree]]
            begin = vec.axpy(-h, velocity, vec.add(place, displacement))
            for k in range(3):
                work.rk_q[at + k] = begin[k]
            turned = quat.mul(back, quat.load(state.q, at + 3))
            quat.store(work.rk_q, at + 3, quat.normalize(turned))


@kernel
def is_sprung(model, settings, work, t):
    """Tell whether a joint of island t has a spring whose energy a step conserves."""
    if settings.integrator == Integrator.SEMI_IMPLICIT:
        return False
    is_any = False
    for tree in trees_in(work, t):
        is_any = is_any or max_spring_share(model, settings, work, tree) > 0.0
    return is_any


@kernel
def largest_part(model, settings, work, t, rigid, least, most):
    """Return the largest part of the non-rigid motion with which island t has at most `most` [J].

    least: its energy in rigid motion [J], at most `most`; its whole motion has more.
    Source: Dowell, Jarratt 1971 (the Illinois method).

    Writes: work.
    """
    low, high = 0.0, 1.0
    below, above = least - most, end_energy(model, settings, work, t, rigid, 1.0) - most
    enough = ROUND_OFF * (above - below)
    last = 0.0
    for _ in range(TRIES):
        part = high - above * (high - low) / (above - below)
        if not low < part < high:  # round-off, or the energy at rest is above
            part = 0.5 * (low + high)
        error = end_energy(model, settings, work, t, rigid, part) - most
        if error > 0.0:
            if last > 0.0:
                below *= 0.5
            high, above = part, error
        else:
            if last < 0.0:
                above *= 0.5
            low, below = part, error
            if -error <= enough:
                break
        last = error
    return low


@kernel
def slow_island(model, state, settings, work, t, most):
    """Scale the motion of island t if its final energy exceeds `most` [J]; return whether it did.

    In rigid motion, or at rest, it may still have more, at the positions where it ends: a floating robot has
    contracted, or strained its springs. Then its joints keep their positions, as do several floating trees,
    and trees that the world holds if they have springs. If weight is the cause, nothing more is removed.

    Writes: work.
    """
    rigid = work.rigid_motion_v
    is_floating = not is_anchored(model, work, t)
    if is_floating:  # with a part of 1 all of `next_v`, whatever the goal
        write_island_end(model, settings, work, t, work.next_v, 1.0)
    scaling_goal(model, work, t, work.next_v, rigid)
    if end_energy(model, settings, work, t, rigid, 1.0) <= most:
        return False
    least = end_energy(model, settings, work, t, rigid, 0.0)
    if least > most:
        if is_floating and work.tree_is_kept[t] == Momentum.KEPT:
            freeze_floating(model, state, settings, work, t, rigid)
        elif is_floating:
            freeze_together(model, state, settings, work, t, rigid)
        elif is_sprung(model, settings, work, t):
            # Half a step at its velocity would have strained its springs by more than its energy.
            work.status[0] |= Status.TIME_STEP_TOO_LONG
            for tree in trees_in(work, t):
                if not is_in_flight(model, work, tree, t):
                    freeze_tree(model, state, work, tree)
                    work.tree_mode[tree] = IntegrationMode.LIMITED
        least = end_energy(model, settings, work, t, rigid, 0.0)
    part = largest_part(model, settings, work, t, rigid, least, max(most, least))
    for tree in trees_in(work, t):
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            work.next_v[dof] = rigid[dof] + part * (work.next_v[dof] - rigid[dof])
    return True
