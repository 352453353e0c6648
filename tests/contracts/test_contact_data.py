"""`World.contact_data` has the numbers of `World.contacts`."""

import numpy as np
import pytest
from scenes import standing_quadruped

import tribo


def compare(world):
    rows, contacts = world.contact_data, world.contacts
    assert len(rows) == len(contacts) > 0
    for row, contact in zip(rows, contacts, strict=True):
        for name in ("position", "normal", "force"):
            # The same three products, summed by NumPy in another order.
            assert np.abs(row[name] - getattr(contact, name)).max() <= 1e-14 * max(
                1.0, abs(contact.force).max()
            )
        assert row["depth"] == contact.depth
        for side in "ab":
            owner = world.objects[row[f"object_{side}"]]
            assert owner is getattr(contact, f"object_{side}")
            assert owner.collision_bodies[row[f"shape_{side}"]].name == getattr(contact, f"body_{side}")


@pytest.mark.parametrize("impact", ["simultaneous", "propagate"])
def test_it_is_what_contacts_say(impact):
    world = tribo.World()
    world.impact = impact
    world.add_box((0.1, 0.1, 0.1), 1.0, position=(3, 0, 0.05))
    world.add_ground()
    standing_quadruped(world, kp=50.0, kd=1.0)
    world.step(200)
    compare(world)
    world.add_box((0.1, 0.1, 0.1), 1.0, position=(5, 0, 0.05))
    world.step()
    compare(world)
    world.update()
    compare(world)
    world.advance()


def test_without_contacts_it_is_empty():
    world = tribo.World()
    assert len(world.contact_data) == 0
    world.add_sphere(0.1, mass=1.0)
    world.step()
    assert world.contact_data.shape == (0,)


def test_a_contact_stays_as_it_was_read():
    """Laws, materials and forces are those of the step, whatever is edited or stepped afterwards."""
    world = tribo.World()
    world.add_ground(material="floor")
    box = world.add_box((0.1, 0.1, 0.1), 1.0, position=(0, 0, 0.05), material="wood")
    world.set_material_pair("wood", "floor", friction=0.3)
    world.step()
    contact = world.contacts[0]
    force = world.contacts[0].force
    world.set_material_pair("wood", "floor", friction=0.9)
    world.time_step = 2e-3
    box.material = "steel"
    box.linear_velocity = (0, 0, 3)
    world.step(50)
    assert world.contacts == []
    assert contact.materials in [("wood", "floor"), ("floor", "wood")]
    assert contact.friction == 0.3
    assert np.array_equal(contact.force, force)
    assert abs(abs(contact.force[2]) - 9.81 / 4) < 1e-6  # of four corners
