"""Types and code of `lanes` in Numba: vectors of LLVM.

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


class Answers(types.Type):  # type: ignore[misc]
    """Compiled type of four truth values side by side."""

    def __init__(self) -> None:
        super().__init__(name="answers")


answers = Answers()


@register_model(Answers)
class _AnswersModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(ir.IntType(1), 4))


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(REAL, fe_type.count))


_EMIT = {operator.add: "fadd", operator.sub: "fsub", operator.mul: "fmul", operator.truediv: "fdiv"}
_COMPARE = {operator.lt: "<", operator.le: "<="}


class _LaneByLane(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """Say that two of a length make one of that length, and so does a number with one of them."""
        kinds = {kind for kind in args if kind != types.float64}
        if len(args) == 2 and len(kinds) == 1 and isinstance(kind := kinds.pop(), Lanes):
            return signature(kind, *args)
        return None


def _spread(builder: Any, x: Any, count: int) -> Any:
    """Emit lanes that are all one number."""
    kind = ir.VectorType(REAL, count)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), x, LANE(0))
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), _mask([0] * count))


def _declare(operation: Any, name: str) -> None:
    infer_global(operation)(type(f"_{name}", (_LaneByLane,), {}))

    @lower_builtin(operation, Lanes, Lanes)  # type: ignore[untyped-decorator]
    @lower_builtin(operation, types.Float, Lanes)  # type: ignore[untyped-decorator]
    @lower_builtin(operation, Lanes, types.Float)  # type: ignore[untyped-decorator]
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = (
            value if isinstance(kind, Lanes) else _spread(builder, value, sig.return_type.count)
            for kind, value in zip(sig.args, args, strict=True)
        )
        return getattr(builder, name)(a, b)


for _operation, _name in _EMIT.items():
    _declare(_operation, _name)


class _Compared(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """Say that two of four lanes make four answers."""
        if args == (Lanes(4), Lanes(4)):
            return signature(answers, *args)
        return None


def _declare_comparison(operation: Any, sign: str) -> None:
    infer_global(operation)(type(f"_{operation.__name__}", (_Compared,), {}))

    @lower_builtin(operation, Lanes, Lanes)  # type: ignore[untyped-decorator]
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.fcmp_ordered(sign, *args)


for _operation, _name in _COMPARE.items():
    _declare_comparison(_operation, _name)


@infer_global(operator.and_)
@infer_global(operator.or_)
class _Both(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """Say that answers are combined lane by lane."""
        return signature(answers, *args) if args == (answers, answers) else None


@lower_builtin(operator.and_, Answers, Answers)  # type: ignore[untyped-decorator]
def _both(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.and_(*args)


@lower_builtin(operator.or_, Answers, Answers)  # type: ignore[untyped-decorator]
def _either(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.or_(*args)


@infer_global(operator.invert)
class _Not(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """Say that each answer is turned into the other one."""
        return signature(answers, *args) if args == (answers,) else None


@lower_builtin(operator.invert, Answers)  # type: ignore[untyped-decorator]
def _not(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.not_(args[0])


@infer_global(operator.neg)
class _Opposite(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """Say that each lane is turned around."""
        return signature(args[0], *args) if isinstance(args[0], Lanes) else None


@lower_builtin(operator.neg, Lanes)  # type: ignore[untyped-decorator]
def _opposite(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])


def _by_llvm(builder: Any, name: str, value: Any) -> Any:
    """Emit one of LLVM's own functions of one argument."""
    kind = ir.FunctionType(value.type, [value.type])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [value])


@infer_global(abs)
class _Size(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        """Say that four lanes have four sizes."""
        return signature(args[0], *args) if args == (Lanes(4),) else None


@lower_builtin(abs, Lanes)  # type: ignore[untyped-decorator]
def _size(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _by_llvm(builder, "llvm.fabs.v4f64", args[0])


def _has_numbers(array: Any) -> bool:
    """Tell whether it is a field, or an array that Python gave, of numbers one after the other."""
    is_plain = isinstance(array, FieldArray) or (isinstance(array, types.Array) and array.layout == "C")
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
            return _spread(builder, args[0], count)

        return Lanes(count)(types.float64), codegen

    return typed


def _mask(lanes: list[int]) -> Any:
    return ir.Constant(ir.VectorType(LANE, len(lanes)), lanes)


load2, load4 = intrinsic(_loader(2)), intrinsic(_loader(4))
store2, store4 = intrinsic(_storer(2)), intrinsic(_storer(4))
spread2, spread4 = intrinsic(_spreader(2)), intrinsic(_spreader(4))


@intrinsic  # type: ignore[untyped-decorator]
def filled(typingctx: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return four numbers side by side."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = ir.Constant(ir.VectorType(REAL, 4), ir.Undefined)
        for k, one in enumerate(args):
            value = builder.insert_element(value, one, LANE(k))
        return value

    return Lanes(4)(types.float64, types.float64, types.float64, types.float64), codegen


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
        return _spread(builder, one, 4)

    return Lanes(4)(Lanes(4), types.intp), codegen


@intrinsic  # type: ignore[untyped-decorator]
def pair_sums(typingctx: Any, a: Any, b: Any) -> Any:
    """Return the sum of two lanes and that of two others."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        even = builder.shuffle_vector(*args, _mask([0, 2]))
        return builder.fadd(even, builder.shuffle_vector(*args, _mask([1, 3])))

    return Lanes(2)(Lanes(2), Lanes(2)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def total(typingctx: Any, value: Any) -> Any:
    """Return the sum of two lanes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.fadd(*(builder.extract_element(args[0], LANE(k)) for k in range(2)))

    return types.float64(Lanes(2)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def roots(typingctx: Any, value: Any) -> Any:
    """Return the square root of each lane."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _by_llvm(builder, "llvm.sqrt.v4f64", args[0])

    return Lanes(4)(Lanes(4)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def chosen(typingctx: Any, which: Any, a: Any, b: Any) -> Any:
    """Return a where an answer is yes, else b."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(*args)

    return Lanes(4)(answers, Lanes(4), Lanes(4)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def some(typingctx: Any, which: Any) -> Any:
    """Tell whether one of four answers is yes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bits = builder.bitcast(args[0], ir.IntType(4))
        return builder.icmp_unsigned("!=", bits, ir.IntType(4)(0))

    return types.boolean(answers), codegen


@intrinsic  # type: ignore[untyped-decorator]
def is_yes(typingctx: Any, which: Any, k: Any) -> Any:
    """Tell whether the k-th of four answers is yes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], builder.trunc(args[1], LANE))

    return types.boolean(answers, types.intp), codegen


@intrinsic  # type: ignore[untyped-decorator]
def number(typingctx: Any, value: Any, k: Any) -> Any:
    """Return the k-th of four lanes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], builder.trunc(args[1], LANE))

    return types.float64(Lanes(4), types.intp), codegen


@intrinsic  # type: ignore[untyped-decorator]
def top(typingctx: Any, value: Any) -> Any:
    """Return the largest of four lanes."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def larger(a: Any, b: Any) -> Any:
            return builder.select(builder.fcmp_ordered(">", b, a), b, a)

        a, b, c, d = (builder.extract_element(args[0], LANE(k)) for k in range(4))
        return larger(larger(a, b), larger(c, d))

    return types.float64(Lanes(4)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def transposed(typingctx: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the first lanes of four, their second ones, and so on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        even = [builder.shuffle_vector(args[k], args[k + 1], _mask([0, 4, 2, 6])) for k in (0, 2)]
        odd = [builder.shuffle_vector(args[k], args[k + 1], _mask([1, 5, 3, 7])) for k in (0, 2)]
        made = [
            builder.shuffle_vector(*two, _mask(half))
            for half in ([0, 1, 4, 5], [2, 3, 6, 7])
            for two in (even, odd)
        ]
        return context.make_tuple(builder, sig.return_type, made)

    return types.UniTuple(Lanes(4), 4)(Lanes(4), Lanes(4), Lanes(4), Lanes(4)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def transposed2(typingctx: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the first lanes of four pairs, and their second ones."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        even = builder.shuffle_vector(args[0], args[2], _mask([0, 1, 2, 3]))
        odd = builder.shuffle_vector(args[1], args[3], _mask([0, 1, 2, 3]))
        made = [builder.shuffle_vector(even, odd, _mask(lanes)) for lanes in ([0, 4, 2, 6], [1, 5, 3, 7])]
        return context.make_tuple(builder, sig.return_type, made)

    return types.UniTuple(Lanes(4), 2)(Lanes(2), Lanes(2), Lanes(2), Lanes(2)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def paired(typingctx: Any, a: Any, b: Any) -> Any:
    """Return the pairs of which two times four lanes are the first ones and the second ones."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        even = builder.shuffle_vector(*args, _mask([0, 4, 2, 6]))
        odd = builder.shuffle_vector(*args, _mask([1, 5, 3, 7]))
        made = [
            builder.shuffle_vector(two, two, _mask(half)) for half in ([0, 1], [2, 3]) for two in (even, odd)
        ]
        return context.make_tuple(builder, sig.return_type, made)

    return types.UniTuple(Lanes(2), 4)(Lanes(4), Lanes(4)), codegen


@intrinsic  # type: ignore[untyped-decorator]
def gathered(typingctx: Any, array: Any, i: Any, j: Any, k: Any, m: Any) -> Any:
    """Return four numbers of a field, from four places."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = ir.Constant(ir.VectorType(REAL, 4), ir.Undefined)
        for lane_, at in enumerate(args[1:]):
            place = _place(context, builder, sig.args[0], args[0], at, 1)
            one = builder.load(builder.bitcast(place, REAL.as_pointer()), align=ALIGN)
            mark(builder, one, types.float64)
            value = builder.insert_element(value, one, LANE(lane_))
        return value

    if not _has_numbers(array):
        return None
    return Lanes(4)(array, types.intp, types.intp, types.intp, types.intp), codegen


@intrinsic  # type: ignore[untyped-decorator]
def scattered(typingctx: Any, array: Any, i: Any, j: Any, k: Any, m: Any, value: Any) -> Any:
    """Put four lanes to four places of a field, the last lane first."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        for lane_ in (3, 2, 1, 0):
            place = _place(context, builder, sig.args[0], args[0], args[1 + lane_], 1)
            one = builder.extract_element(args[5], LANE(lane_))
            place = builder.bitcast(place, REAL.as_pointer())
            mark(builder, builder.store(one, place, align=ALIGN), types.float64)
        return context.get_dummy_value()

    if not _has_numbers(array):
        return None
    return types.none(array, types.intp, types.intp, types.intp, types.intp, Lanes(4)), codegen
