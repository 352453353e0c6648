"""The campaign of validation/against_coal.py in small: every pair of convex shapes in 200 random poses."""

import against_coal
import pytest

coal = pytest.importorskip("coal")


@pytest.mark.parametrize("names", against_coal.pairs(), ids="-".join)
def test_distance_depth_and_normal_are_those_of_coal(names):
    row = against_coal.compare(coal, names, 200, seed=1)
    assert row.poses == 200
    assert row.distance < 1e-6
    assert row.depth < 1e-6
    assert row.normal < 1e-4
    assert not row.worst
    assert row.unsure < 40  # enough was judged
