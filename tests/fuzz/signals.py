"""Ctrl-C at any line of Python: a call that is interrupted leaves a world that stands.

The interrupt comes before a line that is chosen by number, wherever that line is: in tribo, NumPy or Zarr.
The state must then be that after a whole number of steps, to the bit; an edit has happened or has not; a file
is the old one or the new one; and the world, or a batch, goes on.
"""

from __future__ import annotations

import logging
import random
import signal
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import tribo
from tribo.engine import interrupts

ROBOT = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
STEPS = 40  # of a call; what a step finds is known in advance
WORLDS = 6


def prepare() -> None:
    """Compile and import what calls need."""
    logging.getLogger("tribo").setLevel(logging.CRITICAL)
    tribo.warm_up(everything=True, quiet=True)
    for name in CALLS:
        lines_of(name)


def make() -> tribo.World:
    """Return a small world in which bodies fall, hit and slide."""
    world = tribo.World()
    world.add_ground()
    for k in range(3):
        body = world.add_box((0.1, 0.1, 0.1), 1.0, position=(0.05 * k, 0, 0.06 + 0.11 * k))
        body.linear_velocity = (0.3 * k, 0.1, 0.0)
    world.add_sphere(0.1, 1.0, name="ball", position=(1, 0, 0.12))
    return world


@cache
def hashes() -> tuple[str, ...]:
    """Return the digest of the state after each number of steps."""
    world, found = make(), []
    for _ in range(STEPS + 1):
        found.append(world.hash())
        world.step()
    return tuple(found)


@cache
def states() -> tuple[dict[str, np.ndarray], ...]:
    """Return the state of all worlds of a batch after each number of steps."""
    batch, found = tribo.Batch(make(), WORLDS, threads=1), []
    for _ in range(STEPS + 1):
        found.append({name: batch.engine.state.arrays[name].copy() for name in ("q", "v")})
        batch.step()
    return tuple(found)


def interrupted(call: Callable[[], object], line: int) -> int:
    """Interrupt a call before its n-th line; return how many lines it had, −1 if it was interrupted.

    Lines of `interrupts` do not count: it relies on where CPython looks for signals, which is not before each
    line (`test_interrupts_windows` has them come at those places).
    """
    passed = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal passed
        if frame.f_code.co_filename == interrupts.__file__:
            return None
        passed += event == "line"
        if event == "line" and passed == line:
            signal.raise_signal(signal.SIGINT)
        return trace

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return -1
    finally:
        sys.settrace(None)
        signal.signal(signal.SIGINT, before)
    return passed


def _steps(world: tribo.World) -> None:
    """Check that a world is where a whole number of steps leads."""
    count = round(world.time / world.time_step)
    if world.hash() != hashes()[count]:
        raise AssertionError(f"after {count} steps the state is not that of {count} steps")


def _stepped(line: int) -> int:
    world = make()
    lines = interrupted(lambda: world.step(STEPS), line)
    _steps(world)
    return lines


def _batch(line: int) -> int:
    return _many(line, lambda batch: batch.step(STEPS))


def _rollout(line: int) -> int:
    plan = np.zeros((WORLDS, STEPS // 4, 6))
    return _many(line, lambda batch: batch.rollout(forces={"ball": plan}, steps_per_control=4))


def _many(line: int, call: Callable[[tribo.Batch], object]) -> int:
    batch = tribo.Batch(make(), WORLDS, threads=2)
    lines = interrupted(lambda: call(batch), line)
    for k, count in enumerate(np.rint(np.asarray(batch.time) / 0.001).astype(int)):
        for name, array in states()[count].items():
            if not np.array_equal(batch.engine.state.arrays[name][k], array[k]):
                raise AssertionError(f"world {k} is not where {count} steps lead: {name}")
    batch.step(2)
    return lines


def _edit(line: int, change: Callable[[tribo.World], object]) -> int:
    world = make()
    before = _described(world)
    other = make()
    change(other)
    lines = interrupted(lambda: change(world), line)
    if _described(world) not in (before, _described(other)):
        raise AssertionError(f"an edit happened by half: {before} → {_described(world)}")
    world.step(2)
    world.load_state(world.dump_state())
    if _described(world) == before:
        change(world)  # what did not happen can be done
        world.step()
    return lines


def _described(world: tribo.World) -> tuple[object, ...]:
    names = tuple(part.name for part in world.objects), tuple(tie.name for tie in world.constraints)
    return (*names, tuple(sensor.name for sensor in world.sensors), world.material_names)


def _added(line: int) -> int:
    return _edit(line, lambda world: world.add_box((0.1, 0.2, 0.3), 2.0, name="new", position=(3, 0, 1)))


def _robot(line: int) -> int:
    return _edit(line, lambda world: world.add_articulated_system(ROBOT, position=(5, 0, 0.6)))


def _removed(line: int) -> int:
    return _edit(line, lambda world: world.remove("ball"))


def _tied(line: int) -> int:
    return _edit(line, lambda world: world.add_pin(world.objects[1], world.objects[2], name="pin"))


def _sensed(line: int) -> int:
    return _edit(line, lambda world: world.add_imu(world["ball"], name="imu"))


def _built(line: int) -> int:
    world = make()
    lines = interrupted(lambda: world.step(), line)
    _steps(world)
    world.step(2)
    return lines


def _restored(line: int) -> int:
    world = make()
    world.step(3)
    saved, there = world.snapshot(), world.hash()
    world.step(5)
    here = world.hash()
    lines = interrupted(lambda: world.restore(saved), line)
    if world.hash() not in (here, there):
        raise AssertionError("a snapshot was restored by half")
    world.step(2)
    return lines


def _loaded(line: int) -> int:
    world = make()
    world.step(3)
    saved, there = world.dump_state(), world.hash()
    world.step(5)
    here = world.hash()
    lines = interrupted(lambda: world.load_state(saved), line)
    if world.hash() not in (here, there):
        raise AssertionError("a state was loaded by half")
    world.step(2)
    return lines


def _saved(line: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path, world = Path(folder) / "world.xml", make()
        world.save(path)
        before = path.read_bytes()
        world["ball"].linear_velocity = (1, 2, 3)
        lines = interrupted(lambda: world.save(path), line)
        now = path.read_bytes()
        if now != before:
            world.save(path)
            if path.read_bytes() != now:
                raise AssertionError("a file was written by half")
        tribo.World.load(path).step()
    return lines


def _recorded(line: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path, world = Path(folder) / "run.zarr", make()
        with world.record(path, chunk=8):
            world.step(20)
            lines = interrupted(lambda: world.step(20), line)
            count = round(world.time / world.time_step)
        _steps(world)
        times = np.asarray(tribo.Recording(path)["time"])
        if len(times) not in (count, count + 1) or not np.allclose(np.diff(times), 0.001):
            raise AssertionError(f"a recording of {count} steps has {len(times)} frames")
    return lines


CALLS: dict[str, Callable[[int], int]] = {
    "step": _stepped, "first step": _built, "batch": _batch, "rollout": _rollout, "add": _added,
    "robot": _robot, "remove": _removed, "tie": _tied, "sensor": _sensed, "restore": _restored,
    "load": _loaded, "save": _saved, "record": _recorded,
}  # fmt: skip


@cache
def lines_of(name: str) -> int:
    """Return how many lines a call has that nothing interrupts, the second time that it is made."""
    CALLS[name](0)
    return CALLS[name](0)


def play(number: int) -> bool:
    """Interrupt a call; return whether it was."""
    rng = random.Random(number)
    name = list(CALLS)[number % len(CALLS)]
    line = rng.randrange(1, lines_of(name) + 1)
    try:
        return CALLS[name](line) < 0
    except BaseException as error:
        error.add_note(f"{name}, interrupted before its line {line}")
        raise
