"""Changes of coordinates as vectors of degrees of freedom, and as numbers of quaternions.

Of a unit quaternion p a change is dp = ½ (0, δ) p =: ½ E δ with the rotation vector δ, and EᵀE = 1; so
δ = 2 Eᵀ dp. A quaternion of another length is divided by it first. The transposed maps serve derivatives.
Source: Solà et al. 2018, "A micro Lie theory for state estimation in robotics".
"""

from __future__ import annotations

import numpy as np

from tribo.identification.state_layout import StateLayout, product

Share = float  # of quaternions; lengths and angles have 1
FORWARD, TRANSPOSED = 2.0, 0.5


def to_dofs(layout: StateLayout, q: np.ndarray, change: np.ndarray, share: Share) -> np.ndarray:
    """Return share · Eᵀ of changes (…, nq) of coordinates (…, nq), and the lengths and angles, (…, nv).

    With `FORWARD` changes of dofs; with `TRANSPOSED` derivatives by dofs from derivatives by coordinates.
    """
    made = np.zeros((*change.shape[:-1], layout.nv))
    for at, dof in layout.linear:
        made[..., dof] = change[..., at]
    for first, dof in layout.rotations:
        rows = slice(first, first + 4)
        back = q[..., rows] * np.array([1.0, -1.0, -1.0, -1.0])
        made[..., dof : dof + 3] = share * product(change[..., rows], back)[..., 1:]
    return made


def to_coordinates(layout: StateLayout, q: np.ndarray, change: np.ndarray, share: Share) -> np.ndarray:
    """Return share · E of changes (…, nv) of dofs, and the lengths and angles, (…, nq).

    With `TRANSPOSED` changes of coordinates; with `FORWARD` derivatives by coordinates from those by dofs.
    """
    made = np.zeros((*change.shape[:-1], layout.nq))
    for at, dof in layout.linear:
        made[..., at] = change[..., dof]
    for first, dof in layout.rotations:
        rows = slice(first, first + 4)
        turn = np.zeros((*change.shape[:-1], 4))
        turn[..., 1:] = change[..., dof : dof + 3]
        made[..., rows] = share * product(turn, q[..., rows])
    return made


def lengths(layout: StateLayout, q: np.ndarray) -> np.ndarray:
    """Return by what normalization divides each coordinate, (…, nq) [–]."""
    made = np.ones(q.shape)
    for first, _ in layout.rotations:
        rows = slice(first, first + 4)
        made[..., rows] = np.linalg.norm(q[..., rows], axis=-1, keepdims=True)
    return made
