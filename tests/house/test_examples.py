"""Every example runs and keeps its promise, on the pages as in examples/."""

import json
import re

import pytest
from forks import Forks
from house.repository import ROOT, needs_learn

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs/start").glob("*.md"))]
PAGES += sorted((ROOT / "docs/howto").glob("*.md"))
PAGES = [pytest.param(page, marks=[needs_learn] if page.stem == "train" else []) for page in PAGES]
LESSONS = sorted((ROOT / "docs/lessons").glob("*.ipynb"))
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LIMIT = 300  # [s] a cold cache compiles first
# Imported once for all examples, not by each of them. Each example still names all that it imports;
# `test_public_names.py` asks what `import tribo` brings.
LOADED = (
    "tribo.world", "tribo.formats.urdf", "tribo.viewer", "tribo.gym", "tribo.recording",
    "tribo.identification", "gymnasium", "matplotlib.pyplot", "scipy.optimize", "trimesh", "viser", "zarr",
)  # fmt: skip


@pytest.fixture(scope="module")
def forks():
    options = ("-W", "error::DeprecationWarning:__main__")
    ready = Forks(*options, loaded=LOADED, PYTHONPATH=str(ROOT / "src"), MPLBACKEND="Agg")
    yield ready
    ready.close()


@pytest.fixture
def run(forks, tmp_path):
    """Return a call that runs Python on this tree in a folder of its own."""

    def ran(*arguments):
        status, said, wrong = forks.run(*arguments, folder=tmp_path, limit=LIMIT)
        assert status == 0, said + wrong

    return ran


def test_the_gallery_has_every_example():
    gallery = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES if f"../examples/{path.name}" not in gallery] == []


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, run):
    run(path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_runs(page, run):
    """All Python blocks of a page, one after another, as a reader would type them."""
    blocks = BLOCK.findall(page.read_text("utf-8"))
    if blocks:
        run("-c", "\n".join(blocks))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lesson_runs(path, run, tmp_path):
    """A notebook is kept without outputs, draws, checks a known result and runs."""
    cells = [c for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    code = "\n\n".join("".join(cell["source"]) for cell in cells)
    assert re.search(r"^ *assert ", code, re.MULTILINE)
    assert "plt.show()" in code
    script = tmp_path / f"{path.stem}.py"
    script.write_text(code.replace("plt.show()", "plt.close()"), "utf-8")
    run(script)


def test_there_are_lessons():
    assert len(LESSONS) >= 8
