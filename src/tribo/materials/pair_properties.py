"""Eleven numbers of a pair of materials that is rigid, or soft ground."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Generic, Literal, TypedDict, TypeVar

from tribo.checks import check
from tribo.checks.calls import frozen_record
from tribo.checks.sealed import Answering
from tribo.checks.types import Vector

DEFAULT_MATERIAL = "default"
MAX_FRICTION = 1e6  # [–] sticks on every slope; beyond it the solve has no digits left for the normal
LENGTHS = ("rolling_length", "spinning_length")
_RIGID_ONLY = ("restitution", "restitution_threshold", "rolling_friction", "spinning_friction", *LENGTHS)
COEFFICIENTS = ("friction", "static_friction", "rolling_friction", "spinning_friction")


@frozen_record
@dataclass(frozen=True, slots=True)
class PairProperties(Answering):
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

    _called: ClassVar[str] = "pair"

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
                most = MAX_FRICTION if item.name in COEFFICIENTS else check.LARGEST
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


LawName = Literal["rigid", "compliant", "ground"]


N = TypeVar("N")


class PairNumbers(TypedDict, Generic[N], total=False):
    """Numbers of a pair of materials, of `PairProperties` or `ContactMaterial`: of one world, or of many."""

    friction: N
    restitution: N
    restitution_threshold: N
    static_friction_velocity: N
    rolling_friction: N
    spinning_friction: N
    damping: N
    rolling_length: N
    spinning_length: N
    youngs_modulus: N
    spook_damping: N
    secondary_friction: N
    surface_viscosity: N
    secondary_surface_viscosity: N
    adhesion_force: N
    adhesive_overlap: N
    elastic_rest_length: N


class PairValues(PairNumbers[float], total=False):
    """Fields of `PairProperties` and of `ContactMaterial`, for ``set_material_pair(a, b, friction=0.8)``.

    `law` names the law that they belong to: a value of another one is then an error.
    """

    law: LawName | None
    static_friction: float | None
    stiffness: float | None
    friction_model: tuple[str, str]
    contact_reduction_mode: str
    contact_reduction_bin_resolution: int
    primary_direction: Vector
    reference_body: str
    reference_link: str
    constant_normal_force: float | None
