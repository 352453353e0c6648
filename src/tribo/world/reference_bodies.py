"""Bodies with which the friction of contact materials turns, by name."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from tribo.checks import check
from tribo.materials import ContactMaterial, MaterialTable
from tribo.objects import Object

logger = logging.getLogger("tribo")


class References:
    """The reference bodies of contact materials, and their instances.

    The objects called `crane`, `crane'`, `crane''` are instances of one body, as `World.load_body` names
    them: where one of them touches, friction turns with that one.
    """

    def __init__(self, objects: Sequence[Object], materials: MaterialTable) -> None:
        """Look them up; one that is not there is said where both materials of its pair are."""
        laws = list(materials.references())
        self._places: dict[str, list[tuple[int, Object]]] = {}
        # By body: the first instance of the same, −1: of none; one number for all where there is no law.
        self.instances = np.full(1, -1)
        if not laws:
            return
        first = 0
        for part in objects:
            for name in {part.name, part.name.rstrip("'")}:
                self._places.setdefault(name, []).append((first, part))
            first += len(part.description.bodies)
        self.instances = np.full(first, -1)
        there = {
            shape.material
            for part in objects
            for body in part.description.bodies
            for shape in body.shapes
        }
        for one, other, law in laws:
            doubt = self._doubt(law)
            if doubt and {one, other} <= there:
                logger.warning("contact material of %r and %r: %s", one, other, doubt)
            if doubt:
                continue
            body, _ = self.find(law)
            for start, part in self._places[law.reference_body]:
                link = _link(part, law.reference_link)
                if link >= 0:
                    self.instances[start + link] = body

    def find(self, law: ContactMaterial) -> tuple[int, float]:
        """Return the number of a law's reference body and the mass of its object [kg]; −1, 0 without one."""
        if self._doubt(law):
            return -1, 0.0
        start, part = self._places[law.reference_body][0]
        mass = sum(body.mass for body in part.description.bodies)
        return start + _link(part, law.reference_link), float(mass)

    def _doubt(self, law: ContactMaterial) -> str:
        """Return why a reference body cannot be found, nothing if it can."""
        if law.reference_body not in self._places:
            near = check.nearest(law.reference_body, list(self._places))
            return f"no object is called {law.reference_body!r}{near}; its friction turns with the world"
        part = self._places[law.reference_body][0][1]
        if _link(part, law.reference_link) < 0:
            known = [body.name for body in part.description.bodies]
            near = check.nearest(law.reference_link, known)
            return (
                f"{law.reference_body!r} has no link {law.reference_link!r}{near}; its friction turns with "
                "the world"
            )
        return ""


def _link(part: Object, name: str) -> int:
    """Return which body of an object carries a link, the root for no name; −1 if none does."""
    if not name:
        return 0
    for k, body in enumerate(part.description.bodies):
        if name == body.name or name in {made.link for made in body.shapes}:
            return k
    return -1
