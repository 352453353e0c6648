"""The kernel cache on a disk that is damaged, full, not ours to write, or used by two at once."""

import logging
import os
import subprocess
import sys
import textwrap

import pytest

import tribo.compiler.jit
import tribo.compiler.progress
from tribo.compiler.jit import DISABLED

pytestmark = pytest.mark.skipif(DISABLED, reason="nothing is compiled")

if not DISABLED:
    import tribo.compiler.backend
    import tribo.compiler.kernel_store


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Return the folder in which kernels are kept meanwhile."""
    monkeypatch.setattr(tribo.compiler.backend, "cache_folder", lambda layer: tmp_path / "kept")
    tribo.compiler.kernel_store.said.clear()
    return tmp_path / "kept"


def halved():
    """Return a new function that is not compiled yet."""

    def half(x):
        return x / 2.0

    half.__module__ = "tribo.math"
    return tribo.compiler.jit.entry(half)


def test_compiling_is_said_once_per_machine(folder, capsys):
    assert halved()(6.0) == 3.0
    assert "compiling math.half (once per machine and version)" in capsys.readouterr().err
    assert halved()(6.0) == 3.0
    assert capsys.readouterr().err == ""


def test_who_shows_progress_speaks_alone(folder, capsys):
    with tribo.compiler.progress.shown("all of it", quiet=True):
        assert halved()(6.0) == 3.0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("is_file", [True, False])
def test_no_folder_to_keep_kernels_in(folder, is_file, capsys, caplog):
    if is_file:
        folder.write_text("a file in the way")
    else:
        folder.symlink_to("/proc/nowhere")
    for _ in range(2):
        assert halved()(6.0) == 3.0
        assert "compiling math.half (in every process)" in capsys.readouterr().err
    (record,) = caplog.records  # once
    assert record.levelno == logging.WARNING
    assert str(folder) in record.getMessage()
    assert "NUMBA_CACHE_DIR" in record.getMessage()


def test_a_full_disk_is_said_and_gone_round(folder, monkeypatch, caplog):
    def no_room(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", no_room)
    assert halved()(6.0) == 3.0
    assert halved()(6.0) == 3.0
    (record,) = caplog.records
    assert "No space left on device" in record.getMessage()
    assert str(folder) in record.getMessage()
    monkeypatch.undo()


def test_a_cache_that_cannot_be_written_is_read(folder, monkeypatch, capsys, caplog):
    assert halved()(6.0) == 3.0
    capsys.readouterr()

    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    # as root, who runs tests in containers, may write everywhere
    monkeypatch.setattr("tempfile.TemporaryFile", refused)
    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", refused)
    assert halved()(6.0) == 3.0
    assert capsys.readouterr().err == ""  # nothing was compiled
    assert caplog.records == []


def test_a_damaged_index_in_a_folder_that_cannot_be_written(folder, monkeypatch, caplog):
    assert halved()(6.0) == 3.0
    (index,) = folder.rglob("*.nbi")
    index.write_bytes(b"\x80\x04nothing that unpickles")

    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile._save_index", refused)
    assert halved()(6.0) == 3.0
    said = " ".join(record.getMessage() for record in caplog.records)
    assert "is damaged" in said
    assert "cannot be kept" in said


def test_two_processes_compile_at_once(tmp_path):
    program = """
        import pathlib, sys
        import tribo.compiler.backend as backend, tribo.compiler.jit as jit
        backend.cache_folder = lambda layer: pathlib.Path(sys.argv[1])
        def half(x):
            return x / 2.0
        half.__module__ = "tribo.math"
        print(jit.entry(half)(6.0))
    """
    script = tmp_path / "half.py"
    script.write_text(textwrap.dedent(program))
    command = [sys.executable, str(script), str(tmp_path / "kept")]
    two = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ, text=True)
        for _ in range(2)
    ]
    for process in two:
        said, wrong = process.communicate(timeout=120)
        assert process.returncode == 0, wrong
        assert said.split() == ["3.0"]
    third = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=True)
    assert third.stdout.split() == ["3.0"]
    assert "compiling" not in third.stderr  # what the two kept is whole


def test_what_keeps_kernels_from_being_kept_is_said_once(folder, caplog):
    """A file where the folder would be is met by every kernel. (It was said for each of them.)"""
    for layer in ("collision", "contact", "dynamics"):
        error = NotADirectoryError(20, "Not a directory", str(folder / layer))
        tribo.compiler.kernel_store.not_kept(str(folder / layer), error)
    assert len([r for r in caplog.records if "cannot be kept" in r.getMessage()]) == 1
