"""Every example runs and keeps its promise, on the pages as in examples/."""

import os
import re
import subprocess
import sys

import pytest
from house.repository import ROOT, needs_learn

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs/start").glob("*.md"))]
PAGES += sorted((ROOT / "docs/howto").glob("*.md"))
PAGES = [pytest.param(page, marks=[needs_learn] if page.stem == "train" else []) for page in PAGES]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LIMIT = 300  # [s] a cold cache compiles first


def run(arguments, folder):
    """Run Python on this tree in a folder of its own."""
    result = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:__main__", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path):
    run([path], tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_runs(page, tmp_path):
    """All Python blocks of a page, one after another, as a reader would type them."""
    blocks = BLOCK.findall(page.read_text("utf-8"))
    if blocks:
        run(["-c", "\n".join(blocks)], tmp_path)
