"""Stage *teams*: nothing that holds bodies together throws them.

Two light boxes on pins between heavy ones straighten within a fraction of a step, and pins that go round by
0.3 rad in a step bring energy that there never was. What is tied together, moves by itself and touches
nothing is a team: it may end the step with the energy that it had and was given. If it would have more, its
velocities are brought nearer to those of one rigid body with the same momentum, or to rest if it hangs on
the world: that leaves together what constraints keep together. The step is `COARSE`; impulses and the
residual stay those of the solve.
One robot on a fixed base is a matter of `stops`; robots that take the step in parts are left alone.
"""

from tribo.contact import closing, stops
from tribo.contact.islands import find, is_member
from tribo.contact.linkage import SLOTS
from tribo.contact.recovery import mass_of
from tribo.dynamics import integrate
from tribo.dynamics.integrate import HELD_BACK
from tribo.dynamics.kinematics import drift_joint
from tribo.dynamics.momentum import about_point, tree_motion
from tribo.jit import kernel
from tribo.math import linalg, spatial, vec
from tribo.model import Integrator, Joint, Kind, Status

FREE = int(Joint.FREE)
DYNAMIC = int(Kind.DYNAMIC)
KINEMATIC = int(Kind.KINEMATIC)
SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)
COARSE = int(Status.COARSE)
WHIRL = 0.1  # [rad] in a step; loose bodies that turn less gain little
ZERO = (0.0, 0.0, 0.0)


@kernel
def turns_far(model, state, settings, work, tree):
    """Tell whether a tree turns far in this step: its base, if that is loose, or one of its joints."""
    if model.joint_type[model.tree_body[tree]] == FREE:
        most = WHIRL / settings.dt
        first = model.tree_v[tree] + 3
        before = vec.norm((state.v[first], state.v[first + 1], state.v[first + 2]))
        after = vec.norm((work.next_v[first], work.next_v[first + 1], work.next_v[first + 2]))
        if before > most or after > most:
            return True
    if model.tree_is_single[tree] == 1:
        return False
    return stops.is_swift(model, state, settings, work, tree, False)


@kernel
def is_carried(model, work, n):
    """Tell whether row n, of a constraint, ties something to what the user moves."""
    c = (work.scalar_slot[n] - model.constraint_slot[0]) // SLOTS
    for side in range(2):
        body = model.constraint_body[c, side]
        if body >= 0 and model.tree_kind[model.body_tree[body]] == KINEMATIC:
            return True
    return False


@kernel
def only_holds(model, work, t):
    """Tell whether something holds island t together, and nothing may give it energy.

    That may a motor, a spring, and what the user moves.
    """
    holds = False
    for k in range(work.island_scalar_start[t], work.island_scalar_start[t + 1]):
        n = work.island_scalar[k]
        if work.scalar_impulse[n] == 0.0:
            continue
        if closing.may_act(work, n):
            return False
        if closing.is_tie(model, work, n) and is_carried(model, work, n):
            return False
        holds = True
    return holds


@kernel
def is_anchored(model, work, t):
    """Tell whether island t is held by the world."""
    for tree in range(work.tree_island.shape[0]):
        if is_member(model, work, tree, t) and model.joint_type[model.tree_body[tree]] != FREE:
            return True
    for k in range(work.island_scalar_start[t], work.island_scalar_start[t + 1]):
        n = work.island_scalar[k]
        if work.scalar_impulse[n] != 0.0 and closing.is_tie(model, work, n):
            if work.scalar_len[n, 0] == 0 or work.scalar_len[n, 1] == 0:
                return True
    return False


@kernel
def to_end(model, settings, work, tree, v):
    """Set the coordinates with which a tree ends the step if v is its new velocity.

    Writes: work.
    """
    if model.tree_is_single[tree] == 1:
        integrate.finish_single(model, tree, v, settings, work, work.end_q)
        return
    root = model.tree_body[tree]
    for i in range(root, root + model.tree_body_count[tree]):
        drift_joint(model, i, work.mid_q, v, 0.5 * settings.dt, work.end_q)


@kernel
def place_of(model, work, tree):
    """Return where the base of a loose tree ends the step."""
    at = model.joint_q[model.tree_body[tree]]
    return (work.end_q[at], work.end_q[at + 1], work.end_q[at + 2])


@kernel
def rigid_motion(model, settings, work, t, out):
    """Set an array of dofs to the motion of island t as one rigid body of the same momentum.

    Places count from that of tree t, so that nothing is lost far from the world's origin.

    Writes: work, out.
    """
    m = 0.0
    p = moment = l = ZERO
    s = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    to_end(model, settings, work, t, work.next_v)
    origin = place_of(model, work, t)
    for tree in range(work.tree_island.shape[0]):
        if is_member(model, work, tree, t):
            to_end(model, settings, work, tree, work.next_v)
            mass, arm, push, spin, own = tree_motion(model, work.end_q, work.next_v, work, tree)
            c = vec.add(arm, vec.sub(place_of(model, work, tree), origin))
            m += mass
            moment = vec.axpy(mass, c, moment)
            p = vec.add(p, push)
            l = vec.add(l, vec.add(spin, vec.cross(c, push)))
            s = spatial.axpy(1.0, own, spatial.axpy(mass, about_point(c), s))
    c = vec.scale(1.0 / m, moment)
    s = spatial.axpy(-m, about_point(c), s)
    omega = vec.sym_vec(linalg.sym_inverse(s), vec.sub(l, vec.cross(c, p)))
    for tree in range(work.tree_island.shape[0]):
        if is_member(model, work, tree, t):
            first = model.tree_v[tree]
            arm = vec.sub(vec.sub(place_of(model, work, tree), origin), c)
            velocity = vec.axpy(1.0 / m, p, vec.cross(omega, arm))
            for k in range(3):
                out[first + k] = velocity[k]
                out[first + 3 + k] = omega[k]


@kernel
def end_energy(model, settings, work, t, rigid, part):
    """Return the energy [J] with which island t ends the step at a part of its motion beyond the rigid one.

    Writes: work.
    """
    total = 0.0
    for tree in range(work.tree_island.shape[0]):
        if not is_member(model, work, tree, t):
            continue
        for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
            work.change_v[dof] = rigid[dof] + part * (work.next_v[dof] - rigid[dof])
        to_end(model, settings, work, tree, work.change_v)
        kinetic, potential = stops.energy(model, work.end_q, work.change_v, settings, work, tree)
        total += kinetic + potential
    return total


@kernel
def allowed(model, state, settings, work, t):
    """Return the energy [J] with which island t may end the step: what it has and is given, and an error.

    Writes: work.
    """
    kinetic = potential = given = gaps = 0.0
    for tree in range(work.tree_island.shape[0]):
        if is_member(model, work, tree, t):
            moving, lying = stops.energy(model, state.q, state.v, settings, work, tree)
            kinetic += moving
            potential += lying
            given += stops.given(model, state, settings, work, tree)
    mass = mass_of(model, work, t)
    for k in range(work.island_scalar_start[t], work.island_scalar_start[t + 1]):
        gaps += closing.energy(work, work.island_scalar[k], mass)
    return potential + max((1.0 + stops.ERROR) * kinetic + given, gaps)


@kernel
def slow(model, state, settings, work, t):
    """Slow island t if it would end the step with more energy than it may.

    Writes: work.
    """
    rigid = work.pile_start
    for dof in range(rigid.shape[0]):
        rigid[dof] = 0.0
    if not is_anchored(model, work, t):
        rigid_motion(model, settings, work, t, rigid)
    most = allowed(model, state, settings, work, t)
    if end_energy(model, settings, work, t, rigid, 1.0) <= most:
        return
    if end_energy(model, settings, work, t, rigid, 0.0) > most:
        return
    low = 0.0
    high = 1.0
    for _ in range(stops.HALVINGS):
        part = 0.5 * (low + high)
        if end_energy(model, settings, work, t, rigid, part) > most:
            high = part
        else:
            low = part
    for tree in range(work.tree_island.shape[0]):
        if is_member(model, work, tree, t):
            work.tree_is_coarse[tree] = HELD_BACK
            for dof in range(model.tree_v[tree], model.tree_v[tree] + model.tree_nv[tree]):
                work.next_v[dof] = rigid[dof] + low * (work.next_v[dof] - rigid[dof])
    work.status[0] |= COARSE


@kernel
def is_first(model, state, settings, work, tree, t):
    """Tell whether no tree before this one, of island t too, turns far."""
    for other in range(t, tree):
        if is_member(model, work, other, t) and turns_far(model, state, settings, work, other):
            return False
    return True


@kernel
def is_team(model, work, t):
    """Tell whether island t touches nothing, and is not one robot; nor may a tree go its way in parts."""
    if work.island_scalar_start[t + 1] == work.island_scalar_start[t]:
        return False
    if work.island_contact_start[t + 1] > work.island_contact_start[t]:
        return False
    count = 0
    for tree in range(work.tree_island.shape[0]):
        if is_member(model, work, tree, t):
            count += 1
            if work.tree_is_fourth[tree] == 1 or work.tree_is_struck[tree] == 1:
                return False
    if count == 1 and model.tree_is_single[t] == 0:
        return False
    if work.soft_count[0] > 0:
        for c in range(work.contact_count[0]):
            for side in range(2):
                tree = model.body_tree[work.contact_body[c, side]]
                if work.contact_is_soft[c] == 1 and is_member(model, work, tree, t):
                    return False
    return only_holds(model, work, t)


@kernel
def calm(model, state, settings, work):
    """Slow what would leave stops, wires, pins with more energy than it had and was given.

    Writes: work.
    """
    stops.calm(model, state, settings, work)
    if settings.integrator == SEMI_IMPLICIT or model.constraint_kind.shape[0] == 0:
        return
    for tree in range(work.tree_island.shape[0]):
        if model.tree_kind[tree] != DYNAMIC or work.tree_is_resting[tree] == 1:
            continue
        if not turns_far(model, state, settings, work, tree):
            continue
        t = find(work.tree_island, tree)
        if is_first(model, state, settings, work, tree, t) and is_team(model, work, t):
            slow(model, state, settings, work, t)
