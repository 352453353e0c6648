"""Masked entries are no numbers; `numpy.ma` is loaded by who has one, not by asking."""

import numpy as np
import pytest

from tribo.checks import check


@pytest.mark.parametrize("value", [np.ma.masked, np.ma.masked_array(1.0, mask=True)])
def test_a_masked_number_is_refused(value):
    with pytest.raises(TypeError, match="x must be a number, got a masked entry"):
        check.number(value, "x")


def test_an_array_with_a_masked_entry_is_refused():
    with pytest.raises(TypeError, match="x must be numbers, got masked entries"):
        check.array(np.ma.masked_array([1.0, 2.0], mask=[0, 1]), "x", "numbers")


def test_masked_arrays_without_masked_entries_are_numbers():
    assert check.number(np.ma.masked_array(2.0), "x") == 2.0
    assert check.array(np.ma.masked_array([1.0, 2.0]), "x", "numbers").tolist() == [1.0, 2.0]
