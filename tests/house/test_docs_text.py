"""Pages are plain text, answer first, and their links lead somewhere."""

import re

import pytest
from house.repository import ROOT, kept_text


def test_no_page_has_a_tab():
    pages = {name: text for name, text in kept_text() if name.endswith(".md")}
    assert len(pages) > 20
    found = [
        f"{name}:{number}"
        for name, text in pages.items()
        for number, line in enumerate(text.splitlines(), 1)
        if "\t" in line
    ]
    assert found == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs/howto").glob("*.md")), ids=lambda p: p.stem)
def test_a_how_to_page_answers_in_its_first_paragraph(page):
    title, _, rest = page.read_text("utf-8").partition("\n")
    first = rest.strip().split("\n\n")[0]
    assert title.startswith("# ")
    assert first[0].isalpha() or first[0] in "`*[", first
    assert re.search(r"`[\w.]+[^`]*`", first), f"what is to be called or typed? {first}"


@pytest.mark.parametrize("page", sorted((ROOT / "docs/howto").glob("*.md")), ids=lambda p: p.stem)
def test_a_how_to_page_leaves_equations_to_the_pages_of_physics(page):
    assert "$$" not in page.read_text("utf-8")


def anchors_of(text):
    """Return the anchors of the headings of a page, as GitHub and the HTML pages name them."""
    headings = re.findall(r"^#{1,4} (.+?)\s*$", re.sub(r"```.*?```", "", text, flags=re.S), re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)|`", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def test_links_to_headings_lead_to_one():
    """Names of files are the business of test_architecture_paths.py; `make docs` checks both, too."""
    pages = {ROOT / name: text for name, text in kept_text() if name.endswith(".md")}
    anchors = {page.resolve(): anchors_of(text) for page, text in pages.items()}
    broken = [
        f"{page.relative_to(ROOT)}: {target}#{anchor}"
        for page, text in pages.items()
        for target, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)#([^)]+)\)", text)
        if anchor not in anchors.get((page.parent / target).resolve() if target else page.resolve(), set())
    ]
    assert broken == []


def test_cells_of_the_map_are_a_line_or_two():
    pages = (ROOT / "ARCHITECTURE.md", ROOT / "docs/develop/places.md")
    lines = [line for page in pages for line in page.read_text("utf-8").splitlines()]
    cells = [cell for line in lines if line.startswith("|") for cell in line.strip("|").split(" | ")]
    assert [cell for cell in cells if len(cell) > 200] == []
