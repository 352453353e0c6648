"""Records in compiled code: their types, how a field is found, and calls by address that take them."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_untracked, lower_builtin, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    models,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)

from tribo.compiler import field_array
from tribo.compiler.field_array import WORD, FieldArray
from tribo.compiler.record import COLUMNS, Record, world_of

Row = tuple[int, str, tuple[int, ...]]  # of a table: number, type, shape
Read = tuple[tuple[str, str], str, Row | None]  # record (module, name), field, its row if there is one


COUNT = ""  # in place of a field: code that copies a table depends on how many rows it has


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
        """Return number, type and shape of a field, None if there is no such field; of `COUNT` how many."""
        if name == COUNT:
            return (len(self.layout), "", ())
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
        super().__init__(dmm, fe_type, [("table", types.CPointer(types.int64))])  # type: ignore[attr-defined]


_layouts: dict[str, Any] = {}  # of the first type of each name
_types: dict[type[Record], RecordType] = {}
reads: list[set[Read]] = []  # fields that the functions read which are being compiled, innermost last


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
    """Return the fields of records among arguments that have one of these names, in order.

    And how many fields there are, if `world_of` is among the names.
    """
    records = [typ for typ in dict.fromkeys(arguments) if isinstance(typ, RecordType)]
    known = [COUNT if name == world_of.__name__ else name for name in names]
    return [
        (typ.origin, name, typ.row(name))
        for typ in records
        for name in sorted(known)
        if name == COUNT or name in typ.index
    ]


def find(origin: tuple[str, str]) -> RecordType:
    """Return the compiled type of a class of records, given as module and name."""
    return record_type(getattr(importlib.import_module(origin[0]), origin[1]))


def reference_to(record: type[Record]) -> Any:
    """Return the type of what kernels know a class of records by."""
    return types.TypeRef(record_type(record))


@typeof_impl.register(Record)
def _typeof_record(value: Record, context: Any) -> Any:
    return record_type(type(value))


@unbox(RecordType)
def _unbox_record(typ: Any, obj: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(obj, "address")
    value = at_address(c.context, c.builder, typ, c.pyapi.long_as_longlong(number))
    c.pyapi.decref(number)
    return NativeValue(value, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def at_address(context: Any, builder: Any, typ: RecordType, address: Any) -> Any:
    """Emit the record whose table lies at an address."""
    record = cgutils.create_struct_proxy(typ)(context, builder)
    record.table = builder.inttoptr(address, WORD.as_pointer())
    return record._getvalue()


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
    number = typ.index[name]
    member = typ.member(name)
    address = _word(builder, record.table, number + 1)
    shape = typ.layout[number][2]
    if not shape:
        pointer = builder.inttoptr(address, context.get_data_type(member).as_pointer())
        value = _constant(builder, builder.load(pointer))
        return impl_ret_untracked(context, builder, member, value)
    if min(shape) < 0:
        rows = builder.inttoptr(_word(builder, record.table, 0), WORD.as_pointer())
        first = COLUMNS * number + 1
        dims = [WORD(n) if n >= 0 else _word(builder, rows, first + k) for k, n in enumerate(shape)]
    else:
        dims = [WORD(n) for n in shape]
    data = builder.inttoptr(address, context.get_data_type(member.dtype).as_pointer())
    return impl_ret_untracked(
        context, builder, member, field_array.make(context, builder, member, data, dims)
    )


def _word(builder: Any, table: Any, number: int) -> Any:
    """Emit the load of a word of a table."""
    return _constant(builder, builder.load(builder.gep(table, [WORD(number)])))


def _constant(builder: Any, loaded: Any) -> Any:
    """Mark the load of what stays as it is as long as compiled code runs."""
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


@type_callable(world_of)
def _type_world_of(context: Any) -> Any:
    def typer(record: Any, world: Any) -> Any:
        return record if isinstance(record, RecordType) and isinstance(world, types.Integer) else None

    return typer


@lower_builtin(world_of, RecordType, types.Integer)
def _world_of(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Emit the table of another world into the function that calls: it lives as long as that one runs."""
    record, kind = signature.args
    _note(record, COUNT)
    proxy = cgutils.create_struct_proxy(record)(context, builder, value=args[0])
    world = context.cast(builder, args[1], kind, types.intp)
    proxy.table = _table_of(builder, proxy.table, len(record.layout), world)
    return impl_ret_untracked(context, builder, record, proxy._getvalue())


def _table_of(builder: Any, table: Any, count: int, world: Any) -> Any:
    """Emit the address of the table of another world: for a number other than 0 it is made, on the stack.

    It is handed through a piece of assembly that does nothing. So for LLVM each is another table, that may
    be anywhere, and nothing that was read of the one before stands for what is in this one.
    """
    made = cgutils.alloca_once(builder, WORD, size=WORD(count + 1))
    other = cgutils.alloca_once(builder, WORD.as_pointer())
    builder.store(table, other)
    with builder.if_then(builder.icmp_signed("!=", world, WORD(0))):
        rest = builder.load(table)
        rows = builder.inttoptr(rest, WORD.as_pointer())
        builder.store(rest, made)
        with cgutils.for_range(builder, WORD(count)) as loop:
            step = builder.load(builder.gep(rows, [builder.mul(loop.index, WORD(COLUMNS))]))
            here = builder.add(loop.index, WORD(1))
            first = builder.load(builder.gep(table, [here]))
            place = builder.add(first, builder.mul(world, step))
            builder.store(place, builder.gep(made, [here]))
        same = ir.FunctionType(WORD.as_pointer(), [WORD.as_pointer()])
        nothing = ir.InlineAsm(same, "", "=r,0,~{memory}", side_effect=True)
        builder.store(builder.call(nothing, [made]), other)
    return builder.load(other)


@intrinsic
def from_address(typingctx: Any, record: Any, address: Any) -> Any:
    """Return the record of a compiled type whose table lies at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return at_address(context, builder, signature.return_type, args[1])

    return record.instance_type(record, types.intp), codegen


@intrinsic
def copy_words(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy words of 8 bytes from an address to another; the two places do not overlap."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target, source = (builder.inttoptr(a, WORD.as_pointer()) for a in args[:2])
        cgutils.raw_memcpy(builder, target, source, args[2], WORD(8))
        return context.get_dummy_value()

    return types.none(types.intp, types.intp, types.intp), codegen


@intrinsic
def call_at(typingctx: Any, address: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    """Call a function made by `jit.late`: of 5 records; of 4 and an integer; of 2, two integers and a number.

    Its own parameters are the address of each record's table, then the others; it returns an integer.
    """
    records = [kind for kind in (a, b, c, d, e) if isinstance(kind, RecordType)]
    others = {5: (), 4: (types.intp,), 2: (types.intp, types.intp, types.float64)}[len(records)]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        passed = list(args[1:])
        for k, kind in enumerate(records):
            proxy = cgutils.create_struct_proxy(kind)(context, builder, value=passed[k])
            passed[k] = builder.ptrtoint(proxy.table, WORD)
        made = ir.FunctionType(WORD, [value.type for value in passed])
        return builder.call(builder.inttoptr(args[0], made.as_pointer()), passed)

    return types.intp(types.intp, *records, *others), codegen
