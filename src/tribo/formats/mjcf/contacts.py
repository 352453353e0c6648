"""Which geoms meet, and how: materials from friction, <contact> with its pairs and exclusions.

`<exclude>` between bodies of different trees, or with what stands, is by bits of group and mask.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tribo.description.trees import DescriptionError, ShapeDescription
from tribo.formats.mjcf.bodies import WORLD, Body
from tribo.formats.mjcf.compiler import MAIN
from tribo.formats.mjcf.defaults import Defaults
from tribo.formats.mjcf.friction import Friction, check_coefficients, combined, properties, read_condim
from tribo.formats.mjcf.geoms import SOFT, Geom
from tribo.formats.mjcf.source import Source
from tribo.formats.nodes import Node
from tribo.materials.table import Law, PairProperties

EXCLUDE = frozenset({"name", "body1", "body2"})
PAIR = frozenset({"name", "class", "geom1", "geom2", "condim", "friction"})
PAIR_WITHOUT_EFFECT = dict.fromkeys(("solref", "solreffriction", "solimp", "margin", "gap"), SOFT) | {
    "adhesion": "is not read: the geoms do not stick; leave it out"
}
MAX_KINDS = 500  # of friction
FIRST_BIT = 32  # free above contype and conaffinity


@dataclass(slots=True)
class Pair:
    """Two geoms with a contact law of their own."""

    node: Node
    first: Geom
    second: Geom
    law: PairProperties


@dataclass(slots=True)
class Contacts:
    """Contents of <contact>, and the materials of all geoms."""

    excluded: list[tuple[Node, str, str]] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    laws: dict[tuple[str, str], Law] = field(default_factory=dict)
    frictions: dict[str, Friction] = field(default_factory=dict)  # by geom
    is_off: bool = False  # <flag contact="disable"/>: nothing meets

    def shape(self, geom: Geom) -> ShapeDescription | None:
        """Return what collides of a geom, with its material; None if nothing does."""
        made = geom.shape()
        if self.is_off:
            return None
        if made is not None:
            made.material = self.frictions[geom.name].material
        return made


def read_contacts(source: Source, defaults: Defaults, bodies: list[Body]) -> Contacts:
    """Read all <contact> sections and combine the friction of all geoms."""
    made = Contacts()
    for option in source.sections("option"):
        for flags in option.all("flag"):
            made.is_off = flags.choice("contact", ("enable", "disable"), "enable") == "disable"
    geoms = {geom.name: geom for body in bodies for geom in body.geoms}
    names = {body.name: body.name for body in bodies}
    for section in source.sections("contact"):
        section.check_children(("exclude", "pair"))
        for node in section.all("exclude"):
            node.check_attributes(EXCLUDE)
            first, second = (node.named(key, names, "a body") for key in ("body1", "body2"))
            made.excluded.append((node, first, second))
        for node in section.all("pair"):
            node.check_attributes(PAIR, PAIR_WITHOUT_EFFECT)
            made.pairs.append(_pair(defaults.resolve(node, MAIN), geoms))
    _materials(made, geoms)
    keep_apart(made.excluded, bodies, _let_meet(made))
    return made


def _pair(node: Node, geoms: dict[str, Geom]) -> Pair:
    first, second = (node.named(key, geoms, "a geom") for key in ("geom1", "geom2"))
    coefficients, condim = combined(first.friction, second.friction)
    if "condim" in node.attributes:
        condim = read_condim(node)
    if "friction" in node.attributes:
        given = node.vector("friction", None)
        if not 1 <= len(given) <= 5:
            raise node.error(f"friction={node.attributes['friction']!r} must be 1 to 5 numbers")
        check_coefficients(node, given)
        sliding, torsional, rolling = coefficients
        five = (sliding, sliding, torsional, rolling, rolling)
        along, across, spin, roll, other = (*given, *five[len(given) :])
        if len(given) == 1:
            across = along
        if along != across or roll != other:
            node.doubt(
                "friction differs along two directions; the first number counts for both", "anisotropic"
            )
        coefficients = along, spin, roll
    return Pair(node, first, second, properties(coefficients, condim))


def _materials(made: Contacts, geoms: dict[str, Geom]) -> None:
    """Make materials of all frictions, and the table of their pairs."""
    special = {geom.name for pair in made.pairs for geom in (pair.first, pair.second)}
    for geom in geoms.values():
        own = geom.name if geom.name in special else ""
        made.frictions[geom.name] = replace(geom.friction, own=own)
    kinds = sorted({made.frictions[g.name] for g in geoms.values() if g.collides or g.name in special})
    if len(kinds) > MAX_KINDS:
        raise DescriptionError(
            f"{len(kinds)} geoms differ in friction, condim, priority or pairs; at most {MAX_KINDS} kinds "
            "are read, let some be alike"
        )
    for k, one in enumerate(kinds):
        for other in kinds[k:]:
            made.laws[one.material, other.material] = properties(*combined(one, other))
    for pair in made.pairs:
        first, second = (made.frictions[g.name].material for g in (pair.first, pair.second))
        made.laws.pop((second, first), None)
        made.laws[first, second] = pair.law


def _let_meet(made: Contacts) -> int:
    """Let the geoms of pairs meet whose bits do not: a bit for each geom that has such pairs.

    Returns:
        The next bit that nobody uses.
    """
    waiting = [pair for pair in made.pairs if not meet(pair.first, pair.second)]
    bit = FIRST_BIT
    while waiting:
        if bit > LAST_BIT:
            for pair in waiting:
                pair.node.doubt(f"more than {LAST_BIT - FIRST_BIT + 1} geoms have pairs that contype and "
                    "conaffinity forbid: this one does not collide; use contype and conaffinity", "pairs"
                )  # fmt: skip
            return bit
        counts = Counter(id(geom) for pair in waiting for geom in (pair.first, pair.second))
        number = max(counts, key=counts.__getitem__)
        rest = []
        for pair in waiting:
            if number not in {id(pair.first), id(pair.second)}:
                rest.append(pair)
                continue
            hub, other = pair.first, pair.second
            if id(hub) != number:
                hub, other = other, hub
            hub.contype |= 1 << bit
            other.conaffinity |= 1 << bit
        waiting = rest
        bit += 1
    return bit


LAST_BIT = 62  # bit 63 is that of static objects


def meet(a: Geom, b: Geom) -> bool:
    """Tell whether two geoms of different bodies meet, by contype and conaffinity."""
    return bool((a.contype & b.conaffinity) | (b.contype & a.conaffinity))


def tops(bodies: Sequence[Body]) -> list[int]:
    """Return for each body the body of the world that it hangs on."""
    top = [WORLD]
    for k, body in enumerate(bodies[1:], start=1):
        top.append(k if body.parent == WORLD else top[body.parent])
    return top


def are_of_one_tree(bodies: Sequence[Body], first: int, second: int) -> bool:
    """Tell whether two bodies are links of one robot, which lists them by itself, or never meet at all."""
    top = tops(bodies)
    moving = {top[k] for k, body in enumerate(bodies) if body.joints or body.is_mocap}
    stand = [top[k] not in moving for k in (first, second)]
    return all(stand) or (top[first] == top[second] and not any(stand))


def keep_apart(excluded: Sequence[tuple[Node, str, str]], bodies: Sequence[Body], bit: int) -> None:
    """Let the geoms of two bodies of different trees pass through each other, and meet all else as before.

    The geoms of one of the two leave their bits and get new ones, one for all that were alike; what they met
    before, and still meet, takes those bits into its mask.

    Args:
        excluded: Elements, and the names of their two bodies.
        bodies: All bodies.
        bit: The first bit that nobody uses.
    """
    number = {body.name: k for k, body in enumerate(bodies)}
    waiting = [
        (node, number[first], number[second])
        for node, first, second in excluded
        if not are_of_one_tree(bodies, number[first], number[second])
    ]
    while waiting:
        counts = Counter(k for _, *pair in waiting for k in pair if k != WORLD)
        one = max(counts, key=counts.__getitem__)
        mine = [item for item in waiting if one in item[1:]]
        waiting = [item for item in waiting if one not in item[1:]]
        others = {b if a == one else a for _, a, b in mine}
        kinds: dict[tuple[int, int], list[Geom]] = {}
        for geom in bodies[one].geoms:
            kinds.setdefault((geom.contype, geom.conaffinity), []).append(geom)
        for alike in kinds.values():
            met = [
                geom
                for k, body in enumerate(bodies)
                for geom in body.geoms
                if k != one and meet(geom, alike[0])
            ]
            if bit > LAST_BIT:
                for node, *_ in mine:
                    node.doubt("no bits are left for it, so these bodies go on meeting; use contype and "
                               "conaffinity", "exclude")  # fmt: skip
                return
            apart = {id(geom) for k in others for geom in bodies[k].geoms}
            for geom in alike:
                geom.contype, geom.conaffinity = 1 << bit, 0
            for geom in met:
                if id(geom) not in apart:
                    geom.conaffinity |= 1 << bit
            bit += 1
