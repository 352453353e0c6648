"""Each row of the parameter tables of Choreonoid's AGX Dynamics plugin: value, default, unit, key, mixing.

The rows are typed out from the manual here, so that no test takes its expectation from the code it tests.
"""

import logging
import math

import pytest

from tribo.formats.material_files import read_materials
from tribo.materials import ContactMaterial, Material, MaterialLibrary
from tribo.materials.parameters import parameters

# Key in the manual → parameter, default, unit, a value that it may have, the nearest that it may not.
MATERIAL_ROWS = {
    "density": ("density", 1000.0, "kg/m³", 7850.0, 0.0),
    "youngsModulus": ("youngs_modulus", 4.0e8, "Pa", 1e10, 0.0),
    "viscosity": ("viscosity", 0.5, "–", 0.36, 1.01),
    "spookDamping": ("spook_damping", 0.075, "s", 0.02, -0.01),
    "poissonRatio": ("poisson_ratio", 0.3, "–", 0.2, 0.51),
    "roughness": ("roughness", 0.5, "–", 0.9, -0.1),
    "surfaceViscosity": ("surface_viscosity", 5e-09, "m/(N s)", 1e-3, -1e-9),
    "adhesionForce": ("adhesion_force", 0.0, "N", 100.0, -1.0),
    "adhesivOverlap": ("adhesive_overlap", 0.0, "m", 0.2, -0.1),
    "wireYoungsModulusStretch": ("wire_youngs_modulus_stretch", 6e10, "Pa", 1e9, 0.0),
    "wireSpookDampingStretch": ("wire_spook_damping_stretch", 0.075, "s", 0.1, -0.1),
    "wireYoungsModulusBend": ("wire_youngs_modulus_bend", 6e10, "Pa", 0.0, -1.0),
    "wireSpookDampingBend": ("wire_spook_damping_bend", 0.075, "s", 0.1, -0.1),
}
CONTACT_ROWS = {
    "youngsModulus": ("youngs_modulus", 2.0e8, "Pa", 1e5, 0.0),
    "restitution": ("restitution", 0.0, "–", 1.0, 1.01),
    "spookDamping": ("spook_damping", 0.075, "s", 0.08, -0.01),
    "friction": ("friction", 0.5, "–", 0.416667, -0.1),
    "secondaryFriction": ("secondary_friction", -1.0, "–", 0.25, 2e6),
    "surfaceViscosity": ("surface_viscosity", 1.0e-8, "m/(N s)", 1e-5, -1e-9),
    "secondarySurfaceViscosity": ("secondary_surface_viscosity", -1.0, "m/(N s)", 1e-6, 2e15),
    "adhesionForce": ("adhesion_force", 0.0, "N", 100.0, -1.0),
    "adhesivOverlap": ("adhesive_overlap", 0.0, "m", 0.2, -0.1),
}
# Words and places of the second table: default, a value in the manual's spelling, what it is here.
OTHER_ROWS = {
    "frictionModel": ("friction_model", ("default", "default"), "[ box, direct ]", ("box", "direct")),
    "contactReductionMode": ("contact_reduction_mode", "default", "reduceALL", "reduce_all"),
    "contactReductionBinResolution": ("contact_reduction_bin_resolution", 0, "3", 3),
    "primaryDirection": ("primary_direction", (0.0, 0.0, 0.0), "[ 0, 2, 0 ]", (0.0, 1.0, 0.0)),
    "referenceBodyName": ("reference_body", "", "crawler", "crawler"),
    "referenceLinkName": ("reference_link", "", "TRACK_L", "TRACK_L"),
}
SNAKE = {"adhesivOverlap": "adhesiv_overlap"}


def snake(key):
    text = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    return SNAKE.get(key, text)


def read_one(key, value, *, contact):
    """Return the law or material of a file with one key."""
    if contact:
        text = f"contactMaterials:\n  - {{ materials: [ a, a ], {key}: {value} }}\n"
        library = read_materials("materials: [ { name: a } ]\n" + text)
        return library.pair("a", "a"), library
    library = read_materials(f"materials:\n  - {{ name: a, {key}: {value} }}\n")
    return library.material("a"), library


@pytest.mark.parametrize("key", MATERIAL_ROWS)
def test_material_row(key, caplog):
    name, default, unit, value, wrong = MATERIAL_ROWS[key]
    assert getattr(Material(), name) == default
    assert parameters(Material)[name].unit == unit
    with caplog.at_level(logging.ERROR, "tribo"):  # the ratio warns, see below
        assert getattr(Material(**{name: value}), name) == value
    with pytest.raises(ValueError, match=rf"^{name}( \[.*\])? of material 'a' must be"):
        Material("a", **{name: wrong})
    if key == "poissonRatio":
        return
    for spelling in (key, snake(key)):
        for written in (repr(value), f"{value:e}", f"'{value!r}'"):
            material, library = read_one(spelling, written, contact=False)
            assert getattr(material, name) == value
            assert library.notes == ()


def test_material_row_poisson_ratio_has_no_effect_and_says_so(caplog):
    assert Material("a").poisson_ratio == 0.3
    assert not caplog.records
    Material("a", poisson_ratio=0.2)
    assert "poisson_ratio of material 'a' has no effect" in caplog.text
    material, library = read_one("poissonRatio", "0.2", contact=False)
    assert material == Material("a")
    assert len(library.doubts) == 1
    assert ":2:30: poissonRatio of material 'a' has no effect" in library.doubts[0]


@pytest.mark.parametrize("key", CONTACT_ROWS)
def test_contact_material_row(key):
    name, default, unit, value, wrong = CONTACT_ROWS[key]
    assert getattr(ContactMaterial(), name) == default
    assert parameters(ContactMaterial)[name].unit == unit
    assert getattr(ContactMaterial(**{name: value}), name) == value
    with pytest.raises(ValueError, match=rf"^{name}( \[.*\])? of a contact material must be"):
        ContactMaterial(**{name: wrong})
    for spelling in (key, snake(key)):
        pair, library = read_one(spelling, f"{value:e}", contact=True)
        assert getattr(pair.law, name) == pytest.approx(value, rel=1e-6)
        assert pair.origin[name] == "explicit"
        assert [o for n, o in pair.origin.items() if n != name] == ["default"] * 16
        assert library.notes == ()


@pytest.mark.parametrize("key", OTHER_ROWS)
def test_contact_material_row_of_words(key):
    name, default, written, expected = OTHER_ROWS[key]
    assert getattr(ContactMaterial(), name) == default
    for spelling in (key, snake(key)):
        pair, library = read_one(spelling, written, contact=True)
        assert getattr(pair.law, name) == expected
        assert pair.origin[name] == "explicit"
        assert library.notes == ()


MODELS = {  # word in a file → model in use
    "default": "iterative", "iterative": "iterative", "box": "box", "scaled_box": "scaled_box",
    "oriented_box": "oriented_box", "oriented_scaled_box": "oriented_scaled_box",
    "constant_normal_force_oriented_box": "constant_normal_force_oriented_box",
    "oriented_iterative": "oriented_iterative",
    # Of Choreonoid 1.7: cone was today's iterative, orientedBox today's constant normal force.
    "cone": "iterative", "scaledBox": "scaled_box", "orientedBox": "constant_normal_force_oriented_box",
}  # fmt: skip
SOLVERS = {
    "default": "split", "split": "split", "direct": "direct", "iterative": "iterative",
    "direct_and_iterative": "direct_and_iterative", "directAndIterative": "direct_and_iterative",
}  # fmt: skip
REDUCTIONS = {
    "default": "reduce_geometry", "reduceGeometry": "reduce_geometry", "reduceALL": "reduce_all",
    "reduceNone": "reduce_none", "reduce_geometry": "reduce_geometry", "reduce_all": "reduce_all",
    "reduce_none": "reduce_none",
}  # fmt: skip


@pytest.mark.parametrize("word", MODELS)
def test_friction_model_words(word):
    more = ", constantNormalForce: 1" if "constant" in MODELS[word] else ""
    pair, library = read_one("frictionModel", f"[ {word}, direct ]{more}", contact=True)
    assert (pair.law.model, pair.law.solver) == (MODELS[word], "direct")
    assert pair.law.is_oriented == ("oriented" in MODELS[word])
    assert library.notes == ()


@pytest.mark.parametrize("word", SOLVERS)
def test_friction_solver_words(word):
    pair, library = read_one("frictionModel", f"[ box, {word} ]", contact=True)
    assert (pair.law.model, pair.law.solver) == ("box", SOLVERS[word])
    assert library.notes == ()


@pytest.mark.parametrize("word", REDUCTIONS)
def test_contact_reduction_words(word):
    pair, library = read_one("contactReductionMode", word, contact=True)
    assert pair.law.reduction == REDUCTIONS[word]
    assert library.notes == ()


def test_secondary_values_are_those_of_the_first_direction_until_they_are_given():
    law = ContactMaterial(friction=0.4, surface_viscosity=1e-6)
    assert (law.friction_along, law.surface_viscosity_along) == ((0.4, 0.4), (1e-6, 1e-6))
    given = {"friction": 0.4, "secondary_friction": 0.0, "secondary_surface_viscosity": 0.0}
    law = ContactMaterial(**given, friction_model=("oriented_iterative", "split"))
    assert (law.friction_along, law.surface_viscosity_along) == ((0.4, 0.0), (1e-8, 0.0))
    law = ContactMaterial(**given)  # the model has one coefficient
    assert (law.friction_along, law.surface_viscosity_along) == ((0.4, 0.4), (1e-8, 1e-8))
    law = ContactMaterial(  # enabled by a secondary friction
        secondary_surface_viscosity=0.0, friction_model=("oriented_box", "split")
    )
    assert law.surface_viscosity_along == (1e-8, 1e-8)


def test_a_constant_normal_force_needs_a_number_or_a_body():
    """Half the weight of no body is no friction at all."""
    words = ("constant_normal_force_oriented_box", "split")
    with pytest.raises(ValueError, match="constantNormalForce"):
        ContactMaterial(friction_model=words)
    assert ContactMaterial(friction_model=words, reference_body="sled").constant_normal_force is None
    assert ContactMaterial(friction_model=words, constant_normal_force=0.0).friction == 0.5


# -- mixing ----------------------------------------------------------------------------------------
def effective(first, second):
    library = MaterialLibrary()
    library.add(Material("a", **first))
    library.add(Material("b", **second))
    pair, turned = library.pair("a", "b"), library.pair("b", "a")
    assert pair.law == turned.law
    return pair


# Parameter of the pair, of the materials, two values of it, and what the manual's formula makes of them.
MIXING = {
    "youngs_modulus": ("youngs_modulus", 1e9, 3e9, 1e9 * 3e9 / (1e9 + 3e9)),
    "restitution": ("viscosity", 0.75, 0.0, math.sqrt((1 - 0.75) * (1 - 0.0))),
    "spook_damping": ("spook_damping", 0.02, 0.05, 0.05),
    "friction": ("roughness", 0.9, 0.3, math.sqrt(0.9 * 0.3)),
    "surface_viscosity": ("surface_viscosity", 2e-8, 3e-8, 2e-8 + 3e-8),
    "adhesion_force": ("adhesion_force", 20.0, 5.0, 20.0 + 5.0),
}


@pytest.mark.parametrize("name", MIXING)
def test_mixing(name):
    source, first, second, expected = MIXING[name]
    pair = effective({source: first}, {source: second})
    assert getattr(pair.law, name) == pytest.approx(expected, rel=1e-15)
    assert pair.origin[name] == "mixed"
    assert f"{source}: a {first:g}, b {second:g}" in pair.detail[name]
    half = effective({source: first}, {})  # the other one has the standard value, and it is said
    assert f"b {getattr(Material(), source):g} (standard)" in half.detail[name]
    mixed = [key for key, origin in pair.origin.items() if origin == "mixed"]
    assert sorted(mixed) == sorted(MIXING)


def test_mixing_of_standard_materials():
    law = effective({}, {}).law
    assert law == ContactMaterial(restitution=0.5)  # √(0.5 · 0.5); the rest is that of contact materials


def test_mixing_of_extreme_materials_stays_in_range():
    for side in ("least", "most"):
        values = {source: getattr(parameters(Material)[source], side) for source, *_ in MIXING.values()}
        law = effective(values, values).law
        assert law.youngs_modulus == pytest.approx(values["youngs_modulus"] / 2)
        assert law.adhesion_force == 2 * values["adhesion_force"]


def test_mixing_leaves_the_rest_at_its_default():
    pair = effective({"adhesive_overlap": 0.1}, {"adhesive_overlap": 0.1})
    assert (pair.law.adhesive_overlap, pair.origin["adhesive_overlap"]) == (0.0, "default")
    assert pair.law.friction_model == ("default", "default")


def test_a_contact_material_takes_nothing_from_its_materials():
    library = MaterialLibrary()
    library.add(Material("a", roughness=0.9, adhesion_force=7.0))
    library.set_pair("a", "a", ContactMaterial(restitution=0.2))
    pair = library.pair("a", "a")
    assert (pair.law.friction, pair.law.adhesion_force, pair.law.restitution) == (0.5, 0.0, 0.2)
    assert pair.is_explicit
    assert (pair.origin["friction"], pair.origin["restitution"]) == ("default", "explicit")
