"""Sparse factors of a joint-space inertia matrix: they keep the zeros that branches make.

`lam` is Spatial_v2's λ: for each joint variable the one that it hangs on, −1 for none; entry (i, j) of H
is zero unless one of i and j supports the other. A model without joints of several freedoms has
lam = model.parent.

Source: Featherstone 2008, section 6.4 and 6.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tribo.spatial.model import check_parents, whole_numbers


def expandLambda(lam: Sequence[int], nf: Sequence[int]) -> list[int]:
    """Return the parents of joint variables for joints of several freedoms.

    Args:
        lam: (NB,) parent of each joint, −1: the base.
        nf: (NB,) number of freedoms of each joint, ≥ 1.

    Example:
        >>> expandLambda([-1, 0], [2, 1])
        [-1, 0, 1]
    """
    lam, nf = whole_numbers(lam, "lam"), whole_numbers(nf, "nf")
    if len(lam) != len(nf) or any(n < 1 for n in nf):
        raise ValueError(f"expandLambda needs a freedom ≥ 1 for each of {len(lam)} joints, got {list(nf)}")
    check_parents(lam, "lam")
    last: list[int] = []
    expanded: list[int] = []
    for parent, freedoms in zip(lam, nf, strict=True):
        expanded.append(last[parent] if parent >= 0 else -1)
        expanded += range(len(expanded) - 1, len(expanded) + freedoms - 2)
        last.append(len(expanded) - 1)
    return expanded


def _problem(matrix: Any, what: str, lam: Sequence[int]) -> tuple[np.ndarray, list[int]]:
    """Return copies of a square matrix and its parents; refuse what is no tree or no number."""
    made = np.array(matrix, float)
    n = len(made) if made.ndim == 2 else -1
    if made.shape != (n, n) or not np.isfinite(made).all():
        raise ValueError(f"{what} must be a square matrix of finite numbers, got shape {made.shape}")
    parents = whole_numbers(lam, "lam")
    if len(parents) != n:
        raise ValueError(f"lam must be {n} whole numbers, one for each row of {what}, got {list(lam)!r:.80}")
    check_parents(parents, "lam")
    return made, parents


def _vector(x: Any, n: int) -> np.ndarray:
    """Return a copy of n finite numbers."""
    made = np.array(x, float)
    if made.shape != (n,) or not np.isfinite(made).all():
        raise ValueError(f"x must be {n} finite numbers, shape ({n},), got shape {made.shape}")
    return made


def _pivot(L: np.ndarray, k: int) -> float:
    """Return a diagonal entry of what is left of H; it must be > 0."""
    if not L[k, k] > 0.0:
        raise ValueError(f"H is not positive definite: the pivot of row {k} is {L[k, k]:g}")
    return float(L[k, k])


def LTL(H: Any, lam: Sequence[int]) -> np.ndarray:
    """Return the lower triangular L of H = Lᵀ L, with the zeros of H.

    Source: Featherstone 2008, section 6.5.

    Example:
        >>> LTL([[2.0, 1.0], [1.0, 1.0]], [-1, 0]).tolist()
        [[1.0, 0.0], [1.0, 1.0]]
    """
    L, lam = _problem(H, "H", lam)
    L = np.tril(L)
    for k in reversed(range(len(lam))):
        L[k, k] = np.sqrt(_pivot(L, k))
        for i in ancestors(lam, k):
            L[k, i] /= L[k, k]
        _eliminate(L, lam, k, 1.0)
    return L


def LTDL(H: Any, lam: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit lower triangular L and diagonal D of H = Lᵀ D L, with the zeros of H.

    Source: Featherstone 2008, section 6.5.
    """
    L, lam = _problem(H, "H", lam)
    L = np.tril(L)
    for k in reversed(range(len(lam))):
        _pivot(L, k)
        for i in ancestors(lam, k):
            L[k, i] /= L[k, k]
        _eliminate(L, lam, k, L[k, k])
    D = np.diag(np.diag(L))
    np.fill_diagonal(L, 1.0)
    return L, D


def mpyH(H: Any, lam: Sequence[int], x: Any) -> np.ndarray:
    """Return H x; only the entries of H that are not zero by its branches are read.

    Source: Featherstone 2008, section 6.5.
    """
    H, lam = _problem(H, "H", lam)
    x = _vector(x, len(H))
    y: np.ndarray = np.diag(H) * x
    for i in reversed(range(len(lam))):
        for j in ancestors(lam, i):
            y[i] += H[i, j] * x[j]
            y[j] += H[i, j] * x[i]
    return y


def mpyL(L: Any, lam: Sequence[int], x: Any) -> np.ndarray:
    """Return L x.

    Source: Featherstone 2008, section 6.5.
    """
    L, lam = _problem(L, "L", lam)
    x = _vector(x, len(L))
    y: np.ndarray = np.diag(L) * x
    for i in range(len(lam)):
        for j in ancestors(lam, i):
            y[i] += L[i, j] * x[j]
    return y


def mpyLt(L: Any, lam: Sequence[int], x: Any) -> np.ndarray:
    """Return Lᵀ x.

    Source: Featherstone 2008, section 6.5.
    """
    L, lam = _problem(L, "L", lam)
    x = _vector(x, len(L))
    y: np.ndarray = np.diag(L) * x
    for i in range(len(lam)):
        for j in ancestors(lam, i):
            y[j] += L[i, j] * x[i]
    return y


def mpyLi(L: Any, lam: Sequence[int], x: Any) -> np.ndarray:
    """Return L⁻¹ x.

    Source: Featherstone 2008, section 6.5.
    """
    L, lam = _problem(L, "L", lam)
    y = _vector(x, len(L))
    for i in range(len(lam)):
        for j in ancestors(lam, i):
            y[i] -= L[i, j] * y[j]
        y[i] /= L[i, i]
    return y


def mpyLit(L: Any, lam: Sequence[int], x: Any) -> np.ndarray:
    """Return L⁻ᵀ x.

    Source: Featherstone 2008, section 6.5.
    """
    L, lam = _problem(L, "L", lam)
    y = _vector(x, len(L))
    for i in reversed(range(len(lam))):
        y[i] /= L[i, i]
        for j in ancestors(lam, i):
            y[j] -= L[i, j] * y[i]
    return y


def ancestors(lam: Sequence[int], i: int) -> list[int]:
    """Return what a joint variable hangs on, nearest first."""
    chain = []
    while lam[i] >= 0:
        i = lam[i]
        chain.append(i)
    return chain


def _eliminate(L: np.ndarray, lam: Sequence[int], k: int, pivot: float) -> None:
    """Take the outer product of row k, times the pivot, from the rows of its ancestors."""
    chain = ancestors(lam, k)
    for n, i in enumerate(chain):
        for j in chain[n:]:
            L[i, j] -= L[k, i] * L[k, j] * pivot
