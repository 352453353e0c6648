"""Types and code of `lanes` in Numba: vectors of LLVM.

LLVM neither reorders nor contracts their operations; where a processor has no registers so wide it takes
them in parts. Its own vectorizer of straight code is off (*Tried and left out* in
benchmarks/notes/performance.md).
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, models, register_model

from tribo.compiler.field_array import WORD, FieldArray, mark, types

LANE = ir.IntType(32)
REAL = ir.DoubleType()
ALIGN = 8  # fields promise no more


class Lanes(types.Type):  # type: ignore[misc]
    """Compiled type of a few numbers side by side."""

    item = REAL

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"lanes({count})")


class Answers(types.Type):  # type: ignore[misc]
    """Compiled type of four truth values side by side."""

    item, count = ir.IntType(1), 4

    def __init__(self) -> None:
        super().__init__(name="answers")


answers = Answers()


@register_model(Answers)
@register_model(Lanes)
class _Vector(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(fe_type.item, fe_type.count))


ONE, TWO, FOUR, PLACE = types.float64, Lanes(2), Lanes(4), types.intp


def _mask(lanes: list[int]) -> Any:
    return ir.Constant(ir.VectorType(LANE, len(lanes)), lanes)


def _spread(builder: Any, x: Any, count: int) -> Any:
    """Emit lanes that are all one number."""
    kind = ir.VectorType(REAL, count)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), x, LANE(0))
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), _mask([0] * count))


def _by_llvm(builder: Any, name: str, value: Any) -> Any:
    """Emit one of LLVM's own functions of one argument."""
    kind = ir.FunctionType(value.type, [value.type])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [value])


# -- operators -----------------------------------------------------------------------------------
def _declare(operation: Any, result: Callable[..., Any], emit: Callable[..., Any], *takes: Any) -> None:
    """Let kernels use an operator.

    Args:
        operation: That of Python.
        result: Its type from those of the arguments; None: it is not for these.
        emit: Emits its code, from a builder and the arguments.
        takes: Classes of types of its arguments.
    """

    def generic(template: Any, args: Any, kws: Any) -> Any:
        kind = result(*args)
        return None if kind is None else signature(kind, *args)

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)

    infer_global(operation)(type(f"_{operation.__name__}", (AbstractTemplate,), {"generic": generic}))
    for kinds in takes:
        lower_builtin(operation, *kinds)(lower)


def _lane_by_lane(*args: Any) -> Any:
    """Return that two of a length make one of that length, and so does a number with one of them."""
    kinds = {kind for kind in args if kind != ONE}
    is_two = len(args) == 2 and len(kinds) == 1
    return kind if is_two and isinstance(kind := kinds.pop(), Lanes) else None


def _arithmetic(name: str) -> Callable[..., Any]:
    """Return what emits an operation of LLVM on lanes; a number counts as lanes that are all equal to it."""

    def emit(builder: Any, a: Any, b: Any) -> Any:
        count = next(x.type.count for x in (a, b) if x.type != REAL)
        a, b = (_spread(builder, x, count) if x.type == REAL else x for x in (a, b))
        return getattr(builder, name)(a, b)

    return emit


def _only(result: Any, *takes: Any) -> Callable[..., Any]:
    """Return that an operator gives a type for arguments of some types, and is for no others."""
    return lambda *args: result if args == takes else None


for _operation, _name in (
    (operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"), (operator.truediv, "fdiv"),
):  # fmt: skip
    _both = ((Lanes, Lanes), (types.Float, Lanes), (Lanes, types.Float))
    _declare(_operation, _lane_by_lane, _arithmetic(_name), *_both)
for _operation, _sign in ((operator.lt, "<"), (operator.le, "<=")):
    _declare(
        _operation, _only(answers, FOUR, FOUR),
        lambda builder, a, b, sign=_sign: builder.fcmp_ordered(sign, a, b), (Lanes, Lanes),
    )  # fmt: skip
_declare(operator.and_, _only(answers, answers, answers), lambda builder, a, b: builder.and_(a, b),
         (Answers, Answers))  # fmt: skip
_declare(operator.or_, _only(answers, answers, answers), lambda builder, a, b: builder.or_(a, b),
         (Answers, Answers))  # fmt: skip
_declare(operator.invert, _only(answers, answers), lambda builder, a: builder.not_(a), (Answers,))
_declare(operator.neg, lambda a: a if isinstance(a, Lanes) else None, lambda builder, a: builder.fneg(a),
         (Lanes,))  # fmt: skip
_declare(abs, _only(FOUR, FOUR), lambda builder, a: _by_llvm(builder, "llvm.fabs.v4f64", a), (Lanes,))


# -- functions -----------------------------------------------------------------------------------
def _named(typed: Any, emit: Any, count: int) -> Any:
    """Return a function of kernels of so many arguments, called and explained as what emits its code."""
    names = ("typingctx", *(f"x{k}" for k in range(count)))
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    typed.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    typed.__name__, typed.__qualname__, typed.__doc__ = emit.__name__, emit.__qualname__, emit.__doc__
    return intrinsic(typed)


def emitted(returns: Any, *takes: Any) -> Callable[[Callable[..., Any]], Any]:
    """Make a function of kernels of one that emits its code, from a builder and arguments of some types."""

    def made(emit: Callable[..., Any]) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            found = emit(builder, *args)
            return context.make_tuple(builder, sig.return_type, found) if isinstance(found, list) else found

        return _named(lambda typingctx, *args: (returns(*takes), codegen), emit, len(takes))

    return made


def emitted_of_field(returns: Any, *takes: Any) -> Callable[[Callable[..., Any]], Any]:
    """Make a function of kernels that takes a field first: its code gets what emits an address in it."""

    def made(emit: Callable[..., Any]) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            def place(at: Any, count: int) -> Any:
                return _place(context, builder, sig.args[0], args[0], at, count)

            found = emit(builder, place, *args[1:])
            return context.get_dummy_value() if returns is types.none else found

        def typed(typingctx: Any, array: Any, *args: Any) -> Any:
            return (returns(array, *takes), codegen) if _has_numbers(array) else None

        return _named(typed, emit, 1 + len(takes))

    return made


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


def _loader(kind: Any) -> Any:
    def load(builder: Any, place: Any, at: Any) -> Any:
        value = builder.load(place(at, kind.count), align=ALIGN)
        mark(builder, value, types.float64)
        return value

    return emitted_of_field(kind, PLACE)(load)


def _storer(kind: Any) -> Any:
    def store(builder: Any, place: Any, at: Any, value: Any) -> None:
        mark(builder, builder.store(value, place(at, kind.count), align=ALIGN), types.float64)

    return emitted_of_field(types.none, PLACE, kind)(store)


load2, load4 = _loader(TWO), _loader(FOUR)
store2, store4 = _storer(TWO), _storer(FOUR)
spread2 = emitted(TWO, ONE)(lambda builder, x: _spread(builder, x, 2))
spread4 = emitted(FOUR, ONE)(lambda builder, x: _spread(builder, x, 4))


@emitted(FOUR, ONE, ONE, ONE, ONE)
def filled(builder: Any, *numbers: Any) -> Any:
    """Return four numbers side by side."""
    value = ir.Constant(ir.VectorType(REAL, 4), ir.Undefined)
    for k, one in enumerate(numbers):
        value = builder.insert_element(value, one, LANE(k))
    return value


@emitted(FOUR, TWO, TWO)
def joined(builder: Any, low: Any, high: Any) -> Any:
    """Return four lanes of two and two."""
    return builder.shuffle_vector(low, high, _mask([0, 1, 2, 3]))


@emitted(TWO, FOUR)
def low(builder: Any, value: Any) -> Any:
    """Return the first two of four lanes."""
    return builder.shuffle_vector(value, value, _mask([0, 1]))


@emitted(TWO, FOUR)
def high(builder: Any, value: Any) -> Any:
    """Return the last two of four lanes."""
    return builder.shuffle_vector(value, value, _mask([2, 3]))


@emitted(types.UniTuple(ONE, 2), FOUR, FOUR, FOUR)
def sums(builder: Any, a: Any, b: Any, ends: Any) -> Any:
    """Return two sums of six: of a and the first two ends, of b and the last two; pair by pair, in order."""

    def pairs(x: Any, y: Any, even: list[int], odd: list[int]) -> Any:
        first = builder.shuffle_vector(x, y, _mask(even))
        return builder.fadd(first, builder.shuffle_vector(x, y, _mask(odd)))

    def half(x: Any, lanes: list[int]) -> Any:
        return builder.shuffle_vector(x, x, _mask(lanes))

    four = pairs(a, b, [0, 4, 2, 6], [1, 5, 3, 7])
    two = pairs(half(ends, [0, 1]), half(ends, [2, 3]), [0, 2], [1, 3])
    both = builder.fadd(builder.fadd(half(four, [0, 1]), half(four, [2, 3])), two)
    return [builder.extract_element(both, LANE(k)) for k in range(2)]


@emitted(FOUR, FOUR, PLACE)
def lane(builder: Any, value: Any, k: Any) -> Any:
    """Return one of four lanes in all four; where loops are unrolled, k is known."""
    return _spread(builder, builder.extract_element(value, builder.trunc(k, LANE)), 4)


@emitted(TWO, TWO, TWO)
def pair_sums(builder: Any, a: Any, b: Any) -> Any:
    """Return the sum of two lanes and that of two others."""
    even = builder.shuffle_vector(a, b, _mask([0, 2]))
    return builder.fadd(even, builder.shuffle_vector(a, b, _mask([1, 3])))


@emitted(ONE, TWO)
def total(builder: Any, value: Any) -> Any:
    """Return the sum of two lanes."""
    return builder.fadd(*(builder.extract_element(value, LANE(k)) for k in range(2)))


@emitted(FOUR, FOUR)
def roots(builder: Any, value: Any) -> Any:
    """Return the square root of each lane."""
    return _by_llvm(builder, "llvm.sqrt.v4f64", value)


@emitted(FOUR, answers, FOUR, FOUR)
def chosen(builder: Any, which: Any, a: Any, b: Any) -> Any:
    """Return a where an answer is yes, else b."""
    return builder.select(which, a, b)


@emitted(types.boolean, answers)
def some(builder: Any, which: Any) -> Any:
    """Tell whether one of four answers is yes."""
    bits = builder.bitcast(which, ir.IntType(4))
    return builder.icmp_unsigned("!=", bits, ir.IntType(4)(0))


@emitted(types.boolean, answers, PLACE)
def is_yes(builder: Any, which: Any, k: Any) -> Any:
    """Tell whether the k-th of four answers is yes."""
    return builder.extract_element(which, builder.trunc(k, LANE))


@emitted(ONE, FOUR, PLACE)
def number(builder: Any, value: Any, k: Any) -> Any:
    """Return the k-th of four lanes."""
    return builder.extract_element(value, builder.trunc(k, LANE))


@emitted(ONE, FOUR)
def top(builder: Any, value: Any) -> Any:
    """Return the largest of four lanes."""

    def larger(a: Any, b: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", b, a), b, a)

    a, b, c, d = (builder.extract_element(value, LANE(k)) for k in range(4))
    return larger(larger(a, b), larger(c, d))


@emitted(types.UniTuple(FOUR, 4), FOUR, FOUR, FOUR, FOUR)
def transposed(builder: Any, *rows: Any) -> Any:
    """Return the first lanes of four, their second ones, and so on."""
    even = [builder.shuffle_vector(rows[k], rows[k + 1], _mask([0, 4, 2, 6])) for k in (0, 2)]
    odd = [builder.shuffle_vector(rows[k], rows[k + 1], _mask([1, 5, 3, 7])) for k in (0, 2)]
    return [
        builder.shuffle_vector(*two, _mask(half))
        for half in ([0, 1, 4, 5], [2, 3, 6, 7])
        for two in (even, odd)
    ]


@emitted(types.UniTuple(FOUR, 2), TWO, TWO, TWO, TWO)
def transposed2(builder: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the first lanes of four pairs, and their second ones."""
    even = builder.shuffle_vector(a, c, _mask([0, 1, 2, 3]))
    odd = builder.shuffle_vector(b, d, _mask([0, 1, 2, 3]))
    return [builder.shuffle_vector(even, odd, _mask(lanes)) for lanes in ([0, 4, 2, 6], [1, 5, 3, 7])]


@emitted(types.UniTuple(TWO, 4), FOUR, FOUR)
def paired(builder: Any, a: Any, b: Any) -> Any:
    """Return the pairs of which two times four lanes are the first ones and the second ones."""
    even = builder.shuffle_vector(a, b, _mask([0, 4, 2, 6]))
    odd = builder.shuffle_vector(a, b, _mask([1, 5, 3, 7]))
    return [builder.shuffle_vector(two, two, _mask(half)) for half in ([0, 1], [2, 3]) for two in (even, odd)]


@emitted_of_field(FOUR, PLACE, PLACE, PLACE, PLACE)
def gathered(builder: Any, place: Any, *places: Any) -> Any:
    """Return four numbers of a field, from four places."""
    value = ir.Constant(ir.VectorType(REAL, 4), ir.Undefined)
    for k, at in enumerate(places):
        one = builder.load(builder.bitcast(place(at, 1), REAL.as_pointer()), align=ALIGN)
        mark(builder, one, types.float64)
        value = builder.insert_element(value, one, LANE(k))
    return value


@emitted_of_field(types.none, PLACE, PLACE, PLACE, PLACE, FOUR)
def scattered(builder: Any, place: Any, *places_and_value: Any) -> None:
    """Put four lanes to four places of a field, the last lane first."""
    *places, value = places_and_value
    for k in (3, 2, 1, 0):
        one = builder.extract_element(value, LANE(k))
        at = builder.bitcast(place(places[k], 1), REAL.as_pointer())
        mark(builder, builder.store(one, at, align=ALIGN), types.float64)
