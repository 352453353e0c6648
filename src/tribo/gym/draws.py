"""Random numbers for many worlds: each world has a stream of its own, and all draw at once."""

from __future__ import annotations

from typing import Any

import numpy as np

GAMMA = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ divided by the golden ratio, odd
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
UNIT = 2.0**-53


class Draws:
    """Random streams, one for each world, counted and keyed (SplitMix64).

    The draws of a world depend on its seed and on how often it drew before, not on the other worlds: so a
    world in a batch draws what it would draw alone. Source: Steele, Lea, Flood, "Fast splittable
    pseudorandom number generators", OOPSLA 2014. Keys are made of seeds by NumPy's `SeedSequence`.

    Args:
        worlds: How many streams, ≥ 1; seed them before the first draw.

    Example:
        >>> import numpy as np
        >>> both, second = Draws(2), Draws(1)
        >>> both.seed(np.arange(2), [7, 8])
        >>> second.seed(np.arange(1), [8])
        >>> a = both.uniform(np.arange(2), 0.0, 1.0, 3)
        >>> bool((a[1:] == second.uniform(np.arange(1), 0.0, 1.0, 3)).all()), a.shape
        (True, (2, 3))
    """

    def __init__(self, worlds: int) -> None:
        self.keys = np.zeros(worlds, np.uint64)
        self.counts = np.zeros(worlds, np.uint64)

    def seed(self, rows: np.ndarray, seeds: Any) -> None:
        """Begin the streams of some worlds anew.

        Args:
            rows: Numbers of the worlds, (n,).
            seeds: A whole number ≥ 0 for each, (n,), or None: from the system.
        """
        for row, seed in zip(rows, seeds, strict=True):
            self.keys[row] = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
        self.counts[rows] = 0

    def bits(self, rows: np.ndarray, width: int) -> np.ndarray:
        """Return whole numbers of 64 random bits, (n, width)."""
        steps = np.arange(1, width + 1, dtype=np.uint64)
        z = self.keys[rows, None] + (self.counts[rows, None] + steps) * GAMMA
        self.counts[rows] += np.uint64(width)
        z = (z ^ (z >> np.uint64(30))) * FIRST
        z = (z ^ (z >> np.uint64(27))) * SECOND
        return np.asarray(z ^ (z >> np.uint64(31)))

    def uniform(self, rows: np.ndarray, low: Any, high: Any, width: int) -> np.ndarray:
        """Return numbers of equal density in [low, high), (n, width).

        Args:
            rows: Numbers of the worlds, (n,).
            low, high: Numbers or arrays that broadcast to (n, width).
            width: Numbers for each world.
        """
        unit = (self.bits(rows, width) >> np.uint64(11)).astype(float) * UNIT
        return np.asarray(low + (np.asarray(high, float) - low) * unit)

    def normal(self, rows: np.ndarray, deviation: Any, width: int) -> np.ndarray:
        """Return normally distributed numbers of mean 0, (n, width) (Box and Muller, 1958).

        Args:
            rows: Numbers of the worlds, (n,).
            deviation: Standard deviation, a number or an array that broadcasts to (n, width).
            width: Numbers for each world.
        """
        unit = (self.bits(rows, 2 * width) >> np.uint64(11)).astype(float) * UNIT
        radius = np.sqrt(-2.0 * np.log1p(-np.ascontiguousarray(unit[:, :width])))
        angle = np.cos(2.0 * np.pi * np.ascontiguousarray(unit[:, width:]))
        return np.asarray(deviation * (radius * angle))

    def integers(self, rows: np.ndarray, count: int) -> np.ndarray:
        """Return a whole number in 0 … count − 1 for each world, (n,) (count far below 2⁵³)."""
        return np.asarray(self.uniform(rows, 0.0, float(count), 1)[:, 0], np.int64)
