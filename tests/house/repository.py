"""What the house tests look at: the files of the repository."""

import ast
import functools
import importlib.util
import pathlib
import subprocess
from collections.abc import Iterator

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


@functools.cache
def kept_text() -> tuple[tuple[str, str], ...]:
    """Return (path from the root, text) of every kept file that is text."""
    pages = []
    for path in kept_files():
        try:
            pages.append((path.relative_to(ROOT).as_posix(), path.read_text("utf-8")))
        except UnicodeDecodeError:
            continue
    return tuple(pages)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements within a part of a source, however deep; `ast.walk` visits ten times as much."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, name, ()):
            yield inner
            yield from statements(inner)


def kept_modules() -> list[pathlib.Path]:
    """Return every Python file of the package."""
    return sorted(PACKAGE.rglob("*.py"))
