"""Contact materials that differ from world to world of a batch: each world is as if it were alone."""

import numpy as np
import pytest

import tribo
from tribo.materials import ContactMaterial

STANDARD = {"youngs_modulus": 1e4, "spook_damping": 0.01, "friction": 0.4}
EACH = {
    "youngs_modulus": (5e3, 2e4, 1e6),
    "restitution": (0.0, 0.5, 1.0),
    "spook_damping": (0.002, 0.02, 0.2),
    "friction": (0.0, 0.3, 0.8),
    "surface_viscosity": (0.0, 1e-3, 1e-1),
    "adhesion_force": (0.0, 2.0, 5.0),
    "adhesive_overlap": (0.0, 1e-4, 1e-3),
}


def scene(**values):
    world = tribo.World(time_step=2e-3)
    world.add_ground(material="floor")
    world.set_material_pair("floor", "body", ContactMaterial(**(STANDARD | values)))
    world.add_box((0.2, 0.2, 0.2), 1.0, "body", name="box", position=(0, 0, 0.13), linear_velocity=(1, 0, 0))
    return world


@pytest.mark.parametrize("name", EACH)
def test_each_world_is_as_if_it_were_alone(name):
    """Bit for bit."""
    batch = tribo.Batch(scene(), 3, threads=1)
    batch.set_material_pair("floor", "body", **{name: EACH[name]})
    np.testing.assert_array_equal(batch.material_pair("body", "floor")[name], EACH[name])
    assert batch.step(150).all()
    for e, value in enumerate(EACH[name]):
        world = scene(**{name: value})
        world.step(150)
        alone = world["box"].generalized_coordinate
        np.testing.assert_array_equal(batch["box"].generalized_coordinate[e], alone)
    ways = batch["box"].generalized_coordinate
    if name not in {"adhesive_overlap"}:
        assert len(np.unique(ways[:, :3], axis=0)) == 3  # each value does something


def test_secondary_friction_follows_or_stands_for_itself():
    batch = tribo.Batch(
        scene(
            secondary_friction=0.1,
            primary_direction=(1, 0, 0),
            friction_model=("oriented_iterative", "direct"),
        ),
        2,
        threads=1,
    )
    batch.set_material_pair("floor", "body", friction=(0.5, 0.6))
    assert batch.material_pair("floor", "body")["secondary_friction"].tolist() == [0.1, 0.1]
    batch.set_material_pair("floor", "body", secondary_friction=(-1, 0.2))
    assert batch.material_pair("floor", "body")["secondary_friction"].tolist() == [0.5, 0.2]
    even = tribo.Batch(scene(), 2, threads=1)
    even.set_material_pair("floor", "body", friction=(0.5, 0.6))
    assert even.material_pair("floor", "body")["secondary_friction"].tolist() == [0.5, 0.6]


def test_one_world_of_three():
    batch = tribo.Batch(scene(), 3, threads=1)
    batch.set_material_pair("floor", "body", worlds=1, friction=0.9)
    assert batch.material_pair("floor", "body")["friction"].tolist() == [0.4, 0.9, 0.4]


def test_no_world_at_all_changes_nothing():
    batch = tribo.Batch(scene(), 2, threads=1)
    batch.set_material_pair("floor", "body", worlds=[False, False], youngs_modulus=1e6)
    assert batch.material_pair("floor", "body")["youngs_modulus"].tolist() == [1e4, 1e4]


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ({"youngs_modulus": 0.0}, ValueError, "youngs_modulus of material pair 'floor', 'body' must be > 0"),
        ({"youngs_modulus": np.nan}, ValueError, "youngs_modulus"),
        ({"restitution": (0, 2, 0)}, ValueError, "restitution"),
        ({"friction": (0.1, 0.2)}, ValueError, "shape"),
        ({"frction": 0.1}, TypeError, "friction"),
        ({"stiffness": 1e5}, TypeError, "contact material"),
        ({"contact_reduction_mode": "reduce_all"}, TypeError, "contact material"),
        ({"secondary_friction": 0.1}, ValueError, "primary_direction"),
    ],
)
def test_wrong_values_change_nothing(values, kind, message):
    batch = tribo.Batch(scene(), 3, threads=1)
    before = batch.material_pair("floor", "body")
    with pytest.raises(kind, match=message):
        batch.set_material_pair("floor", "body", **values)
    after = batch.material_pair("floor", "body")
    for name, numbers in before.items():
        np.testing.assert_array_equal(after[name], numbers)
