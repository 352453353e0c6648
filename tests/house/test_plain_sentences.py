"""Sentences of the pages have a noun as subject: "Sleeping bodies are paler", not "What sleeps is paler"."""

import ast
import re

import pytest
from house.repository import kept_text, statements

START = re.compile(r"^(?:\* |- |\d+\. )?(?:\*\*)?(What|Who|Whoever|Whatever|That which)\b(?!.*\?$)")


def sentences(text):
    """Return the sentences of a page, without code, tables, headings and equations."""
    text = re.sub(r"```.*?```|\$\$.*?\$\$", "", text, flags=re.S)
    text = re.sub(r"(?m)^(\||#).*$", "", text)
    for paragraph in re.split(r"\n\s*\n|\n(?=\* |- |\d+\. )", text):
        joined = " ".join(paragraph.split())
        yield from (one for one in re.split(r"(?<=[.!?:])\s+(?=[A-Z`*\[])", joined) if len(one.split()) > 2)


def test_no_sentence_begins_with_a_free_relative():
    named = ("docs/", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")
    pages = {n: t for n, t in kept_text() if n.startswith(named) and n.endswith(".md")}
    found = [(name, one) for name, text in pages.items() for one in sentences(text)]
    relative = [(name, one[:80]) for name, one in found if START.match(one)]
    assert len(found) > 2000
    assert relative == []


def docstrings(text):
    """Return the docstrings of a file, without their examples."""
    tree, kinds = ast.parse(text), (ast.ClassDef, ast.FunctionDef)
    inner = [one for one in statements(tree) if isinstance(one, kinds)]
    made = [ast.get_docstring(one) for one in (tree, *inner)]
    return [re.sub(r"(?m)^ *(>>>|\.\.\.) .*$", "", one) for one in made if one]


def test_no_sentence_of_a_docstring_begins_with_a_free_relative():
    """Each first line, and each sentence behind the end of another one."""
    files = {n: t for n, t in kept_text() if n.startswith("src/tribo/") and n.endswith(".py")}
    found = [(name, one) for name, text in files.items() for one in docstrings(text)]
    assert len(found) > 4000
    relative = [
        (name, part[:80])
        for name, text in found
        for part in re.split(r"(?<=[.!?:])\s+|\n\s*\n", text)
        if len(part.split()) > 2 and START.match(" ".join(part.split()))
    ]
    assert relative == []


def test_no_heading_is_a_question_or_a_free_relative():
    """A heading names what follows ("Elements that are read"), but on the page of questions."""
    headings = [
        (name, line)
        for name, text in kept_text()
        if name.endswith(".md") and name != "docs/start/troubleshooting.md"
        for line in text.splitlines()
        if re.match(r"#+ ", line)
    ]
    assert len(headings) > 500
    assert [one for one in headings if one[1].rstrip().endswith("?")] == []
    assert [one for one in headings if re.match(r"#+ (What|Who|That which)\b", one[1])] == []


# Other meanings of these words in the pages: an order of things, a manner, a direction.
OTHER = (
    r"\b(?:in|by) turns?\b", r"\bby way of\b",
    r"\b(?:same|this|that) way\b", r"\bway round\b", r"\b(?:no|a|the) way to\b",
    r"\bcarried (?:along|over|out)\b",
)  # fmt: skip


@pytest.mark.parametrize("pattern", OTHER)
def test_words_have_one_meaning(pattern):
    pages = [
        (name, re.sub(r"\s+", " ", text))
        for name, text in kept_text()
        if name.startswith(("docs/", "README.md")) and name.endswith(".md")
    ]
    found = [
        (name, text[max(0, at.start() - 30) : at.end() + 30])
        for name, text in pages
        for at in re.finditer(pattern, text, re.IGNORECASE)
    ]
    assert found == []


# Words that stood for many things, each with one meaning now. Way: the path that something moves along, and
# "give way", compliance. Turn: rotation. Carry: bear a load. Of a thousand words; they may only fall.
MANY = {r"ways?": 0.74, r"turn(?:s|ed|ing)?": 1.62, r"carr(?:y|ies|ied|ying)": 0.26}


@pytest.mark.parametrize("word", MANY)
def test_words_of_many_meanings_are_rare(word):
    pages = [t for n, t in kept_text() if n.startswith(("docs/", "README.md")) and n.endswith(".md")]
    words = sum(len(re.findall(r"\b\w+\b", text)) for text in pages)
    found = sum(len(re.findall(rf"\b{word}\b", text, re.IGNORECASE)) for text in pages)
    assert words > 100_000
    assert 1000.0 * found / words <= MANY[word]
