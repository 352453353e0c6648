"""What strangers tried at the viewer: twists, colours of cameras, worlds that change meanwhile."""

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import tribo

pytest.importorskip("viser")

from tribo.sensors.camera import DepthCamera
from tribo.viewer import Camera, Renderer, Viewer, inputs, sensor_picture
from tribo.viewer.grips import FREE_SPEED, Twist
from tribo.viewer.pace import MAX_SKIPPED
from tribo.viewer.player import Player
from tribo.viewer.replay import replay
from tribo.viewer.sensor_marks import sensor_camera

QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
HINGE = """<robot name="arm"><link name="world"/><link name="bar"><inertial><origin xyz="0 0 -0.2"/>
<mass value="2"/><inertia ixx="0.03" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="swing" type="revolute"><parent link="world"/><child link="bar"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1.5" effort="100" velocity="100"/></joint></robot>"""
SIDE, BACK = np.array([0.1, 0.0, 0.0]), np.array([0.0, -1.0, 0.0])  # to the right, seen from −y


def twist_of(part, body, toward, target, strength=1.0):
    """Return the twist of a mouse that began at the origin."""
    return Twist(part=part, body=body, target=target, strength=strength, start=np.zeros(3), toward=toward)


def falling_ball():
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_sphere(0.1, 1.0, name="ball", position=(0, 0, 1))
    return world


@pytest.fixture
def viewer():
    with Viewer(falling_ball(), port=8510) as made:
        yield made


def drag(viewer, toward=None):
    """Begin to pull the ball, or to twist it."""
    row = viewer._world["ball"].span.body.start
    viewer._orders.post(("drag", "start"), (row, (0, 0, 1), (0, 0, 2), toward))


# -- twists -----------------------------------------------------------------------------------------
def test_a_twist_has_the_size_and_the_sense_that_it_says():
    # Weight 3 · 9.81 N, strength 2, a way of 0.1 m: 5.886 N m. The seen side, at −y, goes to +x: about +z.
    ball = tribo.World().add_sphere(0.1, 3.0, position=(0, 0, 1))
    twist = twist_of(ball, 0, BACK, SIDE, 2.0)
    np.testing.assert_allclose(twist.torque(1e-3), (0, 0, 2 * 3 * 9.81 * 0.1), rtol=1e-12)
    turned = np.cross(twist.torque(1e-3), BACK)
    assert turned @ SIDE > 0.0


def test_a_body_that_nothing_holds_turns_at_the_speed_that_it_says():
    world = tribo.World()
    world.gravity = (0, 0, 0)
    # Inertia 0.4 · 50 · 0.5² = 5 kg m² and damping 50 · 9.81/100 = 4.9 N m s: about 1 s, so 3e-9 of the speed
    # is missing after 20 s.
    ball = world.add_sphere(0.5, 50.0)
    twist = twist_of(ball, 0, BACK, SIDE)
    for _ in range(20_000):
        twist.pull(world.time_step)
        world.step()
    np.testing.assert_allclose(ball.angular_velocity, (0, 0, 0.1 * FREE_SPEED), rtol=1e-6, atol=1e-9)


def test_a_twist_loads_a_joint():
    world = tribo.World()
    world.gravity = (0, 0, 0)
    arm = world.add_articulated_system(HINGE, name="arm")
    arm.set_pd_gains([40.0], [4.0])
    # Seen from +x, down by 0.1 m: e × d = x × −z = +y, the axis; at rest kp · angle = m g · 0.1 m.
    down, front = np.array([0.0, 0.0, -0.1]), np.array([1.0, 0.0, 0.0])
    twist = twist_of(arm, arm.body_names.index("bar"), front, down)
    for _ in range(5000):
        twist.pull(world.time_step)
        world.step()
    np.testing.assert_allclose(arm.generalized_coordinate, 2 * 9.81 * 0.1 / 40.0, rtol=1e-6)


@pytest.mark.parametrize(("time_step", "way"), [(1e-3, 0.3), (1e-2, 0.1)])
def test_a_twist_of_a_light_link_does_not_swing_up(time_step, way):
    # Damping that is constant over a step takes at most half of the speed away (c w dt ≤ ½), so the torque
    # never turns round and never exceeds that of a body at rest. Links that jam are another matter, and so
    # is a link that turns by radians in a step.
    world = tribo.World(time_step=time_step)
    robot = world.add_articulated_system(QUADRUPED, position=(0, 0, 1), collision_mask=0)
    twist = twist_of(robot, robot.body_names.index("LF_SHANK"), BACK, way / 0.1 * SIDE, 10.0)
    most = (1.0 + 1e-12) * 10.0 * 9.81 * robot.mass * way
    for _ in range(int(1.0 / time_step)):
        assert np.linalg.norm(twist.pull(time_step)) <= most
        world.step()


@pytest.mark.parametrize("toward", [None, (0.0, -1.0, 0.0)])
def test_texts_at_a_grip_do_not_lie_upon_one_another(viewer, toward):
    viewer.show_layers(names=True)
    viewer._orders.post(
        ("drag", "start"), (viewer._world["ball"].span.body.start, (0, 0, 1), (0.3, 0, 1.2), toward)
    )
    viewer._push()
    touch, name = viewer._touch, viewer._overlays._names[1]
    np.testing.assert_allclose(touch._force_label.position, touch.grip.ends()[1])  # the arrow's tip
    assert np.linalg.norm(touch._force_label.position - name.position) > 0.2
    np.testing.assert_array_equal(touch._label.position, name.position)
    assert (name.anchor, touch._label.anchor) == ("bottom-center", "top-left")  # above it, below it


# -- worlds that change while they are looked at ----------------------------------------------------
@pytest.mark.parametrize("toward", [None, (0.0, -1.0, 0.0)])
def test_what_is_pulled_may_go_while_the_world_is_paused(viewer, toward):
    viewer.panel.pause()
    drag(viewer, toward)
    viewer.run(0.05)
    assert viewer._touch.grip is not None
    viewer._world.remove("ball")
    viewer.run(0.1)
    assert viewer._touch.grip is None


def test_what_becomes_static_is_let_go(viewer):
    drag(viewer)
    viewer.run(0.05)
    assert viewer._touch.grip is not None
    viewer._world["ball"].body_type = tribo.STATIC
    viewer.run(0.1)
    assert viewer._touch.grip is None


def test_step_back_after_a_sensor_came_or_went(viewer):
    world, panel = viewer._world, viewer.panel
    eye = world.add_depth_camera(None, width=8, height=6, name="eye", position=(-2, 0, 0.5))
    viewer._set_driven(True)  # as `run` does
    for is_removed in (False, True):
        if is_removed:
            world.remove_sensor(eye)
        for _ in range(3):
            panel.step()
            viewer._obey()
        viewer._push()  # the viewer finds out
        for _ in range(2):
            panel.step()
            viewer._obey()
        last = world.time
        panel.step_back()
        viewer._obey()
        assert not panel._said.content
        np.testing.assert_allclose(world.time, last - world.time_step, rtol=1e-9)


def test_what_was_added_a_moment_ago_is_found(viewer):
    viewer._world.add_sphere(0.1, 1.0, name="late", position=(3, 0, 1))
    viewer.follow("late")
    assert viewer.panel.wishes.follows == "late"
    viewer.focus_on("late")
    np.testing.assert_allclose(viewer.camera.target, (3, 0, 1))
    viewer._world["late"].position = (7, 0, 1)  # no picture since then
    viewer.focus_on("late")
    np.testing.assert_allclose(viewer.camera.target, (7, 0, 1))


def test_reset_goes_back_to_when_objects_were_added(viewer):
    world = viewer._world
    world.step(10)
    world.add_sphere(0.1, 1.0, name="late", position=(3, 0, 1))
    viewer._push()  # the viewer finds out
    before = world["ball"].position.copy()
    world.step(100)
    viewer.reset()
    np.testing.assert_array_equal(world["ball"].position, before)


def test_a_reset_that_is_impossible_is_said_in_the_browser(viewer):
    world = viewer._world
    world.update()
    viewer.reset()
    assert "cannot reset" in viewer.panel._said.content
    world.advance()


def test_controls_show_what_the_program_sets(viewer):
    world, controls = viewer._world, viewer._commands.world
    world.gravity = (0, 0, -1.62)
    world.time_step = 2e-3
    world.set_material_pair("default", "default", friction=0.33)
    viewer._next_status = 0.0
    viewer._push()
    inputs.settle(viewer._server)
    assert controls._gravity.value == -1.62
    assert controls._step.value == 2.0
    assert controls._value.value == 0.33


def test_names_that_change_are_shown(viewer):
    world = viewer._world
    arm = world.add_articulated_system(HINGE, name="arm")
    viewer.show_layers(names=True)
    viewer.follow("ball")
    viewer._push()
    viewer._orders.post(("select",), arm.span.body.start + 1)
    viewer._push()
    labels = viewer._overlays._names
    assert [label.text for label in labels] == ["ground", "ball", "arm"]
    world["ball"].name = "globe"
    arm.name = "limb"
    viewer._next_status = 0.0
    viewer._push()
    inputs.settle(viewer._server)
    assert viewer._overlays._names is labels
    assert [label.text for label in labels] == ["ground", "globe", "limb"]
    assert viewer.panel._follow.options == ("nothing", "globe", "limb")
    assert viewer.panel.wishes.follows == viewer.panel._follow.value == "globe"
    assert viewer._commands.joints._folder.label == "Joints of limb"
    arm.name = "arm"
    viewer.follow("arm")  # before any picture has seen it
    with pytest.raises(KeyError, match="limb"):
        viewer.focus_on("limb")


def test_a_name_has_its_place_when_it_is_made(viewer, monkeypatch):
    made, add = {}, viewer._server.scene.add_label

    def noted(path, text, **options):
        made[text] = options.get("position")
        return add(path, text, **options)

    monkeypatch.setattr(viewer._server.scene, "add_label", noted)
    viewer.show_layers(names=True)
    viewer._push()
    np.testing.assert_array_equal(made["ball"], viewer._world["ball"].position)


@pytest.mark.parametrize("duration", [-1, -1e-9, float("nan"), float("inf"), "1", True])
def test_durations_that_are_none_are_refused(viewer, duration):
    with pytest.raises((ValueError, TypeError), match="duration"):
        viewer.run(duration)
    viewer.run(0)


def test_an_error_in_a_picture_ends_that_call_alone(viewer, monkeypatch):
    pushed, update = [], viewer.update  # as a loop may hold it

    def push():
        pushed.append(1)
        if len(pushed) == 1:
            raise RuntimeError("once")

    monkeypatch.setattr(viewer, "_push", push)
    with pytest.raises(RuntimeError, match="once"):
        update()
    for _ in range(MAX_SKIPPED + 1):
        assert update() is None
    assert len(pushed) > 1


def test_a_viewer_of_ones_own_may_do_more_in_update():
    class Counting(Viewer):
        calls = 0

        def update(self):
            self.calls += 1
            super().update()

    with Counting(falling_ball(), port=8511) as made:
        for _ in range(3):
            made.update()
        assert (made.calls, made.pictures) == (3, 1)


def test_a_view_can_be_chosen_again(viewer):
    # The list only tells of changes: it must not stay at the view that was chosen.
    viewer.set_camera((1, 2, 3), (0, 0, 0))
    viewer.save_view("front")
    viewer.panel.views.value = "front"
    viewer._commands.do(("view",), "front")
    inputs.settle(viewer._server)
    assert viewer.panel.views.value == "free"
    assert viewer.panel.views.options == ("free", "front")


def test_a_closed_viewer_lets_go_and_takes_nothing_more(viewer, recwarn):
    world = viewer._world
    drag(viewer)
    viewer._carry_out()
    assert viewer._touch.grip is not None
    viewer.close()
    viewer.close()
    for _ in range(300):  # a loop that goes on without its viewer
        world.step()
        viewer.update()
    # It falls freely from 1 m: with the midpoint rule exactly by g t²/2.
    np.testing.assert_allclose(world["ball"].position[2], 1.0 - 0.5 * 9.81 * 0.3**2, rtol=1e-9)
    viewer.run(0.1)
    assert world.time == pytest.approx(0.3)
    with pytest.raises(ValueError, match="closed"):
        viewer.add_visual_sphere("late", 0.1)
    with pytest.raises(ValueError, match="closed"):
        viewer.add_bar_chart("late", ["a"])
    with pytest.raises(ValueError, match="closed"):
        viewer.set_camera((1, 0, 0), (0, 0, 0))
    assert not [str(w.message) for w in recwarn if "closed connection" in str(w.message)]


def test_a_closed_player_shows_nothing_more(tmp_path, recwarn):
    world = falling_ball()
    with world.record(tmp_path / "run.zarr", every=0.02):
        world.step(100)
    player = Player(replay(tribo.Recording(tmp_path / "run.zarr"), world), port=8515)
    player.close()
    player.show(0.05)
    assert player.time == 0.0
    assert not [str(w.message) for w in recwarn if "closed connection" in str(w.message)]


@pytest.mark.parametrize(
    ("camera", "error"),
    [
        ("front", TypeError),
        (Camera((math.nan, 0, 0), (0, 0, 0)), ValueError),
        (Camera((1, 0, 0), (1, 0, 0)), ValueError),
        (Camera((1, 0, 0), (0, 0, 0), 180.0), ValueError),
    ],
)
def test_a_camera_that_sees_nothing_is_refused(viewer, camera, error):
    with pytest.raises(error):
        viewer.save_view("front", camera)
    assert viewer.views == ()
    with pytest.raises(error):
        Renderer(viewer.world, 8, 6).rgb_array(camera)


def test_what_is_no_world_is_refused():
    batch = tribo.Batch(falling_ball(), 2, threads=1)
    for made in (Viewer, Renderer):
        for given in ("world", batch):
            with pytest.raises(TypeError, match=r"must be a tribo\.World.*BatchViewer"):
                made(given)


HALF = "half \ud83d"  # of an emoji: a page that gets it loses its connection, and each that opens later


@pytest.mark.parametrize(
    "give",
    [
        lambda viewer: viewer.world.add_sphere(0.1, 1.0, name=HALF),
        lambda viewer: setattr(viewer.world["ball"], "name", HALF),
        lambda viewer: viewer.world.add_depth_camera(None, name=HALF),
        lambda viewer: viewer.add_visual_text("text", HALF),
        lambda viewer: viewer.add_bar_chart(HALF, ["a"]),
        lambda viewer: viewer.add_bar_chart("bars", [HALF]),
        lambda viewer: viewer.add_time_series_graph("graph", ["a"], y_axis=HALF),
        lambda viewer: viewer.save_view(HALF),
    ],
)
def test_texts_that_no_page_can_be_sent_are_refused(viewer, give):
    with pytest.raises(ValueError, match="UTF-8"):
        give(viewer)


def test_names_of_a_chart_that_are_none_are_refused(viewer):
    with pytest.raises(TypeError, match="names of chart 'g' must be texts"):
        viewer.add_time_series_graph("g", None)


def test_times_of_stages_are_shown_and_change_no_step(viewer):
    world, alone = viewer._world, falling_ball()
    viewer.show_layers(times=True)
    viewer._set_driven(True)
    assert viewer._step(600)  # it falls, bounces and rolls out
    alone.step(600)
    np.testing.assert_array_equal(world.engine.state.q, alone.engine.state.q)
    np.testing.assert_array_equal(world.engine.state.v, alone.engine.state.v)
    assert world.time == alone.time
    viewer._next_status = 0.0
    viewer._push()
    assert "contact solve, motion" in viewer.panel._status.content
    viewer.show_layers(times=False)
    viewer._next_status = 0.0
    viewer._push()
    assert "contact solve" not in viewer.panel._status.content


def test_update_after_a_run_and_close_touches_no_control():
    viewer = Viewer(falling_ball(), port=8473)
    viewer.run(0.0)
    viewer.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        viewer.update()


def test_presses_between_two_runs_wait_for_the_next(viewer):
    panel, world = viewer.panel, viewer._world
    viewer.run(0.0)
    panel.pause()
    panel.step()
    viewer.run(0.01)
    before = world.time
    panel.step()  # no run is under way
    assert not panel._buttons[0].disabled
    viewer.run(0.05)
    np.testing.assert_allclose(world.time, before + world.time_step, rtol=1e-12)
    viewer.update()
    assert panel._buttons[0].disabled
    panel.step()  # the program steps: the button is off
    viewer.run(0.0)
    np.testing.assert_allclose(world.time, before + world.time_step, rtol=1e-12)


# -- what cameras see in colours ---------------------------------------------------------------------
def tilted_camera(world, **more):
    """Add a camera that is rolled by a quarter turn: what is above it is at a side of its picture."""
    half = math.sqrt(0.5)
    return world.add_depth_camera(
        None, width=64, height=48, position=(-3, 0, 0), orientation=(half, half, 0, 0), **more
    )


def test_a_picture_in_colours_lies_on_the_depths_that_a_camera_measures():
    world = tribo.World()
    world.add_box((0.4, 0.8, 0.3), 1.0, position=(0, 0.4, 0.6)).color = (1, 0, 0)
    camera = tilted_camera(world)
    depth = camera.measure().depth
    red = sensor_picture(camera).astype(int)
    is_red = red[..., 0] > 2 * red[..., 2]
    # A pixel at the border may be on either side: the border is shorter than 2 (width + height) of the box.
    assert np.isfinite(depth).sum() > 50
    assert (is_red != np.isfinite(depth)).sum() <= 0.1 * np.isfinite(depth).sum()
    np.testing.assert_allclose(
        Renderer(world, 64, 48).depth_array(sensor_camera(camera))[is_red & np.isfinite(depth)],
        depth[is_red & np.isfinite(depth)], rtol=1e-4,
    )  # fmt: skip


@pytest.mark.parametrize("sees_parent", [False, True])
def test_a_camera_does_not_see_the_body_that_carries_it(sees_parent):
    world = tribo.World()
    box = world.add_box((0.4, 0.4, 0.4), 1.0)
    box.color = (1, 0, 0)
    half = math.sqrt(0.5)
    camera = world.add_depth_camera(  # above the box, looking down on it
        box, width=16, height=12, position=(0, 0, 1), orientation=(half, 0, half, 0),
        sees_parent=sees_parent,
    )  # fmt: skip
    middle = sensor_picture(camera)[6, 8].astype(int)
    assert bool(middle[0] > 2 * middle[2]) == sees_parent
    assert sensor_picture(camera, most_pixels=48).shape == (6, 8, 3)


def test_the_viewer_shows_and_forgets_what_cameras_see_in_colours(viewer):
    world = viewer._world
    camera = world.add_depth_camera(world["ball"], width=640, height=480, name="eye")
    viewer.show_layers(colors=True)
    viewer._next_status = 0.0
    viewer._push()
    shown = viewer._sensors._colors["eye"].image
    assert shown.shape == (120, 160, 3)
    assert viewer.panel.images.visible
    assert camera.reading is None  # looking measures nothing
    world.remove_sensor(camera)
    viewer._next_status = 0.0
    viewer._push()
    assert viewer._sensors._colors == {}
    assert not viewer.panel.images.visible


def test_pictures_of_cameras_that_stand_upright_are_as_they_were():
    world = falling_ball()
    first = Renderer(world, 40, 30).rgb_array(Camera((0, -3, 1), (0, 0, 1)))
    level = world.add_depth_camera(
        None, width=40, height=30, position=(0, -3, 1),
        orientation=(math.sqrt(0.5), 0, 0, math.sqrt(0.5)),
        horizontal_fov=2 * math.atan(4 / 3 * math.tan(math.radians(17.5))),
    )  # fmt: skip
    assert isinstance(level, DepthCamera)
    second = Renderer(world, 40, 30).rgb_array(sensor_camera(level))
    assert np.abs(first.astype(int) - second).max() <= 2  # rounding of the angles
