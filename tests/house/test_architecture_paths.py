"""Every path that the pages name exists."""

import re

import pytest
from house.repository import PACKAGE, ROOT

PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts),
]
FOLDERS = ("src/", "tests/", "docs/", "benchmarks/", "validation/", "examples/", ".ci/")
MADE_LATER = ("docs/_build/",)  # `make docs` writes it
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"[\w.*/-]+")


def exists(page, name):
    """Tell whether a path, from the root, the package or the page, names something."""
    return any(any(base.glob(name.rstrip("/"))) for base in (ROOT, PACKAGE, page.parent))


def named_paths(text):
    """Return what looks like a path of this repository."""
    for name in CODE.findall(text):
        is_ours = name.startswith(FOLDERS) or name.endswith((".py", ".toml", ".md"))
        if is_ours and PATH.fullmatch(name) and not name.startswith(MADE_LATER):
            yield name
    for name in LINK.findall(text):
        if not re.match(r"\w+:", name):
            yield name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_named_paths_exist(page):
    missing = [name for name in named_paths(page.read_text("utf-8")) if not exists(page, name)]
    assert not missing, f"{page.relative_to(ROOT)} names {missing}"


def named_parts(text):
    """Return (file, name) of what stands in brackets behind a file: `src/tribo/….py` (`solve`, `Pair`)."""
    for file, rest in re.findall(r"`(src/[\w/]+\.py)`\s\(([^)]*)\)", text):
        for name in CODE.findall(rest):
            if re.fullmatch(r"\w+", name):
                yield file, name


def test_functions_that_the_map_names_are_in_their_files():
    maps = (ROOT / "ARCHITECTURE.md", ROOT / "docs/develop/places.md")
    found = {one for page in maps for one in named_parts(page.read_text("utf-8"))}
    assert len(found) > 30
    missing = [
        f"{file}: {name}"
        for file, name in found
        if not re.search(rf"\b{name}\b", (ROOT / file).read_text("utf-8"))
    ]
    assert missing == []


def test_the_map_is_short_and_twelve_questions_have_a_way():
    assert len((ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines()) <= 150
    section = (ROOT / "docs/develop/places.md").read_text("utf-8").split("\n## ")[1]
    ways = [line for line in section.splitlines() if re.match(r"\| Where .*\? \|", line)]
    assert len(ways) == 12
    assert all(re.search(r"`src/[\w/]+", way) for way in ways)


def test_names_behind_a_file_are_found():
    text = "`src/tribo/step.py` (`advance`, `run`; more) and `solve` in `src/tribo/model.py` (see below)"
    assert [*named_parts(text)] == [("src/tribo/step.py", "advance"), ("src/tribo/step.py", "run")]


def test_architecture_names_every_folder_and_top_module():
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = {name.rstrip("/") for name in CODE.findall(text)}
    for path in PACKAGE.iterdir():
        if path.name not in ("__pycache__", "__init__.py", "py.typed"):
            assert path.relative_to(ROOT).as_posix() in named
