"""Signed distance of convex solids: what proves it, and the corners of large hulls."""

import numba
import numpy as np
import pytest
from shapes import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HULL,
    SPHERE,
    records,
    rotation,
    separation,
)  # fmt: skip

from tribo.collision.closest import find_closest, is_still_apart, pair_row
from tribo.collision.feature import face_towards
from tribo.collision.solid import farthest_corner, load_solid, support
from tribo.description.hulls import convex_hull
from tribo.math import vec
from tribo.model import FEW_CORNERS


@numba.njit(error_model="numpy")  # noqa: TID251 - a test, not a kernel of the engine
def measured(model, work):
    """Return gap, normal and both nearest points of the two bodies. Writes: work."""
    pos = vec.sub(vec.load(work.body_pos, 1), vec.load(work.body_pos, 0))
    rots = vec.load_mat(work.body_rot, 0), vec.load_mat(work.body_rot, 1)
    pair = (load_solid(model, 0), rots[0], load_solid(model, 1), pos, rots[1])
    _, gap, normal, a, b = find_closest(model, work, pair, 1e3, -1)
    return gap, normal, a, b


@numba.njit(error_model="numpy")  # noqa: TID251
def searched(model, work, limit, row):
    """Return `find_closest` of the two bodies, and whether the kept direction proved them apart before."""
    pos = vec.sub(vec.load(work.body_pos, 1), vec.load(work.body_pos, 0))
    rots = vec.load_mat(work.body_rot, 0), vec.load_mat(work.body_rot, 1)
    pair = (load_solid(model, 0), rots[0], load_solid(model, 1), pos, rots[1])
    is_known = row >= 0 and is_still_apart(model, work, pair, limit, row)
    return find_closest(model, work, pair, limit, row), is_known


@numba.njit(error_model="numpy")  # noqa: TID251
def row_of(work, a, b):
    """Return `pair_row`."""
    return pair_row(work, a, b)


@numba.njit(error_model="numpy")  # noqa: TID251
def corner_and_face(model, work, s, d, near):
    """Return the farthest corner of a hull, where it is, and the face that looks that way most.

    near: the corner from which the climb begins, −1: any.
    """
    solid = load_solid(model, s)
    number, _, cosine = face_towards(model, work, solid, d)
    return farthest_corner(model, solid, d, near), support(model, work, solid, d), number, cosine


@pytest.mark.parametrize("other", [SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL])
@pytest.mark.parametrize("curved", [CYLINDER, CONE, ELLIPSOID])
def test_direction_between_curved_solids_is_proved(curved, other):
    """The gap n · w has a supporting plane, and w lies along n: no direction beside n is better.

    w is the difference of the nearest points. Each figure is a sum of some twenty products of numbers
    below 3, so 1e-13 is round-off; the few poses on the verge between two features come from
    the rounds, whose points are right to the root of GJK's bound.
    """
    rng = np.random.default_rng((curved, other))
    off_line, off_plane = [], []
    for k in range(200):
        size = [tuple(rng.uniform(0.1, 0.4, 3)) for _ in range(2)]
        arm = rng.normal(size=3)
        a = (curved, np.zeros(3), rotation(2 * rng.normal(size=3)), size[0])
        b = (other, arm, rotation(2 * rng.normal(size=3)), size[1])
        target = (-1) ** k * 10.0 ** rng.uniform(-9, -1.5)
        for turn in range(4):
            model, work = records(a, b)
            gap, normal, at_a, at_b = measured(model, work)
            if turn < 3:
                b = (other, b[1] + (gap - target) * np.array(normal), b[2], b[3])
        n = np.array(normal)
        assert abs(gap - target) < 1e-2
        off_line.append(np.linalg.norm(np.subtract(at_a, at_b) - gap * n))
        off_plane.append(abs(separation(a, b, n) - gap))
    assert np.quantile(off_plane, 0.95) < 1e-13
    assert np.quantile(off_line, 0.9) < 1e-12
    assert max(off_plane) < 1e-9
    assert max(off_line) < 1e-5


def passing(rng, kinds, corners=80):
    """Return the records of two solids that pass each other within 1 m while they turn, pose by pose."""
    size = [rng.normal(size=(corners, 3)) * 0.2 if k == HULL else rng.uniform(0.1, 0.3, 3) for k in kinds]
    turn, spin = rng.normal(size=(2, 3)), 0.02 * rng.normal(size=(2, 3))
    start, side = rng.normal(size=(2, 3))
    for k in range(300):
        place = start * (1.0 - k / 150.0) + 0.3 * side
        yield records(
            (kinds[0], np.zeros(3), rotation(turn[0] + k * spin[0]), size[0]),
            (kinds[1], place, rotation(turn[1] + k * spin[1]), size[1]),
        )


@pytest.mark.parametrize("kinds", [(HULL, HULL), (HULL, CYLINDER), (ELLIPSOID, CONE), (CYLINDER, BOX)])
def test_a_kept_direction_spares_searches_and_changes_no_result(kinds):
    """Of each pose with it and without it; and with one, and corners, that belong to something else."""
    rng = np.random.default_rng(kinds)
    far = spared = near = 0
    for _ in range(5):
        for model, work in passing(rng, kinds):
            row = row_of(work, 0, 1)
            wanted, _ = searched(model, work, 0.05, -1)
            found, is_known = searched(model, work, 0.05, row)
            assert found[0] == wanted[0]
            assert found == wanted or not wanted[0]
            near += wanted[0]
            far += not wanted[0]
            spared += is_known
            if rng.random() < 0.1:
                d = rng.normal(size=3)
                work.separation[row, 2:5] = d / np.linalg.norm(d)
                work.separation[row, 5:] = rng.integers(-5, 500, 2)
                assert searched(model, work, 0.05, row)[0][0] == wanted[0]
    assert near > 50
    assert spared > 0.7 * far > 100


def test_a_row_belongs_to_one_pair():
    _, work = records((BOX, np.zeros(3), np.eye(3), (1, 1, 1)), (BOX, np.ones(3), np.eye(3), (1, 1, 1)))
    row = row_of(work, 3, 5)
    work.separation[row, 2:5] = 1.0, 0.0, 0.0
    assert row_of(work, 3, 5) == row
    assert work.separation[row, 2] == 1.0
    other = next(b for b in range(6, 10**5) if row_of(work, 3, b) == row)
    np.testing.assert_array_equal(work.separation[row, :5], (3, other, 0, 0, 0))
    assert row_of(work, -1, 5) == -1  # a core


@pytest.mark.parametrize("corners", [FEW_CORNERS, FEW_CORNERS + 1, 120, 250])
def test_climbing_finds_the_farthest_corner(corners):
    """On the second hull of a model, in random directions and along the normals of faces and edges."""
    rng = np.random.default_rng(corners)
    points = rng.normal(size=(corners, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    points *= (1.0, 0.5, 0.1)
    hull = convex_hull(points)
    assert len(hull.vertices) == corners
    model, work = records(
        (HULL, np.zeros(3), np.eye(3), rng.normal(size=(60, 3))), (HULL, np.zeros(3), np.eye(3), points)
    )
    first, first_face = model.shape_data[1, 0], model.shape_data[1, 2]
    directions = np.vstack((rng.normal(size=(500, 3)), hull.normals, np.eye(3), -np.eye(3)))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for d in directions:
        near = int(first + rng.integers(corners)) if rng.random() < 0.5 else -1
        number, place, _, _ = corner_and_face(model, work, 1, tuple(d), near)
        farthest = (hull.vertices @ d).max()
        assert place @ d == pytest.approx(farthest, abs=1e-15)
        assert model.vertex[number] @ d == pytest.approx(farthest, abs=1e-15)
        number, place, face, cosine = corner_and_face(model, work, 1, tuple(d), -1)
        np.testing.assert_array_equal(place, model.vertex[number])
        if corners <= FEW_CORNERS:
            assert cosine == pytest.approx((hull.normals @ d).max(), abs=1e-15)
        else:  # of the faces around the corner
            around = [k for k, f in enumerate(hull.faces) if number - first in f]
            assert face - first_face in around
            assert cosine == pytest.approx(max(hull.normals[k] @ d for k in around), abs=1e-15)
    for k, normal in enumerate(hull.normals):
        assert corner_and_face(model, work, 1, tuple(normal), -1)[2] == first_face + k


def test_a_rim_on_a_rim_has_the_best_direction():
    """A cone in a cylinder whose normal was 4e-4 rad off: the gap is nearly the same all around there.

    The answer is from a plain search (Nelder and Mead, to 1e-9 rad) for the direction with the largest gap.
    """
    a = (
        CONE, np.zeros(3), _orthonormal(
            [[0.75102649, 0.48651031, -0.44639325], [-0.41776562, -0.17340674, -0.89185312],
             [-0.51130334, 0.85629307, 0.07301423]]),
        (0.3434023518159979, 0.13505075313879994, 0.0),
    )  # fmt: skip
    b = (
        CYLINDER, np.array([0.07890433, 0.17999837, -0.76379143]), _orthonormal(
            [[-0.80955803, 0.51632229, -0.2793333], [0.58313937, 0.76206514, -0.28143419],
             [0.06755942, -0.39072755, -0.9180238]]),
        (0.24214084967316168, 0.350343460698357, 0.0),
    )  # fmt: skip
    gap, normal, _, _ = measured(*records(a, b))
    assert gap == pytest.approx(-0.005305180210998, abs=1e-12)
    np.testing.assert_allclose(normal, [-0.27095269, -0.49771156, 0.82393437], atol=1e-6)


def _orthonormal(matrix):
    u, _, v = np.linalg.svd(np.array(matrix))
    return u @ v
