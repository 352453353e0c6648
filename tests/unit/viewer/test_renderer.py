"""Pictures, depth and segmentation without a display; and `tribo render`."""

from pathlib import Path

import numpy as np
import pytest

import tribo
from tribo.tools import cli, render_command
from tribo.viewer import Camera, Renderer
from tribo.viewer.renderer import seeing

QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
AHEAD = Camera((0.0, -5.0, 1.0), (0.0, 0.0, 1.0), 60.0)


def shelf():
    """Return a world with a box, of which the front is at y = −0.5, on a ground."""
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_box((1, 1, 2), 1.0, name="box", position=(0, 0, 1))
    world.add_sphere(0.5, 1.0, name="ball", position=(1.5, 0, 1))
    return world


def test_depth_is_the_distance_along_the_optical_axis():
    depth = Renderer(shelf(), 80, 60).depth_array(AHEAD)
    assert depth.dtype == np.float32
    # The front of the box is a plane across the axis: 4.5 m in every pixel, to float32 of 1/depth.
    np.testing.assert_allclose(depth[20:40, 36:44], 4.5, rtol=1e-5)
    # A ray through v pixels below the middle meets the ground where the depth is height · focal / v.
    focal = AHEAD.focal(60)
    rows = np.arange(50, 60)
    np.testing.assert_allclose(depth[rows, 2], 1.0 * focal / (rows + 0.5 - 30.0), rtol=1e-5)
    assert np.isnan(depth[0, 0])


def test_depth_and_segmentation_are_those_of_the_sensor():
    """`DepthCamera` finds the same by rays at the exact shapes; pictures have 32-gons for circles."""
    world = shelf()
    across = 2.0 * np.arctan(np.tan(np.radians(30.0)) * 80 / 60)  # its angle is the horizontal one
    turn = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))  # x, along which it looks, towards +y
    sensor = world.add_depth_camera(
        None, position=AHEAD.eye, orientation=turn, width=80, height=60, horizontal_fov=across,
        clip=(0.05, 300.0),
    )  # fmt: skip
    reading = sensor.measure()
    renderer = Renderer(world, 80, 60)
    depth, whose = renderer.depth_array(AHEAD), renderer.segmentation_array(AHEAD)
    same = whose == reading.segmentation
    assert same.mean() > 0.98  # all but the rim of the ball and of the box
    inner = same & np.isfinite(depth) & np.isfinite(reading.depth)
    near = inner & (reading.depth < 20.0)
    # A 32-gon lies within its circle by r (1 − cos π/32) = 2.4 mm; seen askew near the rim, some times that.
    error = np.abs(depth - reading.depth)[near]
    assert np.quantile(error, 0.9) < 5e-3
    assert set(np.unique(whose)) == {-1, 0, 1, 2}


def test_the_same_state_size_and_camera_give_the_same_bytes():
    first, second = (Renderer(shelf(), 64, 48) for _ in range(2))
    for name in ("rgb_array", "depth_array", "segmentation_array"):
        one, two = getattr(first, name)(AHEAD), getattr(second, name)(AHEAD)
        assert one.tobytes() == two.tobytes()
        assert one.tobytes() == getattr(first, name)(AHEAD).tobytes()


def test_what_is_under_the_ground_is_hidden():
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_sphere(0.4, 1.0, "copper", name="sunk", position=(0, 0, -1))
    renderer = Renderer(world, 64, 48)
    camera = Camera((0.0, -3.0, 2.0), (0.0, 0.0, -0.5))
    assert set(np.unique(renderer.segmentation_array(camera))) <= {-1, 0}
    image = renderer.rgb_array(camera).astype(int)
    assert (image.max(axis=2) - image.min(axis=2)).max() < 60  # no copper


def test_a_picture_follows_the_world():
    world = shelf()
    renderer = Renderer(world, 64, 48)
    before = renderer.segmentation_array(AHEAD)
    world.remove("ball")
    world["box"].position = (0, 0, 30)
    after = renderer.segmentation_array(AHEAD)
    assert {1, 2} <= set(np.unique(before))
    assert set(np.unique(after)) == {-1, 0}
    world.remove("box")
    world.add_articulated_system(QUADRUPED, name="quad", position=(0, 0, 0.6))
    assert 1 in renderer.segmentation_array()  # with a camera that sees everything
    assert renderer.rgb_array(forces=True).shape == (48, 64, 3)


def test_a_camera_of_nobodys_choice_sees_everything():
    rng = np.random.default_rng(1)
    for _ in range(20):
        places = rng.normal(0.0, rng.uniform(0.1, 20.0), (10, 3))
        wide, high = rng.integers(100, 500, 2)
        camera = seeing(places, rng.normal(size=3), aspect=wide / high)
        x, y, depth = camera.project(places, wide, high).T
        assert (depth > 0.0).all()
        assert ((x > 0) & (x < wide) & (y > 0) & (y < high)).all()


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"width": 0}, ValueError, "width must be ≥ 1"),
        ({"height": 2.5}, TypeError, "height must be an integer"),
        ({"samples": 5}, ValueError, "too many"),
        ({"width": 100_000, "height": 100_000}, ValueError, "too many"),
    ],
)
def test_sizes_that_cannot_be_are_refused(given, error, says):
    with pytest.raises(error, match=says):
        Renderer(tribo.World(), **given)


@pytest.mark.parametrize(
    "camera",
    [
        Camera((0, 0, 0), (0, 0, 0)),
        Camera((0, 0, float("nan")), (0, 0, 0)),
        Camera((0, 0, 1), (0, 0, 0), 180.0),
    ],
)
def test_cameras_that_cannot_be_are_refused(camera):
    renderer = Renderer(shelf(), 8, 8)
    for name in ("rgb_array", "depth_array", "segmentation_array"):
        with pytest.raises(ValueError, match=r"camera|eye|fov"):
            getattr(renderer, name)(camera)


# -- the command -----------------------------------------------------------------------------------
def test_a_file_becomes_a_film(tmp_path, capsys):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    out = tmp_path / "film.mp4"
    code = cli.main([
        "render", str(QUADRUPED), str(out), "--hold", "--duration", "0.5", "--fps", "20",
        "--size", "64x48", "--forces", "--follow", "quadruped",
    ])  # fmt: skip
    assert code == 0
    assert imageio_ffmpeg.count_frames_and_secs(str(out))[0] == 11  # both ends
    assert "film.mp4" in capsys.readouterr().out


def test_a_film_goes_round_what_it_shows(tmp_path, monkeypatch):
    pytest.importorskip("imageio_ffmpeg")
    seen, draw = [], render_command.draw.picture
    monkeypatch.setattr(
        render_command.draw, "picture",
        lambda scene, poses, camera, *more: seen.append(camera) or draw(scene, poses, camera, *more),
    )  # fmt: skip
    code = cli.main([
        "render", str(QUADRUPED), str(tmp_path / "film.mp4"), "--hold", "--duration", "0.2", "--fps", "20",
        "--size", "16x16", "--camera", "2,0,1,0,0,0.3", "--follow", "quadruped", "--orbit", "180",
    ])  # fmt: skip
    assert code == 0
    ways = np.array([np.subtract(camera.eye, camera.target) for camera in seen])
    angles = np.radians([0, 45, 90, 135, 180])
    by_hand = np.stack([2 * np.cos(angles), 2 * np.sin(angles), np.full(5, 0.7)], axis=1)
    np.testing.assert_allclose(ways, by_hand, atol=1e-12)
    rolled = Camera((1, 0, 0), (0, 0, 0), up=(0, 1, 0)).orbited(90)  # the picture is rolled as before
    np.testing.assert_allclose(rolled.axes(), [[0, 0, -1], [1, 0, 0], [0, -1, 0]], atol=1e-12)


def test_a_file_becomes_a_picture(tmp_path):
    image = pytest.importorskip("PIL.Image")
    out = tmp_path / "still.png"
    code = cli.main([
        "render", str(QUADRUPED), str(out), "--duration", "0", "--size", "80x60",
        "--camera", "1,-1,0.6,0,0,0.3",
    ])  # fmt: skip
    assert code == 0
    with image.open(out) as made:
        assert made.size == (80, 60)


def test_a_recording_becomes_a_film(tmp_path, capsys):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    pytest.importorskip("zarr")
    run, out = tmp_path / "run.zarr", tmp_path / "run.mp4"
    assert cli.main(["record", str(QUADRUPED), str(run), "--hold", "--seconds", "0.5"]) == 0
    common = ["render", str(run), str(out), "--fps", "20", "--size", "64x48"]
    assert cli.main(common) == 1
    assert "--scene world.xml" in capsys.readouterr().err
    assert cli.main([*common, "--scene", str(QUADRUPED), "--from", "0.1"]) == 0
    assert imageio_ffmpeg.count_frames_and_secs(str(out))[0] == 9


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["out.gif"], "ending"),
        (["nowhere/out.mp4"], "folder does not exist"),
        (["out.mp4", "--fps", "0"], "--fps must be"),
        (["out.mp4", "--follow", "nobody"], "nobody"),
        (["out.mp4", "--scene", "x"], "leave them out"),
        (["out.mp4", "--duration", "1e8"], "more than"),
    ],
)
def test_films_that_cannot_be_are_refused(tmp_path, monkeypatch, capsys, options, says):
    monkeypatch.chdir(tmp_path)
    short = [] if "--duration" in options else ["--duration", "0.01"]
    assert cli.main(["render", str(QUADRUPED), *options, *short]) == 1
    assert says in capsys.readouterr().err
    assert not (tmp_path / "out.mp4").exists()


@pytest.mark.parametrize(
    "option",
    [
        ["--size", "12"],
        ["--orbit", "nan"],
        ["--orbit", "1e9"],
        ["--size", "1x1"],
        ["--camera", "1,2"],
        ["--camera", "0,0,0,0,0,0"],
    ],
)
def test_options_that_are_none_are_usage(tmp_path, option):
    with pytest.raises(SystemExit):
        cli.main(["render", str(QUADRUPED), str(tmp_path / "x.mp4"), *option])


@pytest.mark.parametrize("eye", [(0, 0, 0.6), (3.0, -2.0, 0.4), (-8.0, 1.0, 1.5)])
def test_a_floor_on_which_the_camera_stands_is_cut_and_not_left_out(eye):
    """A box of 20 m reaches behind the camera; its upper side is a plane at z = 0, seen everywhere below."""
    world = tribo.World()
    floor = world.add_box((20, 20, 0.2), 1.0, position=(0, 0, -0.1), body_type="static")
    renderer = tribo.Renderer(world, 80, 60)
    camera = Camera(eye=eye, target=(eye[0] + 1.0, eye[1] + 0.5, eye[2] - 0.6), fov=60)
    depth = renderer.depth_array(camera)
    rays = camera.rays(80, 60)
    expected = np.where(rays[..., 2] < 0.0, -eye[2] / np.minimum(rays[..., 2], -1e-9), np.nan)
    place = np.asarray(eye) + expected[..., None] * rays
    on_floor = (np.abs(place[..., :2]) < 9.9).all(axis=-1)
    assert on_floor.sum() > 2000
    np.testing.assert_allclose(depth[on_floor], expected[on_floor], rtol=2e-4)
    seen = renderer.segmentation_array(camera)
    assert (seen[on_floor] == world.objects.index(floor)).all()
