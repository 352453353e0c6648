"""The viewer as a browser shows it; and what a browser may ask for."""

import io
import socket
import threading
import time

import numpy as np
import pytest
from contracts import browser

import tribo

pytest.importorskip("viser")

from tribo.viewer import Viewer, pace, panel, server

needs_browser = pytest.mark.skipif(browser.CHROMIUM is None, reason="Chromium is not installed")


def small_world():
    world = tribo.World()
    world.add_ground(material="steel")
    for k, material in enumerate(("steel", "rubber", "copper")):
        world.add_sphere(0.3, 1.0, material, name=material, position=(k - 1.0, 0.0, 0.6))
    world.add_box((0.4, 0.4, 0.4), 2.0, "wood", position=(0.0, 1.0, 0.2))
    return world


@pytest.fixture
def viewer():
    with Viewer(small_world(), port=8300) as made:
        yield made


def scene_of(png):
    """Return the part of a page without panels, and how many colours it has."""
    from PIL import Image

    image = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)[200:, :900]
    return image, len(np.unique(image.reshape(-1, 3), axis=0))


def is_drawn(png):
    return scene_of(png)[1] > 1000  # shaded shapes; while the page fades in there are fewer


@needs_browser
def test_a_page_shows_the_world(viewer, tmp_path):
    found = {}

    def look():
        with browser.opened(viewer.address, tmp_path) as page:
            page.wait_for("real-time factor")
            found["picture"] = page.wait_for_picture(is_drawn)

    thread = threading.Thread(target=look)
    thread.start()
    while thread.is_alive():
        viewer.run(2.0)
    thread.join()
    scene, colors = scene_of(found["picture"])
    assert colors > 1000
    spread = scene.max(axis=2) - scene.min(axis=2)
    assert (spread > 60).sum() > 300  # copper and wood


def test_it_listens_on_this_machine_only(viewer):
    assert viewer.address.startswith("http://127.0.0.1:")
    assert viewer._server.request_share_url() is None


def answer(viewer, *, host=None, origin=None, upgrade=False):
    """Return the status of a request, as a browser or a program sends it."""
    address = viewer.address.removeprefix("http://")
    name, port = address.split(":")
    lines = ["GET / HTTP/1.1", f"Host: {host or address}"]
    lines += [f"Origin: {origin}"] if origin else []
    if upgrade:
        key = "dGhlIHNhbXBsZSBub25jZQ=="  # RFC 6455, 1.3
        lines += ["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}"]
        lines += ["Sec-WebSocket-Version: 13"]
    with socket.create_connection((name, int(port)), timeout=5.0) as wire:
        wire.sendall("\r\n".join([*lines, "", ""]).encode())
        return int(wire.recv(64).split()[1])


@pytest.mark.parametrize("upgrade", [False, True])
def test_pages_from_elsewhere_are_refused(viewer, upgrade):
    port = viewer.address.rsplit(":", 1)[1]
    welcome = 101 if upgrade else 200
    assert answer(viewer, upgrade=upgrade) == welcome
    assert answer(viewer, upgrade=upgrade, origin=viewer.address) == welcome
    own = f"localhost:{port}"
    assert answer(viewer, upgrade=upgrade, host=own, origin=f"http://{own}") == welcome
    foreign = [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{int(port) + 1}"},  # another program's page
        {"host": "evil.example", "origin": "http://evil.example"},  # DNS rebinding
        {"host": f"evil.example:{port}"},
        {"host": "[half"},
    ]
    assert {answer(viewer, upgrade=upgrade, **one) for one in foreign} == {403}


def test_a_proxy_can_be_named():
    with Viewer(small_world(), port=8360, hosts=["lab.example"]) as viewer:
        assert answer(viewer, host="Lab.example", origin="https://lab.example") == 200
        assert answer(viewer, host="evil.example") == 403


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"port": 65536}, ValueError, "port must be ≤ 65535"),
        ({"port": 0}, ValueError, "port must be ≥ 1"),
        ({"port": "8080"}, TypeError, "port must be an integer"),
        ({"host": "192.0.2.1"}, OSError, "no address of this machine"),  # RFC 5737: nobody's
        ({"host": 5}, TypeError, "host must be text"),
        ({"hosts": [5]}, TypeError, "hosts must be names"),
    ],
)
def test_impossible_addresses_are_refused_at_once(options, error, says):
    with pytest.raises(error, match=says):
        Viewer(small_world(), **{"port": 8300} | options)


@pytest.mark.parametrize("step", [1e-6, 1e-3, 0.1])
def test_update_sends_at_most_sixty_pictures_a_second(viewer, monkeypatch, step):
    clock = [100.0]
    sent = []

    def push():
        sent.append(clock[0])
        viewer._pace.next = clock[0] + pace.FRAME

    monkeypatch.setattr(viewer, "_push", push)
    monkeypatch.setattr(server.time, "perf_counter", lambda: clock[0])
    for _ in range(int(1.0 / step) if step > 1e-5 else 300_000):
        viewer.update()
        clock[0] += step
    gaps = np.diff(sent)
    assert gaps.min() >= pace.FRAME
    # A look at the clock comes at most 2 ms, 64 calls or one call late, whichever rules.
    assert gaps.max() <= pace.FRAME + max(2.0 * pace.GLANCE, step) + 1e-6


def test_pictures_that_cost_much_become_rare(viewer, monkeypatch):
    viewer._pace.cost = 0.0
    clock = [0.0]
    monkeypatch.setattr(server.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(pace, "other_threads", lambda: 0.0)

    def slow(*_):
        clock[0] += 0.005

    monkeypatch.setattr(viewer._stage, "move", slow)
    spent = 0.0
    for _ in range(40):
        clock[0] = max(clock[0], viewer._pace.next)
        viewer._push()
        spent += 0.005
    assert viewer._pace.next - clock[0] == pytest.approx(0.005 / pace.SHARE, rel=0.01)


def test_poses_that_stay_are_not_sent_again(viewer):
    sent = []
    handles = viewer._stage.visual.handles
    poses = server.scenes.read_poses(viewer._world)
    viewer._stage.move(poses)
    for handle in handles:
        queue = handle._queue_update
        object.__setattr__(handle, "_queue_update", lambda *a, q=queue: sent.append(a) or q(*a))
    viewer._stage.move(poses)
    assert sent == []
    viewer._world["steel"].position = (0, 0, 3)
    viewer._stage.move(server.scenes.read_poses(viewer._world))
    assert [name for name, _ in sent] == ["batched_positions"]


def test_reset_goes_back_to_the_beginning(viewer):
    world = viewer._world
    before = world.engine.state.q.copy()
    world.step(100)
    viewer.reset()
    np.testing.assert_array_equal(world.engine.state.q, before)
    assert world.time == 0.0


def test_objects_may_come_and_go(viewer):
    world = viewer._world
    world.add_capsule(0.1, 0.3, 1.0, name="late", position=(0, 0, 2))
    world.remove("copper")
    viewer._pace.next = 0.0
    viewer._look()
    assert "late" in viewer._scene.names
    assert "copper" not in viewer._scene.names
    viewer.reset()  # the snapshot belongs to other objects: one line in the log, no error


def test_reset_goes_back_to_when_a_sensor_was_seen(viewer, caplog):
    world = viewer._world
    eye = world.add_depth_camera(None, width=8, height=6, name="eye", position=(-2, 0, 0.5))
    viewer._pace.next = 0.0
    viewer._look()
    world.step(10)
    viewer.reset()
    assert world.time == 0.0
    world.remove_sensor(eye)
    viewer._pace.next = 0.0
    viewer._look()
    world.step(10)
    viewer.reset()
    assert world.time == 0.0
    assert not caplog.records


def test_run_keeps_to_the_clock_and_stops(viewer):
    start = time.perf_counter()
    viewer.run(0.3)
    assert time.perf_counter() - start < 5.0
    assert 0.0 < viewer._world.time <= 0.4


def test_a_world_that_blows_up_is_paused_and_shown(viewer):
    world = viewer._world
    world["steel"].generalized_velocity[0] = float("nan")
    assert viewer._step(1) is False
    assert viewer.panel.wishes.is_playing is False


@pytest.mark.parametrize("value", ["1", None, float("nan"), float("inf"), [1.0], True, {"a": 1}])
def test_what_is_no_number_changes_nothing(viewer, value):
    controls = viewer.panel
    controls._set_speed(value)
    controls._set_scale(value)
    controls._set_follow(value if not isinstance(value, dict) else "nobody")
    assert controls.wishes.speed == 1.0
    assert 0.0 < controls.wishes.force_scale < 0.05
    assert controls.wishes.follows == panel.NOBODY


def test_numbers_are_clipped(viewer):
    viewer.panel._set_speed(1e9)
    assert viewer.panel.wishes.speed == panel.FASTEST
    viewer.panel._set_speed(-5)
    assert viewer.panel.wishes.speed == panel.SLOWEST
    for _ in range(1000):
        viewer.panel.step()
    assert viewer.panel.take("steps") == 0  # nobody would make them
    viewer.panel.set_driven(True)
    for _ in range(1000):
        viewer.panel.step()
    assert viewer.panel.take("steps") == 100
    assert viewer.panel.take("steps") == 0


def test_the_time_line_leads_back_and_forth(viewer):
    world, controls = viewer.world, viewer.panel
    viewer.run(0.5)
    end, latest = world.time, world.hash()
    assert end > 0.1
    for ask, then in (
        (lambda: controls._scrub(0.05), 0.05),
        (controls.step_back, 0.049),
        (controls.step, 0.05),
        (lambda: controls._scrub("later"), 0.0),  # from a page that is not ours
    ):
        controls.set_driven(True)
        ask()
        viewer.run(0.02)
        assert not controls.wishes.is_playing
        np.testing.assert_allclose(world.time, then, atol=1e-9)
    assert latest != world.hash()


def test_the_line_reaches_as_far_as_the_world_came(viewer):
    world, controls = viewer.world, viewer.panel
    viewer.run(0.5)
    end, latest = world.time, world.hash()
    for moment in (0.02, 1e6):
        controls.set_driven(True)
        controls._scrub(moment)
        viewer.run(0.02)
    np.testing.assert_allclose(world.time, end, atol=1e-9)
    assert world.hash() == latest
