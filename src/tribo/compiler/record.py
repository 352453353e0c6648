"""Records: named arrays that kernels receive as one pointer.

A record declares its fields once (shape, unit, frame). In Python it is an object with one NumPy
array per field. In compiled code it is the address of a table, and ``work.body_pos`` turns one word of
the table into an array. Passing a record to a kernel therefore costs one register however many fields
it has, and unused fields cost nothing. The table is that of one world: that of another one is made
where worlds change (`world_of`), once for all the steps that it then makes.

Design notes: NamedTuples of arrays were tried first. They copy eight words per array in each call
and made call and compile time grow with the number of fields. A table for all worlds, read with the
number of a world, costs a load and a multiplication at each field, a tenth of what a step executes.

With the compiler switched off (``NUMBA_DISABLE_JIT=1``) kernels receive the Python objects.
"""

from __future__ import annotations

import hashlib
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from tribo.compiler.jit import DISABLED, Named, backend

INT = np.int64  # one integer type: with two, Numba would compile many kernels twice

# A table: the address of the columns, the address of each field, for each field these columns. Where a word
# lies depends on the number of its field only, not on how many there are: kernels are kept without more.
COLUMNS = 4  # bytes from world to world, three dimensions


class Field(NamedTuple):
    """One array of a record: its shape per world (names or numbers) and its type."""

    shape: tuple[str | int, ...]
    dtype: np.dtype[Any]

    @property
    def is_scalar(self) -> bool:
        """Tell whether kernels read this field as a number."""
        return not self.shape

    @property
    def is_sized(self) -> bool:
        """Tell whether its shape depends on the sizes of a world."""
        return any(isinstance(n, str) for n in self.shape)

    def shape_for(self, sizes: dict[str, int]) -> tuple[int, ...]:
        """Return the shape in one world."""
        return tuple(sizes[n] if isinstance(n, str) else n for n in self.shape)


def field(*shape: str | int, dtype: Any = np.float64) -> Any:
    """Declare an array of a record; without a shape it is a number that kernels only read."""
    return Field(shape, np.dtype(dtype))


class _CompiledType:
    """Descriptor: the compiled type of a record, for a class the name by which kernels know it."""

    def __get__(self, record: Record | None, owner: type[Record]) -> Any:
        if record is None:
            return Named("tribo.compiler.record_types", "reference_to", owner)
        return backend().record_type(owner)


class Record:
    """Named arrays of one world; see the module's text."""

    fields: ClassVar[dict[str, Field]] = {}
    layout: ClassVar[tuple[tuple[str, str, tuple[int, ...]], ...]] = ()
    stamp: ClassVar[int] = 0  # of name and layout
    _numba_type_: ClassVar[Any] = _CompiledType()

    def __init_subclass__(cls) -> None:
        """Collect the declared fields and how they lie in the table."""
        cls.fields = {k: v for k, v in vars(cls).items() if isinstance(v, Field)}
        for name, declared in cls.fields.items():
            if declared.is_scalar:
                setattr(cls, name, _Scalar(name))
        cls.layout = _layout(cls.fields)
        cls.stamp = int(hashlib.sha256(repr((cls.__name__, cls.layout)).encode()).hexdigest()[:15], 16)

    def __init__(self, arrays: dict[str, np.ndarray], world: int, table: np.ndarray) -> None:
        """Use `allocate` or `at`."""
        self.arrays, self.world, self.table = arrays, world, table
        self.address = table.ctypes.data
        table[0] = self.address + table.itemsize * (len(self.fields) + 1)
        for name, declared in self.fields.items():
            if not declared.is_scalar:
                array = arrays[name]
                setattr(self, name, array[0 if array.shape[0] == 1 else world])

    @classmethod
    def allocate(cls, sizes: dict[str, int], worlds: int = 1, shared: bool = False) -> Self:
        """Return a zeroed record for a number of worlds (`shared`: all read the same arrays)."""
        first = 1 if shared else worlds
        return cls.wrap({
            name: np.zeros((first, *declared.shape_for(sizes)), declared.dtype)
            for name, declared in cls.fields.items()
        })  # fmt: skip

    def resized(self, sizes: dict[str, int]) -> Self:
        """Return world 0 of a record of other sizes, which holds as much of what this one holds as fits.

        Arrays whose sizes stay are the same ones, so that views of them stay good, and so are their rows of
        the table: a step that finds its tables too small waits for this.
        """
        source = self if self.world == 0 else self.at(0)
        arrays, table, views = dict(source.arrays), source.table.copy(), dict(source.__dict__)
        columns = len(self.fields) + 1
        for number, (name, declared) in enumerate(self.fields.items()):
            old = arrays[name]
            shape = declared.shape_for(sizes) if declared.is_sized else old.shape[1:]
            if old.shape[1:] == shape:
                continue
            array = arrays[name] = np.zeros((old.shape[0], *shape), old.dtype)
            part = tuple(map(slice, np.minimum(old.shape, array.shape)))
            array[part] = old[part]
            place, row = _row_of(array)
            table[number + 1] = place
            table[columns + COLUMNS * number : columns + COLUMNS * (number + 1)] = row
            views[name] = array[0]
        record = object.__new__(type(self))
        record.__dict__.update(views, arrays=arrays, table=table, address=table.ctypes.data)
        table[0] = record.address + table.itemsize * columns
        return record

    @classmethod
    def wrap(cls, arrays: dict[str, np.ndarray]) -> Self:
        """Return world 0 of a record over arrays whose first axis is the world (length 1: shared)."""
        places: list[int] = []
        rows: list[int] = []
        for name, declared in cls.fields.items():
            array = arrays[name]
            if array.dtype != declared.dtype or not array[:1].flags.c_contiguous:
                raise TypeError(f"field {name}: {array.dtype} array, expected {declared.dtype}, C order")
            place, row = _row_of(array)
            places.append(place)
            rows += row
        return cls(arrays, 0, np.array([0, *places, *rows], np.int64))

    @property
    def places(self) -> np.ndarray:
        """Address of each field in this world, and bytes from world to world: (fields, 2)."""
        count = len(self.fields)
        steps = self.table[count + 1 :].reshape(-1, COLUMNS)[:, 0]
        return np.stack([self.table[1 : count + 1], steps], axis=1)

    def at(self, world: int) -> Self:
        """Return the same record seen from another world of the batch."""
        table = self.table.copy()
        table[1 : len(self.fields) + 1] += (world - self.world) * self.places[:, 1]
        return type(self)(self.arrays, world, table)


class _Scalar:
    """Descriptor that reads and writes a number of a record."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, record: Record | None, owner: type | None = None) -> Any:
        if record is None:
            return self
        array = record.arrays[self.name]
        return array[0 if array.shape[0] == 1 else record.world].item()

    def __set__(self, record: Record, value: float) -> None:
        array = record.arrays[self.name]
        array[0 if array.shape[0] == 1 else record.world] = value


def _layout(fields: dict[str, Field]) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """Return (name, type, shape) per field, −1 for a dimension known only at run time."""
    return tuple(
        (name, f.dtype.str, tuple(n if isinstance(n, int) else -1 for n in f.shape))
        for name, f in fields.items()
    )


def _row_of(array: np.ndarray) -> tuple[int, tuple[int, ...]]:
    """Return where an array lies, and its columns of a table."""
    step = 0 if array.shape[0] == 1 else array.strides[0]
    return array.__array_interface__["data"][0], (step, *array.shape[1:], 0, 0, 0)[:COLUMNS]


def world_of(record: Record, world: int) -> Record:
    """Return the record of world 0 seen from another world; only what goes through many worlds uses it."""
    return record.at(world)


# What only compiled code can do; see `record_types`.
from_address: Any = Named("tribo.compiler.record_types", "from_address")
copy_words: Any = Named("tribo.compiler.record_types", "copy_words")
call_at: Any = Named("tribo.compiler.record_types", "call_at")


def late_call(function: Any) -> Any:
    """Return how kernels call a function made by `late`: at its address; without a compiler, the function."""
    return (lambda address, *args: function(*args)) if DISABLED else call_at
