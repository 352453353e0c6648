"""Pairs of shapes for tests: records of two bodies, shapes of standard size, manifolds."""

import functools
import itertools
import math

import numpy as np

from tribo.collision import lazily_compiled, meeting
from tribo.collision.pairs import MAX_POINTS
from tribo.description.hulls import convex_hull
from tribo.description.trees import BodyDescription, JointDescription, ShapeDescription, TreeDescription
from tribo.engine.builder import Capacity, Part, build_model
from tribo.materials import MaterialTable
from tribo.model import Joint, Shape, Work

PLANE, SPHERE, BOX, CAPSULE, CYLINDER, _, CONE, ELLIPSOID, HULL = (int(s) for s in list(Shape)[:9])
SIZES = {
    PLANE: (0.0, 0.0, 0.0),
    SPHERE: (0.2, 0.0, 0.0),
    BOX: (0.1, 0.2, 0.3),
    CAPSULE: (0.1, 0.25, 0.0),
    CYLINDER: (0.15, 0.25, 0.0),
    CONE: (0.15, 0.25, 0.0),
    ELLIPSOID: (0.1, 0.2, 0.3),
    HULL: (0.1, 0.2, 0.3),
}
EYE = np.eye(3)
# (x, y, z) → (x, z, −y): a capsule or cylinder so turned lies along world y.
LYING = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
CORNERS = np.random.default_rng(0).normal(size=(14, 3))
CORNERS /= np.linalg.norm(CORNERS, axis=1)[:, None]  # of the standard hull, scaled by its size
CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def hull_of(size):
    """Return the corners of a hull with 14 corners in an ellipsoid of given half axes."""
    return CORNERS * np.where(np.array(size) > 0.0, size, 1e-3)


def records(a, b):
    """Return model and scratch of two bodies, each (kind, position, rotation, size or corners).

    The next call for the same two sizes returns the same records, moved.
    """
    sides = [(kind, np.asarray(size, float)) for kind, _, _, size in (a, b)]
    model, work = built(*((kind, size.shape, size.tobytes()) for kind, size in sides))
    for k, (_, pos, rot, _) in enumerate((a, b)):
        work.body_pos[k] = pos
        work.body_rot[k] = np.ravel(rot)
    return model, work


@functools.lru_cache(maxsize=1)  # many tests move the same two
def built(*sides):
    """Return model and scratch of two bodies, each (kind, shape and bytes of its size or corners)."""
    parts = []
    for k, (kind, form, numbers) in enumerate(sides):
        points = np.frombuffer(numbers).reshape(form)
        described = ShapeDescription(Shape(kind), (0.0, 0.0, 0.0) if len(form) > 1 else tuple(points))
        if kind == HULL:
            hull = convex_hull(points if len(form) > 1 else hull_of(points))
            described.geometry, described.size = hull, (hull.half_width,)
        body = BodyDescription("body", -1, JointDescription("root", Joint.FREE), 1.0, shapes=[described])
        tree = TreeDescription([body])
        parts.append(Part(tree, np.array([0, 0, 0, 1.0, 0, 0, 0]), (k,), 1, -1))
    model, _, sizes = build_model(
        [part.description for part in parts], parts.__getitem__, MaterialTable(), Capacity()
    )
    return model, scratch(*sizes.items())


@functools.cache
def scratch(*sizes):
    """Return scratch of some sizes: nothing that is computed depends on what is left in it."""
    return Work.allocate(dict(sizes))


def rotation(vector):
    """Return the rotation matrix exp(vector ×) (Rodrigues)."""
    angle = np.linalg.norm(vector)
    if angle == 0.0:
        return np.eye(3)
    x, y, z = np.asarray(vector) / angle
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * k @ k


def count_points(model, work, a, b, margin):
    """Write the manifold of the two shapes of some records; return how many rows it has."""
    if lazily_compiled.family_of(a[0], b[0]) >= 0:
        return lazily_compiled.convex(model, work, 0, 1, margin)
    return meeting.primitives(model, work, 0, 1, margin)


def meet(a, b, margin=0.01):
    """Return the manifold rows of two shapes, each (kind, position, rotation, size or corners)."""
    model, work = records(a, b)
    work.manifold[:] = np.nan
    n = count_points(model, work, a, b, margin)
    assert 0 <= n <= MAX_POINTS
    rows = work.manifold[:n]
    assert len(set(rows[:, 7])) == n
    assert np.all((rows[:, 7] >= 0) & (rows[:, 7] < 2048) & (rows[:, 7] % 1 == 0))
    assert np.all(rows[:, 6] <= margin)
    np.testing.assert_allclose(np.linalg.norm(rows[:, 3:6], axis=1), 1.0, atol=1e-12)
    return rows[np.argsort(rows[:, 7])]


def shape(kind, pos=(0.0, 0.0, 0.0), rot=EYE, size=None):
    """Return a shape of the given or its standard size."""
    return (kind, np.asarray(pos, float), rot, SIZES[kind] if size is None else size)


FLOOR = shape(PLANE)


def separation(a, b, n):
    """Return the gap of two solids along a unit normal from B into A, in plain NumPy."""
    return n @ (farthest(a, -n) - farthest(b, n))


def farthest(solid, d):
    """Return the point of a solid that is farthest in a direction."""
    kind, pos, rot, size = solid
    d = rot.T @ d
    up = 1.0 if d[2] > 0.0 else -1.0
    rim = size[0] * np.array([d[0], d[1], 0.0]) / max(math.hypot(d[0], d[1]), 1e-300)
    if kind == SPHERE:
        p = size[0] * d
    elif kind == CAPSULE:
        p = size[0] * d + [0.0, 0.0, up * size[1]]
    elif kind == BOX:
        p = np.where(d > 0.0, size, np.negative(size))
    elif kind == ELLIPSOID:
        p = np.square(size) * d / np.linalg.norm(np.multiply(size, d))
    elif kind == HULL:
        points = hull_of(size)
        p = points[np.argmax(points @ d)]
    elif kind == CYLINDER:
        p = rim + np.array([0.0, 0.0, up * size[1]])
    else:
        p = max(rim - [0.0, 0.0, size[1]], np.array([0.0, 0.0, size[1]]), key=lambda x: x @ d)
    return pos + rot @ p


def random_pair(kinds, rng, overlap=0.02):
    """Return two shapes in random poses whose bounding parts come near each other."""
    shapes = []
    for kind in kinds:
        size = tuple(rng.uniform(0.1, 0.4, 3)) if kind != PLANE else (0.0, 0.0, 0.0)
        shapes.append((kind, rng.normal(size=3), rotation(rng.normal(size=3)), size))
    a, b = shapes
    way = -b[2][:, 2] if b[0] == PLANE else rng.normal(size=3)
    way /= np.linalg.norm(way)
    far, near = 3.0, 0.0 if b[0] != PLANE else -3.0
    for _ in range(40):  # bisect the distance along `way` at which the gap is −overlap
        middle = 0.5 * (far + near)
        other = (b[0], a[1] + middle * way, b[2], b[3])
        touches = count_points(*records(a, other), a, other, -overlap)
        far, near = (far, middle) if touches else (middle, near)
    return a, (b[0], a[1] + far * way, b[2], b[3])
