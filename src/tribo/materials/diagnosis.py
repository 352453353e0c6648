"""Doubts about the values in effect between two materials."""

from __future__ import annotations

from math import sqrt

from tribo.materials.library import EffectivePair

FEWEST_STEPS = 2.0  # [–] time steps that SPOOK damping must last, or an overlap is undone in jumps
RESOLVED = 2.0  # [–] largest ω h at which sweeps feel a contact's compliance
MAX_BINS = 10


def complaints(
    pair: EffectivePair,
    *,
    time_step: float | None = None,
    mass: float | None = None,
    thickness: float | None = None,
) -> list[str]:
    """Return what looks wrong with a pair, one sentence each.

    * SPOOK damping τ < 2 h: an overlap of rigid bodies obeys (1 + 4τ/h) r² + (2 − 4τ/h) r + 1 = 0 from step
      to step, whose roots are complex there: it rings, or throws bodies out.
    * Solver "iterative" with ω h > 2, ω = √(E/m): the compliance 4γ/(E h²) that a row adds to 1/m is then
      less than γ/m, too little for sweeps to converge on it. With an elastic rest length stiffness depends
      on the area, and is not judged.
    * An adhesive overlap that is not thinner than a shape, which would have to sink in entirely to rest.
    * Parameters that have no effect without another one.

    Args:
        pair: Values in effect.
        time_step: h [s]; None: not known, and not judged.
        mass: m [kg] of the lightest body that such a contact carries; None: not judged.
        thickness: [m] of the thinnest shape of these materials; None: not judged.

    Example:
        >>> from tribo.materials import ContactMaterial, MaterialLibrary
        >>> library = MaterialLibrary()
        >>> library.set_pair("a", "b", ContactMaterial(spook_damping=0.001))
        >>> complaints(library.pair("a", "b"), time_step=0.005)[0][:61]
        'a | b: spook_damping 0.001 s is less than two time steps of 0'
    """
    law, found = pair.law, []
    if time_step is not None and law.spook_damping < FEWEST_STEPS * time_step:
        found.append(
            f"spook_damping {law.spook_damping:g} s is less than two time steps of {time_step:g} s: overlaps "
            f"are undone in jumps and ring; take at least {FEWEST_STEPS * time_step:g} s"
        )
    is_iterative = law.solver == "iterative" and law.elastic_rest_length == 0.0
    if time_step is not None and mass is not None and is_iterative:
        rate = sqrt(law.youngs_modulus / mass) * time_step
        if rate > RESOLVED:
            softest = mass * (RESOLVED / time_step) ** 2
            found.append(
                f"youngs_modulus {law.youngs_modulus:g} Pa is too stiff for sweeps alone at {mass:g} kg and "
                f"{time_step:g} s (ω h = {rate:.3g}, more than {RESOLVED:g}): take a solver with direct in "
                f"it, a smaller time step, or at most {softest:.3g} Pa"
            )
    if thickness is not None and law.adhesive_overlap >= thickness > 0.0:
        found.append(
            f"adhesive_overlap {law.adhesive_overlap:g} m is not thinner than the shape ({thickness:g} m): "
            "it comes to rest inside, or passes through"
        )
    found += _without_effect(pair)
    return [f"{pair.first} | {pair.second}: {text}" for text in found]


def _without_effect(pair: EffectivePair) -> list[str]:
    """Return which parameters need another one to act."""
    law, found = pair.law, []
    if law.adhesion_force > 0.0 and law.adhesive_overlap == 0.0:
        found.append(
            "adhesion_force without adhesive_overlap: nothing pulls where surfaces just touch, only across "
            "gaps, up to the length by which the force stretches the spring"
        )
    if law.adhesive_overlap > 0.0 and law.adhesion_force == 0.0:
        found.append("adhesive_overlap without adhesion_force: nothing pulls")
    if law.is_oriented:
        if not any(law.primary_direction):
            found.append(f"friction model {law.model!r} without primaryDirection: nothing to orient")
        if not law.reference_link:
            found.append(
                f"friction model {law.model!r} without referenceLinkName: its direction turns with nothing"
            )
    elif law.secondary_friction >= 0.0:
        found.append(
            f"secondaryFriction has no effect in the friction model {law.model!r}: take an oriented one"
        )
    if law.secondary_surface_viscosity >= 0.0 and not law.has_second_direction:
        found.append(
            "secondarySurfaceViscosity has no effect: it needs secondaryFriction ≥ 0 and an oriented "
            "friction model"
        )
    if law.constant_normal_force is not None and "constant_normal_force" not in law.model:
        found.append(f"constant_normal_force has no effect in the friction model {law.model!r}")
    if law.contact_reduction_bin_resolution > MAX_BINS:
        found.append(
            f"contactReductionBinResolution {law.contact_reduction_bin_resolution} is beyond {MAX_BINS}, "
            "the most that simulators take"
        )
    return found
