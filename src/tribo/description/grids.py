"""Heights over two axes, found piece by piece, and the noise of terrain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tribo.checks import check

MAX_SAMPLES = 16_000_000  # of one map
PIECE = 1 << 17  # samples that are found at once, letters that are read at once: about 0.02 s


def axes(size: Any, cell: Any) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Return x (nx,) and y (ny,) of samples [m], and the lengths (2,) of a map [m]."""
    lengths, between = check.vector(size, "size", 2), check.positive(cell, "cell")
    if (lengths <= 0.0).any():
        raise ValueError(f"size must be > 0, got {lengths.tolist()}")
    if (lengths / between).prod() > MAX_SAMPLES:
        raise ValueError(f"cells of {between:g} m are more than the {MAX_SAMPLES} samples allowed")
    counts = [max(2, round(float(length / between)) + 1) for length in lengths]
    x, y = (np.linspace(-0.5 * s, 0.5 * s, n) for s, n in zip(lengths, counts, strict=True))
    return (x, y), lengths


def filled(
    x: np.ndarray, y: np.ndarray, height: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return height(x, y) at all pairs of two axes, (ny, nx). Ctrl-C is heard between two pieces."""
    made = np.empty(len(y) * len(x))
    for first in range(0, len(made), PIECE):
        j, i = np.divmod(np.arange(first, min(first + PIECE, len(made))), len(x))
        made[first : first + PIECE] = height(x[i], y[j])
    return made.reshape(len(y), len(x))


def noise(x: np.ndarray, y: np.ndarray, seed: tuple[int, int]) -> np.ndarray:
    """Return gradient noise in −1 … 1."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(256)
    angle = rng.uniform(0.0, 2.0 * np.pi, 256)
    i, j = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    u, v = x - i, y - j
    fade_u, fade_v = (t * t * t * (t * (6.0 * t - 15.0) + 10.0) for t in (u, v))

    def corner(di: int, dj: int) -> np.ndarray:
        a = angle[order[(order[(i + di) % 256] + j + dj) % 256]]
        return np.asarray(np.cos(a) * (u - di) + np.sin(a) * (v - dj))

    low = corner(0, 0) + fade_u * (corner(1, 0) - corner(0, 0))
    high = corner(0, 1) + fade_u * (corner(1, 1) - corner(0, 1))
    return np.asarray(np.sqrt(2.0) * (low + fade_v * (high - low)))
