"""Errors of real sensors: noise, bias, quantization."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, fields

import numpy as np

from tribo.checks import check

KINDS = ("gaussian", "uniform")


@dataclass(frozen=True, slots=True)
class Noise:
    """An error model; every part that is 0 is absent.

    A reading is quantised(truth + mean + bias(t) + white noise), and lost with a probability.

    Attributes:
        stddev: White noise, standard deviation, in the unit of the reading.
        mean: A constant offset, in the unit of the reading.
        kind: "gaussian" or "uniform" (of the same standard deviation).
        random_walk: Rate at which the bias wanders [unit/√s]: after t seconds its standard deviation is
            random_walk · √t.
        resolution: Readings are multiples of this, in the unit of the reading.
        dropout: Probability that a reading (of lidars and cameras: a ray) is lost: NaN.

    Example:
        >>> Noise(stddev=0.01, random_walk=1e-4).resolution
        0.0
    """

    stddev: float = 0.0
    mean: float = 0.0
    kind: str = "gaussian"
    random_walk: float = 0.0
    resolution: float = 0.0
    dropout: float = 0.0

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ValueError, TypeError: One is out of its range.
        """
        check.choice(self.kind, KINDS, "kind of noise")
        for item in fields(self):
            if item.name == "kind":
                continue
            low = -check.LARGEST if item.name == "mean" else 0.0
            high = 1.0 if item.name == "dropout" else check.LARGEST
            value = check.number(getattr(self, item.name), item.name, minimum=low, maximum=high)
            object.__setattr__(self, item.name, value)


class NoiseState:
    """One stream of errors: what it needs to go on is a count and a bias."""

    def __init__(self, noise: Noise | None, seed: int, name: str) -> None:
        self.noise, self._name = noise, name
        self._key = np.array([seed & 0xFFFFFFFFFFFFFFFF, zlib.crc32(name.encode())], np.uint64)
        self.count = 0
        self.bias: np.ndarray | float = 0.0
        self._time = math.nan

    def seeded(self, seed: int) -> NoiseState:
        """Return the same errors from the first reading on, of another seed."""
        return NoiseState(self.noise, seed, self._name)

    def get(self) -> tuple[int, np.ndarray | float, float]:
        """Return what the future depends on."""
        return self.count, np.copy(self.bias), self._time

    def set(self, state: tuple[int, np.ndarray | float, float]) -> None:
        """Go back to an earlier state."""
        self.count, self.bias, self._time = state[0], np.copy(state[1]), state[2]

    def fits(self, shape: tuple[int, ...], count: int, bias: np.ndarray, time: float) -> bool:
        """Tell whether these are a state (`get`) of errors whose bias has a given shape, or has not begun."""
        is_bias = np.shape(bias) in {(), shape} and bool(np.isfinite(bias).all())
        return type(count) is int and 0 <= count < 1 << 63 and is_bias and not math.isinf(time)

    def applied(self, truth: np.ndarray, time: float, *, is_whole: bool = True) -> np.ndarray:
        """Return a reading of the truth; `is_whole`: it is lost as a whole or not at all."""
        noise = self.noise
        if noise is None:
            return truth
        # A counter instead of a generator with a state: reading k is the same however one comes to it.
        bits = np.random.Philox(key=self._key, counter=[0, 0, 0, self.count])
        random = np.random.Generator(bits)
        elapsed = 0.0 if math.isnan(self._time) else max(0.0, time - self._time)
        self.count, self._time = self.count + 1, time
        found = truth + noise.mean
        if noise.random_walk:
            shape = truth.shape if is_whole else ()
            self.bias = self.bias + noise.random_walk * math.sqrt(elapsed) * random.normal(size=shape)
            found = found + self.bias
        if noise.stddev:
            if noise.kind == "gaussian":
                found = found + noise.stddev * random.normal(size=truth.shape)
            else:
                width = math.sqrt(3.0) * noise.stddev
                found = found + random.uniform(-width, width, size=truth.shape)
        if noise.resolution:
            found = np.round(found / noise.resolution) * noise.resolution
        if noise.dropout:
            lost = random.random(size=() if is_whole else truth.shape) < noise.dropout
            found = np.where(lost, math.nan, found)
        return np.asarray(found)
