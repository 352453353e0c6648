"""The table of material pairs: eleven properties each, order of the two names free."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from tribo.checks import check

DEFAULT_MATERIAL = "default"
MAX_FRICTION = (
    1e6  # [–] sticks on every slope; beyond it the solve has no digits left for the normal
)
_LENGTHS = ("rolling_length", "spinning_length")
_RIGID_ONLY = (
    "restitution",
    "restitution_threshold",
    "rolling_friction",
    "spinning_friction",
    *_LENGTHS,
)
_COEFFICIENTS = ("friction", "static_friction", "rolling_friction", "spinning_friction")


@dataclass(frozen=True, slots=True)
class PairProperties:
    """How two materials interact (`contact law`, Hwangbo et al. 2018 with RaiSim's extensions).

    Args:
        friction: Coulomb coefficient μ ≥ 0 while slipping [–]; all coefficients are at most 1e6.
        restitution: Newton's e, 0…1 [–]: rebound speed = e · max(0, v − threshold).
        restitution_threshold: Approach speed below which nothing rebounds, ≥ 0 [m/s].
        static_friction: Coefficient at rest, ≥ friction [–]; None: equal to friction.
        static_friction_velocity: Slip speed at which only `friction` is left, > 0 [m/s].
        rolling_friction: μ_r ≥ 0 [–]: ‖rolling torque‖ ≤ μ_r · radius · normal force.
        spinning_friction: μ_spin ≥ 0 [–]: ± torque about the normal ≤ μ_spin · radius · normal force.
        stiffness: K > 0 [N/m^1.5] of each contact point of a *compliant* pair, Spatial_v2's ground
            (docs/physics/compliant-ground); None: a rigid pair. A compliant pair has friction and
            damping and none of the other properties. `tribo.ground.stiffness_for` helps to choose it.
        damping: D ≥ 0 [N s/m^1.5] of each contact point of a compliant pair; its ground recovers as
            exp(−K t/D), and the faster an impact, the less it bounces.
        rolling_length, spinning_length: ≥ 0 [m], added to μ_r · radius and μ_spin · radius: lever arms
            of the normal force that do not depend on the shape (MuJoCo's rolling, torsional friction).

    Raises:
        ValueError: A value is outside its range; the message names property, value and range.

    Example:
        >>> PairProperties(friction=0.4, restitution=0.6).static_friction
        0.4
        >>> PairProperties(friction=0.5, stiffness=1e6, damping=2e3).is_compliant
        True
    """

    friction: float = 0.8
    restitution: float = 0.0
    restitution_threshold: float = 0.0
    static_friction: float | None = None
    static_friction_velocity: float = 1e-3
    rolling_friction: float = 0.0
    spinning_friction: float = 0.0
    stiffness: float | None = None
    damping: float = 0.0
    rolling_length: float = 0.0
    spinning_length: float = 0.0

    @property
    def is_compliant(self) -> bool:
        """Whether the pair has a stiffness."""
        return self.stiffness is not None

    def __post_init__(self) -> None:
        """Check ranges; convert to plain floats."""
        for item in fields(self):
            value = getattr(self, item.name)
            if value is None and item.name == "static_friction":
                value = self.friction
            if value is None and item.name == "stiffness":
                continue
            try:
                most = MAX_FRICTION if item.name in _COEFFICIENTS else check.LARGEST
                number = check.number(value, item.name, minimum=0.0, maximum=most)
            except TypeError as error:
                raise ValueError(str(error)) from None
            object.__setattr__(self, item.name, number)
        if self.restitution > 1.0:
            raise ValueError(f"restitution must be within 0…1, got {self.restitution!r}")
        if self.static_friction is not None and self.static_friction < self.friction:
            raise ValueError(
                f"static_friction must be ≥ friction ({self.friction!r}), got {self.static_friction!r}"
            )
        if self.static_friction_velocity <= 0.0:
            raise ValueError("static_friction_velocity must be > 0 m/s, got 0.0")
        self._check_compliance()

    def _check_compliance(self) -> None:
        """Refuse mixtures of a rigid and a compliant pair."""
        if self.stiffness is None:
            if self.damping != 0.0:
                raise ValueError(
                    f"damping={self.damping!r} belongs to a compliant pair: give its stiffness too"
                )
            return
        if self.stiffness == 0.0:
            raise ValueError("stiffness must be > 0 N/m^1.5, or None for a rigid pair, got 0.0")
        for name in _RIGID_ONLY:
            if getattr(self, name) != 0.0:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} belongs to a rigid pair; a compliant one (stiffness="
                    f"{self.stiffness!r}) has friction and damping only"
                )
        if self.static_friction != self.friction:
            raise ValueError(
                f"static_friction={self.static_friction!r} belongs to a rigid pair; a compliant one "
                f"(stiffness={self.stiffness!r}) has one friction"
            )


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
        self._pairs: dict[tuple[str, str], tuple[PairProperties, frozenset[str]]] = {}
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
        has_lengths = any(getattr(p, name) for _, p in rows for name in _LENGTHS)
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
        if properties is not None and not isinstance(properties, PairProperties):
            raise TypeError(
                f"properties must be PairProperties, got {check.shown(properties)}; "
                "give single ones by name, e.g. friction=0.8"
            )
        given = frozenset(known if properties is not None else values)
        try:
            made = replace(properties, **values) if properties else PairProperties(**values)  # type: ignore[arg-type]
        except ValueError as error:
            raise ValueError(f"material pair {first!r}, {second!r}: {error}") from None
        check.name(first, "a material name")
        check.name(second, "a material name")
        self._before_edit("a material pair")
        self.index(first)
        self.index(second)
        self._pairs[_key(first, second)] = (made, given)
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
        made, given = found
        origin = {}
        for item in fields(PairProperties):
            if item.name in given:
                origin[item.name] = "set for this pair"
            elif item.name == "static_friction":
                origin[item.name] = "equal to friction (not set for this pair)"
            else:
                origin[item.name] = "standard value (not set for this pair)"
        return PairExplanation(first, second, made, origin)

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


def _key(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)


def _row(properties: PairProperties) -> list[float]:
    return [getattr(properties, item.name) or 0.0 for item in fields(properties)]
