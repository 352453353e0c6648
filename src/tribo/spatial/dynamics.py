"""Dynamics of trees on a fixed base: inverse, forward, hybrid; energy and momentum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.spatial.inertia import mcI
from tribo.spatial.model import Model, bodies, get_gravity
from tribo.spatial.transforms import crf, crm

External = Sequence[Any] | np.ndarray | None


def apply_external_forces(
    parent: Sequence[int], Xup: Sequence[np.ndarray], f_in: Sequence[np.ndarray], f_ext: External
) -> list[np.ndarray]:
    """Return body forces less the external ones, turned from base to body coordinates.

    Args:
        parent: (NB,) parents, −1: the base.
        Xup: Transforms from parent to body.
        f_in: Forces to start from, one per body, in body coordinates.
        f_ext: External forces per body in **base coordinates**; None, or an empty entry: no force. Also
            an array with a column per body.

    Source: Featherstone 2008, section 5.3 (external forces).
    """
    if f_ext is None:
        return list(f_in)
    forces = external_list(f_ext, len(parent), len(f_in[0]) if len(f_in) else 6)
    f_out = list(f_in)
    Xa: list[np.ndarray] = []
    for i, p in enumerate(parent):
        Xa.append(Xup[i] if p < 0 else Xup[i] @ Xa[p])
        force = forces[i]
        if force is not None:
            f_out[i] = f_out[i] - np.linalg.solve(Xa[i].T, force)
    return f_out


def external_list(f_ext: Any, count: int, size: int) -> list[np.ndarray | None]:
    """Return external forces as a list with a vector or None per body."""
    if isinstance(f_ext, np.ndarray) and f_ext.ndim == 2:
        f_ext = list(f_ext.T)
    if len(f_ext) != count:
        raise ValueError(f"f_ext must have an entry for each of {count} bodies, got {len(f_ext)}")
    entries = [None if f is None else np.ravel(np.asarray(f, float)) for f in f_ext]
    return [
        None if f is None or f.size == 0 else check.vector(f, f"f_ext[{i}]", size)
        for i, f in enumerate(entries)
    ]


def ID(model: Model, q: Any, qd: Any, qdd: Any, f_ext: External = None) -> np.ndarray:
    """Return the joint forces that give accelerations qdd, by the recursive Newton–Euler algorithm.

    Args:
        model: Tree on a fixed base.
        q, qd, qdd: (NB,) joint variables and their rates [rad, m].
        f_ext: External forces per body, base coordinates; see `apply_external_forces`.

    Returns:
        tau (NB,) [N m, N].

    Source: Featherstone 2008, section 5.3, Table 5.1.

    Example:
        >>> from tribo.spatial import autoTree
        >>> ID(autoTree(2), [0, 0], [0, 0], [0, 0]).shape
        (2,)
    """
    Xup, S, q, qd = bodies(model, q, qd)
    qdd = check.vector(np.ravel(qdd), "qdd", model.NB)
    a_grav = get_gravity(model)
    v: list[np.ndarray] = []
    a: list[np.ndarray] = []
    f: list[np.ndarray] = []
    for i, p in enumerate(model.parent):
        vJ = S[i] * qd[i]
        v.append(vJ if p < 0 else Xup[i] @ v[p] + vJ)
        carried = -a_grav if p < 0 else a[p]
        a.append(Xup[i] @ carried + S[i] * qdd[i] + crm(v[i]) @ vJ)
        f.append(model.I[i] @ a[i] + crf(v[i]) @ (model.I[i] @ v[i]))
    f = apply_external_forces(model.parent, Xup, f, f_ext)
    tau = np.zeros(model.NB)
    for i in reversed(range(model.NB)):
        tau[i] = S[i] @ f[i]
        if model.parent[i] >= 0:
            f[model.parent[i]] = f[model.parent[i]] + Xup[i].T @ f[i]
    return tau


def HandC(model: Model, q: Any, qd: Any, f_ext: External = None) -> tuple[np.ndarray, np.ndarray]:
    """Return H and C of the equation of motion   H qdd + C = tau.

    Args:
        model: Tree on a fixed base.
        q, qd: (NB,) joint variables and rates.
        f_ext: External forces per body, base coordinates; they are part of C.

    Returns:
        H (NB, NB) by the composite-rigid-body algorithm, C (NB,) by inverse dynamics.

    Source: Featherstone 2008, section 6.2, Table 6.2.
    """
    Xup, S, q, qd = bodies(model, q, qd)
    C = ID(model, q, qd, np.zeros(model.NB), f_ext)
    IC = list(model.I)
    for i in reversed(range(model.NB)):
        p = model.parent[i]
        if p >= 0:
            IC[p] = IC[p] + Xup[i].T @ IC[i] @ Xup[i]
    H = np.zeros((model.NB, model.NB))
    for i in range(model.NB):
        fh = IC[i] @ S[i]
        H[i, i] = S[i] @ fh
        j = i
        while model.parent[j] >= 0:
            fh = Xup[j].T @ fh
            j = model.parent[j]
            H[i, j] = H[j, i] = S[j] @ fh
    return H, C


def FDcrb(model: Model, q: Any, qd: Any, tau: Any, f_ext: External = None) -> np.ndarray:
    """Return joint accelerations (NB,) by solving H qdd = tau − C.

    Source: Featherstone 2008, section 6.2.
    """
    H, C = HandC(model, q, qd, f_ext)
    return np.asarray(np.linalg.solve(H, check.vector(np.ravel(tau), "tau", model.NB) - C))


@dataclass(slots=True)
class Articulated:
    """Quantities of the articulated-body algorithm for each body, in body coordinates."""

    Xup: list[np.ndarray]
    S: list[np.ndarray]
    v: list[np.ndarray]
    c: list[np.ndarray]
    IA: list[np.ndarray]
    pA: list[np.ndarray]


def velocities(model: Model, q: Any, qd: Any, base_velocity: np.ndarray, first: int) -> Articulated:
    """Do the outward pass: velocities, rigid-body inertias and bias forces from body `first` on.

    Lists run from body `first`; a body whose parent is below `first` hangs on something that moves
    with `base_velocity`.
    """
    Xup, S, _, qd = bodies(model, q, qd, first)
    t = Articulated(Xup, S, [], [], [], [])
    for k, I in enumerate(model.I[first:]):
        p = model.parent[first + k] - first
        vJ = S[k] * qd[k]
        v = Xup[k] @ (base_velocity if p < 0 else t.v[p]) + vJ
        t.v.append(v)
        t.c.append(crm(v) @ vJ)
        t.IA.append(I)
        t.pA.append(crf(v) @ (I @ v))
    return t


def FDab(model: Model, q: Any, qd: Any, tau: Any, f_ext: External = None) -> np.ndarray:
    """Return joint accelerations (NB,) by the articulated-body algorithm.

    Args:
        model: Tree on a fixed base.
        q, qd: (NB,) joint variables and rates.
        tau: (NB,) joint forces [N m, N].
        f_ext: External forces per body, base coordinates; see `apply_external_forces`.

    Source: Featherstone 2008, section 7.3, Table 7.1.

    Example:
        >>> from tribo.spatial import autoTree
        >>> m = autoTree(3, 2)
        >>> q, qd, tau = np.ones(3), np.ones(3), np.zeros(3)
        >>> bool(np.allclose(ID(m, q, qd, FDab(m, q, qd, tau)), tau))
        True
    """
    tau = check.vector(np.ravel(tau), "tau", model.NB)
    a_grav = get_gravity(model)
    t = velocities(model, q, qd, np.zeros(len(a_grav)), 0)
    t.pA = apply_external_forces(model.parent, t.Xup, t.pA, f_ext)
    U, d, u = np.zeros((model.NB, len(a_grav))), np.zeros(model.NB), np.zeros(model.NB)
    for i in reversed(range(model.NB)):
        U[i] = t.IA[i] @ t.S[i]
        d[i] = t.S[i] @ U[i]
        u[i] = tau[i] - t.S[i] @ t.pA[i]
        p = model.parent[i]
        if p >= 0:
            Ia = t.IA[i] - np.outer(U[i] / d[i], U[i])
            pa = t.pA[i] + Ia @ t.c[i] + U[i] * (u[i] / d[i])
            t.IA[p] = t.IA[p] + t.Xup[i].T @ Ia @ t.Xup[i]
            t.pA[p] = t.pA[p] + t.Xup[i].T @ pa
    qdd = np.zeros(model.NB)
    a: list[np.ndarray] = []
    for i, p in enumerate(model.parent):
        ap = t.Xup[i] @ (-a_grav if p < 0 else a[p]) + t.c[i]
        qdd[i] = (u[i] - U[i] @ ap) / d[i]
        a.append(ap + t.S[i] * qdd[i])
    return qdd


def HD(
    model: Model, fd: Any, q: Any, qd: Any, qdd: Any, tau: Any, f_ext: External = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return accelerations and forces where each joint has one of the two given.

    Args:
        model: Tree on a fixed base.
        fd: (NB,) flags: 1, the force of the joint is given (forward dynamics); 0, its acceleration.
        q, qd: (NB,) joint variables and rates.
        qdd: (NB,) accelerations; read where fd is 0.
        tau: (NB,) forces; read where fd is 1.
        f_ext: External forces per body, base coordinates.

    Returns:
        The pair (qdd, tau), complete.

    Source: Featherstone 2008, section 9.1 (hybrid dynamics).
    """
    qdd = check.vector(np.ravel(qdd), "qdd", model.NB)
    tau = check.vector(np.ravel(tau), "tau", model.NB)
    is_free = check.vector(np.ravel(np.asarray(fd, float)), "fd", model.NB) != 0.0
    H, C = HandC(model, q, qd, f_ext)
    known = np.where(is_free, 0.0, qdd)
    rest = tau - C - H @ known
    known[is_free] = np.linalg.solve(H[np.ix_(is_free, is_free)], rest[is_free])
    return known, np.where(is_free, tau, H @ known + C)


@dataclass(frozen=True, slots=True)
class Energy:
    """Result of `EnerMo`; base coordinates, momenta about the base's origin."""

    KE: float  # [J]
    PE: float  # [J] zero for a centre of mass at the origin
    htot: np.ndarray  # (6,) or (3,) [N m s, N s] total momentum
    Itot: np.ndarray  # (6, 6) or (3, 3) total inertia
    mass: float  # [kg]
    cm: np.ndarray  # (3,) or (2,) [m] centre of mass
    vcm: np.ndarray  # (3,) or (2,) [m/s]


def EnerMo(model: Model, q: Any, qd: Any) -> Energy:
    """Return energy, momentum, total inertia and centre of mass of a tree on a fixed base.

    PE = −m cm·g with g of `get_gravity`.

    Source: Featherstone 2008, eq. 2.67 (kinetic energy), section 2.13.

    Example:
        >>> from tribo.spatial import planar
        >>> EnerMo(planar(2), [0, 0], [1, 0]).mass
        2.0
    """
    Xup, S, q, qd = bodies(model, q, qd)
    size = len(get_gravity(model))
    v: list[np.ndarray] = []
    for i, p in enumerate(model.parent):
        v.append(S[i] * qd[i] if p < 0 else Xup[i] @ v[p] + S[i] * qd[i])
    KE = 0.5 * sum(float(v[i] @ model.I[i] @ v[i]) for i in range(model.NB))
    IC = list(model.I)
    h = [model.I[i] @ v[i] for i in range(model.NB)]
    Itot, htot = np.zeros((size, size)), np.zeros(size)
    for i in reversed(range(model.NB)):
        p = model.parent[i]
        lifted, momentum = Xup[i].T @ IC[i] @ Xup[i], Xup[i].T @ h[i]
        if p >= 0:
            IC[p], h[p] = IC[p] + lifted, h[p] + momentum
        else:
            Itot, htot = Itot + lifted, htot + momentum
    return totals(model, KE, htot, Itot)


def totals(model: Model, KE: float, htot: np.ndarray, Itot: np.ndarray) -> Energy:
    """Return the read-out of energies from total momentum and inertia."""
    mass, cm, _ = mcI(Itot)
    n = model.dimension
    PE = -mass * float(cm @ get_gravity(model)[-n:])
    vcm = htot[-n:] / mass if mass > 0.0 else np.zeros(n)
    return Energy(KE, PE, htot, Itot, mass, cm, vcm)
