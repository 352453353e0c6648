"""Records in compiled code: their types, how a field is found, and calls by address that take them."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_untracked, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    models,
    overload,
    register_model,
    typeof_impl,
    unbox,
)

from tribo.compiler import field_array
from tribo.compiler.field_array import FieldArray
from tribo.compiler.record import COLUMNS, Record, world_of

Row = tuple[int, str, tuple[int, ...]]  # of a table: number, type, shape
Read = tuple[
    tuple[str, str], str, Row | None
]  # record (module, name), field, its row if there is one


class RecordType(types.Type):
    """Compiled type of a record.

    Its name does not say the layout, because it is part of the name of every compiled function: what reads
    other fields stays as it is when one is added (`reads`). Of two types with one name in a process the
    second has a suffix.
    """

    def __init__(self, record: type[Record]) -> None:
        self.origin = record.__module__, record.__qualname__
        self.record, self.layout = record.__name__, record.layout
        self.index = {row[0]: k for k, row in enumerate(self.layout)}
        name = ".".join(self.origin).removeprefix("tribo.")
        if _layouts.setdefault(name, self.layout) != self.layout:
            name += f".{hashlib.sha256(repr(self.layout).encode()).hexdigest()[:8]}"
        super().__init__(name)

    @property
    def key(self) -> Any:
        """Return what makes two of these types the same."""
        return (self.name, self.layout)

    def row(self, name: str) -> Row | None:
        """Return number, type and shape of a field, None if there is no such field."""
        number = self.index.get(name)
        return None if number is None else (number, *self.layout[number][1:])

    def member(self, name: str) -> types.Type | None:
        """Return the compiled type of a field, None if there is no such field."""
        if name not in self.index:
            return None
        _, dtype, shape = self.layout[self.index[name]]
        scalar = types.float64 if dtype == "<f8" else getattr(types, np.dtype(dtype).name)
        return FieldArray(scalar, len(shape)) if shape else scalar


@register_model(RecordType)
class _RecordModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, [("table", types.intp), ("world", types.intp)])


_layouts: dict[str, Any] = {}  # of the first type of each name
_types: dict[type[Record], RecordType] = {}
reads: list[
    set[Read]
] = []  # fields that the functions read which are being compiled, innermost last


def record_type(record: type[Record]) -> RecordType:
    """Return the compiled type of a class of records."""
    if record not in _types:
        _types[record] = RecordType(record)
    return _types[record]


def _note(typ: RecordType, name: str) -> None:
    if reads:
        reads[-1].add((typ.origin, name, typ.row(name)))


def is_as_before(read: Read) -> bool:
    """Tell whether a field lies where it lay, with the same type and shape."""
    origin, name, row = read
    found = [typ for typ in _types.values() if typ.origin == origin]
    return len(found) == 1 and found[0].row(name) == row


def rows(arguments: Iterable[Any], names: Iterable[str]) -> list[Read]:
    """Return the fields of records among arguments that have one of these names, in order."""
    records = [typ for typ in dict.fromkeys(arguments) if isinstance(typ, RecordType)]
    return [
        (typ.origin, name, typ.row(name))
        for typ in records
        for name in sorted(names)
        if name in typ.index
    ]


def find(origin: tuple[str, str]) -> RecordType:
    """Return the compiled type of a class of records, given as module and name."""
    record = getattr(importlib.import_module(origin[0]), origin[1])
    return record_type(record)


def reference_to(record: type[Record]) -> Any:
    """Return the type of what kernels know a class of records by."""
    return types.TypeRef(record_type(record))


@typeof_impl.register(Record)
def _typeof_record(value: Record, context: Any) -> Any:
    return record_type(type(value))


@unbox(RecordType)
def _unbox_record(typ: Any, obj: Any, c: Any) -> Any:
    value = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    for member, attribute in (("table", "address"), ("world", "world")):
        number = c.pyapi.object_getattr_string(obj, attribute)
        setattr(value, member, c.pyapi.long_as_longlong(number))
        c.pyapi.decref(number)
    return NativeValue(
        value._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    )


@infer_getattr
class _RecordAttribute(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, record: Any, name: str) -> Any:
        _note(record, name)
        return record.member(name)


@lower_getattr_generic(RecordType)
def _lower_attribute(context: Any, builder: Any, typ: Any, value: Any, name: str) -> Any:
    """Emit the loads that turn one row of the table into an array (or a number)."""
    _note(typ, name)
    record = cgutils.create_struct_proxy(typ)(context, builder, value=value)
    word = ir.IntType(64)
    table = builder.inttoptr(record.table, word.as_pointer())
    first = COLUMNS * typ.index[name]

    def load(column: int) -> Any:
        loaded = builder.load(builder.gep(table, [ir.Constant(word, first + column)]))
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    member = typ.member(name)
    address = builder.add(load(0), builder.mul(record.world, load(1)))
    shape = typ.layout[typ.index[name]][2]
    if not shape:
        pointer = builder.inttoptr(address, context.get_data_type(member).as_pointer())
        return impl_ret_untracked(context, builder, member, builder.load(pointer))
    dims = [ir.Constant(word, n) if n >= 0 else load(2 + k) for k, n in enumerate(shape)]
    data = builder.inttoptr(address, context.get_data_type(member.dtype).as_pointer())
    return impl_ret_untracked(
        context, builder, member, field_array.make(context, builder, member, data, dims)
    )


@intrinsic
def _world_of(typingctx: Any, record: Any, world: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        proxy = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        proxy.world = args[1]
        return proxy._getvalue()

    return record(record, types.intp), codegen


@overload(world_of)
def _overload_world_of(record, world):  # type: ignore[no-untyped-def]
    if isinstance(record, RecordType):
        return lambda record, world: _world_of(record, world)
    return None


@intrinsic
def from_address(typingctx: Any, record: Any, address: Any) -> Any:
    """Return the record of a compiled type (world 0) whose table lies at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        proxy = cgutils.create_struct_proxy(signature.return_type)(context, builder)
        proxy.table = args[1]
        proxy.world = ir.Constant(ir.IntType(64), 0)
        return proxy._getvalue()

    return record.instance_type(record, types.intp), codegen


@intrinsic
def copy_words(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy words of 8 bytes from an address to another; the two places do not overlap."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        target, source = (builder.inttoptr(a, word.as_pointer()) for a in args[:2])
        cgutils.raw_memcpy(builder, target, source, args[2], ir.Constant(word, 8))
        return context.get_dummy_value()

    return types.none(types.intp, types.intp, types.intp), codegen


def _places(context: Any, builder: Any, typs: Any, values: Any) -> list[Any]:
    """Return table and world of each record as compiled values."""
    passed = []
    for typ, value in zip(typs, values, strict=True):
        proxy = cgutils.create_struct_proxy(typ)(context, builder, value=value)
        passed += [proxy.table, proxy.world]
    return passed


@intrinsic
def call_at(typingctx: Any, address: Any, first: Any, second: Any, a: Any, b: Any, x: Any) -> Any:
    """Call a function made by `jit.late` with two records, two integers and a number.

    The function's own parameters are table and world of each record, then a, b and x; it returns an integer.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word, real = ir.IntType(64), ir.DoubleType()
        kind = ir.FunctionType(word, [word] * 6 + [real])
        passed = _places(context, builder, signature.args[1:3], args[1:3])
        function = builder.inttoptr(args[0], kind.as_pointer())
        return builder.call(function, [*passed, *args[3:]])

    return types.intp(types.intp, first, second, types.intp, types.intp, types.float64), codegen


@intrinsic
def call_step_at(
    typingctx: Any, address: Any, model: Any, state: Any, settings: Any, work: Any, a: Any
) -> Any:
    """Call a function made by `jit.late` with the four records of a step and an integer.

    The function's own parameters are table and world of each record, then a; it returns an integer.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word] * 9)
        passed = _places(context, builder, signature.args[1:5], args[1:5])
        function = builder.inttoptr(args[0], kind.as_pointer())
        return builder.call(function, [*passed, args[5]])

    return types.intp(types.intp, model, state, settings, work, types.intp), codegen


@intrinsic
def call_stage_at(
    typingctx: Any, address: Any, model: Any, state: Any, command: Any, settings: Any, work: Any
) -> Any:
    """Call a function made by `jit.late` with the five records: table and world of each."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        passed = _places(context, builder, signature.args[1:], args[1:])
        kind = ir.FunctionType(word, [word] * len(passed))
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), passed)

    return types.intp(types.intp, model, state, command, settings, work), codegen
