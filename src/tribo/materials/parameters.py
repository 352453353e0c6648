"""Numbers of a material that know their unit, their range, and whether anybody gave them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from tribo.checks import check


class Standard(float):
    """The standard value of a parameter that nobody gave.

    Example:
        >>> Standard(0.5) == 0.5, isinstance(float(Standard(0.5)), Standard)
        (True, False)
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """Unit and range of one number of a material."""

    unit: str
    least: float = 0.0
    most: float = check.LARGEST
    is_open: bool = False  # `least` itself is not allowed


def number(
    standard: float, unit: str, *, least: float = 0.0, most: float = check.LARGEST, is_open: bool = False
) -> Any:
    """Return a dataclass field that is a number with a standard value, a unit and a range."""
    kind = Parameter(unit, least, most, is_open)
    return field(default=Standard(standard), metadata={"parameter": kind})


def parameters(kind: type) -> dict[str, Parameter]:
    """Return the numbers of a material's class by name.

    Example:
        >>> from tribo.materials import Material
        >>> parameters(Material)["density"].unit
        'kg/m³'
    """
    return {item.name: item.metadata["parameter"] for item in fields(kind) if "parameter" in item.metadata}


def check_numbers(item: Any, owner: str) -> None:
    """Check the ranges of all numbers of a frozen dataclass; what is no `Standard` becomes a plain float.

    Raises:
        ValueError: A number is outside its range, or none; the message names owner, parameter and unit.
    """
    for name, kind in parameters(type(item)).items():
        value = getattr(item, name)
        if isinstance(value, Standard):
            continue
        unit = "" if kind.unit == "–" else f" [{kind.unit}]"
        try:
            made = check.number(
                value,
                f"{name}{unit} of {owner}",
                minimum=kind.least,
                exclusive=kind.is_open,
                maximum=kind.most,
            )
        except TypeError as error:
            raise ValueError(str(error)) from None
        object.__setattr__(item, name, made)


def given(item: Any) -> frozenset[str]:
    """Return the names of what somebody gave: numbers that are no `Standard`, the rest if it is not standard.

    Example:
        >>> from tribo.materials import Material
        >>> sorted(given(Material("steel", density=1000.0)))
        ['density']
    """
    known = parameters(type(item))
    return frozenset(
        part.name
        for part in fields(item)
        if part.name != "name"
        and (
            not isinstance(getattr(item, part.name), Standard)
            if part.name in known
            else getattr(item, part.name) != part.default
        )
    )
