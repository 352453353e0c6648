"""Four rows side by side: what is read is what was written, and nothing else changes."""

import numpy as np
import pytest

from tribo.compiler.jit import script
from tribo.compiler.lanes import load4, store4
from tribo.math import lane_rows

ROWS = (6, 2, 5, 0)
LOAD = {3: lane_rows.load3, 6: lane_rows.load6, 9: lane_rows.load_mat, 10: lane_rows.load10}
STORE = {3: lane_rows.store3, 6: lane_rows.store6, 9: lane_rows.store_mat, 10: lane_rows.store10}


def table(width):
    """Return a table of seven rows."""
    return np.random.default_rng(width).normal(size=(7, width))


@pytest.mark.parametrize("width", LOAD)
def test_rows_are_read(width):
    load = LOAD[width]

    def read(array, rows, out):
        found = load(array, rows)
        for k in range(len(found)):
            store4(out, 4 * k, found[k])

    start, made = table(width), np.zeros((width, 4))
    script(read)(start, ROWS, made)
    np.testing.assert_array_equal(made.T, start[list(ROWS)])


@pytest.mark.parametrize("width", LOAD)
def test_rows_are_written_and_no_others(width):
    load, store = LOAD[width], STORE[width]

    def write(array, rows, to):
        store(to, rows, load(array, rows))

    new, made, expected = table(width), np.zeros((7, width)), np.zeros((7, width))
    script(write)(new, ROWS, made)
    expected[list(ROWS)] = new[list(ROWS)]
    np.testing.assert_array_equal(made, expected)


def test_single_rows_are_written_added_and_copied():
    nine, ten = table(9), table(10)
    to = np.zeros((7, 9))
    lane_rows.put_mat(to, 6, tuple(nine[2]))
    np.testing.assert_array_equal(to[6], nine[2])
    to = np.zeros((7, 10))
    lane_rows.copy_ten(to, ten, 4)
    lane_rows.add_ten(to, 1, 4)
    np.testing.assert_array_equal(to[1], ten[4])
    assert np.count_nonzero(to) == 20


def test_sums_are_those_of_all_lanes():
    def add_up(x):
        four = load4(x, 0)
        return lane_rows.whole(four), lane_rows.whole3((four, 2.0 * four, -four))

    assert script(add_up)(np.array([1.0, 2.0, 4.0, 8.0])) == (15.0, (15.0, 30.0, -15.0))
