"""Passes of a kernel in Numba, without the work for constructs that kernels do not contain.

Kernels allocate nothing, catch nothing and are not inspected while they are compiled. So nothing counts
references or sets variables to zero where they end, no listener is told of each pass and instruction, and
what operators make of numbers is asked once. Other functions are compiled as Numba compiles them, but for
`EnumMembers`.
"""

from __future__ import annotations

import functools
from enum import EnumMeta
from typing import Any

from numba.core import ir, typing
from numba.core.cgutils import alloca_once
from numba.core.compiler import DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import FunctionPass, PassManager, _pass_registry, register_pass
from numba.core.errors import LoweringError, new_error_context  # type: ignore[attr-defined]
from numba.core.lowering import Lower
from numba.core.typed_passes import InlineOverloads, IRLegalization, NativeLowering, NopythonRewrites
from numba.core.types import Boolean, Float, Function, Integer
from numba.core.untyped_passes import InlineClosureLikes, InlineInlinables, LiteralUnroll, TranslateByteCode

_ABSENT = (InlineClosureLikes, InlineInlinables, InlineOverloads, LiteralUnroll, NopythonRewrites)


def _is_plain(state: Any) -> bool:
    """Tell whether nothing in a function counts references, catches exceptions or is to be debugged."""
    models = state.targetctx.data_model_manager
    return not (
        state.flags.debuginfo
        or getattr(state.func_id.code, "co_exceptiontable", b"")
        or any(models[kind].contains_nrt_meminfo() for kind in {*state.typemap.values()})
    )


class _Lower(Lower):  # type: ignore[misc]
    """Numba's lowering, for functions that are plain."""

    def lower_block(self, block: Any) -> None:
        """Emit a block; where there is an error it is said which instruction it is about."""
        self._cur_ir_block = block
        for instruction in block.body:
            self.loc = instruction.loc
            try:
                self.lower_inst(instruction)
            except Exception:
                kind = functools.partial(LoweringError, loc=self.loc)
                said = 'lowering "{inst}" at {loc}'
                with new_error_context(said, inst=instruction, loc=self.loc, errcls_=kind):
                    raise

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Emit the store of a variable; nothing is to be done with what it held."""
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        """Emit the place of a variable; no debugger asks for its size."""
        return alloca_once(self.builder, lltype, name=name)


@register_pass(mutates_CFG=False, analysis_only=True)
class _Legalization(IRLegalization):  # type: ignore[misc]
    """Numba's last look, which also says where variables end: for what is not plain."""

    _name = "tribo_legalization"

    def run_pass(self, state: Any) -> bool:
        """Run it."""
        return False if _is_plain(state) else bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class _PlainLowering(NativeLowering):  # type: ignore[misc]
    """Numba's lowering, by `_Lower` where a function is plain."""

    _name = "tribo_lowering"

    @property
    def lowering_class(self) -> Any:
        """Return what lowers a plain function."""
        return _Lower

    def run_pass(self, state: Any) -> bool:
        """Run it."""
        if _is_plain(state):
            return bool(super().run_pass(state))
        return bool(_pass_registry.get(NativeLowering).pass_inst.run_pass(state))


@register_pass(mutates_CFG=False, analysis_only=False)
class EnumMembers(FunctionPass):  # type: ignore[misc]
    """Members of enumerations of whole numbers, as ``Joint.FREE``, become the whole numbers that they are."""

    _name = "tribo_enum_members"

    __init__ = object.__init__  # that of `FunctionPass` is abstract

    def run_pass(self, state: Any) -> bool:
        """Run it."""
        kinds: dict[str, Any] = {}
        for block in state.func_ir.blocks.values():
            for statement in [*block.find_insts(ir.Assign)]:
                value = statement.value
                if isinstance(value, ir.Global | ir.FreeVar) and isinstance(value.value, EnumMeta):
                    kinds[statement.target.name] = value.value
                    block.body.remove(statement)
                elif isinstance(value, ir.Expr) and value.op == "getattr" and value.value.name in kinds:
                    number = int(kinds[value.value.name][value.attr])
                    statement.value = ir.Global(value.attr, number, value.loc)
        return bool(kinds)


_INSTEAD = {IRLegalization: _Legalization, NativeLowering: _PlainLowering}


def whole(state: Any) -> PassManager:
    """Return the passes of a function that Python calls: Numba's, and `EnumMembers`."""
    made = DefaultPassBuilder.define_nopython_pipeline(state)
    made.add_pass_after(EnumMembers, TranslateByteCode)
    made.finalize()
    return made


class _Passes(PassManager):  # type: ignore[misc]
    """Passes one after the other, without a word about each."""

    @global_compiler_lock  # type: ignore[untyped-decorator]
    def run(self, state: Any) -> None:
        """Run them."""
        for kind, _ in self.passes:
            one = _pass_registry.get(kind).pass_inst
            one.analysis = self._analysis
            one.run_initialization(state)
            one.run_pass(state)
            one.run_finalizer(state)


_passes: list[PassManager] = []


def passes(state: Any) -> PassManager:
    """Return the passes that a kernel goes through; they are the same for all."""
    if not _passes:
        found = whole(state).passes
        made = _Passes("kernel")
        made.passes += [(_INSTEAD.get(row[0], row[0]), row[1]) for row in found if row[0] not in _ABSENT]
        made.finalize()
        _passes.append(made)
    return _passes[0]


_NUMBERS = (Boolean, Float, Integer)
_operators: dict[Any, Any] = {}  # what an operator makes of numbers


class _Typing(typing.Context):  # type: ignore[misc]
    """Numba's tables of types, seen with a memory for what operators make of numbers."""

    def __init__(self, real: typing.Context) -> None:
        self.__dict__ = real.__dict__  # all else is there

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Return the types that a call takes and returns."""
        if not isinstance(func, Function) or kws or not all(isinstance(a, _NUMBERS) for a in args):
            return super().resolve_function_type(func, args, kws)
        if getattr(func.typing_key, "__module__", None) != "_operator":
            return super().resolve_function_type(func, args, kws)
        key = func.typing_key, args
        if key not in _operators:
            _operators[key] = super().resolve_function_type(func, args, kws)
        return _operators[key]


@functools.cache
def typing_of(real: typing.Context) -> typing.Context:
    """Return tables of types with a memory."""
    return _Typing(real)
