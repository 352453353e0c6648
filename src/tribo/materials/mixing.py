"""Six formulas that mix two materials whose pair has no contact material."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

from tribo.materials.contact_material import ContactMaterial
from tribo.materials.material import Material
from tribo.materials.parameters import given

Mix = Callable[[float, float], float]
# Value of the pair → formula as text, parameter of the materials, function of both.
FORMULAS: dict[str, tuple[str, str, Mix]] = {
    "youngs_modulus": ("E₁E₂/(E₁ + E₂)", "youngs_modulus", lambda a, b: a * b / (a + b)),
    "restitution": ("√((1 − v₁)(1 − v₂))", "viscosity", lambda a, b: sqrt((1.0 - a) * (1.0 - b))),
    "spook_damping": ("max(τ₁, τ₂)", "spook_damping", max),
    "friction": ("√(r₁ r₂)", "roughness", lambda a, b: sqrt(a * b)),
    "surface_viscosity": ("c₁ + c₂", "surface_viscosity", lambda a, b: a + b),
    "adhesion_force": ("F₁ + F₂", "adhesion_force", lambda a, b: a + b),
}


def mixed(first: Material, second: Material) -> ContactMaterial:
    """Return what two materials do to each other when nobody says so; their order does not matter.

    E = E₁E₂/(E₁ + E₂), e = √((1 − v₁)(1 − v₂)), τ = max(τ₁, τ₂), μ = √(r₁ r₂), surface viscosity and
    adhesion force are sums; all other parameters have their standard values.

    Args:
        first, second: Materials; their viscosity v and roughness r are those of the formulas.

    Source: Choreonoid's manual, AGX Dynamics plugin, "When ContactMaterial is not defined".

    Example:
        >>> mixed(Material(roughness=0.25), Material(roughness=1.0)).friction
        0.5
        >>> mixed(Material(), Material()).youngs_modulus
        200000000.0
    """
    values: dict[str, Any] = {}
    for name, (_, source, formula) in FORMULAS.items():
        values[name] = float(formula(getattr(first, source), getattr(second, source)))
    return ContactMaterial(**values)


def origin_of(name: str, first: Material, second: Material) -> str:
    """Return formula and terms of a mixed value as text.

    Example:
        >>> origin_of("friction", Material("steel", roughness=0.3), Material("ice"))
        '√(r₁ r₂) of roughness: steel 0.3, ice 0.5 (standard)'
    """
    text, source, _ = FORMULAS[name]
    terms = []
    for one in (first, second):
        note = "" if source in given(one) else " (standard)"
        terms.append(f"{one.name} {getattr(one, source):g}{note}")
    return f"{text} of {source}: {', '.join(terms)}"
