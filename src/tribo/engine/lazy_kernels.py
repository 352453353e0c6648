"""Compiled functions that a step calls by address, loaded when a world first needs them."""

from __future__ import annotations

from tribo.collision import lazily_compiled as collision
from tribo.compiler.jit import DISABLED, ByAddress
from tribo.contact import lazily_compiled as contact
from tribo.dynamics import rk4 as dynamics
from tribo.model import Late

FUNCTIONS: dict[Late, ByAddress] = collision.ADDRESS | contact.ADDRESS | dynamics.ADDRESS


def address(function: Late) -> int:
    """Compile a function if need be and return what `Model.late_address` has to hold."""
    return function + 1 if DISABLED else FUNCTIONS[function]()
