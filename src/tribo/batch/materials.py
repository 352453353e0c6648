"""Material pairs of a batch: every world may have numbers of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any, Unpack

import numpy as np

from tribo.batch.owner import BatchOwner
from tribo.batch.values import BatchPairNumbers
from tribo.checks import check
from tribo.checks.readonly import frozen
from tribo.engine.builder import adhesive_reach
from tribo.materials import ContactMaterial, PairProperties
from tribo.materials.pair_properties import COEFFICIENTS, MAX_FRICTION
from tribo.materials.parameters import Parameter, parameters
from tribo.model import Pair

NAMES = tuple(item.name for item in fields(PairProperties))  # columns of the table, see `Pair`

STIFFNESS = NAMES.index("stiffness")
MOST = np.array([MAX_FRICTION if name in COEFFICIENTS else check.LARGEST for name in NAMES])
MOST[NAMES.index("restitution")] = 1.0


def are_possible(rows: np.ndarray) -> np.ndarray:
    """Tell which rigid pairs (n, 11) `PairProperties` takes, (n,); compliant ones are left to itself."""
    friction, at_rest, speed, damping = (
        rows[:, NAMES.index(name)]
        for name in ("friction", "static_friction", "static_friction_velocity", "damping")
    )
    within = ((rows >= 0.0) & (rows <= MOST)).all(axis=1)
    is_rigid = (rows[:, STIFFNESS] == 0.0) & (damping == 0.0)
    return np.asarray(within & is_rigid & (at_rest >= friction) & (speed > 0.0))


def is_contact_material(rows: np.ndarray) -> bool:
    """Tell whether a pair gives way, from its rows of the table; it does so in all worlds or in none."""
    return bool((rows[:, Pair.YOUNGS_MODULUS] > 0.0).any())


class BatchMaterials:
    """The part of a batch that says how materials interact."""

    def __init__(self, batch: BatchOwner) -> None:
        self._batch = batch

    def material_pair(self, first: str, second: str) -> dict[str, np.ndarray]:
        """Return the properties in use between two materials, first and second, each (worlds,), by name.

        They are those of `PairProperties`, with its units [–, m/s, N/m^1.5, m]; stiffness 0 is a rigid pair.
        Of a contact material they are the numbers of `ContactMaterial`; secondary ones that were never set
        are those of the first direction.

        Raises:
            KeyError: A material does not exist; the message proposes the nearest name.
        """
        rows = self._rows(first, second)
        columns = COLUMNS if is_contact_material(rows) else {name: k for k, name in enumerate(NAMES)}
        return {name: frozen(rows[:, column].copy()) for name, column in columns.items()}

    def set_material_pair(
        self, /, first: str, second: str, *, worlds: Any = slice(None), **values: Unpack[BatchPairNumbers]
    ) -> None:
        """Set properties of two materials, world by world; the order of the names does not matter.

        Properties that are not given stay; `World.set_material_pair` gives them their standard values.

        Args:
            first, second: Names of materials that the world had when the batch was made.
            worlds: Index, slice or mask of the worlds that are set; the others stay, and cost nothing.
            values: Properties by name, each a number or one for each of the n worlds, (n,): those of
                `PairProperties`, or of a contact material the numbers of `ContactMaterial`;
                static_friction, or secondary_friction that was never set, follows friction.

        Raises:
            KeyError: A material does not exist; the message proposes the nearest name.
            TypeError, ValueError: A property is unknown, has a wrong shape or is outside its range, or a
                rigid pair would become compliant, or the other way round; nothing is changed.

        Example:
            >>> import numpy as np, tribo
            >>> world = tribo.World()
            >>> ground = world.add_ground(material="floor")
            >>> box = world.add_box((1, 1, 1), 1.0, "wood", position=(0, 0, 0.5), name="box")
            >>> batch = tribo.Batch(world, 3, threads=1)
            >>> batch.set_material_pair("floor", "wood", friction=[0.2, 0.4, 0.8])
            >>> batch.set_material_pair("floor", "wood", worlds=1, friction=0.5)
            >>> batch.material_pair("wood", "floor")["friction"].tolist()
            [0.2, 0.5, 0.8]
        """
        self._batch.check_idle("a material pair")
        what = f"material pair {first!r}, {second!r}"
        chosen = self._batch.chosen_worlds(worlds).ravel()
        in_all = self._rows(first, second)
        rows = in_all[chosen]
        if is_contact_material(in_all):
            self._write(first, second, chosen, contact_rows(rows, values, what))
            self._write_reach()
            return
        before = rows[:, : len(NAMES)]
        row = before.copy()
        for name, numbers in given(values, NAMES, "unknown pair property", len(rows), what).items():
            row[:, NAMES.index(name)] = numbers
        if "friction" in values and "static_friction" not in values:
            row[:, NAMES.index("static_friction")] = row[:, NAMES.index("friction")]
        changed = (row != before).any(axis=1)  # what stays was checked before
        for k in np.flatnonzero(changed & ~are_possible(row)):
            self._check(row[k], f"{what} of world {chosen[k]}")
        if ((row[:, STIFFNESS] > 0.0) != (before[:, STIFFNESS] > 0.0)).any():
            raise ValueError(
                f"{what}: whether it is compliant is the same in all worlds; set its stiffness in the "
                "world, before the batch is made"
            )
        self._write(first, second, chosen, row)

    def _write(self, first: str, second: str, chosen: np.ndarray, row: np.ndarray) -> None:
        """Write the first columns of a pair, (n, columns), in n worlds."""
        self._batch.engine.own("pair_table")
        table = self._batch.engine.model.arrays["pair_table"]
        i, j = self._batch.material_names.index(first), self._batch.material_names.index(second)
        columns = row.shape[1]
        table[chosen, i, j, :columns] = table[chosen, j, i, :columns] = row

    def _write_reach(self) -> None:
        """Write the gaps across which bodies may adhere, if they are others now."""
        engine = self._batch.engine
        reach = adhesive_reach(engine.model, engine.model.arrays["pair_table"])
        if (reach != engine.model.arrays["body_adhesive_reach"]).any():
            engine.own("body_adhesive_reach")
            engine.model.arrays["body_adhesive_reach"][:] = reach

    def _rows(self, first: str, second: str) -> np.ndarray:
        """Return the columns of a pair in all worlds, (worlds, columns)."""
        for name in (first, second):
            check.known(name, self._batch.material_names, "material")
        table = self._batch.engine.model.arrays["pair_table"]
        found = table[:, self._batch.material_names.index(first), self._batch.material_names.index(second)]
        return np.broadcast_to(found, (len(self._batch), found.shape[-1]))

    @staticmethod
    def _check(numbers: np.ndarray, what: str) -> None:
        """Refuse properties that no pair can have."""
        given: dict[str, Any] = dict(zip(NAMES, numbers.tolist(), strict=True))
        if given["stiffness"] == 0.0:
            given["stiffness"] = None
        try:
            PairProperties(**given)
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None


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
SECONDARY = {"secondary_friction": "friction", "secondary_surface_viscosity": "surface_viscosity"}
RANGES = parameters(ContactMaterial) | {"constant_normal_force": Parameter("N")}


def contact_rows(rows: np.ndarray, values: Mapping[str, Any], what: str) -> np.ndarray:
    """Return the rows (n, columns) of a pair with properties set, each a number or (n,).

    Raises:
        TypeError, ValueError: A property is unknown, has a wrong shape or is outside its range.
    """
    made = rows.copy()
    unknown = f"{what} is a contact material, of which a batch has no property"
    found = given(values, COLUMNS, unknown, len(rows), what)
    for name, numbers in found.items():
        _check_number(name, numbers, what)
        made[:, COLUMNS[name]] = numbers
    for second, first in SECONDARY.items():
        follows = rows[:, COLUMNS[second]] == rows[:, COLUMNS[first]]
        if second in found:
            follows = found[second] < 0.0
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


def given(
    values: Mapping[str, Any], known: Collection[str], unknown: str, count: int, what: str
) -> dict[str, np.ndarray]:
    """Return the numbers that are given of a pair by property, each (count,); `unknown`: said of another one.

    Raises:
        TypeError, ValueError: A property is not known, or has a wrong shape.
    """
    made: dict[str, np.ndarray] = {}
    for name, value in values.items():
        if name not in known:
            raise TypeError(f"{unknown} {name!r}{check.nearest(name, known)}")
        made[name] = check.for_each(value, f"{name} of {what}", count)
    return made


def _check_number(name: str, numbers: np.ndarray, what: str) -> None:
    """Refuse numbers outside the range of a property."""
    kind = RANGES[name]
    within = (numbers >= kind.least) & (numbers <= kind.most)
    if kind.is_open:
        within &= numbers > kind.least
    if not within.all():
        wrong = float(numbers[~within][0])
        raise ValueError(
            f"{name} of {what} must be {'>' if kind.is_open else '≥'} {kind.least:g} and ≤ {kind.most:g} "
            f"[{kind.unit}], got {wrong:g}"
        )
