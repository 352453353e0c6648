"""Bodies with which the friction of contact materials turns, by name."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from tribo.checks import check
from tribo.materials import ContactMaterial, MaterialTable
from tribo.materials.table import Find
from tribo.objects import Object

logger = logging.getLogger("tribo")


def finder(objects: Sequence[Object], materials: MaterialTable) -> Find:
    """Return what tells the number of the reference body of a contact material, and its object's mass.

    A name that no object or link has is said once for each pair; friction then turns with the world.
    """
    places: dict[str, tuple[int, Object]] = {}
    first = 0
    for part in objects:
        places[part.name] = first, part
        first += len(part.description.bodies)
    for one, other, law in materials.references():
        doubt = _doubt(law, places)
        if doubt:
            logger.warning("contact material of %r and %r: %s", one, other, doubt)

    def find(law: ContactMaterial) -> tuple[int, float]:
        if _doubt(law, places):
            return -1, 0.0
        start, part = places[law.reference_body]
        mass = sum(body.mass for body in part.description.bodies)
        return start + _link(part, law.reference_link), float(mass)

    return find


def _link(part: Object, name: str) -> int:
    """Return which body of an object carries a link, the root for no name; −1 if none does."""
    if not name:
        return 0
    for k, body in enumerate(part.description.bodies):
        if name == body.name or name in {made.link for made in body.shapes}:
            return k
    return -1


def _doubt(law: ContactMaterial, places: dict[str, tuple[int, Object]]) -> str:
    """Return why a reference body cannot be found, nothing if it can."""
    if law.reference_body not in places:
        near = check.nearest(law.reference_body, list(places))
        return (
            f"no object is called {law.reference_body!r}{near}; its friction turns with the world"
        )
    part = places[law.reference_body][1]
    if _link(part, law.reference_link) < 0:
        known = [body.name for body in part.description.bodies]
        near = check.nearest(law.reference_link, known)
        return (
            f"{law.reference_body!r} has no link {law.reference_link!r}{near}; its friction turns with the "
            "world"
        )
    return ""
