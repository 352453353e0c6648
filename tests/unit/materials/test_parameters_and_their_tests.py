"""Each row of the manual's parameter tables has a test that shows what it does, and this says which."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
PAIR = "physics/test_contact_materials.py::"
REDUCED = "physics/test_contact_reduction.py::"
CABLE = "physics/test_cables.py::"
MIXED = "unit/materials/test_parameters.py::test_mixing"
# Row of the tables of bulk, surface and wire materials: a test. What is mixed acts as the pair's.
MATERIAL = {
    "density": "unit/formats/test_shape_mass.py::test_single_bodies_take_a_density_instead_of_a_mass",
    "youngsModulus": MIXED,
    "viscosity": MIXED,
    "spookDamping": MIXED,
    "poissonRatio": "unit/materials/test_parameters.py::"
    "test_material_row_poisson_ratio_has_no_effect_and_says_so",
    "roughness": MIXED,
    "surfaceViscosity": MIXED,
    "adhesionForce": MIXED,
    "adhesivOverlap": "unit/materials/test_parameters.py::test_mixing_leaves_the_rest_at_its_default",
    "wireYoungsModulusStretch": CABLE
    + "test_a_cable_stretches_by_force_times_length_over_stiffness",
    "wireSpookDampingStretch": "physics/test_joint_ties.py::test_a_pin_that_gives_way_is_the_map_of_spook",
    "wireYoungsModulusBend": CABLE + "test_a_cantilever_bends_by_the_beam_formula",
    "wireSpookDampingBend": CABLE + "test_a_spook_damping_that_rings_is_said",
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
    "frictionModel": PAIR + "test_a_box_is_stronger_than_a_cone_on_its_diagonal",
    "contactReductionMode": REDUCED + "test_contactReductionMode_reduceGeometry_is_by_material",
    "contactReductionBinResolution": REDUCED + "test_contactReductionBinResolution_0_is_three",
    "primaryDirection": PAIR + "test_the_direction_of_friction_turns_with_its_body",
    "referenceBodyName": PAIR + "test_each_instance_of_a_body_has_a_direction_of_its_own",
    "referenceLinkName": PAIR + "test_the_direction_of_friction_turns_with_its_body",
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
