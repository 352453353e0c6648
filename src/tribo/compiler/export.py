"""Machine code for other machines: what Numba makes of an entry, as object files.

The code is that of `backend`, kernel by kernel and optimised as one whole. It differs in the processor that
it is optimised for, in that it may lie anywhere in memory, and in how it is entered: by a function that finds
its arguments in an array of words (`shim.c`), or that is called by address as `jit.late` promises.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numba
from llvmlite import binding as llvm
from llvmlite import ir
from llvmlite.binding import Linkage
from numba.core import types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

from tribo.compiler import backend, field_array, linking
from tribo.compiler.field_array import FieldArray
from tribo.compiler.garbage import compiling
from tribo.compiler.record_types import RecordType, at_address
from tribo.compiler.signature import Array, Field

WORD = ir.IntType(64)
# Of `shim.c`: says that a kernel raised an exception, as a wrong index of a tuple does.
FAILED = "tribo_failed"
# What machine code may call that is not its own: the C library of every machine.
LIBRARY_CALLS = {
    "acos", "asin", "atan", "atan2", "ceil", "copysign", "cos", "exp", "expm1", "fabs", "floor", "fmod",
    "hypot", "log", "log1p", "pow", "sin", "sqrt", "tan", "tanh", "memcpy", "memmove", "memset",
}  # fmt: skip


class ExportError(Exception):
    """A function cannot become part of a library."""


class Exported(NamedTuple):
    """An entry as it will be in a library."""

    result: Any  # Numba's type
    objects: dict[str, bytes]  # by level of the processor


class _Processor(JITCPUCodegen):  # type: ignore[misc]
    """How Numba optimises, for a processor that need not be this one."""

    def __init__(self, level: str) -> None:  # not that of the base: nothing is to run here
        target = llvm.Target.from_triple(llvm.get_process_triple())
        degree = numba.config.OPT
        self._tm = target.create_target_machine(
            cpu=level, features="", opt=degree, reloc="pic", codemodel="default"
        )
        self._loopvect, self._opt_level = False, 0

    def object_of(self, module: Any) -> bytes:
        """Return a module as an object file; the module is used up."""
        with linking.taking_in():
            for passes in ({"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}, {}):
                manager, builder = self._module_pass_manager(**passes)
                manager.run(module, builder)
        module.verify()
        return bytes(self._tm.emit_object(module))


@functools.cache
def _processor(level: str) -> _Processor:
    return _Processor(level)


class _Pipeline(Compiler):  # type: ignore[misc]
    """Numba's compiler; nothing is optimised or becomes machine code here."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, library or JITCodeLibrary(target.codegen(), "export"), *rest)
        self.state.flags.no_compile = True


def export(function: Any, declared: Any, symbol: str, levels: tuple[str, ...]) -> Exported:
    """Return a function as object files.

    Args:
        function: A Python function, a kernel or an entry.
        declared: Arguments as `backend.numba_type` takes them, or the signature of what is called by address.
        symbol: Its name for the linker.
        levels: Processors as LLVM names them.

    Raises:
        ExportError: It needs something at run time that is neither its own code nor in the C library.
    """
    by_address = not isinstance(declared, tuple)
    function = getattr(function, "py_func", function)
    kinds = declared.arguments if by_address else declared
    arguments = tuple(map(_argument_type, kinds))
    options = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    with compiling():
        made = CPUDispatcher(function, targetoptions={**options, **backend.OPTIONS}, pipeline_class=_Pipeline)
        returned = backend.numba_type(declared.result) if by_address else None
        compiled = made._compiler.compile(arguments, returned)  # noqa: SLF001 - as `compile`, without its hooks
    result = numba.types.unliteral(compiled.signature.return_type)
    whole = compiled.library._final_module.clone()  # noqa: SLF001
    for library in dict.fromkeys(compiled.library._linking_libraries):  # noqa: SLF001
        whole.link_in(library._get_module_for_linking(), preserve=True)  # noqa: SLF001
    whole.link_in(_entrance(compiled, symbol, arguments, result, by_address), preserve=True)
    _settle(whole, symbol)
    _check(whole, function.__qualname__)
    objects = {level: _processor(level).object_of(whole.clone()) for level in levels}
    return Exported(result, objects)


def _argument_type(declared: Any) -> Any:
    """Return Numba's type; an array is one as fields are, which needs no reference count."""
    is_array = isinstance(declared, Array)
    return backend.numba_type(Field(declared.item, declared.dimensions) if is_array else declared)


def _entrance(compiled: Any, symbol: str, arguments: Any, result: Any, by_address: bool) -> Any:
    """Return a module with the function through which an entry is entered."""
    context = compiled.target_context
    module = ir.Module(symbol)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(context.codegen()._data_layout)  # noqa: SLF001
    inner = context.declare_function(module, compiled.fndesc)
    plain = [context.get_value_type(kind) for kind in arguments]
    if by_address:
        kind = ir.FunctionType(context.get_value_type(result), plain)
    else:
        kind = ir.FunctionType(ir.VoidType(), [WORD.as_pointer()])
    outer = ir.Function(module, kind, symbol)
    builder = ir.IRBuilder(outer.append_basic_block())
    if by_address:
        values = list(outer.args)
    else:
        values = _from_words(context, builder, arguments, outer.args[0])
    status, value = context.call_conv.call_function(builder, inner, result, arguments, values)
    with builder.if_then(status.is_error, likely=False):
        builder.call(ir.Function(module, ir.FunctionType(ir.VoidType(), []), FAILED), [])
    if by_address:
        builder.ret(value)
    else:
        if result != types.none:
            _store(builder, result, value, outer.args[0])
        builder.ret_void()
    return llvm.parse_assembly(str(module))


def _from_words(context: Any, builder: Any, arguments: Any, words: Any) -> list[Any]:
    """Emit the arguments of an entry from its array of words; `shim.c` writes them in this order."""
    values, used = [], 0

    def word() -> Any:
        nonlocal used
        used += 1
        return builder.load(builder.gep(words, [WORD(used - 1)]))

    for kind in arguments:
        if isinstance(kind, RecordType):
            values.append(at_address(context, builder, kind, word()))
        elif isinstance(kind, FieldArray):
            pointer = context.get_data_type(kind.dtype).as_pointer()
            data = builder.inttoptr(word(), pointer)
            shape = [word() for _ in range(kind.ndim)]
            values.append(field_array.make(context, builder, kind, data, shape))
        elif kind == types.float64:
            values.append(builder.bitcast(word(), ir.DoubleType()))
        elif kind == types.boolean:
            values.append(builder.trunc(word(), ir.IntType(1)))
        elif kind == types.int64:
            values.append(word())
        else:
            raise ExportError(f"no entry takes {kind}")
    return values


def _store(builder: Any, kind: Any, value: Any, words: Any) -> None:
    """Emit the store of a result into word 0."""
    if kind == types.float64:
        value = builder.bitcast(value, WORD)
    elif kind == types.boolean:
        value = builder.zext(value, WORD)
    elif kind != types.int64:
        raise ExportError(f"no entry returns {kind}")
    builder.store(value, words)


def _settle(whole: Any, symbol: str) -> None:
    """Let a module show its entrance and nothing else.

    Functions stay `linkonce_odr`: what is `internal` and called once, LLVM takes into its caller however
    large it is, and chains get an eighth slower.
    """
    for function in whole.functions:
        if function.name == FAILED:
            function.visibility = "hidden"
        if function.is_declaration or function.linkage == Linkage.internal:
            continue
        if function.name != symbol:
            function.linkage = Linkage.linkonce_odr
        function.visibility = "hidden"
    for variable in whole.global_variables:
        if not variable.is_declaration and variable.linkage != Linkage.private:
            variable.linkage = Linkage.internal


def _check(whole: Any, name: str) -> None:
    """Refuse what would need Python or Numba at run time."""
    outside = {f.name for f in whole.functions if f.is_declaration and not f.name.startswith("llvm.")}
    outside |= {v.name for v in whole.global_variables if v.is_declaration}
    outside -= {*LIBRARY_CALLS, FAILED}
    if outside:
        raise ExportError(f"{name} needs {', '.join(sorted(outside))}")
    for variable in whole.global_variables:
        if variable.name.startswith("numba.dynamic.globals"):
            raise ExportError(f"{name} contains an address of this process")
