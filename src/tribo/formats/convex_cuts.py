"""Cut a closed mesh into convex parts until no point of them is further outside of it than a tolerance.

The part with the deepest wrong point is cut by the plane that leaves the least volume of hulls, until all are
good enough or there are as many as allowed. A part is what the mesh has within some half spaces, so its hull
holds all of that; what is wrong is only what a hull has too much.
Source: recursive cuts as in Mamou and Ghorbel 2009; the measure is a distance instead of a volume.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from tribo.description.hulls import Hull, convex_hull

MAX_TRIANGLES = 50_000
MAX_HULLS = 64  # unless more are asked for
FRACTIONS = (0.5, 1.0 / 3.0, 2.0 / 3.0)  # of a part's extent, where it is cut
BLOCK = 1 << 21  # pairs of points and triangles that are in memory at once
SMALL = 1e-9  # [–] of the size: on a plane
Planes = list[tuple[np.ndarray, float]]


@dataclass(order=True, slots=True)
class _Part:
    """The part of a mesh within half spaces."""

    rank: float  # minus its deepest wrong point [m]
    number: int
    triangles: np.ndarray = field(compare=False)  # (m, 3, 3) [m] clipped
    planes: Planes = field(compare=False)  # n, d of n · x ≤ d
    hull: Hull = field(compare=False)


def cut(
    vertices: np.ndarray, triangles: np.ndarray, tolerance: float, max_hulls: int = MAX_HULLS
) -> tuple[list[Hull], float]:
    """Return convex solids that together hold a closed mesh, and their deepest wrong point [m].

    Args:
        vertices: (n, 3) [m].
        triangles: (m, 3) entries of `vertices`, anticlockwise seen from outside.
        tolerance: [m] how far a point of a part may be outside of the mesh.
        max_hulls: Most parts; the tolerance is not reached if more are needed.

    Raises:
        ValueError: The mesh has no volume, or more than 50 000 triangles.

    Example:
        >>> box = convex_hull([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
        >>> hulls, deepest = cut(box.vertices, box.triangles, 1e-3)
        >>> len(hulls), deepest < 1e-12
        (1, True)
    """
    if len(triangles) > MAX_TRIANGLES:
        raise ValueError(
            f"{len(triangles)} triangles are more than {MAX_TRIANGLES} that are measured; make the mesh "
            "simpler, or leave tolerance out"
        )
    mesh = np.asarray(vertices, np.float64)[triangles]
    whole = _part(mesh, mesh, [], 0)
    if whole is None:
        raise ValueError("the mesh has no volume that could be cut")
    todo = [whole]
    done: list[_Part] = []
    number = 1
    while todo and -todo[0].rank > tolerance and len(todo) + len(done) < max_hulls:
        worst = heapq.heappop(todo)
        found = _halves(mesh, worst, number)
        number += 2
        if len(found) < 2:
            done.append(worst)
        else:
            for part in found:
                heapq.heappush(todo, part)
    parts = [*todo, *done]
    return [part.hull for part in parts], max(-part.rank for part in parts)


def _part(mesh: np.ndarray, triangles: np.ndarray, planes: Planes, number: int) -> _Part | None:
    """Return a part, None: it encloses nothing."""
    points = np.concatenate([triangles.reshape(-1, 3), _corners(mesh, planes)])
    try:
        hull = convex_hull(points, "a part")
    except ValueError:
        return None
    return _Part(-deepest_wrong_point(mesh, hull), number, triangles, planes, hull)


def _halves(mesh: np.ndarray, part: _Part, number: int) -> list[_Part]:
    """Cut a part where that leaves the least volume of hulls."""
    points = part.triangles.reshape(-1, 3)
    middle = points.mean(axis=0)
    axes = np.linalg.svd(points - middle, full_matrices=False)[2]
    best, least = None, np.inf
    for normal in (*np.eye(3), *axes):
        heights = points @ normal
        low, high = float(heights.min()), float(heights.max())
        for fraction in FRACTIONS:
            at = low + fraction * (high - low)
            sides = [clip(part.triangles, sign * normal, sign * at) for sign in (1.0, -1.0)]
            try:
                volume = sum(convex_hull(side.reshape(-1, 3)).volume for side in sides)
            except ValueError:
                continue
            if volume < least * (1.0 - 1e-9):
                best, least = (normal, at, sides), volume
    if best is None:
        return []
    normal, at, sides = best
    made = []
    for k, (sign, side) in enumerate(zip((1.0, -1.0), sides, strict=True)):
        half = _part(mesh, side, [*part.planes, (sign * normal, sign * at)], number + k)
        if half is not None:
            made.append(half)
    return made


def clip(triangles: np.ndarray, normal: np.ndarray, offset: float) -> np.ndarray:
    """Return what triangles, (m, 3, 3), have on one side of a plane, n · x ≤ d, as triangles.

    Example:
        >>> half = clip(np.array([[(0, 0, 0), (2, 0, 0), (0, 2, 0)]], float), np.array([1.0, 0, 0]), 1.0)
        >>> float(half[..., 0].max()), len(half)
        (1.0, 2)
    """
    heights = triangles @ normal - offset
    size = float(np.abs(heights).max(initial=0.0))
    is_in = heights <= SMALL * size
    count = is_in.sum(axis=1)
    made = [triangles[count == 3]]
    for inside in (1, 2):
        chosen = count == inside
        own, level, marks = triangles[chosen], heights[chosen], is_in[chosen]
        # The corner that is alone on its side comes first.
        first = np.argmax(marks if inside == 1 else ~marks, axis=1)
        turn = (first[:, None] + np.arange(3)) % 3
        a, b, c = (np.take_along_axis(own, turn[:, [k], None], axis=1)[:, 0] for k in range(3))
        ha, hb, hc = (np.take_along_axis(level, turn[:, [k]], axis=1) for k in range(3))
        ab, ac = a + (b - a) * (ha / (ha - hb)), a + (c - a) * (ha / (ha - hc))
        if inside == 1:
            made.append(np.stack([a, ab, ac], axis=1))
        else:
            made += [np.stack([ab, b, c], axis=1), np.stack([ab, c, ac], axis=1)]
    return np.concatenate(made)


def _corners(mesh: np.ndarray, planes: Planes) -> np.ndarray:
    """Return the points, (k, 3), where three planes meet within the mesh: no triangle has them."""
    found = []
    for chosen in combinations(planes, 3):
        normals = np.array([normal for normal, _ in chosen])
        if abs(float(np.linalg.det(normals))) < 1e-6:
            continue
        point = np.linalg.solve(normals, np.array([offset for _, offset in chosen]))
        size = 1.0 + float(np.abs(point).max())
        if all(float(normal @ point) <= offset + SMALL * size for normal, offset in planes):
            found.append(point)
    if not found:
        return np.zeros((0, 3))
    points = np.array(found)
    return np.asarray(points[winding(mesh, points) > 0.5])


def deepest_wrong_point(mesh: np.ndarray, hull: Hull) -> float:
    """Return how far the deepest of a hull's sampled points is outside of a mesh, (m, 3, 3) [m].

    Samples are the corners, the middles of edges and faces' triangles, and points halfway to the centre.
    """
    corners = hull.vertices[hull.triangles]
    edges = 0.5 * (corners + corners[:, [1, 2, 0]])
    outer = np.unique(np.concatenate([hull.vertices, edges.reshape(-1, 3), corners.mean(axis=1)]), axis=0)
    centre = hull.vertices.mean(axis=0)
    points = np.concatenate([outer, 0.5 * (outer + centre), centre[None]])
    outside = points[winding(mesh, points) < 0.5]
    return float(distance(mesh, outside).max(initial=0.0))


def winding(mesh: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return how often a closed mesh, (m, 3, 3), winds round points, (n, 3): 1 inside, 0 outside.

    Source: van Oosterom and Strackee 1983, the solid angle of a triangle.
    """
    made = np.zeros(len(points))
    step = max(1, BLOCK // max(len(mesh), 1))
    for first in range(0, len(points), step):
        arms = mesh[None] - points[first : first + step, None, None]
        a, b, c = arms[:, :, 0], arms[:, :, 1], arms[:, :, 2]
        la, lb, lc = (np.linalg.norm(x, axis=2) for x in (a, b, c))
        volume = np.einsum("pmk,pmk->pm", a, np.cross(b, c))
        below = (
            la * lb * lc + np.einsum("pmk,pmk->pm", a, b) * lc + np.einsum("pmk,pmk->pm", b, c) * la
            + np.einsum("pmk,pmk->pm", c, a) * lb
        )  # fmt: skip
        made[first : first + step] = np.arctan2(volume, below).sum(axis=1) / (2.0 * np.pi)
    return made


def distance(mesh: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the distance of points, (n, 3), from triangles, (m, 3, 3) [m]."""
    made = np.zeros(len(points))
    a, ab, ac = mesh[:, 0], mesh[:, 1] - mesh[:, 0], mesh[:, 2] - mesh[:, 0]
    normal = np.cross(ab, ac)
    square = np.einsum("mk,mk->m", normal, normal)
    good = square > 0.0
    step = max(1, BLOCK // max(len(mesh), 1))
    for first in range(0, len(points), step):
        own = points[first : first + step, None]
        nearest = np.full((own.shape[0], len(mesh)), np.inf)
        for p, q in ((0, 1), (1, 2), (2, 0)):
            edge = mesh[:, q] - mesh[:, p]
            length = np.maximum(np.einsum("mk,mk->m", edge, edge), 1e-300)
            arm = own - mesh[:, p]
            along = np.clip(np.einsum("nmk,mk->nm", arm, edge) / length, 0.0, 1.0)
            gap = arm - along[..., None] * edge
            nearest = np.minimum(nearest, np.linalg.norm(gap, axis=2))
        arm = own - a
        u = np.einsum("nmk,mk->nm", np.cross(arm, ac), normal) / np.where(good, square, 1.0)
        v = np.einsum("nmk,mk->nm", np.cross(ab, arm), normal) / np.where(good, square, 1.0)
        above = np.abs(np.einsum("nmk,mk->nm", arm, normal)) / np.sqrt(np.where(good, square, 1.0))
        is_over = good & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
        nearest = np.where(is_over, np.minimum(nearest, above), nearest)
        made[first : first + step] = nearest.min(axis=1)
    return made
