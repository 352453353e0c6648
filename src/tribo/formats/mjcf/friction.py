"""Friction of geoms as materials, and of pairs of geoms as pairs of materials.

MuJoCo gives each geom three coefficients, a number of contact dimensions and a priority, and makes
those of a pair from both. Here a pair of materials has coefficients; so every combination that occurs
is a material, named after its numbers: the same combination in two files is the same material.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tribo.description.trees import Vector
from tribo.formats.nodes import Node
from tribo.materials.table import MAX_FRICTION, Law, PairProperties

STANDARD = (1.0, 0.005, 0.0001)  # sliding [–], torsional [m], rolling [m]
CONDIMS = (1, 3, 4, 6)
_NAME = re.compile(
    r"mjcf (?P<numbers>\S+ \S+ \S+) condim (?P<condim>\d)(?: priority (?P<priority>-?\d+))?(?: of .*)?"
)


@dataclass(frozen=True, slots=True, order=True)
class Friction:
    """Contact parameters of a geom."""

    coefficients: Vector = STANDARD
    condim: int = 3
    priority: int = 0
    own: str = ""  # name of a geom that has pairs of its own

    @property
    def material(self) -> str:
        """The name of the material."""
        numbers = " ".join(f"{x!r}" for x in self.coefficients)
        name = f"mjcf {numbers} condim {self.condim}"
        if self.priority:
            name += f" priority {self.priority}"
        return f"{name} of {self.own}" if self.own else name


def of_material(name: str) -> Friction | None:
    """Return what a material of this name brings to its contacts, None if it is none of MJCF."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    numbers = tuple(float(word) for word in found["numbers"].split())
    return Friction(numbers, int(found["condim"]), int(found["priority"] or 0))


def laws_between(names: Iterable[str], others: Iterable[str]) -> dict[tuple[str, str], Law]:
    """Return the contact laws between materials of one file and those of another."""
    known = {name: law for name in others if (law := of_material(name)) is not None}
    made: dict[tuple[str, str], Law] = {}
    for name in names:
        own = of_material(name)
        if own is not None:
            for other, friction in known.items():
                made[name, other] = properties(*combined(own, friction))
    return made


def read_friction(node: Node) -> Friction:
    """Read friction, condim and priority of a geom."""
    given = node.vector("friction", None, STANDARD)
    if not 1 <= len(given) <= 3:
        raise node.error(f"friction={node.attributes['friction']!r} must be 1 to 3 numbers")
    coefficients = (*given, *STANDARD[len(given) :])
    check_coefficients(node, coefficients)
    return Friction(coefficients, read_condim(node), node.integer("priority", 0))


def check_coefficients(node: Node, coefficients: Vector) -> None:
    """Refuse coefficients that no contact can have."""
    if not all(0.0 <= x <= MAX_FRICTION for x in coefficients):
        raise node.error(
            f"friction={node.attributes['friction']!r}: each number must be within 0 … {MAX_FRICTION:g}"
        )


def read_condim(node: Node) -> int:
    """Read how many dimensions a contact has: 1, 3, 4 or 6."""
    condim = node.integer("condim", 3)
    if condim not in CONDIMS:
        raise node.error(f"condim={condim} must be 1, 3, 4 or 6")
    return condim


def combined(a: Friction, b: Friction) -> tuple[Vector, int]:
    """Return coefficients and condim of a contact: the higher priority wins, else the larger number."""
    if a.priority != b.priority:
        winner = a if a.priority > b.priority else b
        return winner.coefficients, winner.condim
    largest = tuple(max(x, y) for x, y in zip(a.coefficients, b.coefficients, strict=True))
    return largest, max(a.condim, b.condim)


def properties(coefficients: Vector, condim: int) -> PairProperties:
    """Return the contact law of a pair: no restitution, and the friction that condim lets through."""
    sliding, torsional, rolling = coefficients
    return PairProperties(
        friction=sliding if condim >= 3 else 0.0,
        spinning_length=torsional if condim >= 4 else 0.0,
        rolling_length=rolling if condim == 6 else 0.0,
    )
