"""Calls that take a mapping say so; these ended in errors of Python's own. Found by `make fuzz`."""

import numpy as np
import pytest

import tribo
from tribo.checks import check
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


def test_shapes_kinds_and_missing_packages_are_refused_by_name():
    row = np.arange(3.0)
    assert check.shaped(row, "row", (2,), (3,)) is row
    with pytest.raises(ValueError, match=r"^row must have shape \(2,\) or \(3, 3\), got \(3,\)$"):
        check.shaped(row, "row", (2,), (3, 3))
    assert check.for_each(2.0, "mass", 3).tolist() == [2.0, 2.0, 2.0]
    assert check.for_each(row, "mass", 3).tolist() == row.tolist()
    with pytest.raises(ValueError, match=r"^mass must be a number or have shape \(2,\), got \(3,\)$"):
        check.for_each(row, "mass", 2)
    assert check.like(row, np.ones(3), "row") is row
    with pytest.raises(TypeError, match=r"^row is no array of int64$"):
        check.like(row, np.ones(3, np.int64), "row")
    check.instance(None, tribo.World | None, "it must be a World or None")
    with pytest.raises(TypeError, match=r"^it must be a World, got 3$"):
        check.instance(3, tribo.World, "it must be a World")
    with (
        pytest.raises(ImportError, match=r"^films need it: pip install it$"),
        check.needed("films need it: pip install it"),
    ):
        raise ModuleNotFoundError("no it")
