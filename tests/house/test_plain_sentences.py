"""Sentences of the pages have a noun as subject: "Sleeping bodies are paler", not "What sleeps is paler"."""

import re

import pytest
from house.repository import kept_text

START = re.compile(r"^(?:\* |- |\d+\. )?(?:\*\*)?(What|Who|Whoever|Whatever|That which)\b(?!.*\?$)")


def sentences(text):
    """Return the sentences of a page, without code, tables, headings and equations."""
    text = re.sub(r"```.*?```|\$\$.*?\$\$", "", text, flags=re.S)
    text = re.sub(r"(?m)^(\||#).*$", "", text)
    for paragraph in re.split(r"\n\s*\n|\n(?=\* |- |\d+\. )", text):
        joined = " ".join(paragraph.split())
        yield from (
            one for one in re.split(r"(?<=[.!?:])\s+(?=[A-Z`*\[])", joined) if len(one.split()) > 2
        )


def test_no_sentence_begins_with_a_free_relative():
    named = ("docs/", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")
    pages = {n: t for n, t in kept_text() if n.startswith(named) and n.endswith(".md")}
    found = [(name, one) for name, text in pages.items() for one in sentences(text)]
    relative = [(name, one[:80]) for name, one in found if START.match(one)]
    assert len(found) > 2000
    assert relative == []


# Words that stand for many things: way (path, manner, direction; "give way": compliance), turn (rotation,
# order), carry (bear, take along, have). Of a thousand words of README and docs; they may only fall.
MANY = {r"ways?": 0.97, r"turn(?:s|ed|ing)?": 1.88, r"carr(?:y|ies|ied|ying)": 0.39}


@pytest.mark.parametrize("word", MANY)
def test_words_of_many_meanings_are_rare(word):
    pages = [
        t for n, t in kept_text() if n.startswith(("docs/", "README.md")) and n.endswith(".md")
    ]
    words = sum(len(re.findall(r"\b\w+\b", text)) for text in pages)
    found = sum(len(re.findall(rf"\b{word}\b", text, re.IGNORECASE)) for text in pages)
    assert words > 100_000
    assert 1000.0 * found / words <= MANY[word]
