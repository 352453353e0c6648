"""Recordings: frames equal what the world said, also of a writer that was killed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import zarr

import tribo
from tribo.recording import fields
from tribo.recording.recorder import Recorder
from tribo.tools import cli

QUADRUPED = Path(tribo.__file__).parent / "assets" / "quadruped.urdf"
SCENE = """
import tribo
def build():
    world = tribo.World()
    world.default_pair = tribo.PairProperties(friction=0.6)
    world.add_ground(name="ground")
    for k in range(3):
        world.add_box((0.2, 0.2, 0.2), 1.0, position=(0.02 * k, 0, 0.0999 + 0.1999 * k), name=f"box{k}")
    return world
"""


def build():
    scope = {}
    exec(SCENE, scope)
    return scope["build"]()


def robot_world():
    world = build()
    dog = world.add_articulated_system(QUADRUPED, position=(2, 0, 0.6), name="dog")
    dog.set_pd_gains(30.0, 1.0)
    return world, dog


def test_frames_are_what_the_world_said(tmp_path):
    """Every number of every frame, bit for bit, with world.step in one call and in many."""
    world, dog = robot_world()
    said = []
    with world.record(tmp_path / "run.zarr", every=0.002, chunk=7) as recorder:
        for _ in range(20):
            world.step(2)
            touching = world.contacts
            said.append({
                "time": world.time, "q": world.engine.state.q.copy(), "v": world.engine.state.v.copy(),
                "kinetic_energy": world.kinetic_energy, "potential_energy": world.potential_energy,
                "linear_momentum": world.linear_momentum, "angular_momentum": world.angular_momentum,
                "residual": world.residual, "status": int(world.status), "sweeps": world.sweeps,
                "position": np.array([c.position for c in touching]).reshape(-1, 3),
                "force": np.array([c.force for c in touching]).reshape(-1, 3),
                "normal": np.array([c.normal for c in touching]).reshape(-1, 3),
                "depth": np.array([c.depth for c in touching]),
                "friction": np.array([c.pair.friction for c in touching]),
                "torque": dog.applied_torque, "base": dog.position, "turn": dog.orientation,
            })  # fmt: skip
    assert recorder.frames == 21
    recording = tribo.Recording(tmp_path / "run.zarr")
    assert recording.is_complete
    assert len(recording) == 21
    for k, frame in enumerate(said, 1):
        for name in frame.keys() & set(recording.names):
            assert np.array_equal(recording[name][k], frame[name]), name
        contacts = recording.contacts(k)
        for name in ("position", "normal", "depth", "friction"):
            assert np.array_equal(contacts[name], frame[name]), name
        np.testing.assert_allclose(contacts["force"], frame["force"], rtol=1e-13, atol=1e-12)
        assert np.array_equal(recording.of("dog", "applied_force")[k], frame["torque"])
        assert np.array_equal(recording.of("dog", "body_position")[k, 0], frame["base"])
        assert abs(recording.of("dog", "body_orientation")[k, 0] @ frame["turn"]) == pytest.approx(
            1, abs=1e-15
        )
    assert sum(len(frame["depth"]) for frame in said) > 100
    assert np.array_equal(recording.of("dog", "kp")[0], dog.kp)
    assert recording.energy == pytest.approx(recording["kinetic_energy"] + recording["potential_energy"])


def test_one_call_records_as_many_do_and_changes_nothing(tmp_path):
    one, many, bare = build(), build(), build()
    with one.record(tmp_path / "one.zarr", every=0.005):
        one.step(100)
    with many.record(tmp_path / "many.zarr", every=0.005):
        for _ in range(100):
            many.step()
    bare.step(100)
    assert one.hash() == many.hash() == bare.hash()
    first, second = (tribo.Recording(tmp_path / f"{name}.zarr") for name in ("one", "many"))
    assert first.frames == 21
    for name in set(first.names) - {"stage_time"}:  # the clock never says the same twice
        assert np.array_equal(first[name], second[name]), name


def test_the_halves_of_the_step_before_a_frame_are_timed(tmp_path):
    world = build()
    start = time.perf_counter()
    with world.record(tmp_path / "run.zarr", every=0.005):
        world.step(50)
        world.update()
        world.advance()
        world.step(4)
    wall = time.perf_counter() - start
    recording = tribo.Recording(tmp_path / "run.zarr")
    times = recording["stage_time"]
    assert np.isnan(times[0]).all()  # before any step
    assert (times[1:] > 0.0).all()
    assert times[1:].sum() < wall
    assert recording.columns("stage_time") == [("update", "s"), ("advance", "s")]


def test_a_frame_after_halves_of_ones_own_has_no_times(tmp_path):
    world = build()
    with world.record(tmp_path / "run.zarr"):
        world.update()
        world.advance()
    assert np.isnan(tribo.Recording(tmp_path / "run.zarr")["stage_time"]).all()


def test_recordings_of_the_first_version_are_read(tmp_path):
    world = build()
    with world.record(tmp_path / "run.zarr"):
        world.step(3)
    shutil.rmtree(tmp_path / "run.zarr" / "stage_time")
    head = tmp_path / "run.zarr" / "zarr.json"
    head.write_text(head.read_text().replace('"version": 3', '"version": 1'))
    recording = tribo.Recording(tmp_path / "run.zarr")
    assert recording.frames == 4
    assert recording["stage_time"].shape == (4, 2)
    assert np.isnan(recording["stage_time"]).all()
    assert recording["kinetic_energy"].shape == (4,)


def test_update_and_advance_are_recorded(tmp_path):
    world = build()
    with world.record(tmp_path / "run.zarr") as recorder:
        for _ in range(3):
            world.update()
            world.advance()
        world.update()
        with pytest.raises(tribo.EditError, match="recorded already"):
            world.record(tmp_path / "other.zarr")
        world.advance()
    assert recorder.frames == 5
    np.testing.assert_allclose(tribo.Recording(tmp_path / "run.zarr").time, np.arange(5) * 1e-3, atol=1e-15)


def test_a_box_presses_with_its_weight(tmp_path):
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_box((0.2, 0.2, 0.2), 3.0, position=(0, 0, 0.1), name="box")
    with world.record(tmp_path / "run.zarr"):
        world.step(20)
    recording = tribo.Recording(tmp_path / "run.zarr")
    weight = np.array([0.0, 0.0, 3.0 * 9.81])
    np.testing.assert_allclose(recording.net_contact_force("box")[1:], np.tile(weight, (20, 1)), atol=1e-6)
    np.testing.assert_allclose(
        recording.net_contact_force("ground"), -recording.net_contact_force("box"), atol=1e-12
    )
    part = recording.between(0.005, 0.0095)
    assert part.time.round(9).tolist() == [0.005, 0.006, 0.007, 0.008, 0.009]
    assert np.array_equal(part.net_contact_force("box"), recording.net_contact_force("box")[5:10])
    assert np.array_equal(
        part["contact_depth"], np.concatenate([recording.contacts(k)["depth"] for k in range(5, 10)])
    )
    assert recording.between(7.0, 8.0).frames == 0
    assert len(recording.between(7.0, 8.0)["contact_force"]) == 0


def test_names_and_units(tmp_path):
    world, dog = robot_world()
    with world.record(tmp_path / "run.zarr"):
        world.step()
    recording = tribo.Recording(tmp_path / "run.zarr")
    assert recording.objects == ("ground", "box0", "box1", "box2", "dog")
    of_dog = [name for name in recording.dof_names if name.startswith("dog/")]
    assert of_dog[:6] == [f"dog/{x}" for x in ("vx", "vy", "vz", "wx", "wy", "wz")]
    assert of_dog[6:] == [f"dog/{name}" for name in dog.joint_names if f"dog/{name}" in of_dog]
    assert len(of_dog) == dog.dof
    for name in recording.names:
        row = np.prod(recording[name].shape[1:], dtype=int)
        assert len(recording.columns(name)) == row, name
        assert recording.unit(name)
        assert recording.text(name)
    units = dict(recording.columns("applied_force"))
    assert (units["dog/vx"], units["dog/wx"], units[of_dog[-1]]) == ("N", "N m", "N m")
    assert recording.columns("body_position")[0] == (f"{recording.bodies[0]}/x", "m")
    assert recording.model["time_step"] == 1e-3
    with pytest.raises(KeyError, match=r"did you mean|nearest|'v'|q"):
        recording["qq"]
    with pytest.raises(ValueError, match="whole world"):
        recording.of("dog", "residual")
    with pytest.raises(IndexError):
        recording.contacts(2)


def test_refused_paths_and_edits(tmp_path):
    world = build()
    path = tmp_path / "run.zarr"
    with world.record(path):
        world.step(3)
        world.add_sphere(0.1, 1.0, position=(0, 0, 5))
        with pytest.raises(tribo.EditError, match="added or removed"):
            world.step()
        before = world.time
    assert world.time == before
    world.step()  # the recording is closed
    with pytest.raises(FileExistsError, match="overwrite"):
        world.record(path)
    with world.record(path, overwrite=True):
        world.step(5)
    assert tribo.Recording(path).frames == 6
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "text").write_text("kept")
    with pytest.raises(FileExistsError, match="is no recording"):
        world.record(other, overwrite=True)
    assert (other / "text").read_text() == "kept"
    with pytest.raises(FileNotFoundError, match="folder does not exist"):
        world.record(tmp_path / "no" / "run.zarr")
    for bad in (0.0, -1.0, float("nan"), "x"):
        with pytest.raises((ValueError, TypeError)):
            world.record(tmp_path / "bad.zarr", every=bad)
    with pytest.raises(ValueError, match="chunk"):
        world.record(tmp_path / "bad.zarr", chunk=0)
    assert not (tmp_path / "bad.zarr").exists()
    world.step()


def test_an_error_inside_closes_the_recording(tmp_path):
    world = build()
    recorder = world.record(tmp_path / "run.zarr")

    def fail():
        with recorder:
            world.step(4)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not recorder.is_open
    with pytest.raises(ValueError, match="closed"):
        recorder.note()
    assert tribo.Recording(tmp_path / "run.zarr").frames == 5


def test_the_clock_may_be_set_back(tmp_path):
    world = build()
    with world.record(tmp_path / "run.zarr", every=0.01):
        world.step(20)
        world.time = 0.0
        world.step(20)
    recording = tribo.Recording(tmp_path / "run.zarr")
    assert recording.time.round(9).tolist() == [0.0, 0.01, 0.02, 0.001, 0.011]
    assert recording.restarts == (3,)
    with pytest.raises(ValueError, match=r"set back before frame 3; .*part\(3, 5\)"):
        recording.between(0, 1)
    assert recording.part(3, 5).between(0.0, 0.005).frames == 1
    assert recording.part(3, 5).restarts == ()


# -- kill -9 ---------------------------------------------------------------------------------------
def expected(frames):
    """Return the coordinates of the first frames of the scene, recorded at each step."""
    world = build()
    rows = [world.engine.state.q.copy()]
    for _ in range(frames - 1):
        world.step()
        rows.append(world.engine.state.q.copy())
    return np.array(rows)


def test_a_killed_recording_is_readable_to_its_last_chunk(tmp_path):
    path = tmp_path / "run.zarr"
    loop = f"world = build()\nworld.record({str(path)!r}, chunk=16)\nwhile True:\n    world.step()\n"
    program = f"{SCENE}\n{loop}"
    child = subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    )
    try:
        end = time.monotonic() + 120
        while time.monotonic() < end and child.poll() is None:
            time.sleep(0.05)
            if path.exists() and (path / "model/zarr.json").exists() and tribo.Recording(path).frames >= 48:
                break
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert child.returncode == -signal.SIGKILL
    recording = tribo.Recording(path)
    assert not recording.is_complete
    assert recording.frames >= 48
    assert recording.frames % 16 == 0
    assert np.array_equal(recording["q"], expected(recording.frames))
    for name in recording.names:
        first = 1 if name == "stage_time" else 0  # there is no step before the first frame
        assert np.isfinite(recording[name][first:]).all(), name


def test_killed_before_any_write(tmp_path, monkeypatch):
    """At every single write of a file the folder is as a killed process would leave it: whole."""
    copies = []
    path = tmp_path / "run.zarr"
    write = zarr.storage.LocalStore.set

    async def noted(store, key, value):
        if recording_began and len(copies) < 500:
            copies.append(tmp_path / f"copy{len(copies)}")
            shutil.copytree(path, copies[-1])
        await write(store, key, value)

    monkeypatch.setattr(zarr.storage.LocalStore, "set", noted)
    recording_began = False
    monkeypatch.setattr(fields, "CONTACT_ROWS", 16)
    world = build()
    with world.record(path, chunk=4):
        recording_began = True
        world.step(6)
    monkeypatch.setattr(zarr.storage.LocalStore, "set", write)
    right = expected(7)
    whole = tribo.Recording(path)
    assert whole.frames == 7
    assert whole["contact_end"][-1] > 32
    seen = []
    for copy in copies:
        recording = tribo.Recording(copy)
        seen.append(recording.frames)
        assert np.array_equal(recording["q"], right[: recording.frames])
        assert np.array_equal(
            recording["contact_force"], whole["contact_force"][: recording._contact_rows()[1]]
        )
    assert sorted(set(seen)) == [0, 4, 7]
    assert seen == sorted(seen)
    assert len(copies) > 60


def test_the_command_records(tmp_path, capsys):
    spheres = str(QUADRUPED.parent / "three_spheres.xml")
    arguments = ["record", spheres, str(tmp_path / "run.zarr"), "--seconds", "0.2", "--every", "0.01"]
    assert cli.main([*arguments, "--time-step", "0.002"]) == 0
    assert "21 frames" in capsys.readouterr().out
    recording = tribo.Recording(tmp_path / "run.zarr")
    # Free fall from 5 m; the midpoint rule is exact on a parabola.
    fallen = 5.0 - 0.5 * 9.81 * recording.time**2
    np.testing.assert_allclose(recording["body_position"][:, 1, 2], fallen, atol=1e-12)
    assert cli.main(arguments) == 1
    assert cli.main([*arguments, "--overwrite"]) == 0


def test_a_recording_goes_on_after_an_interrupt_while_it_waits_for_the_disk(tmp_path, monkeypatch):
    """Ctrl-C came between the last frame of a chunk and the next chunk: the next frame had no place."""
    world = tribo.World()
    world.add_sphere(0.1, mass=1.0, position=(0, 0, 1))
    wait, came = Recorder._wait, []

    def interrupted(recorder):
        if world.time > 0.005 and not came:
            came.append(world.time)
            signal.raise_signal(signal.SIGINT)
        wait(recorder)

    monkeypatch.setattr(Recorder, "_wait", interrupted)
    with world.record(tmp_path / "run.zarr", chunk=4):
        with pytest.raises(KeyboardInterrupt):
            world.step(20)
        world.step(5)
    times = np.asarray(tribo.Recording(tmp_path / "run.zarr")["time"])
    assert came
    assert times[-1] == world.time
    np.testing.assert_allclose(np.diff(times), world.time_step, rtol=1e-9)
