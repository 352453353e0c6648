"""Numba, told what kernels are: loaded only when something is to be compiled.

Numba's own disk cache asks only whether the file of the *outermost* function has changed, so it
runs stale machine code after an edit in another file, and it ignores ``NUMBA_BOUNDSCHECK``.
Here the cache folder of a layer is named after the source of that layer and of all layers below
it: an edit in ``contact/`` recompiles ``contact`` and ``step`` and nothing else.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import pathlib
import platform
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
from llvmlite import binding as llvm
from llvmlite.binding import Linkage
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    NullCache,
    UserProvidedCacheLocator,
)
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes, InlineInlinables, LiteralUnroll

from tribo.compiler.field_array import FieldArray
from tribo.compiler.garbage import compiling
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


_IS_SHOWN = [False]  # whether somebody else shows what is being compiled


@contextlib.contextmanager
def announced() -> Iterator[None]:
    """Let functions be compiled without a line of their own meanwhile: the caller shows how far it is."""
    before, _IS_SHOWN[0] = _IS_SHOWN[0], True
    try:
        yield
    finally:
        _IS_SHOWN[0] = before


def _say(function: Callable[..., Any], how_often: str) -> None:
    """Say that a function is about to be compiled: that takes seconds, some take a minute."""
    if not _IS_SHOWN[0]:
        name = f"{function.__module__.split('.')[-1]}.{function.__name__}"
        sys.stderr.write(f"tribo: compiling {name} ({how_often}) …\n")
        sys.stderr.flush()


@functools.cache
def _not_kept(folder: str, said: str) -> None:
    """Say once per folder and reason that kernels are not kept there."""
    logger.warning(
        "compiled kernels cannot be kept in %s (%s): every process compiles them again; make room or "
        "the folder writable, or set NUMBA_CACHE_DIR to another one",
        folder, said,
    )  # fmt: skip


class _Locator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Numba's place for what is kept, also where it can be read and not written."""

    def ensure_cache_path(self) -> None:
        """Make the folder. Numba asks for room to write, too, and would read nothing without it."""
        pathlib.Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)


class _Place(CompileResultCacheImpl):  # type: ignore[misc]
    """What Numba keeps of a function, in a `_Locator`."""

    _locator_classes = (_Locator,)


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
            with contextlib.suppress(
                OSError
            ):  # where nothing can be written, `save_overload` says so
                self.flush()
        if found is None:
            _say(self._py_func, "once per machine and version")
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled; where that fails, say so and go on: the code itself is there."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # read-only, full, taken away; an index that cannot be mended
            _not_kept(str(self.cache_path), str(error))


class _NoCache(NullCache):  # type: ignore[misc]
    """Keeps nothing: there is no folder to keep kernels in."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def load_overload(self, _sig: Any, _target_context: Any) -> None:
        """Say that the function is compiled in this process, too."""
        _say(self._function, "in every process")


def _cache_of(function: Callable[..., Any]) -> _Cache | _NoCache:
    """Return a function's cache, in the cache folder of its layer."""
    folder = cache_folder(_layer_of(function.__module__))
    saved = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _Cache(function)
    except (OSError, RuntimeError) as error:  # Numba: "no locator available"
        _not_kept(str(folder), str(error))
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
    with compiling():
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
_INLINED = 2000  # LLVM's cost up to which a kernel becomes part of its caller
_USUAL = 250  # LLVM's own, at the degree of optimisation that Numba asks for


@contextlib.contextmanager
def taking_in() -> Iterator[None]:
    """Let LLVM make most kernels parts of their callers meanwhile.

    An option of the whole process, so it is put back: others compile here, too, under the same lock.
    (llvmlite's own `PipelineTuningOptions.inlining_threshold` keeps eight bits of what it is given.)
    """
    llvm.set_option("tribo", f"-inline-threshold={_INLINED}")
    try:
        yield
    finally:
        llvm.set_option("tribo", f"-inline-threshold={_USUAL}")


class _Whole(JITCodeLibrary):  # type: ignore[misc]
    """What Python calls and all that it calls, optimised once, here, as one function for the most part.

    Kernels are small and pass records and tuples. Where they stay calls, each finds its arrays anew and hands
    its results through memory: a quarter of the time of a step.
    """

    def _optimize_final_module(self) -> None:
        with taking_in():
            super()._optimize_final_module()


class _Outermost(Compiler):  # type: ignore[misc]
    """Numba's compiler, into a `_Whole` library."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        if library is None:
            library = _Whole(target.codegen(), "whole")
            library.enable_object_caching()
        super().__init__(typing, target, library, *rest)


class _Linked(JITCodeLibrary):  # type: ignore[misc]
    """Code that is only linked into what Python calls, and optimised there, once, with all the rest.

    Numba's own libraries contain whatever they call: each kernel would be optimised again in each of its
    callers, in theirs, and so on up to the step.
    """

    def finalize(self) -> None:
        """Leave the code as it is: neither linked with what it calls nor made machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return this code and all that it calls, each function once."""
        whole = self._own.clone()
        found, todo = set(), list(self._linking_libraries)
        while todo:
            library = todo.pop()
            if library in found:
                continue
            found.add(library)
            is_linked = isinstance(library, _Linked)
            part = library._own if is_linked else library._get_module_for_linking()  # noqa: SLF001
            whole.link_in(part, preserve=True)
            todo += library._linking_libraries if is_linked else []  # noqa: SLF001
        return whole

    @functools.cached_property
    def _own(self) -> Any:
        """This code alone, as others may contain it too."""
        module = self._final_module.clone()
        for function in module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"
        return module


class _Pipeline(Compiler):  # type: ignore[misc]
    """Numba's compiler, into a `_Linked` library, without the passes for what kernels do not contain."""

    _ABSENT = (
        InlineClosureLikes,
        InlineInlinables,
        InlineOverloads,
        LiteralUnroll,
        NopythonRewrites,
    )

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, library or _Linked(target.codegen(), "linked"), *rest)
        self.state.flags.no_compile = True

    def define_pipelines(self) -> list[Any]:
        """Return the passes that a kernel goes through."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state).passes
        manager = PassManager("kernel")
        manager.passes += [row for row in passes if row[0] not in self._ABSENT]
        manager.finalize()
        return [manager]


class Inner(CPUDispatcher):  # type: ignore[misc]
    """A dispatcher without a call wrapper; called from Python it hands over to `entry`.

    Most kernels run only inside `run_at`. For those, Numba's call wrapper, machine code of their own and a
    place in the disk cache would be half of the compile time: they are made only when a kernel is called
    from Python.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        bare = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(function, targetoptions={**bare, **OPTIONS}, pipeline_class=_Pipeline)

    @functools.cached_property
    def from_python(self) -> Any:
        """What a call from Python calls."""
        return entry(self.py_func)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Treat a constant argument as its type: each value would compile the kernel once more."""
        plain = {name: numba.types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template([numba.types.unliteral(kind) for kind in args], plain)

    def add_overload(self, cres: Any) -> None:
        """Note a compiled version for other kernels; not for calls from Python, it has no wrapper."""
        cres = cres._replace(entry_point=object())  # what callers know it by
        self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        return self.from_python._compile_for_args(*args, **kws)  # noqa: SLF001 - Numba's hook
