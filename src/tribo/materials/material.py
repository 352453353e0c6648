"""One material: what bodies, surfaces and wires are made of (Choreonoid's AGX Dynamics plugin)."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from tribo.checks import check
from tribo.checks.calls import frozen_record
from tribo.materials.pair_properties import DEFAULT_MATERIAL, MAX_FRICTION
from tribo.materials.parameters import Standard, check_numbers, number

logger = logging.getLogger("tribo")
HALF = 0.5 * check.LARGEST  # of what is added up for a pair


@frozen_record
@dataclass(frozen=True, slots=True)
class Material:
    """Bulk, surface and wire parameters of one material.

    Two materials that have no `ContactMaterial` of their own are mixed by six formulas
    (docs/howto/material-files). A parameter that is not given has its standard value, and is known as such:
    a table of pairs says where each number comes from.

    Args:
        name: As shapes and pairs refer to it; "Default" is "default".
        density: > 0 [kg/m³]; mass, centre of mass and inertia of what is made of it.
        youngs_modulus: > 0 [Pa]; two materials are springs in series.
        viscosity: 0…1 [–]; its share of the loss in a bounce, e = √((1 − v₁)(1 − v₂)).
        spook_damping: ≥ 0 [s]; time in which an overlap is undone.
        poisson_ratio: −1…0.5 [–]; no law uses it (deprecated since AGX 2.27). Giving it logs a warning.
        roughness: ≥ 0 [–]; its share of the friction coefficient, μ = √(r₁ r₂).
        surface_viscosity: ≥ 0 [m/(N s)]; its share of the compliance of friction: a held load creeps.
        adhesion_force: ≥ 0 [N]; its share of the largest attraction along the normal.
        adhesive_overlap: ≥ 0 [m]; depth at which contacts with adhesion rest without force. It is not mixed.
        wire_youngs_modulus_stretch: > 0 [Pa] of a wire under tension.
        wire_spook_damping_stretch: ≥ 0 [s] of a wire under tension.
        wire_youngs_modulus_bend: ≥ 0 [Pa] of a wire that bends; 0: it bends freely, like a chain.
        wire_spook_damping_bend: ≥ 0 [s] of a wire that bends.

    Raises:
        ValueError: A value is outside its range; the message names material, parameter, unit and range.

    Example:
        >>> rubber = Material("rubber", density=1100.0, youngs_modulus=5e7, roughness=1.2)
        >>> rubber.density, rubber.viscosity
        (1100.0, 0.5)
    """

    name: str = DEFAULT_MATERIAL
    density: float = number(1000.0, "kg/m³", least=check.SMALLEST)
    youngs_modulus: float = number(4e8, "Pa", least=check.SMALLEST)
    viscosity: float = number(0.5, "–", most=1.0)
    spook_damping: float = number(0.075, "s")
    poisson_ratio: float = number(0.3, "–", least=-1.0, most=0.5)
    roughness: float = number(0.5, "–", most=MAX_FRICTION)
    surface_viscosity: float = number(5e-9, "m/(N s)", most=HALF)
    adhesion_force: float = number(0.0, "N", most=HALF)
    adhesive_overlap: float = number(0.0, "m")
    wire_youngs_modulus_stretch: float = number(6e10, "Pa", is_open=True)
    wire_spook_damping_stretch: float = number(0.075, "s")
    wire_youngs_modulus_bend: float = number(6e10, "Pa")
    wire_spook_damping_bend: float = number(0.075, "s")

    def __post_init__(self) -> None:
        """Check the name and all ranges."""
        object.__setattr__(self, "name", canonical_name(self.name))
        check_numbers(self, f"material {self.name!r}")
        if not isinstance(self.poisson_ratio, Standard):
            logger.warning(
                "poisson_ratio of material %r has no effect: no contact law uses it (deprecated); leave it "
                "out", self.name,
            )  # fmt: skip


def canonical_name(name: object) -> str:
    """Return the name of a material as tables keep it: "Default" and nothing are "default".

    Raises:
        TypeError: It is no text.
    """
    if name in ("", "Default"):
        return DEFAULT_MATERIAL
    return check.name(name, "a material name")
