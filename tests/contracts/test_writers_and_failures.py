"""All writers × all points of failure: the old file or the new one is there, whole, and nothing else.

A point of failure is a call of the system that a writer makes: opening the draft, each write, fsync, the
renaming. Each is failed once, in each way: no space (ENOSPC), a broken disk (EIO), a write that stores half
of what it was given and then fails, and a process that is killed in it. Writes that store half and do not
fail (short writes) must not show at all.
"""

import errno
import io
import os
import signal

import numpy as np
import pytest

import tribo
from tribo import spatial
from tribo.checks import replacing
from tribo.formats import convex_parts
from tribo.learn import checkpoint
from tribo.learn.policy import Policy
from tribo.materials import MaterialLibrary
from tribo.recording.figure import new_figure, save_figure
from tribo.tools.demo import ASSETS
from tribo.viewer.film import save_film, save_picture
from tribo.viewer.page import save_page
from tribo.viewer.take import Take

OLD = b"what was there before\n" * 50
EVENTS = ("open", "write", "fsync", "replace")


class Scene:
    """What the writers write."""

    def __init__(self, folder):
        self.world = world = tribo.World()
        world.add_sphere(0.1, mass=1.0, position=(0, 0, 2), name="ball")
        self.dog = world.add_articulated_system(
            (ASSETS / "quadruped.urdf").read_text(), position=(0, 0, 1), name="dog"
        )
        with world.record(folder / "run.zarr", every=0.005):
            world.step(40)
        self.recording = tribo.Recording(folder / "run.zarr")
        layer = (np.ones((1, 3), np.float32), np.zeros(1, np.float32))
        self.policy = Policy("task", np.zeros(3), np.ones(3), [layer], np.array([-1.0]), np.array([1.0]))
        self.materials = MaterialLibrary()
        rows = np.linspace(0.0, 255.0, 64 * 64 * 3).astype(np.uint8)
        self.picture = rows.reshape(64, 64, 3)

    def figure(self, path):
        figure, axes = new_figure(1)
        axes[0].plot([0, 1], [0, 1])
        save_figure(figure, path)

    def page(self, path):
        motion = tribo.ground.simulate(
            spatial.rollingdisc(8), tribo.ground.Ground(1e6, 2e3), 0.02,
            xfb=[1, 0, 0, 0, 0, 0, 0.06, 0, 0, 0, 0, 0, 0],
        )  # fmt: skip
        save_page(Take.of(motion, rate=30), path)

    def checkpoint(self, path):
        pytest.importorskip("torch")
        checkpoint.save(path, {"a": np.arange(5.0)})

    def onnx(self, path):
        pytest.importorskip("onnx")
        self.policy.save_onnx(path)


WRITERS = {
    "then.state": lambda s, path: s.world.save_state(path),
    "world.xml": lambda s, path: s.world.save(path),
    "dog.urdf": lambda s, path: s.dog.export_urdf(path),
    "materials.yaml": lambda s, path: tribo.write_materials(s.materials, path),
    "tree.json": lambda s, path: spatial.save(spatial.autoTree(4), path),
    "tree.mat": lambda s, path: spatial.save(spatial.autoTree(4), path),
    "run.csv": lambda s, path: s.recording.export(path),
    "run.parquet": lambda s, path: s.recording.export(path),
    "run.npz": lambda s, path: s.recording.export(path, arrays=["q"]),
    "plot.png": Scene.figure,
    "plot.pdf": Scene.figure,
    "picture.png": lambda s, path: save_picture(s.picture, path),
    "page.html": Scene.page,
    "policy.npz": lambda s, path: s.policy.save(path),
    "policy.onnx": Scene.onnx,
    "checkpoint.pt": Scene.checkpoint,
}


class Failing:
    """Makes the k-th call of a kind fail, in some way; counts those that would have."""

    def __init__(self, monkeypatch, event="", number=0, way=""):
        self.count, self.met, self.renamed = dict.fromkeys(EVENTS, 0), False, False
        self._event, self._number, self._way = event, number, way
        for name in ("open", "fsync", "replace"):
            monkeypatch.setattr(os, name, self._wrapped(name, getattr(os, name)))
        monkeypatch.setattr(replacing, "raw_stream", lambda draft: _Raw(draft, self))

    def meets(self, event):
        """Count a call; tell whether it is the one that fails."""
        self.count[event] += 1
        here = (event, self.count[event]) == (self._event, self._number)
        self.met |= here
        if here and self._way == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        return here

    def fail(self):
        number = errno.EIO if self._way == "EIO" else errno.ENOSPC
        raise OSError(number, os.strerror(number))

    def _wrapped(self, name, function):
        def called(*args, **kwargs):
            if self.meets(name):
                self.fail()
            made = function(*args, **kwargs)
            self.renamed |= name == "replace" and not self.met
            return made

        return called


class _Raw(io.FileIO):
    def __init__(self, draft, failing):
        super().__init__(draft, "wb")
        self._failing, self._rest = failing, False

    def write(self, data):
        way = self._failing._way
        if way == "short":
            return super().write(memoryview(data).cast("B")[: max(1, len(data) // 2)])
        if self._rest:
            self._failing.fail()
        if self._failing.meets("write"):
            if way != "half":
                self._failing.fail()
            self._rest = True
            return super().write(memoryview(data).cast("B")[: max(1, len(data) // 2)])
        return super().write(data)


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    return Scene(tmp_path_factory.mktemp("scene"))


def around(folder):
    """Return the files of a folder, drafts apart, and the drafts."""
    names = {path.name for path in folder.iterdir()}
    drafts = {path.name for path in folder.glob(replacing.DRAFTS)}
    return names - drafts, drafts


def is_whole(path, content):
    """Tell whether a file is as another run wrote it; those with dates or drawn numbers, by size and ends."""
    there = path.read_bytes()
    if path.suffix in {".xml", ".urdf", ".json", ".csv", ".yaml", ".state", ".png"}:
        return there == content
    return there[:4] == content[:4] and abs(len(there) - len(content)) <= 0.01 * len(content)


def points(monkeypatch, write, path):
    """Return all calls that a writer makes, and the files that it leaves."""
    write(path)  # what it needs is imported, which opens files, too
    with monkeypatch.context() as patch:
        failing = Failing(patch)
        write(path)
    content = {name: (path.parent / name).read_bytes() for name in around(path.parent)[0]}
    return [(event, k + 1) for event in EVENTS for k in range(failing.count[event])], content


@pytest.mark.parametrize("name", WRITERS)
def test_a_failure_at_any_point_leaves_the_old_files(scene, tmp_path, monkeypatch, name):
    """All calls × no space, broken disk, half a write."""
    target = tmp_path / name
    found, made = points(monkeypatch, lambda path: WRITERS[name](scene, path), target)
    assert {event for event, _ in found} == set(EVENTS)
    for file in made:
        (tmp_path / file).write_bytes(OLD)
    for event, number in found:
        for way in ("ENOSPC", "EIO", "half") if event == "write" else ("ENOSPC",):
            with monkeypatch.context() as patch:
                failing = Failing(patch, event, number, way)
                with pytest.raises(OSError, match=r"No space|Input/output error") as said:
                    WRITERS[name](scene, target)
            assert any(file in str(said.value) for file in made), said.value
            assert around(tmp_path) == (set(made), set()), (event, number, way)
            new = [file for file in made if (tmp_path / file).read_bytes() != OLD]
            if not failing.renamed:
                assert new == [], (event, number, way)
                assert "what was there before stays" in str(said.value)
            elif len(made) == 1:
                assert "power cut" in str(said.value)
            for file in new:
                assert is_whole(tmp_path / file, made[file]), (event, number, way)
                (tmp_path / file).write_bytes(OLD)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("name", WRITERS)
def test_a_kill_at_any_point_leaves_old_or_new_files(scene, tmp_path, monkeypatch, name):
    target = tmp_path / name
    found, made = points(monkeypatch, lambda path: WRITERS[name](scene, path), target)
    if name == "page.html":
        pytest.skip("a server that was forked does not serve; its one write is that of the others")
    for event, number in found:
        for file in made:
            (tmp_path / file).write_bytes(OLD)
        child = os.fork()
        if child == 0:
            try:
                Failing(monkeypatch, event, number, "kill")
                WRITERS[name](scene, target)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL, (event, number)
        files, drafts = around(tmp_path)
        assert files == set(made)
        for file, content in made.items():
            path = tmp_path / file
            assert path.read_bytes() == OLD or is_whole(path, content), (event, number)
        for draft in drafts:
            (tmp_path / draft).unlink()


@pytest.mark.parametrize("name", WRITERS)
def test_short_writes_do_not_show(scene, tmp_path, monkeypatch, name):
    _, made = points(monkeypatch, lambda path: WRITERS[name](scene, path), tmp_path / name)
    with monkeypatch.context() as patch:
        Failing(patch, way="short")
        WRITERS[name](scene, tmp_path / name)
    for file, content in made.items():
        assert is_whole(tmp_path / file, content)


@pytest.mark.parametrize("limit", [0, 48, 700])
def test_a_film_for_which_there_is_no_room(scene, tmp_path, limit):
    """The encoder is a process of its own: the system limits the size of its files."""
    resource = pytest.importorskip("resource")
    pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "film.mp4"
    path.write_bytes(OLD)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        with pytest.raises(OSError, match=r"film.mp4.*what was there before stays"):
            save_film([scene.picture] * 10, path, 30)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == OLD
    assert list(tmp_path.iterdir()) == [path]
    save_film([scene.picture] * 10, path, 30)
    assert path.read_bytes()[4:8] == b"ftyp"


@pytest.mark.parametrize("once", [False, True], ids=["full disk", "one failure"])
@pytest.mark.parametrize("number", [1, 12, 29, 30, 55, 80, 130])
def test_a_recording_on_a_full_disk_is_readable_to_its_last_chunk(tmp_path, monkeypatch, number, once):
    """From the k-th write on there is no room, or at that write alone: what is read is what happened."""
    pytest.importorskip("zarr")
    from zarr.storage import _local

    def recorded(path, arm):
        world = tribo.World()
        world.add_ground()
        world.add_sphere(0.1, mass=1.0, position=(0, 0, 0.11))
        recorder = world.record(path, chunk=4)
        arm()
        try:
            world.step(30)
        finally:
            recorder.close()

    count, put = 0, _local._put

    def failing(path, value, exclusive=False):
        nonlocal count
        count += 1
        if count == number or (count > number and not once):
            raise OSError(errno.ENOSPC, "No space left on device")
        return put(path, value, exclusive)

    recorded(tmp_path / "whole.zarr", lambda: None)
    with pytest.raises(OSError, match=r"No space left on device; the recording ended with frame \d+"):
        recorded(tmp_path / "part.zarr", lambda: monkeypatch.setattr(_local, "_put", failing))
    whole, part = tribo.Recording(tmp_path / "whole.zarr"), tribo.Recording(tmp_path / "part.zarr")
    assert part.frames % 4 == 0
    assert part.frames < whole.frames
    for field in ("time", "q", "v", "contact_force"):
        rows = len(part[field])
        np.testing.assert_array_equal(part[field], whole[field][:rows])


def test_convex_parts_are_found_without_a_place_to_keep_them(tmp_path, monkeypatch):
    pytest.importorskip("coacd")
    monkeypatch.setattr(convex_parts, "cache_root", lambda: tmp_path)
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    with monkeypatch.context() as patch:
        Failing(patch, "write", 1, "ENOSPC")
        assert len(convex_parts.convex_parts(corners, faces)) == 1
    assert list((tmp_path / "convex").iterdir()) == []
