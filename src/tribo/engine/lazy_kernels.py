"""Compiled functions that a step calls by address, loaded when a world first needs them."""

from __future__ import annotations

from tribo.compiler import prebuilt
from tribo.compiler.jit import DISABLED, ByAddress
from tribo.model import Late

NAMES = {
    Late.CONVEX: "tribo.collision.lazily_compiled._convex_at",
    Late.TERRAIN: "tribo.collision.lazily_compiled._terrain_at",
    Late.PILE: "tribo.contact.lazily_compiled._pile_at",
    Late.IMPACT: "tribo.contact.lazily_compiled._impact_at",
    Late.COMPLIANT: "tribo.contact.lazily_compiled._compliant_at",
    Late.LINKAGE: "tribo.contact.lazily_compiled._linkage_at",
    Late.PROJECTION: "tribo.contact.lazily_compiled._projection_at",
    Late.RK4: "tribo.dynamics.rk4._advance_at",
}


def functions() -> dict[Late, ByAddress]:
    """Return the compilers of all lazy functions; imports half the sources of the step."""
    from tribo.collision import lazily_compiled as collision
    from tribo.contact import lazily_compiled as contact
    from tribo.dynamics import rk4 as dynamics

    return collision.ADDRESS | contact.ADDRESS | dynamics.ADDRESS


def address(function: Late) -> int:
    """Return the entry of `Model.lazy_address`: from the prebuilt library, or compiled now."""
    if DISABLED:
        return function + 1
    found = prebuilt.address(NAMES[function])
    return functions()[function]() if found is None else found
