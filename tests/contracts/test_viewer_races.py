"""A person and the program set the same thing at once: what the person did is not lost."""

import threading
import time

import numpy as np
import pytest
from contracts.touchable import touchable_world

import tribo

pytest.importorskip("viser")

import msgspec
from contracts.viewer_pages import CAMERA, GIZMO, opened

from tribo.viewer import Viewer, inputs
from tribo.viewer.player import Player
from tribo.viewer.replay import replay


@pytest.fixture
def viewer():
    with Viewer(touchable_world(), port=8530) as made:
        yield made


@pytest.fixture
def player(tmp_path):
    world = touchable_world()
    with world.record(tmp_path / "run.zarr", every=0.02):
        world.step(400)
    with Player(replay(tribo.Recording(tmp_path / "run.zarr"), world), port=8535) as made:
        yield made


class Person:
    """Somebody at a page."""

    def __init__(self, session):
        self.page = opened(session)
        self.send(CAMERA)

    def send(self, message):
        self.page.send(msgspec.msgpack.encode(message))

    def set(self, handle, value):
        self.send({"type": "GuiUpdateMessage", "uuid": handle._impl.uuid, "updates": {"value": value}})


@pytest.fixture
def person(request):
    session = request.getfixturevalue("player" if "player" in request.fixturenames else "viewer")
    made = Person(session)
    with made.page:
        yield made


def meanwhile(handle, act):
    """Let another thread do something between a person's value in an input and the call of what listens."""
    happened, sync = [], handle._impl.sync_cb

    def come_between(*given):
        sync(*given)
        if not happened:
            happened.append(handle.value)
            thread = threading.Thread(target=act)
            thread.start()
            thread.join()

    handle._impl.sync_cb = come_between
    return happened


def until(is_so, what):
    end = time.monotonic() + 20.0
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def arrived(viewer, happened):
    """Wait until the server has done all that came."""
    until(lambda: happened, "the message arrives")
    inputs.settle(viewer._server)


@pytest.mark.parametrize(
    ("name", "value", "result"),
    [
        ("_gravity", -2.0, lambda world: world.gravity[2]),
        ("_step", 2.5, lambda world: 1e3 * world.time_step),
        ("_value", 0.25, lambda world: world.materials.pair("default", "default").friction),
    ],
)
def test_a_refresh_does_not_undo_what_is_set(viewer, person, name, value, result):
    controls = viewer._commands.world
    happened = meanwhile(getattr(controls, name), controls.refresh)
    person.set(getattr(controls, name), value)
    arrived(viewer, happened)
    viewer._push()
    assert result(viewer.world) == pytest.approx(value)
    controls.refresh()
    inputs.settle(viewer._server)
    assert getattr(controls, name).value == pytest.approx(value)


def test_a_refresh_does_not_undo_a_property(viewer, person):
    controls = viewer._commands.world
    happened = meanwhile(controls._which, controls.refresh)
    person.set(controls._which, "restitution")
    arrived(viewer, happened)
    viewer._push()
    inputs.settle(viewer._server)
    assert controls._property == controls._which.value == "restitution"


def test_a_refresh_does_not_undo_the_target_of_a_drive(viewer, person):
    arm, joints = viewer.world["arm"], viewer._commands.joints
    joints.show(arm, can_place=False)
    [(_, slider)] = joints._targets
    happened = meanwhile(slider, joints.refresh)
    person.set(slider, 0.5)
    arrived(viewer, happened)
    viewer._orders.post(("select",), arm.span.body.start + 1)
    viewer._push()
    np.testing.assert_allclose(arm.pd_target, [0.5])


def test_every_one_of_many_values_takes_effect(viewer, person):
    """200 values while another thread shows the old ones without a pause."""
    controls, seen = viewer._commands.world, []
    is_over = threading.Event()

    def refresh():
        while not is_over.is_set():
            controls.refresh()
            time.sleep(0.0)

    thread = threading.Thread(target=refresh)
    thread.start()
    try:
        for value in np.round(np.linspace(-19.0, 4.0, 200), 2):
            person.set(controls._gravity, float(value))
            until(lambda: viewer._orders._waiting, f"{value} arrives")
            seen += [(key, got) for key, got in viewer._orders.take() if got != value]
    finally:
        is_over.set()
        thread.join()
    assert seen == []


def test_the_last_who_chooses_whom_to_follow_is_shown(viewer, person):
    panel = viewer.panel
    happened = meanwhile(panel._follow, lambda: viewer.follow("arm"))
    person.set(panel._follow, "ball")
    arrived(viewer, happened)
    until(lambda: panel.wishes.follows == "ball", "what the person chose")
    inputs.settle(viewer._server)
    assert panel._follow.value == "ball"


def test_a_box_and_what_it_shows_agree(viewer, person):
    panel = viewer.panel
    happened = meanwhile(panel._boxes["names"], lambda: viewer.show_layers(names=False))
    person.set(panel._boxes["names"], value=True)
    arrived(viewer, happened)
    until(lambda: panel.wishes.shown["names"], "what the person chose")
    inputs.settle(viewer._server)
    assert panel._boxes["names"].value is True


def test_the_gizmo_moves_where_a_person_drags_it(viewer, person):
    touch, ball = viewer._touch, viewer.world["ball"]
    viewer._set_driven(True)
    viewer.panel.pause()
    touch.select(ball.span.body.start)
    viewer._push()
    happened = []

    async def come_between(_):
        def move():
            ball.position = (5, 5, 5)
            viewer._push()

        thread = threading.Thread(target=move)
        thread.start()
        thread.join()
        happened.append(1)

    touch._gizmo._impl_aux.update_cb.insert(0, come_between)
    person.send(GIZMO | {"position": [1.0, 2, 3]})
    arrived(viewer, happened)
    until(lambda: viewer._orders._waiting, "the person's pose arrives")
    viewer._carry_out()
    np.testing.assert_array_equal(ball.position, (1, 2, 3))


def test_a_click_on_the_slider_of_time_counts_while_it_plays(player, person):
    happened = meanwhile(player._slider, lambda: player.run(0.1))
    person.set(player._slider, 0.3)
    arrived(player, happened)
    until(lambda: not player._is_playing, "the person's click stops it")
    until(lambda: player.time == 0.3, "the person's time is shown")
    player.run(0.1)
    inputs.settle(player._server)
    assert player.time == player._slider.value == 0.3


def test_a_picture_that_is_late_does_not_undo_a_click(player, monkeypatch):
    """`run` has decided to show the next picture when somebody clicks on the slider."""
    after, threads = player._after, []

    def late(step):
        if not threads:
            threads.append(threading.Thread(target=player._scrub, args=(0.3,)))
            threads[0].start()
            threads[0].join(0.3)
        return after(step)

    monkeypatch.setattr(player, "_after", late)
    player.run(0.1)
    threads[0].join()
    inputs.settle(player._server)
    assert player.time == player._slider.value == 0.3
    assert not player._is_playing


def test_nothing_is_shown_where_nobody_can_see_it(viewer, caplog, recwarn):
    joints = viewer._commands.joints
    joints.show(viewer.world["arm"], can_place=False)
    [(_, slider)] = joints._targets
    joints.show(None, can_place=False)
    inputs.show(viewer._server, slider, value=0.5)  # it was removed
    inputs.settle(viewer._server)
    viewer._commands.world.refresh()
    viewer.close()
    viewer._commands.world.refresh()  # a loop that goes on without its viewer
    viewer.follow("ball")
    inputs.settle(viewer._server)
    assert not [r for r in caplog.records if r.name == "asyncio"]
    assert not [str(w.message) for w in recwarn if "closed connection" in str(w.message)]
