"""Margins: distances that bodies, and pairs of shapes, may move before the next evaluation."""

from math import inf, sqrt

from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import Shape

SLACK = 1e-6  # [m] added to every margin against round-off


@kernel
def origin_motion(model, state, work, i):
    """Return the velocity of the origin of body i [m/s] and its angular velocity [rad/s]."""
    t = model.body_tree[i]
    if model.tree_nv[t] == 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    root = model.tree_body[t]
    if model.tree_is_single[t] == 1:
        b = model.joint_v[root]
        v = (state.v[b], state.v[b + 1], state.v[b + 2])
        w = (state.v[b + 3], state.v[b + 4], state.v[b + 5])
    else:
        w = (work.body_vel[i, 0], work.body_vel[i, 1], work.body_vel[i, 2])
        arm = vec.sub(vec.load(work.body_pos, i), vec.load(work.body_pos, root))
        v = vec.add((work.body_vel[i, 3], work.body_vel[i, 4], work.body_vel[i, 5]), vec.cross(w, arm))
    return v, w


@kernel
def weight_way(settings):
    """Return a bound of the displacement by weight before the next evaluation [m], plus `SLACK`."""
    g2 = settings.gravity_x**2 + settings.gravity_y**2 + settings.gravity_z**2
    return 2.0 * settings.dt * settings.dt * sqrt(g2) + SLACK


@kernel
def body_reach(model, s):
    """Return the radius of the body of shape s about its origin [m]; inf for a plane."""
    return inf if model.shape_kind[s] == Shape.PLANE else model.body_radius[model.shape_body[s]]


@kernel
def relative_motion(model, work, a, b, motion_a, motion_b):
    """Return the relative velocity at the smaller body's origin, and a bound of the part by rotation [m/s].

    With x a point of the smaller body, of origin p and radius r, A's velocity less B's at x is

    v_a(p) − v_b(p) + (ω_a − ω_b) × (x − p), its second part at most ‖ω_a − ω_b‖ r.
    """
    i, j = model.shape_body[a], model.shape_body[b]
    is_smaller = body_reach(model, a) <= body_reach(model, b)
    arm = vec.sub(vec.load(work.body_pos, i), vec.load(work.body_pos, j))
    turn = vec.sub(motion_a[1], motion_b[1])
    across = vec.cross(motion_b[1] if is_smaller else motion_a[1], arm)
    along = vec.sub(vec.sub(motion_a[0], motion_b[0]), across)
    return along, vec.norm(turn) * min(body_reach(model, a), body_reach(model, b))


@kernel
def relative_speed(model, work, a, b, motion_a, motion_b):
    """Return a bound of the speed of a surface point of shape a or b relative to the other [m/s]."""
    along, turning = relative_motion(model, work, a, b, motion_a, motion_b)
    return vec.norm(along) + turning


@kernel
def pair_margin(model, state, settings, work, a, b):
    """Return a bound of the approach of two shapes before the next evaluation [m].

    Links that move together do not approach, however fast they are; weight may act on both.
    """
    i, j = model.shape_body[a], model.shape_body[b]
    motion_a, motion_b = origin_motion(model, state, work, i), origin_motion(model, state, work, j)
    way = settings.dt * relative_speed(model, work, a, b, motion_a, motion_b)
    return min(2.0 * weight_way(settings) + way, work.body_margin[i] + work.body_margin[j])


@kernel
def contact_way(model, work, i):
    """Return how far from body i its contacts may lie in this step [m]: its way, and a share of adhesion."""
    return work.body_margin[i] + model.body_adhesive_reach[i]


@kernel
def margins(model, state, settings, work):
    """Write a bound of the displacement of the surface of each body before the next evaluation.

    Writes: work.
    """
    slack = weight_way(settings)
    for i in range(model.body_parent.shape[0]):
        if model.body_is_solid[i] == 1:
            work.body_margin[i] = slack
            if model.tree_nv[model.body_tree[i]] > 0:
                v, w = origin_motion(model, state, work, i)
                work.body_margin[i] += settings.dt * (vec.norm(v) + vec.norm(w) * model.body_radius[i])
