"""Damaged and hostile recordings are refused in words, before memory is taken or another file is opened."""

import json
import os
import pickle
import random
import shutil
import struct

import numpy as np
import pytest
import zarr

import tribo
from tribo.recording import RecordingError


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a recording of 40 frames in chunks of 16, one contact point and more in each."""
    path = tmp_path_factory.mktemp("whole") / "run.zarr"
    world = tribo.World()
    world.add_ground(name="ground")
    world.add_box((0.2, 0.2, 0.2), 1.0, position=(0, 0, 0.0999), name="box")
    with world.record(path, chunk=16):
        world.step(39)
    return path


@pytest.fixture
def copy(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "run.zarr")


def read_all(path):
    recording = tribo.Recording(path)
    return {name: recording[name] for name in recording.names}


def edit(file, **changes):
    """Change entries of a JSON file; "a__b" names entry b of entry a."""
    said = json.loads(file.read_text())
    for key, value in changes.items():
        *way, last = key.split("__")
        inner = said
        for part in way:
            inner = inner[int(part) if part.isdigit() else part]
        inner[last] = value
    file.write_text(json.dumps(said))


HUGE = [
    ("zarr.json", {"attributes__frames": 10**11}, "is missing|numbers|rows"),
    ("zarr.json", {"attributes__frames": 10**30}, "frames"),
    ("zarr.json", {"attributes__frames": -1}, "frames"),
    ("zarr.json", {"attributes__frames": True}, "frames"),
    ("zarr.json", {"attributes__frames": 40.0}, "frames"),
    ("zarr.json", {"attributes__frames": 41}, "rows"),
    ("zarr.json", {"attributes__contacts": 3}, "contact_end"),
    ("zarr.json", {"attributes__chunk": 0}, "chunk"),
    ("zarr.json", {"attributes__chunk": 10**9}, "chunk"),
    ("zarr.json", {"attributes__version": 99}, "version"),
    ("zarr.json", {"attributes__stretches": 2}, "stretch_1 is no folder"),
    ("zarr.json", {"attributes__stretches": 10**9}, "stretches"),
    ("zarr.json", {"attributes__stretches": [2]}, "stretches"),
    ("zarr.json", {"attributes__format": "x" * 10_000}, "format"),
    ("zarr.json", {"node_type": "array"}, "group"),
    ("model/zarr.json", {"attributes__sizes__nq": 10**12}, "nq"),
    ("model/zarr.json", {"attributes__sizes__nbody": 4_000_000}, "bodies"),
    ("model/zarr.json", {"attributes__sizes": None}, "sizes"),
    ("model/zarr.json", {"attributes__objects": [{"name": "x", "q": [0, 99], "v": [0, 0]}]}, "objects?"),
    ("model/zarr.json", {"attributes__objects__1__q": [0, "7"]}, "objects?"),
    ("model/zarr.json", {"attributes__objects__1__q": [0.5, 7]}, "objects?"),
    ("model/zarr.json", {"attributes__bodies": 7}, "model"),
    ("q/zarr.json", {"shape": [40, 10**12]}, "shape"),
    ("q/zarr.json", {"shape": [10**30, 7]}, "shape"),
    ("q/zarr.json", {"shape": "many"}, "shape"),
    ("q/zarr.json", {"chunk_grid__configuration__chunk_shape": [2**40, 7]}, "chunk_grid"),
    ("q/zarr.json", {"data_type": "object"}, "data_type"),
    ("q/zarr.json", {"codecs": [{"name": "vlen-bytes"}]}, "codecs"),
    ("q/zarr.json", {"codecs": [{"name": "numcodecs.pickle"}]}, "codecs"),
    ("q/zarr.json", {"storage_transformers": [{"name": "x"}]}, "transformers"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "changes", "says"), HUGE)
def test_what_the_writer_would_not_say_is_refused(copy, file, changes, says):
    edit(copy / file, **changes)
    with pytest.raises((RecordingError, MemoryError), match=says):
        read_all(copy)


def test_more_than_can_be_read_at_once(copy):
    """A shape that is consistent in itself, of which most chunks are not there."""
    edit(copy / "zarr.json", attributes__frames=10**9)
    edit(copy / "q/zarr.json", shape=[10**9, 7])
    with pytest.raises(MemoryError, match="between"):
        tribo.Recording(copy)["q"]
    edit(copy / "time/zarr.json", shape=[10**9])
    with pytest.raises((RecordingError, MemoryError)):
        _ = tribo.Recording(copy).time


def test_a_bomb_is_not_unpacked(copy):
    """The header of a chunk speaks of 4 GiB: refused before it is decompressed."""
    chunk = copy / "q/c/0/0"
    data = bytearray(chunk.read_bytes())
    data[4:8] = struct.pack("<I", 2**32 - 16)
    chunk.write_bytes(data)
    with pytest.raises(RecordingError, match=r"q/c/0/0 holds"):
        tribo.Recording(copy)["q"]


def test_a_flipped_bit_is_found(copy):
    chunk = copy / "q/c/1/0"
    data = bytearray(chunk.read_bytes())
    data[len(data) // 2] ^= 4
    chunk.write_bytes(data)
    recording = tribo.Recording(copy)
    with pytest.raises(RecordingError, match="q cannot be read"):
        recording["q"]
    first = recording.between(0.0, 0.0151)  # what is whole stays readable
    assert first["q"].shape == (16, 7)


@pytest.mark.parametrize("length", [0, 3, 16, 40])
def test_a_chunk_that_is_cut_short(copy, length):
    chunk = copy / "v/c/2/0"
    chunk.write_bytes(chunk.read_bytes()[:length])
    with pytest.raises(RecordingError, match=r"v/c/2/0"):
        tribo.Recording(copy)["v"]


def test_missing_files(copy):
    (copy / "time/c/1").unlink()
    with pytest.raises(RecordingError, match=r"time/c/1 is missing"):
        _ = tribo.Recording(copy).time
    shutil.rmtree(copy / "q")
    with pytest.raises(RecordingError, match=r"q/zarr.json is missing"):
        tribo.Recording(copy)["q"]
    (copy / "zarr.json").unlink()
    with pytest.raises(RecordingError, match=r"zarr.json is missing"):
        tribo.Recording(copy)


def test_links_and_pipes_are_not_followed(copy, tmp_path):
    """Neither to files nor through folders; a pipe would block for ever."""
    outside = tmp_path / "outside"
    shutil.copytree(copy / "q", outside)
    shutil.rmtree(copy / "q")
    (copy / "q").symlink_to(outside)
    with pytest.raises(RecordingError, match="plain file"):
        tribo.Recording(copy)["q"]
    chunk = copy / "v/c/0/0"
    chunk.unlink()
    chunk.symlink_to(outside / "c/0/0")
    with pytest.raises(RecordingError, match="plain file"):
        tribo.Recording(copy)["v"]
    os.mkfifo(copy / "pipe")
    os.replace(copy / "pipe", copy / "time/c/0")
    with pytest.raises(RecordingError, match="plain file"):
        _ = tribo.Recording(copy).time


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", "[" * 100_000, '{"a":' * 50_000, "\0", "{}", '{"attributes": 3}', " " * 70_000],
)  # fmt: skip
def test_text_that_describes_nothing(copy, text):
    (copy / "zarr.json").write_text(text)
    with pytest.raises(RecordingError, match=r"zarr.json"):
        tribo.Recording(copy)


def test_what_is_no_recording(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such recording"):
        tribo.Recording(tmp_path / "nothing.zarr")
    file = tmp_path / "file.zarr"
    file.write_bytes(pickle.dumps(print))
    with pytest.raises(RecordingError, match="is no recording"):
        tribo.Recording(file)
    with pytest.raises(RecordingError, match=r"zarr.json is missing"):
        tribo.Recording(tmp_path)
    zarr.create_group(tmp_path / "other.zarr", zarr_format=3)
    with pytest.raises(RecordingError, match="no recording of tribo"):
        tribo.Recording(tmp_path / "other.zarr")
    for bad in (7, None, "", "a\0b", b"x"):
        with pytest.raises((TypeError, ValueError), match="path"):
            tribo.Recording(bad)


def test_a_consistent_lie_about_contacts(copy):
    """Correctly written arrays with numbers that lead outside of others."""
    array = zarr.open_array(copy / "contact_end", mode="r+")
    right = array[:]
    for wrong in (right[::-1].copy(), np.full(40, -1), np.full(40, 2**62)):
        array[:] = wrong
        with pytest.raises(RecordingError, match="contact_end"):
            tribo.Recording(copy)["contact_force"]
    array[:] = right
    bodies = zarr.open_array(copy / "contact_body", mode="r+")
    bodies[5, 0] = 9
    with pytest.raises(RecordingError, match="contact_body"):
        tribo.Recording(copy).net_contact_force("box")


def test_random_damage_is_refused_or_harmless(copy):
    """Bytes changed anywhere: the same numbers, or an error in words; never anything else."""
    right = read_all(copy)
    files = sorted(path for path in copy.rglob("*") if path.is_file())
    rng = random.Random(7)
    refused = 0
    for _ in range(40):
        file = rng.choice(files)
        before = file.read_bytes()
        data = bytearray(before)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        file.write_bytes(data[: rng.choice((len(data), rng.randrange(len(data) + 1)))])
        try:
            said = read_all(copy)
        except (RecordingError, MemoryError):
            refused += 1
        else:
            if file.name != "zarr.json":
                assert all(np.array_equal(said[name], right[name]) for name in right)
        file.write_bytes(before)
    assert refused > 12


def test_a_stretch_that_is_a_link_is_refused(copy, whole):
    (copy / "stretch_1").symlink_to(whole, target_is_directory=True)
    edit(copy / "zarr.json", attributes__stretches=2)
    with pytest.raises(RecordingError, match="stretch_1 is no folder of the recording's own"):
        tribo.Recording(copy)


def test_a_stretch_that_is_killed_at_its_beginning_has_no_frames(copy):
    """Its file is there and says that it is not complete; what was before it is read."""
    shutil.copytree(copy, copy / "stretch_1")
    edit(copy / "stretch_1" / "zarr.json", attributes__frames=0, attributes__contacts=0,
         attributes__complete=False)  # fmt: skip
    edit(copy / "zarr.json", attributes__stretches=2)
    recording = tribo.Recording(copy)
    assert (recording.frames, recording.is_complete) == (40, False)
    assert recording["q"].shape == (40, 7)
