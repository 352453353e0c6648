"""Displaced ground, and bodies that are put elsewhere: their contacts begin as those of a fresh world."""

import numpy as np
import pytest

import tribo

REST = np.zeros(6)


def soft_world():
    """Return a world with a box on ground of springs and dampers that decay in 5 ms."""
    world = tribo.World()
    world.add_ground(material="soil")
    world.set_material_pair("soil", "wood", stiffness=2e4, damping=100.0, friction=0.8)
    world.add_box((0.2, 0.2, 0.2), 5.0, "wood", position=(0, 0, 0.0995), name="box")
    return world


def pushed_world():
    """Return a world whose box displaces the ground."""
    world = soft_world()
    for _ in range(200):
        world["box"].apply_force((30.0, 0, 0))
        world.step()
    assert world["box"].net_contact_force[0] < -20.0
    return world


def set_both(box, q):
    box.set_state(q, REST)


def set_coordinate(box, q):
    box.generalized_coordinate = q
    box.generalized_velocity = REST


def set_position(box, q):
    box.position = q[:3]
    box.orientation = q[3:]
    box.generalized_velocity = REST


def write_coordinate(box, q):
    box.generalized_coordinate[:] = q
    box.generalized_velocity[:] = REST


ALL = (set_both, set_coordinate, set_position, write_coordinate)
HERE = [(set_both, 0.0), (set_coordinate, 0.0)]  # know that the box is set even to where it is


@pytest.mark.parametrize(("put", "way"), [*HERE, *((put, way) for put in ALL for way in (1e-3, 5.0))])
def test_a_body_that_is_set_moves_as_in_a_fresh_world(put, way):
    """The ground kept its displacement: a box set to rest was pushed with 0.6 of its weight."""
    world, fresh = pushed_world(), soft_world()
    q = world["box"].generalized_coordinate + np.eye(7)[0] * way
    for one in (world, fresh):
        put(one["box"], q)
        one.step()
    assert np.allclose(world["box"].net_contact_force, fresh["box"].net_contact_force, rtol=0, atol=1e-9)
    for one in (world, fresh):
        one.step(300)
    assert np.allclose(*(one["box"].generalized_coordinate for one in (world, fresh)), rtol=0, atol=1e-12)


def test_what_is_lifted_for_one_step_comes_back_to_ground_at_rest():
    world = pushed_world()
    box, q = world["box"], world["box"].generalized_coordinate.copy()
    q[3:] = 1, 0, 0, 0
    box.set_state(q + np.eye(7)[2], REST)
    world.step()
    box.set_state(q, REST)
    world.step()
    assert abs(box.net_contact_force[0]) < 1e-9


@pytest.mark.parametrize("edit", ["velocity", "mass"])
def test_a_velocity_or_a_mass_alone_keeps_the_displacement(edit):
    world = pushed_world()
    if edit == "mass":
        world["box"].mass = 5.0 + 1e-9
    else:
        world["box"].generalized_velocity += 1e-9
    world.step()
    assert world["box"].net_contact_force[0] < -20.0


@pytest.mark.parametrize("write", [False, True])
def test_worlds_of_a_batch_that_are_set_move_as_fresh_ones(write):
    """The others stay as they are."""
    batch, fresh = tribo.Batch(pushed_world(), 3, threads=1), soft_world()
    q = batch["box"].generalized_coordinate[0].copy()
    q[0] += write
    fresh["box"].set_state(q, REST)
    fresh.step()
    if write:
        batch["box"].generalized_coordinate[:2] = q
        batch["box"].generalized_velocity[:2] = REST
    else:
        batch["box"].set_state(q, REST, [0, 1])
    batch.step()
    force = batch["box"].net_contact_force
    assert np.allclose(force[:2], fresh["box"].net_contact_force, rtol=0, atol=1e-9)
    assert force[2, 0] < -20.0
