"""Records: the same fields from Python and from kernels, in every world of a batch."""

import ast
from pathlib import Path

import numba
import numpy as np
import pytest

import tribo
from tribo.compiler.jit import DISABLED
from tribo.compiler.record import Record, call_at, field, from_address, world_of

kernel = numba.njit  # noqa: TID251 - a test belongs to no layer and is not cached


class Sample(Record):
    """A record with each kind of field."""

    gain = field()  # a number
    count = field(dtype=np.int64)
    pos = field("n", 3)
    index = field("n", dtype=np.int32)
    cube = field("n", "m", 2)


class Longer(Record):
    """The same fields, and one more at the end."""

    gain = field()
    count = field(dtype=np.int64)
    pos = field("n", 3)
    index = field("n", dtype=np.int32)
    cube = field("n", "m", 2)
    last = field("m")


SIZES = {"n": 4, "m": 3}


def filled(worlds=1, shared=False):
    """Return a record in which every number is different."""
    record = Sample.allocate(SIZES, worlds, shared)
    first = 1
    for array in record.arrays.values():
        array[...] = np.arange(first, first + array.size).reshape(array.shape)
        first += array.size
    return record


@kernel
def read(sample):
    """Return one number of each field."""
    return sample.gain, sample.count, sample.pos[2, 1], sample.index[3], sample.cube[3, 2, 1]


@kernel
def shapes(sample):
    """Return the sizes that compiled code sees."""
    return sample.pos.shape, sample.index.shape, sample.cube.shape


@kernel
def write(sample, value):
    """Write one number.

    Writes: sample.
    """
    sample.cube[1, 2, 0] = value
    sample.index[1] = 7


@kernel
def read_other(sample, world):
    """Return a number of another world."""
    return world_of(sample, world).pos[2, 1]


@kernel
def read_at(address):
    """Return a number of the record whose table lies at an address."""
    return from_address(TYPE, address).pos[2, 1]


@kernel
def read_cube_at(address):
    """Return a number and the shape of the last field of a `Sample` whose table lies at an address."""
    cube = from_address(TYPE, address).cube
    return cube[3, 2, 1], cube.shape


@kernel
def call_with_two(address, sample, number):
    """Call a function at an address with two records, two integers and a number."""
    return call_at(address, sample, sample, 3, 4, number)


@kernel
def call_with_five(address, sample):
    """Call a function at an address with five records."""
    return call_at(address, sample, sample, sample, sample, sample)


TYPE = Sample._numba_type_


def expected(record):
    return record.gain, record.count, record.pos[2, 1], record.index[3], record.cube[3, 2, 1]


def test_allocated_fields_are_zero_and_have_the_declared_type():
    record = Sample.allocate(SIZES)
    assert record.pos.shape == (4, 3)
    assert record.index.dtype == np.int32
    assert record.cube.shape == (4, 3, 2)
    assert (record.gain, record.count) == (0.0, 0)
    assert all(not array.any() for array in record.arrays.values())


def test_kernels_read_what_python_holds():
    record = filled()
    assert read(record) == expected(record)
    assert shapes(record) == ((4, 3), (4,), (4, 3, 2))


def test_kernels_write_where_python_reads():
    record = filled()
    write(record, -2.5)
    assert record.cube[1, 2, 0] == -2.5
    assert record.index[1] == 7


def test_numbers_are_written_from_python_and_read_by_kernels():
    record = filled()
    record.gain, record.count = 0.25, 12
    assert read(record)[:2] == (0.25, 12)
    assert isinstance(record.count, int)


def test_each_world_sees_its_own_arrays():
    batch = filled(worlds=3)
    for world in range(3):
        view = batch.at(world)
        assert read(view) == expected(view)
        assert view.pos[2, 1] == batch.arrays["pos"][world, 2, 1]
        assert read_other(batch, world) == view.pos[2, 1]
    batch.at(1).gain = -1.0
    assert [batch.at(world).gain for world in range(3)] == [1.0, -1.0, 3.0]


def test_shared_fields_are_one_for_all_worlds():
    batch = filled(worlds=3, shared=True)
    assert read(batch.at(2)) == read(batch.at(0))
    batch.at(2).pos[0, 0] = 99.0
    assert batch.at(1).pos[0, 0] == 99.0
    batch.at(1).gain = 5.0
    assert read(batch.at(2))[0] == 5.0


def test_wrap_shares_memory_and_mixes_shared_and_own_fields():
    arrays = dict(filled(worlds=2).arrays)
    arrays["pos"] = np.arange(12.0).reshape(1, 4, 3)
    record = Sample.wrap(arrays)
    assert record.at(1).pos is not arrays["pos"]
    assert np.shares_memory(record.at(1).pos, arrays["pos"])
    assert read(record.at(1)) == expected(record.at(1))
    assert record.at(0).index[0] != record.at(1).index[0]


@pytest.mark.parametrize("shared", [False, True])
def test_a_resized_record_holds_what_fits(shared):
    """Arrays whose sizes stay are the same ones; others keep what they held, and zeros behind it."""
    old = filled(worlds=2, shared=shared)
    for sizes in ({"n": 6, "m": 3}, {"n": 4, "m": 2}):
        record = old.resized(sizes)
        worlds = 1 if shared else 2
        assert record.arrays["pos"].shape == (worlds, sizes["n"], 3)
        assert record.arrays["cube"].shape == (worlds, sizes["n"], sizes["m"], 2)
        assert record.arrays["gain"] is old.arrays["gain"]
        assert (record.arrays["pos"] is old.arrays["pos"]) == (sizes["n"] == 4)
        assert (record.arrays["pos"][:, :4] == old.arrays["pos"]).all()
        assert (record.arrays["pos"][:, 4:] == 0.0).all()
        few = min(3, sizes["m"])
        assert (record.arrays["cube"][:, :4, :few] == old.arrays["cube"][:, :, :few]).all()
        assert record.gain == old.gain


@pytest.mark.parametrize("shared", [False, True])
def test_the_table_of_a_resized_record_is_that_of_a_wrapped_one(shared):
    """Each word but the address of the table itself, in any world; the old record reads on as it was."""
    old = filled(worlds=2, shared=shared)
    before = expected(old.at(1))
    for source in (old, old.at(1)):
        record = source.resized({"n": 6, "m": 3})
        wrapped = Sample.wrap(record.arrays)
        assert (record.table[1:] == wrapped.table[1:]).all()
        assert record.table[0] == record.table.ctypes.data + 8 * (len(Sample.fields) + 1)
        assert record.world == 0
        assert record.pos.shape == (6, 3)
        assert read(record.at(1)) == expected(record.at(1))
    assert read(old.at(1)) == before


@pytest.mark.skipif(DISABLED, reason="about compiled code")
def test_a_field_at_the_end_moves_no_other():
    """Kernels that were kept before there was that field go on to read theirs."""
    short, longer = filled(), Longer.allocate(SIZES)
    for name, array in short.arrays.items():
        longer.arrays[name][...] = array
    assert read_cube_at(longer.address) == read_cube_at(short.address)


def test_only_entries_ask_for_other_worlds():
    """They are compiled anew when a record gets a field; a kept kernel would make too short a table."""
    for path in Path(tribo.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "world_of" in text else ():
            if isinstance(node, ast.FunctionDef) and "world_of(" in ast.unparse(node.body):
                assert path.parent.name == "compiler" or [
                    d for d in node.decorator_list if getattr(d, "id", "") == "entry"
                ], f"{path.name}: {node.name}"


def test_an_empty_dimension_is_allowed():
    record = Sample.allocate({"n": 0, "m": 3})
    assert shapes(record) == ((0, 3), (0,), (0, 3, 2))


@pytest.mark.parametrize(
    "wrong", [np.zeros((1, 4, 3), np.float32), np.zeros((1, 3, 4)).transpose(0, 2, 1)], ids=["type", "order"]
)
def test_wrong_arrays_are_refused_with_the_name_of_the_field(wrong):
    arrays = {**Sample.allocate(SIZES).arrays, "pos": wrong}
    with pytest.raises(TypeError, match=r"field pos: float.* expected float64, C order"):
        Sample.wrap(arrays)


@pytest.mark.skipif(DISABLED, reason="an address means something to compiled code only")
def test_a_record_is_found_at_its_address():
    record = filled()
    assert read_at(record.address) == record.pos[2, 1]


@pytest.mark.skipif(DISABLED, reason="an address means something to compiled code only")
@pytest.mark.parametrize("number", [7, 7.0])
def test_a_function_at_an_address_gets_records_integers_and_a_number(number):
    """Its fifth parameter is a float: an integer that is given for it is converted."""

    def digits(first, second, a, b, x):
        return int(from_address(TYPE, second).gain) + 10 * a + 100 * b + 1000 * int(x)

    called = numba.cfunc("int64(int64, int64, int64, int64, float64)")(digits)
    assert call_with_two(called.address, filled(), number) == 7431


@pytest.mark.skipif(DISABLED, reason="an address means something to compiled code only")
def test_a_function_at_an_address_gets_five_records():
    def fifth(a, b, c, d, e):
        return int(from_address(TYPE, e).pos[2, 1])

    called = numba.cfunc("int64(int64, int64, int64, int64, int64)")(fifth)
    assert call_with_five(called.address, filled()) == filled().pos[2, 1]


@pytest.mark.skipif(DISABLED, reason="there are no signatures without the compiler")
def test_sizes_and_worlds_do_not_make_new_signatures():
    for sizes, worlds in (({"n": 4, "m": 3}, 1), ({"n": 9, "m": 4}, 5)):
        read(Sample.allocate(sizes, worlds))
    read(filled(3).at(2))
    assert len(read.signatures) == 1
