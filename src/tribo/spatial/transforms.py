"""Spatial and planar vectors: cross operators, coordinate transforms, points.

Spatial vectors have six numbers, the angular ones first: motion [w; v], force [n; f]. Planar vectors
have three: motion [w; vx; vy], force [nz; fx; fy]. A transform X takes motion vectors from frame A to
frame B; forces go with X⁻ᵀ. Points are the columns of a (3, n) or (2, n) array, as in MATLAB.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.spatial.rotation import ROUNDED, rotation, rx, ry, rz, skew, vector3


def crm(v: Any) -> np.ndarray:
    """Return the operator v× that acts on motion vectors, (6, 6) or planar (3, 3).

    Source: Featherstone 2008, eq. 2.31; planar: section 2.16.

    Example:
        >>> (crm([0, 0, 1, 0, 0, 0]) @ [0, 0, 0, 1, 0, 0]).tolist()
        [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    """
    v = motion(v, "crm")
    if v.size == 3:
        return np.array([[0.0, 0.0, 0.0], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return _blocks(skew(v[:3]), np.zeros((3, 3)), skew(v[3:]), skew(v[:3]))


def crf(v: Any) -> np.ndarray:
    """Return the operator v×* that acts on force vectors: −crm(v)ᵀ.

    Source: Featherstone 2008, eq. 2.32.
    """
    return -crm(v).T


def rotx(theta: float) -> np.ndarray:
    """Return the spatial transform, (6, 6), to a frame turned by `theta` [rad] about x.

    Source: Featherstone 2008, Table 2.2.
    """
    return _composed(rx(theta), np.zeros(3))


def roty(theta: float) -> np.ndarray:
    """Return the spatial transform, (6, 6), to a frame turned by `theta` [rad] about y.

    Source: Featherstone 2008, Table 2.2.
    """
    return _composed(ry(theta), np.zeros(3))


def rotz(theta: float) -> np.ndarray:
    """Return the spatial transform, (6, 6), to a frame turned by `theta` [rad] about z.

    Source: Featherstone 2008, Table 2.2.
    """
    return _composed(rz(theta), np.zeros(3))


def xlt(r: Any) -> np.ndarray:
    """Return the spatial transform, (6, 6), to a frame moved by r (3,) [m].

    Source: Featherstone 2008, Table 2.2.

    Example:
        >>> (xlt([0, 0, 1]) @ [0, 1, 0, 0, 0, 0]).tolist()    # spin about y moves z = 1 along x
        [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    """
    return _composed(np.eye(3), vector3(r, "xlt"))


def plux(first: Any, r: Any = None) -> Any:
    """Compose or take apart a spatial transform:   X = [E 0; −E r×  E].

    Args:
        first: E (3, 3) together with `r`, or X (6, 6) alone.
        r: (3,) [m] origin of frame B, in coordinates of A.

    Returns:
        X (6, 6), or the pair (E, r) if `first` is an X.

    Raises:
        ValueError: A shape is wrong, E is no rotation, or X no transform of motion vectors.

    Source: Featherstone 2008, Table 2.2 and eq. 2.28.

    Example:
        >>> E, r = plux(xlt([1.0, 2.0, 3.0]))
        >>> r.tolist()
        [1.0, 2.0, 3.0]
    """
    a = np.asarray(first, float)
    if r is None:
        shaped(a, (6, 6), "plux")
        e = rotation(a[:3, :3], "plux")
        if not (np.abs(a[:3, 3:]).max() <= ROUNDED and np.abs(a[3:, 3:] - e).max() <= ROUNDED):
            raise ValueError(
                "plux: X must be a transform of motion vectors, [E 0; −E r×  E]; those of forces are "
                f"its inverse transposed, got {a.tolist()}"
            )
        return e.copy(), -skew(e.T @ a[3:, :3])
    return _composed(rotation(shaped(a, (3, 3), "plux"), "plux"), vector3(r, "plux"))


def pluho(argument: Any) -> np.ndarray:
    """Convert a spatial transform X (6, 6) to a homogeneous one T (4, 4), or back.

    T takes the coordinates (x, y, z, 1) of points from frame A to B: T = [E  −E r; 0 1].

    Source: Featherstone 2008, section 2.8.
    """
    a = np.asarray(argument, float)
    if a.shape == (6, 6):
        e, r = plux(a)
        homogeneous = np.eye(4)
        homogeneous[:3, :3], homogeneous[:3, 3] = e, -e @ r
        return homogeneous
    shaped(a, (4, 4), "pluho")
    e = a[:3, :3]
    return np.asarray(plux(e, -e.T @ a[:3, 3]))


def plnr(first: Any, r: Any = None) -> Any:
    """Compose or take apart a planar transform.

    Args:
        first: Angle [rad] together with `r`, or X (3, 3) alone.
        r: (2,) [m] origin of frame B, in coordinates of A.

    Returns:
        X = [1 0 0; s rx − c ry  c  s; c rx + s ry  −s  c], or the pair (angle, r).

    Source: Featherstone 2008, section 2.16.

    Example:
        >>> angle, r = plnr(plnr(0.5, [1.0, 2.0]))
        >>> round(float(angle), 12), r.round(12).tolist()
        (0.5, [1.0, 2.0])
    """
    if r is None:
        x = shaped(np.asarray(first, float), (3, 3), "plnr")
        c, s = x[1, 1], x[1, 2]
        position = np.array([s * x[1, 0] + c * x[2, 0], s * x[2, 0] - c * x[1, 0]])
        return float(np.arctan2(s, c)), position
    c, s = np.cos(first), np.sin(first)
    px, py = shaped(np.ravel(np.asarray(r, float)), (2,), "plnr")
    return np.array([[1.0, 0.0, 0.0], [s * px - c * py, c, s], [c * px + s * py, -s, c]])


def XtoV(X: Any) -> np.ndarray:
    """Return the small displacement from frame A to B as a motion vector, (6,) or (3,).

    To first order X = 1 − crm(v); use it as an error that goes to zero with the displacement.

    Source: Featherstone 2008, section 8.3 (position errors of loops).

    Example:
        >>> float(XtoV(xlt([0.0, 0.0, 1e-3]))[5])
        0.001
    """
    X = np.asarray(X, float)
    if X.shape == (3, 3):
        _, r = plnr(X)
        # The translation, averaged over the axes of A and B.
        return np.array([X[1, 2], 0.5 * (X[2, 0] + r[0]), 0.5 * (r[1] - X[1, 0])])
    shaped(X, (6, 6), "XtoV")
    return np.concatenate([-skew(X[:3, :3]), -skew(X[3:, :3])])


def Xpt(X: Any, p: Any) -> np.ndarray:
    """Return points in the coordinates of frame B.

    Args:
        X: Transform from A to B, (6, 6) or (3, 3).
        p: Points, columns of (3, n) or (2, n) [m], in A.

    Raises:
        ValueError: The points are rows, not finite, or of another dimension than X.

    Example:
        >>> Xpt(xlt([1.0, 0.0, 0.0]), [[3.0], [0.0], [0.0]])[:, 0].tolist()
        [2.0, 0.0, 0.0]
    """
    X = np.asarray(X, float)
    p = points(p, 2 if X.shape == (3, 3) else 3, "Xpt")
    if X.shape == (3, 3):
        _, r = plnr(X)
        return np.asarray(X[1:, 1:] @ (p - _columns(r, p)))
    e, r = plux(X)
    return np.asarray(e @ (p - _columns(r, p)))


def Vpt(V: Any, p: Any) -> np.ndarray:
    """Return the velocities of points, columns of (3, n) or (2, n) [m/s].

    Args:
        V: Motion vector (6,) or (3,) that all points share, or one per point as columns.
        p: Points, columns of (3, n) or (2, n) [m].

    Raises:
        ValueError: The points are rows, not finite, or of another dimension than V.

    Example:
        >>> Vpt([2.0, 0.0, 0.0], [[0.0], [1.0]])[:, 0].tolist()    # planar: spin only
        [-2.0, 0.0]
    """
    V = np.asarray(V, float)
    if V.ndim not in (1, 2) or V.shape[0] not in (3, 6):
        raise ValueError(f"Vpt takes motion vectors of 6 or 3 numbers, got shape {V.shape}")
    p = points(p, 2 if V.shape[0] == 3 else 3, "Vpt")
    if V.ndim == 2 and V.shape[1] not in (1, *p.shape[1:]):
        raise ValueError(
            f"Vpt takes one motion vector, or one for each point, got shapes {V.shape} and {p.shape}"
        )
    if p.ndim == 2 and V.ndim == 1:
        V = V[:, None]
    if V.shape[0] == 3:
        return np.stack([V[1] - V[0] * p[1], V[2] + V[0] * p[0]])
    return np.asarray(V[3:] + np.cross(V[:3], p, axis=0))


def Fpt(fp: Any, p: Any) -> np.ndarray:
    """Return forces at points as spatial or planar forces about the origin.

    Args:
        fp: Forces, columns of (3, n) or (2, n) [N].
        p: Points at which they act, same shape [m].

    Returns:
        Columns [p × f; f], (6, n), or planar [px fy − py fx; fx; fy], (3, n).

    Raises:
        ValueError: The shapes differ, forces or points are rows, or something is not finite.

    Source: Featherstone 2008, section 2.3 (moment and force).

    Example:
        >>> Fpt([[0.0], [2.0]], [[3.0], [0.0]])[:, 0].tolist()
        [6.0, 0.0, 2.0]
    """
    fp, p = np.asarray(fp, float), np.asarray(p, float)
    if p.shape != fp.shape or p.shape[0] not in (2, 3):
        raise ValueError(
            f"Fpt takes forces and points of one shape, 2 or 3 rows, got {fp.shape} and {p.shape}"
        )
    fp, p = points(fp, p.shape[0], "Fpt", "forces"), points(p, p.shape[0], "Fpt")
    if p.shape[0] == 2:
        return np.stack([p[0] * fp[1] - p[1] * fp[0], fp[0], fp[1]])
    return np.concatenate([np.cross(p, fp, axis=0), fp])


def motion(v: Any, function: str) -> np.ndarray:
    """Return a spatial or planar vector as (6,) or (3,)."""
    flat = np.ravel(np.asarray(v, float))
    if flat.size not in (3, 6):
        raise ValueError(f"{function} takes 6 numbers (spatial) or 3 (planar), got {flat.size}")
    return flat


def shaped(a: np.ndarray, shape: tuple[int, ...], function: str) -> np.ndarray:
    """Return an array after checking its shape."""
    if a.shape != shape:
        raise ValueError(f"{function} takes an array of shape {shape}, got {a.shape}")
    return a


def points(p: Any, rows: int, function: str, what: str = "points") -> np.ndarray:
    """Return points after checking that they are finite columns of so many rows."""
    made: np.ndarray = np.asarray(p, float)
    if made.ndim not in (1, 2) or made.shape[0] != rows:
        is_turned = made.ndim == 2 and made.shape[1] == rows
        remedy = f"; they are rows: give {what}.T" if is_turned else ""
        raise ValueError(f"{function} takes {what} as columns of ({rows}, n), got shape {made.shape}{remedy}")
    bad = (
        np.flatnonzero(~np.isfinite(made).all(axis=0))
        if made.ndim == 2
        else np.flatnonzero(~np.isfinite(made))
    )
    if bad.size:
        raise ValueError(f"{function}: {what} must be finite, entry or column {bad[0]} is {made.T[bad[0]]}")
    return made


def _composed(e: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return the transform of a rotation and a place that were checked."""
    return _blocks(e, np.zeros((3, 3)), -e @ skew(r), e)


def _columns(r: np.ndarray, p: np.ndarray) -> np.ndarray:
    return r if p.ndim == 1 else r[:, None]


def _blocks(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return [a b; c d] of 3×3 blocks."""
    whole = np.empty((6, 6))
    whole[:3, :3], whole[:3, 3:], whole[3:, :3], whole[3:, 3:] = a, b, c, d
    return whole
