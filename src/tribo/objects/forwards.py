"""Methods that pass a call on to a part: how `World` and `Batch` are put together.

``add_imu = forward("sensors", WorldSensors.add_imu)`` in the class of a world is a method with the arguments,
the types and the docstring of the part's. It calls that of ``self._inside.sensors``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

from tribo.checks.calls import refuse_misfit

P = ParamSpec("P")
R = TypeVar("R")


def alias(method: Callable[Concatenate[Any, P], R], name: str) -> Callable[Concatenate[Any, P], R]:
    """Return a method under a second name, the one that most other engines have."""

    @functools.wraps(method)
    def same(self: Any, /, *args: P.args, **options: P.kwargs) -> R:
        return method(self, *args, **options)

    same.__name__ = name
    same.__qualname__ = f"{method.__qualname__.rpartition('.')[0]}.{name}"
    same.__doc__ = f"Call `{method.__name__}`: another name for the same method, with the same errors."
    return same


def forward(part: str, method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Return a method that calls one of a part, by the part's name in `_inside`; "": one of that itself."""
    name = method.__name__
    owner = attrgetter(f"_inside.{part}" if part else "_inside")

    @functools.wraps(method)
    def passed_on(self: Any, /, *args: P.args, **options: P.kwargs) -> R:
        own = owner(self)
        try:
            answer: R = getattr(own, name)(*args, **options)
        except TypeError:  # by the name under which it was called
            refuse_misfit(method, (own, *args), options, f"{type(self).__name__}.{name}")
            raise
        return answer

    return passed_on


def seen(part: str, declared: Any, within: str = "_inside.") -> Any:
    """Return a property of a part, with its docstring and its setter; `within`: where the parts are."""
    getter: Callable[[Any], Any] = declared.fget
    name = declared.name if hasattr(declared, "name") else getter.__name__
    get = attrgetter(f"{within}{part}.{name}")

    def read(self: Any) -> Any:
        return get(self)

    def write(self: Any, value: Any) -> None:
        setattr(attrgetter(f"{within}{part}")(self), name, value)

    read.__annotations__["return"] = getter.__annotations__["return"]
    return property(read, write if declared.fset else None, None, declared.__doc__)
