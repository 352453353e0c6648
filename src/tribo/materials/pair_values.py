"""The values of a pair of materials by name, as type checkers and editors see them."""

from __future__ import annotations

from typing import Literal, TypedDict

from tribo.checks.types import Vector

LawName = Literal["rigid", "compliant", "ground"]


class PairValues(TypedDict, total=False):
    """Fields of `PairProperties` and of `ContactMaterial`, for ``set_material_pair(a, b, friction=0.8)``.

    `law` names the law that they belong to: a value of another one is then an error.
    """

    law: LawName | None
    friction: float
    restitution: float
    restitution_threshold: float
    static_friction: float | None
    static_friction_velocity: float
    rolling_friction: float
    spinning_friction: float
    stiffness: float | None
    damping: float
    rolling_length: float
    spinning_length: float
    youngs_modulus: float
    spook_damping: float
    secondary_friction: float
    surface_viscosity: float
    secondary_surface_viscosity: float
    adhesion_force: float
    adhesive_overlap: float
    friction_model: tuple[str, str]
    contact_reduction_mode: str
    contact_reduction_bin_resolution: int
    primary_direction: Vector
    reference_body: str
    reference_link: str
    constant_normal_force: float | None
    elastic_rest_length: float
