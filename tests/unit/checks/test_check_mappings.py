"""Calls that take a mapping say so; these ended in errors of Python's own. Found by `make fuzz`."""

import numpy as np
import pytest

import tribo
from tribo.tools.demo import ASSETS

WRONG = [0.5, "ball", np.eye(3)]


@pytest.fixture
def world():
    made = tribo.World()
    made.add_articulated_system(ASSETS / "quadruped.urdf", name="quad")
    return made


@pytest.mark.parametrize("wrong", WRONG)
def test_plans_and_properties_are_mappings(world, wrong):
    batch = tribo.Batch(world, 2, threads=1)
    with pytest.raises(TypeError, match="forces must be a mapping of objects' names"):
        batch.rollout(forces=wrong)
    with pytest.raises(TypeError, match="values must be a mapping of properties' names"):
        world["quad"].link("LF_SHANK").set_several(wrong)
    with pytest.raises(TypeError, match="ground_points must be a mapping of links' names"):
        world.add_articulated_system(ASSETS / "quadruped.urdf", ground_points=wrong)
    assert len(world.objects) == 1


def test_joints_of_motors_are_a_list(world):
    batch = tribo.Batch(world, 2, threads=1)
    for wrong in (0.5, "LF_HAA", object(), np.array(None)):
        with pytest.raises(TypeError, match="must be a list of names"):
            batch["quad"].set_motors(joints=wrong, delay=0.0)


def test_arrays_where_words_and_lists_belong(world):
    with pytest.raises((TypeError, ValueError), match="package_dirs must be a folder"):
        world.add_articulated_system(ASSETS / "quadruped.urdf", package_dirs=np.array(None))
    with pytest.raises(TypeError, match="mode"):
        world.add_mesh(([(0, 0, 0)], [(0, 0, 0)]), mass=1.0, mode=np.ones(3))
    assert len(world.objects) == 1
    world.add_ground()
    world.add_sphere(0.1, mass=1.0, position=(5, 0, 0.1))
    world.step()
    assert world.contacts
    with pytest.raises(TypeError, match="contacts_of takes an object"):
        world.contacts_of(np.zeros(3))
