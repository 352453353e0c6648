"""The triangles of terrain that hold a point: how high they reach; ∞ where there are none."""

from math import inf

import numpy as np
import pytest

from tribo import HeightField, World
from tribo.collision.triangles import terrain_reach

UP = (0.0, 0.0, 1.0)
SLOP = 1e-7


@pytest.fixture(scope="module")
def model():
    """Return a map of 2 m by 2 m, level for x < 0 and rising by 0.5 m behind, and the same as a mesh."""
    world = World()
    world.add_height_map(HeightField(np.tile([0.0, 0.0, 0.5], (3, 1)), (2.0, 2.0)))
    corners = [(x, y, z) for y in (-1.0, 1.0) for x, z in ((-1.0, 0.0), (0.0, 0.0), (1.0, 0.5))]
    world.add_surface(corners, [(0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4)])
    world.update()
    return world.engine.model


@pytest.mark.parametrize("shape", [0, 1])
@pytest.mark.parametrize(("point", "reach"), [
    ((-0.5, 0.3, 0.0), 0.0),  # within a level face
    ((-1.0, 0.3, 0.0), 0.0),  # on the border
    ((0.0, 0.3, 0.0), 0.5),  # on the fold: a face that rises holds it too
    ((0.5, 0.3, 0.25), 0.5),
    ((-0.5, 0.3, 1e-3), inf),  # above
    ((-1.001, 0.3, 0.0), inf),  # beside, nearer than a cell
    ((-5.0, 0.3, 0.0), inf),  # beside, farther
    ((-0.5, 7.0, 0.0), inf),
])  # fmt: skip
def test_the_reach_of_the_triangles_at_a_point(model, shape, point, reach):
    """None holds a point beside the terrain: nothing is known there, so nothing may be left out."""
    assert terrain_reach(model, shape, point, UP, SLOP) == pytest.approx(reach, abs=1e-12)


@pytest.mark.parametrize("shape", [0, 1])
def test_the_reach_is_along_the_direction(model, shape):
    along = (-0.6, 0.0, 0.8)
    assert terrain_reach(model, shape, (-0.5, 0.3, 0.0), along, SLOP) == pytest.approx(0.6, abs=1e-12)
