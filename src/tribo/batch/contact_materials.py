"""Contact materials of a batch: the numbers of a pair that gives way, world by world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.materials import ContactMaterial
from tribo.materials.parameters import Parameter, parameters
from tribo.model import Pair

COLUMNS = {  # property of `ContactMaterial`: its column
    "youngs_modulus": Pair.YOUNGS_MODULUS,
    "restitution": Pair.RESTITUTION,
    "spook_damping": Pair.SPOOK_DAMPING,
    "friction": Pair.FRICTION,
    "secondary_friction": Pair.SECONDARY_FRICTION,
    "surface_viscosity": Pair.SURFACE_VISCOSITY,
    "secondary_surface_viscosity": Pair.SECONDARY_SURFACE_VISCOSITY,
    "adhesion_force": Pair.ADHESION_FORCE,
    "adhesive_overlap": Pair.ADHESIVE_OVERLAP,
    "constant_normal_force": Pair.NORMAL_FORCE,
    "elastic_rest_length": Pair.ELASTIC_REST_LENGTH,
}
SECONDARY = {
    "secondary_friction": "friction",
    "secondary_surface_viscosity": "surface_viscosity",
}
RANGES = parameters(ContactMaterial) | {"constant_normal_force": Parameter("N")}


def numbers_of(rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the properties of a pair by name, each (worlds,), from its rows of the table."""
    return {name: frozen(rows[:, column].copy()) for name, column in COLUMNS.items()}


def changed(rows: np.ndarray, values: Mapping[str, Any], what: str) -> np.ndarray:
    """Return the rows (n, columns) of a pair with properties set, each a number or (n,).

    Raises:
        TypeError, ValueError: A property is unknown, has a wrong shape or is outside its range.
    """
    made = rows.copy()
    given: dict[str, np.ndarray] = {}
    for name, value in values.items():
        if name not in COLUMNS:
            raise TypeError(
                f"{what} is a contact material, of which a batch has no property {name!r}"
                f"{check.nearest(name, COLUMNS)}"
            )
        numbers = check.array(value, f"{name} of {what}", "numbers")
        if numbers.shape not in ((), (len(rows),)):
            raise ValueError(
                f"{name} of {what} must be a number or have shape ({len(rows)},), got {numbers.shape}"
            )
        _check(name, numbers, what)
        given[name] = np.broadcast_to(numbers, (len(rows),))
        made[:, COLUMNS[name]] = given[name]
    for second, first in SECONDARY.items():
        follows = rows[:, COLUMNS[second]] == rows[:, COLUMNS[first]]
        if second in given:
            follows = given[second] < 0.0
        made[follows, COLUMNS[second]] = made[follows, COLUMNS[first]]
    made[:, Pair.STATIC_FRICTION] = made[:, Pair.FRICTION]
    directed = (rows[:, Pair.DIRECTION : Pair.DIRECTION + 3] != 0.0).any(axis=1)
    for second, first in SECONDARY.items():
        if ((made[:, COLUMNS[second]] != made[:, COLUMNS[first]]) & ~directed).any():
            raise ValueError(
                f"{what}: {second} needs a direction; give the pair one and a primary_direction in "
                "the world, before the batch is made"
            )
    return made


def _check(name: str, numbers: np.ndarray, what: str) -> None:
    """Refuse numbers outside the range of a property."""
    kind = RANGES[name]
    within = (numbers >= kind.least) & (numbers <= kind.most)
    if kind.is_open:
        within &= numbers > kind.least
    if not within.all():
        wrong = float(np.ravel(numbers)[np.flatnonzero(~np.ravel(within))[0]])
        raise ValueError(
            f"{name} of {what} must be {'>' if kind.is_open else '≥'} {kind.least:g} and ≤ {kind.most:g} "
            f"[{kind.unit}], got {wrong:g}"
        )
