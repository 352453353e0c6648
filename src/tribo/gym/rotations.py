"""Vectors turned by unit quaternions, row by row, for terms."""

from __future__ import annotations

import numpy as np

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


def turned(q: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return R(q) w: vectors in body axes as they are in world axes, (n, 3).

    Args:
        q: Unit quaternions (w, x, y, z), (n, 4).
        w: Vectors (n, 3) in axes of the body.

    Example:
        >>> turned(np.array([[0.5**0.5, 0, 0, 0.5**0.5]]), np.array([[1.0, 0, 0]])).round(6)[:, 1].tolist()
        [1.0]
    """
    return np.asarray(w + 2.0 * np.cross(q[:, 1:], np.cross(q[:, 1:], w) + q[:, :1] * w))


def turned_back(q: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return R(q)ᵀ w: vectors in world axes as they are in body axes, (n, 3).

    Args:
        q: Unit quaternions (w, x, y, z), (n, 4).
        w: Vectors (n, 3) in world axes.
    """
    return turned(q * CONJUGATE, w)
