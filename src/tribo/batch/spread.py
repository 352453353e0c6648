"""Uncertain parameters, as `Batch.randomize` asks for them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Spread(Protocol):
    """Parameters that are known with some uncertainty, as `tribo.identify` finds them."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the k parameters."""

    def draw(self, count: int, generator: np.random.Generator | None = None) -> np.ndarray:
        """Return parameters (count, k)."""

    def of_normal(self, normal: np.ndarray) -> np.ndarray:
        """Return parameters (n, k) that independent standard normal numbers (n, k) stand for."""

    def set_in_batch(self, batch: Any, values: np.ndarray, worlds: np.ndarray) -> None:
        """Set parameters (n, k) in worlds (n,) of a batch."""
