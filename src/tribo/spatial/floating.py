"""Floating bases: dynamics with a quaternion, and models that spell the six freedoms out as joints.

The state of a floating base is x = [quaternion (4); position (3); velocity (6)]: the unit quaternion
(w, x, y, z) from fixed to base, the position r of the base's origin, and the spatial velocity [w; vO]
in **fixed** coordinates about the **fixed** origin, vO = r' − w × r. The base is body 5 (the sixth) of
a model made by `floatbase`; bodies 0…4 are massless and not evaluated here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.spatial.dynamics import Articulated, Energy, External, external_list, totals, velocities
from tribo.spatial.model import Appearance, GroundContact, Model, bodies, get_gravity
from tribo.spatial.rotation import rq, rqd, rx, ry, rz
from tribo.spatial.transforms import crf, plux

BASE = 5  # body that floats
JOINTS = ("Px", "Py", "Pz", "Rx", "Ry", "Rz")


def floatbase(model: Model) -> Model:
    """Return a model whose first body floats on six joints instead of its one.

    Body 0 becomes body 5, carried by the joints Px, Py, Pz, Rx, Ry, Rz and five massless bodies; all
    others move up by 5. The first joint and its Xtree are dropped. At a fifth joint variable of ±π/2
    the joints are singular; `FDfb` and `IDfb` are not.

    Args:
        model: Spatial model; only body 0 may hang on the base.

    Raises:
        ValueError: The model is planar, empty, or has several bodies on the base.

    Example:
        >>> from tribo.spatial import autoTree
        >>> floatbase(autoTree(2)).NB
        7
    """
    if model.is_planar or model.NB == 0:
        raise ValueError("floatbase takes a spatial model with at least one body")
    several = [i for i, p in enumerate(model.parent) if p < 0 and i > 0]
    if several:
        raise ValueError(f"floatbase: only body 0 may hang on the base, bodies {several} do too")
    gc, looks, camera = model.gc, model.appearance, model.camera
    if gc is not None:
        gc = GroundContact([b + BASE for b in gc.body], gc.point.copy())
    if looks is not None:
        looks = Appearance(list(looks.base), [[] for _ in range(BASE)] + list(looks.body))
    if camera is not None and camera.body >= 0:
        camera = replace(camera, body=camera.body + BASE)
    return replace(
        model,
        parent=[*range(-1, BASE), *(p + BASE for p in model.parent[1:])],
        jtype=[*JOINTS, *model.jtype[1:]],
        Xtree=[*(np.eye(6) for _ in range(BASE + 1)), *model.Xtree[1:]],
        I=[*(np.zeros((6, 6)) for _ in range(BASE)), *model.I],
        gc=gc,
        appearance=looks,
        camera=camera,
    )


def check_floating(model: Model, function: str) -> None:
    """Refuse a model that `floatbase` could not have made."""
    if model.is_planar or model.NB <= BASE or list(model.parent[: BASE + 1]) != [*range(-1, BASE)]:
        raise ValueError(f"{function} takes a model with a floating base; make one with floatbase(model)")


def base_state(xfb: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the 13 numbers of a floating base as X (6, 6), r (3,) and the velocity (6,)."""
    x = check.vector(np.ravel(np.asarray(xfb, float)), "xfb", 13)
    return plux(rq(x[:4]), x[4:7]), x[4:7], x[7:]


def base_rate(xfb: Any, acceleration: np.ndarray) -> np.ndarray:
    """Return the rate of the 13 numbers, given the spatial acceleration of the base."""
    x = np.ravel(np.asarray(xfb, float))
    w, vO = x[7:10], x[10:]
    return np.concatenate([rqd(w, x[:4]), vO + np.cross(w, x[4:7]), acceleration])


def FDfb(
    model: Model, xfb: Any, q: Any = (), qd: Any = (), tau: Any = (), f_ext: External = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rates of a floating-base system, by the articulated-body algorithm.

    Args:
        model: With a floating base (`floatbase`).
        xfb: (13,) state of the base, see the module's text.
        q, qd, tau: (NB − 6,) variables, rates and forces of the real joints.
        f_ext: External forces per body (all NB), base coordinates.

    Returns:
        The pair xdfb (13,), rate of xfb, and qdd (NB − 6,).

    Source: Featherstone 2008, section 9.4.

    Example:
        >>> from tribo.spatial import tumbling_box
        >>> xd, _ = FDfb(tumbling_box(), [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        >>> xd[-3:].tolist()
        [0.0, 0.0, -9.81]
    """
    check_floating(model, "FDfb")
    X, _, vfb = base_state(xfb)
    n = model.NB - BASE - 1
    tau = check.vector(np.ravel(np.asarray(tau, float)), "tau", n)
    t, I0, p0 = _outward(model, X, vfb, q, qd, f_ext)
    U, d, u = np.zeros((n, 6)), np.zeros(n), np.zeros(n)
    for k in reversed(range(n)):
        U[k] = t.IA[k] @ t.S[k]
        d[k] = t.S[k] @ U[k]
        u[k] = tau[k] - t.S[k] @ t.pA[k]
        Ia = t.IA[k] - np.outer(U[k] / d[k], U[k])
        pa = t.pA[k] + Ia @ t.c[k] + U[k] * (u[k] / d[k])
        I0, p0 = _passed_down(model, t, k, Ia, pa, I0, p0)
    a0 = -np.linalg.solve(I0, p0)  # without gravity
    qdd = np.zeros(n)
    a: list[np.ndarray] = []
    for k in range(n):
        p = model.parent[k + BASE + 1] - BASE - 1
        ap = t.Xup[k] @ (a0 if p < 0 else a[p]) + t.c[k]
        qdd[k] = (u[k] - U[k] @ ap) / d[k]
        a.append(ap + t.S[k] * qdd[k])
    return base_rate(xfb, np.linalg.solve(X, a0) + get_gravity(model)), qdd


def IDfb(
    model: Model, xfb: Any, q: Any = (), qd: Any = (), qdd: Any = (), f_ext: External = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rate of the base and the joint forces that give joint accelerations qdd.

    Args:
        model: With a floating base (`floatbase`).
        xfb: (13,) state of the base.
        q, qd, qdd: (NB − 6,) variables, rates and accelerations of the real joints.
        f_ext: External forces per body (all NB), base coordinates.

    Returns:
        The pair xdfb (13,) and tau (NB − 6,), empty if the model has no real joint.

    Source: Featherstone 2008, section 9.5.
    """
    check_floating(model, "IDfb")
    X, _, vfb = base_state(xfb)
    n = model.NB - BASE - 1
    qdd = check.vector(np.ravel(np.asarray(qdd, float)), "qdd", n)
    t, I0, p0 = _outward(model, X, vfb, q, qd, f_ext)
    a: list[np.ndarray] = []  # relative to the base's, which is not known yet
    for k in range(n):
        p = model.parent[k + BASE + 1] - BASE - 1
        carried = np.zeros(6) if p < 0 else t.Xup[k] @ a[p]
        a.append(carried + t.S[k] * qdd[k] + t.c[k])
        t.pA[k] = t.pA[k] + t.IA[k] @ a[k]
    for k in reversed(range(n)):
        I0, p0 = _passed_down(model, t, k, t.IA[k], t.pA[k], I0, p0)
    a0 = -np.linalg.solve(I0, p0)
    tau = np.zeros(n)
    a = []
    for k in range(n):
        p = model.parent[k + BASE + 1] - BASE - 1
        a.append(t.Xup[k] @ (a0 if p < 0 else a[p]))
        tau[k] = t.S[k] @ (t.IA[k] @ a[k] + t.pA[k])
    return base_rate(xfb, np.linalg.solve(X, a0) + get_gravity(model)), tau


def _outward(
    model: Model, X: np.ndarray, vfb: np.ndarray, q: Any, qd: Any, f_ext: External
) -> tuple[Articulated, np.ndarray, np.ndarray]:
    """Return the bodies above the base, and inertia and bias force of the base, base coordinates."""
    v0 = X @ vfb
    t = velocities(model, q, qd, v0, BASE + 1)
    I0 = model.I[BASE]
    p0 = crf(v0) @ (I0 @ v0)
    if f_ext is not None:
        forces = external_list(f_ext, model.NB, 6)[BASE:]
        Xa = [X]
        for k in range(len(t.Xup)):
            Xa.append(t.Xup[k] @ Xa[model.parent[k + BASE + 1] - BASE])
        lifted = [
            np.zeros(6) if f is None else np.linalg.solve(x.T, f) for x, f in zip(Xa, forces, strict=True)
        ]
        p0 = p0 - lifted[0]
        t.pA = [p - f for p, f in zip(t.pA, lifted[1:], strict=True)]
    return t, I0, p0


def _passed_down(
    model: Model, t: Articulated, k: int, I: np.ndarray, f: np.ndarray, I0: np.ndarray, p0: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Add inertia and force of a body to its parent; return those of the base."""
    p = model.parent[k + BASE + 1] - BASE - 1
    lifted, force = t.Xup[k].T @ I @ t.Xup[k], t.Xup[k].T @ f
    if p < 0:
        return I0 + lifted, p0 + force
    t.IA[p], t.pA[p] = t.IA[p] + lifted, t.pA[p] + force
    return I0, p0


def EnerMofb(model: Model, xfb: Any, q: Any = (), qd: Any = ()) -> Energy:
    """Return what `EnerMo` returns, for a base with a quaternion.

    Args:
        model: With a floating base (`floatbase`).
        xfb: (13,) state of the base.
        q, qd: (NB − 6,) variables and rates of the real joints.
    """
    check_floating(model, "EnerMofb")
    X, _, vfb = base_state(xfb)
    Xup, S, _, qd = bodies(model, q, qd, BASE + 1)
    Xa, v = [X], [X @ vfb]
    for k in range(len(Xup)):
        p = model.parent[k + BASE + 1] - BASE
        Xa.append(Xup[k] @ Xa[p])
        v.append(Xup[k] @ v[p] + S[k] * qd[k])
    KE, htot, Itot = 0.0, np.zeros(6), np.zeros((6, 6))
    for k, I in enumerate(model.I[BASE:]):
        KE += 0.5 * float(v[k] @ I @ v[k])
        htot = htot + Xa[k].T @ I @ v[k]
        Itot = Itot + Xa[k].T @ I @ Xa[k]
    return totals(model, KE, htot, Itot)


def fbkin(first: Any, second: Any = None, third: Any = None) -> tuple[np.ndarray, ...]:
    """Convert between the six joint variables of a floating base and its 13 numbers.

    ``x = fbkin(q, qd)[0]``, ``x, xd = fbkin(q, qd, qdd)``; ``q, qd = fbkin(x)``,
    ``q, qd, qdd = fbkin(x, xd)``. A missing rate is zero. q are Px, Py, Pz [m], Rx, Ry, Rz [rad].

    Source: Featherstone 2008, section 4.5 and 9.3.

    Example:
        >>> x = fbkin([1.0, 2.0, 3.0, 0.1, 0.2, 0.3], np.ones(6))[0]
        >>> fbkin(x)[0].round(12).tolist()
        [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]
    """
    a = np.ravel(np.asarray(first, float))
    if a.size == 6:
        qd = np.zeros(6) if second is None else check.vector(np.ravel(second), "qd", 6)
        x = _x_of(a, qd)
        if third is None:
            return (x,)
        M, Md = _jacobian(a, qd)
        acceleration = M @ check.vector(np.ravel(third), "qdd", 6) + Md @ qd
        return x, base_rate(x, acceleration)
    x = check.vector(a, "x", 13)
    q = _angles_of(x)
    M, _ = _jacobian(q, np.zeros(6))
    qd = np.linalg.solve(M, x[7:])
    if second is None:
        return q, qd
    _, Md = _jacobian(q, qd)
    xd = check.vector(np.ravel(second), "xd", 13)
    return q, qd, np.linalg.solve(M, xd[7:] - Md @ qd)


def _x_of(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    M, _ = _jacobian(q, qd)
    E = rz(q[5]) @ ry(q[4]) @ rx(q[3])
    return np.concatenate([rq(E), q[:3], M @ qd])


def _jacobian(q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the six joint axes in fixed coordinates as columns, and their rates."""
    M, Md = np.zeros((6, 6)), np.zeros((6, 6))
    M[3:, :3] = np.eye(3)
    axes = [np.eye(3)[0], rx(q[3])[1], (ry(q[4]) @ rx(q[3]))[2]]
    r, rd = q[:3], qd[:3]
    w = np.zeros(3)
    for k, axis in enumerate(axes):
        rate = np.cross(w, axis)
        M[:3, 3 + k], Md[:3, 3 + k] = axis, rate
        M[3:, 3 + k] = np.cross(r, axis)
        Md[3:, 3 + k] = np.cross(rd, axis) + np.cross(r, rate)
        w = w + axis * qd[3 + k]
    return M, Md


def _angles_of(x: np.ndarray) -> np.ndarray:
    """Return the six joint variables of a base, with Ry within ±π/2."""
    E = rq(x[:4])
    q5 = np.arctan2(E[2, 0], np.hypot(E[0, 0], E[1, 0]))
    q6 = np.arctan2(-E[1, 0], E[0, 0])
    # What is left after undoing Rz and Ry is Rx: exact also near the singularity.
    rest = (rz(q6) @ ry(q5)).T @ E
    return np.array([*x[4:7], np.arctan2(rest[1, 2], rest[1, 1]), q5, q6])


def fbanim(X: Any, Qr: Any = None) -> np.ndarray:
    """Return joint variables for an animation of a floating base, continuous over time.

    The three angles may leave (−π, π], and the second one ±π/2, so that they do not jump.

    Args:
        X: (13, n) or (7, n) states of the base over time, or a single one.
        Qr: (NB − 6, n) variables of the real joints, put below.

    Returns:
        (6, n) or (NB, n).
    """
    X = np.asarray(X, float)
    X = X.reshape(X.shape[0], -1)
    Q = np.zeros((6, X.shape[1]))
    for k, x in enumerate(X.T):
        one = _angles_of(np.concatenate([x[:7], np.zeros(6)]))
        Q[:, k] = one if k == 0 else _nearest(one, Q[:, k - 1], rq(x[:4]))
    if Qr is None:
        return Q
    Qr = np.asarray(Qr, float)
    return np.concatenate([Q, Qr.reshape(-1, X.shape[1])])


def _nearest(q: np.ndarray, before: np.ndarray, E: np.ndarray) -> np.ndarray:
    """Return the angles of the same orientation that are nearest to those before."""
    if np.hypot(E[0, 0], E[1, 0]) < 1e-6:  # singular: only q4 ± q6 is defined; keep q4
        rest = E @ (ry(q[4]) @ rx(before[3])).T
        q = np.array([*q[:3], before[3], q[4], np.arctan2(rest[0, 1], rest[0, 0])])
    twin = np.array([*q[:3], q[3] + np.pi, np.pi - q[4], q[5] + np.pi])
    turns = 2.0 * np.pi * np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    both = [c + turns * np.round((before - c) / (2.0 * np.pi)) for c in (q, twin)]
    return min(both, key=lambda c: float(np.abs(c - before).sum()))
