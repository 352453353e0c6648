"""How compiled code reads and writes the array of a record's field.

It looks like a NumPy array, ``work.body_pos[i, 2]``, but three things about it are known that of a
NumPy array are not, and the machine code of a step gets a quarter faster by them:

* an index is never negative (NumPy's wrap-around costs a comparison and a select per access),
* an integer field never overlaps a floating-point field (so a store of numbers leaves loaded
  indices valid), which is what the TBAA marks say,
* no reference count is needed: the record's Python object outlives the call.

With ``NUMBA_BOUNDSCHECK=1`` every index is checked, and a negative one is an error.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.core.imputils import RefType, impl_ret_untracked, iternext_impl, lower_builtin, lower_getattr
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, models, register_model

WORD = ir.IntType(64)
types: Any = numba_types


class FieldArray(types.Buffer):
    """Compiled type of a field with a shape."""

    def __init__(self, dtype: Any, ndim: int) -> None:
        super().__init__(dtype, ndim, "C", name=f"field({dtype}, {ndim}d)")

    @property
    def key(self) -> tuple[Any, ...]:
        """Return what makes two of these types the same."""
        return (self.dtype, self.ndim)

    def copy(self, ndim: int, **_: Any) -> FieldArray:
        """Return the type of a part of this array with fewer dimensions."""
        return FieldArray(self.dtype, ndim)

    @property
    def iterator_type(self) -> FieldIterator:
        """Return the type of what runs over the numbers of a field of one dimension."""
        return FieldIterator(self)


class FieldIterator(types.ArrayIterator):
    """Compiled type of what runs over the numbers of a field."""


register_model(FieldIterator)(models.ArrayIterator)


@register_model(FieldArray)
class _FieldArrayModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        shape = types.UniTuple(types.intp, fe_type.ndim)
        super().__init__(dmm, fe_type, [("data", types.CPointer(fe_type.dtype)), ("shape", shape)])


def make(context: Any, builder: Any, typ: FieldArray, data: Any, shape: list[Any]) -> Any:
    """Emit the value of a field from its address and its dimensions."""
    array = cgutils.create_struct_proxy(typ)(context, builder)
    array.data = data
    array.shape = cgutils.pack_array(builder, shape)
    return array._getvalue()


def mark(builder: Any, instruction: Any, dtype: Any) -> None:
    """Tell LLVM which scalar type an access is of (TBAA)."""
    module = builder.module
    root = module.add_metadata([ir.MetaDataString(module, "tribo")])
    scalar = module.add_metadata([ir.MetaDataString(module, str(dtype)), root, WORD(0)])
    instruction.set_metadata("tbaa", module.add_metadata([scalar, scalar, WORD(0)]))


def _part(context: Any, builder: Any, typ: FieldArray, value: Any, index_type: Any, index: Any) -> Any:
    """Emit the address that an index leads to, and the dimensions that it leaves."""
    if isinstance(index_type, types.BaseTuple):
        index_types = tuple(index_type)
        indices = cgutils.unpack_tuple(builder, index, count=len(index_type))
    else:
        index_types, indices = (index_type,), [index]
    array = cgutils.create_struct_proxy(typ)(context, builder, value=value)
    dims = cgutils.unpack_tuple(builder, array.shape)
    left = dims[len(indices) :]
    place = WORD(0)
    for axis, n in enumerate(dims):
        place = builder.mul(place, n) if axis else place
        if axis >= len(indices):
            continue
        kind = index_types[axis]
        if kind == types.slice2_type and axis == len(indices) - 1:
            part = context.make_helper(builder, kind, indices[axis])
            is_open = builder.icmp_signed(">", part.stop, n)  # array[a:]
            stop = builder.select(is_open, n, part.stop)
            left.insert(0, builder.sub(stop, part.start))
            place = builder.add(place, part.start)
            continue
        if not isinstance(kind, types.Integer):
            raise NotImplementedError(f"index {axis} of a field is {kind}")
        at = context.cast(builder, indices[axis], kind, types.intp)
        if context.enable_boundscheck:
            cgutils.do_boundscheck(context, builder, at, n, axis)
        place = builder.add(place, at)
    return builder.gep(array.data, [place], inbounds=True), left


@lower_builtin(operator.getitem, FieldArray, types.SliceType)
@lower_builtin(operator.getitem, FieldArray, types.Integer)
@lower_builtin(operator.getitem, FieldArray, types.BaseTuple)
def _get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    typ, index_type = sig.args
    place, dims = _part(context, builder, typ, args[0], index_type, args[1])
    if dims:
        result = make(context, builder, sig.return_type, place, dims)
    else:
        result = builder.load(place)
        mark(builder, result, typ.dtype)
    return impl_ret_untracked(context, builder, sig.return_type, result)


@lower_builtin(operator.setitem, FieldArray, types.Any, types.Any)
def _set(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    typ, index_type, value_type = sig.args
    place, dims = _part(context, builder, typ, args[0], index_type, args[1])
    if dims:
        raise NotImplementedError("a field is written number by number")
    value = context.cast(builder, args[2], value_type, typ.dtype)
    mark(builder, builder.store(value, place), typ.dtype)
    return context.get_dummy_value()


@infer_getattr
class _Attributes(AttributeTemplate):
    key = FieldArray

    def resolve_shape(self, field: FieldArray) -> Any:
        return types.UniTuple(types.intp, field.ndim)


@lower_getattr(FieldArray, "shape")
def _shape(context: Any, builder: Any, typ: Any, value: Any) -> Any:
    array = cgutils.create_struct_proxy(typ)(context, builder, value=value)
    shape = types.UniTuple(types.intp, typ.ndim)
    return impl_ret_untracked(context, builder, shape, array.shape)


@lower_builtin(len, FieldArray)
def _len(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
    return builder.extract_value(array.shape, 0)


@lower_builtin("iternext", FieldIterator)
@iternext_impl(RefType.UNTRACKED)
def _next(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    typ = sig.args[0].array_type
    run = context.make_helper(builder, sig.args[0], value=args[0])
    at = builder.load(run.index)
    end = _len(context, builder, types.intp(typ), (run.array,))
    is_there = builder.icmp_signed("<", at, end)
    result.set_valid(is_there)
    with builder.if_then(is_there):
        result.yield_(_get(context, builder, typ.dtype(typ, types.intp), (run.array, at)))
        builder.store(builder.add(at, WORD(1)), run.index)
