"""The table of material pairs: eleven properties each, order of the two names free."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.materials.contact_material import ContactMaterial
from tribo.materials.pair_properties import (
    DEFAULT_MATERIAL,
    LENGTHS,
    MAX_FRICTION,
    PairProperties,
)

__all__ = ["DEFAULT_MATERIAL", "MAX_FRICTION", "MaterialTable", "PairExplanation", "PairProperties"]


@dataclass(frozen=True, slots=True)
class PairExplanation:
    """Values in use for a pair and where each comes from; print it."""

    first: str
    second: str
    properties: PairProperties
    origin: dict[str, str]

    def __str__(self) -> str:
        """Return one line per property."""
        rows = [f"{self.first} | {self.second}"]
        for item in fields(self.properties):
            value = getattr(self.properties, item.name)
            shown = "rigid" if value is None else f"{value:g}"
            rows.append(f"  {item.name:<26} {shown:<10} {self.origin[item.name]}")
        return "\n".join(rows)


class MaterialTable(check.Sealed):
    """Named materials and the properties of their pairs; a missing pair uses the default pair.

    Example:
        >>> table = MaterialTable()
        >>> table.set_pair("steel", "rubber", friction=0.9)
        >>> table.pair("rubber", "steel").friction
        0.9
    """

    revision: int

    def __init__(
        self,
        default: PairProperties | None = None,
        check_editable: Callable[[str], None] | None = None,
    ) -> None:
        """Start with no pair but the default one; a world says by an error when no edit is possible."""
        self._default = default or PairProperties()
        self._pairs: dict[tuple[str, str], tuple[PairProperties, dict[str, str]]] = {}
        self._names: dict[str, int] = {DEFAULT_MATERIAL: 0}
        self._check_editable = check_editable
        self.revision = 0

    def __getstate__(self) -> dict[str, Any]:
        """Leave the world out of copies and files."""
        return {**self.__dict__, "_check_editable": None}

    def _before_edit(self, what: str) -> None:
        if self._check_editable is not None:
            self._check_editable(what)

    def __repr__(self) -> str:
        """Return materials and pairs in numbers, the default pair in full."""
        names = list(self._names)
        more = ", …" if len(names) > 6 else ""
        return (
            f"<MaterialTable: {len(names)} materials ({', '.join(names[:6])}{more}), "
            f"{len(self._pairs)} pairs set, default friction {self._default.friction:g}>"
        )

    def __str__(self) -> str:
        """Return one line per pair that was set, and the default pair."""
        rows = [("default pair", self._default)]
        rows += [(f"{first} | {second}", made) for first, second, made in self]
        width = max(len(label) for label, _ in rows)
        head = "friction  static  restitution  threshold  rolling  spinning  stiffness  damping"
        has_lengths = any(getattr(p, name) for _, p in rows for name in LENGTHS)
        if has_lengths:
            head += "  lengths [m]"
        lines = [f"{'':<{width}}  {head}"]
        for label, p in rows:
            line = (
                f"{label:<{width}}  {p.friction:<8g}  {p.static_friction:<6g}  {p.restitution:<11g}  "
                f"{p.restitution_threshold:<9g}  {p.rolling_friction:<7g}  {p.spinning_friction:<8g}  "
                f"{'rigid' if p.stiffness is None else format(p.stiffness, 'g'):<9}  {p.damping:<7g}"
            )
            if has_lengths:
                line += f"  {p.rolling_length:g}, {p.spinning_length:g}"
            lines.append(line.rstrip())
        return "\n".join(lines)

    def copy(self) -> MaterialTable:
        """Return an independent table with the same materials and pairs."""
        made = MaterialTable(self._default)
        made.become(self)
        return made

    def become(self, other: MaterialTable) -> None:
        """Take over materials and pairs of another table; handles of this one stay good."""
        self._default = other._default
        self._pairs = dict(other._pairs)
        self._names = dict(other._names)
        self.revision += 1

    @property
    def default(self) -> PairProperties:
        """Properties of every pair that was not set."""
        return self._default

    @default.setter
    def default(self, properties: PairProperties) -> None:
        if not isinstance(properties, PairProperties):
            raise TypeError(f"default must be PairProperties, got {type(properties).__name__}")
        self._before_edit("the default pair")
        self._default = properties
        self.revision += 1

    @property
    def names(self) -> tuple[str, ...]:
        """All known material names, in the order in which they appeared."""
        return tuple(self._names)

    def index(self, name: str) -> int:
        """Return the row of a material in `array`; a new name gets a new row."""
        check.name(name, "a material name")
        if name not in self._names:
            self._names[name] = len(self._names)
            self.revision += 1
        return self._names[name]

    def set_pair(
        self,
        first: str,
        second: str,
        properties: PairProperties | None = None,
        **values: float | None,
    ) -> None:
        """Set a pair; give `PairProperties` or its fields by name, the rest takes its default.

        ``stiffness=…, damping=…, friction=…`` make it a compliant pair.

        Raises:
            ValueError: A value is outside its range.
            TypeError: A property name is unknown; the message proposes the nearest.
        """
        known = [item.name for item in fields(PairProperties)]
        for name in values:
            if name not in known:
                raise TypeError(f"unknown pair property {name!r}{check.nearest(name, known)}")
        if isinstance(properties, ContactMaterial):
            raise ValueError(
                f"material pair {first!r}, {second!r}: a ContactMaterial is a compliant law (Young's modulus "
                f"{properties.youngs_modulus:g} Pa), which no step has yet; its rigid() keeps friction and "
                "restitution and leaves compliance out"
            )
        if properties is not None and not isinstance(properties, PairProperties):
            raise TypeError(
                f"properties must be PairProperties, got {check.shown(properties)}; "
                "give single ones by name, e.g. friction=0.8"
            )
        given = known if properties is not None else list(values)
        try:
            made = replace(properties, **values) if properties else PairProperties(**values)  # type: ignore[arg-type]
        except ValueError as error:
            raise ValueError(f"material pair {first!r}, {second!r}: {error}") from None
        check.name(first, "a material name")
        check.name(second, "a material name")
        self.take_pair(first, second, made, origins_of(given))

    def take_pair(
        self, first: str, second: str, properties: PairProperties, origin: Mapping[str, str]
    ) -> None:
        """Set a pair that was derived from something else.

        Args:
            first, second: Names.
            properties: All of them.
            origin: By property where its value comes from, as `explain` shows it.
        """
        self._before_edit("a material pair")
        self.index(first)
        self.index(second)
        known = dict.fromkeys((item.name for item in fields(PairProperties)), NOT_SET)
        self._pairs[_key(first, second)] = (properties, known | dict(origin))
        self.revision += 1

    def pair(self, first: str, second: str) -> PairProperties:
        """Return the properties in use between two materials, in either order.

        Raises:
            TypeError, ValueError: A name is no text, or empty.
        """
        first, second = check.name(first, "first material"), check.name(second, "second material")
        found = self._pairs.get(_key(first, second))
        return found[0] if found else self._default

    def explain(self, first: str, second: str) -> PairExplanation:
        """Return each value in use between two materials and where it comes from.

        Raises:
            KeyError: No shape and no pair has used a name; the message proposes the nearest.
        """
        for name in (first, second):
            check.known(name, self._names, "material")
        found = self._pairs.get(_key(first, second))
        if found is None:
            origin = {
                f.name: "default pair (this pair was never set)" for f in fields(PairProperties)
            }
            return PairExplanation(first, second, self._default, origin)
        return PairExplanation(first, second, found[0], dict(found[1]))

    def __iter__(self) -> Iterator[tuple[str, str, PairProperties]]:
        """Iterate over the pairs that were set."""
        for (first, second), (made, _) in sorted(self._pairs.items()):
            yield first, second, made

    def array(self) -> np.ndarray:
        """Return the table, shape (n, n, 11), columns as in `tribo.model.Pair`; stiffness 0: rigid."""
        n = len(self._names)
        table = np.empty((n, n, 11))
        table[:, :] = _row(self._default)
        for (first, second), (made, _) in self._pairs.items():
            i, j = self._names[first], self._names[second]
            table[i, j] = table[j, i] = _row(made)
        return table


NOT_SET = "standard value (not set for this pair)"


def origins_of(
    given: Iterable[str], said: str = "set for this pair", else_: str = NOT_SET
) -> dict[str, str]:
    """Return where the values of a pair come from, by property: `said` of the given ones, else `else_`."""
    origin = dict.fromkeys((item.name for item in fields(PairProperties)), else_)
    origin["static_friction"] = "equal to friction" + else_.removeprefix("standard value")
    return origin | dict.fromkeys(given, said)


def _key(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)


def _row(properties: PairProperties) -> list[float]:
    return [getattr(properties, item.name) or 0.0 for item in fields(properties)]
