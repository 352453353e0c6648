"""Closed meshes for tests: boxes, rings, nuts and bolts."""

from __future__ import annotations

import numpy as np

BOX = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
    (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip
Triangles = tuple[np.ndarray, np.ndarray]


def box(x: float, y: float, z: float) -> Triangles:
    """Return a box with these edges about the origin [m]."""
    corners = [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    return np.array(corners) * np.array([x, y, z]) / 2, np.array(BOX)


def turned(profile: np.ndarray, angles: np.ndarray) -> Triangles:
    """Return what an outline (n, 2) of radius and height, anticlockwise, leaves as it turns about z."""
    count, m = len(angles), len(profile)
    r, z = profile[None, :, 0], np.broadcast_to(profile[:, 1], (count, m))
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    i, j = np.divmod(np.arange(count * m), m)
    p, q = i * m + j, i * m + (j + 1) % m
    after, beyond = (i + 1) % count * m + j, (i + 1) % count * m + (j + 1) % m
    faces = np.concatenate([np.stack([p, after, q], 1), np.stack([q, after, beyond], 1)])
    return np.stack([r * c, r * s, z], axis=-1).reshape(-1, 3), faces


def ring(inner: float, outer: float, height: float, corners: int = 64) -> Triangles:
    """Return a ring about z whose hole takes a round shaft of radius `inner` [m]."""
    near, h = inner / np.cos(np.pi / corners), height / 2
    outline = np.array([(near, -h), (outer, -h), (outer, h), (near, h)])
    return turned(outline, 2 * np.pi * np.arange(corners) / corners)


def _thread(pitch: float, minor: float, major: float, z: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Return radii (heights, angles) of a thread: crests of an eighth, roots of a quarter of the pitch."""
    phase = (z[:, None] / pitch - angles / (2 * np.pi)) % 1.0
    share = np.clip((np.abs(phase - 0.5) - 1 / 16) / (3 / 8 - 1 / 16), 0.0, 1.0)
    return major + (minor - major) * share


def threaded(
    pitch: float, minor: float, major: float, low: float, high: float, outer: float = 0.0, corners: int = 32
) -> Triangles:  # fmt: skip
    """Return a bolt from height `low` to `high`, or, with an outer radius, a nut [m]."""
    rows = round((high - low) / pitch * 8) + 1
    z, angles = np.linspace(low, high, rows), 2 * np.pi * np.arange(corners) / corners
    r = _thread(pitch, minor, major, z, angles)
    c, s = np.cos(angles), np.sin(angles)
    thread = np.stack([r * c, r * s, np.broadcast_to(z[:, None], r.shape)], axis=-1).reshape(-1, 3)
    i, j = np.divmod(np.arange((rows - 1) * corners), corners)
    p, q = i * corners + j, i * corners + (j + 1) % corners
    over, beyond = p + corners, q + corners
    faces = np.concatenate([np.stack([p, q, beyond], 1), np.stack([p, beyond, over], 1)])
    j, k = np.arange(corners), (np.arange(corners) + 1) % corners
    top, n = (rows - 1) * corners, len(thread)
    if outer == 0.0:
        caps = [np.stack([np.full(corners, n), k, j], 1)]
        caps.append(np.stack([np.full(corners, n + 1), top + j, top + k], 1))
        return np.vstack([thread, (0, 0, low), (0, 0, high)]), np.concatenate([faces, *caps])
    rim = [np.stack([outer * c, outer * s, np.full(corners, h)], axis=1) for h in (low, high)]
    down, up = n + j, n + corners + j
    down_k, up_k = n + k, n + corners + k
    shell = [
        (down, down_k, up_k), (down, up_k, up), (j, k, down_k), (j, down_k, down), (top + j, up, up_k),
        (top + j, up_k, top + k),
    ]  # fmt: skip
    sides = np.concatenate([np.stack(three, axis=1) for three in shell])
    return np.vstack([thread, *rim]), np.concatenate([faces[:, ::-1], sides])
