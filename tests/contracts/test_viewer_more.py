"""Recordings as pages and over one another, worlds of a batch side by side, sensors, notebooks."""

import json
import socket
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rich.jupyter
from contracts import browser
from contracts.touchable import serve, until

import tribo
from tribo.tools import cli
from tribo.viewer import BatchViewer, SideBySide, draw, inputs, scene
from tribo.viewer.page import save_page
from tribo.viewer.player import WHICH, Player
from tribo.viewer.replay import replay
from tribo.viewer.sensor_marks import depth_picture, scan_points

pytest.importorskip("viser")
pytest.importorskip("zarr")
needs_browser = pytest.mark.skipif(browser.CHROMIUM is None, reason="no Chromium")
SPHERES = str(Path(tribo.__file__).parent / "assets" / "three_spheres.xml")


def falling(path, height, name="ball"):
    """Record a ball that falls for 0.2 s from a height."""
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_sphere(0.1, 1.0, position=(0, 0, height), name=name)
    with world.record(path, every=0.02):
        world.step(200)
    return world, tribo.Recording(path)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    world, first = falling(folder / "a.zarr", 2.0)
    return world, first, falling(folder / "b.zarr", 2.5)[1]


# -- a recording as one file ---------------------------------------------------------------------
def test_a_page_holds_all_frames_and_loads_nothing(runs, tmp_path):
    world, recording, _ = runs
    take = replay(recording, world, rate=50)
    size = save_page(take, tmp_path / "run.html", 'a "run" <b>')
    page = (tmp_path / "run.html").read_text("utf-8")
    assert size == (tmp_path / "run.html").stat().st_size < 2e6
    assert "<title>a &quot;run&quot; &lt;b&gt;</title>" in page
    assert 'src="http' not in page
    assert 'href="http' not in page
    with pytest.raises(FileNotFoundError, match="folder does not exist"):
        save_page(take, tmp_path / "none" / "run.html")


def test_a_page_has_a_title_names_and_energies(runs, tmp_path):
    world, recording, _ = runs
    take = replay(recording, world, rate=50)
    np.testing.assert_allclose(take.energy.sum(axis=1), recording.energy[0], rtol=1e-3)  # free fall
    save_page(take, tmp_path / "run.html", 'a "run" <b>')
    page = (tmp_path / "run.html").read_text("utf-8")
    assert "<div id='tribo-title'>a &quot;run&quot; &lt;b&gt;</div>" in page
    assert page.count("<polyline") == 3
    save_page(replace(take, energy=None), tmp_path / "none.html")
    assert "<polyline" not in (tmp_path / "none.html").read_text("utf-8")


def test_a_page_is_written_without_a_port_and_without_a_word(runs, tmp_path, monkeypatch, capfd):
    world, recording, _ = runs

    def listen(*_):
        raise AssertionError("a port was opened")

    monkeypatch.setattr(socket.socket, "listen", listen)
    save_page(replay(recording, world, rate=50), tmp_path / "run.html")
    assert capfd.readouterr() == ("", "")


@needs_browser
def test_a_page_plays_without_a_server(runs, tmp_path):
    world, recording, _ = runs
    save_page(replay(recording, world, rate=50), tmp_path / "run.html")
    with browser.opened(f"file://{tmp_path}/run.html", tmp_path / "profile", (600, 400), 0.5) as page:
        # The player's own field shows the time, which must move on and not leave the recording.
        script = "[...document.querySelectorAll('input')].map(e => e.value)"
        seen, end = set(), time.monotonic() + browser.PATIENCE
        while len(seen) < 3 and time.monotonic() < end:
            seen |= {float(x) for x in page.run(script) or () if x.replace(".", "").isdigit()}
            time.sleep(0.05)
    assert len(seen) >= 3, json.dumps(sorted(seen))
    assert max(seen) <= 0.2 + 1e-6


def test_a_page_is_written_in_silence(tmp_path, runs, monkeypatch, capsys):
    """Nothing on the terminal; in a notebook, where rich shows by itself, nothing below the cell."""
    world, recording = runs[:2]
    shown = []
    monkeypatch.setattr(rich.jupyter, "display", lambda *parts: shown.append(parts))
    for is_notebook in (False, True):
        monkeypatch.setattr(rich.get_console(), "is_jupyter", is_notebook)
        save_page(replay(recording, world, rate=10), tmp_path / "run.html")
    assert shown == []
    assert capsys.readouterr().out == ""
    assert not rich.get_console().quiet


def test_the_command_writes_a_page(tmp_path, capsys):
    out, page = str(tmp_path / "run.zarr"), tmp_path / "run.html"
    assert cli.main(["record", SPHERES, out, "--seconds", "0.03"]) == 0
    assert cli.main(["replay", out, SPHERES, "--page", str(page)]) == 0
    assert "MB" in capsys.readouterr().out
    assert page.read_bytes()[:15].lower() == b"<!doctype html>"
    assert cli.main(["replay", out, SPHERES, "--page", str(page), "--beside", out]) == 1
    assert "--beside is for the browser" in capsys.readouterr().err


# -- two recordings ------------------------------------------------------------------------------
def test_two_recordings_are_shown_at_the_same_time(runs):
    world, first, second = runs
    with Player(replay(first, world, 50), port=8470, other=replay(second, world, 50)) as player:
        for moment in (0.1, 0.2, 0.06):  # forth and back
            player.show(moment)
            for stage, at in ((player._stage, first), (player._ghost, second)):
                k = int(np.argmin(np.abs(at.time - moment)))
                place = stage.visual.handles[0].batched_positions[0]
                np.testing.assert_allclose(place, at["body_position"][k, 1], rtol=1e-6)
            # Both fall freely: what they began apart with stays.
            assert "**0.5 m**" in player._apart.content
            assert "ball" in player._apart.content
        for choice, seen in zip(WHICH, ((True, True), (True, False), (False, True)), strict=True):
            player._choose(choice)
            assert (player._stage.visual.visible, player._ghost.visual.visible) == seen
        player._choose("neither")  # from a page that is not ours
        assert player._ghost.visual.visible


@needs_browser
def test_every_control_of_the_player_does_what_it_says(runs, tmp_path):
    world, first, second = runs
    with Player(replay(first, world, 50), port=8476, other=replay(second, world, 50)) as player:

        def click_through(page):
            page.click("Pause")
            until(lambda: not player._is_playing, "pause")
            page.click("To the end")
            until(lambda: abs(player.time - 0.2) < 1e-9, "the end")
            page.click("To the start")
            until(lambda: player.time == 0.0, "the start")
            page.enter("Time [s]", 0.1)
            until(lambda: abs(player.time - 0.1) < 1e-9, "scrubbing")
            np.testing.assert_allclose(
                player._ghost.visual.handles[0].batched_positions[0, 2], 2.5 - 0.5 * 9.81 * 0.01, rtol=1e-3
            )
            page.enter("Speed", -2)
            until(lambda: player._speed == -2.0, "speed")
            page.click("Play")
            until(lambda: player._is_playing, "play")
            until(lambda: player.time < 0.09, "backwards")
            for text, name in (("Repeat", "_repeats"), ("Forces", "_shows_forces")):
                page.check(text)
                until(lambda name=name: getattr(player, name) is False, text)
            page.choose("Shown", "the other")
            until(lambda: not player._stage.visual.visible and player._ghost.visual.visible, "one of two")

        serve(player, click_through, tmp_path / "profile", (700, 500), "farthest apart")


def test_motions_of_other_bodies_are_not_compared(runs):
    world, first, _ = runs
    other = tribo.World()
    other.add_sphere(0.1, 1.0)
    with pytest.raises(ValueError, match="same bodies"):
        Player(replay(first, world), port=8471, other=_still(other))


def _still(world):
    from tribo.viewer.replay import Replay

    poses = scene.read_poses(world)
    none = np.zeros((0, 3))
    return Replay(
        scene.describe(world), np.zeros(1), poses.position[None], poses.rotation[None], none, none, 0.0, 1.0,
        np.zeros((1, 2), int), np.arange(len(poses.position)),
    )  # fmt: skip


# -- a batch -------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def batch():
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_box((1, 1, 0.2), 1.0, name="table", position=(0, 0, 0.1), body_type="static")
    world.add_sphere(0.1, 1.0, name="ball", position=(0, 0, 0.5))
    made = tribo.Batch(world, 5, threads=1)
    made["ball"].generalized_coordinate[:, 2] = 0.5 + np.arange(5)
    return world, made


def test_every_world_has_a_place_of_its_own(batch):
    world, made = batch
    shown = SideBySide(made, world, worlds=[0, 3, 4, 1], spacing=3.0)
    poses = shown.poses()
    rows = world["ball"].span.body.start + np.arange(4) * len(world.engine.model.body_tree)
    np.testing.assert_allclose(poses.position[rows, 2], (0.5, 3.5, 4.5, 1.5))
    np.testing.assert_allclose(poses.position[rows, :2], [(-1.5, -1.5), (1.5, -1.5), (-1.5, 1.5), (1.5, 1.5)])
    table = world["table"].span.body.start
    np.testing.assert_allclose(poses.position[table], (-1.5, -1.5, 0.1))
    assert len(shown.scene.visual.items) == 8
    assert len(shown.scene.planes.items) == 1


def test_a_camera_sees_the_vertices_that_are_drawn(batch):
    shown = SideBySide(batch[1], batch[0])
    drawn = draw.heap_of(draw.parts_of(shown.scene.visual, shown.poses())).vertices
    assert np.array_equal(shown.scene.visual.vertices(shown.poses()), drawn)


def test_the_browser_shows_what_the_batch_does(batch):
    world, made = batch
    with BatchViewer(made, world, port=8472) as view:
        made.step(100)
        view._pace.next = 0.0
        view.update()
        sphere = next(h for h in view._stage.visual.handles if "sphere" in h.name)
        fallen = np.sort(sphere.batched_positions[:, 2])
        np.testing.assert_allclose(fallen, np.arange(5) + 0.5 - 0.5 * 9.81 * 0.1**2, rtol=1e-5)
        assert "5 of 5 worlds" in view._text.content


@pytest.mark.parametrize(
    ("worlds", "error", "says"),
    [([5], ValueError, "0 to 4"), ([], ValueError, "at least one"), ([1.5], TypeError, "number of a world")],
)
def test_worlds_that_are_not_there_are_refused(batch, worlds, error, says):
    with pytest.raises(error, match=says):
        SideBySide(batch[1], batch[0], worlds)


def test_another_world_than_the_batch_was_made_of_is_refused(batch):
    with pytest.raises(ValueError, match="made of"):
        SideBySide(batch[1], tribo.World())
    other = tribo.World()
    other.add_sphere(0.1, 1.0, name="someone")
    with pytest.raises(ValueError, match="made of"):
        SideBySide(batch[1], other)


# -- sensors -------------------------------------------------------------------------------------
def test_a_scan_lies_on_what_was_seen_and_looking_measures_nothing():
    world = tribo.World()
    world.add_ground(name="ground")
    box = world.add_box((0.2, 0.2, 0.2), 1.0, name="box", position=(0, 0, 1.0),
                        orientation=(0.5**0.5, 0, 0, 0.5**0.5))  # fmt: skip
    lidar = world.add_lidar(box, pitch=(-0.5,), yaw_samples=16, name="lidar")
    camera = world.add_depth_camera(box, width=8, height=4, name="camera", position=(0.2, 0, 0))
    with tribo.Viewer(world, port=8473) as viewer:
        viewer.show_layers(sensors=True)
        viewer._push()
        assert lidar.reading is None
        assert camera.reading is None
        assert viewer._sensors._nodes == {}
        reading = lidar.measure()
        camera.measure()
        viewer._push()
        points = viewer._sensors._nodes["lidar"].points
        np.testing.assert_allclose(points, scan_points(lidar, reading), atol=1e-6)
        np.testing.assert_allclose(points[:, 2], 0.0, atol=1e-6)  # on the ground
        np.testing.assert_allclose(np.linalg.norm(points[:, :2], axis=1), 1.0 / np.tan(0.5), rtol=1e-5)
        assert np.array_equal(viewer._sensors._images["camera"].image, depth_picture(camera.reading.depth))
        assert lidar.reading is reading
        world.remove_sensor("lidar")
        viewer._push()
        assert set(viewer._sensors._nodes) == {"camera"}
        viewer.show_layers(sensors=False)
        viewer._push()
        assert viewer._sensors._nodes == {} == viewer._sensors._images


# -- notebooks -----------------------------------------------------------------------------------
def test_a_notebook_embeds_the_viewer_and_its_last_state():
    world = tribo.World()
    world.add_sphere(0.1, 1.0, name="ball")
    view = world.show(port=8474)
    assert world.show() is view
    page = view._repr_html_()
    assert page.startswith(f'<iframe src="{view.address}"')
    view.close()
    assert "closed" in view._repr_html_()
    with world.viewer(port=8474, token="a-token-of-mine") as other:
        assert other is not view
        assert "?token=a-token-of-mine" in other._repr_html_()


def test_a_robot_is_a_table_in_a_notebook():
    urdf = """<robot name="r"><link name="world"/><link name="b&lt;"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j&lt;i&gt;" type="revolute"><parent link="world"/><child link="b&lt;"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1.5" effort="7" velocity="9"/></joint></robot>"""
    robot = tribo.World().add_articulated_system(urdf, name="arm")
    robot.generalized_coordinate = [0.25]
    table = robot._repr_html_()
    for cell in ("j&lt;i&gt;", "revolute", "b&lt;", "2", "0.25 rad", "-1 … 1.5 rad", "7 N m"):
        assert f"<td>{cell}</td>" in table
    assert "<i>" not in table


# -- layers from Python --------------------------------------------------------------------------
def test_layers_are_shown_from_python_and_the_boxes_say_so():
    world = tribo.World()
    world.add_sphere(0.1, 1.0, name="ball")
    with tribo.Viewer(world, port=8475) as viewer:
        viewer.show_layers(cones=True, visual=False, sleepers=False)
        inputs.settle(viewer._server)
        wishes, boxes = viewer.panel.wishes, viewer.panel._boxes
        for name, value in (("cones", True), ("visual", False), ("sleepers", False)):
            assert wishes.shown[name] is boxes[name].value is value
        for layers, error in (({"names": True, "cone": True}, KeyError), ({"names": 1}, TypeError)):
            with pytest.raises(error):
                viewer.show_layers(**layers)
            assert wishes.shown["names"] is False
