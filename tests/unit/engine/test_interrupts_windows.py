"""No signal is lost, at whichever of the places it comes where CPython may run its handler."""

import os
import signal
import sys

import numpy as np
import pytest

import tribo
from tribo.engine import interrupts
from tribo.engine.interrupts import deferred_signals

if os.name != "posix":
    pytest.skip("signals of POSIX", allow_module_level=True)


class Stop(BaseException):
    """Raised by a handler."""


class Heard:
    """Handlers of two signals that count, and raise or not."""

    def __init__(self, raises):
        self.raises, self.count = raises, 0
        self._before = {kind: signal.signal(kind, self) for kind in (signal.SIGALRM, signal.SIGUSR1)}

    def __call__(self, kind, frame):
        self.count += 1
        if self.raises:
            raise Stop

    def restore(self):
        """Put back the handlers of before."""
        for kind, handler in self._before.items():
            signal.signal(kind, handler)


@pytest.fixture(params=[False, True], ids=["counts", "raises"])
def heard(request):
    made = Heard(request.param)
    yield made
    made.restore()


def send(kind, *others):
    """Send signals to this thread."""
    try:
        signal.raise_signal(kind)
    finally:  # also where the first has raised
        if others:
            send(*others)


def at_each_place(act, kinds, files):
    """Act, again and again, while signals come at the next place where CPython looks for them; yield which.

    Such places are where a function begins and after a call of compiled code; files: in which they are.
    """
    kept = []
    for k in range(10_000):
        seen = 0

        def hook(frame, event, function):
            nonlocal seen
            if event in {"call", "c_return"} and frame.f_code.co_filename.endswith(files):
                seen += 1
                if seen == k + 1:  # noqa: B023
                    send(*kinds)

        sys.setprofile(hook)
        try:
            act()
        except Stop as stop:
            kept.append(stop)  # with all that its traceback holds
        sys.setprofile(None)
        if seen <= k:
            return
        yield k


def blocks():
    """Defer signals, permit them within, and defer them within that."""
    with deferred_signals:
        with deferred_signals.permitted(), deferred_signals:
            pass
        deferred_signals.let_through()


@pytest.mark.parametrize("kinds", [(signal.SIGALRM,), (signal.SIGUSR1,), (signal.SIGALRM, signal.SIGUSR1)])
def test_what_comes_in_a_block_is_heard_once_and_handlers_are_restored(heard, kinds):
    """A signal between the end of a block and the return of its handler was dropped, 2 % in a tight loop."""
    last = 0
    for k in at_each_place(blocks, kinds, "interrupts.py"):
        assert (k, heard.count) == (k, len(kinds))
        assert (k, signal.getsignal(signal.SIGALRM)) == (k, heard)
        assert (k, signal.getsignal(signal.SIGUSR1)) == (k, heard)
        assert (k, deferred_signals.since) == (k, 0.0)
        heard.count, last = 0, k
    assert last > 30


def test_of_several_that_wait_all_are_heard():
    """The first that raised took the others with it: an alarm that came first cost the Ctrl-C after it."""
    heard = Heard(raises=True)
    try:
        with deferred_signals:
            send(signal.SIGALRM, signal.SIGUSR1)
            send(signal.SIGALRM)  # one of a kind that waits already is the same
            assert heard.count == 0
            with pytest.raises(Stop):
                deferred_signals.let_through()
            assert heard.count == 2
    finally:
        heard.restore()


def test_signals_wait_in_a_block_within_one_that_permits_them(heard):
    heard.raises = False
    with deferred_signals:
        with deferred_signals.permitted():
            send(signal.SIGALRM)
            assert heard.count == 1
            with deferred_signals:
                send(signal.SIGALRM)
                assert heard.count == 1
            assert heard.count == 2
        send(signal.SIGALRM)
        assert heard.count == 2
    assert heard.count == 3


def test_an_error_of_a_handler_as_a_block_begins_is_raised(monkeypatch):
    """A ValueError was taken for that of an interpreter beside the main one: no signal was heard any more."""
    set_handler = signal.signal

    def wrong(kind, frame):
        raise ValueError("of a handler")

    before = set_handler(signal.SIGALRM, wrong)
    try:
        for place in (signal, interrupts):
            name = "signal" if place is signal else "set_handler"
            given = getattr(place, name, set_handler)

            def slow(kind, handler, given=given):
                monkeypatch.undo()
                send(signal.SIGALRM)
                return given(kind, handler)

            monkeypatch.setattr(place, name, slow, raising=False)
        with pytest.raises(ValueError, match="of a handler"), deferred_signals:
            pass
        assert signal.getsignal(signal.SIGALRM) is wrong
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        set_handler(signal.SIGALRM, before)


def test_a_handler_that_is_replaced_while_it_waits_stays_replaced():
    """An alarm that switches itself off was put back as the block ended."""
    came = []

    def once(kind, frame):
        came.append(kind)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)

    before = signal.signal(signal.SIGALRM, once)
    try:
        with deferred_signals:
            send(signal.SIGALRM)
            deferred_signals.let_through()
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGALRM, before)
    assert len(came) == 1


def falling(sensors=False):
    world = tribo.World()
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 1))
    world.step()
    if sensors:
        world.add_imu(ball, name="imu")
        world.step()
    return world


def halves(world):
    world.update()
    world.advance()


STEPS = {"step": lambda world: world.step(), "steps": lambda world: world.step(3), "halves": halves}


@pytest.mark.parametrize("sensors", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_a_world_can_be_stepped_wherever_its_step_was_interrupted(name, sensors):
    """It said that another thread steps it, for ever, after Ctrl-C as the token was taken; IMUs read 0."""
    heard = Heard(raises=True)
    world, step = falling(sensors), STEPS[name]
    files = ("world.py", "interior.py", "of_world.py", "world_sensors.py", "senses.py", "engine.py")
    try:
        for k in at_each_place(lambda: step(world), [signal.SIGALRM], files):
            assert (k, heard.count) == (k, 1)
            heard.count = 0
            if sensors and not world.is_midway:
                try:
                    read = world.sensor("imu").measure().linear_acceleration
                except tribo.EditError:
                    read = 0.0
                np.testing.assert_allclose(read, 0.0, rtol=0, atol=1e-9)  # in free fall, or not known
            if world.is_midway:
                world.advance()
            before = world.time
            world.step()
            assert world.time == pytest.approx(before + 0.001, abs=1e-12)
    finally:
        heard.restore()
    assert k >= 2


def test_a_world_whose_cable_adapts_can_be_stepped_too():
    """Its token was in a generator that nobody ended as long as the traceback was kept."""
    heard = Heard(raises=True)
    world = tribo.World(gravity=(0, 0, 0))
    cable = world.add_cable([(0, 0, 0), (1, 0, 0)], radius=0.01, segment_length=0.5)
    cable.keep_adapting(0.2, 0.5, every=1000)
    world.step()
    try:
        for k in at_each_place(world.step, [signal.SIGALRM], ("interior.py", "contextlib.py")):
            assert (k, heard.count) == (k, 1)
            heard.count, before = 0, world.time
            world.step()
            assert world.time == pytest.approx(before + 0.001, abs=1e-12)
    finally:
        heard.restore()
    assert k >= 2


def test_a_snapshot_is_restored_as_a_whole():
    """Positions were those of the snapshot, velocities others."""
    heard = Heard(raises=True)
    world = falling()
    saved, then = world.snapshot(), world.hash()
    now = then
    files = ("interior.py", "snapshot.py", "world_sensors.py", "interrupts.py", "adapting.py")
    try:
        for k in at_each_place(lambda: world.restore(saved), [signal.SIGALRM], files):
            assert (k, heard.count) == (k, 1)
            assert (k, world.hash()) in {(k, then), (k, now)}
            world.step(5)
            heard.count, now = 0, world.hash()
    finally:
        heard.restore()
    assert k >= 10


def test_a_handler_that_calls_the_one_it_found_ends():
    """It found the stand-in for its predecessor, where signals are permitted; it is called once."""
    called = []
    before = signal.signal(signal.SIGALRM, lambda *_: called.append("first"))
    try:
        with deferred_signals, deferred_signals.permitted():
            found = signal.getsignal(signal.SIGALRM)
            signal.signal(signal.SIGALRM, lambda *a: (called.append("second"), found(*a)))
        with deferred_signals:
            signal.raise_signal(signal.SIGALRM)
            assert called == []
        assert called == ["second"]
    finally:
        signal.signal(signal.SIGALRM, before)
