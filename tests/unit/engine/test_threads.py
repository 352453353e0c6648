"""Shares of worlds that threads take one after the other."""

import pytest

from tribo.engine.threads import shares


@pytest.mark.parametrize("worlds", [1, 2, 7, 64, 513, 4096])
@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_shares_are_all_worlds_once_and_end_small(worlds, count):
    """The last share is what one thread may have to do while the others wait: 1/64 of its part."""
    made = shares(worlds, count)
    assert [k for first, stop in made for k in range(first, stop)] == list(range(worlds))
    sizes = [stop - first for first, stop in made]
    assert sizes[0] <= max(1, worlds / (2 * count))
    assert sizes[-1] <= max(1, worlds / (64 * count))
    assert sizes == sorted(sizes, reverse=True)
