"""Who may talk to a viewer, and what nobody's message can do."""

import itertools
import random
import socket
import time

import numpy as np
import pytest

import tribo

pytest.importorskip("viser")

import msgspec
from contracts.viewer_pages import CAMERA, GIZMO, opened

from tribo.viewer import Viewer, messages
from tribo.viewer.access import is_loopback, token_for

NAN = float("nan")


def small_world():
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_sphere(0.1, 1.0, name="ball", position=(0, 0, 0.1))
    return world


@pytest.fixture
def viewer():
    with Viewer(small_world(), port=8460) as made:
        yield made


def drain(page):
    """Read until the page is closed."""
    while True:
        page.recv(timeout=30.0)


def slider(viewer):
    return viewer._commands.world._gravity._impl.uuid


def gui_update(viewer, value, name="value"):
    return {"type": "GuiUpdateMessage", "uuid": slider(viewer), "updates": {name: value}}


CLICK = {
    "type": "SceneNodeClickMessage", "name": "/visual/sphere", "instance_index": 0, "owner": "",
    "ray_origin": [0.0, 0, 0], "ray_direction": [0.0, 0, 1], "screen_pos": [0.5, 0.5], "modifier": None,
}  # fmt: skip
DRAG = {
    "type": "SceneNodeDragMessage", "phase": "start", "name": "/visual/sphere", "instance_index": 0,
    "start_position": [0.0, 0, 0], "start_screen_pos": [0.5, 0.5], "end_position": [0.0, 0, 1],
    "end_screen_pos": [0.5, 0.5], "button": "left", "modifier": "cmd/ctrl", "owner": "",
}  # fmt: skip


@pytest.mark.parametrize("message", [CAMERA, CLICK, DRAG, GIZMO], ids=lambda m: m["type"])
def test_what_a_page_sends_is_allowed_and_nothing_near_it(message):
    assert messages.is_allowed(msgspec.msgpack.encode(message))
    bad = [None, NAN, float("inf"), [], {}, [1.0], "x" * 300, [NAN] * 3, [NAN] * 4, 1e300, b"x", [[1.0]] * 3]
    for name, value in itertools.product(set(message) - {"type"}, bad):
        optional = (name == "modifier" and value is None) or (name == "instance_index" and value is None)
        if not optional:
            assert not messages.is_allowed(msgspec.msgpack.encode(message | {name: value})), name
    for name in set(message) - {"type", "owner"}:
        less = {key: value for key, value in message.items() if key != name}
        assert not messages.is_allowed(msgspec.msgpack.encode(less)), name
    assert not messages.is_allowed(msgspec.msgpack.encode(message | {"more": 1}))


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"\xc1", b"text", b"\x91" * 200_000, b"\xdf\xff\xff\xff\xff", msgspec.msgpack.encode(5),
        msgspec.msgpack.encode({"type": "ShareUrlRequest"}),
        msgspec.msgpack.encode({"type": "RunJavascriptMessage", "source": "alert(1)"}),
        msgspec.msgpack.encode({"type": ["GuiUpdateMessage"]}),
        msgspec.msgpack.encode({"type": "FileTransferStartUpload", "size_bytes": 1 << 40}),
        "text, not bytes",
    ],
    ids=range(11),
)  # fmt: skip
def test_other_messages_are_none(raw):
    assert not messages.is_allowed(raw)


@pytest.mark.parametrize(
    ("name", "value", "is_good"),
    [
        ("value", -3.0, True), ("value", True, True), ("value", "steel – rubber", True),
        ("value", [1, 2, 3], False), ("value", "nan", False), ("value", " -Infinity", False),
        ("value", NAN, False), ("value", {"a": 1}, False), ("value", "x" * 1000, False),
        ("update_cb", 5, False), ("removed", True, False), ("value", [[1]], False),
    ],
)  # fmt: skip
def test_a_control_gets_a_plain_value_and_no_other_attribute(viewer, name, value, is_good):
    raw = msgspec.msgpack.encode(gui_update(viewer, value, name))
    assert messages.is_allowed(raw) is is_good


def mutated(rng, viewer):
    """Return bytes that somebody might send who means no good."""
    message = dict(rng.choice([CAMERA, CLICK, DRAG, GIZMO, gui_update(viewer, 1.0)]))
    junk = [None, NAN, -1, 1 << 60, "", "x" * 500, [], [0] * 5, {"a": [1]}, b"\x00", True, 1e308, [NAN] * 3]
    for name in rng.sample(sorted(message), rng.randint(1, 3)):
        message[name] = rng.choice(junk)
    raw = bytearray(msgspec.msgpack.encode(message))
    for _ in range(rng.randint(0, 6)):
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    return bytes(raw[: rng.randint(0, len(raw))]) if rng.random() < 0.2 else bytes(raw)


def test_messages_that_nobody_would_write_do_no_harm(viewer, capfd):
    rng = random.Random(27)
    world = viewer._world
    gravity, pairs = world.gravity.copy(), str(world.materials)
    with opened(viewer) as page:
        for _ in range(600):
            page.send(mutated(rng, viewer))
        page.send("text instead of bytes")
        viewer.run(0.3)
        # The connection lives, and what is meant well still works.
        page.send(msgspec.msgpack.encode(CAMERA))
        page.send(msgspec.msgpack.encode(gui_update(viewer, -5.0)))
        end = time.monotonic() + 30.0
        while world.gravity[2] != -5.0:
            assert time.monotonic() < end, "a good message after the bad ones has no effect"
            viewer.run(0.05)
    assert np.isfinite(world["ball"].position).all()
    np.testing.assert_array_equal(world.gravity[:2], gravity[:2])
    assert str(world.materials) == pairs
    shown = capfd.readouterr()
    assert "Traceback" not in shown.err + shown.out


@pytest.mark.parametrize("modifier", ["cmd/ctrl", "cmd/ctrl+shift"])
def test_a_page_that_goes_pulls_no_more(viewer, modifier):
    touch = viewer._touch
    with opened(viewer) as page:
        page.send(msgspec.msgpack.encode(CAMERA))
        page.send(msgspec.msgpack.encode(DRAG | {"modifier": modifier}))
        end = time.monotonic() + 30.0
        while touch.grip is None:
            assert time.monotonic() < end, "a page pulls"
            viewer.run(0.05)
    end = time.monotonic() + 30.0
    while touch.grip is not None:
        assert time.monotonic() < end, "nobody holds the body, and still it is pulled"
        viewer.run(0.05)


def test_whoever_sends_too_much_at_once_only_closes_its_own_page(viewer):
    with opened(viewer) as page, opened(viewer) as other:
        page.send(b"x" * (messages.LARGEST + 1))
        with pytest.raises(Exception, match="1009"):
            drain(page)
        other.send(msgspec.msgpack.encode(CAMERA))  # a page says first where it looks from
        other.send(msgspec.msgpack.encode(gui_update(viewer, -2.0)))
        end = time.monotonic() + 30.0
        while viewer._world.gravity[2] != -2.0:
            assert time.monotonic() < end
            viewer.run(0.05)


def test_only_so_many_pages_are_open(viewer, monkeypatch):
    monkeypatch.setattr(messages, "MAX_CLIENTS", 2)
    with opened(viewer) as first, opened(viewer):
        first.recv(timeout=30.0)
        with opened(viewer) as third, pytest.raises(Exception, match="1013"):
            third.recv(timeout=30.0)


# -- the token -------------------------------------------------------------------------------------
def answer(viewer, path="/", cookie=None):
    """Return status and head of a request."""
    port = viewer._server.get_port()
    lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    lines += [f"Cookie: {cookie}"] if cookie else []
    with socket.create_connection(("127.0.0.1", port), timeout=5.0) as wire:
        wire.sendall("\r\n".join([*lines, "", ""]).encode())
        head = wire.recv(4096).decode(errors="replace")
    return int(head.split()[1]), head


def test_whoever_comes_from_elsewhere_needs_the_token():
    with Viewer(small_world(), host="0.0.0.0", port=8480) as viewer:
        place, _, token = viewer.address.partition("/?token=")
        assert len(token) >= 32
        assert answer(viewer)[0] == 403
        assert answer(viewer, "/?token=wrong")[0] == 403
        assert answer(viewer, cookie="tribo_1=" + token)[0] == 403  # of another port
        status, head = answer(viewer, "/?token=" + token)
        assert (status, "Location: /" in head) == (303, True)
        assert "HttpOnly" in head
        cookie = head.partition("Set-Cookie: ")[2].partition(";")[0]
        assert answer(viewer, cookie=cookie)[0] == 200
        assert answer(viewer, cookie=f"other=1; {cookie}")[0] == 200
        with pytest.raises(Exception, match="403"), opened(viewer):
            pass
        with opened(viewer, additional_headers={"Cookie": cookie}) as page:
            page.recv(timeout=30.0)
        with opened(viewer, f"/?token={token}") as page:  # a program without cookies
            page.recv(timeout=30.0)
        assert place.endswith(str(viewer._server.get_port()))


def test_two_viewers_have_two_tokens():
    assert token_for("0.0.0.0", None) != token_for("0.0.0.0", None)
    assert token_for("127.0.0.1", None) == ""
    assert token_for("127.0.0.1", "own-token_1") == "own-token_1"
    assert [is_loopback(h) for h in ("localhost", "127.0.0.9", "::1", "0.0.0.0", "", "10.0.0.1", "lab")] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize("token", ["", "short", "with space 12", "semi;colon12", 12345678])
def test_a_token_that_could_be_guessed_or_misread_is_refused(token):
    with pytest.raises((ValueError, TypeError), match="token"):
        token_for("127.0.0.1", token)


@pytest.mark.parametrize(
    ("value", "is_good"), [(-3.0, True), (2, True), ([-3.0], False), ("-3", False), (True, False)]
)
def test_a_slider_gets_a_number(viewer, value, is_good):
    """viser would make a number of it, or fail with a traceback."""
    raw, value_of = (msgspec.msgpack.encode(gui_update(viewer, value)), viewer._server.tribo_gate.value_of)
    assert messages.is_allowed(raw, value_of) is is_good
    assert not messages.is_allowed(
        msgspec.msgpack.encode(gui_update(viewer, value) | {"uuid": "no control"}), value_of
    )


def test_a_list_for_a_control_ends_no_connection(viewer, caplog):
    with opened(viewer) as page:
        for value in ([1.0, 2.0], "text", None):
            page.send(msgspec.msgpack.encode(gui_update(viewer, value)))
        page.send(msgspec.msgpack.encode(gui_update(viewer, -3.0)))
        for _ in range(100):
            if viewer._commands.world._gravity.value == -3.0:
                break
            time.sleep(0.05)
    assert viewer._commands.world._gravity.value == -3.0
    assert "Traceback" not in caplog.text


def test_no_other_page_may_hold_ours_in_a_frame_but_a_notebook_that_shows_it(viewer):
    said = answer(viewer)[1]
    assert "Content-Security-Policy: frame-ancestors 'none'" in said
    assert "X-Frame-Options: DENY" in said
    assert "<iframe" in viewer._repr_html_()
    assert "frame-ancestors" not in answer(viewer)[1]


def test_a_cookie_of_any_bytes_is_refused_in_a_line():
    with Viewer(small_world(), host="0.0.0.0", port=8470) as made:
        status, said = answer(made, cookie=f"tribo_{made._server.get_port()}=\u00e9\u20ac")
        assert status == 403
        assert "Traceback" not in said
