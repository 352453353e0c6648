"""Fields inside compiled code: indexing, parts, bounds."""

import numba
import numpy as np
import pytest

from tribo.compiler.jit import DISABLED
from tribo.compiler.record import Record, field

pytestmark = pytest.mark.skipif(DISABLED, reason="compiled arrays need the compiler")


class Sample(Record):
    """Fields of one to three dimensions, of both scalar types."""

    line = field("n")
    grid = field("n", 4)
    cube = field(2, "n", 3)
    index = field("n", dtype=np.int64)


@pytest.fixture
def sample():
    """Return a record whose numbers are all different, world 1 of two."""
    made = Sample.allocate({"n": 5}, worlds=2)
    for k, array in enumerate(made.arrays.values()):
        array[...] = 1000 * k + np.arange(array.size).reshape(array.shape)
    return made.at(1)


def read(sample, i, j, k):
    """Return one number of each field."""
    return sample.line[i], sample.grid[i, j], sample.cube[k, i, j], sample.index[i]


def test_reads_what_numpy_reads(sample):
    compiled = entry_here(read)
    for i, j, k in ((0, 0, 0), (4, 2, 1), (3, 1, 0)):
        assert compiled(sample, i, j, k) == read(sample, i, j, k)


def test_writes_what_numpy_writes(sample):
    def write(sample, i, j, k):
        sample.line[i] = 2
        sample.grid[i, j] += 0.25
        sample.cube[k, i, j] = sample.index[i]
        sample.index[i] = -7

    other = Sample.wrap({name: array.copy() for name, array in sample.arrays.items()}).at(1)
    entry_here(write)(sample, 3, 1, 1)
    write(other, 3, 1, 1)
    for name in Sample.fields:
        np.testing.assert_array_equal(sample.arrays[name], other.arrays[name])


def test_a_part_is_the_same_memory(sample):
    def double(sample, i, n):
        part = sample.cube[1, i]
        for k in range(part.shape[0]):
            part[k] *= 2.0
        head = sample.grid[i, 1:n]
        head[0] = head.shape[0]
        rest = sample.line[n:]
        rest[rest.shape[0] - 1] = rest.shape[0]
        return sample.cube.shape

    before = sample.cube[1, 2].copy()
    assert entry_here(double)(sample, 2, 3) == (2, 5, 3)
    np.testing.assert_array_equal(sample.cube[1, 2], 2.0 * before)
    assert sample.grid[2, 1] == 2.0
    assert sample.line[4] == 2.0


@pytest.mark.parametrize("index", [(-1, 0, 0), (5, 0, 0), (0, 4, 0), (0, -1, 0), (0, 0, 2)])
def test_bounds_are_checked_on_request(sample, index):
    checked = numba.njit(boundscheck=True)(read)  # noqa: TID251 - with a check, and cached nowhere
    with pytest.raises(IndexError):
        checked(sample, *index)


@pytest.mark.parametrize(
    "wrong",
    [lambda sample: sample.grid[:, 1], lambda sample: sample.line[::2], lambda sample: sample.line[0.5]],
)
def test_other_slices_are_refused(sample, wrong):
    with pytest.raises((numba.core.errors.NumbaError, NotImplementedError)):
        entry_here(wrong)(sample)


def entry_here(function):
    """Compile a function of this file without a cache."""
    return numba.njit(error_model="numpy")(function)  # noqa: TID251 - cached nowhere


def test_accesses_say_which_type_they_are_of(sample):
    compiled = entry_here(read)
    compiled(sample, 0, 0, 0)
    assert next(iter(compiled.inspect_llvm().values())).count("!tbaa") >= 4
