"""How kernels become machine code: linked as intermediate code, optimised once, where Python enters.

A kernel is kept as LLVM's intermediate code (`Linked`). A function that Python calls contains all
kernels that it calls (`Whole`) and is optimised as one. The step is too much for that, in time: some of its
kernels are the heads of units (`Units`). A unit is a head and all that it calls as far as the next heads;
it is optimised by itself, kept as an object file under a hash over all that went into it, and called by its
name.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import llvmlite
import numba
import numpy as np
from llvmlite import binding as llvm
from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler_lock import require_global_compiler_lock

from tribo.asides import aside
from tribo.compiler import kernel_store, progress
from tribo.compiler.sources import digest

_INLINED = 2000  # LLVM's cost up to which a kernel becomes part of its caller
_USUAL = 250  # LLVM's own, at the degree of optimisation that Numba asks for
_in_llvm = threading.Lock()  # held by the job that LLVM works on, also by one whose caller was interrupted
atexit.register(_in_llvm.acquire, timeout=60.0)  # a process that ends beneath LLVM crashes
Answer = TypeVar("Answer")


def _run_llvm(job: Callable[[], Answer]) -> Answer:
    """Run a job of LLVM, which may take a second, so that Ctrl-C ends the call that waits for it."""

    def run() -> Answer:
        with _in_llvm:
            return job()

    return aside(run)


@contextlib.contextmanager
def taking_in() -> Iterator[None]:
    """Let LLVM make most kernels parts of their callers meanwhile.

    An option of the whole process, so it is put back: other kernels are compiled here, too.
    (llvmlite's own `PipelineTuningOptions.inlining_threshold` keeps eight bits of what it is given.)
    """
    llvm.set_option("tribo", f"-inline-threshold={_INLINED}")
    try:
        yield
    finally:
        llvm.set_option("tribo", f"-inline-threshold={_USUAL}")


@functools.cache
def facts() -> tuple[Any, ...]:
    """Return what all compiled code depends on besides its sources."""
    settings = {
        name: getattr(numba.config, name)
        for name in ("BOUNDSCHECK", "OPT", "DEBUGINFO_DEFAULT", "DEBUG", "SLP_VECTORIZE", "LOOP_VECTORIZE")
    }
    return (
        digest(("compiler",)),
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        numba.core.utils.PYVERSION,
        sorted(settings.items()),
        numba.core.registry.cpu_target.target_context.codegen().magic_tuple(),
    )


class Linked(JITCodeLibrary):  # type: ignore[misc]
    """Code that is only linked into what Python calls, and optimised there, once, with all the rest.

    Numba's own libraries contain whatever they call: each kernel would be optimised again in each of its
    callers, in theirs, and so on up to the step.
    """

    kernel = ""  # its name (`identity`), if it can be kept
    symbol = ""  # the function that it defines
    called: tuple[str, tuple[Any, ...], Any] = ("", (), None)  # name, arguments and result

    def finalize(self) -> None:
        """Leave the code as it is: neither linked with what it calls nor made machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True

    @functools.cached_property
    def bitcode(self) -> bytes:
        """This code alone, as others may contain it too."""
        module = self._final_module.clone()
        for function in module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"
        return bytes(module.as_bitcode())

    @functools.cached_property
    def bitcode_hash(self) -> str:
        """A hash over this code."""
        return hashlib.sha256(self.bitcode).hexdigest()

    @property
    def callees(self) -> list[Any]:
        """Callees, each once, in an order that is the same when it is found again: see `_find`."""
        return sorted(dict.fromkeys(self._linking_libraries), key=lambda x: isinstance(x, Foreign))

    def _get_module_for_linking(self) -> Any:
        """Return this code and all that it calls, each function once."""
        return linked(closure([self]).libraries)


class Kept(Linked):
    """Code of a kernel as an earlier process left it."""

    def __init__(self, codegen: Any, name: str, bitcode: bytes, callees: list[Any]) -> None:
        super(JITCodeLibrary.__base__, self).__init__(codegen, name)
        self._linking_libraries, self._finalized = callees, True
        self.__dict__["bitcode"] = bitcode

    @functools.cached_property
    def _final_module(self) -> Any:
        return llvm.parse_bitcode(self.bitcode)


class Foreign(Kept):
    """Code that Numba made of functions of its own for a kernel."""


class Closure(NamedTuple):
    """Parts that are linked together."""

    libraries: list[Any]
    heads: list[Any]  # kernels that are called and not contained


def closure(roots: Iterable[Any], heads: frozenset[str] = frozenset()) -> Closure:
    """Return code and all that it calls, as far as the heads of units (names of kernels).

    Each comes after all that call it: see `linked`.
    """
    found: list[Any] = []  # what is called before its callers
    outside: list[Any] = []
    seen: set[Any] = set()

    def visit(library: Any) -> None:
        if library in seen:
            return
        seen.add(library)
        if isinstance(library, Linked):
            if library.kernel in heads:
                outside.append(library)
                return
            for callee in reversed(library.callees):
                visit(callee)
        found.append(library)

    for root in reversed([*roots]):
        visit(root)
    return Closure(found[::-1], outside)


def linked(libraries: Iterable[Any], into: Any = None) -> Any:
    """Return code as one module, a given one to which it is added or a new one.

    All callers come before what they call: LLVM leaves out what may be defined elsewhere and nobody asks for
    yet. One caller before it is not enough, since that one may be left out, too: nobody asks for a kernel
    whose only call LLVM has removed.
    """
    for library in libraries:
        if isinstance(library, Linked):
            part = llvm.parse_bitcode(library.bitcode)
        else:
            part = library._get_module_for_linking().clone()  # noqa: SLF001
        if into is None:
            into = part
        else:
            into.link_in(part)
    return into


def _close(module: Any) -> None:
    """Keep the functions of a module to itself, but what is its own.

    Their names are the same in every process and after every edit, and they may be in many modules. It is
    done after they were optimised: what is `internal` and called once LLVM takes into its caller however
    large it is, and chains get an eighth slower.
    """
    for function in module.functions:
        if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
            function.linkage = Linkage.internal


def _outside(module: Any) -> list[str]:
    """Return the names of what a module uses and does not define."""
    things = (*module.functions, *module.global_variables)
    names = (thing.name for thing in things if thing.is_declaration)
    return sorted(name for name in names if not name.startswith("llvm."))


def _is_in_process(name: str) -> bool:
    """Tell whether this process has something besides compiled kernels: the C library, Numba's functions."""
    return llvm.address_of_symbol(name) is not None


def refuse_unknown(outside: Iterable[str], units: Iterable[str], caller: str) -> None:
    """Refuse machine code that calls what is nowhere: it would jump to address 0.

    Raises:
        LookupError: A name is neither that of a piece nor one that the process knows.
    """
    unknown = [name for name in outside if name not in units and not _is_in_process(name)]
    if unknown:
        raise LookupError(f"the machine code of {caller} calls what is nowhere: {', '.join(unknown)}")


class Unit(NamedTuple):
    """A piece of the step."""

    symbol: str  # its head, as others call it
    key: str  # under which its object file is kept
    border: tuple[str, ...]  # heads that it may call


class Units:
    """The pieces into which something is parted.

    Args:
        heads: Names of kernels with which a piece begins.
    """

    def __init__(self, heads: Iterable[str]) -> None:
        self.heads = frozenset(heads)
        self._built: dict[str, bytes] = {}

    def unit(self, head: Any) -> Unit:
        """Return the piece that begins with a kernel, compiled if it was not kept."""
        unit, inside = self._plan(head)
        if unit.key not in self._built:
            content = kernel_store.read(unit.key)
            if content is None:
                content = self._compile(inside, unit)
                kernel_store.write(unit.key, content)
                progress.tell(f"unit {head.kernel.removeprefix('tribo.')}")
            self._built[unit.key] = content
        return unit

    def _plan(self, head: Any) -> tuple[Unit, list[Any]]:
        """Return a piece and what is in it."""
        below, outside = closure(head.callees, self.heads)
        inside = [head, *below]
        parts = [library.bitcode_hash for library in inside]
        border = sorted(library.symbol for library in outside)
        key = kernel_store.key("unit", facts(), head.symbol, parts, border, _INLINED)
        return Unit(head.symbol, key, tuple(border)), inside

    def heads_below(self, roots: Iterable[Any]) -> dict[str, Any]:
        """Return the code of all heads among roots and what is called, also by one another, by symbol."""
        found: dict[str, Any] = {}
        todo = closure(roots, self.heads).heads
        while todo:
            head = todo.pop()
            if head.symbol not in found:
                found[head.symbol] = head
                todo += closure(head.callees, self.heads).heads
        return found

    def missing(self, roots: Iterable[Any]) -> list[str]:
        """Return the names of the heads of pieces that are not kept, the largest first."""
        found = {}
        for head in self.heads_below(roots).values():
            unit, inside = self._plan(head)
            if not kernel_store.is_there(unit.key):
                found[head.kernel] = sum(len(library.bitcode) for library in inside)
        return sorted(found, key=lambda name: -found[name])

    def load(self, units: Iterable[Unit]) -> None:
        """Make pieces known to the process."""
        load_units(units, self._built)

    def _compile(self, inside: list[Any], unit: Unit) -> bytes:
        """Return a piece: a line with the names of what it calls, and its object file."""
        whole = Whole(inside[0].codegen, "unit")
        whole._final_module = linked(inside)  # noqa: SLF001 - in place of an empty one
        whole._final_module.get_function(unit.symbol).linkage = Linkage.external  # noqa: SLF001
        whole._optimize_final_module()  # noqa: SLF001
        module = whole._final_module  # noqa: SLF001
        _close(module)
        module.verify()
        outside = _outside(module)
        refuse_unknown(outside, unit.border, unit.symbol)
        code = _run_llvm(lambda: bytes(inside[0].codegen._tm.emit_object(module)))  # noqa: SLF001
        return " ".join(outside).encode() + b"\n" + code


_loaded: dict[str, str] = {}  # keys of the pieces that this process has, by symbol


def load_units(units: Iterable[Unit], at_hand: dict[str, bytes] | None = None) -> None:
    """Make pieces known to the process, from their files.

    Raises:
        LookupError: A file is missing or damaged, this process has another version of a piece, or
            something that a piece calls is nowhere.
    """
    missing, units = [], [*units]
    known = {*_loaded, *(unit.symbol for unit in units)}
    for unit in units:
        if _loaded.get(unit.symbol) == unit.key:
            continue
        if unit.symbol in _loaded:
            raise LookupError(f"another version of {unit.symbol} is loaded")
        content = (at_hand or {}).get(unit.key) or kernel_store.read(unit.key)
        if content is None:
            raise LookupError(f"a part of it, {unit.key[:16]}, is gone")
        outside, _, content = content.partition(b"\n")
        refuse_unknown(outside.decode().split(), known, unit.symbol)
        missing.append((unit, content))
    engine = numba.core.registry.cpu_target.target_context.codegen()._engine._ee  # noqa: SLF001
    for unit, content in missing:  # all or none
        engine.add_object_file(llvm.ObjectFileRef.from_data(content))
        _loaded[unit.symbol] = unit.key


_parted: list[Units] = []  # how what is compiled now is parted


@contextlib.contextmanager
def parted(units: Units) -> Iterator[None]:
    """Compile what Python calls in pieces meanwhile."""
    _parted.append(units)
    try:
        yield
    finally:
        _parted.pop()


class Whole(JITCodeLibrary):  # type: ignore[misc]
    """A function that Python calls with all its callees, optimised once as one function for the most part.

    Kernels are small and pass records and tuples. Where they stay calls, each finds its arrays anew and hands
    its results through memory: a quarter of the time of a step.
    """

    units: tuple[Unit, ...] = ()  # that it calls
    outside: tuple[str, ...] = ()  # all that it uses and does not define

    def finalize(self) -> None:
        """Link all that is called, optimise it and make it machine code."""
        require_global_compiler_lock()
        self._codegen._check_llvm_bugs()  # noqa: SLF001
        self._raise_if_finalized()
        units = _parted[-1] if _parted else Units(())
        inside, outside = closure(dict.fromkeys(self._linking_libraries), units.heads)
        if outside:
            heads = units.heads_below(self._linking_libraries)
            self.units = tuple(map(units.unit, heads.values()))
            units.load(self.units)
        for library in inside:
            if not isinstance(library, Linked):
                self._reload_init.update(library._reload_init)  # noqa: SLF001
        linked(inside, self._final_module)
        self._optimize_final_module()
        _close(self._final_module)
        self._final_module.verify()
        # What Numba looks for by itself, in recursion, it finds.
        names = [n for n in _outside(self._final_module) if not n.startswith(RuntimeLinker.PREFIX)]
        self.outside = tuple(names)
        refuse_unknown(self.outside, [unit.symbol for unit in self.units], "what Python calls")
        _run_llvm(self._finalize_final_module)

    def _optimize_final_module(self) -> None:
        _run_llvm(self._optimize)

    def _optimize(self) -> None:
        with taking_in():
            super()._optimize_final_module()
