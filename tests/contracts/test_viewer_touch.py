"""Acts of a person in the browser, and their effects in the world.

Buttons, boxes and sliders of the panel are in `test_viewer_controls.py`.
"""

import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from contracts import browser
from contracts.touchable import serve, touchable_world, until

import tribo

pytest.importorskip("viser")

import viser

from tribo.viewer import Viewer, commands, panel
from tribo.viewer.grips import Spring
from tribo.viewer.inputs import MOST, Orders
from tribo.viewer.views import move_camera

needs_browser = pytest.mark.skipif(browser.CHROMIUM is None, reason="Chromium is not installed")
QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"


@pytest.fixture
def viewer():
    with Viewer(touchable_world(), port=8440) as made:
        yield made


@needs_browser
def test_the_mouse_keys_and_folders_do_what_they_say(viewer, tmp_path):
    world, wishes, touch = viewer._world, viewer.panel.wishes, viewer._touch
    viewer.set_camera((0.0, -4.0, 1.2), (0.0, 0.0, 0.4))
    viewer._server.scene.enable_shadows = False

    def script(page):
        time.sleep(3.0)  # the page fades in
        wide, high = page.run("[innerWidth, innerHeight]")
        middle = (wide // 2, high // 2)
        # -- select, and pull upwards with Ctrl held ------------------------------------------
        page.mouse("Moved", *middle)
        time.sleep(0.3)
        page.mouse("Pressed", *middle)
        page.mouse("Released", *middle)
        until(lambda: touch.selected is not None, "a click selects")
        assert touch.selected.label == "ball"
        page.wait_for("normal forces 9.81 N")
        page.mouse("Moved", *middle, ctrl=True)
        time.sleep(0.3)
        page.mouse("Pressed", *middle, ctrl=True)
        for k in range(1, 11):
            page.mouse("Moved", middle[0], middle[1] - 10 * k, ctrl=True)
            time.sleep(0.05)
        until(lambda: world["ball"].position[2] > 0.45, "the spring lifts the ball")
        page.wait_for("pulled with")
        page.mouse("Released", middle[0], middle[1] - 100, ctrl=True)
        until(lambda: touch.grip is None, "letting go ends the pull")
        # -- twist: the side that is seen goes to the right, so the ball turns about the upward axis -----
        until(lambda: world["ball"].position[2] < 0.32, "the ball falls back")
        page.mouse("Moved", *middle, ctrl=True, shift=True)
        time.sleep(0.3)
        page.mouse("Pressed", *middle, ctrl=True, shift=True)
        for k in range(1, 11):
            page.mouse("Moved", middle[0] + 10 * k, middle[1], ctrl=True, shift=True)
            time.sleep(0.05)
        until(lambda: world["ball"].angular_velocity[2] > 1.0, "the twist turns the ball")
        page.wait_for("twisted with")
        page.mouse("Released", middle[0] + 100, middle[1], ctrl=True, shift=True)
        until(lambda: touch.grip is None, "letting go ends the twist")
        # -- time: buttons and keys --------------------------------------------------------------
        page.press(" ", "Space", " ")
        until(lambda: not wishes.is_playing, "space pauses")
        before = world.time
        page.press("n", "KeyN", "n")
        until(lambda: world.time > before, "N steps")
        np.testing.assert_allclose(world.time - before, world.time_step, rtol=1e-6)
        page.press("ArrowRight")
        until(lambda: world.time > before + 1.5 * world.time_step, "→ steps")
        page.press("Backspace")
        until(lambda: world.time == 0.0, "backspace resets")
        # -- the camera ----------------------------------------------------------------------------
        page.click("Save this view")
        until(lambda: viewer.views == ("view 1",), "a view is saved")
        page.press("0", "Digit0", "0")
        until(lambda: viewer.camera.eye != (0.0, -4.0, 1.2), "0 shows everything")
        page.press("1", "Digit1", "1")
        until(lambda: np.allclose(viewer.camera.eye, (0.0, -4.0, 1.2), atol=1e-3), "1 shows view 1")
        # -- the world -----------------------------------------------------------------------------
        page.unfold("World")
        time.sleep(0.5)
        page.enter("Gravity z [m/s²]", -3)
        until(lambda: world.gravity[2] == -3.0, "gravity")
        page.enter("Time step [ms]", 2)
        until(lambda: world.time_step == 0.002, "time step")
        page.choose("Material pair", "steel – rubber")
        until(lambda: set(viewer._commands.world._pair) == {"steel", "rubber"}, "pair of materials")
        page.choose("Property", "restitution")
        until(lambda: viewer._commands.world._property == "restitution", "property")
        until(lambda: page.value("Value") == 0.0, "the slider shows the value of that property")

        def has_restitution():
            # Again if the page was still being drawn anew: the entry is lost then, and a field that shows
            # 0.5 already would send nothing.
            page.enter("Value", 0.25)
            page.enter("Value", 0.5)
            time.sleep(1.0)
            return world.materials.pair("rubber", "steel").restitution == 0.5

        until(has_restitution, "restitution")
        # -- joints and drives ----------------------------------------------------------------------
        viewer._orders.post(("select",), world["arm"].span.body.start + 1)
        page.wait_for("Joints of arm")
        page.wait_for("Targets of drives")
        page.enter("swing target [rad]", 0.5)
        until(lambda: world["arm"].pd_target[0] == 0.5, "target of a drive")
        page.unfold("Coordinates (while paused)")
        time.sleep(0.5)
        page.enter("swing [rad]", -0.25)
        until(lambda: world["arm"].generalized_coordinate[0] == -0.25, "a joint by hand")
        # -- the list of keys ------------------------------------------------------------------------
        page.press("?", "Slash", "?", shift=True)
        page.wait_for("pull a body with a spring")
        page.click("Close")
        time.sleep(1.0)  # it fades out
        page.press("h", "KeyH", "h")
        page.wait_for("pull a body with a spring")
        page.click("Close")
        page.press("Escape")
        until(lambda: touch.selected is None, "Esc selects nothing")

    serve(viewer, script, tmp_path)


# -- without a browser ----------------------------------------------------------------------------
def test_a_spring_bears_the_weight_at_the_stretch_that_it_says():
    # At rest k x = m g, and k = strength · m g / 10 cm: the stretch is 10 cm / strength, whatever the mass.
    for mass, strength in ((0.1, 1.0), (50.0, 2.0)):
        world = tribo.World()
        ball = world.add_sphere(0.1, mass, position=(0, 0, 1))
        pulled = Spring(
            part=ball, body=0, point=np.zeros(3), target=np.array([0.0, 0.0, 1.2]), strength=strength
        )
        for _ in range(3000):
            force = pulled.pull(world.time_step)
            world.step()
        np.testing.assert_allclose(force, (0, 0, 9.81 * mass), rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(1.2 - ball.position[2], 0.1 / strength, rtol=1e-6)


@pytest.mark.parametrize("time_step", [1e-3, 1e-2])
def test_a_spring_at_the_light_end_of_a_robot_does_not_swing_up(time_step):
    # A foot of 0.2 kg is pulled with the stiffness that bears 12 kg: unbounded, k w dt² would be above 1.
    world = tribo.World(time_step=time_step)
    robot = world.add_articulated_system(QUADRUPED, position=(0, 0, 1))
    body = robot.body_names.index("LF_SHANK")
    foot = robot.links[body]
    start = np.array(foot.to_world((0, 0, -0.1)))
    pulled = Spring(
        part=robot,
        body=body,
        point=np.array([0.0, 0.0, -0.1]),
        target=start + np.array([0.0, 0.0, 0.3]),
        strength=10.0,
    )
    bound = 9.81 * robot.mass / 0.1 * 10.0 * 2.0  # k times a stretch that never gets near to 2 m
    for _ in range(int(2.0 / time_step)):
        assert np.linalg.norm(pulled.pull(time_step)) < bound
        world.step()
    assert np.linalg.norm(pulled.held_point() - pulled.target) < 0.3


def test_what_no_force_moves_is_not_pulled_but_said(viewer):
    ground = viewer._world["ground"].span.body.start
    viewer._orders.post(("drag", "start"), (ground, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), None))
    viewer._carry_out()
    assert viewer._touch.grip is None
    assert "ground is static" in viewer.panel._said.content


def test_a_gizmo_moves_what_is_selected_only_while_paused(viewer):
    world = viewer._world
    viewer._orders.post(("select",), world["ball"].span.body.start)
    viewer._orders.post(("pose",), (np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 0.0, 0.0])))
    viewer._carry_out()
    np.testing.assert_array_equal(world["ball"].position, (0, 0, 0.3))
    assert "pause the world" in viewer.panel._said.content
    viewer.panel.pause()
    viewer._orders.post(("pose",), (np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 0.0, 0.0])))
    viewer._carry_out()
    np.testing.assert_array_equal(world["ball"].position, (1, 2, 3))
    np.testing.assert_array_equal(world["ball"].orientation, (0, 1, 0, 0))
    assert viewer.panel._said.content == ""


def test_update_pulls_in_a_loop_of_ones_own(viewer):
    world = viewer._world
    ball = world["ball"]
    row = ball.span.body.start
    viewer._orders.post(("drag", "start"), (row, tuple(ball.position), (0.0, 0.0, 1.3), None))
    viewer._carry_out()
    for _ in range(1500):
        world.step()
        viewer.update()
    np.testing.assert_allclose(ball.position[2], 1.2, atol=1e-3)  # 10 cm below the mouse
    viewer._orders.post(("drag", "end"), (row, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), None))
    viewer._carry_out()
    assert viewer._touch.grip is None


def test_an_object_that_goes_is_no_longer_touched(viewer):
    world = viewer._world
    row = world["ball"].span.body.start
    viewer._orders.post(("select",), row)
    viewer._orders.post(("drag", "start"), (row, (0, 0, 0.3), (0, 0, 1), None))
    viewer._carry_out()
    world.remove("ball")
    viewer.update()
    viewer._push()
    assert viewer._touch.grip is None
    assert viewer._touch.selected is None


@pytest.mark.parametrize("value", [None, "x", float("nan"), [1], True])
def test_what_is_no_number_changes_no_world(viewer, value):
    world = viewer._world
    arm = world["arm"]
    viewer._commands.joints.show(arm, can_place=True)
    before = world.gravity.copy(), world.time_step, arm.generalized_coordinate.copy()
    joints = (("joint", arm.id, 0), ("target", arm.id, 0), ("joint", 99, 0), ("target", arm.id, 7))
    words = ("gravity", "time_step", "value", "pair", "property")
    for key in (*((word,) for word in words), *joints):
        viewer._orders.post(key, value)
    viewer._carry_out()
    np.testing.assert_array_equal(world.gravity, before[0])
    assert world.time_step == before[1]
    np.testing.assert_array_equal(arm.generalized_coordinate, before[2])


def test_friction_at_rest_goes_along_with_friction(viewer):
    world = viewer._world
    world.set_material_pair("steel", "rubber", friction=0.5)
    viewer._orders.post(("pair",), "steel – rubber")
    viewer._orders.post(("value",), 0.9)
    viewer._carry_out()
    pair = world.materials.pair("steel", "rubber")
    assert (pair.friction, pair.static_friction) == (0.9, 0.9)


def test_few_orders_wait_however_many_come():
    orders = Orders()
    for k in range(10 * MOST):
        orders.post(("gravity",), k)
        orders.post(("junk", k), k)
    taken = dict(orders.take())
    assert len(taken) <= MOST
    assert taken["gravity",] == 10 * MOST - 1
    assert orders.take() == []


def test_the_list_of_keys_names_them_all():
    text = commands.listed()
    for key, what in commands.KEYS.values():
        assert commands.NAMES.get(key, key) in text or key.isdigit()
        assert what in text or what.startswith("saved view")


# -- what is shown ----------------------------------------------------------------------------------
def nodes(viewer):
    made = {name for name in viewer._server.scene._handle_from_node_name if name.startswith("/shown")}
    return made - {"/shown", "/shown/names"}  # folders


def test_what_is_shown_comes_and_goes(viewer):
    world = viewer._world
    world.add_pin(world["ball"], None, (0.0, 0.0, 0.6))
    world.step(20)
    viewer._push()
    assert nodes(viewer) == set()
    for name, (text, _) in panel.LAYERS.items():
        viewer.show_layers(**{name: True})
        viewer._push()
        viewer._push()  # a second time nothing is made anew
        assert text
    shown = nodes(viewer)
    expected = ("names", "frames", "joints", "masses", "inertias", "gaps", "axes")
    assert all(any(node.startswith(f"/shown/{name}") for node in shown) for name in expected)
    world.add_sphere(0.1, 1.0, name="late", position=(5, 0, 1))
    viewer._push()  # the scene is built anew
    assert any(node._impl.name.startswith("/shown/names/3") for node in viewer._overlays._names)
    viewer.show_layers(**dict.fromkeys(panel.LAYERS, False))
    viewer._push()
    assert nodes(viewer) == set()


def test_what_sleeps_is_paler(viewer):
    world = viewer._world
    world.sleeping = True
    layer = viewer._stage.visual
    full = [None if colors is None else colors.copy() for colors in layer._colors]
    world.step(2000)
    assert world["ball"].is_asleep
    viewer._push()
    changed = [
        not np.array_equal(handle.batched_colors, colors)
        for handle, colors in zip(layer.handles, full, strict=True)
        if colors is not None
    ]
    assert any(changed)
    viewer.show_layers(sleepers=False)
    viewer._push()
    for handle, colors in zip(layer.handles, full, strict=True):
        if colors is not None:
            np.testing.assert_array_equal(handle.batched_colors, colors)


# -- the camera from Python --------------------------------------------------------------------------
def test_views_are_kept_and_shown(viewer):
    viewer.set_camera((1, 2, 3), (0, 0, 0))
    assert viewer.save_view("front") == "front"
    assert viewer.save_view() == "view 1"
    viewer.set_camera((5, 5, 5), (0, 0, 1))
    viewer.show_view("front")
    np.testing.assert_allclose(viewer.camera.eye, (1, 2, 3))
    np.testing.assert_allclose(viewer.camera.target, (0, 0, 0))
    assert viewer.views == ("front", "view 1")
    with pytest.raises(KeyError, match="front"):
        viewer.show_view("frnt")
    with pytest.raises(ValueError, match="another place"):
        viewer.set_camera((1, 1, 1), (1, 1, 1))
    with pytest.raises(ValueError, match="finite"):
        viewer.set_camera((1, 1, float("nan")), (1, 1, 1))
    np.testing.assert_allclose(viewer.camera.eye, (1, 2, 3))


@pytest.mark.parametrize("noted", [((1, 2, 3), (0, 0, 0)), ((9, 9, 9), (8, 8, 8)), ((1, 2, 3), (8, 8, 8))])
def test_a_camera_is_moved_though_viser_believes_that_it_is_there(noted):
    # A report of the browser that was on its way when a key moved the camera leaves an old note with viser.
    sent = []
    client = SimpleNamespace(_websock_connection=SimpleNamespace(queue_message=sent.append))
    camera = viser.CameraHandle(client)
    state = camera._state
    state.update_timestamp, state.up_direction = 1.0, np.array([0.0, 0.0, 1.0])
    state.position, state.look_at = (np.array(place, float) for place in noted)
    move_camera(camera, (1, 2, 3), (0, 0, 0))
    for kind, value in (("Position", (1, 2, 3)), ("LookAt", (0, 0, 0))):
        *_, last = (message for message in sent if type(message).__name__ == f"SetCamera{kind}Message")
        np.testing.assert_array_equal(last.position if kind == "Position" else last.look_at, value)


def test_the_camera_finds_and_follows_an_object(viewer):
    world = viewer._world
    viewer.focus_on("ball")
    np.testing.assert_allclose(viewer.camera.target, world["ball"].position)
    away = np.linalg.norm(np.subtract(viewer.camera.eye, viewer.camera.target))
    assert 0.6 < away < 4.0
    viewer.follow(world["ball"])
    assert viewer.panel.wishes.follows == "ball"
    viewer.follow(None)
    assert viewer.panel.wishes.follows == panel.NOBODY
    for call in (viewer.follow, viewer.focus_on):
        with pytest.raises(KeyError, match="ball"):
            call("bal")
