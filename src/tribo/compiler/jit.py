"""The one place through which compiled code is reached: ``@kernel``, ``@entry``, ``late``.

A function that they mark is, in this order,

* plain Python where the compiler is switched off (``NUMBA_DISABLE_JIT=1``),
* machine code of the prebuilt library, if one fits these sources and this processor (`prebuilt`),
* compiled by Numba (`backend`), which is loaded when it is needed and not before.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tribo.compiler import prebuilt, switches
from tribo.compiler.sources import BESIDE, LAYERS, cache_root
from tribo.compiler.switches import DISABLED

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "BESIDE",
    "DISABLED",
    "LAYERS",
    "PREBUILT",
    "ByAddress",
    "Named",
    "backend",
    "cache_root",
    "entry",
    "kernel",
    "late",
    "named_entry",
    "script",
]

PREBUILT = prebuilt.LIBRARY is not None


@functools.cache
def backend() -> ModuleType:
    """Return the module that compiles.

    Raises:
        ImportError: Numba is not installed, and something is wanted that is not prebuilt.
    """
    try:
        return importlib.import_module("tribo.compiler.backend")
    except ModuleNotFoundError as error:
        if error.name not in {"numba", "llvmlite"}:
            raise
        raise ImportError(prebuilt.NO_COMPILER.format(prebuilt.reason())) from error


class Named:
    """An object that kernels name and only the compiler can make; Numba asks for its type.

    Args:
        module: Where the compiler finds it.
        name: Its name there.
        argument: If given, what is there is a function, and the type is what it makes of this.
    """

    def __init__(self, module: str, name: str, argument: Any = None) -> None:
        self._place, self._argument = (module, name), argument

    def _what_it_is_(self) -> Any:
        """Describe it by plain data; of a record by its layout."""
        argument = self._argument
        said = (argument.__module__, argument.__qualname__, argument.layout) if argument else None
        return "named", self._place, repr(said)

    @functools.cached_property
    def _numba_type_(self) -> Any:
        compiler = backend()
        real = getattr(importlib.import_module(self._place[0]), self._place[1])
        if self._argument is not None:
            return real(self._argument)
        return compiler.type_of_global(real)


class Kernel:
    """A function that kernels call, and sometimes Python; see `kernel`."""

    def __init__(self, function: Callable[..., Any], prebuilt: Callable[..., Any] | None) -> None:
        self.py_func, self.__wrapped__ = function, function
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__module__, self.__doc__ = function.__module__, function.__doc__
        self._call = prebuilt

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Its type for Numba."""
        return backend().Inner(self.py_func)

    def __call__(self, *args: Any) -> Any:
        """Call it as Python does."""
        if self._call is None:
            self._call = self.dispatcher
        return self._call(*args)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"kernel {self.__name__} has no attribute {name!r}")
        return getattr(self.dispatcher, name)  # signatures, compile … and `_numba_type_`

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.__qualname__}>"


def name_of(function: Callable[..., Any]) -> str:
    """Return the name under which a library has a function."""
    return f"{function.__module__}.{function.__qualname__}"


_prebuilt: dict[str, Callable[..., Any]] = {}  # functions of which the library has machine code


def _in_library(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the machine code of a function that the prebuilt library has."""
    name = name_of(function)
    found = prebuilt.entry(name)
    if found is not None:
        _prebuilt[name] = function
    return found


@functools.cache
def _compiled_instead(name: str) -> Any:
    if name not in _prebuilt:
        importlib.import_module(name.rpartition(".")[0])  # see `named_entry`
    return backend().entry(_prebuilt[name])


def _compile_and_call(name: str, arguments: tuple[Any, ...]) -> Any:
    """Call what Numba makes of a prebuilt function for arguments that do not fit the prebuilt one.

    Raises:
        TypeError: Only prebuilt functions are wanted (`TRIBO_KERNELS=prebuilt`).
        ImportError: Numba is not installed.
    """
    if switches.KERNELS == "prebuilt":
        raise TypeError(f"{name} is not prebuilt for ({', '.join(map(_kind, arguments))})")
    return _compiled_instead(name)(*arguments)


def _kind(argument: Any) -> str:
    """Return what an argument is, in a word or two."""
    shape, dtype = getattr(argument, "shape", ""), getattr(argument, "dtype", "")
    order = "" if getattr(getattr(argument, "flags", None), "c_contiguous", True) else " in another order"
    return f"{type(argument).__name__} {dtype}{shape}{order}".strip()


if prebuilt.LIBRARY is not None:
    prebuilt.LIBRARY.set_fallback(_compile_and_call)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that other kernels call; every function of the engine but one uses this.

    Called from Python, it runs as an `entry` would.
    """
    return function if DISABLED else Kernel(function, _in_library(function))


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, with everything that it calls."""
    if DISABLED:
        return function
    return _in_library(function) or backend().entry(function)


def named_entry(module: str, name: str) -> Any:
    """Return an `entry` by its name; of one that is prebuilt the module is not read, nor all below it."""
    return prebuilt.entry(f"{module}.{name}") or getattr(importlib.import_module(module), name)


def script(function: Callable[..., Any]) -> Any:
    """Compile a function beside the package, as a benchmark has them, as `entry` does; it is kept nowhere."""
    return function if DISABLED else backend().script(function)


class ByAddress:
    """A call that returns the address of a function; see `late`."""

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        self.function, self.signature = function, signature

    def __call__(self) -> int:
        """Return the address."""
        return self._address

    @functools.cached_property
    def _address(self) -> int:
        found = prebuilt.address(name_of(self.function))
        if found is None:
            found = int(backend().address_of(self.function, self.signature))
        return found


def late(function: Callable[..., Any], signature: Any) -> ByAddress:
    """Return a call that compiles a function, when it is first needed, and returns its address.

    For what few worlds need: `run_at` calls it by address, so it is no part of `run_at` and costs those
    who do not need it nothing. It is compiled with everything that it calls.
    """
    return ByAddress(function, signature)
