"""XML as files in use have it: prefixes that nobody declared, text after the outermost element.

Other readers of robots pass over both; neither changes what an element means.
"""

from __future__ import annotations

import re

from lxml import etree

MOST_PREFIXES = 20  # that are declared for a file
_UNDECLARED = re.compile(r"Namespace prefix ([\w.-]{1,60}) (?:for \S+ )?on \S+ is not defined")
_FIRST_TAG = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->)*<[\w:.-]+(?=[\s/>])", re.DOTALL)


def parsed(text: str) -> tuple[etree._Element, str]:
    """Return the outermost element of a text, and a note on what was passed over; empty: nothing.

    Raises:
        etree.XMLSyntaxError: It is not well-formed otherwise.
        ValueError: It has characters that XML does not have.
    """
    notes: list[str] = []
    prefixes: set[str] = set()
    is_cut = False
    while True:
        try:
            return etree.fromstring(text.encode("utf-8"), _parser()), "; ".join(notes)
        except etree.XMLSyntaxError as error:
            found = _UNDECLARED.search(error.msg or "")
            if found and found[1] not in prefixes and len(prefixes) < MOST_PREFIXES:
                prefixes.add(found[1])
                notes.append(f"prefix {found[1]}: is not declared; it was read as if it were")
                text = _declared(text, found[1])
                continue
            start = _offset(text, *error.position)
            is_extra = "Extra content at the end" in (error.msg or "")
            if is_cut or not is_extra or re.search(r"<[A-Za-z!?]", text[start:]):
                raise
            line, is_cut = error.position[0], True
            notes.append(
                f"what stands after the outermost element, from line {line} on, is not read"
            )
            text = text[:start]


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def _declared(text: str, prefix: str) -> str:
    """Return a text whose first element declares a prefix; lines keep their numbers."""
    found = _FIRST_TAG.match(text)
    if found is None:
        return text
    return f'{text[: found.end()]} xmlns:{prefix}="undeclared:/{prefix}"{text[found.end() :]}'


def _offset(text: str, line: int, column: int) -> int:
    """Return where a position of the parser is in a text: lines and columns from 1, columns in bytes."""
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
    end = text.find("\n", at)
    row = text[at : end if end >= 0 else len(text)]
    return at + len(row.encode("utf-8")[: max(column - 1, 0)].decode("utf-8", "ignore"))
