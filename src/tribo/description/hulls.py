"""Geometry that shapes share: convex hulls with flat faces, triangle surfaces, their mass.

Plain NumPy on the way into the model; the kernels never see these classes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.asides import aside
from tribo.checks import check

MAX_VERTICES = 256  # of a hull; one with more is made simpler
MANY = 10_000  # points or triangles from which on work may take longer than Ctrl-C should wait
COPLANAR = 1e-7  # [rad] faces that enclose less are one
WELD = 1e-7  # [-] of the size: vertices nearer than this are one
FLAT = 1e-10  # [-] area of a triangle in squares of its longest edge: below, it has none
EVEN = 1e-6  # [rad] fold of an edge up to which its triangles are one face
OPEN = 4.0  # [rad] the fold at the border of a surface
SMALLEST = 1e-9  # [m] size of a hull: its volume is still far from the least number
THIN = 1e-6  # [-] of the size: what is thinner than this has no inside


class FlatError(ValueError):
    """Points lie in one plane: they enclose nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A convex solid: corners and flat faces.

    Attributes:
        vertices: (n, 3) [m].
        faces: Per face its corners, entries of `vertices`, anticlockwise seen from outside.
        normals: (f, 3) outward unit normals.
    """

    vertices: np.ndarray
    faces: tuple[np.ndarray, ...]
    normals: np.ndarray

    @property
    def half_width(self) -> float:
        """Half of the least width across a face [m]."""
        heights = self.vertices @ self.normals.T
        return 0.5 * float((heights.max(axis=0) - heights.min(axis=0)).min())

    @property
    def triangles(self) -> np.ndarray:
        """The faces cut into triangles, (m, 3) entries of `vertices`."""
        return np.array([(f[0], f[k], f[k + 1]) for f in self.faces for k in range(1, len(f) - 1)])

    @property
    def volume(self) -> float:
        """[m³]."""
        return volume_moments(self.vertices, self.triangles)[0]

    @property
    def rings(self) -> list[tuple[list[int], list[int]]]:
        """Per corner the corners that share a triangle with it, and the faces around it, in rising order."""
        near: list[set[int]] = [set() for _ in self.vertices]
        around: list[list[int]] = [[] for _ in self.vertices]
        for triangle in self.triangles.tolist():
            for k in triangle:
                near[k].update(triangle)
        for number, face in enumerate(self.faces):
            for k in face.tolist():
                around[k].append(number)
        return [(sorted(ks - {k}), around[k]) for k, ks in enumerate(near)]


def checked_points(points: Any, what: str) -> np.ndarray:
    """Return an (n, 3) array of finite numbers.

    Raises:
        ValueError: It is something else, or some number is absurdly large; the message says what.
    """
    if isinstance(points, (str, os.PathLike)):
        raise TypeError(
            f"{what} must be an (n, 3) array of points, got the path {check.shown(str(points))}; a mesh file "
            "is read by add_mesh(path, …)"
        )
    try:
        given = np.asarray(points)
        is_read = given.dtype.kind in "fiu" and not check.is_masked(points)
        array = np.array(given, np.float64) if is_read else None
    except (TypeError, ValueError):
        array = None
    if array is None:
        raise ValueError(f"{what} must be an (n, 3) array of real numbers, none of them masked")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{what} must have shape (n, 3), got {array.shape}")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        raise ValueError(f"{what}: row {bad[0]} is {array[bad[0]].tolist()}, must be finite")
    return check.within_range(array, what)


def convex_hull(points: Any, what: str = "vertices") -> Hull:
    """Return the convex hull of points.

    Args:
        points: (n, 3) [m], at least four that are not in one plane.
        what: How error messages call them.

    Raises:
        ValueError: Too few points, not finite, all in one plane, less than a nanometre apart, or too far from
            the origin to have a hull.
        ImportError: SciPy is missing.

    Example:
        >>> import itertools
        >>> cube = convex_hull(list(itertools.product((-0.5, 0.5), repeat=3)))
        >>> len(cube.vertices), len(cube.faces), round(cube.volume, 12)
        (8, 6, 1.0)
    """
    array = checked_points(points, what)
    return aside(lambda: _solid(array, what), lasts=len(array) > MANY)


def _solid(array: np.ndarray, what: str) -> Hull:
    """Return the convex hull of checked points."""
    size = float(np.ptp(array, axis=0).max()) if len(array) else 0.0
    if len(array) < 4 or size == 0.0:
        raise ValueError(f"{what}: a solid needs 4 different points or more, got {len(array)}")
    if size < SMALLEST:
        raise ValueError(
            f"{what}: the solid is {size:g} m large, less than the {SMALLEST:g} m allowed; are the unit and "
            "the scale right?"
        )
    spread = np.linalg.svd(array - array.mean(axis=0), compute_uv=False)[2] / np.sqrt(len(array))
    if spread < THIN * size:
        raise FlatError(
            f"{what}: all {len(array)} points lie in one plane (thickness {spread:g} m); a solid must "
            "have a volume, use a thin box instead"
        )
    try:
        return _hull(_fewer(array))
    except RuntimeError:  # Qhull's errors are of this kind
        far = float(np.abs(array).max())
        raise ValueError(
            f"{what}: rounding leaves no solid of {size:g} m that is {far:g} m from the origin; move the "
            "points near the origin"
        ) from None


def _qhull(points: np.ndarray) -> Any:
    with check.needed('convex hulls need SciPy: pip install "tribo[mesh]"'):
        from scipy.spatial import ConvexHull
    return ConvexHull(points)


def _corners(points: np.ndarray) -> np.ndarray:
    """Return the corners of the hull, in the order of the points; they are looked for `MANY` at a time."""
    kept = np.arange(len(points))
    while len(kept) > MANY:
        parts = [kept[k : k + MANY] for k in range(0, len(kept), MANY)]
        found = [part[_solid_corners(points[part])] for part in parts]
        left = np.concatenate(found)
        if len(left) == len(kept):
            break
        kept = left
    return np.sort(kept[_qhull(points[kept]).vertices])


def _solid_corners(points: np.ndarray) -> np.ndarray:
    """Return which points may be corners: all of them where a part lies in a plane."""
    try:
        return np.asarray(_qhull(points).vertices)
    except RuntimeError:
        return np.arange(len(points))


def _fewer(points: np.ndarray) -> np.ndarray:
    """Return the corners of the hull; of very many those that are farthest in evenly spread directions."""
    if len(points) > MANY:  # whoever is farthest is a corner: those may be enough
        farthest = _farthest(points)
        if len(farthest) >= MAX_VERTICES:
            return np.asarray(points[farthest[:MAX_VERTICES]])
    corners = points[_corners(points)]
    if len(corners) <= MAX_VERTICES:
        return np.asarray(corners)
    return np.asarray(corners[_farthest(corners)[:MAX_VERTICES]])


def _farthest(points: np.ndarray) -> np.ndarray:
    """Return the points that are farthest in evenly spread directions, those first that are so most often."""
    k = np.arange(4 * MAX_VERTICES) + 0.5  # a spiral over the sphere
    z = 1.0 - 2.0 * k / len(k)
    turn = np.pi * (1.0 + 5.0**0.5) * k
    across = np.sqrt(1.0 - z * z)
    directions = np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)
    order = [np.argmax(points @ direction) for direction in directions]
    numbers, counts = np.unique(order, return_counts=True)
    return np.asarray(numbers[np.argsort(-counts, kind="stable")])


def _hull(points: np.ndarray) -> Hull:
    """Return a hull whose coplanar triangles are one face."""
    made = _qhull(points)
    normal = made.equations[:, :3]
    group = np.arange(len(normal))
    changed = True
    while changed:  # neighbours in one plane get the lower number
        near = group[made.neighbors]
        is_one = np.linalg.norm(normal[:, None] - normal[made.neighbors], axis=2) < COPLANAR
        lower = np.minimum(group, np.where(is_one, near, len(group)).min(axis=1))
        changed = bool((lower != group).any())
        group = lower
    number = np.full(len(points), -1)
    number[made.vertices] = np.arange(len(made.vertices))
    faces, normals = [], []
    for first in np.unique(group):
        corners = np.unique(made.simplices[group == first])
        n = normal[first] / np.linalg.norm(normal[first])
        arm = points[corners] - points[corners].mean(axis=0)
        u = arm[0] - n * (arm[0] @ n)
        u /= np.linalg.norm(u)
        v = (n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0])
        angle = np.arctan2(arm @ v, arm @ u)  # `np.cross` takes 0.1 ms a face
        faces.append(number[corners[np.argsort(angle)]])
        normals.append(n)
    return Hull(points[made.vertices], tuple(faces), np.array(normals))


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Triangles with the solid below them, and a tree of boxes around them.

    Attributes:
        vertices: (n, 3) [m].
        triangles: (m, 3) entries of `vertices`, anticlockwise seen from outside.
        folds: (m, 3) [rad] by how much the surface bends down over each edge; 4: an edge without neighbour.
        owns: (m,) bits of corners (0–2) and edges (3–5) where the surface is convex, each of one triangle.
        normals: (n, 3) unit normals at the vertices, means of those of the triangles by their angles.
        boxes: (k, 6) [m] min, max of each node of the tree, depth first.
        skips: (k,) the node to go on with if the box is missed.
        leaves: (k,) the triangle of a node, −1: its children follow.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    folds: np.ndarray
    owns: np.ndarray
    normals: np.ndarray
    boxes: np.ndarray
    skips: np.ndarray
    leaves: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Heights:
    """A height map centred on the origin.

    Attributes:
        values: (ny, nx) [m], row j at y = (j − (ny − 1)/2) dy.
        dx, dy: [m] distance of the samples.
    """

    values: np.ndarray
    dx: float
    dy: float


def checked_triangles(vertices: Any, triangles: Any, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3) and triangles (m, 3), entries of the vertices.

    Raises:
        ValueError: Wrong shapes, numbers out of range or not finite; the message says what.
    """
    points = checked_points(vertices, f"vertices of {what}")
    try:
        faces = np.asarray(triangles)
    except ValueError:  # lists of different lengths
        raise ValueError(
            f"triangles of {what} must be (m, 3) integers, got {check.shown(triangles)}"
        ) from None
    if faces.ndim != 2 or faces.shape[1] != 3 or not np.issubdtype(faces.dtype, np.integer):
        raise ValueError(f"triangles of {what} must be (m, 3) integers, got {faces.dtype} {faces.shape}")
    if faces.size and (faces.min() < 0 or faces.max() >= len(points)):
        raise ValueError(
            f"triangles of {what} name vertex {faces.min() if faces.min() < 0 else faces.max()}, "
            f"there are {len(points)}"
        )
    return points, faces


def surface(vertices: Any, triangles: Any, what: str = "mesh") -> Surface:
    """Return a surface ready for collision: vertices welded, empty triangles dropped.

    Args:
        vertices: (n, 3) [m].
        triangles: (m, 3) integers, anticlockwise seen from outside.
        what: How error messages call it.

    Raises:
        ValueError: Wrong shapes, numbers out of range or not finite, or no triangle with an area.
    """
    points, faces = checked_triangles(vertices, triangles, what)
    return aside(lambda: _surface(points, faces, what), lasts=len(faces) > MANY)


def _welded(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first point of each place, places in rising order, and the place of each point."""
    order = np.lexsort(points.T[::-1])  # np.unique(axis=0) would hear no signal while it sorts
    is_first = np.ones(len(points), bool)
    is_first[1:] = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    place = np.empty(len(points), np.int64)
    place[order] = np.cumsum(is_first) - 1
    return order[is_first], place


def _surface(points: np.ndarray, faces: np.ndarray, what: str) -> Surface:
    """Return the surface of checked triangles."""
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    if size > 0.0:
        first, place = _welded(np.round(points / (WELD * size)))
        points, faces = points[first], place[faces]
    normals = np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]])
    lengths = np.linalg.norm(normals, axis=1)
    longest = np.linalg.norm(points[faces] - points[np.roll(faces, 1, axis=1)], axis=2).max(axis=1)
    kept = lengths > FLAT * longest**2
    if not kept.any():
        raise ValueError(f"{what} has no triangle with an area ({len(faces)} without)")
    faces = faces[kept].astype(np.int64)
    unit = normals[kept] / lengths[kept, None]
    boxes, skips, leaves = _tree(points[faces])
    folds = _folds(points, faces, unit)
    normals = _corner_normals(points, faces, unit)
    return Surface(points, faces, folds, _owned(faces, folds), normals, boxes, skips, leaves)


def _corner_normals(points: np.ndarray, faces: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Return unit normals (n, 3) at points: the mean of the triangles there, weighted by their angles."""
    sums = np.zeros(points.shape)
    for k in range(3):
        corner = points[faces[:, k]]
        one, other = points[faces[:, (k + 1) % 3]] - corner, points[faces[:, (k + 2) % 3]] - corner
        across = np.linalg.norm(np.cross(one, other), axis=1)
        weighted = np.arctan2(across, np.einsum("ij,ij->i", one, other))[:, None] * unit
        for axis in range(3):
            sums[:, axis] += np.bincount(faces[:, k], weighted[:, axis], len(points))
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(np.divide(sums, lengths, out=sums, where=lengths > 0.0))


def _owned(faces: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Return which corners and edges of triangles are convex, as bits, each for the first that has it."""
    is_convex = folds > EVEN
    at_corner = is_convex | np.roll(is_convex, 1, axis=1)  # edge k begins at corner k
    ends = np.roll(faces, -1, axis=1)
    pairs = np.minimum(faces, ends) * (int(faces.max()) + 1) + np.maximum(faces, ends)
    owns = np.zeros(len(faces), np.int64)
    for first, numbers, wanted in ((0, faces, at_corner), (3, pairs, is_convex)):
        places = np.flatnonzero(wanted.ravel())
        _, firsts = np.unique(numbers.ravel()[places], return_index=True)
        rows, columns = np.divmod(places[firsts], 3)
        np.add.at(owns, rows, 1 << (first + columns))
    return owns


def _folds(points: np.ndarray, faces: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Return the angle over each edge; at an edge with several neighbours the least convex counts."""
    folds = np.full(faces.shape, OPEN)
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.lexsort((high, low))
    owner, edge = order // 3, order % 3
    same = np.flatnonzero((low[order][1:] == low[order][:-1]) & (high[order][1:] == high[order][:-1]))
    for one, other in ((same, same + 1), (same + 1, same)):
        a, b, k = owner[one], owner[other], edge[one]
        along = points[faces[a, (k + 1) % 3]] - points[faces[a, k]]
        outward = np.cross(along, unit[a]) / np.linalg.norm(along, axis=1)[:, None]
        angle = np.arctan2(np.einsum("ij,ij->i", unit[b], outward), np.einsum("ij,ij->i", unit[b], unit[a]))
        np.minimum.at(folds, (a, k), angle)
    return folds


def _tree(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a tree of boxes around triangles (m, 3, 3), one triangle per leaf, depth first."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = 0.5 * (low + high)
    count = 2 * len(corners) - 1
    boxes, skips = np.empty((count, 6)), np.empty(count, np.int64)
    leaves = np.full(count, -1, np.int64)
    waiting = [(0, np.arange(len(corners)))]
    while waiting:
        node, own = waiting.pop()
        boxes[node] = [*low[own].min(axis=0), *high[own].max(axis=0)]
        skips[node] = node + 2 * len(own) - 1
        if len(own) == 1:
            leaves[node] = own[0]
            continue
        axis = int(np.argmax(np.ptp(middle[own], axis=0)))
        half = len(own) // 2
        own = own[np.argsort(middle[own, axis], kind="stable")]
        waiting.append((node + 1, own[:half]))
        waiting.append((node + 2 * half, own[half:]))
    return boxes, skips, leaves


def volume_moments(vertices: np.ndarray, triangles: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return volume, centroid and ∫ r rᵀ dV about the centroid of what a closed surface encloses.

    Args:
        vertices: (n, 3) [m].
        triangles: (m, 3) entries of `vertices`, anticlockwise seen from outside.

    Source: tetrahedra from one point; ∫ over a tetrahedron as in Tonon 2004.
    """
    return aside(lambda: _volume_moments(vertices, triangles), lasts=len(triangles) > MANY)


def _volume_moments(vertices: np.ndarray, triangles: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    middle = vertices.mean(axis=0)
    a, b, c = np.moveaxis(vertices[triangles] - middle, 1, 0)
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    volume = float(volumes.sum())
    if volume == 0.0:
        return 0.0, middle, np.zeros((3, 3))
    total = a + b + c
    first = (volumes[:, None] * total).sum(axis=0) / 4.0
    second = sum(np.einsum("i,ij,ik->jk", volumes, p, p) for p in (a, b, c, total)) / 20.0
    centre = first / volume
    return volume, middle + centre, second - volume * np.outer(centre, centre)


def solid_inertia(second: np.ndarray) -> np.ndarray:
    """Return the inertia (3, 3) of a density-weighted second moment ∫ ρ r rᵀ dV."""
    return np.asarray(np.eye(3) * np.trace(second) - second)
