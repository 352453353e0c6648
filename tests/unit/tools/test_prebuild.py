"""How a library is built: what goes wrong is said in a line, and nothing else is copied."""

import errno
import json
import os
import subprocess

import pytest

from tribo.compiler import prebuilt
from tribo.tools import prebuild


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder of the cache for these sources; nothing is compiled, any text is an object file."""
    if prebuilt.machine() != "linux-x86_64":
        pytest.skip("libraries are built on x86-64 Linux only")
    place = tmp_path / "cache" / "prebuilt" / "0123"
    monkeypatch.setattr(prebuilt, "cache_place", lambda: place)
    monkeypatch.setattr(prebuild, "c_compiler", lambda: ["cc"])
    monkeypatch.setattr(prebuild, "makers", dict)
    monkeypatch.setattr(prebuild, "_run_part", compiled)
    monkeypatch.setattr(prebuild, "link", linked)
    return place


def compiled(part, folder, levels):
    (folder / f"{part}.json").write_text("[]", "utf-8")
    return 0.0


def linked(rows, level, objects, output, sources):
    (output / f"{level}.so").write_text(level, "utf-8")
    return f"{level}.so"


def test_only_what_the_list_names_is_copied(place, tmp_path):
    assert prebuild.main([]) == 0
    (place / "kernels.json.4711").write_text("left by a process that was killed", "utf-8")
    (place / "folder").mkdir()
    assert prebuild.main(["--output", str(tmp_path / "out")]) == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"kernels.json", "x86-64.so", "x86-64-v3.so"}
    assert json.loads((tmp_path / "out" / "kernels.json").read_bytes())["libraries"]


def test_a_cache_that_cannot_be_written_is_said_before_anything_is_compiled(
    place, tmp_path, monkeypatch, capsys
):
    (tmp_path / "cache").write_bytes(b"")
    monkeypatch.setattr(prebuild, "_run_part", lambda *_: pytest.fail("compiled"))
    assert prebuild.main([]) == 1
    said = capsys.readouterr().err
    assert "no library was built" in said
    assert "NUMBA_CACHE_DIR" in said


def full(_source, target):
    target.write_bytes(b"a part of it")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))


def test_a_full_disk_is_said_and_nothing_is_left(place, monkeypatch, capsys):
    monkeypatch.setattr(prebuild.shutil, "copyfile", full)
    assert prebuild.main([]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "No space left on device" in line
    assert "make room" in line
    assert [*place.iterdir()] == []


def test_who_interrupts_gets_a_line(place, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(prebuild, "_run_part", interrupted)
    assert prebuild.main([]) == 130
    assert capsys.readouterr().err == "tribo: interrupted, no library was built\n"
    assert [*place.iterdir()] == []


def test_a_part_that_was_killed_is_no_part_that_does_not_compile(tmp_path, monkeypatch):
    done = subprocess.CompletedProcess([], -9, "", "")
    monkeypatch.setattr(prebuild.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(prebuild.BuildError, match="'step' was ended by signal 9"):
        prebuild._run_part("step", tmp_path, ("x86-64",))


def test_a_linker_that_fails_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", "false")
    with pytest.raises(prebuild.BuildError, match="false did not link kernels_x86_64"):
        prebuild.link([], "x86-64", tmp_path, tmp_path, "0" * 64)
