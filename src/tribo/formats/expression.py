"""Evaluate the arithmetic of template files: a closed grammar, never Python's `eval`."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

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
