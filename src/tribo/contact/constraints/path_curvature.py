"""Second-order change of the length of a wire, rod or winch within a step, part of its target.

In half a step without impulses the rate ℓ' of a path changes by D, and its length deviates from dt/2 ℓ' by a
sag. If the ends of a path are free bodies, or fixed, both are computed exactly from the step's start to its
middle, and the second half is taken as equal. A tension then changes the mid-step rate from D to −D and does
no work, so a body that circles on a rod keeps its energy: at 180 rad/s and 1 ms it loses 1e-6 in a second.
Other paths use dt/2 of ℓ'', with which it lost 5.7 %.
"""

from tribo.compiler.jit import kernel
from tribo.contact.problem.attachments import attached_motion, is_free, midstep_sag, place_ends
from tribo.dynamics.constrained_drift import constrained_velocity
from tribo.dynamics.constrained_groups import constrained_tree, is_in_loop
from tribo.math import vec
from tribo.model import Integrator


@kernel
def side_of(model, c, body):
    """Return the side (0, 1) of constraint c on which a body is; −1: fixed."""
    if body < 0:
        return -1
    if body == model.constraint_body[c, 0]:
        return 0
    return 1 if body == model.constraint_body[c, 1] else -1


@kernel
def wire_point(model, pos, rot, k):
    """Return point k of the paths of all wires, world [m], at given poses of the bodies."""
    point = vec.load(model.path_point, k)
    body = model.path_body[k]
    if body < 0:
        return point
    return vec.add(vec.load(pos, body), vec.mat_vec(vec.load_mat(rot, body), point))


@kernel
def end_point(model, work, c, k):
    """Return point k on the path of constraint c, world [m], at the poses of `place_ends`."""
    if side_of(model, c, model.path_body[k]) < 0:
        return wire_point(model, work.body_pos, work.body_rot, k)
    return wire_point(model, work.relative_pos, work.relative_rot, k)


@kernel
def wire_acceleration(model, settings, work, c):
    """Return φ'' without forces [m/s²], and the sum of the sizes of its terms.

    ℓ'' = u·(a_q − a_p) + (‖v‖² − (u·v)²)/ℓ per segment, v the velocity of its end relative to its start.
    """
    bend, size = 0.0, 0.0
    for k in range(model.constraint_path[c, 0], model.constraint_path[c, 1]):
        p = wire_point(model, work.body_pos, work.body_rot, k)
        q = wire_point(model, work.body_pos, work.body_rot, k + 1)
        d = vec.sub(q, p)
        length = vec.norm(d)
        u = vec.scale(1.0 / length, d) if length > 0.0 else (0.0, 0.0, 1.0)
        vp, _, ap, _ = attached_motion(model, settings, work, model.path_body[k], p)
        vq, _, aq, _ = attached_motion(model, settings, work, model.path_body[k + 1], q)
        v = vec.sub(vq, vp)
        along = vec.dot(v, u)
        curve = vec.sub(ap, aq)
        around = 0.0
        if length > 0.0:
            around = max(0.0, vec.dot(v, v) - along * along) / length
        bend += vec.dot(u, curve) - around
        size += vec.norm(curve) + around
    return bend, size


@kernel
def point_velocity(model, c, k, point, pos, v):
    """Return the velocity of point k of the path of constraint c, on a free body or fixed [m/s]."""
    side = side_of(model, c, model.path_body[k])
    tree = constrained_tree(model, 2 * c + side) if side >= 0 else -1
    if tree < 0:
        return (0.0, 0.0, 0.0)
    return constrained_velocity(model, v, tree, vec.sub(point, vec.load(pos, model.tree_body[tree])))


@kernel
def length_and_rate(model, work, c, has_begun, v):
    """Return the length of the path of constraint c [m] and its rate at velocities v [m/s].

    Poses of mid step, or of `place_ends` if has_begun. A segment of length 0 grows by its relative velocity.
    """
    length, rate = 0.0, 0.0
    pos = work.relative_pos if has_begun else work.body_pos
    for k in range(model.constraint_path[c, 0], model.constraint_path[c, 1]):
        if has_begun:
            p, q = end_point(model, work, c, k), end_point(model, work, c, k + 1)
        else:
            p = wire_point(model, work.body_pos, work.body_rot, k)
            q = wire_point(model, work.body_pos, work.body_rot, k + 1)
        d = vec.sub(q, p)
        part = vec.norm(d)
        w = point_velocity(model, c, k + 1, q, pos, v)
        w = vec.sub(w, point_velocity(model, c, k, p, pos, v))
        length += part
        rate += vec.dot(d, w) / part if part > 0.0 else vec.norm(w)
    return length, rate


@kernel
def path_curvature(model, state, settings, work, c):
    """Return the change of φ' until the end of the step [m/s], the sag of φ [m], and a curvature [m/s²].

    φ = L − ℓ of constraint c, without impulses. The curvature bounds what the row may move in the step.

    Writes: work.
    """
    bend, size = wire_acceleration(model, settings, work, c)
    if settings.integrator == Integrator.SEMI_IMPLICIT or not is_free(model, c) or is_in_loop(model, work, c):
        return 0.5 * settings.dt * bend, midstep_sag(settings, bend), size
    middle, rate = length_and_rate(model, work, c, False, work.start_velocity)
    place_ends(model, state.q, work, c)
    start, first_rate = length_and_rate(model, work, c, True, state.v)
    sag = middle - start - 0.5 * settings.dt * first_rate
    return first_rate - rate, -sag, size
