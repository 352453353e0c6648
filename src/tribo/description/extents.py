"""How far the shapes of a description reach."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from tribo.description.hulls import Heights, Hull, Surface
from tribo.description.trees import BodyDescription, ShapeDescription
from tribo.enums import Shape
from tribo.math import quat

_UPRIGHT = np.eye(3)
_matrix = getattr(quat.to_matrix, "py_func", quat.to_matrix)


def rotation_matrix(quaternion: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the 3×3 matrix of a unit quaternion (w, x, y, z)."""
    if tuple(quaternion) == (1.0, 0.0, 0.0, 0.0):
        return _UPRIGHT.copy()
    return np.array(_matrix(tuple(float(x) for x in quaternion))).reshape(3, 3)


def rotation_matrices(quaternions: np.ndarray) -> np.ndarray:
    """Return the matrices (…, 3, 3) of unit quaternions (w, x, y, z), (…, 4)."""
    entries = np.stack(_matrix(np.moveaxis(quaternions, -1, 0)), axis=-1)
    return entries.reshape(*quaternions.shape[:-1], 3, 3)


def shape_extent(shape: ShapeDescription) -> tuple[np.ndarray, np.ndarray]:
    """Return centre and half size of a shape's box in the body frame."""
    a, b, c = (*shape.size, 0.0, 0.0)[:3]
    half = {
        Shape.SPHERE: (a, a, a),
        Shape.BOX: (a, b, c),
        Shape.CAPSULE: (a, a, a + b),
        Shape.CYLINDER: (a, a, b),
        Shape.CONE: (a, a, b),
        Shape.ELLIPSOID: (a, b, c),
    }.get(shape.kind, (0.0, 0.0, 0.0))
    centre = np.array(shape.position, float)
    if shape.geometry is None and tuple(shape.quaternion) == (1.0, 0.0, 0.0, 0.0):
        return centre, np.array(half)
    rotation = rotation_matrix(shape.quaternion)
    if shape.geometry is not None:
        box = box_of(shape.geometry)
        return centre + rotation @ box[:3], np.abs(rotation) @ box[3:]
    if shape.kind == Shape.ELLIPSOID:
        return centre, np.linalg.norm(rotation * half, axis=1)
    return centre, np.abs(rotation) @ np.array(half)


def box_of(geometry: Hull | Surface | Heights) -> np.ndarray:
    """Return centre and half size (6,) of a box around a geometry; below heights there is ground."""
    if isinstance(geometry, Heights):
        ny, nx = geometry.values.shape
        reach = np.array([0.5 * (nx - 1) * geometry.dx, 0.5 * (ny - 1) * geometry.dy])
        top, bottom = float(geometry.values.max()), float(geometry.values.min())
        low = np.array([*-reach, bottom - max(2.0 * float(reach.max()), top - bottom)])
        high = np.array([*reach, top])
    else:
        low, high = geometry.vertices.min(axis=0), geometry.vertices.max(axis=0)
    return np.concatenate([(low + high) / 2.0, (high - low) / 2.0])


def body_bounds(body: BodyDescription) -> tuple[np.ndarray, float]:
    """Return the box (centre, half size) and the radius around all shapes of a body."""
    low = high = None
    radius = 0.0
    for shape in body.shapes:
        if shape.kind in (Shape.PLANE, Shape.MESH):
            continue
        centre, half = shape_extent(shape)
        if low is None or high is None:
            low, high = centre - half, centre + half
        else:
            low, high = np.minimum(low, centre - half), np.maximum(high, centre + half)
        own = _length(half)
        if shape.kind in (Shape.SPHERE, Shape.ELLIPSOID):
            own = max(shape.size)
        radius = max(radius, _length(centre) + own)
    if low is None or high is None:
        return np.zeros(6), 0.0
    return np.concatenate([(low + high) / 2, (high - low) / 2]), radius


def _length(vector: np.ndarray) -> float:
    """Return the length of a vector; `numpy.linalg.norm` does the same, five times as slowly."""
    return sqrt(vector.dot(vector))
