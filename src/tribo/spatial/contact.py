"""Ground contact as in Spatial_v2's Simulink blocks: points, the compliant ground, their closing.

`gcPosVel` gives positions and velocities of the contact points, `gcontact` the forces on them, `Fpt`
turns those into spatial forces, and `gcFD` hands them to a forward-dynamics function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.spatial.dynamics import FDab, FDcrb
from tribo.spatial.floating import BASE, FDfb, base_state, check_floating
from tribo.spatial.model import Model, bodies, check_points
from tribo.spatial.transforms import Vpt, plnr, plux

LIFTED = 2.0  # what `fcone` says of a point without contact


def gcontact(
    K: Any, D: Any, mu: Any, p: Any, pd: Any, u: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | np.ndarray:
    """Return the forces of a compliant ground on points, and the rates of its tangential deformation.

    The ground is the plane z = 0 (2-D: the line y = 0), massless, with springs and dampers that stiffen
    with the square root of the depth d = −z; with s = √max(0, −z)::

        fn  = s (−K z − D zd)           in contact if this is > 0
        ft* = −s (K u + D vt)           sticks if ‖ft*‖ ≤ mu fn: ft = ft*, ud = vt
        ft  = ft* mu fn/‖ft*‖           slips otherwise: ud = −(ft + s K u)/(s D)
        f = 0, ud = −(K/D) u            without contact

    Args:
        K, D, mu: Stiffness [N/m^1.5], damping [N s/m^1.5] > 0 and friction coefficient ≥ 0; numbers, or
            one per point.
        p, pd: Positions [m] and velocities [m/s], columns of (3, n) or (2, n); the last row is up.
        u: Tangential deformation (2, n) or (1, n) [m], a state; None: zero.

    Returns:
        f (3, n) or (2, n) [N] on the points; ud (2, n) or (1, n) [m/s]; fcone (n,): ‖ft*‖/(mu fn), at
        most 2, and 2 without contact. With mu = 0, a number, only the normal forces (n,) are returned;
        p and pd may then be the heights and their rates alone.

    Source: Azad & Featherstone 2010 for spheres; for points as in Spatial_v2 (2012).

    Example:
        >>> f, ud, fcone = gcontact(1e6, 2000.0, 0.5, [[0.0], [0.0], [-1e-4]], np.zeros((3, 1)))
        >>> round(float(f[2, 0]), 12)    # K d^1.5
        1.0
    """
    K, D, mu = (np.asarray(a, float) for a in (K, D, mu))
    if not (np.all(D > 0.0) and np.all(K > 0.0) and np.all(mu >= 0.0)):
        raise ValueError(f"gcontact needs K > 0, D > 0, mu ≥ 0, got {K}, {D}, {mu}")
    p, pd = np.asarray(p, float), np.asarray(pd, float)
    if p.shape != pd.shape:
        raise ValueError(f"gcontact: p and pd must have one shape, got {p.shape} and {pd.shape}")
    z, zd = np.atleast_2d(p)[-1], np.atleast_2d(pd)[-1]
    s = np.sqrt(np.maximum(0.0, -z))
    fn = np.maximum(0.0, s * (-K * z - D * zd))
    if mu.ndim == 0 and mu == 0.0:
        return np.asarray(fn)
    if p.ndim != 2 or p.shape[0] not in (2, 3):
        raise ValueError(f"gcontact takes points as columns of (2, n) or (3, n), got shape {p.shape}")
    vt = pd[:-1]
    u = np.zeros_like(vt) if u is None else np.reshape(np.asarray(u, float), vt.shape)
    touches = fn > 0.0
    trial = -s * (K * u + D * vt)
    size = np.sqrt((trial**2).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(size > 0.0, size / (mu * fn), 0.0)
        fcone = np.where(touches, np.minimum(LIFTED, ratio), LIFTED)
        ft = np.where(touches, trial / np.maximum(1.0, ratio), 0.0)
        slipping = -(ft + s * K * u) / (s * D)
    ud = np.where(touches, np.where(ratio > 1.0, slipping, vt), -(K / D) * u)
    return np.concatenate([ft, fn[None]]), ud, fcone


def gcPosVel(model: Model, *state: Any) -> np.ndarray:
    """Return positions and velocities of the contact points `model.gc`.

    ``gcPosVel(model, q, qd)`` for a fixed base, ``gcPosVel(model, xfb, q, qd)`` for a floating one and
    ``gcPosVel(model, xfb)`` for a single floating body.

    Returns:
        (6, n) or planar (4, n): positions [m] above velocities [m/s], base coordinates; columns in the
        order of the points.

    Raises:
        ValueError: The model has no contact points.
    """
    gc = check_points(model)
    owners, points = np.array(gc.body, int), gc.point
    result = np.zeros((2 * model.dimension, len(owners)))
    for i, (X, v) in enumerate(_motions(model, state)):
        mine = owners == i
        if X is None or not mine.any():
            continue
        n = model.dimension
        e, r = (X[1:, 1:], plnr(X)[1]) if n == 2 else plux(X)
        p = e.T @ points[:, mine] + r[:, None]
        result[:n, mine] = p
        result[n:, mine] = Vpt(np.linalg.solve(X, v), p)
    return result


def _motions(model: Model, state: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """Return the transform from the base and the velocity of each body; None for massless ones."""
    X: list[Any] = []
    v: list[Any] = []
    first = 0
    if len(state) in (1, 3):
        check_floating(model, "gcPosVel")
        X0, _, vfb = base_state(state[0])
        X, v = [None] * BASE + [X0], [None] * BASE + [X0 @ vfb]
        first = BASE + 1
    elif len(state) != 2:
        raise TypeError(f"gcPosVel takes (model, q, qd) or (model, xfb[, q, qd]), got {len(state)} states")
    q, qd = state[-2:] if len(state) > 1 else ((), ())
    Xup, S, _, qd = bodies(model, q, qd, first)
    for k in range(len(Xup)):
        p = model.parent[first + k]
        X.append(Xup[k] if p < 0 else Xup[k] @ X[p])
        v.append(S[k] * qd[k] + (0.0 if p < 0 else Xup[k] @ v[p]))
    return list(zip(X, v, strict=True))


def gcFD(model: Model, FDfun: Callable[..., Any] | str, w: Any) -> np.ndarray:
    """Call a forward-dynamics function with one long vector that ends in contact forces.

    Args:
        model: With contact points `gc`.
        FDfun: `FDab`, `FDcrb` or `FDfb` (or any function with their arguments), or its name.
        w: [q; qd; tau; F] for a fixed base; [xfb (13); q; qd; tau; F] for `FDfb`. F are the columns, one
            after another, of the (6, n) or (3, n) forces from `Fpt`; it may be missing.

    Returns:
        qdd, or for `FDfb` [xdfb; qdd]. The forces of all points of a body are added up.
    """
    named = {"FDab": FDab, "FDcrb": FDcrb, "FDfb": FDfb}
    fun: Any = FDfun
    if isinstance(FDfun, str):
        fun = named[check.known(FDfun, named, "forward-dynamics function")]
    is_floating = fun is FDfb
    n = model.NB - BASE - 1 if is_floating else model.NB
    size = 3 if model.is_planar else 6
    sizes = [13, n, n, n] if is_floating else [n, n, n]
    w = np.ravel(np.asarray(w, float))
    parts = np.split(w, np.cumsum(sizes))
    count = 0 if model.gc is None else len(model.gc.body)
    if len(w) < sum(sizes) or parts[-1].size not in (0, size * count):
        raise ValueError(
            f"gcFD: w must have {sum(sizes)} numbers, or {size * count} more for {count} points, got {len(w)}"
        )
    f_ext: list[Any] | None = None
    if parts[-1].size:
        assert model.gc is not None
        forces = parts[-1].reshape(count, size)
        f_ext = [None] * model.NB
        for body, force in zip(model.gc.body, forces, strict=True):
            f_ext[body] = force if f_ext[body] is None else f_ext[body] + force
    result = fun(model, *parts[:-1], f_ext)
    return np.concatenate(result) if is_floating else np.asarray(result)
