"""Buttons, handles, boxes and lists in the browser, and their effect on what is drawn and on the world."""

import io
import time

import numpy as np
import pytest
from contracts import browser
from contracts.touchable import press, serve, touchable_world, until

pytest.importorskip("viser")

from PIL import Image

from tribo.viewer import Viewer, panel

needs_browser = pytest.mark.skipif(browser.CHROMIUM is None, reason="Chromium is not installed")


@pytest.fixture
def viewer():
    with Viewer(touchable_world(), port=8450) as made:
        yield made


def effects(viewer):
    """Return, for each box of *Show* that has one while nothing moves, whether its effect is there."""
    stage, overlays, sensors = viewer._stage, viewer._overlays, viewer._sensors
    drawn = {
        "visual": lambda: stage.visual.visible,
        "collision": lambda: stage.collision.visible,
        "contacts": lambda: stage._points.visible,
        "forces": lambda: stage._arrows.visible,
        "sensors": lambda: bool(sensors._nodes),
        "colors": lambda: bool(sensors._colors),
    }
    return drawn | {name: lambda name=name: name in overlays._on for name in overlays._parts}


def above(page, camera, point):
    """Return the pixel of a point (3,) [m], as a camera of no roll sees it."""
    wide, high = page.run("[innerWidth, innerHeight]")
    eye, forward = np.array(camera.eye), np.subtract(camera.target, camera.eye)
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    way, focal = np.subtract(point, eye), 0.5 * high / np.tan(np.radians(0.5 * camera.fov))
    x, y = (focal * (way @ axis) / (way @ forward) for axis in (right, np.cross(right, forward)))
    return 0.5 * wide + x, 0.5 * high - y


def is_blue_at(png, x, y):
    """Tell whether something within 4 pixels of a place is as blue as an upward handle."""
    image = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    near = image[round(y) - 4 : round(y) + 5, round(x) - 4 : round(x) + 5]
    return bool((near[..., 2] - near[..., 0] > 60).any())


@needs_browser
def test_buttons_handles_boxes_and_views_have_their_effect(viewer, tmp_path):
    world, wishes, touch = viewer._world, viewer.panel.wishes, viewer._touch
    world.add_depth_camera(None, width=8, height=6, name="eye", position=(-2, 0, 0.5)).measure()
    viewer.set_camera((0.0, -4.0, 1.2), (0.0, 0.0, 0.4))
    viewer.save_view()
    viewer._server.scene.enable_shadows = False
    viewer._orders.post(("select",), world["ball"].span.body.start)

    def script(page):
        press(page, "Pause", lambda: not wishes.is_playing, "the button pauses")
        press(page, "Reset", lambda: world.time == 0.0, "the button resets")
        press(page, "Single step", lambda: world.time > 0.0, "the button steps")
        np.testing.assert_allclose(world.time, world.time_step, rtol=1e-6)
        press(page, "Play", lambda: world.time > 5 * world.time_step, "the button plays")
        press(page, "Pause", lambda: not wishes.is_playing, "and pauses again")
        viewer._orders.post(("deselect",))
        until(lambda: touch.selected is None, "steps under way end, orders are taken after them")
        last = world.time
        press(page, "Step back", lambda: world.time < last, "the button steps back")
        np.testing.assert_allclose(world.time, last - world.time_step, rtol=1e-6)
        # -- by hand: the upward arrow of the handles at the selected ball, 42 cm above its middle -------
        press(page, "Reset", lambda: world.time == 0.0, "back at the start")
        viewer._orders.post(("select",), world["ball"].span.body.start)
        until(lambda: touch._gizmo.visible, "handles at what is selected")
        before = world["ball"].position.copy()
        x, y = above(page, viewer.camera, np.add(before, (0.0, 0.0, 0.42)))
        is_there = is_blue_at(page.wait_for_picture(lambda png: is_blue_at(png, x, y)), x, y)
        assert is_there, f"no handle at ({x}, {y}), though the world's thread shows {touch._gizmo.position}"
        page.mouse("Moved", x, y)
        time.sleep(0.5)
        page.mouse("Pressed", x, y)
        for k in range(1, 7):
            page.mouse("Moved", x, y - 5 * k)
            time.sleep(0.05)
        until(lambda: world["ball"].position[2] > before[2] + 0.1, "the handle lifts the ball")
        page.mouse("Released", x, y - 30)
        np.testing.assert_allclose(world["ball"].position[:2], before[:2], atol=1e-3)
        assert world.time == 0.0
        press(page, "Reset", lambda: np.array_equal(world["ball"].position, before), "reset takes it back")
        # -- what is shown -------------------------------------------------------------------------
        drawn = effects(viewer)
        for name, (text, _) in panel.LAYERS.items():
            was = wishes.shown[name]
            page.check(text)
            until(lambda name=name, was=was: wishes.shown[name] is not was, text)
            is_drawn = drawn.get(name, lambda was=was: not was)
            until(lambda is_drawn=is_drawn, was=was: is_drawn() is not was, f"effect of {text}")
        page.press("n", "KeyN", "n")
        page.wait_for("contact solve, motion")  # times of stages
        for name, (text, _) in panel.LAYERS.items():
            was = wishes.shown[name]
            page.check(text)
            is_drawn = drawn.get(name, lambda name=name: wishes.shown[name])
            until(lambda is_drawn=is_drawn, was=was: is_drawn() is not was, f"{text} again")
        # -- views --------------------------------------------------------------------------------
        page.press("f", "KeyF", "f")
        until(lambda: wishes.follows == "ball", "F follows what is selected")
        page.press("f", "KeyF", "f")
        until(lambda: wishes.follows == "nothing", "and ends it")
        page.press("0", "Digit0", "0")
        until(lambda: viewer.camera.eye[1] > -3.5, "0 shows everything again")
        there = viewer.camera.eye
        page.press("v", "KeyV", "v")
        until(lambda: viewer.views == ("view 1", "view 2"), "V saves a view")
        page.choose("View", "view 1")
        until(lambda: np.allclose(viewer.camera.eye, (0.0, -4.0, 1.2), atol=1e-3), "the list, 1")
        page.press("2", "Digit2", "2")
        until(lambda: np.allclose(viewer.camera.eye, there, atol=1e-3), "2 shows view 2")

    serve(viewer, script, tmp_path, scale=1.0)


@needs_browser
def test_sliders_and_follow_have_their_effect(viewer, tmp_path):
    world, wishes, touch = viewer._world, viewer.panel.wishes, viewer._touch
    ball = world["ball"]
    viewer._server.scene.enable_shadows = False

    def longest():
        ways = np.diff(viewer._stage._arrows.points, axis=1)
        return float(np.linalg.norm(ways, axis=2).max(initial=0.0))

    def script(page):
        until(lambda: world.time > 0.5, "the ball comes to rest")
        page.enter("Speed", 0.05)
        until(lambda: wishes.speed == 0.05, "speed")
        time.sleep(0.5)  # what was due before is stepped
        start, begin = time.monotonic(), world.time
        until(lambda: time.monotonic() > start + 1.0, "a second")
        passed = world.time - begin
        # A step may be due already when the clock is read; no load lets more world time pass.
        assert 0.0 < passed <= 0.05 * (time.monotonic() - start) + world.time_step
        page.enter("Arrows [mm/N]", 7)
        weight = 9.81  # [N] of 1 kg
        until(lambda: np.isclose(longest(), 7e-3 * weight, rtol=1e-2), "arrows of another length")
        page.enter("Arrows [mm/N]", 20)
        until(lambda: np.isclose(longest(), 20e-3 * weight, rtol=1e-2), "and of yet another")
        page.enter("Spring strength", 3)
        until(lambda: touch.strength == 3.0, "strength of the spring")
        row, place = ball.span.body.start, ball.position.copy()
        viewer._orders.post(("drag", "start"), (row, place, np.add(place, (0, 0, 0.02)), None))
        # 2 cm of the 10 cm at which strength 1 bears the weight, three times as strong.
        until(lambda: np.isclose(np.linalg.norm(touch.force), 0.6 * weight, rtol=0.02), "it pulls")
        viewer._orders.post(("drag", "end"), (row, place, place, None))
        until(lambda: touch.grip is None, "and lets go")
        press(page, "Pause", lambda: not wishes.is_playing, "pause")
        page.choose("Follow", "ball")
        until(lambda: wishes.follows == "ball", "follow")
        (client,) = viewer._server.get_clients().values()
        before = client.camera.position.copy()
        assert touch.selected.label == "ball"  # what is pulled is selected
        viewer._orders.post(("pose",), (np.add(place, (0.5, 0, 0)), np.array([1.0, 0, 0, 0])))
        until(
            lambda: np.allclose(client.camera.position, np.add(before, (0.5, 0, 0)), atol=1e-2),
            "the camera goes along",
        )

    serve(viewer, script, tmp_path)
