"""Each row of the manual's parameter tables has a test that shows what it does, and this says which."""

import ast
from dataclasses import fields
from pathlib import Path

import pytest

from tribo.materials import ContactMaterial, Material

TESTS = Path(__file__).parents[2]
PAIR = "physics/test_contact_materials.py::"
REDUCED = "physics/test_contact_reduction.py::"
ROW = "physics/test_parameter_rows.py::test_"
# Row of the tables of bulk, surface and wire materials: a test. What is mixed acts as the pair's.
MATERIAL = {
    "density": ROW + "density_of_a_material_is_that_of_its_bodies",
    "youngsModulus": ROW + "youngsModulus_of_two_materials_is_in_series",
    "viscosity": ROW + "viscosity_of_two_materials_is_the_loss_of_a_bounce",
    "spookDamping": ROW + "spookDamping_of_two_materials_is_the_larger_one",
    "poissonRatio": ROW + "poissonRatio_has_no_effect",
    "roughness": ROW + "roughness_of_two_materials_is_their_friction",
    "surfaceViscosity": ROW + "surfaceViscosity_of_two_materials_adds_up",
    "adhesionForce": ROW + "adhesionForce_of_two_materials_adds_up",
    "adhesivOverlap": ROW + "adhesivOverlap_of_a_material_is_not_mixed",
    "wireYoungsModulusStretch": ROW + "wireYoungsModulusStretch_is_E_A_over_L",
    "wireSpookDampingStretch": ROW + "wireSpookDampingStretch_is_the_map_of_spook_step_by_step",
    "wireYoungsModulusBend": ROW + "wireYoungsModulusBend_is_E_I_over_L",
    "wireSpookDampingBend": ROW + "wireSpookDampingBend_is_the_time_in_which_a_bend_comes_back",
}
CONTACT = {
    "youngsModulus": PAIR + "test_it_rests_at_the_depth_that_its_points_bear",
    "restitution": PAIR + "test_what_hits_rebounds_with_the_restitution",
    "spookDamping": PAIR + "test_an_overlap_without_load_is_undone_at_the_speed_of_its_damping",
    "friction": PAIR + "test_friction_of_a_cone_is_the_same_in_all_directions",
    "secondaryFriction": PAIR + "test_secondary_friction_makes_the_bound_an_ellipse",
    "surfaceViscosity": PAIR + "test_a_held_load_creeps_at_its_surface_viscosity",
    "secondarySurfaceViscosity": PAIR + "test_a_held_load_creeps_at_its_surface_viscosity",
    "adhesionForce": PAIR + "test_adhesion_rests_at_its_overlap_and_holds_up_to_its_force",
    "adhesivOverlap": PAIR + "test_adhesion_rests_at_its_overlap_and_holds_up_to_its_force",
    "frictionModel": ROW + "frictionModel_has_its_strength_on_the_diagonal",
    "contactReductionMode": REDUCED + "test_contactReductionMode_reduceGeometry_is_by_material",
    "contactReductionBinResolution": REDUCED + "test_contactReductionBinResolution_0_is_three",
    "primaryDirection": PAIR + "test_the_direction_of_friction_turns_with_its_body",
    "referenceBodyName": PAIR + "test_each_instance_of_a_body_has_a_direction_of_its_own",
    "referenceLinkName": ROW + "referenceLinkName_turns_friction_with_that_link",
}


def parsed(name: str) -> ast.Module:
    return ast.parse((TESTS / name).read_text("utf-8"))


def rows(*tables: str) -> set[str]:
    """Return the rows of the manual's tables as `test_parameters` has typed them out."""
    found: set[str] = set()
    for node in parsed("unit/materials/test_parameters.py").body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in tables:
            assert isinstance(node.value, ast.Dict)
            found |= {ast.literal_eval(key) for key in node.value.keys if key is not None}
    return found


def test_every_row_is_here() -> None:
    assert set(MATERIAL) == rows("MATERIAL_ROWS")
    assert set(CONTACT) == rows("CONTACT_ROWS", "OTHER_ROWS")


@pytest.mark.parametrize(
    ("row", "test"), [*MATERIAL.items(), *((f"pair {row}", test) for row, test in CONTACT.items())]
)
def test_its_test_exists(row: str, test: str) -> None:
    name, _, function = test.partition("::")
    functions = {node.name for node in parsed(name).body if isinstance(node, ast.FunctionDef)}
    assert function in functions, row


# -- pictures --------------------------------------------------------------------------------------
# What two materials have of their own acts as the pair's; the panel is that of the pair.
PANELS = {
    "adhesive_overlap": "overlap",
    "adhesion_force": "adhesion",
    "constant_normal_force": "constant_force",
    "contact_reduction_bin_resolution": "bins",
    "contact_reduction_mode": "reduction",
    "density": "weight",
    "elastic_rest_length": "layer",
    "friction": "friction",
    "friction_model": "models",
    "primary_direction": "directions",
    "reference_body": "directions",
    "reference_link": "directions",
    "restitution": "restitution",
    "roughness": "two_materials",
    "secondary_friction": "ellipse",
    "secondary_surface_viscosity": "side_creep",
    "spook_damping": "damping",
    "surface_viscosity": "viscosity",
    "viscosity": "bounces",
    "wire_spook_damping_bend": "wire_swing",
    "wire_spook_damping_stretch": "wire_damping",
    "wire_youngs_modulus_bend": "wire_shape",
    "wire_youngs_modulus_stretch": "wire_stiffness",
    "youngs_modulus": "stiffness",
}
UNSEEN = {"name", "poisson_ratio"}  # nothing uses it


def test_every_parameter_has_a_panel_that_is_drawn() -> None:
    named = {item.name for kind in (Material, ContactMaterial) for item in fields(kind)}
    assert set(PANELS) == named - UNSEEN
    source = ast.parse((TESTS.parent / "docs" / "make_material_plots.py").read_text("utf-8"))
    functions = {node.name: node for node in source.body if isinstance(node, ast.FunctionDef)}
    drawn = {node.id for node in ast.walk(functions["main"]) if isinstance(node, ast.Name)}
    assert set(PANELS.values()) <= drawn
