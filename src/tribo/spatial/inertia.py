"""Rigid-body inertias: from mass, centre of mass and inertia to a matrix, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.spatial.rotation import skew, vector3


def mcI(first: Any, c: Any = None, I: Any = None) -> Any:
    """Compose a rigid-body inertia from m, c and I, or take one apart.

    Args:
        first: Mass [kg] together with `c` and `I`; or an inertia, (6, 6) or planar (3, 3), alone.
        c: Centre of mass (3,) or (2,) [m], body coordinates.
        I: Rotational inertia about the centre of mass, (3, 3) or a number [kg m²], body axes.

    Returns:
        The inertia about the body's origin, or the triple (m, c, I). Of a massless body, c is zero.

        Spatial [I + m c× c×ᵀ, m c×; m c×ᵀ, m 1]; planar [I + m c·c, −m cy, m cx; −m cy, m, 0; m cx, 0, m].

    Source: Featherstone 2008, eq. 2.63; planar: section 2.16.

    Example:
        >>> m, c, I = mcI(mcI(2.0, [1.0, 0.0], 0.5))
        >>> m, c.tolist(), I
        (2.0, [1.0, 0.0], 0.5)
    """
    if c is None:
        return _taken_apart(np.asarray(first, float))
    m, centre = float(first), np.ravel(np.asarray(c, float))
    if centre.size == 2:
        x, y = m * centre
        return np.array([[float(I) + x * centre[0] + y * centre[1], -y, x], [-y, m, 0], [x, 0, m]])
    cross = skew(vector3(centre, "mcI"))
    whole = np.zeros((6, 6))
    whole[:3, :3] = np.asarray(I, float) + m * cross @ cross.T
    whole[:3, 3:], whole[3:, :3] = m * cross, m * cross.T
    whole[3:, 3:] = m * np.eye(3)
    return whole


def _taken_apart(rbi: np.ndarray) -> tuple[float, np.ndarray, Any]:
    """Return mass, centre of mass and inertia about it."""
    if rbi.shape == (3, 3):
        m = float(rbi[2, 2])
        c = np.array([rbi[2, 0], -rbi[1, 0]]) / m if m != 0.0 else np.zeros(2)
        return m, c, float(rbi[0, 0] - m * (c @ c))
    if rbi.shape != (6, 6):
        raise ValueError(f"mcI takes an inertia of shape (6, 6) or (3, 3), got {rbi.shape}")
    m = float(rbi[5, 5])
    c = skew(rbi[:3, 3:]) / m if m != 0.0 else np.zeros(3)
    cross = skew(c)
    return m, c, rbi[:3, :3] - m * cross @ cross.T
