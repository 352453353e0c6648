"""Two or four numbers side by side in one register of the processor, for kernels that are worth it.

``load4(array, k)`` reads four numbers of a field: the k-th of all its numbers, row by row, and the next
ones. ``+``, ``-``, ``*``, ``/`` and ``abs`` work on each lane; a number counts as lanes that are all equal to
it, which ``spread4(x)`` makes of one. ``<`` and ``<=`` give four answers, for ``&``, ``|`` and ``~`` to
combine: ``chosen(answers, a, b)`` takes a where they are yes, else b. A lane holds, to the bit, what a
scalar would.
Compiled they are vectors (`lane_types`); where the compiler is switched off, arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tribo.compiler.jit import Named

__all__ = [
    "chosen", "filled", "gathered", "high", "is_yes", "joined", "lane", "load2", "load4", "low",
    "number", "pair_sums", "paired", "roots", "scattered", "some", "spread2", "spread4", "store2",
    "store4", "sums", "top", "total", "transposed", "transposed2",
]  # fmt: skip


class Operation(Named):
    """Operations of kernels on lanes: known to Numba by its name, to Python as a function."""

    def __init__(self, name: str, plain: Callable[..., Any]) -> None:
        super().__init__("tribo.compiler.lane_types", name)
        self._plain = plain

    def __call__(self, *args: Any) -> Any:
        """Do it in plain Python."""
        return self._plain(*args)


def _load(array: np.ndarray, k: int, count: int) -> np.ndarray:
    return array.reshape(-1)[k : k + count].copy()


def _store(array: np.ndarray, k: int, value: np.ndarray) -> None:
    array.reshape(-1)[k : k + len(value)] = value


def _sum(four: np.ndarray, two: np.ndarray) -> float:
    return float(((four[0] + four[1]) + (four[2] + four[3])) + (two[0] + two[1]))


def _gathered(array: np.ndarray, i: int, j: int, k: int, m: int) -> np.ndarray:
    return array.reshape(-1)[[i, j, k, m]].copy()


def _scattered(array: np.ndarray, i: int, j: int, k: int, m: int, value: np.ndarray) -> None:
    for place, x in zip((m, k, j, i), value[::-1], strict=True):
        array.reshape(-1)[place] = x


load2 = Operation("load2", lambda array, k: _load(array, k, 2))
load4 = Operation("load4", lambda array, k: _load(array, k, 4))
store2, store4 = Operation("store2", _store), Operation("store4", _store)
spread2 = Operation("spread2", lambda x: np.full(2, x))
spread4 = Operation("spread4", lambda x: np.full(4, x))
filled = Operation("filled", lambda a, b, c, d: np.array((a, b, c, d)))  # with four numbers
joined = Operation("joined", lambda a, b: np.concatenate((a, b)))  # four lanes of two and two
low = Operation("low", lambda value: value[:2])  # two lanes of four
high = Operation("high", lambda value: value[2:])
lane = Operation("lane", lambda value, k: np.full(4, value[k]))  # one of four, in all four
pair_sums = Operation("pair_sums", lambda a, b: np.array((a[0] + a[1], b[0] + b[1])))
# Of a and the first two ends, of b and the last two; pair by pair, in order.
sums = Operation("sums", lambda a, b, ends: (_sum(a, ends[:2]), _sum(b, ends[2:])))
gathered = Operation("gathered", _gathered)  # four numbers of a field, from four places
scattered = Operation("scattered", _scattered)  # to four places, the last lane first
transposed = Operation("transposed", lambda a, b, c, d: tuple(np.array((a, b, c, d)).T.copy()))
transposed2 = Operation("transposed2", lambda a, b, c, d: tuple(np.array((a, b, c, d)).T.copy()))
paired = Operation("paired", lambda a, b: tuple(np.array((a, b)).T.copy()))  # the way back
roots = Operation("roots", np.sqrt)
chosen = Operation("chosen", np.where)
number = Operation("number", lambda value, k: float(value[k]))  # one of four lanes
total = Operation("total", lambda value: float(value[0] + value[1]))  # of two lanes
some = Operation("some", lambda answers: bool(answers.any()))  # is one of them yes?
is_yes = Operation("is_yes", lambda answers, k: bool(answers[k]))
top = Operation("top", lambda value: float(max(max(value[:2]), max(value[2:]))))  # the largest lane
