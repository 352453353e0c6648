"""Fill templates in: @@name and {expression} in the attributes of elements.

Values are put into attributes after the XML was parsed, so they cannot add elements; expressions are
arithmetic of a closed grammar (`evaluate`), never Python's `eval`; what is written altogether is bounded.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

from tribo.checks import check
from tribo.description.trees import DescriptionError
from tribo.formats.nodes import Node, known_hint, walk

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
    substitution = Substitution()
    for node in walk(root):
        for key, value in node.attributes.items():
            if parameters is not None:
                node.attributes[key] = substitution.fill(node, value, values)
            elif "@@" in value:
                raise node.error(f"{key}={value[:80]!r} is to be filled in; pass parameters={{name: value}}")


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
            raise DescriptionError(f"parameter {name!r} must be a number or text, got {check.shown(value)}")
        is_whole = isinstance(value, (str, Integral))
        values[name] = str(value) if is_whole else repr(float(value))
    return values


MAX_LENGTH = 1000
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "exp": math.exp,
    "log": math.log,
}
CONSTANTS = {"pi": math.pi}
_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_RULE = "use numbers, + - * / ( ), sin, cos, exp, log and pi"


def evaluate(text: str) -> float:
    """Return the value of an expression such as "cos(0.1*3) + 2".

    Raises:
        ValueError: Anything but the four operations, parentheses, sin, cos, exp, log and pi, or a
            result that is not finite.

    Example:
        >>> evaluate("2*(1+3)")
        8.0
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"expression of {len(text)} characters, at most {MAX_LENGTH} are read")
    try:
        value = _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"expression {text!r} is not arithmetic; {_RULE}") from None
    except ZeroDivisionError:
        raise ValueError(f"expression {text!r} divides by zero") from None
    except OverflowError:
        raise ValueError(f"expression {text!r} is too large") from None
    if not math.isfinite(value):
        raise ValueError(f"expression {text!r} is not finite")
    return value


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and type(node.value) in {int, float}:
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.Name) and node.id in CONSTANTS:
        return CONSTANTS[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        function = FUNCTIONS.get(node.func.id)
        if function is not None and len(node.args) == 1 and not node.keywords:
            argument = _value(node.args[0])
            try:
                return function(argument)
            except ValueError:
                raise ValueError(f"{node.func.id}({argument!r}) is not defined") from None
    raise ValueError(f"{ast.unparse(node)!r} is not allowed in an expression; {_RULE}")
