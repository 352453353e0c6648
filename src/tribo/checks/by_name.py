"""Names: lists whose items have one, which finds them as their number does; names that are free."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, SupportsIndex, TypeVar, overload

from tribo.checks import check

T = TypeVar("T")


def free_name(name: str, taken: Collection[str], what: str, prefix: str = "", first: int = 0) -> str:
    """Return a given name that is free; of an empty one PREFIX_k, k from `first` on.

    Raises:
        TypeError, ValueError: It is no text, or taken; `what` says by what, with its article.
    """
    check.text(name, "name")
    if name in taken:
        raise ValueError(f"there is already {what} named {name!r}; choose another name")
    while not name or name in taken:
        name, first = f"{prefix}_{first}", first + 1
    return name


def primed(name: str, taken: Collection[str]) -> str:
    """Return a name with so many primes that it is free: crate, crate', crate''."""
    while name in taken:
        name += "'"
    return name


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
                raise IndexError(f"there is no {self._called} {key}; there are {len(self)}") from None
        known: dict[str, T] = {getattr(item, "name"): item for item in self}  # noqa: B009
        return known[check.known(key, known, self._called)]
