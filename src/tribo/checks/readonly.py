"""Arrays that are handed out to be read."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tribo.checks.check import DOUBLE


def frozen(array: np.ndarray) -> np.ndarray:
    """Return an array that cannot be written: an edit that would be lost is an error."""
    array.setflags(write=False)
    return array


class OfWorld(np.ndarray):
    """An array of a world: what is computed from it, copied or shown is a plain one."""

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return the result of arithmetic as it is: a plain array, or a number."""
        return array[()] if return_scalar else np.asarray(array)

    def __repr__(self) -> str:
        """Return what a plain array would."""
        return repr(np.asarray(self))

    def __reduce__(self) -> Any:
        """Let copies in files be plain arrays."""
        return np.array(self).__reduce__()


def _anew(operate: Callable[[Any, Any], Any]) -> Any:
    return lambda self, other: operate(self, other)


class Reading(OfWorld):
    """A copy of numbers that are set as a whole: what is written into it is refused by the property's name.

    Results of arithmetic and copies are plain arrays. ``body.position += x`` is ``body.position =
    body.position + x``, as with all that cannot be changed.
    """

    setter = ""  # a class for each, so that slices have it, too

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write into a copy of a reading; refuse to write into a reading."""
        self._refuse_writing()
        super().__setitem__(key, value)

    def _refuse_writing(self) -> None:
        if not self.flags.writeable:
            raise ValueError(
                "this array is read-only: what is written into it would not reach the world; "
                f"assign {self.setter or 'the property'} as a whole, or write into a copy(): it is yours"
            )

    def fill(self, value: Any) -> None:
        """Fill a copy of a reading; refuse to fill a reading."""
        self._refuse_writing()
        super().fill(value)

    def sort(self, *arguments: Any, **options: Any) -> None:
        """Sort a copy of a reading; refuse to sort a reading."""
        self._refuse_writing()
        super().sort(*arguments, **options)

    # Arithmetic in place gives a new array.
    __iadd__, __isub__, __imul__ = _anew(operator.add), _anew(operator.sub), _anew(operator.mul)
    __itruediv__, __ifloordiv__ = _anew(operator.truediv), _anew(operator.floordiv)
    __ipow__, __imod__, __imatmul__ = (_anew(operator.pow), _anew(operator.mod), _anew(operator.matmul))

    def copy(self, order: Any = "C") -> Any:
        """Return a plain array that may be written."""
        return np.array(self, order=order)


_kinds: dict[str, type[Reading]] = {}


def _kind(setter: str) -> type[Reading]:
    """Return the class of readings of a property."""
    return _kinds.setdefault(setter, type("Reading", (Reading,), {"setter": setter}))


def reading(array: np.ndarray, setter: str = "") -> np.ndarray:
    """Return an array that is read only, as `frozen`, and says which property to assign to."""
    made = array.view(_kinds.get(setter) or _kind(setter))
    made.setflags(write=False)
    return made


def part_of(array: np.ndarray, first: int, count: int, setter: str) -> np.ndarray:
    """Return some numbers of an array in a row, (count,), as `reading` does: in half of its time.

    Args:
        array: Doubles that lie one behind the other in memory.
        first, count: Which of them; there may be none, which are zeros.
        setter: The property to assign to.
    """
    kind = _kinds.get(setter) or _kind(setter)
    found = array.tobytes()
    return kind(count, DOUBLE, found, 8 * first) if found else kind(count, DOUBLE, bytes(8 * count))
