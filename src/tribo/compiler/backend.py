"""Numba, told what kernels are: loaded only when something is to be compiled.

Numba's own disk cache asks only whether the file of the *outermost* function has changed, so it
runs stale machine code after an edit in another file, and it ignores ``NUMBA_BOUNDSCHECK``.
Here the cache folder of a layer is named after the source of that layer and of all layers below
it: an edit in ``contact/`` recompiles ``contact`` and ``step`` and nothing else.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import pathlib
import platform
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, UserProvidedCacheLocator
from numba.core.ccallback import CFunc
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.sigutils import normalize_signature
from numba.core.untyped_passes import ExtractByteCode

from tribo.compiler import (
    identity,
    kernel_passes,
    lane_types,  # noqa: F401 - Numba takes note of what it declares when a function is first compiled
    progress,
    record_types,
)
from tribo.compiler.field_array import FieldArray
from tribo.compiler.garbage import compiling
from tribo.compiler.identity import Identity, name_of
from tribo.compiler.kept_kernels import KernelCache, without_foreign
from tribo.compiler.kernel_store import not_kept
from tribo.compiler.linking import Linked, Whole, load_units, refuse_unknown
from tribo.compiler.record_types import record_type
from tribo.compiler.signature import Array, Field, Scalar, Signature
from tribo.compiler.sources import BESIDE, LAYERS, PACKAGE, cache_root, digest

logger = logging.getLogger("tribo")


@functools.cache
def cache_folder(layer: str) -> pathlib.Path:
    """Return the cache folder of a layer, named after everything its kernels are made of, and where.

    Numba finds what it kept by the path of a file: who has another copy of this version compiles again, and
    is told so.
    """
    facts = (numba.__version__, np.__version__, numba.config.BOUNDSCHECK, platform.machine())
    names = LAYERS[: LAYERS.index(BESIDE.get(layer, layer)) + 1]
    key = digest(names if layer in LAYERS else (*names, layer), (*facts, str(PACKAGE)))
    return cache_root() / layer / key[:16]


def _layer_of(module: str) -> str:
    """Return the layer of a module of the package: a folder, a file of the root, or one named by itself."""
    inner = module.split(".", 1)[1]
    return inner if inner in LAYERS else inner.split(".")[0]


_next_title: list[str] = []  # of the function that is compiled next, if it is announced


def _announce(function: Callable[..., Any], how_often: str) -> None:
    """Have it said that a function is compiled: that takes seconds, some take a minute."""
    name = f"{function.__module__.split('.')[-1]}.{function.__name__}"
    _next_title[:] = [f"{name} ({how_often})"]


class _Locator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Numba's place for what is kept, also where it can be read and not written."""

    def ensure_cache_path(self) -> None:
        """Make the folder. Numba asks for room to write, too, and would read nothing without it."""
        pathlib.Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)


class _Place(CompileResultCacheImpl):  # type: ignore[misc]
    """Files that Numba keeps of a function, in a `_Locator`, and its callees, pieces of the step too."""

    _locator_classes = (_Locator,)

    def reduce(self, cres: Any) -> Any:
        """Return what is kept."""
        return cres.library.units, cres.library.outside, super().reduce(cres)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return what was kept; the pieces first, since nothing can be called that is not there."""
        units, outside, kept = payload
        load_units(units)
        refuse_unknown(outside, [unit.symbol for unit in units], self.filename_base)
        return super().rebuild(target_context, kept)


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of a function on the disk; what it cannot read it compiles again."""

    _impl_class = _Place

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what is kept for a signature, None if nothing is, or nothing that can be read."""
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except Exception as error:  # whatever a damaged pickle raises
            said = f"{type(error).__name__}: {error}"
            logger.warning("%s is damaged (%s): compiled again", self.cache_path, said)
            with contextlib.suppress(OSError):  # where nothing can be written, `save_overload` says so
                self.flush()
        if found is None:
            _announce(self._py_func, "once per machine and version")
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled; where that fails, say so and go on: the code itself is there."""
        data.library._ensure_finalized()  # noqa: SLF001 - what cannot be linked is no matter of the disk
        try:
            super().save_overload(sig, data)
        except Exception as error:  # read-only, full, taken away; an index that cannot be mended
            not_kept(str(self.cache_path), error)


class _NoCache(NullCache):  # type: ignore[misc]
    """Keeps nothing: there is no folder to keep kernels in."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def load_overload(self, _sig: Any, _target_context: Any) -> None:
        """Say that the function is compiled in this process, too."""
        _announce(self._function, "in every process")


def _cache_of(function: Callable[..., Any]) -> _Cache | _NoCache:
    """Return a function's cache, in the cache folder of its layer."""
    folder = cache_folder(_layer_of(function.__module__))
    saved = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _Cache(function)
    except (OSError, RuntimeError) as error:  # Numba: "no locator available"
        not_kept(str(folder), error)
        return _NoCache(function)
    finally:
        numba.config.CACHE_DIR = saved


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, with everything that it calls, into the disk cache."""
    made = numba.njit(pipeline_class=_Outermost, **OPTIONS)(function)
    made._cache = _cache_of(function)  # noqa: SLF001 - what Numba's `cache=True` does, with another cache
    return made


def script(function: Callable[..., Any]) -> Any:
    """Compile a function beside the package, as `entry` does; it is kept nowhere."""
    return numba.njit(pipeline_class=_Outermost, **OPTIONS)(function)


def address_of(function: Callable[..., Any], signature: Any) -> int:
    """Compile a function with everything that it calls into the disk cache; return its address."""
    if isinstance(signature, Signature):
        signature = numba_type(signature.result)(*map(numba_type, signature.arguments))
    made: Any = CFunc(
        function, (signature.args, signature.return_type), {}, {"error_model": "numpy"}, _Outermost
    )
    made._cache = _cache_of(function)  # noqa: SLF001
    made.compile()
    _KEPT.append(made)
    return int(made.address)


def numba_type(declared: Any) -> Any:
    """Return Numba's type of a scalar, an array or a record class."""
    if isinstance(declared, Scalar):
        return getattr(numba.types, declared.name)
    if isinstance(declared, Field):
        return FieldArray(numba_type(declared.item), declared.dimensions)
    if isinstance(declared, Array):
        return numba.types.Array(numba_type(declared.item), declared.dimensions, "C")
    return record_type(declared)


def type_of_global(value: Any) -> Any:
    """Return Numba's type of something that kernels know by its name."""
    return cpu_target.typing_context.resolve_value_type(value)


_KEPT: list[Any] = []  # compiled functions that are known by address only
# No fastmath: it would delete the NaN checks that stop a blown-up world.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}


class _Outermost(Compiler):  # type: ignore[misc]
    """Numba's compiler, into a `Whole` library."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        if library is None:
            library = Whole(target.codegen(), "whole")
            library.enable_object_caching()
        super().__init__(typing, target, library, *rest)

    def compile_extra(self, func: Any) -> Any:
        """Compile a function with all that it calls, and say so."""
        title = _next_title.pop() if _next_title else ""
        said = progress.shown_by_itself(title) if title else contextlib.nullcontext()
        with said, compiling():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """Return the passes that it goes through."""
        return [kernel_passes.whole(self.state)]


_names: dict[Any, str] = {}  # of kernels (`identity`), by function
_reads: dict[Any, set[Any]] = {}  # fields of records that a kernel read when it was compiled last


class _Pipeline(Compiler):  # type: ignore[misc]
    """Numba's compiler, into a `Linked` library, without the passes for what kernels do not contain."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        typing = kernel_passes.typing_of(typing)
        super().__init__(typing, target, library or Linked(target.codegen(), "linked"), *rest)
        self.state.flags.no_compile = True

    def compile_extra(self, func: Any) -> Any:
        """Compile a kernel under a name that it has in every process."""
        self.state.func_id = FunctionIdentity.from_function(func)
        name = _names.get(func)
        if name is not None:
            self.state.func_id.unique_id = f"k{hashlib.sha256(name.encode()).hexdigest()[:12]}"
            self.state.func_id.unique_name = f"{func.__qualname__}${self.state.func_id.unique_id}"
        ExtractByteCode().run_pass(self.state)
        self.state.lifted, self.state.lifted_from = (), None
        record_types.reads.append(set())
        try:
            made = self._compile_bytecode()
        finally:
            _reads[func] = record_types.reads.pop()
        return made

    def define_pipelines(self) -> list[Any]:
        """Return the passes that a kernel goes through."""
        return [kernel_passes.passes(self.state)]


class Inner(CPUDispatcher):  # type: ignore[misc]
    """A dispatcher without a call wrapper; called from Python it hands over to `entry`.

    Most kernels run only inside `run_at`. For those, Numba's call wrapper, machine code of their own and a
    place in the disk cache would be half of the compile time: they are made only when a kernel is called
    from Python.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        bare = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(function, targetoptions={**bare, **OPTIONS}, pipeline_class=_Pipeline)
        self._cache = self.cache = KernelCache(self)
        self.reads: dict[tuple[Any, ...], set[Any]] = {}  # fields, by arguments

    @functools.cached_property
    def made_of(self) -> Identity | None:
        """Name, content and callees; None: they cannot be told, and nothing of it is kept."""
        try:
            found = identity.of(self.py_func)
        except identity.UnknownError as error:
            logger.debug("kernel %s is not kept: it speaks of %s", self.py_func.__qualname__, error)
            return None
        _names[self.py_func] = found.name
        return found

    @functools.cached_property
    def from_python(self) -> Any:
        """The function behind a call from Python."""
        return entry(self.py_func)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Treat a constant argument as its type: each value would compile the kernel once more."""
        plain = {name: numba.types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template([numba.types.unliteral(kind) for kind in args], plain)

    @global_compiler_lock  # type: ignore[untyped-decorator]
    def compile(self, sig: Any) -> Any:
        """Compile or find a version; Numba's own also tells listeners how long its locks are held."""
        arguments, returned = normalize_signature(sig)
        with self._compiling_counter:
            if arguments not in self.overloads:
                found = self.cache.load_overload(sig, self.targetctx)
                self.add_overload(found or self._compiler.compile(arguments, returned))
                if found is None:
                    self.cache.save_overload(sig, self.overloads[arguments])
        return self.overloads[arguments].entry_point

    def add_overload(self, cres: Any) -> None:
        """Note a compiled version for other kernels; not for calls from Python, it has no wrapper."""
        cres = cres._replace(entry_point=object())  # what callers know it by
        arguments, library = tuple(cres.signature.args), cres.library
        self.reads[arguments] = _reads.pop(self.py_func, set())
        library.symbol = cres.fndesc.mangled_name
        without_foreign(library)
        if self.made_of is not None:
            library.kernel = self.made_of.name
            library.called = name_of(self.py_func), arguments, cres.signature.return_type
        self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.overloads[arguments] = cres

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        return self.from_python._compile_for_args(*args, **kws)  # noqa: SLF001 - Numba's hook
