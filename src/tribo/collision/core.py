"""The core of a shape: the largest ball around its body's centre of mass that lies in it.

However a body tumbles, its core moves straight with the centre of mass. So contacts of the core hold for the
whole step, even if a corner that is hit first rotates the others.

In calls for pairs of shapes, −1 − s stands for the core of shape s.
"""

from math import sqrt

from tribo.collision.place import shape_pose
from tribo.collision.solid import load_solid
from tribo.compiler.jit import kernel
from tribo.math import vec
from tribo.model import Shape

HALVINGS = 52  # bisections of the range of t, down to round-off
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def centre(model, work, i):
    """Return the centre of mass of body i, world [m]."""
    rot = vec.load_mat(work.body_rot, i)
    return vec.add(vec.load(work.body_pos, i), vec.mat_vec(rot, vec.load(model.body_com, i)))


@kernel
def own_centre(model, s):
    """Return the centre of mass of a shape's body [m], in the shape's frame.

    Of the hull of a fixed body its middle, of other fixed shapes and of cores the origin.
    """
    if s < 0:  # a core is centred on it
        return (0.0, 0.0, 0.0)
    if model.body_chain_len[model.shape_body[s]] == 0:  # a fixed body
        if model.shape_kind[s] == Shape.HULL:
            return (model.shape_box[s, 0], model.shape_box[s, 1], model.shape_box[s, 2])
        return (0.0, 0.0, 0.0)
    com = vec.load(model.body_com, model.shape_body[s])
    p = vec.sub(com, vec.load(model.shape_pos, s))
    return vec.mat_t_vec(vec.load_mat(model.shape_rot, s), p)


@kernel
def share(size, p, t):
    """Return the point x with xᵢ (aᵢ² + t) = aᵢ² pᵢ, and Σ (xᵢ / aᵢ)²."""
    x = (
        size[0] * size[0] * p[0] / (size[0] * size[0] + t),
        size[1] * size[1] * p[1] / (size[1] * size[1] + t),
        size[2] * size[2] * p[2] / (size[2] * size[2] + t),
    )
    q = (x[0] / size[0], x[1] / size[1], x[2] / size[2])
    return x, vec.dot(q, q)


@kernel
def depth_in_ellipsoid(size, p):
    """Return the distance of a point in an ellipsoid from its surface [m]; 0 if it is not inside.

    The nearest point of the surface is `share` at the t in (−least², 0] that puts it there. If there is no
    such t, p lies in the plane across the least axis, and the rest points along that axis.
    Source: Eberly, Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid.
    """
    _, inside = share(size, p, 0.0)
    if not inside < 1.0:
        return 0.0
    least = min(size[0], size[1], size[2])
    low = -least * least
    high = 0.0
    for _ in range(HALVINGS):
        t = 0.5 * (low + high)
        _, inside = share(size, p, t)
        if inside > 1.0:
            low = t
        else:
            high = t
    x, inside = share(size, p, high)
    away = vec.sub(x, p)
    return sqrt(vec.dot(away, away) + least * least * max(0.0, 1.0 - inside))


@kernel
def core_radius(model, s):
    """Return the radius of the core of a shape [m]; ≤ 0: it has none, or is a ball and needs none."""
    kind = model.shape_kind[s]
    a, b, c = vec.load(model.shape_size, s)
    p = own_centre(model, s)
    around = sqrt(p[0] * p[0] + p[1] * p[1])
    if kind == Shape.BOX:
        return min(a - abs(p[0]), b - abs(p[1]), c - abs(p[2]))
    if kind == Shape.CAPSULE:
        beyond = max(0.0, abs(p[2]) - b)
        return a - sqrt(around * around + beyond * beyond)
    if kind == Shape.CYLINDER:
        return min(a - around, b - abs(p[2]))
    if kind == Shape.CONE:  # b: half its height
        return min(b + p[2], (a * (b - p[2]) - 2.0 * b * around) / sqrt(a * a + 4.0 * b * b))
    if kind == Shape.ELLIPSOID:
        return depth_in_ellipsoid((a, b, c), p)
    if kind == Shape.HULL:
        least = 1e300
        data = model.shape_data
        for f in range(data[s, 2], data[s, 2] + data[s, 3]):
            corner = vec.load(model.vertex, model.face_vertex[model.face_start[f]])
            least = min(least, vec.dot(vec.load(model.face_normal, f), vec.sub(corner, p)))
        return least
    return 0.0


@kernel
def core_kind(model, s):
    """Return the kind of a shape, or of a core."""
    return model.shape_kind[s] if s >= 0 else Shape.SPHERE


@kernel
def placed(model, work, s):
    """Return position [m], rotation (world) and solid of a shape or a core."""
    if s < 0:
        ball = (Shape.SPHERE, core_radius(model, -1 - s), 0.0, 0.0, 0, 0, 0, 0)
        return centre(model, work, model.shape_body[-1 - s]), IDENTITY, ball
    pos, rot = shape_pose(model, work, s)
    return pos, rot, load_solid(model, s)
