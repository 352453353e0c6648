"""Second-order change of a wire's, rod's or winch's length within a step, added to its target.

In half a step without pushes the rate ℓ' of a path changes by D, its length by a sag beyond dt/2 ℓ'. Where
the ends of a path are free bodies, or stand, both are exact, from where the step began to its middle, and the
second half is taken to be like the first. A tension then takes the rate in mid step from D to −D and does no
work, and a body that goes round on a rod by its centre keeps its energy: at 180 rad/s and 1 ms it loses 1e-6
in a second. With dt/2 of ℓ'' instead, which other paths have, it lost 5.7 %.
"""

from tribo.compiler.jit import kernel
from tribo.contact.constraints.attachments import attached_motion, is_free, midstep_sag, place_ends
from tribo.dynamics.tied_drift import tied_velocity
from tribo.dynamics.tied_groups import is_in_loop, tied_tree
from tribo.math import vec
from tribo.model import Integrator

SEMI_IMPLICIT = int(Integrator.SEMI_IMPLICIT)


@kernel
def side_of(model, c, body):
    """Return which of the two bodies of constraint c a body is, −1: neither, it stands."""
    if body < 0:
        return -1
    if body == model.constraint_body[c, 0]:
        return 0
    return 1 if body == model.constraint_body[c, 1] else -1


@kernel
def wire_point(model, pos, rot, k):
    """Return point k of the paths of all wires, world, for given poses of bodies."""
    point = vec.load(model.path_point, k)
    body = model.path_body[k]
    if body < 0:
        return point
    return vec.add(vec.load(pos, body), vec.mat_vec(vec.load_mat(rot, body), point))


@kernel
def end_point(model, work, c, k):
    """Return point k, on the path of constraint c, where `place_ends` has put its bodies, world."""
    if side_of(model, c, model.path_body[k]) < 0:
        return wire_point(model, work.body_pos, work.body_rot, k)
    return wire_point(model, work.relative_pos, work.relative_rot, k)


@kernel
def wire_acceleration(model, state, settings, work, c):
    """Return how φ bends if nothing pushes [m/s²], and the size of what bends it.

    ℓ'' = u·(a_q − a_p) + (‖v‖² − (u·v)²)/ℓ of each part, v the velocity of its end relative to its start.
    """
    bend, size = 0.0, 0.0
    for k in range(model.constraint_path[c, 0], model.constraint_path[c, 1]):
        p = wire_point(model, work.body_pos, work.body_rot, k)
        q = wire_point(model, work.body_pos, work.body_rot, k + 1)
        d = vec.sub(q, p)
        length = vec.norm(d)
        u = vec.scale(1.0 / length, d) if length > 0.0 else (0.0, 0.0, 1.0)
        vp, _, ap, _ = attached_motion(model, state, settings, work, model.path_body[k], p)
        vq, _, aq, _ = attached_motion(model, state, settings, work, model.path_body[k + 1], q)
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
    """Return how fast point k of the path of constraint c, a free body's or one that stands, moves."""
    side = side_of(model, c, model.path_body[k])
    tree = tied_tree(model, 2 * c + side) if side >= 0 else -1
    if tree < 0:
        return (0.0, 0.0, 0.0)
    return tied_velocity(model, v, tree, vec.sub(point, vec.load(pos, model.tree_body[tree])))


@kernel
def length_and_rate(model, work, c, has_begun, v):
    """Return length of the path of constraint c and its rate at velocities v.

    Where bodies are in mid step, or, if the step has just begun, where `place_ends` has put them. A part
    without length is about to have one: it grows by all of its relative velocity.
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
    """Return by how much faster φ grows at the end of the step [m/s], how far it sags now [m], and a bend.

    φ = L − ℓ of constraint c, without pushes. The bend [m/s²] is the size of what bends φ, for its reach.

    Writes: work.
    """
    bend, size = wire_acceleration(model, state, settings, work, c)
    if settings.integrator == SEMI_IMPLICIT or not is_free(model, c) or is_in_loop(model, work, c):
        return 0.5 * settings.dt * bend, midstep_sag(settings, bend), size
    middle, rate = length_and_rate(model, work, c, False, work.start_velocity)
    place_ends(model, state.q, work, c)
    start, first_rate = length_and_rate(model, work, c, True, state.v)
    sag = middle - start - 0.5 * settings.dt * first_rate
    return first_rate - rate, -sag, size
