"""Pages are plain text: no tabs, which every reader sets to another width."""

from house.repository import kept_text


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
