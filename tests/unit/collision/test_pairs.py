"""Manifolds of all pairs of shapes: closed forms, symmetries, continuity, an independent library."""

import functools
import itertools
import math

import numpy as np
import pytest
from coal_peer import coal_hull
from shapes import (
    BOX,
    CAPSULE,
    CONE,
    CUBE,
    CYLINDER,
    ELLIPSOID,
    EYE,
    FLOOR,
    HULL,
    LYING,
    PLANE,
    SIZES,
    SPHERE,
    hull_of,
    meet,
    random_pair,
    rotation,
    separation,
    shape,
)  # fmt: skip

from tribo.collision.pairs import CLOSED, SUPPORTED
from tribo.model import Shape

ORDERED = sorted((a, b) for a, b in SUPPORTED if HULL >= a >= b)


def place(kinds):
    """Return how exact places [m] and normals [rad] of a pair are.

    The general path stops when distances are exact to 1e-13 of their square. A distance d grows by
    x²/2R with a step x along surfaces of relative radius R; with d ≤ 0.1 m and R ≤ 1e4 m (a mantle
    hardly bent towards what it lies on), x ≤ √(2 · 1e4 · 1e-13 · 0.1). Depths of overlapping cones are exact
    to 1.5e-8 m only (table of validation/against_coal.py), mantle on mantle R ≤ 100 m: √(2 · 100 · 1.5e-8).
    """
    if kinds in CLOSED:
        return 1e-9
    return 1.8e-3 if kinds == (Shape.CONE, Shape.CONE) else 4e-4


# --- Closed forms ---------------------------------------------------------------------------------


def test_sphere_on_plane():
    rows = meet(shape(SPHERE, (3.0, 4.0, 0.195)), FLOOR)
    np.testing.assert_allclose(rows, [[3.0, 4.0, -0.0025, 0.0, 0.0, 1.0, -0.005, 0.0]], atol=1e-15)


def test_two_spheres_meet_between_their_surfaces():
    # Centres 0.5 apart along (0.6, 0, 0.8), radii 0.2 and 0.31: overlap 0.01.
    a = shape(SPHERE, (0.3, 0.0, 0.4))
    rows = meet(a, shape(SPHERE, size=(0.31, 0.0, 0.0)))
    middle = 0.305 * np.array([0.6, 0.0, 0.8])
    np.testing.assert_allclose(rows, [[*middle, 0.6, 0.0, 0.8, -0.01, 0.0]], atol=1e-15)


def test_flat_box_on_plane_has_four_corners():
    rows = meet(shape(BOX, (0.0, 0.0, 0.3)), FLOOR)
    np.testing.assert_array_equal(rows[:, 7], [0, 1, 2, 3])
    np.testing.assert_allclose(rows[:, :2], [[-0.1, -0.2], [0.1, -0.2], [-0.1, 0.2], [0.1, 0.2]])
    np.testing.assert_allclose(rows[:, 6], 0.0, atol=1e-16)


def test_box_thinner_than_the_margin_has_eight_corners():
    assert len(meet(shape(BOX, (0.0, 0.0, 0.001), size=(0.1, 0.1, 0.001)), FLOOR)) == 8


def test_capsule_on_plane():
    assert len(meet(shape(CAPSULE, (0.0, 0.0, 0.35)), FLOOR)) == 1
    rows = meet(shape(CAPSULE, (0.0, 0.0, 0.1), LYING), FLOOR)
    np.testing.assert_allclose(rows[:, :3], [[0.0, -0.25, 0.0], [0.0, 0.25, 0.0]], atol=1e-16)
    np.testing.assert_array_equal(rows[:, 7], [0, 1])


@pytest.mark.parametrize("spin", [0.0, 0.3, 1.0, 2.0])
def test_lying_cylinder_touches_in_the_ends_of_a_line_that_does_not_spin(spin):
    rot = LYING @ rotation([0.0, 0.0, spin])
    rows = meet(shape(CYLINDER, (0.0, 0.0, 0.15), rot), FLOOR)
    np.testing.assert_allclose(rows[:, :3], [[0.0, -0.25, 0.0], [0.0, 0.25, 0.0]], atol=1e-15)
    np.testing.assert_allclose(rows[:, 6], 0.0, atol=1e-15)


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.7, 1.5])
@pytest.mark.parametrize("end", [1.0, -1.0])
def test_lowest_point_of_a_tilted_cylinder(tilt, end):
    # Lowest rim point of a cylinder (R, H) tilted by θ: R sin θ + H cos θ below its centre.
    way = np.array([math.cos(0.4), math.sin(0.4), 0.0])
    rot = rotation(tilt * way) @ rotation([0.0, 0.0 if end > 0 else math.pi, 0.0])
    height = 0.15 * math.sin(tilt) + 0.25 * math.cos(tilt)
    rows = meet(shape(CYLINDER, (0.0, 0.0, height), rot), FLOOR, margin=1e-5)
    assert abs(rows[:, 6].min()) < 1e-15 + 0.15 * (tilt if tilt < 1e-9 else 0.0)


def test_upright_cylinder_has_a_polygon_around_its_centre_that_does_not_jump():
    last = None
    for tilt in np.r_[0.0, 1e-12, 1e-9, 1e-6, np.linspace(1e-5, 1e-3, 21)]:
        rot = rotation(tilt * np.array([0.6, 0.8, 0.0])) @ rotation([0.0, 0.0, 1000.0 * tilt])
        rows = meet(shape(CYLINDER, (0.0, 0.0, 0.25), rot), FLOOR)
        fixed = rows[rows[:, 7] >= 2]
        assert len(fixed) == 4
        np.testing.assert_allclose(fixed[:, :2].mean(axis=0), 0.0, atol=0.3 * tilt + 1e-15)
        if last is not None:
            np.testing.assert_allclose(fixed, last, atol=1e-4)
        last = fixed


@pytest.mark.parametrize(
    ("centre", "gap", "outward"),
    [
        ((0.35, 0.0, 0.0), 0.05, (1, 0, 0)),  # beside a face
        ((0.1 + 0.18, 0.2 + 0.135, 0.0), 0.025, (0.8, 0.6, 0)),  # beside an edge
        ((0.05, 0.0, 0.1), -0.25, (1, 0, 0)),  # inside: the nearest face, 0.05 away
        ((0.0, 0.0, -0.29), -0.21, (0, 0, -1)),
    ],
)
def test_sphere_and_box(centre, gap, outward):
    rows = meet(shape(SPHERE, centre), shape(BOX), margin=1.0)
    np.testing.assert_allclose(rows[0, 3:7], [*outward, gap], atol=1e-14)
    np.testing.assert_allclose(rows[0, :3], centre - (0.2 + 0.5 * gap) * np.array(outward), atol=1e-14)


@pytest.mark.parametrize(
    ("centre", "gap", "outward"),
    [
        ((0.0, 0.4, 0.1), 0.05, (0, 1, 0)),  # beside the mantle
        ((0.0, 0.1, -0.5), 0.05, (0, 0, -1)),  # below the cap
        ((0.15 + 0.18, 0.0, 0.25 + 0.135), 0.025, (0.8, 0, 0.6)),  # beside the rim
        ((0.0, -0.12, 0.0), -0.23, (0, -1, 0)),  # inside, the mantle 0.03 away
        ((0.0, 0.1, 0.24), -0.21, (0, 0, 1)),  # inside, the cap 0.01 away
    ],
)
def test_sphere_and_cylinder(centre, gap, outward):
    rows = meet(shape(SPHERE, centre), shape(CYLINDER), margin=1.0)
    np.testing.assert_allclose(rows[0, 3:7], [*outward, gap], atol=1e-14)


@pytest.mark.parametrize(
    ("centre", "gap", "outward"),
    [((0.3, 0.0, 0.2), 0.0, (1, 0, 0)), ((0.18, 0.0, 0.25 + 0.24), 0.0, (0.6, 0, 0.8))],
)
def test_sphere_and_capsule(centre, gap, outward):
    rows = meet(shape(SPHERE, centre), shape(CAPSULE))
    np.testing.assert_allclose(rows[0, 3:7], [*outward, gap], atol=1e-14)


def test_capsules_side_by_side_have_two_points_and_crossing_ones_one():
    b = shape(CAPSULE)
    rows = meet(shape(CAPSULE, (0.2, 0.0, 0.1)), b)
    np.testing.assert_allclose(rows[:, :3], [[0.1, 0.0, -0.15], [0.1, 0.0, 0.25]], atol=1e-15)
    rows = meet(shape(CAPSULE, (0.195, 0.0, 0.1), LYING), b)
    np.testing.assert_allclose(rows[0], [0.0975, 0.0, 0.1, 1.0, 0.0, 0.0, -0.005, 2.0], atol=1e-15)
    assert len(rows) == 1


def test_capsule_on_a_box_has_two_points_and_a_standing_one_has_one():
    table = shape(BOX)
    rows = meet(shape(CAPSULE, (0.0, 0.0, 0.4), LYING), table)  # the table ends at y = ±0.2
    np.testing.assert_allclose(rows[:, :3], [[0.0, -0.2, 0.3], [0.0, 0.2, 0.3]], atol=1e-15)
    np.testing.assert_array_equal(rows[:, 7], [0, 1])
    rows = meet(shape(CAPSULE, (0.05, 0.0, 0.645)), table)
    np.testing.assert_allclose(rows[0], [0.05, 0.0, 0.2975, 0, 0, 1, -0.005, 0], atol=1e-15)


def on_edge(kind, yaw, gap, across=0.0):
    """Return a rod over the upper edge of a box that is turned by 45°, and the box."""
    top = 0.1 * math.sqrt(2.0)
    box = shape(BOX, rot=rotation([0.0, 0.25 * math.pi, 0.0]), size=(0.1, 0.2, 0.1))
    rod = (kind, np.array([across, 0.0, top + 0.05 + gap]), rotation([0, 0, yaw]) @ LYING)
    return meet((*rod, (0.05, 0.15, 0.0)), box, margin=2e-3)


@pytest.mark.parametrize("kind", [CAPSULE, CYLINDER])
@pytest.mark.parametrize("gap", [1e-4, -1e-4])
@pytest.mark.parametrize("yaw", [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.01])
def test_a_rod_along_an_edge_is_held_at_both_ends(kind, gap, yaw):
    # At y = ±0.15 cos yaw the axis is x = 0.15 sin yaw beside the edge: gap √((r + g)² + x²) − r. A capsule
    # had the nearest place alone; a cylinder's gap is that of a parabola, 3 % flatter (`convex.SHARP`).
    rows = on_edge(kind, yaw, gap)
    ends = rows[np.abs(rows[:, 1]) > 0.1]
    np.testing.assert_allclose(np.sort(ends[:, 1]), [-0.15, 0.15], atol=0.15 * yaw + 1e-12)
    expected = math.hypot(0.05 + gap, 0.15 * math.sin(yaw)) - 0.05
    np.testing.assert_allclose(ends[:, 6], expected, rtol=0.0, atol=0.04 * (expected - gap) + 1e-12)


@pytest.mark.parametrize("kind", [BOX, HULL])
@pytest.mark.parametrize("gap", [1e-4, 1e-3])
@pytest.mark.parametrize("yaw", [0.0, 1e-9, 1e-6])
def test_an_edge_along_an_edge_is_held_at_both_ends(kind, gap, yaw):
    # Edges along y, |y| ≤ 0.2 and −0.12 … 0.18: one point held them while they were apart. Where ends are
    # 0.2 yaw beside the other edge, the normal may lean by that over the gap.
    half = 0.1 * math.sqrt(2.0)
    turn = rotation([0.0, 0.25 * math.pi, 0.0])
    sizes = np.array([(0.1, 0.2, 0.1), (0.1, 0.15, 0.1)])
    below, above = sizes if kind == BOX else (CUBE * size for size in sizes)
    place = (0.0, 0.03, 2.0 * half + gap)
    upper = shape(kind, place, rotation([0.0, 0.0, yaw]) @ turn, above)
    rows = meet(upper, shape(kind, rot=turn, size=below), margin=2e-3)
    ends = rows[np.argsort(rows[:, 1])]
    expected = [[y, half + 0.5 * gap, gap] for y in (-0.12, 0.18)]
    np.testing.assert_allclose(ends[:, [1, 2, 6]], expected, rtol=0.0, atol=0.2 * yaw + 1e-9)
    np.testing.assert_allclose(ends[:, 3:5], 0.0, rtol=0.0, atol=0.2 * yaw / gap + 1e-9)


def test_a_capsule_turns_continuously_along_and_over_an_edge():
    """Points and gaps move by no more than the capsule does, whichever features are nearest."""
    for values in (
        [on_edge(CAPSULE, yaw, 1e-5) for yaw in np.linspace(-1e-4, 1e-4, 41)],
        [on_edge(CAPSULE, 0.0, 1e-5, x) for x in np.linspace(-1e-4, 1e-4, 41)],
        [on_edge(CAPSULE, 1e-4, 1e-5, x) for x in np.linspace(-1e-4, 1e-4, 41)],
    ):
        last = None
        for rows in values:
            ends = rows[rows[:, 7] >= 3]
            assert len(ends) == 2
            if last is not None:
                np.testing.assert_allclose(ends[:, :3], last[:, :3], atol=1e-5)
                np.testing.assert_allclose(ends[:, 6], last[:, 6], atol=1e-6)
            last = ends


def test_a_capsule_over_the_border_of_a_table_is_held_where_it_is_over_it_and_at_its_end():
    # The axis crosses the border at 1e-3 rad: on the table it is level, its other end is beside the edge.
    table = shape(BOX, size=(0.1, 0.5, 0.1))
    rod = (CAPSULE, np.array([0.1, 0.0, 0.15]), rotation([0.0, 0.0, 1e-3]) @ LYING, (0.05, 0.2, 0.0))
    rows = meet(rod, table)
    np.testing.assert_allclose(np.sort(rows[:, 1]), [-0.2, 0.0, 0.2], atol=1e-6)
    np.testing.assert_allclose(rows[:, 6], 0.0, atol=1e-6)


def test_capsule_whose_axis_is_inside_a_box_is_pushed_out_by_the_nearest_face():
    rows = meet(shape(CAPSULE, (0.0, 0.0, 0.28), LYING), shape(BOX))
    np.testing.assert_allclose(rows[:, 3:7], [[0, 0, 1, -0.12]] * 2, atol=1e-14)


@pytest.mark.parametrize("jitter", [0.0, 1e-12, 1e-9, 1e-6])
def test_box_on_an_equal_box_has_its_four_corners(jitter):
    rng = np.random.default_rng(5)
    for _ in range(20):
        rot = rotation(jitter * rng.normal(size=3))
        pos = np.array([0.0, 0.0, 0.599]) + jitter * rng.normal(size=3)
        rows = meet(shape(BOX, pos, rot), shape(BOX))
        assert len(rows) == 4
        np.testing.assert_array_equal(rows[:, 7], [12, 13, 14, 15])
        np.testing.assert_allclose(np.abs(rows[:, :2]), [[0.1, 0.2]] * 4, atol=1e-4)
        np.testing.assert_allclose(rows[:, 6], -0.001, atol=1e-5)


def test_box_turned_by_45_degrees_on_a_box_makes_an_octagon():
    side = (0.1, 0.1, 0.1)
    turned = shape(BOX, (0.0, 0.0, 0.2), rotation([0, 0, math.pi / 4]), side)
    rows = meet(turned, shape(BOX, size=side))
    # An octagon of inradius 0.1: its corners are 0.1 / cos(π/8) from the centre.
    assert len(rows) == 8
    radius = np.linalg.norm(rows[:, :2], axis=1)
    np.testing.assert_allclose(radius, 0.1 / math.cos(math.pi / 8), atol=1e-5)


def test_crossed_box_edges_touch_in_one_point():
    side = (0.1, 0.1, 0.5)
    # Each box stands on an edge along x or y; the edges are √2 · 0.1 from the centres.
    a_rot = rotation([0.0, math.pi / 2, 0.0]) @ rotation([0.0, 0.0, math.pi / 4])
    b_rot = rotation([-math.pi / 2, 0.0, 0.0]) @ rotation([0.0, 0.0, math.pi / 4])
    for gap in (-0.002, 0.002):
        high = 0.2 * math.sqrt(2.0) + gap
        rows = meet(shape(BOX, (0.0, 0.0, high), a_rot, side), shape(BOX, (0, 0, 0), b_rot, side))
        middle = 0.1 * math.sqrt(2.0) + 0.5 * gap
        np.testing.assert_allclose(rows[:, :7], [[0, 0, middle, 0, 0, 1, gap]], atol=1e-14)


def test_separate_boxes_corner_to_corner_have_the_true_distance():
    away = 0.004 * np.array([2.0, 2.0, 1.0]) / 3.0
    b = np.array([0.2, 0.4, 0.6]) + away
    rows = meet(shape(BOX), shape(BOX, b), margin=0.01)
    nearest = rows[np.argmin(rows[:, 6])]
    np.testing.assert_allclose(nearest[3:7], [-2 / 3, -2 / 3, -1 / 3, 0.004], atol=1e-14)


# --- Properties of every pair ---------------------------------------------------------------------


def test_supported_holds_both_orders_and_the_rest_has_no_points():
    assert {(b, a) for a, b in SUPPORTED} == SUPPORTED
    for a, b in itertools.product((int(s) for s in list(Shape)[:9]), repeat=2):
        sizes = (SIZES.get(a, (1.0, 1.0, 1.0)), SIZES.get(b, (1.0, 1.0, 1.0)))
        rows = meet((a, np.zeros(3), EYE, sizes[0]), (b, np.zeros(3), EYE, sizes[1]))
        assert (len(rows) > 0) == ((a, b) in SUPPORTED)
        assert np.all(np.isfinite(rows))


@functools.cache
def random_pairs(kinds):
    """Return twenty random pairs of two kinds of shapes; each is found by bisection."""
    rng = np.random.default_rng(1)
    return [random_pair(kinds, rng) for _ in range(20)]


@pytest.mark.parametrize("kinds", ORDERED)
def test_order_of_the_shapes_only_turns_the_normals(kinds):
    for a, b in random_pairs(kinds)[:10]:
        forth = meet(a, b)
        back = meet(b, a)
        back[:, 3:6] *= -1.0
        columns = slice(0, 7) if kinds[0] == kinds[1] else slice(0, 8)
        forth, back = (x[np.lexsort(np.round(x[:, :3], 6).T)] for x in (forth, back))
        np.testing.assert_allclose(forth[:, columns], back[:, columns], atol=place(kinds))


@pytest.mark.parametrize("kinds", ORDERED)
def test_common_motion_moves_the_manifold_along(kinds):
    rng = np.random.default_rng(2)
    for a, b in random_pairs(kinds):
        turn, way = rotation(rng.normal(size=3)), rng.normal(size=3)
        moved = meet(*((k, turn @ p + way, turn @ r, s) for k, p, r, s in (a, b)))
        rows = meet(a, b)
        # The rim of a disc is sampled in the plane's axes, which turn along.
        if kinds not in CLOSED and len(moved) != len(rows):
            rows, moved = (x[x[:, 6].argsort()][:1] for x in (rows, moved))
            np.testing.assert_allclose(moved[:, 6], rows[:, 6], atol=1e-8)
            continue
        np.testing.assert_array_equal(moved[:, 7], rows[:, 7])
        np.testing.assert_allclose(moved[:, :3], rows[:, :3] @ turn.T + way, atol=place(kinds))
        np.testing.assert_allclose(moved[:, 3:6], rows[:, 3:6] @ turn.T, atol=place(kinds))
        np.testing.assert_allclose(moved[:, 6], rows[:, 6], atol=1e-3 * place(kinds) + 1e-12)


@pytest.mark.parametrize("kinds", ORDERED)
def test_tiny_motion_keeps_features_and_moves_points_little(kinds):
    rng = np.random.default_rng(3)
    for a, b in random_pairs(kinds):
        before = meet(a, b)
        nudge = rotation(1e-9 * rng.normal(size=3))
        after = meet((a[0], a[1] + 1e-9 * rng.normal(size=3), nudge @ a[2], a[3]), b)
        if kinds not in CLOSED:  # the edge that a curved surface shows may be another one
            assert before[:, 6].min() == pytest.approx(after[:, 6].min(), abs=1e-8)
            before, after = (rows[rows[:, 6].argsort()][:1, 3:6] for rows in (before, after))
            np.testing.assert_allclose(before, after, atol=place(kinds))
            continue
        np.testing.assert_array_equal(before[:, 7], after[:, 7])
        np.testing.assert_allclose(before[:, :7], after[:, :7], atol=2e-6)


@pytest.mark.parametrize("kinds", ORDERED)
def test_points_lie_midway_between_the_surfaces_in_depth(kinds):
    # Moving A by δ along a single contact's normal opens its gap by δ and shifts the point by δ/2.
    for a, b in random_pairs(kinds):
        before = meet(a, b)
        if len(before) != 1:
            continue
        step = 1e-6 * before[0, 3:6]
        after = meet((a[0], a[1] + step, a[2], a[3]), b)
        assert after[0, 6] - before[0, 6] == pytest.approx(1e-6, rel=1e-3)
        across = (after[0, :3] - before[0, :3]) @ before[0, 3:6]
        assert across == pytest.approx(0.5e-6, rel=1e-2)


def test_flat_box_rocks_continuously_on_a_box():
    table = shape(BOX, size=(0.5, 0.5, 0.5))
    last = None
    for tilt in np.linspace(-1e-3, 1e-3, 41):
        rot = rotation([tilt, 0.7 * tilt, 0.0])
        rows = meet(shape(BOX, (0.0, 0.0, 0.8), rot), table)
        assert len(rows) == 4
        if last is not None:
            np.testing.assert_array_equal(rows[:, 7], last[:, 7])
            np.testing.assert_allclose(rows[:, :3], last[:, :3], atol=1e-4)
            np.testing.assert_allclose(rows[:, 6], last[:, 6], atol=2e-5)
        last = rows


def test_lying_capsules_tilt_continuously():
    for other in (shape(BOX), shape(CAPSULE, (0.0, 0.0, 0.2), LYING)):
        last = None
        for tilt in np.linspace(-1e-3, 1e-3, 41):
            rot = rotation([tilt, 0.0, 0.0]) @ LYING
            rows = meet(shape(CAPSULE, (0.0, 0.0, 0.4), rot), other)
            rows = rows[rows[:, 7] < 2]
            assert len(rows) == 2
            if last is not None:
                np.testing.assert_allclose(rows[:, :7], last[:, :7], atol=1e-4)
            last = rows


@pytest.mark.parametrize("kinds", ORDERED)
def test_degenerate_input_gives_finite_points(kinds):
    rng = np.random.default_rng(6)
    for rot_a, rot_b in itertools.product((EYE, LYING, rotation([0.1, 0.2, 0.3])), repeat=2):
        for size in ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.1, 0.1, 0.1)):
            for pos in (np.zeros(3), np.array([0.0, 0.0, 0.1]), 1e-13 * rng.normal(size=3)):
                rows = meet((kinds[0], pos, rot_a, size), (kinds[1], np.zeros(3), rot_b, size))
                assert np.all(np.isfinite(rows))
    lost = np.array([np.nan, 0.0, 0.0])
    assert len(meet(shape(kinds[0], lost), shape(kinds[1]))) == 0


# --- An independent library -----------------------------------------------------------------------


@pytest.mark.parametrize("kinds", ORDERED)
def test_depth_and_normal_agree_with_coal(kinds):
    coal = pytest.importorskip("coal")
    make = {
        PLANE: lambda s: coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0),
        SPHERE: lambda s: coal.Sphere(s[0]),
        BOX: lambda s: coal.Box(2 * s[0], 2 * s[1], 2 * s[2]),
        CAPSULE: lambda s: coal.Capsule(s[0], 2 * s[1]),
        CYLINDER: lambda s: coal.Cylinder(s[0], 2 * s[1]),
        CONE: lambda s: coal.Cone(s[0], 2 * s[1]),
        ELLIPSOID: lambda s: coal.Ellipsoid(*s),
        HULL: lambda s: coal_hull(coal, hull_of(s)),
    }
    request = coal.DistanceRequest()
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    rng = np.random.default_rng(7)
    for _ in range(40):
        a, b = random_pair(kinds, rng, overlap=rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-4, -2))
        result = coal.DistanceResult()
        poses = [coal.Transform3s(s[2], s[1]) for s in (a, b)]
        gap = coal.distance(make[a[0]](a[3]), poses[0], make[b[0]](b[3]), poses[1], request, result)
        rows = meet(a, b, margin=0.02)
        nearest = rows[np.argmin(rows[:, 6])]
        normal = -result.normal
        own = gap if PLANE in kinds else separation(a, b, nearest[3:6])
        # A face is preferred until an edge is better by 1 % of the depth and 0.1 % of the size.
        assert own > nearest[6] - 0.01 * abs(nearest[6]) - 1e-3 * 0.4
        theirs = gap if PLANE in kinds else separation(a, b, normal)
        if abs(theirs - gap) > 1e-7 or own > theirs + 1e-6:
            # It gave up, its distance is not that along its own normal; or ours is proved to be better.
            assert nearest[6] > theirs - 1e-6
            continue
        assert nearest[6] == pytest.approx(gap, abs=1e-6)
        if own < gap - 1e-9 or own > theirs + 1e-12:
            continue  # a preferred face, or a normal that is proved to be better than the library's
        # Two boxes that overlap equally along two axes have no unique normal.
        if kinds != (BOX, BOX) or len(meet(a, b, margin=nearest[6] + 1e-9)) == 1:
            np.testing.assert_allclose(nearest[3:6], normal, atol=1e-4)
