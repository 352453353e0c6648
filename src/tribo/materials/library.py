"""Materials by name, the pairs that are given, and for every pair the values in effect with their origin."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields

from tribo.checks import check
from tribo.checks.sealed import Sealed
from tribo.materials.contact_material import ContactMaterial
from tribo.materials.material import Material, canonical_name
from tribo.materials.mixing import FORMULAS, mixed, origin_of
from tribo.materials.pair_properties import DEFAULT_MATERIAL
from tribo.materials.parameters import given, parameters

SHOWN = 200  # pairs of a printed library
_COLUMNS = {
    "youngs_modulus": "E [Pa]",
    "restitution": "restitution",
    "spook_damping": "damping [s]",
    "friction": "friction",
    "surface_viscosity": "visc. [m/(Ns)]",
    "adhesion_force": "adhesion [N]",
    "adhesive_overlap": "overlap [m]",
    "": "model, solver",
}
EXPLICIT, MIXED, STANDARD = "explicit", "mixed", "default"


@dataclass(frozen=True, slots=True)
class EffectivePair:
    """The values in effect between two materials and where each comes from; print it.

    Attributes:
        first, second: Names.
        law: All values.
        origin: By parameter "explicit" (given for this pair), "mixed" (by formula from both materials) or
            "default" (the standard value of a contact material).
        detail: By mixed parameter the formula and its terms.
    """

    first: str
    second: str
    law: ContactMaterial
    origin: dict[str, str]
    detail: dict[str, str]

    @property
    def is_explicit(self) -> bool:
        """Whether a contact material was given for this pair."""
        return not self.detail

    def __str__(self) -> str:
        """Return one line per parameter: value, unit, origin."""
        units = {name: kind.unit for name, kind in parameters(ContactMaterial).items()}
        units["constant_normal_force"] = "N"
        rows = [f"{self.first} | {self.second}"]
        in_use = {
            "friction_model": f"{self.law.model}, {self.law.solver}",
            "contact_reduction_mode": self.law.reduction,
        }
        for item in fields(self.law):
            shown = in_use.get(item.name) or as_text(getattr(self.law, item.name))
            unit = units.get(item.name, "").replace("–", "")
            rows.append(
                f"  {item.name:<33}{shown:<20}{unit:<10}{self.origin[item.name]:<10}"
                f"{self.detail.get(item.name, '')}".rstrip()
            )
        return "\n".join(rows)


class MaterialLibrary(Sealed):
    """Materials by name and contact materials of pairs, as material files have them.

    The material "default" (or "Default") always exists. A pair without a contact material is mixed from its
    two materials (`tribo.materials.mixing`).

    Example:
        >>> library = MaterialLibrary()
        >>> library.add(Material("steel", roughness=0.25))
        >>> library.add(Material("rubber", roughness=1.0))
        >>> library.pair("steel", "rubber").law.friction
        0.5
        >>> library.set_pair("steel", "rubber", ContactMaterial(friction=0.8))
        >>> pair = library.pair("rubber", "steel")
        >>> pair.law.friction, pair.origin["friction"], pair.origin["restitution"]
        (0.8, 'explicit', 'default')
    """

    _called = "library"

    def __init__(self) -> None:
        """Start with the material "default" and no pair."""
        self._materials: dict[str, Material] = {DEFAULT_MATERIAL: Material()}
        self._added: set[str] = set()  # names that are not only those of pairs
        self._pairs: dict[tuple[str, str], ContactMaterial] = {}
        self._notes: tuple[str, ...] = ()
        self._doubts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return materials and pairs in numbers."""
        names = list(self._materials)
        more = ", …" if len(names) > 6 else ""
        return (
            f"<MaterialLibrary: {len(names)} materials ({', '.join(names[:6])}{more}), "
            f"{len(self._pairs)} pairs given>"
        )

    def __str__(self) -> str:
        """Return one line per pair of materials: values in effect, each with a letter for its origin."""
        pairs = list(itertools.islice(self, SHOWN))
        labels = [f"{pair.first} | {pair.second}" for pair in pairs]
        width = max(map(len, labels))
        lines = [f"{'':<{width}}  {''.join(f'{title:<15}' for title in _COLUMNS.values())}".rstrip()]
        for label, pair in zip(labels, pairs, strict=True):
            cells = [f"{_cell(pair, name):<15}" for name in _COLUMNS if name]
            words = f"{pair.law.model}, {pair.law.solver} {pair.origin['friction_model'][0]}"
            lines.append(f"{label:<{width}}  {''.join(cells)}{words}")
        if len(self) > SHOWN:
            lines.append(f"… and {len(self) - SHOWN} pairs more")
        lines.append("origin: e explicit, m mixed by formula from both materials, d default value")
        return "\n".join(lines)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all materials, "default" first, the rest in the order in which they appeared."""
        return tuple(self._materials)

    @property
    def given_names(self) -> tuple[str, ...]:
        """Names of the materials that were added, without those that only pairs name."""
        return tuple(name for name in self._materials if name in self._added)

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks of the reader of its files, doubts included."""
        return self._notes

    @property
    def doubts(self) -> tuple[str, ...]:
        """Those of the notes after which a pair may not be what its file means."""
        return self._doubts

    def take_notes(self, notes: list[str], doubts: list[str]) -> None:
        """Keep what a reader has to say."""
        self._notes += tuple(notes)
        self._doubts += tuple(doubts)

    def add(self, material: Material) -> None:
        """Add a material; one of the same name is replaced.

        Raises:
            TypeError: It is no `Material`.
        """
        check.instance(material, Material, "add takes a Material")
        self._materials[material.name] = material
        self._added.add(material.name)

    def set_pair(self, first: str, second: str, law: ContactMaterial) -> None:
        """Give a pair its contact material; the order of the names is free.

        Materials of unknown names are added with standard values.

        Raises:
            TypeError: A name is no text, or the law is no `ContactMaterial`.
        """
        check.instance(law, ContactMaterial, "set_pair takes a ContactMaterial")
        first, second = canonical_name(first), canonical_name(second)
        for name in (first, second):
            if name not in self._materials:
                self._materials[name] = Material(name)
        self._pairs[_key(first, second)] = law

    def material(self, name: str) -> Material:
        """Return a material.

        Raises:
            KeyError: There is none of this name; the message proposes the nearest.
        """
        return self._materials[check.known(canonical_name(name), self._materials, "material")]

    def pair(self, first: str, second: str) -> EffectivePair:
        """Return the values in effect between two materials, and their origin; the order is free.

        Raises:
            KeyError: There is no material of a name; the message proposes the nearest.
        """
        a, b = self.material(first), self.material(second)
        law = self._pairs.get(_key(a.name, b.name))
        names = [item.name for item in fields(ContactMaterial)]
        if law is not None:
            own = given(law)
            origin = {name: EXPLICIT if name in own else STANDARD for name in names}
            return EffectivePair(a.name, b.name, law, origin, {})
        origin = {name: MIXED if name in FORMULAS else STANDARD for name in names}
        detail = {name: origin_of(name, a, b) for name in FORMULAS}
        return EffectivePair(a.name, b.name, mixed(a, b), origin, detail)

    def merge(self, other: MaterialLibrary) -> None:
        """Put another library over this one: its materials and pairs replace those of the same names.

        Materials that the other one knows from its pairs only replace nothing.

        Raises:
            TypeError: It is no `MaterialLibrary`.
        """
        check.instance(other, MaterialLibrary, "merge takes a MaterialLibrary")
        for name, material in other._materials.items():
            if name in other._added:
                self.add(material)
            else:
                self._materials.setdefault(name, material)
        self._pairs.update(other._pairs)
        self.take_notes(list(other._notes), list(other._doubts))

    def subset(self, *names: str) -> MaterialLibrary:
        """Return the materials of these names, and "default", with the pairs among them.

        Raises:
            KeyError: There is no material of a name; the message proposes the nearest.

        Example:
            >>> library = MaterialLibrary()
            >>> library.add(Material("steel"))
            >>> library.add(Material("tire"))
            >>> library.subset("steel").names
            ('default', 'steel')
        """
        kept = {self.material(name).name for name in (DEFAULT_MATERIAL, *names)}
        made = MaterialLibrary()
        for name in self._materials:
            if name in kept:
                made._materials[name] = self._materials[name]
        made._added = self._added & kept
        made._pairs = {pair: law for pair, law in self._pairs.items() if kept.issuperset(pair)}
        return made

    def __iter__(self) -> Iterator[EffectivePair]:
        """Iterate over all pairs of materials in effect, those of equal names included."""
        names = list(self._materials)
        for i, first in enumerate(names):
            for second in names[i:]:
                yield self.pair(first, second)

    def __len__(self) -> int:
        """Return the number of all pairs of materials."""
        return len(self._materials) * (len(self._materials) + 1) // 2

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a material of a name."""
        return name in {"", "Default"} or name in self._materials


def as_text(value: object) -> str:
    """Return a value of a contact material as a table shows it."""
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:g}" if value >= 0.0 else "off"
    if isinstance(value, tuple):
        return ", ".join(f"{x:g}" if isinstance(x, float) else str(x) for x in value)
    return str(value) if value != "" else "none"


def _cell(pair: EffectivePair, name: str) -> str:
    """Return a value and the letter of its origin."""
    return f"{as_text(getattr(pair.law, name))} {pair.origin[name][0]}"


def _key(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)
