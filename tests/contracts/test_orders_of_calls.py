"""Any order of calls keeps worlds, batches and recordings whole (Hypothesis' state machines).

A world is edited, stepped, saved, brought back, recorded and copied into batches, in whatever order. What
must hold after each call: numbers are finite, each object is found by its name, arrays that were handed out
either act or refuse, a state that is loaded has the hash that it had, a batch goes on with the bits of its
world, and a recording has the frames that it counted.
"""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import tribo
from tribo.tools.demo import ASSETS


class Orders(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="tribo-orders-"))
        self.world = tribo.World(time_step=0.002)
        self.world.add_ground(name="ground")
        self.count, self.handed, self.saved, self.states = 0, [], None, []
        self.recorder, self.runs = None, 0

    def movable(self):
        return [thing for thing in self.world.objects if thing.name != "ground"]

    def is_recorded(self):
        return self.recorder is not None and self.recorder.is_open

    def forget(self):
        """Note that the list of objects has changed: states and snapshots are those of another model."""
        self.saved, self.states = None, []

    @precondition(lambda self: len(self.world.objects) < 7 and not self.is_recorded())
    @rule(kind=st.sampled_from(["sphere", "box", "robot"]), x=st.floats(-1.0, 1.0))
    def add(self, kind, x):
        self.count += 1
        name, place = f"{kind}{self.count}", (x, 0.3 * self.count, 0.7)
        if kind == "sphere":
            self.world.add_sphere(0.1, 1.0, position=place, name=name)
        elif kind == "box":
            self.world.add_box((0.1, 0.2, 0.1), 1.0, position=place, name=name)
        else:
            self.world.add_articulated_system(ASSETS / "quadruped.urdf", position=place, name=name)
        self.forget()

    @precondition(lambda self: self.movable() and not self.is_recorded())
    @rule(which=st.integers(0, 6))
    def remove(self, which):
        things = self.movable()
        gone = things[which % len(things)]
        self.world.remove(gone)
        assert gone.name not in self.world
        with pytest.raises(ValueError, match="read-only"):
            gone.generalized_velocity[0] = 1.0
        self.forget()

    @rule(n=st.integers(1, 30))
    def step(self, n):
        before = self.world.time
        self.world.step(n)
        assert self.world.time == pytest.approx(before + 0.002 * n, abs=1e-9)

    @precondition(lambda self: self.movable())
    @rule(which=st.integers(0, 6))
    def hand_out(self, which):
        things = self.movable()
        thing = things[which % len(things)]
        self.handed.append((thing, thing.generalized_velocity))

    @precondition(lambda self: self.handed)
    @rule(value=st.floats(-1.0, 1.0))
    def write(self, value):
        """Act or refuse, nothing between."""
        thing, array = self.handed[-1]
        plain = np.asarray(array)
        try:
            array[0] = value
            assert thing.generalized_velocity[0] == value
        except ValueError:
            assert thing.is_removed or thing.generalized_velocity is not array
        with pytest.raises(ValueError, match="read-only"):
            plain[0] = value

    @rule()
    def snapshot(self):
        self.saved = self.world.snapshot(), self.world.hash()

    @precondition(lambda self: self.saved is not None)
    @rule()
    def restore(self):
        saved, said = self.saved
        self.world.restore(saved)
        assert self.world.hash() == said

    @rule()
    def dump(self):
        self.states.append((self.world.dump_state(), self.world.hash()))

    @precondition(lambda self: self.states)
    @rule(which=st.integers(0, 9), cut=st.integers(1, 200))
    def load(self, which, cut):
        blob, said = self.states[which % len(self.states)]
        before = self.world.hash()
        with pytest.raises(ValueError, match=r"incomplete|damaged|no state"):
            self.world.load_state(blob[:-cut])
        assert self.world.hash() == before
        self.world.load_state(blob)
        assert self.world.hash() == said

    @rule(n=st.integers(1, 5))
    def batch(self, n):
        """A batch of the world goes on as the world does."""
        made = tribo.Batch(self.world, 2, threads=2)
        assert made.step(n).all()
        saved = self.world.snapshot()
        other = self.world.hash()
        if not self.is_recorded():
            self.world.step(n)
            assert made.hash() == [self.world.hash()] * 2
            self.world.restore(saved)
            assert self.world.hash() == other

    @precondition(lambda self: not self.is_recorded())
    @rule()
    def record(self):
        self.runs += 1
        self.recorder = self.world.record(self.folder / f"{self.runs}.zarr", chunk=7)

    @precondition(lambda self: self.is_recorded())
    @rule(at_once=st.booleans())
    def close(self, at_once):
        (self.recorder.flush if at_once else self.recorder.close)()
        read = tribo.Recording(self.recorder.path)
        assert read.frames == self.recorder.frames
        assert np.isfinite(read["q"]).all()

    @invariant()
    def numbers_are_finite_and_names_found(self):
        names = [thing.name for thing in self.world.objects]
        assert len(set(names)) == len(names)
        for thing in self.movable():
            assert self.world[thing.name] is thing
            assert np.isfinite(thing.position).all()
        assert np.isfinite(self.world.energy)

    def teardown(self):
        if self.is_recorded():
            self.recorder.close()


TestOrders = Orders.TestCase
TestOrders.settings = settings(
    max_examples=settings.default.max_examples // 4, stateful_step_count=25, deadline=None, derandomize=True,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
