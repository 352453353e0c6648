"""The campaign of validation/against_coal.py in small: every pair of convex shapes in 200 random poses."""

import against_coal
import coal_terrain
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


@pytest.mark.parametrize("ground", [name for name, _ in coal_terrain.grounds()])
@pytest.mark.parametrize("name", ["sphere", "box", "rod", "cone", "ellipsoid", "hull"])
def test_on_terrain_distance_depth_and_normal_are_those_of_coal(name, ground):
    line = coal_terrain.compare(coal, name, dict(coal_terrain.grounds())[ground](), 40, 1)
    assert line.poses == 40
    assert line.distance < 1e-6
    assert line.depth < 1e-6
    assert line.normal < 1e-4
    assert line.faces + line.ties < 8  # enough was judged


def test_compounds_are_as_far_apart_as_coal_says():
    line = coal_terrain.compounds(coal, 40, 1)
    assert (line.poses, line.beyond) == (40, 0)
