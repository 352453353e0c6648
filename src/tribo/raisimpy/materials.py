"""Materials by pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import tribo
from tribo.checks import check
from tribo.raisimpy.arguments import picked
from tribo.raisimpy.spelling import Dialects, Wrapper, means, remark

SMALLEST_SPEED = 1e-9  # [m/s] stands for a static-friction speed of 0: static friction at rest only
_NAMES = (
    "friction", "restitution", "restitution_threshold", "static_friction",
    "static_friction_velocity", "rolling_friction", "spinning_friction",
)  # fmt: skip


def law(*numbers: float) -> tribo.PairProperties:
    """Return ``tribo.PairProperties`` of 3, 5 or 7 numbers in RaiSim's order.

    Example:
        >>> law(0.8, 0.15, 0.001).restitution
        0.15
        >>> law(0.8, 0, 0, 0.95, 0.0).static_friction_velocity
        1e-09
    """
    if len(numbers) not in {1, 2, 3, 5, 7}:
        raise TypeError(
            f"a material pair takes 1, 2, 3, 5 or 7 numbers (μ, c_r, r_th, [μ_s, v_s, [μ_r, μ_spin]]), "
            f"got {len(numbers)}"
        )
    values = dict(zip(_NAMES, numbers, strict=False))
    for name in ("restitution", "static_friction_velocity"):
        check.number(values.get(name, 0.0), name)
    if values.get("static_friction_velocity", 1.0) == 0.0:
        values["static_friction_velocity"] = SMALLEST_SPEED
    if values.get("restitution", 0.0) > 1.0:
        remark(f"restitution {values['restitution']:g} would give energy; tribo takes 1")
        values["restitution"] = 1.0
    return tribo.PairProperties(**values)


@dataclass
class MaterialPairProperties(Dialects):
    """Numbers of a pair under RaiSim's names."""

    c_f: float = 0.8
    c_r: float = 0.0
    r_th: float = 0.0
    c_static_f: float = 0.8
    v_static_speed: float = 1e-3
    c_rolling_f: float = 0.0
    c_spinning_f: float = 0.0

    @property
    def v_static_speed_inv(self) -> float:
        """``1 / static_friction_velocity``"""
        return 1.0 / self.v_static_speed if self.v_static_speed else math.inf

    @classmethod
    def of(cls, pair: Any) -> MaterialPairProperties:
        """Return the numbers of ``tribo.PairProperties``."""
        return cls(*(getattr(pair, name, 0.0) for name in _NAMES))

    def law(self) -> tribo.PairProperties:
        """Return ``tribo.PairProperties``."""
        return law(self.c_f, self.c_r, self.r_th, self.c_static_f, self.v_static_speed,
                   self.c_rolling_f, self.c_spinning_f)  # fmt: skip


class MaterialManager(Wrapper):
    """Properties of material pairs, of a world or alone, also from an XML file.

    Example:
        >>> manager = MaterialManager()
        >>> manager.setMaterialPairProp("steel", "rubber", 0.9, 0.2, 0.01)
        >>> manager.getMaterialPairProp("rubber", "steel").c_f
        0.9
    """

    _old: ClassVar[dict[str, str]] = {
        "set_material_pair_properties": "setMaterialPairProp",
        "get_material_pair_properties": "getMaterialPairProp",
    }

    def __init__(self, xmlFile: Any = None) -> None:
        """Start with no pair, with those of an XML file, or with those of a table of tribo."""
        is_table = isinstance(xmlFile, tribo.MaterialTable)
        super().__init__(xmlFile if is_table else tribo.MaterialTable())
        if xmlFile is not None and not is_table:
            from tribo.formats import material_files

            material_files.fill_table(self._it, xmlFile, rigid=False)

    def _name(self, key: Any) -> str:
        return key if isinstance(key, str) else picked(self._it.names, key, "material")

    def setMaterialPairProp(self, material1: Any, material2: Any, *numbers: float) -> None:
        """``world.set_material_pair(a, b, friction=…, …)``"""
        self._it.set_pair(self._name(material1), self._name(material2), law(*numbers))

    def getMaterialPairProp(self, material1: Any, material2: Any) -> MaterialPairProperties:
        """``world.materials.pair(a, b)``"""
        return MaterialPairProperties.of(self._it.pair(self._name(material1), self._name(material2)))

    def setDefaultMaterialProperties(self, *numbers: float) -> None:
        """``world.default_pair = tribo.PairProperties(…)``"""
        self._it.default = law(*numbers)

    def getMaterialIdOrDefault(self, name: Any) -> int:
        """``world.material_names.index(name)``"""
        names = self._it.names
        return names.index(name) if isinstance(name, str) and name in names else 0

    getDefaultMaterialId = means('``world.material_names.index("default")``', lambda self: 0)

    @property
    def materialKeys_(self) -> dict[str, int]:
        """``world.material_names``"""
        return {name: k for k, name in enumerate(self._it.names)}

    @property
    def materials_(self) -> dict[tuple[int, int], MaterialPairProperties]:
        """``world.materials``: keys are two numbers of materials"""
        keys = self.materialKeys_
        return {(keys[a], keys[b]): MaterialPairProperties.of(pair) for a, b, pair in self._it}

    @property
    def defaultMaterial_(self) -> MaterialPairProperties:
        """``world.default_pair``"""
        return MaterialPairProperties.of(self._it.default)

    @property
    def nextMaterialIdx_(self) -> int:
        """``len(world.material_names)``"""
        return len(self._it.names)
