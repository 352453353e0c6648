"""Lists whose items have names: a name finds one as its number does."""

from __future__ import annotations

from typing import Any, SupportsIndex, TypeVar, overload

from tribo.checks import check

T = TypeVar("T")


class ByName(tuple[T, ...]):
    """Items with names, in their order: ``robot.links["trunk"]`` and ``robot.links[0]``."""

    __slots__ = ()
    _called = "item"  # in messages

    @overload
    def __getitem__(self, key: SupportsIndex | str, /) -> T: ...
    @overload
    def __getitem__(self, key: slice, /) -> tuple[T, ...]: ...
    def __getitem__(self, key: Any, /) -> Any:
        """Return an item by number or name, or several by a slice.

        Raises:
            KeyError: There is no such name; the message proposes the nearest.
            IndexError: There is no such number.
        """
        if not isinstance(key, str):
            try:
                return super().__getitem__(key)
            except IndexError:
                raise IndexError(
                    f"there is no {self._called} {key}; there are {len(self)}"
                ) from None
        known: dict[str, T] = {getattr(item, "name"): item for item in self}  # noqa: B009
        return known[check.known(key, known, self._called)]
