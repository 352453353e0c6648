"""Six numbers side by side do what six numbers do."""

import numpy as np

from tribo.compiler.jit import script
from tribo.math import six


@script
def use_all(table):
    """Use every kernel on rows of a table; return a product.

    Writes: table.
    """
    six.put(table, 2, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    six.store(table, 3, six.axpy(0.5, six.load(table, 0), six.load(table, 1)))
    six.store_at(table, 25, six.scale(2.0, six.load_at(table, 1)))
    six.add_row(table, 5, 0)
    six.store(table, 6, six.zero())
    return six.dot(six.load(table, 0), six.load(table, 1))


def test_six_numbers():
    rng = np.random.default_rng(0)
    start = rng.normal(size=(7, 6))
    table = start.copy()
    product = use_all(table)
    assert abs(product - start[0] @ start[1]) <= 8 * np.finfo(float).eps
    np.testing.assert_array_equal(table[:2], start[:2])
    np.testing.assert_array_equal(table[2], np.arange(1.0, 7.0))
    np.testing.assert_array_equal(table[3], 0.5 * start[0] + start[1])
    expected = start.copy()
    expected.reshape(-1)[25:31] = 2.0 * start.reshape(-1)[1:7]
    expected[5] += start[0]
    np.testing.assert_array_equal(table[4:6], expected[4:6])
    np.testing.assert_array_equal(table[6], np.zeros(6))
