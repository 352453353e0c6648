"""Objects whose users mistype: attributes and arguments that a class does not have are refused in words."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from tribo.checks.answers import answer, listed
from tribo.checks.calls import answered, said_by_class
from tribo.checks.made import Renamed


class AnsweringKind(ABCMeta):
    """The class of a class that answers guessed names: ``tribo.World.from_xml``."""

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            """Refuse a name that the class does not have, with what to use instead."""
            if name[0] == "_":
                raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
            kind = cls.__name__ if cls.__name__ == "World" else cls._called
            hint = answer(kind, name, dir(cls))
            said = f"class {cls.__name__} has no attribute {name!r}{hint}"
            raise AttributeError(said, name=name, obj=None)


def _may_answer(made: object) -> bool:
    """Tell whether something in a class is a method, and none that answers already."""
    return inspect.isfunction(made) and not hasattr(made, "__wrapped__")


class Answering(metaclass=AnsweringKind):
    """An object that answers guessed names with those that it has."""

    __slots__ = ()
    _called: ClassVar[str] = ""  # what examples call it (`answers`)
    _inner: ClassVar[frozenset[str]] = frozenset()  # what the package's own parts call
    _plain: ClassVar[frozenset[str]] = frozenset()  # calls that answer as Python does: fast

    def __init_subclass__(cls, **options: Any) -> None:
        """Let methods whose arguments do not fit say so, with what to use instead; inherited ones, too."""
        super().__init_subclass__(**options)
        for base in cls.__mro__:
            if base.__module__.startswith("tribo."):
                for name, made in [*vars(base).items()]:
                    if name[0] == "_" or name in cls._plain:
                        continue
                    if _may_answer(made):
                        setattr(base, name, answered(made))
                    elif isinstance(made, classmethod) and _may_answer(made.__func__):
                        setattr(base, name, classmethod(answered(made.__func__)))

    if not TYPE_CHECKING:  # type checkers would take it for a licence to ask for anything

        def __getattr__(self, name: str) -> Any:
            """Refuse a name that the object does not have, with what to use instead.

            Python's own proposal would be one of all names, private ones too: it is not told the object.
            """
            kind = type(self)
            if inspect.getattr_static(kind, name, None) is not None:
                return object.__getattribute__(self, name)  # its own error, raised again
            hint = "" if name[0] == "_" else answer(self._called, name, dir(self))
            said = f"{kind.__name__!r} object has no attribute {name!r}{hint}"
            raise AttributeError(said, name=name, obj=None)

    def __dir__(self) -> list[str]:
        """Return the names that users call, for completion."""
        return [name for name in super().__dir__() if name not in self._inner]


class Sealed(Answering):
    """An object that takes no attribute its class does not have, so that typos are errors.

    Classes that others derive from it outside of this package are open, as Python's are.
    """

    _assignable: ClassVar[frozenset[str] | None] = frozenset()
    _setters: ClassVar[dict[str, Callable[[Any, Any], None]]] = {}  # by name; looked up once

    def __init_subclass__(cls, **options: Any) -> None:
        """Collect what may be assigned: properties, and what is annotated in a class body."""
        super().__init_subclass__(**options)
        found = ((key, getattr(cls, key, None)) for key in dir(cls))
        properties = {key: made for key, made in found if isinstance(made, property)}
        renamed = frozenset(key for key, made in properties.items() if isinstance(made, Renamed))
        cls._inner = renamed.union(*(vars(base).get("_inner", ()) for base in cls.__mro__))
        cls._setters = {key: made.fset for key, made in properties.items() if made.fset}
        if not cls.__module__.startswith("tribo."):
            cls._assignable = None
            return
        annotated = (inspect.get_annotations(base) for base in cls.__mro__)
        if "__init__" in vars(cls):
            cls.__init__ = said_by_class(cls.__init__)  # type: ignore[method-assign]
        cls._assignable = frozenset(properties).union(*annotated)

    if not TYPE_CHECKING:  # type checkers would take it for a licence to assign anything

        def __setattr__(self, name: str, value: Any) -> None:
            """Set an attribute that exists."""
            setter = self._setters.get(name)
            if setter is not None:
                setter(self, value)
                return
            if name[0] == "_":
                object.__setattr__(self, name, value)
                return
            allowed = self._assignable
            if allowed is not None and name not in allowed:
                raise AttributeError(self._refusal(name))
            try:
                object.__setattr__(self, name, value)
            except AttributeError:
                made = getattr(type(self), name, None)
                if isinstance(made, property) and made.fset is None:
                    raise AttributeError(self._refusal(name)) from None
                raise

    def _refusal(self, name: str) -> str:
        """Return why a name cannot be assigned to, and the nearest that can."""
        kind = type(self)
        settable = [key for key in self._setters if key[0] != "_" and key not in self._inner]
        made = getattr(kind, name, None)
        if made is not None:
            refusal = f"{name} of {kind.__name__} cannot be assigned to"
            if isinstance(made, property):
                return f"{refusal}, only read; these can be: {', '.join(settable)}"
            return f"{refusal}; it is called: {name}(…)"
        hint = answer(self._called, name, settable) or listed(settable)
        return f"{kind.__name__} has no attribute {name!r} to assign to{hint}"
