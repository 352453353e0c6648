"""Rigid-body inertias: from mass, centre of mass and inertia to a matrix, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks import check
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

    Raises:
        ValueError: The mass is negative, the inertia has a negative eigenvalue, or a shape is wrong.

    Source: Featherstone 2008, eq. 2.63; planar: section 2.16.

    Example:
        >>> m, c, I = mcI(mcI(2.0, [1.0, 0.0], 0.5))
        >>> m, c.tolist(), I
        (2.0, [1.0, 0.0], 0.5)
    """
    if c is None:
        return _taken_apart(np.asarray(first, float))
    m = check.number(first, "mcI: mass", minimum=0.0)
    centre, about = np.ravel(np.asarray(c, float)), np.asarray(I, float)
    if centre.size == 2:
        I = check.number(I, "mcI: inertia of a planar body", minimum=0.0)
        x, y = m * centre
        return np.array([[float(I) + x * centre[0] + y * centre[1], -y, x], [-y, m, 0], [x, 0, m]])
    cross = skew(vector3(centre, "mcI"))
    check_inertia(about, 3, "mcI: I")
    whole = np.zeros((6, 6))
    whole[:3, :3] = about + m * cross @ cross.T
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


def check_inertia(inertia: np.ndarray, side: int, what: str) -> None:
    """Refuse what is the inertia of no body: another shape, not finite, not symmetric, or negative."""
    if inertia.shape != (side, side) or not np.isfinite(inertia).all():
        raise ValueError(f"{what} must be {side}×{side} finite numbers, got shape {inertia.shape}")
    scale = np.abs(inertia).max()
    if not np.allclose(inertia, inertia.T, rtol=1e-9, atol=1e-12 * scale):
        raise ValueError(f"{what} must be symmetric, got {inertia.tolist()}")
    least = float(np.linalg.eigvalsh(inertia)[0])
    if least < -1e-9 * scale:  # round-off of a sum of inertias leaves less
        raise ValueError(
            f"{what} must be the inertia of a body: none of its eigenvalues is negative; the least is "
            f"{least:.6g}"
        )
