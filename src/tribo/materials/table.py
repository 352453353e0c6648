"""The table of material pairs: a law each, order of the two names free."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.answers import argument, listed
from tribo.checks.sealed import Sealed
from tribo.enums import FrictionModel, Pair, Reduction
from tribo.materials.contact_material import ContactMaterial
from tribo.materials.pair_properties import DEFAULT_MATERIAL, LENGTHS, MAX_FRICTION, PairProperties

Law = PairProperties | ContactMaterial
Find = Callable[[ContactMaterial], tuple[int, float]]  # number of the reference body, and its object's mass

__all__ = ["DEFAULT_MATERIAL", "MAX_FRICTION", "MaterialTable", "PairExplanation", "PairProperties"]


@dataclass(frozen=True, slots=True)
class PairExplanation:
    """Values in use for a pair and where each comes from; print it."""

    first: str
    second: str
    properties: Law
    origin: dict[str, str]

    def __str__(self) -> str:
        """Return one line per property."""
        rows = [f"{self.first} | {self.second}"]
        names = [item.name for item in fields(self.properties)]
        shown = [_shown(name, getattr(self.properties, name)) for name in names]
        width, value_width = max(map(len, names)), max(10, *map(len, shown))
        for name, value in zip(names, shown, strict=True):
            rows.append(f"  {name:<{width}} {value:<{value_width}} {self.origin[name]}")
        return "\n".join(rows)


class MaterialTable(Sealed):
    """Named materials and the properties of their pairs; a missing pair uses the default pair.

    Example:
        >>> table = MaterialTable()
        >>> table.set_pair("steel", "rubber", friction=0.9)
        >>> table.pair("rubber", "steel").friction
        0.9
    """

    _called = "materials"

    revision: int

    def __init__(
        self, default: Law | None = None, check_editable: Callable[[str], None] | None = None
    ) -> None:
        """Start with no pair but the default one; a world says by an error when no edit is possible."""
        self._default: Law = default or PairProperties()
        self._pairs: dict[tuple[str, str], tuple[Law, dict[str, str]]] = {}
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
        has_lengths = any(getattr(p, name, 0.0) for _, p in rows for name in LENGTHS)
        if has_lengths:
            head += "  lengths [m]"
        lines = [f"{'':<{width}}  {head}"]
        for label, p in rows:
            if isinstance(p, ContactMaterial):
                lines.append(
                    f"{label:<{width}}  {p.friction:<8g}  contact material: {p.model}, "
                    f"E {p.youngs_modulus:g} Pa, damping {p.spook_damping:g} s, restitution {p.restitution:g}"
                )
                continue
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
        # A table that is the same keeps its revision, unless masses of reference bodies may have changed.
        known = self._default, self._pairs, self._names
        if known == (other._default, other._pairs, other._names) and not any(self.references()):
            return
        self._default = other._default
        self._pairs = dict(other._pairs)
        self._names = dict(other._names)
        self.revision += 1

    @property
    def default(self) -> Law:
        """Properties of every pair that was not set."""
        return self._default

    @default.setter
    def default(self, properties: Law) -> None:
        if not isinstance(properties, Law):
            raise TypeError(
                f"default must be PairProperties or a ContactMaterial, got {type(properties).__name__}; "
                "e.g. world.default_pair = tribo.PairProperties(friction=0.5)"
            )
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

    def set_pair(self, first: str, second: str, properties: Law | None = None, **values: object) -> None:
        """Set a pair; give a law or its fields by name, the rest takes its default.

        ``stiffness=…, damping=…, friction=…`` make it compliant ground, ``youngs_modulus=…`` and other fields
        of `ContactMaterial` a contact material. ``law="rigid"``, ``"ground"`` or ``"compliant"`` names it;
        a value of another one is then an error.

        Raises:
            ValueError: A value is outside its range, or two belong to different laws.
            TypeError: A property name is unknown; the message proposes the nearest.
        """
        what = f"material pair {first!r}, {second!r}"
        if properties is not None and not isinstance(properties, Law):
            raise TypeError(
                f"properties must be PairProperties or a ContactMaterial, got {check.shown(properties)}; "
                "give single ones by name, e.g. friction=0.8"
            )
        law = values.pop("law", None)
        if law is not None:
            if properties is not None:
                raise ValueError(f"{what}: properties are a law already; leave law out")
            check_law(law, values, what)
        kind = _kind_of(values, what) if properties is None else type(properties)
        kind = ContactMaterial if law == "compliant" else kind
        known = [item.name for item in fields(kind)]
        for name in values:
            if name not in known:
                raise TypeError(
                    f"{what}: {kind.__name__} has no property {name!r}"
                    f"{argument(name, known) or listed(known)}"
                )
        given = known if properties is not None else list(values)
        try:
            made: Law = replace(properties, **values) if properties else kind(**values)  # type: ignore[arg-type]
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None
        check.name(first, "a material name")
        check.name(second, "a material name")
        self.take_pair(first, second, made, origins_of(given, kind))

    def take_pair(self, first: str, second: str, properties: Law, origin: Mapping[str, str]) -> None:
        """Set a pair that was derived from something else.

        Args:
            first, second: Names.
            properties: All of them.
            origin: By property where its value comes from, as `explain` shows it.
        """
        self._before_edit("a material pair")
        self.index(first)
        self.index(second)
        known = dict.fromkeys((item.name for item in fields(properties)), NOT_SET)
        self._pairs[_key(first, second)] = (properties, known | dict(origin))
        self.revision += 1

    def pair(self, first: str, second: str) -> Law:
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
            origin = {f.name: "default pair (this pair was never set)" for f in fields(self._default)}
            return PairExplanation(first, second, self._default, origin)
        return PairExplanation(first, second, found[0], dict(found[1]))

    def __iter__(self) -> Iterator[tuple[str, str, Law]]:
        """Iterate over the pairs that were set."""
        for (first, second), (made, _) in sorted(self._pairs.items()):
            yield first, second, made

    def array(self, find: Find | None = None) -> np.ndarray:
        """Return the table, shape (n, n, 27), columns as in `tribo.model.Pair`.

        Args:
            find: Tells the reference body of a contact material; None: directions are the world's.
        """
        n = len(self._names)
        table = np.empty((n, n, len(Pair) + 2))  # a direction has three columns
        table[:, :] = _row(self._default, find)
        for (first, second), (made, _) in self._pairs.items():
            i, j = self._names[first], self._names[second]
            table[i, j] = table[j, i] = _row(made, find)
        return table

    def references(self) -> Iterator[tuple[str, str, ContactMaterial]]:
        """Iterate over the pairs whose friction turns with a body."""
        rows = [(DEFAULT_MATERIAL, DEFAULT_MATERIAL, self._default), *self]
        for first, second, made in rows:
            if isinstance(made, ContactMaterial) and made.reference_body:
                yield first, second, made


NOT_SET = "standard value (not set for this pair)"
HALF_WEIGHT = 0.5 * 9.8  # [m/s²] times a mass: the normal force of a point that is not given
_MODELS = {
    "iterative": FrictionModel.CONE,
    "oriented_iterative": FrictionModel.CONE,
    "box": FrictionModel.BOX,
    "oriented_box": FrictionModel.BOX,
    "scaled_box": FrictionModel.SCALED_BOX,
    "oriented_scaled_box": FrictionModel.SCALED_BOX,
    "constant_normal_force_oriented_box": FrictionModel.CONSTANT_FORCE_BOX,
}


_REDUCTIONS = {
    "reduce_none": Reduction.NONE,
    "reduce_geometry": Reduction.GEOMETRY,
    "reduce_all": Reduction.ALL,
}
STANDARD_BINS = 3  # of a contact material that leaves the number to the world


def _shown(name: str, value: object) -> str:
    if value is None:
        return "rigid" if name == "stiffness" else "–"
    return f"{value:g}" if isinstance(value, float) else f"{value}" or "–"


def _kind_of(values: Mapping[str, object], what: str) -> type[Law]:
    """Return the law to which properties belong that are given by name."""
    rigid = {item.name for item in fields(PairProperties)}
    soft = {item.name for item in fields(ContactMaterial)}
    mine = sorted(values.keys() & (soft - rigid))
    others = sorted(values.keys() & (rigid - soft))
    if mine and others:
        raise ValueError(
            f"{what}: {', '.join(mine)} of a contact material and {', '.join(others)} of a rigid pair or "
            "compliant ground contradict each other; a pair has one law"
        )
    return ContactMaterial if mine else PairProperties


def origins_of(
    given: Iterable[str], kind: type[Law], said: str = "set for this pair", else_: str = NOT_SET
) -> dict[str, str]:
    """Return where the values of a pair come from, by property: `said` of the given ones, else `else_`."""
    origin = dict.fromkeys((item.name for item in fields(kind)), else_)
    if kind is PairProperties:
        origin["static_friction"] = "equal to friction" + else_.removeprefix("standard value")
    return origin | dict.fromkeys(given, said)


LAWS = ("rigid", "compliant", "ground")


def check_law(law: object, values: Mapping[str, object], what: str) -> None:
    """Refuse values that belong to another law than the one that is named.

    Raises:
        ValueError: There is no such law, or a value is not one of it.
    """
    check.choice(law, LAWS, f"law of {what}")
    rigid = {item.name for item in fields(PairProperties)} - {"stiffness", "damping"}
    soft = {item.name for item in fields(ContactMaterial)}
    own = {"rigid": rigid, "ground": rigid | {"stiffness", "damping"}, "compliant": soft}[str(law)]
    given = {name for name, value in values.items() if value is not None}
    other = sorted(given & ((rigid | soft | {"stiffness", "damping"}) - own))
    if other:
        fit = [name for name in LAWS if name != law]
        raise ValueError(
            f"{what}: {', '.join(other)} does not belong to law={law!r}; leave it out, or take law "
            + " or ".join(repr(name) for name in fit)
        )
    if law == "ground" and not given & {"stiffness"}:
        raise ValueError(
            f'{what}: law="ground" needs a stiffness [N/m^1.5], and a damping [N s/m^1.5], as in '
            'set_material_pair(a, b, law="ground", stiffness=1e5, damping=1e3)'
        )


def _key(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)


def _row(law: Law, find: Find | None) -> np.ndarray:
    """Return the columns of a pair."""
    row = np.zeros(len(Pair) + 2)
    row[Pair.REFERENCE_BODY] = -1.0
    if isinstance(law, PairProperties):
        for column, item in enumerate(fields(law)):
            row[column] = getattr(law, item.name) or 0.0
        return row
    row[Pair.FRICTION], row[Pair.SECONDARY_FRICTION] = law.friction_along
    row[Pair.STATIC_FRICTION] = row[Pair.FRICTION]
    row[Pair.STATIC_FRICTION_VELOCITY] = PairProperties().static_friction_velocity
    row[Pair.RESTITUTION] = law.restitution
    row[Pair.YOUNGS_MODULUS] = law.youngs_modulus
    row[Pair.SPOOK_DAMPING] = law.spook_damping
    row[Pair.SURFACE_VISCOSITY], row[Pair.SECONDARY_SURFACE_VISCOSITY] = law.surface_viscosity_along
    row[Pair.ADHESION_FORCE] = law.adhesion_force
    row[Pair.ADHESIVE_OVERLAP] = law.adhesive_overlap
    row[Pair.FRICTION_MODEL] = _MODELS[law.model]
    first, second = law.friction_along
    x, y = law.surface_viscosity_along
    if row[Pair.FRICTION_MODEL] != FrictionModel.CONE or first != second or x != y:
        direction = law.primary_direction if any(law.primary_direction) else (1.0, 0.0, 0.0)
        row[Pair.DIRECTION : Pair.DIRECTION + 3] = direction
    body, mass = find(law) if find is not None and law.reference_body else (-1, 0.0)
    row[Pair.REFERENCE_BODY] = body
    force = law.constant_normal_force
    row[Pair.NORMAL_FORCE] = HALF_WEIGHT * mass if force is None else force
    row[Pair.ELASTIC_REST_LENGTH] = law.elastic_rest_length
    row[Pair.REDUCTION] = _REDUCTIONS[law.reduction]
    row[Pair.REDUCTION_BINS] = law.contact_reduction_bin_resolution or STANDARD_BINS
    return row
