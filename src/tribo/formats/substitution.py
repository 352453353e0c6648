"""Fill templates in: @@name and {expression} in the attributes of elements.

Values are put into attributes after the XML was parsed, so they cannot add elements; expressions are
arithmetic (`tribo.formats.expression`), and what is written altogether is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from tribo.checks import check
from tribo.description.trees import DescriptionError
from tribo.formats.expression import evaluate
from tribo.formats.nodes import Node, known_hint

MAX_CHARACTERS = 64 * 1024 * 1024  # that parameters and expressions write

_PARAMETER = re.compile(r"@@([A-Za-z_][A-Za-z0-9_]*)?", re.ASCII)
_EXPRESSION = re.compile(r"\{([^{}]*)\}")


class Substitution:
    """The size to which one file may grow by its templates."""

    def __init__(self) -> None:
        """Start with nothing written."""
        self._characters = 0

    def fill(self, node: Node, value: str, values: Mapping[str, str]) -> str:
        """Replace @@name and {expression} in an attribute."""

        def parameter(found: re.Match[str]) -> str:
            name = found.group(1) or ""
            for length in range(min(len(name), 200), 0, -1):  # "@@i_left" may mean i, then "_left"
                if name[:length] in values:
                    return self._count(node, values[name[:length]]) + name[length:]
            hint = known_hint(name, values)
            raise node.error(f"@@{name[:80]} has no value; define it in <params> or pass it{hint}")

        def expression(found: re.Match[str]) -> str:
            try:
                number = evaluate(found.group(1))
            except ValueError as error:
                raise node.error(str(error)) from None
            is_whole = number.is_integer() and abs(number) < 1e15
            return self._count(node, str(int(number)) if is_whole else repr(number))

        if "@@" in value:
            value = _PARAMETER.sub(parameter, value)
        if "{" in value or "}" in value:
            value = _EXPRESSION.sub(expression, value)
            if "{" in value or "}" in value:
                raise node.error(f"{value[:80]!r} has a brace without its partner")
        return value

    def _count(self, node: Node, text: str) -> str:
        """Return the text; refuse when parameters have written too much."""
        self._characters += len(text)
        if self._characters > MAX_CHARACTERS:
            raise node.error(f"parameters write more than {MAX_CHARACTERS} characters; use fewer")
        return text


def fill_tree(root: Node, parameters: Mapping[str, object] | None) -> None:
    """Fill the attributes of a whole file in, in place; without parameters refuse a template.

    Raises:
        DescriptionError: A name has no value, or an expression is not arithmetic.
    """
    values = {} if parameters is None else checked(parameters)
    substitution, todo = Substitution(), [root]
    while todo:
        node = todo.pop()
        for key, value in node.attributes.items():
            if parameters is not None:
                node.attributes[key] = substitution.fill(node, value, values)
            elif "@@" in value:
                raise node.error(
                    f"{key}={value[:80]!r} is to be filled in; pass parameters={{name: value}}"
                )
        todo += node.children


def checked(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return parameters as texts; their names may begin with @@.

    Raises:
        DescriptionError: It is no mapping, or a name or value is not usable.
    """
    if not isinstance(parameters, Mapping):
        raise DescriptionError(f"parameters must be {{name: value}}, got {check.shown(parameters)}")
    values = {}
    for given, value in parameters.items():
        name = str(given).removeprefix("@@")
        if not name.isascii() or not name.isidentifier():
            raise DescriptionError(f"parameter {given!r} must be a name such as 'length'")
        if isinstance(value, bool) or not isinstance(value, (str, Real)):
            raise DescriptionError(
                f"parameter {name!r} must be a number or text, got {check.shown(value)}"
            )
        is_whole = isinstance(value, (str, Integral))
        values[name] = str(value) if is_whole else repr(float(value))
    return values
