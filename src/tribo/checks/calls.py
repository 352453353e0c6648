"""Calls whose arguments do not fit: what is wrong with them, by the name that the user knows."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import FrozenInstanceError
from typing import Any, TypeVar

from tribo.checks.answers import answer, argument, listed

T = TypeVar("T", bound=Callable[..., Any])
R = TypeVar("R")
SHOWN = 12  # parameters of a call in a message


def refuse_misfit(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    options: Mapping[str, Any],
    what: str,
    instead: str = "",
    hidden: int = 1,
) -> None:
    """Raise an error if arguments do not fit a function; its first parameter, `self`, is not shown.

    Python's own error names the class in which a method happens to be written.

    Args:
        function, arguments, options: The call.
        what: The name by which the user knows it.
        instead: The message, if it is not about the arguments.
        hidden: How many parameters are not shown: 1 of a method, 0 of a function.

    Raises:
        TypeError: An argument is missing, unknown, given twice, or there are too many.
    """
    signature = inspect.signature(function)
    try:
        signature.bind(*arguments, **options)
    except TypeError as error:
        if instead:
            raise TypeError(instead) from None
        parameters = list(signature.parameters.values())[hidden:]
        names = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        unknown = [name for name in options if name not in names]
        takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
        if takes_any:  # an unknown option is meant for another call, unless it is a missing name misspelt
            missing = [n for n in names[len(arguments) - hidden :] if n not in options]
            unknown = [n for n in unknown if "did you mean" in argument(n, missing)]
            names = missing if unknown else names
        if unknown:
            hint = argument(unknown[0], names) or listed(names)
            said = f"has no argument {unknown[0]!r}{hint}"
        else:
            said = f"{error}; it is called as {what}({_listed(parameters)})"
        raise TypeError(f"{what}: {said}") from None


def _listed(parameters: Sequence[inspect.Parameter]) -> str:
    """Return the parameters of a call as a message shows them: names, `…` where there is a default."""
    shown = []
    for p in parameters[:SHOWN]:
        mark = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
        shown.append(f"{mark}{p.name}" + ("=…" if p.default is not p.empty else ""))
    return ", ".join(shown) + (", …" if len(parameters) > SHOWN else "")


def said_by_class(init: T) -> T:
    """Let an `__init__` whose arguments do not fit say so by the name of the class that is made.

    One whose docstring begins with "Use …", since objects are made otherwise, says that, too.
    """

    @functools.wraps(init)
    def made(self: Any, *arguments: Any, **options: Any) -> None:
        try:
            init(self, *arguments, **options)
        except TypeError:
            doc = (init.__doc__ or "").strip().split("\n")[0]
            word = type(self).__name__
            instead = f"{word} is not made by itself. {doc}" if doc.startswith("Use ") else ""
            refuse_misfit(init, (self, *arguments), options, word, instead)
            raise

    return made  # type: ignore[return-value]


def answered(method: T) -> T:
    """Let a method whose arguments do not fit say so by its class and name, with what to use instead."""

    @functools.wraps(method)
    def called(self: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return method(self, *arguments, **options)
        except TypeError:
            kind = self if isinstance(self, type) else type(self)
            what = f"{kind.__name__}.{method.__name__}"
            refuse_misfit(method, (self, *arguments), options, what)
            raise

    return called  # type: ignore[return-value]


def answered_call(function: T) -> T:
    """Let a function whose arguments do not fit say so by its name, with what to use instead."""

    @functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError:
            refuse_misfit(function, arguments, options, function.__name__, hidden=0)
            raise

    return called  # type: ignore[return-value]


def record(kind: type[R]) -> type[R]:
    """Let a dataclass whose arguments do not fit say so by its name; a decorator above Python's."""
    kind.__init__ = said_by_class(kind.__init__)  # type: ignore[method-assign]
    return kind


def frozen_record(kind: type[R]) -> type[R]:
    """Do what `record` does, and let a frozen dataclass say how a changed one is made.

    With slots, Python's own refusal of an unknown name ends in an error about `super`.
    """
    names = list(kind.__dataclass_fields__)  # type: ignore[attr-defined]

    def refuse(self: Any, name: str, _value: Any = None) -> None:
        word = type(self).__name__
        if name not in names:
            hint = answer(getattr(kind, "_called", ""), name, names) or listed(names)
            raise AttributeError(f"{word} has no property {name!r}{hint}")
        raise FrozenInstanceError(
            f"{name} of {word} cannot be changed; make another one, dataclasses.replace(it, {name}=…), "
            "and assign that"
        )

    kind.__setattr__ = refuse  # type: ignore[method-assign]
    kind.__delattr__ = refuse  # type: ignore[method-assign]
    return record(kind)
