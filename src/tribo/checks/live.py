"""Arrays that are part of a world: what is written into them, or into slices of them, acts.

When a world is built anew its numbers move to other memory. A write into the old memory would be lost in
silence. NumPy does not let an array know what was made of it, least of all `numpy.asarray`, so nothing that
looks at a world's memory can be written by NumPy itself: all such arrays are read-only. A `LiveArray` writes
through the memory that its cell holds, and a build empties the cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tribo.checks.readonly import OfWorld

_WRITE_FIRST = frozenset(
    (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)
)  # functions that write into their first argument


class Cell:
    """Holds the memory of an array that was handed out, until the world's numbers move."""

    def __init__(self, memory: np.ndarray) -> None:
        """Hold memory that can be written."""
        self.memory: np.ndarray | None = memory


class LiveArray(OfWorld):
    """An array of a world; its slices, views and other shapes write into the same memory.

    Results of arithmetic and copies are plain arrays; so is what `numpy.asarray` returns, which is read-only.
    """

    cell: Cell | None

    def __array_finalize__(self, source: Any) -> None:
        """Let an array that was made of another one know the same cell."""
        self.cell = getattr(source, "cell", None)

    def _to_write(self) -> np.ndarray:
        """Return these numbers as a plain array that can be written.

        Raises:
            ValueError: They are no longer those of a world.
        """
        if self.flags.writeable or self.cell is None:
            return self.view(np.ndarray)  # a copy
        memory = self.cell.memory
        if memory is None:
            raise ValueError(
                "this array is read-only: the world was built anew and has its numbers elsewhere, so what is "
                "written here would be lost; ask the object for the array again"
            )
        if not np.may_share_memory(self, memory):  # a copy that somebody made read-only
            return self.view(np.ndarray)
        offset = self.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
        return np.ndarray(self.shape, self.dtype, memory, offset, self.strides)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write as into a plain array."""
        self._to_write()[index] = _plain(value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Compute with plain arrays; what is given as `out` is written."""
        given = options.get("out", ())
        if given:
            options["out"] = tuple(map(_writable, given))
        if "where" in options:
            options["where"] = _plain(options["where"])
        first = _writable(inputs[0]) if method == "at" else _plain(inputs[0])
        made = getattr(ufunc, method)(first, *map(_plain, inputs[1:]), **options)
        return given[0] if len(given) == 1 and given[0] is not None else made

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Call a function of NumPy; what it writes into is written."""
        del types
        if function in _WRITE_FIRST and args:
            args = (_writable(args[0]), *args[1:])
        given = kwargs.get("out")
        if isinstance(given, LiveArray):
            kwargs = {**kwargs, "out": _writable(given)}
        made = super().__array_function__(function, (LiveArray,), args, kwargs)
        return given if isinstance(given, LiveArray) else made

    def let_go(self) -> None:
        """Refuse from now on what is written into this array, and into all that was made of it."""
        if self.cell is not None:
            self.cell.memory = None

    def fill(self, value: Any) -> None:
        """Set all numbers to one."""
        self._to_write().fill(value)

    def sort(self, *arguments: Any, **options: Any) -> None:
        """Sort the numbers in place."""
        self._to_write().sort(*arguments, **options)

    def partition(self, *arguments: Any, **options: Any) -> None:
        """Sort the numbers in part, in place."""
        self._to_write().partition(*arguments, **options)

    def put(self, *arguments: Any, **options: Any) -> None:
        """Set numbers by their place in the flat array."""
        self._to_write().put(*arguments, **options)


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, LiveArray) else value


def _writable(value: Any) -> Any:
    return value._to_write() if isinstance(value, LiveArray) else value  # noqa: SLF001


def live(memory: np.ndarray) -> LiveArray:
    """Return an array that writes into a piece of memory until its cell is empty."""
    made = memory.view(LiveArray)
    made.cell = Cell(memory)
    made.setflags(write=False)
    return made
