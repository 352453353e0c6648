"""Elements that are written: numbers that read back as the same, text that no template changes."""

from __future__ import annotations

import math
from collections.abc import Iterable

from lxml import etree

from tribo.checks.errors import DescriptionError


def add(parent: etree._Element, tag: str, **attributes: str | None) -> etree._Element:
    """Append an element; attributes that are None are left out."""
    given = {name: value for name, value in attributes.items() if value is not None}
    try:
        return etree.SubElement(parent, tag, given)
    except ValueError as error:  # a control character in a name
        raise DescriptionError(f"<{tag}> cannot be written: {error}") from None


def number(value: float) -> str:
    """Return the shortest text that reads back as the same number."""
    if not math.isfinite(value):
        raise DescriptionError(f"{value!r} cannot be written; every number must be finite")
    return repr(float(value))


def numbers(values: Iterable[float]) -> str:
    """Return such texts with blanks between them."""
    return " ".join(map(number, values))
