"""Contents of a kernel: its own code and the constants it knows by name, and which kernels it calls.

The files of a kernel (`kernel_store`) are found by this. It is read from the function as it is in memory,
not from its file, which may have been edited since: bytecode, names, constants, and the values of the global
names that the code speaks of. Other kernels count by their name alone, because the code of a caller holds no
more of them than a name and types.
"""

from __future__ import annotations

import enum
import hashlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

# Modules whose functions and classes are told apart by name: their versions are in every key.
TRUSTED = {"numba", "llvmlite", "numpy", "tribo.compiler", "builtins", *sys.stdlib_module_names}


class UnknownError(Exception):
    """A function speaks of something of which it cannot be told whether it is still the same."""


class Identity(NamedTuple):
    """A function as kept code knows it."""

    name: str  # the same after an edit
    content: str  # another one after an edit of what is compiled: 64 hexadecimal digits
    callees: dict[str, Any]  # kernels that its code names, by their name
    spoken: frozenset[str]  # names in its code, also those of fields that it reads


_names: dict[str, str] = {}  # content of the function that first had a name in this process


def of(function: Callable[..., Any]) -> Identity:
    """Return name and content of a Python function.

    Raises:
        UnknownError: It uses something whose content cannot be told.
    """
    reader = _Reader()
    said = repr(reader.function(function))
    content = hashlib.sha256(said.encode()).hexdigest()
    name = base = name_of(function)
    if "<" in base or _names.setdefault(base, content) != content:
        name = f"{base}#{content[:16]}"  # one of several of this name
    return Identity(name, content, reader.callees, _names_in(function.__code__))


def name_of(function: Callable[..., Any]) -> str:
    """Return module and name of a function."""
    return f"{function.__module__}.{function.__qualname__}"


def _is_trusted(module: str | None) -> bool:
    name = module or ""
    return name.split(".")[0] in TRUSTED or ".".join(name.split(".")[:2]) in TRUSTED


class _Reader:
    """Describes a function by plain data, and notes the kernels that it meets."""

    def __init__(self) -> None:
        self.callees: dict[str, Any] = {}
        self._within: set[int] = set()

    def function(self, function: Any) -> Any:
        """Return a description of a Python function."""
        if id(function) in self._within:
            return "itself"
        self._within.add(id(function))
        code = function.__code__
        spoken = _names_in(code)
        known = function.__globals__
        cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
        return (
            self._code(code, function.__doc__),
            [(name, self.value(known[name], spoken)) for name in sorted(spoken & known.keys())],
            [(name, self.value(cell.cell_contents, spoken)) for name, cell in cells],
            self.value(function.__defaults__, spoken),
            self.value(function.__kwdefaults__, spoken),
        )

    def _code(self, code: types.CodeType, doc: str | None = None) -> Any:
        constants = [
            self._code(c) if isinstance(c, types.CodeType) else self.value(c, frozenset())
            for c in code.co_consts
            if not (isinstance(c, str) and c == doc)  # what a docstring says compiles to nothing
        ]
        return (
            code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
            code.co_argcount, code.co_kwonlyargcount, code.co_flags, constants,
            getattr(code, "co_exceptiontable", b"").hex(),
        )  # fmt: skip

    def value(self, value: Any, spoken: frozenset[str]) -> Any:
        """Return a description of what a name stands for.

        Args:
            value: Its kind.
            spoken: Names in the code: attributes of a module count if they are among these.

        Raises:
            UnknownError: It is nothing of which its content can be told.
        """
        kind = type(value)
        if value is None or value is Ellipsis or kind in {bool, int, float, complex, str, bytes}:
            return kind.__name__, repr(value)
        if isinstance(value, enum.Enum):
            return kind.__module__, kind.__qualname__, value.name, repr(value.value)
        if isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            return kind.__name__, array.dtype.str, array.shape, array.tobytes().hex()
        if isinstance(value, tuple | list):
            return kind.__qualname__, [self.value(item, spoken) for item in value]
        if isinstance(value, dict):
            pairs = value.items()
            return "dict", [(self.value(k, spoken), self.value(v, spoken)) for k, v in pairs]
        if isinstance(value, types.ModuleType):
            inner = [n for n in sorted(spoken) if hasattr(value, n)]
            if _is_trusted(value.__name__):
                return "module", value.__name__
            return ("module", value.__name__, [(n, self.value(getattr(value, n), spoken)) for n in inner])
        describe = getattr(value, "_what_it_is_", None)
        if describe is not None and not isinstance(value, type):
            return describe()
        inner_function = getattr(value, "py_func", None)
        if inner_function is not None:
            return self._kernel(value, inner_function)
        if isinstance(value, type):
            return self._class(value)
        if _is_trusted(getattr(value, "__module__", None)):
            return ("known", kind.__qualname__, value.__module__, getattr(value, "__qualname__", repr(value)))
        if isinstance(value, types.FunctionType):
            return "function", value.__module__, value.__qualname__, self.function(value)
        raise UnknownError(f"a {kind.__module__}.{kind.__qualname__}: {value!r}")

    def _kernel(self, value: Any, function: Any) -> Any:
        name = name_of(function)
        if not hasattr(value, "dispatcher") or "<" in name or self.callees.get(name, value) is not value:
            raise UnknownError(f"{name}, which is no kernel or not the only one of that name")
        self.callees[name] = value
        return "kernel", name

    def _class(self, value: type) -> Any:
        if issubclass(value, enum.Enum):
            return "enum", value.__qualname__, [(m.name, repr(m.value)) for m in value]
        if hasattr(value, "layout"):
            return "record", value.__module__, value.__qualname__, repr(value.layout)
        if _is_trusted(value.__module__):
            return "class", value.__module__, value.__qualname__
        raise UnknownError(f"the class {value!r}")


def _names_in(code: types.CodeType) -> frozenset[str]:
    """Return the names of which a function's code speaks."""
    return frozenset(name for part in _parts(code) for name in part.co_names)


def _parts(code: types.CodeType) -> Iterator[types.CodeType]:
    """Return a function's code and that of the functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _parts(constant)
