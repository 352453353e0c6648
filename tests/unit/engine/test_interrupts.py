"""Ctrl-C ends long calls between two steps: the state stands, threads rest, nothing is half replaced."""

import os
import signal
import threading
from time import perf_counter, sleep

import numpy as np
import pytest

import tribo
from tribo.engine import engine as engines
from tribo.engine.interrupts import deferred_signals
from tribo.engine.threads import run_together
from tribo.probes import cast
from tribo.readout.rays import AT_ONCE
from tribo.recording.recorder import Recorder
from tribo.world import building

if os.name != "posix":
    pytest.skip("signals of POSIX", allow_module_level=True)


@pytest.fixture
def batch():
    world = tribo.World()
    world.add_ground()
    world.add_box((0.1, 0.1, 0.1), 1.0, position=(0, 0, 0.3), name="box")
    return tribo.Batch(world, 40, threads=2)


def after_slices(monkeypatch, batch, count, kind=signal.SIGINT):
    """Send a signal while the worlds make a slice of steps, which no slow machine ends between two worlds."""
    monkeypatch.setattr(type(deferred_signals), "is_late", lambda _: False)
    call, seen = engines.Engine._call_parallel, []

    def called(self, threads, part):
        seen.append(part)
        if len(seen) == count:
            os.kill(os.getpid(), kind)
        return call(self, threads, part)

    monkeypatch.setattr(engines.Engine, "_call_parallel", called)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_batch_stops_between_two_steps_of_all_worlds(monkeypatch, batch, count):
    """All worlds have made as many steps, which are those of a batch that was not interrupted."""
    with monkeypatch.context() as patch:
        after_slices(patch, batch, count)
        with pytest.raises(KeyboardInterrupt) as said:
            batch.step(10**9)
    steps = round(batch.time[0] / 0.001)
    assert f"have made {steps} steps of this call" in said.value.__notes__[0]
    assert np.ptp(batch.time) == 0.0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    batch.step(7)  # no thread is at work, nobody waits
    other = tribo.Batch(batch_world(), 40, threads=1)
    other.step(steps + 7)
    for name in ("q", "v", "warm_impulse"):
        np.testing.assert_array_equal(batch.engine.state.arrays[name], other.engine.state.arrays[name])


def test_a_late_batch_stops_between_two_worlds(monkeypatch, batch):
    """Worlds that a thread had not begun are a slice behind, and the note says so."""
    with monkeypatch.context() as patch:
        after_slices(patch, batch, 5)
        patch.setattr(type(deferred_signals), "is_late", lambda self: self.since > 0.0)
        with pytest.raises(KeyboardInterrupt) as said:
            batch.step(10**9)
    made = np.rint(batch.time / 0.001).astype(int)
    least, most = made.min(), made.max()
    assert least >= 4  # slices before the last are whole
    text = f"{least}" if least == most else f"{least} to {most}"
    assert f"have made {text} steps of this call" in said.value.__notes__[0]
    other = tribo.Batch(batch_world(), 1, threads=1)
    for steps in sorted(set(made)):
        other.step(steps - round(other.time[0] / 0.001))
        q = batch.engine.state.arrays["q"][made == steps]
        np.testing.assert_array_equal(q, np.repeat(other.engine.state.arrays["q"], len(q), axis=0))


def batch_world():
    world = tribo.World()
    world.add_ground()
    world.add_box((0.1, 0.1, 0.1), 1.0, position=(0, 0, 0.3), name="box")
    return world


@pytest.mark.parametrize("steps_per_control", [3, 10**7])
def test_a_rollout_stops_within_and_between_controls(monkeypatch, batch, steps_per_control):
    plan = np.zeros((1, 10**4 if steps_per_control == 3 else 2, 6))
    after_slices(monkeypatch, batch, 4)
    with pytest.raises(KeyboardInterrupt) as said:
        batch.rollout(forces={"box": plan}, steps_per_control=steps_per_control)
    assert "steps of this call" in said.value.__notes__[0]
    assert np.ptp(batch.time) == 0.0
    monkeypatch.undo()
    assert batch.step(5).all()


def test_watched_collisions_stop_too(monkeypatch, batch):
    batch.watch_collisions = True
    after_slices(monkeypatch, batch, 3)
    with pytest.raises(KeyboardInterrupt):
        batch.step(10**9)
    assert batch.time[0] == pytest.approx(0.003, abs=1e-12)


def test_handlers_that_do_not_raise_end_nothing(monkeypatch, batch):
    """They run between two slices, once each, and all steps are made."""
    came = []
    before = signal.signal(signal.SIGALRM, lambda *_: came.append(batch.time.copy()))
    try:
        after_slices(monkeypatch, batch, 2, signal.SIGALRM)
        assert batch.step(50).all()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert len(came) == 1
    assert np.ptp(came[0]) == 0.0
    assert batch.time[0] == pytest.approx(0.05, abs=1e-12)


@pytest.mark.parametrize("every", [1, 7, 50])
def test_slices_change_no_bit_of_a_rollout(monkeypatch, batch, every):
    """In slices of one step and of thousands, with plans of which controls are longer than a slice."""
    plan = np.random.default_rng(1).normal(size=(40, 9, 6))
    found = []
    for slices in (1, 3, 1000):
        monkeypatch.setattr(engines.Engine, "_next_slice", lambda *_, s=slices: s)
        batch.engine._slice = slices
        made = batch.rollout(forces={"box": plan}, steps_per_control=every, start=batch_world())
        found.append((made.q.copy(), made.v.copy(), batch.engine.state.arrays["q"].copy()))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_worlds_that_fail_have_no_numbers_from_there_on(monkeypatch, batch):
    """Also where they fail within a slice that is a part of a control."""
    plan, slices = np.zeros((40, 6, 6)), []

    def next_slice(self, *_):
        slices.append(4)
        if len(slices) == 6:  # 1 + 4 + 4 + 1, 4 + 4 steps were made
            self.state.arrays["v"][3, 0] = np.inf
        return 4

    monkeypatch.setattr(engines.Engine, "_next_slice", next_slice)
    batch.engine._slice = 1
    made = batch.rollout(forces={"box": plan}, steps_per_control=10)
    assert np.flatnonzero(~made.made_it).tolist() == [3]
    assert np.isnan(made.q[3, 1:]).all()
    assert np.isfinite(made.q[3, :1]).all()
    assert np.isfinite(np.delete(made.q, 3, axis=0)).all()


def test_tables_are_replaced_as_a_whole(monkeypatch):
    """A signal that comes while tables grow is let through when their addresses are noted."""
    world = tribo.World()
    world.add_ground()
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 0.1))
    connect = engines.Engine._connect

    def connected(self):
        os.kill(os.getpid(), signal.SIGINT)
        connect(self)

    monkeypatch.setattr(engines.Engine, "_connect", connected)
    with pytest.raises(KeyboardInterrupt):
        world.engine.make_room(world.engine.capacity.contacts + 1)
    monkeypatch.undo()
    assert world.engine.addresses[4] == world.engine.work.address
    world.step(100)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-6)


def test_threads_end_their_work_before_a_signal_is_heard():
    done, go = [], threading.Event()

    def slow():
        go.wait()
        done.append("other")

    def first():
        os.kill(os.getpid(), signal.SIGINT)
        go.set()

    with pytest.raises(KeyboardInterrupt):
        run_together([first, slow])
    assert done == ["other"]


def test_what_lasts_long_hears_signals_at_once():
    came = []
    with deferred_signals:
        try:
            with deferred_signals.permitted():
                os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            came.append("at once")
    assert came == ["at once"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def interrupting(monkeypatch, module, name, count=1):
    """Send a signal while a compiled call runs for the k-th time; return how many rays each call had."""
    call, sizes = getattr(module, name), []

    def called(*given):
        sizes.append(given[-1].size)
        if len(sizes) == count:
            os.kill(os.getpid(), signal.SIGINT)
            end = perf_counter() + 10.0
            is_main = threading.current_thread() is threading.main_thread()
            while not is_main and not deferred_signals.since and perf_counter() < end:
                sleep(1e-3)  # until the main thread has noted the signal
        return call(*given)

    monkeypatch.setattr(module, name, called)
    return sizes


def test_many_rays_stop_between_two_slices(monkeypatch):
    """Before there was one call for all of them, which nothing ends."""
    world = batch_world()
    starts, down = np.full((100_000, 3), (0.0, 0.0, 2.0)), (0.0, 0.0, -1.0)
    whole = world.ray_test_batch(starts[:9], down)
    with monkeypatch.context() as patch:
        sizes = interrupting(patch, cast, "closest", 3)
        with pytest.raises(KeyboardInterrupt):
            world.ray_test_batch(starts, down)
    assert len(sizes) == 3
    assert max(sizes) <= AT_ONCE
    made = world.ray_test_batch(starts, down)
    assert np.ptp(made.distance) == 0.0
    assert made.distance[0] == whole.distance[0]


@pytest.mark.parametrize(("worlds", "rays"), [(40, 5000), (3, 40_000)])
def test_rays_of_a_batch_stop_between_two_slices(monkeypatch, worlds, rays):
    batch = tribo.Batch(batch_world(), worlds, threads=2)
    starts, down = np.full((rays, 3), (0.0, 0.0, 2.0)), (0.0, 0.0, -1.0)
    starts[:, 0] = np.linspace(-0.1, 0.1, rays)
    starts = np.tile(starts, (worlds, 1, 1))
    whole = batch.ray_test_batch(starts, down)
    with monkeypatch.context() as patch:
        patch.setattr(type(deferred_signals), "is_late", lambda self: self.since > 0.0)
        sizes = interrupting(patch, cast, "closest_in_worlds")
        with pytest.raises(KeyboardInterrupt):
            batch.ray_test_batch(starts, down)
    assert len(sizes) <= 4
    alone = tribo.Batch(batch_world(), 1, threads=1).ray_test_batch(starts[:1], down)
    again = batch.ray_test_batch(starts, down)
    for name in ("distance", "normal", "shape"):
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))
        np.testing.assert_array_equal(getattr(again, name)[:1], getattr(alone, name))


def test_handlers_that_do_not_raise_leave_no_ray_out(monkeypatch, batch):
    came = []
    before = signal.signal(signal.SIGALRM, lambda *_: came.append(1))
    starts, down = np.full((40, 2000, 3), (0.0, 0.0, 2.0)), (0.0, 0.0, -1.0)
    whole = batch.ray_test_batch(starts, down)
    call = cast.closest_in_worlds

    def called(*given):
        os.kill(os.getpid(), signal.SIGALRM)
        return call(*given)

    try:
        monkeypatch.setattr(type(deferred_signals), "is_late", lambda self: self.since > 0.0)
        monkeypatch.setattr(cast, "closest_in_worlds", called)
        again = batch.ray_test_batch(starts, down)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert came
    np.testing.assert_array_equal(again.distance, whole.distance)


def test_a_build_that_is_interrupted_can_be_made_again(monkeypatch):
    """Objects knew of records that the world did not have yet: no step was possible any more."""
    world = tribo.World()
    world.add_ground()
    ball = world.add_sphere(0.1, mass=1.0, position=(0, 0, 0.1))
    move = building._move

    def moved(*arguments):
        move(*arguments)
        os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(building, "_move", moved)
        with pytest.raises(KeyboardInterrupt):
            world.step()
    world.add_sphere(0.1, mass=1.0, position=(1, 0, 0.1))
    world.step(100)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-6)


def test_a_recording_that_is_interrupted_has_no_gap(monkeypatch, tmp_path):
    """A chunk was lost between its last frame and the writing thread: none behind it was readable."""
    world = tribo.World()
    world.add_sphere(0.1, mass=1.0, position=(0, 0, 1))
    begin, came = Recorder._begin_chunk, []

    def begun(self):
        begin(self)
        if world.time > 0.005 and not came:
            came.append(world.time)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Recorder, "_begin_chunk", begun)
    with world.record(tmp_path / "run.zarr", chunk=4):
        with pytest.raises(KeyboardInterrupt):
            world.step(20)
        world.step(5)
    times = np.asarray(tribo.Recording(tmp_path / "run.zarr")["time"])
    assert came
    np.testing.assert_allclose(times, 0.001 * np.arange(len(times)), atol=1e-12)
    assert times[-1] == pytest.approx(world.time, abs=1e-12)
