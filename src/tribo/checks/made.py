"""Properties that a line makes: typed ones, short names, and old names, which work for one version."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

T = TypeVar("T")


class Made(property, Generic[T]):
    """A property made of functions: type checkers know what it gives, and assigned is what its check takes.

    Example:
        >>> class Ball:
        ...     size = Made[float](lambda self: 2.0, None, "Diameter [m].")
        >>> Ball().size, Ball.size.__doc__
        (2.0, 'Diameter [m].')
    """

    def __init__(self, read: Callable[[Any], T], write: Callable[[Any, Any], None] | None, doc: str) -> None:
        """Declare it in the body of a class."""
        super().__init__(read, write, None, doc)
        self.__doc__ = doc  # else Python 3.11 shows that of this class

    if TYPE_CHECKING:

        def __get__(self, owner: Any, kind: type | None = None, /) -> T: ...  # type: ignore[override]


def short_for(name: str, doc: str) -> Made[Any]:
    """Return a property that reads and assigns another one, under a shorter name."""

    def read(self: Any) -> Any:
        return getattr(self, name)

    def write(self: Any, value: Any) -> None:
        setattr(self, name, value)

    return Made(read, write, doc)


class Renamed(property):
    """A property under an old name; completion and the pages of the API leave it out."""


def renamed(old: str, new: str, read: Callable[[Any], Any] | None = None, *, is_set: bool = True) -> property:
    """Return a property under an old name that reads and sets the one under the new name.

    Args:
        old, new: Names.
        read: The value of the old name, from the object; None: what the new one does.
        is_set: Whether the old name may be assigned to.
    """

    def say() -> None:
        text = f"{old} is called {new}; the old name goes with the next version"
        warnings.warn(text, DeprecationWarning, 3)

    def get(self: Any) -> Any:
        say()
        return getattr(self, new) if read is None else read(self)

    def put(self: Any, value: Any) -> None:
        say()
        setattr(self, new, value)

    return Renamed(get, put if is_set else None, doc=f"Old name of `{new}`.")
