"""Checks of what users hand in: each error says what, where, its value and the remedy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

UNIT_TOLERANCE = 1e-3  # [–] a quaternion farther from unit length than this is a mistake


def number(
    value: Any,
    what: str,
    *,
    minimum: float = -math.inf,
    exclusive: bool = False,
    maximum: float = math.inf,
) -> float:
    """Return a finite float within a range."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be a number, got {value!r}") from None
    if not math.isfinite(result):
        raise ValueError(f"{what} must be finite, got {value!r}")
    if result < minimum or (exclusive and result == minimum):
        raise ValueError(f"{what} must be {'>' if exclusive else '≥'} {minimum:g}, got {value!r}")
    if result > maximum:
        raise ValueError(f"{what} must be ≤ {maximum:g}, got {value!r}")
    return result


def vector(value: Any, what: str, length: int) -> np.ndarray:
    """Return a finite float64 vector of a given length (a copy)."""
    try:
        result = np.array(value, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be {length} numbers, got {value!r}") from None
    if result.shape != (length,):
        raise ValueError(f"{what} must have shape ({length},), got {result.shape}")
    bad = np.flatnonzero(~np.isfinite(result))
    if bad.size:
        raise ValueError(f"{what} must be finite, entry {bad[0]} is {result[bad[0]]!r}")
    return result


def gains(value: Any, what: str, length: int) -> np.ndarray:
    """Return a vector of non-negative numbers; one number stands for all."""
    if np.ndim(value) == 0:
        value = np.full(length, number(value, what))
    result = vector(value, what, length)
    if (result < 0.0).any():
        k = int(np.argmin(result))
        raise ValueError(f"{what} must be ≥ 0, entry {k} is {result[k]!r}")
    return result


def quaternion(value: Any, what: str) -> np.ndarray:
    """Return a unit quaternion (w, x, y, z); one that is far from unit length is refused."""
    result = vector(value, what, 4)
    length = float(np.linalg.norm(result))
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise ValueError(
            f"{what} must be a unit quaternion (w, x, y, z), got {result.tolist()} of length {length:.6g}; "
            "divide it by its length if that is what you mean"
        )
    return result if length == 1.0 else result / length


def inertia(value: Any, what: str) -> np.ndarray:
    """Return a symmetric positive definite 3×3 inertia."""
    result = np.array(value, np.float64)
    if result.shape == (3,):
        result = np.diag(result)
    if result.shape != (3, 3) or not np.isfinite(result).all():
        raise ValueError(f"{what} must be 3 or 3×3 finite numbers, got {value!r}")
    if not np.allclose(result, result.T, rtol=1e-9, atol=0.0):
        raise ValueError(f"{what} must be symmetric, got {result.tolist()}")
    lowest = float(np.linalg.eigvalsh(result)[0])
    if lowest <= 0.0:
        raise ValueError(
            f"{what} must be positive definite, its least eigenvalue is {lowest:g} kg m²"
        )
    return result


def integer(value: Any, what: str, minimum: int) -> int:
    """Return an integer of at least `minimum`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{what} must be an integer, got {value!r}")
    if value < minimum:
        raise ValueError(f"{what} must be ≥ {minimum}, got {value!r}")
    return int(value)


def bits(value: Any, what: str) -> int:
    """Return 64 bits as a signed integer; −1 means all, and 1 << 63 is allowed."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{what} must be an integer of 64 bits, got {value!r}")
    if not -(1 << 63) <= value < (1 << 64):
        raise ValueError(f"{what} must fit into 64 bits, got {value!r}")
    return int(value) - (1 << 64) if value >= (1 << 63) else int(value)


def known(name: str, names: Iterable[str], what: str) -> str:
    """Return a name that is among those known; the error proposes the nearest."""
    import difflib

    options: Sequence[str] = tuple(names)
    if name in options:
        return name
    near = difflib.get_close_matches(str(name), options, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(options[:12]) or 'none'}"
    raise KeyError(f"unknown {what} {name!r}; {hint}")
