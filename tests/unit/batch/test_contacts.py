"""Contacts of a batch as arrays: row by row what `World.contacts` of a world alone says."""

import numpy as np
import pytest
from scenes import STANCE_HEIGHT, ground_world, standing_quadruped

import tribo

WORLDS = 3


def build(height, impact="simultaneous"):
    """Return a world with a robot over the ground and a box that rolls next to it."""
    world = ground_world(friction=0.7, rolling_friction=0.1)
    world.impact = impact
    dog = standing_quadruped(world, kp=80.0, kd=2.0, name="dog")
    dog.generalized_coordinate[2] = STANCE_HEIGHT + height
    world.add_sphere(0.2, 1.0, position=(2, 0, 0.2 + height), linear_velocity=(1, 0, 0), name="ball")
    return world


HEIGHTS = (0.0, 0.03, 5.0)


@pytest.mark.parametrize("impact", ["simultaneous", "propagate"])
def test_contacts_are_those_of_worlds_alone(impact):
    """All numbers bit for bit, in the same order; a world in the air has none."""
    batch = tribo.Batch(build(0.0, impact), WORLDS, threads=2)
    for k, height in enumerate(HEIGHTS):
        batch["dog"].generalized_coordinate[k, 2] = STANCE_HEIGHT + height
        batch["ball"].generalized_coordinate[k, 2] = 0.2 + height
    batch.step(100)
    found = batch.contacts
    assert found.start[0] == 0
    assert found.start[-1] == len(found)
    for k, height in enumerate(HEIGHTS):
        world = build(height, impact)
        world.step(100)
        rows = slice(*found.start[k : k + 2])
        assert (found.world[rows] == k).all()
        assert len(world.contacts) == rows.stop - rows.start
        for c, contact in enumerate(world.contacts, rows.start):
            np.testing.assert_array_equal(found.position[c], contact.position)
            np.testing.assert_array_equal(found.normal[c], contact.normal)
            np.testing.assert_array_equal(found.depth[c], contact.depth)
            np.testing.assert_allclose(found.force[c], contact.force, rtol=1e-14, atol=1e-12)
            torque = contact.torque_impulse / world.time_step
            np.testing.assert_allclose(found.torque[c], torque, rtol=1e-14, atol=1e-12)
            names = [found.object_names[i] for i in found.object[c]]
            assert names == [contact.object_a.name, contact.object_b.name]
            assert [found.material_names[i] for i in found.material[c]] == list(contact.materials)
            for part, body, label in zip(
                (contact.object_a, contact.object_b), found.body[c], (contact.body_a, contact.body_b),
                strict=True,
            ):  # fmt: skip
                if part.name == "dog":  # links behind fixed joints belong to their body
                    shapes = [
                        b for b, described in enumerate(part.description.bodies)
                        for _ in described.shapes
                    ]  # fmt: skip
                    labels = [shape.name for shape in part.collision_bodies]
                    assert shapes[labels.index(label)] == body
    assert found.start[3] - found.start[2] == 0
    assert found.start[1] > 4


def test_sums_over_contacts_are_the_net_force():
    """Σ force_on of an object is `net_contact_force`: two ways to the same sum, 5 terms of 100 N: 1e-12."""
    batch = tribo.Batch(build(0.0), 2, threads=1)
    batch.step(150)
    found = batch.contacts
    for name in ("dog", "ball"):
        total = np.zeros((2, 3))
        np.add.at(total, found.world, found.force_on(name))
        net = batch[name].net_contact_force.reshape(2, -1, 3).sum(axis=1)
        np.testing.assert_allclose(total, net, atol=1e-11)
    assert found.between("ball", "dog").sum() == 0
    assert found.between("ground_0", "ball").sum() == 2
    with pytest.raises(KeyError, match="dog"):
        found.force_on("dogg")


def test_padded_arrays_hold_the_same_rows():
    """Rows are in their places, what is beyond is 0, what does not fit is left out."""
    batch = tribo.Batch(build(0.0), 3, threads=1)
    batch["dog"].generalized_coordinate[1, 2] = batch["ball"].generalized_coordinate[1, 2] = 7.0
    batch.step(50)
    found = batch.contacts
    most = int(np.diff(found.start).max())
    force = found.padded("force", most + 2)
    assert force.shape == (3, most + 2, 3)
    np.testing.assert_array_equal(force[2, : found.start[3] - found.start[2]], found.force[found.start[2] :])
    assert not force[1].any()
    assert not force[:, most:].any()
    np.testing.assert_array_equal(found.padded("depth", 1)[0, 0], found.depth[0])
    with pytest.raises(KeyError, match="position"):
        found.padded("positions", 3)


def test_velocities_of_bodies_are_those_of_links():
    """`body_velocities` against each link's own answer, to rounding of four bodies (1e-13)."""
    world = build(0.3)
    batch = tribo.Batch(world, 2, threads=1)
    dog = batch["dog"]
    dog.generalized_velocity[:] = np.random.default_rng(0).normal(0, 1, (2, 18))
    linear, angular = dog.body_velocities()
    for k, link in enumerate(dog.links):
        np.testing.assert_allclose(linear[:, k], link.linear_velocity, atol=1e-13)
        np.testing.assert_allclose(angular[:, k], link.angular_velocity, atol=1e-13)
    world["dog"].generalized_velocity = dog.generalized_velocity[1]
    alone = world["dog"].body_velocities()
    np.testing.assert_array_equal(alone[0], linear[1])
    np.testing.assert_array_equal(alone[1], angular[1])
