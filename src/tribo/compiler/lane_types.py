"""What Numba makes of `lanes`: vectors of LLVM.

LLVM neither reorders nor contracts their operations; where a processor has no registers so wide it takes
them in parts. Its own vectorizer of straight code is off (docs/develop/performance.md, *Tried and left out*).
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.core.imputils import lower_builtin
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, models, register_model

from tribo.compiler.field_array import FieldArray, mark

WORD = ir.IntType(64)
LANE = ir.IntType(32)
REAL = ir.DoubleType()
ALIGN = 8  # fields promise no more
types: Any = numba_types


class Lanes(types.Type):  # type: ignore[misc]
    """Compiled type of a few numbers side by side."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"lanes({count})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(REAL, fe_type.count))


_EMIT = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul"}


class _LaneByLane(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """Say that two of a length make one of that length."""
        if len(args) == 2 and isinstance(args[0], Lanes) and args[0] == args[1]:
            return signature(args[0], *args)
        return None


def _declare(operation: Any, name: str) -> None:
    infer_global(operation)(type(f"_{name}", (_LaneByLane,), {}))

    @lower_builtin(operation, Lanes, Lanes)  # type: ignore[untyped-decorator]
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*args)


for _operation, _name in _EMIT.items():
    _declare(_operation, _name)


def _has_numbers(array: Any) -> bool:
    """Tell whether it is a field, or an array that Python gave, of numbers one after the other."""
    is_plain = isinstance(array, FieldArray) or (
        isinstance(array, types.Array) and array.layout == "C"
    )
    return is_plain and array.dtype == types.float64


def _place(context: Any, builder: Any, array_type: Any, array: Any, at: Any, count: int) -> Any:
    """Emit the address of lanes in a field."""
    proxy = cgutils.create_struct_proxy(array_type)(context, builder, value=array)
    if context.enable_boundscheck:
        size = WORD(1)
        for n in cgutils.unpack_tuple(builder, proxy.shape):
            size = builder.mul(size, n)
        cgutils.do_boundscheck(context, builder, at, size, 0)
        cgutils.do_boundscheck(context, builder, builder.add(at, WORD(count - 1)), size, 0)
    place = builder.gep(proxy.data, [at], inbounds=True)
    return builder.bitcast(place, ir.VectorType(REAL, count).as_pointer())


def _loader(count: int) -> Any:
    def typed(typingctx: Any, array: Any, at: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            place = _place(context, builder, sig.args[0], args[0], args[1], count)
            value = builder.load(place, align=ALIGN)
            mark(builder, value, types.float64)
            return value

        if not _has_numbers(array):
            return None
        return Lanes(count)(array, types.intp), codegen

    return typed


def _storer(count: int) -> Any:
    def typed(typingctx: Any, array: Any, at: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            place = _place(context, builder, sig.args[0], args[0], args[1], count)
            mark(builder, builder.store(args[2], place, align=ALIGN), types.float64)
            return context.get_dummy_value()

        if not _has_numbers(array):
            return None
        return types.none(array, types.intp, Lanes(count)), codegen

    return typed


def _spreader(count: int) -> Any:
    def typed(typingctx: Any, x: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = ir.VectorType(REAL, count)
            one = builder.insert_element(ir.Constant(kind, ir.Undefined), args[0], LANE(0))
            return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), _mask([0] * count))

        return Lanes(count)(types.float64), codegen

    return typed


def _mask(lanes: list[int]) -> Any:
    return ir.Constant(ir.VectorType(LANE, len(lanes)), lanes)


load2, load4 = intrinsic(_loader(2)), intrinsic(_loader(4))
store2, store4 = intrinsic(_storer(2)), intrinsic(_storer(4))
spread2, spread4 = intrinsic(_spreader(2)), intrinsic(_spreader(4))


@intrinsic  # type: ignore[untyped-decorator]
def joined(typingctx: Any, low: Any, high: Any) -> Any:
    """Return four lanes of two and two."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.shuffle_vector(*args, _mask([0, 1, 2, 3]))

    return Lanes(4)(Lanes(2), Lanes(2)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def low(typingctx: Any, value: Any) -> Any:
    """Return the first two of four lanes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.shuffle_vector(args[0], args[0], _mask([0, 1]))

    return Lanes(2)(Lanes(4)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def high(typingctx: Any, value: Any) -> Any:
    """Return the last two of four lanes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.shuffle_vector(args[0], args[0], _mask([2, 3]))

    return Lanes(2)(Lanes(4)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def sums(typingctx: Any, a: Any, b: Any, ends: Any) -> Any:
    """Return two sums of six: of a and the first two ends, of b and the last two; pair by pair, in order."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def pairs(x: Any, y: Any, even: list[int], odd: list[int]) -> Any:
            first = builder.shuffle_vector(x, y, _mask(even))
            return builder.fadd(first, builder.shuffle_vector(x, y, _mask(odd)))

        def half(x: Any, lanes: list[int]) -> Any:
            return builder.shuffle_vector(x, x, _mask(lanes))

        four = pairs(args[0], args[1], [0, 4, 2, 6], [1, 5, 3, 7])
        two = pairs(half(args[2], [0, 1]), half(args[2], [2, 3]), [0, 2], [1, 3])
        both = builder.fadd(builder.fadd(half(four, [0, 1]), half(four, [2, 3])), two)
        found = [builder.extract_element(both, LANE(k)) for k in range(2)]
        return context.make_tuple(builder, sig.return_type, found)

    return types.UniTuple(types.float64, 2)(Lanes(4), Lanes(4), Lanes(4)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def lane(typingctx: Any, value: Any, k: Any) -> Any:
    """Return one of four lanes in all four; where loops are unrolled, k is known."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        one = builder.extract_element(args[0], builder.trunc(args[1], LANE))
        kind = ir.VectorType(REAL, 4)
        first = builder.insert_element(ir.Constant(kind, ir.Undefined), one, LANE(0))
        return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), _mask([0] * 4))

    return Lanes(4)(Lanes(4), types.intp), codegen


@intrinsic  # type: ignore[untyped-decorator]
def pair_sums(typingctx: Any, a: Any, b: Any) -> Any:
    """Return the sum of two lanes and that of two others."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        even = builder.shuffle_vector(*args, _mask([0, 2]))
        return builder.fadd(even, builder.shuffle_vector(*args, _mask([1, 3])))

    return Lanes(2)(Lanes(2), Lanes(2)), codegen
