"""What the house tests look at: the files of the repository."""

import functools
import importlib.util
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "tribo"


def needs(*names: str) -> pytest.MarkDecorator:
    """Return the mark of a test that is skipped where a package is not installed."""
    return pytest.mark.skipif(
        not all(importlib.util.find_spec(name) for name in names),
        reason=f"needs {', '.join(names)}, which bring gigabytes and are not among those of the extra dev",
    )


needs_learn = needs("torch", "onnx")


@functools.cache
def kept_files() -> tuple[pathlib.Path, ...]:
    """Return every file that is or may be committed, sorted; outside git: every source file."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listing.returncode == 0:
        found = (ROOT / name for name in listing.stdout.decode().split("\0") if name)
    else:
        folders = ("src", "tests", "docs", "benchmarks", "validation", "examples")
        found = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return tuple(sorted(path for path in found if path.is_file()))


def kept_text() -> list[tuple[str, str]]:
    """Return (path from the root, text) of every kept file that is text."""
    pages = []
    for path in kept_files():
        try:
            pages.append((path.relative_to(ROOT).as_posix(), path.read_text("utf-8")))
        except UnicodeDecodeError:
            continue
    return pages


def kept_modules() -> list[pathlib.Path]:
    """Return every Python file of the package."""
    return sorted(PACKAGE.rglob("*.py"))
