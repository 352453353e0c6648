"""Arrays that are part of a world: what is written into them, or into slices of them, acts.

When a world is built anew its numbers move to other memory. A write into the old memory would be lost in
silence, so every array that still looks there is made read-only. NumPy does not let an array know its
slices; this subclass keeps a list of them.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

FEW = 64  # slices that are kept before those that are gone are looked for


class LiveArray(np.ndarray):
    """An array of a world; its slices, views and other shapes know where they come from.

    Results of arithmetic, copies and what `numpy.asarray` returns are plain arrays.
    """

    views: Views | None  # that look at the same memory

    def __array_finalize__(self, source: Any) -> None:
        """Note an array that was made of another one and looks at the same memory."""
        views = getattr(source, "views", None) if self.base is not None else None
        self.views = views
        if views is not None:
            views.add(self)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return the result of arithmetic as it is: a plain array, or a number."""
        return array[()] if return_scalar else array

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write as into a plain array: NumPy would make an array of this class of every slice first."""
        self.view(np.ndarray)[index] = value

    def __repr__(self) -> str:
        """Return what a plain array would."""
        return repr(np.asarray(self))

    def __reduce__(self) -> Any:
        """Let copies in files be plain arrays."""
        return np.array(self).__reduce__()


class Views:
    """The arrays that look at one piece of memory, as long as somebody has them."""

    def __init__(self) -> None:
        """Start without any."""
        self._known: list[weakref.ref[np.ndarray]] = []
        self._limit = FEW

    def add(self, array: np.ndarray) -> None:
        """Note one more; forget those that are gone now and then."""
        self._known.append(weakref.ref(array))
        if len(self._known) > self._limit:
            self._known = [known for known in self._known if known() is not None]
            self._limit = 2 * len(self._known) + FEW

    def freeze(self, memory: np.ndarray) -> None:
        """Refuse from now on what would be written into this memory."""
        for known in self._known:
            array = known()
            if array is not None and np.may_share_memory(array, memory):
                array.setflags(write=False)


def live(memory: np.ndarray) -> tuple[LiveArray, Views]:
    """Return an array that looks at a piece of memory, and the list of those that are made of it."""
    made, views = memory.view(LiveArray), Views()
    made.views = views
    views.add(made)
    return made, views
