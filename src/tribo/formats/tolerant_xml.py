"""XML as files in use have it: prefixes that nobody declared. Other readers of robots pass over them."""

from __future__ import annotations

import re

from lxml import etree

MOST_PREFIXES = 20  # that are declared for a file
_UNDECLARED = re.compile(r"Namespace prefix ([\w.-]{1,60}) (?:for \S+ )?on \S+ is not defined")
_FIRST_TAG = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->)*<[\w:.-]+(?=[\s/>])", re.DOTALL)


def parsed(text: str, *, is_deep: bool) -> tuple[etree._Element, str]:
    """Return the outermost element of a text, and a note on what was passed over; empty: nothing.

    Args:
        text: XML.
        is_deep: Whether elements may stand in one another deeper than libxml's own limit.

    Raises:
        etree.XMLSyntaxError: It is not well-formed otherwise.
        ValueError: It has characters that XML does not have.
    """
    notes: list[str] = []
    prefixes: set[str] = set()
    while True:
        try:
            return etree.fromstring(text.encode("utf-8"), _parser(is_deep)), "; ".join(notes)
        except etree.XMLSyntaxError as error:
            found = _UNDECLARED.search(error.msg or "")
            if found and found[1] not in prefixes and len(prefixes) < MOST_PREFIXES:
                prefixes.add(found[1])
                notes.append(f"prefix {found[1]}: is not declared; it was read as if it were")
                text = _declared(text, found[1])
                continue
            raise


def _parser(is_deep: bool) -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        attribute_defaults=False,
        huge_tree=is_deep,
        remove_comments=True,
        remove_pis=True,
    )


def _declared(text: str, prefix: str) -> str:
    """Return a text whose first element declares a prefix; lines keep their numbers."""
    found = _FIRST_TAG.match(text)
    if found is None:
        return text
    return f'{text[: found.end()]} xmlns:{prefix}="undeclared:/{prefix}"{text[found.end() :]}'
