"""Triangles of VRML's geometry nodes. Source: ISO/IEC 14772-1:1997, 6.5 to 6.46."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from tribo.formats import pose
from tribo.formats.mesh_bounds import MAX_FACES, MeshError
from tribo.formats.pose import matrix, normalized

SEGMENTS = 32  # of a circle
NARROW = 1e-12  # [–] sine below which directions count as parallel
Triangles = tuple[np.ndarray, np.ndarray]


@dataclass(slots=True)
class Element:
    """A node: its type, and its fields: arrays of numbers, texts, words, nodes or lists of nodes."""

    type: str
    fields: dict[str, Any] = field(default_factory=dict)

    def numbers(self, name: str, default: Any, width: int = 1) -> np.ndarray:
        """Return a field as an array of rows of numbers."""
        given = self.fields.get(name)
        if given is None:
            return np.array(default, float).reshape(-1, width)
        if not isinstance(given, np.ndarray) or given.size % width:
            raise MeshError(f"{name} of {self.type} must be numbers, {width} at a time")
        if not np.isfinite(given).all():
            raise MeshError(f"{name} of {self.type} holds a number that is not finite")
        return given.reshape(-1, width)

    def is_true(self, name: str, *, default: bool) -> bool:
        """Return a field that is TRUE or FALSE."""
        return bool(self.fields.get(name, "TRUE" if default else "FALSE") == "TRUE")


def turn(axis_angle: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of an axis and an angle [rad]; without direction that of no turn."""
    *axis, angle = axis_angle.tolist()
    return matrix(pose.turn(normalized(tuple(axis)), angle)) if any(axis) else np.eye(3)


def affine(node: Element) -> np.ndarray:
    """Return what a Transform does, (4, 4).   T C R S_R S S_R⁻¹ C⁻¹"""
    shift = row(node, "translation", (0.0, 0.0, 0.0))
    centre = row(node, "center", (0.0, 0.0, 0.0))
    scale = np.diag(row(node, "scale", (1.0, 1.0, 1.0)))
    rotation = turn(row(node, "rotation", (0.0, 0.0, 1.0, 0.0)))
    along = turn(row(node, "scaleOrientation", (0.0, 0.0, 1.0, 0.0)))
    linear = rotation @ along @ scale @ along.T
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = linear, shift + centre - linear @ centre
    return made


def row(node: Element, name: str, default: tuple[float, ...]) -> np.ndarray:
    """Return a field that is one row of numbers."""
    found = node.numbers(name, default, len(default))
    if len(found) != 1:
        raise MeshError(f"{name} of {node.type} must be {len(default)} numbers")
    return np.asarray(found[0])


def _length(node: Element, name: str, default: float) -> float:
    value = float(row(node, name, (default,))[0])
    if not 0.0 < value < math.inf:
        raise MeshError(f"{name} of {node.type} must be > 0, got {value:g}")
    return value


def _face_set(node: Element) -> Triangles:
    """Return the triangles of an IndexedFaceSet."""
    coordinates = node.fields.get("coord")
    if coordinates is None:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    points = coordinates.numbers("point", [], 3)
    numbers = node.numbers("coordIndex", []).ravel()
    if not np.isfinite(numbers).all() or np.abs(numbers).max(initial=0.0) > 1e9:
        raise MeshError("an index of IndexedFaceSet is no index")
    index = numbers.astype(np.int64)
    if index.max(initial=-1) >= len(points):
        raise MeshError("an index of IndexedFaceSet is beyond its points")
    faces: list[np.ndarray] = []
    is_convex = node.is_true("convex", default=True)
    for polygon in np.split(index, np.flatnonzero(index < 0)):
        corners = polygon[polygon >= 0]
        if len(corners) < 3:
            continue
        if is_convex or len(corners) == 3:
            fan = [np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]]
            faces.append(np.column_stack(fan))
        else:
            faces.append(corners[clipped(points[corners])])
    made = np.concatenate(faces) if faces else np.zeros((0, 3), np.int64)
    return points, made if node.is_true("ccw", default=True) else made[:, ::-1]


def clipped(points: np.ndarray) -> np.ndarray:
    """Return the triangles of a plane polygon that need not be convex: ears are cut off, one after another.

    Example:
        >>> dart = np.array([[0.0, 0, 0], [2, 2, 0], [0, 1, 0], [-2, 2, 0]])
        >>> clipped(dart).tolist()
        [[0, 1, 2], [0, 2, 3]]
    """
    after = np.roll(points, -1, axis=0)
    normal = np.cross(points, after).sum(axis=0)
    drop = int(np.argmax(np.abs(normal)))
    flat = np.delete(points, drop, axis=1)
    if (normal[drop] < 0.0) != (drop == 1):
        flat = flat[:, ::-1]
    if len(flat) > 2000:
        raise MeshError(f"a polygon that is not convex has {len(flat)} corners, at most 2000 are read")
    left = list(range(len(flat)))
    made: list[list[int]] = []

    def area(a: int, b: int, c: int) -> float:
        (ax, ay), (bx, by), (cx, cy) = flat[a], flat[b], flat[c]
        return float((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))

    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            if area(a, b, c) > 0.0 and not any(
                area(a, b, p) >= 0.0 and area(b, c, p) >= 0.0 and area(c, a, p) >= 0.0
                for p in left
                if p not in (a, b, c)
            ):
                break
        else:
            k = 1  # it crosses itself: some triangle is as good as another
            a, b, c = left[0], left[1], left[2]
        made.append([a, b, c])
        del left[k]
    return np.array([*made, left])


def _box(node: Element) -> Triangles:
    size = row(node, "size", (2.0, 2.0, 2.0))
    if not size.min() >= 0.0 or np.count_nonzero(size) < 2:
        raise MeshError("size of Box must be > 0; one of three may be 0, of a plate")
    corners = 0.5 * size * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    if size.min() == 0.0:  # a plate has its two faces only
        first = 2 * int(np.argmin(size))
        quads = quads[first : first + 2]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def _lathe(outline: Any, radius: float, half: float) -> Triangles:
    """Return the solid of an outline, radii and heights from the lowest up, turned round y and scaled."""
    trimesh: Any = import_module("trimesh")  # which reads all meshes
    made = trimesh.creation.revolve(outline, sections=SEGMENTS)
    return np.asarray(made.vertices)[:, [1, 2, 0]] * (radius, half, radius), np.asarray(made.faces)


def _sphere(node: Element) -> Triangles:
    radius = _length(node, "radius", 1.0)
    angles = np.linspace(-0.5 * math.pi, 0.5 * math.pi, SEGMENTS // 2 + 1)
    return _lathe(np.column_stack([np.cos(angles), np.sin(angles)]), radius, radius)


def _cylinder(node: Element) -> Triangles:
    radius, half = _length(node, "radius", 1.0), 0.5 * _length(node, "height", 2.0)
    return _lathe([(0, -1), (1, -1), (1, 1), (0, 1)], radius, half)


def _cone(node: Element) -> Triangles:
    radius, half = _length(node, "bottomRadius", 1.0), 0.5 * _length(node, "height", 2.0)
    return _lathe([(0, -1), (1, -1), (0, 1)], radius, half)


def grid(heights: np.ndarray, dx: float, dz: float) -> Triangles:
    """Return the triangles of heights along y, (nz, nx), above points that are so far apart along z and x."""
    nz, nx = heights.shape
    z, x = np.mgrid[0:nz, 0:nx]
    a = (np.arange(nz - 1)[:, None] * nx + np.arange(nx - 1)).ravel()
    corners = [np.column_stack([a, a + nx, a + nx + 1]), np.column_stack([a, a + nx + 1, a + 1])]
    return np.column_stack([x.ravel() * dx, heights.ravel(), z.ravel() * dz]), np.concatenate(corners)


def _elevation(node: Element) -> Triangles:
    nx, nz = (int(row(node, name, (0.0,))[0]) for name in ("xDimension", "zDimension"))
    heights = node.numbers("height", []).ravel()
    if not nx >= 2 or not nz >= 2 or nx * nz > MAX_FACES or len(heights) != nx * nz:
        raise MeshError(f"ElevationGrid has {len(heights)} heights for {nx} × {nz}")
    dx, dz = (_length(node, name, 1.0) for name in ("xSpacing", "zSpacing"))
    points, faces = grid(heights.reshape(nz, nx), dx, dz)
    return points, faces if node.is_true("ccw", default=True) else faces[:, ::-1]


def _extrusion(node: Element) -> Triangles:
    square = [1, 1, 1, -1, -1, -1, -1, 1, 1, 1]
    made = extruded(
        node.numbers("crossSection", square, 2), node.numbers("spine", [0, 0, 0, 0, 1, 0], 3),
        node.numbers("scale", [1, 1], 2), node.numbers("orientation", [0, 0, 1, 0], 4),
        has_ends=(node.is_true("beginCap", default=True), node.is_true("endCap", default=True)),
    )  # fmt: skip
    return made[0], made[1] if node.is_true("ccw", default=True) else made[1][:, ::-1]


def extruded(
    section: np.ndarray, spine: np.ndarray, scale: np.ndarray, orientation: np.ndarray, *,
    has_ends: tuple[bool, bool] = (True, True),
) -> Triangles:  # fmt: skip
    """Return the triangles of a cross section (n, 2) that is moved along a spine (m, 3).

    The section's x and y are x and z of the plane across the spine, whose y goes along it.

    Raises:
        MeshError: The section or the spine is too short, or too large together.
    """
    if len(section) < 2 or len(spine) < 2 or len(section) * len(spine) > MAX_FACES:
        raise MeshError("Extrusion needs two points of its crossSection and its spine, and not too many")
    for what in (section, spine, scale, orientation):
        if not np.isfinite(what).all():
            raise MeshError("Extrusion holds numbers that are not finite")
    frames = _frames(spine)
    rows = []
    for k, (frame, at) in enumerate(zip(frames, spine, strict=True)):
        wide = section * scale[min(k, len(scale) - 1)]
        flat = np.column_stack([wide[:, 0], np.zeros(len(wide)), wide[:, 1]])
        rows.append(flat @ turn(orientation[min(k, len(orientation) - 1)]).T @ frame.T + at)
    n = len(section)
    here = np.arange(n - 1)
    faces = []
    for k in range(len(spine) - 1):
        a, b = k * n + here, (k + 1) * n + here
        faces += [np.column_stack([a, a + 1, b + 1]), np.column_stack([a, b + 1, b])]
    is_closed = np.array_equal(section[0], section[-1])
    edge = section[:-1] if is_closed else section
    if len(edge) >= 3 and not np.array_equal(spine[0], spine[-1]):
        cap = clipped(np.column_stack([edge[:, 0], np.zeros(len(edge)), edge[:, 1]]))
        faces += [cap[:, ::-1]] if has_ends[0] else []
        faces += [cap + (len(spine) - 1) * n] if has_ends[1] else []
    return np.concatenate(rows), np.concatenate(faces)


def _frames(spine: np.ndarray) -> list[np.ndarray]:
    """Return the axes across each point of a spine, as columns x, y (along it), z."""
    is_closed = np.array_equal(spine[0], spine[-1]) and len(spine) > 2
    count = len(spine)
    along, across = [], []
    for k in range(count):
        before = spine[count - 2 if is_closed and k == 0 else max(k - 1, 0)]
        after = spine[1 if is_closed and k == count - 1 else min(k + 1, count - 1)]
        along.append(_unit(after - before))
        z = np.cross(after - spine[k], before - spine[k])
        across.append(_unit(z, NARROW * float(np.abs(spine - spine[k]).max()) ** 2))
    straight = next((y for y in along if y.any()), np.array([0.0, 1.0, 0.0]))
    known = next((z for z in across if z.any()), _least(straight))
    frames = []
    for own, bent in zip(along, across, strict=True):
        y = own if own.any() else straight
        z = bent if bent.any() else known
        side = 1.0 if z @ known >= 0.0 else -1.0
        z = _unit(side * (z - y * (y @ z)))
        known = z if z.any() else _unit(_least(y))
        frames.append(np.column_stack([np.cross(y, known), y, known]))
    return frames


def _least(y: np.ndarray) -> np.ndarray:
    """Return the z axis of a straight spine: that of the least turn which takes y onto it."""
    axis = np.cross((0.0, 1.0, 0.0), y)
    sine, cosine = float(np.linalg.norm(axis)), float(y[1])
    if sine < NARROW:
        return np.array([0.0, 0.0, 1.0 if cosine > 0.0 else -1.0])
    return np.asarray(turn(np.array([*axis, math.atan2(sine, cosine)])) @ (0.0, 0.0, 1.0))


def _unit(v: np.ndarray, least: float = 0.0) -> np.ndarray:
    length = float(np.linalg.norm(v))
    return np.asarray(v / length) if length > least else np.zeros(3)


SHAPES: dict[str, Callable[[Element], Triangles]] = {
    "IndexedFaceSet": _face_set, "Box": _box, "Sphere": _sphere, "Cylinder": _cylinder, "Cone": _cone,
    "ElevationGrid": _elevation, "Extrusion": _extrusion,
}  # fmt: skip
