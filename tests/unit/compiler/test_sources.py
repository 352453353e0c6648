"""Where compiled code is kept, and which sources count."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tribo.compiler import sources

NOWHERE = "/nonexistent/.cache/tribo"


def no_home():
    raise RuntimeError("Could not determine home directory.")


def test_who_has_no_home_has_a_folder_that_cannot_be_made(monkeypatch):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sources.pathlib.Path, "home", no_home)
    assert sources.cache_root() == Path(NOWHERE)


def test_a_variable_wins_over_a_home(monkeypatch, tmp_path):
    monkeypatch.setattr(sources.pathlib.Path, "home", no_home)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert sources.cache_root() == tmp_path / "tribo"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "chosen"))
    assert sources.cache_root() == tmp_path / "chosen"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one layer."""
    place = tmp_path / "tribo"
    (place / "math").mkdir(parents=True)
    (place / "math" / "vec.py").write_text("ONE = 1\n", "utf-8")
    monkeypatch.setattr(sources, "PACKAGE", place)
    return place


def test_marks_of_editors_are_no_sources(package):
    before = sources.digest(["math"])
    (package / "math" / ".#vec.py").symlink_to("nobody@nowhere.1")  # as Emacs marks what it edits
    assert sources.digest(["math"]) == before


def test_a_package_without_source_files_is_said(package):
    with pytest.raises(ImportError, match=r"enums\.py cannot be read .*with its \.py files"):
        sources.digest(["math", "enums"])


def test_a_zipped_package_is_said(tmp_path):
    path = tmp_path / "packages.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sources.files_of("compiler"):
            archive.write(file, file.relative_to(sources.PACKAGE.parent))
        archive.write(sources.PACKAGE / "__init__.py", "tribo/__init__.py")
    environment = {**os.environ, "PYTHONPATH": str(path), "NUMBA_DISABLE_JIT": "0", "TRIBO_KERNELS": ""}
    code = "import sys; sys.path[:] = [p for p in sys.path if 'src' not in p]; import tribo.compiler.jit"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert "not as a zip file" in last
    assert str(path) in last
