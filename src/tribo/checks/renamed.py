"""Old names of properties: they work for one version and say the new name."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any


class Renamed(property):
    """A property under an old name; completion and the pages of the API leave it out."""


def renamed(
    old: str, new: str, read: Callable[[Any], Any] | None = None, *, is_set: bool = True
) -> property:
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
