"""Bodies that fall tumbling onto grounds, as in `validation/landings.py`: none goes in."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "validation"))
from landings import GROUNDS, SHAPES, landings, piles

DEEP = 2e-3  # [m]


@pytest.mark.parametrize("ccd", [False, True], ids=["", "continuous"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_bodies_that_land_turning_do_not_go_in(ground, ccd):
    """At 4 ms one in four went into height maps by more than 2 mm, by up to 50 mm, status 0."""
    for number, kind in enumerate(SHAPES):
        rng = np.random.default_rng([number, 4000])
        depths = [depth for depth, _ in landings(kind, ground, 4e-3, 25, rng, ccd)]
        assert max(depths) < DEEP, kind


@pytest.mark.parametrize("ground", GROUNDS)
def test_piles_that_fall_fast_do_not_go_in(ground):
    """Ten bodies at 15 m/s: 4 mm into a plane, 13 mm into height maps and meshes, at 4 ms, status 0."""
    rng = np.random.default_rng([99, 4000])
    assert max(depth for depth, _ in piles(ground, 4e-3, 2, rng)) < DEEP
