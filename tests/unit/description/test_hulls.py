"""Hulls, surfaces and height fields: closed forms, and input that is refused."""

import itertools
import math
import os
import signal
import threading

import numpy as np
import pytest
from shapes import CUBE

from tribo import EditError, HeightField, World
from tribo.description import hulls
from tribo.description.hulls import MANY, OPEN, convex_hull, solid_inertia, surface, volume_moments

BOX = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
       (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]  # fmt: skip  # of CUBE


def test_hull_of_a_cube_with_points_inside_has_eight_corners_and_six_faces():
    rng = np.random.default_rng(0)
    hull = convex_hull(np.concatenate([CUBE, rng.uniform(-0.9, 0.9, (50, 3))]))
    assert len(hull.vertices) == 8
    assert sorted(len(f) for f in hull.faces) == [4] * 6
    assert hull.half_width == pytest.approx(1.0, abs=1e-15)
    for face, normal in zip(hull.faces, hull.normals, strict=True):
        p = hull.vertices[face]
        for k in range(4):  # anticlockwise seen from outside
            turn = np.cross(p[(k + 1) % 4] - p[k], p[(k + 2) % 4] - p[(k + 1) % 4])
            assert turn @ normal > 0.0
        assert np.ptp(p @ normal) < 1e-15


def test_a_hull_with_very_many_corners_is_made_simpler():
    rng = np.random.default_rng(1)
    ball = rng.normal(size=(3000, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    hull = convex_hull(ball)
    assert len(hull.vertices) <= 256
    assert hull.volume == pytest.approx(4.0 / 3.0 * np.pi, rel=0.06)


def test_moments_of_a_box_away_from_the_origin():
    # m/12 (b² + c²) for full edges 2, 4, 6; the centroid is where the box is.
    points = CUBE * (1.0, 2.0, 3.0) + (5.0, -7.0, 11.0)
    volume, centre, second = volume_moments(points, convex_hull(points).triangles)
    assert volume == pytest.approx(48.0, rel=1e-13) or volume == pytest.approx(-48.0)
    np.testing.assert_allclose(centre, (5.0, -7.0, 11.0), rtol=1e-13)
    inertia = solid_inertia(second / volume)
    np.testing.assert_allclose(inertia, np.diag([52.0, 40.0, 20.0]) / 12.0, atol=1e-12)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "4 different points"),
        ([(0, 0, 0)] * 9, "4 different points"),
        ([(x, y, 0.0) for x, y in itertools.product(range(3), repeat=2)], "one plane"),
        (np.add([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], (3e14, 1, 1)), "near the origin"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, np.nan)], "row 3"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1e200)], "at most 1e"),
        ([(0, 0), (1, 0)], "shape"),
        ([], "shape"),
    ],
)
def test_hulls_without_volume_are_refused(points, message):
    with pytest.raises(ValueError, match=message):
        convex_hull(points)


def test_folds_of_a_cube_are_right_angles_and_diagonals_are_flat():
    made = surface(CUBE, np.array(BOX))
    assert sorted(np.round(made.folds.ravel(), 12)) == pytest.approx([0.0] * 12 + [np.pi / 2] * 24)
    inside_out = surface(CUBE, np.array(BOX)[:, ::-1])
    assert inside_out.folds.min() == pytest.approx(-np.pi / 2)


def test_borders_are_open_vertices_are_welded_and_empty_triangles_go():
    points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0)]
    made = surface(points, [(0, 1, 2), (3, 4, 5), (0, 1, 6)])
    assert len(made.triangles) == 2
    assert sorted(made.folds.ravel()) == [0.0, 0.0, OPEN, OPEN, OPEN, OPEN]


@pytest.mark.parametrize(
    ("points", "faces", "message"),
    [
        ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)], "no triangle with an area"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 3)], "vertex 3"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0.0, 1.0, 2.0)], "integers"),
        ([(0, 0, 0), (1, 0, 0), (0, np.inf, 0)], [(0, 1, 2)], "row 2"),
    ],
)
def test_bad_surfaces_are_refused_and_the_world_stays_as_it_was(points, faces, message):
    world = World()
    with pytest.raises(ValueError, match=message):
        world.add_surface(points, faces)
    assert world.objects == ()


def test_tree_holds_every_triangle_in_boxes_around_it():
    made = surface(CUBE, np.array(BOX))
    assert sorted(made.leaves[made.leaves >= 0]) == list(range(12))
    for node, (box, skip) in enumerate(zip(made.boxes, made.skips, strict=True)):
        own = made.leaves[node:skip]
        corners = made.vertices[made.triangles[own[own >= 0]]].reshape(-1, 3)
        np.testing.assert_array_equal(box, [*corners.min(axis=0), *corners.max(axis=0)])


@pytest.mark.parametrize(
    ("heights", "size", "message"),
    [
        ([[0, 1], [0, 1, 2]], (1, 1), "one length"),
        ([[0, 1]], (1, 1), "shape"),
        ([[0, 1], [np.nan, 1]], (1, 1), "row 1 column 0"),
        ([[0, 1], [0, 1]], (1, 0), "size"),
    ],
)
def test_bad_heights_are_refused(heights, size, message):
    with pytest.raises(ValueError, match=message):
        HeightField(heights, size)


def test_text_file_has_x_along_a_row(tmp_path):
    path = tmp_path / "map.txt"
    path.write_text("3 2 4.0 1.0\n0 1 2\n3 4 5\n")
    field = HeightField.from_text(path)
    np.testing.assert_array_equal(field.heights, [[0, 1, 2], [3, 4, 5]])
    assert field.size == (4.0, 1.0)
    path.write_text("3 2 4.0 1.0 0 1 2")
    with pytest.raises(ValueError, match="3 heights, 3 × 2 were announced"):
        HeightField.from_text(path)
    path.write_text("3 2 4.0 1.0 zero")
    with pytest.raises(ValueError, match="numbers only"):
        HeightField.from_text(path)


def test_a_picture_has_its_own_numbers_times_scale_and_its_first_row_at_the_far_side(tmp_path):
    """RaiSim's law. Divided by white, its own maps were 65 535 times too flat."""
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "map.png"
    image.fromarray(np.array([[0, 65535], [1, 2]], np.uint16)).save(path)
    field = HeightField.from_image(path, (1.0, 1.0), scale=1e-4, offset=1.0)
    np.testing.assert_allclose(field.heights, [[1.0001, 1.0002], [1.0, 7.5535]], rtol=1e-12)
    field = HeightField.from_image(path, (1.0, 1.0), height=6.5535, offset=1.0)
    np.testing.assert_allclose(field.heights, [[1.0001, 1.0002], [1.0, 7.5535]], rtol=1e-12)
    image.fromarray(np.array([[0, 255], [1, 2]], np.uint8)).save(path)
    field = HeightField.from_image(path, (1.0, 1.0), scale=0.5)
    np.testing.assert_array_equal(field.heights, [[0.5, 1.0], [0.0, 127.5]])
    path.write_bytes(b"no picture")
    with pytest.raises(ValueError, match="not a PNG"):
        HeightField.from_image(path, (1.0, 1.0), scale=1.0)


@pytest.mark.parametrize("ending", ["jpg", "tif"])
def test_jpeg_and_tiff_are_pictures_of_heights(tmp_path, ending):
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / f"map.{ending}"
    pixels = np.full((8, 8), 128, np.uint8) if ending == "jpg" else np.eye(8, dtype=np.float32) * 2.5
    image.fromarray(pixels).save(path)
    field = HeightField.from_image(path, (1.0, 1.0), scale=0.1)
    np.testing.assert_allclose(field.heights, 0.1 * pixels[::-1], rtol=1e-6, atol=0.11)


def test_a_picture_needs_one_way_to_its_height(tmp_path):
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "map.png"
    image.fromarray(np.zeros((2, 2), np.uint8)).save(path)
    with pytest.raises(TypeError, match=r"height= from black to white.*0 … 255"):
        HeightField.from_image(path, (1.0, 1.0))
    with pytest.raises(TypeError, match="give scale="):
        HeightField.from_image(path, (1.0, 1.0), scale=1.0, height=1.0)


def test_an_elevation_model_has_its_heights_in_metres(tmp_path):
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "map.tif"
    heights = np.array([[812.25, 813.5], [-1.5, 0.0]], np.float32)
    image.fromarray(heights).save(path)
    np.testing.assert_array_equal(HeightField.from_image(path, (30, 30)).heights, heights[::-1])
    field = HeightField.from_image(path, (30, 30), scale=2.0, offset=1.0)
    np.testing.assert_array_equal(field.heights, 2.0 * heights[::-1] + 1.0)
    with pytest.raises(ValueError, match="give scale="):
        HeightField.from_image(path, (30, 30), height=2.0)


def test_a_photograph_is_read_within_its_compression(tmp_path):
    image = pytest.importorskip("PIL.Image")
    path = tmp_path / "map.jpg"
    image.fromarray(np.full((8, 8), 200, np.uint8)).save(path, quality=95)
    field = HeightField.from_image(path, (1, 1), height=25.5)
    np.testing.assert_allclose(field.heights, 20.0, atol=0.2)  # JPEG rounds by ± 2 of 255


def test_fractal_is_repeatable_bounded_and_has_steps():
    one, two = (HeightField.fractal(seed=3, samples=(40, 30), step_size=0.25) for _ in range(2))
    np.testing.assert_array_equal(one.heights, two.heights)
    assert one.heights.shape == (30, 40)
    assert np.abs(one.heights).max() <= 2.25
    np.testing.assert_array_equal(one.heights % 0.25, 0.0)
    assert (HeightField.fractal(seed=4, samples=(40, 30)).heights != one.heights).any()


def test_height_and_normal_of_a_map_are_those_of_its_triangles():
    world = World()
    field = world.add_height_map([[0.0, 0.0], [0.0, 1.0]], (2.0, 4.0))
    assert field.height(-1.0, -2.0) == 0.0
    assert field.height(1.0, 2.0) == 1.0
    assert field.height(0.5, 0.0) == pytest.approx(0.5)  # on the lower triangle: rise along y
    assert field.height(0.0, 0.0) == pytest.approx(0.5)
    np.testing.assert_allclose(field.normal(0.5, 0.0), np.array([0, -0.25, 1]) / np.hypot(0.25, 1))
    with pytest.raises(ValueError, match="outside"):
        field.height(1.1, 0.0)
    with pytest.raises(ValueError, match="shape"):
        field.update([[0.0]])
    field.update([[1.0, 1.0], [1.0, 1.0]])
    assert field.height(0.0, 0.0) == 1.0


def test_new_heights_of_one_map_leave_its_field_and_other_maps_alone():
    flat = HeightField([[0.0, 0.0], [0.0, 0.0]], (1.0, 1.0))
    world = World()
    first, second = world.add_height_map(flat), world.add_height_map(flat, position=(5, 0, 0))
    heights = np.ones((2, 2))
    first.update(heights)
    heights[:] = 7.0
    assert (first.heights == 1.0).all()
    assert (second.heights == 0.0).all()
    assert (flat.heights == 0.0).all()
    for array in (first.heights, first.normal(0.0, 0.0), flat.heights):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 2.0


def test_new_heights_in_a_built_world_are_those_of_a_world_built_with_them():
    rng = np.random.default_rng(5)
    heights = rng.uniform(-0.2, 0.3, (5, 7))
    models = []
    for is_late in (False, True):
        world = World()
        world.add_height_map(np.zeros((3, 3)), (1.0, 1.0), position=(9, 0, 0))
        hills = world.add_height_map(np.zeros((5, 7)) if is_late else heights, (3.0, 2.0))
        world.add_sphere(0.1, 1.0, position=(0, 0, 2))
        models.append(world.engine.model)
        if is_late:
            hills.update(heights)
            assert world.engine.model is models[1]
    for name, array in models[0].arrays.items():
        np.testing.assert_array_equal(models[1].arrays[name], array)


@pytest.mark.parametrize("shape", [(5, 7), (4, 9)])
def test_a_map_that_was_moved_and_resized_is_that_of_a_world_built_with_it(shape):
    rng = np.random.default_rng(5)
    heights = rng.uniform(-0.2, 0.3, shape)
    models = []
    for is_late in (False, True):
        world = World()
        world.add_height_map(np.zeros((3, 3)), (1.0, 1.0), position=(9, 0, 0))
        if is_late:
            hills = world.add_height_map(np.zeros((5, 7)), (6.0, 4.0))
        else:
            hills = world.add_height_map(heights, (3.0, 2.0), position=(1, 2, 0))
        world.add_sphere(0.1, 1.0, position=(0, 0, 2))
        if is_late:
            world.step(0)
            hills.update(HeightField(heights, (3.0, 2.0)))
            hills.position = 1, 2, 0
        models.append(world.engine.model)
        np.testing.assert_array_equal(hills.size, (3.0, 2.0))
    for name, array in models[0].arrays.items():
        np.testing.assert_array_equal(models[1].arrays[name], array, err_msg=name)


def test_a_ball_goes_on_over_a_map_of_another_size():
    """It rests at its radius above the new heights, to the rounding of a contact at rest."""
    world = World()
    hills = world.add_height_map(np.zeros((4, 4)), (4.0, 4.0))
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 0.1))
    world.step(100)
    hills.update(np.full((9, 9), -0.05), size=(1.0, 1.0))
    assert world.time == pytest.approx(0.1)
    world.step(1000)
    assert ball.position[2] == pytest.approx(0.05, abs=1e-6)
    with pytest.raises(ValueError, match="outside"):
        hills.height(1.0, 0.0)


@pytest.mark.parametrize(
    ("heights", "size", "message"),
    [
        ([[0.0]], None, r"ny ≥ 2"),
        ([[0.0, 1.0], [0.0]], None, "rows of numbers of one length"),
        ([[0.0, math.nan], [0.0, 0.0]], None, "finite"),
        (np.zeros((2, 2)), (0.0, 1.0), "size must be > 0"),
        (HeightField([[0.0, 0.0], [0.0, 0.0]], (1.0, 1.0)), (1.0, 1.0), "leave it out"),
    ],
)
def test_bad_heights_leave_a_map_as_it_was(heights, size, message):
    world = World()
    hills = world.add_height_map([[0.0, 1.0], [0.0, 1.0]], (1.0, 1.0))
    world.step(0)
    before = world.engine.model.height.copy()
    with pytest.raises((ValueError, TypeError), match=message):
        hills.update(heights, size)
    np.testing.assert_array_equal(world.engine.model.height, before)
    np.testing.assert_array_equal(hills.size, (1.0, 1.0))


def test_heights_of_a_removed_map_cannot_be_replaced():
    world = World()
    field = world.add_height_map([[0.0, 0.0], [0.0, 0.0]], (1.0, 1.0))
    world.remove(field)
    with pytest.raises(EditError, match="removed"):
        field.update([[1.0, 1.0], [1.0, 1.0]])


@pytest.mark.parametrize("kind", ["dynamic", "kinematic"])
def test_terrain_stays_static(kind):
    world = World()
    terrain = [
        world.add_height_map([[0.0, 0.0], [0.0, 0.0]], (1.0, 1.0)),
        world.add_surface([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]),
    ]
    for part in terrain:
        with pytest.raises(ValueError, match="can only be static"):
            part.body_type = kind


def test_a_snapshot_from_before_the_first_general_pair_is_restored():
    """The addresses of functions compiled on demand belong to the process, not to the state."""
    world = World()
    world.add_surface([(-5, -5, 0), (5, -5, 0), (0, 5, 0)], [(0, 1, 2)])
    ball = world.add_sphere(0.1, 1.0, position=(0, 0, 1.0))
    engine = world.engine
    engine.model.lazy_address[:] = 0
    before = world.snapshot()
    world.step(500)  # it falls 1 m in 452 steps of 1 ms
    assert engine.model.lazy_address.any()
    end = ball.generalized_coordinate.copy()
    addresses = engine.model.lazy_address.copy()
    world.restore(before)
    assert (world.engine.model.lazy_address == addresses).all()
    world.step(500)
    np.testing.assert_array_equal(ball.generalized_coordinate, end)


@pytest.mark.parametrize(
    "points",
    [
        CUBE * 1j,
        np.array(CUBE, str),
        np.array(CUBE * 10, "datetime64[s]"),
        np.ma.masked_array(CUBE, mask=CUBE > 0),
        np.array(CUBE) > 0,
        None,
    ],
    ids=["complex", "text", "dates", "masked", "truths", "nothing"],
)
def test_points_that_are_no_real_numbers_are_refused(points):
    """Imaginary parts and masks were dropped, digits and dates taken for numbers."""
    with pytest.raises(ValueError, match="real numbers"):
        convex_hull(points)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_the_hull_of_many_points_hears_an_interrupt(monkeypatch):
    """Before, a signal waited until Qhull had ended: 9 s for 650 000 points on a sphere."""
    go, began, ended = threading.Event(), [], threading.Event()

    def slow(points):
        began.append(threading.current_thread())
        os.kill(os.getpid(), signal.SIGINT)
        go.wait(60.0)
        ended.set()
        raise RuntimeError("nobody hears this")

    points = np.random.default_rng(1).normal(size=(MANY + 1, 3))
    hull = convex_hull(points)
    with monkeypatch.context() as patch:
        patch.setattr("scipy.spatial.ConvexHull", slow)
        with pytest.raises(KeyboardInterrupt):
            convex_hull(points)
    assert began[0] is not threading.main_thread()
    assert not ended.is_set()
    go.set()
    assert ended.wait(60.0)
    few = convex_hull(np.concatenate([hull.vertices, np.zeros((3, 3))]))
    assert len(few.vertices) == len(hull.vertices)


@pytest.mark.parametrize("spread", ["ball", "box", "cap", "flat parts"])
def test_hulls_of_many_points_are_those_of_all_their_points(spread):
    """Corners are looked for in parts, and the farthest points of a round solid without Qhull."""
    rng = np.random.default_rng(7)
    points = rng.normal(size=(2 * MANY + 3, 3))
    if spread == "ball":
        points /= np.linalg.norm(points, axis=1)[:, None]
    elif spread == "box":
        points = np.concatenate([np.clip(points, -0.5, 0.5), 0.5 * np.array(CUBE)])
    elif spread == "cap":  # all are corners, and few of them are farthest in a direction
        points = 1e-3 * points
        points[:, 2] = -(points[:, 0] ** 2) - points[:, 1] ** 2
        points = np.concatenate([points, [(0.0, 0.0, -1.0)]])
    else:
        points[:MANY, 2] = 0.0
    from scipy.spatial import ConvexHull

    corners = points[ConvexHull(points).vertices]
    found = hulls._fewer(points)
    if len(corners) <= hulls.MAX_VERTICES:
        # Of equal points any may be the corner: the order is not the same.
        np.testing.assert_array_equal(np.unique(found, axis=0), np.unique(corners, axis=0))
    else:
        order = hulls._farthest(corners)[: hulls.MAX_VERTICES]
        np.testing.assert_array_equal(found, corners[order])


def test_welded_places_are_those_of_numpy():
    points = np.random.default_rng(3).integers(-2, 3, size=(500, 3)) * np.array((1.0, -1.0, 0.5))
    first, place = hulls._welded(points)  # with zeros of both signs
    _, expected, inverse = np.unique(points, axis=0, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(first, expected)
    np.testing.assert_array_equal(place, inverse.ravel())


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["_surface", "_volume_moments"])
def test_work_on_many_triangles_hears_an_interrupt(monkeypatch, name):
    """Before, a signal waited for each call of NumPy: 0.8 s for 1.3 million triangles."""
    go, began = threading.Event(), []

    def slow(*_):
        began.append(threading.current_thread())
        os.kill(os.getpid(), signal.SIGINT)
        go.wait(60.0)

    monkeypatch.setattr(hulls, name, slow)
    faces = np.zeros((MANY + 1, 3), np.int64)
    call = {"_surface": surface, "_volume_moments": volume_moments}[name]
    with pytest.raises(KeyboardInterrupt):
        call(np.array(CUBE, float), faces)
    go.set()
    assert began[0] is not threading.main_thread()
