"""Signed distances of points from meshes and height maps, against winding numbers and against all cells."""

from time import perf_counter

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import tribo
from tribo.collision.mesh_points import gap_at
from tribo.collision.triangles import cells_near


def spiky(rng, corners=40):
    """Return a closed mesh around the origin with random spikes and dents: vertices and triangles."""
    ways = rng.normal(size=(corners, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    made = ConvexHull(ways)
    faces = made.simplices.copy()
    a, b, c = (ways[faces[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), a) < 0.0
    faces[inwards] = faces[inwards][:, ::-1]
    return ways * rng.uniform(0.15, 1.0, size=(corners, 1)), faces


def winding(vertices, faces, x):
    """Return how often a closed mesh goes around each point (n, 3): 1 inside, 0 outside.

    Source: van Oosterom, Strackee 1983, "The solid angle of a plane triangle".
    """
    a, b, c = (vertices[faces[:, k]][None] - x[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(one, axis=2) for one in (a, b, c))
    over = np.einsum("nij,nij->ni", a, np.cross(b, c))
    under = la * lb * lc + sum(
        np.einsum("nij,nij->ni", one, other) * length
        for one, other, length in ((a, b, lc), (b, c, la), (c, a, lb))
    )
    return 2.0 * np.arctan2(over, under).sum(axis=1) / (4.0 * np.pi)


@pytest.mark.parametrize("seed", range(8))
def test_the_sign_of_the_distance_is_that_of_the_winding_number(seed):
    """Of points around the corners of spiky meshes, the nearest place of most is a corner."""
    rng = np.random.default_rng(seed)
    vertices, faces = spiky(rng)
    world = tribo.World()
    world.add_mesh((vertices, faces), mode="exact")
    world.step(0)
    model = world.engine.model
    away = rng.normal(size=(600, 3)) * 10.0 ** rng.uniform(-4, -1, size=(600, 1))
    x = vertices[rng.integers(len(vertices), size=600)] + away
    turns = winding(vertices, faces, x)
    assert np.abs(turns - np.round(turns)).max() < 1e-6
    gaps = np.array([gap_at(model, 0, tuple(p), 2.0, -1)[0] for p in x])
    wrong = (gaps < 0.0) != (np.round(turns) == 1.0)
    assert 100 < (gaps < 0.0).sum() < 500
    assert not wrong.any(), x[wrong]


def test_triangles_that_share_the_nearest_place_are_all_asked():
    """Beyond a sharp edge: the boxes of both faces are as far as the edge, which is rounded."""
    rng = np.random.default_rng(3)
    a, b = np.radians([40.0, 50.0])
    outline = [(0.0, 0.0), (-np.cos(a), -np.sin(a)), (-np.cos(b), -np.sin(b))]
    vertices = np.array([(x, y, z) for y in (-1.0, 1.0) for x, z in outline])
    faces = np.array([(0, 1, 2), (3, 5, 4), (0, 3, 4), (0, 4, 1), (0, 2, 5), (0, 5, 3), (1, 4, 5), (1, 5, 2)])
    world = tribo.World()
    world.add_mesh((vertices, faces), mode="exact")
    world.step(0)
    model = world.engine.model
    for _ in range(300):
        x = np.array([rng.uniform(0.01, 1.0), rng.uniform(-0.9, 0.9), rng.uniform(0.01, 1.0)])
        for seed in range(-1, len(faces)):
            gap = gap_at(model, 0, tuple(x), 3.0, seed)[0]
            assert gap == pytest.approx(np.hypot(x[0], x[2]), abs=1e-12)


def test_cells_of_points_that_are_far_away():
    world = tribo.World()
    world.add_height_map(np.zeros((21, 11)), size=(2.0, 2.0))
    world.step(0)
    model = world.engine.model
    nx, ny = model.shape_data[0, 1:3]
    for far in (1e3, 1e19, 1e250, np.inf):
        first, last, low, high = cells_near(model, 0, (far, far, 0.0), (far, far, 0.0), 0.0)
        assert last < first
        assert high < low
        first, last, low, high = cells_near(model, 0, (-far, -far, 0.0), (-far, -far, 0.0), 0.0)
        assert last < first
        assert high < low
        all_cells = cells_near(model, 0, (-far, -far, 0.0), (far, far, 0.0), 0.0)
        assert all_cells == (0, nx - 2, 0, ny - 2)
    assert gap_at(model, 0, (1e19, 1e19, 0.0), 0.1, -1)[0] == 1e300


def test_distances_from_a_height_map_are_those_of_all_its_cells():
    """Started at the cell below a point, the search asks fewer cells and finds the same."""
    rng = np.random.default_rng(0)
    heights = rng.uniform(0.0, 0.3, size=(13, 17))
    world = tribo.World()
    world.add_height_map(heights, size=(1.6, 1.2))
    world.add_surface(*triangles_of(heights, 0.1))
    world.step(0)
    model = world.engine.model
    signs = set()
    for _ in range(600):
        x = tuple(rng.uniform((-0.7, -0.5, 0.0), (0.7, 0.5, 0.5)))
        of_map, _, _ = gap_at(model, 0, x, 1.0, -1)
        of_mesh, _, _ = gap_at(model, 1, x, 1.0, -1)
        assert abs(of_map) == pytest.approx(abs(of_mesh), abs=1e-12)
        signs.add(of_map < 0.0)
    assert signs == {False, True}


def triangles_of(heights, spacing):
    """Return a height map as a mesh: each cell cut from its first corner to the one across."""
    ny, nx = heights.shape
    j, i = np.mgrid[:ny, :nx]
    points = np.stack([(i - 0.5 * (nx - 1)) * spacing, (j - 0.5 * (ny - 1)) * spacing, heights], axis=-1)
    p = (j[:-1, :-1] * nx + i[:-1, :-1]).ravel()
    faces = np.concatenate([np.stack([p, p + 1, p + nx + 1], 1), np.stack([p, p + nx + 1, p + nx], 1)])
    return points.reshape(-1, 3), faces


def test_a_point_asks_few_cells_of_a_wide_height_map():
    """1000 points within reach of a million cells ask those near them: in milliseconds, not in 12 s."""
    rng = np.random.default_rng(1)
    world = tribo.World()
    world.add_height_map(rng.uniform(0.0, 0.1, size=(1001, 1001)), size=(100.0, 100.0))
    world.step(0)
    model = world.engine.model
    gap_at(model, 0, (0.0, 0.0, 0.5), 100.0, -1)  # compiled
    start = perf_counter()
    for x, y in rng.uniform(-40.0, 40.0, size=(1000, 2)):
        assert 0.3 < gap_at(model, 0, (x, y, 0.5), 100.0, -1)[0] < 0.5
    assert perf_counter() - start < 2.0
