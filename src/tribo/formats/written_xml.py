"""Elements that are written: numbers that read back as the same, text that no template changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from lxml import etree

from tribo.checks.errors import DescriptionError

Value = str | float | Sequence[float] | np.ndarray | None


def add(parent: etree._Element, tag: str, **attributes: Value) -> etree._Element:
    """Append an element; attributes that are None are left out, numbers read back as the same."""
    node = etree.SubElement(parent, tag)
    put(node, **attributes)
    return node


def put(node: etree._Element, **attributes: Value) -> None:
    """Give an element attributes, as `add` does."""
    for name, value in attributes.items():
        if value is None:
            continue
        text = value if isinstance(value, str) else numbers(np.ravel(value))
        try:
            node.set(name, text)
        except ValueError as error:  # a control character in a name
            raise DescriptionError(f"<{node.tag}> cannot be written: {error}") from None


def number(value: float) -> str:
    """Return the shortest text that reads back as the same number."""
    if not math.isfinite(value):
        raise DescriptionError(f"{value!r} cannot be written; every number must be finite")
    return repr(float(value))


def numbers(values: Iterable[float]) -> str:
    """Return such texts with blanks between them."""
    return " ".join(map(number, values))
