"""The compliant law of one pair of materials: all its parameters, and the words of its friction model."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import hypot

from tribo.checks import check
from tribo.checks.calls import frozen_record
from tribo.materials.pair_properties import MAX_FRICTION, PairProperties
from tribo.materials.parameters import check_numbers, number

DEFAULT = "default"
FRICTION_MODELS = (
    DEFAULT, "iterative", "box", "scaled_box", "oriented_box", "oriented_scaled_box",
    "constant_normal_force_oriented_box", "oriented_iterative",
)  # fmt: skip
SOLVERS = (DEFAULT, "split", "direct", "iterative", "direct_and_iterative")
REDUCTIONS = (DEFAULT, "reduce_geometry", "reduce_all", "reduce_none")
OLDER_WORDS = {  # of models, solvers and reductions in older files
    "cone": "iterative",
    "scaledBox": "scaled_box",
    "orientedBox": "constant_normal_force_oriented_box",
    "directAndIterative": "direct_and_iterative",
    "reduceGeometry": "reduce_geometry",
    "reduceALL": "reduce_all",
    "reduceNone": "reduce_none",
}
MAX_BINS = 255


@frozen_record
@dataclass(frozen=True, slots=True)
class ContactMaterial:
    """How two materials interact where they give way: stiffness, bounce, friction, adhesion.

    It stands for the pair as it is: nothing of the two materials is mixed in, and what is not given has its
    standard value. In a world it is the law of the pair (docs/physics/compliant-materials); `rigid` gives
    what of it a rigid pair has.

    Args:
        youngs_modulus: > 0 [Pa] of both materials in series.
        restitution: 0…1 [–]; 0: no bounce.
        spook_damping: ≥ 0 [s]; time in which an overlap is undone.
        friction: ≥ 0 [–]; one coefficient for rest and motion.
        secondary_friction: ≥ 0 [–] along the second direction of an oriented model; < 0, and in all other
            models: `friction`.
        surface_viscosity: ≥ 0 [m/(N s)]; a held load F creeps at this times F.
        secondary_surface_viscosity: ≥ 0 [m/(N s)] along the second direction, where `secondary_friction`
            acts; < 0, and else: `surface_viscosity`.
        adhesion_force: ≥ 0 [N]; largest attraction along the normal.
        adhesive_overlap: ≥ 0 [m]; depth at which the contact rests without force.
        friction_model: Two words, model and solver. Models: "default" (iterative), "iterative", "box",
            "scaled_box", "oriented_box", "oriented_scaled_box", "constant_normal_force_oriented_box",
            "oriented_iterative". Solvers: "default" (split), "split", "direct", "iterative",
            "direct_and_iterative". Older words ("cone", "orientedBox" …) are translated.
        contact_reduction_mode: "default" (reduce_geometry), "reduce_geometry", "reduce_all", "reduce_none".
        contact_reduction_bin_resolution: 0…255 [–]; more bins keep more points; 0: 3.
        primary_direction: (3,) first direction of friction in the frame of the reference link, any length;
            (0, 0, 0): none.
        reference_body, reference_link: Names of body and link with which that direction turns.
        constant_normal_force: ≥ 0 [N] of each point in the model of that name; None: half the weight of the
            reference body, which must then be named.
        elastic_rest_length: ≥ 0 [m] thickness ℓ of the layer that gives way, k = E A/ℓ by the area A of a
            patch; 0: each point has k = E.

    Raises:
        ValueError: A value is outside its range, or a word is unknown; the message names and proposes.

    Example:
        >>> ice = ContactMaterial(friction=0.02, friction_model=("scaled_box", "direct"))
        >>> ice.friction_model, ice.spook_damping
        (('scaled_box', 'direct'), 0.075)
        >>> ContactMaterial(friction=0.3).rigid().friction
        0.3
    """

    youngs_modulus: float = number(2e8, "Pa", is_open=True)
    restitution: float = number(0.0, "–", most=1.0)
    spook_damping: float = number(0.075, "s")
    friction: float = number(0.5, "–", most=MAX_FRICTION)
    secondary_friction: float = number(-1.0, "–", least=-check.LARGEST, most=MAX_FRICTION)
    surface_viscosity: float = number(1e-8, "m/(N s)")
    secondary_surface_viscosity: float = number(-1.0, "m/(N s)", least=-check.LARGEST)
    adhesion_force: float = number(0.0, "N")
    adhesive_overlap: float = number(0.0, "m")
    friction_model: tuple[str, str] = (DEFAULT, DEFAULT)
    contact_reduction_mode: str = DEFAULT
    contact_reduction_bin_resolution: int = 0
    primary_direction: tuple[float, ...] = (0.0, 0.0, 0.0)
    reference_body: str = ""
    reference_link: str = ""
    constant_normal_force: float | None = None
    elastic_rest_length: float = number(0.0, "m")

    def __post_init__(self) -> None:
        """Check ranges and words; directions become unit vectors."""
        check_numbers(self, "a contact material")
        object.__setattr__(self, "friction_model", friction_model(self.friction_model))
        object.__setattr__(self, "contact_reduction_mode", reduction_mode(self.contact_reduction_mode))
        try:
            bins = check.integer(self.contact_reduction_bin_resolution, "contact_reduction_bin_resolution", 0)
            for name in ("reference_body", "reference_link"):
                if getattr(self, name) != "":
                    check.name(getattr(self, name), name)
            if self.constant_normal_force is not None:
                force = check.number(self.constant_normal_force, "constant_normal_force [N]", minimum=0.0)
                object.__setattr__(self, "constant_normal_force", force)
            direction = check.vector(self.primary_direction, "primary_direction", 3)
        except TypeError as error:
            raise ValueError(str(error)) from None
        if bins > MAX_BINS:
            raise ValueError(f"contact_reduction_bin_resolution must be ≤ {MAX_BINS}, got {bins!r}; 0 is 3")
        is_constant = self.model == "constant_normal_force_oriented_box"
        if is_constant and self.constant_normal_force is None and not self.reference_body:
            raise ValueError(
                "the friction model 'constant_normal_force_oriented_box' needs constant_normal_force [N] "
                "(constantNormalForce in files), or reference_body (referenceBodyName), half of whose weight "
                "is then taken: without both there is no friction"
            )
        length = hypot(*direction.tolist())  # of 1e-300 a sum of squares is 0
        if 0.0 < length < check.SMALLEST:
            raise ValueError(
                f"primary_direction must have a length, got {direction.tolist()}; leave it out for none"
            )
        unit = direction / length if length > 0.0 else direction
        object.__setattr__(self, "primary_direction", tuple(unit.tolist()))

    @property
    def model(self) -> str:
        """Friction model in use: "default" is "iterative", a cone."""
        return "iterative" if self.friction_model[0] == DEFAULT else self.friction_model[0]

    @property
    def solver(self) -> str:
        """Solver in use: "default" is "split"."""
        return "split" if self.friction_model[1] == DEFAULT else self.friction_model[1]

    @property
    def reduction(self) -> str:
        """Contact reduction in use: "default" is "reduce_geometry"."""
        return "reduce_geometry" if self.contact_reduction_mode == DEFAULT else self.contact_reduction_mode

    @property
    def is_oriented(self) -> bool:
        """Whether its friction has a first direction that turns with a link."""
        return "oriented" in self.model

    @property
    def has_second_direction(self) -> bool:
        """Whether the secondary values act: in an oriented model with a secondary friction."""
        return self.is_oriented and self.secondary_friction >= 0.0

    @property
    def friction_along(self) -> tuple[float, float]:
        """Coefficients along the first and the second direction [–]."""
        second = self.secondary_friction if self.has_second_direction else self.friction
        return float(self.friction), float(second)

    @property
    def surface_viscosity_along(self) -> tuple[float, float]:
        """Surface viscosities along the first and the second direction [m/(N s)]."""
        second = self.secondary_surface_viscosity
        if not self.has_second_direction or second < 0.0:
            second = self.surface_viscosity
        return float(self.surface_viscosity), float(second)

    def rigid(self) -> PairProperties:
        """Return the rigid pair that it becomes as stiffness grows without end and creep goes to zero.

        Friction and restitution are taken over as they are. Young's modulus, SPOOK damping, surface
        viscosities, solver and contact reduction are left out: a rigid pair does not give way, its overlaps
        are undone by ``world.erp``, its friction does not creep, all its rows are solved exactly.

        Raises:
            ValueError: It has adhesion, friction of two directions or a friction model that is no cone: a
                rigid pair has none of these; the message names them.
        """
        lacking = []
        if self.adhesion_force > 0.0:
            lacking.append(f"adhesion_force={self.adhesion_force:g} N")
        if self.adhesive_overlap > 0.0:
            lacking.append(f"adhesive_overlap={self.adhesive_overlap:g} m")
        if self.model not in {"iterative", "oriented_iterative"}:
            lacking.append(f"friction model {self.model!r} (no cone)")
        first, second = self.friction_along
        if first != second:
            lacking.append(f"secondary_friction={second:g}")
        if lacking:
            raise ValueError(
                f"a rigid pair has no {', no '.join(lacking)}; leave these out, or take the contact "
                "material as it is"
            )
        return PairProperties(friction=float(self.friction), restitution=float(self.restitution))


def friction_model(words: object) -> tuple[str, str]:
    """Return model and solver in today's words.

    Raises:
        ValueError: They are not two known words; the message proposes the nearest.
    """
    if not isinstance(words, (tuple, list)) or len(words) != 2:
        raise ValueError(
            f"friction_model must be two words, model and solver, such as ('box', 'direct'), got "
            f"{check.shown(words)}"
        )
    return (
        _word(words[0], FRICTION_MODELS, "the model in friction_model"),
        _word(words[1], SOLVERS, "the solver in friction_model"),
    )


def reduction_mode(word: object) -> str:
    """Return a contact reduction mode in today's words; errors as `friction_model`."""
    return _word(word, REDUCTIONS, "contact_reduction_mode")


def _word(word: object, known: tuple[str, ...], what: str) -> str:
    if isinstance(word, str):
        word = OLDER_WORDS.get(word, word)
    try:
        return check.choice(word, known, what)
    except TypeError as error:
        raise ValueError(str(error)) from None


NAMES = tuple(item.name for item in fields(ContactMaterial))
