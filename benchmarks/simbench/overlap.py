"""How deep bodies overlap, from their poses alone, so that every engine is judged by the same measure."""

from __future__ import annotations

import numpy as np

from simbench.scene import Scene


def depths(scene: Scene, positions: np.ndarray, orientations: np.ndarray) -> np.ndarray:
    """Return all overlaps > 0 [m] of equal balls or of boxes, with each other and the plane z = 0."""
    kinds = {body.kind for body in scene.bodies}
    if kinds == {"sphere"}:
        return balls(positions, scene.bodies[0].size[0], bool(scene.ground))
    if kinds == {"box"}:
        size = np.array([body.size for body in scene.bodies])
        return boxes(positions, rotations(orientations), size / 2, bool(scene.ground))
    raise ValueError(f"{scene.name}: overlaps are known for balls or for boxes, not for {kinds}")


def balls(centres: np.ndarray, radius: float, has_ground: bool) -> np.ndarray:
    """Return overlaps of equal balls."""
    square = (centres**2).sum(axis=1)
    far = square[:, None] + square - 2.0 * centres @ centres.T > (2.0 * radius) ** 2 + 1e-6
    first, second = np.nonzero(np.triu(~far, 1))
    depth = 2.0 * radius - np.linalg.norm(centres[first] - centres[second], axis=1)
    if has_ground:
        depth = np.concatenate([depth, radius - centres[:, 2]])
    return np.asarray(depth[depth > 0.0])


def rotations(q: np.ndarray) -> np.ndarray:
    """Return rotation matrices (n, 3, 3) of unit quaternions (w, x, y, z)."""
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]  # fmt: skip
    return np.stack(rows, axis=1).reshape(-1, 3, 3)


def boxes(centres: np.ndarray, turned: np.ndarray, half: np.ndarray, ground: bool) -> np.ndarray:
    """Return overlaps of boxes: the least over the 15 axes of the separating-axis test."""
    reach = np.linalg.norm(half, axis=1)
    square = (centres**2).sum(axis=1)
    distance = square[:, None] + square - 2.0 * centres @ centres.T
    first, second = np.nonzero(np.triu(distance < (reach[:, None] + reach) ** 2 + 1e-9, 1))
    a, b = turned[first], turned[second]  # columns are the boxes' axes
    edges = np.cross(a[:, :, :, None], b[:, :, None, :], axisa=1, axisb=1, axisc=1)
    axes = np.concatenate([a, b, edges.reshape(len(a), 3, 9)], axis=2)
    length = np.linalg.norm(axes, axis=1)
    parallel = length < 1e-6  # edges that are parallel: the faces decide
    axes = axes / np.where(parallel, 1.0, length)[:, None, :]
    extent = sum(
        np.einsum("ni,nij->nj", half[side], np.abs(np.einsum("nki,nkj->nij", r, axes)))
        for side, r in ((first, a), (second, b))
    )
    apart = np.abs(np.einsum("nk,nkj->nj", centres[second] - centres[first], axes))
    depth = np.where(parallel, np.inf, extent - apart).min(axis=1, initial=np.inf)
    if ground:
        lowest = centres[:, 2] - (np.abs(turned[:, 2, :]) * half).sum(axis=1)
        depth = np.concatenate([depth, -lowest])
    return np.asarray(depth[depth > 0.0])
